/* Weights, distances and projections as users see them: in their own units, by the formulas, with
   every linear learner, reduction and column-by-column map. */
#include "contract/strategy_problem.h"

#include "report/report.h"

/* What `inspect` says of the rows of weights. */
struct seen {
    size_t rows, cols;
    double *w, *b, *norm, *origin; /* origin NaN: n/a */
};

static double number_of(const struct tree *node) {
    return node->kind == TREE_NUMBER ? node->number : NAN;
}

static double *numbers_in(const struct tree *list) {
    double *out = malloc((list->count + 1) * sizeof *out);
    size_t n = 0;
    for (const struct tree *one = list->first; one; one = one->next) out[n++] = number_of(one);
    return out;
}

static struct seen inspect(const sepal_model *model) {
    sepal_report *report = NULL;
    assert_int_equal(sepal_model_inspect(&report, ctx, model), SEPAL_OK);
    const struct tree *weights = tree_find(report->root, "weights");
    struct seen out = {.rows = weights->count, .cols = weights->first->count};
    out.w = malloc(out.rows * out.cols * sizeof *out.w);
    size_t r = 0;
    for (const struct tree *row = weights->first; row; row = row->next, r++) {
        double *w = numbers_in(row);
        memcpy(out.w + r * out.cols, w, out.cols * sizeof *w);
        free(w);
    }
    out.b = numbers_in(tree_find(report->root, "bias"));
    out.norm = numbers_in(tree_find(report->root, "norm"));
    out.origin = numbers_in(tree_find(report->root, "distance_to_origin"));
    assert_int_equal(tree_find(report->root, "features")->count, out.cols);
    assert_int_equal(tree_find(report->root, "rows")->count, out.rows);
    sepal_report_free(report);
    return out;
}

static void seen_free(struct seen *seen) {
    free(seen->w), free(seen->b), free(seen->norm), free(seen->origin);
}

static double score(const struct seen *seen, size_t r, const double *x) {
    double sum = seen->b[r];
    for (size_t j = 0; j < seen->cols; j++) sum += seen->w[r * seen->cols + j] * x[j];
    return sum;
}

/* A model of some spec with weights of our own. */
static sepal_model *model_with(const char *spec, const double *w, const double *b) {
    static const double x[] = {0, 1, 2, 0, 1, 3, 5, 1, 0, 2, 4, 4};
    static const char *const labels[] = {"no", "yes", "no", "yes", "yes", "no"};
    sepal_data *data = NULL;
    assert_int_equal(sepal_data_dense(&data, ctx, x, 6, 2, labels, NULL), SEPAL_OK);
    sepal_model *model = fit_spec(data, spec);
    memcpy(model->linear.w, w, model->linear.cols * sizeof *w);
    memcpy(model->linear.b, b, sizeof *b);
    data_free(data);
    return model;
}

static sepal_data *rows_of(const double *x, size_t rows, size_t cols) {
    sepal_data *data = NULL;
    assert_int_equal(sepal_data_dense(&data, ctx, x, rows, cols, NULL, NULL), SEPAL_OK);
    return data;
}

/* ---- the oracles of the textbook --------------------------------------------------------------- */

static void test_line(void **state) {
    (void)state;
    static const double w[] = {-0.75, -1}, b = 3,
                        points[] = {0, 3, 4, 0, 0, 0, 2.4 * 0.6, 2.4 * 0.8};
    sepal_model *model = model_with("perceptron", w, &b);
    struct seen seen = inspect(model);
    assert_true(seen.norm[0] == 1.25 && seen.origin[0] == 2.4);
    sepal_data *data = rows_of(points, 4, 2);
    sepal_predictions out = predict_all(model, data, SEPAL_DISTANCES, NULL);
    assert_true(out.numbers[0] == 0 && out.numbers[1] == 0 && out.numbers[2] == 2.4);
    assert_true(fabs(out.numbers[3]) < 1e-15);
    assert_int_equal(out.classes[0], 1); /* on the surface: the positive class */
    /* what lies in the surface is orthogonal to w */
    assert_true(w[0] * (points[2] - points[0]) + w[1] * (points[3] - points[1]) == 0);
    answers_free(&out);
    data_free(data);
    seen_free(&seen);
    sepal_model_free(model);
}

