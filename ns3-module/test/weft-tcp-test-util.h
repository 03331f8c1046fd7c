/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_TCP_TEST_UTIL_H
#define WEFT_TCP_TEST_UTIL_H

/**
 * @file
 * @ingroup weft-tests
 * TCP connections and stacks for the suites weft-tcp and weft-ip*.
 */
#include "weft-test-util.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

/**
 * TCP as datacentres set it: full segments, no 1 ms timestamps, short timeouts, large buffers.
 * @param variant TypeId of a congestion control, without "ns3::"
 */
inline void
WeftTestSetTcp(const std::string& variant)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName("ns3::" + variant)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(5)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(10)));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(1)));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(MilliSeconds(20)));
}

/**
 * @ingroup weft-tests
 * One connection that sends as fast as it can, or a given number of bytes.
 */
class WeftTestBulk
{
  public:
    /**
     * @param from sending node
     * @param to receiving node
     * @param address of the receiving node
     * @param port of the receiver
     * @param start when to connect
     * @param bytes to be sent
     * @param tos type of service of the packets
     */
    WeftTestBulk(Ptr<Node> from,
                 Ptr<Node> to,
                 Ipv4Address address,
                 uint16_t port,
                 Time start,
                 uint64_t bytes = UINT64_MAX,
                 uint8_t tos = 0)
        : m_left(bytes),
          m_sink(Socket::CreateSocket(to, TcpSocketFactory::GetTypeId())),
          m_source(Socket::CreateSocket(from, TcpSocketFactory::GetTypeId()))
    {
        m_sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        m_sink->Listen();
        m_sink->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&WeftTestBulk::Accepted, this));
        m_source->SetIpTos(tos);
        m_source->TraceConnectWithoutContext("Tx", MakeCallback(&WeftTestBulk::Sent, this));
        m_source->TraceConnectWithoutContext("RTO", MakeCallback(&WeftTestBulk::RtoChanged, this));
        m_source->SetSendCallback(MakeCallback(&WeftTestBulk::Fill, this));
        Simulator::ScheduleWithContext(from->GetId(), start, [this, address, port]() {
            m_source->Bind();
            m_source->Connect(InetSocketAddress(address, port));
        });
    }

    uint64_t received{0}; //!< Bytes received.
    uint64_t retx{0};     //!< Segments sent again.
    uint64_t timeouts{0}; //!< Retransmission timeouts.
    uint64_t hash{0};     //!< Of the times and sizes of what was received.
    Time last;            //!< When something was received last.

  private:
    void Fill(Ptr<Socket> socket, uint32_t /* room */)
    {
        while (m_left > 0)
        {
            uint64_t n = std::min<uint64_t>({m_left, 65536, socket->GetTxAvailable()});
            int sent = n ? socket->Send(Create<Packet>(n)) : 0;
            if (sent <= 0)
            {
                return;
            }
            m_left -= sent;
        }
    }

    void Accepted(Ptr<Socket> socket, const Address& /* from */)
    {
        socket->SetRecvCallback(MakeCallback(&WeftTestBulk::Read, this));
    }

    void Read(Ptr<Socket> socket)
    {
        while (Ptr<Packet> p = socket->Recv())
        {
            received += p->GetSize();
            last = Simulator::Now();
            hash = (hash * 1000003) ^ (last.GetTimeStep() + p->GetSize());
        }
    }

    void Sent(Ptr<const Packet> p, const TcpHeader& header, Ptr<const TcpSocketBase> /* socket */)
    {
        if (p->GetSize() == 0)
        {
            return;
        }
        retx += m_started && header.GetSequenceNumber() < m_highest;
        m_highest = m_started ? std::max(m_highest, header.GetSequenceNumber() + p->GetSize())
                              : header.GetSequenceNumber() + p->GetSize();
        m_started = true;
    }

    void RtoChanged(Time before, Time after)
    {
        timeouts += m_started && after == before + before; // nothing else doubles it exactly
    }

    uint64_t m_left;            //!< Bytes to be sent.
    Ptr<Socket> m_sink;         //!< Listens.
    Ptr<Socket> m_source;       //!< Sends.
    SequenceNumber32 m_highest; //!< First byte never sent.
    bool m_started{false};      //!< m_highest is set.
};

/**
 * Installs the stack on all hosts; their addresses are 10.0.0.1 and up.
 * @param helper that installed the fabric
 * @param queueDiscs whether hosts keep the queue discs that ns-3 gives them
 * @return the addresses by host
 */
inline std::vector<Ipv4Address>
WeftTestInstallStack(const WeftFabricHelper& helper, bool queueDiscs = false)
{
    InternetStackHelper().Install(helper.GetHosts());
    Ipv4AddressHelper net("10.0.0.0", "255.0.0.0");
    std::vector<Ipv4Address> addresses;
    for (uint32_t i = 0; i < helper.GetHosts().GetN(); i++)
    {
        NetDeviceContainer device(helper.GetHosts().Get(i)->GetDevice(0));
        addresses.push_back(net.Assign(device).GetAddress(0));
        if (!queueDiscs)
        {
            TrafficControlHelper().Uninstall(device);
        }
    }
    return addresses;
}

} // namespace ns3

#endif /* WEFT_TCP_TEST_UTIL_H */
