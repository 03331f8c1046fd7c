// SPDX-License-Identifier: GPL-2.0-only
/*
 * `weft hpcc --compat` against the completion times of the HPCC simulator family, case by case.
 *
 * The cases lie in $WEFT_SHARED/data/reference; without them everything here is skipped. Each row
 * of the table says what is compared and how far it may be off, in percent. Cases whose control
 * draws random numbers are averaged over seeds 1, 2, ...: the reference is one draw. Every test
 * prints a row of the table in docs/explanation/validation.md.
 */
#include "tests/cli/processes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

namespace
{

enum Metric {
    FLOW,     /* completion time of the worst flow */
    MEDIAN,   /* error of a flow's completion time, median over flows */
    MEAN,     /* mean completion time */
    LAST,     /* time until the last flow completes */
    SLOWDOWN, /* mean slowdown */
    PAUSES,   /* number of PFC pauses */
    METRICS
};
const char *const metric_names[METRICS] = {"worst flow", "median flow",   "mean FCT",
                                           "last flow",  "mean slowdown", "PFC pauses"};

struct Bound {
    Metric metric;
    double accepted_pct; /* what compat mode shall reach */
    double known_pct;    /* 0, or a known deviation, see docs/explanation/validation.md: measured,
                            rounded up */
};

struct Case {
    const char *name;
    int seeds;
    std::vector<Bound> bounds;
};

void PrintTo(const Case &c, std::ostream *os)
{
    *os << c.name;
}

const Case cases[] = {
    {"r1_dumbbell_1x1MB_dcqcn", 1, {{FLOW, 0.1, 0}}},
    {"r1_dumbbell_1x1MB_dctcp", 1, {{FLOW, 0.1, 0}}},
    {"r1_dumbbell_1x1MB_hpcc", 1, {{FLOW, 0.1, 0}}},
    {"r1_dumbbell_1x1MB_pint", 20, {{FLOW, 0.1, 0}}},
    {"r1_dumbbell_1x1MB_timely", 1, {{FLOW, 0.1, 0}}},
    {"r2_incast2_1MB_dcqcn", 20, {{MEAN, 2, 2.3}, {LAST, 3, 0}}},
    {"r2_incast2_1MB_dctcp", 1, {{FLOW, 1, 0}}},
    {"r2_incast2_1MB_hpcc", 1, {{FLOW, 1, 0}}},
    {"r2_incast2_1MB_pint", 20, {{MEAN, 2, 0}, {LAST, 3, 0}}},
    {"r2_incast2_1MB_timely", 1, {{FLOW, 1, 0}}},
    {"r2_incast8_1MB_dcqcn", 20, {{MEAN, 2, 0}, {LAST, 3, 0}}},
    {"r2_incast8_1MB_dctcp", 1, {{FLOW, 1, 0}}},
    {"r2_incast8_1MB_hpcc", 1, {{FLOW, 1, 0}}},
    {"r2_incast8_1MB_pint", 20, {{MEAN, 2, 0}, {LAST, 3, 0}}},
    {"r2_incast8_1MB_timely", 1, {{FLOW, 1, 0}}},
    {"r3_ft4_perm_4MB_dcqcn", 20, {{SLOWDOWN, 3, 0}, {MEDIAN, 2, 0}}},
    {"r3_ft4_perm_4MB_dctcp", 1, {{SLOWDOWN, 3, 0}, {MEDIAN, 2, 0}}},
    {"r3_ft4_perm_4MB_hpcc", 1, {{SLOWDOWN, 3, 0}, {MEDIAN, 2, 0}}},
    {"r3_ft4_perm_4MB_pint", 20, {{SLOWDOWN, 3, 0}, {MEDIAN, 2, 0}}},
    {"r3_ft4_perm_4MB_timely", 1, {{SLOWDOWN, 3, 0}, {MEDIAN, 2, 0}}},
    {"r4_ft4_websearch_64flows_dcqcn", 20, {{SLOWDOWN, 3, 0}, {MEDIAN, 2, 0}}},
    {"r4_ft4_websearch_64flows_dctcp", 1, {{SLOWDOWN, 3, 0}, {MEDIAN, 2, 0}}},
    {"r4_ft4_websearch_64flows_hpcc", 1, {{SLOWDOWN, 3, 0}, {MEDIAN, 2, 0}}},
    {"r4_ft4_websearch_64flows_pint", 20, {{SLOWDOWN, 3, 0}, {MEDIAN, 2, 0}}},
    {"r4_ft4_websearch_64flows_timely", 1, {{SLOWDOWN, 3, 0}, {MEDIAN, 2, 0}}},
    {"r5_ft4_incast15_1MB_buf1MB_dcqcn", 1, {{PAUSES, 5, 0}, {MEAN, 2, 0}, {LAST, 3, 0}}},
    {"r5_ft4_incast15_1MB_buf1MB_dctcp", 1, {{PAUSES, 5, 0}, {FLOW, 1, 0}}},
    {"r5_ft4_incast15_1MB_buf1MB_hpcc", 1, {{PAUSES, 5, 0}, {FLOW, 1, 0}}},
};

/* What a run gave, or the mean of several. */
struct Result {
    std::map<std::string, double> fct_ns; /* by addresses and source port */
    double mean_ns = 0, last_ns = 0, slowdown = 0, pauses = 0;
};

const double first_start_ns = 2e9; /* of every case */

Result read_result(const std::string &dir)
{
    Result r;
    std::istringstream fct(slurp(dir + "/fct.txt"));
    std::string sip, dip, sport, dport;
    for (double size, start, ns, alone;
         fct >> sip >> dip >> sport >> dport >> size >> start >> ns >> alone;) {
        EXPECT_TRUE(r.fct_ns.emplace(sip + " " + dip + " " + sport, ns).second) << dir;
        r.mean_ns += ns;
        r.slowdown += std::max(1.0, ns / alone);
        r.last_ns = std::max(r.last_ns, start + ns - first_start_ns);
    }
    r.mean_ns /= static_cast<double>(r.fct_ns.size());
    r.slowdown /= static_cast<double>(r.fct_ns.size());
    std::istringstream pfc(slurp(dir + "/pfc.txt"));
    for (double t, node, kind, port, pause; pfc >> t >> node >> kind >> port >> pause;)
        r.pauses += pause;
    return r;
}

/* Sum of the columns drops_* of links.csv. */
double drops(const std::string &dir)
{
    std::istringstream in(slurp(dir + "/links.csv"));
    std::vector<bool> counts;
    double sum = 0;
    size_t lines = 0;
    for (std::string line, word; std::getline(in, line); lines++) {
        std::istringstream words(line);
        for (size_t i = 0; std::getline(words, word, ','); i++) {
            if (lines == 0)
                counts.push_back(word.rfind("drops_", 0) == 0);
            else if (counts.at(i))
                sum += std::stod(word);
        }
    }
    EXPECT_EQ(std::count(counts.begin(), counts.end(), true), 4);
    EXPECT_GT(lines, 1u);
    return sum;
}

void add(Result *sum, const Result &r, int n)
{
    for (const auto &[flow, ns] : r.fct_ns)
        sum->fct_ns[flow] += ns / n;
    sum->mean_ns += r.mean_ns / n;
    sum->last_ns += r.last_ns / n;
    sum->slowdown += r.slowdown / n;
    sum->pauses += r.pauses / n;
}

double off_pct(double ours, double theirs)
{
    return ours == theirs ? 0 : 100 * (ours / theirs - 1);
}

/* By how much ours is off, per metric. */
std::array<double, METRICS> compare(const Result &ours, const Result &theirs)
{
    std::vector<double> flows;
    for (const auto &[flow, ns] : theirs.fct_ns)
        flows.push_back(std::fabs(off_pct(ours.fct_ns.at(flow), ns)));
    std::sort(flows.begin(), flows.end());
    return {flows.back(),
            (flows[flows.size() / 2] + flows[(flows.size() - 1) / 2]) / 2,
            off_pct(ours.mean_ns, theirs.mean_ns),
            off_pct(ours.last_ns, theirs.last_ns),
            off_pct(ours.slowdown, theirs.slowdown),
            off_pct(ours.pauses, theirs.pauses)};
}

class Reference : public testing::TestWithParam<Case>
{
};

TEST_P(Reference, IsMet)
{
    const Case &c = GetParam();
    const std::string ref = shared(std::string("reference/") + c.name);
    if (ref.empty() || !has_packet())
        GTEST_SKIP() << "needs WEFT_SHARED/data/reference/" << c.name << " and the packet backend";
    const Result theirs = read_result(ref);
    Result ours;
    for (int seed = 1; seed <= c.seeds; seed++) {
        TempDir dir;
        const Said ran = weft({"hpcc", "--config", ref + "/config.txt", "--compat", "--quiet",
                               "--seed", std::to_string(seed), "--out", dir / "o"});
        ASSERT_EQ(ran.code, 0) << ran.err;
        EXPECT_EQ(drops(dir / "o"), 0) << "seed " << seed;
        const Result r = read_result(dir / "o");
        ASSERT_EQ(r.fct_ns.size(), theirs.fct_ns.size()) << "seed " << seed;
        add(&ours, r, c.seeds);
        /* Seed 1 takes the random numbers that the reference took. */
        for (const Bound &b : c.bounds) {
            const double off = compare(r, theirs)[b.metric];
            EXPECT_TRUE(seed > 1 || std::fabs(off) <= b.accepted_pct)
                << metric_names[b.metric] << " of seed 1 is off by " << off << " %";
        }
    }
    const auto off = compare(ours, theirs);
    for (const Bound &b : c.bounds)
        EXPECT_LE(std::fabs(off[b.metric]), std::max(b.accepted_pct, b.known_pct))
            << metric_names[b.metric] << " of " << c.name;
    std::printf("| %s | %zu | %d | %.1f | %.1f | %+.2f %% | %+.2f %% | %.2f %% | %.2f %% | %.3f | "
                "%.3f | %.0f | %.0f |\n",
                c.name, theirs.fct_ns.size(), c.seeds, theirs.mean_ns / 1e3, ours.mean_ns / 1e3,
                off[MEAN], off[LAST], off[MEDIAN], off[FLOW], theirs.slowdown, ours.slowdown,
                theirs.pauses, ours.pauses);
}

/* Whoever runs it: compat mode, which is compared with the reference, has everything in one queue,
 * so that it is only shared out without. Cases take 2, 3 and 8 threads in turn, which share every
 * window. */
TEST_P(Reference, IsTheSameByThreadsAndProcesses)
{
    const Case &c = GetParam();
    const std::string ref = shared(std::string("reference/") + c.name);
    if (ref.empty() || !has_packet())
        GTEST_SKIP() << "needs WEFT_SHARED/data/reference/" << c.name << " and the packet backend";
    TempDir dir;
    const std::string run = program() + "hpcc --quiet --config " + ref + "/config.txt --out ";
    ASSERT_EQ(shell(run + (dir / "one"), dir).code, 0) << c.name;
    static const char *const numbers[] = {"2", "3", "8"};
    size_t at = 0;
    while (cases[at].name != std::string(c.name))
        at++;
    const std::string n = numbers[at % std::size(numbers)];
    const std::string with = " --set run.threads=" + n + " --set run.thread-shuffle=" + n;
    Said s = shell(run + (dir / n) + with, dir);
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_LACKS(s.err, "run.threads had no effect");
    expect_same_folders(dir / "one", dir / n, c.name + with);
    if (!has_mpirun())
        return;
    s = shell(by_processes(run + (dir / "processes"), 2), dir);
    ASSERT_EQ(s.code, 0) << s.err;
    expect_same_folders(dir / "one", dir / "processes", c.name);
}

INSTANTIATE_TEST_SUITE_P(Case, Reference, testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(ReferenceTable, NamesEveryCase)
{
    const std::string root = shared("reference");
    if (root.empty())
        GTEST_SKIP() << "needs WEFT_SHARED/data/reference";
    for (const auto &entry : std::filesystem::directory_iterator(root)) {
        const std::string name = entry.path().filename().string();
        const auto is_it = [&](const Case &c) { return name == c.name; };
        EXPECT_TRUE(!entry.is_directory() || std::any_of(std::begin(cases), std::end(cases), is_it))
            << name;
    }
}

} // namespace
