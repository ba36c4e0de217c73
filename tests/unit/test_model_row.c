/* A model asked about one row, looked into, and carried through memory: the answers are those of whole data
   sets, to the bit where the header says so; the bytes are those of the file. */
#include "unit/memory_fixture.h"

#include "model/model.h"

enum { ROWS = 300, COLUMNS = 37 };

static double x[ROWS * COLUMNS];
static int64_t labels[ROWS];

static sepal_data *draw(int64_t classes) {
    struct rng rng = rng_make(test_seed(2), (uint64_t)classes);
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = (int64_t)i % classes;
        for (size_t j = 0; j < COLUMNS; j++)
            x[i * COLUMNS + j] = rng_below(&rng, 3)
                                     ? rng_unit(&rng) * 3 + 50 * (double)j +
                                           (double)((int64_t)j % classes == labels[i])
                                     : 0;
    }
    sepal_input in = {
        .size = sizeof in, .rows = ROWS, .columns = COLUMNS, .values = x, .label_numbers = labels};
    return must_make(&in);
}

static const char *const specs[] = {
    "logistic(l2=0.1)",
    "standardize | logistic(l2=0.1)",
    "minmax | standardize | svm(C=1)",
    "identity | lda",
    "perceptron(epochs=2)",
    "least-squares | ovo",
    "least-squares | ovr-1",
    "gaussian(covariance=diagonal)",
    "naive-bayes(kind=bernoulli)",
    "poly(degree=2) | least-squares(l2=0.1)",
    "hash(bits=6) | logistic(l2=0.1)",
    "rbf(centres=5) | standardize | lda(shrinkage=0.1)",
};
enum { SPECS = sizeof specs / sizeof *specs };

static size_t sparse_of(const double *row, int32_t *index, double *values) {
    size_t n = 0;
    for (size_t j = 0; j < COLUMNS; j++)
        if (row[j] != 0) index[n] = (int32_t)j, values[n++] = row[j];
    return n;
}

static void check_rows(const sepal_model *model, const sepal_data *data) {
    size_t width = sepal_model_outputs(model, SEPAL_SCORES);
    double *scores = room(ROWS * width, sizeof *scores), *one = room(width, sizeof *one);
    int32_t classes[ROWS], class, index[COLUMNS];
    double values[COLUMNS];
    assert_int_equal(sepal_model_predict(classes, ctx, model, data), SEPAL_OK);
    assert_int_equal(sepal_model_scores(scores, ctx, model, data), SEPAL_OK);
    for (size_t i = 0; i < ROWS; i++) {
        const double *row = x + i * COLUMNS;
        assert_int_equal(sepal_model_predict_row(&class, one, model, row, COLUMNS), SEPAL_OK);
        assert_int_equal(class, classes[i]);
        if (memcmp(one, scores + i * width, width * sizeof *one) != 0)
            fail_msg("%s: row %zu has other scores alone", sepal_model_spec(model), i);
        size_t n = sparse_of(row, index, values);
        assert_int_equal(sepal_model_predict_entries(&class, one, model, index, values, n),
                         SEPAL_OK);
        for (size_t k = 0; k < width; k++) {
            double due = scores[i * width + k];
            if (!(fabs(one[k] - due) <= 1e-9 * (1 + fabs(due))))
                fail_msg("%s: sparse row %zu has the score %g instead of %g",
                         sepal_model_spec(model), i, one[k], due);
        }
    }
    assert_int_equal(sepal_model_predict_row(NULL, one, model, x, COLUMNS), SEPAL_OK);
    assert_int_equal(sepal_model_predict_row(&class, NULL, model, x, COLUMNS), SEPAL_OK);
    free(scores);
    free(one);
}

static void a_row_is_told_as_many_are(void **state) {
    (void)state;
    for (int64_t classes = 2; classes < 5; classes++) {
        sepal_data *data = draw(classes);
        for (size_t s = 0; s < SPECS; s++) {
            bool pairs = strstr(specs[s], "ov") != NULL;
            if (pairs && classes == 2) continue;
            sepal_model *model = must_fit(specs[s], data);
            check_rows(model, data);
            sepal_model_free(model);
        }
        sepal_data_free(data);
    }
}

