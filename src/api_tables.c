/* The public view of the tables: what can be trained, mapped, read, measured and set. */
#include "sepal/sepal.h"

#include "core/arguments.h"
#include "core/parameters.h"
#include "io/format.h"
#include "io/write.h"
#include "io/read_options.h"
#include "eval/evaluate.h"
#include "learners/learner.h"
#include "maps/map.h"
#include "model/predict.h"
#include "model/pipeline.h"
#include "model/sample.h"
#include "plot/plot.h"
#include "selection/path.h"
#include "linear/strategy.h"

#include <string.h>

static bool learner_solves_by(const struct learner *learner, const char *solver) {
    for (size_t i = 0; learner->solvers && learner->solvers[i]; i++)
        if (strcmp(learner->solvers[i]->name, solver) == 0) return true;
    return false;
}

/* Solver i of all learners, each once; NULL past the end. */
static const struct solver_name *solver_at(size_t i) {
    for (size_t l = 0; learner_table[l]; l++)
        for (size_t s = 0; learner_table[l]->solvers && learner_table[l]->solvers[s]; s++) {
            const struct solver_name *solver = learner_table[l]->solvers[s];
            bool before = false;
            for (size_t k = 0; k < l; k++)
                before = before || learner_solves_by(learner_table[k], solver->name);
            if (!before && i-- == 0) return solver;
        }
    return NULL;
}

int sepal_learner_has_solver(size_t learner, const char *solver) {
    for (size_t k = 0; k <= learner; k++)
        if (!learner_table[k]) return 0;
    return solver && learner_solves_by(learner_table[learner], solver);
}

const char *sepal_method_synonym(const char *word) {
    return word ? synonym_of_stage(word) : NULL;
}

const char *sepal_param_synonym(const char *word, const char *const *names, size_t n) {
    return word && names ? synonym_of_parameter(word, names, n) : NULL;
}

static int files_of(const struct format *format) {
    return !format->writer ? 0 : format->writer->labels ? 2 : 1;
}

/* Whether a table of pointers that ends with NULL has a row i. */
#define HAS_ROW(table, i) has_row((const void *const *)(table), i)
static bool has_row(const void *const *table, size_t i) {
    for (size_t k = 0; k <= i; k++)
        if (!table[k]) return false;
    return true;
}

/* Tables of one row, whose parameters are options. */
static bool options_at(sepal_kind kind, sepal_method *out, const struct parameter **parameters) {
    switch (kind) {
    case SEPAL_READ_OPTION:
        *out = (sepal_method){.name = "reading", .summary = "how data is read"};
        *parameters = read_option_table;
        return true;
    case SEPAL_FIT_OPTION:
        *out = (sepal_method){.name = "fit", .summary = "how a solver stops"};
        *parameters = fit_option_table;
        return true;
    case SEPAL_PREDICT_OPTION:
        *out = (sepal_method){.name = "decision", .summary = "how rows are decided"};
        *parameters = predict_option_table;
        return true;
    case SEPAL_SAMPLE_OPTION:
        *out = (sepal_method){.name = "sampling", .summary = "which rows are drawn"};
        *parameters = sample_option_table;
        return true;
    case SEPAL_PATH_OPTION:
        *out = (sepal_method){.name = "path", .summary = "which penalties are tried and chosen"};
        *parameters = path_option_table;
        return true;
    case SEPAL_EVALUATE_OPTION:
        *out = (sepal_method){.name = "evaluation", .summary = "what is told of decisions"};
        *parameters = evaluate_option_table;
        return true;
    case SEPAL_PLOT_OPTION:
        *out = (sepal_method){.name = "drawing", .summary = "what can be set of every picture"};
        *parameters = plot_common_parameters;
        return true;
    default: return false;
    }
}

/* Row i of a table, with its parameters; false past the end. */
static bool tables_row_at(sepal_kind kind, size_t i, sepal_method *out,
                          const struct parameter **parameters) {
    static const struct parameter none[] = {{0}};
    *parameters = none;
    *out = (sepal_method){0};
    if (kind == SEPAL_LEARNER && HAS_ROW(learner_table, i)) {
        *out = (sepal_method){.name = learner_table[i]->name,
                              .summary = learner_table[i]->summary,
                              .activation = learner_table[i]->activation};
        *parameters = learner_table[i]->parameters;
    } else if (kind == SEPAL_MAP && HAS_ROW(map_table, i)) {
        *out = (sepal_method){.name = map_table[i]->name, .summary = map_table[i]->summary};
        *parameters = map_table[i]->parameters;
    } else if (kind == SEPAL_STRATEGY && HAS_ROW(strategy_table, i)) {
        *out =
            (sepal_method){.name = strategy_table[i]->name, .summary = strategy_table[i]->summary};
    } else if (kind == SEPAL_SOLVER && solver_at(i)) {
        *out = (sepal_method){.name = solver_at(i)->name, .summary = solver_at(i)->summary};
    } else if (kind == SEPAL_FORMAT && HAS_ROW(format_table, i)) {
        *out = (sepal_method){.name = format_table[i]->name,
                              .summary = format_table[i]->summary,
                              .files = files_of(format_table[i])};
    } else if (kind == SEPAL_METRIC && HAS_ROW(metric_table, i)) {
        *out = (sepal_method){.name = metric_table[i]->name, .summary = metric_table[i]->summary};
    } else if (kind == SEPAL_PLOT && HAS_ROW(plot_table, i)) {
        *out = (sepal_method){.name = plot_table[i]->name,
                              .summary = plot_table[i]->summary,
                              .needs = (int)plot_table[i]->needs};
        *parameters = plot_table[i]->parameters + PLOT_COMMON_ROWS;
    } else if (i > 0 || !options_at(kind, out, parameters)) {
        return false;
    }
    while ((*parameters)[out->n_params].name) out->n_params++;
    return true;
}

size_t sepal_method_count(sepal_kind kind) {
    sepal_method method;
    const struct parameter *parameters;
    size_t n = 0;
    while (tables_row_at(kind, n, &method, &parameters)) n++;
    return n;
}

sepal_status sepal_method_at(sepal_kind kind, size_t i, sepal_method *out) {
    sepal_method method;
    const struct parameter *parameters;
    if (!out) return SEPAL_EUSAGE;
    TRY(struct_take(&method, sizeof method, NULL, "sepal_method", out,
                    offsetof(sepal_method, needs)));
    if (!tables_row_at(kind, i, &method, &parameters)) return SEPAL_EUSAGE;
    struct_give(out, &method, sizeof method);
    return SEPAL_OK;
}

sepal_status sepal_param_at(sepal_kind kind, size_t i, size_t param, sepal_param *out) {
    sepal_method method;
    sepal_param found;
    const struct parameter *parameters;
    if (!out) return SEPAL_EUSAGE;
    TRY(struct_take(&found, sizeof found, NULL, "sepal_param", out, sizeof found));
    if (!tables_row_at(kind, i, &method, &parameters) || param >= method.n_params)
        return SEPAL_EUSAGE;
    const struct parameter *parameter = &parameters[param];
    found = (sepal_param){.name = parameter->name,
                          .fallback = parameter->fallback,
                          .range = parameter->range,
                          .help = parameter->help,
                          .file = parameter->type == PARAMETER_FILE};
    struct_give(out, &found, sizeof found);
    return SEPAL_OK;
}
