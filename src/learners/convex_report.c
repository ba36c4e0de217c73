/* What a fit came to: the objective in words with all its numbers, and the certificate. */
#include "core/decimal.h"
#include "learners/convex.h"

#include <math.h>
#include <string.h>

static const char *convex_report_number(char out[DECIMAL_BYTES + 1], double x) {
    out[decimal_print(out, x)] = '\0';
    return out;
}

/* C and ratio as given, or those that say the same as l1 and l2; NaN without a penalty. */
static double ratio_of(const struct convex *convex) {
    double strength = convex->objective.l1 + convex->objective.l2;
    if (!isnan(convex->config->c)) return convex->config->ratio;
    return strength > 0 ? convex->objective.l1 / strength : NAN;
}

/* Whether C and ratio come to these l1 and l2 to the last bit. */
static bool same_strengths(const struct convex *convex, double c, double ratio) {
    const struct objective *o = &convex->objective;
    return ratio / (c * convex->total) == o->l1 && (1 - ratio) / (c * convex->total) == o->l2;
}

/* Of neighbours that say the same the one with the fewest digits is what was meant. */
static double c_of(const struct convex *convex) {
    const struct objective *o = &convex->objective;
    if (!isnan(convex->config->c)) return convex->config->c;
    if (!(o->l1 + o->l2 > 0)) return NAN;
    enum { NEIGHBOURS = 4 };
    char text[DECIMAL_BYTES + 1];
    double c = 1 / ((o->l1 + o->l2) * convex->total), best = c;
    size_t fewest = decimal_print(text, c);
    for (int k = 0; k < NEIGHBOURS / 2; k++) c = nextafter(c, 0);
    for (int k = 0; k < NEIGHBOURS; k++) {
        size_t digits = decimal_print(text, c);
        if (digits < fewest && same_strengths(convex, c, ratio_of(convex))) {
            fewest = digits;
            best = c;
        }
        c = nextafter(c, INFINITY);
    }
    return best;
}

/* " + l1·‖w‖₁ + 0.5·l2·‖w‖²" as far as they are there, with their numbers. */
static const char *penalty_words(struct convex *convex) {
    const struct objective *o = &convex->objective;
    char l1[DECIMAL_BYTES + 1], l2[DECIMAL_BYTES + 1], c[DECIMAL_BYTES + 1];
    char ratio[DECIMAL_BYTES + 1];
    bool both = o->l1 > 0 && o->l2 > 0;
    if (!(o->l1 > 0 || o->l2 > 0)) return ", no penalty";
    return FIT_JOIN(convex->fit, o->l1 > 0 ? " + l1·‖w‖₁" : "", o->l2 > 0 ? " + 0.5·l2·‖w‖²" : "",
                    ", ", o->l1 > 0 ? "l1 = " : "",
                    o->l1 > 0 ? convex_report_number(l1, o->l1) : "", both ? ", " : "",
                    o->l2 > 0 ? "l2 = " : "", o->l2 > 0 ? convex_report_number(l2, o->l2) : "",
                    " (C = ", convex_report_number(c, c_of(convex)),
                    ", ratio = ", convex_report_number(ratio, ratio_of(convex)), ")");
}

static const char *joint_describe(struct convex *convex, bool plain) {
    static const char *const biases[] = {"w_k·x+b_k; the biases are not penalised",
                                         "w_k·x: there are no biases",
                                         "w_k·x+b_k; the biases are penalised as weights"};
    const struct joint_loss *loss = convex->joint->loss;
    return FIT_JOIN(convex->fit, "mean of ", plain ? "" : "class weight times ", loss->words,
                    penalty_words(convex), ", s_k = ", biases[convex->objective.bias]);
}

const char *convex_describe(struct convex *convex) {
    static const char *const biases[] = {"t(w·x+b); the bias is not penalised",
                                         "t w·x: there is no bias",
                                         "t(w·x+b); the bias is penalised as a weight"};
    const struct objective *o = &convex->objective;
    bool plain = strcmp(convex->config->class_weight, "none") == 0;
    if (convex->joint) return joint_describe(convex, plain);
    return FIT_JOIN(convex->fit, "mean of ", plain ? "" : "class weight times ", o->loss->words,
                    penalty_words(convex), ", m = ", biases[o->bias],
                    o->box ? "; low <= w <= high by the bounds" : "");
}

