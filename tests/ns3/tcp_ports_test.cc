/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cost of a TCP connection does not grow with the number of connections of its hosts: the
 * protocol of ns-3 that a packet comes to knows the sockets of one port. A protocol with n sockets
 * compares each packet and each new connection with all of them.
 */
#include "net_fixture.h"

#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/object-ptr-container.h"
#include "ns3/tcp-l4-protocol.h"

using namespace weft_test;

namespace
{

const uint32_t MANY = 400, SOURCES = 4;

TEST(TcpPorts, NoProtocolKnowsTheSocketsOfAllConnectionsOfAHost)
{
    Fabric f{"single-switch", {{"hosts", std::to_string(SOURCES + 1)}}};
    Recorder r;
    Net n{f, "none", {{"transport.type", "tcp"}}, r.observer()};
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    r.listen(n);
    for (uint32_t i = 0; i < MANY; i++) { /* each on a connection of its own */
        weft_msg msg = {1 + i % SOURCES, 0, 2000, i, {}, WEFT_PRIO_DEFAULT};
        msg.qp = i / SOURCES;
        ASSERT_EQ(n.net->ops->send(n.net, &msg, &n.error), 0) << n.error.msg;
    }
    ASSERT_EQ(n.run(), 0) << n.error.msg;
    EXPECT_EQ(r.flows.size(), MANY);
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < ns3::NodeList::GetNNodes(); i++) {
        const auto tcp = ns3::NodeList::GetNode(i)->GetObject<ns3::TcpL4Protocol>();
        if (!tcp)
            continue;
        nodes++;
        ns3::ObjectPtrContainerValue sockets;
        tcp->GetAttribute("SocketList", sockets);
        EXPECT_LE(sockets.GetN(), 3u) << "of node " << i;
    }
    EXPECT_EQ(nodes, SOURCES + 1);
}

} // namespace
