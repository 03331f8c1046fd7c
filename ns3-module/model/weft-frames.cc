/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-frames.h"

#include "base/rng.h"
#include "weft-fabric.h"
#include "weft-net-device.h"

#include "ns3/fatal-error.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/log.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFrames");

namespace
{

constexpr uint8_t PROTOCOL_UDP = 17;
constexpr uint8_t PROTOCOL_ICMPV6 = 58;
constexpr uint32_t IPV6_HEADER_BYTES = 40;
constexpr uint32_t UDP_HEADER_BYTES = 8;
constexpr uint8_t ECN_BITS = 3;

/**
 * @param bytes at least two
 * @return the big-endian number in them
 */
uint32_t
Read16(const uint8_t* bytes)
{
    return static_cast<uint32_t>(bytes[0]) << 8 | bytes[1];
}

/**
 * Replaces the header of a packet by one that says CE.
 * @tparam Header an IP header
 * @param packet the packet
 * @param finish the last touch to the new header
 */
template <typename Header>
void
ReplaceHeader(Ptr<Packet> packet, void (*finish)(Header&))
{
    Header header;
    packet->RemoveHeader(header);
    header.SetEcn(Header::ECN_CE);
    finish(header);
    packet->AddHeader(header);
}

} // namespace

WeftIpInfo::WeftIpInfo(Ptr<const Packet> packet, uint16_t protocol)
{
    NS_LOG_FUNCTION(this << packet << protocol);
    uint8_t head[80]; // an IPv4 header of the longest kind, and a TCP header without options
    const uint32_t size = packet->GetSize();
    const uint32_t got = packet->CopyData(head, sizeof head);
    uint32_t header = 0;
    if (protocol == ETHERTYPE_IPV4 && got >= 20)
    {
        isIpv4 = true;
        header = 4 * (head[0] & 15);
        tos = head[1];
        next = head[9];
        ipv4 = Ipv4Address(Read16(head + 16) << 16 | Read16(head + 18));
        // A fragment but the first has no ports, so that all go without.
        next = Read16(head + 6) & 0x3fff ? 0 : next;
    }
    else if (protocol == ETHERTYPE_IPV6 && got >= IPV6_HEADER_BYTES)
    {
        isIpv6 = true;
        header = IPV6_HEADER_BYTES;
        tos = static_cast<uint8_t>(Read16(head) >> 4);
        next = head[6];
        ipv6 = Ipv6Address(head + 24);
    }
    uint16_t source = 0;
    uint16_t dest = 0;
    const bool known = next == PROTOCOL_TCP || next == PROTOCOL_UDP;
    if (known && got >= header + 4)
    {
        source = Read16(head + header);
        dest = Read16(head + header + 2);
        header += next == PROTOCOL_UDP ? UDP_HEADER_BYTES
                  : got >= header + 13 ? 4 * (head[header + 12] >> 4)
                                       : 20;
    }
    flow = FlowHash(protocol, next, source, dest);
    payloadBytes = size > header ? size - header : 0;
}

bool
WeftIpInfo::IsGroup() const
{
    NS_LOG_FUNCTION(this);
    return (isIpv4 && (ipv4.IsMulticast() || ipv4.IsBroadcast())) || (isIpv6 && ipv6.IsMulticast());
}

bool
WeftIpInfo::IsNeighbourDiscovery() const
{
    NS_LOG_FUNCTION(this);
    return isIpv6 && ipv6.IsLinkLocalMulticast() && next == PROTOCOL_ICMPV6;
}

uint32_t
WeftIpInfo::FlowHash(uint16_t protocol, uint8_t next, uint16_t source, uint16_t dest)
{
    NS_LOG_FUNCTION(protocol << next << source << dest);
    return static_cast<uint32_t>(weft_mix64(static_cast<uint64_t>(source) << 40 |
                                            static_cast<uint64_t>(dest) << 24 |
                                            static_cast<uint64_t>(next) << 16 | protocol));
}

uint32_t
WeftIpInfo::Precedence(uint16_t protocol, uint8_t tos)
{
    NS_LOG_FUNCTION(protocol << tos);
    const bool ip = protocol == ETHERTYPE_IPV4 || protocol == ETHERTYPE_IPV6;
    return ip ? tos >> 5 : 0;
}

