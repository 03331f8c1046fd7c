/* SPDX-License-Identifier: GPL-2.0-only */
/* ops.csv, ranks.csv, collectives.csv and critical_path.csv: what ranks did with their time. */
#include "base/units.h"
#include "report/report.h"
#include "report/rows.h"

/* The causes of exposed communication, in an array by enum weft_cause. */
#define EXPOSED_COLUMNS(T, field, dependency)                                                      \
    WEFT_COLUMN_NS(T, "network_ns", field[WEFT_CAUSE_NETWORK],                                     \
                   "of it, for messages on their way, as long as they would be alone"),            \
        WEFT_DELAY_COLUMNS(T, field, 0, "of it, "),                                                \
        WEFT_COLUMN_NS(T, "reduce_ns", field[WEFT_CAUSE_REDUCE],                                   \
                       "of it, for adding up and copying received data"),                          \
        WEFT_COLUMN_NS(T, "endpoint_ns", field[WEFT_CAUSE_ENDPOINT],                               \
                       "of it, for software and injection: endpoint delay, LogGP costs"),          \
        WEFT_COLUMN_NS(T, "peer_ns", field[WEFT_CAUSE_PEER],                                       \
                       "of it, for ranks that had not come to the operation yet"),                 \
        WEFT_COLUMN_NS(T, "dependency_ns", field[WEFT_CAUSE_DEPENDENCY], dependency)

typedef struct weft_op_row O;

WEFT_COLUMN_VALUE(O, op_id, u, r->op.op->id)
WEFT_COLUMN_VALUE(O, op_name, text, r->op.op->name)
WEFT_COLUMN_VALUE(O, op_kind, text, weft_op_kind_word(r->op.op))
WEFT_COLUMN_VALUE(O, op_bytes, u,
                  r->op.op->kind == WEFT_OP_MEM ? r->op.op->tensor_bytes : r->op.op->bytes)
WEFT_COLUMN_VALUE(O, op_use, text, weft_parallelism_word(r->use))
WEFT_COLUMN_VALUE(O, op_duration, ps, r->op.end_ps - r->op.ready_ps)

static const struct weft_column ops[] = {
    WEFT_COLUMN_U32(O, "rank", op.rank, "rank that executed it"),
    WEFT_COLUMN_GET("node_id", NUMBER, U64, op_id, 0, "id of the node in the trace"),
    WEFT_COLUMN_GET("name", TEXT, TEXT, op_name, 0, "name of the node in the trace"),
    WEFT_COLUMN_GET("kind", TEXT, TEXT, op_kind, 0,
                    "meta, compute, cpu, memory, send, recv, or the collective"),
    WEFT_COLUMN_GET("bytes", BYTES, U64, op_bytes, 0,
                    "size of communication or memory access; 0 otherwise"),
    WEFT_COLUMN_NS(O, "ready_ns", op.ready_ps, "all its dependencies had ended"),
    WEFT_COLUMN_NS(O, "start_ns", op.start_ps,
                   "it got its resource; a collective or send: its first message was posted"),
    WEFT_COLUMN_NS(O, "end_ns", op.end_ps, "it ended"),
    WEFT_COLUMN_GET("duration_ns", NS, PS, op_duration, 0, "end_ns - ready_ns"),
    WEFT_COLUMN_NS(
        O, "exposed_ns", exposed_sum_ps,
        "exposed communication of the rank that ended as this got on: the sum of the next columns"),
    EXPOSED_COLUMNS(O, exposed_ps, "of it, for peers that could not send yet"),
    WEFT_COLUMN_GET("parallelism", TEXT, TEXT, op_use, 0,
                    "what communication of a training job is for: tp, cp, ep, dp, pp; empty: "
                    "something else, or not known"),
};

const struct weft_csv_file weft_ops_csv =
    WEFT_JOBS_CSV_FILE("ops.csv", "one row per operation of a rank, when it ends", ops);

typedef struct weft_rank_row R;

