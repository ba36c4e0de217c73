/* Data from arrays in memory: whatever their layout and whether they are lent or copied, the same numbers
   make the same bytes of a model; what is lent is what the header says; and every array that cannot be
   is refused with a reason. */
#include "unit/memory_fixture.h"

#include <sys/resource.h>

enum { ROWS = 1300, COLUMNS = 7, CELLS = ROWS * COLUMNS };

static double x[CELLS];
static float singles[CELLS];
static int64_t label_numbers[ROWS];
static double *columns_first, *apart; /* column-major; with gaps between the cells */

/* Kind 0: doubles; 1: numbers that floats hold; 2: these, but doubles in the second block. */
static void draw(int kind) {
    struct rng rng = rng_make(test_seed(1), (uint64_t)kind);
    for (size_t i = 0; i < ROWS; i++) {
        label_numbers[i] = (int64_t)rng_below(&rng, 3) * 7 - 7;
        for (size_t j = 0; j < COLUMNS; j++) {
            double value = rng_unit(&rng) * 4 - 2 + (double)label_numbers[i] / 5;
            bool single = kind == 1 || (kind == 2 && i / matrix_block_rows(COLUMNS) != 1);
            if (rng_below(&rng, 3) == 0) value = 0;
            x[i * COLUMNS + j] = single ? (double)(float)value : value;
            singles[i * COLUMNS + j] = (float)x[i * COLUMNS + j];
            columns_first[j * ROWS + i] = x[i * COLUMNS + j];
            apart[i * 3 * COLUMNS + 2 * j] = x[i * COLUMNS + j];
        }
    }
}

static sepal_input dense_input(void) {
    return (sepal_input){.size = sizeof(sepal_input),
                         .rows = ROWS,
                         .columns = COLUMNS,
                         .values = x,
                         .label_numbers = label_numbers};
}

static size_t lent(const sepal_data *data, unsigned what) {
    size_t n = 0;
    for (size_t b = 0; b < data->matrix.n_blocks; b++)
        n += (data->matrix.blocks[b].borrowed & what) != 0;
    return n;
}

/* ---- the same model ----------------------------------------------------------------------- */

static const char *const specs[] = {"logistic(l2=0.01)",
                                    "svm(loss=hinge, C=0.1)",
                                    "lda",
                                    "perceptron(variant=averaged, epochs=3)",
                                    "standardize | least-squares",
                                    "poly(degree=2) | lda",
                                    "naive-bayes(kind=gaussian)"};

/* Data of both inputs, and the models of it. */
static void expect_same(const sepal_input *one, const sepal_input *other, size_t blocks_lent) {
    sepal_data *a = must_make(one), *b = must_make(other);
    assert_int_equal(a->matrix.nonzeros, b->matrix.nonzeros);
    assert_int_equal(lent(a, BORROWED_VALUES | BORROWED_INDEX), 0);
    assert_int_equal(lent(b, BORROWED_VALUES), blocks_lent);
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        sepal_model *first = must_fit(specs[s], a), *second = must_fit(specs[s], b);
        assert_same_model(first, second);
        sepal_model_free(first);
        sepal_model_free(second);
    }
    sepal_data_free(a);
    sepal_data_free(b);
}

static void dense_layouts_make_one_model(void **state) {
    (void)state;
    const size_t blocks = (ROWS + matrix_block_rows(COLUMNS) - 1) / matrix_block_rows(COLUMNS);
    assert_true(blocks == 3);
    for (int kind = 0; kind < 3; kind++) {
        draw(kind);
        sepal_input copied = dense_input(), other = dense_input();
        other.borrow = 1;
        expect_same(&copied, &other, kind == 0 ? blocks : kind == 1 ? 0 : 1);
        other.row_stride = COLUMNS, other.column_stride = 1;
        expect_same(&copied, &other, kind == 0 ? blocks : kind == 1 ? 0 : 1);
        other.values = columns_first, other.row_stride = 1, other.column_stride = ROWS;
        expect_same(&copied, &other, 0);
        other.values = apart, other.row_stride = 3 * COLUMNS, other.column_stride = 2;
        expect_same(&copied, &other, 0);
        if (kind != 1) continue;
        other = dense_input();
        other.values = singles, other.value_type = SEPAL_F32;
        expect_same(&copied, &other, 0);
        other.borrow = 1;
        expect_same(&copied, &other, blocks);
        singles[COLUMNS + 1] = -0.0F, x[COLUMNS + 1] = 0; /* -0 is 0 in every format */
        expect_same(&copied, &other, blocks - 1);
    }
}

