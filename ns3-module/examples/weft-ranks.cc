/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * One fabric by several ranks: where ns-3 is built with MPI,
 *
 *   mpirun -n 2 weft-ranks
 *
 * prints what one process prints, apart from the order of lines. Every rank makes the whole fabric;
 * applications and events are those of its own hosts.
 */
#include "ns3/command-line.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/weft-fabric-helper.h"
#include "ns3/weft-message-sender.h"
#ifdef NS3_MPI
#include "ns3/mpi-interface.h"
#endif

#include <iostream>
#include <sstream>

using namespace ns3;

namespace
{

const uint32_t LEAVES = 4;
const uint32_t HOSTS = 4; // of a leaf

/**
 * @return how many processes run this script together
 */
uint32_t
Ranks()
{
#ifdef NS3_MPI
    return MpiInterface::GetSize();
#else
    return 1;
#endif
}

/** What hosts do: each sends at a time of its own, and by an application; long messages are
 * answered. */
class Traffic
{
  public:
    /**
     * @param fabric the fabric
     * @param hosts its hosts
     */
    Traffic(Ptr<WeftFabric> fabric, const NodeContainer& hosts)
        : m_fabric(fabric),
          m_hosts(hosts)
    {
        Callback<void, const weft_completion&> complete = MakeCallback(&Traffic::Complete, this);
        fabric->TraceConnectWithoutContext("MessageComplete", complete);
        for (uint32_t host = 0; host < hosts.GetN(); host++)
        {
            if (hosts.Get(host)->GetSystemId() == Simulator::GetSystemId())
            {
                Install(host);
            }
        }
    }

  private:
    /**
     * @param host a host of this rank
     */
    void Install(uint32_t host)
    {
        const uint32_t far = (host + HOSTS + 1) % m_hosts.GetN();
        Simulator::Schedule(MicroSeconds(host), &Traffic::Send, this, host, far, 300000);
        Ptr<WeftMessageSender> app = CreateObject<WeftMessageSender>();
        app->SetAttribute("RemoteHost", UintegerValue((host + 7) % m_hosts.GetN()));
        app->SetAttribute("Bytes", UintegerValue(20000 + 100 * host));
        app->SetAttribute("Count", UintegerValue(20)); // each when the last one is acknowledged
        app->SetStartTime(NanoSeconds(100 * host));
        m_hosts.Get(host)->AddApplication(app);
    }

    /**
     * @param src sending host
     * @param dst receiving host
     * @param bytes payload
     */
    void Send(uint32_t src, uint32_t dst, uint32_t bytes)
    {
        m_fabric->Send(src, dst, bytes);
    }

    /**
     * @param done a message that a host of this rank has received
     */
    void Complete(const weft_completion& done)
    {
        std::ostringstream line; // of one piece, as ranks print at the same time
        line << "message " << done.id << " of " << done.msg.bytes << " bytes, host " << done.msg.src
             << " to " << done.msg.dst << ": " << done.post_ps << " to " << done.received_ps
             << " ps\n";
        std::cout << line.str() << std::flush;
        if (done.msg.bytes >= 100000)
        {
            Simulator::Schedule(NanoSeconds(50 + done.msg.dst),
                                &Traffic::Send,
                                this,
                                done.msg.dst,
                                done.msg.src,
                                5000);
        }
    }

    Ptr<WeftFabric> m_fabric; //!< The fabric.
    NodeContainer m_hosts;    //!< Its hosts.
};

} // namespace

int
main(int argc, char* argv[])
{
    Time stop;
#ifdef NS3_MPI
    MpiInterface::Enable(&argc, &argv); // which chooses another simulator, so Setup comes after it
#endif
    WeftFabricHelper::Setup();
    CommandLine cmd(__FILE__);
    cmd.AddValue("stop", "stop then; 0s: at the end", stop);
    cmd.Parse(argc, argv);

    NodeContainer hosts;
    for (uint32_t host = 0; host < LEAVES * HOSTS; host++)
    {
        hosts.Create(1, host * Ranks() / (LEAVES * HOSTS));
    }
    NodeContainer leaves(LEAVES); // each is of the rank that most of its links lead down to
    NodeContainer spines(2);
    WeftFabricHelper helper;
    helper.AddHosts(hosts);
    helper.AddSwitches(leaves);
    helper.AddSwitches(spines);
    for (uint32_t i = 0; i < hosts.GetN(); i++)
    {
        helper.AddLink(hosts.Get(i), leaves.Get(i / HOSTS), DataRate("100Gbps"), NanoSeconds(600));
    }
    for (uint32_t i = 0; i < LEAVES; i++)
    {
        helper.AddLink(leaves.Get(i), spines.Get(0), DataRate("200Gbps"), NanoSeconds(800));
        helper.AddLink(leaves.Get(i), spines.Get(1), DataRate("200Gbps"), NanoSeconds(800));
    }
    helper.SetCongestionControl("dcqcn");
    Ptr<WeftFabric> fabric = helper.Install();
    Traffic traffic(fabric, hosts);

    if (!stop.IsZero())
    {
        Simulator::Stop(stop);
    }
    Simulator::Run();
    const WeftTotals totals = fabric->GetTotals(); // by all ranks, as each has a part of them
    if (Simulator::GetSystemId() == 0)
    {
        std::cout << totals.msgs_received << " messages received, " << totals.packet_hops
                  << " packet-hops, " << totals.ecn_marks << " marks, the end is at "
                  << Simulator::Now().GetPicoSeconds() << " ps\n"
                  << std::flush;
    }
    Simulator::Destroy();
#ifdef NS3_MPI
    MpiInterface::Disable();
#endif
    return 0;
}
