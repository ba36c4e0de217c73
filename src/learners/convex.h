/* What logistic regression and the linear support vector machine share: a mean loss plus a penalty,
   minimised to a stated gap. */
#ifndef SEPAL_LEARNERS_CONVEX_H
#define SEPAL_LEARNERS_CONVEX_H

#include "joint/joint.h"
#include "learners/learner.h"
#include "objective/certify.h"
#include "solvers/solver.h"

enum penalty { PENALTY_AUTO, PENALTY_L2, PENALTY_L1, PENALTY_ELASTICNET, PENALTY_NONE };

struct convex_config {
    int penalty;
    double l2, l1, c, ratio; /* NaN: not given; settled: c and ratio, or l1 and l2 */
    int bias;                /* enum bias */
    const char *class_weight;
    bool correct_priors; /* of learners with probabilities */
    struct weight_bounds weights;
    /* of the solver sgd */
    double eta;
    size_t epochs, batch;
    int schedule; /* enum schedule */
    bool shuffle, average;
    /* of the svm */
    int loss;
};

#define CONVEX_AT(field) offsetof(struct convex_config, field)
/* Those of the solver sgd. */
#define CONVEX_SGD_PARAMETERS                                                                      \
    {"eta", PARAMETER_REAL, CONVEX_AT(eta), "0.01", "(0, inf)", "sgd: step size"},                 \
        {"epochs", PARAMETER_COUNT, CONVEX_AT(epochs),                                             \
         "100",    "[1, 1e15]",     "sgd: passes over the rows"},                                  \
        {"batch", PARAMETER_COUNT, CONVEX_AT(batch),                                               \
         "1",     "[0, 1e15]",     "sgd: rows to a step, their mean is taken; 0: all"},            \
        {"shuffle",                                                                                \
         PARAMETER_FLAG,                                                                           \
         CONVEX_AT(shuffle),                                                                       \
         "false",                                                                                  \
         "",                                                                                       \
         "sgd: visit the rows in another order each epoch"},                                       \
        {"schedule",                                                                               \
         PARAMETER_CHOICE,                                                                         \
         CONVEX_AT(schedule),                                                                      \
         "constant",                                                                               \
         "constant|inverse|root",                                                                  \
         "sgd: after e epochs a step is eta, eta/(1+e) or eta/sqrt(1+e)"},                         \
    {                                                                                              \
        "average", PARAMETER_FLAG, CONVEX_AT(average), "false", "",                                \
            "sgd: return the mean of the weights after every step"                                 \
    }
/* The rows that their parameter tables share. */
#define CONVEX_PARAMETERS                                                                           \
    {"penalty",                                                                                     \
     PARAMETER_CHOICE,                                                                              \
     CONVEX_AT(penalty),                                                                            \
     "auto",                                                                                        \
     "auto|l2|l1|elasticnet|none",                                                                  \
     "penalty of the weights; auto: what l1, l2, C and ratio say, else l2"},                        \
        {"l2",          PARAMETER_REAL,                                                             \
         CONVEX_AT(l2), NULL,                                                                       \
         "[0, inf)",    "L2 regularisation strength: weight of |w|^2 / 2 beside the mean loss"},    \
        {"l1", PARAMETER_REAL, CONVEX_AT(l1),                                                       \
         NULL, "[0, inf)",     "L1 regularisation strength: weight of |w|_1 beside the mean loss"}, \
        {"C",                                                                                       \
         PARAMETER_REAL,                                                                            \
         CONVEX_AT(c),                                                                              \
         NULL,                                                                                      \
         "(0, inf)",                                                                                \
         "inverse regularisation strength, as in LIBLINEAR and scikit-learn; 1 unless given"},      \
        {"ratio",          PARAMETER_REAL,                                                          \
         CONVEX_AT(ratio), NULL,                                                                    \
         "[0, 1]",         "with C: elastic-net mixing (glmnet's alpha, scikit-learn's l1_ratio)"}, \
        {"bias",                                                                                    \
         PARAMETER_CHOICE,                                                                          \
         CONVEX_AT(bias),                                                                           \
         "true",                                                                                    \
         "true|false|penalised",                                                                    \
         "fit an intercept; penalised: as if it were the weight of a column of ones"},              \
        {"class-weight",                                                                            \
         PARAMETER_TEXT,                                                                            \
         CONVEX_AT(class_weight),                                                                   \
         "none",                                                                                    \
         "",                                                                                        \
         "none, balanced, or LABEL:W,...: factors of the classes' losses"},                         \
        CONVEX_SGD_PARAMETERS

