/* Rules of decision, on every learner with probabilities, alone and under ovr: a cutoff decides as
   the probabilities that are shown, soft draws come as often as they should and follow from seed and
   row alone, reject leaves open what is below; priors changed later are those of a fit; measures of
   probabilities by their definitions; and what has no probabilities says so. */
#include "contract/strategy_problem.h"

#include "report/report.h"

#include <unistd.h>

/* Fitted to a random problem, with rows to be asked about. */
struct scene {
    struct problem p;
    sepal_data *train, *rows;
    sepal_model *model;
};

static bool has_posterior(const char *spec) {
    struct arena arena = {0};
    struct pipeline pipeline;
    assert_int_equal(pipeline_parse(&pipeline, ctx, &arena, spec), SEPAL_OK);
    bool has = pipeline.learner->posterior;
    arena_clear(&arena);
    return has;
}

/* The learners of the table and some of their kinds; NULL at the end. */
static const char *learner_at(size_t i) {
    static const char *const more[] = {"gaussian(covariance=diagonal)",
                                       "gaussian(covariance=shared)", "naive-bayes(kind=bernoulli)",
                                       "lda(shrinkage=0.2)"};
    size_t n = 0;
    for (size_t l = 0; learner_table[l]; l++) {
        if (learner_table[l]->sets) continue; /* test_multilabel.c */
        if (n++ == i) return learner_table[l]->name;
    }
    return i < n + 4 ? more[i - n] : NULL;
}

static struct scene set_scene(struct rng *rng, const char *spec, size_t classes, size_t rows) {
    struct scene out = {.p = any_problem(rng, classes, 3)};
    struct problem more = problem_new(rng, rows, 3, classes);
    for (size_t i = 0; i < rows * 3; i++) more.x[i] = fabs(more.x[i]) + (rng_below(rng, 4) == 0);
    problem_weigh(&out.p, rng); /* classes of different weight */
    for (size_t i = 0; i < out.p.rows; i++) out.p.weight[i] += 1 + out.p.label[i];
    out.train = problem_data(&out.p, ctx, false);
    out.rows = problem_data(&more, ctx, false);
    out.model = fit_spec(out.train, spec);
    problem_free(&more);
    return out;
}

static void scene_free(struct scene *scene) {
    sepal_model_free(scene->model);
    data_free(scene->train);
    data_free(scene->rows);
    problem_free(&scene->p);
}

/* ---- hard and reject --------------------------------------------------------------------------- */

static sepal_predictions answer_at(const struct scene *scene, const char *decide, double cutoff) {
    char options[128], digits[SEPAL_NUMBER_BYTES];
    sepal_number_print(digits, cutoff);
    snprintf(options, sizeof options, "decide=%s, cutoff=%s", decide, digits);
    return predict_all(scene->model, scene->rows, SEPAL_PROBABILITIES, options);
}

static void check_cutoffs(const struct scene *scene, struct rng *rng) {
    size_t rows = scene->rows->matrix.rows, K = scene->model->linear.classes, left = 0;
    sepal_predictions plain = predict_all(scene->model, scene->rows, SEPAL_PROBABILITIES, NULL);
    for (size_t trial = 0; trial < 12; trial++) {
        /* 0, 1, a half, and probabilities that rows have exactly */
        double cutoff = trial < 3 ? (double)trial / 2 : plain.numbers[rng_below(rng, rows * K)];
        sepal_predictions reject = answer_at(scene, "reject", cutoff);
        sepal_predictions hard = K == 2 ? answer_at(scene, "hard", cutoff) : (sepal_predictions){0};
        for (size_t i = 0; i < rows; i++) {
            const double *p = plain.numbers + i * K;
            double most = 0, sum = 0;
            for (size_t k = 0; k < K; k++) most = fmax(most, p[k]), sum += p[k];
            assert_true(fabs(sum - 1) < 1e-12);
            assert_int_equal(reject.classes[i], most < cutoff ? -1 : plain.classes[i]);
            left += most < cutoff;
            if (K == 2) assert_int_equal(hard.classes[i], p[1] >= cutoff);
        }
        answers_free(&reject);
        answers_free(&hard);
    }
    assert_true(left > 0);
    answers_free(&plain);
}

