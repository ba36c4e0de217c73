/* Headers made by an enemy: each is refused with SEPAL_EMODEL for the reason that was meant, and
   afterwards a good file still loads. A row is what to replace in the header of a good file, by
   what, and a part of the message. */
#include "model_attacks.h"

/* ---- headers ------------------------------------------------------------------------------ */

static const char placed[] = "does not lie where it should",
                  expected[] = "is not the tensor that is expected", fit[] = "do not fit together",
                  spelled[] = "is not spelled";

static void shapes(void **state) {
    (void)state;
    const struct attack attacks[] = {
        {"'weights':{'dtype':'F64'", "'weights':{'dtype':'F32'", expected},
        {"'weights':{'dtype':'F64'", "'weights':{'dtype':'I64'", expected},
        {"'weights':{'dtype':'F64'", "'weights':{'dtype':'Q77'", expected},
        {"'weights':{'dtype':'F64'", "'weights':{'dtype':64", "'dtype' of its weights"},
        {"'shape':[1,3]", "'shape':[3]", expected},
        {"'shape':[1,3]", "'shape':[1,1,3]", expected},
        {"'shape':[1,3]", "'shape':[]", expected},
        {"'shape':[1,3]", "'shape':[1,-3]", expected},
        {"'shape':[1,3]", "'shape':[-0,3]", expected},
        {"'shape':[1,3]", "'shape':[1,3.5]", expected},
        {"'shape':[1,3]", "'shape':[1,'3']", expected},
        {"'shape':[1,3]", "'shape':null", expected},
        {"'shape':[1,3]", "'shape':{'a':1,'b':3}", "an array"},
        {"'shape':[1,3]", "'shape':[1,2]", placed},
        {"'shape':[1,3]", "'shape':[1,4]", placed},
        {"'shape':[1,3]", "'shape':[3,1]", fit},
        {"'shape':[1,3]", "'shape':[4294967296,4294967296]", placed},
        {"'shape':[1,3]", "'shape':[9007199254740992,1024]", placed},
        {"'shape':[1,3]", "'shape':[2305843009213693952,1]", spelled}, /* 2^61 */
        {"'shape':[1,3]", "'shape':[2.305843009213694e+18,1]", expected},
        {"'shape':[1,3]", "'shape':[9223372036854775808,1]", spelled},  /* 2^63 */
        {"'shape':[1,3]", "'shape':[1,18446744073709551619]", spelled}, /* 2^64 + 3 */
        {"'shape':[1,3]", "'shape':[1e+300,1]", expected},
        {"'shape':[1,3]", "'shape':[1,3e0]", spelled},
        {"'shape':[1,3]", "'shape':[1,3.0]", spelled},
        {"'shape':[1,3]", "'shape':[1,0.3e1]", spelled},
        {"'shape':[1,3]", "'shape':[1,03]", "no leading zeros"},
        {"'shape':[1,3]", "'shape':[1,+3]", "expected a value"},
        {"'shape':[1,3]", "'shape':[1,0x3]", "expected"},
        {"'shape':[1,3]", "'shape':[1,true]", expected},
        {"'shape':[1,3]", "'shape':[1,1e999]", "too large"},
        {"'shape':[1,3],'data_offsets':[0,24]", "'shape':[0,3],'data_offsets':[0,0]", placed},
    };
    ATTACK(small_model, attacks);
}

