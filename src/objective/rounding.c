#include "objective/rounding.h"

sepal_status proof_conclude(struct proof *out, sepal_ctx *ctx, const struct estimate *e) {
    double scale = fmax(fabs(e->primal), 1e-300), most = e->primal + e->primal_error;
    out->primal = e->primal;
    out->dual = out->gap = out->rounding = NAN;
    /* no losses are below 0: all dual variables 0 prove as much, which is enough where P is 0 */
    if (!e->bounded && !(most == 0)) return SEPAL_OK;
    double least = e->bounded ? e->dual - e->dual_error : 0;
    if (!(least > 0)) least = 0;
    if (least > most)
        return fail(
            ctx, SEPAL_EINTERNAL,
            "a proof contradicts itself: the objective is %.17g, and no weights should have "
            "one below %.17g; please report this with the data and the command",
            e->primal, least);
    double gap = (most - least) / scale;
    out->rounding = e->primal_error + (e->bounded ? e->dual_error : 0);
    out->dual = least > e->primal_error ? least - e->primal_error : 0;
    /* no number: weights or sums beyond the range of a double prove nothing */
    out->gap = isnan(gap) ? INFINITY : gap > DBL_EPSILON ? gap : DBL_EPSILON;
    return SEPAL_OK;
}
