/* Model files with parts that only some models have: maps, densities, priors, axes, votes. Headers
   made by an enemy are refused for the reason that was meant; so are numbers that cannot be. */
#include "model_attacks.h"

static const char rows_text[] =
    "a,b,class\n1,2,x\n3,1,y\n2,5,z\n7,1,y\n4,4,x\n1,9,z\n6,3,y\n2,2,x\n"
    "3,8,z\n5,2,y\n1,3,x\n4,9,z\n";

static sepal_model *trained(const char *spec) {
    return trained_by(rows_text, spec, NULL);
}

static sepal_model *cut(void) {
    return trained_by("a,class\n1,x\n3,y\n2,x\n4,x\n5,y\n", "logistic", "cutoff=0.25");
}
static sepal_model *rejecting(void) {
    return trained_by(rows_text, "lda", "decide=reject, cutoff=0.75");
}
static sepal_model *open_pairs(void) {
    return trained_by(rows_text, "perceptron | ovo", "ambiguous=undecided");
}
static sepal_model *platt(void) {
    return trained_by(rows_text, "perceptron | ovo", "calibrate=platt, calibrate-folds=2");
}
static sepal_model *knots(void) {
    return trained_by(rows_text, "lda", "calibrate=isotonic, calibrate-folds=4");
}
static sepal_model *temperature(void) {
    return trained_by("a,class\n1,x\n3,y\n2,x\n4,x\n5,y\n", "svm",
                      "calibrate=temperature, calibrate-folds=2, decide=reject, cutoff=0.7");
}
static sepal_model *gaussian(void) {
    return trained("gaussian");
}
static sepal_model *spherical(void) {
    return trained("gaussian(covariance=spherical)");
}
static sepal_model *discriminant(void) {
    return trained("lda");
}
static sepal_model *bits(void) {
    return trained("naive-bayes(kind=bernoulli)");
}
static sepal_model *pairs(void) {
    return trained("perceptron | ovo");
}
static sepal_model *mapped(void) {
    return trained("standardize | poly | minmax | least-squares");
}
static sepal_model *bumps(void) {
    return trained("rbf(centres=3) | least-squares");
}

static void densities(void **state) {
    (void)state;
    static const char parts[] = "the parts of its density do not fit";
    const struct attack attacks[] = {
        {"'density':'full'", "'density':'fall'", "no such density"},
        {"'density':'full'", "'density':'shared'", parts},
        {"'density':'full'", "'density':'diagonal'", parts},
        {"'density':'full'", "'density':'multinomial'", parts},
        {"'density':'full'", "'density':7", "no such density"},
        {"'density':'full',", "", "a density of no kind"},
        {"'density':'full'", "'bits':'true','density':'full'", "bits have no centre"},
        {"'density':'full'", "'bits':true,'density':'full'", "to count bits, or not"},
        {"'density.root':{'dtype':'F64','shape':[6,2]",
         "'density.root':{'dtype':'F64','shape':[2,6]", parts},
        {"'density.mean':{'dtype':'F64','shape':[3,2]",
         "'density.mean':{'dtype':'F64','shape':[2,3]", parts},
        {"'density.mean':{", "'density.meen':{", "meen"},
        {"'priors':{'dtype':'F64','shape':[3]", "'priors':{'dtype':'F64','shape':[1,3]",
         "not the tensor that is expected"},
    };
    ATTACK(gaussian, attacks);
    const struct attack round[] = {
        {"'density':'spherical'", "'density':'diagonal'", parts},
        {"'density.root':{'dtype':'F64','shape':[3,1]",
         "'density.root':{'dtype':'F64','shape':[1,3]", parts},
    };
    ATTACK(spherical, round);
}

