/* What a film strip says of its steps in words: whether they are of the rows that it is drawn with, and how their number
   compares with Novikoff's bound. */
#include "plot/trace.h"

#include <stdio.h>
#include <string.h>

double trace_bias(const struct tree *step) {
    const struct tree *bias = tree_find(step, "bias");
    return bias && bias->first && bias->first->kind == TREE_NUMBER ? bias->first->number : 0;
}

/* w . v of a step's weights. */
double trace_product(const struct tree *step, const double *v) {
    double sum = 0;
    size_t j = 0;
    for (const struct tree *w = tree_find(step, "weights")->first->first; w; w = w->next, j++)
        sum += (w->kind == TREE_NUMBER ? w->number : 0) * v[j];
    return sum;
}

/* ---- Whether the trace is of these rows ------------------------------------------------------- */

/* The score of a row by a step's weights, and how far rounding may have moved it. */
static double step_score(double *slack, const struct tree *step, const double *x) {
    double sum = trace_bias(step), size = fabs(sum);
    size_t j = 0;
    for (const struct tree *w = tree_find(step, "weights")->first->first; w; w = w->next, j++) {
        double term = (w->kind == TREE_NUMBER ? w->number : 0) * x[j];
        sum += term;
        size += fabs(term);
    }
    *slack = 1e-9 * size;
    return sum;
}

/* What stands in for a missing number is learnt from the rows of the fit, which may be fewer. */
static bool misses_number(const struct trace *t, size_t row, double *room) {
    const sepal_data *data = t->rows.part ? t->rows.part : t->plot->data;
    size_t i;
    const struct block *block = matrix_block_of(&data->matrix, row, &i);
    block_dense(block, i, 1, data->matrix.cols, NULL, NULL, room, data->matrix.cols);
    for (size_t j = 0; j < data->matrix.cols; j++)
        if (isnan(room[j])) return true;
    return false;
}

static sepal_status other_rows(const struct trace *t, const struct tree *step, const char *what) {
    return fail(t->plot->ctx, SEPAL_EDATA,
                "the trace is not of these rows as they are: at update %.0f %s. It is of other "
                "data, or of maps, whose weights are of other columns: write the rows behind the "
                "maps with `sepal transform`, and train on them without maps",
                tree_value(step, "update"), what);
}

/* A step on one example tells its row and the score of that after it. */
static sepal_status check_example(bool *known, const struct trace *t, const struct tree *step,
                                  double *x, double *room) {
    double example = tree_value(step, "example"), score = tree_value(step, "score_after"), slack;
    char what[160];
    if (!(example >= 0) || example > 1e15 || !isfinite(score)) return SEPAL_OK;
    size_t row = matrix_find_number(&t->rows.prepared.rows.matrix, (size_t)example);
    if (row >= t->rows.n) {
        if (t->rows.n < t->rows.of) return SEPAL_OK;
        (void)snprintf(what, sizeof what, "it is row %.0f, which is not there", example + 1);
        return other_rows(t, step, what);
    }
    if (misses_number(t, row, room)) return SEPAL_OK;
    sampled_row(x, &t->rows, row);
    double s = step_score(&slack, step, x);
    const char *own = sampled_label(&t->rows, (size_t)t->rows.rows.label[row]);
    *known = true;
    if (fabs(s - score) <= slack + 1e-9 * fabs(score) &&
        strcmp(tree_word(step, "label", own), own) == 0)
        return SEPAL_OK;
    (void)snprintf(what, sizeof what,
                   "row %.0f has the score %.6g and its weights give that row %.6g", example + 1,
                   score, s);
    if (fabs(s - score) <= slack + 1e-9 * fabs(score))
        (void)snprintf(what, sizeof what, "row %.0f has another label", example + 1);
    return other_rows(t, step, what);
}

