/* Reading whole files, and replacing them all or nothing whatever call fails on the way. */
#include "core/alloc.h"
#include "core/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

static struct sepal_ctx ctx;
static const char folder[] = "io", path[] = "io/file";

/* Stage and commit: the file has the old bytes or the new ones, whole. */
static sepal_status replace(const char *name, const char *bytes, size_t size) {
    struct staged staged;
    TRY(output_stage(&staged, &ctx, name, bytes, size));
    return output_commit(&ctx, &staged);
}

static size_t entries_of(const char *name) {
    DIR *directory = opendir(name);
    assert_non_null(directory);
    size_t n = 0;
    while (readdir(directory)) n++;
    closedir(directory);
    return n;
}

static void empty_folder(void) {
    static const char *const names[] = {"io/file", "io/link", "io/other", "io/sub/file",
                                        "io/sub",  "io/far",  "io/loop"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(names[i]);
}

static int fresh(void **state) {
    (void)state;
    ctx = (struct sepal_ctx){.root = &ctx};
    mkdir(folder, 0777);
    empty_folder();
    return 0;
}

static int clean(void **state) {
    (void)state;
    empty_folder();
    return rmdir(folder); /* fails when something was left behind */
}

static void let_fail(enum fault_kind kind, size_t at, bool from_then_on) {
    ctx.faults[kind] = (struct fault){.fail_at = at, .from_then_on = from_then_on};
}

static void put(const char *name, const char *bytes, size_t size) {
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static bool holds(const char *name, const char *bytes, size_t size) {
    FILE *file = fopen(name, "rb");
    if (!file) return false;
    char *found = malloc(size + 1);
    assert_non_null(found);
    bool same = fread(found, 1, size + 1, file) == size && memcmp(found, bytes, size) == 0;
    free(found);
    fclose(file);
    return same;
}

static char *pattern(size_t size) {
    char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(i * 31 + i / 251);
    return bytes;
}

/* ---- reading ------------------------------------------------------------------------------ */

static void test_slurp(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 15, 16, 65535, 65536, 65537, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *wanted = pattern(sizes[i]), *bytes;
        size_t size = 12345;
        put(path, wanted, sizes[i]);
        assert_int_equal(input_slurp(&bytes, &size, &ctx, path, SEPAL_EMODEL), SEPAL_OK);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(bytes, wanted, size);
        mem_free(bytes);
        free(wanted);
    }
}

static void test_slurp_does_not_trust_the_size(void **state) {
    (void)state;
    static const char name[] = "/proc/self/status"; /* its size is said to be 0 */
    char *bytes;
    size_t size;
    if (access(name, R_OK)) skip();
    assert_int_equal(input_slurp(&bytes, &size, &ctx, name, SEPAL_EDATA), SEPAL_OK);
    assert_true(size > 100);
    assert_memory_equal(bytes, "Name:", 5);
    mem_free(bytes);
}

/* A pipe has no size. */
static void test_slurp_of_a_pipe(void **state) {
    (void)state;
    int ends[2];
    char name[32], *bytes;
    size_t size;
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    assert_int_equal(write(ends[1], "through", 7), 7);
    close(ends[1]);
    assert_int_equal(input_slurp(&bytes, &size, &ctx, name, SEPAL_EDATA), SEPAL_OK);
    assert_int_equal(size, 7);
    assert_memory_equal(bytes, "through", 7);
    mem_free(bytes);
    close(ends[0]);
}

/* What may be there counts as there: the one who opens it will say what is wrong. */
static void test_what_exists(void **state) {
    (void)state;
    char long_name[NAME_MAX + 5] = "io/";
    memset(long_name + 3, 'n', NAME_MAX + 1);
    put(path, "x", 1);
    assert_int_equal(symlink("loop", "io/loop"), 0);
    const struct {
        const char *name;
        bool exists, device;
    } cases[] = {{path, true, false},         {folder, false, false},
                 {"io/absent", false, false}, {"io/file/below", false, false},
                 {long_name, false, false},   {"io/loop", true, false},
                 {"/dev/null", true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(input_exists(cases[i].name), cases[i].exists);
        assert_int_equal(output_is_device(cases[i].name), cases[i].device);
    }
}

static void test_what_cannot_be_read(void **state) {
    (void)state;
    static const struct {
        const char *path, *message;
        sepal_status status;
    } cases[] = {
        {"io", "directory", SEPAL_EDATA},
        {"io/absent", "No such file", SEPAL_EMODEL},
        {"io/absent/file", "No such file", SEPAL_EDATA},
        {"", "No such file", SEPAL_EDATA},
    };
    size_t open_before = entries_of("/proc/self/fd");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *bytes = (char *)&ctx;
        size_t size;
        assert_int_equal(input_slurp(&bytes, &size, &ctx, cases[i].path, cases[i].status),
                         cases[i].status);
        assert_null(bytes);
        assert_non_null(strstr(ctx.error.message, cases[i].message));
        assert_string_equal(ctx.error.file, cases[i].path);
        assert_int_equal(ctx.error.line, 0);
    }
    assert_int_equal(entries_of("/proc/self/fd"), open_before);
}

static void test_reading_faults(void **state) {
    (void)state;
    enum { SIZE = 200000 };
    char *wanted = pattern(SIZE), *bytes;
    size_t size, failures = 0, open_before = entries_of("/proc/self/fd");
    put(path, wanted, SIZE);
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        for (int on = 0; on < 2; on++)
            for (size_t k = 1;; k++) {
                let_fail((enum fault_kind)kind, k, on);
                sepal_status status = input_slurp(&bytes, &size, &ctx, path, SEPAL_EMODEL);
                bool hit = atomic_load(&ctx.faults[kind].calls) >= k;
                let_fail((enum fault_kind)kind, 0, false);
                if (!hit) {
                    assert_int_equal(status, SEPAL_OK);
                    mem_free(bytes);
                    break;
                }
                assert_int_equal(status, kind == FAULT_IO ? SEPAL_EMODEL : SEPAL_EMEMORY);
                assert_null(bytes);
                failures++;
            }
    assert_true(failures >= 8); /* open, stat, read, last read; once and from then on */
    assert_int_equal(entries_of("/proc/self/fd"), open_before);
    free(wanted);
}

/* ---- writing ------------------------------------------------------------------------------ */

static mode_t mode_of(const char *name) {
    struct stat facts;
    assert_int_equal(lstat(name, &facts), 0);
    return facts.st_mode;
}

static void test_new_files(void **state) {
    (void)state;
    mode_t old = umask(027);
    static const size_t sizes[] = {0, 1, 5000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *bytes = pattern(sizes[i]);
        remove(path);
        assert_int_equal(replace(path, bytes, sizes[i]), SEPAL_OK);
        assert_true(holds(path, bytes, sizes[i]));
        assert_int_equal(mode_of(path) & 07777, 0640);
        free(bytes);
    }
    umask(old);
    assert_int_equal(entries_of(folder), 3);
    assert_int_equal(replace("plain-name", "x", 1), SEPAL_OK);
    assert_true(holds("plain-name", "x", 1));
    remove("plain-name");
}

static void test_mode_is_kept(void **state) {
    (void)state;
    static const mode_t modes[] = {0600, 0644, 0751, 0400, 01640};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        remove(path);
        put(path, "old", 3);
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_int_equal(replace(path, "newer", 5), SEPAL_OK);
        assert_int_equal(mode_of(path) & 07777, modes[i]);
        assert_true(holds(path, "newer", 5));
    }
}

