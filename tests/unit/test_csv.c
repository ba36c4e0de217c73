/* Cells and records of delimited text: tables of tricky texts, and laws over random bytes. */
#include "seed.h"
#include "core/context.h"
#include "io/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

enum { MOST_CELLS = 64 };
#define ADVICE "if quotes are ordinary characters in this file, say " OPTION "quote no"

static const struct csv_marks commas = {',', '\n', true, false}, blanks = {' ', '\n', true, false},
                              tabs = {'\t', '\n', true, false}, plain = {',', '\n', false, false},
                              returns = {',', '\r', true, false};

/* Cells as "[a][b]", a fault as "!message", from a block of exactly that size. */
static void show(char *out, size_t room, const char *text, size_t length, struct csv_marks marks) {
    char *block = malloc(length ? length : 1), *scratch = malloc(length ? length : 1);
    assert_true(block && scratch);
    memcpy(block, text, length);
    struct table_cell cells[MOST_CELLS];
    size_t n = csv_split(block, block + length, marks, scratch, cells, MOST_CELLS), used = 0;
    assert_int_equal(csv_split(block, block + length, marks, scratch, NULL, 0), n);
    assert_true(n <= MOST_CELLS);
    csv_split(block, block + length, marks, scratch, cells, MOST_CELLS);
    out[0] = '\0';
    for (size_t i = 0; i < n && used < room; i++) {
        int more;
        if (cells[i].fault)
            more = snprintf(out + used, room - used, "!%s at %d", cells[i].fault,
                            (int)(cells[i].start - block));
        else
            more = snprintf(out + used, room - used, "[%.*s]", (int)cells[i].text.length,
                            cells[i].text.bytes);
        used += (size_t)more;
    }
    free(scratch);
    free(block);
}

static const struct {
    const struct csv_marks *marks;
    const char *text, *cells;
} splits[] = {
    {&commas, "", ""},
    {&commas, "\n", ""},
    {&commas, " \t\r\n", ""},
    {&commas, "a", "[a]"},
    {&commas, "a,b\n", "[a][b]"},
    {&commas, "a,b\r\n", "[a][b]"},
    {&commas, "a,b\r", "[a][b]"},
    {&commas, "a,b\nc,d\n", "[a][b]"},
    {&commas, ",\n", "[][]"},
    {&commas, ",,", "[][][]"},
    {&commas, "a,\n", "[a][]"},
    {&commas, "a,\r\n", "[a][]"},
    {&commas, " a , b c \t,\td\n", "[a][b c][d]"},
    {&commas, "\"a\",b\n", "[a][b]"},
    {&commas, "\" a \" , \"b\"\t\n", "[ a ][b]"},
    {&commas, "\"a,b\",\"c\nd\",e\n", "[a,b][c\nd][e]"},
    {&commas, "\"c\r\nd\"\r\n", "[c\r\nd]"},
    {&commas, "\"a\"\"b\",\"\"\"\",\"\"\n", "[a\"b][\"][]"},
    {&commas, "\"\"\"a\"\"\",\"b\"\"\"\n", "[\"a\"][b\"]"},
    {&commas, "a\"b,5'\"\n", "[a\"b][5'\"]"},
    {&commas, "a\"b\nc\"d\n", "[a\"b]"},
    {&commas, "\"\"\n", "[]"},
    {&commas, "caf\xC3\xA9\n", "[caf\xC3\xA9]"},
    {&commas, "\"a\n", "!the quote that opens this cell is never closed; " ADVICE " at 0"},
    {&commas, "x,\"a\"\"\n", "[x]!the quote that opens this cell is never closed; " ADVICE " at 2"},
    {&commas, "\"a\"b,c\n", "!text after the closing quote; " ADVICE " at 3"},
    {&commas, "\"a\" \"b\",c\n", "!text after the closing quote; " ADVICE " at 4"},
    {&commas, "a,b\001c\n", "[a]!control character at 3"},
    {&commas, "a,\"b\001c\"\n", "[a]!control character at 4"},
    {&commas, "a,\x7f\n", "[a]!control character at 2"},
    {&commas, "a\rb,c\n", "!carriage return inside a line at 1"},
    {&commas, "a;b\n", "[a;b]"},
    {&plain, "\"a,b\"\n", "[\"a][b\"]"},
    {&plain, "\"\n", "[\"]"},
    {&tabs, "a\tb c\t\n", "[a][b c][]"},
    {&tabs, "\t\n", "[][]"},
    {&tabs, " a \t \"b\" \n", "[a][b]"},
    {&blanks, "a b\n", "[a][b]"},
    {&blanks, "  a \t b\t\n", "[a][b]"},
    {&blanks, "\ta\r\n", "[a]"},
    {&blanks, "\"a b\"  \"c\" d \r\n", "[a b][c][d]"},
    {&blanks, "\"a\"b\n", "!text after the closing quote; " ADVICE " at 3"},
    {&blanks, "a,b c\n", "[a,b][c]"},
    {&returns, "a,b\rc,d\r", "[a][b]"},
    {&returns, "\"a\rb\",c\rd\r", "[a\rb][c]"},
    {&returns, "\r", ""},
};

