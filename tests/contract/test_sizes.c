/* Sizes: results just below, at and just above the sizes at which matrices are cut into blocks, tiles,
   groups and pieces. The same problem is fitted twice, once cut in one way and once in another (each
   row twice with half its weight; sparse storage), and solutions are held against equations that plain
   loops in long double evaluate. */
#include "contract/law_cases.h"
#include "solvers/solver.h"

static sepal_ctx *ctx;

static bool is_nightly(void) {
    const char *wish = getenv("SEPAL_NIGHTLY");
    return wish && strcmp(wish, "1") == 0;
}

/* ---- tables of a size --------------------------------------------------------------------- */

/* Four quarters of rows: ones, one number a row, singles, doubles. Blocks differ in how they keep them,
   and many values are 0. */
static struct table table_sized(struct rng *rng, size_t rows, size_t cols, size_t classes) {
    struct table t = table_new(rows, cols, classes);
    for (size_t i = 0; i < rows; i++) {
        size_t quarter = 4 * i / rows;
        double one = (double)(1 + rng_below(rng, 16)) / 8;
        t.label[i] = (int)(i % classes);
        t.weight[i] = (double)(1 + rng_below(rng, 2));
        for (size_t j = 0; j < cols; j++) {
            bool own = j % classes == i % classes;
            bool zero = rng_below(rng, (cols > 8 ? 7U : 3U) - own) > 0;
            double value = (double)(1 + rng_below(rng, 16)) / 8 + own;
            if (quarter == 0) value = 1;
            if (quarter == 1) value = one;
            if (quarter == 3) value += 0x1p-30; /* no single, but sums stay exact */
            t.x[i * cols + j] = zero ? 0 : value;
        }
    }
    return t;
}

/* The rows backwards and then forwards, each time with half their weights. */
static struct table with_halves(const struct table *t) {
    struct table out = table_new(2 * t->rows, t->cols, t->classes);
    for (size_t i = 0; i < t->rows; i++) {
        row_copy(&out, t->rows - 1 - i, t, i);
        row_copy(&out, t->rows + i, t, i);
        out.weight[t->rows - 1 - i] = out.weight[t->rows + i] = t->weight[i] / 2;
    }
    return out;
}

/* ---- the same problem cut in another way ---------------------------------------------------- */

static size_t fits, broken;

static bool gave_up(const struct made *made, const char *text) {
    return !is_sgd(text) && !is_perceptron(text) &&
           sepal_report_number(made->report, "converged") == 0;
}

static void check_same(const struct law_case *one, const struct table *t, const struct made *before,
                       const struct table *other, enum law law) {
    char text[600];
    snprintf(text, sizeof text, "%s, %s", sepal_model_spec(before->model), one->options);
    enum claim claim = claim_of(law, text);
    if (claim == NOTHING) return;
    if (is_sgd(text) && t->cols > 20) return; /* steps of 0.01 are too long for rows so long */
    struct made after = make(ctx, one->spec, one->options, other, t);
    if (after.status != SEPAL_OK) fail_msg("%s: %s", one->spec, sepal_ctx_error(ctx));
    fits++;
    size_t n = t->rows * before->width;
    double size = largest_of(before->score, n), worst = 0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(before->score[i] - after.score[i]));
    bool solved = sepal_report_number(before->report, "iterations") > 0 && !is_perceptron(text);
    double p = sepal_report_number(before->report, "objective");
    double q = sepal_report_number(after.report, "objective");
    bool skip = gave_up(before, text) || gave_up(&after, text);
    bool scores = claim != SAME || worst <= (solved ? 1e-3 : 1e-6) * size;
    bool objectives =
        claim > OBJECTIVE || fabs(p - q) <= 1e-7 * fabs(p) + 1e-12 || (isnan(p) && isnan(q));
    if (!skip && (!scores || !objectives)) {
        print_error("%s [%s], %zu x %zu, %zu classes, %s: scores off by %.3g, objective %.17g "
                    "and %.17g\n",
                    one->spec, one->options, t->rows, t->cols, t->classes,
                    law == SPARSE ? "sparse" : "halves", worst / size, p, q);
        broken++;
    }
    made_free(&after);
}

