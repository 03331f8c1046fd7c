/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_RANKS_H
#define WEFT_RANKS_H

#include "base/peers.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup weft
 * The ranks of a distributed simulation that runs under WeftSimulatorImpl.
 *
 * They are those of ns3::MpiInterface, when ns-3 is built with MPI and a script has enabled it
 * before WeftFabricHelper::Setup. What they exchange goes through a communicator of weft's own, a
 * duplicate of ns-3's.
 */
class WeftRanks
{
  public:
    /**
     * @return how many there are; 1 without MPI, and under another SimulatorImpl
     */
    static uint32_t GetSize();

    /**
     * @return which one this process is
     */
    static uint32_t GetRank();

    /**
     * Joins the others, who all do so.
     * @return how they exchange; without a user
     */
    static weft_peers Join();

    /** The simulation is destroyed: by all ranks, as by ns-3's own SimulatorImpls. */
    static void Part();
};

} // namespace ns3

#endif /* WEFT_RANKS_H */
