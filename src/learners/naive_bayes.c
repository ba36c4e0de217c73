/* Naive Bayes: the columns are taken as independent given the class, so that its density is a
   product of one factor a column, and sums over the rows of each class are all there is to learn.

       multinomial  word counts: theta_kj = (N_kj + a) / (N_k + a M)
       complement   the same from the rows of all other classes, which are more (Rennie, Shih,
                    Teevan, Karger, "Tackling the poor assumptions of naive Bayes text classifiers",
                    ICML 2003, without its normalisation of the weights); no density, no priors
       bernoulli    bits: theta_kj = (n_kj + a) / (n_k + 2 a)
       gaussian     measurements: the learner gaussian(covariance=diagonal) under another name

   N_kj is the sum of column j over the rows of class k, N_k the sum of these over j, n_kj the number
   of its rows with x_j > 0, a the smoothing. All scores are linear in x. */
#include "learners/gaussian.h"

#include "core/alloc.h"
#include "core/decimal.h"
#include "core/parallel.h"
#include "statistics/class_sums.h"

#include <math.h>
#include <string.h>

enum kind { KIND_MULTINOMIAL, KIND_COMPLEMENT, KIND_BERNOULLI, KIND_GAUSSIAN };

struct naive_bayes_config {
    int kind;
    double smoothing;
};

#define AT(field) offsetof(struct naive_bayes_config, field)
static const struct parameter parameters[] = {
    {"kind", PARAMETER_CHOICE, AT(kind), "multinomial", "multinomial|complement|bernoulli|gaussian",
     "what the columns are: counts, counts seen from the other classes, bits, measurements"},
    {"smoothing", PARAMETER_REAL, AT(smoothing), "1", "[0, inf)",
     "added to every count, so that nothing has probability 0; not for measurements"},
    {0},
};

struct naive_bayes_task {
    struct fit *fit;
    enum kind kind;
    double smoothing;
    size_t classes, cols;
    struct class_sums sums;
    double *value;     /* classes x cols: what one more of column j adds to the score of class k */
    double *constant;  /* classes: the score of a row of zeros, without the prior */
    double *objective; /* classes: its part of the sum over the rows */
};

static const char *class_name(const struct naive_bayes_task *task, size_t k) {
    return task->fit->data->schema->classes[k];
}

/* "column 'age'", or its number where a map has made it. */
static const char *bayes_column_name(const struct naive_bayes_task *task, size_t j) {
    const struct schema *schema = task->fit->data->schema;
    if (schema->width != task->cols) return fit_text(task->fit, "column %zu", j + 1);
    struct text name = {0};
    schema_column_name(task->fit->ctx, &name, schema, j);
    const char *text = fit_text(task->fit, "column '%.200s'", name.bytes ? name.bytes : "");
    text_clear(&name);
    return text;
}

/* ---- what the values are -------------------------------------------------------------------- */

/* The first value of a row below 0, or the first that is neither 0 nor 1. */
static double find_value(const struct naive_bayes_task *task, size_t row, bool below,
                         size_t *column) {
    size_t i;
    const struct block *block = matrix_block_of(&task->fit->data->matrix, row, &i);
    double x = 0;
    for (size_t at = 0; row_next(block, i, task->cols, &at, column, &x);)
        if (below ? x < 0 : x != 0 && x != 1) break;
    return x;
}

/* Messages count rows from 1. */
static size_t row_name(const struct naive_bayes_task *task, size_t row) {
    return matrix_row_number(&task->fit->data->matrix, row) + 1;
}

static sepal_status check_values(struct naive_bayes_task *task) {
    struct fit *fit = task->fit;
    size_t j = 0;
    char shown[DECIMAL_BYTES];
    if (task->kind == KIND_BERNOULLI) {
        if (task->sums.other_row == SIZE_MAX) return SEPAL_OK;
        shown[decimal_print(shown, find_value(task, task->sums.other_row, false, &j))] = '\0';
        warn(fit->ctx, "not-bits",
             "%s of row %zu is %s, which is neither 0 nor 1: every value above 0 counts as 1, all "
             "others "
             "as 0; for counts use kind=multinomial",
             bayes_column_name(task, j), row_name(task, task->sums.other_row), shown);
        return SEPAL_OK;
    }
    if (task->sums.negative_row == SIZE_MAX) return SEPAL_OK;
    shown[decimal_print(shown, find_value(task, task->sums.negative_row, true, &j))] = '\0';
    return fail_at(fit->ctx, SEPAL_EDATA, fit->data->file, 0, 0,
                   "%s of row %zu is %s, and counts are not below 0; leave the column out, use "
                   "kind=bernoulli for bits, or kind=gaussian for measurements",
                   bayes_column_name(task, j), row_name(task, task->sums.negative_row), shown);
}

