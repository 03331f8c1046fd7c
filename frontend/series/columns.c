/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of the series. */
#include "series/series_internal.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct weft_port_row P;

WEFT_COLUMN_VALUE(P, port_node, text, r->names->node)
WEFT_COLUMN_VALUE(P, port_peer, text, r->names->peer)

/* Which port. */
#define PORT_COLUMNS                                                                               \
    WEFT_COLUMN_NS(P, "t_ns", t_ps, "time of the sample"),                                         \
        WEFT_COLUMN_U32(P, "port", port, "fabric port: one direction of one link"),                \
        WEFT_COLUMN_GET("from", TEXT, TEXT, port_node, 0, "node that sends here"),                 \
        WEFT_COLUMN_GET("to", TEXT, TEXT, port_peer, 0, "node that it sends to")

static const struct weft_column queue[] = {
    PORT_COLUMNS,
    WEFT_COLUMN_U32(P, "prio", prio, "priority 0..7"),
    WEFT_COLUMN_BYTES(P, "queue_bytes", queue_bytes, "bytes that wait at its egress at that time"),
};

static const struct weft_column throughput[] = {
    PORT_COLUMNS,
    WEFT_COLUMN_BYTES(P, "tx_bytes", tx_bytes,
                      "bytes on the wire since the previous sample, with preamble and inter-frame "
                      "gap; over all samples tx_bytes of links.csv"),
    WEFT_COLUMN_BPS(P, "throughput_bps", throughput_bps, "the same as a rate"),
};

static const struct weft_column pause_columns[] = {
    PORT_COLUMNS,
    WEFT_COLUMN_U32(P, "prio", prio, "priority 0..7"),
    WEFT_COLUMN_U32(P, "paused", paused, "1: it is paused, or without credit, at that time"),
    WEFT_COLUMN_NS(P, "paused_ns", paused_ps, "time since the previous sample that it was held"),
};

typedef struct weft_histogram_row H;

static const struct weft_column histogram[] = {
    WEFT_COLUMN_U32(H, "port", port, "fabric port: one direction of one link"),
    WEFT_COLUMN_NAME(H, "from", names.node, "node that sends here"),
    WEFT_COLUMN_NAME(H, "to", names.peer, "node that it sends to"),
    WEFT_COLUMN_U32(H, "prio", prio, "priority 0..7"),
    WEFT_COLUMN_BYTES(H, "from_bytes", from_bytes, "at least so many bytes waited at its egress"),
    WEFT_COLUMN_BYTES(H, "to_bytes", to_bytes, "and at most so many"),
    WEFT_COLUMN_NS(H, "time_ns", time_ps, "for so long; in sum over its rows the whole run"),
};

typedef struct weft_buffer_row B;

static const struct weft_column buffer[] = {
    WEFT_COLUMN_NS(B, "t_ns", t_ps, "time of the sample"),
    WEFT_COLUMN_NAME(B, "node", node, "switch, or host that forwards"),
    WEFT_COLUMN_BYTES(B, "used_bytes", state.used_bytes, "packet buffer that is occupied"),
    WEFT_COLUMN_BYTES(B, "shared_bytes", state.shared_bytes, "of it, what lies in shared pools"),
    WEFT_COLUMN_BYTES(B, "headroom_bytes", state.headroom_bytes, "of it, what lies in headroom"),
};

typedef struct weft_qp_row Q;

WEFT_COLUMN_VALUE_IF(Q, qp_number, u, r->state.qpn, !r->tcp)
WEFT_COLUMN_VALUE_IF(Q, qp_rate, u, r->state.rate_bps, !r->tcp)
WEFT_COLUMN_VALUE_IF(Q, qp_window, u, r->state.window_bytes, out->u != UINT64_MAX)
WEFT_COLUMN_VALUE_IF(Q, qp_rtt, ps, r->state.rtt_ps, out->ps != 0)
WEFT_COLUMN_VALUE_IF(Q, qp_connection, u, r->connection, r->tcp)

