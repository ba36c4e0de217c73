/* One JSON line for every step of a run. Weights are shown, as they are after the step, when there
   are few. */
#include "learners/perceptron.h"

struct trace_line {
    struct arena arena;
    struct tree_maker make;
    struct tree *root;
};

static void perceptron_trace_begin(struct trace_line *line, const struct perceptron *p,
                                   size_t update) {
    *line = (struct trace_line){.make = {.ctx = p->fit->ctx}};
    line->make.arena = &line->arena;
    line->root = tree_object(&line->make, NULL, NULL);
    tree_number(&line->make, line->root, "update", (double)update);
    tree_number(&line->make, line->root, "epoch", (double)p->epochs);
}

static void perceptron_trace_put_weights(struct trace_line *line, const struct perceptron *p) {
    enum { FEW = 16 };
    if (p->cols > FEW) return;
    struct tree *weights = tree_array(&line->make, line->root, "weights");
    for (size_t r = 0; r < p->rows; r++)
        tree_numbers(&line->make, weights, NULL, p->now.w + r * p->cols, p->cols);
    tree_numbers(&line->make, line->root, "bias", p->now.b, p->rows);
}

static sepal_status perceptron_trace_end(struct trace_line *line, const struct perceptron *p) {
    perceptron_trace_put_weights(line, p);
    sepal_status status = json_trace(&line->make, line->root);
    arena_clear(&line->arena);
    return status;
}

sepal_status perceptron_trace_step(struct perceptron *p, const struct example *x, int32_t rival,
                                   double before) {
    struct trace_line line;
    double after = perceptron_margin_against(p, &p->now, x, rival);
    /* two classes have one score, that of the second */
    double sign = p->rows == 1 && x->label == 0 ? -1 : 1;
    perceptron_trace_begin(&line, p, p->updates);
    tree_number(&line.make, line.root, "example", (double)row_number(x->block, x->i));
    tree_text(&line.make, line.root, "label", data_label_name(p->data, (size_t)x->label));
    if (p->rows > 1)
        tree_text(&line.make, line.root, "against", data_label_name(p->data, (size_t)rival));
    tree_number(&line.make, line.root, "score_before", sign * before);
    tree_number(&line.make, line.root, "score_after", sign * after);
    return perceptron_trace_end(&line, p);
}

sepal_status perceptron_trace_batch(struct perceptron *p, size_t update, size_t examples) {
    struct trace_line line;
    perceptron_trace_begin(&line, p, update);
    tree_number(&line.make, line.root, "examples", (double)examples);
    return perceptron_trace_end(&line, p);
}
