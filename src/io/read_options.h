/* How a file is to be read: the options of every command that reads data. */
#ifndef SEPAL_IO_READ_OPTIONS_H
#define SEPAL_IO_READ_OPTIONS_H

#include "core/parameters.h"

enum header_choice { HEADER_AUTO, HEADER_YES, HEADER_NO };
enum unknown_choice { UNKNOWN_REFUSE, UNKNOWN_ZERO };
enum decimal_choice { DECIMAL_POINT, DECIMAL_COMMA };
enum bad_lines_choice { BAD_LINES_STOP, BAD_LINES_SKIP };

struct read_options {
    int format; /* 0: by name or content; else the format's row + 1 */
    const char *delimiter;
    int header;
    bool quote;
    int decimal;
    size_t skip;
    const char *label_separator;
    const char *target, *drop, *only, *keep, *categorical, *weight, *group;
    const char *labels, *weights, *names; /* paths */
    int missing;                          /* enum missing */
    int unknown;
    int bad_lines;
    size_t n_features; /* 0: as many as the file shows */
};

extern const struct parameter read_option_table[];

sepal_status read_options_parse(struct read_options *out, sepal_ctx *ctx, struct arena *arena,
                                const char *options);

#endif
