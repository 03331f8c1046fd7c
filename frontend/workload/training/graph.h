/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace of one rank while it is made. Internal to this folder.
 *
 * One stream computes: each computation follows the one before it. Collectives of one communicator
 * follow each other in the order in which they are written down, which is the same on all members
 * because it comes from the schedule alone. Everything else is data: a node waits for what it
 * reads.
 */
#ifndef WEFT_TRAINING_GRAPH_H
#define WEFT_TRAINING_GRAPH_H

#include "workload/et_build.h"
#include "workload/training/cost.h"
#include "workload/training/plan.h"
#include "workload/training/schedule.h"

/** No node to wait for. */
#define WEFT_NO_NODE UINT64_MAX

/** Gradients that wait to be reduced together, and the buckets of this iteration that have been. */
struct weft_bucket {
    enum weft_comm comm;
    uint64_t params;
    uint64_t ready;     /**< the node after which the last of them is there */
    uint64_t *closed;   /**< parameters of each bucket closed in this iteration */
    uint64_t *gathered; /**< the node after which its weights are there again */
    size_t nclosed;
    uint64_t *of_unit; /**< by unit: its bucket */
};

/** One gathering of weights that the rank's program asks for (data-parallel=zero-3). */
struct weft_unit_use {
    uint64_t unit;
    uint64_t gathered; /**< the last node of its collectives; WEFT_NO_NODE: not yet */
};

/** The ends of its streams. */
struct weft_graph_streams {
    uint64_t compute, chain[WEFT_COMMS];
};

/** A trace being made. */
struct weft_training_graph {
    const struct weft_training_plan *plan;
    struct weft_training_plan *plans; /**< by iteration, where they differ; else NULL */
    uint64_t rank;
    struct weft_rank_place at;
    struct weft_arena *arena;
    struct weft_et_build b;
    uint64_t next;              /**< id of the next node */
    uint64_t compute;           /**< last node of the compute stream */
    double owed_us;             /**< part of a microsecond that durations owe so far */
    uint64_t chain[WEFT_COMMS]; /**< last collective of each communicator */
    struct weft_graph_streams start,
        other; /**< between fork and meet: where both began, where the first one ended */
    char group[WEFT_COMMS][24]; /**< their names in the trace */
    uint64_t cp_tag;            /**< next tag on the context ring */
    char where[48];             /**< iteration and microbatch, for names */
    uint64_t iteration;
    uint64_t units;           /**< blocks of this stage, then embedding and head */
    uint64_t *loss;           /**< by microbatch: the end of its forward pass on the last stage */
    uint64_t *backwards_left; /**< by chunk, in this iteration */
    uint64_t *weights_after;  /**< by unit: what its first use in this iteration waits for */
    struct weft_bucket dense, experts;
    uint64_t exchange_tag;          /**< next tag to servers or neighbours */
    uint64_t stepped;               /**< gossip: the last step of the optimizer */
    uint64_t mixed;                 /**< gossip: the neighbours' weights are there */
    struct weft_dlrm_share *shares; /**< of embedding tables, by rank */
    struct weft_unit_use *uses;
    size_t nuses, use;
};

/* graph.c: nodes. Each returns the id of its node and waits for @p a and @p b, either of which may
 * be WEFT_NO_NODE. */
uint64_t weft_graph_compute(struct weft_training_graph *g, double seconds, const char *what,
                            uint64_t a, uint64_t b);
/** A computation bound by memory, which reads and writes @p bytes. */
uint64_t weft_graph_touch(struct weft_training_graph *g, double seconds, double bytes,
                          const char *what, uint64_t a, uint64_t b);
/**
 * A collective of @p bytes (as Chakra counts them: all-gather one shard, else the whole buffer of a
 * rank). A communicator of one rank has none: returns @p a.
 */
uint64_t weft_graph_collective(struct weft_training_graph *g, enum weft_comm comm, int kind,
                               uint64_t bytes, const char *what, uint64_t a);
/** An all-to-all of which this rank sends @p send[i] bytes to member i and receives @p recv[i];
 * otherwise as weft_graph_collective. */
uint64_t weft_graph_all_to_all(struct weft_training_graph *g, enum weft_comm comm,
                               const uint64_t *send, const uint64_t *recv, const char *what,
                               uint64_t a);
uint64_t weft_graph_send(struct weft_training_graph *g, uint64_t bytes, uint64_t peer, uint64_t tag,
                         const char *what, uint64_t a);
