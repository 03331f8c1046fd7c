/* SPDX-License-Identifier: GPL-2.0-only */
/* Generated workloads: their shape by hand, file and memory alike, and the table of workloads. */
#include "wire.h"
#include "workload/chakra_read.h"
#include "workload/generate.h"
#include "workload/workload.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <vector>

using namespace wire;

namespace
{

weft_generate_params Params(std::initializer_list<std::pair<const char *, const char *>> set)
{
    weft_generate_params p;
    weft_err err{};
    EXPECT_EQ(weft_params_defaults(&weft_generate_param_table, &p, &err), 0) << Text(err);
    for (const auto &[name, value] : set)
        EXPECT_EQ(weft_params_set(&weft_generate_param_table, &p, name, value, &err), 0)
            << Text(err);
    return p;
}

struct Made {
    explicit Made(const weft_generate_params &p)
    {
        rc = weft_generate_workload(&p, &w, &err);
    }
    ~Made()
    {
        weft_workload_free(w);
    }
    weft_workload *w = nullptr;
    weft_err err{};
    int rc;
};

/** "name<-parent,parent; ..." of one rank. */
std::string Shape(const weft_dag &d)
{
    std::vector<std::string> parents(d.nops);
    for (uint32_t i = 0; i < d.nops; i++)
        for (uint32_t k = 0; k < d.ops[i].nchildren; k++) {
            std::string &s = parents[d.children[d.ops[i].first_child + k]];
            s += (s.empty() ? "" : ",") + std::to_string(d.ops[i].id);
        }
    std::string out;
    for (uint32_t i = 0; i < d.nops; i++)
        out += std::to_string(d.ops[i].id) + ":" + d.ops[i].name + "<-" + parents[i] + ";";
    return out;
}

} // namespace

// Shares of receivers fall by Zipf's law, each sender's sum is the size, and what is sent is
// received.
TEST(Generate, SkewedAllToAll)
{
    Made m(Params({{"ranks", "8"}, {"kind", "all-to-all"}, {"size", "1MB"}, {"skew", "1"}}));
    ASSERT_EQ(m.rc, 0) << Text(m.err);
    std::vector<uint64_t> shares;
    for (uint32_t r = 0; r < 8; r++) {
        const weft_op *op = weft_workload_visit(m.w, r, 0);
        ASSERT_NE(op->send_bytes, nullptr);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < 8; i++) {
            sum += op->send_bytes[i];
            EXPECT_EQ(op->recv_bytes[i], weft_workload_visit(m.w, i, 0)->send_bytes[r]);
        }
        EXPECT_EQ(sum, 1000000u);
        EXPECT_EQ(op->bytes, 1000000u);
        shares.assign(op->send_bytes, op->send_bytes + 8);
    }
    std::sort(shares.rbegin(), shares.rend());
    double harmonic = 0;
    for (int k = 1; k <= 8; k++)
        harmonic += 1.0 / k;
    for (int k = 1; k <= 8; k++)
        EXPECT_NEAR(static_cast<double>(shares[k - 1]), 1e6 / harmonic / k, 1.01) << k;
    weft_err err{};
    weft_workload *w = nullptr;
    const weft_generate_params ring = Params({{"ranks", "8"}, {"skew", "1"}});
    EXPECT_EQ(weft_generate_workload(&ring, &w, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("kind=all-to-all"), std::string::npos) << err.msg;
}

TEST(Generate, AMatrixOfAFile)
{
    Folder dir;
    const std::string path = dir / "m.csv";
    const auto make = [&](const char *text) {
        std::ofstream(path) << text;
        return Made(Params({{"ranks", "2"},
                            {"kind", "all-to-all"},
                            {"matrix-file", path.c_str()},
                            {"matrix-unit", "100B"}}));
    };
    const Made m = make("1, 2\n3,40\n");
    ASSERT_EQ(m.rc, 0) << Text(m.err);
    EXPECT_EQ(weft_workload_visit(m.w, 0, 0)->send_bytes[1], 200u);
    EXPECT_EQ(weft_workload_visit(m.w, 0, 0)->recv_bytes[1], 300u);
    EXPECT_EQ(weft_workload_visit(m.w, 1, 0)->bytes, 4300u);
    const std::pair<const char *, const char *> bad[] = {{"1,2\n", "1 rows"},
                                                         {"1,2\n3\n", "row 2 needs 2 whole"},
                                                         {"1,2\n3,4,5\n", "row 2 has more"},
                                                         {"1,2\n3,x\n", "row 2 needs 2 whole"},
                                                         {"1,2\n3,4\n5,6\n", "more than 2 rows"}};
    for (const auto &[text, why] : bad) {
        const Made wrong = make(text);
        EXPECT_EQ(wrong.rc, WEFT_E_INPUT);
        EXPECT_NE(std::string(wrong.err.msg).find(why), std::string::npos) << wrong.err.msg;
    }
}

