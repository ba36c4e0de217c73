/* Calibrated models, over all learners, strategies and methods of calibration: the functions are those of a
   cross-fit written out, the classes the most probable ones, the weights those of the model without;
   from a file and from memory it is the same model, whatever the number of threads, one row at a time; other
   priors and metrics act on the calibrated probabilities. */
#include "contract/strategy_problem.h"

#include "linear/calibration.h"
#include "model/match.h"
#include "report/report.h"

static const char *const methods[] = {"platt", "isotonic", "temperature"};
enum { FOLDS = 4 };

struct scene {
    struct problem p;
    sepal_data *train;
    sepal_model *model, *plain;
    char spec[64], options[64];
    enum calibration_kind kind;
};

static sepal_model *fit_with(const sepal_data *data, const char *spec, const char *options) {
    sepal_model *model = NULL;
    if (sepal_model_fit(&model, NULL, ctx, spec, data, options) != SEPAL_OK)
        fail_msg("%s, %s: %s", spec, options, ctx->error.message);
    return model;
}

static struct scene set_scene(struct rng *rng, const char *spec, size_t classes,
                              enum calibration_kind kind) {
    struct scene out = {.p = any_problem(rng, classes, 3), .kind = kind};
    if (rng_below(rng, 2)) problem_weigh(&out.p, rng);
    out.train = problem_data(&out.p, ctx, rng_below(rng, 2));
    (void)snprintf(out.spec, sizeof out.spec, "%s", spec);
    (void)snprintf(out.options, sizeof out.options, "calibrate=%s, calibrate_folds=%d",
                   methods[kind], FOLDS);
    out.model = fit_with(out.train, spec, out.options);
    out.plain = fit_with(out.train, spec, NULL);
    return out;
}

static void scene_free(struct scene *scene) {
    sepal_model_free(scene->model);
    sepal_model_free(scene->plain);
    data_free(scene->train);
    problem_free(&scene->p);
}

/* Every learner of the table, for two classes and for three under every strategy that it can have. */
static void for_all(void (*law)(const struct scene *scene), uint64_t seed) {
    static const char *const strategies[] = {"", " | ovr", " | ovr-1", " | ovo"};
    struct rng rng = rng_make(test_seed(seed), 1);
    for (size_t l = 0; learner_table[l]; l++)
        for (size_t s = 0; s < 5 && !learner_table[l]->sets; s++)
            for (int kind = 0; kind < CALIBRATIONS; kind++) {
                char spec[64];
                (void)snprintf(spec, sizeof spec, "%s%s", learner_table[l]->name,
                               s < 4 ? strategies[s] : "");
                struct scene scene =
                    set_scene(&rng, spec, s < 4 ? 3 : 2, (enum calibration_kind)kind);
                law(&scene);
                scene_free(&scene);
            }
}

/* ---- the cross-fit, written out -------------------------------------------------------------- */

/* What a class is calibrated by, from the scores of a row. */
static void values_of(const sepal_model *model, enum calibration_kind kind, const double *scores,
                      double *out) {
    const struct linear *linear = &model->linear;
    size_t K = linear->classes, pair = 0;
    bool temperature = kind == CALIBRATE_TEMPERATURE;
    if (K == 2) {
        out[0] = scores[0];
        return;
    }
    for (size_t k = 0; k < K; k++) out[k] = k < linear->rows ? scores[k] : 0;
    if (linear->strategy == &strategy_ovo) {
        double sum[3] = {0}, votes[3] = {0};
        for (size_t i = 0; i < K; i++)
            for (size_t j = i + 1; j < K; j++, pair++) {
                votes[scores[pair] >= 0 ? j : i]++;
                sum[j] += scores[pair];
                sum[i] -= scores[pair];
            }
        for (size_t k = 0; k < K; k++) out[k] = votes[k] + sum[k] / (3 * (fabs(sum[k]) + 1));
    }
    double given[3] = {out[0], out[1], out[2]};
    bool joint = linear->strategy == &strategy_machine;
    for (size_t k = 0; k < K && !temperature; k++) {
        double best = -INFINITY;
        for (size_t j = 0; j < K; j++)
            if (j != k) best = fmax(best, given[j]);
        if (joint || (linear->strategy == &strategy_ovr_1 && k == K - 1)) out[k] = given[k] - best;
    }
}

