/* The fit fuzzer: small random tables of odd kinds through every learner, map, reduction and solver.

   A problem is a function of a seed and its number. SEPAL_TEST_SEED sets the seed, which nightly runs
   draw anew, SEPAL_FUZZ_ONE=N runs problem N alone, SEPAL_FUZZ_FROM=N and SEPAL_FUZZ_COUNT=N other
   ones, SEPAL_FUZZ_SPEC=TEXT those whose spec has the text, SEPAL_FUZZ_TIMES=1 shows what each costs, and
   SEPAL_FUZZ_CSV=FILE writes the table for the command. */
#include "contract/fit_fuzz_paths.h"
#include "contract/fit_fuzz_sets.h"
#include "contract/fit_fuzz_stops.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
enum { PROBLEMS_NIGHTLY = 2000 }; /* small fits have one thread */
#else
enum { PROBLEMS_NIGHTLY = 20000 };
#endif
enum { PROBLEMS = 500, PATIENCE_SECONDS = 60 };

/* ---- what is told when a problem does not come back --------------------------------------------- */

/* The problem at hand, for signal handlers. */
static char at_hand[2048];
static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { DEADLY = sizeof deadly / sizeof *deadly };
static struct sigaction before[DEADLY];

static void tell_problem(void) {
    ssize_t written = write(STDERR_FILENO, at_hand, strlen(at_hand));
    (void)written;
}

/* Then whoever was there before the test frame's own: the signal comes again, and a sanitizer tells
   where. */
static void on_death(int number) {
    tell_problem();
    for (int k = 0; k < DEADLY; k++)
        if (deadly[k] == number) (void)sigaction(number, &before[k], NULL);
    if (number == SIGABRT) (void)raise(number);
}

static void on_patience(int number) {
    static const char words[] = "still at it after a minute:\n";
    ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
    (void)written;
    (void)number;
    tell_problem();
}

/* The sanitizers' own end, where there are any. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void watch(void) {
    struct sigaction death = {.sa_handler = on_death}, patience = {.sa_handler = on_patience};
    patience.sa_flags = SA_RESTART;
    for (int k = 0; k < DEADLY; k++) (void)sigaction(deadly[k], &death, NULL);
    (void)sigaction(SIGALRM, &patience, NULL);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(tell_problem);
}

static void unwatch(void) {
    for (int k = 0; k < DEADLY; k++) (void)sigaction(deadly[k], &before[k], NULL);
    (void)alarm(0);
}

/* ---- a problem ---------------------------------------------------------------------------------- */

static struct table without_weightless(const struct table *t) {
    size_t n = 0;
    struct table out = table_copy(t);
    for (size_t i = 0; i < t->p.rows; i++)
        if (problem_weight(&t->p, i) > 0) copy_row(&out, n++, t, i);
    out.p.rows = n;
    return out;
}

static void take_absolute(struct table *t) {
    for (size_t i = 0; i < t->p.rows * t->p.cols; i++) t->p.x[i] = fabs(t->p.x[i]);
    say(t, ", absolute values");
}

/* A spec whose parts go together. */
static void draw_spec(struct fuzz *z, struct rng *rng) {
    enum { TRIES = 20 };
    for (int k = 0; k < TRIES; k++) {
        z->spec = spec_draw(z->number, rng);
        if (sepal_model_fit_check(ctx, z->spec.text, NULL) == SEPAL_OK) return;
        char *reduction = z->spec.reduction ? strrchr(z->spec.text, '|') : NULL;
        if (reduction) reduction[-1] = '\0', z->spec.reduction = NULL;
        if (sepal_model_fit_check(ctx, z->spec.text, NULL) == SEPAL_OK) return;
    }
    fail_msg("problem %zu: no spec is accepted, the last: %s: %s", z->number, z->spec.text,
             sepal_ctx_error(ctx));
}