static sepal_status bayes_check_weights(const struct naive_bayes_task *task) {
    for (size_t k = 0; k < task->classes; k++)
        if (!(task->sums.weight[k] > 0))
            return fail(task->fit->ctx, SEPAL_EDATA,
                        "class '%s' has no weight, so it has no prior; give its rows weight or "
                        "leave them out",
                        class_name(task, k));
    return SEPAL_OK;
}

/* ---- from counts to logarithms -------------------------------------------------------------- */

static sepal_status too_large(sepal_ctx *ctx, const struct naive_bayes_task *task, size_t k) {
    return fail(ctx, SEPAL_EDATA,
                "the sum of the values of class '%s' is beyond the range of a double; scale the "
                "features down, or take less smoothing",
                class_name(task, k));
}

/* Without smoothing a probability may come out as 0, and one of a bit as 1. */
static sepal_status check_zeros(struct naive_bayes_task *task) {
    const char *where = task->kind == KIND_COMPLEMENT ? "outside" : "in";
    for (size_t i = 0; task->smoothing == 0 && i < task->classes * task->cols; i++) {
        size_t k = i / task->cols, j = i % task->cols;
        double whole = task->kind == KIND_BERNOULLI ? task->sums.weight[k] : INFINITY;
        if (task->value[i] > 0 && task->value[i] < whole) continue;
        return fail_at(task->fit->ctx, SEPAL_EDATA, task->fit->data->file, 0, 0,
                       "%s is %s above 0 %s class '%s', so without smoothing the logarithm of a "
                       "probability is not finite; use smoothing=1, or a small one such as 1e-10",
                       bayes_column_name(task, j), task->value[i] > 0 ? "always" : "never", where,
                       class_name(task, k));
    }
    return SEPAL_OK;
}

/* Most counts are small whole numbers, whose logarithms are known after the first time. */
enum { KNOWN_COUNTS = 128 };

static double count_log(double known[KNOWN_COUNTS], double count, double smoothing) {
    size_t whole = count < KNOWN_COUNTS ? (size_t)count : 0;
    if ((double)whole != count) return log(count + smoothing);
    if (isnan(known[whole])) known[whole] = log(count + smoothing);
    return known[whole];
}

/* Counts of class k, or of all others, to ln theta or its negative, in place. */
static sepal_status count_logs(sepal_ctx *ctx, size_t k, void *payload) {
    struct naive_bayes_task *task = payload;
    double *count = task->value + k * task->cols, total = 0, objective = 0;
    for (size_t j = 0; j < task->cols; j++) total += count[j];
    total += task->smoothing * (double)task->cols;
    if (!isfinite(total)) return too_large(ctx, task, k);
    double known[KNOWN_COUNTS], log_total = log(total);
    for (size_t i = 0; i < KNOWN_COUNTS; i++) known[i] = NAN;
    for (size_t j = 0; j < task->cols; j++) {
        double log_theta = count_log(known, count[j], task->smoothing) - log_total;
        objective -= count[j] * log_theta;
        count[j] = task->kind == KIND_COMPLEMENT ? -log_theta : log_theta;
    }
    task->objective[k] = objective;
    return SEPAL_OK;
}

/* Numbers of bits in class k to ln theta and ln theta - ln(1 - theta). */
static sepal_status bit_logs(sepal_ctx *ctx, size_t k, void *payload) {
    struct naive_bayes_task *task = payload;
    struct density *density = task->fit->linear.density;
    double *value = task->value + k * task->cols, *mean = density->mean + k * task->cols;
    double rows = task->sums.weight[k], smoothing = task->smoothing;
    double total = rows + 2 * smoothing, log_total = log(total), sum = 0, lost = 0, objective = 0;
    if (!isfinite(total)) return too_large(ctx, task, k);
    for (size_t j = 0; j < task->cols; j++) {
        double on = value[j], off = fmax(rows - on, 0); /* sums of weights are rounded */
        /* the logarithm of the larger one from the smaller: it may be near 1 */
        double log_less = log(fmin(on, off) + smoothing) - log_total;
        double log_more = log1p(-(fmin(on, off) + smoothing) / total);
        double log_off = on < off ? log_more : log_less, term = log_off - lost, next = sum + term;
        mean[j] = on < off ? log_less : log_more;
        value[j] = mean[j] - log_off;
        objective -= on * mean[j] + off * log_off;
        lost = (next - sum) - term; /* Kahan's sum: there may be a million columns */
        sum = next;
    }
    density->constant[k] = task->constant[k] = sum;
    task->objective[k] = objective;
    return SEPAL_OK;
}

