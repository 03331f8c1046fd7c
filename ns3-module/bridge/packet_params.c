/* SPDX-License-Identifier: GPL-2.0-only */
#include "packet_params.h"

#include <cstddef>
#include <cstring>

namespace
{

const weft_param g_ns3Params[] = {
    {"simulator-impl",
     WEFT_PARAM_ENUM,
     offsetof(Ns3Params, simulatorImpl),
     "weft",
     nullptr,
     nullptr,
     "weft|default",
     "what executes ns-3's events: WeftSimulatorImpl, or ns3::DefaultSimulatorImpl (slower, same "
     "results)",
     nullptr},
};

/**
 * @param i number of an engine section
 * @return the same as a section of the backend
 */
weft_net_section
EngineSection(int i)
{
    const weft_engine_section& s = weft_engine_sections[i];
    return {s.name, s.help, s.params, offsetof(PacketParams, engine) + s.offset};
}

} // namespace

const weft_net_section weft_packet_sections[PACKET_SECTIONS] = {
    {"transport",
     "what carries messages; NIC and RoCE reliable connection",
     TransportParamTable(),
     offsetof(PacketParams, transport)},
    EngineSection(1),
    EngineSection(2),
    EngineSection(3),
    EngineSection(4),
    EngineSection(5),
    {"tcp", "TCP connections", TcpParamTable(), offsetof(PacketParams, tcp)},
    {"ns3",
     "how the engine runs inside ns-3",
     WEFT_PARAM_TABLE(g_ns3Params, Ns3Params),
     offsetof(PacketParams, ns3)},
    {"capture",
     "frames as capture files: what passes chosen links, with Ethernet, IPv4, UDP and InfiniBand "
     "headers",
     weft_capture_table,
     offsetof(PacketParams, capture)},
};

weft_engine_params
PacketEngineParams(const PacketParams& params)
{
    weft_engine_params p = params.engine;
    p.transport = params.transport.roce;
    // Frames of TCP keep to the hash of their flow: nothing is reordered.
    p.transport.allow_reordering |= params.transport.type == TRANSPORT_TCP;
    if (std::strcmp(TcpVariantTypeId(params.transport.variant), "ns3::TcpDctcp") == 0)
    {
        p.ecn.dctcp_prios = params.transport.type == TRANSPORT_TCP ? 0xff : params.tcp.prios;
    }
    return p;
}
