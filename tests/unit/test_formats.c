/* Laws of every row of the table of formats: a new format is tested the day it lands. */
#include "io/array.h"
#include "io/write.h"
#include "unit/read_fixture.h"
#include "io/read_options.h"

static void test_rows_are_whole(void **state) {
    (void)state;
    for (const struct format *const *row = format_table; *row; row++) {
        const struct format *format = *row;
        assert_ptr_equal(format_find(format->name), format);
        assert_true(*format->summary && format->read && format->extensions[0]);
        if (format->writer) assert_true(format->writer->check && format->writer->row);
        assert_true(!format->array || (format->detect && format->array->header));
        if (format->array && format->writer) assert_non_null(format->writer->labels);
    }
    assert_null(format_find("xls"));
}

/* The words of the reading option are made from formats.def, and a number means a row of the table. */
static void test_option_words(void **state) {
    (void)state;
    char words[FORMATS_SHOWN_BYTES] = "auto", help[128] = "";
    for (const struct format *const *row = format_table; *row; row++) {
        strcat(strcat(words, "|"), (*row)->name);
        if ((*row)->array) strcat(strcat(help, (*row)->name), ", ");
    }
    assert_string_equal(parameters_find(read_option_table, "format")->range, words);
    assert_non_null(strstr(parameters_find(read_option_table, "labels")->help, help));
    assert_non_null(strstr(parameters_find(read_option_table, "weights")->help, help));
}

/* Every extension belongs to one format, in any case and packed. */
static void test_extensions(void **state) {
    (void)state;
    static const char *const packings[] = {"", ".gz", ".xz", ".zst", ".bz2"};
    for (const struct format *const *row = format_table; *row; row++)
        for (const char *const *extension = (*row)->extensions; *extension; extension++)
            for (size_t k = 0; k < sizeof packings / sizeof *packings; k++) {
                char path[64];
                size_t stem;
                snprintf(path, sizeof path, "folder.x/name%s%s", *extension, packings[k]);
                assert_ptr_equal(format_of_path(path, &stem), *row);
                assert_int_equal(stem, strlen("folder.x/name"));
                for (char *p = path + stem; *p && p < path + stem + strlen(*extension); p++)
                    if (*p >= 'a' && *p <= 'z') *p -= 'a' - 'A';
                assert_ptr_equal(format_of_path(path, NULL), *row);
            }
    size_t stem;
    assert_null(format_of_path("name.xls.gz", &stem));
    assert_int_equal(stem, strlen("name.xls"));
    assert_null(format_of_path(".csv", NULL)); /* a name, not an extension */
}

static void test_text_is_detected(void **state) {
    (void)state;
    static const struct {
        const char *text, *format; /* NULL: none, a table */
    } cases[] = {
        {"a,b\n1,2\n", NULL},
        {"a b\n1 2\n", NULL},
        {"1 1:2 3:4\n", "libsvm"},
        {"@relation r\n@attribute a real\n@data\n1\n", "arff"},
        {"% 1:2\n  @RELATION r\n", "arff"}, /* the comment alone would be libsvm */
        {"% 1:2\n", "libsvm"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct format *found = format_of_bytes(cases[i].text, strlen(cases[i].text), false);
        assert_ptr_equal(found, cases[i].format ? format_find(cases[i].format) : NULL);
        assert_null(format_of_bytes(cases[i].text, strlen(cases[i].text), true));
    }
    assert_string_equal(format_of_family(FAMILY_TABLE)->name, "csv");
    assert_string_equal(format_of_family(FAMILY_INDEXED)->name, "libsvm");
}

static bool none(const struct format *format) {
    (void)format;
    return false;
}

static void test_lists(void **state) {
    (void)state;
    char out[FORMATS_SHOWN_BYTES];
    assert_string_equal(formats_shown(out, NULL, " and "), "csv, tsv, libsvm, arff, npy and idx");
    assert_string_equal(formats_shown(out, format_is_array, " or "), "npy or idx");
    assert_string_equal(formats_shown(out, none, " or "), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_whole), cmocka_unit_test(test_option_words),
        cmocka_unit_test(test_extensions),     cmocka_unit_test(test_text_is_detected),
        cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
