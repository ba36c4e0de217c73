/* The public interface used wrongly: numbers past the end, data of another model, unknown enum values,
   a context after an error. Each gives a status and a message, or the value that means "nothing"; none
   crashes. */
#include "unit/api_fixture.h"

/* An allocation that cannot be had fails, under the sanitizers too. */
SEPAL_API const char *__asan_default_options(void); /* NOLINT(bugprone-reserved-identifier) */
SEPAL_API const char *__tsan_default_options(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__asan_default_options(void) {          /* NOLINT(bugprone-reserved-identifier) */
    return "allocator_may_return_null=1";
}
const char *__tsan_default_options(void) { /* NOLINT(bugprone-reserved-identifier) */
    return "allocator_may_return_null=1";
}

/* ---- past the end ------------------------------------------------------------------------- */

static void what_is_past_the_end_is_refused(void **state) {
    (void)state;
    static const size_t past[] = {ROWS, ROWS + 1, SIZE_MAX / 2, SIZE_MAX};
    int32_t classes[ROWS];
    char *name = NULL;
    double number = 7;
    for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
        sepal_predictions out = {.size = sizeof out, .classes = classes};
        assert_int_equal(sepal_model_predict_rows(&out, ctx, model, data, past[i], 1, NULL),
                         SEPAL_EUSAGE);
        assert_non_null(strstr(sepal_ctx_error(ctx), "24 rows"));
        assert_int_equal(sepal_model_predict_rows(&out, ctx, model, data, 1, past[i], NULL),
                         SEPAL_EUSAGE);
        sepal_data_row(&number, data, past[i]);
        assert_true(number == 7);
        assert_null(sepal_data_label(data, past[i]));
        assert_string_equal(sepal_data_kept_row(data, past[i]), "");
        assert_null(sepal_model_class(model, past[i]));
        assert_string_equal(sepal_ctx_warning(ctx, past[i]).message, "");
        assert_int_equal(sepal_data_column_name(&name, ctx, data, past[i]), SEPAL_EUSAGE);
        assert_true(*sepal_ctx_error(ctx) && !name);
        assert_int_equal(sepal_model_output_name(&name, ctx, model, SEPAL_SCORES, past[i]),
                         SEPAL_EUSAGE);
        assert_true(*sepal_ctx_error(ctx) && !name);
        sepal_method method = {.size = sizeof method};
        sepal_param param = {.size = sizeof param};
        assert_false(sepal_method_at(SEPAL_LEARNER, past[i], &method) == SEPAL_OK);
        assert_false(sepal_method_at(SEPAL_FIT_OPTION, past[i], &method) == SEPAL_OK);
        assert_false(sepal_param_at(SEPAL_LEARNER, 0, past[i], &param) == SEPAL_OK);
        assert_false(sepal_param_at(SEPAL_LEARNER, past[i], 0, &param) == SEPAL_OK);
    }
    sepal_predictions none = {.size = sizeof none};
    assert_int_equal(sepal_model_predict_rows(&none, ctx, model, data, ROWS, 0, NULL), SEPAL_OK);
}

static void unknown_enum_values_are_refused(void **state) {
    (void)state;
    static const int values[] = {-1, SEPAL_CONTRIBUTIONS + 1, 99, 1 << 20};
    int32_t classes[ROWS];
    double numbers[ROWS * 3];
    char *name = NULL;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        sepal_output what = (sepal_output)values[i];
        for (int with = 0; with < 2; with++) {
            sepal_predictions out = {.size = sizeof out,
                                     .classes = classes,
                                     .numbers = with ? numbers : NULL,
                                     .what = what};
            sepal_status due = with ? SEPAL_EUSAGE : SEPAL_OK; /* it is of no matter without */
            assert_int_equal(sepal_model_predict_rows(&out, ctx, model, data, 0, 1, NULL), due);
            assert_true((*sepal_ctx_error(ctx) != '\0') == with);
        }
        assert_int_equal(sepal_model_outputs(model, what), 0);
        assert_int_equal(sepal_model_output_name(&name, ctx, model, what, 0), SEPAL_EUSAGE);
        assert_true(!name && *sepal_ctx_error(ctx));
        assert_int_equal(sepal_model_predict_check(ctx, model, &what, NULL), SEPAL_EUSAGE);
        assert_true(*sepal_ctx_error(ctx));
        sepal_method method = {.size = sizeof method};
        sepal_param param = {.size = sizeof param};
        sepal_kind kind = (sepal_kind)(values[i] + 20);
        assert_int_equal(sepal_method_count(kind), 0);
        assert_false(sepal_method_at(kind, 0, &method) == SEPAL_OK);
        assert_false(sepal_param_at(kind, 0, 0, &param) == SEPAL_OK);
    }
}

