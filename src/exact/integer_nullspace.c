/* Multipliers without rounding, by arithmetic modulo many primes (von zur Gathen and Gerhard, "Modern
   Computer Algebra", 5.5). Doubles are whole numbers times powers of two, so after scaling the
   equations the matrix is one of whole numbers. Let r be its rank, A the r equations and r points with a
   determinant D that is not 0, and b the sum of the other points times their weights (of one other
   point: itself). By Cramer's rule

       m_others = D weights,   m = - D inverse(A) b

   are whole numbers and solve the system. Modulo a prime they cost one elimination; from enough
   primes they follow by the Chinese remainder theorem, here in Garner's mixed radix: x = d_0 + d_1 p_0
   + d_2 p_0 p_1 + ... When a prime adds nothing, all its digits being 0 (or all p - 1 for a negative
   number), the number is complete. The primes of a batch run in parallel and are used in order. */
#include "exact/integer_nullspace.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "exact/modular.h"

#include <float.h>

enum { BATCH = 8, GCD_LIMBS = 128 };
/* Multiplications that are still worth while; about a minute of one core. */
static const double MOST_WORK = 3e10;

struct kernel {
    sepal_ctx *ctx;
    struct arena *arena;
    const struct exact_system *system;
    struct budget *budget;
    int *lowest;    /* per equation: least exponent of its entries */
    int most_shift; /* exponents above it, at most */
    size_t rank;
    uint32_t *pivot_row, *pivot_column; /* rank of each */
    bool *pivotal;                      /* per point: it is one of these */
    const int64_t *weight;              /* of the others; NULL: 1 */
    double bits;                        /* no number is longer: Hadamard's bound */

    uint64_t primes[BATCH];
    uint64_t *batch;  /* BATCH x n_points: the multipliers modulo each prime */
    bool lost[BATCH]; /* the determinant is 0 modulo this prime */

    struct modulus *used; /* the primes so far */
    uint64_t *digit;      /* most x n_points */
    size_t n_used, most_used;
};

sepal_status exact_system_add(struct exact_system *s, sepal_ctx *ctx, size_t equation, size_t point,
                              double value) {
    if (value == 0) return SEPAL_OK;
    int exponent;
    TRY(mem_reserve(ctx, (void **)&s->entries, &s->room, s->n_entries + 1, sizeof *s->entries));
    int64_t whole = (int64_t)ldexp(frexp(value, &exponent), DBL_MANT_DIG);
    exponent -= DBL_MANT_DIG;
    for (; whole % 2 == 0; whole /= 2) exponent++;
    s->entries[s->n_entries++] =
        (struct exact_entry){(uint32_t)equation, (uint32_t)point, whole, exponent};
    return SEPAL_OK;
}

/* ---- one prime ---------------------------------------------------------------------------- */

static uint64_t *powers_of_two(sepal_ctx *ctx, const struct kernel *k, const struct modulus *m) {
    uint64_t *power = mem_alloc(ctx, (size_t)k->most_shift + 1, sizeof *power);
    if (!power) return NULL;
    power[0] = m->one;
    for (int e = 1; e <= k->most_shift; e++) {
        uint64_t twice = power[e - 1] * 2;
        power[e] = twice >= m->p ? twice - m->p : twice;
    }
    return power;
}

/* The whole matrix modulo p, row-major. */
static sepal_status residues(uint64_t **out, sepal_ctx *ctx, const struct kernel *k,
                             const struct modulus *m) {
    const struct exact_system *s = k->system;
    uint64_t *a = mem_zero(ctx, s->n_equations, s->n_points * sizeof *a);
    uint64_t *power = a ? powers_of_two(ctx, k, m) : NULL;
    if (!power) {
        mem_free(a);
        return SEPAL_EMEMORY;
    }
    for (size_t i = 0; i < s->n_entries; i++) {
        const struct exact_entry *e = &s->entries[i];
        uint64_t size = e->value < 0 ? 0 - (uint64_t)e->value : (uint64_t)e->value;
        uint64_t x = modular_multiply(m, modular_enter(m, size),
                                      power[e->exponent - k->lowest[e->equation]]);
        a[e->equation * s->n_points + e->point] = e->value < 0 ? modular_negative(m, x) : x;
    }
    mem_free(power);
    *out = a;
    return SEPAL_OK;
}

/* row -= factor * pivot, from column `from` on */
static void eliminate(const struct modulus *m, uint64_t *row, const uint64_t *pivot,
                      uint64_t factor, size_t from, size_t to) {
    for (size_t j = from; j < to; j++)
        row[j] = modular_subtract(m, row[j], modular_multiply(m, factor, pivot[j]));
}

