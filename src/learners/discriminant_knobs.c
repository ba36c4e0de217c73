/* Knobs whose values are more than a number or a word. */
#include "learners/discriminant.h"

#include "core/decimal.h"

#include <math.h>
#include <string.h>

/* Priors may miss 1 by what rounding makes of their digits. */
static const double PRIORS_MISS = 1e-9;

sepal_status shrinkage_read(double *out, sepal_ctx *ctx, const char *owner, const char *text) {
    char shown[TEXT_SHOWN_BYTES];
    const char *end = text + strlen(text);
    *out = strcmp(text, "auto") == 0 ? NAN : 0;
    if (strcmp(text, "auto") == 0 || strcmp(text, "none") == 0) return SEPAL_OK;
    if (decimal_read(text, end, out) == end && *out >= 0 && *out <= 1) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE, "%s: shrinkage=%s is not none, auto or a number from 0 to 1",
                owner, text_shown(shown, text, strlen(text)));
}

struct priors {
    sepal_ctx *ctx;
    const char *owner, *text;
    const struct schema *schema;
    double *out;
};

static sepal_status refuse(const struct priors *p, const char *why) {
    char shown[TEXT_SHOWN_BYTES];
    return fail(p->ctx, SEPAL_EUSAGE,
                "%s: priors=%s %s; give every class one above 0, as LABEL:P,... or P,P,... in the "
                "order of the %zu classes ('%s' first)",
                p->owner, text_shown(shown, p->text, strlen(p->text)), why, p->schema->n_classes,
                p->schema->classes[0]);
}

/* One item: "P", or "LABEL:P" for a label that may hold colons. */
static sepal_status read_item(const struct priors *p, size_t place, const char *item,
                              const char *end) {
    const char *number = item;
    bool named = false;
    for (const char *at = item; at < end; at++)
        if (*at == ':') number = at + 1, named = true;
    size_t k = place;
    if (named) {
        struct slice label = {item, (size_t)(number - 1 - item)};
        int32_t class = schema_class_of(p->schema, label);
        if (class < 0) return refuse(p, "names a class that the data does not have");
        k = (size_t) class;
    }
    if (k >= p->schema->n_classes) return refuse(p, "has more numbers than there are classes");
    if (p->out[k] != 0) return refuse(p, "gives a class two priors");
    if (decimal_read(number, end, &p->out[k]) != end || !(p->out[k] > 0))
        return refuse(p, "has an item that is not a number above 0");
    return SEPAL_OK;
}

static sepal_status read_items(const struct priors *p) {
    size_t place = 0, classes = p->schema->n_classes;
    double sum = 0;
    for (const char *item = p->text;; place++) {
        const char *end = item + strcspn(item, ",");
        TRY(read_item(p, place, item, end));
        if (*end == '\0') break;
        item = end + 1;
    }
    if (place + 1 < classes) return refuse(p, "leaves out a class");
    for (size_t k = 0; k < classes; k++) sum += p->out[k];
    if (fabs(sum - 1) <= PRIORS_MISS) return SEPAL_OK;
    return fail(p->ctx, SEPAL_EUSAGE, "%s: the priors sum to %.12g, not to 1", p->owner, sum);
}

sepal_status priors_read(double *out, sepal_ctx *ctx, const char *owner, const char *text,
                         const struct schema *schema, const double *class_weight) {
    struct priors p = {.ctx = ctx, .owner = owner, .text = text, .schema = schema, .out = out};
    double total = 0;
    memset(out, 0, schema->n_classes * sizeof *out);
    if (text) return read_items(&p);
    for (size_t k = 0; k < schema->n_classes; k++) total += class_weight[k];
    for (size_t k = 0; k < schema->n_classes; k++) out[k] = class_weight[k] / total;
    return SEPAL_OK;
}
