// SPDX-License-Identifier: GPL-2.0-only
// Twelve jobs on which ASTRA-sim 2.x hangs, crashes, or ends without having simulated them: each
// works here, with the right time or the right bytes, or ends with exit code 1 or 3 and names the
// ranks and what they wait for.
//
// Traces are Chakra files of weft's own writer, played by the program itself. Costs are
// ASTRA-sim's: 50 GiB/s and 500 ns, 10 ns endpoint delay, four chunks, one at a time, 1600 GB/s for
// adding up.
#include "program.h"

#include "tests/workload/trace.h"

#include <cmath>
#include <deque>
#include <functional>
#include <sstream>

namespace
{

const uint64_t kMiB = 1u << 20;
class FailureCases : public ::testing::Test
{
  protected:
    // Makes the ranks of the job.
    std::deque<Trace> &job(uint32_t n)
    {
        trace.clear();
        for (uint32_t r = 0; r < n; r++)
            trace.emplace_back();
        return trace;
    }
    void everywhere(uint32_t n, const std::function<void(Trace &)> &make)
    {
        for (Trace &t : job(n))
            make(t);
    }
    Said play(const std::vector<std::string> &sets = {}, const std::string &groups = "")
    {
        static int number;
        const std::string name = "t" + std::to_string(number++);
        for (size_t r = 0; r < trace.size(); r++)
            trace[r].write(dir / (name + "." + std::to_string(r) + ".et"));
        std::vector<std::string> all = {"network.backend=ideal",
                                        "ideal.model=flat",
                                        "ideal.bandwidth=50GiB/s",
                                        "ideal.latency=500ns",
                                        "ideal.quantum=1ns",
                                        "topology.type=single-switch",
                                        "single-switch.hosts=" + std::to_string(trace.size()),
                                        "workload.type=chakra",
                                        "chakra.path=" + name,
                                        "system.all-reduce=ring",
                                        "system.all-gather=ring",
                                        "system.reduce-scatter=ring",
                                        "system.chunks=4",
                                        "ideal.contention=none",
                                        "system.endpoint-delay=10ns",
                                        "system.quantum=1ns",
                                        "system.reduce-bandwidth=1600GB/s"};
        if (!groups.empty()) {
            write_file(dir / (name + ".json"), groups);
            all.push_back("chakra.groups=" + name + ".json");
        }
        out = name;
        return weft(with_sets({"run", "--json", "--out", name}, all, sets), dir / "");
    }
    // It ran to its end, and took so long.
    static void took(const Said &s, double ns)
    {
        EXPECT_EQ(s.code, 0) << s.err;
        EXPECT_EQ(value(s, "operations_done"), value(s, "operations"));
        EXPECT_DOUBLE_EQ(value(s, "end_to_end_ns"), ns);
    }
    // It ran to its end, and sent so much.
    static void sent(const Said &s, double bytes)
    {
        EXPECT_EQ(s.code, 0) << s.err;
        EXPECT_EQ(value(s, "operations_done"), value(s, "operations"));
        EXPECT_DOUBLE_EQ(value(s, "message_bytes"), bytes);
    }
    // A cell of ranks.csv.
    double rank_cell(uint32_t rank, const std::string &column)
    {
        std::istringstream in(slurp(dir / (out + "/ranks.csv")));
        std::string line, cell;
        std::vector<std::string> head;
        std::getline(in, line);
        for (std::istringstream l(line); std::getline(l, cell, ',');)
            head.push_back(cell);
        for (uint32_t r = 0; r <= rank; r++)
            std::getline(in, line);
        std::istringstream l(line);
        for (size_t k = 0; std::getline(l, cell, ','); k++)
            if (head[k] == column)
                return std::stod(cell);
        ADD_FAILURE() << column;
        return NAN;
    }

    TempDir dir;
    std::string out;
    std::deque<Trace> trace;
};

// A message of the network: floored to the nanosecond as there.
double message_ns(double bytes)
{
    return std::floor(500 + bytes / (50.0 * (1 << 30)) * 1e9);
}

} // namespace

// 1. Ranks issue two collectives in opposite orders. The all-reduce of two ranks alone: 4 (3 * 10 +
// 2 t + 3 r).
TEST_F(FailureCases, OppositeIssueOrder)
{
    auto &t = job(2);
    t[0].coll(ALL_REDUCE, kMiB);
    t[0].coll(ALL_GATHER, kMiB);
    t[1].coll(ALL_GATHER, kMiB);
    t[1].coll(ALL_REDUCE, kMiB);
    sent(play(), 4 * kMiB); // on one QP messages of both keep their order
    took(play({"system.priorities=all-gather:2"}), 24620);
}

