/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of the CSV files. The writers in folder.c follow this order. */
#include "report/columns.h"

/* What delays messages, as ranks.csv, ops.csv and critical_path.csv have it. */
#define DELAYS(of)                                                                                 \
    {"own_nic_ns", of "a message's NIC was sending something else of its host"},                   \
        {"congestion_control_ns", of "it was paced below the rate of its link, or its window was " \
                                     "full"},                                                      \
        {"loss_recovery_ns", of "timeouts, what was sent again, no path"},                         \
        {"pfc_pause_ns", of "it was paused by PFC, or without credit, at the NIC or on its way"},  \
    {                                                                                              \
        "fabric_queueing_ns", of "it waited in queues of the fabric"                               \
    }

static const struct weft_column flows[] = {
    {"id", "number of the message, in the order posted"},
    {"src", "sending host"},
    {"dst", "receiving host"},
    {"tag", "what the receiver matches it by, see below"},
    {"prio", "traffic class 0..7 that the job asked for; empty: none"},
    {"size_bytes", "payload"},
    {"start_ns", "when it was posted at the sender"},
    {"fct_ns", "from posted to its last byte at the receiver"},
    {"ack_ns", "from posted to its last acknowledgement at the sender"},
    {"ideal_fct_ns", "the least that fct_ns can be, see below"},
    {"slowdown", "fct_ns / ideal_fct_ns"},
    {"retx_bytes", "payload bytes sent more than once"},
    {"cnps", "congestion notifications that reached the sender meanwhile"},
    {"qpn", "number of its queue pair, at both ends; empty: the backend has no queue pairs"},
    DELAYS("of fct_ns - ideal_fct_ns: "),
};

static const struct weft_column ops[] = {
    {"rank", "rank that executed it"},
    {"node_id", "id of the node in the trace"},
    {"name", "name of the node in the trace"},
    {"kind", "meta, compute, cpu, memory, send, recv, or the collective"},
    {"bytes", "size of communication or memory access; 0 otherwise"},
    {"ready_ns", "all its dependencies had ended"},
    {"start_ns", "it got its resource; a collective or send: its first message was posted"},
    {"end_ns", "it ended"},
    {"duration_ns", "end_ns - ready_ns"},
    {"exposed_ns", "exposed communication of the rank that ended as this got on: the sum of the "
                   "next columns"},
    {"network_ns", "of it, for messages on their way, as long as they would be alone"},
    DELAYS("of it, "),
    {"reduce_ns", "of it, for adding up and copying received data"},
    {"endpoint_ns", "of it, for software and injection: endpoint delay, LogGP costs"},
    {"peer_ns", "of it, for ranks that had not come to the operation yet"},
    {"dependency_ns", "of it, for peers that could not send yet"},
};

static const struct weft_column links[] = {
    {"port", "fabric port: one direction of one link"},
    {"link", "link that it belongs to"},
    {"from", "sending node: h3 is host 3, s8 the switch with node id 8"},
    {"to", "receiving node"},
    {"dim", "fabric dimension of the link"},
    {"rate_bps", "line rate"},
    {"delay_ns", "propagation delay"},
    {"tx_packets", "packets of any kind serialised"},
    {"tx_bytes", "bytes on the wire, with preamble and inter-frame gap"},
    {"tx_payload_bytes", "message bytes among them, retransmissions included"},
    {"busy_ns", "time spent serialising"},
    {"util_pct", "busy_ns / elapsed time of the run"},
    {"pauses", "PFC pauses that this sender received"},
    {"pause_ns", "time during which PFC stopped at least one of its priorities"},
    {"ecn_marks", "packets marked in its queue"},
    {"drops_buffer", "packets lost on the way into its queue: buffer full"},
    {"drops_headroom", "packets of a lossless class lost: headroom exhausted"},
    {"drops_error", "packets lost to link errors on the wire"},
    {"drops_link", "packets lost because the link failed, or that came in and had no route left"},
    {"max_queue_bytes", "largest queue, all priorities"},
};

