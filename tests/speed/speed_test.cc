// SPDX-License-Identifier: GPL-2.0-only
// A guard of speed without a clock: instructions per packet-hop (valgrind) and bytes of state of
// quick benchmark cases may not rise by more than 2 % over recorded.csv. A commit that means to
// make them rise records the new figures and says why; the failing test prints the rows. What fell
// by more than 2 % is to be recorded too, or the next rise would hide in it.
//
// The figures are those of a Release build by GCC 12; another compiler's code is not compared.
#include "tests/cli/program.h"

#include <cmath>
#include <map>

namespace
{

constexpr double tolerance = 0.02;

struct Figure {
    std::string control, name;
    double value;
};

/* Rows of recorded.csv by case and control: one run gives all figures of both. */
std::map<std::pair<std::string, std::string>, std::vector<Figure>> recorded()
{
    std::map<std::pair<std::string, std::string>, std::vector<Figure>> runs;
    const auto rows = cells(source_dir() + "/tests/speed/recorded.csv");
    for (size_t i = 1; i < rows.size(); i++)
        runs[{rows[i].at(0), rows[i].at(1)}].push_back(
            {rows[i][1], rows[i].at(2), std::stod(rows[i].at(3))});
    return runs;
}

const char *not_comparable()
{
#if defined(__SANITIZE_ADDRESS__)
    return "sanitizers add instructions";
#elif !defined(__GNUC__) || defined(__clang__) || __GNUC__ != 12 || !defined(__x86_64__)
    return "the figures were recorded with GCC 12 on x86-64";
#else
    if (std::string(WEFT_BUILD_TYPE) != "Release" || WEFT_TUNED)
        return "the figures are those of a plain Release build";
    if (system("valgrind --version > /dev/null 2>&1") != 0)
        return "needs valgrind";
    return nullptr;
#endif
}

TEST(Speed, InstructionsAndStateAreWhatIsRecorded)
{
    if (const char *why = not_comparable())
        GTEST_SKIP() << why;
    const auto runs = recorded();
    ASSERT_GE(runs.size(), 4u);
    for (const auto &[run, figures] : runs) {
        const auto &[name, control] = run;
        Said s = weft({"bench", name, "--quick", "--callgrind", "--json", "--controls", control});
        ASSERT_EQ(s.code, 0) << name << "\n" << s.err;
        for (const Figure &f : figures) {
            const double is = json_number(s.out, f.name);
            ASSERT_FALSE(std::isnan(is)) << f.name << " in " << s.out;
            EXPECT_LE(std::fabs(is - f.value), tolerance * f.value)
                << (is > f.value ? "it rose" : "it fell: record it") << "; row: " << name << ","
                << control << "," << f.name << "," << std::llround(is);
        }
    }
}

/* Instructions of `weft run` with settings, in the folder @p dir. */
double Instructions(const TempDir &dir, const std::string &settings)
{
    const std::string counts = dir / "counts";
    const std::string command = "valgrind --tool=callgrind --callgrind-out-file=" + counts + " " +
                                env_or_die("WEFT_BINARY_DIR") + "/frontend/cli/weft run -q --out " +
                                (dir / "run") + " " + settings + " > /dev/null 2>&1";
    EXPECT_EQ(system(command.c_str()), 0) << command;
    const std::string text = slurp(counts), key = "\nsummary: ";
    const size_t at = text.find(key);
    return at == std::string::npos ? NAN : std::stod(text.substr(at + key.size()));
}

/* The same of so many flows of 2 kB to one host, each on a TCP connection of its own. */
double TcpInstructions(const TempDir &dir, int flows)
{
    std::string list = "from,to,size_bytes,start_ns\n";
    for (int i = 0; i < flows; i++)
        list += std::to_string(1 + i % 15) + ",0,2000,0\n";
    write_file(dir / "flows.csv", list);
    return Instructions(dir,
                        "--set topology.type=single-switch --set single-switch.hosts=16 "
                        "--set workload.type=flows --set transport.type=tcp --set flows.file=" +
                            (dir / "flows.csv"));
}

/* A flow costs the same however many connections there are. ns-3's own lookup by port would make
 * the second 200 a third dearer, and a new socket for each end would make them 2.6 million each. */
TEST(Speed, InstructionsOfTcpConnectionsAreLinear)
{
    const char *why = not_comparable();
    if (why || !has_ns3())
        GTEST_SKIP() << (why ? why : "needs ns-3");
    TempDir dir;
    const double first = TcpInstructions(dir, 100), second = TcpInstructions(dir, 300),
                 third = TcpInstructions(dir, 500);
    EXPECT_NEAR(third - second, second - first, 0.03 * (second - first));
    EXPECT_LT((third - second) / 200, 1.2e6);
}

/* A message on a queue pair of its own costs the same however many its pair of hosts has had. */
TEST(Speed, InstructionsOfQueuePairsAreLinear)
{
    if (const char *why = not_comparable())
        GTEST_SKIP() << why;
    TempDir dir;
    double of[3];
    for (int ms = 1; ms <= 3; ms++)
        of[ms - 1] = Instructions(
            dir, "--set topology.type=single-switch --set single-switch.hosts=17 --set "
                 "workload.type=incast --set incast.size=64B --set incast.period=1us --set "
                 "incast.receiver=first --set congestion-control.name=none --set run.threads=1 "
                 "--set incast.duration=" +
                     std::to_string(ms) + "ms");
    EXPECT_LT(of[2] - of[1], 1.1 * (of[1] - of[0]));
}

/* A tolerance costs at most 5 % where nothing recurs: flows of WebSearch, alone and beside a ring
 * with samples. */
TEST(Speed, ToleranceCostsLittleWhereNothingRecurs)
{
    if (const char *why = not_comparable())
        GTEST_SKIP() << why;
    TempDir dir;
    const std::string web =
        "--set topology.type=fat-tree --set fat-tree.k=4 --set cdf.load=0.5 "
        "--set cdf.duration=500us --set congestion-control.name=hpcc --set run.threads=1 ";
    for (const std::string &with :
         {"--set workload.type=cdf " + web,
          "--set workload.type=cdf,generate --set generate.size=2MiB --set system.all-reduce=ring "
          "--set sample.what=queue,throughput " +
              web}) {
        const double off = Instructions(dir, with + "--set run.replay=off");
        for (const char *drawn : {"false", "true"}) {
            const double on =
                Instructions(dir, with + "--set run.replay=1% --set run.replay-resample=" + drawn);
            EXPECT_LT(on, 1.05 * off) << with << drawn;
        }
    }
}

} // namespace
