/* What two fits of the fit fuzzer must have in common: by another solver, of the same rows in another
   order, under other names, in other storage, or as copies instead of weights.

   Where there is a gap no tolerance is needed: two fits of one problem bound each other, D <= P, however
   far they got. Closed forms are compared by their scores. How much rounding may change those depends
   on the table, so where they differ the same table is fitted with its last bits changed, and only a
   difference far beyond what that makes is a finding. */
#ifndef TESTS_FIT_FUZZ_LAWS_H
#define TESTS_FIT_FUZZ_LAWS_H

#include "contract/fit_fuzz_runs.h"

/* ---- objectives --------------------------------------------------------------------------------- */

/* Converged without a gap, a solver promises a small step only: this part of the loss at 0. */
static const long double NO_GAP_SLACK = 1e-5L;
/* Beyond what the last bits of a table change, so many times, a difference is none of rounding. */
static const double FAR = 300, ALIKE = 1e-9;

/* How far one fit's claim is from another fit's objective: above 0, one of them is wrong. `rows`: the
   weights' sum depends on their order. */
static inline long double excess(const struct part *low, const struct part *high, size_t rows) {
    bool claims = low->known && high->known && !isnan(low->objective);
    if (claims && !isnan(low->gap)) {
        long double bound = low->objective * (1 - (long double)low->gap);
        long double own_error = high->bar * (LDBL_EPSILON / DBL_EPSILON);
        return bound - high->own - own_error -
               4 * (long double)(rows + 1) * DBL_EPSILON * fabsl(low->objective);
    }
    /* P falls from u to v by no more than its slope at u times v - u, and a slope is known up to the
       rounding of its sum: where v is so far away that this is more, none can tell by its slope */
    long double blind = 64 * DBL_EPSILON * (low->reach + high->reach) * fmaxl(1, high->start);
    if (claims && low->converged)
        return low->own - high->own - NO_GAP_SLACK * high->start - low->bar - blind;
    return 0;
}

static inline void find_excess(struct fuzz *z, const char *law, const char *options,
                               const struct part *low, const struct part *high, size_t r) {
    if (!isnan(low->gap))
        find(z, options,
             "%s: part %zu: D = %.17Lg (gap %.2g) is above P = %.17Lg, by %.2Lg (rounding of P in "
             "double: %.2Lg)",
             law, r, low->objective * (1 - (long double)low->gap), low->gap, high->own,
             low->objective * (1 - (long double)low->gap) - high->own, low->bar);
    else
        find(z, options, "%s: part %zu: converged at %.17Lg, but there is %.17Lg", law, r, low->own,
             high->own);
}

/* ---- scores ------------------------------------------------------------------------------------- */

/* How rows and scores of a changed table meet those of the table; NULL: unchanged. */
struct meeting {
    const size_t *row;   /* row i is row[i] of the changed one */
    const size_t *class; /* class k is class[k] there */
};

static inline double score_at(const struct run *run, const struct meeting *m, size_t i, size_t k) {
    double turn = 1;
    if (m && m->row) i = m->row[i];
    if (m && m->class && run->width == 1) turn = m->class[0] == 0 ? 1 : -1;
    if (m && m->class && run->width > 1) k = m->class[k];
    return turn * run->scores[i * run->width + k];
}

static inline double largest_score(const struct run *run) {
    double size = 0;
    for (size_t k = 0; k < run->rows * run->width; k++)
        if (isfinite(run->scores[k])) size = fmax(size, fabs(run->scores[k]));
    /* targets are -1 and 1, or further away: what is far below is rounding */
    if (run->squares) size = fmax(size, 1);
    return size > 0 ? size : 1;
}

/* The largest difference of scores, as a part of the largest score. */
static inline double scores_differ(const struct run *a, const struct run *b,
                                   const struct meeting *m) {
    double difference = 0;
    for (size_t i = 0; i < a->rows; i++)
        for (size_t k = 0; k < a->width && !a->tied[i]; k++) {
            double x = a->scores[i * a->width + k], y = score_at(b, m, i, k);
            if (isfinite(x) && isfinite(y)) difference = fmax(difference, fabs(x - y));
        }
    return difference / largest_score(a);
}

static inline struct table table_copy(const struct table *t) {
    struct table out = table_of(t->p.rows, t->p.cols, t->p.classes);
    memcpy(out.p.x, t->p.x, t->p.rows * t->p.cols * sizeof *out.p.x);
    memcpy(out.p.label, t->p.label, t->p.rows * sizeof *out.p.label);
    if (t->p.weight) {
        out.p.weight = room(t->p.rows, sizeof *out.p.weight);
        memcpy(out.p.weight, t->p.weight, t->p.rows * sizeof *out.p.weight);
    }
    out.sparse = t->sparse;
    out.blurred = t->blurred;
    memcpy(out.words, t->words, sizeof out.words);
    return out;
}

