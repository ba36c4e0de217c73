/* The public functions, with the first, second, ... allocation or system call failing, once and from
   then on. Each time: the status that fits and no result, or the right result; a message; no file
   left behind or open; and the same call in the same context, now undisturbed, gives what it gives
   in a fresh one. The sanitizers look for leaks at the end. */
#include "core/context.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By the linker's --wrap: thousands of them would only wait for the disk. */
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) {
    (void)fd;
    return 0;
}

static const char table[] = "a,b,c,class\n1,red,2.5,x\n2,blue,-1,y\n3,red,,x\n4,green,1e-3,z\n"
                            "5,blue,7,y\n6,green,2,z\n7,red,1,x\n8,blue,0.25,y\n9,green,3,z\n";
/* three classes that overlap, and a column that is twice another */
static const char three_classes[] =
    "a,twice,b,class\n"
    "9,18,4,z\n5,10,8,x\n7,14,3,z\n0,0,2,x\n5,10,7,x\n6,12,8,x\n9,18,3,x\n3,6,6,y\n"
    "2,4,6,x\n1,2,2,z\n9,18,7,x\n2,4,0,x\n3,6,3,x\n2,4,4,y\n3,6,8,z\n3,6,2,z\n3,6,6,y\n"
    "0,0,5,y\n2,4,2,y\n1,2,5,y\n9,18,9,x\n9,18,5,x\n4,8,5,y\n7,14,5,x\n";
static const char overlapping[] =
    "a,b,class\n1,red,x\n2,blue,y\n3,red,x\n4,red,y\n5,blue,x\n6,blue,y\n7,red,y\n"
    "8,blue,x\n2,red,y\n3,blue,x\n";
static const char rows[] = "1 1:0.5 3:2\n2 2:1 3:-1\n1 1:1 2:0.25\n2 3:4\n1 1:2\n2 2:3 3:1\n";

/* What the calls are made with, and what they give. */
static sepal_data *data, *sparse;
static sepal_data *overlap; /* of two classes that no hyperplane separates */
static sepal_data *three_way;
static sepal_model *multinomial; /* of these, the same of three */
static sepal_model *tabled;      /* of these, with standard errors of both kinds */
static sepal_report *table_of_it;
static sepal_data *reread;                           /* the data again, with a schema of its own */
static sepal_model *model, *shaped, *warm, *bounded; /* shaped: with maps, priors, a density */
static sepal_report *facts;

struct result {
    sepal_data *data, *part;
    sepal_model *model;
    sepal_report *report;
    sepal_staged *staged;
    char *text;
    int32_t class[16];
    double scores[64];
};

static void discard(struct result *result) {
    sepal_data_free(result->data);
    sepal_data_free(result->part);
    sepal_model_free(result->model);
    sepal_report_free(result->report);
    sepal_staged_free(result->staged);
    sepal_text_free(result->text);
    *result = (struct result){0};
}

static bool is_empty(const struct result *result) {
    return !result->data && !result->part && !result->model && !result->report && !result->text;
}

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
    return sepal_model_path(&out->model, &out->report, ctx, "standardize | logistic(penalty=l1)",
                            data, "folds=2, path-length=3", NULL);
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
static sepal_status report_json(struct result *out, sepal_ctx *ctx) {
    return sepal_report_json(&out->text, ctx, facts, "evaluate");
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
    {"load", load, SEPAL_EMODEL, false},
    {"save", save, SEPAL_EOUTPUT, false},
    {"stage and commit", stage, SEPAL_EOUTPUT, false},
    {"predict", predict, 0, false},
    {"scores", scores, 0, false},
    {"evaluate", evaluate, 0, false},
    {"inspect", inspect, 0, false},
    {"report as JSON", report_json, 0, false},
    {"report as text", report_text, 0, false},
    {"attach", attach, 0, false},
    {"attach a test to its fit", attach_test, 0, true},
    {"error as JSON", error_json, 0, false},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

struct manner {
    const char *name;
    enum fault_kind kind;
    struct fault fault;
};
static const struct manner manners[] = {
    {"memory", FAULT_ALLOC, {0}},
    {"EIO", FAULT_IO, {.error = EIO}},
    {"ENOSPC", FAULT_IO, {.error = ENOSPC}},
    {"EMFILE", FAULT_IO, {.error = EMFILE}},
    {"EINTR", FAULT_IO, {.error = EINTR}},
    {"short", FAULT_IO, {.manner = FAULT_SHORT}},
    {"after", FAULT_IO, {.manner = FAULT_AFTER, .error = EIO}},
};
enum { MANNERS = sizeof manners / sizeof *manners };

/* ---- what came out, as text that can be compared -------------------------------------------- */

static void must(bool true_, const char *what) {
    if (true_) return;
    fprintf(stderr, "%s\n", what);
    exit(99);
}

/* A new file: to cut an old one short takes longer. */
static void save_text(const char *path, const char *text) {
    unlink(path);
    FILE *file = fopen(path, "w");
    must(file && fputs(text, file) >= 0 && fclose(file) == 0, path);
}

static void add_bytes(FILE *out, int fd) {
    char bytes[1 << 14];
    for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;) fwrite(bytes, 1, (size_t)n, out);
}

