// SPDX-License-Identifier: GPL-2.0-only
// The main commands with one thing going wrong at a time; see README.md.
#include "tests/cli/program.h"
#include "tests/series/unpacked.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <regex>

#include <jansson.h>

namespace fs = std::filesystem;

namespace
{

using Args = std::vector<std::string>;

struct Command {
    const char *name;
    Args args;
    bool packet;          /* needs the packet backend */
    bool sums_up = false; /* what is there is named where a file can't be written */
};

std::vector<Command> commands()
{
    const Args small = {"--set", "topology.type=single-switch", "--set", "single-switch.hosts=4",
                        "--set", "workload.type=generate",      "--set", "generate.size=100KB"};
    auto with = [&](Args first, const Args &last) {
        first.insert(first.end(), small.begin(), small.end());
        first.insert(first.end(), last.begin(), last.end());
        return first;
    };
    return {
        {"Run", {"run", "scenario.xml", "--out", "o"}, true, true},
        {"Capture", with({"run"}, {"--set", "capture.links=0", "--out", "o"}), true},
        {"Series",
         with({"run"},
              {"--set", "sample.what=queue,rate,throughput", "--set", "sample.interval=2us",
               "--set", "output.compress=zstd", "--quiet", "--out", "o"}),
         true, true},
        {"Fault",
         with({"run"}, {"--set", "fault.events=link-down link=0 at=5us until=10us", "--out", "o"}),
         true},
        {"Tcp", with({"run"}, {"--set", "transport.type=tcp", "--out", "o"}), true},
        {"Ideal", with({"run"}, {"--set", "network.backend=ideal", "--out", "o"}), false},
        {"Sweep",
         with({"sweep"}, {"--set", "network.backend=ideal", "--vary", "generate.size=1KB|2KB",
                          "--vary", "system.all-reduce=ring|direct", "--out", "o"}),
         false},
        {"SweepJobs",
         with({"sweep"}, {"--set", "network.backend=ideal", "--vary", "generate.size=1KB..4KB*2",
                          "--seeds", "1..2", "-j", "2", "--out", "o"}),
         false},
        {"SweepEmit",
         with({"sweep"}, {"--set", "network.backend=ideal", "--vary", "generate.size=1KB|2KB",
                          "--emit", "slurm", "--out", "o"}),
         false},
        {"Hpcc", {"hpcc", "--config", "config.txt", "--out", "o"}, true},
        {"Generate",
         {"trace", "generate", "o/x", "--set", "ranks=3", "--set", "pattern=data-parallel"},
         false},
        {"GenerateGzip", {"trace", "generate", "o/x.gz", "--set", "ranks=3"}, false},
        {"Check", {"check", "scenario.xml"}, true},
        {"Topology", {"topology", "show", "dgx-h100-pod"}, false},
        {"Convert", {"topology", "convert", "dgx-h100-pod", "--to", "xml", "-o", "o"}, false},
        {"Compare", {"compare", "a", "b"}, false},
        {"Report", {"report", "a", "-o", "o"}, false},
        {"Timeline", {"timeline", "a", "-o", "o"}, false},
        {"Import", {"import", "--dry-run", "tr/x.0.et", "config.txt", "cdf"}, false},
        {"Doctor", {"doctor"}, false},
        {"Traffic",
         {"traffic", "--cdf", "cdf", "--load", "0.3", "--hosts", "4", "--rate", "100Gbps",
          "--duration", "200us", "-o", "o"},
         false},
    };
}

/* What a run left: every file below `o` but run.json, whose times differ; or the file `o` itself.
 */
std::map<std::string, std::string> files(const std::string &out)
{
    std::map<std::string, std::string> all;
    if (fs::is_regular_file(out))
        all["o"] = slurp(out);
    if (fs::is_directory(out))
        for (const auto &e : fs::recursive_directory_iterator(out))
            if (e.is_regular_file() && e.path().filename() != "run.json")
                all[fs::relative(e.path(), out)] = slurp(e.path());
    return all;
}

struct Counts {
    unsigned long allocations = 0, writes = 0, both = 0;
};

/* One command in a folder of its own, undisturbed and disturbed. */
class Subject
{
  public:
    explicit Subject(const Command &c) : m_command(c)
    {
        write_file(m_dir / "scenario.xml", "<scenario name=\"small\">\n"
                                           "  <topology type=\"single-switch\" hosts=\"4\"/>\n"
                                           "  <workload type=\"chakra\" path=\"tr/x\"/>\n"
                                           "</scenario>\n");
        write_file(m_dir / "t", "5 1 4\n4\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n"
                                "2 4 100Gbps 1us 0\n3 4 100Gbps 1us 0\n");
        write_file(m_dir / "f",
                   "3\n0 3 3 100 40000 2\n1 3 3 100 40000 2\n2 3 3 100 40000 2.0001\n");
        write_file(m_dir / "config.txt",
                   "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 3\nKMIN_MAP 1 100000000000 400\n"
                   "KMAX_MAP 1 100000000000 1600\nPMAX_MAP 1 100000000000 0.2\n");
        write_file(m_dir / "cdf", "0 0\n10000 100\n");
        const Said made =
            weft({"trace", "generate", "tr/x", "--set", "ranks=4", "--set", "pattern=data-parallel",
                  "--set", "layers=3", "--set", "iterations=1", "--set", "size=64KiB"},
                 m_dir / "");
        EXPECT_EQ(made.code, 0) << made.err;
        for (const std::string out : {"a", "b"})
            EXPECT_EQ(weft(small({"--set", "generate.size=" + std::to_string(out[0]) + "KB",
                                  "--out", out}),
                           m_dir / "")
                          .code,
                      0);
        const Said whole = run("", m_dir / "counts");
        EXPECT_EQ(whole.code, 0) << whole.err;
        std::istringstream(slurp(m_dir / "counts")) >> counts.allocations >> counts.writes >>
            counts.both;
        EXPECT_GT(counts.allocations, 5U);
        m_files = files(out());
    }

