/* SPDX-License-Identifier: GPL-2.0-only */
/* Algorithms from MSCCL XML: taken when they are right, refused with the place when not. */
#include "base/file.h"
#include "collective/algorithm.h"
#include "collective/checker.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

std::string Dir()
{
    return ::testing::TempDir();
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

/* Two GPUs, not in place: each copies its own part, sends it, and gets the other's; both ways of waiting. */
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
    has(Algo("allgather", 2, false, stuck), "deadlock");
}

} // namespace
