/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of NCCL have in common: channels, protocols, and where ranks sit.
 *
 * Ranks are numbered node by node, `node` of them each. Channel c uses NIC c % rails of each node,
 * which is that of GPU (c % rails) * node / rails. A protocol sends its payload in lines with
 * flags: LL 8 of 16 bytes, LL128 120 of 128, Simple all. Source: NVIDIA/nccl 2.30.7,
 * src/include/device.h, src/graph/connect.cc.
 */
#ifndef WEFT_COLLECTIVE_NCCL_H
#define WEFT_COLLECTIVE_NCCL_H

#include "collective/collective.h"

/** Protocols of NCCL, in the order of weft_nccl_protocols. */
enum weft_nccl_protocol { WEFT_NCCL_LL, WEFT_NCCL_LL128, WEFT_NCCL_SIMPLE };
/** Places of a node's ranks in a ring: as numbered, or RCCL's rings over eight GPUs of which each
 * two have a link. */
enum weft_nccl_order { WEFT_NCCL_ORDER_RANKS, WEFT_NCCL_ORDER_MESH8 };
/** "ll|ll128|simple" */
extern const char weft_nccl_protocols[];

/** Parameters of all nccl-* algorithms. */
struct weft_nccl_params {
    uint64_t channels;
    int protocol;         /**< enum weft_nccl_protocol */
    int order;            /**< nccl-ring: enum weft_nccl_order */
    uint64_t node;        /**< ranks of a node; 0: all are in one */
    uint64_t rails;       /**< NICs of a node that channels take in turn; 0: one per rank */
    uint64_t chunk_bytes; /**< most payload of a chunk */
    uint64_t slices;      /**< messages that a chunk is cut into at most */
    uint64_t slots;       /**< slices on the way between two ranks of different nodes */
    uint64_t peers;       /**< nccl-p2p: peers of a rank that are served at once; nccl-pat: blocks
                             of a message */
    uint64_t qps;         /**< of a channel between two nodes, which messages take in turn */
    int64_t launch_ps;    /**< before the first message */
    int64_t step_ps;      /**< after each message within a node */
    int64_t net_step_ps;  /**< after each message between nodes */
    int64_t proxy_ps;     /**< for each message between nodes, at both ends */
    uint64_t proxy_round; /**< messages that the proxy handles in that time, if they wait */
    int64_t sync_ps;      /**< that a channel is busy with each message within a node, besides */
    uint64_t rate_bps;    /**< that the worker of a channel copies or adds; 0: no limit */
    uint64_t copy_bps; /**< nccl-nvls: at which it copies in and out of the buffers; 0: no limit */
};
#define WEFT_NCCL_NPARAMS 18
extern const struct weft_param weft_nccl_param[WEFT_NCCL_NPARAMS];
/** Their table. */
#define WEFT_NCCL_PARAM_TABLE WEFT_PARAM_TABLE(weft_nccl_param, struct weft_nccl_params)

static inline const struct weft_nccl_params *weft_nccl_params_of(const struct weft_coll_call *c)
{
    return (const struct weft_nccl_params *)c->params;
}
/** Ranks of a node. */
static inline uint32_t weft_nccl_node(const struct weft_coll_call *c)
{
    const uint64_t node = weft_nccl_params_of(c)->node;
    return node && node < c->n ? (uint32_t)node : c->n;
}
/** Nodes. */
static inline uint32_t weft_nccl_nodes(const struct weft_coll_call *c)
{
    return c->n / weft_nccl_node(c);
}
/** The place within its node of the rank whose NIC channel @p channel uses. */
static inline uint32_t weft_nccl_head(const struct weft_coll_call *c, uint64_t channel)
{
    const uint64_t node = weft_nccl_node(c);
    const uint64_t rails = weft_nccl_params_of(c)->rails;
    const uint64_t nics = rails && rails < node ? rails : node;
    return (uint32_t)(channel % nics * node / nics);
}
/** Whether nodes are whole, which the programs need; *why says so if not. */
bool weft_nccl_supports(const struct weft_coll_call *c, unsigned kinds, const char *text,
                        const char **why);
/** Fills in what a message between the ranks @p rank and @p peer needs: lines, QPs of the channel,
 * a receive's costs for @p bytes of payload. */
void weft_nccl_message(const struct weft_coll_call *c, uint32_t rank, uint32_t peer,
                       uint64_t channel, uint64_t bytes, struct weft_coll_instr *out);
int64_t weft_nccl_launch_ps(const struct weft_coll_call *c);

#endif