static void test_split(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        char shown[512];
        show(shown, sizeof shown, splits[i].text, strlen(splits[i].text), *splits[i].marks);
        if (strcmp(shown, splits[i].cells) != 0)
            fail_msg("case %zu: '%s' gives %s, not %s", i, splits[i].text, shown, splits[i].cells);
    }
    char shown[64];
    show(shown, sizeof shown, "a,b\0c\n", 6, commas);
    assert_string_equal(shown, "[a]!control character at 3");
}

static void test_record_end(void **state) {
    (void)state;
    static const struct {
        const struct csv_marks *marks;
        const char *text;
        int end; /* -1: none */
    } cases[] = {
        {&commas, "", -1},
        {&commas, "a", -1},
        {&commas, "\n", 1},
        {&commas, "a,b\r\nc", 5},
        {&commas, "a\"\n\"\n", 3},
        {&commas, "\"\n\"\n", 4},
        {&commas, "a,\"\n\",b\nc\n", 8},
        {&commas, "a, \"\n\"\n", 7},
        {&commas, "\"a\"\"\n\"\n", 7},
        {&commas, "\"a\"\"\"\n\"\n", 6},
        {&commas, "\"a\n", -1},
        {&commas, "\"\"\n", 3},
        {&commas, "x,\"\"\n\n", 5},
        {&plain, "\"\n\"\n", 2},
        {&tabs, "a\t\"\n\"\n", 6},
        {&blanks, "a\t\"\n\"\n", 6},
        {&blanks, "a \"\n\"\n", 6},
        {&blanks, "a,\"\n\"\n", 4},
        {&returns, "\"\r\"\r\n", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        const char *end = csv_record_end(text, text + strlen(text), *cases[i].marks);
        int found = end ? (int)(end - text) : -1;
        if (found != cases[i].end)
            fail_msg("case %zu: '%s' ends at %d, not %d", i, text, found, cases[i].end);
    }
}

/* ---- random cells written by RFC 4180 come back ------------------------------------------- */

static size_t random_cell(struct rng *rng, char *cell) {
    static const char alphabet[] = "ab ,;\t|\"\n\r1";
    size_t n = (size_t)rng_below(rng, 8);
    for (size_t i = 0; i < n; i++) cell[i] = alphabet[rng_below(rng, sizeof alphabet - 1)];
    return n;
}

static size_t write_cell(char *out, const char *cell, size_t n) {
    size_t used = 0;
    out[used++] = '"';
    for (size_t i = 0; i < n; i++) {
        if (cell[i] == '"') out[used++] = '"';
        out[used++] = cell[i];
    }
    out[used++] = '"';
    return used;
}

static void test_quoted_cells_come_back(void **state) {
    (void)state;
    enum { CELLS = 6, ROUNDS = 20000 };
    static const struct csv_marks *const marks[] = {&commas, &tabs, &blanks};
    struct rng rng = rng_make(test_seed(1), 1);
    for (int round = 0; round < ROUNDS; round++) {
        char cells[CELLS][8], text[256], scratch[256];
        size_t lengths[CELLS], used = 0, n = 1 + (size_t)rng_below(&rng, CELLS);
        const struct csv_marks *mark = marks[round % 3];
        for (size_t i = 0; i < n; i++) {
            lengths[i] = random_cell(&rng, cells[i]);
            if (i) text[used++] = mark->delimiter;
            used += write_cell(text + used, cells[i], lengths[i]);
        }
        size_t content = used;
        if (round % 2) text[used++] = '\r';
        text[used++] = '\n';
        memcpy(text + used, "next", 4);
        struct table_cell found[CELLS + 1];
        assert_ptr_equal(csv_record_end(text, text + used + 4, *mark), text + used);
        assert_int_equal(csv_split(text, text + used + 4, *mark, scratch, found, CELLS + 1), n);
        for (size_t i = 0; i < n; i++) {
            assert_null(found[i].fault);
            assert_int_equal(found[i].text.length, lengths[i]);
            assert_memory_equal(found[i].text.bytes, cells[i], lengths[i]);
        }
        assert_int_equal(csv_split(text, text + content, *mark, scratch, found, CELLS + 1), n);
        assert_null(found[n - 1].fault);
    }
}

/* ---- a slow reader ------------------------------------------------------------------------ */

/* Where the record that begins at p ends, one cell at a time; SIZE_MAX: nowhere; *fault: the text
   breaks the rules, and then nobody promises where. */
static size_t slow_end(const char *text, size_t n, char delimiter, bool *fault) {
    size_t p = 0;
    for (;;) {
        while (p < n && (text[p] == ' ' || (text[p] == '\t' && delimiter != '\t'))) p++;
        if (p < n && text[p] == '"') {
            for (p++; p < n; p++) {
                if (text[p] != '"') continue;
                if (p + 1 == n || text[p + 1] != '"') break;
                p++;
            }
            *fault = *fault || p == n;
            if (p < n) p++;
            while (p < n && text[p] == ' ') p++;
            bool ends = p == n || text[p] == delimiter || text[p] == '\n' ||
                        (text[p] == '\r' && (p + 1 == n || text[p + 1] == '\n')) ||
                        (delimiter == ' ' && text[p - 1] == ' ');
            *fault = *fault || !ends;
            if (delimiter == ' ' && p < n && text[p] != '\r' && text[p] != '\n') continue;
        }
        while (p < n && text[p] != delimiter && text[p] != '\n') p++;
        if (p == n) return SIZE_MAX;
        if (text[p++] == '\n') return p;
    }
}

static void test_record_end_agrees_with_a_slow_reader(void **state) {
    (void)state;
    static const char alphabet[] = "aa,,\"\"\"\n\r  ";
    static const char delimiters[] = {',', ' '};
    enum { ROUNDS = 400000, MOST = 24 };
    struct rng rng = rng_make(test_seed(2), 2);
    size_t sound = 0, ended = 0;
    for (int round = 0; round < ROUNDS; round++) {
        char text[MOST];
        size_t n = (size_t)rng_below(&rng, MOST + 1);
        for (size_t i = 0; i < n; i++) text[i] = alphabet[rng_below(&rng, sizeof alphabet - 1)];
        struct csv_marks marks = {delimiters[round % 2], '\n', true, false};
        const char *end = csv_record_end(text, text + n, marks);
        if (end) assert_true(end > text && end <= text + n && end[-1] == '\n');
        bool fault = false;
        size_t wanted = slow_end(text, n, marks.delimiter, &fault);
        if (fault) continue;
        sound++;
        ended += end != NULL;
        if ((end ? (size_t)(end - text) : SIZE_MAX) != wanted)
            fail_msg("'%.*s' with '%c': %zd, not %zd", (int)n, text, marks.delimiter,
                     end ? end - text : -1, (ptrdiff_t)wanted);
    }
    assert_true(sound > ROUNDS / 4 && ended > ROUNDS / 8);
}

/* Reading cell by cell and looking for the end of the record must stop at the same line end, or a
   chunk would be cut inside a record. */
static void test_cells_stop_where_the_record_ends(void **state) {
    (void)state;
    static const char alphabet[] = "aa,,\"\"\"\n\r \t;";
    static const char delimiters[] = {',', ' ', '\t', ';'};
    enum { ROUNDS = 400000, MOST = 24 };
    struct rng rng = rng_make(test_seed(3), 3);
    size_t sound = 0;
    for (int round = 0; round < ROUNDS; round++) {
        char text[MOST], scratch[MOST];
        size_t n = (size_t)rng_below(&rng, MOST + 1);
        for (size_t i = 0; i < n; i++) text[i] = alphabet[rng_below(&rng, sizeof alphabet - 1)];
        struct csv_marks marks = {delimiters[round % 4], '\n', round % 8 < 6, false};
        const char *p = text, *end = text + n;
        struct table_cell cell;
        do p = csv_cell_next(p, end, marks, scratch, &cell);
        while (!cell.fault && csv_cell_more(&p, end, marks));
        if (cell.fault) {
            assert_true(cell.start >= text && cell.start <= end);
            continue;
        }
        sound++;
        const char *wanted = csv_record_end(text, end, marks);
        if (p < end && *p == '\r') p++;
        if (wanted)
            assert_ptr_equal(p + 1, wanted);
        else
            assert_ptr_equal(p, end);
    }
    assert_true(sound > ROUNDS / 5);
}

/* ---- words -------------------------------------------------------------------------------- */

static struct slice slice_of(const char *text) {
    return (struct slice){text, strlen(text)};
}

static void test_missing_words(void **state) {
    (void)state;
    static const char *const missing[] = {"",    "?",   "NA",  "na",   "N/A", "n/a",
                                          "NaN", "nan", "NAN", "null", "NULL"};
    static const char *const present[] = {"0",   "-",   "none", "nil",  "??",  "nall",   "nulls",
                                          "N A", "inf", ".",    "\"\"", "n.a", "unknown"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        assert_true(cell_is_missing(slice_of(missing[i])));
    for (size_t i = 0; i < sizeof present / sizeof *present; i++)
        assert_false(cell_is_missing(slice_of(present[i])));
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } numbers[] = {{"0", 0},  {"-1.5", -1.5}, {"+2", 2},      {".5", 0.5},
                   {"5.", 5}, {"1e3", 1000},  {"1E-2", 0.01}, {"007", 7}};
    static const char *const others[] = {"",      "nan", "inf",   "-inf", "1e999",    "0x10",
                                         "1_000", "1,5", "1 2",   "1e",   "e5",       ".",
                                         "-",     "+-1", "1.2.3", "12a",  "Infinity", "1f"};
    double value;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_true(cell_is_number(slice_of(numbers[i].text), &value));
        assert_true(value == numbers[i].value);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(cell_is_number(slice_of(others[i]), &value));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_record_end),
        cmocka_unit_test(test_quoted_cells_come_back),
        cmocka_unit_test(test_record_end_agrees_with_a_slow_reader),
        cmocka_unit_test(test_cells_stop_where_the_record_ends),
        cmocka_unit_test(test_missing_words),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
