/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_FRAMES_H
#define WEFT_FRAMES_H

#include "ns3-module/engine/engine.h"

#include "ns3/address.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/packet.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

class WeftFabric;
class WeftNetDevice;

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

/**
 * @ingroup weft
 * The packets of ns-3's Internet stack that are under way in a fabric, and the hosts that IP and
 * MAC addresses belong to.
 *
 * A fabric forwards by destination host, as switches do whose neighbour tables are complete: no
 * address resolution takes place. A packet for a unicast MAC address goes to its host; the stack of
 * a device without ARP gives none, then the destination of the IP header decides. A destination
 * outside of the fabric is reached through the host that the routes of the sending node (static,
 * global or any other protocol) name as gateway. A packet for a group, or for an address that is
 * neither, is dropped by the sending device; the first of each is reported on standard error.
 * Neighbour discovery of IPv6, which a fabric can do without, is dropped silently.
 */
class WeftFrames
{
  public:
    /**
     * @param fabric whose frames they are
     */
    explicit WeftFrames(WeftFabric& fabric);

    WeftFrames(const WeftFrames&) = delete;
    WeftFrames& operator=(const WeftFrames&) = delete;

    /**
     * Hands a packet to the engine.
     * @param device the sending device
     * @param port the fabric port to send through, UINT32_MAX: the one of the flow's hash
     * @param packet with its network header; becomes the fabric's
     * @param protocol EtherType
     * @param dest MAC address of the destination, or broadcast
     * @param prio priority
     * @param bytes frame bytes
     * @return whether it was taken: there is such a host, and no mistake
     */
    bool Send(WeftNetDevice* device,
              uint32_t port,
              Ptr<Packet> packet,
              uint16_t protocol,
              const Address& dest,
              uint32_t prio,
              uint32_t bytes);

    /**
     * @param hooks gets the hooks of frames; their ctx must be the fabric
     */
    static void SetHooks(weft_engine_hooks& hooks);

    /**
     * Makes an address known without a search through all hosts.
     * @param address an address
     * @param host the host that has it
     */
    void AddAddress(Ipv4Address address, uint32_t host);

    /**
     * @param handle of a frame that is under way
     * @param ce whether it has been marked
     * @param [out] protocol its EtherType
     * @return a copy of its packet as it is now; null: there is none
     */
    Ptr<Packet> CopyFrame(uint64_t handle, bool ce, uint16_t* protocol) const;

    /**
     * Reads the bytes of a packet as it was sent: weft_wire_config::read_frame.
     * @param frames the WeftFrames
     * @param handle of a frame that is under way
     * @param [out] ethertype its EtherType
     * @param [out] buf gets the bytes
     * @param size how many at most
     * @return how many the packet has; 0: there is none
     */
    static std::size_t ReadFrame(void* frames,
                                 uint64_t handle,
                                 uint16_t* ethertype,
                                 uint8_t* buf,
                                 std::size_t size);

    /** Forgets all packets and addresses; the engine must not run any more. */
    void Clear();

  private:
    /** A packet under way. */
    struct Frame
    {
        Ptr<Packet> packet;        //!< The packet.
        Ptr<WeftNetDevice> sender; //!< The device that sent it.
        uint32_t dstHost;          //!< Host number.
        uint32_t bytes;            //!< Frame bytes.
        uint16_t protocol;         //!< EtherType.
        uint8_t prio;              //!< Priority.
        bool left;                 //!< It left the queue of its NIC.
    };

    // The engine's hooks; ctx is the fabric.
    static void OnLeft(void* ctx, uint64_t handle);
    static void OnReceived(void* ctx, uint32_t port, uint64_t handle, int ce);
    static void OnDropped(void* ctx,
                          uint32_t port,
                          uint32_t inPort,
                          uint64_t handle,
                          weft_drop_reason why);

    /**
     * @param handle of a frame that has come to its end
     * @return the frame; without a packet after Clear
     */
    Frame Take(uint64_t handle);
    /**
     * @param device the sending device
     * @param packet the packet
     * @param info of the packet
     * @param dest its MAC destination
     * @return the host that has the destination, or that the routes of the sender name as its next
     * hop; UINT32_MAX: there is none
     */
    uint32_t FindHost(WeftNetDevice* device,
                      Ptr<const Packet> packet,
                      const WeftIpInfo& info,
                      const Address& dest) const;
    /**
     * @param info with the destination of a packet, which is replaced
     * @param device the sending device
     * @param packet the packet
     * @return whether the routes of the sending node name a gateway, which is the new destination
     */
    static bool NextHop(WeftIpInfo& info, WeftNetDevice* device, Ptr<const Packet> packet);

    /** Why a packet goes nowhere. */
    enum Complaint
    {
        NO_HOST,
        GROUP,
        REFUSED,
        COMPLAINTS
    };

    /**
     * Says on standard error that packets are dropped, once for each fabric and reason.
     * @param what the reason
     * @param device the sending device
     * @param text what is wrong with the first, and what to do about it
     */
    void Complain(Complaint what, WeftNetDevice* device, const std::string& text);
    /**
     * No host can be found for a packet.
     * @param info of the packet
     * @param device the sending device
     * @param dest its MAC destination
     */
    void ComplainOfDestination(const WeftIpInfo& info, WeftNetDevice* device, const Address& dest);
    /** Reads the addresses of all hosts anew. */
    void ReadAddresses();

    WeftFabric& m_fabric;                    //!< Whose frames they are.
    std::vector<Frame> m_frames;             //!< By handle.
    std::vector<uint32_t> m_free;            //!< Handles free for use, last in first out.
    std::map<Address, uint32_t> m_macs;      //!< Host by MAC address.
    std::map<Ipv4Address, uint32_t> m_ipv4s; //!< Host by IPv4 address.
    std::map<Ipv6Address, uint32_t> m_ipv6s; //!< Host by IPv6 address.
    bool m_complained[COMPLAINTS]{};         //!< By reason.
};

} // namespace ns3

#endif /* WEFT_FRAMES_H */
