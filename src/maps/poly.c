/* poly: monomials of the columns. With interactions all of degree 1 to d, degree by degree, within a
   degree in the order of their sorted column numbers: x1 x2 x1^2 x1*x2 x2^2. Without: x1 x2 x1^2 x2^2.

   Those of degree g that begin with column i are x_i times the monomials of degree g - 1 that begin
   with i or a later column, which are the last of their degree. There are M(n, g) = C(n+g-1, g)
   monomials of degree g in n columns; so the monomials of degree g that begin with column i or later
   are the last M(D - i, g). Sparse rows do the same with their entries alone. */
#include "maps/map.h"

#include <string.h>

enum { MOST_DEGREE = 10 };

struct poly_config {
    size_t degree;
    bool interactions;
};

#define AT(field) offsetof(struct poly_config, field)
static const struct parameter parameters[] = {
    {"degree", PARAMETER_COUNT, AT(degree), "2", "[1, 10]", "the highest degree"},
    {"interactions", PARAMETER_FLAG, AT(interactions), "true", "",
     "false: only powers, no products of different columns"},
    {0},
};

/* M(n, g); right as long as 64 bits hold M(n, g) (n + g). */
static size_t monomials(size_t n, size_t g) {
    size_t count = 1;
    for (size_t i = 1; i <= g; i++) count = count * (n + i - 1) / i;
    return count;
}

/* All columns of degree 1 to d. A double: there may be too many for any integer. */
static double count_columns(size_t in, const struct poly_config *config) {
    double each = 1, all = 0;
    for (size_t g = 1; g <= config->degree; g++) {
        each *= config->interactions ? (double)(in + g - 1) / (double)g : 1;
        all += config->interactions ? each : (double)in;
    }
    return all;
}

static size_t sum_columns(size_t in, size_t degree) {
    size_t all = 0;
    for (size_t g = 1; g <= degree; g++) all += monomials(in, g);
    return all;
}

static sepal_status poly_plan(struct fitted_map *map, sepal_ctx *ctx) {
    const struct poly_config *config = map->config;
    double columns = count_columns(map->in, config);
    if (columns > INT32_MAX)
        return fail(ctx, SEPAL_EDATA,
                    "poly(degree=%zu) would make %.0f columns of %zu, more than 32-bit column "
                    "numbers tell apart; try %sfewer features, or hash(bits=10) before it",
                    config->degree, columns, map->in,
                    config->interactions ? "interactions=false, a lower degree, " : "");
    map->out =
        config->interactions ? sum_columns(map->in, config->degree) : map->in * config->degree;
    return SEPAL_OK;
}

static void dense_powers(const struct fitted_map *map, size_t degree, const double *in,
                         double *out) {
    for (size_t g = 2; g <= degree; g++, out += map->in)
        for (size_t j = 0; j < map->in; j++) out[map->in + j] = in[j] * out[j];
}

static void poly_dense(const struct fitted_map *map, const struct kernels *kernels,
                       const double *in, double *out) {
    const struct poly_config *config = map->config;
    size_t n = map->in;
    (void)kernels;
    memcpy(out, in, n * sizeof *out);
    if (!config->interactions) {
        dense_powers(map, config->degree, in, out);
        return;
    }
    double *at = out + n;
    for (size_t g = 2; g <= config->degree; g++) {
        const double *end = at; /* of the monomials of one degree less */
        size_t last = (size_t)(at - out) - sum_columns(n, g - 2);
        for (size_t i = 0; i < n; i++) {
            for (const double *from = end - last; from < end;) *at++ = in[i] * *from++;
            last = last * (n - i - 1) / (n - i + g - 2); /* M(n-i, g-1) to M(n-i-1, g-1) */
        }
    }
}

static void sparse_powers(const struct fitted_map *map, size_t degree, size_t n,
                          struct map_entries *out) {
    for (size_t g = 2; g <= degree; g++)
        for (size_t e = 0; e < n; e++, out->n++) {
            struct map_entry before = out->items[out->n - n], x = out->items[e];
            out->items[out->n] =
                (struct map_entry){before.column + (uint32_t)map->in, x.value * before.value};
        }
}

