/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * The smallest fabric: two hosts, a switch, one message.
 *
 *   weft-first --bytes=1000000
 */
#include "ns3/command-line.h"
#include "ns3/simulator.h"
#include "ns3/weft-fabric-helper.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    WeftFabricHelper::Setup(); // picoseconds, and the simulator that knows the engine

    uint64_t bytes = 1 << 20;
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "size of the message", bytes);
    cmd.Parse(argc, argv);

    NodeContainer hosts(2);
    NodeContainer sw(1);
    WeftFabricHelper helper;
    helper.AddHosts(hosts);
    helper.AddSwitches(sw);
    helper.AddLink(hosts.Get(0), sw.Get(0), DataRate("400Gbps"), MicroSeconds(1));
    helper.AddLink(hosts.Get(1), sw.Get(0), DataRate("400Gbps"), MicroSeconds(1));
    helper.SetCongestionControl("none");
    Ptr<WeftFabric> fabric = helper.Install();

    Callback<void, const weft_completion&> print([](const weft_completion& done) {
        std::cout << done.msg.bytes << " bytes received after " << Simulator::Now().As(Time::US)
                  << "\n";
    });
    fabric->TraceConnectWithoutContext("MessageComplete", print);
    helper.SendMessage(Seconds(0), 0, 1, bytes);

    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
