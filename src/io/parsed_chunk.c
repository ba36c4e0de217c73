#include "io/parsed_chunk.h"

#include "core/alloc.h"

#include <string.h>

sepal_status bad_lines_add(struct bad_lines *bad, sepal_ctx *ctx, struct spot spot,
                           const char *message) {
    size_t at = bad->shown;
    bad->count++;
    while (at && spot_earlier(spot, bad->line[at - 1].spot)) at--;
    if (at == BAD_LINES_SHOWN) return SEPAL_OK;
    char *copy = mem_copy_text(ctx, message, strlen(message));
    if (!copy) return SEPAL_EMEMORY;
    if (bad->shown == BAD_LINES_SHOWN)
        mem_free(bad->line[BAD_LINES_SHOWN - 1].message);
    else
        bad->shown++;
    memmove(bad->line + at + 1, bad->line + at, (bad->shown - 1 - at) * sizeof *bad->line);
    bad->line[at] = (struct bad_line){spot, copy};
    return SEPAL_OK;
}

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
    mem_free(parsed->place);
    mem_free(parsed->left_out);
    mem_free(parsed->odd);
    for (size_t i = 0; i < parsed->bad.shown; i++) mem_free(parsed->bad.line[i].message);
    *parsed = (struct parsed_chunk){0};
}

sepal_status parsed_note_place(struct parsed_chunk *parsed, sepal_ctx *ctx, size_t place) {
    if (!parsed->notes_places) return SEPAL_OK;
    TRY(mem_reserve(ctx, (void **)&parsed->place, &parsed->place_room, parsed->n_places + 1,
                    sizeof *parsed->place));
    parsed->place[parsed->n_places++] = place;
    return SEPAL_OK;
}

sepal_status parsed_leave_out(struct parsed_chunk *parsed, sepal_ctx *ctx) {
    TRY(mem_reserve(ctx, (void **)&parsed->left_out, &parsed->left_out_room, parsed->n_left_out + 1,
                    sizeof *parsed->left_out));
    parsed->left_out[parsed->n_left_out] = parsed_records(parsed);
    parsed->n_left_out++;
    return SEPAL_OK;
}

sepal_status parsed_add_odd(struct parsed_chunk *parsed, sepal_ctx *ctx, struct odd_text odd) {
    TRY(mem_reserve(ctx, (void **)&parsed->odd, &parsed->odd_room, parsed->n_odd + 1,
                    sizeof *parsed->odd));
    odd.row = parsed->rows;
    parsed->odd[parsed->n_odd++] = odd;
    return SEPAL_OK;
}

void *parsed_copy(sepal_ctx *ctx, const void *from, size_t count, size_t size) {
    void *to = mem_alloc(ctx, count, size);
    if (to && count) memcpy(to, from, count * size);
    return to;
}

sepal_status parsed_keep(struct parsed_chunk *parsed, sepal_ctx *ctx, const uint32_t *label,
                         const double *weight) {
    if (label) parsed->label = parsed_copy(ctx, label, parsed->rows, sizeof *label);
    if (weight) parsed->weight = parsed_copy(ctx, weight, parsed->rows, sizeof *weight);
    return (label && !parsed->label) || (weight && !parsed->weight) ? SEPAL_EMEMORY : SEPAL_OK;
}
