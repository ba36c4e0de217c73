/* The fast readers against the strict one over many random files: files as people write them, CSV
   and LIBSVM, with a few random edits that may break them. Prints how many files were compared. */
#include "fuzz/agree.h"
#include "fuzz/fuzz.h"

#include "seed.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { FILES = 5000 }; /* a fresh buffer for every file takes its time there */
#else
enum { FILES = 20000 };
#endif
enum { FILES_NIGHTLY = 20 * FILES };

static const char *pick(struct rng *rng, const char *const *words, size_t n) {
    return words[rng_below(rng, n)];
}
#define PICK(rng, words) pick((rng), (words), sizeof(words) / sizeof *(words))

static const char *const numbers[] = {"0",
                                      "1",
                                      "-1",
                                      "2.5",
                                      "-0",
                                      "1e3",
                                      ".5",
                                      "7.",
                                      "+4",
                                      "1e-7",
                                      "0.1",
                                      "123456789",
                                      "1e308",
                                      "4.9e-324",
                                      "0.30000000000000004",
                                      "9007199254740993",
                                      "1e22",
                                      "00012"};
static const char *const odd_words[] = {"",      "?",    "NA",    "n/a",  "nan",      "NULL",
                                        "inf",   "-inf", "1e999", "0x10", "1_000",    "1,5",
                                        "1.2.3", "--1",  "e5",    "\xe9", "\xc3\xa9", "\"",
                                        "\"\"",  "\"a",  "a\"b",  "'",    "\x07"};
static const char *const texts[] = {
    "red", "blue", "dark blue", "\"a,b\"", "\"say \"\"hi\"\"\"", "\"two\nlines\"",
    "x",   "  y ", "\"\"",      "z"};
static const char *const labels[] = {"1", "-1", "+1", "1.0", "2", "10", "a", "b", "\"c d\"", "yes"};
static const char *const names[] = {"a",  "b", "class",   "y", "Target", "label",
                                    "x1", "",  "\"n m\"", "a", "t",      "1"};
static const char *const marks[] = {",",  ";",  "\t",   "|", " ",   ":",     "\"",
                                    "\n", "\r", "\r\n", "#", "1:1", "qid:3", "\xef\xbb\xbf",
                                    "\\", "0",  "-",    "e", "\x7f"};

/* ---- files -------------------------------------------------------------------------------- */

static void put_table(struct rng *rng, struct text *out) {
    static const char *const delimiters[] = {",", ",", ",", ";", "\t", "|", " ", ", "};
    static const char *const ends[] = {"\n", "\n", "\n", "\r\n", "\r"};
    const char *delimiter = PICK(rng, delimiters), *end = PICK(rng, ends);
    size_t rows = rng_below(rng, 8), cols = 1 + rng_below(rng, 5), kinds = rng_below(rng, 32);
    bool header = rng_below(rng, 2), words = rng_below(rng, 3) == 0;
    for (size_t r = 0; r < rows + header; r++) {
        for (size_t c = 0; c < cols; c++) {
            bool label = c + 1 == cols, odd = words && rng_below(rng, 20) == 0;
            if (c) text_puts(NULL, out, delimiter);
            text_puts(NULL, out,
                      header && r == 0        ? PICK(rng, names)
                      : odd                   ? PICK(rng, odd_words)
                      : label                 ? PICK(rng, labels)
                      : (kinds >> c & 3) == 3 ? PICK(rng, texts)
                                              : PICK(rng, numbers));
        }
        text_puts(NULL, out, end);
    }
}

static void put_indexed(struct rng *rng, struct text *out) {
    static const char *const sets[] = {"1,3", "2", "1,2,3", "", "3,", ","};
    size_t rows = rng_below(rng, 8), base = rng_below(rng, 4) != 0;
    bool multiple = rng_below(rng, 4) == 0, words = rng_below(rng, 3) == 0;
    for (size_t r = 0; r < rows; r++) {
        text_puts(NULL, out, multiple ? PICK(rng, sets) : PICK(rng, labels));
        size_t index = base + rng_below(rng, 3);
        for (size_t n = rng_below(rng, 5); n > 0; n--) {
            bool odd = words && rng_below(rng, 20) == 0;
            text_printf(NULL, out, " %zu:%s", index,
                        odd ? PICK(rng, odd_words) : PICK(rng, numbers));
            index += rng_below(rng, 10) ? 1 + rng_below(rng, 3) : 0;
        }
        text_puts(NULL, out, rng_below(rng, 12) ? "\n" : " # note\n\n");
    }
}

/* Cut bytes out, put a mark or a copy of some bytes in, change a byte. */
static void edit(struct rng *rng, struct text *file) {
    size_t at = rng_below(rng, file->length + 1), n = rng_below(rng, 6);
    struct text out = {0};
    if (n > file->length - at) n = file->length - at;
    text_add(NULL, &out, file->bytes, at);
    switch (rng_below(rng, 4)) {
    case 0: break; /* the bytes at `at` are left out */
    case 1: text_puts(NULL, &out, PICK(rng, marks)); break;
    case 2:
        text_puts(NULL, &out, PICK(rng, marks));
        text_add(NULL, &out, file->bytes + at, n);
        break;
    default: text_add(NULL, &out, file->bytes + at, n); text_add(NULL, &out, file->bytes + at, n);
    }
    text_add(NULL, &out, file->bytes + at + n, file->length - at - n);
    text_clear(file);
    *file = out;
}

/* The line of letters that says how it is read. */
static void put_letters(struct rng *rng, struct text *out, bool indexed) {
    static const char *const ways[] = {"",  "",  "",  "h", "n", "q", "s",  "x",  "1",  "2", "t",
                                       "c", ",", ";", "_", "|", ">", "hx", "nc", "hq", "T"};
    static const char *const indexed_ways[] = {"l", "l", "l", "ls", "lf", "lT"};
    text_puts(NULL, out, indexed ? PICK(rng, indexed_ways) : PICK(rng, ways));
    text_puts(NULL, out, "\n");
}

/* What broke a law is left in a file. */
static const struct text *current;
static void keep(void) {
    FILE *file = fopen("broken", "wb");
    if (!file || fwrite(current->bytes, 1, current->length, file) != current->length) return;
    fclose(file);
    fprintf(stderr, "the input is in the file 'broken'; replay_differential runs it again\n");
}

int main(void) {
    law_before_abort = keep;
    const char *nightly = getenv("SEPAL_NIGHTLY");
    size_t files = nightly && *nightly ? FILES_NIGHTLY : FILES, compared = 0;
    struct rng rng = rng_make(test_seed(1), 0);
    for (size_t i = 0; i < files; i++) {
        struct text file = {0}, input = {0};
        struct fuzz_reading reading;
        bool indexed = rng_below(&rng, 3) == 0;
        if (indexed)
            put_indexed(&rng, &file);
        else
            put_table(&rng, &file);
        for (size_t n = rng_below(&rng, 4); n > 0; n--) edit(&rng, &file);
        put_letters(&rng, &input, indexed);
        text_add(NULL, &input, file.bytes, file.length);
        current = &input;
        reading_cut(&reading, (const uint8_t *)input.bytes, input.length);
        compared += readers_agree(&reading);
        text_clear(&file);
        text_clear(&input);
    }
    printf("COUNT differential %zu 0\n", compared);
    return compared < files / 2; /* most of the options must be ones that both readers know */
}