struct csr {
    int32_t start32[ROWS + 1], index32[CELLS];
    int64_t start64[ROWS + 1], index64[CELLS];
    double values[CELLS];
    float values32[CELLS];
    size_t n;
};

/* Kind 3: ones; 4: one value a row; else as the dense ones are. */
static void make_csr(struct csr *out, int kind, bool zeros) {
    draw(kind < 3 ? kind : 0);
    out->n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        out->start32[i] = (int32_t)out->n, out->start64[i] = (int64_t)out->n;
        for (size_t j = 0; j < COLUMNS; j++) {
            double value = x[i * COLUMNS + j];
            if (value == 0 && !zeros) continue;
            if (kind == 3) value = value != 0;
            if (kind == 4) value = value != 0 ? 0.1 + (double)i : 0;
            out->index32[out->n] = (int32_t)j, out->index64[out->n] = (int64_t)j;
            out->values32[out->n] = (float)value;
            out->values[out->n++] = value;
        }
    }
    out->start32[ROWS] = (int32_t)out->n, out->start64[ROWS] = (int64_t)out->n;
}

static sepal_input sparse_input(const struct csr *csr) {
    sepal_input in = dense_input();
    in.values = csr->values;
    in.row_start = csr->start64, in.row_start_type = SEPAL_I64;
    in.index = csr->index32, in.index_type = SEPAL_I32;
    in.entries = csr->n;
    return in;
}

static void sparse_layouts_make_one_model(void **state) {
    (void)state;
    struct csr *csr = room(1, sizeof *csr);
    for (int kind = 0; kind < 5; kind++) {
        make_csr(csr, kind, false);
        sepal_input copied = sparse_input(csr), other = sparse_input(csr);
        other.borrow = 1;
        sepal_data *data = must_make(&other);
        assert_int_equal(lent(data, BORROWED_INDEX), data->matrix.n_blocks);
        sepal_data_free(data);
        expect_same(&copied, &other, kind == 0 ? 3 : kind == 2 ? 1 : 0);
        other.row_start = csr->start32, other.row_start_type = SEPAL_I32;
        expect_same(&copied, &other, kind == 0 ? 3 : kind == 2 ? 1 : 0);
        other.index = csr->index64, other.index_type = SEPAL_I64; /* are converted */
        expect_same(&copied, &other, 0);
        other = sparse_input(csr);
        other.borrow = 1;
        if (kind == 1) {
            other.values = csr->values32, other.value_type = SEPAL_F32;
            expect_same(&copied, &other, 3);
        }
        if (kind == 3) {
            other.values = NULL;
            expect_same(&copied, &other, 0);
        }
        make_csr(csr, kind, true); /* stored zeros are as good as none */
        struct csr *without = room(1, sizeof *without);
        make_csr(without, kind, false);
        copied = sparse_input(without), other = sparse_input(csr);
        other.borrow = 1;
        expect_same(&copied, &other, 0);
        free(without);
    }
    free(csr);
}

/* ---- memory ------------------------------------------------------------------------------- */

