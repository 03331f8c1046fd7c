/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine's parameter tables: sections transport, switch, pfc and ecn.
 *
 * Header sizes are those of RoCEv2 over untagged Ethernet (IBTA annex A17): 14 Ethernet + 20 IPv4 +
 * 8 UDP + 12
 * BTH + 4 ICRC + 4 FCS = 62 bytes around the payload; an ACK adds the 4-byte AETH, a CNP 16
 * reserved
 * bytes. On the wire each frame also costs 8 bytes of preamble and 12 of inter-frame gap (IEEE
 * 802.3).
 */
#include "base/scale.h"
#include "engine.h"

/* Some traffic may be dropped for its egress queue: PFC is off, or a priority in use has none; each
 * with @more. */
#define MEASURED(more)                                                                             \
    "pfc.enabled=false" more " or pfc.prios lacks $transport.data-prio" more                       \
    " or pfc.prios lacks $transport.ack-prio" more                                                 \
    " or pfc.prios lacks $transport.cnp-prio and congestion-control.signals has cnp-packet" more   \
    " or transport.type=tcp and pfc.prios lacks $tcp.prio" more " or tcp.prios!=0" more
#define PFC_ON "enabled=true and prios!=0 and dimension.flow-control has pfc"
/* The congestion control listens to marks, or TCP does; each with @more. */
#define ECN_ON(more)                                                                               \
    "congestion-control.signals has ecn" more                                                      \
    " or transport.type=tcp and transport.variant=dctcp" more                                      \
    " or transport.type=tcp and tcp.ecn=true" more                                                 \
    " or tcp.prios!=0 and transport.variant=dctcp" more " or tcp.prios!=0 and tcp.ecn=true" more

