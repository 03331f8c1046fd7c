// SPDX-License-Identifier: GPL-2.0-only
// From the list of a scenario to stretches of faults, and what is wrong with bad lists.
#include "fabrics.h"

#include <set>
#include <vector>

namespace
{

constexpr int64_t US = WEFT_PS_PER_US;

std::vector<uint32_t> Links(const Plan &t)
{
    std::vector<uint32_t> v;
    for (size_t i = 0; t && i < t->nstretches; i++)
        v.push_back(t->stretches[i].link);
    return v;
}

using List = std::vector<uint32_t>;

std::string Why(const std::string &events)
{
    Fabric f = TwoSwitches();
    std::string why;
    EXPECT_EQ(Read(f, events, &why), nullptr) << events;
    return why;
}

} // namespace

TEST(FaultPlan, LinksByNumberAndByName)
{
    Fabric f = TwoSwitches();
    const std::pair<const char *, List> cases[] = {
        {"2", {2}},         {"h0-s4", {0}},   {"s4-h0", {0}},        {"h0-s4#0", {0}},
        {"s4-s5#1", {5}},   {"s5-s4#0", {4}}, {"s4-s5#all", {4, 5}}, {"3,h1-s4,0", {0, 1, 3}},
        {"h0-s4#all", {0}},
    };
    for (auto &[selector, want] : cases)
        EXPECT_EQ(Links(Read(f, std::string("link-down at=1us link=") + selector)), want)
            << selector;
    EXPECT_EQ(Links(Read(f, "switch-down switch=s5 at=1us")), (List{2, 3, 4, 5}));
}

TEST(FaultPlan, Stretches)
{
    Fabric f = TwoSwitches();
    Plan t = Read(f, "flap link=1 at=10us period=5us down=2us count=3;\n"
                     "degrade link=0 rate=25Gbps until=7us; bit-errors link=2 ber=1e-9 at=3us ;");
    ASSERT_EQ(t->nstretches, 5u);
    const weft_fault_stretch *s = t->stretches;
    EXPECT_EQ(s[0].what, WEFT_LINK_RATE);
    EXPECT_EQ(s[0].item, 1u);
    EXPECT_EQ(s[0].begin_ps, 0);
    EXPECT_EQ(s[0].end_ps, 7 * US);
    EXPECT_EQ(s[0].rate_bps, UINT64_C(25000000000));
    EXPECT_EQ(s[1].what, WEFT_LINK_BIT_ERRORS);
    EXPECT_EQ(s[1].begin_ps, 3 * US);
    EXPECT_EQ(s[1].end_ps, WEFT_NEVER);
    EXPECT_EQ(s[1].bit_error_rate, 1e-9);
    for (int k = 0; k < 3; k++) {
        EXPECT_EQ(s[2 + k].what, WEFT_LINK_DOWN);
        EXPECT_EQ(s[2 + k].begin_ps, (10 + 5 * k) * US);
        EXPECT_EQ(s[2 + k].end_ps, (12 + 5 * k) * US);
    }
}

