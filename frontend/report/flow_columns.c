/* SPDX-License-Identifier: GPL-2.0-only */
/* flows.csv and tcp_connections.csv: what the transport did with messages. */
#include "report/rows.h"

typedef struct weft_completion F;

WEFT_COLUMN_VALUE_IF(F, prio, u, r->msg.prio, out->u != WEFT_PRIO_DEFAULT)
WEFT_COLUMN_VALUE(F, fct, ps, r->received_ps - r->post_ps)
WEFT_COLUMN_VALUE(F, acked, ps, r->acked_ps - r->post_ps)

static bool slowdown(const void *row, union weft_cell *out)
{
    const F *f = (const F *)row;
    if (f->ideal_ps <= 0)
        return false;
    out->f = (double)(f->received_ps - f->post_ps) / (double)f->ideal_ps;
    return true;
}

WEFT_COLUMN_VALUE_IF(F, qpn, u, r->qpn, out->u != 0)

static const struct weft_column flows[] = {
    WEFT_COLUMN_U64(F, "id", id, "number of the message, in the order posted"),
    WEFT_COLUMN_U32(F, "from", msg.src, "sending host"),
    WEFT_COLUMN_U32(F, "to", msg.dst, "receiving host"),
    WEFT_COLUMN_HEX(F, "tag", msg.tag, "what the receiver matches it by, see below"),
    WEFT_COLUMN_GET("prio", NUMBER, U64, prio, 0, "traffic class 0..7 of the job; empty: none"),
    WEFT_COLUMN_BYTES(F, "size_bytes", msg.bytes, "payload"),
    WEFT_COLUMN_NS(F, "start_ns", post_ps, "when it was posted at the sender"),
    WEFT_COLUMN_GET("fct_ns", NS, PS, fct, 0, "from posted to its last byte at the receiver"),
    WEFT_COLUMN_GET("ack_ns", NS, PS, acked, 0,
                    "from posted to its last acknowledgement at the sender"),
    WEFT_COLUMN_NS(F, "ideal_fct_ns", ideal_ps, "the least that fct_ns can be, see below"),
    WEFT_COLUMN_GET("slowdown", NUMBER, F64, slowdown, 6, "fct_ns / ideal_fct_ns"),
    WEFT_COLUMN_BYTES(F, "retx_bytes", retx_bytes, "payload bytes sent more than once"),
    WEFT_COLUMN_U64(F, "cnps", cnps, "congestion notifications that reached the sender meanwhile"),
    WEFT_COLUMN_GET(
        "qpn", NUMBER, U64, qpn, 0,
        "number of its queue pair, at both ends; empty: the backend has no queue pairs"),
    WEFT_DELAY_COLUMNS(F, delay_ps, WEFT_CAUSE_DELAY, "of fct_ns - ideal_fct_ns: "),
};

const struct weft_csv_file weft_flows_csv = WEFT_JOBS_CSV_FILE(
    "flows.csv", "one row per message, when its last acknowledgement arrives", flows);

typedef struct weft_net_connection C;

WEFT_COLUMN_VALUE(C, goodput, f, r->busy_ps > 0 ? 8e12 * (double)r->bytes / (double)r->busy_ps : 0)

/* Windows, of a connection that was open. */
WEFT_COLUMN_VALUE_IF(C, cwnd, u, r->cwnd_bytes, r->cwnd_bytes != 0)
WEFT_COLUMN_VALUE_IF(C, cwnd_min, u, r->cwnd_min_bytes, r->cwnd_bytes != 0)
WEFT_COLUMN_VALUE_IF(C, cwnd_max, u, r->cwnd_max_bytes, r->cwnd_bytes != 0)
WEFT_COLUMN_VALUE_IF(C, srtt, ps, r->srtt_ps, out->ps != 0)

static const struct weft_column tcp[] = {
    WEFT_COLUMN_U32(C, "from", src, "sending host"),
    WEFT_COLUMN_U32(C, "to", dst, "receiving host"),
    WEFT_COLUMN_U32(C, "prio", prio, "traffic class 0..7"),
    WEFT_COLUMN_U32(C, "qp", qp, "QP number of its messages"),
    WEFT_COLUMN_U32(C, "connection", number,
                    "number among those of the same from, to, prio and qp"),
    WEFT_COLUMN_NS(C, "opened_ns", opened_ps, "its first message was posted"),
    WEFT_COLUMN_NS(C, "busy_ns", busy_ps, "time with something posted and not acknowledged"),
    WEFT_COLUMN_BYTES(C, "bytes", bytes,
                      "bytes acknowledged: parts of messages and 16 bytes of framing for each"),
    WEFT_COLUMN_GET("goodput_bps", BPS, F64, goodput, 0, "8 x bytes / busy_ns"),
    WEFT_COLUMN_U64(C, "segments", segments, "segments with data sent, again or not"),
    WEFT_COLUMN_U64(C, "retx_segments", retx_segments, "of them, sent again"),
    WEFT_COLUMN_BYTES(C, "retx_bytes", retx_bytes, "bytes of those"),
    WEFT_COLUMN_U64(C, "drops", drops, "segments with data that the fabric lost"),
    WEFT_COLUMN_U64(C, "timeouts", timeouts, "retransmission timeouts"),
    WEFT_COLUMN_U64(C, "ecn_echoes", ecn_echoes, "ACKs with ECN-Echo that reached the sender"),
    WEFT_COLUMN_GET("cwnd_bytes", BYTES, U64, cwnd, 0,
                    "congestion window at the end; empty: it was never open"),
    WEFT_COLUMN_GET("cwnd_min_bytes", BYTES, U64, cwnd_min, 0, "smallest congestion window"),
    WEFT_COLUMN_GET("cwnd_max_bytes", BYTES, U64, cwnd_max, 0, "largest congestion window"),
    WEFT_COLUMN_GET("srtt_ns", NS, PS, srtt, 0,
                    "smoothed round-trip time at the end; empty: never measured"),
};

const struct weft_csv_file weft_tcp_csv = WEFT_CSV_FILE(
    "tcp_connections.csv", "one row per TCP connection and direction of data, at the end", tcp);