void
WeftIpInfo::MarkCe(Ptr<Packet> packet, uint16_t protocol)
{
    NS_LOG_FUNCTION(packet << protocol);
    if (protocol == ETHERTYPE_IPV4)
    {
        ReplaceHeader<Ipv4Header>(packet, [](Ipv4Header& header) {
            if (Node::ChecksumEnabled())
            {
                header.EnableChecksum();
            }
        });
    }
    else
    {
        ReplaceHeader<Ipv6Header>(packet, [](Ipv6Header&) {});
    }
}

WeftFrames::WeftFrames(WeftFabric& fabric)
    : m_fabric(fabric)
{
    NS_LOG_FUNCTION(this);
}

void
WeftFrames::SetHooks(weft_engine_hooks& hooks)
{
    NS_LOG_FUNCTION_NOARGS();
    hooks.frame_left = &WeftFrames::OnLeft;
    hooks.frame_received = &WeftFrames::OnReceived;
    hooks.frame_dropped = &WeftFrames::OnDropped;
}

void
WeftFrames::AddAddress(Ipv4Address address, uint32_t host)
{
    NS_LOG_FUNCTION(this << address << host);
    m_ipv4s[address] = host;
}

void
WeftFrames::Clear()
{
    NS_LOG_FUNCTION(this);
    m_frames.clear();
    m_free.clear();
    m_macs.clear();
    m_ipv4s.clear();
    m_ipv6s.clear();
}

void
WeftFrames::ReadAddresses()
{
    const weft_fabric* graph = m_fabric.GetGraph();
    m_macs.clear();
    m_ipv4s.clear();
    m_ipv6s.clear();
    for (uint32_t port = 0; port < graph->nports; port++)
    {
        const weft_fabric_node& node = graph->nodes[graph->ports[port].node];
        Ptr<WeftNetDevice> device = m_fabric.GetDevice(port);
        if (!device || node.kind != WEFT_NODE_HOST)
        {
            continue;
        }
        m_macs.emplace(device->GetAddress(), node.host);
        if (Ptr<Ipv4> ip = device->GetNode()->GetObject<Ipv4>())
        {
            const int32_t i = ip->GetInterfaceForDevice(device);
            for (uint32_t k = 0; i >= 0 && k < ip->GetNAddresses(i); k++)
            {
                m_ipv4s.emplace(ip->GetAddress(i, k).GetLocal(), node.host);
            }
        }
        if (Ptr<Ipv6> ip = device->GetNode()->GetObject<Ipv6>())
        {
            const int32_t i = ip->GetInterfaceForDevice(device);
            for (uint32_t k = 0; i >= 0 && k < ip->GetNAddresses(i); k++)
            {
                m_ipv6s.emplace(ip->GetAddress(i, k).GetAddress(), node.host);
            }
        }
    }
}

uint32_t
WeftFrames::FindHost(WeftNetDevice* device,
                     Ptr<const Packet> packet,
                     const WeftIpInfo& info,
                     const Address& dest) const
{
    auto byMac = m_macs.find(dest);
    if (byMac != m_macs.end())
    {
        return byMac->second;
    }
    if (dest != Address(Mac48Address::GetBroadcast()))
    {
        return UINT32_MAX;
    }
    WeftIpInfo to = info;
    for (bool first : {true, false})
    {
        auto by4 = to.isIpv4 ? m_ipv4s.find(to.ipv4) : m_ipv4s.end();
        auto by6 = to.isIpv6 ? m_ipv6s.find(to.ipv6) : m_ipv6s.end();
        if (by4 != m_ipv4s.end() || by6 != m_ipv6s.end())
        {
            return by4 != m_ipv4s.end() ? by4->second : by6->second;
        }
        if (!first || info.IsGroup() || !NextHop(to, device, packet))
        {
            break;
        }
    }
    return UINT32_MAX;
}

