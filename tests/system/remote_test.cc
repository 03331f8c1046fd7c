/* SPDX-License-Identifier: GPL-2.0-only */
/* Remote memory: ASTRA-sim's published times by arithmetic, and traffic worked out by hand. */
#include "job.h"
#include "tests/base/temp_dir.h"

namespace
{

const uint64_t kMB = 1000000; // 20 us at 400 Gbps

Settings Remote(const char *kind, const char *traffic = "false")
{
    return {{"remote-memory", kind},
            {"remote-traffic", traffic},
            {"remote-latency", "1us"},
            {"remote-bandwidth", "50GB/s"},
            {"quantum", "1ns"}};
}

} // namespace

/* ASTRA-sim: 1 MiB, 1000 ns, 50 B/ns: 21,971 ns; four ranks at a pool: one after the other. */
TEST(RemoteMemory, TimesOfAstraSim)
{
    const struct {
        const char *kind;
        int64_t ns[4];
    } cases[] = {{"per-npu", {21971, 21971, 21971, 21971}},
                 {"per-node", {21971, 43942, 21971, 43942}},
                 {"pool", {21971, 43942, 65913, 87884}}};
    for (auto &c : cases) {
        Job job(4);
        for (uint32_t r = 0; r < 4; r++)
            job.Mem(r, 1 << 20);
        Sim sim(job, With(Remote(c.kind), {{"remote-node", "2"}}), {});
        for (uint32_t r = 0; r < 4; r++)
            EXPECT_EQ(sim.EndNs(r), c.ns[r]) << c.kind << " " << r;
        EXPECT_EQ(sim.Totals().msgs_posted, 0u);
    }
}

/* Hosts 2 and 3 are memories: request of 64 B (2 us + 1.28 ns), 1 us + 20 us there, data 2 us + 20
 * us. */
TEST(RemoteMemory, LoadsAndStoresAreMessages)
{
    for (bool store : {false, true}) {
        Job job(2);
        for (uint32_t r = 0; r < 2; r++) {
            weft_op op = {};
            op.kind = WEFT_OP_MEM;
            op.tensor_bytes = kMB;
            op.store = store;
            job.Add(r, op);
        }
        const auto star = [](weft_fabric *f) {
            weft_err err = {};
            uint32_t sw;
            for (int k = 0; k < 2; k++)
                weft_fabric_add_node(f, WEFT_NODE_HOST, 0, nullptr, &err);
            weft_fabric_add_node(f, WEFT_NODE_SWITCH, 1, &sw, &err);
            for (uint32_t h = 0; h < 4; h++) {
                weft_fabric_link link = {h, sw, 400000000000u, 1000000, 0, 0};
                weft_fabric_add_link(f, &link, nullptr, &err);
            }
        };
        const int64_t one = 2001280 + 21000000 + 22000000;
        Sim own(job, Remote("per-npu", "true"), {}, star);
        ASSERT_TRUE(own.Made()) << own.err.msg;
        for (uint32_t r = 0; r < 2; r++)
            EXPECT_EQ(own.Result(r).end_ps, one);
        EXPECT_EQ(own.Totals().bytes_received, 2 * (64 + kMB));
        // at one memory the second access waits for the first: 21 us more
        Sim pool(job, Remote("pool", "true"), {}, star);
        EXPECT_EQ(pool.Result(0).end_ps, one);
        EXPECT_EQ(pool.Result(1).end_ps, one + 21000000);
    }
}

TEST(RemoteMemory, NeedsHostsForItsMemories)
{
    Job job(4);
    for (uint32_t r = 0; r < 4; r++)
        job.Mem(r, 1000);
    Sim sim(job, Remote("per-npu", "true"), {});
    EXPECT_NE(std::string(sim.err.msg).find("need 8 hosts, but the fabric has 4"),
              std::string::npos)
        << sim.err.msg;
}

