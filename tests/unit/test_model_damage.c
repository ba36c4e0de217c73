/* Damaged model files. For a model of every kind, made by hand or really trained: every truncation,
   every flipped bit, every byte lost, doubled or swapped with its neighbour, and surplus bytes are
   refused with SEPAL_EMODEL. Where the checksum is repaired after the flip, what is left must guard:
   the file is refused, or it is a model that saves to the very same bytes and gives finite scores.

   Files above SMALL bytes are flipped everywhere by night only, by day in the header and in a
   spread sample of the rest; the checksum is repaired for every third bit by day. Under the
   sanitizers, which are slow, a sample of the bits is taken everywhere. */
#include "model_kinds.h"

#include "model/model_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

enum { SMALL = 8 << 10, HEADER = 2 << 10, MOST_KINDS = 64, PIPE_BYTES = 1 << 20 };

static const char path[] = "damaged.sepal";
static sepal_ctx *api;
static int file = -1;    /* the damaged file, open */
static int channel = -1; /* a pipe that models are saved to: no fsync */
static char channel_name[64];

struct sample {
    char name[48];
    struct bytes good;
};
static struct sample samples[MOST_KINDS];
static size_t n_samples;

/* Points tried, and those where something went wrong. */
struct tally {
    size_t points, failures;
};

static bool by_night(void) {
    return getenv("SEPAL_NIGHTLY") != NULL;
}

static size_t stride(void) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    return by_night() ? 3 : 13;
#else
    return 1;
#endif
}

/* ---- samples ------------------------------------------------------------------------------ */

static void add_sample(const char *name, const sepal_model *model) {
    assert_true(n_samples < MOST_KINDS);
    struct sample *sample = &samples[n_samples++];
    (void)snprintf(sample->name, sizeof sample->name, "%s", name);
    assert_int_equal(model_save(api, model, "good.sepal"), SEPAL_OK);
    sample->good = bytes_read("good.sepal");
}

#define SIX_ROWS "a,b,class\n1,2,x\n3,1,y\n2,5,z\n7,1,y\n1,3,x\n2,7,z\n"

static const struct training {
    const char *name, *text, *options, *spec;
} trainings[] = {
    {"two.csv", "a,b,class\n1,2,x\n3,1,y\n2,5,x\n7,1,y\n", NULL, "least-squares"},
    {"three.csv", "a,b,class\n1,2,x\n3,1,y\n2,5,z\n7,1,y\n", NULL, "least-squares(l2=0.5)"},
    {"bare.csv", "1,2,0\n3,1,1\n2,5,0\n7,1,1\n", "header=no", "perceptron"},
    {"first.csv", "1,1,2\n2,3,1\n1,2,5\n3,7,1\n", "header=no, target=1", "perceptron"},
    {"text.csv", "a,colour,class\n1,red,x\n2,blue,y\n3,red,y\n", NULL, "least-squares"},
    {"mean.csv", "a,colour,class\n1,red,x\n,blue,y\n3,?,y\n", "missing=mean", "least-squares"},
    {"indicator.csv", "a,b,class\n1,2,x\n,3,y\n3,5,y\n", "missing=indicator", "perceptron"},
    {"drop.csv", "a,b,class\n1,2,x\n,3,y\n3,5,y\n", "missing=drop", "least-squares"},
    {"weights.csv", "a,n,class\n1,2,x\n2,3,y\n3,5,y\n", "weight=n", "perceptron(bias=false)"},
    {"labels.txt", "x\ny\nx\n", NULL, NULL}, /* of the next ones */
    {"aside.csv", "a,b\n1,2\n3,1\n2,5\n", "labels=labels.txt", "least-squares"},
    {"aside.svm", "1:1\n2:1\n1:5 3:1\n", "labels=labels.txt, format=libsvm", "perceptron"},
    {"nominal.arff",
     "@relation r\n@attribute n numeric\n@attribute c {red,'light blue',?}\n"
     "@attribute class {yes,no}\n@data\n1,red,yes\n?,'light blue',no\n3,?,no\n",
     "missing=mean", "least-squares"},
    {"from1.svm", "-1 1:1 4:2\n1 2:1\n1 3:5 4:1\n", NULL, "perceptron(variant=averaged)"},
    {"from0.svm", "a 0:1 4:2\nb 2:1\nc 3:5\n", NULL, "least-squares"},
    {"lda.csv", SIX_ROWS, NULL, "lda(shrinkage=0.5)"},
    {"full.csv", SIX_ROWS, NULL, "gaussian(shrinkage=0.5)"},
    {"shared.csv", SIX_ROWS, NULL, "gaussian(covariance=shared, shrinkage=0.5)"},
    {"diagonal.csv", SIX_ROWS, NULL, "gaussian(covariance=diagonal)"},
    {"spherical.csv", SIX_ROWS, NULL, "gaussian(covariance=spherical) | ovr"},
    {"counts.csv", SIX_ROWS, NULL, "naive-bayes"},
    {"bits.csv", SIX_ROWS, NULL, "naive-bayes(kind=bernoulli) | ovr"},
    {"pairs.csv", SIX_ROWS, NULL, "perceptron | ovo"},
    {"poly.csv", SIX_ROWS, NULL, "standardize | poly | fisher(shrinkage=0.5) | ovr-1"},
    {"rbf.csv", SIX_ROWS, NULL, "minmax | rbf(centres=2) | least-squares"},
    {"fourier.csv", SIX_ROWS, NULL, "fourier(features=3) | mean-difference"},
    {"steps.csv", SIX_ROWS, NULL, "sigmoid(centres=2) | hash(bits=2) | perceptron"},
};