/* Those of learners that can keep weights within bounds. */
#define CONVEX_BOUNDS                                                                              \
    {"nonneg",                                                                                     \
     PARAMETER_TEXT,                                                                               \
     CONVEX_AT(weights.nonneg),                                                                    \
     NULL,                                                                                         \
     "",                                                                                           \
     "columns whose weights are at least 0: names, patterns (PAY_*), numbers, or all"},            \
    {                                                                                              \
        "bounds", PARAMETER_FILE, CONVEX_AT(weights.bounds), NULL, "",                             \
            "a CSV file column,low,high of bounds on weights, or \"0<=age<=2; debt<=0\" itself"    \
    }

/* That of learners with probabilities alone. */
#define CONVEX_CORRECT_PRIORS                                                                      \
    {                                                                                              \
        "correct-priors", PARAMETER_FLAG, CONVEX_AT(correct_priors), "false", "",                  \
            "after class weights: shift the intercepts back, so that probabilities are those of "  \
            "the rows"                                                                             \
    }

/* What the parameters say together: contradictions are refused, what follows is filled in. */
sepal_status convex_settle(sepal_ctx *ctx, void *config);
bool convex_shiftable(const void *config);
/* For `likelihood`, of a loss that is minus the logarithm of one, and of any other. */
enum likelihood convex_likelihood(const void *config, bool *intercept);
enum likelihood convex_no_likelihood(const void *config, bool *intercept);
struct weight_bounds *convex_bounds(void *config);

struct convex {
    struct fit *fit;
    const struct convex_config *config;
    const struct joint *joint; /* K classes fitted jointly; NULL: two classes */
    double joint_at_zero;      /* their losses at weights of 0 */
    struct objective objective;
    struct solver descent;
    struct proof proof;
    double tol;                     /* that was asked for */
    double first_gap;               /* that was told, for a guess at the time left */
    uint64_t first_ns;              /* when that was */
    struct sgd_options sgd_options; /* of the solver sgd */
    double *row_weight;
    const double *factor; /* of the classes in it, by side or by the rows' own class; NULL: all 1 */
    bool factor_by_side;
    double total;                /* the sum of the rows' weights */
    size_t before;               /* iterations before those of the solver at work */
    bool handed_over, handed_on; /* to the second solver of the plan, to its last */
    bool centred;                /* columns are less their means: see convex_pose */
    bool endless;                /* no finite weights are best, and that was said */
};

/* convex.c: ", about 7 s left", or "" while that is not known. `done` of the `of` problems were solved since
   start_ns, and the one at work has come to this gap. */
const char *convex_time_left(char out[64], struct convex *convex, double gap, size_t done,
                             size_t of, uint64_t start_ns);

/* convex_row_weights.c: the weight of each row in the sum of losses. */
sepal_status convex_row_weights(struct convex *convex);
/* The factor of each class of a schema, as class_weight names them. */
sepal_status class_weight_named(double *factor, const struct convex *convex,
                                const struct schema *schema);

/* convex_priors.c: by how much class weights have raised the intercept of the function of class k of these
   labels, if it is to be corrected, else 0. `factor`: what the losses of the others and of the class were
   multiplied by beside. */
double convex_prior_shift(const struct convex *convex, const struct row_labels *labels, size_t k,
                          const double factor[2]);
/* The same of functions that were fitted jointly, taken off. */
void joint_correct_priors(const struct convex *convex, struct linear *linear);
/* Which priors the scores contain, for the report; NULL: no class weights, or no probabilities. */
const char *convex_priors_words(const struct convex *convex);
/* There is nothing to be corrected. */
void convex_warn_of_priors(const struct convex *convex);

/* convex_separation.c: find out and say that no finite weights are best. */
sepal_status convex_separation(struct convex *convex);

/* convex_bounds.c: the start of a solver, within the bounds. */
void convex_enter_box(struct convex *convex);
/* ", weights bounded: 3 columns >= 0, 2 at a bound"; "" where they are not. */
const char *convex_bounds_words(struct convex *convex);
/* How many columns have bounds, and how many weights are at one. */
void convex_report_bounds(const struct convex *convex, struct fit *fit);

