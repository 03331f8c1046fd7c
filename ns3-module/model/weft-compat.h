/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_COMPAT_H
#define WEFT_COMPAT_H

/**
 * @file
 * @ingroup weft
 * What differs between ns-3 3.37 (the floor) and later releases, in one place.
 *
 * Differences are detected, not looked up by version: the headers of an installed ns-3 do not
 * always carry a version. EnumValue, which became a template in 3.41, is in weft-choice.h.
 * ns3/nstime.h stopped including
 * ns3/event-id.h in 3.47: it is included here.
 */

#include "ns3/event-id.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator-impl.h"

#include <type_traits>
#include <utility>

namespace ns3
{

/** What SimulatorImpl::Stop(const Time&) returns: nothing up to 3.40, the EventId since 3.41. */
using WeftStopResult = decltype(std::declval<SimulatorImpl&>().Stop(std::declval<const Time&>()));

static_assert(std::is_same<WeftStopResult, void>::value ||
                  std::is_same<WeftStopResult, EventId>::value,
              "this ns-3 declares SimulatorImpl::Stop(const Time&) in a way unknown to weft");

/**
 * Asking the Simulator anything makes its implementation. When it makes one it gives the logs their
 * printers, and Simulator::Destroy takes them away.
 * @return whether there is an implementation
 */
inline bool
WeftSimulatorExists()
{
    return LogGetTimePrinter() != nullptr && LogGetNodePrinter() != nullptr;
}

} // namespace ns3

#endif /* WEFT_COMPAT_H */
