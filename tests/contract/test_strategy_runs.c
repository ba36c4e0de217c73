/* Reductions in hard times: what they refuse, one result at any number of threads, memory that runs
   out, warnings of many problems, Ctrl-C and time limits in the middle. */
#include "contract/strategy_problem.h"

#include "core/clock.h"
#include "report/report.h"

#include <unistd.h>

static const char *const reductions[] = {"ovr", "ovr-1", "ovo"};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

static void expect(const sepal_data *data, const char *spec, sepal_status status,
                   const char *words) {
    sepal_model *model = NULL;
    sepal_status found = sepal_model_fit(&model, NULL, ctx, spec, data, NULL);
    if (found != status || !strstr(ctx->error.message, words))
        fail_msg("%s: status %d, '%s'", spec, (int)found, ctx->error.message);
    assert_null(model);
}

/* ---- refused ----------------------------------------------------------------------------------- */

static void test_no_machine(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(31), 1);
    size_t refused = 0;
    for (size_t K = 2; K <= 3; K++) {
        struct problem p = any_problem(&rng, K, 2);
        sepal_data *data = problem_data(&p, ctx, false);
        for (size_t l = 0; learner_table[l]; l++) {
            char spec[64];
            if (learner_table[l]->machine || learner_table[l]->sets) continue;
            snprintf(spec, sizeof spec, "%s | machine", learner_table[l]->name);
            for (size_t other = 0; learner_table[other]; other++)
                if (learner_table[other]->machine)
                    expect(data, spec, SEPAL_EUSAGE, learner_table[other]->name);
            expect(data, spec, SEPAL_EUSAGE, "ovr, ovr-1 or ovo");
            refused++;
        }
        data_free(data);
        problem_free(&p);
    }
    assert_true(refused >= 4);
}

/* A row a class, of classes as many as there are names. */
static sepal_data *crowd(size_t classes) {
    double *x = malloc(2 * classes * sizeof *x);
    char(*names)[24] = malloc(classes * sizeof *names);
    const char **labels = malloc(2 * classes * sizeof *labels);
    for (size_t i = 0; i < 2 * classes; i++) {
        x[i] = (double)(i % classes);
        if (i < classes) snprintf(names[i], sizeof names[i], "%zu", i);
        labels[i] = names[i % classes];
    }
    sepal_data *data = NULL;
    assert_int_equal(sepal_data_dense(&data, ctx, x, 2 * classes, 1, labels, NULL), SEPAL_OK);
    free(x), free(names), free(labels);
    return data;
}

static void test_many_classes(void **state) {
    (void)state;
    sepal_data *data = crowd(513);
    expect(data, "perceptron | ovo", SEPAL_EDATA, "131328 pairs, more than ovo fits (512 classes");
    expect(data, "perceptron | ovo", SEPAL_EDATA, "use ovr or machine");
    expect(data, "mean-difference | ovo", SEPAL_EDATA, "use ovr");
    data_free(data);
    data = crowd(1000);
    expect(data, "perceptron | ovo", SEPAL_EDATA, "1000 classes");
    sepal_model *model = fit_spec(data, "perceptron(epochs=1) | ovr");
    assert_int_equal(model->linear.rows, 1000);
    sepal_model_free(model);
    data_free(data);
    data = crowd(60);
    model = fit_spec(data, "mean-difference | ovo");
    assert_int_equal(model->linear.rows, 60 * 59 / 2);
    sepal_model_free(model);
    data_free(data);
}

/* What a problem refuses is said with the names of its classes. */
static void test_which_problem(void **state) {
    (void)state;
    static const double x[] = {0, 2, 1, 1, 5, 7};
    static const char *const labels[] = {"ant", "ant", "bee", "bee", "cow", "cow"};
    sepal_data *data = NULL;
    assert_int_equal(sepal_data_dense(&data, ctx, x, 6, 1, labels, NULL), SEPAL_OK);
    expect(data, "mean-difference | ovo", SEPAL_EDATA, "'bee' against 'ant'");
    expect(data, "gaussian | ovr", SEPAL_EDATA, "'bee' against the rest");
    expect(data, "lda(priors=\"0.2,0.3,0.5\") | ovr", SEPAL_EUSAGE, "all 3 classes");
    expect(data, "lda(priors=\"0.5,0.5\") | ovo", SEPAL_EUSAGE, "fits two at a time");
    data_free(data);
}

/* ---- the same at any number of threads --------------------------------------------------------- */

static size_t file_bytes(const char *path, char **out) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    *out = malloc((size_t)size);
    assert_int_equal(fread(*out, 1, (size_t)size, file), (size_t)size);
    (void)fclose(file);
    return (size_t)size;
}

