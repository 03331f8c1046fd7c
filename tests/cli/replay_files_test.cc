// SPDX-License-Identifier: GPL-2.0-only
// With run.replay=exact every file that a run writes is what it is without, byte for byte: of the
// scenarios that weft ships, of training in several components, and with series; and what the cases
// of `weft bench` count.
#include "program.h"

#include <filesystem>
#include <map>

#include <jansson.h>

namespace fs = std::filesystem;

namespace
{

std::map<std::string, std::string> files(const std::string &dir)
{
    std::map<std::string, std::string> of;
    for (auto &f : fs::recursive_directory_iterator(dir))
        if (f.is_regular_file() && f.path().filename() != "run.json") /* it has the settings */
            of[fs::relative(f.path(), dir).string()] = slurp(f.path().string());
    return of;
}

/* The first line in which two texts differ. */
std::string first_difference(const std::string &a, const std::string &b)
{
    std::istringstream x(a), y(b);
    std::string p, q;
    for (int line = 1;; line++) {
        const bool more = static_cast<bool>(std::getline(x, p)),
                   too = static_cast<bool>(std::getline(y, q));
        if (!more || !too || p != q)
            return "line " + std::to_string(line) + "\n  simulated: " + (more ? p : "(end)") +
                   "\n  replayed:  " + (too ? q : "(end)");
    }
}

/* Runs it both ways, replayed with more settings; the packet-hops that were taken over. */
long long compare(const std::vector<std::string> &what, const std::string &name,
                  const std::vector<std::string> &settings = {})
{
    TempDir dir;
    std::vector<std::string> off = {"run", "--set", "run.replay=off", "--out", dir / "off"};
    std::vector<std::string> on = {
        "run", "--set", "run.replay=exact", "--set", "run.replay-eager=true", "--out", dir / "on"};
    off.insert(off.end(), what.begin(), what.end());
    on.insert(on.end(), what.begin(), what.end());
    on = with_sets(on, settings);
    const Said a = weft(off, dir / ""), b = weft(on, dir / "");
    EXPECT_EQ(a.code, b.code) << name << "\n" << a.err << b.err;
    const auto simulated = files(dir / "off"), replayed = files(dir / "on");
    EXPECT_EQ(simulated.size(), replayed.size()) << name;
    for (auto &[file, text] : simulated) {
        const auto other = replayed.find(file);
        if (other == replayed.end())
            ADD_FAILURE() << name << " wrote no " << file;
        else if (other->second != text)
            ADD_FAILURE() << name << ", " << file << ": " << first_difference(text, other->second);
    }
    const std::string run = slurp(dir / "on/run.json"), key = "\"replayed_hops\": ";
    const size_t at = run.find(key);
    return at == std::string::npos ? 0 : strtoll(run.c_str() + at + key.size(), nullptr, 10);
}

TEST(ReplayFiles, ShippedScenarios)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    int repeat = 0;
    for (auto &e : fs::directory_iterator(source_dir() + "/scenarios"))
        if (fs::exists(e.path() / "scenario.xml") && !lacks_ns3(e.path()))
            repeat += compare({e.path().string()}, e.path().filename().string()) > 0;
    EXPECT_GT(repeat, 5);
}

/* Threads settle switches between their windows, but for those of twins that stand still. */
TEST(ReplayFiles, TwinsByThreads)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    const std::string training = source_dir() + "/scenarios/llm-training";
    EXPECT_GT(compare({training}, "by two threads", {"run.threads=2"}), 0);
    EXPECT_GT(
        compare({training}, "by three in any order", {"run.threads=3", "run.thread-shuffle=1"}), 0);
}

