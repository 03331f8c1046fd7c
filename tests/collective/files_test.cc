/* SPDX-License-Identifier: GPL-2.0-only */
/* Algorithms from MSCCL XML: taken when they are right, refused with the place when not. */
#include "base/file.h"
#include "collective/algorithm.h"
#include "collective/checker.h"
#include "../workload/wire.h"
#include "tests/base/temp_dir.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

std::string Dir()
{
    static const TempDir dir; // of this process
    return dir / "";
}

/* Loads `xml` as msccl; the error, or "". */
std::string Load(const std::string &xml, weft_coll_algorithm *a)
{
    weft_err err = {};
    char text[1024];
    EXPECT_EQ(weft_file_write((Dir() + "/algo.xml").c_str(), xml.data(), xml.size(), &err), 0);
    const std::string spec = "msccl:file=algo.xml";
    if (weft_coll_algorithm_parse(spec.c_str(), spec.size(), Dir().c_str(), a, &err) == 0)
        return "";
    return weft_err_format(&err, text, sizeof text);
}

std::string Step(int s, const char *type, const char *src, int srcoff, const char *dst, int dstoff,
                 int depid = -1, int deps = -1, int cnt = 1)
{
    return "<step s=\"" + std::to_string(s) + "\" type=\"" + type + "\" srcbuf=\"" + src +
           "\" srcoff=\"" + std::to_string(srcoff) + "\" dstbuf=\"" + dst + "\" dstoff=\"" +
           std::to_string(dstoff) + "\" cnt=\"" + std::to_string(cnt) + "\" depid=\"" +
           std::to_string(depid) + "\" deps=\"" + std::to_string(deps) + "\" hasdep=\"0\"/>";
}

std::string Tb(int id, int send, int recv, const std::string &steps, int chan = 0)
{
    return "<tb id=\"" + std::to_string(id) + "\" send=\"" + std::to_string(send) + "\" recv=\"" +
           std::to_string(recv) + "\" chan=\"" + std::to_string(chan) + "\">" + steps + "</tb>";
}

std::string Gpu(int id, int i, int o, int s, const std::string &tbs)
{
    return "<gpu id=\"" + std::to_string(id) + "\" i_chunks=\"" + std::to_string(i) +
           "\" o_chunks=\"" + std::to_string(o) + "\" s_chunks=\"" + std::to_string(s) + "\">" +
           tbs + "</gpu>";
}

std::string Algo(const char *coll, int n, bool inplace, const std::string &gpus)
{
    return std::string("<algo name=\"test\" proto=\"Simple\" nchannels=\"1\" coll=\"") + coll +
           "\" ngpus=\"" + std::to_string(n) + "\" inplace=\"" + (inplace ? "1" : "0") + "\">" +
           gpus + "</algo>";
}

/* Ring all-reduce in place, n chunks: one threadblock per GPU; the last reduction is an rrcs. */
std::string Ring(int n)
{
    std::string gpus;
    for (int g = 0; g < n; g++) {
        std::string steps = Step(0, "s", "i", g, "i", g);
        int s = 1;
        for (int k = 1; k < n; k++, s++) {
            int c = (g - k + n) % n;
            steps += Step(s, k == n - 1 ? "rrcs" : "rrs", "i", c, "i", c);
        }
        for (int k = 0; k < n - 1; k++, s++) {
            int c = (g - k + n) % n;
            steps += Step(s, k == n - 2 ? "r" : "rcs", "i", c, "i", c);
        }
        gpus += Gpu(g, n, 0, 0, Tb(0, (g + 1) % n, (g + n - 1) % n, steps));
    }
    return Algo("allreduce", n, true, gpus);
}

void Prove(const weft_coll_algorithm &a, weft_coll_kind kind, uint32_t n, uint64_t bytes,
           weft_coll_proof *proof)
{
    weft_err err = {};
    weft_coll_call c = {};
    c.kind = kind;
    c.n = n;
    c.bytes = bytes;
    weft_coll_use(&c, &a);
    ASSERT_TRUE(a.ops->supports(&c, nullptr));
    EXPECT_EQ(weft_coll_prove(a.ops, &c, proof, &err), 0) << err.msg;
}

