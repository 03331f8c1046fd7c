/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the system layer. One struct weft_npu per rank; nothing in it is read by another rank's
 * code, except by the diagnosis in explain.c.
 *
 * Files call those below them only; docs/explanation/system-layer.md draws it.
 *
 *   system.c     a run: made, started, freed; where the net's messages come in
 *   explain.c    what unfinished ranks wait for
 *   op_table.c   table of what begins an op
 *   coll_run.c   chunks and phases of a collective     p2p.c       SEND and RECV
 *   coll_prog.c  interpreter of collective programs    resources.c COMP and MEM
 *   coll_rendezvous.c  of their messages               p2p_table.c what is unmatched
 *   coll_hold.c  what waits for other collectives      remote.c    memories outside of the NPUs
 *   in_network.c operations of the switches            share.c     computations that collectives slow down
 *   p2p_any.c    RECVs from any rank, with any tag
 *   npu.c        ops from ready to done                endpoint.c  costs of messages and computations
 *   account.c    how an NPU's time is spent            causal_path.c     the critical path
 *   events.c     timers, and the first error
 *
 *   check.c      validation before a run               fit.c       whether algorithms fit the fabric
 *   sites.c      groups of switches, programs made for the fabric
 *   choices.c    which algorithm plays an op           coll_ids.c  numbering of collectives
 *   choice.c     how one is written                    auto.c      the cheapest; auto.h
 *   shapes.c     groups as grids of dimensions         order.c     around a ring
 *   positions.c  ranks in groups                       classes.c   traffic classes and QPs
 *   splits.c     sizes of all-to-all-v                 remote_file.c  ASTRA-sim's description of memories
 *   volume.c     how much payload a workload moves   schedule.c  a job as a GOAL schedule
 */
#ifndef WEFT_SYSTEM_INTERNAL_H
#define WEFT_SYSTEM_INTERNAL_H

#include "base/require.h"
#include "base/rng.h"
#include "base/units.h"
#include "collective/algorithm.h"
#include "system/agreed_order.h"
#include "system/system.h"
#include "system/causal_path.h"
#include "base/u64map.h"

#include <stdbool.h>

struct weft_npu;
struct weft_coll_run;
struct weft_prog;
struct weft_p2p;
struct weft_any;

/** An op that has been issued and is not done. */
struct weft_active {
    struct weft_npu *npu;
    uint32_t op;                          /**< index into the rank's ops */
    int64_t ready_ps, start_ps;           /**< start_ps is -1 until it starts */
    struct weft_active *prev, *next;      /**< all active ops of the NPU, in issue order */
    struct weft_active *queued;           /**< next in a resource's or a RECV's queue */
    struct weft_coll_run *coll;           /**< COLL */
    struct weft_causal_path *causal_path; /**< of what began it, once it has begun */
    int64_t exposed_ps[WEFT_CAUSES];      /**< exposed time that ended as it got on, by cause */
    const struct weft_op *what;           /**< the op */
    struct weft_op own[];                 /**< it, where ranks share theirs */
};

/** First in, first out of ops. */
struct weft_fifo {
    struct weft_active *head, *tail;
};

/** Something that does one op at a time. */
struct weft_resource {
    struct weft_active *running;
    struct weft_fifo waiting;
};

enum weft_op_phase { WEFT_OP_WAITS = 0, WEFT_OP_ACTIVE, WEFT_OP_DONE };

/** What changes about an op of the workload during a run. */
struct weft_op_state {
    uint32_t parents_left;
    uint32_t instance; /**< COLL: number of the collective, see coll_ids.h */
    uint8_t phase;     /**< enum weft_op_phase */
};

/** What stands for: whatever is cheapest there. */
#define WEFT_CHOICE_AUTO "auto"
/** Longest text of a choice that auto makes, with its terminator. */
#define WEFT_CHOICE_TEXT_MAX 288u
/** One or, with dimensions, one algorithm per dimension. */
struct weft_choice {
    const char *text; /**< as written */
    bool automatic;   /**< auto: n is 0 */
    uint32_t n;
    struct weft_coll_algorithm alg[WEFT_DIMS_MAX];
};
struct weft_auto;