/* The counts of all classes but k, in place, as sums of what comes before and after it: a difference
   from the sum of all would leave rounding where there is nothing. */
static sepal_status complement_counts(struct naive_bayes_task *task) {
    enum { PANEL = 64 }; /* columns at a time */
    size_t cols = task->cols, classes = task->classes;
    double *after = arena_alloc(task->fit->ctx, &task->fit->arena, classes, PANEL * sizeof *after);
    if (!after) return SEPAL_EMEMORY;
    for (size_t first = 0; first < cols; first += PANEL) {
        size_t n = cols - first < PANEL ? cols - first : PANEL;
        double before[PANEL] = {0}, *counts = task->value + first;
        memset(after + (classes - 1) * PANEL, 0, n * sizeof *after);
        for (size_t k = classes - 1; k-- > 0;)
            for (size_t j = 0; j < n; j++)
                after[k * PANEL + j] = after[(k + 1) * PANEL + j] + counts[(k + 1) * cols + j];
        for (size_t k = 0; k < classes; k++)
            for (size_t j = 0; j < n; j++) {
                double own = counts[k * cols + j];
                counts[k * cols + j] = before[j] + after[k * PANEL + j];
                before[j] += own;
            }
    }
    return SEPAL_OK;
}

static sepal_status bayes_estimate(struct naive_bayes_task *task) {
    sepal_ctx *ctx = task->fit->ctx;
    if (task->kind == KIND_COMPLEMENT) TRY(complement_counts(task));
    TRY(check_zeros(task));
    return parallel_for(ctx, task->classes, task->kind == KIND_BERNOULLI ? bit_logs : count_logs,
                        task);
}

/* ---- the model ------------------------------------------------------------------------------ */

static sepal_status bayes_set_priors(struct naive_bayes_task *task) {
    struct linear *linear = &task->fit->linear;
    double total = task->fit->data->total_weight;
    if (task->kind == KIND_COMPLEMENT) return SEPAL_OK;
    linear->priors = mem_alloc(task->fit->ctx, task->classes, sizeof *linear->priors);
    if (!linear->priors) return SEPAL_EMEMORY;
    for (size_t k = 0; k < task->classes; k++) {
        double log_prior = log(task->sums.weight[k]) - log(total);
        linear->priors[k] = task->sums.weight[k] / total;
        task->constant[k] += log_prior;
        task->objective[k] -= task->sums.weight[k] * log_prior;
    }
    return SEPAL_OK;
}

static void bayes_set_weights(struct naive_bayes_task *task) {
    struct linear *linear = &task->fit->linear;
    size_t cols = task->cols;
    if (linear->rows == task->classes) {
        memcpy(linear->w, task->value, task->classes * cols * sizeof *linear->w);
        memcpy(linear->b, task->constant, task->classes * sizeof *linear->b);
        return;
    }
    for (size_t j = 0; j < cols; j++) linear->w[j] = task->value[cols + j] - task->value[j];
    linear->b[0] = task->constant[1] - task->constant[0];
}

static const char *bayes_describe(struct naive_bayes_task *task) {
    char a[DECIMAL_BYTES];
    a[decimal_print(a, task->smoothing)] = '\0';
    if (task->kind == KIND_BERNOULLI)
        return fit_text(task->fit,
                        "mean of -ln(π_k ∏_j p_kj) over the rows, p_kj = θ_kj where x_j > 0 and "
                        "1 - θ_kj where not, at θ_kj = (n_kj + a)/(n_k + 2a), a = %s",
                        a);
    if (task->kind == KIND_COMPLEMENT)
        return fit_text(task->fit,
                        "mean over the rows of -Σ_j x_j ln θ_kj, summed over the classes k that "
                        "the row is not of, at θ_kj = (N_j - N_kj + a)/(N - N_k + aM), a = %s, "
                        "M = %zu",
                        a, task->cols);
    return fit_text(task->fit,
                    "mean of -ln(π_k ∏_j θ_kj^x_j) over the rows (their numbers of arrangements "
                    "left out), at θ_kj = (N_kj + a)/(N_k + aM), a = %s, M = %zu",
                    a, task->cols);
}

