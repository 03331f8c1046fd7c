/* SPDX-License-Identifier: GPL-2.0-only */
/* What checkpoints, storage and inference share: roles of ranks, models by name. */
#ifndef WEFT_TRAFFIC_SERVERS_H
#define WEFT_TRAFFIC_SERVERS_H

#include "workload/traffic/reactor.h"
#include "workload/training/model.h"
#include "workload/workload.h"

/** Base of a source whose first ranks are clients and whose others are servers. */
struct weft_servers {
    struct weft_reactor r;
    uint32_t nclients, nservers;
    uint64_t seed;             /**< of its draws */
    void *clients;             /**< one for each, of the source's type */
    struct weft_slots pending; /**< what clients have under way, of the source's type */
};

/** Makes a zeroed source of @p size bytes, which begins with its base, with clients of @p
 * client_size; NULL: *err says why. @p seed is the parameter, from 1. */
void *weft_servers_new(size_t size, size_t client_size, const struct weft_slots *pending,
                       uint64_t servers, uint64_t seed, const struct weft_flow_site *site,
                       struct weft_err *err);
/** Frees such a source. */
void weft_servers_free(struct weft_reactor *r);
/** As weft_workload_ranks; WEFT_E_INPUT also where @p servers leave no client, or @p stripes or @p
 * replicas are more than they. */
int weft_servers_ranks(const char *workload, uint64_t ranks, uint64_t servers, uint64_t stripes,
                       uint64_t replicas, uint32_t room, uint32_t *n, struct weft_err *err);
/** The transformer called @p name; NULL: *err names the nearest. */
const struct weft_model *weft_servers_model(const char *name, struct weft_err *err);

#endif
