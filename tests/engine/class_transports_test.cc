// SPDX-License-Identifier: GPL-2.0-only
// RoCE and Ultra Ethernet in one fabric, by traffic class: each as if the other were not there, and
// what they do to each other where they meet.
#include "once.h"
#include "world.h"

#include "base/rng.h"

#include <algorithm>
#include <tuple>

namespace
{

constexpr int64_t US = WEFT_PS_PER_US;
constexpr uint64_t MIB = 1024 * 1024;
constexpr uint32_t ROCE = 3, UET = 2;

const Settings kTree = {{"k", "4"}, {"host-rate", "100Gbps"}, {"fabric-rate", "100Gbps"}};
const Settings kSwitch = {{"hosts", "9"}, {"rate", "100Gbps"}, {"delay", "1us"}};

// What switches do to both classes: priority 3 lossless, priority 2 trimmed and marked.
const Settings kSwitches = {{"pfc.prios", "8"},
                            {"switch.trim-prios", "4"},
                            {"switch.egress-limit-map", "2:180KB"},
                            {"ecn.prio-map", "2:9KB:36KB:1,3:100KB:400KB:0.2"}};

Settings With(Settings s, const Settings &more)
{
    s.insert(s.end(), more.begin(), more.end());
    return s;
}

Settings Both(const Settings &more = {})
{
    return With(With(kSwitches, {{"uet.prios", "4"}, {"uet.rto", "400us"}}), more);
}

// Ultra Ethernet as the run's own transport, as `uet` has it beside another.
const Settings kAllUet = With(kSwitches, {{"transport.recovery", "rud"},
                                          {"transport.header", "102B"},
                                          {"transport.ack-frame", "78B"},
                                          {"transport.nack-frame", "62B"},
                                          {"transport.probe-frame", "62B"},
                                          {"transport.pad", "1B"},
                                          {"transport.ack-prio", "6"},
                                          {"transport.ack-every-bytes", "16KiB"},
                                          {"transport.rto", "400us"},
                                          {"switch.balance", "entropy"}});

// An incast of 7 and a permutation, in one class.
void Traffic(World &w, uint32_t prio)
{
    for (uint32_t h = 1; h < 8; h++)
        w.Send(h, 0, MIB, h, prio);
    for (uint32_t h = 0; h < 16; h++)
        w.Send(h, (h + 5) % 16, MIB / 2, 100 + h, prio);
}

using Seen = std::tuple<uint32_t, uint32_t, uint64_t, int64_t, int64_t, int64_t, uint64_t>;

std::vector<Seen> SeenOf(const World &w, uint32_t prio)
{
    std::vector<Seen> all;
    for (auto &d : w.acked)
        if (d.msg.prio == prio)
            all.emplace_back(d.msg.src, d.msg.dst, d.msg.tag, d.received_ps, d.acked_ps, d.ideal_ps,
                             d.retx_bytes);
    std::sort(all.begin(), all.end());
    return all;
}

std::string Refusal(const Settings &engine, const char *cc = "dcqcn")
{
    World w("single-switch", kSwitch, engine, cc);
    weft_err err = {};
    EXPECT_EQ(weft_engine_check_config(&w.config, &err), WEFT_E_INPUT);
    return err.msg;
}

} // namespace

TEST(ClassTransports, RoceBesideAnIdleClassIsRoceAlone)
{
    for (const char *cc : {"dcqcn", "hpcc", "timely"}) {
        World alone("fat-tree", kTree, kSwitches, cc), beside("fat-tree", kTree, Both(), cc);
        for (World *w : {&alone, &beside}) {
            w->Build();
            Traffic(*w, ROCE);
            w->Run();
        }
        EXPECT_EQ(SeenOf(beside, ROCE).size(), 23u);
        EXPECT_EQ(SeenOf(beside, ROCE), SeenOf(alone, ROCE)) << cc;
    }
}

