/* Whole files in, whole files out. A file is written beside its place, synced, and renamed, as
   databases do it: PostgreSQL's durable_rename is the pattern. */
#include "core/io.h"

#include "core/alloc.h"
#include "core/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ------------------------------------------------------------------------------ */

static sepal_status interrupted(sepal_ctx *ctx, const char *name) {
    return fail_at(ctx, SEPAL_ECANCEL, name, 0, 0, "interrupted while reading it");
}

static sepal_status unreadable(sepal_ctx *ctx, const struct input_file *in, const char *what) {
    return fail_at(ctx, in->status, in->name, 0, 0, "cannot %s it: %s", what, strerror(errno));
}

/* What there is to know of a file just opened. */
static sepal_status io_look_at(struct input_file *in, sepal_ctx *ctx) {
    struct stat facts;
    if (sys_fstat(ctx, in->fd, &facts)) return unreadable(ctx, in, "open");
    if (S_ISDIR(facts.st_mode))
        return fail_at(ctx, in->status, in->name, 0, 0, "it is a directory; name a file");
    if (S_ISREG(facts.st_mode)) in->size = (size_t)facts.st_size;
    return SEPAL_OK;
}

/* Ctrl-C at a terminal takes back what was typed, also after poll has seen it; a read would then
   wait where no one looks whether to stop. A terminal is therefore opened anew, for reads that do
   not wait: the flag belongs to the opening, and that of standard input is shared with others. */
static void reopen_terminal(struct input_file *in) {
    char path[PATH_MAX];
    /* never: in tests, a terminal without a name */
    if (!isatty(in->fd) || ttyname_r(in->fd, path, sizeof path)) return;
    int fd = sys_open(NULL, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0) return; /* never: in tests, a terminal of someone else */
    in->fd = fd;
    in->owned = true;
}

sepal_status input_open(struct input_file *out, sepal_ctx *ctx, const char *path,
                        sepal_status status) {
    bool is_stdin = strcmp(path, "-") == 0;
    *out = (struct input_file){.fd = is_stdin ? STDIN_FILENO : -1,
                               .name = is_stdin ? "<stdin>" : path,
                               .status = status,
                               .size = SIZE_MAX};
    /* the open of a named pipe waits for its writer */
    while (!is_stdin && (out->fd = sys_open(ctx, path, O_RDONLY, 0)) < 0) {
        if (errno != EINTR) return unreadable(ctx, out, "open");
        if (cancelled(ctx)) return interrupted(ctx, path);
    }
    out->owned = !is_stdin;
    if (is_stdin) reopen_terminal(out);
    sepal_status seen = io_look_at(out, ctx);
    if (seen != SEPAL_OK) input_close(out);
    return seen;
}

/* Input may let us wait for ever, and a signal reaches one thread, not all that wait: look now and
   then whether the user wants to stop. */
static sepal_status await(sepal_ctx *ctx, const struct input_file *in) {
    enum { LISTEN_MS = 100 };
    struct pollfd ready = {.fd = in->fd, .events = POLLIN};
    int found;
    do { /* for one file, poll fails only when interrupted */
        found = poll(&ready, 1, LISTEN_MS);
        /* asked after the waiting, because Ctrl-C at a terminal takes back what was typed */
        if (cancelled(ctx)) return interrupted(ctx, in->name);
    } while (found <= 0);
    return SEPAL_OK;
}

