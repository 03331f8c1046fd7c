// SPDX-License-Identifier: GPL-2.0-only
// mode=hpcc against models of the HPCC simulator's handlers, written from their description in
// whole nanoseconds and whole bit/s, over random ACKs.
#include "algo.h"

#include "congestion/pint_code.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_table.h"

#include <rapidcheck/gtest.h>

#include <algorithm>

using namespace weft_test;

namespace
{

constexpr uint64_t kLine = 100 * kGbps, kMin = 1 * kGbps;
constexpr uint64_t kBdp = 78000;
constexpr uint64_t kRttNs = 6240;

uint64_t bounded(uint64_t rate)
{
    return std::clamp(rate, kMin, kLine);
}
uint64_t scaled(uint64_t rate, double factor)
{
    const double r = static_cast<double>(rate) * factor;
    return r >= 1e18 ? static_cast<uint64_t>(1e18) : static_cast<uint64_t>(r);
}

struct Hop {
    uint64_t ts_ns, units, qlen; // bytes in 512 B, queue in 320 B
};

struct Hpcc {
    uint64_t rate = kLine, ref = kLine, last = 0;
    double u = 1;
    std::vector<Hop> old;
    void react(uint64_t nxt, bool full, double util)
    {
        rate = bounded(scaled(ref, 1 / (util / 0.95)) + 40000000);
        if (full)
            ref = rate;
        if (full)
            last = std::max(last, nxt);
    }
    void ack(uint64_t una, uint64_t nxt, const std::vector<Hop> &now)
    {
        const bool full = una > last;
        if (last == 0) {
            last = nxt;
            old = now;
            return;
        }
        double top = 0;
        uint64_t dt = 0;
        for (size_t i = 0; i < now.size(); i++) {
            const uint64_t tau = now[i].ts_ns - old[i].ts_ns;
            const double tx =
                static_cast<double>((now[i].units - old[i].units) * 512 * 8) / (tau * 1e-9);
            const double x =
                tx / kLine + static_cast<double>(std::min(now[i].qlen, old[i].qlen) * 320) / kBdp;
            if (x > top) {
                top = x;
                dt = tau;
            }
        }
        old = now;
        dt = std::min(dt, kRttNs);
        u = (u * static_cast<double>(kRttNs - dt) + top * static_cast<double>(dt)) / kRttNs;
        react(nxt, full, u);
    }
};

struct Timely {
    uint64_t rate = kLine, last = 0, rtt = 0, stage = 0;
    double diff = 0;
    void ack(uint64_t una, uint64_t nxt, uint64_t now_rtt)
    {
        if (una <= last)
            return;
        if (last) {
            diff = 0.125 * diff + 0.875 * (static_cast<double>(now_rtt) - static_cast<double>(rtt));
            const double gradient = diff / 20000;
            if (now_rtt < 50000 || (now_rtt <= 500000 && gradient <= 0)) {
                rate = std::min(kLine, rate + (stage < 5 ? 100000000 : 500000000));
                stage++;
            } else {
                const double c = now_rtt > 500000
                                     ? 1 - 0.8 * (1 - 500000.0 / static_cast<double>(now_rtt))
                                     : std::max(0.0, 1 - 0.8 * gradient);
                rate = std::max(kMin, scaled(rate, c));
                stage = 0;
            }
        }
        last = nxt;
        rtt = now_rtt;
    }
};

struct Dctcp {
    uint64_t rate = kLine, last = 0, high = 0, marks = 0, batch = 0;
    double alpha = 1;
    bool cut = false;
    void ack(uint64_t una, uint64_t nxt, bool mark)
    {
        marks += mark;
        const bool full = una > last;
        if (full) {
            if (last == 0) {
                batch = nxt / 1000 + 1;
            } else {
                alpha = alpha * 15 / 16 +
                        std::min(1.0, static_cast<double>(marks) / static_cast<double>(batch)) / 16;
                marks = 0;
                batch = (nxt - una) / 1000 + 1;
            }
            last = nxt;
        }
        if (una > high)
            cut = false;
        if (mark && !cut) {
            rate = std::max(kMin, scaled(rate, 1 - alpha / 2));
            cut = true;
            high = nxt;
        }
        if (!cut && full)
            rate = std::min(kLine, rate + 615000000);
    }
};

/// One ACK of a sender that keeps up to `flight` packets in flight.
struct Ack {
    uint64_t flight, rtt_ns;
    bool mark;
    std::vector<unsigned> gap_ns, tx, qlen; // per hop
    uint16_t code;
};

rc::Gen<Ack> any_ack()
{
    const auto hops = [](unsigned lo, unsigned hi) {
        return rc::gen::container<std::vector<unsigned>>(3, rc::gen::inRange(lo, hi));
    };
    return rc::gen::build<Ack>(rc::gen::set(&Ack::flight, rc::gen::inRange<uint64_t>(1, 100)),
                               rc::gen::set(&Ack::rtt_ns, rc::gen::inRange<uint64_t>(6240, 700000)),
                               rc::gen::set(&Ack::mark), rc::gen::set(&Ack::gap_ns, hops(1, 9000)),
                               rc::gen::set(&Ack::tx, hops(1048, 100000)),
                               rc::gen::set(&Ack::qlen, hops(0, 200000)),
                               rc::gen::set(&Ack::code, rc::gen::inRange<uint16_t>(0, 1400)));
}

weft_cc_env env()
{
    weft_cc_env e = default_env();
    e.base_rtt_ps = kRttNs * WEFT_PS_PER_NS;
    e.bdp_bytes = kBdp;
    return e;
}

/// Plays random ACKs; `one` feeds the model and returns its rate.
template <typename One> void compare(const char *name, Algo::Settings settings, One one)
{
    settings.emplace_back("mode", "hpcc");
    settings.emplace_back("min-rate", "1Gbps");
    Algo a(weft_cc_find(name, nullptr), settings, env());
    RC_ASSERT(a.why_not().empty());
    a.init();
    uint64_t una = 0;
    std::vector<weft_cc_hop> hops(3, weft_cc_hop{1000000, 0, 0, kLine});
    for (const Ack &k : *rc::gen::container<std::vector<Ack>>(any_ack())) {
        una += 1000;
        weft_cc_ack ack = ack_of(una, una + 1000 * k.flight);
        ack.rtt_ps = static_cast<int64_t>(k.rtt_ns) * WEFT_PS_PER_NS;
        ack.ecn_echo = k.mark;
        ack.pint = k.code;
        for (size_t i = 0; i < 3; i++) {
            hops[i].ts_ps += k.gap_ns[i] * WEFT_PS_PER_NS;
            hops[i].tx_bytes += k.tx[i];
            hops[i].qlen_bytes = k.qlen[i];
        }
        ack.nhops = 3;
        ack.hops = hops.data();
        a.ack(0, ack);
        const uint64_t want = one(ack, k);
        const uint64_t diff = std::max(want, a.out.rate_bps) - std::min(want, a.out.rate_bps);
        RC_ASSERT(diff <= 1000u); // 1e-8 of the line rate: roundings before truncation accumulate
        if (a.out.cwnd_bytes != UINT64_MAX) {
            RC_ASSERT(a.out.cwnd_bytes == std::max<uint64_t>(1000, kBdp * a.out.rate_bps / kLine));
        }
    }
}

} // namespace

