/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which host each rank of a job is on.
 *
 *   packed        the first free hosts
 *   spread        one host after the other from each group of neighbours in turn, so that ranks that follow each other are
 *                 far apart. Neighbours are the hosts of one place of the innermost dimension (a
 * server) where the fabric has several dimensions, else those behind one switch rail-aligned  the
 * same places of the innermost dimension in as many servers as it takes: rank r is at place r mod m
 * of the (r / m)-th of them, where m is the largest divisor of the number of ranks for which there
 * are servers enough. With system.order=rail rings stay on rails
 *   random        free hosts drawn by a seed
 *
 * or a list of hosts, rank by rank.
 */
#ifndef WEFT_JOBS_PLACEMENT_H
#define WEFT_JOBS_PLACEMENT_H

#include "base/param.h"
#include "collective/phases.h"
#include "topologies/fabric.h"

WEFT_C_BEGIN

/** The policies, in the order of the words in WEFT_PLACEMENTS. */
enum weft_placement_policy {
    WEFT_PLACE_PACKED,
    WEFT_PLACE_SPREAD,
    WEFT_PLACE_RAIL,
    WEFT_PLACE_RANDOM
};
#define WEFT_PLACEMENTS "packed|spread|rail-aligned|random"

/** What is asked for. */
struct weft_placement {
    int policy;             /**< enum weft_placement_policy */
    uint64_t seed;          /**< of random */
    const char *hosts;      /**< "8-15,0": a list in place of a policy; "": none */
    const char *hosts_file; /**< the same from a file, also over several lines; "": none */
    bool shares;            /**< hosts that other jobs have may be taken, too */
};

/** How many hosts the job could have: those of its list, else those that are free. @p taken: per
 * host, whether another job has it. */
int weft_place_room(const struct weft_placement *p, const struct weft_fabric *f,
                    const uint8_t *taken, uint32_t *out, struct weft_err *err);
/** Finds a host for each of @p nranks ranks, in @p hosts, and marks them in @p taken unless they
 * are shared. WEFT_E_INPUT says why there are none. */
int weft_place(const struct weft_placement *p, const struct weft_fabric *f, uint32_t nranks,
               uint8_t *taken, uint32_t *hosts, struct weft_err *err);
/** The dimensions of a job on @p hosts in a fabric with dimensions @p fabric: those in which its
 * hosts are the combinations of some places, if its ranks count them up, innermost first. out->n 0:
 * they are not. */
void weft_place_dims(const struct weft_dims *fabric, const uint32_t *hosts, uint32_t nranks,
                     struct weft_dims *out);

WEFT_C_END
#endif
