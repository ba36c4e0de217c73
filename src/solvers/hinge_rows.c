/* The sizes of columns. */
#include "solvers/hinge.h"

#include <math.h>

void hinge_sizes(double *out, const struct objective *o) {
    for (size_t i = 0; i < o->n; i++) {
        size_t local, at = 0, column;
        double value;
        const struct block *block = matrix_block_of(&o->rows, i, &local);
        if (o->bias != BIAS_NONE) out[o->cols] += o->row_weight[i];
        while (row_next(block, local, o->cols, &at, &column, &value)) {
            double centre = o->centre ? o->centre[column] : 0;
            out[column] += o->row_weight[i] * fabs(value - centre);
        }
    }
}
