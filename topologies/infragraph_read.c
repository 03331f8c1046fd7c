/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * InfraGraph documents, read and expanded: a component of choice `device` is replaced by that
 * device's contents. An end of an edge is a list of components, instance by instance; one2one pairs
 * two lists up to the shorter one's end, many2many joins everything, ring each with the next. A
 * pair is joined once: the last edge that does so names its link.
 */
#include "topologies/infragraph_reader.h"

#include "base/file.h"
#include "base/grow.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (64u << 20)
enum { NESTED_MAX = 16 };

static const char *const kinds[WEFT_INFRA_KINDS] = {"custom", "device", "cpu",  "xpu",
                                                    "nic",    "memory", "port", "switch"};

static const struct weft_tree *named(const struct weft_tree *list, const char *name)
{
    for (const struct weft_tree *t = list ? list->first : NULL; t; t = t->next)
        if (strcmp(weft_tree_text(t, "name", ""), name) == 0)
            return t;
    return NULL;
}

static int count_of(struct infra_reader *r, const struct weft_tree *t, uint32_t *out)
{
    const char *text = weft_tree_text(t, "count", "1");
    char *end;
    const unsigned long v = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
    if (v < 1 || v > WEFT_INFRA_VERTICES_MAX || *end)
        return infra_fail(r, weft_tree_get(t, "count"),
                          "count is '%.40s', not a number from 1 to %" PRIu32, text,
                          WEFT_INFRA_VERTICES_MAX);
    *out = (uint32_t)v;
    return 0;
}

static int infragraph_read_kind_of(struct infra_reader *r, const struct weft_tree *t,
                                   enum weft_infra_kind *out)
{
    const struct weft_tree *choice = weft_tree_get(t, "choice");
    const char *text = weft_tree_text(t, "choice", "");
    for (int k = 0; k < WEFT_INFRA_KINDS; k++)
        if (strcmp(text, kinds[k]) == 0) {
            *out = (enum weft_infra_kind)k;
            return 0;
        }
    if (!choice && weft_tree_get(t, "type"))
        return infra_fail(
            r, t,
            "this is InfraGraph before version 2 ('type' in place of 'choice'); convert "
            "it with Keysight's tools");
    return infra_fail(
        r, choice ? choice : t,
        "choice '%.40s' of a component; there are custom, device, cpu, xpu, nic, memory, port "
        "and switch",
        text);
}

static int expand(struct infra_reader *r, const struct weft_tree *device, const char *prefix,
                  uint32_t instance, int depth, uint32_t *out);

static int add_vertex(struct infra_reader *r, const char *name, const char *component,
                      enum weft_infra_kind kind, uint32_t instance, uint32_t *out)
{
    struct weft_infra *g = r->g;
    if (g->nv == WEFT_INFRA_VERTICES_MAX)
        return weft_err_at(r->err, WEFT_E_LIMIT, g->file, 0, 0,
                           "the document has more than %" PRIu32 " components",
                           WEFT_INFRA_VERTICES_MAX);
    if (!WEFT_GROW(g->v, g->nv, &r->v_cap))
        return weft_err_no_memory(r->err, "a topology");
    g->v[g->nv] = (struct weft_infra_vertex){name, component, kind, instance, WEFT_INFRA_NONE};
    *out = g->nv++;
    return 0;
}

/* All of one component: vertices, or the contents of a device. */
static int expand_part(struct infra_reader *r, const struct weft_tree *t, const char *prefix,
                       uint32_t instance, int depth, struct infra_part *part)
{
    enum weft_infra_kind kind = WEFT_INFRA_CUSTOM;
    const char *name = weft_tree_text(t, "name", "");
    const struct weft_tree *device = NULL;
    uint32_t n = 0, *ids;
    int rc =
        *name ? infragraph_read_kind_of(r, t, &kind) : infra_fail(r, t, "a component has no name");
    rc = rc ? rc : count_of(r, t, &n);
    if (!rc && kind == WEFT_INFRA_DEVICE && !(device = named(r->devices, name)))
        return infra_fail(
            r, t, "component '%.60s' is a device, but there is no device of that name", name);
    if (rc)
        return rc;
    *part = (struct infra_part){.at = t, .name = name, .n = n};
    ids = malloc(n * sizeof *ids);
    if (!ids)
        return weft_err_no_memory(r->err, "a topology");
    for (uint32_t i = 0; !rc && i < n; i++) {
        const char *full = weft_arena_printf(r->arena, "%s.%s.%" PRIu32, prefix, name, i);
        if (!full)
            rc = weft_err_no_memory(r->err, "a topology");
        else if (device)
            rc = expand(r, device, full, instance, depth + 1, &ids[i]);
        else
            rc = add_vertex(r, full, name, kind, instance, &ids[i]);
    }
    part->first = r->members.n;
    for (uint32_t i = 0; !rc && i < n; i++)
        rc = infra_push(r, &r->members, ids[i]);
    free(ids);
    return rc;
}

