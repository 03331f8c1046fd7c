// SPDX-License-Identifier: GPL-2.0-only
// A small world for engine tests: a fabric by topology name, an engine over it, and a log of what
// happened.
#ifndef WEFT_TESTS_ENGINE_WORLD_H
#define WEFT_TESTS_ENGINE_WORLD_H

#include "base/units.h"
#include "congestion/cc.h"
#include "congestion/cc_table.h"
#include "ns3-module/engine/engine.h"
#include "topologies/topology.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The settings of a preset of a congestion control that are its own.
inline Settings Preset(const char *control, const char *name)
{
    Settings s;
    std::istringstream words(
        weft_preset_find(weft_cc_find(control, nullptr)->presets, control, control, name, nullptr)
            ->settings);
    for (std::string w; words >> w;)
        if (w.find('.') > w.find('='))
            s.emplace_back(w.substr(0, w.find('=')), w.substr(w.find('=') + 1));
    return s;
}

struct PfcEvent {
    int64_t t;
    uint32_t port, prio;
    int pause;
};

// Takes a link down or up.
inline int SetLink(weft_engine *e, uint32_t link, bool up, weft_err *err)
{
    weft_link_change c = {};
    c.link = link;
    c.kind = up ? WEFT_LINK_UP : WEFT_LINK_DOWN;
    return weft_engine_change_links(e, &c, 1, err);
}

class World
{
  public:
    // settings: "topology-param" pairs for the fabric; "section.param" pairs for the engine; cc
    // params without a dot.
    World(const std::string &topology, const Settings &topo, const Settings &engine = {},
          const std::string &cc = "none", const Settings &ccSettings = {}, uint64_t seed = 1)
    {
        weft_err err = {};
        const weft_topology_ops *ops = weft_topology_find(topology.c_str(), &err);
        if (!ops)
            throw std::runtime_error(err.msg);
        m_topo.resize(ops->params.struct_size + 1);
        Must(weft_params_defaults(&ops->params, m_topo.data(), &err), err);
        for (auto &[k, v] : topo)
            Must(weft_params_set(&ops->params, m_topo.data(), k.c_str(), v.c_str(), &err), err);
        Must(weft_topology_build(ops, m_topo.data(), &fabric, &err), err);
        Must(weft_engine_params_defaults(&config.params, &err), err);
        for (auto &[k, v] : engine)
            SetEngine(k, v);
        config.cc = weft_cc_find(cc.c_str(), &err);
        if (!config.cc)
            throw std::runtime_error(err.msg);
        m_cc.resize(config.cc->params.struct_size + 1);
        Must(weft_params_defaults(&config.cc->params, m_cc.data(), &err), err);
        for (auto &[k, v] : ccSettings)
            Must(weft_params_set(&config.cc->params, m_cc.data(), k.c_str(), v.c_str(), &err), err);
        config.cc_params = m_cc.data();
        config.fabric = fabric;
        config.seed = seed;
        config.hooks.ctx = config.hooks.concurrency.ctx = this;
        config.hooks.received = [](void *c, const weft_completion *d) {
            static_cast<World *>(c)->received.push_back(*d);
        };
        config.hooks.acked = [](void *c, const weft_completion *d) {
            static_cast<World *>(c)->acked.push_back(*d);
        };
        config.hooks.pfc = [](void *c, int64_t t, uint32_t port, uint32_t prio, int pause) {
            static_cast<World *>(c)->pfc.push_back({t, port, prio, pause});
        };
    }

    ~World()
    {
        weft_engine_free(e);
        weft_fabric_free(fabric);
    }

    void Build()
    {
        if (lose)
            config.hooks.lose = [](void *c, uint32_t port, const weft_engine_pkt_view *v) {
                return int(static_cast<World *>(c)->lose(port, *v));
            };
        weft_err err = {};
        e = weft_engine_new(&config, &err);
        ASSERT_NE(e, nullptr) << err.msg;
    }

    void Send(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag = 0,
              uint32_t prio = UINT32_MAX)
    {
        weft_err err = {};
        weft_msg m = {src, dst, bytes, tag, 0, prio};
        m.deferrable = late && late(m);
        ASSERT_EQ(weft_engine_send(e, &m, nullptr, &err), 0) << err.msg;
    }

