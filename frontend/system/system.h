/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The system layer: one simulated NPU per rank plays its graph over a net.
 *
 * All state is per NPU. What one NPU learns of another comes by message; the workload's graphs
 * are read-only. Several communication operations may be in flight at once on each NPU.
 *
 * Ops of different ranks are the same collective when they agree in group, kind and bytes and each
 * is its rank's k-th such op in ascending id. SEND and RECV match by (source, destination, tag),
 * first in, first out. The accelerator, the CPU and the memory of an NPU each do one op at a time.
 */
#ifndef WEFT_SYSTEM_H
#define WEFT_SYSTEM_H

#include "base/param.h"
#include "base/preset.h"
#include "collective/phases.h"
#include "net/net.h"
#include "workload/dag.h"

#include <stdbool.h>

WEFT_C_BEGIN

struct weft_system;
struct weft_library_params;

/** Parameters of the NPUs and their collectives: scenario element <system .../>. */
struct weft_system_params {
    const char *all_reduce; /**< algorithm names, see weft_coll_table() */
    const char *all_gather;
    const char *reduce_scatter;
    const char *all_to_all;
    const char *broadcast;
    const char *reduce;
    const char *gather;
    const char *scatter;
    int library; /**< enum weft_library: whose tuner chooses where the algorithm is auto */
    const struct weft_library_params *nccl; /**< its settings; NULL: weft chooses */
    const char *order; /**< of ranks around a ring: "group", "inner-first", "rail" or "0,2,1,3" */
    const char *algorithm_dir; /**< where files of algorithms are; "": the working directory */
    const char *dims; /**< "8,16": sizes of the dimensions, innermost first; "": the fabric's */
    const char *dim_bandwidths; /**< "200GB/s,50GB/s"; "": not known */
    const char *dim_latencies;  /**< "500ns,2us"; "": not known */
    int all_reduce_phases;      /**< 0: out and back; 1: one whole all-reduce per dimension */
    int inter_dimension;        /**< index into weft_inter_table() */
    int intra_dimension;        /**< enum weft_intra */
    uint64_t chunks;            /**< chunks that a collective is cut into, >= 1 */
    uint64_t one_way_chunks;    /**< the same of collectives that are no all-reduce; 0: as many */
    uint64_t active_chunks;     /**< chunks of one collective in flight at once per NPU, >= 1 */
    int64_t endpoint_delay_ps;  /**< before the first injection of a collective chunk and after each
                                  receive in it */
    int64_t send_overhead_ps, receive_overhead_ps, message_gap_ps; /**< LogGP, see endpoint.c */
    int64_t send_latency_ps; /**< of each message of a collective, beside each other */
    uint64_t injection_bps;  /**< bytes leave the NPU no faster; 0: the network decides */
    uint64_t reduce_bw_bps;  /**< memory bandwidth for reductions, bit/s; 0: reductions are free */
    uint64_t reduce_passes;  /**< memory passes per reduction (read, read, write: 3) */
    int64_t quantum_ps; /**< costs computed here are floored to a multiple of this; 1ps: exact, 1ns:
                           ASTRA-sim's */
    double peak_flops;  /**< roofline: operations per second of the accelerator */
    uint64_t memory_bw_bps;    /**< roofline and MEM nodes, bit/s */
    int remote_memory;         /**< enum weft_remote: what MEM nodes access */
    const char *remote_file;   /**< ASTRA-sim's file that has the values of remote_*; "": none */
    bool remote_traffic;       /**< 1: by messages to the hosts after the ranks; 0: by arithmetic */
    uint64_t remote_node;      /**< per-node: ranks that share a memory; 0: innermost dimension */
    int64_t remote_latency_ps; /**< of a memory */
    uint64_t remote_bw_bps;    /**< of a memory; 0: no limit */
    const char *stragglers;    /**< "3:1.5": rank 3 computes 1.5 times as long */
    double scale_up_share;     /**< 0.01 .. 1 of the rate of the innermost dimension's links */
    uint64_t comm_channels;    /**< SMs that a collective under way occupies; 0: comm_share holds */
    uint64_t sms;              /**< of the accelerator */
    double comm_share;         /**< 0 .. 0.95 of the accelerator that collectives under way take */
    const char *priorities; /**< "all-to-all:2,send:5": traffic classes by type of communication */
    const char *qps;        /**< "all-to-all:4": QPs of a pair by type of communication */
    int qp_ports; /**< 1: QPs of a pair take the ports of their host in turn; 0: by their hash */
    uint64_t rendezvous_bytes; /**< SENDs of that size and more wait for their RECV; 0: none does */
    int rendezvous_for;        /**< enum weft_rendezvous_for: messages of collectives, too */
    int rendezvous_handshake;  /**< enum weft_handshake */
    uint64_t rendezvous_control_bytes; /**< size of a message of the handshake */
    double compute_jitter;             /**< 0 .. 1: computations vary by that share */
    bool one_at_a_time; /**< an NPU has one collective, SEND or memory access in progress at most */
    int compute_order;  /**< enum weft_compute_order: of COMP and MEM ops that wait */
    bool roofline; /**< COMP durations from num_ops and tensor_size; false: recorded durations */
};
/** Memories outside of the NPUs: none, one each, one for each few neighbours, one for all. */
enum weft_remote { WEFT_REMOTE_NONE, WEFT_REMOTE_PER_NPU, WEFT_REMOTE_PER_NODE, WEFT_REMOTE_POOL };
extern const struct weft_param_table weft_system_param_table;
/** What was fitted to machines (presets.c). */
extern const struct weft_preset weft_system_presets[];

