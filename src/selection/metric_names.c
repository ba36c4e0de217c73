#include "selection/metric_names.h"

#include "eval/metric.h"

#include <string.h>

static const struct metric *metric_of(const char *name, size_t length) {
    for (size_t i = 0; metric_table[i]; i++)
        if (strlen(metric_table[i]->name) == length &&
            strncmp(metric_table[i]->name, name, length) == 0)
            return metric_table[i];
    return NULL;
}

static sepal_status refuse_metric(sepal_ctx *ctx, struct slice name) {
    struct text able = {0};
    char shown[TEXT_SHOWN_BYTES];
    for (size_t i = 0; metric_table[i]; i++)
        text_printf(ctx, &able, "%s%s", i ? ", " : "", metric_table[i]->name);
    sepal_status status =
        able.failed
            ? SEPAL_EMEMORY
            : fail(ctx, SEPAL_EUSAGE,
                   "there is no metric '%s'; there are %s, those of classes also as "
                   "macro.f1, micro.f1, weighted.f1, positive.f1 (" OPTION "metric accuracy,f1)",
                   text_shown(shown, name.bytes, name.length), able.bytes);
    text_clear(&able);
    return status;
}

static sepal_status metric_path(const char **out, sepal_ctx *ctx, struct arena *arena,
                                struct slice given) {
    static const char *const averages[] = {"macro.", "micro.", "weighted.", "positive."};
    char *spelled = arena_text(ctx, arena, given.bytes, given.length);
    if (!spelled) return SEPAL_EMEMORY;
    for (char *c = spelled; *c; c++)
        if (*c == '-') *c = '_'; /* as the table has it */
    struct slice name = {spelled, given.length};
    const struct metric *metric = metric_of(name.bytes, name.length);
    if (metric && metric->of_rows) {
        *out = arena_text(ctx, arena, name.bytes, name.length);
    } else if (metric) {
        char *path = arena_alloc(ctx, arena, name.length + sizeof "macro.", 1);
        if (!path) return SEPAL_EMEMORY;
        memcpy(path, "macro.", 6);
        memcpy(path + 6, metric->name, name.length + 1);
        *out = path;
    } else {
        for (size_t i = 0; i < sizeof averages / sizeof *averages; i++) {
            size_t before = strlen(averages[i]);
            if (name.length <= before || strncmp(name.bytes, averages[i], before) != 0) continue;
            metric = metric_of(name.bytes + before, name.length - before);
        }
        if (!metric || !metric->of_class) return refuse_metric(ctx, name);
        *out = arena_text(ctx, arena, name.bytes, name.length);
    }
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status metric_names_read(struct metric_names *out, sepal_ctx *ctx, struct arena *arena,
                               const char *names, bool single_rows) {
    const char *at = names         ? names
                     : single_rows ? "accuracy,log_loss"
                                   : "accuracy,balanced_accuracy,f1,log_loss,roc_auc";
    size_t most = 1;
    for (const char *p = at; *p; p++) most += *p == ',';
    out->n = 0;
    out->path = arena_alloc(ctx, arena, most, sizeof *out->path);
    if (!out->path) return SEPAL_EMEMORY;
    for (;; at++) {
        at += strspn(at, " ");
        size_t length = strcspn(at, ","), end = length;
        while (end > 0 && at[end - 1] == ' ') end--;
        TRY(metric_path(&out->path[out->n++], ctx, arena, (struct slice){at, end}));
        at += length;
        if (!*at) return SEPAL_OK;
    }
}

bool metric_is_of_probabilities(const char *path) {
    const struct metric *metric = metric_of(path, strlen(path));
    return metric && metric->probabilities;
}

bool metric_ranks(const char *path) {
    const struct metric *metric = metric_of(path, strlen(path));
    return metric && metric->ranks;
}
