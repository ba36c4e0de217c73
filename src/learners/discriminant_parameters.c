/* Parameters whose values are more than a number or a word. */
#include "learners/discriminant.h"

#include "core/decimal.h"
#include "data/priors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

sepal_status shrinkage_read(double *out, sepal_ctx *ctx, const char *owner, const char *text) {
    char shown[TEXT_SHOWN_BYTES];
    const char *end = text + strlen(text);
    *out = strcmp(text, "auto") == 0 ? NAN : 0;
    if (strcmp(text, "auto") == 0 || strcmp(text, "none") == 0) return SEPAL_OK;
    if (decimal_read(text, end, out) == end && *out >= 0 && *out <= 1) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE, "%s: shrinkage=%s is not none, auto or a number from 0 to 1",
                owner, text_shown(shown, text, strlen(text)));
}

sepal_status priors_read(double *out, sepal_ctx *ctx, const char *owner, const char *text,
                         const struct schema *schema, const double *class_weight) {
    char name[TEXT_SHOWN_BYTES];
    double total = 0;
    (void)snprintf(name, sizeof name, "%s: priors", owner);
    struct priors_text given = {.text = text, .name = name, .owner = "data", .schema = schema};
    if (text) return priors_parse(out, ctx, &given);
    for (size_t k = 0; k < schema->n_classes; k++) total += class_weight[k];
    for (size_t k = 0; k < schema->n_classes; k++) out[k] = class_weight[k] / total;
    return SEPAL_OK;
}

enum parts_know shrinkage_knows(const char *text, enum parts_know know, bool *free) {
    *free = strcmp(text, "none") == 0;
    return strcmp(text, "auto") == 0 ? PARTS_NOTHING : know;
}
