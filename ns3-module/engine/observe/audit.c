/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters, conservation laws, and the explanation of what is stuck.
 *
 * Laws: every packet made was delivered, dropped, or is alive; every link delivered what it
 * carried; every switch holds what
 * its ingress accounting says and what its egress queues say; no port was busy longer than time has
 * passed; no message
 * or QP acknowledged more than it sent; payload that came into a node and was made there is what
 * was taken there, left, waits or was dropped.
 *
 * A host takes only what names it, and forwards only where hosts may: that is looked at with each
 * packet that comes to a host (switch/forward.c), and ends the run at once.
 */
#include "core/context.h"
#include "core/extension.h"
#include "switch/lazy.h"
#include "transport/qp.h"
#include "transport/reroute.h"
#include "core/moment.h"
#include "core/walk.h"
#include "diagnose.h"
#include "core/executor.h"
#include "all_parts.h"
#include "stall.h"
#include "switch/credit.h"
#include "switch/in_network.h"
#include "switch/mmu.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void weft_engine_catch_up(struct weft_engine *e)
{
    lazy_catch_up(e);
}

uint64_t weft_engine_events(struct weft_engine *e)
{
    return e->peers ? part_sum(e, e->tot.events) : extension_events(e);
}

void weft_engine_totals(struct weft_engine *e, struct weft_totals *out)
{
    if (e->peers) {
        *out = *all_parts_totals(e);
        return;
    }
    weft_engine_catch_up(e);
    *out = e->tot;
    out->packets_in_flight = e->pkts.pool.live;
}

void weft_engine_port_stats(struct weft_engine *e, uint32_t port, struct weft_port_counters *out)
{
    const uint64_t *queued;
    if (!e->peers) {
        moment_counters(e, moment_port(e, port), out);
        return;
    }
    const struct weft_port_counters *all = all_parts_port(e, port, &queued);
    *out = all ? *all : (struct weft_port_counters){0};
}

uint64_t weft_engine_queue_bytes(struct weft_engine *e, uint32_t port, uint32_t prio)
{
    const uint64_t *queued;
    if (e->peers)
        return all_parts_port(e, port, &queued) ? queued[prio] : 0;
    return moment_port(e, port)->lane[prio].qbytes;
}

#define LAW(err, cond, ...)                                                                        \
    do {                                                                                           \
        if (!(cond))                                                                               \
            return weft_err_set(err, WEFT_E_INTERNAL, "conservation: " __VA_ARGS__);               \
    } while (0)

/* Has @p law look at the ports of this process. */
static int check_each(const struct weft_engine *e, struct weft_err *err,
                      int (*law)(const struct weft_engine *e, uint32_t first, uint32_t end,
                                 struct weft_err *err))
{
    int rc = 0;
    for (uint32_t i = 0; i < e->fabric->nnodes && !rc; i++) {
        const struct weft_fabric_node *n = &e->fabric->nodes[i];
        if (part_own(e, i))
            rc = law(e, n->first_port, n->first_port + n->nports, err);
    }
    return rc;
}

/* Packets sent to a port come out, or are on the link. Of ports of other processes it is known
 * modulo 2^32. */
static int check_links(const struct weft_engine *e, uint32_t first, uint32_t end,
                       struct weft_err *err)
{
    for (uint32_t to = first; to < end; to++) {
        const uint32_t i = e->ends[to].peer;
        const struct link_end *l = &e->ends[i];
        const bool own = part_far_own(e, to);
        const uint64_t sent = own ? e->ports[i].st.tx_packets : l->sent_packets;
        uint64_t out = l->rx_packets, flying = 0;
        WALK_PKTS(e, k, l->fly.head, "packets on a link")
            flying++;
        LAW(err, own ? sent == out + flying : sent == (uint32_t)(out + flying),
            "port %u sent %" PRIu64 " packets, %" PRIu64 " came out and %" PRIu64
            " are on the link",
            i, sent, out, flying);
    }
    return 0;
}

static int check_ports(const struct weft_engine *e, uint32_t first, uint32_t end,
                       struct weft_err *err)
{
    for (uint32_t i = first; i < end; i++) {
        const struct port *p = &e->ports[i];
        int64_t busy = p->st.busy_ps - moment_yet_to_send(e, p);
        LAW(err, busy <= moment_reached_ps(e), "port %u was busy %" PRId64 " ps of %" PRId64, i,
            busy, moment_reached_ps(e));
        uint64_t q = 0;
        for (uint32_t k = 0; k < WEFT_PRIOS; k++)
            q += p->lane[k].qbytes;
        LAW(err, q == p->qtotal, "port %u queues hold %" PRIu64 " bytes, counted %" PRIu64, i, q,
            p->qtotal);
    }
    return 0;
}