/* What the learner's own probabilities of the held-out rows lose, in all; NaN: it has none. */
static double own_loss(const sepal_model *model, const sepal_data *held) {
    if (model->linear.link == LINK_NONE) return NAN;
    sepal_predictions all = predict_all(model, held, SEPAL_PROBABILITIES, NULL);
    double sum = 0;
    for (size_t i = 0; i < held->matrix.rows; i++)
        sum -= data_weight(held, i) *
               log(all.numbers[i * model->linear.classes + (size_t)held->label[i]]);
    answers_free(&all);
    return sum;
}

static void check_losses(const struct scene *scene, const struct calibration *expected,
                         const double *values, double before) {
    const sepal_data *data = scene->train;
    const struct calibration *found = scene->model->linear.calibration;
    size_t K = scene->p.classes, width = K == 2 ? 1 : K;
    double after = 0, row[3];
    for (size_t i = 0; i < data->matrix.rows; i++) {
        memcpy(row, values + i * width, width * sizeof *row);
        calibration_logs(expected, NULL, row);
        after -= data_weight(data, i) * row[data->label[i]];
    }
    before /= data->total_weight;
    after /= data->total_weight;
    assert_int_equal(isnan(found->loss_before), isnan(before));
    bool alike = isinf(after) ? isinf(found->loss_after)
                              : fabs(found->loss_after - after) <= 1e-6 * (1 + after);
    if (!alike) fail_msg("%s: loss %g, not %g", scene->spec, found->loss_after, after);
    if (isfinite(before) && fabs(found->loss_before - before) > 1e-6 * (1 + before))
        fail_msg("%s: loss before %g, not %g", scene->spec, found->loss_before, before);
}

static void is_cross_fitted(const struct scene *scene) {
    const sepal_data *data = scene->train;
    size_t n = data->matrix.rows, K = scene->p.classes, width = K == 2 ? 1 : K;
    uint32_t *fold = malloc(n * sizeof *fold);
    size_t *rows = malloc(n * sizeof *rows);
    double *values = malloc(n * width * sizeof *values), before = 0;
    assert_true(fold && rows && values);
    assert_int_equal(data_folds(fold, ctx, data, FOLDS), SEPAL_OK);
    for (size_t f = 0; f < FOLDS; f++) {
        sepal_data *part[2];
        for (int held = 0; held < 2; held++) {
            size_t used = 0;
            for (size_t i = 0; i < n; i++)
                if ((fold[i] == f) == held) rows[used++] = i;
            assert_int_equal(data_select(&part[held], ctx, data, rows, used), SEPAL_OK);
        }
        sepal_model *model = fit_with(part[0], scene->spec, NULL);
        double *scores = scores_of(model, part[1]);
        for (size_t i = 0; i < part[1]->matrix.rows; i++)
            values_of(model, scene->kind, scores + i * model->linear.rows,
                      values + rows[i] * width);
        before += own_loss(model, part[1]);
        free(scores);
        sepal_model_free(model);
        data_free(part[0]);
        data_free(part[1]);
    }
    struct calibration *expected, *found = scene->model->linear.calibration;
    struct calibration_rows all = {values, data->label, data->weight, n};
    assert_int_equal(calibration_fit(&expected, ctx, scene->kind, K, &all), SEPAL_OK);
    assert_non_null(found);
    assert_int_equal(found->kind, scene->kind);
    assert_int_equal(found->rows, expected->rows);
    for (size_t i = 0; i < found->rows * found->cols; i++)
        if (fabs(found->numbers[i] - expected->numbers[i]) >
            1e-7 * (1 + fabs(expected->numbers[i])))
            fail_msg("%s, %s: number %zu is %g, not %g", scene->spec, scene->options, i,
                     found->numbers[i], expected->numbers[i]);
    check_losses(scene, expected, values, before);
    calibration_free(expected);
    free(fold);
    free(rows);
    free(values);
}

static void cross_fits(void **state) {
    (void)state;
    for_all(is_cross_fitted, 1);
}

