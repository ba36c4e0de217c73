/* NULL for every pointer of every function of the public interface: a status and a message that names
   the argument, or, where NULL is allowed, what was asked for; where there is no status, nothing. */
#include "unit/api_fixture.h"

/* ---- NULL for one argument after the other -------------------------------------------------- */

/* Each function calls the one it is named after with good arguments, but NULL for number `omit`. */
#define ARG(number, value) (omit == (number) ? NULL : (value))

static sepal_status call_data_read(int omit) {
    sepal_data *made = NULL;
    sepal_status status =
        sepal_data_read(ARG(1, &made), ARG(2, ctx), ARG(3, "rows.csv"), ARG(4, "target=class"));
    sepal_data_free(made);
    return status;
}

static sepal_status call_data_read_for(int omit) {
    sepal_data *made = NULL;
    sepal_status status = sepal_data_read_for(ARG(1, &made), ARG(2, ctx), ARG(3, model),
                                              ARG(4, "for.csv"), ARG(5, "header=yes"), 1);
    sepal_data_free(made);
    return status;
}

static sepal_status call_data_dense(int omit) {
    double weights[ROWS];
    sepal_data *made = NULL;
    for (size_t i = 0; i < ROWS; i++) weights[i] = 1;
    sepal_status status = sepal_data_dense(ARG(1, &made), ARG(2, ctx), ARG(3, x), ROWS, COLUMNS,
                                           ARG(4, labels), ARG(5, weights));
    sepal_data_free(made);
    return status;
}

static sepal_status call_data_split(int omit) {
    sepal_data *rest = NULL, *part = NULL;
    sepal_status status =
        sepal_data_split(ARG(1, &rest), ARG(2, &part), ARG(3, ctx), ARG(4, data), 0.5);
    sepal_data_free(rest);
    sepal_data_free(part);
    return status;
}

static sepal_status call_data_write(int omit) {
    return sepal_data_write(ARG(1, ctx), ARG(2, data), ARG(3, "out.csv"), ARG(4, "csv"));
}

static sepal_status call_data_labels_path(int omit) {
    char *path = NULL;
    sepal_status status = sepal_data_labels_path(ARG(1, &path), ARG(2, ctx), ARG(3, data),
                                                 ARG(4, "out.npy"), ARG(5, "npy"));
    sepal_text_free(path);
    return status;
}

static sepal_status call_data_sibling(int omit) {
    char *path = NULL;
    sepal_status status = sepal_data_sibling(ARG(1, &path), ARG(2, ctx), ARG(3, "rows.csv"));
    sepal_text_free(path);
    return status;
}

static sepal_status call_data_describe(int omit) {
    sepal_report *report = NULL;
    sepal_status status = sepal_data_describe(ARG(1, &report), ARG(2, ctx), ARG(3, data));
    sepal_report_free(report);
    return status;
}

static sepal_status call_data_doctor(int omit) {
    sepal_report *report = NULL;
    sepal_status status =
        sepal_data_doctor(ARG(1, &report), ARG(2, ctx), ARG(3, data), ARG(4, "logistic"));
    sepal_report_free(report);
    return status;
}

static sepal_status call_file_doctor(int omit) {
    sepal_report *report = NULL;
    sepal_status status = sepal_file_doctor(ARG(1, &report), ARG(2, ctx), ARG(3, "rows.csv"),
                                            ARG(4, "header=yes"), ARG(5, "logistic"));
    sepal_report_free(report);
    return status;
}

static sepal_status call_file_split(int omit) {
    sepal_report *report = NULL;
    sepal_status status =
        sepal_file_split(ARG(1, &report), ARG(2, ctx), ARG(3, "rows.csv"), ARG(4, "header=yes"),
                         ARG(5, "test=0.5"), ARG(6, "train.csv"), ARG(7, "test.csv"));
    sepal_report_free(report);
    return status;
}

static sepal_status call_file_describe(int omit) {
    sepal_report *report = NULL;
    sepal_status status =
        sepal_file_describe(ARG(1, &report), ARG(2, ctx), ARG(3, "rows.csv"), ARG(4, "header=yes"));
    sepal_report_free(report);
    return status;
}

static sepal_status call_data_column_name(int omit) {
    char *name = NULL;
    sepal_status status = sepal_data_column_name(ARG(1, &name), ARG(2, ctx), ARG(3, data), 1);
    sepal_text_free(name);
    return status;
}

