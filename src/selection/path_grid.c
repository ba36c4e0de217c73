/* The values of a path: evenly spaced by their logarithms from the least that keeps all weights at 0
   (Friedman, Hastie and Tibshirani, JSS 33, 2010), or as they were given. */
#include "core/decimal.h"
#include "selection/path.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(struct path_options, field)
const struct parameter path_option_table[] = {
    {"folds", PARAMETER_COUNT, AT(folds), "10", "[2, 1e6]", "folds of the cross-validation"},
    {"choose", PARAMETER_CHOICE, AT(choose), "1se", "1se|min|best",
     "the value to fit: min (or best) has the least loss on held-out rows, 1se is the strongest "
     "penalty "
     "within "
     "a standard error of it"},
    {"path-length", PARAMETER_COUNT, AT(length), "100", "[2, 10000]",
     "values of lambda on the path"},
    {"lambda-min-ratio", PARAMETER_REAL, AT(min_ratio), NULL, "(0, 1)",
     "the last value, as a part of the first; unless given 1e-4, or 1e-2 with no more rows than "
     "columns"},
    {"lambdas", PARAMETER_TEXT, AT(lambdas), NULL, "",
     "the values themselves, falling, with commas between them: \"0.1,0.03,0.01\""},
    {0},
};

static sepal_status grid_add(struct path *path, struct slice word) {
    double value = NAN;
    sepal_ctx *ctx = path->ctx;
    const char *end = word.bytes + word.length;
    bool number = decimal_read(word.bytes, end, &value) == end;
    if (!number || !(value > 0) || !isfinite(value))
        return fail(ctx, SEPAL_EUSAGE,
                    "'%.*s' of " OPTION "lambdas is no number above 0; write for instance " OPTION
                    "lambdas 0.1,0.03,0.01",
                    (int)fmin((double)word.length, 40), word.bytes);
    if (path->wanted > 0 && !(value < path->lambda[path->wanted - 1]))
        return fail(ctx, SEPAL_EUSAGE,
                    "the values of " OPTION "lambdas must fall, and %g comes after %g; put the "
                    "largest first",
                    value, path->lambda[path->wanted - 1]);
    path->lambda[path->wanted++] = value;
    return SEPAL_OK;
}

static size_t count_words(const char *text) {
    size_t n = 1;
    for (; *text; text++) n += *text == ',';
    return n;
}

sepal_status path_read_lambdas(struct path *path) {
    const char *at = path->options.lambdas;
    if (!at) return SEPAL_OK;
    path->lambda = arena_alloc(path->ctx, &path->arena, count_words(at), sizeof *path->lambda);
    if (!path->lambda) return SEPAL_EMEMORY;
    for (;; at++) {
        at += strspn(at, " ");
        size_t length = strcspn(at, ","), end = length;
        while (end > 0 && at[end - 1] == ' ') end--;
        TRY(grid_add(path, (struct slice){at, end}));
        at += length;
        if (!*at) break;
    }
    if (path->wanted < 2)
        return fail(path->ctx, SEPAL_EUSAGE,
                    "a path of one value has nothing to choose from; give " OPTION
                    "lambdas two or more, or fit it with `sepal train`");
    return SEPAL_OK;
}

sepal_status path_grid(struct path *path, double slope) {
    /* without an L1 penalty no value keeps all weights at 0: glmnet begins as with this share of it */
    static const double LEAST_RATIO = 1e-3, ROUNDING_ROOM = 1e-12;
    const struct matrix *x = &path->data->matrix;
    double ratio = path->options.min_ratio, last = 0;
    if (isnan(ratio)) ratio = x->rows > x->cols ? 1e-4 : 1e-2;
    if (path->lambda) return SEPAL_OK;
    double first = slope / fmax(path->ratio, LEAST_RATIO) * (1 + ROUNDING_ROOM);
    last = first * ratio;
    if (!(last > 0) || !isfinite(first))
        return fail(path->ctx, SEPAL_EDATA,
                    "no feature tells the classes apart where all weights are 0, so a path has no "
                    "beginning; give the values by " OPTION "lambdas, or other features");
    path->wanted = path->options.length;
    path->lambda = arena_alloc(path->ctx, &path->arena, path->wanted, sizeof *path->lambda);
    if (!path->lambda) return SEPAL_EMEMORY;
    for (size_t k = 0; k < path->wanted; k++)
        path->lambda[k] = first * pow(ratio, (double)k / (double)(path->wanted - 1));
    return SEPAL_OK;
}