/* The model that a fit starts from may have seen the rows held out: folds start from nowhere. */
static void folds_start_cold(void **state) {
    (void)state;
    static const char spec[] = "logistic(epochs=2)";
    struct rng rng = rng_make(test_seed(9), 1);
    for (size_t classes = 2; classes <= 3; classes++) {
        struct problem p = any_problem(&rng, classes, 3);
        sepal_data *data = problem_data(&p, ctx, false);
        sepal_model *start = fit_with(data, spec, "solver=sgd");
        assert_int_equal(sepal_model_save(ctx, start, "start.sepal"), SEPAL_OK);
        sepal_model *cold = fit_with(data, spec, "solver=sgd, calibrate=platt");
        sepal_model *warm = fit_with(data, spec, "solver=sgd, calibrate=platt, warm=start.sepal");
        const struct calibration *one = cold->linear.calibration, *other = warm->linear.calibration;
        assert_memory_equal(one->numbers, other->numbers, one->rows * 2 * sizeof(double));
        bool differs = false;
        for (size_t k = 0; k < 3; k++) differs |= warm->linear.w[k] != cold->linear.w[k];
        assert_true(differs);
        sepal_model_free(start);
        sepal_model_free(cold);
        sepal_model_free(warm);
        data_free(data);
        problem_free(&p);
    }
}

/* Folds: of every class, and in all, as many rows in each or one more. */
static void folds_are_even(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(2), 1);
    for (int round = 0; round < 30; round++) {
        size_t classes = 2 + rng_below(&rng, 4), folds = 2 + rng_below(&rng, 9);
        struct problem p = problem_new(&rng, 10 * classes + rng_below(&rng, 50), 1, classes);
        sepal_data *data = problem_data(&p, ctx, false);
        uint32_t *fold = malloc(p.rows * sizeof *fold);
        assert_non_null(fold);
        assert_int_equal(data_folds(fold, ctx, data, folds), SEPAL_OK);
        for (size_t k = 0; k <= classes; k++) { /* the last: any class */
            size_t least = SIZE_MAX, most = 0;
            for (size_t f = 0; f < folds; f++) {
                size_t count = 0;
                for (size_t i = 0; i < p.rows; i++)
                    count += fold[i] == f && (k == classes || p.label[i] == (int)k);
                least = count < least ? count : least;
                most = count > most ? count : most;
            }
            assert_true(most - least <= 1);
        }
        free(fold);
        data_free(data);
        problem_free(&p);
    }
}

/* ---- what is made of it ----------------------------------------------------------------------- */

static void decides(const struct scene *scene) {
    size_t n = scene->train->matrix.rows, K = scene->p.classes;
    sepal_predictions answers = predict_all(scene->model, scene->train, SEPAL_PROBABILITIES, NULL);
    sepal_predictions scores = predict_all(scene->model, scene->train, SEPAL_SCORES, NULL);
    sepal_predictions before = predict_all(scene->plain, scene->train, SEPAL_SCORES, NULL);
    size_t shown = K == 2 ? 1 : K;
    assert_int_equal(sepal_model_outputs(scene->plain, SEPAL_PROBABILITIES) > 0,
                     scene->plain->linear.link != LINK_NONE);
    for (size_t i = 0; i < n; i++) {
        const double *p = answers.numbers + i * K;
        double sum = 0;
        int32_t best = K == 2 ? p[1] >= 0.5 : 0;
        for (size_t k = 0; k < K; k++) {
            assert_true(p[k] >= 0 && p[k] <= 1);
            sum += p[k];
            if (K > 2 && p[k] > p[best]) best = (int32_t)k;
        }
        assert_true(fabs(sum - 1) < 1e-12);
        assert_int_equal(answers.classes[i], best);
        /* scores are as they were; a temperature leaves the largest where it was */
        assert_memory_equal(scores.numbers + i * shown, before.numbers + i * shown,
                            shown * sizeof(double));
        if (scene->kind == CALIBRATE_TEMPERATURE)
            assert_int_equal(answers.classes[i], before.classes[i]);
    }
    answers_free(&answers);
    answers_free(&scores);
    answers_free(&before);
}

static void most_probable(void **state) {
    (void)state;
    for_all(decides, 3);
}

/* The bytes of a model; to be given to text_clear. */
static struct text bytes_of(const sepal_model *model) {
    struct text out;
    assert_int_equal(model_to_memory(&out, ctx, model), SEPAL_OK);
    return out;
}

