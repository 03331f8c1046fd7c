// SPDX-License-Identifier: GPL-2.0-only
// A fabric of hosts h0 to h3, switches s4 and s5, and two parallel links between these.
#ifndef WEFT_TESTS_FABRIC_FAULTS_FABRICS_H
#define WEFT_TESTS_FABRIC_FAULTS_FABRICS_H

#include "base/units.h"
#include "fault/fault.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

struct Free {
    void operator()(weft_fabric *f) const
    {
        weft_fabric_free(f);
    }
    void operator()(weft_fault_plan *t) const
    {
        weft_fault_plan_free(t);
    }
    void operator()(weft_fault_player *p) const
    {
        weft_fault_player_free(p);
    }
};
using Fabric = std::unique_ptr<weft_fabric, Free>;
using Plan = std::unique_ptr<weft_fault_plan, Free>;
using Player = std::unique_ptr<weft_fault_player, Free>;

// Links 0 to 3: h0-s4, h1-s4, h2-s5, h3-s5; 4 and 5: s4-s5. All 100 Gbps.
inline Fabric TwoSwitches()
{
    Fabric f(weft_fabric_new());
    weft_err err = {};
    for (int i = 0; i < 6; i++)
        weft_fabric_add_node(f.get(), i < 4 ? WEFT_NODE_HOST : WEFT_NODE_SWITCH, i < 4 ? 0 : 1,
                             nullptr, &err);
    const uint32_t ends[][2] = {{0, 4}, {1, 4}, {2, 5}, {3, 5}, {4, 5}, {4, 5}};
    for (auto &e : ends) {
        weft_fabric_link l = {};
        l.a = e[0];
        l.b = e[1];
        l.rate_bps = UINT64_C(100000000000);
        weft_fabric_add_link(f.get(), &l, nullptr, &err);
    }
    EXPECT_EQ(weft_fabric_finish(f.get(), &err), 0) << err.msg;
    return f;
}

inline Plan Read(const Fabric &f, const std::string &events, std::string *why = nullptr)
{
    weft_err err = {};
    Plan t(weft_fault_plan_new(events.c_str(), f.get(), &err));
    if (why)
        *why = err.msg;
    else
        EXPECT_NE(t, nullptr) << err.msg;
    return t;
}

#endif
