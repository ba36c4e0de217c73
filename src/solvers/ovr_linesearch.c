/* Line searches for all classes at once, on margins alone: Newton's method for the place where the slope
   along the step vanishes, inside of what is known of it. Steps through many kinks of a squared hinge
   are wrong by far (Keerthi and DeCoste, JMLR 2005), and a search costs next to nothing beside them. */
#include "core/parallel.h"
#include "solvers/ovr_newton.h"

#include <math.h>

enum { TRIALS = 16, PART = 256 };

struct trial {
    const struct ovr_line *line;
    double slope[SLABS_MOST][OVR_LANES], curvature[SLABS_MOST][OVR_LANES];
};

static sepal_status try_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct trial *trial = payload;
    const struct ovr_line *line = trial->line;
    const struct ovr *ovr = line->ovr;
    const struct objective *o = ovr->rest->o;
    size_t lanes = ovr->lanes, rows = PART / lanes, to = o->slab_first[slab + 1];
    double m[PART], alpha[PART], curvature[PART];
    for (size_t i = o->slab_first[slab], n; i < to; i += n) {
        n = to - i < rows ? to - i : rows;
        const double *at = line->m + i * lanes, *t = line->t + i * lanes;
        for (size_t r = 0, k = 0; r < n; r++)
            for (size_t l = 0; l < lanes; l++, k++) m[k] = at[k] + line->length[l] * t[k];
        o->loss->at(ctx->kernels, n * lanes, m, NULL, alpha, curvature);
        for (size_t r = 0, k = 0; r < n; r++)
            for (size_t l = 0; l < lanes; l++, k++) {
                double move = ovr_row_weight(ovr, i + r, l) * t[k];
                trial->slope[slab][l] -= move * alpha[k];
                trial->curvature[slab][l] += move * t[k] * curvature[k];
            }
    }
    return SEPAL_OK;
}

/* The slopes and curvatures at the lengths. */
static sepal_status try_lengths(double *slope, double *curvature, const struct ovr_line *line) {
    const struct objective *o = line->ovr->rest->o;
    struct trial trial = {.line = line};
    TRY(parallel_for(o->ctx, o->slabs, try_slab, &trial));
    for (size_t l = 0; l < line->ovr->lanes; l++) {
        slope[l] = line->ridge[l][0] + line->length[l] * line->ridge[l][1];
        curvature[l] = line->ridge[l][1];
        for (size_t k = 0; k < o->slabs; k++) {
            slope[l] += trial.slope[k][l];
            curvature[l] += trial.curvature[k][l];
        }
    }
    return SEPAL_OK;
}

sepal_status ovr_line_search(struct ovr_line *line, const bool *goes) {
    static const double full = 0.3, small = 0.05, farthest = 64;
    double low[OVR_LANES] = {0}, high[OVR_LANES];
    double slope[OVR_LANES] = {0}, curvature[OVR_LANES] = {0};
    size_t lanes = line->ovr->lanes;
    bool open[OVR_LANES];
    for (size_t l = 0; l < lanes; l++) {
        high[l] = INFINITY;
        open[l] = goes[l] && line->slope[l] < 0;
        line->length[l] = open[l] ? 1 : 0;
    }
    for (int trial = 0; trial < TRIALS; trial++) {
        bool any = false;
        TRY(try_lengths(slope, curvature, line));
        for (size_t l = 0; l < lanes; l++) {
            double enough = (trial == 0 ? full : small) * -line->slope[l], at = line->length[l];
            open[l] = open[l] && !(fabs(slope[l]) <= enough);
            if (!open[l]) continue;
            any = true;
            *(slope[l] < 0 ? &low[l] : &high[l]) = at;
            double next = curvature[l] > 0 ? at - slope[l] / curvature[l] : 2 * at;
            if (!(next > low[l] && next < high[l]))
                next = isinf(high[l]) ? 2 * at : 0.5 * (low[l] + high[l]);
            line->length[l] = fmin(next, farthest);
        }
        if (!any) break;
    }
    return SEPAL_OK;
}