/** One finished operation, for ops.csv. */
struct weft_op_record {
    uint32_t rank;
    const struct weft_op *op;
    int64_t ready_ps; /**< all parents were done */
    int64_t start_ps; /**< it got its resource: compute unit, memory; COLL: its first message was
                         posted */
    int64_t end_ps;
    uint32_t members;  /**< COLL: ranks that take part with this one, itself among them */
    uint32_t instance; /**< COLL: number of the collective, from 0, on all ranks the same */
    /** By enum weft_cause: exposed communication of its rank that ended because the operation got
     * on. In sum over the operations of a rank what the rank has. */
    const int64_t *exposed_ps;
};

/** What one rank did in one kind of phase of a collective, over all of its chunks. */
struct weft_phase_record {
    uint32_t rank;
    const struct weft_op *op;
    const char *algorithm;
    int dim;                  /**< dimension of the fabric; -1: all ranks as one */
    enum weft_coll_kind kind; /**< what the phase is, as simulated */
    uint64_t chunks;
    uint64_t messages, bytes;       /**< sent by this rank */
    int64_t begin_ps;               /**< the first chunk began it */
    int64_t end_ps;                 /**< the last chunk ended it */
    int64_t queue_ps;               /**< sum over chunks: ready to begin until begun */
    int64_t busy_ps;                /**< sum over chunks: begun until ended */
    int64_t reduce_ps;              /**< sum over messages: adding up */
    int64_t op_ready_ps, op_end_ps; /**< of the whole operation on this rank */
    uint32_t members;               /**< of the whole operation, as in struct weft_op_record */
};

