/* Reductions over random problems: each row of the joint model is the two-class problem fitted on its
   own, labels changed outside; decisions, votes and ambiguous regions by brute force; what must not
   change by a reduction; convex regions. Every learner of the table takes part. */
#include "contract/strategy_problem.h"

static const struct {
    const char *name;
    const struct strategy *decode;
} reductions[] = {{"ovr", &strategy_ovr}, {"ovr-1", &strategy_ovr_1}, {"ovo", &strategy_ovo}};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

/* Beside every learner as it is. */
static const char *const more_learners[] = {
    "least-squares(l2=0.1)",         "perceptron(variant=averaged, epochs=5)",
    "perceptron(variant=batch)",     "gaussian(covariance=diagonal)",
    "gaussian(covariance=shared)",   "gaussian(covariance=spherical)",
    "naive-bayes(kind=bernoulli)",   "naive-bayes(kind=complement)",
    "lda(axes=1, shrinkage=0.25)",   "fisher(cut=gauss)",
    "mean-difference(cut=mean)",     "perceptron(bias=false, epochs=4)",
    "least-squares(targets=fisher)", "logistic(C=0.3, bias=penalised)",
    "svm(l2=0.1, bias=false)"};
enum { MORE = sizeof more_learners / sizeof *more_learners };

static const char *learner_at(size_t i) {
    size_t n = 0;
    for (size_t l = 0; learner_table[l]; l++) {
        if (learner_table[l]->sets) continue; /* these have no strategies */
        if (n++ == i) return learner_table[l]->name;
    }
    return i < n + MORE ? more_learners[i - n] : NULL;
}

/* ---- the rows are the answers to two-class problems ------------------------------------------ */

/* Rows of `p`, with values `x`, that problem r of a rule is about. */
static struct problem part_of(const struct problem *p, const double *x, size_t cols,
                              const struct strategy *decode, size_t r) {
    struct problem part = {.cols = cols, .classes = 2};
    size_t pair[2] = {SIZE_MAX, r};
    if (decode == &strategy_ovo) pair_classes(r, p->classes, pair);
    part.x = malloc((p->rows * cols + 1) * sizeof *part.x);
    part.label = malloc(p->rows * sizeof *part.label);
    if (p->weight) part.weight = malloc(p->rows * sizeof *part.weight);
    for (size_t row = 0; row < p->rows; row++) {
        size_t class = (size_t)p->label[row];
        if (decode == &strategy_ovo && class != pair[0] && class != pair[1]) continue;
        memcpy(part.x + part.rows * cols, x + row * cols, cols * sizeof *x);
        if (p->weight) part.weight[part.rows] = p->weight[row];
        part.label[part.rows++] = class == pair[1];
    }
    return part;
}

struct compared {
    const struct problem *p;
    const sepal_model *joint;
    const double *scores;
    const double *phi;
    bool sparse, implicit; /* rows kept sparse, with a centre beside them */
    bool together; /* solved to a gap for all classes at once: other steps, other last bits */
};

static void compare_row(const struct compared *all, const char *learner, size_t r) {
    const struct linear *joint = &all->joint->linear;
    size_t cols = joint->cols, rows = all->p->rows;
    struct problem part = part_of(all->p, all->phi, cols, joint->strategy, r);
    struct problem whole = {.rows = rows,
                            .cols = cols,
                            .classes = all->p->classes,
                            .x = (double *)(uintptr_t)all->phi,
                            .label = all->p->label};
    sepal_data *data = problem_data(&part, ctx, all->sparse && !all->implicit);
    sepal_data *every = problem_data(&whole, ctx, all->sparse && !all->implicit);
    sepal_model *alone = fit_spec(data, learner);
    double *scores = scores_of(alone, every), largest = 1;
    assert_int_equal(alone->linear.rows, 1);
    for (size_t i = 0; i < rows; i++) largest = fmax(largest, fabs(scores[i]));
    for (size_t i = 0; i < rows; i++) {
        double joint_score = all->scores[i * joint->rows + r];
        double most = all->together ? 1e-2 : all->implicit ? 1e-8 : 1e-12;
        if (fabs(joint_score - scores[i]) > most * largest)
            fail_msg("%s, row %zu: %.17g, alone %.17g", all->joint->spec, r, joint_score,
                     scores[i]);
    }
    if (!all->implicit && !all->together && !density_is_quadratic(joint->density))
        if (memcmp(joint->w + r * cols, alone->linear.w, cols * sizeof *joint->w) != 0)
            fail_msg("%s, row %zu: not the bits of weights fitted alone", all->joint->spec, r);
    free(scores);
    sepal_model_free(alone);
    data_free(data);
    data_free(every);
    problem_free(&part);
}