static void test_cutoffs(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(41), 1);
    size_t tried = 0;
    for (size_t l = 0; learner_at(l); l++)
        for (size_t K = 2; K <= 5; K++) {
            char spec[128];
            if (!has_posterior(learner_at(l))) continue;
            snprintf(spec, sizeof spec, "%s%s", learner_at(l), K == 5 ? " | ovr" : "");
            struct scene scene = set_scene(&rng, spec, K, 300);
            check_cutoffs(&scene, &rng);
            scene_free(&scene);
            tried++;
        }
    assert_true(tried >= 20);
}

/* ---- soft -------------------------------------------------------------------------------------- */

static void check_draws(const struct scene *scene) {
    enum { ROWS = 100000 };
    size_t K = scene->model->linear.classes;
    sepal_predictions drawn =
        predict_all(scene->model, scene->rows, SEPAL_PROBABILITIES, "decide=soft");
    for (size_t k = 0; k < K; k++) {
        double surplus = 0, variance = 0;
        for (size_t i = 0; i < ROWS; i++) {
            double p = drawn.numbers[i * K + k];
            surplus += (drawn.classes[i] == (int32_t)k) - p;
            variance += p * (1 - p);
            assert_true(p > 0 || drawn.classes[i] != (int32_t)k);
        }
        assert_true(variance > 100 && fabs(surplus) <= 5 * sqrt(variance));
    }
    /* other threads, other rows asked about: the same; another seed: others */
    static const size_t parts[][2] = {{0, 1}, {77, 5000}, {4095, 2}, {99999, 1}, {50000, 50000}};
    for (unsigned t = 1; t <= 5; t += 2)
        for (size_t i = 0; i < 5; i++) {
            sepal_ctx_set_threads(ctx, t);
            sepal_predictions part = {.size = sizeof part,
                                      .classes = malloc(parts[i][1] * sizeof *part.classes)};
            assert_int_equal(sepal_model_predict_rows(&part, ctx, scene->model, scene->rows,
                                                      parts[i][0], parts[i][1], "decide=soft"),
                             SEPAL_OK);
            assert_memory_equal(part.classes, drawn.classes + parts[i][0],
                                parts[i][1] * sizeof *part.classes);
            free(part.classes);
        }
    sepal_ctx_set_threads(ctx, 1);
    sepal_ctx_set_seed(ctx, 2);
    sepal_predictions other =
        predict_all(scene->model, scene->rows, SEPAL_PROBABILITIES, "decide=soft");
    sepal_ctx_set_seed(ctx, 1);
    size_t differ = 0;
    for (size_t i = 0; i < ROWS; i++) differ += drawn.classes[i] != other.classes[i];
    assert_true(differ > 100);
    answers_free(&drawn);
    answers_free(&other);
}

static void test_soft(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(42), 1);
    for (size_t l = 0; learner_at(l); l++) {
        char spec[128];
        if (!has_posterior(learner_at(l))) continue;
        snprintf(spec, sizeof spec, "%s%s", learner_at(l), l % 2 ? " | ovr" : "");
        struct scene scene = set_scene(&rng, spec, 2 + l % 4, 100000);
        check_draws(&scene);
        scene_free(&scene);
    }
}

/* Rows that ovr leaves to nobody stay open when they are drawn for, too. */
static void test_soft_undecided(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(43), 1);
    struct scene scene = set_scene(&rng, "lda | ovr", 4, 2000);
    sepal_predictions plain =
        predict_all(scene.model, scene.rows, SEPAL_SCORES, "ambiguous=undecided");
    sepal_predictions soft =
        predict_all(scene.model, scene.rows, SEPAL_SCORES, "ambiguous=undecided, decide=soft");
    size_t open = 0;
    for (size_t i = 0; i < 2000; i++) {
        assert_int_equal(plain.classes[i] < 0, soft.classes[i] < 0);
        open += plain.classes[i] < 0;
    }
    assert_true(open > 50 && open < 1950);
    assert_int_equal(open, plain.several + plain.none);
    answers_free(&plain);
    answers_free(&soft);
    scene_free(&scene);
}

