/* Regularisation paths in the fit fuzzer: every value of a path has the gap that was asked for or says
   that it has not, a fit at that value by itself bounds it and is bounded by it, and the model chosen is
   that of a plain fit to the last bit. */
#ifndef TESTS_FIT_FUZZ_PATHS_H
#define TESTS_FIT_FUZZ_PATHS_H

#include "contract/fit_fuzz_laws.h"
#include "contract/path_facts.h"

struct path_drawn {
    char options[128];
    const char *penalty, *rest; /* the learner's parameters */
    int before;                 /* so many characters of the problem's spec are maps */
    bool begins_at_zero;        /* the first value is the least that keeps all weights at 0 */
    sepal_report *report;
    sepal_model *model;
};

/* ---- drawing ------------------------------------------------------------------------------------ */

static inline struct path_drawn path_draw(const struct fuzz *z, struct rng *rng) {
    static const char *const penalties_along[] = {"penalty=l1", "penalty=l2",
                                                  "penalty=elasticnet, ratio=0.3",
                                                  "penalty=elasticnet, ratio=0.95"};
    static const char *const rests[] = {"",
                                        "",
                                        ", bias=false",
                                        ", bias=penalised",
                                        ", class_weight=balanced",
                                        ", class_weight=balanced, correct_priors=true",
                                        ", loss=hinge",
                                        ", loss=hinge, bias=false"};
    static const char *const values[] = {
        "path-length=5, lambda-min-ratio=0.01", "path-length=4, lambda-min-ratio=1e-4",
        "path-length=3", "lambdas=\"10, 0.1, 1e-3, 1e-5\"", "lambdas=\"0.02, 0.0199\""};
    struct path_drawn out = {0};
    bool svm = strcmp(z->spec.learner->name, "svm") == 0;
    size_t value = rng_below(rng, 5);
    out.penalty = penalties_along[rng_below(rng, 4)];
    do out.rest = rests[rng_below(rng, 8)];
    while (strstr(out.rest, svm ? "correct" : "hinge"));
    out.before = (int)(spec_learner(z->spec.text, z->spec.learner) - z->spec.text);
    out.begins_at_zero = value < 3 && out.penalty != penalties_along[1];
    snprintf(out.options, sizeof out.options, "folds=%zu, choose=%s, %s", between(rng, 2, 3),
             chance(rng, 0.5) ? "min" : "1se", values[value]);
    return out;
}

/* The problem's spec with these parameters of its learner. */
static inline void path_spec_write(struct fuzz *at, const struct fuzz *z,
                                   const struct path_drawn *path, const char *parameters) {
    at->spec.text[0] = '\0';
    add(&at->spec, "%.*s%s(%s%s)", path->before, z->spec.text, z->spec.learner->name, parameters,
        path->rest);
    if (z->spec.reduction) add(&at->spec, " | %s", z->spec.reduction->name);
}

/* ---- the values --------------------------------------------------------------------------------- */

/* What the table says by itself. */
static inline void check_table(struct fuzz *at, const struct path_drawn *path) {
    size_t n = path_length(path->report), open = 0;
    double ratio = sepal_report_number(path->report, "ratio");
    if (n == 0 || (double)n != sepal_report_number(path->report, "values"))
        find(at, path->options, "%zu values of lambda", n);
    for (size_t k = 0; k < n; k++) {
        double gap = path_fact(path->report, k, "gap");
        bool converged = path_fact(path->report, k, "converged") == 1;
        open += !converged;
        if (gap < 0 || (converged && !(gap <= DEFAULT_TOL)))
            find(at, path->options, "value %zu: converged %d with a gap of %g", k, converged, gap);
        double lambda = path_fact(path->report, k, "lambda");
        double off = fabs(path_fact(path->report, k, "l1") - ratio * lambda) +
                     fabs(path_fact(path->report, k, "l2") - (1 - ratio) * lambda);
        if (!(off <= 4 * DBL_EPSILON * lambda))
            find(at, path->options, "value %zu: l1 and l2 are no parts of lambda", k);
        if (k && !(lambda < path_fact(path->report, k - 1, "lambda")))
            find(at, path->options, "value %zu is not below the one before", k);
    }
    if ((open > 0) != (warnings_of("not-converged") > 0))
        find(at, path->options, "%zu values without their gap, and %zu warnings of that", open,
             warnings_of("not-converged"));
    if (path->begins_at_zero && path_fact(path->report, 0, "nonzero") != 0)
        find(at, path->options, "it begins with %g weights", path_fact(path->report, 0, "nonzero"));
}

/* A fit by itself, as one problem: P, its rounding, and the bound D. */
struct whole {
    long double own, bar, bound;
    bool known;
};

