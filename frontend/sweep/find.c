/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Searches an axis for the smallest value that meets the conditions of --find. Values are numbered
 * so that the far end of the axis is the last.
 */
#include "sweep/find.h"

#include <string.h>

size_t weft_sweep_find_row(const struct weft_sweep_find *f, const struct weft_sweep *s,
                           size_t search, size_t place)
{
    const size_t n = s->axis[f->axis].n;
    size_t stride = 1;
    for (size_t k = f->axis + 1; k < s->naxes; k++)
        stride *= s->axis[k].n;
    const size_t at = f->max ? n - 1 - place : place;
    return (search / stride * n + at) * stride + search % stride;
}

static bool sweep_find_compare(const char *op, double a, double b)
{
    if (strcmp(op, "<") == 0)
        return a < b;
    if (strcmp(op, "<=") == 0)
        return a <= b;
    if (strcmp(op, ">") == 0)
        return a > b;
    return strcmp(op, ">=") == 0 ? a >= b : a == b; /* NaN: no */
}

/* Whether all conditions hold in a row that is done. */
static bool holds(const struct weft_sweep_find *f, const struct weft_sweep *s, size_t search,
                  size_t row)
{
    struct weft_sweep_row r, far;
    weft_sweep_row(s, row, &r);
    weft_sweep_row(s, weft_sweep_find_row(f, s, search, s->axis[f->axis].n - 1), &far);
    if (!weft_outcome_is_good(r.outcome))
        return false;
    for (size_t i = 0; i < f->nconditions; i++) {
        const struct weft_find_condition *c = &f->condition[i];
        const double than = c->best ? c->value * far.metric[c->metric] : c->value;
        if (!sweep_find_compare(c->op, r.metric[c->metric], than))
            return false;
    }
    return true;
}

/* Whether a row ended before it could tell. */
static bool was_cut_off(const struct weft_sweep *s, size_t row)
{
    struct weft_sweep_row r;
    weft_sweep_row(s, row, &r);
    return r.outcome == WEFT_OUTCOME_OVER_LIMIT || r.outcome == WEFT_OUTCOME_INTERRUPTED;
}

/* The row that is looked at is done: where to go on. */
static void sweep_find_look(const struct weft_sweep_find *f, const struct weft_sweep *s,
                            size_t search, size_t place)
{
    struct weft_find_search *b = &f->search[search];
    const bool yes = holds(f, s, search, b->row);
    if (!yes && was_cut_off(s, b->row))
        b->unknown = true;
    if (yes)
        b->holds = place + 1;
    else if (place + 1 == s->axis[f->axis].n)
        b->none = true;
    else
        b->fails = place + 1;
    b->begun = false;
    b->over = b->none || b->unknown || b->holds == b->fails + 1;
}

/* The place that is looked at: the far end first, then halfway. */
static size_t place_of(const struct weft_find_search *b, size_t n)
{
    return b->holds > n ? n - 1 : (b->fails + b->holds) / 2 - 1;
}

bool weft_sweep_find_answers(const struct weft_sweep_find *f, const struct weft_sweep *s,
                             size_t row)
{
    const size_t n = s->axis[f->axis].n;
    size_t stride = 1;
    for (size_t k = f->axis + 1; k < s->naxes; k++)
        stride *= s->axis[k].n;
    return f->search[row / stride / n * stride + row % stride].holds <= n;
}

/* Whether all points of the row that is looked at are done. */
static bool row_done(const struct weft_sweep *s, size_t row)
{
    const size_t per_row = weft_sweep_points_per_row(s);
    for (size_t i = row * per_row; i < (row + 1) * per_row; i++)
        if (s->point[i].state != WEFT_POINT_DONE)
            return false;
    return true;
}

/* The next point of one search. */
static bool next_of(struct weft_sweep_find *f, struct weft_sweep *s, size_t search, size_t *point)
{
    struct weft_find_search *b = &f->search[search];
    const size_t per_row = weft_sweep_points_per_row(s);
    while (!b->over) {
        const size_t place = place_of(b, s->axis[f->axis].n);
        if (!b->begun) {
            b->begun = true;
            b->row = weft_sweep_find_row(f, s, search, place);
            b->next = 0;
        }
        for (; b->next < per_row; b->next++) {
            *point = b->row * per_row + b->next;
            if (s->point[*point].state == WEFT_POINT_WAITS) {
                b->next++;
                return true;
            }
        }
        if (!row_done(s, b->row))
            return false;
        sweep_find_look(f, s, search, place);
    }
    return false;
}

bool weft_sweep_find_next(struct weft_sweep_find *f, struct weft_sweep *s, size_t *point)
{
    for (size_t i = 0; i < f->nsearches; i++)
        if (next_of(f, s, i, point))
            return true;
    return false;
}
