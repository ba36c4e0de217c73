/* Which learners are compared where none is named: one that separates, one that models the classes jointly,
   one that takes the columns apart; each with probabilities, so that they can be judged by what these are
   worth, and not only by the side of 1/2 they lie on. */
#include "selection/compare.h"

#include "core/alloc.h"
#include "data/class_counts.h"

#include <string.h>

enum { MOST_JOINT_CLASSES = 100, MOST_SCATTER_COLUMNS = 500, WIDE = 500 };

static const char *const of_sets[] = {"multilabel", NULL};
static const char *const of_two[] = {"standardize | logistic", "lda(shrinkage=auto)",
                                     "naive-bayes(kind=gaussian)", NULL};
static const char *const of_more[] = {"standardize | softmax", "lda(shrinkage=auto)",
                                      "naive-bayes(kind=gaussian)", NULL};
static const char *const of_many[] = {"standardize | logistic", "naive-bayes(kind=gaussian)", NULL};
/* Columns that are mostly 0 are marks, or counts, as of words. */
static const char *const of_two_marks[] = {"standardize | logistic", "lda(shrinkage=auto)",
                                           "naive-bayes(kind=bernoulli)", NULL};
static const char *const of_more_marks[] = {"standardize | softmax", "lda(shrinkage=auto)",
                                            "naive-bayes(kind=bernoulli)", NULL};
static const char *const of_two_wide[] = {"logistic", "naive-bayes(kind=multinomial)",
                                          "naive-bayes(kind=bernoulli)", NULL};
static const char *const of_more_wide[] = {"softmax", "naive-bayes(kind=multinomial)",
                                           "naive-bayes(kind=bernoulli)", NULL};

static const char *const *usual_set(const sepal_data *data) {
    size_t classes = data->schema->n_classes, columns = data->matrix.cols;
    if (data->set_start) return of_sets;
    if (data->matrix.sparse && columns > WIDE)
        return classes > 2 && classes <= MOST_JOINT_CLASSES ? of_more_wide : of_two_wide;
    if (columns > MOST_SCATTER_COLUMNS || classes > MOST_JOINT_CLASSES) return of_many;
    if (data->matrix.sparse) return classes > 2 ? of_more_marks : of_two_marks;
    return classes > 2 ? of_more : of_two;
}

sepal_status compare_usual(struct comparison *all) {
    const char *const *specs = usual_set(all->data);
    size_t n = 0;
    while (specs[n]) n++;
    all->models = arena_zero(all->ctx, &all->arena, n, sizeof *all->models);
    if (!all->models) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) {
        struct pipeline pipeline;
        struct compared *model = &all->models[all->n++];
        TRY(pipeline_parse(&pipeline, all->ctx, &all->arena, specs[i]));
        model->spec = specs[i];
        model->in_short = pipeline_short_spec(all->ctx, &all->arena, &pipeline);
        if (!model->in_short) return SEPAL_EMEMORY;
        /* options of a fit that one of them has no use for, as a solver, are refused in its name */
        TRY(measure_check_fit(all->ctx, specs[i], all->asked->fit_options));
    }
    return SEPAL_OK;
}

static sepal_status fewest_rows(size_t *class, size_t *fewest, const struct comparison *all) {
    const sepal_data *data = all->data;
    size_t classes = data->schema->n_classes;
    size_t *count = mem_alloc(all->ctx, classes, sizeof *count);
    if (!count) return SEPAL_EMEMORY;
    class_counts(count, data->label, data->matrix.rows, classes);
    *class = 0;
    for (size_t k = 1; k < classes; k++)
        if (count[k] < count[*class]) *class = k;
    *fewest = count[*class];
    mem_free(count);
    return SEPAL_OK;
}

sepal_status compare_usual_folds(struct comparison *all) {
    const sepal_data *data = all->data;
    struct split_options *splits = &all->options.splits;
    size_t rows = data->matrix.rows, class, fewest = rows, folds = splits->folds;
    if (splits->loo || splits->ordered || splits->fold_file || data->group) return SEPAL_OK;
    if (data->label) TRY(fewest_rows(&class, &fewest, all));
    if (data->label && fewest == 1) {
        all->lone = data->schema->classes[class];
        all->n = 1;
        warn(all->ctx, "few-rows",
             "class '%.200s' has a single row, and while it is held out nothing is left to learn "
             "the class from: the usual learners are not compared, and the first of them is taken",
             all->lone);
    } else if (folds > rows && fewest >= 2) {
        splits->folds = fewest;
        warn(all->ctx, "few-rows",
             "%zu folds are more than the %zu rows: the usual learners are compared by %zu", folds,
             rows, fewest);
    }
    return SEPAL_OK;
}
