/* What is predicted of label sets follows from the scores of each label; judging sets is what plain loops make
   of them. */
#include "contract/label_sets_problem.h"

/* ---- decisions -------------------------------------------------------------------------------- */

static void test_decisions(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(66), 1);
    struct sets s = sets_new(&rng, 400, 3, 5);
    sepal_data *data = sets_data(&s, false);
    sepal_model *model = fit_of(NULL, "multilabel", data, NULL);
    struct answers by_score = ask(model, data, SEPAL_SCORES, NULL);
    struct answers by_p = ask(model, data, SEPAL_PROBABILITIES, "cutoff=0.2");
    struct answers drawn = ask(model, data, SEPAL_PROBABILITIES, "decide=soft");
    double expected[5] = {0}, spread[5] = {0}, met[5] = {0}, sum_of_row = 0;
    for (size_t i = 0; i < s.rows * 5; i++) {
        double p = by_p.numbers[i], score = by_score.numbers[i];
        assert_int_equal(by_score.labels[i], score >= 0);
        assert_int_equal(by_p.labels[i], p >= 0.2);
        assert_true(fabs(p - 1 / (1 + exp(-score))) <= 1e-15);
        expected[i % 5] += p;
        spread[i % 5] += p * (1 - p);
        met[i % 5] += drawn.labels[i];
        if (i < 5) sum_of_row += p;
    }
    assert_true(fabs(sum_of_row - 1) > 1e-6); /* they are not divided by their sum */
    for (size_t k = 0; k < 5; k++)
        assert_true(fabs(met[k] - expected[k]) <= 5 * sqrt(spread[k]) && met[k] > 0);
    int32_t class;
    assert_int_equal(sepal_model_predict(&class, ctx, model, data), SEPAL_EUSAGE);
    assert_int_equal(sepal_model_predict_row(&class, NULL, model, s.x, s.cols), SEPAL_EMODEL);
    double scores[5];
    assert_int_equal(sepal_model_predict_row(NULL, scores, model, s.x, s.cols), SEPAL_OK);
    assert_memory_equal(scores, by_score.numbers, sizeof scores);
    assert_int_equal(sepal_model_predict_check(ctx, model, NULL, "decide=reject"), SEPAL_EUSAGE);
    assert_int_equal(sepal_model_predict_check(ctx, model, NULL, "decide=soft, cutoff=0.5"),
                     SEPAL_EUSAGE);
    answers_free(&by_score);
    answers_free(&by_p);
    answers_free(&drawn);
    sepal_model_free(model);
    data_free(data);
    sets_free(&s);
}

/* ---- judging --------------------------------------------------------------------------------------- */

/* How much of the weight of pairs of a row with label k and one without it is in order. */
static double plain_auc(const struct sets *t, size_t k, const double *p, bool weighted) {
    double right = 0, all = 0;
    for (size_t i = 0; i < t->rows; i++)
        for (size_t h = 0; h < t->rows; h++) {
            size_t one = i * t->labels + k, other = h * t->labels + k;
            if (!t->bits[one] || t->bits[other]) continue;
            double weight = weighted ? t->weight[i] * t->weight[h] : 1;
            all += weight;
            right += weight * (p[one] > p[other] ? 1 : p[one] == p[other] ? 0.5 : 0);
        }
    return all > 0 ? right / all : NAN;
}

/* Rows by what is so (first) and what is said. */
static void check_label_counts(const sepal_report *report, size_t k, double own[2][2]) {
    static const char *const names[2][2] = {{"tn", "fp"}, {"fn", "tp"}};
    for (int is = 0; is < 2; is++)
        for (int said = 0; said < 2; said++) {
            char place[64];
            (void)snprintf(place, sizeof place, "per_class.%zu.%s", k, names[is][said]);
            double found = sepal_report_number(report, place);
            if (!(fabs(found - own[is][said]) <= 1e-9))
                fail_msg("%s: %g, not %g", place, found, own[is][said]);
        }
}

/* Sums over rows and labels, by weight; the counts of each label are those of the report. */
struct tallied {
    double exact, wrong, total, loss, brier, macro, by_support, auc, ranked, tp, fp, fn;
};

