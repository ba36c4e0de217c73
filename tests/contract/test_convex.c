/* Facts that hold at the optimum of logistic regression and of the support vector machine, over
   random problems: losses, penalties, weights, biases, dense and sparse rows, 1 to 60 columns. Each
   tolerance follows from the gap: P at the answer is at most gap P above the least, so a slope g
   with curvature at most L satisfies g^2 <= 2 L gap P, and weights are within sqrt(2 gap P / l2). */
#include "contract/convex_problem.h"

static const char *const kinds[] = {"logistic", "svm", "svm(loss=hinge)"};
static const double bends[] = {0.25, 2, INFINITY};

static struct problem random_problem(struct rng *rng, bool sparse) {
    size_t cols = 1 + rng_below(rng, rng_below(rng, 2) ? 60 : 8);
    struct problem p = problem_new(rng, 6 + rng_below(rng, 90), cols, 2);
    for (size_t i = 0; sparse && i < p.rows * cols; i++)
        if (rng_below(rng, 4)) p.x[i] = 0;
    if (rng_below(rng, 2)) problem_weigh(&p, rng);
    return p;
}

/* "svm(loss=hinge)" with more parameters */
static void make_spec(char *out, size_t size, enum kind kind, const char *format, double number) {
    char parameters[200];
    snprintf(parameters, sizeof parameters, format, number);
    size_t length = strcspn(kinds[kind], ")");
    snprintf(out, size, "%.*s%s%s)", (int)length, kinds[kind], kind == HINGE ? ", " : "(",
             parameters);
}

/* ---- the optimum -------------------------------------------------------------------------------- */

static const struct {
    const char *parameters;
    double l1, l2;
} penalties[] = {{"l2=%g", 0, 1}, {"l1=%g", 1, 0}, {"l1=%1$g, l2=%1$g", 1, 1}};

static void check_slopes(const struct problem *p, const struct goal *g, const struct answer *a,
                         bool free_bias) {
    struct answer moved = *a;
    double excess = fmax(a->gap * a->objective, 1e-17);
    moved.w = malloc((p->cols + 1) * sizeof *moved.w);
    memcpy(moved.w, a->w, p->cols * sizeof *moved.w);
    for (size_t j = 0; j < p->cols + free_bias; j++) {
        double *at = j < p->cols ? &moved.w[j] : &moved.b, here = *at, square = 0;
        for (size_t i = 0; i < p->rows; i++) {
            double x = j < p->cols ? p->x[i * p->cols + j] : 1;
            square += problem_weight(p, i) * g->factor[p->label[i]] * x * x;
        }
        double smoothness = bends[g->kind] * square / total_weight(p) + (j < p->cols ? g->l2 : 0);
        const double h = 1e-4;
        *at = here + h;
        long double high = goal_at(p, g, &moved);
        *at = here - h;
        long double low = goal_at(p, g, &moved);
        *at = here;
        /* the error of the difference is at most h times the curvature's change */
        double slope = (double)((high - low) / (2 * h)),
               most = sqrt(2 * smoothness * excess) + 2 * h * smoothness;
        if (fabs(slope) > most) fail_msg("slope %zu is %g, not below %g", j, slope, most);
    }
    free(moved.w);
}

/* No point in any direction is better by more than the gap. */
static void check_least(const struct problem *p, const struct goal *g, const struct answer *a,
                        bool bias, struct rng *rng) {
    struct answer moved = *a;
    long double here = goal_at(p, g, a);
    moved.w = malloc((p->cols + 1) * sizeof *moved.w);
    for (int trial = 0; trial < 24; trial++) {
        double size = pow(10, -trial % 8);
        for (size_t j = 0; j < p->cols; j++)
            moved.w[j] = a->w[j] + (trial % 3 ? size * normal(rng) : 0);
        if (trial % 3 == 0) moved.w[rng_below(rng, p->cols)] *= 1 - size;
        moved.b = a->b + (bias ? size * normal(rng) : 0);
        long double there = goal_at(p, g, &moved);
        if (there < here - a->gap * fabsl(here) - 1e-15L)
            fail_msg("P = %.17Lg, but %.17Lg is near, and the gap is %g", here, there, a->gap);
    }
    free(moved.w);
}

