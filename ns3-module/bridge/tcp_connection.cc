/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp_connection.h"

#include "reserve.h"

#include "base/units.h"

#include "ns3/inet-socket-address.h"
#include "ns3/simulator.h"
#include "ns3/weft-time.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <new>

using namespace ns3;

namespace weft
{

namespace
{

constexpr uint64_t MOST_AT_ONCE = 1 << 20;             //!< Bytes given to a socket in one call.
constexpr int64_t LONGEST_RTO_PS = 60 * WEFT_PS_PER_S; //!< ns-3's.

/** ns-3 starts each stream at sequence number 0, which the SYN takes. */
uint64_t Offset(SequenceNumber32 seq, uint64_t near)
{
    const uint32_t ahead = seq.GetValue() - 1 - static_cast<uint32_t>(near);
    return near + static_cast<int32_t>(ahead);
}

} // namespace

TcpConnection::TcpConnection(TcpHosts &hosts, uint32_t src, uint32_t dst, uint32_t prio,
                             Listener listener)
    : m_listener(std::move(listener)), m_node(hosts.GetNode(src, prio)->GetId()),
      m_listening(hosts.MakeSocket(dst, prio)), m_sender(hosts.MakeSocket(src, prio)),
      m_ackEvery(hosts.GetAckEvery()), m_segmentBytes(hosts.GetSegmentBytes()),
      m_initialWindow(hosts.GetInitialWindow()), m_sendBufferBytes(hosts.GetSendBufferBytes()),
      m_mostBytes(std::min(m_sendBufferBytes, hosts.GetReceiveBufferBytes())),
      m_openedPs(WeftPs(Simulator::Now()))
{
    // Each to a port of its own.
    if (m_listening->Bind() != 0 || m_sender->Bind() != 0) {
        m_listener.failed("a host has 16,384 TCP ports, and none is left: fewer tcp.connections, "
                          "QP numbers or peers");
        return;
    }
    Address local;
    m_listening->GetSockName(local);
    m_port = InetSocketAddress::ConvertFrom(local).GetPort();
    m_listening->Listen();
    m_listening->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address &>(),
                                   MakeCallback(&TcpConnection::Accepted, this));
    m_sender->SetConnectCallback(MakeCallback(&TcpConnection::Connected, this),
                                 MakeCallback(&TcpConnection::Failed, this));
    m_sender->SetCloseCallbacks(MakeCallback(&TcpConnection::Failed, this),
                                MakeCallback(&TcpConnection::Failed, this));
    m_sender->SetSendCallback(MakeCallback(&TcpConnection::Room, this));
    Trace(true);
    const InetSocketAddress to(TcpHosts::GetAddress(dst, prio), m_port);
    Simulator::ScheduleWithContext(m_node, Time(0),
                                   [socket = m_sender, to]() { socket->Connect(to); });
}

TcpConnection::~TcpConnection()
{
    try {
        m_sender->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                                     MakeNullCallback<void, Ptr<Socket>>());
        m_sender->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                    MakeNullCallback<void, Ptr<Socket>>());
        m_sender->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
        Trace(false);
        m_listening->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address &>(),
                                       MakeNullCallback<void, Ptr<Socket>, const Address &>());
        if (m_receiver) {
            m_receiver->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
            m_receiver->TraceDisconnectWithoutContext("Tx",
                                                      MakeCallback(&TcpConnection::Answered, this));
        }
    } catch (const std::bad_alloc &) {
        Reserve::Abandon(); // callbacks take memory, of which none is left
    }
}

void TcpConnection::Trace(bool on)
{
    // Looking up a trace by its name takes as long as a segment.
    static const auto find = [](const char *name) {
        return TcpSocketBase::GetTypeId().LookupTraceSourceByName(name);
    };
    static const Ptr<const TraceSourceAccessor> sources[] = {
        find("HighestRxAck"),     find("Tx"),  find("Rx"),       find("RTO"),
        find("CongestionWindow"), find("RTT"), find("CongState")};
    const CallbackBase sinks[] = {MakeCallback(&TcpConnection::Acked, this),
                                  MakeCallback(&TcpConnection::Sent, this),
                                  MakeCallback(&TcpConnection::Heard, this),
                                  MakeCallback(&TcpConnection::RtoChanged, this),
                                  MakeCallback(&TcpConnection::WindowChanged, this),
                                  MakeCallback(&TcpConnection::RttChanged, this),
                                  MakeCallback(&TcpConnection::StateChanged, this)};
    for (std::size_t i = 0; i < std::size(sources); i++) {
        if (on) {
            sources[i]->ConnectWithoutContext(PeekPointer(m_sender), sinks[i]);
        } else {
            sources[i]->DisconnectWithoutContext(PeekPointer(m_sender), sinks[i]);
        }
    }
}

