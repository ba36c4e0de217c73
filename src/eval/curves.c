/* Curves over all thresholds, each of two numbers at a threshold: true positives against false ones (ROC),
   precision against recall, the fraction of rows that are so in bins of their probability, and accuracy
   against the part of the rows that is decided (Chow's trade-off). ROC curves leave out the points that
   lie evenly on a line with their neighbours, as scikit-learn does, and of very many points those stay
   that are apart: whatever is left out is within the step from one that stays. */
#include "core/alloc.h"
#include "eval/metric.h"
#include "model/decision.h"

#include <math.h>

enum { MOST_POINTS = 10000, FEWEST_POINTS = 200, POINTS_IN_ALL = 100000 };

struct point {
    double x, y, threshold;
};
struct curve {
    sepal_ctx *ctx;
    struct point *points;
    size_t n, room;
    double step; /* points that are nearer to the last one are left out; 0: none */
};

/* How far apart points are to be of a curve that has so many, one of K. */
static double curve_step(const struct evaluation *all, size_t points) {
    size_t most = POINTS_IN_ALL / all->linear->classes;
    if (most > MOST_POINTS) most = MOST_POINTS;
    if (most < FEWEST_POINTS) most = FEWEST_POINTS;
    return points > most ? 4.0 / (double)most : 0;
}

static sepal_status curve_add(struct curve *curve, struct point point, bool last) {
    if (curve->n > 0 && !last) {
        const struct point *before = &curve->points[curve->n - 1];
        if (fabs(point.x - before->x) < curve->step && fabs(point.y - before->y) < curve->step)
            return SEPAL_OK;
    }
    TRY(mem_reserve(curve->ctx, (void **)&curve->points, &curve->room, curve->n + 1, sizeof point));
    curve->points[curve->n++] = point;
    return SEPAL_OK;
}

static void curve_tell(struct evaluation *all, struct tree *parent, const struct point *point) {
    struct tree *row = tree_array(all->make, parent, NULL);
    tree_number(all->make, row, NULL, point->x);
    tree_number(all->make, row, NULL, point->y);
    tree_number(all->make, row, NULL, point->threshold);
}

/* ---- of a class --------------------------------------------------------------------------- */

struct class_curves {
    struct evaluation *all;
    size_t k;
    double total[2]; /* weight of the others and of the class */
};

/* A threshold in the numbers that users see: probabilities, where the model has them. */
static double threshold_of(const struct class_curves *of, uint64_t key) {
    const struct evaluation *all = of->all;
    double score = ranked_score(key);
    if (!evaluation_has_probabilities(all)) return score;
    bool odds = all->linear->classes == 2 || all->linear->strategy->sets;
    return odds ? logistic(score) : exp(score);
}

static sepal_status roc_points(struct curve *curve, const struct class_curves *of,
                               const struct ranked *ranked) {
    double fp = 0, tp = 0;
    struct ranked_walk walk = ranked_begin(ranked), next;
    TRY(curve_add(curve, (struct point){0, 0, INFINITY}, true));
    bool more = ranked_next(&walk), corner = true;
    while (more) {
        next = walk;
        more = ranked_next(&next);
        fp += walk.more[0];
        tp += walk.more[1];
        corner = corner || !more || next.more[0] != walk.more[0] || next.more[1] != walk.more[1];
        struct point point = {fp / of->total[0], tp / of->total[1], threshold_of(of, walk.key)};
        if (corner) TRY(curve_add(curve, point, !more));
        walk = next;
        corner = false;
    }
    return SEPAL_OK;
}

static sepal_status pr_points(struct curve *curve, const struct class_curves *of,
                              const struct ranked *ranked) {
    double fp = 0, tp = 0;
    size_t rows = 0, all_rows = ranked->side[0].n + ranked->side[1].n;
    TRY(curve_add(curve, (struct point){0, 1, NAN}, true));
    for (struct ranked_walk walk = ranked_begin(ranked); ranked_next(&walk);) {
        fp += walk.more[0];
        tp += walk.more[1];
        rows = walk.at[0] + walk.at[1];
        struct point point = {tp / of->total[1], tp / (tp + fp), threshold_of(of, walk.key)};
        TRY(curve_add(curve, point, rows == all_rows));
    }
    return SEPAL_OK;
}

