/* The calls of public functions that test_library_faults lets fail: each as an operation on the inputs. */
#ifndef TESTS_LIBRARY_CALLS_H
#define TESTS_LIBRARY_CALLS_H

#include "faults/library_inputs.h"

/* ---- the calls ---------------------------------------------------------------------------- */

static sepal_status read_table(struct result *out, sepal_ctx *ctx) {
    return sepal_data_read(&out->data, ctx, "table.csv", "missing=indicator");
}
static sepal_status read_sparse(struct result *out, sepal_ctx *ctx) {
    return sepal_data_read(&out->data, ctx, "rows.svm", NULL);
}
static sepal_status read_arff(struct result *out, sepal_ctx *ctx) {
    return sepal_data_read(&out->data, ctx, "table.arff", "missing=mean");
}
static sepal_status read_array(struct result *out, sepal_ctx *ctx) {
    return sepal_data_read(&out->data, ctx, "rows.npy",
                           "labels=rows.labels.npy, weights=rows.weights");
}
static sepal_status read_bad_lines(struct result *out, sepal_ctx *ctx) {
    return sepal_data_read(&out->data, ctx, "bad.csv", "bad-lines=skip");
}
static sepal_status read_for(struct result *out, sepal_ctx *ctx) {
    return sepal_data_read_for(&out->data, ctx, model, "table.csv", "keep=\"b,c\"", 1);
}
static sepal_status read_unlabelled(struct result *out, sepal_ctx *ctx) {
    sepal_status status =
        sepal_data_read_for(&out->data, ctx, model, "table.csv", "unknown=zero", 0);
    if (status == SEPAL_OK) status = sepal_model_predict(out->class, ctx, model, out->data);
    if (status != SEPAL_OK) {
        sepal_data_free(out->data);
        out->data = NULL;
    }
    return status;
}
static sepal_status dense(struct result *out, sepal_ctx *ctx) {
    static const double x[] = {1, 2, 0, 4, 5, 0.5, -1, 8};
    static const char *const labels[] = {"p", "q", "q", "p"};
    static const double weights[] = {1, 0.5, 2, 0};
    return sepal_data_dense(&out->data, ctx, x, 4, 2, labels, weights);
}
static sepal_status split(struct result *out, sepal_ctx *ctx) {
    return sepal_data_split(&out->data, &out->part, ctx, data, 0.4);
}
static sepal_status describe(struct result *out, sepal_ctx *ctx) {
    return sepal_data_describe(&out->report, ctx, data);
}
static sepal_status doctor(struct result *out, sepal_ctx *ctx) {
    return sepal_data_doctor(&out->report, ctx, data, "logistic");
}
static sepal_status doctor_file(struct result *out, sepal_ctx *ctx) {
    return sepal_file_doctor(&out->report, ctx, "table.csv", NULL, NULL);
}
static sepal_status split_table(struct result *out, sepal_ctx *ctx) {
    (void)out;
    return sepal_file_split(NULL, ctx, "table.csv", "missing=indicator", "test=0.4, group=b",
                            "train", "out");
}
static sepal_status split_array(struct result *out, sepal_ctx *ctx) {
    (void)out;
    return sepal_file_split(NULL, ctx, "rows.npy", "labels=rows.labels.npy, weights=rows.weights",
                            "test=0.4", "train", "out");
}
static sepal_status separable(struct result *out, sepal_ctx *ctx) {
    char *certificate = NULL;
    sepal_status status =
        sepal_data_separable(&out->report, &certificate, ctx, data, "minmax", NULL);
    sepal_text_free(certificate);
    return status;
}
static sepal_status write_table(struct result *out, sepal_ctx *ctx) {
    (void)out;
    return sepal_data_write(ctx, data, "out", "csv");
}
static sepal_status write_libsvm(struct result *out, sepal_ctx *ctx) {
    (void)out;
    return sepal_data_write(ctx, sparse, "out", "libsvm");
}
static sepal_status write_arff(struct result *out, sepal_ctx *ctx) {
    (void)out;
    return sepal_data_write(ctx, data, "out", "arff");
}
static sepal_status write_array(struct result *out, sepal_ctx *ctx) {
    (void)out;
    return sepal_data_write(ctx, sparse, "out", "npy");
}
static sepal_status fit_check(struct result *out, sepal_ctx *ctx) {
    (void)out;
    return sepal_model_fit_check(ctx, "perceptron(eta=0.5)", "max-iter=3");
}
static sepal_status fit_least_squares(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "least-squares(l2=0.1)", data, NULL);
}
static sepal_status fit_perceptron(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "perceptron(variant=averaged)", sparse, NULL);
}
static sepal_status fit_discriminant(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "standardize | poly | lda(shrinkage=auto)", data,
                           NULL);
}
static sepal_status fit_fisher(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "sigmoid | fisher(cut=gauss) | ovr-1", data,
                           NULL);
}
static sepal_status fit_pairs(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx,
                           "rbf(centres=2) | gaussian(covariance=diagonal) | ovo", data, NULL);
}
static sepal_status fit_bits(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "hash(bits=3) | naive-bayes(kind=bernoulli)",
                           sparse, NULL);
}
static sepal_status fit_centred(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "standardize | perceptron(epochs=3)", sparse,
                           NULL);
}
static sepal_status fit_logistic(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "logistic(class_weight=balanced)", data, NULL);
}
static sepal_status fit_svm(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "svm | ovr", sparse, NULL);
}
static sepal_status fit_path(struct result *out, sepal_ctx *ctx) {
    static const char *const specs[] = {"standardize | logistic(penalty=l1)"};
    return sepal_select(&out->model, &out->report, ctx, "path", specs, 1, data,
                        "folds=2, path-length=3", NULL);
}
static sepal_status fit_folds(struct result *out, sepal_ctx *ctx) {
    static const char *const specs[] = {"standardize | lda"};
    return sepal_select(&out->model, &out->report, ctx, "cv", specs, 1, data,
                        "folds=2, repeats=2, metric=\"accuracy,f1\"", NULL);
}
static sepal_status fit_left_out(struct result *out, sepal_ctx *ctx) {
    static const char *const specs[] = {"standardize | lda"};
    return sepal_select(&out->model, NULL, ctx, "cv", specs, 1, data, "loo", NULL);
}
static sepal_status fit_grid(struct result *out, sepal_ctx *ctx) {
    static const char *const specs[] = {"standardize | logistic"};
    return sepal_select(&out->model, &out->report, ctx, "tune", specs, 1, data,
                        "over=\"C=0.1:1:log:2; standardize=identity\", folds=2, metric=macro.f1",
                        NULL);
}
static sepal_status fit_compared(struct result *out, sepal_ctx *ctx) {
    static const char *const specs[] = {"lda", "mean-difference | ovr", "lda(shrinkage=auto)"};
    return sepal_select(&out->model, &out->report, ctx, "compare", specs, 3, data, "folds=2", NULL);
}
static sepal_status fit_curve(struct result *out, sepal_ctx *ctx) {
    static const char *const specs[] = {"lda"};
    (void)out; /* its report tells times */
    return sepal_select(NULL, NULL, ctx, "curve", specs, 1, data, "folds=2, sizes=1", NULL);
}
static sepal_status fit_sgd(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "svm(l1=0.1, shuffle, average, epochs=3)",
                           sparse, "solver=sgd");
}
static sepal_status fit_softmax_lbfgs(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "softmax(class_weight=balanced)", data,
                           "solver=lbfgs");
}
static sepal_status fit_softmax_mse(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "softmax(loss=mse)", sparse, NULL);
}
static sepal_status fit_softmax_sgd(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "softmax(l1=0.1, shuffle, average, epochs=3)",
                           sparse, "solver=sgd");
}
static sepal_status fit_warm(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "standardize | logistic(C=2)", data,
                           "warm=warm.sepal");
}
static sepal_status fit_calibrated(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "perceptron(epochs=3)", data,
                           "calibrate=isotonic, calibrate-folds=3");
}
static sepal_status fit_platt(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "logistic(l2=1)", sparse,
                           "calibrate=platt, calibrate-folds=2, cutoff=0.4");
}
static sepal_status load_calibrated(struct result *out, sepal_ctx *ctx) {
    return sepal_model_load(&out->model, ctx, "calibrated.sepal");
}
static sepal_status fit_bounded(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx,
                           "standardize | logistic(l1=0.01, bounds=bounds.csv, nonneg=all)", data,
                           NULL);
}
static sepal_status fit_bounded_sparse(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "svm(bounds=\"0<=1<=0.5; '2'>=-1\") | ovr",
                           sparse, NULL);
}
static sepal_status inspect_bounded(struct result *out, sepal_ctx *ctx) {
    return sepal_model_inspect(&out->report, ctx, bounded);
}
static sepal_status load_shaped(struct result *out, sepal_ctx *ctx) {
    return sepal_model_load(&out->model, ctx, "shaped.sepal");
}
static sepal_status answer(struct result *out, sepal_ctx *ctx, sepal_output what,
                           const char *options) {
    sepal_predictions answers = {
        .size = sizeof answers, .classes = out->class, .numbers = out->scores, .what = what};
    return sepal_model_predict_rows(&answers, ctx, shaped, data, 1, 4, options);
}
static sepal_status abstain(struct result *out, sepal_ctx *ctx) {
    return answer(out, ctx, SEPAL_PROBABILITIES,
                  "decide=reject, cutoff=0.9, priors=\"x:0.2,y:0.3,z:0.5\"");
}
static sepal_status distances(struct result *out, sepal_ctx *ctx) {
    return answer(out, ctx, SEPAL_DISTANCES, "ambiguous=undecided");
}
static sepal_status likelihoods(struct result *out, sepal_ctx *ctx) {
    return answer(out, ctx, SEPAL_LIKELIHOODS, NULL);
}
static sepal_status projections(struct result *out, sepal_ctx *ctx) {
    return answer(out, ctx, SEPAL_PROJECTIONS, "decide=soft");
}
static sepal_status explain(struct result *out, sepal_ctx *ctx) {
    sepal_predictions some = {
        .size = sizeof some, .numbers = out->scores, .what = SEPAL_CONTRIBUTIONS};
    if (2 * sepal_model_outputs(shaped, some.what) > sizeof out->scores / sizeof *out->scores)
        return SEPAL_EINTERNAL;
    return sepal_model_predict_rows(&some, ctx, shaped, data, 1, 2, NULL);
}
static sepal_status inspect_shaped(struct result *out, sepal_ctx *ctx) {
    return sepal_model_inspect(&out->report, ctx, shaped);
}
static sepal_status summarise(struct result *out, sepal_ctx *ctx) {
    return sepal_model_summary(&out->report, ctx, tabled);
}
static sepal_status summary_text(struct result *out, sepal_ctx *ctx) {
    return sepal_report_text(&out->text, ctx, table_of_it);
}
static sepal_status load_tabled(struct result *out, sepal_ctx *ctx) {
    return sepal_model_load(&out->model, ctx, "tabled.sepal");
}
static sepal_status save_tabled(struct result *out, sepal_ctx *ctx) {
    (void)out;
    return sepal_model_save(ctx, tabled, "out");
}
static sepal_status fit_tabled(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "standardize | logistic(penalty=none)", overlap,
                           NULL);
}
static sepal_status fit_multinomial(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "softmax(penalty=none)", three_way, NULL);
}
static sepal_status summarise_multinomial(struct result *out, sepal_ctx *ctx) {
    return sepal_model_summary(&out->report, ctx, multinomial);
}
static sepal_status load_multinomial(struct result *out, sepal_ctx *ctx) {
    return sepal_model_load(&out->model, ctx, "multinomial.sepal");
}
static sepal_status fit_separated(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "logistic(penalty=none)", sparse, NULL);
}
static sepal_status fit_resampled(struct result *out, sepal_ctx *ctx) {
    return sepal_model_fit(&out->model, NULL, ctx, "logistic", overlap, "bootstrap=3");
}
static sepal_status evaluate_shaped(struct result *out, sepal_ctx *ctx) {
    return sepal_model_evaluate(&out->report, ctx, shaped, data, "decide=reject, cutoff=0.99");
}
static sepal_status evaluate_fully(struct result *out, sepal_ctx *ctx) {
    return sepal_model_evaluate(&out->report, ctx, shaped, data,
                                "decide=reject, curves, bootstrap=20, top-k=1, bins=3");
}
static sepal_status evaluate_costs(struct result *out, sepal_ctx *ctx) {
    return sepal_model_evaluate(&out->report, ctx, shaped, data, "cost=\"costs.csv\"");
}
/* Times are in its report, which is therefore looked at no further. */
static sepal_status fit_with_report(struct result *out, sepal_ctx *ctx) {
    sepal_status status =
        sepal_model_fit(&out->model, &out->report, ctx, "perceptron(epochs=5)", data, NULL);
    if (status == SEPAL_OK && sepal_report_number(out->report, "rows") != 9) return SEPAL_EINTERNAL;
    if (status != SEPAL_OK && out->report) return SEPAL_EINTERNAL;
    sepal_report_free(out->report);
    out->report = NULL;
    return status;
}
static sepal_status load(struct result *out, sepal_ctx *ctx) {
    return sepal_model_load(&out->model, ctx, "model.sepal");
}
static sepal_status save(struct result *out, sepal_ctx *ctx) {
    (void)out;
    return sepal_model_save(ctx, model, "out");
}
static sepal_status stage(struct result *out, sepal_ctx *ctx) {
    sepal_status status = sepal_model_stage(&out->staged, ctx, model, "out");
    if (status == SEPAL_OK) status = sepal_staged_commit(ctx, out->staged);
    sepal_staged_free(out->staged);
    out->staged = NULL;
    return status;
}
static sepal_status predict(struct result *out, sepal_ctx *ctx) {
    return sepal_model_predict(out->class, ctx, model, reread);
}
static sepal_status scores(struct result *out, sepal_ctx *ctx) {
    return sepal_model_scores(out->scores, ctx, model, data);
}
static sepal_status evaluate(struct result *out, sepal_ctx *ctx) {
    return sepal_model_evaluate(&out->report, ctx, model, reread, "positive=y");
}
static sepal_status inspect(struct result *out, sepal_ctx *ctx) {
    return sepal_model_inspect(&out->report, ctx, model);
}
static sepal_status page(struct result *out, sepal_ctx *ctx) {
    return sepal_page(&out->text, ctx, shaped, data, facts, NULL, NULL, "sepal report");
}
static sepal_status report_json(struct result *out, sepal_ctx *ctx) {
    return sepal_report_json(&out->text, ctx, facts, "evaluate");
}
static sepal_status plot(struct result *out, sepal_ctx *ctx, const char *kind,
                         const char *options) {
    void *bytes = NULL;
    size_t n = 0;
    sepal_status status = sepal_plot(&bytes, &n, ctx, kind, model, reread, facts, options);
    out->text = bytes;
    return status;
}
static sepal_status plot_regions(struct result *out, sepal_ctx *ctx) {
    return plot(out, ctx, "regions", "to=term, width=40, height=12");
}
static sepal_status plot_projection(struct result *out, sepal_ctx *ctx) {
    return plot(out, ctx, "projection", "theme=auto");
}
static sepal_status plot_coefficients(struct result *out, sepal_ctx *ctx) {
    return plot(out, ctx, "coefficients", "to=term");
}
static sepal_status plot_confusion(struct result *out, sepal_ctx *ctx) {
    return plot(out, ctx, "confusion", NULL);
}
static sepal_status report_read(struct result *out, sepal_ctx *ctx) {
    return sepal_report_read(&out->report, ctx, "report.json");
}
static sepal_status report_text(struct result *out, sepal_ctx *ctx) {
    return sepal_report_text(&out->text, ctx, facts);
}
static sepal_status attach(struct result *out, sepal_ctx *ctx) {
    sepal_report *whole = NULL;
    sepal_status status = sepal_data_describe(&whole, ctx, data);
    if (status == SEPAL_OK) status = sepal_report_attach(whole, ctx, "test", facts);
    if (status == SEPAL_OK) out->report = whole;
    if (status != SEPAL_OK) sepal_report_free(whole);
    return status;
}
/* The times that a fit took are no result to compare. */
static sepal_status attach_test(struct result *out, sepal_ctx *ctx) {
    sepal_model *made = NULL;
    sepal_report *whole = NULL;
    sepal_status status = sepal_model_fit(&made, &whole, ctx, "least-squares(l2=0.1)", data, NULL);
    if (status == SEPAL_OK) status = sepal_report_attach(whole, ctx, "test", facts);
    if (status == SEPAL_OK) {
        bool there = sepal_report_number(whole, "test.baseline.accuracy") > 0;
        if (there) status = sepal_report_text(&out->text, ctx, facts);
        if (!there) status = SEPAL_EINTERNAL;
    }
    sepal_model_free(made);
    sepal_report_free(whole);
    return status;
}
/* An error of before is what it prints, so it clears none and has no message of its own. */
static sepal_status error_json(struct result *out, sepal_ctx *ctx) {
    fail_at(ctx, SEPAL_EDATA, "file", 3, 4, "a \"message\"");
    sepal_status status = sepal_ctx_error_json(&out->text, ctx, "train", 3);
    if (status == SEPAL_OK) ctx->error.status = SEPAL_OK;
    return status;
}

