/* What the writer and the reader of model files share; docs/model-format.md specifies it. */
#ifndef SEPAL_MODEL_MODEL_FILE_H
#define SEPAL_MODEL_MODEL_FILE_H

#include "model/model.h"

#include <stddef.h>
#include <stdint.h>

#define MODEL_FORMAT "sepal"
#define MODEL_FORMAT_VERSION "1"

enum {
    MODEL_LENGTH_BYTES = 8,        /* safetensors: the header's length, u64 */
    MODEL_ALIGNMENT = 64,          /* of the first tensor in the file */
    MODEL_MOST_HEADER = 1 << 20,   /* ours; safetensors allows 100 MB */
    MODEL_LONGEST_VALUE = 1 << 16, /* of the metadata; longer lists become tensors */
    MODEL_MOST_CLASSES = 1 << 20,
    MODEL_MOST_ROWS = 1 << 20,      /* of weights: 1,448 classes in pairs */
    MODEL_MOST_COLUMNS = INT32_MAX, /* indices of sparse rows have 32 bits */
    MODEL_LARGEST_STREAM = 1 << 30  /* through a pipe or from a device, which may never end */
};

/* The tensors in the order of the file: falling element size, the weights first. Only weights and
   bias are always there. */
enum model_tensor {
    TENSOR_WEIGHTS,
    TENSOR_BIAS,
    TENSOR_CENTRE,
    TENSOR_PRIORS,
    TENSOR_AXES,
    TENSOR_MEAN, /* of the density, and so the next two */
    TENSOR_ROOT,
    TENSOR_CONSTANT,
    TENSOR_CALIBRATION,
    TENSOR_CUTOFF,
    TENSOR_SUMMARY,
    TENSOR_BOOTSTRAP,
    TENSOR_MAPS, /* numbers of the first map; the others follow */
    TENSOR_COLUMNS = TENSOR_MAPS + MAP_CHAIN_MOST,
    TENSOR_CLASSES,
    MODEL_TENSORS
};
struct tensor_kind {
    const char *name, *dtype;
    size_t size; /* of an element */
    size_t rank;
};
static const struct tensor_kind model_tensors[MODEL_TENSORS] = {
    [TENSOR_WEIGHTS] = {"weights", "F64", 8, 2},
    [TENSOR_BIAS] = {"bias", "F64", 8, 1},
    [TENSOR_CENTRE] = {"centre", "F64", 8, 1},
    [TENSOR_PRIORS] = {"priors", "F64", 8, 1},
    [TENSOR_AXES] = {"axes", "F64", 8, 2},
    [TENSOR_MEAN] = {"density.mean", "F64", 8, 2},
    [TENSOR_ROOT] = {"density.root", "F64", 8, 2},
    [TENSOR_CONSTANT] = {"density.constant", "F64", 8, 1},
    [TENSOR_CALIBRATION] = {"calibration", "F64", 8, 2},
    [TENSOR_CUTOFF] = {"cut", "F64", 8, 1},
    [TENSOR_SUMMARY] = {"summary", "F64", 8, 2},
    [TENSOR_BOOTSTRAP] = {"bootstrap", "F64", 8, 2},
    [TENSOR_MAPS] = {"map1", "F64", 8, 2},
    [TENSOR_MAPS + 1] = {"map2", "F64", 8, 2},
    [TENSOR_MAPS + 2] = {"map3", "F64", 8, 2},
    [TENSOR_MAPS + 3] = {"map4", "F64", 8, 2},
    [TENSOR_MAPS + 4] = {"map5", "F64", 8, 2},
    [TENSOR_MAPS + 5] = {"map6", "F64", 8, 2},
    [TENSOR_MAPS + 6] = {"map7", "F64", 8, 2},
    [TENSOR_MAPS + 7] = {"map8", "F64", 8, 2},
    [TENSOR_COLUMNS] = {"columns", "U8", 1, 1},
    [TENSOR_CLASSES] = {"classes", "U8", 1, 1},
};

/* The numbers of a model, each array under the tensor that holds it; numbers NULL: it is not there.
   A list of n is 1 x n. Roots of densities are as many rows of the model's columns as they are,
   spherical ones a column. */
struct tensor_numbers {
    double *numbers;
    size_t rows, cols;
};
void model_numbers(struct tensor_numbers out[MODEL_TENSORS], const sepal_model *model);

/* Every model file has these bytes right after the length, then its version, the second text, and
   the digits of the checksum: a file can be told before any parsing. */
#define MODEL_BEGIN "{\"__metadata__\":{\"format\":\"" MODEL_FORMAT "\",\"format_version\":\""
#define MODEL_THEN "\",\"checksum\":\""
enum {
    MODEL_VERSION_AT = MODEL_LENGTH_BYTES + sizeof MODEL_BEGIN - 1,
    MODEL_DIGITS_AT = MODEL_VERSION_AT + sizeof MODEL_FORMAT_VERSION - 1 + sizeof MODEL_THEN - 1
};

#endif
