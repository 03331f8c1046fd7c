/* SPDX-License-Identifier: GPL-2.0-only */
/* The event that is being executed, for those who find it endless: engine_observe.h. */
#include "core/context.h"
#include "core/events.h"
#include "core/extension.h"
#include "core/executor.h"

#define NONE UINT64_MAX

static const char *const timers[] = {[EV_ARRIVE] = "arrival over the link of port",
                                     [EV_TX] = "transmission by port",
                                     [EV_RTO] = "retransmission timer of QP",
                                     [EV_CC] = "timer of the congestion control of QP",
                                     [EV_PFC] = "timer of PFC",
                                     [EV_TIMER] = "timer of the frontend",
                                     [EV_GRANT] = "grant of credit by port"};

/* The port of a NIC. */
static uint64_t port_of(const struct weft_engine *e, uint32_t nic)
{
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        if (port_known(e, i) && e->ports[i].nic == nic)
            return i;
    return NONE;
}

static void name_event(const struct weft_engine *e, uint64_t id, struct weft_event_now *out)
{
    const enum ev_kind kind = (enum ev_kind)(id >> EV_KIND_SHIFT);
    out->what = timers[kind];
    out->number = kind == EV_PFC || kind == EV_TIMER ? NONE : EV_NUMBER(id);
    if (kind == EV_GRANT)
        out->number = port_of(e, (uint32_t)EV_NUMBER(id));
    if (kind == EV_RTO || kind == EV_CC)
        out->node = e->fabric->hosts[qp_at(e, (uint32_t)EV_NUMBER(id))->src_host];
    else if (kind == EV_ARRIVE)
        out->node = far_node(e, (uint32_t)EV_NUMBER(id));
    else if (out->number != NONE)
        out->node = e->fabric->ports[out->number].node;
}

/* Event that context @p c executes; false: it executes nothing. */
static bool name(const struct weft_engine *c, struct weft_event_now *out)
{
    if (!c->fabric) /* a worker that has not begun */
        return false;
    if (c->windows.running) {
        out->what = "arrivals and transmissions of a switch";
        out->node = (uint32_t)(c->windows.running - c->windows.of);
    } else if (c->loop.slow_id != NONE) {
        name_event(c, c->loop.slow_id, out);
    } else if (c->loop.in_event && c->loop.due_ps == c->now) {
        const uint64_t key = c->loop.due_id;
        name_event(c, EV_ID(fastq_kind(key), fastq_port(key)), out);
    } else {
        return false;
    }
    out->t_ps = c->now;
    return true;
}

static uint64_t event_now_steps_of(const struct weft_engine *c)
{
    return c->tot.events + (uint64_t)c->now + (uintptr_t)c->windows.running;
}

void weft_engine_event_now(const struct weft_engine *e, struct weft_event_now *out)
{
    const struct weft_engine *c;
    *out = (struct weft_event_now){.t_ps = e->now,
                                   .what = "what happens between events",
                                   .number = NONE,
                                   .node = UINT32_MAX,
                                   .host = UINT32_MAX};
    bool named = name(e, out);
    out->steps = event_now_steps_of(e) + e->tot.windows +
                 (e->extension ? *e->extension->steps : 0) + e->part.exchanges;
    for (unsigned k = 0; e->threads && (c = e->executor->context(e, k)); k++) {
        out->steps += event_now_steps_of(c);
        named = named || name(c, out);
    }
    if (out->node != UINT32_MAX && e->fabric->nodes[out->node].kind == WEFT_NODE_HOST)
        out->host = e->fabric->nodes[out->node].host;
}
