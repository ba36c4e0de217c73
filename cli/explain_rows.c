/* Contributions row by row: which score function of a row is explained, its numbers, and sums of them. */
#include "explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Open and close ------------------------------------------------------------------------ */

/* The strategy ends the canonical spec. */
static bool has_pairs(const sepal_model *model) {
    static const char end[] = "| ovo";
    const char *spec = sepal_model_spec(model);
    size_t length = strlen(spec);
    return sepal_model_classes(model) > 2 && length > strlen(end) &&
           strcmp(spec + length - strlen(end), end) == 0;
}

static int name_terms(struct explain *e) {
    struct session *s = e->s;
    const sepal_output what = SEPAL_CONTRIBUTIONS;
    size_t features = sepal_model_features(e->model);
    bool cells = sepal_data_columns(e->data) == features;
    sepal_status status = sepal_model_output_name(&e->baseline, s->ctx, e->model, what, 1);
    for (size_t t = 0; t < e->terms && status == SEPAL_OK; t++) {
        char *feature = NULL;
        status = sepal_model_output_name(&e->names[t], s->ctx, e->model, what, 2 + t);
        if (status == SEPAL_OK && cells && t < features)
            status = sepal_model_feature_name(&feature, s->ctx, e->model, t);
        e->is_feature[t] = feature != NULL && strcmp(feature, e->names[t]) == 0;
        sepal_text_free(feature);
    }
    return status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
}

/* "baseline (training mean)" */
static void find_reference(struct explain *e) {
    char *open = strchr(e->baseline, '('), *close = strrchr(e->baseline, ')');
    if (open == NULL || close == NULL) return;
    *close = '\0';
    e->at = open + 1;
}

int explain_open(struct explain *e, struct session *s) {
    const sepal_output what = SEPAL_CONTRIBUTIONS, proba = SEPAL_PROBABILITIES;
    e->s = s;
    e->at = "";
    e->rows = sepal_data_rows(e->data);
    e->functions = sepal_model_functions(e->model);
    e->width = sepal_model_outputs(e->model, what) / e->functions;
    e->terms = e->width - 3;
    e->pairs = has_pairs(e->model);
    e->names = calloc(e->terms, sizeof *e->names);
    e->is_feature = calloc(e->terms, sizeof *e->is_feature);
    e->cells = calloc(sepal_data_columns(e->data) + 1, sizeof *e->cells);
    e->importance = calloc(e->terms, sizeof *e->importance);
    e->order = calloc(e->terms, sizeof *e->order);
    if (!e->names || !e->is_feature || !e->cells || !e->importance || !e->order)
        return complain_memory(s);
    int code = name_terms(e);
    if (code != EXIT_DONE) return code;
    find_reference(e);
    code = numbers_open(&e->numbers, s, e->model, e->data, &what, true);
    if (code == EXIT_DONE && sepal_model_outputs(e->model, proba) > 0)
        code = numbers_open(&e->probabilities, s, e->model, e->data, &proba, false);
    return code;
}

void explain_close(struct explain *e) {
    for (size_t t = 0; e->names != NULL && t < e->terms; t++) sepal_text_free(e->names[t]);
    free(e->names);
    free(e->is_feature);
    free(e->cells);
    free(e->importance);
    free(e->order);
    free(e->chosen);
    sepal_text_free(e->baseline);
    numbers_close(&e->numbers);
    numbers_close(&e->probabilities);
    sepal_data_free(e->data);
    sepal_model_free(e->model);
}

int explained_open(struct explained *out, struct explain *e) {
    *out = (struct explained){.row = SIZE_MAX};
    out->terms = calloc(e->terms, sizeof *out->terms);
    out->order = calloc(e->terms, sizeof *out->order);
    return out->terms && out->order ? EXIT_DONE : complain_memory(e->s);
}

void explained_close(struct explained *out) {
    free(out->terms);
    free(out->order);
}

/* ---- Which function ------------------------------------------------------------------------ */

static double score_of(const struct explain *e, const double *row, size_t function) {
    return row[function * e->width];
}