/* One of the curves of a class: where its points come from, and what is under it. */
struct curve_kind {
    const char *area;
    double value;
    struct tree *list;
    sepal_status (*make)(struct curve *curve, const struct class_curves *of,
                         const struct ranked *ranked);
    size_t points; /* as many as it has */
    bool rising;   /* by rising thresholds */
};

static sepal_status tell_class(const struct class_curves *of, const struct ranked *ranked,
                               const struct curve_kind *kind) {
    struct evaluation *all = of->all;
    struct curve curve = {.ctx = all->ctx, .step = curve_step(all, kind->points)};
    sepal_status status = isnan(kind->value) ? SEPAL_OK : kind->make(&curve, of, ranked);
    struct tree *entry = tree_object(all->make, kind->list, NULL);
    tree_text(all->make, entry, "label", data_label_name(all->data, of->k));
    tree_number(all->make, entry, kind->area, kind->value);
    struct tree *points = tree_array(all->make, entry, "points");
    for (size_t i = 0; i < curve.n; i++)
        curve_tell(all, points, &curve.points[kind->rising ? curve.n - 1 - i : i]);
    mem_free(curve.points);
    return status;
}

static void tell_bins(struct evaluation *all, size_t k) {
    size_t n = all->options->bins;
    const struct bin *bins = all->probability.bins + k * n;
    struct tree *entry = tree_object(all->make, all->curves.calibration, NULL);
    tree_text(all->make, entry, "label", data_label_name(all->data, k));
    tree_number(all->make, entry, "ece", calibration_error(bins, n, all->data->total_weight));
    struct tree *list = tree_array(all->make, entry, "bins");
    for (size_t b = 0; b < n; b++) {
        if (bins[b].count == 0) continue;
        struct tree *bin = tree_object(all->make, list, NULL);
        tree_number(all->make, bin, "from", (double)b / (double)n);
        tree_number(all->make, bin, "to", (double)(b + 1) / (double)n);
        tree_number(all->make, bin, "count", bins[b].count);
        tree_number(all->make, bin, "mean_probability", bins[b].probability / bins[b].count);
        tree_number(all->make, bin, "fraction", bins[b].hits / bins[b].count);
    }
}

sepal_status curves_add(struct evaluation *all, size_t k, const struct ranked *ranked,
                        const struct ranking *ranking) {
    struct class_curves of = {.all = all, .k = k};
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < ranked->side[s].n; i++)
            of.total[s] += ranked->side[s].note ? ranked->side[s].note[i] : 1;
    const struct curve_kind roc = {.area = "auc",
                                   .value = ranking->roc_auc,
                                   .list = all->curves.roc,
                                   .make = roc_points,
                                   .points = ranking->corners + 1},
                            pr = {.area = "average_precision",
                                  .value = ranking->average_precision,
                                  .list = all->curves.pr,
                                  .make = pr_points,
                                  .points = ranking->steps + 1,
                                  .rising = true};
    TRY(tell_class(&of, ranked, &roc));
    TRY(tell_class(&of, ranked, &pr));
    if (all->probability.bins) tell_bins(all, k);
    return SEPAL_OK;
}

/* ---- of the reject option ----------------------------------------------------------------- */

/* The most probable class of each row, as `decide=reject` has it, whatever the rule in force. */
static sepal_status most_probable(int32_t *out, struct evaluation *all) {
    struct predictions plain = {.n = all->data->matrix.rows, .classes = out};
    struct decision_rule rule = *all->rule;
    rule.options.decide = DECIDE_hard;
    rule.options.cutoff = NAN;
    rule.options.ambiguous = AMBIGUOUS_CONFIDENCE;
    rule.abstains = false;
    return model_predict(&plain, all->ctx, all->model, all->data, &rule);
}