/* The rule that a model keeps is the rule for one row, too. */
static void a_row_is_decided_by_the_models_rule(void **state) {
    (void)state;
    static const char *const rules[] = {"cutoff=0.9", "decide=reject, cutoff=0.7",
                                        "ambiguous=undecided"};
    for (size_t k = 0; k < 3; k++) {
        sepal_data *data = draw(k == 2 ? 3 : 2);
        sepal_model *model = NULL;
        assert_int_equal(sepal_model_fit(&model, NULL, ctx, "logistic(C=0.001)", data, rules[k]),
                         SEPAL_OK);
        check_rows(model, data);
        sepal_model_free(model);
        sepal_data_free(data);
    }
    sepal_data *data = draw(2);
    sepal_model *model = NULL;
    int32_t class;
    double score;
    assert_int_equal(sepal_model_fit(&model, NULL, ctx, "logistic", data, "decide=soft"), SEPAL_OK);
    assert_int_equal(sepal_model_predict_row(&class, NULL, model, x, COLUMNS), SEPAL_EMODEL);
    assert_int_equal(sepal_model_predict_row(NULL, &score, model, x, COLUMNS), SEPAL_OK);
    sepal_model_free(model);
    sepal_data_free(data);
}

static void impossible_rows_are_refused(void **state) {
    (void)state;
    static const int32_t odd[][2] = {{0, 0}, {1, 0}, {-1, 2}, {3, COLUMNS}, {3, INT32_MAX}};
    sepal_data *data = draw(2);
    for (size_t s = 0; s < SPECS; s++) {
        if (strstr(specs[s], "ov")) continue;
        sepal_model *model = must_fit(specs[s], data);
        double row[COLUMNS + 1] = {0}, score, values[2] = {1, 2};
        int32_t class;
        assert_int_equal(sepal_model_predict_row(&class, &score, NULL, row, COLUMNS), SEPAL_EUSAGE);
        assert_int_equal(sepal_model_predict_row(&class, &score, model, NULL, COLUMNS),
                         SEPAL_EUSAGE);
        assert_int_equal(sepal_model_predict_row(&class, &score, model, row, COLUMNS - 1),
                         SEPAL_EDATA);
        assert_int_equal(sepal_model_predict_row(&class, &score, model, row, COLUMNS + 1),
                         SEPAL_EDATA);
        for (size_t k = 0; k < 5; k++)
            assert_int_equal(sepal_model_predict_entries(&class, &score, model, odd[k], values, 2),
                             SEPAL_EDATA);
        assert_int_equal(sepal_model_predict_entries(&class, &score, model, NULL, values, 1),
                         SEPAL_EUSAGE);
        assert_int_equal(sepal_model_predict_entries(&class, &score, model, NULL, NULL, 0),
                         SEPAL_OK);
        row[COLUMNS - 1] = NAN;
        assert_int_equal(sepal_model_predict_row(&class, &score, model, row, COLUMNS), SEPAL_EDATA);
        row[COLUMNS - 1] = INFINITY;
        assert_int_equal(sepal_model_predict_row(&class, &score, model, row, COLUMNS), SEPAL_EDATA);
        sepal_model_free(model);
    }
    sepal_data_free(data);
}

/* ---- looking inside ----------------------------------------------------------------------- */

