/* Contexts, files and the law of failures, for all targets. */
#include "fuzz/fuzz.h"

#include "core/alloc.h"
#include "core/text.h"
#include "kernels/blas.h"
#include "kernels/kernels.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void (*law_before_abort)(void);

void law_broken(const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: law broken: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    if (law_before_abort) law_before_abort();
    abort();
}

sepal_ctx *fuzz_ctx(unsigned threads) {
    enum { MOST = 3 };
    static struct sepal_ctx all[MOST + 1];
    struct sepal_ctx *ctx = &all[threads < MOST ? threads : MOST];
    sepal_ctx_clear_warnings(ctx);
    ctx->root = ctx;
    ctx->seed = 1;
    ctx->threads = threads;
    ctx->kernels = kernels_choose();
    ctx->blas = blas_choose();
    ctx->error = (struct error){0};
    return ctx;
}

/* ---- files -------------------------------------------------------------------------------- */

enum { PATH_BYTES = 256 };
static char folder[PATH_BYTES / 2];

static void remove_folder(void) {
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));)
        if (entry->d_name[0] != '.') unlink(fuzz_path(entry->d_name));
    if (open) closedir(open);
    rmdir(folder);
}

static void make_folder(void) {
    const char *wish = getenv("TMPDIR");
    const char *const places[] = {wish ? wish : "/dev/shm", "/dev/shm", "/tmp"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int n = snprintf(folder, sizeof folder, "%s/sepal-fuzz-XXXXXX", places[i]);
        if (n < (int)sizeof folder && mkdtemp(folder)) {
            atexit(remove_folder);
            return;
        }
    }
    law_broken(__FILE__, __LINE__, "there is no place for files");
}

const char *fuzz_path(const char *name) {
    enum { NAMES = 8 };
    static char paths[NAMES][PATH_BYTES];
    static unsigned turn;
    if (!*folder) make_folder();
    char *path = paths[turn++ % NAMES];
    snprintf(path, PATH_BYTES, "%s/%.100s", folder, name);
    return path;
}

const char *fuzz_put(const char *name, const void *bytes, size_t size) {
    const char *path = fuzz_path(name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || close(fd) != 0)
        law_broken(__FILE__, __LINE__, "cannot write %s", path);
    return path;
}

char *fuzz_get(const char *name, size_t *size) {
    enum { STEP = 1 << 12 };
    FILE *file = fopen(fuzz_path(name), "rb");
    char *bytes = NULL;
    size_t got = 1;
    *size = 0;
    while (file && got) {
        bytes = realloc(bytes, *size + STEP);
        if (!bytes) abort();
        got = fread(bytes + *size, 1, STEP, file);
        *size += got;
    }
    if (!file || fclose(file) != 0) law_broken(__FILE__, __LINE__, "cannot read %s", name);
    return bytes;
}

char *fuzz_text(const uint8_t *bytes, size_t size) {
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size) memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

/* ---- failures ----------------------------------------------------------------------------- */

void failure_laws(const sepal_ctx *ctx, sepal_status status, const char *path) {
    const struct error *error = &ctx->error;
    size_t length = strlen(error->message);
    LAW(status == SEPAL_EUSAGE || status == SEPAL_EDATA || status == SEPAL_EMODEL, "status %d: %s",
        status, error->message);
    LAW(error->status == status, "%d returned, %d recorded", status, error->status);
    LAW(length > 0, "a failure without a message");
    LAW(utf8_valid_prefix(error->message, length) == length, "the message is not UTF-8");
    for (size_t i = 0; i < length; i++)
        LAW((unsigned char)error->message[i] >= ' ' && error->message[i] != 0x7f,
            "control character %d in the message: %s", error->message[i], error->message);
    if (path && status != SEPAL_EUSAGE)
        LAW(strcmp(error->file, path) == 0 || strncmp(error->file, folder, strlen(folder)) == 0,
            "the failure names '%s': %s", error->file, error->message);
    LAW((error->line == 0) == (error->column == 0), "place %zu:%zu", error->line, error->column);
}