#define T(field) offsetof(struct weft_transport_params, field)
static const struct weft_param transport_params[] = {
    {"mtu", WEFT_PARAM_SIZE, T(mtu_bytes), "4096B", "256B", "9216B", NULL,
     "payload bytes of a full data packet",
     "IBTA 1.5 section 9.2 (RoCE path MTU 256B to 4096B; larger is allowed here)",
     "dimension.unset has mtu"},
    {"data-prio", WEFT_PARAM_U64, T(data_prio), "3", "0", "7", NULL,
     "priority of messages that ask for none", "HPCC simulator: priority group 3"},
    {"ack-prio", WEFT_PARAM_U64, T(ack_prio), "3", "0", "7", NULL, "priority of ACKs and NACKs",
     NULL},
    {"cnp-prio", WEFT_PARAM_U64, T(cnp_prio), "6", "0", "7", NULL, "priority of CNPs",
     "DCQCN, SIGCOMM 2015, section 3.3: CNPs travel with high priority",
     "congestion-control.signals has cnp-packet"},
    {"ack-every", WEFT_PARAM_U64, T(ack_every), "1", "1", "65536", NULL,
     "data packets per ACK; the last packet of a message and one that fills its window are always "
     "acknowledged",
     NULL},
    {"nack-interval", WEFT_PARAM_TIME, T(nack_interval_ps), "500us", "0", NULL, NULL,
     "a NACK for the same missing packet is repeated at most this often", "HPCC simulator: 500us",
     "recovery=go-back-n|go-back-0"},
    {"rto", WEFT_PARAM_TIME, T(rto_ps), "4ms", "1us", "100s", NULL,
     "retransmission timeout, from the last progress of the QP",
     "IBTA 1.5 section 9.7.6.1.3: 4.096us x 2^n; n = 10 is 4.19ms"},
    {"rto-backoff-max", WEFT_PARAM_U64, T(rto_backoff_max), "6", "0", "20", NULL,
     "the timeout doubles with each expiry in a row, at most this many times", NULL},
    {"retry-max", WEFT_PARAM_U64, T(retry_max), "7", "0", "1000000", NULL,
     "expiries in a row without progress after which the QP fails and the run ends; 0: never",
     "IBTA 1.5 section 9.9.2.4.1: the 3-bit retry counter"},
    {"header", WEFT_PARAM_SIZE, T(header_bytes), "62B", "0", "512B", NULL,
     "frame bytes around the payload of a data packet", "14 + 20 + 8 + 12 + 4 + 4"},
    {"ack-frame", WEFT_PARAM_SIZE, T(ack_bytes), "66B", "1B", "512B", NULL,
     "frame bytes of an ACK or NACK", "62 + 4 (AETH)"},
    {"cnp-frame", WEFT_PARAM_SIZE, T(cnp_bytes), "78B", "1B", "512B", NULL, "frame bytes of a CNP",
     "62 + 16, IBTA annex A17.9.3", "congestion-control.signals has cnp-packet"},
    {"min-frame", WEFT_PARAM_SIZE, T(min_frame_bytes), "64B", "0", "512B", NULL,
     "shorter frames are padded to this", "IEEE 802.3 minimum frame"},
    {"gap", WEFT_PARAM_SIZE, T(gap_bytes), "20B", "0", "64B", NULL,
     "preamble, start delimiter and inter-frame gap: wire time, not buffer", "IEEE 802.3: 8 + 12"},
    {"pad", WEFT_PARAM_SIZE, T(pad_bytes), "4B", "1B", "64B", NULL,
     "the payload of a data packet is padded to a multiple of this",
     "IBTA 1.5 section 9.2 (PadCnt)"},
    {"time-quantum", WEFT_PARAM_TIME, T(quantum_ps), "0", "0", "1us", NULL,
     "serialisation times and pacing gaps are rounded to the nearest multiple; 0: exact; 1ns: as "
     "simulators at ns-3's default resolution do",
     NULL},
    {"ns3-event-order", WEFT_PARAM_BOOL, T(ns3_event_order), "false", NULL, NULL, NULL,
     "simultaneous events run in the order in which ns-3 would have scheduled them, and NICs serve "
     "their QPs by number; false: arrivals before transmissions, each by port, and QPs by waiting",
     "ns-3's schedulers break ties by insertion; matters between packets that meet to the "
     "nanosecond"},
    {"pacing", WEFT_PARAM_BOOL, T(pacing), "true", NULL, NULL, NULL,
     "QPs keep to the rate that the congestion control sets; false: they send at line rate as far "
     "as "
     "their window allows",
     "HPCC simulator: RATE_BOUND"},
    {"ack-ignores-pause", WEFT_PARAM_BOOL, T(ack_ignores_pause), "false", NULL, NULL, NULL,
     "NICs send ACKs even while PFC pauses their priority",
     "HPCC simulator: ACK_HIGH_PRIO at hosts", "pfc.enabled=true and pfc.prios has $ack-prio"},
    {"base-rtt", WEFT_PARAM_TIME, T(base_rtt_ps), "0", "0", "10s", NULL,
     "base RTT given to the congestion control; 0: computed for each path",
     "HPCC simulator: GLOBAL_T", "congestion-control.signals has base-rtt"},
    {"bdp", WEFT_PARAM_SIZE, T(bdp_bytes), "0", "0", "1TB", NULL,
     "bandwidth-delay product given to the congestion control; 0: computed for each path",
     "HPCC simulator: GLOBAL_T",
     "congestion-control.signals has bdp or recovery=selective-repeat and bdp-fc=true"},
    {"ecmp", WEFT_PARAM_ENUM, T(ecmp), "flow", NULL, NULL, "flow|hpcc",
     "choice among equal-cost ports; flow: hash of the QP and the seed; hpcc: that of the HPCC "
     "simulator",
     "HPCC simulator, switch-node.cc"},
    {"recovery", WEFT_PARAM_ENUM, T(recovery), "go-back-n", NULL, NULL,
     "go-back-n|go-back-0|selective-repeat|out-of-order",
     "what is sent again after a loss: everything from the lost packet on; the current chunk of "
     "the message; only the lost packets, of which packets that overtake others tell; only the "
     "lost packets, which the timer or reorder-packets finds, so that packets may overtake others",
     "IBTA 1.5 section 9.7.5.2; Guo et al., SIGCOMM 2016; IRN, SIGCOMM 2018"},
    {"reorder-packets", WEFT_PARAM_U64, T(reorder_packets), "0", "0", "1000000", NULL,
     "out-of-order: a packet counts as lost when one sent this many later has come; 0: only the "
     "timer tells",
     NULL, "recovery=out-of-order"},
    {"chunk", WEFT_PARAM_SIZE, T(chunk_bytes), "0", "0", "1TB", NULL,
     "go-back-0: a loss restarts the current chunk of this size, rounded up to whole packets; 0: "
     "the message",
     "HPCC simulator: L2_CHUNK_SIZE", "recovery=go-back-0"},
    {"bdp-fc", WEFT_PARAM_BOOL, T(bdp_fc), "true", NULL, NULL, NULL,
     "selective-repeat: at most one bandwidth-delay product of the path in flight per QP",
     "IRN, SIGCOMM 2018, section 3.2", "recovery=selective-repeat"},
    {"rto-low", WEFT_PARAM_TIME, T(rto_low_ps), "100us", "1us", "100s", NULL,
     "selective-repeat: retransmission timeout while few packets are in flight, if shorter than "
     "rto",
     "IRN, SIGCOMM 2018, section 4.1: 100us, and 320us for rto",
     "recovery=selective-repeat and rto-low-packets!=0"},
    {"allow-reordering", WEFT_PARAM_BOOL, T(allow_reordering), "false", NULL, NULL, NULL,
     "accept a switch.balance that reorders packets with a recovery that takes that for loss",
     NULL},
    {"rto-low-packets", WEFT_PARAM_U64, T(rto_low_packets), "3", "0", "1000000", NULL,
     "selective-repeat: rto-low holds while at most this many packets are in flight",
     "IRN, SIGCOMM 2018, section 3.1: N = 3", "recovery=selective-repeat"},
};
#undef T

