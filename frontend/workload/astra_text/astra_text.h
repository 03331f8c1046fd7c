/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layer lists: the text workloads of ASTRA-sim 1.0, and of SimAI, which AICB writes.
 *
 *   POLICY [KEY: VALUE]...                                     in ASTRA-sim 1.0: LABEL VALUE...
 *   number of layers
 *   name -1  forward: compute type bytes  input gradient: the same  weight gradient: the same
 * update
 *   ...
 * Whitespace separates; times are nanoseconds. HYBRID_CUSTOMIZED has a policy behind each layer.
 *
 * play.c says in which order a policy plays its layers, groups.c who talks to whom.
 */
#ifndef WEFT_ASTRA_TEXT_H
#define WEFT_ASTRA_TEXT_H

#include "base/arena.h"
#include "base/param.h"
#include "workload/dag.h"
#include "workload/et.h"

WEFT_C_BEGIN

enum weft_astra_policy {
#define WEFT_ASTRA_POLICY(symbol, word, loop, model, data) WEFT_ASTRA_##symbol,
#include "workload/astra_text/policies.def"
#undef WEFT_ASTRA_POLICY
    WEFT_ASTRA_POLICIES
};

/** The training loop of a policy. */
enum weft_astra_loop {
    WEFT_ASTRA_LOOP_DATA,
    WEFT_ASTRA_LOOP_REORDER,
    WEFT_ASTRA_LOOP_MODEL,
    WEFT_ASTRA_LOOP_HYBRID,
    WEFT_ASTRA_LOOP_TRANSFORMER,
    WEFT_ASTRA_LOOP_DLRM,
    WEFT_ASTRA_LOOP_MICRO,
    WEFT_ASTRA_LOOP_INFERENCE,
    WEFT_ASTRA_LOOPS
};

/** Who takes part in a collective. */
enum weft_astra_scope {
    WEFT_ASTRA_NONE,  /**< nobody: it is not played */
    WEFT_ASTRA_ALL,   /**< all ranks */
    WEFT_ASTRA_FIRST, /**< ranks along the first dimension */
    WEFT_ASTRA_REST,  /**< ranks along all others */
    WEFT_ASTRA_TP,    /**< model_parallel_NPU_group neighbours */
    WEFT_ASTRA_DP,    /**< ranks at the same place of their TP groups */
    WEFT_ASTRA_EP,    /**< the same of `ep` neighbouring TP groups */
    WEFT_ASTRA_DP_EP, /**< the same of every ep-th TP group */
    WEFT_ASTRA_SCOPES
};

/** Parts of a layer. */
enum weft_astra_part {
    WEFT_ASTRA_FORWARD,
    WEFT_ASTRA_INPUT_GRADIENT,
    WEFT_ASTRA_WEIGHT_GRADIENT,
    WEFT_ASTRA_PARTS
};

/** Values of the parameter `dialect`, in the order of its choices. */
enum weft_astra_dialect { WEFT_ASTRA_DIALECT_AUTO, WEFT_ASTRA_DIALECT_1, WEFT_ASTRA_DIALECT_SIMAI };

struct weft_astra_layer {
    const char *name;
    uint64_t line; /**< where it is in the file */
    struct {
        int64_t compute_ps;
        bool coll;                   /**< it has a collective */
        enum weft_coll_kind kind;    /**< of that */
        uint64_t bytes;              /**< as the file says; not 0 */
        enum weft_astra_scope scope; /**< not NONE */
    } part[WEFT_ASTRA_PARTS];
    int64_t update_ps; /**< passes after each of its collectives */
    bool checkpoint;   /**< the forward pass can be repeated from here */
    bool initiates;    /**< its backward pass repeats the forward pass from the last checkpoint */
};

