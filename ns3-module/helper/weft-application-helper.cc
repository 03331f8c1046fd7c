/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-application-helper.h"

#include "ns3/double.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/weft-all-to-all.h"
#include "ns3/weft-application.h"

#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftApplicationHelper");

WeftApplicationHelper::WeftApplicationHelper(const std::string& type)
{
    NS_LOG_FUNCTION(this << type);
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(type, &tid) || !tid.IsChildOf(WeftApplication::GetTypeId()) ||
        !tid.HasConstructor())
    {
        NS_FATAL_ERROR("weft: '" << type << "' is not an application of weft");
    }
    m_factory.SetTypeId(tid);
}

void
WeftApplicationHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_factory.Set(name, value);
}

void
WeftApplicationHelper::SetPeers(const NodeContainer& hosts)
{
    NS_LOG_FUNCTION(this);
    m_peers = hosts;
}

ApplicationContainer
WeftApplicationHelper::Install(const NodeContainer& nodes) const
{
    NS_LOG_FUNCTION(this);
    std::vector<uint32_t> peers;
    for (auto it = m_peers.Begin(); it != m_peers.End(); ++it)
    {
        peers.push_back(WeftApplication::GetHostNumber(*it));
    }
    ApplicationContainer apps;
    for (auto it = nodes.Begin(); it != nodes.End(); ++it)
    {
        WeftApplication::GetHostNumber(*it); // complains now about a node that is no host
        Ptr<WeftApplication> app = m_factory.Create<WeftApplication>();
        app->SetPeers(peers);
        (*it)->AddApplication(app);
        apps.Add(app);
    }
    return apps;
}

int64_t
WeftApplicationHelper::AssignStreams(const ApplicationContainer& apps, int64_t stream)
{
    NS_LOG_FUNCTION(stream);
    int64_t next = stream;
    for (auto it = apps.Begin(); it != apps.End(); ++it)
    {
        Ptr<WeftApplication> app = DynamicCast<WeftApplication>(*it);
        next += app ? app->AssignStreams(next) : 0;
    }
    return next - stream;
}

WeftMessageSenderHelper::WeftMessageSenderHelper(Ptr<Node> remote, uint64_t bytes)
    : WeftApplicationHelper("ns3::WeftMessageSender")
{
    NS_LOG_FUNCTION(this << remote << bytes);
    SetAttribute("RemoteHost", UintegerValue(WeftApplication::GetHostNumber(remote)));
    SetAttribute("Bytes", UintegerValue(bytes));
}

WeftIncastHelper::WeftIncastHelper(uint64_t bytes)
    : WeftApplicationHelper("ns3::WeftIncast")
{
    NS_LOG_FUNCTION(this << bytes);
    SetAttribute("Bytes", UintegerValue(bytes));
}

WeftCdfTrafficHelper::WeftCdfTrafficHelper(const std::string& file, double load)
    : WeftApplicationHelper("ns3::WeftCdfTraffic")
{
    NS_LOG_FUNCTION(this << file << load);
    SetAttribute("CdfFile", StringValue(file));
    SetAttribute("Load", DoubleValue(load));
}

WeftAllToAllHelper::WeftAllToAllHelper(uint64_t bytes)
    : WeftApplicationHelper("ns3::WeftAllToAll")
{
    NS_LOG_FUNCTION(this << bytes);
    SetAttribute("Bytes", UintegerValue(bytes));
}

ApplicationContainer
WeftAllToAllHelper::Install(const NodeContainer& nodes) const
{
    NS_LOG_FUNCTION(this);
    ApplicationContainer apps = WeftApplicationHelper::Install(nodes);
    std::vector<Ptr<WeftAllToAll>> group;
    for (auto it = apps.Begin(); it != apps.End(); ++it)
    {
        group.push_back(DynamicCast<WeftAllToAll>(*it));
    }
    for (const Ptr<WeftAllToAll>& member : group)
    {
        member->SetGroup(group);
    }
    return apps;
}

} // namespace ns3
