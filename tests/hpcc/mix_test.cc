// SPDX-License-Identifier: GPL-2.0-only
// The packet trace of TRACE_OUTPUT_FILE, byte by byte.
#include "tests/cli/program.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace
{

uint64_t number(const std::string &text, size_t at, size_t bytes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n |= static_cast<uint64_t>(static_cast<uint8_t>(text[at + i])) << 8 * i;
    return n;
}

/* A record as text, as a reader of the format prints it. */
std::string record(const std::string &r)
{
    static const char *const events[] = {"Recv", "Enqu", "Dequ", "Drop"};
    char a[256], b[128];
    snprintf(a, sizeof a, "%lu n:%lu %u:%u %lu %s ecn:%u %08lx %08lx ", number(r, 0, 8),
             number(r, 8, 2), r[10], r[11], number(r, 12, 4), events[static_cast<size_t>(r[27])],
             r[28], number(r, 16, 4), number(r, 20, 4));
    const auto protocol = static_cast<uint8_t>(r[26]);
    if (protocol == 0x11)
        snprintf(b, sizeof b, "%lu %lu U %lu %lu %lu %lu(%lu)", number(r, 32, 2), number(r, 34, 2),
                 number(r, 36, 4), number(r, 40, 8), number(r, 48, 2), number(r, 24, 2),
                 number(r, 50, 2));
    else if (protocol == 0xfe)
        snprintf(b, sizeof b, "P %lu %lu %u %lu", number(r, 32, 4), number(r, 36, 4), r[40],
                 number(r, 24, 2));
    else
        snprintf(b, sizeof b, "%lu %lu %c 0x%02lX %lu %lu %lu %lu", number(r, 32, 2),
                 number(r, 34, 2), protocol == 0xfc ? 'A' : 'N', number(r, 36, 2), number(r, 38, 2),
                 number(r, 40, 4), number(r, 48, 8), number(r, 24, 2));
    return std::string(a) + b;
}

struct Trace {
    std::string head;
    std::vector<std::string> records;
    explicit Trace(const std::string &file)
    {
        const std::string text = slurp(file);
        const size_t from = 4 + 11 * number(text, 0, 4) + 4;
        head = text.substr(0, from);
        EXPECT_EQ((text.size() - from) % 56, 0U);
        for (size_t at = from; at + 56 <= text.size(); at += 56)
            records.push_back(record(text.substr(at, 56)));
    }
};

const char star[] = "5 1 4\n4\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 4 100Gbps 1us 0\n"
                    "3 4 100Gbps 1us 0\n";
const char config[] = "TOPOLOGY_FILE t\nFLOW_FILE f\nTRACE_FILE traced\nTRACE_OUTPUT_FILE mix.tr\n"
                      "CC_MODE 1\nHAS_WIN 0\nBUFFER_SIZE 16\nKMAX_MAP 1 100000000000 1600\n"
                      "KMIN_MAP 1 100000000000 400\nPMAX_MAP 1 100000000000 0.2\n";

Trace traced(const TempDir &dir, const std::vector<std::string> &more)
{
    std::vector<std::string> args = {"hpcc", "config.txt", "--compat", "-q", "--out", "o"};
    args.insert(args.end(), more.begin(), more.end());
    const Said s = weft(args, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    return Trace(dir / "o/mix.tr");
}

/* Two packets of 1,000 B and 500 B: 84 ns and 44 ns at 100 Gbps, a link takes 1 us, an ACK 5 ns. */
TEST(HpccMix, AFlowAtEachNode)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    write_file(dir / "t", star);
    write_file(dir / "f", "1\n0 3 3 100 1500 2\n");
    write_file(dir / "traced", "4\n0 3 4 77\n");
    write_file(dir / "config.txt", config);
    const Trace all = traced(dir, {});
    EXPECT_EQ(number(all.head, 0, 4), 8U) << "both ends of four links";
    EXPECT_EQ(number(all.head, 4, 2), 0U);
    EXPECT_EQ(all.head[6], 1) << "interfaces count from 1";
    EXPECT_EQ(number(all.head, 7, 8), UINT64_C(100000000000));
    EXPECT_EQ(number(all.head, 4 + 7 * 11, 2), 4U);
    EXPECT_EQ(all.head[4 + 7 * 11 + 2], 4);
    const std::vector<std::string> expected = {
        "2000000000 n:0 1:3 0 Dequ ecn:0 0b000001 0b000301 10000 100 U 0 0 3 1048(1000)",
        "2000000084 n:0 1:3 0 Dequ ecn:0 0b000001 0b000301 10000 100 U 1000 0 3 548(500)",
        "2000001084 n:4 1:0 0 Recv ecn:0 0b000001 0b000301 10000 100 U 0 0 3 1048(1000)",
        "2000001084 n:4 4:3 0 Enqu ecn:0 0b000001 0b000301 10000 100 U 0 0 3 1048(1000)",
        "2000001084 n:4 4:3 0 Dequ ecn:0 0b000001 0b000301 10000 100 U 0 0 3 1048(1000)",
        "2000001128 n:4 1:0 0 Recv ecn:0 0b000001 0b000301 10000 100 U 1000 0 3 548(500)",
        "2000001128 n:4 4:3 0 Enqu ecn:0 0b000001 0b000301 10000 100 U 1000 0 3 548(500)",
        "2000001168 n:4 4:3 0 Dequ ecn:0 0b000001 0b000301 10000 100 U 1000 0 3 548(500)",
        "2000002168 n:3 1:0 0 Recv ecn:0 0b000001 0b000301 10000 100 U 0 0 3 1048(1000)",
        "2000002168 n:3 1:0 0 Dequ ecn:0 0b000301 0b000001 100 10000 A 0x00 3 1000 0 60",
        "2000002212 n:3 1:0 0 Recv ecn:0 0b000001 0b000301 10000 100 U 1000 0 3 548(500)",
        "2000002212 n:3 1:0 0 Dequ ecn:0 0b000301 0b000001 100 10000 A 0x00 3 1500 0 60"};
    ASSERT_GE(all.records.size(), expected.size());
    for (size_t i = 0; i < expected.size(); i++)
        EXPECT_EQ(all.records[i], expected[i]);
    EXPECT_EQ(all.records.size(), expected.size() + 8) << "both ACKs at the switch and at home";
    EXPECT_EQ(all.records.back(),
              "2000004222 n:0 1:0 0 Recv ecn:0 0b000301 0b000001 100 10000 A 0x00 3 1500 0 60");
    write_file(dir / "traced", "1\n3\n");
    const Trace one = traced(dir, {});
    ASSERT_EQ(one.records.size(), 4U);
    EXPECT_EQ(one.records[0], expected[8]);
}

/* Marks, pauses and what waits: three hosts send to one through a small buffer. */
TEST(HpccMix, MarksPausesAndQueues)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    write_file(dir / "t", star);
    write_file(dir / "f", "3\n0 3 3 100 900000 2\n1 3 3 100 900000 2\n2 3 3 100 900000 2\n");
    write_file(dir / "traced", "5\n0 1 2 3 4\n");
    write_file(dir / "config.txt", config);
    const Trace t = traced(dir, {"--set", "BUFFER_SIZE=2"});
    std::map<std::string, int> n;
    uint64_t longest = 0;
    for (const std::string &r : t.records) {
        std::istringstream words(r);
        std::string time, node, queue, event, ecn;
        uint64_t waiting;
        words >> time >> node >> queue >> waiting >> event >> ecn;
        n[event]++;
        n[ecn]++;
        n["cnp"] += r.find(" A 0x01 ") != std::string::npos;
        n["pause " + event] += r.find(" ffffffff P 5 ") != std::string::npos;
        n["resume " + event] += r.find(" ffffffff P 0 ") != std::string::npos;
        longest = std::max(longest, waiting);
    }
    const std::string pfc = slurp(dir / "o/pfc.txt");
    const auto frames = static_cast<int>(std::count(pfc.begin(), pfc.end(), '\n'));
    EXPECT_GT(frames, 0);
    EXPECT_EQ(n["pause Dequ"] + n["resume Dequ"], frames);
    EXPECT_EQ(n["pause Recv"] + n["resume Recv"], frames);
    EXPECT_EQ(n["pause Dequ"], n["resume Dequ"]);
    EXPECT_GT(n["ecn:3"], 0);
    EXPECT_GT(n["cnp"], 0);
    EXPECT_EQ(n["Drop"], 0);
    EXPECT_EQ(n["Recv"], n["Dequ"]) << "nothing is lost on links";
    EXPECT_GT(longest, 100000U);
    const Trace lossy = traced(
        dir, {"--set", "BUFFER_SIZE=2", "--set", "ENABLE_PFC=0", "--set", "transport.rto=100us"});
    size_t drops = 0;
    for (const std::string &r : lossy.records)
        drops += r.find(" Drop ") != std::string::npos;
    const std::string run = slurp(dir / "o/run.json");
    EXPECT_EQ(drops, json_number(run, "drops"));
    EXPECT_GT(drops, 0U);
}

} // namespace
