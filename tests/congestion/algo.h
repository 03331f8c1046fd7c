// SPDX-License-Identifier: GPL-2.0-only
// One congestion control under test: its parameters, guarded state and last decision.
#ifndef WEFT_TESTS_CONGESTION_ALGO_H
#define WEFT_TESTS_CONGESTION_ALGO_H

#include "base/needs.h"
#include "base/scale.h"
#include "base/units.h"
#include "congestion/cc.h"
#include "congestion/cc_replay.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace weft_test
{

inline constexpr int64_t kUs = WEFT_PS_PER_US;
inline constexpr uint64_t kGbps = 1000000000;

/// 100 Gbps, 8 us round trip, 1000-byte payload: a BDP of 100 kB.
inline weft_cc_env default_env()
{
    weft_cc_env env{};
    env.line_rate_bps = 100 * kGbps;
    env.base_rtt_ps = 8 * kUs;
    env.bdp_bytes = 100000;
    env.mtu_bytes = 1000;
    env.mtu_wire_bytes = 1048;
    return env;
}

/// An ACK for all bytes up to una, the newest `acked` of them new, sent up to nxt.
inline weft_cc_ack ack_of(uint64_t una, uint64_t nxt, uint64_t acked = 1000)
{
    weft_cc_ack a{};
    a.acked_bytes = acked;
    a.una_bytes = una;
    a.nxt_bytes = nxt;
    a.received_bytes = acked;
    a.flight_bytes = nxt - una;
    return a;
}

/// default_env() with headers of no size, so that windows and rates agree without a factor.
inline weft_cc_env headerless_env()
{
    weft_cc_env env = default_env();
    env.mtu_wire_bytes = env.mtu_bytes;
    return env;
}

class Algo
{
  public:
    using Settings = std::vector<std::pair<std::string, std::string>>;

    explicit Algo(const weft_cc_ops *ops, const Settings &settings = {},
                  weft_cc_env env = default_env(), unsigned char poison = 0xa5)
        : ops(ops), env(env), m_params(ops->params.struct_size + sizeof(max_align_t)),
          m_state(ops->state_size + 2 * kGuard, poison), m_poison(poison)
    {
        weft_err err{};
        EXPECT_EQ(weft_params_defaults(&ops->params, params(), &err), 0) << err.msg;
        for (const auto &[name, value] : settings)
            EXPECT_EQ(weft_params_set(&ops->params, params(), name.c_str(), value.c_str(), &err), 0)
                << err.msg;
        m_needs = weft_cc_needs(ops, params());
        m_given = m_params;
        const weft_scale_path path = {env.line_rate_bps, env.base_rtt_ps > 0 ? env.base_rtt_ps : 1};
        weft_params_resolve(&ops->params, params(), &path);
    }
    /// What it needs, as the parameters were before they were settled.
    unsigned needs() const
    {
        return m_needs;
    }
    /// Before an ACK brings so many stamps: as the engine, which then makes room for all.
    void room_for(uint32_t stamps)
    {
        if (stamps <= weft_cc_stamps(env.hops) || m_state.size() == ops->state_size + 2 * kGuard)
            return;
        EXPECT_TRUE(guards_intact());
        m_state.insert(m_state.end() - kGuard, ops->state_size + 2 * kGuard - m_state.size(), 0);
    }
    void init(int64_t now = 0)
    {
        const weft_cc_signals how = ops->signals ? signals() : weft_cc_signals{};
        m_state.assign(weft_cc_state_bytes(ops, &how, env.hops) + 2 * kGuard, m_poison);
        std::memset(&out, m_poison, sizeof out);
        ops->init(state(), params(), &env, now, &out);
    }
    void ack(int64_t now, const weft_cc_ack &a)
    {
        ops->on_ack(state(), params(), now, &a, &out);
    }
    void rto(int64_t now)
    {
        ops->on_rto(state(), params(), now, &out);
    }
    weft_cc_signals signals()
    {
        weft_cc_signals how{};
        ops->signals(params(), &how);
        return how;
    }
    /// Empty if the settings agree with each other and each can have an effect.
    std::string why_not()
    {
        weft_err err{};
        const weft_needs_scope scope{&ops->params, m_given.data(), ops->name, nullptr, nullptr};
        if (!ops->check || ops->check(params(), &err) == 0)
            weft_params_refuse_idle(&scope, &err);
        return err.msg;
    }
    void cnp(int64_t now)
    {
        ops->on_cnp(state(), params(), now, &out);
    }
    uint64_t rate_at(int64_t now)
    {
        ops->before_send(state(), params(), now, &out);
        return out.rate_bps;
    }
    void sent(int64_t now, uint32_t wire_bytes)
    {
        ops->on_send(state(), params(), now, wire_bytes, &out);
    }
    double observed(size_t i) const
    {
        double v[16] = {};
        ops->observe(m_state.data() + kGuard, m_params.data(), v);
        return v[i];
    }
    void *params()
    {
        return m_params.data();
    }
    void *state()
    {
        return m_state.data() + kGuard;
    }
    std::vector<unsigned char> state_bytes() const
    {
        return {m_state.begin() + kGuard, m_state.end() - kGuard};
    }
    /// True while no hook has written outside the state.
    bool guards_intact() const
    {
        for (size_t i = 0; i < kGuard; i++)
            if (m_state[i] != m_poison || m_state[m_state.size() - 1 - i] != m_poison)
                return false;
        return true;
    }

    const weft_cc_ops *ops;
    weft_cc_env env;
    weft_cc_out out{};

  private:
    static constexpr size_t kGuard = 64; // keeps the alignment of the vector's storage
    std::vector<unsigned char> m_params;
    std::vector<unsigned char> m_given; // the parameters before they were settled
    std::vector<unsigned char> m_state;
    unsigned char m_poison;
    unsigned m_needs = 0;
};

} // namespace weft_test

#endif
