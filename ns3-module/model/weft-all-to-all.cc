/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-all-to-all.h"

#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftAllToAll");

NS_OBJECT_ENSURE_REGISTERED(WeftAllToAll);

TypeId
WeftAllToAll::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftAllToAll")
            .SetParent<WeftApplication>()
            .SetGroupName("Weft")
            .AddConstructor<WeftAllToAll>()
            .AddAttribute("Bytes",
                          "Payload from each member to each other in a round (bytes)",
                          UintegerValue(64 << 10),
                          MakeUintegerAccessor(&WeftAllToAll::m_bytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Rounds",
                          "Number of rounds; 0: until the application stops",
                          UintegerValue(1),
                          MakeUintegerAccessor(&WeftAllToAll::m_rounds),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Window",
                          "Messages of a member that are posted and not acknowledged, at most; 0: "
                          "all of a round",
                          UintegerValue(0),
                          MakeUintegerAccessor(&WeftAllToAll::m_window),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("RoundComplete",
                            "This member's part of a round is complete",
                            MakeTraceSourceAccessor(&WeftAllToAll::m_roundComplete),
                            "ns3::WeftApplication::RoundTracedCallback");
    return tid;
}

void
WeftAllToAll::SetGroup(const std::vector<Ptr<WeftAllToAll>>& members)
{
    NS_LOG_FUNCTION(this);
    m_group = members;
    m_me = std::find(members.begin(), members.end(), this) - members.begin();
    NS_ABORT_MSG_IF(m_me == members.size(), "an application is a member of its own group");
}

void
WeftAllToAll::DoDispose()
{
    m_group.clear(); // members refer to each other
    m_byHost.clear();
    WeftApplication::DoDispose();
}

void
WeftAllToAll::Start()
{
    if (m_group.size() < 2)
    {
        NS_FATAL_ERROR("weft: ns3::WeftAllToAll on host "
                       << GetHost() << ": its group has " << m_group.size()
                       << " members and needs 2: install it with WeftAllToAllHelper");
    }
    for (const Ptr<WeftAllToAll>& member : m_group)
    {
        if (GetFabric()->GetRank(member->GetHost()) != GetFabric()->GetRank(GetHost()))
        {
            NS_FATAL_ERROR("weft: the hosts of an ns3::WeftAllToAll are of several ranks, and its "
                           "members see each other's messages");
        }
        if (!m_byHost.emplace(member->GetHost(), PeekPointer(member)).second)
        {
            NS_FATAL_ERROR("weft: host " << member->GetHost() << " is in an all-to-all twice");
        }
    }
    StartRound();
}

void
WeftAllToAll::StartRound()
{
    m_inRound = IsRunning() && (m_rounds == 0 || m_round < m_rounds);
    if (m_inRound)
    {
        m_roundStart = Simulator::Now();
        m_sent = 0;
        m_acked = 0;
        Fill();
    }
}

void
WeftAllToAll::Fill()
{
    const std::size_t others = m_group.size() - 1;
    while (m_sent < others && (m_window == 0 || m_sent - m_acked < m_window))
    {
        m_sent++;
        const Ptr<WeftAllToAll>& peer = m_group[(m_me + m_sent) % m_group.size()];
        Post(GetHost(), peer->GetHost(), m_bytes, m_round);
    }
}

void
WeftAllToAll::Received(const weft_completion& message)
{
    m_byHost.at(message.msg.dst)->Arrived(message.msg.tag);
}

void
WeftAllToAll::Arrived(uint64_t round)
{
    m_arrived[round]++;
    CheckRound();
}

void
WeftAllToAll::Acked(const weft_completion& /* message */)
{
    m_acked++;
    Fill();
    CheckRound();
}

void
WeftAllToAll::CheckRound()
{
    const std::size_t others = m_group.size() - 1;
    if (!m_inRound || m_acked < others || m_arrived[m_round] < others)
    {
        return;
    }
    m_arrived.erase(m_round);
    m_roundComplete(m_round, Simulator::Now() - m_roundStart);
    m_round++;
    StartRound();
}

} // namespace ns3