/* A step on all rows tells how many of them the weights before it had wrong. */
static sepal_status check_count(bool *known, const struct trace *t, size_t i, double *x) {
    const struct tree *step = t->steps[i], *before = t->steps[i - 1];
    double told = tree_value(step, "examples"), sure = 0, possible = 0, slack;
    char what[160];
    if (!isfinite(told)) return SEPAL_OK;
    for (size_t row = 0; row < t->rows.n; row++) {
        if (row % 4096 == 0) TRY(check_cancelled(t->plot->ctx, "drawing"));
        sampled_row(x, &t->rows, row);
        double s = step_score(&slack, before, x);
        double margin = t->rows.rows.label[row] == 1 ? s : -s;
        sure += margin < -slack;
        possible += margin <= slack;
    }
    *known = true;
    if (told >= sure && told <= possible) return SEPAL_OK;
    (void)snprintf(what, sizeof what, "%.0f rows are wrong, and by its weights %.0f of these are",
                   told, possible);
    return other_rows(t, step, what);
}

/* The numbers of a trace tell whether it is of these rows: refuse it if not, say so if they cannot. */
sepal_status trace_check_rows(const struct trace *t) {
    enum { STEPS_MOST = 2000, COUNTS_MOST = 20 };
    struct plot *plot = t->plot;
    size_t given = plot->data->matrix.cols;
    double *x = arena_alloc(plot->ctx, &plot->arena, t->plane.cols, sizeof *x);
    double *room = arena_alloc(plot->ctx, &plot->arena, given > 0 ? given : 1, sizeof *room);
    bool known = false;
    if (!x || !room) return SEPAL_EMEMORY;
    /* a first step of as many examples as there are rows is one on all of them */
    bool all = t->rows.n == t->rows.of && tree_value(t->steps[0], "examples") == (double)t->rows.n;
    for (size_t i = 0; i < t->n && i < STEPS_MOST; i++) {
        TRY(check_example(&known, t, t->steps[i], x, room));
        if (all && i > 0 && i < COUNTS_MOST) TRY(check_count(&known, t, i, x));
    }
    if (!known)
        page_note(plot, "This trace does not tell its rows: it cannot be checked that it is of "
                        "these, without maps.");
    return SEPAL_OK;
}

/* ---- The bound ------------------------------------------------------------------------------- */

/* Novikoff: from weights of 0 there are at most (R/gamma)^2 updates, with the bias as a weight of 1. */
sepal_status trace_tell_bound(const struct trace *t) {
    const struct tree *last = t->steps[t->n - 1];
    struct plot *plot = t->plot;
    double updates = tree_value(last, "update"), radius = 0, margin = INFINITY, norm = 0;
    double bias = trace_bias(last);
    double *x = arena_alloc(plot->ctx, &plot->arena, t->plane.cols, sizeof *x);
    size_t wrong = 0;
    if (!x) return SEPAL_EMEMORY;
    if (!isfinite(updates) || t->rows.n < t->rows.of) return SEPAL_OK;
    for (const struct tree *w = tree_find(last, "weights")->first->first; w; w = w->next)
        norm += w->kind == TREE_NUMBER ? w->number * w->number : 0;
    norm = sqrt(norm + bias * bias);
    for (size_t i = 0; i < t->rows.n; i++) {
        sampled_row(x, &t->rows, i);
        double square = 1, s = trace_product(last, x) + bias;
        for (size_t j = 0; j < t->plane.cols; j++) square += x[j] * x[j];
        double m = (t->rows.rows.label[i] == 1 ? s : -s) / norm;
        wrong += !(m > 0);
        margin = fmin(margin, m);
        radius = fmax(radius, sqrt(square));
    }
    char bound[TICK_BYTES];
    number_label(bound, floor(radius * radius / (margin * margin) * (1 + 1e-12)), 6);
    if (wrong > 0 && isfinite(tree_value(last, "examples")))
        page_note(plot, "%.0f updates. After the last, %zu of %zu rows are still wrong.", updates,
                  wrong, t->rows.n);
    else if (wrong > 0)
        page_note(plot,
                  "%.0f updates. After the last, %zu of %zu rows are still wrong: there is no "
                  "bound without a hyperplane that separates the classes.",
                  updates, wrong, t->rows.n);
    else if (isfinite(tree_value(last, "examples"))) /* of many examples each: nothing is proved */
        page_note(plot, "%.0f updates. No row is wrong any more.", updates);
    else
        page_note(plot,
                  "%.0f updates; the bound (R/\xCE\xB3)\xC2\xB2 with the margin of the last "
                  "weights allows %s. No row is wrong any more.",
                  updates, bound);
    return SEPAL_OK;
}
