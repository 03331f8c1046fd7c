/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * A WeftFabric that the ranks of a distributed simulation share out.
 */
#include "weft-fabric.h"
#include "weft-ranks.h"
#include "weft-simulator-impl.h"

#include "ns3/abort.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFabricRanks");

void
WeftFabric::ShareOut(const std::vector<uint8_t>& ranks)
{
    NS_LOG_FUNCTION(this);
    auto impl = dynamic_cast<WeftSimulatorImpl*>(PeekPointer(Simulator::GetImplementation()));
    NS_ABORT_MSG_IF(!impl, "weft: ranks share out a fabric under ns3::WeftSimulatorImpl alone");
    m_ranks = ranks;
    m_user = impl->MakeUser(m_ranks.data());
    m_sharedPeers = WeftRanks::Join();
    m_sharedPeers.user = &m_user;
    m_peers = &m_sharedPeers;
    m_pump.Share(MakeCallback(&WeftFabric::BuildShared, this));
}

void
WeftFabric::BuildShared()
{
    weft_err err = {};
    if (Build(&err) != 0)
    {
        NS_FATAL_ERROR("weft: " << err.msg);
    }
}

uint32_t
WeftFabric::GetRank(uint32_t host) const
{
    NS_LOG_FUNCTION(this << host);
    NS_ABORT_MSG_IF(!m_graph || host >= m_graph->nhosts, "the fabric has no host " << host);
    return IsShared() ? m_ranks[m_graph->hosts[host]] : 0;
}

int
WeftFabric::BuildForOne(const char* what, weft_err* err)
{
    if (IsShared())
    {
        return weft_err_set(err,
                            WEFT_E_ALONE,
                            "%s: not in a fabric that several ranks share out",
                            what);
    }
    return Build(err);
}

void
WeftFabric::CheckLook() const
{
    NS_ABORT_MSG_IF(IsShared() && m_pump.IsRunning(),
                    "weft: counters of a fabric that several ranks share out are looked at by all "
                    "of them, when Simulator::Run is over");
}

} // namespace ns3