TEST(Msccl, RingOfAnySizeIsProved)
{
    for (int n : {2, 3, 4, 8, 16}) {
        weft_coll_algorithm a = {};
        ASSERT_EQ(Load(Ring(n), &a), "");
        for (uint64_t bytes : {uint64_t{0}, uint64_t{5}, uint64_t{1000003}}) {
            weft_coll_proof p;
            Prove(a, WEFT_COLL_ALL_REDUCE, (uint32_t)n, bytes, &p);
            EXPECT_EQ(p.bytes, 2 * ((uint64_t)n - 1) * bytes); // as the native ring
            EXPECT_EQ(p.messages, 2 * ((uint64_t)n - 1) * (uint64_t)n);
        }
        weft_coll_algorithm_release(&a);
    }
}

/* All-reduce of two GPUs in place, n chunks: each adds up one half for both. */
std::string Halves(int n)
{
    std::string gpus;
    for (int g = 0; g < 2; g++) {
        const int mine = g * n / 2, other = (1 - g) * n / 2;
        gpus += Gpu(g, n, 0, 0,
                    Tb(0, 1 - g, 1 - g,
                       Step(0, "s", "i", other, "i", other, -1, -1, n / 2) +
                           Step(1, "rrc", "i", mine, "i", mine, -1, -1, n / 2) +
                           Step(2, "s", "i", mine, "i", mine, -1, -1, n / 2) +
                           Step(3, "r", "i", other, "i", other, -1, -1, n / 2)));
    }
    return Algo("allreduce", 2, true, gpus);
}

/* A search per chunk would take an hour. */
TEST(Msccl, ManyChunks)
{
    weft_coll_algorithm a = {};
    ASSERT_EQ(Load(Halves(1 << 18), &a), "");
    weft_coll_algorithm_release(&a);
}

TEST(Msccl, RefusesWhatIsLargeOutOfProportion)
{
    weft_coll_algorithm a = {};
    const std::string chunks = Load(Halves(1 << 20), &a);
    EXPECT_NE(chunks.find("more than the 64 MiB that a file of"), std::string::npos) << chunks;
    EXPECT_NE(chunks.find("write it with fewer chunks"), std::string::npos) << chunks;
    std::string tbs;
    for (int i = 0; i < 1025; i++)
        tbs += Tb(i, -1, -1, "");
    const std::string blocks = Load(Algo("allreduce", 1, true, Gpu(0, 1, 0, 0, tbs)), &a);
    EXPECT_NE(blocks.find("a GPU of 1025 threadblocks; 1024 is the limit"), std::string::npos)
        << blocks;
    std::string gpus;
    for (int i = 0; i < 8000; i++)
        gpus += Gpu(i, 1, 0, 0, "");
    const std::string pairs = Load(Algo("allreduce", 8000, true, gpus), &a);
    EXPECT_NE(pairs.find("for 8000 GPUs of"), std::string::npos) << pairs;
}

/* Two GPUs, not in place: each copies its own part, sends it, and gets the other's; both ways of
 * waiting. */
TEST(Msccl, AllGatherWithCopiesAndDependencies)
{
    std::string gpus;
    for (int g = 0; g < 2; g++)
        gpus += Gpu(g, 1, 2, 1,
                    Tb(0, -1, -1, Step(0, "cpy", "i", 0, "o", g)) +
                        Tb(1, 1 - g, 1 - g,
                           Step(0, "nop", "i", 0, "i", 0, 0, 0) + Step(1, "s", "o", g, "s", 0) +
                               Step(2, "r", "o", g, "s", 0)) +
                        Tb(2, -1, -1, Step(0, "cpy", "s", 0, "o", 1 - g, 1, 2)));
    weft_coll_algorithm a = {};
    ASSERT_EQ(Load(Algo("allgather", 2, false, gpus), &a), "");
    weft_coll_proof p;
    Prove(a, WEFT_COLL_ALL_GATHER, 2, 1001, &p);
    EXPECT_EQ(p.bytes, 2 * 1001u);
    weft_coll_call c = {};
    const char *why = "";
    c.kind = WEFT_COLL_ALL_REDUCE;
    c.n = 2;
    weft_coll_use(&c, &a);
    EXPECT_FALSE(a.ops->supports(&c, &why));
    EXPECT_STREQ(why, "the MSCCL file is for another collective");
    weft_coll_algorithm_release(&a);
}

