/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-message-sender.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(WeftMessageSender);

TypeId
WeftMessageSender::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftMessageSender")
            .SetParent<WeftApplication>()
            .SetGroupName("Weft")
            .AddConstructor<WeftMessageSender>()
            .AddAttribute("RemoteHost",
                          "Host number of the receiver",
                          UintegerValue(0),
                          MakeUintegerAccessor(&WeftMessageSender::m_remote),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Bytes",
                          "Payload of a message (bytes)",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&WeftMessageSender::m_bytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Count",
                          "Number of messages; 0: until the application stops",
                          UintegerValue(1),
                          MakeUintegerAccessor(&WeftMessageSender::m_count),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Interval",
                          "Time between two posts; 0: each when the last one is acknowledged",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&WeftMessageSender::m_interval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Tag",
                          "Carried by the messages",
                          UintegerValue(0),
                          MakeUintegerAccessor(&WeftMessageSender::m_tag),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

void
WeftMessageSender::DoDispose()
{
    m_next.Cancel();
    WeftApplication::DoDispose();
}

void
WeftMessageSender::Start()
{
    Next();
}

void
WeftMessageSender::Next()
{
    if (!IsRunning() || (m_count != 0 && GetPosted() == m_count))
    {
        return;
    }
    Post(GetHost(), m_remote, m_bytes, m_tag);
    if (!m_interval.IsZero())
    {
        m_next = Simulator::Schedule(m_interval, &WeftMessageSender::Next, this);
    }
}

void
WeftMessageSender::Acked(const weft_completion& /* message */)
{
    if (m_interval.IsZero())
    {
        Next();
    }
}

} // namespace ns3