TEST(Generate, MicrobenchmarkChain)
{
    Made m(Params({{"ranks", "4"},
                   {"kind", "all-to-all"},
                   {"size", "2MiB"},
                   {"count", "2"},
                   {"compute-time", "5us"}}));
    ASSERT_EQ(m.rc, 0) << Text(m.err);
    ASSERT_EQ(m.w->nranks, 4u);
    EXPECT_EQ(Shape(m.w->dags[3]),
              "0:compute_0<-;1:all-to-all_0<-0;2:compute_1<-1;3:all-to-all_1<-2;");
    const weft_op *ops = m.w->dags[0].ops;
    EXPECT_EQ(ops[0].duration_ps, 5000000);
    EXPECT_EQ(ops[1].coll, WEFT_COLL_ALL_TO_ALL);
    EXPECT_EQ(ops[1].bytes, 2097152u);
}

TEST(Generate, MicrobenchmarkOverlap)
{
    Made m(Params({{"ranks", "2"}, {"count", "2"}, {"compute-time", "5us"}, {"overlap", "true"}}));
    ASSERT_EQ(m.rc, 0) << Text(m.err);
    EXPECT_EQ(Shape(m.w->dags[0]),
              "0:compute_0<-;1:all-reduce_0<-0;2:compute_1<-0;3:all-reduce_1<-2;");
    Made none(Params({{"ranks", "2"}, {"count", "2"}, {"overlap", "true"}}));
    EXPECT_EQ(Shape(none.w->dags[1]), "0:all-reduce_0<-;1:all-reduce_1<-;");
    Made chain(Params({{"ranks", "2"}, {"count", "2"}}));
    EXPECT_EQ(Shape(chain.w->dags[1]), "0:all-reduce_0<-;1:all-reduce_1<-0;");
}

TEST(Generate, DataParallelIteration)
{
    Made m(Params({{"pattern", "data-parallel"},
                   {"ranks", "2"},
                   {"layers", "3"},
                   {"bucket-layers", "2"},
                   {"size", "1000B"},
                   {"forward-time", "1us"},
                   {"backward-time", "2us"},
                   {"optimizer-time", "3us"}}));
    ASSERT_EQ(m.rc, 0) << Text(m.err);
    EXPECT_EQ(Shape(m.w->dags[0]), "0:it0_forward_0<-;1:it0_forward_1<-0;2:it0_forward_2<-1;"
                                   "3:it0_backward_2<-2;4:it0_backward_1<-3;5:it0_grad_0<-4;"
                                   "6:it0_backward_0<-4;7:it0_grad_1<-6;8:it0_optimizer<-5,6,7;");
    const weft_op *ops = m.w->dags[0].ops;
    EXPECT_EQ(ops[0].duration_ps, 1000000);
    EXPECT_EQ(ops[3].duration_ps, 2000000);
    EXPECT_EQ(ops[8].duration_ps, 3000000);
    EXPECT_EQ(ops[5].bytes, 2000u); // two layers
    EXPECT_EQ(ops[7].bytes, 1000u); // the one that is left
}

TEST(Generate, DataParallelIterationsFollowEachOther)
{
    Made m(Params(
        {{"pattern", "data-parallel"}, {"ranks", "2"}, {"layers", "1"}, {"iterations", "2"}}));
    ASSERT_EQ(m.rc, 0) << Text(m.err);
    EXPECT_EQ(Shape(m.w->dags[0]),
              "0:it0_forward_0<-;1:it0_backward_0<-0;2:it0_grad_0<-1;3:it0_optimizer<-1,2;"
              "4:it1_forward_0<-3;5:it1_backward_0<-4;6:it1_grad_0<-5;7:it1_optimizer<-5,6;");
}

TEST(Generate, RanksShareOneGraph)
{
    Made m(Params({{"ranks", "1024"}, {"count", "3"}}));
    ASSERT_EQ(m.rc, 0) << Text(m.err);
    EXPECT_EQ(m.w->dags[0].ops, m.w->dags[1023].ops);
    EXPECT_EQ(m.w->groups[0].n, 1024u);
}

TEST(Generate, FilesAndMemoryAreTheSameJob)
{
    Folder dir;
    weft_err err{};
    weft_generate_params p =
        Params({{"pattern", "data-parallel"}, {"ranks", "3"}, {"layers", "4"}});
    Made m(p);
    ASSERT_EQ(m.rc, 0) << Text(m.err);
    for (const char *name : {"plain", "small.gz"}) {
        ASSERT_EQ(weft_generate_write(&p, (dir / name).c_str(), &err), 0) << Text(err);
        std::string prefix = dir / std::string(name).substr(0, 5);
        weft_workload *w = nullptr;
        ASSERT_EQ(weft_chakra_read(prefix.c_str(), 3, nullptr, &w, &err), 0) << Text(err);
        for (uint32_t r = 0; r < 3; r++) {
            EXPECT_EQ(Shape(w->dags[r]), Shape(m.w->dags[r]));
            for (uint32_t i = 0; i < w->dags[r].nops; i++) {
                const weft_op &a = w->dags[r].ops[i], &b = m.w->dags[r].ops[i];
                EXPECT_EQ(a.kind, b.kind);
                EXPECT_EQ(a.duration_ps, b.duration_ps);
                EXPECT_EQ(a.bytes, b.bytes);
                EXPECT_EQ(a.coll, b.coll);
            }
        }
        weft_workload_free(w);
    }
    EXPECT_TRUE(std::filesystem::exists(dir / "small.2.et.gz"));
}

