// SPDX-License-Identifier: GPL-2.0-only
// MP-RDMA's window with numbers worked out by hand: packets of 1000 bytes, a BDP of 100 of them.
#include "algo.h"
#include "congestion/cc_table.h"

using namespace weft_test;

namespace
{

const weft_cc_ops *const kMpRdma = weft_cc_find("mprdma", nullptr);

struct MpRdma : Algo {
    explicit MpRdma(Settings s = {}, bool trims = false) : Algo(kMpRdma, s, Env(trims))
    {
        EXPECT_EQ(why_not(), "");
        init();
    }
    static weft_cc_env Env(bool trims)
    {
        weft_cc_env env = default_env();
        env.trims = trims;
        return env;
    }
    void step(bool mark, uint64_t n = 1000, uint64_t flight = 100000)
    {
        una += n;
        weft_cc_ack a = ack_of(una, una + flight, n);
        a.ecn_echo = mark;
        ack(1, a);
    }
    void nack(uint64_t trimmed = 0)
    {
        weft_cc_ack a = ack_of(una, una + 100000, 0);
        a.nack = true;
        a.trimmed_bytes = trimmed;
        ack(1, a);
    }
    double cwnd() const
    {
        return observed(0);
    }
    uint64_t una = 0;
};

} // namespace

TEST(MpRdma, BeginsWithABandwidthDelayProduct)
{
    MpRdma a, b(Algo::Settings{{"first-window", "0.2"}});
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_EQ(b.out.cwnd_bytes, 20000u);
}

TEST(MpRdma, AnAckAddsOneOverTheWindowAndAMarkTakesHalfAPacket)
{
    MpRdma a;
    a.step(false);
    EXPECT_DOUBLE_EQ(a.cwnd(), 100010.0); // 100 + 1/100 packets
    a.step(true);
    EXPECT_DOUBLE_EQ(a.cwnd(), 99510.0);
    a.step(true, 4000); // four packets
    EXPECT_DOUBLE_EQ(a.cwnd(), 97510.0);
    a.step(false, 2000);
    EXPECT_DOUBLE_EQ(a.cwnd(), 97510 + 1000 * 2000 / 97510.0);
    for (int i = 0; i < 300; i++)
        a.step(true);
    EXPECT_EQ(a.cwnd(), 1000.0) << "a packet at least";
    EXPECT_EQ(a.out.cwnd_bytes, 1000u);
}

TEST(MpRdma, AWindowThatIsNotInUseStays)
{
    MpRdma a;
    a.step(false, 1000, 97999);
    EXPECT_EQ(a.cwnd(), 100000.0);
    a.step(false, 1000, 98001);
    EXPECT_EQ(a.cwnd(), 100010.0);
}

TEST(MpRdma, IsBounded)
{
    MpRdma a({{"first-window", "3"}, {"max-window", "1.2"}});
    EXPECT_EQ(a.cwnd(), 120000.0);
    a.step(false, 1000, 120000);
    EXPECT_EQ(a.cwnd(), 120000.0);
}

TEST(MpRdma, LossHalvesOncePerRoundTripAndATrimCostsItsSize)
{
    MpRdma a;
    a.step(true, 0);
    a.nack();
    EXPECT_EQ(a.cwnd(), 50000.0);
    a.nack();
    a.rto(1);
    EXPECT_EQ(a.cwnd(), 50000.0) << "within the round trip";
    a.step(true, 100000); // up to what was sent then, and marks
    EXPECT_EQ(a.cwnd(), 1000.0);
    MpRdma b;
    b.step(true, 0);
    b.rto(1);
    b.step(true, 0);
    EXPECT_EQ(b.cwnd(), 50000.0);
    b.step(true, 100001, 0);
    b.rto(1);
    EXPECT_EQ(b.cwnd(), 1000.0) << "a round trip later";
    MpRdma c({}, true);
    c.nack(1000);
    EXPECT_EQ(c.cwnd(), 99000.0);
    c.nack();
    EXPECT_EQ(c.cwnd(), 99000.0) << "trims say what was lost";
    MpRdma d({{"trim-decrease", "0.25"}}, true);
    d.nack(1000);
    EXPECT_EQ(d.cwnd(), 99750.0);
}