/* How far the scores (as a part of the largest) and the objectives move when the last bits of the table
   do; infinity when the fit's fate changes. */
struct moves {
    double scores;
    long double objective;
};

/* Each number by some of its last bits, and those of a column and class together by as much as their
   sum's rounding. */
static inline void jitter(struct table *t, struct rng *rng) {
    for (size_t j = 0; j < t->p.cols; j++) {
        double together[CLASSES_MOST];
        for (size_t k = 0; k < CLASSES_MOST; k++)
            together[k] = (2 * rng_unit(rng) - 1) * sqrt((double)t->p.rows);
        for (size_t i = 0; i < t->p.rows; i++)
            *cell(t, i, j) *=
                1 + DBL_EPSILON * ((double)rng_below(rng, 9) - 4 + together[t->p.label[i]]);
    }
}

static inline struct moves moves_of(struct fuzz *z, const struct run *base) {
    enum { TRIES = 4 };
    struct rng rng = rng_make(z->seed, 2 * z->number + 1); /* fixed: the seed of the problem */
    struct moves most = {0};
    for (int k = 0; k < TRIES; k++) {
        struct table t = table_copy(&z->table);
        jitter(&t, &rng);
        struct run run = run_fit(z, &t, NULL, base->options);
        if (run.status != base->status) most = (struct moves){INFINITY, INFINITY};
        if (run.status == base->status && run.status == SEPAL_OK) {
            most.scores = fmax(most.scores, scores_differ(base, &run, NULL));
            for (size_t r = 0; r < base->n_parts; r++)
                most.objective =
                    fmaxl(most.objective, fabsl(run.parts[r].own - base->parts[r].own));
        }
        run_free(&run);
        table_free(&t);
    }
    return most;
}

/* What a centre that is kept beside sparse rows costs, in units of phi. */
static inline double centre_error(const struct run *a, const struct run *b) {
    return 64 * DBL_EPSILON * fmax(a->taken, b->taken);
}

/* A factorisation is exact up to the rounding of its largest rows, and a row counts by the root of its
   weight: light rows take on the rounding of heavy ones. Shrinkage, standard deviations and variances of
   single columns are of squares, where it counts by its weight. */
static inline double weights_error(const struct fuzz *z) {
    const struct table *t = &z->table;
    double least = INFINITY, most = 0;
    for (size_t i = 0; t->p.weight && i < t->p.rows; i++) {
        if (t->p.weight[i] == 0) continue;
        least = fmin(least, t->p.weight[i]);
        most = fmax(most, t->p.weight[i]);
    }
    if (!(most > least)) return 0;
    static const char *const words[] = {"shrinkage=", "standardize", "spherical", "diagonal",
                                        "kind=gaussian"};
    bool squares = false;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        squares = squares || strstr(z->spec.text, words[k]);
    return 64 * DBL_EPSILON * (squares ? most / least : sqrt(most / least));
}

static inline void compare_scores(struct fuzz *z, const char *law, const struct run *base,
                                  const struct run *changed, const struct meeting *m) {
    double difference = scores_differ(base, changed, m), reach = fmax(base->reach, changed->reach);
    double slack = ALIKE + centre_error(base, changed) + weights_error(z);
    slack += 64 * DBL_EPSILON * reach / largest_score(base);
    if (difference <= slack) return;
    double moves = moves_of(z, base).scores;
    if (difference > slack + FAR * moves)
        find(z, base->options, "%s: scores differ by %.2g, but by %.2g where the last bits change",
             law, difference, moves);
}

/* Part r of one run and part other[r] (NULL: r) of another. Where maps make phi(x) of x, another order
   or storage may change its last bits. */
