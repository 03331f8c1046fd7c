/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp_messages.h"

#include "base/units.h"

#include "ns3/ipv4-header.h"
#include "ns3/simulator.h"
#include "ns3/weft-time.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iterator>

using namespace ns3;

namespace weft
{

TcpMessages::TcpMessages(Ptr<WeftFabric> fabric, const weft_packet_transport &transport,
                         const weft_tcp_params &tcp, uint64_t seed, Listener listener)
    : m_fabric(fabric), m_hosts(fabric, transport, tcp, seed), m_connections(tcp.connections),
      m_listener(std::move(listener))
{
    m_fabric->TraceConnectWithoutContext("FrameDrop", MakeCallback(&TcpMessages::Dropped, this));
}

TcpMessages::~TcpMessages()
{
    m_fabric->TraceDisconnectWithoutContext("FrameDrop", MakeCallback(&TcpMessages::Dropped, this));
}

/** What a sender is found by. */
static uint64_t SenderKey(Ipv4Address address, uint16_t port)
{
    return static_cast<uint64_t>(address.Get()) << 16 | port;
}

/** Payload of part i of a message: the remainder goes to the first ones. */
static uint64_t PartBytes(uint64_t bytes, uint64_t parts, uint64_t i)
{
    return bytes / parts + (i < bytes % parts);
}

TcpMessages::Group &TcpMessages::GetGroup(const weft_msg &msg)
{
    Group &group = m_groups[{msg.src, msg.dst, msg.prio, msg.qp}];
    while (group.connections.size() < m_connections) {
        const uint32_t src = msg.src;
        const uint32_t dst = msg.dst;
        TcpConnection::Listener listener;
        listener.received = [this](uint64_t id, const TcpClocks &clocks) { Received(id, clocks); };
        listener.acked = [this](uint64_t id) { Acked(id); };
        listener.counted = [this](uint64_t id, uint64_t bytes, bool echo) {
            Counted(id, bytes, echo);
        };
        listener.failed = [this, src, dst](const char *what) {
            weft_err err = {};
            char at[WEFT_UNIT_TEXT_MAX];
            weft_err_set(&err, WEFT_E_OUTCOME, "the TCP connection h%u -> h%u failed at %s: %s",
                         src, dst, weft_human_time(WeftPs(Simulator::Now()), at), what);
            m_fabric->GetPump().SyncClock(); // the run has come to here
            m_listener.failed(err);
        };
        if (m_listener.window) {
            const Key key{msg.src, msg.dst, msg.prio, msg.qp};
            const auto number = static_cast<uint32_t>(group.connections.size());
            listener.window = [this, key, number] { m_listener.window(Describe(key, number)); };
        }
        group.connections.push_back(
            std::make_unique<TcpConnection>(m_hosts, src, dst, msg.prio, std::move(listener)));
        TcpConnection *connection = group.connections.back().get();
        m_senders[SenderKey(TcpHosts::GetAddress(src, msg.prio), connection->GetSourcePort())] =
            connection;
    }
    return group;
}

int64_t TcpMessages::IdealPs(const Message &message) const
{
    const weft_msg &msg = message.done.msg;
    const uint64_t parts = message.starts.size();
    TcpPart part = {};
    part.src = msg.src;
    part.dst = msg.dst;
    part.postPs = message.done.post_ps;
    part.since = message.since;
    int64_t longest = 0;
    for (uint64_t i = 0; i < parts; i++) {
        part.bytes = TcpConnection::FRAMING_BYTES + PartBytes(msg.bytes, parts, i);
        part.behindAck =
            !message.starts[i].connected && !message.group->connections[i]->HasLostOpening();
        longest = std::max(longest, TcpIdealPs(m_fabric->GetEngine(), message.starts[i], part));
    }
    return longest;
}

void TcpMessages::FillDelays(Message &message) const
{
    weft_completion &d = message.done;
    const int64_t beyond = d.received_ps - d.post_ps - d.ideal_ps;
    weft_engine_frame frame = {};
    frame.src_host = d.msg.src;
    frame.dst_host = d.msg.dst;
    frame.flow = message.starts[0].flow;
    const uint32_t segment = m_hosts.GetSegmentBytes();
    const int64_t last = weft_engine_frames_ideal_ps(
        m_fabric->GetEngine(), &frame, message.since, 0, std::min<uint64_t>(d.msg.bytes, segment),
        segment, WEFT_TCP_HEADER_BYTES + WEFT_TCP_FRAME_OVERHEAD_BYTES);
    // Handshake, slow start and the time of its own bytes are in the ideal duration, all but that
    // of its last segment.
    const int64_t sending = std::max<int64_t>(0, d.ideal_ps - last);
    d.delay_ps[WEFT_DELAY_LOSS] = std::min(message.clocks.lossPs, std::max<int64_t>(beyond, 0));
    d.delay_ps[WEFT_DELAY_CONTROL] = std::max<int64_t>(0, message.clocks.controlPs - sending);
    weft_delays_resolve(d.delay_ps, beyond, WEFT_DELAY_QUEUE);
}

int TcpMessages::Send(uint64_t id, const weft_msg &msg, weft_err *err)
{
    const uint32_t hosts = m_fabric->GetGraph()->nhosts;
    if (msg.src >= hosts || msg.dst >= hosts || msg.src == msg.dst || msg.prio >= WEFT_PRIOS) {
        return weft_err_set(
            err, WEFT_E_INPUT,
            "message from host %u to host %u at priority %u: the fabric has hosts 0 "
            "to %u, a message goes to another host, priorities are 0 to 7",
            msg.src, msg.dst, msg.prio, hosts - 1);
    }
    Group &group = GetGroup(msg);
    const uint64_t segments = std::max<uint64_t>(1, msg.bytes / m_hosts.GetSegmentBytes());
    const uint32_t parts = std::min<uint64_t>(m_connections, segments);
    Message &m = m_messages[id];
    m.done = {};
    m.done.id = id;
    m.done.msg = msg;
    m.done.post_ps = WeftPs(Simulator::Now());
    m.since = weft_engine_now_mark(m_fabric->GetEngine());
    m.group = &group;
    m.partsToReceive = m.partsToAck = parts;
    m.delivered = false;
    group.undelivered.push_back(id);
    m_totals.posted++;
    m_totals.bytesPosted += msg.bytes;
    for (uint32_t i = 0; i < parts; i++) {
        group.connections[i]->Post(id, PartBytes(msg.bytes, parts, i));
        m.starts.push_back(group.connections[i]->GetStart());
    }
    return 0;
}

void TcpMessages::Received(uint64_t id, const TcpClocks &clocks)
{
    Message &arrived = m_messages.at(id);
    if (--arrived.partsToReceive > 0) {
        return;
    }
    arrived.clocks = clocks;
    Group &group = *arrived.group;
    while (!group.undelivered.empty()) {
        const uint64_t first = group.undelivered.front();
        Message &m = m_messages.at(first);
        if (m.partsToReceive > 0) {
            break;
        }
        group.undelivered.pop_front();
        m.delivered = true;
        m.done.received_ps = WeftPs(Simulator::Now());
        m.done.ideal_ps = IdealPs(m);
        FillDelays(m);
        m_totals.received++;
        m_totals.bytesReceived += m.done.msg.bytes;
        m_fabric->GetPump().SyncClock(); // the engine's clock is what the listener asks
        m_listener.received(m.done);
        Finish(first);
    }
}

void TcpMessages::Acked(uint64_t id)
{
    m_messages.at(id).partsToAck--;
    Finish(id);
}

void TcpMessages::Finish(uint64_t id)
{
    auto it = m_messages.find(id);
    if (!it->second.delivered || it->second.partsToAck > 0) {
        return;
    }
    it->second.done.acked_ps = WeftPs(Simulator::Now());
    const weft_completion done = it->second.done;
    m_fabric->GetPump().SyncClock();
    m_messages.erase(it);
    m_totals.acked++;
    m_listener.acked(done);
}

void TcpMessages::Counted(uint64_t id, uint64_t retxBytes, bool echo)
{
    weft_completion &d = m_messages.at(id).done;
    d.retx_bytes += retxBytes;
    d.cnps += echo;
}

void TcpMessages::Dropped(Time /* time */, uint32_t /* port */, weft_drop_reason /* why */,
                          Ptr<const Packet> packet)
{
    Ptr<Packet> copy = packet->Copy();
    Ipv4Header ip;
    TcpHeader tcp;
    copy->RemoveHeader(ip);
    copy->RemoveHeader(tcp);
    auto sender = m_senders.find(SenderKey(ip.GetSource(), tcp.GetSourcePort()));
    if (sender != m_senders.end()) {
        sender->second->Dropped(copy->GetSize() > 0);
    }
}

weft_net_connection TcpMessages::Describe(const Key &key, uint32_t number) const
{
    weft_net_connection c = {};
    std::tie(c.src, c.dst, c.prio, c.qp) = key;
    c.number = number;
    m_groups.at(key).connections[number]->Describe(c);
    return c;
}

void TcpMessages::EachConnection(const std::function<void(const weft_net_connection &)> &fn) const
{
    for (const auto &group : m_groups) {
        uint32_t number = 0;
        while (number < group.second.connections.size()) {
            fn(Describe(group.first, number));
            number++;
        }
    }
}

TcpTotals TcpMessages::GetTotals() const
{
    TcpTotals t = m_totals;
    for (const auto &group : m_groups) {
        for (const auto &connection : group.second.connections) {
            const TcpCounters &c = connection->GetCounters();
            t.sums.segments += c.segments;
            t.sums.acks += c.acks;
            t.sums.retxPackets += c.retxPackets;
            t.sums.retxBytes += c.retxBytes;
            t.sums.timeouts += c.timeouts;
            t.sums.ecnEchoes += c.ecnEchoes;
        }
    }
    return t;
}

uint64_t TcpMessages::GetArrivedBytes() const
{
    uint64_t sum = 0;
    for (const auto &[key, group] : m_groups) {
        for (const auto &c : group.connections) {
            sum += c->GetArrivedBytes();
        }
    }
    return sum;
}

weft_motion TcpMessages::Motion(int64_t atPs, int64_t afterPs)
{
    const int64_t slowestPs = weft_engine_slowest_ps(m_fabric->GetEngine());
    const int64_t changedPs = weft_engine_changed_ps(m_fabric->GetEngine());
    uint64_t open = 0;
    uint64_t stuck = 0;
    for (auto &[key, group] : m_groups) {
        for (auto &c : group.connections) {
            const weft_motion m = c->Motion(atPs, afterPs, changedPs, slowestPs);
            open += m != WEFT_MOTION_NONE;
            stuck += m == WEFT_MOTION_STUCK;
        }
    }
    return !open ? WEFT_MOTION_NONE : open == stuck ? WEFT_MOTION_STUCK : WEFT_MOTION_SOME;
}

uint64_t TcpMessages::ExplainStuck(uint64_t max, const std::function<void(const char *)> &fn) const
{
    uint64_t n = 0;
    for (const auto &[key, group] : m_groups) {
        for (const auto &c : group.connections) {
            if (c->IsStuck() && n++ < max) {
                const std::string a = std::to_string(std::get<0>(key));
                const std::string b = std::to_string(std::get<1>(key));
                const std::string text = "h" + a + " -> h" + b + " over TCP: " + c->Progress();
                fn(text.c_str());
            }
        }
    }
    return n;
}

uint64_t TcpMessages::Explain(uint64_t max, const std::function<void(const char *)> &fn) const
{
    std::vector<uint64_t> ids;
    for (const auto &m : m_messages) {
        ids.push_back(m.first);
    }
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 0; i < ids.size() && i < max; i++) {
        const Message &m = m_messages.at(ids[i]);
        char size[WEFT_UNIT_TEXT_MAX];
        char window[WEFT_UNIT_TEXT_MAX];
        char text[512];
        uint64_t timeouts = 0;
        uint64_t cwnd = 0;
        bool connected = true;
        for (const auto &c : m.group->connections) {
            timeouts += c->GetCounters().timeouts;
            cwnd += c->GetCounters().cwndBytes;
            connected = connected && c->IsConnected();
        }
        std::snprintf(text, sizeof text,
                      "h%u -> h%u: message %" PRIu64 " of %s (tag %" PRIu64
                      ") over TCP: %s; congestion window %s, "
                      "%" PRIu64 " timeouts so far",
                      m.done.msg.src, m.done.msg.dst, m.done.id,
                      weft_human_size(m.done.msg.bytes, size), m.done.msg.tag,
                      !connected    ? "its connection is not open yet"
                      : m.delivered ? "arrived, not all acknowledged"
                                    : "on its way",
                      weft_human_size(cwnd, window), timeouts);
        fn(text);
    }
    return m_messages.size();
}

} // namespace weft
