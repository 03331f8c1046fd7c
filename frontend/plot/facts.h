/* SPDX-License-Identifier: GPL-2.0-only */
/* What a report says of a run in words: sums over its tables, and what comes first in them. */
#ifndef WEFT_PLOT_FACTS_H
#define WEFT_PLOT_FACTS_H

#include "plot/runs.h"

/** Why ranks and messages wait: columns of ranks.csv and, some of them, of flows.csv. */
enum weft_wait {
    WEFT_WAIT_NETWORK,
    WEFT_WAIT_OWN_NIC,
    WEFT_WAIT_CONTROL,
    WEFT_WAIT_LOSS,
    WEFT_WAIT_PAUSE,
    WEFT_WAIT_QUEUE,
    WEFT_WAIT_REDUCE,
    WEFT_WAIT_ENDPOINT,
    WEFT_WAIT_PEER,
    WEFT_WAIT_DEPENDENCY,
    WEFT_WAITS
};
enum { WEFT_TOP = 3 };
/** The first few of something. */
struct weft_top {
    const char *name[WEFT_TOP], *text[WEFT_TOP];
    double weight[WEFT_TOP];
    size_t n;
};

/** A fault that was there while the run went on, or a link slower than its peers. */
struct weft_fault_fact {
    const char *text, *advice;
    double severity; /**< by which share of the run the link would have sent less long; 1 where
                        packets were lost */
};
enum { WEFT_FAULT_FACTS = 4 };

/** A link, a host with several such links, or a rank that is slower than most like it. */
struct weft_slow_part {
    enum weft_slow_kind { WEFT_SLOW_LINK, WEFT_SLOW_HOST, WEFT_SLOW_RANK } kind;
    uint32_t index; /**< of the link, the host or the rank */
    unsigned entry; /**< of fault.events, from 1, which makes the link slow; 0: none */
    double times;   /**< how many times as fast those like it are; a host: 0 */
    double cost;    /**< by this share of the run it was in use longer than at their speed: the link
                       sending, the rank computing on the critical path */
};

/** All of it. Shares are of 1. */
struct weft_facts {
    double end_ns;    /**< of the run */
    double all_ranks; /**< of the run */
    double ranks, exposed_ns, compute_ns, idle_ns,
        cause_ns[WEFT_WAITS]; /**< means over those ranks that had anything to wait for */
    double compute_max_ns;
    const char *slowest;                                     /**< the rank that computes longest */
    double messages, fct_ns, ideal_ns, delay_ns[WEFT_WAITS]; /**< sums over messages */
    double link_max;                /**< of the link that was busy longest, 0 to 1 */
    double spread_max, spread_mean; /**< busiest and mean of the kind of links between switches
                                       where they differ most */
    double drops, retransmitted_bytes;
    double drops_buffer, drops_headroom, drops_error, drops_link; /**< drops by reason */
    struct weft_fault_fact faults[WEFT_FAULT_FACTS];              /**< the worst first */
    size_t nfaults;
    struct weft_slow_part *slow; /**< all of them, the costliest first */
    size_t nslow, slow_cap;
    double uplink_util;    /**< mean use of links between switches, 0 to 1 */
    double oversubscribed; /**< what hosts of a switch may send / what its other links carry, of the
                              worst switch; 0: no such switch */
    const char *nic_host; /**< the host whose messages waited longest for its own NIC; NULL: none */
    double nic_ns;        /**< how long, summed over them */
    double headroom_bytes; /**< where a lossless class lost packets for want of headroom: what still
                              comes after a pause, of the link that sends most; 0: nowhere */
    const char *headroom_link; /**< that link: "s16 to s20" */
    struct weft_top links, paused, ranks_top, flows, steps;
};

/** Reads them. What a run does not have stays 0 or empty. */
int weft_facts_read(const struct weft_runs *runs, const struct weft_run *run,
                    struct weft_facts *out, struct weft_err *err);

#endif