/* Bytes that wait at a port on their way through. */
static uint64_t forwarded_bytes(const struct weft_engine *e, const struct port *p)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < WEFT_PRIOS; k++)
        WALK_PKTS(e, i, p->lane[k].q.head, "packets of a queue")
            bytes += pkt_at(e, i)->in_port != NIL ? pkt_at(e, i)->frame : 0;
    return bytes;
}

static int check_switches(const struct weft_engine *e, struct weft_err *err)
{
    const struct weft_fabric *f = e->fabric;
    for (uint32_t n = 0; n < f->nnodes; n++) {
        if (!weft_fabric_forwards(f, n) || !part_own(e, n))
            continue;
        const struct mmu *m = &e->mmu.of[n];
        const uint64_t reserve = e->p.sw.reserve_bytes;
        uint64_t in = 0, out = 0, guarded = 0, shared[2] = {0}, queued[2] = {0};
        for (uint32_t k = 0; k < f->nodes[n].nports; k++) {
            const struct port *p = &e->ports[f->nodes[n].first_port + k];
            out +=
                p->nic == NIL && !e->in_network && !e->signal ? p->qtotal : forwarded_bytes(e, p);
            out += e->spread.kept ? e->spread.kept[f->nodes[n].first_port + k].bytes : 0;
            for (uint32_t c = 0; c < WEFT_PRIOS; c++) {
                const bool apart = credit_guards(e, f->nodes[n].first_port + k, c);
                in += (uint64_t)p->lane[c].in_bytes + p->lane[c].in_hdrm;
                guarded += apart ? p->lane[c].in_bytes : 0;
                if (p->lane[c].in_bytes > reserve && !apart)
                    shared[e->mmu.in_pool[c]] += p->lane[c].in_bytes - reserve;
                if ((e->mmu.egress_pooled >> c & 1) && p->lane[c].qbytes > reserve)
                    queued[!(e->mmu.lossless >> c & 1)] += p->lane[c].qbytes - reserve;
                LAW(err, p->lane[c].in_hdrm <= p->kind->headroom + e->mmu.train_bytes,
                    "node %u uses more headroom than there is", n);
            }
        }
        LAW(err, in == out, "node %u holds %" PRIu64 " bytes by ingress, %" PRIu64 " by egress", n,
            in, out);
        for (int k = 0; k < 2; k++) {
            LAW(err, shared[k] == m->in[k].used && shared[k] <= m->in[k].size,
                "node %u shares %" PRIu64 " bytes of ingress pool %d, counted %" PRIu64
                " of %" PRIu64,
                n, shared[k], k, m->in[k].used, m->in[k].size);
            LAW(err, queued[k] == m->out[k].used && queued[k] <= m->out[k].size,
                "node %u queues %" PRIu64 " bytes of egress pool %d, counted %" PRIu64
                " of %" PRIu64,
                n, queued[k], k, m->out[k].used, m->out[k].size);
        }
        LAW(err, in == guarded || in - guarded <= mmu_buffer_bytes(&e->p, f, n),
            "node %u holds more than its buffer", n);
    }
    return 0;
}

static uint64_t payload_of(const struct weft_engine *e, const struct list *l)
{
    uint64_t bytes = 0;
    WALK_PKTS(e, i, l->head, "packets of a queue, or on a link")
        bytes += pkt_at(e, i)->payload;
    return bytes;
}

/* Packets sent to a port. */
static uint64_t payload_sent(const struct weft_engine *e, uint32_t to)
{
    const uint32_t port = e->ends[to].peer;
    return part_far_own(e, to) ? e->ports[port].st.tx_payload_bytes : e->ends[port].sent_payload;
}

/* Payload by node. What a QP sends again counts as made again, and what comes again as taken again;
 * a packet lost on a link has left its node and come into none. */