#define T(field) offsetof(struct weft_switch_params, field)
static const struct weft_param switch_params[] = {
    {"buffer", WEFT_PARAM_SIZE, T(buffer_bytes), "32MiB", "64KiB", "2GiB", NULL,
     "packet buffer of each switch", NULL, "dimension.unset has buffer"},
    {"reserve", WEFT_PARAM_SIZE, T(reserve_bytes), "4KiB", "0", "1MiB", NULL,
     "buffer guaranteed to each (ingress port, priority)", "HPCC simulator: 4KiB"},
    {"reserve-scope", WEFT_PARAM_ENUM, T(reserve_scope), "queue", NULL, NULL, "queue|port",
     "what is set aside for the reserve: one per (ingress port, priority), or one per port as the "
     "HPCC "
     "simulator does",
     NULL, "reserve!=0"},
    {"threshold", WEFT_PARAM_ENUM, T(threshold), "dynamic", NULL, NULL, "dynamic|static",
     "how much of the shared buffer an (ingress port, priority) may take: alpha x what is free, or "
     "limit",
     "Choudhury and Hahne, dynamic queue length thresholds, ToN 1998"},
    {"alpha", WEFT_PARAM_F64, T(alpha), "1/8", "1/1024", "64", NULL,
     "ingress threshold of a (port, lossless priority) = alpha x free shared buffer",
     "Choudhury and Hahne 1998; HPCC simulator: 1/8",
     "threshold=dynamic and pfc.enabled=true and pfc.prios!=0"},
    {"lossy-alpha", WEFT_PARAM_F64, T(lossy_alpha), "1", "1/1024", "64", NULL,
     "the same of a (port, lossy priority): beyond it, packets are dropped",
     "Choudhury and Hahne 1998: 1; SONiC's profiles give lossy traffic a larger alpha than "
     "lossless",
     MEASURED(" and threshold=dynamic")},
    {"alpha-map", WEFT_PARAM_STRING, T(alpha_map), "", NULL, NULL, NULL,
     "alpha of single priorities: PRIO:ALPHA,PRIO:..., such as 0:1/2,3:1/8", NULL,
     "threshold=dynamic"},
    {"alpha-by-rate", WEFT_PARAM_BOOL, T(alpha_by_rate), "false", NULL, NULL, NULL,
     "alpha doubles with each doubling of a port's rate over the first host's, up to 1",
     "HPCC simulator, switch-mmu", "threshold=dynamic"},
    {"limit", WEFT_PARAM_SIZE, T(limit_bytes), "1MiB", "0", "2GiB", NULL,
     "threshold=static: ingress threshold of a (port, priority) in the shared buffer", NULL,
     "threshold=static"},
    {"limit-map", WEFT_PARAM_STRING, T(limit_map), "", NULL, NULL, NULL,
     "limit of single priorities: PRIO:SIZE,PRIO:..., such as 0:200KB,3:1MB", NULL,
     "threshold=static"},
    {"lossy-share", WEFT_PARAM_F64, T(lossy_share), "0", "0", "0.99", NULL,
     "part of the shared buffer that is an ingress pool of the lossy priorities, the rest being "
     "that of the "
     "lossless ones; 0: one pool for all",
     "SONiC: ingress_lossy_pool and ingress_lossless_pool"},
    {"egress-threshold", WEFT_PARAM_ENUM, T(egress_threshold), "dynamic", NULL, NULL,
     "dynamic|static",
     "how long an egress queue that is measured may be: egress-alpha x what is free, or "
     "egress-limit",
     NULL, MEASURED("") " or egress-lossless-pool!=0"},
    {"egress-alpha", WEFT_PARAM_F64, T(egress_alpha), "1", "1/1024", "64", NULL,
     "lossy priorities: egress queue limit = egress-alpha x free shared buffer",
     "Choudhury and Hahne 1998", MEASURED(" and egress-threshold=dynamic")},
    {"egress-alpha-map", WEFT_PARAM_STRING, T(egress_alpha_map), "", NULL, NULL, NULL,
     "egress-alpha of single priorities: PRIO:ALPHA,PRIO:...", NULL,
     MEASURED(" and egress-threshold=dynamic") " or egress-lossless-pool!=0 and "
                                               "egress-threshold=dynamic"},
    {"egress-limit", WEFT_PARAM_SIZE, T(egress_limit_bytes), "1MiB", "0", "2GiB", NULL,
     "egress-threshold=static: egress queue limit of lossy priorities", NULL,
     MEASURED(" and egress-threshold=static")},
    {"egress-limit-map", WEFT_PARAM_STRING, T(egress_limit_map), "", NULL, NULL, NULL,
     "egress-limit of single priorities: PRIO:SIZE,PRIO:...", NULL,
     MEASURED(
         " and egress-threshold=static") " or egress-lossless-pool!=0 and egress-threshold=static"},
    {"egress-lossy-pool", WEFT_PARAM_SIZE, T(egress_lossy_pool_bytes), "0", "0", "2GiB", NULL,
     "what the egress queues of lossy priorities may hold together; 0: no such pool, they are "
     "measured by "
     "what is free at ingress",
     "SONiC: egress_lossy_pool", MEASURED("")},
    {"egress-lossless-pool", WEFT_PARAM_SIZE, T(egress_lossless_pool_bytes), "0", "0", "2GiB", NULL,
     "what the egress queues of lossless priorities may hold together, dropping the rest; 0: no "
     "such pool, "
     "only the ingress limits them",
     "SONiC: egress_lossless_pool, as large as the buffer"},
    {"strict-prios", WEFT_PARAM_U64, T(strict_prios), "192", "0", "255", NULL,
     "bit mask of the priorities that are served before all others, highest first (192: priorities "
     "6 and 7)",
     NULL},
    {"scheduler", WEFT_PARAM_ENUM, T(scheduler), "drr", NULL, NULL, "drr|packet-rr",
     "how priorities that are not strict share a port: by bytes, or one packet each in turn", NULL},
    {"balance", WEFT_PARAM_ENUM, T(balance), "flow", NULL, NULL,
     "flow|spray|flowlet|adaptive|valiant|minimal-adaptive",
     "what spreads data packets over equal-cost ports: the hash of their flow; the ports in turn; "
     "the shortest queue whenever a flow pauses; the shortest queue; or over more than those: by "
     "way of a random intermediate; on direct fabrics through any dimension that brings them "
     "nearer, by the shortest queue",
     "Dixit et al., INFOCOM 2013; Vanini et al., NSDI 2017; Valiant and Brebner, STOC 1981; Duato, "
     "IEEE TPDS 1993",
     "transport.type=roce"},
    {"flowlet-gap", WEFT_PARAM_TIME, T(flowlet_gap_ps), "50us", "0ps", "1s", NULL,
     "balance=flowlet: a flow that pauses for longer may change its port",
     "Vanini et al., NSDI 2017"},
    {"quantum", WEFT_PARAM_SIZE, T(quantum_bytes), "4096B", "64B", "1MiB", NULL,
     "deficit round robin: bytes per turn and weight of a priority that is not strict",
     "Shreedhar and Varghese, SIGCOMM 1995", "scheduler=drr"},
    {"weight-map", WEFT_PARAM_STRING, T(weight_map), "", NULL, NULL, NULL,
     "deficit round robin: weights of single priorities, 1 to 1000: PRIO:WEIGHT,PRIO:..., such as "
     "3:4,4:2; the "
     "others have weight 1",
     NULL, "scheduler=drr"},
};
#undef T

