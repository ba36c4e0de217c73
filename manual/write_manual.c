/* Write all manual pages and completions.

     write_manual SOURCE SHARE      SOURCE: the folder of the sources; SHARE: where to write */
#include "manual.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int complain_of(const char *path) {
    fprintf(stderr, "write_manual: %s: %s\n", path, strerror(errno));
    return 1;
}

static void make_folders(const char *path) {
    char *copy = strdup(path);
    if (copy == NULL) return;
    for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0777); /* if it fails, so does opening the file */
        *slash = '/';
    }
    free(copy);
}

/* Write what is in `page`, which is empty then. */
static int write_page(struct sink *page, const char *share, const char *name) {
    struct sink path = sink_open(-1);
    sink_printf(&path, "%s/%s", share, name);
    make_folders(sink_text(&path));
    int fd = open(path.bytes, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), code = 0;
    page->fd = fd;
    if (fd >= 0) sink_flush(page);
    if (fd >= 0 && close(fd) != 0 && page->error == 0) page->error = errno;
    if (page->error != 0) errno = page->error;
    if (fd < 0 || page->error != 0) code = complain_of(path.bytes);
    sink_close(page);
    sink_close(&path);
    return code;
}

static int write_commands(const char *share) {
    struct sink page = sink_open(-1);
    man_overview(&page);
    int code = write_page(&page, share, "man/man1/sepal.1");
    for (const struct command *const *row = command_table; *row != NULL; row++) {
        struct sink name = sink_open(-1);
        page = sink_open(-1);
        sink_printf(&name, "man/man1/sepal-%s.1", (*row)->name);
        man_command(&page, *row);
        code |= write_page(&page, share, sink_text(&name));
        sink_close(&name);
    }
    return code;
}

static int write_library(const char *source, const char *share) {
    struct sink page = sink_open(-1), header = sink_open(-1), example = sink_open(-1);
    sink_printf(&header, "%s/include/sepal/sepal.h", source);
    sink_printf(&example, "%s/examples/00_fit_and_predict.c", source);
    int code = man_library(&page, sink_text(&header), sink_text(&example)) != 0;
    if (code != 0) complain_of("the header or its example");
    code |= write_page(&page, share, "man/man3/libsepal.3");
    sink_close(&header);
    sink_close(&example);
    return code;
}

static int write_completion(const char *source, const char *share) {
    static const struct {
        const char *template, *name;
        const struct part *parts;
    } shells[] = {
        {"sepal.bash", "bash-completion/completions/sepal", bash_parts},
        {"sepal.zsh", "zsh/site-functions/_sepal", zsh_parts},
        {"sepal.fish", "fish/vendor_completions.d/sepal.fish", fish_parts},
    };
    int code = 0;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        struct sink page = sink_open(-1), path = sink_open(-1);
        sink_printf(&path, "%s/manual/%s", source, shells[i].template);
        if (template_fill(&page, sink_text(&path), shells[i].parts) != 0)
            code = complain_of(path.bytes);
        code |= write_page(&page, share, shells[i].name);
        sink_close(&path);
    }
    return code;
}

int main(int count, char **words) {
    if (count != 3) {
        fputs("usage: write_manual SOURCE SHARE\n", stderr);
        return EXIT_USAGE;
    }
    int code = write_commands(words[2]);
    code |= write_library(words[1], words[2]);
    return code | write_completion(words[1], words[2]);
}