/* convex.c: what rows, parameters and loss say of the objective, and the tolerance. `centre`: room for the
   means of the columns where they are taken off, else NULL. */
bool convex_centres(const struct fit *fit);
sepal_status convex_pose(struct convex *convex, const struct loss *loss, double *centre);
/* One solver: its count of iterations and its limits begin anew, --max-iter is for all together. `far`: as in
   the solver's row, or NO_UNITS, and it is given the columns as they are. */
enum { NO_UNITS = -1 };
sepal_status convex_run_one(struct convex *convex, sepal_status (*solve)(struct solver *d),
                            int far);
/* After a proof: whether a solver that calls itself converged, with a gap above the tolerance, is to go on with a
   stricter aim. Else `converged` is settled. `before`: its iterations when the round began. */
bool convex_goes_on(struct convex *convex, int round, size_t before);
/* Columns of very different size may leave a solver at a point that is worse than weights of 0, which are
   then the better answer, and not converged either. `size`: of a point; `prove` makes convex->proof of it. */
sepal_status convex_fall_back(struct convex *convex, size_t size, sepal_status (*prove)(void *fit),
                              void *fit);
/* The part of the relative gap that is there for rounding. */
double convex_rounding(const struct convex *convex);

/* convex_choice.c: the solver that is asked for or the foreseen costs suggest. */
struct convex_plan {
    const struct convex_solver *first, *then,
        *last; /* who takes over where the first is slow, and where that is, too; or NULL */
    const char *why;
    double cost;              /* foreseen, nanoseconds */
    size_t limit, then_limit; /* steps of the first and of `then` that cost what the next would */
};
sepal_status convex_choose(struct convex_plan *out, struct convex *convex);
/* convex_shape.c: what it is foreseen from. */
sepal_status convex_shape(struct convex_shape *out, const struct objective *o, size_t classes,
                          double tol);
struct convex_plan convex_plan_by(const struct objective *o, const struct convex_shape *shape);

/* convex_sgd.c: the solver sgd, which runs on the rows as given. */
bool convex_is_sgd(const struct fit *fit);
struct sgd_options convex_sgd_options(const struct convex_config *config);
/* Parameters of sgd that were set for another solver. */
sepal_status convex_warn_unused(const struct convex *convex);
/* Why it did not come to the gap asked for. */
void convex_warn_of_sgd(const struct convex *convex);

/* convex_report.c: what came of it, into the fit. */
void convex_report(struct convex *convex, const struct convex_plan *plan);
/* The objective in words, and its proof among the facts of a fit. */
const char *convex_describe(struct convex *convex);
const char *convex_loss_words(struct convex *convex); /* the same in short */
void convex_report_facts(const struct convex *convex, struct fit *fit, const struct proof *proof);
/* Of a loss with a margin: how many rows have one of at most 1, and how wide it is. */
void convex_tell_margin(struct fit *fit, size_t inside, double norm);
/* convex_warnings.c: what the user should know of the answer. */
void convex_warn(const struct convex *convex);

sepal_status convex_fit(struct fit *fit, const struct loss *loss);
/* Parts of it: the objective and where to start; the solvers, until the gap asked for is proved; the weights
   into fit->linear. */
sepal_status convex_set_up(struct convex *convex, const struct loss *loss);
sepal_status convex_solve(struct convex *convex, struct convex_plan plan);
void convex_keep_weights(struct convex *convex);

/* convex_path.c: a path of penalties, for a learner with that loss. */
sepal_status convex_path_ratio(double *out, sepal_ctx *ctx, const void *config);
void convex_path_set(void *config, double l1, double l2);
sepal_status convex_path(struct fit *fit, struct fit_path *path, const struct loss *loss);
/* convex_ovr.c: each class against the rest, all at once. `tells` (NULL: nothing) adds to the facts
   of each: how many rows have a margin of at most 1, and the norm of the weights. */
typedef void (*convex_margin_fn)(struct fit *fit, size_t inside, double norm);
sepal_status convex_fit_ovr(struct fit *fit, struct ovr_fits *fits, const struct loss *loss,
                            convex_margin_fn tells);

#endif
