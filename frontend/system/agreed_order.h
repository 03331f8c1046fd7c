/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order in which the chunks of one collective go through the dimensions of a fabric.
 *
 * An inter-dimension scheduler (inter_dimension.def) gives each chunk its order of dimensions. Then
 * a small simulation with active-chunks servers per dimension, in the discipline of the
 * intra-dimension scheduler, gives each dimension one order of (chunk, phase). Both are pure
 * functions of the collective, so every rank computes the same order by itself, and no order of
 * arrival at one rank can contradict that at another (Themis, ISCA 2022, section 4.3, does so too).
 *
 * A dimension whose switches do the collectives has two orders, of sums and of copies: sums fill
 * the links up to the switches, copies those down, so active-chunks of each go on at once.
 *
 * Where intra-dimension names no discipline (concurrent), a scheduler that plans tries several in
 * that simulation and takes the one that ends first; where messages do not share bandwidth, the one
 * that ends first when every message is simulated in that order (agreed_play.c).
 */
#ifndef WEFT_SYSTEM_AGREED_ORDER_H
#define WEFT_SYSTEM_AGREED_ORDER_H

#include "collective/algorithm.h"
#include "collective/phases.h"

/** Values of system.intra-dimension. */
enum weft_intra {
    WEFT_INTRA_CONCURRENT,
    WEFT_INTRA_FIFO,
    WEFT_INTRA_LIFO,
    WEFT_INTRA_SMALLEST,
    WEFT_INTRA_PRIORITY
};

/** A collective to be ordered: the same on every rank. */
struct weft_agreed_problem {
    enum weft_coll_kind kind; /**< as simulated */
    uint64_t bytes;
    uint64_t nchunks, max_chunks; /**< see weft_coll_chunk_bytes() */
    const struct weft_dims *dims;
    const struct weft_coll_algorithm *alg[WEFT_DIMS_MAX]; /**< per dimension */
    int64_t endpoint_ps;                                  /**< per message */
    double reduce_ps_per_byte;
    uint64_t active; /**< phases at once in a queue */
    bool alone;      /**< messages have their path's bandwidth to themselves: weft_net.alone */
    enum weft_coll_turn turn;
    int inter; /**< index into weft_inter_table() */
    enum weft_intra intra;
};

/** An inter-dimension scheduler. */
struct weft_inter_ops {
    const char *name;
    const char *source; /**< paper, or NULL */
    /** 1: an all-reduce goes back through its last dimension as through the others. */
    int turns_back;
    /** 1: with WEFT_INTRA_CONCURRENT, chooses among its order and those of the other schedulers,
     * each first come first served, smallest first or last come first served. */
    int plans;
    /**
     * Writes the dimensions of chunk 0, of chunk 1 ... as a reduce-scatter takes them (an
     * all-gather takes them backwards).
     */
    void (*order)(const struct weft_agreed_problem *p, uint8_t *dims);
};
const struct weft_inter_ops *const *weft_inter_table(size_t *n);
/** The names, joined by '|'. */
extern const char weft_inter_choices[];

struct weft_agreed_order;
/** NULL when out of memory. */
struct weft_agreed_order *weft_agreed_order_new(const struct weft_agreed_problem *p);
/**
 * Makes it anew, or, since all ranks compute the same, shares one of *latest (NULL: none) that
 * solves the same problem. Updates *latest.
 */
struct weft_agreed_order *weft_agreed_order_share(const struct weft_agreed_problem *p,
                                                  struct weft_agreed_order **latest);
/** Gives back all of *latest. */
void weft_agreed_order_forget(struct weft_agreed_order **latest);
/** Gives back one that was made or shared; NULL is allowed. */
void weft_agreed_order_free(struct weft_agreed_order *o);
/** The phases of a chunk. */
void weft_agreed_order_plan(const struct weft_agreed_order *o, uint64_t chunk,
                            struct weft_coll_plan *out);
/** One turn in a queue. */
struct weft_agreed_turn {
    uint64_t chunk;
    uint32_t phase;
};
/** One queue per dimension, then one for the copies of each. */
#define WEFT_AGREED_QUEUES (2 * WEFT_DIMS_MAX)
/** The queue of a phase that is simulated by @p alg. */
static inline uint32_t weft_agreed_queue_of(const struct weft_coll_phase *ph,
                                            const struct weft_coll_algorithm *alg)
{
    const bool copies = alg->ops->in_network && ph->kind == WEFT_COLL_ALL_GATHER;
    return copies ? WEFT_DIMS_MAX + ph->dim : ph->dim;
}
/** Queues from this one on are empty. */
uint32_t weft_agreed_order_queues(const struct weft_agreed_order *o);
/** Turn @p i of queue @p q; 0 when there are no more. */
int weft_agreed_order_turn(const struct weft_agreed_order *o, uint32_t q, uint64_t i,
                           struct weft_agreed_turn *out);

#endif
