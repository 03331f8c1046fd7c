/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sections of the packet backend's parameters and the structs behind them. Without ns-3, so
 * that whoever only reads scenarios can have them.
 */
#ifndef WEFT_PACKET_PARAMS_H
#define WEFT_PACKET_PARAMS_H

#include "net/net.h"
#include "ns3-module/engine/capture.h"
#include "tcp_params.h"

/** Section ns3. */
struct Ns3Params
{
    int simulatorImpl; //!< Index into the choices of simulator-impl.
};

/** The backend's parameter blob. */
struct PacketParams
{
    TransportParams transport; //!< In place of engine.transport.
    weft_engine_params engine;
    TcpParams tcp;
    Ns3Params ns3;
    weft_capture_params capture;
};

/** Sections of the engine, and tcp, ns3 and capture. */
constexpr int PACKET_SECTIONS = WEFT_ENGINE_SECTIONS + 3;
/** The sections, over PacketParams. */
extern const weft_net_section weft_packet_sections[PACKET_SECTIONS];

/**
 * @param params the backend's parameters
 * @return those of the engine
 */
weft_engine_params PacketEngineParams(const PacketParams& params);

#endif /* WEFT_PACKET_PARAMS_H */
