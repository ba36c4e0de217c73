#include "model/decision.h"

#include <string.h>

const struct decision *const decision_table[DECISIONS] = {
#define DECISION(name) &decision_##name,
#define FIRST_DECISION(name) DECISION(name)
#include "model/decisions.def"
#undef DECISION
#undef FIRST_DECISION
};

int decision_find(const char *name) {
    int i = 0;
    while (i < DECISIONS && strcmp(decision_table[i]->name, name) != 0) i++;
    return i;
}
