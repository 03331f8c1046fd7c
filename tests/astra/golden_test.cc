// SPDX-License-Identifier: GPL-2.0-only
// Values of ASTRA-sim's analytical backends, measured, from its own files to the last nanosecond.
#include "experiment.h"

namespace
{

struct Row {
    int npus;
    const char *backend, *topology;
    /* all-reduce, all-gather, reduce-scatter, all-to-all by ring, direct, halvingDoubling; 0: none
     */
    int64_t ns[4][3];
};

const char *const kKinds[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"};
const char *const kAlgorithms[] = {"ring", "direct", "halvingDoubling"};

class AstraSimGolden : public ::testing::TestWithParam<Row>
{
};

TEST_P(AstraSimGolden, OneDimension)
{
    const Row &r = GetParam();
    for (int k = 0; k < 4; k++) {
        Experiment x(yaml_of(r.topology, std::to_string(r.npus)), "");
        x.Generate(
            {"ranks=" + std::to_string(r.npus), "size=1MiB", std::string("kind=") + kKinds[k]});
        for (int a = 0; a < 3; a++) {
            if (!r.ns[k][a])
                continue;
            write_file(x.dir / "system", system_of(std::string("\"") + kAlgorithms[a] + "\""));
            const Said said = x.Run({std::string("--backend=") + r.backend});
            EXPECT_EQ(last_cycles(said), r.ns[k][a])
                << r.npus << " " << r.backend << " " << r.topology << " " << kKinds[k] << " "
                << kAlgorithms[a] << "\n"
                << said.err;
        }
    }
}

const char kAware[] = "congestion-aware", kUnaware[] = "congestion-unaware";

INSTANTIATE_TEST_SUITE_P(Measured, AstraSimGolden,
                         ::testing::Values(Row{4,
                                               kAware,
                                               "Switch",
                                               {{84280, 47640, 75256},
                                                {129328, 82192, 125296},
                                                {42880, 24080, 37888},
                                                {82840, 23600, 0}}},
                                           Row{8,
                                               kAware,
                                               "Switch",
                                               {{126600, 47400, 93336},
                                                {301712, 160304, 285584},
                                                {64160, 23840, 47048},
                                                {249800, 23600, 0}}},
                                           Row{8,
                                               kAware,
                                               "FullyConnected",
                                               {{64440, 9240, 47168},
                                                {151016, 21608, 142872},
                                                {33080, 4760, 23964},
                                                {125480, 4520, 0}}},
                                           Row{4,
                                               kAware,
                                               "Ring",
                                               {{43000, 37880, 51728},
                                                {64744, 62664, 84236},
                                                {22240, 19200, 26124},
                                                {41560, 18720, 0}}},
                                           Row{8,
                                               kAware,
                                               "Ring",
                                               {{64440, 57160, 87568},
                                                {151016, 199360, 248516},
                                                {33080, 28720, 44164},
                                                {125480, 28480, 0}}},
                                           Row{8,
                                               kUnaware,
                                               "Ring",
                                               {{64440, 21240, 63168},
                                                {151016, 27608, 150872},
                                                {33080, 10760, 31964},
                                                {125480, 10520, 0}}},
                                           Row{4,
                                               kUnaware,
                                               "Switch",
                                               {{55000, 18360, 45968},
                                                {70744, 23608, 66708},
                                                {28240, 9440, 23244},
                                                {53560, 8960, 0}}},
                                           Row{8,
                                               kUnaware,
                                               "Switch",
                                               {{92440, 13240, 59168},
                                                {165016, 23608, 148872},
                                                {47080, 6760, 29964},
                                                {181480, 6520, 0}}}));

/* Two independent collectives of an NPU run one after the other there, and here with its policies.
 */
TEST(AstraSimGoldens, IndependentCollectives)
{
    Experiment x(yaml_of("Ring", "8"), system_of("\"ring\""));
    x.Generate({"ranks=8", "size=1MiB", "count=2", "overlap=true"});
    EXPECT_EQ(last_cycles(x.Run()), 128880);
    EXPECT_EQ(last_cycles(x.Run({"--backend=congestion-unaware"})), 128880);
    EXPECT_EQ(
        last_cycles(x.Run({"--backend=congestion-unaware", "--set", "system.one-at-a-time=false",
                           "--set", "system.intra-dimension=concurrent"})),
        64440);
}

} // namespace
