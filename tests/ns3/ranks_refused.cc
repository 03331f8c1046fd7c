// SPDX-License-Identifier: GPL-2.0-only
// A script of several ranks that wants what a fabric shared out to them does not have: its argument
// says what, and the program ends with the reason.
#include "ns3/mpi-interface.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/weft-fabric-helper.h"

#include <string>

using namespace ns3;

namespace
{

void OnDrop(Time, uint32_t, weft_drop_reason, const weft_engine_pkt_view &) {}

} // namespace

int main(int argc, char *argv[])
{
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "setup") // comes before what it is to follow
        WeftFabricHelper::Setup();
    MpiInterface::Enable(&argc, &argv);
    if (what != "setup")
        WeftFabricHelper::Setup();
    NodeContainer hosts, sw(1);
    for (uint32_t rank = 0; rank < 2; rank++)
        hosts.Create(2, what == "rank" ? 7 * rank : what == "hosts" ? 0 : rank);
    WeftFabricHelper helper;
    helper.AddHosts(hosts);
    helper.AddSwitches(sw);
    for (uint32_t i = 0; i < hosts.GetN(); i++)
        helper.AddLink(hosts.Get(i), sw.Get(0), DataRate("100Gbps"),
                       what == "delay" ? Time(0) : MicroSeconds(1));
    if (what == "threads")
        helper.SetAttribute("Threads", UintegerValue(2));
    Ptr<WeftFabric> fabric = helper.Install();
    if (what == "drops") {
        Callback<void, Time, uint32_t, weft_drop_reason, const weft_engine_pkt_view &> drop =
            MakeCallback(&OnDrop);
        fabric->TraceConnectWithoutContext("Drop", drop);
    }
    if (what == "link")
        Simulator::Schedule(MicroSeconds(1), [&] {
            weft_err err = {};
            if (fabric->TrySetLink(0, false, &err) != 0)
                NS_FATAL_ERROR("weft: " << err.msg);
        });
    if (what == "look")
        Simulator::Schedule(MicroSeconds(1), [&] { fabric->GetTotals(); });
    if (what == "post" || hosts.Get(0)->GetSystemId() == Simulator::GetSystemId())
        helper.SendMessage(MicroSeconds(1), 0, 3, 100000);
    Simulator::Run();
    Simulator::Destroy();
    MpiInterface::Disable();
    return 0;
}
