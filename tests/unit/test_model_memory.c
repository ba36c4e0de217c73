/* Loading any file takes less than four times its bytes and 16 MB, whatever it says about itself.
   Each load runs in a child, whose peak of resident memory the kernel counts. */
#include "model_attacks.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MB = 1 << 20 };

/* ---- measuring ---------------------------------------------------------------------------- */

/* A line "VmHWM:  1234 kB" of our status, in bytes. */
static size_t memory_fact(const char *key) {
    char text[4096];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    assert_true(size > 0);
    text[size] = '\0';
    const char *line = strstr(text, key);
    return line ? 1024 * strtoul(line + strlen(key) + 1, NULL, 10) : 0;
}

/* Lets the peak begin at what is in use now; false where the kernel does not do that. */
static bool forget_peak(void) {
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, "5", 1) == 1;
    if (fd >= 0) close(fd);
    return done;
}

struct outcome {
    sepal_status status;
    bool measured;
    size_t peak;
    char message[256];
};

static struct outcome load_here(const char *path) {
    struct outcome outcome = {0};
    malloc_trim(0);
    outcome.measured = forget_peak();
    size_t before = memory_fact("VmRSS");
    sepal_model *model;
    outcome.status = model_load(&model, &ctx, path);
    outcome.peak = memory_fact("VmHWM") - before;
    (void)snprintf(outcome.message, sizeof outcome.message, "%.255s", ctx.error.message);
    if (outcome.status == SEPAL_OK) model_free(model);
    return outcome;
}

static struct outcome load_in_child(const char *path) {
    struct outcome outcome;
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        outcome = load_here(path);
        _exit(write(ends[1], &outcome, sizeof outcome) != sizeof outcome);
    }
    assert_int_equal(read(ends[0], &outcome, sizeof outcome), sizeof outcome);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return outcome;
}

/* Writes the parts and frees them; `why` NULL: it is a model. */
static void check(const char *what, struct parts *parts, const char *why) {
    write_parts(parts);
    free_parts(parts);
    int fd = open("bad.sepal", O_RDONLY | O_CLOEXEC);
    size_t size = (size_t)lseek(fd, 0, SEEK_END);
    close(fd);
    struct outcome outcome = load_in_child("bad.sepal");
    bool right = why ? outcome.status == SEPAL_EMODEL && strstr(outcome.message, why)
                     : outcome.status == SEPAL_OK;
    print_message("%-34s %7.1f MB file, %7.1f MB memory\n", what, (double)size / MB,
                  (double)outcome.peak / MB);
    if (!right) print_error("%s: status %d, %s\n", what, (int)outcome.status, outcome.message);
    assert_true(right);
/* the sanitizers keep what was freed, and notes on every byte */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (outcome.measured) assert_true(outcome.peak <= 4 * size + 16 * MB);
#endif
}

/* ---- honest files ------------------------------------------------------------------------- */

static char no_yes_text[] = "[\"no\",\"yes\"]";
static const struct bytes no_yes = {no_yes_text, sizeof no_yes_text - 1};

static void many_weights(void **state) {
    (void)state;
    struct parts parts = craft(&(struct crafted){2, 4 * MB, no_yes, {0}});
    check("4 M indexed columns", &parts, NULL);
}

static void many_classes(void **state) {
    (void)state;
    enum { N = 1 << 20 };
    char *list = malloc(10 * N + 3), *at = list;
    assert_non_null(list);
    for (size_t k = 0; k < N; k++) at += sprintf(at, "%c\"%05zx\"", k ? ',' : '[', k);
    at = stpcpy(at, "]");
    struct parts parts = craft(&(struct crafted){N, 1, {list, (size_t)(at - list)}, {0}});
    free(list);
    check("1 M classes", &parts, NULL);
}

/* The shortest categories there can be: their pointers take more than their text. */
static void many_categories(void **state) {
    (void)state;
    enum { COLUMNS = 400, CATEGORIES = 4096 };
    static const char letters[] =
        "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    char *list = malloc((size_t)COLUMNS * (CATEGORIES * 5 + 200)), *at = list;
    assert_non_null(list);
    for (size_t i = 0; i < COLUMNS; i++) {
        at += sprintf(at, "%c{\"name\":\"%zu\",\"position\":%zu,\"categories\":", i ? ',' : '[', i,
                      i);
        for (int k = 0; k < CATEGORIES; k++)
            at += sprintf(at, "%c\"%c%c\"", k ? ',' : '[', letters[k / 64], letters[k % 64]);
        at = stpcpy(at, "],\"fill\":null,\"indicator\":false}");
    }
    at = stpcpy(at, "]");
    struct parts parts = craft(
        &(struct crafted){2, (size_t)COLUMNS * CATEGORIES, no_yes, {list, (size_t)(at - list)}});
    free(list);
    check("1.6 M categories", &parts, NULL);
}