/* "hinge, L2 penalty, C = 1, intercept not penalised" */
const char *convex_loss_words(struct convex *convex) {
    static const char *const intercepts[] = {"intercept not penalised", "no intercept",
                                             "intercept penalised"};
    const struct objective *o = &convex->objective;
    bool both = o->l1 > 0 && o->l2 > 0,
         weighted = strcmp(convex->config->class_weight, "none") != 0;
    bool by_c = !isnan(convex->config->c), by_l1 = !by_c && o->l1 > 0, by_l2 = !by_c && o->l2 > 0;
    char c[DECIMAL_BYTES + 1], l1[DECIMAL_BYTES + 1], l2[DECIMAL_BYTES + 1];
    const char *name = convex->joint ? convex->joint->loss->name : o->loss->name;
    return FIT_JOIN(convex->fit, name, weighted ? ", class weights" : "", ", ",
                    both        ? "elastic-net penalty"
                    : o->l1 > 0 ? "L1 penalty"
                    : o->l2 > 0 ? "L2 penalty"
                                : "no penalty",
                    by_c ? ", C = " : "", by_c ? convex_report_number(c, c_of(convex)) : "",
                    by_l1 ? ", l1 = " : "", by_l1 ? convex_report_number(l1, o->l1) : "",
                    by_l2 ? ", l2 = " : "", by_l2 ? convex_report_number(l2, o->l2) : "", ", ",
                    intercepts[o->bias], convex_bounds_words(convex));
}

static const char *name_solver(struct convex *convex, const struct convex_plan *plan) {
    if (!convex->handed_over)
        return FIT_JOIN(convex->fit, plan->first->name.name, " (", plan->why, ")");
    return FIT_JOIN(convex->fit, plan->first->name.name, ", then ", plan->then->name.name,
                    convex->handed_on ? ", then " : "",
                    convex->handed_on ? plan->last->name.name : "", " (", plan->why, ", but slow)");
}

void convex_report_facts(const struct convex *convex, struct fit *fit, const struct proof *proof) {
    if (!fit->make) return;
    struct tree *facts = tree_object(fit->make, fit->report, "certificate");
    tree_number(fit->make, facts, "primal", proof->primal);
    tree_number(fit->make, facts, "dual", proof->dual);
    tree_number(fit->make, facts, "rounding", proof->rounding);
    if (isnan(proof->gap)) {
        tree_number(fit->make, facts, "gradient", proof->slope);
        tree_number(fit->make, facts, "decrement", convex->descent.decrement);
    }
    if (convex->joint && !convex->joint->loss->convex) tree_bool(fit->make, facts, "convex", false);
    tree_number(fit->make, facts, "l1", convex->objective.l1);
    tree_number(fit->make, facts, "l2", convex->objective.l2);
    tree_number(fit->make, facts, "C", c_of(convex));
    tree_number(fit->make, facts, "ratio", ratio_of(convex));
}

void convex_tell_margin(struct fit *fit, size_t inside, double norm) {
    struct tree *facts = tree_object(fit->make, fit->report, "svm");
    tree_number(fit->make, facts, "support_vectors", (double)inside);
    tree_number(fit->make, facts, "margin", 1 / norm);
}

void convex_report(struct convex *convex, const struct convex_plan *plan) {
    struct fit *fit = convex->fit;
    const struct proof *proof = &convex->proof;
    fit->objective = proof->primal;
    fit->dual = proof->dual;
    fit->gap = proof->gap;
    fit->iterations = convex->descent.iterations;
    fit->converged = convex->descent.converged;
    fit->words = convex_describe(convex);
    fit->loss = convex_loss_words(convex);
    fit->priors = convex_priors_words(convex);
    fit->solver = name_solver(convex, plan);
    convex_report_facts(convex, fit, proof);
    convex_report_bounds(convex, fit);
    fit_note(fit, fit->iterations, fit->objective);
    fit_tell_progress(fit, "objective");
    if (fit->make && convex->objective.loss != &loss_logistic)
        convex_tell_margin(fit, proof->inside, proof->norm);
}