bool
WeftFrames::NextHop(WeftIpInfo& info, WeftNetDevice* device, Ptr<const Packet> packet)
{
    Socket::SocketErrno error = Socket::ERROR_NOTERROR;
    Ptr<Packet> payload = packet->Copy();
    Ptr<Ipv4> ip4 = device->GetNode()->GetObject<Ipv4>();
    Ptr<Ipv6> ip6 = device->GetNode()->GetObject<Ipv6>();
    if (info.isIpv4 && ip4 && ip4->GetRoutingProtocol())
    {
        Ipv4Header header;
        payload->RemoveHeader(header);
        Ptr<Ipv4Route> route =
            ip4->GetRoutingProtocol()->RouteOutput(payload, header, device, error);
        info.ipv4 = route ? route->GetGateway() : Ipv4Address::GetAny();
        return info.ipv4 != Ipv4Address::GetAny();
    }
    if (info.isIpv6 && ip6 && ip6->GetRoutingProtocol())
    {
        Ipv6Header header;
        payload->RemoveHeader(header);
        Ptr<Ipv6Route> route =
            ip6->GetRoutingProtocol()->RouteOutput(payload, header, device, error);
        info.ipv6 = route ? route->GetGateway() : Ipv6Address::GetAny();
        return info.ipv6 != Ipv6Address::GetAny();
    }
    return false;
}

void
WeftFrames::Complain(Complaint what, WeftNetDevice* device, const std::string& text)
{
    if (!m_complained[what])
    {
        m_complained[what] = true;
        NS_FATAL_ERROR_CONT("weft: node " << device->GetNode()->GetId() << " sends " << text);
    }
}

void
WeftFrames::ComplainOfDestination(const WeftIpInfo& info,
                                  WeftNetDevice* device,
                                  const Address& dest)
{
    std::ostringstream to;
    if (info.isIpv4)
    {
        to << "to " << info.ipv4;
    }
    else if (info.isIpv6)
    {
        to << "to " << info.ipv6;
    }
    else
    {
        to << "to the MAC address " << dest;
    }
    if (info.IsGroup() ||
        (!info.isIpv4 && !info.isIpv6 && Mac48Address::ConvertFrom(dest).IsGroup()))
    {
        Complain(GROUP,
                 device,
                 to.str() +
                     ", which is a group: a fabric carries packets to single hosts only, and "
                     "these are dropped. Routing protocols that talk to groups find no "
                     "neighbours in it: use static or global routes");
    }
    else if (info.isIpv4 || info.isIpv6)
    {
        Complain(NO_HOST,
                 device,
                 to.str() + ", which no host of the fabric has, and its routes to there name no "
                            "gateway that is a host of the fabric: the packets are dropped. Give "
                            "the node a route through such a host, or run PopulateRoutingTables of "
                            "Ipv4GlobalRoutingHelper after all addresses are assigned");
    }
    else
    {
        Complain(NO_HOST,
                 device,
                 to.str() +
                     ", which no device of a host of the fabric has: the packets are dropped");
    }
}

bool
WeftFrames::Send(WeftNetDevice* device,
                 uint32_t port,
                 Ptr<Packet> packet,
                 uint16_t protocol,
                 const Address& dest,
                 uint32_t prio,
                 uint32_t bytes)
{
    NS_LOG_FUNCTION(this << device << port << packet << protocol << dest << prio << bytes);
    const weft_fabric* graph = m_fabric.GetGraph();
    const WeftIpInfo info(packet, protocol);
    uint32_t host = FindHost(device, packet, info, dest);
    if (host == UINT32_MAX && !info.IsGroup())
    {
        ReadAddresses(); // it may have been given since
        host = FindHost(device, packet, info, dest);
    }
    if (host == UINT32_MAX)
    {
        if (!info.IsNeighbourDiscovery())
        {
            ComplainOfDestination(info, device, dest);
        }
        NS_LOG_INFO("dropped: no host of the fabric has the destination");
        return false;
    }
    if (m_free.empty())
    {
        m_free.push_back(m_frames.size());
        m_frames.emplace_back();
    }
    const uint32_t handle = m_free.back();
    m_free.pop_back();
    m_frames[handle] = {packet, device, host, bytes, protocol, static_cast<uint8_t>(prio), false};
    weft_engine_frame frame = {};
    frame.src_host = graph->nodes[graph->ports[device->GetPort()].node].host;
    frame.dst_host = host;
    frame.port = port;
    frame.prio = prio;
    frame.bytes = bytes;
    frame.payload_bytes = std::min(info.payloadBytes, bytes);
    frame.flow = info.flow;
    frame.ect = (info.isIpv4 || info.isIpv6) && (info.tos & ECN_BITS) != 0;
    frame.handle = handle;
    weft_err err = {};
    if (m_fabric.TrySendFrame(frame, &err) != 0)
    {
        Complain(REFUSED, device, std::string("what its fabric refuses and drops: ") + err.msg);
        Take(handle);
        return false;
    }
    return true;
}

