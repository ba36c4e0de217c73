/* One fit of the fit fuzzer, and what must hold of it by itself. What does not hold is printed, with
   the way to see it again, and counted; the test goes on to the next. */
#ifndef TESTS_FIT_FUZZ_RUNS_H
#define TESTS_FIT_FUZZ_RUNS_H

#include "contract/fit_fuzz_objective.h"

enum { SHOWN_MOST = 3 }; /* findings of a problem: most have one cause */
/* Unless --tol says otherwise. */
#define DEFAULT_TOL 1e-6
/* A score of so small a part of its terms is 0 up to rounding. */
static const long double VOTE_TIED = 1e-12L;

struct fuzz {
    uint64_t seed;
    size_t number;
    bool alone;         /* it was asked for by its number */
    struct table given; /* as drawn, with rows of weight 0 */
    struct table table; /* without them: its rows are those of a fit */
    struct spec spec;
    size_t fits, paths, findings;
    /* of the fit to come: which look at the user's wish finds that it is to stop, 0: nobody looks; and how
       many looks there were */
    size_t stop_at, looks;
};

static inline void find(struct fuzz *z, const char *options, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline void find(struct fuzz *z, const char *options, const char *format, ...) {
    char message[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (++z->findings > SHOWN_MOST) return;
    print_error("FINDING seed %llu problem %zu: %s\n  spec \"%s\"%s%s\n  table: %s\n"
                "  again: SEPAL_TEST_SEED=%llu SEPAL_FUZZ_ONE=%zu test_fit_fuzz "
                "(SEPAL_FUZZ_CSV=FILE writes the table)\n",
                (unsigned long long)z->seed, z->number, message, z->spec.text,
                options ? ", options " : "", options ? options : "", z->given.words,
                (unsigned long long)z->seed, z->number);
}

struct run {
    sepal_status status;
    char error[200];
    sepal_model *model;
    const char *options;
    sepal_data *data;
    double accuracy, objective;
    bool converged, interrupted;
    size_t n_parts, rows, width;
    struct part *parts;
    double *scores; /* rows x width */
    bool *tied;     /* rows: scores are votes, and rounding decides on one of them */
    double taken;   /* the largest centre that is kept beside sparse rows */
    double reach;   /* the largest sum of sizes that a score is the sum of */
    bool mapped;    /* phi(x) is not x to the last bit */
    bool bent;      /* nor column by column a linear function of it */
    bool squares;   /* scores are to be near targets */
    bool singular;  /* the fit says so: what it does then depends on a rank, found up to rounding */
};

static inline void run_free(struct run *run) {
    sepal_model_free(run->model);
    data_free(run->data);
    free(run->parts);
    free(run->scores);
    free(run->tied);
}

/* ---- what a fit comes to ------------------------------------------------------------------------ */

static inline double number_at(const struct tree *facts, const char *key) {
    const struct tree *fact = tree_find(facts, key);
    return fact && fact->kind == TREE_NUMBER ? fact->number : NAN;
}

static inline void read_part(struct part *out, const struct tree *facts) {
    const struct tree *converged = tree_find(facts, "converged");
    *out = (struct part){.objective = number_at(facts, "objective"),
                         .gap = number_at(facts, "gap"),
                         .converged = converged && converged->truth};
}

static inline void read_parts(struct run *run, const struct tree *report) {
    const struct tree *problems = tree_find(report, "problems");
    run->n_parts = problems ? problems->count : 1;
    run->parts = room(run->n_parts, sizeof *run->parts);
    if (!problems) {
        read_part(&run->parts[0], report);
        return;
    }
    const struct tree *problem = problems->first;
    for (size_t r = 0; r < run->n_parts; r++, problem = problem->next)
        read_part(&run->parts[r], problem);
}

static inline bool map_is_identity(const struct map *map) {
    return strcmp(map->name, "identity") == 0;
}

static inline void recompute(struct run *run, const struct learner *learner) {
    struct features f = features_of(run->model, run->data);
    const struct linear *linear = &run->model->linear;
    for (size_t r = 0; r < run->n_parts; r++)
        if (linear->rows == run->n_parts)
            part_own(&run->parts[r], learner, run->model, run->data, &f, r);
        else
            part_own_joint(&run->parts[r], learner, run->model, run->data, &f);
    for (size_t i = 0; i < f.rows * linear->rows; i++) {
        long double reach;
        long double score = score_long(linear, &f, i / linear->rows, i % linear->rows, &reach);
        run->reach = fmax(run->reach, (double)reach);
        /* where targets of two like classes cancel out, what is left is rounding of theirs */
        if (run->squares) reach = fmaxl(reach, 1);
        if (linear->strategy == &strategy_ovo && fabsl(score) <= VOTE_TIED * reach)
            run->tied[i / linear->rows] = true;
    }
    for (size_t j = 0; j < f.cols; j++) run->taken = fmax(run->taken, (double)f.taken[j]);
    for (size_t m = 0; m < run->model->chain.n; m++)
        run->bent = run->bent || !run->model->chain.maps[m].map->affine;
    for (size_t m = 0; m < run->model->chain.n; m++)
        run->mapped = run->mapped || !map_is_identity(run->model->chain.maps[m].map);
    features_free(&f);
}

static inline bool says_singular(void) {
    for (size_t k = 0; k < sepal_ctx_warning_count(ctx); k++) {
        const char *code = sepal_ctx_warning(ctx, k).code;
        if (strcmp(code, "singular-scatter") == 0 || strcmp(code, "rank-deficient") == 0)
            return true;
    }
    return false;
}

static const char *const plain_names[CLASSES_MOST] = {"c00", "c01", "c02", "c03", "c04", "c05",
                                                      "c06", "c07", "c08", "c09", "c10", "c11"};

static inline int look(const char *line, void *payload) {
    struct fuzz *z = payload;
    (void)line;
    return ++z->looks >= z->stop_at;
}

/* Fit rows, which the run then owns. */
static inline struct run run_data(struct fuzz *z, sepal_data *data, const char *options) {
    struct run run = {.data = data, .options = options};
    sepal_report *report = NULL;
    sepal_ctx_clear_warnings(ctx);
    run.rows = run.data->matrix.rows;
    z->looks = 0;
    if (z->stop_at) sepal_ctx_set_progress(ctx, look, z);
    run.status = sepal_model_fit(&run.model, &report, ctx, z->spec.text, run.data, options);
    sepal_ctx_set_progress(ctx, NULL, NULL);
    snprintf(run.error, sizeof run.error, "%s", sepal_ctx_error(ctx));
    if (run.status != SEPAL_OK) return run;
    z->fits++;
    run.singular = says_singular();
    run.accuracy = sepal_report_number(report, "train.accuracy");
    run.objective = sepal_report_number(report, "objective");
    run.converged = sepal_report_number(report, "converged") == 1;
    run.interrupted = sepal_report_number(report, "interrupted") == 1;
    read_parts(&run, report->root);
    sepal_report_free(report);
    run.squares = goal_of(z->spec.learner, run.model->spec) == GOAL_SQUARES;
    run.width = sepal_model_outputs(run.model, SEPAL_SCORES);
    run.scores = room(run.rows * run.width, sizeof *run.scores);
    if (sepal_model_scores(run.scores, ctx, run.model, run.data) != SEPAL_OK)
        find(z, options, "no scores: %s", sepal_ctx_error(ctx));
    run.tied = room(run.rows, sizeof *run.tied);
    recompute(&run, z->spec.learner);
    return run;
}

/* Fit a table; `names` are those of its classes, NULL: plain ones. */
static inline struct run run_fit(struct fuzz *z, const struct table *t, const char *const *names,
                                 const char *options) {
    return run_data(z, table_data(t, names ? names : plain_names), options);
}

/* ---- laws of one fit ---------------------------------------------------------------------------- */

/* A fit may say that the data or the spec will not do, in words. */
static inline void check_refusal(struct fuzz *z, const struct run *run) {
    bool said = run->status == SEPAL_EDATA || run->status == SEPAL_EUSAGE;
    if (!said || !*run->error)
        find(z, run->options, "ended with status %d: '%s'", (int)run->status, run->error);
}

static inline void check_finite(struct fuzz *z, const struct run *run) {
    const struct linear *linear = &run->model->linear;
    bool finite = isfinite(run->accuracy);
    for (size_t k = 0; k < linear->rows * linear->cols; k++)
        finite = finite && isfinite(linear->w[k]);
    for (size_t r = 0; r < linear->rows; r++) finite = finite && isfinite(linear->b[r]);
    for (size_t j = 0; linear->centre && j < linear->cols; j++)
        finite = finite && isfinite(linear->centre[j]);
    if (!finite) find(z, run->options, "weights, bias, centre or accuracy are not finite");
    for (size_t k = 0; k < run->rows * run->width; k++)
        if (isnan(run->scores[k])) {
            find(z, run->options, "score %zu of row %zu is NaN", k % run->width, k / run->width);
            return;
        }
}

static inline void check_evaluation(struct fuzz *z, const struct run *run) {
    sepal_report *report = NULL;
    if (sepal_model_evaluate(&report, ctx, run->model, run->data, NULL) != SEPAL_OK) {
        find(z, run->options, "evaluate: %s", sepal_ctx_error(ctx));
        return;
    }
    double accuracy = sepal_report_number(report, "accuracy");
    if (!(fabs(accuracy - run->accuracy) <= 1e-12))
        find(z, run->options, "evaluate says accuracy %.17g, the report of the fit %.17g", accuracy,
             run->accuracy);
    sepal_report_free(report);
}

static inline void check_file(struct fuzz *z, const struct run *run) {
    char path[64];
    sepal_model *loaded = NULL;
    size_t bytes = run->rows * run->width * sizeof *run->scores;
    double *scores = room(run->rows * run->width, sizeof *scores);
    snprintf(path, sizeof path, "fit_fuzz.%ld.sepal", (long)getpid());
    if (sepal_model_save(ctx, run->model, path) != SEPAL_OK ||
        sepal_model_load(&loaded, ctx, path) != SEPAL_OK ||
        sepal_model_scores(scores, ctx, loaded, run->data) != SEPAL_OK)
        find(z, run->options, "saved and loaded: %s", sepal_ctx_error(ctx));
    else if (memcmp(scores, run->scores, bytes) != 0)
        find(z, run->options, "saved and loaded, it scores the rows by other numbers");
    unlink(path);
    sepal_model_free(loaded);
    free(scores);
}

/* What no double holds is not proven, nor solved. */
static inline void check_part(struct fuzz *z, const struct run *run, size_t r) {
    const struct part *part = &run->parts[r];
    if (isnan(part->objective) && (part->converged || !isnan(part->gap)) && part->known)
        find(z, run->options, "part %zu: no objective, but converged %d, gap %g", r,
             part->converged, part->gap);
    if (!isnan(part->gap) && !part->known)
        find(z, run->options, "part %zu has a gap: write its objective into fit_fuzz_objective.h",
             r);
    if (!isnan(part->gap) && !(part->gap >= 0))
        find(z, run->options, "part %zu: gap %g", r, part->gap);
    if (part->converged && part->gap > DEFAULT_TOL)
        find(z, run->options, "part %zu: converged with a gap of %g", r, part->gap);
    if (!part->known || isnan(part->objective)) return;
    if (!(fabsl(part->objective - part->own) <= part->bar))
        find(z, run->options, "part %zu: objective %.17g, recomputed %.17Lg (rounding: %.2Lg)", r,
             part->objective, part->own, part->bar);
    /* a solver that was named may end anywhere, if it says so */
    bool above = part->own > part->start * (1 + 2 * DEFAULT_TOL) + part->bar;
    bool bound = part->converged || !run->options;
    if (bound && above && goal_is_convex(goal_of(z->spec.learner, run->model->spec)))
        find(z, run->options, "part %zu: objective %.17Lg, above the %.17Lg of weights 0", r,
             part->own, part->start);
}

/* Bounds are of weights in the units of the columns. */
static inline void check_bounds(struct fuzz *z, const struct run *run) {
    const struct linear *linear = &run->model->linear;
    for (size_t k = 0; z->spec.bounds && k < linear->rows * linear->cols; k++) {
        double shift, divisor;
        map_chain_fold(&run->model->chain, k % linear->cols, &shift, &divisor);
        double w = linear->w[k] / divisor;
        if (w >= z->spec.bounds->low && w <= z->spec.bounds->high) continue;
        find(z, run->options, "weight %zu is %.17g, out of bounds", k, w);
        return;
    }
}

static inline void check_run(struct fuzz *z, const struct run *run) {
    if (run->status != SEPAL_OK) {
        check_refusal(z, run);
        return;
    }
    check_finite(z, run);
    check_bounds(z, run);
    check_evaluation(z, run);
    long double sum = 0, bar = 0;
    for (size_t r = 0; r < run->n_parts; r++) {
        check_part(z, run, r);
        sum += run->parts[r].objective;
        bar += run->parts[r].bar;
    }
    if (fabsl(run->objective - sum) > 1e-12 * fabsl(sum) + bar)
        find(z, run->options, "objective %.17g, its parts add up to %.17Lg", run->objective, sum);
}

#endif
