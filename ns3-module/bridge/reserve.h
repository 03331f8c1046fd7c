/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that is kept back while ns-3 is in use, so that a run that has no more ends in order.
 *
 * ns-3 does not survive a failing allocation: it throws in destructors, its text streams swallow
 * std::bad_alloc, and ns3::Object does not look at what malloc returns. Here the first allocation
 * that fails gets its memory from the reserve and stops the simulation; Guard then reports it.
 */
#ifndef WEFT_BRIDGE_RESERVE_H
#define WEFT_BRIDGE_RESERVE_H

#include "base/err.h"

namespace weft
{

/** The reserve of this process. */
class Reserve
{
  public:
    /**
     * Lays it in, and has operator new resort to it.
     * @param [out] err why there is none
     * @return 0 or WEFT_E_LIMIT
     */
    static int Hold(weft_err *err);

    /**
     * From now on spending the reserve stops ns-3's simulator, or no longer.
     * @param runs whether there is one
     */
    static void SetSimulator(bool runs);

    /** Makes sure that small allocations of malloc, which ns3::Object does not check, succeed. */
    static void Check();

    /** An exception has left objects of ns-3 half made: they are not taken down any more. The
     * program leaves out what ns-3 does when a process exits, too. */
    static void Abandon();

    /**
     * @return whether they were
     */
    static bool IsAbandoned();

    /**
     * @param err filled where the reserve was spent
     * @return 0 or WEFT_E_LIMIT
     */
    static int Report(weft_err *err);
};

} // namespace weft

#endif /* WEFT_BRIDGE_RESERVE_H */
