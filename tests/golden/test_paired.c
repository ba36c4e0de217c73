/* The corrected paired t-test, the tails of Student's t and Holm's adjustment are those of paired.csv, which
   make_paired.py wrote beside it. */
#include "inference/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CELLS = 128, LINE_BYTES = 8192 };

struct line {
    char text[LINE_BYTES], *name;
    double number[CELLS];
    size_t n;
};

/* The numbers of the next line of that kind; a test has its name before them. */
static int next_line(struct line *line, FILE *file, const char *kind) {
    size_t length = strlen(kind);
    while (fgets(line->text, sizeof line->text, file)) {
        if (strncmp(line->text, kind, length) != 0 || line->text[length] != ',') continue;
        char *at = line->text + length + 1;
        line->name = at;
        line->n = 0;
        if (strcmp(kind, "test") == 0) {
            at += strcspn(at, ",");
            *at++ = '\0';
        }
        for (;; at++) {
            line->number[line->n++] = strtod(at, &at);
            if (*at != ',') return 1;
        }
    }
    return 0;
}

static FILE *golden(void) {
    const char *source = getenv("SEPAL_SOURCE");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/golden/paired.csv", source ? source : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

static void assert_near(double found, double wanted, double tolerance, const char *name) {
    if (!(fabs(found - wanted) <= tolerance * fabs(wanted)))
        fail_msg("%s: %.17g is not %.17g", name, found, wanted);
}

static void test_tests(void **state) {
    (void)state;
    static struct line line;
    FILE *file = golden();
    int n = 0;
    for (; next_line(&line, file, "test"); n++) {
        const double *cells = line.number;
        struct paired_test test = paired_test(cells + 3, line.n - 3, cells[0]);
        assert_near(test.t, cells[1], 1e-12, line.name);
        assert_near(test.p, cells[2], 1e-11, line.name);
        assert_near(test.difference, test.t * test.standard_error, 1e-14, line.name);
        assert_int_equal(test.freedom, line.n - 4);
    }
    fclose(file);
    assert_int_equal(n, 12);
}

static void test_tails(void **state) {
    (void)state;
    static struct line line;
    FILE *file = golden();
    int n = 0;
    for (; next_line(&line, file, "tail"); n++) {
        size_t freedom = (size_t)line.number[1];
        assert_near(student_two_sided(line.number[0], freedom), line.number[2], 1e-11, "tail");
        assert_near(student_two_sided(-line.number[0], freedom), line.number[2], 1e-11, "tail");
    }
    fclose(file);
    assert_int_equal(n, 60);
    assert_true(student_two_sided(0, 5) == 1);
    assert_true(student_two_sided(INFINITY, 5) == 0);
    assert_true(isnan(student_two_sided(NAN, 5)) && isnan(student_two_sided(1, 0)));
}

static void test_holm(void **state) {
    (void)state;
    static struct line line;
    FILE *file = golden();
    int lines = 0;
    for (; next_line(&line, file, "holm"); lines++) {
        size_t n = (size_t)line.number[0];
        double adjusted[CELLS], with_hole[CELLS], p[CELLS];
        adjust_holm(adjusted, line.number + 1, n);
        for (size_t i = 0; i < n; i++)
            assert_near(adjusted[i], line.number[1 + n + i], 1e-14, "holm");
        memcpy(p, line.number + 1, n * sizeof *p);
        p[n] = NAN; /* one that could not be tested does not count */
        adjust_holm(with_hole, p, n + 1);
        assert_memory_equal(with_hole, adjusted, n * sizeof *p);
        assert_true(isnan(with_hole[n]));
    }
    fclose(file);
    assert_int_equal(lines, 5);
}

/* Equal everywhere, equal but for a constant, and too few. */
static void test_constant(void **state) {
    (void)state;
    const double none[] = {0, 0, 0}, one[] = {0.1, 0.1, 0.1};
    struct paired_test test = paired_test(none, 3, 0.5);
    assert_true(test.difference == 0 && test.p == 1 && test.t == 0);
    test = paired_test(one, 3, 0.5);
    assert_true(fabs(test.difference - 0.1) < 1e-15 && isnan(test.p) && isnan(test.t));
    test = paired_test(one, 1, 0.5);
    assert_true(test.difference == 0.1 && isnan(test.standard_error) && isnan(test.p));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tests),
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_holm),
        cmocka_unit_test(test_constant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