TEST(FaultPlan, BadListsSayWhatWhereAndWhatIsValid)
{
    const std::pair<const char *, const char *> cases[] = {
        {"link-dwn link=0 at=1us", "entry 1: unknown kind 'link-dwn'; did you mean 'link-down'?"},
        {"link-down link=0 at=1us;; flap", "entry 2: is empty; write 'TYPE PARAMETER=VALUE ...'"},
        {"link-down link=0 at=1",
         "entry 1: link-down: parameter 'at': '1' has no unit; write for example 1ns, 1us or 1s"},
        {"link-down link=0 at=1us at=2us", "entry 1: link-down: 'at' is given twice"},
        {"link-down link=0 until=1us", "entry 1: link-down: 'at' must be given (when it begins)"},
        {"link-down link=0 at=1us ber=1e-3",
         "entry 1: link-down: unknown parameter 'ber'; valid are link, at, until"},
        {"link-down link=6 at=1us",
         "entry 1: link-down: there is no link 6: links are 0 to 5; 'weft show fabric' lists them"},
        {"link-down link=h4-s4 at=1us", "entry 1: link-down: link 'h4-s4': there is no node 'h4': "
                                        "hosts are h0 to h3, the 2 switches lie within s4 to s5"},
        {"link-down link=s4-s2 at=1us",
         "entry 1: link-down: link 's4-s2': node 2 is no switch but h2"},
        {"link-down link=s4-h2 at=1us",
         "entry 1: link-down: no link joins s4 and h2; s4 is linked to h0, h1, s5, s5"},
        {"link-down link=s4-s5 at=1us",
         "entry 1: link-down: 2 links join s4 and s5: say s4-s5#0 or #1, or s4-s5#all"},
        {"link-down link=s4-s5#2 at=1us",
         "entry 1: link-down: 2 links join s4 and s5: say s4-s5#0 or #1, or s4-s5#all"},
        {"link-down link=h0-s4#1 at=1us",
         "entry 1: link-down: 1 link joins h0 and s4: say h0-s4#0, or h0-s4#all"},
        {"link-down link=h0-s4x at=1us",
         "entry 1: link-down: 1 link joins h0 and s4: say h0-s4#0, or h0-s4#all"},
        {"link-down link=h0 at=1us",
         "entry 1: link-down: link 'h0': write a number, NODE-NODE, NODE-NODE#K or NODE-NODE#all"},
        {"link-down link=3x at=1us",
         "entry 1: link-down: link '3x': what is 'x' behind the number?"},
        {"link-down link=0 at=5us until=5us",
         "entry 1: link-down: ends at 5us, not after it begins at 5us"},
        {"flap link=0 at=0 period=5us down=5us count=2",
         "entry 1: flap: is down for 5us of each period of 5us, so it never comes up; see "
         "link-down"},
        {"degrade link=0 rate=100Gbps",
         "entry 1: degrade: leaves 100Gbps of link 0, which has 100Gbps: no less than before"},
        {"degrade link=0 rate=50Gbps until=5us; degrade link=h0-s4 rate=25Gbps at=4us",
         "entries 1 and 2: both are a degrade of link 0 at 4us; let one end before the other "
         "begins"},
        {"bit-errors link=4 ber=1.5", "entry 1: bit-errors: parameter 'ber'"},
        {"switch-down switch=h1 at=0", "entry 1: switch-down: 'h1' is not the name of a switch: "
                                       "the 2 switches lie within s4 to s5"},
    };
    for (auto &[events, want] : cases)
        EXPECT_EQ(Why(events).rfind(want, 0), 0u)
            << events << "\n  says " << Why(events) << "\n  not  " << want;
}

// One after the other is fine, and failures may overlap as they like.
TEST(FaultPlan, WhatMayFollowOrOverlap)
{
    Fabric f = TwoSwitches();
    EXPECT_EQ(Read(f, "degrade link=0 rate=50Gbps until=5us; degrade link=0 rate=25Gbps at=5us")
                  ->nstretches,
              2u);
    EXPECT_EQ(
        Read(
            f,
            "degrade link=0 rate=50Gbps; bit-errors link=0 ber=1e-6; switch-down switch=s4 at=1us; "
            "link-down link=0 at=1us")
            ->nstretches,
        7u);
}

// Every set of failed links that occurs is asked about once.
TEST(FaultPlan, EverySetOfFailedLinksIsChecked)
{
    Fabric f = TwoSwitches();
    Plan t = Read(
        f, "link-down link=4 at=1us until=4us; flap link=0 at=2us period=4us down=1us count=3; "
           "bit-errors link=1 ber=0.1 at=1us");
    struct Asked {
        std::vector<std::set<uint32_t>> sets;
        size_t refuse;
    } asked = {{}, 99};
    auto check = [](void *ctx, const uint8_t *down, weft_err *err) {
        auto a = static_cast<Asked *>(ctx);
        std::set<uint32_t> s;
        for (uint32_t l = 0; l < 6; l++)
            if (down[l])
                s.insert(l);
        a->sets.push_back(s);
        return a->sets.size() == a->refuse ? weft_err_set(err, WEFT_E_INPUT, "no") : 0;
    };
    weft_err err = {};
    int64_t at = 0;
    EXPECT_EQ(weft_fault_plan_check(t.get(), check, &asked, &at, &err), 0);
    // 1 us: 4; 2 us: 0 and 4; 3 us: 4 again; 6 us: 0 alone; 10 us: the same.
    EXPECT_EQ(asked.sets, (std::vector<std::set<uint32_t>>{{4}, {0, 4}, {0}}));
    asked = {{}, 3};
    EXPECT_EQ(weft_fault_plan_check(t.get(), check, &asked, &at, &err), WEFT_E_INPUT);
    EXPECT_EQ(at, 6 * US);
}
