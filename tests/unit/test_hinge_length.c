/* The length that brings separated rows to their margin is that of the row nearest to the surface, whatever is
   rounded in the sums that find it. */
#include "solvers/hinge.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "core/context.h"
#include "seed.h"

enum { ROWS = 60, ROUNDS = 4000 };

static void separated_rows_come_to_their_margin(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(43), 1);
    sepal_ctx *ctx = NULL;
    assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
    for (size_t round = 0; round < ROUNDS; round++) {
        double m[ROWS], weight[ROWS], least = INFINITY, length;
        size_t n = 1 + rng_below(&rng, ROWS);
        double unit = exp2((double)rng_below(&rng, 60) - 30);
        for (size_t i = 0; i < n; i++) {
            m[i] = unit * (0.01 + rng_unit(&rng));
            weight[i] = round % 2 ? 1 / (double)n : (0.1 + rng_unit(&rng)) / (double)n;
            least = fmin(least, m[i]);
        }
        struct objective o = {.ctx = ctx, .n = n, .row_weight = weight};
        assert_int_equal(hinge_length(&length, &o, m, 1), SEPAL_OK);
        if (!(length * least >= 1 - 1e-15 && length * least <= 1 + 1e-9))
            fail_msg("round %zu, %zu rows: length %g, which makes the least margin %.17g", round, n,
                     length, length * least);
    }
    sepal_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(separated_rows_come_to_their_margin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
