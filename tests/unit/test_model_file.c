/* Model files: what is saved comes back bit for bit, damage is noticed, failures leave no trace. */
#include "model_kinds.h"

#include "model/checksum.h"
#include "model/pipeline.h"
#include "model/schema_json.h"

#include <dirent.h>

/* ---- equality ----------------------------------------------------------------------------- */

static void assert_same_text(const char *a, const char *b) {
    assert_int_equal(a == NULL, b == NULL);
    if (a) assert_string_equal(a, b);
}

static void assert_same_numbers(const double *a, const double *b, size_t n) {
    assert_int_equal(a == NULL, b == NULL);
    if (a) assert_memory_equal(a, b, n * sizeof *a);
}

static void assert_same_number(double a, double b) {
    if (!isnan(a) || !isnan(b)) assert_same_numbers(&a, &b, 1);
}

static void assert_same_column(const struct column *a, const struct column *b) {
    assert_same_text(a->name, b->name);
    assert_int_equal(a->position, b->position);
    assert_int_equal(a->text, b->text);
    assert_int_equal(a->n_categories, b->n_categories);
    for (size_t k = 0; k < a->n_categories; k++)
        assert_same_text(a->categories[k], b->categories[k]);
    assert_same_numbers(a->fill, b->fill, a->text ? a->n_categories : 1);
    assert_int_equal(a->indicator, b->indicator);
    assert_int_equal(a->first, b->first);
}

static void assert_same_schema(const struct schema *a, const struct schema *b) {
    assert_int_equal(a->family, b->family);
    assert_int_equal(a->header, b->header);
    assert_int_equal(a->n_columns, b->n_columns);
    for (size_t i = 0; i < a->n_columns; i++) assert_same_column(&a->columns[i], &b->columns[i]);
    assert_int_equal(a->zero_based, b->zero_based);
    assert_int_equal(a->cells, b->cells);
    assert_same_text(a->target, b->target);
    assert_int_equal(a->target_position, b->target_position);
    assert_same_text(a->weight, b->weight);
    assert_int_equal(a->missing, b->missing);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->dependent, b->dependent);
    assert_int_equal(a->n_classes, b->n_classes);
    for (size_t k = 0; k < a->n_classes; k++) assert_same_text(a->classes[k], b->classes[k]);
    assert_int_equal(a->numeric_labels, b->numeric_labels);
}

static void assert_same_model(const sepal_model *a, const sepal_model *b) {
    const struct linear *x = &a->linear, *y = &b->linear;
    assert_same_text(a->spec, b->spec);
    assert_same_text(a->learner, b->learner);
    assert_same_schema(a->schema, b->schema);
    assert_int_equal(x->classes, y->classes);
    assert_int_equal(x->rows, y->rows);
    assert_int_equal(x->cols, y->cols);
    assert_ptr_equal(x->strategy, y->strategy);
    assert_same_numbers(x->w, y->w, x->rows * x->cols);
    assert_same_numbers(x->b, y->b, x->rows);
    assert_same_numbers(x->centre, y->centre, x->cols);
    assert_int_equal(x->calibration != NULL, y->calibration != NULL);
    if (x->calibration) {
        assert_int_equal(y->link, LINK_CALIBRATED);
        assert_int_equal(x->calibration->kind, y->calibration->kind);
        assert_int_equal(x->calibration->rows, y->calibration->rows);
        assert_same_numbers(x->calibration->numbers, y->calibration->numbers,
                            x->calibration->rows * x->calibration->cols);
    }
    assert_int_equal(a->kept_rule.decide, b->kept_rule.decide);
    assert_int_equal(a->kept_rule.ambiguous, b->kept_rule.ambiguous);
    assert_int_equal(a->kept_rule.cutoff != NULL, b->kept_rule.cutoff != NULL);
    if (a->kept_rule.cutoff) assert_same_numbers(a->kept_rule.cutoff, b->kept_rule.cutoff, 1);
    assert_int_equal(a->facts.rows, b->facts.rows);
    assert_same_number(a->facts.total_weight, b->facts.total_weight);
    assert_same_number(a->facts.objective, b->facts.objective);
    assert_same_number(a->facts.gap, b->facts.gap);
    assert_int_equal(a->facts.iterations, b->facts.iterations);
    assert_int_equal(a->facts.converged, b->facts.converged);
}