/* All-reduce on 2 through scratch: receive there, then add (re) and copy. */
TEST(Msccl, ReduceFromScratch)
{
    std::string gpus;
    for (int g = 0; g < 2; g++)
        gpus += Gpu(g, 1, 1, 1,
                    Tb(0, 1 - g, 1 - g,
                       Step(0, "s", "i", 0, "s", 0) + Step(1, "r", "i", 0, "s", 0) +
                           Step(2, "re", "s", 0, "i", 0) + Step(3, "cpy", "i", 0, "o", 0)));
    weft_coll_algorithm a = {};
    ASSERT_EQ(Load(Algo("allreduce", 2, false, gpus), &a), "");
    weft_coll_proof p;
    Prove(a, WEFT_COLL_ALL_REDUCE, 2, 77, &p);
    EXPECT_EQ(p.bytes, 2 * 77u);
    weft_coll_algorithm_release(&a);
}

TEST(Msccl, RefusesWhatIsWrongWithItsPlace)
{
    weft_coll_algorithm a = {};
    auto has = [&](const std::string &xml, const char *what) {
        const std::string got = Load(xml, &a);
        EXPECT_NE(got.find(what), std::string::npos) << got;
        if (got.empty())
            weft_coll_algorithm_release(&a);
    };
    has("<algo", "algo.xml:1");
    has("<x/>", "an MSCCL file is one <algo>");
    has(Algo("allsum", 1, true, Gpu(0, 1, 0, 0, "")), "coll must be one of");
    auto edited = [](std::string xml, const std::string &from, const std::string &to) {
        size_t at = xml.find(from);
        EXPECT_NE(at, std::string::npos);
        return xml.replace(at, from.size(), to);
    };
    const std::string ring = Ring(3);
    has(edited(ring, "type=\"rrs\"", "type=\"rss\""), "a step's type must be one of");
    has(edited(ring, "type=\"rrs\"", "type=\"rcs\""), "does not do what its coll says");
    has(edited(ring, "type=\"rrcs\"", "type=\"rrs\""), "does not do what its coll says");
    has(edited(ring, "srcoff=\"1\"", "srcoff=\"9\""), "which has 3");
    has(edited(ring, "ngpus=\"3\"", "ngpus=\"4\""), "ngpus must be the number");
    has(edited(ring, "send=\"1\"", "send=\"7\""), "other GPUs");
    has(edited(ring, "chan=\"0\"", "chan=\"1\""), "receives this on that channel");
    has(edited(ring, "depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"4\""),
        "waits for a later step");
    // every GPU receives first: nobody ever sends
    std::string stuck;
    for (int g = 0; g < 2; g++)
        stuck += Gpu(
            g, 1, 2, 0,
            Tb(0, 1 - g, 1 - g, Step(0, "r", "i", 0, "o", 1 - g) + Step(1, "s", "i", 0, "o", 0)));
    has(Algo("allgather", 2, false, stuck), "deadlock: 2 ranks wait; GPU 0, threadblock 0, step 0 "
                                            "(line 1) waits for GPU 1, threadblock "
                                            "0, step 1 (line 1); GPU 1, threadblock 0, step 0");
    has(Algo("allreduce", 2, true,
             Gpu(0, 1, 0, 0, Tb(0, 1, -1, "") + Tb(1, 1, -1, "")) + Gpu(1, 1, 0, 0, "")),
        "threadblocks 0 and 1 of GPU 0 both send to GPU 1 on channel 0; only one can");
    has(Algo("allgather", 2, false,
             Gpu(0, 1, 2, 0, "<copy i_off=\"1\" o_off=\"0\"/>" + Tb(0, -1, -1, "")) +
                 Gpu(1, 1, 2, 0, "")),
        "the input has 1 chunks, the output 2");
}

/* Two GPUs reduce and broadcast through a third: that the result comes back after what was sent is
 * known from the messages alone. */
