/* The public functions, with the first, second, ... allocation or system call failing, once and from
   then on. Each time: the status that fits and no result, or the right result; a message; no file
   left behind or open; and the same call in the same context, now undisturbed, gives what it gives
   in a fresh one. The sanitizers look for leaks at the end. */
#include "faults/library_calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By the linker's --wrap: thousands of them would only wait for the disk. */
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) {
    (void)fd;
    return 0;
}

struct manner {
    const char *name;
    enum fault_kind kind;
    struct fault fault;
};
static const struct manner manners[] = {
    {"memory", FAULT_ALLOC, {0}},
    {"EIO", FAULT_IO, {.error = EIO}},
    {"ENOSPC", FAULT_IO, {.error = ENOSPC}},
    {"EMFILE", FAULT_IO, {.error = EMFILE}},
    {"EINTR", FAULT_IO, {.error = EINTR}},
    {"short", FAULT_IO, {.manner = FAULT_SHORT}},
    {"after", FAULT_IO, {.manner = FAULT_AFTER, .error = EIO}},
};
enum { MANNERS = sizeof manners / sizeof *manners };

/* ---- what came out, as text that can be compared -------------------------------------------- */

static void add_bytes(FILE *out, int fd) {
    char bytes[1 << 14];
    for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;) fwrite(bytes, 1, (size_t)n, out);
}

/* What the library writes goes through a pipe, which is faster than the disk. */
static void add_written(FILE *out, sepal_ctx *ctx, const sepal_data *set, const sepal_model *made) {
    char path[32];
    int ends[2];
    must(pipe(ends) == 0, "pipe");
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    sepal_status status =
        set ? sepal_data_write(ctx, set, path, "csv") : sepal_model_save(ctx, made, path);
    must(set || status == SEPAL_OK, "save"); /* rows without labels cannot be written */
    close(ends[1]);
    add_bytes(out, ends[0]);
    close(ends[0]);
}

static void add_output(FILE *out) {
    int fd = open("out", O_RDONLY);
    must(fd >= 0, "out");
    add_bytes(out, fd);
    close(fd);
}

/* In a context of its own, so that the tested one is left as it is. */
static char *print_of(const struct result *result) {
    char *text = NULL, *json = NULL;
    size_t size;
    sepal_ctx *ctx;
    FILE *out = open_memstream(&text, &size);
    must(out && sepal_ctx_new(&ctx) == SEPAL_OK, "print");
    add_output(out);
    const sepal_data *sets[] = {result->data, result->part};
    for (size_t i = 0; i < 2; i++) {
        if (!sets[i]) continue;
        fprintf(out, "%zu x %zu, %s\n", sepal_data_rows(sets[i]), sepal_data_columns(sets[i]),
                sepal_data_kept_header(sets[i]));
        add_written(out, ctx, sets[i], NULL);
    }
    if (result->model) add_written(out, ctx, NULL, result->model);
    if (result->report) {
        must(sepal_report_json(&json, ctx, result->report, "x") == SEPAL_OK, "json");
        fputs(json, out);
        sepal_text_free(json);
    }
    if (result->text) fputs(result->text, out);
    for (size_t i = 0; i < 16; i++) fprintf(out, " %d", result->class[i]);
    for (size_t i = 0; i < 64; i++) fprintf(out, " %a", result->scores[i]);
    sepal_ctx_free(ctx);
    must(fclose(out) == 0, "print");
    return text;
}

static size_t entries_of(const char *path) {
    size_t n = 0;
    DIR *folder = opendir(path);
    must(folder != NULL, path);
    while (readdir(folder)) n++;
    closedir(folder);
    return n;
}

/* ---- the loops ---------------------------------------------------------------------------- */

static const char old_output[] = "old\n";
static size_t points, failures;

static bool fits(const struct operation *operation, const struct manner *manner,
                 sepal_status status) {
    if (manner->kind == FAULT_ALLOC) return status == SEPAL_EMEMORY;
    bool disturbs = manner->fault.manner != FAULT_SHORT &&
                    (manner->fault.manner != FAULT_AFTER || operation->broken == SEPAL_EOUTPUT) &&
                    (manner->fault.error != EINTR || operation->broken == SEPAL_EOUTPUT);
    bool reads = operation->run == split_table || operation->run == split_array;
    bool fitting = status == operation->broken || (reads && status == SEPAL_EDATA);
    return disturbs && operation->broken != 0 && fitting;
}

static const char *check_failure(const struct operation *operation, const struct manner *manner,
                                 const sepal_ctx *ctx, sepal_status status,
                                 const struct result *got, const char *print, const char *wanted) {
    const char *message = sepal_ctx_error(ctx);
    bool old = strncmp(print, old_output, strlen(old_output)) == 0;
    bool in_place = strstr(message, "it is in place and whole") != NULL;
    if (!fits(operation, manner, status)) return "the wrong status";
    if (!is_empty(got)) return "a result in spite of the failure";
    if (*message == '\0') return "no message";
    if (in_place ? strcmp(print, wanted) != 0 : !old) return "a file that is neither old nor new";
    return NULL;
}

