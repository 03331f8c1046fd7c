/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queue samples: ports, queues, buffers and QPs as they are at one moment, for series over time.
 *
 * Nothing is kept for it while the engine runs, except that QPs remember their last round-trip time
 * once weft_engine_note_rtts was called.
 */
#include "core/context.h"
#include "core/gap.h"
#include "core/moment.h"
#include "core/executor.h"

#include <string.h>

/* Bytes of the packet on the wire that have not left yet. */
static uint64_t unsent_bytes(const struct weft_engine *e, const struct port *p)
{
    const int64_t ps = moment_yet_to_send(e, p);
    return ps ? (uint64_t)(((weft_u128)ps << GAP_SHIFT) / p->ser_q) : 0;
}

void weft_engine_port_state(struct weft_engine *e, uint32_t port, struct weft_port_state *out)
{
    const struct port *p = moment_port(e, port);
    const int64_t now = moment_reached_ps(e);
    out->tx_bytes = moment_tx_bytes(e, p);
    out->unsent_bytes = unsent_bytes(e, p);
    out->paused = p->paused;
    for (uint32_t k = 0; k < WEFT_PRIOS; k++) {
        const bool on = p->hold && (p->paused >> k & 1) && now > p->hold->from_ps[k];
        out->queue_bytes[k] = p->lane[k].qbytes;
        out->paused_ps[k] = p->hold ? p->hold->total_ps[k] : 0;
        out->paused_ps[k] += on ? now - p->hold->from_ps[k] : 0;
    }
}

void weft_engine_buffer_state(struct weft_engine *e, uint32_t node, struct weft_buffer_state *out)
{
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    *out = (struct weft_buffer_state){0};
    for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++)
        moment_port(e, i);
    for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++)
        for (uint32_t k = 0; k < WEFT_PRIOS; k++) {
            const struct lane *l = &e->ports[i].lane[k];
            out->used_bytes += (uint64_t)l->in_bytes + l->in_hdrm;
            out->headroom_bytes += l->in_hdrm;
        }
    out->shared_bytes = e->mmu.of[node].in[0].used + e->mmu.of[node].in[1].used;
}

uint32_t weft_engine_qps(const struct weft_engine *e)
{
    return e->qps.pool.n;
}

bool weft_engine_qp_state(struct weft_engine *e, uint32_t qpn, struct weft_qp_state *out)
{
    posts_flush(e);
    const uint32_t qi = qpn - WEFT_FIRST_QPN;
    const struct qp *q = qp_at(e, qi);
    const struct sender *snd = q->snd;
    if (q->own_prio == FRAME_PRIO)
        return false;
    *out = (struct weft_qp_state){
        .qpn = qpn,
        .src = q->src_host,
        .dst = q->dst_host,
        .prio = q->own_prio,
        .number = q->number,
        .rate_bps = snd->out.rate_bps,
        .window_bytes = snd->out.cwnd_bytes,
        .in_flight_bytes =
            snd->counted ? rare_of(q)->flight_bytes : snd->nxt_bytes - snd->una_bytes,
        .acked_bytes = snd->una_bytes,
        .msg = q->head_msg == NIL ? UINT64_MAX : msg_at(e, q->head_msg)->id,
    };
    if (e->extension)
        e->extension->ops->qp_state(e, qi, out);
    if (e->qps.rtt_ps.base)
        out->rtt_ps = ((const int64_t *)(const void *)e->qps.rtt_ps.base)[qi];
    return true;
}

int weft_engine_note_rtts(struct weft_engine *e, struct weft_err *err)
{
    posts_flush(e);
    if (!e->qps.rtt_ps.base && !stable_init_beside(&e->qps.rtt_ps, sizeof(int64_t), &e->qps.pool))
        return weft_err_no_memory(err, "the addresses of round-trip times");
    e->path.rare |= RARE_ACK;
    return 0;
}

bool weft_engine_queue_times(struct weft_engine *e, uint32_t port, uint32_t prio, int64_t end_ps,
                             int64_t time_ps[WEFT_QUEUE_BINS])
{
    moment_port(e, port);
    const struct histogram *h =
        e->histograms.of ? e->histograms.of[(size_t)port * WEFT_PRIOS + prio] : NULL;
    if (!h)
        return false;
    memcpy(time_ps, h->time_ps, sizeof h->time_ps);
    if (end_ps > h->since_ps)
        time_ps[weft_queue_bin(h->bytes)] += end_ps - h->since_ps;
    /* packets that go through at once enter a queue or not, as the port is played (lazy.c) */
    for (uint32_t bin = 1; bin < WEFT_QUEUE_BINS; bin++)
        if (time_ps[bin])
            return true;
    return false;
}
