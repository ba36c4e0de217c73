/* Laws that hold for every row of the tables: a new learner, map or option is tested the day it
   lands. */
#include "sepal/sepal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Options that the commands have beside those of the tables. */
static const char *const command_options[] = {
    "method", "output",   "test",       "holdout", "positive", "seed",    "trace",
    "strict", "threads",  "json",       "quiet",   "help",     "verbose", "scores",
    "proba",  "distance", "likelihood", "to",      "rows"};

static const sepal_kind kinds[] = {SEPAL_LEARNER,       SEPAL_MAP,         SEPAL_STRATEGY,
                                   SEPAL_SOLVER,        SEPAL_FORMAT,      SEPAL_METRIC,
                                   SEPAL_READ_OPTION,   SEPAL_FIT_OPTION,  SEPAL_PREDICT_OPTION,
                                   SEPAL_SAMPLE_OPTION, SEPAL_PATH_OPTION, SEPAL_EVALUATE_OPTION,
                                   SEPAL_PLOT,          SEPAL_PLOT_OPTION};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static bool is_word(const char *name) {
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == strlen(name);
}

static void rows_are_whole(void **state) {
    (void)state;
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        size_t n = sepal_method_count(kinds[kind]);
        assert_true(n > 0);
        for (size_t i = 0; i < n; i++) {
            sepal_method method = {.size = sizeof method};
            sepal_param param = {.size = sizeof param};
            assert_true(sepal_method_at(kinds[kind], i, &method) == SEPAL_OK);
            assert_true(is_word(method.name) && *method.summary);
            for (size_t p = 0; p < method.n_params; p++) {
                assert_true(sepal_param_at(kinds[kind], i, p, &param) == SEPAL_OK);
                assert_true(param.name && *param.help && param.range);
            }
            assert_false(sepal_param_at(kinds[kind], i, method.n_params, &param) == SEPAL_OK);
        }
        sepal_method past = {.size = sizeof past};
        assert_false(sepal_method_at(kinds[kind], n, &past) == SEPAL_OK);
    }
}

/* --parameter V must mean one thing. */
static void no_parameter_has_the_name_of_an_option(void **state) {
    (void)state;
    static const sepal_kind tables[] = {SEPAL_READ_OPTION, SEPAL_FIT_OPTION};
    for (size_t i = 0; i < sepal_method_count(SEPAL_LEARNER); i++) {
        sepal_param parameter = {.size = sizeof parameter}, option = {.size = sizeof option};
        for (size_t p = 0; sepal_param_at(SEPAL_LEARNER, i, p, &parameter) == SEPAL_OK; p++) {
            for (size_t o = 0; o < sizeof command_options / sizeof *command_options; o++)
                assert_string_not_equal(parameter.name, command_options[o]);
            for (size_t t = 0; t < 2; t++)
                for (size_t o = 0; sepal_param_at(tables[t], 0, o, &option) == SEPAL_OK; o++)
                    assert_string_not_equal(parameter.name, option.name);
        }
    }
}

static void no_name_stands_twice(void **state) {
    (void)state;
    static const sepal_kind stages[] = {SEPAL_LEARNER, SEPAL_MAP, SEPAL_STRATEGY};
    const char *seen[256];
    size_t n = 0;
    for (size_t kind = 0; kind < 3; kind++) {
        sepal_method method = {.size = sizeof method};
        for (size_t i = 0; sepal_method_at(stages[kind], i, &method) == SEPAL_OK; i++) {
            for (size_t k = 0; k < n; k++) assert_string_not_equal(seen[k], method.name);
            seen[n++] = method.name;
        }
    }
}

/* ---- every learner ------------------------------------------------------------------------ */

enum { ROWS = 60, COLUMNS = 3 };

/* Three clouds of positive numbers, far apart, in an order that mixes them. */
static sepal_data *clouds(sepal_ctx *ctx, size_t classes, const char *const names[3]) {
    double x[ROWS * COLUMNS];
    const char *labels[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        size_t k = i % classes;
        labels[i] = names[k];
        for (size_t j = 0; j < COLUMNS; j++) {
            double at = (double)(i * COLUMNS + j), noise = sin(at * at * 0.7) * 0.5;
            x[i * COLUMNS + j] = (j == k ? 5 : 1) + noise;
        }
    }
    sepal_data *data = NULL;
    assert_int_equal(sepal_data_dense(&data, ctx, x, ROWS, COLUMNS, labels, NULL), SEPAL_OK);
    return data;
}

static sepal_model *fit(sepal_ctx *ctx, const char *spec, const sepal_data *data) {
    sepal_model *model = NULL;
    if (sepal_model_fit(&model, NULL, ctx, spec, data, NULL) != SEPAL_OK)
        print_error("%s\n", sepal_ctx_error(ctx));
    assert_non_null(model);
    return model;
}