/* Every learner, with what it needs where columns are many. */
static void size_cases(struct law_cases *all, size_t cols, bool solvers) {
    static const char *const penalised[] = {"logistic(l2=0.1)", "svm(l2=0.1)",
                                            "svm(loss=hinge, l2=0.1)", "logistic(l1=0.01)"};
    char spec[200];
    all->n = 0;
    for (size_t l = 0; learner_table[l]; l++) {
        const char *name = learner_table[l]->name;
        if (learner_table[l]->sets) continue;
        bool wide = cols > 20, normal = strcmp(name, "gaussian") == 0;
        snprintf(spec, sizeof spec, "%s%s", name, wide && normal ? "(shrinkage=0.1)" : "");
        if (strcmp(name, "perceptron") == 0) {
            add_case(all, "perceptron(variant=batch, epochs=4)", "tol=1e-10");
            snprintf(spec, sizeof spec, "perceptron(epochs=2)");
        }
        if (learner_table[l]->solvers != convex_solver_names) add_case(all, spec, "tol=1e-10");
    }
    add_case(all, "lda(shrinkage=0.1)", "tol=1e-10");
    add_case(all, "least-squares(l2=0.1)", "tol=1e-10");
    for (size_t i = 0; i < sizeof penalised / sizeof *penalised; i++)
        if (solvers)
            add_with_solvers(all, learner_find(i % 3 == 0 ? "logistic" : "svm"), penalised[i],
                             false);
        else
            add_case(all, penalised[i], "tol=1e-10");
}

static void check_size(size_t rows, size_t cols, size_t classes, bool solvers) {
    static struct law_cases cases;
    struct rng rng = rng_make(test_seed(521), rows * 4096 + cols);
    struct table t = table_sized(&rng, rows, cols, classes), halves = with_halves(&t);
    struct table sparse = table_copy(&t);
    sparse.sparse = true;
    size_cases(&cases, cols, solvers);
    for (size_t i = 0; i < cases.n; i++) {
        const struct law_case *one = &cases.one[i];
        struct made before = make(ctx, one->spec, one->options, &t, &t);
        if (before.status == SEPAL_OK) {
            check_same(one, &t, &before, &halves, ROWS | COPIED);
            check_same(one, &t, &before, &sparse, SPARSE);
        } else if (before.status != SEPAL_EUSAGE) {
            fail_msg("%s, %zu x %zu: %s", one->spec, rows, cols, sepal_ctx_error(ctx));
        }
        made_free(&before);
    }
    table_free(&sparse);
    table_free(&halves);
    table_free(&t);
}

static void check_sizes(const size_t (*sizes)[3], size_t n, bool solvers, const char *name) {
    fits = broken = 0;
    for (size_t i = 0; i < n; i++) check_size(sizes[i][0], sizes[i][1], sizes[i][2], solvers);
    printf("COUNT %s %zu %zu\n", name, fits, broken);
    assert_true(fits > 20);
    assert_int_equal(broken, 0);
}

/* Blocks of 4096 rows: one, two and three of them. */
static void many_rows(void **state) {
    (void)state;
    static const size_t sizes[][3] = {{4095, 3, 2}, {4096, 3, 2},  {4097, 3, 2},
                                      {8193, 3, 2}, {12289, 3, 2}, {4097, 40, 3}};
    check_sizes(sizes, is_nightly() ? 6 : 5, is_nightly(), "sizes-rows");
}

/* Blocks of 1024, 512 and 256 rows; 128 columns are narrow; tiles of 256. */
static void many_columns(void **state) {
    (void)state;
    static const size_t sizes[][3] = {{1025, 128, 2}, {1023, 129, 2}, {1540, 257, 2},
                                      {700, 600, 2},  {130, 1000, 2}, {1030, 129, 3},
                                      {513, 257, 3},  {257, 1000, 3}, {4096, 3, 3}};
    check_sizes(sizes, is_nightly() ? 9 : 5, is_nightly(), "sizes-columns");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_rows),
        cmocka_unit_test(many_columns),
    };
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sepal_ctx_free(ctx);
    return failed;
}
