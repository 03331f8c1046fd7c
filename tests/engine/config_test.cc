// SPDX-License-Identifier: GPL-2.0-only
// Configurations that can't work are refused with the reason.
#include "tables.h"
#include "world.h"
#include "congestion/cc_table.h"

#include <stdexcept>

namespace
{

std::string Refusal(const Settings &engine, const Settings &topo = {{"hosts", "32"}})
try {
    World w("single-switch", topo, engine);
    weft_err err = {};
    weft_engine *e = weft_engine_new(&w.config, &err);
    EXPECT_EQ(e, nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    return err.msg;
} catch (const std::runtime_error &e) {
    return e.what(); // a setting was refused
}

} // namespace

TEST(Config, HeadroomThatExceedsTheBufferShowsTheSum)
{
    std::string m = Refusal({{"switch.buffer", "1MiB"}});
    EXPECT_NE(m.find("s32"), std::string::npos) << m;
    EXPECT_NE(m.find("headroom"), std::string::npos) << m;
    EXPECT_NE(m.find("switch.buffer"), std::string::npos) << m;
}

TEST(Config, KminAboveKmax)
{
    EXPECT_NE(Refusal({{"ecn.kmin", "2MB"}, {"ecn.kmax", "1MB"}}).find("kmin"), std::string::npos);
}

TEST(Config, HeadroomFollowsRateDelayAndMtu)
{
    // 2 x 1 us x 100 Gbps = 25,000 B (+1 for rounding up), 3 x (4096 + 62 + 20 + 3), 64 + 20:
    // 37,628 B per port.
    // Two ports and a reserve of 4 KiB x 8 x 2 need 75,256 + 65,536 = 140,792 B: one byte more is
    // enough.
    Settings topo = {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}};
    Refusal({{"switch.buffer", "140792B"}}, topo);
    World w("single-switch", topo, {{"switch.buffer", "140793B"}});
    w.Build();
}

TEST(Config, HeadroomFollowsTheResponseTime)
{
    // 1 us at 100 Gbps: 12,500 B more per port.
    Settings topo = {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}};
    Refusal({{"switch.buffer", "165792B"}, {"pfc.response-time", "1us"}}, topo);
    World w("single-switch", topo, {{"switch.buffer", "165793B"}, {"pfc.response-time", "1us"}});
    w.Build();
}

TEST(Config, HeadroomIsForEachLosslessPriority)
{
    // Two lossless priorities: a PFC frame of 84 B more for each of 2 x 2 headrooms of 37,712 B.
    Settings topo = {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}};
    Refusal({{"switch.buffer", "216384B"}, {"pfc.prios", "24"}}, topo);
    World w("single-switch", topo, {{"switch.buffer", "216385B"}, {"pfc.prios", "24"}});
    w.Build();
}

TEST(Config, MapsNameTheEntryThatIsWrong)
{
    struct {
        const char *key, *map, *says;
    } const bad[] = {
        {"switch.alpha-map", "3=1/8", "'3=1/8': write PRIO:ALPHA"},
        {"switch.alpha-map", "3:1/8,8:1", "'8:1': 8 is out of range; valid is 0 to 7"},
        {"switch.alpha-map", "3:1/8,3:1", "there twice"},
        {"switch.alpha-map", "3:1/8,", "ends in a comma"},
        {"switch.alpha-map", "3:", "write PRIO:ALPHA"},
        {"switch.alpha-map", "13:1", "valid is 0 to 7"},
        {"switch.alpha-map", "3:100", "1/1024"},
        {"switch.limit-map", "3:100", "'3:100': "}, // no unit
        {"switch.egress-limit-map", "0:3GiB", "2GiB"},
        {"switch.egress-alpha-map", "3:1", "priority 3 is lossless"},
        {"switch.weight-map", "3:0", "1 to 1000"},
        {"switch.weight-map", "3:1.5", "'3:1.5': "},
        {"switch.weight-map", "7:2", "priority 7 is served strictly"},
        {"ecn.prio-map", "3:100KB:400KB", "write PRIO:KMIN:KMAX:PMAX, or PRIO:off"},
        {"ecn.prio-map", "3:100KB:400KB:0.1:1", "write PRIO:KMIN:KMAX:PMAX, or PRIO:off"},
        {"ecn.prio-map", "3:400KB:100KB:0.1", "KMIN must not exceed KMAX"},
        {"ecn.prio-map", "3:1KB:2KB:1001", "1001 is out of range; valid is 0 to 1000"},
        {"ecn.rate-map", "10Gbps:1KB:2KB:1", "no entry for links of 400Gbps"},
    };
    for (auto &b : bad) {
        std::string m = Refusal({{b.key, b.map}});
        EXPECT_NE(m.find(b.says), std::string::npos) << b.key << "=" << b.map << ": " << m;
    }
    World w("single-switch", {{"hosts", "2"}},
            {{"switch.alpha-map", "3:1/8, 0:50%"},
             {"switch.weight-map", "0:1000,5:1"},
             {"ecn.prio-map", "0:off, 3:1KB:1KB:1"}});
    w.Build();
}

