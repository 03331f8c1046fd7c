/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares two execution traces node by node, field by field. */
#include "workload/et_diff.h"
#include "base/compare.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct side {
    const struct weft_et_node **nodes; /* by ascending id */
    size_t n;
};

struct compare {
    weft_et_diff_fn fn;
    void *ctx;
};

static int et_diff_by_id(const void *x, const void *y)
{
    const struct weft_et_node *a = *(const struct weft_et_node *const *)x;
    const struct weft_et_node *b = *(const struct weft_et_node *const *)y;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a < b ? -1 : a > b; /* in file order */
}

static int sort_nodes(const struct weft_et *et, struct side *s, struct weft_err *err)
{
    size_t kept = 0;
    s->nodes = calloc(et->nnodes ? et->nnodes : 1, sizeof *s->nodes);
    if (!s->nodes)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %zu nodes", et->nnodes);
    for (size_t i = 0; i < et->nnodes; i++)
        s->nodes[i] = &et->nodes[i];
    qsort(s->nodes, et->nnodes, sizeof *s->nodes, et_diff_by_id);
    for (size_t i = 0; i < et->nnodes; i++)
        if (kept == 0 || s->nodes[kept - 1]->id != s->nodes[i]->id)
            s->nodes[kept++] = s->nodes[i];
    s->n = kept;
    return 0;
}

static bool same_scalar(enum weft_et_class c, const union weft_et_scalar *a,
                        const union weft_et_scalar *b)
{
    switch (c) {
    case WEFT_ET_CLASS_REAL:
        return memcmp(&a->f64, &b->f64, sizeof a->f64) == 0;
    case WEFT_ET_CLASS_SIGNED:
        return a->i64 == b->i64;
    case WEFT_ET_CLASS_UNSIGNED:
        return a->u64 == b->u64;
    case WEFT_ET_CLASS_TEXT:
        return a->text.len == b->text.len && memcmp(a->text.data, b->text.data, a->text.len) == 0;
    case WEFT_ET_CLASS_NONE:
        return true;
    }
    return true;
}

static bool same_attr(const struct weft_et_attr *a, const struct weft_et_attr *b)
{
    const enum weft_et_class c = weft_et_kind_class(a->kind);
    if (a->kind != b->kind || a->nvalues != b->nvalues)
        return false;
    for (size_t i = 0; i < a->nvalues; i++)
        if (!same_scalar(c, &a->values[i], &b->values[i]))
            return false;
    return a->nvalues > 0 || same_scalar(c, &a->value, &b->value);
}

static void note_difference(const struct compare *c, struct weft_et_diff d)
{
    c->fn(c->ctx, &d);
}

static void compare_attrs(const struct compare *c, struct weft_et_diff d,
                          const struct weft_et_attr *a, size_t na, const struct weft_et_attr *b,
                          size_t nb)
{
    for (size_t i = 0; i < na; i++) {
        d.field = a[i].name;
        d.x = weft_et_find_in(a, na, a[i].name);
        d.y = weft_et_find_in(b, nb, a[i].name);
        if (d.x == &a[i] && (!d.y || !same_attr(d.x, d.y)))
            note_difference(c, d);
    }
    d.x = NULL;
    for (size_t i = 0; i < nb; i++) {
        d.field = b[i].name;
        d.y = weft_et_find_in(b, nb, b[i].name);
        if (d.y == &b[i] && !weft_et_find_in(a, na, b[i].name))
            note_difference(c, d);
    }
}

/* -1: out of memory. */
static int same_ids(const uint64_t *a, size_t na, const uint64_t *b, size_t nb)
{
    if (na != nb || na == 0)
        return na == nb;
    uint64_t *x = malloc(2 * na * sizeof *x);
    if (!x)
        return -1;
    memcpy(x, a, na * sizeof *x);
    memcpy(x + na, b, na * sizeof *x);
    qsort(x, na, sizeof *x, weft_by_u64);
    qsort(x + na, na, sizeof *x, weft_by_u64);
    const bool same = memcmp(x, x + na, na * sizeof *x) == 0;
    free(x);
    return same;
}

static bool same_io(const struct weft_et_io *a, const struct weft_et_io *b)
{
    return a->present == b->present &&
           (!a->present || (strcmp(a->values, b->values) == 0 &&
                            strcmp(a->shapes, b->shapes) == 0 && strcmp(a->types, b->types) == 0));
}

static bool same_others(const struct weft_et_node *a, const struct weft_et_node *b)
{
    return a->nothers == b->nothers &&
           (a->nothers == 0 || memcmp(a->others, b->others, a->nothers) == 0);
}

static int compare_nodes(const struct compare *c, const struct weft_et_node *a,
                         const struct weft_et_node *b, struct weft_err *err)
{
    const int ctrl = same_ids(a->ctrl_deps, a->nctrl_deps, b->ctrl_deps, b->nctrl_deps);
    const int data = same_ids(a->data_deps, a->ndata_deps, b->data_deps, b->ndata_deps);
    if (ctrl < 0 || data < 0)
        return weft_err_set(err, WEFT_E_LIMIT,
                            "out of memory for the dependencies of node %" PRIu64, a->id);
    const struct {
        const char *field;
        bool same;
        const uint64_t *u, *v;
    } fields[] = {
        {"name", strcmp(a->name, b->name) == 0, NULL, NULL},
        {"type", a->type == b->type, NULL, NULL},
        {"ctrl_deps", ctrl, NULL, NULL},
        {"data_deps", data, NULL, NULL},
        {"start_time_micros", a->start_us == b->start_us, &a->start_us, &b->start_us},
        {"duration_micros", a->duration_us == b->duration_us, &a->duration_us, &b->duration_us},
        {"inputs", same_io(&a->inputs, &b->inputs), NULL, NULL},
        {"outputs", same_io(&a->outputs, &b->outputs), NULL, NULL},
        {"fields of other schemas", same_others(a, b), NULL, NULL},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (!fields[i].same)
            note_difference(
                c,
                (struct weft_et_diff){
                    .a = a, .b = b, .field = fields[i].field, .u = fields[i].u, .v = fields[i].v});
    compare_attrs(c, (struct weft_et_diff){.a = a, .b = b}, a->attrs, a->nattrs, b->attrs,
                  b->nattrs);
    return 0;
}

int weft_et_diff(const struct weft_et *a, const struct weft_et *b, weft_et_diff_fn fn, void *ctx,
                 struct weft_err *err)
{
    const struct compare c = {fn, ctx};
    struct side x = {0}, y = {0};
    int rc = sort_nodes(a, &x, err);
    if (!rc)
        rc = sort_nodes(b, &y, err);
    if (!rc && strcmp(a->version, b->version) != 0)
        note_difference(&c, (struct weft_et_diff){.field = "version"});
    if (!rc)
        compare_attrs(&c, (struct weft_et_diff){0}, a->attrs, a->nattrs, b->attrs, b->nattrs);
    for (size_t i = 0, k = 0; !rc && (i < x.n || k < y.n);) {
        if (k == y.n || (i < x.n && x.nodes[i]->id < y.nodes[k]->id))
            note_difference(&c, (struct weft_et_diff){.a = x.nodes[i++]});
        else if (i == x.n || y.nodes[k]->id < x.nodes[i]->id)
            note_difference(&c, (struct weft_et_diff){.b = y.nodes[k++]});
        else
            rc = compare_nodes(&c, x.nodes[i++], y.nodes[k++], err);
    }
    free(x.nodes);
    free(y.nodes);
    return rc;
}
