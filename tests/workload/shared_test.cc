/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces written by ASTRA-sim's and collectiveapi's tools, when the outside data is there. */
#include "wire.h"
#include "workload/chakra_read.h"

#include <map>

using namespace wire;
namespace fs = std::filesystem;

namespace
{

/** $WEFT_SHARED/data/astra-sim, or "" (and the test is skipped). */
fs::path Data()
{
    const char *shared = getenv("WEFT_SHARED");
    fs::path p = shared ? fs::path(shared) / "data" / "astra-sim" : fs::path();
    return !p.empty() && fs::is_directory(p) ? p : fs::path();
}

#define NEED_DATA(var)                                                                             \
    fs::path var = Data();                                                                         \
    if (var.empty())                                                                               \
    GTEST_SKIP() << "no outside data (WEFT_SHARED)"

} // namespace

TEST(SharedData, Microbenchmarks)
{
    NEED_DATA(data);
    const std::map<std::string, weft_coll_kind> kinds = {
        {"all_reduce", WEFT_COLL_ALL_REDUCE},
        {"all_gather", WEFT_COLL_ALL_GATHER},
        {"all_to_all", WEFT_COLL_ALL_TO_ALL},
        {"reduce_scatter", WEFT_COLL_REDUCE_SCATTER},
    };
    int sets = 0;
    for (const auto &[name, kind] : kinds) {
        for (uint32_t n : {8u, 16u}) {
            fs::path dir =
                data / "workload" / "microbenchmarks" / name / (std::to_string(n) + "npus_1MB");
            if (!fs::is_directory(dir))
                continue;
            weft_workload *w = nullptr;
            weft_err err{};
            ASSERT_EQ(weft_chakra_read((dir / name).c_str(), 0, nullptr, &w, &err), 0) << Text(err);
            ASSERT_EQ(w->nranks, n);
            for (uint32_t r = 0; r < n; r++) {
                ASSERT_EQ(w->dags[r].nops, 1u);
                const weft_op &op = w->dags[r].ops[0];
                EXPECT_EQ(op.kind, WEFT_OP_COLL);
                EXPECT_EQ(op.coll, kind);
                EXPECT_EQ(op.bytes, 1048576u);
                EXPECT_EQ(op.group, 0u);
                EXPECT_FALSE(op.cpu);
            }
            weft_workload_free(w);
            EXPECT_EQ(weft_chakra_read((dir / name).c_str(), 2 * n, nullptr, &w, &err),
                      WEFT_E_INPUT);
            sets++;
        }
    }
    EXPECT_GE(sets, 6);
}

TEST(SharedData, CustomCollective)
{
    NEED_DATA(data);
    fs::path prefix = data / "system" / "custom_collectives" / "custom_ring_allreduce_8npus_1MB" /
                      "custom_allreduce";
    weft_workload *w = nullptr;
    weft_err err{};
    ASSERT_EQ(weft_chakra_read(prefix.c_str(), 8, nullptr, &w, &err), 0) << Text(err);
    // Ring all-reduce of 1 MiB over 8: 14 sends and 14 receives of 128 KiB, 7 reductions of 7 us.
    for (uint32_t r = 0; r < 8; r++) {
        int sends = 0, recvs = 0, comps = 0;
        for (uint32_t i = 0; i < w->dags[r].nops; i++) {
            const weft_op &op = w->dags[r].ops[i];
            if (op.kind == WEFT_OP_SEND) {
                sends++;
                EXPECT_EQ(op.peer, (r + 1) % 8);
                EXPECT_EQ(op.bytes, 131072u);
            } else if (op.kind == WEFT_OP_RECV) {
                recvs++;
                EXPECT_EQ(op.peer, (r + 7) % 8);
                EXPECT_EQ(op.bytes, 131072u);
            } else {
                comps++;
                EXPECT_EQ(op.kind, WEFT_OP_COMP);
                EXPECT_EQ(op.duration_ps, 7000000);
            }
        }
        EXPECT_EQ(sends, 14);
        EXPECT_EQ(recvs, 14);
        EXPECT_EQ(comps, 7);
    }
    weft_workload_free(w);
}
