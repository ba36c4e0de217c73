/* What the report of a regularisation path says of its values. */
#ifndef TESTS_PATH_FACTS_H
#define TESTS_PATH_FACTS_H

#include "sepal/sepal.h"

#include <math.h>
#include <stdio.h>

/* A number of value k, NaN where there is none. */
static inline double path_fact(const sepal_report *report, size_t k, const char *key) {
    char place[96];
    snprintf(place, sizeof place, "path.%zu.%s", k, key);
    return sepal_report_number(report, place);
}

static inline size_t path_length(const sepal_report *report) {
    size_t n = 0;
    while (!isnan(path_fact(report, n, "lambda"))) n++;
    return n;
}

#endif
