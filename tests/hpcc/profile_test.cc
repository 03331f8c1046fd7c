// SPDX-License-Identifier: GPL-2.0-only
// From a configuration to settings.
#include "foreign/hpcc/job.h"
#include "foreign/hpcc/profile.h"

#include "files.h"

#include <set>

namespace
{

/* A folder with config.txt, a topology and flows. */
class Case
{
  public:
    explicit Case(const std::string &config,
                  const std::string &topology = "3 1 2\n2\n0 2 100Gbps 1us 0\n2 1 100Gbps 1us 0\n",
                  const std::string &flows = "1\n0 1 3 100 1000000 2\n")
    {
        std::ofstream(m_dir / "config.txt") << "TOPOLOGY_FILE t\nFLOW_FILE f\n" << config;
        std::ofstream(m_dir / "t") << topology;
        std::ofstream(m_dir / "f") << flows;
        m_read = weft_hpcc_job_read(&job, (m_dir / "config.txt").c_str(), false, nullptr,
                                    WEFT_HPCC_FLOW_AUTO, &err);
        EXPECT_EQ(m_read, 0) << where(err);
    }
    ~Case()
    {
        weft_hpcc_job_free(&job);
    }
    /* All settings; an error leaves none and is in err. */
    std::set<std::string> sets(bool compat, const char *control = nullptr)
    {
        std::set<std::string> all;
        weft_hpcc_profile_input in = {job.config, "t",    job.fabric, job.flows,
                                      &job.pairs, compat, control};
        weft_hpcc_profile *p = weft_hpcc_profile_new(&in, &err);
        for (size_t i = 0; p && i < p->nsets; i++)
            all.insert(p->sets[i]);
        for (size_t i = 0; p && i < p->nwarnings; i++)
            warnings += std::string(p->warnings[i]) + "\n";
        weft_hpcc_profile_free(p);
        return all;
    }
    weft_hpcc_job job = {};
    weft_err err = {};
    std::string warnings;

