/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ATLAHS over weft: a program that is compiled with htsim's sources (CMakeLists.txt beside this
 * file).
 *   atlahs_weft GOAL.bin [SCENARIO] [KEY=VALUE ...] [over=delivered|acknowledged] [nics=N]
 * Rank r is host r; of several NICs a rank, NIC i of rank r is host r x nics + i.
 */
#include "weft_atlahs.hh"

#include "logsim-interface.h"

#include <cstdio>
#include <stdexcept>

static int run(int argc, char **argv)
{
    std::string scenario, over = "delivered";
    std::vector<std::string> settings;
    int nics = 1;
    for (int i = 2; i < argc; i++) {
        const std::string arg = argv[i];
        if (arg.compare(0, 5, "over=") == 0)
            over = arg.substr(5);
        else if (arg.compare(0, 5, "nics=") == 0)
            nics = std::stoi(arg.substr(5));
        else if (arg.find('=') != std::string::npos)
            settings.push_back(arg);
        else
            scenario = arg;
    }
    EventList &events = EventList::getTheEventList();
    WeftAtlahsApi api(events, scenario, settings, over);
    /* static: its constructor looks at members that it does not set, which are 0 so */
    static LogSimInterface lgs(nullptr, static_cast<TrafficLoggerSimple *>(nullptr), events,
                               nullptr, nullptr);
    api.setComputeEvent(new ComputeEvent(events));
    api.setNullEvent(new NullEvent(events));
    api.setLogSimInterface(&lgs);
    api.setNumberNic(nics);
    api.total_nodes = static_cast<int>(api.Hosts());
    lgs.htsim_api = &api;
    lgs.set_protocol(UEC_PROTOCOL); /* of those that LogSimInterface computes with */
    api.Setup();
    return start_lgs(argv[1], lgs);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "atlahs_weft GOAL.bin [SCENARIO] [KEY=VALUE ...]\n");
        return 2;
    }
    try {
        return run(argc, argv);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "weft: error: %s\n", e.what());
        return 2;
    }
}
