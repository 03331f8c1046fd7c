/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-helper.h"

#include "ns3/fatal-error.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/weft-message-listener.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftHelper");

namespace
{

constexpr uint16_t FIRST_PORT = 5000;    //!< Each flow has a port of its own.
constexpr uint32_t PACKET_BYTES = 1472;  //!< Of UDP: 1,500 bytes with its headers.
constexpr uint32_t MOST_WRITTEN = 65536; //!< To a TCP socket at once.

} // namespace

/** RoCE messages that have a callback, by the number that they carry. */
class WeftHelper::Messages : public WeftMessageListener
{
  public:
    explicit Messages(Ptr<WeftFabric> fabric)
        : m_fabric(fabric),
          m_ref(fabric->AddListener(this))
    {
    }

    ~Messages() override
    {
        m_fabric->RemoveListener(m_ref);
    }

    void Post(uint32_t src, uint32_t dst, uint64_t bytes, Done done)
    {
        weft_msg msg = {};
        weft_err err = {};
        msg.src = src;
        msg.dst = dst;
        msg.bytes = bytes;
        msg.prio = UINT32_MAX;
        msg.token.number = m_ref;
        msg.tag = m_done.size();
        m_done.push_back(done);
        if (m_fabric->TrySend(msg, nullptr, &err) != 0)
        {
            NS_FATAL_ERROR("weft: " << err.msg);
        }
    }

    void MessageReceived(const weft_completion& message) override
    {
        Done& done = m_done[message.msg.tag];
        if (!done.IsNull())
        {
            done(message.msg.src,
                 message.msg.dst,
                 message.msg.bytes,
                 PicoSeconds(message.received_ps - message.post_ps));
        }
        done.Nullify();
    }

    void MessageAcked(const weft_completion& /* message */) override
    {
    }

  private:
    Ptr<WeftFabric> m_fabric; //!< The fabric.
    uint64_t m_ref;           //!< The number of its messages.
    std::vector<Done> m_done; //!< By tag.
};

/** Data of TCP or UDP from one host to another. */
struct WeftHelper::Flow
{
    /** Writes to a TCP socket what it has room for. */
    void Write(Ptr<Socket> socket, uint32_t /* room */)
    {
        while (left > 0 && socket->GetTxAvailable() > 0)
        {
            const uint64_t n =
                std::min<uint64_t>({left, MOST_WRITTEN, uint64_t(socket->GetTxAvailable())});
            const int taken = socket->Send(Create<Packet>(static_cast<uint32_t>(n)));
            if (taken <= 0)
            {
                return;
            }
            left -= static_cast<uint64_t>(taken);
        }
        if (left == 0)
        {
            socket->Close();
        }
    }

    /** Sends a packet of UDP, and asks for the next. */
    void SendPacket()
    {
        const auto n = static_cast<uint32_t>(std::min<uint64_t>(left, PACKET_BYTES));
        source->Send(Create<Packet>(n));
        left -= n;
        if (left > 0)
        {
            Simulator::Schedule(rate.CalculateBytesTxTime(n), &Flow::SendPacket, this);
        }
    }

    /** Reads what has arrived. */
    void Read(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            missing -= packet->GetSize();
        }
        if (missing == 0 && !done.IsNull())
        {
            done(src, dst, bytes, Simulator::Now() - start);
            done.Nullify();
        }
    }

    /** A TCP connection has been made. */
    void Accept(Ptr<Socket> socket, const Address& /* from */)
    {
        socket->SetRecvCallback(MakeCallback(&Flow::Read, this));
    }

    uint32_t src;       //!< Sending host number.
    uint32_t dst;       //!< Receiving host number.
    uint64_t bytes;     //!< Payload.
    uint64_t left;      //!< Not yet sent.
    uint64_t missing;   //!< Not yet received.
    Time start;         //!< When it starts.
    DataRate rate;      //!< Of UDP.
    Done done;          //!< Called when all has arrived.
    Ptr<Socket> source; //!< Of the sender.
    Ptr<Socket> sink;   //!< Of the receiver.
};

WeftHelper::WeftHelper()
{
    NS_LOG_FUNCTION(this);
    WeftFabricHelper::Setup();
    m_helper = std::make_unique<WeftFabricHelper>();
}

WeftHelper::~WeftHelper()
{
    NS_LOG_FUNCTION(this);
}

WeftFabricHelper&
WeftHelper::GetFabricHelper()
{
    NS_LOG_FUNCTION(this);
    return *m_helper;
}

Ptr<WeftFabric>
WeftHelper::GetFabric()
{
    NS_LOG_FUNCTION(this);
    if (!m_fabric)
    {
        m_fabric = m_helper->Install();
        m_messages = std::make_unique<Messages>(m_fabric);
    }
    return m_fabric;
}

