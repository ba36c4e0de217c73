/* The options of a decision, checked against the model that is to decide. */
#include "model/answer.h"

#include "core/decimal.h"
#include "core/spec.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(struct answer_options, field)
const struct knob answer_option_table[] = {
    {"decide", KNOB_CHOICE, AT(decide), "hard", "hard|soft|reject",
     "the likeliest class; a class drawn with its probability; none below the cutoff"},
    {"cutoff", KNOB_REAL, AT(cutoff), NULL, "[0, 1]",
     "hard, two classes: the second from this probability on; reject: none below it; else 0.5"},
    {"ambiguous", KNOB_CHOICE, AT(ambiguous), "confidence", "confidence|undecided",
     "rows that several classes claim, or none: the most confident one's, or nobody's"},
    {"priors", KNOB_TEXT, AT(priors), NULL, "",
     "other class probabilities than the model's, LABEL:P,... or P,... in the order of classes"},
    {0},
};

static const double SUM_TOLERANCE = 1e-9;

/* ---- priors ------------------------------------------------------------------------------- */

/* "LABEL:P" or "P", for class `k` if there is no label. */
static sepal_status read_prior(double *priors, sepal_ctx *ctx, const sepal_model *model,
                               struct slice item, size_t k) {
    const struct schema *schema = model->schema;
    const char *end = item.bytes + item.length, *colon = memrchr(item.bytes, ':', item.length);
    const char *digits = colon ? colon + 1 : item.bytes;
    char shown[TEXT_SHOWN_BYTES];
    double p;
    int32_t class = colon ? schema_class_of(schema, (struct slice){item.bytes,
                                                                   (size_t)(colon - item.bytes)})
                          : (int32_t)k;
    if (class < 0 || (size_t)class >= schema->n_classes)
        return fail(ctx, SEPAL_EUSAGE,
                    "'%s' in the priors is not one of the model's %zu classes, %s ... %s",
                    text_shown(shown, item.bytes, item.length), schema->n_classes,
                    schema->classes[0], schema->classes[schema->n_classes - 1]);
    if (decimal_read(digits, end, &p) != end || !(p > 0 && p < 1))
        return fail(ctx, SEPAL_EUSAGE, "'%s' in the priors is not a probability between 0 and 1",
                    text_shown(shown, item.bytes, item.length));
    if (priors[class] != 0)
        return fail(ctx, SEPAL_EUSAGE, "class '%s' has two priors", schema->classes[class]);
    priors[class] = p;
    return SEPAL_OK;
}

static sepal_status read_priors(double *priors, sepal_ctx *ctx, const sepal_model *model,
                                const char *text) {
    size_t k = 0, classes = model->schema->n_classes;
    double sum = 0;
    for (const char *at = text, *end; at; at = *end ? end + 1 : NULL, k++) {
        end = at + strcspn(at, ",");
        struct slice item = {at, (size_t)(end - at)};
        while (item.length && *item.bytes == ' ') item.bytes++, item.length--;
        while (item.length && item.bytes[item.length - 1] == ' ') item.length--;
        TRY(read_prior(priors, ctx, model, item, k));
    }
    for (size_t i = 0; i < classes; i++) {
        if (priors[i] == 0)
            return fail(ctx, SEPAL_EUSAGE, "class '%s' has no prior; give one for each of the %zu",
                        model->schema->classes[i], classes);
        sum += priors[i];
    }
    if (!(fabs(sum - 1) <= SUM_TOLERANCE))
        return fail(ctx, SEPAL_EUSAGE, "the priors sum to %.12g, not to 1", sum);
    return SEPAL_OK;
}

/* Scores of such models contain ln of the priors, which is exchanged. */
static sepal_status make_shift(struct answer_rule *out, sepal_ctx *ctx, struct arena *arena,
                               const sepal_model *model) {
    if (!out->options.priors) return SEPAL_OK;
    size_t classes = model->linear.classes;
    if (!model->linear.priors)
        return fail(ctx, SEPAL_EMODEL,
                    "a %s model has no priors to be changed; lda, gaussian and naive-bayes have",
                    model->learner);
    out->shift = arena_zero(ctx, arena, classes, sizeof *out->shift);
    if (!out->shift) return SEPAL_EMEMORY;
    TRY(read_priors(out->shift, ctx, model, out->options.priors));
    for (size_t k = 0; k < classes; k++)
        out->shift[k] = log(out->shift[k]) - log(model->linear.priors[k]);
    return SEPAL_OK;
}

/* ---- the rule ----------------------------------------------------------------------------- */

sepal_status answer_rule_set(struct answer_rule *out, sepal_ctx *ctx, struct arena *arena,
                             const sepal_model *model, const struct setting *settings, size_t n) {
    const struct linear *linear = &model->linear;
    *out = (struct answer_rule){0};
    TRY(knobs_fill(&out->options, ctx, arena, answer_option_table, "the decision", settings, n));
    struct answer_options *options = &out->options;
    bool cut = !isnan(options->cutoff);
    if (options->decide != DECIDE_HARD || cut) TRY(model_has(ctx, model, SEPAL_PROBABILITIES));
    if (options->decide == DECIDE_HARD && cut && linear->classes > 2)
        return fail(ctx, SEPAL_EUSAGE,
                    "a cutoff decides between two classes, and the model has %zu; with "
                    "--decide reject it leaves rows undecided",
                    linear->classes);
    if (options->decide == DECIDE_SOFT && cut)
        return fail(ctx, SEPAL_EUSAGE, "--decide soft draws classes and has no cutoff");
    if (options->decide == DECIDE_REJECT && !cut) options->cutoff = 0.5;
    out->abstains =
        options->decide == DECIDE_REJECT || options->ambiguous == AMBIGUOUS_UNDECIDED;
    return make_shift(out, ctx, arena, model);
}

sepal_status answer_rule_make(struct answer_rule *out, sepal_ctx *ctx, struct arena *arena,
                              const sepal_model *model, const char *options) {
    struct setting *settings = NULL;
    size_t n = 0;
    if (options) TRY(settings_parse(&settings, &n, ctx, arena, options));
    return answer_rule_set(out, ctx, arena, model, settings, n);
}
