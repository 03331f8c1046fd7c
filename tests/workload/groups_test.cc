/* SPDX-License-Identifier: GPL-2.0-only */
/* Communicator groups from the JSON file and from PyTorch's metadata nodes. */
#include "job.h"

using namespace wire;

namespace
{

Bytes InGroup(uint64_t id, const char *group)
{
    return Frame(Coll(id, "c", 0, 64) + Attr("pg_name", Blob(29, group)));
}

Bytes PyTorch(uint64_t id, const Bytes &json)
{
    return Frame(NodeHead(id, "## process_group:init ##", 1) +
                 Blob(8, Blob(1, "['" + json + "']")));
}

std::vector<uint32_t> Ranks(const weft_group &g)
{
    return {g.ranks, g.ranks + g.n};
}

using R = std::vector<uint32_t>;

} // namespace

TEST(Groups, WorldByDefault)
{
    Job j({Frame(Coll(1, "c", 0, 64)) + InGroup(2, "") + InGroup(3, "0"), "", ""});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    ASSERT_EQ(j.w->ngroups, 1u);
    EXPECT_STREQ(j.w->groups[0].name, "");
    EXPECT_EQ(Ranks(j.w->groups[0]), (R{0, 1, 2}));
    for (uint64_t id : {1, 2, 3})
        EXPECT_EQ(j.Op(0, id)->group, 0u);
}

TEST(Groups, FromFile)
{
    Job j({InGroup(1, "7"), InGroup(1, "7"), InGroup(1, "5"), InGroup(1, "5")},
          R"({"5": [3, 2], "7": [0, 1]})");
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    ASSERT_EQ(j.w->ngroups, 3u);
    EXPECT_EQ(j.Op(0, 1)->group, 1u); // first use, rank by rank
    EXPECT_EQ(j.Op(1, 1)->group, 1u);
    EXPECT_EQ(j.Op(2, 1)->group, 2u);
    EXPECT_STREQ(j.w->groups[1].name, "7");
    EXPECT_EQ(Ranks(j.w->groups[1]), (R{0, 1}));
    EXPECT_EQ(Ranks(j.w->groups[2]), (R{3, 2})); // communicator order, not sorted
}

TEST(Groups, IntegerNameMeansItsDecimal)
{
    Job j({Frame(Coll(1, "c", 0, 64) + Attr("pg_name", Int(7, 5)))}, R"({"5": [0]})");
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Op(0, 1)->group, 1u);
}

/* As ASTRA-sim reads names: as whole numbers. */
TEST(Groups, WholeNumbersMayHaveAFractionOfZeros)
{
    Job j({InGroup(1, "5.0"), InGroup(1, "5"), InGroup(1, "6.0")}, R"({"5": [0, 1], "6.0": [2]})");
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Op(0, 1)->group, j.Op(1, 1)->group);
    EXPECT_EQ(Ranks(j.w->groups[j.Op(0, 1)->group]), (R{0, 1}));
    EXPECT_EQ(Ranks(j.w->groups[j.Op(2, 1)->group]), R{2});
    for (const char *other : {"5.5", "5.", "05.0", ".0", "5.0x"}) {
        Job none({InGroup(1, other), ""}, R"({"5": [0, 1]})");
        EXPECT_EQ(none.rc == 0, std::string(other) == "5.") << other;
    }
}

TEST(Groups, PyTorchMetadata)
{
    Bytes defs = PyTorch(9, R"([{"pg_name": "0", "ranks": [], "group_size": 2}, )"
                            R"({"pg_name": "3", "pg_desc": "it\'s", "ranks": [1, 0]}])");
    Job j({InGroup(1, "3") + InGroup(2, "0") + defs, InGroup(1, "3") + defs});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Op(0, 2)->group, 0u);
    EXPECT_EQ(j.Op(0, 1)->group, 1u);
    EXPECT_EQ(j.Op(1, 1)->group, 1u);
    ASSERT_EQ(j.w->ngroups, 2u);
    EXPECT_EQ(Ranks(j.w->groups[1]), (R{1, 0}));
    EXPECT_EQ(j.Op(0, 9)->kind, WEFT_OP_META);
}