static void compare(const struct problem *p, bool sparse, const char *maps, const char *learner,
                    size_t which) {
    char spec[256];
    snprintf(spec, sizeof spec, "%s%s | %s", maps, learner, reductions[which].name);
    sepal_data *data = problem_data(p, ctx, sparse);
    sepal_model *model = fit_spec(data, spec);
    struct matrix phi = phi_of(model, data);
    double *scores = scores_of(model, data), *values = dense_of(&phi);
    struct compared all = {
        .p = p,
        .joint = model,
        .scores = scores,
        .phi = values,
        .sparse = sparse,
        .implicit = phi.n_blocks && phi.blocks[0].centre,
        .together = (strncmp(learner, "logistic", 8) == 0 || strncmp(learner, "svm", 3) == 0) &&
                    reductions[which].decode != &strategy_ovo};
    assert_ptr_equal(model->linear.strategy, reductions[which].decode);
    assert_int_equal(model->linear.rows, reductions[which].decode->functions(p->classes));
    assert_true(!model->linear.priors && !model->linear.axes);
    for (size_t r = 0; r < model->linear.rows; r++) compare_row(&all, learner, r);
    if (model->chain.n) matrix_clear(&phi);
    free(scores);
    free(values);
    sepal_model_free(model);
    data_free(data);
}

/* Maps that leave values of at least 0 are for all, others not for naive Bayes. */
static void test_rows(void **state) {
    (void)state;
    static const char *const maps[] = {"", "minmax | ", "standardize | ", "poly(degree=2) | "};
    struct rng rng = rng_make(test_seed(21), 1);
    for (size_t number = 0; number < 48; number++) {
        size_t K = 3 + rng_below(&rng, 10), D = 1 + rng_below(&rng, number % 8 < 4 ? 20 : 6);
        size_t map = number % 4;
        if (map == 3) D = 1 + D % 3;
        size_t mapped = map == 3 ? D * (D + 3) / 2 : D;
        struct problem p = any_problem(&rng, K, mapped);
        p.cols = D;
        if (number % 3 == 1) problem_weigh(&p, &rng);
        for (size_t i = 0; p.weight && i < p.rows; i++) p.weight[i] += 1;
        bool sparse = number % 2;
        /* enough rows of each class keep their values: a column with two of them in a class, and its
           square and products, have a singular covariance */
        for (size_t i = 0; sparse && i < p.rows * D; i++)
            if (rng_below(&rng, 3) == 0 && i / D / K > mapped + 1) p.x[i] = 0;
        for (size_t l = 0; learner_at(l); l++) {
            if (map == 2 && strstr(learner_at(l), "naive-bayes")) continue;
            compare(&p, sparse, maps[map], learner_at(l), (number + l) % REDUCTIONS);
        }
        problem_free(&p);
    }
}

/* ---- decisions ------------------------------------------------------------------------------- */

struct verdict {
    int32_t class;
    enum region region;
    double shown[16];
};

static struct verdict judge(const struct strategy *decode, const double *scores, size_t K) {
    struct verdict out = {.region = REGION_CLEAR};
    double sum[16] = {0};
    size_t claims = 0, r = 0;
    for (size_t k = 0; k < K; k++) out.shown[k] = 0;
    for (size_t i = 0; i < K && decode == &strategy_ovo; i++)
        for (size_t j = i + 1; j < K; j++, r++) {
            out.shown[scores[r] >= 0 ? j : i]++;
            sum[i] -= scores[r], sum[j] += scores[r];
        }
    for (size_t k = 0; k < decode->functions(K) && decode != &strategy_ovo; k++) {
        out.shown[k] = scores[k];
        claims += scores[k] >= 0;
    }
    for (size_t k = 1; k < K; k++) {
        double here = out.shown[k], best = out.shown[out.class];
        if (here > best || (here == best && sum[k] > sum[out.class])) out.class = (int32_t)k;
    }
    for (size_t k = 0; k < K && decode == &strategy_ovo; k++)
        if ((int32_t)k != out.class && out.shown[k] == out.shown[out.class])
            out.region = REGION_TIED;
    if (decode == &strategy_ovr_1 && claims == 0) out.class = (int32_t)K - 1;
    if (decode == &strategy_ovr && claims == 0) out.region = REGION_NONE;
    if ((decode == &strategy_ovr || decode == &strategy_ovr_1) && claims > 1)
        out.region = REGION_SEVERAL;
    return out;
}