static sepal_status call_fit(int omit) {
    sepal_model *made = NULL;
    sepal_report *report = NULL;
    sepal_status status = sepal_model_fit(ARG(1, &made), ARG(2, &report), ARG(3, ctx),
                                          ARG(4, "lda"), ARG(5, data), ARG(6, "tol=1e-3"));
    sepal_model_free(made);
    sepal_report_free(report);
    return status;
}

static sepal_status call_fit_check(int omit) {
    return sepal_model_fit_check(ARG(1, ctx), ARG(2, "lda"), ARG(3, "tol=1e-3"));
}

static sepal_status call_fit_check_target(int omit) {
    return sepal_data_check_target(ARG(1, ctx), ARG(2, data));
}

static sepal_status call_model_save(int omit) {
    return sepal_model_save(ARG(1, ctx), ARG(2, model), ARG(3, "saved.sepal"));
}

static sepal_status call_model_stage(int omit) {
    sepal_staged *staged = NULL;
    sepal_status status =
        sepal_model_stage(ARG(1, &staged), ARG(2, ctx), ARG(3, model), ARG(4, "saved.sepal"));
    sepal_staged_free(staged);
    return status;
}

static sepal_status call_staged_commit(int omit) {
    sepal_staged *staged = NULL;
    assert_int_equal(sepal_model_stage(&staged, ctx, model, "saved.sepal"), SEPAL_OK);
    sepal_status status = sepal_staged_commit(ARG(1, ctx), ARG(2, staged));
    sepal_staged_free(staged);
    return status;
}

static sepal_status call_model_load(int omit) {
    sepal_model *made = NULL;
    sepal_status status = sepal_model_load(ARG(1, &made), ARG(2, ctx), ARG(3, "misuse.sepal"));
    sepal_model_free(made);
    return status;
}

static sepal_status call_model_inspect(int omit) {
    sepal_report *report = NULL;
    sepal_status status = sepal_model_inspect(ARG(1, &report), ARG(2, ctx), ARG(3, model));
    sepal_report_free(report);
    return status;
}

static sepal_status call_model_summary(int omit) {
    sepal_report *report = NULL;
    sepal_status status = sepal_model_summary(ARG(1, &report), ARG(2, ctx), ARG(3, model));
    sepal_report_free(report);
    return status;
}

static sepal_status call_model_output_name(int omit) {
    char *name = NULL;
    sepal_status status =
        sepal_model_output_name(ARG(1, &name), ARG(2, ctx), ARG(3, model), SEPAL_SCORES, 2);
    sepal_text_free(name);
    return status;
}

static sepal_status call_predict(int omit) {
    int32_t out[ROWS];
    return sepal_model_predict(ARG(1, out), ARG(2, ctx), ARG(3, model), ARG(4, data));
}

static sepal_status call_scores(int omit) {
    double out[ROWS * 3];
    return sepal_model_scores(ARG(1, out), ARG(2, ctx), ARG(3, model), ARG(4, data));
}

static sepal_status call_answer(int omit) {
    double numbers[ROWS * 3];
    int32_t classes[ROWS];
    sepal_predictions out = {.size = sizeof out,
                             .classes = ARG(6, classes),
                             .numbers = ARG(7, numbers),
                             .what = SEPAL_PROBABILITIES};
    return sepal_model_predict_rows(ARG(1, &out), ARG(2, ctx), ARG(3, model), ARG(4, data), 0, ROWS,
                                    ARG(5, "decide=soft"));
}

static sepal_status call_answer_check(int omit) {
    sepal_output what = SEPAL_PROBABILITIES;
    return sepal_model_predict_check(ARG(1, ctx), ARG(2, model), ARG(3, &what),
                                     ARG(4, "decide=soft"));
}

static sepal_status call_evaluate(int omit) {
    sepal_report *report = NULL;
    sepal_status status = sepal_model_evaluate(ARG(1, &report), ARG(2, ctx), ARG(3, model),
                                               ARG(4, data), ARG(5, "decide=hard"));
    sepal_report_free(report);
    return status;
}

