/* SPDX-License-Identifier: GPL-2.0-only */
/* A workload built in a test, played through the system layer over the ideal backend. */
#ifndef WEFT_TESTS_SYSTEM_JOB_H
#define WEFT_TESTS_SYSTEM_JOB_H

#include "system/system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

/** Builds per-rank graphs; ops get ids in the order added (0, 1, ...), unless given. */
class Job
{
  public:
    explicit Job(uint32_t nranks) : ops_(nranks), deps_(nranks)
    {
        std::vector<uint32_t> all;
        for (uint32_t r = 0; r < nranks; r++)
            all.push_back(r);
        AddGroup("", all);
    }

    uint32_t AddGroup(const char *name, std::vector<uint32_t> ranks)
    {
        members_.push_back(std::move(ranks));
        group_names_.push_back(name);
        return (uint32_t)members_.size() - 1;
    }

    /** Adds an op after its parents; returns its index. */
    uint32_t Add(uint32_t rank, weft_op op, std::vector<uint32_t> parents = {})
    {
        uint32_t i = (uint32_t)ops_[rank].size();
        if (!op.id)
            op.id = i;
        if (!op.name)
            op.name = "";
        op.nparents = (uint32_t)parents.size();
        ops_[rank].push_back(op);
        deps_[rank].push_back(std::move(parents));
        return i;
    }

    uint32_t Comp(uint32_t rank, int64_t ps, std::vector<uint32_t> parents = {}, bool cpu = false)
    {
        weft_op op = {};
        op.kind = WEFT_OP_COMP;
        op.name = "comp";
        op.duration_ps = ps;
        op.cpu = cpu;
        return Add(rank, op, std::move(parents));
    }

    uint32_t Mem(uint32_t rank, uint64_t bytes, int64_t ps = 0, std::vector<uint32_t> parents = {})
    {
        weft_op op = {};
        op.kind = WEFT_OP_MEM;
        op.name = "mem";
        op.tensor_bytes = bytes;
        op.duration_ps = ps;
        return Add(rank, op, std::move(parents));
    }

    uint32_t Meta(uint32_t rank, std::vector<uint32_t> parents = {})
    {
        weft_op op = {};
        op.kind = WEFT_OP_META;
        op.name = "meta";
        return Add(rank, op, std::move(parents));
    }

    uint32_t Coll(uint32_t rank, weft_coll_kind kind, uint64_t bytes,
                  std::vector<uint32_t> parents = {}, uint32_t group = 0)
    {
        weft_op op = {};
        op.kind = WEFT_OP_COLL;
        op.name = "coll";
        op.coll = kind;
        op.bytes = bytes;
        op.group = group;
        return Add(rank, op, std::move(parents));
    }

    uint32_t Send(uint32_t rank, uint32_t to, uint64_t bytes, uint64_t tag = 0,
                  std::vector<uint32_t> parents = {})
    {
        return P2p(WEFT_OP_SEND, rank, to, bytes, tag, std::move(parents));
    }

    uint32_t Recv(uint32_t rank, uint32_t from, uint64_t bytes, uint64_t tag = 0,
                  std::vector<uint32_t> parents = {})
    {
        return P2p(WEFT_OP_RECV, rank, from, bytes, tag, std::move(parents));
    }

    /** The same collective on every rank, without parents. */
    Job &Everywhere(weft_coll_kind kind, uint64_t bytes)
    {
        for (uint32_t r = 0; r < ops_.size(); r++)
            Coll(r, kind, bytes);
        return *this;
    }

    const weft_workload *Workload()
    {
        children_.assign(ops_.size(), {});
        dags_.clear();
        for (size_t r = 0; r < ops_.size(); r++) {
            std::vector<std::vector<uint32_t>> of(ops_[r].size());
            for (size_t c = 0; c < ops_[r].size(); c++)
                for (uint32_t parent : deps_[r][c])
                    of[parent].push_back((uint32_t)c);
            for (size_t i = 0; i < ops_[r].size(); i++) {
                ops_[r][i].first_child = (uint32_t)children_[r].size();
                children_[r].insert(children_[r].end(), of[i].begin(), of[i].end());
                ops_[r][i].nchildren = (uint32_t)children_[r].size() - ops_[r][i].first_child;
            }
            dags_.push_back({ops_[r].data(), (uint32_t)ops_[r].size(), children_[r].data()});
        }
        groups_.clear();
        for (size_t g = 0; g < members_.size(); g++)
            groups_.push_back(
                {group_names_[g].c_str(), members_[g].data(), (uint32_t)members_[g].size()});
        workload_ = {nullptr, dags_.data(), (uint32_t)dags_.size(), groups_.data(),
                     (uint32_t)groups_.size()};
        return &workload_;
    }