Ptr<Packet>
WeftFrames::CopyFrame(uint64_t handle, bool ce, uint16_t* protocol) const
{
    NS_LOG_FUNCTION(this << handle << ce);
    if (handle >= m_frames.size() || !m_frames[handle].packet)
    {
        return nullptr;
    }
    const Frame& frame = m_frames[handle];
    *protocol = frame.protocol;
    Ptr<Packet> packet = frame.packet->Copy();
    if (ce)
    {
        WeftIpInfo::MarkCe(packet, frame.protocol);
    }
    return packet;
}

std::size_t
WeftFrames::ReadFrame(void* frames,
                      uint64_t handle,
                      uint16_t* ethertype,
                      uint8_t* buf,
                      std::size_t size)
{
    NS_LOG_FUNCTION(frames << handle << ethertype << buf << size);
    auto self = static_cast<WeftFrames*>(frames);
    if (handle >= self->m_frames.size() || !self->m_frames[handle].packet)
    {
        return 0;
    }
    const Frame& frame = self->m_frames[handle];
    *ethertype = frame.protocol;
    frame.packet->CopyData(buf, size);
    return frame.packet->GetSize();
}

WeftFrames::Frame
WeftFrames::Take(uint64_t handle)
{
    Frame frame = {};
    if (handle < m_frames.size())
    {
        std::swap(frame, m_frames[handle]);
        m_free.push_back(handle);
    }
    return frame;
}

void
WeftFrames::OnLeft(void* ctx, uint64_t handle)
{
    auto self = static_cast<WeftFabric*>(ctx);
    if (handle >= self->m_frames.m_frames.size())
    {
        return; // after Clear
    }
    Frame& frame = self->m_frames.m_frames[handle];
    frame.left = true;
    frame.sender->FrameLeft(frame.packet, frame.prio, frame.bytes);
}

void
WeftFrames::OnReceived(void* ctx, uint32_t port, uint64_t handle, int ce)
{
    auto self = static_cast<WeftFabric*>(ctx);
    const Frame frame = self->m_frames.Take(handle);
    if (!frame.packet)
    {
        return;
    }
    if (ce)
    {
        WeftIpInfo::MarkCe(frame.packet, frame.protocol);
    }
    WeftNetDevice* device = self->m_fanOut.GetDevice(port, frame.prio);
    if (!device) // only some ports of the host have one
    {
        const weft_fabric* graph = self->GetGraph();
        const weft_fabric_node& node = graph->nodes[graph->hosts[frame.dstHost]];
        for (uint32_t k = 0; k < node.nports && !device; k++)
        {
            device = self->m_fanOut.GetDevice(node.first_port + k, frame.prio);
        }
    }
    if (device)
    {
        // As an event of the receiving node: the stack must not run inside of the engine.
        Simulator::ScheduleWithContext(device->GetNode()->GetId(),
                                       Time(0),
                                       &WeftNetDevice::Receive,
                                       Ptr<WeftNetDevice>(device),
                                       frame.packet,
                                       frame.protocol,
                                       frame.sender->GetAddress());
    }
}

void
WeftFrames::OnDropped(void* ctx,
                      uint32_t port,
                      uint32_t inPort,
                      uint64_t handle,
                      weft_drop_reason why)
{
    auto self = static_cast<WeftFabric*>(ctx);
    const Frame frame = self->m_frames.Take(handle);
    if (!frame.packet)
    {
        return;
    }
    if (!frame.left)
    {
        frame.sender->FrameLeft(frame.packet, frame.prio, frame.bytes);
    }
    self->m_fanOut.FrameDropped(port, inPort, why, frame.packet);
}

} // namespace ns3
