/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run will cost, said before it: packet-hops, CPU time of one thread, memory.
 *
 * The workloads are played on the ideal backend, without packets. Each message counts
 * as the packets that it becomes, on each link of its path, with their ACKs. Retransmissions,
 * pauses and notifications of congestion are left out, and so is what replay saves.
 */
#ifndef WEFT_RUN_COST_H
#define WEFT_RUN_COST_H

#include "base/json.h"
#include "command/command.h"
#include "scenario/scenario.h"

/** CPU seconds that an estimate may take, and CPU seconds of a run from which on it is worth one.
 */
#define WEFT_COST_BUDGET_S 2.0
#define WEFT_COST_LONG_S 10.0

/** How much of the run an estimate has seen. */
enum weft_cost_seen {
    WEFT_COST_NOTHING, /**< it can't be played on the ideal backend, or has no packets */
    WEFT_COST_PART,    /**< the first part of it, of a length that is not known: at least so much */
    WEFT_COST_SHARE,   /**< a known share, from which the rest follows */
    WEFT_COST_ALL
};

/** What a run will cost. */
struct weft_cost {
    enum weft_cost_seen seen;
    const char *transport; /**< what most packets go by: a name of run/cost.def */
    double messages, packet_hops;
    double cpu_s;        /**< of one thread, without replay */
    double trains_cpu_s; /**< the same with transport.train=15, at best; 0: not allowed, of flows,
                            or hardly less */
    bool trains_break;   /**< it goes in trains, which marks make shorter */
    double memory_bytes; /**< peak, with what the scenario itself takes */
};

/**
 * Estimates the cost of a scenario that was built, in at most @p budget_s of CPU time. Plays its
 * workloads, so that the parts are of no use for a run afterwards. *out is WEFT_COST_NOTHING where
 * nothing can be said.
 */
void weft_cost_estimate(const struct weft_cli *cli, const struct weft_scenario *s,
                        const struct weft_scenario_parts *parts, double budget_s,
                        struct weft_cost *out);
/** The same in a process of its own, which leaves the parts, and all else, as they are. */
void weft_cost_estimate_apart(const struct weft_cli *cli, const struct weft_scenario *s,
                              const struct weft_scenario_parts *parts, double budget_s,
                              struct weft_cost *out);
/** Whether a run may be a long one, so that an estimate is worth its time; found without playing
 * anything. @p volume_bytes: payload of its jobs of graphs. */
bool weft_cost_may_be_long(const struct weft_scenario *s, const struct weft_scenario_parts *parts,
                           double volume_bytes);
/** One line, without its end: "1.23 million packet-hops, ...". */
void weft_cost_text(FILE *out, const struct weft_cost *c);
/** Writes it as an object, null where nothing is known. */
void weft_cost_json(struct weft_json *j, const struct weft_cost *c);

#endif