static sepal_status call_page(int omit) {
    sepal_report *report = NULL;
    char *page = NULL;
    assert_int_equal(sepal_model_evaluate(&report, ctx, model, data, NULL), SEPAL_OK);
    sepal_status status =
        sepal_page(ARG(1, &page), ARG(2, ctx), ARG(3, model), ARG(4, data), ARG(5, report),
                   ARG(6, report), ARG(7, "decide=hard"), ARG(8, "sepal report"));
    sepal_report_free(report);
    sepal_text_free(page);
    return status;
}

static sepal_status call_sample(int omit) {
    sepal_data *drawn = NULL;
    sepal_model *made = NULL;
    assert_int_equal(sepal_model_fit(&made, NULL, ctx, "gaussian", data, NULL), SEPAL_OK);
    sepal_status status =
        sepal_model_sample(ARG(1, &drawn), ARG(2, ctx), ARG(3, made), 3, ARG(4, "class=a"));
    sepal_data_free(drawn);
    sepal_model_free(made);
    return status;
}

static sepal_status call_separable(int omit) {
    sepal_report *report = NULL;
    char *certificate = NULL;
    sepal_status status =
        sepal_data_separable(ARG(1, &report), ARG(2, &certificate), ARG(3, ctx), ARG(4, data),
                             ARG(5, "identity"), ARG(6, "max-seconds=9"));
    if (omit == 0) write_file("certificate.json", certificate);
    sepal_report_free(report);
    sepal_text_free(certificate);
    return status;
}

static sepal_status call_separable_check(int omit) {
    return sepal_data_separable_check(ARG(1, ctx), ARG(2, data), ARG(3, "identity"),
                                      ARG(4, "certificate.json"));
}

static sepal_status call_report_attach(int omit) {
    sepal_report *report = some_report(), *part = some_report();
    sepal_status status =
        sepal_report_attach(ARG(1, report), ARG(2, ctx), ARG(3, "part"), ARG(4, part));
    sepal_report_free(report);
    sepal_report_free(part);
    return status;
}

static sepal_status call_report_json(int omit) {
    sepal_report *report = some_report();
    char *text = NULL;
    sepal_status status =
        sepal_report_json(ARG(1, &text), ARG(2, ctx), ARG(3, report), ARG(4, "describe"));
    sepal_text_free(text);
    sepal_report_free(report);
    return status;
}

static sepal_status call_report_text(int omit) {
    sepal_report *report = some_report();
    char *text = NULL;
    sepal_status status = sepal_report_text(ARG(1, &text), ARG(2, ctx), ARG(3, report));
    sepal_text_free(text);
    sepal_report_free(report);
    return status;
}

/* The error that it prints is the one before. */
static sepal_status call_error_json(int omit) {
    char *text = NULL;
    assert_int_equal(sepal_model_fit_check(ctx, "banana", NULL), SEPAL_EUSAGE);
    sepal_status status = sepal_ctx_error_json(ARG(1, &text), ARG(2, ctx), ARG(3, "train"), 2);
    assert_non_null(strstr(sepal_ctx_error(ctx), "banana"));
    sepal_text_free(text);
    return status;
}

static sepal_status call_data_from(int omit) {
    sepal_data *made = NULL;
    sepal_input in = {.size = sizeof in, .rows = ROWS, .columns = COLUMNS, .values = x};
    sepal_status status = sepal_data_from(ARG(1, &made), ARG(2, ctx), ARG(3, &in));
    sepal_data_free(made);
    return status;
}

static sepal_status call_fit_from(int omit) {
    sepal_model *start = NULL, *made = NULL;
    sepal_report *report = NULL;
    assert_int_equal(sepal_model_fit(&start, NULL, ctx, "logistic", data, NULL), SEPAL_OK);
    sepal_status status =
        sepal_model_fit_from(ARG(1, &made), ARG(2, &report), ARG(3, ctx), ARG(4, "logistic"),
                             ARG(5, data), ARG(6, "tol=0.1"), ARG(7, start));
    sepal_model_free(start);
    sepal_model_free(made);
    sepal_report_free(report);
    return status;
}

static sepal_status call_select(int omit) {
    static const char *const specs[] = {"logistic"};
    sepal_model *made = NULL;
    sepal_report *report = NULL;
    sepal_status status =
        sepal_select(ARG(1, &made), ARG(2, &report), ARG(3, ctx), ARG(4, "path"), ARG(5, specs), 1,
                     ARG(6, data), ARG(7, "folds=2, path-length=2"), ARG(8, "tol=0.1"));
    sepal_model_free(made);
    sepal_report_free(report);
    return status;
}

