// SPDX-License-Identifier: GPL-2.0-only
// NSCC's equations with numbers worked out by hand. 100 Gbps, 12 us: BDP 150 kB, a 1; MTU 4160 with
// headers of no size; target 9 us, largest window 225 kB.
#include "algo.h"
#include "congestion/cc_credit.h"
#include "congestion/cc_table.h"

#include <tuple>

using namespace weft_test;

namespace
{

const weft_cc_ops *const kNscc = weft_cc_find("nscc", nullptr);
enum { CWND, AVERAGE, TARGET, RTT, BASE_RTT, PENDING, ACHIEVED, CREDIT, GRANTED };
constexpr uint64_t kMtu = 4160, kAcked = 16640; // an ACK of four packets
constexpr int64_t kT = 12 * kUs;

weft_cc_env Env(bool trims = true, uint64_t rateBps = 100 * kGbps)
{
    weft_cc_env env{};
    env.line_rate_bps = rateBps;
    env.base_rtt_ps = kT;
    env.bdp_bytes = rateBps / kGbps * 1500;
    env.mtu_bytes = env.mtu_wire_bytes = kMtu;
    env.trims = trims;
    return env;
}

/// A window is reached by trims, each of which takes its own size while quick adapt is not due.
struct Nscc : Algo {
    explicit Nscc(Settings s = {}, weft_cc_env env = Env()) : Algo(kNscc, s, env)
    {
        EXPECT_EQ(why_not(), "");
        init();
    }
    void start_at(uint64_t cwnd)
    {
        trim(0, static_cast<uint64_t>(observed(CWND)) - cwnd);
        ASSERT_EQ(observed(CWND), static_cast<double>(cwnd));
    }
    void step(int64_t now, bool mark, double delayUs, uint64_t n = kAcked)
    {
        weft_cc_ack a = ack_of(0, 0, n);
        a.flight_bytes = flight;
        a.ecn_echo = mark;
        a.rtt_ps = kT + static_cast<int64_t>(delayUs * static_cast<double>(kUs));
        ack(now, a);
    }
    void trim(int64_t now, uint64_t bytes = kMtu, bool lastHop = false)
    {
        weft_cc_ack a{};
        a.last_hop = lastHop;
        a.nack = true;
        a.trimmed_bytes = bytes;
        a.flight_bytes = flight;
        a.rtt_ps = 1;
        ack(now, a);
    }
    uint64_t flight = 0;
};

} // namespace

TEST(Nscc, BeginsWithTheLargestWindow)
{
    Nscc a;
    EXPECT_EQ(a.observed(CWND), 225000.0);
    EXPECT_EQ(a.observed(TARGET), 9.0 * kUs);
    EXPECT_EQ(a.out.cwnd_bytes, 225000u - kMtu + 1) << "a packet leaves if it fits as a whole";
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_EQ(Nscc({}, Env(false)).observed(TARGET), 12.0 * kUs) << "without trimming";
}

TEST(Nscc, FairIncreaseIsAppliedAfterEightPackets)
{
    Nscc a;
    a.start_at(100000);
    a.step(1, false, 10);
    EXPECT_EQ(a.observed(PENDING), 346112000 / 100000.0);
    a.step(2, false, 10);
    EXPECT_EQ(a.observed(CWND), 100000.0);
    a.step(3, false, 10); // 49920 > 33280
    EXPECT_EQ(a.observed(CWND), 110383.0);
    EXPECT_EQ(a.observed(PENDING), 0.0);
}

TEST(Nscc, ProportionalIncrease)
{
    Nscc a;
    a.start_at(100000);
    a.step(1, false, 4.5);
    EXPECT_DOUBLE_EQ(a.observed(PENDING), 103833600 / 100000.0);
    a.step(2, false, 4.5);
    a.step(3, false, 4.5);
    EXPECT_EQ(a.observed(CWND), 103115.0);
}

