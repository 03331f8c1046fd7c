/* SPDX-License-Identifier: GPL-2.0-only */
/* Text workloads of ASTRA-sim 1.0 and SimAI: order and times of their training loops, worked out by
 * hand. */
#include "job.h"

#include "workload/astra_text/astra_text.h"
#include "workload/chakra_read.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace
{

/* 1 ns per byte, 1 us of latency: an all-reduce of B bytes between two ranks takes B + 2000 ns, a
 * reduce-scatter, an all-to-all and an all-gather of shards of B / 2 take B / 2 + 1000 ns. */
const Settings kPlain = {{"model", "flat"}, {"bandwidth", "8Gbps"}, {"latency", "1us"}};
const Settings kRing = {{"all-reduce", "ring"}, {"all-gather", "ring"}, {"reduce-scatter", "ring"}};

class TextFile
{
  public:
    explicit TextFile(const std::string &text)
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "weft-XXXXXX").string();
        dir = mkdtemp(pattern.data());
        path = dir + "/w.txt";
        std::ofstream(path) << text;
    }
    ~TextFile()
    {
        std::error_code ignored;
        std::filesystem::remove_all(dir, ignored);
    }
    std::string dir, path;
};

struct Text {
    explicit Text(const std::string &text, weft_astra_dialect dialect = WEFT_ASTRA_DIALECT_AUTO)
        : file(text)
    {
        weft_astra_text_read(file.path.c_str(), dialect, &t, &err);
    }
    ~Text()
    {
        weft_astra_text_free(t);
    }
    TextFile file;
    weft_astra_text *t = nullptr;
    weft_err err{};
};

struct Loaded {
    explicit Loaded(const std::string &text, uint32_t nranks, uint64_t passes = 1,
                    weft_astra_dialect dialect = WEFT_ASTRA_DIALECT_AUTO)
        : text(text, dialect)
    {
        EXPECT_EQ(this->text.err.code, 0) << this->text.err.msg;
        EXPECT_EQ(weft_astra_text_job(this->text.t, nranks, passes, &w, &err), 0) << err.msg;
    }
    ~Loaded()
    {
        weft_workload_free(w);
    }
    int64_t EndNs() const
    {
        return Sim(w, kRing, kPlain).EndNs();
    }
    const weft_op *Find(const char *name, uint32_t rank = 0) const
    {
        static weft_op own;
        for (uint32_t i = 0; i < w->dags[rank].nops; i++) {
            const weft_op *op = weft_dag_op(&w->dags[rank], i, &own);
            if (strcmp(op->name, name) == 0)
                return op;
        }
        return nullptr;
    }
    std::vector<uint32_t> Group(const char *name, uint32_t rank) const
    {
        const weft_op *op = Find(name, rank);
        if (!op)
            return {};
        const weft_group &g = w->groups[op->group];
        return std::vector<uint32_t>(g.ranks, g.ranks + g.n);
    }
    Text text;
    weft_workload *w = nullptr;
    weft_err err{};
};

std::string Refusal(const std::string &text)
{
    Text t(text);
    EXPECT_NE(t.err.code, 0);
    return std::to_string(t.err.line) + ":" + std::to_string(t.err.col) + ": " + t.err.msg;
}

using Ranks = std::vector<uint32_t>;

} // namespace

/* Layer 0's all-reduce and its update end at 53300, and the second pass starts with it. */
TEST(AstraText, DataParallel)
{
    const std::string list = "DATA\n2\n"
                             "a -1 10000 NONE 0 7000 NONE 0 5000 ALLREDUCE 2000 300\n"
                             "b -1 20000 NONE 0 8000 NONE 0 6000 ALLREDUCE 4000 500\n";
    EXPECT_EQ(Loaded(list, 2).EndNs(), 53300);
    EXPECT_EQ(Loaded(list, 2, 2).EndNs(), 106600);
    Loaded one(list, 1); /* nobody to talk to: 30000 + 6000 + 8000 + 5000 */
    EXPECT_EQ(one.Find("a wg all-reduce"), nullptr);
    EXPECT_EQ(one.EndNs(), 49000);
}

/* Input gradients first: 30000 + 8000 + 6000 + 5000 of computation, then layer 0's all-reduce. */
TEST(AstraText, DataParallelReordered)
{
    const std::string list = "DATA_REORDER\n2\n"
                             "a -1 10000 NONE 0 7000 NONE 0 5000 ALLREDUCE 2000 300\n"
                             "b -1 20000 NONE 0 8000 NONE 0 6000 ALLREDUCE 4000 500\n";
    Loaded l(list, 2);
    EXPECT_EQ(l.EndNs(), 53300);
    ASSERT_TRUE(l.Find("b ig") && l.Find("b wg"));
    const uint64_t first = l.Find("b ig")->id;
    EXPECT_LT(first, l.Find("b wg")->id);
    EXPECT_EQ(l.Find("a ig"), nullptr);
    EXPECT_EQ(Loaded(list, 1).EndNs(), 49000);
}