static void its_numbers_make_its_scores(void **state) {
    (void)state;
    for (int64_t classes = 2; classes < 5; classes += 2) {
        sepal_data *data = draw(classes);
        for (size_t s = 0; s < 5; s++) {
            sepal_model *model = must_fit(specs[s], data);
            size_t n = sepal_model_functions(model);
            double w[4 * COLUMNS], b[4], *scores = room(ROWS * n, sizeof *scores);
            assert_true(n == (classes == 2 ? 1 : (size_t)classes));
            assert_int_equal(sepal_model_features(model), COLUMNS);
            assert_int_equal(sepal_model_columns(model), COLUMNS);
            assert_int_equal(sepal_model_coefficients(w, b, ctx, model), SEPAL_OK);
            assert_int_equal(sepal_model_scores(scores, ctx, model, data), SEPAL_OK);
            const double *raw = sepal_model_weights(model), *centre = sepal_model_centre(model);
            for (size_t i = 0; i < ROWS; i++)
                for (size_t r = 0; r < n; r++) {
                    double folded = b[r], own = sepal_model_bias(model)[r], size = fabs(b[r]);
                    for (size_t j = 0; j < COLUMNS; j++) {
                        double value = x[i * COLUMNS + j];
                        folded += w[r * COLUMNS + j] * value;
                        own += raw[r * COLUMNS + j] * (value - (centre ? centre[j] : 0));
                        size += fabs(w[r * COLUMNS + j] * value);
                    }
                    assert_true(fabs(folded - scores[i * n + r]) <= 1e-11 * size);
                    bool maps = strstr(specs[s], "standardize") != NULL;
                    assert_true(maps || fabs(own - scores[i * n + r]) <= 1e-11 * size);
                }
            free(scores);
            sepal_model_free(model);
        }
        sepal_data_free(data);
    }
}

static void it_says_what_it_is(void **state) {
    (void)state;
    sepal_data *data = draw(3);
    sepal_model *model = must_fit("gaussian", data);
    double w[3 * COLUMNS], b[3];
    char *name = NULL;
    assert_string_equal(sepal_model_learner(model), "gaussian");
    assert_string_equal(sepal_model_missing(model), "refuse");
    assert_int_equal(sepal_model_coefficients(w, b, ctx, model), SEPAL_EMODEL);
    assert_int_equal(sepal_model_feature_name(&name, ctx, model, COLUMNS - 1), SEPAL_OK);
    assert_string_equal(name, "x37");
    sepal_text_free(name);
    assert_int_equal(sepal_model_feature_name(&name, ctx, model, COLUMNS), SEPAL_EUSAGE);
    sepal_model_free(model);
    sepal_data_free(data);
}

/* ---- through memory ----------------------------------------------------------------------- */

static void bytes_are_those_of_the_file(void **state) {
    (void)state;
    sepal_data *data = draw(3);
    for (size_t s = 0; s < SPECS; s++) {
        sepal_model *model = must_fit(specs[s], data), *again = NULL;
        size_t n;
        char *bytes = bytes_of(model, &n), *file = room(n + 1, 1);
        assert_int_equal(sepal_model_save(ctx, model, "model.sepal"), SEPAL_OK);
        FILE *in = fopen("model.sepal", "rb");
        assert_non_null(in);
        assert_int_equal(fread(file, 1, n + 1, in), n);
        assert_int_equal(fclose(in), 0);
        assert_memory_equal(bytes, file, n);
        assert_int_equal(sepal_model_from_memory(&again, ctx, file, n), SEPAL_OK);
        memset(file, 0, n); /* it keeps nothing of them */
        assert_same_model(model, again);
        check_rows(again, data);
        sepal_model_free(again);
        sepal_model_free(model);
        sepal_bytes_free(bytes);
        free(file);
    }
    sepal_data_free(data);
}

/* Rows of indices have no rule for missing values, and no columns to ask for one. */
static void missing_values_of_sparse_models_are_refused(void **state) {
    (void)state;
    static const int32_t start[] = {0, 1, 2, 3, 5}, index[] = {0, 1, 0, 0, 1};
    static const int64_t two[] = {0, 1, 0, 1};
    sepal_input in = {.size = sizeof in,
                      .rows = 4,
                      .columns = 2,
                      .row_start = start,
                      .row_start_type = SEPAL_I32,
                      .index = index,
                      .index_type = SEPAL_I32,
                      .entries = 5,
                      .label_numbers = two};
    sepal_data *data = must_make(&in);
    sepal_model *model = must_fit("logistic", data);
    double row[] = {1, 0}, score;
    int32_t class;
    assert_int_equal(sepal_model_predict_row(&class, &score, model, row, 2), SEPAL_OK);
    row[1] = NAN;
    assert_int_equal(sepal_model_predict_row(&class, &score, model, row, 2), SEPAL_EDATA);
    sepal_model_free(model);
    sepal_data_free(data);
}

