/* A model of every kind that the file format tells apart, for the tests of model files. */
#ifndef SEPAL_TESTS_MODEL_KINDS_H
#define SEPAL_TESTS_MODEL_KINDS_H

#include "linear/calibration.h"
#include "model/decision.h"
#include "model_samples.h"

static inline sepal_model *table_with_everything(void) {
    static const char *const labels[] = {"a", "b", "c", "d", "e"},
                             *const names[] = {"age", "colour", "height", "size"},
                             *const colours[] = {"blue", "green", "red"};
    sepal_model *model = begin_model(FAMILY_TABLE, labels, 5);
    struct schema *schema = schema_of(model);
    add_columns(model, names, 4);
    add_categories(model, 1, colours, 3);
    add_categories(model, 3, colours, 0);
    for (size_t i = 0; i < 4; i++) add_fill(model, i);
    schema->header = true;
    schema->missing = MISSING_INDICATOR;
    schema->columns[0].indicator = schema->columns[1].indicator = true;
    schema->columns[3].position = 9;
    schema->cells = 12;
    schema->target_position = 8;
    schema->weight = "how often";
    model->facts.gap = 1e-9;
    return end_model(model, true);
}

static inline sepal_model *table_without_header(void) {
    static const char *const labels[] = {"-1e+300", "-1", "0.5", "2", "10"}, *const names[] = {
                                                                                 "x1", "x2"};
    sepal_model *model = begin_model(FAMILY_TABLE, labels, 5);
    add_columns(model, names, 2);
    schema_of(model)->numeric_labels = true;
    schema_of(model)->target = NULL;
    schema_of(model)->missing = MISSING_DROP;
    model->facts = (struct model_facts){.objective = NAN, .gap = NAN};
    return end_model(model, false);
}

static inline sepal_model *indexed(bool zero_based, bool centred) {
    static const char *const labels[] = {"-1", "1"};
    sepal_model *model = begin_model(FAMILY_INDEXED, labels, 2);
    schema_of(model)->numeric_labels = true;
    schema_of(model)->zero_based = zero_based;
    schema_of(model)->width = 17;
    return end_model(model, centred);
}

static inline sepal_model *indexed_from_0(void) {
    return indexed(true, true);
}

static inline sepal_model *indexed_from_1(void) {
    return indexed(false, false);
}

static inline sepal_model *weird_names(void) {
    static const char *const labels[] = {"!", "\"", "a,b\nc", "b", "na\xC3\xAFve \xE2\x80\xA8"},
                             *const names[] = {"",
                                               "a=\"b\\\",\r\n\tc",
                                               "\xF0\x9F\x8C\xB8 petal",
                                               "{\"x\":[1,2]}",
                                               "\x01\x7F/']}",
                                               "x\\"},
                             *const kinds[] = {"", "\t", ",", "[]", "\\\"", "\xC3\xA9"};
    sepal_model *model = begin_model(FAMILY_TABLE, labels, 5);
    add_columns(model, names, 6);
    add_categories(model, 2, kinds, 6);
    schema_of(model)->header = true;
    schema_of(model)->target = "what \"is\" it, \\ then?\n";
    return end_model(model, false);
}

/* Names and labels beyond 64 KB: they are stored as tensors. */
static inline sepal_model *long_lists(void) {
    enum { N = 3000, LABEL = 24 };
    char(*texts)[LABEL] = malloc(N * sizeof *texts);
    const char **names = malloc(N * sizeof *names);
    assert_true(texts && names);
    for (size_t i = 0; i < N; i++) {
        (void)snprintf(texts[i], LABEL, "\"quoted\", number %05zu", i);
        names[i] = texts[i];
    }
    sepal_model *model = begin_model(FAMILY_TABLE, names, N);
    struct schema *schema = schema_of(model);
    for (size_t i = 0; i < N; i++) {
        names[i] = arena_text(&ctx, &schema->arena, texts[i], strlen(texts[i]));
        schema->classes[i] = names[i];
        assert_non_null(names[i]);
    }
    add_columns(model, names, 900);
    schema->header = true;
    free(names);
    free(texts);
    return end_model(model, true);
}

