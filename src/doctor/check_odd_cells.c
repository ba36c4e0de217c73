/* Text in columns of numbers: only a survey of a file comes so far, a fit is refused at the first of them. */
#include "doctor/check.h"

static sepal_status odd_cells_look(struct doctor *doctor) {
    const struct file_facts *facts = doctor->data->facts;
    if (!facts || !facts->columns || facts->odd_cells == 0) return SEPAL_OK;
    size_t n = 0, *columns = arena_alloc(doctor->ctx, &doctor->arena, facts->n, sizeof *columns);
    if (!columns) return SEPAL_EMEMORY;
    for (size_t c = 0; c < facts->n; c++)
        if (facts->columns[c].odd && facts->columns[c].feature != SIZE_MAX)
            columns[n++] = facts->columns[c].feature;
    if (n == 0) return SEPAL_OK;
    struct finding *finding = doctor_find(doctor, "odd-cells", RANK_NO_FIT, columns, n);
    struct text *message = &finding->message;
    doctor_put_columns(doctor, message, columns, n, "has text among its numbers",
                       "have text among their numbers");
    doctor_put_list(doctor, message, columns, n);
    text_printf(doctor->ctx, message, "; the first is '%s' in line %zu", facts->odd[0].text,
                facts->odd[0].line);
    text_puts(doctor->ctx, &finding->advice,
              "a fit refuses it; mend the cells, or say that all of them are text, ");
    doctor_put_pick(doctor, &finding->advice, "categorical ", columns, n);
    return SEPAL_OK;
}

const struct check check_odd_cells = {
    .name = "odd-cells",
    .summary = "text in columns of numbers",
    .look = odd_cells_look,
};
