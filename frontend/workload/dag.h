/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The per-rank dependency graph: what every workload reader produces and the system layer plays.
 *
 * Formats differ, this does not: readers (Chakra, later ASTRA-sim and SimAI text, HPCC flow lists)
 * resolve ids to indices, units to picoseconds and bytes, and process groups to member lists.
 */
#ifndef WEFT_DAG_H
#define WEFT_DAG_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** What of a RECV any message has (weft_op.any). */
#define WEFT_ANY_PEER 1u
#define WEFT_ANY_TAG 2u

enum weft_op_kind {
    WEFT_OP_META,          /**< nothing to do: completes as soon as its parents have */
    WEFT_OP_COMP,          /**< computation, on the accelerator or (cpu) the CPU */
    WEFT_OP_MEM,           /**< load or store of tensor_bytes */
    WEFT_OP_SEND,          /**< message to `peer` */
    WEFT_OP_RECV,          /**< message from `peer` */
    WEFT_OP_COLL,          /**< this rank's part in a collective of `group` */
    WEFT_OP_RECORDED,      /**< communication that takes its duration and meets nobody */
    WEFT_OP_RECORDED_RECV, /**< the same of a receive, beside which others may go on */
    WEFT_OP_KINDS
};

/** Collectives, in the order of Chakra's CollectiveCommType. */
enum weft_coll_kind {
    WEFT_COLL_ALL_REDUCE,
    WEFT_COLL_REDUCE,
    WEFT_COLL_ALL_GATHER,
    WEFT_COLL_GATHER,
    WEFT_COLL_SCATTER,
    WEFT_COLL_BROADCAST,
    WEFT_COLL_ALL_TO_ALL,
    WEFT_COLL_REDUCE_SCATTER,
    WEFT_COLL_REDUCE_SCATTER_BLOCK,
    WEFT_COLL_BARRIER,
    WEFT_COLL_KINDS
};

/** "all-reduce", "all-gather", ... */
const char *weft_coll_kind_name(enum weft_coll_kind kind);

/** One node of a rank's graph. Fields that do not apply to the kind are 0. */
struct weft_op {
    uint64_t id;      /**< id in the file, for messages and outputs */
    const char *name; /**< owned by the workload's arena; may be "" */
    enum weft_op_kind kind;
    bool cpu; /**< runs on the CPU (is_cpu_op) */
    /** COMP, MEM, RECORDED: recorded duration; 0: take it from the roofline if has_flops, else
     * instant. */
    int64_t duration_ps;
    bool has_flops;        /**< COMP: num_ops was present */
    double flops;          /**< COMP: operations */
    uint64_t tensor_bytes; /**< COMP (roofline), MEM: bytes touched */
    bool store;            /**< MEM: a store, else a load */
    /**
     * SEND, RECV: message size. COLL, see docs/reference/units.md: all-gather: this rank's shard;
     * all others: the full buffer of a rank.
     */
    uint64_t bytes;
    uint32_t peer; /**< SEND: destination rank; RECV: source rank */
    uint32_t unit; /**< COMP with cpu: which of the rank's CPUs; each does one op at a time */
    uint64_t tag;  /**< SEND, RECV: comm_tag */
    /** RECV: takes a message of any source (WEFT_ANY_PEER), any tag (WEFT_ANY_TAG), any size */
    uint8_t any;
    uint8_t
        nic; /**< SEND: the port of its host that it leaves by, from 1; 0: the network chooses */
    enum weft_coll_kind coll;
    uint32_t group;   /**< COLL: index into the workload's groups; 0 is the world */
    int64_t priority; /**< COLL: comm_priority, larger is more urgent */
    bool has_root;    /**< COLL: `root` was given; else the first member of the group */
    uint32_t
        root; /**< COLL: rank that a broadcast or scatter starts from, a gather or reduce ends at */
    uint32_t involved;  /**< COLL: involved_dim, bit d: dimension d takes part; 0: all of them */
    uint32_t ninvolved; /**< dimensions that `involved` speaks of */
    /** COLL: algorithm that this operation asks for, as in the scenario; NULL: none. */
    const char *algorithm;
    /** all-to-all: bytes to and from each member in communicator order; NULL: all equal. */
    const uint64_t *send_bytes, *recv_bytes;
    uint32_t nparents;    /**< distinct parents */
    uint32_t first_child; /**< index into weft_dag.children */
    uint32_t nchildren;
    uint32_t nearly; /**< COMP: so many children, the first, wait for its beginning alone */
};

