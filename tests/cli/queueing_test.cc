// SPDX-License-Identifier: GPL-2.0-only
// CDF traffic against queueing theory, which knows nothing of packets: two hosts, each of which
// sends to the other.
//
// A link that sends one message after the other is an M/G/1 queue: a flow waits rho E[S^2] / (2
// E[S] (1 - rho)) on average (Pollaczek and Khinchine). A NIC that gives each queue pair a packet
// in turn shares its link: in an M/G/1 queue with processor sharing a flow takes 1 / (1 - rho)
// times as long as alone, whatever its size (Kleinrock, Queueing Systems II, 4.4).
#include "jobs.h"

#include <cmath>

namespace
{

// Runs Poisson traffic at a load and returns the rows of flows.csv.
std::vector<std::vector<std::string>> play(const TempDir &dir, const std::string &load,
                                           const std::string &backend, const std::string &ms)
{
    write_file(dir / "sizes.txt", "0 0\n2000 20\n10000 60\n50000 90\n200000 100\n");
    write_file(
        dir / "s.xml",
        "<scenario><topology type=\"leaf-spine\" leaves=\"1\" hosts-per-leaf=\"2\" spines=\"1\" "
        "host-rate=\"100Gbps\" uplink-rate=\"100Gbps\"/>" +
            backend +
            "<workload type=\"cdf\" sizes-file=\"sizes.txt\" pattern=\"permutation\" load=\"" +
            load + "\" duration=\"" + ms + "ms\"/></scenario>\n");
    const Said s = weft({"run", dir / "s.xml", "--out", dir / "o", "-q"});
    EXPECT_EQ(s.code, 0) << s.err;
    return cells(dir / "o/flows.csv");
}

enum { SIZE = 5, FCT = 7, IDEAL = 9 };

TEST(Queueing, OneAfterTheOtherIsPollaczekKhinchine)
{
    TempDir dir;
    for (const char *load : {"0.3", "0.6"}) {
        const auto rows =
            play(dir, load, "<network backend=\"ideal\"/><ideal contention=\"source\"/>", "400");
        ASSERT_EQ(rows[0][SIZE], "size_bytes");
        ASSERT_EQ(rows[0][IDEAL], "ideal_fct_ns");
        double wait = 0, first = 0, second = 0;
        const double n = (double)rows.size() - 1;
        for (size_t i = 1; i < rows.size(); i++) {
            const double service = std::stod(rows[i][SIZE]) * 8 / 100; /* ns at 100 Gbps */
            wait += (std::stod(rows[i][FCT]) - std::stod(rows[i][IDEAL])) / n;
            first += service / n;
            second += service * service / n;
        }
        const double rho = n / 2 / 400e6 * first;
        EXPECT_NEAR(rho, std::stod(load), 0.01 * std::stod(load) + 0.002);
        EXPECT_NEAR(wait / (rho / first * second / (2 * (1 - rho))), 1, 0.03) << load;
    }
}

TEST(Queueing, QueuePairsShareAsProcessorSharingDoes)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    for (const char *load : {"0.3", "0.5"}) {
        const auto rows = play(dir, load, "", "100");
        double wire_ns = 0, took = 0, ideal = 0, latency = 1e18;
        for (size_t i = 1; i < rows.size(); i++) {
            const double bytes = std::stod(rows[i][SIZE]);
            wire_ns += (bytes + (62 + 20) * std::ceil(bytes / 4096)) * 8 / 100;
            latency = std::min(latency, std::stod(rows[i][IDEAL]));
        }
        for (size_t i = 1; i < rows.size(); i++) {
            if (std::stod(rows[i][SIZE]) <
                100000) /* of small ones a packet's turn is too large a part */
                continue;
            took += std::stod(rows[i][FCT]) - latency;
            ideal += std::stod(rows[i][IDEAL]) - latency;
        }
        const double rho = wire_ns / 2 / 100e6;
        EXPECT_NEAR(took / ideal * (1 - rho), 1, 0.03) << load;
    }
}

} // namespace