static int add_edge(struct infra_reader *r, uint32_t a, uint32_t b, uint32_t link, bool outer)
{
    struct weft_infra *g = r->g;
    if (a == b)
        return 0;
    if (g->ne == WEFT_INFRA_EDGES_MAX)
        return weft_err_at(r->err, WEFT_E_LIMIT, g->file, 0, 0,
                           "the document has more than %" PRIu32 " edges", WEFT_INFRA_EDGES_MAX);
    if (!WEFT_GROW(g->e, g->ne, &r->e_cap))
        return weft_err_no_memory(r->err, "a topology");
    g->e[g->ne++] = (struct weft_infra_edge){a, b, link, outer};
    return 0;
}

static int infragraph_read_join(struct infra_reader *r, const struct weft_tree *edge,
                                const struct infra_list *a, const struct infra_list *b,
                                uint32_t link, bool outer)
{
    const char *scheme = weft_tree_text(edge, "scheme", "one2one");
    int rc = 0;
    if (strcmp(scheme, "one2one") == 0) {
        for (uint32_t i = 0; !rc && i < a->n && i < b->n; i++)
            rc = add_edge(r, a->id[i], b->id[i], link, outer);
    } else if (strcmp(scheme, "many2many") == 0) {
        for (uint32_t i = 0; !rc && i < a->n; i++)
            for (uint32_t k = 0; !rc && k < b->n; k++)
                rc = add_edge(r, a->id[i], b->id[k], link, outer);
    } else if (strcmp(scheme, "ring") == 0) {
        for (uint32_t i = 0; !rc && a->n > 1 && i < (a->n == 2 ? 1 : a->n); i++)
            rc = add_edge(r, a->id[i], a->id[(i + 1) % a->n], link, outer);
    } else {
        rc = infra_fail(r, weft_tree_get(edge, "scheme"),
                        "scheme '%.40s'; there are one2one, many2many and ring", scheme);
    }
    return rc;
}

/* A number under a key of a physical property, by its unit; below 0: none. */
static double quantity(const struct weft_tree *t, const char *const *units, const double *scale,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *text = weft_tree_text(t, units[i], NULL);
        char *end;
        const double v = text ? strtod(text, &end) : -1;
        if (text && end != text && !*end && v >= 0 && v < 1e12)
            return v * scale[i];
    }
    return -1;
}

/* The number of the link that an edge names, among those of `list`. */
static int link_of(struct infra_reader *r, const struct weft_tree *edge,
                   const struct weft_tree *list, uint32_t *out)
{
    static const char *const rates[] = {"gigabits_per_second", "gigabytes_per_second",
                                        "gigatransfers_per_second"};
    static const double rate_scale[] = {1e9, 8e9, 8e9};
    static const char *const times[] = {"ms", "us", "ns"};
    static const double time_scale[] = {1e9, 1e6, 1e3};
    const char *name = weft_tree_text(edge, "link", "");
    const struct weft_tree *t = named(list, name), *phys = weft_tree_get(t, "physical");
    struct weft_infra *g = r->g;
    if (!t)
        return infra_fail(r, weft_tree_get(edge, "link") ? weft_tree_get(edge, "link") : edge,
                          "there is no link '%.60s' here", name);
    for (*out = 0; *out < g->nlinks; ++*out)
        if (g->links[*out].at == t)
            return 0;
    if (!WEFT_GROW_ONE(g->links, g->nlinks))
        return weft_err_no_memory(r->err, "a topology");
    const double bps = quantity(weft_tree_get(phys, "bandwidth"), rates, rate_scale, 3);
    g->links[g->nlinks++] = (struct weft_infra_link){
        .name = name,
        .bps = bps < 1 ? 0 : bps,
        .ps = quantity(weft_tree_get(phys, "latency"), times, time_scale, 3),
        .at = t};
    return 0;
}