#define T(field) offsetof(struct weft_pfc_params, field)
static const struct weft_param pfc_params[] = {
    {"enabled", WEFT_PARAM_BOOL, T(enabled), "true", NULL, NULL, NULL,
     "whether switches send PFC frames; off: every priority is lossy, except in dimensions with "
     "flow-control=credit",
     "IEEE 802.1Qbb", "dimension.flow-control has pfc"},
    {"prios", WEFT_PARAM_U64, T(prios), "8", "0", "255", NULL,
     "bit mask of the lossless priorities (8: priority 3)", NULL,
     "enabled=true or dimension.flow-control has credit"},
    {"headroom", WEFT_PARAM_SIZE, T(headroom_bytes), "0", "0", "64MiB", NULL,
     "buffer per (ingress port, lossless priority) for what arrives after XOFF; 0: two link delays "
     "and the "
     "response time at link rate + 3 full packets + a PFC frame per lossless priority",
     "IEEE 802.1Qbb annex O", PFC_ON},
    {"headroom-mode", WEFT_PARAM_ENUM, T(headroom_mode), "standard", NULL, NULL, "standard|hpcc",
     "how headroom=0 is computed; hpcc: headroom-factor x rate x delay per port, as the HPCC "
     "simulator does",
     NULL, PFC_ON " and headroom=0"},
    {"headroom-factor", WEFT_PARAM_U64, T(headroom_factor), "3", "0", "64", NULL,
     "headroom-mode=hpcc: headroom in units of rate x delay",
     "HPCC simulator: 3; its descendants: HEADROOM_FACTOR",
     PFC_ON " and headroom=0 and headroom-mode=hpcc"},
    {"xon-offset", WEFT_PARAM_SIZE, T(xon_offset_bytes), "3KiB", "0", "16MiB", NULL,
     "XON is sent when the ingress is this far below its threshold", "HPCC simulator: 3KiB",
     PFC_ON},
    {"response-time", WEFT_PARAM_TIME, T(response_ps), "0", "0", "1ms", NULL,
     "time that a port takes to obey a PFC frame after its last bit",
     "IEEE 802.1Qbb annex O: higher layer and interface delays", PFC_ON},
    {"frame", WEFT_PARAM_SIZE, T(frame_bytes), "64B", "1B", "512B", NULL,
     "frame bytes of a PFC frame", "IEEE 802.1Qbb: minimum-size MAC control frame", PFC_ON},
    {"quanta", WEFT_PARAM_U64, T(quanta), "0", "0", "65535", NULL,
     "pause time of a PFC frame in quanta of 512 bit times of the paused link, after which it "
     "sends "
     "again unless refreshed; 0: until the resume",
     "IEEE 802.1Qbb; switches send 65535", PFC_ON},
    {"allow-deadlock", WEFT_PARAM_BOOL, T(allow_deadlock), "false", NULL, NULL, NULL,
     "start even if the routes can deadlock under PFC; a run that does ends with the ports "
     "involved",
     "Dally and Seitz, IEEE ToC 1987", PFC_ON " or prios!=0 and dimension.flow-control has credit"},
    {"refresh", WEFT_PARAM_F64, T(refresh), "1/2", "1/16", "1", NULL,
     "with quanta: a pause is repeated after this fraction of its time while it is wanted", NULL,
     PFC_ON " and quanta!=0"},
    {"repeat-limit", WEFT_PARAM_U64, T(repeat_limit), "200000000", "0", NULL, NULL,
     "with quanta: pauses repeated so often, by all ports together, without any other packet made, "
     "delivered or dropped "
     "end the run, which would take too long: a link of a few bits per second beside pauses of "
     "microseconds; 0: "
     "never",
     NULL, PFC_ON " and quanta!=0"},
};
#undef T

