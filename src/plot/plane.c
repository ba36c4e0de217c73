/* Planes, the rows that are drawn in them, and what a model says of their points. */
#include "plot/plane.h"

#include "core/alloc.h"
#include "core/rng.h"
#include "model/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rows ------------------------------------------------------------------------------------ */

/* `most` of them by chance, in their order (selection sampling, Knuth's algorithm S). */
static sepal_status draw_rows(struct sampled *out, struct plot *plot, size_t most) {
    sepal_ctx *ctx = plot->ctx;
    size_t *rows = arena_alloc(ctx, &out->arena, most, sizeof *rows), n = 0;
    struct rng rng = rng_make(ctx->seed, 0x706C6F74);
    if (!rows) return SEPAL_EMEMORY;
    for (size_t i = 0; i < out->of && n < most; i++)
        if (rng_below(&rng, out->of - i) < most - n) rows[n++] = i;
    return data_select(&out->part, ctx, plot->data, rows, n);
}

static sepal_status predict_sampled(struct sampled *out, struct plot *plot) {
    struct decision_rule rule;
    out->predicted = arena_alloc(plot->ctx, &out->arena, out->n, sizeof *out->predicted);
    if (!out->predicted) return SEPAL_EMEMORY;
    TRY(decision_rule_make(&rule, plot->ctx, &out->arena, plot->model, NULL));
    struct predictions predictions = {.n = out->n, .classes = out->predicted};
    return model_predict(&predictions, plot->ctx, plot->model, &out->prepared.rows, &rule);
}

sepal_status sample_rows(struct sampled *out, struct plot *plot, size_t most, bool predict) {
    sepal_ctx *ctx = plot->ctx;
    *out = (struct sampled){.of = plot->data->matrix.rows};
    if (out->of == 0) return fail(ctx, SEPAL_EDATA, "the data has no rows to draw");
    if (!plot->data->label)
        return fail(ctx, SEPAL_EDATA,
                    "this picture is of rows with one label each, which the data does not have");
    if (out->of > most) TRY(draw_rows(out, plot, most));
    const sepal_data *data = out->part ? out->part : plot->data;
    out->n = data->matrix.rows;
    if (plot->model) {
        TRY(match_rows(&out->prepared, ctx, plot->model, data, 0, out->n));
        TRY(match_labels(&out->rows, ctx, &out->arena, plot->model, &out->prepared.rows));
    } else {
        TRY(prepare_fit(&out->prepared, ctx, data));
        out->rows = out->prepared.rows;
    }
    return predict ? predict_sampled(out, plot) : SEPAL_OK;
}

void sampled_clear(struct sampled *sampled) {
    prepared_clear(&sampled->prepared);
    data_free(sampled->part);
    arena_clear(&sampled->arena);
}

const char *sampled_label(const struct sampled *sampled, size_t k) {
    return data_label_name(&sampled->rows, k);
}

void sampled_note(const struct sampled *sampled, struct plot *plot) {
    if (sampled->n == sampled->of) return;
    page_note(plot, "%zu of %zu rows are drawn, by chance.", sampled->n, sampled->of);
    warn(plot->ctx, "rows-sampled",
         "%zu of %zu rows are drawn, by chance; " OPTION "points says how many", sampled->n,
         sampled->of);
}

void sampled_row(double *out, const struct sampled *sampled, size_t row) {
    const struct matrix *matrix = &sampled->prepared.rows.matrix;
    size_t i;
    const struct block *block = matrix_block_of(matrix, row, &i);
    block_dense(block, i, 1, matrix->cols, NULL, NULL, out, matrix->cols);
}

/* ---- Planes ---------------------------------------------------------------------------------- */

static const char *column_name(struct plot *plot, const struct sampled *rows, size_t j) {
    const struct schema *schema = plot->model ? plot->model->schema : rows->prepared.learnt;
    struct text name = {0};
    schema_column_name(plot->ctx, &name, schema ? schema : rows->rows.schema, j);
    const char *copy =
        name.failed ? NULL : arena_text(plot->ctx, &plot->arena, name.bytes, name.length);
    text_clear(&name);
    return copy;
}

