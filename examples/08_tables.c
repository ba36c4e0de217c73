/* What this library can do, from its own tables: so bindings and help are made. */
#include "sepal/sepal.h"

#include <stdio.h>
#include <string.h>

static void list(sepal_kind kind, const char *title) {
    sepal_method method = {0};
    method.size = sizeof method;
    printf("%s:", title);
    for (size_t i = 0; sepal_method_at(kind, i, &method) == SEPAL_OK; i++)
        printf(" %s", method.name);
    printf(" (%zu)\n", sepal_method_count(kind));
}

int main(void) {
    sepal_ctx *ctx = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    printf("header and library agree: %s\n",
           strcmp(sepal_version(), SEPAL_VERSION) == 0 && SEPAL_VERSION_NUMBER > 0 ? "yes" : "no");
    fprintf(stderr, "kernels %s, BLAS %s%s, %u threads\n", sepal_ctx_kernels(ctx),
            sepal_ctx_blas(ctx), sepal_ctx_blas_is_slow(ctx) ? " (slow)" : "",
            sepal_ctx_threads(ctx));
    list(SEPAL_STRATEGY, "strategies");

    sepal_method learner = {0};
    sepal_param param = {0};
    learner.size = sizeof learner;
    param.size = sizeof param;
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &learner) == SEPAL_OK; i++) {
        if (strcmp(learner.name, "fisher") != 0) continue;
        printf("%s: %s\n", learner.name, learner.summary);
        for (size_t p = 0; sepal_param_at(SEPAL_LEARNER, i, p, &param) == SEPAL_OK; p++)
            printf("  %s=%s\n", param.name, param.fallback ? param.fallback : "");
        printf("can be told to use newton: %d\n", sepal_learner_has_solver(i, "newton"));
    }
    static const char *const names[] = {"l1", "l2", "ratio"};
    const char *method = sepal_method_synonym("logreg");
    const char *parameter = sepal_param_synonym("l1_ratio", names, 3);
    printf("logreg is %s, l1_ratio is %s\n", method ? method : "?", parameter ? parameter : "?");
    sepal_ctx_free(ctx);
    return 0;
}
