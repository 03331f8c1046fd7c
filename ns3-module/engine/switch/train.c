/* SPDX-License-Identifier: GPL-2.0-only */
/* Trains of packets (train.h): what stands against them, and how fast they may be sent on. */
#include "train.h"
#include "core/context.h"
#include "core/gap.h"
#include "core/switch_state.h"

#include <stdlib.h>

/* What takes packets one by one; NULL: nothing. */
static const char *train_obstacle(const struct weft_engine_config *c, unsigned needs)
{
    const struct weft_transport_params *t = &c->params.transport;
    if (c->params.sw.balance != WEFT_BALANCE_FLOW)
        return "switch.balance is not flow: packets of a train take one path";
    if (t->recovery != WEFT_RECOVERY_GO_BACK_N)
        return "transport.recovery is not go-back-n: others keep account of each packet";
    if (t->ack_every > 1)
        return "transport.ack-every counts packets";
    if (t->ns3_event_order)
        return "transport.ns3-event-order has the order of each packet";
    if (t->quantum_ps)
        return "transport.time-quantum rounds the time of each packet";
    if (needs &
        (WEFT_CC_NEEDS_SIGNALS | WEFT_CC_NEEDS_CREDIT | WEFT_CC_NEEDS_PINT | WEFT_CC_NEEDS_INT))
        return "the congestion control has switches write to each packet";
    if (credit_used(c->fabric))
        return "links grant credit for packets";
    return c->fabric->transit ? "hosts forward packets" : NULL;
}

int train_check(const struct weft_engine_config *c, unsigned needs, struct weft_err *err)
{
    const char *why = c->params.transport.train > 1 ? train_obstacle(c, needs) : NULL;
    return why ? weft_err_set(err, WEFT_E_INPUT, "transport.train must be 1, as %s", why) : 0;
}

/* gap_of_rate of the fastest of a link and those from the node at its far end, 0: a host. */
static uint64_t train_gap(const struct weft_fabric *f, uint32_t port)
{
    const struct weft_fabric_node *far = &f->nodes[f->ports[f->ports[port].peer].node];
    uint64_t most_bps = f->links[f->ports[port].link].rate_bps;
    if (far->kind == WEFT_NODE_HOST)
        return 0;
    for (uint32_t i = far->first_port; i < far->first_port + far->nports; i++) {
        const uint64_t bps = f->links[f->ports[i].link].rate_bps;
        most_bps = bps > most_bps ? bps : most_bps;
    }
    return gap_of_rate(most_bps);
}

int train_init(struct weft_engine *e, struct weft_err *err)
{
    const struct weft_fabric *f = e->fabric;
    if (e->p.transport.train <= 1)
        return 0;
    e->path.train_q = weft_err_calloc(f->nports, sizeof *e->path.train_q, "trains of packets", err);
    e->nics.last = weft_err_calloc(e->nics.n, sizeof *e->nics.last, "trains of packets", err);
    if (!e->path.train_q || !e->nics.last)
        return err->code;
    for (uint32_t i = 0; i < f->nports; i++)
        e->path.train_q[i] = train_gap(f, i);
    e->path.rare |= RARE_TRAINS;
    e->mmu.train_bytes = (uint64_t)2 * UINT16_MAX;
    return 0;
}

void train_fini(struct weft_engine *e)
{
    free(e->path.train_q);
}