/* The weighted mean of probabilities is the weighted share of the second class. */
static void check_mean(const struct problem *p, const struct goal *g, const struct answer *a) {
    long double mean = 0, share = 0, total = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double weight = problem_weight(p, i) * g->factor[p->label[i]];
        mean += weight / (1 + expl(-goal_score(p, a, i)));
        share += weight * p->label[i];
        total += weight;
    }
    double most = sqrt(2 * 0.25 * a->gap * a->objective * (double)total / total_weight(p)) + 1e-12;
    if (fabsl(mean - share) / total_weight(p) > most)
        fail_msg("mean probability %Lg, class frequency %Lg", mean / total, share / total);
}

static void check_optimum(struct rng *rng, size_t number) {
    static const char *const biases[] = {"true", "false", "penalised"};
    bool sparse = number % 2, factors = number % 5 == 0;
    enum kind kind = (enum kind)(number / 2 % 3);
    size_t penalty = number / 6 % 3, bias = number / 18 % 3;
    double strength = pow(10, -3 * rng_unit(rng) - 0.5);
    struct problem p = random_problem(rng, sparse);
    char parameters[160], spec[240];
    snprintf(parameters, sizeof parameters, "%s, bias=%s%s", penalties[penalty].parameters,
             biases[bias], factors ? ", class_weight=\"c00:0.5,c01:3\"" : "");
    make_spec(spec, sizeof spec, kind, parameters, strength);
    struct goal goal = {.kind = kind, .bias_penalised = bias == 2, .factor = {1, 1}};
    if (factors) goal.factor[0] = 0.5, goal.factor[1] = 3;
    struct answer a = solved(&p, sparse, spec, kind == LOGISTIC ? "tol=1e-9" : "tol=1e-7");
    assert_true(penalties[penalty].l1 == 0 ? a.l1 == 0 : fabs(a.l1 / strength - 1) < 1e-5);
    assert_true(penalties[penalty].l2 == 0 ? a.l2 == 0 : fabs(a.l2 / strength - 1) < 1e-5);
    goal.l1 = a.l1, goal.l2 = a.l2;
    long double right = goal_at(&p, &goal, &a);
    if (fabsl(a.objective - right) > 1e-13L * (1 + right))
        fail_msg("%s: objective %.17g, not %.17Lg", spec, a.objective, right);
    if (!(a.dual <= a.objective && a.gap > 0))
        fail_msg("%s: P = %.17g, D = %.17g, gap %g", spec, a.objective, a.dual, a.gap);
    check_least(&p, &goal, &a, bias != 1, rng);
    if (goal.l1 == 0 && kind != HINGE) check_slopes(&p, &goal, &a, bias == 0);
    if (kind == LOGISTIC && bias == 0) check_mean(&p, &goal, &a);
    if (bias == 1) assert_true(a.b == 0);
    answer_free(&a);
    problem_free(&p);
}

static void test_optimum(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(101), 1);
    for (size_t number = 0; number < 540; number++) check_optimum(&rng, number);
}

/* ---- the same problem in other words ------------------------------------------------------------ */

/* Two answers to one problem; both are within sqrt(2 gap P / l2) of the optimum. */
static void check_same(const char *what, const struct answer *a, const struct answer *b,
                       size_t cols) {
    double square = 0, most = 0;
    for (size_t j = 0; j < cols; j++) square += (a->w[j] - b->w[j]) * (a->w[j] - b->w[j]);
    most =
        sqrt(2 * a->gap * a->objective / a->l2) + sqrt(2 * b->gap * b->objective / b->l2) + 1e-11;
    if (sqrt(square) > most)
        fail_msg("%s: weights differ by %g, above %g", what, sqrt(square), most);
    double tol = fmax(a->gap, b->gap) * (1 + 1e-9) + 1e-13;
    if (fabs(a->objective - b->objective) > tol * a->objective)
        fail_msg("%s: objectives %.17g and %.17g", what, a->objective, b->objective);
}

static struct problem copy_of(const struct problem *p, size_t rows, size_t cols) {
    struct problem out = {.rows = rows, .cols = cols, .classes = p->classes};
    out.x = calloc(rows * cols + 1, sizeof *out.x);
    out.label = calloc(rows, sizeof *out.label);
    out.weight = calloc(rows, sizeof *out.weight);
    assert_true(out.x && out.label && out.weight);
    return out;
}