static void test_circle(void **state) {
    (void)state;
    static const char *const names[] = {"x1", "x2", "x1^2", "x1*x2", "x2^2"};
    static const double of_name[] = {0, 0, 1, 0, 1}, b = -1;
    double w[5] = {0}, points[2 * 100];
    sepal_model *model = model_with("poly(degree=2) | perceptron", w, &b);
    assert_int_equal(model->linear.cols, 5);
    for (size_t j = 0; j < 5; j++) {
        struct text name = {0};
        size_t k = 0;
        model_column_name(ctx, &name, model, j);
        while (k < 5 && strcmp(names[k], name.bytes) != 0) k++;
        assert_true(k < 5);
        model->linear.w[j] = of_name[k];
        text_clear(&name);
    }
    for (size_t i = 0; i < 100; i++) {
        double radius = i < 40 ? 1 : i < 70 ? 0.999 : 1.001;
        points[2 * i] = radius * cos((double)i);
        points[2 * i + 1] = radius * sin((double)i);
    }
    sepal_data *data = rows_of(points, 100, 2);
    sepal_predictions out = predict_all(model, data, SEPAL_SCORES, NULL);
    for (size_t i = 0; i < 40; i++) assert_true(fabs(out.numbers[i]) < 1e-15);
    for (size_t i = 40; i < 100; i++) assert_int_equal(out.classes[i], i >= 70);
    struct seen seen = inspect(model);
    assert_true(fabs(seen.origin[0] + sqrt(0.5)) < 1e-15);
    answers_free(&out);
    seen_free(&seen);
    data_free(data);
    sepal_model_free(model);
}

/* Without weights there is no surface. */
static void test_no_surface(void **state) {
    (void)state;
    static const double w[] = {0, 0}, points[] = {1, 2}, biases[] = {-1, 0, 5};
    for (size_t i = 0; i < 3; i++) {
        sepal_model *model = model_with("perceptron", w, &biases[i]);
        struct seen seen = inspect(model);
        assert_true(seen.norm[0] == 0 && isnan(seen.origin[0]));
        sepal_data *data = rows_of(points, 1, 2);
        sepal_predictions out = predict_all(model, data, SEPAL_DISTANCES, NULL);
        assert_true(isnan(out.numbers[0]));
        sepal_report *report = NULL;
        char *text = NULL;
        assert_int_equal(sepal_model_inspect(&report, ctx, model), SEPAL_OK);
        assert_int_equal(sepal_report_text(&text, ctx, report), SEPAL_OK);
        assert_non_null(strstr(text, "n/a"));
        sepal_text_free(text);
        sepal_report_free(report);
        answers_free(&out);
        data_free(data);
        seen_free(&seen);
        sepal_model_free(model);
    }
}

/* ---- scores and distances of random models ----------------------------------------------------- */

static const char *const maps[] = {"", "standardize | ", "minmax | ", "minmax | standardize | "};
static const char *const reductions[] = {"", " | ovr", " | ovr-1", " | ovo"};

/* Columns of many units, far from 0. */
static void stretch(struct problem *p, struct rng *rng) {
    for (size_t j = 0; j < p->cols; j++) {
        double scale = pow(10, 4 * rng_unit(rng) - 2), shift = 10 * rng_unit(rng);
        for (size_t i = 0; i < p->rows; i++)
            p->x[i * p->cols + j] = (p->x[i * p->cols + j] + shift) * scale;
    }
}

