/* Areas by marching squares. Cell by cell the corners with one key are joined to a piece of that area: two
   places on the cell's edges where the key changes are joined by a line, three or four by lines to the cell's
   middle. Edges of the grid inside an area are never written down, as both cells would take them back. */
#include "plot/field.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

static struct point node_point(const struct field *field, size_t i, size_t j) {
    const struct axis *x = &field->frame.x, *y = &field->frame.y;
    return (struct point){x->low + (x->high - x->low) * (double)i / (double)(field->columns - 1),
                          y->low + (y->high - y->low) * (double)j / (double)(field->rows - 1)};
}

sepal_status field_make(struct field *out, struct plot *plot, field_ask ask, const void *of,
                        const struct frame *frame, double cell) {
    double width = frame->box.right - frame->box.left, height = frame->box.bottom - frame->box.top;
    *out = (struct field){.plot = plot,
                          .ask = ask,
                          .of = of,
                          .frame = *frame,
                          .columns = (size_t)fmax(2, ceil(width / cell)) + 1,
                          .rows = (size_t)fmax(2, ceil(height / cell)) + 1};
    size_t n = out->columns * out->rows;
    out->node = arena_alloc(plot->ctx, &plot->arena, n, sizeof *out->node);
    struct point *points = arena_alloc(plot->ctx, &plot->arena, n, sizeof *points);
    if (!out->node || !points) return SEPAL_EMEMORY;
    for (size_t j = 0; j < out->rows; j++)
        for (size_t i = 0; i < out->columns; i++)
            points[j * out->columns + i] = node_point(out, i, j);
    return ask(out->node, plot, of, points, n);
}

/* ---- Where the key changes ------------------------------------------------------------------- */

/* Numbers of points: nodes, then places on the edges to the right of nodes, on those above them, then the
   middles of cells. */
static size_t nodes(const struct field *f) {
    return f->columns * f->rows;
}

struct change {
    size_t point; /* its number */
    struct point low, high;
    int key; /* at `low` */
};