#define T(field) offsetof(struct weft_ecn_params, field)
static const struct weft_param ecn_params[] = {
    {"kmin", WEFT_PARAM_SIZE, T(kmin_bytes), "100KB", "0", "1GiB", NULL,
     "egress queue of a port of scale-rate at which marking starts; auto: dcqcn 100KB, dctcp 75KB, "
     "and at most half "
     "of what one ingress port may hold",
     "see `weft show cc NAME`; DCQCN, SIGCOMM 2015, section 4: marks before pauses",
     ECN_ON(" and rate-map="), WEFT_OF_CONTROL},
    {"kmax", WEFT_PARAM_SIZE, T(kmax_bytes), "400KB", "0", "1GiB", NULL,
     "egress queue above which every data packet is marked; auto: dcqcn 400KB, dctcp 75KB, less "
     "where kmin is",
     "see `weft show cc NAME`", ECN_ON(" and rate-map="), WEFT_OF_CONTROL},
    {"pmax", WEFT_PARAM_F64, T(pmax), "0.2", "0", "1", NULL,
     "marking probability at kmax; auto: dcqcn 0.2, dctcp 1", "see `weft show cc NAME`",
     ECN_ON(" and rate-map= and ecn.kmin!=$ecn.kmax"), WEFT_OF_CONTROL},
    {"scale-rate", WEFT_PARAM_RATE, T(scale_rate_bps), "25Gbps", "0", "10Tbps", NULL,
     "kmin and kmax are for a port of this rate and grow linearly with the port's rate; 0: the "
     "same for every rate",
     NULL, ECN_ON(" and rate-map=")},
    {"rate-map", WEFT_PARAM_STRING, T(rate_map), "", NULL, NULL, NULL,
     "thresholds per port rate instead of the above: RATE:KMIN:KMAX:PMAX,RATE:...",
     "HPCC simulator: KMIN_MAP, KMAX_MAP, PMAX_MAP", ECN_ON("")},
    {"prio-map", WEFT_PARAM_STRING, T(prio_map), "", NULL, NULL, NULL,
     "thresholds of single priorities instead of the above, scaled by scale-rate: "
     "PRIO:KMIN:KMAX:PMAX,PRIO:..., "
     "such as 3:50KB:200KB:0.1; PRIO:off: never marked",
     NULL, ECN_ON("")},
    {"draws", WEFT_PARAM_ENUM, T(draws), "port", NULL, NULL, "port|ns3",
     "where marking takes its random numbers: a stream per port; a new random variable of ns-3 "
     "each "
     "time, in the order of all ports, with run.seed as the run",
     "the HPCC simulator on ns-3 3.36 and later", ECN_ON("")},
    {"first-stream", WEFT_PARAM_U64, T(first_stream), "0", "0", "1000000000", NULL,
     "draws=ns3: how many random variables the simulation has made before", NULL,
     ECN_ON(" and draws=ns3")},
    {"at-enqueue", WEFT_PARAM_BOOL, T(at_enqueue), "false", NULL, NULL, NULL,
     "true: decide when the packet joins the queue, counting it; false: when it leaves, not "
     "counting it",
     "HPCC simulator: at dequeue", ECN_ON("")},
};
#undef T

