/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The network of LLMServingSim over weft: a program that is compiled with its ASTRA-sim
 * (CMakeLists.txt beside this file) and stands in the place of AnalyticalAstra. Options besides
 * those of ../astra_sim/main.cc:
 *   --memory-configuration FILE                    as for AnalyticalAstra
 *   --start-npu-ids 0,4 --end-npu-ids 3,7          first and last ranks of instances
 */
#include "pipe.hh"

#include "../astra_sim/arguments.hh"
#include "../astra_sim/weft_network.hh"

#include "astra-sim/common/Logging.hh"
#include "astra-sim/system/Sys.hh"
#include "astra-sim/workload/Workload.hh"
#include <helper/json/json.hpp>
#include <memory_backend/analytical/AnalyticalMemory.hh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace
{

using namespace WeftAdapters;

constexpr int64_t kIdlePs = 1000000000; /* 1 ms, as AnalyticalAstra */

using Memories = std::vector<std::unique_ptr<Analytical::AnalyticalMemory>>;

/* Each level of memory reads a file of its own. */
Memories memories(const std::string &file)
{
    Memories found;
    nlohmann::json all;
    std::ifstream(file) >> all;
    if (all.contains("memory-type")) {
        found.push_back(std::make_unique<Analytical::AnalyticalMemory>(file));
        return found;
    }
    const std::pair<const char *, const char *> levels[] = {
        {"local_mem", "LOCAL_MEMORY"}, {"remote_mem", "REMOTE_MEMORY"}, {"cxl_mem", "CXL_MEMORY"}};
    for (const auto &[key, location] : levels) {
        if (!all.contains(key))
            continue;
        nlohmann::json level = all[key];
        level["memory-location"] = location;
        char path[] = "/tmp/weft-memory-XXXXXX";
        const int fd = mkstemp(path);
        if (fd < 0)
            throw std::runtime_error("no temporary file in /tmp");
        close(fd);
        std::ofstream(path) << level.dump();
        found.push_back(std::make_unique<Analytical::AnalyticalMemory>(path));
        unlink(path);
    }
    return found;
}

std::vector<int> ranks_of(const std::string &text)
{
    std::vector<int> ranks;
    std::istringstream in(text);
    for (std::string r; std::getline(in, r, ',');)
        ranks.push_back(std::stoi(r));
    return ranks;
}

/* A rank that reports, and the ranks that get its workloads besides it. */
class Instance : public Server
{
  public:
    Instance(AstraSim::Sys *first, std::vector<AstraSim::Sys *> others)
        : m_first(first), m_others(std::move(others))
    {
    }
    bool Ended() const override
    {
        return m_first->workload->is_finished;
    }
    void Report() override
    {
        m_first->workload->report();
        AstraSim::LoggerFactory::get_logger("workload")->info("Waiting");
    }
    void Begin(const std::string &workload) override
    {
        m_first->workload->add_workload(workload, m_others);
    }

  private:
    AstraSim::Sys *m_first;
    std::vector<AstraSim::Sys *> m_others;
};

int run(const Arguments &o)
{
    Fabric fabric(AstraOptions(o["network-configuration"], o.settings, o["sent"]));
    const std::vector<int> dims = Dimensions(o, fabric.Hosts());
    const std::vector<int> queues(dims.size(), std::stoi(o["num-queues-per-dim"]));
    const int ranks = std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<int>());
    const Memories memory = memories(o["memory-configuration"]);
    std::vector<AstraSim::AstraMemoryAPI *> levels;
    for (const auto &m : memory)
        levels.push_back(m.get());
    std::vector<std::unique_ptr<NetworkApi>> networks;
    std::vector<AstraSim::Sys *> systems; /* the process ends with them */
    for (int r = 0; r < ranks; r++) {
        networks.push_back(std::make_unique<NetworkApi>(r, fabric));
        systems.push_back(
            new AstraSim::Sys(r, o["workload-configuration"], o["comm-group-configuration"],
                              o["system-configuration"], levels, networks.back().get(), dims,
                              queues, std::stod(o["injection-scale"]), std::stod(o["comm-scale"]),
                              o["rendezvous-protocol"] == "true"));
    }
    std::vector<int> starts = ranks_of(o["start-npu-ids"]);
    const std::vector<int> ends = ranks_of(o["end-npu-ids"]);
    std::vector<std::unique_ptr<Instance>> instances;
    for (int r : ends)
        instances.push_back(
            std::make_unique<Instance>(systems.at(r), std::vector<AstraSim::Sys *>()));
    starts.push_back(ranks);
    for (size_t i = 0; i + 1 < starts.size(); i++) {
        std::vector<AstraSim::Sys *> others;
        for (int r = starts[i] + 1; r < starts[i + 1]; r++)
            if (std::find(ends.begin(), ends.end(), r) == ends.end())
                others.push_back(systems.at(r));
        instances.push_back(std::make_unique<Instance>(systems.at(starts[i]), std::move(others)));
    }
    std::vector<Server *> servers;
    for (const auto &i : instances)
        servers.push_back(i.get());
    for (AstraSim::Sys *s : systems)
        s->workload->fire();
    const PipeEnd end = RunPipe(fabric, servers, std::cin, kIdlePs);
    const bool all =
        end == PipeEnd::Exit && std::all_of(systems.begin(), systems.end(),
                                            [](auto s) { return s->workload->is_finished; });
    const char *line = "---------------------------";
    std::cout << "Checking Non-Exited Systems ...\n"
              << line << '\n'
              << (all ? "All Request Has Been Exited\n" : "ERROR: Some Requests Remain\n") << line
              << std::endl;
    return all ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    int code = 2;
    try {
        const Arguments o = ParseArguments(
            argc, argv, {{"memory-configuration", ""}, {"start-npu-ids", ""}, {"end-npu-ids", ""}});
        AstraSim::LoggerFactory::init(o["logging-configuration"]);
        code = run(o);
        AstraSim::LoggerFactory::shutdown();
    } catch (const std::exception &e) {
        std::fprintf(stderr, "weft: error: %s\n", e.what());
    }
    return code;
}
