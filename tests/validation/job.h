// SPDX-License-Identifier: GPL-2.0-only
// One run of the packet backend, configured as `weft run --set ...` configures it.
#ifndef WEFT_TESTS_VALIDATION_JOB_H
#define WEFT_TESTS_VALIDATION_JOB_H

#include "base/units.h"
#include "ns3-module/bridge/bridge.h"
#include "scenario/scenario.h"
#include "system/system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

// A file of the outside test data, "" when it is absent.
inline std::string Shared(const std::string &path)
{
    const char *root = std::getenv("WEFT_SHARED");
    std::string full = std::string(root ? root : "../shared") + "/data/" + path;
    return std::filesystem::exists(full) ? full : "";
}

// What the NPUs' own links of one dimension carried: least and most of any of them.
struct DimUse {
    uint64_t leastPayload = UINT64_MAX, mostPayload = 0;
    int64_t leastBusyPs = INT64_MAX, mostBusyPs = 0;
};

struct Outcome {
    std::string error; // "" when it ran to the end
    int64_t endPs = 0;
    weft_totals totals = {};
    std::vector<weft_rank_result> ranks;
    std::vector<weft_completion> flows;                       // in the order acknowledged
    std::map<std::pair<uint32_t, uint64_t>, int64_t> opEndPs; // per rank and node
    std::vector<DimUse> dims;
};

inline std::vector<DimUse> UseOfDims(const weft_fabric *f, weft_net *net)
{
    std::vector<DimUse> dims(f->ndims);
    for (uint32_t p = 0; p < f->nports; p++) {
        if (f->nodes[f->ports[p].node].kind != WEFT_NODE_HOST)
            continue;
        weft_port_counters st;
        net->ops->port_stats(net, p, &st);
        DimUse &d = dims[f->links[f->ports[p].link].dim];
        d.leastPayload = std::min(d.leastPayload, st.tx_payload_bytes);
        d.mostPayload = std::max(d.mostPayload, st.tx_payload_bytes);
        d.leastBusyPs = std::min(d.leastBusyPs, st.busy_ps);
        d.mostBusyPs = std::max(d.mostBusyPs, st.busy_ps);
    }
    return dims;
}

// Resolves the settings, runs the job, checks the conservation laws.
inline Outcome RunJob(const std::vector<std::string> &sets)
{
    Outcome out;
    weft_err err = {};
    const weft_net_backend *backends[] = {&weft_net_packet};
    std::vector<const char *> texts;
    for (auto &s : sets)
        texts.push_back(s.c_str());
    weft_scenario_options o = {backends, 1, texts.data(), texts.size()};
    weft_scenario *s = nullptr;
    weft_scenario_parts parts = {};
    weft_net *net = nullptr;
    weft_system *sys = nullptr;
    auto fail = [&] { out.error = err.msg[0] ? err.msg : "failed without a message"; };
    if (weft_scenario_load(nullptr, &o, &s, &err) || weft_scenario_build(s, &parts, &err)) {
        fail();
    } else {
        weft_net_config c = weft_scenario_net_config(s, parts.fabric);
        c.observer.ctx = &out;
        c.observer.flow = [](void *ctx, const weft_completion *f) {
            static_cast<Outcome *>(ctx)->flows.push_back(*f);
        };
        const weft_system_observer observer = {
            &out,
            [](void *ctx, const weft_op_record *r) {
                static_cast<Outcome *>(ctx)->opEndPs[{r->rank, r->op->id}] = r->end_ps;
            },
            nullptr, nullptr};
        weft_system_env env = weft_scenario_job_env(s, &parts, 0);
        if (s->backend->create(&c, &net, &err) ||
            !(sys =
                  weft_system_new(parts.jobs[0].workload, s->system, &env, net, &observer, &err)) ||
            weft_system_start(sys, &err) || net->ops->run(net, WEFT_NEVER, &err) ||
            net->ops->check(net, &err) || weft_system_conclude(sys, &err))
            fail();
        else if (!weft_system_finished(sys))
            out.error = "not finished";
        if (sys) {
            weft_rank_result r;
            for (uint32_t i = 0; i < parts.jobs[0].nranks; i++) {
                weft_system_result(sys, i, &r);
                out.endPs = std::max(out.endPs, r.end_ps);
                out.ranks.push_back(r);
            }
        }
        if (net) {
            net->ops->totals(net, &out.totals);
            out.dims = UseOfDims(parts.fabric, net);
        }
    }
    weft_system_free(sys);
    if (net)
        net->ops->free(net);
    weft_scenario_parts_free(&parts);
    weft_scenario_free(s);
    return out;
}

#endif
