/* The pipelines that laws are tried on, made by walking the tables: every learner with every value of
   its parameters and every solver, every map, every reduction. And where a law does not hold by the
   nature of a method, with the reason: what is not listed here must keep it. */
#ifndef TESTS_LAW_CASES_H
#define TESTS_LAW_CASES_H

#include "contract/laws.h"

#include "multiclass/multiclass.h"

struct law_case {
    char spec[200], options[80];
};

struct law_cases {
    size_t n;
    struct law_case one[4000];
};

static inline void add_case(struct law_cases *all, const char *spec, const char *options) {
    assert_true(all->n < sizeof all->one / sizeof *all->one);
    struct law_case *at = &all->one[all->n++];
    assert_true(strlen(spec) < sizeof at->spec && strlen(options) < sizeof at->options);
    strcpy(at->spec, spec);
    strcpy(at->options, options);
}

/* ---- values of parameters ----------------------------------------------------------------- */

/* For parameters that are neither choices nor switches. A new one needs a row. */
static const struct {
    const char *name, *value;
    size_t classes; /* 0: any number */
} free_values[] = {
    {"l2", "0.1", 0},
    {"l1", "0.02", 0},
    {"C", "0.5", 0},
    {"ratio", "0.5", 0},
    {"eta", "0.03125", 0},
    {"theta", "0.5", 0},
    {"epochs", "7", 0},
    {"batch", "0", 0},
    {"batch", "5", 0},
    {"shrinkage", "auto", 0},
    {"shrinkage", "0.3", 0},
    {"priors", "\"0.4,0.6\"", 2},
    {"priors", "\"0.2,0.3,0.5\"", 3},
    {"axes", "1", 0},
    {"class-weight", "balanced", 0},
    {"class-weight", "\"a:2\"", 0},
    {"nonneg", "all", 0},
    {"bounds", "\"-0.25<=all<=0.25\"", 0},
    {"smoothing", "0.25", 0},
    {"degree", "3", 0},
    {"centres", "4", 0},
    {"width", "0.7", 0},
    {"features", "12", 0},
    {"bits", "3", 0},
};

/* All "name=value" of a parameter, one after the other; false after the last. */
static inline bool param_value(char out[80], const sepal_param *param, size_t number,
                               size_t classes) {
    const char *at = param->range;
    if (strchr(at, '|')) {
        for (; number > 0 && (at = strchr(at, '|')); number--) at++;
        if (at) snprintf(out, 80, "%s=%.*s", param->name, (int)strcspn(at, "|"), at);
        return at != NULL;
    }
    bool on = param->fallback && strcmp(param->fallback, "true") == 0;
    if (on || (param->fallback && strcmp(param->fallback, "false") == 0)) {
        snprintf(out, 80, "%s=%s", param->name, on ? "false" : "true");
        return number == 0;
    }
    bool known = false;
    for (size_t i = 0; i < sizeof free_values / sizeof *free_values; i++) {
        if (strcmp(free_values[i].name, param->name) != 0) continue;
        known = true;
        if (free_values[i].classes && free_values[i].classes != classes) continue;
        if (strcmp(param->name, "batch") == 0 && number == 0 && strstr(param->range, "[1"))
            continue; /* not every learner takes 0 for "all rows" */
        if (number-- > 0) continue;
        snprintf(out, 80, "%s=%s", param->name, free_values[i].value);
        return true;
    }
    if (!known) fail_msg("law_cases.h has no value for the parameter %s", param->name);
    return false;
}

static inline bool is_choice(const sepal_param *param) {
    return strchr(param->range, '|') != NULL;
}

static inline bool is_walks_own(const sepal_param *param) {
    return strstr(param->help, "sgd: ") != NULL;
}

/* ---- pipelines ---------------------------------------------------------------------------- */

