/* SPDX-License-Identifier: GPL-2.0-only */
/* A figure as a table: units of axes are in its header, or in the names of panels that differ. */
#include "plot/script.h"

#include <math.h>
#include <string.h>

void weft_figure_csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* Columns of numbers, and whose unit each has: 0 the x axis, 1 the y axis, 2 that of colours. */
static const struct {
    const char *name;
    int axis;
} columns[] = {{"x", 0}, {"y", 1}, {"x_to", 0}, {"y_to", 1}, {"value", 2}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const char *label_of(const struct weft_panel *p, int axis)
{
    const char *const labels[] = {p->x.label, p->y.label, p->value.label};
    return labels[axis] ? labels[axis] : "";
}

/* The unit in "queue (KB, log scale)", with its parenthesis; *len receives its length. */
static const char *unit_in(const char *label, size_t *len)
{
    const char *at = strrchr(label, '(');
    *len = at ? strcspn(at, ",)") : 0;
    return at;
}

/* The unit that all panels have on an axis; *len 0: none, or they differ. */
static const char *shared_unit(const struct weft_figure *f, int axis, size_t *len)
{
    const char *unit = f->panels ? unit_in(label_of(f->panels, axis), len) : NULL;
    *len = unit ? *len : 0;
    for (const struct weft_panel *p = f->panels; p && *len; p = p->next) {
        size_t n;
        const char *other = unit_in(label_of(p, axis), &n);
        if (n != *len || memcmp(unit, other, n) != 0)
            *len = 0;
    }
    return unit;
}

static void put_header(FILE *out, const struct weft_figure *f)
{
    fputs("panel,curve", out);
    for (size_t k = 0; k < COLUMNS; k++) {
        size_t len;
        const char *unit = shared_unit(f, columns[k].axis, &len);
        fprintf(out, ",%s", columns[k].name);
        if (len)
            fprintf(out, " %.*s)", (int)len, unit);
    }
    fputs(",text\n", out);
}

/* Its title; of several panels also what y is, where that or its unit is not said otherwise. */
static void put_panel(FILE *out, const struct weft_figure *f, const struct weft_panel *p)
{
    size_t of_x, of_y, n;
    shared_unit(f, 0, &of_x);
    shared_unit(f, 1, &of_y);
    const bool own = f->panels->next && (!of_y || !*p->title);
    const bool over = f->panels->next && !of_x && unit_in(p->x.label, &n);
    char name[256];
    snprintf(name, sizeof name, "%s%s%s%s%s", p->title, own && *p->title && *p->y.label ? ": " : "",
             own ? p->y.label : "", over ? " over " : "", over ? p->x.label : "");
    weft_figure_csv_text(out, name);
}

/* Its label; of a band, which has none in the legend, that of the curve that it belongs to. */
static void put_curve(FILE *out, const struct weft_curve *c)
{
    const bool band = c->mark == WEFT_MARK_BAND && !*c->label && c->next;
    char name[256];
    snprintf(name, sizeof name, "%s%s", band ? c->next->label : c->label, band ? " (band)" : "");
    weft_figure_csv_text(out, name);
}

static void put_point(FILE *out, const struct weft_figure *f, const struct weft_panel *p,
                      const struct weft_curve *c, size_t i)
{
    const size_t n = weft_mark_columns(c->mark);
    put_panel(out, f, p);
    fputc(',', out);
    put_curve(out, c);
    for (size_t k = 0; k < COLUMNS; k++) {
        fputc(',', out);
        for (size_t m = 0; m < n; m++)
            if (strcmp(weft_mark_column(c->mark, m), columns[k].name) == 0 &&
                isfinite(c->v[i * n + m]))
                fprintf(out, "%.10g", c->v[i * n + m]);
    }
    fputc(',', out);
    if (c->text[i])
        weft_figure_csv_text(out, c->text[i]);
    fputc('\n', out);
}

void weft_figure_csv(const struct weft_figure *f, FILE *out)
{
    put_header(out, f);
    for (const struct weft_panel *p = f->panels; p; p = p->next)
        for (const struct weft_curve *c = p->curves; c; c = c->next)
            for (size_t i = 0; i < c->n; i++)
                put_point(out, f, p, c, i);
}
