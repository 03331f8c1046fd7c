// SPDX-License-Identifier: GPL-2.0-only
// The graphs of all ranks as one: matching, longest path, circles.
#include "system/joint.h"

#include "tests/base/temp_dir.h"
#include "tests/workload/trace.h"
#include "workload/chakra_read.h"
#include "workload/et_diff.h"
#include "workload/survey.h"

namespace
{

// A job of some ranks; nodes by the calls of Trace.
class Joint
{
  public:
    explicit Joint(size_t n) : ranks(n) {}
    ~Joint()
    {
        weft_workload_free(w);
    }

    int look(const std::string &groups = "")
    {
        for (size_t r = 0; r < ranks.size(); r++)
            ranks[r].write(m_dir / ("t." + std::to_string(r) + ".et"));
        if (!groups.empty())
            std::ofstream(m_dir / "g.json") << groups;
        const std::string file = groups.empty() ? "" : m_dir / "g.json";
        EXPECT_EQ(weft_chakra_read((m_dir / "t").c_str(), 0, file.c_str(), &w, &err), 0) << err.msg;
        return weft_joint_look(w, &joint, &err);
    }

    uint64_t last() const
    {
        return w->dags[joint.last.rank].ops[joint.last.op].id;
    }

    std::vector<Trace> ranks;
    weft_workload *w = nullptr;
    weft_joint joint = {};
    weft_err err = {};