static void comes_back(const struct scene *scene) {
    struct text bytes = bytes_of(scene->model), plain = bytes_of(scene->plain), again;
    sepal_model *read, *file, *one;
    assert_int_equal(model_from_memory(&read, ctx, bytes.bytes, bytes.length), SEPAL_OK);
    assert_int_equal(model_save(ctx, scene->model, "calibrated.sepal"), SEPAL_OK);
    assert_int_equal(model_load(&file, ctx, "calibrated.sepal"), SEPAL_OK);
    sepal_ctx_set_threads(ctx, 1);
    one = fit_with(scene->train, scene->spec, scene->options);
    sepal_ctx_set_threads(ctx, 3);
    const sepal_model *const others[] = {read, file, one};
    sepal_predictions expected = predict_all(scene->model, scene->train, SEPAL_PROBABILITIES, NULL);
    for (size_t m = 0; m < 3; m++) {
        again = bytes_of(others[m]);
        assert_int_equal(again.length, bytes.length);
        assert_memory_equal(again.bytes, bytes.bytes, bytes.length);
        text_clear(&again);
        sepal_predictions found = predict_all(others[m], scene->train, SEPAL_PROBABILITIES, NULL);
        assert_memory_equal(found.numbers, expected.numbers,
                            scene->p.rows * scene->p.classes * sizeof(double));
        answers_free(&found);
    }
    assert_true(plain.length < bytes.length); /* and without it there is no such part */
    assert_null(memmem(plain.bytes, plain.length, "calibration", strlen("calibration")));
    for (size_t i = 0; i < scene->p.rows; i++) {
        int32_t class;
        assert_int_equal(sepal_model_predict_row(&class, NULL, scene->model,
                                                 scene->p.x + i * scene->p.cols, scene->p.cols),
                         SEPAL_OK);
        assert_int_equal(class, expected.classes[i]);
    }
    answers_free(&expected);
    text_clear(&bytes);
    text_clear(&plain);
    model_free(read);
    model_free(file);
    model_free(one);
}

static void same_everywhere(void **state) {
    (void)state;
    for_all(comes_back, 4);
}

/* Log-loss and Brier score are of these probabilities; a cutoff and reject act on them. */
static void judges(const struct scene *scene) {
    size_t n = scene->p.rows, K = scene->p.classes;
    sepal_predictions answers = predict_all(scene->model, scene->train, SEPAL_PROBABILITIES, NULL);
    sepal_report *report;
    double loss = 0, brier = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        const double *p = answers.numbers + i * K, w = problem_weight(&scene->p, i);
        size_t y = (size_t)scene->p.label[i];
        loss -= w * log(p[y]);
        for (size_t k = K == 2; k < K; k++) brier += w * (p[k] - (k == y)) * (p[k] - (k == y));
        total += w;
    }
    assert_int_equal(sepal_model_evaluate(&report, ctx, scene->model, scene->train, NULL),
                     SEPAL_OK);
    double found = sepal_report_number(report, "log_loss");
    assert_true(isinf(loss) ? isnan(found) : fabs(found - loss / total) < 1e-9 * (1 + loss));
    assert_true(fabs(sepal_report_number(report, "brier") - brier / total) < 1e-12);
    sepal_report_free(report);
    sepal_predictions cut = predict_all(scene->model, scene->train, SEPAL_PROBABILITIES,
                                        K == 2 ? "cutoff=0.3" : "decide=reject, cutoff=0.7");
    for (size_t i = 0; i < n; i++) {
        const double *p = answers.numbers + i * K;
        double most = fmax(p[0], fmax(p[1], K > 2 ? p[2] : 0));
        assert_int_equal(cut.classes[i], K == 2       ? p[1] >= 0.3
                                         : most < 0.7 ? -1
                                                      : answers.classes[i]);
    }
    answers_free(&cut);
    answers_free(&answers);
}

static void metrics_and_rules(void **state) {
    (void)state;
    for_all(judges, 5);
}

/* The log-loss that is told is that of these probabilities. */
static void check_log_loss(const struct scene *scene, const char *options, const double *p) {
    size_t K = scene->p.classes;
    double loss = 0, total = 0;
    sepal_report *report;
    for (size_t i = 0; i < scene->p.rows; i++) {
        loss -= problem_weight(&scene->p, i) * log(p[i * K + (size_t)scene->p.label[i]]);
        total += problem_weight(&scene->p, i);
    }
    assert_int_equal(sepal_model_evaluate(&report, ctx, scene->model, scene->train, options),
                     SEPAL_OK);
    double found = sepal_report_number(report, "log_loss");
    assert_true(isinf(loss) ? isnan(found) : fabs(found - loss / total) < 1e-9 * (1 + loss));
    sepal_report_free(report);
}