/* ---- no probabilities -------------------------------------------------------------------------- */

static void refuse(const struct scene *scene, const char *options, sepal_status status,
                   const char *words) {
    sepal_predictions out = {.size = sizeof out,
                             .classes = malloc(scene->rows->matrix.rows * sizeof *out.classes)};
    sepal_status found[3];
    found[0] = sepal_model_predict_check(ctx, scene->model, NULL, options);
    assert_non_null(strstr(ctx->error.message, words));
    found[1] = sepal_model_predict_rows(&out, ctx, scene->model, scene->rows, 0, 10, options);
    sepal_report *report = NULL;
    found[2] = sepal_model_evaluate(&report, ctx, scene->model, scene->rows, options);
    assert_null(report);
    for (int i = 0; i < 3; i++)
        if (found[i] != status) fail_msg("%s, %s: %d", scene->model->spec, options, (int)found[i]);
    if (!strstr(ctx->error.message, words)) fail_msg("%s", ctx->error.message);
    free(out.classes);
}

static void test_scores_only(void **state) {
    (void)state;
    static const char *const rules[] = {"decide=soft", "decide=reject", "decide=reject, cutoff=0.9",
                                        "cutoff=0.3"};
    static const char *const reductions[] = {"", " | ovr", " | ovo", " | ovr-1"};
    struct rng rng = rng_make(test_seed(44), 1);
    for (size_t l = 0; learner_at(l); l++)
        for (size_t r = 0; r < 4; r++) {
            char spec[128];
            bool votes = r >= 2;
            if (has_posterior(learner_at(l)) && !votes) continue;
            snprintf(spec, sizeof spec, "%s%s", learner_at(l), reductions[r]);
            struct scene scene = set_scene(&rng, spec, 3, 20);
            const char *words =
                votes ? "votes, not probabilities" : "not probabilities; option scores";
            for (size_t i = 0; i < 4; i++) refuse(&scene, rules[i], SEPAL_EMODEL, words);
            sepal_output what = SEPAL_PROBABILITIES;
            assert_int_equal(sepal_model_outputs(scene.model, what), 0);
            assert_int_equal(sepal_model_predict_check(ctx, scene.model, &what, NULL),
                             SEPAL_EMODEL);
            bool better = strstr(ctx->error.message, "ovr has probabilities") != NULL;
            assert_int_equal(better, votes && has_posterior(learner_at(l)));
            scene_free(&scene);
        }
    struct scene lda = set_scene(&rng, "lda", 3, 20);
    refuse(&lda, "cutoff=0.5", SEPAL_EUSAGE, "between two classes");
    refuse(&lda, "decide=soft, cutoff=0.5", SEPAL_EUSAGE, "has no cutoff");
    refuse(&lda, "decide=reject, cutoff=1.5", SEPAL_EUSAGE, "[0, 1]");
    refuse(&lda, "decide=harder", SEPAL_EUSAGE, "hard|soft|reject");
    scene_free(&lda);
}

/* ---- priors ------------------------------------------------------------------------------------ */

/* "0.25,0.75" of numbers that sum to 1 to the last digit but one. */
static void draw_priors(struct rng *rng, size_t K, double *priors, char *text, size_t room) {
    double sum = 0;
    for (size_t k = 0; k < K; k++) sum += priors[k] = 0.05 + rng_unit(rng);
    size_t used = 0;
    for (size_t k = 0; k < K; k++) {
        priors[k] /= sum;
        used += (size_t)snprintf(text + used, room - used, "%s%.17g", k ? "," : "", priors[k]);
    }
}

