#include "selection/measure.h"

#include "eval/metric.h"
#include "selection/split_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What may stand before a number of classes: an average, or that it is of one class. */
static const char *const averages[] = {"macro", "micro", "weighted", "positive"};
enum { AVERAGES = sizeof averages / sizeof *averages };

/* Of label sets alone. */
static const char *const of_sets[] = {"subset_accuracy", "hamming_loss"};

static sepal_status refuse_measure(sepal_ctx *ctx, const char *name) {
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    struct text known = {0};
    for (size_t m = 0; metric_table[m] && n < MOST; m++) names[n++] = metric_table[m]->name;
    for (size_t i = 0; i < n; i++) text_printf(ctx, &known, "%s%s", i ? ", " : "", names[i]);
    const char *near = text_suggest(name, names, n);
    sepal_status status =
        known.failed ? SEPAL_EMEMORY
                     : fail(ctx, SEPAL_EUSAGE,
                            "there is no metric '%.60s'; %s%s%schoose %s (those of a class also "
                            "averaged, as macro.f1, or of the positive one, as "
                            "positive.f1)",
                            name, near ? "did you mean '" : "", near ? near : "", near ? "'? " : "",
                            known.bytes);
    text_clear(&known);
    return status;
}

/* As the table writes it, with '_' between words; "" where it is longer than all names. */
static void spell(char out[64], const char *name) {
    size_t n = strlen(name) < 64 ? strlen(name) : 0;
    for (size_t i = 0; i < n; i++) out[i] = name[i] == '-' ? '_' : name[i];
    out[n] = '\0';
}

/* The row, and whether an average stands before it; NULL: there is none. */
static const struct metric *find_metric(const char *name, bool *averaged) {
    const char *dot = strchr(name, '.'), *end = dot ? dot + 1 : name;
    *averaged = false;
    for (size_t a = 0; dot && a < AVERAGES; a++)
        *averaged |= slice_is((struct slice){name, (size_t)(dot - name)}, averages[a]);
    for (size_t m = 0; metric_table[m]; m++)
        if (strcmp(metric_table[m]->name, end) == 0)
            return dot && (!*averaged || !metric_table[m]->of_class) ? NULL : metric_table[m];
    return NULL;
}

static bool is_of_sets(const char *name) {
    return strcmp(name, of_sets[0]) == 0 || strcmp(name, of_sets[1]) == 0;
}

sepal_status measure_check_fit(sepal_ctx *ctx, const char *spec, const char *fit_options) {
    struct arena arena = {0};
    struct pipeline pipeline;
    struct fit_options options;
    sepal_status status = pipeline_parse_ahead(&pipeline, ctx, &arena, spec);
    if (status == SEPAL_OK)
        status = pipeline_parse_options(&options, &pipeline, ctx, &arena, fit_options);
    if (status == SEPAL_OK) status = split_options_check_fit(ctx, &options);
    arena_clear(&arena);
    return status;
}

sepal_status measure_check(sepal_ctx *ctx, const char *name) {
    char word[64];
    bool averaged;
    if (!name) return SEPAL_OK;
    spell(word, name);
    return is_of_sets(word) || find_metric(word, &averaged) ? SEPAL_OK : refuse_measure(ctx, name);
}

bool measure_of_single_rows(const char *name) {
    static const char *const of_many[] = {
        "macro.", "weighted.", "positive.", "balanced_accuracy", "precision", "recall", "f1",
        "ece",    "mcc",       "kappa",     "roc_auc",           "pr_auc"};
    for (size_t i = 0; i < sizeof of_many / sizeof *of_many; i++) {
        size_t n = strlen(of_many[i]);
        bool average = of_many[i][n - 1] == '.';
        if (average ? strncmp(name, of_many[i], n) == 0 : strcmp(name, of_many[i]) == 0)
            return false;
    }
    return true;
}

sepal_status measure_check_loo(sepal_ctx *ctx, const char *name, bool loo) {
    char word[64];
    if (!name || !loo) return SEPAL_OK;
    spell(word, name);
    if (measure_of_single_rows(word)) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE,
                OPTION
                "loo judges by one row at a time, and %s says nothing of one row; leave " OPTION
                "loo out, or take " OPTION "metric accuracy",
                word);
}

