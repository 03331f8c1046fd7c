/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing HPCC's packet trace. */
#include "foreign/hpcc/mix.h"

#include "base/rows.h"
#include "base/units.h"
#include "foreign/hpcc/output.h"

#include <stdlib.h>

/* Protocol numbers of the simulator. */
enum { UDP = 0x11, ACK = 0xfc, NACK = 0xfd, PFC = 0xfe, CNP = 0xff };
/* Its events. */
enum { RECV, ENQU, DEQU, DROP };
enum { ECN_MARKED = 3, FLAG_CNP = 1, SUBNETS = 254 };
#define MAX_NODES UINT32_C(65536)
#define MAX_INTERFACES UINT32_C(255)

struct weft_hpcc_mix {
    struct weft_hpcc_mix_config c;
    struct weft_rows *out;
    uint8_t *ports;
    uint64_t (*waiting)[WEFT_NET_PRIOS]; /* by port */
};

/* Numbers of a record, little-endian wherever it is written. */
static void mix_put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void put_row(struct weft_rows *out, uint64_t value, size_t bytes)
{
    uint8_t text[8];
    mix_put(text, value, bytes);
    weft_rows_put(out, text, bytes);
}

static uint32_t interface_of(const struct weft_fabric *f, uint32_t port)
{
    return port - f->nodes[f->ports[port].node].first_port + 1;
}

/* The format has room for so many nodes and interfaces. */
static int check_sizes(const struct weft_hpcc_mix_config *c, struct weft_err *err)
{
    const struct weft_fabric *f = c->fabric;
    if (f->nnodes > MAX_NODES)
        return weft_err_set(err, WEFT_E_INPUT,
                            "TRACE_OUTPUT_FILE: its format counts 65,536 nodes, the topology has "
                            "%u: leave it out, or trace with weft's --pcap",
                            f->nnodes);
    for (uint32_t p = 0; p < f->nports; p++)
        if (interface_of(f, p) > MAX_INTERFACES)
            return weft_err_set(err, WEFT_E_INPUT,
                                "TRACE_OUTPUT_FILE: its format counts 255 interfaces of a node, "
                                "node %u has more: leave it out, or trace with weft's --pcap",
                                f->ports[p].node);
    return 0;
}

static int write_head(struct weft_hpcc_mix *m, struct weft_err *err)
{
    const struct weft_fabric *f = m->c.fabric;
    put_row(m->out, f->nports, 4);
    for (uint32_t p = 0; p < f->nports; p++) {
        put_row(m->out, f->ports[p].node, 2);
        put_row(m->out, interface_of(f, p), 1);
        put_row(m->out, f->links[f->ports[p].link].rate_bps, 8);
    }
    put_row(m->out, m->c.window_bytes, 4);
    return weft_rows_end(m->out, err);
}

static void choose_ports(struct weft_hpcc_mix *m)
{
    const struct weft_fabric *f = m->c.fabric;
    for (size_t i = 0; m->c.nodes && i < m->c.nodes->n; i++)
        for (uint32_t p = 0; p < f->nports; p++)
            if (f->ports[p].node == m->c.nodes->nodes[i])
                m->ports[p] = 1;
}

struct weft_hpcc_mix *weft_hpcc_mix_new(const struct weft_hpcc_mix_config *c, struct weft_err *err)
{
    if (check_sizes(c, err))
        return NULL;
    struct weft_hpcc_mix *m = weft_err_calloc(1, sizeof *m, "a trace of packets", err);
    if (!m)
        return NULL;
    m->c = *c;
    m->ports = (uint8_t *)calloc((size_t)c->fabric->nports + 1, 1);
    m->waiting =
        (uint64_t(*)[WEFT_NET_PRIOS])calloc((size_t)c->fabric->nports + 1, sizeof *m->waiting);
    if (!m->ports || !m->waiting)
        weft_err_no_memory(err, "a trace of packets");
    else
        m->out = weft_rows_open(c->path, err);
    if (!m->out || write_head(m, err)) {
        weft_hpcc_mix_close(m, &(struct weft_err){0});
        return NULL;
    }
    choose_ports(m);
    return m;
}

const uint8_t *weft_hpcc_mix_ports(const struct weft_hpcc_mix *m)
{
    return m->ports;
}

void weft_hpcc_mix_queue(struct weft_hpcc_mix *m, uint32_t port, uint32_t prio, uint64_t bytes)
{
    m->waiting[port][prio] = bytes;
}

/* What is ahead of a packet, or left behind it, in its queue. */
static uint64_t waiting(const struct weft_hpcc_mix *m, const struct weft_net_packet *w)
{
    const uint64_t bytes = m->waiting[w->port][w->prio];
    if (w->what == WEFT_NET_PACKET_RECEIVED || w->kind == WEFT_PKT_PFC)
        return m->waiting[w->port][0];
    if (w->what != WEFT_NET_PACKET_QUEUED)
        return bytes;
    return bytes > w->frame_bytes ? bytes - w->frame_bytes : 0;
}

/* The queue that a packet is in; hosts send all but data from their first. */
static uint32_t queue_of(const struct weft_hpcc_mix *m, const struct weft_net_packet *w)
{
    const struct weft_fabric *f = m->c.fabric;
    const bool at_host = f->nodes[f->ports[w->port].node].kind != WEFT_NODE_SWITCH;
    if (w->what == WEFT_NET_PACKET_RECEIVED || w->kind == WEFT_PKT_PFC)
        return 0;
    return at_host && w->kind != WEFT_PKT_DATA ? 0 : w->prio;
}