/**
 * The graph of one rank. Ops are in ascending id, children in ascending index. Acyclic: readers
 * check. Read-only once made: ranks with equal graphs may share the arrays.
 *
 * Ranks whose graphs differ by the groups and peers alone share them too. `group` and `peer` of
 * shared ops are then places in the rank's own lists; weft_dag_op and weft_workload_visit give the
 * op as the rank has it.
 */
struct weft_dag {
    struct weft_op *ops;
    uint32_t nops;
    uint32_t *children; /**< concatenated child lists, as op indices */
    const uint32_t
        *groups; /**< what `group` of the ops stands for; NULL: for itself, and `peer` too */
    const uint32_t *peers; /**< what `peer` of the ops stands for */
};

/** Op @p i as its rank has it; in *own where ranks share it. */
static inline const struct weft_op *weft_dag_op(const struct weft_dag *d, uint32_t i,
                                                struct weft_op *own)
{
    if (!d->groups)
        return &d->ops[i];
    *own = d->ops[i];
    own->group = d->groups[own->group];
    own->peer = d->peers[own->peer];
    return own;
}

/** What a communicator is for. */
enum weft_parallelism {
    WEFT_PARALLEL_OTHER, /**< something else, or it is not known */
    WEFT_PARALLEL_TP,    /**< tensor parallelism, within experts as well */
    WEFT_PARALLEL_CP,    /**< context parallelism */
    WEFT_PARALLEL_EP,    /**< expert parallelism */
    WEFT_PARALLEL_DP, /**< data parallelism, of dense parameters and of experts, sharded or not */
    WEFT_PARALLEL_PP, /**< pipeline parallelism */
    WEFT_PARALLELISMS
};

/** That which a description (`pg_desc`) of generated training jobs stands for: "tp", "edp", ... */
enum weft_parallelism weft_parallelism_of(const char *desc);
/** "tp", "cp", "ep", "dp", "pp"; "" for OTHER. */
const char *weft_parallelism_word(enum weft_parallelism use);
/** What a message between two ranks of such a job is for, by the name of its node: keys and values
 * of context parallelism, stages of the pipeline, else parameter servers and gossip. */
enum weft_parallelism weft_parallelism_of_message(const char *name);

/** A communicator. */
struct weft_group {
    const char *name;      /**< as the trace calls it ("" is the world) */
    const uint32_t *ranks; /**< member ranks in communicator order */
    uint32_t n;
    enum weft_parallelism use; /**< as its definition says */
};

/** What a training job does, for its throughput: model FLOPs are those of forward and backward
 * passes, without what is computed a second time (PaLM, arXiv:2204.02311, appendix B). */
struct weft_steps {
    uint64_t iterations; /**< 0: it is not known what the job is */
    double flops;        /**< model FLOPs of an iteration of the whole job */
    double peak_flops;   /**< FLOP/s of a rank's accelerator, as its data sheet says */
    uint64_t samples;    /**< of an iteration of the whole job */
    const char *unit;    /**< what a sample is: "tokens"; static */
};

/** A whole job. */
struct weft_workload {
    struct weft_arena *arena; /**< owns everything below */
    struct weft_dag *dags;    /**< one per rank */
    uint32_t nranks;
    struct weft_group *groups; /**< groups[0] is the world: ranks 0 .. nranks-1 */
    uint32_t ngroups;
    struct weft_op *visited; /**< room for weft_workload_visit; NULL where no rank has groups and
                                peers of its own */
    struct weft_steps steps; /**< of a generated training job, else 0 */
    const char *notes;       /**< what its reader left out, a line each; NULL: nothing */
    const char *schema; /**< what its first file was written in: "0.0.4"; NULL: no file says it */
    uint32_t nics;      /**< SENDs name none above this; 0: they name none */
    uint32_t hosts_per_rank; /**< NIC k (from 1) of a rank is a host of its own, the k-th of so
                                many that follow each other; 0, 1: a rank is one host */
};

/** Passes over all ops release what lies in a file (arena.h) once per so many. */
#define WEFT_VISIT_OPS 65536u
/** Op @p i of rank @p r, for passes that visit the ops of each rank in order; valid until the next
 * call. */
static inline const struct weft_op *weft_workload_visit(const struct weft_workload *w, uint32_t r,
                                                        uint32_t i)
{
    if (i % WEFT_VISIT_OPS == 0)
        weft_arena_relax(w->arena);
    return weft_dag_op(&w->dags[r], i, w->visited);
}

/** Frees a workload and its arena; NULL is allowed. */
void weft_workload_free(struct weft_workload *w);

WEFT_C_END
#endif