TEST(Msccl, TheNetworkOrdersReceives)
{
    const std::string up = Step(0, "s", "i", 0, "i", 0), down = Step(0, "r", "i", 0, "i", 0);
    const std::string algo = Algo("allreduce", 2, true,
                                  Gpu(0, 1, 0, 0,
                                      Tb(0, -1, 1, Step(0, "rrc", "i", 0, "i", 0)) +
                                          Tb(1, 1, -1, Step(0, "s", "i", 0, "i", 0, 0, 0), 1)) +
                                      Gpu(1, 1, 0, 0, Tb(0, 0, -1, up) + Tb(1, -1, 0, down, 1)));
    weft_coll_algorithm a = {};
    ASSERT_EQ(Load(algo, &a), "");
    weft_coll_proof p;
    Prove(a, WEFT_COLL_ALL_REDUCE, 2, 77, &p);
    EXPECT_EQ(p.bytes, 2 * 77u);
    weft_coll_algorithm_release(&a);
}

/* A step that waits for another threadblock waits for its own as well: the send of step 1 is after
 * the receive of step 0. */
TEST(Msccl, AStepThatWaitsKeepsTheOrderOfItsThreadblock)
{
    std::string gpus;
    for (int g = 0; g < 2; g++)
        gpus += Gpu(g, 2, 0, 1,
                    Tb(0, 1 - g, 1 - g,
                       Step(0, "s", "i", 1 - g, "s", 0) + Step(1, "r", "i", g, "s", 0) +
                           Step(2, "nop", "i", 0, "i", 0, 1, 0) + Step(3, "re", "s", 0, "i", g) +
                           Step(4, "s", "i", g, "i", g) + Step(5, "r", "i", 1 - g, "i", 1 - g)) +
                        Tb(1, -1, -1, Step(0, "nop", "i", 0, "i", 0)));
    weft_coll_algorithm a = {};
    ASSERT_EQ(Load(Algo("allreduce", 2, true, gpus), &a), "");
    weft_coll_algorithm_release(&a);
}

/* <copy> comes before everything. Out of place it puts the own chunk into the result. */
TEST(Msccl, Copies)
{
    for (const bool inplace : {false, true}) {
        std::string gpus;
        for (int g = 0; g < 2; g++) {
            const std::string tb =
                Tb(0, 1 - g, 1 - g,
                   Step(0, "s", "o", g, "o", g) + Step(1, "r", "o", 1 - g, "o", 1 - g));
            gpus += Gpu(g, 1, 2, 0, "<copy i_off=\"0\" o_off=\"" + std::to_string(g) + "\"/>" + tb);
        }
        weft_coll_algorithm a = {};
        ASSERT_EQ(Load(Algo("allgather", 2, inplace, gpus), &a), "");
        weft_coll_proof p;
        Prove(a, WEFT_COLL_ALL_GATHER, 2, 10, &p);
        EXPECT_EQ(p.bytes, 20u);
        weft_coll_algorithm_release(&a);
    }
}

/* Writes the traces of two ranks and loads them; the error, or "". */
std::string LoadTraces(const wire::Bytes &zero, const wire::Bytes &one, const std::string &spec,
                       weft_coll_algorithm *a)
{
    weft_err err = {};
    char text[1024];
    const wire::Bytes *nodes[] = {&zero, &one};
    for (int r = 0; r < 2; r++) {
        const wire::Bytes file = wire::Header() + *nodes[r];
        const std::string path = Dir() + "/exchange." + std::to_string(r) + ".et";
        EXPECT_EQ(weft_file_write(path.c_str(), file.data(), file.size(), &err), 0);
    }
    if (weft_coll_algorithm_parse(spec.c_str(), spec.size(), Dir().c_str(), a, &err) == 0)
        return "";
    return weft_err_format(&err, text, sizeof text);
}

wire::Bytes Message(uint64_t id, bool send, int peer, int bytes, const wire::Bytes &deps = "")
{
    using namespace wire;
    return Frame(NodeHead(id, send ? "s" : "r", send ? 5 : 6) + deps + AttrInt("comm_size", bytes) +
                 AttrInt(send ? "comm_dst" : "comm_src", peer));
}

