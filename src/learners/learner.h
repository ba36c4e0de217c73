/* What a learner is: a row of a table. A new one is one file (its parameters, its fit, its row) and one
   line in learners.def; help, lists, documentation and tests follow from the row. */
#ifndef SEPAL_LEARNERS_LEARNER_H
#define SEPAL_LEARNERS_LEARNER_H

#include "core/parameters.h"
#include "core/solver_name.h"
#include "core/tree.h"
#include "data/data.h"
#include "learners/bound_list.h"
#include "linear/linear.h"
#include "objective/box.h"
#include "statistics/parts_know.h"

struct loss;
struct scatter_left;

/* Settings that every learner takes, whether it has a use for them or not. */
struct fit_options {
    double tol; /* relative duality gap at which an iterative solver stops; NaN: its own default */
    size_t max_iter;                 /* 0: the solver's own limit */
    double max_seconds;              /* NaN: none */
    const char *solver;              /* NULL: chosen by the data's shape */
    const struct solver_name *asked; /* the same, as one of the learner's */
    const char *warm;                /* a model file to start from; NULL: none */
    int calibrate;                   /* 0: not at all; else 1 + enum calibration_kind */
    size_t calibrate_folds;
    size_t bootstrap; /* fits to resampled rows; 0: none */
};
extern const struct parameter fit_option_table[];

/* What an iterative method came to after its iterations: of very many some, evenly. */
enum { PROGRESS_MOST = 128 };
struct fit_progress {
    size_t n, seen, stride;
    struct {
        double iteration, value;
    } at[PROGRESS_MOST];
};

/* One fit: what is given, what is to be filled in. */
struct fit {
    sepal_ctx *ctx;
    const sepal_data *data; /* single labels, at least two classes, every class with a row; or, to a
                               learner of label sets, these */
    const void *config;     /* the learner's own struct, filled from its parameters */
    struct fit_options options;
    /* Of a two-class problem made of more classes: the rows' own; NULL: they are those of `data`. */
    const struct schema *own_schema;
    const int32_t
        *own_label;   /* NULL beside a schema: the rows have sets, and this is of one label, */
    size_t own_class; /* which is this one */
    const struct linear *warm; /* where to start, in the columns of `data`; NULL: anywhere */
    bool near; /* and that is likely to be near: the answer to nearly the same problem */
    /* In the place of the rows, of which `data` has labels and weights alone; NULL: it has the rows. */
    struct scatter_left *left;
    const struct box *box; /* bounds on the weights of these columns; NULL: none */
    uint64_t start_ns;
    const char *part; /* of a larger task, in lines of progress: "fold 2 of 10, "; NULL: none */
    /* Of a two-class problem made of more classes: how many were done before it, of how many, and since
       when; of 0: it is the whole task. */
    struct {
        size_t done, of;
        uint64_t start_ns;
    } among;
    struct arena arena; /* scratch, freed after the fit */

    struct linear linear; /* to be made with linear_init */
    /* For each row the class by `linear`, where it is sure of that whatever rounding did to the scores, else -1;
       NULL: the learner does not tell. */
    int32_t *decided;
    struct calibration *calibration; /* made of its folds, for `linear`; NULL: none */
    const char *solver;              /* what was used, and why: "normal equations (30 columns)" */
    const char *words;               /* the objective in words, with its numbers */
    const char *priors; /* after class weights: which the scores contain; NULL: there are none */
    const char *loss;   /* the same in short: "hinge, L2 penalty, C = 1"; NULL: as `words` */
    double objective;   /* the mean loss plus penalty at the weights returned */
    double dual;        /* a bound of the objective from below; NaN: none */
    double gap;         /* relative duality gap; NaN where there is none */
    size_t iterations;  /* 0 for closed forms */
    bool converged;
    enum summary_state growth;     /* why the weights grow without end; SUMMARY_WALD: they do not */
    const char *stopped;           /* why it ended early with the best so far; NULL: it did not */
    bool message_lost;             /* there was no memory for a text */
    struct fit_progress *progress; /* fit_note; NULL: nothing */
    struct tree_maker *make;
    struct tree *report; /* further facts may be added here, under the learner's own key */
};

