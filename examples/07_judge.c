/* A fit that is watched, rows judged in several ways, rows drawn from a model, and a proof. */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    exit(1);
}

/* Nonzero would ask the fit to stop. */
static int watch(const char *line, void *payload) {
    (void)line;
    ++*(int *)payload;
    return 0;
}

static int note(const char *json, void *payload) {
    *(int *)payload += json[0] == '{';
    return 0;
}

static sepal_model *fit_watched(sepal_ctx *ctx, const sepal_data *data) {
    int lines = 0, steps = 0;
    sepal_model *model = NULL;
    must(ctx, sepal_data_check_target(ctx, data));
    sepal_ctx_set_progress(ctx, watch, &lines);
    sepal_ctx_set_trace(ctx, note, &steps);
    must(ctx, sepal_model_fit(&model, NULL, ctx, "perceptron(epochs=1)", data, NULL));
    sepal_ctx_set_progress(ctx, NULL, NULL);
    sepal_ctx_set_trace(ctx, NULL, NULL);
    printf("steps traced: %s\n", steps > 0 ? "yes" : "no");
    for (size_t i = 0; i < sepal_ctx_warning_count(ctx); i++)
        printf("warning: %s\n", sepal_ctx_warning(ctx, i).code);
    sepal_ctx_clear_warnings(ctx);
    sepal_model_free(model);
    must(ctx, sepal_model_fit(&model, NULL, ctx, "gaussian(covariance=shared)", data, NULL));
    return model;
}

/* What a model can say of rows, and the first of them by its probabilities. */
static void show_outputs(sepal_ctx *ctx, const sepal_model *model, const sepal_data *data) {
    static const sepal_output kinds[] = {SEPAL_SCORES, SEPAL_PROBABILITIES, SEPAL_LIKELIHOODS};
    for (size_t i = 0; i < 3; i++) printf("%zu ", sepal_model_outputs(model, kinds[i]));
    printf("scores, probabilities, likelihoods; transforms: %d\n", sepal_model_transforms(model));
    double p[3];
    int32_t class[1];
    sepal_predictions out = {0};
    out.size = sizeof out;
    out.classes = class;
    out.numbers = p;
    out.what = SEPAL_PROBABILITIES;
    must(ctx, sepal_model_predict_check(ctx, model, &out.what, "decide=reject, cutoff=0.9"));
    must(ctx, sepal_model_predict_rows(&out, ctx, model, data, 0, 1, "decide=reject, cutoff=0.9"));
    for (size_t k = 0; k < 3; k++) {
        char *name = NULL;
        must(ctx, sepal_model_output_name(&name, ctx, model, SEPAL_PROBABILITIES, k));
        printf("p(%s) = %.3f\n", name, p[k]);
        sepal_text_free(name);
    }
}

/* Reports in each other, for programs and for people. */
static void report(sepal_ctx *ctx, const sepal_model *model, const sepal_data *data) {
    sepal_report *fit = NULL, *test = NULL;
    char *json = NULL, *text = NULL;
    must(ctx, sepal_model_evaluate(&test, ctx, model, data, NULL));
    must(ctx, sepal_data_describe(&fit, ctx, data));
    must(ctx, sepal_report_attach(fit, ctx, "test", test));
    must(ctx, sepal_report_json(&json, ctx, fit, "describe"));
    sepal_report_set_top(test, 5); /* of a model's weights, in its page for people */
    must(ctx, sepal_report_text(&text, ctx, test));
    printf("accuracy %.2f; as JSON %s\n", sepal_report_number(fit, "test.accuracy"),
           strstr(json, "\"confusion\"") != NULL && text[0] != '\0' ? "too" : "not");
    sepal_text_free(json);
    sepal_text_free(text);
    sepal_report_free(test);
    sepal_report_free(fit);
}

static void draw(sepal_ctx *ctx, const sepal_model *model) {
    sepal_data *drawn = NULL;
    sepal_ctx_set_seed(ctx, 7);
    must(ctx, sepal_model_sample(&drawn, ctx, model, 5, "class=setosa"));
    printf("%zu rows of %s drawn\n", sepal_data_rows(drawn), sepal_data_label(drawn, 0));
    sepal_data_free(drawn);
}

static void prove(sepal_ctx *ctx, const sepal_data *data) {
    sepal_report *answer = NULL;
    char *proof = NULL;
    must(ctx, sepal_data_separable(&answer, &proof, ctx, data, NULL, NULL));
    printf("separable: %g\n", sepal_report_number(answer, "separable"));
    FILE *file = fopen("proof.json", "w");
    if (file == NULL) exit(1);
    fputs(proof, file);
    fclose(file);
    must(ctx, sepal_data_separable_check(ctx, data, NULL, "proof.json"));
    printf("the proof holds\n");
    remove("proof.json");
    sepal_text_free(proof);
    sepal_report_free(answer);
}

int main(void) {
    sepal_ctx *ctx = NULL;
    sepal_data *data = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    sepal_ctx_set_threads(ctx, 2);
    sepal_ctx_set_option_prefix(ctx, "--");
    must(ctx, sepal_data_read(&data, ctx, "examples/data/iris.csv", NULL));
    sepal_model *model = fit_watched(ctx, data);
    show_outputs(ctx, model, data);
    report(ctx, model, data);
    draw(ctx, model);
    prove(ctx, data);
    sepal_model_free(model);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
    return 0;
}