struct operation {
    const char *name;
    sepal_status (*run)(struct result *out, sepal_ctx *ctx);
    sepal_status broken; /* what it means when a file fails; 0: it touches none that matters */
    bool lenient;        /* the peak of memory is told if it can be found out */
};
static const struct operation operations[] = {
    {"read a table", read_table, SEPAL_EDATA, false},
    {"read sparse rows", read_sparse, SEPAL_EDATA, false},
    {"read arff", read_arff, SEPAL_EDATA, false},
    {"read an array", read_array, SEPAL_EDATA, false},
    {"skip bad lines", read_bad_lines, SEPAL_EDATA, false},
    {"read for a model", read_for, SEPAL_EDATA, false},
    {"read without labels", read_unlabelled, SEPAL_EDATA, false},
    {"dense", dense, 0, false},
    {"split", split, 0, false},
    {"describe", describe, 0, false},
    {"doctor", doctor, 0, false},
    {"doctor of a file", doctor_file, SEPAL_EDATA, false},
    {"split a table", split_table, SEPAL_EOUTPUT, false},
    {"split an array", split_array, SEPAL_EOUTPUT, false},
    {"separable", separable, 0, false},
    {"write csv", write_table, SEPAL_EOUTPUT, false},
    {"write libsvm", write_libsvm, SEPAL_EOUTPUT, false},
    {"write arff", write_arff, SEPAL_EOUTPUT, false},
    {"write npy and its labels", write_array, SEPAL_EOUTPUT, false},
    {"check a spec", fit_check, 0, false},
    {"fit least-squares", fit_least_squares, 0, true},
    {"fit perceptron", fit_perceptron, 0, true},
    {"fit with a report", fit_with_report, 0, true},
    {"fit a discriminant", fit_discriminant, 0, true},
    {"fit fisher", fit_fisher, 0, true},
    {"fit pairs", fit_pairs, 0, true},
    {"fit bits", fit_bits, 0, true},
    {"fit centred sparse rows", fit_centred, 0, true},
    {"fit logistic", fit_logistic, 0, true},
    {"fit svm", fit_svm, 0, true},
    {"fit a path", fit_path, 0, true},
    {"fit folds", fit_folds, 0, true},
    {"fit all but one", fit_left_out, 0, true},
    {"fit a grid", fit_grid, 0, true},
    {"fit and compare", fit_compared, 0, true},
    {"fit a curve", fit_curve, 0, true},
    {"fit by sgd", fit_sgd, 0, true},
    {"fit softmax by lbfgs", fit_softmax_lbfgs, 0, true},
    {"fit softmax with squared errors", fit_softmax_mse, 0, true},
    {"fit softmax by sgd", fit_softmax_sgd, 0, true},
    {"fit from a model", fit_warm, SEPAL_EMODEL, true},
    {"fit a calibrated model", fit_calibrated, 0, true},
    {"fit a calibrated rule", fit_platt, 0, true},
    {"load a calibrated model", load_calibrated, SEPAL_EMODEL, false},
    {"fit within bounds of a file", fit_bounded, SEPAL_EDATA, true},
    {"fit within bounds of the spec", fit_bounded_sparse, 0, true},
    {"inspect a bounded model", inspect_bounded, 0, false},
    {"load a model with parts", load_shaped, SEPAL_EMODEL, false},
    {"abstain", abstain, 0, false},
    {"distances", distances, 0, false},
    {"likelihoods", likelihoods, 0, false},
    {"projections", projections, 0, false},
    {"contributions", explain, 0, false},
    {"inspect a model with parts", inspect_shaped, 0, false},
    {"the table of coefficients", summarise, 0, false},
    {"the table as text", summary_text, 0, false},
    {"load standard errors", load_tabled, SEPAL_EMODEL, false},
    {"save standard errors", save_tabled, SEPAL_EOUTPUT, false},
    {"fit with standard errors", fit_tabled, 0, true},
    {"fit standard errors of three classes", fit_multinomial, 0, true},
    {"the table of three classes", summarise_multinomial, 0, false},
    {"load the table of three classes", load_multinomial, SEPAL_EMODEL, false},
    {"fit separated classes", fit_separated, 0, true},
    {"fit with a bootstrap", fit_resampled, 0, true},
    {"evaluate with abstention", evaluate_shaped, 0, false},
    {"evaluate fully", evaluate_fully, 0, false},
    {"evaluate costs", evaluate_costs, SEPAL_EDATA, false},
    {"load", load, SEPAL_EMODEL, false},
    {"save", save, SEPAL_EOUTPUT, false},
    {"stage and commit", stage, SEPAL_EOUTPUT, false},
    {"predict", predict, 0, false},
    {"scores", scores, 0, false},
    {"evaluate", evaluate, 0, false},
    {"inspect", inspect, 0, false},
    {"page", page, 0, false},
    {"report as JSON", report_json, 0, false},
    {"report as text", report_text, 0, false},
    {"attach", attach, 0, false},
    {"attach a test to its fit", attach_test, 0, true},
    {"error as JSON", error_json, 0, false},
    {"draw regions", plot_regions, 0, true},
    {"draw projections", plot_projection, 0, true},
    {"draw coefficients", plot_coefficients, 0, false},
    {"draw a confusion matrix", plot_confusion, 0, false},
    {"read a report", report_read, SEPAL_EDATA, false},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

#endif
