/* Separability of a data set: the questions about its classes, their answers as a report, and
   certificates as JSON. */
#ifndef SEPAL_EVAL_SEPARABILITY_H
#define SEPAL_EVAL_SEPARABILITY_H

#include "core/parameters.h"
#include "core/tree.h"
#include "data/prepare.h"
#include "certificates/certificate.h"

/* The rows after the maps, and what they are called. */
struct mapped_rows {
    const sepal_data *data;
    const struct matrix *x; /* phi */
    const char *maps;       /* canonical; "": none */
    struct prepared prepared;
    struct matrix made; /* empty without maps */
    struct arena arena;
};
/* Fit the maps of a spec without learner (NULL or "": none) to the rows. To be cleared in any case. */
sepal_status mapped_rows_make(struct mapped_rows *out, sepal_ctx *ctx, const sepal_data *data,
                              const char *maps);
void mapped_rows_clear(struct mapped_rows *rows);

/* The sides of the classes: -1 and 1 for the two of a pair; 1 for one and -1 for all others; or, for
   two classes in all, the second is 1. `side` has a place for every row. */
void sides_of_pair(int8_t *side, const sepal_data *data, size_t first, size_t second);
void sides_of_rest(int8_t *side, const sepal_data *data, size_t class);

/* Fill `report` with the answers; `certificate` (may be NULL) takes a file's worth of JSON, to be
   freed. */
sepal_status separability_report(sepal_ctx *ctx, const sepal_data *data, const char *maps,
                                 const char *options, struct tree_maker *make, struct tree *report,
                                 char **certificate);

/* A certificate as a tree. */
void certificate_put(struct tree_maker *make, struct tree *parent, const struct question *question,
                     const struct certificate *certificate, const sepal_data *data);
/* The text of a certificate file: what is said about rows and classes, the proofs of `report`, and a
   checksum. */
sepal_status certificate_text(char **out, sepal_ctx *ctx, const struct mapped_rows *rows,
                              const struct tree *report);
/* Hexadecimal digits over all members of the object but "checksum". */
enum { CERTIFICATE_SUM_BYTES = 17 };
sepal_status certificate_sum(char out[CERTIFICATE_SUM_BYTES], sepal_ctx *ctx,
                             const struct tree *file);

/* Judge all proofs of a certificate file; SEPAL_EDATA says what does not hold. */
sepal_status certificate_check(sepal_ctx *ctx, const sepal_data *data, const char *maps,
                               const char *path);

#endif