TEST(Nscc, FastIncreaseAfterAWindowWithoutDelay)
{
    Nscc a;
    a.start_at(50000);
    const double want[] = {50000, 50000, 62460, 66620, 70780, 74940};
    for (int i = 0; i < 6; i++) {
        a.step(i + 1, false, 0);
        EXPECT_EQ(a.observed(CWND), want[i]) << i;
    }
    a.step(8, false, 1); // any delay ends it
    EXPECT_EQ(a.observed(CWND), 74940.0);
    EXPECT_GT(a.observed(PENDING), 0.0);
}

TEST(Nscc, DecreaseByTheAverageOncePerRtt)
{
    Nscc a;
    a.start_at(200000);
    a.step(13 * kUs, false, 8.9, 0); // the eta of one period: 624
    EXPECT_EQ(a.observed(CWND), 200624.0);
    Nscc b;
    b.start_at(200000);
    b.step(13 * kUs, true, 13.5, 0); // w 1: the average is 13.5; 1 - 0.8 / 3; then the eta
    EXPECT_EQ(b.observed(AVERAGE), 13.5 * kUs);
    EXPECT_EQ(b.observed(CWND), 146666.0 + 624);
    b.step(13 * kUs + 1, true, 36, 0);
    EXPECT_EQ(b.observed(CWND), 146666.0 + 624) << "within a base RTT";
    Nscc c;
    c.start_at(200000);
    c.step(13 * kUs, true, 36, 0); // 1 - 0.8 * 0.75 = 0.4, at least 0.5
    EXPECT_EQ(c.observed(CWND), 100000.0 + 624);
    Nscc d;
    d.start_at(200000);
    d.step(11 * kUs, true, 8.9);
    EXPECT_EQ(d.observed(CWND), 200000.0) << "a mark below the target is the load balancer's job";
}

TEST(Nscc, ATrimCostsItsSizeAndQuickAdaptGoesToWhatWasAchieved)
{
    for (const auto &[achieved, want] : {std::pair<uint64_t, double>{20000, 20000},
                                         {28124, 28124},
                                         {28125, 225000 - kMtu},
                                         {30000, 225000 - kMtu}}) {
        Nscc a;
        a.step(1, true, 0, 0); // begins the first period, which lasts 21 us
        a.step(2, true, 0, achieved);
        a.flight = 50000;
        a.trim(21 * kUs + 1);
        EXPECT_EQ(a.observed(CWND), want) << achieved;
        if (want > 100000)
            continue;
        a.trim(21 * kUs + 2); // ignored: 50 kB were in flight
        a.step(40 * kUs, true, 36, 40000);
        EXPECT_EQ(a.observed(CWND), want);
        a.step(41 * kUs, true, 36, 40000); // over 50 kB since
        EXPECT_EQ(a.observed(CWND), want / 2 + 624) << "marks count again";
    }
}

TEST(Nscc, ATrimBeforeTheFirstPeriodIsOverTakesItsSize)
{
    Nscc a;
    a.trim(1);
    EXPECT_EQ(a.observed(CWND), 225000.0 - kMtu);
    for (int i = 0; i < 1000; i++)
        a.trim(2 + i);
    EXPECT_EQ(a.observed(CWND), double(kMtu)) << "never below one packet";
    EXPECT_EQ(a.out.cwnd_bytes, kMtu);
}

TEST(Nscc, LossWithoutTrimmingCostsAnMtuPerRtt)
{
    Nscc a({}, Env(false));
    a.rto(1);
    a.rto(2);
    weft_cc_ack k = ack_of(0, 0, 0);
    k.nack = true;
    a.ack(3, k);
    EXPECT_EQ(a.observed(CWND), 225000.0 - kMtu);
    a.ack(13 * kUs, k);
    EXPECT_EQ(a.observed(CWND), 225000.0 - 2 * kMtu);
}

