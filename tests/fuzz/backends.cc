// SPDX-License-Identifier: GPL-2.0-only
// See scenario.h.
#include "scenario.h"

#include "ns3-module/bridge/packet_params.h"
#include "topologies/fabric_reach.h"

namespace
{

int check_links(const weft_net_config *c, const uint8_t *down, weft_err *err)
{
    return weft_fabric_check_reach(c->fabric, down, err);
}

weft_net_backend packet_like()
{
    weft_net_backend backend = {};
    backend.name = "packet";
    backend.title = "every packet";
    backend.uses_cc = true;
    backend.sections = weft_packet_sections;
    backend.nsections = WEFT_PACKET_SECTIONS;
    backend.params_size = sizeof(weft_packet_params);
    backend.check_links = check_links;
    return backend;
}

} // namespace

const weft_net_backend *const *weft_fuzz_backends(size_t *n)
{
    static const weft_net_backend packet = packet_like();
    static const weft_net_backend *const list[] = {&packet, &weft_net_ideal};
    *n = 2;
    return list;
}