static void draw_table(struct fuzz *z, struct rng *rng) {
    /* columns of poly grow like a square, and so do the rows that a pocket counts */
    bool wide = !strstr(z->spec.text, "poly"), tall = !strstr(z->spec.text, "pocket");
    z->given = table_draw(rng, wide, tall);
    z->table = without_weightless(&z->given);
    snprintf(at_hand, sizeof at_hand,
             "AT seed %llu problem %zu\n  spec \"%s\"\n  table: %s\n"
             "  again: SEPAL_TEST_SEED=%llu SEPAL_FUZZ_ONE=%zu test_fit_fuzz\n",
             (unsigned long long)z->seed, z->number, z->spec.text, z->given.words,
             (unsigned long long)z->seed, z->number);
    (void)alarm(PATIENCE_SECONDS);
}

static void write_table(const struct fuzz *z, const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t j = 0; j < z->given.p.cols; j++) fprintf(file, "x%zu,", j + 1);
    fprintf(file, "%sclass\n", z->given.p.weight ? "weight," : "");
    for (size_t i = 0; i < z->given.p.rows; i++) {
        for (size_t j = 0; j < z->given.p.cols; j++)
            fprintf(file, "%.17g,", *cell(&z->given, i, j));
        if (z->given.p.weight) fprintf(file, "%.17g,", z->given.p.weight[i]);
        fprintf(file, "%s\n", plain_names[z->given.p.label[i]]);
    }
    assert_int_equal(fclose(file), 0);
    print_message("problem %zu, in %s: sepal train %s -m '%s'%s\n  %s\n", z->number, path, path,
                  z->spec.text, z->given.p.weight ? " --weight weight" : "", z->given.words);
}

static void check_laws(struct fuzz *z, const struct run *base, struct rng *rng) {
    law_weightless(z, base);
    law_names(z, base);
    law_class_order(z, base, rng);
    law_row_order(z, base, rng);
    law_column_order(z, base, rng);
    law_copies(z, base);
    law_storage(z, base);
    if (z->number % 8 == 0) law_threads(z, base);
    if (z->number % 4 == 1) law_calibration(z, base);
    if (z->number % 4 == 3) law_bootstrap(z, base);
    if (z->spec.learner->path) law_path(z);
    if (z->spec.learner->sets) law_label_sets(z);
    if (stops_matter(z)) law_stops(z, base);
}

static void run_problem(struct fuzz *z) {
    struct rng rng = rng_make(z->seed, 2 * z->number); /* fixed: the seed of the run */
    const char *csv = getenv("SEPAL_FUZZ_CSV"), *only = getenv("SEPAL_FUZZ_SPEC");
    draw_spec(z, &rng);
    if (only && !strstr(z->spec.text, only)) return;
    draw_table(z, &rng);
    struct run base = run_fit(z, &z->table, NULL, NULL);
    if (base.status == SEPAL_EDATA) { /* counts, perhaps */
        check_run(z, &base);
        run_free(&base);
        take_absolute(&z->given);
        take_absolute(&z->table);
        base = run_fit(z, &z->table, NULL, NULL);
    }
    if (z->alone && csv && *csv) write_table(z, csv);
    check_run(z, &base);
    if (base.status == SEPAL_OK) check_file(z, &base);
    check_laws(z, &base, &rng);
    if (base.status == SEPAL_OK) law_solvers(z, &base);
    run_free(&base);
    table_free(&z->given);
    table_free(&z->table);
}

/* ---- all of them -------------------------------------------------------------------------------- */

static size_t number_from(const char *variable, size_t unless) {
    const char *text = getenv(variable);
    return text && *text ? (size_t)strtoull(text, NULL, 10) : unless;
}

static bool nightly(void) {
    const char *text = getenv("SEPAL_NIGHTLY");
    return text && *text;
}

