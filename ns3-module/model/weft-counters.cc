/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-counters.h"

#include "weft-time.h"

#include "ns3/log.h"

#include <iterator>
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
       const uint64_t (&counts)[N],
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
    NamedCounts all = {{"messages posted", t.msgs_posted},
                       {"received", t.msgs_received},
                       {"acknowledged", t.msgs_acked},
                       {"bytes posted", t.bytes_posted},
                       {"bytes received", t.bytes_received},
                       {"packet hops", t.packet_hops},
                       {"events", t.events},
                       {"ECN marks", t.ecn_marks},
                       {"PFC pauses", t.pfc_pauses},
                       {"resumes", t.pfc_resumes},
                       {"refreshes", t.pfc_refreshes},
                       {"retransmissions", t.retx_packets},
                       {"timeouts", t.rtos},
                       {"packets in flight", t.packets_in_flight},
                       {"queue pairs", t.qps}};
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
    NamedCounts all = {{"tx packets", c.tx_packets},
                       {"bytes", c.tx_bytes},
                       {"payload bytes", c.tx_payload_bytes},
                       {"busy ps", static_cast<uint64_t>(c.busy_ps)},
                       {"paused ps", static_cast<uint64_t>(c.paused_ps)},
                       {"longest queue bytes", c.max_queue_bytes},
                       {"pauses", c.pauses},
                       {"ECN marks", c.ecn_marks}};
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
    WeftTotals totals;
    weft_engine_totals(engine, &totals);
    return totals;
}

uint64_t
WeftTotals::GetDrops() const
{
    NS_LOG_FUNCTION(this);
    return std::accumulate(std::begin(drops), std::end(drops), UINT64_C(0));
}

WeftPortCounters
WeftPortCounters::Read(weft_engine* engine, uint32_t port)
{
    NS_LOG_FUNCTION(engine << port);
    WeftPortCounters counters;
    weft_engine_port_stats(engine, port, &counters);
    return counters;
}

Time
WeftPortCounters::GetBusy() const
{
    NS_LOG_FUNCTION(this);
    return WeftTime(busy_ps);
}

Time
WeftPortCounters::GetPaused() const
{
    NS_LOG_FUNCTION(this);
    return WeftTime(paused_ps);
}

uint64_t
WeftPortCounters::GetDrops() const
{
    NS_LOG_FUNCTION(this);
    return std::accumulate(std::begin(drops), std::end(drops), UINT64_C(0));
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
