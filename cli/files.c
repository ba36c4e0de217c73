/* The files of a command: what it reads and what it writes, by the rows of its options, so that no
   output is an input, whatever the two are called, and no two outputs are one file. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- One file, or two? --------------------------------------------------------------------- */

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

/* What is not there, or not for us, is the same as nothing: whoever opens it will say so. False,
   with errno set, when it cannot be told. */
static bool files_look_at(struct stat *out, const char *path) {
    *out = (struct stat){0};
    if ((is_standard(path) ? fstat(STDIN_FILENO, out) : stat(path, out)) == 0) return true;
    return errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP ||
           errno == ENAMETOOLONG || errno == EBADF;
}

static bool is_same(const struct stat *a, const struct stat *b) {
    return a->st_mode != 0 && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int cannot_tell(struct session *s, const char *output, const char *other) {
    if (is_standard(other))
        return complain(s, EXIT_DATA, "<stdin>", "cannot tell whether it is %s: %s", output,
                        strerror(errno));
    return complain(s, EXIT_OUTPUT, output, "cannot tell whether it is %s: %s", other,
                    strerror(errno));
}

static int refuse_input(struct session *s, const char *output, const char *input) {
    struct stat a, b;
    if (!files_look_at(&a, output)) return cannot_tell(s, output, "an input");
    if (!files_look_at(&b, input)) return cannot_tell(s, output, input);
    if (!S_ISREG(a.st_mode) || !is_same(&a, &b)) return EXIT_DONE;
    return complain(s, EXIT_USAGE, NULL,
                    "the output %s is the file %s, which would be lost; give another name", output,
                    is_standard(input) ? "on standard input" : input);
}

/* The folder of a file, which may not be there yet; returns where the name in it begins. */
static const char *files_folder_of(char folder[PATH_MAX], const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    snprintf(folder, PATH_MAX, "%.*s.", (int)(name - path), path);
    return name;
}

/* Where a file will be made through links; a chain without an end leads nowhere. */
static void target_of(char target[PATH_MAX], const char *path) {
    if (!result_target(target, path)) snprintf(target, PATH_MAX, "%s", path);
}

enum same_file { SAME_NO, SAME_YES, SAME_UNKNOWN };

static enum same_file compare_places(const char *one, const char *other) {
    struct stat a, b, a_folder, b_folder;
    char path[PATH_MAX], folder[PATH_MAX], other_path[PATH_MAX], other_folder[PATH_MAX];
    target_of(path, one);
    target_of(other_path, other);
    const char *name = files_folder_of(folder, path),
               *other_name = files_folder_of(other_folder, other_path);
    if (!files_look_at(&a, one) || !files_look_at(&b, other) || !files_look_at(&a_folder, folder) ||
        !files_look_at(&b_folder, other_folder))
        return SAME_UNKNOWN;
    if (a.st_mode != 0 && !S_ISREG(a.st_mode)) return SAME_NO; /* a device holds both */
    bool same = is_same(&a, &b) || (strcmp(name, other_name) == 0 && is_same(&a_folder, &b_folder));
    return same ? SAME_YES : SAME_NO;
}

bool files_may_be_one(const char *one, const char *other) {
    return !is_standard(one) && !is_standard(other) && compare_places(one, other) != SAME_NO;
}

static int refuse_same_file(struct session *s, const struct option *one,
                            const struct option *other) {
    switch (compare_places(one->value, other->value)) {
    case SAME_NO: return EXIT_DONE;
    case SAME_UNKNOWN: return cannot_tell(s, one->value, other->value);
    case SAME_YES: break;
    }
    return complain(s, EXIT_USAGE, NULL, "--%s and --%s name the same file", one->name,
                    other->name);
}

/* ---- All of them --------------------------------------------------------------------------- */

static bool is_file(const struct option *row, enum option_file file) {
    return row->file == file && row->value != NULL;
}

size_t files_from_standard(const struct session *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->options.n_arguments; i++)
        count += is_standard(s->options.arguments[i]);
    for (size_t i = 0; i < s->options.n_rows; i++) {
        const struct option *row = &s->options.rows[i];
        count += is_file(row, FILE_READ) && is_standard(row->value);
    }
    return count;
}

/* An input, or the labels that are read with it because they stand beside it. */
static int refuse_read(struct session *s, const char *output, const char *input) {
    char *labels = NULL;
    int code = refuse_input(s, output, input);
    if (code != EXIT_DONE) return code;
    sepal_status status = sepal_data_sibling(&labels, s->ctx, input);
    if (status != SEPAL_OK) return complain_status(s, status);
    if (labels != NULL) code = refuse_input(s, output, labels);
    sepal_text_free(labels);
    return code;
}

/* A fit may go on with a model in its place: what it started from is then replaced as asked, in one
   step and only when the new one is whole. */
static bool goes_on(const struct option *output, const struct option *input) {
    return output != NULL && strcmp(output->name, "output") == 0 &&
           strcmp(input->name, "warm") == 0;
}

static int check_output(struct session *s, const char *output, const struct option *option) {
    int code = EXIT_DONE;
    for (size_t i = 0; i < s->options.n_arguments && code == EXIT_DONE; i++)
        code = refuse_read(s, output, s->options.arguments[i]);
    for (size_t i = 0; i < s->options.n_rows && code == EXIT_DONE; i++) {
        const struct option *row = &s->options.rows[i];
        if (is_file(row, FILE_READ) && !goes_on(option, row))
            code = refuse_read(s, output, row->value);
    }
    return code;
}

int file_check(struct session *s, const char *output) {
    return check_output(s, output, NULL);
}

int files_check(struct session *s) {
    const struct options *options = &s->options;
    int code = EXIT_DONE;
    for (size_t i = 0; i < options->n_rows && code == EXIT_DONE; i++) {
        const struct option *row = &options->rows[i];
        if (!is_file(row, FILE_WRITTEN) || is_standard(row->value)) continue;
        if (*row->value == '\0')
            return complain(s, EXIT_USAGE, NULL,
                            "the name of the output is empty; give a file name");
        code = check_output(s, row->value, row);
        for (size_t k = 0; k < i && code == EXIT_DONE; k++)
            if (is_file(&options->rows[k], FILE_WRITTEN) && !is_standard(options->rows[k].value))
                code = refuse_same_file(s, &options->rows[k], row);
    }
    return code;
}
