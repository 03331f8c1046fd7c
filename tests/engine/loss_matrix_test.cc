// SPDX-License-Identifier: GPL-2.0-only
// Every kind of frame lost at every position, under every loss recovery, with PFC: nothing hangs,
// nothing is delivered twice.
#include "once.h"

#include "base/rng.h"

namespace
{

struct Kind {
    const char *name;
    weft_pkt_kind kind;
    int pause; // PFC frames: 1 PAUSE, 0 RESUME; else -1
};
const Kind kKinds[] = {{"data", WEFT_PKT_DATA, -1}, {"ACK", WEFT_PKT_ACK, -1},
                       {"NACK", WEFT_PKT_NACK, -1}, {"CNP", WEFT_PKT_CNP, -1},
                       {"PAUSE", WEFT_PKT_PFC, 1},  {"RESUME", WEFT_PKT_PFC, 0}};

bool Is(const Kind &k, const weft_engine_pkt_view &v)
{
    return v.kind == k.kind && (k.pause < 0 || v.pause == k.pause);
}

// Sixteen senders into one receiver over a small lossless buffer; a pause time, so that a lost
// RESUME ends by itself.
struct Fight {
    explicit Fight(const std::string &recovery, uint64_t seed, const Settings &more = {})
        : w("single-switch", {{"hosts", "17"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            Merge(recovery, more), "dcqcn", {}, seed)
    {
    }
    static Settings Merge(const std::string &recovery, const Settings &more)
    {
        Settings s = {{"transport.recovery", recovery},
                      {"transport.chunk", "16KiB"},
                      {"transport.rto", "200us"},
                      {"transport.rto-low", "50us"},
                      {"transport.nack-interval", "20us"},
                      {"transport.retry-max", "0"},
                      {"transport.rto-backoff-max", "2"},
                      {"switch.buffer", "4MiB"},
                      {"pfc.quanta", "200"},
                      {"ecn.kmin", "20KB"},
                      {"ecn.kmax", "80KB"},
                      {"transport.bdp-fc", "false"}};
        s.insert(s.end(), more.begin(), more.end());
        return s;
    }
    void Play()
    {
        w.Build();
        for (uint32_t s = 0; s < 16; s++)
            for (uint32_t m = 0; m < 2; m++)
                w.Send(s, 16, 200000 + s * 1000 + m, s);
        w.Run();
    }
    World w;
};

} // namespace

TEST(LossMatrix, OneFrameOfEachKindAtManyPositions)
{
    for (const std::string recovery : kRecoveries)
        for (const Kind &kind : kKinds)
            for (uint64_t position : {0, 1, 2, 4, 7, 12, 20}) {
                if (kind.kind == WEFT_PKT_NACK && !HasNacks(recovery))
                    continue;
                Fight f(recovery, 1);
                uint64_t seen = 0, data = 0;
                bool lost = false;
                f.w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
                    // NACKs come of lost data only
                    if (kind.kind == WEFT_PKT_NACK && v.kind == WEFT_PKT_DATA)
                        return ++data % 60 == 0;
                    const bool yes = !lost && Is(kind, v) && seen++ == position;
                    lost |= yes;
                    return yes;
                };
                f.Play();
                const std::string what =
                    recovery + " losing " + kind.name + " number " + std::to_string(position);
                ExpectAllOnceInOrder(f.w, what);
                EXPECT_TRUE(lost) << what;
                if (HasFailure())
                    return;
            }
}

// The last frames of a run are the ones that nothing follows: all frames of a kind from a position
// on are lost for a while.
TEST(LossMatrix, ABurstOfEachKind)
{
    for (const std::string recovery : kRecoveries)
        for (const Kind &kind : kKinds)
            for (uint64_t from : {0, 10}) {
                if (kind.kind == WEFT_PKT_NACK && !HasNacks(recovery))
                    continue;
                Fight f(recovery, 2);
                uint64_t seen = 0, data = 0, lost = 0;
                f.w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
                    if (kind.kind == WEFT_PKT_NACK && v.kind == WEFT_PKT_DATA)
                        return ++data % 60 == 0;
                    if (!Is(kind, v) || seen++ < from || lost >= 15)
                        return false;
                    lost++;
                    return true;
                };
                f.Play();
                const std::string what =
                    recovery + " losing 15 " + kind.name + " from " + std::to_string(from);
                ExpectAllOnceInOrder(f.w, what);
                EXPECT_GT(lost, 4u) << what;
                if (HasFailure())
                    return;
            }
}

TEST(LossMatrix, RandomLossesOfEverything)
{
    uint64_t lost[WEFT_PKT_KINDS] = {};
    for (const std::string recovery : kRecoveries)
        for (const char *ackEvery : {"1", "4", "16"})
            for (uint64_t seed = 1; seed <= 6; seed++) {
                Fight f(recovery, seed, {{"transport.ack-every", ackEvery}});
                weft_rng rng = weft_rng_stream(seed, "test-loss", 1);
                const double rate = 0.002 * double(seed * seed);
                f.w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
                    const bool yes = weft_rng_f64(&rng) < rate;
                    lost[v.kind] += yes;
                    return yes;
                };
                f.Play();
                ExpectAllOnceInOrder(f.w, recovery + " ack-every " + ackEvery + " seed " +
                                              std::to_string(seed));
                if (HasFailure())
                    return;
            }
    // the others: credit_test.cc, frame_test.cc, in_network_test.cc
    for (int k : {WEFT_PKT_DATA, WEFT_PKT_ACK, WEFT_PKT_NACK, WEFT_PKT_CNP, WEFT_PKT_PFC})
        EXPECT_GT(lost[k], 10u) << weft_pkt_kind_name(weft_pkt_kind(k));
}

// ACKs for several packets with a bitmap, of packets that come in any order over many paths.
TEST(LossMatrix, RandomLossesWithAcksByBytes)
{
    for (const char *bytes : {"1B", "16KiB", "64KB"})
        for (const char *balance : {"flow", "entropy"})
            for (uint64_t seed = 1; seed <= 6; seed++) {
                Fight f("rud", seed,
                        {{"transport.ack-every-bytes", bytes},
                         {"switch.balance", balance},
                         {"pfc.enabled", seed % 2 ? "true" : "false"},
                         {"switch.trim-prios", seed % 2 ? "0" : "8"}});
                weft_rng rng = weft_rng_stream(seed, "test-loss", 1);
                const double rate = 0.002 * double(seed * seed);
                f.w.lose = [&](uint32_t, const weft_engine_pkt_view &) {
                    return weft_rng_f64(&rng) < rate;
                };
                f.Play();
                ExpectAllOnceInOrder(f.w, std::string("by bytes ") + bytes + " " + balance +
                                              " seed " + std::to_string(seed));
                weft_err err = {};
                ASSERT_EQ(weft_engine_check(f.w.e, &err), 0) << err.msg;
                if (HasFailure())
                    return;
            }
}

// Without pause times a lost PAUSE costs drops, which are recovered from.
TEST(LossMatrix, LostPausesWithoutPauseTimes)
{
    for (const std::string recovery : kRecoveries) {
        Fight f(recovery, 3, {{"pfc.quanta", "0"}});
        uint64_t lost = 0;
        f.w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
            const bool yes = v.kind == WEFT_PKT_PFC && v.pause;
            lost += yes;
            return yes;
        };
        f.Play();
        ExpectAllOnceInOrder(f.w, recovery);
        EXPECT_GT(lost, 10u);
        EXPECT_GT(f.w.Totals().drops[WEFT_DROP_HEADROOM], 0u);
    }
}
