// SPDX-License-Identifier: GPL-2.0-only
// weft trace transform: what changes communication; the results are worked out by hand.
#include "what_if.h"

namespace
{

// Four ranks, two iterations, eight gradients of 1 MiB each in both.
struct Loop : WhatIf {
    Loop()
    {
        EXPECT_EQ(weft(words("trace generate t --set ranks=4 --set pattern=data-parallel --set "
                             "layers=8 --set iterations=2"),
                       dir / "")
                      .code,
                  0);
    }
};

TEST(Transform, FusesGradients)
{
    Loop w;
    w.make("fuse size=3MiB");
    EXPECT_EQ(w.bytes(), w.bytes("t"));
    EXPECT_EQ(w.info("collective_operations", "t"), 4 * 16);
    EXPECT_EQ(w.info("collective_operations"), 4 * 6); // 3 + 3 + 2 of 8, twice
    EXPECT_CONTAINS(w.dump(0), "it0_grad_0+2 fused       after 8 10 12 ");
    EXPECT_CONTAINS(w.dump(0), "it0_optimizer            duration=10us after 22 13 19 23 ");
    EXPECT_EQ(w.path_us(), w.path_us("t"));
    w.make("fuse size=1GB");
    EXPECT_EQ(w.info("collective_operations"), 4 * 2); // not across iterations
    w.make("fuse size=1MiB");
    EXPECT_EQ(w.diff(), "no difference in 4 ranks\n");
    w.make("fuse size=2MiB op=it1*");
    EXPECT_EQ(w.info("collective_operations"), 4 * 12);
}

// What runs on one stream waits for the one before it; that is no reason not to fuse.
TEST(Transform, FusesWhatIsOnOneStream)
{
    WhatIf w;
    ASSERT_EQ(weft(words("trace generate training t --set model=llama3-8b --set ranks=8 --set tp=4 "
                         "--set dp=2"),
                   w.dir / "")
                  .code,
              0);
    w.groups = {"--groups", "t.json"};
    w.make("fuse size=100GB collective=reduce-scatter op=*grad.dp*");
    EXPECT_EQ(w.bytes(), w.bytes("t"));
    EXPECT_GT(count(w.dump(0, "t"), "grad.dp.rs"), 4u);
    EXPECT_EQ(count(w.dump(0), "grad.dp.rs"), 1u);
    EXPECT_EQ(w.path_us(), w.path_us("t"));
}

// Rank 1 computes between its collectives with what the first brought: they stay apart on both
// ranks.
TEST(Transform, MembersAgreeOnWhatIsFused)
{
    WhatIf w;
    for (int r = 0; r < 2; r++) {
        Trace t;
        const uint64_t a = t.coll(ALL_REDUCE, 100), c = r ? t.comp(5, {a}) : t.comp(5);
        const uint64_t b = t.coll(ALL_REDUCE, 200, "", {c});
        t.coll(ALL_REDUCE, 400, "", {c});
        t.coll(ALL_GATHER, 800, "", {b});
        t.write(w.dir / ("t." + std::to_string(r) + ".et"));
    }
    w.make("fuse");
    for (uint32_t r = 0; r < 2; r++) {
        EXPECT_CONTAINS(w.dump(r), "comm_size=100");
        EXPECT_CONTAINS(w.dump(r), "comm_size=600");
        EXPECT_EQ(count(w.dump(r), "COMM_COLL"), 3u);
    }
    EXPECT_CONTAINS(w.dump(0),
                    "coll5                    after 4 "); // the one that is left of 3 and 4
}

TEST(Transform, SplitsIntoParts)
{
    Loop w;
    w.make("split size=400000B"); // 1,048,576 = 2 x 400,000 + 248,576
    EXPECT_EQ(w.bytes(), w.bytes("t"));
    EXPECT_EQ(w.info("collective_operations"), 4 * 16 * 3);
    EXPECT_EQ(count(w.dump(0), "comm_size=400000"), 32u);
    EXPECT_EQ(count(w.dump(0), "comm_size=248576"), 16u);
    EXPECT_CONTAINS(w.dump(0), "it0_optimizer            duration=10us after 22 9 50 51 11 52 53 ");
    w.make("fuse size=1GB", "o",
           "f"); // and back: the same bytes in the same number of operations as fused at once
    EXPECT_EQ(w.info("collective_operations", "f"), 4 * 2 * 2); // those of both sizes apart
    EXPECT_EQ(w.bytes("f"), w.bytes("t"));
}

TEST(Transform, SplitsMessages)
{
    WhatIf w;
    Trace a, b;
    a.send(1, 1000);
    a.write(w.dir / "t.0.et");
    b.recv(0, 1000);
    b.comp(3, {1});
    b.write(w.dir / "t.1.et");
    w.make("split size=300B kind=message");
    EXPECT_EQ(w.info("messages"), 4);
    EXPECT_EQ(w.info("unequal_sizes"), 0);
    EXPECT_EQ(w.bytes(), 1000);
    EXPECT_CONTAINS(w.dump(1), "duration=3us after 1 3 4 5 ");
}

TEST(Transform, Prioritises)
{
    Loop w;
    w.make("prioritise op=it0_grad_* priority=5");
    EXPECT_CONTAINS(w.dump(0), "comm_priority=5");
    EXPECT_CONTAINS(w.dump(0), "it0_grad_7               after 22 is_cpu_op=false comm_type=0 "
                               "comm_size=1048576 comm_priority=12");
    EXPECT_EQ(count(w.dump(0), "comm_priority"), 8u);
    w.make("prioritise op=it0_grad_* order=earlier-first");
    EXPECT_CONTAINS(w.dump(0), "it0_grad_0               after 8 is_cpu_op=false comm_type=0 "
                               "comm_size=1048576 comm_priority=8");
    w.make("prioritise order=constant priority=3");
    EXPECT_EQ(count(w.dump(0), "comm_priority=3"), 16u);
}

// 1,048,576 bytes at 8.388608 Gbps take 1000 us, and 7 us besides, twice.
TEST(Transform, CompressesAtACost)
{
    Loop w;
    w.make("compress ratio=0.25 rate=8388608kbps time=7us");
    EXPECT_EQ(w.bytes(), w.bytes("t") / 4);
    EXPECT_EQ(count(w.dump(0), "duration=1007us"), 2 * 16u);
    EXPECT_EQ(w.path_us(), w.path_us("t") + 2 * 2014); // the last gradient of each iteration
    EXPECT_CONTAINS(w.dump(0), "it0_grad_0.compress");
    w.make("compress ratio=0.25");
    EXPECT_EQ(w.info("operations"), w.info("operations", "t"));
}

TEST(Transform, ReplacesTheAlgorithm)
{
    Loop w;
    w.make("algorithm name=direct");
    const double ring = w.run("end_to_end_ns", "t", 4, {"--set", "system.all-reduce=ring"});
    EXPECT_EQ(w.run("end_to_end_ns", "o", 4, {"--set", "system.all-reduce=ring"}),
              w.run("end_to_end_ns", "t", 4, {"--set", "system.all-reduce=direct"}));
    EXPECT_NE(w.run("end_to_end_ns", "o", 4), ring);
}

TEST(Transform, ReplicatesTheJob)
{
    Loop w;
    w.make("replicate factor=2"); // its communicator is that of all ranks, and grows
    EXPECT_EQ(w.info("ranks"), 8);
    EXPECT_EQ(w.bytes(), 2 * w.bytes("t"));
    EXPECT_EQ(w.info("collectives"), w.info("collectives", "t"));
    EXPECT_EQ(weft(words("trace generate g --set ranks=8 --set pattern=data-parallel --set "
                         "layers=8 --set iterations=2"),
                   w.dir / "")
                  .code,
              0);
    EXPECT_EQ(w.diff("o", "g"), "no difference in 8 ranks\n");
    w.make("replicate factor=3 world=false"); // copies that know nothing of each other
    EXPECT_EQ(w.info("ranks"), 12);
    EXPECT_EQ(w.info("collectives"), 3 * w.info("collectives", "t"));
    EXPECT_EQ(slurp(w.dir / "o.json"), "{\"1\":[0,1,2,3],\"2\":[4,5,6,7],\"3\":[8,9,10,11]}\n");
}

// Twice the replicas of a job are the job that is generated with as many.
TEST(Transform, ReplicatesDataParallelism)
{
    WhatIf w;
    const std::string job = " --set model=llama3-8b --set tp=2 --set pp=2 --set microbatches=4";
    ASSERT_EQ(weft(words("trace generate training t --set ranks=8" + job), w.dir / "").code, 0);
    ASSERT_EQ(weft(words("trace generate training g --set ranks=16" + job), w.dir / "").code, 0);
    w.groups = {"--groups", "t.json"};
    const std::string dp = weft(words("trace dump t.0.et"), w.dir / "").out;
    const size_t at = dp.find("pg_name=", dp.find("grad.dp.rs"));
    ASSERT_NE(at, std::string::npos);
    // All communicators between replicas: four, one for each rank of a replica, numbered one after
    // the other.
    const int first = std::stoi(dp.substr(at + 9));
    w.make("replicate factor=2 grow=[" + std::to_string(first) + "-" + std::to_string(first + 3) +
           "]");
    for (const char *key : {"ranks", "operations", "collective_operations", "communication_bytes",
                            "messages", "collectives"})
        EXPECT_EQ(w.info(key), w.info(key, "g")) << key;
    w.make("replicate factor=2");
    EXPECT_NE(w.info("collectives"), w.info("collectives", "g"));
}

TEST(Transform, SharesOutSizesPerMember)
{
    WhatIf w;
    const uint64_t bytes[2][2] = {{10, 21}, {32, 43}}; // from, to
    for (uint32_t r = 0; r < 2; r++) {
        Trace t;
        const uint64_t from[2] = {bytes[0][r], bytes[1][r]};
        t.exchange(bytes[r], from, 2);
        t.write(w.dir / ("t." + std::to_string(r) + ".et"));
    }
    w.make("replicate factor=2");
    EXPECT_EQ(w.bytes(), 2 * (10 + 21 + 32 + 43));
    EXPECT_CONTAINS(w.dump(0), "comm_send_sizes=[5, 11, 5, 10] comm_recv_sizes=[5, 16, 5, 16]");
    EXPECT_CONTAINS(w.dump(3), "comm_send_sizes=[16, 22, 16, 21] comm_recv_sizes=[10, 21, 10, 21]");
    w.make("scale kind=collective factor=10", "o", "s");
    EXPECT_CONTAINS(w.dump(3, "s"), "comm_send_sizes=[160, 220, 160, 210]");
}

TEST(Transform, ExchangesRanks)
{
    WhatIf w;
    Trace a, b, c;
    a.send(1, 1000);
    a.write(w.dir / "t.0.et");
    b.recv(0, 1000);
    b.coll(ALL_REDUCE, 64, "pair", {1});
    b.write(w.dir / "t.1.et");
    c.comp(9);
    c.coll(ALL_REDUCE, 64, "pair");
    c.write(w.dir / "t.2.et");
    write_file(w.dir / "t.json", "{\"pair\": [1, 2]}");
    w.groups = {"--groups", "t.json"};
    w.make("exchange a=0 b=2");
    EXPECT_CONTAINS(w.dump(0), "duration=9us");
    EXPECT_CONTAINS(w.dump(1), "comm_src=2");
    EXPECT_CONTAINS(w.dump(2), "comm_dst=1");
    EXPECT_CONTAINS(slurp(w.dir / "o.json"), "[1,0]");
    EXPECT_EQ(w.path_us(), w.path_us("t"));
}

TEST(Transform, SwapsTensors)
{
    Loop w;
    w.make("swap op=*forward_3 load=1000B store=2000B");
    EXPECT_EQ(w.info("memory"), 4 * 2 * 2);
    EXPECT_CONTAINS(w.dump(0), "after 2 is_cpu_op=false tensor_size=1000");
    EXPECT_CONTAINS(w.dump(0), "after 3 is_cpu_op=false tensor_size=2000");
    // 100 B/ns: 10 ns to load, 20 ns to store, on the path of each iteration
    const Words memory = {"--set", "system.memory-bandwidth=800Gbps"};
    EXPECT_DOUBLE_EQ(w.run("end_to_end_ns", "o", 4, memory),
                     w.run("end_to_end_ns", "t", 4, memory) + 2 * 30);
}

TEST(Transform, SwapsMessagesThroughMemory)
{
    WhatIf w;
    Trace a, b;
    a.comp(3);
    a.send(1, 1000000, {1});
    a.send(2, 500, {1});
    a.write(w.dir / "t.0.et");
    b.recv(0, 1000000);
    b.comp(3, {1});
    b.write(w.dir / "t.1.et");
    Trace c;
    c.recv(0, 500);
    c.write(w.dir / "t.2.et");
    w.make("swap kind=message ranks=0-1");
    EXPECT_EQ(w.bytes(), 8 + 500);
    EXPECT_EQ(w.info("unequal_sizes"), 0);
    EXPECT_CONTAINS(w.dump(0), "MEM_STORE_NODE");
    EXPECT_CONTAINS(w.dump(0), "after 1 is_cpu_op=false tensor_size=1000000");
    EXPECT_CONTAINS(w.dump(1), "MEM_LOAD_NODE");
    EXPECT_CONTAINS(w.dump(1), "duration=3us after 3 "); // the load
}

} // namespace
