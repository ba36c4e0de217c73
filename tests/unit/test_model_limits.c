/* Model files that go to the limits of the format and beyond: lengths, versions, numbers that are
   none, bombs, and lists that are too long. The checksum is always right. */
#include "model_attacks.h"

#include "model/fields.h"

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
        expect_refused("a number that is not finite", "is not finite");
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
        expect_refused("another size", size < right ? "cut short" : "more than its");
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
        expect_refused("a header's length", "");
        assert_null(strstr(ctx.error.message, "checksum is '"));
    }
    mem_free(good.at);
}

static void other_versions(void **state) {
    (void)state;
    static const char newer[] = "newer sepal", none[] = "not a number";
    static const struct {
        const char *version, *why;
    } versions[] = {{"2", newer}, {"10", newer}, {"99", newer}, {"4294967297", newer},
                    {"0", none},  {"01", none},  {"", none},    {"1 ", none},
                    {"-1", none}, {"1.0", none}, {"one", none}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct parts parts = take_apart(small_model());
        char to[64];
        (void)snprintf(to, sizeof to, "'format_version':'%s'", versions[i].version);
        replace(parts.header, "'format_version':'1'", to);
        write_parts(&parts);
        expect_refused(to, versions[i].why);
        free_parts(&parts);
    }
    struct bytes good = bytes_read("good.sepal");
    memset(good.at + MODEL_VERSION_AT, '1', 64); /* over the checksum, too */
    bytes_write("bad.sepal", good.at, good.size);
    expect_refused("a version without end", none);
    mem_free(good.at);
}

/* The file that looks most like a model without being one, and capital digits. */
static void other_formats_and_digits(void **state) {
    (void)state;
    struct parts parts = take_apart(small_model());
    replace(parts.header, "'format':'sepal'", "'format':'petal'");
    write_parts(&parts);
    expect_refused("another format", "not a sepal model");
    free_parts(&parts);
    struct bytes good = bytes_read("good.sepal");
    char *digits = good.at + MODEL_DIGITS_AT;
    for (int i = 0; i < CHECKSUM_DIGITS; i++) {
        if (digits[i] >= 'a') digits[i] = (char)(digits[i] - 'a' + 'A');
    }
    bytes_write("bad.sepal", good.at, good.size);
    expect_refused("capital digits", "damaged");
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
        expect_refused(kinds[i].unit, kinds[i].why);
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
        expect_refused("a list of one byte", kinds[i].why);
        free_parts(&parts);
    }
    struct parts parts = take_apart(long_list());
    char *name = strstr(parts.data.at + 8 * 1001, "1\",");
    assert_non_null(name);
    *name = '0'; /* as the one before */
    write_parts(&parts);
    expect_refused("a name twice", "two columns");
    free_parts(&parts);
    const struct attack attacks[] = {
        {"'decode':'sign',", "'decode':'sign','columns':'[]',", "twice"},
        {"'columns':{'dtype':'U8'", "'columns':{'dtype':'I8'", "not the tensor"},
        {"'columns':{", "'classes':{", "twice"},
        {",'training'", ",'columns':'[]','training'", "there twice"},
    };
    ATTACK(long_list, attacks);
}

/* ---- limits ------------------------------------------------------------------------------- */

static void expect_loaded(const char *what) {
    sepal_model *model;
    sepal_status status = model_load(&model, &ctx, "bad.sepal");
    if (status != SEPAL_OK) print_error("%s: %s\n", what, ctx.error.message);
    assert_int_equal(status, SEPAL_OK);
    model_free(model);
}

/* Loads what was crafted; refused with `why`, or accepted if that is NULL. */
static void expect(const char *what, const struct crafted *crafted, const char *why) {
    struct parts parts = craft(crafted);
    write_parts(&parts);
    if (why)
        expect_refused(what, why);
    else
        expect_loaded(what);
    free_parts(&parts);
}

static const struct bytes no_yes = {"[\"no\",\"yes\"]", 12};

