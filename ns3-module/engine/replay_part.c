/* SPDX-License-Identifier: GPL-2.0-only */
/* Which QPs, ports and nodes traffic goes through. */
#include "context.h"
#include "ecmp.h"
#include "qp.h"
#include "replay_state.h"

#include <stdlib.h>
#include <string.h>

bool replay_part_clear(const struct weft_engine *e, struct replay_part *p)
{
    const struct weft_fabric *f = e->fabric;
    const uint32_t nqps = e->qps.pool.n;
    if (!p->has_port) {
        p->has_port = malloc(f->nports + (size_t)1);
        p->has_node = malloc(f->nnodes + (size_t)1);
        p->ports = malloc((f->nports + (size_t)1) * sizeof *p->ports);
        p->nodes = malloc((f->nnodes + (size_t)1) * sizeof *p->nodes);
        p->arrive_ps = malloc((f->nports + (size_t)1) * sizeof *p->arrive_ps);
    }
    if (nqps > p->qps_cap) {
        free(p->qps);
        free(p->moved);
        free(p->has_qp);
        p->qps_cap = nqps;
        p->has_qp = malloc(nqps);
        p->qps = malloc(nqps * sizeof *p->qps);
        p->moved = malloc(nqps * sizeof *p->moved);
    }
    if (!p->has_port || !p->has_node || !p->ports || !p->nodes || !p->arrive_ps ||
        (nqps && (!p->qps || !p->moved || !p->has_qp)))
        return false;
    memset(p->has_port, 0, f->nports);
    memset(p->has_node, 0, f->nnodes);
    if (p->has_qp)
        memset(p->has_qp, 0, p->qps_cap);
    p->nqps = p->nports = p->nnodes = 0;
    return true;
}

static void add_port(const struct weft_engine *e, struct replay_part *p, uint32_t port)
{
    if (p->has_port[port])
        return;
    const uint32_t node = e->ports[port].node;
    p->has_port[port] = 1;
    p->ports[p->nports++] = port;
    if (e->ports[port].nic == NIL && !p->has_node[node]) {
        p->has_node[node] = 1;
        p->nodes[p->nnodes++] = node;
    }
}

void replay_part_add(const struct weft_engine *e, struct replay_part *p, uint32_t qi)
{
    const struct qp *q = qp_at(e, qi);
    uint32_t ports[MAX_PATH];
    if (p->has_qp[qi])
        return;
    p->has_qp[qi] = 1;
    p->qps[p->nqps++] = qi;
    for (int forward = 0; forward < 2; forward++) {
        const uint32_t n = ecmp_path(e, e->routing.routes, q, forward, ports);
        for (uint32_t h = 0; h < n; h++) {
            add_port(e, p, ports[h]);
            add_port(e, p, e->ports[ports[h]].peer);
        }
    }
}

void replay_part_free(struct replay_part *p)
{
    free(p->qps);
    free(p->ports);
    free(p->nodes);
    free(p->has_port);
    free(p->has_node);
    free(p->has_qp);
    free(p->arrive_ps);
    free(p->ahead);
    free(p->moved);
    *p = (struct replay_part){0};
}