/* Asked of a fitted lda, priors give what a fit with them gives; of others, p times their ratio. */
static void test_priors(void **state) {
    (void)state;
    static const char *const specs[] = {"lda", "gaussian", "naive-bayes", "lda(axes=1)",
                                        "gaussian(covariance=spherical)"};
    struct rng rng = rng_make(test_seed(45), 1);
    for (size_t number = 0; number < 100; number++) {
        size_t K = 2 + rng_below(&rng, 7);
        double priors[8];
        char text[256], options[300], refit[300];
        draw_priors(&rng, K, priors, text, sizeof text);
        struct scene scene = set_scene(&rng, specs[number % 5], K, 50);
        snprintf(options, sizeof options, "priors=\"%s\"", text);
        snprintf(refit, sizeof refit, "lda(priors=\"%s\"%s)", text, number % 5 ? ", axes=1" : "");
        sepal_predictions plain = predict_all(scene.model, scene.rows, SEPAL_PROBABILITIES, NULL);
        sepal_predictions changed =
            predict_all(scene.model, scene.rows, SEPAL_PROBABILITIES, options);
        sepal_model *again = number % 5 % 3 ? NULL : fit_spec(scene.train, refit);
        sepal_predictions right = again ? predict_all(again, scene.rows, SEPAL_PROBABILITIES, NULL)
                                        : (sepal_predictions){0};
        for (size_t i = 0; i < 50; i++) {
            double sum = 0;
            for (size_t k = 0; k < K; k++)
                sum += plain.numbers[i * K + k] * priors[k] / scene.model->linear.priors[k];
            for (size_t k = 0; k < K; k++) {
                double p = changed.numbers[i * K + k], old = plain.numbers[i * K + k];
                double ratio = priors[k] / scene.model->linear.priors[k];
                assert_true(fabs(p - old * ratio / sum) < 1e-12);
                if (again) assert_true(fabs(p - right.numbers[i * K + k]) < 1e-12);
            }
            if (again) assert_int_equal(changed.classes[i], right.classes[i]);
        }
        answers_free(&plain), answers_free(&changed), answers_free(&right);
        sepal_model_free(again);
        scene_free(&scene);
    }
}

static sepal_model *fit_labels(const char *const *names, size_t K, const char *spec) {
    double x[32];
    const char *labels[32];
    for (size_t i = 0; i < 32; i++) {
        x[i] = (double)(i % K) + sin((double)i);
        labels[i] = names[i % K];
    }
    sepal_data *data = NULL;
    assert_int_equal(sepal_data_dense(&data, ctx, x, 32, 1, labels, NULL), SEPAL_OK);
    sepal_model *model = fit_spec(data, spec);
    data_free(data);
    return model;
}

static void test_prior_texts(void **state) {
    (void)state;
    static const char *const odd[] = {"a", "a,b", "b:0.5", "c:0.25,d"};
    static const char *const numbers[] = {"1", "2.5", "-3", "10"};
    static const struct {
        bool numeric;
        const char *text, *words; /* words NULL: accepted */
    } table[] = {{false, "0.1,0.2,0.3,0.4", NULL},
                 {false, "a:0.1,a,b:0.2,b:0.5:0.3,c:0.25,d:0.4", NULL},
                 {false, " c:0.25,d : 0.4 , b:0.5:0.3, a,b:0.2, a : 0.1 ", NULL},
                 {true, "1.0:0.1,+2.50:0.2,-3:0.3,1e1:0.4", NULL},
                 {true, "0.1,0.2,0.3,0.4", NULL},
                 {false, "", "not a number above 0"},
                 {false, "0.1,0.2,0.3", "leaves out a class"},
                 {false, "0.1,0.2,0.3,0.2,0.2", "more numbers than there are classes"},
                 {false, "0.1,0.2,0.3,0.5", "sum to 1.1, not to 1"},
                 {false, "0.1,0.2,0.3,0.4000001", "sum to 1.0000001, not to 1"},
                 {false, "0,0.3,0.3,0.4", "not a number above 0"},
                 {false, "-0.1,0.4,0.3,0.4", "not a number above 0"},
                 {false, "a:0.1,e:0.9", "names the class 'e', which the model does not have"},
                 {false, "a:0.1,a:0.9", "gives a class two priors"},
                 {false, "a:0.1,0.1,0.2,a,b:0.6", "gives a class two priors"},
                 {false, "a:,0.2,0.3,0.5", "not a number above 0"},
                 {false, "0.1;0.2;0.3;0.4", "not a number above 0"},
                 {true, "11:0.1,2.5:0.2,-3:0.3,10:0.4", "names the class '11'"},
                 {false, "nan,0.2,0.3,0.5", "not a number above 0"}};
    sepal_model *model[] = {fit_labels(odd, 4, "lda"), fit_labels(numbers, 4, "lda")};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char options[128];
        snprintf(options, sizeof options, "priors=\"%s\"", table[i].text);
        sepal_status status =
            sepal_model_predict_check(ctx, model[table[i].numeric], NULL, options);
        assert_int_equal(status, table[i].words ? SEPAL_EUSAGE : SEPAL_OK);
        if (table[i].words && !strstr(ctx->error.message, table[i].words))
            fail_msg("%s: %s", table[i].text, ctx->error.message);
    }
    sepal_model_free(model[0]), sepal_model_free(model[1]);
    static const char *const none[] = {"lda | ovr", "least-squares",
                                       "naive-bayes(kind=complement)"};
    for (size_t i = 0; i < 3; i++) {
        struct rng rng = rng_make(test_seed(46), 1);
        struct scene scene = set_scene(&rng, none[i], 4, 10);
        refuse(&scene, "priors=\"0.1,0.2,0.3,0.4\"", SEPAL_EMODEL, "no priors to be changed");
        scene_free(&scene);
    }
}

