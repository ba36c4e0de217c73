/* Reads files under every hardship. Standard input names them, in fields that end with a zero byte:
   folder, file, options of reading, a model or "", "labels" or "".

   With the first, second, ... allocation or system call failing, once and from then on, the outcome
   is the one without a fault, or the error that the fault is, and no data. Cut off at every byte, and
   with other bytes in every place, there is data or a refusal at a place that the file has.

   Prints what is wrong, then what was tried and how often that was wrong. */
#include "core/context.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS = 5, MOST_POINTS = 20000 };

struct task {
    const char *folder, *file, *options;
    bool labels;
    const sepal_model *model;
};

struct outcome {
    sepal_status status;
    char *facts; /* NULL after a failure */
};

struct tally {
    const char *name;
    size_t tried, wrong;
};
static struct tally faults = {"injection-points", 0, 0}, cuts = {"truncations", 0, 0},
                    flips = {"flips", 0, 0};

static void must(bool ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "%s\n", what);
    exit(99);
}

static void judged(struct tally *tally, const struct task *task, const char *how, size_t at,
                   const char *wrong) {
    tally->tried++;
    if (!wrong) return;
    tally->wrong++;
    printf("%s/%s: %s %zu: %s\n", task->folder, task->file, how, at, wrong);
}

/* ---- with faults -------------------------------------------------------------------------- */

/* All that can be told of the data; rows for a model are told by what it says of them. */
static char *facts_of(const sepal_data *data, const struct task *task) {
    char *facts = NULL, *json = NULL;
    size_t size, rows = sepal_data_rows(data);
    sepal_ctx *ctx = NULL;
    sepal_report *report = NULL;
    FILE *out = open_memstream(&facts, &size);
    must(out && sepal_ctx_new(&ctx) == SEPAL_OK, "facts");
    fprintf(out, "%zu x %zu\n", rows, sepal_data_columns(data));
    if (sepal_data_describe(&report, ctx, data) == SEPAL_OK &&
        sepal_report_json(&json, ctx, report, "describe") == SEPAL_OK)
        fputs(json, out);
    int32_t *class = calloc(rows + 1, sizeof *class);
    must(class != NULL, "memory");
    if (task->model && sepal_model_predict(class, ctx, task->model, data) == SEPAL_OK)
        for (size_t i = 0; i < rows; i++)
            fprintf(out, "%d %s\n", class[i], sepal_data_kept_row(data, i));
    free(class);
    sepal_text_free(json);
    sepal_report_free(report);
    sepal_ctx_free(ctx);
    must(fclose(out) == 0, "facts");
    return facts;
}

static struct outcome read_once(sepal_ctx *ctx, const struct task *task) {
    sepal_data *data = NULL;
    sepal_ctx_clear_warnings(ctx);
    sepal_status status = task->model ? sepal_data_read_for(&data, ctx, task->model, task->file,
                                                            task->options, task->labels)
                                      : sepal_data_read(&data, ctx, task->file, task->options);
    struct outcome outcome = {status, data ? facts_of(data, task) : NULL};
    sepal_data_free(data);
    return outcome;
}

static const char *judge(struct outcome found, struct outcome wanted, sepal_ctx *ctx,
                         enum fault_kind kind) {
    if (found.status != SEPAL_OK && found.facts) return "data after a failure";
    if (found.status != SEPAL_OK && !*sepal_ctx_error(ctx)) return "no message";
    if (found.status == SEPAL_OK)
        return wanted.facts && strcmp(found.facts, wanted.facts) == 0 ? NULL : "another result";
    bool by_fault = found.status == (kind == FAULT_ALLOC ? SEPAL_EMEMORY : SEPAL_EDATA);
    return by_fault || found.status == wanted.status ? NULL : sepal_ctx_error(ctx);
}

static void fail_each(sepal_ctx *ctx, const struct task *task, struct outcome wanted,
                      enum fault_kind kind, bool from_then_on) {
    static const char *const names[FAULT_KINDS][2] = {{"memory at", "memory from"},
                                                      {"file at", "file from"}};
    struct fault *fault = &ctx->faults[kind];
    bool hit = true;
    for (size_t k = 1; hit; k++) {
        must(k < MOST_POINTS, task->file);
        fault->fail_at = k;
        fault->from_then_on = from_then_on;
        atomic_store(&fault->calls, 0);
        struct outcome found = read_once(ctx, task);
        hit = atomic_load(&fault->calls) >= k;
        fault->fail_at = 0;
        const char *wrong = judge(found, wanted, ctx, kind);
        if (!wrong && !hit && found.status != wanted.status) wrong = "other than at first";
        judged(&faults, task, names[kind][from_then_on], k, wrong);
        free(found.facts);
    }
}

/* ---- with other bytes --------------------------------------------------------------------- */

static size_t lines_of(const char *bytes, size_t n) {
    size_t lines = 1;
    for (size_t i = 0; i < n; i++) lines += bytes[i] == '\n' || bytes[i] == '\r';
    return lines;
}

