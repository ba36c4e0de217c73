/* "Did you mean ...?": the name with the fewest letters to insert, delete, replace or swap with
   their neighbour (F. J. Damerau, CACM 7, 1964), when those are a third of the word at most. */
#include "opt.h"

#include <string.h>

enum { LONGEST = 32 }; /* no name of ours is longer */

static size_t nearest_least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t distance(const char *a, const char *b) {
    size_t cost[LONGEST + 1][LONGEST + 1], n = strlen(a), m = strlen(b);
    for (size_t i = 0; i <= n; i++) cost[i][0] = i;
    for (size_t j = 0; j <= m; j++) cost[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            size_t change = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = nearest_least(change, nearest_least(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = nearest_least(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[n][m];
}

static bool nearest_begins(const char *name, const char *start) {
    return strlen(start) > 1 && strncmp(name, start, strlen(start)) == 0;
}

const char *nearest(const char *wrong, const char *const *names, size_t n) {
    const char *best = NULL;
    size_t length = strlen(wrong), best_distance = 0;
    if (length == 0 || length > LONGEST) return NULL;
    for (size_t i = 0; i < n; i++) {
        if (strlen(names[i]) > LONGEST) continue;
        size_t far = distance(wrong, names[i]);
        bool near = far <= 1 + (length - 1) / 3 && far < length;
        if (!near && !nearest_begins(names[i], wrong)) continue;
        if (best == NULL || far < best_distance) {
            best = names[i];
            best_distance = far;
        }
    }
    return best;
}