/* With every solver that the learner has a choice of. */
static inline void add_with_solvers(struct law_cases *all, const struct learner *learner,
                                    const char *spec, bool walks_own) {
    char options[80];
    if (!walks_own) add_case(all, spec, "tol=1e-10");
    for (size_t s = 0; learner->solvers && learner->solvers[s]; s++) {
        if (walks_own && !learner->solvers[s]->as_given) continue;
        snprintf(options, sizeof options, "tol=1e-10, solver=%s", learner->solvers[s]->name);
        add_case(all, spec, options);
    }
}

static inline void add_learner(struct law_cases *all, size_t l, size_t classes) {
    const struct learner *learner = learner_table[l];
    sepal_param one = {.size = sizeof one}, other = {.size = sizeof other};
    char first[80], second[80], spec[200];
    add_with_solvers(all, learner, learner->name, false);
    for (size_t p = 0; sepal_param_at(SEPAL_LEARNER, l, p, &one) == SEPAL_OK; p++)
        for (size_t v = 0; param_value(first, &one, v, classes); v++) {
            snprintf(spec, sizeof spec, "%s(%s)", learner->name, first);
            add_with_solvers(all, learner, spec, is_walks_own(&one));
            for (size_t q = 0; q < p && is_choice(&one); q++) {
                sepal_param_at(SEPAL_LEARNER, l, q, &other);
                for (size_t u = 0; is_choice(&other) && param_value(second, &other, u, classes);
                     u++) {
                    snprintf(spec, sizeof spec, "%s(%s, %s)", learner->name, second, first);
                    add_with_solvers(all, learner, spec, is_walks_own(&one));
                }
            }
        }
}

/* Every map before learners that tell centred from given rows, and wide from narrow. */
static inline void add_maps(struct law_cases *all, size_t classes) {
    static const char *const learners[] = {"logistic(l2=0.1)", "least-squares(l2=0.1)",
                                           "perceptron(variant=batch, epochs=5)", "lda"};
    sepal_method map = {.size = sizeof map};
    sepal_param param = {.size = sizeof param};
    char value[80], spec[200];
    for (size_t m = 0; sepal_method_at(SEPAL_MAP, m, &map) == SEPAL_OK; m++)
        for (size_t l = 0; l < sizeof learners / sizeof *learners; l++) {
            snprintf(spec, sizeof spec, "%s | %s", map.name, learners[l]);
            if (strcmp(map.name, "hash") != 0) add_case(all, spec, "tol=1e-10"); /* 2^18 columns */
            for (size_t p = 0; sepal_param_at(SEPAL_MAP, m, p, &param) == SEPAL_OK; p++)
                for (size_t v = 0; param_value(value, &param, v, classes); v++) {
                    snprintf(spec, sizeof spec, "%s(%s) | %s", map.name, value, learners[l]);
                    add_case(all, spec, "tol=1e-10");
                }
        }
}

static inline void add_reductions(struct law_cases *all) {
    char spec[200];
    for (size_t r = 0; strategy_table[r]; r++)
        for (size_t l = 0; learner_table[l]; l++) {
            snprintf(spec, sizeof spec, "%s | %s", learner_table[l]->name, strategy_table[r]->name);
            add_case(all, spec, "tol=1e-10");
        }
}

static inline void all_cases(struct law_cases *all, size_t classes) {
    all->n = 0;
    for (size_t l = 0; learner_table[l]; l++)
        if (!learner_table[l]->sets) add_learner(all, l, classes);
    add_maps(all, classes);
    add_reductions(all);
}

/* ---- where a law does not hold ------------------------------------------------------------- */