uint16_t TcpConnection::GetSourcePort() const
{
    if (m_port == 0) {
        return 0;
    }
    Address local;
    m_sender->GetSockName(local);
    return InetSocketAddress::ConvertFrom(local).GetPort();
}

uint32_t TcpConnection::GetFlow() const
{
    return WeftIpInfo::FlowHash(WeftIpInfo::ETHERTYPE_IPV4, WeftIpInfo::PROTOCOL_TCP,
                                GetSourcePort(), m_port);
}

TcpStart TcpConnection::GetStart() const
{
    const uint64_t before = m_parts.size() > 1 ? m_parts[m_parts.size() - 2].end - m_acked : 0;
    TcpStart s = {};
    if (m_port != 0) {
        s.flow = GetFlow();
        s.backFlow = WeftIpInfo::FlowHash(WeftIpInfo::ETHERTYPE_IPV4, WeftIpInfo::PROTOCOL_TCP,
                                          m_port, GetSourcePort());
    }
    s.connected = m_connected;
    s.mostBytes = m_mostBytes;
    s.roomBytes = m_sendBufferBytes - std::min<uint64_t>(before, m_sendBufferBytes);
    s.openedPs = m_openedPs;
    s.segmentBytes = m_segmentBytes;
    // What is under way of earlier parts opens the window when it is acknowledged; what remains of
    // a segment there counts with the next one. A window that has shrunk may be restored (BBR).
    s.windowBytes = before + (m_acked > 0 ? m_segmentBytes : 0) +
                    (m_connected ? m_counters.cwndMaxBytes
                                 : static_cast<uint64_t>(m_initialWindow) * m_segmentBytes);
    return s;
}

weft_motion TcpConnection::Motion(int64_t atPs, int64_t afterPs, int64_t changedPs,
                                  int64_t slowestPs)
{
    m_stuck = false;
    if (m_parts.empty()) {
        m_markPs = -1;
        return WEFT_MOTION_NONE;
    }
    if (m_markPs < 0 || m_acked > m_markAcked) {
        m_markAcked = m_acked;
        m_markPs = atPs;
    }
    // No path has more links than 64; before the connection is open its timer is not known.
    const double rtoPs = static_cast<double>(std::max(m_rtoPs, 3 * WEFT_PS_PER_S));
    const double patiencePs =
        static_cast<double>(afterPs) + 64 * rtoPs + 64 * static_cast<double>(slowestPs);
    const int64_t sincePs = std::max(m_markPs, changedPs);
    m_stuck = static_cast<double>(atPs - sincePs) >= patiencePs;
    return m_stuck ? WEFT_MOTION_STUCK : WEFT_MOTION_SOME;
}

std::string TcpConnection::Progress() const
{
    char since[WEFT_UNIT_TEXT_MAX];
    char left[WEFT_UNIT_TEXT_MAX];
    char text[256];
    std::snprintf(text, sizeof text,
                  "no byte acknowledged since %s, %s are not; %s, %" PRIu64 " timeouts so far",
                  weft_human_time(m_markPs, since), weft_human_size(m_posted - m_acked, left),
                  m_connected ? "connected" : "not connected yet", m_counters.timeouts);
    return text;
}

void TcpConnection::Describe(weft_net_connection &c) const
{
    const TcpCounters &k = m_counters;
    c.opened_ps = m_openedPs;
    c.busy_ps = k.busyPs + (m_parts.empty() ? 0 : WeftPs(Simulator::Now()) - m_busySincePs);
    c.bytes = m_acked;
    c.segments = k.segments;
    c.retx_segments = k.retxPackets;
    c.retx_bytes = k.retxBytes;
    c.drops = k.drops;
    c.timeouts = k.timeouts;
    c.ecn_echoes = k.ecnEchoes;
    if (m_connected) {
        c.cwnd_bytes = k.cwndBytes;
        c.cwnd_min_bytes = k.cwndMinBytes;
        c.cwnd_max_bytes = k.cwndMaxBytes;
        c.srtt_ps = k.srttPs;
        c.in_flight_bytes = m_top > m_acked ? m_top - m_acked : 0;
    }
}

