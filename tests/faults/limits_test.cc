// SPDX-License-Identifier: GPL-2.0-only
// Each command under limits of address space (ulimit -v) from what it needs downwards: it works, or
// ends with exit code 5 and a message that says what there was no memory for, the limit and what
// the process has. Here libraries and ns-3 run out of memory as well, which faults_test spares, and
// gnuplot, which has the limit, too.
#include "tests/cli/program.h"

#include <algorithm>
#include <regex>

namespace
{

using Args = std::vector<std::string>;

constexpr rlim_t MIB = 1 << 20;
constexpr int LIMITS = 10; /* tried below what a command needs */

struct Limited {
    const char *name;
    Args args;
    int code = 0; /* without a limit */
};

void PrintTo(const Limited &l, std::ostream *os)
{
    *os << l.name;
}

class Limits : public testing::TestWithParam<Limited>
{
  protected:
    void SetUp() override
    {
        if (!has_packet())
            GTEST_SKIP() << "the program has no packet backend";
        for (const std::string out : {"a", "b"}) {
            const Said s = weft(packets({"--set", "sample.what=queue", "--set",
                                         "sample.interval=2us", "--out", out}),
                                m_dir / "");
            ASSERT_EQ(s.code, 0) << s.err;
        }
        experiments();
    }

    /* Inputs of other tools. */
    void experiments()
    {
        write_file(m_dir / "t.txt", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
        write_file(m_dir / "f.txt", "1\n0 1 3 100 1000 2\n");
        write_file(m_dir / "c.txt",
                   "TOPOLOGY_FILE t.txt\nFLOW_FILE f.txt\nCC_MODE 1\nKMAX_MAP 1 100000000000 400\n"
                   "KMIN_MAP 1 100000000000 100\nPMAX_MAP 1 100000000000 0.2\nBUFFER_SIZE 32\n");
        write_file(m_dir / "net.yml", "topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 50 ]\n"
                                      "latency: [ 500 ]\n");
        write_file(m_dir / "sys.json", "{\"scheduling-policy\": \"LIFO\"}");
        write_file(m_dir / "m.cm", "Nodes 16\nConnections 1\n0->9 start 0 size 100000\n");
        write_file(m_dir / "layers", "MICRO\n1\nl -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 65536 1\n");
        write_file(m_dir / "topo", "3 1 0 1 2 A100\n2\n0 2 100Gbps 0.001ms 0\n"
                                   "1 2 100Gbps 0.001ms 0\n");
        ASSERT_EQ(weft({"trace", "generate", "ranks", "--set", "ranks=2"}, m_dir / "").code, 0);
    }

    static Args packets(const Args &more)
    {
        Args a = {"run",
                  "--set",
                  "topology.type=single-switch",
                  "--set",
                  "single-switch.hosts=4",
                  "--set",
                  "workload.type=generate",
                  "--set",
                  "generate.size=100KB"};
        a.insert(a.end(), more.begin(), more.end());
        return a;
    }

    /* Whether it works with so much; otherwise it says that memory is missing. */
    bool works(rlim_t addresses)
    {
        Args args = GetParam().args;
        if (args[0] == "run")
            args = packets(Args(args.begin() + 1, args.end()));
        const std::string files = m_dir / "said";
        const Said s = wait_for(start(args, m_dir / "", files, addresses), files);
        if (s.code != GetParam().code) {
            const std::string limit = "ulimit -v " + std::to_string(addresses / 1024);
            const std::regex what("out of memory for [^;]+; " + limit +
                                  " allows [0-9.]+ MB; this process has [0-9.]+ MB");
            EXPECT_EQ(s.code, 5) << limit << "\n" << s.err;
            EXPECT_TRUE(std::regex_search(s.err, what)) << limit << "\n" << s.err;
        }
        return s.code == GetParam().code;
    }

    TempDir m_dir;
};

TEST_P(Limits, OfMemoryAreReported)
{
    rlim_t enough = 65536 * MIB, less = 24 * MIB; /* the program alone takes 16 MiB */
    ASSERT_TRUE(works(enough));
    while (enough - less > MIB / 4 && !HasFailure()) {
        const rlim_t middle = (enough + less) / 2;
        (works(middle) ? enough : less) = middle;
    }
    for (int i = 1; i <= LIMITS && !HasFailure(); i++)
        works(std::max(24 * MIB, enough - static_cast<rlim_t>(i) * 700 * 1024));
}

INSTANTIATE_TEST_SUITE_P(
    Of, Limits,
    testing::Values(
        Limited{"Run", {"run", "--out", "o"}},
        Limited{"Ideal", {"run", "--set", "network.backend=ideal", "--out", "o"}},
        Limited{"Tcp", {"run", "--set", "transport.type=tcp", "--out", "o"}},
        Limited{
            "TcpConnections",
            {"run", "--set", "transport.type=tcp", "--set", "tcp.connections=32", "--out", "o"}},
        Limited{"Capture", {"run", "--set", "capture.links=0", "--out", "o"}},
        Limited{"Series", {"run", "--set", "sample.what=queue", "--out", "o"}},
        Limited{"Compare", {"compare", "a", "b"}},
        Limited{"Report", {"report", "a", "-o", "o.html"}},
        Limited{"Hpcc", {"hpcc", "c.txt", "--out", "o"}},
        Limited{"AstraSim",
                {"astra-sim", "--workload-configuration=ranks", "--system-configuration=sys.json",
                 "--network-configuration=net.yml", "--out", "o"}},
        Limited{"Simai", {"simai", "-w", "layers", "-n", "topo", "--out", "o"}},
        Limited{"Htsim", {"htsim", "-tm", "m.cm", "-nodes", "16", "--out", "o"}},
        Limited{"Traffic",
                {"traffic", "--cdf", "websearch", "--load", "0.5", "--hosts", "32", "--rate",
                 "100Gbps", "--duration", "1ms", "-o", "o.txt"}},
        Limited{"Bench",
                {"bench", "permutation-k8", "--quick", "--controls", "none", "--in-process"}},
        Limited{"BenchByProcesses", {"bench", "permutation-k8", "--quick", "--controls", "none"}},
        Limited{"List", {"list", "topologies"}}, Limited{"ListScenarios", {"list", "scenarios"}},
        Limited{"Timeline", {"timeline", "a", "-o", "o.json"}},
        Limited{"Import", {"import", "--dry-run", "a/run.json"}, 1}, Limited{"Doctor", {"doctor"}},
        Limited{"Plot", {"plot", "a", "links", "--to", "csv", "-o", "o.csv"}},
        Limited{
            "Check",
            {"check", "--set", "topology.type=single-switch", "--set", "workload.type=generate"}},
        Limited{"Show", {"show", "topology", "fat-tree"}},
        Limited{"Explain", {"explain", "ecn.kmin"}},
        Limited{"Trace", {"trace", "generate", "o/x", "--set", "ranks=4"}},
        Limited{"Sweep",
                {"sweep", "--set", "topology.type=single-switch", "--set", "workload.type=generate",
                 "--vary", "generate.size=1KB|2KB"}},
        Limited{"Topology", {"topology", "show", "dgx-h100-pod"}}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
