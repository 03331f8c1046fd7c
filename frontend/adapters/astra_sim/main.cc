/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ASTRA-sim over weft: a program that is compiled with ASTRA-sim's sources (CMakeLists.txt beside
 * this file). Its arguments are those of ASTRA-sim's other backends, with
 *   --network-configuration FILE    a scenario of weft, or a network file of ASTRA-sim
 *   --weft-set KEY=VALUE            a setting of it; repeatable
 *   --logical-dims 4x4              dimensions of the ranks; default: the network file's, or one
 *   --sent acknowledged|delivered   when senders are told
 */
#include "arguments.hh"
#include "weft_network.hh"

#include "astra-sim/common/Logging.hh"
#include "astra-sim/system/Sys.hh"
#include "astra-sim/workload/Workload.hh"
#include <remote_memory_backend/analytical/AnalyticalRemoteMemory.hh>

#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>

namespace
{

using namespace WeftAdapters;

int run(const Arguments &o)
{
    Fabric fabric(AstraOptions(o["network-configuration"], o.settings, o["sent"]));
    const std::vector<int> dims = Dimensions(o, fabric.Hosts());
    const std::vector<int> queues(dims.size(), std::stoi(o["num-queues-per-dim"]));
    const int ranks = std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<int>());
    Analytical::AnalyticalRemoteMemory memory(o["remote-memory-configuration"]);
    std::vector<std::unique_ptr<NetworkApi>> networks;
    std::vector<std::unique_ptr<AstraSim::Sys>> systems;
    for (int r = 0; r < ranks; r++) {
        networks.push_back(std::make_unique<NetworkApi>(r, fabric));
        systems.push_back(std::make_unique<AstraSim::Sys>(
            r, o["workload-configuration"], o["comm-group-configuration"],
            o["system-configuration"], &memory, networks.back().get(), dims, queues,
            std::stod(o["injection-scale"]), std::stod(o["comm-scale"]),
            o["rendezvous-protocol"] == "true"));
    }
    for (const auto &s : systems)
        s->workload->fire();
    const std::vector<std::string> open = fabric.Run();
    for (const std::string &sentence : open)
        std::fprintf(stderr, "weft: %s\n", sentence.c_str());
    return open.empty() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    int code = 2;
    try {
        const Arguments o = ParseArguments(argc, argv, {{"remote-memory-configuration", ""}});
        AstraSim::LoggerFactory::init(o["logging-configuration"], o["logging-folder"]);
        code = run(o);
        AstraSim::LoggerFactory::shutdown();
    } catch (const std::exception &e) {
        std::fprintf(stderr, "weft: error: %s\n", e.what());
    }
    return code;
}
