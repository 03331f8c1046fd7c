/* SPDX-License-Identifier: GPL-2.0-only */
/* links.csv, pfc.csv, dimensions.csv and faults.csv: what happened on the fabric. */
#include "base/units.h"
#include "report/rows.h"

typedef struct weft_link_row L;

static const struct weft_column links[] = {
    WEFT_COLUMN_U32(L, "port", port, "fabric port: one direction of one link"),
    WEFT_COLUMN_U32(L, "link", link, "link that it belongs to"),
    WEFT_COLUMN_NAME(L, "from", from, "sending node: h3 is host 3, s8 the switch with node id 8"),
    WEFT_COLUMN_NAME(L, "to", to, "receiving node"),
    WEFT_COLUMN_U32(L, "dim", dim, "fabric dimension of the link"),
    WEFT_COLUMN_BPS(L, "rate_bps", rate_bps, "line rate"),
    WEFT_COLUMN_NS(L, "delay_ns", delay_ps, "propagation delay"),
    WEFT_COLUMN_U64(L, "tx_packets", st.tx_packets, "packets of any kind serialised"),
    WEFT_COLUMN_BYTES(L, "tx_bytes", st.tx_bytes,
                      "bytes on the wire, with preamble and inter-frame gap"),
    WEFT_COLUMN_BYTES(L, "tx_payload_bytes", st.tx_payload_bytes,
                      "message bytes among them, retransmissions included"),
    WEFT_COLUMN_NS(L, "busy_ns", st.busy_ps, "time spent serialising"),
    WEFT_COLUMN_PCT(L, "util_pct", util_pct, "busy_ns / elapsed time of the run"),
    WEFT_COLUMN_U64(L, "pauses", st.pauses, "PFC pauses that this sender received"),
    WEFT_COLUMN_NS(L, "pause_ns", st.paused_ps,
                   "time during which PFC stopped at least one of its priorities"),
    WEFT_COLUMN_U64(L, "ecn_marks", st.ecn_marks, "packets marked in its queue"),
    WEFT_COLUMN_U64(L, "drops_buffer", st.drops[WEFT_DROP_BUFFER],
                    "packets lost before its queue: buffer full"),
    WEFT_COLUMN_U64(L, "drops_headroom", st.drops[WEFT_DROP_HEADROOM],
                    "packets of a lossless class lost: headroom exhausted"),
    WEFT_COLUMN_U64(L, "drops_error", st.drops[WEFT_DROP_ERROR],
                    "packets lost to link errors on the wire"),
    WEFT_COLUMN_U64(L, "drops_link", st.drops[WEFT_DROP_LINK],
                    "packets lost because the link failed, or that came in and had no route left"),
    WEFT_COLUMN_U64(L, "trims", st.trims,
                    "packets cut for want of room in its queue (switch.trim-prios)"),
    WEFT_COLUMN_BYTES(L, "max_queue_bytes", st.max_queue_bytes, "largest queue, all priorities"),
};

const struct weft_csv_file weft_links_csv =
    WEFT_CSV_FILE("links.csv", "one row per direction of a link, at the end", links);

typedef struct weft_pfc_row P;

WEFT_COLUMN_VALUE(P, pfc_event, text, r->pfc.pause ? "pause" : "resume")

static const struct weft_column pfc[] = {
    WEFT_COLUMN_NS(P, "t_ns", pfc.t_ps, "when it takes effect"),
    WEFT_COLUMN_U32(P, "port", pfc.port, "fabric port that is stopped or released"),
    WEFT_COLUMN_NAME(P, "from", node, "node that has to stop sending"),
    WEFT_COLUMN_NAME(P, "to", peer, "node that requested it"),
    WEFT_COLUMN_U32(P, "prio", pfc.prio, "priority 0..7"),
    WEFT_COLUMN_GET("event", TEXT, TEXT, pfc_event, 0, "pause or resume"),
};

const struct weft_csv_file weft_pfc_csv =
    WEFT_CSV_FILE("pfc.csv", "one row per PFC pause or resume, when it takes effect", pfc);

typedef struct weft_dim_row D;

WEFT_COLUMN_VALUE(D, dim_kind, text, r->kind)
WEFT_COLUMN_VALUE(D, dim_counted, text, r->by_phases ? "phases" : "links")
WEFT_COLUMN_VALUE(D, dim_rate, f, r->rate_bps)

