// SPDX-License-Identifier: GPL-2.0-only
// What a failed spine costs: nothing at half load, and its share of the capacity where that binds.
#include "world.h"

#include "base/rng.h"
#include "congestion/cc_switch.h"

#include <cmath>

namespace
{

const uint32_t kHosts = 16, kSpine0 = 20;
const Settings kClos = {{"leaves", "4"},
                        {"spines", "4"},
                        {"hosts-per-leaf", "4"},
                        {"host-rate", "100Gbps"},
                        {"uplink-rate", "100Gbps"}};

void SetSpine(World &w, bool up)
{
    std::vector<weft_link_change> list;
    for (uint32_t l = 0; l < w.fabric->nlinks; l++)
        if (w.fabric->links[l].b == kSpine0) {
            weft_link_change c = {};
            c.link = l;
            c.kind = up ? WEFT_LINK_UP : WEFT_LINK_DOWN;
            list.push_back(c);
        }
    ASSERT_EQ(list.size(), 4u);
    weft_err err = {};
    ASSERT_EQ(weft_engine_change_links(w.e, list.data(), list.size(), &err), 0) << err.msg;
}

void RunTo(World &w, int64_t t)
{
    weft_err err = {};
    ASSERT_EQ(weft_engine_run(w.e, t), 0) << weft_engine_error(w.e)->msg;
    ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
    weft_engine_set_now(w.e, t);
}

// Messages of 16 KiB whose last byte arrived within a window.
double ReceivedWithin(const World &w, int64_t from, int64_t to)
{
    double n = 0;
    for (auto &d : w.received)
        n += d.received_ps >= from && d.received_ps < to;
    return n;
}

} // namespace

// Hosts of 400 Gbps keep four uplinks of 100 Gbps per leaf full with many flows, each to the next
// leaf, so that every uplink has more to carry than it can, however the hash spreads the flows.
// Without one spine three quarters of the capacity are left, and of the traffic that gets through;
// all of it is back with the spine.
TEST(Failure, AFailedSpineTakesItsQuarterOfTheCapacity)
{
    Settings clos = kClos;
    clos[3].second = "400Gbps";
    World w("leaf-spine", clos, {{"transport.rto", "200us"}}, "static-window",
            {{"window", "8KiB"}});
    w.Build();
    const int64_t ms = WEFT_PS_PER_MS;
    const uint64_t qps = 64, messages = 20; // 20 MiB per host and 100 Gbps: 1.8 ms
    for (uint64_t m = 0; m < messages; m++)
        for (uint32_t h = 0; h < kHosts; h++)
            for (uint32_t q = 0; q < qps; q++) {
                weft_err err = {};
                weft_msg msg = {h, (h + 4) % kHosts, 16384, m, 0, UINT32_MAX, q};
                ASSERT_EQ(weft_engine_send(w.e, &msg, nullptr, &err), 0) << err.msg;
            }
    RunTo(w, ms / 2);
    SetSpine(w, false);
    RunTo(w, ms);
    SetSpine(w, true);
    RunTo(w, 3 * ms / 2);
    const double before = ReceivedWithin(w, ms / 4, ms / 2),
                 during = ReceivedWithin(w, 3 * ms / 4, ms),
                 after = ReceivedWithin(w, 5 * ms / 4, 3 * ms / 2);
    // A quarter of a millisecond at 100 Gbps per host, which ACKs of the other direction share.
    const double line = kHosts * 0.25e-3 * 100e9 / 8 / 16384 * 4096 / (4178 + 86);
    EXPECT_NEAR(before, line, 0.01 * line);
    EXPECT_NEAR(during / before, 0.75, 0.01);
    EXPECT_NEAR(after / before, 1, 0.01);
    EXPECT_GT(w.Totals().drops[WEFT_DROP_LINK], 0u);
    w.Run();
    EXPECT_EQ(w.received.size(), kHosts * qps * messages);
    EXPECT_EQ(w.acked.size(), kHosts * qps * messages);
}

