/* The way of a row: predict and transform send it through the maps once, with its class and its numbers
   together, and whatever multiplies matrices on the way finds one thread in the BLAS library. The
   linker puts this program between the commands and two functions of the library. */
#include "maps/map_chain.h"
#include "multiclass/multiclass.h"

#include "cli.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

int openblas_get_num_threads(void) __attribute__((weak));
void openblas_set_num_threads(int threads) __attribute__((weak));

/* ---- what is counted ---------------------------------------------------------------------- */

static atomic_size_t mapped, fitted, crowded; /* rows; fits; calls with several BLAS threads */

static void look_at_threads(void) {
    if (openblas_get_num_threads != NULL && openblas_get_num_threads() != 1) crowded++;
}

sepal_status __real_map_chain_block(struct block *out, sepal_ctx *ctx,
                                    const struct map_chain *chain, const struct matrix *x,
                                    size_t first, size_t n);
sepal_status __wrap_map_chain_block(struct block *out, sepal_ctx *ctx,
                                    const struct map_chain *chain, const struct matrix *x,
                                    size_t first, size_t n);
sepal_status __wrap_map_chain_block(struct block *out, sepal_ctx *ctx,
                                    const struct map_chain *chain, const struct matrix *x,
                                    size_t first, size_t n) {
    look_at_threads();
    mapped += n;
    return __real_map_chain_block(out, ctx, chain, x, first, n);
}

sepal_status __real_strategy_fit(struct fit *fit, const struct learner *learner,
                                 const struct strategy *strategy);
sepal_status __wrap_strategy_fit(struct fit *fit, const struct learner *learner,
                                 const struct strategy *strategy);
sepal_status __wrap_strategy_fit(struct fit *fit, const struct learner *learner,
                                 const struct strategy *strategy) {
    look_at_threads();
    fitted++;
    return __real_strategy_fit(fit, learner, strategy);
}

/* ---- the commands ------------------------------------------------------------------------- */

/* 2^21 numbers are fetched at once: fewer than a class for each of the many rows has, or the wide map
   makes of the few. */
enum { FEW = 300, MANY = 1500, MOST_WORDS = 16 };

static int command(const char *const *words) {
    char *all[MOST_WORDS] = {(char *)(uintptr_t) "sepal"};
    int n = 1;
    for (; words[n - 1] != NULL && n < MOST_WORDS; n++) all[n] = (char *)(uintptr_t)words[n - 1];
    mapped = 0;
    fitted = 0;
    crowded = 0;
    return cli_run(n, all);
}

static void perform(const char *const *words) {
    assert_int_equal(command(words), EXIT_DONE);
    assert_int_equal(crowded, 0);
}
#define PERFORM(...) perform((const char *const[]){__VA_ARGS__, NULL})

static bool write_rows(const char *path, int rows, int classes) {
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    fputs("a,b,y\n", file);
    for (int i = 0; i < rows; i++) fprintf(file, "%d,%d,c%d\n", i % 39, i / 39, i % classes);
    return fclose(file) == 0;
}

static int make_files(void **state) {
    (void)state;
    if (!write_rows("few.csv", FEW, 3) || !write_rows("many.csv", MANY, MANY)) return -1;
    if (openblas_set_num_threads != NULL) openblas_set_num_threads(3);
    PERFORM("train", "few.csv", "-m", "poly | lda", "-q", "-o", "few");
    assert_int_equal(fitted, 1);
    PERFORM("train", "many.csv", "--target", "y", "-m", "poly | naive-bayes(kind=multinomial)",
            "-q", "-o", "many");
    PERFORM("train", "many.csv", "--target", "y", "-m", "poly | mean-difference | ovr", "-q", "-o",
            "claims");
    PERFORM("train", "few.csv", "-m", "hash(bits=14) | perceptron(epochs=1)", "-q", "-o", "wide");
    return 0;
}

