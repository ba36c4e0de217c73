/* Columns that are copies of others: their numbers are hashed, and those of the same hash compared. */
#include "doctor/check.h"

#include "core/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hashed {
    uint64_t hash;
    size_t column;
};

static uint64_t mix(uint64_t hash, uint64_t bits) {
    hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t number_bits(double x) {
    uint64_t bits;
    if (isnan(x)) return UINT64_MAX;
    x += 0.0; /* -0 is 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t hash_column(const struct doctor *doctor, size_t column) {
    const struct sample *sample = &doctor->sample;
    uint64_t hash = doctor_is_text(doctor, column);
    if (sample->cells) {
        const double *x = sample->cells + column * sample->n;
        for (size_t k = 0; k < sample->n; k++) hash = mix(hash, number_bits(x[k]));
        return hash;
    }
    for (size_t e = sample->start[column]; e < sample->start[column + 1]; e++)
        hash = mix(mix(hash, sample->at[e]), number_bits(sample->value[e]));
    return hash;
}

static int by_hash(const void *a, const void *b) {
    const struct hashed *one = a, *other = b;
    if (one->hash != other->hash) return one->hash < other->hash ? -1 : 1;
    return one->column < other->column ? -1 : one->column > other->column;
}

/* The numbers of two categories say the same only where these are called the same. */
static bool same_categories(const struct doctor *doctor, size_t a, size_t b) {
    if (!doctor_is_text(doctor, a) || !doctor_is_text(doctor, b))
        return doctor_is_text(doctor, a) == doctor_is_text(doctor, b);
    const struct column *one = &doctor->data->schema->columns[a],
                        *other = &doctor->data->schema->columns[b];
    if (one->n_categories != other->n_categories) return false;
    for (size_t k = 0; k < one->n_categories; k++)
        if (strcmp(one->categories[k], other->categories[k]) != 0) return false;
    return true;
}

static bool same_columns(const struct doctor *doctor, size_t a, size_t b) {
    const struct matrix *matrix = &doctor->data->matrix;
    struct block_iterator blocks = {.matrix = matrix};
    if (!same_categories(doctor, a, b)) return false;
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++)
            if (!doctor_same(doctor_cell(block, i, matrix->cols, a),
                             doctor_cell(block, i, matrix->cols, b)))
                return false;
    return true;
}

/* Words that always stand together are no mistake while they are rare. */
static bool is_common(const struct sample *sample, size_t column) {
    enum { SHARE = 20 };
    return sample->cells ||
           (!sample_is_thin(sample, column) && sample_entries(sample, column) > sample->n / SHARE);
}

static void tell_copies(struct doctor *doctor, const size_t *copies, const size_t *originals,
                        size_t n) {
    struct finding *finding = doctor_find(doctor, "duplicate", RANK_SLOW, copies, n);
    struct text *message = &finding->message;
    if (n == 1) {
        doctor_put_columns(doctor, message, copies, 1, "is a copy of ", "");
        doctor_put_name(doctor, message, originals[0]);
    } else {
        doctor_put_columns(doctor, message, copies, n, "", "are copies of others: ");
        enum { SHOWN = 5 };
        for (size_t k = 0; k < n && k < SHOWN; k++) {
            text_puts(doctor->ctx, message, k ? ", " : "");
            doctor_put_name(doctor, message, copies[k]);
            text_puts(doctor->ctx, message, " of ");
            doctor_put_name(doctor, message, originals[k]);
        }
        if (n > SHOWN) text_printf(doctor->ctx, message, " and %zu more", n - SHOWN);
    }
    text_puts(doctor->ctx, &finding->advice,
              n == 1 ? "the two share their weight; " : "copies share their weight; ");
    doctor_put_drop(doctor, &finding->advice, copies, n);
}

static sepal_status duplicate_look(struct doctor *doctor) {
    enum { MOST_COMPARED = 1000 };
    const struct sample *sample = &doctor->sample;
    size_t n = 0, found = 0, compared = 0, cols = sample->n > 2 ? sample->cols : 0;
    struct hashed *all = arena_alloc(doctor->ctx, &doctor->arena, cols, sizeof *all);
    size_t *copies = arena_alloc(doctor->ctx, &doctor->arena, cols, sizeof *copies);
    size_t *originals = arena_alloc(doctor->ctx, &doctor->arena, cols, sizeof *originals);
    if (!all || !copies || !originals) return SEPAL_EMEMORY;
    for (size_t j = 0; j < cols; j++)
        if (!doctor->marked[j] && is_common(sample, j))
            all[n++] = (struct hashed){hash_column(doctor, j), j};
    qsort(all, n, sizeof *all, by_hash);
    for (size_t k = 1, first = 0; k < n; k++) {
        if (all[k].hash != all[first].hash) first = k;
        if (first == k || compared++ >= MOST_COMPARED) continue;
        if (!same_columns(doctor, all[first].column, all[k].column)) continue;
        TRY(check_cancelled(doctor->ctx, "looking for copies of columns"));
        doctor->marked[all[k].column] = true;
        copies[found] = all[k].column;
        originals[found++] = all[first].column;
    }
    /* in the order of the columns */
    for (size_t k = 0; k < found; k++) all[k] = (struct hashed){copies[k], originals[k]};
    qsort(all, found, sizeof *all, by_hash);
    for (size_t k = 0; k < found; k++) {
        copies[k] = (size_t)all[k].hash;
        originals[k] = all[k].column;
    }
    if (found) tell_copies(doctor, copies, originals, found);
    return SEPAL_OK;
}

const struct check check_duplicate = {
    .name = "duplicate",
    .summary = "columns that are copies of others",
    .look = duplicate_look,
};
