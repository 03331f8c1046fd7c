/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_IP_INFO_H
#define WEFT_IP_INFO_H

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/packet.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup weft
 * What a fabric needs to know of a packet of the IP stack. Read from its first bytes; of a packet
 * that is not IP only the protocol is known.
 */
struct WeftIpInfo
{
    // ns-3 declared these numbers as PROT_NUMBER of its protocols up to 3.48.
    static constexpr uint16_t ETHERTYPE_IPV4 = 0x0800; //!< IPv4 in an Ethernet frame.
    static constexpr uint16_t ETHERTYPE_IPV6 = 0x86dd; //!< IPv6 in an Ethernet frame.
    static constexpr uint8_t PROTOCOL_TCP = 6;         //!< TCP in an IP packet.

    /**
     * @param packet a packet with its network header
     * @param protocol its EtherType
     */
    WeftIpInfo(Ptr<const Packet> packet, uint16_t protocol);

    bool isIpv4{false};       //!< An IPv4 header was read.
    bool isIpv6{false};       //!< An IPv6 header was read.
    uint8_t tos{0};           //!< Type of service or traffic class: DSCP and ECN bits.
    uint8_t next{0};          //!< Protocol above IP; 0 for fragments.
    uint32_t flow{0};         //!< Hash of protocol and, where there are any, ports.
    uint32_t payloadBytes{0}; //!< What follows the TCP, UDP or, for others, the network header.
    Ipv4Address ipv4;         //!< Destination.
    Ipv6Address ipv6;         //!< Destination.

    /**
     * @return whether the destination is a group or everyone
     */
    bool IsGroup() const;

    /**
     * @return whether an IPv6 stack looks for neighbours or routers on its link
     */
    bool IsNeighbourDiscovery() const;

    /**
     * @param protocol an EtherType
     * @param tos type of service or traffic class
     * @return the priority that the three upper bits of the DSCP name; 0 for what is not IP
     */
    static uint32_t Precedence(uint16_t protocol, uint8_t tos);

    /**
     * @param protocol an EtherType
     * @param next protocol above IP, 0 where it is not known
     * @param source port, or 0
     * @param dest port, or 0
     * @return the hash of a flow
     */
    static uint32_t FlowHash(uint16_t protocol, uint8_t next, uint16_t source, uint16_t dest);

    /**
     * Sets the ECN field of the IP header to "congestion experienced".
     * @param packet a packet whose header is IPv4 or IPv6
     * @param protocol its EtherType
     */
    static void MarkCe(Ptr<Packet> packet, uint16_t protocol);
};

} // namespace ns3

#endif /* WEFT_IP_INFO_H */
