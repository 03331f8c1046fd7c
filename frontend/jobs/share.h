/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One net for several jobs: each gets a net of its own, on which host r is its rank r.
 *
 * A share turns ranks into hosts on the way out and back on the way in (a rank whose NICs are
 * hosts, with the NIC of the message at both ends), puts the job's number into the QP number
 * (weft_msg.qp) and its traffic class into messages that ask for none. What comes back from the net
 * goes to the job whose number it carries. Jobs never see each other but through the network.
 */
#ifndef WEFT_JOBS_SHARE_H
#define WEFT_JOBS_SHARE_H

#include "net/net.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** Most jobs on one net. */
#define WEFT_SHARES_MAX (1u << (32 - WEFT_QP_BITS))

struct weft_shares;

/** What one job's share is like. */
struct weft_share_config {
    const uint32_t *hosts; /**< host of rank r, each once; must outlive the share */
    uint32_t nhosts;       /**< how many there are */
    uint32_t nnics;        /**< hosts of a rank, one per NIC of it: those of rank 0 come first */
    uint32_t prio;         /**< traffic class of messages that ask for none, or WEFT_PRIO_DEFAULT */
    const char
        *transport; /**< it may send in `classes` only, which are this transport's; NULL: in all */
    uint32_t classes; /**< bits 0 to 7, and bit 8 for messages without a class */
    bool watched;     /**< timers are counted, too: weft_share_idle() may be asked */
    /** Optional. Told after each callback of a watched share. */
    void (*after_event)(void *ctx, uint32_t job);
    void *ctx;
};

/** Becomes the sink of @p net. NULL: WEFT_E_LIMIT. */
struct weft_shares *weft_shares_new(struct weft_net *net, uint32_t njobs, struct weft_err *err);
/** Frees the shares; @p s may be NULL. The net may not run any further. */
void weft_shares_free(struct weft_shares *s);
/** Opens the share of job number @p job, which is then used as a net of hosts 0 .. nhosts-1:
 * now_ps, set_sink, send, after, stop, group and contribute. NULL: WEFT_E_LIMIT. */
struct weft_net *weft_share_open(struct weft_shares *s, uint32_t job,
                                 const struct weft_share_config *c, struct weft_err *err);
/** Whether nothing that the job has asked of the net is still to come: no message, no timer. */
bool weft_share_idle(const struct weft_shares *s, uint32_t job);
/** The next sink of a share opens the groups of the one before again, in the same order. */
void weft_share_again(struct weft_shares *s, uint32_t job);
/** Payload in bytes and number of the messages that a job has posted, without parts of operations
 * in switches. */
void weft_share_posted(const struct weft_shares *s, uint32_t job, uint64_t *bytes,
                       uint64_t *messages);
/** Number of the job that a message of the net is of. Not for parts of operations in switches. */
static inline uint32_t weft_share_job_of(const struct weft_msg *msg)
{
    return msg->qp >> WEFT_QP_BITS;
}

WEFT_C_END
#endif