static inline void compare_objectives(struct fuzz *z, const char *law, const struct run *a,
                                      const struct run *b, const size_t *other, bool same_table) {
    const char *options = a->options ? a->options : b->options;
    size_t rows = same_table ? 0 : a->rows;
    long double moves = -1;
    if (a->n_parts != b->n_parts) {
        find(z, options, "%s: %zu problems and %zu", law, a->n_parts, b->n_parts);
        return;
    }
    for (size_t r = 0; r < 2 * a->n_parts; r++) {
        const struct part *p = &a->parts[r / 2], *q = &b->parts[other ? other[r / 2] : r / 2];
        const struct part *low = r % 2 ? p : q, *high = r % 2 ? q : p;
        long double by = excess(low, high, rows);
        if (!(by > 0)) continue;
        if (a->mapped && !same_table && isnan(low->gap))
            continue; /* without a penalty P may jump */
        /* nor need a solver tell columns apart that differ by their last bits alone, as those that a map
           bends may */
        bool alike = isnan(low->gap) && (z->table.blurred || a->bent);
        if (alike && by <= FAR * moves_of(z, r % 2 ? b : a).objective) continue;
        if (a->mapped && !same_table) {
            if (moves < 0) moves = moves_of(z, a).objective;
            if (by <= FAR * moves + (ALIKE + centre_error(a, b)) * high->start) continue;
        }
        find_excess(z, law, options, low, high, r / 2);
    }
}

/* Which sums are taken depends on how many rows there are, and so does which are too large. */
static inline bool out_of_range(const struct run *run) {
    return run->status == SEPAL_EDATA && strstr(run->error, "beyond the range");
}

/* A changed table, fitted: a refusal must meet a refusal. */
static inline void compare(struct fuzz *z, const char *law, const struct run *base,
                           const struct run *changed, const struct meeting *m,
                           const size_t *other) {
    check_run(z, changed);
    if (base->status != changed->status) {
        bool ranges = out_of_range(base) || out_of_range(changed);
        if (!ranges && moves_of(z, base).scores < INFINITY)
            find(z, base->options, "%s: status %d ('%s') became %d ('%s')", law, (int)base->status,
                 base->error, (int)changed->status, changed->error);
        return;
    }
    if (base->status != SEPAL_OK) return;
    enum goal_kind kind = goal_of(z->spec.learner, base->model->spec);
    /* the mean of a perceptron's weights depends on its way, and ties on the way on rounding */
    if (kind != GOAL_PERCEPTRON || !strstr(z->spec.text, "averaged"))
        compare_objectives(z, law, base, changed, other, false);
    /* a perceptron's mistakes are signs of sums, and rounding decides the ties; columns that a map bends
       have a rank by bits which changing those of the table does not reach, where it is not full */
    bool by_rank = base->bent && (base->singular || changed->singular);
    if (!goal_is_convex(kind) && kind != GOAL_PERCEPTRON && kind != GOAL_MSE && !by_rank)
        compare_scores(z, law, base, changed, m);
}

/* ---- what depends on an order ------------------------------------------------------------------- */

/* Maps that draw by chance, by row or by column: another order is another map. */
static inline bool maps_by_rows(const struct fuzz *z) {
    return strstr(z->spec.text, "rbf") != NULL;
}

static inline bool maps_by_columns(const struct fuzz *z) {
    return maps_by_rows(z) || strstr(z->spec.text, "fourier") || strstr(z->spec.text, "hash");
}

/* Steps that follow the rows one by one. */
static inline bool steps_by_rows(const struct fuzz *z) {
    return goal_of(z->spec.learner, z->spec.text) == GOAL_PERCEPTRON &&
           !strstr(z->spec.text, "variant=batch");
}

/* ---- laws --------------------------------------------------------------------------------------- */

static inline void shuffled(size_t *out, size_t n, struct rng *rng) {
    for (size_t i = 0; i < n; i++) out[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(rng, i), kept = out[i - 1];
        out[i - 1] = out[j];
        out[j] = kept;
    }
}

static inline void copy_row(struct table *to, size_t i, const struct table *from, size_t j) {
    memcpy(cell(to, i, 0), cell(from, j, 0), to->p.cols * sizeof *to->p.x);
    to->p.label[i] = from->p.label[j];
    if (to->p.weight) to->p.weight[i] = from->p.weight[j];
}

static inline void law_row_order(struct fuzz *z, const struct run *base, struct rng *rng) {
    if (maps_by_rows(z) || steps_by_rows(z)) return;
    struct table t = table_copy(&z->table);
    size_t *to = room(t.p.rows, sizeof *to);
    shuffled(to, t.p.rows, rng);
    for (size_t i = 0; i < t.p.rows; i++) copy_row(&t, to[i], &z->table, i);
    struct run run = run_fit(z, &t, NULL, NULL);
    struct meeting m = {.row = to};
    compare(z, "row order", base, &run, &m, NULL);
    run_free(&run);
    table_free(&t);
    free(to);
}

