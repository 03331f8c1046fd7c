// SPDX-License-Identifier: GPL-2.0-only
// Entropy values: how each policy walks, and what it is worth.
#include "once.h"
#include "tamper.h"
#include "world.h"

#include <algorithm>
#include <map>

namespace
{

constexpr int64_t US = WEFT_PS_PER_US;

Settings With(const std::string &policy, const Settings &more = {})
{
    Settings s = {{"switch.balance", "entropy"},
                  {"switch.entropy-policy", policy},
                  {"transport.recovery", "rud"}};
    s.insert(s.end(), more.begin(), more.end());
    return s;
}

const Settings kClos = {{"leaves", "4"}, {"hosts-per-leaf", "4"}, {"spines", "4"}};

// Hashes of the data packets that leave their hosts, in order.
std::vector<uint32_t> Walk(const Settings &engine, uint64_t packets, const std::string &cc = "none",
                           uint64_t loseEvery = 0)
{
    World w("leaf-spine", kClos, engine, cc);
    static std::vector<uint32_t> hashes;
    hashes.clear();
    std::vector<uint8_t> events(1024, 0);
    w.config.hooks.packet = [](void *, int64_t, uint32_t, weft_pkt_event,
                               const weft_engine_pkt_view *v) {
        if (v->kind == WEFT_PKT_DATA)
            hashes.push_back(v->flow_hash);
    };
    w.config.hooks.packet_events = events.data();
    for (uint32_t p = 0; p < w.fabric->nports; p++)
        if (w.fabric->nodes[w.fabric->ports[p].node].kind == WEFT_NODE_HOST)
            events[p] = 1u << WEFT_PKT_SENT;
    uint64_t n = 0;
    if (loseEvery)
        w.lose = [&](uint32_t, const weft_engine_pkt_view &) { return ++n % loseEvery == 0; };
    w.Build();
    w.Send(0, 15, packets * 4096);
    w.Run();
    ExpectAllOnceInOrder(w, "one flow");
    return hashes;
}

// Time of a permutation of 16 hosts, each sending to the next leaf.
int64_t Permutation(const Settings &engine, uint64_t seed, const std::function<void(World &)> &then,
                    uint64_t bytes = 2000000)
{
    World w("leaf-spine", kClos, engine, "nscc", {}, seed);
    w.Build();
    then(w);
    for (uint32_t h = 0; h < 16; h++)
        w.Send(h, (h + 4) % 16, bytes);
    w.Run();
    ExpectAllOnceInOrder(w, "permutation");
    int64_t last = 0;
    for (auto &d : w.received)
        last = std::max(last, d.received_ps);
    return last;
}

} // namespace

TEST(Entropy, ObliviousTakesEachValueOncePerRound)
{
    const auto h = Walk(With("oblivious", {{"switch.entropy-values", "32"}}), 128);
    ASSERT_EQ(h.size(), 128u);
    const std::set<uint32_t> first(h.begin(), h.begin() + 32);
    EXPECT_EQ(first.size(), 32u);
    for (size_t r = 32; r < 128; r += 32)
        EXPECT_EQ(std::set<uint32_t>(h.begin() + r, h.begin() + r + 32), first);
    EXPECT_FALSE(std::equal(h.begin(), h.begin() + 32, h.begin() + 32)) << "another order";
}

TEST(Entropy, OneValueIsOnePath)
{
    for (const char *policy : {"oblivious", "bitmap", "reps", "mixed"}) {
        const auto h = Walk(With(policy, {{"switch.entropy-values", "1"}}), 50);
        EXPECT_EQ(std::set<uint32_t>(h.begin(), h.end()).size(), 1u) << policy;
    }
}

