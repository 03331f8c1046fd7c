/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What both kinds of simulations (simulation.h) have in common, and which of them a run takes.
 */
#include "simulation.h"

#include "ns3_part.h"
#include "packet_params.h"

const char *weft_simulation_needs_ns3(const struct weft_packet_params *p)
{
    if (p->transport.type == WEFT_TRANSPORT_TCP)
        return "transport.type=tcp";
    if (p->tcp.prios)
        return "tcp.prios";
    return p->ns3.simulator_impl != WEFT_SIMULATOR_AUTO ? "ns3.simulator-impl" : NULL;
}

int weft_simulation_new(const struct weft_net_config *config, const struct weft_engine_hooks *hooks,
                        const struct weft_simulation_owner *owner, struct weft_simulation **out,
                        struct weft_err *err)
{
    if (!weft_simulation_needs_ns3((const struct weft_packet_params *)config->params))
        return weft_simulation_new_plain(config, hooks, owner, out, err);
    const struct weft_ns3_part *ns3;
    const int rc = weft_ns3_part_get(&ns3, err);
    return rc ? rc : ns3->simulation_new(config, hooks, owner, out, err);
}