/* Which equations and points are independent, modulo the first prime. */
static sepal_status find_rank(struct kernel *k) {
    size_t n = k->system->n_points;
    struct modulus m = modulus_make(prime_below(UINT64_C(1) << 62));
    uint64_t *a = NULL;
    TRY(residues(&a, k->ctx, k, &m));
    for (size_t i = 0; i < k->system->n_equations && k->rank < n; i++) {
        uint64_t *row = a + i * n;
        for (size_t r = 0; r < k->rank; r++)
            if (row[k->pivot_column[r]])
                eliminate(&m, row, a + k->pivot_row[r] * n, row[k->pivot_column[r]], 0, n);
        size_t at = 0;
        while (at < n && row[at] == 0) at++;
        if (at == n) continue;
        uint64_t scale = modular_inverse(&m, row[at]);
        for (size_t j = 0; j < n; j++) row[j] = modular_multiply(&m, row[j], scale);
        k->pivot_row[k->rank] = (uint32_t)i;
        k->pivot_column[k->rank++] = (uint32_t)at;
        double work = (double)n * (double)k->rank;
        if (budget_spent(k->budget, k->ctx, work, "separable: exact multipliers, their rank"))
            break;
    }
    mem_free(a);
    return SEPAL_OK;
}

static uint64_t weight_modulo(const struct kernel *k, const struct modulus *m, size_t point) {
    int64_t weight = k->weight ? k->weight[point] : 1;
    uint64_t size = modular_enter(m, weight < 0 ? 0 - (uint64_t)weight : (uint64_t)weight);
    return weight < 0 ? modular_negative(m, size) : size;
}

/* The chosen equations: the pivot columns, then the sum of the others with its sign changed. */
static void pick(const struct kernel *k, const struct modulus *m, const uint64_t *a, uint64_t *b) {
    size_t n = k->system->n_points, width = k->rank + 1;
    for (size_t i = 0; i < k->rank; i++) {
        const uint64_t *row = a + k->pivot_row[i] * n;
        for (size_t j = 0; j < k->rank; j++) b[i * width + j] = row[k->pivot_column[j]];
        b[i * width + k->rank] = 0;
    }
    for (size_t j = 0; j < n; j++) {
        if (k->pivotal[j]) continue;
        uint64_t weight = weight_modulo(k, m, j);
        for (size_t i = 0; i < k->rank; i++) {
            uint64_t *sum = &b[i * width + k->rank];
            *sum =
                modular_subtract(m, *sum, modular_multiply(m, weight, a[k->pivot_row[i] * n + j]));
        }
    }
}

/* Solve, and the determinant; false when it is 0. */
static bool nullspace_solve(const struct modulus *m, uint64_t *b, size_t n, uint64_t *x,
                            uint64_t *determinant) {
    size_t width = n + 1;
    *determinant = m->one;
    for (size_t step = 0; step < n; step++) {
        size_t at = step;
        while (at < n && b[at * width + step] == 0) at++;
        if (at == n) return false;
        uint64_t *pivot = b + step * width;
        for (size_t j = 0; at != step && j < width; j++) {
            uint64_t keep = pivot[j];
            pivot[j] = b[at * width + j];
            b[at * width + j] = keep;
        }
        if (at != step) *determinant = modular_negative(m, *determinant);
        *determinant = modular_multiply(m, *determinant, pivot[step]);
        uint64_t scale = modular_inverse(m, pivot[step]);
        for (size_t j = step; j < width; j++) pivot[j] = modular_multiply(m, pivot[j], scale);
        for (size_t i = step + 1; i < n; i++)
            if (b[i * width + step])
                eliminate(m, b + i * width, pivot, b[i * width + step], step, width);
    }
    for (size_t i = n; i-- > 0;) {
        x[i] = b[i * width + n];
        for (size_t j = i + 1; j < n; j++)
            x[i] = modular_subtract(m, x[i], modular_multiply(m, b[i * width + j], x[j]));
    }
    return true;
}