static int check_payload(const struct weft_engine *e, struct weft_err *err)
{
    const struct weft_fabric *f = e->fabric;
    char name[WEFT_NODE_NAME_MAX];
    int rc = 0;
    for (uint32_t n = 0; n < f->nnodes && !rc; n++) {
        if (!part_own(e, n))
            continue;
        const struct weft_fabric_node *x = &f->nodes[n];
        uint64_t in = 0, out = 0, stay = 0, made = e->own[n].made, taken = e->own[n].taken;
        for (uint32_t k = x->first_port; k < x->first_port + x->nports; k++) {
            const struct port *p = &e->ports[k];
            const uint32_t peer = e->ends[k].peer;
            made += x->kind == WEFT_NODE_HOST ? e->nics.of[p->nic].made_bytes : 0;
            taken += x->kind == WEFT_NODE_HOST ? e->nics.of[p->nic].taken_bytes : 0;
            in +=
                payload_sent(e, k) - e->ends[peer].lost_payload - payload_of(e, &e->ends[peer].fly);
            out += p->st.tx_payload_bytes;
            stay += p->dropped_payload - e->ends[k].lost_payload;
            stay += e->spread.kept ? e->spread.kept[k].payload : 0;
            for (uint32_t c = 0; c < WEFT_PRIOS; c++)
                stay += payload_of(e, &p->lane[c].q);
        }
        if (in + made != out + taken + stay)
            rc = weft_err_set(err, WEFT_E_INTERNAL,
                              "conservation: %s got %" PRIu64 " bytes of payload and made %" PRIu64
                              ", but took %" PRIu64 ", sent %" PRIu64
                              ", and dropped or holds %" PRIu64,
                              weft_fabric_node_name(f, n, name), in, made, taken, out, stay);
    }
    return rc;
}

/* Whether the sender of a QP is of this process. */
static bool sends(const struct weft_engine *e, const struct qp *q)
{
    return part_ends(e, q->src_host, q->dst_host) & PART_SENDS;
}

static int check_qps(const struct weft_engine *e, struct weft_err *err)
{
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        const struct qp *q = qp_at(e, i);
        if (!sends(e, q))
            continue;
        const struct sender *snd = q->snd;
        const struct recovery *r = profile_of(q)->recovery;
        const uint64_t floor = r->floor ? r->floor(e, q, snd->una_psn) : snd->una_psn;
        LAW(err,
            snd->una_psn <= snd->nxt_psn && snd->nxt_psn <= snd->top_psn &&
                snd->top_psn <= qp_end_psn(e, q) &&
                (!part_own(e, e->fabric->hosts[q->dst_host]) ||
                 (floor <= q->exp_psn && q->exp_psn <= snd->top_psn)) &&
                snd->una_bytes <= snd->nxt_bytes && snd->nxt_bytes <= q->end_byte,
            "QP %u acknowledged, sent and expected packets are out of order", i);
        const uint64_t flight = snd->counted ? r->flight(e, q) : 0;
        LAW(err, !snd->counted || flight == rare_of(q)->flight_bytes,
            "QP %u has %" PRIu64 " bytes in flight, counted %" PRIu64, i, flight,
            rare_of(q)->flight_bytes);
    }
    return 0;
}

static int check_totals(struct weft_engine *e, struct weft_err *err)
{
    uint64_t sent = 0, delivered = 0;
    struct weft_totals t;
    weft_engine_totals(e, &t);
    for (uint32_t k = 0; k < WEFT_PKT_KINDS; k++) {
        sent += t.sent[k];
        delivered += t.delivered[k];
    }
    const uint64_t drops = weft_totals_drops(&t);
    LAW(err, sent == delivered + drops + t.packets_in_flight,
        "%" PRIu64 " packets made, %" PRIu64 " delivered, %" PRIu64 " dropped, %" PRIu64 " alive",
        sent, delivered, drops, t.packets_in_flight);
    LAW(err, t.msgs_acked + e->msgs.live + in_network_parts(e) == t.msgs_posted,
        "messages posted, acked and waiting differ");
    LAW(err, e->logs.pool.live <= e->msgs.live, "a message is over, and what became of it is not");
    return 0;
}

int weft_engine_check(struct weft_engine *e, struct weft_err *err)
{
    posts_flush(e);
    int rc = check_totals(e, err);
    if (!rc)
        rc = check_qps(e, err);
    if (!rc)
        rc = check_each(e, err, check_links);
    if (!rc)
        rc = check_each(e, err, check_ports);
    if (!rc)
        rc = check_payload(e, err);
    if (!rc)
        rc = credit_audit(e, err);
    if (!rc && e->in_network)
        rc = in_network_check(e, err);
    if (!rc)
        rc = check_switches(e, err);
    if (!rc && e->err.code) /* one of these lists does not end */
        rc = weft_err_set(err, e->err.code, "%s", e->err.msg);
    return part_agree(e, rc, err);
}

