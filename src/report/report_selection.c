/* Which page a task of selection has: a function for each line of its table. */
#include "report/report_page.h"

#include <string.h>

#define TASK(name) void name##_page(struct page *page, const struct tree *root, bool all);
#include "selection/tasks.def"
#undef TASK

void selection_page(struct page *page, const struct sepal_report *report) {
    static const struct {
        const char *task;
        void (*put)(struct page *page, const struct tree *root, bool all);
    } pages[] = {
#define TASK(name) {#name, name##_page},
#include "selection/tasks.def"
#undef TASK
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(pages[i].task, report->task) == 0)
            pages[i].put(page, report->root, report->top == 0);
}
