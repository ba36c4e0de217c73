/* The fast readers against the strict one. */
#ifndef SEPAL_TESTS_AGREE_H
#define SEPAL_TESTS_AGREE_H

#include "fuzz/data_laws.h"

/* Read the first file of the input by both; they must agree on all rows and labels, or on where the
   fault is. False: the strict reader does not know one of the options. */
bool readers_agree(const struct fuzz_reading *reading);

#endif