static void axes_and_priors(void **state) {
    (void)state;
    const struct attack attacks[] = {
        {"'axes':{'dtype':'F64','shape':[2,2]", "'axes':{'dtype':'F64','shape':[4,1]",
         "its axes have other columns"},
        {"'axes':{'dtype':'F64','shape':[2,2]", "'axes':{'dtype':'F64','shape':[1,4]",
         "its axes have other columns"},
        {"'axes':{", "'map1':{", "the numbers of map 1 do not fit"},
        {"'decode':'argmax'", "'decode':'ovr'", "its spec does not decode by that rule"},
        {"'decode':'argmax'", "'decode':'ovr-1'", "does not decode by that rule"},
        {"'decode':'argmax'", "'decode':'votes'", "cannot be decoded by that rule"},
    };
    ATTACK(discriminant, attacks);
    const struct attack of_bits[] = {
        {"'bits':'true'", "'bits':'false'", "to count bits, or not"},
        {"'density':'bernoulli'", "'density':'spherical'", "the parts of its density do not fit"},
    };
    ATTACK(bits, of_bits);
    const struct attack of_pairs[] = {
        {"'decode':'ovo'", "'decode':'argmax'", "does not decode by that rule"},
        {"| ovo", "| machine", "does not decode by that rule"},
        {"| ovo", "| ovr-1", "does not decode by that rule"},
    };
    ATTACK(pairs, of_pairs);
}

static void maps(void **state) {
    (void)state;
    const struct attack attacks[] = {
        {"standardize | poly", "standardize | standardize | poly", "do not fit it"},
        {"poly(degree=2", "poly(degree=3", "do not fit it"},
        {"standardize | poly", "poly", "the numbers of map 1 do not fit it"},
        {"standardize | poly(degree=2, interactions=true) | minmax", "standardize",
         "do not fit it"},
        {"'map1':{'dtype':'F64','shape':[2,2]", "'map1':{'dtype':'F64','shape':[4,1]",
         "the numbers of map 1 do not fit it"},
        {"'map3':{", "'map2':{", "the numbers of map 2 do not fit it"},
        {"'map3':{", "'map9':{", "map9"},
        {"`width`:2", "`width`:3", "says 3 matrix columns and makes 2"},
    };
    ATTACK(mapped, attacks);
    const struct attack of_bumps[] = {
        {"centres=3", "centres=4", "do not fit it"},
        {"centres=3", "centres=0", "its maps do not fit its columns"},
        {"rbf(centres=3)", "rbf(centres=3, width=-1)", "cannot be used here"},
    };
    ATTACK(bumps, of_bumps);
}

/* Rules of decision that cannot be, or are not this model's. */
static void cuts(void **state) {
    (void)state;
    static const char own[] = "decided by its own rule", none[] = "no such rule of decision";
    const struct attack of_cut[] = {
        {"'decide':'hard'", "'decide':'harder'", none},
        {"'decide':'hard'", "'decide':''", none},
        {"'decide':'hard'", "'decide':7", none},
        {"'ambiguous':'confidence'", "'ambiguous':'sure'", none},
        {"'ambiguous':'confidence'", "'ambiguous':null", "is not a text"},
        {"'ambiguous':'confidence',", "", "has no 'ambiguous'"},
        {"'decide':'hard',", "", "its cutoff has no rule"},
        {"'decide':'hard','ambiguous':'confidence',", "", "its cutoff has no rule"},
        {"'decide':'hard','ambiguous':'confidence'", "'ambiguous':'confidence','decide':'hard'",
         "its cutoff has no rule"},
        {"'decide':'hard'", "'decide':'soft'", own},
        {"'cut':{'dtype':'F64','shape':[1]", "'cut':{'dtype':'F64','shape':[1,1]", "expected"},
        {"'cut':{'dtype':'F64'", "'cut':{'dtype':'I64'", "expected"},
        {"'centre':{'dtype':'F64','shape':[1],'data_offsets':[16,24]},"
         "'cut':{'dtype':'F64','shape':[1],'data_offsets':[24,32]}",
         "'cut':{'dtype':'F64','shape':[2],'data_offsets':[16,32]}", "several cutoffs"},
        {"'cut':{'dtype':'F64','shape':[1],'data_offsets':[24,32]}",
         "'map1':{'dtype':'F64','shape':[1,1],'data_offsets':[24,32]}", "map 1 do not fit"},
    };
    ATTACK(cut, of_cut);
    const struct attack of_reject[] = {
        {"'decide':'reject'", "'decide':'hard'", own}, /* three classes have no cutoff */
        {"'decide':'reject'", "'decide':'soft'", own},
        {"'decide':'reject','ambiguous':'confidence',", "", "its cutoff has no rule"},
    };
    ATTACK(rejecting, of_reject);
    const struct attack of_pairs[] = {
        {"'decide':'hard'", "'decide':'soft'", own}, /* votes are no probabilities */
        {"'decide':'hard'", "'decide':'reject'", own},
        {"'ambiguous':'undecided'", "'ambiguous':'confidence'",
         own}, /* the plain rule is not kept */
    };
    ATTACK(open_pairs, of_pairs);
}

