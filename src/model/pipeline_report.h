#ifndef SEPAL_MODEL_PIPELINE_REPORT_H
#define SEPAL_MODEL_PIPELINE_REPORT_H

#include "model/pipeline.h"
#include "model/predict.h"

/* What makes probabilities of the scores of this fit. */
enum link pipeline_fit_link(const struct fit *fit, const struct pipeline *pipeline);
/* How rows are decided: as the pipeline says, by a model of such functions. */
sepal_status pipeline_rule(struct decision_rule *out, struct fit *fit,
                           const struct pipeline *pipeline, struct linear linear);
/* Fill fit->report: `given` are the rows as they were read, `own` what the learner had to tell. */
sepal_status pipeline_report(struct fit *fit, const sepal_data *given,
                             const struct pipeline *pipeline, const char *spec, struct tree *own);

#endif
