/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Priority flow control on the wire (IEEE 802.1Qbb): PFC frames, pause times, refresh.
 *
 * mmu.c decides when an ingress (port, priority) is to be paused or resumed; this file sends the
 * frame, and plays what it does at the port that it reaches. With pfc.quanta = 0 a pause lasts
 * until the resume. Otherwise the paused port counts pfc.quanta x 512 bit times of its own link
 * from when the frame takes effect and then sends again, and the pausing ingress repeats XOFF each
 * pfc.refresh of that time as long as it wants the pause. Therefore a lost PAUSE is made good by
 * the next one, and a lost RESUME by the expiry. A repeated XOFF is not sent while another PFC
 * frame still waits at the port.
 *
 * A port obeys a frame pfc.response-time after its last bit; until then it goes on as before.
 * Frames take effect in the order of their arrival.
 *
 * Both timers are EV_PFC entries of the slow queue. A deadline that moves later keeps its entry,
 * which is re-dated when it comes up, as with the retransmission timer.
 */
#include "pfc.h"
#include "pause_clock.h"
#include "core/context.h"
#include "credit.h"
#include "core/events.h"
#include "core/loop.h"
#include "core/pkt.h"
#include "core/walk.h"
#include "core/port.h"
#include "core/executor.h"

#include "base/int128.h"
#include "base/units.h"

static uint64_t pfc_number(uint32_t port, uint32_t prio, enum pfc_timer what)
{
    return ((uint64_t)port * WEFT_PRIOS + prio) * 2 + what;
}

struct pfc_deadline *pfc_deadline(const struct weft_engine *e, uint64_t number)
{
    struct pfc_port *f = &e->pfc.ports[number / 2 / WEFT_PRIOS];
    uint32_t prio = (uint32_t)(number / 2 % WEFT_PRIOS);
    return number & 1 ? &f->refresh[prio] : &f->expiry[prio];
}

int pfc_init(struct weft_engine *e, struct weft_err *err)
{
    const uint32_t n = e->fabric->nports ? e->fabric->nports : 1;
    e->pfc.since = calloc(n, sizeof *e->pfc.since);
    e->pfc.ports = e->p.pfc.quanta ? calloc(n, sizeof *e->pfc.ports) : NULL;
    if (!e->pfc.since || (e->p.pfc.quanta && !e->pfc.ports))
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u ports", n);
    for (uint32_t i = 0; e->pfc.ports && i < n; i++)
        for (uint32_t k = 0; k < WEFT_PRIOS; k++)
            e->pfc.ports[i].expiry[k] = e->pfc.ports[i].refresh[k] =
                (struct pfc_deadline){WEFT_NEVER, WEFT_NEVER};
    return 0;
}

void pfc_fini(struct weft_engine *e)
{
    free(e->pfc.ports);
    free(e->pfc.since);
}

uint64_t pfc_bytes(const struct weft_engine *e)
{
    return e->fabric->nports * (sizeof *e->pfc.since + (e->pfc.ports ? sizeof *e->pfc.ports : 0));
}

int64_t pfc_pause_ps(const struct weft_engine *e, uint32_t port)
{
    weft_u128 q = (weft_u128)e->p.pfc.quanta * 64 * port_ser_q(e, port);
    q = (q + (UINT64_C(1) << (GAP_SHIFT - 1))) >> GAP_SHIFT;
    return q > FOREVER_PS ? FOREVER_PS : (int64_t)q;
}

static void set_deadline(struct weft_engine *e, uint32_t port, uint32_t prio, enum pfc_timer what,
                         int64_t at_ps)
{
    uint64_t number = pfc_number(port, prio, what);
    struct pfc_deadline *d = pfc_deadline(e, number);
    d->at_ps = at_ps;
    if (at_ps < d->entry_ps) {
        d->entry_ps = at_ps;
        if (e->worker)
            e->executor->timer(e, at_ps, EV_ID(EV_PFC, number));
        else
            engine_push(e, &e->loop.agenda.slow, at_ps, EV_ID(EV_PFC, number));
    }
}

int64_t pfc_soonest_ps(const struct weft_engine *e)
{
    const double share = e->p.pfc.refresh < 1 ? e->p.pfc.refresh : 1;
    int64_t soonest = WEFT_NEVER;
    for (uint32_t i = 0; e->pfc.ports && i < e->fabric->nports; i++) {
        const int64_t ps = (int64_t)(share * (double)pfc_pause_ps(e, i));
        soonest = ps < soonest ? ps : soonest;
    }
    return soonest;
}

void pfc_set_refresh(struct weft_engine *e, uint32_t port, uint32_t prio)
{
    int64_t period = (int64_t)(e->p.pfc.refresh * (double)pfc_pause_ps(e, e->ends[port].peer));
    set_deadline(e, port, prio, PFC_REFRESH, e->now + (period > 0 ? period : 1));
}