/* Time is up, or the user asks to stop; fit->stopped then says which. `format` is a progress line. */
bool fit_stops(struct fit *fit, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Keep the objective, or another measure, after an iteration, for the report: the last word on it counts. */
void fit_note(struct fit *fit, size_t iteration, double value);
/* "progress" in the report, if there is any: of the objective, or of another measure. */
void fit_tell_progress(struct fit *fit, const char *measure);
/* How long the whole task will take if this fit is done in `left` seconds, its problems so far having
   taken `elapsed` with it, and those to come take as long as these. */
double fit_left(double elapsed, double left, size_t done, size_t of);
/* Text in the fit's arena, for `solver` and `words`; "" when there is no memory for it, and then the
   fit will not be taken. */
const char *fit_text(struct fit *fit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same of texts one after the other, in a tenth of the time: small fits have many. */
const char *fit_join(struct fit *fit, const char *const *parts, size_t n);
#define FIT_JOIN(fit, ...)                                                                         \
    fit_join(fit, (const char *const[]){__VA_ARGS__},                                              \
             sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

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

/* Whether the estimates of a learner have standard errors by the theory of maximum likelihood. */
enum likelihood {
    LIKELIHOOD_NONE,    /* it minimises something else */
    LIKELIHOOD_SQUARES, /* it does by this loss; another of its losses is minus the logarithm of one */
    LIKELIHOOD_MAXIMISED, /* they do */
    LIKELIHOOD_PENALISED, /* the penalty makes them biased */
    LIKELIHOOD_BOUNDED,   /* at a bound they are no normal variables */
    LIKELIHOOD_WEIGHTED   /* the class weights make it another model's */
};

/* One fit of a path. */
struct path_point {
    double l1, l2;
    double loss;         /* the mean loss */
    double primal, dual; /* the objective, and what is proved to be below all others */
    size_t nonzero;      /* weights */
    size_t iterations;
    bool converged;
};

/* Fits with less and less of a penalty, each from the one before. */
struct fit_path {
    /* Given. */
    size_t n;               /* 0: nothing is fitted, and only what is found first is wanted */
    const double *strength; /* lambda: l1 = ratio lambda, l2 = (1 - ratio) lambda; falling */
    double ratio;
    /* After each; its weights are in fit->linear. */
    sepal_status (*visit)(struct fit *fit, const struct fit_path *path, size_t k,
                          const struct path_point *point);
    void *payload;

    /* Found first. */
    double slope;     /* the least l1 for which all weights are 0 */
    double null_loss; /* the mean loss there, the bias being the best */
    const struct loss *loss;
    const double
        *factor; /* of the classes' losses, by side or by the rows' own class; NULL: all 1 */
    bool factor_by_side;
};

/* What a learner has to have for a path of penalties. */
struct path_learner {
    /* The share of the L1 penalty; refuses a config that says how strong the penalty is. */
    sepal_status (*ratio)(double *out, sepal_ctx *ctx, const void *config);
    void (*set)(void *config, double l1, double l2);
    sepal_status (*fit)(struct fit *fit, struct fit_path *path);
};

struct leave_out;

struct learner {
    const char *name, *summary;
    const char *objective;  /* what it minimises, in general; NULL: nothing to be told of */
    const char *activation; /* identity, sign, ...: what turns a score into an output */
    bool machine;           /* fits K classes by itself */
    /* Whether it does with these parameters; NULL: `machine` says it. */
    bool (*machine_if)(const void *config);
    const char *machine_spec; /* how to write it such that it does; NULL: its name */
    const char *jointly; /* the learner that fits K classes by the same model at once; or NULL */
    bool sets;           /* learns sets of labels */
    bool posterior;      /* its scores are logarithms of probabilities, up to a common term */
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
    /* Of a learner of sets: whether a label that all rows have, or none, has no finite optimum. */
    bool (*needs_both_sides)(const void *config);
    /* What the scores maximise, and whether there is an intercept. NULL: no likelihood, an intercept. */
    enum likelihood (*likelihood)(const void *config, bool *intercept);
    /* The bounds on weights in its config; NULL: it has no such parameters. */
    struct weight_bounds *(*bounds)(void *config);
    const char *no_density; /* what to do about a model that keeps none; NULL: nothing */
    sepal_status (*fit)(struct fit *fit);
    const struct path_learner *path; /* NULL: it has no path of penalties */
    /* What a fit has to know of rows that are there in parts (scatter_parts.h); NULL: the rows. *free: it comes
       to the same scores in any units of the columns. */
    enum parts_know (*knows)(const void *config, bool *free);
    /* What fits to all rows but one follow from (leave_out.h), with fit->linear made. NULL: none. */
    sepal_status (*leave_out)(struct leave_out *out, struct fit *fit);
    /* One class against the rest, for all classes at once. NULL: one after the other. */
    sepal_status (*fit_rest)(struct fit *fit, struct ovr_fits *rest);
};

extern const struct learner *const learner_table[]; /* ends with NULL */
const struct learner *learner_find(const char *name);
bool learner_is_machine(const struct learner *learner, const void *config);
bool always_shiftable(const void *config); /* for `shiftable` */

#endif
