/* Files, data and models that test_library_faults calls the library with, and what a call gives. */
#ifndef TESTS_LIBRARY_INPUTS_H
#define TESTS_LIBRARY_INPUTS_H

#include "core/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* ---- making them -------------------------------------------------------------------------------- */

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

static void make_inputs(sepal_ctx *ctx) {
    save_text("table.csv", table);
    save_text("rows.svm", rows);
    save_text("overlap.csv", overlapping);
    save_text("three.csv", three_classes);
    save_text("bounds.csv", "column,low,high\r\na,0,\nb,-1,1\n\"c\",-inf,0.5\n");
    save_text("rows.weights", "1\n2\n1\n0.5\n1\n1\n");
    save_text("bad.csv", "a,b\n1,x\n2\n3,y\n4,x\n");
    save_text("report.json", "{\"labels\": [\"x\"], \"confusion\": [[3]]}");
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

static void free_inputs(void) {
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
}

#endif
