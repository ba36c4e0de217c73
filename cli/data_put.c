/* Data as a file, or on standard output. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int put_copy(struct session *s, int fd) {
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
    if (n < 0) code = complain(s, EXIT_OUTPUT, NULL, "cannot read back: %s", strerror(errno));
    return result_end(&out, s, code);
}

/* The library replaces whole files, which standard output is not: make one, then copy it. */
static int write_standard(struct session *s, const sepal_data *data, const char *format) {
    const char *folder = getenv("TMPDIR");
    struct sink name = sink_open(-1);
    sink_printf(&name, "%s/sepal-XXXXXX", folder != NULL && *folder != '\0' ? folder : "/tmp");
    int code = sink_check(s, &name);
    if (code != EXIT_DONE) {
        sink_close(&name);
        return code;
    }
    bool held = interrupt_hold(true);
    int fd = mkostemp(name.bytes, O_CLOEXEC);
    if (fd < 0) {
        interrupt_hold(held);
        code = complain(s, EXIT_OUTPUT, name.bytes, "cannot create it: %s", strerror(errno));
        sink_close(&name);
        return code;
    }
    close(fd);
    sepal_status status = sepal_data_write(s->ctx, data, name.bytes, format);
    do fd = status == SEPAL_OK ? open(name.bytes, O_RDONLY | O_CLOEXEC) : -1;
    while (status == SEPAL_OK && fd < 0 && errno == EINTR);
    unlink(name.bytes);
    interrupt_hold(held);
    if (status != SEPAL_OK) {
        code = complain_status(s, status);
    } else {
        warnings_print(s);
        code = put_copy(s, fd);
    }
    if (fd >= 0) close(fd);
    sink_close(&name);
    return code;
}

static int print_facts(struct session *s, const sepal_data *data, const char *path,
                       const char *labels_path) {
    struct result out;
    sepal_report *facts;
    sepal_status status = sepal_data_describe(&facts, s->ctx, data);
    if (status != SEPAL_OK) return complain_status(s, status);
    double columns = sepal_report_number(facts, "columns");
    sepal_report_free(facts);
    int code = result_open(&out, s, "-");
    sink_json_begin(&out.sink, s->command->name);
    sink_printf(&out.sink, ",\"rows\":%zu,\"columns\":%.0f,\"output\":", sepal_data_rows(data),
                columns);
    sink_json(&out.sink, path);
    if (labels_path != NULL) {
        sink_puts(&out.sink, ",\"labels_output\":");
        sink_json(&out.sink, labels_path);
    }
    sink_json_end(&out.sink, s->ctx);
    return code == EXIT_DONE ? result_commit(&out, s) : code;
}

static int write_file(struct session *s, const sepal_data *data, const char *path,
                      const char *format) {
    char *labels_path = NULL;
    sepal_status status = sepal_data_labels_path(&labels_path, s->ctx, data, path, format);
    if (status != SEPAL_OK) return complain_status(s, status);
    int code = labels_path != NULL ? file_check(s, labels_path) : EXIT_DONE;
    if (code != EXIT_DONE) {
        sepal_text_free(labels_path);
        return code;
    }
    bool held = interrupt_hold(!result_in_place(path));
    status = sepal_data_write(s->ctx, data, path, format);
    interrupt_hold(held);
    if (status != SEPAL_OK) {
        code = complain_status(s, status);
    } else if (s->json) {
        code = print_facts(s, data, path, labels_path);
    } else {
        warnings_print(s);
        if (labels_path != NULL && !s->quiet) say(s, "the labels are in %s", labels_path);
    }
    sepal_text_free(labels_path);
    return code;
}

int data_put(struct session *s, const sepal_data *data, const char *path, const char *format) {
    progress_erase(s);
    return strcmp(path, "-") == 0 ? write_standard(s, data, format)
                                  : write_file(s, data, path, format);
}