static sepal_status bayes_set_up(struct naive_bayes_task *task) {
    struct fit *fit = task->fit;
    struct linear *linear = &fit->linear;
    TRY(linear_init(linear, fit->ctx, task->classes, task->cols, false));
    linear->bits = task->sums.bits = task->kind == KIND_BERNOULLI;
    if (task->kind != KIND_COMPLEMENT)
        TRY(density_new(&linear->density, fit->ctx,
                        linear->bits ? DENSITY_BERNOULLI : DENSITY_MULTINOMIAL, task->classes,
                        task->cols));
    /* the means of the multinomial density are the values themselves */
    task->value = task->kind == KIND_MULTINOMIAL ? linear->density->mean
                                                 : arena_alloc(fit->ctx, &fit->arena, task->classes,
                                                               task->cols * sizeof *task->value);
    task->sums.sum = task->value;
    double *numbers = arena_zero(fit->ctx, &fit->arena, 3 * task->classes, sizeof *numbers);
    if (!task->value || !numbers) return SEPAL_EMEMORY;
    task->sums.weight = numbers;
    task->constant = numbers + task->classes;
    task->objective = numbers + 2 * task->classes;
    return SEPAL_OK;
}

static sepal_status bayes_fit_gaussian(struct fit *fit, const struct naive_bayes_config *config) {
    static const struct gaussian_config diagonal = {
        .covariance = COVARIANCE_DIAGONAL, .estimate = ESTIMATE_ML, .shrinkage = "none"};
    if (config->smoothing != 1)
        return fail(fit->ctx, SEPAL_EUSAGE,
                    "kind=gaussian counts nothing, so there is nothing to smooth; leave smoothing "
                    "out, or use gaussian(covariance=diagonal, shrinkage=0.1)");
    fit->config = &diagonal;
    return learner_find("gaussian")->fit(fit);
}

static sepal_status fit_naive_bayes(struct fit *fit) {
    const struct naive_bayes_config *config = fit->config;
    const sepal_data *data = fit->data;
    if (config->kind == KIND_GAUSSIAN) return bayes_fit_gaussian(fit, config);
    struct naive_bayes_task task = {.fit = fit,
                                    .kind = (enum kind)config->kind,
                                    .smoothing = config->smoothing,
                                    .classes = data->schema->n_classes,
                                    .cols = data->matrix.cols};
    TRY(bayes_set_up(&task));
    TRY(class_sums(&task.sums, fit->ctx, &fit->arena, data));
    TRY(check_values(&task));
    TRY(bayes_check_weights(&task));
    TRY(bayes_estimate(&task));
    TRY(bayes_set_priors(&task));
    bayes_set_weights(&task);
    fit->objective = 0;
    for (size_t k = 0; k < task.classes; k++)
        fit->objective += task.objective[k] / data->total_weight;
    fit->gap = NAN;
    fit->converged = true;
    fit->solver = "counts per class (closed form)";
    fit->words = bayes_describe(&task);
    return SEPAL_OK;
}

/* Means and variances follow a shift; counts are counted from 0. */
static bool bayes_shiftable(const void *config) {
    return ((const struct naive_bayes_config *)config)->kind == KIND_GAUSSIAN;
}

static enum parts_know bayes_knows(const void *config, bool *free) {
    *free = false;
    return ((const struct naive_bayes_config *)config)->kind == KIND_GAUSSIAN ? PARTS_SQUARES
                                                                              : PARTS_NOTHING;
}

const struct learner learner_naive_bayes = {
    .name = "naive-bayes",
    .summary = "naive Bayes: features independent given the class; counts, bits or measurements",
    .objective = "mean of -ln(prior times the product of the probabilities of the columns) of the "
                 "rows",
    .activation = "softmax",
    .machine = true,
    .posterior = true,
    .shiftable = bayes_shiftable,
    .parameters = parameters,
    .config_size = sizeof(struct naive_bayes_config),
    .knows = bayes_knows,
    .no_density = "kind=multinomial has one",
    .fit = fit_naive_bayes,
};
