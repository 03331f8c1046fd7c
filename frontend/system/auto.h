/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The choice of an algorithm by what the fabric, the group and the size make it cost:
 * all-reduce=auto.
 *
 *   auto.c        which operations there are, what each is simulated by
 *   auto_ranking.c   the cheapest for one of them
 *   auto_chunks.c how its chunks follow each other
 *   auto_tune.c   what near candidates take, simulated
 *   auto_cost.c   what an algorithm costs a group
 *   auto_paths.c  what the messages of a round cross
 */
#ifndef WEFT_SYSTEM_AUTO_H
#define WEFT_SYSTEM_AUTO_H

#include "collective/cost.h"
#include "system/agreed_order.h"
#include "system/system_internal.h"
#include "topologies/routes.h"

/* --- auto_paths.c --- */

/** The fabric as messages see it. */
struct weft_auto_fabric {
    const struct weft_fabric *fabric;
    const uint32_t *hosts; /**< of each rank; NULL: rank r is host r */
    const struct weft_net_manner *manner;
    uint32_t prio; /**< traffic class of the messages */
    struct weft_routes *routes;
    uint32_t *path;   /**< scratch, one entry per node */
    uint32_t *load;   /**< scratch, messages per port; all zero between uses */
    uint32_t *loaded; /**< scratch: ports that have some */
    uint32_t nloaded;
    uint64_t ports_left; /**< of paths that may still be followed; at 0 nothing more is found out */
    bool lost;           /**< out of memory: an estimate is missing */
};
int weft_auto_fabric_new(const struct weft_system_env *env, struct weft_auto_fabric *out,
                         struct weft_err *err);
void weft_auto_fabric_release(struct weft_auto_fabric *g);

/** Sets of ranks that play the same at the same time: row-major. */
struct weft_rank_layout {
    uint32_t n, nrows;
    uint32_t *rank;
};

/** What one message crosses. Rates are seconds per byte. */
struct weft_way {
    float delay_s; /**< of its links */
    float hops;    /**< of store and forward: sum of 1/rate but the slowest, per byte of a frame */
    float alone;   /**< 1/rate of its slowest link */
    float load;    /**< messages times 1/rate of its busiest link; 0: there is no such message */
};

/** What a round of messages of one size crosses. Rates are seconds per byte of each message. */
struct weft_crossing {
    double delay_s, mean_delay_s; /**< of links: the longest path, the mean */
    /** Of store and forward: sum of 1/rate but the slowest, per byte of a frame. */
    double hops, mean_hops;
    double mean_alone; /**< 1/rate of the slowest link of each path, mean */
    /** Messages times 1/rate: of the busiest link; mean of the busiest of each path. */
    double load, mean_load;
    double share;         /**< of the messages of the busiest link: what a link has on average */
    double mean_ports;    /**< of the paths */
    struct weft_way *way; /**< of the message of each place in rounds of one each; else NULL */
};
/** Finds it out, and the ways into out->way where that is not NULL. With many messages per rank it
 * looks at some of them. */
void weft_auto_fabric_cross(struct weft_auto_fabric *g, const struct weft_rank_layout *layout,
                            const struct weft_coll_call *c, const struct weft_coll_round *r,
                            struct weft_crossing *out);

/* --- auto_cost.c --- */

/** What has been found out about some layout. */
struct weft_known_crossing {
    weft_coll_to_fn *to;
    uint32_t arg, fanout, prio;
    const void *params;
    struct weft_crossing is;
};
struct weft_table {
    struct weft_auto_fabric *auto_fabric;
    const struct weft_system_params *p;
    struct weft_rank_layout layout;
    struct weft_known_crossing *known;
    size_t nknown, cap;
};
void weft_table_release(struct weft_table *t);

/** Seconds: of latency, and in which links are busy. */
struct weft_cost {
    double latency_s, busy_s;
    double rounds; /**< that the latency is shared among */
    double hops;   /**< frames times links, of all ranks */
};
/** What @p a costs at the table's layout for call @p c (its params are filled in); `a->ops->cost`
 * must be there. */
struct weft_cost weft_table_cost(struct weft_table *t, const struct weft_coll_algorithm *a,
                                 struct weft_coll_call *c);

/* --- auto_chunks.c --- */

/** Chunks that are looked at; more go on as these do. */
#define WEFT_CHUNKS_SIMULATED 64u
/** What a chunk costs. */
struct weft_chunk_costs {
    struct weft_coll_plan plan; /**< unused without an order */
    struct weft_cost phase[2 * WEFT_DIMS_MAX];
};
/** Seconds until all @p n chunks are over, @p active of them at once in each of @p ndims
 * dimensions, in @p order; NULL: of one phase, chunk after chunk. */
double weft_chunks_s(const struct weft_chunk_costs *chunk, uint32_t n,
                     const struct weft_agreed_order *order, uint32_t ndims, uint64_t active);

/* --- auto_ranking.c --- */

/** An algorithm as it is written. */
struct weft_trial {
    const char *text;
    struct weft_coll_algorithm alg;
};
/** All that say what they cost, in the order of coll_table.def. */
struct weft_trials {
    struct weft_trial *trial;
    size_t n;
};
int weft_trials_new(struct weft_trials *a, struct weft_err *err);
void weft_trials_free(struct weft_trials *a);

/** One group: its ranks as a whole, in system.order, and row by row in each dimension. */
struct weft_candidates {
    const struct weft_auto_job *job;
    const struct weft_dims *dims; /**< of the fabric */
    const struct weft_trials *trials;
    const struct weft_group *group;
    const struct weft_shape *shape; /**< of the group */
    struct weft_table whole, ring, dim[WEFT_DIMS_MAX];
};
/** Opens one whose job, dims and trials are filled in; to be closed also when that fails. */
int weft_candidates_open(struct weft_candidates *s, struct weft_auto_fabric *auto_fabric,
                         uint32_t group, struct weft_err *err);
void weft_candidates_close(struct weft_candidates *s);

/** A choice. */
struct weft_ranked {
    double s;      /**< that the operation takes */
    double hops;   /**< frames times links that a simulation of it costs */
    bool measured; /**< it was simulated */
    char text[WEFT_CHOICE_TEXT_MAX];
};
/** Most choices that are kept. */
#define WEFT_RANKED_MAX 12u
/** The cheapest choices, the first before all. */
struct weft_ranking {
    struct weft_ranked choice[WEFT_RANKED_MAX];
    uint32_t n;
};
/** Finds them for @p op at @p bytes. */
void weft_candidates_rank(struct weft_candidates *s, const struct weft_op *op, uint64_t bytes,
                          struct weft_ranking *out);

/* --- auto_tune.c --- */

struct weft_tuned;
/** What simulations of candidates may still cost, and what came of those before. */
struct weft_auto_tuning {
    const struct weft_auto_job *job;
    double hops_left;
    struct weft_tuned *tuned; /**< the latest first */
};
void weft_auto_tuning_begin(struct weft_auto_tuning *t, const struct weft_auto_job *job);
void weft_auto_tuning_end(struct weft_auto_tuning *t);
/** Simulates those choices at the head of @p r that the formula can't tell apart, where that is
 * cheap, and sorts them by what they took. */
int weft_auto_tune(struct weft_auto_tuning *t, const struct weft_op *op, struct weft_ranking *r,
                   struct weft_err *err);

/** What plays a kind where nothing is known of the fabric, or of sizes. */
static inline const char *weft_auto_without_fabric(enum weft_coll_kind kind)
{
    if (weft_coll_has_root(kind))
        return "binomial";
    return kind == WEFT_COLL_ALL_TO_ALL ? "direct" : "ring";
}

#endif
