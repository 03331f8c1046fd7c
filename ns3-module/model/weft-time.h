/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_TIME_H
#define WEFT_TIME_H

/**
 * @file
 * @ingroup weft
 * Picoseconds of the engine <-> ns3::Time.
 *
 * Weft needs ns-3's time resolution to be exactly one picosecond: then a time step is an engine
 * picosecond and no conversion rounds. ns-3's default is a nanosecond, in which a 64-byte frame at
 * 400 Gb/s (1.28 ns) would last 1 ns. A script calls WeftFabricHelper::Setup() (or
 * Time::SetResolution(Time::PS)) before it makes any Time; a fabric refuses to be built otherwise.
 */

#include "base/err.h"
#include "weft-compat.h"
#include "weft-ranks.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>

namespace ns3
{

/**
 * @param ps engine picoseconds
 * @return the same as a Time; requires picosecond resolution
 */
inline Time
WeftTime(int64_t ps)
{
    return Time(ps);
}

/**
 * @param t a Time
 * @return its picoseconds; requires picosecond resolution
 */
inline int64_t
WeftPs(const Time& t)
{
    return t.GetTimeStep();
}

/**
 * Whether a fabric can be made in this simulation: the resolution is one picosecond, and ranks, if
 * there are several, share it out.
 * @param [out] err why not
 * @return 0 or a WEFT_E_* code
 */
inline int
WeftCheckSimulation(weft_err* err)
{
    if (Time::GetResolution() != Time::PS)
    {
        return weft_err_set(err,
                            WEFT_E_INPUT,
                            "ns-3's time resolution is not one picosecond: call "
                            "WeftFabricHelper::Setup() or Time::SetResolution(Time::PS) "
                            "before anything else in the script");
    }
    const unsigned rank = Simulator::GetSystemId();
    if (rank != 0 && WeftRanks::GetSize() == 1)
    {
        return weft_err_set(err,
                            WEFT_E_INPUT,
                            "rank %u of a distributed simulation makes a fabric: each rank would "
                            "play all of it again. Ranks share one out under "
                            "ns3::WeftSimulatorImpl: call WeftFabricHelper::Setup() after "
                            "MpiInterface::Enable",
                            rank);
    }
    return 0;
}

} // namespace ns3

#endif /* WEFT_TIME_H */