/** Every choice that the parameters and the workload name. */
struct weft_choices {
    struct weft_choice kind[WEFT_COLL_KINDS]; /**< by kind as simulated */
    struct weft_choice *named;                /**< those that single ops ask for */
    size_t nnamed;
    struct weft_auto *autos; /**< what auto is for each op; NULL: nothing asks for it */
};

/** A group in the dimensions of the fabric. */
struct weft_shape {
    int grid;              /**< its members are all combinations of places in its dimensions */
    uint32_t mask;         /**< dimensions in which members differ; without dimensions 1 */
    struct weft_dims dims; /**< of those, innermost first */
    uint32_t fabric_dim[WEFT_DIMS_MAX]; /**< which dimension of the fabric each is */
    uint32_t stride[WEFT_DIMS_MAX];     /**< between ranks of neighbouring places of the fabric */
    uint32_t *places[WEFT_DIMS_MAX];    /**< per dimension: the places that members have */
};

/** How the members of a group sit around a ring; see order.c. */
struct weft_ring {
    uint32_t *ranks; /**< by place */
    uint32_t *place; /**< by position in the group */
};

/** What is left of a computation that collectives may slow down; see share.c. */
struct weft_share {
    int64_t left_ps; /**< at full speed, as of at_ps */
    int64_t at_ps;
    uint64_t timer;                     /**< number of the timer that counts */
    double taken;                       /**< share of the accelerator that is taken from it */
    void (*over)(struct weft_npu *npu); /**< called when nothing is left */
};

/** Min-heap of op indices. */
struct weft_op_heap {
    uint32_t *op;
    uint32_t n, cap;
};

/** One simulated NPU. */
struct weft_npu {
    struct weft_system *sys;
    struct weft_prog *recent; /**< the program that a message was for last; NULL: none */
    uint32_t rank;
    const struct weft_dag *dag;
    struct weft_op_state *state;
    uint32_t done;
    struct weft_op_heap ready; /**< to be issued */
    struct weft_op_heap held;  /**< the same, once another's turn is over */
    bool turn_taken;           /**< an op that others wait for is in progress */
    int issuing;
    struct weft_resource accelerator, memory;
    struct weft_resource *cpus; /**< by `unit` of the ops; ncpus of them */
    uint32_t ncpus, cpus_busy;
    struct weft_active *first_active, *last_active;
    struct weft_u64map progs;       /**< tag without lane and instruction -> struct weft_prog */
    struct weft_coll_claim *claims; /**< collectives in progress */
    uint64_t claims_left;           /**< collectives that have ended */
    int retry, retrying;            /**< see retry() of coll_run.c */
    int64_t inject_free_ps;         /**< the NPU can begin to inject another message */
    int64_t receive_free_ps;        /**< ... to take one in */
    int64_t proxy_free_ps;          /**< the thread that serves its NICs is free */
    int64_t proxy_begin_ps;         /**< its last round begins */
    uint32_t proxy_n;               /**< messages of that round */
    double slowdown;                /**< of its computations */
    struct weft_u64map early; /**< tags of collective messages that came before their receive */
    struct weft_p2p *p2p;     /**< hash: unmatched messages or RECVs per (source, tag) */
    struct weft_any *any;     /**< instead, where some RECV takes any; NULL: none does */
    int64_t counted_ps;       /**< accounting is done up to here */
    uint32_t communicating;   /**< active SEND, RECV, COLL */
    uint32_t collectives;     /**< active COLL */
    struct weft_causal_path *causal_path; /**< of the present event; NULL: there is none */
    /** those of the thread in which a message is taken in now; NULL: the frontend's own */
    struct weft_causal_path_notes *notes;
    uint32_t causal_path_op; /**< op that it is an event of */
    struct weft_share share; /**< the running computation when collectives slow it down */
    struct weft_rank_result result;
};

/** Types of communication: the collectives, and SEND with RECV. */
#define WEFT_COMM_TYPES (WEFT_COLL_KINDS + 1)
/** Most priorities of collectives that have QPs of their own. */
#define WEFT_URGENCIES_MAX 16u
/** Most turns after which ports come again. */
#define WEFT_TURNS_MAX 255u
/** Ports of a host that QPs 0, 1, 2 ... of a pair take, and again, from 1. */
struct weft_turns {
    uint8_t n; /**< 0: by hash */
    uint8_t port[WEFT_TURNS_MAX];
};
/** Traffic class and QPs of each type. */
struct weft_classes {
    uint32_t prio[WEFT_COMM_TYPES], qps[WEFT_COMM_TYPES];
    /** Priorities of collectives, ascending: each has its own QPs, the last and above share. None:
     * all share. */
    uint32_t nurgencies;
    int64_t urgency[WEFT_URGENCIES_MAX];
    struct weft_turns *turns; /**< per rank; NULL: QPs take the port of their hash */
};