static const struct weft_column ranks[] = {
    WEFT_COLUMN_U32(R, "rank", rank, "the rank"),
    WEFT_COLUMN_U32(R, "finished", finished, "1: all its operations ended"),
    WEFT_COLUMN_NS(R, "end_ns", result.end_ps, "end of its last operation"),
    WEFT_COLUMN_NS(R, "compute_ns", result.compute_ps, "its accelerator computed"),
    WEFT_COLUMN_NS(R, "cpu_ns", result.cpu_ps, "its CPU computed"),
    WEFT_COLUMN_NS(R, "communication_ns", result.comm_ps,
                   "a send, receive or collective was in progress"),
    WEFT_COLUMN_NS(R, "exposed_ns", result.exposed_comm_ps,
                   "communication was in progress and nothing ran: the sum of the next columns"),
    EXPOSED_COLUMNS(
        R, result.exposed_ps,
        "of it, for peers that could not send yet: they had to receive, add up or wait their turn"),
    WEFT_COLUMN_NS(R, "open_ns", result.exposed_ps[WEFT_CAUSE_OPEN],
                   "of it, until the run ended without showing what was waited for"),
    WEFT_COLUMN_NS(R, "idle_ns", result.idle_ps,
                   "nothing ran and no communication was in progress, before its end"),
};

const struct weft_csv_file weft_ranks_csv =
    WEFT_JOBS_CSV_FILE("ranks.csv", "one row per rank, at the end", ranks);

typedef struct weft_phase_record H;

WEFT_COLUMN_VALUE(H, phase_id, u, r->op->id)
WEFT_COLUMN_VALUE(H, phase_name, text, r->op->name)
WEFT_COLUMN_VALUE(H, phase_collective, text, weft_coll_kind_name(r->op->coll))
WEFT_COLUMN_VALUE(H, phase_algorithm, text, r->algorithm)
WEFT_COLUMN_VALUE_IF(H, phase_dim, u, (uint64_t)r->dim, r->dim >= 0)
WEFT_COLUMN_VALUE(H, phase_kind, text, weft_coll_kind_name(r->kind))

/* @p bytes over the duration of the whole operation. */
static bool bandwidth(const H *h, double bytes, union weft_cell *out)
{
    const int64_t ps = h->op_end_ps - h->op_ready_ps;
    if (ps <= 0)
        return false;
    out->f = bytes * 8 * (double)WEFT_PS_PER_S / (double)ps;
    return true;
}

static bool phase_algbw(const void *row, union weft_cell *out)
{
    const H *h = (const H *)row;
    return bandwidth(h, weft_coll_alg_bytes(h->op->coll, h->op->bytes, h->members), out);
}

static bool phase_busbw(const void *row, union weft_cell *out)
{
    const H *h = (const H *)row;
    return bandwidth(h, weft_coll_bus_bytes(h->op->coll, h->op->bytes, h->members), out);
}

static const struct weft_column collectives[] = {
    WEFT_COLUMN_U32(H, "rank", rank, "rank that took part"),
    WEFT_COLUMN_GET("node_id", NUMBER, U64, phase_id, 0, "id of the node in the trace"),
    WEFT_COLUMN_GET("name", TEXT, TEXT, phase_name, 0, "name of the node in the trace"),
    WEFT_COLUMN_GET("collective", TEXT, TEXT, phase_collective, 0, "the collective"),
    WEFT_COLUMN_GET("algorithm", TEXT, TEXT, phase_algorithm, 0, "algorithm of this phase"),
    WEFT_COLUMN_GET("dim", NUMBER, U64, phase_dim, 0,
                    "dimension of the fabric; empty: all members as one"),
    WEFT_COLUMN_GET("phase", TEXT, TEXT, phase_kind, 0,
                    "collective that this phase is, among the ranks that differ in the dimension"),
    WEFT_COLUMN_U64(H, "chunks", chunks, "chunks that went through it"),
    WEFT_COLUMN_U64(H, "messages", messages, "messages that this rank sent in it"),
    WEFT_COLUMN_BYTES(H, "bytes", bytes, "payload of those messages"),
    WEFT_COLUMN_NS(H, "begin_ns", begin_ps, "the first chunk began it"),
    WEFT_COLUMN_NS(H, "end_ns", end_ps, "the last chunk ended it"),
    WEFT_COLUMN_NS(H, "queue_ns", queue_ps,
                   "time from being ready to beginning, summed over chunks"),
    WEFT_COLUMN_NS(H, "busy_ns", busy_ps, "time from beginning to end, summed over chunks"),
    WEFT_COLUMN_NS(H, "reduce_ns", reduce_ps, "time spent on adding up, summed over messages"),
    WEFT_COLUMN_GET("algbw_bps", BPS, F64, phase_algbw, 0,
                    "size of the whole operation, of all shards together, / its duration"),
    WEFT_COLUMN_GET("busbw_bps", BPS, F64, phase_busbw, 0,
                    "bus bytes of the whole operation / its duration"),
};

