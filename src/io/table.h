/* A table of cells: what each cell of a row is for, whichever format the cells are written in, and
   how rows of cells become the parsed rows of a chunk. */
#ifndef SEPAL_IO_TABLE_H
#define SEPAL_IO_TABLE_H

#include "io/chunks.h"
#include "data/cell_value.h"
#include "data/schema.h"

#include <math.h>

enum role { ROLE_IGNORE, ROLE_FEATURE, ROLE_LABEL, ROLE_WEIGHT };
struct table_role {
    enum role role;
    size_t feature; /* its number among the features */
    bool as_text;   /* never read as a number */
    size_t numbers; /* in a column that is text because they are fewer than the others */
    bool as_number; /* never read as text: the format says so */
    const struct column *known; /* its kind and categories: the model's, or as the file declares */
    bool declared; /* the file lists its categories: words for missing values may be among them */
    bool literal;  /* what stands in quotes is there, whatever it says */
    bool keep;
    bool bit;         /* ROLE_LABEL: whether the row has the label that is called as the column */
    const char *name; /* for messages; "x1" ... without a header */
};

struct table_layout {
    size_t n_cells, n_features;
    struct table_role *roles; /* one per cell */
    bool labels, weights, keeps, unknown_zero;
    bool sets;      /* labels are sets: of columns of bits, or of a cell with a separator */
    char separator; /* of the labels in a cell; 0: they have columns */
    bool drops;     /* the model's rule: rows with missing values are not decided */
    bool refuses;   /* there is no rule for missing values */
    bool skips;     /* bad lines are left out */
    bool lenient;   /* nothing in a cell is refused: the rows are only described */
    bool comma;     /* the decimal mark is a comma, not a point */
    bool advises;   /* it could be: cells that would be numbers then are counted */
    bool sparse;    /* rows are kept as entries: all features are numbers, without missing values */
    /* Weights that come from another file, by record; NULL: none. */
    const double *weight;
    size_t n_weights;
};

/* A cell of text. */
struct table_cell {
    struct slice text; /* without quotes and surrounding blanks */
    const char *start; /* where it begins in the file's bytes */
    const char *fault; /* what is wrong with it, NULL: nothing; then `start` is the place */
    bool quoted;
};
/* Control characters but tabs, which no cell may hold. */
static inline bool cell_is_control(char c) {
    return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

/* Between the labels of a set as the rows of tables have it: no cell can hold it. */
#define SET_MARK '\x1f'

/* ---- Rows --------------------------------------------------------------------------------- */

/* What a worker keeps from chunk to chunk. */
struct table_scratch {
    double *cells, *weight;
    uint32_t *label, *index;
    size_t *kept_at, *start;
    struct parsed_column *before; /* the columns as they were before the row */
    size_t cells_room, weight_room, label_room, kept_room, start_room, index_room, before_room;
    char *unquoted; /* room for the text of any cell of the chunk */
    size_t unquoted_room;
    struct text kept;
    struct text set; /* labels of the row, each ended by SET_MARK */
    struct error pending;
};

struct table_rows {
    sepal_ctx *ctx;
    const struct table_layout *layout;
    struct parsed_chunk *parsed;
    struct table_scratch *scratch;
    const char *line_start;
    size_t line, row_line; /* where the reading stands; where the row begins */
    size_t entries;        /* of all rows, where rows are kept as entries */
    size_t kept_cells, odd_before;
    struct spot set_spot; /* where the row's set of labels begins */
    bool single;          /* every number so far is exact in single precision */
    bool weightless;      /* a row of weight 0 is as good as deleted: it only has to be a row */
    bool missing;         /* a feature of this row is missing */
    bool pending;         /* the row is to be refused, unless it is dropped for a missing value */
};

/* `bytes` of text are going to be cut into cells. */
sepal_status rows_init(struct table_rows *rows, sepal_ctx *ctx, const struct table_layout *layout,
                       struct parsed_chunk *parsed, struct table_scratch *scratch, size_t bytes);
/* Every row is begun, and then ended or left out; `weightless` is known from the beginning where
   weights are in another file, else it is the parser's to set. */
sepal_status rows_begin(struct table_rows *rows);
sepal_status rows_take(struct table_rows *rows, const struct table_role *role,
                       const struct table_cell *cell);
sepal_status rows_end(struct table_rows *rows);
/* After a failure: true when the row is left out, its fault noted, and the reading goes on. */
bool rows_forgive(struct table_rows *rows, sepal_status *status);
/* Move what the scratch holds to memory of its true size. */
sepal_status rows_finish(struct table_rows *rows);
/* Room for a row's label, weight and beginning; and for that many values with their indices. */
sepal_status table_scratch_row(struct table_scratch *scratch, sepal_ctx *ctx, size_t row);
sepal_status table_scratch_entries(struct table_scratch *scratch, sepal_ctx *ctx, size_t n);
/* Keep the n entries of all rows in the chunk, in memory of their true size. */
sepal_status table_scratch_keep(struct table_scratch *scratch, sepal_ctx *ctx,
                                struct parsed_chunk *parsed, size_t n);
void table_scratch_clear(void *memory); /* a struct table_scratch */

sepal_status rows_refuse(const struct table_rows *rows, const char *p, const char *what,
                         struct slice token);
/* A row with another number of cells than there are columns. */
sepal_status rows_refuse_length(const struct table_rows *rows, const char *p, size_t cells);
/* A feature that is missing, at a place. */
sepal_status rows_miss(struct table_rows *rows, const struct table_role *role, struct spot spot);

/* Whether the text of a cell is a number, by the table's decimal mark. */
static inline bool table_number(const struct table_layout *layout, struct slice text,
                                double *value) {
    return layout->comma ? cell_is_comma_number(text, value) : cell_is_number(text, value);
}

static inline struct spot rows_spot(const struct table_rows *rows, const char *p) {
    return (struct spot){rows->line, (size_t)(p - rows->line_start) + 1};
}

/* The value of a feature. */
static inline void rows_store(struct table_rows *rows, size_t feature, double value) {
    value += 0.0; /* -0 becomes 0, which is all that sparse rows can say */
    if (rows->layout->sparse) {
        if (value == 0) return;
        rows->scratch->index[rows->entries] = (uint32_t)feature;
        rows->scratch->cells[rows->entries++] = value;
        return;
    }
    rows->scratch->cells[rows->parsed->rows * rows->layout->n_features + feature] = value;
    if (rows->single && !single_holds(value) && !isnan(value)) rows->single = false;
}

static inline void rows_number(struct table_rows *rows, const struct table_role *role,
                               double value) {
    rows->parsed->columns[role->feature].numbers++;
    rows_store(rows, role->feature, value);
}

#endif