static void many_columns(void **state) {
    (void)state;
    enum { N = 400 * 1000 };
    char *list = malloc((size_t)N * 100), *at = list;
    assert_non_null(list);
    for (size_t i = 0; i < N; i++)
        at += sprintf(at,
                      "%c{\"name\":\"%zx\",\"position\":%zu,\"categories\":null,\"fill\":null,"
                      "\"indicator\":false}",
                      i ? ',' : '[', i, i);
    at = stpcpy(at, "]");
    struct parts parts = craft(&(struct crafted){2, N, no_yes, {list, (size_t)(at - list)}});
    free(list);
    check("400,000 named columns", &parts, NULL);
}

/* ---- hostile files ------------------------------------------------------------------------ */

/* A header of 10 MB. */
static void long_headers(void **state) {
    (void)state;
    static const char *const units[] = {"[", "{\"a\":", "0,", "\"\",", " "};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct parts parts = craft(&(struct crafted){2, 1, no_yes, {0}});
        char *header = malloc(11 * MB), *at;
        assert_non_null(header);
        at = stpcpy(stpcpy(header, parts.header) - 1, ",\"x\":[");
        while (at < header + 10 * MB) at = stpcpy(at, units[i]);
        stpcpy(at, "0]}");
        free(parts.header);
        parts.header = header;
        check("a header of 10 MB", &parts, "too long");
    }
}

/* A list of 10 MB that is one unit again and again. */
static void long_lists(void **state) {
    (void)state;
    static const struct {
        const char *begin, *unit, *end, *why;
    } lists[] = {
        {"[", "[", "]", "not a JSON array"},
        {"[[[", "],[", "]]]", "more than 16384 values"},
        {"[", "{},", "0]", "columns do not fit"},
        {"[{\"name\":[", "0,", "0]}]", "more than 16384 values"},
        {"[{\"name\":", "[", "0]}]", "not a JSON array"},
        {"[{\"name\":\"", "xxxxxxxxxxxxxxxx", "\"}]", "longer than"},
        {"[{\"name\":\"", "\\u0001", "\"}]", "longer than"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char *list = malloc(11 * MB), *at;
        assert_non_null(list);
        at = stpcpy(list, lists[i].begin);
        while (at < list + 10 * MB) at = stpcpy(at, lists[i].unit);
        at = stpcpy(at, lists[i].end);
        struct parts parts = craft(&(struct crafted){2, 1, no_yes, {list, (size_t)(at - list)}});
        free(list);
        check(lists[i].unit, &parts, lists[i].why);
    }
}

/* One column of 40 MB: the longest texts, as many as there may be. */
static void long_column(void **state) {
    (void)state;
    enum { TEXTS = 40, LENGTH = MB - 16 };
    char *list = malloc((size_t)(TEXTS + 1) * MB), *at;
    assert_non_null(list);
    at = stpcpy(list, "[{\"name\":\"a\",\"position\":0,\"categories\":");
    for (int k = 0; k < TEXTS; k++) {
        at += sprintf(at, "%c\"%02d", k ? ',' : '[', k);
        memset(at, 'x', LENGTH);
        at = stpcpy(at + LENGTH, "\"");
    }
    at = stpcpy(at, "],\"fill\":null,\"indicator\":false}]");
    struct parts parts = craft(&(struct crafted){2, TEXTS, no_yes, {list, (size_t)(at - list)}});
    free(list);
    check("40 categories of 1 MB", &parts, "longer than");
}

static void promised_sizes(void **state) {
    (void)state;
    for (int columns = 1; columns <= 2; columns++) {
        struct parts parts = craft(&(struct crafted){2, 1, no_yes, {0}});
        replace(parts.header,
                "'shape':[1,1],'data_offsets':[0,8]},'bias':{'dtype':'F64','shape':[1],"
                "'data_offsets':[8,16]}",
                columns == 1 ? "'shape':[1,2147483647],'data_offsets':[0,17179869176]},'bias':"
                               "{'dtype':'F64','shape':[1],'data_offsets':[17179869176,"
                               "17179869184]}"
                             : "'shape':[1048576,2147483647],'data_offsets':[0,18014398501093376]},"
                               "'bias':{'dtype':'F64','shape':[1048576],'data_offsets':["
                               "18014398501093376,18014398509481984]}");
        check("gigabytes and petabytes promised", &parts, columns == 1 ? "cut short" : "not sound");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(many_weights, fresh),
        cmocka_unit_test_setup(many_classes, fresh),
        cmocka_unit_test_setup(many_categories, fresh),
        cmocka_unit_test_setup(many_columns, fresh),
        cmocka_unit_test_setup(long_headers, fresh),
        cmocka_unit_test_setup(long_lists, fresh),
        cmocka_unit_test_setup(long_column, fresh),
        cmocka_unit_test_setup(promised_sizes, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