static void every_fit_keeps_the_laws(void **state) {
    (void)state;
    size_t seed = number_from("SEPAL_TEST_SEED", nightly() ? (size_t)time(NULL) : 1);
    size_t only = number_from("SEPAL_FUZZ_ONE", SIZE_MAX);
    size_t first = only != SIZE_MAX ? only : number_from("SEPAL_FUZZ_FROM", 0);
    size_t n = only != SIZE_MAX
                   ? 1
                   : number_from("SEPAL_FUZZ_COUNT", nightly() ? PROBLEMS_NIGHTLY : PROBLEMS);
    size_t fits = 0, paths = 0, findings = 0;
    print_message("seed %zu, problems %zu to %zu\n", seed, first, first + n - 1);
    watch();
    for (size_t k = first; k < first + n; k++) {
        struct fuzz z = {.seed = seed, .number = k, .alone = only != SIZE_MAX};
        clock_t began = clock();
        run_problem(&z);
        double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        if (getenv("SEPAL_FUZZ_TIMES") && z.fits)
            print_message("%8.3f s  problem %zu: %s; %s\n", seconds, k, z.spec.text, z.given.words);
        fits += z.fits;
        paths += z.paths;
        findings += z.findings;
    }
    unwatch();
    print_message("COUNT fuzzed-problems %zu %zu\n", n, findings);
    print_message("COUNT fuzzed-fits %zu %zu\n", fits, findings);
    print_message("COUNT fuzzed-paths %zu %zu\n", paths, findings);
    assert_int_equal(findings, 0);
    /* about six fits a problem: those of learners with many solvers make up for what is refused */
    if (n >= PROBLEMS) assert_true(n >= specs_in_all() && fits >= 5 * n);
    /* two learners of eleven have paths, and one table of three has too few rows for one */
    if (n >= PROBLEMS) assert_true(paths >= n / 12);
}

/* ---- found by it -------------------------------------------------------------------------------- */

/* Problems of other seeds that once broke a law. */
static void what_was_found_stays_mended(void **state) {
    (void)state;
    static const struct {
        uint64_t seed;
        size_t number;
    } found[] = {
        {1794963258, 1643}, /* sparse columns far from 0 */
        {1794963257, 6757}, /* variances of sparse columns, rows of very different weight */
        {81180, 16322},     /* newton-cg near a Hessian that is not that of the next place */
        {61181, 2903},      /* a bound above P by the rounding of the total weight */
        {61181, 18387},     /* a singular Gram matrix, all of whose pivots were clear */
        {103, 370},         /* a label that all rows have, without a penalty */
        {106, 82},          /* newton proved by the dual point of the solver before it */
        {203, 536},         /* Crammer and Singer's loss, columns of 1e45 */
        {204, 140},         /* the same with cubes, and a bias that is penalised */
    };
    for (size_t k = 0; k < sizeof found / sizeof *found; k++) {
        struct fuzz z = {.seed = found[k].seed, .number = found[k].number};
        run_problem(&z);
        assert_int_equal(z.findings, 0);
    }
}

/* Weights whose squares no double holds: without a ridge they cost nothing. */
static void tiny_columns_have_an_objective(void **state) {
    (void)state;
    struct fuzz z = {.spec = {.text = "least-squares", .learner = learner_find("least-squares")}};
    struct table t = table_of(6, 1, 2);
    for (size_t i = 0; i < 6; i++) {
        t.p.label[i] = i % 2 != 0;
        *cell(&t, i, 0) = i % 2 ? 1e-200 : 0;
    }
    struct run run = run_fit(&z, &t, NULL, NULL);
    assert_int_equal(run.status, SEPAL_OK);
    assert_true(fabs(run.objective) < 1e-20);
    run_free(&run);
    table_free(&t);
}

/* Fewer rows than columns, all far from 0: along w each class is a point, in sparse rows as well. */
static void no_spread_is_none_in_sparse_rows(void **state) {
    (void)state;
    enum { TABLES = 60 };
    size_t seed = number_from("SEPAL_TEST_SEED", 1), findings = 0;
    for (size_t k = 0; k < TABLES; k++) {
        struct fuzz z = {.seed = seed,
                         .number = k,
                         .spec = {.text = "fisher(cut=gauss)", .learner = learner_find("fisher")}};
        struct rng rng = rng_make(seed, 2000000 + k); /* fixed: the seed of the run */
        size_t rows = between(&rng, 4, 6);
        double far = power_of_ten(&rng, 4, 7);
        z.given = z.table = table_of(rows, rows + 1, 2);
        for (size_t i = 0; i < rows; i++) {
            z.table.p.label[i] = i % 3 == 0;
            for (size_t j = 0; j <= rows; j++) *cell(&z.table, i, j) = far + normal(&rng);
        }
        struct run base = run_fit(&z, &z.table, NULL, NULL);
        check_run(&z, &base);
        law_storage(&z, &base);
        findings += z.findings;
        run_free(&base);
        table_free(&z.table);
    }
    assert_int_equal(findings, 0);
}

