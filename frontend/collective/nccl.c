/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters and messages that the programs of NCCL have in common; nccl.h. */
#include "collective/nccl.h"

#include "base/int128.h"
#include "base/units.h"

const char weft_nccl_protocols[] = "ll|ll128|simple";

const struct weft_param weft_nccl_param[WEFT_NCCL_NPARAMS] = {
    {WEFT_ROW_U64(struct weft_nccl_params, channels, "channels", "2", "1", "128"),
     .help = "thread blocks of a GPU, each with a ring, tree or peers of its own"},
    {WEFT_ROW_ENUM(struct weft_nccl_params, protocol, "protocol", "simple", weft_nccl_protocols),
     .help = "share of a message that is payload: a half, 15/16, all"},
    {WEFT_ROW_ENUM(struct weft_nccl_params, order, "order", "ranks", "ranks|mesh8"),
     .help = "nccl-ring: ranks of a node as they are numbered, or, eight of them, in RCCL's rings "
             "over a mesh, which take the links in turn",
     .source = "ROCm/rccl, src/graph/rome_models.cc"},
    {WEFT_ROW_U64(struct weft_nccl_params, node, "node", "0", NULL, "1048576"),
     .help = "ranks of a node, which follow each other in the group; 0: all are in one"},
    {WEFT_ROW_U64(struct weft_nccl_params, rails, "rails", "0", NULL, "1048576"),
     .help = "NICs of a node, which channels take in turn; 0: one per rank"},
    {WEFT_ROW_SIZE(struct weft_nccl_params, chunk_bytes, "chunk", "2MiB", "1B", NULL),
     .help = "most payload that a rank passes on at a step"},
    {WEFT_ROW_U64(struct weft_nccl_params, slices, "slices", "2", "1", "64"),
     .help = "messages that a chunk is cut into, of 32 KiB at least"},
    {WEFT_ROW_U64(struct weft_nccl_params, slots, "slots", "4", "4", "1024"),
     .help = "messages of a ring between two nodes that the receiver has buffers for"},
    {WEFT_ROW_U64(struct weft_nccl_params, peers, "peers", "8", "1", "65536"),
     .help = "nccl-p2p: peers of a rank that are served at once; nccl-pat: chunks of a message"},
    {WEFT_ROW_U64(struct weft_nccl_params, qps, "qps", "1", "1", "16"),
     .help = "QPs of a channel between two nodes, which its messages take in turn"},
    {WEFT_ROW_TIME(struct weft_nccl_params, launch_ps, "launch", "0", NULL, "1s"),
     .help = "software time before the first message"},
    {WEFT_ROW_TIME(struct weft_nccl_params, step_ps, "step", "0", NULL, "1s"),
     .help = "software time after each message within a node"},
    {WEFT_ROW_TIME(struct weft_nccl_params, net_step_ps, "net-step", "0", NULL, "1s"),
     .help = "software time after each message between nodes"},
    {WEFT_ROW_TIME(struct weft_nccl_params, proxy_ps, "proxy", "0", NULL, "1s"),
     .help = "time that the thread which serves a rank's NICs is busy with each message between "
             "nodes, at either end"},
    {WEFT_ROW_U64(struct weft_nccl_params, proxy_round, "round", "1", "1", "1024"),
     .help = "messages that this thread handles together, where so many wait for it"},
    {WEFT_ROW_TIME(struct weft_nccl_params, sync_ps, "sync", "0", NULL, "1s"),
     .help = "time that a channel is busy with each message within a node besides its payload: "
             "fences, barriers, counters"},
    {WEFT_ROW_RATE(struct weft_nccl_params, rate_bps, "rate", "0", NULL, NULL),
     .help = "rate at which a channel takes in payload; 0: no limit"},
    {WEFT_ROW_RATE(struct weft_nccl_params, copy_bps, "copy-rate", "0", NULL, NULL),
     .help = "nccl-nvls: rate at which a channel copies into and out of its buffers; 0: no limit"},
};

bool weft_nccl_supports(const struct weft_coll_call *c, unsigned kinds, const char *text,
                        const char **why)
{
    if (!weft_coll_one_of(c, kinds, text, why))
        return false;
    if (c->n % weft_nccl_node(c)) {
        if (why)
            *why = "the ranks are not whole nodes";
        return false;
    }
    return true;
}

int64_t weft_nccl_launch_ps(const struct weft_coll_call *c)
{
    return weft_nccl_params_of(c)->launch_ps;
}

void weft_nccl_message(const struct weft_coll_call *c, uint32_t rank, uint32_t peer,
                       uint64_t channel, uint64_t bytes, struct weft_coll_instr *out)
{
    const struct weft_nccl_params *p = weft_nccl_params_of(c);
    const uint32_t node = weft_nccl_node(c);
    const bool net = rank / node != peer / node;
    out->peer = peer;
    out->channel = (uint32_t)(channel * p->qps + (net ? out->first_block % p->qps : 0)) + 1;
    out->line = p->protocol == WEFT_NCCL_LL ? 16 : p->protocol == WEFT_NCCL_LL128 ? 128 : 0;
    out->payload = p->protocol == WEFT_NCCL_LL ? 8 : 120;
    out->proxy_ps = net ? p->proxy_ps : 0;
    out->proxy_round = (uint32_t)p->proxy_round;
    if (out->action == WEFT_COLL_SEND)
        return;
    out->overlaps = p->protocol != WEFT_NCCL_SIMPLE && !net; /* a NIC sends whole messages */
    out->after_ps = net ? p->net_step_ps : p->step_ps;
    if (p->rate_bps)
        out->busy_ps = (int64_t)((weft_u128)bytes * 8 * WEFT_PS_PER_S / p->rate_bps);
    out->busy_ps += net ? 0 : p->sync_ps;
}
