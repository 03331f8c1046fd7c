/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_TEST_UTIL_H
#define WEFT_TEST_UTIL_H

/**
 * @ingroup weft
 * @defgroup weft-tests Tests of the fabrics
 */

/**
 * @file
 * @ingroup weft-tests
 * What weft's suites share.
 */

#include "ns3/config.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/weft-fabric-helper.h"

#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>

namespace ns3
{

/**
 * @ingroup weft-tests
 * One simulation under a chosen SimulatorImpl; destroyed at the end of the scope.
 */
class WeftTestRun
{
  public:
    /**
     * @param impl TypeId of a SimulatorImpl
     * @param scheduler TypeId of a Scheduler
     */
    explicit WeftTestRun(const std::string& impl,
                         const std::string& scheduler = "ns3::MapScheduler")
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        Config::SetGlobal("SimulatorImplementationType", StringValue(impl));
        Config::SetGlobal("SchedulerType", StringValue(scheduler));
    }

    ~WeftTestRun()
    {
        Simulator::Destroy();
        Config::SetGlobal("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
        Config::SetGlobal("SchedulerType", StringValue("ns3::MapScheduler"));
    }
};

/**
 * @ingroup weft-tests
 * What is written to standard error in its scope.
 */
class WeftTestStderr
{
  public:
    WeftTestStderr()
        : m_before(std::cerr.rdbuf(m_text.rdbuf()))
    {
    }

    ~WeftTestStderr()
    {
        std::cerr.rdbuf(m_before);
    }

    WeftTestStderr(const WeftTestStderr&) = delete;
    WeftTestStderr& operator=(const WeftTestStderr&) = delete;

    /**
     * @return the text so far
     */
    std::string Text() const
    {
        return m_text.str();
    }

    /**
     * @param part a text
     * @return how often it was written so far
     */
    uint32_t Count(const std::string& part) const
    {
        const std::string text = Text();
        uint32_t n = 0;
        for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        {
            n++;
        }
        return n;
    }

  private:
    std::ostringstream m_text; //!< The text.
    std::streambuf* m_before;  //!< Where it goes otherwise.
};

/** The two implementations that every result must be the same under. */
static const char* const g_weftTestImpls[] = {"ns3::WeftSimulatorImpl",
                                              "ns3::DefaultSimulatorImpl"};

} // namespace ns3

#endif /* WEFT_TEST_UTIL_H */