/* What tests/golden/model-v1.sepal holds: three classes of iris, as a perceptron may see them. */
static inline sepal_model *golden_model(void) {
    static const char *const labels[] = {"setosa", "versicolor", "virginica"}, *const names[] = {
                                                                                   "sepal_length",
                                                                                   "sepal_width",
                                                                                   "petal_length",
                                                                                   "petal_width"};
    static const double w[] = {2.3,  5.6,   -9.1, -4.2, 3.7,   -8.125,
                               1.25, -10.5, -6,   2.5,  10.35, 14.7},
                        b[] = {1.5, 12.25, -13.75},
                        centre[] = {5.843333333333334, 3.0573333333333337, 3.7580000000000005,
                                    1.1993333333333336};
    sepal_model *model = begin_model(FAMILY_TABLE, labels, 3);
    add_columns(model, names, 4);
    schema_of(model)->header = true;
    model->spec = "perceptron(epochs=10) | machine";
    model->facts = (struct model_facts){.rows = 150,
                                        .total_weight = 150,
                                        .objective = 0.02,
                                        .gap = NAN,
                                        .iterations = 10,
                                        .converged = false};
    end_model(model, true);
    memcpy(model->linear.w, w, sizeof w);
    memcpy(model->linear.b, b, sizeof b);
    memcpy(model->linear.centre, centre, sizeof centre);
    return model;
}

/* The smallest files with a list in a tensor: one name of 64 KB, two labels of 32 KB. */
static inline sepal_model *long_name(void) {
    enum { LONG = 1 << 16 };
    static char text[LONG + 1];
    memset(text, 'n', LONG);
    static const char *const labels[] = {"no", "yes"}, *const names[] = {text};
    sepal_model *model = begin_model(FAMILY_TABLE, labels, 2);
    add_columns(model, names, 1);
    schema_of(model)->header = true;
    return end_model(model, false);
}

static inline sepal_model *long_labels(void) {
    enum { LONG = 1 << 15 };
    static char texts[2][LONG + 1];
    for (int i = 0; i < 2; i++) memset(texts[i], 'a' + i, LONG);
    static const char *const labels[] = {texts[0], texts[1]};
    sepal_model *model = begin_model(FAMILY_INDEXED, labels, 2);
    schema_of(model)->width = 2;
    return end_model(model, true);
}

/* Rows with missing values were left out. */
static inline sepal_model *table_with_drop(void) {
    static const char *const labels[] = {"no", "yes"}, *const names[] = {"age", "size"};
    sepal_model *model = begin_model(FAMILY_TABLE, labels, 2);
    add_columns(model, names, 2);
    schema_of(model)->header = true;
    schema_of(model)->missing = MISSING_DROP;
    return end_model(model, false);
}

static inline sepal_model *table_with_means(void) {
    sepal_model *model = small_model();
    schema_of(model)->missing = MISSING_MEAN;
    add_fill(model, 0);
    add_fill(model, 1);
    return model;
}

/* Decided at a cutoff of its own. What tests/golden/model-v1-cut.sepal holds. */
static inline sepal_model *with_cut(void) {
    sepal_model *model = small_model();
    model->spec = "logistic(penalty=l2, C=1)";
    model->learner = "logistic";
    model->linear.link = LINK_POSTERIOR;
    model->kept_rule.cutoff = arena_alloc(&ctx, &model->arena, 1, sizeof *model->kept_rule.cutoff);
    assert_non_null(model->kept_rule.cutoff);
    *model->kept_rule.cutoff = 0.2;
    return model;
}

/* Undecided where no class has a probability of 0.9, and where the scores leave it open. */
static inline sepal_model *with_reject(void) {
    sepal_model *model = with_cut();
    *model->kept_rule.cutoff = 0.9;
    model->kept_rule.decide = DECIDE_reject;
    model->kept_rule.ambiguous = AMBIGUOUS_UNDECIDED;
    return model;
}

static inline sepal_model *with_soft(void) {
    sepal_model *model = with_cut();
    model->kept_rule = (struct kept_rule){.decide = DECIDE_soft};
    return model;
}