/* Row i of `from` as row k of `to`, 0 in columns that it has not. */
static void copy_row(struct problem *to, size_t k, const struct problem *from, size_t i) {
    size_t cols = from->cols < to->cols ? from->cols : to->cols;
    memcpy(to->x + k * to->cols, from->x + i * from->cols, cols * sizeof *to->x);
    to->label[k] = from->label[i];
    to->weight[k] = problem_weight(from, i);
}

static const char TIGHT[] = "tol=1e-9";

static void test_copies(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(102), 1);
    for (size_t number = 0; number < 60; number++) {
        struct problem p = random_problem(&rng, number % 2), all = copy_of(&p, 4 * p.rows, p.cols);
        if (!p.weight) problem_weigh(&p, &rng);
        all.rows = 0;
        for (size_t i = 0; i < p.rows; i++) {
            p.weight[i] = (double)(1 + rng_below(&rng, 4));
            for (size_t k = 0; k < (size_t)p.weight[i]; k++) {
                copy_row(&all, all.rows, &p, i);
                all.weight[all.rows++] = 1;
            }
        }
        char spec[100];
        make_spec(spec, sizeof spec, (enum kind)(number % 3), number % 4 ? "C=%g" : "l2=%g", 0.2);
        struct answer once = solved(&p, number % 2, spec, TIGHT);
        struct answer often = solved(&all, number % 2, spec, TIGHT);
        check_same("copies", &once, &often, p.cols);
        answer_free(&once);
        answer_free(&often);
        problem_free(&all);
        problem_free(&p);
    }
}

/* Rows of weight 0 are not there. */
static void test_weight_0(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(103), 1);
    static const char *const names[] = {"no", "yes"};
    for (size_t number = 0; number < 40; number++) {
        struct problem p = random_problem(&rng, false), some = copy_of(&p, p.rows, p.cols);
        const char **label = malloc(p.rows * sizeof *label);
        const char **kept = malloc(p.rows * sizeof *kept);
        double *weight = calloc(p.rows, sizeof *weight);
        some.rows = 0;
        for (size_t i = 0; i < p.rows; i++) {
            label[i] = names[p.label[i]];
            weight[i] = i >= 4 && rng_below(&rng, 3) == 0 ? 0 : 1 + rng_unit(&rng);
            if (weight[i] == 0) continue;
            kept[some.rows] = label[i];
            copy_row(&some, some.rows, &p, i);
            some.weight[some.rows++] = weight[i];
        }
        char spec[100];
        make_spec(spec, sizeof spec, (enum kind)(number % 3), "l2=%g", 0.1);
        sepal_data *with = NULL, *without = NULL;
        assert_int_equal(sepal_data_dense(&with, ctx, p.x, p.rows, p.cols, label, weight),
                         SEPAL_OK);
        assert_int_equal(
            sepal_data_dense(&without, ctx, some.x, some.rows, p.cols, kept, some.weight),
            SEPAL_OK);
        struct answer a = fit_data_by(with, spec, TIGHT), b = fit_data_by(without, spec, TIGHT);
        assert_true(a.status == SEPAL_OK && b.status == SEPAL_OK);
        assert_memory_equal(a.w, b.w, p.cols * sizeof *a.w);
        answer_free(&a);
        answer_free(&b);
        data_free(with);
        data_free(without);
        free(label);
        free(kept);
        free(weight);
        problem_free(&some);
        problem_free(&p);
    }
}

/* C says what l1 and l2 say. */
static void test_strengths(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(104), 1);
    static const double ratios[] = {0, 0.3, 1};
    for (size_t number = 0; number < 45; number++) {
        struct problem p = random_problem(&rng, number % 2);
        double c = pow(10, 3 * rng_unit(&rng) - 2), ratio = ratios[number % 3];
        double strength = 1 / (c * total_weight(&p));
        char given[160], other[200];
        snprintf(given, sizeof given, "%s(C=%.17g, ratio=%g)", kinds[number % 2], c, ratio);
        snprintf(other, sizeof other, "%s(l1=%.17g, l2=%.17g)", kinds[number % 2], ratio * strength,
                 (1 - ratio) * strength);
        struct answer a = solved(&p, number % 2, given, TIGHT);
        struct answer b = solved(&p, number % 2, other, TIGHT);
        assert_true(fabs(a.l1 - b.l1) <= 1e-15 * a.l1 && fabs(a.l2 - b.l2) <= 1e-15 * a.l2);
        assert_true(fabs(a.objective - b.objective) <= 2e-9 * a.objective);
        answer_free(&a);
        answer_free(&b);
        problem_free(&p);
    }
}

