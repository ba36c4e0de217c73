/* What inference adds to a model file: standard errors, the columns that make weights diverge, the
   numbers of a bootstrap. It comes back from a file and from memory as it was, and a file in which
   it cannot be so is refused for the reason that was meant. */
#include "model_attacks.h"

static const char overlap[] =
    "a,b,one,colour,class\n1,2,5,red,x\n3,1,5,blue,y\n2,5,5,green,x\n7,1,5,red,y\n4,4,5,blue,x\n"
    "1,9,5,green,y\n6,3,5,red,y\n2,2,5,blue,x\n3,8,5,green,y\n5,2,5,red,x\n1,3,5,blue,x\n"
    "4,9,5,green,y\n6,1,5,red,x\n2,7,5,blue,y\n5,5,5,green,x\n3,3,5,red,y\n";
static const char apart[] = "a,b,class\n1,5,x\n2,2,x\n3,4,x\n4,1,y\n5,3,y\n6,2,y\n";

/* Of three classes, with a column that is twice another. */
static const char three[] =
    "a,twice,b,class\n"
    "9,18,4,z\n5,10,8,x\n7,14,3,z\n0,0,2,x\n5,10,7,x\n6,12,8,x\n9,18,3,x\n3,6,6,y\n"
    "2,4,6,x\n1,2,2,z\n9,18,7,x\n2,4,0,x\n3,6,3,x\n2,4,4,y\n3,6,8,z\n3,6,2,z\n3,6,6,y\n"
    "0,0,5,y\n2,4,2,y\n1,2,5,y\n9,18,9,x\n9,18,5,x\n4,8,5,y\n7,14,5,x\n";

static sepal_model *joint(void) {
    return trained_by(three, "softmax(penalty=none)", "bootstrap=6");
}
static sepal_model *tabled(void) {
    return trained_by(overlap, "logistic(penalty=none)", NULL);
}
static sepal_model *separated(void) {
    return trained_by(apart, "logistic(penalty=none)", NULL);
}
static sepal_model *resampled(void) {
    return trained_by(overlap, "logistic", "bootstrap=20");
}
static sepal_model *both(void) {
    return trained_by(overlap, "logistic(penalty=none, bias=false)", "bootstrap=3");
}
static sepal_model *plain(void) {
    return trained_by(overlap, "logistic", NULL);
}
static sepal_model *without_intercept(void) {
    return trained_by(overlap, "svm(bias=false)", "bootstrap=2");
}

/* ---- there and back ------------------------------------------------------------------------- */

static void same_summary(const struct summary *a, const struct summary *b) {
    assert_int_equal(a != NULL, b != NULL);
    if (!a) return;
    size_t cells = a->functions * a->terms;
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->terms, b->terms);
    assert_int_equal(a->estimate != NULL, b->estimate != NULL);
    if (a->estimate) {
        assert_memory_equal(a->estimate, b->estimate, 2 * cells * sizeof *a->estimate);
        assert_true(a->deviance == b->deviance && a->null_deviance == b->null_deviance);
    }
    assert_memory_equal(a->alias, b->alias, a->terms * sizeof *a->alias);
    assert_int_equal(a->n_columns, b->n_columns);
    assert_true(a->alone == b->alone);
    if (a->n_columns)
        assert_memory_equal(a->columns, b->columns, a->n_columns * sizeof *a->columns);
}

static void same_bootstrap(const struct bootstrap *a, const struct bootstrap *b) {
    assert_int_equal(a != NULL, b != NULL);
    if (!a) return;
    assert_true(a->resamples == b->resamples && a->failed == b->failed);
    assert_int_equal(a->functions, b->functions);
    assert_int_equal(a->terms, b->terms);
    assert_memory_equal(a->count, b->count, 4 * a->functions * a->terms * sizeof *a->count);
}

