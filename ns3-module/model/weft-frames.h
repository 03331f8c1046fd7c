/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_FRAMES_H
#define WEFT_FRAMES_H

#include "ns3-module/engine/engine.h"
#include "weft-ip-info.h"

#include "ns3/address.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/net-device.h"
#include "ns3/packet.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

class WeftFabric;

/**
 * @ingroup weft
 * A device as WeftFrames sees it: the one that sends a packet of the IP stack, and the one that it
 * arrives at.
 */
class WeftFrameDevice : public NetDevice
{
  public:
    /**
     * @return the fabric's number of this port
     */
    virtual uint32_t GetPort() const = 0;

    /**
     * A packet of the IP stack has arrived; hands it to the stack.
     * @param packet the packet
     * @param protocol EtherType
     * @param from MAC address of the sender
     */
    virtual void Receive(Ptr<Packet> packet, uint16_t protocol, Address from) = 0;

    /**
     * A packet of the IP stack has left the queue of the NIC.
     * @param packet the packet
     * @param prio its priority
     * @param bytes its frame bytes
     */
    virtual void FrameLeft(Ptr<const Packet> packet, uint32_t prio, uint32_t bytes) = 0;
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
     * A packet is about to be handed to the engine: WeftFabric::SendFrame.
     * @param device the sending device
     * @param port the fabric port to send through, UINT32_MAX: the one of the flow's hash
     * @param packet with its network header; becomes the fabric's
     * @param protocol EtherType
     * @param dest MAC address of the destination, or broadcast
     * @param prio priority
     * @param bytes frame bytes
     * @param [out] frame what the engine is given
     * @return whether there is such a host
     */
    bool Add(WeftFrameDevice* device,
             uint32_t port,
             Ptr<Packet> packet,
             uint16_t protocol,
             const Address& dest,
             uint32_t prio,
             uint32_t bytes,
             weft_engine_frame& frame);

    /**
     * The engine has refused a packet.
     * @param device the sending device
     * @param handle of the frame
     * @param err why
     */
    void Refuse(WeftFrameDevice* device, uint64_t handle, const weft_err& err);

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
        Ptr<Packet> packet;          //!< The packet.
        Ptr<WeftFrameDevice> sender; //!< The device that sent it.
        uint32_t dstHost;            //!< Host number.
        uint32_t bytes;              //!< Frame bytes.
        uint16_t protocol;           //!< EtherType.
        uint8_t prio;                //!< Priority.
        bool left;                   //!< It left the queue of its NIC.
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
     * A packet was dropped: tells the trace sources.
     * @param fabric the fabric
     * @param port the port that it wanted to leave by, or the one whose link lost it
     * @param inPort for lack of buffer: the port that it came in through; else UINT32_MAX
     * @param why the reason
     * @param packet the packet
     */
    static void TellDropped(WeftFabric& fabric,
                            uint32_t port,
                            uint32_t inPort,
                            weft_drop_reason why,
                            Ptr<const Packet> packet);
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
    uint32_t FindHost(WeftFrameDevice* device,
                      Ptr<const Packet> packet,
                      const WeftIpInfo& info,
                      const Address& dest) const;
    /**
     * @param info with the destination of a packet, which is replaced
     * @param device the sending device
     * @param packet the packet
     * @return whether the routes of the sending node name a gateway, which is the new destination
     */
    static bool NextHop(WeftIpInfo& info, WeftFrameDevice* device, Ptr<const Packet> packet);

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
    void Complain(Complaint what, WeftFrameDevice* device, const std::string& text);
    /**
     * No host can be found for a packet.
     * @param info of the packet
     * @param device the sending device
     * @param dest its MAC destination
     */
    void ComplainOfDestination(const WeftIpInfo& info,
                               WeftFrameDevice* device,
                               const Address& dest);
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
