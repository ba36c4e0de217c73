#include "io/parsed_chunk.h"

#include "core/alloc.h"

void parsed_clear_cells(struct parsed_chunk *parsed) {
    mem_free(parsed->f64_cells);
    mem_free(parsed->f32_cells);
    mem_free(parsed->entries.start);
    mem_free(parsed->entries.index);
    mem_free(parsed->entries.f32);
    mem_free(parsed->entries.f64);
    parsed->f64_cells = NULL;
    parsed->f32_cells = NULL;
    parsed->entries = (struct block){0};
}

void parsed_clear(struct parsed_chunk *parsed) {
    parsed_clear_cells(parsed);
    tokens_clear(&parsed->labels);
    for (size_t i = 0; parsed->columns && i < parsed->n_columns; i++) {
        if (parsed->columns[i].tokens) tokens_clear(parsed->columns[i].tokens);
        mem_free(parsed->columns[i].tokens);
        mem_free(parsed->columns[i].category);
    }
    mem_free(parsed->columns);
    mem_free(parsed->label);
    mem_free(parsed->weight);
    mem_free(parsed->kept);
    mem_free(parsed->kept_at);
    mem_free(parsed->drop);
    mem_free(parsed->left_out);
    mem_free(parsed->odd);
    bad_lines_clear(&parsed->bad);
    *parsed = (struct parsed_chunk){0};
}

sepal_status parsed_leave_out(struct parsed_chunk *parsed, sepal_ctx *ctx) {
    TRY(mem_reserve(ctx, (void **)&parsed->left_out, &parsed->left_out_room, parsed->n_left_out + 1,
                    sizeof *parsed->left_out));
    parsed->left_out[parsed->n_left_out] = parsed_records(parsed);
    parsed->n_left_out++;
    return SEPAL_OK;
}