/* The edges within a device, or between instances. */
static int edges(struct infra_reader *r, const struct weft_tree *in, const struct infra_list *boxes)
{
    const struct weft_tree *list = weft_tree_get(in, "edges");
    int rc = 0;
    for (const struct weft_tree *e = list ? list->first : NULL; !rc && e; e = e->next) {
        struct infra_list ends[2] = {{0}, {0}};
        uint32_t link = 0;
        rc = link_of(r, e, weft_tree_get(in, "links"), &link);
        for (int k = 0; !rc && k < 2; k++) {
            const struct weft_tree *ep = weft_tree_get(e, k ? "ep2" : "ep1");
            struct infra_list own = {0};
            const struct weft_tree *instance = weft_tree_get(ep, "instance");
            if (!ep)
                rc = infra_fail(r, e, "an edge has no %s", k ? "ep2" : "ep1");
            else if (!boxes)
                rc = infra_fail(r, ep, "%s", "an end outside of an instance");
            if (!rc && r->top && in == r->root) {
                const char *text = instance ? instance->text : "";
                const size_t len = strcspn(text, "[");
                const struct weft_tree *list_of = weft_tree_get(r->root, "instances");
                uint32_t base = 0, n = 0, at[3];
                const struct weft_tree *i = list_of ? list_of->first : NULL;
                for (; i; i = i->next, base += n) {
                    const char *name = weft_tree_text(i, "name", "");
                    if (count_of(r, i, &n))
                        return r->err->code;
                    if (strlen(name) == len && strncmp(name, text, len) == 0)
                        break;
                }
                rc = i ? infra_slice(r, instance, text, strlen(text), n, at)
                       : infra_fail(r, instance ? instance : ep, "there is no instance '%.*s'",
                                    (int)(len < 60 ? len : 60), text);
                for (uint32_t j = rc ? 1 : at[0]; !rc && j < at[1]; j += at[2])
                    rc = infra_push(r, &own, r->top[base + j]);
            }
            rc = rc ? rc : infra_end_of(r, ep, in == r->root ? &own : boxes, &ends[k]);
            free(own.id);
        }
        rc = rc ? rc : infragraph_read_join(r, e, &ends[0], &ends[1], link, in == r->root);
        free(ends[0].id);
        free(ends[1].id);
    }
    return rc;
}

static int expand(struct infra_reader *r, const struct weft_tree *device, const char *prefix,
                  uint32_t instance, int depth, uint32_t *out)
{
    const struct weft_tree *list = weft_tree_get(device, "components");
    struct infra_part *parts;
    uint32_t n = list ? list->n : 0, k = 0;
    int rc = 0;
    if (depth == NESTED_MAX)
        return infra_fail(
            r, device, "devices within each other: more than %d, or one within itself", NESTED_MAX);
    if (!n)
        return infra_fail(r, device, "a device has no components");
    parts = weft_arena_calloc(r->arena, n, sizeof *parts);
    if (!parts)
        return weft_err_no_memory(r->err, "a topology");
    for (const struct weft_tree *t = list->first; !rc && t; t = t->next)
        rc = expand_part(r, t, prefix, instance, depth, &parts[k++]);
    if (rc)
        return rc;
    if (!WEFT_GROW(r->boxes, r->nboxes, &r->boxes_cap))
        return weft_err_no_memory(r->err, "a topology");
    r->boxes[r->nboxes] = (struct infra_box){device, parts, n};
    *out = r->nboxes++;
    const struct infra_list self = {.id = out, .n = 1};
    return edges(r, device, &self);
}

static int instances(struct infra_reader *r)
{
    const struct weft_tree *list = weft_tree_get(r->root, "instances");
    struct weft_infra *g = r->g;
    int rc = 0;
    for (const struct weft_tree *t = list ? list->first : NULL; !rc && t; t = t->next) {
        const char *name = weft_tree_text(t, "name", "");
        const struct weft_tree *device = named(r->devices, weft_tree_text(t, "device", ""));
        uint32_t n = 0;
        rc = count_of(r, t, &n);
        if (!rc && !device)
            rc = infra_fail(r, t, "instance '%.60s' is of a device '%.60s', which there is not",
                            name, weft_tree_text(t, "device", ""));
        for (uint32_t i = 0; !rc && i < n; i++) {
            const char *full = weft_arena_printf(r->arena, "%s.%" PRIu32, name, i);
            if (!full || !WEFT_GROW_ONE(g->boxes, g->nboxes) || !WEFT_GROW_ONE(r->top, g->nboxes))
                return weft_err_no_memory(r->err, "a topology");
            struct weft_infra_box *b = g->boxes;
            b[g->nboxes] = (struct weft_infra_box){.name = full,
                                                   .instance = name,
                                                   .device = weft_tree_text(t, "device", ""),
                                                   .first = g->nv,
                                                   .role = -1};
            rc = expand(r, device, full, g->nboxes, 0, &r->top[g->nboxes]);
            b[g->nboxes].n = g->nv - b[g->nboxes].first;
            g->nboxes++;
        }
    }
    return rc || g->nboxes ? rc : infra_fail(r, r->root, "the document has no instances");
}

