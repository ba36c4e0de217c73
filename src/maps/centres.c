#include "maps/centres.h"

#include "core/decimal.h"
#include "core/text.h"

#include <math.h>
#include <string.h>

struct centres_reading {
    sepal_ctx *ctx;
    const char *owner, *text;
    enum centres_kind kind;
};

static sepal_status centres_refuse(const struct centres_reading *reading) {
    char shown[TEXT_SHOWN_BYTES];
    return fail(reading->ctx, SEPAL_EUSAGE,
                "%s: centres=%s is neither a number of centres in [1, 1e9] nor %s", reading->owner,
                text_shown(shown, reading->text, strlen(reading->text)),
                reading->kind == CENTRES_POINTS ? "points like \"0,0;1,1\""
                                                : "numbers like \"-1,0,1\"");
}

static const char *centres_skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

static sepal_status read_count(struct centres *out, const struct centres_reading *reading) {
    const double most = 1e9;
    double count;
    const char *end = reading->text + strlen(reading->text);
    if (decimal_read(reading->text, end, &count) != end || count != floor(count) || count < 1 ||
        count > most)
        return centres_refuse(reading);
    *out = (struct centres){.n = (size_t)count};
    return SEPAL_OK;
}

sepal_status centres_read(struct centres *out, double *numbers, sepal_ctx *ctx, const char *owner,
                          const char *text, enum centres_kind kind, size_t dims) {
    struct centres_reading reading = {.ctx = ctx, .owner = owner, .text = text, .kind = kind};
    const char *end = text + strlen(text);
    if (!strpbrk(text, ",;")) return read_count(out, &reading);
    *out = (struct centres){.given = true};
    size_t of_point = 0;
    for (const char *at = centres_skip_blanks(text); at < end; at = centres_skip_blanks(at)) {
        double number;
        if (!(at = decimal_read(at, end, &number))) return centres_refuse(&reading);
        at = centres_skip_blanks(at);
        if (*at != ',' && *at != ';' && at != end) return centres_refuse(&reading);
        of_point++;
        if (numbers) *numbers++ = number;
        bool more = kind == CENTRES_POINTS && *at == ',';
        if (at < end) at++;
        if (more && at < end) continue;
        if (of_point != dims)
            return fail(ctx, SEPAL_EDATA,
                        "%s: point %zu of centres has %zu coordinates, the rows have %zu; write as "
                        "many, with ',' between them and ';' between points",
                        owner, out->n + 1, of_point, dims);
        of_point = 0;
        out->n++;
    }
    return out->n > 0 ? SEPAL_OK : centres_refuse(&reading);
}