    // Calls @p what at a time, not before now.
    void At(int64_t ps, std::function<void()> what,
            decltype(weft_engine_timer) *ask = weft_engine_timer)
    {
        weft_err err = {};
        ASSERT_EQ(ask(
                      e, ps,
                      [](void *c, uint64_t) { (*static_cast<std::function<void()> *>(c))(); },
                      &m_later.emplace_back(std::move(what)), 0, &err),
                  0)
            << err.msg;
    }

    // A host that is sent something answers, at once or (@p sometimesLater) a little later, as
    // often as the message's tag says, each time with the number that the message has in the order
    // of all.
    void Answer(bool sometimesLater = true)
    {
        m_sometimesLater = sometimesLater;
        config.hooks.received = [](void *c, const weft_completion *d) {
            auto *w = static_cast<World *>(c);
            w->received.push_back(*d);
            if (d->msg.tag == 0)
                return;
            const uint32_t src = d->msg.dst, n = w->fabric->nhosts;
            const uint32_t dst = (src + 1 + (src * 7 + static_cast<uint32_t>(d->id)) % (n - 1)) % n;
            const auto answer = [=, bytes = d->msg.bytes + 97 * (d->id % 50),
                                 left = d->msg.tag - 1] { w->Send(src, dst, bytes, left); };
            if (d->id % 3 || !w->m_sometimesLater)
                answer();
            else
                w->At(weft_engine_now(w->e) + 123456 * int64_t(d->id % 7), answer);
        };
    }

    // What the hosts of a fat-tree (k=4) begin with that answer: a long message and three short
    // ones.
    void Ask()
    {
        for (uint32_t src = 0; src < 16; src++) {
            Send(src, (src + 5) % 16, 300000, 0);
            for (uint32_t k = 1; k < 4; k++)
                Send(src, (src * 3 + k) % 16 == src ? (src + 1) % 16 : (src * 3 + k) % 16,
                     700 * k + 13 * src, 20);
        }
    }

    // Runs to the end, checking the conservation laws on the way.
    void Run(int64_t step = 50 * WEFT_PS_PER_US, int64_t until = WEFT_PS_PER_S * 100)
    {
        weft_err err = {};
        for (int64_t limit = step; weft_engine_next(e) < until; limit += step) {
            if (weft_engine_next(e) > limit)
                limit = weft_engine_next(e);
            ASSERT_EQ(weft_engine_run(e, limit + 1), 0) << weft_engine_error(e)->msg;
            ASSERT_EQ(weft_engine_check(e, &err), 0) << err.msg;
        }
        ASSERT_EQ(weft_engine_check(e, &err), 0) << err.msg;
    }

    struct weft_totals Totals() const
    {
        struct weft_totals t;
        weft_engine_totals(e, &t);
        return t;
    }

    weft_fabric *fabric = nullptr;
    weft_engine *e = nullptr;
    weft_engine_config config = {};
    std::vector<weft_completion> received, acked;
    std::vector<PfcEvent> pfc;
    void *user = nullptr; // of a test's own hooks
    std::function<bool(uint32_t port, const weft_engine_pkt_view &pkt)> lose; // set before Build
    std::function<bool(const weft_msg &)> late; // messages with deferrable

  private:
    bool m_sometimesLater = true;
    std::deque<std::function<void()>> m_later;
    static void Must(int rc, const weft_err &err)
    {
        if (rc)
            throw std::runtime_error(err.msg);
    }

    void SetEngine(const std::string &key, const std::string &value)
    {
        weft_err err = {};
        auto dot = key.find('.');
        for (auto &s : weft_engine_sections)
            if (key.substr(0, dot) == s.name) {
                Must(weft_params_set(&s.params, reinterpret_cast<char *>(&config.params) + s.offset,
                                     key.substr(dot + 1).c_str(),
                                     m_texts.insert(value).first->c_str(), &err),
                     err);
                return;
            }
        throw std::runtime_error("no section for " + key);
    }

    std::vector<char> m_topo, m_cc;
    std::set<std::string> m_texts; // text parameters point here
};

// Threads that run switches, with each other and with switches in random orders.
inline void Threads(World &w, unsigned n, uint64_t seed)
{
    weft_err err = {};
    const int rc = weft_engine_set_threads(w.e, n, 16 * seed + n, &err);
    if (rc && strstr(err.msg, "built without threads"))
        return; // one runs it, as is said
    ASSERT_EQ(rc, 0) << err.msg;
}

#endif