RC_GTEST_PROP(Simulator, Hpcc, ())
{
    Hpcc m;
    compare("hpcc", {{"max-stage", "0"}, {"int-multi", "4"}},
            [&m](const weft_cc_ack &a, const Ack &) {
                std::vector<Hop> now;
                for (uint32_t i = 0; i < a.nhops; i++)
                    now.push_back({static_cast<uint64_t>(a.hops[i].ts_ps) / 1000,
                                   a.hops[i].tx_bytes / 512, a.hops[i].qlen_bytes / 320});
                m.ack(a.una_bytes, a.nxt_bytes, now);
                return m.rate;
            });
}

RC_GTEST_PROP(Simulator, HpccPint, ())
{
    Hpcc m;
    compare("hpcc-pint", {{"max-stage", "0"}, {"log-base", "1.01"}},
            [&m](const weft_cc_ack &a, const Ack &) {
                if (m.last == 0)
                    m.last = a.nxt_bytes;
                else
                    m.react(a.nxt_bytes, a.una_bytes > m.last, weft_pint_decode(a.pint, 1.01));
                return m.rate;
            });
}

RC_GTEST_PROP(Simulator, Timely, ())
{
    Timely m;
    compare("timely",
            {{"t-low", "50us"},
             {"t-high", "500us"},
             {"min-rtt", "20us"},
             {"rate-ai", "100Mbps"},
             {"rate-hai", "500Mbps"}},
            [&m](const weft_cc_ack &a, const Ack &k) {
                m.ack(a.una_bytes, a.nxt_bytes, k.rtt_ns);
                return m.rate;
            });
}

RC_GTEST_PROP(Simulator, Dctcp, ())
{
    Dctcp m;
    compare("dctcp", {}, [&m](const weft_cc_ack &a, const Ack &k) {
        m.ack(a.una_bytes, a.nxt_bytes, k.mark);
        return m.rate;
    });
}