void TcpConnection::Post(uint64_t message, uint64_t bytes)
{
    if (m_parts.empty()) {
        m_busySincePs = WeftPs(Simulator::Now());
    }
    Report();
    m_posted += FRAMING_BYTES + bytes;
    m_parts.push_back({message, bytes, m_posted, m_clocks});
    FillSoon();
}

void TcpConnection::FillSoon()
{
    if (m_connected && !m_filling) {
        m_filling = true;
        Simulator::ScheduleWithContext(m_node, Time(0), &TcpConnection::Fill, this);
    }
}

void TcpConnection::Fill()
{
    m_filling = false;
    while (m_next < m_parts.size()) {
        const Part &part = m_parts[m_next];
        const uint64_t left = part.end - m_given;
        const uint64_t room = m_sender->GetTxAvailable();
        Ptr<Packet> packet;
        if (left == FRAMING_BYTES + part.bytes) // nothing of it is given yet
        {
            if (room < FRAMING_BYTES) {
                return;
            }
            uint8_t head[FRAMING_BYTES];
            std::memcpy(head, &part.message, 8);
            std::memcpy(head + 8, &part.bytes, 8);
            packet = Create<Packet>(head, FRAMING_BYTES);
            // Zeros, which take no memory; what AddPaddingAtEnd adds is whatever memory holds.
            packet->AddAtEnd(Create<Packet>(
                std::min({part.bytes, room - FRAMING_BYTES, MOST_AT_ONCE - FRAMING_BYTES})));
        } else {
            packet = Create<Packet>(std::min({left, room, MOST_AT_ONCE}));
        }
        const uint32_t bytes = packet->GetSize();
        if (bytes == 0 || m_sender->Send(packet) != static_cast<int>(bytes)) {
            return;
        }
        m_given += bytes;
        if (m_given == part.end) {
            m_next++;
        }
    }
}

void TcpConnection::Connected(Ptr<Socket> /* socket */)
{
    m_connected = true;
    m_counters.cwndMinBytes = m_counters.cwndBytes;
    if (m_listener.window) {
        m_listener.window();
    }
    FillSoon();
}

void TcpConnection::Failed(Ptr<Socket> /* socket */)
{
    m_listener.failed(m_connected ? "too many retransmission timeouts in a row (tcp.retries)"
                                  : "it could not be opened");
}

void TcpConnection::Accepted(Ptr<Socket> socket, const Address & /* from */)
{
    m_receiver = socket;
    m_listening->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address &>(),
                                   MakeNullCallback<void, Ptr<Socket>, const Address &>());
    m_listening->Close(); // its packets would be looked for among one more
    // What a listening socket's traces were connected to, a socket made from it would inherit.
    m_receiver->TraceConnectWithoutContext("Tx", MakeCallback(&TcpConnection::Answered, this));
    m_receiver->SetRecvCallback(MakeCallback(&TcpConnection::Read, this));
}

void TcpConnection::Room(Ptr<Socket> /* socket */, uint32_t /* bytes */)
{
    FillSoon();
}

void TcpConnection::Read(Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv()) {
        Take(packet);
    }
    // ns-3 decides on the ACK after this. The end of a message was pushed: once the application
    // has read it, it is acknowledged without delay, as Linux does.
    const bool quick = m_headBytes == 0;
    if (quick != m_quick && m_ackEvery > 1) {
        m_quick = quick;
        StaticCast<TcpSocket>(socket)->SetDelAckMaxCount(quick ? 1 : m_ackEvery);
    }
}

void TcpConnection::Report()
{
    const int64_t now = WeftPs(Simulator::Now());
    if (m_recovering) {
        m_clocks.lossPs += now - m_toldPs;
    } else if (m_top < m_posted) {
        m_clocks.controlPs += now - m_toldPs;
    }
    m_toldPs = now;
}

TcpClocks TcpConnection::ClocksOf(uint64_t message)
{
    Report();
    for (const Part &part : m_parts) {
        if (part.message == message) {
            return {m_clocks.lossPs - part.posted.lossPs, std::max<int64_t>(part.controlPs, 0)};
        }
    }
    return {};
}

void TcpConnection::StateChanged(TcpSocketState::TcpCongState_t /* before */,
                                 TcpSocketState::TcpCongState_t after)
{
    Report();
    m_recovering = after != TcpSocketState::CA_OPEN && after != TcpSocketState::CA_CWR;
}