struct weft_joint;

/** A group of the net: ranks whose data the switches add up. */
struct weft_site_group {
    uint32_t id;                /**< number of the net */
    struct weft_u64map posting; /**< tag -> struct weft_joint that not all have posted */
    struct weft_joint *joints;  /**< all in progress */
    struct weft_site_group *next;
};

/** Where algorithms meet the fabric: what they need of it, per set of ranks that plays together. */
struct weft_sites {
    struct weft_u64map net_group; /**< weft_site_net_key() -> struct weft_site_group */
    struct weft_site_group *groups;
    /** key of weft_site_key(), with the root as base -> struct weft_site_program */
    struct weft_u64map programs;
    struct weft_site_program *first;
};

struct weft_system {
    const struct weft_workload *w;
    struct weft_classes classes;
    struct weft_system_params params; /**< as given, with what files and dimensions say filled in */
    const struct weft_system_params *p;
    struct weft_net *net;
    struct weft_system_observer observer;
    struct weft_choices choices;
    uint32_t **position;       /**< per group: positions sorted by rank */
    struct weft_shape *shapes; /**< per group */
    struct weft_ring *rings;   /**< per group; NULL: as the groups list their members */
    struct weft_dims dims;     /**< of the fabric */
    struct weft_agreed_order
        *latest_orders; /**< a list, for ranks that need the same; NULL: none */
    struct weft_sites sites;
    int64_t *memory_free_ps;  /**< per remote memory: done with what has been wanted of it */
    uint64_t *instance_order; /**< per instance: place in program order, see coll_ids.h */
    struct weft_npu *npus;
    struct weft_resource *cpus; /**< of all ranks */
    struct weft_op_state *states;
    uint64_t done, total;
    struct weft_causal_paths causal_paths;
    uint64_t seed;
    uint64_t coll_rendezvous_bytes; /**< messages of collectives of that size and more; 0: none */
    bool coll_control;              /**< some messages of collectives wait for their receive */
    unsigned chunk_bits, phase_bits, lane_bits, instr_bits; /**< of a collective's tag */
    struct weft_err err;
    int64_t reached_ps; /**< the end of a run that was cut off; 0: now */
};

/* Tags: bit 63 set: SEND/RECV, below it WEFT_TAG_CONTROL and WEFT_TAG_GRANT and the low 61 bits of
 * comm_tag. Bit 63 clear: instance number, chunk, phase, receiver's lane and instruction, see
 * size_tags(). */
#define WEFT_TAG_P2P (UINT64_C(1) << 63)
/** A message of a rendezvous: a request of the sender or, with WEFT_TAG_GRANT, the receiver's word.
 */
#define WEFT_TAG_CONTROL (UINT64_C(1) << 62)
#define WEFT_TAG_GRANT (UINT64_C(1) << 61)
/** Values of system.rendezvous-handshake. */
enum weft_handshake { WEFT_HANDSHAKE_ROUND_TRIP, WEFT_HANDSHAKE_READY };
/** Values of system.rendezvous-for. */
enum weft_compute_order { WEFT_COMPUTE_FIFO, WEFT_COMPUTE_BY_ID };
enum weft_rendezvous_for { WEFT_RENDEZVOUS_SEND, WEFT_RENDEZVOUS_ALL };

/** What weft_system_after() waits for at most: 26 days. */
#define WEFT_LONGEST_PS (WEFT_NEVER / 4)
/** What stands for any longer duration: the sum of two is still one. */
#define WEFT_TOO_LONG_PS (WEFT_NEVER / 2 - 1)
/** The sum of a time and a duration, neither above WEFT_NEVER / 2. */
static inline int64_t weft_sum_ps(int64_t a, int64_t b)
{
    return a + b < WEFT_TOO_LONG_PS ? a + b : WEFT_TOO_LONG_PS;
}
/* absorb.c: struct weft_net_concurrency */
bool weft_system_receives_in_worker(void *ctx, unsigned thread, const struct weft_msg *msg,
                                    struct weft_follows *sends);
