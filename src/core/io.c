/* System calls, each through `allowed` so that tests can let any of them fail. */
#include "core/io.h"

#include "core/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool allowed(sepal_ctx *ctx) {
    if (!fault_hits(ctx, FAULT_IO)) return true;
    errno = EIO;
    return false;
}

/* ---- reading ------------------------------------------------------------------------------ */

static sepal_status interrupted(sepal_ctx *ctx, const char *name) {
    return fail_at(ctx, SEPAL_ECANCEL, name, 0, 0, "interrupted while reading it");
}

sepal_status input_open(struct input_file *out, sepal_ctx *ctx, const char *path,
                        sepal_status status) {
    bool is_stdin = strcmp(path, "-") == 0;
    *out = (struct input_file){
        .fd = is_stdin ? STDIN_FILENO : -1, .name = is_stdin ? "<stdin>" : path, .status = status};
    if (is_stdin) return SEPAL_OK;
    /* the open of a named pipe waits for its writer */
    while ((out->fd = allowed(ctx) ? open(path, O_RDONLY | O_CLOEXEC) : -1) < 0) {
        if (errno != EINTR)
            return fail_at(ctx, status, path, 0, 0, "cannot open it: %s", strerror(errno));
        if (cancelled(ctx)) return interrupted(ctx, path);
    }
    out->owned = true;
    struct stat facts;
    if (fstat(out->fd, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        input_close(out);
        return fail_at(ctx, status, path, 0, 0, "it is a directory; name a file");
    }
    return SEPAL_OK;
}

/* Input may let us wait for ever, and a signal reaches one thread, not all that wait: look now and
   then whether the user wants to stop. */
static sepal_status await(sepal_ctx *ctx, const struct input_file *in) {
    enum { LISTEN_MS = 100 };
    struct pollfd ready = {.fd = in->fd, .events = POLLIN};
    bool again;
    do {
        int found = poll(&ready, 1, LISTEN_MS);
        again = found == 0 || (found < 0 && errno == EINTR);
        /* asked after the waiting, because Ctrl-C at a terminal takes back what was typed */
        if (cancelled(ctx)) return interrupted(ctx, in->name);
    } while (again);
    return SEPAL_OK;
}

sepal_status input_read(sepal_ctx *ctx, struct input_file *in, void *buffer, size_t size,
                        size_t *got) {
    ssize_t n;
    do {
        TRY(await(ctx, in));
        n = allowed(ctx) ? read(in->fd, buffer, size) : -1;
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return fail_at(ctx, in->status, in->name, 0, 0, "cannot read it: %s", strerror(errno));
    *got = (size_t)n;
    return SEPAL_OK;
}

void input_close(struct input_file *in) {
    if (in->owned) close(in->fd);
    in->owned = false;
}

bool input_exists(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode);
}

size_t input_size(const struct input_file *in) {
    struct stat facts;
    return fstat(in->fd, &facts) == 0 && S_ISREG(facts.st_mode) ? (size_t)facts.st_size : SIZE_MAX;
}

static sepal_status slurp(char **bytes, size_t *size, sepal_ctx *ctx, struct input_file *in) {
    enum { STEP = 1 << 16 };
    size_t room = 0, used = 0, got;
    struct stat facts;
    if (fstat(in->fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0)
        TRY(mem_reserve(ctx, (void **)bytes, &room, (size_t)facts.st_size + 1, 1));
    do {
        if (used == room) TRY(mem_reserve(ctx, (void **)bytes, &room, used + STEP, 1));
        TRY(input_read(ctx, in, *bytes + used, room - used, &got));
        used += got;
    } while (got);
    *size = used;
    return SEPAL_OK;
}

sepal_status input_slurp(char **out, size_t *size, sepal_ctx *ctx, const char *path,
                         sepal_status status) {
    struct input_file in;
    *out = NULL;
    TRY(input_open(&in, ctx, path, status));
    char *bytes = NULL;
    sepal_status result = slurp(&bytes, size, ctx, &in);
    input_close(&in);
    if (result != SEPAL_OK) {
        mem_free(bytes);
        return result;
    }
    *out = bytes;
    return SEPAL_OK;
}

/* ---- writing ------------------------------------------------------------------------------ */

static sepal_status refused(sepal_ctx *ctx, const char *path, const char *what) {
    return fail_at(ctx, SEPAL_EOUTPUT, path, 0, 0, "cannot %s it: %s", what, strerror(errno));
}

static sepal_status sync_directory(sepal_ctx *ctx, const char *path, char *scratch) {
    char *slash = strrchr(memcpy(scratch, path, strlen(path) + 1), '/');
    if (slash == scratch) slash++;
    if (slash)
        *slash = '\0';
    else
        memcpy(scratch, ".", 2);
    int fd = allowed(ctx) ? open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd < 0) return refused(ctx, path, "open the directory of");
    /* Some file systems cannot sync a directory and say EINVAL: then there is nothing to do. */
    bool synced = allowed(ctx) && (fsync(fd) == 0 || errno == EINVAL);
    close(fd);
    return synced ? SEPAL_OK : refused(ctx, path, "sync the directory of");
}

static int open_beside(sepal_ctx *ctx, char *name, size_t room, const char *path) {
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        snprintf(name, room, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        int fd = allowed(ctx) ? open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static void forget(struct staged *staged) {
    mem_free(staged->target);
    mem_free(staged->temporary);
    *staged = (struct staged){0};
}

/* A file beside `target` that has the mode of the old one, if there is one, before it has any
   bytes. */
static sepal_status begin_beside(struct staged *out, sepal_ctx *ctx, const char *target,
                                 const struct stat *old) {
    enum { SUFFIX_BYTES = 48 };
    size_t room = strlen(target) + SUFFIX_BYTES;
    out->target = mem_copy_text(ctx, target, strlen(target));
    out->temporary = mem_alloc(ctx, room, 1);
    if (out->temporary) *out->temporary = '\0'; /* nothing to remove yet */
    if (!out->target || !out->temporary) return SEPAL_EMEMORY;
    out->fd = open_beside(ctx, out->temporary, room, target);
    out->open = out->fd >= 0;
    if (!out->open) {
        *out->temporary = '\0'; /* the last name tried may be somebody else's */
        return refused(ctx, target, "create a file beside");
    }
    if (old && fchmod(out->fd, old->st_mode & 07777))
        return refused(ctx, target, "set the mode of");
    return SEPAL_OK;
}

/* The open of a named pipe waits for its reader. */
static sepal_status begin_device(struct staged *out, sepal_ctx *ctx, const char *path) {
    while ((out->fd = allowed(ctx) ? open(path, O_WRONLY | O_CLOEXEC) : -1) < 0) {
        if (errno != EINTR) return refused(ctx, path, "open");
        TRY(check_cancelled(ctx, "waiting for a reader"));
    }
    out->open = true;
    return SEPAL_OK;
}

sepal_status output_begin(struct staged *out, sepal_ctx *ctx, const char *path) {
    struct stat facts;
    bool exists = stat(path, &facts) == 0;
    *out = (struct staged){.path = path};
    if (exists && S_ISDIR(facts.st_mode)) {
        errno = EISDIR;
        return refused(ctx, path, "write");
    }
    if (exists && !S_ISREG(facts.st_mode)) return begin_device(out, ctx, path);
    /* Through a symbolic link the file it points to is replaced, not the link. */
    char *real = exists ? realpath(path, NULL) : NULL;
    sepal_status status = begin_beside(out, ctx, real ? real : path, exists ? &facts : NULL);
    mem_free(real);
    if (status != SEPAL_OK) output_drop(out);
    return status;
}

static const char *name_of(const struct staged *staged) {
    return staged->target ? staged->target : staged->path;
}

sepal_status output_add(sepal_ctx *ctx, struct staged *staged, const char *bytes, size_t size) {
    while (size) {
        ssize_t n = allowed(ctx) ? write(staged->fd, bytes, size) : -1;
        if (n < 0 && errno != EINTR) return refused(ctx, name_of(staged), "write");
        if (n < 0) {
            /* a pipe may wait for ever; a file will not, and is too near its end to be lost */
            if (!staged->target) TRY(check_cancelled(ctx, "writing"));
            continue;
        }
        bytes += n;
        size -= (size_t)n;
    }
    return SEPAL_OK;
}

/* After a failed fsync the kernel may have dropped the pages: never try again, report it. */
sepal_status output_end(sepal_ctx *ctx, struct staged *staged) {
    bool file = staged->target != NULL;
    if (file && (!allowed(ctx) || fsync(staged->fd))) return refused(ctx, staged->target, "sync");
    staged->open = false;
    if (close(staged->fd) || (file && !allowed(ctx))) return refused(ctx, name_of(staged), "close");
    return SEPAL_OK;
}

void output_drop(struct staged *staged) {
    if (staged->open) close(staged->fd);
    if (staged->temporary && *staged->temporary) unlink(staged->temporary);
    forget(staged);
}

sepal_status output_stage(struct staged *out, sepal_ctx *ctx, const char *path, const char *bytes,
                          size_t size) {
    TRY(output_begin(out, ctx, path));
    sepal_status status = output_add(ctx, out, bytes, size);
    if (status == SEPAL_OK) status = output_end(ctx, out);
    if (status != SEPAL_OK) output_drop(out);
    return status;
}

static sepal_status take_name(sepal_ctx *ctx, struct staged *staged) {
    if (!staged->target) return SEPAL_OK; /* a device: written already */
    if (allowed(ctx) && rename(staged->temporary, staged->target) == 0) return SEPAL_OK;
    return refused(ctx, staged->target, "rename a file to");
}

static sepal_status settle(sepal_ctx *ctx, struct staged *staged) {
    return staged->target ? sync_directory(ctx, staged->target, staged->temporary) : SEPAL_OK;
}

sepal_status output_commit(sepal_ctx *ctx, struct staged *staged) {
    sepal_status status = take_name(ctx, staged);
    if (status != SEPAL_OK) {
        output_drop(staged);
        return status;
    }
    status = settle(ctx, staged);
    forget(staged);
    return status;
}

sepal_status output_commit_both(sepal_ctx *ctx, struct staged *first, struct staged *second) {
    bool fresh = first->target && access(first->target, F_OK) != 0;
    sepal_status status = take_name(ctx, first);
    if (status != SEPAL_OK) {
        output_drop(first);
        output_drop(second);
        return status;
    }
    status = take_name(ctx, second);
    if (status != SEPAL_OK) {
        if (fresh) unlink(first->target);
        output_drop(second);
    } else {
        status = settle(ctx, first);
        if (status == SEPAL_OK) status = settle(ctx, second);
    }
    forget(first);
    forget(second);
    return status;
}

sepal_status output_replace(sepal_ctx *ctx, const char *path, const char *bytes, size_t size) {
    struct staged staged;
    TRY(output_stage(&staged, ctx, path, bytes, size));
    return output_commit(ctx, &staged);
}

bool output_is_device(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}