static void calibrations(void **state) {
    (void)state;
    static const char other[] = "the numbers of its calibration are those of another";
    const struct attack of_platt[] = {
        {"'calibration':'platt'", "'calibration':'plott'", "no such calibration"},
        {"'calibration':'platt'", "'calibration':''", "no such calibration"},
        {"'calibration':'platt'", "'calibration':7", "no such calibration"},
        {"'calibration':'platt'", "'calibration':'isotonic'", other},
        {"'calibration':'platt'", "'calibration':'temperature'", other},
        {"'calibration':'platt',", "", "its calibration has no method"},
        {"'calibration':{'dtype':'F64','shape':[3,2]", "'calibration':{'dtype':'F64','shape':[2,3]",
         other},
        {"'calibration':{'dtype':'F64','shape':[3,2]", "'calibration':{'dtype':'F64','shape':[6]",
         "not the tensor that is expected"},
        {"'calibration':{'dtype':'F64'", "'calibration':{'dtype':'I64'", "expected"},
        {"'calibration':{", "'map1':{", "its calibration has no method, or a method no numbers"},
    };
    ATTACK(platt, of_platt);
    const struct attack of_knots[] = {
        {"'calibration':'isotonic'", "'calibration':'platt'", other},
        {"'calibration':'isotonic',", "", "its calibration has no method"},
    };
    ATTACK(knots, of_knots);
    const struct attack of_temperature[] = {
        {"'calibration':'temperature'", "'calibration':'platt'", other},
        {"'calibration':{'dtype':'F64','shape':[1,1],'data_offsets':[24,32]},"
         "'cut':{'dtype':'F64','shape':[1],'data_offsets':[32,40]}",
         "'calibration':{'dtype':'F64','shape':[2,1],'data_offsets':[24,40]}", "cannot be"},
    };
    ATTACK(temperature, of_temperature);
}

static void numbers_that_cannot_be(void **state) {
    (void)state;
    const struct bad_number table[] = {
        {gaussian, "density.root", 0, "a spread of its density is not positive"},
        {gaussian, "density.root", -1, "a spread of its density is not positive"},
        {gaussian, "density.root", INFINITY, "not finite"},
        {gaussian, "density.mean", NAN, "not finite"},
        {gaussian, "density.constant", -INFINITY, "not finite"},
        {gaussian, "priors", 0, "a prior is not positive"},
        {gaussian, "priors", -0.5, "a prior is not positive"},
        {spherical, "density.root", 0, "a spread of its density is not positive"},
        {discriminant, "axes", NAN, "not finite"},
        {discriminant, "priors", INFINITY, "not finite"},
        {mapped, "map1", 0, "the numbers of map 1 cannot be"},
        {mapped, "map3", -1, "the numbers of map 3 cannot be"},
        {mapped, "map1", NAN, "not finite"},
        {bumps, "map1", -1, "the numbers of map 1 cannot be"},
        {cut, "cut", -0.25, "decided by its own rule"},
        {cut, "cut", -0.0, "decided by its own rule"},
        {cut, "cut", 1.25, "decided by its own rule"},
        {cut, "cut", NAN, "not finite"},
        {rejecting, "cut", 2, "decided by its own rule"},
        {platt, "calibration", NAN, "not finite"},
        {platt, "calibration", INFINITY, "not finite"},
        {knots, "calibration", 0, "the numbers of its calibration cannot be"},
        {knots, "calibration", 2, "the numbers of its calibration cannot be"},
        {knots, "calibration", -0.0, "the numbers of its calibration cannot be"},
        {knots, "calibration", NAN, "not finite"},
        {temperature, "calibration", 0, "the numbers of its calibration cannot be"},
        {temperature, "calibration", -1, "the numbers of its calibration cannot be"},
        {temperature, "calibration", NAN, "not finite"},
    };
    refuse_numbers(table, sizeof table / sizeof *table);
}