static void test_links_are_followed(void **state) {
    (void)state;
    put("io/other", "old", 3);
    assert_int_equal(symlink("other", "io/link"), 0);
    assert_int_equal(replace("io/link", "new", 3), SEPAL_OK);
    assert_true(S_ISLNK(mode_of("io/link")));
    assert_true(S_ISREG(mode_of("io/other")));
    assert_true(holds("io/other", "new", 3));
    for (size_t k = 1; k <= 3; k++) { /* the name, the link's, the temporary file's */
        let_fail(FAULT_ALLOC, k, false);
        assert_int_equal(replace("io/link", "newer", 5), SEPAL_EMEMORY);
    }
    assert_true(holds("io/other", "new", 3));
}

/* far -> sub/link -> ../file, whether or not the last of them is there. */
static void test_links_to_nothing_are_followed(void **state) {
    (void)state;
    assert_int_equal(mkdir("io/sub", 0777), 0);
    assert_int_equal(symlink("sub/file", "io/far"), 0);
    assert_int_equal(symlink("../file", "io/sub/file"), 0);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(replace("io/far", turn ? "new" : "old", 3), SEPAL_OK);
        assert_true(S_ISLNK(mode_of("io/far")));
        assert_true(S_ISLNK(mode_of("io/sub/file")));
        assert_true(S_ISREG(mode_of(path)));
        assert_true(holds(path, turn ? "new" : "old", 3));
    }
    assert_int_equal(symlink("loop", "io/loop"), 0);
    assert_int_equal(replace("io/loop", "x", 1), SEPAL_EOUTPUT);
    remove("io/link");
    assert_int_equal(symlink("absent/file", "io/link"), 0);
    assert_int_equal(replace("io/link", "x", 1), SEPAL_EOUTPUT);
    assert_true(S_ISLNK(mode_of("io/link")));
}

