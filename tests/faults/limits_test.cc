// SPDX-License-Identifier: GPL-2.0-only
// Each command under limits of address space (ulimit -v) from what it needs downwards: it works, or
// ends with exit code 5 and a message that says what there was no memory for. Here libraries and
// ns-3 run out of memory as well, which faults_test spares. gnuplot, which has the limit too, is
// not started.
#include "tests/cli/program.h"

#include <algorithm>

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
            EXPECT_EQ(s.code, 5) << "ulimit -v " << addresses / 1024 << "\n" << s.err;
            EXPECT_CONTAINS(s.err, "memory");
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
    testing::Values(Limited{"Run", {"run", "--out", "o"}},
                    Limited{"Ideal", {"run", "--set", "network.backend=ideal", "--out", "o"}},
                    Limited{"Tcp", {"run", "--set", "transport.type=tcp", "--out", "o"}},
                    Limited{"TcpConnections",
                            {"run", "--set", "transport.type=tcp", "--set", "tcp.connections=32",
                             "--out", "o"}},
                    Limited{"Capture", {"run", "--set", "capture.links=0", "--out", "o"}},
                    Limited{"Series", {"run", "--set", "sample.what=queue", "--out", "o"}},
                    Limited{"Compare", {"compare", "a", "b"}},
                    Limited{"Timeline", {"timeline", "a", "-o", "o.json"}},
                    Limited{"Import", {"import", "--dry-run", "a/run.json"}, 1},
                    Limited{"Doctor", {"doctor"}},
                    Limited{"Plot", {"plot", "a", "links", "--to", "csv", "-o", "o.csv"}},
                    Limited{"Check",
                            {"check", "--set", "topology.type=single-switch", "--set",
                             "workload.type=generate"}},
                    Limited{"Show", {"show", "topology", "fat-tree"}},
                    Limited{"Explain", {"explain", "ecn.kmin"}},
                    Limited{"Trace", {"trace", "generate", "o/x", "--set", "ranks=4"}},
                    Limited{"Sweep",
                            {"sweep", "--set", "topology.type=single-switch", "--set",
                             "workload.type=generate", "--vary", "generate.size=1KB|2KB"}},
                    Limited{"Topology", {"topology", "show", "dgx-h100-pod"}}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