/* What the library writes goes through a pipe, which is faster than the disk. */
static void add_written(FILE *out, sepal_ctx *ctx, const sepal_data *set, const sepal_model *made) {
    char path[32];
    int ends[2];
    must(pipe(ends) == 0, "pipe");
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    sepal_status status =
        set ? sepal_data_write(ctx, set, path, "csv") : sepal_model_save(ctx, made, path);
    must(set || status == SEPAL_OK, "save"); /* rows without labels cannot be written */
    close(ends[1]);
    add_bytes(out, ends[0]);
    close(ends[0]);
}

static void add_output(FILE *out) {
    int fd = open("out", O_RDONLY);
    must(fd >= 0, "out");
    add_bytes(out, fd);
    close(fd);
}

/* In a context of its own, so that the tested one is left as it is. */
static char *print_of(const struct result *result) {
    char *text = NULL, *json = NULL;
    size_t size;
    sepal_ctx *ctx;
    FILE *out = open_memstream(&text, &size);
    must(out && sepal_ctx_new(&ctx) == SEPAL_OK, "print");
    add_output(out);
    const sepal_data *sets[] = {result->data, result->part};
    for (size_t i = 0; i < 2; i++) {
        if (!sets[i]) continue;
        fprintf(out, "%zu x %zu, %s\n", sepal_data_rows(sets[i]), sepal_data_columns(sets[i]),
                sepal_data_kept_header(sets[i]));
        add_written(out, ctx, sets[i], NULL);
    }
    if (result->model) add_written(out, ctx, NULL, result->model);
    if (result->report) {
        must(sepal_report_json(&json, ctx, result->report, "x") == SEPAL_OK, "json");
        fputs(json, out);
        sepal_text_free(json);
    }
    if (result->text) fputs(result->text, out);
    for (size_t i = 0; i < 16; i++) fprintf(out, " %d", result->class[i]);
    for (size_t i = 0; i < 64; i++) fprintf(out, " %a", result->scores[i]);
    sepal_ctx_free(ctx);
    must(fclose(out) == 0, "print");
    return text;
}

static size_t entries_of(const char *path) {
    size_t n = 0;
    DIR *folder = opendir(path);
    must(folder != NULL, path);
    while (readdir(folder)) n++;
    closedir(folder);
    return n;
}

/* ---- the loops ---------------------------------------------------------------------------- */

static const char old_output[] = "old\n";
static size_t points, failures;

static bool fits(const struct operation *operation, const struct manner *manner,
                 sepal_status status) {
    if (manner->kind == FAULT_ALLOC) return status == SEPAL_EMEMORY;
    bool disturbs = manner->fault.manner != FAULT_SHORT &&
                    (manner->fault.manner != FAULT_AFTER || operation->broken == SEPAL_EOUTPUT) &&
                    (manner->fault.error != EINTR || operation->broken == SEPAL_EOUTPUT);
    return disturbs && operation->broken != 0 && status == operation->broken;
}