/* Names as long as the file system has them leave no room for what a temporary file adds. */
static void test_long_names(void **state) {
    (void)state;
    for (size_t length = 200; length <= NAME_MAX + 1; length++) {
        char name[8 + NAME_MAX + 2] = "io/";
        memset(name + 3, 'n', length);
        bool fits = length <= NAME_MAX;
        sepal_status wanted = fits ? SEPAL_OK : SEPAL_EOUTPUT;
        assert_int_equal(replace(name, "old", 3), wanted);
        assert_int_equal(replace(name, "new", 3), wanted);
        assert_int_equal(holds(name, "new", 3), fits);
        assert_int_equal(entries_of(folder), fits ? 3 : 2);
        remove(name);
    }
}

/* A file that was removed after it was opened still has a name below /dev/fd: not one to use. */
static void test_removed_files_are_not_replaced(void **state) {
    (void)state;
    char name[32];
    put(path, "old", 3);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    if (access(name, W_OK)) {
        close(fd);
        skip();
    }
    assert_int_equal(replace(name, "new", 3), SEPAL_OK);
    assert_true(holds(path, "new", 3));
    assert_int_equal(replace(name, "newer", 5), SEPAL_EOUTPUT); /* fd is the old one */
    assert_int_equal(entries_of(folder), 3);
    put("io/file (deleted)", "theirs", 6); /* as the link says */
    assert_int_equal(replace(name, "newer", 5), SEPAL_EOUTPUT);
    assert_non_null(strstr(ctx.error.message, "not to be found"));
    assert_true(holds("io/file (deleted)", "theirs", 6));
    remove("io/file (deleted)");
    close(fd);
}

static int refuse(const char *line, void *payload) {
    (void)line;
    return *(const bool *)payload;
}

/* A pipe may wait for ever: there Ctrl-C ends the writing. A file is finished. */
static void test_interrupted_writing(void **state) {
    (void)state;
    bool stop = false;
    ctx.progress = refuse;
    ctx.progress_payload = &stop;
    for (int turn = 0; turn < 2; turn++, stop = true)
        for (size_t k = 2; k <= 5; k++) {
            ctx.faults[FAULT_IO] = (struct fault){.fail_at = k, .error = EINTR};
            sepal_status wanted = stop && k <= 3 ? SEPAL_ECANCEL : SEPAL_OK; /* open, write */
            ctx.cancelled = false;
            assert_int_equal(replace("/dev/null", "x", 1), wanted);
        }
    ctx.faults[FAULT_IO] = (struct fault){.fail_at = 4, .error = EINTR}; /* write */
    assert_int_equal(replace(path, "new", 3), SEPAL_OK);
    assert_true(holds(path, "new", 3));
}

/* Two files of which one is a device. */
static void test_both(void **state) {
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        struct staged first, second;
        const char *names[] = {turn ? path : "/dev/null", turn ? "/dev/null" : path};
        assert_int_equal(output_stage(&first, &ctx, names[0], "1", 1), SEPAL_OK);
        assert_int_equal(output_stage(&second, &ctx, names[1], "2", 1), SEPAL_OK);
        assert_int_equal(output_commit_both(&ctx, &first, &second), SEPAL_OK);
        assert_true(holds(path, turn ? "1" : "2", 1));
    }
}

static void test_devices_and_pipes_are_written_to(void **state) {
    (void)state;
    assert_int_equal(replace("/dev/null", "gone", 4), SEPAL_OK);
    assert_true(S_ISCHR(mode_of("/dev/null")));
    int ends[2];
    char name[32], got[16];
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    assert_int_equal(replace(name, "through", 7), SEPAL_OK);
    assert_int_equal(read(ends[0], got, sizeof got), 7);
    assert_memory_equal(got, "through", 7);
    for (size_t k = 1; k <= 4; k++) { /* stat, open, write, close */
        let_fail(FAULT_IO, k, false);
        assert_int_equal(replace(name, "through", 7), SEPAL_EOUTPUT);
    }
    close(ends[0]);
    close(ends[1]);
    if (access("/dev/full", W_OK) == 0) {
        let_fail(FAULT_IO, 0, false);
        assert_int_equal(replace("/dev/full", "x", 1), SEPAL_EOUTPUT);
        assert_non_null(strstr(ctx.error.message, "No space"));
        assert_non_null(strstr(ctx.error.message, "make room"));
    }
}

