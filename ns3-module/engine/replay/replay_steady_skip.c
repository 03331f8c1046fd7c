/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traffic in steady state is moved on: the clock by some time, each QP by the whole packets that it
 * sends in it at its rate.
 *
 * What is in queues and on links, and the state of each congestion control, stays as it is, only
 * later and with other packet numbers (replay_state.c). What is counted follows from the packets
 * that each QP is moved on by, over the ports on its way, so that what is made, sent, received and
 * taken agrees to the packet; marks, CNPs and what QPs were kept from sending by are counted on as
 * they were between the first mark and the last.
 */
#include "core/context.h"
#include "core/gap.h"
#include "replay.h"
#include "replay_internal.h"
#include "replay_queues.h"
#include "replay_state.h"
#include "core/frame_size.h"
#include "congestion/cc_replay.h"

#include <stdlib.h>
#include <string.h>

/* Of the tolerance: by how much rates may ask for more than a port sends. */
#define OVERLOAD 0.5
#define TRIES 8   /**< to have no port send for longer than there is time */
#define ROUNDED 1 /**< ps that may be missing to a whole packet (replay_steady_rounds.c) */

bool replay_skip_room(const struct weft_engine *e, struct replay_steady *s)
{
    struct replay_scope *p = &s->scope;
    const size_t nports = e->fabric->nports + (size_t)1;
    if (!p->ahead)
        p->ahead = calloc(nports, sizeof *p->ahead);
    if (!s->load_ps)
        s->load_ps = calloc(nports, sizeof *s->load_ps);
    if (!s->slowest)
        s->slowest = calloc(nports, sizeof *s->slowest);
    if (s->steps < p->nqps) {
        free(s->step);
        s->step = calloc(p->nqps, sizeof *s->step);
        s->steps = s->step ? p->nqps : 0;
    }
    return p->ahead && s->load_ps && s->slowest && s->steps >= p->nqps;
}

bool replay_skip_ready(struct weft_engine *e, struct replay_steady *s)
{
    struct replay_scope *p = &s->scope;
    if (!replay_skip_room(e, s))
        return false;
    memset(p->ahead, 0, (e->fabric->nports + (size_t)1) * sizeof *p->ahead);
    for (uint32_t i = 0; i < p->nqps; i++)
        p->moved[p->qps[i]][0] = p->moved[p->qps[i]][1] = 0;
    replay_note_arrivals(e, p);
    return replay_state_shift(e, p, &s->snapshot, 0) &&
           p->packets + replay_components_packets(e) == e->pkts.pool.live;
}

/* ---- packets ---- */

/* Packets of one kind that a QP sends one way. */
struct stream {
    uint64_t n, frame, payload;
};

static int64_t skip_serial_ps(const struct weft_engine *e, uint32_t port, uint64_t wire)
{
    return gap_quantised(e->p.transport.quantum_ps, wire, e->ports[port].ser_q);
}

/* For how long they keep the ports on their way busy. */
static void skip_load(struct weft_engine *e, struct replay_steady *s, const uint32_t *ports,
                      uint32_t n, struct stream k)
{
    for (uint32_t h = 0; h < n; h++)
        s->load_ps[ports[h]] +=
            (int64_t)k.n * skip_serial_ps(e, ports[h], k.frame + e->p.transport.gap_bytes);
}

static void skip_count(struct weft_engine *e, struct replay_steady *s, const uint32_t *ports,
                       uint32_t n, struct stream k)
{
    const uint64_t wire = k.frame + e->p.transport.gap_bytes;
    for (uint32_t h = 0; h < n; h++) {
        struct port *p = &e->ports[ports[h]];
        p->st.tx_packets += k.n;
        e->ends[ports[h]].rx_packets += k.n;
        p->st.tx_bytes += k.n * wire;
        p->st.tx_payload_bytes += k.n * k.payload;
        p->st.busy_ps += (int64_t)k.n * skip_serial_ps(e, ports[h], wire);
        s->scope.ahead[ports[h]] += k.n * wire;
    }
    e->tot.packet_hops += k.n * n;
}

