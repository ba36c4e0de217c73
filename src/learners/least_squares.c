/* Least squares: linear functions whose values come near the targets of the
   classes, +-1 for two of them, 1-of-K for more. The problem has a closed form; which solver finds
   it follows from the shape of the data, and if the columns turn out to be dependent, from
   that. */
#include "learners/learner.h"

#include "core/decimal.h"
#include "dense/cholesky.h"
#include "kernels/blas.h"
#include "learners/leave_out.h"
#include "leastsq/leastsq.h"

#include <math.h>

enum targets { TARGETS_PM1, TARGETS_FISHER };

struct least_squares_config {
    double l2;
    int targets;
    bool bias;
};

#define AT(field) offsetof(struct least_squares_config, field)
static const struct parameter parameters[] = {
    {"l2", PARAMETER_REAL, AT(l2), "0", "[0, inf)",
     "weight of the ridge penalty l2/2 * |W|^2 beside the mean loss"},
    {"targets", PARAMETER_CHOICE, AT(targets), "pm1", "pm1|fisher",
     "for two classes: -1 and 1, or -N/N1 and N/N2, which gives Fisher's direction"},
    {"bias", PARAMETER_FLAG, AT(bias), "true", "", "fit a bias, which is never penalised"},
    {0},
};

static const struct solver_name solver_normal = {"normal", "normal equations: few columns", false},
                                solver_qr = {"qr", "QR factorisation: any rank, few columns",
                                             false},
                                solver_lsqr = {"lsqr", "LSQR iterations: many columns", false};
static const struct solver_name *const least_squares_solvers[] = {&solver_normal, &solver_qr,
                                                                  &solver_lsqr, NULL};

/* Gram matrices of NORMAL_COLS columns take 128 MiB and a second to factor. QR finds the rank by
   vector operations, some seconds at QR_COLS columns or, in the space of the rows, QR_ROWS; QR_WORK
   products to get there take as long. */
enum { NORMAL_COLS = 4096, QR_COLS = 2048, QR_ROWS = 1024 };
static const double QR_WORK = 1e11;
/* Dense arithmetic on sparse rows pays while it is less than this many passes over the entries. */
static const double SPARSE_PASSES = 4000;
/* What LSQR aims at, and how long. Columns dependent to less than the aim are taken to be so; a
   condition beyond the other is worth a word. */
static const double LSQR_TOL = 1e-13, LSQR_CONDITION = 1e10;
enum { LSQR_STEPS = 1000, LSQR_STEPS_PER_COLUMN = 4 };

struct least_squares_task {
    struct fit *fit;
    const struct least_squares_config *config;
    struct leastsq squares;
    double *target;      /* classes x outputs, not centred */
    double *target_mean; /* 0 without a bias */
};

/* ---- targets ------------------------------------------------------------------------------- */

static sepal_status fill_targets(struct least_squares_task *task) {
    const struct leastsq *p = &task->squares;
    sepal_ctx *ctx = task->fit->ctx;
    if (p->classes > 2) {
        for (size_t k = 0; k < p->classes; k++) task->target[k * p->classes + k] = 1;
        return SEPAL_OK;
    }
    task->target[0] = -1, task->target[1] = 1;
    if (task->config->targets != TARGETS_FISHER) return SEPAL_OK;
    for (size_t k = 0; k < 2; k++) {
        if (!(p->class_weight[k] > 0))
            return fail(ctx, SEPAL_EDATA,
                        "class '%s' has no weight, so its target N/N%zu does not exist; give its "
                        "rows weight or use targets=pm1",
                        task->fit->data->schema->classes[k], k + 1);
        task->target[k] *= p->total / p->class_weight[k];
    }
    return SEPAL_OK;
}

static void centre_targets(struct least_squares_task *task) {
    struct leastsq *p = &task->squares;
    for (size_t r = 0; r < p->outputs; r++) {
        double sum = 0;
        for (size_t k = 0; k < p->classes && p->centre; k++)
            sum += p->class_weight[k] * task->target[k * p->outputs + r];
        task->target_mean[r] = sum / p->total;
        for (size_t k = 0; k < p->classes; k++) {
            size_t at = k * p->outputs + r;
            p->target[at] = task->target[at] - task->target_mean[r];
        }
    }
}

