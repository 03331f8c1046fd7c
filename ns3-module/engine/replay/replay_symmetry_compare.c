/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether two components are in the same state but for the names of their hosts, ports and QPs.
 *
 * A name stands for the place of its number among those of its component. What doesn't change is
 * compared here, the rest as replay_state.c reads it. So are the ways of packets, hop by hop: how
 * hashes of names chose among equal-cost ports does not matter.
 */
#include "core/context.h"
#include "replay.h"
#include "replay_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static int symmetry_by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void symmetry_number(uint32_t *list, uint32_t n, uint32_t *names)
{
    if (n)
        qsort(list, n, sizeof *list, symmetry_by_number);
    for (uint32_t i = 0; i < n; i++)
        names[list[i]] = i;
}

bool replay_symmetry_ready(struct weft_engine *e)
{
    struct replay_symmetry *w = &replay_of(e)->packets.symmetry;
    if (!w->names.port) {
        w->names.port = calloc(e->fabric->nports + (size_t)1, sizeof *w->names.port);
        w->names.node = calloc(e->fabric->nnodes + (size_t)1, sizeof *w->names.node);
    }
    if (w->qps < replay_of(e)->packets.qps) {
        const uint32_t n = replay_of(e)->packets.qps;
        uint32_t *more = realloc(w->names.qp, n * sizeof *more);
        if (!more)
            return false;
        w->names.qp = more;
        w->qps = n;
    }
    return w->names.port && w->names.node && w->names.qp;
}

void replay_symmetry_free(struct replay_symmetry *w)
{
    free(w->names.qp);
    free(w->names.port);
    free(w->names.node);
    replay_scope_free(&w->suspended);
    *w = (struct replay_symmetry){0};
}

void replay_symmetry_name(struct weft_engine *e, struct replay_scope *p)
{
    const struct snapshot_names *names = &replay_of(e)->packets.symmetry.names;
    symmetry_number(p->qps, p->nqps, names->qp);
    symmetry_number(p->ports, p->nports, names->port);
    symmetry_number(p->nodes, p->nnodes, names->node);
}

/* ---- comparing ---- */

static bool symmetry_same_path(const struct weft_engine *e, const struct qp *a, const struct qp *b,
                               bool forward)
{
    const uint32_t *names = replay_of(e)->packets.symmetry.names.port;
    uint32_t pa[MAX_PATH], pb[MAX_PATH];
    const uint32_t n = replay_scope_path(e, a, forward, pa);
    if (n == MAX_PATH || n != replay_scope_path(e, b, forward, pb))
        return false;
    for (uint32_t h = 0; h < n; h++)
        if (names[pa[h]] != names[pb[h]])
            return false;
    return true;
}

/* A line of a list of fields (core/fields.h): whether what never changes is the same. */
#define SYMMETRY_SAME(a, b, name, evolution)                                                       \
    same = same && (EVOLVES_##evolution != EVOLVES_BUILD ||                                        \
                    memcmp(&(a)->name, &(b)->name, sizeof(a)->name) == 0);

static bool symmetry_same_qp(const struct weft_engine *e, const struct qp *a, const struct qp *b)
{
    bool same = !a->snd->sprays && !b->snd->sprays;
#define FIELD(type, name, dimensions, evolution, owner) SYMMETRY_SAME(a, b, name, evolution)
#include "core/qp.def"
#define FIELD(type, name, dimensions, evolution, owner)                                            \
    SYMMETRY_SAME(a->snd, b->snd, name, evolution)
#include "core/sender.def"
    return same && symmetry_same_path(e, a, b, true) && symmetry_same_path(e, a, b, false);
}

static bool symmetry_same_port(const struct weft_engine *e, uint32_t pa, uint32_t pb)
{
    const struct snapshot_names *names = &replay_of(e)->packets.symmetry.names;
    const struct port *a = &e->ports[pa], *b = &e->ports[pb];
    const struct link_end *la = &e->ends[pa], *lb = &e->ends[pb];
    const uint32_t na = replay_scope_node(e, pa), nb = replay_scope_node(e, pb);
    bool same = a->ctrl.head == NIL && b->ctrl.head == NIL;
#define FIELD(type, name, dimensions, evolution, owner) SYMMETRY_SAME(a, b, name, evolution)
#include "core/port.def"
#define FIELD(type, name, dimensions, evolution, owner) SYMMETRY_SAME(la, lb, name, evolution)
#include "core/link_end.def"
    return same && names->port[la->peer] == names->port[lb->peer] &&
           (na == NIL ? nb == NIL : nb != NIL && names->node[na] == names->node[nb]);
}

static bool symmetry_same_node(const struct weft_engine *e, uint32_t na, uint32_t nb)
{
    const struct mmu *a = &e->mmu.of[na], *b = &e->mmu.of[nb];
    return a->in[0].size == b->in[0].size && a->in[1].size == b->in[1].size &&
           a->out[0].size == b->out[0].size && a->out[1].size == b->out[1].size && !a->eager &&
           !b->eager;
}

/* Whether what doesn't change is the same. */
static bool symmetry_same_build(const struct weft_engine *e, const struct replay_scope *a,
                                const struct replay_scope *b)
{
    if (a->nqps != b->nqps || a->nports != b->nports || a->nnodes != b->nnodes)
        return false;
    for (uint32_t i = 0; i < a->nports; i++)
        if (!symmetry_same_port(e, a->ports[i], b->ports[i]))
            return false;
    for (uint32_t i = 0; i < a->nnodes; i++)
        if (!symmetry_same_node(e, a->nodes[i], b->nodes[i]))
            return false;
    for (uint32_t i = 0; i < a->nqps; i++)
        if (!symmetry_same_qp(e, qp_at(e, a->qps[i]), qp_at(e, b->qps[i])))
            return false;
    return true;
}

bool replay_symmetry_read(struct weft_engine *e, struct replay_scope *p, struct snapshot *t,
                          enum snapshot_use use)
{
    snapshot_start(t, use, e->now);
    t->names = &replay_of(e)->packets.symmetry.names;
    replay_state_read(e, p, t);
    t->names = NULL;
    replay_count_state(e, t->at);
    return snapshot_over(t);
}

bool replay_symmetry_same(struct weft_engine *e, struct replay_component *lead,
                          struct replay_component *k)
{
    return lead->snapshot.n && symmetry_same_build(e, &lead->scope, &k->scope) &&
           replay_symmetry_read(e, &k->scope, &lead->snapshot, SNAPSHOT_COMPARE);
}