TEST(Nscc, AveragesOverAcksAsHtsimDoes)
{
    Nscc a(Algo::Settings{{"average", "acks"}});
    for (int i = 0; i < 80; i++)
        a.step(1, true, 10, 0);
    EXPECT_NEAR(a.observed(AVERAGE), 6.34 * kUs, 0.01 * kUs);
    Nscc b({{"average", "acks"}, {"average-weight", "1"}});
    b.step(1, false, 10, 0); // above the target without mark: the queue has gone
    EXPECT_EQ(b.observed(AVERAGE), 3.0 * kUs);
}

// At 800 Gbps the increase of one period is 8 * 20800 * 8 * 4160 * 8: far beyond 32 bits.
TEST(Nscc, IncreasesDoNotWrapAtHighRates)
{
    Nscc a({{"adjust-packets", "64"}}, Env(true, 800 * kGbps));
    EXPECT_EQ(a.observed(CWND), 1800000.0);
    a.start_at(600000);
    double pending = 0;
    for (int i = 1; i <= 16; i++) {
        a.step(i, false, 10);
        EXPECT_NEAR(a.observed(PENDING) - pending, 166400.0 * kAcked / 600000, 1e-6);
        pending = a.observed(PENDING);
    }
    a.step(17, false, 10);
    EXPECT_EQ(a.observed(CWND), 600000.0 + 17 * kAcked * 166400 / 600000);
}

TEST(Nscc, LearnsTheBaseRttIfAsked)
{
    Nscc a(Algo::Settings{{"learn-base-rtt", "true"}});
    a.step(1, false, -6);
    EXPECT_EQ(a.observed(BASE_RTT), 6.0 * kUs);
    EXPECT_EQ(a.observed(CWND), 112500.0) << "the largest window follows";
    Nscc b;
    b.step(1, false, -6);
    EXPECT_EQ(b.observed(BASE_RTT), 12.0 * kUs);
}

TEST(Nscc, ARoundTripThatIsNoSampleTeachesNothing)
{
    for (const char *how : {"stop", "average"}) {
        Nscc a(Algo::Settings{{"learn-base-rtt", "true"}, {"no-sample", how}});
        a.step(1, false, 4);
        const double average = a.observed(AVERAGE);
        EXPECT_GT(average, 0);
        const double pending = a.observed(PENDING);
        weft_cc_ack ack = {};
        ack.received_bytes = kMtu;
        ack.rtt_ps = 4 * kUs;
        ack.probe = true; // it overtook the data
        a.ack(2, ack);
        EXPECT_EQ(a.observed(BASE_RTT), 12.0 * kUs) << how;
        EXPECT_EQ(a.observed(AVERAGE), average) << how;
        ack.rtt_ps = 100 * kUs;
        ack.probe = false;
        ack.unsure = true;
        a.ack(3, ack);
        EXPECT_EQ(a.observed(AVERAGE), average) << how;
        EXPECT_EQ(a.observed(PENDING) > pending, how == std::string("average")) << how;
    }
}

TEST(Nscc, ATrimmedPacketLowersTheBaseRttIfAsked)
{
    for (const auto &[learns, trims, want] : {std::tuple("true", "true", 1.0),
                                              {"true", "false", 12.0 * kUs},
                                              {"false", "true", 12.0 * kUs}}) {
        Nscc a(Algo::Settings{{"learn-base-rtt", learns}, {"learn-from-trims", trims}});
        a.trim(1); /* after a round trip of 1 ps */
        EXPECT_EQ(a.observed(BASE_RTT), want) << learns << trims;
    }
}