static void there_and_back(void **state) {
    (void)state;
    sepal_model *(*const makes[])(void) = {tabled, separated,         resampled, both,
                                           plain,  without_intercept, joint};
    for (size_t i = 0; i < sizeof makes / sizeof *makes; i++) {
        sepal_model *model = makes[i](), *loaded, *remembered;
        struct text bytes, again;
        assert_int_equal(model_save(&ctx, model, "m.sepal"), SEPAL_OK);
        assert_int_equal(model_load(&loaded, &ctx, "m.sepal"), SEPAL_OK);
        assert_int_equal(model_to_memory(&bytes, &ctx, model), SEPAL_OK);
        assert_int_equal(model_from_memory(&remembered, &ctx, bytes.bytes, bytes.length), SEPAL_OK);
        const sepal_model *copies[] = {loaded, remembered};
        for (int c = 0; c < 2; c++) {
            same_summary(model->linear.summary, copies[c]->linear.summary);
            same_bootstrap(model->linear.bootstrap, copies[c]->linear.bootstrap);
            assert_int_equal(model_to_memory(&again, &ctx, copies[c]), SEPAL_OK);
            assert_int_equal(again.length, bytes.length);
            assert_memory_equal(again.bytes, bytes.bytes, bytes.length);
            text_clear(&again);
        }
        text_clear(&bytes);
        model_free(model);
        model_free(loaded);
        model_free(remembered);
    }
}

/* A model without it has the bytes that it ever had. */
static void no_part_no_bytes(void **state) {
    (void)state;
    struct parts parts = take_apart(plain());
    assert_null(strstr(parts.header, "summary"));
    assert_null(strstr(parts.header, "bootstrap"));
    free_parts(&parts);
}

static void what_is_kept(void **state) {
    (void)state;
    sepal_model *model = tabled();
    const struct summary *summary = model->linear.summary;
    assert_int_equal(summary->state, SUMMARY_WALD);
    assert_int_equal(summary->terms,
                     6); /* of 7 columns and the intercept: two categories of three */
    assert_int_equal(summary_rank(summary), 5);
    assert_int_equal(summary->alias[3], ALIAS_CONSTANT);
    assert_true(summary->error[3] == 0 && summary->error[1] > 0);
    model_free(model);
    model = joint();
    summary = model->linear.summary;
    assert_int_equal(summary->state, SUMMARY_WALD);
    assert_int_equal(summary->functions, 2);
    assert_int_equal(summary->terms, 4);
    assert_int_equal(summary->alias[2], ALIAS_DEPENDENT);
    assert_true(summary->error[2] == 0 && summary->error[6] == 0);
    assert_true(summary->error[3] > 0 && summary->error[7] > 0);
    assert_int_equal(model->linear.bootstrap->functions, 2);
    model_free(model);
    model = separated();
    assert_int_equal(model->linear.summary->state, SUMMARY_SEPARABLE);
    assert_true(model->linear.summary->alone);
    assert_int_equal(model->linear.summary->n_columns, 1);
    assert_int_equal(model->linear.summary->columns[0], 0);
    assert_null(model->linear.summary->estimate);
    model_free(model);
}

/* ---- files made by an enemy ----------------------------------------------------------------- */