const struct weft_csv_file weft_collectives_csv = WEFT_JOBS_CSV_FILE(
    "collectives.csv",
    "one row per kind of phase of a collective on a rank, when the collective ends", collectives);

typedef struct weft_path_row W;

WEFT_COLUMN_VALUE(W, path_id, u, r->path.op->id)
WEFT_COLUMN_VALUE(W, path_name, text, r->path.op->name)
WEFT_COLUMN_VALUE(W, path_kind, text, weft_op_kind_word(r->path.op))
WEFT_COLUMN_VALUE(W, path_duration, ps, r->path.end_ps - r->path.begin_ps)

static const struct weft_column path[] = {
    WEFT_COLUMN_U64(W, "step", step, "0, 1, 2 ... in order of time"),
    WEFT_COLUMN_U32(W, "rank", path.rank, "rank that the operation ended on"),
    WEFT_COLUMN_U32(W, "from_rank", path.from_rank, "rank that the step before ended on"),
    WEFT_COLUMN_GET("node_id", NUMBER, U64, path_id, 0, "id of the node in that rank's trace"),
    WEFT_COLUMN_GET("name", TEXT, TEXT, path_name, 0, "name of the node in the trace"),
    WEFT_COLUMN_GET("kind", TEXT, TEXT, path_kind, 0,
                    "compute, cpu, memory, send, recv, or the collective"),
    WEFT_COLUMN_NS(W, "begin_ns", path.begin_ps, "end of the step before; 0 for the first"),
    WEFT_COLUMN_NS(W, "end_ns", path.end_ps, "end of this step"),
    WEFT_COLUMN_GET("duration_ns", NS, PS, path_duration, 0,
                    "end_ns - begin_ns: the sum of the last eleven columns"),
    WEFT_COLUMN_U64(W, "messages", path.messages, "messages on the path, one after the other"),
    WEFT_COLUMN_U64(W, "folded", path.folded,
                    "earlier steps that are summed up in this one; 0 but in very long runs"),
    WEFT_COLUMN_NS(W, "compute_ns", path.spent_ps[WEFT_CAUSE_COMPUTE],
                   "of it, an accelerator computed"),
    WEFT_COLUMN_NS(W, "cpu_ns", path.spent_ps[WEFT_CAUSE_CPU], "of it, a CPU computed"),
    WEFT_COLUMN_NS(W, "memory_ns", path.spent_ps[WEFT_CAUSE_MEMORY], "of it, memory was accessed"),
    WEFT_COLUMN_NS(W, "network_ns", path.spent_ps[WEFT_CAUSE_NETWORK],
                   "of it, a message was on its way, as long as it would be alone"),
    WEFT_DELAY_COLUMNS(W, path.spent_ps, 0, "of it, "),
    WEFT_COLUMN_NS(W, "reduce_ns", path.spent_ps[WEFT_CAUSE_REDUCE],
                   "of it, received data was added up or copied"),
    WEFT_COLUMN_NS(W, "endpoint_ns", path.spent_ps[WEFT_CAUSE_ENDPOINT],
                   "of it, software and injection: endpoint delay, LogGP costs"),
};

const struct weft_csv_file weft_path_csv = WEFT_JOBS_CSV_FILE(
    "critical_path.csv", "one row per step of the critical path, when it is known to be one", path);