/* The row moved by -r along a direction in the units of the user; its scores, all R of them. */
static double *moved_scores(const sepal_model *model, const double *x, double r, const double *w,
                            double norm) {
    size_t cols = model->schema->width;
    double *to = malloc(cols * sizeof *to);
    for (size_t j = 0; j < cols; j++) to[j] = x[j] - r * w[j] / norm;
    sepal_data *data = rows_of(to, 1, cols);
    double *scores = scores_of(model, data);
    data_free(data);
    free(to);
    return scores;
}

/* The distance of class k by its definition, with what is then 0: the difference of two scores, or
   (second SIZE_MAX) one. */
struct nearest {
    double distance, *w, norm;
    size_t first, second;
};

static void look_at(struct nearest *best, const struct seen *seen, const double *x, size_t a,
                    size_t b, double sign) {
    double *w = malloc(seen->cols * sizeof *w), square = 0;
    double s = score(seen, a, x) - (b == SIZE_MAX ? 0 : score(seen, b, x));
    for (size_t j = 0; j < seen->cols; j++) {
        w[j] = sign *
               (seen->w[a * seen->cols + j] - (b == SIZE_MAX ? 0 : seen->w[b * seen->cols + j]));
        square += w[j] * w[j];
    }
    if (best->w && !(sign * s / sqrt(square) < best->distance)) {
        free(w);
        return;
    }
    free(best->w);
    *best = (struct nearest){sign * s / sqrt(square), w, sqrt(square), a, b};
}

static struct nearest nearest_of(const struct linear *linear, const struct seen *seen,
                                 const double *x, size_t k) {
    struct nearest best = {0};
    size_t K = linear->classes, pair = 0;
    for (size_t j = 0; linear->strategy == &strategy_machine && j < K; j++)
        if (j != k) look_at(&best, seen, x, k, j, 1);
    for (size_t i = 0; linear->strategy == &strategy_ovo && i < K; i++)
        for (size_t j = i + 1; j < K; j++, pair++)
            if (i == k || j == k) look_at(&best, seen, x, pair, SIZE_MAX, j == k ? 1 : -1);
    if (linear->strategy == &strategy_machine || linear->strategy == &strategy_ovo) return best;
    for (size_t r = 0; r < linear->rows; r++)
        if (r == k || k == linear->rows) look_at(&best, seen, x, r, SIZE_MAX, r == k ? 1 : -1);
    return best;
}

static void check_model(const sepal_model *model, const struct problem *p, const sepal_data *data) {
    const struct linear *linear = &model->linear;
    size_t shown = linear_shown(linear), R = linear->rows;
    struct seen seen = inspect(model);
    double *scores = scores_of(model, data), size[100] = {0};
    sepal_predictions out = predict_all(model, data, SEPAL_DISTANCES, NULL);
    for (size_t r = 0; r < R; r++) {
        assert_true(seen.norm[r] == 0 || fabs(seen.origin[r] - seen.b[r] / seen.norm[r]) <=
                                             1e-15 * fabs(seen.origin[r]));
        size[r] = 1 + fabs(seen.b[r]);
    }
    for (size_t i = 0; i < p->rows; i += 1 + p->rows / 12) {
        const double *x = p->x + i * p->cols;
        for (size_t r = 0; r < R; r++)
            assert_true(fabs(score(&seen, r, x) - scores[i * R + r]) < 1e-9 * size[r]);
        for (size_t k = 0; k < shown; k++) {
            struct nearest near = nearest_of(linear, &seen, x, shown == 1 ? 0 : k);
            double r = out.numbers[i * shown + k];
            if (near.norm == 0) { /* multinomial, one column: no weights, no surface */
                assert_true(isnan(r));
                free(near.w);
                continue;
            }
            size_t other = near.second == SIZE_MAX ? near.first : near.second;
            double bound = 1e-9 * (size[near.first] + size[other]) / near.norm;
            if (fabs(r - near.distance) > bound)
                fail_msg("%s: %.17g, not %.17g", model->spec, r, near.distance);
            double *there = moved_scores(model, x, r, near.w, near.norm);
            double zero = there[near.first] - (near.second == SIZE_MAX ? 0 : there[near.second]);
            assert_true(fabs(zero) <= bound * near.norm);
            free(there), free(near.w);
        }
    }
    free(scores);
    answers_free(&out);
    seen_free(&seen);
}