static double peak_bytes(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* 200 MB that are lent take less than a tenth of that, whether dense or, as values, sparse. */
static void what_is_lent_takes_no_memory(void **state) {
    (void)state;
    enum { WIDE = 50, TALL = 500000 };
    const double bytes = 8.0 * WIDE * TALL;
    double *large = room((size_t)WIDE * TALL, sizeof *large);
    struct rng rng = rng_make(test_seed(3), 1);
    for (size_t i = 0; i < (size_t)WIDE * TALL; i++) large[i] = 0.1 + rng_unit(&rng);
    sepal_input in = {
        .size = sizeof in, .rows = TALL, .columns = WIDE, .values = large, .borrow = 1};
    double before = peak_bytes();
    sepal_data *data = must_make(&in);
    assert_true(lent(data, BORROWED_VALUES) == data->matrix.n_blocks);
    sepal_data_free(data);
    print_message("dense: %.1f MB more for %.0f MB\n", (peak_bytes() - before) / 1e6, bytes / 1e6);
    assert_true(peak_bytes() - before < bytes / 10);

    int32_t *index = room((size_t)WIDE * TALL, sizeof *index);
    int64_t *start = room(TALL + 1, sizeof *start);
    for (size_t i = 0; i < (size_t)WIDE * TALL; i++) index[i] = (int32_t)(i % WIDE);
    for (size_t i = 0; i <= TALL; i++) start[i] = (int64_t)(i * WIDE);
    in.row_start = start, in.row_start_type = SEPAL_I64;
    in.index = index, in.index_type = SEPAL_I32;
    in.entries = (size_t)WIDE * TALL;
    before = peak_bytes();
    data = must_make(&in);
    sepal_data_free(data);
    print_message("sparse: %.1f MB more\n", (peak_bytes() - before) / 1e6);
    assert_true(peak_bytes() - before < bytes / 10);
    free(start);
    free(index);
    free(large);
}

/* ---- labels and names --------------------------------------------------------------------- */

static void whole_numbers_are_labels_by_value(void **state) {
    (void)state;
    static const int64_t labels[] = {10, -3, 9, 2000, 10, -3, 9, 2000};
    static const char *const texts[] = {"10", "-3", "9", "2000", "10.0", "-3", "+9", "2e3"};
    static const char *const due[] = {"-3", "9", "10", "2000"};
    draw(0);
    sepal_input in = dense_input(), other = dense_input();
    in.rows = other.rows = 8;
    in.label_numbers = labels;
    other.label_numbers = NULL, other.labels = texts;
    sepal_data *data = must_make(&in), *again = must_make(&other);
    sepal_model *model = must_fit("lda(shrinkage=0.5)", data),
                *same = must_fit("lda(shrinkage=0.5)", again);
    assert_same_model(model, same);
    assert_int_equal(sepal_model_classes(model), 4);
    for (size_t k = 0; k < 4; k++) assert_string_equal(sepal_model_class(model, k), due[k]);
    assert_string_equal(sepal_data_label(data, 3), "2000");
    sepal_model_free(model);
    sepal_model_free(same);
    sepal_data_free(data);
    sepal_data_free(again);
}

static void names_are_kept_and_matched(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "y"};
    static const char *const others[] = {"a", "b", "c", "d", "f", "e", "y"};
    struct csr *csr = room(1, sizeof *csr);
    make_csr(csr, 0, false);
    sepal_input in = dense_input(), sparse = sparse_input(csr);
    in.column_names = sparse.column_names = names;
    sepal_data *data = must_make(&in), *entries = must_make(&sparse);
    sepal_model *model = must_fit("lda", data);
    char *name = NULL;
    int32_t classes[ROWS];
    for (size_t j = 0; j < COLUMNS; j++) {
        assert_int_equal(sepal_model_feature_name(&name, ctx, model, j), SEPAL_OK);
        assert_string_equal(name, names[j]);
        sepal_text_free(name);
    }
    assert_int_equal(sepal_model_predict(classes, ctx, model, entries), SEPAL_OK);
    sepal_data_free(entries);
    sparse.column_names = others;
    entries = must_make(&sparse);
    assert_int_equal(sepal_model_predict(classes, ctx, model, entries), SEPAL_EDATA);
    assert_non_null(strstr(sepal_ctx_error(ctx), "column 5"));
    sepal_model_free(model);
    sepal_data_free(entries);
    sepal_data_free(data);
    free(csr);
}

/* ---- categories and missing values ---------------------------------------------------------- */

enum { TABLE = 12 };
static const double table[TABLE][3] = {{1, 0, 5},   {2, 1, 6},    {NAN, 2, 7}, {4, NAN, 8},
                                       {5, 1, 9},   {6, 2, 1},    {7, 0, 2},   {NAN, 1, 3},
                                       {9, 2, 4.5}, {10, 0, 5.5}, {2.5, 1, 6}, {3.5, 2, 7}};
static const int64_t table_labels[TABLE] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0};
static const size_t kinds[] = {0, 4, 0};
static const char *const colours[] = {"red", "blue", "green", "never"};
static const char *const *const category_names[] = {NULL, colours, NULL};
static const char *const table_names[] = {"size", "colour", "age"};

static sepal_input table_input(sepal_missing missing) {
    return (sepal_input){.size = sizeof(sepal_input),
                         .rows = TABLE,
                         .columns = 3,
                         .values = table,
                         .label_numbers = table_labels,
                         .column_names = table_names,
                         .categories = kinds,
                         .category_names = category_names,
                         .missing = missing};
}

static void write_table(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "size,colour,age,y\n");
    for (size_t i = 0; i < TABLE; i++) {
        if (!isnan(table[i][0])) fprintf(file, "%g", table[i][0]);
        bool there = !isnan(table[i][1]);
        fprintf(file, ",%s,%g,%d\n", there ? colours[(size_t)table[i][1]] : "", table[i][2],
                (int)table_labels[i]);
    }
    assert_int_equal(fclose(file), 0);
}