static void impossible_arrays_are_refused(void **state) {
    (void)state;
    static const struct {
        size_t rows, columns;
    } sizes[] = {{0, 1},        {SIZE_MAX, 1},     {SIZE_MAX, 0}, {SIZE_MAX / 2, 2},
                 {SIZE_MAX, 4}, {1, SIZE_MAX / 2}, {1, SIZE_MAX}, {1, (size_t)INT32_MAX + 1}};
    sepal_data *made = data;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        sepal_status status =
            sepal_data_dense(&made, ctx, x, sizes[i].rows, sizes[i].columns, NULL, NULL);
        assert_int_equal(status, SEPAL_EDATA);
        assert_true(!made && *sepal_ctx_error(ctx));
    }
    const char *holes[ROWS];
    memcpy(holes, labels, sizeof holes);
    holes[5] = NULL;
    assert_int_equal(sepal_data_dense(&made, ctx, x, ROWS, COLUMNS, holes, NULL), SEPAL_EDATA);
    assert_non_null(strstr(sepal_ctx_error(ctx), "row 6"));
    static const double odd[] = {-1, -INFINITY, INFINITY, NAN};
    for (size_t i = 0; i < 4; i++) {
        double weights[ROWS] = {1, odd[i]};
        assert_int_equal(sepal_data_dense(&made, ctx, x, ROWS, COLUMNS, labels, weights),
                         SEPAL_EDATA);
        assert_non_null(strstr(sepal_ctx_error(ctx), "row 2"));
        sepal_data *rest = data, *part = data;
        assert_int_equal(sepal_data_split(&rest, &part, ctx, data, odd[i]), SEPAL_EUSAGE);
        assert_true(!rest && !part && *sepal_ctx_error(ctx));
    }
    const double nothing[ROWS] = {0};
    assert_int_equal(sepal_data_dense(&made, ctx, x, ROWS, COLUMNS, labels, nothing), SEPAL_EDATA);
}

static void samples_beyond_memory_are_refused(void **state) {
    (void)state;
    sepal_model *normal = NULL;
    sepal_data *drawn = data;
    assert_int_equal(sepal_model_fit(&normal, NULL, ctx, "gaussian", data, NULL), SEPAL_OK);
    static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 8, (size_t)1 << 60};
    for (size_t i = 0; i < 3; i++) {
        sepal_status status = sepal_model_sample(&drawn, ctx, normal, counts[i], NULL);
        assert_true(status != SEPAL_OK && status != SEPAL_EINTERNAL);
        assert_true(!drawn && *sepal_ctx_error(ctx));
    }
    sepal_model_free(normal);
}

/* ---- data of another model ---------------------------------------------------------------- */

static void check_refused(const sepal_model *whose, const sepal_data *other, const char *words) {
    int32_t classes[ROWS];
    double numbers[ROWS * 3];
    sepal_predictions out = {.size = sizeof out, .classes = classes};
    sepal_report *report = NULL;
    const sepal_status all[] = {sepal_model_predict(classes, ctx, whose, other),
                                sepal_model_scores(numbers, ctx, whose, other),
                                sepal_model_predict_rows(&out, ctx, whose, other, 0, 1, NULL),
                                sepal_model_evaluate(&report, ctx, whose, other, NULL)};
    for (size_t i = 0; i < 4; i++) assert_int_equal(all[i], SEPAL_EDATA);
    assert_null(report);
    if (!strstr(sepal_ctx_error(ctx), words)) fail_msg("'%s'", sepal_ctx_error(ctx));
}

static sepal_data *read_rows(const char *path, const char *text) {
    sepal_data *made = NULL;
    write_file(path, text);
    if (sepal_data_read(&made, ctx, path, NULL) != SEPAL_OK)
        fail_msg("%s: %s", path, sepal_ctx_error(ctx));
    return made;
}

