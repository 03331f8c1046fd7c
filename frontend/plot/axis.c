/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses the ends and the scale of axes from the points of panels. */
#include "plot/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where the points of a panel begin and end on an axis, "x" or "y". */
static void panel_ends(const struct weft_panel *p, const char *axis, double *from, double *to)
{
    for (const struct weft_curve *c = p->curves; c; c = c->next) {
        const size_t n = weft_mark_columns(c->mark);
        for (size_t i = 0; i < c->n; i++)
            for (size_t k = 0; k < n; k++)
                if (strncmp(weft_mark_column(c->mark, k), axis, 1) == 0) {
                    *from = fmin(*from, c->v[i * n + k]);
                    *to = fmax(*to, c->v[i * n + k]);
                }
    }
}

size_t weft_axis_longest_tick(const struct weft_panel *p)
{
    const struct weft_axis *a = &p->y;
    double from = isnan(a->from) ? INFINITY : a->from, to = isnan(a->to) ? -INFINITY : a->to;
    size_t most = 0;
    if (a->hidden)
        return 0;
    for (const struct weft_tick *t = a->ticks; t; t = t->next)
        most = strlen(t->text) > most ? strlen(t->text) : most;
    if (a->ticks)
        return most;
    panel_ends(p, "y", &from, &to);
    const double size = fmax(fabs(from), fabs(to)) * 1.2; /* axes end at the next tick */
    if (a->bytes || !(size >= 1e-4) || size > 1e7 || !isfinite(from))
        return 6;
    const size_t whole = 1 + a->log + (size_t)fmax(0, floor(log10(size)));
    const double least = a->log ? from : (to - from) / 5; /* the shortest step */
    const size_t behind = least < 1 ? 1 + (size_t)fmin(4, ceil(-log10(fmax(least, 1e-5)))) : 0;
    return (a->log && whole > behind ? whole : whole + behind) + (from < 0);
}

struct weft_axis weft_axis_shared(const struct weft_figure *f, const struct weft_panel *p,
                                  const char *name)
{
    const bool is_x = *name == 'x';
    struct weft_axis a = is_x ? p->x : p->y;
    double from = INFINITY, to = -INFINITY;
    size_t same = 0;
    if (a.hidden || (is_x ? a.ticks || !*a.label : f->columns == 1))
        return a;
    for (const struct weft_panel *q = f->panels; q; q = q->next) {
        const struct weft_axis *b = is_x ? &q->x : &q->y;
        if (strcmp(b->label, a.label) != 0 || b->log != a.log || (is_x && b->ticks))
            continue;
        same++;
        panel_ends(q, name, &from, &to);
        from = isnan(b->from) ? from : fmin(from, b->from);
        to = isnan(b->to) ? to : fmax(to, b->to);
    }
    if (same > 1 && from < to && (!a.log || from > 0)) {
        a.from = is_x && !a.log && from > 0 && from < 0.05 * to ? 0 : from; /* with its tick */
        a.to = to;
    }
    return a;
}

struct weft_axis weft_axis_plain(const struct weft_panel *p, const char *name, struct weft_axis a,
                                 char label[128])
{
    double from = INFINITY, to = -INFINITY;
    panel_ends(p, name, &from, &to);
    from = isnan(a.from) ? from : a.from;
    to = isnan(a.to) ? to : a.to;
    const char *says = strstr(a.label, WEFT_LOG_SCALE);
    if (!a.log || a.keeps_log || a.ticks || !says || !(from > 0 && to < 10 * from))
        return a;
    snprintf(label, 128, "%.*s%s", (int)(says - a.label), a.label, says + strlen(WEFT_LOG_SCALE));
    a.label = label;
    a.log = false;
    return a;
}

struct weft_axis weft_axis_sized(const struct weft_panel *p, struct weft_axis a)
{
    double from = INFINITY, to = -INFINITY;
    if (!a.bytes)
        return a;
    panel_ends(p, "x", &from, &to);
    a.from = isnan(a.from) ? from : a.from;
    a.to = isnan(a.to) ? to : a.to;
    a.bytes = !a.ticks && a.from <= a.to && (!a.log || a.from > 0);
    if (!a.bytes) {
        a.from = p->x.from;
        a.to = p->x.to;
    } else if (a.log) {
        a.from = pow(10, floor(log10(a.from) + 1e-9)) * (1 - 1e-9); /* with its tick */
        a.to = fmax(10 * a.from, pow(10, ceil(log10(a.to) - 1e-9))) * (1 + 1e-9);
    } else {
        const double room = (a.to - a.from) / 20;
        a.from = fmax(0, a.from - room);
        a.to += room;
    }
    return a;
}
