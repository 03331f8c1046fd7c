/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Credit-based flow control (Kung, Blackwell, Chapman: Credit update protocol for flow-controlled
 * ATM networks, SIGCOMM 1994; NVLink and InfiniBand work so), for dimensions that ask for it
 * instead of PFC.
 *
 * The receiving end of each link has a buffer of its own per lossless priority, and so per virtual
 * channel. The sender knows how much of it is free. A frame takes its length, rounded up to
 * credit.unit, when it starts, and a priority sends only while it has credit for the longest frame
 * of the dimension. So nothing is ever dropped for want of room, and no PFC frames are needed. Room
 * that frees up (a packet leaves the switch, or has reached its host) goes back to the sender:
 *   credit.frame = 0   with what travels the other way anyway, as in NVLink's flit headers: it costs
 *                      nothing on the wire and takes the link's propagation delay;
 *   credit.frame > 0   in frames of that size, ahead of all data, each with all that has freed up when
 *                      it starts.
 * The first packet after a stall therefore leaves one loop after the frame that used up the credit.
 * Only whole frames go: with full frames of what each takes of the credit, throughput = min(rate,
 * floor(buffer / frame) x frame / loop).
 *
 * The buffers are beside switch.buffer, which lossy priorities still share. A frame that is lost on
 * a link gives its credit back where it would have arrived; a lost credit frame is sent again
 * (links retry), or counts as received when the link has gone down (the link trains anew).
 *
 * A priority without credit is paused as far as the scheduler and the diagnosis are concerned.
 */
#include "credit.h"
#include "pause_clock.h"
#include "core/control_config.h"
#include "core/context.h"
#include "core/pkt.h"
#include "core/port.h"
#include "core/walk.h"

#include "base/int128.h"
#include "base/units.h"

#include <inttypes.h>

/* A port: what its sending end knows of the peer's buffer, and the peer's view of the same. */
struct credit {
    uint32_t size; /* of the buffer at the far end per priority; 0: no credit on this link */
    uint32_t need; /* credit for the longest frame */
    uint32_t left[WEFT_PRIOS]; /* what the sender may still use */
    uint32_t held[WEFT_PRIOS]; /* in the buffer at the far end */
    uint32_t owed[WEFT_PRIOS]; /* free there, on its way back */
    uint32_t back[WEFT_PRIOS]; /* of it not yet in a frame */
    uint8_t waiting;           /* priorities with a credit frame in the far end's queue */
};

static inline bool has(const struct weft_engine *e, uint32_t port, uint32_t prio)
{
    return e->credit.ports && e->credit.ports[port].size && (e->credit.prios >> prio & 1);
}

static inline uint32_t cost(const struct weft_engine_params *p, uint64_t frame)
{
    const uint64_t unit = p->credit.unit_bytes;
    return (uint32_t)((frame + unit - 1) / unit * unit);
}

static uint32_t longest_frame(const struct weft_engine_params *p, uint64_t mtu, uint32_t signals)
{
    const uint64_t pad = p->transport.pad_bytes;
    const uint64_t frame = (mtu + pad - 1) / pad * pad + profile_longest_header(p) + signals;
    return (uint32_t)(frame < p->transport.min_frame_bytes ? p->transport.min_frame_bytes : frame);
}

bool credit_guards(const struct weft_engine *e, uint32_t port, uint32_t prio)
{
    return has(e, e->ends[port].peer, prio);
}

