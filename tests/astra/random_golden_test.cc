// SPDX-License-Identifier: GPL-2.0-only
// Random experiments, to the last nanosecond as ASTRA-sim's analytical backends play them.
#include "experiment.h"

namespace
{

struct Row {
    const char *backend, *topology, *sizes, *bandwidths, *latencies;
    int ranks;
    const char *kind, *algorithms;
    int64_t bytes;
    int splits, active, count, delay, memory;
    const char *optimization;
    int64_t ns;
};

const Row kRows[] = {
#include "random_golden.inc"
};

std::string system_file(const Row &r)
{
    std::string text = "{\"endpoint-delay\": " + std::to_string(r.delay) +
                       ", \"active-chunks-per-dimension\": " + std::to_string(r.active) +
                       ", \"preferred-dataset-splits\": " + std::to_string(r.splits) +
                       ", \"collective-optimization\": \"" + r.optimization +
                       "\", \"local-mem-bw\": " + std::to_string(r.memory);
    for (const char *kind : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"})
        text += std::string(", \"") + kind + "-implementation\": [" + r.algorithms + "]";
    return text + "}";
}

TEST(AstraSimGoldens, RandomExperiments)
{
    for (const Row &r : kRows) {
        Experiment x(yaml_of(r.topology, r.sizes, r.bandwidths, r.latencies), system_file(r));
        x.Generate({"ranks=" + std::to_string(r.ranks), "size=" + std::to_string(r.bytes) + "B",
                    std::string("kind=") + r.kind, "count=" + std::to_string(r.count)});
        const Said said = x.Run({std::string("--backend=congestion-") + r.backend});
        EXPECT_EQ(last_cycles(said), r.ns)
            << r.backend << " " << r.topology << " " << r.sizes << " " << r.kind << " "
            << r.algorithms << " " << r.bytes << "\n"
            << said.err;
    }
}

} // namespace
