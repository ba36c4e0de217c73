/* LIBSVM text: "label index:value index:value ...". */
#ifndef SEPAL_IO_LIBSVM_H
#define SEPAL_IO_LIBSVM_H

#include "io/table.h"

struct libsvm_layout {
    char eol;
    bool labels;    /* read them, else they may be absent and are ignored */
    bool sets;      /* they are sets, whether any has a comma or not */
    uint32_t most;  /* largest index that is not an error */
    bool for_model; /* the model knows the indices first_index .. last_index; others are ignored */
    uint32_t first_index, last_index;
    bool skips; /* bad lines are left out */
    /* Weights that come from another file, by record; NULL: none. */
    const double *weight;
    size_t n_weights;
};

extern const struct chunk_format libsvm_chunk_format;

#endif
