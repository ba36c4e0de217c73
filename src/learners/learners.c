#include "learners/learner.h"

#include "core/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LEARNER(name) extern const struct learner learner_##name;
#include "learners/learners.def"
#undef LEARNER

const struct learner *const learner_table[] = {
#define LEARNER(name) &learner_##name,
#include "learners/learners.def"
#undef LEARNER
    NULL,
};

#define AT(field) offsetof(struct fit_options, field)
const struct parameter fit_option_table[] = {
    {"tol", PARAMETER_REAL, AT(tol), NULL, "(0, 1)",
     "stop when the relative duality gap (lsqr: the relative residual) is at most this; unless "
     "given, the solver's default"},
    {"max-iter", PARAMETER_COUNT, AT(max_iter), "0", "[0, 1e15]",
     "most iterations of the solver; 0: its own limit"},
    {"max-seconds", PARAMETER_REAL, AT(max_seconds), NULL, "(0, inf)",
     "stop after this time with the best model so far"},
    {"solver", PARAMETER_TEXT, AT(solver), NULL, "",
     "how to solve, a name of `sepal list solvers`; unless given, by the data's shape"},
    {"warm", PARAMETER_FILE, AT(warm), NULL, "",
     "file with a model to start from, of the same columns, classes and maps"},
    {"calibrate", PARAMETER_CHOICE, AT(calibrate), "none", "none|platt|isotonic|temperature",
     "fit probabilities to the scores of rows held out fold by fold, for any learner; the model "
     "keeps "
     "them"},
    {"calibrate-folds", PARAMETER_COUNT, AT(calibrate_folds), "5", "[2, 1e6]",
     "folds of calibrate: each row is scored by a fit without its fold"},
    {"bootstrap", PARAMETER_COUNT, AT(bootstrap), "0", "[0, 1e6]",
     "fits to rows drawn with replacement, for the standard errors of `sepal inspect --summary`; "
     "0: none"},
    {0},
};

const struct learner *learner_find(const char *name) {
    for (const struct learner *const *row = learner_table; *row; row++)
        if (strcmp((*row)->name, name) == 0) return *row;
    return NULL;
}

bool learner_is_machine(const struct learner *learner, const void *config) {
    return learner->machine_if ? learner->machine_if(config) : learner->machine;
}

bool always_shiftable(const void *config) {
    (void)config;
    return true;
}

double fit_left(double elapsed, double left, size_t done, size_t of) {
    size_t begun = done + 1, to_come = of > begun ? of - begun : 0;
    return left + (elapsed + left) / (double)begun * (double)to_come;
}

/* Every second one of too many is dropped, and of those to come every second is kept. */
static void thin_out(struct fit_progress *progress) {
    for (size_t i = 0; 2 * i < progress->n; i++) progress->at[i] = progress->at[2 * i];
    progress->n = (progress->n + 1) / 2;
    progress->stride *= 2;
}

void fit_note(struct fit *fit, size_t iteration, double value) {
    enum { PROBLEMS_MOST = 12 };
    if (!fit->make || !isfinite(value) || fit->among.of > PROBLEMS_MOST) return;
    if (!fit->progress) fit->progress = arena_zero(fit->ctx, &fit->arena, 1, sizeof *fit->progress);
    struct fit_progress *progress = fit->progress;
    if (!progress) {
        fit->message_lost = true;
        return;
    }
    if (progress->stride == 0) progress->stride = 1;
    size_t last = progress->n;
    if (last > 0 && progress->at[last - 1].iteration == (double)iteration) {
        progress->at[last - 1].value = value;
        return;
    }
    if (progress->seen++ % progress->stride != 0) return;
    if (progress->n == PROGRESS_MOST) thin_out(progress);
    if ((progress->seen - 1) % progress->stride != 0) return;
    progress->at[progress->n].iteration = (double)iteration;
    progress->at[progress->n++].value = value;
}

void fit_tell_progress(struct fit *fit, const char *measure) {
    const struct fit_progress *progress = fit->progress;
    if (!fit->make || !progress || progress->n == 0) return;
    struct tree *all = tree_object(fit->make, fit->report, "progress");
    struct tree *iterations = tree_array(fit->make, all, "iterations");
    struct tree *values = tree_array(fit->make, all, "values");
    tree_text(fit->make, all, "of", measure);
    for (size_t i = 0; i < progress->n; i++) {
        tree_number(fit->make, iterations, NULL, progress->at[i].iteration);
        tree_number(fit->make, values, NULL, progress->at[i].value);
    }
}

bool fit_stops(struct fit *fit, const char *format, ...) {
    enum { LINE_BYTES = 256 };
    char line[LINE_BYTES] = "";
    if (fit->ctx->progress) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(line, sizeof line, format, arguments);
        va_end(arguments);
    }
    bool late = clock_seconds_since(fit->start_ns) >= fit->options.max_seconds;
    const char *part = fit->part ? fit->part : "";
    bool stops = fit->among.of > 1 ? progress(fit->ctx, "%stwo-class problem %zu of %zu: %s", part,
                                              fit->among.done + 1, fit->among.of, line)
                                   : progress(fit->ctx, "%s%s", part, line);
    if (stops)
        fit->stopped = "interrupted";
    else if (late && !fit->stopped)
        fit->stopped = "time limit";
    return fit->stopped != NULL;
}

const char *fit_join(struct fit *fit, const char *const *parts, size_t n) {
    struct text text = {0};
    for (size_t k = 0; k < n; k++) text_puts(fit->ctx, &text, parts[k]);
    const char *copy =
        text.failed ? NULL : arena_text(fit->ctx, &fit->arena, text.bytes, text.length);
    text_clear(&text);
    if (!copy) fit->message_lost = true;
    return copy ? copy : "";
}

const char *fit_text(struct fit *fit, const char *format, ...) {
    enum { TEXT_BYTES = 512 };
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *copy = arena_text(fit->ctx, &fit->arena, text, strlen(text));
    if (!copy) fit->message_lost = true;
    return copy ? copy : "";
}