static sepal_status call_to_memory(int omit) {
    void *bytes = NULL;
    size_t n;
    sepal_status status =
        sepal_model_to_memory(ARG(1, &bytes), ARG(2, &n), ARG(3, ctx), ARG(4, model));
    sepal_bytes_free(bytes);
    return status;
}

static sepal_status call_plot(int omit) {
    void *bytes = NULL;
    size_t n;
    sepal_status status = sepal_plot(ARG(1, &bytes), ARG(2, &n), ARG(3, ctx), ARG(4, "regions"),
                                     ARG(5, model), ARG(6, data), ARG(7, NULL), ARG(8, "to=term"));
    sepal_bytes_free(bytes);
    return status;
}

static sepal_status call_report_read(int omit) {
    sepal_report *report = NULL;
    write_file("report.json", "{\"schema\": 1}");
    sepal_status status = sepal_report_read(ARG(1, &report), ARG(2, ctx), ARG(3, "report.json"));
    sepal_report_free(report);
    return status;
}

static sepal_status call_from_memory(int omit) {
    void *bytes = NULL;
    size_t n;
    sepal_model *made = NULL;
    assert_int_equal(sepal_model_to_memory(&bytes, &n, ctx, model), SEPAL_OK);
    sepal_status status = sepal_model_from_memory(ARG(1, &made), ARG(2, ctx), ARG(3, bytes), n);
    sepal_bytes_free(bytes);
    sepal_model_free(made);
    return status;
}

static sepal_status call_feature_name(int omit) {
    char *name = NULL;
    sepal_status status = sepal_model_feature_name(ARG(1, &name), ARG(2, ctx), ARG(3, model), 0);
    sepal_text_free(name);
    return status;
}

static sepal_status call_coefficients(int omit) {
    double weights[3 * COLUMNS], bias[3];
    return sepal_model_coefficients(ARG(1, weights), ARG(2, bias), ARG(3, ctx), ARG(4, model));
}

static sepal_status call_predict_row(int omit) {
    int32_t class;
    double scores[3];
    return sepal_model_predict_row(ARG(1, &class), ARG(2, scores), ARG(3, model), ARG(4, x),
                                   COLUMNS);
}

static sepal_status call_predict_sparse_row(int omit) {
    int32_t class, index[COLUMNS] = {0, 1};
    double scores[3];
    return sepal_model_predict_entries(ARG(1, &class), ARG(2, scores), ARG(3, model), ARG(4, index),
                                       ARG(5, x), COLUMNS);
}

static sepal_status call_ctx_new(int omit) {
    sepal_ctx *made = NULL;
    sepal_status status = sepal_ctx_new(ARG(1, &made));
    sepal_ctx_free(made);
    return status;
}

/* `arguments`: a letter for each, r where there must be one, c for the context, o where NULL is
   allowed; "x" where nothing tells which one it was. */