/** A list. */
struct weft_astra_text {
    struct weft_arena *arena; /**< owns everything below */
    const char *file;
    enum weft_astra_policy policy;
    enum weft_astra_dialect dialect; /**< not AUTO */
    uint64_t tp, ep;                 /**< model_parallel_NPU_group, ep; 0: not given */
    uint64_t pp, vpp, ga, all_gpus;  /**< 0: not given */
    uint64_t pp_bytes;               /**< pp_comm */
    uint64_t last_bottom;            /**< DLRM: last layer below the interaction */
    uint64_t first;                  /**< ranks along the first dimension; 0: the fabric's */
    struct weft_astra_layer *layers;
    uint64_t nlayers;
    const char *notes; /**< what is not played, a line each; NULL: nothing */
};

/** Parameters of the workload. */
struct weft_astra_text_params {
    const char *file;
    uint64_t ranks, passes, first;
    int dialect;
    double compute_scale, comm_scale;
};
extern const struct weft_param_table weft_astra_text_param_table;

/** Word, loop and scopes of a policy. */
const char *weft_astra_policy_word(enum weft_astra_policy policy);
enum weft_astra_loop weft_astra_policy_loop(enum weft_astra_policy policy);
enum weft_astra_scope weft_astra_policy_scope(enum weft_astra_policy policy,
                                              enum weft_astra_part part);
/** "none", "all", "tp", ... */
const char *weft_astra_scope_name(enum weft_astra_scope scope);

/** Reads a list into *out (caller frees). Errors have file, line and column. */
int weft_astra_text_read(const char *path, enum weft_astra_dialect dialect,
                         struct weft_astra_text **out, struct weft_err *err);
/** Whether the file @p path begins as a list does. */
bool weft_astra_text_is(const char *path);
void weft_astra_text_free(struct weft_astra_text *t);

/* groups.c. Scopes FIRST and REST are groups when `first` is given, else involved dimensions. */
/** Whether @p nranks ranks make the groups that the list needs; WEFT_E_INPUT with the nearest
 * number when not. */
int weft_astra_groups_check(const struct weft_astra_text *t, uint64_t nranks, struct weft_err *err);
/** Ranks of a group of @p scope; 1: it has nobody to talk to. */
uint64_t weft_astra_group_size(const struct weft_astra_text *t, enum weft_astra_scope scope,
                               uint64_t nranks);
/** Whether the list has collectives in groups of @p scope with more than one rank and not all. */
bool weft_astra_has_groups(const struct weft_astra_text *t, enum weft_astra_scope scope,
                           uint64_t nranks);
/** How many groups of @p scope there are, which of them @p rank is in, and member @p i of a group.
 */
uint64_t weft_astra_group_count(const struct weft_astra_text *t, enum weft_astra_scope scope,
                                uint64_t nranks);
uint64_t weft_astra_group_of(const struct weft_astra_text *t, enum weft_astra_scope scope,
                             uint64_t nranks, uint64_t rank);
uint64_t weft_astra_group_member(const struct weft_astra_text *t, enum weft_astra_scope scope,
                                 uint64_t nranks, uint64_t group, uint64_t i);

/** What an operation of a rank's trace belongs to. Ids of nodes are their places. */
struct weft_astra_op {
    uint32_t layer;
    uint8_t part;  /**< enum weft_astra_part */
    bool update;   /**< the update after its collective */
    bool blocking; /**< the rank waits for this collective before it goes on */
    int64_t ps;    /**< of computation: how long it takes */
};

/** The trace of @p rank, in @p arena. @p describe: with a node that names its groups. *ops (NULL:
 * not wanted) receives what its nodes are, but for that one. */
int weft_astra_text_et(const struct weft_astra_text *t, uint64_t nranks, uint64_t passes,
                       uint64_t rank, bool describe, struct weft_arena *arena, struct weft_et **out,
                       const struct weft_astra_op **ops, struct weft_err *err);

/** The job in memory, to the picosecond. */
int weft_astra_text_job(const struct weft_astra_text *t, uint64_t nranks, uint64_t passes,
                        struct weft_workload **out, struct weft_err *err);
/** Writes PREFIX.<rank>.et and PREFIX.json (groups); durations to the microsecond. */
int weft_astra_text_write(const struct weft_astra_text *t, uint64_t nranks, uint64_t passes,
                          const char *prefix, struct weft_err *err);

WEFT_C_END
#endif