/** A node without work that ends when @p a and @p b have ended; it is in no stream. One of them may
 * be WEFT_NO_NODE: returns the other. */
uint64_t weft_graph_join(struct weft_training_graph *g, const char *what, uint64_t a, uint64_t b);
uint64_t weft_graph_recv(struct weft_training_graph *g, uint64_t bytes, uint64_t peer, uint64_t tag,
                         const char *what);

/** Two things at once, each in a compute stream and with orders of collectives of its own: the
 * first begins. */
void weft_graph_fork(struct weft_training_graph *g);
/** The first is complete; what follows runs beside it. */
void weft_graph_beside(struct weft_training_graph *g);
/** So is the second; what follows waits for both. */
void weft_graph_meet(struct weft_training_graph *g);

/* names.c: the communicators of the rank. */
/** Names those that it is a member of. */
void weft_graph_name_groups(struct weft_training_graph *g);
/** A node with their members, in the form in which PyTorch's traces tell them, so that the trace
 * needs no file beside it. */
void weft_graph_describe_groups(struct weft_training_graph *g);

/* block.c: one block. @p x is the node that has its input; the result is the node that has its
 * output. */
uint64_t weft_graph_block_forward(struct weft_training_graph *g, uint64_t layer, uint64_t x);
/** @p kind: BACKWARD, INPUTS or WEIGHTS. *weights receives the node after which the gradients of
 * its weights are there. */
uint64_t weft_graph_block_backward(struct weft_training_graph *g, uint64_t layer,
                                   enum weft_pass_kind kind, uint64_t x, uint64_t *weights);
/* layer.c: the same for a layer of a table. */
uint64_t weft_graph_layer_forward(struct weft_training_graph *g, uint64_t layer, uint64_t x);
uint64_t weft_graph_layer_backward(struct weft_training_graph *g, uint64_t layer,
                                   enum weft_pass_kind kind, uint64_t x, uint64_t *weights);
/* dlrm_graph.c: all iterations of a recommendation model. */
int weft_graph_dlrm(struct weft_training_graph *g);
/* exchange.c: data parallelism without collectives. */
/** Tags of gossip, apart from those of the pipeline. */
#define WEFT_GOSSIP_TAG (UINT64_C(1) << 30)
/** A worker's gradients to the servers, once @p ready has ended; returns the node after which it
 * has their weights. */
uint64_t weft_graph_push_pull(struct weft_training_graph *g, uint64_t params, uint64_t ready);
/** A server's part of the same. */
void weft_graph_serve(struct weft_training_graph *g, uint64_t params);
/** server.c: all iterations of a server. */
int weft_graph_server(struct weft_training_graph *g);
/** This iteration's exchange of the weights that are there after @p ready; returns its end. */
uint64_t weft_graph_gossip(struct weft_training_graph *g, uint64_t ready);
/* attention.c: the exchange of keys and values among the ranks of a context-parallel group, with
 * attention itself. */
uint64_t weft_graph_scores_forward(struct weft_training_graph *g, const struct weft_block_cost *c,
                                   const char *label, uint64_t x);
uint64_t weft_graph_scores_backward(struct weft_training_graph *g, const struct weft_block_cost *c,
                                    const char *label, uint64_t x);

/* sharding.c: what data-parallel ranks exchange. */
/** Makes room for what follows. */
int weft_graph_sharding_init(struct weft_training_graph *g);
/** Starts an iteration; prepares the gatherings of weights of the passes. */
int weft_graph_sharding_start(struct weft_training_graph *g, const struct weft_pass *passes,
                              size_t n);
/** What a computation of @p unit must wait for before it has its weights. Called once per use, in
 * order. */
uint64_t weft_graph_weights(struct weft_training_graph *g, uint64_t unit);
/** The gradients of @p unit are complete for a microbatch (@p last: the last one) after node @p
 * ready. */
void weft_graph_gradients(struct weft_training_graph *g, uint64_t unit, bool last, uint64_t ready);
/** A pass ends: zero-2 reduces what it has. */
void weft_graph_pass_end(struct weft_training_graph *g);
/** End of an iteration: what is left is reduced, the optimizer steps, weights are gathered. */
void weft_graph_iteration_end(struct weft_training_graph *g);
/** The same in two parts, of which the first does not hold up computation: reduction, whose end it
 * returns, and step. */
uint64_t weft_graph_reduce(struct weft_training_graph *g);
void weft_graph_step(struct weft_training_graph *g, uint64_t reduced);

#endif