static void test_threads(void **state) {
    (void)state;
    static const unsigned threads[] = {1, 2, 5};
    struct rng rng = rng_make(test_seed(32), 1);
    struct problem p = problem_new(&rng, 9000, 7, 4); /* some blocks of rows */
    for (size_t i = 0; i < p.rows * p.cols; i++) p.x[i] = fabs(p.x[i]);
    problem_weigh(&p, &rng);
    sepal_data *data = problem_data(&p, ctx, false);
    for (size_t l = 0; learner_table[l]; l++)
        for (size_t which = 0; which < REDUCTIONS && !learner_table[l]->sets; which++) {
            char spec[64], *first = NULL, *again = NULL;
            size_t size = 0;
            snprintf(spec, sizeof spec, "minmax | %s%s | %s", learner_table[l]->name,
                     strcmp(learner_table[l]->name, "perceptron") == 0 ? "(epochs=2)" : "",
                     reductions[which]);
            for (size_t t = 0; t < 3; t++) {
                sepal_ctx_set_threads(ctx, threads[t]);
                sepal_model *model = fit_spec(data, spec);
                assert_int_equal(sepal_model_save(ctx, model, "threads.sepal"), SEPAL_OK);
                sepal_model_free(model);
                if (t == 0) {
                    size = file_bytes("threads.sepal", &first);
                    continue;
                }
                assert_int_equal(file_bytes("threads.sepal", &again), size);
                assert_memory_equal(first, again, size);
                free(again);
            }
            free(first);
        }
    sepal_ctx_set_threads(ctx, 1);
    unlink("threads.sepal");
    data_free(data);
    problem_free(&p);
}

/* ---- memory ------------------------------------------------------------------------------------ */

static void test_memory(void **state) {
    (void)state;
    static const char *const specs[] = {"gaussian | ovo", "lda | ovr",
                                        "standardize | perceptron(epochs=2) | ovo",
                                        "naive-bayes | ovr-1", "logistic | ovr"};
    struct rng rng = rng_make(test_seed(33), 1);
    struct problem p = any_problem(&rng, 3, 3);
    sepal_data *data = problem_data(&p, ctx, true);
    size_t points = 0;
    for (size_t s = 0; s < 5; s++) {
        sepal_model *whole = fit_spec(data, specs[s]), *model = NULL;
        const struct linear *right = &whole->linear;
        for (size_t at = 1; !model; at++, points++) {
            sepal_report *report = NULL;
            ctx->faults[FAULT_ALLOC] = (struct fault){.fail_at = at};
            sepal_status status = sepal_model_fit(&model, &report, ctx, specs[s], data, NULL);
            ctx->faults[FAULT_ALLOC].fail_at = 0;
            if (status != SEPAL_OK) assert_int_equal(status, SEPAL_EMEMORY);
            assert_true((status == SEPAL_OK) == (model && report));
            sepal_report_free(report);
            /* a warning that could not be kept is no failure */
            if (model && atomic_load(&ctx->faults[FAULT_ALLOC].calls) >= at) {
                assert_memory_equal(model->linear.w, right->w,
                                    right->rows * right->cols * sizeof *right->w);
                sepal_model_free(model);
                model = NULL;
            }
        }
        assert_memory_equal(model->linear.b, right->b, right->rows * sizeof *right->b);
        sepal_model_free(model);
        sepal_model_free(whole);
    }
    printf("COUNT injection-points %zu 0\n", points);
    sepal_ctx_clear_warnings(ctx);
    data_free(data);
    problem_free(&p);
}

/* ---- warnings ---------------------------------------------------------------------------------- */

static void expect_warning(const char *code, const char *words) {
    assert_int_equal(warnings_of(code), 1);
    for (size_t i = 0; i < ctx->n_warnings; i++)
        if (strcmp(ctx->warnings[i].code, code) == 0 && !strstr(ctx->warnings[i].message, words))
            fail_msg("%s: %s", code, ctx->warnings[i].message);
}

/* Two kinds of warnings, from some or all problems: one line each, in the order in which they came,
   behind those that were there before. */
static void test_warnings(void **state) {
    (void)state;
    struct rng rng = rng_make(34, 1); /* fixed: three of four classes overlap */
    struct problem p = problem_new(&rng, 80, 3, 4);
    for (size_t i = 0; i < p.rows; i++) {
        p.x[i * 3 + 2] = p.x[i * 3 + 1]; /* a singular scatter */
        if (p.label[i] == 1) p.x[i * 3] += 100;
    }
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_ctx_clear_warnings(ctx);
    warn(ctx, "earlier", "this was here before");
    sepal_model_free(fit_spec(data, "perceptron(epochs=4) | ovr"));
    assert_int_equal(ctx->n_warnings, 2);
    assert_string_equal(ctx->warnings[0].code, "earlier");
    expect_warning("not-separable",
                   "in 3 of the 4 two-class problems (first 'c00' against the rest)");
    sepal_ctx_clear_warnings(ctx);
    sepal_model_free(fit_spec(data, "lda | ovo"));
    assert_int_equal(ctx->n_warnings, 1);
    expect_warning("singular-scatter",
                   "in 6 of the 6 two-class problems (first 'c01' against 'c00')");
    sepal_ctx_clear_warnings(ctx);
    sepal_model_free(fit_spec(data, "lda(shrinkage=0.1) | ovo"));
    assert_int_equal(ctx->n_warnings, 0);
    data_free(data);
    problem_free(&p);
}

