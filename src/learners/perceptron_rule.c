/* The perceptron's rule for one example (Rosenblatt 1958; the multi-class form is Duda and Hart's
   Kesler construction, "Pattern Classification and Scene Analysis" 1973, 5.12), and the small
   things done with all weights or all rows. */
#include "learners/perceptron.h"

#include "core/parallel.h"
#include "core/rng.h"

#include <math.h>
#include <string.h>

struct example perceptron_example(const struct perceptron *p, size_t row) {
    struct example x = {.label = p->data->label[row], .weight = data_weight(p->data, row)};
    x.block = matrix_block_of(p->matrix, row, &x.i);
    return x;
}

/* In the same order of operations as linear_scores, so that the two agree on every tie. */
static double rule_score(const struct perceptron *p, const struct weights *at,
                         const struct example *x, size_t r) {
    return at->b[r] + row_dot(p->kernels, x->block, x->i, p->cols, at->w + r * p->cols);
}

double perceptron_margin(const struct perceptron *p, const struct weights *at,
                         const struct example *x, int32_t *rival) {
    if (p->rows == 1) {
        *rival = 1 - x->label;
        double s = rule_score(p, at, x, 0);
        return x->label == 1 ? s : -s;
    }
    double best = 0;
    *rival = -1;
    for (int32_t k = 0; k < (int32_t)p->rows; k++) {
        if (k == x->label) continue;
        double s = rule_score(p, at, x, (size_t)k);
        if (*rival >= 0 && !(s > best)) continue;
        best = s;
        *rival = k;
    }
    return rule_score(p, at, x, (size_t)x->label) - best;
}

double perceptron_margin_against(const struct perceptron *p, const struct weights *at,
                                 const struct example *x, int32_t rival) {
    if (p->rows == 1) return perceptron_margin(p, at, x, &rival);
    return rule_score(p, at, x, (size_t)x->label) - rule_score(p, at, x, (size_t)rival);
}

bool perceptron_errs(const struct perceptron *p, double margin, int32_t label, int32_t rival) {
    bool wins_tie = p->rows == 1 ? label == 1 : label < rival;
    return !(margin > 0 || (margin == 0 && wins_tie));
}

static void rule_add_row(const struct perceptron *p, struct weights *to, const struct example *x,
                         size_t r, double a) {
    row_axpy(p->kernels, x->block, x->i, p->cols, a, to->w + r * p->cols);
    if (p->config->bias) to->b[r] += a;
}

void perceptron_add(const struct perceptron *p, struct weights *to, const struct example *x,
                    int32_t rival, double a) {
    if (p->rows == 1) {
        rule_add_row(p, to, x, 0, x->label == 1 ? a : -a);
        return;
    }
    rule_add_row(p, to, x, (size_t)x->label, a);
    rule_add_row(p, to, x, (size_t)rival, -a);
}

sepal_status weights_make(struct weights *out, const struct perceptron *p) {
    struct fit *fit = p->fit;
    out->w = arena_zero(fit->ctx, &fit->arena, p->rows * p->cols, sizeof *out->w);
    out->b = arena_zero(fit->ctx, &fit->arena, p->rows, sizeof *out->b);
    return out->w && out->b ? SEPAL_OK : SEPAL_EMEMORY;
}

void weights_copy(const struct perceptron *p, struct weights *to, const struct weights *from) {
    if (p->cols) memcpy(to->w, from->w, p->rows * p->cols * sizeof *to->w);
    memcpy(to->b, from->b, p->rows * sizeof *to->b);
}

void weights_add(const struct perceptron *p, struct weights *to, double a,
                 const struct weights *from) {
    p->kernels->axpy_f64(a, from->w, to->w, p->rows * p->cols);
    p->kernels->axpy_f64(a, from->b, to->b, p->rows);
}

