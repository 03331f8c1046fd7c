/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * One incast over switch buffers of growing size, with and without PFC: what is dropped, sent again
 * and paused, and how long a round takes. One line of CSV per run.
 *
 *   weft-buffer-sweep --cc=dcqcn --bytes=262144
 */
#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/weft-application-helper.h"
#include "ns3/weft-fabric-helper.h"

#include <iostream>

using namespace ns3;

namespace
{

int64_t g_roundPs; //!< Duration of the last round.

void
RoundComplete(uint32_t, Time duration)
{
    g_roundPs = duration.GetPicoSeconds();
}

/**
 * Simulates one incast of 16 hosts and prints its line.
 * @param cc congestion control
 * @param bytes of each sender
 * @param buffer of the switch: bytes
 * @param pfc whether the switch sends PFC frames
 * @return packets dropped
 */
uint64_t
Run(const std::string& cc, uint64_t bytes, uint64_t buffer, bool pfc)
{
    WeftFabricHelper helper;
    helper.SetTopology("single-switch", "Hosts", UintegerValue(17));
    helper.SetCongestionControl(cc);
    helper.SetAttribute("SwitchBuffer", UintegerValue(buffer));
    helper.SetAttribute("PfcEnabled", BooleanValue(pfc));
    Ptr<WeftFabric> fabric = helper.Install();
    WeftIncastHelper incast(bytes);
    ApplicationContainer apps = incast.Install(helper.GetHosts().Get(0));
    apps.Get(0)->TraceConnectWithoutContext("RoundComplete", MakeCallback(&RoundComplete));
    g_roundPs = 0;
    Simulator::Run();
    const WeftTotals t = fabric->GetTotals();
    std::cout << buffer << "," << (pfc ? "on" : "off") << "," << t.drops[WEFT_DROP_BUFFER] << ","
              << t.retx_packets << "," << t.pfc_pauses << "," << t.ecn_marks << ","
              << g_roundPs / 1e6 << "\n";
    Simulator::Destroy();
    return t.drops[WEFT_DROP_BUFFER];
}

} // namespace

int
main(int argc, char* argv[])
{
    WeftFabricHelper::Setup();
    std::string cc = "dcqcn";
    uint64_t bytes = 256 << 10;
    CommandLine cmd(__FILE__);
    cmd.AddValue("cc", "congestion control", cc);
    cmd.AddValue("bytes", "what each of 16 senders sends", bytes);
    cmd.Parse(argc, argv);

    std::cout << "buffer_bytes,pfc,drops,retransmitted,pauses,marks,round_us\n";
    uint64_t lossless = 0;
    for (uint64_t mib = 4; mib <= 32; mib *= 2)
    {
        Run(cc, bytes, mib << 20, false);
        lossless += Run(cc, bytes, mib << 20, true);
    }
    return lossless == 0 ? 0 : 1; // with PFC nothing is dropped
}