/* PyTorch 2.1: an id in place of the name, ranks with their places. */
TEST(Groups, OlderPyTorchMetadata)
{
    const Bytes defs =
        PyTorch(9, R"([{"pg_id": 0, "backend_id": 5, "ranks": {"0": 0, "1": 1, "2": 2}}, )"
                   R"({"pg_id": 7, "ranks": {"1": 1, "2": 0}, "group_count": 2}])");
    Job j({InGroup(1, "0") + defs, InGroup(1, "7") + defs, InGroup(1, "7") + defs});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Op(0, 1)->group, 0u);
    ASSERT_EQ(j.w->ngroups, 2u);
    EXPECT_EQ(Ranks(j.w->groups[1]), (R{2, 1}));
    for (const char *map : {R"({"0": 1})", R"({"0": 0, "1": 0})", R"({"x": 0})", R"({"0": "0"})",
                            R"({"0": -1})", R"({"": 0})"}) {
        Job bad({PyTorch(1, std::string(R"([{"pg_id": 1, "ranks": )") + map + "}]"), ""});
        EXPECT_ERR(bad.err, WEFT_E_INPUT, 8, "process group '1': its ranks do not map");
    }
}

TEST(Groups, PyTorchNamesBelongToTheirRank)
{
    Job j({InGroup(1, "1") + PyTorch(2, R"([{"pg_name": "1", "ranks": [0, 1]}])"),
           InGroup(1, "1") + PyTorch(2, R"([{"pg_name": "1", "ranks": [0, 1]}])"),
           InGroup(1, "1") + PyTorch(2, R"([{"pg_name": "1", "ranks": [2]}])")});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    ASSERT_EQ(j.w->ngroups, 3u);
    EXPECT_EQ(j.Op(0, 1)->group, j.Op(1, 1)->group);
    EXPECT_EQ(Ranks(j.w->groups[j.Op(2, 1)->group]), R{2});
}

TEST(Groups, ZeroWithEveryRankIsTheWorldOthersAreNot)
{
    Job j({InGroup(1, "0") + InGroup(2, "1") +
               PyTorch(3, R"([{"pg_name": "0", "ranks": [0, 1]}, {"pg_name": "1", "ranks": []}])"),
           InGroup(2, "1") + PyTorch(3, R"([{"pg_name": "1", "ranks": [0, 1]}])")});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Op(0, 1)->group, 0u);
    EXPECT_EQ(j.Op(0, 2)->group, 1u); // a communicator of its own, with its own order of operations
    EXPECT_EQ(j.Op(1, 2)->group, 1u); // empty and spelled out are the same
    EXPECT_EQ(Ranks(j.w->groups[1]), (R{0, 1}));
}

TEST(Groups, FileWinsOverMetadata)
{
    Job j({InGroup(1, "1") + PyTorch(2, R"([{"pg_name": "1", "ranks": [0, 1]}])"), ""},
          R"({"1": [0]})");
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(Ranks(j.w->groups[1]), R{0});
}

TEST(GroupsError, Unknown)
{
    Job none({InGroup(1, "4")});
    EXPECT_ERR(
        none.err, WEFT_E_INPUT, 8,
        "unknown process group '4': none is known. Groups come from process_group:init nodes");
    for (const char *key : {"chakra.groups=FILE", "--groups", "--comm-group-configuration"})
        EXPECT_ERR(none.err, WEFT_E_INPUT, 8, key);
    Job some({InGroup(1, "4"), ""}, R"({"1": [0], "2": [1]})");
    EXPECT_ERR(some.err, WEFT_E_INPUT, 8,
               "unknown process group '4': known are '1', '2'. Groups come from");
    std::string many = "{";
    for (int i = 10; i < 30; i++)
        many += (i > 10 ? ", \"" : "\"") + std::to_string(i) + "\": [0]";
    Job lots({InGroup(1, "4")}, many + "}");
    EXPECT_ERR(lots.err, WEFT_E_INPUT, 8, "'17', ...");
}