static char *text_of(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(file);
    char *text = malloc(size + 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    text[size] = '\0';
    return text;
}

/* What a command says on standard error. */
static char *said(const char *const *words) {
    fflush(stderr);
    int kept = dup(STDERR_FILENO), file = open("said", O_RDWR | O_CREAT | O_TRUNC, 0666);
    assert_true(kept >= 0 && file >= 0 && dup2(file, STDERR_FILENO) == STDERR_FILENO);
    int code = command(words);
    assert_true(dup2(kept, STDERR_FILENO) == STDERR_FILENO && close(kept) == 0 && close(file) == 0);
    assert_int_equal(code, EXIT_DONE);
    return text_of("said");
}
#define SAID(...) said((const char *const[]){__VA_ARGS__, NULL})

/* ---- tests -------------------------------------------------------------------------------- */

static void test_few_numbers(void **state) {
    (void)state;
    static const char *const options[] = {"-q", "--scores", "--proba", "--distance", "--json"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        PERFORM("predict", "few", "few.csv", options[i], "-o", "/dev/null");
        assert_int_equal(mapped, FEW);
    }
    PERFORM("predict", "few", "few.csv", "--scores", "--json", "-o", "/dev/null");
    assert_int_equal(mapped, FEW);
    PERFORM("transform", "few", "few.csv", "-o", "/dev/null");
    assert_int_equal(mapped, FEW);
}

/* More than is fetched at once goes to a file as it comes, since that appears only when it is whole.
   Nothing goes to a stream before all rows have been seen, and JSON begins with all labels. */
static void test_many_numbers(void **state) {
    (void)state;
    PERFORM("predict", "many", "many.csv", "--proba", "-o", "out.csv");
    assert_int_equal(mapped, MANY);
    PERFORM("transform", "wide", "few.csv", "-o", "out.csv");
    assert_int_equal(mapped, FEW);
    PERFORM("predict", "many", "many.csv", "--proba", "-o", "/dev/null");
    assert_int_equal(mapped, 2 * MANY);
    PERFORM("transform", "wide", "few.csv", "-o", "/dev/null");
    assert_int_equal(mapped, 2 * FEW);
    PERFORM("transform", "wide", "few.csv", "--json", "-o", "out.json");
    assert_int_equal(mapped, 2 * FEW);
}

/* A draw is a function of the row, wherever the fetching begins. */
static void test_draws(void **state) {
    (void)state;
    PERFORM("predict", "many", "many.csv", "--decide", "soft", "--seed", "5", "-o", "labels");
    PERFORM("predict", "many", "many.csv", "--decide", "soft", "--seed", "5", "--proba", "-o",
            "out.csv");
    char *labels = text_of("labels"), *table = text_of("out.csv"), *line = table;
    for (const char *label = labels; *label != '\0'; label += strcspn(label, "\n") + 1) {
        line = strchr(line, '\n');
        assert_non_null(line++);
        size_t length = strcspn(label, "\n");
        assert_memory_equal(line, label, length);
        assert_int_equal(line[length], ',');
    }
    assert_string_equal(strchr(line, '\n'), "\n");
    free(labels), free(table);
}

static char *ambiguous(const char *path) {
    char *text = text_of(path), *from = strstr(text, "\"ambiguous\"");
    assert_non_null(from);
    char *part = strndup(from, strcspn(from, "}"));
    assert_non_null(part);
    free(text);
    return part;
}

/* Rows whose numbers are fetched again are not counted again. */
static void test_totals_in_json(void **state) {
    (void)state;
    PERFORM("predict", "claims", "many.csv", "--json", "-o", "whole.json");
    PERFORM("predict", "claims", "many.csv", "--json", "--scores", "-o", "parts.json");
    char *whole = ambiguous("whole.json"), *in_parts = ambiguous("parts.json");
    assert_null(strstr(whole, "\"several\":0"));
    assert_string_equal(in_parts, whole);
    free(whole), free(in_parts);
}

static void test_totals(void **state) {
    (void)state;
    char *whole = SAID("predict", "claims", "many.csv", "-o", "out.csv");
    char *in_parts = SAID("predict", "claims", "many.csv", "--scores", "-o", "out.csv");
    char *stream = SAID("predict", "claims", "many.csv", "--scores", "-o", "/dev/null");
    assert_non_null(strstr(whole, "rows claimed by several classes: 1"));
    assert_non_null(strstr(whole, " of 1500, by none: "));
    assert_string_equal(in_parts, whole);
    assert_string_equal(stream, whole);
    free(whole), free(in_parts), free(stream);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_numbers),    cmocka_unit_test(test_many_numbers),
        cmocka_unit_test(test_draws),          cmocka_unit_test(test_totals),
        cmocka_unit_test(test_totals_in_json),
    };
    return cmocka_run_group_tests(tests, make_files, NULL);
}
