/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What mpi-window-order-and-size.patch is for. Ranks 1, 2 ... send packets that all reach rank 0 at the same
 * times, through devices that are not PointToPointNetDevices.
 *
 *   mpirun -np 4 mpi-order [bytes of a packet]
 *
 * Rank 0 prints how many of them came in another order than that of their senders, and a hash of
 * the order. Exit code 1 when any did, or when packets are missing or of a wrong size.
 */
#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/global-value.h"
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simple-channel.h"
#include "ns3/simple-net-device.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <iostream>
#include <vector>

using namespace ns3;

namespace
{

const Time DELAY = MicroSeconds(10); //!< Of each channel between two ranks: the lookahead.
const uint32_t PACKETS = 2000;       //!< Sent by each rank.

/** What rank 0 has seen. */
struct {
    uint64_t hash{0};
    uint64_t count{0};
    uint64_t late{0};
    uint64_t wrong{0};
    uint32_t lastSender{0};
    Time lastTime;
} g_seen;

void Receive(uint32_t sender, uint32_t bytes, Ptr<Packet> packet)
{
    const Time now = Simulator::Now();
    g_seen.wrong += packet->GetSize() != bytes;
    g_seen.late += now == g_seen.lastTime && sender < g_seen.lastSender;
    g_seen.hash = (g_seen.hash ^ (sender + 131 * now.GetTimeStep())) * 1099511628211U;
    g_seen.count++;
    g_seen.lastSender = sender;
    g_seen.lastTime = now;
}

void Send(uint32_t device, uint32_t bytes)
{
    // Content that ns-3 cannot leave out, as it does with zeros.
    std::vector<uint8_t> data(bytes);
    for (uint32_t i = 0; i < bytes; i++) {
        data[i] = i * 7 + 1;
    }
    MpiInterface::SendPacket(Create<Packet>(data.data(), bytes), Simulator::Now() + DELAY, 0,
                             device);
}

} // namespace

int main(int argc, char *argv[])
{
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DistributedSimulatorImpl"));
    MpiInterface::Enable(&argc, &argv);
    const uint32_t rank = MpiInterface::GetSystemId();
    const uint32_t ranks = MpiInterface::GetSize();
    uint32_t bytes = 100;
    CommandLine cmd(__FILE__);
    cmd.AddNonOption("bytes", "size of a packet", bytes);
    cmd.Parse(argc, argv);

    std::vector<Ptr<Node>> nodes;
    for (uint32_t r = 0; r < ranks; r++) {
        nodes.push_back(CreateObject<Node>(r));
    }
    for (uint32_t r = 1; r < ranks; r++) {
        Ptr<SimpleChannel> channel = CreateObject<SimpleChannel>();
        channel->SetAttribute("Delay", TimeValue(DELAY));
        for (uint32_t end : {0U, r}) {
            Ptr<SimpleNetDevice> device = CreateObject<SimpleNetDevice>();
            device->SetAttribute("PointToPointMode", BooleanValue(true));
            nodes[end]->AddDevice(device);
            device->SetChannel(channel);
            if (end == 0) {
                Ptr<MpiReceiver> receiver = CreateObject<MpiReceiver>();
                receiver->SetReceiveCallback(MakeBoundCallback(&Receive, r, bytes));
                device->AggregateObject(receiver);
            }
        }
        for (uint32_t i = 0; rank == r && i < PACKETS; i++) {
            Simulator::Schedule(MicroSeconds(i), &Send, r - 1, bytes);
        }
    }
    Simulator::Run();
    if (rank == 0) {
        std::cout << g_seen.count << " packets, " << g_seen.late << " out of order, hash "
                  << std::hex << g_seen.hash << "\n";
    }
    Simulator::Destroy();
    MpiInterface::Disable();
    return rank == 0 &&
           (g_seen.count != (ranks - 1) * PACKETS || g_seen.late != 0 || g_seen.wrong != 0);
}
