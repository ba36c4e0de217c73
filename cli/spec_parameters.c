/* Parameters given as options: `-m "standardize | perceptron" --eta 0.5` becomes the spec
   "standardize | perceptron(eta=0.5)". Only as much of the grammar is known here as it takes to
   find the learner's stage; the library reads the outcome and says what is wrong with it. */
#include "opt.h"

#include "cli.h"

#include <string.h>

struct stage {
    const char *name;
    size_t length;
    const char *open, *close; /* its parentheses; NULL where there are none */
    const char *end;          /* the separator behind it, or the end of the spec */
};

/* From behind the opening quote to behind the closing one. */
static const char *skip_quoted(const char *at) {
    while (*at != '\0' && *at != '"') at += *at == '\\' && at[1] != '\0' ? 2 : 1;
    return *at == '"' ? at + 1 : at;
}

static struct stage spec_read_stage(const char *at) {
    static const char blanks[] = " \t\n\r\v\f";
    struct stage stage = {.name = at + strspn(at, blanks)};
    stage.length = strcspn(stage.name, "(|+ \t\n\r\v\f");
    for (at = stage.name; *at != '\0';) {
        bool inside = stage.open != NULL && stage.close == NULL;
        if (!inside && (*at == '|' || *at == '+')) break;
        if (*at == '(' && stage.open == NULL) stage.open = at;
        if (*at == ')' && inside) stage.close = at;
        at = *at == '"' ? skip_quoted(at + 1) : at + 1;
    }
    stage.end = at;
    return stage;
}

static int find_learner(const struct stage *stage, size_t *out) {
    sepal_method method = {.size = sizeof method};
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &method) == SEPAL_OK; i++) {
        size_t k = 0;
        while (k < stage->length && method.name[k] != '\0' &&
               (stage->name[k] == '_' ? '-' : stage->name[k]) == method.name[k])
            k++;
        if (k == stage->length && method.name[k] == '\0') {
            *out = i;
            return 1;
        }
    }
    return 0;
}

static int find_stage(const char *spec, struct stage *stage, size_t *learner) {
    for (;; spec = stage->end + 1) {
        *stage = spec_read_stage(spec);
        if (find_learner(stage, learner)) return 1;
        if (*stage->end == '\0') return 0;
    }
}

int spec_learner(const char *spec, size_t *learner) {
    struct stage stage;
    return find_stage(spec, &stage, learner);
}

void spec_with_parameters(const struct session *s, const char *spec, struct sink *out) {
    struct sink parameters = sink_open(-1);
    options_settings(&s->options, GROUP_PARAMETER, &parameters);
    sink_text(&parameters);
    sink_inherit(out, &parameters);
    struct stage stage;
    size_t learner;
    bool found = find_stage(spec, &stage, &learner);
    if (parameters.used == 0 || !found || (stage.open != NULL && stage.close == NULL)) {
        sink_puts(out, spec);
    } else if (stage.open == NULL) {
        const char *end = stage.name + stage.length;
        sink_printf(out, "%.*s(%s)%s", (int)(end - spec), spec, sink_text(&parameters), end);
    } else {
        const char *inside = stage.open + 1;
        bool empty = inside + strspn(inside, " \t\n\r\v\f") == stage.close;
        sink_printf(out, "%.*s%s%s%s", (int)(stage.close - spec), spec, empty ? "" : ", ",
                    sink_text(&parameters), stage.close);
    }
    sink_close(&parameters);
}
