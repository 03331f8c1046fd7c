/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds which panels can share a legend, and what is in it. */
#include "plot/legend.h"

#include <string.h>

/* The next curve with a place in the legend. */
static const struct weft_curve *legend_entry(const struct weft_curve *c)
{
    while (c && (!*c->label || !c->n))
        c = c->next;
    return c;
}

static bool same_style(const struct weft_curve *a, const struct weft_curve *b)
{
    return a->mark == b->mark && a->colour == b->colour;
}

/* Whether one legend does for both: they have an entry in common, and none that the other has for
 * something else. */
static bool share_legend(const struct weft_panel *a, const struct weft_panel *b)
{
    bool common = false;
    for (const struct weft_curve *x = legend_entry(a->curves); x; x = legend_entry(x->next))
        for (const struct weft_curve *y = legend_entry(b->curves); y; y = legend_entry(y->next)) {
            const bool label = strcmp(x->label, y->label) == 0;
            if (same_style(x, y) != label)
                return false;
            common |= label;
        }
    return common;
}

/* The panel below which the legend of a panel stands: the last of those that share it. */
static const struct weft_panel *legend_place(const struct weft_panel *p)
{
    const struct weft_panel *place = p;
    for (const struct weft_panel *q = p->next; q; q = q->next) {
        for (const struct weft_panel *x = p; x != q; x = x->next)
            if (!share_legend(x, q))
                return place;
        place = q;
    }
    return place;
}

/* Whether @p c is the first of its style and name in the panels from @p first on. */
static bool is_first_entry(const struct weft_panel *first, const struct weft_curve *c)
{
    for (const struct weft_panel *p = first; p; p = p->next)
        for (const struct weft_curve *x = legend_entry(p->curves); x; x = legend_entry(x->next))
            if (x == c || (same_style(x, c) && strcmp(x->label, c->label) == 0))
                return x == c;
    return false;
}

struct weft_legend weft_legend_each(const struct weft_figure *f, const struct weft_panel *place,
                                    void (*write)(FILE *out, const struct weft_curve *c), FILE *out)
{
    const struct weft_panel *first = f->panels;
    struct weft_legend legend = {0};
    while (place && first && legend_place(first) != place)
        first = first->next;
    for (const struct weft_panel *p = first; p && (!place || p != place->next); p = p->next)
        for (const struct weft_curve *c = legend_entry(p->curves); c; c = legend_entry(c->next)) {
            if (!is_first_entry(first, c))
                continue;
            if (write)
                write(out, c);
            legend.longest = strlen(c->label) > legend.longest ? strlen(c->label) : legend.longest;
            legend.n++;
        }
    return legend;
}
