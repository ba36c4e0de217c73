/* The linear model: scores around its centre, decisions at ties and at zero, what it shows. */
#include "data/data.h"
#include "kernels/kernels.h"
#include "linear/decide.h"
#include "linear/linear.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static sepal_ctx ctx;

static int fresh(void **state) {
    (void)state;
    ctx = (sepal_ctx){.root = &ctx, .threads = 1, .kernels = kernels_choose()};
    return 0;
}

static void decisions_at_ties(void **state) {
    (void)state;
    struct linear two, four;
    assert_int_equal(linear_init(&two, &ctx, 2, 1, false), SEPAL_OK);
    assert_int_equal(linear_init(&four, &ctx, 4, 1, false), SEPAL_OK);
    assert_int_equal(two.rows, 1);
    assert_int_equal(four.rows, 4);
    static const struct {
        double score;
        int32_t class;
    } signs[] = {{-1, 0}, {-5e-324, 0}, {0, 1}, {-0.0, 1}, {5e-324, 1}, {1, 1}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        assert_int_equal(linear_decide(&two, &signs[i].score), signs[i].class);
    static const struct {
        double scores[4];
        int32_t class;
    } machines[] = {{{0, 0, 0, 0}, 0},    {{1, 2, 2, 1}, 1}, {{-3, -2, -2, -2}, 1},
                    {{1, 2, 3, 4}, 3},    {{4, 3, 2, 4}, 0}, {{-1, 0, -0.0, -1}, 1},
                    {{-9, -8, -7, -7}, 2}};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        assert_int_equal(linear_decide(&four, machines[i].scores), machines[i].class);
    linear_clear(&two);
    linear_clear(&four);
}

enum { ROWS = 50, COLS = 7, CLASSES = 3 };

static sepal_data *some_rows(double shift) {
    double x[ROWS * COLS];
    for (size_t i = 0; i < ROWS * COLS; i++) x[i] = shift + (double)((i * 37) % 101) / 16;
    sepal_data *data = NULL;
    assert_int_equal(data_from_dense(&data, &ctx, x, ROWS, COLS, NULL, NULL), SEPAL_OK);
    return data;
}

/* b + w . (x - c), to the last digit even where x and c are large. */
static void scores_are_taken_around_the_centre(void **state) {
    (void)state;
    static const double shifts[] = {0, 1e8, -3e12};
    for (size_t s = 0; s < sizeof shifts / sizeof *shifts; s++) {
        sepal_data *data = some_rows(shifts[s]);
        struct linear linear;
        assert_int_equal(linear_init(&linear, &ctx, CLASSES, COLS, true), SEPAL_OK);
        for (size_t j = 0; j < COLS; j++) linear.centre[j] = shifts[s];
        for (size_t i = 0; i < CLASSES * COLS; i++) linear.w[i] = (double)(i % 5) - 2;
        for (size_t r = 0; r < CLASSES; r++) linear.b[r] = (double)r;
        double scores[ROWS * CLASSES];
        assert_int_equal(linear_scores(scores, &ctx, &linear, &data->matrix), SEPAL_OK);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t r = 0; r < CLASSES; r++) {
                double sum = (double)r;
                for (size_t j = 0; j < COLS; j++)
                    sum += linear.w[r * COLS + j] * (double)(((i * COLS + j) * 37) % 101) / 16;
                assert_true(fabs(scores[i * CLASSES + r] - sum) <= 1e-12 + fabs(shifts[s]) * 1e-15);
            }
        for (size_t r = 0; r < CLASSES; r++) {
            double bias = (double)r, square = 0;
            for (size_t j = 0; j < COLS; j++) {
                bias -= linear.w[r * COLS + j] * shifts[s];
                square += linear.w[r * COLS + j] * linear.w[r * COLS + j];
            }
            assert_true(linear_bias(&linear, r) == bias);
            assert_true(fabs(linear_norm(&linear, r) - sqrt(square)) <= 1e-14 * sqrt(square));
        }
        linear_clear(&linear);
        data_free(data);
    }
}

/* The line 3 - 3/4 x1 - x2 = 0 is 2.4 from the origin. */
static void the_textbook_line(void **state) {
    (void)state;
    struct linear linear;
    assert_int_equal(linear_init(&linear, &ctx, 2, 2, false), SEPAL_OK);
    linear.w[0] = -0.75, linear.w[1] = -1, linear.b[0] = 3;
    assert_true(fabs(linear_bias(&linear, 0) / linear_norm(&linear, 0) - 2.4) < 1e-15);
    linear.w[0] = 3e200, linear.w[1] = 4e200; /* whose squares no double holds */
    assert_true(fabs(linear_norm(&linear, 0) / 5e200 - 1) < 1e-15);
    linear.w[0] = linear.w[1] = 0;
    assert_true(linear_norm(&linear, 0) == 0);
    linear_clear(&linear);
}

static void scores_out_of_range_are_refused(void **state) {
    (void)state;
    sepal_data *data = some_rows(1e300);
    struct linear linear;
    int32_t classes[ROWS];
    assert_int_equal(linear_init(&linear, &ctx, 2, COLS, false), SEPAL_OK);
    linear.w[0] = 1e10;
    assert_int_equal(linear_predict(classes, &ctx, &linear, &data->matrix), SEPAL_EDATA);
    linear.w[0] = 1e-10;
    assert_int_equal(linear_predict(classes, &ctx, &linear, &data->matrix), SEPAL_OK);
    assert_int_equal(classes[0], 1);
    linear_clear(&linear);
    data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(decisions_at_ties, fresh),
        cmocka_unit_test_setup(scores_are_taken_around_the_centre, fresh),
        cmocka_unit_test_setup(the_textbook_line, fresh),
        cmocka_unit_test_setup(scores_out_of_range_are_refused, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
