/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-incast.h"

#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftIncast");

NS_OBJECT_ENSURE_REGISTERED(WeftIncast);

TypeId
WeftIncast::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftIncast")
            .SetParent<WeftApplication>()
            .SetGroupName("Weft")
            .AddConstructor<WeftIncast>()
            .AddAttribute("Bytes",
                          "Payload that each sender sends in a round (bytes)",
                          UintegerValue(64 << 10),
                          MakeUintegerAccessor(&WeftIncast::m_bytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("FanIn",
                          "Senders of a round, drawn from the peers; 0: all of them",
                          UintegerValue(0),
                          MakeUintegerAccessor(&WeftIncast::m_fanIn),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Rounds",
                          "Number of rounds; 0: until the application stops",
                          UintegerValue(1),
                          MakeUintegerAccessor(&WeftIncast::m_rounds),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Interval",
                          "Time between the starts of two rounds; 0: each when the last one has "
                          "arrived",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&WeftIncast::m_interval),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("RoundComplete",
                            "All messages of a round have arrived",
                            MakeTraceSourceAccessor(&WeftIncast::m_roundComplete),
                            "ns3::WeftApplication::RoundTracedCallback");
    return tid;
}

WeftIncast::WeftIncast()
    : m_draw(CreateObject<UniformRandomVariable>())
{
    NS_LOG_FUNCTION(this);
}

int64_t
WeftIncast::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_draw->SetStream(stream);
    return 1;
}

void
WeftIncast::DoDispose()
{
    m_next.Cancel();
    m_draw = nullptr;
    WeftApplication::DoDispose();
}

void
WeftIncast::Start()
{
    const std::size_t peers = GetPeers().size();
    if (m_fanIn > peers)
    {
        NS_FATAL_ERROR("weft: ns3::WeftIncast on host " << GetHost() << ": FanIn is " << m_fanIn
                                                        << ", more than its " << peers << " peers");
    }
    Next();
}

void
WeftIncast::Next()
{
    if (!IsRunning() || (m_rounds != 0 && m_started == m_rounds))
    {
        return;
    }
    std::vector<uint32_t> senders = GetPeers();
    if (m_fanIn != 0 && m_fanIn < senders.size())
    {
        for (uint32_t i = 0; i < m_fanIn; i++)
        {
            std::swap(senders[i], senders[m_draw->GetInteger(i, senders.size() - 1)]);
        }
        senders.resize(m_fanIn);
    }
    const uint32_t round = m_started++;
    m_open[round] = {Simulator::Now(), senders.size()};
    for (uint32_t sender : senders)
    {
        Post(sender, GetHost(), m_bytes, round);
    }
    if (!m_interval.IsZero())
    {
        m_next = Simulator::Schedule(m_interval, &WeftIncast::Next, this);
    }
}

void
WeftIncast::Received(const weft_completion& message)
{
    auto it = m_open.find(message.msg.tag);
    if (--it->second.outstanding > 0)
    {
        return;
    }
    const Time duration = Simulator::Now() - it->second.start;
    m_open.erase(it);
    m_roundComplete(message.msg.tag, duration);
    if (m_interval.IsZero())
    {
        Next();
    }
}

} // namespace ns3
