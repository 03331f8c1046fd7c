/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-frames.h"

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

constexpr uint8_t ECN_BITS = 3;

} // namespace

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
        Ptr<WeftNetDevice> device = m_fabric.m_devices.Get(port);
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
WeftFrames::FindHost(WeftFrameDevice* device,
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
WeftFrames::NextHop(WeftIpInfo& info, WeftFrameDevice* device, Ptr<const Packet> packet)
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
WeftFrames::Complain(Complaint what, WeftFrameDevice* device, const std::string& text)
{
    if (!m_complained[what])
    {
        m_complained[what] = true;
        NS_FATAL_ERROR_CONT("weft: node " << device->GetNode()->GetId() << " sends " << text);
    }
}

void
WeftFrames::ComplainOfDestination(const WeftIpInfo& info,
                                  WeftFrameDevice* device,
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
WeftFrames::Add(WeftFrameDevice* device,
                uint32_t port,
                Ptr<Packet> packet,
                uint16_t protocol,
                const Address& dest,
                uint32_t prio,
                uint32_t bytes,
                weft_engine_frame& frame)
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
    frame.src_host = graph->nodes[graph->ports[device->GetPort()].node].host;
    frame.dst_host = host;
    frame.port = port;
    frame.prio = prio;
    frame.bytes = bytes;
    frame.payload_bytes = std::min(info.payloadBytes, bytes);
    frame.flow = info.flow;
    frame.ect = (info.isIpv4 || info.isIpv6) && (info.tos & ECN_BITS) != 0;
    frame.handle = handle;
    return true;
}

void
WeftFrames::Refuse(WeftFrameDevice* device, uint64_t handle, const weft_err& err)
{
    NS_LOG_FUNCTION(this << device << handle);
    Complain(REFUSED, device, std::string("what its fabric refuses and drops: ") + err.msg);
    Take(handle);
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
    WeftNetDevice* device = self->m_devices.Get(port, frame.prio);
    if (!device) // only some ports of the host have one
    {
        const weft_fabric* graph = self->GetGraph();
        const weft_fabric_node& node = graph->nodes[graph->hosts[frame.dstHost]];
        for (uint32_t k = 0; k < node.nports && !device; k++)
        {
            device = self->m_devices.Get(node.first_port + k, frame.prio);
        }
    }
    if (device)
    {
        // As an event of the receiving node: the stack must not run inside of the engine.
        Simulator::ScheduleWithContext(device->GetNode()->GetId(),
                                       Time(0),
                                       &WeftFrameDevice::Receive,
                                       Ptr<WeftFrameDevice>(device),
                                       frame.packet,
                                       frame.protocol,
                                       frame.sender->GetAddress());
    }
}

void
WeftFrames::TellDropped(WeftFabric& fabric,
                        uint32_t port,
                        uint32_t inPort,
                        weft_drop_reason why,
                        Ptr<const Packet> packet)
{
    fabric.m_frameDrop(Simulator::Now(), port, why, packet);
    if (why == WEFT_DROP_ERROR)
    {
        if (WeftNetDevice* device = fabric.m_devices.Get(fabric.GetGraph()->ports[port].peer))
        {
            device->m_phyRxDrop(packet);
        }
    }
    else if (WeftNetDevice* device = fabric.m_devices.Get(inPort))
    {
        device->m_macRxDrop(packet);
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
    TellDropped(*self, port, inPort, why, frame.packet);
}

} // namespace ns3