static const char *check_failure(const struct operation *operation, const struct manner *manner,
                                 const sepal_ctx *ctx, sepal_status status,
                                 const struct result *got, const char *print, const char *wanted) {
    const char *message = sepal_ctx_error(ctx);
    bool old = strncmp(print, old_output, strlen(old_output)) == 0;
    bool in_place = strstr(message, "it is in place and whole") != NULL;
    if (!fits(operation, manner, status)) return "the wrong status";
    if (!is_empty(got)) return "a result in spite of the failure";
    if (*message == '\0') return "no message";
    if (in_place ? strcmp(print, wanted) != 0 : !old) return "a file that is neither old nor new";
    return NULL;
}

/* Whether a fault that was met must show. */
static bool must_show(const struct operation *operation, const struct manner *manner) {
    if (operation->lenient) return false;
    if (manner->kind == FAULT_ALLOC) return true;
    return operation->broken != 0 && manner->fault.manner == FAULT_INSTEAD &&
           manner->fault.error != EINTR;
}

/* NULL, or what is wrong after a run that may have met a fault. */
static const char *check(const struct operation *operation, const struct manner *manner,
                         const sepal_ctx *ctx, sepal_status status, const struct result *got,
                         const char *wanted) {
    const char *wrong = NULL;
    char *print = print_of(got);
    if (status != SEPAL_OK)
        wrong = check_failure(operation, manner, ctx, status, got, print, wanted);
    else if (strcmp(print, wanted) != 0)
        wrong = "another result";
    else if (*sepal_ctx_error(ctx) != '\0')
        wrong = "an error after success";
    free(print);
    return wrong;
}

static sepal_status run(const struct operation *operation, sepal_ctx *ctx, struct result *out) {
    *out = (struct result){0};
    return operation->run(out, ctx);
}

/* One point: the call with the fault, then the same without it. False when no fault was met. */
static bool try_point(const struct operation *operation, const struct manner *manner,
                      sepal_ctx *ctx, struct fault fault, const char *wanted) {
    struct result got;
    if (operation->broken == SEPAL_EOUTPUT) save_text("out", old_output);
    ctx->faults[manner->kind] = fault;
    sepal_status status = run(operation, ctx, &got);
    bool hit = atomic_load(&ctx->faults[manner->kind].calls) >= fault.fail_at;
    ctx->faults[manner->kind] = (struct fault){0};
    const char *wrong = check(operation, manner, ctx, status, &got, wanted);
    if (hit && status == SEPAL_OK && must_show(operation, manner)) wrong = "it takes no notice";
    discard(&got);
    sepal_status again = run(operation, ctx, &got);
    if (!wrong && again != SEPAL_OK) wrong = "it fails ever after";
    if (!wrong) wrong = check(operation, manner, ctx, again, &got, wanted);
    discard(&got);
    sepal_ctx_clear_warnings(ctx);
    if (!hit && !wrong) return false;
    points++;
    if (!wrong) return true;
    failures++;
    printf("%s, %s %s %zu: %s (status %d)\n", operation->name, manner->name,
           fault.from_then_on ? "from" : "at", fault.fail_at, wrong, (int)status);
    return hit;
}

static void try_operation(const struct operation *operation, unsigned threads) {
    sepal_ctx *ctx;
    struct result result;
    must(sepal_ctx_new(&ctx) == SEPAL_OK, "context");
    sepal_ctx_set_threads(ctx, threads);
    save_text("out", old_output);
    must(run(operation, ctx, &result) == SEPAL_OK, operation->name);
    char *wanted = print_of(&result);
    discard(&result);
    size_t before = points, files = entries_of("."), open_files = entries_of("/proc/self/fd");
    for (const struct manner *manner = manners; manner < manners + MANNERS; manner++)
        for (int on = 0; on < 2; on++) {
            struct fault fault = manner->fault;
            fault.from_then_on = on;
            fault.fail_at = 1;
            while (try_point(operation, manner, ctx, fault, wanted)) fault.fail_at++;
        }
    printf("%6zu points: %s, threads %u\n", points - before, operation->name, threads);
    if (entries_of(".") != files || entries_of("/proc/self/fd") != open_files) {
        failures++;
        printf("%s: files left behind or open\n", operation->name);
    }
    free(wanted);
    sepal_ctx_free(ctx);
}