/* The first that has no probabilities, in short; NULL: all have. */
static sepal_status find_without(const char **out, sepal_ctx *ctx, struct arena *arena,
                                 size_t classes, const struct candidate *candidates, size_t n) {
    *out = NULL;
    for (size_t c = 0; c < n && !*out; c++) {
        struct arena scratch = {0};
        struct pipeline pipeline;
        struct fit_options options;
        sepal_status status = pipeline_parse(&pipeline, ctx, &scratch, candidates[c].spec);
        if (status == SEPAL_OK)
            status = pipeline_parse_options(&options, &pipeline, ctx, &scratch,
                                            candidates[c].fit_options);
        bool without = status == SEPAL_OK && !options.calibrate &&
                       pipeline_link(&pipeline, classes) == LINK_NONE;
        if (without)
            *out = arena_text(ctx, arena, pipeline.learner->name, strlen(pipeline.learner->name));
        arena_clear(&scratch);
        TRY(status);
        if (without && !*out) return SEPAL_EMEMORY;
    }
    return SEPAL_OK;
}

sepal_status measure_positive(size_t *out, sepal_ctx *ctx, const sepal_data *data,
                              const char *positive) {
    const struct schema *schema = data->schema;
    *out = 1;
    if (!positive) return SEPAL_OK;
    int32_t k = schema_class_of(schema, (struct slice){positive, strlen(positive)});
    if (k < 0)
        return fail(ctx, SEPAL_EUSAGE,
                    OPTION "positive %.60s is no class of the data; its classes are %s ... %s",
                    positive, schema->classes[0], schema->classes[schema->n_classes - 1]);
    *out = (size_t)k;
    return SEPAL_OK;
}

sepal_status measure_check_two(sepal_ctx *ctx, const char *name, const sepal_data *data) {
    if (strncmp(name, "positive.", 9) != 0) return SEPAL_OK;
    if (data->schema->n_classes == 2 && !data->set_start) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE,
                "%s is about one of two classes, and the data has %zu%s; take " OPTION
                "metric macro.%s",
                name, data->schema->n_classes, data->set_start ? " labels" : "", name + 9);
}

static sepal_status find_path(struct measure *out, sepal_ctx *ctx, struct arena *arena,
                              const struct metric *metric, const char *positive,
                              const sepal_data *data) {
    char path[96];
    size_t class;
    out->path = out->name;
    bool one = strncmp(out->name, "positive.", 9) == 0;
    if (!metric || !metric->of_class || (strchr(out->name, '.') && !one)) return SEPAL_OK;
    if (one) {
        TRY(measure_check_two(ctx, out->name, data));
        TRY(measure_positive(&class, ctx, data, positive));
        (void)snprintf(path, sizeof path, "per_class.%zu.%s", class, metric->name);
    } else {
        (void)snprintf(path, sizeof path, "macro.%s", metric->name);
    }
    out->path = arena_text(ctx, arena, path, strlen(path));
    if (!one) out->name = out->path;
    return out->path ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status measure_find(struct measure *out, sepal_ctx *ctx, struct arena *arena,
                          const char *name, const char *positive, const sepal_data *data,
                          const struct candidate *candidates, size_t n) {
    const char *without;
    char word[64];
    bool averaged;
    size_t classes = data->schema->n_classes;
    TRY(measure_check(ctx, name));
    TRY(find_without(&without, ctx, arena, classes, candidates, n));
    spell(word, name ? name : without ? "accuracy" : "log_loss");
    const struct metric *metric = find_metric(word, &averaged);
    *out = (struct measure){.name = arena_text(ctx, arena, word, strlen(word)),
                            .better = metric_better(word),
                            .probabilities = metric && metric->probabilities};
    if (!out->name) return SEPAL_EMEMORY;
    if (out->probabilities && without)
        return fail(ctx, SEPAL_EUSAGE,
                    "%s has no probabilities, and so no %s; take " OPTION "metric accuracy, or "
                    "give it probabilities by " OPTION "calibrate platt",
                    without, word);
    if (is_of_sets(word) && !data->set_start)
        return fail(ctx, SEPAL_EUSAGE,
                    "%s is about sets of labels, and the rows have one label each; take " OPTION
                    "metric accuracy",
                    word);
    return find_path(out, ctx, arena, metric, positive, data);
}

sepal_status measure_check_trials(const struct measure *measure, const struct trials *trials) {
    size_t most = 0, least = trials->splits->n;
    for (size_t c = 0; c < trials->n_candidates; c++) {
        size_t n = trials_spread(trials, c, true, measure->path).n;
        most = n > most ? n : most;
        least = n < least ? n : least;
    }
    if (most == 0)
        return fail(trials->ctx, SEPAL_EDATA,
                    "%s has no value on any of the %zu sets of held-out rows (a class may be "
                    "absent from them); take fewer " OPTION "folds, or " OPTION "metric accuracy",
                    measure->name, trials->splits->n);
    if (least < trials->splits->n)
        warn(trials->ctx, "metric-undefined",
             "%s has no value on %zu of the %zu sets of held-out rows (a class may be absent from "
             "them), and means are over the others; fewer " OPTION "folds would help",
             measure->name, trials->splits->n - least, trials->splits->n);
    return SEPAL_OK;
}