    std::string out() const
    {
        return m_dir / "o";
    }

    Said run(const std::string &fault, const std::string &counts_file = "")
    {
        fs::remove_all(out());
        const std::string said = m_dir / "said";
        setenv("LD_PRELOAD", WEFT_FAULTS_LIBRARY, 1);
        setenv("WEFT_FAULT", fault.c_str(), 1);
        if (!counts_file.empty())
            setenv("WEFT_FAULT_COUNTS", counts_file.c_str(), 1);
        const pid_t pid = start(m_command.args, m_dir / "", said);
        unsetenv("LD_PRELOAD");
        unsetenv("WEFT_FAULT");
        unsetenv("WEFT_FAULT_COUNTS");
        return wait_for(pid, said);
    }

    bool is_undisturbed() const
    {
        auto now = files(out());
        now.erase(".lock"); /* of a process that was killed */
        now.erase(".x.lock");
        return now == m_files;
    }

    /* Whether all but the mark that comes last is as in an undisturbed run. */
    bool has_all_tables() const
    {
        auto now = files(out()), whole = m_files;
        for (auto *m : {&now, &whole})
            for (const char *name : {"finished", ".lock"})
                m->erase(name);
        for (auto i = now.begin(); i != now.end();)
            i = i->first.find(".tmp") != std::string::npos ? now.erase(i) : std::next(i);
        return now == whole;
    }

    /* The command that repeats a fault, for a message. */
    std::string repeat(const std::string &fault) const
    {
        std::string text = "in a folder with the files of this test: LD_PRELOAD=" +
                           std::string(WEFT_FAULTS_LIBRARY) + " WEFT_FAULT=" + fault + " weft";
        for (const std::string &a : m_command.args)
            text += " '" + a + "'";
        return text;
    }

    Counts counts;