/* Calls @p fn with what a QP is moved on by. */
static void skip_each_stream(struct weft_engine *e, struct replay_steady *s, uint32_t i,
                             void (*fn)(struct weft_engine *, struct replay_steady *,
                                        const uint32_t *, uint32_t, struct stream))
{
    const struct qp *q = qp_at(e, s->scope.qps[i]);
    const struct steady_step *w = &s->step[i];
    uint32_t ports[MAX_PATH];
    const uint32_t there = replay_scope_path(e, q, true, ports);
    fn(e, s, ports, there,
       (struct stream){w->data, data_frame(q, q->kind->env.mtu_bytes), q->kind->env.mtu_bytes});
    const uint32_t back = replay_scope_path(e, q, false, ports);
    fn(e, s, ports, back, (struct stream){w->acks, ack_frame(q), 0});
    if (q->kind->control->cnp.separate)
        fn(e, s, ports, back, (struct stream){w->cnps, cnp_frame(e), 0});
}

/* What came in @p shift_ps if it goes on as between the first mark and the last. */
static uint64_t skip_scaled(const struct replay_steady *s, uint64_t seen, int64_t shift_ps)
{
    const int64_t span_ps = s->mark[2].t_ps - s->mark[0].t_ps;
    return (uint64_t)((double)seen * (double)shift_ps / (double)span_ps + 0.5);
}

uint32_t replay_per_ack(const struct qp *q)
{
    const uint32_t mtu = q->kind->env.mtu_bytes, after = profile_of(q)->ack_after;
    const uint32_t per_ack = profile_of(q)->by_bytes ? (after + mtu - 1) / mtu : after;
    return per_ack ? per_ack : 1;
}

/* Rounded to the nearest packet, or @p down: to the last whole one. */
static void skip_plan(struct weft_engine *e, struct replay_steady *s, uint32_t i, double shift_ps,
                      bool down)
{
    const struct steady_qp *from = &s->mark[0].qp[i], *to = &s->mark[2].qp[i];
    struct steady_step *w = &s->step[i];
    const struct qp *q = qp_at(e, s->scope.qps[i]);
    const uint32_t per_ack = replay_per_ack(q);
    const double n = w->rate * (shift_ps + (down ? ROUNDED : 0)) + w->carry + (down ? 0 : 0.5);
    w->data = n > 0 ? (uint64_t)n : 0;
    w->acks = w->data / per_ack;
    w->cnps = to->cnps > from->cnps ? skip_scaled(s, to->cnps - from->cnps, (int64_t)shift_ps) : 0;
    w->cnps = w->cnps < w->data ? w->cnps : w->data;
}

/* Whole packets of each QP. Where these would have a port send for longer than there is time, that
 * is by rounding, or as measured rates are not exact: then all are rounded down, and if that does
 * not do, get that much less. False: it is too much to be that, a queue fills. */
static bool skip_plan_all(struct weft_engine *e, struct replay_steady *s, int64_t shift_ps)
{
    double ps = (double)shift_ps;
    for (int again = 0; again < TRIES; again++) {
        int64_t most = 0;
        memset(s->load_ps, 0, e->fabric->nports * sizeof *s->load_ps);
        for (uint32_t i = 0; i < s->scope.nqps; i++) {
            skip_plan(e, s, i, ps, again > 0);
            skip_each_stream(e, s, i, skip_load);
        }
        for (uint32_t i = 0; i < s->scope.nports; i++) {
            const int64_t l = s->load_ps[s->scope.ports[i]];
            most = l > most ? l : most;
        }
        if (most <= shift_ps + ROUNDED)
            return true;
        if ((double)most > (double)shift_ps * (1 + s->tolerance * OVERLOAD))
            return false;
        ps *= again ? (double)shift_ps / (double)most : 1;
    }
    return false;
}

/* ---- counters ---- */