static inline void law_column_order(struct fuzz *z, const struct run *base, struct rng *rng) {
    if (maps_by_columns(z) || z->table.p.cols == 1) return;
    struct table t = table_copy(&z->table);
    size_t *to = room(t.p.cols, sizeof *to);
    shuffled(to, t.p.cols, rng);
    for (size_t i = 0; i < t.p.rows; i++)
        for (size_t j = 0; j < t.p.cols; j++) *cell(&t, i, to[j]) = *cell(&z->table, i, j);
    struct run run = run_fit(z, &t, NULL, NULL);
    compare(z, "column order", base, &run, NULL, NULL);
    run_free(&run);
    table_free(&t);
    free(to);
}

/* Bits that may not change at all. */
static inline void same_bits(struct fuzz *z, const char *law, const struct run *a,
                             const struct run *b) {
    check_run(z, b);
    if (a->status != b->status)
        find(z, a->options, "%s: status %d ('%s') became %d ('%s')", law, (int)a->status, a->error,
             (int)b->status, b->error);
    else if (a->status == SEPAL_OK &&
             memcmp(a->scores, b->scores, a->rows * a->width * sizeof *a->scores) != 0)
        find(z, a->options, "%s: the scores' bits changed, by %.2g", law,
             scores_differ(a, b, NULL));
}

static inline void law_names(struct fuzz *z, const struct run *base) {
    static const char *const names[CLASSES_MOST] = {"Aa", "Ab", "b", "d", "dd", "e e",
                                                    "f",  "g",  "z", "é", "ж",  "語"};
    struct run run = run_fit(z, &z->table, names, NULL);
    same_bits(z, "names in the same order", base, &run);
    run_free(&run);
}

/* Classes in another order. Ties, the last class of ovr-1 and the votes of ovo depend on it. */
static inline void law_class_order(struct fuzz *z, const struct run *base, struct rng *rng) {
    size_t to[CLASSES_MOST], n = z->table.p.classes;
    const char *names[CLASSES_MOST];
    bool votes = z->spec.reduction &&
                 (z->spec.reduction == &strategy_ovr_1 || z->spec.reduction == &strategy_ovo);
    if (steps_by_rows(z) || goal_of(z->spec.learner, z->spec.text) == GOAL_PERCEPTRON) return;
    if (n > 2 && votes) return;
    /* the one score of two classes changes its sign */
    if (n == 2 && z->spec.bounds && z->spec.bounds->low != -z->spec.bounds->high) return;
    shuffled(to, n, rng);
    for (size_t k = 0; k < CLASSES_MOST; k++) names[k] = plain_names[k < n ? to[k] : k];
    struct run run = run_fit(z, &z->table, names, NULL);
    struct meeting m = {.class = to};
    compare(z, "class order", base, &run, &m, base->n_parts == n ? to : NULL);
    run_free(&run);
}

static inline void law_weightless(struct fuzz *z, const struct run *base) {
    if (z->given.p.rows == z->table.p.rows) return;
    struct run run = run_fit(z, &z->given, NULL, NULL);
    same_bits(z, "rows of weight 0 left out", base, &run);
    run_free(&run);
}

static inline bool weights_are_whole(const struct table *t) {
    if (!t->p.weight) return false;
    for (size_t i = 0; i < t->p.rows; i++)
        if (t->p.weight[i] > 3 || t->p.weight[i] != floor(t->p.weight[i])) return false;
    return true;
}

/* A row of weight 3 is three rows. */
static inline void law_copies(struct fuzz *z, const struct run *base) {
    if (!weights_are_whole(&z->table) || maps_by_rows(z) || steps_by_rows(z)) return;
    size_t n = 0, *first = room(z->table.p.rows, sizeof *first);
    for (size_t i = 0; i < z->table.p.rows; i++) first[i] = n, n += (size_t)z->table.p.weight[i];
    struct table t = table_of(n, z->table.p.cols, z->table.p.classes);
    t.sparse = z->table.sparse;
    for (size_t i = 0; i < z->table.p.rows; i++)
        for (size_t k = 0; k < (size_t)z->table.p.weight[i]; k++)
            copy_row(&t, first[i] + k, &z->table, i);
    struct run run = run_fit(z, &t, NULL, NULL);
    struct meeting m = {.row = first};
    compare(z, "weights are copies", base, &run, &m, NULL);
    run_free(&run);
    table_free(&t);
    free(first);
}

static inline void law_storage(struct fuzz *z, const struct run *base) {
    struct table t = z->table;
    t.sparse = !t.sparse;
    if (maps_by_rows(z)) return;
    struct run run = run_fit(z, &t, NULL, NULL);
    compare(z, "sparse or dense", base, &run, NULL, NULL);
    run_free(&run);
}

