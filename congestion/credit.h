/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The source's side of receiver credits (UE specification 1.0, section 3.6.14, from EQDS, NSDI
 * 2022), for the controls that have them.
 *
 * A source may send while it has credit, and goes below 0 by less than a packet. It begins with
 * credit that nobody granted; with the first that it hears of the receiver what is left of it is
 * gone. In each packet it says how much it wants to have been granted in all: what it was granted
 * so far, and its backlog, at most max-credit, less what it has. Credit beyond max-credit is lost.
 * Amounts are whole quanta of 256 bytes on the wire.
 */
#ifndef WEFT_CC_CREDIT_H
#define WEFT_CC_CREDIT_H

#include "congestion/cc.h"
#include "congestion/cc_credit.h"
#include "congestion/window.h"

#define WEFT_CC_QUANTUM UINT64_C(256)

struct weft_cc_credit_params {
    double max_bdps, rate_share, idle_bdps;
    uint64_t grant_bytes, frame_bytes, request_bytes;
};

struct weft_cc_credit {
    int64_t left, most, packet; /* packet: a full one on the wire */
    uint64_t granted;           /* in all */
    double wire_per_payload;
    bool unheard; /* nothing has come back yet */
};

#define WEFT_CC_CREDIT_SOURCE                                                                      \
    "ultraethernet/uet-htsim, uec.cpp, as the specification leaves it open"

/** Rows of a parameter table whose struct has a struct weft_cc_credit_params @p at. */
#define WEFT_CC_CREDIT_ROWS(params, at, condition)                                                 \
    {WEFT_ROW_F64(params, at.max_bdps, "max-credit", "1.5", "0.01", "1000"),                       \
     .help = "most credit of a sender, which is also what it begins with, in bandwidth-delay "     \
             "products",                                                                           \
     .source = WEFT_CC_CREDIT_SOURCE, .needs = condition},                                         \
        {WEFT_ROW_SIZE(params, at.grant_bytes, "grant", "16KiB", "0B", "16MiB"),                   \
         .help = "credit that a receiver grants at once to one sender, in turn, in bytes on the "  \
                 "wire; whole multiples of 256, at least one; 0: a full packet, rounded up",       \
         .source = WEFT_CC_CREDIT_SOURCE ": 64 quanta", .needs = condition},                       \
        {WEFT_ROW_F64(params, at.rate_share, "grant-rate", "0.99", "0.01", "1"),                   \
         .help = "share of the receiving port's rate that its grants make together",               \
         .source = WEFT_CC_CREDIT_SOURCE, .needs = condition},                                     \
        {WEFT_ROW_F64(params, at.idle_bdps, "idle-credit", "1.5", "0", "1000"),                    \
         .help = "credit that a receiver grants without a request, in bandwidth-delay products; "  \
                 "at most the amount of earlier requests, or 16 MiB",                              \
         .source = WEFT_CC_CREDIT_SOURCE, .needs = condition},                                     \
        {WEFT_ROW_SIZE(params, at.frame_bytes, "credit-frame", "64B", "64B", "1KiB"),              \
         .help = "frame of a packet that grants credit, or asks for it when there is no data "     \
                 "packet to do so; in the priority of ACKs",                                       \
         .source = "UE specification 1.0.3: control packet, 16 bytes, over Ethernet, IPv4 and "    \
                   "UDP, padded",                                                                  \
         .needs = condition},                                                                      \
    {                                                                                              \
        WEFT_ROW_SIZE(params, at.request_bytes, "credit-request", "4B", "0B", "64B"),              \
            .help = "bytes of a data packet that say how much credit is wanted",                   \
            .source = "UE specification 1.0.3: PDS request with CC state, 16 bytes instead of 12", \
            .needs = condition                                                                     \
    }

/** Starts a QP. */
static inline void weft_cc_credit_init(struct weft_cc_credit *c,
                                       const struct weft_cc_credit_params *p,
                                       const struct weft_cc_env *env)
{
    c->packet = env->mtu_wire_bytes;
    c->most = (int64_t)weft_cc_clamp_u64(p->max_bdps * (double)env->bdp_bytes, env->mtu_wire_bytes,
                                         UINT64_C(1) << 60);
    c->left = c->most;
    c->granted = 0;
    c->wire_per_payload = (double)env->mtu_wire_bytes / (double)env->mtu_bytes;
    c->unheard = true;
}

/** An ACK, a NACK or a grant has come. */
static inline void weft_cc_credit_heard(struct weft_cc_credit *c)
{
    if (c->unheard && c->left > 0)
        c->left = 0;
    c->unheard = false;
}

/** struct weft_cc_credit_ops.granted */
static inline void weft_cc_credit_granted(struct weft_cc_credit *c, uint64_t granted_bytes)
{
    weft_cc_credit_heard(c);
    if (granted_bytes <= c->granted)
        return;
    const uint64_t more = granted_bytes - c->granted;
    c->left = more < (uint64_t)(c->most - c->left) ? c->left + (int64_t)more : c->most;
    c->granted = granted_bytes;
}

/** struct weft_cc_credit_ops.wanted, for a source that can use @p most bytes on the wire, 1 or
 * more, and no more than max-credit. */
static inline uint64_t weft_cc_credit_wanted(const struct weft_cc_credit *c, uint64_t backlog_bytes,
                                             uint64_t most)
{
    most = most < (uint64_t)c->most ? most : (uint64_t)c->most;
    const uint64_t wire =
        weft_cc_clamp_u64((double)backlog_bytes * c->wire_per_payload, backlog_bytes ? 1 : 0, most);
    int64_t want = (int64_t)wire - c->left;
    if (c->unheard && want < c->packet)
        want = c->packet;
    if (want <= 0)
        return c->granted;
    const uint64_t quanta = ((uint64_t)want + WEFT_CC_QUANTUM - 1) / WEFT_CC_QUANTUM;
    return c->granted + quanta * WEFT_CC_QUANTUM;
}

/** struct weft_cc_credit_ops.rules */
static inline void weft_cc_credit_rules(const struct weft_cc_credit_params *p,
                                        const struct weft_cc_env *env, struct weft_cc_grants *out)
{
    const uint64_t packet = env->mtu_wire_bytes + WEFT_CC_QUANTUM - 1;
    const uint64_t quanta = (p->grant_bytes ? p->grant_bytes : packet) / WEFT_CC_QUANTUM;
    out->grant_bytes = (quanta ? quanta : 1) * WEFT_CC_QUANTUM;
    out->rate_share = p->rate_share;
    out->idle_bytes =
        weft_cc_clamp_u64(p->idle_bdps * (double)env->bdp_bytes, 0, UINT64_C(1) << 60);
    out->frame_bytes = p->frame_bytes;
    out->core = NULL;
}

#endif
