#include "eval/evaluate_options.h"

#define AT(field) offsetof(struct evaluate_options, field)
const struct parameter evaluate_option_table[] = {
    {"positive", PARAMETER_TEXT, AT(positive), NULL, "",
     "the class that two-class metrics and curves are about; unless given, the second"},
    {"curves", PARAMETER_FLAG, AT(curves), "false", "",
     "ROC, precision-recall and calibration curves, and accuracy against coverage"},
    {"bins", PARAMETER_COUNT, AT(bins), "10", "[1, 1000]",
     "bins of equal width for the calibration curves and the calibration error"},
    {"top-k", PARAMETER_COUNT, AT(top_k), "0", "[0, 1e9]",
     "how often the right class is among the K most probable (largest scores); 0: not said"},
    {"cost", PARAMETER_FILE, AT(cost), NULL, "",
     "CSV of what decisions cost, a row for each true class and a column for each predicted one"},
    {"confidence", PARAMETER_REAL, AT(confidence), "0.95", "(0, 1)",
     "probability that an interval holds the number it is about"},
    {"bootstrap", PARAMETER_COUNT, AT(resamples), "0", "[0, 1e6]",
     "resamples of the rows for intervals of the numbers that have no formula for one; 0: none"},
    {0},
};

sepal_status evaluate_options_take(struct evaluate_options *out, sepal_ctx *ctx,
                                   struct arena *arena, struct setting *settings, size_t *n) {
    size_t kept = 0, own = 0;
    struct setting *mine = arena_alloc(ctx, arena, *n, sizeof *mine);
    if (!mine) return SEPAL_EMEMORY;
    for (size_t i = 0; i < *n; i++) {
        if (parameters_find(evaluate_option_table, settings[i].name))
            mine[own++] = settings[i];
        else
            settings[kept++] = settings[i];
    }
    *n = kept;
    *out = (struct evaluate_options){.tells = true};
    TRY(parameters_fill(out, ctx, arena, evaluate_option_table, "the evaluation", mine, own));
    if (out->resamples > 0 && out->resamples < 10)
        return fail(ctx, SEPAL_EUSAGE,
                    "%zu resamples have no tails to take an interval from; give " OPTION
                    "bootstrap 1000",
                    out->resamples);
    return SEPAL_OK;
}