void weft_system_receive_in_worker(void *ctx, unsigned thread, const struct weft_completion *done);
/* events.c */
static inline int64_t weft_now_ps(const struct weft_system *s)
{
    return s->net->ops->now_ps(s->net);
}
/** Records the first error and stops the net. */
void weft_system_fail(struct weft_system *s, const struct weft_err *err);
/** The same: out of memory for @p what of the rank of @p npu. */
void weft_npu_no_memory(struct weft_npu *npu, const char *what);
/** Calls fn(ctx, arg) after @p delay_ps; one that is too long is an error of the run, and so is all
 * else that fails. */
void weft_system_after(struct weft_system *s, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                       void *ctx, uint64_t arg);

/* order.c */
/** Seats every group by system.order in *out, NULL: as groups list their members. WEFT_E_INPUT: no
 * such order, or a list that isn't all ranks once. */
int weft_rings_new(const struct weft_workload *w, const char *order, const struct weft_dims *dims,
                   struct weft_ring **out, struct weft_err *err);
void weft_rings_free(struct weft_ring *rings, const struct weft_workload *w);

/* params.c; what takes too long has WEFT_TOO_LONG_PS, or less by a quantum */
int64_t weft_reduce_ps(const struct weft_system_params *p, uint64_t bytes);
int64_t weft_copy_ps(const struct weft_system_params *p, uint64_t bytes);
/** Time that a remote memory is busy with an access. */
int64_t weft_remote_ps(const struct weft_system_params *p, uint64_t bytes);
int weft_uses_roofline(const struct weft_system_params *p, const struct weft_op *op);
int64_t weft_op_duration_ps(const struct weft_system_params *p, const struct weft_op *op);

/* endpoint.c */
/** Per-rank slowdowns from p->stragglers into @p out[nranks] (NULL: only check). */
int weft_read_stragglers(const struct weft_system_params *p, uint32_t nranks, double *out,
                         struct weft_err *err);
/** Duration of an op on this NPU: with its slowdown and jitter. */
int64_t weft_npu_duration_ps(const struct weft_npu *npu, uint32_t op);
/** Delay until a message of @p bytes may be posted; occupies the NPU for it. */
int64_t weft_inject_ps(struct weft_npu *npu, int64_t now_ps, uint64_t bytes);
/** Delay until a message has been taken off the network; occupies the NPU for it. */
int64_t weft_receive_overhead_ps(struct weft_npu *npu, int64_t now_ps);
/** Delay until the thread that serves the NICs of the NPU has done @p cost_ps of work. */
int64_t weft_proxy_ps(struct weft_npu *npu, int64_t now_ps, const struct weft_coll_instr *in);

/* share.c */
/** Begins a computation that takes @p ps alone; @p over is called at its end. */
void weft_share_begin(struct weft_npu *npu, int64_t ps, void (*over)(struct weft_npu *npu));
/** Collectives have begun or there are none any more. */
void weft_share_changed(struct weft_npu *npu);

/* classes.c */
int weft_read_classes(const struct weft_system_params *p, struct weft_classes *out,
                      struct weft_err *err);
/** Finds the priorities of a workload, where they matter. */
/** The ports that QPs take in turn, where they are wanted to: of the hosts of @p env. */
int weft_read_turns(const struct weft_system_env *env, const struct weft_system_params *p,
                    uint32_t nranks, struct weft_classes *out, struct weft_err *err);
void weft_read_urgencies(const struct weft_workload *w, const struct weft_system_params *p,
                         struct weft_classes *out);
/** Fills in traffic class and QP of a message of op; @p turn picks the QP. */
void weft_classify(const struct weft_classes *c, const struct weft_op *op, uint64_t turn,
                   struct weft_msg *msg);
/** Gives a message the QPs of a channel of a collective; 0: leaves it those that it has. */
void weft_classify_channel(uint32_t channel, struct weft_msg *msg);

/* coll_ids.c */
/**
 * Numbers the collectives; see the file. @p states (all ops of rank 0, of rank 1 ...) may be NULL:
 * only check. *order: per instance its place in program order, to be freed; may be NULL.
 */
