/* One model, one data set and one report used by many threads at once, each with a context of its own:
   all get the bits that one thread gets. The thread sanitizer watches. */
#include "sepal/sepal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>

enum { ROWS = 300, COLUMNS = 3, CLASSES = 3, USERS = 4, ROUNDS = 3 };

static const char *const specs[] = {"lda",
                                    "gaussian",
                                    "naive-bayes",
                                    "poly | logistic",
                                    "standardize | svm | ovo",
                                    "rbf | perceptron(epochs=3)",
                                    "hash(bits=4) | least-squares",
                                    "fourier(features=20) | logistic | ovr-1"};
enum { SPECS = sizeof specs / sizeof *specs };

struct shared {
    const sepal_data *data;
    const sepal_model *model;
    const sepal_report *report;
    const char *spec;
};

struct answer {
    double score[ROWS * CLASSES];
    int32_t class[ROWS];
    double accuracy;
    char *inspected, *printed;
    bool failed;
};

struct user {
    const struct shared *shared;
    size_t number;
    struct answer answer;
};

static sepal_status save_own(sepal_ctx *ctx, const sepal_model *model, size_t number) {
    char path[40];
    snprintf(path, sizeof path, "shared-%zu.sepal", number);
    sepal_model *loaded = NULL;
    sepal_status status = sepal_model_save(ctx, model, path);
    if (status == SEPAL_OK) status = sepal_model_load(&loaded, ctx, path);
    sepal_model_free(loaded);
    return status;
}

static sepal_status use(struct answer *out, sepal_ctx *ctx, const struct shared *shared,
                        size_t number) {
    sepal_report *judged = NULL, *inspected = NULL;
    sepal_model *again = NULL;
    sepal_status all[8] = {SEPAL_OK};
    all[0] = sepal_model_scores(out->score, ctx, shared->model, shared->data);
    all[1] = sepal_model_predict(out->class, ctx, shared->model, shared->data);
    all[2] = sepal_model_evaluate(&judged, ctx, shared->model, shared->data, NULL);
    all[3] = sepal_model_inspect(&inspected, ctx, shared->model);
    if (inspected) all[4] = sepal_report_json(&out->inspected, ctx, inspected, "inspect");
    all[5] = sepal_report_json(&out->printed, ctx, shared->report, "train");
    all[6] = save_own(ctx, shared->model, number);
    all[7] = sepal_model_fit(&again, NULL, ctx, shared->spec, shared->data, NULL);
    out->accuracy = judged ? sepal_report_number(judged, "accuracy") : -1;
    sepal_model_free(again);
    sepal_report_free(judged);
    sepal_report_free(inspected);
    for (size_t i = 0; i < 8; i++)
        if (all[i] != SEPAL_OK) return all[i];
    return SEPAL_OK;
}

static void answer_clear(struct answer *answer) {
    sepal_text_free(answer->inspected);
    sepal_text_free(answer->printed);
    answer->inspected = answer->printed = NULL;
}

static void *work(void *payload) {
    struct user *user = payload;
    for (size_t round = 0; round < ROUNDS; round++) {
        sepal_ctx *ctx = NULL;
        answer_clear(&user->answer);
        if (sepal_ctx_new(&ctx) != SEPAL_OK) {
            user->answer.failed = true;
            return NULL;
        }
        sepal_ctx_set_threads(ctx, user->number % 2 + 1);
        if (use(&user->answer, ctx, user->shared, user->number) != SEPAL_OK)
            user->answer.failed = true;
        sepal_ctx_free(ctx);
    }
    return NULL;
}

static sepal_data *make_rows(sepal_ctx *ctx) {
    static double x[ROWS * COLUMNS];
    static const char *labels[ROWS];
    static const char *const names[] = {"a", "b", "c"};
    uint32_t bits = 7;
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = names[i % CLASSES];
        for (size_t j = 0; j < COLUMNS; j++) {
            bits = bits * 1664525U + 1013904223U;
            x[i * COLUMNS + j] = (double)(bits >> 16) / 8192 + (i % CLASSES == j ? 3 : 0);
        }
    }
    sepal_data *data = NULL;
    assert_int_equal(sepal_data_dense(&data, ctx, x, ROWS, COLUMNS, labels, NULL), SEPAL_OK);
    return data;
}

static void check_spec(sepal_ctx *ctx, const sepal_data *data, const char *spec) {
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    if (sepal_model_fit(&model, &report, ctx, spec, data, NULL) != SEPAL_OK)
        fail_msg("%s: %s", spec, sepal_ctx_error(ctx));
    struct shared shared = {data, model, report, spec};
    static struct user users[USERS], alone;
    pthread_t threads[USERS];
    sepal_ctx_clear_warnings(ctx);
    assert_int_equal(use(&alone.answer, ctx, &shared, USERS), SEPAL_OK);
    for (size_t i = 0; i < USERS; i++) {
        users[i] = (struct user){.shared = &shared, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &users[i]), 0);
    }
    for (size_t i = 0; i < USERS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < USERS; i++) {
        struct answer *got = &users[i].answer, *due = &alone.answer;
        if (got->failed) fail_msg("%s: thread %zu failed", spec, i);
        size_t scores = ROWS * sepal_model_outputs(model, SEPAL_SCORES);
        assert_memory_equal(got->score, due->score, scores * sizeof *got->score);
        assert_memory_equal(got->class, due->class, sizeof got->class);
        assert_true(got->accuracy == due->accuracy);
        assert_string_equal(got->inspected, due->inspected);
        assert_non_null(strstr(got->printed, "\"accuracy\""));
        answer_clear(got);
    }
    answer_clear(&alone.answer);
    sepal_report_free(report);
    sepal_model_free(model);
}

static void many_threads_share(void **state) {
    (void)state;
    sepal_ctx *ctx = NULL;
    assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
    sepal_data *data = make_rows(ctx);
    for (size_t s = 0; s < SPECS; s++) check_spec(ctx, data, specs[s]);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_threads_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