/* "balanced" is N / (2 N_k); class weights multiply losses and not the divisor. */
static void test_class_weights(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(105), 1);
    for (size_t number = 0; number < 30; number++) {
        struct problem p = random_problem(&rng, number % 2), heavy = copy_of(&p, p.rows, p.cols);
        double sums[2] = {0, 0};
        for (size_t i = 0; i < p.rows; i++) sums[p.label[i]] += problem_weight(&p, i);
        char balanced[120], named[200], plain[120];
        double total = sums[0] + sums[1], l2 = 0.05;
        make_spec(balanced, sizeof balanced, (enum kind)(number % 3),
                  "l2=%g, class_weight=balanced", l2);
        snprintf(plain, sizeof plain, "l2=%%g, class_weight=\"c00:%.17g,c01:%.17g\"",
                 total / (2 * sums[0]), total / (2 * sums[1]));
        make_spec(named, sizeof named, (enum kind)(number % 3), plain, l2);
        struct answer a = solved(&p, number % 2, balanced, TIGHT);
        struct answer b = solved(&p, number % 2, named, TIGHT);
        check_same("balanced", &a, &b, p.cols);
        /* the factors add up to the rows' number, so weights say the same */
        for (size_t i = 0; i < p.rows; i++) {
            copy_row(&heavy, i, &p, i);
            heavy.weight[i] *= total / (2 * sums[p.label[i]]);
        }
        make_spec(named, sizeof named, (enum kind)(number % 3), "l2=%g", l2);
        struct answer c = solved(&heavy, number % 2, named, TIGHT);
        check_same("weights", &a, &c, p.cols);
        answer_free(&a);
        answer_free(&b);
        answer_free(&c);
        problem_free(&heavy);
        problem_free(&p);
    }
}

/* Of more classes every row keeps the factor of its own class, in every problem that it is in. Other
   weights have another sum, and the penalty goes with it. */
static void test_class_weights_of_many(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(109), 1);
    for (size_t number = 0; number < 24; number++) {
        struct problem p = any_problem(&rng, 3 + rng_below(&rng, 3), 1 + rng_below(&rng, 6));
        const char *reduction = number % 2 ? "ovr" : "ovr-1";
        char spec[160];
        snprintf(spec, sizeof spec, "%s(l2=0.05, class_weight=\"c01:3,c02:0.25\") | %s",
                 kinds[number / 2 % 2], reduction);
        sepal_data *data = problem_data(&p, ctx, number % 3 == 0);
        sepal_model *model = fit_spec(data, spec);
        double *score = scores_of(model, data), total = (double)p.rows;
        p.weight = calloc(p.rows, sizeof *p.weight);
        for (size_t i = 0; i < p.rows; i++)
            p.weight[i] = p.label[i] == 1 ? 3 : p.label[i] == 2 ? 0.25 : 1;
        snprintf(spec, sizeof spec, "%s(l2=%.17g) | %s", kinds[number / 2 % 2],
                 0.05 * total / total_weight(&p), reduction);
        sepal_data *weighted = problem_data(&p, ctx, number % 3 == 0);
        sepal_model *other = fit_spec(weighted, spec);
        double *right = scores_of(other, data);
        for (size_t i = 0; i < p.rows * model->linear.rows; i++)
            if (fabs(score[i] - right[i]) > 0.02)
                fail_msg("%s: a score of %g, not %g", spec, score[i], right[i]);
        free(score);
        free(right);
        sepal_model_free(model);
        sepal_model_free(other);
        data_free(data);
        data_free(weighted);
        problem_free(&p);
    }
}

