/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters of the system layer, and the costs that follow from them alone.
 */
#include "system/system_internal.h"

#include "base/int128.h"
#include "base/units.h"
#include "system/lists.h"

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct weft_system_params, all_reduce, "all-reduce", "auto"),
     .help = "algorithm of all-reduces and barriers; auto: the cheapest for fabric, group and size",
     .list = &weft_algorithms_form},
    {WEFT_ROW_STRING(struct weft_system_params, all_gather, "all-gather", "auto"),
     .help = "algorithm of all-gathers, or auto", .list = &weft_algorithms_form},
    {WEFT_ROW_STRING(struct weft_system_params, reduce_scatter, "reduce-scatter", "auto"),
     .help = "algorithm of reduce-scatters, or auto", .list = &weft_algorithms_form},
    {WEFT_ROW_STRING(struct weft_system_params, all_to_all, "all-to-all", "auto"),
     .help = "algorithm of all-to-alls, or auto", .list = &weft_algorithms_form},
    {WEFT_ROW_STRING(struct weft_system_params, broadcast, "broadcast", "auto"),
     .help = "algorithm of broadcasts, or auto", .list = &weft_algorithms_form},
    {WEFT_ROW_STRING(struct weft_system_params, reduce, "reduce", "auto"),
     .help = "algorithm of reduces, or auto", .list = &weft_algorithms_form},
    {WEFT_ROW_STRING(struct weft_system_params, gather, "gather", "auto"),
     .help = "algorithm of gathers, or auto", .list = &weft_algorithms_form},
    {WEFT_ROW_STRING(struct weft_system_params, scatter, "scatter", "auto"),
     .help = "algorithm of scatters, or auto", .list = &weft_algorithms_form},
    {WEFT_ROW_ENUM(struct weft_system_params, library, "library", "ideal", "ideal|nccl|rccl"),
     .help = "chooser where an algorithm is auto: weft, the cheapest for the fabric, with no "
             "software costs but those of this section; NCCL by its tuner, with its channels, "
             "protocols and software times (section library)",
     .source = "NVIDIA/nccl, src/graph/tuning.cc"},
    {WEFT_ROW_STRING(struct weft_system_params, order, "order", "group"),
     .help =
         "order of the members of a group around a ring: group (as it lists them); inner-first (by "
         "rank: neighbours in the innermost dimension follow each other); rail (from one row of "
         "the innermost dimension to the next at the same place); or all ranks, each once: 0,2,1,3",
     .list = &weft_order_form},
    {WEFT_ROW_STRING(struct weft_system_params, algorithm_dir, "algorithm-dir", ""),
     .help = "directory of the files that algorithms name; empty: the working directory"},
    {WEFT_ROW_STRING(struct weft_system_params, dims, "dims", ""),
     .help = "sizes of the dimensions that ranks are arranged in, innermost first (8,16); empty: "
             "the fabric's",
     .list = &weft_dim_sizes_form},
    {WEFT_ROW_STRING(struct weft_system_params, dim_bandwidths, "dim-bandwidths", ""),
     .help = "bandwidth of a rank in each dimension (200GB/s,50GB/s), for schedulers; empty: the "
             "fabric's",
     .list = &weft_dim_bandwidths_form},
    {WEFT_ROW_STRING(struct weft_system_params, dim_latencies, "dim-latencies", ""),
     .help =
         "latency of a message in each dimension (500ns,2us), for schedulers; empty: the fabric's",
     .list = &weft_dim_latencies_form},
    {WEFT_ROW_ENUM(struct weft_system_params, all_reduce_phases, "all-reduce-phases",
                   "scatter-gather", "scatter-gather|whole"),
     .help = "over dimensions: reduce-scatter and all-gather back, or a whole all-reduce in each"},
    {WEFT_ROW_ENUM(struct weft_system_params, inter_dimension, "inter-dimension", "baseline",
                   weft_inter_choices),
     .help = "which dimension a chunk takes first", .source = "Themis, ISCA 2022"},
    {WEFT_ROW_ENUM(struct weft_system_params, intra_dimension, "intra-dimension", "concurrent",
                   "concurrent|fifo|lifo|smallest-first|priority"),
     .help = "which chunk a dimension takes next (concurrent: the first that came, or with themis "
             "the order that is planned to end first); but for concurrent, collectives under way "
             "wait for each other"},
    {WEFT_ROW_U64(struct weft_system_params, chunks, "chunks", "1", "1", "1000000"),
     .help = "pieces that a collective is cut into"},
    {WEFT_ROW_U64(struct weft_system_params, active_chunks, "active-chunks", "1", "1", "1000000"),
     .help = "pieces of one collective in flight at once on each NPU, per dimension (in-network: "
             "this many sums and this many copies)",
     .needs = "chunks!=1"},
    {WEFT_ROW_U64(struct weft_system_params, one_way_chunks, "one-way-chunks", "0", "0", "1000000"),
     .help = "active-chunks of collectives other than all-reduces; 0: as many",
     .source =
         "ASTRA-sim: queues per dimension, of which an all-reduce has half for either direction",
     .needs = "chunks!=1"},
    {WEFT_ROW_TIME(struct weft_system_params, endpoint_delay_ps, "endpoint-delay", "0", NULL, "1s"),
     .help = "cost of a collective's software path: before a chunk's first message and after each "
             "receive"},
    {WEFT_ROW_TIME(struct weft_system_params, send_overhead_ps, "send-overhead", "0", NULL, "1s"),
     .help = "time that the NPU is busy with sending each message of a collective (LogGP's o)",
     .source = "LogGP, SPAA 1995"},
    {WEFT_ROW_TIME(struct weft_system_params, send_latency_ps, "send-latency", "0", NULL, "1s"),
     .help = "time from the decision to send a message of a collective to its post; messages do "
             "not wait for each other",
     .source = "AS_SEND_LAT of aliyun/SimAI"},
    {WEFT_ROW_TIME(struct weft_system_params, receive_overhead_ps, "receive-overhead", "0", NULL,
                   "1s"),
     .help = "time that the NPU is busy with receiving each message of a collective (LogGP's o)",
     .source = "LogGP, SPAA 1995"},
    {WEFT_ROW_TIME(struct weft_system_params, message_gap_ps, "message-gap", "0", NULL, "1s"),
     .help = "least time between a message sent and the next (LogGP's g)",
     .source = "LogGP, SPAA 1995"},
    {WEFT_ROW_RATE(struct weft_system_params, injection_bps, "injection-bandwidth", "0", NULL,
                   NULL),
     .help = "rate at which messages leave the NPU (1 / LogGP's G); 0: the network's",
     .source = "LogGP, SPAA 1995"},
    {WEFT_ROW_RATE(struct weft_system_params, reduce_bw_bps, "reduce-bandwidth", "0", NULL, NULL),
     .help = "memory bandwidth that adding up received data gets; 0: reductions cost nothing"},
    {WEFT_ROW_U64(struct weft_system_params, reduce_passes, "reduce-passes", "3", "0", "16"),
     .help = "passes over the received bytes per reduction (read, read, write)",
     .needs = "reduce-bandwidth!=0"},
    {WEFT_ROW_TIME(struct weft_system_params, quantum_ps, "quantum", "1ps", "1ps", "1s"),
     .help = "computed costs are floored to a multiple of this (ASTRA-sim: 1ns)"},
    {WEFT_ROW_F64(struct weft_system_params, peak_flops, "peak-flops", "0", "0", NULL),
     .help = "roofline, and computations without a duration: operations per second of one "
             "accelerator; 0: not given"},
    {WEFT_ROW_RATE(struct weft_system_params, memory_bw_bps, "memory-bandwidth", "0", NULL, NULL),
     .help = "roofline and MEM nodes: memory bandwidth of one NPU; 0: not given"},
    {WEFT_ROW_ENUM(struct weft_system_params, remote_memory, "remote-memory", "none",
                   "none|per-npu|per-node|pool"),
     .help = "memory that MEM nodes with a tensor_size access instead of the NPU's own memory: a "
             "memory of each NPU, of each remote-node neighbouring NPUs, or of all; each serves "
             "one access at a time",
     .source = "ASTRA-sim 2.0, ISPASS 2023: remote memory"},
    {WEFT_ROW_STRING(struct weft_system_params, remote_file, "remote-memory-file", ""),
     .help = "ASTRA-sim's remote memory configuration (JSON), which says what remote-memory, "
             "remote-latency, remote-bandwidth and remote-node say; empty: they do",
     .source = "ASTRA-sim --remote-memory-configuration", .needs = "remote-memory=none"},
    {WEFT_ROW_BOOL(struct weft_system_params, remote_traffic, "remote-traffic", "false"),
     .help = "accesses are messages through the fabric, to its hosts after those of the ranks: "
             "memory k is host ranks + k; false: by arithmetic, without a network",
     .needs = "remote-memory!=none or remote-memory-file!="},
    {WEFT_ROW_U64(struct weft_system_params, remote_node, "remote-node", "0", NULL, "1048576"),
     .help = "ranks that share a memory; 0: those of the innermost dimension",
     .needs = "remote-memory=per-node"},
    {WEFT_ROW_TIME(struct weft_system_params, remote_latency_ps, "remote-latency", "0", NULL, "1s"),
     .help = "latency of a remote memory", .needs = "remote-memory!=none"},
    {WEFT_ROW_RATE(struct weft_system_params, remote_bw_bps, "remote-bandwidth", "0", NULL, NULL),
     .help = "bandwidth of a remote memory; 0: no limit", .needs = "remote-memory!=none"},
    {WEFT_ROW_STRING(struct weft_system_params, stragglers, "stragglers", ""),
     .help = "ranks whose computations take longer, with the factor (3:1.5,7:2)",
     .list = &weft_stragglers_form},
    {WEFT_ROW_STRING(struct weft_system_params, priorities, "priorities", ""),
     .help = "traffic classes 0..7 by type of communication (all-to-all:2,send:5); others: the "
             "transport's",
     .list = &weft_priorities_form},
    {WEFT_ROW_STRING(struct weft_system_params, qps, "qps", ""),
     .help = "QPs that the messages of a pair of ranks take in turn, by type "
             "(all-reduce:4,send:2); others: 1",
     .list = &weft_qps_form},
    {WEFT_ROW_ENUM(struct weft_system_params, qp_ports, "qp-ports", "hash", "hash|in-turn"),
     .help = "by which of the equally near ports of its host a QP leaves: by its hash, or QP after "
             "QP of a pair by port after port, each as often as it is fast, as NCCL's channels "
             "take the NVLinks of a GPU",
     .source = "NVIDIA/nccl, src/graph/search.cc"},
    {WEFT_ROW_SIZE(struct weft_system_params, rendezvous_bytes, "rendezvous", "0", NULL, NULL),
     .help = "SENDs of this size and more wait until their RECV is posted; 0: none does"},
    {WEFT_ROW_ENUM(struct weft_system_params, rendezvous_for, "rendezvous-for", "send", "send|all"),
     .help =
         "messages that wait for their receive: SENDs (ASTRA-sim), or messages of collectives, too",
     .source = "rendezvous protocol of MPI", .needs = "rendezvous!=0"},
    {WEFT_ROW_ENUM(struct weft_system_params, rendezvous_handshake, "rendezvous-handshake",
                   "round-trip", "round-trip|ready"),
     .help = "the sender asks and the receiver answers, or the receiver sends its answer without a "
             "request (ASTRA-sim)",
     .needs = "rendezvous!=0"},
    {WEFT_ROW_SIZE(struct weft_system_params, rendezvous_control_bytes, "rendezvous-control", "64B",
                   NULL, NULL),
     .help = "size of a message of the handshake (ASTRA-sim: 8192B)", .needs = "rendezvous!=0"},
    {WEFT_ROW_F64(struct weft_system_params, scale_up_share, "scale-up-share", "1", "0.01", "1"),
     .help = "share of the rate of the innermost dimension's links (NVLink) that is there for "
             "messages: what is left by its own headers and the kernels that copy"},
    {WEFT_ROW_F64(struct weft_system_params, comm_share, "communication-share", "0", "0", "0.95"),
     .help = "share of the accelerator that collectives in progress take from computations"},
    {WEFT_ROW_U64(struct weft_system_params, comm_channels, "communication-channels", "0", NULL,
                  "128"),
     .help = "SMs that each collective in progress takes from computations that are not bound by "
             "memory (NCCL: one per channel, 16 to 32), in place of communication-share; 0: that"},
    {WEFT_ROW_U64(struct weft_system_params, sms, "accelerator-sms", "132", "1", "4096"),
     .help = "multiprocessors of the accelerator (H100: 132, A100: 108)",
     .needs = "communication-channels!=0"},
    {WEFT_ROW_F64(struct weft_system_params, compute_jitter, "compute-jitter", "0", "0", "1"),
     .help = "share by which each computation's duration varies at random, up and down"},
    {WEFT_ROW_BOOL(struct weft_system_params, one_at_a_time, "one-at-a-time", "false"),
     .help = "an NPU has one collective, SEND or memory access in progress at a time, in the order "
             "of node ids, and RECVs besides; ranks that differ in their order can then wait for "
             "each other for ever",
     .source = "ASTRA-sim 2: HardwareResource"},
    {WEFT_ROW_ENUM(struct weft_system_params, compute_order, "compute-order", "fifo", "fifo|id"),
     .help = "which of the computations (and memory accesses) that wait goes next: the one that "
             "became ready first, or that with the lowest node id",
     .source = "ASTRA-sim 2: Workload::issue_dep_free_nodes (id)"},
    {WEFT_ROW_BOOL(struct weft_system_params, roofline, "roofline", "false"),
     .help = "accelerator durations from num_ops and tensor_size instead of recorded ones"},
};