/* Rows of an array count as lines, and what is unpacked may have more than what is packed. */
static const char *read_damaged(sepal_ctx *ctx, const struct task *task, size_t lines) {
    sepal_data *data = NULL;
    sepal_ctx_clear_warnings(ctx);
    sepal_status status = task->model ? sepal_data_read_for(&data, ctx, task->model, task->file,
                                                            task->options, task->labels)
                                      : sepal_data_read(&data, ctx, task->file, task->options);
    bool none = data == NULL;
    sepal_data_free(data);
    if (status == SEPAL_OK) return none ? "no data" : NULL;
    if (!none) return "data after a failure";
    if (status != SEPAL_EDATA && status != SEPAL_EUSAGE && status != SEPAL_EMEMORY)
        return sepal_ctx_error(ctx);
    if (!*sepal_ctx_error(ctx)) return "no message";
    sepal_place place = sepal_ctx_error_place(ctx);
    bool here = lines > 0 && strcmp(place.file, task->file) == 0;
    return here && place.line > lines ? "a line that is not there" : NULL;
}

/* Marks of all formats. */
static const char marks[] = "\0\n\r \t,;:'\"{}%#?@x9-e\\\x7f\xff.[(\x01";
enum { MARKS = sizeof marks - 1, MARKS_BY_DAY = 3, MARKS_WHEN_THIN = 1 };

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && strcmp(value, "1") == 0;
}

static size_t marks_in_each_place(void) {
    if (is_set("SEPAL_NIGHTLY")) return MARKS;
    return is_set("SEPAL_THIN") ? MARKS_WHEN_THIN : MARKS_BY_DAY;
}

static void damage_each(sepal_ctx *ctx, const struct task *task) {
    enum { LONGEST = 4096 };
    char bytes[LONGEST];
    int fd = open(task->file, O_RDWR | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    must(size >= 0, task->file);
    size_t rounds = marks_in_each_place();
    bool text = strstr(task->file, ".csv") || strstr(task->file, ".svm");
    for (size_t i = 0; size < LONGEST && i < (size_t)size; i++)
        for (size_t m = 0; m < rounds; m++) {
            must(pwrite(fd, &marks[(i * 7 + m * 5) % MARKS], 1, (off_t)i) == 1, task->file);
            size_t most = text ? lines_of(bytes, (size_t)size) + 2 : 0;
            judged(&flips, task, "byte", i, read_damaged(ctx, task, most));
            must(pwrite(fd, &bytes[i], 1, (off_t)i) == 1, task->file);
        }
    for (size_t n = (size_t)size; size < LONGEST && n-- > 0;) {
        must(ftruncate(fd, (off_t)n) == 0, task->file);
        size_t most = text ? lines_of(bytes, n) + 1 : 0; /* where a row is missing */
        judged(&cuts, task, "cut at", n, read_damaged(ctx, task, most));
    }
    close(fd);
}

/* What is damaged there is met by the unpackers, not by the readers, and takes its time. */
static bool is_packed(const char *file) {
    static const char *const extensions[] = {".gz", ".xz", ".zst", ".bz2"};
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (strstr(file, extensions[i])) return true;
    return false;
}

static void try_file(const struct task *task) {
    sepal_ctx *ctx;
    must(sepal_ctx_new(&ctx) == SEPAL_OK, "memory");
    sepal_ctx_set_threads(ctx, 1);
    must(chdir(task->folder) == 0, task->folder);
    struct outcome wanted = read_once(ctx, task);
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        for (int from_then_on = 0; from_then_on < 2; from_then_on++)
            fail_each(ctx, task, wanted, (enum fault_kind)kind, from_then_on);
    if (!is_packed(task->file)) damage_each(ctx, task);
    free(wanted.facts);
    sepal_ctx_free(ctx);
}

static char *slurp(size_t *size) {
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, size);
    must(out != NULL, "memory");
    for (int c; (c = getchar()) != EOF;) fputc(c, out);
    must(fclose(out) == 0, "memory");
    return bytes;
}

int main(void) {
    size_t size;
    char *bytes = slurp(&size);
    for (char *p = bytes; p < bytes + size;) {
        const char *field[FIELDS];
        for (size_t i = 0; i < FIELDS; i++) {
            field[i] = p;
            p += strlen(p) + 1;
        }
        sepal_ctx *ctx;
        sepal_model *model = NULL;
        must(sepal_ctx_new(&ctx) == SEPAL_OK, "memory");
        if (*field[3]) must(sepal_model_load(&model, ctx, field[3]) == SEPAL_OK, field[3]);
        try_file(&(struct task){field[0], field[1], field[2], *field[4] != '\0', model});
        sepal_model_free(model);
        sepal_ctx_free(ctx);
    }
    free(bytes);
    const struct tally *const tallies[] = {&faults, &cuts, &flips};
    for (size_t i = 0; i < 3; i++)
        printf("COUNT %s %zu %zu\n", tallies[i]->name, tallies[i]->tried, tallies[i]->wrong);
    return faults.wrong + cuts.wrong + flips.wrong > 0;
}