TEST(GenerateError, Values)
{
    struct {
        std::initializer_list<std::pair<const char *, const char *>> set;
        int code;
        const char *part;
    } cases[] = {
        {{{"ranks", "0"}}, WEFT_E_INPUT, "ranks must be 1"},
        {{{"ranks", "2"}, {"compute-time", "1500ns"}},
         WEFT_E_INPUT,
         "compute-time is 1.5us, but a Chakra trace counts whole microseconds; nearest are 1us and "
         "2us"},
        {{{"ranks", "2"}, {"pattern", "data-parallel"}, {"kind", "all-gather"}},
         WEFT_E_INPUT,
         "all-reduce only"},
        {{{"ranks", "2"},
          {"pattern", "data-parallel"},
          {"layers", "100000"},
          {"iterations", "100000"}},
         WEFT_E_LIMIT,
         "30000100000 operations"},
        {{{"ranks", "2"},
          {"pattern", "data-parallel"},
          {"size", "8000000TB"},
          {"bucket-layers", "3"}},
         WEFT_E_INPUT,
         "over 2^63 - 1"},
    };
    for (const auto &c : cases) {
        Made m(Params(c.set));
        EXPECT_EQ(m.rc, c.code) << Text(m.err);
        EXPECT_NE(std::string(m.err.msg).find(c.part), std::string::npos) << Text(m.err);
    }
}

TEST(WorkloadTable, FindsAndSuggests)
{
    weft_err err{};
    size_t n = 0;
    const weft_workload_ops *const *table = weft_workload_table(&n);
    ASSERT_GE(n, 2u);
    for (size_t i = 0; i < n; i++) {
        EXPECT_EQ(weft_workload_find(table[i]->name, &err), table[i]);
        EXPECT_NE(table[i]->title, nullptr);
        EXPECT_NE(table[i]->load != nullptr, table[i]->flows != nullptr) << table[i]->name;
        std::vector<char> storage(table[i]->params.struct_size);
        EXPECT_EQ(weft_params_defaults(&table[i]->params, storage.data(), &err), 0) << Text(err);
    }
    EXPECT_EQ(weft_workload_find("chakara", &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("'chakra'"), std::string::npos) << err.msg;
}

TEST(WorkloadTable, LoadsThroughParameters)
{
    Folder dir;
    weft_err err{};
    weft_generate_params made = Params({{"ranks", "4"}});
    ASSERT_EQ(weft_generate_write(&made, (dir / "t").c_str(), &err), 0) << Text(err);

    const weft_workload_ops *chakra = weft_workload_find("chakra", &err);
    std::vector<uint64_t> p(chakra->params.struct_size / 8 + 1);
    std::string path = dir / "t";
    ASSERT_EQ(weft_params_defaults(&chakra->params, p.data(), &err), 0);
    weft_workload *w = nullptr;
    EXPECT_EQ(chakra->load(p.data(), 4, &w, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("'path'"), std::string::npos);
    ASSERT_EQ(weft_params_set(&chakra->params, p.data(), "path", path.c_str(), &err), 0);
    ASSERT_EQ(chakra->load(p.data(), 4, &w, &err), 0) << Text(err);
    EXPECT_EQ(w->nranks, 4u);
    weft_workload_free(w);
    EXPECT_EQ(chakra->load(p.data(), 8, &w, &err), WEFT_E_INPUT);
    ASSERT_EQ(weft_params_set(&chakra->params, p.data(), "ranks", "5", &err), 0);
    EXPECT_EQ(chakra->load(p.data(), 4, &w, &err), WEFT_E_INPUT);
    EXPECT_EQ(chakra->load(p.data(), 0, &w, &err), WEFT_E_INPUT);

    const weft_workload_ops *generate = weft_workload_find("generate", &err);
    weft_generate_params g = Params({});
    ASSERT_EQ(generate->load(&g, 6, &w, &err), 0) << Text(err);
    EXPECT_EQ(w->nranks, 6u);
    weft_workload_free(w);
    g.ranks = 5; // on the first of six hosts
    ASSERT_EQ(generate->load(&g, 6, &w, &err), 0) << Text(err);
    EXPECT_EQ(w->nranks, 5u);
    weft_workload_free(w);
    EXPECT_EQ(generate->load(&g, 4, &w, &err), WEFT_E_INPUT);
}
