/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether messages get on: a look now and then at how far each QP has ever come, so packets cost
 * nothing.
 *
 * Progress of a QP is a packet that the receiver takes in order beyond every one before it, or an
 * acknowledgement beyond every one before it. What a restart makes up for (go-back-0) is none. A QP
 * counts as stuck when it has messages, a path, and has made no progress for its patience: the time
 * that the caller gives, and
 *
 *   64 retransmission timeouts, doubled as often as they are by now: each may find its packet lost
 * again; 4 packets at the rate of the congestion control; on each link of its way and back, at the
 * rate that it has now, 4 times what the longest queue there so far and two packets take: what is
 * sent again may stand in front of what is new.
 *
 * It starts anew when its oldest message was posted, or a link has changed. Only a run in which
 * every QP with messages and a path is stuck is; of single ones it is said
 * (weft_engine_explain_stuck). Whoever is parked waits for a link. Operations in switches lose
 * nothing or end the run, and wait for members that compute: they are no QPs and do not count.
 */
#include "stall.h"
#include "balance/ecmp.h"
#include "core/context.h"
#include "core/control_config.h"
#include "core/extension.h"
#include "switch/lazy.h"
#include "transport/recovery.h"

#include "base/int128.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>

/* Time of the longest queue so far and two packets on a link. */
static int64_t link_ps(const struct weft_engine *e, uint32_t port)
{
    const uint64_t mtu = control_mtu_bytes(&e->p, e->fabric, link_of(e, port)->dim);
    const uint64_t bytes = stall_longest_queue(e, port) + 2 * mtu + 512;
    const weft_u128 ps = ((weft_u128)bytes * port_ser_q(e, port) >> GAP_SHIFT);
    return ps > INT64_MAX / 1024 ? INT64_MAX / 1024 : (int64_t)ps + link_of(e, port)->delay_ps;
}

static int64_t paths_ps(const struct weft_engine *e, const struct qp *q)
{
    uint32_t ports[MAX_PATH];
    int64_t ps = 0;
    for (int forward = 0; forward < 2; forward++) {
        const uint32_t n = ecmp_path(e, e->routing.routes, q, forward, ports);
        for (uint32_t h = 0; h < n; h++)
            ps += link_ps(e, ports[h]);
    }
    return ps;
}

static int64_t patience_ps(const struct weft_engine *e, const struct qp *q, int64_t after_ps)
{
    const int64_t rto = profile_of(q)->t.rto_ps << q->snd->backoff;
    const uint64_t rate_bps = q->snd->gap_rate_bps, gap_q = rate_bps ? gap_of_rate(rate_bps) : 0;
    const double packet = (double)q->kind->env.mtu_wire_bytes * (double)gap_q / (1 << GAP_SHIFT);
    const double all =
        (double)after_ps + 64 * (double)rto + 4 * packet + 4 * (double)paths_ps(e, q);
    return all < (double)(INT64_MAX / 2) ? (int64_t)all : INT64_MAX / 2;
}

uint64_t stall_taken_over_bytes(const struct weft_engine *e, uint32_t qi)
{
    struct weft_qp_state unseen = {0};
    if (e->extension)
        e->extension->ops->qp_state(e, qi, &unseen);
    return unseen.acked_bytes;
}

static uint64_t come_psn(const struct weft_engine *e, uint32_t qi)
{
    return stall_expected(e, qi) +
           stall_taken_over_bytes(e, qi) / qp_at(e, qi)->kind->env.mtu_bytes;
}

/* For how long a QP has made no progress, 0: it makes some; notes how far it has come. */
static int64_t waited_ps(const struct weft_engine *e, uint32_t qi, int64_t at_ps)
{
    const struct qp *q = qp_at(e, qi);
    const struct msg *head = msg_at(e, q->head_msg);
    const uint64_t exp_psn = come_psn(e, qi);
    struct stall_mark *m = stall_mark_of(e, qi);
    if (m->message != head->id || exp_psn > m->taken_psn || q->snd->una_psn > m->acked_psn) {
        m->taken_psn = m->taken_psn > exp_psn ? m->taken_psn : exp_psn;
        m->acked_psn = m->acked_psn > q->snd->una_psn ? m->acked_psn : q->snd->una_psn;
        m->message = head->id;
        m->since_ps = at_ps;
    }
    if (m->since_ps < e->stall.changed_ps)
        m->since_ps = e->stall.changed_ps;
    return at_ps - m->since_ps;
}

/* Notes how far QPs have come, and which may be stuck; returns how many of these there are, and
 * adds up those that have messages and a path. */