TEST(ClassTransports, UetBesideAnIdleClassIsUetAlone)
{
    const std::vector<std::pair<std::string, Settings>> controls = {
        {"nscc", {}}, {"rccc", {}}, {"nscc credit=true", {{"credit", "true"}}}, {"none", {}}};
    for (auto &[text, params] : controls) {
        World alone("fat-tree", kTree, kAllUet, text.substr(0, text.find(' ')), params);
        World beside("fat-tree", kTree, Both({{"uet.control", text}}), "dcqcn");
        for (World *w : {&alone, &beside}) {
            w->Build();
            Traffic(*w, UET);
            w->Run();
        }
        EXPECT_EQ(SeenOf(beside, UET).size(), 23u);
        EXPECT_EQ(SeenOf(beside, UET), SeenOf(alone, UET)) << text;
        EXPECT_EQ(beside.Totals().trims, alone.Totals().trims);
        EXPECT_GT(beside.Totals().trims, 0u) << text;
    }
}

// Without thresholds given, those that the control of the class is tuned for: DCTCP's step, and not
// DCQCN's ramp.
TEST(ClassTransports, MarksAreThoseOfTheControlOfTheClass)
{
    auto unmarked = [](Settings s) {
        s.erase(
            std::remove_if(s.begin(), s.end(), [](auto &x) { return x.first == "ecn.prio-map"; }),
            s.end());
        return s;
    };
    World alone("fat-tree", kTree, unmarked(kAllUet), "dctcp");
    World beside("fat-tree", kTree, unmarked(Both({{"uet.control", "dctcp"}})), "dcqcn");
    for (World *w : {&alone, &beside}) {
        w->Build();
        Traffic(*w, UET);
        w->Run();
    }
    EXPECT_EQ(SeenOf(beside, UET), SeenOf(alone, UET));
    EXPECT_GT(beside.Totals().ecn_marks, 0u);
    EXPECT_EQ(beside.Totals().ecn_marks, alone.Totals().ecn_marks);
}

// Two pods, a transport each.
TEST(ClassTransports, OnDisjointPartsEachTakesTheTimeThatItTakesAlone)
{
    std::vector<Seen> seen[2][2];
    for (int together = 0; together < 2; together++)
        for (int one = 0; one < 2 - together; one++) {
            World w("fat-tree", kTree, Both());
            w.Build();
            for (uint32_t h = 1; h < 4; h++) {
                if (together || one == 0)
                    w.Send(h, 0, 3 * MIB, h, ROCE);
                if (together || one == 1)
                    w.Send(4 + h, 4, 3 * MIB, h, UET);
            }
            w.Run();
            for (int k = 0; k < 2; k++)
                if (together || one == k)
                    seen[together][k] = SeenOf(w, k ? UET : ROCE);
        }
    for (int k = 0; k < 2; k++) {
        EXPECT_EQ(seen[0][k].size(), 3u);
        EXPECT_EQ(seen[0][k], seen[1][k]) << (k ? "UET" : "RoCE");
    }
}

// RoCE always waits at the shared port, with three quarters of it: 7,680 packets of 4,178 bytes on
// the wire at 75 Gbps take 3.4227 ms. What Ultra Ethernet has left untouched RoCE gets, too.
TEST(ClassTransports, TheSchedulerSharesALinkByWeight)
{
    World w("single-switch", kSwitch, Both({{"switch.weight-map", "3:3"}}), "none");
    w.Build();
    w.Send(0, 8, 30 * MIB, 1, ROCE);
    w.Send(1, 8, 30 * MIB, 2, UET);
    w.Run();
    ExpectAllOnceInOrder(w, "shared");
    const double wire_s = 7680.0 * 4178 * 8 / 75e9;
    EXPECT_NEAR(double(std::get<3>(SeenOf(w, ROCE)[0])) * 1e-12, wire_s, wire_s * 0.01);
    // both together: a link that is never idle, but for the first packets' way
    const double all_s = (7680.0 * 4178 + 7680.0 * 4218) * 8 / 100e9;
    EXPECT_NEAR(double(std::get<3>(SeenOf(w, UET)[0])) * 1e-12, all_s, all_s * 0.02);
}