int credit_check(const struct weft_engine_config *c, struct weft_err *err)
{
    const struct weft_engine_params *p = &c->params;
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX], least[WEFT_UNIT_TEXT_MAX];
    if (!credit_used(c->fabric))
        return 0;
    if (!p->pfc.prios)
        return weft_err_set(err, WEFT_E_INPUT,
                            "flow-control=credit holds for the priorities of pfc.prios, which is "
                            "empty; set pfc.prios, as to 8 for priority 3");
    if (p->transport.ack_ignores_pause)
        return weft_err_set(err, WEFT_E_INPUT,
                            "transport.ack-ignores-pause sends ACKs without credit, for which "
                            "flow-control=credit leaves no room; unset one of them");
    struct control_needs needs;
    int rc = control_check(c, &needs, err);
    for (uint32_t d = 0; d < c->fabric->ndims && !rc; d++) {
        const uint64_t mtu = control_mtu_bytes(p, c->fabric, d);
        const uint64_t need = cost(p, longest_frame(p, mtu, needs.data_bytes));
        const bool small = p->credit.buffer_bytes && p->credit.buffer_bytes < need;
        if (c->fabric->dims[d].set.flow_control == WEFT_FLOW_CREDIT && small)
            rc = weft_err_set(
                err, WEFT_E_INPUT,
                "credit.buffer of %s cannot hold a frame of dimension %u, which has %s "
                "of payload; the least is %s",
                weft_format_size(p->credit.buffer_bytes, a), d, weft_format_size(mtu, b),
                weft_format_size(need, least));
    }
    return rc;
}

/* A buffer that lets a link run at full rate: both delays, the frame that uses it up, the one that
 * must fit, one for rounding; with credit frames that frame and the one it waits for. */
static uint64_t size_of(const struct weft_engine *e, const struct weft_fabric_link *l,
                        uint32_t full)
{
    const uint64_t gap = e->p.transport.gap_bytes;
    if (e->p.credit.buffer_bytes)
        return e->p.credit.buffer_bytes / e->p.credit.unit_bytes * e->p.credit.unit_bytes;
    const weft_u128 flight = (weft_u128)l->rate_bps * (uint64_t)l->delay_ps * 2;
    uint64_t bytes = (uint64_t)(flight / 8 / (uint64_t)WEFT_PS_PER_S) + 1 + 3 * (full + gap);
    if (e->p.credit.frame_bytes)
        bytes += full + gap + e->p.credit.frame_bytes + gap;
    return cost(&e->p, bytes + bytes / full * (e->p.credit.unit_bytes - 1));
}

int credit_init(struct weft_engine *e, struct weft_err *err)
{
    const struct weft_fabric *f = e->fabric;
    uint32_t signals = 0;
    if (!credit_used(f))
        return 0;
    e->credit.ports = calloc(f->nports, sizeof *e->credit.ports);
    if (!e->credit.ports)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for the credits of %u ports",
                            f->nports);
    for (uint32_t d = 0; d < e->ncontrols; d++)
        if (e->controls[d].signals.data_bytes > signals)
            signals = e->controls[d].signals.data_bytes;
    e->credit.prios = (uint8_t)e->p.pfc.prios;
    e->mmu.slow = 0xff;
    e->path.rare |= RARE_CREDIT;
    for (uint32_t i = 0; i < f->nports; i++) {
        const struct weft_fabric_link *l = &f->links[f->ports[i].link];
        struct credit *c = &e->credit.ports[i];
        if (!credit_on(f, l))
            continue;
        const uint32_t full = longest_frame(&e->p, control_mtu_bytes(&e->p, f, l->dim), signals);
        const uint64_t size = size_of(e, l, full);
        c->need = cost(&e->p, full);
        if (size < c->need || size > INT32_MAX)
            return weft_err_set(err, WEFT_E_INPUT,
                                "credits of a link: a buffer of %" PRIu64
                                " bytes per priority is not %u to "
                                "%d bytes; set credit.buffer",
                                size, c->need, INT32_MAX);
        c->size = (uint32_t)size;
        for (uint32_t k = 0; k < WEFT_PRIOS; k++)
            c->left[k] = c->size;
        if (e->ends[i].to_host)
            e->ends[i].rare |= LINK_LOSES; /* arrivals give their credit back in lost() */
    }
    return 0;
}

void credit_fini(struct weft_engine *e)
{
    free(e->credit.ports);
}

uint64_t credit_bytes(const struct weft_engine *e)
{
    return e->credit.ports ? e->fabric->nports * sizeof *e->credit.ports : 0;
}

