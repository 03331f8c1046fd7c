/* SPDX-License-Identifier: GPL-2.0-only */
/* Dependencies: order, repeats, forward references; missing ids, duplicates and cycles. */
#include "job.h"

using namespace wire;

namespace
{

constexpr int64_t HEADER = 8;
using Ids = std::vector<uint64_t>;

} // namespace

TEST(Deps, ForwardReferencesAndOrder)
{
    // File order 30, 10, 20; 10 -> 20 -> 30.
    Job j({Frame(Comp(30, "c", {20})) + Frame(Comp(10, "a")) + Frame(Comp(20, "b", {10}))});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    const weft_dag &d = j.w->dags[0];
    ASSERT_EQ(d.nops, 3u);
    EXPECT_EQ(d.ops[0].id, 10u);
    EXPECT_EQ(d.ops[1].id, 20u);
    EXPECT_EQ(d.ops[2].id, 30u);
    EXPECT_EQ(d.ops[0].nparents, 0u);
    EXPECT_EQ(d.ops[2].nparents, 1u);
    EXPECT_EQ(j.Children(0, 10), Ids{20});
    EXPECT_EQ(j.Children(0, 20), Ids{30});
    EXPECT_EQ(j.Children(0, 30), Ids{});
}

TEST(Deps, BothListsBlockAndRepeatsCountOnce)
{
    Bytes node = NodeHead(4, "d", 4) + Blob(4, Varint(1) + Varint(2) + Varint(1)) +
                 Blob(5, Varint(3) + Varint(2)) + Int(5, 3);
    Job j({Frame(Comp(1, "a")) + Frame(Comp(2, "b")) + Frame(Comp(3, "c")) + Frame(node)});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Op(0, 4)->nparents, 3u);
    for (uint64_t id : {1, 2, 3})
        EXPECT_EQ(j.Children(0, id), Ids{4});
}

TEST(Deps, ChildrenAscend)
{
    Job j({Frame(Comp(9, "e", {0})) + Frame(Comp(5, "d", {0})) + Frame(Comp(7, "f", {0, 5})) +
           Frame(Comp(0, "root"))});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Children(0, 0), (Ids{5, 7, 9}));
    EXPECT_EQ(j.Children(0, 5), Ids{7});
}

TEST(Deps, LargestIds)
{
    Job j({Frame(Comp(UINT64_MAX, "z", {UINT64_MAX - 1})) + Frame(Comp(UINT64_MAX - 1, "y")) +
           Frame(Comp(0, "a"))});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Children(0, UINT64_MAX - 1), Ids{UINT64_MAX});
}

TEST(Deps, EmptyTraceIsAJobWithNothingToDo)
{
    Job j({""});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.w->dags[0].nops, 0u);
}

TEST(DepsError, MissingDependency)
{
    Bytes first = Frame(Comp(1, "a"));
    Job j({first + Frame(Comp(2, "b", {1, 77}))});
    EXPECT_ERR(j.err, WEFT_E_INPUT, HEADER + static_cast<int64_t>(first.size()),
               "node 2 'b': data_deps names node 77, which the trace does not have");
    EXPECT_EQ(j.err.file, j.prefix + ".0.et");
    Job c({first + Frame(NodeHead(2, "b", 4) + Int(4, 3))});
    EXPECT_ERR(c.err, WEFT_E_INPUT, HEADER + static_cast<int64_t>(first.size()),
               "ctrl_deps names node 3");
}

TEST(DepsError, DuplicateId)
{
    Bytes first = Frame(Comp(4, "x")), second = Frame(Comp(3, "a"));
    Job j({first + second + Frame(Comp(4, "y"))});
    EXPECT_ERR(j.err, WEFT_E_INPUT, HEADER + static_cast<int64_t>((first + second).size()),
               "node 4 'y': its id is used twice, first by 'x' at byte 8");
}

TEST(DepsError, CycleIsNamed)
{
    // 1 is free; 2 waits for 1 and 4; 3 waits for 2; 4 waits for 3; 5 only hangs behind the cycle.
    Bytes one = Frame(Comp(1, "free"));
    Job j({one + Frame(Comp(2, "a", {1, 4})) + Frame(Comp(3, "b", {2})) + Frame(Comp(4, "c", {3})) +
           Frame(Comp(5, "behind", {4}))});
    EXPECT_ERR(j.err, WEFT_E_INPUT, HEADER + static_cast<int64_t>(one.size()),
               "each waits for the next: 2 'a' -> 4 'c' -> 3 'b' -> 2 'a'");
    EXPECT_EQ(std::string(j.err.msg).find("behind"), std::string::npos);
}

TEST(DepsError, SearchForTheCycleStartsOutsideIt)
{
    // 0 hangs behind the cycle 5 <-> 6.
    Job j({Frame(Comp(0, "tail", {5})) + Frame(Comp(5, "p", {6})) + Frame(Comp(6, "q", {5}))});
    EXPECT_NE(std::string(j.err.msg).find("5 'p' -> 6 'q' -> 5 'p'"), std::string::npos)
        << Text(j.err);
}

TEST(DepsError, NodeThatWaitsForItself)
{
    Job j({Frame(Comp(1, "me", {1}))});
    EXPECT_ERR(j.err, WEFT_E_INPUT, HEADER, "each waits for the next: 1 'me' -> 1 'me'");
}

TEST(DepsError, LongCycleIsCut)
{
    Bytes nodes;
    for (uint64_t i = 0; i < 100; i++)
        nodes += Frame(Comp(i, "n", {(i + 1) % 100}));
    Job j({nodes});
    EXPECT_ERR(j.err, WEFT_E_INPUT, HEADER, "7 'n' -> ... (100 nodes)");
}

TEST(DepsError, SecondRankIsNamed)
{
    Job j({Frame(Comp(1, "a")), Frame(Comp(1, "a", {2}))});
    EXPECT_EQ(j.err.file, j.prefix + ".1.et");
}
