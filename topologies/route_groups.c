/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pool of port groups; see route_groups.h.
 */
#include "topologies/route_groups.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

int weft_route_groups_open(struct weft_route_groups *g, uint32_t nports, struct weft_err *err)
{
    memset(g, 0, sizeof *g);
    g->nidentity = g->used = nports;
    g->ports_cap = nports + 64;
    g->ports = malloc((size_t)g->ports_cap * sizeof *g->ports);
    g->nslots = 1024;
    g->slots = calloc(g->nslots, sizeof *g->slots);
    g->single = calloc((size_t)nports + 1, sizeof *g->single);
    if (!g->ports || !g->slots || !g->single)
        return weft_err_no_memory(err, "the route groups");
    for (uint32_t i = 0; i < nports; i++)
        g->ports[i] = i;
    return weft_route_groups_append(g, NULL, 0, err);
}

static uint32_t hash_list(const uint32_t *list, uint32_t n)
{
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++) {
        h = (h ^ list[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (uint32_t)(h ^ (h >> 32));
}

/* Keeps the hash at most half full. */
static int rehash(struct weft_route_groups *g, struct weft_err *err)
{
    uint32_t nslots = g->nslots * 2;
    uint32_t *slots = calloc(nslots, sizeof *slots);
    if (!slots)
        return weft_err_no_memory(err, "the route groups");
    for (uint32_t i = 0; i < g->nslots; i++) {
        if (!g->slots[i])
            continue;
        const struct group_span *s = &g->spans[g->slots[i] - 1];
        uint32_t at = hash_list(g->ports + s->first, s->n) & (nslots - 1);
        while (slots[at])
            at = (at + 1) & (nslots - 1);
        slots[at] = g->slots[i];
    }
    free(g->slots);
    g->slots = slots;
    g->nslots = nslots;
    return 0;
}

/* Where the list is stored: inside the identity when it is a run, else appended. */
static int store(struct weft_route_groups *g, const uint32_t *list, uint32_t n, uint32_t *first,
                 struct weft_err *err)
{
    if (n == 0 || list[n - 1] - list[0] == n - 1) {
        *first = n ? list[0] : 0;
        return 0;
    }
    if (g->used > UINT32_MAX / 2 - n)
        return weft_err_set(err, WEFT_E_LIMIT, "too many route groups");
    if (!WEFT_GROW_TO(g->ports, g->used + n, &g->ports_cap))
        return weft_err_no_memory(err, "the route groups");
    memcpy(g->ports + g->used, list, (size_t)n * sizeof *list);
    *first = g->used;
    g->used += n;
    return 0;
}

int weft_route_groups_append(struct weft_route_groups *g, const uint32_t *list, uint32_t n,
                             struct weft_err *err)
{
    if (g->n > UINT32_MAX / 8)
        return weft_err_set(err, WEFT_E_LIMIT, "too many route groups");
    if (!WEFT_GROW(g->spans, g->n, &g->spans_cap))
        return weft_err_no_memory(err, "the route groups");
    uint32_t first = 0;
    int rc = store(g, list, n, &first, err);
    if (rc)
        return rc;
    g->spans[g->n++] = (struct group_span){first, n};
    return 0;
}

int weft_route_groups_add(struct weft_route_groups *g, const uint32_t *list, uint32_t n,
                          uint32_t *id, struct weft_err *err)
{
    if (n == 0) {
        *id = 0;
        return 0;
    }
    if (n == 1 && g->single[list[0]]) {
        *id = g->single[list[0]] - 1;
        return 0;
    }
    uint32_t at = hash_list(list, n) & (g->nslots - 1);
    while (g->slots[at]) {
        const struct group_span *s = &g->spans[g->slots[at] - 1];
        if (s->n == n && memcmp(g->ports + s->first, list, (size_t)n * sizeof *list) == 0) {
            *id = g->slots[at] - 1;
            return 0;
        }
        at = (at + 1) & (g->nslots - 1);
    }
    *id = g->n;
    int rc = weft_route_groups_append(g, list, n, err);
    if (rc)
        return rc;
    g->slots[at] = *id + 1;
    if (n == 1)
        g->single[list[0]] = *id + 1;
    return g->n > g->nslots / 2 ? rehash(g, err) : 0;
}

void weft_route_groups_seal(struct weft_route_groups *g)
{
    free(g->slots);
    free(g->single);
    g->slots = g->single = NULL;
    g->nslots = 0;
}

void weft_route_groups_close(struct weft_route_groups *g)
{
    free(g->ports);
    free(g->spans);
    free(g->slots);
    free(g->single);
    memset(g, 0, sizeof *g);
}
