/* Which fits have standard errors: those that maximise one likelihood of all classes, without a penalty
   and to the end. Others have no summary, and reports say why. */
#include "model/inference.h"

#include "inference/wald.h"
#include "model/summary_json.h"

static sepal_status inference_make(struct summary **out, struct fit *fit,
                                   const struct pipeline *pipeline, const struct terms *terms,
                                   enum likelihood likelihood) {
    const struct wald wald = {.ctx = fit->ctx,
                              .arena = &fit->arena,
                              .data = fit->data,
                              .chain = &pipeline->chain,
                              .linear = &fit->linear,
                              .terms = terms};
    /* where columns depend on each other but for rounding errors, a solver may have ended early, and
       its weights look as if they grew */
    bool ended = fit->options.max_iter == 0 || fit->converged,
         settled = fit->growth == SUMMARY_SEPARABLE || fit->growth == SUMMARY_QUASI_SEPARABLE;
    *out = NULL;
    bool weighted = likelihood == LIKELIHOOD_WEIGHTED; /* by class: there is no information */
    size_t functions = terms_functions(terms, &fit->linear);
    if (!settled && !weighted && !ended) return SEPAL_OK;
    if (!settled && !weighted)
        return terms->contrast ? wald_multinomial(out, &wald) : wald_logistic(out, &wald);
    if (fit->data->matrix.rows <= functions * terms->n)
        return summary_new(out, fit->ctx, SUMMARY_FEW_ROWS, functions, terms->n);
    return wald_endless(out, &wald, fit->growth);
}

sepal_status inference_summarise(struct fit *fit, const struct pipeline *pipeline) {
    bool intercept;
    struct terms terms;
    enum likelihood likelihood = pipeline_likelihood(pipeline, &intercept);
    bool weighted = likelihood == LIKELIHOOD_WEIGHTED && fit->growth != SUMMARY_WALD;
    bool contrast = pipeline_contrasts(pipeline, &fit->linear);
    if ((likelihood != LIKELIHOOD_MAXIMISED && !weighted) || fit->stopped ||
        (fit->data->schema->n_classes != 2 && !contrast))
        return SEPAL_OK;
    size_t cols = fit->data->matrix.cols;
    TRY(terms_make(&terms, fit->ctx, &fit->arena, fit->data->schema, &pipeline->chain, cols,
                   intercept));
    terms.contrast = contrast;
    size_t functions = terms_functions(&terms, &fit->linear);
    if (terms.n == 0 || !wald_affordable(fit->data->matrix.rows, functions, terms.n))
        return SEPAL_OK;
    sepal_status status = inference_make(&fit->linear.summary, fit, pipeline, &terms, likelihood);
    if (status != SEPAL_ECANCEL) return status;
    forgive(fit->ctx); /* the fit is done, and stays */
    return SEPAL_OK;
}
