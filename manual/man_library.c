/* libsepal(3): the public header as a page. Its comments at the left margin become text, its lines
   "---- Title ----" sections, its declarations code. The header has no other form; should it get
   one, the page shows the lines as code. */
#include "manual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char export_mark[] = "SEPAL_API ";

struct reading {
    FILE *file;
    char *line; /* without its newline */
    size_t room;
};

static bool next_line(struct reading *in) {
    ssize_t length = getline(&in->line, &in->room, in->file);
    if (length < 0) return false;
    if (length > 0 && in->line[length - 1] == '\n') in->line[length - 1] = '\0';
    return true;
}

static bool starts(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

/* The rest of a comment that begins in this line, its lines joined; items begin with "- ". */
static void read_comment(struct reading *in, struct sink *text) {
    const char *at = in->line + strlen("/* ");
    if (starts(at, "sepal.h - ")) at += strlen(at); /* said by the page's NAME */
    for (;;) {
        const char *end = strstr(at, "*/");
        if (starts(at, "- ")) sink_puts(text, "\n");
        sink_add(text, at, end != NULL ? (size_t)(end - at) : strlen(at));
        if (end != NULL || !next_line(in)) return;
        sink_puts(text, " ");
        at = in->line + strspn(in->line, " ");
    }
}

/* Paragraphs; those that begin with "- " are items. The first of a section needs no break. */
static void put_comment(struct sink *out, struct sink *text, bool first) {
    char *rest = NULL;
    sink_text(text);
    for (char *line = strtok_r(text->bytes, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        bool item = starts(line, "- ");
        size_t length = strlen(line);
        while (length > 0 && line[length - 1] == ' ') line[--length] = '\0';
        if (item)
            sink_puts(out, ".IP \\(bu 2\n");
        else if (!first)
            sink_puts(out, ".PP\n");
        first = false;
        roff_text(out, item ? line + 2 : line, NULL);
    }
}

static void put_title(struct sink *out, const char *line) {
    const char *title = line + strlen("/* ---- ");
    size_t length = strcspn(title, "-");
    while (length > 0 && title[length - 1] == ' ') length--;
    sink_puts(out, ".SH ");
    roff_code(out, title, length);
    sink_puts(out, "\n");
}

/* A declaration and those that follow without an empty line or a comment between them. */
static bool put_code(struct sink *out, struct reading *in) {
    bool more = true, marked = false;
    sink_puts(out, ".EX\n");
    while (more && *in->line != '\0' && !starts(in->line, "/*") && !starts(in->line, "#")) {
        const char *line = in->line;
        if (*line != ' ') marked = starts(line, export_mark);
        size_t mark = marked ? strlen(export_mark) : 0;
        if (!marked || strspn(line, " ") >= mark || *line != ' ') line += mark;
        roff_code(out, line, strlen(line));
        sink_puts(out, "\n");
        more = next_line(in);
    }
    sink_puts(out, ".EE\n");
    return more;
}

static void put_header(struct sink *out, struct reading *in) {
    bool more = next_line(in), first = true;
    while (more) {
        const char *line = in->line;
        bool frame = starts(line, "extern \"C\"") || strcmp(line, "}") == 0;
        if (starts(line, "/* ----")) {
            put_title(out, line);
            first = true;
        } else if (starts(line, "/* ")) {
            struct sink text = sink_open(-1);
            read_comment(in, &text);
            put_comment(out, &text, first);
            sink_close(&text);
            first = false;
        } else if (*line != '\0' && *line != '#' && !frame) {
            if (!first) sink_puts(out, ".PP\n");
            first = false;
            more = put_code(out, in);
            continue;
        }
        more = next_line(in);
    }
}

static void put_example(struct sink *out, struct reading *in) {
    sink_puts(out, ".SH EXAMPLES\n.EX\n");
    while (next_line(in)) {
        roff_code(out, in->line, strlen(in->line));
        sink_puts(out, "\n");
    }
    sink_puts(out, ".EE\n");
}

static int read_with(struct sink *out, const char *path,
                     void (*put)(struct sink *, struct reading *)) {
    struct reading in = {.file = fopen(path, "r")};
    if (in.file == NULL) return -1;
    put(out, &in);
    free(in.line);
    fclose(in.file);
    return 0;
}

int man_library(struct sink *out, const char *header, const char *example) {
    roff_begin(out, "libsepal", 3);
    roff_name(out, "libsepal", overview_summary);
    sink_puts(out, ".SH SYNOPSIS\n.B #include <sepal/sepal.h>\n.PP\n");
    roff_text(out, "Compile with `pkg-config --cflags --libs sepal`.", NULL);
    sink_puts(out, ".SH DESCRIPTION\n");
    if (read_with(out, header, put_header) != 0) return -1;
    if (read_with(out, example, put_example) != 0) return -1;
    sink_puts(out, ".SH SEE ALSO\n.BR sepal (1)\n");
    return 0;
}
