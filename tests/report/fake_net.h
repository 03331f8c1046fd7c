// SPDX-License-Identifier: GPL-2.0-only
// A net whose counters a test writes, over a fabric of two hosts at one switch.
#ifndef WEFT_TESTS_REPORT_FAKE_NET_H
#define WEFT_TESTS_REPORT_FAKE_NET_H

#include "report/report.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

struct FakeNet {
    weft_net net = {&ops};
    weft_totals totals = {};
    std::vector<weft_port_counters> ports;
    weft_fabric *fabric = weft_fabric_new();

    FakeNet()
    {
        weft_err err = {};
        uint32_t h0, h1, s;
        weft_fabric_add_node(fabric, WEFT_NODE_HOST, 0, &h0, &err);
        weft_fabric_add_node(fabric, WEFT_NODE_HOST, 0, &h1, &err);
        weft_fabric_add_node(fabric, WEFT_NODE_SWITCH, 1, &s, &err);
        weft_fabric_link l = {h0, s, UINT64_C(400000000000), 500000, 0, 0};
        weft_fabric_add_link(fabric, &l, nullptr, &err);
        l.a = h1;
        l.rate_bps = UINT64_C(200000000000);
        l.dim = 1;
        weft_fabric_add_link(fabric, &l, nullptr, &err);
        fabric->ndims = 2;
        fabric->dims[0].kind = fabric->dims[1].kind = "test";
        fabric->dims[0].size = 2;
        fabric->dims[1].size = 1;
        fabric->dims[1].spans = true;
        EXPECT_EQ(weft_fabric_finish(fabric, &err), 0) << err.msg;
        ports.resize(fabric->nports);
    }
    ~FakeNet()
    {
        weft_fabric_free(fabric);
    }
    static FakeNet *self(const weft_net *n)
    {
        return reinterpret_cast<FakeNet *>(const_cast<weft_net *>(n)); // net is the first member
    }
    static void get_totals(weft_net *n, weft_totals *out)
    {
        *out = self(n)->totals;
    }
    static void get_port(weft_net *n, uint32_t port, weft_port_counters *out)
    {
        *out = self(n)->ports[port];
    }
    inline static const weft_net_ops ops = [] {
        weft_net_ops o = {};
        o.totals = get_totals;
        o.port_stats = get_port;
        return o;
    }();
};

/* Reports one finished message. */
inline void flow(weft_report *r, uint64_t id, int64_t post_ps, int64_t fct_ps, int64_t ideal_ps,
                 uint64_t bytes = 1000)
{
    weft_net_observer o = weft_report_net_observer(r);
    weft_completion f = {};
    f.id = id;
    f.msg.dst = 1;
    f.msg.bytes = bytes;
    f.msg.tag = 7;
    f.msg.prio = 3;
    f.post_ps = post_ps;
    f.received_ps = post_ps + fct_ps;
    f.acked_ps = post_ps + fct_ps + 100;
    f.ideal_ps = ideal_ps;
    f.delay_ps[WEFT_DELAY_QUEUE] = fct_ps - ideal_ps;
    f.retx_bytes = 5;
    f.cnps = 2;
    o.flow(o.ctx, &f);
}

#define EXPECT_CONTAINS(text, part)                                                                \
    EXPECT_NE(std::string(text).find(part), std::string::npos) << "in: " << (text)

#endif