/* The same times from ASTRA-sim's own files. */
TEST(RemoteMemory, FilesOfAstraSim)
{
    TempDir dir;
    const std::string costs = "  \"remote-mem-latency\": 1000,\n  \"remote-mem-bw\": 50";
    const struct {
        std::string text;
        int64_t ns[4];
    } cases[] = {
        {"\"PER_NPU_MEMORY_EXPANSION\",\n" + costs, {21971, 21971, 21971, 21971}},
        {"\"PER_NODE_MEMORY_EXPANSION\",\n" + costs +
             ",\n\"num-nodes\": 2,\n\"num-npus-per-node\": 2",
         {21971, 43942, 21971, 43942}},
        {"\"MEMORY_POOL\",\n" + costs, {21971, 43942, 65913, 87884}},
        {"\"NO_MEMORY_EXPANSION\"", {10485, 10485, 10485, 10485}}, // the NPU's own, 100 GB/s
    };
    const std::string path = dir / "memory.json";
    for (auto &c : cases) {
        std::ofstream(path) << "{\n  \"memory-type\": " << c.text << "\n}";
        Job job(4);
        for (uint32_t r = 0; r < 4; r++)
            job.Mem(r, 1 << 20);
        Sim sim(job,
                {{"remote-memory-file", path.c_str()},
                 {"quantum", "1ns"},
                 {"memory-bandwidth", "100GB/s"}},
                {});
        ASSERT_TRUE(sim.Made()) << sim.err.msg;
        for (uint32_t r = 0; r < 4; r++)
            EXPECT_EQ(sim.EndNs(r), c.ns[r]) << c.text << " " << r;
    }
    const char *root = getenv("WEFT_SHARED");
    const std::string real = std::string(root ? root : "") +
                             "/data/astra-sim/remote_memory/analytical/no_memory_expansion.json";
    if (access(real.c_str(), R_OK) != 0)
        GTEST_SKIP() << "no " << real;
    Job job(2);
    job.Mem(0, 1 << 20);
    Sim sim(job, {{"remote-memory-file", real.c_str()}, {"memory-bandwidth", "100GB/s"}}, {});
    EXPECT_TRUE(sim.Finished()) << sim.err.msg;
}

TEST(RemoteMemory, MistakesInFiles)
{
    TempDir dir;
    const std::string path = dir / "m.json";
    auto says = [&](const std::string &text, const char *what, Settings more = {}) {
        std::ofstream(path) << "{\n" << text << "\n}";
        Job job(4);
        job.Mem(0, 1000);
        Sim sim(job, With({{"remote-memory-file", path.c_str()}}, more), {});
        EXPECT_EQ(sim.err.code, WEFT_E_INPUT) << text;
        EXPECT_NE(std::string(sim.err.msg).find(what), std::string::npos) << sim.err.msg;
        return sim.err.line;
    };
    const std::string pool = "\"memory-type\": \"MEMORY_POOL\"",
                      costs = ",\n\"remote-mem-latency\": 1, \"remote-mem-bw\": 2";
    EXPECT_EQ(says("\"memory-type\": \"MEMORY_POL\"", "the nearest is MEMORY_POOL"), 2);
    says("\"memory-type\": \"x\"", "EXPANSION and MEMORY_POOL");
    says(costs.substr(1), "'memory-type' must be given");
    says(pool, "'remote-mem-latency' must be given");
    EXPECT_EQ(says(pool + ",\n\"remote-mem-bandwith\": 1",
                   "unknown key 'remote-mem-bandwith'; did you mean 'remote-mem-bw'?"),
              3);
    says(pool + costs + ", \"num-nodes\": 2",
         "'num-nodes' has no effect with memory-type MEMORY_POOL");
    says(pool + ",\n\"remote-mem-latency\": -1, \"remote-mem-bw\": 2", "must be from 0 up to");
    says(pool + ",\n\"remote-mem-latency\": 1, \"remote-mem-bw\": 0", "must be above 0 up to");
    says("\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\"" + costs +
             ", \"num-nodes\": 1, \"num-npus-per-node\": 2",
         "1 nodes of 2 NPUs have 2 NPUs, but there are 4 ranks");
    says("\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\"" + costs +
             ", \"num-nodes\": 1.5, \"num-npus-per-node\": 2",
         "must be a whole number above 0");
    says(pool + costs, "give one of the two", {{"remote-memory", "pool"}});
    says("\"a\": {}", "with one value");
}

/* A node is what the innermost dimension joins, unless it is said. */
TEST(RemoteMemory, NodesAreTheInnermostDimension)
{
    Job job(6);
    for (uint32_t r = 0; r < 6; r++)
        job.Mem(r, 1 << 20);
    Sim sim(job, With(Remote("per-node"), {{"dims", "3,2"}}), {});
    for (uint32_t r = 0; r < 6; r++)
        EXPECT_EQ(sim.EndNs(r), 21971 * (r % 3 + 1)) << r;
    Sim none(job, Remote("per-node"), {});
    EXPECT_NE(std::string(none.err.msg).find("say how many of them share a memory"),
              std::string::npos)
        << none.err.msg;
}
