/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds a figure as data: panels, axes, and what is drawn in them. */
#include "plot/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- marks ---- */

static const struct {
    size_t n;
    const char *name[WEFT_MARK_COLUMNS_MAX];
    bool value;
} marks[WEFT_MARKS] = {
    [WEFT_MARK_LINE] = {2, {"x", "y"}},
    [WEFT_MARK_POINTS] = {2, {"x", "y"}},
    [WEFT_MARK_DOTS] = {2, {"x", "y"}},
    [WEFT_MARK_STEPS] = {2, {"x", "y"}},
    [WEFT_MARK_BAND] = {3, {"x", "y", "y_to"}},
    [WEFT_MARK_BOXES] = {4, {"x", "x_to", "y", "y_to"}},
    [WEFT_MARK_HEAT] = {5, {"x", "x_to", "y", "y_to", "value"}, true},
    [WEFT_MARK_ARROWS] = {4, {"x", "y", "x_to", "y_to"}},
    [WEFT_MARK_EDGES] = {4, {"x", "y", "x_to", "y_to"}},
    [WEFT_MARK_SEGMENTS] = {5, {"x", "y", "x_to", "y_to", "value"}, true},
    [WEFT_MARK_TEXT] = {2, {"x", "y"}},
    [WEFT_MARK_TEXT_MID] = {2, {"x", "y"}},
};

size_t weft_mark_columns(enum weft_mark mark)
{
    return marks[mark].n;
}

const char *weft_mark_column(enum weft_mark mark, size_t i)
{
    return marks[mark].name[i];
}

bool weft_mark_has_value(enum weft_mark mark)
{
    return marks[mark].value;
}

/* ---- figures ---- */

struct weft_figure *weft_figure_new(void)
{
    struct weft_arena *arena = weft_arena_new();
    struct weft_figure *f = arena ? weft_arena_calloc(arena, 1, sizeof *f) : NULL;
    if (!f) {
        weft_arena_free(arena);
        return NULL;
    }
    f->arena = arena;
    f->spare_panel = weft_arena_calloc(arena, 1, sizeof *f->spare_panel);
    f->spare_curve = weft_arena_calloc(arena, 1, sizeof *f->spare_curve);
    if (!f->spare_panel || !f->spare_curve) {
        weft_arena_free(arena);
        return NULL;
    }
    f->spare_panel->figure = f->spare_curve->figure = f;
    f->title = f->caption = "";
    f->columns = 1;
    f->width = 920;
    return f;
}

void weft_figure_free(struct weft_figure *f)
{
    if (f)
        weft_arena_free(f->arena);
}

int weft_figure_check(const struct weft_figure *f, struct weft_err *err)
{
    return f->lost ? weft_err_no_memory(err, "a figure") : 0;
}

static const char *figure_copy(struct weft_figure *f, const char *text)
{
    const char *s = weft_arena_strdup(f->arena, text);
    f->lost |= !s;
    return s ? s : "";
}

const char *weft_figure_printf(struct weft_figure *f, const char *fmt, ...)
{
    char text[2048];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return figure_copy(f, text);
}

static struct weft_axis axis(struct weft_figure *f, const char *label)
{
    return (struct weft_axis){.label = figure_copy(f, label), .from = NAN, .to = NAN};
}

struct weft_panel *weft_panel_add(struct weft_figure *f, const char *title, const char *x_label,
                                  const char *y_label)
{
    struct weft_panel *p = weft_arena_calloc(f->arena, 1, sizeof *p);
    if (!p) {
        f->lost = true;
        return f->spare_panel;
    }
    p->figure = f;
    p->title = figure_copy(f, title);
    p->x = axis(f, x_label);
    p->y = axis(f, y_label);
    p->value = axis(f, "");
    p->height = 380;
    *(f->last ? &f->last->next : &f->panels) = p;
    f->last = p;
    return p;
}

struct weft_curve *weft_curve_add(struct weft_panel *p, enum weft_mark mark, int colour,
                                  const char *label)
{
    struct weft_figure *f = p->figure;
    struct weft_curve *c = weft_arena_calloc(f->arena, 1, sizeof *c);
    if (!c) {
        f->lost = true;
        return f->spare_curve;
    }
    c->figure = f;
    c->label = figure_copy(f, label);
    c->mark = mark;
    c->colour = colour;
    *(p->last ? &p->last->next : &p->curves) = c;
    p->last = c;
    return c;
}