enum law {
    ROWS = 1 << 0,       /* the rows in another order */
    COLUMNS = 1 << 1,    /* the columns in another order */
    SCALED = 1 << 2,     /* all weights times one number */
    COPIED = 1 << 3,     /* copies of a row instead of its weight */
    SPARSE = 1 << 4,     /* sparse storage */
    RENAMED = 1 << 5,    /* other names of the classes, in the same order */
    RELABELLED = 1 << 6, /* names in another order: scores change places, or their sign */
    ZERO = 1 << 7,       /* one more column, of zeros */
    CONSTANT = 1 << 8,   /* one more column, always 3 */
    AGAIN = 1 << 9,      /* once more in the same context */
    LAWS = 10
};
static const char *const law_names[LAWS] = {"rows",    "columns",    "scaled", "copied",   "sparse",
                                            "renamed", "relabelled", "zero",   "constant", "again"};

enum claim {
    SAME,      /* scores and objective */
    PARALLEL,  /* scores up to a common positive factor */
    EACH,      /* each of the K score functions up to a positive factor of its own */
    OBJECTIVE, /* the objective alone: there are many optima */
    NOTHING
};

/* `text` is the canonical spec, so every parameter is in it, then the options. */
static inline bool has(const char *text, const char *part) {
    return strstr(text, part) != NULL;
}

static inline bool is_perceptron(const char *text) {
    return has(text, "perceptron(");
}
static inline bool is_batch_perceptron(const char *text) {
    return is_perceptron(text) &&
           (has(text, "variant=batch") || (has(text, "variant=delta") && has(text, "mode=batch")));
}
static inline bool walks_rows(const char *text) {
    if (has(text, "solver=sgd")) return !has(text, "batch=0,");
    return is_perceptron(text) && !is_batch_perceptron(text);
}
static inline bool steps_from_zero(const char *text) {
    return is_perceptron(text);
}
static inline bool is_sgd(const char *text) {
    return has(text, "solver=sgd");
}
static inline bool stops_at_theta(const char *text) {
    return is_perceptron(text) && !has(text, "theta=0,");
}
static inline bool pockets(const char *text) {
    return has(text, "variant=pocket");
}
static inline bool ties_at_zero(const char *text) {
    return is_perceptron(text) && has(text, "| machine");
}
static inline bool weighs_by_c(const char *text) {
    return has(text, "C=");
}
static inline bool divides_by_less(const char *text) {
    return has(text, "estimate=unbiased") || has(text, "estimate=default");
}
static inline bool is_fisher(const char *text) {
    return has(text, "fisher(cut");
}
static inline bool cuts_by_normals(const char *text) {
    return has(text, "cut=gauss");
}
static inline bool shrinks_by_count(const char *text) {
    return has(text, "shrinkage=auto");
}
static inline bool shrinks(const char *text) {
    return has(text, "shrinkage=auto") || has(text, "shrinkage=0");
}
static inline bool smooths(const char *text) {
    return has(text, "naive-bayes(") && !has(text, "kind=gaussian");
}
static inline bool has_variances(const char *text) {
    return has(text, "gaussian(covariance") || has(text, "kind=gaussian");
}
static inline bool names_classes(const char *text) {
    return has(text, "class_weight=") && has(text, "a:2");
}
static inline bool numbers_classes(const char *text) {
    return has(text, "priors=");
}
static inline bool bounds_one_side(const char *text) {
    return has(text, "nonneg=");
}
static inline bool favours_last(const char *text) {
    return has(text, "| ovr-1");
}
static inline bool lacks_free_bias(const char *text) {
    return has(text, "bias=false") || has(text, "bias=penalised");
}
static inline bool draws_rows(const char *text) {
    return has(text, "rbf(");
}
static inline bool counts_columns(const char *text) {
    return has(text, "fourier(") || has(text, "hash(");
}
static inline bool steps_on_sigmoids(const char *text) {
    return has(text, "sigmoid(") && is_perceptron(text);
}
static inline bool multiplies_columns(const char *text) {
    return has(text, "poly(");
}
static inline bool picks_first(const char *text) {
    return is_sgd(text) && has(text, "loss=crammer_singer");
}
static inline bool has_flat_optima(const char *text) {
    return (has(text, "loss=hinge") && !has(text, "penalty=l2")) ||
           (has(text, "svm(") && has(text, "penalty=none"));
}