static const struct call {
    const char *name;
    sepal_status (*call)(int omit);
    const char *arguments;
} calls[] = {
    {"sepal_ctx_new", call_ctx_new, "x"},
    {"sepal_data_read", call_data_read, "rcro"},
    {"sepal_data_read_for", call_data_read_for, "rcrro"},
    {"sepal_data_dense", call_data_dense, "rcroo"},
    {"sepal_data_from", call_data_from, "rcr"},
    {"sepal_model_fit_from", call_fit_from, "rocrror"},
    {"sepal_select", call_select, "oocrrooo"},
    {"sepal_model_to_memory", call_to_memory, "rrcr"},
    {"sepal_model_from_memory", call_from_memory, "rcr"},
    {"sepal_model_feature_name", call_feature_name, "rcr"},
    {"sepal_model_coefficients", call_coefficients, "rrcr"},
    {"sepal_model_predict_row", call_predict_row, "ooxx"},
    {"sepal_model_predict_entries", call_predict_sparse_row, "ooxxx"},
    {"sepal_data_split", call_data_split, "rrcr"},
    {"sepal_data_write", call_data_write, "crro"},
    {"sepal_data_labels_path", call_data_labels_path, "rcrro"},
    {"sepal_data_sibling", call_data_sibling, "rcr"},
    {"sepal_data_describe", call_data_describe, "rcr"},
    {"sepal_file_describe", call_file_describe, "rcro"},
    {"sepal_data_doctor", call_data_doctor, "rcro"},
    {"sepal_file_doctor", call_file_doctor, "rcroo"},
    {"sepal_file_split", call_file_split, "ocroorr"},
    {"sepal_data_column_name", call_data_column_name, "rcr"},
    {"sepal_model_fit", call_fit, "rocrro"},
    {"sepal_model_fit_check", call_fit_check, "cro"},
    {"sepal_data_check_target", call_fit_check_target, "cr"},
    {"sepal_model_save", call_model_save, "crr"},
    {"sepal_model_stage", call_model_stage, "rcrr"},
    {"sepal_staged_commit", call_staged_commit, "cr"},
    {"sepal_model_load", call_model_load, "rcr"},
    {"sepal_model_inspect", call_model_inspect, "rcr"},
    {"sepal_model_summary", call_model_summary, "rcr"},
    {"sepal_model_output_name", call_model_output_name, "rcr"},
    {"sepal_model_predict", call_predict, "rcrr"},
    {"sepal_model_scores", call_scores, "rcrr"},
    {"sepal_model_predict_rows", call_answer, "rcrrooo"},
    {"sepal_model_predict_check", call_answer_check, "croo"},
    {"sepal_model_evaluate", call_evaluate, "rcrro"},
    {"sepal_page", call_page, "rcrrrooo"},
    {"sepal_model_sample", call_sample, "rcro"},
    {"sepal_data_separable", call_separable, "rocroo"},
    {"sepal_data_separable_check", call_separable_check, "cror"},
    {"sepal_report_attach", call_report_attach, "rcrr"},
    {"sepal_report_json", call_report_json, "rcrr"},
    {"sepal_report_text", call_report_text, "rcr"},
    {"sepal_ctx_error_json", call_error_json, "xcx"},
    {"sepal_report_read", call_report_read, "rcr"},
    {"sepal_plot", call_plot, "rrcrxxoo"},
};
enum { CALLS = sizeof calls / sizeof *calls };

static void null_is_refused_with_its_name(void **state) {
    (void)state;
    write_file("for.csv", "x1,x2,y\n1,2,a\n3,4,b\n");
    for (size_t i = 0; i < CALLS; i++) {
        const struct call *one = &calls[i];
        if (one->call(0) != SEPAL_OK) fail_msg("%s: %s", one->name, sepal_ctx_error(ctx));
        for (int omit = 1; one->arguments[omit - 1]; omit++) {
            char kind = one->arguments[omit - 1];
            sepal_status status = one->call(omit);
            if (status != (kind == 'o' ? SEPAL_OK : SEPAL_EUSAGE))
                fail_msg("%s without argument %d: %d, %s", one->name, omit, status,
                         sepal_ctx_error(ctx));
            if (kind == 'r' &&
                (!strstr(sepal_ctx_error(ctx), one->name) || !strstr(sepal_ctx_error(ctx), "NULL")))
                fail_msg("%s without argument %d says '%s'", one->name, omit, sepal_ctx_error(ctx));
        }
        if (one->call(0) != SEPAL_OK) fail_msg("%s, again: %s", one->name, sepal_ctx_error(ctx));
    }
    assert_true(*sepal_ctx_error(NULL));
    assert_true(*sepal_ctx_error_message(NULL));
}

