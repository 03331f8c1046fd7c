/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * An incast: all other hosts of a leaf-spine fabric send to host 0 at once.
 *
 *   weft-incast --cc=dcqcn --senders=15 --pfc=true
 */
#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/weft-fabric-helper.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    WeftFabricHelper::Setup();

    std::string cc = "dcqcn";
    uint32_t senders = 15;
    bool pfc = true;
    CommandLine cmd(__FILE__);
    cmd.AddValue("cc", "congestion control", cc);
    cmd.AddValue("senders", "number of senders, 1 to 15", senders);
    cmd.AddValue("pfc", "whether switches send PFC frames", pfc);
    cmd.Parse(argc, argv);

    WeftFabricHelper helper;
    helper.SetTopology("leaf-spine", "Leaves", UintegerValue(4), "HostsPerLeaf", UintegerValue(4));
    helper.SetCongestionControl(cc);
    helper.SetAttribute("PfcEnabled", BooleanValue(pfc));
    Ptr<WeftFabric> fabric = helper.Install();

    Time last;
    Callback<void, const weft_completion&> arrive(
        [&last](const weft_completion&) { last = Simulator::Now(); });
    fabric->TraceConnectWithoutContext("MessageComplete", arrive);
    for (uint32_t host = 1; host <= senders; host++)
    {
        helper.SendMessage(Seconds(0), host, 0, 1 << 20);
    }
    Simulator::Run();

    const WeftTotals t = fabric->GetTotals();
    std::cout << t.msgs_received << " of " << t.msgs_posted << " messages by " << last.As(Time::US)
              << "\n"
              << t.ecn_marks << " marks, " << t.pfc_pauses << " pauses, "
              << t.drops[WEFT_DROP_BUFFER] << " drops, " << t.retx_packets << " retransmitted\n";
    Simulator::Destroy();
    return t.msgs_received == senders ? 0 : 1;
}