/* The address of an end of a link: 10.(l / 254 + 1).(l % 254 + 1).1 or .2. */
static uint32_t link_address(const struct weft_fabric *f, uint32_t port)
{
    const uint32_t l = f->ports[port].link;
    const uint32_t net = (l / SUBNETS + 1) << 16 | (l % SUBNETS + 1) << 8;
    return UINT32_C(10) << 24 | net | (f->links[l].a == f->ports[port].node ? 1 : 2);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What data and what answers it say. */
static void put_flow(const struct weft_hpcc_mix *m, const struct weft_net_packet *w,
                     const struct weft_hpcc_flow *flow, uint8_t *r)
{
    const bool data = w->kind == WEFT_PKT_DATA;
    const uint64_t stamp = (uint64_t)(w->stamp_ps / WEFT_PS_PER_NS);
    const uint64_t from = least(w->psn * m->c.payload_bytes, flow->bytes);
    mix_put(r + 16, weft_hpcc_ip(data ? flow->src : flow->dst), 4);
    mix_put(r + 20, weft_hpcc_ip(data ? flow->dst : flow->src), 4);
    if (w->kind == WEFT_PKT_CNP) {
        r[35] = ECN_MARKED;
        return;
    }
    mix_put(r + 32, data ? flow->sport : flow->dport, 2);
    mix_put(r + 34, data ? flow->dport : flow->sport, 2);
    if (data) {
        mix_put(r + 36, from, 4);
        mix_put(r + 40, stamp, 8);
        mix_put(r + 48, flow->pg, 2);
        mix_put(r + 50, w->payload_bytes, 2);
        return;
    }
    mix_put(r + 36, w->notifies ? FLAG_CNP : 0, 2);
    mix_put(r + 38, flow->pg, 2);
    mix_put(r + 40, from, 4);
    mix_put(r + 48, stamp, 8);
}

static void put_pfc(const struct weft_hpcc_mix *m, const struct weft_net_packet *w, uint8_t *r)
{
    const struct weft_fabric *f = m->c.fabric;
    const uint32_t from = w->what == WEFT_NET_PACKET_RECEIVED ? f->ports[w->port].peer : w->port;
    mix_put(r + 16, link_address(f, from), 4);
    mix_put(r + 20, UINT32_MAX, 4);
    mix_put(r + 32, w->pause ? m->c.pause_us : 0, 4);
    mix_put(r + 36, m->waiting[from][w->prio], 4);
    r[40] = (uint8_t)w->prio;
}

void weft_hpcc_mix_packet(struct weft_hpcc_mix *m, const struct weft_net_packet *w)
{
    static const uint8_t protocols[WEFT_PKT_KINDS] = {[WEFT_PKT_DATA] = UDP,
                                                      [WEFT_PKT_ACK] = ACK,
                                                      [WEFT_PKT_NACK] = NACK,
                                                      [WEFT_PKT_CNP] = CNP,
                                                      [WEFT_PKT_PFC] = PFC};
    static const uint8_t events[] = {[WEFT_NET_PACKET_RECEIVED] = RECV,
                                     [WEFT_NET_PACKET_QUEUED] = ENQU,
                                     [WEFT_NET_PACKET_SENT] = DEQU,
                                     [WEFT_NET_PACKET_DROPPED] = DROP};
    const struct weft_fabric *f = m->c.fabric;
    const uint32_t node = f->ports[w->port].node;
    const bool data = w->kind == WEFT_PKT_DATA, pfc = w->kind == WEFT_PKT_PFC;
    uint8_t r[WEFT_HPCC_MIX_RECORD] = {0};
    const struct weft_hpcc_flow *flow =
        pfc ? NULL
            : weft_hpcc_qps_find(m->c.qps, data ? w->src : w->dst, data ? w->dst : w->src, w->qp);
    if (!protocols[w->kind] || (!pfc && !flow))
        return;
    mix_put(r, (uint64_t)(w->t_ps / WEFT_PS_PER_NS), 8);
    mix_put(r + 8, node, 2);
    mix_put(r + 10, interface_of(f, w->port), 1);
    mix_put(r + 11, queue_of(m, w), 1);
    mix_put(r + 12, waiting(m, w), 4);
    mix_put(r + 24, w->frame_bytes, 2);
    r[26] = protocols[w->kind];
    r[27] = events[w->what];
    r[28] = w->marked ? ECN_MARKED : 0;
    r[29] = f->nodes[node].kind == WEFT_NODE_SWITCH;
    if (pfc)
        put_pfc(m, w, r);
    else
        put_flow(m, w, flow, r);
    weft_rows_put(m->out, r, sizeof r);
    weft_rows_end(m->out, NULL);
}

int weft_hpcc_mix_flush(struct weft_hpcc_mix *m, struct weft_err *err)
{
    return weft_rows_flush(m->out, err);
}

int weft_hpcc_mix_close(struct weft_hpcc_mix *m, struct weft_err *err)
{
    if (!m)
        return 0;
    const int rc = weft_rows_close(m->out, err);
    free(m->ports);
    free(m->waiting);
    free(m);
    return rc;
}
