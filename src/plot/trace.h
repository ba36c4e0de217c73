/* The lines of a trace, as sepal_report_read has them. */
#ifndef SEPAL_PLOT_TRACE_H
#define SEPAL_PLOT_TRACE_H

#include "plot/plot.h"

/* SEPAL_EDATA with what to type, if the report is no trace. */
sepal_status trace_lines(const struct tree **out, struct plot *plot);

#endif
