/* SPDX-License-Identifier: GPL-2.0-only */
/* ns-3's DCTCP with the least window that TCP has. */
#ifndef WEFT_BRIDGE_TCP_DCTCP_H
#define WEFT_BRIDGE_TCP_DCTCP_H

#include "ns3/tcp-dctcp.h"

namespace weft
{

/**
 * ns3::TcpDctcp lets marks shrink the window without a bound. Below one segment its connection
 * sends nothing any more, and no timer runs, since nothing is on its way; with one segment the
 * receiver waits for a second one as long as it may delay an ACK. Here two segments are the least,
 * as of ns-3's other variants [RFC 5681, equation 4] and of DCTCP in Linux [net/ipv4/tcp_dctcp.c,
 * dctcp_ssthresh].
 */
class TcpDctcp : public ns3::TcpDctcp
{
  public:
    static ns3::TypeId GetTypeId();
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override;
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override;
};

} // namespace weft

#endif
