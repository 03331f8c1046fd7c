/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_HELPER_H
#define WEFT_HELPER_H

#include "weft-fabric-helper.h"

#include "ns3/callback.h"
#include "ns3/ipv4-interface-container.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * A fabric with its traffic, for common cases: RoCE messages, TCP and UDP between hosts by number,
 * with a callback when data have arrived. Mistakes are fatal, with a message.
 *
 * @code
 *   WeftHelper net("leaf-spine", "Leaves", UintegerValue(4)); // first of all
 *   net.Incast(Seconds(0), 0, 8, 1 << 20, done);              // hosts 1 to 8 send to host 0
 *   net.Tcp(Seconds(0), 9, 0, 1 << 20, done);
 *   net.Run();
 * @endcode
 *
 * The helper must live until the simulation ends. What it has no function for is done with
 * GetFabricHelper() before the first traffic, and with GetFabric() and GetHost() after it.
 */
class WeftHelper
{
  public:
    /**
     * Data of one send have arrived.
     * @param src sending host number
     * @param dst receiving host number
     * @param bytes payload
     * @param duration from the send to the arrival of the last byte
     */
    typedef Callback<void, uint32_t, uint32_t, uint64_t, Time> Done;

    /**
     * Calls WeftFabricHelper::Setup: to be made before anything else that uses time.
     * @param topology as for WeftFabricHelper::SetTopology
     * @param attributes pairs of attribute name and value
     */
    template <typename... Ts>
    explicit WeftHelper(const std::string& topology, Ts&&... attributes)
        : WeftHelper()
    {
        m_helper->SetTopology(topology, std::forward<Ts>(attributes)...);
    }

    WeftHelper(const WeftHelper&) = delete;
    WeftHelper& operator=(const WeftHelper&) = delete;
    ~WeftHelper();

    /**
     * @return the helper of the fabric, to change it before the first traffic
     */
    WeftFabricHelper& GetFabricHelper();
    /**
     * Installs the fabric, once.
     * @return it
     */
    Ptr<WeftFabric> GetFabric();
    /**
     * @param host a host number
     * @return its node
     */
    Ptr<Node> GetHost(uint32_t host);
    /**
     * Installs the Internet stack on all hosts, once.
     * @param host a host number
     * @return its address in 10.0.0.0/8
     */
    Ipv4Address GetAddress(uint32_t host);

    /**
     * A RoCE message.
     * @param at when, absolute
     * @param src sending host number
     * @param dst receiving host number
     * @param bytes payload
     * @param done called when it has arrived; may be null
     */
    void Send(Time at, uint32_t src, uint32_t dst, uint64_t bytes, Done done = Done());
    /**
     * RoCE messages of the hosts dst + 1, dst + 2 ... to one.
     * @param at when, absolute
     * @param dst receiving host number
     * @param senders how many send
     * @param bytes payload of each
     * @param done called when a message has arrived; may be null
     */
    void Incast(Time at, uint32_t dst, uint32_t senders, uint64_t bytes, Done done = Done());
    /**
     * A TCP connection that sends and is closed. What kind of TCP is ns-3's to set
     * (ns3::TcpL4Protocol::SocketType).
     * @param at when it connects, absolute
     * @param src sending host number
     * @param dst receiving host number
     * @param bytes payload
     * @param done called when all has arrived; may be null
     */
    void Tcp(Time at, uint32_t src, uint32_t dst, uint64_t bytes, Done done = Done());
    /**
     * UDP packets of 1,472 bytes, the last one of the rest.
     * @param at when the first is sent, absolute
     * @param src sending host number
     * @param dst receiving host number
     * @param bytes payload
     * @param rate of payload
     * @param done called when all has arrived, which does not happen if a packet is lost; may be
     * null
     */
    void Udp(Time at,
             uint32_t src,
             uint32_t dst,
             uint64_t bytes,
             DataRate rate,
             Done done = Done());
    /**
     * Runs the simulation to its end, and destroys the simulator.
     */
    void Run();

  private:
    class Messages;
    struct Flow;

    /** Without a topology yet. */
    WeftHelper();

    /**
     * @param at when it starts
     * @param src sending host number
     * @param dst receiving host number
     * @param bytes payload
     * @param done called when all has arrived
     * @return a flow of the Internet stack
     */
    Flow& AddFlow(Time at, uint32_t src, uint32_t dst, uint64_t bytes, Done done);

    std::unique_ptr<WeftFabricHelper> m_helper; //!< Of the fabric.
    Ptr<WeftFabric> m_fabric;                   //!< Once it is installed.
    Ipv4InterfaceContainer m_addresses;         //!< By host, once the stack is installed.
    std::unique_ptr<Messages> m_messages;       //!< RoCE messages that have a callback.
    std::vector<std::unique_ptr<Flow>> m_flows; //!< TCP and UDP.
};

} // namespace ns3

#endif /* WEFT_HELPER_H */
