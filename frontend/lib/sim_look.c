/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking at a network: sums, links, and what is open. */
#include "lib/sim.h"

#include <stdlib.h>
#include <string.h>

struct look_say {
    void (*say)(void *ctx, const char *sentence);
    void *ctx;
    uint64_t nlines;
};

static void look_sentence(void *ctx, const char *sentence)
{
    struct look_say *l = (struct look_say *)ctx;
    l->nlines++;
    l->say(l->ctx, sentence);
}

uint64_t weft_sim_explain(weft_sim *s, uint64_t max, void (*say)(void *ctx, const char *sentence),
                          void *ctx)
{
    struct look_say l = {say, ctx, 0};
    const uint64_t messages = s->net->ops->explain(s->net, max, look_sentence, &l);
    return messages + sim_match_explain(s, max > l.nlines ? max - l.nlines : 0, say, ctx);
}

void weft_sim_stats(weft_sim *s, struct weft_stats *out)
{
    struct weft_totals t;
    s->net->ops->totals(s->net, &t);
    *out = (struct weft_stats){.posted = t.msgs_posted,
                               .delivered = t.msgs_received,
                               .acknowledged = t.msgs_acked,
                               .bytes_posted = t.bytes_posted,
                               .bytes_delivered = t.bytes_received,
                               .packets = t.sent[WEFT_PKT_DATA],
                               .retransmitted = t.retx_packets,
                               .acks = t.sent[WEFT_PKT_ACK] + t.sent[WEFT_PKT_NACK],
                               .cnps = t.sent[WEFT_PKT_CNP],
                               .drops = weft_totals_drops(&t),
                               .trims = t.trims,
                               .ecn_marks = t.ecn_marks,
                               .pauses = t.pfc_pauses,
                               .timeouts = t.rtos,
                               .events = t.events};
}

int weft_sim_link_stats(weft_sim *s, const char *name, int back, struct weft_link_stats *out)
{
    const struct weft_fabric *f = s->parts.fabric;
    const struct weft_fault_stretch like = {.what = WEFT_LINK_DOWN};
    struct weft_fault_plan plan = {.fabric = f};
    struct weft_port_counters c;
    int rc = weft_fault_plan_add_links(&plan, &like, name, &s->err);
    if (!rc && plan.nstretches != 1)
        rc = sim_fail(s, WEFT_E_INPUT, "'%.200s' names %zu links: one is to be named", name,
                      plan.nstretches);
    const uint32_t link = rc ? 0 : plan.stretches[0].link;
    free(plan.stretches);
    if (rc)
        return rc;
    uint32_t port = weft_fabric_link_port(f, link);
    char first[WEFT_NODE_NAME_MAX];
    weft_fabric_node_name(f, f->links[link].a, first);
    const size_t n = strlen(first);
    const bool named = name[0] < '0' || name[0] > '9',
               from_a = strncmp(name, first, n) == 0 && name[n] == '-';
    if ((named && !from_a) != (back != 0))
        port = f->ports[port].peer;
    s->net->ops->port_stats(s->net, port, &c);
    *out = (struct weft_link_stats){.rate_bps = f->links[link].rate_bps,
                                    .packets = c.tx_packets,
                                    .bytes = c.tx_bytes,
                                    .payload_bytes = c.tx_payload_bytes,
                                    .ecn_marks = c.ecn_marks,
                                    .max_queue_bytes = c.max_queue_bytes,
                                    .busy_ps = c.busy_ps,
                                    .paused_ps = c.paused_ps};
    for (int why = 0; why < WEFT_DROP_REASONS; why++)
        out->drops += c.drops[why];
    for (uint32_t prio = 0; prio < WEFT_NET_PRIOS; prio++)
        out->queue_bytes += s->net->ops->queue_bytes(s->net, port, prio);
    return 0;
}

uint32_t weft_sim_hosts(const weft_sim *s)
{
    return s->parts.fabric->nhosts;
}

const char *weft_sim_warning(const weft_sim *s, size_t i)
{
    return i < s->scenario->nwarnings ? s->scenario->warnings[i] : NULL;
}
