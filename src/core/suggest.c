/* "Did you mean ...?": the known name nearest to a mistyped one, by the number of letters to
   insert, delete, replace or swap with their neighbour, no letter touched twice (F. J. Damerau,
   CACM 7, 1964; V. I. Levenshtein, Soviet Physics Doklady 10, 1966). Capitals count as small
   letters and '_' as '-', for nobody mistypes a name in that way only. */
#include "core/text.h"

#include <string.h>

/* Longer words are no names of ours; the limit keeps the rows of the recurrence on the stack. */
enum { LONGEST_NAME = 64, SHORTEST_PREFIX = 2 };

static char suggest_fold(char letter) {
    if (letter == '_') return '-';
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static size_t suggest_smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t edit_distance(struct slice a, struct slice b) {
    size_t rows[3][LONGEST_NAME + 1];
    size_t *older = rows[0], *old = rows[1], *now = rows[2];
    for (size_t j = 0; j <= b.length; j++) old[j] = j;
    for (size_t i = 1; i <= a.length; i++) {
        char letter = suggest_fold(a.bytes[i - 1]);
        now[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            char other = suggest_fold(b.bytes[j - 1]);
            size_t best = suggest_smaller(old[j], now[j - 1]) + 1;
            best = suggest_smaller(best, old[j - 1] + (letter != other));
            bool swapped = i > 1 && j > 1 && letter == suggest_fold(b.bytes[j - 2]) &&
                           other == suggest_fold(a.bytes[i - 2]);
            if (swapped) best = suggest_smaller(best, older[j - 2] + 1);
            now[j] = best;
        }
        size_t *free_row = older;
        older = old;
        old = now;
        now = free_row;
    }
    return old[b.length];
}

/* "logist" for "logistic", and "logistic-regression" too. */
static bool one_begins_the_other(struct slice a, struct slice b) {
    size_t shared = suggest_smaller(a.length, b.length);
    if (shared < SHORTEST_PREFIX) return false;
    for (size_t i = 0; i < shared; i++) {
        if (suggest_fold(a.bytes[i]) != suggest_fold(b.bytes[i])) return false;
    }
    return true;
}

const char *text_suggest(const char *wrong, const char *const *names, size_t n) {
    struct slice given = {wrong, strlen(wrong)};
    if (given.length == 0 || given.length > LONGEST_NAME) return NULL;
    const char *best = NULL;
    size_t best_distance = 0;
    for (size_t k = 0; k < n; k++) {
        struct slice name = {names[k], strlen(names[k])};
        if (name.length > LONGEST_NAME) continue;
        size_t distance = edit_distance(given, name);
        /* As many edits as letters would mean that the two have nothing in common. */
        bool near =
            distance <= larger(1, given.length / 3) && distance < larger(given.length, name.length);
        if (!near && !one_begins_the_other(given, name)) continue;
        if (best == NULL || distance < best_distance) {
            best = names[k];
            best_distance = distance;
        }
    }
    return best;
}