const struct weft_param_table weft_system_param_table =
    WEFT_PARAM_TABLE(params, struct weft_system_params);

static int64_t clamped_ps(weft_u128 ps)
{
    return ps > WEFT_TOO_LONG_PS ? WEFT_TOO_LONG_PS : (int64_t)ps;
}

static int64_t floored(const struct weft_system_params *p, int64_t ps)
{
    return ps - ps % p->quantum_ps;
}

static int64_t memory_ps(uint64_t bytes, uint64_t bw_bps)
{
    return clamped_ps((weft_u128)bytes * 8 * WEFT_PS_PER_S / bw_bps);
}

int64_t weft_reduce_ps(const struct weft_system_params *p, uint64_t bytes)
{
    if (p->reduce_bw_bps == 0)
        return 0;
    return clamped_ps((weft_u128)p->reduce_passes *
                      (uint64_t)floored(p, memory_ps(bytes, p->reduce_bw_bps)));
}

int64_t weft_copy_ps(const struct weft_system_params *p, uint64_t bytes)
{
    /* a read and a write */
    return p->reduce_bw_bps
               ? clamped_ps(2 * (weft_u128)(uint64_t)floored(p, memory_ps(bytes, p->reduce_bw_bps)))
               : 0;
}

/* flops / peak in picoseconds: exact when both are whole numbers below 2^63. */
static int64_t flops_ps(double flops, double peak)
{
    if (flops < 0x1p63 && peak < 0x1p63 && flops == (double)(uint64_t)flops &&
        peak == (double)(uint64_t)peak)
        return clamped_ps((weft_u128)(uint64_t)flops * WEFT_PS_PER_S / (uint64_t)peak);
    double ps = flops / peak * (double)WEFT_PS_PER_S;
    return ps < (double)WEFT_TOO_LONG_PS ? (int64_t)ps : WEFT_TOO_LONG_PS;
}

int64_t weft_remote_ps(const struct weft_system_params *p, uint64_t bytes)
{
    int64_t ps = p->remote_bw_bps ? memory_ps(bytes, p->remote_bw_bps) : 0;
    return floored(p, weft_sum_ps(ps, p->remote_latency_ps));
}

int weft_uses_roofline(const struct weft_system_params *p, const struct weft_op *op)
{
    return op->kind == WEFT_OP_COMP && !op->cpu && op->has_flops &&
           (p->roofline || op->duration_ps == 0);
}

int64_t weft_op_duration_ps(const struct weft_system_params *p, const struct weft_op *op)
{
    if (weft_uses_roofline(p, op)) {
        int64_t compute = op->flops > 0 ? flops_ps(op->flops, p->peak_flops) : 0;
        int64_t memory = op->tensor_bytes ? memory_ps(op->tensor_bytes, p->memory_bw_bps) : 0;
        return floored(p, compute > memory ? compute : memory);
    }
    if (op->kind == WEFT_OP_MEM && op->duration_ps == 0 && op->tensor_bytes)
        return floored(p, memory_ps(op->tensor_bytes, p->memory_bw_bps));
    return op->duration_ps;
}
