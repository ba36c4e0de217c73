/* Which label file belongs to an npy or idx file, by its name. */
#include "core/alloc.h"
#include "core/text.h"
#include "io/labels_file.h"
#include "io/source.h"

#include <string.h>
#include <strings.h>

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

static bool sibling_ends_with(const char *path, size_t length, const char *tail) {
    size_t n = strlen(tail);
    return length > n && strncasecmp(path + length - n, tail, n) == 0;
}

static bool sibling_find(sepal_ctx *ctx, struct text *out, const char *path) {
    /* in the order in which sepal convert would write them */
    static const char *const tails[][3] = {{".labels.npy", ".labels.idx", ".labels.txt"},
                                           {".labels.idx", ".labels.txt", ".labels.npy"}};
    size_t length = source_plain_length(path);
    if (name_of_mnist(ctx, out, path, length) && is_there(ctx, out)) return true;
    bool npy = sibling_ends_with(path, length, ".npy"),
         idx = sibling_ends_with(path, length, ".idx");
    size_t stem = npy || idx ? length - strlen(".npy") : length;
    for (size_t i = 0; i < 3 && !out->failed; i++) {
        out->length = 0;
        text_add(ctx, out, path, stem);
        text_puts(ctx, out, tails[npy ? 0 : 1][i]);
        if (is_there(ctx, out)) return true;
    }
    return false;
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
