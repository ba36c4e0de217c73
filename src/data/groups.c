/* Groups of rows that belong together, by the text that stands in their column. */
#include "data/data.h"

#include "core/alloc.h"
#include "data/tokens.h"

#include <string.h>

static sepal_status group_rows(sepal_data *data, sepal_ctx *ctx, struct tokens *names,
                               const char *column) {
    bool fresh;
    for (size_t i = 0; i < data->matrix.rows; i++) {
        struct slice text = {data->kept[i], strlen(data->kept[i])};
        size_t blanks = strspn(text.bytes, " \t");
        if (blanks == text.length)
            return fail(ctx, SEPAL_EDATA,
                        "row %zu has no group in column '%.60s'; fill it in, or leave the row out",
                        matrix_row_number(&data->matrix, i) + 1, column);
        TRY(tokens_add(names, ctx, text, &data->group[i], &fresh));
    }
    data->n_groups = names->count;
    return SEPAL_OK;
}

sepal_status data_group_by_kept(sepal_data *data, sepal_ctx *ctx, const char *column) {
    struct tokens names = {0};
    data->group = mem_alloc(ctx, data->matrix.rows, sizeof *data->group);
    if (!data->group) return SEPAL_EMEMORY;
    sepal_status status = group_rows(data, ctx, &names, column);
    tokens_clear(&names);
    data->kept = NULL;
    data->kept_header = NULL;
    return status;
}