static sepal_status halve(struct field_areas *out, const struct field *field,
                          struct change *changes, size_t n, field_key key, const void *payload) {
    enum { HALVINGS = 7 };
    struct plot *plot = field->plot;
    struct point *middle = arena_alloc(plot->ctx, &plot->arena, n, sizeof *middle);
    struct answer *answers = arena_alloc(plot->ctx, &plot->arena, n, sizeof *answers);
    if (!middle || !answers) return SEPAL_EMEMORY;
    for (int step = 0; step < HALVINGS; step++) {
        for (size_t i = 0; i < n; i++)
            middle[i] = (struct point){(changes[i].low.x + changes[i].high.x) / 2,
                                       (changes[i].low.y + changes[i].high.y) / 2};
        TRY(field->ask(answers, plot, field->of, middle, n));
        for (size_t i = 0; i < n; i++) {
            bool below = key(&answers[i], payload) == changes[i].key;
            *(below ? &changes[i].low : &changes[i].high) = middle[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        out->points[changes[i].point] = (struct point){(changes[i].low.x + changes[i].high.x) / 2,
                                                       (changes[i].low.y + changes[i].high.y) / 2};
    return SEPAL_OK;
}

static sepal_status find_changes(struct field_areas *out, const struct field *f, const int *keys,
                                 field_key key, const void *payload) {
    struct plot *plot = f->plot;
    size_t n = 0;
    struct change *changes = arena_alloc(plot->ctx, &plot->arena, 2 * nodes(f), sizeof *changes);
    if (!changes) return SEPAL_EMEMORY;
    for (size_t j = 0; j < f->rows; j++)
        for (size_t i = 0; i < f->columns; i++) {
            size_t at = j * f->columns + i;
            out->points[at] = node_point(f, i, j);
            if (i + 1 < f->columns && keys[at] != keys[at + 1])
                changes[n++] = (struct change){nodes(f) + at, node_point(f, i, j),
                                               node_point(f, i + 1, j), keys[at]};
            if (j + 1 < f->rows && keys[at] != keys[at + f->columns])
                changes[n++] = (struct change){2 * nodes(f) + at, node_point(f, i, j),
                                               node_point(f, i, j + 1), keys[at]};
        }
    return halve(out, f, changes, n, key, payload);
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

static sepal_status add_edge(struct field_areas *out, sepal_ctx *ctx, size_t from, size_t to,
                             int key, int other, bool outer) {
    void *edges = out->edges;
    sepal_status status =
        mem_reserve(ctx, &edges, &out->room, out->n_edges + 1, sizeof *out->edges);
    out->edges = edges;
    TRY(status);
    out->edges[out->n_edges++] =
        (struct field_edge){.from = from, .to = to, .key = key, .other = other, .outer = outer};
    return SEPAL_OK;
}

/* The corners of a cell against the clock, and the places on its edges after each; keys of the corners. */
struct cell {
    size_t corner[4], place[4], middle;
    int key[4];
    bool changes[4], outer[4];
    size_t n_changes;
};

static struct cell cell_of(const struct field *f, const int *keys, size_t i, size_t j) {
    size_t at = j * f->columns + i, across = nodes(f), up = 2 * nodes(f);
    struct cell cell = {
        .corner = {at, at + 1, at + 1 + f->columns, at + f->columns},
        .place = {across + at, up + at + 1, across + at + f->columns, up + at},
        .middle = 3 * nodes(f) + at,
        .outer = {j == 0, i + 2 == f->columns, j + 2 == f->rows, i == 0},
    };
    for (size_t c = 0; c < 4; c++) cell.key[c] = keys[cell.corner[c]];
    for (size_t c = 0; c < 4; c++) {
        cell.changes[c] = cell.key[c] != cell.key[(c + 1) % 4];
        cell.n_changes += cell.changes[c];
    }
    return cell;
}

/* Along the frame: from corner to corner, by the place between them if the key changes there. */
static sepal_status outer_edges(struct field_areas *out, sepal_ctx *ctx, const struct cell *cell,
                                size_t c) {
    size_t next = (c + 1) % 4, from = cell->corner[c], to = cell->corner[next];
    if (!cell->changes[c]) return add_edge(out, ctx, from, to, cell->key[c], -1, true);
    TRY(add_edge(out, ctx, from, cell->place[c], cell->key[c], -1, true));
    return add_edge(out, ctx, cell->place[c], to, cell->key[next], -1, true);
}

/* From each change, where a run of corners ends, back to the change before it. */
static sepal_status cell_edges(struct field_areas *out, sepal_ctx *ctx, const struct cell *cell) {
    for (size_t c = 0; c < 4; c++)
        if (cell->outer[c]) TRY(outer_edges(out, ctx, cell, c));
    for (size_t c = 0; c < 4 && cell->n_changes > 0; c++) {
        if (!cell->changes[c]) continue;
        size_t before = (c + 3) % 4;
        while (!cell->changes[before]) before = (before + 3) % 4;
        int key = cell->key[c], behind = cell->key[(c + 1) % 4];
        int ahead = cell->key[before];
        if (cell->n_changes == 2) {
            TRY(add_edge(out, ctx, cell->place[c], cell->place[before], key, behind, false));
        } else {
            TRY(add_edge(out, ctx, cell->place[c], cell->middle, key, behind, false));
            TRY(add_edge(out, ctx, cell->middle, cell->place[before], key, ahead, false));
        }
    }
    return SEPAL_OK;
}

static int edge_order(const void *a, const void *b) {
    const struct field_edge *one = a, *other = b;
    if (one->key != other->key) return (one->key > other->key) - (one->key < other->key);
    if (one->from != other->from) return (one->from > other->from) - (one->from < other->from);
    return (one->to > other->to) - (one->to < other->to);
}

static sepal_status keep_keys(struct field_areas *out, struct plot *plot) {
    out->keys = arena_alloc(plot->ctx, &plot->arena, out->n_edges + 1, sizeof *out->keys);
    if (!out->keys) return SEPAL_EMEMORY;
    for (size_t e = 0; e < out->n_edges; e++)
        if (e == 0 || out->edges[e].key != out->edges[e - 1].key)
            out->keys[out->n_keys++] = out->edges[e].key;
    return SEPAL_OK;
}

sepal_status field_trace(struct field_areas *out, const struct field *field, field_key key,
                         const void *payload) {
    struct plot *plot = field->plot;
    size_t n = nodes(field);
    *out = (struct field_areas){0};
    int *keys = arena_alloc(plot->ctx, &plot->arena, n, sizeof *keys);
    out->points = arena_zero(plot->ctx, &plot->arena, 4 * n, sizeof *out->points);
    if (!keys || !out->points) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) keys[i] = key(&field->node[i], payload);
    TRY(find_changes(out, field, keys, key, payload));
    struct field_areas found = *out;
    sepal_status status = SEPAL_OK;
    for (size_t j = 0; j + 1 < field->rows; j++)
        for (size_t i = 0; i + 1 < field->columns && status == SEPAL_OK; i++) {
            struct cell cell = cell_of(field, keys, i, j);
            struct point a = node_point(field, i, j), b = node_point(field, i + 1, j + 1);
            found.points[cell.middle] = (struct point){(a.x + b.x) / 2, (a.y + b.y) / 2};
            status = cell_edges(&found, plot->ctx, &cell);
        }
    /* into the arena, which gives them back */
    struct field_edge *edges =
        status == SEPAL_OK ? arena_alloc(plot->ctx, &plot->arena, found.n_edges + 1, sizeof *edges)
                           : NULL;
    if (edges && found.n_edges > 0) memcpy(edges, found.edges, found.n_edges * sizeof *edges);
    mem_free(found.edges);
    found.edges = edges;
    *out = found;
    TRY(status);
    if (!edges) return SEPAL_EMEMORY;
    if (out->n_edges > 0) qsort(edges, out->n_edges, sizeof *edges, edge_order);
    return keep_keys(out, plot);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* The first edge of a key not before this point. */
static size_t edge_from(const struct field_areas *areas, int key, size_t from) {
    size_t low = 0, high = areas->n_edges;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct field_edge *e = &areas->edges[middle];
        if (e->key < key || (e->key == key && e->from < from))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct field_edge *next_unused(struct field_areas *areas, int key, size_t from) {
    for (size_t i = edge_from(areas, key, from); i < areas->n_edges; i++) {
        struct field_edge *e = &areas->edges[i];
        if (e->key != key || e->from != from) return NULL;
        if (!e->used) return e;
    }
    return NULL;
}

static struct point at_pixel(const struct field_areas *areas, const struct field *field, size_t i) {
    return frame_point(&field->frame, areas->points[i].x, areas->points[i].y);
}

void field_outline(struct field_areas *areas, const struct field *field, int key) {
    struct canvas *canvas = &field->plot->canvas;
    for (size_t i = 0; i < areas->n_edges; i++) areas->edges[i].used = false;
    for (size_t i = edge_from(areas, key, 0); i < areas->n_edges && areas->edges[i].key == key;
         i++) {
        struct pencil pencil = {.canvas = canvas};
        struct field_edge *e = areas->edges[i].used ? NULL : &areas->edges[i];
        if (!e) continue;
        for (; e; e = next_unused(areas, key, e->to)) {
            e->used = true;
            pencil_go(&pencil, at_pixel(areas, field, e->from), at_pixel(areas, field, e->to));
        }
        pencil_lift(&pencil);
        canvas_close(canvas);
    }
}

static void draw_line(struct field_areas *areas, const struct field *field, struct field_edge *e) {
    struct pencil pencil = {.canvas = &field->plot->canvas};
    for (; e; e = next_unused(areas, e->key, e->to)) {
        e->used = true;
        pencil_go(&pencil, at_pixel(areas, field, e->from), at_pixel(areas, field, e->to));
    }
    pencil_lift(&pencil);
}

/* Lines from where they begin, so that each is in one piece and its dashes go on; then those without a beginning. */
void field_borders(struct field_areas *areas, const struct field *field, const struct pen *pen) {
    struct field_edge *edges = areas->edges;
    for (size_t i = 0; i < areas->n_edges; i++) {
        edges[i].used = edges[i].outer || edges[i].key > edges[i].other;
        edges[i].later = false;
    }
    for (size_t i = 0; i < areas->n_edges; i++) {
        struct field_edge *next =
            edges[i].used ? NULL : next_unused(areas, edges[i].key, edges[i].to);
        if (next) next->later = true;
    }
    for (int loops = 0; loops < 2; loops++)
        for (size_t i = 0; i < areas->n_edges; i++)
            if (!edges[i].used && (loops || !edges[i].later)) draw_line(areas, field, &edges[i]);
    canvas_draw(&field->plot->canvas, pen);
}