/* ---- files made from nothing ---------------------------------------------------------------- */

struct piece {
    const char *name;
    size_t rows, cols; /* rows 0: a list of `cols` */
};
enum { MOST_PIECES = 10 };
struct whole {
    const char *spec, *learner, *decode, *more; /* more: of the metadata */
    size_t classes, width;
    struct piece pieces[MOST_PIECES];
};

/* A model file with these tensors, every number of which is `value`. */
static struct parts make_whole(const struct whole *from, double value) {
    struct parts parts = {.header = malloc(ROOM)};
    char *at = parts.header;
    size_t offset = 0;
    assert_non_null(at);
    at += sprintf(at,
                  MODEL_BEGIN "1" MODEL_THEN
                              "0000000000000000\",\"sepal_version\":\"0.1.0\",\"spec\":\"%s\","
                              "\"learner\":\"%s\",\"decode\":\"%s\",%s\"classes\":\"[",
                  from->spec, from->learner, from->decode, from->more);
    for (size_t k = 0; k < from->classes; k++)
        at += sprintf(at, "%s\\\"c%07zu\\\"", k ? "," : "", k);
    at +=
        sprintf(at,
                "]\",\"schema\":\"{\\\"family\\\":\\\"indexed\\\",\\\"header\\\":false,"
                "\\\"zero_based\\\":false,\\\"cells\\\":0,\\\"target\\\":null,"
                "\\\"target_position\\\":0,\\\"weight\\\":null,\\\"missing\\\":\\\"refuse\\\","
                "\\\"width\\\":%zu,\\\"numeric_labels\\\":false}\",\"training\":\"{\\\"rows\\\":1,"
                "\\\"total_weight\\\":1,\\\"objective\\\":null,\\\"gap\\\":null,"
                "\\\"iterations\\\":0,\\\"converged\\\":true}\"}",
                from->width);
    for (const struct piece *piece = from->pieces; piece->name; piece++) {
        size_t bytes = sizeof value * (piece->rows ? piece->rows * piece->cols : piece->cols);
        if (piece->rows == SIZE_MAX) bytes = 0; /* 0 rows */
        at += sprintf(at, ",\"%s\":{\"dtype\":\"F64\",\"shape\":[", piece->name);
        if (piece->rows) at += sprintf(at, "%zu,", piece->rows == SIZE_MAX ? 0 : piece->rows);
        at += sprintf(at, "%zu],\"data_offsets\":[%zu,%zu]}", piece->cols, offset, offset + bytes);
        offset += bytes;
    }
    stpcpy(at, "}");
    parts.data = (struct bytes){malloc(offset), offset};
    assert_non_null(parts.data.at);
    for (size_t i = 0; i < offset; i += sizeof value)
        memcpy(parts.data.at + i, &value, sizeof value);
    return parts;
}

#define FULL "gaussian(covariance=full, shrinkage=none, estimate=ml)"
#define KIND "\"density\":\"full\","
#define SCORES                                                                                     \
    {"weights", 3, 2}, {"bias", 0, 3}, {                                                           \
        "centre", 0, 2                                                                             \
    }