static void offsets(void **state) {
    (void)state;
    static const char all[] = "[1,3],'data_offsets':[0,24]},'bias':{'dtype':'F64','shape':[1],"
                              "'data_offsets':[24,32]},'centre':{'dtype':'F64','shape':[3],"
                              "'data_offsets':[32,56]}";
    const struct attack attacks[] = {
        {"[24,32]", "[16,24]", placed}, /* overlaps the weights */
        {"[24,32]", "[32,40]", placed}, /* leaves a hole */
        {"[24,32]", "[32,24]", placed}, /* ends before it begins */
        {"[24,32]", "[24]", placed},
        {"[24,32]", "[24,32,56]", placed},
        {"[24,32]", "[24,32.5]", placed},
        {"[24,32]", "null", placed},
        {"[24,32]", "[24.5,32.5]", placed},
        {"[24,32]", "[-24,32]", placed},
        {"[24,32]", "[24,18446744073709551615]", spelled},
        {"[32,56]", "[32,9007199254740992]", placed},
        {all,
         "[1,2147483647],'data_offsets':[0,17179869176]},'bias':{'dtype':'F64','shape':[1],"
         "'data_offsets':[17179869176,17179869184]},'centre':{'dtype':'F64','shape':"
         "[2147483647],'data_offsets':[17179869184,34359738360]}",
         "cut short"}, /* gigabytes */
        {all,
         "[1,2147483648],'data_offsets':[0,17179869184]},'bias':{'dtype':'F64','shape':[1],"
         "'data_offsets':[17179869184,17179869192]},'centre':{'dtype':'F64','shape':"
         "[2147483648],'data_offsets':[17179869192,34359738376]}",
         fit}, /* one column too many */
        {all,
         "[1125899906842623,1],'data_offsets':[0,9007199254740984]},'bias':{'dtype':'F64',"
         "'shape':[1],'data_offsets':[9007199254740984,9007199254740992]},'centre':{'dtype':"
         "'F64','shape':[0],'data_offsets':[9007199254740992,9007199254740992]}",
         fit}, /* petabytes */
        {"'shape':[3],'data_offsets':[32,56]", "'shape':[2],'data_offsets':[32,48]", fit},
        {"'shape':[1],'data_offsets':[24,32]},'centre':{'dtype':'F64','shape':[3],"
         "'data_offsets':[32,56]}",
         "'shape':[3],'data_offsets':[24,48]},'centre':{'dtype':'F64','shape':[1],"
         "'data_offsets':[48,56]}",
         fit},
    };
    ATTACK(small_model, attacks);
}

static void tensors(void **state) {
    (void)state;
    static const char all[] = "'weights':{'dtype':'F64','shape':[1,3],'data_offsets':[0,24]},"
                              "'bias':{'dtype':'F64','shape':[1],'data_offsets':[24,32]},"
                              "'centre':{'dtype':'F64','shape':[3],'data_offsets':[32,56]}";
    const struct attack attacks[] = {
        {"'data_offsets':[24,32]", "'offsets':[24,32]", "has no 'data_offsets'"},
        {"'data_offsets':[24,32]", "'data_offsets':[24,32],'x':1", "does not know"},
        {",'centre':{'dtype':'F64','shape':[3],'data_offsets':[32,56]}", "", "more than its"},
        {"'centre':", "'center':", "does not know"},
        {"'centre':", "'bias':", "twice"},
        {"'centre':", "'weights':", "twice"},
        {"'weights':{", "'weight':{", "does not know there"},
        {all, "'bias':{'dtype':'F64','shape':[1],'data_offsets':[0,8]}", fit},
        {all, "'weights':{'dtype':'F64','shape':[1,3],'data_offsets':[0,24]}", fit},
        {all,
         "'weights':{'dtype':'F64','shape':[0,3],'data_offsets':[0,0]},"
         "'bias':{'dtype':'F64','shape':[0],'data_offsets':[0,0]}",
         fit},
        {all,
         "'weights':{'dtype':'F64','shape':[1,0],'data_offsets':[0,0]},"
         "'bias':{'dtype':'F64','shape':[1],'data_offsets':[0,8]}",
         fit},
        {"'bias':{'dtype':'F64','shape':[1],'data_offsets':[24,32]},", "", placed},
        {"'bias':{'dtype':'F64','shape':[1],'data_offsets':[24,32]},'centre':{'dtype':'F64',"
         "'shape':[3],'data_offsets':[32,56]}",
         "'centre':{'dtype':'F64','shape':[3],'data_offsets':[32,56]},'bias':{'dtype':'F64',"
         "'shape':[1],'data_offsets':[24,32]}",
         placed}, /* another order */
        {"'bias':{'dtype':'F64','shape':[1],'data_offsets':[24,32]}",
         "'bias':{'shape':[1],'dtype':'F64','data_offsets':[24,32]}", "where it should be"},
        {"'bias':{'dtype':'F64','shape':[1],'data_offsets':[24,32]}",
         "'bias':{'dtype':'F64','shape':[1],'data_offsets':[24,32]},"
         "'columns':{'dtype':'U8','shape':[0],'data_offsets':[32,32]}",
         "does not know there"},
        {"'bias':{'dtype':'F64','shape':[1],'data_offsets':[24,32]}", "'bias':[]",
         "has no 'dtype'"},
    };
    ATTACK(small_model, attacks);
}