/* Which QP. */
#define QP_COLUMNS                                                                                 \
    WEFT_COLUMN_NS(Q, "t_ns", t_ps, "time of the sample"),                                         \
        WEFT_COLUMN_GET("qpn", NUMBER, U64, qp_number, 0,                                          \
                        "number of the queue pair, as in flows.csv; empty: a connection of TCP"),  \
        WEFT_COLUMN_U32(Q, "from", state.src, "host that sends its data"),                         \
        WEFT_COLUMN_U32(Q, "to", state.dst, "host that receives it"),                              \
        WEFT_COLUMN_U32(Q, "prio", state.prio, "priority 0..7")

static const struct weft_column qp[] = {
    QP_COLUMNS,
    WEFT_COLUMN_GET("rate_bps", BPS, U64, qp_rate, 0,
                    "pacing rate, in bytes on the wire; empty: TCP"),
    WEFT_COLUMN_GET("window_bytes", BYTES, U64, qp_window, 0,
                    "window of the congestion control, of TCP cwnd; empty: none"),
    WEFT_COLUMN_BYTES(Q, "in_flight_bytes", state.in_flight_bytes,
                      "payload sent and not acknowledged"),
    WEFT_COLUMN_GET("rtt_ns", NS, PS, qp_rtt, 0,
                    "round-trip time of the last ACK, of TCP smoothed; empty: none yet"),
    WEFT_COLUMN_BYTES(Q, "acked_bytes", state.acked_bytes,
                      "payload acknowledged since the previous sample"),
    WEFT_COLUMN_BPS(Q, "goodput_bps", goodput_bps, "the same as a rate"),
    WEFT_COLUMN_U32(Q, "qp", state.number, "which QP between the two at this priority"),
    WEFT_COLUMN_GET("connection", NUMBER, U64, qp_connection, 0,
                    "TCP: which connection of it, as number in tcp_connections.csv"),
};

static const struct weft_column control[] = {QP_COLUMNS};

static const struct weft_csv_file files[WEFT_SERIES_FILES] = {
    [WEFT_SERIES_QUEUE] =
        WEFT_CSV_FILE("queue.csv", "one row per sample, port and priority: egress queues", queue),
    [WEFT_SERIES_BUFFER] =
        WEFT_CSV_FILE("buffer.csv", "one row per sample and node: shared buffers", buffer),
    [WEFT_SERIES_THROUGHPUT] = WEFT_CSV_FILE(
        "throughput.csv", "one row per sample and port: what links carried", throughput),
    [WEFT_SERIES_PAUSE] =
        WEFT_CSV_FILE("pause.csv", "one row per sample, port and priority: pauses", pause_columns),
    [WEFT_SERIES_QP] =
        WEFT_CSV_FILE("qp.csv", "one row per sample and queue pair or connection", qp),
    [WEFT_SERIES_HISTOGRAM] =
        WEFT_CSV_FILE("queue_histogram.csv",
                      "one row per port, priority and range of sizes, at the end: how long the "
                      "queue held so much, exactly; of queues that something waited in",
                      histogram),
    [WEFT_SERIES_CONTROL] =
        WEFT_CSV_FILE("control.csv",
                      "one row per sample and queue pair: the state of its congestion control, "
                      "a column per observable of the controls in the run",
                      control),
};

const struct weft_csv_file *const weft_series_files[WEFT_SERIES_FILES] = {
    &files[WEFT_SERIES_QUEUE],   &files[WEFT_SERIES_BUFFER], &files[WEFT_SERIES_THROUGHPUT],
    &files[WEFT_SERIES_PAUSE],   &files[WEFT_SERIES_QP],     &files[WEFT_SERIES_HISTOGRAM],
    &files[WEFT_SERIES_CONTROL],
};

const char *weft_series_observable_name(const struct weft_cc_observable *o,
                                        char buf[WEFT_SERIES_NAME_MAX])
{
    static const struct {
        const char *unit, *end;
    } ends[] = {{"bps", "_bps"}, {"bytes", "_bytes"}, {"ps", "_ns"}, {"packets", "_packets"}};
    snprintf(buf, WEFT_SERIES_NAME_MAX, "%s", o->name);
    for (char *c = buf; *c; c++)
        if (*c == '-')
            *c = '_';
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (strcmp(o->unit, ends[i].unit) == 0)
            strncat(buf, ends[i].end, WEFT_SERIES_NAME_MAX - 1 - strlen(buf));
    return buf;
}
