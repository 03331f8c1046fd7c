/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What switches write into data packets for congestion controls: INT stacks and PINT codes.
 *
 * INT (HPCC, SIGCOMM 2019): at departure each switch port appends (time, bytes sent, queue, rate),
 * exact and without bit-field limits. The stack lies beside the packet and travels back with its
 * ACK. PINT (SIGCOMM 2020): each port keeps a moving utilisation and the packet carries the largest
 * one, in a logarithmic code with random rounding.
 */
#include "telemetry.h"
#include "core/context.h"
#include "core/loop.h"
#include "core/stable.h"
#include "core/qp_state.h"
#include "core/executor.h"

#include "base/rng.h"
#include "base/units.h"
#include "congestion/pint_code.h"
#include "congestion/cc_switch.h"

#include <stdlib.h>

static void stamp_int_more(struct weft_engine *e, struct pkt *k, uint32_t out);

static void stamp_int(struct weft_engine *e, struct pkt *k, uint32_t out)
{
    if (k->sig == NIL) {
        k->sig = stable_free(&e->telemetry.stacks);
        if (__builtin_expect(k->sig == NIL, 0)) {
            stamp_int_more(e, k, out);
            return;
        }
    }
    const uint32_t n = sig_hops(k->sig);
    if (n == WEFT_CC_MAX_HOPS)
        return;
    const struct port *p = &e->ports[out];
    int_at(e, sig_stack(k->sig))->hops[n] = (struct weft_cc_hop){
        .ts_ps = e->now,
        .tx_bytes = p->st.tx_bytes,
        .qlen_bytes = p->qtotal,
        .rate_bps = port_rate_bps(e, out),
    };
    k->sig += 1u << SIG_STACK_BITS;
}

/* The same where no stack is free. */
static __attribute__((noinline, cold)) void stamp_int_more(struct weft_engine *e, struct pkt *k,
                                                           uint32_t out)
{
    struct stable *s = &e->telemetry.stacks;
    k->sig = e->worker ? e->executor->alloc(e, s) : stable_grow(s);
    if (k->sig == NIL)
        engine_full(e, s, "INT stacks in flight");
    else
        stamp_int(e, k, out);
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
    const struct weft_cc_signals *s = &qp_at(e, k->qp)->control->signals;
    const int64_t least_ps =
        gap_ps((uint64_t)s->pint_packets * qp_at(e, k->qp)->env.mtu_wire_bytes, p->ser_q);
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

void telemetry_stamp(struct weft_engine *e, uint32_t pkt, uint32_t out)
{
    struct pkt *k = pkt_at(e, pkt);
    if (__builtin_expect(e->telemetry.all_int, 1)) {
        stamp_int(e, k, out);
        return;
    }
    const struct control *c = qp_at(e, k->qp)->control;
    if (c->int_on)
        stamp_int(e, k, out);
    else if (c->pint_on)
        stamp_pint(e, k, out);
}
