/* SPDX-License-Identifier: GPL-2.0-only */
/* Lays out boxes over time in named rows, for Gantt charts. */
#include "plot/lanes.h"

#include "plot/plot.h"

#include "base/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int weft_lane_of(struct weft_lanes *l, const char *job, const char *rank, uint32_t *row,
                 struct weft_err *err)
{
    char name[160];
    snprintf(name, sizeof name, "%.100s%srank %.20s", job, *job ? " " : "", rank);
    for (size_t i = 0; i < l->nrows; i++) {
        const size_t k = (l->last + 1 + i) % l->nrows; /* ranks come in turns */
        if (strcmp(l->row[k], name) == 0) {
            *row = (uint32_t)(l->last = k);
            return 0;
        }
    }
    if (!WEFT_GROW(l->row, l->nrows, &l->cap_rows))
        return weft_err_no_memory(err, "operations");
    l->row[l->nrows] = weft_arena_strdup(l->arena, name);
    *row = (uint32_t)(l->last = l->nrows);
    return l->row[l->nrows++] ? 0 : weft_err_no_memory(err, "operations");
}

int weft_lane_add(struct weft_lanes *l, const struct weft_runs *runs, struct weft_lane_box b,
                  struct weft_err *err)
{
    b.from_ns = fmax(b.from_ns, runs->from_ns);
    b.to_ns = fmin(b.to_ns, runs->to_ns);
    if (!(b.to_ns > b.from_ns))
        return 0;
    if (!WEFT_GROW(l->box, l->n, &l->cap))
        return weft_err_no_memory(err, "operations");
    l->box[l->n++] = b;
    return 0;
}

static int by_words(const void *a, const void *b)
{
    return weft_compare_names(*(const char *const *)a, *(const char *const *)b);
}

int weft_lanes_by_name(struct weft_lanes *l, struct weft_err *err)
{
    const char **sorted = malloc((l->nrows + 1) * sizeof *sorted);
    uint32_t *place = malloc((l->nrows + 1) * sizeof *place);
    const int rc = sorted && place ? 0 : weft_err_no_memory(err, "operations");
    if (!rc && l->nrows) {
        memcpy(sorted, l->row, l->nrows * sizeof *sorted);
        qsort(sorted, l->nrows, sizeof *sorted, by_words);
        for (size_t i = 0; i < l->nrows; i++) {
            const char **at = bsearch(&l->row[i], sorted, l->nrows, sizeof *sorted, by_words);
            place[i] = (uint32_t)(at - sorted);
        }
        for (size_t i = 0; i < l->n; i++)
            l->box[i].row = place[l->box[i].row];
        memcpy(l->row, sorted, l->nrows * sizeof *sorted);
    }
    free(sorted);
    free(place);
    return rc;
}

static int by_place(const void *va, const void *vb)
{
    const struct weft_lane_box *a = va, *b = vb;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

void weft_lanes_sort(struct weft_lanes *l)
{
    if (l->n)
        qsort(l->box, l->n, sizeof *l->box, by_place);
}

bool weft_lanes_span(const struct weft_lanes *l, double *from_ns, double *to_ns)
{
    *from_ns = INFINITY;
    *to_ns = 0;
    for (size_t i = 0; i < l->n; i++) {
        *from_ns = fmin(*from_ns, l->box[i].from_ns);
        *to_ns = fmax(*to_ns, l->box[i].to_ns);
    }
    return l->n > 0;
}

void weft_lanes_free(struct weft_lanes *l)
{
    free(l->row);
    free(l->box);
    *l = (struct weft_lanes){0};
}

void weft_lanes_draw(const struct weft_lanes *l, struct weft_panel *p, uint32_t kind,
                     const struct weft_lane_style *style, size_t every, double least_ns,
                     double divisor)
{
    struct weft_curve *c = NULL;
    for (size_t i = 0; i < l->n;) {
        struct weft_lane_box b = l->box[i++];
        if (b.kind != kind || b.row % every)
            continue;
        while (i < l->n && l->box[i].kind == kind && l->box[i].row == b.row &&
               l->box[i].from_ns - b.to_ns < least_ns &&
               (b.to_ns - b.from_ns < least_ns || l->box[i].to_ns - l->box[i].from_ns < least_ns))
            b.to_ns = fmax(b.to_ns, l->box[i++].to_ns);
        const double y = (double)b.row / (double)every + style->top;
        c = c ? c : weft_curve_add(p, WEFT_MARK_BOXES, style->colour, style->label);
        weft_curve_point(
            c, (const double[]){b.from_ns / divisor, b.to_ns / divisor, y, y + style->height});
    }
}
