/* What a learner is: a row of a table. A new one is one file (its parameters, its fit, its row) and one
   line in learners.def; help, lists, documentation and tests follow from the row. */
#ifndef SEPAL_LEARNERS_LEARNER_H
#define SEPAL_LEARNERS_LEARNER_H

#include "core/parameters.h"
#include "core/solver_name.h"
#include "core/tree.h"
#include "data/data.h"
#include "linear/linear.h"

/* Settings that every learner takes, whether it has a use for them or not. */
struct fit_options {
    double tol; /* relative duality gap at which an iterative solver stops; NaN: its own default */
    size_t max_iter;                 /* 0: the solver's own limit */
    double max_seconds;              /* NaN: none */
    const char *solver;              /* NULL: chosen by the data's shape */
    const struct solver_name *asked; /* the same, as one of the learner's */
    const char *warm;                /* a model file to start from; NULL: none */
};
extern const struct parameter fit_option_table[];

/* One fit: what is given, what is to be filled in. */
struct fit {
    sepal_ctx *ctx;
    const sepal_data *data; /* single labels, at least two classes, every class with a row */
    const void *config;     /* the learner's own struct, filled from its parameters */
    struct fit_options options;
    /* Of a two-class problem made of more classes: the rows' own; NULL: they are those of `data`. */
    const struct schema *own_schema;
    const int32_t *own_label;
    const struct linear *warm; /* where to start, in the columns of `data`; NULL: anywhere */
    uint64_t start_ns;
    /* Of a two-class problem made of more classes: how many were done before it, of how many, and since
       when; of 0: it is the whole task. */
    struct {
        size_t done, of;
        uint64_t start_ns;
    } among;
    struct arena arena; /* scratch, freed after the fit */

    struct linear linear; /* to be made with linear_init */
    const char *solver;   /* what was used, and why: "normal equations (30 columns)" */
    const char *words;    /* the objective in words, with its numbers */
    const char *loss;     /* the same in short: "hinge, L2 penalty, C = 1"; NULL: as `words` */
    double objective;     /* the mean loss plus penalty at the weights returned */
    double dual;          /* a bound of the objective from below; NaN: none */
    double gap;           /* relative duality gap; NaN where there is none */
    size_t iterations;    /* 0 for closed forms */
    bool converged;
    const char *stopped; /* why it ended early with the best so far; NULL: it did not */
    bool message_lost;   /* there was no memory for a text */
    struct tree_maker *make;
    struct tree *report; /* further facts may be added here, under the learner's own key */
};

/* Time is up, or the user asks to stop; fit->stopped then says which. `format` is a progress line. */
bool fit_stops(struct fit *fit, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* How long the whole task will take if this fit is done in `left` seconds, its problems so far having
   taken `elapsed` with it, and those to come take as long as these. */
double fit_left(double elapsed, double left, size_t done, size_t of);
/* Text in the fit's arena, for `solver` and `words`; "" when there is no memory for it, and then the
   fit will not be taken. */
const char *fit_text(struct fit *fit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* All problems of one class against the rest, to be fitted together. */
struct ovr_fits {
    const struct strategy *strategy;
    size_t n; /* class r against the rest, r = 0 .. n-1 */
    /* Of each: what it came to, and further facts to its report; not its `linear`. */
    struct fit *each;
    struct linear joint; /* to be made with linear_init_rows */
    bool taken;          /* false: the learner leaves it, and nothing is made */
    bool ended;          /* those that have not converged are not to be fitted again by themselves,
                            from where they are */
};

struct learner {
    const char *name, *summary;
    const char *activation; /* identity, sign, ...: what turns a score into an output */
    bool machine;           /* fits K classes by itself */
    /* Whether it does with these parameters; NULL: `machine` says it. */
    bool (*machine_if)(const void *config);
    const char *machine_spec; /* how to write it such that it does; NULL: its name */
    bool posterior;           /* its scores are logarithms of probabilities, up to a common term */
    /* Whether adding a constant to a column changes nothing but the centre of the answer: then
       sparse rows need not be centred. NULL: never. */
    bool (*shiftable)(const void *config);
    /* Those that it can be told to use, ending with NULL; NULL: there is no choice. */
    const struct solver_name *const *solvers;
    bool warms; /* it can start from fit->warm */
    const struct parameter *parameters;
    size_t config_size;
    /* What the parameters say together: refuses contradictions, fills in what follows. NULL: nothing. */
    sepal_status (*settle)(sepal_ctx *ctx, void *config);
    /* What the value of a setting is called today, in the spec of a model file that an older version
       wrote; `all` are the n settings of its stage. NULL: as it is written. */
    const char *(*current_value)(const struct setting *given, const struct setting *all, size_t n);
    /* The priors of all classes, if they were given; NULL: it has no such parameter. */
    const char *(*priors)(const void *config);
    const char *no_density; /* what to do about a model that keeps none; NULL: nothing */
    sepal_status (*fit)(struct fit *fit);
    /* One class against the rest, for all classes at once. NULL: one after the other. */
    sepal_status (*fit_rest)(struct fit *fit, struct ovr_fits *rest);
};

extern const struct learner *const learner_table[]; /* ends with NULL */
const struct learner *learner_find(const char *name);
bool learner_is_machine(const struct learner *learner, const void *config);
bool always_shiftable(const void *config); /* for `shiftable` */

#endif