/* Nodes and rails are components of their own; samples have those come back that are ahead. */
TEST(ReplayFiles, TrainingInPieces)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    const std::vector<std::string> model = {
        "--set", "topology.type=preset",   "--set", "preset.name=hgx-rail-optimised",
        "--set", "workload.type=training", "--set", "training.model=gpt3-13b",
        "--set", "training.tp=8",          "--set", "training.ranks=32",
        "--set", "training.layers=2",      "--set", "training.hidden=1024",
        "--set", "training.heads=8",       "--set", "training.vocab=8192",
        "--set", "training.sequence=512"};
    EXPECT_GT(compare(model, "training"), 0);
    std::vector<std::string> sampled = model;
    for (const char *more :
         {"--set", "sample.interval=20us", "--set", "sample.what=queue,throughput"})
        sampled.push_back(more);
    EXPECT_GT(compare(sampled, "training, sampled"), 0);
}

/* NCCL's proxies post by timers, some while all components are ahead: when a period of messages is
 * simulated again, these come back to the time of the post. */
TEST(ReplayFiles, TimersWhileAllIsAhead)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    const std::vector<std::string> model = {
        "--set",
        "topology.type=multi",
        "--set",
        "multi.dimensions=switch size=8 rate=3600Gbps delay=250ns; rail-optimised rails=8 "
        "nodes=2 spines=8 rate=400Gbps delay=500ns",
        "--set",
        "workload.type=training",
        "--set",
        "training.model=llama3-8b",
        "--set",
        "training.layers=1",
        "--set",
        "training.tp=8",
        "--set",
        "training.dp=2",
        "--set",
        "training.microbatches=1",
        "--set",
        "system.preset=dgx-h100"};
    EXPECT_GT(compare(model, "NCCL", {"run.replay-eager=false"}), 0);
}

/* DCQCN's marks are drawn: symmetric components draw other numbers, and are simulated each for
 * itself before one of them can complete a message. */
TEST(ReplayFiles, SymmetricComponentsThatDraw)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    const std::vector<std::string> model = {
        "--set",
        "topology.type=multi",
        "--set",
        "multi.dimensions=switch size=4 rate=3600Gbps delay=250ns; rail-optimised rails=4 "
        "nodes=8 spines=16 rate=400Gbps delay=500ns",
        "--set",
        "transport.mtu=4096B",
        "--set",
        "workload.type=training",
        "--set",
        "training.compute=efficiency",
        "--set",
        "training.model=gpt3-13b",
        "--set",
        "training.layers=4",
        "--set",
        "training.sequence=2048",
        "--set",
        "training.check-memory=false",
        "--set",
        "training.tp=4",
        "--set",
        "training.pp=4",
        "--set",
        "training.dp=2",
        "--set",
        "training.microbatches=1",
        "--set",
        "system.all-reduce=ring,ring",
        "--set",
        "system.all-gather=ring,ring",
        "--set",
        "system.reduce-scatter=ring,ring",
        "--set",
        "congestion-control.name=dcqcn"};
    EXPECT_GT(compare(model, "DCQCN", {"run.replay-eager=false"}), 0);
}

/* Components that are ahead have no events before the time where they are: a sample with empty
 * queues says nothing of when the next may have rows. */
TEST(ReplayFiles, SamplesOfQueuesThatAreSometimesEmpty)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    const std::vector<std::string> traffic = {
        "--set", "topology.type=single-switch", "--set", "single-switch.hosts=4",
        "--set", "single-switch.rate=100Gbps",  "--set", "single-switch.delay=500ns",
        "--set", "workload.type=generate",      "--set", "generate.kind=all-to-all",
        "--set", "generate.size=8MiB",          "--set", "transport.mtu=1000B",
        "--set", "run.replay-eager=false"};
    for (const char *what : {"queue", "buffer", "queue,pause", "buffer,queue-histogram"})
        for (const char *more : {"run.replay=auto", "run.replay=exact", "run.threads=3"}) {
            std::vector<std::string> all = traffic;
            all.insert(all.end(), {"--set", std::string("sample.what=") + what});
            EXPECT_GT(compare(all, what, {more}), 0) << what << ", " << more;
        }
}

