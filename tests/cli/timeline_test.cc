/* SPDX-License-Identifier: GPL-2.0-only */
/* weft timeline: the rules of the Trace Event Format, and that what is drawn is what the tables
 * say. */
#include "program.h"

#include <jansson.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

namespace
{

using Args = std::vector<std::string>;

struct Slice {
    double ts, dur;
    std::string name, category;
};

/* A timeline as a reader of the format takes it. */
struct Timeline {
    std::map<std::pair<long long, long long>, std::vector<Slice>> threads;
    std::map<long long, std::string> processes;
    std::map<std::pair<long long, long long>, std::string> thread_names;
    std::map<long long, std::vector<std::tuple<char, long long, long long, double>>> arrows;
};

Timeline Read(const std::string &path)
{
    Timeline t;
    json_error_t e;
    json_t *root = json_load_file(path.c_str(), 0, &e);
    EXPECT_TRUE(root) << e.text;
    size_t i;
    const json_t *v;
    json_array_foreach(json_object_get(root, "traceEvents"), i, v)
    {
        const std::string phase = json_string_value(json_object_get(v, "ph"));
        const long long pid = json_integer_value(json_object_get(v, "pid")),
                        tid = json_integer_value(json_object_get(v, "tid"));
        const double ts = json_number_value(json_object_get(v, "ts"));
        const char *name = json_string_value(json_object_get(v, "name"));
        const char *called = json_string_value(json_object_get(json_object_get(v, "args"), "name"));
        if (phase == "X")
            t.threads[{pid, tid}].push_back({ts, json_number_value(json_object_get(v, "dur")), name,
                                             json_string_value(json_object_get(v, "cat"))});
        else if (phase == "s" || phase == "f")
            t.arrows[json_integer_value(json_object_get(v, "id"))].emplace_back(phase[0], pid, tid,
                                                                                ts);
        else if (std::string(name) == "process_name")
            t.processes[pid] = called;
        else if (std::string(name) == "thread_name")
            t.thread_names[{pid, tid}] = called;
    }
    json_decref(root);
    for (auto &thread : t.threads)
        std::sort(thread.second.begin(), thread.second.end(),
                  [](const Slice &a, const Slice &b) { return a.ts < b.ts; });
    return t;
}

/* What readers want: names, slices that do not overlap, arrows from slice to slice. */
void ExpectRules(const Timeline &t)
{
    for (const auto &thread : t.threads) {
        EXPECT_TRUE(t.processes.count(thread.first.first));
        EXPECT_TRUE(t.thread_names.count(thread.first));
        for (size_t i = 0; i + 1 < thread.second.size(); i++)
            EXPECT_LE(thread.second[i].ts + thread.second[i].dur, thread.second[i + 1].ts + 1e-6)
                << t.thread_names.at(thread.first);
    }
    for (const auto &a : t.arrows) {
        ASSERT_EQ(a.second.size(), 2u) << "message " << a.first;
        EXPECT_NE(std::get<0>(a.second[0]), std::get<0>(a.second[1]));
        for (const auto &[phase, pid, tid, ts] : a.second) {
            const auto &on = t.threads.at({pid, tid});
            const double at = ts;
            EXPECT_TRUE(
                std::any_of(on.begin(), on.end(),
                            [at](const Slice &s) { return s.ts <= at && at <= s.ts + s.dur; }))
                << "end " << phase << " of message " << a.first;
        }
    }
}

/* Sum of the durations of the slices of a category, in us. */
double Sum(const Timeline &t, const std::string &category)
{
    double sum = 0;
    for (const auto &thread : t.threads)
        for (const Slice &s : thread.second)
            sum += s.category == category ? s.dur : 0;
    return sum;
}

size_t Count(const Timeline &t, const std::string &category)
{
    size_t n = 0;
    for (const auto &thread : t.threads)
        n += std::count_if(thread.second.begin(), thread.second.end(),
                           [&](const Slice &s) { return s.category == category; });
    return n;
}

Said Play(const TempDir &dir, const Args &sets)
{
    return weft(with_sets({"run", "--json", "--out", dir / "o"}, sets));
}

/* Three messages of a ring of 4 ranks each way for every rank; two dimensions, chunks. */
TEST(TimelineOf, CollectivesOverDimensions)
{
    TempDir dir;
    const Said run =
        Play(dir, {"topology.type=multi",
                   "multi.dimensions=ring size=2 rate=400Gbps; ring size=2 rate=100Gbps",
                   "network.backend=ideal", "workload.type=generate", "generate.size=1MiB",
                   "system.all-reduce=ring,ring", "system.chunks=2"});
    ASSERT_EQ(run.code, 0) << run.err;
    const Said s = weft({"timeline", dir / "o"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "ui.perfetto.dev");
    const Timeline t = Read(dir / "o/timeline.json");
    ExpectRules(t);
    EXPECT_EQ(t.arrows.size(), static_cast<size_t>(value(run, "messages")));
    EXPECT_EQ(Count(t, "message"), 2 * t.arrows.size()) << "one at each end";
    /* On each rank, its phase in the second dimension, and the critical path. */
    EXPECT_EQ(Count(t, "all-reduce"), 4u + 4u + 1u);
    EXPECT_EQ(Count(t, "reduce-scatter"), 4u);
    EXPECT_EQ(Count(t, "all-gather"), 4u);
    EXPECT_EQ(t.processes.at(1), "critical path");
    EXPECT_EQ(t.processes.at(2), "rank 0");
    bool second = false;
    for (const auto &n : t.thread_names)
        second |= n.second == "phases, dimension 1";
    EXPECT_TRUE(second);
}

/* Eight hosts send to one that takes an eighth: slices of pauses last as long as the ports say. */
TEST(TimelineOf, PausesLastAsLongAsPortsWerePaused)
{
    TempDir dir;
    const Said run =
        Play(dir, {"topology.type=single-switch", "single-switch.hosts=9", "workload.type=generate",
                   "generate.kind=gather", "system.gather=direct", "generate.size=4MiB",
                   "congestion-control.name=none", "switch.buffer=3MiB"});
    ASSERT_EQ(run.code, 0) << run.err;
    ASSERT_EQ(weft({"timeline", dir / "o"}).code, 0);
    const Timeline t = Read(dir / "o/timeline.json");
    ExpectRules(t);
    ASSERT_GT(value(run, "pfc_pauses"), 0);
    EXPECT_NEAR(Sum(t, "PFC pause"), value(run, "pfc_pause_time_ns") / 1000, 1e-3);
}

TEST(TimelineOf, MessagesAreLeftOutWhereTheyAreTooMany)
{
    TempDir dir;
    const Said run =
        Play(dir, {"topology.type=single-switch", "single-switch.hosts=4", "network.backend=ideal",
                   "workload.type=generate", "generate.size=1MiB", "system.all-reduce=ring"});
    ASSERT_EQ(run.code, 0) << run.err;
    const Said s = weft({"timeline", dir / "o", "--messages", "23", "--out", dir / "t.json"});
    EXPECT_CONTAINS(s.out, "without the 24 messages of the network; --messages 24 draws them");
    EXPECT_EQ(Read(dir / "t.json").arrows.size(), 0u);
    ASSERT_EQ(weft({"timeline", dir / "o", "--messages", "24", "--out", dir / "t.json"}).code, 0);
    EXPECT_EQ(Read(dir / "t.json").arrows.size(), 24u);
}

TEST(TimelineOf, RefusalsSayWhy)
{
    TempDir dir;
    EXPECT_EQ(weft({"timeline"}).code, 2);
    const Said none = weft({"timeline", dir / ""});
    EXPECT_EQ(none.code, 3);
    EXPECT_CONTAINS(none.err, "is no folder of a run");
    std::filesystem::create_directories(dir / "out/first");
    for (const auto &args : {std::vector<std::string>{"timeline", dir / "out/frist"},
                             std::vector<std::string>{"plot", dir / "out/frist", "gantt"},
                             std::vector<std::string>{"compare", dir / "out/frist", dir / "o"}})
        EXPECT_CONTAINS(weft(args).err, "; did you mean '" + (dir / "out/first") + "'?");
    std::ofstream(dir / "run.json") << "{\"schema_version\": 1}";
    std::ofstream(dir / "ops.csv") << "rank,node_id,name,kind,start_ns,end_ns,bytes,exposed_ns\n"
                                      "0,1,\"a, \"\"b\"\"\nc\",compute,1.5,2.25,0,0.000\n"
                                      "0,1,x,compute,soon,2,0,0\n";
    const Said wrong = weft({"timeline", dir / ""});
    EXPECT_EQ(wrong.code, 3);
    EXPECT_CONTAINS(wrong.err, "ops.csv:4: start_ns: 'soon'");
    std::ofstream(dir / "ops.csv") << "rank,node_id\n0,1\n";
    EXPECT_CONTAINS(weft({"timeline", dir / ""}).err, "no column 'name'");
}

} // namespace
