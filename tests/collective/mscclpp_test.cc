/* SPDX-License-Identifier: GPL-2.0-only */
/* MSCCL++ plans: taken when they are right, refused with the place when not. */
#include "base/file.h"
#include "collective/algorithm.h"
#include "collective/checker.h"
#include "tests/base/temp_dir.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

std::string Load(const std::string &json, weft_coll_algorithm *a)
{
    static const TempDir dir; // of this process
    weft_err err = {};
    char text[1024];
    EXPECT_EQ(weft_file_write((dir / "plan.json").c_str(), json.data(), json.size(), &err), 0);
    const std::string spec = "msccl:file=plan.json";
    if (weft_coll_algorithm_parse(spec.c_str(), spec.size(), (dir / "").c_str(), a, &err) == 0)
        return "";
    return weft_err_format(&err, text, sizeof text);
}

std::string Piece(char type, int index)
{
    return std::string("{\"type\":\"") + type + "\",\"index\":" + std::to_string(index) +
           ",\"size\":1}";
}

std::string Far(int index)
{
    return "{\"buffer_id\":0,\"index\":" + std::to_string(index) + ",\"size\":1}";
}

std::string Op(const char *name, const std::string &src, const std::string &dst)
{
    return std::string("{\"name\":\"") + name + "\",\"src_buff\":[" + src + "],\"dst_buff\":[" +
           dst + "],\"channel_type\":\"memory\"}";
}

std::string Semaphore(const char *name)
{
    return std::string("{\"name\":\"") + name +
           "\",\"channel_ids\":[0],\"channel_type\":\"memory\"}";
}

std::string Join(const std::vector<std::string> &parts)
{
    std::string all;
    for (const std::string &p : parts)
        all += (all.empty() ? "" : ",") + p;
    return all;
}

using Ops = std::vector<std::string>;

/* GPU g of two, with the other one's buffer `far` and a channel to it per threadblock. */
std::string Gpu(int g, int in, int out, int scratch, char far, const std::vector<Ops> &tbs)
{
    const std::string other = std::to_string(1 - g);
    std::vector<std::string> blocks, ends(tbs.size(), other);
    for (size_t k = 0; k < tbs.size(); k++)
        blocks.push_back("{\"id\":" + std::to_string(k) + ",\"ops\":[" + Join(tbs[k]) +
                         "],\"channels\":[{\"channel_type\":\"memory\",\"channel_ids\":[" +
                         std::to_string(k) +
                         "]}],\"remote_buffer_refs\":[{\"access_channel_type\":\"memory\","
                         "\"remote_buffer_ids\":[0]}]}");
    return "{\"id\":" + std::to_string(g) + ",\"input_chunks\":" + std::to_string(in) +
           ",\"output_chunks\":" + std::to_string(out) +
           ",\"scratch_chunks\":" + std::to_string(scratch) + ",\"threadblocks\":[" + Join(blocks) +
           "],\"channels\":[{\"channel_type\":\"memory\",\"connected_to\":[" + Join(ends) +
           "]}],\"remote_buffers\":[{\"rank\":" + other + ",\"type\":\"" + far +
           "\",\"access_channel_types\":[\"memory\"]}]}";
}

std::string Plan(const char *coll, const std::string &zero, const std::string &one)
{
    return std::string("{\"name\":\"t\",\"collective\":\"") + coll +
           "\",\"protocol\":\"Simple\",\"inplace\":true,\"max_message_size\":18446744073709551615,"
           "\"gpus\":[" +
           zero + "," + one + "]}";
}

/* The bytes that all ranks send in a collective of `bytes`, proved. */
uint64_t Sent(const std::string &json, weft_coll_kind kind, uint64_t bytes)
{
    weft_coll_algorithm a = {};
    weft_coll_proof proof = {};
    weft_err err = {};
    EXPECT_EQ(Load(json, &a), "");
    if (!a.ops)
        return 0;
    weft_coll_call c = {};
    c.kind = kind;
    c.n = 2;
    c.bytes = bytes;
    weft_coll_use(&c, &a);
    EXPECT_EQ(weft_coll_prove(a.ops, &c, &proof, &err), 0) << err.msg;
    weft_coll_algorithm_release(&a);
    return proof.bytes;
}

/* Each writes its chunk into the other's output, then signals. */
std::string Put(const char *signal, bool waits)
{
    std::string gpus[2];
    for (int g = 0; g < 2; g++) {
        Ops ops = {Op("put", Piece('o', g), Far(g)), Semaphore(signal)};
        if (waits)
            ops.push_back(Semaphore("wait"));
        ops.push_back(Op("copy", Piece('o', 1 - g), Piece('s', 0)));
        gpus[g] = Gpu(g, 1, 2, 1, 'o', {ops});
    }
    return Plan("allgather", gpus[0], gpus[1]);
}