#define T(field) offsetof(struct weft_credit_params, field)
#define CREDIT_ON "dimension.flow-control has credit"
static const struct weft_param credit_params[] = {
    {"buffer", WEFT_PARAM_SIZE, T(buffer_bytes), "0", "0", "1GiB", NULL,
     "buffer behind each link for each lossless priority; 0: what full rate takes: two link delays "
     "at link rate and three full frames",
     NULL, CREDIT_ON},
    {"unit", WEFT_PARAM_SIZE, T(unit_bytes), "64B", "1B", "4KiB", NULL,
     "a frame takes its length in credit, rounded up to a multiple of this",
     "IBTA 1.5 section 7.9.4: blocks of 64 bytes", CREDIT_ON},
    {"frame", WEFT_PARAM_SIZE, T(frame_bytes), "0", "0", "1518B", NULL,
     "size of a frame that returns credit; 0: credit rides in headers of the other direction, as "
     "in "
     "NVLink",
     NULL, CREDIT_ON},
};
#undef T

#define T(field) offsetof(struct weft_in_network_params, field)
static const struct weft_param in_network_params[] = {
    {"slots", WEFT_PARAM_U64, T(slots), "1024", "1", "16777216", NULL,
     "sums of one packet that a switch can hold in the making, shared equally by the groups whose "
     "tree it is in; a host has so many packets in flight",
     "SwitchML, NSDI 2021: a pool of slots, reused when its result is back"},
    {"aggregation-rate", WEFT_PARAM_RATE, T(rate_bps), "0", NULL, NULL, NULL,
     "rate at which a switch adds up frames, all ports together; 0: as fast as they come", NULL},
    {"aggregation-latency", WEFT_PARAM_TIME, T(latency_ps), "0", "0", "1ms", NULL,
     "from the last frame of a sum until it can be sent on", NULL},
};
#undef T

