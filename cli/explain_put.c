/* Contributions as CSV, a row a line, and as JSON. */
#include "explain.h"

#include <math.h>
#include <stdlib.h>

static const char special[] = ",\"\r\n";

static const char *class_name(const struct explain *e, size_t class) {
    return class == NO_CLASS ? NULL : sepal_model_class(e->model, class);
}

/* ---- CSV ----------------------------------------------------------------------------------- */

/* With --top the columns are the terms that matter most over all rows, and the others' sum. */
static bool is_cut(const struct explain *e) {
    return e->top < e->terms;
}

static void put_csv_header(const struct explain *e, struct sink *out) {
    size_t shown = is_cut(e) ? e->top : e->terms;
    const char *kept = sepal_data_kept_header(e->data);
    sink_puts(out, e->pairs ? "row,label,class,against,score,baseline"
                            : "row,label,class,score,baseline");
    for (size_t i = 0; i < shown; i++) {
        sink_puts(out, ",");
        sink_cell(out, e->names[is_cut(e) ? e->order[i] : i], special);
    }
    if (is_cut(e)) sink_puts(out, ",others");
    sink_puts(out, ",rounding");
    if (*kept != '\0') sink_printf(out, ",%s", kept);
    sink_puts(out, "\n");
}

static void put_csv_number(struct sink *out, const struct explained *one, double value) {
    sink_puts(out, ",");
    if (one->known) sink_number(out, value);
}

/* What is left when the others are one number: the sum has to stay the score. */
static double cut_rounding(const struct explained *one, const size_t *order, size_t shown,
                           double others) {
    const double rest[] = {one->baseline, others, -one->score};
    return -explain_sum(one->terms, order, 0, shown, rest, 3) + 0.0;
}

static void put_csv_row(const struct explain *e, const struct explained *one, struct sink *out) {
    size_t shown = is_cut(e) ? e->top : e->terms;
    double rounding = one->rounding;
    sink_printf(out, "%zu,", one->row + 1);
    numbers_label_cell(&e->numbers, one->row, out);
    sink_puts(out, ",");
    if (one->class != NO_CLASS) sink_cell(out, class_name(e, one->class), special);
    if (e->pairs) sink_puts(out, ",");
    if (e->pairs && one->against != NO_CLASS) sink_cell(out, class_name(e, one->against), special);
    put_csv_number(out, one, one->score);
    put_csv_number(out, one, one->baseline);
    for (size_t i = 0; i < shown; i++)
        put_csv_number(out, one, one->terms[is_cut(e) ? e->order[i] : i]);
    if (is_cut(e)) {
        double others = explain_sum(one->terms, e->order, shown, e->terms, NULL, 0);
        put_csv_number(out, one, others);
        rounding = cut_rounding(one, e->order, shown, others);
    }
    put_csv_number(out, one, rounding);
    if (*sepal_data_kept_header(e->data) != '\0')
        sink_printf(out, ",%s", sepal_data_kept_row(e->data, one->row));
    sink_puts(out, "\n");
}

/* Terms without importance come last, in their order. */
static void complete_order(struct explain *e) {
    size_t n = e->weighty;
    for (size_t t = 0; t < e->terms; t++)
        if (e->importance[t] == 0) e->order[n++] = t;
}

