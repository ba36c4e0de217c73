/* The checks one after the other, and their findings as a tree. No check takes more than a few passes over
   all rows, and those only for columns that a sample of the rows has made suspicious. */
#include "doctor/doctor.h"

#include "doctor/check.h"

#include <math.h>
#include <string.h>

static const struct check *const check_table[] = {
#define CHECK(name) &check_##name,
#include "doctor/checks.def"
#undef CHECK
    NULL,
};

/* ---- what checks say ---------------------------------------------------------------------- */

struct finding *doctor_find(struct doctor *doctor, const char *code, enum rank rank,
                            const size_t *columns, size_t n) {
    size_t last = doctor->n_findings < MOST_FINDINGS ? doctor->n_findings++ : MOST_FINDINGS - 1;
    struct finding *finding = &doctor->findings[last];
    text_clear(&finding->message);
    text_clear(&finding->advice);
    *finding = (struct finding){.code = code, .rank = rank, .n_columns = n};
    finding->columns = arena_alloc(doctor->ctx, &doctor->arena, n, sizeof *finding->columns);
    if (!finding->columns) {
        finding->n_columns = 0;
        finding->message.failed = true;
    } else if (n) {
        memcpy(finding->columns, columns, n * sizeof *columns);
    }
    return finding;
}

const char *doctor_name(const struct doctor *doctor, size_t column) {
    const struct schema *schema = doctor->data->schema;
    if (schema->family == FAMILY_TABLE && column < schema->n_columns)
        return schema->columns[column].name;
    return "";
}

static void put_plain_name(struct doctor *doctor, struct text *out, size_t column) {
    if (*doctor_name(doctor, column))
        text_puts(doctor->ctx, out, doctor_name(doctor, column));
    else
        schema_column_name(doctor->ctx, out, doctor->data->schema, column);
}

void doctor_put_name(struct doctor *doctor, struct text *out, size_t column) {
    text_puts(doctor->ctx, out, "'");
    put_plain_name(doctor, out, column);
    text_puts(doctor->ctx, out, "'");
}

void doctor_put_columns(struct doctor *doctor, struct text *out, const size_t *columns, size_t n,
                        const char *one, const char *several) {
    if (n != 1) {
        text_printf(doctor->ctx, out, "%zu columns %s", n, several);
        return;
    }
    text_puts(doctor->ctx, out, "column ");
    doctor_put_name(doctor, out, columns[0]);
    text_printf(doctor->ctx, out, " %s", one);
}

void doctor_put_list(struct doctor *doctor, struct text *out, const size_t *columns, size_t n) {
    enum { SHOWN = 5 };
    if (n == 1) return;
    size_t shown = n <= SHOWN + 1 ? n : SHOWN;
    for (size_t k = 0; k < shown; k++) {
        text_puts(doctor->ctx, out, k == 0 ? ": " : ", ");
        doctor_put_name(doctor, out, columns[k]);
    }
    if (n > shown) text_printf(doctor->ctx, out, " and %zu more", n - shown);
}

void doctor_put_option(struct doctor *doctor, struct text *out, const char *name) {
    const char *prefix = doctor->ctx->root->option_prefix;
    text_puts(doctor->ctx, out, prefix ? prefix : "option ");
    text_puts(doctor->ctx, out, name);
}

/* Letters, digits and what else needs no quotes in any shell. */
static bool is_word(const char *name) {
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        bool letter = (c | 32) >= 'a' && (c | 32) <= 'z';
        if (!letter && !(c >= '0' && c <= '9') && !strchr("_.-", c)) return false;
    }
    return true;
}

/* In a list of columns this would be more than one, or a number, or not be found again. */
static bool is_ambiguous(const char *name) {
    bool digits = name[strspn(name, "0123456789-")] == '\0';
    bool blank = *name && (name[0] == ' ' || name[strlen(name) - 1] == ' ');
    return digits || blank || *name == '-' || strpbrk(name, ",*?'\"\\\t\r\n") != NULL;
}

void doctor_put_pick(struct doctor *doctor, struct text *out, const char *option,
                     const size_t *columns, size_t n) {
    const struct schema *schema = doctor->data->schema;
    bool quoted = false;
    doctor_put_option(doctor, out, option);
    for (size_t k = 0; k < n; k++) {
        const char *name = schema->columns[columns[k]].name;
        quoted = quoted || (!is_ambiguous(name) && !is_word(name));
    }
    if (quoted) text_puts(doctor->ctx, out, "'");
    for (size_t k = 0; k < n; k++) {
        const struct column *column = &schema->columns[columns[k]];
        text_puts(doctor->ctx, out, k ? "," : "");
        if (is_ambiguous(column->name))
            text_printf(doctor->ctx, out, "%zu", column->position + 1);
        else
            text_puts(doctor->ctx, out, column->name);
    }
    if (quoted) text_puts(doctor->ctx, out, "'");
}

/* Columns that stand side by side in the file as "3-7"; returns how many items that makes. */
static size_t put_ranges(struct doctor *doctor, struct text *out, const size_t *columns, size_t n) {
    const struct column *all = doctor->data->schema->columns;
    size_t items = 0;
    for (size_t k = 0, last; k < n; k = last + 1, items++) {
        for (last = k; last + 1 < n; last++)
            if (all[columns[last + 1]].position != all[columns[last]].position + 1) break;
        text_printf(doctor->ctx, out, "%s%zu", items ? "," : "", all[columns[k]].position + 1);
        if (last > k) text_printf(doctor->ctx, out, "-%zu", all[columns[last]].position + 1);
    }
    return items;
}