/* ---- Ctrl-C and time --------------------------------------------------------------------------- */

struct patience {
    size_t calls, most;
};

static int count_calls(const char *line, void *payload) {
    struct patience *patience = payload;
    (void)line;
    return ++patience->calls > patience->most;
}

static bool same_weights(const sepal_model *a, const sepal_model *b) {
    const struct linear *x = &a->linear, *y = &b->linear;
    return x->rows == y->rows && memcmp(x->b, y->b, x->rows * sizeof *x->b) == 0 &&
           memcmp(x->w, y->w, x->rows * x->cols * sizeof *x->w) == 0;
}

/* Stopped at the first, second, ... question: nothing and a word, or a model that says what it is. The
   last questions come when the weights are there (the perceptron asks whether the classes can be
   separated at all after its last epoch): such a fit was not cut short, and has the weights of one that
   was left alone. */
static void test_interrupts(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(35), 1);
    struct problem p = any_problem(&rng, 4, 3);
    sepal_data *data = problem_data(&p, ctx, false);
    size_t saved = 0, dropped = 0;
    for (size_t l = 0; learner_table[l]; l++)
        for (size_t which = 0; which < REDUCTIONS && !learner_table[l]->sets; which++) {
            char spec[64];
            struct patience patience = {0};
            snprintf(spec, sizeof spec, "%s | %s", learner_table[l]->name, reductions[which]);
            sepal_ctx_set_progress(ctx, NULL, NULL);
            sepal_model *whole = fit_spec(data, spec);
            do {
                sepal_model *model = NULL;
                sepal_report *report = NULL;
                sepal_ctx_clear_warnings(ctx);
                patience.calls = 0;
                sepal_ctx_set_progress(ctx, count_calls, &patience);
                sepal_status status = sepal_model_fit(&model, &report, ctx, spec, data, NULL);
                saved += status == SEPAL_OK && sepal_report_number(report, "interrupted") == 1;
                if (status == SEPAL_OK && sepal_report_number(report, "interrupted") == 0)
                    assert_true(same_weights(model, whole));
                if (status != SEPAL_OK) {
                    assert_int_equal(status, SEPAL_ECANCEL);
                    if (!strstr(ctx->error.message, "interrupted"))
                        print_error("%s: %s\n", spec, ctx->error.message);
                    assert_non_null(strstr(ctx->error.message, "interrupted"));
                    dropped++;
                }
                sepal_report_free(report);
                sepal_model_free(model);
                patience.most += 1 + patience.most / 8;
            } while (patience.calls > patience.most - (1 + patience.most / 8));
            sepal_model_free(whole);
        }
    assert_true(saved > 3 && dropped > 20);
    sepal_ctx_set_progress(ctx, NULL, NULL);
    sepal_ctx_clear_warnings(ctx);
    data_free(data);
    problem_free(&p);
}

/* Every problem has its share of the time: the first does not leave the others with one pass. */
static void test_time(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(36), 1);
    struct problem p = problem_new(&rng, 300, 3, 4);
    for (size_t i = 4; i < p.rows; i++) p.label[i] = (int)rng_below(&rng, 4); /* nothing to learn */
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    uint64_t start = clock_ns();
    assert_int_equal(sepal_model_fit(&model, &report, ctx, "perceptron(epochs=1e12) | ovr", data,
                                     "max-seconds=1.2"),
                     SEPAL_OK);
    assert_true(clock_seconds_since(start) >= 1.1);
    assert_string_equal(sepal_report_string(report, "stopped"), "time limit");
    assert_true(sepal_report_number(report, "converged") == 0);
    assert_true(sepal_report_number(report, "interrupted") == 0);
    const struct tree *problems = tree_find(report->root, "problems");
    assert_int_equal(problems->count, 4);
    for (const struct tree *one = problems->first; one; one = one->next)
        assert_true(tree_find(one, "iterations")->number > 10);
    assert_int_equal(warnings_of("cut-short"), 0);
    sepal_report_free(report);
    sepal_model_free(model);
    sepal_ctx_clear_warnings(ctx);
    data_free(data);
    problem_free(&p);
}

/* A fit has converged when each of its problems has, whichever comes last: here only the last class can
   be told from the rest. */
static void test_all_must_converge(void **state) {
    (void)state;
    double x[] = {0, 1, 0, 1, 9, 8};
    int label[] = {0, 0, 1, 1, 2, 2};
    struct problem p = {.rows = 6, .cols = 1, .classes = 3, .x = x, .label = label};
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    const char *spec = "perceptron(epochs=50) | ovr";
    assert_int_equal(sepal_model_fit(&model, &report, ctx, spec, data, NULL), SEPAL_OK);
    const struct tree *last = tree_find(report->root, "problems")->last;
    assert_true(tree_find(last, "converged")->truth);
    assert_true(sepal_report_number(report, "converged") == 0);
    sepal_report_free(report);
    sepal_model_free(model);
    data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_must_converge),
        cmocka_unit_test(test_no_machine),
        cmocka_unit_test(test_many_classes),
        cmocka_unit_test(test_which_problem),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_interrupts),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
