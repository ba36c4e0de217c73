/* Which label file belongs to the file of an array, by its name. */
#include "io/array.h"
#include "io/format.h"
#include "io/labels_file.h"

#include <string.h>

/* The path that is being tried; its first `length` bytes stand for all packings of it. */
static bool is_there(sepal_ctx *ctx, struct text *path) {
    size_t length = path->length;
    if (path->failed) return false;
    if (input_exists(path->bytes)) return true;
    const char *extension;
    for (size_t i = 0; (extension = source_extension(i)) && !path->failed; i++) {
        path->length = length;
        text_puts(ctx, path, extension);
        if (!path->failed && input_exists(path->bytes)) return true;
    }
    return false;
}

/* ...images-idx3... to ...labels-idx1..., whatever stands between the two and around them. False:
   the name is no such name. */
static bool name_of_mnist(sepal_ctx *ctx, struct text *out, const char *path, size_t length) {
    static const char from[] = "images", to[] = "labels", idx[] = "idx";
    enum { WORD = sizeof from - 1, IDX = sizeof idx - 1 };
    const char *slash = memrchr(path, '/', length), *end = path + length;
    const char *name = slash ? slash + 1 : path;
    const char *word = memmem(name, (size_t)(end - name), from, WORD);
    if (!word) return false;
    const char *after = word + WORD;
    const char *number = memmem(after, (size_t)(end - after), idx, IDX);
    if (!number || number + IDX == end || number[IDX] < '2' || number[IDX] > '9') return false;
    for (const char *next; (next = memmem(after, (size_t)(number - after), from, WORD));) {
        word = next; /* the last one before the number is meant */
        after = word + WORD;
    }
    text_add(ctx, out, path, (size_t)(word - path));
    text_puts(ctx, out, to);
    text_add(ctx, out, after, (size_t)(number + IDX - after));
    text_puts(ctx, out, "1");
    text_add(ctx, out, number + IDX + 1, (size_t)(end - number) - IDX - 1);
    return true;
}

size_t labels_file_stem(const char *path) {
    size_t stem;
    const struct format *format = format_of_path(path, &stem);
    return format && format->array ? stem : source_plain_length(path);
}

static bool sibling_ends_with(sepal_ctx *ctx, struct text *out, const char *path,
                              const char *extension) {
    out->length = 0;
    text_add(ctx, out, path, labels_file_stem(path));
    text_puts(ctx, out, ".labels");
    text_puts(ctx, out, extension);
    return is_there(ctx, out);
}

/* The format whose label files come first; the files of MNIST have no extension. */
static const struct format *sibling_format(const char *path) {
    const struct format *const *row = format_table, *named = format_of_path(path, NULL);
    if (named && named->array) return named;
    while (!(*row)->array || !(*row)->array->images) row++;
    return *row;
}

/* In the order in which sepal convert would write them. */
static bool sibling_find(sepal_ctx *ctx, struct text *out, const char *path) {
    const struct format *own = sibling_format(path);
    bool texts = own->array->type[ITEM_TEXT] != NULL;
    if (name_of_mnist(ctx, out, path, source_plain_length(path)) && is_there(ctx, out)) return true;
    if (sibling_ends_with(ctx, out, path, own->extensions[0])) return true;
    if (!texts && sibling_ends_with(ctx, out, path, ".txt")) return true;
    for (const struct format *const *row = format_table; *row; row++)
        if (*row != own && (*row)->array &&
            sibling_ends_with(ctx, out, path, (*row)->extensions[0]))
            return true;
    return texts && sibling_ends_with(ctx, out, path, ".txt");
}

sepal_status labels_file_sibling(char **out, sepal_ctx *ctx, const char *path) {
    struct text text = {0};
    *out = NULL;
    if (strcmp(path, "-") == 0) return SEPAL_OK;
    bool found = sibling_find(ctx, &text, path);
    if (found) *out = text.bytes;
    sepal_status status = text.failed ? SEPAL_EMEMORY : SEPAL_OK;
    if (!found) text_clear(&text);
    return status;
}
