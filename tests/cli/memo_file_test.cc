// SPDX-License-Identifier: GPL-2.0-only
// run.replay-memo: a run begins with what earlier runs of the same fabric and transport know, and
// results depend on the file alone; what is no such file is refused.
#include "program.h"

#include "base/hash.h"
#include "run/memo.h"

#include <cstring>

namespace
{

const std::vector<std::string> ring = {"run",
                                       "--set",
                                       "topology.type=leaf-spine",
                                       "--set",
                                       "workload.type=generate",
                                       "--set",
                                       "generate.kind=all-reduce",
                                       "--set",
                                       "generate.size=8MiB",
                                       "--set",
                                       "system.all-reduce=ring",
                                       "--set",
                                       "congestion-control.name=hpcc"};

/* Runs the ring, with more arguments. */
Said play(const TempDir &dir, const std::vector<std::string> &more,
          const std::string &memo = "run.replay-memo=memo")
{
    std::vector<std::string> args = ring;
    args.insert(args.end(), {"--set", "run.replay=1%", "--set", memo});
    args.insert(args.end(), more.begin(), more.end());
    return weft(args, dir / "");
}

} // namespace

TEST(MemoFile, TheNextRunBeginsWithIt)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    ASSERT_EQ(play(dir, {"--out", "a"}).code, 0);
    const std::string memo = slurp(dir / "memo"), a = slurp(dir / "a/run.json");
    EXPECT_NE(a.find("\"fingerprint\": null"), std::string::npos) << a;
    std::string flows;
    for (const char *threads : {"1", "2", "3"}) {
        write_file(dir / "memo", memo);
        const Said s = play(dir, {"--out", "b", "--set", std::string("run.threads=") + threads});
        ASSERT_EQ(s.code, 0) << s.err;
        const std::string b = slurp(dir / "b/run.json");
        EXPECT_GT(json_number(b, "skipped_hops"), json_number(a, "skipped_hops"));
        char text[32];
        snprintf(text, sizeof text, "\"%016llx\"",
                 static_cast<unsigned long long>(weft_hash64(memo.data(), memo.size())));
        EXPECT_NE(b.find(text), std::string::npos) << text;
        EXPECT_TRUE(flows.empty() || flows == slurp(dir / "b/flows.csv")) << threads;
        flows = slurp(dir / "b/flows.csv");
    }
    EXPECT_NE(slurp(dir / "memo"), memo); // it has learned
    // other traffic may use it, and adds to it
    write_file(dir / "memo", memo);
    EXPECT_EQ(play(dir, {"--no-out", "-q", "--set", "generate.size=4MiB"}).code, 0);
    EXPECT_GT(slurp(dir / "memo").size(), memo.size());
}

TEST(MemoFile, ExactRunsAndSweepsLeaveItAlone)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    ASSERT_EQ(play(dir, {"--no-out"}).code, 0);
    const std::string memo = slurp(dir / "memo");
    for (const char *set : {"run.replay-memo=memo", "run.replay-memo=none", "run.seed=1"})
        ASSERT_EQ(play(dir, {"--set", "run.replay=exact", "--out", "exact"}, set).code, 0);
    EXPECT_FALSE(std::filesystem::exists(dir / "none"));
    std::vector<std::string> sweep = ring;
    sweep[0] = "sweep";
    sweep.insert(sweep.end(), {"--set", "run.replay=1%", "--set", "run.replay-memo=memo", "--vary",
                               "generate.size=8MiB|4MiB", "--out", "rows"});
    const Said s = weft(sweep, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(slurp(dir / "memo"), memo);
}

TEST(MemoFile, OtherFilesAreRefused)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    ASSERT_EQ(play(dir, {"--no-out"}).code, 0);
    const std::string memo = slurp(dir / "memo");
    const auto refused = [&](const std::string &text, const std::vector<std::string> &more,
                             const std::string &why) {
        write_file(dir / "memo", text);
        std::vector<std::string> args = {"--no-out"};
        args.insert(args.end(), more.begin(), more.end());
        const Said s = play(dir, args);
        EXPECT_EQ(s.code, 3) << s.err;
        EXPECT_NE(s.err.find(why), std::string::npos) << s.err;
        EXPECT_EQ(slurp(dir / "memo"), text); // as it was
    };
    refused(memo, {"--set", "congestion-control.name=dcqcn"},
            "it has 'congestion-control.name=hpcc'");
    refused(memo, {"--set", "leaf-spine.spines=3"}, "is the memo of other runs");
    refused(memo, {"--set", "transport.mtu=1000B"}, "this run has 'transport.mtu=1KB'");
    refused(memo, {"--set", "run.seed=2"}, "this run has 'run.seed=2'");
    refused("hello", {}, "is no memo of weft");
    refused(memo.substr(0, 20), {}, "is cut short");
    refused(memo.substr(0, memo.size() - 1), {}, "is cut short");
    std::string other = memo;
    other[other.size() / 2] ^= 1;
    refused(other, {}, "is damaged");
    EXPECT_EQ(play(dir, {"--no-out"}, "run.replay-memo=nowhere/memo").code, 3);
    EXPECT_NE(play(dir, {"--no-out"}, "run.replay-memo=/").code, 0);
}

/* Cut at every byte, and with every byte changed. */
TEST(MemoFile, EveryByteCounts)
{
    const std::string key = "weft 1\nfabric 2\n", entries(3 * 112, 'e');
    const uint64_t head[] = {key.size(), entries.size(),
                             weft_hash64((key + entries).data(), key.size() + entries.size())};
    std::string file = "weft memo 1\n";
    file.append(reinterpret_cast<const char *>(head), sizeof head);
    file += key + entries;
    const auto parse = [&](const std::string &text) {
        weft_memo m = {};
        weft_err err = {};
        m.file = "memo";
        m.key = strdup(key.c_str());
        m.nkey = key.size();
        m.data = static_cast<char *>(malloc(text.size() + 1));
        memcpy(m.data, text.data(), text.size());
        const int code = weft_memo_parse(&m, text.size(), &err);
        EXPECT_TRUE(code ? code == WEFT_E_INPUT && err.msg[0] : m.size == entries.size());
        weft_memo_free(&m);
        return code;
    };
    EXPECT_EQ(parse(file), 0);
    for (size_t i = 0; i < file.size(); i++) {
        EXPECT_NE(parse(file.substr(0, i)), 0) << i;
        std::string other = file;
        other[i] = static_cast<char>(other[i] ^ (1 << i % 8));
        EXPECT_NE(parse(other), 0) << i;
    }
    EXPECT_NE(parse(file + "x"), 0);
}
