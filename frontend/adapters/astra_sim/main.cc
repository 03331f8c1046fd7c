/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ASTRA-sim over weft: a program that is compiled with ASTRA-sim's sources (CMakeLists.txt beside
 * this file). Its arguments are those of ASTRA-sim's other backends, with
 *   --network-configuration FILE    a scenario of weft
 *   --weft-set KEY=VALUE            a setting of it; repeatable
 *   --logical-dims 4x4              dimensions of the ranks; default: one
 *   --sent acknowledged|delivered   when senders are told
 */
#include "weft_network.hh"

#include "astra-sim/common/Logging.hh"
#include "astra-sim/system/Sys.hh"
#include "astra-sim/workload/Workload.hh"
#include <remote_memory_backend/analytical/AnalyticalRemoteMemory.hh>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace
{

using namespace WeftAdapters;

struct Arguments {
    std::map<std::string, std::string> text = {{"workload-configuration", ""},
                                               {"system-configuration", ""},
                                               {"network-configuration", ""},
                                               {"remote-memory-configuration", ""},
                                               {"comm-group-configuration", "empty"},
                                               {"logging-configuration", "empty"},
                                               {"logging-folder", "log"},
                                               {"num-queues-per-dim", "1"},
                                               {"comm-scale", "1"},
                                               {"injection-scale", "1"},
                                               {"rendezvous-protocol", "false"},
                                               {"logical-dims", ""},
                                               {"sent", "acknowledged"}};
    std::vector<std::string> settings;
};

/* --NAME VALUE or --NAME=VALUE. */
Arguments parsed(int argc, char **argv)
{
    Arguments o;
    for (int i = 1; i < argc; i++) {
        std::string name = argv[i];
        if (name.compare(0, 2, "--") != 0)
            throw std::runtime_error("unknown argument '" + name + "'");
        name.erase(0, 2);
        const size_t equals = name.find('=');
        std::string value;
        if (equals != std::string::npos) {
            value = name.substr(equals + 1);
            name.erase(equals);
        } else if (i + 1 < argc) {
            value = argv[++i];
        }
        if (name == "weft-set")
            o.settings.push_back(value);
        else if (o.text.count(name))
            o.text[name] = value;
        else
            throw std::runtime_error("unknown option --" + name);
    }
    return o;
}

std::vector<int> dimensions(const std::string &text, uint32_t hosts)
{
    std::vector<int> dims;
    std::istringstream in(text);
    for (std::string d; std::getline(in, d, 'x');)
        dims.push_back(std::stoi(d));
    long n = 1;
    for (int d : dims)
        n *= d;
    if (dims.empty())
        return {static_cast<int>(hosts)};
    if (n != static_cast<long>(hosts))
        throw std::runtime_error("--logical-dims " + text + ": the network has " +
                                 std::to_string(hosts) + " hosts");
    return dims;
}

int run(const Arguments &o)
{
    const auto text = [&](const char *name) { return o.text.at(name); };
    Fabric fabric(AstraOptions(text("network-configuration"), o.settings, text("sent")));
    const std::vector<int> dims = dimensions(text("logical-dims"), fabric.Hosts());
    const std::vector<int> queues(dims.size(), std::stoi(text("num-queues-per-dim")));
    Analytical::AnalyticalRemoteMemory memory(text("remote-memory-configuration"));
    std::vector<std::unique_ptr<NetworkApi>> networks;
    std::vector<std::unique_ptr<AstraSim::Sys>> systems;
    for (uint32_t r = 0; r < fabric.Hosts(); r++) {
        networks.push_back(std::make_unique<NetworkApi>(static_cast<int>(r), fabric));
        systems.push_back(std::make_unique<AstraSim::Sys>(
            static_cast<int>(r), text("workload-configuration"), text("comm-group-configuration"),
            text("system-configuration"), &memory, networks.back().get(), dims, queues,
            std::stod(text("injection-scale")), std::stod(text("comm-scale")),
            text("rendezvous-protocol") == "true"));
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
        const Arguments o = parsed(argc, argv);
        AstraSim::LoggerFactory::init(o.text.at("logging-configuration"),
                                      o.text.at("logging-folder"));
        code = run(o);
        AstraSim::LoggerFactory::shutdown();
    } catch (const std::exception &e) {
        std::fprintf(stderr, "weft: error: %s\n", e.what());
    }
    return code;
}