/* What `evaluate` counts, and its confusion with a last column for what is left open. */
static void check_report(const sepal_model *model, const sepal_data *data,
                         const size_t count[REGIONS]) {
    sepal_report *report = NULL;
    size_t open = count[REGION_SEVERAL] + count[REGION_NONE] + count[REGION_TIED];
    assert_int_equal(sepal_model_evaluate(&report, ctx, model, data, "ambiguous=undecided"),
                     SEPAL_OK);
    assert_true(sepal_report_number(report, "ambiguous.several") == (double)count[REGION_SEVERAL]);
    assert_true(sepal_report_number(report, "ambiguous.none") == (double)count[REGION_NONE]);
    assert_true(sepal_report_number(report, "ambiguous.tied") == (double)count[REGION_TIED]);
    double rows = (double)data->matrix.rows, covered = sepal_report_number(report, "coverage");
    assert_true(fabs(covered - (rows - (double)open) / rows) < 1e-15);
    sepal_report_free(report);
}

static void check_decisions(const sepal_model *model, const sepal_data *data,
                            size_t total[REGIONS]) {
    const struct linear *linear = &model->linear;
    size_t K = linear->classes, count[REGIONS] = {0};
    double *scores = scores_of(model, data);
    sepal_predictions confident = predict_all(model, data, SEPAL_SCORES, NULL);
    sepal_predictions careful = predict_all(model, data, SEPAL_SCORES, "ambiguous=undecided");
    for (size_t i = 0; i < data->matrix.rows; i++) {
        struct verdict right = judge(linear->strategy, scores + i * linear->rows, K);
        assert_int_equal(confident.classes[i], right.class);
        assert_int_equal(careful.classes[i], right.region == REGION_CLEAR ? right.class : -1);
        assert_memory_equal(confident.numbers + i * K, right.shown, K * sizeof *right.shown);
        count[right.region]++;
        double votes = 0;
        for (size_t k = 0; k < K; k++) votes += confident.numbers[i * K + k];
        if (linear->strategy == &strategy_ovo) assert_true(2 * votes == (double)(K * (K - 1)));
    }
    assert_int_equal(confident.several, count[REGION_SEVERAL]);
    assert_int_equal(confident.none, count[REGION_NONE]);
    assert_int_equal(confident.tied, count[REGION_TIED]);
    check_report(model, data, count);
    for (size_t r = 0; r < REGIONS; r++) total[r] += count[r];
    answers_free(&confident);
    answers_free(&careful);
    free(scores);
}

static void test_decisions(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(22), 1);
    size_t total[REGIONS] = {0};
    for (size_t number = 0; number < 30; number++) {
        size_t K = 3 + rng_below(&rng, 10);
        struct problem p = any_problem(&rng, K, 1 + rng_below(&rng, 20));
        sepal_data *data = problem_data(&p, ctx, number % 2);
        for (size_t l = 0; learner_at(l); l++)
            for (size_t which = 0; which < REDUCTIONS; which++) {
                char spec[128];
                if ((number + l + which) % 4) continue;
                snprintf(spec, sizeof spec, "%s | %s", learner_at(l), reductions[which].name);
                sepal_model *model = fit_spec(data, spec);
                check_decisions(model, data, total);
                sepal_model_free(model);
            }
        data_free(data);
        problem_free(&p);
    }
    for (enum region r = 0; r < REGIONS; r++) assert_true(total[r] > 20);
}

/* ---- what a reduction does not change ---------------------------------------------------------- */

static void test_two_classes(void **state) {
    (void)state;
    static const char *const names[] = {"ovr", "ovr-1", "ovo", "machine"};
    struct rng rng = rng_make(test_seed(23), 1);
    struct problem p = any_problem(&rng, 2, 4);
    sepal_data *data = problem_data(&p, ctx, false);
    for (size_t l = 0; learner_at(l); l++) {
        sepal_model *plain = fit_spec(data, learner_at(l));
        bool machine = learner_find(plain->learner)->machine;
        assert_int_equal(plain->linear.rows, 1);
        for (size_t i = 0; i < (machine ? 4 : 3); i++) {
            char spec[128];
            snprintf(spec, sizeof spec, "%s | %s", learner_at(l), names[i]);
            sepal_model *model = fit_spec(data, spec);
            assert_int_equal(model->linear.rows, 1);
            assert_ptr_equal(model->linear.strategy, &strategy_sign);
            assert_int_equal(model->linear.link, plain->linear.link);
            assert_memory_equal(model->linear.w, plain->linear.w, 4 * sizeof(double));
            assert_true(model->linear.b[0] == plain->linear.b[0]);
            sepal_model_free(model);
        }
        sepal_model_free(plain);
    }
    data_free(data);
    problem_free(&p);
}

