/* Specs for the fit fuzzer: the problem's number walks through the tables of learners, maps and
   reductions, and chance sets their parameters. A new row of a table is met the day it lands. */
#ifndef TESTS_FIT_FUZZ_SPECS_H
#define TESTS_FIT_FUZZ_SPECS_H

#include "contract/fit_fuzz_tables.h"

#include "maps/map.h"
#include "multiclass/multiclass.h"

enum { SPEC_BYTES = 1024 };

/* Bounds on all weights; 0 is within them, so that weights of 0 may be compared with. */
struct bounds_tried {
    const char *text;
    double low, high;
};

struct spec {
    char text[SPEC_BYTES];
    const struct learner *learner;
    const struct strategy *reduction;  /* NULL: none is named */
    const struct bounds_tried *bounds; /* NULL: none on the weights */
};

static inline size_t rows_of_table(const void *const *table) {
    size_t n = 0;
    while (table[n]) n++;
    return n;
}

static inline void add(struct spec *spec, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void add(struct spec *spec, const char *format, ...) {
    size_t used = strlen(spec->text);
    va_list list;
    va_start(list, format);
    int n = vsnprintf(spec->text + used, sizeof spec->text - used, format, list);
    va_end(list);
    assert_true(n >= 0 && used + (size_t)n < sizeof spec->text);
}

/* ---- parameters --------------------------------------------------------------------------------- */

/* Values worth trying, of those that are numbers or texts; others keep their defaults. */
static const struct {
    const char *name, *values[6];
} tried[] = {
    {"l2", {"0", "1e-9", "1e-4", "0.1", "10"}},
    {"smoothing", {"0", "1e-9", "0.5", "1", "10"}},
    {"shrinkage", {"none", "auto", "0", "0.3", "1"}},
    {"class-weight", {"none", "none", "balanced"}},
    {"axes", {"0", "0", "1", "2"}},
    {"eta", {"1e-3", "0.01", "1", "3"}},
    {"theta", {"0", "1e-3"}},
    {"epochs", {"1", "3", "10", "30"}},
    {"batch", {"1", "2", "7", "32"}},
    {"degree", {"1", "2", "2", "3"}},
    {"centres", {"1", "2", "3", "5"}},
    {"features", {"1", "2", "9", "20"}},
    {"bits", {"1", "2", "4", "6"}},
    {"width", {"0.1", "1", "30"}},
};

/* What says the penalty has to be said together. */
static const char *const penalties[] = {"",
                                        "penalty=none",
                                        "penalty=none",
                                        "l2=1e-6",
                                        "l2=0.01",
                                        "l2=1",
                                        "C=1e-3",
                                        "C=100",
                                        "C=1e6",
                                        "penalty=l1, C=1",
                                        "l1=1e-4",
                                        "l1=0.02",
                                        "penalty=elasticnet, C=10, ratio=0.5",
                                        "l1=0.01, l2=0.01"};
static const struct bounds_tried bounds_tried[] = {
    {"nonneg=all", 0, INFINITY},
    {"nonneg=*", 0, INFINITY},
    {"bounds=\"-0.5<=*<=0.5\"", -0.5, 0.5},
    {"bounds=\"all<=0\"", -INFINITY, 0},
    {"nonneg=all, bounds=\"*<=2\"", 0, 2},
    {"bounds=\"0<=*<=0\"", 0, 0},
    {"bounds=\"-1e6<=*<=1e6\"", -1e6, 1e6},
};
enum {
    BOUNDS_TRIED = sizeof bounds_tried / sizeof *bounds_tried,
    BOUNDED_EVERY = 5,
    JOINT_EVERY = 3
};
static const char *const costly_unless_set[] = {"bits", "features"};
static const char *const bound_names[] = {"nonneg", "bounds"};
static const char *const said_together[] = {"penalty", "l1", "l2", "C", "ratio"};

static inline bool is_one_of(const char *name, const char *const *names, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (strcmp(name, names[k]) == 0) return true;
    return false;
}

/* The k-th word of "a|b|c", and how many there are. */
static inline size_t word_of(char *out, size_t size, const char *words, size_t k) {
    size_t n = 1;
    for (size_t at = 0; words[at]; at++) n += words[at] == '|';
    for (size_t skipped = 0; k < n && skipped < k; skipped++) words = strchr(words, '|') + 1;
    if (k < n) snprintf(out, size, "%.*s", (int)strcspn(words, "|"), words);
    return n;
}

static inline bool value_draw(char *out, size_t size, const struct parameter *parameter,
                              struct rng *rng) {
    if (parameter->type == PARAMETER_FLAG)
        snprintf(out, size, "%s", chance(rng, 0.5) ? "true" : "false");
    if (parameter->type == PARAMETER_CHOICE) {
        size_t n = word_of(out, size, parameter->range, SIZE_MAX);
        (void)word_of(out, size, parameter->range, rng_below(rng, n));
    }
    if (parameter->type == PARAMETER_FLAG || parameter->type == PARAMETER_CHOICE) return true;
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
        size_t n = 0;
        if (strcmp(tried[k].name, parameter->name) != 0) continue;
        while (n < 6 && tried[k].values[n]) n++;
        snprintf(out, size, "%s", tried[k].values[rng_below(rng, n)]);
        return true;
    }
    return false;
}