/* Rows get any number of labels: see test_multilabel.c. */
static bool learns_sets(const char *learner) {
    return strcmp(learner, "multilabel") == 0;
}

static void every_learner_tells_clouds_apart(void **state) {
    sepal_ctx *ctx = *state;
    static const char *const names[] = {"a", "b", "c"};
    for (size_t classes = 2; classes <= 3; classes++) {
        sepal_data *data = clouds(ctx, classes, names);
        sepal_method learner = {.size = sizeof learner};
        for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &learner) == SEPAL_OK; i++) {
            if (learns_sets(learner.name)) continue;
            sepal_model *model = fit(ctx, learner.name, data);
            int32_t decided[ROWS];
            assert_int_equal(sepal_model_predict(decided, ctx, model, data), SEPAL_OK);
            for (size_t r = 0; r < ROWS; r++) assert_int_equal(decided[r], r % classes);
            assert_int_equal(sepal_model_outputs(model, SEPAL_SCORES), classes == 2 ? 1 : classes);
            sepal_model_free(model);
        }
        sepal_data_free(data);
    }
}

/* Two classes have one score, positive for the second in label order; turning the names round turns
   its sign. */
static void the_second_class_is_the_positive_one(void **state) {
    sepal_ctx *ctx = *state;
    static const char *const names[] = {"a", "b", "c"}, *const turned[] = {"b", "a", "c"};
    sepal_data *data = clouds(ctx, 2, names), *other = clouds(ctx, 2, turned);
    sepal_method learner = {.size = sizeof learner};
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &learner) == SEPAL_OK; i++) {
        if (learns_sets(learner.name)) continue;
        sepal_model *model = fit(ctx, learner.name, data), *mirror = fit(ctx, learner.name, other);
        double scores[ROWS], mirrored[ROWS];
        assert_int_equal(sepal_model_scores(scores, ctx, model, data), SEPAL_OK);
        assert_int_equal(sepal_model_scores(mirrored, ctx, mirror, other), SEPAL_OK);
        for (size_t r = 0; r < ROWS; r++) {
            assert_true((r % 2 == 1) == (scores[r] > 0));
            assert_true(fabs(scores[r] + mirrored[r]) <= 1e-12 * fabs(scores[r]));
        }
        sepal_model_free(model);
        sepal_model_free(mirror);
    }
    sepal_data_free(data);
    sepal_data_free(other);
}

/* The canonical spec is a spec, its own canonical form, and fits the same model. */
static void canonical_specs_are_fixed_points(void **state) {
    sepal_ctx *ctx = *state;
    static const char *const names[] = {"a", "b", "c"};
    sepal_data *data = clouds(ctx, 3, names);
    sepal_method learner = {.size = sizeof learner};
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &learner) == SEPAL_OK; i++) {
        sepal_model *model = fit(ctx, learner.name, data);
        sepal_model *again = fit(ctx, sepal_model_spec(model), data);
        assert_string_equal(sepal_model_spec(model), sepal_model_spec(again));
        double scores[ROWS * 3], same[ROWS * 3];
        assert_int_equal(sepal_model_scores(scores, ctx, model, data), SEPAL_OK);
        assert_int_equal(sepal_model_scores(same, ctx, again, data), SEPAL_OK);
        assert_memory_equal(scores, same, sizeof scores);
        sepal_model_free(model);
        sepal_model_free(again);
    }
    sepal_data_free(data);
}

/* Saved and loaded, a model predicts the same bits and saves the same bytes. */
static void models_survive_their_file(void **state) {
    sepal_ctx *ctx = *state;
    static const char *const names[] = {"a", "b", "c"};
    sepal_data *data = clouds(ctx, 3, names);
    sepal_method learner = {.size = sizeof learner};
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &learner) == SEPAL_OK; i++) {
        sepal_model *model = fit(ctx, learner.name, data), *loaded = NULL;
        assert_int_equal(sepal_model_save(ctx, model, "table.sepal"), SEPAL_OK);
        assert_int_equal(sepal_model_load(&loaded, ctx, "table.sepal"), SEPAL_OK);
        double scores[ROWS * 3], same[ROWS * 3];
        assert_int_equal(sepal_model_scores(scores, ctx, model, data), SEPAL_OK);
        assert_int_equal(sepal_model_scores(same, ctx, loaded, data), SEPAL_OK);
        assert_memory_equal(scores, same, sizeof scores);
        for (size_t k = 0; k < 3; k++) assert_string_equal(sepal_model_class(loaded, k), names[k]);
        sepal_model_free(model);
        sepal_model_free(loaded);
    }
    remove("table.sepal");
    sepal_data_free(data);
}