TEST(Mscclpp, WritesAndSignals)
{
    EXPECT_EQ(Sent(Put("signal", true), WEFT_COLL_ALL_GATHER, 1000), 2 * (1000u + 8));
}

TEST(Mscclpp, DataIsThereAfterAWaitAlone)
{
    weft_coll_algorithm a = {};
    const std::string none = Load(Put("signal", false), &a);
    EXPECT_NE(
        none.find("GPU 1, threadblock 0, operation 2 (line 1) reads a block that it does not have"),
        std::string::npos)
        << none;
    const std::string relaxed = Load(Put("rlxsignal", true), &a);
    EXPECT_NE(
        relaxed.find("GPU 0, threadblock 0, operation 3 (line 1) reads chunk 1 of the output, "
                     "which GPU 0, for operation 0 of GPU 1, threadblock 0 (line 1) writes: "
                     "no dependency and no message orders the two"),
        std::string::npos)
        << relaxed;
}

/* Each asks for the other's chunk: a question of 8 bytes, and a signal that it may. */
TEST(Mscclpp, Reads)
{
    std::string gpus[2];
    for (int g = 0; g < 2; g++)
        gpus[g] = Gpu(g, 1, 2, 0, 'o',
                      {{Semaphore("rlxsignal"), Semaphore("rlxwait"), "{\"name\":\"nop\"}",
                        Op("get", Far(1 - g), Piece('o', 1 - g))}});
    EXPECT_EQ(Sent(Plan("allgather", gpus[0], gpus[1]), WEFT_COLL_ALL_GATHER, 1000),
              2 * (1000u + 8 + 8));
}

std::string ReadReduceSend(bool waits)
{
    std::string gpus[2];
    for (int g = 0; g < 2; g++) {
        Ops ops = {Op("rres", Piece('i', g) + "," + Far(g), Piece('i', g) + "," + Far(g)),
                   Semaphore("signal")};
        if (waits)
            ops.push_back(Semaphore("wait"));
        gpus[g] = Gpu(g, 2, 2, 0, 'i', {ops});
    }
    return Plan("allreduce", gpus[0], gpus[1]);
}

TEST(Mscclpp, ReadsReducesAndWrites)
{
    EXPECT_EQ(Sent(ReadReduceSend(true), WEFT_COLL_ALL_REDUCE, 2000), 2 * (1000u + 1000 + 8 + 8));
}

/* The data comes all the same, but the GPU may be over by then. */
TEST(Mscclpp, AGpuHasToHearOfWhatIsWrittenIntoIt)
{
    weft_coll_algorithm a = {};
    const std::string why = Load(ReadReduceSend(false), &a);
    EXPECT_NE(why.find("GPU 0, for operation 0 of GPU 1, threadblock 0 (line 1) writes chunk 1 of "
                       "the input, and nothing there waits for it: GPU 0 may end before the data "
                       "is there (is a last wait missing?)"),
              std::string::npos)
        << why;
}

/* Any threadblock of the GPU may wait: it is over when all of them are. */
TEST(Mscclpp, AnotherThreadblockMayWait)
{
    for (const char *last : {"wait", "nop"}) {
        std::string gpus[2];
        for (int g = 0; g < 2; g++) {
            gpus[g] =
                Gpu(g, 1, 2, 0, 'o',
                    {{Op("put", Piece('o', g), Far(g)), Semaphore("signal")}, {Semaphore(last)}});
            gpus[g].replace(gpus[g].find("\"channel_ids\":[1]"), 17, "\"channel_ids\":[0]");
        }
        weft_coll_algorithm a = {};
        const std::string why = Load(Plan("allgather", gpus[0], gpus[1]), &a);
        if (std::string(last) == "wait")
            EXPECT_EQ(why, "");
        else
            EXPECT_NE(why.find("nothing there waits for it"), std::string::npos) << why;
        if (a.ops)
            weft_coll_algorithm_release(&a);
    }
}

/* Packets are waited for where they are read; in a threadblock of its own. */
std::string Packets(int from)
{
    std::string gpus[2];
    for (int g = 0; g < 2; g++)
        gpus[g] = Gpu(
            g, 2, 2, 4, 's',
            {{Op("ppkt", Piece('i', 1 - g), Far(1 - g)),
              Op("respkt", Piece('i', g) + "," + Piece('s', g), Piece('i', g) + "," + Far(2 + g)),
              "{\"name\":\"barrier\",\"barrier_id\":0,\"num_threadblocks\":2}"},
             {"{\"name\":\"barrier\",\"barrier_id\":0,\"num_threadblocks\":2}",
              Op("upkt", Piece('s', from - g), Piece('i', 1 - g))}});
    return Plan("allreduce", gpus[0], gpus[1]);
}