/* ---- the sending end ---- */

void credit_take(struct weft_engine *e, struct port *p, uint32_t port, const struct pkt *k)
{
    const uint32_t prio = k->prio, bit = 1u << prio;
    if (link_frame(k) || !has(e, port, prio))
        return;
    struct credit *c = &e->credit.ports[port];
    c->left[prio] -= cost(&e->p, k->frame);
    if (c->left[prio] >= c->need)
        return;
    if (!p->paused)
        p->paused_since_ps = e->now;
    p->paused |= bit;
    e->pfc.since[port].ps[prio] = e->now;
    pause_clock_start(e, p, prio);
    if (e->hooks.credit)
        e->hooks.credit(e->hooks.ctx, e->now, port, prio, 1);
}

/* Credit has come back to the sender. */
static void give(struct weft_engine *e, uint32_t port, uint32_t prio, uint32_t bytes)
{
    struct credit *c = &e->credit.ports[port];
    struct port *p = &e->ports[port];
    const uint32_t bit = 1u << prio;
    c->owed[prio] -= bytes;
    c->left[prio] += bytes;
    if (!(p->paused & bit) || c->left[prio] < c->need)
        return;
    p->paused &= ~bit;
    if (!p->paused)
        p->st.paused_ps += e->now - p->paused_since_ps;
    pause_clock_stop(e, p, prio);
    if (e->hooks.credit)
        e->hooks.credit(e->hooks.ctx, e->now, port, prio, 0);
    e->port_ops.kick(e, port);
}

bool credit_blocks(const struct weft_engine *e, uint32_t port, uint32_t prio)
{
    return has(e, port, prio) && e->credit.ports[port].left[prio] < e->credit.ports[port].need;
}

bool credit_returns(const struct weft_engine *e, uint32_t port, uint32_t prio, uint64_t stuck_bytes)
{
    const struct credit *c = &e->credit.ports[port];
    return (e->credit.prios >> prio & 1) && stuck_bytes + c->need <= c->size;
}

uint32_t credit_longest(const struct weft_engine *e)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        if (e->credit.ports[i].size && e->credit.ports[i].need < least)
            least = e->credit.ports[i].need;
    return least;
}

uint32_t credit_cost(const struct weft_engine *e, const struct pkt *k)
{
    return cost(&e->p, k->frame);
}

/* ---- the receiving end; `port` is the sender's ---- */

#define ARG_PRIO_SHIFT 21
#define ARG_PORT_SHIFT 24

static void give_late(void *ctx, uint64_t arg)
{
    give(ctx, (uint32_t)(arg >> ARG_PORT_SHIFT), arg >> ARG_PRIO_SHIFT & 7,
         (uint32_t)(arg & ((1u << ARG_PRIO_SHIFT) - 1)));
}

/* Queues a credit frame for what has freed up; kick as for pfc_send. */
static void announce(struct weft_engine *e, uint32_t port, uint32_t prio, bool kick)
{
    struct credit *c = &e->credit.ports[port];
    const uint32_t far = e->ends[port].peer;
    if (e->ports[far].down) { /* the link trains anew when it comes back */
        const uint32_t bytes = c->back[prio];
        c->back[prio] = 0;
        give(e, port, prio, bytes);
        return;
    }
    if (c->waiting >> prio & 1)
        return;
    const uint32_t i = pkt_new(e, WEFT_PKT_CREDIT);
    if (i == NIL)
        return;
    struct pkt *k = pkt_at(e, i);
    k->frame = (uint16_t)e->p.credit.frame_bytes;
    k->prio = (uint8_t)prio;
    k->payload = 0;
    k->psn = 0;
    c->waiting |= (uint8_t)(1u << prio);
    list_append(e, &e->ports[far].ctrl, k, i);
    e->ports[far].nonempty |= CTRL_WAITS;
    if (kick)
        e->port_ops.kick(e, far);
}

