/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_COUNTERS_H
#define WEFT_COUNTERS_H

#include "ns3-module/engine/engine.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup weft
 * What a fabric has counted so far: WeftFabric::GetTotals. The counters are those of
 * struct weft_totals (base/figures.h). A value, to be kept, compared and printed.
 */
struct WeftTotals : weft_totals
{
    WeftTotals()
        : weft_totals{}
    {
    }

    /**
     * @return the packets dropped, whatever the reason
     */
    uint64_t GetDrops() const;

    /**
     * @param engine an engine
     * @return what it has counted
     */
    static WeftTotals Read(weft_engine* engine);
};

/**
 * @ingroup weft
 * What a port has counted so far: WeftFabric::GetPortCounters, WeftNetDevice::GetCounters. The
 * counters are those of struct weft_port_counters (base/figures.h).
 */
struct WeftPortCounters : weft_port_counters
{
    WeftPortCounters()
        : weft_port_counters{}
    {
    }

    /**
     * @return how long the port was sending
     */
    Time GetBusy() const;

    /**
     * @return how long at least one of its priorities was stopped
     */
    Time GetPaused() const;

    /**
     * @return the packets dropped, whatever the reason
     */
    uint64_t GetDrops() const;

    /**
     * @param engine an engine
     * @param port one of its ports
     * @return what it has counted
     */
    static WeftPortCounters Read(weft_engine* engine, uint32_t port);
};

/**
 * @param a what was counted
 * @param b what was counted elsewhere or at another time
 * @return whether all counts are equal
 */
bool operator==(const WeftTotals& a, const WeftTotals& b);
/** @copydoc operator==(const WeftTotals&, const WeftTotals&) */
bool operator==(const WeftPortCounters& a, const WeftPortCounters& b);

/**
 * @param os the stream
 * @param totals printed as "messages posted 3, received 3 ...", on one line
 * @return the stream
 */
std::ostream& operator<<(std::ostream& os, const WeftTotals& totals);
/**
 * @param os the stream
 * @param counters printed as "tx packets 3, bytes 3000 ...", on one line
 * @return the stream
 */
std::ostream& operator<<(std::ostream& os, const WeftPortCounters& counters);

} // namespace ns3

#endif /* WEFT_COUNTERS_H */
