/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_FABRIC_HELPER_H
#define WEFT_FABRIC_HELPER_H

#include "ns3/attribute.h"
#include "ns3/data-rate.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/trace-helper.h"
#include "ns3/weft-fabric.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * Builds a WeftFabric with its nodes, devices and channels.
 *
 * The graph comes from a generator or a file (SetTopology), or from nodes and links of the script
 * (AddHosts, AddSwitches, AddLink). Mistakes are fatal, with a message.
 *
 * @code
 *   WeftFabricHelper::Setup(); // first of all
 *   WeftFabricHelper helper;
 *   helper.SetTopology("leaf-spine", "Leaves", UintegerValue(4));
 *   helper.SetCongestionControl("dcqcn");
 *   Ptr<WeftFabric> fabric = helper.Install();
 *   helper.SendMessage(Seconds(0), 0, 5, 1 << 20);
 *   Simulator::Run();
 * @endcode
 *
 * EnablePcap writes what a device sends (when it begins) and receives (when it has all of it) as
 * Ethernet frames with nanoseconds; engine/capture.h says what they look like, and the fabric's
 * attributes Capture* choose. EnableAscii writes a line per packet that a device queues (+), sends
 * (-), receives (r) or drops (d).
 */
class WeftFabricHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    /**
     * Sets the time resolution to one picosecond and chooses WeftSimulatorImpl. To be called before
     * anything else that uses time or the Simulator: once nodes or events are made, it says on
     * standard error that it cannot choose WeftSimulatorImpl any more, and it is fatal where there
     * are events whose times count nanoseconds. --SimulatorImplementationType on the command line
     * of a script that parses it later still wins.
     */
    static void Setup();

    WeftFabricHelper();

    /**
     * @param name a topology of weft's table: "leaf-spine", "fat-tree", "hpcc-file" ...
     * @param attributes pairs of attribute name and value, of ns3::WeftTopology<Name>
     */
    template <typename... Ts>
    void SetTopology(const std::string& name, Ts&&... attributes);

    /**
     * @param hosts nodes that become hosts, numbered in this order
     */
    void AddHosts(const NodeContainer& hosts);

    /**
     * @param switches nodes that become switches
     */
    void AddSwitches(const NodeContainer& switches);

    /**
     * Adds a full-duplex link between two nodes added before.
     * @param a one node
     * @param b the other
     * @param rate of each direction
     * @param delay propagation
     * @param errorRate probability that a packet is lost on it
     */
    void AddLink(Ptr<Node> a, Ptr<Node> b, DataRate rate, Time delay, double errorRate = 0);

    /**
     * @param name attribute of ns3::WeftFabric: "PfcEnabled", "EcnKmin" ...
     * @param value its value
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param name an algorithm of weft's table, or the name of a TypeId derived from
     * ns3::WeftCongestionControl
     * @param attributes pairs of attribute name and value, of ns3::WeftCc<Name>
     */
    template <typename... Ts>
    void SetCongestionControl(const std::string& name, Ts&&... attributes);

    /**
     * Builds everything. A helper installs once.
     * @return the fabric
     */
    Ptr<WeftFabric> Install();

    /**
     * @return the host nodes, in the order of their host numbers
     */
    NodeContainer GetHosts() const;

    /**
     * @return the switch nodes
     */
    NodeContainer GetSwitches() const;

    /**
     * @return one device per fabric port, in the order of port numbers
     */
    NetDeviceContainer GetDevices() const;

    /**
     * Posts a message later.
     * @param at when, absolute
     * @param src sending host number
     * @param dst receiving host number
     * @param bytes payload
     * @param tag carried to the receiver
     * @param prio priority 0..7, or the fabric's default
     */
    void SendMessage(Time at,
                     uint32_t src,
                     uint32_t dst,
                     uint64_t bytes,
                     uint64_t tag = 0,
                     uint32_t prio = UINT32_MAX) const;

    /**
     * @param stream first stream number
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> nd,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> nd,
                             bool explicitFilename) override;

    /** A link of the script. */
    struct Link
    {
        uint32_t a;       //!< Index into m_nodes.
        uint32_t b;       //!< Index into m_nodes.
        DataRate rate;    //!< Of each direction.
        Time delay;       //!< Propagation.
        double errorRate; //!< Loss probability.
    };

    /**
     * @param nodes nodes to be added
     * @param kind what they become
     */
    void AddNodes(const NodeContainer& nodes, weft_node_kind kind);
    /**
     * @param node a node
     * @return its index in m_nodes
     */
    uint32_t IndexOf(Ptr<Node> node) const;
    /**
     * @param name name of an algorithm or a TypeId
     */
    void SetCongestionControlType(const std::string& name);
    /**
     * @param name name of a topology
     */
    void SetTopologyType(const std::string& name);
    /**
     * @return the graph of topology or nodes and links
     */
    weft_fabric* MakeGraph() const;
    /**
     * @return the graph of nodes and links
     */
    weft_fabric* MakeGraphOfNodes() const;
    /**
     * @return for each node how far it is from the nearest host
     */
    std::vector<uint32_t> FindTiers() const;
    /**
     * Makes devices and channels.
     */
    void InstallDevices();
    /**
     * Has ranks, if there are several, share out the fabric by the system ids of its nodes.
     */
    void ShareOut();

    /**
     * Sets pairs of name and value in an object factory.
     * @param factory the factory
     */
    static void SetPairs(ObjectFactory& factory);
    /**
     * Sets pairs of name and value in an object factory.
     * @param factory the factory
     * @param name attribute
     * @param value its value
     * @param rest more pairs
     */
    template <typename... Ts>
    static void SetPairs(ObjectFactory& factory,
                         const std::string& name,
                         const AttributeValue& value,
                         Ts&&... rest);

    ObjectFactory m_fabricFactory;           //!< Of the fabric.
    ObjectFactory m_ccFactory;               //!< Of the congestion control, when one was set.
    ObjectFactory m_topologyFactory;         //!< Of the topology, when one was set.
    bool m_hasCc{false};                     //!< m_ccFactory is set.
    bool m_hasTopology{false};               //!< m_topologyFactory is set.
    std::vector<Ptr<Node>> m_nodes;          //!< By node number of the graph.
    std::vector<weft_node_kind> m_nodeKinds; //!< By node number.
    std::vector<Link> m_links;               //!< Links of the script.
    Ptr<WeftFabric> m_fabric;                //!< The fabric.
    NetDeviceContainer m_devices;            //!< One per port.
};

template <typename... Ts>
void
WeftFabricHelper::SetTopology(const std::string& name, Ts&&... attributes)
{
    SetTopologyType(name);
    SetPairs(m_topologyFactory, std::forward<Ts>(attributes)...);
}

template <typename... Ts>
void
WeftFabricHelper::SetCongestionControl(const std::string& name, Ts&&... attributes)
{
    SetCongestionControlType(name);
    SetPairs(m_ccFactory, std::forward<Ts>(attributes)...);
}

template <typename... Ts>
void
WeftFabricHelper::SetPairs(ObjectFactory& factory,
                           const std::string& name,
                           const AttributeValue& value,
                           Ts&&... rest)
{
    factory.Set(name, value);
    SetPairs(factory, std::forward<Ts>(rest)...);
}

} // namespace ns3

#endif /* WEFT_FABRIC_HELPER_H */