/* Codes and NaN are what the cells of a file would be, at the fit and afterwards. */
static void a_table_in_memory_is_one_in_a_file(void **state) {
    (void)state;
    static const char *const rules[] = {"", "missing=mean", "missing=indicator", "missing=drop"};
    write_table("table.csv");
    for (int rule = SEPAL_MEAN; rule <= SEPAL_DROP; rule++) {
        sepal_input in = table_input((sepal_missing)rule);
        sepal_data *made = must_make(&in), *read = NULL, *asked = NULL;
        assert_int_equal(sepal_data_read(&read, ctx, "table.csv", rules[rule]), SEPAL_OK);
        sepal_model *one = must_fit("logistic(l2=0.1)", made);
        sepal_model *other = must_fit("logistic(l2=0.1)", read);
        assert_same_model(one, other);
        assert_int_equal(sepal_model_features(one), 3);
        assert_int_equal(sepal_model_categories(one, 1), 3);
        assert_string_equal(sepal_model_category(one, 1, 0), "blue");
        assert_null(sepal_model_category(one, 1, 3));
        assert_int_equal(sepal_model_categories(one, 0), 0);

        int32_t classes[TABLE], class;
        double scores[TABLE], score;
        in.label_numbers = NULL;
        asked = must_make(&in);
        assert_int_equal(sepal_data_rows(asked), TABLE);
        assert_int_equal(sepal_model_predict(classes, ctx, one, asked), SEPAL_OK);
        assert_int_equal(sepal_model_scores(scores, ctx, one, asked), SEPAL_OK);
        for (size_t i = 0; i < TABLE; i++) {
            static const double rank[] = {2, 0, 1}; /* of the names, sorted */
            double cells[3] = {table[i][0], table[i][1], table[i][2]};
            if (!isnan(cells[1])) cells[1] = rank[(size_t)cells[1]];
            bool lacks = isnan(cells[0]) || isnan(cells[1]);
            assert_int_equal(sepal_model_predict_row(&class, &score, one, cells, 3), SEPAL_OK);
            assert_int_equal(class, classes[i]);
            assert_true((rule == SEPAL_DROP && lacks) == (class == -1));
            assert_true(class == -1 ? isnan(score) : score == scores[i]);
            cells[1] = 3;
            assert_int_equal(sepal_model_predict_row(&class, &score, one, cells, 3), SEPAL_EDATA);
            cells[1] = 0.5;
            assert_int_equal(sepal_model_predict_row(&class, &score, one, cells, 3), SEPAL_EDATA);
            cells[1] = -1;
            assert_int_equal(sepal_model_predict_row(&class, &score, one, cells, 3), SEPAL_OK);
        }
        static const int32_t index[] = {0};
        assert_int_equal(sepal_model_predict_entries(&class, &score, one, index, scores, 1),
                         SEPAL_EDATA);
        sepal_model_free(one);
        sepal_model_free(other);
        sepal_data_free(made);
        sepal_data_free(read);
        sepal_data_free(asked);
    }
}

/* ---- refusals ----------------------------------------------------------------------------- */

static void expect_refused(const sepal_input *in, sepal_status due, const char *part) {
    sepal_data *data = (sepal_data *)1;
    sepal_status status = sepal_data_from(&data, ctx, in);
    if (status != due || !strstr(sepal_ctx_error(ctx), part))
        fail_msg("%d instead of %d with '%s': %s", status, due, part, sepal_ctx_error(ctx));
    assert_null(data);
}

