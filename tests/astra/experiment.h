// SPDX-License-Identifier: GPL-2.0-only
// An experiment of ASTRA-sim as files in a folder, and what `weft astra-sim` says of it.
#ifndef WEFT_TESTS_ASTRA_EXPERIMENT_H
#define WEFT_TESTS_ASTRA_EXPERIMENT_H

#include "tests/cli/program.h"

struct Experiment {
    TempDir dir;

    Experiment(const std::string &network, const std::string &system)
    {
        write_file(dir / "network", network);
        write_file(dir / "system", system);
        write_file(dir / "memory", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}");
    }
    /* A workload of collectives of one kind. */
    void Generate(const std::vector<std::string> &settings)
    {
        const Said said = weft(with_sets({"trace", "generate", "w"}, settings), dir / "");
        ASSERT_EQ(said.code, 0) << said.err;
    }
    Said Run(const std::vector<std::string> &more = {}) const
    {
        std::vector<std::string> args = {"astra-sim",
                                         "--no-out",
                                         "--workload-configuration=w",
                                         "--system-configuration=system",
                                         "--network-configuration=network",
                                         "--remote-memory-configuration=memory",
                                         "--comm-group-configuration=empty"};
        args.insert(args.end(), more.begin(), more.end());
        return weft(args, dir / "");
    }
};

/* The cycles of the last rank to end; -1: none ended. */
inline int64_t last_cycles(const Said &said)
{
    int64_t last = -1;
    std::istringstream in(said.out);
    for (std::string line; std::getline(in, line);) {
        unsigned rank;
        long long cycles;
        if (sscanf(line.c_str(), "sys[%u] finished, %lld cycles,", &rank, &cycles) == 2)
            last = std::max<int64_t>(last, cycles);
    }
    return last;
}

/* The system file of ASTRA-sim's examples with one algorithm for everything, a list per dimension.
 */
inline std::string system_of(const std::string &algorithms, const std::string &more = "",
                             int splits = 4, int active = 1)
{
    std::string text = "{\"scheduling-policy\": \"FIFO\", \"endpoint-delay\": 10, "
                       "\"active-chunks-per-dimension\": " +
                       std::to_string(active) +
                       ", \"preferred-dataset-splits\": " + std::to_string(splits) +
                       ", \"collective-optimization\": \"localBWAware\", \"local-mem-bw\": 1600";
    for (const char *kind : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"})
        text += std::string(", \"") + kind + "-implementation\": [" + algorithms + "]";
    return text + more + "}";
}

inline std::string yaml_of(const std::string &topology, const std::string &npus,
                           const std::string &bandwidth = "50", const std::string &latency = "500")
{
    return "topology: [ " + topology + " ]\nnpus_count: [ " + npus + " ]\nbandwidth: [ " +
           bandwidth + " ]  # GB/s\nlatency: [ " + latency + " ]  # ns\n";
}

#endif