/* ---- round trips -------------------------------------------------------------------------- */

static void saved_models_come_back(void **state) {
    (void)state;
    for (size_t i = 0; i < N_MODEL_KINDS; i++) {
        sepal_model *model = model_kinds[i].make(), *loaded;
        assert_int_equal(model_save(&ctx, model, "first.sepal"), SEPAL_OK);
        assert_int_equal(model_load(&loaded, &ctx, "first.sepal"), SEPAL_OK);
        assert_same_model(model, loaded);
        assert_int_equal(model_save(&ctx, loaded, "second.sepal"), SEPAL_OK);
        struct bytes first = bytes_read("first.sepal"), second = bytes_read("second.sepal");
        assert_int_equal(first.size, second.size);
        assert_memory_equal(first.at, second.at, first.size);
        mem_free(first.at);
        mem_free(second.at);
        model_free(loaded);
        model_free(model);
    }
}

/* Long lists are the only difference between the two forms of a file. */
static void long_lists_are_tensors(void **state) {
    (void)state;
    sepal_model *(*const both[])(void) = {small_model, long_lists};
    for (int i = 0; i < 2; i++) {
        sepal_model *model = both[i]();
        assert_int_equal(model_save(&ctx, model, "list.sepal"), SEPAL_OK);
        struct bytes file = bytes_read("list.sepal");
        assert_true(memmem(file.at, file.size, "\"columns\":{\"dtype\":\"U8\"", 23) ? i : !i);
        assert_true(memmem(file.at, file.size, "\"classes\":{\"dtype\":\"U8\"", 23) ? i : !i);
        mem_free(file.at);
        model_free(model);
    }
}

static void frozen_files_still_load(void **state) {
    (void)state;
    static const struct {
        const char *name, *checksum;
        sepal_model *(*make)(void);
    } frozen[] = {
        {"model-v1.sepal", "\"checksum\":\"550b84f65a6f5473\"", golden_model},
        {"model-v1-everything.sepal", "\"checksum\":\"92ae1cb71ba6a67f\"", table_with_everything},
        {"model-v1-names.sepal", "\"checksum\":\"e91012fefcdca34e\"", weird_names},
        {"model-v1-cut.sepal", "\"checksum\":\"674ce530d16e3160\"", with_cut},
        {"model-v1-calibration.sepal", "\"checksum\":\"49ffc0fb1245aa52\"", with_knots},
        {"model-v1-errors.sepal", "\"checksum\":\"9eb6ddab28fd3392\"", with_errors},
    };
    const char *source = getenv("SEPAL_SOURCE");
    for (size_t i = 0; i < sizeof frozen / sizeof *frozen; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/tests/golden/%s", source ? source : ".",
                       frozen[i].name);
        struct bytes file = bytes_read(path);
        assert_non_null(memmem(file.at, file.size, frozen[i].checksum, 29));
        mem_free(file.at);
        sepal_model *wanted = frozen[i].make(), *loaded;
        assert_int_equal(model_load(&loaded, &ctx, path), SEPAL_OK);
        assert_same_model(wanted, loaded);
        model_free(loaded);
        model_free(wanted);
    }
}

/* A word that an older version wrote is today's from then on; the rest of the text stays. */
static void older_words_are_read(void **state) {
    (void)state;
    static const char *const files[][2] = {
        {"lda", "lda(shrinkage=none, axes=0, estimate=unbiased) | machine"},
        {"full", "gaussian(covariance=full, shrinkage=none, estimate=unbiased) | machine"},
        {"shared", "gaussian(covariance=shared, shrinkage=none, estimate=unbiased) | machine"},
        {"diagonal", "gaussian(covariance=diagonal, shrinkage=none, estimate=ml) | machine"},
    };
    const char *source = getenv("SEPAL_SOURCE");
    for (size_t i = 0; i < 4; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/tests/golden/model-estimate-default-%s.sepal",
                       source ? source : ".", files[i][0]);
        sepal_model *old, *again;
        assert_int_equal(model_load(&old, &ctx, path), SEPAL_OK);
        assert_string_equal(old->spec, files[i][1]);
        assert_int_equal(model_save(&ctx, old, "again.sepal"), SEPAL_OK);
        assert_int_equal(model_load(&again, &ctx, "again.sepal"), SEPAL_OK);
        assert_same_model(old, again);
        model_free(again);
        model_free(old);
    }
}