static bool rule_is_plain(const struct decision_rule *rule) {
    return rule->options.decide == DECIDE_hard && isnan(rule->options.cutoff) &&
           rule->options.ambiguous == AMBIGUOUS_CONFIDENCE;
}

static sepal_status coverage_points(struct curve *curve, const struct evaluation *all,
                                    const struct ranked *ranked) {
    double right = 0, decided = 0, total = all->confusion.total;
    size_t steps = 0, rows = ranked->side[0].n + ranked->side[1].n;
    for (struct ranked_walk walk = ranked_begin(ranked); ranked_next(&walk);) steps++;
    curve->step = curve_step(all, steps);
    for (struct ranked_walk walk = ranked_begin(ranked); ranked_next(&walk);) {
        right += walk.more[1];
        decided += walk.more[0] + walk.more[1];
        struct point point = {decided / total, right / decided, ranked_score(walk.key)};
        TRY(curve_add(curve, point, walk.at[0] + walk.at[1] == rows));
    }
    return SEPAL_OK;
}

static sepal_status tell_coverage(struct evaluation *all, const struct ranked *ranked) {
    struct curve curve = {.ctx = all->ctx};
    sepal_status status = coverage_points(&curve, all, ranked);
    struct tree *list = tree_array(all->make, all->curves.root, "coverage");
    for (size_t i = 0; i < curve.n; i++) {
        struct tree *row = tree_array(all->make, list, NULL);
        tree_number(all->make, row, NULL, curve.points[i].threshold);
        tree_number(all->make, row, NULL, curve.points[i].x);
        tree_number(all->make, row, NULL, curve.points[i].y);
    }
    mem_free(curve.points);
    return status;
}

/* Rows by the largest of their probabilities, the very number that a cutoff is held against. */
static sepal_status add_coverage(struct evaluation *all) {
    size_t n = all->data->matrix.rows, classes = all->linear->classes;
    const int32_t *decided = all->predictions.classes;
    double *most = arena_alloc(all->ctx, &all->arena, n, sizeof *most);
    bool *right = arena_alloc(all->ctx, &all->arena, n, sizeof *right);
    if (!most || !right) return SEPAL_EMEMORY;
    if (!rule_is_plain(all->rule)) {
        int32_t *plain = arena_alloc(all->ctx, &all->arena, n, sizeof *plain);
        if (!plain) return SEPAL_EMEMORY;
        TRY(most_probable(plain, all));
        decided = plain;
    }
    for (size_t i = 0; i < n; i++) {
        const double *p = all->predictions.probabilities + i * classes;
        most[i] = p[0];
        for (size_t k = 1; k < classes; k++) most[i] = fmax(most[i], p[k]);
        right[i] = decided[i] == all->data->label[i];
    }
    struct ranked ranked;
    struct ranking_rows rows = {
        .score = most, .n = n, .stride = 1, .positive = right, .weight = all->data->weight};
    TRY(ranked_make(&ranked, all->ctx, &rows, false));
    sepal_status status = tell_coverage(all, &ranked);
    ranked_clear(&ranked);
    return status;
}

/* ---- all ---------------------------------------------------------------------------------- */

void curves_begin(struct evaluation *all) {
    struct curve_trees *curves = &all->curves;
    curves->root = tree_object(all->make, NULL, NULL);
    curves->roc = tree_array(all->make, curves->root, "roc");
    curves->pr = tree_array(all->make, curves->root, "pr");
    if (evaluation_has_probabilities(all))
        curves->calibration = tree_array(all->make, curves->root, "calibration");
    else
        tree_null(all->make, curves->root, "calibration");
}

/* Label sets have no largest probability. */
sepal_status curves_end(struct evaluation *all) {
    if (!all->curves.root) return SEPAL_OK;
    if (all->predictions.probabilities)
        TRY(add_coverage(all));
    else
        tree_null(all->make, all->curves.root, "coverage");
    all->curves.root->key = "curves";
    tree_adopt(all->report, all->curves.root);
    return SEPAL_OK;
}