int weft_coll_ids(const struct weft_workload *w, struct weft_op_state *states, uint64_t *ninstances,
                  uint64_t **order, struct weft_err *err);

/* choice.c */
/** The parameter that says what plays a kind as simulated; NULL: those of others do. */
const char **weft_choice_param(struct weft_system_params *p, enum weft_coll_kind kind);
/** Reads "ring", "ring,direct" or "auto". @p text must stay. */
int weft_choice_parse(const char *text, const char *dir, struct weft_choice *out,
                      struct weft_err *err);
void weft_choice_release(struct weft_choice *c);
/** What an op asks for: its own choice or that of its kind. */
const struct weft_choice *weft_choice_given(const struct weft_choices *c, const struct weft_op *op);

/* auto.c */
/** What auto chooses for: all must stay until it has chosen. */
struct weft_auto_job {
    const struct weft_workload *w;
    const struct weft_system_params *p;
    const struct weft_system_env *env; /**< may be NULL */
    const struct weft_choices *choices;
    const struct weft_shape *shapes; /**< per group */
    const struct weft_ring *rings;   /**< per group; NULL: as the groups list their members */
};
/** What was chosen for operations of one group, kind and class of sizes. */
struct weft_auto_pick {
    struct weft_auto_pick *link;
    const struct weft_choice *choice;
    uint64_t bytes;                  /**< for which it was worked out: the smallest of the class, or
                                        that of the operation that was measured */
    double cost_s;                   /**< as expected, or measured */
    bool measured;                   /**< it was simulated, as was the next best */
    double next_s;                   /**< of the next best */
    char next[WEFT_CHOICE_TEXT_MAX]; /**< empty: there was no other */
};
/** Chooses for every op that asks for it; *out NULL: none does. */
int weft_auto_new(const struct weft_auto_job *job, const struct weft_dims *dims,
                  struct weft_auto **out, struct weft_err *err);
void weft_auto_free(struct weft_auto *a);
/** What plays an op that asks for auto. */
const struct weft_choice *weft_auto_of(const struct weft_auto *a, const struct weft_op *op);
/** Why; NULL: the fabric is not known, or the sizes are not. */
const struct weft_auto_pick *weft_auto_pick_of(const struct weft_auto *a, const struct weft_op *op);

/* choices.c */
int weft_choices_new(const struct weft_workload *w, const struct weft_system_params *p,
                     struct weft_choices *out, struct weft_err *err);
/** Settles what auto is; before it, weft_choice_of() is for ops that do not ask for that. */
int weft_choices_resolve(struct weft_choices *c, const struct weft_workload *w,
                         const struct weft_system_params *p, const struct weft_system_env *env,
                         const struct weft_dims *dims, const struct weft_shape *shapes,
                         const struct weft_ring *rings, struct weft_err *err);
void weft_choices_free(struct weft_choices *c);
/** The algorithm for dimension @p dim of the fabric. */
static inline const struct weft_coll_algorithm *weft_choice_in(const struct weft_choice *c,
                                                               uint32_t dim)
{
    return &c->alg[c->n > 1 ? dim : 0];
}
const struct weft_choice *weft_choice_of(const struct weft_choices *c, const struct weft_op *op);
/** Chunks of a collective in flight at once. */
static inline uint64_t weft_active_chunks(const struct weft_system_params *p,
                                          const struct weft_op *op)
{
    return op->coll == WEFT_COLL_ALL_REDUCE || p->one_way_chunks == 0 ? p->active_chunks
                                                                      : p->one_way_chunks;
}
/** Chunks that a collective of that choice is cut into at most. */
static inline uint64_t weft_choice_chunks(const struct weft_choice *c,
                                          const struct weft_system_params *p)
{
    const struct weft_coll_algorithm *a = c->n == 1 ? &c->alg[0] : NULL;
    return a && a->ops->uncut && a->ops->uncut(a->program) ? 1 : p->chunks;
}
/** What an op is to do, on one dimension: kind, n, root, bytes; without chunks. */
struct weft_coll_call weft_call_of(const struct weft_group *g, const uint32_t *sorted,
                                   const struct weft_op *op);
