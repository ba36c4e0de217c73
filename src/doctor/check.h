/* What a check of the doctor is: a row of a table. A new one is one file and one line in checks.def. */
#ifndef SEPAL_DOCTOR_CHECK_H
#define SEPAL_DOCTOR_CHECK_H

#include "data/data.h"
#include "doctor/row_sample.h"
#include "model/pipeline.h"

/* How much a finding matters: that is the order in which they are told. */
enum rank {
    RANK_FALSE_SUCCESS, /* the fit will look better than it is */
    RANK_NO_FIT,        /* it will not end, or not be what was meant */
    RANK_ONE_CLASS,     /* some rows will not be told apart */
    RANK_SLOW,          /* it takes longer, or the penalty is unfair */
    RANK_HARMLESS
};

struct finding {
    const char *code;
    enum rank rank;
    size_t *columns, n_columns;
    struct text message, advice;
};

enum { MOST_FINDINGS = 16 }; /* a check has one or two */

struct doctor {
    sepal_ctx *ctx;
    const sepal_data *data;
    const struct pipeline *pipeline; /* what is to be fitted, NULL: anything */
    const char *spec;                /* the same, short */
    struct sample sample;
    bool failed;  /* there was no memory for a text */
    bool *marked; /* columns of which all has been said */
    size_t n_findings;
    struct finding findings[MOST_FINDINGS];
    struct arena arena;
};

struct check {
    const char *name, *summary;
    sepal_status (*look)(struct doctor *doctor);
};

#define CHECK(name) extern const struct check check_##name;
#include "doctor/checks.def"
#undef CHECK

/* A new finding about these columns, whose message and advice are to be put; never NULL. */
struct finding *doctor_find(struct doctor *doctor, const char *code, enum rank rank,
                            const size_t *columns, size_t n);
/* "column 'age' is" or "3 columns are", then to be followed by doctor_put_list. */
void doctor_put_columns(struct doctor *doctor, struct text *out, const size_t *columns, size_t n,
                        const char *one, const char *several);
/* ": 'a', 'b' and 7 more" where there are several. */
void doctor_put_list(struct doctor *doctor, struct text *out, const size_t *columns, size_t n);
/* A column as it is called, in quotes unless it is a number. */
void doctor_put_name(struct doctor *doctor, struct text *out, size_t column);
/* What to type to leave the columns out. */
void doctor_put_drop(struct doctor *doctor, struct text *out, const size_t *columns, size_t n);
/* The same of any option that takes a list of columns of a table. */
void doctor_put_pick(struct doctor *doctor, struct text *out, const char *option,
                     const size_t *columns, size_t n);
/* The name of an option as the caller writes it. */
void doctor_put_option(struct doctor *doctor, struct text *out, const char *name);

/* Cells are numbers of categories. */
static inline bool doctor_is_text(const struct doctor *doctor, size_t column) {
    return doctor->data->coded && doctor->data->schema->columns[column].text;
}
/* The name of a column of a table, "" of others. */
const char *doctor_name(const struct doctor *doctor, size_t column);

/* The learner, "" if there is none yet; whether it has a parameter of that name; its value as text, "" if it
   has none. */
const char *doctor_learner(const struct doctor *doctor);
bool doctor_has_parameter(const struct doctor *doctor, const char *name);
const char *doctor_parameter(struct doctor *doctor, const char *name);
/* Whether there is a penalty on the weights, or may be. */
bool doctor_penalised(struct doctor *doctor);

/* Cell (i, column) of a block. */
static inline double doctor_cell(const struct block *block, size_t i, size_t cols, size_t column) {
    if (!block->sparse)
        return block->f32 ? (double)block->f32[i * cols + column] : block->f64[i * cols + column];
    size_t at = index_seek(block->index, block->start[i], block->start[i + 1], column);
    bool there = at < block->start[i + 1] && block->index[at] == column;
    return there ? block_value(block, i, at) : 0;
}
/* The same value, where missing ones are one. */
static inline bool doctor_same(double a, double b) {
    return a == b || (a != a && b != b);
}

#endif
