/* Model files made by an enemy: the checksum is right, the contents are not. */
#ifndef SEPAL_TESTS_MODEL_ATTACKS_H
#define SEPAL_TESTS_MODEL_ATTACKS_H

#include "model_samples.h"

#include "model/checksum.h"
#include "model/model_file.h"

enum { ROOM = 1 << 22 };

/* The header and the tensors of a file, apart. */
struct parts {
    char *header; /* a text in a block of ROOM bytes */
    struct bytes data;
};

static inline struct parts take_apart(sepal_model *model) {
    assert_int_equal(model_save(&ctx, model, "good.sepal"), SEPAL_OK);
    model_free(model);
    struct bytes file = bytes_read("good.sepal");
    const char *padding = memmem(file.at, file.size, "}}", 2);
    for (const char *next = padding; next;) {
        size_t left = (size_t)(file.at + file.size - next) - 1;
        padding = next;
        next = memmem(next + 1, left < 64 ? left : 64, "}}", 2);
    }
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

static inline void free_parts(struct parts *parts) {
    free(parts->header);
    free(parts->data.at);
}

/* `length` as the first eight bytes and a checksum that fits. */
static inline void seal_and_write(char *file, size_t size, uint64_t length) {
    for (int i = 0; i < 8; i++) file[i] = (char)(unsigned char)(length >> (8 * i) & 0xFF);
    checksum_print(file + MODEL_DIGITS_AT, checksum_file(file, size, MODEL_DIGITS_AT));
    bytes_write("bad.sepal", file, size);
}

static inline void write_parts(const struct parts *parts) {
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

/* ---- files without a model before them ------------------------------------------------------ */

/* A list into the metadata, if it is short enough for that. */
static inline char *put_list(char *out, const char *key, const struct bytes *list) {
    if (!list->at || list->size > MODEL_LONGEST_VALUE) return out;
    out += sprintf(out, "\"%s\":\"", key);
    for (size_t i = 0; i < list->size; i++) {
        if (list->at[i] == '"' || list->at[i] == '\\') *out++ = '\\';
        *out++ = list->at[i];
    }
    return stpcpy(out, "\",");
}

static inline char *put_tensor(char *out, const char *key, size_t length, size_t *offset) {
    out += sprintf(out, ",\"%s\":{\"dtype\":\"U8\",\"shape\":[%zu],\"data_offsets\":[%zu,%zu]}",
                   key, length, *offset, *offset + length);
    *offset += length;
    return out;
}

/* A model with these lists, whatever they say, and as many weights, all 0. */
struct crafted {
    size_t classes, width;
    struct bytes class_list, column_list; /* columns NULL: indexed */
};

static inline struct parts craft(const struct crafted *from) {
    struct parts parts = {.header = malloc(ROOM)};
    assert_non_null(parts.header);
    size_t rows = from->classes == 2 ? 1 : from->classes, weights = 8 * rows * from->width;
    const struct bytes *classes = &from->class_list, *columns = &from->column_list;
    char *at = parts.header;
    at += sprintf(at,
                  MODEL_BEGIN "1" MODEL_THEN
                              "0000000000000000\",\"sepal_version\":\"0.1.0\",\"spec\":"
                              "\"perceptron()%s\",\"learner\":\"perceptron\",\"decode\":\"%s\",",
                  rows == 1 ? "" : " | machine", rows == 1 ? "sign" : "argmax");
    at = put_list(at, "classes", classes);
    at += sprintf(at,
                  "\"schema\":\"{\\\"family\\\":\\\"%s\\\",\\\"header\\\":false,\\\"zero_based\\\":"
                  "false,\\\"cells\\\":%zu,\\\"target\\\":null,\\\"target_position\\\":0,"
                  "\\\"weight\\\":null,\\\"missing\\\":\\\"refuse\\\",\\\"width\\\":%zu,"
                  "\\\"numeric_labels\\\":false}\",",
                  columns->at ? "table" : "indexed", from->width, from->width);
    at = put_list(at, "columns", columns);
    at += sprintf(
        at,
        "\"training\":\"{\\\"rows\\\":1,\\\"total_weight\\\":1,\\\"objective\\\":null,"
        "\\\"gap\\\":null,\\\"iterations\\\":0,\\\"converged\\\":true}\"},\"weights\":"
        "{\"dtype\":\"F64\",\"shape\":[%zu,%zu],\"data_offsets\":[0,%zu]},\"bias\":{\"dtype\":"
        "\"F64\",\"shape\":[%zu],\"data_offsets\":[%zu,%zu]}",
        rows, from->width, weights, rows, weights, weights + 8 * rows);
    size_t offset = weights + 8 * rows, numbers = offset;
    bool long_columns = columns->at && columns->size > MODEL_LONGEST_VALUE,
         long_classes = classes->size > MODEL_LONGEST_VALUE;
    if (long_columns) at = put_tensor(at, "columns", columns->size, &offset);
    if (long_classes) at = put_tensor(at, "classes", classes->size, &offset);
    stpcpy(at, "}");
    parts.data = (struct bytes){calloc(offset, 1), offset};
    assert_non_null(parts.data.at);
    if (long_columns) memcpy(parts.data.at + numbers, columns->at, columns->size);
    if (long_classes) memcpy(parts.data.at + offset - classes->size, classes->at, classes->size);
    return parts;
}

/* ---- what must happen to them --------------------------------------------------------------- */

/* Files that were tried, and those that were not refused as they should be. */
static struct { size_t files, failures; } hostile;

/* bad.sepal is refused for the reason meant, at its name, and a good file still loads. */
static inline void expect_refused(const char *what, const char *why) {
    sepal_model *model, *good;
    sepal_status status = model_load(&model, &ctx, "bad.sepal");
    bool right = status == SEPAL_EMODEL && !model && strcmp(ctx.error.file, "bad.sepal") == 0 &&
                 !strchr(ctx.error.message, '\n') && strstr(ctx.error.message, why);
    hostile.files++;
    if (!right) {
        hostile.failures++;
        print_error("%s: wanted '%s', got status %d, '%s'\n", what, why, (int)status,
                    status == SEPAL_OK ? "a model" : ctx.error.message);
    }
    if (status == SEPAL_OK) model_free(model);
    assert_int_equal(model_load(&good, &ctx, "good.sepal"), SEPAL_OK);
    model_free(good);
}

/* The last test of a program. */
static inline void all_were_refused(void **state) {
    (void)state;
    print_message("COUNT hostile-headers %zu %zu\n", hostile.files, hostile.failures);
    assert_true(hostile.files > 60);
    assert_int_equal(hostile.failures, 0);
}

/* A text of the tables below as it stands in the header: ' is a quote, ` one inside a value. */
static inline void spell(char *out, const char *text) {
    for (; *text; text++) {
        if (*text == '`') *out++ = '\\';
        *out++ = *text == '`' || *text == '\'' ? '"' : *text;
    }
    *out = '\0';
}

static inline void replace(char *header, const char *from, const char *to) {
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

static inline void attack_all(sepal_model *(*make)(void), const struct attack *attacks, size_t n) {
    struct parts parts = take_apart(make());
    write_parts(&parts);
    sepal_model *model;
    assert_int_equal(model_load(&model, &ctx, "bad.sepal"), SEPAL_OK); /* not bad so far */
    model_free(model);
    char *header = strdup(parts.header);
    assert_non_null(header);
    for (size_t i = 0; i < n; i++) {
        stpcpy(parts.header, header);
        replace(parts.header, attacks[i].from, attacks[i].to);
        write_parts(&parts);
        expect_refused(attacks[i].to, attacks[i].why);
    }
    free(header);
    free_parts(&parts);
}

#define ATTACK(make, attacks) attack_all(make, attacks, sizeof(attacks) / sizeof *(attacks))

/* A model of these rows by the public functions. */
static inline sepal_model *trained_by(const char *text, const char *spec, const char *options) {
    sepal_ctx *api;
    sepal_data *data;
    sepal_model *model;
    bytes_write("rows.csv", text, strlen(text));
    assert_int_equal(sepal_ctx_new(&api), SEPAL_OK);
    assert_int_equal(sepal_data_read(&data, api, "rows.csv", NULL), SEPAL_OK);
    if (sepal_model_fit(&model, NULL, api, spec, data, options) != SEPAL_OK)
        print_error("%s: %s\n", spec, sepal_ctx_error(api));
    assert_non_null(model);
    sepal_data_free(data);
    sepal_ctx_free(api);
    return model;
}

/* The numbers of one tensor replaced by one value, the checksum put right. */
static inline void put_value(const struct parts *parts, const char *tensor, double value) {
    char key[64];
    size_t begin, end;
    (void)snprintf(key, sizeof key, "\"%s\":{", tensor);
    const char *at = strstr(parts->header, key);
    assert_non_null(at);
    at = strstr(at, "data_offsets\":[");
    assert_int_equal(sscanf(at, "data_offsets\":[%zu,%zu]", &begin, &end), 2);
    char *good = malloc(parts->data.size);
    assert_non_null(good);
    memcpy(good, parts->data.at, parts->data.size);
    for (size_t i = begin; i < end; i += sizeof value)
        memcpy(parts->data.at + i, &value, sizeof value);
    write_parts(parts);
    memcpy(parts->data.at, good, parts->data.size);
    free(good);
}

/* A number that a tensor of a model must not have. */
struct bad_number {
    sepal_model *(*make)(void);
    const char *tensor;
    double value;
    const char *why;
};

static inline void refuse_numbers(const struct bad_number *table, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct parts parts = take_apart(table[i].make());
        put_value(&parts, table[i].tensor, table[i].value);
        expect_refused(table[i].tensor, table[i].why);
        free_parts(&parts);
    }
}

#endif