/* Forward 14000 + 20000; b: 8000, its collective until 46000 is waited for after 1000 of weight
 * gradients; a: 7000 + 5000, its collective of input gradients does not exist. */
TEST(AstraText, ModelParallel)
{
    EXPECT_EQ(Loaded("MODEL\n2\n"
                     "a -1 10000 ALLREDUCE 2000 7000 ALLREDUCE 2000 5000 NONE 0 0\n"
                     "b -1 20000 NONE 0 8000 ALLREDUCE 2000 1000 NONE 0 0\n",
                     2)
                  .EndNs(),
              58000);
}

/* Ranks 0 1 | 2 3 share the model, 0 2 | 1 3 the data. Forward 34000; b: ig 42000, collective
 * waited for until 46000, wg 52000, reduce-scatter beside; a: 59000, 64000, 68000. */
TEST(AstraText, Transformer)
{
    Loaded l("HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n2\n"
             "a -1 10000 ALLREDUCE 2000 7000 NONE 0 5000 ALLREDUCE 2000 0\n"
             "b -1 20000 NONE 0 8000 ALLREDUCE 2000 6000 REDUCESCATTER 2000 0\n",
             4);
    EXPECT_EQ(l.EndNs(), 68000);
    EXPECT_EQ(l.Group("a fwd all-reduce", 3), (Ranks{2, 3}));
    EXPECT_EQ(l.Group("a wg all-reduce", 3), (Ranks{1, 3}));
}

/* 7000 + 4000 forward; layers 0 and 1 again before c's backward pass, 3000 + 4000; then 70700. */
TEST(AstraText, ForwardInBackward)
{
    const std::string layers = "3\n"
                               "a -1 1000 NONE 0 10000 NONE 0 100 NONE 0 0\n"
                               "b -1 2000 ALLREDUCE 2000 20000 NONE 0 200 NONE 0 0\n"
                               "c -1 4000 NONE 0 40000 NONE 0 400 NONE 0 0\n";
    const std::string first = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ";
    Loaded l(first + "checkpoints: 1 0 checkpoint_initiates: 1 2\n" + layers, 2);
    EXPECT_EQ(l.EndNs(), 88700);
    EXPECT_NE(l.Find("again b fwd all-reduce"), nullptr);
    EXPECT_EQ(l.Find("again c fwd"), nullptr);
    EXPECT_EQ(Loaded(first + "checkpoints: 0 checkpoint_initiates: 0\n" + layers, 2).EndNs(),
              81700);
}

/* The exchange of 300 .. 2300 is waited for at the last bottom layer; that of gradients is issued
 * at 17300 and ends at 22300. A second pass takes as long; ENHANCED starts it at 19600 already. */
TEST(AstraText, Dlrm)
{
    const std::string layers = "3\n"
                               "Embedding -1 300 ALLTOALL 2000 300 ALLTOALL 8000 300 NONE 0 0\n"
                               "bottom -1 1000 NONE 0 1000 NONE 0 1000 NONE 0 0\n"
                               "top -1 5000 NONE 0 5000 NONE 0 5000 ALLREDUCE 2000 0\n";
    EXPECT_EQ(Loaded("HYBRID_DLRM 1\n" + layers, 2).EndNs(), 22300);
    EXPECT_EQ(Loaded("HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n" + layers, 2, 2).EndNs(), 44600);
    Loaded enhanced("HYBRID_DLRM_ENHANCED 1\n" + layers, 2, 2);
    EXPECT_EQ(enhanced.Find("pass1 Embedding fwd all-to-all")->priority, 100000000);
    EXPECT_EQ(
        Sim(enhanced.w, kRing, kPlain).Of(0, enhanced.Find("pass1 Embedding fwd")->id).start_ps,
        19600000);
}

/* MICRO plays the first layer, in SimAI's files all, one after the other; inference has no backward
 * pass. */
