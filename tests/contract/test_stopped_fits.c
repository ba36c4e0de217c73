/* A fit that is asked to stop at the k-th look at the user's wish, for k = 1, 2, 3, ... until it comes to
   its end: there is a model, with weights in every row of it, or SEPAL_ECANCEL and a message of what was
   done. Once a fit of one problem has weights, no later wish can take them away; a fit of several has
   no model before its last problem has begun. And the progress line says what its numbers are of. */
#include "contract/convex_problem.h"

#include "learners/learner.h"
#include "linear/linear.h"
#include "model/model.h"

static struct {
    size_t calls, stop_at; /* stop_at 0: never */
    size_t lines, odd;     /* lines told, and those that do not name their problem */
    bool of_many;
} wish;

static int asks(const char *line, void *payload) {
    sepal_ctx *context = payload;
    context->last_progress_ns = 0; /* every line is told */
    wish.calls++;
    if (*line) {
        wish.lines++;
        bool named = strstr(line, "two-class problem ") == line && strstr(line, " of 3");
        bool steps = strstr(line, "step ") == line || strstr(line, "epoch ") == line;
        wish.odd += wish.of_many && steps && !named; /* a proof of separability has other words */
        wish.odd += wish.of_many && strstr(line, "s left") && !strstr(line, "left for all");
    }
    return wish.stop_at && wish.calls >= wish.stop_at;
}

static sepal_data *make_data(size_t rows, size_t cols, size_t classes, bool sparse) {
    struct rng rng = rng_make(test_seed(7), rows * cols + classes);
    double *x = calloc(rows * cols, sizeof *x);
    const char **labels = malloc(rows * sizeof *labels);
    static const char *const names[] = {"a", "b", "c"};
    double apart = cols < 100 ? 1 : 0.4; /* so far that no zero weights are best */
    assert_true(x && labels);
    for (size_t i = 0; i < rows; i++) {
        size_t class = i % classes;
        labels[i] = names[class];
        for (size_t j = 0; j < cols; j++)
            if (!sparse || rng_below(&rng, 40) == 0)
                x[i * cols + j] = rng_normal_at(5, i, j) + (j % classes == class ? apart : 0);
    }
    sepal_data *data;
    assert_int_equal(sepal_data_dense(&data, ctx, x, rows, cols, labels, NULL), SEPAL_OK);
    free(x);
    free(labels);
    return data;
}

static bool rows_have_weights(const struct linear *linear) {
    for (size_t r = 0; r < linear->rows; r++) {
        bool has = false;
        for (size_t j = 0; j < linear->cols; j++) has = has || linear->w[r * linear->cols + j] != 0;
        if (!has) return false;
    }
    return true;
}

struct ending {
    sepal_status status;
    bool interrupted;
    size_t done; /* by the message of SEPAL_ECANCEL */
};

static struct ending fit_until(const char *spec, const char *options, const sepal_data *data,
                               size_t stop_at) {
    struct ending out = {0};
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    wish.calls = 0;
    wish.stop_at = stop_at;
    sepal_ctx_clear_warnings(ctx);
    out.status = sepal_model_fit(&model, &report, ctx, spec, data, options);
    if (out.status == SEPAL_OK) {
        out.interrupted = sepal_report_number(report, "interrupted") == 1;
        assert_string_equal(sepal_ctx_error(ctx), "");
        if (out.interrupted && !rows_have_weights(&model->linear))
            fail_msg("%s: stopped at %zu, a row without weights", spec, stop_at);
    } else {
        assert_int_equal(out.status, SEPAL_ECANCEL);
        assert_null(model);
        const char *message = sepal_ctx_error(ctx);
        assert_true(strstr(message, "interrupted") == message);
        const char *count = strstr(message, "when ");
        if (count) out.done = strtoul(count + 5, NULL, 10);
    }
    sepal_model_free(model);
    sepal_report_free(report);
    return out;
}

struct stopped_case {
    const char *spec, *options;
    size_t rows, cols, classes;
    bool sparse;
    bool one_by_one; /* its problems are fitted one after the other */
};

static void stop_at_every_look(const struct stopped_case *c) {
    sepal_data *data = make_data(c->rows, c->cols, c->classes, c->sparse);
    size_t had = 0, stopped = 0, done = 0, looks = 0;
    wish.of_many = c->one_by_one;
    wish.lines = wish.odd = 0;
    for (size_t k = 1;; k += 1 + k / (c->rows > 5000 ? 2 : 8)) {
        struct ending out = fit_until(c->spec, c->options, data, k);
        if (wish.calls < k) break; /* it was never asked so often: the fit is whole */
        looks++;
        if (out.status == SEPAL_OK) {
            had += 1;
            stopped += out.interrupted;
            continue;
        }
        if (had) fail_msg("%s %s: look %zu lost the weights", c->spec, c->options, k);
        if (out.done < done)
            fail_msg("%s: look %zu, %zu were done before: %s", c->spec, k, done,
                     sepal_ctx_error(ctx));
        done = out.done;
    }
    if (!stopped) fail_msg("%s %s: no stop left a model (%zu looks)", c->spec, c->options, looks);
    /* what says nothing of the classes to come must not be saved */
    if (c->one_by_one) assert_true(done + 1 >= c->classes - 1);
    if (wish.odd)
        fail_msg("%s: %zu of %zu lines do not say of what", c->spec, wish.odd, wish.lines);
    data_free(data);
}