/* A column by its name, or else by its number from 1. */
static sepal_status find_column(size_t *out, struct plot *plot, const struct sampled *rows,
                                size_t cols, const char *wanted) {
    size_t number = 0;
    char shown[TEXT_SHOWN_BYTES];
    for (size_t j = 0; j < cols; j++) {
        const char *name = column_name(plot, rows, j);
        if (!name) return SEPAL_EMEMORY;
        *out = j;
        if (strcmp(name, wanted) == 0) return SEPAL_OK;
    }
    for (const char *c = wanted; *c >= '0' && *c <= '9' && number <= cols; c++)
        number = number * 10 + (size_t)(*c - '0');
    bool digits = *wanted && strspn(wanted, "0123456789") == strlen(wanted);
    *out = number - 1;
    if (digits && number >= 1 && number <= cols) return SEPAL_OK;
    const char *first = column_name(plot, rows, 0);
    return fail(plot->ctx, SEPAL_EUSAGE,
                "there is no column '%s'; there are %zu, the first is '%s' (a text column is one "
                "for each category: colour=red)",
                text_shown(shown, wanted, strlen(wanted)), cols, first ? first : "");
}

static sepal_status plane_of_columns(struct plane *plane, struct plot *plot,
                                     const struct sampled *rows, size_t x, size_t y) {
    double *row = arena_alloc(plot->ctx, &plot->arena, plane->cols, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    for (size_t i = 0; i < rows->n; i++) {
        sampled_row(row, rows, i);
        for (size_t j = 0; j < plane->cols; j++)
            plane->centre[j] += (row[j] - plane->centre[j]) / (double)(i + 1);
    }
    plane->kind = PLANE_COLUMNS;
    const size_t of[2] = {x, y};
    for (size_t a = 0; a < 2; a++) {
        plane->centre[of[a]] = 0;
        plane->lift[a][of[a]] = plane->along[a][of[a]] = 1;
        plane->name[a] = column_name(plot, rows, of[a]);
        if (!plane->name[a]) return SEPAL_EMEMORY;
    }
    return SEPAL_OK;
}

static sepal_status plane_place(struct plane *plane, struct plot *plot,
                                const struct sampled *rows) {
    double *row = arena_alloc(plot->ctx, &plot->arena, plane->cols, sizeof *row);
    plane->points = arena_zero(plot->ctx, &plot->arena, rows->n, sizeof *plane->points);
    if (!row || !plane->points) return SEPAL_EMEMORY;
    for (size_t i = 0; i < rows->n; i++) {
        double at[2] = {0, 0};
        sampled_row(row, rows, i);
        for (size_t a = 0; a < 2; a++)
            for (size_t j = 0; j < plane->cols; j++)
                at[a] += plane->along[a][j] * (row[j] - plane->origin[j]);
        /* rows of one number stand above each other by their class, and a little apart */
        if (plane->kind == PLANE_LINE)
            at[1] = rows->rows.label[i] + 0.6 * (rng_unit_at(plot->ctx->seed, 1, i) - 0.5);
        plane->points[i] = (struct point){at[0], at[1]};
    }
    return SEPAL_OK;
}

sepal_status plane_make(struct plane *out, struct plot *plot, const struct sampled *rows,
                        const char *x, const char *y) {
    size_t cols = rows->prepared.rows.matrix.cols, of[2] = {0, cols > 1};
    *out = (struct plane){.cols = cols};
    TRY(ARENA_VECTORS(plot->ctx, &plot->arena, cols, &out->centre, &out->origin, &out->lift[0],
                      &out->lift[1], &out->along[0], &out->along[1]));
    if ((x == NULL) != (y == NULL))
        return fail(plot->ctx, SEPAL_EUSAGE,
                    "a plane has two axes; give both " OPTION "x COL and " OPTION "y COL");
    if (cols == 0) return fail(plot->ctx, SEPAL_EDATA, "the data has no columns to draw");
    if (x) {
        TRY(find_column(&of[0], plot, rows, cols, x));
        TRY(find_column(&of[1], plot, rows, cols, y));
        if (of[0] == of[1])
            return fail(plot->ctx, SEPAL_EUSAGE,
                        OPTION "x and " OPTION "y are the same column '%s'; name two", x);
    }
    if (cols > 2 && !x) {
        TRY(plane_fisher(out, plot, rows));
    } else if (cols == 1) {
        out->kind = PLANE_LINE;
        out->lift[0][0] = out->along[0][0] = 1;
        out->name[0] = column_name(plot, rows, 0);
        out->name[1] = "classes, one above the other";
        if (!out->name[0]) return SEPAL_EMEMORY;
    } else {
        TRY(plane_of_columns(out, plot, rows, of[0], of[1]));
    }
    return plane_place(out, plot, rows);
}

/* ---- Answers --------------------------------------------------------------------------------- */

struct asking {
    double *x, *p, *distance;
    int32_t *classes;
    uint8_t *regions;
};

static sepal_status ask_some(struct answer *out, struct plot *plot, const struct plane *plane,
                             const struct asking *a, const struct decision_rule *rule,
                             const struct point *points, size_t n) {
    size_t classes = plot->model->linear.classes, cols = plane->cols;
    sepal_data *data;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < cols; j++)
            a->x[i * cols + j] = plane->centre[j] + points[i].x * plane->lift[0][j] +
                                 points[i].y * plane->lift[1][j];
    TRY(data_from_dense(&data, plot->ctx, a->x, n, cols, NULL, NULL));
    struct predictions predictions = {.n = n,
                                      .classes = a->classes,
                                      .probabilities = a->p,
                                      .distances = a->distance,
                                      .regions = a->regions};
    sepal_status status = model_predict(&predictions, plot->ctx, plot->model, data, rule);
    data_free(data);
    TRY(status);
    for (size_t i = 0; i < n; i++) {
        double best = NAN;
        for (size_t k = 0; a->p && k < classes; k++) best = fmax(best, a->p[i * classes + k]);
        out[i] = (struct answer){.class = a->classes[i],
                                 .region = a->regions[i],
                                 .p = (float)best,
                                 .distance = a->distance ? (float)a->distance[i] : NAN};
    }
    return SEPAL_OK;
}