/* Why a QP with unacknowledged messages does not move. */
static void reason(const struct weft_engine *e, const struct qp *q, char *buf, size_t size)
{
    const struct sender *snd = q->snd;
    const struct port *p = &e->ports[q->port];
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX], name[WEFT_NODE_NAME_MAX];
    weft_fabric_node_name(e->fabric, p->node, name);
    if (snd->state == QP_PARKED && reroute_path_exists(e, q))
        snprintf(buf, size,
                 "the path that is left takes packets of up to %uB, but those of this QP are %uB",
                 reroute_path_mtu(e, q), q->kind->env.mtu_bytes);
    else if (snd->state == QP_PARKED)
        snprintf(buf, size, "no path leads there");
    else if (credit_blocks(e, q->port, snd->prio))
        snprintf(buf, size, "priority %u of %s waits for credit since %s", snd->prio, name,
                 weft_human_time(e->pfc.since[q->port].ps[snd->prio], a));
    else if (p->paused & 1u << snd->prio)
        snprintf(buf, size, "priority %u of %s is paused by PFC since %s", snd->prio, name,
                 weft_human_time(p->paused_since_ps, a));
    else if (snd->state == QP_BLOCKED && !snd->out.cwnd_bytes)
        snprintf(buf, size, "waits for credit from h%u", q->dst_host);
    else if (snd->state == QP_BLOCKED)
        snprintf(buf, size, "window of %s is full", weft_human_size(snd->out.cwnd_bytes, a));
    else if (snd->state == QP_PACED)
        snprintf(buf, size, "paced at %s until %s", weft_human_rate((double)snd->out.rate_bps, a),
                 weft_human_time(snd->next_avail_ps, b));
    else if (snd->state == QP_READY)
        snprintf(buf, size, "waiting for its turn at %s", name);
    else if (snd->rto_at_ps != WEFT_NEVER)
        snprintf(buf, size,
                 "all sent, waiting for the ACK of packet %" PRIu64 "; retransmission at %s",
                 snd->una_psn, weft_human_time(snd->rto_at_ps, a));
    else
        snprintf(buf, size, "all sent, waiting for the ACK of packet %" PRIu64, snd->una_psn);
}

/* Cause for which the oldest message of a QP waits. */
static void explain_qp(const struct weft_engine *e, uint32_t i, void (*fn)(void *, const char *),
                       void *ctx)
{
    const struct qp *q = qp_at(e, i);
    const struct msg *m = msg_at(e, q->head_msg);
    char why[256], stands[256], text[768], size[WEFT_UNIT_TEXT_MAX], left[WEFT_UNIT_TEXT_MAX];
    const uint64_t over = stall_taken_over_bytes(e, i);
    reason(e, q, why, sizeof why);
    if (over)
        snprintf(why, sizeof why, "taken over: no packet of it is simulated");
    if (!stall_reason(e, i, stands, sizeof stands))
        stands[0] = '\0';
    snprintf(text, sizeof text,
             "h%u -> h%u: message %" PRIu64 " of %s (tag %" PRIu64
             "), %s unacknowledged on this QP: %s%s",
             q->src_host, q->dst_host, m->id, weft_human_size(m->bytes, size), m->tag,
             weft_human_size(q->end_byte - q->snd->una_bytes - over, left), stands, why);
    fn(ctx, text);
}

/* The same; with several processes, once all have been asked. */
static void audit_explain_qp(struct weft_engine *e, uint32_t i, void (*fn)(void *, const char *),
                             void *ctx)
{
    struct all_parts_speaker s = {e, i};
    if (e->peers)
        explain_qp(e, i, all_parts_note_text, &s);
    else
        explain_qp(e, i, fn, ctx);
}

uint64_t weft_engine_explain_stuck(struct weft_engine *e, uint64_t max,
                                   void (*fn)(void *, const char *), void *ctx)
{
    char stands[256];
    uint64_t n = 0;
    posts_flush(e);
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        if (stall_reason(e, i, stands, sizeof stands) && n++ < max)
            audit_explain_qp(e, i, fn, ctx);
    if (e->peers)
        all_parts_say(e, max, fn, ctx);
    return part_sum(e, n);
}

uint64_t weft_engine_explain(struct weft_engine *e, uint64_t max, void (*fn)(void *, const char *),
                             void *ctx)
{
    weft_engine_catch_up(e);
    uint64_t nlines = diagnose_partition(e, max, fn, ctx);
    nlines += e->msgs.live ? diagnose_pauses(e, max - nlines, fn, ctx) : 0;
    const uint64_t before = nlines;
    for (uint32_t i = 0; i < e->qps.pool.n && nlines < max; i++)
        if (qp_at(e, i)->head_msg != NIL && sends(e, qp_at(e, i))) {
            audit_explain_qp(e, i, fn, ctx);
            nlines++;
        }
    if (e->peers)
        nlines = before + all_parts_say(e, max - before, fn, ctx);
    if (e->in_network)
        nlines += in_network_explain(e, max - nlines, fn, ctx);
    return e->msgs.live + in_network_parts(e);
}
