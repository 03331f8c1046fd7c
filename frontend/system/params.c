/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters of the system layer, and the costs that follow from them alone.
 */
#include "system/internal.h"

#include "base/int128.h"
#include "base/units.h"

#define AT(field) offsetof(struct weft_system_params, field)

static const struct weft_param params[] = {
    {"all-reduce", WEFT_PARAM_STRING, AT(all_reduce), "ring", NULL, NULL, NULL,
     "algorithm of all-reduces and barriers", NULL},
    {"all-gather", WEFT_PARAM_STRING, AT(all_gather), "ring", NULL, NULL, NULL,
     "algorithm of all-gathers", NULL},
    {"reduce-scatter", WEFT_PARAM_STRING, AT(reduce_scatter), "ring", NULL, NULL, NULL,
     "algorithm of reduce-scatters", NULL},
    {"all-to-all", WEFT_PARAM_STRING, AT(all_to_all), "direct", NULL, NULL, NULL,
     "algorithm of all-to-alls", NULL},
    {"broadcast", WEFT_PARAM_STRING, AT(broadcast), "binomial", NULL, NULL, NULL,
     "algorithm of broadcasts", NULL},
    {"reduce", WEFT_PARAM_STRING, AT(reduce), "binomial", NULL, NULL, NULL, "algorithm of reduces",
     NULL},
    {"gather", WEFT_PARAM_STRING, AT(gather), "binomial", NULL, NULL, NULL, "algorithm of gathers",
     NULL},
    {"scatter", WEFT_PARAM_STRING, AT(scatter), "binomial", NULL, NULL, NULL,
     "algorithm of scatters", NULL},
    {"order", WEFT_PARAM_STRING, AT(order), "group", NULL, NULL, NULL,
     "order of the members of a group around a ring: group (as it lists them); inner-first (by "
     "rank: "
     "neighbours in the innermost dimension follow each other); rail (from one row of the "
     "innermost "
     "dimension to the next at the same place); or all ranks, each once: 0,2,1,3",
     NULL},
    {"algorithm-dir", WEFT_PARAM_STRING, AT(algorithm_dir), "", NULL, NULL, NULL,
     "directory of the files that algorithms name; empty: the working directory", NULL},
    {"dims", WEFT_PARAM_STRING, AT(dims), "", NULL, NULL, NULL,
     "sizes of the dimensions that ranks are arranged in, innermost first (8,16); empty: the "
     "fabric's",
     NULL},
    {"dim-bandwidths", WEFT_PARAM_STRING, AT(dim_bandwidths), "", NULL, NULL, NULL,
     "bandwidth of a rank in each dimension (200GB/s,50GB/s), for schedulers; empty: the fabric's",
     NULL},
    {"dim-latencies", WEFT_PARAM_STRING, AT(dim_latencies), "", NULL, NULL, NULL,
     "latency of a message in each dimension (500ns,2us), for schedulers; empty: the fabric's",
     NULL},
    {"all-reduce-phases", WEFT_PARAM_ENUM, AT(all_reduce_phases), "scatter-gather", NULL, NULL,
     "scatter-gather|whole",
     "over dimensions: reduce-scatter and all-gather back, or a whole all-reduce in each", NULL},
    {"inter-dimension", WEFT_PARAM_ENUM, AT(inter_dimension), "baseline", NULL, NULL,
     weft_inter_choices, "which dimension a chunk takes first", "Themis, ISCA 2022"},
    {"intra-dimension", WEFT_PARAM_ENUM, AT(intra_dimension), "concurrent", NULL, NULL,
     "concurrent|fifo|lifo|smallest-first|priority",
     "which chunk a dimension takes next (concurrent: the first that came, or with themis the "
     "order "
     "that is planned to end first); but for concurrent, collectives under way wait for each other",
     NULL},
    {"chunks", WEFT_PARAM_U64, AT(chunks), "1", "1", "1000000", NULL,
     "pieces that a collective is cut into", NULL},
    {"active-chunks", WEFT_PARAM_U64, AT(active_chunks), "1", "1", "1000000", NULL,
     "pieces of one collective in flight at once on each NPU, per dimension", NULL, "chunks!=1"},
    {"endpoint-delay", WEFT_PARAM_TIME, AT(endpoint_delay_ps), "0", NULL, "1s", NULL,
     "cost of a collective's software path: before a chunk's first message and after each receive",
     NULL},
    {"send-overhead", WEFT_PARAM_TIME, AT(send_overhead_ps), "0", NULL, "1s", NULL,
     "time that the NPU is busy with sending each message of a collective (LogGP's o)",
     "LogGP, SPAA 1995"},
    {"receive-overhead", WEFT_PARAM_TIME, AT(receive_overhead_ps), "0", NULL, "1s", NULL,
     "time that the NPU is busy with receiving each message of a collective (LogGP's o)",
     "LogGP, SPAA 1995"},
    {"message-gap", WEFT_PARAM_TIME, AT(message_gap_ps), "0", NULL, "1s", NULL,
     "least time between a message sent and the next (LogGP's g)", "LogGP, SPAA 1995"},
    {"injection-bandwidth", WEFT_PARAM_RATE, AT(injection_bps), "0", NULL, NULL, NULL,
     "rate at which messages leave the NPU (1 / LogGP's G); 0: the network's", "LogGP, SPAA 1995"},
    {"reduce-bandwidth", WEFT_PARAM_RATE, AT(reduce_bw_bps), "0", NULL, NULL, NULL,
     "memory bandwidth that adding up received data gets; 0: reductions cost nothing", NULL},
    {"reduce-passes", WEFT_PARAM_U64, AT(reduce_passes), "3", "0", "16", NULL,
     "passes over the received bytes per reduction (read, read, write)", NULL,
     "reduce-bandwidth!=0"},
    {"quantum", WEFT_PARAM_TIME, AT(quantum_ps), "1ps", "1ps", "1s", NULL,
     "computed costs are floored to a multiple of this (ASTRA-sim: 1ns)", NULL},
    {"peak-flops", WEFT_PARAM_F64, AT(peak_flops), "0", "0", NULL, NULL,
     "roofline: operations per second of one accelerator; 0: not given", NULL, "roofline=true"},
    {"memory-bandwidth", WEFT_PARAM_RATE, AT(memory_bw_bps), "0", NULL, NULL, NULL,
     "roofline and MEM nodes: memory bandwidth of one NPU; 0: not given", NULL},
    {"remote-memory", WEFT_PARAM_ENUM, AT(remote_memory), "none", NULL, NULL,
     "none|per-npu|per-node|pool",
     "what MEM nodes with a tensor_size access instead of the NPU's own memory: a memory of each "
     "NPU, "
     "of each remote-node neighbouring NPUs, or of all; each serves one access at a time",
     "ASTRA-sim 2.0, ISPASS 2023: remote memory"},
    {"remote-memory-file", WEFT_PARAM_STRING, AT(remote_file), "", NULL, NULL, NULL,
     "ASTRA-sim's remote memory configuration (JSON), which says what remote-memory, "
     "remote-latency, remote-bandwidth and remote-node say; empty: they do",
     "ASTRA-sim --remote-memory-configuration", "remote-memory=none"},
    {"remote-traffic", WEFT_PARAM_BOOL, AT(remote_traffic), "false", NULL, NULL, NULL,
     "accesses are messages through the fabric, to its hosts after those of the ranks: memory k is "
     "host ranks + k; false: by arithmetic, without a network",
     NULL, "remote-memory!=none or remote-memory-file!="},
    {"remote-node", WEFT_PARAM_U64, AT(remote_node), "0", NULL, "1048576", NULL,
     "ranks that share a memory; 0: those of the innermost dimension", NULL,
     "remote-memory=per-node"},
    {"remote-latency", WEFT_PARAM_TIME, AT(remote_latency_ps), "0", NULL, "1s", NULL,
     "latency of a remote memory", NULL, "remote-memory!=none"},
    {"remote-bandwidth", WEFT_PARAM_RATE, AT(remote_bw_bps), "0", NULL, NULL, NULL,
     "bandwidth of a remote memory; 0: no limit", NULL, "remote-memory!=none"},
    {"stragglers", WEFT_PARAM_STRING, AT(stragglers), "", NULL, NULL, NULL,
     "ranks whose computations take longer, with the factor (3:1.5,7:2)", NULL},
    {"priorities", WEFT_PARAM_STRING, AT(priorities), "", NULL, NULL, NULL,
     "traffic classes 0..7 by type of communication (all-to-all:2,send:5); others: the transport's",
     NULL},
    {"qps", WEFT_PARAM_STRING, AT(qps), "", NULL, NULL, NULL,
     "QPs that the messages of a pair of ranks take in turn, by type (all-reduce:4,send:2); "
     "others: "
     "1",
     NULL},
    {"rendezvous", WEFT_PARAM_SIZE, AT(rendezvous_bytes), "0", NULL, NULL, NULL,
     "SENDs of this size and more wait until their RECV is posted; 0: none does", NULL},
    {"rendezvous-for", WEFT_PARAM_ENUM, AT(rendezvous_for), "send", NULL, NULL, "send|all",
     "what waits for its receive: SENDs (ASTRA-sim), or messages of collectives, too",
     "rendezvous protocol of MPI", "rendezvous!=0"},
    {"rendezvous-handshake", WEFT_PARAM_ENUM, AT(rendezvous_handshake), "round-trip", NULL, NULL,
     "round-trip|ready",
     "the sender asks and the receiver answers, or the receiver says so unasked (ASTRA-sim)", NULL,
     "rendezvous!=0"},
    {"rendezvous-control", WEFT_PARAM_SIZE, AT(rendezvous_control_bytes), "64B", NULL, NULL, NULL,
     "size of a message of the handshake (ASTRA-sim: 8192B)", NULL, "rendezvous!=0"},
    {"communication-share", WEFT_PARAM_F64, AT(comm_share), "0", "0", "0.95", NULL,
     "share of the accelerator that collectives in progress take from computations", NULL},
    {"compute-jitter", WEFT_PARAM_F64, AT(compute_jitter), "0", "0", "1", NULL,
     "share by which each computation's duration varies at random, either way", NULL},
    {"roofline", WEFT_PARAM_BOOL, AT(roofline), "false", NULL, NULL, NULL,
     "accelerator durations from num_ops and tensor_size instead of recorded ones", NULL},
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
