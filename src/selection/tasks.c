#include "selection/task.h"

#include <string.h>

#define TASK(name) extern const struct selection_task task_##name;
#include "selection/tasks.def"
#undef TASK

const struct selection_task *const selection_table[] = {
#define TASK(name) &task_##name,
#include "selection/tasks.def"
#undef TASK
    NULL,
};

static sepal_status refuse_task(sepal_ctx *ctx, const char *task) {
    struct text able = {0};
    for (size_t i = 0; selection_table[i]; i++)
        text_printf(ctx, &able, "%s%s", i ? ", " : "", selection_table[i]->name);
    sepal_status status =
        able.failed ? SEPAL_EMEMORY
                    : fail(ctx, SEPAL_EUSAGE, "there is no task '%.60s' of selection; there are %s",
                           task, able.bytes);
    text_clear(&able);
    return status;
}

static sepal_status check_specs(const struct selection *selection,
                                const struct selection_task *task) {
    size_t n = selection->n_specs;
    for (size_t i = 0; i < n; i++)
        if (!selection->specs[i])
            return fail(selection->ctx, SEPAL_EUSAGE, "spec %zu of the %zu of '%s' is NULL", i + 1,
                        n, task->name);
    if (n >= task->least_specs && n <= task->most_specs) return SEPAL_OK;
    if (task->least_specs == task->most_specs)
        return fail(selection->ctx, SEPAL_EUSAGE, "%s takes %zu spec%s, not %zu", task->name,
                    task->least_specs, task->least_specs == 1 ? "" : "s", n);
    return fail(selection->ctx, SEPAL_EUSAGE, "%s takes %zu to %zu specs, not %zu", task->name,
                task->least_specs, task->most_specs, n);
}

const struct selection_task *selection_find(sepal_ctx *ctx, const char *name) {
    for (size_t i = 0; selection_table[i]; i++)
        if (strcmp(selection_table[i]->name, name) == 0) return selection_table[i];
    (void)refuse_task(ctx, name);
    return NULL;
}

sepal_status selection_do(struct selection *selection, const struct selection_task *task) {
    TRY(check_specs(selection, task));
    if (!selection->data) return task->check(selection);
    TRY(task->run(selection));
    return selection->make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}
