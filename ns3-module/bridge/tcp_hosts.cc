/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp_hosts.h"

#include "reserve.h"
#include "tcp_dctcp.h"
#include "tcp_ports.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/integer.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/mac48-address.h"
#include "ns3/string.h"
#include "ns3/tcp-bbr.h"
#include "ns3/uinteger.h"
#include "ns3/weft-channel.h"
#include "ns3/weft-net-device.h"
#include "ns3/weft-time.h"

#include <algorithm>

using namespace ns3;

namespace weft
{

namespace
{

TypeId VariantType(int variant)
{
    TcpDctcp::GetTypeId(); // so that its name is known, whatever the linker leaves out
    return TypeId::LookupByName(weft_tcp_variant_type_id(variant));
}

} // namespace

TcpHosts::TcpHosts(Ptr<WeftFabric> fabric, const weft_packet_transport &transport,
                   const weft_tcp_params &tcp, uint64_t seed)
    : m_fabric(fabric), m_params(tcp), m_variant(VariantType(transport.variant)), m_seed(seed)
{
    // ns-3 paces at 4 Gbps at most unless told otherwise.
    Config::SetDefault("ns3::TcpSocketState::MaxPacingRate",
                       DataRateValue(DataRate(1000000000000000ull)));
    m_stack.SetIpv6StackInstall(false);
    m_stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
}

Ipv4Address TcpHosts::GetAddress(uint32_t host, uint32_t prio)
{
    return Ipv4Address((10 + prio) << 24 | (host + 1));
}

uint32_t TcpHosts::GetSegmentBytes() const
{
    return m_params.mtu_bytes - WEFT_TCP_HEADER_BYTES;
}

Ptr<Node> TcpHosts::MakeNode(uint32_t host, uint32_t prio)
{
    Reserve::Check();
    const weft_fabric *graph = m_fabric->GetGraph();
    Ptr<Node> node = CreateObject<Node>();
    m_stack.Install(node);
    TcpPorts::Install(node);
    // One device stands for all ports of the host, which share its traffic by the hash of flows.
    Ptr<WeftNetDevice> device = CreateObjectWithAttributes<WeftNetDevice>(
        "Mtu", UintegerValue(m_params.mtu_bytes), "FrameOverhead",
        UintegerValue(WEFT_TCP_FRAME_OVERHEAD_BYTES), "TxQueueLimit", UintegerValue(0), "AnyPort",
        BooleanValue(true), "IpPriority", IntegerValue(prio));
    device->SetAddress(Mac48Address::Allocate());
    node->AddDevice(device);
    device->Attach(m_fabric, graph->nodes[graph->hosts[host]].first_port, nullptr);
    Ptr<Ipv4> ip = node->GetObject<Ipv4>();
    const uint32_t interface = ip->AddInterface(device);
    const Ipv4Address address = GetAddress(host, prio);
    ip->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask("/8")));
    ip->SetUp(interface);
    m_fabric->GetFrames().AddAddress(address, host);
    return node;
}

Ptr<Node> TcpHosts::GetNode(uint32_t host, uint32_t prio)
{
    Ptr<Node> &node = m_nodes[uint64_t{host} * WEFT_PRIOS + prio];
    if (!node) {
        node = MakeNode(host, prio);
    }
    return node;
}

namespace
{

/** SYNs whose timeouts, each twice the one before, all end while the clock runs; ns-3 has an int
 * for the power of two. */
uint32_t ConnectTries(const weft_tcp_params &p)
{
    uint32_t tries = 1;
    while (tries < std::min<uint32_t>(p.retries, 31) &&
           p.connect_timeout_ps <= (WEFT_NEVER / 2 >> (tries + 1))) {
        tries++;
    }
    return tries;
}

} // namespace

Ptr<TcpSocket> TcpHosts::MakePrototype() const
{
    Ptr<TcpSocket> socket = TcpSocket::Create(m_variant);
    socket->SetAttribute("SegmentSize", UintegerValue(GetSegmentBytes()));
    socket->SetAttribute("InitialCwnd", UintegerValue(m_params.initial_window_segments));
    socket->SetAttribute("SndBufSize", UintegerValue(m_params.send_buffer_bytes));
    socket->SetAttribute("RcvBufSize", UintegerValue(m_params.receive_buffer_bytes));
    socket->SetAttribute("MinRto", TimeValue(WeftTime(m_params.min_rto_ps)));
    socket->SetAttribute("ConnTimeout", TimeValue(WeftTime(m_params.connect_timeout_ps)));
    socket->SetAttribute("DelAckTimeout", TimeValue(WeftTime(weft_tcp_delayed_ack_ps(&m_params))));
    socket->SetAttribute("DelAckCount", UintegerValue(m_params.ack_every));
    socket->SetAttribute("DataRetries", UintegerValue(m_params.retries));
    socket->SetAttribute("ConnCount", UintegerValue(ConnectTries(m_params)));
    // ns-3's timestamps count milliseconds, and Nagle's algorithm would hold back ends of messages.
    socket->SetAttribute("Timestamp", BooleanValue(false));
    socket->SetAttribute("TcpNoDelay", BooleanValue(true));
    socket->SetAttribute("ClockGranularity", TimeValue(MicroSeconds(1)));
    if (m_params.ecn) {
        socket->SetAttribute("UseEcn", StringValue("On")); // DCTCP does so itself
    }
    return socket;
}

Ptr<TcpSocket> TcpHosts::MakeSocket(uint32_t host, uint32_t prio)
{
    Ptr<Node> node = GetNode(host, prio);
    if (!m_prototype) {
        m_prototype = MakePrototype();
    }
    Ptr<TcpSocket> socket = m_prototype->CopyTo(node);
    if (m_variant == TcpBbr::GetTypeId()) { // copies would share a stream of random numbers
        Ptr<TcpBbr> bbr = CreateObject<TcpBbr>();
        bbr->SetStream(static_cast<uint32_t>(m_seed * 1000003 + m_sockets));
        socket->SetCongestionControlAlgorithm(bbr);
    }
    m_sockets++;
    return socket;
}

} // namespace weft
