// SPDX-License-Identifier: GPL-2.0-only
// What a failed spine costs: nothing at half load, and its share of the capacity where that binds.
#include "world.h"

#include "base/rng.h"

#include <cmath>

namespace
{

const uint32_t kHosts = 16, kSpine0 = 20;
const Settings kClos = {{"leaves", "4"},
                        {"spines", "4"},
                        {"hosts-per-leaf", "4"},
                        {"host-rate", "100Gbps"},
                        {"uplink-rate", "100Gbps"}};

void
SetSpine(World& w, bool up)
{
    std::vector<weft_link_change> list;
    for (uint32_t l = 0; l < w.fabric->nlinks; l++)
        if (w.fabric->links[l].b == kSpine0)
        {
            weft_link_change c = {};
            c.link = l;
            c.kind = up ? WEFT_LINK_UP : WEFT_LINK_DOWN;
            list.push_back(c);
        }
    ASSERT_EQ(list.size(), 4u);
    weft_err err = {};
    ASSERT_EQ(weft_engine_change_links(w.e, list.data(), list.size(), &err), 0) << err.msg;
}

void
RunTo(World& w, int64_t t)
{
    weft_err err = {};
    ASSERT_EQ(weft_engine_run(w.e, t), 0) << weft_engine_error(w.e)->msg;
    ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
    weft_engine_set_now(w.e, t);
}

// Messages of 16 KiB whose last byte arrived within a window.
double
ReceivedWithin(const World& w, int64_t from, int64_t to)
{
    double n = 0;
    for (auto& d : w.received)
        n += d.received_ps >= from && d.received_ps < to;
    return n;
}

} // namespace

// Every host keeps a host of the next leaf busy: 400 Gbps leave each leaf, sprayed over four uplinks of 100 Gbps.
// Without one spine three are left, so three quarters of the traffic get through; and all of it again
// when the spine is back.
TEST(Failure, AFailedSpineTakesItsQuarterOfTheCapacity)
{
    World w("leaf-spine", kClos,
            {{"switch.balance", getenv("BAL")?getenv("BAL"):"spray"}, {"transport.recovery", "selective-repeat"}, {"transport.bdp-fc", getenv("BDP")?getenv("BDP"):"false"}, {"transport.rto", "100us"}}, getenv("CC")?getenv("CC"):"none");
    w.Build();
    const int64_t ms = WEFT_PS_PER_MS;
    const uint64_t messages = 4096; // 64 MiB per host: 5.5 ms at line rate
    for (uint64_t m = 0; m < messages; m++)
        for (uint32_t h = 0; h < kHosts; h++)
            w.Send(h, (h + 4) % kHosts, 16384, m);
    RunTo(w, ms);
    SetSpine(w, false);
    RunTo(w, 3 * ms);
    SetSpine(w, true);
    w.Run();
    EXPECT_EQ(w.received.size(), kHosts * messages);
    EXPECT_EQ(w.acked.size(), kHosts * messages);
    EXPECT_GT(w.Totals().drops[WEFT_DROP_LINK], 0u);
    const double before = ReceivedWithin(w, ms / 2, ms), during = ReceivedWithin(w, 2 * ms, 5 * ms / 2),
                 after = ReceivedWithin(w, 4 * ms, 9 * ms / 2);
    // Half a millisecond at 100 Gbps: 381 messages per host less headers and ACKs.
    EXPECT_NEAR(before / kHosts, 0.5e-3 * 100e9 / 8 / 16384 * 4096 / (4178 + 86), 0.02 * before / kHosts);
    printf("before %g during %g after %g retx %lu\n", before/kHosts, during/before, after/before, w.Totals().retx_packets);
    EXPECT_NEAR(during / before, 0.75, 0.01);
    EXPECT_NEAR(after / before, 1, 0.01);
}

// Messages of 64 KiB come at random times so that hosts send at half of their rate. The spine fails
// in the middle: every message completes, and as many get through as are offered.
TEST(Failure, AtHalfLoadEveryMessageCompletes)
{
    for (const char* recovery : {"go-back-n", "selective-repeat"})
        for (const char* cc : {"none", "dcqcn", "hpcc"})
        {
            SCOPED_TRACE(std::string(recovery) + " " + cc);
            World w("leaf-spine", kClos, {{"transport.recovery", recovery}, {"transport.rto", "200us"}}, cc);
            w.Build();
            weft_rng rng = weft_rng_stream(1, "arrivals", 0);
            const int64_t end = 2 * WEFT_PS_PER_MS;
            const double gapPs = 65536 * 80.0 / 0.5 / kHosts; // of the whole fabric
            uint64_t posted = 0;
            double t = 0;
            bool failed = false;
            for (;;)
            {
                t += -std::log(1 - weft_rng_f64(&rng)) * gapPs;
                if (!failed && t > static_cast<double>(end) / 2)
                {
                    RunTo(w, end / 2);
                    SetSpine(w, false);
                    failed = true;
                }
                if (t >= static_cast<double>(end))
                    break;
                RunTo(w, static_cast<int64_t>(t));
                const auto src = static_cast<uint32_t>(weft_rng_below(&rng, kHosts));
                const auto dst = static_cast<uint32_t>((src + 1 + weft_rng_below(&rng, kHosts - 1)) % kHosts);
                w.Send(src, dst, 65536, posted++);
            }
            w.Run();
            EXPECT_GT(posted, 2500u);
            EXPECT_EQ(w.received.size(), posted);
            EXPECT_EQ(w.acked.size(), posted);
            EXPECT_EQ(w.Totals().drops[WEFT_DROP_HEADROOM] + w.Totals().drops[WEFT_DROP_BUFFER], 0u);
            EXPECT_LT(weft_engine_now(w.e), 2 * end) << "what is offered gets through without a backlog";
        }
}