static sepal_status make_targets(struct least_squares_task *task) {
    struct leastsq *p = &task->squares;
    sepal_ctx *ctx = task->fit->ctx;
    struct arena *arena = &task->fit->arena;
    if (task->config->targets == TARGETS_FISHER && p->classes > 2)
        return fail(ctx, SEPAL_EDATA,
                    "targets=fisher needs two classes, the data has %zu; use targets=pm1, which "
                    "means 1-of-K targets there",
                    p->classes);
    task->target = arena_zero(ctx, arena, p->classes, p->outputs * sizeof *task->target);
    p->target = arena_zero(ctx, arena, p->classes, p->outputs * sizeof *p->target);
    task->target_mean = arena_zero(ctx, arena, p->outputs, sizeof *task->target_mean);
    if (!task->target || !p->target || !task->target_mean) return SEPAL_EMEMORY;
    TRY(fill_targets(task));
    centre_targets(task);
    return SEPAL_OK;
}

/* ---- the solver ------------------------------------------------------------------------ */

/* Rows enough for independent columns? Not when a bias takes one away. */
static bool enough_rows(const struct leastsq *p) {
    return p->ridge > 0 || p->x->rows >= p->n + (p->centre != NULL);
}

static bool qr_affordable(const struct leastsq *p) {
    double rows = (double)p->x->rows, cols = (double)p->n;
    if (p->n <= QR_COLS && !leastsq_qr_by_rows(p)) return true;
    return leastsq_qr_by_rows(p) && p->x->rows <= QR_ROWS && rows * rows * cols <= QR_WORK;
}

static const struct solver_name *choose_solver(const struct leastsq *p) {
    double dense_work = (double)p->x->rows * (double)p->n * (double)p->n;
    double pass = (double)p->x->nonzeros * (double)p->outputs;
    bool too_sparse = p->x->sparse && dense_work > QR_WORK && dense_work > SPARSE_PASSES * pass;
    if (too_sparse) return &solver_lsqr;
    if (p->n <= NORMAL_COLS && enough_rows(p)) return &solver_normal;
    return qr_affordable(p) ? &solver_qr : &solver_lsqr;
}

static sepal_status run_qr(struct least_squares_task *task, const char *why) {
    struct leastsq *p = &task->squares;
    TRY(leastsq_qr(p));
    if (leastsq_qr_by_rows(p))
        task->fit->solver = fit_text(task->fit, "QR of %zu rows (%s)", p->x->rows, why);
    else
        task->fit->solver = fit_text(task->fit, "QR of %zu columns (%s)", p->n, why);
    return SEPAL_OK;
}

/* By its own test LSQR may end where there is more to gain: that is not convergence. */
static void judge_lsqr(struct least_squares_task *task, size_t most) {
    struct fit *fit = task->fit;
    struct leastsq *p = &task->squares;
    bool ended = p->converged || p->uneven, near = ended && p->condition > LSQR_CONDITION;
    if (p->stopped) return;
    if (near)
        warn(fit->ctx, "nearly-dependent",
             "columns are dependent up to about %.0e, which is at the limit of what LSQR can tell: "
             "its objective may not be the least; take " OPTION "solver qr, or give l2=1e-6",
             1 / p->condition);
    else if (p->uneven)
        warn(fit->ctx, "not-converged",
             "LSQR ended after %zu iterations, but its columns differ so much in scale that those "
             "of small numbers have more to give; bring the features to a common scale "
             "(standardize), or take " OPTION "solver qr",
             p->iterations);
    else if (!p->converged)
        warn(fit->ctx, "not-converged",
             "LSQR did not reach its tolerance in %zu iterations; bring the features to a common "
             "scale, give l2=1e-6, or raise " OPTION "max-iter",
             most);
    if (near) p->converged = false;
}

static sepal_status run_lsqr(struct least_squares_task *task, const char *why) {
    struct fit *fit = task->fit;
    struct leastsq *p = &task->squares;
    size_t shorter = p->x->rows < p->n ? p->x->rows : p->n;
    size_t most =
        LSQR_STEPS_PER_COLUMN * shorter > LSQR_STEPS ? LSQR_STEPS_PER_COLUMN * shorter : LSQR_STEPS;
    double tol = isnan(fit->options.tol) ? LSQR_TOL : fit->options.tol;
    if (fit->options.max_iter) most = fit->options.max_iter;
    TRY(leastsq_lsqr(p, tol, most));
    fit->solver = fit_text(fit, "LSQR (%s)", why);
    judge_lsqr(task, most);
    return SEPAL_OK;
}

