// SPDX-License-Identifier: GPL-2.0-only
// Random sequences of hook calls under random parameters, for tests over the whole table.
#ifndef WEFT_TESTS_CONGESTION_PLAY_H
#define WEFT_TESTS_CONGESTION_PLAY_H

#include "algo.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_credit.h"
#include "congestion/cc_supply.h"
#include "congestion/cc_table.h"

#include <rapidcheck/gtest.h>

extern "C" const struct weft_cc_ops weft_cc_skeleton;

namespace weft_test
{

/// The table and the skeleton.
inline std::vector<const weft_cc_ops *> all()
{
    size_t n = 0;
    const weft_cc_ops *const *t = weft_cc_table(&n);
    std::vector<const weft_cc_ops *> v(t, t + n);
    v.push_back(&weft_cc_skeleton);
    return v;
}

/// One call of a hook.
struct Step {
    unsigned kind;
    int64_t gap_ps;
    uint32_t wire_bytes;
    bool mark, nack;
    uint16_t pint;
    uint32_t nhops;
    bool odd_hop; ///< the stamps are no continuation of the last ones
    uint64_t qlen_bytes;
};

inline rc::Gen<Step> any_step()
{
    auto gap =
        rc::gen::oneOf(rc::gen::inRange<int64_t>(0, 100000), rc::gen::inRange<int64_t>(0, 60 * kUs),
                       rc::gen::inRange<int64_t>(0, 100 * WEFT_PS_PER_S));
    return rc::gen::build<Step>(
        rc::gen::set(&Step::kind, rc::gen::inRange(0u, 7u)), rc::gen::set(&Step::gap_ps, gap),
        rc::gen::set(&Step::wire_bytes, rc::gen::inRange(1u, 10000u)), rc::gen::set(&Step::mark),
        rc::gen::set(&Step::nack), rc::gen::set(&Step::pint),
        rc::gen::set(&Step::nhops,
                     rc::gen::weightedElement<uint32_t>({{8, 2}, {1, 0}, {1, 5}, {1, 16}})),
        rc::gen::set(&Step::odd_hop, rc::gen::weightedElement<bool>({{9, false}, {1, true}})),
        rc::gen::set(&Step::qlen_bytes, rc::gen::element<uint64_t>(0, 1000, 300000, 1u << 30)));
}

inline rc::Gen<weft_cc_env> any_env()
{
    return rc::gen::map(
        rc::gen::tuple(rc::gen::element<uint64_t>(1, 1000, kGbps, 25 * kGbps, 99999999977u,
                                                  400 * kGbps, 1600 * kGbps),
                       rc::gen::inRange<int64_t>(0, 1000 * kUs),
                       rc::gen::inRange<uint64_t>(0, 100000000),
                       rc::gen::inRange<uint32_t>(1, 9001)),
        [](const std::tuple<uint64_t, int64_t, uint64_t, uint32_t> &t) {
            weft_cc_env e{};
            e.line_rate_bps = std::get<0>(t);
            e.base_rtt_ps = std::get<1>(t);
            e.bdp_bytes = std::get<2>(t);
            e.mtu_bytes = std::get<3>(t);
            e.mtu_wire_bytes = e.mtu_bytes + 48;
            e.hops = e.mtu_bytes % 6;
            e.trims = e.mtu_bytes % 2;
            return e;
        });
}

/// Each parameter at its default, smallest, largest or (a choice, a truth value) any value; values
/// that clash with earlier ones are left out.
inline Algo::Settings any_settings(const weft_cc_ops *ops)
{
    Algo::Settings s;
    for (size_t i = 0; i < ops->params.n; i++) {
        const weft_param &p = ops->params.params[i];
        std::vector<std::string> values;
        for (const char *v : {p.def, p.min, p.max})
            if (v)
                values.push_back(v);
        if (p.type == WEFT_PARAM_BOOL)
            values = {"true", "false"};
        if (p.choices) {
            std::string word;
            for (const char *c = p.choices;; c++) {
                if (*c && *c != '|') {
                    word += *c;
                    continue;
                }
                values.push_back(word);
                word.clear();
                if (!*c)
                    break;
            }
        }
        if (values.empty())
            continue;
        s.emplace_back(p.name, *rc::gen::elementOf(values));
        if (!Algo(ops, s).why_not().empty())
            s.pop_back();
    }
    return s;
}

/// Plays the steps; returns the last time.
template <typename Check> int64_t play(Algo &a, const std::vector<Step> &steps, Check check)
{
    int64_t now = 1000;
    const unsigned needs = a.needs();
    uint64_t una = 0, nxt = 0, granted = 0;
    uint32_t tags = 0;
    weft_cc_hop hops[WEFT_CC_MAX_HOPS] = {};
    for (unsigned i = 0; i < WEFT_CC_MAX_HOPS; i++)
        hops[i].rate_bps = (i + 1) * 25 * kGbps;
    a.init(now);
    check(now);
    for (const Step &s : steps) {
        now += s.gap_ps;
        weft_cc_ack ack{};
        switch (s.kind) {
        case 0:
            if (a.ops->before_send)
                a.ops->before_send(a.state(), a.params(), now, &a.out);
            break;
        case 1:
            nxt += s.wire_bytes;
            if (a.ops->on_send)
                a.ops->on_send(a.state(), a.params(), now, s.wire_bytes, &a.out);
            if (needs & WEFT_CC_NEEDS_SUPPLY) {
                const weft_cc_leaving k = {una, nxt - s.wire_bytes, nxt, nxt + s.qlen_bytes};
                tags = a.ops->supply->tag(a.state(), a.params(), &k);
            }
            break;
        case 2:
            ack.acked_bytes = s.nack ? 0 : nxt - una;
            una = s.nack ? una : nxt;
            ack.una_bytes = una;
            ack.nxt_bytes = nxt;
            ack.received_bytes = ack.acked_bytes;
            ack.flight_bytes = nxt - una;
            ack.trimmed_bytes = a.env.trims && s.nack && s.mark ? s.wire_bytes : 0;
            ack.rtt_ps = needs & WEFT_CC_NEEDS_RTT ? s.gap_ps : 0;
            ack.ecn_echo = needs & WEFT_CC_NEEDS_ECN_ECHO ? s.mark : false;
            ack.nack = s.nack;
            ack.gains = needs & WEFT_CC_NEEDS_SUPPLY && s.mark ? tags & WEFT_CC_TAG_GAIN : 0;
            ack.pint = needs & WEFT_CC_NEEDS_PINT ? s.pint : 0;
            for (unsigned i = 0; i < WEFT_CC_MAX_HOPS; i++) {
                hops[i].ts_ps = s.odd_hop ? hops[i].ts_ps / 2 : now - i;
                hops[i].tx_bytes += s.odd_hop && i == 1 ? UINT64_MAX / 3 : s.wire_bytes;
                hops[i].qlen_bytes = s.qlen_bytes;
            }
            if (needs & WEFT_CC_NEEDS_INT) {
                ack.nhops = s.nhops;
                ack.hops = hops;
                a.room_for(s.nhops);
            }
            if (a.ops->on_ack)
                a.ops->on_ack(a.state(), a.params(), now, &ack, &a.out);
            break;
        case 3:
            if (a.ops->on_cnp)
                a.ops->on_cnp(a.state(), a.params(), now, &a.out);
            break;
        case 4:
            if (a.ops->on_rto)
                a.ops->on_rto(a.state(), a.params(), now, &a.out);
            break;
        case 5: // of a grant before, or of what was asked for; of a queue
            if (needs & WEFT_CC_NEEDS_SUPPLY) {
                const weft_cc_warning w = {s.gap_ps, s.qlen_bytes, hops[s.nhops % 3].rate_bps};
                a.ops->supply->warned(a.state(), a.params(), now, &w, &a.out);
            }
            if (!(needs & WEFT_CC_NEEDS_CREDIT))
                break;
            if (!s.nack)
                granted = a.ops->credit->wanted(a.state(), a.params(), s.qlen_bytes);
            a.ops->credit->granted(a.state(), a.params(), now, granted, &a.out);
            break;
        default:
            if (a.ops->on_timer && a.out.timer_at_ps <= now)
                a.ops->on_timer(a.state(), a.params(), now, &a.out);
        }
        check(now);
    }
    return now;
}

} // namespace weft_test

#endif