/* ---- measures ---------------------------------------------------------------------------------- */

static void check_measures(const struct scene *scene, const char *options) {
    const sepal_data *data = scene->rows;
    size_t K = scene->model->linear.classes, rows = data->matrix.rows, open = 0, right = 0;
    sepal_predictions all = predict_all(scene->model, data, SEPAL_PROBABILITIES, options);
    long double loss = 0, brier = 0;
    for (size_t i = 0; i < rows; i++) {
        size_t target = (size_t)data->label[i];
        const double *p = all.numbers + i * K;
        loss -= logl(p[target]);
        for (size_t k = 0; k < K; k++)
            if (K > 2 || k == 1) brier += powl((long double)p[k] - (k == target), 2);
        open += all.classes[i] < 0;
        right += all.classes[i] == data->label[i];
    }
    sepal_report *report = NULL;
    assert_int_equal(sepal_model_evaluate(&report, ctx, scene->model, data, options), SEPAL_OK);
    double n = (double)rows;
    assert_true(fabs(sepal_report_number(report, "log_loss") - (double)loss / n) < 1e-10);
    assert_true(fabs(sepal_report_number(report, "brier") - (double)brier / n) < 1e-12);
    assert_true(fabs(sepal_report_number(report, "coverage") - (n - (double)open) / n) < 1e-15);
    assert_true(fabs(sepal_report_number(report, "accuracy") - (double)right / n) < 1e-15);
    bool last = options && (strstr(options, "reject") || strstr(options, "undecided"));
    const struct tree *confusion = tree_find(report->root, "confusion");
    assert_int_equal(confusion->first->count, K + last);
    double total = 0, left = 0;
    for (const struct tree *row = confusion->first; row; row = row->next) {
        for (const struct tree *cell = row->first; cell; cell = cell->next) total += cell->number;
        if (last) left += row->last->number;
    }
    assert_true(total == n && left == (double)open);
    sepal_report_free(report);
    answers_free(&all);
}

static void test_measures(void **state) {
    (void)state;
    static const char *const rules[] = {NULL, "decide=reject, cutoff=0.8", "decide=soft",
                                        "ambiguous=undecided", "decide=hard"};
    struct rng rng = rng_make(test_seed(47), 1);
    for (size_t number = 0; number < 40; number++) {
        const char *spec = number % 3 ? "lda" : "gaussian | ovr";
        struct scene scene = set_scene(&rng, spec, 2 + rng_below(&rng, 6), 200);
        check_measures(&scene, rules[number % 5]);
        scene_free(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cutoffs),        cmocka_unit_test(test_soft),
        cmocka_unit_test(test_soft_undecided), cmocka_unit_test(test_scores_only),
        cmocka_unit_test(test_priors),         cmocka_unit_test(test_prior_texts),
        cmocka_unit_test(test_measures),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