/* --- */

struct keyed {
    uint64_t pair;
    uint32_t place;
};

static int by_pair(const void *va, const void *vb)
{
    const struct keyed *a = va, *b = vb;
    if (a->pair != b->pair)
        return a->pair < b->pair ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Joins each pair once: at the place of the first edge, by the link of the last. */
static int collapse(struct infra_reader *r)
{
    struct weft_infra *g = r->g;
    struct keyed *all = calloc((size_t)g->ne + 1, sizeof *all);
    bool *drop = calloc((size_t)g->ne + 1, sizeof *drop);
    int rc = all && drop ? 0 : weft_err_no_memory(r->err, "a topology");
    for (uint32_t i = 0; !rc && i < g->ne; i++) {
        const uint32_t a = g->e[i].a, b = g->e[i].b;
        all[i] = (struct keyed){(uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a), i};
    }
    if (!rc && g->ne)
        qsort(all, g->ne, sizeof *all, by_pair);
    for (uint32_t i = 1, first = 0; !rc && i < g->ne; i++) {
        first = all[i].pair == all[first].pair ? first : i;
        if (first != i) {
            g->e[all[first].place].link = g->e[all[i].place].link;
            drop[all[i].place] = true;
        }
    }
    uint32_t n = 0;
    for (uint32_t i = 0; !rc && i < g->ne; i++)
        if (!drop[i])
            g->e[n++] = g->e[i];
    g->ne = rc ? g->ne : n;
    free(all);
    free(drop);
    return rc;
}

static int read_document(struct infra_reader *r, const struct weft_tree *doc)
{
    const struct weft_tree *notes = weft_tree_get(doc, "annotations");
    r->root = weft_tree_get(doc, "infrastructure");
    r->root = r->root ? r->root : doc;
    r->devices = weft_tree_get(r->root, "devices");
    r->g->name = weft_tree_text(r->root, "name", "");
    if (!r->devices || r->devices->kind != WEFT_TREE_LIST || !weft_tree_get(r->root, "instances"))
        return infra_fail(
            r, r->root, "an InfraGraph document has lists 'devices' and 'instances'%s",
            r->devices && r->devices->kind == WEFT_TREE_MAP ? "; maps are of versions before 2"
                                                            : "");
    int rc = instances(r);
    const struct infra_list none = {0};
    rc = rc ? rc : edges(r, r->root, &none);
    rc = rc ? rc : weft_infra_annotate(r->g, notes, r->err);
    rc = rc ? rc : collapse(r);
    for (uint32_t i = 0; !rc && i < r->g->ne; i++)
        r->g->links[r->g->e[i].link].used++;
    return rc;
}

/* Moves a list from the heap to the arena. */
static int infragraph_read_keep(struct infra_reader *r, void *list, size_t size)
{
    void **at = list, *copy = weft_arena_alloc(r->arena, size);
    if (copy && size)
        memcpy(copy, *at, size);
    free(*at);
    *at = copy;
    return copy ? 0 : weft_err_no_memory(r->err, "a topology");
}

int weft_infra_read(const char *file, struct weft_arena *a, struct weft_infra *out,
                    struct weft_err *err)
{
    struct weft_tree *doc = NULL;
    char *text = NULL;
    size_t len = 0;
    *out = (struct weft_infra){.file = file};
    struct infra_reader r = {.g = out, .arena = a, .err = err};
    int rc = weft_file_read(file, FILE_MAX, &text, &len, err);
    rc = rc ? rc : weft_tree_parse(text, len, file, a, &doc, err);
    rc = rc ? rc : read_document(&r, doc);
    const int kept[] = {infragraph_read_keep(&r, &out->v, out->nv * sizeof *out->v),
                        infragraph_read_keep(&r, &out->e, out->ne * sizeof *out->e),
                        infragraph_read_keep(&r, &out->links, out->nlinks * sizeof *out->links),
                        infragraph_read_keep(&r, &out->boxes, out->nboxes * sizeof *out->boxes)};
    for (int i = 0; i < 4; i++)
        rc = rc ? rc : kept[i];
    free(r.boxes);
    free(r.members.id);
    free(r.top);
    free(text);
    return rc;
}
