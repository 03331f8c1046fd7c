/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_ENGINE_DRIVER_H
#define WEFT_ENGINE_DRIVER_H

#include "base/units.h"
#include "ns3-module/engine/engine.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup weft
 * What WeftSimulatorImpl asks of a pump, which joins it at run time, and knows of it: the engine's
 * next event, and its place among the events of that time.
 */
class WeftEngineDriver
{
  public:
    virtual ~WeftEngineDriver() = default;

    /**
     * @return number of events executed by the engine; 0 when several ranks share it out
     */
    virtual uint64_t GetEventCount() const = 0;

  protected:
    friend class WeftSimulatorImpl;

    /** Makes the engine that is shared out. */
    virtual void Prepare() = 0;
    /**
     * Executes engine events.
     * @param limitPs those earlier than this
     * @param quietPs ns-3 does nothing before
     */
    virtual void RunEngine(int64_t limitPs, int64_t quietPs) = 0;
    /** After RunEngine: hands on an error, or arms the pump again. */
    virtual void FinishRun() = 0;

    weft_engine* m_engine{nullptr};  //!< The engine.
    int64_t m_horizonPs{WEFT_NEVER}; //!< Last time to be executed.
    bool m_shared{false};            //!< Several ranks share out the engine.
    bool m_armed{false};             //!< The pump event is pending.
    int64_t m_armedPs{0};            //!< Its time.
    uint32_t m_uid{0};               //!< Its uid, under WeftSimulatorImpl.
    uint32_t m_context{0};           //!< Its context, under WeftSimulatorImpl.
};

} // namespace ns3

#endif /* WEFT_ENGINE_DRIVER_H */