static void wholes(void **state) {
    (void)state;
    const struct {
        const char *why; /* NULL: it loads */
        struct whole whole;
    } table[] = {
        {NULL,
         {FULL " | machine",
          "gaussian",
          "argmax",
          KIND,
          3,
          2,
          {SCORES,
           {"priors", 0, 3},
           {"density.mean", 3, 2},
           {"density.root", 6, 2},
           {"density.constant", 0, 3}}}},
        {"it has 4 priors",
         {FULL " | machine", "gaussian", "argmax", "", 3, 2, {SCORES, {"priors", 0, 4}}}},
        {"its axes have other columns",
         {FULL " | machine", "gaussian", "argmax", "", 3, 2, {SCORES, {"axes", SIZE_MAX, 2}}}},
        {"its density has no means",
         {FULL " | machine", "gaussian", "argmax", "", 3, 2, {SCORES, {"density.root", 6, 2}}}},
        {"its density has no means",
         {FULL " | machine", "gaussian", "argmax", "", 3, 2, {SCORES, {"density.constant", 0, 3}}}},
        {"do not fit together",
         {FULL " | machine",
          "gaussian",
          "argmax",
          KIND,
          3,
          2,
          {SCORES, {"density.mean", 3, 2}, {"density.root", 6, 2}}}},
        {"do not fit together",
         {FULL " | machine",
          "gaussian",
          "argmax",
          KIND,
          3,
          2,
          {SCORES, {"density.mean", 3, 2}, {"density.root", 6, 2}, {"density.constant", 0, 4}}}},
        {"do not fit together",
         {FULL " | machine",
          "gaussian",
          "argmax",
          KIND,
          3,
          2,
          {SCORES, {"density.mean", 3, 2}, {"density.constant", 0, 3}}}},
        {"4 forms of its density",
         {FULL " | machine",
          "gaussian",
          "argmax",
          KIND,
          3,
          2,
          {SCORES, {"density.mean", 4, 2}, {"density.root", 8, 2}, {"density.constant", 0, 4}}}},
        {"3 forms of its density",
         {FULL " | ovr",
          "gaussian",
          "ovr",
          KIND,
          3,
          2,
          {SCORES, {"density.mean", 3, 2}, {"density.root", 6, 2}, {"density.constant", 0, 3}}}},
        {NULL,
         {"perceptron() | ovo",
          "perceptron",
          "ovo",
          "",
          4,
          1,
          {{"weights", 6, 1}, {"bias", 0, 6}}}},
        {"4 rows of weights cannot be decoded",
         {"perceptron() | ovo",
          "perceptron",
          "ovo",
          "",
          4,
          1,
          {{"weights", 4, 1}, {"bias", 0, 4}}}},
        {"1048576 rows of weights cannot be decoded",
         {"perceptron() | ovr-1",
          "perceptron",
          "ovr-1",
          "",
          3,
          1,
          {{"weights", 1 << 20, 1}, {"bias", 0, 1 << 20}}}},
        {"its schema has 4294967296 matrix columns",
         {"hash(bits=1) | perceptron()",
          "perceptron",
          "sign",
          "",
          2,
          (size_t)1 << 32,
          {{"weights", 1, 2}, {"bias", 0, 1}}}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct parts parts = make_whole(&table[i].whole, 1);
        sepal_model *model;
        write_parts(&parts);
        if (table[i].why) {
            expect_refused(table[i].whole.spec, table[i].why);
        } else {
            sepal_status status = model_load(&model, &ctx, "bad.sepal");
            if (status != SEPAL_OK) print_error("%s: %s\n", table[i].whole.spec, ctx.error.message);
            assert_int_equal(status, SEPAL_OK);
            model_free(model);
        }
        free_parts(&parts);
    }
}

/* Each number could be, and yet what sparse rows would have too much is beyond all doubles. */
static void a_mean_far_beyond_the_spread(void **state) {
    (void)state;
    const struct whole from = {"standardize | perceptron()",
                               "perceptron",
                               "sign",
                               "",
                               2,
                               1,
                               {{"weights", 1, 1}, {"bias", 0, 1}, {"map1", 2, 1}}};
    struct parts parts = make_whole(&from, 1e-300);
    const double mean = 1e300;
    memcpy(parts.data.at + 2 * sizeof mean, &mean, sizeof mean);
    write_parts(&parts);
    expect_refused("a mean far beyond the spread", "the numbers of its maps cannot be");
    free_parts(&parts);
}

static void enough_were_refused(void **state) {
    (void)state;
    print_message("COUNT hostile-headers %zu %zu\n", hostile.files, hostile.failures);
    assert_true(hostile.files > 45);
    assert_int_equal(hostile.failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densities),
        cmocka_unit_test(axes_and_priors),
        cmocka_unit_test(maps),
        cmocka_unit_test(cuts),
        cmocka_unit_test(calibrations),
        cmocka_unit_test(numbers_that_cannot_be),
        cmocka_unit_test(wholes),
        cmocka_unit_test(a_mean_far_beyond_the_spread),
        cmocka_unit_test(enough_were_refused),
    };
    return cmocka_run_group_tests(tests, fresh, NULL);
}
