/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_CHANNEL_H
#define WEFT_CHANNEL_H

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3
{

class WeftNetDevice;

/**
 * @ingroup weft
 * One full-duplex link of a fabric, as ns-3 sees it. Its rate and delay are those of the fabric's
 * graph and cannot be set here.
 */
class WeftChannel : public Channel
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId();

    WeftChannel();
    ~WeftChannel() override;

    /**
     * @param a device at one end
     * @param b device at the other
     * @param rate of each direction
     * @param delay propagation
     */
    void Connect(Ptr<WeftNetDevice> a, Ptr<WeftNetDevice> b, DataRate rate, Time delay);

    /**
     * @return the rate of each direction
     */
    DataRate GetDataRate() const;

    /**
     * @return the propagation delay
     */
    Time GetDelay() const;

    // Inherited
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  private:
    void DoDispose() override;

    Ptr<WeftNetDevice> m_ends[2]; //!< The two devices.
    DataRate m_rate;              //!< Rate of each direction.
    Time m_delay;                 //!< Propagation delay.
};

} // namespace ns3

#endif /* WEFT_CHANNEL_H */