void doctor_put_drop(struct doctor *doctor, struct text *out, const size_t *columns, size_t n) {
    enum { TYPED = 20 };
    struct text ranges = {0};
    bool table = doctor->data->schema->family == FAMILY_TABLE && *doctor->data->file;
    if (table && n <= TYPED) {
        doctor_put_pick(doctor, out, "drop ", columns, n);
    } else if (table && put_ranges(doctor, &ranges, columns, n) <= TYPED) {
        doctor_put_option(doctor, out, "drop ");
        text_add(doctor->ctx, out, ranges.bytes, ranges.length);
    } else {
        text_puts(doctor->ctx, out, n == 1 ? "leave it out" : "leave them out");
    }
    doctor->failed = doctor->failed || ranges.failed;
    text_clear(&ranges);
}

/* ---- what is to be fitted ----------------------------------------------------------------- */

const char *doctor_learner(const struct doctor *doctor) {
    return doctor->pipeline ? doctor->pipeline->learner->name : "";
}

bool doctor_has_parameter(const struct doctor *doctor, const char *name) {
    return doctor->pipeline && parameters_find(doctor->pipeline->learner->parameters, name);
}

const char *doctor_parameter(struct doctor *doctor, const char *name) {
    struct text all = {0};
    if (!doctor_has_parameter(doctor, name)) return "";
    struct parameter one[2] = {*parameters_find(doctor->pipeline->learner->parameters, name), {0}};
    parameters_print(doctor->ctx, &all, one, doctor->pipeline->config);
    const char *value = all.bytes && !all.failed ? strchr(all.bytes, '=') : NULL;
    const char *copy =
        value ? arena_text(doctor->ctx, &doctor->arena, value + 1, strlen(value + 1)) : NULL;
    doctor->failed = doctor->failed || all.failed || (value && !copy);
    text_clear(&all);
    return copy ? copy : "";
}

bool doctor_penalised(struct doctor *doctor) {
    if (!doctor->pipeline) return true;
    if (doctor_has_parameter(doctor, "penalty"))
        return strcmp(doctor_parameter(doctor, "penalty"), "none") != 0;
    const char *l2 = doctor_parameter(doctor, "l2");
    return *l2 && strcmp(l2, "0") != 0;
}

/* ---- all ---------------------------------------------------------------------------------- */

static void tell_finding(struct doctor *doctor, struct tree_maker *make, struct tree *list,
                         const struct finding *finding) {
    enum { MOST_NAMED = 1000 };
    struct tree *one = tree_object(make, list, NULL);
    tree_text(make, one, "code", finding->code);
    struct tree *columns = tree_array(make, one, "columns");
    struct text name = {0};
    for (size_t k = 0; k < finding->n_columns && k < MOST_NAMED; k++) {
        name.length = 0;
        put_plain_name(doctor, &name, finding->columns[k]);
        tree_slice(make, columns, NULL, (struct slice){name.bytes, name.length});
    }
    make->failed = make->failed || name.failed || finding->message.failed || finding->advice.failed;
    text_clear(&name);
    if (make->failed) return;
    tree_slice(make, one, "message",
               (struct slice){finding->message.bytes, finding->message.length});
    tree_slice(make, one, "advice", (struct slice){finding->advice.bytes, finding->advice.length});
}

static void doctor_tell(struct doctor *doctor, struct tree_maker *make, struct tree *report) {
    tree_number(make, report, "rows", (double)doctor->data->matrix.rows);
    tree_number(make, report, "looked_at", (double)doctor->sample.n);
    target_tell(make, report, &doctor->data->target);
    struct tree *list = tree_array(make, report, "doctor");
    for (int rank = RANK_FALSE_SUCCESS; rank <= RANK_HARMLESS; rank++)
        for (size_t k = 0; k < doctor->n_findings; k++)
            if ((int)doctor->findings[k].rank == rank)
                tell_finding(doctor, make, list, &doctor->findings[k]);
}

static sepal_status look_all(struct doctor *doctor, const char *spec) {
    struct pipeline pipeline;
    if (spec) {
        TRY(pipeline_parse_ahead(&pipeline, doctor->ctx, &doctor->arena, spec));
        doctor->pipeline = &pipeline;
        doctor->spec = pipeline_short_spec(doctor->ctx, &doctor->arena, &pipeline);
        if (!doctor->spec) return SEPAL_EMEMORY;
    }
    size_t cols = doctor->data->matrix.cols;
    doctor->marked = arena_zero(doctor->ctx, &doctor->arena, cols, sizeof *doctor->marked);
    if (!doctor->marked) return SEPAL_EMEMORY;
    TRY(sample_take(&doctor->sample, doctor->ctx, &doctor->arena, doctor->data));
    for (const struct check *const *check = check_table; *check; check++) {
        TRY(check_cancelled(doctor->ctx, "examining the data"));
        TRY((*check)->look(doctor));
    }
    doctor->pipeline = NULL;
    return doctor->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

sepal_status doctor_examine(sepal_ctx *ctx, const sepal_data *data, const char *spec,
                            struct tree_maker *make, struct tree *report) {
    struct doctor doctor = {.ctx = ctx, .data = data};
    sepal_status status = look_all(&doctor, spec);
    if (status == SEPAL_OK) doctor_tell(&doctor, make, report);
    for (size_t k = 0; k < doctor.n_findings; k++) {
        text_clear(&doctor.findings[k].message);
        text_clear(&doctor.findings[k].advice);
    }
    arena_clear(&doctor.arena);
    return status != SEPAL_OK ? status : make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}
