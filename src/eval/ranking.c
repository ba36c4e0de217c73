/* Measures of an order of rows: how often a positive row stands above a negative one (ties count
   half), and the mean precision at the positive rows. Rows of equal score are taken together. */
#include "core/alloc.h"
#include "eval/metric.h"

#include <math.h>

struct ranking ranking_of(const struct ranked *ranked) {
    struct ranking out = {0};
    double tp = 0, fp = 0, area = 0, precision = 0, before[2] = {NAN, NAN};
    for (struct ranked_walk walk = ranked_begin(ranked); ranked_next(&walk); out.steps++) {
        double more_fp = walk.more[0], more_tp = walk.more[1];
        area += more_fp * (tp + more_tp / 2);
        tp += more_tp;
        fp += more_fp;
        if (more_tp > 0) precision += more_tp * tp / (tp + fp);
        out.corners += more_fp != before[0] || more_tp != before[1];
        before[0] = more_fp;
        before[1] = more_tp;
    }
    out.roc_auc = tp > 0 && fp > 0 ? area / (tp * fp) : NAN;
    out.average_precision = tp > 0 ? precision / tp : NAN;
    return out;
}

/* ---- by counting -------------------------------------------------------------------------- */

/* Searches side by side: each waits for its memory alone. */
enum { SEARCHES = 8 };

/* Of each how many of n > 0 keys in order are less. */
static void keys_below(size_t *out, const uint64_t *key, size_t n, const uint64_t *than) {
    size_t at[SEARCHES] = {0};
    for (; n > 1; n -= n / 2) /* without a branch that would be foretold wrongly half of the time */
        for (size_t s = 0; s < SEARCHES; s++)
            at[s] += (n / 2) & -(size_t)(key[at[s] + n / 2 - 1] < than[s]);
    for (size_t s = 0; s < SEARCHES; s++) out[s] = at[s] + (key[at[s]] < than[s]);
}

/* above[j] others stand between the scores j - 1 and j of the class's n, tied[j] have score j. Sums of whole and
   half numbers are exact in any order. */
static struct ranking ranking_walk(const uint64_t *key, size_t n, const uint32_t *above,
                                   const uint32_t *tied) {
    double tp = 0, fp = 0, area = 0, precision = 0;
    for (size_t j = 0, next; j < n; j = next) {
        for (next = j + 1; next < n && key[next] == key[j];) next++;
        double more_tp = (double)(next - j);
        area += above[j] * tp + tied[j] * (tp + more_tp / 2);
        fp += (double)above[j] + tied[j];
        tp += more_tp;
        precision += more_tp * tp / (tp + fp);
    }
    area += above[n] * tp;
    fp += above[n];
    return (struct ranking){.roc_auc = fp > 0 ? area / (tp * fp) : NAN,
                            .average_precision = precision / tp};
}

/* The scores of the class, from the highest down. */
static sepal_status sort_own(struct ranked *out, sepal_ctx *ctx, const struct ranking_rows *rows,
                             double *own, bool *marks) {
    struct ranking_rows some = {.score = own, .stride = 1, .sign = rows->sign, .positive = marks};
    for (size_t i = 0; i < rows->n; i++)
        if (rows->positive[i]) {
            marks[some.n] = true;
            own[some.n++] = rows->score[i * rows->stride];
        }
    return ranked_make(out, ctx, &some, false);
}

static sepal_status ranking_count(struct ranking *out, sepal_ctx *ctx,
                                  const struct ranking_rows *rows, const struct ranked_side *own) {
    double sign = rows->sign < 0 ? -1 : 1;
    uint32_t *above = mem_zero(ctx, own->n + 1, 2 * sizeof *above), *tied = above + own->n + 1;
    if (!above) return SEPAL_EMEMORY;
    uint64_t key[SEARCHES] = {0};
    size_t place[SEARCHES], n = 0;
    for (size_t i = 0; i < rows->n || n > 0; i++) {
        bool more = i < rows->n;
        if (more && rows->positive[i]) continue;
        if (more) key[n++] = ranked_key(sign * rows->score[i * rows->stride]);
        if (more && n < SEARCHES) continue;
        keys_below(place, own->key, own->n, key);
        for (size_t s = 0; s < n; s++) {
            size_t at = place[s];
            (at < own->n && own->key[at] == key[s] ? tied : above)[at]++;
        }
        n = 0;
    }
    *out = ranking_walk(own->key, own->n, above, tied);
    mem_free(above);
    return SEPAL_OK;
}

sepal_status ranking_counted(struct ranking *out, sepal_ctx *ctx, const struct ranking_rows *rows) {
    struct ranked ranked = {0};
    size_t n = 0;
    *out = (struct ranking){.roc_auc = NAN, .average_precision = NAN};
    for (size_t i = 0; i < rows->n; i++) n += rows->positive[i];
    if (n == 0) return SEPAL_OK;
    double *own = mem_alloc(ctx, n, sizeof *own);
    bool *marks = mem_alloc(ctx, n, sizeof *marks);
    sepal_status status = own && marks ? SEPAL_OK : SEPAL_EMEMORY;
    if (status == SEPAL_OK) status = sort_own(&ranked, ctx, rows, own, marks);
    if (status == SEPAL_OK) status = ranking_count(out, ctx, rows, &ranked.side[1]);
    ranked_clear(&ranked);
    mem_free(own);
    mem_free(marks);
    return status;
}

/* ---- errors ------------------------------------------------------------------------------- */

/* Of each row how far the part of the other side that it stands on the right side of is from the mean of
   that, the area. */
double ranking_auc_error(const struct ranked *ranked, double auc) {
    double total[2] = {0}, squares[2] = {0}, sum[2] = {0}, above[2] = {0};
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < ranked->side[s].n; i++) {
            double weight = ranked->side[s].note ? ranked->side[s].note[i] : 1;
            total[s] += weight;
            squares[s] += weight * weight;
        }
    for (struct ranked_walk walk = ranked_begin(ranked); ranked_next(&walk);) {
        double share[2] = {(above[1] + walk.more[1] / 2) / total[1],
                           1 - (above[0] + walk.more[0] / 2) / total[0]};
        for (int s = 0; s < 2; s++) {
            const struct ranked_side *side = &ranked->side[s];
            double weights = 0; /* squared */
            for (size_t i = walk.at[s]; i > 0 && side->key[i - 1] == walk.key; i--)
                weights += side->note ? side->note[i - 1] * side->note[i - 1] : 1;
            sum[s] += weights * (share[s] - auc) * (share[s] - auc);
            above[s] += walk.more[s];
        }
    }
    double variance = 0;
    for (int s = 0; s < 2; s++) {
        double n = total[s] * total[s] / squares[s];
        variance += n > 1 ? sum[s] / (total[s] * total[s]) * n / (n - 1) : INFINITY;
    }
    return isfinite(variance) ? sqrt(variance) : NAN;
}

static double roc_auc(const struct evaluation *all) {
    return all->ranking.roc_auc;
}

static double pr_auc(const struct evaluation *all) {
    return all->ranking.average_precision;
}

const struct metric metric_roc_auc = {
    .name = "roc_auc",
    .summary =
        "area under the ROC curve: chance that a row of the class scores above one that is not",
    .ranks = true,
    .of_rows = roc_auc};
const struct metric metric_pr_auc = {
    .name = "pr_auc",
    .summary = "average precision: mean precision at the rows of the class",
    .ranks = true,
    .of_rows = pr_auc};