static sepal_status solve_prime(sepal_ctx *ctx, size_t task, void *payload) {
    struct kernel *k = payload;
    struct modulus m = modulus_make(k->primes[task]);
    uint64_t *a = NULL, determinant, *out = k->batch + task * k->system->n_points;
    TRY(residues(&a, ctx, k, &m));
    uint64_t *b = mem_alloc(ctx, k->rank, (k->rank + 2) * sizeof *b);
    sepal_status status = b ? SEPAL_OK : SEPAL_EMEMORY;
    if (b) {
        uint64_t *x = b + k->rank * (k->rank + 1);
        pick(k, &m, a, b);
        k->lost[task] = !nullspace_solve(&m, b, k->rank, x, &determinant);
        for (size_t i = 0; i < k->rank && !k->lost[task]; i++)
            out[k->pivot_column[i]] = modular_value(&m, modular_multiply(&m, determinant, x[i]));
        for (size_t j = 0; j < k->system->n_points && !k->lost[task]; j++)
            if (!k->pivotal[j])
                out[j] =
                    modular_value(&m, modular_multiply(&m, determinant, weight_modulo(k, &m, j)));
    }
    mem_free(b);
    mem_free(a);
    return status;
}

/* ---- all primes --------------------------------------------------------------------------- */

/* The next digit of every number in mixed radix. True when it only says their signs: 0 for one that is
   not negative, p - 1 for one that is. */
static bool add_prime(struct kernel *k, uint64_t prime, const uint64_t *residue) {
    size_t n = k->system->n_points, t = k->n_used++;
    struct modulus m = k->used[t] = modulus_make(prime);
    uint64_t product = m.one; /* of the primes before, in Montgomery's form */
    for (size_t s = 0; s < t; s++)
        product = modular_multiply(&m, product, modular_enter(&m, k->used[s].p));
    uint64_t inverse = modular_inverse(&m, product);
    bool complete = t > 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t value = 0; /* of the digits so far, modulo this prime */
        for (size_t s = t; s-- > 0;) {
            value = modular_multiply(&m, value, modular_enter(&m, k->used[s].p));
            value = modular_subtract(&m, value,
                                     modular_negative(&m, modular_enter(&m, k->digit[s * n + i])));
        }
        uint64_t d = modular_subtract(&m, modular_enter(&m, residue[i]), value);
        d = modular_value(&m, modular_multiply(&m, d, inverse));
        k->digit[t * n + i] = d;
        complete = complete && (d == 0 || d == m.p - 1);
    }
    return complete;
}

/* The size of the number that the digits of point i stand for. */
static sepal_status compose(struct bigint *out, const struct kernel *k, size_t i, bool negative) {
    size_t n = k->system->n_points, t = k->n_used - 1; /* the last prime only confirmed */
    TRY(bigint_make(out, k->ctx, k->arena, 2 * t + 4));
    for (size_t s = t; s-- > 0;) {
        uint64_t d = k->digit[s * n + i], p = k->used[s].p;
        bigint_extend(out, p, negative ? p - 1 - d : d);
    }
    if (negative) bigint_extend(out, 1, 1);
    return SEPAL_OK;
}

/* Divide all by what they have in common. */
static sepal_status reduce(struct bigint *numbers, size_t n, const struct kernel *k) {
    size_t twos = SIZE_MAX, room = 4;
    for (size_t i = 0; i < n; i++) {
        size_t zeros = bigint_zeros(&numbers[i]);
        if (zeros < twos) twos = zeros;
        if (numbers[i].room > room) room = numbers[i].room;
    }
    for (size_t i = 0; i < n; i++)
        if (numbers[i].n) bigint_shift_right(&numbers[i], twos);
    if (room > GCD_LIMBS) return SEPAL_OK;
    struct bigint common, other;
    TRY(bigint_make(&common, k->ctx, k->arena, room));
    TRY(bigint_make(&other, k->ctx, k->arena, room));
    for (size_t i = 0; i < n; i++) {
        if (!numbers[i].n) continue;
        bigint_copy(&other, &numbers[i]);
        bigint_shift_right(&other, bigint_zeros(&other));
        bigint_gcd(&common, &other);
    }
    for (size_t i = 0; i < n; i++)
        if (numbers[i].n) bigint_divide(&numbers[i], &common);
    return SEPAL_OK;
}

static sepal_status print_all(struct exact_vector *out, const struct kernel *k) {
    size_t n = k->system->n_points, last = k->n_used - 1;
    struct bigint *numbers = arena_alloc(k->ctx, k->arena, n, sizeof *numbers);
    const char **texts = arena_alloc(k->ctx, k->arena, n, sizeof *texts);
    out->negative = arena_alloc(k->ctx, k->arena, n, sizeof *out->negative);
    out->sizes = arena_alloc(k->ctx, k->arena, n, sizeof *out->sizes);
    if (!numbers || !texts || !out->negative || !out->sizes) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) {
        out->negative[i] = k->digit[last * n + i] != 0;
        TRY(compose(&numbers[i], k, i, out->negative[i]));
    }
    TRY(reduce(numbers, n, k));
    for (size_t i = 0; i < n; i++) {
        TRY(bigint_make(&out->sizes[i], k->ctx, k->arena, numbers[i].n));
        bigint_copy(&out->sizes[i], &numbers[i]);
        texts[i] = bigint_print(k->ctx, k->arena, &numbers[i]);
        if (!texts[i]) return SEPAL_EMEMORY;
    }
    out->digits = texts;
    return SEPAL_OK;
}