static const struct weft_column dims[] = {
    WEFT_COLUMN_U32(D, "dim", dim, "number of the dimension, innermost 0"),
    WEFT_COLUMN_GET("kind", TEXT, TEXT, dim_kind, 0,
                    "its generator; empty: the dimensions are those of system.dims"),
    WEFT_COLUMN_U32(D, "size", size, "NPUs along it"),
    WEFT_COLUMN_GET("rate_bps", BPS, F64, dim_rate, 0,
                    "bandwidth of an NPU in it, each direction (mean over ranks)"),
    WEFT_COLUMN_GET("counted", TEXT, TEXT, dim_counted, 0,
                    "where bytes comes from: links (of the NPUs) or phases (of collectives)"),
    WEFT_COLUMN_BYTES(D, "bytes", bytes, "payload that NPUs sent in it"),
    WEFT_COLUMN_NS(D, "communication_ns", communication_ps,
                   "time that a rank had a communication in progress, mean over ranks; with "
                   "several workloads, or flows, that of the whole run"),
    WEFT_COLUMN_PCT(D, "util_pct", util_pct,
                    "bytes / what that bandwidth could have carried in that time"),
    WEFT_COLUMN_PCT(
        D, "busy_pct", busy_pct,
        "share of that time in which links of NPUs in it were serialising anything; empty: "
        "the backend has no packets"),
};

const struct weft_csv_file weft_dims_csv =
    WEFT_CSV_FILE("dimensions.csv", "one row per dimension, at the end", dims);

typedef struct weft_fault_row T;

WEFT_COLUMN_VALUE(T, fault_kind, text, r->fault.kind)

static bool fault_event(const void *row, union weft_cell *out)
{
    static const char *const events[] = {[WEFT_LINK_DOWN] = "down",
                                         [WEFT_LINK_RATE] = "rate",
                                         [WEFT_LINK_BIT_ERRORS] = "bit-errors"};
    out->text = events[((const T *)row)->fault.stretch->what];
    return true;
}

WEFT_COLUMN_VALUE(T, fault_link, u, r->fault.stretch->link)
WEFT_COLUMN_VALUE(T, fault_begin, ps, r->fault.stretch->begin_ps)
WEFT_COLUMN_VALUE_IF(T, fault_end, ps, r->fault.end_ps, out->ps != WEFT_NEVER)
WEFT_COLUMN_VALUE_IF(T, fault_rate, u, r->fault.stretch->rate_bps,
                     r->fault.stretch->what == WEFT_LINK_RATE)

static bool fault_direction(const void *row, union weft_cell *out)
{
    static const char *const directions[] = {
        [WEFT_LINK_BOTH] = "both", [WEFT_LINK_FORWARD] = "forward", [WEFT_LINK_BACK] = "back"};
    const struct weft_fault_stretch *s = ((const T *)row)->fault.stretch;
    out->text = directions[s->direction];
    return s->what == WEFT_LINK_RATE;
}

WEFT_COLUMN_VALUE_IF(T, fault_ber, f, r->fault.stretch->bit_error_rate,
                     r->fault.stretch->what == WEFT_LINK_BIT_ERRORS)

static const struct weft_column faults[] = {
    WEFT_COLUMN_U32(T, "entry", entry, "number of the entry of fault.events, from 1"),
    WEFT_COLUMN_GET("kind", TEXT, TEXT, fault_kind, 0, "kind of that entry"),
    WEFT_COLUMN_GET("event", TEXT, TEXT, fault_event, 0,
                    "what was wrong: down, rate or bit-errors"),
    WEFT_COLUMN_GET("link", NUMBER, U64, fault_link, 0, "the link"),
    WEFT_COLUMN_NAME(T, "from", a, "one of its nodes"),
    WEFT_COLUMN_NAME(T, "to", b, "the other"),
    WEFT_COLUMN_GET("begin_ns", NS, PS, fault_begin, 0, "when it began"),
    WEFT_COLUMN_GET("end_ns", NS, PS, fault_end, 0, "when it ended; empty: not before the run did"),
    WEFT_COLUMN_GET("rate_bps", BPS, U64, fault_rate, 0,
                    "rate of the link meanwhile; empty: not changed by this"),
    WEFT_COLUMN_GET("ber", NUMBER, F64, fault_ber, 15,
                    "bit error rate meanwhile; empty: not changed by this"),
    WEFT_COLUMN_U64(T, "tx_packets", fault.tx_packets,
                    "packets sent on it meanwhile, both directions"),
    WEFT_COLUMN_U64(T, "lost_packets", fault.lost_packets,
                    "down: packets on the link or waiting for it when it failed; else packets lost "
                    "to errors of it meanwhile"),
    WEFT_COLUMN_GET("direction", TEXT, TEXT, fault_direction, 0,
                    "whose rate: both, forward or back; empty: not changed by this"),
};

const struct weft_csv_file weft_faults_csv = WEFT_CSV_FILE(
    "faults.csv", "one row per link and time that something was wrong with it, when it ends",
    faults);
