/* Label sets in the fit fuzzer: the table's classes become labels that rows have any number of. Each label
   is a logistic regression of its own, which bounds what the fit of all found, and is bounded by it. */
#ifndef TESTS_FIT_FUZZ_SETS_H
#define TESTS_FIT_FUZZ_SETS_H

#include "contract/fit_fuzz_laws.h"

/* Mostly the row's class, and others by chance; each label is there and is missing, unless `constant`:
   then the first one is everywhere. */
static inline unsigned char *sets_draw(const struct table *t, struct rng *rng, bool constant) {
    size_t labels = t->p.classes;
    unsigned char *bits = room(t->p.rows * labels, 1);
    double others = chance(rng, 0.2) ? 0 : 0.5 * rng_unit(rng);
    for (size_t i = 0; i < t->p.rows; i++)
        for (size_t k = 0; k < labels; k++)
            bits[i * labels + k] = chance(rng, (size_t)t->p.label[i] == k ? 0.85 : others);
    for (size_t k = 0; k < labels; k++) bits[k] = 1, bits[labels + k] = 0;
    for (size_t i = 0; i < t->p.rows && constant; i++) bits[i * labels] = 1;
    return bits;
}

static inline sepal_data *sets_data(const struct table *t, const unsigned char *bits) {
    sepal_data *data = NULL;
    sepal_input in = {.size = sizeof in,
                      .rows = t->p.rows,
                      .columns = t->p.cols,
                      .values = t->p.x,
                      .weights = t->p.weight,
                      .label_count = t->p.classes,
                      .label_bits = bits,
                      .label_names = plain_names};
    if (sepal_data_from(&data, ctx, &in) != SEPAL_OK) fail_msg("%s", sepal_ctx_error(ctx));
    if (t->sparse) store_sparse(data);
    return data;
}

/* Label k against its absence, by logistic. */
static inline struct run label_alone(struct fuzz *z, const unsigned char *bits, size_t k) {
    struct fuzz at = *z;
    struct table t = table_copy(&z->table);
    const char *rest = spec_learner(z->spec.text, z->spec.learner);
    at.spec.learner = learner_find("logistic");
    snprintf(at.spec.text, sizeof at.spec.text, "%.*slogistic%s", (int)(rest - z->spec.text),
             z->spec.text, rest + strlen(z->spec.learner->name));
    t.p.classes = 2;
    for (size_t i = 0; i < t.p.rows; i++) t.p.label[i] = bits[i * z->table.p.classes + k];
    struct run run = run_fit(&at, &t, NULL, NULL);
    check_run(&at, &run);
    z->fits = at.fits, z->findings = at.findings;
    table_free(&t);
    return run;
}

static inline void check_labels(struct fuzz *z, const struct run *all, const unsigned char *bits) {
    for (size_t k = 0; k < all->n_parts; k++) {
        struct run one = label_alone(z, bits, k);
        const struct part *p = &all->parts[k], *q = one.parts;
        if (one.status != SEPAL_OK)
            find(z, NULL, "label %zu: no fit by itself: %s", k, one.error);
        else if (excess(p, q, all->rows) > 0)
            find_excess(z, "a label by itself", NULL, p, q, k);
        else if (excess(q, p, all->rows) > 0)
            find_excess(z, "all labels", NULL, q, p, k);
        run_free(&one);
    }
}

/* What is predicted of a label is the sign of its score. */
static inline void check_predicted_sets(struct fuzz *z, const struct run *run) {
    size_t n = run->rows * run->width;
    signed char *labels = room(n, 1);
    sepal_predictions out = {.size = sizeof out, .labels = labels};
    if (sepal_model_predict_rows(&out, ctx, run->model, run->data, 0, run->rows, NULL) != SEPAL_OK)
        find(z, NULL, "no label sets: %s", sepal_ctx_error(ctx));
    else
        for (size_t k = 0; k < n; k++)
            if (labels[k] != (run->scores[k] >= 0)) {
                find(z, NULL, "row %zu has label %zu: %d, its score is %g", k / run->width,
                     k % run->width, labels[k], run->scores[k]);
                break;
            }
    free(labels);
}

/* A label that never varies has no problem of its own, and is predicted as it is. */
static inline void check_constant(struct fuzz *z, const struct run *run) {
    check_finite(z, run);
    for (size_t i = 0; i < run->rows; i++)
        if (!(run->scores[i * run->width] > 0)) {
            find(z, NULL, "all rows have label 0, and row %zu is denied it", i);
            return;
        }
}

static inline void law_label_sets(struct fuzz *z) {
    struct rng rng = rng_make(z->seed, 6000000 + z->number); /* fixed: the seed of the problem */
    bool constant = chance(&rng, 0.2);
    unsigned char *bits = sets_draw(&z->table, &rng, constant);
    struct run run = run_data(z, sets_data(&z->table, bits), NULL);
    if (run.status != SEPAL_OK) {
        check_refusal(z, &run);
    } else {
        if (run.n_parts == z->table.p.classes)
            check_run(z, &run);
        else
            check_constant(z, &run);
        check_predicted_sets(z, &run);
        check_file(z, &run);
        if (!constant) check_labels(z, &run, bits);
    }
    run_free(&run);
    free(bits);
}

#endif