static uint64_t note_all(struct weft_engine *e, int64_t at_ps, int64_t after_ps, uint64_t *open)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        const struct qp *q = qp_at(e, i);
        struct stall_mark *m = stall_mark_of(e, i);
        m->stuck = false;
        if (q->head_msg == NIL || q->snd->state == QP_PARKED ||
            !(part_ends(e, q->src_host, q->dst_host) & PART_SENDS)) {
            m->message = UINT64_MAX;
            continue;
        }
        ++*open;
        m->stuck = waited_ps(e, i, at_ps) >= after_ps;
        n += m->stuck;
    }
    return n;
}

/* Of those that may be stuck, those that are: their patience is over, too. Returns how many. */
static uint64_t judge_all(struct weft_engine *e, int64_t at_ps, int64_t after_ps)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        struct stall_mark *m = stall_mark_of(e, i);
        m->stuck = m->stuck && at_ps - m->since_ps >= patience_ps(e, qp_at(e, i), after_ps);
        n += m->stuck;
    }
    return n;
}

enum weft_motion weft_engine_motion(struct weft_engine *e, int64_t at_ps, int64_t after_ps)
{
    struct stall *s = &e->stall;
    uint64_t open = 0, held = 0;
    lazy_catch_up(e);
    if (!e->msgs.live)
        return WEFT_MOTION_NONE;
    bool known = !stall_reserve(e);
    if (e->peers)
        known = stall_learn_progress(e, known);
    s->n = known ? e->qps.pool.n : 0;
    if (known)
        held = note_all(e, at_ps, after_ps, &open);
    if (e->peers) {
        open = part_sum(e, open);
        held = part_sum(e, held);
        known = held ? stall_learn_queues(e, known) : known;
    }
    if (!known)
        return WEFT_MOTION_SOME; /* without memory nothing is known */
    held = held ? judge_all(e, at_ps, after_ps) : 0;
    if (e->peers)
        held = part_sum(e, held);
    s->stuck = open && held == open;
    return !open ? WEFT_MOTION_NONE : s->stuck ? WEFT_MOTION_STUCK : WEFT_MOTION_SOME;
}

uint64_t weft_engine_arrived_bytes(struct weft_engine *e)
{
    lazy_catch_up(e);
    uint64_t sum = e->tot.bytes_received;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        const struct qp *q = qp_at(e, i);
        if (q->rcv_msg == NIL || !(part_ends(e, q->src_host, q->dst_host) & PART_RECEIVES))
            continue;
        const struct msg *m = msg_at(e, q->rcv_msg);
        const uint64_t taken = (q->exp_psn - m->first_psn) * q->kind->env.mtu_bytes;
        sum += (taken < m->bytes ? taken : m->bytes) + stall_taken_over_bytes(e, i);
    }
    return part_sum(e, sum);
}

bool stall_reason(const struct weft_engine *e, uint32_t qi, char *buf, size_t size)
{
    const struct qp *q = qp_at(e, qi);
    char since[WEFT_UNIT_TEXT_MAX];
    if (qi >= e->stall.n || q->snd->state == QP_PARKED || q->head_msg == NIL)
        return false;
    const struct stall_mark *m = stall_mark_of(e, qi);
    const struct msg *head = msg_at(e, q->head_msg);
    if (!m->stuck || m->message != head->id || come_psn(e, qi) > m->taken_psn ||
        q->snd->una_psn > m->acked_psn)
        return false; /* or it has got on since */
    const uint64_t best = m->acked_psn > m->taken_psn ? m->acked_psn : m->taken_psn;
    snprintf(buf, size,
             "no progress since %s, beyond packet %" PRIu64 " of %" PRIu64 "; %" PRIu32
             " packets sent again so far%s; ",
             weft_human_time(m->since_ps, since),
             (best > head->first_psn ? best - head->first_psn : 0), head->npkts,
             rare_of(q)->retx_packets,
             profile_of(q)->recovery == &recovery_go_back_0
                 ? " (transport.recovery=go-back-0 starts anew after each loss)"
                 : "");
    return true;
}

int64_t weft_engine_slowest_ps(struct weft_engine *e)
{
    int64_t longest = 0;
    for (uint32_t i = 0; i < e->fabric->nports; i++) {
        const bool own = part_own(e, e->fabric->ports[i].node);
        const int64_t ps = own ? link_ps(e, i) : 0;
        longest = ps > longest ? ps : longest;
    }
    return -part_least(e, -longest);
}

int64_t weft_engine_changed_ps(const struct weft_engine *e)
{
    return e->stall.changed_ps;
}
