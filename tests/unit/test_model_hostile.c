/* Model files made by an enemy: the checksum is right, the contents are not. Each is refused with
   SEPAL_EMODEL for the reason that was meant, and afterwards a good file still loads. */
#include "model_samples.h"

#include "model/checksum.h"
#include "model/model_file.h"

enum { ROOM = 1 << 22 };

/* The header and the tensors of a file, apart. */
struct parts {
    char *header; /* a text in a block of ROOM bytes */
    struct bytes data;
};

static struct parts take_apart(sepal_model *model) {
    assert_int_equal(model_save(&ctx, model, "good.sepal"), SEPAL_OK);
    model_free(model);
    struct bytes file = bytes_read("good.sepal");
    const char *padding = memmem(file.at, file.size, "}}", 2);
    for (const char *next = padding; next; next = memmem(next + 1, 64, "}}", 2)) padding = next;
    assert_non_null(padding);
    struct parts parts = {.header = malloc(ROOM), .data.at = malloc(ROOM)};
    assert_true(parts.header && parts.data.at);
    size_t length = (size_t)(padding + 2 - file.at) - MODEL_LENGTH_BYTES;
    memcpy(parts.header, file.at + MODEL_LENGTH_BYTES, length);
    parts.header[length] = '\0';
    size_t data_at =
        (MODEL_LENGTH_BYTES + length + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT * MODEL_ALIGNMENT;
    parts.data.size = file.size - data_at;
    memcpy(parts.data.at, file.at + data_at, parts.data.size);
    mem_free(file.at);
    return parts;
}

static void free_parts(struct parts *parts) {
    free(parts->header);
    free(parts->data.at);
}

/* `length` as the first eight bytes and a checksum that fits. */
static void seal_and_write(char *file, size_t size, uint64_t length) {
    for (int i = 0; i < 8; i++) file[i] = (char)(unsigned char)(length >> (8 * i) & 0xFF);
    checksum_print(file + MODEL_DIGITS_AT, checksum_file(file, size, MODEL_DIGITS_AT));
    bytes_write("bad.sepal", file, size);
}

static void write_parts(const struct parts *parts) {
    size_t length = strlen(parts->header);
    size_t padded =
        (length + MODEL_LENGTH_BYTES + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT * MODEL_ALIGNMENT -
        MODEL_LENGTH_BYTES;
    size_t size = MODEL_LENGTH_BYTES + padded + parts->data.size;
    char *file = malloc(size);
    assert_non_null(file);
    memset(file, ' ', size);
    memcpy(file + MODEL_LENGTH_BYTES, parts->header, length);
    memcpy(file + MODEL_LENGTH_BYTES + padded, parts->data.at, parts->data.size);
    seal_and_write(file, size, padded);
    free(file);
}

static void assert_refused(const char *why) {
    sepal_model *model;
    sepal_status status = model_load(&model, &ctx, "bad.sepal");
    if (status != SEPAL_EMODEL) print_message("not refused although: %s\n", why);
    assert_int_equal(status, SEPAL_EMODEL);
    assert_null(model);
    assert_string_equal(ctx.error.file, "bad.sepal");
    assert_null(strchr(ctx.error.message, '\n'));
    if (!strstr(ctx.error.message, why))
        print_message("wanted '%s', got '%s'\n", why, ctx.error.message);
    assert_non_null(strstr(ctx.error.message, why));
    assert_int_equal(model_load(&model, &ctx, "good.sepal"), SEPAL_OK);
    model_free(model);
}

/* A text of the tables below as it stands in the header: ' is a quote, ` one inside a value. */
static void spell(char *out, const char *text) {
    for (; *text; text++) {
        if (*text == '`') *out++ = '\\';
        *out++ = *text == '`' || *text == '\'' ? '"' : *text;
    }
    *out = '\0';
}

static void replace(char *header, const char *from, const char *to) {
    char old[512], new[4096];
    spell(old, from);
    spell(new, to);
    char *at = strstr(header, old);
    if (!at) print_message("no '%s' in %s\n", old, header);
    assert_non_null(at);
    size_t rest = strlen(at + strlen(old)) + 1;
    memmove(at + strlen(new), at + strlen(old), rest);
    memcpy(at, new, strlen(new));
}

struct attack {
    const char *from, *to, *why;
};

static void attack_all(sepal_model *(*make)(void), const struct attack *attacks, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct parts parts = take_apart(make());
        write_parts(&parts);
        sepal_model *model;
        assert_int_equal(model_load(&model, &ctx, "bad.sepal"), SEPAL_OK); /* not bad so far */
        model_free(model);
        replace(parts.header, attacks[i].from, attacks[i].to);
        write_parts(&parts);
        assert_refused(attacks[i].why);
        free_parts(&parts);
    }
}

#define ATTACK(make, attacks) attack_all(make, attacks, sizeof(attacks) / sizeof *(attacks))

/* ---- headers ------------------------------------------------------------------------------ */

static void tensors(void **state) {
    (void)state;
    static const char placed[] = "does not lie where it should",
                      expected[] = "is not the tensor that is expected",
                      fit[] = "do not fit together";
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
        {"'shape':[1,3]", "'shape':[2305843009213693952,1]", expected},
        {"'shape':[1,3]", "'shape':[1e300,1]", expected},
        {"'shape':[1,3]", "'shape':[1,1e999]", "too large"},
        {"'shape':[1,3],'data_offsets':[0,24]", "'shape':[0,3],'data_offsets':[0,0]", placed},
        {"[24,32]", "[16,24]", placed}, /* overlaps the weights */
        {"[24,32]", "[32,40]", placed}, /* leaves a hole */
        {"[24,32]", "[32,24]", placed}, /* ends before it begins */
        {"[24,32]", "[24]", placed},
        {"[24,32]", "[24,32,56]", placed},
        {"[24,32]", "[24.5,32.5]", placed},
        {"[24,32]", "[-24,32]", placed},
        {"[24,32]", "[24,18446744073709551615]", placed},
        {"[32,56]", "[32,9007199254740992]", placed},
        {"'data_offsets':[24,32]", "'offsets':[24,32]", "has no 'data_offsets'"},
        {"'data_offsets':[24,32]", "'data_offsets':[24,32],'x':1", "does not know"},
        {",'centre':{'dtype':'F64','shape':[3],'data_offsets':[32,56]}", "", "bytes of tensors"},
        {"'centre':", "'center':", "does not know"},
        {"'centre':", "'bias':", "twice"},
        {"'centre':", "'weights':", "twice"},
        {"'weights':{", "'weight':{", placed}, /* now the bias does not begin at 0 */
        {"'bias':{'dtype':'F64','shape':[1],'data_offsets':[24,32]},", "", placed},
        {"'bias':{'dtype':'F64','shape':[1],'data_offsets':[24,32]}", "'bias':[]",
         "has no 'dtype'"},
        {"'shape':[1],'data_offsets':[24,32]},'centre':{'dtype':'F64','shape':[3],"
         "'data_offsets':[32,56]}",
         "'shape':[3],'data_offsets':[24,48]},'centre':{'dtype':'F64','shape':[1],"
         "'data_offsets':[48,56]}",
         fit},
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
        {"'decode':'sign',", "'decode':'sign','host':'here',", "does not know"},
        {"'decode':'sign',", "'decode':'sign','decode':'sign',", "twice"},
        {"'decode':'sign',", "'decode':'sign','columns':'[]',", "twice"},
        {"'sepal_version':'0", "'sepal_version':{},'x':'0", "is not a text"},
        {"'spec':'perceptron(epochs=10, ", "'spec':'perceptron((epochs=10, ", "its spec"},
        {"'spec':'perceptron(epochs=10, variant=averaged)'", "'spec':''", "its spec"},
        {"'learner':'perceptron'", "'learner':'per\xFF'", "not UTF-8"},
        {"'learner':'perceptron'", "'learner':'per\\u0000'", "NUL"},
        {"'learner':'perceptron'", "'learner':'per\\ud800'", "surrogate"},
        {"'learner':'perceptron'", "'learner':'per\x01'", "control character"},
        {"'learner':'perceptron'", "'learner':", "expected a value"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`]'", "1 classes"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[]'", "0 classes"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`,`x`,`yes`]'", "3 classes"},
        {"'classes':'[`no`,`yes`]'", "'classes':'[`no`,`no`]'", "out of order"},
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
        {"`rows`:150", "`rows`:-150", "'rows' of its training is not a count"},
        {"`rows`:150", "`rows`:150.5", "not a count"},
        {"`rows`:150", "`rows`:1e17", "not a count"},
        {"`total_weight`:149.75", "`total_weight`:null", "not a number"},
        {"`converged`:true", "`converged`:1", "not true or false"},
        {"`converged`:true", "`converged`:true,`seconds`:3", "does not know"},
        {"`converged`:true", "`converged`:true,`gap`:3", "twice"},
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
        {"`-1`,`2`,`10`", "`-1`,`2`,`inf`", "shortest form"},
        {"`-1`,`2`,`10`", "`-1`,`2`,``", "shortest form"},
        {"`numeric_labels`:true", "`numeric_labels`:false", "'10' is out of order"},
        {"`family`:`indexed`", "`family`:`table`", "without columns"},
        {"`width`:2", "`width`:3", "3 matrix columns and its weights 2"},
        {"'schema'", "'columns':'[]','schema'", "with columns"},
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
        {"`family`:`table`", "`family`:`indexed`", "with columns"},
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
        {"`fill`:null", "`fill`:[]", "0 fill-ins instead of 1"},
        {"`fill`:null", "`fill`:[1,2]", "2 fill-ins instead of 1"},
        {"`fill`:null", "`fill`:[null]", "a fill-in is not a number"},
        {"`fill`:null", "`fill`:[1e400]", "too large"},
        {"`indicator`:false", "`indicator`:true", "makes 4"},
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

/* ---- bytes -------------------------------------------------------------------------------- */

static void numbers_that_are_not_finite(void **state) {
    (void)state;
    static const char bad[][8] = {{0, 0, 0, 0, 0, 0, '\xF8', '\x7F'},  /* not a number */
                                  {0, 0, 0, 0, 0, 0, '\xF0', '\x7F'},  /* infinity */
                                  {0, 0, 0, 0, 0, 0, '\xF0', '\xFF'}}; /* its negative */
    for (size_t i = 0; i < 7 * 3; i++) {
        struct parts parts = take_apart(small_model());
        memcpy(parts.data.at + i / 3 * 8, bad[i % 3], 8);
        write_parts(&parts);
        assert_refused("is not finite");
        free_parts(&parts);
    }
}

static void surplus_and_lacking_bytes(void **state) {
    (void)state;
    struct parts parts = take_apart(small_model());
    size_t right = parts.data.size;
    for (size_t size = 0; size < 2 * right; size++) {
        if (size == right) continue;
        parts.data.size = size;
        if (size > right) parts.data.at[size - 1] = 0;
        write_parts(&parts);
        assert_refused(size < right ? "does not lie where it should" : "bytes of tensors");
    }
    free_parts(&parts);
}

static void header_lengths(void **state) {
    (void)state;
    struct bytes good;
    struct parts parts = take_apart(small_model());
    write_parts(&parts);
    free_parts(&parts);
    good = bytes_read("bad.sepal");
    uint64_t right = (unsigned char)good.at[0] + 256u * (unsigned char)good.at[1];
    const uint64_t wrong[] = {0,
                              1,
                              7,
                              8,
                              80,
                              right - 64,
                              right - 1,
                              right + 1,
                              right + 64,
                              good.size - 8,
                              good.size - 7,
                              good.size,
                              1 << 20,
                              UINT32_MAX,
                              INT64_MAX,
                              UINT64_MAX - 8,
                              UINT64_MAX - 7,
                              UINT64_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        seal_and_write(good.at, good.size, wrong[i]);
        assert_refused("");
        assert_null(strstr(ctx.error.message, "checksum is '"));
    }
    mem_free(good.at);
}

static void other_versions(void **state) {
    (void)state;
    static const char *const versions[] = {"0", "2", "10", "", "1 ", "one"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct parts parts = take_apart(small_model());
        char to[64];
        (void)snprintf(to, sizeof to, "'format_version':'%s'", versions[i]);
        replace(parts.header, "'format_version':'1'", to);
        write_parts(&parts);
        assert_refused("newer sepal");
        free_parts(&parts);
    }
}

/* The file that looks most like a model without being one, and capital digits. */
static void other_formats_and_digits(void **state) {
    (void)state;
    struct parts parts = take_apart(small_model());
    replace(parts.header, "'format':'sepal'", "'format':'petal'");
    write_parts(&parts);
    assert_refused("not a sepal model");
    free_parts(&parts);
    struct bytes good = bytes_read("good.sepal");
    char *digits = good.at + MODEL_DIGITS_AT;
    for (int i = 0; i < CHECKSUM_DIGITS; i++) {
        if (digits[i] >= 'a') digits[i] = (char)(digits[i] - 'a' + 'A');
    }
    bytes_write("bad.sepal", good.at, good.size);
    assert_refused("damaged");
    mem_free(good.at);
}

/* Values repeated until the header is as long as a header may be, or longer. */
static void bombs(void **state) {
    (void)state;
    static const struct {
        const char *unit;
        size_t times;
        const char *why;
    } kinds[] = {{"0,", 500 * 1000, "more than"},  {"[", 1000 * 1000, "more than"},
                 {"[", 100, "nested deeper"},      {"{\"a\":", 40, "nested deeper"},
                 {"[],", 340 * 1000, "more than"}, {"\"\",", 340 * 1000, "more than"},
                 {" ", 2000 * 1000, "too long"},   {"0,", 1000 * 1000, "too long"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct parts parts = take_apart(small_model());
        char *at = parts.header + strlen(parts.header) - 1; /* the last brace */
        at = stpcpy(at, ",\"x\":[");
        for (size_t k = 0; k < kinds[i].times; k++) at = stpcpy(at, kinds[i].unit);
        stpcpy(at, "0]}");
        write_parts(&parts);
        assert_refused(kinds[i].why);
        free_parts(&parts);
    }
}

/* Lists in tensors go the same way as those in the metadata. */
static sepal_model *long_list(void) {
    enum { N = 1000 };
    static char texts[N][80];
    static const char *names[N], *const labels[] = {"no", "yes"};
    for (size_t i = 0; i < N; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "%060zu", i);
        names[i] = texts[i];
    }
    sepal_model *model = begin_model(FAMILY_TABLE, labels, 2);
    add_columns(model, names, N);
    return end_model(model, false);
}

static void lists_in_tensors(void **state) {
    (void)state;
    static const struct {
        char byte;
        const char *why;
    } kinds[] = {{'0', "not a JSON array"}, {',', "do not fit"},
                 {'[', "not a JSON array"}, {'"', ""},
                 {' ', "expected"},         {'\xFF', "not UTF-8"},
                 {'\0', "expected"},        {'{', "not a JSON array"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct parts parts = take_apart(long_list());
        size_t list = 8 * 1001; /* behind the weights and the bias */
        assert_int_equal(parts.data.at[list], '[');
        memset(parts.data.at + list + 1, kinds[i].byte, parts.data.size - list - 2);
        if (kinds[i].byte == '0') parts.data.at[list] = '0';
        write_parts(&parts);
        assert_refused(kinds[i].why);
        free_parts(&parts);
    }
    const struct attack attacks[] = {
        {"'decode':'sign',", "'decode':'sign','columns':'[]',", "twice"},
        {"'columns':{'dtype':'U8'", "'columns':{'dtype':'I8'", "not the tensor"},
        {"'columns':{", "'classes':{", "twice"},
    };
    ATTACK(long_list, attacks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(tensors, fresh),
        cmocka_unit_test_setup(metadata, fresh),
        cmocka_unit_test_setup(schemas, fresh),
        cmocka_unit_test_setup(numeric_labels_and_indices, fresh),
        cmocka_unit_test_setup(numbers_that_are_not_finite, fresh),
        cmocka_unit_test_setup(surplus_and_lacking_bytes, fresh),
        cmocka_unit_test_setup(header_lengths, fresh),
        cmocka_unit_test_setup(other_versions, fresh),
        cmocka_unit_test_setup(other_formats_and_digits, fresh),
        cmocka_unit_test_setup(bombs, fresh),
        cmocka_unit_test_setup(lists_in_tensors, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
