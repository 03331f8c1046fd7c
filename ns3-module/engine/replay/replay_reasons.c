/* SPDX-License-Identifier: GPL-2.0-only */
/* Reasons against a replay: state that replay_state.c doesn't read, or that never is
 * the same twice. */
#include "core/context.h"
#include "replay.h"
#include "congestion/cc_replay.h"

static bool against_stepped(const struct weft_engine *e)
{
    return e->windows.stepped;
}
static bool against_ordered(const struct weft_engine *e)
{
    return e->p.transport.ns3_event_order;
}
static bool against_watched(const struct weft_engine *e)
{
    return e->hooks.packet || e->hooks.queue || e->hooks.qp || e->hooks.lose;
}
static bool against_drawn(const struct weft_engine *e)
{
    return e->draws.ns3 || e->telemetry.pint_on || e->drop_rngs;
}
static bool against_credit(const struct weft_engine *e)
{
    return e->credit.ports || e->grants.of.elem;
}
static bool against_spread(const struct weft_engine *e)
{
    return e->spread.balance || e->spread.steer || e->spread.by_path || e->p.uet.prios ||
           e->p.sw.balance == WEFT_BALANCE_ENTROPY;
}
/* What goes by flows, or by the past of all, is not the same for packets that nobody makes. */
static bool against_spread_flows(const struct weft_engine *e)
{
    const int b = e->p.sw.balance;
    return e->spread.steer || e->spread.by_path ||
           (e->rc.profile[PROFILE_RUN].pick && b != WEFT_BALANCE_SPRAY &&
            b != WEFT_BALANCE_ADAPTIVE && b != WEFT_BALANCE_DRILL && b != WEFT_BALANCE_ENTROPY);
}
static bool against_frames(const struct weft_engine *e)
{
    return e->path.frames || e->in_network || e->nics.turns;
}
static bool against_timed_pauses(const struct weft_engine *e)
{
    return e->p.pfc.quanta || e->p.pfc.response_ps;
}
static bool against_counted(const struct weft_engine *e)
{
    return e->rc.profile[PROFILE_RUN].recovery->counts ||
           e->rc.profile[PROFILE_UET].recovery->counts;
}
static bool against_lossy(const struct weft_engine *e)
{
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        if (e->ends[i].rare & LINK_LOSES || e->ports[i].down)
            return true;
    return false;
}
static bool against_unknown(const struct weft_engine *e)
{
    for (uint32_t d = 0; d < e->ncontrols; d++)
        if (e->controls[d].ops->state_size && !weft_cc_replay_of(e->controls[d].ops)->moving)
            return true;
    return false;
}

#define ANY (REPLAY_EXACT | REPLAY_MEMO)

static const struct {
    bool (*holds)(const struct weft_engine *);
    const char *text;
    unsigned against; /* enum replay_way */
} reasons[] = {
    {against_stepped, "ns-3 drives the fabric event by event", ANY},
    {against_ordered, "transport.ns3-event-order", ANY},
    {against_watched, "packets, queues or QPs are watched one by one", ANY},
    {against_drawn, "ports or ACKs draw random numbers (PINT, ecn.draws=ns3, switch.overflow=toss)",
     REPLAY_EXACT | REPLAY_MEMO},
    {against_credit, "links or receivers grant credit", ANY},
    {against_spread, "packets are spread over paths", REPLAY_EXACT},
    {against_spread_flows,
     "paths change from flowlet to flowlet, are not the shortest, or are a plug-in's", REPLAY_MEMO},
    {against_frames, "TCP, hosts that forward, or operations in switches", ANY},
    {against_timed_pauses, "pause frames have a time (pfc.quanta, pfc.response)", ANY},
    {against_counted, "the loss recovery counts what is in flight", REPLAY_EXACT},
    {against_lossy, "links lose packets, or have been down", ANY},
    {against_unknown, "the congestion control doesn't say how its state moves", REPLAY_EXACT},
};

const char *replay_reason_against(const struct weft_engine *e, enum replay_way way)
{
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].against & way && reasons[i].holds(e))
            return reasons[i].text;
    return NULL;
}
