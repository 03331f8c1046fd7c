/* SPDX-License-Identifier: GPL-2.0-only */
/* What the links of a run say together: faults, links slower than their peers, oversubscription. */
#ifndef WEFT_PLOT_LINK_FACTS_H
#define WEFT_PLOT_LINK_FACTS_H

#include "plot/facts.h"

#include <stdint.h>

/** One direction of a link. */
struct weft_link_fact {
    const char *from, *to, *dim; /**< names of nodes, the dimension */
    uint32_t link;
    double rate_bps, util; /**< util: 0 to 1 */
    double delay_ns, lost; /**< lost: packets of lossless classes, for want of headroom */
};
/** All of a run. */
struct weft_link_facts {
    struct weft_arena *arena; /**< owns list and texts */
    struct weft_link_fact *list;
    size_t n, cap;
    const struct weft_link_fact **busiest; /**< of each link the direction that sent longest; NULL:
                                              no such link */
    size_t nbusiest;
};

/** Adds one; its texts are copied. WEFT_E_LIMIT: no memory. */
int weft_link_facts_add(struct weft_link_facts *l, const struct weft_link_fact *fact,
                        struct weft_err *err);
/** Appends to the slow parts of @p f, in @p arena. WEFT_E_LIMIT: no memory. */
int weft_slow_part_add(struct weft_arena *arena, struct weft_facts *f, struct weft_slow_part part,
                       struct weft_err *err);
/** The costliest come first. */
void weft_slow_parts_sort(struct weft_facts *f);
/** Fills in faults, slow links and hosts, uplink_util and oversubscribed. */
int weft_link_facts_conclude(struct weft_link_facts *l, const struct weft_run *run,
                             struct weft_facts *f, struct weft_err *err);

#endif
