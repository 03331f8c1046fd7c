// SPDX-License-Identifier: GPL-2.0-only
// Configurations that can't work are refused with the reason.
#include "world.h"

namespace
{

std::string Refusal(const Settings& engine, const Settings& topo = {{"hosts", "32"}})
{
    World w("single-switch", topo, engine);
    weft_err err = {};
    weft_engine* e = weft_engine_new(&w.config, &err);
    EXPECT_EQ(e, nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    return err.msg;
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

TEST(Config, TablesHaveSoundDefaults)
{
    for (auto& s : weft_engine_sections)
    {
        std::vector<char> blob(s.params.struct_size);
        weft_err err = {};
        ASSERT_EQ(weft_params_defaults(&s.params, blob.data(), &err), 0) << s.name << ": " << err.msg;
        for (size_t i = 0; i < s.params.n; i++)
        {
            char text[WEFT_PARAM_TEXT_MAX];
            const weft_param& p = s.params.params[i];
            weft_params_format(&p, blob.data(), text, sizeof text);
            EXPECT_EQ(weft_params_set(&s.params, blob.data(), p.name, text, &err), 0)
                << s.name << "." << p.name << ": " << err.msg;
        }
    }
}
