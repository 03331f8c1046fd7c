/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What those who look at a simulation by several processes see of all of them: totals, counters of
 * ports, pauses, and what there is to say of QPs. Relies on part_ask (core/part.h).
 */
#include "all_parts.h"
#include "core/executor.h"
#include "core/moment.h"
#include "base/compare.h"

#include <stdio.h>
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

struct all_parts {
    struct weft_totals totals;
    struct port_of_part *ports;    /**< counters of some ports */
    uint32_t page;                 /**< which ones, UINT32_MAX: none */
    struct send_buffer text_of_qp; /**< of QPs, not said yet */
};

/* Made when something is first asked for; NULL, and the engine has failed: there is no memory. */
static struct all_parts *all_parts_of(struct weft_engine *e)
{
    if (!e->part.all_parts)
        e->part.all_parts = calloc(1, sizeof *e->part.all_parts);
    if (!e->part.all_parts)
        engine_fail(e, WEFT_E_LIMIT, "out of memory for counters");
    return e->part.all_parts;
}

void all_parts_fini(struct weft_engine *e)
{
    if (e->part.all_parts) {
        free(e->part.all_parts->text_of_qp.bytes);
        free(e->part.all_parts->ports);
    }
    free(e->part.all_parts);
}

/* ---- links between processes ---- */

/* Counters of this process at the port of a link whose ends are of two. */
static void add_link(struct weft_engine *e, uint32_t port)
{
    struct port *p = &e->ports[port];
    struct link_counts c;
    memset(&c, 0, sizeof c);
    c.port = port;
    c.back = !part_own(e, e->fabric->ports[port].node);
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
    send_buffer_add(e, &e->part.all, &c, sizeof c);
}

/* Counters of another process at that port. */
static void take_link(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct link_counts c;
    memcpy(&c, answer, sizeof c);
    struct port *p = &e->ports[c.port];
    const bool own = part_own(e, e->fabric->ports[c.port].node);
    if (own && c.back) {
        for (int why = 0; why < WEFT_DROP_REASONS; why++)
            p->st.drops[why] += c.drops[why];
        p->dropped_payload += c.dropped_payload;
        e->ends[c.port].lost_payload = c.lost_payload;
    } else if (!own && !c.back && part_own(e, far_node(e, c.port))) {
        e->ends[c.port].sent_packets = (uint32_t)c.tx_packets;
        e->ends[c.port].sent_payload = c.tx_payload_bytes;
    }
}

static void take_totals(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct weft_totals more;
    memcpy(&more, answer, sizeof more);
    totals_add(ctx, &more);
}

static bool between(const struct weft_engine *e, uint32_t port)
{
    return part_own(e, e->fabric->ports[port].node) != part_own(e, far_node(e, port));
}

/* Brings counters of links between processes, and totals, to what they are for all; NULL, and the
 * engine has failed: there is no memory. */
static struct all_parts *gather(struct weft_engine *e)
{
    struct all_parts *p = all_parts_of(e);
    if (!p || e->part.figures)
        return p;
    e->executor->meet(e);
    struct weft_totals own = e->tot;
    own.packets_in_flight = e->pkts.pool.live;
    p->totals = own;
    e->part.all.n = 0;
    send_buffer_add(e, &e->part.all, &own, sizeof own);
    part_ask(e, sizeof own, take_totals, &p->totals);
    for (uint32_t page = 0; page < e->fabric->nports; page += PAGE) {
        e->part.all.n = 0;
        for (uint32_t i = page; i < e->fabric->nports && i < page + PAGE; i++)
            if (between(e, i))
                add_link(e, i);
        part_ask(e, sizeof(struct link_counts), take_link, NULL);
        weft_fabric_unread(e->fabric);
        weft_routes_unread(e->routing.routes);
    }
    /* all post all messages, and open all QPs */
    p->totals.msgs_posted = own.msgs_posted;
    p->totals.bytes_posted = own.bytes_posted;
    p->totals.qps = own.qps;
    p->totals.windows = own.windows;
    e->part.figures = true;
    p->page = UINT32_MAX;
    return p;
}

const struct weft_totals *all_parts_totals(struct weft_engine *e)
{
    const struct all_parts *p = gather(e);
    return p ? &p->totals : &e->tot;
}

/* ---- ports ---- */

struct port_of_part {
    uint32_t port;
    struct weft_port_counters counters;
    uint64_t queue_bytes[WEFT_PRIOS];
};

static void take_port(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct port_of_part x, *ports = ctx;
    memcpy(&x, answer, sizeof x);
    ports[x.port % PAGE] = x;
}