/* A search per message would take many minutes. The k-th of a tag meets the k-th of it. */
TEST(Chakra, ManyMessages)
{
    using namespace wire;
    Bytes zero, one;
    const int n = 120000;
    for (int i = 1; i <= n; i++) {
        zero += Message(i, true, 1, i);
        one += Message(i, false, 0, i);
    }
    weft_coll_algorithm a = {};
    ASSERT_EQ(LoadTraces(zero, one, "chakra:file=exchange", &a), "");
    weft_coll_call c = {};
    c.kind = WEFT_COLL_ALL_REDUCE;
    c.n = 2;
    c.bytes = 1;
    weft_coll_use(&c, &a);
    ASSERT_EQ(a.ops->lanes(&c, 0), (uint32_t)n);
    for (uint32_t lane : {0u, 1u, (uint32_t)n / 2, (uint32_t)n - 1}) {
        weft_coll_instr in = {};
        a.ops->instr(&c, 0, lane, 0, &in);
        EXPECT_EQ(a.ops->bytes(&c, 0, lane, 0), lane + 1);
        EXPECT_EQ(in.peer_lane, lane);
    }
    weft_coll_algorithm_release(&a);
}

/* Both send 1000 B; rank 1 computes 3 us on what it got and sends 500 B more. */
TEST(Chakra, ScalesAndKeepsDependencies)
{
    using namespace wire;
    const Bytes zero =
        Message(1, true, 1, 1000) + Message(2, false, 1, 1000) + Message(3, false, 1, 500);
    const Bytes one = Message(1, true, 0, 1000) + Message(2, false, 0, 1000) +
                      Frame(Comp(5, "c", {2}) + Int(7, 3)) + Message(6, true, 0, 500, Int(5, 5));
    weft_coll_algorithm a = {};
    ASSERT_EQ(LoadTraces(zero, one, "chakra:file=exchange:size=1000B", &a), "");
    weft_coll_call c = {};
    c.kind = WEFT_COLL_ALL_REDUCE;
    c.n = 2;
    c.bytes = 2500;
    weft_coll_use(&c, &a);
    ASSERT_TRUE(a.ops->supports(&c, nullptr));
    EXPECT_EQ(a.ops->total_bytes(&c), 2500u + 2500 + 1250);
    // rank 1: the receive, the computation and the last send are one chain, in one lane
    uint32_t chain = 0;
    while (chain < a.ops->lanes(&c, 1) && a.ops->count(&c, 1, chain) != 3)
        chain++;
    ASSERT_LT(chain, a.ops->lanes(&c, 1));
    weft_coll_instr in = {};
    a.ops->instr(&c, 1, chain, 1, &in);
    EXPECT_EQ(in.action, WEFT_COLL_COMPUTE);
    EXPECT_EQ(in.duration_ps, 3000000);
    EXPECT_EQ(in.dep, WEFT_COLL_DEP_INSTR);
    a.ops->instr(&c, 1, chain, 2, &in);
    EXPECT_EQ(in.action, WEFT_COLL_SEND);
    EXPECT_EQ(weft_coll_instr_bytes(a.ops, &c, 1, chain, 2, &in), 1250u);
    weft_coll_instr there = {};
    a.ops->instr(&c, 0, in.peer_lane, in.peer_instr, &there);
    EXPECT_EQ(there.action, WEFT_COLL_RECV);
    c.n = 3;
    EXPECT_FALSE(a.ops->supports(&c, nullptr));
    weft_coll_algorithm_release(&a);
}

TEST(Chakra, RefusesWhatHasNoOtherEnd)
{
    using namespace wire;
    weft_coll_algorithm a = {};
    auto has = [&](const Bytes &zero, const Bytes &one, const char *spec, const char *what) {
        const std::string got = LoadTraces(zero, one, spec, &a);
        EXPECT_NE(got.find(what), std::string::npos) << got;
    };
    has(Message(1, true, 1, 1000), Message(1, false, 0, 999), "chakra:file=exchange",
        "position 1 has no receive of this size and tag for it");
    has(Message(1, true, 1, 1000), "", "chakra:file=exchange", "has no receive");
    has("", Message(4, false, 0, 8), "chakra:file=exchange", "position 0 has no send");
    has(Frame(Coll(1, "c", 0, 8)), Frame(Coll(1, "c", 0, 8)), "chakra:file=exchange",
        "consists of SEND, RECV, COMP and METADATA");
    has("", "", "chakra", "it needs a file");
}

} // namespace
