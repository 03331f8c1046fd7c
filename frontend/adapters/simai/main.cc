/* SPDX-License-Identifier: MIT */
/*
 * SimAI over weft: a program that is compiled with SimAI's sources (CMakeLists.txt beside this
 * file) and starts `weft serve`.
 *   SimAI_weft -w WORKLOAD [-n SCENARIO] [-g GPUS_PER_SERVER] [-t GPU_TYPE] [-s sent|delivered|
 *              acknowledged] [KEY=VALUE ...]
 * Ranks are the hosts of the network; NVSwitches are no ranks.
 */
#include "weft_network.hh"

#include "astra-sim/system/Sys.hh"

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <unistd.h>

namespace
{

GPUType gpu_type(const std::string &name)
{
    const std::pair<const char *, GPUType> known[] = {{"A100", GPUType::A100},
                                                      {"A800", GPUType::A800},
                                                      {"H100", GPUType::H100},
                                                      {"H800", GPUType::H800}};
    for (const auto &k : known)
        if (name == k.first)
            return k.second;
    throw std::runtime_error("-t " + name + ": known are A100, A800, H100 and H800");
}

int run(int argc, char **argv)
{
    std::string workload, scenario, sent = "sent", type = "A100";
    int per_server = 8;
    for (int option; (option = getopt(argc, argv, "w:n:g:t:s:")) != -1;) {
        if (option == 'w')
            workload = optarg;
        else if (option == 'n')
            scenario = optarg;
        else if (option == 'g')
            per_server = std::stoi(optarg);
        else if (option == 't')
            type = optarg;
        else if (option == 's')
            sent = optarg;
        else
            return 2;
    }
    WeftAdapters::SimAiFabric fabric(scenario, std::vector<std::string>(argv + optind, argv + argc),
                                     sent);
    const int gpus = static_cast<int>(fabric.fabric.Hosts());
    std::vector<int> switches; /* an NVSwitch a server: SimAI's groups name them */
    for (int first = 0; first < gpus; first += per_server)
        switches.push_back(gpus + first / per_server);
    std::vector<std::unique_ptr<WeftAdapters::SimAiNetwork>> networks;
    std::vector<AstraSim::Sys *> systems; /* SimAI's systems end themselves */
    for (int r = 0; r < gpus; r++) {
        networks.emplace_back(new WeftAdapters::SimAiNetwork(r, fabric));
        systems.push_back(new AstraSim::Sys(networks.back().get(), nullptr, r, 0, 1, {gpus}, {1},
                                            "", workload, 1, 1, 1, 1, 0, "./weft_", "weft", true,
                                            false, gpu_type(type), {gpus}, switches, per_server));
        systems.back()->nvswitch_id = gpus + r / per_server;
        systems.back()->num_gpus = gpus;
    }
    for (AstraSim::Sys *s : systems)
        s->workload->fire();
    const std::vector<std::string> open = fabric.fabric.Run();
    for (const std::string &sentence : open)
        std::fprintf(stderr, "weft: %s\n", sentence.c_str());
    std::printf("SimAI over weft ends at %lld ns\n",
                static_cast<long long>(fabric.fabric.NowPs() / 1000));
    return open.empty() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        return run(argc, argv);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "weft: error: %s\n", e.what());
        return 2;
    }
}