TEST(AstraText, MicroAndInference)
{
    const std::string two = "MICRO\n2\n%s -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 2000 0\n"
                            "%s -1 5 NONE 0 5 NONE 0 5 ALLTOALL 2000 0\n";
    const auto named = [&](const std::string &name) {
        std::string s = two;
        for (size_t at; (at = s.find("%s")) != std::string::npos;)
            s.replace(at, 2, name);
        return s;
    };
    EXPECT_EQ(Loaded(named("conv"), 2).EndNs(), 4000);
    EXPECT_EQ(Loaded(named("micro_test"), 2).EndNs(), 6000);
    EXPECT_EQ(
        Loaded("DISTRIBUTED_INFERENCE\n1\na -1 1000 ALLREDUCE 2000 7 NONE 0 7 NONE 0 0\n", 2, 3)
            .EndNs(),
        15000);
}

/* Dimensions, or neighbours when they are given. */
TEST(AstraText, Dimensions)
{
    const std::string list =
        "HYBRID_CUSTOMIZED\n2\n"
        "a -1 10 ALLREDUCE 2000 0 NONE 0 0 ALLREDUCE 2000 0 HYBRID_DATA_MODEL\n"
        "b -1 10 NONE 0 0 NONE 0 0 ALLREDUCE 2000 0 HYBRID_MODEL_DATA\n";
    Loaded l(list, 4);
    EXPECT_EQ(l.Find("a fwd all-reduce")->involved, 1u);
    EXPECT_EQ(l.Find("a wg all-reduce")->involved, 0x3feu);
    EXPECT_EQ(l.Find("b wg all-reduce")->involved, 1u);
    EXPECT_EQ(l.Find("b wg all-reduce")->ninvolved, 10u);
    Text t(list);
    t.t->first = 2;
    weft_workload *w = nullptr;
    ASSERT_EQ(weft_astra_text_job(t.t, 4, 1, &w, &t.err), 0) << t.err.msg;
    EXPECT_EQ(w->ngroups, 5u); /* the world, two along each dimension */
    weft_workload_free(w);
}

/* SimAI's groups, as its MockNcclGroup makes them; sizes of ALLGATHER are those of the whole
 * buffer, and forward collectives have 4096 bytes at least. */
