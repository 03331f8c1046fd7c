/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The backend's sections: the engine's rows, with the choice of the transport among their
 * conditions, and those of its own.
 */
#include "packet_params.h"
#include "ns3-module/engine/params/lists.h"

#include "base/scale.h"
#include "topologies/balancer.h"

#include <stddef.h>
#include <string.h>

/* Conditions of rows of the engine where TCP is beside its transports: see engine/params. */
#define ROCE(needs) needs " and type=roce|uet"
#define ROCE_ONLY "type=roce|uet"
#define ROCE_BESIDE "transport.type=roce"
#define FRAMES_MEASURED(more)                                                                      \
    " or transport.type=tcp and pfc.prios lacks $tcp.prio" more " or tcp.prios!=0" more
#define FRAMES_MARKED(more)                                                                        \
    " or transport.type=tcp and transport.variant=dctcp" more                                      \
    " or transport.type=tcp and tcp.ecn=true" more                                                 \
    " or tcp.prios!=0 and transport.variant=dctcp" more " or tcp.prios!=0 and tcp.ecn=true" more

_Static_assert(offsetof(struct weft_packet_transport, roce) == 0,
               "the engine's offsets hold for both");

static const struct weft_param transport_params[] = {
    {"type", WEFT_PARAM_ENUM, offsetof(struct weft_packet_transport, type), "roce", NULL, NULL,
     "roce|tcp|uet",
     "carrier of messages: RoCE reliable connection; ns-3's TCP over the same fabric; Ultra "
     "Ethernet, with its defaults of recovery, sizes, priorities, queues, marking and "
     "control, see docs/explanation/uet.md",
     "uet: UE specification 1.0.3"},
    {"variant", WEFT_PARAM_ENUM, offsetof(struct weft_packet_transport, variant), "cubic", NULL,
     NULL,
     /* all but the first '|' of them */
     &(""
#define WEFT_TCP_VARIANT(name, type) "|" name
#include "tcp_variants.def"
#undef WEFT_TCP_VARIANT
       )[1],
     "TCP's congestion control", "RFC 6582; RFC 9438; RFC 8257; Cardwell et al., CACM 2017",
     "type=tcp or tcp.prios!=0"},
#include "ns3-module/engine/params/transport.def"
};

/* The rows of other sections name the choice with its section. */
#undef ROCE
#undef ROCE_ONLY
#define ROCE(needs) needs " and " ROCE_ONLY
#define ROCE_ONLY "transport.type=roce|uet"

#include "ns3-module/engine/params/tables.def"

static const struct weft_param tcp_params[] = {
#include "tcp_params.def"
};

static const struct weft_param ns3_params[] = {
    {"simulator-impl", WEFT_PARAM_ENUM, offsetof(struct weft_ns3_params, simulator_impl), "auto",
     NULL, NULL, "auto|weft|default",
     "what executes events: ns-3's Simulator with WeftSimulatorImpl, or with "
     "ns3::DefaultSimulatorImpl (slower); auto: the former where something of ns-3 takes part "
     "(TCP), "
     "else the engine's own loop, which starts without ns-3. The results are the same",
     NULL},
};

static const struct weft_param capture_params[] = {
#include "ns3-module/engine/params/capture.def"
};

#define AT(field) offsetof(struct weft_packet_params, field)
#define ENGINE_SECTION(name, help, rows, type, field)                                              \
    {name, help, WEFT_PARAM_TABLE(rows, type), AT(field)},
const struct weft_net_section weft_packet_sections[WEFT_PACKET_SECTIONS] = {
    {"transport", "carrier of messages; NIC and RoCE reliable connection",
     WEFT_PARAM_TABLE(transport_params, struct weft_packet_transport), AT(transport)},
#include "ns3-module/engine/params/sections.def"
    {"tcp", "TCP connections", WEFT_PARAM_TABLE(tcp_params, struct weft_tcp_params), AT(tcp)},
    {"ns3", "how the engine runs inside ns-3", WEFT_PARAM_TABLE(ns3_params, struct weft_ns3_params),
     AT(ns3)},
    {"capture",
     "frames as capture files: what passes chosen links, with Ethernet, IPv4, UDP and InfiniBand "
     "headers",
     WEFT_PARAM_TABLE(capture_params, struct weft_capture_params), AT(capture)},
};

struct weft_engine_params weft_packet_engine_params(const struct weft_packet_params *params)
{
    const struct weft_packet_transport *t = &params->transport;
    struct weft_engine_params p = {.transport = t->roce,
                                   .sw = params->sw,
                                   .pfc = params->pfc,
                                   .ecn = params->ecn,
                                   .credit = params->credit,
                                   .in_network = params->in_network,
                                   .uet = params->uet};
    /* Frames of TCP keep to the hash of their flow: nothing is reordered. */
    p.transport.allow_reordering |= t->type == WEFT_TRANSPORT_TCP;
    p.transport.uet = t->type == WEFT_TRANSPORT_UET;
    if (t->type == WEFT_TRANSPORT_TCP)
        p.uet.prios = 0; /* it has no effect, which is said elsewhere */
    if (strcmp(weft_tcp_variant_type_id(t->variant), "weft::TcpDctcp") == 0)
        p.ecn.dctcp_prios = t->type == WEFT_TRANSPORT_TCP ? 0xff : params->tcp.prios;
    return p;
}

enum weft_replaying weft_packet_replaying(const struct weft_net_config *config)
{
    if (config->replay_auto && !weft_engine_can_replay())
        return WEFT_REPLAYING_OFF;
    return !config->replay        ? WEFT_REPLAYING_OFF
           : config->replay_eager ? WEFT_REPLAYING_EAGERLY
                                  : WEFT_REPLAYING;
}