  private:
    TempDir m_dir;
};

constexpr int64_t kUs = 1000000; // ps

// Rank 0 computes 5 us and sends; rank 1 computes 3 us, receives, computes 10 us; then all meet,
// and rank 0 computes 2 us. 5 + 10 + 2 us is the longest way; rank 1 is busy for 13 us of it.
TEST(JointJob, LongestPathOverRanks)
{
    Joint j(2);
    uint64_t a = j.ranks[0].cpu(5);
    a = j.ranks[0].send(1, 100, {a}, 7);
    a = j.ranks[0].coll(ALL_REDUCE, 64, "", {a});
    const uint64_t end = j.ranks[0].cpu(2, {a});
    uint64_t b = j.ranks[1].cpu(3);
    b = j.ranks[1].recv(0, 100, {b}, 7);
    b = j.ranks[1].cpu(10, {b});
    j.ranks[1].coll(ALL_REDUCE, 64, "", {b});
    ASSERT_EQ(j.look(), 0) << j.err.msg;
    EXPECT_EQ(j.joint.critical_ps, 17 * kUs);
    EXPECT_EQ(j.joint.last.rank, 0u);
    EXPECT_EQ(j.last(), end);
    EXPECT_EQ(j.joint.collectives, 1u);
    EXPECT_EQ(j.joint.messages, 1u);
    EXPECT_EQ(j.joint.unreceived + j.joint.unequal + j.joint.reordered, 0u);
}

// The k-th send of a tag goes with its k-th receive; other tags do not mix with it.
TEST(JointJob, MessagesMatchInOrder)
{
    Joint j(2);
    uint64_t a = j.ranks[0].cpu(4);
    j.ranks[0].send(1, 100, {}, 1);  // at 0
    j.ranks[0].send(1, 200, {a}, 1); // at 4 us
    j.ranks[0].send(1, 300, {}, 2);
    j.ranks[0].send(1, 5, {}, 3); // nobody receives it
    const uint64_t first = j.ranks[1].recv(0, 100, {}, 1), second = j.ranks[1].recv(0, 201, {}, 1);
    const uint64_t other = j.ranks[1].recv(0, 300, {}, 2);
    j.ranks[1].cpu(6, {first, other});
    j.ranks[1].cpu(1, {second});
    ASSERT_EQ(j.look(), 0) << j.err.msg;
    EXPECT_EQ(j.joint.critical_ps, 6 * kUs);
    EXPECT_EQ(j.joint.messages, 3u);
    EXPECT_EQ(j.joint.unreceived, 1u);
    EXPECT_EQ(j.joint.unequal, 1u);
    EXPECT_EQ(j.joint.mismatch.rank, 0u);
    EXPECT_EQ(j.w->dags[0].ops[j.joint.mismatch.op].bytes, 200u);
}

TEST(JointJob, AReceiveWithoutItsSendIsAnError)
{
    Joint j(2);
    j.ranks[0].send(1, 100, {}, 1);
    j.ranks[1].recv(0, 100, {}, 1);
    j.ranks[1].recv(0, 100, {}, 1);
    EXPECT_EQ(j.look(), WEFT_E_INPUT);
    EXPECT_EQ(std::string(j.err.msg), "rank 1, node 2 'recv': receives from rank 0 with tag 1, 2 "
                                      "times in all, but rank 0 sends that 1 times: it "
                                      "would wait for ever");
}

// Each waits for the other's message before it sends its own.
TEST(JointJob, CirclesThroughSeveralRanksAreNamed)
{
    Joint j(2);
    uint64_t a = j.ranks[0].recv(1, 100);
    j.ranks[0].send(1, 100, {a});
    uint64_t b = j.ranks[1].recv(0, 100);
    j.ranks[1].send(0, 100, {b});
    EXPECT_EQ(j.look(), WEFT_E_INPUT);
    EXPECT_EQ(std::string(j.err.msg),
              "the job can't end: rank 0, node 1 'recv' waits for rank 1, node 2 'send' waits for "
              "rank 1, node 1 'recv' waits "
              "for rank 0, node 2 'send', and that waits for the first of these 4");
}

// Two collectives of different sizes whose members depend on them in opposite order.
TEST(JointJob, CirclesThroughCollectives)
{
    Joint j(2);
    j.ranks[0].coll(ALL_REDUCE, 200, "", {j.ranks[0].coll(ALL_REDUCE, 100)});
    j.ranks[1].coll(ALL_REDUCE, 100, "", {j.ranks[1].coll(ALL_REDUCE, 200)});
    EXPECT_EQ(j.look(), WEFT_E_INPUT);
    EXPECT_NE(std::string(j.err.msg).find("the job can't end: rank "), std::string::npos)
        << j.err.msg;
    EXPECT_NE(std::string(j.err.msg).find("and that waits for the first of these 4"),
              std::string::npos)
        << j.err.msg;
}

// Nothing depends on the order here, so the job ends; NCCL would not.
TEST(JointJob, OrdersOfCollectivesAreCompared)
{
    Joint j(3);
    for (size_t r = 0; r < 3; r++) {
        j.ranks[r].coll(ALL_REDUCE, r == 2 ? 200 : 100);
        j.ranks[r].coll(ALL_REDUCE, r == 2 ? 100 : 200);
    }
    ASSERT_EQ(j.look(), 0) << j.err.msg;
    EXPECT_EQ(j.joint.reordered, 2u);
    EXPECT_EQ(j.joint.reorder.rank, 2u);
    EXPECT_EQ(j.joint.collectives, 2u);
}

TEST(Survey, CountsByKindAndGroup)
{
    Joint j(4);
    for (uint32_t r = 0; r < 4; r++) {
        j.ranks[r].coll(ALL_REDUCE, 1000);
        j.ranks[r].coll(ALL_GATHER, r < 2 ? 10 : 30, r < 2 ? "1" : "2");
        j.ranks[r].coll(ALL_GATHER, 20, r < 2 ? "1" : "2");
        j.ranks[r].cpu(3);
    }
    j.ranks[0].send(3, 77);
    j.ranks[3].recv(0, 77);
    ASSERT_EQ(j.look("{\"1\": [0, 1], \"2\": [2, 3]}"), 0) << j.err.msg;
    weft_survey s;
    ASSERT_EQ(weft_survey_make(j.w, &s, &j.err), 0) << j.err.msg;
    EXPECT_EQ(s.ops[WEFT_OP_COLL], 12u);
    EXPECT_EQ(s.duration_ps[WEFT_OP_COMP], 12 * kUs);
    ASSERT_EQ(s.nrows, 3u);
    EXPECT_EQ(s.rows[0].coll, WEFT_COLL_ALL_REDUCE);
    EXPECT_EQ(s.rows[0].size, 4u);
    EXPECT_EQ(s.rows[0].bytes, 4000);
    EXPECT_EQ(s.rows[1].coll, WEFT_COLL_ALL_GATHER);
    EXPECT_EQ(s.rows[1].size, 2u);
    EXPECT_EQ(s.rows[1].groups, 2u);
    EXPECT_EQ(s.rows[1].ops, 8u);
    EXPECT_EQ(s.rows[1].least_bytes, 10u);
    EXPECT_EQ(s.rows[1].most_bytes, 30u);
    EXPECT_EQ(s.rows[1].bytes, 2 * 10 + 2 * 30 + 4 * 20);
    EXPECT_EQ(s.rows[2].op, WEFT_OP_SEND);
    EXPECT_EQ(s.rows[2].ops, 1u);
    EXPECT_EQ(s.rows[2].bytes, 77);
    ASSERT_EQ(s.nby_group, 4u);
    weft_survey_free(&s);
}

// Durations near the end of the clock: sums end there, too.
TEST(JointJob, DurationsThatFillTheClock)
{
    Joint j(2);
    const uint64_t us = INT64_MAX / kUs; // the longest duration that a trace can have
    j.ranks[0].cpu(3);
    uint64_t a = 0;
    for (int i = 0; i < 3; i++) {
        a = j.ranks[1].cpu(us, a ? Deps{a} : Deps{});
        j.ranks[1].attribute("is_cpu_op", WEFT_ET_BOOL, 0);
    }
    ASSERT_EQ(j.look(), 0) << j.err.msg;
    EXPECT_EQ(j.joint.critical_ps, INT64_MAX);
    weft_survey s;
    ASSERT_EQ(weft_survey_make(j.w, &s, &j.err), 0) << j.err.msg;
    EXPECT_EQ(s.duration_ps[WEFT_OP_COMP], INT64_MAX);
    EXPECT_EQ(s.busiest_ps, INT64_MAX);
    EXPECT_EQ(s.busiest, 1u);
    weft_survey_free(&s);
}

} // namespace