TEST(Mscclpp, PacketsAndBarriers)
{
    EXPECT_EQ(Sent(Packets(3), WEFT_COLL_ALL_REDUCE, 2000), 4 * 1000u);
    weft_coll_algorithm a = {};
    const std::string why = Load(Packets(1), &a); /* GPU 1's scratch 0 gets none */
    EXPECT_NE(why.find("ops[1]: it waits for packets that no rank sends"), std::string::npos)
        << why;
}

TEST(Mscclpp, RefusesWhatItDoesNotReadWithItsPlace)
{
    weft_coll_algorithm a = {};
    auto has = [&](std::string json, const std::string &from, const std::string &to,
                   const char *what) {
        const size_t at = json.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        const std::string why = Load(json.replace(at, from.size(), to), &a);
        EXPECT_NE(why.find(what), std::string::npos) << why;
    };
    const std::string put = Put("signal", true), sum = ReadReduceSend(true);
    has(put, "\"put\"", "\"glres\"",
        "plan.json:1:214: algorithm msccl: gpus[0].threadblocks[0].ops[0]: glres has the switches "
        "add "
        "up or copy (NVLS)");
    has(put, "\"put\"", "\"rrs\"", "the operation 'rrs' is not read here");
    has(put, "\"put\"", "\"put\",\"tbg_info\":{}", "(tbg_info) cuts a chunk");
    has(put, "\"put\"", "\"put\",\"tbg_info\":{\"tb_id\":2,\"tbg_size\":2}",
        "tbg_info needs tb_id below tbg_size");
    has(put, "\"put\"", "\"sem_release\"", "it names no semaphore");
    has(put, "\"put\"", "\"sem_release\",\"semaphore_ids\":[0]",
        "semaphore_ids names no semaphore of the GPU");
    has(put, "\"put\"", "\"pipeline\"", "a pipeline needs operations");
    has(put, "\"channel_ids\":[0],\"channel_type\":\"memory\"}", "\"channel_type\":\"memory\"}",
        "it names no channel");
    has(put, "\"wait\"", "\"nop\"", "does not do what its coll says");
    has(put, "\"signal\"", "\"nop\"",
        "gpus[1].threadblocks[0].ops[2]: it waits for a signal that no rank sends");
    has(put, "\"index\":0", "\"index\":2", "index and size are not within buffer o");
    has(put, "\"buffer_id\":0", "\"buffer_id\":1", "buffer_id names no buffer of another GPU");
    has(put, "\"channel_ids\":[0],\"channel_type\"", "\"channel_ids\":[1],\"channel_type\"",
        "channel_ids names no channel to another GPU");
    has(put, "allgather", "alltoallv", "\"collective\" must be one of");
    has(put, "\"input_chunks\":1,", "\"input_chunks\":\"${N}\",", "a template, with ${...}");
    has(put, "\"gpus\"", "\"gpu\"", "\"gpus\" must be a list");
    has(put, "\"gpus\":", "\"gpus\"]", "plan.json:1:");
    has(put, "\"gpus\":", "\"name\":\"other\",\"gpus\":", "the key 'name' is there twice in a map");
    has(put, "{\"name\":\"put\",", "{\"name\":\"put\",\"name\":\"get\",",
        "the key 'name' is there twice in a map");
    has(sum, "\"id\":1,\"input", "\"id\":2,\"input", "GPUs must be numbered");
    has(Packets(3), "\"num_threadblocks\":2", "\"num_threadblocks\":1",
        "it waits for more threadblocks than come");
}

/* Two threadblocks write half of the chunk each: as many bytes as one that writes all of it. */
TEST(Mscclpp, GroupsShareChunks)
{
    std::string gpus[2];
    for (int g = 0; g < 2; g++) {
        std::vector<Ops> tbs;
        for (int k = 0; k < 2; k++) {
            std::string put = Op("put", Piece('o', g), Far(g));
            put.insert(put.size() - 1,
                       ",\"tbg_info\":{\"tb_id\":" + std::to_string(k) + ",\"tbg_size\":2}");
            tbs.push_back({put, Semaphore("signal"), Semaphore("wait")});
        }
        gpus[g] = Gpu(g, 1, 2, 0, 'o', tbs);
    }
    EXPECT_EQ(Sent(Plan("allgather", gpus[0], gpus[1]), WEFT_COLL_ALL_GATHER, 1000),
              2 * (1000u + 2 * 8));
    gpus[0].replace(gpus[0].find("\"tb_id\":1"), 9, "\"tb_id\":0"); /* the second half is lost */
    weft_coll_algorithm a = {};
    const std::string why = Load(Plan("allgather", gpus[0], gpus[1]), &a);
    EXPECT_NE(why.find("does not do what its coll says"), std::string::npos) << why;
}