static void test_distances(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(51), 1);
    size_t tried = 0;
    for (size_t number = 0; number < 24; number++) {
        size_t K = 2 + rng_below(&rng, 7);
        struct problem p = any_problem(&rng, K, 1 + rng_below(&rng, 10));
        if (number % 2) stretch(&p, &rng);
        sepal_data *data = problem_data(&p, ctx, number % 3 == 0);
        for (size_t l = 0; learner_table[l]; l++) {
            const char *name = learner_table[l]->name;
            if (number % 4 && strcmp(name, "naive-bayes") == 0) continue; /* not below 0 */
            if (learner_table[l]->sets) continue;
            char spec[128];
            snprintf(spec, sizeof spec, "%s%s%s%s", maps[number % 4], name,
                     strcmp(name, "gaussian") == 0 ? "(covariance=shared)" : "",
                     reductions[(number / 4 + l) % 4]);
            sepal_model *model = fit_spec(data, spec);
            check_model(model, &p, data);
            sepal_model_free(model);
            tried++;
        }
        data_free(data);
        problem_free(&p);
    }
    assert_true(tried > 100);
}

/* A class that another one is above everywhere has no region to be at a distance from. */
static void test_no_region(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(52), 1);
    struct problem p = any_problem(&rng, 3, 2);
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_model *model = fit_spec(data, "least-squares");
    struct linear *linear = &model->linear;
    memcpy(linear->w + 2, linear->w, 2 * sizeof *linear->w);
    static const double less[] = {0, 1, -1};
    for (size_t i = 0; i < 3; i++) { /* equal, the second below, the first below */
        linear->b[1] = linear->b[0] - less[i];
        sepal_predictions out = predict_all(model, data, SEPAL_DISTANCES, NULL);
        for (size_t row = 0; row < p.rows; row++) {
            assert_int_equal(isnan(out.numbers[3 * row]), i == 2);
            assert_int_equal(isnan(out.numbers[3 * row + 1]), i < 2);
            assert_true(!isnan(out.numbers[3 * row + 2]));
            assert_int_not_equal(out.classes[row], i == 2 ? 0 : 1);
            assert_true(out.numbers[3 * row + (size_t)out.classes[row]] >= 0);
        }
        answers_free(&out);
    }
    sepal_model_free(model);
    data_free(data);
    problem_free(&p);
}

static void test_curved(void **state) {
    (void)state;
    static const struct {
        const char *spec, *words;
    } table[] = {{"gaussian", "curved"},
                 {"gaussian(covariance=spherical) | ovo", "curved"},
                 {"naive-bayes(kind=bernoulli)", "above 0"}};
    struct rng rng = rng_make(test_seed(53), 1);
    struct problem p = any_problem(&rng, 3, 2);
    sepal_data *data = problem_data(&p, ctx, false);
    for (size_t i = 0; i < 3; i++) {
        sepal_model *model = fit_spec(data, table[i].spec);
        sepal_output what = SEPAL_DISTANCES;
        assert_int_equal(sepal_model_predict_check(ctx, model, &what, NULL), SEPAL_EMODEL);
        assert_non_null(strstr(ctx->error.message, table[i].words));
        struct seen seen = inspect(model);
        for (size_t r = 0; r < seen.rows; r++) assert_true(isnan(seen.origin[r]));
        seen_free(&seen);
        sepal_model_free(model);
    }
    data_free(data);
    problem_free(&p);
}

/* What `inspect` shows of a quadratic score touches it at the mean of the rows (of ovo: of the first
   pair's), so the difference shrinks with the square of the way from there. */
