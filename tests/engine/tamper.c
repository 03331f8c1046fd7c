/* SPDX-License-Identifier: GPL-2.0-only */
#include "tamper.h"

#include "ns3-module/engine/balance/entropy.h"
#include "ns3-module/engine/core/context.h"

void tamper_posted_later(struct weft_engine *e, uint32_t record, int64_t by_ps)
{
    msg_at(e, record)->post_ps += by_ps;
}

uint32_t tamper_next_value(struct weft_engine *e, uint32_t qp)
{
    return entropy_next(e, qp_at(e, qp));
}

void tamper_value_marked(struct weft_engine *e, uint32_t qp, uint32_t value, bool trimmed)
{
    entropy_feed(e, qp_at(e, qp), value, trimmed ? ENTROPY_TRIMMED : ENTROPY_MARKED);
}

void tamper_swap_ack_ports(struct weft_engine *e, uint32_t host)
{
    const struct weft_fabric_node *n = &e->fabric->nodes[e->fabric->hosts[host]];
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        struct qp *q = qp_at(e, i);
        if (q->dst_host == host)
            q->ack_port = n->first_port + (q->ack_port - n->first_port + 1) % n->nports;
    }
}

bool tamper_packets_in_a_circle(struct weft_engine *e, bool link)
{
    for (uint32_t port = 0; port < e->fabric->nports; port++)
        for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++) {
            const struct list *l = link ? &e->ends[port].fly : &e->ports[port].lane[prio].q;
            if (l->head == NIL)
                continue;
            pkt_at(e, l->tail)->next = l->head;
            return true;
        }
    return false;
}

bool tamper_turns_in_a_circle(struct weft_engine *e, uint32_t port)
{
    for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++) {
        const struct list *l = &e->nics.of[e->ports[port].nic].ready[prio];
        if (l->head == NIL)
            continue;
        qp_at(e, l->tail)->snd->next = l->head;
        return true;
    }
    return false;
}