static void test_what_cannot_be_written(void **state) {
    (void)state;
    static const char *const paths[] = {"io", "io/absent/file", "", "io/file/below"};
    put(path, "old", 3);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(replace(paths[i], "new", 3), SEPAL_EOUTPUT);
        assert_string_equal(ctx.error.file, paths[i]);
    }
    assert_true(holds(path, "old", 3));
}

/* ---- every call may fail, in every way ----------------------------------------------------- */

enum { SIZE = 1000 };
static size_t points;

/* The old bytes until the rename, the new ones after it, never a mixture; nothing left lying. */
static void check_replaced(const char *bytes, sepal_status status, const struct fault *fault) {
    bool old = holds(path, "old", 3);
    assert_true(old || holds(path, bytes, SIZE));
    assert_int_equal(entries_of(folder), 3);
    if (status == SEPAL_OK) assert_false(old);
    if (status != SEPAL_OK && !old)
        assert_non_null(strstr(ctx.error.message, "it is in place and whole"));
    if (status != SEPAL_OK && fault->error)
        assert_non_null(strstr(ctx.error.message, strerror(fault->error)));
    points++;
}

/* Replace a file with the fault at the first, second, ... call. Returns how many failed. */
static size_t replace_with(enum fault_kind kind, struct fault fault) {
    char *bytes = pattern(SIZE);
    size_t failed = 0, open_before = entries_of("/proc/self/fd");
    for (bool hit = true; hit;) {
        put(path, "old", 3);
        fault.fail_at++;
        ctx.faults[kind] = fault;
        sepal_status status = replace(path, bytes, SIZE);
        hit = atomic_load(&ctx.faults[kind].calls) >= fault.fail_at;
        ctx.faults[kind] = (struct fault){0};
        assert_true(status == SEPAL_OK ||
                    status == (kind == FAULT_IO ? SEPAL_EOUTPUT : SEPAL_EMEMORY));
        check_replaced(bytes, status, &fault);
        failed += status != SEPAL_OK;
    }
    assert_int_equal(entries_of("/proc/self/fd"), open_before);
    free(bytes);
    return failed;
}

static void test_all_or_nothing(void **state) {
    (void)state;
    /* stat, readlink, stat; create, write, mode, sync, close; rename, open and sync the folder */
    enum { CALLS = 11 };
    for (int on = 0; on < 2; on++) {
        static const int errors[] = {EIO, ENOSPC, EDQUOT, EPIPE, EMFILE, EROFS};
        for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
            assert_int_equal(
                replace_with(FAULT_IO, (struct fault){.from_then_on = on, .error = errors[i]}),
                CALLS);
        /* a folder that cannot be read need not be synced */
        assert_int_equal(
            replace_with(FAULT_IO, (struct fault){.from_then_on = on, .error = EACCES}), CALLS - 1);
        /* no link, unless all else fails, too; and a folder that cannot be synced */
        assert_int_equal(
            replace_with(FAULT_IO, (struct fault){.from_then_on = on, .error = EINVAL}),
            CALLS - 2 + (size_t)on);
        /* fsync is not tried again, and a rename might have been done */
        assert_int_equal(replace_with(FAULT_IO, (struct fault){.error = EINTR}), 3);
        assert_int_equal(
            replace_with(FAULT_IO, (struct fault){.from_then_on = on, .manner = FAULT_SHORT}), 0);
        /* two syncs and a close */
        assert_true(replace_with(FAULT_IO, (struct fault){.from_then_on = on,
                                                          .manner = FAULT_AFTER,
                                                          .error = ENOSPC}) >= 3);
        assert_int_equal(replace_with(FAULT_ALLOC, (struct fault){.from_then_on = on}), 2);
    }
}

/* Reading is not disturbed by signals and small pieces, and ends with any other error. */
static void test_reading_in_pieces(void **state) {
    (void)state;
    static const struct fault faults[] = {{.error = EINTR},
                                          {.error = EINTR, .from_then_on = true},
                                          {.manner = FAULT_SHORT},
                                          {.manner = FAULT_SHORT, .from_then_on = true},
                                          {.manner = FAULT_AFTER}};
    char *wanted = pattern(SIZE), *bytes;
    put(path, wanted, SIZE);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        bool hit = true;
        for (size_t k = 1; hit; k++) {
            size_t size;
            ctx.faults[FAULT_IO] = faults[i];
            ctx.faults[FAULT_IO].fail_at = k;
            assert_int_equal(input_slurp(&bytes, &size, &ctx, path, SEPAL_EDATA), SEPAL_OK);
            hit = atomic_load(&ctx.faults[FAULT_IO].calls) >= k;
            assert_int_equal(size, SIZE);
            assert_memory_equal(bytes, wanted, SIZE);
            mem_free(bytes);
            points++;
        }
    }
    free(wanted);
}

