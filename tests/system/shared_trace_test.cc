/* SPDX-License-Identifier: GPL-2.0-only */
/* ASTRA-sim's own traces, read and played: its published numbers, when the outside data is there.
 */
#include "job.h"
#include "workload/chakra_read.h"

#include <cstdlib>
#include <filesystem>
#include <memory>

namespace
{

namespace fs = std::filesystem;

struct Trace {
    const char *prefix;
    uint32_t n;
    int64_t ns;
};

void PrintTo(const Trace &t, std::ostream *os)
{
    *os << t.prefix;
}

class SharedTrace : public ::testing::TestWithParam<Trace>
{
};

TEST_P(SharedTrace, SameNanosecondAsAstraSim)
{
    const char *shared = getenv("WEFT_SHARED");
    fs::path dir = fs::path(shared ? shared : "") / "data" / "astra-sim";
    if (!shared || !fs::is_directory(dir))
        GTEST_SKIP() << "no outside data (WEFT_SHARED)";
    weft_workload *w = nullptr;
    weft_err err = {};
    ASSERT_EQ(weft_chakra_read((dir / GetParam().prefix).c_str(), GetParam().n, nullptr, &w, &err),
              0)
        << err.msg;
    std::unique_ptr<weft_workload, void (*)(weft_workload *)> owner(w, weft_workload_free);
    Sim sim(w, AstraSystem("ring"), AstraNet());
    ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
    EXPECT_EQ(sim.EndNs(), GetParam().ns);
}

INSTANTIATE_TEST_SUITE_P(
    AstraSim, SharedTrace,
    ::testing::Values(
        Trace{"workload/microbenchmarks/all_reduce/8npus_1MB/all_reduce", 8, 64440},
        Trace{"workload/microbenchmarks/all_reduce/16npus_1MB/all_reduce", 16, 99640},
        Trace{"workload/microbenchmarks/all_gather/8npus_1MB/all_gather", 8, 151016},
        Trace{"workload/microbenchmarks/all_gather/16npus_1MB/all_gather", 16, 323560},
        Trace{"workload/microbenchmarks/reduce_scatter/8npus_1MB/reduce_scatter", 8, 33080},
        Trace{"workload/microbenchmarks/all_to_all/8npus_1MB/all_to_all", 8, 125480},
        // 14 messages of 128 KiB and 7 sums of 7 us, as SEND, RECV and COMP nodes
        Trace{"system/custom_collectives/custom_ring_allreduce_8npus_1MB/custom_allreduce", 8,
              90174}));

/* The same ring as an algorithm: from its Chakra traces and from the MSCCL XML that they were made
 * of. */
TEST(AstraSimCustom, PlaysItsFilesAtAnySize)
{
    const char *shared = getenv("WEFT_SHARED");
    fs::path dir = fs::path(shared ? shared : "") /
                   "data/astra-sim/system/custom_collectives/custom_ring_allreduce_8npus_1MB";
    if (!shared || !fs::is_directory(dir))
        GTEST_SKIP() << "no outside data (WEFT_SHARED)";
    auto play = [&](const char *spec, uint64_t bytes, const char *endpoint) {
        Job job(8);
        job.Everywhere(WEFT_COLL_ALL_REDUCE, bytes);
        Settings s = With(AstraSystem(), {{"all-reduce", spec},
                                          {"algorithm-dir", dir.c_str()},
                                          {"chunks", "1"},
                                          {"endpoint-delay", endpoint}});
        Sim sim(job, s);
        EXPECT_EQ(sim.err.code, 0) << sim.err.msg;
        EXPECT_EQ(sim.Totals().bytes_received, 14 * bytes);
        return sim.EndNs();
    };
    // ASTRA-sim pays no endpoint delay inside: 14 * (500 + 2441) + 7 * 7000
    EXPECT_EQ(play("chakra:file=custom_allreduce:size=1MiB", 1 << 20, "0"), 90174);
    // twice the size: 14 * (500 + 4882) + 7 * 7000
    EXPECT_EQ(play("chakra:file=custom_allreduce:size=1MiB", 2 << 20, "0"), 124348);
    // MSCCL: 14 messages of 128 KiB, 7 additions of 3 * floor(131072 / 1600) ns: the native ring
    EXPECT_EQ(play("msccl:file=custom_allreduce.xml", 1 << 20, "0"), 14 * 2941 + 7 * 243);
    EXPECT_EQ(play("msccl:file=custom_allreduce.xml", 1 << 20, "10ns"),
              play("ring", 1 << 20, "10ns"));
}

} // namespace
