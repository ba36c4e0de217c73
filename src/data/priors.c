#include "data/priors.h"

#include "core/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Priors may miss 1 by what rounding makes of their digits. */
static const double PRIORS_MISS = 1e-9;

struct parsing {
    sepal_ctx *ctx;
    const struct priors_text *given;
    double *out;
};

static sepal_status priors_refuse(const struct parsing *all, const char *why) {
    char shown[TEXT_SHOWN_BYTES];
    const struct priors_text *given = all->given;
    return fail(all->ctx, SEPAL_EUSAGE,
                "%s=%s %s; give %s above 0, as LABEL:%s,... or %s,... in the order of the %zu "
                "classes ('%.60s' first)",
                given->name, text_shown(shown, given->text, strlen(given->text)), why,
                given->weights ? "weights" : "every class one", given->weights ? "W" : "P",
                given->weights ? "W,W" : "P,P", given->schema->n_classes,
                given->schema->classes[0]);
}

static sepal_status priors_refuse_label(const struct parsing *all, struct slice label) {
    enum { ROOM = 4 * TEXT_SHOWN_BYTES };
    const struct schema *schema = all->given->schema;
    char wrong[TEXT_SHOWN_BYTES], why[ROOM];
    (void)text_shown(wrong, label.bytes, label.length);
    const char *near = text_suggest(wrong, (const char *const *)schema->classes, schema->n_classes);
    (void)snprintf(why, sizeof why, "names the class '%s', which the %s does not have%s%.60s%s",
                   wrong, all->given->owner, near ? " (did you mean '" : "", near ? near : "",
                   near ? "'?)" : "");
    return priors_refuse(all, why);
}

static struct slice priors_trimmed(const char *from, const char *end) {
    while (from < end && *from == ' ') from++;
    while (end > from && end[-1] == ' ') end--;
    return (struct slice){from, (size_t)(end - from)};
}

static struct slice priors_label_of(struct slice item) {
    const char *colon = memrchr(item.bytes, ':', item.length);
    return colon ? priors_trimmed(item.bytes, colon) : (struct slice){NULL, 0};
}

/* Whether an item is "LABEL:P", or "P" for the class at `place`. */
static bool is_item(const struct parsing *all, struct slice item, size_t place, size_t *k,
                    double *p) {
    struct slice label = priors_label_of(item);
    const char *from = item.bytes, *end = item.bytes + item.length;
    int32_t class = 0;
    if (label.bytes) {
        class = schema_class_of(all->given->schema, label);
        from = (const char *)memrchr(item.bytes, ':', item.length) + 1;
    }
    while (from < end && *from == ' ') from++;
    *k = label.bytes ? (size_t) class : place;
    return class >= 0 && decimal_read(from, end, p) == end && *p > 0;
}

static sepal_status priors_keep(const struct parsing *all, size_t k, double p) {
    if (k >= all->given->schema->n_classes)
        return priors_refuse(all, "has more numbers than there are classes");
    if (all->out[k] != 0)
        return priors_refuse(all, all->given->weights ? "names a class twice"
                                                      : "gives a class two priors");
    all->out[k] = p;
    return SEPAL_OK;
}

/* As a label may hold commas, an item ends at the first comma that makes it one. */
static sepal_status read_item(const struct parsing *all, const char *from, size_t place,
                              const char **next) {
    size_t k;
    double p;
    for (const char *end = from;; end++) {
        end += strcspn(end, ",");
        *next = end;
        if (is_item(all, priors_trimmed(from, end), place, &k, &p)) return priors_keep(all, k, p);
        if (*end == '\0') break;
    }
    struct slice label = priors_label_of(priors_trimmed(from, from + strcspn(from, ",")));
    if (!label.bytes || schema_class_of(all->given->schema, label) >= 0)
        return priors_refuse(all, "has an item that is not a number above 0");
    return priors_refuse_label(all, label);
}

sepal_status priors_parse(double *out, sepal_ctx *ctx, const struct priors_text *given) {
    const struct parsing all = {.ctx = ctx, .given = given, .out = out};
    size_t classes = given->schema->n_classes, place = 0;
    double sum = 0;
    memset(out, 0, classes * sizeof *out);
    for (const char *item = given->text, *next;; item = next + 1) {
        TRY(read_item(&all, item, place++, &next));
        if (*next == '\0') break;
    }
    for (size_t k = 0; k < classes && !given->weights; k++) {
        if (out[k] == 0) return priors_refuse(&all, "leaves out a class");
        sum += out[k];
    }
    if (given->weights || fabs(sum - 1) <= PRIORS_MISS) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE, "%s=%.60s: the priors sum to %.12g, not to 1", given->name,
                given->text, sum);
}