/* A name of a temporary file that is taken is passed over, not overwritten. */
static void test_taken_names(void **state) {
    (void)state;
    char taken[64];
    snprintf(taken, sizeof taken, "io/file.%ld-0.tmp", (long)getpid());
    put(taken, "theirs", 6);
    assert_int_equal(replace(path, "new", 3), SEPAL_OK);
    assert_true(holds(path, "new", 3));
    assert_true(holds(taken, "theirs", 6));
    for (int i = 0; i < 100; i++) {
        snprintf(taken, sizeof taken, "io/file.%ld-%d.tmp", (long)getpid(), i);
        put(taken, "theirs", 6);
    }
    assert_int_equal(replace(path, "newer", 5), SEPAL_EOUTPUT);
    assert_true(holds(path, "new", 3));
    for (int i = 0; i < 100; i++) {
        snprintf(taken, sizeof taken, "io/file.%ld-%d.tmp", (long)getpid(), i);
        assert_true(holds(taken, "theirs", 6));
        remove(taken);
    }
}

/* What was typed may be taken back between poll and read: the read must not wait then. */
static void a_terminal_is_read_without_waiting(void **state) {
    (void)state;
    int leader = posix_openpt(O_RDWR | O_NOCTTY), kept = dup(STDIN_FILENO);
    if (leader < 0 || grantpt(leader) || unlockpt(leader) || kept < 0) skip();
    int follower = open(ptsname(leader), O_RDWR | O_NOCTTY);
    assert_true(follower >= 0 && dup2(follower, STDIN_FILENO) == STDIN_FILENO);
    struct input_file in;
    assert_int_equal(input_open(&in, &ctx, "-", SEPAL_EDATA), SEPAL_OK);
    assert_int_not_equal(in.fd, STDIN_FILENO);
    assert_true(fcntl(in.fd, F_GETFL) & O_NONBLOCK);
    assert_false(fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK);
    char line[8];
    size_t got = 0;
    assert_int_equal(write(leader, "1,2\n", 4), 4);
    assert_int_equal(input_read(&ctx, &in, line, sizeof line, &got), SEPAL_OK);
    assert_int_equal(got, 4);
    assert_int_equal(write(leader, "3,4\n", 4), 4);
    assert_int_equal(tcflush(follower, TCIFLUSH), 0);
    assert_int_equal(read(in.fd, line, sizeof line), -1);
    assert_int_equal(errno, EAGAIN);
    input_close(&in);
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept), close(follower), close(leader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_terminal_is_read_without_waiting, fresh, clean),
        cmocka_unit_test_setup_teardown(test_slurp, fresh, clean),
        cmocka_unit_test_setup_teardown(test_slurp_does_not_trust_the_size, fresh, clean),
        cmocka_unit_test_setup_teardown(test_slurp_of_a_pipe, fresh, clean),
        cmocka_unit_test_setup_teardown(test_what_exists, fresh, clean),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_read, fresh, clean),
        cmocka_unit_test_setup_teardown(test_reading_faults, fresh, clean),
        cmocka_unit_test_setup_teardown(test_new_files, fresh, clean),
        cmocka_unit_test_setup_teardown(test_mode_is_kept, fresh, clean),
        cmocka_unit_test_setup_teardown(test_links_are_followed, fresh, clean),
        cmocka_unit_test_setup_teardown(test_links_to_nothing_are_followed, fresh, clean),
        cmocka_unit_test_setup_teardown(test_long_names, fresh, clean),
        cmocka_unit_test_setup_teardown(test_removed_files_are_not_replaced, fresh, clean),
        cmocka_unit_test_setup_teardown(test_devices_and_pipes_are_written_to, fresh, clean),
        cmocka_unit_test_setup_teardown(test_interrupted_writing, fresh, clean),
        cmocka_unit_test_setup_teardown(test_both, fresh, clean),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_written, fresh, clean),
        cmocka_unit_test_setup_teardown(test_all_or_nothing, fresh, clean),
        cmocka_unit_test_setup_teardown(test_reading_in_pieces, fresh, clean),
        cmocka_unit_test_setup_teardown(test_taken_names, fresh, clean),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("COUNT injection-points %zu %d\n", points, failed);
    return failed;
}
