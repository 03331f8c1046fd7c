/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When messages start at their NIC and have left it. The packets that hosts send for the first time
 * are those of the messages of their queue pair, in the order posted. Messages of carriers without
 * such packets (the backend 'ideal', TCP) start when they are posted and have left when they have
 * arrived.
 */
#include "lib/sim.h"

#include "base/hash_table.h"
#include "base/int128.h"

#include <stdlib.h>
#include <string.h>

/* Preamble, start of frame and gap around a frame on the wire, and the least that a frame has. */
#define NICS_GAP_BYTES 20u
#define NICS_FRAME_MIN_BYTES 64u

/* The messages of a QP that have not left. */
struct nics_qp {
    struct {
        uint32_t src, dst, prio, qp;
    } key;
    bool lost;
    uint32_t first, last; /* slots; WEFT_NO_SLOT: none */
    uint64_t bytes;       /* sent of the first */
    uint64_t next_psn;    /* of the next packet that is not sent again */
    UT_hash_handle hh;
};

struct sim_nics {
    struct weft_sim *sim;
    struct nics_qp *qps;
    uint8_t *ports; /* not 0: of a host */
    uint32_t prio;  /* of messages that ask for none */
    uint32_t
        other; /* priorities of other carriers, by bits; bit 8: of messages that ask for none */
};

static struct nics_qp *nics_qp(struct sim_nics *n, uint32_t src, uint32_t dst, uint32_t prio,
                               uint32_t qp, bool make)
{
    struct nics_qp *q, like;
    memset(&like, 0, sizeof like);
    like.key.src = src;
    like.key.dst = dst;
    like.key.prio = prio;
    like.key.qp = qp;
    HASH_FIND(hh, n->qps, &like.key, sizeof like.key, q);
    if (q || !make || !(q = (struct nics_qp *)malloc(sizeof *q)))
        return q;
    *q = like;
    q->first = q->last = WEFT_NO_SLOT;
    HASH_ADD(hh, n->qps, key, sizeof q->key, q);
    if (q->lost) {
        free(q);
        q = NULL;
    }
    return q;
}

static void nics_left(void *ctx, uint64_t slot)
{
    struct weft_sim *s = (struct weft_sim *)ctx;
    if (sim_event(s, (uint32_t)slot, WEFT_SENT, s->net->ops->now_ps(s->net)))
        sim_break(s);
}

/* The time that a frame takes at a port. */
static int64_t nics_frame_ps(const struct weft_sim *s, const struct weft_net_packet *p)
{
    const struct weft_fabric *f = s->parts.fabric;
    const uint64_t rate_bps = f->links[f->ports[p->port].link].rate_bps;
    const uint32_t frame =
        p->frame_bytes < NICS_FRAME_MIN_BYTES ? NICS_FRAME_MIN_BYTES : p->frame_bytes;
    return (int64_t)((weft_u128)(frame + NICS_GAP_BYTES) * 8 * UINT64_C(1000000000000) / rate_bps);
}

/* A packet goes for the first time. */
static int nics_sent(struct weft_sim *s, struct nics_qp *q, const struct weft_net_packet *p)
{
    const uint32_t slot = q->first;
    const struct sim_item *i = sim_item(s, slot);
    q->next_psn = p->psn + 1;
    q->bytes += p->payload_bytes;
    const bool whole = q->bytes >= i->bytes;
    const uint32_t next = i->next;
    if (sim_event(s, slot, WEFT_STARTED, p->t_ps))
        return s->err.code;
    if (!whole)
        return 0;
    q->bytes = 0;
    q->first = next;
    return s->net->ops->after(s->net, nics_frame_ps(s, p), nics_left, s, slot, &s->err);
}

static void nics_packet(void *ctx, const struct weft_net_packet *p)
{
    struct sim_nics *n = (struct sim_nics *)ctx;
    if (p->what != WEFT_NET_PACKET_SENT || p->kind != WEFT_PKT_DATA)
        return;
    struct nics_qp *q = nics_qp(n, p->src, p->dst, p->prio, p->qp, false);
    if (q && q->first != WEFT_NO_SLOT && p->psn >= q->next_psn && nics_sent(n->sim, q, p))
        sim_break(n->sim);
}

int sim_nics_posted(struct weft_sim *s, uint32_t slot)
{
    struct sim_nics *n = s->nics;
    struct sim_item *i = sim_item(s, slot);
    const uint32_t bit = i->prio == WEFT_PRIO_DEFAULT ? WEFT_NET_PRIOS : i->prio;
    if (n->other >> bit & 1)
        return sim_event(s, slot, WEFT_STARTED, s->net->ops->now_ps(s->net));
    struct nics_qp *q =
        nics_qp(n, i->src, i->dst, i->prio == WEFT_PRIO_DEFAULT ? n->prio : i->prio, i->qp, true);
    if (!q)
        return weft_err_no_memory(&s->err, "queue pairs");
    i->next = WEFT_NO_SLOT;
    if (q->first == WEFT_NO_SLOT)
        q->first = slot;
    else
        sim_item(s, q->last)->next = slot;
    q->last = slot;
    return 0;
}

int sim_nics_over(struct weft_sim *s, uint32_t slot, const struct weft_completion *done)
{
    return sim_event(s, slot, WEFT_SENT, done->received_ps);
}

int sim_nics_new(struct weft_sim *s, struct weft_err *err)
{
    const struct weft_fabric *f = s->parts.fabric;
    struct sim_nics *n = s->nics = (struct sim_nics *)calloc(1, sizeof *n);
    if (!n || !(n->ports = (uint8_t *)calloc(f->nports, 1)))
        return weft_err_no_memory(err, "the ports of hosts");
    n->sim = s;
    struct weft_scenario_classes others = {0};
    const bool packets = weft_scenario_classes(s->scenario, &others);
    n->other = packets ? others.tcp : UINT32_MAX;
    n->prio = weft_scenario_manner(s->scenario, f).prio;
    for (uint32_t p = 0; p < f->nports; p++)
        n->ports[p] = f->nodes[f->ports[p].node].kind == WEFT_NODE_HOST;
    const struct weft_net_changes changes = {.ctx = n, .packet = nics_packet, .ports = n->ports};
    return packets ? s->net->ops->state->note_changes(s->net, &changes, err) : 0;
}

void sim_nics_free(struct sim_nics *n)
{
    struct nics_qp *q, *next;
    if (!n)
        return;
    HASH_ITER(hh, n->qps, q, next)
    {
        HASH_DEL(n->qps, q);
        free(q);
    }
    free(n->ports);
    free(n);
}
