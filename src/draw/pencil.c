/* A line through many points, of which only those are drawn that can be seen: a piece goes on as long as all that it
   passes lie within a tenth of a pixel of it (the "sleeve" of Zhao and Saalfeld 1997, with the points kept). */
#include "draw/canvas.h"

#include <math.h>

static bool is_near(struct point p, struct point from, struct point to) {
    const double tolerance = 0.1;
    double length = hypot(to.x - from.x, to.y - from.y);
    double along = (p.x - from.x) * (to.x - from.x) + (p.y - from.y) * (to.y - from.y);
    double away = (p.x - from.x) * (to.y - from.y) - (p.y - from.y) * (to.x - from.x);
    return along >= 0 && along <= length * length && fabs(away) <= tolerance * length;
}

void pencil_lift(struct pencil *pencil) {
    if (pencil->begun) canvas_line(pencil->canvas, pencil->to.x, pencil->to.y);
    pencil->begun = false;
}

/* Whether the piece that is not drawn yet can go on to this point. */
static bool pencil_reaches(const struct pencil *pencil, struct point to) {
    enum { MOST = sizeof pencil->passed / sizeof *pencil->passed };
    bool near = pencil->n_passed < MOST && is_near(pencil->to, pencil->from, to);
    for (size_t i = 0; i < pencil->n_passed && near; i++)
        near = is_near(pencil->passed[i], pencil->from, to);
    return near;
}

void pencil_go(struct pencil *pencil, struct point from, struct point to) {
    if (!pencil->begun) {
        canvas_move(pencil->canvas, from.x, from.y);
    } else if (pencil_reaches(pencil, to)) {
        pencil->passed[pencil->n_passed++] = pencil->to;
        pencil->to = to;
        return;
    } else {
        canvas_line(pencil->canvas, from.x, from.y);
    }
    pencil->from = from;
    pencil->to = to;
    pencil->n_passed = 0;
    pencil->begun = true;
}
