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

int32_t decision_most_probable(const struct decision_input *in) {
    const struct linear *linear = in->linear;
    if (!linear->calibration) return linear_decide(linear, in->scores);
    if (linear->classes == 2) return in->p[1] >= 0.5;
    size_t best = 0;
    for (size_t k = 1; k < linear->classes; k++)
        if (in->p[k] > in->p[best]) best = k;
    return (int32_t)best;
}
