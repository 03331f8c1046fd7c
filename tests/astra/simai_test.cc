// SPDX-License-Identifier: GPL-2.0-only
// The command `simai`: options and files of SimAI's simulator, and its table of layers.
#include "tests/cli/program.h"

#include <algorithm>

namespace
{

bool has(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

std::string text_of(const std::string &file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/* Two servers of two GPUs; every link has 100 bytes/ns and 1 us. */
const char *const topology = "7 2 2 1 8 H100\n4 5 6\n"
                             "0 4 800Gbps 0.001ms 0\n1 4 800Gbps 0.001ms 0\n"
                             "2 5 800Gbps 0.001ms 0\n3 5 800Gbps 0.001ms 0\n"
                             "0 6 800Gbps 0.001ms 0\n1 6 800Gbps 0.001ms 0\n"
                             "2 6 800Gbps 0.001ms 0\n3 6 800Gbps 0.001ms 0\n";

struct Files {
    TempDir dir;
    explicit Files(const std::string &conf = "")
    {
        write_file(dir / "topo", topology);
        write_file(dir / "SimAI.conf",
                   "ENABLE_QCN 1\nCC_MODE 1\nPACKET_PAYLOAD_SIZE 9000\n"
                   "SIMULATOR_STOP_TIME 40000000000000.00\nBUFFER_SIZE 32\n"
                   "FLOW_FILE /etc/none.txt\nKMAX_MAP 1 1 400\nKMIN_MAP 1 1 100\n"
                   "PMAX_MAP 1 1 0.2\n" +
                       conf);
        write_file(dir / "w.txt",
                   "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 "
                   "ga: 1 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0\n1\n"
                   "a -1 10000 ALLREDUCE 2000000 20000 NONE 0 30000 ALLREDUCE 4000000 0\n");
    }
    Said Run(const std::vector<std::string> &more = {}) const
    {
        std::vector<std::string> args = {"simai", "-t", "16",         "-w",    "w.txt", "-n",
                                         "topo",  "-c", "SimAI.conf", "--out", "out"};
        args.insert(args.end(), more.begin(), more.end());
        return weft(args, dir / "");
    }
};

} // namespace

/* 10 us, all-reduce in a server 2 x (10 + 2) us, 20 us, 30 us, then that between servers, 2 x (20 +
 * 2) us, is waited for. Bandwidths in 2^30 byte/s. */
TEST(SimAI, LayersInItsColumns)
{
    Files f;
    const Said said = f.Run({"--backend", "ideal"});
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(has(said.out, "end-to-end time          128 us")) << said.out;
    const std::string table = text_of(f.dir / "out/ncclFlowModel_EndToEnd.csv");
    EXPECT_TRUE(has(table, "layer_name,test1,fwd compute,wg compute,ig compute,fwd exposed comm,"
                           "wg exposed comm,ig exposed comm,fwd total comm,algbw,busbw,wg total "
                           "comm,algbw,busbw,ig total comm,algbw,busbw\n"
                           "a,test1,10,30,20,24,44,0,24,77.61,77.61,44,84.67,84.67,0,0.00,0.00\n"))
        << table;
    EXPECT_TRUE(has(table, "\ntest1, 44 (34.38%), 0 (0.00%), 24 (18.75%), 0 (0.00%), 0 (0.00%), "
                           "0 (0.00%), 60 (46.88%), 68 (53.12%), 128\n"))
        << table;
}

/* A NIC sends one message after the other: MICRO's all-reduces over the two servers, each 1 GB,
 * take at least as long as its bytes, 2 x 1/2 within the server and 2 x 1/2 x 1/2 between them. */
TEST(SimAI, NoFasterThanItsLinks)
{
    Files f;
    write_file(f.dir / "w.txt",
               "MICRO\n1\nmicro_test -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 1000000000 1\n");
    ASSERT_EQ(f.Run({"--backend", "ideal"}).code, 0);
    double us = 0;
    const std::string table = text_of(f.dir / "out/ncclFlowModel_EndToEnd.csv");
    sscanf(table.substr(table.find("micro_test")).c_str(), "micro_test,test1,0,0,0,0,%lf", &us);
    EXPECT_GE(us, 10000 + 5000) << table;
    EXPECT_LE(us, 15200) << table;
}

/* A group of four in servers of two is two whole ones, one of three is not. */
TEST(SimAI, GroupsAcrossServers)
{
    Files f;
    const auto layer = [&](int tp) {
        write_file(f.dir / "w.txt",
                   "HYBRID_TRANSFORMER model_parallel_NPU_group: " + std::to_string(tp) +
                       "\n1\na -1 1 ALLREDUCE 9000 1 NONE 0 1 ALLREDUCE 9000 0\n");
    };
    layer(4);
    Said said = f.Run({"--backend", "ideal"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(has(said.out, "ring in dimension 0 (2), ring in dimension 1 (2)")) << said.out;
    layer(3);
    said = f.Run({"--backend", "ideal"});
    EXPECT_EQ(said.code, 3);
    EXPECT_TRUE(has(said.err, "do not fit into the servers")) << said.err;
    EXPECT_TRUE(has(said.err, "no multiple of model_parallel_NPU_group = 3; nearest 3"))
        << said.err;
}

TEST(SimAI, Ns3Outputs)
{
    Files f("FCT_OUTPUT_FILE /etc/astra-sim/simulation/ncclFlowModel_fct.txt\n"
            "PFC_OUTPUT_FILE /etc/astra-sim/simulation/ncclFlowModel_pfc.txt\n");
    const Said said = f.Run();
    if (has(said.err, "unknown network 'packet'") || has(said.err, "there is no backend"))
        GTEST_SKIP() << "needs the packet backend";
    ASSERT_EQ(said.code, 0) << said.err;
    const std::string fct = text_of(f.dir / "out/ncclFlowModel_fct.txt"),
                      flows = text_of(f.dir / "out/flows.csv");
    EXPECT_GT(std::count(fct.begin(), fct.end(), '\n'), 0);
    EXPECT_EQ(std::count(fct.begin(), fct.end(), '\n') + 1,
              std::count(flows.begin(), flows.end(), '\n'));
    EXPECT_EQ(fct.compare(0, 28, "0b000001 0b000101 10000 100 "), 0) << fct;
    EXPECT_EQ(text_of(f.dir / "out/ncclFlowModel_pfc.txt"), "");
    const std::string run = text_of(f.dir / "out/run.json");
    for (const char *name : {"fct.txt", "pfc.txt", "EndToEnd.csv"})
        EXPECT_TRUE(has(run, std::string("\"ncclFlowModel_") + name + "\"")) << run;
    // without packets there are none, and those of before are gone
    ASSERT_EQ(f.Run({"--backend", "ideal"}).code, 0);
    EXPECT_EQ(text_of(f.dir / "out/ncclFlowModel_fct.txt"), "");
    EXPECT_NE(text_of(f.dir / "out/ncclFlowModel_EndToEnd.csv"), "");
}

TEST(SimAI, ListsBecomeTraces)
{
    Files f;
    const Said made = weft({"trace", "convert", "w.txt", "t", "--set", "ranks=4"}, f.dir / "");
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_TRUE(has(made.out,
                    "wrote t.{0..3}.et\nHYBRID_TRANSFORMER_FWD_IN_BCKWD, 1 layers, read as "
                    "SimAI writes it\n"))
        << made.out;
    EXPECT_EQ(weft({"trace", "check", "t", "--groups", "t.json"}, f.dir / "").code, 0);
}

/* LINK_DOWN counts from 2 s there, and workloads begin at 0. */
TEST(SimAI, LossesAndFailures)
{
    const auto shown = [](const char *conf) {
        const Files f(conf);
        return weft({"simai", "-w", "w.txt", "-n", "topo", "-c", "SimAI.conf", "--show-settings"},
                    f.dir / "");
    };
    const Said said = shown("LINK_DOWN 5 0 4\nERROR_RATE_PER_LINK 0.01\n");
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(has(said.out, "link-down link=0 at=2000005us")) << said.out;
    EXPECT_TRUE(has(said.out, "error-rate")) << said.out;
    EXPECT_TRUE(has(said.err, "LINK_DOWN: the link fails 5 us after 2 s")) << said.err;
    EXPECT_TRUE(has(shown("LINK_DOWN 5 0 3\n").err, "no link between nodes 0 and 3"));
    EXPECT_FALSE(has(shown("").out, "link-down"));
}

/* Two servers of eight GPUs: TP's all-reduce is summed up in the NVSwitch, 2 MB once instead of 2 x
 * 7/8 times over a link; that of DP between servers is a ring as before. */
TEST(SimAI, NvlsOfTpGroups)
{
    Files f;
    const auto servers = [](const char *gpu) {
        std::string t = std::string("19 8 2 1 32 ") + gpu + "\n16 17 18\n";
        for (int g = 0; g < 16; g++)
            for (const int s : {16 + g / 8, 18})
                t += std::to_string(g) + " " + std::to_string(s) + " 800Gbps 0.001ms 0\n";
        return t;
    };
    const std::string tail = " ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 16 checkpoints: 0 "
                             "checkpoint_initiates: 0\n1\n"
                             "a -1 10000 ALLREDUCE 2000000 0 NONE 0 0 ALLREDUCE 4000000 0\n";
    const std::string head = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: ";
    write_file(f.dir / "topo", servers("H100"));
    write_file(f.dir / "w.txt", head + "8" + tail);
    const auto said = [&f](bool on) {
        setenv("AS_NVLS_ENABLE", on ? "1" : "0", 1);
        const Said s = f.Run({"--backend", "ideal"});
        unsetenv("AS_NVLS_ENABLE");
        EXPECT_EQ(s.code, 0) << s.err;
        return s;
    };
    // forward compute 10 us; ring: 14 x (2.5 + 2) us, sums: 20 + 2 us; DP: 2 x (20 + 2) us
    EXPECT_TRUE(has(said(false).out, "end-to-end time          117 us")) << said(false).out;
    const Said nvls = said(true);
    EXPECT_TRUE(has(nvls.out, "end-to-end time          76 us")) << nvls.out;
    EXPECT_TRUE(has(nvls.err, "NVSwitches add up all-reduces in a server")) << nvls.err;
    for (const bool tp : {false, true}) { // groups of 4 ranks; A100s
        write_file(f.dir / "topo", servers(tp ? "H800" : "A100"));
        write_file(f.dir / "w.txt", head + (tp ? "4" : "8") + tail);
        EXPECT_TRUE(has(said(true).err, "AS_NVLS_ENABLE=1 has no effect")) << said(true).err;
    }
}

/* Two servers of two GPUs, a switch per rail and none between: a ring of DP stays on its rail; an
 * all-to-all of all crosses NVLink first, as with AS_PXN_ENABLE=1. */
TEST(SimAI, RailsWithoutASpine)
{
    Files f;
    write_file(f.dir / "topo", "8 2 2 2 8 H100\n4 5 6 7\n"
                               "0 4 800Gbps 0.001ms 0\n1 4 800Gbps 0.001ms 0\n"
                               "2 5 800Gbps 0.001ms 0\n3 5 800Gbps 0.001ms 0\n"
                               "0 6 100Gbps 0.001ms 0\n2 6 100Gbps 0.001ms 0\n"
                               "1 7 100Gbps 0.001ms 0\n3 7 100Gbps 0.001ms 0\n");
    const std::string head = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: ",
                      tail = " ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: 0 "
                             "checkpoint_initiates: 0\n1\na -1 0 ";
    // a rail's ring: twice half of 2 MB at 12.5 bytes/ns, 2 us of links
    write_file(f.dir / "w.txt", head + "2" + tail + "NONE 0 0 NONE 0 0 ALLREDUCE 2000000 0\n");
    Said said = f.Run({"--backend", "ideal"});
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(has(said.out, "end-to-end time          164 us")) << said.out;
    EXPECT_TRUE(has(said.err, "AS_PXN_ENABLE is not 1: SimAI has no path")) << said.err;
    // a NIC sends its GPU's 1 MB to each of two others, one of them for the GPU beside it
    write_file(f.dir / "w.txt", head + "4" + tail + "ALLTOALL 4000000 0 NONE 0 0 NONE 0 0\n");
    setenv("AS_PXN_ENABLE", "1", 1);
    said = f.Run();
    unsetenv("AS_PXN_ENABLE");
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_FALSE(has(said.err, "AS_PXN_ENABLE")) << said.err;
    std::string run = text_of(f.dir / "out/run.json");
    run = run.substr(run.find("\"end_to_end_ns\": ") + 17);
    EXPECT_GE(std::stod(run), 2 * 80000); // both over one NIC
    EXPECT_LE(std::stod(run), 2 * 80000 * 1.1);
}

TEST(SimAI, ConfigurationAndEnvironment)
{
    Files f;
    const Said said = f.Run({"--no-out", "--show-settings"});
    EXPECT_EQ(f.Run({"--no-out"}).code, 2); // with --out
    ASSERT_EQ(said.code, 2);
    std::vector<std::string> args = {"simai", "-w", "w.txt",      "-n",
                                     "topo",  "-c", "SimAI.conf", "--show-settings"};
    const Said shown = weft(args, f.dir / "");
    ASSERT_EQ(shown.code, 0) << shown.err;
    EXPECT_TRUE(has(shown.err, "KMIN_MAP has no entry for 800Gbps")) << shown.err;
    EXPECT_TRUE(has(shown.err, "AS_SEND_LAT is not set: each message waits 6 us")) << shown.err;
    EXPECT_TRUE(has(shown.out, "system.send-latency              = 6us ")) << shown.out;
    EXPECT_TRUE(has(shown.err, "FLOW_FILE has no effect: the traffic is the workload's; "
                               "FCT_OUTPUT_FILE and PFC_OUTPUT_FILE are written"))
        << shown.err;
    EXPECT_TRUE(has(shown.out, "ring,ring")) << shown.out;
    EXPECT_FALSE(has(shown.err, "GLOBAL_T")) << shown.err;
    Files own("GLOBAL_T 0\n"); // which SimAI overwrites
    const Said longest = weft(args, own.dir / "");
    EXPECT_EQ(longest.out, shown.out);
    EXPECT_TRUE(has(longest.err, "GLOBAL_T=0 has no effect, as in SimAI")) << longest.err;
    const std::pair<const char *, const char *> theirs[] = {
        {"-g", "-g: SimAI_analytical's option"},
        {"-g_p_s", "gen_Topo_Template.py -g GPUS -gps PER_SERVER"},
        {"-nv", "gen_Topo_Template.py -nvbw RATE -bw RATE"},
        {"-busbw", "--backend ideal"},
        {"--bus-bandwidth=x", "--bus-bandwidth: SimAI_analytical's"},
        {"-r", "--out DIR"},
        {"-tp_o", "What overlaps follows from the run"},
        {"-v", "weft report"}};
    for (const auto &[option, instead] : theirs) {
        const Said refused = f.Run({option, "8"});
        EXPECT_EQ(refused.code, 2) << option;
        EXPECT_TRUE(has(refused.err, instead)) << refused.err;
    }
    EXPECT_TRUE(has(weft({"simai", "-w", "w.txt"}, f.dir / "").err, "must be given"));
    setenv("AS_SEND_LAT", "5", 1);
    setenv("AS_NVLS_ENABLE", "1", 1);
    const Said delayed = f.Run({"--backend", "ideal"});
    setenv("AS_SEND_LAT", "soon", 1);
    const Said wrong = f.Run();
    unsetenv("AS_SEND_LAT");
    unsetenv("AS_NVLS_ENABLE");
    EXPECT_TRUE(has(delayed.out, "end-to-end time          148 us"))
        << delayed.out; // before each of 4 messages
    EXPECT_TRUE(has(delayed.err, "AS_NVLS_ENABLE=1 has no effect: SimAI lets NVSwitches add up "
                                 "all-reduces of TP groups of 8"))
        << delayed.err;
    EXPECT_TRUE(has(wrong.err, "must be whole microseconds")) << wrong.err;
}
