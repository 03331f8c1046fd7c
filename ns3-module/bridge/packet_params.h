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

WEFT_C_BEGIN

/** Choices of ns3.simulator-impl. */
enum weft_simulator { WEFT_SIMULATOR_AUTO, WEFT_SIMULATOR_WEFT, WEFT_SIMULATOR_DEFAULT };

/** Section ns3. */
struct weft_ns3_params {
    int simulator_impl; /**< enum weft_simulator */
};

/** The backend's parameter blob, a struct per section. */
struct weft_packet_params {
    struct weft_packet_transport transport;
    struct weft_switch_params sw;
    struct weft_pfc_params pfc;
    struct weft_ecn_params ecn;
    struct weft_credit_params credit;
    struct weft_in_network_params in_network;
    struct weft_uet_params uet;
    struct weft_tcp_params tcp;
    struct weft_ns3_params ns3;
    struct weft_capture_params capture;
};

/** Sections of the engine, and tcp, ns3 and capture. */
#define WEFT_PACKET_SECTIONS (WEFT_ENGINE_SECTIONS + 3)
/** The sections, over struct weft_packet_params. */
extern const struct weft_net_section weft_packet_sections[WEFT_PACKET_SECTIONS];

/** The engine's parameters among those of the backend. */
struct weft_engine_params weft_packet_engine_params(const struct weft_packet_params *params);
/** How the engine takes over what repeats itself. */
enum weft_replaying weft_packet_replaying(const struct weft_net_config *config);

WEFT_C_END
#endif
