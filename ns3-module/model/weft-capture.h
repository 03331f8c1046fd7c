/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_CAPTURE_MODEL_H
#define WEFT_CAPTURE_MODEL_H

#include "ns3-module/engine/capture.h"

#include "ns3/packet.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class WeftFabric;

/**
 * @ingroup weft
 * The frames of a fabric as bytes: in capture files, and as packets for the trace sources Sniffer.
 * engine/wire.h says what they look like; the packets of ns-3's IP stack are in them as the stack
 * made them.
 */
class WeftCapture
{
  public:
    /**
     * @param fabric whose frames they are
     */
    explicit WeftCapture(WeftFabric& fabric);
    ~WeftCapture();

    WeftCapture(const WeftCapture&) = delete;
    WeftCapture& operator=(const WeftCapture&) = delete;

    /**
     * @return what is captured and how: the attributes Capture*
     */
    weft_capture_params& GetParams();

    /**
     * @param directory where the links that the parameters name are captured
     */
    void SetDirectory(const std::string& directory);

    /**
     * @return where the links that the parameters name are captured
     */
    std::string GetDirectory() const;

    /**
     * Opens the captures that were requested before the engine was made.
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int Open(weft_err* err);

    /**
     * Captures a port, from now on or from Open on.
     * @param port the fabric port
     * @param path the file
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int AddPort(uint32_t port, const std::string& path, weft_err* err);

    /**
     * Hands all frames to the operating system.
     * @param [out] err why it, or an earlier write, failed
     * @return 0 or a WEFT_E_* code
     */
    int Flush(weft_err* err);

    /**
     * @return whether there is a capture file
     */
    bool IsOn() const;

    /**
     * @param port a fabric port
     * @return the events of packets that capture files want: bits 1 << weft_pkt_event
     */
    uint8_t GetEvents(uint32_t port) const;

    /**
     * A message was posted; the headers of its packets have its data.
     * @param done the message
     */
    void Posted(const weft_completion& done);

    /**
     * Writes a packet to the files that want it.
     * @param tPs when
     * @param port the fabric port
     * @param what happened to it there
     * @param pkt the packet
     */
    void Write(int64_t tPs, uint32_t port, weft_pkt_event what, const weft_engine_pkt_view& pkt);

    /** Gets ready for MakeFrame; messages posted earlier are not known to it. */
    void Sniff();

    /**
     * @param port a fabric port
     * @param what happened to a packet there: it was sent or it arrived
     * @param pkt the packet
     * @return the frame, from its Ethernet header on and without FCS: the packet of the IP stack
     * with its tags, or bytes; null: it has no published format
     */
    Ptr<Packet> MakeFrame(uint32_t port, weft_pkt_event what, const weft_engine_pkt_view& pkt);

  private:
    /**
     * @return what both files and packets are made with
     */
    weft_wire_config MakeConfig();
    /**
     * Makes m_capture.
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int Make(weft_err* err);

    WeftFabric& m_fabric;           //!< Whose frames they are.
    weft_capture_params m_params;   //!< Attributes Capture*.
    std::string m_directory{"."};   //!< Attribute CaptureDirectory.
    weft_capture* m_files{nullptr}; //!< The capture files, once there are any.
    weft_wire* m_wire{nullptr};     //!< Makes the bytes of packets, once somebody sniffs.
    std::vector<uint8_t> m_macs;    //!< MAC addresses, six bytes for each port.
    std::vector<uint8_t> m_bytes;   //!< Of a frame being made.
    std::vector<std::pair<uint32_t, std::string>> m_pending; //!< Ports and files before Open.
};

} // namespace ns3

#endif /* WEFT_CAPTURE_MODEL_H */
