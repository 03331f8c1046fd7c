/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-counters.h"

#include "weft-time.h"

#include "ns3/log.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftCounters");

namespace
{

/** Names and values in the order in which they are printed. */
using NamedCounts = std::vector<std::pair<std::string, uint64_t>>;

/**
 * Appends counts that have an index.
 * @param to where to
 * @param what is counted
 * @param counts the counts
 * @param name gives the name of an index
 */
template <std::size_t N, typename INDEX>
void
Append(NamedCounts& to,
       const std::string& what,
       const std::array<uint64_t, N>& counts,
       const char* (*name)(INDEX))
{
    for (std::size_t i = 0; i < N; i++)
    {
        to.emplace_back(what + " " + name(static_cast<INDEX>(i)), counts[i]);
    }
}

/**
 * @param t counts
 * @return all of them
 */
NamedCounts
Named(const WeftTotals& t)
{
    NamedCounts all = {{"messages posted", t.messagesPosted},
                       {"received", t.messagesReceived},
                       {"acknowledged", t.messagesAcked},
                       {"bytes posted", t.bytesPosted},
                       {"bytes received", t.bytesReceived},
                       {"packet hops", t.packetHops},
                       {"events", t.events},
                       {"ECN marks", t.ecnMarks},
                       {"PFC pauses", t.pfcPauses},
                       {"resumes", t.pfcResumes},
                       {"refreshes", t.pfcRefreshes},
                       {"retransmissions", t.retransmissions},
                       {"timeouts", t.timeouts},
                       {"packets in flight", t.packetsInFlight},
                       {"queue pairs", t.queuePairs}};
    Append(all, "sent", t.sent, &weft_pkt_kind_name);
    Append(all, "delivered", t.delivered, &weft_pkt_kind_name);
    Append(all, "dropped", t.drops, &weft_drop_reason_name);
    return all;
}

/**
 * @param c counts
 * @return all of them
 */
NamedCounts
Named(const WeftPortCounters& c)
{
    NamedCounts all = {{"tx packets", c.txPackets},
                       {"bytes", c.txBytes},
                       {"payload bytes", c.txPayloadBytes},
                       {"busy ps", WeftPs(c.busy)},
                       {"paused ps", WeftPs(c.paused)},
                       {"longest queue bytes", c.maxQueueBytes},
                       {"pauses", c.pauses},
                       {"ECN marks", c.ecnMarks}};
    Append(all, "dropped", c.drops, &weft_drop_reason_name);
    return all;
}

/**
 * @param os the stream
 * @param counts printed on one line
 * @return the stream
 */
std::ostream&
Print(std::ostream& os, const NamedCounts& counts)
{
    const char* comma = "";
    for (const auto& [name, count] : counts)
    {
        os << comma << name << ' ' << count;
        comma = ", ";
    }
    return os;
}

} // namespace

WeftTotals
WeftTotals::Read(weft_engine* engine)
{
    NS_LOG_FUNCTION(engine);
    struct weft_engine_totals t = {};
    ::weft_engine_totals(engine, &t);
    WeftTotals r;
    r.messagesPosted = t.msgs_posted;
    r.messagesReceived = t.msgs_received;
    r.messagesAcked = t.msgs_acked;
    r.bytesPosted = t.bytes_posted;
    r.bytesReceived = t.bytes_received;
    r.packetHops = t.packet_hops;
    r.events = t.events;
    std::copy_n(t.sent, r.sent.size(), r.sent.begin());
    std::copy_n(t.delivered, r.delivered.size(), r.delivered.begin());
    std::copy_n(t.drops, r.drops.size(), r.drops.begin());
    r.ecnMarks = t.ecn_marks;
    r.pfcPauses = t.pfc_pauses;
    r.pfcResumes = t.pfc_resumes;
    r.pfcRefreshes = t.pfc_refreshes;
    r.retransmissions = t.retx_packets;
    r.timeouts = t.rtos;
    r.packetsInFlight = t.packets_in_flight;
    r.queuePairs = t.qps;
    return r;
}

uint64_t
WeftTotals::GetDrops() const
{
    NS_LOG_FUNCTION(this);
    return std::accumulate(drops.begin(), drops.end(), UINT64_C(0));
}

WeftPortCounters
WeftPortCounters::Read(weft_engine* engine, uint32_t port)
{
    NS_LOG_FUNCTION(engine << port);
    struct weft_engine_port_stats s = {};
    ::weft_engine_port_stats(engine, port, &s);
    WeftPortCounters r;
    r.txPackets = s.tx_packets;
    r.txBytes = s.tx_bytes;
    r.txPayloadBytes = s.tx_payload_bytes;
    r.busy = WeftTime(s.busy_ps);
    r.paused = WeftTime(s.paused_ps);
    r.maxQueueBytes = s.max_queue_bytes;
    r.pauses = s.pauses;
    r.ecnMarks = s.ecn_marks;
    std::copy_n(s.drops, r.drops.size(), r.drops.begin());
    return r;
}

uint64_t
WeftPortCounters::GetDrops() const
{
    NS_LOG_FUNCTION(this);
    return std::accumulate(drops.begin(), drops.end(), UINT64_C(0));
}

bool
operator==(const WeftTotals& a, const WeftTotals& b)
{
    return Named(a) == Named(b);
}

bool
operator==(const WeftPortCounters& a, const WeftPortCounters& b)
{
    return Named(a) == Named(b);
}

std::ostream&
operator<<(std::ostream& os, const WeftTotals& totals)
{
    return Print(os, Named(totals));
}

std::ostream&
operator<<(std::ostream& os, const WeftPortCounters& counters)
{
    return Print(os, Named(counters));
}

} // namespace ns3