static void metadata(void **state) {
    (void)state;
    const struct attack attacks[] = {
        {"'decode':'sign'", "'decode':'argmax'", "decoded by that rule"},
        {"'decode':'sign'", "'decode':'softmax'", "decoded by that rule"},
        {"'decode':'sign'", "'decode':null", "'decode' of its metadata is not a text"},
        {"'decode':'sign',", "", "has no 'decode'"},
        {"'decode':'sign',", "'decode':'sign','host':'here',", "has no 'schema' where"},
        {"'decode':'sign',", "'decode':'sign','decode':'sign',", "twice"},
        {"'decode':'sign',", "'decode':'sign','d\\u0065code':'sign',", "twice"},
        {"'decode':'sign',", "'decode':'sign','columns':'[]',", "twice"},
        {"','sepal_version':", "0','sepal_version':", "more than 16 digits"},
        {"'sepal_version':'0", "'sepal_version':{},'x':'0", "is not a text"},
        {"'sepal_version':'", "'sepal_version':'\\n", "that wrote it"},
        {"'sepal_version':'", "'sepal_version':'0123456789012345678901234567890", "that wrote it"},
        {"'learner':'perceptron'", "'learner':'per\xFF'", "not UTF-8"},
        {"'learner':'perceptron'", "'learner':'per\\u0000'", "NUL"},
        {"'learner':'perceptron'", "'learner':'per\\ud800'", "surrogate"},
        {"'learner':'perceptron'", "'learner':'per\x01'", "control character"},
        {"'learner':'perceptron'", "'learner':", "expected a value"},
        {"'learner':'perceptron'", "'learner':'per\\udc00\\ud800'", "surrogate"},
        {"'learner':'perceptron'", "'learner':'per\xED\xA0\x80'", "not UTF-8"},
        {"'learner':'perceptron'", "'learner':'\xC0\xAF'", "not UTF-8"},
        {"'learner':'perceptron'", "'learner':'per\\q'", "after a backslash"},
        {"'learner':'perceptron'", "'learner':['perceptron']", "not a text"},
        {"'learner':'perceptron'", "'learner':{'a':{'b':'c'}}", "not a text"},
        {"'learner':'perceptron'", "'learner':true", "not a text"},
    };
    ATTACK(small_model, attacks);
}

static void classes(void **state) {
    (void)state;
    const struct attack attacks[] = {
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`]'", "1 classes"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[]'", "0 classes"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`,`x`,`yes`]'", "3 classes"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`,`no`]'", "out of order"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[``,`yes`]'", "'' is not a label"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`?`,`yes`]'", "'?' is not a label"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`NaN`,`yes`]'", "'NaN' is not a label"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[ `no`,`yes`]'", "is not spelled"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`,`\\\\u0079es`]'", "is not spelled"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`,`\\\\ud800`]'", "surrogate"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`yes`,`no`]'", "out of order"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[1,2]'", "label 0 is not a text"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`,`yes`'", "not a JSON array"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`,`yes`]]'", "not a JSON array"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`,`yes`},1]'", "not a JSON array"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`,`yes]'", "not a JSON array"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`,`yes\\\\]'", "not a JSON array"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`,]'", "expected a value"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no` `yes`,`z`]'", "nothing after"},
        {"'classes':'[`no`,`yes`]'", "'classes':''", "not a JSON array"},
        {"'classes':'[`no`,`yes`]',", "", "no classes"},
        {"'classes':'[`no`,`yes`]'", "'classes':7", "not a text"},
    };
    ATTACK(small_model, attacks);
}