/* A list with one column, whose categories are numbers of six digits, or that has none. */
static struct bytes one_column(size_t name, size_t categories) {
    char *list = malloc(name + 9 * categories + 200), *at = list;
    assert_non_null(list);
    at = stpcpy(at, "[{\"name\":\"");
    memset(at, 'x', name);
    at = stpcpy(at + name, "\",\"position\":0,\"categories\":");
    for (size_t k = 0; k < categories; k++) at += sprintf(at, "%s\"%06zu\"", k ? "," : "[", k);
    at = stpcpy(at, categories ? "],\"fill\":null,\"indicator\":false}]"
                               : "null,\"fill\":null,\"indicator\":false}]");
    return (struct bytes){list, (size_t)(at - list)};
}

/* Headers at the very edge: just inside they load, one further they do not. */
static void edges_of_headers(void **state) {
    (void)state;
    char longest[64] = "'sepal_version':'", longer[64] = "'sepal_version':'0";
    size_t rest = 32 - strlen(sepal_version());
    memset(longest + strlen(longest), '0', rest);
    memset(longer + strlen(longer), '0', rest);
    const struct attack cases[] = {
        {"'sepal_version':'", longest, NULL},
        {"'sepal_version':'", longer, "that wrote it"},
        {"`rows`:150", "`rows`:9007199254740992", NULL}, /* 2^53 */
        {"`rows`:150", "`rows`:9007199254740994", "not a count"},
        {"`name`:`age`", "`name`:`age\\\\u000b`", NULL}, /* what has no letter of its own */
        {"`name`:`age`", "`name`:`age\\\\u007f`", NULL},
        {"`name`:`age`", "`name`:`age\\\\u000c`", "is not spelled"},
        {"`name`:`age`", "`name`:`age\\\\u0080`", "is not spelled"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parts parts = take_apart(small_model());
        replace(parts.header, cases[i].from, cases[i].to);
        write_parts(&parts);
        if (cases[i].why)
            expect_refused(cases[i].to, cases[i].why);
        else
            expect_loaded(cases[i].to);
        free_parts(&parts);
    }
}

static void longest_texts(void **state) {
    (void)state;
    static const struct {
        size_t name, categories;
        const char *why;
    } cases[] = {{1, 0, NULL},
                 {65400, 0, NULL}, /* still in the metadata */
                 {65536, 0, NULL},
                 {65537, 0, "longer than"},
                 {1 << 20, 0, "longer than"},
                 {(1 << 20) + 9, 0, "longer than"},
                 {3 << 20, 0, "longer than"},
                 {1, 4096, NULL},
                 {1, 4097, "more than 4096 categories"},
                 {1, 16000, "more than 4096 categories"},
                 {1, 1 << 17, "values"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes list = one_column(cases[i].name, cases[i].categories);
        size_t width = cases[i].categories ? cases[i].categories : 1;
        expect("long texts", &(struct crafted){2, width, no_yes, list}, cases[i].why);
        free(list.at);
    }
}

static void longest_spec(void **state) {
    (void)state;
    enum { LONGEST = 1 << 16 };
    struct parts parts = take_apart(small_model());
    char *spec = strstr(parts.header, "\"spec\":\"") + strlen("\"spec\":\"");
    memmove(spec + LONGEST, spec, strlen(spec) + 1);
    memset(spec, 'x', LONGEST);
    write_parts(&parts);
    expect_refused("a long spec", "spec is too long");
    free_parts(&parts);
}

/* For two classes one row is enough, so two rows are no model. */
static void two_rows(void **state) {
    (void)state;
    struct parts parts = craft(&(struct crafted){3, 1, no_yes, {0}});
    replace(
        parts.header,
        "[3,1],'data_offsets':[0,24]},'bias':{'dtype':'F64','shape':[3],'data_offsets':[24,48]",
        "[2,1],'data_offsets':[0,16]},'bias':{'dtype':'F64','shape':[2],'data_offsets':[16,32]");
    parts.data.size = 32;
    write_parts(&parts);
    expect_refused("two rows", "2 rows of weights cannot be decoded");
    free_parts(&parts);
}

/* `n` labels of seven digits; the last one twice if the order is to be wrong. */
static struct bytes labels(size_t n) {
    char *list = malloc(10 * n + 3), *at = list;
    assert_non_null(list);
    for (size_t k = 0; k < n; k++) at += sprintf(at, "%c\"%07zu\"", k ? ',' : '[', k);
    at = stpcpy(at, "]");
    return (struct bytes){list, (size_t)(at - list)};
}

static void most_classes(void **state) {
    (void)state;
    const size_t most = 1 << 20;
    struct bytes list = labels(most), longer = labels(most + 1);
    expect("2^20 classes", &(struct crafted){most, 1, list, {0}}, NULL);
    expect("more classes", &(struct crafted){most + 1, 1, longer, {0}}, "cannot be decoded");
    expect("a class too many", &(struct crafted){most, 1, longer, {0}}, "1048577 classes");
    list.at[list.size - 3]--; /* now equal to the one before */
    expect("a class twice", &(struct crafted){most, 1, list, {0}}, "out of order");
    free(list.at);
    free(longer.at);
}

/* As long as a value of the metadata may be, and one byte longer: loaded, and saved as it was. */
static void lists_at_the_edge(void **state) {
    (void)state;
    struct bytes shortest = one_column(0, 0);
    for (size_t more = 0; more < 2; more++) {
        struct bytes list = one_column(MODEL_LONGEST_VALUE - shortest.size + more, 0);
        struct parts parts = craft(&(struct crafted){2, 1, no_yes, list});
        write_parts(&parts);
        sepal_model *model;
        assert_int_equal(model_load(&model, &ctx, "bad.sepal"), SEPAL_OK);
        assert_int_equal(model_save(&ctx, model, "bad.sepal"), SEPAL_OK);
        model_free(model);
        expect_loaded("a list at the edge, saved again");
        free_parts(&parts);
        free(list.at);
    }
    free(shortest.at);
}

static void most_values(void **state) {
    (void)state;
    enum { MOST = 1 << 14 };
    static char json[2 * MOST + 2];
    for (size_t n = MOST; n <= MOST + 1; n++) { /* a list and n - 1 zeros in it */
        struct arena arena = {0};
        struct tree *tree;
        for (size_t i = 0; i < n; i++) memcpy(json + 2 * i, i ? ",0" : "[0", 2);
        json[2 * n - 2] = ']';
        sepal_status status = json_read_small(&tree, &ctx, &arena, (struct slice){json, 2 * n - 1});
        assert_int_equal(status, n > MOST ? SEPAL_EMODEL : SEPAL_OK);
        arena_clear(&arena);
    }
}

/* A short list in a tensor is no other model, but another file. */
static void lists_in_the_wrong_place(void **state) {
    (void)state;
    struct bytes list = one_column(65536, 0);
    struct parts parts = craft(&(struct crafted){2, 1, no_yes, list});
    free(list.at);
    char from[64], to[64];
    list = one_column(10, 0);
    size_t old = parts.data.size - 16;
    (void)snprintf(from, sizeof from, "[%zu],'data_offsets':[16,%zu]", old, old + 16);
    (void)snprintf(to, sizeof to, "[%zu],'data_offsets':[16,%zu]", list.size, list.size + 16);
    replace(parts.header, from, to);
    memcpy(parts.data.at + 16, list.at, list.size);
    parts.data.size = 16 + list.size;
    write_parts(&parts);
    expect_refused("a short list in a tensor", "in the wrong place");
    free(list.at);
    free_parts(&parts);
}

/* More blanks behind the header than its alignment asks for. */
static void paddings(void **state) {
    (void)state;
    for (size_t blanks = 64; blanks <= 1024; blanks *= 2) {
        struct parts parts = take_apart(small_model());
        char *end = parts.header + strlen(parts.header);
        memset(end, ' ', blanks);
        end[blanks] = '\0';
        write_parts(&parts);
        expect_refused("padding", "blanks at the end");
        free_parts(&parts);
    }
}

/* A header that ends on the alignment may have no blanks: 64 are refused as well as 8. */
static void aligned_headers(void **state) {
    (void)state;
    char list[128] = "[\"no\",\"yes\"]";
    struct parts parts = craft(&(struct crafted){2, 1, {list, strlen(list)}, {0}});
    while ((MODEL_LENGTH_BYTES + strlen(parts.header)) % MODEL_ALIGNMENT) {
        free_parts(&parts);
        stpcpy(list + strlen(list) - 2, "s\"]");
        parts = craft(&(struct crafted){2, 1, {list, strlen(list)}, {0}});
    }
    write_parts(&parts);
    expect_loaded("no blanks");
    size_t length = strlen(parts.header);
    char *end = stpcpy(parts.header + length, "        ");
    char *file = malloc(MODEL_LENGTH_BYTES + length + 8 + parts.data.size);
    assert_non_null(file);
    memcpy(file + MODEL_LENGTH_BYTES, parts.header, length + 8);
    memcpy(file + MODEL_LENGTH_BYTES + length + 8, parts.data.at, parts.data.size);
    seal_and_write(file, MODEL_LENGTH_BYTES + length + 8 + parts.data.size, length + 8);
    expect_refused("8 blanks", "not aligned");
    free(file);
    memset(end, ' ', MODEL_ALIGNMENT - 8);
    end[MODEL_ALIGNMENT - 8] = '\0';
    write_parts(&parts);
    expect_refused("64 blanks", "64 blanks at the end");
    free_parts(&parts);
}

/* Tensors and keys that nobody asked for, in great number. */
static void many_entries(void **state) {
    (void)state;
    static const struct {
        const char *format;
        size_t times;
        const char *why;
    } kinds[] = {
        {",\"t%zu\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[56,56]}", 2000, "know there"},
        {",\"t%zu\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[56,56]}", 12000, "more than"},
        {",\"%zu\":0", 15000, "know there"},
        {",\"%zu\":0", 90 * 1000, "more than"},
        {",\"%zu\":\"\"", 250 * 1000, "too long"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct parts parts = take_apart(small_model());
        char *at = parts.header + strlen(parts.header) - 1;
        for (size_t k = 0; k < kinds[i].times; k++) at += sprintf(at, kinds[i].format, k);
        stpcpy(at, "}");
        write_parts(&parts);
        expect_refused(kinds[i].format, kinds[i].why);
        free_parts(&parts);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(numbers_that_are_not_finite, fresh),
        cmocka_unit_test_setup(surplus_and_lacking_bytes, fresh),
        cmocka_unit_test_setup(header_lengths, fresh),
        cmocka_unit_test_setup(other_versions, fresh),
        cmocka_unit_test_setup(other_formats_and_digits, fresh),
        cmocka_unit_test_setup(bombs, fresh),
        cmocka_unit_test_setup(lists_in_tensors, fresh),
        cmocka_unit_test_setup(edges_of_headers, fresh),
        cmocka_unit_test_setup(longest_texts, fresh),
        cmocka_unit_test_setup(longest_spec, fresh),
        cmocka_unit_test_setup(two_rows, fresh),
        cmocka_unit_test_setup(most_classes, fresh),
        cmocka_unit_test_setup(lists_at_the_edge, fresh),
        cmocka_unit_test_setup(most_values, fresh),
        cmocka_unit_test_setup(lists_in_the_wrong_place, fresh),
        cmocka_unit_test_setup(paddings, fresh),
        cmocka_unit_test_setup(aligned_headers, fresh),
        cmocka_unit_test_setup(many_entries, fresh),
        cmocka_unit_test_setup(all_were_refused, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
