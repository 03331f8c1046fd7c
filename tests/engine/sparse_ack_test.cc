// SPDX-License-Identifier: GPL-2.0-only
// ACKs for several packets: how many there are, what they tell, bitmaps against a set of numbers.
#include "once.h"
#include "world.h"

#include "base/rng.h"
#include "ns3-module/engine/transport/psn_set.h"

#include <set>

namespace
{

const Settings kFrames{{"transport.mtu", "4096B"},     {"transport.header", "64B"},
                       {"transport.ack-frame", "64B"}, {"transport.gap", "0B"},
                       {"transport.recovery", "rud"},  {"transport.rto", "200us"}};

Settings With(Settings more)
{
    more.insert(more.begin(), kFrames.begin(), kFrames.end());
    return more;
}

uint64_t Acks(const World &w)
{
    return w.Totals().sent[WEFT_PKT_ACK];
}

} // namespace

// 512 packets of 4,160 bytes: the first, then one in four (16,640 bytes of 16,384), the last of
// them asked for: 1 + 127 and the last three. uet-htsim has 129, too.
TEST(SparseAck, OnePerSixteenKilobytes)
{
    World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            With({{"transport.ack-every-bytes", "16KiB"}}));
    w.Build();
    w.Send(0, 1, 2097152);
    w.Run();
    ExpectAllOnceInOrder(w, "one flow");
    EXPECT_EQ(Acks(w), 129u);
    w.Send(0, 1, 4096); /* the last packet of a message is always acknowledged */
    w.Run();
    EXPECT_EQ(Acks(w), 130u);
}

// Marked packets are acknowledged one by one.
TEST(SparseAck, MarksAreToldAtOnce)
{
    World w("single-switch", {{"hosts", "3"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            With({{"transport.ack-every-bytes", "16KiB"},
                  {"ecn.scale-rate", "0"},
                  {"ecn.kmin", "1B"},
                  {"ecn.kmax", "1B"},
                  {"ecn.pmax", "1"}}),
            "nscc");
    w.Build();
    w.Send(0, 2, 400000);
    w.Send(1, 2, 400000);
    w.Run();
    ExpectAllOnceInOrder(w, "marks");
    EXPECT_GT(w.Totals().ecn_marks, 100u);
    EXPECT_GE(Acks(w), w.Totals().ecn_marks);
    EXPECT_LT(Acks(w), w.Totals().sent[WEFT_PKT_DATA]);
}

// A packet is lost; those behind it are told by bitmaps, so that the timer sends only that one
// again, and the ACK that was asked for behind the gap comes when it is closed.
TEST(SparseAck, OnlyWhatIsLostIsSentAgain)
{
    for (const char *bytes : {"0B", "16KiB"}) {
        World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}},
                With({{"transport.ack-every-bytes", bytes}}));
        bool lost = false;
        w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
            const bool yes = !lost && v.kind == WEFT_PKT_DATA && v.psn == 100;
            lost |= yes;
            return yes;
        };
        w.Build();
        w.Send(0, 1, 2097152);
        w.Run();
        ExpectAllOnceInOrder(w, bytes);
        EXPECT_TRUE(lost);
        EXPECT_EQ(w.Totals().retx_packets, 1u) << bytes;
        EXPECT_EQ(w.Totals().rtos, 1u) << bytes;
    }
}

TEST(SparseAck, BitsOfASet)
{
    weft_rng rng = weft_rng_stream(1, "test-bits", 0);
    psn_set s = {0, 0, 0, nullptr};
    std::set<uint64_t> model;
    uint64_t base = 0;
    for (int i = 0; i < 20000; i++) {
        const uint64_t psn = base + weft_rng_u64(&rng) % 300;
        ASSERT_TRUE(psn_set_add(&s, psn));
        model.insert(psn);
        if (i % 7 == 0) {
            base += weft_rng_u64(&rng) % 40;
            psn_set_rise(&s, base);
            model.erase(model.begin(), model.lower_bound(base));
        }
        const uint64_t back = weft_rng_u64(&rng) % 100;
        const uint64_t from = base + weft_rng_u64(&rng) % 900 - (back < base ? back : 0);
        uint64_t want = 0;
        for (auto it = model.lower_bound(from); it != model.end() && *it - from < 64; ++it)
            want |= UINT64_C(1) << (*it - from);
        ASSERT_EQ(psn_set_from(&s, from), want) << base << " " << from;
    }
    psn_set_free(&s);
}
