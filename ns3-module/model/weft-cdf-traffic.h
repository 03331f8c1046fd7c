/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_CDF_TRAFFIC_H
#define WEFT_CDF_TRAFFIC_H

#include "base/cdf.h"
#include "weft-application.h"

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/random-variable-stream.h"

#include <string>

namespace ns3
{

/**
 * @ingroup weft
 * Poisson traffic of one host: messages start at exponential intervals whose mean is mean size /
 * (Load x Rate), their sizes are drawn from a distribution file (lines `size percent`), and
 * their receivers uniformly from the peers.
 */
class WeftCdfTraffic : public WeftApplication
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId();

    WeftCdfTraffic();
    ~WeftCdfTraffic() override;

    // Inherited
    int64_t AssignStreams(int64_t stream) override;

  private:
    void Start() override;
    void DoDispose() override;

    /**
     * Posts one message and plans the next.
     */
    void Next();
    /**
     * Plans the next message.
     */
    void Plan();

    std::string m_file;                   //!< Attribute CdfFile.
    double m_load{0};                     //!< Attribute Load.
    DataRate m_rate;                      //!< Attribute Rate.
    uint64_t m_count{0};                  //!< Attribute Count.
    weft_cdf* m_cdf{nullptr};             //!< The distribution.
    Ptr<ExponentialRandomVariable> m_gap; //!< Seconds between messages.
    Ptr<UniformRandomVariable> m_size;    //!< Percentile of the size.
    Ptr<UniformRandomVariable> m_peer;    //!< Chooses the receiver.
    EventId m_next;                       //!< The next message.
};

} // namespace ns3

#endif /* WEFT_CDF_TRAFFIC_H */
