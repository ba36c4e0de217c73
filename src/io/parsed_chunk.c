#include "io/parsed_chunk.h"

#include "core/alloc.h"

void parsed_clear_cells(struct parsed_chunk *raw) {
    mem_free(raw->f64_cells);
    mem_free(raw->f32_cells);
    mem_free(raw->entries.start);
    mem_free(raw->entries.index);
    mem_free(raw->entries.f32);
    mem_free(raw->entries.f64);
    raw->f64_cells = NULL;
    raw->f32_cells = NULL;
    raw->entries = (struct block){0};
}

void parsed_clear(struct parsed_chunk *raw) {
    parsed_clear_cells(raw);
    tokens_clear(&raw->labels);
    for (size_t i = 0; raw->columns && i < raw->n_columns; i++) {
        if (raw->columns[i].tokens) tokens_clear(raw->columns[i].tokens);
        mem_free(raw->columns[i].tokens);
        mem_free(raw->columns[i].category);
    }
    mem_free(raw->columns);
    mem_free(raw->label);
    mem_free(raw->weight);
    mem_free(raw->kept);
    mem_free(raw->kept_at);
    mem_free(raw->drop);
    mem_free(raw->left_out);
    mem_free(raw->odd);
    bad_lines_clear(&raw->bad);
    *raw = (struct parsed_chunk){0};
}

sepal_status parsed_leave_out(struct parsed_chunk *raw, sepal_ctx *ctx) {
    TRY(mem_reserve(ctx, (void **)&raw->left_out, &raw->left_out_room, raw->n_left_out + 1,
                    sizeof *raw->left_out));
    raw->left_out[raw->n_left_out] = parsed_records(raw);
    raw->n_left_out++;
    return SEPAL_OK;
}
