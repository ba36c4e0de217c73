#include "io/read_options.h"

#include "core/spec.h"

/* "auto|csv|tsv|..." */
static const char format_words[] = "auto"
#define FORMAT(name) "|" #name
#include "io/formats.def"
    ;

/* "npy, idx, " */
#define FORMAT(name)
#define ARRAY_FORMAT(name) #name ", "
static const char labels_help[] = "file with the label of each row: "
#include "io/formats.def"
                                  "or one per line";
#define FORMAT(name)
#define ARRAY_FORMAT(name) #name ", "
static const char weights_help[] = "file with the weight of each row: "
#include "io/formats.def"
                                   "or one per line";

#define AT(field) offsetof(struct read_options, field)

const struct parameter read_option_table[] = {
    {"format", PARAMETER_CHOICE, AT(format), "auto", format_words,
     "file format; auto: by extension, else by content"},
    {"delimiter", PARAMETER_TEXT, AT(delimiter), NULL, "",
     "character between cells, as , ; | tab blank; detected unless given"},
    {"header", PARAMETER_CHOICE, AT(header), "auto", "auto|yes|no",
     "line 1 holds the column names"},
    {"quote", PARAMETER_FLAG, AT(quote), "true", "", "cells may be in double quotes"},
    {"decimal", PARAMETER_CHOICE, AT(decimal), "point", "point|comma",
     "mark before the decimals of a number; comma: 1,5 is a number and 1.5 is not"},
    {"skip", PARAMETER_COUNT, AT(skip), "0", "[0, 1e9]", "lines to leave out at the top"},
    {"target", PARAMETER_TEXT, AT(target), NULL, "",
     "label column, by name or number from 1; unless given target, label, class or y, else the "
     "last; COL,COL,... (also 73-78 or 'y_*'): columns of 0 and 1, one for each label of a set"},
    {"label-separator", PARAMETER_TEXT, AT(label_separator), NULL, "",
     "character between the labels of a set in the label column, as , ; | or blank"},
    {"drop", PARAMETER_TEXT, AT(drop), NULL, "",
     "columns that are not features: COL,COL,... by name, number, 3-7 or 'PAY_*'"},
    {"only", PARAMETER_TEXT, AT(only), NULL, "",
     "the columns that are features: COL,COL,... likewise"},
    {"keep", PARAMETER_TEXT, AT(keep), NULL, "",
     "columns carried to the output of predict, not features: COL,COL,...; all: every column"},
    {"categorical", PARAMETER_TEXT, AT(categorical), NULL, "",
     "columns of numbers that name categories: COL,COL,..."},
    {"missing", PARAMETER_CHOICE, AT(missing), "refuse", "refuse|mean|indicator|drop",
     "missing values: mean: the column's mean in their place; indicator: that, and a column of 0 "
     "and 1 that "
     "marks them; drop: their rows are left out"},
    {"unknown", PARAMETER_CHOICE, AT(unknown), "refuse", "refuse|zero",
     "a category that training has not seen; zero: it is none, 0 in all columns of the others"},
    {"weight", PARAMETER_TEXT, AT(weight), NULL, "", "column of row weights, by name or number"},
    {"group", PARAMETER_TEXT, AT(group), NULL, "",
     "column, no feature, whose values name groups of rows; cross-validation keeps them together"},
    {"labels", PARAMETER_FILE, AT(labels), NULL, "", labels_help},
    {"weights", PARAMETER_FILE, AT(weights), NULL, "", weights_help},
    {"bad-lines", PARAMETER_CHOICE, AT(bad_lines), "stop", "stop|skip",
     "what to do with a line that cannot be read; skip shows the first five"},
    {"names", PARAMETER_FILE, AT(names), NULL, "",
     "file with a name per line: of each column, where line 1 has none; LIBSVM: of each feature"},
    {"n-features", PARAMETER_COUNT, AT(n_features), "0", "[0, 2147483647]",
     "LIBSVM: number of features, where the file does not show the last ones"},
    {0},
};

sepal_status read_options_parse(struct read_options *out, sepal_ctx *ctx, struct arena *arena,
                                const char *options) {
    return parameters_parse(out, ctx, arena, read_option_table, "reading", options);
}
