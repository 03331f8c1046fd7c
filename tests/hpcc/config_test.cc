// SPDX-License-Identifier: GPL-2.0-only
// Reading config.txt.
#include "foreign/hpcc/config.h"

#include "files.h"

namespace
{

const std::string least = "TOPOLOGY_FILE t\nFLOW_FILE f\n";

std::string error_of(const std::string &text)
{
    TextFile f(text);
    weft_err err = {};
    weft_hpcc_config *c = weft_hpcc_config_read(f.path.c_str(), nullptr, &err);
    EXPECT_EQ(c, nullptr) << text;
    weft_hpcc_config_free(c);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    EXPECT_EQ(std::string(err.file), f.path);
    return where(err);
}

class Config
{
  public:
    explicit Config(const std::string &path)
    {
        m_err = {};
        m_c = weft_hpcc_config_read(path.c_str(), nullptr, &m_err);
        EXPECT_NE(m_c, nullptr) << where(m_err);
    }
    ~Config()
    {
        weft_hpcc_config_free(m_c);
    }
    const weft_hpcc_config *operator->() const
    {
        return m_c;
    }
    const weft_hpcc_config *get() const
    {
        return m_c;
    }

  private:
    weft_err m_err;
    weft_hpcc_config *m_c;
};

TEST(HpccConfig, EveryTypeIsReadInItsUnit)
{
    TextFile f(least + "CC_MODE 3 ALPHA_RESUME_INTERVAL 1.5\nRP_TIMER 300\nEWMA_GAIN 0.00390625\n"
                       "SIMULATOR_STOP_TIME 3.01\nRATE_AI 50Mb/s\nMIN_RATE 100000000\n"
                       "QLEN_MON_START 2000000001\nENABLE_QCN 0\nLINK_DOWN 7 1 2\n"
                       "KMAX_MAP 2 25000000000 100.5 100Gbps 1600\nPMAX_MAP 1 25Gb/s 0.2\n");
    Config c(f.path);
    EXPECT_EQ(c->cc_mode, 3u);
    EXPECT_EQ(c->alpha_resume_ps, 1500000);
    EXPECT_EQ(c->rp_timer_ps, 300000000);
    EXPECT_EQ(c->ewma_gain, 1.0 / 256);
    EXPECT_EQ(c->stop_ps, INT64_C(3010000000000));
    EXPECT_EQ(c->rate_ai_bps, 50000000u);
    EXPECT_EQ(c->min_rate_bps, 100000000u);
    EXPECT_EQ(c->qlen_mon_start_ps, INT64_C(2000000001000));
    EXPECT_EQ(c->enable_qcn, 0);
    EXPECT_EQ(c->link_down.after_us, 7u);
    EXPECT_EQ(c->link_down.b, 2u);
    ASSERT_EQ(c->kmax.n, 2u);
    EXPECT_EQ(weft_hpcc_map_find(&c->kmax, 25000000000)->value, 100.5);
    EXPECT_EQ(weft_hpcc_map_find(&c->kmax, 100000000000)->value, 1600);
    EXPECT_EQ(weft_hpcc_map_find(&c->kmax, 50000000000), nullptr);
    EXPECT_EQ(weft_hpcc_map_find(&c->pmax, 25000000000)->value, 0.2);
    EXPECT_STREQ(c->topology_file, "t");
}

TEST(HpccConfig, AbsentKeysKeepTheSimulatorsDefaults)
{
    TextFile f(least);
    Config c(f.path);
    EXPECT_EQ(c->payload_bytes, 1000u);
    EXPECT_EQ(c->buffer_mib, 16u);
    EXPECT_EQ(c->cc_mode, 1u);
    EXPECT_EQ(c->multi_rate, 1);
    EXPECT_EQ(c->rate_decrease_ps, 4000000);
    EXPECT_EQ(c->mi_thresh, 5u);
    EXPECT_STREQ(c->fct_output_file, "fct.txt");
    EXPECT_TRUE(c->given[WEFT_HPCC_FLOW_FILE]);
    EXPECT_EQ(c->line[WEFT_HPCC_FLOW_FILE], 2);
    EXPECT_FALSE(c->given[WEFT_HPCC_CC_MODE]);
    EXPECT_EQ(c->line[WEFT_HPCC_CC_MODE], 0);
}

TEST(HpccConfig, AbsentKeysKeepConWeavesDefaults)
{
    TextFile f(least + "LB_MODE 0\n");
    Config c(f.path);
    EXPECT_EQ(c->fast_recovery_times, 1u); // network-load-balance.cc; 5 in HPCC's third.cc
    EXPECT_EQ(c->buffer_mib, 0u);          // 16 there
    EXPECT_EQ(c->mi_thresh, 5u);
    TextFile given(least + "LB_MODE 0\nFAST_RECOVERY_TIMES 3\nBUFFER_SIZE 9\n");
    Config own(given.path);
    EXPECT_EQ(own->fast_recovery_times, 3u);
    EXPECT_EQ(own->buffer_mib, 9u);
}

TEST(HpccConfig, TheLastOfTwoCounts)
{
    TextFile f(least + "CC_MODE 3\nCC_MODE 8\n");
    EXPECT_EQ(Config(f.path)->cc_mode, 8u);
}

TEST(HpccConfig, RemarksArePassedOver)
{
    TextFile f(least + "CC_MODE 3 {0: none, 1: DCQCN}\n# CC_MODE 8\nMI_THRESH 4 {one} # two\n#");
    Config c(f.path);
    EXPECT_EQ(c->cc_mode, 3u);
    EXPECT_EQ(c->mi_thresh, 4u);
    EXPECT_EQ(error_of(least + "CC_MODE 3 {0: none\n"),
              "4:1: the file ends within a remark: '}' is missing");
}

TEST(HpccConfig, MistakesAreNamedWithTheirPlace)
{
    EXPECT_EQ(error_of(least + "  CC_MOD 3\n"),
              "3:3: unknown key 'CC_MOD'; did you mean 'CC_MODE'?");
    EXPECT_EQ(error_of(least + "CC_MODE 3 4\n"),
              "3:11: '4' stands where a key should: the key before it takes one value");
    EXPECT_EQ(error_of(least + "CC_MODE three\n"),
              "3:9: the value of CC_MODE must be a whole number, got 'three'");
    EXPECT_EQ(error_of(least + "U_TARGET x"),
              "3:10: the value of U_TARGET must be a number, got 'x'");
    EXPECT_EQ(error_of(least + "RP_TIMER -1"),
              "3:10: the value of RP_TIMER must be a number (of us, not negative), got '-1'");
    EXPECT_EQ(error_of(least + "CC_MODE"),
              "3:8: the file ends where the value of CC_MODE should be");
    EXPECT_EQ(error_of(least + "KMAX_MAP 2 25000000000 100\n"),
              "4:1: the file ends where rate 2 of 2 of KMAX_MAP should be");
    EXPECT_EQ(error_of(least + "KMAX_MAP 2 1Gbps 1 1000Mbps 2\n"),
              "3:20: KMAX_MAP lists the rate 1000Mbps twice");
    EXPECT_EQ(error_of(least + "PMAX_MAP 1 1Gbps 1001\n"),
              "3:18: PMAX_MAP must be from 0 to 1000, got '1001'");
    EXPECT_EQ(error_of("FLOW_FILE f\n"), "0:0: TOPOLOGY_FILE must be given");
    EXPECT_EQ(
        error_of("TOPOLOGY_FILE t\nFLOW_INPUT_FILE f\n"),
        "0:0: FLOW_FILE must be given; FLOW_INPUT_FILE names a file that the simulator writes");
    EXPECT_EQ(error_of(least + "BUFFER_SIZE 1048577\n"),
              "3:0: BUFFER_SIZE must be from 0 to 1048576 (MiB)");
    EXPECT_NE(error_of(least + "RATE_AI 5MB\n").find("3:9: the value of RATE_AI: "),
              std::string::npos);
}

// What a C++ stream makes of them: a whole number ends at its point, pairs beyond the number
// announced are no keys.
TEST(HpccConfig, LeavesAwayWhatTheSimulatorLeavesAway)
{
    TextFile f(least + "BUFFER_SIZE 0.5\nMI_THRESH 5.0\nKMAX_MAP 1 1000 4 2000 8\nKMIN_MAP 2 1000 "
                       "4 1000 4\n// a remark\nPMAX_MAP 1 1000 0.2\n");
    Config c(f.path);
    EXPECT_EQ(c->buffer_mib, 0u);
    EXPECT_TRUE(c->cut[WEFT_HPCC_BUFFER_SIZE]);
    EXPECT_EQ(c->mi_thresh, 5u);
    EXPECT_FALSE(c->cut[WEFT_HPCC_MI_THRESH]) << "nothing is lost";
    EXPECT_EQ(c->kmax.n, 1u);
    EXPECT_TRUE(c->cut[WEFT_HPCC_KMAX_MAP]);
    EXPECT_FALSE(c->cut[WEFT_HPCC_KMIN_MAP]) << "twice the same";
    EXPECT_FALSE(c->cut[WEFT_HPCC_PMAX_MAP]);
    EXPECT_EQ(error_of(least + "BUFFER_SIZE .5\n"),
              "3:13: the value of BUFFER_SIZE must be a whole number, got '.5'");
}

TEST(HpccConfig, KeysOfForksAreOffOrRefusedByTheirMeaning)
{
    TextFile f(least + "ENABLE_THEMIS 0\nNO_CC_NODE 0\nENABLE_QBB 0\nAGENT_NODE 2 7 8\n"
                       "RANDOFFSET_PARAMS 1.5 2\nQUEUE_MONITOR_FILE q\nCC_MODE 3\n");
    Config c(f.path);
    EXPECT_EQ(c->enable_pfc, 0);
    EXPECT_EQ(c->cc_mode, 3u);
    EXPECT_EQ(error_of(least + "NO_CC_NODE 2 7 8\n"),
              "3:12: NO_CC_NODE is a list of hosts without congestion control "
              "(CodeFaiths/Hawkeye-sim): weft doesn't have it; with NO_CC_NODE 0 the rest is read");
    EXPECT_EQ(error_of(least + "KMAX 400\n"),
              "3:1: KMAX is a key of ns3-rdma (bobzhuyb/ns3-rdma), the ancestor of HPCC's "
              "simulator: weft doesn't have it");
    EXPECT_EQ(error_of(least + "ENABLE_SEANET\n").substr(0, 4), "4:1:");
    EXPECT_NE(error_of("TOPOLOGY_FILE t\nFLOW_FILE_NAME f\n")
                  .find("FLOW_FILE must be given; "
                        "FLOW_FILE_NAME is a name"),
              std::string::npos);
}

/* A switch that no table has, and that is off, changes nothing; a known one with a letter wrong is
 * a mistake, and so is one that is on. */
TEST(HpccConfig, SwitchesThatAreOffAreLeftOut)
{
    TextFile f(least + "ENABLE_QLEN_MON 1\nSIMULATOR_STOP_ONE_FLOW 0\nFCT_OUTPUT_TEMPLATE "
                       "fct_{suffix}.txt\nENABLE_TELEPORTATION 0\nUSE_CRYSTAL_BALL false\n"
                       "ByteCounterEnabled 0\nCC_MODE 3\nPMAX_MAP 1 1Gbps 2\n");
    Config c(f.path);
    EXPECT_EQ(c->cc_mode, 3u);
    EXPECT_STREQ(c->offs, " ENABLE_TELEPORTATION USE_CRYSTAL_BALL ByteCounterEnabled");
    EXPECT_EQ(c->pmax.entries[0].value, 2);
    EXPECT_EQ(error_of(least + "ENABLE_PCF 0\n"),
              "3:1: unknown key 'ENABLE_PCF'; did you mean 'ENABLE_PFC'?");
    EXPECT_NE(error_of(least + "ENABLE_TELEPORTATION 1\n").find("3:1: unknown key"),
              std::string::npos);
    EXPECT_NE(error_of(least + "ENABLE_TELEPORTATION\n0\n").find("3:1: unknown key"),
              std::string::npos);
    EXPECT_NE(error_of(least + "TELEPORTATION 0\n").find("3:1: unknown key"), std::string::npos);
    EXPECT_NE(error_of(least + "SIMULATOR_STOP_ONE_FLOW 1\n")
                  .find("with SIMULATOR_STOP_ONE_FLOW 0 the rest is read"),
              std::string::npos);
}

TEST(HpccConfig, AnAbsentFileIsAnIoError)
{
    weft_err err = {};
    EXPECT_EQ(weft_hpcc_config_read("/nowhere/config.txt", nullptr, &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_IO);
}

TEST(HpccConfig, FilesLieBesideTheConfigOrItsFolder)
{
    TempDir dir;
    std::filesystem::create_directory(dir / "mix");
    std::ofstream(dir / "mix/config.txt") << least;
    std::ofstream(dir / "mix/t") << "1 0 0";
    Config c(dir / "mix/config.txt");
    char path[WEFT_PATH_MAX];
    weft_err err = {};
    EXPECT_EQ(weft_hpcc_config_find(c.get(), WEFT_HPCC_TOPOLOGY_FILE, "t", path, &err), 0);
    EXPECT_TRUE(std::filesystem::equivalent(path, dir / "mix/t"));
    for (const char *name : {"mix/t", "/of/another/machine/t", "../of/another/t"}) {
        EXPECT_EQ(weft_hpcc_config_find(c.get(), WEFT_HPCC_TOPOLOGY_FILE, name, path, &err), 0);
        EXPECT_TRUE(std::filesystem::equivalent(path, dir / "mix/t")) << name;
    }
    EXPECT_EQ(weft_hpcc_config_find(c.get(), WEFT_HPCC_FLOW_FILE, "f", path, &err), WEFT_E_IO);
    EXPECT_EQ(err.line, 2);
    EXPECT_EQ(std::string(err.msg).find("FLOW_FILE f: no such file"), 0u) << err.msg;
}

TEST(HpccConfig, ShippedAndReferenceFilesAreValid)
{
    NEEDS_SHARED_DATA();
    Config shipped(shared_data() + "/hpcc/config.txt");
    EXPECT_EQ(shipped->cc_mode, 3u);
    EXPECT_EQ(shipped->rp_timer_ps, 900000000);
    EXPECT_STREQ(shipped->flow_file, "mix/flow.txt");
    for (const std::string &dir : reference_cases()) {
        Config c(dir + "/config.txt");
        EXPECT_EQ(c->stop_ps, INT64_C(3000000000000)) << dir;
        EXPECT_EQ(c->kmax.n, 3u) << dir;
        EXPECT_STREQ(c->topology_file, "topology.txt") << dir;
    }
}

} // namespace
