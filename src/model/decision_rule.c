/* The options of a decision, checked against the model that is to decide. */
#include "model/predict.h"

#include "core/spec.h"
#include "data/priors.h"
#include "model/decision.h"

#include <math.h>
#include <string.h>

static const char DECISION_WORDS[] =
#define FIRST_DECISION(name) #name
#define DECISION(name) "|" #name
#include "model/decisions.def"
#undef FIRST_DECISION
#undef DECISION
    ;

#define AT(field) offsetof(struct predict_options, field)
const struct parameter predict_option_table[] = {
    {"decide", PARAMETER_CHOICE, AT(decide), "hard", DECISION_WORDS,
     "hard: the most probable class (largest score); soft: one drawn with its probability; reject: "
     "none if all "
     "probabilities are below the cutoff"},
    {"cutoff", PARAMETER_REAL, AT(cutoff), NULL, "[0, 1]",
     "decision threshold on a probability; hard: the second of two classes, or each label of a "
     "set, "
     "from this value on; reject: none below it; 0.5 unless given"},
    {"ambiguous", PARAMETER_CHOICE, AT(ambiguous), "confidence", "confidence|undecided",
     "rows with several positive one-versus-rest scores, with none, or with tied votes: the class "
     "of "
     "the largest score, or left undecided"},
    {"priors", PARAMETER_TEXT, AT(priors), NULL, "",
     "other class probabilities than those of the rows learnt from, LABEL:P,... or P,P,... in the "
     "order of the classes"},
    {0},
};

/* Scores of such models contain ln of the priors, which is exchanged. */
static sepal_status make_shift(struct decision_rule *out, sepal_ctx *ctx, struct arena *arena,
                               const sepal_model *model) {
    if (!out->options.priors) return SEPAL_OK;
    size_t classes = model->linear.classes;
    if (!model->linear.priors)
        return fail(ctx, SEPAL_EMODEL,
                    "this %s model has no priors to be changed; lda, gaussian and naive-bayes have "
                    "(but not kind=complement, nor more than two classes under ovr, ovr-1 or ovo)",
                    model->learner);
    struct priors_text given = {.text = out->options.priors,
                                .name = OPTION "priors",
                                .owner = "model",
                                .schema = model->schema};
    out->shift = arena_zero(ctx, arena, classes, sizeof *out->shift);
    if (!out->shift) return SEPAL_EMEMORY;
    TRY(priors_parse(out->shift, ctx, &given));
    for (size_t k = 0; k < classes; k++)
        out->shift[k] = log(out->shift[k]) - log(model->linear.priors[k]);
    return SEPAL_OK;
}

/* ---- the model's own ---------------------------------------------------------------------- */

struct predict_options kept_rule_options(const struct kept_rule *kept_rule) {
    return (struct predict_options){.decide = kept_rule->decide,
                                    .cutoff = kept_rule->cutoff ? *kept_rule->cutoff : NAN,
                                    .ambiguous = (int)kept_rule->ambiguous};
}

sepal_status kept_rule_set(struct kept_rule *out, sepal_ctx *ctx, struct arena *arena,
                           const struct predict_options *options) {
    *out = (struct kept_rule){.decide = options->decide,
                              .ambiguous = (enum ambiguous)options->ambiguous};
    if (isnan(options->cutoff)) return SEPAL_OK;
    out->cutoff = arena_alloc(ctx, arena, 1, sizeof *out->cutoff);
    if (!out->cutoff) return SEPAL_EMEMORY;
    *out->cutoff = options->cutoff + 0.0; /* -0 is 0 */
    return SEPAL_OK;
}

/* The same question without a message. */
static bool takes_cutoff(const struct decision *decision, const struct linear *linear) {
    return decision->check_cutoff(NULL, linear) == SEPAL_OK;
}

bool kept_rule_is_sound(const sepal_model *model) {
    const struct kept_rule *kept_rule = &model->kept_rule;
    const struct decision *decision = decision_table[kept_rule->decide];
    bool asks = decision->probabilities || kept_rule->cutoff;
    if (kept_rule_is_default(kept_rule) || (asks && model_outputs(model, SEPAL_PROBABILITIES) == 0))
        return false;
    if (model->linear.strategy->sets && !decision->has_label) return false;
    if (!kept_rule->cutoff) return isnan(decision->cutoff);
    if (signbit(*kept_rule->cutoff) || *kept_rule->cutoff > 1) return false;
    return takes_cutoff(decision, &model->linear);
}

void decision_tell(struct tree_maker *make, struct tree *parent,
                   const struct predict_options *options) {
    if (options->decide == 0 && isnan(options->cutoff) &&
        options->ambiguous == AMBIGUOUS_CONFIDENCE)
        return;
    struct tree *decision = tree_object(make, parent, "decision");
    tree_text(make, decision, "decide", decision_table[options->decide]->name);
    tree_number(make, decision, "cutoff", options->cutoff);
    tree_text(make, decision, "ambiguous", ambiguous_names[options->ambiguous]);
}

static bool is_given(const struct setting *settings, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(settings[i].name, name) == 0) return true;
    return false;
}

/* What was not asked for is as the model has it. A cutoff means something else to another decision. */
static void take_over(struct predict_options *out, const struct kept_rule *kept_rule,
                      const struct setting *settings, size_t n) {
    struct predict_options own = kept_rule_options(kept_rule);
    if (!is_given(settings, n, "ambiguous")) out->ambiguous = own.ambiguous;
    if (is_given(settings, n, "decide")) return;
    out->decide = own.decide;
    if (!is_given(settings, n, "cutoff")) out->cutoff = own.cutoff;
}

/* ---- the rule ----------------------------------------------------------------------------- */

sepal_status decision_rule_set(struct decision_rule *out, sepal_ctx *ctx, struct arena *arena,
                               const sepal_model *model, const struct setting *settings, size_t n) {
    *out = (struct decision_rule){0};
    TRY(parameters_fill(&out->options, ctx, arena, predict_option_table, "the decision", settings,
                        n));
    struct predict_options *options = &out->options;
    take_over(options, &model->kept_rule, settings, n);
    const struct decision *decision = decision_table[options->decide];
    bool has_cutoff = !isnan(options->cutoff);
    if (decision->probabilities || has_cutoff) TRY(model_has(ctx, model, SEPAL_PROBABILITIES));
    if (model->linear.strategy->sets && !decision->has_label)
        return fail(ctx, SEPAL_EUSAGE,
                    "a %s model decides each label by itself, and " OPTION
                    "decide %s is about one class; leave it out, or take " OPTION "cutoff",
                    model->learner, decision->name);
    if (has_cutoff) TRY(decision->check_cutoff(ctx, &model->linear));
    if (!has_cutoff) options->cutoff = decision->cutoff;
    out->abstains = decision->abstains || options->ambiguous == AMBIGUOUS_UNDECIDED;
    return make_shift(out, ctx, arena, model);
}

sepal_status decision_rule_make(struct decision_rule *out, sepal_ctx *ctx, struct arena *arena,
                                const sepal_model *model, const char *options) {
    struct setting *settings;
    size_t n;
    TRY(settings_parse(&settings, &n, ctx, arena, options));
    return decision_rule_set(out, ctx, arena, model, settings, n);
}
