// SPDX-License-Identifier: GPL-2.0-only
// The command `astra-sim`: options, files of every age, and what is said of keys.
#include "experiment.h"

#include <cinttypes>
#include <map>

namespace
{

bool has(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

TEST(AstraSim, PrintsRanksInItsOwnForm)
{
    Experiment x(yaml_of("Ring", "8"), system_of("\"ring\""));
    x.Generate({"ranks=8", "size=1MiB", "compute-time=50us"});
    const Said said = x.Run();
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(has(said.out, "sys[0] finished, 114440 cycles, exposed communication 64440 cycles."
                              "\nsys[0], Wall time: 114440\nsys[0], GPU time: 50000\n"
                              "sys[0], Comm time: 64440\nsys[1] finished"))
        << said.out;
    EXPECT_TRUE(has(said.out, "end-to-end time          114.4 us"));
    EXPECT_TRUE(has(said.err, "played by the ideal backend as AstraSim_Analytical_Congestion_Aware "
                              "does it; --backend chooses\n"))
        << said.err;
    const Said json = x.Run({"--json"});
    EXPECT_TRUE(has(json.out, "\"command\": \"astra-sim\"")) << json.out;
    EXPECT_FALSE(has(json.out, "sys[0]"));
}

/* Values in either form; those without effect are named. */
TEST(AstraSim, OptionsOfAllFrontends)
{
    Experiment x(yaml_of("Ring", "8"), system_of("\"ring\""));
    x.Generate({"ranks=8", "size=1MiB"});
    const Said said =
        x.Run({"--num-queues-per-dim", "1", "--injection-scale", "10", "--comm-scale=2",
               "--logging-folder", "log", "--num-passes=2", "--rendezvous-protocol=false"});
    EXPECT_EQ(last_cycles(said), 69840) << said.err; // an endpoint delay of 100 ns
    for (const char *name : {"--comm-scale", "--logging-folder", "--num-passes"})
        EXPECT_TRUE(has(said.err, std::string(name) + " has no effect")) << said.err;
    EXPECT_EQ(last_cycles(x.Run({"--num-queues-per-dim=2", "--set", "system.endpoint-delay=10ns"})),
              64440);
    // a request of 8192 B before each of 14 messages in 4 chunks: 500 + 152 ns each
    EXPECT_EQ(last_cycles(x.Run({"--rendezvous-protocol", "true"})), 64440 + 4 * 14 * 652);
    // eight hosts on one switch, by -topo; the network file has the number of NPUs
    write_file(x.dir / "8nodes.topo", "Nodes 8\nTiers 2\nPodsize 4\nTier 0\n"
                                      "Downlink_speed_Gbps 100\nRadix_Down 4\nRadix_Up 4\n"
                                      "Downlink_Latency_ns 1000\nTier 1\n"
                                      "Downlink_speed_Gbps 100\nRadix_Down 2\n"
                                      "Downlink_Latency_ns 1000\n");
    const Said htsim = x.Run({"--htsim_opts", "-topo", "8nodes.topo", "-o", "x"});
    EXPECT_EQ(htsim.code, 0) << htsim.err;
    EXPECT_TRUE(has(htsim.err, "the fabric is that of 8nodes.topo")) << htsim.err;
    EXPECT_TRUE(has(htsim.err, "--htsim_opts -o x: without effect")) << htsim.err;
    // 14 steps of 32,768 B in 4 chunks at 12.5 B/ns, over links of 1 us
    EXPECT_GT(last_cycles(htsim), 4 * 14 * (2000 + 2621));
    EXPECT_EQ(x.Run({"--htsim_opts", "-topo", "none.topo"}).code, 4);
    EXPECT_TRUE(has(x.Run({"--htsim_opts", "-o", "x"}).err, "has no -topo: the fabric is that of"));
    EXPECT_TRUE(has(x.Run({"--injection-scale=fast"}).err, "--injection-scale"));
    EXPECT_EQ(x.Run({"--injection-scale=fast"}).code, 2);
    EXPECT_EQ(x.Run({"--num-queues-per-dim=0"}).code, 2);
    EXPECT_EQ(x.Run({"--rendezvous-protocol=maybe"}).code, 2);
}

/* Both analytical networks. Values: ASTRA-sim, measured. */
TEST(AstraSim, CongestionAsOfEitherBinary)
{
    Experiment x(yaml_of("Switch", "8"), system_of("\"ring\""));
    x.Generate({"ranks=8", "size=1MiB"});
    EXPECT_EQ(last_cycles(x.Run()), 126600);
    EXPECT_EQ(last_cycles(x.Run({"--backend", "congestion-aware"})), 126600);
    EXPECT_EQ(last_cycles(x.Run({"--backend=congestion-unaware"})), 92440);
    const Said packet = x.Run({"--backend=packet"});
    if (packet.code == 0) {
        EXPECT_GT(last_cycles(packet), 60000);
        EXPECT_LT(last_cycles(packet), 126600); // a switch does not wait for all of a message
    }
}

/* Published with ASTRA-sim 1.0 (ASPLOS 2023 tutorial, exercise 2): 45,681, 58,449 and 9,001 ns; its
 * event of the start takes the first of them. */
TEST(AstraSim, FilesOfVersion1)
{
    const struct {
        const char *topology, *algorithm;
        int links;
        int64_t ns;
    } rows[] = {{"Ring", "ring", 2, 45680},
                {"Switch", "halvingDoubling", 1, 58448},
                {"FullyConnected", "direct", 7, 9000}};
    for (const auto &r : rows) {
        const std::string a = r.algorithm;
        Experiment x(
            "{\n  \"dimensions-count\": 1,\n  \"topologies-per-dim\": [\"" +
                std::string(r.topology) + "\"],\n  \"units-count\": [8],\n  \"links-count\": [" +
                std::to_string(r.links) +
                "],\n  \"link-latency\": [500],\n  \"link-bandwidth\": [50]\n}\n",
            "scheduling-policy: LIFO\nendpoint-delay: 10\n"
            "active-chunks-per-dimension: 1\npreferred-dataset-splits: 4\n"
            "boost-mode: 1\nall-reduce-implementation: " +
                a + "\nall-gather-implementation: " + a + "\nreduce-scatter-implementation: " + a +
                "\nall-to-all-implementation: direct\n"
                "collective-optimization: localBWAware\n");
        x.Generate({"ranks=8", "size=1MiB"});
        const Said said = x.Run();
        EXPECT_EQ(last_cycles(said), r.ns) << r.topology << said.err;
        EXPECT_TRUE(has(said.err, "'boost-mode' has no effect")) << said.err;
        EXPECT_TRUE(has(said.err, "'scheduling-policy' has no effect: as in")) << said.err;
    }
    Experiment x("{\"topologies-per-dim\": [\"Ring\", \"Ring\"], \"units-count\": [2, 2], "
                 "\"links-count\": [2, 2], \"link-latency\": [1, 1], \"link-bandwidth\": [50, 50]}",
                 "all-reduce-implementation: ring_ring\npreferred-dataset-splits: 1\n");
    x.Generate({"ranks=8", "size=1MiB"});
    const Said said = x.Run({"--units-count", "4", "2", "--links-count", "2", "4", "--link-latency",
                             "7", "1", "--backend=congestion-unaware"});
    // out and back over 4 at 2 x 50 GiB/s: 4 x 10 + 3 (7 + 2441) each, and in between an all-reduce
    // over 2 at 4 x 50 GiB/s: 3 x 10 + 2 (1 + 610)
    EXPECT_EQ(last_cycles(said), 2 * 7384 + 1252) << said.err;
    EXPECT_EQ(x.Run({"--units-count", "4", "4"}).code, 3); // a trace of 8 ranks
}

TEST(AstraSim, WhatCanNotBeHonouredIsRefused)
{
    Experiment x(yaml_of("Ring", "8"), system_of("\"ring\""));
    x.Generate({"ranks=8", "size=1MiB"});
    const struct {
        std::string more, message;
    } cases[] = {
        {", \"per-node-custom-implementation\": \"x.yml\"", "there is no file 'x.yml'"},
        {", \"inter-dimension-scheduling\": \"best\"", "there are baseline, themis"},
        {", \"all-reduce-implementation-custom\": [\"nowhere/x\"]", "there is no 'nowhere/x.0.et'"},
        {", \"peak-perf\": \"fast\"", "'peak-perf'"},
        {", \"peak-perf\": {\"GEMM\": 1}", "'peak-perf': its value must be plain or a list"},
    };
    for (const auto &c : cases) {
        write_file(x.dir / "system", system_of("\"ring\"", c.more));
        const Said said = x.Run();
        EXPECT_EQ(said.code, 3) << c.more;
        EXPECT_TRUE(has(said.err, c.message)) << said.err;
        EXPECT_TRUE(has(said.err, "system:")) << said.err;
    }
    write_file(x.dir / "system", system_of("\"rings\""));
    EXPECT_TRUE(has(x.Run().err, "there is no 'rings'; there are ring, direct"));
    write_file(x.dir / "system", system_of("\"ring\"", ", \"endpoint-dely\": 5, \"G\": 1, "
                                                       "\"perf-per-op\": {\"GEMM\": [1, {}]}"));
    const Said odd = x.Run();
    EXPECT_EQ(odd.code, 0);
    EXPECT_TRUE(has(odd.err, "'endpoint-dely' is no key of ASTRA-sim's and is left out; did you "
                             "mean 'endpoint-delay'?"))
        << odd.err;
    EXPECT_TRUE(has(odd.err, "'perf-per-op' is no key of ASTRA-sim's")) << odd.err;
    write_file(x.dir / "network", "num-npus: 8\nnum-packages: 4\n");
    EXPECT_TRUE(has(x.Run().err, "configuration of Garnet"));
    EXPECT_EQ(weft({"astra-sim"}).code, 2);
}

/* directN, which charges some of the additions; measured with ASTRA-sim's backend with congestion.
 */
TEST(AstraSim, DirectWithWindows)
{
    const int64_t cycles[] = {125880, 71880, 54040, 47160, 47160};
    for (int window = 1; window <= 5; window++) {
        Experiment x(yaml_of("Switch", "8"), system_of("\"direct" + std::to_string(window) + "\""));
        x.Generate({"ranks=8", "size=1MiB"});
        EXPECT_EQ(last_cycles(x.Run()), cycles[window - 1]) << window;
    }
}

/* Two queues per dimension, of which an all-reduce that goes out and back has one for either way
 * and everything else both; measured with ASTRA-sim's backend without congestion. */
TEST(AstraSim, QueuesPerDimension)
{
    const struct {
        const char *kind, *optimization;
        int64_t one, four; // active chunks
    } rows[] = {{"all-reduce", "localBWAware", 64440, 32220},
                {"all-reduce", "baseline", 32220, 16110},
                {"all-gather", "localBWAware", 75508, 37754},
                {"reduce-scatter", "baseline", 16540, 8270},
                {"all-to-all", "localBWAware", 62740, 31370}};
    for (const auto &r : rows) {
        for (const int active : {1, 4}) {
            std::string system = system_of("\"ring\"", "", 4, active);
            system.replace(system.find("localBWAware"), 12, r.optimization);
            Experiment x(yaml_of("FullyConnected", "8"), system);
            x.Generate({"ranks=8", "size=1MiB", std::string("kind=") + r.kind});
            const Said said = x.Run({"--backend=congestion-unaware", "--num-queues-per-dim=2"});
            EXPECT_EQ(last_cycles(said), active == 1 ? r.one : r.four) << r.kind << said.err;
        }
    }
}

/* Traces from JSON, one text per rank. */
void write_traces(const Experiment &x, const std::string &prefix,
                  const std::vector<std::string> &ranks)
{
    for (size_t r = 0; r < ranks.size(); r++) {
        const std::string name = prefix + "." + std::to_string(r);
        write_file(x.dir / (name + ".json"), "{\"version\": \"0.0.4\"}" + ranks[r]);
        const Said said = weft({"trace", "convert", name + ".json", name + ".et"}, x.dir / "");
        ASSERT_EQ(said.code, 0) << said.err;
    }
}

std::string node(int id, const std::string &type, int us, const std::string &more = "")
{
    return "{\"id\": " + std::to_string(id) + ", \"type\": \"" + type +
           "_NODE\", \"durationMicros\": " + std::to_string(us) + more + "}";
}

/* replay-only: whatever a node is, it takes its duration. Of what waits, the lowest id goes next;
 * SENDs and collectives go one after the other, RECVs beside them; 1 ns at least. */
TEST(AstraSim, ReplayOnly)
{
    Experiment x(yaml_of("Ring", "4"), system_of("\"ring\"", ", \"replay-only\": 1"));
    const std::string after_0 = ", \"dataDeps\": [0]", after_2 = ", \"dataDeps\": [2]",
                      on_cpu = ", \"dataDeps\": [3], \"attr\": [{\"name\": \"is_cpu_op\", "
                               "\"boolVal\": true}]";
    const std::string busy = node(0, "COMP", 10) + node(1, "COMP", 20, after_0) +
                             node(2, "COMP", 5) + node(3, "COMM_COLL", 50, after_2) +
                             node(4, "COMM_SEND", 40) + node(5, "COMM_RECV", 80) +
                             node(6, "COMP", 0, on_cpu);
    write_traces(x, "w",
                 {busy, node(0, "COMM_SEND", 3) + node(1, "MEM_LOAD", 4), node(0, "COMP", 0),
                  node(7, "COMM_RECV", 9)});
    const Said said = x.Run();
    ASSERT_EQ(said.code, 0) << said.err;
    // 0, 1, then 2 ends at 35 us; 3 waits for 4 until 40 us, and 6 for it
    EXPECT_TRUE(has(said.out, "sys[0] finished, 90001 cycles")) << said.out;
    EXPECT_TRUE(has(said.out, "sys[1] finished, 7000 cycles")) << said.out;
    EXPECT_TRUE(has(said.out, "sys[2] finished, 1 cycles")) << said.out;
    EXPECT_TRUE(has(said.out, "sys[3] finished, 9000 cycles")) << said.out;
    EXPECT_TRUE(has(said.err, "'replay-only' is on: each node takes its duration")) << said.err;
    EXPECT_TRUE(has(said.out, "messages                 0 delivered")) << said.out;
    // in the order in which they became ready 2 goes before 1
    write_traces(x, "w",
                 {node(0, "COMP", 10) + node(1, "COMP", 20, after_0) + node(2, "COMP", 5) +
                  node(3, "COMM_COLL", 50, after_2)});
    EXPECT_EQ(last_cycles(x.Run()), 85000);
    EXPECT_EQ(last_cycles(x.Run({"--set", "system.compute-order=fifo"})), 65000);
    // off: communication has to be complete
    write_file(x.dir / "system", system_of("\"ring\"", ", \"replay-only\": 0"));
    EXPECT_TRUE(has(x.Run().err, "attribute 'comm_type' is missing"));
}

/* per-node-custom-implementation: one of three all-reduces is a trace, here an exchange of 1 MB of
 * which chunks know nothing. */
TEST(AstraSim, PerNodeCustomCollectives)
{
    Experiment x(yaml_of("FullyConnected", "2"),
                 system_of("\"ring\"", ", \"per-node-custom-implementation\": \"nodes.yml\""));
    x.Generate({"ranks=2", "size=1MiB", "count=3"});
    const auto message = [](int id, const char *type, const char *end, int peer) {
        return node(id, type, 0,
                    std::string(", \"attr\": [{\"name\": \"comm_size\", \"int64Val\": 1000000}, "
                                "{\"name\": \"") +
                        end + "\", \"int32Val\": " + std::to_string(peer) + "}]");
    };
    write_traces(x, "c",
                 {message(0, "COMM_SEND", "comm_dst", 1) + message(1, "COMM_RECV", "comm_src", 1),
                  message(0, "COMM_SEND", "comm_dst", 0) + message(1, "COMM_RECV", "comm_src", 0)});
    write_file(x.dir / "nodes.yml", "1: c\n");
    const Said mixed = x.Run({"--set", "system.endpoint-delay=0"});
    ASSERT_EQ(mixed.code, 0) << mixed.err;
    EXPECT_TRUE(has(mixed.err, "'per-node-custom-implementation' pays endpoint-delay"))
        << mixed.err;
    write_file(x.dir / "nodes.yml", "0: c\n1: c\n2: c\n9: c\n");
    const Said custom = x.Run({"--set", "system.endpoint-delay=0"});
    EXPECT_EQ(last_cycles(custom), 3 * (500 + 18626)); // 10^6 bytes at 50 x 2^30 byte/s
    EXPECT_TRUE(has(custom.err, "node 9 is no collective on any rank")) << custom.err;
    write_file(x.dir / "system", system_of("\"ring\""));
    const int64_t native = last_cycles(x.Run({"--set", "system.endpoint-delay=0"}));
    EXPECT_EQ(last_cycles(mixed), native / 3 * 2 + 500 + 18626);
    write_file(x.dir / "system", system_of("\"ring\"", ", \"per-node-custom-implementation\": "
                                                       "\"nodes.yml\""));
    write_file(x.dir / "nodes.yml", "first: c\n");
    EXPECT_TRUE(has(x.Run().err, "nodes.yml:1: 'first': must be the id of a node")) << x.Run().err;
    write_file(x.dir / "nodes.yml", "1: d\n");
    EXPECT_TRUE(has(x.Run().err, "nodes.yml:1: '1': there is no 'd.0.et'")) << x.Run().err;
}

/* ASTRA-sim leaves dimensions out for which no algorithm is named; weft plays them and says so. */
TEST(AstraSim, FewerAlgorithmsThanDimensions)
{
    Experiment two(yaml_of("Ring, Ring", "4, 4", "50, 50", "500, 500"),
                   system_of("\"ring\", \"ring\""));
    two.Generate({"ranks=16", "size=1MiB"});
    EXPECT_EQ(last_cycles(two.Run()), 43040); // as measured; with one algorithm it takes 43,000
    write_file(two.dir / "system", system_of("\"ring\""));
    const Said said = two.Run();
    EXPECT_EQ(last_cycles(said), 43040);
    EXPECT_TRUE(has(said.err, "names fewer algorithms than there are dimensions")) << said.err;
    write_file(two.dir / "system", system_of("\"oneRing\", \"oneRing\""));
    EXPECT_EQ(last_cycles(two.Run()), 99640 + 30 * 500); // it counts the hops of one dimension
}

/* ns-3: config.txt with its topology, and logical dimensions. */
TEST(AstraSim, Ns3ConfigurationPlaysPackets)
{
    std::string star = "9 1 8\n8\n";
    for (int h = 0; h < 8; h++)
        star += std::to_string(h) + " 8 400Gbps 0.0005ms 0\n";
    Experiment x("ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\nTOPOLOGY_FILE star.txt\n"
                 "FLOW_FILE no/flow.txt\nCC_MODE 12\nHAS_WIN 1\nGLOBAL_T 1\nRATE_AI 50Mb/s\n"
                 "KMAX_MAP 1 400000000000 3200\nKMIN_MAP 1 400000000000 800\n"
                 "PMAX_MAP 1 400000000000 0.2\nBUFFER_SIZE 32\n",
                 system_of("\"ring\""));
    x.Generate({"ranks=8", "size=1MiB"});
    write_file(x.dir / "star.txt", star);
    write_file(x.dir / "logical.json", "{\"logical-dims\": [\"8\"]}");
    const Said said = x.Run({"--logical-topology-configuration=logical.json"});
    if (has(said.err, "unknown network 'packet'") || has(said.err, "there is no backend"))
        GTEST_SKIP() << "needs the packet backend";
    ASSERT_EQ(said.code, 0) << said.err;
    // 14 steps of 4 chunks, each two links of 500 ns and 32,768 B at 50 B/ns; headers and one
    // packet stored by the switch come on top
    EXPECT_GT(last_cycles(said), 4 * (150 + 14 * (1000 + 655)));
    EXPECT_LT(last_cycles(said), 4 * (150 + 14 * (1000 + 655)) * 1.2);
    EXPECT_TRUE(has(said.out, "sys[7] finished")) << said.out;
    EXPECT_TRUE(has(said.err, "FLOW_FILE and TRACE_FILE have no effect: the traffic is the "
                              "workload's; FCT_OUTPUT_FILE and PFC_OUTPUT_FILE are written"));
    // losses of links without a rate of their own, and a link that fails 2 s later than it says
    std::string config;
    {
        std::ifstream in(x.dir / "network");
        config.assign(std::istreambuf_iterator<char>(in), {});
    }
    write_file(x.dir / "network", config + "ERROR_RATE_PER_LINK 0.02\nLINK_DOWN 7 8 3\n");
    const Said lossy = x.Run({"--logical-topology-configuration=logical.json"});
    EXPECT_EQ(lossy.code, 0) << lossy.err;
    EXPECT_GT(last_cycles(lossy), last_cycles(said));
    EXPECT_TRUE(has(lossy.err, "LINK_DOWN: the link fails 7 us after 2 s")) << lossy.err;
    EXPECT_TRUE(has(x.Run({"--logical-topology-configuration=logical.json", "--show-settings"}).out,
                    "link-down link=3 at=2000007us"));
    write_file(x.dir / "network", config + "LINK_DOWN 7 1 2\n");
    EXPECT_TRUE(has(x.Run({"--logical-topology-configuration=logical.json"}).err,
                    "no link between nodes 1 and 2"));
    write_file(x.dir / "network", config);
    write_file(x.dir / "logical.json", "{\"logical-dims\": [\"4\",\"4\"]}");
    const Said large = x.Run({"--logical-topology-configuration=logical.json"});
    EXPECT_EQ(large.code, 3);
    EXPECT_TRUE(has(large.err, "16 NPUs, but the topology has 8 hosts")) << large.err;
}

/* FCT_OUTPUT_FILE and PFC_OUTPUT_FILE, as ASTRA-sim's ns-3 writes them. */
TEST(AstraSim, Ns3Outputs)
{
    const std::string star = "5 1 4\n4\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 4 100Gbps 1us 0\n"
                             "3 4 40Gbps 1us 0\n";
    const std::string config =
        "PACKET_PAYLOAD_SIZE 1000\nTOPOLOGY_FILE star.txt\nENABLE_QCN 1\nCC_MODE 1\n"
        "RATE_AI 50Mb/s\nHAS_WIN 0\nBUFFER_SIZE 1\nKMAX_MAP 2 100000000000 9000 40000000000 9000\n"
        "KMIN_MAP 2 100000000000 8000 40000000000 8000\n"
        "PMAX_MAP 2 100000000000 0.2 40000000000 0.2\n";
    Experiment x(config +
                     "FCT_OUTPUT_FILE ../../scratch/output/mine.txt\nPFC_OUTPUT_FILE pfc.txt\n",
                 system_of("\"direct\"", "", 1));
    x.Generate({"ranks=4", "size=4000000B", "kind=all-to-all"});
    write_file(x.dir / "star.txt", star);
    const std::vector<std::string> args = {"astra-sim",
                                           "--workload-configuration=w",
                                           "--system-configuration=system",
                                           "--network-configuration=network",
                                           "--out",
                                           "o"};
    const Said said = weft(args, x.dir / "");
    if (has(said.err, "unknown network 'packet'") || has(said.err, "there is no backend"))
        GTEST_SKIP() << "needs the packet backend";
    ASSERT_EQ(said.code, 0) << said.err;
    // A line per message of flows.csv: addresses, ports, size, start, until its last ACK, and alone
    // 2 x 2 us, a packet of 1000 B on each link, 1,000,048 x ... of the slower link
    std::ifstream fct(x.dir / "o/mine.txt"), pfc(x.dir / "o/pfc.txt"), run(x.dir / "o/run.json");
    std::map<std::pair<unsigned, unsigned>, unsigned> ports;
    int lines = 0, stops = 0;
    for (std::string line; std::getline(fct, line); lines++) {
        unsigned src, dst, sport, dport;
        uint64_t size, start, took, alone;
        char again[160];
        ASSERT_EQ(sscanf(line.c_str(), "%x %x %u %u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                         &src, &dst, &sport, &dport, &size, &start, &took, &alone),
                  8);
        snprintf(again, sizeof again, "%08x %08x %u 100 1000000 %" PRIu64 " %" PRIu64 " %" PRIu64,
                 src, dst, 10000 + ports[{src, dst}]++, start, took, alone);
        EXPECT_EQ(line, again);
        src = (src - 0x0b000001) >> 8;
        dst = (dst - 0x0b000001) >> 8;
        const bool slow = src == 3 || dst == 3;
        // 1000 packets with 48 bytes of headers each
        EXPECT_EQ(alone,
                  slow ? 4000 + 200 + 80 + 1048000 * 8 / 40 : 4000 + 2 * 80 + 1048000 * 8 / 100);
        EXPECT_GE(took, alone - 100);
    }
    EXPECT_EQ(lines, 12);
    EXPECT_EQ(ports.size(), 12u);
    for (std::string line; std::getline(pfc, line); stops++) {
        uint64_t t;
        unsigned node, type, interface, kind;
        ASSERT_EQ(
            sscanf(line.c_str(), "%" SCNu64 " %u %u %u %u", &t, &node, &type, &interface, &kind),
            5);
        EXPECT_EQ(type, node == 4);
        EXPECT_TRUE(interface >= 1 && kind <= 1);
    }
    EXPECT_GT(stops, 0); // three fast hosts send to the slow one through a small buffer
    const std::string told((std::istreambuf_iterator<char>(run)), {});
    EXPECT_TRUE(has(told, "\"mine.txt\",\n    \"pfc.txt\"")) << told;
    // a later run without them takes them away; names of weft's own are refused
    write_file(x.dir / "network", config);
    ASSERT_EQ(weft(args, x.dir / "").code, 0);
    EXPECT_FALSE(std::ifstream(x.dir / "o/mine.txt").good());
    write_file(x.dir / "network", config + "FCT_OUTPUT_FILE out/flows.csv\n");
    const Said taken = weft(args, x.dir / "");
    EXPECT_EQ(taken.code, 3);
    EXPECT_TRUE(has(taken.err, "FCT_OUTPUT_FILE: weft itself writes a 'flows.csv'")) << taken.err;
}

/* A ring of hosts, which ns-3 plays as long as only neighbours talk, named as on another machine.
 */
TEST(AstraSim, Ns3RingOfHosts)
{
    std::string ring = "4 0 4\n\n";
    for (int h = 0; h < 4; h++)
        ring += std::to_string(h) + " " + std::to_string((h + 1) % 4) + " 400Gbps 0.001ms 0\n";
    Experiment x("PACKET_PAYLOAD_SIZE 1000\nTOPOLOGY_FILE /another/machine/ring.txt\nFLOW_FILE no\n"
                 "ENABLE_QCN 1\nCC_MODE 12\nHAS_WIN 1\nGLOBAL_T 1\nRATE_AI 50Mb/s\nKMAX_MAP 1 "
                 "400000000000 3200\n"
                 "KMIN_MAP 1 400000000000 800\nPMAX_MAP 1 400000000000 0.2\nBUFFER_SIZE 32\n",
                 system_of("\"ring\""));
    x.Generate({"ranks=4", "size=1MiB"});
    write_file(x.dir / "ring.txt", ring);
    write_file(x.dir / "logical.json", "{\"logical-dims\": [\"4\"]}");
    const Said said = x.Run({"--logical-topology-configuration=logical.json"});
    if (has(said.err, "unknown network 'packet'") || has(said.err, "there is no backend"))
        GTEST_SKIP() << "needs the packet backend";
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(has(said.err, "ring.txt: hosts forward for others")) << said.err;
    EXPECT_TRUE(has(said.err, "TOPOLOGY_FILE /another/machine/ring.txt: not there")) << said.err;
    // 4 chunks one after the other, each 6 steps over a link of 1 us, 64 KiB at 50 B/ns in
    // packets of 1,048 B; 3 additions
    EXPECT_GT(last_cycles(said), 4 * 6 * (1000 + 1311));
    EXPECT_LT(last_cycles(said), 4 * (6 * (1000 + 1311) * 1.07 + 3 * 150));
    // its fabric without packets, also named by a fork's analytical configuration
    const Said ideal =
        x.Run({"--logical-topology-configuration=logical.json", "--backend=congestion-unaware"});
    EXPECT_EQ(ideal.code, 0) << ideal.err;
    EXPECT_TRUE(has(ideal.err, "only the topology has an effect without packets")) << ideal.err;
    write_file(x.dir / "custom.yml",
               "topology: [ Custom ]\nnodes: 4\ntopology_file: ../there/ring.txt\n");
    const Said custom = x.Run({"--network-configuration=custom.yml"});
    EXPECT_EQ(custom.code, 0) << custom.err;
    EXPECT_TRUE(
        has(custom.err, "custom.yml:2: 'nodes' has no effect: topology_file has the fabric"));
    EXPECT_TRUE(has(custom.err, "topology_file ../there/ring.txt: not there; ./ring.txt is read"))
        << custom.err;
    EXPECT_GT(last_cycles(custom), 0);
    EXPECT_EQ(
        last_cycles(x.Run({"--network-configuration=custom.yml", "--backend=congestion-unaware"})),
        last_cycles(ideal));
    write_file(x.dir / "ring.txt", "4 0 2\n0 1 400Gbps 1us 0\n2 3 400Gbps 1us 0\n");
    const Said apart = x.Run({"--logical-topology-configuration=logical.json"});
    EXPECT_EQ(apart.code, 3);
    EXPECT_TRUE(has(apart.err, "host 0 (node 0) cannot reach host 2 (node 2)")) << apart.err;
}

/* What the versions differ in is said. */
TEST(AstraSim, GroupZeroIsAsDefined)
{
    Experiment x(yaml_of("Ring", "4"), system_of("\"ring\""));
    x.Generate({"ranks=4", "size=1MiB"});
    for (const char *ranks : {"0, 1", "0, 1, 2, 3"}) {
        write_file(x.dir / "groups", std::string("{\"0\": [") + ranks + "]}");
        const Said said = x.Run({"--comm-group-configuration=groups"});
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_EQ(has(said.err, "group '0' is played by its 2 ranks"), std::string("0, 1") == ranks)
            << said.err;
    }
}

/* MICRO, as many times as passes are asked for, side by side; sizes and times are scaled. */
TEST(AstraSim, TextWorkloads)
{
    Experiment x(yaml_of("Ring", "8"), system_of("\"ring\""));
    write_file(x.dir / "w", "MICRO\n1\nallreduce -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 1048576 1\n");
    const Said said = x.Run({"--backend=congestion-unaware"});
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_NEAR(last_cycles(said), 64440, 1);
    EXPECT_FALSE(has(said.err, "'scheduling-policy'")) << said.err; // it has an effect in 1.0
    const auto intra = [&x](const char *policy) {
        std::string text = system_of("\"ring\"");
        text.replace(text.find("FIFO"), 4, policy);
        write_file(x.dir / "system", text);
        return x.Run({"--show-settings"}).out;
    };
    EXPECT_TRUE(has(intra("LIFO"), "lifo"));
    EXPECT_TRUE(has(intra("EXPLICIT"), "priority"));
    EXPECT_FALSE(has(intra("FIFO"), "lifo"));
    // four times the size: as measured with ASTRA-sim 2
    EXPECT_NEAR(last_cycles(x.Run({"--backend=congestion-unaware", "--comm-scale=4"})), 172100, 1);
}

} // namespace