// 2. Three groups, each rank in two, begun in a circle.
TEST_F(FailureCases, ThreeGroupsInACircle)
{
    const char *groups = "{\"1\": [0, 1], \"2\": [1, 2], \"3\": [2, 0]}";
    const char *order[3][2] = {{"1", "3"}, {"2", "1"}, {"3", "2"}};
    auto &t = job(3);
    for (int r = 0; r < 3; r++)
        for (const char *g : order[r])
            t[r].coll(ALL_REDUCE, kMiB, g);
    took(play({}, groups), 24620);
    // One after the other on each rank it is a true circle: each rank is named, with the rank that
    // it waits for.
    auto &c = job(3);
    for (int r = 0; r < 3; r++)
        c[r].coll(ALL_REDUCE, kMiB, order[r][1], {c[r].coll(ALL_REDUCE, kMiB, order[r][0])});
    Said s = play({}, groups);
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.err, "stalled");
    EXPECT_CONTAINS(s.err, "rank 0 waits in all-reduce 'coll1' (node 1) for rank 1: chunk 0 of 4, "
                           "step 0, which has not issued it (node 2");
    EXPECT_CONTAINS(s.err, "rank 1 waits in all-reduce 'coll1' (node 1) for rank 2");
    EXPECT_CONTAINS(s.err, "rank 2 waits in all-reduce 'coll1' (node 1) for rank 0");
}

// 3. The only root is a METADATA node.
TEST_F(FailureCases, MetadataRoot)
{
    everywhere(2, [](Trace &t) { t.coll(ALL_REDUCE, kMiB, "", {t.metadata()}); });
    took(play(), 24620);
}

// 4. Both ranks send, then receive, and messages wait for their receive.
TEST_F(FailureCases, RendezvousSendThenReceive)
{
    const std::vector<std::string> rendezvous = {"system.rendezvous=1B",
                                                 "system.rendezvous-handshake=ready",
                                                 "system.rendezvous-control=8192B"};
    auto &t = job(2);
    for (uint32_t r = 0; r < 2; r++) {
        t[r].send(1 - r, kMiB);
        t[r].recv(1 - r, kMiB);
    }
    took(play(rendezvous), 20683); // ASTRA-sim's time in one direction; both at once are no slower
    // A receive that waits for the send can't be granted.
    auto &c = job(2);
    for (uint32_t r = 0; r < 2; r++)
        c[r].recv(1 - r, kMiB, {c[r].send(1 - r, kMiB)});
    Said s = play(rendezvous);
    EXPECT_EQ(s.code, 1);
    for (int r = 0; r < 2; r++)
        EXPECT_CONTAINS(s.err, "rank " + std::to_string(r) +
                                   " waits in send 'send' (node 1) of 1MiB to rank " +
                                   std::to_string(1 - r) +
                                   " with tag 0: rendezvous with that rank, which has not issued "
                                   "that receive (node 2: 1 parents unfinished)");
    took(play(), 20031); // without rendezvous it works
}

// 5. Halving-doubling on numbers that are no power of two: r ranks beyond the power p give all of
// their data and get all of the result, the others move 2 (p - 1) times the data among them.
TEST_F(FailureCases, HalvingDoublingOnAnyNumber)
{
    const int cases[][2] = {{3, 2}, {6, 4}, {12, 8}};
    for (auto &c : cases) {
        const int n = c[0], p = c[1];
        everywhere(n, [](Trace &t) { t.coll(ALL_REDUCE, kMiB); });
        sent(play({"system.all-reduce=halving-doubling"}),
             double(2 * (n - p) + 2 * (p - 1)) * kMiB);
    }
}

// 6. Five dimensions, and the collective doesn't say which are involved: all are. One step out and
// one back in each.
TEST_F(FailureCases, FiveDimensionsWithoutInvolvedDim)
{
    everywhere(32, [](Trace &t) { t.coll(ALL_REDUCE, kMiB); });
    double ns = 0;
    for (int d = 1; d <= 5; d++)
        ns += 2 * message_ns(double(kMiB >> d));
    took(play({"system.dims=2,2,2,2,2", "system.all-reduce=ring,ring,ring,ring,ring",
               "system.chunks=1", "system.endpoint-delay=0", "system.reduce-bandwidth=0"}),
         ns);
}