Ptr<Node>
WeftHelper::GetHost(uint32_t host)
{
    NS_LOG_FUNCTION(this << host);
    GetFabric();
    if (host >= m_helper->GetHosts().GetN())
    {
        NS_FATAL_ERROR("weft: there is no host " << host << ", the fabric has "
                                                 << m_helper->GetHosts().GetN());
    }
    return m_helper->GetHosts().Get(host);
}

Ipv4Address
WeftHelper::GetAddress(uint32_t host)
{
    NS_LOG_FUNCTION(this << host);
    GetHost(host);
    if (m_addresses.GetN() == 0)
    {
        const NodeContainer hosts = m_helper->GetHosts();
        InternetStackHelper().Install(hosts);
        Ipv4AddressHelper net("10.0.0.0", "255.0.0.0");
        for (auto it = hosts.Begin(); it != hosts.End(); ++it)
        {
            m_addresses.Add(net.Assign((*it)->GetDevice(0)));
        }
    }
    return m_addresses.GetAddress(host);
}

void
WeftHelper::Send(Time at, uint32_t src, uint32_t dst, uint64_t bytes, Done done)
{
    NS_LOG_FUNCTION(this << at << src << dst << bytes);
    GetHost(dst);
    Simulator::ScheduleWithContext(GetHost(src)->GetId(),
                                   at - Simulator::Now(),
                                   &Messages::Post,
                                   m_messages.get(),
                                   src,
                                   dst,
                                   bytes,
                                   done);
}

void
WeftHelper::Incast(Time at, uint32_t dst, uint32_t senders, uint64_t bytes, Done done)
{
    NS_LOG_FUNCTION(this << at << dst << senders << bytes);
    for (uint32_t i = 1; i <= senders; i++)
    {
        Send(at, dst + i, dst, bytes, done);
    }
}

WeftHelper::Flow&
WeftHelper::AddFlow(Time at, uint32_t src, uint32_t dst, uint64_t bytes, Done done)
{
    GetAddress(src);
    if (bytes == 0 || m_flows.size() > UINT16_MAX - FIRST_PORT)
    {
        NS_FATAL_ERROR("weft: a flow of no bytes, or more flows than ports");
    }
    m_flows.push_back(std::make_unique<Flow>());
    Flow& f = *m_flows.back();
    f.src = src;
    f.dst = dst;
    f.bytes = f.left = f.missing = bytes;
    f.start = at;
    f.done = done;
    return f;
}

void
WeftHelper::Tcp(Time at, uint32_t src, uint32_t dst, uint64_t bytes, Done done)
{
    NS_LOG_FUNCTION(this << at << src << dst << bytes);
    const auto port = static_cast<uint16_t>(FIRST_PORT + m_flows.size());
    const InetSocketAddress to(GetAddress(dst), port);
    Flow& f = AddFlow(at, src, dst, bytes, done);
    f.sink = Socket::CreateSocket(GetHost(dst), TcpSocketFactory::GetTypeId());
    f.sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    f.sink->Listen();
    f.sink->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                              MakeCallback(&Flow::Accept, &f));
    f.source = Socket::CreateSocket(GetHost(src), TcpSocketFactory::GetTypeId());
    f.source->SetSendCallback(MakeCallback(&Flow::Write, &f));
    f.source->Bind();
    Simulator::ScheduleWithContext(GetHost(src)->GetId(),
                                   at - Simulator::Now(),
                                   [socket = f.source, to]() { socket->Connect(to); });
}

void
WeftHelper::Udp(Time at, uint32_t src, uint32_t dst, uint64_t bytes, DataRate rate, Done done)
{
    NS_LOG_FUNCTION(this << at << src << dst << bytes << rate);
    const auto port = static_cast<uint16_t>(FIRST_PORT + m_flows.size());
    const InetSocketAddress to(GetAddress(dst), port);
    Flow& f = AddFlow(at, src, dst, bytes, done);
    f.rate = rate;
    f.sink = Socket::CreateSocket(GetHost(dst), UdpSocketFactory::GetTypeId());
    f.sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    f.sink->SetRecvCallback(MakeCallback(&Flow::Read, &f));
    f.source = Socket::CreateSocket(GetHost(src), UdpSocketFactory::GetTypeId());
    f.source->Bind();
    f.source->Connect(to);
    Simulator::ScheduleWithContext(GetHost(src)->GetId(),
                                   at - Simulator::Now(),
                                   &Flow::SendPacket,
                                   &f);
}

void
WeftHelper::Run()
{
    NS_LOG_FUNCTION(this);
    Simulator::Run();
    m_messages.reset();
    m_flows.clear();
    Simulator::Destroy();
}

} // namespace ns3