/* "(name=value, ...)" for some of them. */
static inline void add_parameters(struct spec *spec, const struct parameter *parameters,
                                  struct rng *rng) {
    const char *mark = "(";
    bool penalised = parameters && parameters_find(parameters, "penalty");
    if (penalised) {
        const char *penalty = penalties[rng_below(rng, sizeof penalties / sizeof *penalties)];
        if (*penalty) add(spec, "(%s", penalty), mark = ", ";
    }
    for (const struct parameter *parameter = parameters; parameter && parameter->name;
         parameter++) {
        char value[64];
        if (penalised && is_one_of(parameter->name, said_together, 5)) continue;
        if (is_one_of(parameter->name, bound_names, 2)) continue; /* see add_bounds */
        bool costly = is_one_of(parameter->name, costly_unless_set, 2);
        if ((chance(rng, 0.5) && !costly) || !value_draw(value, sizeof value, parameter, rng))
            continue;
        add(spec, "%s%s=%s", mark, parameter->name, value);
        mark = ", ";
    }
    if (*mark == ',') add(spec, ")");
}

/* One more parameter of the learner, which the spec ends with. */
static inline void add_parameter(struct spec *spec, const char *text) {
    size_t length = strlen(spec->text);
    bool open = spec->text[length - 1] == ')';
    if (open) spec->text[length - 1] = '\0';
    add(spec, "%s%s)", open ? ", " : "(", text);
}

/* Every so many problems are bounded. Drawn beside all else, which is as without them. */
static inline void add_bounds(struct spec *spec, size_t number, const struct rng *rng) {
    struct rng apart = *rng;
    if (!spec->learner->bounds || number % BOUNDED_EVERY != BOUNDED_EVERY - 1) return;
    if (strstr(spec->text, "loss=hinge")) return;
    spec->bounds = &bounds_tried[rng_below(&apart, BOUNDS_TRIED)];
    add_parameter(spec, spec->bounds->text);
}

/* The joint loss goes with few penalties and no strategy, so that chance alone would hardly draw it. */
static inline void add_joint_loss(struct spec *spec, size_t round) {
    bool svm = strcmp(spec->learner->name, "svm") == 0;
    if (svm && round % JOINT_EVERY == 0 && !spec->bounds && !strstr(spec->text, "loss="))
        add_parameter(spec, "loss=crammer_singer");
}

/* ---- whole specs -------------------------------------------------------------------------------- */

/* Numbers 0, 1, 2, ... meet every learner with every map (or none) and every reduction (or none),
   then begin again. */
static inline struct spec spec_draw(size_t number, struct rng *rng) {
    size_t learners = rows_of_table((const void *const *)learner_table);
    size_t maps = rows_of_table((const void *const *)map_table);
    size_t reductions = rows_of_table((const void *const *)strategy_table);
    size_t map = number / learners % (maps + 1);
    size_t reduction = number / learners / (maps + 1) % (reductions + 1);
    struct spec spec = {.learner = learner_table[number % learners]};
    if (reduction < reductions && !spec.learner->sets) spec.reduction = strategy_table[reduction];
    /* of two centres beside sparse rows, what minmax makes of the least number is 0 up to rounding
       only, and counts below 0 are refused */
    bool least = map < maps && strcmp(map_table[map]->name, "minmax") == 0;
    if (map < maps && !least && chance(rng, 0.1)) add(&spec, "standardize | ");
    if (map < maps) {
        add(&spec, "%s", map_table[map]->name);
        add_parameters(&spec, map_table[map]->parameters, rng);
        add(&spec, " | ");
    }
    add(&spec, "%s", spec.learner->name);
    add_parameters(&spec, spec.learner->parameters, rng);
    add_bounds(&spec, number, rng);
    add_joint_loss(&spec, number / learners);
    if (spec.reduction) add(&spec, " | %s", spec.reduction->name);
    return spec;
}

/* How many numbers it takes to meet them all. */
static inline size_t specs_in_all(void) {
    return rows_of_table((const void *const *)learner_table) *
           (rows_of_table((const void *const *)map_table) + 1) *
           (rows_of_table((const void *const *)strategy_table) + 1);
}

/* ---- what a canonical spec says ----------------------------------------------------------------- */

/* Where the learner's part begins. */
static inline const char *spec_learner(const char *spec, const struct learner *learner) {
    const char *at = strstr(spec, learner->name);
    for (const char *next = at; next && (next = strstr(next + 1, learner->name));) at = next;
    return at;
}

/* The text after "name=" in the learner's part; NULL: it is not there. */
static inline const char *spec_value(const char *spec, const struct learner *learner,
                                     const char *name) {
    char wanted[64];
    const char *at = spec_learner(spec, learner);
    for (const char *open = " ("; at && *open; open++) {
        snprintf(wanted, sizeof wanted, "%c%s=", *open, name);
        const char *found = strstr(at, wanted);
        if (found) return found + strlen(wanted);
    }
    return NULL;
}

static inline bool spec_says(const char *spec, const struct learner *learner, const char *name,
                             const char *value) {
    const char *found = spec_value(spec, learner, name);
    size_t length = strlen(value);
    return found && strncmp(found, value, length) == 0 && strspn(found + length, ",)") > 0;
}

static inline double spec_number(const char *spec, const struct learner *learner,
                                 const char *name) {
    const char *found = spec_value(spec, learner, name);
    return found ? strtod(found, NULL) : NAN;
}

#endif
