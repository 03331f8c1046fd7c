/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_NET_DEVICE_H
#define WEFT_NET_DEVICE_H

#include "weft-fabric.h"

#include "ns3/mac48-address.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

namespace ns3
{

class WeftChannel;
class WeftLan;

/**
 * @ingroup weft
 * The ns-3 face of one fabric port: of a host's NIC or of a switch.
 *
 * It gives the port a place in the node, so that Config paths reach its trace sources:
 * /NodeList/3/DeviceList/0/$ns3::WeftNetDevice/PfcPause. Messages travel by WeftFabric::Send.
 *
 * On a host's port the Internet stack can be installed as on any device. Its packets wait in the
 * queue of their priority at the NIC and in the switches, next to RoCE's, where they are scheduled,
 * paused, dropped and ECN-marked by the same rules; a mark arrives as CE in the IP header. The
 * priority is the precedence of the packet (the three upper bits of its DSCP) unless attribute
 * IpPriority sets it.
 *
 * The device has one transmission queue per priority, each of TxQueueLimit bytes, with ns-3's flow
 * control (NetDeviceQueueInterface): queue discs above it keep what does not fit. There is no
 * address resolution: see WeftFrames. The ports of switches refuse to send.
 */
class WeftNetDevice : public WeftFrameDevice
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId();

    WeftNetDevice();
    ~WeftNetDevice() override;

    /**
     * @param fabric the fabric
     * @param port the port of it that this device stands for
     * @param channel the link that the port sends on
     */
    void Attach(Ptr<WeftFabric> fabric, uint32_t port, Ptr<WeftChannel> channel);

    /**
     * @param lan what the port of a host is a part of for its IP stack, and GetChannel returns; a
     * port without one, as those of switches, returns its link there
     */
    void SetLan(Ptr<WeftLan> lan);

    /**
     * @return the link that the port sends on
     */
    Ptr<WeftChannel> GetLink() const;

    /**
     * @return the fabric
     */
    Ptr<WeftFabric> GetFabric() const;

    /**
     * @return what the port has counted so far
     */
    WeftPortCounters GetCounters();

    /** Called by the trace source accessors: passes on which traces have sinks. */
    void TraceSinksChanged();

    // Inherited
    uint32_t GetPort() const override;
    void Receive(Ptr<Packet> packet, uint16_t protocol, Address from) override;
    void FrameLeft(Ptr<const Packet> packet, uint32_t prio, uint32_t bytes) override;
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

    /**
     * A priority of the port was stopped or released by PFC.
     * @param [in] time when
     * @param [in] prio the priority
     */
    typedef void (*PfcTracedCallback)(Time time, uint32_t prio);
    /**
     * A packet was dropped at the port.
     * @param [in] time when
     * @param [in] reason why
     * @param [in] packet the packet
     */
    typedef void (*DropTracedCallback)(Time time,
                                       weft_drop_reason reason,
                                       const weft_engine_pkt_view& packet);
    /**
     * A packet was ECN-marked in the port's queue.
     * @param [in] time when
     * @param [in] packet the packet
     */
    typedef void (*MarkTracedCallback)(Time time, const weft_engine_pkt_view& packet);
    /**
     * A packet was sent, received or queued.
     * @param [in] time when
     * @param [in] packet the packet
     */
    typedef void (*PacketTracedCallback)(Time time, const weft_engine_pkt_view& packet);
    /**
     * The port's link failed or came back.
     * @param [in] time when
     * @param [in] up whether it works from now on
     */
    typedef void (*LinkTracedCallback)(Time time, bool up);
    /**
     * The port's queue changed.
     * @param [in] time when
     * @param [in] prio the priority
     * @param [in] bytes queued now
     */
    typedef void (*QueueTracedCallback)(Time time, uint32_t prio, uint64_t bytes);

  private:
    friend class WeftDevices; // which keeps the devices of a port in a list
    friend class WeftFanOut;
    friend class WeftFrames;

    void DoDispose() override;

    /**
     * @return a new TypeId
     */
    static TypeId MakeTypeId();

    /**
     * @return the fabric on its port 0, null on others: attribute Fabric
     */
    Ptr<WeftFabric> GetFabricOfFirstPort() const;
    /** Lets the queues that have room again take packets. */
    void WakeQueues();
    /**
     * @param protocol EtherType of a packet
     * @param tos its type of service
     * @return the priority that it travels with
     */
    uint32_t GetPriority(uint16_t protocol, uint8_t tos) const;
    /**
     * @return frame bytes of the largest packet
     */
    uint32_t GetMaxFrameBytes() const;

    Ptr<WeftFabric> m_fabric;                //!< The fabric.
    uint32_t m_port{0};                      //!< The port.
    WeftNetDevice* m_sibling{nullptr};       //!< The device that the port had before, or null.
    Ptr<WeftChannel> m_channel;              //!< The link.
    Ptr<WeftLan> m_lan;                      //!< The network of hosts; null on switches.
    Ptr<Node> m_node;                        //!< The node.
    Mac48Address m_address;                  //!< MAC address.
    uint32_t m_ifIndex{0};                   //!< Index in the node.
    uint16_t m_mtu{1500};                    //!< MTU of the IP stack.
    uint32_t m_overheadBytes{18};            //!< Frame bytes around a packet.
    uint32_t m_txLimitBytes{150000};         //!< Capacity of each transmission queue.
    int32_t m_ipPriority{-1};                //!< Priority of all packets, -1: by precedence.
    bool m_anyPort{false};                   //!< Packets may leave by any port of the host.
    bool m_isHost{false};                    //!< The port is one of a host.
    Ptr<NetDeviceQueueInterface> m_queues;   //!< Flow control; on hosts.
    uint64_t m_txBytes[WEFT_PRIOS]{};        //!< Waiting at the NIC, by priority.
    uint64_t m_txDone[WEFT_PRIOS]{};         //!< Left since the last WakeQueues.
    bool m_waking{false};                    //!< WakeQueues is scheduled.
    ReceiveCallback m_receive;               //!< The stack.
    PromiscReceiveCallback m_promiscReceive; //!< The stack, for all packets.
    bool m_hasSinks[WeftFanOut::TRACES]{};   //!< As the fabric has it.

#define WEFT_ROW(KIND, NAME, MEMBER, ALL, HELP, TYPE, ...)                                         \
    WeftSourceOf<TYPE>::Type MEMBER; /**< Trace source NAME. */
    WEFT_SHARED_TRACES(WEFT_ROW)
#undef WEFT_ROW
#define WEFT_ROW(KIND, NAME, MEMBER, TYPE, ...)                                                    \
    WeftSourceOf<TYPE>::Type MEMBER; /**< Trace source NAME. */
    WEFT_PORT_TRACES(WEFT_ROW)
#undef WEFT_ROW
#define WEFT_ROW(NAME, MEMBER, HELP)                                                               \
    TracedCallback<Ptr<const Packet>> MEMBER; /**< Trace source NAME. */
    WEFT_STACK_TRACES(WEFT_ROW)
#undef WEFT_ROW
    TracedCallback<> m_linkChange; //!< Of AddLinkChangeCallback.
};

} // namespace ns3

#endif /* WEFT_NET_DEVICE_H */