/* More than 128 columns: their products are added up with looks in between. */
static void hessians_of_many_columns(void **state) {
    (void)state;
    static const struct stopped_case cases[] = {
        {"logistic", "solver=newton, tol=1e-12", 300, 140, 2, false, false},
        {"logistic(penalty=none)", "solver=newton, tol=1e-12", 900, 140, 2, false, false},
        {"logistic", "tol=1e-12", 9100, 140, 2, false, false}, /* begins with a sample */
        {"svm", "solver=newton, tol=1e-12", 300, 140, 2, false, false},
        {"svm(loss=hinge)", "solver=interior, tol=1e-9", 300, 140, 2, false, false},
        {"logistic(l1=1e-3)", "tol=1e-10", 400, 200, 2, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) stop_at_every_look(&cases[i]);
}

static void one_problem(void **state) {
    (void)state;
    static const struct stopped_case cases[] = {
        {"logistic", "solver=newton, tol=1e-9", 200, 5, 2, false, false},
        {"logistic", "solver=newton-cg, tol=1e-9", 200, 5, 2, false, false},
        {"logistic", "solver=lbfgs, tol=1e-9", 200, 5, 2, false, false},
        {"logistic(epochs=8)", "solver=sgd", 200, 5, 2, false, false},
        {"softmax", "solver=lbfgs, tol=1e-9", 200, 5, 3, false, false},
        {"softmax", "solver=dual, tol=1e-6", 100, 5, 3, false, false},
        {"softmax(loss=mse)", "tol=1e-9", 200, 5, 3, false, false},
        {"softmax(epochs=8)", "solver=sgd", 200, 5, 3, false, false},
        {"svm", "solver=dual, tol=1e-9", 200, 60, 2, true, false},
        {"svm(loss=hinge, penalty=l1)", "tol=1e-3", 60, 4, 2, false, false},
        {"svm(loss=crammer_singer)", "tol=1e-9", 200, 5, 3, false, false},
        {"svm(loss=crammer_singer)", "solver=dual, tol=1e-4", 60, 5, 3, false, false},
        {"perceptron(epochs=8)", "", 200, 5, 2, false, false},
        {"perceptron(variant=batch, epochs=8)", "", 200, 5, 2, false, false},
        {"perceptron(variant=minibatch, epochs=8)", "", 200, 5, 2, false, false},
        {"perceptron(variant=pocket, epochs=8)", "", 200, 5, 2, false, false},
        {"perceptron(variant=averaged, epochs=8)", "", 200, 5, 2, false, false},
        {"perceptron(variant=delta, eta=0.01, epochs=8)", "", 200, 5, 2, false, false},
        {"perceptron(epochs=8) | machine", "", 200, 5, 3, false, false},
        {"least-squares", "solver=lsqr", 200, 60, 2, true, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) stop_at_every_look(&cases[i]);
}

static void many_problems(void **state) {
    (void)state;
    static const char *const reductions[] = {"ovr", "ovr-1", "ovo"};
    static const struct {
        const char *learner, *options;
    } table[] = {{"logistic", "solver=newton-cg, tol=1e-9"},
                 {"logistic(epochs=4)", "solver=sgd"},
                 {"svm", "solver=newton-cg"},
                 {"perceptron(epochs=4)", ""},
                 {"least-squares", "solver=lsqr"},
                 {"svm(loss=hinge)", "solver=interior, tol=1e-6"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (size_t r = 0; r < 3; r++) {
            char spec[128];
            (void)snprintf(spec, sizeof spec, "%s | %s", table[i].learner, reductions[r]);
            struct stopped_case c = {spec, table[i].options, 150, 4, 3, false, r != 1};
            stop_at_every_look(&c);
        }
    /* all classes at once: they have weights together */
    struct stopped_case together = {"svm | ovr", "tol=1e-9", 600, 800, 3, true, false};
    stop_at_every_look(&together);
}

/* 3 seconds left of the first of ten are 30; and those that are done count as long as they took. */
static void time_left_is_of_all(void **state) {
    (void)state;
    assert_true(fit_left(0, 3, 0, 10) == 30);
    assert_true(fit_left(27, 3, 0, 10) == 273);
    assert_true(fit_left(90, 0, 8, 10) == 10);
    assert_true(fit_left(90, 4, 9, 10) == 4);
    assert_true(fit_left(5, 4, 0, 1) == 4);
}

static int listen(void **state) {
    if (set_up(state) != 0) return 1;
    sepal_ctx_set_progress(ctx, asks, ctx);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hessians_of_many_columns),
        cmocka_unit_test(one_problem),
        cmocka_unit_test(many_problems),
        cmocka_unit_test(time_left_is_of_all),
    };
    return cmocka_run_group_tests(tests, listen, tear_down);
}
