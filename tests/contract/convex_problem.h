/* What the tests of the convex learners share: random two-class problems, fits with their report, and
   the objective in long double by plain loops. */
#ifndef TESTS_CONVEX_PROBLEM_H
#define TESTS_CONVEX_PROBLEM_H

#include "contract/strategy_problem.h"

#include "report/report.h"

struct answer {
    sepal_status status;
    size_t cols;
    double *w, b; /* in the user's units: a score is b + w . x */
    double objective, dual, gap, l1, l2;
    bool converged;
};

static inline void answer_free(struct answer *answer) {
    free(answer->w);
}

/* What a model of one row of weights says of rows as given, any standardizing folded in. */
static inline void keep_weights(struct answer *out, const sepal_model *model) {
    sepal_report *report = NULL;
    assert_int_equal(sepal_model_inspect(&report, ctx, model), SEPAL_OK);
    out->w = malloc((out->cols + 1) * sizeof *out->w);
    const struct tree *w = tree_find(report->root, "weights")->first->first;
    for (size_t j = 0; j < out->cols; j++, w = w->next) {
        assert_int_equal(w->kind, TREE_NUMBER); /* what is not finite would be null */
        out->w[j] = w->number;
    }
    out->b = tree_find(report->root, "bias")->first->number;
    assert_true(isfinite(out->b));
    sepal_report_free(report);
}

static inline struct answer fit_data_by(const sepal_data *data, const char *spec,
                                        const char *options) {
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    struct answer out = {.cols = data->matrix.cols};
    out.status = sepal_model_fit(&model, &report, ctx, spec, data, options);
    if (out.status != SEPAL_OK) return out;
    out.objective = sepal_report_number(report, "objective");
    out.gap = sepal_report_number(report, "gap");
    out.dual = sepal_report_number(report, "certificate.dual");
    out.l1 = sepal_report_number(report, "certificate.l1");
    out.l2 = sepal_report_number(report, "certificate.l2");
    out.converged = sepal_report_number(report, "converged") != 0;
    keep_weights(&out, model);
    sepal_report_free(report);
    sepal_model_free(model);
    return out;
}

/* A fit that must succeed, and converge. */
static inline struct answer solved(const struct problem *p, bool sparse, const char *spec,
                                   const char *options) {
    sepal_data *data = problem_data(p, ctx, sparse);
    struct answer out = fit_data_by(data, spec, options);
    if (out.status != SEPAL_OK) fail_msg("%s: %s", spec, ctx->error.message);
    if (!out.converged)
        fail_msg("%s, %s: %zu rows, %zu columns: not converged, gap %g", spec, options, p->rows,
                 p->cols, out.gap);
    data_free(data);
    return out;
}

/* ---- the objective by plain loops --------------------------------------------------------------- */

enum kind { LOGISTIC, SQUARED_HINGE, HINGE };

struct goal {
    enum kind kind;
    double l1, l2;
    bool bias_penalised;
    double factor[2]; /* of the classes */
};

static inline long double goal_score(const struct problem *p, const struct answer *a, size_t i) {
    long double sum = a->b;
    for (size_t j = 0; j < p->cols; j++) sum += (long double)p->x[i * p->cols + j] * a->w[j];
    return sum;
}

static inline long double goal_loss(enum kind kind, long double m) {
    long double under = m < 1 ? 1 - m : 0;
    if (kind == HINGE) return under;
    if (kind == SQUARED_HINGE) return under * under;
    return m > 0 ? log1pl(expl(-m)) : -m + log1pl(expl(m));
}

static inline double total_weight(const struct problem *p) {
    double sum = 0;
    for (size_t i = 0; i < p->rows; i++) sum += problem_weight(p, i);
    return sum;
}

/* Sum of w_i factor_i loss_i over sum of w_i, plus the penalty. */
static inline long double goal_at(const struct problem *p, const struct goal *g,
                                  const struct answer *a) {
    long double sum = 0;
    for (size_t i = 0; i < p->rows; i++) {
        long double score = goal_score(p, a, i), m = p->label[i] == 1 ? score : -score;
        sum += problem_weight(p, i) * g->factor[p->label[i]] * goal_loss(g->kind, m);
    }
    sum /= total_weight(p);
    for (size_t j = 0; j < p->cols + g->bias_penalised; j++) {
        long double w = j < p->cols ? a->w[j] : a->b;
        sum += g->l1 * fabsl(w) + g->l2 / 2 * w * w;
    }
    return sum;
}

/* ---- solvers ------------------------------------------------------------------------------------ */

/* The k-th name of --solver; false: there are no more. */
static inline bool solver_at(char *out, size_t size, size_t k) {
    const struct solver_name *const *names = learner_find("svm")->solvers;
    for (size_t i = 0; i <= k; i++)
        if (!names[i]) return false;
    snprintf(out, size, "%s", names[k]->name);
    return true;
}

/* The delta rule stops where its epochs end. */
static inline bool solver_walks(const char *name) {
    return strcmp(name, "sgd") == 0;
}

#endif