static inline sepal_model *calibrated(sepal_model *model, enum calibration_kind kind,
                                      const double *numbers, size_t rows) {
    struct linear *linear = &model->linear;
    assert_int_equal(calibration_new(&linear->calibration, &ctx, kind, linear->classes, rows),
                     SEPAL_OK);
    memcpy(linear->calibration->numbers, numbers, rows * calibration_width(kind) * sizeof *numbers);
    assert_true(calibration_is_sound(linear->calibration));
    linear->link = LINK_CALIBRATED;
    return model;
}

/* A cutoff on a calibrated probability, of a learner that has no other. */
static inline sepal_model *with_platt(void) {
    static const double line[] = {1.75, -0.125};
    sepal_model *model = calibrated(small_model(), CALIBRATE_PLATT, line, 1);
    model->kept_rule.cutoff = arena_alloc(&ctx, &model->arena, 1, sizeof *model->kept_rule.cutoff);
    assert_non_null(model->kept_rule.cutoff);
    *model->kept_rule.cutoff = 0.25;
    return model;
}

/* What tests/golden/model-v1-calibration.sepal holds. */
static inline sepal_model *with_knots(void) {
    static const double knots[] = {0, -2.5, 0,    0, 1.5, 0.75, 1, 0.5, 0.125,
                                   2, -1,   0.25, 2, 0,   0.25, 2, 7,   1};
    return calibrated(golden_model(), CALIBRATE_ISOTONIC, knots, 6);
}

static inline sepal_model *with_temperature(void) {
    static const double temperature[] = {0.3};
    return calibrated(golden_model(), CALIBRATE_TEMPERATURE, temperature, 1);
}

/* With standard errors of both kinds. What tests/golden/model-v1-errors.sepal holds. */
static inline sepal_model *with_errors(void) {
    sepal_model *model = small_model();
    size_t terms = model->linear.cols; /* the intercept, and one of the categories less */
    model->spec = "logistic(penalty=none, l2=0, l1=0)";
    model->learner = "logistic";
    model->linear.link = LINK_POSTERIOR;
    assert_int_equal(summary_new(&model->linear.summary, &ctx, SUMMARY_WALD, 1, terms), SEPAL_OK);
    assert_int_equal(bootstrap_new(&model->linear.bootstrap, &ctx, 1, terms), SEPAL_OK);
    struct summary *summary = model->linear.summary;
    struct bootstrap *bootstrap = model->linear.bootstrap;
    bootstrap->resamples = 200;
    bootstrap->failed = 3;
    for (size_t t = 0; t < terms; t++) {
        summary->estimate[t] = (double)t - 0.3;
        summary->error[t] = 0.1 + (double)t;
        bootstrap->count[t] = 197 - (double)t;
        bootstrap->error[t] = 0.1;
        bootstrap->low[t] = -0.2;
        bootstrap->high[t] = 0.7;
    }
    summary->alias[terms - 1] = ALIAS_DEPENDENT;
    summary->estimate[terms - 1] = summary->error[terms - 1] = 0;
    summary->null_deviance = 751.44;
    summary->deviance = 187.29;
    return model;
}

struct model_kind {
    const char *name;
    sepal_model *(*make)(void);
};
static const struct model_kind model_kinds[] = {
    {"small", small_model},
    {"with everything", table_with_everything},
    {"without header", table_without_header},
    {"with means", table_with_means},
    {"with drop", table_with_drop},
    {"indexed from 0, centred", indexed_from_0},
    {"indexed from 1", indexed_from_1},
    {"weird names", weird_names},
    {"golden", golden_model},
    {"with cut", with_cut},
    {"with reject", with_reject},
    {"with soft", with_soft},
    {"with platt", with_platt},
    {"with knots", with_knots},
    {"with temperature", with_temperature},
    {"with errors", with_errors},
    {"long name", long_name},
    {"long labels", long_labels},
    {"long lists", long_lists}, /* 22 MB, all others are small */
};
enum { N_MODEL_KINDS = sizeof model_kinds / sizeof *model_kinds };

#endif