std::string counts(const std::string &replay)
{
    const Said s = weft({"bench", "--quick", "--json", "--set", replay, "incast-32",
                         "ring-allreduce-16", "all-to-all-16", "hgx-rail-optimised"});
    EXPECT_EQ(s.code, 0) << s.err;
    json_t *all = json_loads(s.out.c_str(), 0, nullptr), *one;
    std::string text;
    size_t i;
    json_array_foreach(json_object_get(all, "cases"), i, one)
    {
        text += std::string(json_string_value(json_object_get(one, "case"))) + " " +
                json_string_value(json_object_get(one, "congestion_control"));
        for (const char *key : {"packet_hops", "messages", "simulated_ns"})
            text += " " + std::to_string(json_number_value(json_object_get(one, key)));
        text += "\n";
    }
    json_decref(all);
    return text;
}

/* A ring whose endpoints take longer than its messages: periods begin while nothing is underway. Of
 * the last one nothing is left to be simulated again, and looks that this wanted are not waited
 * for. */
TEST(ReplayFiles, LapsThatBeginWithNothingUnderway)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    EXPECT_GT(compare({"--set", "topology.type=switch",        "--set", "switch.size=8",
                       "--set", "switch.rate=2400Gbps",        "--set", "switch.delay=250ns",
                       "--set", "workload.type=generate",      "--set", "generate.kind=all-reduce",
                       "--set", "generate.size=1MiB",          "--set", "system.all-reduce=ring",
                       "--set", "system.endpoint-delay=9.6us", "--set", "transport.mtu=4096B"},
                      "ring"),
              0);
}

/* Rings over two nodes by two QPs per message: one node is simulated for both, and its messages
 * follow each other on their QPs. */
TEST(ReplayFiles, MessagesInARowOfTwoQps)
{
    const std::string rings = shared("cases/replay-two-qps/rings2.xml");
    if (!has_packet() || rings.empty())
        GTEST_SKIP() << "needs the packet backend and ../shared/data/cases/replay-two-qps";
    const std::vector<std::string> what = {
        "--set",
        "topology.type=multi",
        "--set",
        "multi.dimensions=switch size=8 rate=2400Gbps delay=250ns; leaf-spine "
        "hosts-per-leaf=16 leaves=3 spines=16 host-rate=100Gbps uplink-rate=100Gbps "
        "host-delay=500ns uplink-delay=500ns",
        "--set",
        "workload.type=generate",
        "--set",
        "generate.kind=all-reduce",
        "--set",
        "generate.size=256MiB",
        "--set",
        "generate.ranks=16",
        "--set",
        "transport.mtu=4096B",
        "--set",
        "system.qps=all-reduce:2",
        "--set",
        "system.endpoint-delay=9.6us",
        "--set",
        "system.all-reduce=msccl:file=" + rings,
        "--set",
        "run.replay-eager=false"};
    EXPECT_GT(compare(what, "exact"), 0);
    EXPECT_GT(compare(what, "auto", {"run.replay=auto"}), 0);
}

/* transport.time-quantum may round transmissions to nothing: what happens in one instant at hosts
 * then has one order, also where several threads are asked for. */
TEST(ReplayFiles, ThreadsWhereSendingTakesNoTime)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    compare({"--set", "topology.type=multi", "--set",
             "multi.dimensions=switch size=4 rate=400Gbps delay=3us; ring size=4 rate=400Gbps "
             "delay=0ns",
             "--set", "workload.type=generate", "--set", "generate.kind=all-gather", "--set",
             "generate.size=4B", "--set", "transport.time-quantum=6134ps"},
            "by two threads",
            {"run.replay=off", "run.replay-eager=false", "run.threads=2", "run.thread-shuffle=5"});
}

TEST(ReplayFiles, BenchCases)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    const std::string simulated = counts("run.replay=off");
    EXPECT_GT(simulated.size(), 300u);
    EXPECT_EQ(simulated, counts("run.replay=exact"));
}

} // namespace