static inline void law_threads(struct fuzz *z, const struct run *base) {
    sepal_ctx_set_threads(ctx, 3);
    struct run run = run_fit(z, &z->table, NULL, NULL);
    sepal_ctx_set_threads(ctx, 1);
    same_bits(z, "three threads", base, &run);
    run_free(&run);
}

/* ---- calibration -------------------------------------------------------------------------------- */

/* Calibrated, it is the same model with probabilities; or the rows are too few, or too odd without a fold. */
static inline void law_calibration(struct fuzz *z, const struct run *base) {
    static const char *const options[] = {"calibrate=platt, calibrate-folds=2",
                                          "calibrate=isotonic, calibrate-folds=3",
                                          "calibrate=temperature, calibrate-folds=2"};
    struct run run = run_fit(z, &z->table, NULL, options[z->number % 3]);
    size_t classes = base->status == SEPAL_OK ? base->model->linear.classes : 0;
    double *p = room(run.rows * classes, sizeof *p);
    sepal_predictions answers = {.size = sizeof answers, .numbers = p, .what = SEPAL_PROBABILITIES};
    if (run.status != SEPAL_OK) {
        check_refusal(z, &run);
    } else if (base->status != SEPAL_OK) {
        find(z, run.options, "calibrated it can be fitted");
    } else if (memcmp(run.scores, base->scores, run.rows * run.width * sizeof *p) != 0) {
        find(z, run.options, "calibrated, it scores the rows by other numbers");
    } else if (sepal_model_predict_rows(&answers, ctx, run.model, run.data, 0, run.rows, NULL) !=
               SEPAL_OK) {
        find(z, run.options, "no probabilities: %s", sepal_ctx_error(ctx));
    } else {
        for (size_t i = 0; i < run.rows; i++) {
            double sum = 0, least = 0;
            for (size_t k = 0; k < classes; k++) {
                sum += p[i * classes + k];
                least = fmin(least, p[i * classes + k]);
            }
            if (!(fabs(sum - 1) < 1e-9) || least < 0)
                find(z, run.options, "row %zu: probabilities with a sum of %g", i, sum);
        }
        check_file(z, &run);
    }
    free(p);
    run_free(&run);
}

/* ---- bootstrap ---------------------------------------------------------------------------------- */

/* Resampled, it is the same model with errors beside its coefficients; or it has none to resample. */
static inline void law_bootstrap(struct fuzz *z, const struct run *base) {
    struct run run = run_fit(z, &z->table, NULL, "bootstrap=3");
    sepal_report *report = NULL;
    if (run.status != SEPAL_OK) {
        check_refusal(z, &run);
    } else if (base->status != SEPAL_OK) {
        find(z, run.options, "resampled it can be fitted");
    } else {
        same_bits(z, "a bootstrap", base, &run);
        check_file(z, &run);
        if (sepal_model_summary(&report, ctx, run.model) != SEPAL_OK)
            find(z, run.options, "no summary: %s", sepal_ctx_error(ctx));
    }
    sepal_report_free(report);
    run_free(&run);
}

/* ---- solvers ------------------------------------------------------------------------------------ */

/* Every solver on the same table. Each is checked against the best that any of them found. */
static inline void law_solvers(struct fuzz *z, const struct run *base) {
    enum { SOLVERS_MOST = 32 };
    const struct solver_name *const *names = z->spec.learner->solvers;
    struct run runs[SOLVERS_MOST];
    char options[SOLVERS_MOST][64];
    size_t n = 0, solvers = 0;
    while (names && names[solvers]) solvers++;
    assert_true(solvers < SOLVERS_MOST);
    for (size_t k = 0; k < solvers; k++) {
        snprintf(options[k], sizeof *options, "solver=%s%s", names[k]->name,
                 (z->number + k) % 4 == 0 ? ", max-iter=7" : ", max-iter=1000");
        runs[n] = run_fit(z, &z->table, NULL, options[k]);
        check_run(z, &runs[n]);
        n++;
    }
    for (size_t k = 0; k < n; k++) {
        if (runs[k].status != SEPAL_OK) continue;
        compare_objectives(z, "against the default solver", &runs[k], base, NULL, true);
        for (size_t l = 0; l < k; l++)
            if (runs[l].status == SEPAL_OK)
                compare_objectives(z, runs[l].options, &runs[k], &runs[l], NULL, true);
    }
    for (size_t k = 0; k < n; k++) run_free(&runs[k]);
}

#endif