static void summaries(void **state) {
    (void)state;
    static const char none[] = "it cannot have such a summary",
                      places[] = "terms that there are not",
                      fit[] = "its estimates do not fit its summary";
    const struct attack attacks[] = {
        {"`state`:`wald`", "`state`:`bald`", none},
        {"`state`:`wald`", "`state`:`separable`", "summary"},
        {"`state`:`wald`", "`state`:7", "is not a text"},
        {"`constant`:[3]", "`constant`:[6]", places},
        {"`constant`:[3]", "`constant`:[3,3]", places},
        {"`constant`:[3]", "`constant`:[3,2]", places},
        {"`constant`:[3]", "`constant`:[0.5]", places},
        {"`constant`:[3]", "`constant`:[-1]", places},
        {"`constant`:[3]", "`constant`:null", "deviances"},
        {"`constant`:[3]", "`constant`:[]", "a standard error of its summary cannot be"},
        {"`constant`:[3]", "`constant`:[2]", "a standard error of its summary cannot be"},
        {"`constant`:[3],`dependent`:[]", "`constant`:[3],`dependent`:[3]", "left out twice"},
        {"`dependent`:[]", "`dependent`:[],`more`:1", "more"},
        {"`dependent`:[]", "`dependant`:[]", "dependent"},
        {"`null_deviance`:", "`null_deviance`:-", "its deviances cannot be"},
        {"`deviance`:1", "`deviance`:-1", "its deviances cannot be"},
        {"'summary':'{", "'summary':7,'more':'{", "its summary is not a text"},
        {"penalty=none, l2=0", "penalty=l2, l2=1", none},
        {"class_weight=none", "class_weight=balanced", none},
        {"'summary':{'dtype':'F64','shape':[2,6]", "'summary':{'dtype':'F64','shape':[6,2]", fit},
        {"'summary':{'dtype':'F64','shape':[2,6]", "'summary':{'dtype':'F64','shape':[1,12]", fit},
        {"'summary':{'dtype':'F64','shape':[2,6]", "'summary':{'dtype':'F64','shape':[12]",
         "not the tensor that is expected"},
        {"'summary':{'dtype'", "'bootstrap':{'dtype'", fit},
    };
    ATTACK(tabled, attacks);
    const struct attack joint_attacks[] = {
        {"'summary':{'dtype':'F64','shape':[4,4]", "'summary':{'dtype':'F64','shape':[2,8]", fit},
        {"'summary':{'dtype':'F64','shape':[4,4]", "'summary':{'dtype':'F64','shape':[8,2]", fit},
        {"'bootstrap':{'dtype':'F64','shape':[8,4]", "'bootstrap':{'dtype':'F64','shape':[4,8]",
         "its bootstrap has other terms"},
        {"`dependent`:[2]", "`dependent`:[]", "a standard error of its summary cannot be"},
        {"`dependent`:[2]", "`dependent`:[1]", "a standard error of its summary cannot be"},
        {"loss=cross_entropy", "loss=mse", none},
        {"penalty=none, l2=0", "penalty=l2, l2=1", none},
    };
    ATTACK(joint, joint_attacks);
    const struct attack apart_attacks[] = {
        {"`state`:`separable`", "`state`:`wald`", "summary"},
        {"`columns`:[0]", "`columns`:[2]", places},
        {"`columns`:[0]", "`columns`:[0,0]", places},
        {"`columns`:[0]", "`columns`:[]", "no column is behind"},
        {"`columns`:[0]", "`columns`:null", "no column is behind"},
        {"`alone`:true", "`alone`:1", "alone"},
    };
    ATTACK(separated, apart_attacks);
}

static void bootstraps(void **state) {
    (void)state;
    static const char other[] = "its bootstrap has other terms";
    const struct attack attacks[] = {
        {"`failed`:0", "`failed`:21", "it cannot have such a bootstrap"},
        {"`failed`:0", "`failed`:-1", "failed"},
        {"`failed`:0", "`failed`:1", "a number of its bootstrap cannot be"},
        {"`resamples`:20", "`resamples`:19", "a number of its bootstrap cannot be"},
        {"`resamples`:20,", "", "resamples"},
        {"'bootstrap':{'dtype':'F64','shape':[4,6]", "'bootstrap':{'dtype':'F64','shape':[6,4]",
         other},
        {"'bootstrap':{'dtype':'F64','shape':[4,6]", "'bootstrap':{'dtype':'F64','shape':[8,3]",
         other},
        {"'bootstrap':'{", "'bootstrap':null,'more':'{", "its bootstrap is not a text"},
    };
    ATTACK(resampled, attacks);
}

static void numbers_that_cannot_be(void **state) {
    (void)state;
    const struct bad_number table[] = {
        {tabled, "summary", 0, "a standard error of its summary cannot be"},
        {tabled, "summary", -1, "a standard error of its summary cannot be"},
        {tabled, "summary", NAN, "not finite"},
        {joint, "summary", 0, "a standard error of its summary cannot be"},
        {resampled, "bootstrap", -1, "a number of its bootstrap cannot be"},
        {resampled, "bootstrap", 0.5, "a number of its bootstrap cannot be"},
        {resampled, "bootstrap", 21, "a number of its bootstrap cannot be"},
        {resampled, "bootstrap", INFINITY, "not finite"},
    };
    refuse_numbers(table, sizeof table / sizeof *table);
}

static void enough_were_refused(void **state) {
    (void)state;
    print_message("COUNT hostile-headers %zu %zu\n", hostile.files, hostile.failures);
    assert_true(hostile.files > 40);
    assert_int_equal(hostile.failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),      cmocka_unit_test(no_part_no_bytes),
        cmocka_unit_test(what_is_kept),        cmocka_unit_test(summaries),
        cmocka_unit_test(bootstraps),          cmocka_unit_test(numbers_that_cannot_be),
        cmocka_unit_test(enough_were_refused),
    };
    return cmocka_run_group_tests(tests, fresh, NULL);
}
