/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * WeftSimulatorImpl as one of several ranks; weft-simulator-impl.cc is the rest of it.
 */
#include "weft-pump.h"
#include "weft-simulator-impl.h"

#include "ns3/abort.h"
#include "ns3/channel-list.h"
#include "ns3/channel.h"
#include "ns3/simulator.h"

#include <limits>

namespace ns3
{

weft_peers_user
WeftSimulatorImpl::MakeUser(const uint8_t* owner)
{
    weft_peers_user user = {};
    user.ctx = this;
    user.owner = owner;
    user.next = &WeftSimulatorImpl::NextOfUser;
    user.run = &WeftSimulatorImpl::RunUser;
    user.stopped = &WeftSimulatorImpl::UserStopped;
    return user;
}

int64_t
WeftSimulatorImpl::NextOfUser(void* ctx)
{
    auto self = static_cast<WeftSimulatorImpl*>(ctx);
    return self->m_stop || self->m_events->IsEmpty()
               ? WEFT_NEVER
               : static_cast<int64_t>(self->m_events->PeekNext().key.m_ts);
}

void
WeftSimulatorImpl::RunUser(void* ctx)
{
    auto self = static_cast<WeftSimulatorImpl*>(ctx);
    WeftPump* pump = self->m_running;
    self->m_running = nullptr; // Now() is the event's
    self->RunEvent();
    self->m_currentContext = Simulator::NO_CONTEXT;
    self->m_running = pump;
}

bool
WeftSimulatorImpl::UserStopped(void* ctx)
{
    return static_cast<WeftSimulatorImpl*>(ctx)->m_stop;
}

WeftPump*
WeftSimulatorImpl::PrepareRanks()
{
    for (uint32_t i = 0; i < ChannelList::GetNChannels(); i++)
    {
        const std::string name = ChannelList::GetChannel(i)->GetInstanceTypeId().GetName();
        NS_ABORT_MSG_IF(name == "ns3::PointToPointRemoteChannel",
                        "weft: a point-to-point link joins nodes of several ranks, and "
                        "ns3::WeftSimulatorImpl carries between ranks only what crosses a weft "
                        "fabric");
    }
    NS_ABORT_MSG_IF(m_pumps.size() > 1,
                    "weft: several ranks simulate one fabric, and this script has "
                        << m_pumps.size());
    if (m_pumps.empty())
    {
        return nullptr;
    }
    m_pumps.front()->Prepare();
    return m_pumps.front();
}

void
WeftSimulatorImpl::RunRanks()
{
    WeftPump* pump = PrepareRanks();
    while (!pump && !m_stop && !m_events->IsEmpty())
    {
        RunEvent();
    }
    if (!pump)
    {
        return;
    }
    m_running = pump;
    pump->RunEngine(std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max());
    m_currentTs = NowTs();
    m_running = nullptr;
    m_stop = true;
    pump->FinishRun();
}

} // namespace ns3