static sepal_status least_squares_solve(struct least_squares_task *task) {
    const struct solver_name *asked = task->fit->options.asked;
    struct leastsq *p = &task->squares;
    const struct solver_name *solver = asked ? asked : choose_solver(p);
    const char *why = asked ? "as asked" : "as many columns as rows, or more";
    if (p->n == 0) {
        task->fit->solver = "none (all columns are constant)";
        p->converged = true;
        return SEPAL_OK;
    }
    if (solver == &solver_normal) {
        bool accurate = true;
        TRY(leastsq_normal(p, &accurate));
        task->fit->solver = fit_text(task->fit, "normal equations (%zu columns)", p->n);
        if (accurate) return SEPAL_OK;
        why = "the columns are dependent, or nearly so";
        solver = p->n <= QR_COLS || asked ? &solver_qr : &solver_lsqr;
    } else if (!asked && solver == &solver_lsqr) {
        why = p->x->sparse ? "sparse rows" : "many columns";
    }
    return solver == &solver_qr ? run_qr(task, why) : run_lsqr(task, why);
}

/* ---- what came of it ----------------------------------------------------------------------- */

static void warn_of_rank(const struct least_squares_task *task) {
    const struct leastsq *p = &task->squares;
    const struct schema *schema = task->fit->data->schema;
    size_t cols = p->x->cols, known = schema && schema->width == cols ? schema->dependent : 0;
    bool known_exactly = p->iterations == 0;
    if (p->ridge > 0 || !p->converged || cols - p->rank <= known) return;
    const char *constant =
        cols > p->n ? fit_text(task->fit, ", %zu of them constant,", cols - p->n) : "";
    warn(task->fit->ctx, "rank-deficient",
         "the %zu columns%s are linearly dependent (rank %s%zu): of all solutions the one of least "
         "norm was taken; with " OPTION "l2 1e-6 there would be only one",
         cols, constant, known_exactly ? "" : "at most ", p->rank);
}

static sepal_status least_squares_set_bias(struct least_squares_task *task) {
    struct linear *linear = &task->fit->linear;
    const struct leastsq *p = &task->squares;
    for (size_t r = 0; r < linear->rows; r++) {
        const double *w = linear->w + r * linear->cols;
        linear->b[r] = task->target_mean[r];
        if (p->centre) linear->b[r] -= p->ctx->kernels->dot_f64(w, p->offset, linear->cols);
        bool finite = isfinite(linear->b[r]);
        for (size_t j = 0; j < linear->cols && finite; j++) finite = isfinite(w[j]);
        if (!finite)
            return fail(p->ctx, SEPAL_EDATA,
                        "the least-squares weights are beyond the range of a double; bring the "
                        "features to a common scale");
    }
    return SEPAL_OK;
}

static const char *least_squares_describe(struct least_squares_task *task) {
    const struct leastsq *p = &task->squares;
    const char *bias = p->centre ? "bias not penalised" : "no bias";
    char l2[DECIMAL_BYTES], alpha[DECIMAL_BYTES];
    l2[decimal_print(l2, task->config->l2)] = '\0';
    alpha[decimal_print(alpha, p->ridge)] = '\0';
    const char *penalty = fit_text(task->fit,
                                   "0.5·l2·‖W‖², l2 = %s (scikit-learn's Ridge alpha = "
                                   "%s; %s)",
                                   l2, alpha, bias);
    if (p->classes > 2)
        return fit_text(task->fit,
                        "half the mean squared error of %zu outputs to 1-of-%zu "
                        "targets + %s",
                        p->classes, p->classes, penalty);
    return fit_text(task->fit, "half the mean squared error of 1 output to targets %s + %s",
                    task->config->targets == TARGETS_FISHER ? "-N/N1 and N/N2" : "-1 and 1",
                    penalty);
}

static sepal_status least_squares_report(struct least_squares_task *task) {
    struct fit *fit = task->fit;
    const struct leastsq *p = &task->squares;
    double residual;
    TRY(leastsq_check(&fit->objective, &residual, p, &fit->linear, task->target, task->config->l2));
    fit->gap = NAN;
    fit->iterations = p->iterations;
    fit->converged = p->converged;
    fit->words = least_squares_describe(task);
    if (!fit->make) return SEPAL_OK;
    struct tree *facts = tree_object(fit->make, fit->report, "least_squares");
    if (p->iterations)
        tree_null(fit->make, facts, "rank");
    else
        tree_number(fit->make, facts, "rank", (double)p->rank);
    tree_number(fit->make, facts, "residual", residual);
    return SEPAL_OK;
}

static bool least_squares_stops(void *payload, const char *doing) {
    return fit_stops(payload, "%s", doing);
}