/* @p bytes of the buffer behind @p port are free again. */
static void refund(struct weft_engine *e, uint32_t port, uint32_t prio, uint32_t bytes, bool kick)
{
    struct credit *c = &e->credit.ports[port];
    c->owed[prio] += bytes;
    if (e->p.credit.frame_bytes) {
        c->back[prio] += bytes;
        announce(e, port, prio, kick);
        return;
    }
    struct weft_err err = {0};
    const uint64_t arg =
        (uint64_t)port << ARG_PORT_SHIFT | (uint64_t)prio << ARG_PRIO_SHIFT | bytes;
    if (weft_engine_timer(e, e->now + e->ports[port].prop_ps, give_late, e, arg, &err))
        engine_fail(e, err.code, "%s", err.msg);
}

void credit_refund(struct weft_engine *e, uint32_t port, const struct pkt *k)
{
    if (!link_frame(k) && has(e, port, k->prio))
        refund(e, port, k->prio, cost(&e->p, k->frame), true);
}

bool credit_admit(struct weft_engine *e, const struct pkt *k, uint32_t in)
{
    const uint32_t prio = came_in(k), port = e->ends[in].peer;
    if (!has(e, port, prio))
        return false;
    e->ports[in].lane[prio].in_bytes += k->frame;
    e->credit.ports[port].held[prio] += cost(&e->p, k->frame);
    return true;
}

bool credit_left(struct weft_engine *e, const struct pkt *k, uint32_t out)
{
    const uint32_t prio = came_in(k), port = e->ends[k->in_port].peer;
    if (!has(e, port, prio))
        return false;
    e->ports[k->in_port].lane[prio].in_bytes -= k->frame;
    e->credit.ports[port].held[prio] -= cost(&e->p, k->frame);
    refund(e, port, prio, cost(&e->p, k->frame), k->in_port != out);
    return true;
}

void credit_frame_starts(struct weft_engine *e, uint32_t far, struct pkt *k)
{
    struct credit *c = &e->credit.ports[e->ends[far].peer];
    k->psn = c->back[k->prio];
    c->back[k->prio] = 0;
    c->waiting &= (uint8_t) ~(1u << k->prio);
}

void credit_frame_receive(struct weft_engine *e, uint32_t port, uint32_t i)
{
    const uint32_t prio = pkt_at(e, i)->prio, bytes = (uint32_t)pkt_at(e, i)->psn;
    e->tot.delivered[WEFT_PKT_CREDIT]++;
    pkt_free(e, i);
    give(e, port, prio, bytes);
}

void credit_frame_lost(struct weft_engine *e, uint32_t far, const struct pkt *k)
{
    const uint32_t port = e->ends[far].peer, prio = k->prio;
    struct credit *c = &e->credit.ports[port];
    if (k->psn == 0) /* it waited for its link */
        c->waiting &= (uint8_t) ~(1u << prio);
    c->back[prio] += (uint32_t)k->psn;
    announce(e, port, prio, true);
}

/* ---- audit ---- */

int credit_audit(const struct weft_engine *e, struct weft_err *err)
{
    for (uint32_t i = 0; e->credit.ports && i < e->fabric->nports; i++) {
        const struct credit *c = &e->credit.ports[i];
        for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++) {
            if (!has(e, i, prio))
                continue;
            uint64_t flying = 0;
            WALK_PKTS(e, k, e->ends[i].fly.head, "packets on a link")
                if (!link_frame(pkt_at(e, k)) && pkt_at(e, k)->prio == prio)
                    flying += cost(&e->p, pkt_at(e, k)->frame);
            if (c->left[prio] + flying + c->held[prio] + c->owed[prio] != c->size)
                return weft_err_set(err, WEFT_E_INTERNAL,
                                    "conservation: port %u priority %u has credit for %u bytes, "
                                    "%" PRIu64 " are on the link, %u in the buffer and %u on their "
                                    "way back, together not the buffer of %u",
                                    i, prio, c->left[prio], flying, c->held[prio], c->owed[prio],
                                    c->size);
        }
    }
    return 0;
}
