/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_LAN_H
#define WEFT_LAN_H

#include "ns3/channel.h"

#include <vector>

namespace ns3
{

class WeftNetDevice;

/**
 * @ingroup weft
 * What a fabric is to the IP stacks of its hosts: one network that joins a port of each host, the
 * first ports, the second ports and so on. Global routing finds the neighbours of a host here. The
 * link of a port is WeftNetDevice::GetLink.
 */
class WeftLan : public Channel
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId();

    WeftLan();
    ~WeftLan() override;

    /**
     * @param device a port of the next host
     */
    void Add(Ptr<WeftNetDevice> device);

    // Inherited
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  private:
    void DoDispose() override;

    std::vector<Ptr<WeftNetDevice>> m_devices; //!< In the order of host numbers.
};

} // namespace ns3

#endif /* WEFT_LAN_H */
