/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every field that the future of the traffic depends on, or that it counts, and how it moves: of
 * QPs (replay_state_qps.c), of packets and ports (replay_state_ports.c), and of the rest.
 *
 * Left out are: constants; what a field before it says already; the numbers of records
 * (packets, INT stacks), which mean nothing; entries of event queues, which follow from the fields
 * here (replay_queues.c); and what the reasons against (replay_reasons.c) keep from being anything.
 */
#include "replay_state.h"
#include "core/context.h"
#include "core/msg.h"
#include "core/port.h"
#include "replay_internal.h"
#include "replay_state_internal.h"

/* All totals of a run. */
#define STATE_TOTALS(F)                                                                            \
    F(msgs_posted, BY_HAND) /* they move where messages are posted and received */                 \
    F(msgs_received, BY_HAND)                                                                      \
    F(msgs_acked, BY_HAND)                                                                         \
    F(bytes_posted, BY_HAND)                                                                       \
    F(bytes_received, BY_HAND)                                                                     \
    F(packet_hops, COUNT)                                                                          \
    F(events, DERIVED) /* what was executed */                                                     \
    F(windows, DERIVED)                                                                            \
    F(sent, COUNT)                                                                                 \
    F(delivered, COUNT)                                                                            \
    F(drops, ABSENT) /* those of ports are read */                                                 \
    F(drops_data, ABSENT)                                                                          \
    F(ecn_marks, SAME)                                                                             \
    F(trims, ABSENT)                                                                               \
    F(pfc_pauses, SAME)                                                                            \
    F(pfc_resumes, SAME)                                                                           \
    F(retx_packets, ABSENT)                                                                        \
    F(rtos, SAME)                                                                                  \
    F(pfc_refreshes, ABSENT)                                                                       \
    F(packets_in_flight, DERIVED)                                                                  \
    F(qps, SAME)
#define STATE_SIZE(name, evolution) +sizeof((struct weft_totals *)NULL)->name
_Static_assert(STATE_TOTALS(STATE_SIZE) == sizeof(struct weft_totals), "each total has a line");

static void state_read_totals(struct weft_engine *e, struct snapshot *t)
{
    struct weft_totals *s = &e->tot;
    const enum evolution messages = t->of_messages ? EVOLVES_COUNT : EVOLVES_SAME;
    SNAPSHOT_FIELD(t, s->msgs_posted, messages);
    SNAPSHOT_FIELD(t, s->msgs_received, messages);
    SNAPSHOT_FIELD(t, s->msgs_acked, messages);
    SNAPSHOT_FIELD(t, s->bytes_posted, messages);
    SNAPSHOT_FIELD(t, s->bytes_received, messages);
#define STATE_TOTAL(name, evolution) STATE_READ(s, uint64_t, name, evolution)
    STATE_TOTALS(STATE_TOTAL)
    if (!t->of_messages) {
        SNAPSHOT_FIELD(t, e->timers.seq, EVOLVES_SAME);
        SNAPSHOT_FIELD(t, e->timers.pool.live, EVOLVES_SAME);
    }
    SNAPSHOT_FIELD(t, e->pkts.pool.live, EVOLVES_SAME);
}

void replay_state_read(struct weft_engine *e, struct replay_scope *p, struct snapshot *t)
{
    p->packets = 0;
    if (!p->component)
        state_read_totals(e, t);
    for (uint32_t i = 0; i < p->nqps && t->same; i++)
        replay_read_qp(e, p, p->qps[i], t);
    for (uint32_t i = 0; i < p->nports && t->same; i++)
        replay_read_port(e, p, p->ports[i], t);
    for (uint32_t i = 0; i < p->nnodes && t->same; i++) {
        struct mmu *m = &e->mmu.of[p->nodes[i]];
        for (int k = 0; k < 2; k++) {
            SNAPSHOT_FIELD(t, m->in[k].used, EVOLVES_SAME);
            SNAPSHOT_FIELD(t, m->out[k].used, EVOLVES_SAME);
        }
#define FIELD(type, name, dimensions, evolution, owner) STATE_READ(m, type, name, evolution)
#include "core/mmu.def"
    }
}

bool replay_state_sum(struct weft_engine *e, struct replay_scope *p, struct snapshot *t)
{
    snapshot_start(t, SNAPSHOT_SUM, e->now);
    if (p->component) {
        for (uint32_t i = 0; i < p->nqps && t->same; i++)
            replay_read_qp(e, p, p->qps[i], t);
        return t->same;
    }
    for (uint32_t i = 0; i < e->qps.pool.n && t->same; i++)
        if (qp_at(e, i)->head_msg != NIL) {
            snapshot_same(t, i, "QPs with messages");
            replay_read_qp(e, p, i, t);
        }
    snapshot_same(t, e->pkts.pool.live, "packets");
    return t->same;
}

struct replay_sent replay_sent_of(const struct weft_engine *e, const struct replay_scope *p)
{
    struct replay_sent s = {0};
    for (uint32_t i = 0; i < p->nports; i++) {
        const struct port *port = &e->ports[p->ports[i]];
        s.all += port->st.tx_packets;
        s.hosts += port->nic == NIL ? 0 : port->st.tx_packets;
        s.in_trains += port->nic == NIL ? 0 : e->nics.of[port->nic].in_trains;
        s.pauses += port->st.pauses;
    }
    return s;
}

/* Totals are of all components. In a period all that is sent is delivered, what hosts send that is
 * not data is ACKs, and each pause is followed by a resume. */
static void state_count_component(struct weft_engine *e, const struct replay_scope *p,
                                  struct replay_sent before, int64_t periods)
{
    const struct replay_sent after = replay_sent_of(e, p);
    uint64_t data = 0;
    for (uint32_t i = 0; i < p->nqps; i++)
        data += (uint64_t)(p->moved[p->qps[i]][0] * periods);
    data -= after.in_trains - before.in_trains;
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

void replay_state_move(struct weft_engine *e, struct replay_scope *p, struct snapshot *t,
                       int64_t periods)
{
    const struct replay_sent before = p->component ? replay_sent_of(e, p) : (struct replay_sent){0};
    snapshot_start(t, SNAPSHOT_MOVE, e->now);
    t->periods = periods;
    replay_state_read(e, p, t);
    if (!snapshot_over(t))
        engine_fail(e, WEFT_E_INTERNAL,
                    "replay: the state was read otherwise when it was moved on");
    if (p->component)
        state_count_component(e, p, before, periods);
}