static struct tallied tally_of(const sepal_report *report, const struct sets *t,
                               const struct answers *answers, bool weighted) {
    struct tallied out = {0};
    size_t labels = t->labels;
    for (size_t i = 0; i < t->rows; i++) {
        double weight = weighted ? t->weight[i] : 1, miss = 0;
        out.total += weight;
        for (size_t k = 0; k < labels; k++) {
            bool has = t->bits[i * labels + k];
            double p = answers->numbers[i * labels + k];
            miss += has != (bool)answers->labels[i * labels + k];
            out.loss -= weight * log(has ? p : 1 - p);
            out.brier += weight * (has - p) * (has - p);
        }
        out.wrong += weight * miss;
        out.exact += miss == 0 ? weight : 0;
    }
    for (size_t k = 0; k < labels; k++) {
        double own[2][2] = {{0}};
        for (size_t i = 0; i < t->rows; i++)
            own[t->bits[i * labels + k]][answers->labels[i * labels + k]] +=
                weighted ? t->weight[i] : 1;
        out.tp += own[1][1], out.fp += own[0][1], out.fn += own[1][0];
        double below = 2 * own[1][1] + own[0][1] + own[1][0];
        double f1 = below > 0 ? 2 * own[1][1] / below : 0;
        out.macro += f1 / (double)labels;
        out.by_support += f1 * (own[1][0] + own[1][1]);
        double area = plain_auc(t, k, answers->numbers, weighted);
        out.ranked += !isnan(area);
        out.auc += isnan(area) ? 0 : area;
        check_label_counts(report, k, own);
    }
    return out;
}

static void check_measures(const sepal_report *report, const struct tallied *t, size_t labels) {
    const struct {
        const char *path;
        double right;
    } facts[] = {{"subset_accuracy", t->exact / t->total},
                 {"accuracy", t->exact / t->total},
                 {"error", 1 - t->exact / t->total},
                 {"hamming_loss", t->wrong / (t->total * (double)labels)},
                 {"log_loss", t->loss / t->total},
                 {"brier", t->brier / t->total},
                 {"roc_auc", t->auc / t->ranked},
                 {"macro.f1", t->macro},
                 {"weighted.f1", t->by_support / (t->tp + t->fn)},
                 {"micro.f1", t->tp > 0 ? 2 * t->tp / (2 * t->tp + t->fp + t->fn) : 0},
                 {"micro.precision", t->tp + t->fp > 0 ? t->tp / (t->tp + t->fp) : 0},
                 {"cardinality.actual", (t->tp + t->fn) / t->total},
                 {"cardinality.predicted", (t->tp + t->fp) / t->total}};
    for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
        if (!(fabs(sepal_report_number(report, facts[f].path) - facts[f].right) <= 1e-9))
            fail_msg("%s: %.17g, not %.17g", facts[f].path,
                     sepal_report_number(report, facts[f].path), facts[f].right);
}

/* The second half judges rows none of which has the first label. */
static void test_measures(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(69), 1);
    for (size_t number = 0; number < 10; number++) {
        size_t labels = 1 + number % 5;
        struct sets s = sets_new(&rng, 70, 3, labels), t = sets_new(&rng, 40, 3, labels);
        if (number / 5 && labels > 1) set_label(&t, 0, 0);
        sepal_data *data = sets_data(&s, false), *test = sets_data(&t, number % 2);
        sepal_model *model = fit_of(NULL, "multilabel", data, NULL);
        sepal_report *report = NULL;
        assert_int_equal(sepal_model_evaluate(&report, ctx, model, test, "cutoff=0.4"), SEPAL_OK);
        struct answers answers = ask(model, test, SEPAL_PROBABILITIES, "cutoff=0.4");
        struct tallied tallied = tally_of(report, &t, &answers, number % 2);
        check_measures(report, &tallied, labels);
        answers_free(&answers);
        sepal_report_free(report);
        sepal_model_free(model);
        data_free(data);
        data_free(test);
        sets_free(&s);
        sets_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_measures),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
