/* SPDX-License-Identifier: GPL-2.0-only */
/* Nets over small fabrics, made through net.h as the frontend makes them. */
#ifndef WEFT_TESTS_NS3_NET_FIXTURE_H
#define WEFT_TESTS_NS3_NET_FIXTURE_H

#include "base/param.h"
#include "base/units.h"
#include "net/net.h"
#include "ns3-module/bridge/bridge.h"
#include "topologies/topology.h"
#include "congestion/cc_table.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace weft_test
{

using Settings = std::vector<std::pair<std::string, std::string>>;

/** Whether the ns-3 that weft was built with is 3.@p minor or later. */
inline bool ns3_since(int minor)
{
    return std::stoi(std::string(weft_ns3_version()).substr(2)) >= minor;
}

/** A filled parameter struct of any table. */
class Blob
{
  public:
    explicit Blob(size_t size) : bytes(size / sizeof(std::max_align_t) + 1) {}
    void *data()
    {
        return bytes.data();
    }

  private:
    std::vector<std::max_align_t> bytes;
};

/** A fabric from weft's table of topologies. */
class Fabric
{
  public:
    explicit Fabric(const char *topology, const Settings &settings = {})
    {
        weft_err err = {};
        const weft_topology_ops *ops = weft_topology_find(topology, &err);
        if (!ops) {
            ADD_FAILURE() << err.msg;
            return;
        }
        Blob params(ops->params.struct_size);
        EXPECT_EQ(weft_params_defaults(&ops->params, params.data(), &err), 0) << err.msg;
        for (auto &s : settings)
            EXPECT_EQ(weft_params_set(&ops->params, params.data(), s.first.c_str(),
                                      s.second.c_str(), &err),
                      0)
                << err.msg;
        EXPECT_EQ(weft_topology_build(ops, params.data(), &graph, &err), 0) << err.msg;
    }
    ~Fabric()
    {
        weft_fabric_free(graph);
    }
    Fabric(const Fabric &) = delete;
    weft_fabric *graph = nullptr;
};

/** The packet backend's parameters, and a net made from them. Settings are "section.name". */
class Net
{
  public:
    Net(const Fabric &fabric, const char *cc, const Settings &settings = {},
        const weft_net_observer &observer = {}, const char *out_dir = nullptr)
        : params(weft_net_packet.params_size), cc_params(4096)
    {
        weft_err err = {};
        for (size_t i = 0; i < weft_net_packet.nsections; i++) {
            const weft_net_section &s = weft_net_packet.sections[i];
            EXPECT_EQ(weft_params_defaults(&s.params, at(s), &err), 0) << err.msg;
        }
        for (auto &s : settings) {
            const size_t dot = s.first.find('.');
            bool found = false;
            for (size_t i = 0; i < weft_net_packet.nsections; i++) {
                const weft_net_section &sec = weft_net_packet.sections[i];
                if (s.first.substr(0, dot) == sec.name) {
                    found = true;
                    EXPECT_EQ(weft_params_set(&sec.params, at(sec), s.first.substr(dot + 1).c_str(),
                                              s.second.c_str(), &err),
                              0)
                        << err.msg;
                }
            }
            EXPECT_TRUE(found) << s.first;
        }
        config.fabric = fabric.graph;
        config.params = params.data();
        config.cc = weft_cc_find(cc, &err);
        if (!config.cc) {
            ADD_FAILURE() << err.msg;
            return;
        }
        EXPECT_LE(config.cc->params.struct_size, 4096u);
        EXPECT_EQ(weft_params_defaults(&config.cc->params, cc_params.data(), &err), 0) << err.msg;
        config.cc_params = cc_params.data();
        config.seed = 1;
        config.observer = observer;
        config.out_dir = out_dir;
        rc = weft_net_packet.create(&config, &net, &error);
    }
    ~Net()
    {
        if (net)
            net->ops->free(net);
    }
    Net(const Net &) = delete;

    int send(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag = 0, uint64_t ref = 0)
    {
        const weft_msg msg = {src, dst, bytes, tag, {ref}, WEFT_PRIO_DEFAULT};
        return net->ops->send(net, &msg, &error);
    }
    int run(int64_t until_ps = WEFT_NEVER)
    {
        return net->ops->run(net, until_ps, &error);
    }
    int64_t now() const
    {
        return net->ops->now_ps(net);
    }
    weft_totals totals() const
    {
        weft_totals t;
        net->ops->totals(net, &t);
        return t;
    }
    int check()
    {
        return net->ops->check(net, &error);
    }

    weft_net_config config = {};
    weft_net *net = nullptr;
    weft_err error = {};
    int rc = 0;

  private:
    void *at(const weft_net_section &s)
    {
        return static_cast<char *>(params.data()) + s.offset;
    }
    Blob params, cc_params;
};

/* Remembers everything that a net tells. */
struct Recorder {
    struct Entry {
        std::string what;
        uint64_t tag, ref;
        int64_t t_ps;
        bool operator==(const Entry &o) const
        {
            return what == o.what && tag == o.tag && ref == o.ref && t_ps == o.t_ps;
        }
    };
    Net *net = nullptr;
    std::vector<Entry> log;
    std::vector<weft_completion> flows;
    std::vector<weft_net_pfc> pfcs;

    void listen(Net &n)
    {
        net = &n;
        const weft_net_sink sink = {
            this,
            [](void *ctx, const weft_completion *d) {
                auto *r = static_cast<Recorder *>(ctx);
                r->log.push_back({"sent", d->msg.tag, d->msg.token.number, r->net->now()});
            },
            [](void *ctx, const weft_completion *d) {
                EXPECT_EQ(d->received_ps, static_cast<Recorder *>(ctx)->net->now());
                auto *r = static_cast<Recorder *>(ctx);
                r->log.push_back({"received", d->msg.tag, 0, r->net->now()});
            }};
        n.net->ops->set_sink(n.net, &sink);
    }
    weft_net_observer observer()
    {
        return {this,
                [](void *ctx, const weft_completion *f) {
                    static_cast<Recorder *>(ctx)->flows.push_back(*f);
                },
                [](void *ctx, const weft_net_pfc *p) {
                    static_cast<Recorder *>(ctx)->pfcs.push_back(*p);
                }};
    }
};

inline void PrintTo(const Recorder::Entry &e, std::ostream *os)
{
    *os << e.what << " tag " << e.tag << " ref " << e.ref << " at " << e.t_ps;
}

} // namespace weft_test
#endif