/** What time goes by with. */
enum weft_cause {
    WEFT_CAUSE_NETWORK, /**< a message is on its way, as long as it would be alone */
    WEFT_CAUSE_DELAY,   /**< it takes longer: by cause, in the order of enum weft_delay */
    WEFT_CAUSE_OWN_NIC = WEFT_CAUSE_DELAY,
    WEFT_CAUSE_CONGESTION_CONTROL,
    WEFT_CAUSE_LOSS_RECOVERY,
    WEFT_CAUSE_PFC_PAUSE,
    WEFT_CAUSE_FABRIC_QUEUEING,
    WEFT_CAUSE_REDUCE,      /**< received data is added up or copied */
    WEFT_CAUSE_ENDPOINT,    /**< software and injection: endpoint delay, LogGP costs */
    WEFT_CAUSES_ON_THE_WAY, /**< how many of them a causal_path counts; see causal_path.h */
    /** A peer has not come to the operation yet. */
    WEFT_CAUSE_PEER = WEFT_CAUSES_ON_THE_WAY,
    /** The peer is in the operation, but has to receive, add up or wait its turn before it can
       send. */
    WEFT_CAUSE_DEPENDENCY,
    WEFT_CAUSE_OPEN,    /**< the run ended before it showed what was waited for */
    WEFT_CAUSE_COMPUTE, /**< on an accelerator */
    WEFT_CAUSE_CPU,
    WEFT_CAUSE_MEMORY,
    WEFT_CAUSES
};
/** "network", "own NIC", ... */
const char *weft_cause_name(enum weft_cause kind);
/** What that is, in a few words: "data on its way, as long as it would take alone". */
const char *weft_cause_meaning(enum weft_cause kind);

/** One step of the critical path: the operation that all later steps waited for. */
struct weft_path_record {
    uint32_t rank;      /**< that it ended on */
    uint32_t from_rank; /**< that the step before ended on; the same rank for the first */
    const struct weft_op
        *op; /**< stays; its group and peer are as in the graph that ranks may share */
    int64_t begin_ps, end_ps;      /**< begin_ps is the end of the step before */
    uint64_t messages;             /**< one after the other on the path */
    uint64_t folded;               /**< earlier steps that are summed up in this one; usually 0 */
    int64_t spent_ps[WEFT_CAUSES]; /**< end_ps - begin_ps in sum */
};

/** What reports listen to; may be NULL. */
struct weft_system_observer {
    void *ctx;
    void (*op)(void *ctx, const struct weft_op_record *record);
    /** For each kind of phase when a collective ends, before op. Groups of one have none. */
    void (*phase)(void *ctx, const struct weft_phase_record *record);
    /** Each step of the critical path, in order, as soon as it is known to be one. */
    void (*path)(void *ctx, const struct weft_path_record *record);
};

/** The result of one rank. Durations are lengths of unions of intervals, in picoseconds. */
struct weft_rank_result {
    bool finished;
    int64_t end_ps;     /**< its last operation ended */
    int64_t compute_ps; /**< at least one accelerator COMP was running */
    int64_t cpu_ps;     /**< at least one CPU op was running */
    int64_t comm_ps;    /**< at least one SEND, RECV or COLL was in progress (a RECV counts from its
                           first byte's send being known: from ready) */
    int64_t exposed_comm_ps; /**< communication in progress and neither COMP, CPU nor MEM running */
    int64_t exposed_ps[WEFT_CAUSES]; /**< exposed_comm_ps by cause; see npu.c */
    int64_t idle_ps; /**< before end_ps, nothing running and no communication in progress */
};

struct weft_job_plan;
/** Measures what workloads take by themselves, each on a net of its own like that of the run. */
struct weft_tuner {
    /** Plays @p w under @p p where the ranks of @p job are. *end_ps: when it was over; WEFT_NEVER:
     * not before @p until_ps, or never. A second call for a job with the same @p key gives what
     * the first gave. */
    int (*measure)(struct weft_tuner *t, const struct weft_job_plan *job, const char *key,
                   struct weft_workload *w, const struct weft_system_params *p, int64_t until_ps,
                   int64_t *end_ps, struct weft_err *err);
};

/** What a run has besides its parameters. */
struct weft_system_env {
    uint64_t seed;                /**< of random streams */
    const struct weft_dims *dims; /**< of the fabric; NULL: not known */
    const struct weft_fabric
        *fabric; /**< for algorithms that fit themselves to it; NULL: not known */
    const struct weft_fabric *net_fabric; /**< that messages cross: for auto; NULL: not known */
    const uint32_t *hosts;           /**< in net_fabric, of each rank; NULL: rank r is host r */
    struct weft_net_manner manner;   /**< how messages go there */
    struct weft_tuner *tuner;        /**< for auto; NULL: nothing is measured */
    const struct weft_job_plan *job; /**< of the tuner */
};

