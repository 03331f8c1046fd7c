/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_IP_TEST_UTIL_H
#define WEFT_IP_TEST_UTIL_H

/**
 * @file
 * @ingroup weft-tests
 * A star for the suites weft-ip and weft-ip-addresses.
 */
#include "weft-tcp-test-util.h"

#include "ns3/weft-net-device.h"

namespace ns3
{

/**
 * @ingroup weft-tests
 * A star of 10 Gbps links, ready for traffic.
 */
struct WeftTestStar
{
    /**
     * @param hosts how many
     * @param configure further attributes of the fabric
     */
    template <typename F>
    WeftTestStar(uint32_t hosts, F configure)
    {
        helper.SetTopology("single-switch",
                           "Hosts",
                           UintegerValue(hosts),
                           "Rate",
                           StringValue("10Gbps"),
                           "Delay",
                           TimeValue(MicroSeconds(2)));
        configure(helper);
        fabric = helper.Install();
    }

    /**
     * @param host a host
     * @return its device
     */
    Ptr<WeftNetDevice> Device(uint32_t host) const
    {
        return DynamicCast<WeftNetDevice>(helper.GetHosts().Get(host)->GetDevice(0));
    }

    /**
     * @return the counters of the engine, all laws checked
     */
    struct weft_totals Totals() const
    {
        struct weft_totals t;
        weft_engine_totals(fabric->GetEngine(), &t);
        weft_err err = {};
        NS_ABORT_MSG_IF(weft_engine_check(fabric->GetEngine(), &err) != 0, err.msg);
        return t;
    }

    WeftFabricHelper helper; //!< The helper.
    Ptr<WeftFabric> fabric;  //!< The fabric.
};

} // namespace ns3

#endif /* WEFT_IP_TEST_UTIL_H */
