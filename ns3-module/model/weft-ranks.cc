/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-ranks.h"

#include "weft-simulator-impl.h"

#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#ifdef NS3_MPI
#include "base/mpi_mail.h"

#include "ns3/mpi-interface.h"
#endif

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftRanks");

#ifdef NS3_MPI

namespace
{

MPI_Comm g_communicator = MPI_COMM_NULL; //!< Weft's own.
weft_peers g_peers = {};                 //!< How the ranks exchange, once they have joined.

/**
 * @return whether the simulation runs under weft's SimulatorImpl
 */
bool
IsWefts()
{
    return dynamic_cast<WeftSimulatorImpl*>(PeekPointer(Simulator::GetImplementation()));
}

} // namespace

uint32_t
WeftRanks::GetSize()
{
    NS_LOG_FUNCTION_NOARGS();
    return MpiInterface::IsEnabled() && IsWefts() ? MpiInterface::GetSize() : 1;
}

uint32_t
WeftRanks::GetRank()
{
    NS_LOG_FUNCTION_NOARGS();
    return MpiInterface::IsEnabled() ? MpiInterface::GetSystemId() : 0;
}

weft_peers
WeftRanks::Join()
{
    NS_LOG_FUNCTION_NOARGS();
    weft_err err = {};
    if (g_communicator == MPI_COMM_NULL)
    {
        MPI_Comm_dup(MpiInterface::GetCommunicator(), &g_communicator);
        if (weft_mpi_mail_open(g_communicator, &g_peers, &err) != 0)
        {
            NS_FATAL_ERROR("weft: " << err.msg);
        }
    }
    return g_peers;
}

void
WeftRanks::Part()
{
    NS_LOG_FUNCTION_NOARGS();
    if (g_communicator != MPI_COMM_NULL)
    {
        weft_mpi_mail_close(&g_peers);
        MPI_Comm_free(&g_communicator);
        g_communicator = MPI_COMM_NULL;
    }
    if (MpiInterface::IsEnabled())
    {
        MpiInterface::Destroy();
    }
}

#else

uint32_t
WeftRanks::GetSize()
{
    NS_LOG_FUNCTION_NOARGS();
    return 1;
}

uint32_t
WeftRanks::GetRank()
{
    NS_LOG_FUNCTION_NOARGS();
    return 0;
}

weft_peers
WeftRanks::Join()
{
    NS_LOG_FUNCTION_NOARGS();
    NS_FATAL_ERROR("weft: this ns-3 is built without MPI");
    return {};
}

void
WeftRanks::Part()
{
    NS_LOG_FUNCTION_NOARGS();
}

#endif

} // namespace ns3