TEST(GroupsError, NotAMember)
{
    Job j({"", InGroup(1, "1")}, R"({"1": [0]})");
    EXPECT_ERR(j.err, WEFT_E_INPUT, 8, "rank 1 is not a member of process group '1' (ranks 0)");
}

TEST(GroupsError, FileSyntax)
{
    Job j({""}, "{\n  \"1\": [0,\n}");
    EXPECT_EQ(j.rc, WEFT_E_INPUT);
    EXPECT_EQ(j.err.line, 3) << Text(j.err);
    EXPECT_EQ(j.err.file, j.dir / "groups.json");
    Job dup({""}, "{\"1\": [0],\n \"1\": [0]}");
    EXPECT_EQ(dup.rc, WEFT_E_INPUT);
    EXPECT_EQ(dup.err.line, 2) << Text(dup.err);
}

TEST(GroupsError, FileValues)
{
    struct {
        const char *json;
        int64_t line, col;
        const char *part;
    } cases[] = {
        {"[1]", 1, 1, "is an object"},
        {"{\n \"1\": [0],\n   \"2\": [2]}", 3, 4,
         "process group '2' lists rank 2, but the job's ranks are 0 .. 1"},
        {"{\"1\" : [-1]}", 1, 2, "lists rank -1"},
        {"{\"1\": [0, 0]}", 1, 2, "lists rank 0 twice"},
        {"{\"1\": []}", 1, 2, "has no ranks"},
        {"{\"1\": 5}", 1, 2, "needs a list of ranks"},
        {"{\"1\": [\"0\"]}", 1, 2, "entry 1 of its ranks is not a whole number"},
        {"{\"1\": [0, 1, 0]}", 1, 2, "lists 3 ranks, but the job has only 2"},
        {"{\"\": [0]}", 1, 2, "means the world"},
    };
    for (const auto &c : cases) {
        Job j({"", ""}, c.json);
        EXPECT_EQ(j.rc, WEFT_E_INPUT) << c.json;
        EXPECT_EQ(j.err.line, c.line) << Text(j.err);
        EXPECT_EQ(j.err.col, c.col) << Text(j.err);
        EXPECT_NE(std::string(j.err.msg).find(c.part), std::string::npos) << Text(j.err);
    }
}

TEST(GroupsError, MissingFile)
{
    Folder dir;
    dir.Write("t.0.et", Header());
    weft_workload *w = nullptr;
    weft_err err{};
    std::string groups = dir / "none.json";
    EXPECT_EQ(weft_chakra_read((dir / "t").c_str(), 0, groups.c_str(), &w, &err), WEFT_E_INPUT);
    EXPECT_EQ(err.file, groups);
}

TEST(GroupsError, PyTorchMetadata)
{
    auto error = [](const Bytes &node) {
        Job j({node, ""});
        EXPECT_EQ(j.rc, WEFT_E_INPUT);
        return j.err;
    };
    EXPECT_ERR(error(PyTorch(1, "{")), WEFT_E_INPUT, 8, "are not JSON");
    EXPECT_ERR(error(PyTorch(1, "{}")), WEFT_E_INPUT, 8, "not a JSON list");
    EXPECT_ERR(error(PyTorch(1, R"([{"ranks": []}])")), WEFT_E_INPUT, 8, "without a pg_name");
    EXPECT_ERR(error(PyTorch(1, R"([{"pg_name": "1"}])")), WEFT_E_INPUT, 8, "needs a list");
    EXPECT_ERR(error(PyTorch(1, R"([{"pg_name": "1", "ranks": [2]}])")), WEFT_E_INPUT, 8, "rank 2");
    EXPECT_ERR(
        error(PyTorch(1, R"([{"pg_name": "1", "ranks": [0]}, {"pg_name": "1", "ranks": [1]}])")),
        WEFT_E_INPUT, 8, "defined twice");
    EXPECT_ERR(error(Frame(NodeHead(1, "## process_group:init ##", 1) + Blob(8, Blob(1, "x")))),
               WEFT_E_INPUT, 8, "not a list of one string");
}
