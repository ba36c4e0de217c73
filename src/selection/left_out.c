#include "selection/left_out.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "data/prepare.h"
#include "learners/leave_out.h"

#include <math.h>
#include <string.h>

struct left_out {
    sepal_model *whole; /* of all rows */
    struct leave_out leave;
    struct fit fit; /* room for it, and the centre of the weights */
    struct prepared prepared;
    struct map_chain none; /* of no maps */
};

/* ---- where there is one ------------------------------------------------------------------- */

/* Least squares of full rank and discriminants come to the same scores in any units of the columns, which a
   penalty does not: the learner is asked about rows as they are, and only told of maps that change units. */
static bool is_free_of_units(const struct pipeline *pipeline) {
    const struct parameter *l2 = parameters_find(pipeline->learner->parameters, "l2");
    double strength = 0;
    if (l2) memcpy(&strength, (const char *)pipeline->config + l2->offset, sizeof strength);
    return strength == 0;
}

static bool may_leave_out(const struct pipeline *pipeline, const struct fit_options *options,
                          const sepal_data *data) {
    const struct map_chain *chain = &pipeline->chain;
    if (!pipeline->learner->leave_out || pipeline->strategy || options->calibrate) return false;
    if (data->coded || !data->label) return false;
    return chain->n == 0 ||
           (map_chain_affine_tail(chain) == chain->n && is_free_of_units(pipeline));
}

static sepal_status prepare_rows_of(struct left_out *out, sepal_ctx *ctx,
                                    const struct pipeline *pipeline,
                                    const struct fit_options *options) {
    out->fit.config = pipeline->config;
    out->fit.options = *options;
    out->fit.data = &out->prepared.rows;
    TRY(pipeline->learner->leave_out(&out->leave, &out->fit));
    if (!out->leave.exact) return SEPAL_OK;
    return map_chain_plan(&out->none, ctx, out->prepared.rows.matrix.cols);
}

sepal_status left_out_make(struct left_out **out, sepal_ctx *ctx, const struct pipeline *pipeline,
                           const struct fit_options *options, const char *spec,
                           const char *fit_options, const sepal_data *data) {
    *out = NULL;
    if (!may_leave_out(pipeline, options, data)) return SEPAL_OK;
    struct left_out *made = mem_zero(ctx, 1, sizeof *made);
    if (!made) return SEPAL_EMEMORY;
    made->fit = (struct fit){.ctx = ctx, .start_ns = clock_ns()};
    sepal_status status = prepare_fit(&made->prepared, ctx, data);
    if (status == SEPAL_OK) status = prepare_rows_of(made, ctx, pipeline, options);
    if (status == SEPAL_OK && made->leave.exact)
        status = pipeline_fit_judged(&made->whole, ctx, spec, data, fit_options, NULL, NAN);
    if (status == SEPAL_OK && made->leave.exact) {
        *out = made;
        return SEPAL_OK;
    }
    left_out_free(made);
    return status;
}

const sepal_model *left_out_whole(const struct left_out *left) {
    return left->whole;
}

void left_out_free(struct left_out *left) {
    if (!left) return;
    model_free(left->whole);
    linear_clear(&left->fit.linear);
    arena_clear(&left->fit.arena);
    prepared_clear(&left->prepared);
    mem_free(left);
}

/* ---- one row ------------------------------------------------------------------------------ */

sepal_status left_out_model(sepal_model *out, bool *exact, sepal_ctx *ctx, struct arena *arena,
                            const struct left_out *left, size_t row) {
    const struct linear *made = &left->fit.linear;
    struct linear *linear = &out->linear;
    *out = *left->whole;
    *linear = (struct linear){.classes = made->classes,
                              .rows = made->rows,
                              .cols = made->cols,
                              .strategy = left->whole->linear.strategy,
                              .link = left->whole->linear.link,
                              .centre = made->centre};
    out->chain = left->none;
    out->row_bias = NULL;
    out->facts.objective = out->facts.gap = NAN;
    out->facts.rows--;
    linear->w = arena_zero(ctx, arena, linear->rows, linear->cols * sizeof *linear->w);
    linear->b = arena_zero(ctx, arena, linear->rows, sizeof *linear->b);
    if (!linear->w || !linear->b) return SEPAL_EMEMORY;
    if (left->whole->linear.priors) {
        linear->priors = arena_zero(ctx, arena, linear->classes, sizeof *linear->priors);
        if (!linear->priors) return SEPAL_EMEMORY;
    }
    return leave_out_row(linear, exact, ctx, &left->leave, row);
}