static void data_of_other_columns_is_refused(void **state) {
    (void)state;
    sepal_data *wide = NULL;
    assert_int_equal(sepal_data_dense(&wide, ctx, x, ROWS / 2, 2 * COLUMNS, labels, NULL),
                     SEPAL_OK);
    check_refused(model, wide, "4 columns, the model 2");
    sepal_data_free(wide);
    static const char *const others[][3] = {
        {"p,q,class\n1,2,a\n3,4,b\n2,0,a\n", "q,p,class\n1,2,a\n3,4,b\n", "column 1"},
        {"p,q,class\n1,2,a\n3,4,b\n2,0,a\n", "p,r,class\n1,2,a\n3,4,b\n", "'r'"},
        {"p,class\nred,a\nblue,b\nred,a\n", "p,class\n1,a\n2,b\n", "holds numbers"},
        {"1,red,a\n2,blue,b\n3,red,a\n", "red,1,a\ngreen,2,b\n", "holds text"},
        {"a 1:1 2:2\nb 1:3 2:1\na 1:2 2:2\n", "a 0:1 1:2\nb 0:3 1:1\n", "column 1"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        sepal_data *train = read_rows("train.txt", others[i][0]);
        sepal_data *other = read_rows("other.txt", others[i][1]);
        sepal_model *made = NULL;
        if (sepal_model_fit(&made, NULL, ctx, "least-squares", train, NULL) != SEPAL_OK)
            fail_msg("%zu: %s", i, sepal_ctx_error(ctx));
        check_refused(made, other, others[i][2]);
        int32_t classes[ROWS];
        sepal_data *again = read_rows("train.txt", others[i][0]); /* the same columns, read anew */
        assert_int_equal(sepal_model_predict(classes, ctx, made, again), SEPAL_OK);
        sepal_data_free(again);
        sepal_data_free(other);
        sepal_data_free(train);
        sepal_model_free(made);
    }
}

/* Columns of an array have numbers alone, which say nothing against any name. */
static void columns_without_names_are_matched_by_number(void **state) {
    (void)state;
    int32_t classes[ROWS];
    sepal_data *named = read_rows("named.txt", "p,q,class\n1,2,a\n3,4,b\n2,0,a\n");
    sepal_model *of_named = NULL;
    assert_int_equal(sepal_model_fit(&of_named, NULL, ctx, "least-squares", named, NULL), SEPAL_OK);
    assert_int_equal(sepal_model_predict(classes, ctx, model, named), SEPAL_OK);
    assert_int_equal(sepal_model_predict(classes, ctx, of_named, data), SEPAL_OK);
    sepal_model_free(of_named);
    sepal_data_free(named);
}

/* The labels of an array are numbered among themselves; to the model they are the classes of the same
   names, whichever of them there are. */
static void labels_mean_what_they_say(void **state) {
    (void)state;
    int32_t decided[ROWS];
    assert_int_equal(sepal_model_predict(decided, ctx, model, data), SEPAL_OK);
    for (size_t kept = 1; kept < 16; kept++) { /* which of a, b, c and the stranger d */
        double rows[ROWS * COLUMNS], right = 0;
        const char *names[ROWS];
        size_t n = 0;
        for (size_t i = 0; i < ROWS; i++) {
            bool stranger = i % 5 == 0;
            if (!(kept >> (stranger ? 3 : i % 3) & 1)) continue;
            memcpy(rows + n * COLUMNS, x + i * COLUMNS, COLUMNS * sizeof *x);
            names[n++] = stranger ? "d" : labels[i];
            right += !stranger && decided[i] == (int32_t)(i % 3);
        }
        sepal_data *other = NULL;
        sepal_report *report = NULL;
        assert_int_equal(sepal_data_dense(&other, ctx, rows, n, COLUMNS, names, NULL), SEPAL_OK);
        if (sepal_model_evaluate(&report, ctx, model, other, NULL) != SEPAL_OK)
            fail_msg("%zu: %s", kept, sepal_ctx_error(ctx));
        assert_true(fabs(sepal_report_number(report, "accuracy") - right / (double)n) < 1e-15);
        sepal_report_free(report);
        sepal_data_free(other);
    }
}

static void data_without_labels_teaches_nothing(void **state) {
    (void)state;
    sepal_data *bare = NULL;
    sepal_model *made = model;
    sepal_report *report = NULL;
    char *certificate = NULL;
    assert_int_equal(sepal_data_dense(&bare, ctx, x, ROWS, COLUMNS, NULL, NULL), SEPAL_OK);
    sepal_method learner = {.size = sizeof learner};
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &learner) == SEPAL_OK; i++) {
        assert_int_equal(sepal_model_fit(&made, &report, ctx, learner.name, bare, NULL),
                         SEPAL_EDATA);
        assert_true(!made && !report && *sepal_ctx_error(ctx));
    }
    assert_int_equal(sepal_model_evaluate(&report, ctx, model, bare, NULL), SEPAL_EDATA);
    assert_true(!report && *sepal_ctx_error(ctx));
    assert_int_equal(sepal_data_separable(&report, &certificate, ctx, bare, NULL, NULL),
                     SEPAL_EDATA);
    assert_true(!report && !certificate && *sepal_ctx_error(ctx));
    const char *alike[ROWS];
    sepal_data *one = NULL;
    for (size_t i = 0; i < ROWS; i++) alike[i] = "a";
    assert_int_equal(sepal_data_dense(&one, ctx, x, ROWS, COLUMNS, alike, NULL), SEPAL_OK);
    assert_int_equal(sepal_data_separable(&report, &certificate, ctx, one, NULL, NULL),
                     SEPAL_EDATA);
    assert_non_null(strstr(sepal_ctx_error(ctx), "every row has the label 'a'"));
    assert_true(!report && !certificate);
    sepal_data_free(one);
    assert_int_equal(sepal_data_separable(&report, &certificate, ctx, data, NULL, NULL), SEPAL_OK);
    write_file("certificate.json", certificate);
    sepal_text_free(certificate);
    sepal_report_free(report);
    assert_int_equal(sepal_data_separable_check(ctx, bare, NULL, "certificate.json"), SEPAL_EDATA);
    assert_true(*sepal_ctx_error(ctx));
    sepal_data *rest = NULL, *part = NULL;
    sepal_status status = sepal_data_split(&rest, &part, ctx, bare, 0.5);
    assert_true(status == SEPAL_OK || *sepal_ctx_error(ctx));
    sepal_data_free(rest);
    sepal_data_free(part);
    sepal_data_free(bare);
}