static void training(void **state) {
    (void)state;
    const struct attack attacks[] = {
        {"`rows`:150", "`rows`:-150", "'rows' of its training is not a count"},
        {"`rows`:150", "`rows`:150.5", "not a count"},
        {"`rows`:150,`total_weight`:149.75", "`rows`:-150,`total_weight`:null", "'rows' of its"},
        {"`rows`:150", "`rows`:1e+17", "not a count"},
        {"`total_weight`:149.75", "`total_weight`:null", "not a number"},
        {"`converged`:true", "`converged`:1", "not true or false"},
        {"`converged`:true", "`converged`:true,`seconds`:3", "does not know"},
        {"`converged`:true", "`converged`:true,`gap`:3", "twice"},
        {"`rows`:150,", "`rows`:150,`\\\\u0072ows`:150,", "twice"},
        {"`rows`:150,`total_weight`:149.75", "`total_weight`:149.75,`rows`:150", "where it should"},
        {"`total_weight`:149.75", "`total_weight`:149.750", "is not spelled"},
        {"`total_weight`:149.75", "`total_weight`:1.4975e2", "is not spelled"},
        {"'training':'{", "'training':'[", "expected"},
        {"'training':'{", "'training':'{{", "a key"},
        {"`converged`:true}'", "`converged`:true'", "expected"},
        {"`converged`:true}'", "`converged`:tru}'", "expected a value"},
    };
    ATTACK(small_model, attacks);
}

/* What is JSON, but not the JSON that sepal writes: then a model would have two files. */
static void spellings(void **state) {
    (void)state;
    const struct attack attacks[] = {
        {"'decode':'sign'", "'decode': 'sign'", spelled},
        {"'decode':'sign'", "'decode'\t:'sign'", spelled},
        {"'decode':'sign',", "'decode':'sign',\n", spelled},
        {"'decode':'sign'", "'d\\u0065code':'sign'", spelled},
        {"'decode':'sign'", "'decode':'\\u0073ign'", spelled},
        {"`header`:true", "`header`:true ", spelled},
        {"`name`:`age`", "`name`:`\\\\/age`", spelled},
        {"`name`:`age`", "`name`:`age\x7F`", spelled},
        {"`name`:`age`", "`name`:`age\\\\u007F`", spelled},
        {"`name`:`age`", "`name`:`age\\\\u0009`", spelled},
        {"`name`:`age`", "`name`:`age\\\\u000a`", spelled},
        {"`name`:`age`", "`name`:`age\\\\u00e9`", spelled},
        {"`name`:`age`", "`name`:`age\\\\ud83c\\\\udf38`", spelled},
        {"`position`:1", "`position`:1e0", spelled},
        {"`position`:1", "`position`:1.0", spelled},
    };
    ATTACK(small_model, attacks);
}

/* The spec must be one of this sepal, written out as models carry it. */
static void specs(void **state) {
    (void)state;
    static const char from[] = "perceptron(variant=averaged, epochs=10)", again[] = "written out";
    const struct attack attacks[] = {
        {from, "", "cannot be used here"},
        {from, "perceptron((", "cannot be used here"},
        {from, "petal(epochs=10)", "is not a learner"},
        {from, "identity", "no learner"},
        {from, "perceptron(petals=3)", "no parameter"},
        {from, "perceptron(variant=curved)", "cannot be used here"},
        {from, "perceptron(epochs=0)", "cannot be used here"},
        {from, "perceptron(epochs=nan)", "cannot be used here"},
        {from, "perceptron", again},
        {from, "Perceptron()", "cannot be used here"},
        {from, "perceptron(epochs=10, variant=averaged)", again},
        {from, "perceptron(variant=averaged,epochs=10)", again},
        {from, " perceptron(variant=averaged, epochs=10)", again},
        {from, "perceptron(variant=averaged, epochs=1e1)", again},
        {from, "perceptron(variant=averaged, epochs=010)", again},
        {from, "perceptron(epochs=10, epochs=10)", again},
        {from, "perceptron(epochs=10, epochs=11)", "twice"},
        {from, "perceptron(shuffle)", again},
        {from, "identity | identity | perceptron(epochs=10, eta=01)", again},
        {from, "perceptron(epochs=10) + machine", again},
        {from, "perceptron(epochs=10) | ovx", "cannot be used here"},
        {from, "perceptron(epochs=10) | machine | machine", "cannot be used here"},
        {from, "perceptron(epochs=10) | perceptron(epochs=10)", "one learner"},
        {from, "least-squares(l2=0)", "its learner is not 'perceptron'"},
        {"'learner':'perceptron'", "'learner':'least-squares'", "is not 'least-squares'"},
        {"'learner':'perceptron'", "'learner':''", "its learner is not ''"},
    };
    ATTACK(small_model, attacks);
}