  private:
    uint32_t P2p(weft_op_kind kind, uint32_t rank, uint32_t peer, uint64_t bytes, uint64_t tag,
                 std::vector<uint32_t> parents)
    {
        weft_op op = {};
        op.kind = kind;
        op.name = kind == WEFT_OP_SEND ? "send" : "recv";
        op.peer = peer;
        op.bytes = bytes;
        op.tag = tag;
        return Add(rank, op, std::move(parents));
    }

    std::vector<std::vector<weft_op>> ops_;
    std::vector<std::vector<std::vector<uint32_t>>> deps_;
    std::vector<std::vector<uint32_t>> members_;
    std::vector<std::string> group_names_;
    std::vector<std::vector<uint32_t>> children_;
    std::vector<weft_dag> dags_;
    std::vector<weft_group> groups_;
    weft_workload workload_;
};

using Settings = std::vector<std::pair<const char *, const char *>>;

/** ASTRA-sim's costs in the runs that the golden numbers come from. */
inline Settings AstraSystem(const char *algorithm = "ring")
{
    return {{"all-reduce", algorithm},  {"all-gather", algorithm}, {"reduce-scatter", algorithm},
            {"all-to-all", algorithm},  {"chunks", "4"},           {"active-chunks", "1"},
            {"endpoint-delay", "10ns"}, {"quantum", "1ns"},        {"reduce-bandwidth", "1600GB/s"},
            {"reduce-passes", "3"}};
}
inline Settings AstraNet()
{
    return {{"model", "flat"}, {"bandwidth", "50GiB/s"}, {"latency", "500ns"}, {"quantum", "1ns"}};
}
inline Settings With(Settings base, Settings more)
{
    base.insert(base.end(), more.begin(), more.end());
    return base;
}

/** One run; everything that can be asked about it afterwards. */
class Sim
{
  public:
    struct Record {
        uint32_t rank;
        uint64_t id;
        int64_t ready_ps, start_ps, end_ps;
        bool operator==(const Record &o) const
        {
            return rank == o.rank && id == o.id && ready_ps == o.ready_ps &&
                   start_ps == o.start_ps && end_ps == o.end_ps;
        }
    };

    Sim(Job &job, const Settings &system = AstraSystem(), const Settings &net = AstraNet())
        : Sim(job.Workload(), system, net)
    {
    }
    /** Builds a fabric with the hosts 0 .. n-1 as nodes 0 .. n-1; nullptr: a star. */
    using Build = std::function<void(weft_fabric *f)>;
    Sim(Job &job, const Settings &system, const Settings &net, const Build &build)
        : Sim(job.Workload(), system, net, build)
    {
    }
    Sim(const weft_workload *w, const Settings &system, const Settings &net,
        const Build &build = nullptr)
        : w_(w)
    {
        EXPECT_EQ(weft_params_defaults(&weft_system_param_table, &p_, &err), 0) << err.msg;
        for (auto &s : system)
            EXPECT_EQ(weft_params_set(&weft_system_param_table, &p_, s.first, s.second, &err), 0)
                << err.msg;
        fabric_ = weft_fabric_new();
        for (uint32_t h = 0; h < std::max(2u, w_->nranks); h++)
            weft_fabric_add_node(fabric_, WEFT_NODE_HOST, 0, nullptr, &err);
        build ? build(fabric_) : Star(fabric_, std::max(2u, w_->nranks));
        EXPECT_EQ(weft_fabric_finish(fabric_, &err), 0) << err.msg;
        const weft_net_section &section = weft_net_ideal.sections[0];
        net_params_.resize(weft_net_ideal.params_size);
        EXPECT_EQ(weft_params_defaults(&section.params, net_params_.data(), &err), 0) << err.msg;
        // What is worked out by hand is of messages that do not meet, unless a test says otherwise.
        weft_params_set(&section.params, net_params_.data(), "contention", "none", &err);
        for (auto &s : net)
            EXPECT_EQ(weft_params_set(&section.params, net_params_.data(), s.first, s.second, &err),
                      0)
                << err.msg;
        weft_net_config config = {};
        config.fabric = fabric_;
        config.params = net_params_.data();
        config.observer.ctx = this;
        config.observer.flow = OnFlow;
        EXPECT_EQ(weft_net_ideal.create(&config, &net_, &err), 0) << err.msg;
        weft_system_observer observer = {this, OnOp, OnPhase, OnPath};
        weft_system_env env = {};
        env.seed = 1;
        env.fabric = fabric_;
        sys_ = weft_system_new(w_, &p_, &env, net_, &observer, &err);
        if (!sys_)
            return; // the test reads err
        if (weft_system_start(sys_, &err) == 0) {
            EXPECT_EQ(net_->ops->run(net_, INT64_MAX, &err), 0);
            err = *weft_system_error(sys_);
        }
        if (!err.code)
            weft_system_conclude(sys_, &err); // every run's path and causes add up
        if (Finished() && !p_.rendezvous_bytes) {
            EXPECT_EQ(weft_system_volume(sys_), Totals().bytes_received);
        }
        weft_err check = {};
        EXPECT_EQ(net_->ops->check(net_, &check), 0) << check.msg;
    }
    Sim(const Sim &) = delete;
    Sim &operator=(const Sim &) = delete;
    ~Sim()
    {
        weft_system_free(sys_);
        if (net_)
            net_->ops->free(net_);
        weft_fabric_free(fabric_);
    }