void TcpConnection::Take(Ptr<const Packet> packet)
{
    const uint32_t size = packet->GetSize();
    for (uint32_t at = 0; at < size;) {
        if (m_headBytes < FRAMING_BYTES) {
            const uint32_t n = std::min(size - at, FRAMING_BYTES - m_headBytes);
            packet->CreateFragment(at, n)->CopyData(m_head + m_headBytes, n);
            at += n;
            m_headBytes += n;
            if (m_headBytes < FRAMING_BYTES) {
                return;
            }
            std::memcpy(&m_body, m_head + 8, 8);
        }
        const uint64_t n = std::min<uint64_t>(size - at, m_body);
        at += n;
        m_body -= n;
        m_taken += n;
        if (m_body == 0) {
            uint64_t message = 0;
            std::memcpy(&message, m_head, 8);
            m_headBytes = 0;
            m_listener.received(message, ClocksOf(message));
        }
    }
}

void TcpConnection::Acked(SequenceNumber32 /* before */, SequenceNumber32 after)
{
    if (after.GetValue() == 0) {
        return;
    }
    m_acked = std::max(m_acked, std::min(Offset(after, m_acked), m_posted));
    while (!m_parts.empty() && m_parts.front().end <= m_acked) {
        const uint64_t message = m_parts.front().message;
        m_parts.pop_front();
        m_next--;
        m_sent -= m_sent > 0;
        if (m_parts.empty()) {
            m_counters.busyPs += WeftPs(Simulator::Now()) - m_busySincePs;
        }
        m_listener.acked(message);
    }
}

void TcpConnection::Sent(Ptr<const Packet> packet, const TcpHeader &header,
                         Ptr<const TcpSocketBase> /* socket */)
{
    const uint32_t size = packet->GetSize();
    if (size == 0) {
        return;
    }
    const int64_t now = WeftPs(Simulator::Now());
    m_counters.segments++;
    const uint64_t begin = Offset(header.GetSequenceNumber(), m_top);
    if (begin < m_top) {
        const uint64_t again = std::min<uint64_t>(size, m_top - begin);
        m_counters.retxPackets++;
        m_counters.timeouts += m_rtoPs == LONGEST_RTO_PS && now - m_sentPs == LONGEST_RTO_PS;
        m_counters.retxBytes += again;
        if (!m_parts.empty()) {
            m_listener.counted(m_parts.front().message, again, false);
        }
    }
    Report();
    m_top = std::max(m_top, begin + size);
    for (; m_sent < m_parts.size() && m_parts[m_sent].end <= m_top; m_sent++) {
        m_parts[m_sent].controlPs = m_clocks.controlPs - m_parts[m_sent].posted.controlPs;
    }
    m_sentPs = now;
}

void TcpConnection::Answered(Ptr<const Packet> packet, const TcpHeader & /* header */,
                             Ptr<const TcpSocketBase> /* socket */)
{
    m_counters.acks += packet->GetSize() == 0;
}

void TcpConnection::Heard(Ptr<const Packet> /* packet */, const TcpHeader &header,
                          Ptr<const TcpSocketBase> /* socket */)
{
    if ((header.GetFlags() & TcpHeader::ECE) && !(header.GetFlags() & TcpHeader::SYN)) {
        m_counters.ecnEchoes++;
        if (!m_parts.empty()) {
            m_listener.counted(m_parts.front().message, 0, true);
        }
    }
}

void TcpConnection::RtoChanged(Time before, Time after)
{
    // ns-3 does not tell of timeouts, but at each it doubles the timeout, up to a minute; estimates
    // of the round-trip time do not hit the double to the picosecond. For those after a minute see
    // Sent.
    m_rtoPs = WeftPs(after);
    m_counters.timeouts +=
        m_top > m_acked && (after == before + before || m_rtoPs == LONGEST_RTO_PS);
}

void TcpConnection::RttChanged(Time /* before */, Time after)
{
    m_counters.srttPs = WeftPs(after);
}

void TcpConnection::WindowChanged(uint32_t /* before */, uint32_t after)
{
    m_counters.cwndBytes = after;
    m_counters.cwndMinBytes = std::min(m_counters.cwndMinBytes, after);
    m_counters.cwndMaxBytes = std::max(m_counters.cwndMaxBytes, after);
    if (m_connected && m_listener.window) {
        m_listener.window();
    }
}

} // namespace weft