// Frames of 4160 bytes with 4096 of payload: the window is in frames, the NIC counts payload.
TEST(Nscc, WindowsAreInFramesAndHandedOnAsPayload)
{
    weft_cc_env env = Env();
    env.mtu_bytes = 4096;
    Nscc a({}, env);
    EXPECT_EQ(a.observed(CWND), 225000.0);
    EXPECT_EQ(a.out.cwnd_bytes, 221538u - 4095); // floor(225000 * 4096 / 4160)
    a.step(1, true, 0, 4096);
    EXPECT_EQ(a.observed(ACHIEVED), 0.0);
    a.step(2, true, 0, 4096);
    EXPECT_EQ(a.observed(ACHIEVED), 4160.0);
    Nscc payload(Algo::Settings{{"mtu-basis", "payload"}}, env);
    payload.step(1, false, 10, 4096);
    EXPECT_NEAR(payload.observed(PENDING), 5.0 * 4096 * 4160 / 225000, 1e-6);
}

// Window 225,000 of which a packet may use 220,841; credit 225,000 that the first answer ends.
TEST(Nscc, WithCreditBothBound)
{
    Nscc a(Algo::Settings{{"credit", "true"}});
    EXPECT_EQ(a.observed(CREDIT), 225000.0);
    EXPECT_EQ(a.out.cwnd_bytes, 225000u - kMtu + 1);
    a.sent(0, kMtu);
    EXPECT_EQ(a.out.cwnd_bytes, 225000u - kMtu + 1) << "credit is left";
    a.step(1, false, 0, kMtu);
    EXPECT_EQ(a.observed(CREDIT), 0.0);
    EXPECT_EQ(a.out.cwnd_bytes, 0u) << "the window alone is not enough";
    a.ops->credit->granted(a.state(), a.params(), 2, 16384, &a.out);
    EXPECT_EQ(a.observed(CREDIT), 16384.0);
    EXPECT_EQ(a.observed(GRANTED), 16384.0);
    EXPECT_EQ(a.out.cwnd_bytes, 225000u - kMtu + 1);
    for (int i = 0; i < 4; i++)
        a.sent(3, kMtu);
    EXPECT_EQ(a.observed(CREDIT), -256.0);
    EXPECT_EQ(a.out.cwnd_bytes, 0u);
}

TEST(Nscc, AsksForNoMoreCreditThanItsWindowAndAPacket)
{
    const auto wanted = [](Nscc &a, uint64_t backlog) {
        return a.ops->credit->wanted(a.state(), a.params(), backlog);
    };
    Nscc a(Algo::Settings{{"credit", "true"}});
    a.start_at(50000); // the NACK ends the first credit
    EXPECT_EQ(a.observed(CREDIT), 0.0);
    EXPECT_EQ(wanted(a, 1u << 20), 54272u) << "50,000 + 4,160: 212 quanta";
    EXPECT_EQ(wanted(a, 40000), 40192u) << "157 quanta";
    a.ops->credit->granted(a.state(), a.params(), 2, 16384, &a.out);
    EXPECT_EQ(wanted(a, 1u << 20), 16384u + 37888) << "37,776 more: 148 quanta";
    EXPECT_EQ(a.signals().data_bytes, 4u);
    EXPECT_EQ(Nscc().signals().data_bytes, 0u);
}

TEST(Nscc, WithCreditATrimAtTheLastHopCostsNothing)
{
    for (const bool credit : {false, true}) {
        Nscc a(Algo::Settings{{"credit", credit ? "true" : "false"}});
        a.trim(1, kMtu, true);
        EXPECT_EQ(a.observed(CWND), credit ? 225000.0 : 225000.0 - kMtu);
        a.trim(2, kMtu, false);
        EXPECT_EQ(a.observed(CWND), credit ? 225000.0 - kMtu : 225000.0 - 2 * kMtu);
        Nscc b(Algo::Settings{{"credit", credit ? "true" : "false"}});
        b.step(1, true, 0, 0); // begins the first period, which lasts 21 us
        b.trim(21 * kUs + 1, kMtu, true);
        EXPECT_EQ(b.observed(CWND), credit ? 225000.0 : double(kMtu)) << "quick adapt";
    }
}
