/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The TCP ports of an ns-3 node, each with an ns3::TcpL4Protocol of its own.
 *
 * ns3::TcpL4Protocol compares each packet, each new connection and each free port with all
 * connections of its node, so that n connections cost n^2. Here a node's protocol for TCP only
 * looks up the destination port, and an unchanged TcpL4Protocol that knows this port alone does the
 * rest.
 */
#ifndef WEFT_BRIDGE_TCP_PORTS_H
#define WEFT_BRIDGE_TCP_PORTS_H

#include "ns3/ip-l4-protocol.h"
#include "ns3/node.h"
#include "ns3/tcp-l4-protocol.h"

#include <vector>

namespace weft
{

/** What a node with an Internet stack has for TCP in place of its ns3::TcpL4Protocol. */
class TcpPorts : public ns3::IpL4Protocol
{
  public:
    static ns3::TypeId GetTypeId();

    /**
     * Takes the packets of TCP that come to a node.
     * @param node with an Internet stack
     */
    static void Install(ns3::Ptr<ns3::Node> node);

    /**
     * Takes the next free port, in the order of ns3::Ipv4EndPointDemux.
     * @param [out] port its number; 0: none is free
     * @return the protocol for sockets at this port; without a free port, the node's own
     */
    ns3::Ptr<ns3::TcpL4Protocol> Open(uint16_t &port);

    int GetProtocolNumber() const override;
    RxStatus Receive(ns3::Ptr<ns3::Packet> packet, const ns3::Ipv4Header &header,
                     ns3::Ptr<ns3::Ipv4Interface> interface) override;
    RxStatus Receive(ns3::Ptr<ns3::Packet> packet, const ns3::Ipv6Header &header,
                     ns3::Ptr<ns3::Ipv6Interface> interface) override;
    void SetDownTarget(DownTargetCallback target) override;
    void SetDownTarget6(DownTargetCallback6 target) override;
    DownTargetCallback GetDownTarget() const override;
    DownTargetCallback6 GetDownTarget6() const override;

  protected:
    void DoDispose() override;

  private:
    ns3::Ptr<ns3::Node> m_node;                            //!< The node.
    ns3::Ptr<ns3::TcpL4Protocol> m_own;                    //!< Its own; answers at closed ports.
    std::vector<ns3::Ptr<ns3::TcpL4Protocol>> m_protocols; //!< By port, in the order of Open.
};

} // namespace weft

#endif
