/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * ns-3's test runner for weft's suites, for an ns-3 that is installed without one:
 *   weft_ns3_test_runner --list
 *   weft_ns3_test_runner --suite=weft-fabric --verbose
 */
#include "ns3/nstime.h"
#include "ns3/test.h"

int
main(int argc, char* argv[])
{
    ns3::Time::SetResolution(ns3::Time::PS);
    return ns3::TestRunner::Run(argc, argv);
}