/* Other priors multiply the calibrated probabilities, which are divided by their sum again. */
static void other_priors(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(6), 1);
    for (int round = 0; round < 2 * CALIBRATIONS; round++) {
        size_t K = round % 2 ? 3 : 2;
        struct scene scene = set_scene(&rng, "lda", K, (enum calibration_kind)(round / 2));
        const double priors[] = {0.1, 0.3, 0.6}, *own = scene.model->linear.priors;
        sepal_predictions as_is = predict_all(scene.model, scene.train, SEPAL_PROBABILITIES, NULL);
        const char *words = K == 2 ? "priors=\"0.25,0.75\"" : "priors=\"0.1,0.3,0.6\"";
        sepal_predictions changed =
            predict_all(scene.model, scene.train, SEPAL_PROBABILITIES, words);
        for (size_t i = 0; i < scene.p.rows; i++) {
            double p[3], sum = 0;
            for (size_t k = 0; k < K; k++) {
                double prior = K == 2 ? (k ? 0.75 : 0.25) : priors[k];
                p[k] = as_is.numbers[i * K + k] * prior / own[k];
                sum += p[k];
            }
            for (size_t k = 0; k < K; k++)
                assert_true(fabs(changed.numbers[i * K + k] - p[k] / sum) < 1e-12);
        }
        check_log_loss(&scene, words, changed.numbers);
        answers_free(&as_is);
        answers_free(&changed);
        scene_free(&scene);
    }
}

/* A rule that needs probabilities is kept by a model that has them by calibration alone. */
static void keeps_rules(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(7), 1);
    struct problem p = any_problem(&rng, 2, 3);
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_model *model = NULL, *read;
    assert_int_equal(sepal_model_fit(&model, NULL, ctx, "svm", data, "cutoff=0.2"), SEPAL_EMODEL);
    assert_non_null(strstr(ctx->error.message, "calibrate platt"));
    model = fit_with(data, "svm", "calibrate=platt, cutoff=0.2");
    struct text bytes = bytes_of(model);
    assert_int_equal(model_from_memory(&read, ctx, bytes.bytes, bytes.length), SEPAL_OK);
    sepal_predictions answers = predict_all(read, data, SEPAL_PROBABILITIES, NULL);
    for (size_t i = 0; i < p.rows; i++)
        assert_int_equal(answers.classes[i], answers.numbers[2 * i + 1] >= 0.2);
    answers_free(&answers);
    text_clear(&bytes);
    model_free(read);
    model_free(model);
    data_free(data);
    problem_free(&p);
}

/* ---- asked to stop ----------------------------------------------------------------------------- */

static int stop_after(const char *line, void *payload) {
    int *left = payload;
    (void)line;
    return --*left <= 0;
}

/* At any line of progress: nothing, and the fold is named, or the fit of all rows as far as it came. */
static void interrupted(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(8), 1);
    struct problem p = any_problem(&rng, 2, 3);
    sepal_data *data = problem_data(&p, ctx, false);
    size_t stopped = 0;
    for (int line = 1; line <= 60; line++) {
        sepal_model *model = NULL;
        int left = line;
        sepal_ctx_set_progress(ctx, stop_after, &left);
        ctx->last_progress_ns = 0;
        sepal_status status = sepal_model_fit(&model, NULL, ctx, "perceptron(epochs=3)", data,
                                              "calibrate=platt, calibrate-folds=2");
        sepal_ctx_set_progress(ctx, NULL, NULL);
        assert_int_equal(model == NULL, status != SEPAL_OK);
        if (status != SEPAL_OK) {
            assert_int_equal(status, SEPAL_ECANCEL);
            assert_non_null(strstr(ctx->error.message, "interrupted"));
            stopped++;
        }
        sepal_model_free(model);
    }
    assert_true(stopped >= 1 && ctx->trace == NULL);
    data_free(data);
    problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cross_fits),        cmocka_unit_test(folds_are_even),
        cmocka_unit_test(most_probable),     cmocka_unit_test(same_everywhere),
        cmocka_unit_test(metrics_and_rules), cmocka_unit_test(other_priors),
        cmocka_unit_test(keeps_rules),       cmocka_unit_test(interrupted),
        cmocka_unit_test(folds_start_cold),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
