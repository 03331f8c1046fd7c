/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-lan.h"

#include "weft-net-device.h"

#include "ns3/abort.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftLan");

NS_OBJECT_ENSURE_REGISTERED(WeftLan);

TypeId
WeftLan::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftLan").SetParent<Channel>().SetGroupName("Weft").AddConstructor<WeftLan>();
    return tid;
}

WeftLan::WeftLan()
{
    NS_LOG_FUNCTION(this);
}

WeftLan::~WeftLan()
{
    NS_LOG_FUNCTION(this);
}

void
WeftLan::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_devices.clear();
    Channel::DoDispose();
}

void
WeftLan::Add(Ptr<WeftNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    m_devices.push_back(device);
}

std::size_t
WeftLan::GetNDevices() const
{
    NS_LOG_FUNCTION(this);
    return m_devices.size();
}

Ptr<NetDevice>
WeftLan::GetDevice(std::size_t i) const
{
    NS_LOG_FUNCTION(this << i);
    NS_ABORT_MSG_IF(i >= m_devices.size(), "a WeftLan of " << m_devices.size() << " devices");
    return m_devices[i];
}

} // namespace ns3