// 7. Themis with smallest-first: several collectives of unequal sizes, dimensions of unequal
// bandwidths. Whatever the order of the dimensions, an all-reduce moves 2 (N - 1) times its data.
TEST_F(FailureCases, ThemisWithSmallestFirst)
{
    const struct {
        const char *dims, *rings, *bandwidths, *latencies;
        int n;
    } cases[] = {{"4,4", "ring,ring", "400GB/s,50GB/s", "100ns,1us", 16},
                 {"4,4,4", "ring,ring,ring", "400GB/s,100GB/s,25GB/s", "100ns,500ns,1us", 64}};
    for (auto &c : cases)
        for (const char *order : {"smallest-first", "lifo", "fifo"}) {
            everywhere(c.n, [](Trace &t) {
                for (uint64_t size : {8, 1, 4, 2})
                    t.coll(ALL_REDUCE, size * kMiB);
            });
            sent(play({std::string("system.dims=") + c.dims,
                       std::string("system.all-reduce=") + c.rings,
                       std::string("system.dim-bandwidths=") + c.bandwidths,
                       std::string("system.dim-latencies=") + c.latencies,
                       "system.inter-dimension=themis",
                       std::string("system.intra-dimension=") + order, "system.chunks=16"}),
                 2.0 * (c.n - 1) * 15 * kMiB);
        }
}

// 8. An all-gather smaller than the number of chunks: three chunks of a byte, three steps each.
TEST_F(FailureCases, AllGatherSmallerThanItsChunks)
{
    everywhere(4, [](Trace &t) { t.coll(ALL_GATHER, 3); });
    Said s = play({"system.chunks=16"});
    took(s, 3 * (4 * 10 + 3 * 500));
    sent(s, 4 * 3 * 3);
}

// 9. Fewer algorithms than dimensions: an error. One alone takes all ranks as one dimension: 16
// ranks, not 4.
TEST_F(FailureCases, FewerAlgorithmsThanDimensions)
{
    everywhere(16, [](Trace &t) { t.coll(ALL_REDUCE, kMiB); });
    Said s = play({"system.dims=2,2,4", "system.all-reduce=ring,ring"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err,
                    "'ring,ring' has 2 algorithms, one per dimension, but there are 3 dimensions");
    took(play({"system.dims=4,4", "system.all-reduce=ring"}), 99640);
    took(play({"system.dims=4,4", "system.all-reduce=ring,ring"}), 43040);
}

// 10. Barrier and reduce.
TEST_F(FailureCases, BarrierAndReduce)
{
    everywhere(4, [](Trace &t) { t.coll(BARRIER, 0); });
    took(play(), 7 * 10 + 6 * 500);
    everywhere(4, [](Trace &t) { t.coll(REDUCE, kMiB, "", {t.coll(BARRIER, 0)}); });
    sent(play(), 3 * kMiB);
}

// 11. Nodes for the CPU and the memory are part of the statistics.
TEST_F(FailureCases, CpuAndMemoryNodesCount)
{
    everywhere(2, [](Trace &t) { t.coll(ALL_REDUCE, kMiB, "", {t.load(1000000, {t.cpu(3)})}); });
    took(play({"system.memory-bandwidth=100GB/s"}),
         3000 + 10000 + 24620); // 1 MB at 100 GB/s: 10 us
    for (uint32_t r = 0; r < 2; r++) {
        EXPECT_EQ(rank_cell(r, "cpu_ns"), 3000);
        EXPECT_EQ(rank_cell(r, "exposed_ns"), 24620);
        EXPECT_EQ(rank_cell(r, "idle_ns"), 0); // the memory works
        EXPECT_EQ(rank_cell(r, "end_ns"), 37620);
    }
}

// 12. Double binary trees on numbers that are no power of two, and in a group. Each edge of both
// trees carries half of the data up and down.
TEST_F(FailureCases, DoubleBinaryTreeOfAnyGroup)
{
    for (int n : {3, 6, 7, 12}) {
        everywhere(n, [](Trace &t) { t.coll(ALL_REDUCE, kMiB); });
        sent(play({"system.all-reduce=double-binary-tree"}), 2.0 * (n - 1) * kMiB);
    }
    auto &t = job(8);
    for (int r : {1, 2, 4, 5, 7})
        t[r].coll(ALL_REDUCE, kMiB, "1");
    for (int r : {0, 3, 6})
        t[r].cpu(1);
    sent(play({"system.all-reduce=double-binary-tree"}, "{\"1\": [1, 2, 4, 5, 7]}"),
         2.0 * 4 * kMiB);
}
