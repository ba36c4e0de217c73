/* The lines of a trace, as sepal_report_read has them. */
#ifndef SEPAL_PLOT_TRACE_H
#define SEPAL_PLOT_TRACE_H

#include "plot/plane.h"

/* SEPAL_EDATA with what to type, if the report is no trace. */
sepal_status trace_lines(const struct tree **out, struct plot *plot);

struct trace {
    struct plot *plot;
    struct sampled rows;
    struct plane plane;
    const struct tree **steps; /* lines with weights */
    size_t n;
    struct axis x, y;
};
/* Of a step: its bias, and the product of its weights with a row. */
double trace_bias(const struct tree *step);
double trace_product(const struct tree *step, const double *v);
/* The numbers of a trace tell whether it is of these rows: refuse it if not, say so if they cannot. */
sepal_status trace_check_rows(const struct trace *t);
sepal_status trace_tell_bound(const struct trace *t);

#endif
