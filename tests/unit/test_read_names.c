/* Names of columns from a file beside the table: a table without a header and a file of names is read
   to the same bits as the same table with these names in line 1. */
#include "unit/read_fixture.h"

static const char path[] = "names.csv", names_path[] = "names.txt";

/* Six columns of numbers, text and labels, in an order of their own. */
enum { COLUMNS = 6, ROWS = 12 };
static const char *const column_names[COLUMNS] = {"long name", "a", "?", "7", "NA", "class"};

struct drawn {
    size_t order[COLUMNS];
    char cell[ROWS][COLUMNS][16];
};

static void draw(struct drawn *table, struct rng *rng) {
    for (size_t c = 0; c < COLUMNS; c++) table->order[c] = c;
    for (size_t c = COLUMNS - 1; c > 0; c--) {
        size_t other = (size_t)rng_below(rng, c + 1), moved = table->order[c];
        table->order[c] = table->order[other];
        table->order[other] = moved;
    }
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++)
            snprintf(table->cell[r][c], sizeof table->cell[r][c],
                     c == 1   ? "t%u"
                     : c == 5 ? "k%u"
                              : "%u.5",
                     (unsigned)(r < 2 ? r : rng_below(rng, 4)));
}

static void shuffle_names(const struct drawn *table, char end, struct text *text) {
    for (size_t c = 0; c < COLUMNS; c++)
        text_printf(&ctx, text, "%s%c", column_names[table->order[c]],
                    c + 1 == COLUMNS ? '\n' : end);
}

static void put_table(const struct drawn *table, bool header) {
    struct text text = {0}, names = {0};
    if (header) shuffle_names(table, ';', &text);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++)
            text_printf(&ctx, &text, "%s%c", table->cell[r][table->order[c]],
                        c + 1 == COLUMNS ? '\n' : ';');
    shuffle_names(table, '\n', &names);
    put_bytes(path, text.bytes, text.length);
    put_bytes(names_path, names.bytes, names.length);
    text_clear(&text);
    text_clear(&names);
}

static void test_as_a_header(void **state) {
    (void)state;
    static const char *const more[] = {"", ", target=a", ", drop=\"a,7\"", ", weight=NA"};
    struct rng rng = rng_make(test_seed(11), 1);
    for (size_t i = 0; i < 80; i++) {
        struct drawn table, other;
        char with[96], without[96];
        const char *options = more[i % (sizeof more / sizeof *more)];
        snprintf(without, sizeof without, "header=yes%s", options);
        snprintf(with, sizeof with, "names=names.txt%s", options);
        draw(&table, &rng);
        put_table(&table, true);
        sepal_data *wanted = must_read(path, without);
        put_table(&table, false);
        sepal_data *data = must_read(path, with);
        assert_same_data(wanted, data);
        assert_string_equal(wanted->target.name, data->target.name);
        /* a model finds them by name, in whichever order */
        draw(&other, &rng);
        put_table(&other, true);
        sepal_data *wanted_for = must_read_for(path, "unknown=zero", wanted, true);
        put_table(&other, false);
        sepal_data *data_for = must_read_for(path, "names=names.txt, unknown=zero", data, true);
        assert_same_data(wanted_for, data_for);
        data_free(data_for);
        data_free(wanted_for);
        data_free(data);
        data_free(wanted);
    }
}

/* Of a model without names the columns go by their places, and names say nothing. */
static void test_model_without_names(void **state) {
    (void)state;
    put(path, "1,2,x\n3,4,y\n");
    sepal_data *training = must_read(path, NULL);
    sepal_data *data = must_read_for(path, "names=absent", training, true);
    assert_same_data(training, data);
    data_free(data);
    data_free(training);
}

static void test_refused_names(void **state) {
    (void)state;
    static const struct {
        const char *rows, *names, *options;
        const char *file; /* where it is said to be */
        struct refusal refusal;
    } cases[] = {
        {"1,2,x\n3,4,y\n", "a\nb\n", "", names_path, {0, 0, "2 names here, and names.csv has 3"}},
        {"1,2,x\n3,4,y\n", "a\nb\nc\nd\n", "", names_path, {0, 0, "also for the target"}},
        {"1,2,x\n3,4,y\n", "a\na\nc\n", "", names_path, {2, 1, "'a' is that of another"}},
        {"1,2,x\n3,4,y\n", "a\n\nc\n", "", names_path, {2, 1, "'' is no name"}},
        {"a,b,c\n3,4,y\n", "a\nb\nc\n", "", path, {1, 1, "names the columns already"}},
        {"\na,b,c\n3,4,y\n", "a\nb\nc\n", "", path, {2, 1, "--skip 2"}},
        {"3,4,y\n3,4,y\n", "a\nb\nc\n", ", header=yes", path, {1, 1, "--header no"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char options[64];
        sepal_data *data;
        put(path, cases[i].rows);
        put(names_path, cases[i].names);
        snprintf(options, sizeof options, "names=names.txt%s", cases[i].options);
        assert_int_equal(data_read(&data, &ctx, path, options, NULL, true), SEPAL_EDATA);
        assert_string_equal(ctx.error.file, cases[i].file);
        if (!strstr(ctx.error.message, cases[i].refusal.message))
            fail_msg("case %zu: '%s'", i, ctx.error.message);
        assert_int_equal(ctx.error.line, cases[i].refusal.line);
        assert_int_equal(ctx.error.column, cases[i].refusal.column);
    }
    put("names.arff", "@relation r\n@attribute a numeric\n@data\n1\n");
    sepal_data *data;
    assert_int_equal(data_read(&data, &ctx, "names.arff", "names=names.txt", NULL, true),
                     SEPAL_EUSAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_as_a_header, fresh, clean),
        cmocka_unit_test_setup_teardown(test_model_without_names, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refused_names, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
