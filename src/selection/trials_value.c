/* What came of trials: numbers of single judgements, and means and deviations over the splits. */
#include "selection/trials.h"

#include "core/compensated_sum.h"

#include <math.h>
#include <string.h>

double trials_value(const struct trials *trials, size_t candidate, size_t split, bool valid,
                    const char *metric) {
    const struct trial *trial = &trials->of[candidate * trials->splits->n + split];
    const struct tree *judged = valid ? trial->valid : trial->train;
    const struct tree *node = judged ? tree_path(judged, metric) : NULL;
    return node && node->kind == TREE_NUMBER ? node->number : NAN;
}

/* Two passes: the deviations are from the mean. */
static struct spread spread_from(double (*value)(const void *payload, size_t i),
                                 const void *payload, size_t n) {
    struct spread out = {.mean = NAN, .std = NAN, .error = NAN};
    struct total sum = {0}, squares = {0};
    for (size_t i = 0; i < n; i++) {
        double x = value(payload, i);
        if (isnan(x)) continue;
        total_add(&sum, x);
        out.n++;
    }
    if (out.n == 0) return out;
    out.mean = total_of(&sum) / (double)out.n;
    for (size_t i = 0; i < n; i++) {
        double off = value(payload, i) - out.mean;
        if (!isnan(off)) total_add(&squares, off * off);
    }
    if (out.n < 2) return out;
    out.std = sqrt(total_of(&squares) / (double)(out.n - 1));
    out.error = out.std / sqrt((double)out.n);
    return out;
}

struct metric_values {
    const struct trials *trials;
    size_t candidate;
    bool valid;
    const char *metric;
};

static double value_of_split(const void *payload, size_t s) {
    const struct metric_values *of = payload;
    return trials_value(of->trials, of->candidate, s, of->valid, of->metric);
}

static double value_at(const void *payload, size_t i) {
    return ((const double *)payload)[i];
}

struct spread trials_spread(const struct trials *trials, size_t candidate, bool valid,
                            const char *metric) {
    const struct metric_values of = {trials, candidate, valid, metric};
    return spread_from(value_of_split, &of, trials->splits->n);
}

struct spread spread_of(const double *values, size_t n) {
    return spread_from(value_at, values, n);
}

int metric_better(const char *metric) {
    static const char *const less[] = {"loss", "error", "brier", "hamming", "ece", "mce"};
    const char *dot = strrchr(metric, '.');
    const char *name = dot ? dot + 1 : metric;
    for (size_t i = 0; i < sizeof less / sizeof *less; i++)
        if (strstr(name, less[i])) return -1;
    return strcmp(name, "fp") == 0 || strcmp(name, "fn") == 0 ? -1 : 1;
}