static sepal_model *numeric_model(void) {
    static const char *const labels[] = {"-1", "2", "10"};
    sepal_model *model = begin_model(FAMILY_INDEXED, labels, 3);
    schema_of(model)->numeric_labels = true;
    schema_of(model)->width = 2;
    return end_model(model, false);
}

static void numeric_labels_and_indices(void **state) {
    (void)state;
    const struct attack attacks[] = {
        {"`-1`,`2`,`10`", "`-1`,`10`,`2`", "'2' is out of order"},
        {"`-1`,`2`,`10`", "`-1`,`2`,`2`", "'2' is out of order"},
        {"`-1`,`2`,`10`", "`-1`,`2.0`,`10`", "shortest form"},
        {"`-1`,`2`,`10`", "`-1`,`+2`,`10`", "shortest form"},
        {"`-1`,`2`,`10`", "`-1`,`2`,`1e999`", "shortest form"},
        {"`-1`,`2`,`10`", "`-1`,`2`,`inf`", "'inf' is not a label"},
        {"`-1`,`2`,`10`", "`-1`,`2`,``", "'' is not a label"},
        {"`numeric_labels`:true", "`numeric_labels`:false", "'10' is out of order"},
        {"`family`:`indexed`", "`family`:`table`", "without columns"},
        {"`width`:2", "`width`:3", "3 matrix columns and its weights 2"},
        {",'training'", ",'columns':'[]','training'", "0 names for 2 features"},
        {",'training'", ",'columns':'[`a`,7]','training'", "not a text"},
        {"'schema'", "'columns':'[]','schema'", "has no 'schema' where"},
        {"`-1`,`2`,`10`", "`-1`,`-0`,`10`", "shortest form"},
        {"`header`:false", "`header`:true", "mixes tables and indices"},
        {"`target`:null", "`target`:`y`", "mixes tables and indices"},
        {"`width`:2", "`width`:0", "0 matrix columns and its weights 2"},
        {" | machine", "", "written out"}, /* more than two classes */
        {"'decode':'argmax'", "'decode':'sign'", "decoded by that rule"},
        {"'shape':[3,2],'data_offsets':[0,48]},'bias':{'dtype':'F64','shape':[3],"
         "'data_offsets':[48,72]}",
         "'shape':[2,3],'data_offsets':[0,48]},'bias':{'dtype':'F64','shape':[3],"
         "'data_offsets':[48,72]}",
         "do not fit together"},
    };
    ATTACK(numeric_model, attacks);
}