static sepal_status poly_sparse(sepal_ctx *ctx, const struct fitted_map *map,
                                const struct map_entries *in, struct map_entries *out) {
    const struct poly_config *config = map->config;
    size_t n = in->n,
           most = config->interactions ? sum_columns(n, config->degree) : n * config->degree;
    TRY(map_entries_reserve(ctx, out, most));
    if (n == 0) return SEPAL_OK;
    memcpy(out->items, in->items, n * sizeof *out->items);
    out->n = n;
    if (!config->interactions) {
        sparse_powers(map, config->degree, n, out);
        return SEPAL_OK;
    }
    for (size_t g = 2; g <= config->degree; g++) {
        const struct map_entry *end = out->items + out->n;
        size_t last = out->n - sum_columns(n, g - 2), of_degree = monomials(map->in, g);
        for (size_t i = 0; i < n; i++) {
            struct map_entry x = in->items[i];
            size_t left = map->in - x.column; /* columns, to count from the end of each degree */
            size_t further = of_degree + monomials(left, g - 1) - monomials(left, g);
            for (const struct map_entry *from = end - last; from < end; from++)
                out->items[out->n++] =
                    (struct map_entry){from->column + (uint32_t)further, x.value * from->value};
            last = last * (n - i - 1) / (n - i + g - 2);
        }
    }
    return SEPAL_OK;
}

/* ---- names -------------------------------------------------------------------------------- */

/* A factor, to some power; in brackets when its name is a product or a power itself, unless it is all
   there is. */
static void name_factor(sepal_ctx *ctx, struct text *out, size_t j, size_t power, bool all,
                        const struct map_names *inputs) {
    struct text name = {0};
    inputs->print(ctx, &name, j, inputs->payload);
    bool composed = !all && name.bytes && strpbrk(name.bytes, "*^");
    text_printf(ctx, out, composed ? "(%s)" : "%s", name.bytes ? name.bytes : "");
    if (power > 1) text_printf(ctx, out, "^%zu", power);
    out->failed = out->failed || name.failed;
    text_clear(&name);
}

/* The columns of monomial `rank` of degree g, smallest first. */
static void poly_find_factors(size_t factors[MOST_DEGREE], size_t n, size_t g, size_t rank) {
    size_t behind = monomials(n, g) - rank; /* it and all later ones */
    for (size_t f = 0; g > 0; f++, g--) {
        size_t low = 0, high = n - 1; /* the last i with M(n - i, g) >= behind */
        while (low < high) {
            size_t middle = high - (high - low) / 2;
            if (monomials(n - middle, g) >= behind)
                low = middle;
            else
                high = middle - 1;
        }
        factors[f] = low;
        behind -= monomials(n - low - 1, g); /* of degree g - 1, in columns `low` and later */
    }
}

static void poly_column_name(sepal_ctx *ctx, struct text *out, const struct fitted_map *map,
                             size_t j, const struct map_names *inputs) {
    const struct poly_config *config = map->config;
    size_t g = 1, factors[MOST_DEGREE];
    if (!config->interactions) {
        name_factor(ctx, out, j % map->in, j / map->in + 1, j < map->in, inputs);
        return;
    }
    for (size_t count; (count = monomials(map->in, g)) <= j; g++) j -= count;
    poly_find_factors(factors, map->in, g, j);
    for (size_t f = 0, next; f < g; f = next) {
        for (next = f + 1; next < g && factors[next] == factors[f];) next++;
        if (f > 0) text_puts(ctx, out, "*");
        name_factor(ctx, out, factors[f], next - f, g == 1, inputs);
    }
}

const struct map map_poly = {
    .name = "poly",
    .summary = "polynomial features: all monomials of the columns up to a degree",
    .parameters = parameters,
    .config_size = sizeof(struct poly_config),
    .plan = poly_plan,
    .dense = poly_dense,
    .sparse = poly_sparse,
    .column_name = poly_column_name,
};