/** Checks the workload against params and fabric (group sizes, algorithm fits N, roofline has its
 * inputs). @p env may be NULL. */
int weft_system_check(const struct weft_workload *w, const struct weft_system_params *p,
                      const struct weft_system_env *env, struct weft_err *err);
/** Calls fn once for each kind of collective and way in which it is simulated: "ring over 16
 * ranks", "ring in dimension 0 (8), ring in dimension 1 (2)". For what weft_system_check accepts.
 */
int weft_system_algorithms(const struct weft_workload *w, const struct weft_system_params *p,
                           const struct weft_system_env *env,
                           void (*fn)(void *ctx, enum weft_coll_kind kind, const char *text),
                           void *ctx, struct weft_err *err);
/** Says, one sentence each with the numbers, where an algorithm does not fit the dimensions of the
 * fabric, and settings of algorithms without effect. For what weft_system_check accepts. */
int weft_system_advise(const struct weft_workload *w, const struct weft_system_params *p,
                       const struct weft_system_env *env,
                       void (*fn)(void *ctx, const char *sentence), void *ctx,
                       struct weft_err *err);
/** Prepares a run of @p w over @p net and installs the net's sink. NULL on failure. All arguments
 * but @p env must outlive it. */
struct weft_system *weft_system_new(const struct weft_workload *w,
                                    const struct weft_system_params *p,
                                    const struct weft_system_env *env, struct weft_net *net,
                                    const struct weft_system_observer *observer,
                                    struct weft_err *err);
/** Frees the run; the net may not be run any further, only freed. NULL is allowed. */
void weft_system_free(struct weft_system *s);
/** Issues every operation without parents, at time now. Call once, then run the net. */
int weft_system_start(struct weft_system *s, struct weft_err *err);
/** Operations done and in total, over all ranks. */
void weft_system_progress(const struct weft_system *s, uint64_t *done, uint64_t *total);
/** Payload in bytes that all operations together move, each hop of an algorithm counted; without
 * the requests and grants of rendezvous. When a run has finished, that much has come to hosts
 * (weft_totals.bytes_received). A pass over the workload: call it once. */
uint64_t weft_system_volume(const struct weft_system *s);
/** Whether every operation of every rank is done. */
bool weft_system_finished(const struct weft_system *s);
/** An error raised inside a callback (the net was stopped because of it), or code 0. */
const struct weft_err *weft_system_error(const struct weft_system *s);
/** The run was cut off at @p reached_ps: what is still going on counts up to then, also where the
 * last event came before it. */
void weft_system_reach(struct weft_system *s, int64_t reached_ps);
/** The dimensions that collectives may go through; n 0: not known. *given (may be NULL): 1 when
 * system.dims gives them, 0 when they are the fabric's. */
const struct weft_dims *weft_system_dims(const struct weft_system *s, bool *given);
void weft_system_result(const struct weft_system *s, uint32_t rank, struct weft_rank_result *out);
/** To be called once when the net has run: reports the rest of the critical path, and checks that
 * it and the causes of exposed communication add up. WEFT_E_INTERNAL when they do not. */
int weft_system_conclude(struct weft_system *s, struct weft_err *err);
/** Says for each unfinished rank what it waits for ("rank 3 waits in all-reduce 'grad_0' (node 12)
 * for rank 2: chunk 0 of 4, step 4, which has not issued it (node 12: 1 parents unfinished)"); at
 * most @p max sentences. Returns the number of unfinished ranks.
 */
uint32_t weft_system_explain(const struct weft_system *s, uint32_t max, weft_net_explain_fn fn,
                             void *ctx);

WEFT_C_END
#endif