static void test_tangent(void **state) {
    (void)state;
    static const char *const specs[] = {"gaussian", "standardize | gaussian | ovo",
                                        "gaussian(covariance=diagonal) | ovr",
                                        "minmax | gaussian(covariance=spherical) | ovo"};
    struct rng rng = rng_make(test_seed(54), 1);
    for (size_t number = 0; number < 20; number++) {
        struct problem p = any_problem(&rng, 2 + rng_below(&rng, 4), 3);
        sepal_data *data = problem_data(&p, ctx, false);
        sepal_model *model = fit_spec(data, specs[number % 4]);
        struct seen seen = inspect(model);
        double at[3], shift, divisor, gap[2][16];
        for (int step = 0; step < 2; step++) {
            for (size_t j = 0; j < 3; j++) {
                map_chain_fold(&model->chain, j, &shift, &divisor);
                at[j] = shift + divisor * (model->linear.centre[j] + (step ? 1e-5 : 1e-4));
            }
            sepal_data *one = rows_of(at, 1, 3);
            double *s = scores_of(model, one);
            for (size_t r = 0; r < seen.rows; r++) gap[step][r] = fabs(s[r] - score(&seen, r, at));
            free(s);
            data_free(one);
        }
        for (size_t r = 0; r < seen.rows; r++)
            assert_true(gap[0][r] < 1e-4 && gap[1][r] <= gap[0][r] / 90 + 1e-11);
        seen_free(&seen);
        sepal_model_free(model);
        data_free(data);
        problem_free(&p);
    }
}

/* ---- projections ------------------------------------------------------------------------------- */

static void test_projections(void **state) {
    (void)state;
    static const char *const specs[] = {"lda",
                                        "standardize | lda(axes=1)",
                                        "poly(degree=2) | lda",
                                        "poly(degree=2) | least-squares",
                                        "perceptron",
                                        "standardize | lda | ovr"};
    struct rng rng = rng_make(test_seed(55), 1);
    for (size_t number = 0; number < 60; number++) {
        struct problem p = any_problem(&rng, 2 + rng_below(&rng, 5), 6);
        p.cols = 2, p.rows *= 3; /* rows enough for phi */
        p.label = realloc(p.label, p.rows * sizeof *p.label);
        for (size_t i = 0; i < p.rows; i++) p.label[i] = (int)(i % p.classes);
        sepal_data *data = problem_data(&p, ctx, number % 2);
        sepal_model *model = fit_spec(data, specs[number % 6]);
        const struct linear *linear = &model->linear;
        struct matrix phi = phi_of(model, data);
        double *x = dense_of(&phi);
        size_t width = sepal_model_outputs(model, SEPAL_PROJECTIONS), cols = linear->cols;
        sepal_predictions out = predict_all(model, data, SEPAL_PROJECTIONS, NULL);
        assert_int_equal(linear->axes != NULL,
                         number % 6 < 3 || (number % 6 == 5 && p.classes == 2));
        for (size_t i = 0; i < p.rows; i++)
            for (size_t a = 0; a < width; a++) {
                long double sum = linear->axes ? 0 : (long double)x[i * cols + a], size = 1;
                for (size_t j = 0; linear->axes && j < cols; j++) {
                    long double part = linear->axes[a * cols + j] *
                                       ((long double)x[i * cols + j] - linear->centre[j]);
                    sum += part, size += fabsl(part);
                }
                assert_true(fabsl(out.numbers[i * width + a] - sum) < 1e-13L * size);
            }
        if (model->chain.n) matrix_clear(&phi);
        free(x);
        answers_free(&out);
        sepal_model_free(model);
        data_free(data);
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),       cmocka_unit_test(test_circle),
        cmocka_unit_test(test_no_surface), cmocka_unit_test(test_distances),
        cmocka_unit_test(test_no_region),  cmocka_unit_test(test_curved),
        cmocka_unit_test(test_tangent),    cmocka_unit_test(test_projections),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