static const struct weft_column pfc[] = {
    {"t_ns", "when it takes effect"},
    {"port", "fabric port that is stopped or released"},
    {"node", "node that has to stop sending"},
    {"peer", "node that asked for it"},
    {"prio", "priority 0..7"},
    {"event", "pause or resume"},
};

static const struct weft_column collectives[] = {
    {"rank", "rank that took part"},
    {"node_id", "id of the node in the trace"},
    {"name", "name of the node in the trace"},
    {"collective", "the collective"},
    {"algorithm", "algorithm of this phase"},
    {"dim", "dimension of the fabric; empty: all members as one"},
    {"phase", "collective that this phase is, among the ranks that differ in the dimension"},
    {"chunks", "chunks that went through it"},
    {"messages", "messages that this rank sent in it"},
    {"bytes", "payload of those messages"},
    {"begin_ns", "the first chunk began it"},
    {"end_ns", "the last chunk ended it"},
    {"queue_ns", "time from being ready to beginning, summed over chunks"},
    {"busy_ns", "time from beginning to end, summed over chunks"},
    {"reduce_ns", "time spent on adding up, summed over messages"},
    {"algbw_bps", "size of the whole operation, of all shards together, / its duration"},
    {"busbw_bps", "bus bytes of the whole operation / its duration"},
};

static const struct weft_column ranks[] = {
    {"rank", "the rank"},
    {"finished", "1: all its operations ended"},
    {"end_ns", "end of its last operation"},
    {"compute_ns", "its accelerator computed"},
    {"cpu_ns", "its CPU computed"},
    {"communication_ns", "a send, receive or collective was in progress"},
    {"exposed_ns", "communication was in progress and nothing ran: the sum of the next columns"},
    {"network_ns", "of it, for messages on their way, as long as they would be alone"},
    DELAYS("of it, "),
    {"reduce_ns", "of it, for adding up and copying received data"},
    {"endpoint_ns", "of it, for software and injection: endpoint delay, LogGP costs"},
    {"peer_ns", "of it, for ranks that had not come to the operation yet"},
    {"dependency_ns", "of it, for peers that could not send yet: they had to receive, add up or "
                      "wait their turn"},
    {"open_ns", "of it, until the run ended without showing what was waited for"},
    {"idle_ns", "nothing ran and no communication was in progress, before its end"},
};

static const struct weft_column dims[] = {
    {"dim", "number of the dimension, innermost 0"},
    {"kind", "its generator; empty: the dimensions are those of system.dims"},
    {"size", "NPUs along it"},
    {"rate_bps", "bandwidth of an NPU in it, each direction (mean over ranks)"},
    {"counted", "where bytes comes from: links (of the NPUs) or phases (of collectives)"},
    {"bytes", "payload that NPUs sent in it"},
    {"communication_ns", "time that a rank had a communication in progress, mean over ranks"},
    {"util_pct", "bytes / what that bandwidth could have carried in that time"},
    {"busy_pct",
     "share of that time in which links of NPUs in it were serialising anything; empty: "
     "the backend has no packets"},
};

static const struct weft_column path[] = {
    {"step", "0, 1, 2 ... in order of time"},
    {"rank", "rank that the operation ended on"},
    {"from_rank", "rank that the step before ended on"},
    {"node_id", "id of the node in that rank's trace"},
    {"name", "name of the node in the trace"},
    {"kind", "compute, cpu, memory, send, recv, or the collective"},
    {"begin_ns", "end of the step before; 0 for the first"},
    {"end_ns", "end of this step"},
    {"duration_ns", "end_ns - begin_ns: the sum of the last eleven columns"},
    {"messages", "messages on the path, one after the other"},
    {"folded", "earlier steps that are summed up in this one; 0 but in very long runs"},
    {"compute_ns", "of it, an accelerator computed"},
    {"cpu_ns", "of it, a CPU computed"},
    {"memory_ns", "of it, memory was accessed"},
    {"network_ns", "of it, a message was on its way, as long as it would be alone"},
    DELAYS("of it, "),
    {"reduce_ns", "of it, received data was added up or copied"},
    {"endpoint_ns", "of it, software and injection: endpoint delay, LogGP costs"},
};

