/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-ip-info.h"

#include "base/rng.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/log.h"
#include "ns3/node.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftIpInfo");

namespace
{

constexpr uint8_t PROTOCOL_UDP = 17;
constexpr uint8_t PROTOCOL_ICMPV6 = 58;
constexpr uint32_t IPV6_HEADER_BYTES = 40;
constexpr uint32_t UDP_HEADER_BYTES = 8;

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

} // namespace ns3