static void impossible_layouts_are_refused(void **state) {
    (void)state;
    draw(0);
    sepal_input in = dense_input();
    in.size = 8;
    expect_refused(&in, SEPAL_EUSAGE, "size");
    in = dense_input(), in.rows = 0;
    expect_refused(&in, SEPAL_EDATA, "no rows");
    in = dense_input(), in.values = NULL;
    expect_refused(&in, SEPAL_EUSAGE, "values");
    in = dense_input(), in.value_type = SEPAL_I32;
    expect_refused(&in, SEPAL_EUSAGE, "type");
    in = dense_input(), in.values = (char *)x + 1;
    expect_refused(&in, SEPAL_EUSAGE, "address");
    in = dense_input(), in.rows = SIZE_MAX / 4;
    expect_refused(&in, SEPAL_EDATA, "larger");
    in = dense_input(), in.columns = SIZE_MAX;
    expect_refused(&in, SEPAL_EDATA, "larger");
    in = dense_input(), in.columns = (size_t)1 << 23, in.rows = 1;
    expect_refused(&in, SEPAL_EDATA, "names");
    static const size_t strides[][2] = {
        {COLUMNS - 1, 1}, {0, 1}, {COLUMNS, 0},       {1, 1},
        {1, ROWS - 1},    {5, 2}, {SIZE_MAX / 16, 1}, {1, SIZE_MAX / 2}};
    for (size_t k = 0; k < sizeof strides / sizeof *strides; k++) {
        in = dense_input(), in.row_stride = strides[k][0], in.column_stride = strides[k][1];
        expect_refused(&in, SEPAL_EUSAGE, "stride");
    }
    in = dense_input(), in.rows = 2, in.row_stride = SIZE_MAX / 4, in.column_stride = 1;
    expect_refused(&in, SEPAL_EDATA, "larger");
}

static void impossible_numbers_are_refused(void **state) {
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    for (int borrow = 0; borrow < 2; borrow++)
        for (size_t k = 0; k < 3; k++) {
            draw(1);
            sepal_input in = dense_input();
            in.borrow = borrow;
            x[900 * COLUMNS + 4] = odd[k];
            expect_refused(&in, SEPAL_EDATA, "row 901, column 5 is not a finite number");
            singles[1200 * COLUMNS + 6] = (float)odd[k];
            in.values = singles, in.value_type = SEPAL_F32;
            expect_refused(&in, SEPAL_EDATA, "row 1201, column 7 is not a finite number");
        }
}

static void impossible_labels_are_refused(void **state) {
    (void)state;
    draw(0);
    static const char *const texts[] = {"a", NULL, "b"};
    static const char *const broken[] = {"a", "\xff", "b"};
    double weights[ROWS] = {1, NAN};
    sepal_input in = dense_input();
    in.rows = 3, in.labels = texts;
    expect_refused(&in, SEPAL_EUSAGE, "one of them");
    in.label_numbers = NULL;
    expect_refused(&in, SEPAL_EDATA, "label of row 2");
    in.labels = broken;
    expect_refused(&in, SEPAL_EDATA, "label of row 2");
    in.labels = NULL, in.weights = weights;
    expect_refused(&in, SEPAL_EDATA, "weight of row 2");
    static const int64_t large[] = {(1LL << 53) + 1, 1LL << 53, 0};
    in.weights = NULL, in.label_numbers = large;
    expect_refused(&in, SEPAL_EDATA, "same double");
    static const int64_t one[] = {4, 4, 4};
    in.label_numbers = one;
    sepal_data *data = must_make(&in);
    sepal_model *model = NULL;
    assert_int_equal(sepal_model_fit(&model, NULL, ctx, "lda", data, NULL), SEPAL_EDATA);
    assert_true(!model && *sepal_ctx_error(ctx));
    sepal_data_free(data);
}

static void impossible_names_are_refused(void **state) {
    (void)state;
    draw(0);
    const char *names[] = {"a", "b", "c", "d", "e", "f", "a"};
    sepal_input in = dense_input();
    in.column_names = names;
    expect_refused(&in, SEPAL_EDATA, "columns 1 and 7 are both called 'a'");
    names[6] = "";
    expect_refused(&in, SEPAL_EDATA, "column 7 has no name");
    names[6] = NULL;
    expect_refused(&in, SEPAL_EDATA, "column 7 has no name");
    names[6] = "\xff";
    expect_refused(&in, SEPAL_EDATA, "not UTF-8");
}