static void older_words_are_canonical(void **state) {
    (void)state;
    static const struct {
        const char *spec, *learner, *today; /* NULL: refused */
    } cases[] = {
        {"lda(shrinkage=none, axes=0, estimate=default)", "lda",
         "lda(shrinkage=none, axes=0, estimate=unbiased)"},
        {"lda(priors=\"estimate=default:0.5,b:0.5\", estimate=default)", "lda",
         "lda(priors=\"estimate=default:0.5,b:0.5\", estimate=unbiased)"},
        {"standardize | gaussian(covariance=spherical, estimate=default)", "gaussian",
         "standardize | gaussian(covariance=spherical, estimate=ml)"},
        {"lda(axes=0, estimate=unbiased)", "lda", "lda(axes=0, estimate=unbiased)"},
        {"lda(axes=0,  estimate=default)", "lda", NULL},
        {"lda(estimate=default )", "lda", NULL},
        {"lda(estimate=default, estimate=default)", "lda", NULL},
        {"lda(estimate=Default)", "lda", NULL},
        {"lda(estimate)", "lda", NULL},
        {"fisher(cut=default)", "fisher", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct pipeline pipeline;
        const char *today = NULL;
        sepal_status status = pipeline_parse_saved(&pipeline, &today, &ctx, &arena, cases[i].spec,
                                                   cases[i].learner, 2);
        if (status != (cases[i].today ? SEPAL_OK : SEPAL_EMODEL))
            fail_msg("%s: %s", cases[i].spec, ctx.error.message);
        if (cases[i].today) assert_string_equal(today, cases[i].today);
        arena_clear(&arena);
    }
}

static void checksums_are_crc64_xz(void **state) {
    (void)state;
    char text[100];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(i * 7);
    assert_true(checksum_add(0, "123456789", 9) == UINT64_C(0x995DC9BBDF1939FA));
    uint64_t whole = checksum_add(0, text, sizeof text);
    for (size_t cut = 0; cut <= sizeof text; cut++) {
        uint64_t first = checksum_add(0, text, cut);
        assert_true(checksum_add(first, text + cut, sizeof text - cut) == whole);
    }
    char digits[CHECKSUM_DIGITS];
    checksum_print(digits, UINT64_C(0x0123456789ABCDEF));
    assert_memory_equal(digits, "0123456789abcdef", sizeof digits);
}

/* ---- damage ------------------------------------------------------------------------------- */

static void assert_refused(const char *path) {
    sepal_model *model;
    assert_int_equal(model_load(&model, &ctx, path), SEPAL_EMODEL);
    assert_null(model);
    assert_string_equal(ctx.error.file, path);
    assert_true(strlen(ctx.error.message) > 10);
    assert_null(strchr(ctx.error.message, '\n'));
}

static struct bytes saved_small_model(void) {
    sepal_model *model = small_model();
    assert_int_equal(model_save(&ctx, model, "small.sepal"), SEPAL_OK);
    model_free(model);
    return bytes_read("small.sepal");
}

static void other_files_are_refused(void **state) {
    (void)state;
    static const char csv[] = "a,b,class\n1,2,yes\n";
    assert_refused("absent.sepal");
    bytes_write("data.csv", csv, sizeof csv - 1);
    assert_refused("data.csv");
    assert_non_null(strstr(ctx.error.message, "not a sepal model"));
    assert_refused(".");
}

/* ---- faults ------------------------------------------------------------------------------- */

static size_t files_here(void) {
    size_t n = 0;
    DIR *folder = opendir(".");
    assert_non_null(folder);
    while (readdir(folder)) n++;
    closedir(folder);
    return n;
}

static void set_fault(enum fault_kind kind, size_t at, bool from_then_on) {
    atomic_store(&ctx.faults[kind].calls, 0);
    ctx.faults[kind].fail_at = at;
    ctx.faults[kind].from_then_on = from_then_on;
}

/* Let the first, second, ... system call of a save fail until one save meets no fault. After the
   rename the new file is there, complete; before it the old one is. */
static void a_failing_save_keeps_the_old_file(void **state) {
    (void)state;
    struct bytes old = saved_small_model();
    sepal_model *model = table_with_everything();
    assert_int_equal(model_save(&ctx, model, "new.sepal"), SEPAL_OK);
    struct bytes new = bytes_read("new.sepal");
    for (int forever = 0; forever < 2; forever++) {
        bytes_write("kept.sepal", old.at, old.size);
        size_t files = files_here(), k = 0;
        sepal_status status;
        do {
            set_fault(FAULT_IO, ++k, forever);
            status = model_save(&ctx, model, "kept.sepal");
            set_fault(FAULT_IO, 0, false);
            assert_true(status == SEPAL_OK || (status == SEPAL_EOUTPUT && k < 100));
            assert_int_equal(files_here(), files);
            struct bytes kept = bytes_read("kept.sepal");
            struct bytes *wanted = kept.size == old.size && status != SEPAL_OK ? &old : &new;
            assert_int_equal(kept.size, wanted->size);
            assert_memory_equal(kept.at, wanted->at, kept.size);
            if (k <= 5) assert_ptr_equal(wanted, &old); /* create, write, sync, close, rename */
            mem_free(kept.at);
        } while (status != SEPAL_OK);
        assert_true(k > 5);
    }
    model_free(model);
    mem_free(old.at);
    mem_free(new.at);
}

static void running_out_of_memory_is_an_error(void **state) {
    (void)state;
    sepal_model *(*const some[])(void) = {table_with_everything, weird_names};
    for (int i = 0; i < 4; i++) {
        bool forever = i % 2;
        sepal_model *model = some[i / 2](), *loaded = NULL;
        sepal_status status = SEPAL_EMEMORY;
        size_t k = 0;
        for (; status != SEPAL_OK; k++) {
            set_fault(FAULT_ALLOC, k + 1, forever);
            status = model_save(&ctx, model, "memory.sepal");
            assert_true(status == SEPAL_OK || (status == SEPAL_EMEMORY && k < 10000));
        }
        assert_true(k > 10);
        status = SEPAL_EMEMORY;
        for (k = 0; status != SEPAL_OK; k++) {
            assert_null(loaded);
            set_fault(FAULT_ALLOC, k + 1, forever);
            status = model_load(&loaded, &ctx, "memory.sepal");
            assert_true(status == SEPAL_OK || (status == SEPAL_EMEMORY && k < 10000));
        }
        assert_true(k > 10);
        set_fault(FAULT_ALLOC, 0, false);
        assert_same_model(model, loaded);
        model_free(loaded);
        model_free(model);
    }
}

static void a_failing_read_is_a_model_error(void **state) {
    (void)state;
    struct bytes file = saved_small_model();
    mem_free(file.at);
    sepal_model *loaded = NULL;
    size_t k = 0;
    for (sepal_status status = SEPAL_EMODEL; status != SEPAL_OK; k++) {
        assert_null(loaded);
        set_fault(FAULT_IO, k + 1, false);
        status = model_load(&loaded, &ctx, "small.sepal");
        assert_true(status == SEPAL_OK || (status == SEPAL_EMODEL && k < 100));
    }
    assert_true(k > 2);
    model_free(loaded);
}

/* What could not be loaded again is not saved. */
static void unfit_models_are_not_saved(void **state) {
    (void)state;
    enum { LONG = 1 << 17, NAME = 1 << 16 };
    char *longest = malloc(LONG + 1), *controls = malloc(NAME + 1); /* these are escaped, twice */
    assert_true(longest && controls);
    memset(longest, 'x', LONG);
    memset(controls, 1, NAME);
    longest[LONG] = controls[NAME] = '\0';
    for (int i = 0; i < 19; i++) {
        sepal_model *model = table_with_everything();
        struct schema *schema = schema_of(model);
        if (i == 0) model->linear.w[3] = NAN;
        if (i == 1) model->linear.b[1] = INFINITY;
        if (i == 2) model->linear.centre[0] = -INFINITY;
        if (i == 3) schema->columns[1].fill[2] = NAN;
        if (i == 4) schema->classes[0] = "\xFF";
        if (i == 5) schema->columns[1].categories[1] = longest;
        if (i == 6) schema->columns[0].name = longest;
        if (i == 7) model->spec = longest;
        if (i == 8) schema->width = (size_t)INT32_MAX + 1;
        if (i == 9) model->spec = "perceptron(epochs=010) | machine";
        if (i == 10) model->spec = "petal() | machine";
        if (i == 11) model->learner = "least-squares";
        if (i == 12) model->facts.total_weight = INFINITY;
        if (i == 13) schema->target = longest;
        if (i == 14) schema->weight = longest;
        if (i == 15) schema->n_classes = (1 << 20) + 1;
        if (i == 16) schema->columns[0].n_categories = 4097;
        if (i == 17) schema->target = schema->weight = longest + LONG - 40000;
        if (i == 18) {
            schema->target = schema->weight = controls;
            schema->classes[0] = schema->columns[0].name = controls + NAME - 10000;
        }
        sepal_status status = model_save(&ctx, model, "unfit.sepal");
        bool ours = i < 4 || (i > 8 && i < 13);
        assert_int_equal(status, ours ? SEPAL_EINTERNAL : SEPAL_EDATA);
        assert_int_equal(ctx.error.status, status);
        assert_refused("unfit.sepal");
        model_free(model);
    }
    free(longest);
    free(controls);
}

/* Memory may give out at the last bracket of a list, too: names of all lengths, so that for some of
   them it is the first byte without room. */
static void lists_end_without_memory(void **state) {
    (void)state;
    char name[400] = "";
    struct column column = {.name = name};
    const struct schema schema = {.family = FAMILY_TABLE, .columns = &column, .n_columns = 1};
    for (size_t n = 1; n < sizeof name; n++) {
        memset(name, 'x', n - 1);
        sepal_status status = SEPAL_EMEMORY;
        for (size_t k = 1; status != SEPAL_OK; k++) {
            struct text out = {0};
            set_fault(FAULT_ALLOC, k, true);
            status = schema_print_columns(&ctx, &out, &schema);
            set_fault(FAULT_ALLOC, 0, false);
            assert_true(status == SEPAL_OK || (status == SEPAL_EMEMORY && k < 100));
            if (status == SEPAL_OK) assert_int_equal(out.bytes[out.length - 1], ']');
            text_clear(&out);
        }
    }
}

/* With a kind of model and a path, write its file there: how the frozen files were made. */
int main(int count, char **words) {
    if (count > 2) {
        ctx = (struct sepal_ctx){.root = &ctx};
        size_t i = 0;
        while (i < N_MODEL_KINDS && strcmp(model_kinds[i].name, words[1]) != 0) i++;
        if (i == N_MODEL_KINDS) return 2;
        sepal_model *model = model_kinds[i].make();
        sepal_status status = model_save(&ctx, model, words[2]);
        model_free(model);
        return status != SEPAL_OK;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(saved_models_come_back, fresh),
        cmocka_unit_test_setup(long_lists_are_tensors, fresh),
        cmocka_unit_test_setup(frozen_files_still_load, fresh),
        cmocka_unit_test_setup(older_words_are_read, fresh),
        cmocka_unit_test_setup(older_words_are_canonical, fresh),
        cmocka_unit_test_setup(checksums_are_crc64_xz, fresh),
        cmocka_unit_test_setup(other_files_are_refused, fresh),
        cmocka_unit_test_setup(a_failing_save_keeps_the_old_file, fresh),
        cmocka_unit_test_setup(running_out_of_memory_is_an_error, fresh),
        cmocka_unit_test_setup(a_failing_read_is_a_model_error, fresh),
        cmocka_unit_test_setup(unfit_models_are_not_saved, fresh),
        cmocka_unit_test_setup(lists_end_without_memory, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