  private:
    TempDir m_dir;
    int m_read;
};

const std::string maps = "KMIN_MAP 2 100000000000 400 25000000000 100.5\n"
                         "KMAX_MAP 2 100000000000 1600 25000000000 400\n"
                         "PMAX_MAP 2 100000000000 0.2 25000000000 0.1\n";

TEST(HpccProfile, DcqcnKeysBecomeParameters)
{
    Case c(maps + "CC_MODE 1\nEWMA_GAIN 0.00390625\nRATE_AI 20Mb/s\nRATE_HAI 200Mb/s\nMIN_RATE "
                  "1000Mb/s\nRP_TIMER 300\nALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\n"
                  "FAST_RECOVERY_TIMES 1\nHAS_WIN 0\nBUFFER_SIZE 32\nSIMULATOR_STOP_TIME 3.00\n");
    const auto s = c.sets(false);
    for (const char *want : {"congestion-control.name=dcqcn",
                             "congestion-control.mode=hpcc",
                             "congestion-control.gain=0.00390625",
                             "congestion-control.rate-ai=20Mbps",
                             "congestion-control.rate-hai=200Mbps",
                             "congestion-control.min-rate=1Gbps",
                             "congestion-control.rate-timer=300us",
                             "congestion-control.alpha-timer=1us",
                             "congestion-control.decrease-interval=4us",
                             "congestion-control.fast-recovery=1",
                             "congestion-control.window=none",
                             "ecn.kmin=400000B",
                             "ecn.kmax=1600000B",
                             "ecn.pmax=0.2",
                             "ecn.scale-rate=0",
                             "switch.buffer=32MiB",
                             "run.until=3s",
                             "transport.mtu=1000B",
                             "transport.ack-every=1",
                             "transport.base-rtt=4160ns",
                             "transport.bdp=52000B",
                             "topology.file=t",
                             "pfc.prios=8"})
        EXPECT_TRUE(s.count(want)) << want;
    EXPECT_FALSE(s.count("transport.header=48B")); /* only with compat */
}

TEST(HpccProfile, CompatAddsTheWholeTable)
{
    Case c(maps);
    const auto with = c.sets(true), without = c.sets(false);
    size_t n;
    const weft_hpcc_compat *rows = weft_hpcc_compat_table(&n);
    EXPECT_GT(n, 10u);
    for (size_t i = 0; i < n; i++) {
        EXPECT_TRUE(with.count(std::string(rows[i].key) + "=" + rows[i].value)) << rows[i].key;
        EXPECT_NE(rows[i].why[0], '\0');
    }
    EXPECT_FALSE(without.count("transport.time-quantum=1ns"));
}

TEST(HpccProfile, AckFramesWithTheirSignals)
{
    /* max(60, 46 + signal) on the wire, of which the control adds the signal itself. */
    const struct {
        const char *mode, *frame;
    } cases[] = {{"1", "60"}, {"8", "60"}, {"3", "46"}, {"7", "52"}, {"10", "58"}, {"99", "60"}};
    for (const auto &k : cases) {
        Case c(maps + "CC_MODE " + k.mode + "\n");
        EXPECT_TRUE(c.sets(true).count(std::string("transport.ack-frame=") + k.frame + "B"))
            << k.mode;
    }
}

TEST(HpccProfile, WindowsAndUnknownModes)
{
    EXPECT_TRUE(
        Case("CC_MODE 3\nVAR_WIN 1\n").sets(false).count("congestion-control.window=scaled"));
    EXPECT_TRUE(Case("CC_MODE 3\n").sets(false).count("congestion-control.window=fixed"));
    EXPECT_TRUE(Case("CC_MODE 12\n").sets(false).count("congestion-control.name=static-window"));
    EXPECT_TRUE(Case("CC_MODE 12\nHAS_WIN 0\n").sets(false).count("congestion-control.name=none"));
    EXPECT_TRUE(Case("CC_MODE 10\n").sets(false).count("congestion-control.average-time=4160ns"));
    EXPECT_FALSE(Case("CC_MODE 3\nGLOBAL_T 0\n").sets(false).count("transport.bdp=52000B"));
}

TEST(HpccProfile, SeveralRatesMakeAMap)
{
    Case c(maps, "3 1 2\n2\n0 2 25Gbps 1us 0\n2 1 100Gbps 1us 0\n");
    EXPECT_TRUE(c.sets(false).count("ecn.rate-map=25Gbps:100500B:400000B:0.1,100Gbps:400000B:"
                                    "1600000B:0.2"));
}

/* A link between two hosts is of a rate that the map may have or lack, as no switch marks on it. */
TEST(HpccProfile, RatesOfLinksBetweenHostsNeedNoEntry)
{
    const std::string links = "4 1 4\n3\n0 3 25Gbps 1us 0\n3 1 100Gbps 1us 0\n2 3 25Gbps 1us 0\n"
                              "0 1 ";
    Case lacking(maps, links + "400Gbps 1us 0\n");
    EXPECT_TRUE(lacking.sets(true).count(
        "ecn.rate-map=25Gbps:100500B:400000B:0.1,100Gbps:400000B:1600000B:0.2,400Gbps:4294967295B:"
        "4294967295B:1"));
    Case listed("KMIN_MAP 2 25000000000 100 100000000000 400\n"
                "KMAX_MAP 2 25000000000 400 100000000000 1600\n"
                "PMAX_MAP 2 25000000000 1 100000000000 0.2\n",
                "3 1 3\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n0 1 100Gbps 1us 0\n");
    EXPECT_TRUE(listed.sets(true).count(
        "ecn.rate-map=25Gbps:100000B:400000B:1,100Gbps:400000B:1600000B:0.2"));
}

TEST(HpccProfile, ARateWithoutThresholdsIsAnError)
{
    Case c("KMIN_MAP 1 25000000000 100\nKMAX_MAP 1 25000000000 100\nPMAX_MAP 1 25000000000 1\n");
    EXPECT_TRUE(c.sets(false).empty());
    EXPECT_EQ(c.err.code, WEFT_E_INPUT);
    EXPECT_EQ(where(c.err),
              "3:0: KMIN_MAP: no entry for the rate 100000000000 (100Gbps) of a switch port");
    /* Where nothing marks, none is needed. */
    EXPECT_FALSE(Case("CC_MODE 3\n").sets(false).empty());
    EXPECT_TRUE(Case("ENABLE_QCN 0\n").sets(false).count("ecn.kmin=1GiB"));
}

TEST(HpccProfile, WhatWeftCantDoIsAnError)
{
    for (const char *line : {"LINK_DOWN 10 0 1", "LB_MODE 4", "ENABLE_IRN 1 L2_BACK_TO_ZERO 1",
                             "NIC_TOTAL_PAUSE_TIME 3", "CC_MODE 10 FAST_REACT 0"}) {
        Case c(maps + line + "\n");
        EXPECT_TRUE(c.sets(false).empty()) << line;
        EXPECT_EQ(c.err.code, WEFT_E_INPUT) << line;
        EXPECT_EQ(c.err.line, 6) << line;
    }
    EXPECT_FALSE(Case(maps + "LINK_DOWN 0 0 0\n").sets(false).empty());
    Case at_zero(maps + "LINK_DOWN 0 2 1\n");
    EXPECT_FALSE(at_zero.sets(false).empty());
    EXPECT_NE(at_zero.warnings.find("LINK_DOWN: without effect: at time 0"), std::string::npos);
}

TEST(HpccProfile, RecoveryPacingAndPfc)
{
    const auto zero = Case(maps + "L2_BACK_TO_ZERO 1\nL2_CHUNK_SIZE 4000\n").sets(true);
    EXPECT_TRUE(zero.count("transport.recovery=go-back-0"));
    EXPECT_TRUE(zero.count("transport.chunk=4000B"));
    EXPECT_TRUE(
        Case(maps + "ENABLE_IRN 1\n").sets(false).count("transport.recovery=selective-repeat"));
    Case unbound(maps + "RATE_BOUND 0\nHAS_WIN 0\n");
    EXPECT_TRUE(unbound.sets(false).count("transport.pacing=false"));
    EXPECT_NE(unbound.warnings.find("nothing holds the senders back"), std::string::npos);
    EXPECT_TRUE(Case(maps + "ENABLE_PFC 0\n").sets(false).count("pfc.enabled=false"));
    EXPECT_TRUE(Case(maps + "HEADROOM_FACTOR 5\n").sets(true).count("pfc.headroom-factor=5"));
    Case unused(maps + "HEADROOM_FACTOR 5\nVOQ_MON_FILE v\nMON_START 3\n");
    unused.sets(false);
    EXPECT_NE(unused.warnings.find("without effect: VOQ_MON_FILE MON_START: weft doesn't write"),
              std::string::npos)
        << unused.warnings;
    EXPECT_NE(unused.warnings.find("without effect beside the other keys: HEADROOM_FACTOR\n"),
              std::string::npos)
        << unused.warnings;
}

/* What ConWeave's run.py writes, but for the maps. */
const std::string conweave =
    "FLOW_INPUT_FILE mix/output/1/1_in.txt\nQLEN_MON_FILE q.txt\nQLEN_MON_START 2.0\n"
    "QLEN_MON_END 2.1\nSW_MONITORING_INTERVAL 10000\nFLOWGEN_START_TIME 2.0\n"
    "FLOWGEN_STOP_TIME 2.1\nBUFFER_SIZE 9\nCC_MODE 1\nLB_MODE 0\nRP_TIMER 300 \nRATE_AI 40.0Mb/s\n"
    "HAS_WIN 0\nVAR_WIN 0\nGLOBAL_T 1\nLOAD 50\nRANDOM_SEED 7\n";
const std::string conweave_flows = "3\n0 1 3 1000 2\n1 0 3 1000 2.5\n0 1 3 1000 3\n";

TEST(HpccProfile, ConWeavesConfiguration)
{
    Case c(maps + conweave + "ENABLE_PFC 0\nENABLE_IRN 1\n",
           "3 1 2\n2\n0 2 100Gbps 1us 0\n2 1 100Gbps 1us 0\n\n\nFirst line: total node #",
           conweave_flows);
    const auto s = c.sets(true);
    for (const char *want :
         {"run.until=12.1s", "run.seed=7", "transport.ack-ignores-pause=true",
          "transport.recovery=selective-repeat", "transport.rto=320us", "transport.rto-low=100us",
          "pfc.enabled=false", "switch.buffer=9MiB", "congestion-control.rate-ai=40Mbps"})
        EXPECT_TRUE(s.count(want)) << want;
    EXPECT_FALSE(s.count("transport.rto=100s"));
    /* Its buffer. */
    for (const char *want :
         {"switch.alpha=1/16", "switch.alpha-by-rate=false", "switch.lossy-alpha=64",
          "switch.egress-alpha=1", "switch.reserve=1048B", "switch.reserve-scope=queue",
          "pfc.xon-offset=1B", "pfc.headroom-mode=standard"})
        EXPECT_TRUE(s.count(want)) << want;
    for (const char *other : {"switch.alpha=1/8", "pfc.xon-offset=3KiB", "pfc.headroom-mode=hpcc"})
        EXPECT_FALSE(s.count(other)) << other;
    EXPECT_EQ(c.job.config->qlen_mon_end_ps, c.job.config->qlen_mon_start_ps); /* not sampled */
    ASSERT_NE(c.job.fabric->notes, nullptr);
    /* Ports count per source and per destination. */
    ASSERT_EQ(c.job.flows->n, 3u);
    EXPECT_EQ(c.job.flows->format, WEFT_HPCC_FLOW_CONWEAVE);
    const unsigned ports[][2] = {{10000, 100}, {10000, 100}, {10001, 101}};
    for (size_t i = 0; i < 3; i++) {
        EXPECT_EQ(c.job.flows->list[i].sport, ports[i][0]);
        EXPECT_EQ(c.job.flows->list[i].dport, ports[i][1]);
    }
    /* IRN's timeouts are its own alone, and so is what follows from the last start. */
    EXPECT_TRUE(
        Case(maps + conweave, "3 1 2\n2\n0 2 100Gbps 1us 0\n2 1 100Gbps 1us 0\n", conweave_flows)
            .sets(true)
            .count("transport.rto=4ms"));
    EXPECT_TRUE(Case(maps + "SIMULATOR_STOP_TIME 4\n" + conweave).sets(true).count("run.until=4s"));
}

// In HPCC's simulator what is free of a buffer of 0 wraps to 4 GiB; ConWeave's counts ports then.
TEST(HpccProfile, BufferSizeZeroAndWhatIsLeftAway)
{
    Case hpcc(maps + "CC_MODE 1\nBUFFER_SIZE 0\n");
    EXPECT_EQ(hpcc.sets(true).count("switch.buffer=2048MiB"), 1u);
    EXPECT_NE(hpcc.warnings.find("BUFFER_SIZE 0 limits nothing in the simulator"),
              std::string::npos);
    Case conweave(maps + "CC_MODE 1\nLB_MODE 0\nBUFFER_SIZE 0\n",
                  "3 1 2\n2\n0 2 100Gbps 1us 0\n2 1 100Gbps 1us 0\n", "1\n0 1 3 1000000 2\n");
    const auto s = conweave.sets(true);
    EXPECT_EQ(s.count("switch.buffer-per-port=375KB"), 1u);
    for (const std::string &set : s)
        EXPECT_NE(set.substr(0, 14), "switch.buffer=");
    Case wrapped(maps + "CC_MODE 1\nBUFFER_SIZE 9216\n");
    EXPECT_EQ(wrapped.sets(true).count("switch.buffer=1024MiB"), 1u);
    EXPECT_NE(wrapped.warnings.find("BUFFER_SIZE 9216 is 1024 MiB in the simulator"),
              std::string::npos);
    Case untraced(maps + "CC_MODE 1\nTRACE_FILE none\n");
    untraced.sets(true);
    EXPECT_EQ(untraced.job.traced.n, 0u);
    EXPECT_NE(untraced.warnings.find("TRACE_FILE none: not there, so that nothing is traced"),
              std::string::npos);
    Case half(maps + "CC_MODE 12\nHAS_WIN 1\nBUFFER_SIZE 8.5\n");
    EXPECT_EQ(half.sets(true).count("switch.buffer=8MiB"), 1u);
    EXPECT_NE(half.warnings.find("BUFFER_SIZE is a whole number, and read as 8"),
              std::string::npos);
    EXPECT_NE(half.warnings.find("CC_MODE 12 is none of the simulator's (1, 3, 7, 8, 10), which "
                                 "plays a fixed window then"),
              std::string::npos)
        << half.warnings;
}

TEST(HpccProfile, LoadBalancersOfConWeavesSimulator)
{
    const struct {
        const char *mode;
        std::vector<const char *> sets;
    } cases[] = {{"2", {"switch.balance=drill", "transport.allow-reordering=true"}},
                 {"3",
                  {"switch.balance=conga", "switch.conga-interval=50us", "switch.conga-decay=0.2",
                   "switch.conga-age=500us", "switch.flowlet-gap=100us"}},
                 {"6", {"switch.balance=letflow", "switch.flowlet-gap=100us"}},
                 {"9",
                  {"switch.balance=conweave", "switch.conweave-reply=4us",
                   "switch.conweave-path-busy=16us", "switch.conweave-inactive=300us",
                   "switch.conweave-resume-extra=32us", "switch.conweave-resume-default=500us"}}};
    for (const auto &k : cases) {
        Case c(maps + "LB_MODE " + k.mode +
               "\nCONWEAVE_TX_EXPIRY_TIME 300\nCONWEAVE_PATH_PAUSE_TIME 16\n");
        const auto s = c.sets(true);
        for (const char *want : k.sets)
            EXPECT_TRUE(s.count(want)) << k.mode << " " << want;
        EXPECT_EQ(c.warnings.find("CONWEAVE_") == std::string::npos, k.mode[0] == '9')
            << c.warnings;
    }
}

TEST(HpccProfile, TimesBeyondTheClockAreItsEnd)
{
    for (const char *at : {"40000000000000.00", "99999999999999999999999999"}) {
        Case c(maps + "SIMULATOR_STOP_TIME " + at + "\nQLEN_MON_END 99999999999999999\n");
        for (const std::string &set : c.sets(false))
            EXPECT_NE(set.rfind("run.until", 0), 0u) << set;
        EXPECT_NE(c.warnings.find("config.txt:6: SIMULATOR_STOP_TIME lies beyond weft's clock"),
                  std::string::npos)
            << c.warnings;
        EXPECT_NE(c.warnings.find("config.txt:7: QLEN_MON_END lies beyond"), std::string::npos);
    }
}

TEST(HpccProfile, KeysWithoutEffectAreReported)
{
    Case c("CC_MODE 3\nPAUSE_TIME 5\nRP_TIMER 900\nU_TARGET 0.95\nINT_MULTI 4\n",
           "3 1 2\n2\n0 2 100Gbps 1us 0\n2 1 100Gbps 1us 0\n",
           "2\n0 1 3 100 10 3\n1 0 2 100 10 2\n9");
    c.sets(false);
    EXPECT_NE(c.warnings.find("config.txt: without effect: PAUSE_TIME: the simulator does"),
              std::string::npos);
    EXPECT_NE(c.warnings.find("under CC_MODE 3 (hpcc): RP_TIMER INT_MULTI\n"), std::string::npos)
        << c.warnings;
    EXPECT_NE(c.warnings.find("not ordered by start"), std::string::npos);
    EXPECT_NE(c.warnings.find("/f:4: what follows the 2 flows is ignored"), std::string::npos);
    EXPECT_NE(c.warnings.find("flows of several priority groups"), std::string::npos);
    c.warnings.clear();
    c.sets(true);
    EXPECT_NE(c.warnings.find("under CC_MODE 3 (hpcc): RP_TIMER\n"), std::string::npos);
}

TEST(HpccJob, ErrorRateGoesToLinksWithoutOne)
{
    Case c("ERROR_RATE_PER_LINK 0.25\n", "3 1 2\n2\n0 2 100Gbps 1us 0.5\n2 1 100Gbps 1us 0\n");
    ASSERT_EQ(c.job.fabric->nlinks, 2u);
    EXPECT_EQ(c.job.fabric->links[0].error_rate, 0.5);
    EXPECT_EQ(c.job.fabric->links[1].error_rate, 0.25);
    EXPECT_EQ(c.job.fabric->nhosts, 2u);
}

TEST(HpccProfile, AnotherControlTakesThePlaceOfCcMode)
{
    Case c(maps + "CC_MODE 1\nHAS_WIN 1\nRATE_AI 20Mb/s\nMIN_RATE 1000Mb/s\n");
    const auto s = c.sets(true, "swift");
    EXPECT_TRUE(s.count("congestion-control.name=swift"));
    for (const std::string &set : s) {
        EXPECT_TRUE(set.rfind("congestion-control.", 0) ||
                    set.rfind("congestion-control.name", 0) == 0)
            << set;
        EXPECT_NE(set.rfind("ecn.", 0), 0U) << set; /* Swift doesn't ask for marks */
    }
    EXPECT_TRUE(s.count("transport.ack-frame=60B"));
    EXPECT_NE(c.warnings.find("without effect under --control swift: RATE_AI MIN_RATE HAS_WIN"),
              std::string::npos)
        << c.warnings;
    /* One that marks takes the thresholds. */
    EXPECT_TRUE(c.sets(true, "dctcp").count("ecn.rate-map=100Gbps:400000B:1600000B:0.2") ||
                c.sets(true, "dctcp").count("ecn.kmin=400000B"));
}

} // namespace
