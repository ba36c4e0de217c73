/* A solver as users name it: what begins the row of each in its table. */
#ifndef SEPAL_CORE_SOLVER_NAME_H
#define SEPAL_CORE_SOLVER_NAME_H

#include <stdbool.h>

struct solver_name {
    const char *name, *summary;
    bool as_given; /* it runs on the rows as they are, which are not centred for it */
};

#endif