/* What cannot fail answers with nothing. */
static void nothing_comes_of_nothing(void **state) {
    (void)state;
    double number = 7;
    sepal_ctx_free(NULL);
    sepal_data_free(NULL);
    sepal_model_free(NULL);
    sepal_staged_free(NULL);
    sepal_report_free(NULL);
    sepal_report_set_top(NULL, 3);
    sepal_text_free(NULL);
    sepal_ctx_clear_warnings(NULL);
    sepal_ctx_set_seed(NULL, 1);
    sepal_ctx_set_threads(NULL, 1);
    sepal_ctx_set_option_prefix(NULL, "--");
    assert_int_equal(sepal_learner_has_solver(0, NULL), 0);
    assert_null(sepal_method_synonym(NULL));
    assert_null(sepal_method_synonym("banana"));
    assert_string_equal(sepal_method_synonym("LogReg"), "logistic");
    assert_null(sepal_param_synonym(NULL, NULL, 0));
    assert_null(sepal_param_synonym("alpha", NULL, 3));
    assert_int_equal(sepal_learner_has_solver(SIZE_MAX, "qr"), 0);
    sepal_ctx_set_progress(NULL, NULL, NULL);
    sepal_ctx_set_trace(NULL, NULL, NULL);
    sepal_data_row(&number, NULL, 0);
    sepal_data_row(NULL, data, 0);
    assert_true(number == 7);
    assert_string_equal(sepal_ctx_error_place(NULL).file, "");
    assert_int_equal(sepal_ctx_warning_count(NULL), 0);
    assert_string_equal(sepal_ctx_warning(NULL, 0).code, "");
    assert_int_equal(sepal_ctx_threads(NULL), 0);
    assert_string_equal(sepal_ctx_kernels(NULL), "");
    assert_string_equal(sepal_ctx_blas(NULL), "");
    assert_int_equal(sepal_ctx_blas_is_slow(NULL), 0);
    assert_true(*sepal_version());
    assert_int_equal(sepal_data_rows(NULL), 0);
    assert_int_equal(sepal_data_columns(NULL), 0);
    assert_null(sepal_data_label(NULL, 0));
    assert_int_equal(sepal_data_label_count(NULL, 0), 0);
    assert_null(sepal_data_label_at(NULL, 0, 0));
    assert_int_equal(sepal_model_label_sets(NULL), 0);
    assert_string_equal(sepal_data_kept_header(NULL), "");
    assert_string_equal(sepal_data_kept_row(NULL, 0), "");
    sepal_bytes_free(NULL);
    assert_string_equal(sepal_model_spec(NULL), "");
    assert_string_equal(sepal_model_learner(NULL), "");
    assert_string_equal(sepal_model_missing(NULL), "");
    assert_int_equal(sepal_model_features(NULL), 0);
    assert_int_equal(sepal_model_functions(NULL), 0);
    assert_int_equal(sepal_model_columns(NULL), 0);
    assert_int_equal(sepal_model_categories(NULL, 0), 0);
    assert_null(sepal_model_category(NULL, 0, 0));
    assert_null(sepal_model_weights(NULL));
    assert_null(sepal_model_bias(NULL));
    assert_null(sepal_model_centre(NULL));
    assert_int_equal(sepal_model_classes(NULL), 0);
    assert_null(sepal_model_class(NULL, 0));
    assert_int_equal(sepal_model_outputs(NULL, SEPAL_SCORES), 0);
    assert_int_equal(sepal_model_outputs(NULL, SEPAL_SCORES), 0);
    assert_int_equal(sepal_model_transforms(NULL), 0);
    assert_true(isnan(sepal_report_number(NULL, "rows")));
    assert_null(sepal_report_string(NULL, "spec"));
    sepal_report *report = some_report();
    assert_true(isnan(sepal_report_number(report, NULL)));
    assert_null(sepal_report_string(report, NULL));
    sepal_report_free(report);
    assert_int_equal(sepal_number_print(NULL, 1), 0);
    assert_false(sepal_method_at(SEPAL_LEARNER, 0, NULL) == SEPAL_OK);
    assert_false(sepal_param_at(SEPAL_LEARNER, 0, 0, NULL) == SEPAL_OK);
    assert_true(sepal_method_count(SEPAL_LEARNER) > 0);
}

/* Every function of the header is named in this file, and so is tested the day it lands. */
static char *text_of(const char *folder, const char *name) {
    char path[4096], *text = malloc(1 << 17);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_true(file && text);
    text[fread(text, 1, (1 << 17) - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

static void every_function_is_called(void **state) {
    (void)state;
    const char *source = getenv("SEPAL_SOURCE");
    if (!source) skip();
    char *header = text_of(source, "include/sepal/sepal.h");
    char *tests = text_of(source, "tests/unit/test_api_null.c");
    size_t n = 0;
    for (char *at = header; (at = strstr(at, "\nSEPAL_API ")); n++) {
        char name[80] = "";
        char *paren = strchr(at + 1, '('), *begin = paren;
        while (strchr(" *\n", begin[-1]) == NULL) begin--;
        snprintf(name, sizeof name, "%.*s(", (int)(paren - begin), begin);
        if (!strstr(tests, name)) fail_msg("%s) is not misused", name);
        at = paren;
    }
    assert_true(n > 50);
    free(header);
    free(tests);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_refused_with_its_name),
        cmocka_unit_test(nothing_comes_of_nothing),
        cmocka_unit_test(every_function_is_called),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