static size_t pair_of(size_t classes, size_t i, size_t j) {
    return i * (2 * classes - i - 1) / 2 + j - i - 1;
}

/* The score of class k against class j. */
static double pair_score(const struct explain *e, const double *row, size_t k, size_t j) {
    size_t classes = sepal_model_classes(e->model);
    return j < k ? score_of(e, row, pair_of(classes, j, k))
                 : -score_of(e, row, pair_of(classes, k, j));
}

/* Who contests class k most. */
static size_t rival_of(const struct explain *e, const double *row, size_t k) {
    size_t rival = k == 0 ? 1 : 0;
    for (size_t j = rival + 1; j < sepal_model_classes(e->model); j++)
        if (j != k && pair_score(e, row, k, j) < pair_score(e, row, k, rival)) rival = j;
    return rival;
}

static size_t most_votes(const struct explain *e, const double *row) {
    size_t best = 0, most = 0, classes = sepal_model_classes(e->model);
    for (size_t k = 0; k < classes; k++) {
        size_t votes = 0;
        for (size_t j = 0; j < classes; j++)
            votes +=
                j != k && (j < k ? pair_score(e, row, k, j) >= 0 : pair_score(e, row, k, j) > 0);
        if (votes > most) best = k, most = votes;
    }
    return best;
}

static size_t largest_score(const struct explain *e, const double *row) {
    size_t best = 0;
    for (size_t r = 1; r < e->functions; r++)
        if (score_of(e, row, r) > score_of(e, row, best)) best = r;
    return best;
}

/* The class that is asked for, else the one of the row. */
static size_t class_of(const struct explain *e, const double *row, size_t i) {
    if (e->asked != NO_CLASS) return e->asked;
    if (e->numbers.labels == 0 && e->numbers.all.classes[i] >= 0)
        return (size_t)e->numbers.all.classes[i];
    return e->pairs ? most_votes(e, row) : largest_score(e, row);
}

/* Returns its number, and whether its scores are to be turned round. */
static size_t choose_function(struct explained *out, const struct explain *e, const double *row,
                              size_t i, bool *turned) {
    size_t classes = sepal_model_classes(e->model);
    out->against = NO_CLASS;
    *turned = false;
    if (e->functions == 1 && classes == 2) { /* one function of two classes */
        out->class = e->asked != NO_CLASS ? e->asked : 1;
        *turned = out->class == 0;
        return 0;
    }
    out->class = class_of(e, row, i);
    if (e->pairs) {
        out->against = rival_of(e, row, out->class);
        *turned = out->class < out->against;
        return *turned ? pair_of(classes, out->class, out->against)
                       : pair_of(classes, out->against, out->class);
    }
    if (out->class >= e->functions)
        out->class = largest_score(e, row); /* ovr-1: no function has it */
    return out->class;
}

/* ---- Numbers ------------------------------------------------------------------------------- */

struct sized {
    double size;
    size_t term;
};

static int by_size(const void *a, const void *b) {
    const struct sized *one = a, *other = b;
    if (one->size != other->size) return one->size < other->size ? 1 : -1;
    return one->term < other->term ? -1 : 1;
}

size_t explain_order(size_t *order, const double *values, size_t n) {
    size_t nonzero = 0;
    struct sized *sized = calloc(n + 1, sizeof *sized);
    if (sized == NULL) return SIZE_MAX;
    for (size_t t = 0; t < n; t++)
        if (values[t] != 0) sized[nonzero++] = (struct sized){fabs(values[t]), t};
    qsort(sized, nonzero, sizeof *sized, by_size);
    for (size_t t = 0; t < nonzero; t++) order[t] = sized[t].term;
    free(sized);
    return nonzero;
}

static int fetch_probability(struct explained *out, struct explain *e, size_t row) {
    out->probability = NAN;
    if (e->probabilities.width == 0) return EXIT_DONE;
    int code = numbers_reach(&e->probabilities, e->s, row);
    if (code != EXIT_DONE) return code;
    out->probability =
        e->probabilities.all
            .numbers[(row - e->probabilities.first) * e->probabilities.width + out->class];
    return EXIT_DONE;
}

