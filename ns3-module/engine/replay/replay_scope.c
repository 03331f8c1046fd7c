/* SPDX-License-Identifier: GPL-2.0-only */
/* Which QPs, ports and nodes traffic goes through. */
#include "core/context.h"
#include "balance/ecmp.h"
#include "core/pkt.h"
#include "core/grow.h"
#include "replay_state.h"

#include <stdlib.h>
#include <string.h>

bool replay_scope_clear(const struct weft_engine *e, struct replay_scope *p)
{
    const struct weft_fabric *f = e->fabric;
    const uint32_t nqps = e->qps.pool.n;
    p->mark = 1;
    p->failed = false;
    if (!p->has_port) {
        p->has_port = malloc((f->nports + (size_t)1) * sizeof *p->has_port);
        p->has_node = malloc((f->nnodes + (size_t)1) * sizeof *p->has_node);
        p->arrive_ps = malloc((f->nports + (size_t)1) * sizeof *p->arrive_ps);
    }
    if (nqps > p->qps_cap) {
        free(p->moved);
        free(p->has_qp);
        p->qps_cap = nqps;
        p->has_qp = malloc(nqps * sizeof *p->has_qp);
        p->moved = malloc(nqps * sizeof *p->moved);
    }
    if (!p->has_port || !p->has_node || !p->arrive_ps || (nqps && (!p->moved || !p->has_qp)))
        return false;
    memset(p->has_port, 0, f->nports * sizeof *p->has_port);
    memset(p->has_node, 0, f->nnodes * sizeof *p->has_node);
    if (p->has_qp)
        memset(p->has_qp, 0, p->qps_cap * sizeof *p->has_qp);
    p->nqps = p->nports = p->nnodes = 0;
    return true;
}

static bool scope_append(uint32_t **list, uint32_t *n, uint32_t *room, uint32_t number)
{
    if (!GROW(*list, *n, room))
        return false;
    (*list)[(*n)++] = number;
    return true;
}

bool replay_scope_knows(const struct pkt *k)
{
    return k->kind == WEFT_PKT_DATA || k->kind == WEFT_PKT_ACK || k->kind == WEFT_PKT_CNP ||
           k->kind == WEFT_PKT_PFC;
}

uint32_t replay_scope_node(const struct weft_engine *e, uint32_t port)
{
    return e->ports[port].nic == NIL ? e->ports[port].node : NIL;
}

uint32_t replay_scope_path(const struct weft_engine *e, const struct qp *q, bool forward,
                           uint32_t *ports)
{
    return ecmp_path(e, e->routing.routes, q, forward, ports);
}

void replay_scope_each_port(const struct weft_engine *e, uint32_t qi,
                            void (*fn)(void *ctx, uint32_t port), void *ctx)
{
    const struct qp *q = qp_at(e, qi);
    uint32_t ports[MAX_PATH];
    for (int forward = 0; forward < 2; forward++) {
        const uint32_t n = replay_scope_path(e, q, forward, ports);
        for (uint32_t h = 0; h < n; h++) {
            fn(ctx, ports[h]);
            fn(ctx, e->ends[ports[h]].peer);
        }
    }
}

struct adding {
    const struct weft_engine *e;
    struct replay_scope *p;
};

static void scope_add_port(void *ctx, uint32_t port)
{
    const struct adding *a = ctx;
    struct replay_scope *p = a->p;
    if (p->failed || replay_scope_has_port(p, port))
        return;
    p->failed = !scope_append(&p->ports, &p->nports, &p->ports_room, port);
    if (p->failed)
        return;
    p->has_port[port] = p->mark;
    const uint32_t node = replay_scope_node(a->e, port);
    if (node == NIL || p->has_node[node] == p->mark)
        return;
    p->failed = !scope_append(&p->nodes, &p->nnodes, &p->nodes_room, node);
    if (!p->failed)
        p->has_node[node] = p->mark;
}

void replay_scope_add(const struct weft_engine *e, struct replay_scope *p, uint32_t qi)
{
    struct adding a = {e, p};
    if (p->failed || p->has_qp[qi] == p->mark)
        return;
    p->failed = !scope_append(&p->qps, &p->nqps, &p->qps_room, qi);
    if (p->failed)
        return;
    p->has_qp[qi] = p->mark;
    replay_scope_each_port(e, qi, scope_add_port, &a);
}

void replay_scope_free(struct replay_scope *p)
{
    free(p->qps);
    free(p->ports);
    free(p->nodes);
    if (!p->component) {
        free(p->has_port);
        free(p->has_node);
        free(p->has_qp);
        free(p->arrive_ps);
        free(p->moved);
    }
    *p = (struct replay_scope){0};
}
