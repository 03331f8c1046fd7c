/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which switches run in windows, and which nodes are executed in one common order.
 *
 * A switch may run in windows (window.h) when all its links are long enough for windows to be worth
 * it, and it has nothing that others must know of at once. All other nodes, hosts among them, form
 * clusters: those that links too short join, directly or over others. Therefore a node of GPUs with
 * the switch that joins them is a cluster, and the switches of the fabric between such nodes run in
 * windows. Within a cluster events are executed in the order of all events. Clusters and switches
 * in windows meet only over links that are long enough.
 */
#ifndef WEFT_CLUSTERS_H
#define WEFT_CLUSTERS_H

#include <stdbool.h>
#include <stdint.h>

struct weft_engine;

/** Prepares for the nodes of a fabric; false when out of memory. */
bool clusters_init(struct weft_engine *e);
void clusters_fini(struct weft_engine *e);
/** Whether node @p node is a switch that may run in windows, whose links must be @p least_ps long.
 */
bool clusters_fits(const struct weft_engine *e, uint32_t node, int64_t least_ps);
/** of[node]: the first of the nodes that links shorter than @p least_ps join with it. */
void clusters_join(const struct weft_engine *e, uint32_t *of, int64_t least_ps);
/** Has the switches that may run in windows do so, divides the others into clusters, and says so in
 * all ports. */
void clusters_form(struct weft_engine *e, int64_t least_ps);
/** No switch runs in windows. */
void clusters_dissolve(struct weft_engine *e);

#endif
