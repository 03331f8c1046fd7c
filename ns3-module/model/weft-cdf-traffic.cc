/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-cdf-traffic.h"

#include "ns3/double.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftCdfTraffic");

NS_OBJECT_ENSURE_REGISTERED(WeftCdfTraffic);

TypeId
WeftCdfTraffic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftCdfTraffic")
            .SetParent<WeftApplication>()
            .SetGroupName("Weft")
            .AddConstructor<WeftCdfTraffic>()
            .AddAttribute("CdfFile",
                          "File of the size distribution: lines 'size percent', both increasing, "
                          "percent from 0 to 100 (required)",
                          StringValue(""),
                          MakeStringAccessor(&WeftCdfTraffic::m_file),
                          MakeStringChecker())
            .AddAttribute("Load",
                          "Fraction of Rate that the host offers on average",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&WeftCdfTraffic::m_load),
                          MakeDoubleChecker<double>(1e-6, 100))
            .AddAttribute("Rate",
                          "What Load is a fraction of; 0: the sum of the rates of the host's ports",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&WeftCdfTraffic::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("Count",
                          "Number of messages; 0: until the application stops",
                          UintegerValue(0),
                          MakeUintegerAccessor(&WeftCdfTraffic::m_count),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

WeftCdfTraffic::WeftCdfTraffic()
    : m_gap(CreateObject<ExponentialRandomVariable>()),
      m_size(CreateObject<UniformRandomVariable>()),
      m_peer(CreateObject<UniformRandomVariable>())
{
    NS_LOG_FUNCTION(this);
}

WeftCdfTraffic::~WeftCdfTraffic()
{
    NS_LOG_FUNCTION(this);
    weft_cdf_free(m_cdf);
}

void
WeftCdfTraffic::DoDispose()
{
    m_next.Cancel();
    m_gap = nullptr;
    m_size = nullptr;
    m_peer = nullptr;
    WeftApplication::DoDispose();
}

int64_t
WeftCdfTraffic::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_gap->SetStream(stream);
    m_size->SetStream(stream + 1);
    m_peer->SetStream(stream + 2);
    return 3;
}

void
WeftCdfTraffic::Start()
{
    weft_err err = {};
    m_cdf = weft_cdf_read(m_file.c_str(), &err);
    if (!m_cdf)
    {
        char text[WEFT_ERR_FILE_MAX + WEFT_ERR_MSG_MAX + 64];
        NS_FATAL_ERROR("weft: ns3::WeftCdfTraffic on host "
                       << GetHost() << ": CdfFile: " << weft_err_format(&err, text, sizeof text));
    }
    const uint64_t rate = m_rate.GetBitRate() != 0 ? m_rate.GetBitRate() : GetHostRate();
    m_gap->SetAttribute("Mean", DoubleValue(weft_cdf_mean_bytes(m_cdf) * 8 / (m_load * rate)));
    Plan();
}

void
WeftCdfTraffic::Plan()
{
    if (m_count == 0 || GetPosted() < m_count)
    {
        const Time gap = PicoSeconds(static_cast<int64_t>(m_gap->GetValue() * 1e12));
        m_next = Simulator::Schedule(gap, &WeftCdfTraffic::Next, this);
    }
}

void
WeftCdfTraffic::Next()
{
    if (!IsRunning())
    {
        return;
    }
    const double bytes = weft_cdf_quantile_bytes(m_cdf, m_size->GetValue(0, 100));
    const std::vector<uint32_t>& peers = GetPeers();
    const uint32_t peer = peers[m_peer->GetInteger(0, peers.size() - 1)];
    Post(GetHost(), peer, bytes < 1 ? 1 : static_cast<uint64_t>(bytes), 0);
    Plan();
}

} // namespace ns3