/** The sizes of an all-to-all-v as seen by one rank; ctx of struct weft_coll_pairs. */
struct weft_splits {
    const struct weft_op *op;
    uint32_t position;
    uint64_t chunk, chunks;
};
uint64_t weft_split_bytes(const void *ctx, uint32_t from, uint32_t to);

/* splits.c */
/** Checks that one rank's sizes are those that the other ends have. */
int weft_check_splits(const struct weft_workload *w, struct weft_err *err);

/* shapes.c */
/** The dimensions that p->dims names, else @p fabric's (may be NULL). */
int weft_read_dims(const struct weft_system_params *p, const struct weft_dims *fabric,
                   uint32_t nranks, struct weft_dims *out, struct weft_err *err);
struct weft_shape *weft_shapes_new(const struct weft_workload *w, const struct weft_dims *dims,
                                   struct weft_err *err);
/**
 * The dimensions that @p op goes through: @p shape of its group or, when its involved_dim leaves
 * some of them out, what is left of it, made in @p scratch.
 */
const struct weft_shape *weft_shape_of(const struct weft_shape *shape, const struct weft_op *op,
                                       struct weft_shape *scratch);
/** Where member @p rank is in a shape: place[d] is an index into places[d]; @p fabric: all
 * dimensions. */
void weft_shape_place(const struct weft_shape *shape, const struct weft_dims *fabric, uint32_t rank,
                      uint32_t *place);
void weft_shapes_free(struct weft_shape *shapes, const struct weft_workload *w);

/* sites.c */
#define WEFT_SITE_WHOLE 15u /**< as dimension: the whole group */
/** Names the ranks base + j * stride of dimension @p dim of a group that play together. */
static inline uint64_t weft_site_key(uint32_t group, uint32_t dim, uint32_t base)
{
    return ((uint64_t)group << 4 | dim) << 32 | base;
}
/** The same for a group of the net at traffic class @p prio. */
static inline uint64_t weft_site_net_key(uint32_t group, uint32_t dim, uint32_t base, uint32_t prio)
{
    return weft_site_key(group << 4 | (prio & 15), dim, base);
}
/** Opens the net's groups for all in-network collectives of the workload, plans the programs of
 * algorithms that have to know the links of @p fabric (NULL: not known). */
int weft_sites_new(struct weft_system *s, const struct weft_fabric *fabric, struct weft_err *err);
void weft_sites_free(struct weft_sites *sites);
/** Puts parameters and program of an algorithm that a whole group plays into a call. */
void weft_site_use(const struct weft_sites *sites, struct weft_coll_call *call, uint32_t group,
                   const struct weft_coll_algorithm *a);
/** The net's group of a set of ranks. */
struct weft_site_group *weft_site_net_group(const struct weft_sites *sites, uint64_t key);

/** What a token (base/message.h) of the system layer's names: weft_msg.token_type. */
enum weft_token_type {
    WEFT_TOKEN_CAUSAL_PATH =
        1,             /**< struct weft_causal_path: messages of collectives, grants and requests */
    WEFT_TOKEN_ACTIVE, /**< struct weft_active: of SENDs, and accesses of a memory */
    WEFT_TOKEN_JOINT   /**< struct weft_joint: of operations of the switches */
};
static inline struct weft_causal_path *weft_token_causal_path(const struct weft_completion *done)
{
    WEFT_REQUIRE(done->msg.token_type == WEFT_TOKEN_CAUSAL_PATH);
    return (struct weft_causal_path *)done->msg.token.object;
}
static inline struct weft_active *weft_token_active(const struct weft_completion *done)
{
    WEFT_REQUIRE(done->msg.token_type == WEFT_TOKEN_ACTIVE);
    return (struct weft_active *)done->msg.token.object;
}
static inline struct weft_joint *weft_token_joint(const struct weft_completion *done)
{
    WEFT_REQUIRE(done->msg.token_type == WEFT_TOKEN_JOINT);
    return (struct weft_joint *)done->msg.token.object;
}

/* in_network.c */
/** Posts a rank's part of an operation of the switches, in the event of @p op; @p members take
 * part. */
void weft_joint_post(struct weft_npu *npu, uint32_t op, struct weft_site_group *g, uint32_t members,
                     const struct weft_part *part);
