/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ns-3 nodes with an Internet stack for the hosts of a fabric, made when first used.
 */
#ifndef WEFT_TCP_HOSTS_H
#define WEFT_TCP_HOSTS_H

#include "tcp_params.h"
#include "tcp_socket.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/weft-fabric.h"

#include <unordered_map>

namespace weft
{

/**
 * The hosts that talk TCP. Priority p is the subnet (10 + p).0.0.0/8, in which host h has the
 * number 1 + h. ns-3 could tell priorities by the type of service, too, but its TCP leaves out ECN
 * where that is not 0. A host has a node for each priority, as a node must not get a device while
 * it receives (ns-3 goes through its handlers then), which is when most first messages are sent.
 */
class TcpHosts
{
  public:
    /**
     * @param fabric the fabric
     * @param transport section transport
     * @param tcp section tcp
     * @param seed of the run
     */
    TcpHosts(ns3::Ptr<ns3::WeftFabric> fabric, const weft_packet_transport &transport,
             const weft_tcp_params &tcp, uint64_t seed);

    /**
     * @param host a host number
     * @param prio a priority that it is going to use
     * @return its node for that
     */
    ns3::Ptr<ns3::Node> GetNode(uint32_t host, uint32_t prio);

    /**
     * @param host a host number
     * @param prio a priority
     * @return its address there
     */
    static ns3::Ipv4Address GetAddress(uint32_t host, uint32_t prio);

    /**
     * @param host a host number
     * @param prio priority of the packets
     * @return a new socket, configured
     */
    ns3::Ptr<TcpSocket> MakeSocket(uint32_t host, uint32_t prio);

    /**
     * @return bytes of a full segment
     */
    uint32_t GetSegmentBytes() const;

    /**
     * @return segments per ACK
     */
    uint32_t GetAckEvery() const
    {
        return m_params.ack_every;
    }

    /**
     * @return congestion window of a new connection, segments
     */
    uint32_t GetInitialWindow() const
    {
        return static_cast<uint32_t>(m_params.initial_window_segments);
    }

    /**
     * @return send buffer of a socket
     */
    uint32_t GetSendBufferBytes() const
    {
        return static_cast<uint32_t>(m_params.send_buffer_bytes);
    }

    /**
     * @return receive buffer of a socket
     */
    uint32_t GetReceiveBufferBytes() const
    {
        return static_cast<uint32_t>(m_params.receive_buffer_bytes);
    }

  private:
    /**
     * @param host a host number
     * @param prio a priority
     * @return a node for it, with an Internet stack and a device
     */
    ns3::Ptr<ns3::Node> MakeNode(uint32_t host, uint32_t prio);

    /**
     * @return a socket of no host, configured
     */
    ns3::Ptr<TcpSocket> MakePrototype() const;

    ns3::Ptr<ns3::WeftFabric> m_fabric;                        //!< The fabric.
    weft_tcp_params m_params;                                  //!< Section tcp.
    ns3::TypeId m_variant;                                     //!< Congestion control.
    uint64_t m_seed;                                           //!< Of the run.
    ns3::Ptr<TcpSocket> m_prototype;                           //!< Of all sockets.
    int64_t m_sockets{0};                                      //!< Made so far.
    ns3::InternetStackHelper m_stack;                          //!< Installs stacks.
    std::unordered_map<uint64_t, ns3::Ptr<ns3::Node>> m_nodes; //!< By host and priority.
};

} // namespace weft

#endif /* WEFT_TCP_HOSTS_H */