static inline struct whole whole_of(const struct run *run) {
    struct whole out = {.known = true};
    for (size_t r = 0; r < run->n_parts; r++) {
        const struct part *part = &run->parts[r];
        out.known = out.known && part->known && !isnan(part->objective);
        out.own += part->own;
        out.bar += part->bar;
        out.bound += part->objective * (1 - (long double)(isnan(part->gap) ? INFINITY : part->gap));
    }
    return out;
}

static inline void check_value(struct fuzz *at, const struct path_drawn *path, size_t k) {
    struct run run = run_fit(at, &at->table, NULL, NULL);
    check_run(at, &run);
    if (run.status != SEPAL_OK) {
        find(at, path->options, "value %zu: no fit by itself: %s", k, run.error);
        run_free(&run);
        return;
    }
    struct whole one = whole_of(&run);
    long double objective = path_fact(path->report, k, "objective"),
                gap = path_fact(path->report, k, "gap");
    long double bound = objective * (1 - gap);
    long double slack = 4 * one.bar + 4 * (long double)(run.rows + 1) * DBL_EPSILON *
                                          (fabsl(objective) + fabsl(one.own));
    if (one.known && bound > one.own + slack)
        find(at, path->options, "value %zu: D = %.17Lg (gap %.2Lg) is above P = %.17Lg by itself",
             k, bound, gap, one.own);
    if (one.known && one.bound > objective + slack)
        find(at, path->options, "value %zu: P = %.17Lg is below D = %.17Lg by itself", k, objective,
             one.bound);
    if (run.converged && path_fact(path->report, k, "converged") != 1)
        find(at, path->options, "value %zu: a gap of %.2Lg, where a fit by itself converges", k,
             gap);
    run_free(&run);
}

/* ---- the choice --------------------------------------------------------------------------------- */

static inline void check_chosen(struct fuzz *at, const struct path_drawn *path) {
    struct run plain = run_fit(at, &at->table, NULL, NULL);
    check_run(at, &plain);
    if (plain.status == SEPAL_OK) {
        size_t n = plain.rows * plain.width;
        double *scores = room(n, sizeof *scores);
        int32_t *classes = room(plain.rows, sizeof *classes);
        if (strcmp(sepal_model_spec(path->model), sepal_model_spec(plain.model)) != 0)
            find(at, path->options, "the model's spec is %s", sepal_model_spec(path->model));
        if (sepal_model_scores(scores, ctx, path->model, plain.data) != SEPAL_OK ||
            sepal_model_predict(classes, ctx, path->model, plain.data) != SEPAL_OK)
            find(at, path->options, "the model chosen: %s", sepal_ctx_error(ctx));
        else if (memcmp(scores, plain.scores, n * sizeof *scores) != 0)
            find(at, path->options, "the model chosen is not that of a plain fit");
        check_file(at, &plain);
        free(scores);
        free(classes);
    }
    run_free(&plain);
}

/* ---- the law ------------------------------------------------------------------------------------ */

static inline void check_path(struct fuzz *at, const struct fuzz *z, struct path_drawn *path) {
    check_table(at, path);
    for (size_t k = 0; k < path_length(path->report); k++) {
        char penalty[96];
        snprintf(penalty, sizeof penalty, "l1=%.17g, l2=%.17g", path_fact(path->report, k, "l1"),
                 path_fact(path->report, k, "l2"));
        path_spec_write(at, z, path, penalty);
        check_value(at, path, k);
    }
    at->spec.text[0] = '\0';
    add(&at->spec, "%s", sepal_report_string(path->report, "spec"));
    check_chosen(at, path);
}

static inline void law_path(struct fuzz *z) {
    struct rng rng = rng_make(z->seed, 4000000 + z->number); /* fixed: the seed of the problem */
    struct path_drawn path = path_draw(z, &rng);
    struct fuzz at = *z;
    sepal_data *data = table_data(&z->table, plain_names);
    at.spec.bounds = NULL;
    path_spec_write(&at, z, &path, path.penalty);
    sepal_ctx_clear_warnings(ctx);
    const char *const specs[] = {at.spec.text};
    sepal_status status =
        sepal_select(&path.model, &path.report, ctx, "path", specs, 1, data, path.options, NULL);
    struct run refused = {.status = status, .options = path.options};
    snprintf(refused.error, sizeof refused.error, "%s", sepal_ctx_error(ctx));
    if (status == SEPAL_OK)
        at.paths++, check_path(&at, z, &path);
    else
        check_refusal(&at, &refused);
    sepal_report_free(path.report);
    sepal_model_free(path.model);
    data_free(data);
    z->fits = at.fits, z->paths = at.paths, z->findings = at.findings;
}

#endif
