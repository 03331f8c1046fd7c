/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of the bridge that is C++ on ns-3. Loading ns-3's libraries takes ten times as long as
 * the rest of a program's start, so that the program weft has this part in a file of its own
 * (weft-ns3.so), which it opens when something of ns-3 takes part in a run (ns3_part_open.c). Tests
 * have it linked in (ns3_part_linked.c).
 */
#ifndef WEFT_NS3_PART_H
#define WEFT_NS3_PART_H

#include "simulation.h"
#include "tcp.h"

WEFT_C_BEGIN

/** What is called of it. */
struct weft_ns3_part {
    const char *version; /**< of weft: both must be of one */
    /** A simulation inside ns-3; as weft_simulation_new(). */
    int (*simulation_new)(const struct weft_net_config *config,
                          const struct weft_engine_hooks *hooks,
                          const struct weft_simulation_owner *owner, struct weft_simulation **out,
                          struct weft_err *err);
    /** As weft_tcp_new(). */
    int (*tcp_new)(struct weft_simulation *s, const struct weft_packet_transport *transport,
                   const struct weft_tcp_params *params, uint64_t seed,
                   const struct weft_tcp_listener *listener, struct weft_tcp **out,
                   struct weft_err *err);
};

/** The part; nobody but those that link it names it. */
extern const struct weft_ns3_part weft_ns3_part;

/** The part, opened if need be; it stays open. WEFT_E_IO: it isn't there, or is of another weft.
 * weft_ns3_version() says of which ns-3 it is. */
int weft_ns3_part_get(const struct weft_ns3_part **out, struct weft_err *err);

WEFT_C_END
#endif
