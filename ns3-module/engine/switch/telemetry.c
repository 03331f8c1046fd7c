/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals that switches write into data packets for congestion controls: INT stacks and PINT codes.
 *
 * INT (HPCC, SIGCOMM 2019): at departure each switch port appends (time, bytes sent, queue, rate),
 * exact and without bit-field limits. The stack lies beside the packet and travels back with its
 * ACK. PINT (SIGCOMM 2020): each port keeps a moving utilisation and the packet carries the largest
 * one, in a logarithmic code with random rounding.
 */
#include "telemetry.h"
#include "core/context.h"
#include "core/stable.h"
#include "core/walk.h"
#include "core/qp_state.h"
#include "core/executor.h"
#include "mmu.h"

#include "base/rng.h"
#include "base/units.h"
#include "congestion/pint_code.h"
#include "congestion/cc_switch.h"

#include <stdlib.h>

static uint32_t new_stack(struct weft_engine *e)
{
    struct stable *s = &e->telemetry.stacks;
    uint32_t i = stable_free(s);
    if (__builtin_expect(i == NIL, 0))
        i = e->worker ? e->executor->alloc(e, s) : stable_grow(s);
    if (__builtin_expect(i == NIL, 0))
        engine_full(e, s, "INT stacks in flight");
    return i;
}

/* Room for one more stamp of a packet; NULL: there is none, for want of memory or as it has all
 * that it may. */
static struct int_stamp *next_stamp(struct weft_engine *e, struct pkt *k)
{
    const uint32_t n = k->sig == NIL ? 0 : sig_hops(k->sig);
    if (n == WEFT_CC_MAX_HOPS)
        return NULL;
    if (n % INT_STACK_HOPS == 0) {
        const uint32_t more = new_stack(e);
        if (more == NIL)
            return NULL;
        if (n == 0) {
            k->sig = more * (uint32_t)SIG_STACK;
        } else {
            struct int_stack *last = int_at(e, sig_stack(k->sig));
            for (uint32_t i = INT_STACK_HOPS; i < n; i += INT_STACK_HOPS)
                last = int_at(e, last->more);
            last->more = more;
        }
    }
    k->sig += n < INT_STACK_HOPS ? (uint32_t)SIG_STAMP : 1u << SIG_PLACE_BITS;
    return stamp_at(e, k->sig, n);
}

static void stamp_int(struct weft_engine *e, struct pkt *k, uint32_t out)
{
    struct int_stamp *s = next_stamp(e, k);
    if (s)
        *s = telemetry_stamp_of(e, &e->ports[out]);
}

bool telemetry_copy(struct weft_engine *e, struct pkt *k, const struct weft_cc_hop *hops,
                    uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t rate = mmu_rate_number(e, hops[i].rate_bps);
        struct int_stamp *s = rate == NIL ? NULL : next_stamp(e, k);
        if (!s) {
            if (!e->err.code)
                engine_fail(e, WEFT_E_LIMIT, "out of memory for the stamps of a packet");
            return false;
        }
        *s =
            (struct int_stamp){hops[i].ts_ps, hops[i].tx_bytes, (uint32_t)hops[i].qlen_bytes, rate};
    }
    return true;
}

bool telemetry_have_pints(struct weft_engine *e)
{
    const uint32_t nports = e->fabric->nports;
    e->telemetry.pints = calloc(nports, sizeof *e->telemetry.pints);
    for (uint32_t i = 0; e->telemetry.pints && i < nports; i++)
        e->telemetry.pints[i].rng = weft_rng_stream(e->seed, "pint", i);
    return e->telemetry.pints || !nports;
}

static void stamp_pint(struct weft_engine *e, struct pkt *k, uint32_t out)
{
    const struct port *p = &e->ports[out];
    struct pint *n = &e->telemetry.pints[out];
    const struct weft_cc_signals *s = &qp_at(e, k->qp)->kind->control->signals;
    const int64_t least_ps =
        gap_ps((uint64_t)s->pint_packets * qp_at(e, k->qp)->kind->env.mtu_wire_bytes, p->ser_q);
    const int64_t dt_ps = e->now - n->sent_ps;
    const int64_t t_ps = s->pint_t_ps > least_ps ? s->pint_t_ps : least_ps;
    double draw;
    if (s->pint_tables) {
        n->u =
            weft_pint_update_tables(n->u, dt_ps / WEFT_PS_PER_NS, t_ps / WEFT_PS_PER_NS, p->qtotal,
                                    (uint32_t)n->size, port_rate_bps(e, out), &e->draws.libc_rand);
        draw = weft_libc_rand_next(&e->draws.libc_rand) % 65536 / 65536.0;
    } else {
        n->u = weft_pint_update(n->u, dt_ps, t_ps, p->qtotal, (uint32_t)n->size,
                                port_rate_bps(e, out));
        draw = weft_rng_f64(&n->rng);
    }
    uint16_t code = weft_pint_encode(n->u, s->pint_base, draw);
    if (code > k->sig)
        k->sig = code;
}

/* The same where it is no first stamp, or not all QPs have them. */
static __attribute__((noinline)) void stamp_rarely(struct weft_engine *e, struct pkt *k,
                                                   uint32_t out)
{
    const struct control *c = qp_at(e, k->qp)->kind->control;
    if (c->int_on)
        stamp_int(e, k, out);
    else if (c->pint_on)
        stamp_pint(e, k, out);
}

void telemetry_stamp_rarely(struct weft_engine *e, struct pkt *k, const struct port *p,
                            uint32_t out)
{
    const uint32_t stack =
        k->sig == NIL && e->telemetry.full ? stable_free(&e->telemetry.stacks) : NIL;
    if (stack == NIL) {
        stamp_rarely(e, k, out);
        return;
    }
    int_at(e, stack)->stamps[0] = telemetry_stamp_of(e, p);
    k->sig = stack * (uint32_t)SIG_STACK + (uint32_t)SIG_STAMP;
}
