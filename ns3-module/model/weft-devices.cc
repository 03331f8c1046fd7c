/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-devices.h"

#include "weft-net-device.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftDevices");

void
WeftDevices::Add(uint32_t ports, uint32_t port, WeftNetDevice* device)
{
    NS_LOG_FUNCTION(this << port << device);
    if (m_devices.empty())
    {
        m_devices.resize(ports);
    }
    if (port < m_devices.size())
    {
        device->m_sibling = m_devices[port];
        m_devices[port] = device;
    }
}

void
WeftDevices::Remove(uint32_t port, WeftNetDevice* device)
{
    NS_LOG_FUNCTION(this << port << device);
    WeftNetDevice** at = port < m_devices.size() ? &m_devices[port] : nullptr;
    while (at && *at && *at != device)
    {
        at = &(*at)->m_sibling;
    }
    if (at && *at)
    {
        *at = device->m_sibling;
    }
    device->m_sibling = nullptr;
}

WeftNetDevice*
WeftDevices::Get(uint32_t port, uint32_t prio) const
{
    NS_LOG_FUNCTION(this << port << prio);
    WeftNetDevice* last = Get(port);
    if (!last || !last->m_sibling)
    {
        return last;
    }
    for (WeftNetDevice* device = last; device; device = device->m_sibling)
    {
        if (device->m_ipPriority == static_cast<int32_t>(prio))
        {
            return device;
        }
    }
    return last;
}

void
WeftDevices::Clear()
{
    NS_LOG_FUNCTION(this);
    m_devices.clear();
}

} // namespace ns3