static sepal_status run_primes(struct exact_vector *out, struct kernel *k) {
    uint64_t prime = UINT64_C(1) << 62;
    double r = (double)k->rank, work = BATCH * r * r * r / 3;
    while (k->n_used + BATCH <= k->most_used) {
        for (size_t i = 0; i < BATCH; i++) k->primes[i] = prime = prime_below(prime);
        TRY(parallel_for(k->ctx, BATCH, solve_prime, k));
        for (size_t i = 0; i < BATCH; i++) {
            if (k->lost[i]) continue;
            if (add_prime(k, k->primes[i], k->batch + i * k->system->n_points))
                return print_all(out, k);
        }
        if (budget_spent(k->budget, k->ctx, work, "separable: exact multipliers")) return SEPAL_OK;
    }
    return SEPAL_OK;
}

/* Exponents, and the length of the longest number that can come out. */
static sepal_status nullspace_measure(struct kernel *k) {
    const struct exact_system *s = k->system;
    k->lowest = arena_alloc(k->ctx, k->arena, s->n_equations, sizeof *k->lowest);
    double *square = arena_zero(k->ctx, k->arena, s->n_equations, sizeof *square);
    k->pivot_row = arena_alloc(k->ctx, k->arena, s->n_points, sizeof *k->pivot_row);
    k->pivot_column = arena_alloc(k->ctx, k->arena, s->n_points, sizeof *k->pivot_column);
    k->batch = arena_zero(k->ctx, k->arena, BATCH, s->n_points * sizeof *k->batch);
    if (!k->lowest || !square || !k->pivot_row || !k->pivot_column || !k->batch)
        return SEPAL_EMEMORY;
    for (size_t i = 0; i < s->n_equations; i++) k->lowest[i] = INT32_MAX;
    for (size_t i = 0; i < s->n_entries; i++)
        if (s->entries[i].exponent < k->lowest[s->entries[i].equation])
            k->lowest[s->entries[i].equation] = s->entries[i].exponent;
    int *most = arena_zero(k->ctx, k->arena, s->n_equations, sizeof *most);
    if (!most) return SEPAL_EMEMORY;
    for (size_t i = 0; i < s->n_entries; i++) {
        const struct exact_entry *e = &s->entries[i];
        int shift = e->exponent - k->lowest[e->equation], bits;
        if (shift > k->most_shift) k->most_shift = shift;
        (void)frexp((double)e->value, &bits);
        if (shift + bits > most[e->equation]) most[e->equation] = shift + bits;
    }
    for (size_t i = 0; i < s->n_equations; i++) square[i] = most[i];
    TRY(find_rank(k));
    for (size_t i = 0; i < k->rank; i++)
        k->bits += square[k->pivot_row[i]] + log2((double)s->n_points) / 2 + 1;
    return SEPAL_OK;
}

sepal_status exact_null_vector(struct exact_vector *out, sepal_ctx *ctx, struct arena *arena,
                               const struct exact_system *system, const int64_t *weight,
                               struct budget *budget) {
    struct kernel k = {
        .ctx = ctx, .arena = arena, .system = system, .weight = weight, .budget = budget};
    size_t n = system->n_points;
    *out = (struct exact_vector){0};
    TRY(nullspace_measure(&k));
    if (budget->stopped) return SEPAL_OK;
    out->rank = k.rank;
    if (k.rank == n || (!weight && k.rank + 1 != n)) return SEPAL_OK;
    k.pivotal = arena_zero(ctx, arena, n, sizeof *k.pivotal);
    if (!k.pivotal) return SEPAL_EMEMORY;
    for (size_t i = 0; i < k.rank; i++) k.pivotal[k.pivot_column[i]] = true;
    if (weight) k.bits += 64 + log2((double)n);
    k.most_used = (size_t)(k.bits / 61) + 2 + 2 * BATCH;
    double r = (double)k.rank;
    if (r * r * r / 3 * (double)k.most_used > MOST_WORK) return SEPAL_OK;
    k.used = arena_alloc(ctx, arena, k.most_used, sizeof *k.used);
    k.digit = arena_alloc(ctx, arena, k.most_used, n * sizeof *k.digit);
    if (!k.used || !k.digit) return SEPAL_EMEMORY;
    return run_primes(out, &k);
}