static const struct weft_column trouble[] = {
    {"entry", "number of the entry of trouble.events, from 1"},
    {"kind", "kind of that entry"},
    {"event", "what was wrong: down, rate or bit-errors"},
    {"link", "the link"},
    {"a", "one of its nodes"},
    {"b", "the other"},
    {"begin_ns", "when it began"},
    {"end_ns", "when it ended; empty: not before the run did"},
    {"rate_bps", "rate of the link meanwhile; empty: not changed by this"},
    {"ber", "bit error rate meanwhile; empty: not changed by this"},
    {"tx_packets", "packets sent on it meanwhile, both directions"},
    {"lost_packets",
     "down: packets on the link or waiting for it when it failed; else packets lost to "
     "errors of it meanwhile"},
};

static const struct weft_column tcp[] = {
    {"src", "sending host"},
    {"dst", "receiving host"},
    {"prio", "traffic class 0..7"},
    {"qp", "QP number of its messages"},
    {"connection", "number among those of the same src, dst, prio and qp"},
    {"opened_ns", "its first message was posted"},
    {"busy_ns", "time with something posted and not acknowledged"},
    {"bytes", "bytes acknowledged: parts of messages and 16 bytes of framing for each"},
    {"goodput_bps", "8 x bytes / busy_ns"},
    {"segments", "segments with data sent, again or not"},
    {"retx_segments", "of them, sent again"},
    {"retx_bytes", "bytes of those"},
    {"drops", "segments with data that the fabric lost"},
    {"timeouts", "retransmission timeouts"},
    {"ecn_echoes", "ACKs with ECN-Echo that reached the sender"},
    {"cwnd_bytes", "congestion window at the end; empty: it was never open"},
    {"cwnd_min_bytes", "smallest congestion window"},
    {"cwnd_max_bytes", "largest congestion window"},
    {"srtt_ns", "smoothed round-trip time at the end; empty: never measured"},
};

#define FILE_OF(name, help, columns)                                                               \
    {                                                                                              \
        name, help, columns, sizeof(columns) / sizeof((columns)[0])                                \
    }
const struct weft_csv_file weft_csv_files[WEFT_CSV_FILES] = {
    [WEFT_CSV_FLOWS] =
        FILE_OF("flows.csv", "one row per message, when its last acknowledgement arrives", flows),
    [WEFT_CSV_OPS] = FILE_OF("ops.csv", "one row per operation of a rank, when it ends", ops),
    [WEFT_CSV_LINKS] = FILE_OF("links.csv", "one row per direction of a link, at the end", links),
    [WEFT_CSV_PFC] =
        FILE_OF("pfc.csv", "one row per PFC pause or resume, when it takes effect", pfc),
    [WEFT_CSV_COLLECTIVES] =
        FILE_OF("collectives.csv",
                "one row per kind of phase of a collective on a rank, when the collective ends",
                collectives),
    [WEFT_CSV_RANKS] = FILE_OF("ranks.csv", "one row per rank, at the end", ranks),
    [WEFT_CSV_DIMS] = FILE_OF("dimensions.csv", "one row per dimension, at the end", dims),
    [WEFT_CSV_PATH] =
        FILE_OF("critical_path.csv",
                "one row per step of the critical path, when it is known to be one", path),
    [WEFT_CSV_TROUBLE] = FILE_OF(
        "trouble.csv", "one row per link and time that something was wrong with it, when it ends",
        trouble),
    [WEFT_CSV_TCP] = FILE_OF("tcp_connections.csv",
                             "one row per TCP connection and direction of data, at the end", tcp),
};