static sepal_status least_squares_set_up(struct least_squares_task *task) {
    struct fit *fit = task->fit;
    const sepal_data *data = fit->data;
    TRY(linear_init(&fit->linear, fit->ctx, data->schema->n_classes, data->matrix.cols,
                    task->config->bias));
    double *root = NULL;
    if (data->weight) {
        root = arena_alloc(fit->ctx, &fit->arena, data->matrix.rows, sizeof *root);
        if (!root) return SEPAL_EMEMORY;
        for (size_t i = 0; i < data->matrix.rows; i++) root[i] = sqrt(data->weight[i]);
    }
    task->squares = (struct leastsq){.ctx = fit->ctx,
                                     .arena = &fit->arena,
                                     .x = &data->matrix,
                                     .label = data->label,
                                     .weight = data->weight,
                                     .root = root,
                                     .classes = data->schema->n_classes,
                                     .outputs = fit->linear.rows,
                                     .centre = fit->linear.centre,
                                     .w = fit->linear.w,
                                     .stops = least_squares_stops,
                                     .payload = fit};
    return leastsq_means(&task->squares);
}

static sepal_status fit_least_squares_left(struct fit *fit);

static sepal_status fit_least_squares(struct fit *fit) {
    if (fit->left) return fit_least_squares_left(fit);
    struct least_squares_task task = {.fit = fit, .config = fit->config};
    TRY(least_squares_set_up(&task));
    task.squares.ridge = task.squares.total * task.config->l2;
    TRY(make_targets(&task));
    TRY(least_squares_solve(&task));
    if (task.squares.stopped && task.squares.rank == 0 && cancelled(fit->ctx))
        return fail(fit->ctx, SEPAL_ECANCEL, "interrupted before there were any weights");
    TRY(least_squares_set_bias(&task));
    warn_of_rank(&task);
    return least_squares_report(&task);
}

/* ---- without one row ---------------------------------------------------------------------- */

struct least_squares_left_out {
    const struct least_squares_config *config;
    const struct scatter *s;
};

static double left_target(const struct linear *linear, const struct left_row *row,
                          const struct least_squares_left_out *all, size_t k, size_t r) {
    double target = linear->classes == 2 ? (k == 0 ? -1 : 1) : k == r;
    if (all->config->targets == TARGETS_FISHER) target *= row->total / row->class_weight[k];
    return target;
}

/* The normal equations: the right side is a sum over the classes of weight, mean and target. */
static void least_squares_without(struct linear *linear, const struct left_row *row,
                                  const void *payload) {
    const struct least_squares_left_out *all = payload;
    size_t n = row->n, cols = linear->cols;
    for (size_t r = 0; r < linear->rows; r++) {
        double *w = linear->w + r * cols, mean = 0, along = 0;
        for (size_t j = 0; j < n; j++) w[all->s->active[j]] = 0;
        for (size_t k = 0; k < all->s->classes; k++) {
            double times = row->class_weight[k] * left_target(linear, row, all, k, r);
            mean += times / row->total;
            for (size_t j = 0; j < n && times != 0; j++)
                w[all->s->active[j]] += times * row->solved[k * n + j];
        }
        for (size_t j = 0; j < cols; j++) along += w[j] * row->offset[j];
        linear->b[r] = mean - along;
    }
}

/* ---- of rows that are there in parts ------------------------------------------------------ */

/* Pivots of a matrix of unit diagonal. Below it the rows are asked. */
static const double PIVOT_LEFT = 1e-6;

static enum parts_know least_squares_knows(const void *config, bool *free) {
    const struct least_squares_config *own = config;
    *free = own->l2 == 0;
    return own->bias ? PARTS_WITHIN : PARTS_NOTHING;
}

/* The means of the classes less that of all to `solved`, and the scatter around the mean of all. */
static sepal_status left_total(double *matrix, double *solved, const struct scatter *s) {
    size_t n = s->n, cols = s->x->cols;
    TRY(scatter_within(matrix, s));
    for (size_t k = 0; k < s->classes; k++) {
        double *off = solved + k * n;
        for (size_t j = 0; j < n; j++)
            off[j] = s->mean[k * cols + s->active[j]] - s->offset[s->active[j]];
        for (size_t i = 0; i < n; i++)
            for (size_t j = i; j < n; j++)
                matrix[i * n + j] += s->class_weight[k] * (off[i] * off[j]);
    }
    return SEPAL_OK;
}

/* The normal equations M w = g with the ridge in M: the squared errors are those at 0 less g'w and the penalty. */
static double left_objective(const struct linear *linear, const struct left_row *row,
                             const struct least_squares_left_out *all, const double *off) {
    double sum = 0;
    for (size_t r = 0; r < linear->rows; r++) {
        double mean = 0;
        for (size_t k = 0; k < all->s->classes; k++)
            mean += row->class_weight[k] / row->total * left_target(linear, row, all, k, r);
        for (size_t k = 0; k < all->s->classes; k++) {
            double target = left_target(linear, row, all, k, r), along = 0;
            for (size_t j = 0; j < row->n; j++)
                along += linear->w[r * linear->cols + all->s->active[j]] * off[k * row->n + j];
            sum += row->class_weight[k] * ((target - mean) * (target - mean) - target * along);
        }
    }
    return sum / (2 * row->total);
}