static void train_sample(const struct training *training) {
    sepal_data *data = NULL;
    sepal_model *model = NULL;
    bytes_write(training->name, training->text, strlen(training->text));
    if (!training->spec) return;
    assert_int_equal(sepal_data_read(&data, api, training->name, training->options), SEPAL_OK);
    assert_int_equal(sepal_model_fit(&model, NULL, api, training->spec, data, NULL), SEPAL_OK);
    add_sample(training->name, model);
    sepal_model_free(model);
    sepal_data_free(data);
}

static int make_samples(void **state) {
    (void)fresh(state);
    for (size_t i = 0; i < N_MODEL_KINDS; i++) {
        if (model_kinds[i].make == long_lists) continue;
        sepal_model *model = model_kinds[i].make();
        add_sample(model_kinds[i].name, model);
        model_free(model);
    }
    for (size_t i = 0; i < sizeof trainings / sizeof *trainings; i++) train_sample(&trainings[i]);
    file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int ends[2];
    assert_true(file >= 0 && pipe(ends) == 0);
    assert_true(fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES) >= PIPE_BYTES);
    channel = ends[0];
    (void)snprintf(channel_name, sizeof channel_name, "/proc/self/fd/%d", ends[1]);
    return 0;
}

static int free_samples(void **state) {
    (void)state;
    for (size_t i = 0; i < n_samples; i++) mem_free(samples[i].good.at);
    return 0;
}

/* ---- loading ------------------------------------------------------------------------------ */

static void put(const char *at, size_t size, size_t where) {
    assert_int_equal(pwrite(file, at, size, (off_t)where), size);
}

static void put_all(const struct bytes *bytes) {
    put(bytes->at, bytes->size, 0);
    assert_int_equal(ftruncate(file, (off_t)bytes->size), 0);
}

/* Whether the file as it is now is refused, and in the right words. */
static bool refused(void) {
    sepal_model *model;
    sepal_status status = sepal_model_load(&model, api, path);
    bool right = status == SEPAL_EMODEL && model == NULL &&
                 strcmp(sepal_ctx_error_place(api).file, path) == 0 &&
                 strlen(sepal_ctx_error(api)) > 10 && !strchr(sepal_ctx_error(api), '\n');
    sepal_model_free(model);
    return right;
}

static void expect_refused(struct tally *tally, const struct sample *sample, const char *what,
                           size_t where) {
    tally->points++;
    if (refused()) return;
    tally->failures++;
    print_error("%s: %s at %zu is not refused\n", sample->name, what, where);
}

static void report(const char *what, const struct tally *tally) {
    print_message("COUNT %s %zu %zu\n", what, tally->points, tally->failures);
    assert_true(tally->points > 0);
    assert_int_equal(tally->failures, 0);
}

/* ---- damage ------------------------------------------------------------------------------- */

static void truncations(void **state) {
    (void)state;
    struct tally tally = {0};
    for (size_t i = 0; i < n_samples; i++) {
        const struct bytes *good = &samples[i].good;
        size_t step = good->size > SMALL && !by_night() ? 97 : 1;
        put_all(good);
        for (size_t size = good->size; size-- > 0;) {
            if (size >= HEADER && size % step != 0 && size + HEADER < good->size) continue;
            assert_int_equal(ftruncate(file, (off_t)size), 0);
            expect_refused(&tally, &samples[i], "a cut", size);
        }
    }
    report("truncations", &tally);
}