/** The beginning of an event: the result of an operation has come in. */
void weft_joint_arrival(struct weft_active *a, const struct weft_completion *done);
/** A member's part is over. */
void weft_joint_sent(struct weft_system *s, const struct weft_completion *done);
void weft_joints_free(struct weft_site_group *g);

/* positions.c */
/** Per group the positions sorted by rank; fails on a member twice or out of range. NULL on
 * failure. */
uint32_t **weft_positions_new(const struct weft_workload *w, struct weft_err *err);
void weft_positions_free(uint32_t **position, const struct weft_workload *w);
/** Position of @p rank in a group, UINT32_MAX when it is no member. */
uint32_t weft_position(const struct weft_group *g, const uint32_t *sorted, uint32_t rank);

/* account.c */
/** Adds the time since the last call to what is going on; before every change of it. */
void weft_npu_account(struct weft_npu *npu, int64_t now_ps);
/** The beginning of an event: a message of @p a has come in, posted with @p causal_path. */
void weft_npu_arrival(struct weft_active *a, const struct weft_causal_path *causal_path,
                      const struct weft_completion *done);
/** The same of one from which nothing follows: only the rank's time is accounted for. */
void weft_npu_received_in_worker(struct weft_active *a, const struct weft_causal_path *causal_path,
                                 const struct weft_completion *done);
/** The beginning of an event: what SEND @p a has sent is acknowledged. */
void weft_npu_acked(struct weft_active *a, const struct weft_completion *done);
/** The beginning of an event: the timer with @p t, of @p a, is over. */
void weft_npu_timer(struct weft_active *a, struct weft_causal_path *t);

/* npu.c */
/** Notes that the parents of an op are done. */
void weft_npu_ready(struct weft_npu *npu, uint32_t op);
/** Issues all ready ops in ascending order. */
void weft_npu_issue(struct weft_npu *npu);
/** Ends an op: accounts, reports, readies its children, frees it. Issues nothing: call
 * weft_npu_issue after. */
void weft_npu_done(struct weft_active *a);
/** The op begins its work: what waits for that alone. The caller goes on to weft_npu_issue(). */
void weft_npu_begun(struct weft_active *a);
/** Frees an op and what its kind holds for it. */
void weft_npu_drop(struct weft_active *a);

/* op_table.c */
/** What npu.c knows of a kind of ops. */
struct weft_op_ops {
    void (*begin)(struct weft_active *a); /**< issues it; may end it at once */
    int communicates;                     /**< its time is communication */
    int takes_turns;                      /**< with system.one-at-a-time */
    uint32_t (*members)(
        const struct weft_active *a);       /**< ranks that take part; NULL: not counted */
    void (*release)(struct weft_active *a); /**< frees what it holds; NULL: nothing */
};
/** By enum weft_op_kind of the workload. */
extern const struct weft_op_ops weft_op_table[];

/* recorded.c */
void weft_recorded_begin(struct weft_active *a);

/* resources.c */
void weft_resource_begin(struct weft_active *a);
/** What ran on a resource is over. */
void weft_resource_done(struct weft_active *a);

/* fifo of ops */
static inline void weft_fifo_put(struct weft_fifo *q, struct weft_active *a)
{
    WEFT_REQUIRE(a != q->tail && !q->head == !q->tail);
    a->queued = NULL;
    if (q->tail)
        q->tail->queued = a;
    else
        q->head = a;
    q->tail = a;
}
static inline struct weft_active *weft_fifo_take(struct weft_fifo *q)
{
    struct weft_active *a = q->head;
    if (a) {
        q->head = a->queued;
        if (!q->head)
            q->tail = NULL;
    }
    return a;
}

/* p2p.c, p2p_table.c */
void weft_p2p_send(struct weft_active *a);
void weft_p2p_recv(struct weft_active *a);
void weft_p2p_received(struct weft_npu *npu, const struct weft_completion *done);
/** A message of a rendezvous has come in. */
void weft_p2p_control(struct weft_npu *npu, const struct weft_completion *done);
void weft_p2p_sent(const struct weft_completion *done);
void weft_p2p_free(struct weft_npu *npu);
/** 1 when comm_tag @p tag can be carried. */
int weft_p2p_tag_fits(uint64_t tag);

static inline const struct weft_op *weft_active_op(const struct weft_active *a)
{
    return a->what;
}

#endif