static void make_inputs(sepal_ctx *ctx) {
    save_text("table.csv", table);
    save_text("rows.svm", rows);
    save_text("overlap.csv", overlapping);
    save_text("three.csv", three_classes);
    save_text("bounds.csv", "column,low,high\r\na,0,\nb,-1,1\n\"c\",-inf,0.5\n");
    save_text("rows.weights", "1\n2\n1\n0.5\n1\n1\n");
    save_text("bad.csv", "a,b\n1,x\n2\n3,y\n4,x\n");
    sepal_data *complete = NULL; /* rows: standardize learns other numbers from them */
    sepal_model *calibrated = NULL;
    must(sepal_data_read(&data, ctx, "table.csv", "missing=mean") == SEPAL_OK &&
             sepal_data_read(&reread, ctx, "table.csv", "missing=mean") == SEPAL_OK &&
             sepal_data_read(&complete, ctx, "table.csv", "missing=drop") == SEPAL_OK &&
             sepal_data_read(&sparse, ctx, "rows.svm", NULL) == SEPAL_OK &&
             sepal_model_fit(&model, NULL, ctx, "least-squares", data, NULL) == SEPAL_OK &&
             sepal_model_save(ctx, model, "model.sepal") == SEPAL_OK &&
             sepal_model_fit(&shaped, NULL, ctx,
                             "standardize | gaussian(covariance=shared, shrinkage=0.5)", data,
                             "decide=reject, cutoff=0.4") == SEPAL_OK &&
             sepal_model_save(ctx, shaped, "shaped.sepal") == SEPAL_OK &&
             sepal_model_fit(&calibrated, NULL, ctx, "svm", data,
                             "calibrate=isotonic, calibrate-folds=3") == SEPAL_OK &&
             sepal_model_save(ctx, calibrated, "calibrated.sepal") == SEPAL_OK &&
             sepal_model_fit(&warm, NULL, ctx, "standardize | logistic(C=2)", complete, NULL) ==
                 SEPAL_OK &&
             sepal_model_save(ctx, warm, "warm.sepal") == SEPAL_OK &&
             sepal_data_read(&overlap, ctx, "overlap.csv", NULL) == SEPAL_OK &&
             sepal_model_fit(&tabled, NULL, ctx, "logistic(penalty=none)", overlap,
                             "bootstrap=5") == SEPAL_OK &&
             sepal_model_save(ctx, tabled, "tabled.sepal") == SEPAL_OK &&
             sepal_model_summary(&table_of_it, ctx, tabled) == SEPAL_OK &&
             sepal_data_read(&three_way, ctx, "three.csv", NULL) == SEPAL_OK &&
             sepal_model_fit(&multinomial, NULL, ctx, "softmax(penalty=none)", three_way,
                             "bootstrap=3") == SEPAL_OK &&
             sepal_model_save(ctx, multinomial, "multinomial.sepal") == SEPAL_OK &&
             sepal_model_fit(&bounded, NULL, ctx, "svm(bounds=bounds.csv)", data, NULL) ==
                 SEPAL_OK &&
             sepal_data_write(ctx, data, "table.arff", NULL) == SEPAL_OK &&
             sepal_data_write(ctx, sparse, "rows.npy", NULL) == SEPAL_OK &&
             sepal_model_evaluate(&facts, ctx, model, data, NULL) == SEPAL_OK,
         sepal_ctx_error(ctx));
    sepal_data_free(complete);
    sepal_model_free(calibrated);
}

int main(void) {
    sepal_ctx *ctx;
    must(sepal_ctx_new(&ctx) == SEPAL_OK, "context");
    make_inputs(ctx);
    for (unsigned threads = 1; threads <= 2; threads++)
        for (size_t i = 0; i < OPERATIONS; i++) try_operation(&operations[i], threads);
    sepal_data_free(data);
    sepal_data_free(sparse);
    sepal_data_free(reread);
    sepal_model_free(model);
    sepal_model_free(shaped);
    sepal_model_free(warm);
    sepal_data_free(overlap);
    sepal_data_free(three_way);
    sepal_model_free(multinomial);
    sepal_model_free(tabled);
    sepal_report_free(table_of_it);
    sepal_model_free(bounded);
    sepal_report_free(facts);
    sepal_ctx_free(ctx);
    printf("COUNT injection-points %zu %zu\n", points, failures);
    fflush(stdout); /* a leak found at exit would lose it */
    return failures > 0;
}