// Without marks every ACK brings a value back, and each is used once more before random ones.
TEST(Entropy, RepsRecyclesWhatCameThrough)
{
    const auto h = Walk(With("reps", {{"switch.entropy-values", "65536"}}), 2000, "static-window");
    std::map<uint32_t, unsigned> used;
    for (uint32_t x : h)
        used[x]++;
    EXPECT_LT(used.size(), 400u) << "random ones would be some 2000";
    EXPECT_GT(used.size(), 8u);
    for (const auto &[value, times] : used)
        EXPECT_LT(times, 300u) << "each comes back for what it did itself";
    const auto o = Walk(With("oblivious", {{"switch.entropy-values", "65536"}}), 2000);
    EXPECT_EQ(std::set<uint32_t>(o.begin(), o.end()).size(), 2000u);
}

// A mark costs a value its next turn, a trim four: another takes it at once, and the rest of the
// round is as it was.
TEST(Entropy, BitmapPassesOverWhatWasMarked)
{
    for (const auto &[trimmed, turns] : {std::pair(false, 1u), std::pair(true, 4u)}) {
        World w("leaf-spine", kClos, With("bitmap", {{"switch.entropy-values", "8"}}));
        w.Build();
        w.Send(0, 15, UINT64_C(64) * 4096); /* eight rounds */
        w.Run();
        tamper_value_marked(w.e, 0, 5, trimmed);
        unsigned between = 0;
        while (tamper_next_value(w.e, 0) != 5)
            between++;
        EXPECT_GE(between, 7 * turns) << "seven others in each of the rounds without it";
        EXPECT_LT(between, 7 * turns + 8);
        for (unsigned n = 0; n < 15; n++)
            between = tamper_next_value(w.e, 0) == 5 ? 0 : between + 1;
        EXPECT_LT(between, 15u) << "back in every round";
    }
}

TEST(Entropy, EveryPolicySurvivesLoss)
{
    for (const char *policy : {"oblivious", "bitmap", "reps", "mixed"})
        for (const char *freeze : {"0ps", "20us", "10ms"}) {
            Settings s = {{"transport.rto", "50us"}};
            if (policy == std::string("reps") || policy == std::string("mixed"))
                s.push_back({"switch.entropy-freeze", freeze});
            EXPECT_GE(Walk(With(policy, s), 300, "nscc", 41).size(), 300u);
        }
}

TEST(Entropy, MoreValuesSpreadBetterThanOne)
{
    int64_t sum[3] = {};
    const auto nothing = [](World &) {};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sum[0] += Permutation(With("oblivious", {{"switch.entropy-values", "1"}}), seed, nothing);
        sum[1] += Permutation(With("oblivious", {{"switch.entropy-values", "16"}}), seed, nothing);
        sum[2] +=
            Permutation(With("oblivious", {{"switch.entropy-values", "1024"}}), seed, nothing);
    }
    EXPECT_LT(sum[1], sum[0] * 9 / 10);
    EXPECT_LE(sum[2], sum[1]);
}

TEST(Entropy, FeedbackAvoidsASlowLink)
{
    std::map<std::string, int64_t> sum;
    for (const char *policy : {"oblivious", "bitmap", "reps", "mixed"})
        for (uint64_t seed = 1; seed <= 3; seed++)
            sum[policy] += Permutation(
                With(policy, {{"switch.entropy-values", "64"}}), seed,
                [](World &w) {
                    weft_err err = {};
                    weft_link_change c = {};
                    c.link = w.fabric->nlinks - 1;
                    c.kind = WEFT_LINK_RATE;
                    c.rate_bps = 100000000000;
                    EXPECT_EQ(weft_engine_change_links(w.e, &c, 1, &err), 0) << err.msg;
                },
                8000000);
    for (const char *policy : {"bitmap", "reps", "mixed"})
        EXPECT_LT(sum[policy], sum["oblivious"]) << policy;
}

TEST(Entropy, ValuesAreAPowerOfTwo)
{
    World w("leaf-spine", kClos, With("reps", {{"switch.entropy-values", "100"}}));
    weft_err err = {};
    EXPECT_EQ(weft_engine_check_config(&w.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("64 and 128 are near"), std::string::npos) << err.msg;
    World plain("leaf-spine", kClos, {{"switch.entropy-values", "100"}});
    EXPECT_EQ(weft_engine_check_config(&plain.config, &err), 0) << "without effect";
}
