/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * How PFC carries congestion to those who did not cause it. Hosts of three leaves send to host
 * 0; a victim's message from the last leaf to host 1 shares links with them, and nothing of its own
 * path is full.
 *
 *   weft-pfc-storm --cc=none --pfc=true --buffer=4194304
 *
 * In the small default buffer, pauses start before any queue is long enough for an ECN mark: dcqcn
 * changes nothing.
 */
#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/weft-application-helper.h"
#include "ns3/weft-application.h"
#include "ns3/weft-fabric-helper.h"
#include "ns3/weft-net-device.h"

#include <iostream>
#include <map>

using namespace ns3;

namespace
{

/** Pauses by the device that had to stop. */
std::map<std::string, uint64_t> g_pauses;

void
Pause(std::string path, Time, uint32_t)
{
    g_pauses[path.substr(0, path.find("/$"))]++;
}

void
Arrive(const weft_completion& m)
{
    std::cout << "victim: " << m.msg.bytes << " bytes in " << (m.received_ps - m.post_ps) / 1000000
              << " us, alone " << m.ideal_ps / 1000000 << " us\n";
}

} // namespace

int
main(int argc, char* argv[])
{
    WeftFabricHelper::Setup();
    std::string cc = "none";
    bool pfc = true;
    uint64_t buffer = 4 << 20;
    CommandLine cmd(__FILE__);
    cmd.AddValue("cc", "congestion control", cc);
    cmd.AddValue("pfc", "whether switches send PFC frames", pfc);
    cmd.AddValue("buffer", "of each switch, bytes", buffer);
    cmd.Parse(argc, argv);

    WeftFabricHelper helper;
    helper.SetTopology("leaf-spine", "Leaves", UintegerValue(4), "HostsPerLeaf", UintegerValue(4));
    helper.SetCongestionControl(cc);
    helper.SetAttribute("PfcEnabled", BooleanValue(pfc));
    helper.SetAttribute("SwitchBuffer", UintegerValue(buffer));
    helper.Install();
    NodeContainer hosts = helper.GetHosts();

    NodeContainer culprits;
    for (uint32_t h = 4; h < 15; h++)
    {
        culprits.Add(hosts.Get(h));
    }
    WeftMessageSenderHelper storm(hosts.Get(0), 2 << 20);
    storm.Install(culprits);
    WeftMessageSenderHelper victim(hosts.Get(1), 2 << 20);
    ApplicationContainer apps = victim.Install(hosts.Get(15));
    apps.Start(MicroSeconds(20));
    apps.Get(0)->TraceConnectWithoutContext("MessageReceived", MakeCallback(&Arrive));
    Config::Connect("/NodeList/*/DeviceList/*/$ns3::WeftNetDevice/PfcPause", MakeCallback(&Pause));
    Simulator::Run();

    uint64_t sum = 0;
    for (const auto& p : g_pauses)
    {
        sum += p.second;
    }
    std::cout << sum << " pauses of " << g_pauses.size() << " devices\n";
    const bool arrived = DynamicCast<WeftApplication>(apps.Get(0))->GetReceived() == 1;
    Simulator::Destroy();
    return arrived && (sum > 0) == pfc ? 0 : 1;
}
