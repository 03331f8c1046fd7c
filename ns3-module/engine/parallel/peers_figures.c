/* SPDX-License-Identifier: GPL-2.0-only */
/* What several processes have counted together: peers.h. */
#include "core/context.h"
#include "switch/lazy.h"
#include "core/moment.h"
#include "peers.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 1024u /**< ports of which the counters are exchanged at once */

/** Of a link between two processes: what its sender has counted, or (@p back) its receiver. */
struct link_counts {
    uint32_t port;
    bool back;
    uint64_t tx_packets, tx_payload_bytes;                            /**< of the sender, so far */
    uint64_t drops[WEFT_DROP_REASONS], dropped_payload, lost_payload; /**< more of the receiver's */
};

/* ---- links between processes ---- */

/* What this process has counted at the port of a link whose ends are of two. */
static void add_link(struct weft_engine *e, uint32_t port)
{
    struct port *p = &e->ports[port];
    struct link_counts c;
    memset(&c, 0, sizeof c);
    c.port = port;
    c.back = !peers_own(e, e->fabric->ports[port].node);
    if (c.back && !e->ends[port].lost)
        return;
    if (c.back) {
        memcpy(c.drops, p->st.drops, sizeof c.drops);
        c.dropped_payload = p->dropped_payload;
        c.lost_payload = e->ends[port].lost_payload;
        memset(p->st.drops, 0, sizeof p->st.drops);
        p->dropped_payload = 0;
    } else {
        c.tx_packets = p->st.tx_packets;
        c.tx_payload_bytes = p->st.tx_payload_bytes;
    }
    pouch_add(e, &e->peers->all, &c, sizeof c);
}

/* What another process has counted at such a port. */
static void take_link(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct link_counts c;
    (void)ctx, (void)from;
    memcpy(&c, answer, sizeof c);
    struct port *p = &e->ports[c.port];
    const bool own = peers_own(e, e->fabric->ports[c.port].node);
    if (own && c.back) {
        for (int why = 0; why < WEFT_DROP_REASONS; why++)
            p->st.drops[why] += c.drops[why];
        p->dropped_payload += c.dropped_payload;
        e->ends[c.port].lost_payload = c.lost_payload;
    } else if (!own && !c.back && peers_own(e, far_node(e, c.port))) {
        e->ends[c.port].sent_packets = (uint32_t)c.tx_packets;
        e->ends[c.port].sent_payload = c.tx_payload_bytes;
    }
}

static void take_totals(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct weft_totals more;
    (void)ctx, (void)from;
    memcpy(&more, answer, sizeof more);
    totals_add(e->peers->totals, &more);
}

static bool between(const struct weft_engine *e, uint32_t port)
{
    return peers_own(e, e->fabric->ports[port].node) != peers_own(e, far_node(e, port));
}

void peers_gather(struct weft_engine *e)
{
    struct peers *p = e->peers;
    if (p->figures)
        return;
    if (p->posted && !p->failed)
        peers_exchange(e);
    lazy_catch_up(e);
    if (p->known.owes && !p->failed)
        peers_exchange(e); /* what switches owed until now has been sent, some of it to others */
    struct weft_totals own = e->tot;
    own.packets_in_flight = e->pkts.pool.live;
    *p->totals = own;
    p->all.n = 0;
    pouch_add(e, &p->all, &own, sizeof own);
    peers_ask(e, sizeof own, take_totals, NULL);
    for (uint32_t page = 0; page < e->fabric->nports; page += PAGE) {
        p->all.n = 0;
        for (uint32_t i = page; i < e->fabric->nports && i < page + PAGE; i++)
            if (between(e, i))
                add_link(e, i);
        peers_ask(e, sizeof(struct link_counts), take_link, NULL);
        peers_unread(e);
    }
    /* all post all messages, and open all QPs */
    p->totals->msgs_posted = own.msgs_posted;
    p->totals->bytes_posted = own.bytes_posted;
    p->totals->qps = own.qps;
    p->totals->windows = own.windows;
    p->figures = true;
    p->page = UINT32_MAX;
}

/* ---- ports ---- */

struct peers_port {
    uint32_t port;
    struct weft_port_counters counters;
    uint64_t queue_bytes[WEFT_PRIOS];
};

static void take_port(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct peers_port x;
    (void)ctx, (void)from;
    memcpy(&x, answer, sizeof x);
    e->peers->ports[x.port % PAGE] = x;
}

const struct weft_port_counters *peers_port_stats(struct weft_engine *e, uint32_t port,
                                                  const uint64_t **queue_bytes)
{
    struct peers *p = e->peers;
    peers_gather(e);
    if (!p->ports)
        p->ports = calloc(PAGE, sizeof *p->ports);
    if (!p->ports) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for counters");
        return NULL;
    }
    if (p->page != port / PAGE) {
        p->page = port / PAGE;
        p->all.n = 0;
        for (uint32_t i = p->page * PAGE; i < e->fabric->nports && i / PAGE == p->page; i++) {
            struct peers_port x = {.port = i};
            if (!peers_own(e, e->fabric->ports[i].node))
                continue;
            moment_counters(e, &e->ports[i], &x.counters);
            for (uint32_t k = 0; k < WEFT_PRIOS; k++)
                x.queue_bytes[k] = e->ports[i].lane[k].qbytes;
            p->ports[i % PAGE] = x;
            pouch_add(e, &e->peers->all, &x, sizeof x);
        }
        peers_ask(e, sizeof(struct peers_port), take_port, NULL);
    }
    *queue_bytes = p->ports[port % PAGE].queue_bytes;
    return &p->ports[port % PAGE].counters;
}