static void impossible_entries_are_refused(void **state) {
    (void)state;
    struct csr *csr = room(1, sizeof *csr);
    for (int borrow = 0; borrow < 2; borrow++) {
        make_csr(csr, 0, true); /* every cell is an entry */
        sepal_input in = sparse_input(csr);
        in.borrow = borrow;
        size_t at = 700 * COLUMNS;
        csr->index32[at + 2] = COLUMNS;
        expect_refused(&in, SEPAL_EDATA, "entry 3 of row 701 is in column 7");
        csr->index32[at + 2] = -1;
        expect_refused(&in, SEPAL_EDATA, "entry 3 of row 701 is in column -1");
        csr->index32[at + 2] = 1;
        expect_refused(&in, SEPAL_EDATA, "row 701 has two entries in column 1");
        csr->index32[at + 2] = 0;
        expect_refused(&in, SEPAL_EDATA, "columns of row 701 do not rise");
        csr->index32[at + 2] = 2;
        csr->values[at + 3] = NAN;
        expect_refused(&in, SEPAL_EDATA, "row 701, column 4 is not a finite number");
        csr->values[at + 3] = 1;
        csr->start64[701] = csr->start64[700] - 1;
        expect_refused(&in, SEPAL_EDATA, "row_start of row 701");
        csr->start64[701] = csr->start64[700] + COLUMNS;
        csr->start64[ROWS]++;
        expect_refused(&in, SEPAL_EDATA, "row_start of row 1300");
        csr->start64[ROWS]--;
        csr->start64[0] = -1;
        expect_refused(&in, SEPAL_EDATA, "row_start of row 1 ");
        csr->start64[0] = 0;
        in.row_start_type = SEPAL_F64;
        expect_refused(&in, SEPAL_EUSAGE, "row_start");
        in = sparse_input(csr), in.index_type = SEPAL_F32;
        expect_refused(&in, SEPAL_EUSAGE, "index");
        in = sparse_input(csr), in.index = NULL;
        expect_refused(&in, SEPAL_EUSAGE, "index");
        in = sparse_input(csr), in.row_start = NULL;
        expect_refused(&in, SEPAL_EUSAGE, "row_start");
        in = sparse_input(csr), in.row_stride = 1;
        expect_refused(&in, SEPAL_EUSAGE, "strides");
        in = sparse_input(csr), in.index = (char *)csr->index32 + 1;
        expect_refused(&in, SEPAL_EUSAGE, "aligned");
        in = sparse_input(csr), in.values = (char *)csr->values + 4;
        expect_refused(&in, SEPAL_EUSAGE, "aligned");
        in = sparse_input(csr), in.value_type = SEPAL_I64;
        expect_refused(&in, SEPAL_EUSAGE, "values");
    }
    free(csr);
}

static void impossible_codes_are_refused(void **state) {
    (void)state;
    static const double odd[] = {4, -1, 0.5, INFINITY};
    double cells[TABLE][3];
    sepal_input in = table_input(SEPAL_REFUSE);
    expect_refused(&in, SEPAL_EDATA, "row 3, column 1 is NaN");
    in = table_input(SEPAL_MEAN), in.values = cells;
    for (size_t k = 0; k < 4; k++) {
        memcpy(cells, table, sizeof table);
        cells[4][1] = odd[k];
        expect_refused(&in, SEPAL_EDATA, "row 5, column 2 is ");
    }
    memcpy(cells, table, sizeof table);
    cells[4][2] = INFINITY;
    expect_refused(&in, SEPAL_EDATA, "row 5, column 3 is not a finite number");
    static const char *const twice[] = {"a", "b", "a", "c"};
    static const char *const empty[] = {"a", "b", NULL, "c"};
    const char *const *names[] = {NULL, twice, NULL};
    in = table_input(SEPAL_MEAN), in.category_names = names;
    expect_refused(&in, SEPAL_EDATA, "two categories 'a'");
    names[1] = empty;
    expect_refused(&in, SEPAL_EDATA, "category 2 of column 'colour'");
    in = table_input((sepal_missing)7);
    expect_refused(&in, SEPAL_EUSAGE, "rule 7");
    int32_t start[TABLE + 1] = {0};
    in = table_input(SEPAL_MEAN), in.row_start = start, in.row_start_type = SEPAL_I32;
    expect_refused(&in, SEPAL_EUSAGE, "sparse rows have neither");
}

static int make_rooms(void **state) {
    columns_first = room(CELLS, sizeof *columns_first);
    apart = room(3 * CELLS, sizeof *apart);
    return set_up(state);
}

static int drop_rooms(void **state) {
    free(columns_first);
    free(apart);
    return tear_down(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_lent_takes_no_memory),
        cmocka_unit_test(dense_layouts_make_one_model),
        cmocka_unit_test(sparse_layouts_make_one_model),
        cmocka_unit_test(whole_numbers_are_labels_by_value),
        cmocka_unit_test(names_are_kept_and_matched),
        cmocka_unit_test(a_table_in_memory_is_one_in_a_file),
        cmocka_unit_test(impossible_codes_are_refused),
        cmocka_unit_test(impossible_layouts_are_refused),
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(impossible_labels_are_refused),
        cmocka_unit_test(impossible_names_are_refused),
        cmocka_unit_test(impossible_entries_are_refused),
    };
    return cmocka_run_group_tests(tests, make_rooms, drop_rooms);
}