void pfc_send_frame(struct weft_engine *e, uint32_t port, uint32_t prio, bool xoff, bool kick)
{
    uint32_t i = pkt_new(e, WEFT_PKT_PFC);
    if (i == NIL)
        return;
    struct pkt *k = pkt_at(e, i);
    k->frame = (uint16_t)e->p.pfc.frame_bytes;
    k->prio = (uint8_t)prio;
    k->flags = xoff ? PKT_XOFF : 0;
    k->payload = 0;
    k->psn = 0;
    list_append(e, &e->ports[port].ctrl, k, i);
    e->ports[port].nonempty |= CTRL_WAITS;
    if (kick)
        e->port_ops.kick(e, port);
}

void pfc_send(struct weft_engine *e, uint32_t port, uint32_t prio, bool xoff, bool kick)
{
    if (e->ports[port].down)
        return; /* what came in before the failure leaves the switch */
    if (xoff)
        e->tot.pfc_pauses++;
    else
        e->tot.pfc_resumes++;
    if (e->p.pfc.quanta) {
        if (xoff)
            pfc_set_refresh(e, port, prio);
        else
            set_deadline(e, port, prio, PFC_REFRESH, WEFT_NEVER);
    }
    pfc_send_frame(e, port, prio, xoff, kick);
}

void pfc_take_effect(struct weft_engine *e, uint32_t port, uint32_t prio, bool xoff, bool expired)
{
    struct port *p = &e->ports[port];
    port_catch_up(e, p, port);
    const uint32_t before = p->paused, bit = 1u << prio;
    if (xoff) {
        p->paused |= bit;
        p->st.pauses++;
        if (!before)
            p->paused_since_ps = e->now;
        if (!(before & bit)) {
            e->pfc.since[port].ps[prio] = e->now;
            pause_clock_start(e, p, prio);
        }
    } else {
        p->paused &= ~bit;
        if (before && !p->paused)
            p->st.paused_ps += e->now - p->paused_since_ps;
        if (before & bit)
            pause_clock_stop(e, p, prio);
    }
    if (e->hooks.pfc && e->windows.on)
        window_note_pfc(e, port, prio, xoff, expired);
    else if (e->hooks.pfc)
        e->hooks.pfc(e->hooks.ctx, e->now, port, prio, xoff);
    if (!xoff)
        e->port_ops.kick(e, port);
    else if (e->spread.steer && e->spread.steer->paused)
        e->spread.steer->paused(e, port, prio);
}

void pfc_reset(struct weft_engine *e, uint32_t port, uint32_t prio)
{
    if (e->pfc.ports) {
        set_deadline(e, port, prio, PFC_EXPIRY, WEFT_NEVER);
        set_deadline(e, port, prio, PFC_REFRESH, WEFT_NEVER);
    }
    if ((e->ports[port].paused >> prio & 1) && !credit_blocks(e, port, prio))
        pfc_take_effect(e, port, prio, false, false);
}

/* A PFC frame takes effect at the port that it was for. */
static void obey(struct weft_engine *e, uint32_t port, uint32_t prio, bool xoff)
{
    const bool paused = e->ports[port].paused >> prio & 1;
    if (e->p.pfc.quanta) {
        set_deadline(e, port, prio, PFC_EXPIRY, xoff ? e->now + pfc_pause_ps(e, port) : WEFT_NEVER);
        if (paused == xoff)
            return; /* a refresh, or the resume of a pause that has expired or was lost */
    }
    pfc_take_effect(e, port, prio, xoff, false);
}

/* The response time has passed; what came before the link failed is forgotten. */
static void obey_late(void *ctx, uint64_t arg)
{
    const struct weft_engine *e = ctx;
    const uint32_t link = e->fabric->ports[arg / 2 / WEFT_PRIOS].link;
    if (e->links.since_ps && e->links.since_ps[link] >= e->now - e->p.pfc.response_ps)
        return;
    obey(ctx, (uint32_t)(arg / 2 / WEFT_PRIOS), (uint32_t)(arg / 2 % WEFT_PRIOS), arg & 1);
}

void pfc_receive(struct weft_engine *e, uint32_t port, uint32_t i)
{
    const struct pkt *k = pkt_at(e, i);
    if (k->kind == WEFT_PKT_CREDIT) {
        credit_frame_receive(e, port, i);
        return;
    }
    const uint32_t prio = k->prio;
    const bool xoff = k->flags & PKT_XOFF;
    e->tot.delivered[WEFT_PKT_PFC]++;
    pkt_free(e, i);
    if (e->p.pfc.response_ps == 0) {
        obey(e, port, prio, xoff);
        return;
    }
    struct weft_err err = {0};
    uint64_t arg = ((uint64_t)port * WEFT_PRIOS + prio) * 2 + xoff;
    if (weft_engine_timer(e, e->now + e->p.pfc.response_ps, obey_late, e, arg, &err))
        engine_fail(e, err.code, "%s", err.msg);
}
