/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-capture.h"

#include "weft-fabric.h"
#include "weft-net-device.h"

#include "ns3/ethernet-header.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/mac48-address.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftCapture");

namespace
{

constexpr std::size_t MAC_BYTES = 6;
constexpr uint32_t FCS_BYTES = 4;

} // namespace

WeftCapture::WeftCapture(WeftFabric& fabric)
    : m_fabric(fabric),
      m_params()
{
    NS_LOG_FUNCTION(this);
    weft_err err = {};
    if (weft_params_defaults(&weft_capture_table, &m_params, &err) != 0)
    {
        NS_FATAL_ERROR("defaults of captures: " << err.msg);
    }
}

WeftCapture::~WeftCapture()
{
    NS_LOG_FUNCTION(this);
    weft_capture_free(m_files);
    weft_wire_free(m_wire);
}

weft_capture_params&
WeftCapture::GetParams()
{
    NS_LOG_FUNCTION(this);
    return m_params;
}

void
WeftCapture::SetDirectory(const std::string& directory)
{
    NS_LOG_FUNCTION(this << directory);
    m_directory = directory;
}

std::string
WeftCapture::GetDirectory() const
{
    NS_LOG_FUNCTION(this);
    return m_directory;
}

weft_wire_config
WeftCapture::MakeConfig()
{
    const weft_fabric* graph = m_fabric.GetGraph();
    if (m_macs.empty() && m_fabric.m_devices.Get(0))
    {
        m_macs.resize(MAC_BYTES * graph->nports);
        for (uint32_t port = 0; port < graph->nports; port++)
        {
            if (WeftNetDevice* device = m_fabric.m_devices.Get(port))
            {
                Mac48Address::ConvertFrom(device->GetAddress()).CopyTo(&m_macs[MAC_BYTES * port]);
            }
        }
    }
    weft_wire_config wire = {};
    wire.fabric = graph;
    wire.params = &m_fabric.GetParams();
    wire.operation = static_cast<weft_wire_operation>(m_params.operation);
    wire.untagged = !m_params.tag;
    wire.macs = m_macs.empty() ? nullptr : m_macs.data();
    wire.read_frame = &WeftFrames::ReadFrame;
    wire.frames = &m_fabric.GetFrames();
    return wire;
}

int
WeftCapture::Make(weft_err* err)
{
    if (m_files)
    {
        return 0;
    }
    const weft_wire_config wire = MakeConfig();
    m_files = weft_capture_new(&m_params, &wire, err);
    return m_files ? 0 : err->code;
}

int
WeftCapture::Open(weft_err* err)
{
    NS_LOG_FUNCTION(this);
    int rc = 0;
    if (m_params.links[0])
    {
        rc = Make(err);
        if (rc == 0)
        {
            rc = weft_capture_add_links(m_files, m_directory.c_str(), err);
        }
    }
    for (const auto& [port, path] : m_pending)
    {
        if (rc == 0)
        {
            rc = AddPort(port, path, err);
        }
    }
    m_pending.clear();
    return rc;
}

int
WeftCapture::AddPort(uint32_t port, const std::string& path, weft_err* err)
{
    NS_LOG_FUNCTION(this << port << path);
    if (!m_fabric.AreParamsFrozen())
    {
        m_pending.emplace_back(port, path);
        return 0;
    }
    const int rc = Make(err);
    return rc != 0 ? rc : weft_capture_add_port(m_files, port, path.c_str(), err);
}

int
WeftCapture::Flush(weft_err* err)
{
    NS_LOG_FUNCTION(this);
    return m_files ? weft_capture_flush(m_files, err) : 0;
}

bool
WeftCapture::IsOn() const
{
    NS_LOG_FUNCTION(this);
    return m_files != nullptr;
}

uint8_t
WeftCapture::GetEvents(uint32_t port) const
{
    NS_LOG_FUNCTION(this << port);
    return m_files ? weft_capture_events(m_files)[port] : 0;
}

void
WeftCapture::Posted(const weft_completion& done)
{
    NS_LOG_FUNCTION(this);
    if (m_files)
    {
        weft_capture_posted(m_files, &done);
    }
    if (m_wire)
    {
        weft_err err = {};
        if (weft_wire_posted(m_wire, &done, &err) != 0)
        {
            NS_FATAL_ERROR("weft: " << err.msg);
        }
    }
}

void
WeftCapture::Write(int64_t tPs, uint32_t port, weft_pkt_event what, const weft_engine_pkt_view& pkt)
{
    NS_LOG_FUNCTION(this << tPs << port << what);
    if (m_files)
    {
        weft_capture_packet(m_files, tPs, port, what, &pkt);
    }
}

void
WeftCapture::Sniff()
{
    NS_LOG_FUNCTION(this);
    if (m_wire)
    {
        return;
    }
    const weft_wire_config config = MakeConfig();
    weft_err err = {};
    m_wire = weft_wire_new(&config, &err);
    if (!m_wire)
    {
        NS_FATAL_ERROR("weft: " << err.msg);
    }
    m_bytes.resize(WEFT_WIRE_MAX);
}

Ptr<Packet>
WeftCapture::MakeFrame(uint32_t port, weft_pkt_event what, const weft_engine_pkt_view& pkt)
{
    NS_LOG_FUNCTION(this << port << what);
    const uint32_t peer = m_fabric.GetGraph()->ports[port].peer;
    const uint32_t from = what == WEFT_PKT_ARRIVED ? peer : port;
    if (pkt.kind == WEFT_PKT_FRAME && !m_macs.empty())
    {
        const uint32_t to = what == WEFT_PKT_ARRIVED ? port : peer;
        uint16_t protocol = 0;
        Ptr<Packet> packet = m_fabric.GetFrames().CopyFrame(pkt.handle, pkt.ce != 0, &protocol);
        if (!packet)
        {
            return nullptr;
        }
        EthernetHeader header(false);
        Mac48Address mac;
        mac.CopyFrom(&m_macs[MAC_BYTES * from]);
        header.SetSource(mac);
        mac.CopyFrom(&m_macs[MAC_BYTES * to]);
        header.SetDestination(mac);
        header.SetLengthType(protocol);
        packet->AddHeader(header);
        const uint64_t least = m_fabric.GetParams().transport.min_frame_bytes;
        if (packet->GetSize() + FCS_BYTES < least)
        {
            const std::vector<uint8_t> zeros(least - FCS_BYTES - packet->GetSize());
            packet->AddAtEnd(Create<Packet>(zeros.data(), zeros.size()));
        }
        return packet;
    }
    const std::size_t length = weft_wire_frame(m_wire, from, &pkt, m_bytes.data(), m_bytes.size());
    return length ? Create<Packet>(m_bytes.data(), length) : nullptr;
}

} // namespace ns3