double weights_norm(const struct perceptron *p, const struct weights *weights) {
    size_t n = p->rows * p->cols;
    double largest = 0, sum = 0;
    for (size_t j = 0; j < n; j++) largest = fmax(largest, fabs(weights->w[j]));
    for (size_t r = 0; r < p->rows; r++) largest = fmax(largest, fabs(weights->b[r]));
    if (largest == 0) return 0;
    /* scaled, as squares of very large or small numbers would not fit; by a power of two, so that
       a step size that is one scales the norm exactly */
    enum { LARGEST_SCALE = 1000 };
    int exponent;
    frexp(largest, &exponent);
    if (exponent < -LARGEST_SCALE) exponent = -LARGEST_SCALE;
    double scale = ldexp(1, -exponent);
    for (size_t j = 0; j < n; j++) sum += (weights->w[j] * scale) * (weights->w[j] * scale);
    for (size_t r = 0; r < p->rows; r++) sum += (weights->b[r] * scale) * (weights->b[r] * scale);
    return ldexp(sqrt(sum), exponent);
}

double weights_dot(const struct perceptron *p, const struct weights *a, const struct weights *b) {
    return p->kernels->dot_f64(a->w, b->w, p->rows * p->cols) +
           p->kernels->dot_f64(a->b, b->b, p->rows);
}

double perceptron_row_norm(const struct perceptron *p, const struct example *x) {
    const double least = 0x1p-900, most = 0x1p1000; /* squares between them lost nothing */
    double bias = p->config->bias ? 1 : 0;
    double squares = row_square_norm(x->block, x->i, p->cols);
    if (squares + bias > least && squares < most) return sqrt(bias + squares);
    double largest = bias, sum = 0, value;
    size_t j;
    for (size_t at = 0; row_next(x->block, x->i, p->cols, &at, &j, &value);)
        largest = fmax(largest, fabs(value));
    if (largest == 0) return 0;
    sum = (bias / largest) * (bias / largest);
    for (size_t at = 0; row_next(x->block, x->i, p->cols, &at, &j, &value);)
        sum += (value / largest) * (value / largest);
    return largest * sqrt(sum);
}

sepal_status perceptron_shuffle(struct perceptron *p, size_t epoch) {
    struct fit *fit = p->fit;
    size_t n = p->matrix->rows;
    if (n > UINT32_MAX)
        return fail(fit->ctx, SEPAL_EDATA,
                    "%zu rows are too many to shuffle; use variant=online without shuffle", n);
    if (!p->order) p->order = arena_alloc(fit->ctx, &fit->arena, n, sizeof *p->order);
    if (!p->order) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) p->order[i] = (uint32_t)i;
    struct rng rng = rng_make(fit->ctx->seed, epoch);
    rng_shuffle(&rng, p->order, n);
    return SEPAL_OK;
}

struct search {
    const struct perceptron *p;
    atomic_bool found;
};

static sepal_status search_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct search *search = payload;
    const struct perceptron *p = search->p;
    const struct block *block = &p->matrix->blocks[b];
    (void)ctx;
    for (size_t i = 0; i < block->rows && !atomic_load(&search->found); i++) {
        int32_t rival;
        struct example x = perceptron_example(p, block->first_row + i);
        if (!(perceptron_margin(p, &p->now, &x, &rival) > 0)) atomic_store(&search->found, true);
    }
    return SEPAL_OK;
}

sepal_status perceptron_is_clean(bool *out, struct perceptron *p) {
    struct search search = {.p = p};
    atomic_init(&search.found, false);
    TRY(parallel_for(p->fit->ctx, p->matrix->n_blocks, search_block, &search));
    *out = !atomic_load(&search.found);
    return SEPAL_OK;
}

bool perceptron_stops(struct perceptron *p, size_t rows) {
    /* about a millisecond's worth of numbers */
    enum { READ_BETWEEN = 1 << 21 };
    size_t per_row = p->rows * (1 + p->matrix->nonzeros / p->matrix->rows);
    p->work += rows * per_row;
    if (p->work < READ_BETWEEN) return false;
    p->work = 0;
    return fit_stops(p->fit, "epoch %zu, %zu mistakes", p->epochs, p->mistakes);
}

sepal_status perceptron_overflow(const struct perceptron *p) {
    return fail(p->fit->ctx, SEPAL_EDATA,
                "the perceptron's weights or scores exceed the largest number in epoch %zu: the "
                "features are too large; bring them to a common scale, or "
                "lower " OPTION "eta (it is %g)",
                p->epochs, p->config->eta);
}