static const struct exception {
    bool (*of)(const char *text);
    unsigned laws;
    enum claim claim;
    const char *why;
} exceptions[] = {
    {walks_rows, ROWS | COPIED, NOTHING, "steps follow the rows; a weight is a longer step"},
    {is_sgd, SCALED | CONSTANT, NOTHING, "a constant column takes steps of its own"},
    {stops_at_theta, SCALED, NOTHING, "theta is compared with the length of an update"},
    {steps_from_zero, SCALED, PARALLEL, "weights multiply steps, so from 0 they multiply scores"},
    {steps_from_zero, CONSTANT, NOTHING, "a constant column steps as a bias does"},
    {ties_at_zero, RELABELLED, NOTHING, "at w = 0 all scores tie, and the first class wins"},
    {picks_first, RELABELLED, NOTHING, "of classes that tie, the first is the rival"},
    {pockets, RELABELLED, NOTHING, "a row with a score of 0 is an error of the first class alone"},
    {weighs_by_c, SCALED, NOTHING, "C weighs the sum of the losses, not their mean"},
    {divides_by_less, SCALED, NOTHING, "N - K of the weights' sum"},
    {cuts_by_normals, SCALED, NOTHING, "variances divide by n - 1"},
    {is_fisher, SCALED, EACH, "w = (N - 2) S_W^-1 (m2 - m1)"},
    {is_fisher, ZERO | CONSTANT, EACH, "a singular S_W: w = (N - 2) S_T^+ (m2 - m1) instead"},
    {shrinks_by_count, SCALED, NOTHING, "Ledoit and Wolf's intensity falls with N"},
    {shrinks, ZERO | CONSTANT, NOTHING, "the target tr(S)/D counts columns"},
    {smooths, SCALED, NOTHING, "smoothing adds a fixed number to counts"},
    {smooths, ZERO | CONSTANT, NOTHING, "every column has a share of the counts"},
    {has_variances, ZERO | CONSTANT, NOTHING, "a density has no room for a variance of 0"},
    {names_classes, RENAMED | RELABELLED, NOTHING, "a weight is that of a class by name"},
    {numbers_classes, RELABELLED, NOTHING, "priors are given in the order of the classes"},
    {bounds_one_side, RELABELLED, NOTHING, "the one score of two classes changes its sign"},
    {favours_last, RELABELLED, NOTHING, "the last class gets what the others leave"},
    {lacks_free_bias, CONSTANT, NOTHING, "a constant column is the bias that is lacking"},
    {draws_rows, ROWS | COPIED, NOTHING, "k-means begins at rows drawn by number"},
    {counts_columns, COLUMNS | ZERO | CONSTANT, NOTHING, "a column's number decides its part"},
    {steps_on_sigmoids, ZERO, NOTHING, "the soft step of a column of zeros is a constant"},
    {multiplies_columns, CONSTANT, NOTHING, "products with a constant are further columns"},
    {has_flat_optima, (1 << LAWS) - 1 - AGAIN, OBJECTIVE,
     "kinks and zeros of a loss leave many optima"},
};

/* The least that any exception leaves. */
static inline enum claim claim_of(enum law law, const char *text) {
    enum claim claim = SAME;
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (exceptions[i].laws & law && exceptions[i].claim > claim && exceptions[i].of(text))
            claim = exceptions[i].claim;
    return claim;
}

/* How far a score may be off, in parts of the largest. Solvers stop at a gap of 1e-10, which bounds
   the square of the error; what is computed in closed form, or by a fixed number of steps, is exact
   but for rounding and the conditioning of covariances. */
static inline double room_for(const struct made *made, const char *text) {
    bool solved = sepal_report_number(made->report, "iterations") > 0;
    return solved && !is_sgd(text) && !is_perceptron(text) ? 3e-4 : 1e-7;
}

#endif
