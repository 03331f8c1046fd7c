/* SPDX-License-Identifier: GPL-2.0-only */
/* Remote memory: ASTRA-sim's published times by arithmetic, and traffic worked out by hand. */
#include "job.h"

namespace
{

const uint64_t kMB = 1000000; // 20 us at 400 Gbps

Settings Remote(const char *kind, const char *traffic = "false")
{
    return {{"remote-memory", kind},      {"remote-traffic", traffic}, {"remote-latency", "1us"},
            {"remote-bandwidth", "50GB/s"}, {"quantum", "1ns"}};
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

/* Hosts 2 and 3 are memories: request of 64 B (2 us + 1.28 ns), 1 us + 20 us there, data 2 us + 20 us. */
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