int explain_put_csv(struct explain *e, struct sink *out) {
    struct explained one;
    int code = is_cut(e) ? explain_weigh(e) : EXIT_DONE;
    if (code != EXIT_DONE) return code;
    if (is_cut(e)) complete_order(e);
    put_csv_header(e, out);
    code = explained_open(&one, e);
    for (size_t i = 0; i < e->rows && code == EXIT_DONE; i++) {
        if (!e->chosen[i]) continue;
        code = explained_fetch(&one, e, i);
        if (code == EXIT_DONE) put_csv_row(e, &one, out);
    }
    explained_close(&one);
    return code;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void put_json_number(struct sink *out, const char *key, double value) {
    sink_printf(out, ",\"%s\":", key);
    if (isfinite(value))
        sink_number(out, value);
    else
        sink_puts(out, "null");
}

static void put_json_terms(struct explain *e, const struct explained *one, struct sink *out) {
    size_t shown = e->top < one->nonzero ? e->top : one->nonzero;
    double rounding = one->rounding;
    sink_puts(out, ",\"contributions\":[");
    sepal_data_row(e->cells, e->data, one->row);
    for (size_t i = 0; i < shown; i++) {
        size_t t = one->order[i];
        sink_puts(out, i > 0 ? ",{\"feature\":" : "{\"feature\":");
        sink_json(out, e->names[t]);
        sink_puts(out, ",\"value\":");
        explained_value(out, e, t, true);
        put_json_number(out, "contribution", one->terms[t]);
        sink_puts(out, "}");
    }
    sink_puts(out, "]");
    if (shown < one->nonzero) {
        double others = explain_sum(one->terms, one->order, shown, one->nonzero, NULL, 0);
        sink_printf(out, ",\"others\":{\"features\":%zu", one->nonzero - shown);
        put_json_number(out, "contribution", others);
        sink_puts(out, "}");
        rounding = cut_rounding(one, one->order, shown, others);
    }
    put_json_number(out, "rounding", rounding);
}

static int put_json_row(struct explain *e, struct explained *one, struct sink *out) {
    if (one->known) one->nonzero = explain_order(one->order, one->terms, e->terms);
    if (one->nonzero == SIZE_MAX) return complain_memory(e->s);
    sink_printf(out, "{\"row\":%zu,\"label\":", one->row + 1);
    numbers_label_json(&e->numbers, one->row, out);
    sink_puts(out, ",\"class\":");
    sink_json(out, class_name(e, one->class));
    if (e->pairs) sink_puts(out, ",\"against\":");
    if (e->pairs) sink_json(out, class_name(e, one->against));
    put_json_number(out, "probability", one->probability);
    put_json_number(out, "score", one->known ? one->score : NAN);
    put_json_number(out, "baseline", one->known ? one->baseline : NAN);
    if (one->known)
        put_json_terms(e, one, out);
    else
        sink_puts(out, ",\"contributions\":[],\"rounding\":null");
    if (*sepal_data_kept_header(e->data) != '\0') {
        sink_puts(out, ",\"kept\":");
        sink_json(out, sepal_data_kept_row(e->data, one->row));
    }
    sink_puts(out, "}");
    return EXIT_DONE;
}

static void put_json_importance(const struct explain *e, struct sink *out) {
    sink_puts(out, ",\"importance\":[");
    for (size_t i = 0; i < e->weighty && i < e->top; i++) {
        sink_puts(out, i > 0 ? ",{\"feature\":" : "{\"feature\":");
        sink_json(out, e->names[e->order[i]]);
        put_json_number(out, "mean_abs", e->importance[e->order[i]] / (double)e->counted);
        sink_puts(out, "}");
    }
    sink_puts(out, "]");
}

int explain_put_json(struct explain *e, struct sink *out) {
    struct explained one;
    bool first = true;
    int code = explain_weigh(e);
    if (code != EXIT_DONE) return code;
    sink_json_begin(out, "explain");
    sink_puts(out, ",\"baseline_at\":");
    sink_json(out, e->at);
    put_json_importance(e, out);
    sink_puts(out, ",\"rows\":[");
    code = explained_open(&one, e);
    for (size_t i = 0; i < e->rows && code == EXIT_DONE; i++) {
        if (!e->chosen[i]) continue;
        if (!first) sink_puts(out, ",");
        first = false;
        code = explained_fetch(&one, e, i);
        if (code == EXIT_DONE) code = put_json_row(e, &one, out);
    }
    explained_close(&one);
    sink_puts(out, "]");
    if (*sepal_data_kept_header(e->data) != '\0') {
        sink_puts(out, ",\"kept_header\":");
        sink_json(out, sepal_data_kept_header(e->data));
    }
    sink_json_end(out, e->s->ctx);
    return code;
}
