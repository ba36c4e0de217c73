/* Labels that a model cannot predict make errors of their rows. Often they are its own, written in
   another way: '>50K.' for '>50K', 'Spam' for 'spam'. */
#include "data/unseen.h"

#include <stdio.h>
#include <string.h>

/* Without blanks, quotes and marks of punctuation around it. */
static struct slice bare(const char *label) {
    static const char marks[] = " \t.,;:!'\"`";
    struct slice text = {label, strlen(label)};
    while (text.length && strchr(marks, text.bytes[0])) text.bytes++, text.length--;
    while (text.length && strchr(marks, text.bytes[text.length - 1])) text.length--;
    return text;
}

/* ASCII letters in either case. */
static bool alike(struct slice a, struct slice b) {
    if (a.length == 0 || a.length != b.length) return false;
    for (size_t i = 0; i < a.length; i++) {
        unsigned char x = (unsigned char)a.bytes[i], y = (unsigned char)b.bytes[i];
        bool letter = (x | 32) >= 'a' && (x | 32) <= 'z';
        if (x != y && !(letter && (x | 32) == (y | 32))) return false;
    }
    return true;
}

/* The first label that is known in other writing, and the class it may have been meant for. */
static bool find_alike(const sepal_data *data, const char **label, const char **class) {
    enum { LOOKED_AT = 100 };
    const struct schema *schema = data->schema;
    for (size_t u = 0; u < data->n_unseen && u < LOOKED_AT; u++)
        for (size_t k = 0; k < schema->n_classes; k++) {
            *label = data->unseen[u];
            *class = schema->classes[k];
            if (alike(bare(*label), bare(*class))) return true;
        }
    return false;
}

/* Rows of which some label is not known. */
static size_t count_rows(const sepal_data *data) {
    size_t rows = 0, known = data->schema->n_classes;
    for (size_t i = 0; i < data->matrix.rows; i++) {
        size_t first = data->set_start ? data->set_start[i] : i;
        size_t end = data->set_start ? data->set_start[i + 1] : i + 1;
        bool strange = false;
        for (size_t s = first; s < end; s++)
            strange |= (size_t)(data->set_start ? data->set[s] : data->label[s]) >= known;
        rows += strange;
    }
    return rows;
}

enum { ADVICE_BYTES = 320 };

static void advise_writing(char out[ADVICE_BYTES], const char *label, const char *class) {
    size_t n = strlen(class);
    int used = snprintf(out, ADVICE_BYTES,
                        "; '%.60s' may be meant for '%.60s': write the labels of both files alike",
                        label, class);
    bool behind = strncmp(label, class, n) == 0 && label[n] && !label[n + 1];
    if (behind && strchr(".,;:!", label[n]))
        (void)snprintf(out + used, ADVICE_BYTES - (size_t)used,
                       " (sed 's/[%c]$//' FILE takes the last '%c' of each line off)", label[n],
                       label[n]);
}

void unseen_warn(sepal_ctx *ctx, const sepal_data *data) {
    const struct schema *schema = data->schema;
    const char *label, *class;
    size_t known = schema->n_classes;
    if (data->n_unseen == 0) return;
    char advice[ADVICE_BYTES] = "";
    if (find_alike(data, &label, &class)) advise_writing(advice, label, class);
    warn(ctx, "unseen-labels",
         "%zu of the %zu rows have a label that the model was not trained on, the first is "
         "'%.60s', and are errors whatever is predicted; the model has '%.60s'%s%.60s%s%s",
         count_rows(data), data->matrix.rows, data->unseen[0], schema->classes[0],
         known > 2    ? " ... '"
         : known == 2 ? " and '"
                      : "",
         known > 1 ? schema->classes[known - 1] : "", known > 1 ? "'" : "", advice);
}