/* ---- lives that end in another order -------------------------------------------------------- */

/* Data, models and reports serve contexts other than the one that made them, which may be gone. */
static void contexts_may_go_first(void **state) {
    (void)state;
    sepal_ctx *maker = NULL;
    sepal_data *rows = NULL;
    sepal_model *made = NULL;
    sepal_report *report = NULL;
    assert_int_equal(sepal_ctx_new(&maker), SEPAL_OK);
    assert_int_equal(sepal_data_dense(&rows, maker, x, ROWS, COLUMNS, labels, NULL), SEPAL_OK);
    assert_int_equal(sepal_model_fit(&made, &report, maker, "standardize | logistic", rows, NULL),
                     SEPAL_OK);
    sepal_ctx_free(maker);
    sepal_data_free(rows);
    int32_t decided[ROWS];
    char *text = NULL;
    sepal_report *judged = NULL;
    assert_int_equal(sepal_model_predict(decided, ctx, made, data), SEPAL_OK);
    assert_int_equal(sepal_model_evaluate(&judged, ctx, made, data, NULL), SEPAL_OK);
    assert_int_equal(sepal_report_attach(report, ctx, "test", judged), SEPAL_OK);
    sepal_report_free(judged);
    assert_int_equal(sepal_report_text(&text, ctx, report), SEPAL_OK);
    assert_true(isfinite(sepal_report_number(report, "test.accuracy")));
    sepal_text_free(text);
    sepal_report_free(report);
    sepal_model_free(made);
}

static void a_report_may_hold_itself(void **state) {
    (void)state;
    sepal_report *report = some_report();
    for (int i = 0; i < 3; i++)
        assert_int_equal(sepal_report_attach(report, ctx, "self", report), SEPAL_OK);
    assert_true(sepal_report_number(report, "self.self.self.rows") == ROWS);
    assert_true(isnan(sepal_report_number(report, "self.self.self.self.rows")));
    static const char *const paths[] = {"", ".", "..", "rows.", ".rows", "rows.rows", "self.."};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_true(isnan(sepal_report_number(report, paths[i])));
        assert_null(sepal_report_string(report, paths[i]));
    }
    sepal_report_free(report);
}

static void a_file_is_committed_once(void **state) {
    (void)state;
    sepal_staged *staged = NULL;
    assert_int_equal(sepal_model_stage(&staged, ctx, model, "once.sepal"), SEPAL_OK);
    assert_int_equal(sepal_staged_commit(ctx, staged), SEPAL_OK);
    assert_int_equal(sepal_staged_commit(ctx, staged), SEPAL_EUSAGE);
    assert_non_null(strstr(sepal_ctx_error(ctx), "committed before"));
    sepal_staged_free(staged);
    sepal_model *loaded = NULL;
    assert_int_equal(sepal_model_load(&loaded, ctx, "once.sepal"), SEPAL_OK);
    sepal_model_free(loaded);
}

