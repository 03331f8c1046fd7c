/* SPDX-License-Identifier: GPL-2.0-only */
/* An incast on a leaf-spine fabric: the whole script, with ns-3's headers and the module's only. */
#include "ns3/command-line.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/weft-module.h"

#include <iostream>

using namespace ns3;

static void Round(uint32_t round, Time duration)
{
    std::cout << "round " << round << " took " << duration.As(Time::US) << "\n";
}

int main(int argc, char *argv[])
{
    WeftFabricHelper::Setup();
    CommandLine cmd(__FILE__);
    cmd.Parse(argc, argv);

    WeftFabricHelper fabric;
    fabric.SetTopology("leaf-spine", "Leaves", UintegerValue(2), "HostsPerLeaf", UintegerValue(4));
    fabric.SetCongestionControl("dcqcn");
    fabric.Install();

    WeftIncastHelper incast(256 << 10);
    ApplicationContainer apps = incast.Install(fabric.GetHosts().Get(0));
    apps.Get(0)->TraceConnectWithoutContext("RoundComplete", MakeCallback(&Round));

    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
