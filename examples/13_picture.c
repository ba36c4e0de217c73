/* Pictures: of a model and its rows to a file, of a judgement in characters, of a report that was kept. */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>

static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    exit(1);
}

/* What kinds there are, and what each is drawn of. */
static void list_kinds(void) {
    sepal_method kind = {0};
    kind.size = sizeof kind;
    for (size_t i = 0; sepal_method_at(SEPAL_PLOT, i, &kind) == SEPAL_OK; i++)
        printf("%s%s%s%s%s\n", kind.name, kind.needs & SEPAL_NEEDS_MODEL ? ", a model" : "",
               kind.needs & SEPAL_NEEDS_DATA ? ", data" : "",
               kind.needs & SEPAL_NEEDS_JUDGEMENT ? ", a judgement" : "",
               kind.needs & SEPAL_NEEDS_REPORT ? ", a report" : "");
}

int main(void) {
    sepal_ctx *ctx = NULL;
    sepal_data *data = NULL;
    sepal_model *model = NULL;
    sepal_report *judgement = NULL, *kept = NULL;
    char *json = NULL;
    void *picture = NULL;
    size_t n = 0;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    list_kinds();
    must(ctx, sepal_data_read(&data, ctx, "examples/data/iris.csv", NULL));
    must(ctx, sepal_model_fit(&model, NULL, ctx, "lda", data, NULL));
    must(ctx, sepal_plot(&picture, &n, ctx, "regions", model, data, NULL,
                         "x=petal_length, y=petal_width, theme=auto"));
    printf("an SVG file: %s\n", n > 1000 ? "yes" : "no");
    sepal_bytes_free(picture);

    must(ctx, sepal_model_evaluate(&judgement, ctx, model, data, NULL));
    must(ctx, sepal_report_json(&json, ctx, judgement, "evaluate"));
    FILE *file = fopen("judgement.json", "w");
    if (!file || fputs(json, file) < 0 || fclose(file) != 0) return 1;
    must(ctx, sepal_report_read(&kept, ctx, "judgement.json"));
    must(ctx, sepal_plot(&picture, &n, ctx, "confusion", NULL, NULL, kept, "to=term, height=14"));
    printf("%s", (const char *)picture);
    remove("judgement.json");

    sepal_bytes_free(picture);
    sepal_text_free(json);
    sepal_report_free(kept);
    sepal_report_free(judgement);
    sepal_model_free(model);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
    return 0;
}
