/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * EnablePcap and EnableAscii of WeftFabricHelper.
 */
#include "weft-fabric-helper.h"

#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/weft-net-device.h"

#include <ostream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftTraceHelper");

namespace
{

/**
 * Writes a packet: kind, addresses as host numbers, and what else tells it apart.
 * @param os the stream
 * @param p the packet
 */
void
WritePacket(std::ostream& os, const weft_engine_pkt_view& p)
{
    os << weft_pkt_kind_name(p.kind) << " prio " << p.prio << " bytes " << p.frame_bytes;
    if (p.kind == WEFT_PKT_PFC)
    {
        os << (p.pause ? " pause" : " resume");
        return;
    }
    os << " h" << p.src_host << " > h" << p.dst_host << " qp " << p.qpn;
    if (p.kind != WEFT_PKT_CNP)
    {
        os << " psn " << p.psn;
    }
    if (p.kind == WEFT_PKT_DATA)
    {
        os << " payload " << p.payload_bytes;
    }
    os << (p.ce ? " ce" : "") << (p.echo ? " ece" : "") << (p.cnp ? " cnp" : "");
}

/**
 * Writes one line.
 * @param stream where it goes
 * @param path the device's Config path
 * @param mark what happened
 * @param time when
 * @param packet the packet
 */
void
WriteLine(std::ostream& os,
          const std::string& path,
          char mark,
          Time time,
          const weft_engine_pkt_view& packet)
{
    // Exact: picoseconds as seconds with twelve digits.
    const int64_t ps = time.GetPicoSeconds();
    const std::string digits = std::to_string(ps % 1000000000000);
    os << mark << ' ' << ps / 1000000000000 << '.' << std::string(12 - digits.size(), '0') << digits
       << ' ' << path << ' ';
    WritePacket(os, packet);
}

/**
 * A packet was queued, sent or received.
 * @param stream where it goes
 * @param path the device's Config path
 * @param mark what happened
 * @param time when
 * @param packet the packet
 */
void
Line(Ptr<OutputStreamWrapper> stream,
     std::string path,
     char mark,
     Time time,
     const weft_engine_pkt_view& packet)
{
    WriteLine(*stream->GetStream(), path, mark, time, packet);
    *stream->GetStream() << '\n';
}

/**
 * A packet was dropped.
 * @param stream where it goes
 * @param path the device's Config path
 * @param time when
 * @param reason why
 * @param packet the packet
 */
void
DropLine(Ptr<OutputStreamWrapper> stream,
         std::string path,
         Time time,
         weft_drop_reason reason,
         const weft_engine_pkt_view& packet)
{
    WriteLine(*stream->GetStream(), path, 'd', time, packet);
    *stream->GetStream() << ' ' << weft_drop_reason_name(reason) << '\n';
}

} // namespace

void
WeftFabricHelper::EnablePcapInternal(std::string prefix,
                                     Ptr<NetDevice> nd,
                                     bool /* promiscuous */,
                                     bool explicitFilename)
{
    Ptr<WeftNetDevice> device = DynamicCast<WeftNetDevice>(nd);
    if (!device)
    {
        NS_LOG_INFO("device " << nd << " is not a WeftNetDevice");
        return;
    }
    const std::string file =
        explicitFilename ? prefix : PcapHelper().GetFilenameFromDevice(prefix, device);
    weft_err err = {};
    if (device->GetFabric()->TryCapture(device->GetPort(), file, &err) != 0)
    {
        NS_FATAL_ERROR("weft: " << err.msg);
    }
}

void
WeftFabricHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                      std::string prefix,
                                      Ptr<NetDevice> nd,
                                      bool explicitFilename)
{
    Ptr<WeftNetDevice> device = DynamicCast<WeftNetDevice>(nd);
    if (!device)
    {
        NS_LOG_INFO("device " << nd << " is not a WeftNetDevice");
        return;
    }
    if (!stream)
    {
        AsciiTraceHelper helper;
        stream = helper.CreateFileStream(
            explicitFilename ? prefix : helper.GetFilenameFromDevice(prefix, device));
    }
    const std::string path = "/NodeList/" + std::to_string(nd->GetNode()->GetId()) +
                             "/DeviceList/" + std::to_string(nd->GetIfIndex());
    device->TraceConnectWithoutContext("PacketQueued", MakeBoundCallback(&Line, stream, path, '+'));
    device->TraceConnectWithoutContext("PacketSent", MakeBoundCallback(&Line, stream, path, '-'));
    device->TraceConnectWithoutContext("PacketReceived",
                                       MakeBoundCallback(&Line, stream, path, 'r'));
    device->TraceConnectWithoutContext("Drop", MakeBoundCallback(&DropLine, stream, path));
}

} // namespace ns3
