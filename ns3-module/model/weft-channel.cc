/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-channel.h"

#include "weft-net-device.h"

#include "ns3/abort.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftChannel");

NS_OBJECT_ENSURE_REGISTERED(WeftChannel);

TypeId
WeftChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::WeftChannel")
                            .SetParent<Channel>()
                            .SetGroupName("Weft")
                            .AddConstructor<WeftChannel>()
                            .AddAttribute("DataRate",
                                          "Rate of each direction, as in the fabric's graph",
                                          TypeId::ATTR_GET,
                                          DataRateValue(),
                                          MakeDataRateAccessor(&WeftChannel::GetDataRate),
                                          MakeDataRateChecker())
                            .AddAttribute("Delay",
                                          "Propagation delay, as in the fabric's graph",
                                          TypeId::ATTR_GET,
                                          TimeValue(),
                                          MakeTimeAccessor(&WeftChannel::GetDelay),
                                          MakeTimeChecker());
    return tid;
}

WeftChannel::WeftChannel()
{
    NS_LOG_FUNCTION(this);
}

WeftChannel::~WeftChannel()
{
    NS_LOG_FUNCTION(this);
}

void
WeftChannel::DoDispose()
{
    m_ends[0] = nullptr;
    m_ends[1] = nullptr;
    Channel::DoDispose();
}

void
WeftChannel::Connect(Ptr<WeftNetDevice> a, Ptr<WeftNetDevice> b, DataRate rate, Time delay)
{
    NS_LOG_FUNCTION(this << a << b << rate << delay);
    m_ends[0] = a;
    m_ends[1] = b;
    m_rate = rate;
    m_delay = delay;
}

DataRate
WeftChannel::GetDataRate() const
{
    NS_LOG_FUNCTION(this);
    return m_rate;
}

Time
WeftChannel::GetDelay() const
{
    NS_LOG_FUNCTION(this);
    return m_delay;
}

std::size_t
WeftChannel::GetNDevices() const
{
    NS_LOG_FUNCTION(this);
    return m_ends[0] ? 2 : 0;
}

Ptr<NetDevice>
WeftChannel::GetDevice(std::size_t i) const
{
    NS_LOG_FUNCTION(this << i);
    NS_ABORT_MSG_IF(i >= GetNDevices(), "a WeftChannel has two devices once it is connected");
    return m_ends[i];
}

} // namespace ns3