// Served first, Ultra Ethernet sees at most one packet of RoCE's per port.
TEST(ClassTransports, AStrictClassIsAlmostAlone)
{
    int64_t took[2];
    for (int both = 0; both < 2; both++) {
        World w("single-switch", kSwitch, Both({{"switch.strict-prios", "196"}}), "none");
        w.Build();
        w.Send(1, 8, 30 * MIB, 2, UET);
        if (both)
            w.Send(0, 8, 30 * MIB, 1, ROCE);
        w.Run();
        took[both] = std::get<3>(SeenOf(w, UET)[0]);
    }
    EXPECT_GE(took[1], took[0]);
    EXPECT_LT(took[1], took[0] * 101 / 100);
}

TEST(ClassTransports, OneIsPausedTheOtherTrimmed)
{
    World w("single-switch", kSwitch, Both({{"switch.buffer", "4MiB"}}), "none");
    w.Build();
    for (uint32_t h = 0; h < 8; h++) {
        w.Send(h, 8, 2 * MIB, h, ROCE);
        w.Send(h, 8, 2 * MIB, h, UET);
    }
    w.Run();
    ExpectAllOnceInOrder(w, "incast of both");
    const auto t = w.Totals();
    EXPECT_GT(t.trims, 0u);
    EXPECT_EQ(weft_totals_drops(&t), 0u);
    ASSERT_GT(w.pfc.size(), 0u);
    for (auto &p : w.pfc)
        EXPECT_EQ(p.prio, ROCE);
    for (auto &d : SeenOf(w, ROCE))
        EXPECT_EQ(std::get<6>(d), 0u) << "a lossless class sends nothing again";
}

// One packet in fifty of any kind, in both.
TEST(ClassTransports, NothingIsLostForGood)
{
    for (const char *recovery : {"go-back-n", "selective-repeat"})
        for (const char *uet : {"rud", "rod"})
            for (const char *control : {"nscc", "rccc"}) {
                World w("fat-tree", kTree,
                        Both({{"transport.recovery", recovery},
                              {"transport.rto", "500us"},
                              {"transport.retry-max", "0"},
                              {"uet.retry-max", "0"},
                              {"uet.recovery", uet},
                              {"uet.control", control},
                              {"uet.nack-interval", "50us"}}));
                uint64_t n = 0;
                w.lose = [&n](uint32_t, const weft_engine_pkt_view &v) {
                    return v.kind != WEFT_PKT_PFC && weft_mix64(n++) % 50 == 0;
                };
                w.Build();
                Traffic(w, ROCE);
                Traffic(w, UET);
                w.Run();
                ExpectAllOnceInOrder(w, std::string(recovery) + " " + uet + " " + control);
                EXPECT_EQ(w.acked.size(), 46u);
            }
}

TEST(ClassTransports, WhatCannotBeIsRefused)
{
    auto says = [](const std::string &m, const char *part) {
        EXPECT_NE(m.find(part), std::string::npos) << m;
    };
    says(Refusal(Both({{"uet.control", "nsc"}})), "uet.control");
    says(Refusal(Both({{"uet.control", "hpcc"}})), "uet.control=hpcc follows the switches");
    says(Refusal(Both({{"uet.control", "rccc"}}), "hpcc"), "different classes (uet.control)");
    says(Refusal(Both({{"uet.recovery", "go-back-n"}})), "this uet.recovery takes for losses");
    says(Refusal(Both({{"switch.balance", "conga"}})), "switch.balance=conga leads packets itself");
    says(Refusal(Both({{"switch.entropy-values", "48"}})), "no power of two");
    says(Refusal(Both({{"transport.ack-prio", "3"}, {"transport.ack-ignores-pause", "true"}})),
         "transport.ack-ignores-pause");
    says(Refusal(With(kSwitches, {{"uet.prios", "8"}, {"switch.trim-prios", "8"}})),
         "which PFC makes lossless");
}