/* Room for one point more. */
static bool figure_grow(struct weft_curve *c)
{
    struct weft_figure *f = c->figure;
    const size_t columns = weft_mark_columns(c->mark), cap = c->cap ? 2 * c->cap : 16;
    if (f->lost)
        return false;
    if (c->n < c->cap)
        return true;
    double *v = weft_arena_calloc(f->arena, cap * columns, sizeof *v);
    const char **text = weft_arena_calloc(f->arena, cap, sizeof *text);
    if (!v || !text) {
        f->lost = true;
        return false;
    }
    if (c->n) {
        memcpy(v, c->v, c->n * columns * sizeof *v);
        memcpy(text, c->text, c->n * sizeof *text);
    }
    c->v = v;
    c->text = text;
    c->cap = cap;
    return true;
}

void weft_curve_point(struct weft_curve *c, const double *v)
{
    const size_t columns = weft_mark_columns(c->mark);
    if (figure_grow(c))
        memcpy(c->v + c->n++ * columns, v, columns * sizeof *v);
}

void weft_curve_xy(struct weft_curve *c, double x, double y)
{
    weft_curve_point(c, (const double[]){x, y});
}

void weft_curve_text(struct weft_curve *c, double x, double y, const char *text)
{
    if (!figure_grow(c))
        return;
    c->text[c->n] = figure_copy(c->figure, text);
    weft_curve_xy(c, x, y);
}

void weft_axis_tick(struct weft_panel *p, struct weft_axis *a, double at, const char *text)
{
    struct weft_figure *f = p->figure;
    struct weft_tick *t = weft_arena_calloc(f->arena, 1, sizeof *t);
    if (!t) {
        f->lost = true;
        return;
    }
    t->at = at;
    t->text = figure_copy(f, text);
    *(a->last_tick ? &a->last_tick->next : &a->ticks) = t;
    a->last_tick = t;
}

/* ---- units ---- */

static struct weft_figure_unit unit_for(double most, const struct weft_figure_unit *units, size_t n)
{
    while (n > 1 && most < units[n - 1].divisor)
        n--;
    return units[n - 1];
}

struct weft_figure_unit weft_figure_time_unit(double max_ns)
{
    static const struct weft_figure_unit units[] = {
        {"ns", 1}, {"\u00b5s", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    return unit_for(max_ns / 2, units, sizeof units / sizeof units[0]);
}

struct weft_figure_unit weft_figure_rate_unit(double max_bps)
{
    static const struct weft_figure_unit units[] = {{"Gbps", 1e9}, {"Tbps", 1e12}};
    return unit_for(max_bps / 2, units, sizeof units / sizeof units[0]);
}

const char *weft_figure_time(struct weft_figure *f, double ns)
{
    const struct weft_figure_unit u = weft_figure_time_unit(2 * ns);
    return weft_figure_printf(f, "%.4g %s", ns / u.divisor, u.name);
}

struct weft_panel *weft_panel_add_rows(struct weft_figure *f, const char *title,
                                       const char *y_label, double from_ns, double to_ns,
                                       size_t rows, double *divisor)
{
    const struct weft_figure_unit u = weft_figure_time_unit(fmax(to_ns, f->until_ns));
    struct weft_panel *p =
        weft_panel_add(f, title, weft_figure_printf(f, "simulated time (%s)", u.name), y_label);
    p->x.from = from_ns < 0.05 * to_ns ? 0 : from_ns / u.divisor; /* with its tick */
    p->x.to = to_ns / u.divisor;
    p->y.from = -0.6;
    p->y.to = (double)rows - 0.4;
    p->downwards = true;
    *divisor = u.divisor;
    return p;
}

struct weft_figure_unit weft_figure_size_unit(double max_bytes)
{
    static const struct weft_figure_unit units[] = {
        {"B", 1}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
    return unit_for(max_bytes / 2, units, sizeof units / sizeof units[0]);
}

struct weft_figure_unit weft_figure_column_unit(const char *column, double most, char words[96])
{
    static const struct {
        const char *end;
        struct weft_figure_unit (*unit)(double most);
    } units[] = {{"_ns", weft_figure_time_unit},
                 {"_bytes", weft_figure_size_unit},
                 {"_bps", weft_figure_rate_unit}};
    struct weft_figure_unit unit = {"", 1};
    size_t n = strlen(column);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t k = strlen(units[i].end);
        if (n > k && strcmp(column + strlen(column) - k, units[i].end) == 0) {
            unit = units[i].unit(most);
            n -= k;
        }
    }
    snprintf(words, 96, "%.*s", (int)n, column);
    for (char *at = words; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    for (char *at = words; *at; at += strcspn(at, " ."), at += strspn(at, " ."))
        if (strncmp(at, "rtt", 3) == 0 || strncmp(at, "fct", 3) == 0)
            for (int i = 0; i < 3; i++)
                at[i] = (char)(at[i] - 'a' + 'A');
    return unit;
}