/* As plans were until MSCCL++ 0.6: channels between buffers, offsets at both ends. */
std::string First(int off, const char *more)
{
    std::string gpus;
    for (int g = 0; g < 2; g++) {
        const std::string own = std::to_string(g), other = std::to_string(1 - g);
        gpus += std::string(g ? "," : "") + "\n{\"id\":" + own +
                ",\"inputChunks\":2,\"outputChunks\":0,\"scratchChunks\":2,\"threadblocks\":["
                "{\"id\":0,\"ops\":[\n{\"name\":\"put\",\"o_buff\":{\"src\":\"i\",\"dst\":\"s\"},"
                "\"o_cids\":[{\"id\":0,\"off\":" +
                own + "}],\"srcs\":[{\"buff\":\"i\",\"off\":" + other +
                "}],\"ctype\":\"sm\",\"cnt\":1},\n";
        auto sync = [](const std::string &side, char dst) {
            return "{\"name\":\"" + side + "buff\":{\"src\":\"i\",\"dst\":\"" + dst + "\"},\"" +
                   side[side.size() - 2] +
                   "_cids\":[{\"id\":0,\"off\":0}],\"ctype\":\"sm\",\"cnt\":1}";
        };
        const std::string signal = "signal\",\"o_", wait = "wait\",\"i_";
        gpus += sync(signal, 's') + ",\n" + sync(wait, 's') + ",\n";
        gpus += "{\"name\":\"nop\",\"deps\":[{\"tb\":0,\"step\":2}]},\n"
                "{\"name\":\"rs\",\"o_buff\":{\"src\":\"i\",\"dst\":\"i\"},\"o_cids\":[{\"id\":0,"
                "\"off\":" +
                own + "}],\"srcs\":[{\"buff\":\"s\",\"off\":" + std::to_string((1 - g + off) % 2) +
                "}],\"srcbuff\":\"i\",\"srcoff\":" + own + ",\"dstbuff\":\"i\",\"dstoff\":" + own +
                ",\"ctype\":\"sm\",\"cnt\":1},\n" + sync(signal, 'i') + ",\n" + sync(wait, 'i') +
                more + "],\"channels\":[";
        for (const char *buffer : {"i", "s"})
            gpus += std::string(*buffer == 's' ? "," : "") + "{\"src\":\"i\",\"dst\":\"" + buffer +
                    "\",\"ctype\":\"sm\",\"cids\":[0]}";
        gpus += "]}],\"channels\":[";
        for (const char *buffer : {"i", "s"})
            gpus += std::string(*buffer == 's' ? "," : "") + "{\"srcbuff\":\"i\",\"dstbuff\":\"" +
                    buffer + "\",\"type\":\"sm\",\"connectedTo\":[" + other + "]}";
        gpus += "]}";
    }
    return "{\"name\":\"t\",\"colletive\":\"allreduce\",\"protocol\":\"Simple\",\"inplace\":true,"
           "\"gpus\":[" +
           gpus + "]}\n";
}

TEST(Mscclpp, TheFirstGeneration)
{
    EXPECT_EQ(Sent(First(0, ""), WEFT_COLL_ALL_REDUCE, 2000), 2 * (1000u + 1000 + 8 + 8));
    weft_coll_algorithm a = {};
    std::string why = Load(First(1, ""), &a);
    EXPECT_NE(
        why.find("plan.json:7:1: algorithm msccl: the program does not do what its coll says"),
        std::string::npos)
        << why;
    why = Load(First(0, ",\n{\"name\":\"put\",\"o_buff\":{\"src\":\"i\",\"dst\":\"s\"},\"o_cids\":["
                        "{\"id\":1,\"off\":0}],\"srcs\":[{\"buff\":"
                        "\"i\",\"off\":0}],\"ctype\":\"sm\"}"),
               &a);
    EXPECT_NE(
        why.find("plan.json:10:1: algorithm msccl: gpus[0].threadblocks[0].ops[7]: o_cids names "
                 "no channel to another GPU"),
        std::string::npos)
        << why;
}

} // namespace