static void damaged_bytes_are_refused(void **state) {
    (void)state;
    static const double few[] = {0, 1, 2, 3};
    static const int64_t two[] = {0, 0, 1, 1};
    sepal_input in = {
        .size = sizeof in, .rows = 4, .columns = 1, .values = few, .label_numbers = two};
    sepal_data *data = must_make(&in);
    sepal_model *model = must_fit("least-squares", data), *again = NULL;
    size_t n;
    char *bytes = bytes_of(model, &n);
    for (size_t cut = 0; cut < n; cut++) {
        char *exact = room(cut, 1); /* so that a byte read behind it is seen */
        memcpy(exact, bytes, cut);
        assert_int_equal(sepal_model_from_memory(&again, ctx, exact, cut), SEPAL_EMODEL);
        assert_true(!again && *sepal_ctx_error(ctx));
        free(exact);
    }
    for (size_t at = 0; at < n; at++) {
        bytes[at] ^= (char)(1 << at % 8);
        assert_int_equal(sepal_model_from_memory(&again, ctx, bytes, n), SEPAL_EMODEL);
        bytes[at] ^= (char)(1 << at % 8);
    }
    char *more = room(n + 1, 1);
    memcpy(more, bytes, n);
    assert_int_equal(sepal_model_from_memory(&again, ctx, more, n + 1), SEPAL_EMODEL);
    assert_int_equal(sepal_model_from_memory(&again, ctx, more, n), SEPAL_OK);
    sepal_model_free(again);
    free(more);
    sepal_bytes_free(bytes);
    sepal_model_free(model);
    sepal_data_free(data);
}

static void a_fit_starts_from_a_model(void **state) {
    (void)state;
    sepal_data *data = draw(2), *other = NULL;
    sepal_model *start = must_fit("standardize | logistic(C=1)", data), *one = NULL, *same = NULL;
    const char *spec = "standardize | logistic(C=2)";
    assert_int_equal(sepal_model_save(ctx, start, "start.sepal"), SEPAL_OK);
    assert_int_equal(sepal_model_fit_from(&one, NULL, ctx, spec, data, "tol=1e-8", start),
                     SEPAL_OK);
    assert_int_equal(sepal_model_fit(&same, NULL, ctx, spec, data, "tol=1e-8, warm=start.sepal"),
                     SEPAL_OK);
    assert_same_model(one, same);
    sepal_model_free(one);
    sepal_model_free(same);
    assert_int_equal(sepal_model_fit_from(&one, NULL, ctx, spec, data, "warm=start.sepal", start),
                     SEPAL_EUSAGE);
    assert_int_equal(sepal_model_fit_from(&one, NULL, ctx, "lda", data, NULL, start), SEPAL_EUSAGE);
    assert_int_equal(sepal_model_fit_from(&one, NULL, ctx, "logistic", data, NULL, start),
                     SEPAL_EMODEL);
    other = draw(3);
    assert_int_equal(sepal_model_fit_from(&one, NULL, ctx, spec, other, NULL, start), SEPAL_EMODEL);
    assert_null(one);
    sepal_model_free(start);
    sepal_data_free(data);
    sepal_data_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_told_as_many_are),
        cmocka_unit_test(a_row_is_decided_by_the_models_rule),
        cmocka_unit_test(impossible_rows_are_refused),
        cmocka_unit_test(missing_values_of_sparse_models_are_refused),
        cmocka_unit_test(its_numbers_make_its_scores),
        cmocka_unit_test(it_says_what_it_is),
        cmocka_unit_test(bytes_are_those_of_the_file),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(a_fit_starts_from_a_model),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