static void test_penalised_bias(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(106), 1);
    for (size_t number = 0; number < 45; number++) {
        struct problem p = random_problem(&rng, number % 2), wide = copy_of(&p, p.rows, p.cols + 1);
        for (size_t i = 0; i < p.rows; i++) {
            copy_row(&wide, i, &p, i);
            wide.x[i * wide.cols + p.cols] = 1;
        }
        char with[160], without[160];
        make_spec(with, sizeof with, (enum kind)(number % 3), "C=%g, bias=penalised", 0.5);
        make_spec(without, sizeof without, (enum kind)(number % 3), "C=%g, bias=false", 0.5);
        struct answer a = solved(&p, number % 2, with, TIGHT);
        struct answer b = solved(&wide, number % 2, without, TIGHT);
        check_same("a column of ones", &a, &b, p.cols);
        double most = 2 * sqrt(2 * fmax(a.gap, b.gap) * a.objective / a.l2) + 1e-11;
        assert_true(fabs(a.b - b.w[p.cols]) <= most);
        answer_free(&a);
        answer_free(&b);
        problem_free(&wide);
        problem_free(&p);
    }
}

/* With a free bias constants added to columns change nothing but the bias, means of 1e8 included. */
static void test_shifts(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(107), 1);
    for (size_t number = 0; number < 45; number++) {
        struct problem p = random_problem(&rng, false);
        /* on a grid, so that a shift by 1e8 rounds nothing off */
        for (size_t i = 0; i < p.rows * p.cols; i++) p.x[i] = round(p.x[i] * 1048576) / 1048576;
        char spec[100];
        make_spec(spec, sizeof spec, (enum kind)(number % 2), "l2=%g", 0.03);
        struct answer a = solved(&p, false, spec, "tol=1e-12");
        for (size_t i = 0; i < p.rows; i++)
            for (size_t j = 0; j < p.cols; j++)
                p.x[i * p.cols + j] += j % 3 == 0 ? 1e8 : j % 3 == 1 ? -7 : 0;
        struct answer b = solved(&p, false, spec, "tol=1e-12");
        double largest = 0;
        for (size_t j = 0; j < p.cols; j++) largest = fmax(largest, fabs(a.w[j]));
        for (size_t j = 0; j < p.cols; j++)
            if (fabs(a.w[j] - b.w[j]) > 1e-7 * largest)
                fail_msg("weight %zu: %.17g, shifted %.17g", j, a.w[j], b.w[j]);
        assert_true(fabs(a.objective - b.objective) <= 2e-12 * a.objective);
        answer_free(&a);
        answer_free(&b);
        problem_free(&p);
    }
}

/* After `standardize` the scale of a column is nothing. */
static void test_scales(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(108), 1);
    for (size_t number = 0; number < 45; number++) {
        bool sparse = number % 2;
        struct problem p = random_problem(&rng, sparse);
        char learner[100], spec[160];
        make_spec(learner, sizeof learner, (enum kind)(number % 3), "C=%g", 0.5);
        snprintf(spec, sizeof spec, "standardize | %s", learner);
        struct answer a = solved(&p, sparse, spec, TIGHT);
        double *scale = calloc(p.cols, sizeof *scale);
        for (size_t j = 0; j < p.cols; j++) scale[j] = ldexp(1, (int)rng_below(&rng, 80) - 40);
        for (size_t i = 0; i < p.rows * p.cols; i++) p.x[i] *= scale[i % p.cols];
        struct answer b = solved(&p, sparse, spec, TIGHT);
        for (size_t j = 0; j < p.cols; j++) b.w[j] *= scale[j];
        assert_true(fabs(a.objective - b.objective) <= 2e-9 * a.objective);
        double most = 1e-9;
        for (size_t j = 0; j < p.cols; j++) most = fmax(most, fabs(a.w[j]));
        for (size_t j = 0; j < p.cols; j++)
            if (fabs(a.w[j] - b.w[j]) > 3e-3 * most)
                fail_msg("weight %zu: %.17g, scaled %.17g", j, a.w[j], b.w[j]);
        free(scale);
        answer_free(&a);
        answer_free(&b);
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimum),        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_weight_0),       cmocka_unit_test(test_strengths),
        cmocka_unit_test(test_class_weights),  cmocka_unit_test(test_class_weights_of_many),
        cmocka_unit_test(test_penalised_bias), cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_scales),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
