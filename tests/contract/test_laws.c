/* Laws over all tables, as scikit-learn checks its estimators: each pipeline that the tables give, and
   each change of the data that must not matter. */
#include "contract/law_cases.h"

#include "model/model_file.h"

#include "fixture.h"

enum { TABLE_ROWS = 36, TABLE_COLUMNS = 4 };

struct changed {
    enum law law;
    struct table train, asked; /* `asked`: the rows before, as the change leaves them */
    size_t class_of[4];        /* where the scores of a class are to be found */
    bool negated;              /* of two classes: the sign of the score */
};

static void changed_free(struct changed *c) {
    table_free(&c->train);
    table_free(&c->asked);
}

static struct changed change(const struct table *t, enum law law, struct rng *rng) {
    static const char *const renamed[] = {"p", "q", "r", "s"};
    /* class k is now called so: the order of names is another */
    static const char *const relabelled[2][4] = {{"b", "a"}, {"b", "c", "a"}};
    struct changed c = {.law = law, .class_of = {0, 1, 2, 3}};
    switch (law) {
    case ROWS: c.train = with_rows_permuted(t, rng); break;
    case SCALED: c.train = with_weights_times(t, rng_below(rng, 2) ? 3 : 0.25); break;
    case COPIED: c.train = with_copies(t); break;
    case COLUMNS: c.train = with_columns_turned(t); break;
    case ZERO: c.train = with_column(t, 0); break;
    case CONSTANT: c.train = with_column(t, 3); break;
    case SPARSE:
        c.train = table_copy(t);
        c.train.sparse = true;
        break;
    case RENAMED:
    case RELABELLED:
        c.train = table_copy(t);
        c.train.names = law == RENAMED ? renamed : relabelled[t->classes - 2];
        c.negated = law == RELABELLED && t->classes == 2;
        for (size_t k = 0; law == RELABELLED && k < t->classes; k++)
            c.class_of[k] = (size_t)(c.train.names[k][0] - 'a');
        break;
    case AGAIN:
    default: c.train = table_copy(t); break;
    }
    bool rows_only = law == ROWS || law == SCALED || law == COPIED;
    c.asked = rows_only ? table_copy(t) : table_copy(&c.train);
    return c;
}

/* ---- comparing ---------------------------------------------------------------------------- */

/* The largest difference of scores, in parts of the largest score. */
static double scores_differ(const struct made *before, const struct made *after,
                            const struct changed *c, enum claim claim) {
    size_t rows = c->asked.rows, width = before->width;
    double size = largest_of(before->score, rows * width), worst = 0;
    double other = largest_of(after->score, rows * width);
    for (size_t k = 0; k < width; k++) {
        size_t at = width == 1 ? 0 : c->class_of[k];
        double own = 0, its = 0, factor = 1;
        for (size_t i = 0; i < rows; i++) {
            own = fmax(own, fabs(before->score[i * width + k]));
            its = fmax(its, fabs(after->score[i * width + at]));
        }
        if (claim == PARALLEL && other > 0) factor = size / other;
        if (claim == EACH && its > 0) factor = own / its;
        if (c->negated) factor = -factor;
        for (size_t i = 0; i < rows; i++)
            worst = fmax(
                worst, fabs(after->score[i * width + at] * factor - before->score[i * width + k]));
    }
    return size > 0 ? worst / size : worst;
}

static bool objectives_agree(const struct made *before, const struct made *after) {
    double p = sepal_report_number(before->report, "objective");
    double q = sepal_report_number(after->report, "objective");
    return (isnan(p) && isnan(q)) || fabs(p - q) <= 1e-7 * fabs(p) + 1e-12;
}

static size_t broken, unfinished;

/* A solver that says that it has not reached the optimum, as the tolerance asked for is small. */
static bool gave_up(const struct made *made, const char *text) {
    return !is_sgd(text) && !is_perceptron(text) &&
           sepal_report_number(made->report, "converged") == 0;
}

static void complain(const struct law_case *one, const struct changed *c, size_t classes,
                     const char *format, double number) {
    char what[200];
    size_t law = 0;
    while (1U << law != (unsigned)c->law) law++;
    snprintf(what, sizeof what, format, number);
    print_error("%s [%s], %zu classes, %s: %s\n", one->spec, one->options, classes, law_names[law],
                what);
    broken++;
}

