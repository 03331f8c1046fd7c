/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_DEVICES_H
#define WEFT_DEVICES_H

#include <cstdint>
#include <vector>

namespace ns3
{

class WeftNetDevice;

/**
 * @ingroup weft
 * The devices of a fabric, by port.
 */
class WeftDevices
{
  public:
    /**
     * @param ports how many the fabric has
     * @param port a port
     * @param device its device; one that it has already stays for the packets of its IpPriority
     */
    void Add(uint32_t ports, uint32_t port, WeftNetDevice* device);

    /**
     * @param port a port
     * @param device one of its devices, which is going
     */
    void Remove(uint32_t port, WeftNetDevice* device);

    /**
     * @param port a fabric port
     * @return its device, the last one if it has several, or null
     */
    WeftNetDevice* Get(uint32_t port) const
    {
        return port < m_devices.size() ? m_devices[port] : nullptr;
    }

    /**
     * @param port a fabric port
     * @param prio priority of a packet that came in there
     * @return the device that takes it: of several, the one of that priority; or null
     */
    WeftNetDevice* Get(uint32_t port, uint32_t prio) const;

    /** Forgets all devices. */
    void Clear();

  private:
    std::vector<WeftNetDevice*> m_devices; //!< By port; empty when none is installed.
};

} // namespace ns3

#endif /* WEFT_DEVICES_H */