const struct weft_port_counters *all_parts_port(struct weft_engine *e, uint32_t port,
                                                const uint64_t **queue_bytes)
{
    struct all_parts *p = gather(e);
    if (p && !p->ports)
        p->ports = calloc(PAGE, sizeof *p->ports);
    if (!p || !p->ports) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for counters");
        return NULL;
    }
    if (p->page != port / PAGE) {
        p->page = port / PAGE;
        e->part.all.n = 0;
        for (uint32_t i = p->page * PAGE; i < e->fabric->nports && i / PAGE == p->page; i++) {
            struct port_of_part x = {.port = i};
            if (!part_own(e, e->fabric->ports[i].node))
                continue;
            moment_counters(e, &e->ports[i], &x.counters);
            for (uint32_t k = 0; k < WEFT_PRIOS; k++)
                x.queue_bytes[k] = e->ports[i].lane[k].qbytes;
            p->ports[i % PAGE] = x;
            send_buffer_add(e, &e->part.all, &x, sizeof x);
        }
        part_ask(e, sizeof(struct port_of_part), take_port, p->ports);
    }
    *queue_bytes = p->ports[port % PAGE].queue_bytes;
    return &p->ports[port % PAGE].counters;
}

/* ---- pauses ---- */

/** The pauses of a port, and what waits there. */
struct loan {
    uint32_t port;
    uint16_t paused;
    int64_t since_ps[WEFT_PRIOS];
    uint32_t queue_bytes[WEFT_PRIOS];
};

static void lend(struct weft_engine *e, uint32_t port)
{
    const struct port *p = &e->ports[port];
    struct loan l;
    memset(&l, 0, sizeof l);
    l.port = port;
    l.paused = p->paused;
    for (uint32_t k = 0; k < WEFT_PRIOS; k++) {
        l.since_ps[k] = e->pfc.since[port].ps[k];
        l.queue_bytes[k] = p->lane[k].qbytes;
    }
    send_buffer_add(e, &e->part.all, &l, sizeof l);
}

static void borrow(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct loan l;
    memcpy(&l, answer, sizeof l);
    e->ports[l.port].paused = l.paused;
    for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++) {
        e->pfc.since[l.port].ps[prio] = l.since_ps[prio];
        e->ports[l.port].lane[prio].qbytes = l.queue_bytes[prio];
    }
}

void all_parts_borrow(struct weft_engine *e)
{
    if (!e->peers)
        return;
    e->part.all.n = 0;
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        if (part_own(e, e->fabric->ports[i].node) && (e->ports[i].paused || e->ports[i].qtotal))
            lend(e, i);
    part_ask(e, sizeof(struct loan), borrow, NULL);
}

void all_parts_give_back(struct weft_engine *e)
{
    for (uint32_t i = 0; e->peers && i < e->fabric->nports; i++)
        if (!part_own(e, e->fabric->ports[i].node)) {
            struct port *p = &e->ports[i]; /* one without a record stays without, untouched */
            if (p->paused)
                p->paused = 0;
            for (uint32_t k = 0; k < WEFT_PRIOS; k++)
                if (p->lane[k].qbytes)
                    p->lane[k].qbytes = 0;
        }
}

/* ---- what there is to say of QPs, in one order ---- */

struct text_of_qp {
    uint32_t qp;
    char text[768];
};

void all_parts_note_text(void *speaker, const char *text)
{
    const struct all_parts_speaker *by = speaker;
    struct all_parts *p = all_parts_of(by->e);
    struct text_of_qp s = {.qp = by->qp};
    snprintf(s.text, sizeof s.text, "%s", text);
    if (p)
        send_buffer_add(by->e, &p->text_of_qp, &s, sizeof s);
}

static void take_text(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    send_buffer_add(e, ctx, answer, sizeof(struct text_of_qp));
}

uint64_t all_parts_say(struct weft_engine *e, uint64_t max, void (*fn)(void *, const char *),
                       void *ctx)
{
    struct all_parts *p = e->peers ? all_parts_of(e) : NULL;
    if (!p)
        return 0;
    e->part.all.n = 0;
    send_buffer_add(e, &e->part.all, p->text_of_qp.bytes, p->text_of_qp.n);
    part_ask(e, sizeof(struct text_of_qp), take_text, &p->text_of_qp);
    struct text_of_qp *all = (struct text_of_qp *)(void *)p->text_of_qp.bytes;
    const size_t n = p->text_of_qp.n / sizeof *all;
    if (n)
        qsort(all, n, sizeof *all, weft_by_u32);
    for (size_t i = 0; i < n && i < max; i++)
        fn(ctx, all[i].text);
    p->text_of_qp.n = 0;
    return n < max ? n : max;
}