/* All numbers that a model file holds. */
static bool same_numbers(const struct made *before, const struct made *after) {
    struct tensor_numbers one[MODEL_TENSORS], other[MODEL_TENSORS];
    model_numbers(one, before->model);
    model_numbers(other, after->model);
    for (int i = 0; i < MODEL_TENSORS; i++) {
        size_t n = one[i].rows * one[i].cols;
        if (!one[i].numbers != !other[i].numbers || n != other[i].rows * other[i].cols)
            return false;
        if (one[i].numbers && memcmp(one[i].numbers, other[i].numbers, n * sizeof(double)) != 0)
            return false;
    }
    return true;
}

static void check_law(const struct law_case *one, const struct made *before,
                      const struct changed *c) {
    char text[600];
    snprintf(text, sizeof text, "%s, %s", sepal_model_spec(before->model), one->options);
    enum claim claim = claim_of(c->law, text);
    size_t classes = c->train.classes;
    if (claim == NOTHING) return;
    struct made after = make(ctx, one->spec, one->options, &c->train, &c->asked);
    if (after.status != SEPAL_OK) {
        complain(one, c, classes, "is refused (%.0f)", after.status);
        print_error("    %s\n", sepal_ctx_error(ctx));
        return;
    }
    if (gave_up(before, text) || gave_up(&after, text)) {
        unfinished++;
        made_free(&after);
        return;
    }
    double off = claim == OBJECTIVE ? 0 : scores_differ(before, &after, c, claim);
    if (!(off <= room_for(before, text))) complain(one, c, classes, "scores are off by %.3g", off);
    if ((claim == SAME || claim == OBJECTIVE) && !objectives_agree(before, &after))
        complain(one, c, classes, "the objective is another: %.17g",
                 sepal_report_number(after.report, "objective") -
                     sepal_report_number(before->report, "objective"));
    if (c->law == AGAIN && !same_numbers(before, &after))
        complain(one, c, classes, "other bytes%.0s", 0);
    made_free(&after);
}

/* ---- the tables --------------------------------------------------------------------------- */

/* Refusals of combinations that a learner or solver is not for. */
static bool is_not_for_this(const struct made *made, const struct law_case *one, size_t classes) {
    return made->status == SEPAL_EUSAGE || (classes > 2 && has(one->spec, "targets=fisher"));
}

/* A table and what becomes of it. */
struct subject {
    struct table table;
    struct changed changes[LAWS];
};

static void subject_make(struct subject *out, struct rng *rng, size_t classes, bool exact) {
    out->table = table_random(rng, TABLE_ROWS, TABLE_COLUMNS, classes, exact);
    for (size_t i = 0; i < LAWS; i++)
        out->changes[i] = change(&out->table, (enum law)(1 << i), rng);
}

static void subject_free(struct subject *s) {
    for (size_t i = 0; i < LAWS; i++) changed_free(&s->changes[i]);
    table_free(&s->table);
}

static void all_laws(size_t classes, uint64_t number) {
    static struct law_cases cases;
    static struct subject subjects[2];
    struct rng rng = rng_make(test_seed(number), classes);
    size_t fitted = 0;
    for (size_t exact = 0; exact < 2; exact++) subject_make(&subjects[exact], &rng, classes, exact);
    all_cases(&cases, classes);
    for (size_t i = 0; i < cases.n; i++) {
        const struct law_case *one = &cases.one[i];
        const struct subject *s = &subjects[has(one->spec, "perceptron")];
        struct made before = make(ctx, one->spec, one->options, &s->table, &s->table);
        if (before.status == SEPAL_OK)
            fitted++;
        else if (!is_not_for_this(&before, one, classes))
            fail_msg("%s [%s]: %s", one->spec, one->options, sepal_ctx_error(ctx));
        for (size_t law = 0; law < LAWS && before.status == SEPAL_OK; law++)
            check_law(one, &before, &s->changes[law]);
        made_free(&before);
    }
    for (size_t exact = 0; exact < 2; exact++) subject_free(&subjects[exact]);
    printf("%zu pipelines, %zu comparisons given up with a warning\n", fitted, unfinished);
    printf("COUNT laws-%s %zu %zu\n", classes == 2 ? "two" : "three", fitted, broken);
    assert_true(fitted > 200 && unfinished < fitted / 4);
    assert_int_equal(broken, 0);
}

static void two_classes(void **state) {
    (void)state;
    broken = unfinished = 0;
    all_laws(2, 501);
}

static void three_classes(void **state) {
    (void)state;
    broken = unfinished = 0;
    all_laws(3, 502);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes),
        cmocka_unit_test(three_classes),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