static sepal_status fit_least_squares_left(struct fit *fit) {
    struct leave_out leave;
    TRY(leave_out_start(&leave, fit));
    struct scatter s = leave.s;
    struct least_squares_left_out all = {fit->config, &s};
    struct linear *linear = &fit->linear;
    TRY(scatter_columns(&s, SPREAD_WITHIN));
    size_t n = s.n, cells = (s.classes * 2 + 1) * n;
    for (size_t j = 0; j < s.x->cols; j++)
        if (s.spread[j] == SPREAD_BETWEEN) return scatter_lacks(&s);
    if (n == 0 || fit->options.asked || s.x->rows <= n + s.classes) return scatter_lacks(&s);
    double *matrix = arena_alloc(fit->ctx, &fit->arena, n, n * sizeof *matrix);
    double *off = arena_alloc(fit->ctx, &fit->arena, cells, sizeof *off);
    if (!matrix || !off) return SEPAL_EMEMORY;
    double *solved = off + s.classes * n, *scale = solved + s.classes * n;
    TRY(left_total(matrix, off, &s));
    for (size_t j = 0; j < n; j++) matrix[j * (n + 1)] += s.total * all.config->l2;
    if (!cholesky_scaled(matrix, n, scale, PIVOT_LEFT, fit->ctx)) return scatter_lacks(&s);
    for (size_t k = 0; k < s.classes; k++) {
        double *x = solved + k * n;
        for (size_t j = 0; j < n; j++) x[j] = off[k * n + j] * scale[j];
        fit->ctx->blas->cholesky_solve(n, matrix, n, 1, x, 1);
        for (size_t j = 0; j < n; j++) x[j] *= scale[j];
    }
    struct left_row row = {.n = n,
                           .total = s.total,
                           .class_weight = s.class_weight,
                           .mean = s.mean,
                           .offset = s.offset,
                           .solved = solved};
    least_squares_without(linear, &row, &all);
    fit->objective = left_objective(linear, &row, &all, off);
    struct least_squares_task task = {.fit = fit, .config = all.config};
    task.squares = (struct leastsq){
        .x = s.x, .n = n, .rank = n, .ridge = s.total * all.config->l2, .converged = true};
    warn_of_rank(&task);
    return SEPAL_OK;
}

/* Each row that is left out lightens the penalty, which is the same for all only if their weights are. */
static bool same_weights(const sepal_data *data) {
    for (size_t i = 1; data->weight && i < data->matrix.rows; i++)
        if (data->weight[i] != data->weight[0]) return false;
    return true;
}

static sepal_status least_squares_leave_out(struct leave_out *out, struct fit *fit) {
    const struct least_squares_config *config = fit->config;
    const sepal_data *data = fit->data;
    out->exact = false;
    if (!config->bias || fit->options.asked) return SEPAL_OK;
    if (config->targets == TARGETS_FISHER && data->schema->n_classes > 2) return SEPAL_OK;
    if (config->l2 > 0 && !same_weights(data)) return SEPAL_OK;
    TRY(leave_out_start(out, fit));
    struct least_squares_left_out *all = arena_alloc(fit->ctx, &fit->arena, 1, sizeof *all);
    if (!all) return SEPAL_EMEMORY;
    *all = (struct least_squares_left_out){config, &out->s};
    out->ridge = config->l2 * (out->s.total - data_weight(data, 0));
    out->set = least_squares_without;
    out->payload = all;
    return leave_out_factor(out, fit);
}

static bool least_squares_shiftable(const void *config) {
    return ((const struct least_squares_config *)config)->bias;
}

const struct learner learner_least_squares = {
    .name = "least-squares",
    .summary = "least squares: linear functions nearest to targets of the classes in squared error",
    .objective = "half the mean squared error of the outputs to the targets of the classes + "
                 "0.5·l2·‖W‖²",
    .activation = "identity",
    .machine = true,
    .shiftable = least_squares_shiftable,
    .solvers = least_squares_solvers,
    .parameters = parameters,
    .config_size = sizeof(struct least_squares_config),
    .fit = fit_least_squares,
    .knows = least_squares_knows,
    .leave_out = least_squares_leave_out,
};