    bool Made() const
    {
        return sys_ != nullptr;
    }
    bool Finished() const
    {
        return sys_ && weft_system_finished(sys_);
    }
    weft_rank_result Result(uint32_t rank) const
    {
        weft_rank_result r;
        weft_system_result(sys_, rank, &r);
        return r;
    }
    /** End of the rank in whole nanoseconds; fails when it is none. */
    int64_t EndNs(uint32_t rank) const
    {
        int64_t ps = Result(rank).end_ps;
        EXPECT_EQ(ps % 1000, 0);
        return ps / 1000;
    }
    /** End of the last rank. */
    int64_t EndNs() const
    {
        EXPECT_TRUE(Finished());
        int64_t end = 0;
        for (uint32_t r = 0; r < w_->nranks; r++)
            end = std::max(end, EndNs(r));
        return end;
    }
    Record Of(uint32_t rank, uint64_t id) const
    {
        for (const Record &r : records)
            if (r.rank == rank && r.id == id)
                return r;
        ADD_FAILURE() << "rank " << rank << " node " << id << " has no record";
        return {};
    }
    std::vector<std::string> Explain(uint32_t max = 100)
    {
        std::vector<std::string> lines;
        unfinished = weft_system_explain(
            sys_, max,
            [](void *ctx, const char *s) {
                static_cast<std::vector<std::string> *>(ctx)->push_back(s);
            },
            &lines);
        return lines;
    }
    weft_totals Totals() const
    {
        weft_totals t;
        net_->ops->totals(net_, &t);
        return t;
    }
    weft_system *System()
    {
        return sys_;
    }

    weft_err err = {};
    std::vector<Record> records;
    std::vector<weft_phase_record> phases;
    std::vector<weft_path_record> path;
    std::vector<weft_completion> flows;
    uint32_t unfinished = 0;

  private:
    static void OnOp(void *ctx, const weft_op_record *r)
    {
        static_cast<Sim *>(ctx)->records.push_back(
            {r->rank, r->op->id, r->ready_ps, r->start_ps, r->end_ps});
    }
    static void OnPhase(void *ctx, const weft_phase_record *r)
    {
        static_cast<Sim *>(ctx)->phases.push_back(*r);
    }
    static void OnPath(void *ctx, const weft_path_record *r)
    {
        static_cast<Sim *>(ctx)->path.push_back(*r);
    }
    static void OnFlow(void *ctx, const weft_completion *f)
    {
        static_cast<Sim *>(ctx)->flows.push_back(*f);
    }
    static void Star(weft_fabric *f, uint32_t hosts)
    {
        weft_err err = {};
        uint32_t sw;
        weft_fabric_add_node(f, WEFT_NODE_SWITCH, 1, &sw, &err);
        for (uint32_t h = 0; h < hosts; h++) {
            weft_fabric_link link = {h, sw, 400000000000u, 1000000, 0, 0};
            weft_fabric_add_link(f, &link, nullptr, &err);
        }
    }

    const weft_workload *w_;
    weft_system_params p_;
    std::vector<char> net_params_;
    weft_fabric *fabric_ = nullptr;
    weft_net *net_ = nullptr;
    weft_system *sys_ = nullptr;
};

/* Two switches with two hosts each, joined by a link of this rate and 3 us; hosts at 400 Gbps and 1
 * us. */
inline Sim::Build TwoSwitches(uint64_t between_bps)
{
    return [between_bps](weft_fabric *f) {
        weft_err err = {};
        uint32_t sw[2];
        for (uint32_t &s : sw)
            weft_fabric_add_node(f, WEFT_NODE_SWITCH, 1, &s, &err);
        for (uint32_t h = 0; h < 4; h++) {
            weft_fabric_link link = {h, sw[h / 2], 400000000000u, 1000000, 0, 0};
            weft_fabric_add_link(f, &link, nullptr, &err);
        }
        weft_fabric_link between = {sw[0], sw[1], between_bps, 3000000, 0, 0};
        weft_fabric_add_link(f, &between, nullptr, &err);
    };
}

#endif