/* Columns that differ in scale by 1e6 to 1e14, or are dependent up to 1e-6 to 1e-14: no solver may call
   an answer converged that another betters. */
static struct table hard_table_by(struct rng *rng, size_t number, double by) {
    struct table t = table_of(between(rng, 10, 40), 3, 2);
    bool dependent = number % 2 != 0;
    for (size_t i = 0; i < t.p.rows; i++) {
        int label = t.p.label[i] = i < 2 ? (int)i : (int)rng_below(rng, 2);
        double noise = normal(rng), other = 2 * label - 1 + normal(rng);
        *cell(&t, i, 0) = 3 + normal(rng);
        *cell(&t, i, 1) = dependent ? *cell(&t, i, 0) * (1 + by * other) : by * other;
        *cell(&t, i, 2) = noise;
    }
    say(&t, "hard, %s %g", dependent ? "dependent up to" : "one column times", by);
    t.sparse = number % 4 > 1;
    return t;
}

static struct table hard_table(struct rng *rng, size_t number) {
    return hard_table_by(rng, number, power_of_ten(rng, -14, -6));
}

/* Whether any solver of the spec betters what another calls converged on the table, which is freed. */
static size_t denials(struct fuzz *z, struct table table, const char *spec, const char *learner) {
    snprintf(z->spec.text, sizeof z->spec.text, "%s", spec);
    z->spec.learner = learner_find(learner);
    z->given = z->table = table;
    struct run base = run_fit(z, &z->table, NULL, NULL);
    check_run(z, &base);
    assert_int_equal(base.status, SEPAL_OK);
    law_solvers(z, &base);
    run_free(&base);
    table_free(&z->table);
    return z->findings;
}

/* One column is another times 1 + 7.7e-13 normal: there newton called an objective converged that newton-cg
   went 4 % below. */
static void a_column_almost_repeated(void **state) {
    (void)state;
    enum { TABLES = 24 };
    struct rng rng = rng_make(102, 1635); /* fixed: what was found */
    for (size_t k = 0; k < TABLES; k++) {
        struct fuzz z = {.seed = 102, .number = k};
        struct table table = hard_table_by(&rng, 2 * k + 1, 7.7e-13);
        assert_int_equal(denials(&z, table, "logistic(penalty=none)", "logistic"), 0);
    }
}

static void no_solver_denies_what_another_finds(void **state) {
    (void)state;
    static const struct {
        const char *spec, *learner;
    } specs[] = {{"least-squares", "least-squares"},
                 {"least-squares(l2=1e-9)", "least-squares"},
                 {"svm(penalty=none)", "svm"},
                 {"svm(penalty=none, loss=hinge)", "svm"},
                 {"logistic(penalty=none)", "logistic"}};
    enum { TABLES = 40, SPECS = sizeof specs / sizeof *specs };
    size_t seed = number_from("SEPAL_TEST_SEED", 1), findings = 0;
    for (size_t k = 0; k < TABLES * SPECS; k++) {
        struct fuzz z = {.seed = seed, .number = k};
        struct rng rng = rng_make(seed, 1000000 + k); /* fixed: the seed of the run */
        findings += denials(&z, hard_table(&rng, k / SPECS), specs[k % SPECS].spec,
                            specs[k % SPECS].learner);
    }
    assert_int_equal(findings, 0);
}

int main(void) {
    for (int k = 0; k < DEADLY; k++) (void)sigaction(deadly[k], NULL, &before[k]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fit_keeps_the_laws),
        cmocka_unit_test(what_was_found_stays_mended),
        cmocka_unit_test(tiny_columns_have_an_objective),
        cmocka_unit_test(no_spread_is_none_in_sparse_rows),
        cmocka_unit_test(a_column_almost_repeated),
        cmocka_unit_test(no_solver_denies_what_another_finds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