static void what_cannot_be_learnt_is_refused(void **state) {
    sepal_ctx *ctx = *state;
    const double x[] = {1, 2, 3, 4};
    const char *const same[] = {"a", "a"}, *const two[] = {"a", "b"};
    sepal_data *one_class = NULL, *no_columns = NULL;
    assert_int_equal(sepal_data_dense(&one_class, ctx, x, 2, 2, same, NULL), SEPAL_OK);
    assert_int_equal(sepal_data_dense(&no_columns, ctx, x, 2, 0, two, NULL), SEPAL_OK);
    sepal_method learner = {.size = sizeof learner};
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &learner) == SEPAL_OK; i++) {
        sepal_model *model = NULL;
        if (!learns_sets(learner.name))
            assert_int_equal(sepal_model_fit(&model, NULL, ctx, learner.name, one_class, NULL),
                             SEPAL_EDATA);
        assert_null(model);
        assert_int_equal(sepal_model_fit(&model, NULL, ctx, learner.name, no_columns, NULL),
                         SEPAL_EDATA);
        assert_true(*sepal_ctx_error(ctx));
    }
    sepal_data_free(one_class);
    sepal_data_free(no_columns);
    const double bad[] = {1, NAN, 3, 4};
    assert_int_equal(sepal_data_dense(&one_class, ctx, bad, 2, 2, two, NULL), SEPAL_EDATA);
    assert_null(one_class);
}

/* The smaller part of a split may lack a class, here the first. */
static void classes_without_rows_are_refused(void **state) {
    sepal_ctx *ctx = *state;
    const double x[] = {1, 2, 3, 4, 5, 6, 7};
    const char *const names[] = {"a", "b", "b", "b", "c", "c", "c"};
    sepal_data *data = NULL, *rest = NULL, *part = NULL;
    sepal_model *model = NULL;
    assert_int_equal(sepal_data_dense(&data, ctx, x, 7, 1, names, NULL), SEPAL_OK);
    assert_int_equal(sepal_data_split(&rest, &part, ctx, data, 0.4), SEPAL_OK);
    assert_int_equal(sepal_model_fit(&model, NULL, ctx, "perceptron", part, NULL), SEPAL_EDATA);
    assert_non_null(strstr(sepal_ctx_error(ctx), "no row of class 'a'"));
    assert_null(model);
    sepal_data_free(part);
    sepal_data_free(rest);
    sepal_data_free(data);
}

static void bad_specs_are_refused(void **state) {
    sepal_ctx *ctx = *state;
    static const char *const names[] = {"a", "b", "c"};
    static const struct {
        const char *spec, *words;
    } table[] = {
        {"", ""},
        {"identity", "no learner"},
        {"machine", "no learner"},
        {"perceptorn", "did you mean 'perceptron'"},
        {"perceptron | least-squares", "one learner"},
        {"perceptron | identity", "before the learner"},
        {"machine | perceptron", "after the learner"},
        {"perceptron | machine | machine", "one multi-class strategy"},
        {"perceptron(etta=1)", "did you mean 'eta'"},
        {"perceptron(eta=0)", "(0, inf)"},
        {"perceptron(eta=1, eta=2)", ""},
        {"perceptron(variant=banana)", "pocket"},
        {"perceptron(epochs=1.5)", "epochs"},
        {"perceptron(eta=nan)", "eta"},
        {"least-squares(l2=-1)", "[0, inf)"},
        {"identity(x=1) | perceptron", "no parameters"},
        {"perceptron(", ""},
        {"perceptron)", ""},
    };
    sepal_data *data = clouds(ctx, 3, names);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        sepal_model *model = NULL;
        assert_int_equal(sepal_model_fit(&model, NULL, ctx, table[i].spec, data, NULL),
                         SEPAL_EUSAGE);
        assert_null(model);
        if (!strstr(sepal_ctx_error(ctx), table[i].words))
            print_error("%s: %s\n", table[i].spec, sepal_ctx_error(ctx));
        assert_non_null(strstr(sepal_ctx_error(ctx), table[i].words));
    }
    sepal_data_free(data);
}

static int setup(void **state) {
    return sepal_ctx_new((sepal_ctx **)state) == SEPAL_OK ? 0 : -1;
}

static int teardown(void **state) {
    sepal_ctx_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(no_parameter_has_the_name_of_an_option),
        cmocka_unit_test(no_name_stands_twice),
        cmocka_unit_test(every_learner_tells_clouds_apart),
        cmocka_unit_test(the_second_class_is_the_positive_one),
        cmocka_unit_test(canonical_specs_are_fixed_points),
        cmocka_unit_test(models_survive_their_file),
        cmocka_unit_test(what_cannot_be_learnt_is_refused),
        cmocka_unit_test(classes_without_rows_are_refused),
        cmocka_unit_test(bad_specs_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
