/* A tree as JSON text (RFC 8259). */
#include "core/tree.h"

#include <string.h>

struct printer {
    sepal_ctx *ctx;
    struct text *out;
    int indent;
};

/* One byte that may not stand for itself in a JSON string. */
static void print_escaped(struct printer *print, char byte) {
    static const char letters[] = "\"\\bfnrt", meanings[] = "\"\\\b\f\n\r\t";
    const char *found = byte != '\0' ? strchr(meanings, byte) : NULL;
    if (found != NULL) {
        text_printf(print->ctx, print->out, "\\%c", letters[found - meanings]);
    } else {
        text_printf(print->ctx, print->out, "\\u%04x", (unsigned)(unsigned char)byte);
    }
}

/* DEL is legal as it is, but no reader of a terminal or a log is glad of it. */
static bool needs_escape(char byte) {
    unsigned char code = (unsigned char)byte;
    return code < 0x20 || code == 0x7F || byte == '"' || byte == '\\';
}

static void print_valid(struct printer *print, const char *bytes, size_t length) {
    size_t from = 0;
    for (size_t i = 0; i < length; i++) {
        if (!needs_escape(bytes[i])) continue;
        text_add(print->ctx, print->out, bytes + from, i - from);
        print_escaped(print, bytes[i]);
        from = i + 1;
    }
    text_add(print->ctx, print->out, bytes + from, length - from);
}

static void print_text(struct printer *print, struct slice text) {
    static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */
    text_puts(print->ctx, print->out, "\"");
    for (size_t done = 0; done < text.length;) {
        size_t valid = utf8_valid_prefix(text.bytes + done, text.length - done);
        print_valid(print, text.bytes + done, valid);
        done += valid;
        if (done < text.length) {
            text_puts(print->ctx, print->out, replacement);
            done++;
        }
    }
    text_puts(print->ctx, print->out, "\"");
}

static void print_line_end(struct printer *print, int depth) {
    text_puts(print->ctx, print->out, "\n");
    for (int i = 0; i < depth * print->indent; i++) text_puts(print->ctx, print->out, " ");
}

/* Vectors and the rows of matrices read best on one line. */
static bool fits_one_line(const struct tree *tree) {
    if (tree->count == 0) return true;
    if (tree->kind == TREE_OBJECT) return false;
    for (const struct tree *child = tree->first; child != NULL; child = child->next) {
        if (child->kind == TREE_ARRAY || child->kind == TREE_OBJECT) return false;
    }
    return true;
}

static void json_print_value(struct printer *print, const struct tree *tree, int depth);

static void print_children(struct printer *print, const struct tree *tree, int depth) {
    bool object = tree->kind == TREE_OBJECT, airy = print->indent > 0;
    bool lines = airy && !fits_one_line(tree);
    text_puts(print->ctx, print->out, object ? "{" : "[");
    for (const struct tree *child = tree->first; child != NULL; child = child->next) {
        if (child != tree->first) text_puts(print->ctx, print->out, airy && !lines ? ", " : ",");
        if (lines) print_line_end(print, depth + 1);
        if (object) {
            print_text(print, (struct slice){child->key, strlen(child->key)});
            text_puts(print->ctx, print->out, airy ? ": " : ":");
        }
        json_print_value(print, child, depth + 1);
    }
    if (lines) print_line_end(print, depth);
    text_puts(print->ctx, print->out, object ? "}" : "]");
}

static void json_print_value(struct printer *print, const struct tree *tree, int depth) {
    switch (tree->kind) {
    case TREE_NULL: text_puts(print->ctx, print->out, "null"); break;
    case TREE_BOOL: text_puts(print->ctx, print->out, tree->truth ? "true" : "false"); break;
    case TREE_NUMBER: text_number(print->ctx, print->out, tree->number); break;
    case TREE_TEXT: print_text(print, tree->text); break;
    case TREE_ARRAY:
    case TREE_OBJECT: print_children(print, tree, depth); break;
    }
}

void json_print(sepal_ctx *ctx, struct text *out, const struct tree *tree, int indent) {
    struct printer print = {ctx, out, indent};
    json_print_value(&print, tree, 0);
}

sepal_status json_trace(const struct tree_maker *make, const struct tree *line) {
    sepal_ctx *ctx = make->ctx;
    struct text json = {0};
    if (!make->failed) json_print(ctx, &json, line, 0);
    sepal_status status = make->failed || json.failed ? SEPAL_EMEMORY : SEPAL_OK;
    if (status == SEPAL_OK && ctx->trace(json.bytes, ctx->trace_payload) != 0)
        status = fail(ctx, SEPAL_EOUTPUT, "the trace could not be written");
    text_clear(&json);
    return status;
}