/* Whether a fault that was met must show. */
static bool must_show(const struct operation *operation, const struct manner *manner) {
    if (operation->lenient) return false;
    if (manner->kind == FAULT_ALLOC) return true;
    return operation->broken != 0 && manner->fault.manner == FAULT_INSTEAD &&
           manner->fault.error != EINTR;
}

/* NULL, or what is wrong after a run that may have met a fault. */
static const char *check(const struct operation *operation, const struct manner *manner,
                         const sepal_ctx *ctx, sepal_status status, const struct result *got,
                         const char *wanted) {
    const char *wrong = NULL;
    char *print = print_of(got);
    if (status != SEPAL_OK)
        wrong = check_failure(operation, manner, ctx, status, got, print, wanted);
    else if (strcmp(print, wanted) != 0)
        wrong = "another result";
    else if (*sepal_ctx_error(ctx) != '\0')
        wrong = "an error after success";
    free(print);
    return wrong;
}

static sepal_status run(const struct operation *operation, sepal_ctx *ctx, struct result *out) {
    *out = (struct result){0};
    return operation->run(out, ctx);
}

/* One point: the call with the fault, then the same without it. False when no fault was met. */
static bool try_point(const struct operation *operation, const struct manner *manner,
                      sepal_ctx *ctx, struct fault fault, const char *wanted) {
    struct result got;
    if (operation->broken == SEPAL_EOUTPUT) save_text("out", old_output);
    ctx->faults[manner->kind] = fault;
    sepal_status status = run(operation, ctx, &got);
    bool hit = atomic_load(&ctx->faults[manner->kind].calls) >= fault.fail_at;
    ctx->faults[manner->kind] = (struct fault){0};
    const char *wrong = check(operation, manner, ctx, status, &got, wanted);
    if (hit && status == SEPAL_OK && must_show(operation, manner)) wrong = "it takes no notice";
    discard(&got);
    sepal_status again = run(operation, ctx, &got);
    if (!wrong && again != SEPAL_OK) wrong = "it fails ever after";
    if (!wrong) wrong = check(operation, manner, ctx, again, &got, wanted);
    discard(&got);
    sepal_ctx_clear_warnings(ctx);
    if (!hit && !wrong) return false;
    points++;
    if (!wrong) return true;
    failures++;
    printf("%s, %s %s %zu: %s (status %d)\n", operation->name, manner->name,
           fault.from_then_on ? "from" : "at", fault.fail_at, wrong, (int)status);
    return hit;
}

/* The point after this one. A task that fits many models has thousands: by day they are taken more and more
   thinly, at night all of them. */
static size_t next_point(size_t at) {
    const char *night = getenv("SEPAL_NIGHTLY"), *thin = getenv("SEPAL_THIN");
    size_t each = thin && strcmp(thin, "1") == 0 ? 20 : 80;
    return at + 1 + (night && strcmp(night, "1") == 0 ? 0 : at / each);
}

static void try_operation(const struct operation *operation, unsigned threads) {
    sepal_ctx *ctx;
    struct result result;
    must(sepal_ctx_new(&ctx) == SEPAL_OK, "context");
    sepal_ctx_set_threads(ctx, threads);
    save_text("out", old_output);
    must(run(operation, ctx, &result) == SEPAL_OK, operation->name);
    char *wanted = print_of(&result);
    discard(&result);
    size_t before = points, files = entries_of("."), open_files = entries_of("/proc/self/fd");
    for (const struct manner *manner = manners; manner < manners + MANNERS; manner++)
        for (int on = 0; on < 2; on++) {
            struct fault fault = manner->fault;
            fault.from_then_on = on;
            fault.fail_at = 1;
            while (try_point(operation, manner, ctx, fault, wanted))
                fault.fail_at = next_point(fault.fail_at);
        }
    printf("%6zu points: %s, threads %u\n", points - before, operation->name, threads);
    if (entries_of(".") != files || entries_of("/proc/self/fd") != open_files) {
        failures++;
        printf("%s: files left behind or open\n", operation->name);
    }
    free(wanted);
    sepal_ctx_free(ctx);
}

int main(void) {
    sepal_ctx *ctx;
    must(sepal_ctx_new(&ctx) == SEPAL_OK, "context");
    make_inputs(ctx);
    for (unsigned threads = 1; threads <= 2; threads++)
        for (size_t i = 0; i < OPERATIONS; i++) try_operation(&operations[i], threads);
    free_inputs();
    sepal_ctx_free(ctx);
    printf("COUNT injection-points %zu %zu\n", points, failures);
    fflush(stdout); /* a leak found at exit would lose it */
    return failures > 0;
}