sepal_status plane_ask(struct answer *out, struct plot *plot, const void *of,
                       const struct point *points, size_t n) {
    enum { MOST_NUMBERS = 1 << 20 };
    const struct plane *plane = of;
    const sepal_model *model = plot->model;
    sepal_ctx *ctx = plot->ctx;
    size_t some = MOST_NUMBERS / (plane->cols + 1) + 1;
    struct arena arena = {0};
    struct decision_rule rule;
    if (some > n) some = n;
    struct asking a = {arena_alloc(ctx, &arena, some, plane->cols * sizeof(double)), NULL, NULL,
                       arena_alloc(ctx, &arena, some, sizeof(int32_t)),
                       arena_alloc(ctx, &arena, some, 1)};
    sepal_status status = a.x && a.classes && a.regions ? SEPAL_OK : SEPAL_EMEMORY;
    bool has_p = model_outputs(model, SEPAL_PROBABILITIES) > 0;
    bool has_distance = model->linear.classes == 2 && model_outputs(model, SEPAL_DISTANCES) == 1;
    if (status == SEPAL_OK && has_p) {
        a.p = arena_alloc(ctx, &arena, some, model->linear.classes * sizeof(double));
        if (!a.p) status = SEPAL_EMEMORY;
    }
    if (status == SEPAL_OK && has_distance) {
        a.distance = arena_alloc(ctx, &arena, some, sizeof(double));
        if (!a.distance) status = SEPAL_EMEMORY;
    }
    if (status == SEPAL_OK) status = decision_rule_make(&rule, ctx, &arena, model, NULL);
    for (size_t i = 0; i < n && status == SEPAL_OK; i += some) {
        status = check_cancelled(ctx, "drawing");
        if (status == SEPAL_OK)
            status =
                ask_some(out + i, plot, plane, &a, &rule, points + i, n - i < some ? n - i : some);
    }
    arena_clear(&arena);
    return status;
}