/* least-squares | ovr decides as least-squares | machine, with any ridge and rank. */
static void test_least_squares(void **state) {
    (void)state;
    static const char *const parameters[] = {"l2=0", "l2=0.01", "l2=10"};
    struct rng rng = rng_make(test_seed(24), 1);
    size_t near = 0, all = 0;
    for (size_t number = 0; number < 100; number++) {
        size_t K = 3 + rng_below(&rng, 10), D = 1 + rng_below(&rng, 20);
        struct problem p = problem_new(&rng, K + rng_below(&rng, 60), D, K);
        if (number % 3 == 0) problem_weigh(&p, &rng);
        sepal_data *data = problem_data(&p, ctx, number % 2);
        char spec[2][64];
        for (int i = 0; i < 2; i++)
            snprintf(spec[i], sizeof spec[i], "least-squares(%s) | %s", parameters[number % 3],
                     i ? "ovr" : "machine");
        sepal_model *machine = fit_spec(data, spec[0]), *ovr = fit_spec(data, spec[1]);
        double *a = scores_of(machine, data), *b = scores_of(ovr, data);
        for (size_t i = 0; i < p.rows; i++, all++) {
            int32_t here = linear_decide(&machine->linear, a + i * K);
            int32_t there = linear_decide(&ovr->linear, b + i * K);
            /* outputs of targets -1 and 1 are those of 0 and 1, doubled, less 1 */
            for (size_t k = 0; k < K; k++)
                assert_true(fabs(2 * a[i * K + k] - 1 - b[i * K + k]) < 1e-8);
            bool close = fabs(a[i * K + (size_t)here] - a[i * K + (size_t)there]) < 1e-8;
            near += close && here != there;
            assert_true(here == there || close);
        }
        free(a), free(b);
        sepal_model_free(machine);
        sepal_model_free(ovr);
        data_free(data);
        problem_free(&p);
    }
    assert_true(near * 50 < all);
}

/* ---- convex regions ---------------------------------------------------------------------------- */

/* Points between two of one class are of it, but for rounding at its border. */
static void check_convex(const struct linear *linear, struct rng *rng, size_t *tried) {
    enum { POINTS = 60 };
    size_t D = linear->cols, K = linear->classes;
    double *x = malloc(POINTS * D * sizeof *x), scores[16];
    int32_t class[POINTS];
    struct block block = {.rows = 1, .values = VALUES_F64};
    double *biases = linear_biases(ctx, linear);
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t j = 0; j < D; j++) x[i * D + j] = 6 * normal(rng);
        block.f64 = x + i * D;
        assert_int_equal(linear_score_block(scores, ctx, linear, biases, &block), SEPAL_OK);
        class[i] = linear_decide(linear, scores);
    }
    double *between = malloc(D * sizeof *between);
    block.f64 = between;
    for (size_t a = 0; a < POINTS; a++)
        for (size_t b = a + 1; b < POINTS; b++) {
            if (class[a] != class[b]) continue;
            double t = rng_unit(rng), largest = -INFINITY;
            for (size_t j = 0; j < D; j++) between[j] = (1 - t) * x[a * D + j] + t * x[b * D + j];
            assert_int_equal(linear_score_block(scores, ctx, linear, biases, &block), SEPAL_OK);
            for (size_t k = 0; k < K; k++) largest = fmax(largest, scores[k]);
            assert_true(scores[class[a]] >= largest - 1e-9 * (1 + fabs(largest)));
            ++*tried;
        }
    mem_free(biases);
    free(x), free(between);
}

static void test_convex(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(25), 1);
    size_t tried = 0;
    for (size_t number = 0; number < 20; number++) {
        size_t K = 3 + rng_below(&rng, 10);
        struct problem p = any_problem(&rng, K, 1 + rng_below(&rng, 20));
        sepal_data *data = problem_data(&p, ctx, false);
        for (size_t l = 0; learner_at(l); l++) {
            char spec[128];
            snprintf(spec, sizeof spec, "%s | ovr", learner_at(l));
            sepal_model *model = fit_spec(data, spec), *machine = NULL;
            bool flat = !density_is_quadratic(model->linear.density) && !model->linear.bits;
            if (flat) check_convex(&model->linear, &rng, &tried);
            bool pairs_only = strstr(learner_at(l), "targets=fisher") != NULL;
            if (flat && learner_find(model->learner)->machine && !pairs_only) {
                snprintf(spec, sizeof spec, "%s | machine", learner_at(l));
                machine = fit_spec(data, spec);
                check_convex(&machine->linear, &rng, &tried);
            }
            sepal_model_free(machine);
            sepal_model_free(model);
        }
        data_free(data);
        problem_free(&p);
    }
    assert_true(tried > 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_two_classes), cmocka_unit_test(test_least_squares),
        cmocka_unit_test(test_convex),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