TEST(AstraText, SimAI)
{
    Loaded l("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 8 ga: 1 "
             "all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0.0\n3\n"
             "a\t-1\t1\tALLGATHER\t8192\t1\tREDUCESCATTER\t8192\t1\tALLGATHER\t16384\t100\n"
             "b\t-1\t1\tALLTOALL_EP\t100\t1\tALLTOALL_EP\t100\t1\tALLGATHER_DP_EP\t10\t100\n"
             "c\t-1\t1\tBROADCAST\t8192\t1\tALLREDUCE\t0\t1\tNONE\t0\t100\n",
             16);
    EXPECT_EQ(l.text.t->dialect, WEFT_ASTRA_DIALECT_SIMAI);
    EXPECT_EQ(l.Group("a fwd all-gather", 5), (Ranks{4, 5}));
    EXPECT_EQ(l.Group("a wg all-gather", 5), (Ranks{1, 3, 5, 7, 9, 11, 13, 15}));
    EXPECT_EQ(l.Group("b fwd all-to-all", 5), (Ranks{5, 7}));
    EXPECT_EQ(l.Group("b wg all-gather", 5), (Ranks{1, 5, 9, 13}));
    EXPECT_EQ(l.Group("b wg all-gather", 2), (Ranks{2, 6, 10, 14}));
    EXPECT_EQ(l.Find("a fwd all-gather")->bytes, 4096u);
    EXPECT_EQ(l.Find("a ig reduce-scatter")->bytes, 8192u);
    EXPECT_EQ(l.Find("a wg all-gather")->bytes, 2048u);
    EXPECT_EQ(l.Find("b fwd all-to-all")->bytes, 4096u);
    EXPECT_EQ(l.Find("b ig all-to-all")->bytes, 100u);
    EXPECT_EQ(l.Find("b wg all-gather")->bytes, 3u);
    EXPECT_EQ(l.Find("c fwd broadcast"), nullptr);
    EXPECT_EQ(l.Find("c ig all-reduce"), nullptr);
    const std::string notes = l.w->notes;
    EXPECT_NE(notes.find("1 BROADCAST is not played"), std::string::npos) << notes;
    EXPECT_NE(notes.find("1 collective of the forward pass below 4096 bytes"), std::string::npos);
    weft_workload *w = nullptr;
    weft_err err{};
    EXPECT_EQ(weft_astra_text_job(l.text.t, 18, 1, &w, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("2 x 2; nearest 16"), std::string::npos) << err.msg;
}

/* Written as Chakra and read again it is the same job, but for durations in whole microseconds. */
TEST(AstraText, ToChakra)
{
    Loaded l("HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n2\n"
             "a -1 10400 ALLREDUCE 2000 7400 NONE 0 5000 ALLREDUCE 2000 3229\n"
             "b -1 20400 ALLGATHER 0 8000 ALLREDUCE 2000 6000 ALLGATHER 2000 0\n",
             4, 2);
    const std::string prefix = l.text.file.dir + "/t";
    weft_err err{};
    ASSERT_EQ(weft_astra_text_write(l.text.t, 4, 2, prefix.c_str(), &err), 0) << err.msg;
    weft_workload *w = nullptr;
    ASSERT_EQ(weft_chakra_read(prefix.c_str(), 0, (prefix + ".json").c_str(), &w, &err), 0)
        << err.msg;
    ASSERT_EQ(w->nranks, 4u);
    for (uint32_t r = 0; r < 4; r++) {
        ASSERT_EQ(w->dags[r].nops + 1, l.w->dags[r].nops); /* the node that names groups */
        int64_t off_ps = 0;
        for (uint32_t i = 0; i < w->dags[r].nops; i++) {
            weft_op own, other;
            const weft_op *a = weft_dag_op(&w->dags[r], i, &own);
            const weft_op *b = weft_dag_op(&l.w->dags[r], i + 1, &other);
            EXPECT_STREQ(a->name, b->name);
            EXPECT_EQ(a->kind, b->kind);
            EXPECT_EQ(a->cpu, b->cpu);
            EXPECT_EQ(a->bytes, b->bytes);
            EXPECT_EQ(a->nparents, b->nparents);
            EXPECT_TRUE(a->kind != WEFT_OP_COLL || a->bytes > 0);
            EXPECT_EQ(a->duration_ps % 1000000, 0);
            off_ps += a->cpu ? 0 : a->duration_ps - b->duration_ps;
            EXPECT_LE(std::abs(off_ps), 500000);
            if (a->kind == WEFT_OP_COLL) {
                EXPECT_STREQ(w->groups[a->group].name, l.w->groups[b->group].name);
            }
        }
    }
    weft_workload_free(w);
}

TEST(AstraText, Refusals)
{
    const std::string tf = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ";
    const std::string layer = "a -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n";
    EXPECT_EQ(Refusal("HYBRID_DATA\n1\n" + layer).substr(0, 5), "1:1: ");
    EXPECT_NE(Refusal("DATTA\n1\n" + layer).find("did you mean 'DATA'"), std::string::npos);
    EXPECT_NE(Refusal(tf + "epp: 2\n1\n" + layer).find("did you mean 'ep'"), std::string::npos);
    EXPECT_NE(Refusal("HYBRID_TRANSFORMER\n1\n" + layer).find("needs 'model_parallel_NPU_group"),
              std::string::npos);
    EXPECT_EQ(Refusal("DATA\n839\n" + layer + layer),
              "5:1: the file announces 839 layers, but ends after 2");
    EXPECT_NE(Refusal("DATA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0\n").find("end"), std::string::npos);
    EXPECT_NE(Refusal("DATA\n2\na -1 1 NONE 0 1 NONE 0 1 NONE 0\n" + layer).find("too few columns"),
              std::string::npos);
    EXPECT_NE(
        Refusal("DATA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 0 0\n").find("more than 12 columns"),
        std::string::npos);
    EXPECT_NE(Refusal("DATA\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCED 8 0\n").find("'ALLREDUCE'"),
              std::string::npos);
    EXPECT_NE(Refusal("DATA\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCEALLTOALL 8 0\n").find("nearest"),
              std::string::npos);
    EXPECT_NE(Refusal("DATA\n1\na -1 1 ALLTOALL_EP 8 1 NONE 0 1 NONE 0 0\n").find("needs"),
              std::string::npos);
    EXPECT_NE(Refusal(tf + "ep: 1\n1\na -1 1 ALLTOALL_PP 8 1 NONE 0 1 NONE 0 0\n").find("_DP_EP"),
              std::string::npos);
    EXPECT_NE(Refusal(tf + "checkpoints: 0 checkpoint_initiates: 1 0\n1\n" + layer)
                  .find("no layer of `checkpoints`"),
              std::string::npos);
    EXPECT_NE(
        Refusal(tf + "checkpoints: 1 4 checkpoint_initiates: 0\n1\n" + layer).find("names layer 4"),
        std::string::npos);
    EXPECT_NE(
        Refusal("HYBRID_CUSTOMIZED\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 0 HYBRID_TRANSFORMER\n")
            .find("can't be the policy of one layer"),
        std::string::npos);
    EXPECT_NE(Refusal("HYBRID_DLRM 1\n1\n" + layer).find("last bottom layer is 1"),
              std::string::npos);
}