const struct weft_engine_section weft_engine_sections[WEFT_ENGINE_SECTIONS] = {
    {"transport", "NIC and RoCE reliable connection",
     WEFT_PARAM_TABLE(transport_params, struct weft_transport_params),
     offsetof(struct weft_engine_params, transport)},
    {"switch", "switch buffer and scheduling",
     WEFT_PARAM_TABLE(switch_params, struct weft_switch_params),
     offsetof(struct weft_engine_params, sw)},
    {"pfc", "priority flow control", WEFT_PARAM_TABLE(pfc_params, struct weft_pfc_params),
     offsetof(struct weft_engine_params, pfc)},
    {"ecn", "ECN marking at switch queues", WEFT_PARAM_TABLE(ecn_params, struct weft_ecn_params),
     offsetof(struct weft_engine_params, ecn)},
    {"credit", "credit-based flow control of dimensions with flow-control=credit",
     WEFT_PARAM_TABLE(credit_params, struct weft_credit_params),
     offsetof(struct weft_engine_params, credit)},
    {"in-network", "switches that add up and copy, for the collective algorithm in-network",
     WEFT_PARAM_TABLE(in_network_params, struct weft_in_network_params),
     offsetof(struct weft_engine_params, in_network)},
};

int weft_engine_params_defaults(struct weft_engine_params *p, struct weft_err *err)
{
    for (size_t i = 0; i < WEFT_ENGINE_SECTIONS; i++) {
        int rc = weft_params_defaults(&weft_engine_sections[i].params,
                                      (char *)p + weft_engine_sections[i].offset, err);
        if (rc)
            return rc;
    }
    return 0;
}
