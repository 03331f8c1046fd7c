/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every field that the future of the traffic depends on, or that it counts, and how it moves: of
 * QPs (replay_state_qps.c), of packets and ports (replay_state_ports.c), and of the rest.
 *
 * What is left out: constants; what a field before it says already; the numbers of records
 * (packets, INT stacks), which mean nothing; entries of event queues, which follow from the fields
 * here (replay_jump.c); and what the reasons against (replay_why.c) keep from being anything.
 */
#include "replay_state.h"
#include "core/context.h"
#include "core/msg.h"
#include "core/port.h"
#include "replay_inside.h"
#include "replay_state_inside.h"

static void see_totals(struct weft_engine *e, struct tape *t)
{
    struct weft_totals *s = &e->tot;
    const enum move messages = t->told ? MOVE_COUNT : MOVE_NOT;
    TAPE_SEE(t, s->msgs_posted, messages);
    TAPE_SEE(t, s->msgs_received, messages);
    TAPE_SEE(t, s->msgs_acked, messages);
    TAPE_SEE(t, s->bytes_posted, messages);
    TAPE_SEE(t, s->bytes_received, messages);
    TAPE_SEE(t, s->qps, MOVE_NOT);
    TAPE_SEE(t, s->packet_hops, MOVE_COUNT);
    for (int k = 0; k < WEFT_PKT_KINDS; k++) {
        TAPE_SEE(t, s->sent[k], MOVE_COUNT);
        TAPE_SEE(t, s->delivered[k], MOVE_COUNT);
    }
    TAPE_SEE(t, s->ecn_marks, MOVE_NOT);
    TAPE_SEE(t, s->pfc_pauses, MOVE_NOT);
    TAPE_SEE(t, s->pfc_resumes, MOVE_NOT);
    TAPE_SEE(t, s->rtos, MOVE_NOT);
    if (!t->told) {
        TAPE_SEE(t, e->timers.seq, MOVE_NOT);
        TAPE_SEE(t, e->timers.pool.live, MOVE_NOT);
    }
    TAPE_SEE(t, e->pkts.pool.live, MOVE_NOT);
}

void replay_state_read(struct weft_engine *e, struct replay_part *p, struct tape *t)
{
    p->packets = 0;
    if (!p->piece)
        see_totals(e, t);
    for (uint32_t i = 0; i < p->nqps && t->same; i++)
        replay_see_qp(e, p, p->qps[i], t);
    for (uint32_t i = 0; i < p->nports && t->same; i++)
        replay_see_port(e, p, p->ports[i], t);
    for (uint32_t i = 0; i < p->nnodes && t->same; i++) {
        struct mmu *m = &e->mmu.of[p->nodes[i]];
        for (int k = 0; k < 2; k++) {
            TAPE_SEE(t, m->in[k].used, MOVE_NOT);
            TAPE_SEE(t, m->out[k].used, MOVE_NOT);
        }
        TAPE_SEE(t, m->eager, MOVE_NOT);
    }
}

bool replay_state_sum(struct weft_engine *e, struct replay_part *p, struct tape *t)
{
    tape_start(t, TAPE_SUM, e->now);
    if (p->piece) {
        for (uint32_t i = 0; i < p->nqps && t->same; i++)
            replay_see_qp(e, p, p->qps[i], t);
        return t->same;
    }
    for (uint32_t i = 0; i < e->qps.pool.n && t->same; i++)
        if (qp_at(e, i)->head_msg != NIL) {
            tape_same(t, i, "QPs with messages");
            replay_see_qp(e, p, i, t);
        }
    tape_same(t, e->pkts.pool.live, "packets");
    return t->same;
}

/* What the ports of a piece have sent, those at hosts of that, and how often they were paused. */
struct sent {
    uint64_t all, hosts, pauses;
};

static struct sent sent_of(const struct weft_engine *e, const struct replay_part *p)
{
    struct sent s = {0, 0, 0};
    for (uint32_t i = 0; i < p->nports; i++) {
        const struct port *port = &e->ports[p->ports[i]];
        s.all += port->st.tx_packets;
        s.hosts += port->nic == NIL ? 0 : port->st.tx_packets;
        s.pauses += port->st.pauses;
    }
    return s;
}

/* Totals are of all pieces. In a lap all that is sent is delivered, what hosts send that is not
 * data is ACKs, and each pause is followed by a resume. */
static void count_piece(struct weft_engine *e, const struct replay_part *p, struct sent before,
                        int64_t laps)
{
    const struct sent after = sent_of(e, p);
    uint64_t data = 0;
    for (uint32_t i = 0; i < p->nqps; i++)
        data += (uint64_t)(p->moved[p->qps[i]][0] * laps);
    const uint64_t acks = after.hosts - before.hosts - data;
    e->tot.packet_hops += after.all - before.all;
    e->tot.sent[WEFT_PKT_DATA] += data;
    e->tot.delivered[WEFT_PKT_DATA] += data;
    replay_of(e)->base.packets_taken += data;
    e->tot.sent[WEFT_PKT_ACK] += acks;
    e->tot.delivered[WEFT_PKT_ACK] += acks;
    const uint64_t pauses = after.pauses - before.pauses;
    e->tot.pfc_pauses += pauses;
    e->tot.pfc_resumes += pauses;
    e->tot.sent[WEFT_PKT_PFC] += 2 * pauses;
    e->tot.delivered[WEFT_PKT_PFC] += 2 * pauses;
}

void replay_state_move(struct weft_engine *e, struct replay_part *p, struct tape *t, int64_t laps)
{
    const struct sent before = p->piece ? sent_of(e, p) : (struct sent){0, 0, 0};
    tape_start(t, TAPE_MOVE, e->now);
    t->laps = laps;
    replay_state_read(e, p, t);
    if (!tape_over(t))
        engine_fail(e, WEFT_E_INTERNAL,
                    "replay: the state was read otherwise when it was moved on");
    if (p->piece)
        count_piece(e, p, before, laps);
}

bool replay_state_shift(struct weft_engine *e, struct replay_part *p, struct tape *t,
                        int64_t shift_ps)
{
    tape_start(t, TAPE_SHIFT, e->now);
    t->shift_ps = shift_ps;
    t->count = 0;
    replay_state_read(e, p, t);
    return t->same;
}