static void schemas(void **state) {
    (void)state;
    static const char colour[] = "{`name`:`colour`,`position`:1,`categories`:[`blue`,`red`],"
                                 "`fill`:null,`indicator`:false}";
    const struct attack attacks[] = {
        {"`family`:`table`", "`family`:`tables`", "'family' of its schema is 'tables'"},
        {"`family`:`table`", "`family`:`indexed`", "mixes tables and indices"},
        {"`missing`:`refuse`", "`missing`:`guess`", "'missing' of its schema"},
        {"`header`:true", "`header`:`yes`", "not true or false"},
        {"`width`:3", "`width`:4", "4 matrix columns and its weights 3"},
        {"`width`:3", "`width`:-3", "not a count"},
        {"`width`:3", "`width`:3,`width`:3", "twice"},
        {"`target_position`:2", "`target_position`:3", "its target is cell 3 of 3"},
        {"`target_position`:2", "`target_position`:0", "column 0 cannot be cell 0"},
        {"`cells`:3", "`cells`:0", "its target"},
        {"`numeric_labels`:false", "`numeric_labels`:true", "shortest form"},
        {"'schema':'{", "'schema':'[", "expected"},
        {"'schema':'{", "'schema':'7{", "nothing after"},
        {"`position`:0", "`position`:1", "column 1 cannot be cell 1"},
        {"`position`:0", "`position`:-1", "not a count"},
        {"`position`:1", "`position`:3", "column 1 cannot be cell 3"},
        {"`position`:1", "`position`:0", "column 1 cannot be cell 0"},
        {"[`blue`,`red`]", "[`red`,`blue`]", "'blue' is out of order"},
        {"[`blue`,`red`]", "[`red`,`red`]", "'red' is out of order"},
        {"[`blue`,`red`]", "[`blue`]", "says 3 matrix columns and makes 2"},
        {"[`blue`,`red`]", "[`blue`,`red`,`x`]", "makes 4"},
        {"[`blue`,`red`]", "[`blue`,8]", "a category is not a text"},
        {"[`blue`,`red`]", "{`blue`:0}", "an array or null"},
        {"[`blue`,`red`]", "null", "makes 2"},
        {"`fill`:null", "`fill`:[1]", "other fill-ins"},
        {"`missing`:`refuse`", "`missing`:`mean`", "other fill-ins"},
        {"`missing`:`refuse`", "`missing`:`indicator`", "other fill-ins"},
        {"`zero_based`:false", "`zero_based`:true", "mixes tables and indices"},
        {"`cells`:3", "`cells`:9007199254740994", "not a count"},
        {"`cells`:3", "`cells`:2.5", "not a count"},
        {"`weight`:null", "`weight`:7", "not a text or null"},
        {"'schema':'{", "'schema':'{}{", "nothing after"},
        {"'columns':'[", "'columns':'[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "not a JSON array"},
        {"`fill`:null", "`fill`:[]", "0 fill-ins instead of 1"},
        {"`fill`:null", "`fill`:[1,2]", "2 fill-ins instead of 1"},
        {"`fill`:null", "`fill`:[null]", "a fill-in is not a number"},
        {"`fill`:null", "`fill`:[1e+400]", "too large"},
        {"`indicator`:false", "`indicator`:true", "other fill-ins"},
        {"`indicator`:false", "`x`:false", "has no 'indicator'"},
        {"`indicator`:false", "`indicator`:false,`x`:0", "does not know"},
        {"{`name`:`age`", "{`name`:`colour`", "two columns 'colour'"},
        {"{`name`:`age`", "{`name`:null", "'name' of its column is not a text"},
        {colour, "{}", "columns do not fit"},
        {colour, "{`nothing but a long key to fill the sixty-four bytes`:0}", "has no 'name'"},
        {colour, "[`nothing but a long text to fill the sixty-four bytes`]", "has no 'name'"},
        {colour, ",,,,,,,,", "columns do not fit"},
    };
    ATTACK(small_model, attacks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(shapes, fresh),
        cmocka_unit_test_setup(offsets, fresh),
        cmocka_unit_test_setup(tensors, fresh),
        cmocka_unit_test_setup(metadata, fresh),
        cmocka_unit_test_setup(classes, fresh),
        cmocka_unit_test_setup(training, fresh),
        cmocka_unit_test_setup(spellings, fresh),
        cmocka_unit_test_setup(specs, fresh),
        cmocka_unit_test_setup(numeric_labels_and_indices, fresh),
        cmocka_unit_test_setup(schemas, fresh),
        cmocka_unit_test_setup(all_were_refused, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