/* Whether bit `bit` is to be tried today; all of a large file only if `all`. */
static bool chosen(const struct bytes *good, size_t bit, bool all) {
    bool sampled = bit / 8 < HEADER || bit % 1009 == 0;
    return (all || sampled || good->size <= SMALL) && bit % stride() == 0;
}

static void flips(void **state) {
    (void)state;
    struct tally tally = {0};
    for (size_t i = 0; i < n_samples; i++) {
        const struct bytes *good = &samples[i].good;
        put_all(good);
        for (size_t bit = 0; bit < 8 * good->size; bit++) {
            if (!chosen(good, bit, by_night())) continue;
            char flipped = (char)(good->at[bit / 8] ^ (1 << bit % 8));
            put(&flipped, 1, bit / 8);
            expect_refused(&tally, &samples[i], "a flipped bit", bit);
            put(good->at + bit / 8, 1, bit / 8);
        }
        sepal_model *model;
        assert_int_equal(sepal_model_load(&model, api, path), SEPAL_OK); /* all is as it was */
        sepal_model_free(model);
    }
    report("flips", &tally);
}

/* A byte lost, doubled or swapped with the next one; bytes behind the end. */
static void edits(void **state) {
    (void)state;
    struct tally tally = {0};
    for (size_t i = 0; i < n_samples; i++) {
        const struct bytes *good = &samples[i].good;
        char *edited = malloc(good->size + 64);
        assert_non_null(edited);
        memcpy(edited, good->at, good->size);
        for (size_t extra = 1; extra <= 64; extra++) {
            edited[good->size + extra - 1] = (char)(extra % 3 ? 0 : ' ');
            put_all(&(struct bytes){edited, good->size + extra});
            expect_refused(&tally, &samples[i], "surplus", extra);
        }
        for (size_t at = 0; at < good->size; at++) {
            if (!chosen(good, 8 * at * stride(), false)) continue;
            memmove(edited + at, good->at + at + 1, good->size - at - 1);
            put_all(&(struct bytes){edited, good->size - 1});
            expect_refused(&tally, &samples[i], "a lost byte", at);
            memcpy(edited + at, good->at + at, good->size - at);
            memmove(edited + at + 1, good->at + at, good->size - at);
            put_all(&(struct bytes){edited, good->size + 1});
            expect_refused(&tally, &samples[i], "a doubled byte", at);
            memcpy(edited + at, good->at + at, good->size - at);
            if (at + 1 == good->size || good->at[at] == good->at[at + 1]) continue;
            edited[at] = good->at[at + 1];
            edited[at + 1] = good->at[at];
            put_all(&(struct bytes){edited, good->size});
            expect_refused(&tally, &samples[i], "a swap", at);
            memcpy(edited + at, good->at + at, 2);
        }
        free(edited);
    }
    print_message("%zu edits of bytes, %zu failures\n", tally.points, tally.failures);
    assert_int_equal(tally.failures, 0);
}

/* ---- damage with a checksum that fits ------------------------------------------------------- */

/* CRC-64/XZ as docs/model-format.md gives it, bit by bit. */
static void seal(char *bytes, size_t size) {
    char *digits = bytes + MODEL_DIGITS_AT;
    memset(digits, '0', 16);
    uint64_t crc = UINT64_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT64_C(0xC96C5795D7870F42) : 0);
    }
    char text[17];
    (void)snprintf(text, sizeof text, "%016" PRIx64, ~crc);
    memcpy(digits, text, 16);
}

/* The version that wrote a file is the one thing that saving again replaces. */
static void hide_version(char *bytes, size_t size) {
    static const char key[] = "\"sepal_version\":\"";
    char *at = memmem(bytes, size, key, sizeof key - 1);
    assert_non_null(at);
    for (at += sizeof key - 1; *at != '"'; at++) *at = 'v';
    seal(bytes, size);
}

static bool saves_the_same(const sepal_model *model, const struct bytes *wanted) {
    static char saved[PIPE_BYTES], hidden[PIPE_BYTES];
    if (sepal_model_save(api, model, channel_name) != SEPAL_OK) return false;
    ssize_t size = read(channel, saved, sizeof saved);
    if (size < 0 || (size_t)size != wanted->size) return false;
    memcpy(hidden, wanted->at, wanted->size);
    hide_version(hidden, wanted->size);
    hide_version(saved, wanted->size);
    return memcmp(saved, hidden, wanted->size) == 0;
}

