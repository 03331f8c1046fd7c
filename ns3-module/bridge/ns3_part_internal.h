/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the part of the bridge on ns-3 (ns3_part.h) consists of.
 */
#ifndef WEFT_NS3_PART_INTERNAL_H
#define WEFT_NS3_PART_INTERNAL_H

#include "ns3_part.h"

namespace weft
{

/**
 * Makes a simulation inside ns-3: weft_simulation_new().
 * @param config what the backend was asked for
 * @param hooks of the engine
 * @param owner who is told of failures
 * @param [out] out the simulation
 * @param [out] err why there is none
 * @return 0 or a WEFT_E_* code
 */
int NewSimulation(const weft_net_config *config, const weft_engine_hooks *hooks,
                  const weft_simulation_owner *owner, weft_simulation **out, weft_err *err);

/**
 * Makes the messages by TCP of a simulation: weft_tcp_new().
 * @param s the simulation, made here
 * @param transport the section of that name
 * @param params the section tcp
 * @param seed of the run
 * @param listener who is told
 * @param [out] out the messages
 * @param [out] err why there are none
 * @return 0 or a WEFT_E_* code
 */
int NewTcp(weft_simulation *s, const weft_packet_transport *transport,
           const weft_tcp_params *params, uint64_t seed, const weft_tcp_listener *listener,
           weft_tcp **out, weft_err *err);

} // namespace weft

#endif /* WEFT_NS3_PART_INTERNAL_H */