/* After any error the context does what it did before, to the bit. */
static void errors_leave_no_trace(void **state) {
    (void)state;
    double before[ROWS * 3], after[ROWS * 3];
    assert_int_equal(sepal_model_scores(before, ctx, model, data), SEPAL_OK);
    sepal_model *made = NULL;
    sepal_data *rows = NULL;
    for (int error = 0; error < 6; error++) {
        sepal_status status = SEPAL_OK;
        switch (error) {
        case 0: status = sepal_model_fit(&made, NULL, ctx, "banana", data, NULL); break;
        case 1: status = sepal_model_fit(&made, NULL, ctx, "lda", data, "solver=banana"); break;
        case 2: status = sepal_data_read(&rows, ctx, "not-there.csv", NULL); break;
        case 3: status = sepal_model_load(&made, ctx, "rows.csv"); break;
        case 4: status = sepal_model_save(ctx, model, "no/such/folder/m.sepal"); break;
        default: status = sepal_data_write(ctx, data, "", "csv"); break;
        }
        assert_int_not_equal(status, SEPAL_OK);
        assert_int_not_equal(status, SEPAL_EINTERNAL);
        assert_true(*sepal_ctx_error(ctx) && !made && !rows);
        assert_int_equal(sepal_model_fit(&made, NULL, ctx, "lda", data, NULL), SEPAL_OK);
        assert_string_equal(sepal_ctx_error(ctx), "");
        assert_string_equal(sepal_ctx_error_place(ctx).file, "");
        assert_int_equal(sepal_model_scores(after, ctx, made, data), SEPAL_OK);
        assert_memory_equal(before, after, sizeof before);
        sepal_model_free(made);
        made = NULL;
    }
}

/* A size that was forgotten, one of an older header than any, and fields of a newer one. */
static void structs_tell_their_size(void **state) {
    (void)state;
    struct {
        sepal_predictions known;
        char more[16];
    } newer = {.known.size = sizeof newer};
    int32_t classes[ROWS];
    newer.known.classes = classes;
    for (size_t size = 0; size < offsetof(sepal_predictions, labels); size += 4) {
        sepal_predictions out = {.size = size, .classes = classes};
        sepal_method method = {.size = size < offsetof(sepal_method, needs) ? size : 0};
        sepal_param param = {.size = size < offsetof(sepal_param, many) ? size : 0};
        assert_int_equal(sepal_model_predict_rows(&out, ctx, model, data, 0, 1, NULL),
                         SEPAL_EUSAGE);
        assert_non_null(strstr(sepal_ctx_error(ctx), "sizeof"));
        assert_int_equal(sepal_method_at(SEPAL_LEARNER, 0, &method), SEPAL_EUSAGE);
        assert_int_equal(sepal_param_at(SEPAL_LEARNER, 0, 0, &param), SEPAL_EUSAGE);
        assert_true(!method.name && !param.name);
    }
    assert_int_equal(sepal_model_predict_rows(&newer.known, ctx, model, data, 0, 1, NULL),
                     SEPAL_OK);
    newer.more[3] = 1;
    assert_int_equal(sepal_model_predict_rows(&newer.known, ctx, model, data, 0, 1, NULL),
                     SEPAL_EUSAGE);
}

static void the_header_and_the_library_are_of_one_version(void **state) {
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", SEPAL_VERSION_NUMBER / 10000,
             SEPAL_VERSION_NUMBER / 100 % 100, SEPAL_VERSION_NUMBER % 100);
    assert_string_equal(sepal_version(), SEPAL_VERSION);
    assert_string_equal(sepal_version(), text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_past_the_end_is_refused),
        cmocka_unit_test(unknown_enum_values_are_refused),
        cmocka_unit_test(impossible_arrays_are_refused),
        cmocka_unit_test(samples_beyond_memory_are_refused),
        cmocka_unit_test(data_of_other_columns_is_refused),
        cmocka_unit_test(columns_without_names_are_matched_by_number),
        cmocka_unit_test(labels_mean_what_they_say),
        cmocka_unit_test(data_without_labels_teaches_nothing),
        cmocka_unit_test(contexts_may_go_first),
        cmocka_unit_test(a_report_may_hold_itself),
        cmocka_unit_test(a_file_is_committed_once),
        cmocka_unit_test(errors_leave_no_trace),
        cmocka_unit_test(structs_tell_their_size),
        cmocka_unit_test(the_header_and_the_library_are_of_one_version),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
