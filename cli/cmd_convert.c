/* sepal convert: the rows in another format. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option convert_options[] = {
    {.name = "output",
     .letter = 'o',
     .placeholder = "OUT",
     .help = "write here; - is standard output and needs --to"},
    {.name = "to",
     .placeholder = "FORMAT",
     .help = "csv, tsv or libsvm; unless given, by the extension of OUT"},
    {0},
};

static int check_options(struct session *s) {
    const char *path = option_value(s, "output"), *format = option_value(s, "to");
    if (path == NULL) {
        return complain(
            s, EXIT_USAGE, NULL,
            "convert needs a file to write; type: sepal convert %s -o OUT.csv (or .tsv, "
            ".libsvm)",
            s->options.arguments[0]);
    }
    if (strcmp(path, "-") != 0) return EXIT_DONE;
    if (format == NULL) {
        return complain(s, EXIT_USAGE, NULL,
                        "-o - needs the format; add --to csv, --to tsv or --to libsvm");
    }
    if (s->json) return complain(s, EXIT_USAGE, NULL, "--json and -o - both want standard output");
    return EXIT_DONE;
}

static int copy(struct session *s, int fd) {
    enum { PIECE_BYTES = 1 << 16 };
    struct result out;
    char piece[PIECE_BYTES];
    int code = result_open(&out, s, "-");
    if (code != EXIT_DONE) return code;
    ssize_t n;
    while ((n = read(fd, piece, sizeof piece)) != 0) {
        if (n > 0)
            sink_add(&out.sink, piece, (size_t)n);
        else if (errno != EINTR)
            break;
    }
    if (n < 0) {
        code = complain(s, EXIT_OUTPUT, NULL, "cannot read back: %s", strerror(errno));
        result_discard(&out);
        return code;
    }
    return result_commit(&out, s);
}

/* The library replaces whole files, which standard output is not: make one, then copy it. */
static int write_standard(struct session *s, const sepal_data *data) {
    const char *folder = getenv("TMPDIR");
    struct sink name = sink_open(-1);
    sink_printf(&name, "%s/sepal-XXXXXX", folder != NULL && *folder != '\0' ? folder : "/tmp");
    sink_text(&name);
    int fd = mkostemp(name.bytes, O_CLOEXEC), code;
    if (fd < 0) {
        code = complain(s, EXIT_OUTPUT, name.bytes, "cannot create it: %s", strerror(errno));
        sink_close(&name);
        return code;
    }
    close(fd);
    sepal_status status = sepal_data_write(s->ctx, data, name.bytes, option_value(s, "to"));
    fd = status == SEPAL_OK ? open(name.bytes, O_RDONLY | O_CLOEXEC) : -1;
    unlink(name.bytes);
    if (status != SEPAL_OK)
        code = complain_status(s, status);
    else
        code = copy(s, fd);
    if (fd >= 0) close(fd);
    sink_close(&name);
    return code;
}

static int print_facts(struct session *s, const sepal_data *data, const char *path) {
    if (!s->json) return EXIT_DONE;
    struct result out;
    int code = result_open(&out, s, "-");
    sink_json_begin(&out.sink, "convert");
    sink_printf(&out.sink, ",\"rows\":%zu,\"columns\":%zu,\"output\":", sepal_data_rows(data),
                sepal_data_columns(data));
    sink_json(&out.sink, path);
    sink_json_end(&out.sink, s->ctx);
    return code == EXIT_DONE ? result_commit(&out, s) : code;
}

static int write_data(struct session *s, const sepal_data *data) {
    const char *path = option_value(s, "output");
    progress_erase(s);
    if (!s->json) warnings_print(s);
    if (strcmp(path, "-") == 0) return write_standard(s, data);
    sepal_status status = sepal_data_write(s->ctx, data, path, option_value(s, "to"));
    return status == SEPAL_OK ? print_facts(s, data, path) : complain_status(s, status);
}

static int run(struct session *s) {
    sepal_data *data = NULL;
    int code = check_options(s);
    if (code == EXIT_DONE) code = step_read(&data, s, s->options.arguments[0]);
    if (code == EXIT_DONE) code = write_data(s, data);
    sepal_data_free(data);
    return code;
}

const struct command cmd_convert = {
    .name = "convert",
    .summary = "write data in another format",
    .run = run,
    .usage = "DATA -o OUT [--to FORMAT] [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .reads = true,
    .options = convert_options,
    .examples = {"sepal convert examples/data/iris.csv -o iris.libsvm",
                 "sepal convert examples/data/wine.csv --to tsv -o -"},
};
