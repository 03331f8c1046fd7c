/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters of the system layer, and the costs that follow from them alone.
 */
#include "system/system_internal.h"

#include "base/int128.h"
#include "base/units.h"
#include "system/lists.h"

#define AT(field) offsetof(struct weft_system_params, field)

static const struct weft_param params[] = {
    {.name = "all-reduce",
     .type = WEFT_PARAM_STRING,
     .offset = AT(all_reduce),
     .def = "auto",
     .list = &weft_algorithms_form,
     .help =
         "algorithm of all-reduces and barriers; auto: the cheapest for fabric, group and size"},
    {.name = "all-gather",
     .type = WEFT_PARAM_STRING,
     .offset = AT(all_gather),
     .def = "auto",
     .list = &weft_algorithms_form,
     .help = "algorithm of all-gathers, or auto"},
    {.name = "reduce-scatter",
     .type = WEFT_PARAM_STRING,
     .offset = AT(reduce_scatter),
     .def = "auto",
     .list = &weft_algorithms_form,
     .help = "algorithm of reduce-scatters, or auto"},
    {.name = "all-to-all",
     .type = WEFT_PARAM_STRING,
     .offset = AT(all_to_all),
     .def = "auto",
     .list = &weft_algorithms_form,
     .help = "algorithm of all-to-alls, or auto"},
    {.name = "broadcast",
     .type = WEFT_PARAM_STRING,
     .offset = AT(broadcast),
     .def = "auto",
     .list = &weft_algorithms_form,
     .help = "algorithm of broadcasts, or auto"},
    {.name = "reduce",
     .type = WEFT_PARAM_STRING,
     .offset = AT(reduce),
     .def = "auto",
     .list = &weft_algorithms_form,
     .help = "algorithm of reduces, or auto"},
    {.name = "gather",
     .type = WEFT_PARAM_STRING,
     .offset = AT(gather),
     .def = "auto",
     .list = &weft_algorithms_form,
     .help = "algorithm of gathers, or auto"},
    {.name = "scatter",
     .type = WEFT_PARAM_STRING,
     .offset = AT(scatter),
     .def = "auto",
     .list = &weft_algorithms_form,
     .help = "algorithm of scatters, or auto"},
    {.name = "library",
     .type = WEFT_PARAM_ENUM,
     .offset = AT(library),
     .def = "ideal",
     .choices = "ideal|nccl",
     .help = "chooser where an algorithm is auto: weft, the cheapest for the fabric, with no "
             "software costs but those of this section; NCCL by its tuner, with its channels, "
             "protocols and software times (section library)",
     .source = "NVIDIA/nccl, src/graph/tuning.cc"},
    {.name = "order",
     .type = WEFT_PARAM_STRING,
     .offset = AT(order),
     .def = "group",
     .list = &weft_order_form,
     .help =
         "order of the members of a group around a ring: group (as it lists them); inner-first (by "
         "rank: "
         "neighbours in the innermost dimension follow each other); rail (from one row of the "
         "innermost "
         "dimension to the next at the same place); or all ranks, each once: 0,2,1,3"},
    {.name = "algorithm-dir",
     .type = WEFT_PARAM_STRING,
     .offset = AT(algorithm_dir),
     .def = "",
     .help = "directory of the files that algorithms name; empty: the working directory"},
    {.name = "dims",
     .type = WEFT_PARAM_STRING,
     .offset = AT(dims),
     .def = "",
     .list = &weft_dim_sizes_form,
     .help =
         "sizes of the dimensions that ranks are arranged in, innermost first (8,16); empty: the "
         "fabric's"},
    {.name = "dim-bandwidths",
     .type = WEFT_PARAM_STRING,
     .offset = AT(dim_bandwidths),
     .def = "",
     .list = &weft_dim_bandwidths_form,
     .help = "bandwidth of a rank in each dimension (200GB/s,50GB/s), for schedulers; empty: the "
             "fabric's"},
    {.name = "dim-latencies",
     .type = WEFT_PARAM_STRING,
     .offset = AT(dim_latencies),
     .def = "",
     .list = &weft_dim_latencies_form,
     .help =
         "latency of a message in each dimension (500ns,2us), for schedulers; empty: the fabric's"},
    {.name = "all-reduce-phases",
     .type = WEFT_PARAM_ENUM,
     .offset = AT(all_reduce_phases),
     .def = "scatter-gather",
     .choices = "scatter-gather|whole",
     .help = "over dimensions: reduce-scatter and all-gather back, or a whole all-reduce in each"},
    {.name = "inter-dimension",
     .type = WEFT_PARAM_ENUM,
     .offset = AT(inter_dimension),
     .def = "baseline",
     .choices = weft_inter_choices,
     .help = "which dimension a chunk takes first",
     .source = "Themis, ISCA 2022"},
    {.name = "intra-dimension",
     .type = WEFT_PARAM_ENUM,
     .offset = AT(intra_dimension),
     .def = "concurrent",
     .choices = "concurrent|fifo|lifo|smallest-first|priority",
     .help =
         "which chunk a dimension takes next (concurrent: the first that came, or with themis the "
         "order "
         "that is planned to end first); but for concurrent, collectives under way wait for each "
         "other"},
    {.name = "chunks",
     .type = WEFT_PARAM_U64,
     .offset = AT(chunks),
     .def = "1",
     .min = "1",
     .max = "1000000",
     .help = "pieces that a collective is cut into"},
    {.name = "active-chunks",
     .type = WEFT_PARAM_U64,
     .offset = AT(active_chunks),
     .def = "1",
     .min = "1",
     .max = "1000000",
     .help =
         "pieces of one collective in flight at once on each NPU, per dimension (in-network: this "
         "many sums and this many copies)",
     .needs = "chunks!=1"},
    {.name = "one-way-chunks",
     .type = WEFT_PARAM_U64,
     .offset = AT(one_way_chunks),
     .def = "0",
     .min = "0",
     .max = "1000000",
     .help = "active-chunks of collectives other than all-reduces; 0: as many",
     .needs = "chunks!=1",
     .source = "ASTRA-sim: queues per dimension, of which an all-reduce has half for either way"},
    {.name = "endpoint-delay",
     .type = WEFT_PARAM_TIME,
     .offset = AT(endpoint_delay_ps),
     .def = "0",
     .max = "1s",
     .help = "cost of a collective's software path: before a chunk's first message and after each "
             "receive"},
    {.name = "send-overhead",
     .type = WEFT_PARAM_TIME,
     .offset = AT(send_overhead_ps),
     .def = "0",
     .max = "1s",
     .help = "time that the NPU is busy with sending each message of a collective (LogGP's o)",
     .source = "LogGP, SPAA 1995"},
    {.name = "send-latency",
     .type = WEFT_PARAM_TIME,
     .offset = AT(send_latency_ps),
     .def = "0",
     .max = "1s",
     .help =
         "time from the decision to send a message of a collective to its post; messages do not "
         "wait for each other",
     .source = "AS_SEND_LAT of aliyun/SimAI"},
    {.name = "receive-overhead",
     .type = WEFT_PARAM_TIME,
     .offset = AT(receive_overhead_ps),
     .def = "0",
     .max = "1s",
     .help = "time that the NPU is busy with receiving each message of a collective (LogGP's o)",
     .source = "LogGP, SPAA 1995"},
    {.name = "message-gap",
     .type = WEFT_PARAM_TIME,
     .offset = AT(message_gap_ps),
     .def = "0",
     .max = "1s",
     .help = "least time between a message sent and the next (LogGP's g)",
     .source = "LogGP, SPAA 1995"},
    {.name = "injection-bandwidth",
     .type = WEFT_PARAM_RATE,
     .offset = AT(injection_bps),
     .def = "0",
     .help = "rate at which messages leave the NPU (1 / LogGP's G); 0: the network's",
     .source = "LogGP, SPAA 1995"},
    {.name = "reduce-bandwidth",
     .type = WEFT_PARAM_RATE,
     .offset = AT(reduce_bw_bps),
     .def = "0",
     .help = "memory bandwidth that adding up received data gets; 0: reductions cost nothing"},
    {.name = "reduce-passes",
     .type = WEFT_PARAM_U64,
     .offset = AT(reduce_passes),
     .def = "3",
     .min = "0",
     .max = "16",
     .help = "passes over the received bytes per reduction (read, read, write)",
     .needs = "reduce-bandwidth!=0"},
    {.name = "quantum",
     .type = WEFT_PARAM_TIME,
     .offset = AT(quantum_ps),
     .def = "1ps",
     .min = "1ps",
     .max = "1s",
     .help = "computed costs are floored to a multiple of this (ASTRA-sim: 1ns)"},
    {.name = "peak-flops",
     .type = WEFT_PARAM_F64,
     .offset = AT(peak_flops),
     .def = "0",
     .min = "0",
     .help =
         "roofline, and computations without a duration: operations per second of one accelerator; "
         "0: not given"},
    {.name = "memory-bandwidth",
     .type = WEFT_PARAM_RATE,
     .offset = AT(memory_bw_bps),
     .def = "0",
     .help = "roofline and MEM nodes: memory bandwidth of one NPU; 0: not given"},
    {.name = "remote-memory",
     .type = WEFT_PARAM_ENUM,
     .offset = AT(remote_memory),
     .def = "none",
     .choices = "none|per-npu|per-node|pool",
     .help = "memory that MEM nodes with a tensor_size access instead of the NPU's own memory: a "
             "memory "
             "of each "
             "NPU, "
             "of each remote-node neighbouring NPUs, or of all; each serves one access at a time",
     .source = "ASTRA-sim 2.0, ISPASS 2023: remote memory"},
    {.name = "remote-memory-file",
     .type = WEFT_PARAM_STRING,
     .offset = AT(remote_file),
     .def = "",
     .help = "ASTRA-sim's remote memory configuration (JSON), which says what remote-memory, "
             "remote-latency, remote-bandwidth and remote-node say; empty: they do",
     .source = "ASTRA-sim --remote-memory-configuration",
     .needs = "remote-memory=none"},
    {.name = "remote-traffic",
     .type = WEFT_PARAM_BOOL,
     .offset = AT(remote_traffic),
     .def = "false",
     .help = "accesses are messages through the fabric, to its hosts after those of the ranks: "
             "memory k is "
             "host ranks + k; false: by arithmetic, without a network",
     .needs = "remote-memory!=none or remote-memory-file!="},
    {.name = "remote-node",
     .type = WEFT_PARAM_U64,
     .offset = AT(remote_node),
     .def = "0",
     .max = "1048576",
     .help = "ranks that share a memory; 0: those of the innermost dimension",
     .needs = "remote-memory=per-node"},
    {.name = "remote-latency",
     .type = WEFT_PARAM_TIME,
     .offset = AT(remote_latency_ps),
     .def = "0",
     .max = "1s",
     .help = "latency of a remote memory",
     .needs = "remote-memory!=none"},
    {.name = "remote-bandwidth",
     .type = WEFT_PARAM_RATE,
     .offset = AT(remote_bw_bps),
     .def = "0",
     .help = "bandwidth of a remote memory; 0: no limit",
     .needs = "remote-memory!=none"},
    {.name = "stragglers",
     .type = WEFT_PARAM_STRING,
     .offset = AT(stragglers),
     .def = "",
     .list = &weft_stragglers_form,
     .help = "ranks whose computations take longer, with the factor (3:1.5,7:2)"},
    {.name = "priorities",
     .type = WEFT_PARAM_STRING,
     .offset = AT(priorities),
     .def = "",
     .list = &weft_priorities_form,
     .help = "traffic classes 0..7 by type of communication (all-to-all:2,send:5); others: the "
             "transport's"},
    {.name = "qps",
     .type = WEFT_PARAM_STRING,
     .offset = AT(qps),
     .def = "",
     .list = &weft_qps_form,
     .help =
         "QPs that the messages of a pair of ranks take in turn, by type (all-reduce:4,send:2); "
         "others: "
         "1"},
    {.name = "qp-ports",
     .type = WEFT_PARAM_ENUM,
     .offset = AT(qp_ports),
     .def = "hash",
     .choices = "hash|in-turn",
     .help = "by which of the equally near ports of its host a QP leaves: by its hash, or QP after "
             "QP of a pair by port after port, each as often as it is fast, as NCCL's channels "
             "take the NVLinks of a GPU",
     .source = "NVIDIA/nccl, src/graph/search.cc"},
    {.name = "rendezvous",
     .type = WEFT_PARAM_SIZE,
     .offset = AT(rendezvous_bytes),
     .def = "0",
     .help = "SENDs of this size and more wait until their RECV is posted; 0: none does"},
    {.name = "rendezvous-for",
     .type = WEFT_PARAM_ENUM,
     .offset = AT(rendezvous_for),
     .def = "send",
     .choices = "send|all",
     .help =
         "messages that wait for their receive: SENDs (ASTRA-sim), or messages of collectives, too",
     .source = "rendezvous protocol of MPI",
     .needs = "rendezvous!=0"},
    {.name = "rendezvous-handshake",
     .type = WEFT_PARAM_ENUM,
     .offset = AT(rendezvous_handshake),
     .def = "round-trip",
     .choices = "round-trip|ready",
     .help = "the sender asks and the receiver answers, or the receiver sends its answer without a "
             "request (ASTRA-sim)",
     .needs = "rendezvous!=0"},
    {.name = "rendezvous-control",
     .type = WEFT_PARAM_SIZE,
     .offset = AT(rendezvous_control_bytes),
     .def = "64B",
     .help = "size of a message of the handshake (ASTRA-sim: 8192B)",
     .needs = "rendezvous!=0"},
    {.name = "scale-up-share",
     .type = WEFT_PARAM_F64,
     .offset = AT(scale_up_share),
     .def = "1",
     .min = "0.01",
     .max = "1",
     .help = "share of the rate of the innermost dimension's links (NVLink) that is there for "
             "messages: what is left by its own headers and the kernels that copy"},
    {.name = "communication-share",
     .type = WEFT_PARAM_F64,
     .offset = AT(comm_share),
     .def = "0",
     .min = "0",
     .max = "0.95",
     .help = "share of the accelerator that collectives in progress take from computations"},
    {.name = "communication-channels",
     .type = WEFT_PARAM_U64,
     .offset = AT(comm_channels),
     .def = "0",
     .max = "128",
     .help = "SMs that each collective in progress takes from computations that are not bound by "
             "memory (NCCL: one per channel, 16 to 32), in place of communication-share; 0: that"},
    {.name = "accelerator-sms",
     .type = WEFT_PARAM_U64,
     .offset = AT(sms),
     .def = "132",
     .min = "1",
     .max = "4096",
     .help = "multiprocessors of the accelerator (H100: 132, A100: 108)",
     .needs = "communication-channels!=0"},
    {.name = "compute-jitter",
     .type = WEFT_PARAM_F64,
     .offset = AT(compute_jitter),
     .def = "0",
     .min = "0",
     .max = "1",
     .help = "share by which each computation's duration varies at random, either way"},
    {.name = "one-at-a-time",
     .type = WEFT_PARAM_BOOL,
     .offset = AT(one_at_a_time),
     .def = "false",
     .help = "an NPU has one collective, SEND or memory access in progress at a time, in the order "
             "of node ids, and RECVs besides; ranks that differ in their order can then wait for "
             "each other for ever",
     .source = "ASTRA-sim 2: HardwareResource"},
    {.name = "compute-order",
     .type = WEFT_PARAM_ENUM,
     .offset = AT(compute_order),
     .def = "fifo",
     .choices = "fifo|id",
     .help = "which of the computations (and memory accesses) that wait goes next: the one that "
             "became ready first, or that with the lowest node id",
     .source = "ASTRA-sim 2: Workload::issue_dep_free_nodes (id)"},
    {.name = "roofline",
     .type = WEFT_PARAM_BOOL,
     .offset = AT(roofline),
     .def = "false",
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