  private:
    const Command m_command;
    TempDir m_dir;
    std::map<std::string, std::string> m_files;
};

/* Commas outside of quotes. */
size_t commas(const std::string &row)
{
    size_t n = 0;
    bool quoted = false;
    for (char c : row) {
        quoted ^= c == '"';
        n += c == ',' && !quoted;
    }
    return n;
}

/* Every row is whole; the last line of a killed process's table may lack its end, and then does not
 * count. */
void check_table(const fs::path &file, bool killed)
{
    std::string text = slurp(file);
    if (!text.empty() && text.back() != '\n') {
        EXPECT_TRUE(killed) << file << " ends in half a row: " << text;
        text.erase(text.rfind('\n') + 1);
    }
    std::istringstream in(text);
    std::string header;
    std::getline(in, header);
    for (std::string row; std::getline(in, row);)
        EXPECT_EQ(commas(row), commas(header)) << file << ": " << row;
}

void check_run_json(const fs::path &file, const Subject &s)
{
    json_error_t why;
    json_t *j = json_load_file(file.c_str(), 0, &why);
    ASSERT_NE(j, nullptr) << file << ": " << why.text;
    const std::string outcome = json_string_value(json_object_get(j, "outcome"));
    const bool partial = json_is_true(json_object_get(j, "partial"));
    EXPECT_EQ(partial, outcome != "finished") << file;
    EXPECT_EQ(json_is_string(json_object_get(j, "reason")), partial && outcome != "running")
        << file;
    if (fs::exists(file.parent_path() / "finished")) {
        EXPECT_EQ(outcome, "finished") << file;
    } else if (file.parent_path() == s.out() && !partial &&
               json_array_size(json_object_get(j, "failed_rows")) == 0) {
        EXPECT_TRUE(s.has_all_tables()) << file << " says finished";
    }
    json_decref(j);
}

/* A packed table, by its text. */
void check_packed(const fs::path &file, bool killed)
{
    TempDir dir;
    bool whole = false;
    std::ofstream(dir / "table.csv") << unpacked(file, &whole);
    EXPECT_TRUE(whole) << file;
    check_table(dir / "table.csv", killed);
}

void check_files(const Subject &s, bool killed, bool may_leave_lock)
{
    if (!fs::is_directory(s.out()))
        return;
    for (const auto &e : fs::recursive_directory_iterator(s.out())) {
        const std::string name = e.path().filename();
        const std::string end = name.substr(name.rfind('.') + 1);
        if (end == "csv")
            check_table(e.path(), killed);
        else if (end == "zst")
            check_packed(e.path(), killed);
        else if (name == "run.json")
            check_run_json(e.path(), s);
        EXPECT_TRUE(killed || end != "tmp") << e.path();
        EXPECT_TRUE(may_leave_lock || end != "lock") << e.path();
    }
}

/* The places that are tried of @p n: all of the first, and some of the others. */
std::vector<unsigned long> places(unsigned long n)
{
    const char *wish = getenv("WEFT_FAULTS"), *seed = getenv("WEFT_FAULTS_SEED");
    const unsigned long first = 12;
    unsigned long others = wish ? strtoul(wish, nullptr, 10) : 12;
    if (wish && std::string(wish) == "all")
        others = n;
    std::vector<unsigned long> all(n);
    for (unsigned long i = 0; i < n; i++)
        all[i] = i + 1;
    if (n > first + others) {
        std::mt19937_64 rng(seed ? strtoul(seed, nullptr, 10) : 1);
        std::shuffle(all.begin() + first, all.end(), rng);
        all.resize(first + others);
        std::sort(all.begin(), all.end());
    }
    return all;
}

void PrintTo(const Command &c, std::ostream *os)
{
    *os << c.name;
}

class Faults : public testing::TestWithParam<Command>
{
  protected:
    void SetUp() override
    {
        if (GetParam().packet && !has_packet())
            GTEST_SKIP() << "the program has no packet backend";
        subject = std::make_unique<Subject>(GetParam());
    }

    /* Tries @p fault at each of the places; exit @p code and @p message, or as if nothing had been.
     */
    void loop(const std::string &fault, unsigned long n, int code, const char *message)
    {
        const bool killed = code >= 1000, signalled = code == 130;
        for (unsigned long at : places(n)) {
            const std::string at_place = fault + ":" + std::to_string(at);
            const Said s = subject->run(at_place);
            SCOPED_TRACE(subject->repeat(at_place) + "\n" + s.err);
            if (s.code == 0 && !killed) {
                EXPECT_TRUE(subject->is_undisturbed());
            } else if (killed && s.code == 5) { /* a row of a sweep, in a process of its own */
                EXPECT_CONTAINS(s.err, "its process was killed by SIGKILL");
            } else if (s.code != 0) {
                EXPECT_EQ(s.code, code);
                EXPECT_CONTAINS(s.err, message);
                if (code == 4 && GetParam().sums_up && fs::exists(subject->out() + "/ranks.csv")) {
                    EXPECT_TRUE(std::regex_search(
                        s.err, std::regex("what had happened until then is in o: flows\\.csv"
                                          "(\\.zst)? \\(")))
                        << s.err;
                }
            }
            check_files(*subject, killed, killed || signalled);
            if (HasFailure())
                return;
        }
    }

    std::unique_ptr<Subject> subject;
};

TEST_P(Faults, AnAllocationFails)
{
    loop("alloc", subject->counts.allocations, 5, "memory");
}

TEST_P(Faults, AllAllocationsFail)
{
    loop("starve", subject->counts.allocations, 5, "memory");
}

TEST_P(Faults, TheDiskIsFull)
{
    loop("full", subject->counts.writes, 4, "No space left on device");
}

TEST_P(Faults, TheDiskIsFullWithinAWrite)
{
    loop("short", subject->counts.writes, 4, "No space left on device");
}

TEST_P(Faults, Interrupted)
{
    loop("signal:2", subject->counts.both, 130, "interrupted by SIGINT");
}

TEST_P(Faults, Terminated)
{
    loop("signal:15", subject->counts.both, 130, "interrupted by SIGTERM");
}

TEST_P(Faults, KilledWithinAWrite)
{
    loop("cut", subject->counts.writes, 1000 + SIGKILL, "");
}

INSTANTIATE_TEST_SUITE_P(Of, Faults, testing::ValuesIn(commands()),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
