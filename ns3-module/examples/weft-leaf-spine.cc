/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * A leaf-spine fabric with a RoCE incast, a TCP connection and a UDP stream to the same host.
 */
#include "ns3/core-module.h"
#include "ns3/weft-helper.h"
using namespace ns3;

void
Done(uint32_t src, uint32_t dst, uint64_t bytes, Time duration)
{
    std::cout << src << " -> " << dst << ": " << bytes << " B in " << duration.As(Time::US) << "\n";
}

int
main()
{
    WeftHelper net("leaf-spine", "Leaves", UintegerValue(2), "HostsPerLeaf", UintegerValue(8));
    net.GetFabricHelper().SetCongestionControl("dcqcn");
    net.Incast(MicroSeconds(0), 0, 8, 1 << 20, MakeCallback(&Done));
    net.Tcp(MicroSeconds(0), 9, 0, 1 << 20, MakeCallback(&Done));
    net.Udp(MicroSeconds(0), 10, 0, 1 << 20, DataRate("10Gbps"), MakeCallback(&Done));
    net.Run();
}