int explained_fetch(struct explained *out, struct explain *e, size_t row) {
    bool turned;
    int code = numbers_reach(&e->numbers, e->s, row);
    if (code != EXIT_DONE) return code;
    const double *all = e->numbers.all.numbers + (row - e->numbers.first) * e->numbers.width;
    out->row = row;
    out->nonzero = 0;
    out->known = isfinite(all[0]);
    out->class = out->against = NO_CLASS;
    out->probability = NAN;
    if (!out->known) return EXIT_DONE;
    const double *numbers = all + choose_function(out, e, all, row, &turned) * e->width;
    double sign = turned ? -1 : 1;
    out->score = sign * numbers[0] + 0.0;
    out->baseline = sign * numbers[1] + 0.0;
    for (size_t t = 0; t < e->terms; t++) out->terms[t] = sign * numbers[2 + t] + 0.0;
    out->rounding = sign * numbers[2 + e->terms] + 0.0;
    return fetch_probability(out, e, row);
}

int explain_weigh(struct explain *e) {
    struct explained one;
    int code = explained_open(&one, e);
    for (size_t i = 0; i < e->rows && code == EXIT_DONE; i++) {
        if (!e->chosen[i] && e->some) continue;
        code = explained_fetch(&one, e, i);
        if (code != EXIT_DONE || !one.known) continue;
        for (size_t t = 0; t < e->terms; t++) e->importance[t] += fabs(one.terms[t]);
        e->counted++;
    }
    if (code == EXIT_DONE) e->weighty = explain_order(e->order, e->importance, e->terms);
    if (e->weighty == SIZE_MAX) code = complain_memory(e->s);
    explained_close(&one);
    return code;
}

/* ---- Sums without rounding (Shewchuk 1997, as Python's math.fsum) --------------------------- */

struct exact {
    size_t n;
    double part[2100]; /* that do not overlap: each has a bit of its own */
};

static void exact_add(struct exact *sum, double term) {
    size_t kept = 0;
    for (size_t i = 0; i < sum->n; i++) {
        double part = sum->part[i], whole = term + part, seen = whole - term;
        double error = (term - (whole - seen)) + (part - seen);
        if (error != 0) sum->part[kept++] = error;
        term = whole;
    }
    sum->n = kept;
    if (term != 0 && isfinite(term)) sum->part[sum->n++] = term;
}

/* The parts below the greatest change it by less than a unit in its last place. */
static double exact_value(const struct exact *sum) {
    double value = 0;
    for (size_t i = 0; i < sum->n; i++) value += sum->part[i];
    return value;
}

double explain_sum(const double *terms, const size_t *order, size_t from, size_t to,
                   const double *more, size_t n_more) {
    struct exact sum;
    sum.n = 0; /* all there is of it */
    for (size_t i = from; i < to; i++) exact_add(&sum, terms[order[i]]);
    for (size_t i = 0; i < n_more; i++) exact_add(&sum, more[i]);
    return exact_value(&sum);
}

/* ---- Values -------------------------------------------------------------------------------- */

bool explained_value(struct sink *out, const struct explain *e, size_t term, bool json) {
    double value = e->is_feature[term] ? e->cells[term] : NAN;
    size_t categories = e->is_feature[term] ? sepal_model_categories(e->model, term) : 0;
    if (json && (!isfinite(value) || (categories > 0 && value < 0))) {
        sink_puts(out, "null");
    } else if (!e->is_feature[term]) {
        return false;
    } else if (!isfinite(value)) {
        sink_puts(out, "?");
    } else if (categories > 0) {
        const char *name = value < 0 ? NULL : sepal_model_category(e->model, term, (size_t)value);
        if (json)
            sink_json(out, name);
        else
            sink_puts(out, name != NULL ? name : "(unknown)");
    } else {
        sink_number(out, value);
    }
    return true;
}