TEST(Config, PoolsThatCannotBe)
{
    std::string m = Refusal({{"switch.lossy-share", "1/2"}, {"pfc.enabled", "off"}});
    EXPECT_NE(m.find("no priority is lossless"), std::string::npos) << m;
    m = Refusal({{"switch.lossy-share", "1/2"}, {"pfc.prios", "255"}, {"switch.buffer", "64MiB"}});
    EXPECT_NE(m.find("every priority is lossless"), std::string::npos) << m;
    m = Refusal({{"switch.egress-lossless-pool", "1MB"}, {"pfc.prios", "0"}});
    EXPECT_NE(m.find("switch.egress-lossless-pool: no priority"), std::string::npos) << m;
    m = Refusal({{"switch.egress-lossy-pool", "40MiB"}});
    EXPECT_NE(m.find("exceeds switch.buffer"), std::string::npos) << m;
    // 140,793 B leave one byte to share, see above.
    Settings topo = {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}};
    m = Refusal({{"switch.buffer", "140793B"}, {"switch.lossy-share", "1/2"}}, topo);
    EXPECT_NE(m.find("headroom of 75.26 KB plus reserve of 65.54 KB leaves 1 B"), std::string::npos)
        << m;
}

TEST(Config, TablesHaveSoundDefaults)
{
    for (auto &s : weft_engine_sections) {
        std::vector<char> blob(s.params.struct_size);
        weft_err err = {};
        ASSERT_EQ(weft_params_defaults(&s.params, blob.data(), &err), 0)
            << s.name << ": " << err.msg;
        for (size_t i = 0; i < s.params.n; i++) {
            char text[WEFT_PARAM_TEXT_MAX];
            const weft_param &p = s.params.params[i];
            weft_params_format(&p, blob.data(), text, sizeof text);
            EXPECT_EQ(weft_params_set(&s.params, blob.data(), p.name, text, &err), 0)
                << s.name << "." << p.name << ": " << err.msg;
        }
    }
}

TEST(Config, ACongestionControlWithoutARequiredHookIsRefused)
{
    World w("single-switch", {{"hosts", "2"}}, {});
    weft_cc_ops ops = *weft_cc_find("dcqcn", nullptr);
    ops.on_cnp = nullptr;
    w.config.cc = &ops;
    weft_err err = {};
    EXPECT_EQ(weft_engine_new(&w.config, &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INTERNAL);
    EXPECT_NE(std::string(err.msg).find("'on_cnp'"), std::string::npos) << err.msg;
}

template <size_t N> static std::string Joined(const char *const (&words)[N])
{
    std::string all;
    for (const char *word : words)
        all += (all.empty() ? "" : "|") + std::string(word);
    return all;
}

TEST(Config, WordsOfRecoveriesAndBalancesAreThoseOfTheTables)
{
    const weft_param_table &transport = weft_engine_sections[0].params;
    const weft_param *recovery = weft_params_find(&transport, "recovery");
    ASSERT_NE(recovery, nullptr);
    EXPECT_EQ(recovery->choices, Joined(kRecoveries));
    const weft_param *balance = weft_params_find(&weft_engine_sections[1].params, "balance");
    ASSERT_NE(balance, nullptr);
    EXPECT_EQ(balance->choices, Joined(kBalances));
}