static bool scores_are_finite(const sepal_model *model) {
    enum { MOST_COLUMNS = 64, MOST_SCORES = 16 };
    double row[MOST_COLUMNS], scores[MOST_SCORES];
    size_t columns = model->schema->width;
    assert_true(columns <= MOST_COLUMNS && sepal_model_outputs(model, SEPAL_SCORES) <= MOST_SCORES);
    for (size_t j = 0; j < columns; j++) row[j] = 1.5;
    sepal_data *data;
    assert_int_equal(sepal_data_dense(&data, api, row, 1, columns, NULL, NULL), SEPAL_OK);
    sepal_status status = sepal_model_scores(scores, api, model, data);
    bool good = status == SEPAL_OK || status == SEPAL_EDATA;
    for (size_t r = 0; r < sepal_model_outputs(model, SEPAL_SCORES) && status == SEPAL_OK; r++)
        good = good && isfinite(scores[r]);
    sepal_data_free(data);
    return good;
}

/* Reading rows through the model: with its columns, or a clean refusal. */
static bool reads_rows(const sepal_model *model, const char *name) {
    int32_t classes[8];
    sepal_data *data;
    if (access(name, R_OK) != 0) return true; /* not trained on a file */
    sepal_status status = sepal_data_read_for(&data, api, model, name, NULL, 0);
    if (status != SEPAL_OK) return status == SEPAL_EDATA;
    assert_true(sepal_data_rows(data) <= sizeof classes / sizeof *classes);
    status = sepal_model_predict(classes, api, model, data);
    bool good = status == SEPAL_OK || status == SEPAL_EDATA;
    for (size_t i = 0; i < sepal_data_rows(data) && status == SEPAL_OK; i++)
        good = good && classes[i] >= -1 && classes[i] < (int32_t)sepal_model_classes(model);
    sepal_data_free(data);
    sepal_ctx_clear_warnings(api);
    return good;
}

static void check_repaired(struct tally *tally, const struct sample *sample,
                           const struct bytes *flipped, size_t bit, size_t *accepted) {
    sepal_model *model;
    sepal_status status = sepal_model_load(&model, api, path);
    tally->points++;
    bool good = status == SEPAL_EMODEL && model == NULL;
    if (status == SEPAL_OK) {
        ++*accepted;
        good = saves_the_same(model, flipped) && scores_are_finite(model) &&
               reads_rows(model, sample->name);
        sepal_model_free(model);
    }
    if (good) return;
    tally->failures++;
    print_error("%s: with bit %zu flipped and a right checksum: %s\n", sample->name, bit,
                status == SEPAL_OK ? "a wrong model" : sepal_ctx_error(api));
}

static void repaired_flips(void **state) {
    (void)state;
    struct tally tally = {0};
    size_t accepted = 0;
    for (size_t i = 0; i < n_samples; i++) {
        struct bytes flipped = {malloc(samples[i].good.size), samples[i].good.size};
        assert_non_null(flipped.at);
        for (size_t bit = 0; bit < 8 * flipped.size; bit++) {
            bool digits = bit / 8 >= MODEL_DIGITS_AT && bit / 8 < MODEL_DIGITS_AT + 16;
            size_t small = by_night() ? 1 : 3, large = by_night() ? 31 : 3001;
            bool rest = bit % (flipped.size > SMALL ? large : small) != 0;
            if (digits || rest || bit % stride() != 0) continue;
            memcpy(flipped.at, samples[i].good.at, flipped.size);
            flipped.at[bit / 8] = (char)(flipped.at[bit / 8] ^ (1 << bit % 8));
            seal(flipped.at, flipped.size);
            put_all(&flipped);
            check_repaired(&tally, &samples[i], &flipped, bit, &accepted);
        }
        free(flipped.at);
    }
    print_message("%zu flips with a right checksum, %zu accepted, %zu failures\n", tally.points,
                  accepted, tally.failures);
    assert_true(accepted > tally.points / 10 && accepted < tally.points);
    assert_int_equal(tally.failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncations),
        cmocka_unit_test(flips),
        cmocka_unit_test(edits),
        cmocka_unit_test(repaired_flips),
    };
    if (sepal_ctx_new(&api) != SEPAL_OK) return 1;
    sepal_ctx_set_threads(api, 1);
    int failed = cmocka_run_group_tests(tests, make_samples, free_samples);
    sepal_ctx_free(api);
    return failed;
}