// Messages of 64 KiB come at random times so that hosts send at half of their rate. The spine fails
// in the middle: every message completes, and as many get through as are offered.
TEST(Failure, AtHalfLoadEveryMessageCompletes)
{
    for (const char *recovery : {"go-back-n", "selective-repeat"})
        for (const char *cc : {"none", "dcqcn", "hpcc"}) {
            SCOPED_TRACE(std::string(recovery) + " " + cc);
            World w("leaf-spine", kClos,
                    {{"transport.recovery", recovery}, {"transport.rto", "200us"}}, cc);
            w.Build();
            weft_rng rng = weft_rng_stream(1, "arrivals", 0);
            const int64_t end = 2 * WEFT_PS_PER_MS;
            const double gapPs = 65536 * 80.0 / 0.5 / kHosts; // of the whole fabric
            uint64_t posted = 0;
            double t = 0;
            bool failed = false;
            for (;;) {
                t += -std::log(1 - weft_rng_f64(&rng)) * gapPs;
                if (!failed && t > static_cast<double>(end) / 2) {
                    RunTo(w, end / 2);
                    SetSpine(w, false);
                    failed = true;
                }
                if (t >= static_cast<double>(end))
                    break;
                RunTo(w, static_cast<int64_t>(t));
                const auto src = static_cast<uint32_t>(weft_rng_below(&rng, kHosts));
                const auto dst =
                    static_cast<uint32_t>((src + 1 + weft_rng_below(&rng, kHosts - 1)) % kHosts);
                w.Send(src, dst, 65536, posted++);
            }
            w.Run();
            EXPECT_GT(posted, 2500u);
            EXPECT_EQ(w.received.size(), posted);
            EXPECT_EQ(w.acked.size(), posted);
            EXPECT_EQ(w.Totals().drops[WEFT_DROP_HEADROOM] + w.Totals().drops[WEFT_DROP_BUFFER],
                      0u);
            EXPECT_LT(weft_engine_now(w.e), 2 * end)
                << "what is offered gets through without a backlog";
        }
}

// The states of QPs have room for the stamps of their paths. Two links of a ring of hosts fail one
// after the other's repair, so that packets go the long way round: decisions are those with room
// for all stamps from the start.
TEST(Failure, StampsOfALongerPathFindRoom)
{
    for (const char *cc : {"hpcc", "powertcp"}) {
        SCOPED_TRACE(cc);
        static const weft_cc_ops *own;
        own = weft_cc_find(cc, nullptr);
        weft_cc_ops whole = *own;
        whole.signals = [](const void *params, weft_cc_signals *out) {
            own->signals(params, out);
            out->head_bytes = 0;
        };
        std::vector<std::vector<int64_t>> acked;
        std::vector<uint64_t> bytes;
        for (const weft_cc_ops *ops : {own, const_cast<const weft_cc_ops *>(&whole)}) {
            World w("ring", {{"size", "12"}}, {{"transport.rto", "100us"}}, cc);
            w.config.cc = ops;
            w.Build();
            for (uint32_t h = 0; h < 12; h++)
                for (uint32_t d : {2u, 3u, 5u})
                    w.Send(h, (h + d) % 12, 2000000, h);
            weft_err err = {};
            const auto note = [&] {
                weft_memory_figures memory = {};
                weft_engine_memory(w.e, &memory);
                bytes.push_back(memory.qp_bytes);
            };
            note();
            int64_t t = 0;
            for (uint32_t link : {3u, 7u})
                for (bool up : {false, true}) {
                    RunTo(w, t += 50 * WEFT_PS_PER_US);
                    ASSERT_EQ(SetLink(w.e, link, up, &err), 0) << err.msg;
                }
            w.Run();
            EXPECT_GT(w.Totals().drops[WEFT_DROP_LINK], 0u);
            acked.emplace_back();
            for (auto &d : w.acked)
                acked.back().push_back(d.acked_ps);
            note();
        }
        EXPECT_EQ(acked[0].size(), 36u);
        EXPECT_EQ(acked[0], acked[1]);
        EXPECT_LT(bytes[0] + 36 * 8 * sizeof(weft_cc_hop), bytes[2]);
        EXPECT_GT(bytes[1] - bytes[0], bytes[3] - bytes[2]) << "what loss takes is the same";
    }
}