static void skip_count_qp(struct weft_engine *e, struct replay_steady *s, uint32_t i,
                          int64_t shift_ps)
{
    const uint32_t qi = s->scope.qps[i];
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    struct steady_step *w = &s->step[i];
    const uint64_t bytes = w->data * q->kind->env.mtu_bytes;
    const struct steady_qp *from = &s->mark[0].qp[i], *to = &s->mark[2].qp[i];
    w->carry += w->rate * (double)shift_ps - (double)w->data;
    w->carry = w->carry < -1 ? -1 : w->carry > 1 ? 1 : w->carry;
    if (weft_cc_replay_of(q->kind->cc)->on_like_acks)
        weft_cc_replay_of(q->kind->cc)->on_like_acks(snd->cc_state, q->kind->ccp, bytes, &snd->out);
    s->scope.moved[qi][0] = (int64_t)w->data;
    s->scope.moved[qi][1] = (int64_t)bytes;
    skip_each_stream(e, s, i, skip_count);
    e->nics.of[e->ports[q->port].nic].made_bytes += bytes;
    e->nics.of[e->ports[q->ack_port].nic].taken_bytes += bytes;
    if (snd->counted)
        rare_of(q)->flight_bytes += bytes;
    e->tot.sent[WEFT_PKT_DATA] += w->data;
    e->tot.delivered[WEFT_PKT_DATA] += w->data;
    replay_of(e)->base.packets_taken += w->data;
    e->tot.sent[WEFT_PKT_ACK] += w->acks;
    e->tot.delivered[WEFT_PKT_ACK] += w->acks;
    msg_at(e, q->head_msg)->cnps += (uint32_t)w->cnps;
    if (q->kind->control->cnp.separate) {
        e->tot.sent[WEFT_PKT_CNP] += w->cnps;
        e->tot.delivered[WEFT_PKT_CNP] += w->cnps;
    }
    for (int k = 0; k < WEFT_DELAY_QUEUE; k++)
        snd->held_ps[k] +=
            (int64_t)skip_scaled(s, (uint64_t)(to->held_ps[k] - from->held_ps[k]), shift_ps);
}

/* The time of a histogram goes to its bins as it did so far. */
static void skip_count_histogram(struct histogram *h, int64_t shift_ps)
{
    int64_t all = 0, given = 0;
    for (int b = 0; b < WEFT_QUEUE_BINS; b++)
        all += h->time_ps[b];
    for (int b = 0; all && b < WEFT_QUEUE_BINS; b++) {
        const int64_t ps = (int64_t)((double)h->time_ps[b] / (double)all * (double)(shift_ps - 1));
        h->time_ps[b] += ps;
        given += ps;
    }
    h->time_ps[weft_queue_bin(h->bytes)] += shift_ps - given;
}

static void skip_count_port(struct weft_engine *e, struct replay_steady *s, uint32_t i,
                            int64_t shift_ps)
{
    const uint32_t port = s->scope.ports[i];
    struct port *p = &e->ports[port];
    const uint64_t marks =
        skip_scaled(s, s->mark[2].port[i].marks - s->mark[0].port[i].marks, shift_ps);
    p->st.ecn_marks += marks;
    e->tot.ecn_marks += marks;
    if (e->telemetry.pint_on)
        e->telemetry.pints[port].sent_ps += shift_ps;
    for (uint32_t prio = 0; e->histograms.wanted && prio < WEFT_PRIOS; prio++) {
        struct histogram *h = e->histograms.of[(size_t)port * WEFT_PRIOS + prio];
        if (h)
            skip_count_histogram(h, shift_ps);
    }
}

bool replay_skip(struct weft_engine *e, struct replay_steady *s, int64_t shift_ps)
{
    struct weft_replay_figures *f = &replay_of(e)->figures;
    const uint64_t hops = e->tot.packet_hops;
    if (!skip_plan_all(e, s, shift_ps))
        return false;
    for (uint32_t i = 0; i < s->scope.nqps; i++)
        skip_count_qp(e, s, i, shift_ps);
    for (uint32_t i = 0; i < s->scope.nports; i++)
        skip_count_port(e, s, i, shift_ps);
    replay_state_shift(e, &s->scope, &s->snapshot, shift_ps);
    replay_queue_again(e, &s->scope, e->now + shift_ps);
    f->skips++;
    f->skipped_hops += e->tot.packet_hops - hops;
    return true;
}
