/* SPDX-License-Identifier: GPL-2.0-only */
/* A network of libweft for tests. */
#ifndef WEFT_TESTS_LIB_NET_H
#define WEFT_TESTS_LIB_NET_H

#include "frontend/lib/weft.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

struct Net {
    explicit Net(const std::vector<std::string> &settings = {}, weft_sim_options options = {},
                 const char *scenario = nullptr)
    {
        std::vector<const char *> sets;
        if (scenario && !*scenario)
            scenario = nullptr;
        else if (!scenario)
            sets = {"topology.type=leaf-spine", "leaf-spine.leaves=2",
                    "leaf-spine.hosts-per-leaf=4"};
        for (const std::string &s : settings)
            sets.push_back(s.c_str());
        sim = weft_sim_open(scenario, sets.data(), sets.size(), &options, &error);
    }
    ~Net()
    {
        weft_sim_close(sim);
    }
    Net(const Net &) = delete;
    Net &operator=(const Net &) = delete;

    int64_t Send(uint32_t src, uint32_t dst, uint64_t bytes, int64_t delay_ps = 0, uint32_t qp = 0,
                 uint64_t tag = 0)
    {
        weft_send m = {};
        m.src = src;
        m.dst = dst;
        m.bytes = bytes;
        m.delay_ps = delay_ps;
        m.qp = qp;
        m.tag = tag;
        m.user = 1000 + tag;
        return weft_sim_send(sim, &m);
    }
    int64_t Recv(uint32_t dst, uint32_t src, uint64_t tag)
    {
        weft_recv r = {};
        r.dst = dst;
        r.src = src;
        r.tag = tag;
        return weft_sim_recv(sim, &r);
    }
    int Run(int64_t until_ps = WEFT_NEVER_PS, uint32_t stop = 0, uint32_t flags = 0)
    {
        return weft_sim_run(sim, until_ps, stop, flags);
    }
    std::vector<weft_event> Take()
    {
        std::vector<weft_event> all(weft_sim_events(sim));
        all.resize(weft_sim_take(sim, all.data(), all.size()));
        return all;
    }
    /* The time of the only event of a kind and number; -1: there is none. */
    static int64_t TimeOf(const std::vector<weft_event> &events, uint32_t kind, int64_t id)
    {
        int64_t found = -1;
        for (const weft_event &e : events)
            if (e.kind == kind && (int64_t)e.id == id) {
                EXPECT_EQ(found, -1) << "kind " << kind << " twice";
                found = e.time_ps;
            }
        return found;
    }
    std::vector<std::string> Explain(uint64_t max = 100)
    {
        std::vector<std::string> said;
        weft_sim_explain(
            sim, max,
            [](void *to, const char *text) {
                static_cast<std::vector<std::string> *>(to)->push_back(text);
            },
            &said);
        return said;
    }

    weft_error error = {};
    weft_sim *sim;
};

inline weft_sim_options with_receives()
{
    weft_sim_options o = {};
    o.receives = 1;
    return o;
}

#endif
