/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bridge: carries the frontend's messages (net/net.h) through the packet engine, inside
 * ns-3 where something of ns-3 takes part. All of weft that is both C++ and called from C is here;
 * no exception leaves it.
 *
 * The backend "packet" has the engine's sections transport, switch, pfc and ecn, a section ns3 with
 * the one parameter simulator-impl: weft (WeftSimulatorImpl), default
 * (ns3::DefaultSimulatorImpl), or auto: the former where something of ns-3 takes part, else the
 * engine alone; the same results under all; and the section capture of engine/capture.h.
 *
 * ns-3's Simulator is one per process, so that one packet net inside it exists at a time; several
 * can be made one after the other.
 */
#ifndef WEFT_BRIDGE_H
#define WEFT_BRIDGE_H

#include "net/net.h"

WEFT_C_BEGIN

/** The backend "packet". */
extern const struct weft_net_backend weft_net_packet;

/** The version of ns-3 that weft was built with: "3.37"; NULL: without. */
const char *weft_ns3_version(void);

WEFT_C_END
#endif