sepal_status input_read(sepal_ctx *ctx, struct input_file *in, void *buffer, size_t size,
                        size_t *got) {
    ssize_t n;
    do {
        TRY(await(ctx, in));
        n = sys_read(ctx, in->fd, buffer, size);
        /* never: EAGAIN for certain, it takes a key between poll and read */
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    if (n < 0) return unreadable(ctx, in, "read");
    *got = (size_t)n;
    return SEPAL_OK;
}

/* Nothing was written, so closing has nothing to say. */
void input_close(struct input_file *in) {
    if (in->owned) sys_close(NULL, in->fd);
    in->owned = false;
}

bool input_exists(const char *path) {
    struct stat facts;
    if (sys_stat(NULL, path, &facts) == 0) return !S_ISDIR(facts.st_mode);
    return errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG;
}

size_t input_size(const struct input_file *in) {
    return in->size;
}

size_t input_offset(const struct input_file *in) {
    off_t at = sys_tell(in->fd);
    return at < 0 ? SIZE_MAX : (size_t)at; /* never: of a regular file it is known */
}

sepal_status input_seek(sepal_ctx *ctx, struct input_file *in, size_t offset) {
    if (sys_seek(ctx, in->fd, (off_t)offset)) return unreadable(ctx, in, "go back in");
    return SEPAL_OK;
}

void *input_map(sepal_ctx *ctx, const struct input_file *in) {
    struct stat facts;
    if (in->size == SIZE_MAX || sys_fstat(ctx, in->fd, &facts) != 0) return NULL;
    /* it may have been cut since it was opened */
    return (size_t)facts.st_size == in->size ? sys_map(ctx, in->fd, in->size) : NULL;
}

void input_unmap(void *bytes, size_t size) {
    if (bytes) sys_unmap(bytes, size);
}

static sepal_status slurp(char **bytes, size_t *size, sepal_ctx *ctx, struct input_file *in) {
    enum { STEP = 1 << 16 };
    size_t room = 0, used = 0, got;
    /* some files of the system say 0 and hold more */
    if (in->size != 0 && in->size != SIZE_MAX)
        TRY(mem_reserve(ctx, (void **)bytes, &room, in->size + 1, 1));
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

static const char *io_advice(int error) {
    switch (error) {
    case ENOSPC:
    case EDQUOT: return "; make room there, or name a file elsewhere";
    case EACCES:
    case EPERM:
    case EROFS: return "; name a file elsewhere";
    default: return "";
    }
}

static sepal_status refused(sepal_ctx *ctx, const char *path, const char *what) {
    return fail_at(ctx, SEPAL_EOUTPUT, path, 0, 0, "cannot %s it: %s%s", what, strerror(errno),
                   io_advice(errno));
}

/* Bytes up to and with the last slash. */
static size_t io_folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Where a chain of symbolic links ends, whether or not there is a file: that is what is replaced,
   not the link. Folders on the way may be links, too; those the system follows. */
static sepal_status follow_links(char **out, sepal_ctx *ctx, const char *path) {
    enum { MOST_LINKS = 40 }; /* as in Linux */
    char link[PATH_MAX];
    *out = mem_copy_text(ctx, path, strlen(path));
    for (int i = 0; *out; i++) {
        ssize_t n = sys_readlink(ctx, *out, link, sizeof link);
        if (n < 0 && (errno == EINVAL || errno == ENOENT)) return SEPAL_OK; /* no link */
        /* never: stat has met such a chain before, and said ELOOP */
        if (n >= 0 && i == MOST_LINKS) errno = ELOOP;
        /* never: links are shorter than PATH_MAX in Linux */
        if (n == (ssize_t)sizeof link) errno = ENAMETOOLONG;
        /* never: as the two before */
        if (n < 0 || i == MOST_LINKS || n == (ssize_t)sizeof link)
            return refused(ctx, path, "follow the link");
        size_t folder = link[0] == '/' ? 0 : io_folder_length(*out);
        char *next = mem_alloc(ctx, folder + (size_t)n + 1, 1);
        if (next) {
            memcpy(next, *out, folder);
            memcpy(next + folder, link, (size_t)n);
            next[folder + (size_t)n] = '\0';
        }
        mem_free(*out);
        *out = next;
    }
    return SEPAL_EMEMORY;
}

static sepal_status name_temporary(struct staged *staged, sepal_ctx *ctx, int number) {
    enum { SUFFIX_BYTES = 48 };
    size_t folder = io_folder_length(staged->target);
    const char *base = staged->target + folder;
    if (strlen(base) + SUFFIX_BYTES > NAME_MAX) base = "sepal";
    size_t room = folder + strlen(base) + SUFFIX_BYTES;
    if (!staged->temporary) staged->temporary = mem_alloc(ctx, room, 1);
    if (!staged->temporary) return SEPAL_EMEMORY;
    snprintf(staged->temporary, room, "%.*s%s.%ld-%d.tmp", (int)folder, staged->target, base,
             (long)getpid(), number);
    return SEPAL_OK;
}

static void forget(struct staged *staged) {
    mem_free(staged->target);
    mem_free(staged->temporary);
    *staged = (struct staged){0};
}

/* For files, which let nobody wait. */
static int open_surely(sepal_ctx *ctx, const char *path, int flags, mode_t mode) {
    int fd;
    do fd = sys_open(ctx, path, flags, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Until it has the mode of the file it replaces, only its owner may open it. */
static sepal_status io_open_beside(struct staged *out, sepal_ctx *ctx, const struct stat *old) {
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        TRY(name_temporary(out, ctx, i));
        out->fd = open_surely(ctx, out->temporary, O_WRONLY | O_CREAT | O_EXCL, old ? 0600 : 0666);
        out->open = out->fd >= 0;
        if (out->open || errno != EEXIST) break;
    }
    if (!out->open) {
        *out->temporary = '\0'; /* the last name tried may be somebody else's */
        return refused(ctx, out->target, "create a file beside");
    }
    if (old && sys_fchmod(ctx, out->fd, old->st_mode & 07777))
        return refused(ctx, out->target, "set the mode of");
    return SEPAL_OK;
}

/* A link such as /dev/fd/3 may name a file by what it was called before it was removed. */
static sepal_status io_check_same(sepal_ctx *ctx, const char *path, const char *target,
                                  const struct stat *old) {
    struct stat facts;
    if (sys_stat(ctx, target, &facts)) return refused(ctx, path, "open");
    /* never: another device, in the same folder */
    if (facts.st_dev == old->st_dev && facts.st_ino == old->st_ino) return SEPAL_OK;
    return fail_at(ctx, SEPAL_EOUTPUT, path, 0, 0, "cannot replace it: it is not to be found");
}

/* `old`: the file to be replaced, NULL: none. */
static sepal_status begin_beside(struct staged *out, sepal_ctx *ctx, const struct stat *old) {
    TRY(follow_links(&out->target, ctx, out->path));
    if (old) TRY(io_check_same(ctx, out->path, out->target, old));
    return io_open_beside(out, ctx, old);
}

/* The open of a named pipe waits for its reader. */
static sepal_status begin_device(struct staged *out, sepal_ctx *ctx) {
    while ((out->fd = sys_open(ctx, out->path, O_WRONLY, 0)) < 0) {
        if (errno != EINTR) return refused(ctx, out->path, "open");
        TRY(check_cancelled(ctx, "waiting for a reader"));
    }
    out->open = true;
    return SEPAL_OK;
}

sepal_status output_begin(struct staged *out, sepal_ctx *ctx, const char *path) {
    struct stat facts;
    *out = (struct staged){.path = path};
    bool exists = sys_stat(ctx, path, &facts) == 0;
    if (!exists && errno != ENOENT) return refused(ctx, path, "open");
    if (exists && S_ISDIR(facts.st_mode))
        return fail_at(ctx, SEPAL_EOUTPUT, path, 0, 0, "it is a directory; name a file");
    if (exists && !S_ISREG(facts.st_mode)) return begin_device(out, ctx);
    sepal_status status = begin_beside(out, ctx, exists ? &facts : NULL);
    if (status != SEPAL_OK) output_drop(out);
    return status;
}

static const char *name_of(const struct staged *staged) {
    return staged->target ? staged->target : staged->path;
}

sepal_status output_add(sepal_ctx *ctx, struct staged *staged, const char *bytes, size_t size) {
    while (size) {
        ssize_t n = sys_write(ctx, staged->fd, bytes, size);
        if (n < 0 && errno == EINTR) {
            /* a pipe may wait for ever; a file will not, and is too near its end to be lost */
            if (!staged->target) TRY(check_cancelled(ctx, "writing"));
            continue;
        }
        /* never: Linux writes a byte or says why not; elsewhere it might be 0 for ever */
        if (n == 0) errno = EIO;
        if (n <= 0) return refused(ctx, name_of(staged), "write");
        bytes += n;
        size -= (size_t)n;
    }
    return SEPAL_OK;
}

sepal_status output_end(sepal_ctx *ctx, struct staged *staged) {
    if (staged->target && sys_fsync(ctx, staged->fd)) return refused(ctx, staged->target, "sync");
    staged->open = false;
    return sys_close(ctx, staged->fd) ? refused(ctx, name_of(staged), "close") : SEPAL_OK;
}

void output_drop(struct staged *staged) {
    if (staged->open) sys_close(NULL, staged->fd);
    if (staged->temporary && *staged->temporary) sys_unlink(staged->temporary);
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
    if (sys_rename(ctx, staged->temporary, staged->target) == 0) return SEPAL_OK;
    return refused(ctx, staged->target, "rename a file to");
}

/* Turns the name of the temporary file into that of its folder. */
static const char *io_folder_of(struct staged *staged) {
    size_t length = io_folder_length(staged->target);
    if (length == 0) return ".";
    staged->temporary[length] = '\0';
    return staged->temporary;
}

static sepal_status io_settle(sepal_ctx *ctx, struct staged *staged) {
    if (!staged->target) return SEPAL_OK;
    int fd = open_surely(ctx, io_folder_of(staged), O_RDONLY | O_DIRECTORY, 0);
    /* In some folders one may write but not read; some file systems cannot sync a folder and say
       EINVAL. Then there is nothing to do. */
    bool synced = fd < 0 ? errno == EACCES : sys_fsync(ctx, fd) == 0 || errno == EINVAL;
    int error = errno;
    if (fd >= 0) sys_close(NULL, fd);
    if (synced) return SEPAL_OK;
    return fail_at(ctx, SEPAL_EOUTPUT, staged->target, 0, 0,
                   "it is in place and whole, but a power cut now might still undo that: cannot "
                   "sync its folder: %s",
                   strerror(error));
}

sepal_status output_commit(sepal_ctx *ctx, struct staged *staged) {
    sepal_status status = take_name(ctx, staged);
    if (status != SEPAL_OK) {
        output_drop(staged);
        return status;
    }
    status = io_settle(ctx, staged);
    forget(staged);
    return status;
}

static sepal_status look_for(bool *found, sepal_ctx *ctx, const struct staged *staged) {
    struct stat facts;
    *found = !staged->target || sys_stat(ctx, staged->target, &facts) == 0;
    return *found || errno == ENOENT ? SEPAL_OK : refused(ctx, staged->target, "open");
}

/* What has its name already is taken back, unless another file had it. */
static void take_back(struct staged *staged, bool replaced) {
    if (!replaced) sys_unlink(staged->target);
    forget(staged);
}

sepal_status output_commit_all(sepal_ctx *ctx, struct staged *files, size_t n) {
    bool replaces[MOST_STAGED];
    size_t named = 0;
    sepal_status status = SEPAL_OK;
    while (status == SEPAL_OK && named < n) {
        if (named + 1 < n) status = look_for(&replaces[named], ctx, &files[named]);
        if (status == SEPAL_OK) status = take_name(ctx, &files[named]);
        if (status == SEPAL_OK) named++;
    }
    if (status != SEPAL_OK) {
        for (size_t i = 0; i < named; i++) take_back(&files[i], replaces[i]);
        for (size_t i = named; i < n; i++) output_drop(&files[i]);
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        if (status == SEPAL_OK) status = io_settle(ctx, &files[i]);
        forget(&files[i]);
    }
    return status;
}

sepal_status output_commit_both(sepal_ctx *ctx, struct staged *first, struct staged *second) {
    struct staged both[] = {*first, *second};
    *first = *second = (struct staged){0};
    return output_commit_all(ctx, both, 2);
}

bool output_is_device(const char *path) {
    struct stat facts;
    return sys_stat(NULL, path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}
