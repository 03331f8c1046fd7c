/* SPDX-License-Identifier: GPL-2.0-only */
/* See tcp_dctcp.h. */
#include "tcp_dctcp.h"

#include "ns3/tcp-socket-state.h"

#include <algorithm>

namespace weft
{

NS_OBJECT_ENSURE_REGISTERED(TcpDctcp);

ns3::TypeId TcpDctcp::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("weft::TcpDctcp")
                                 .SetParent<ns3::TcpDctcp>()
                                 .SetGroupName("Internet")
                                 .AddConstructor<TcpDctcp>();
    return tid;
}

uint32_t TcpDctcp::GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight)
{
    return std::max(ns3::TcpDctcp::GetSsThresh(tcb, bytesInFlight), 2 * tcb->m_segmentSize);
}

ns3::Ptr<ns3::TcpCongestionOps> TcpDctcp::Fork()
{
    return ns3::CopyObject<TcpDctcp>(this);
}

} // namespace weft
