/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What htsim_uec (ultraethernet/uet-htsim, main_uec.cpp) derives from its options:
 *
 *   RTT       twice the delay of the longest path, and on each of its links a packet and an ACK
 *   BDP       RTT x rate, in whole packets, rounded up
 *   queues    1 BDP where they trim, else 5; control packets and trimmed ones have twice that
 *   marking   from 0.2 BDP to 0.8 BDP, in whole packets, rounded up
 *   RTO       15 us and the time of six queues
 *   -failed N the first N links between cores and aggregation switches (in two tiers: all links of
 *             the first N aggregation switches) go at a quarter of their rate, with a quarter of
 *             the thresholds; of those to cores the direction down alone
 */
#include "foreign/htsim/settings.h"

#include "base/scan.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 64, ACK = 64, DATA_PRIO = 3, CONTROL_PRIO = 6 };

/* What follows from the fabric. */
struct derived {
    struct weft_fabric *fabric;
    uint64_t tiers, rate_bps;
    uint64_t sum_bps[4];   /* of the links above a tier */
    double oversubscribed; /* rate of hosts over that of the links to the highest tier */
    bool core_control;
    double rtt_ps;
    uint64_t bdp_packets, queue_bytes, low_bytes, high_bytes;
    double rto_ps;
};

int weft_htsim_nodes(const char *matrix, uint64_t *nodes, struct weft_err *err)
{
    struct weft_scan s;
    *nodes = 0;
    int rc = weft_scan_open(&s, matrix, err);
    while (!rc && !*nodes && weft_scan_next(&s))
        if (strcmp(s.tok, "Nodes") == 0)
            rc = weft_scan_u64(&s, "a number", UINT32_MAX, nodes, err);
    weft_scan_close(&s);
    return rc || *nodes ? rc
                        : weft_err_at(err, WEFT_E_INPUT, matrix, 0, 0,
                                      "no 'Nodes N', which begins a connection matrix");
}

/* The fabric, as settings. */
static int add_fabric(const struct weft_htsim_options *o, struct weft_settings *out,
                      struct weft_err *err)
{
    uint64_t k = 2;
    if (o->topology) {
        const int rc = weft_settings_add(out, err, "topology.type=htsim");
        return rc ? rc : weft_settings_add(out, err, "htsim.file=%s", o->topology);
    }
    while ((o->tiers == 3 ? k * k * k / 4 : k * k / 2) < o->nodes)
        k += 2;
    if ((o->tiers == 3 ? k * k * k / 4 : k * k / 2) != o->nodes)
        return weft_err_set(err, WEFT_E_INPUT,
                            "no fat tree in %" PRIu64 " tiers has %" PRIu64
                            " hosts: k^3/4 in three, k^2/2 in two; -topo FILE describes others",
                            o->tiers, o->nodes);
    const double host_us = o->hop_us + o->switch_us / 2, fabric_us = o->hop_us + o->switch_us;
    if (weft_settings_add(out, err, "topology.type=fat-tree") ||
        weft_settings_add(out, err, "fat-tree.k=%" PRIu64, k) ||
        weft_settings_add(out, err, "fat-tree.tiers=%" PRIu64, o->tiers) ||
        weft_settings_add(out, err, "fat-tree.host-rate=%.0fbps", o->link_mbps * 1e6) ||
        weft_settings_add(out, err, "fat-tree.fabric-rate=%.0fbps", o->link_mbps * 1e6) ||
        weft_settings_add(out, err, "fat-tree.host-delay=%.0fps", host_us * 1e6) ||
        weft_settings_add(out, err, "fat-tree.fabric-delay=%.0fps", fabric_us * 1e6))
        return err->code;
    return 0;
}

/* Builds the fabric that the settings say. */
static int build(const struct weft_settings *s, struct weft_fabric **out, struct weft_err *err)
{
    static const char type[] = "topology.type=";
    const struct weft_topology_ops *t = weft_topology_find(s->list[0] + strlen(type), err);
    void *params = t ? calloc(1, t->params.struct_size) : NULL;
    if (!params)
        return t ? weft_err_no_memory(err, "a topology") : err->code;
    int rc = weft_params_defaults(&t->params, params, err);
    for (size_t i = 1; i < s->n && !rc; i++) {
        char name[64];
        const char *key = s->list[i] + strlen(t->name) + 1, *eq = strchr(key, '=');
        snprintf(name, sizeof name, "%.*s", (int)(eq - key), key);
        rc = weft_params_set(&t->params, params, name, eq + 1, err);
    }
    if (!rc)
        rc = weft_topology_build(t, params, out, err);
    free(params);
    return rc;
}

static uint32_t lower_tier(const struct weft_fabric *f, const struct weft_fabric_link *l)
{
    const uint32_t a = f->nodes[l->a].tier, b = f->nodes[l->b].tier;
    return a < b ? a : b;
}

static void htsim_settings_derive(const struct weft_htsim_options *o, struct derived *d)
{
    const struct weft_fabric *f = d->fabric;
    int64_t up_ps[4] = {0};
    for (uint32_t i = 0; i < f->nnodes; i++)
        d->tiers = f->nodes[i].tier > d->tiers ? f->nodes[i].tier : d->tiers;
    for (uint32_t l = 0; l < f->nlinks; l++) {
        const uint32_t t = lower_tier(f, &f->links[l]);
        up_ps[t < 3 ? t : 3] = f->links[l].delay_ps;
        d->sum_bps[t < 3 ? t : 3] += f->links[l].rate_bps;
        if (t == 0)
            d->rate_bps = f->links[l].rate_bps;
    }
    d->oversubscribed = (double)d->sum_bps[0] / (double)d->sum_bps[d->tiers - 1];
    d->core_control = o->core_control && !o->sender && d->oversubscribed > 1;
    const double hops = 2 * (double)d->tiers, gbps = (double)d->rate_bps / 1e9;
    const double across_ps = 2 * (double)(up_ps[0] + up_ps[1] + up_ps[2]);
    d->rtt_ps = floor(2 * across_ps + (double)(o->packet_bytes * 8) / gbps * hops * 1000 +
                      ACK * 8 / gbps * hops * 1000);
    d->bdp_packets =
        (uint64_t)ceil(d->rtt_ps * 1e-12 * ((double)d->rate_bps / 8) / (double)o->packet_bytes);
    const uint64_t factor = o->queue_factor ? o->queue_factor : o->trims ? 1 : 5;
    const uint64_t queue = o->queue_packets ? o->queue_packets : d->bdp_packets * factor;
    d->queue_bytes = queue * o->packet_bytes;
    d->rto_ps = floor((15 + (double)d->queue_bytes * 6 * 8 * 1e6 / (double)d->rate_bps) * 1e6);
    const bool own = o->ecn_high_packets > 0;
    const double low = own ? (double)o->ecn_low_packets : ceil((double)d->bdp_packets * 0.2);
    const double high = own ? (double)o->ecn_high_packets : ceil((double)d->bdp_packets * 0.8);
    d->low_bytes = (uint64_t)low * o->packet_bytes;
    d->high_bytes = (uint64_t)high * o->packet_bytes;
}

/* Whether htsim would run it. */
static int htsim_settings_check(const struct weft_htsim_options *o, const struct derived *d,
                                struct weft_err *err)
{
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX];
    if (d->fabric->nhosts != o->nodes)
        return weft_err_set(err, WEFT_E_INPUT,
                            "the connection matrix is of %" PRIu64 " nodes, the topology of %u",
                            o->nodes, d->fabric->nhosts);
    if (fabs((double)d->rate_bps - o->link_mbps * 1e6) > 0.5)
        return weft_err_set(err, WEFT_E_INPUT,
                            "-linkspeed is %s, but hosts have links of %s in %s; htsim would send "
                            "at the one and receive at the other: give -linkspeed %.17g",
                            weft_format_rate((uint64_t)(o->link_mbps * 1e6), a),
                            weft_format_rate(d->rate_bps, b), o->topology,
                            (double)d->rate_bps / 1e6);
    if (d->high_bytes < d->low_bytes || d->high_bytes > d->queue_bytes)
        return weft_err_set(err, WEFT_E_INPUT,
                            "marking from %" PRIu64 " to %" PRIu64
                            " bytes (-ecn), but queues hold %" PRIu64 " (-q)",
                            d->low_bytes, d->high_bytes, d->queue_bytes);
    return 0;
}

/* The failed ones as an entry of fault.events. */
static int add_failed(const struct weft_htsim_options *o, const struct derived *d,
                      struct weft_settings *out, struct weft_err *err)
{
    const struct weft_fabric *f = d->fabric;
    const bool cores = d->tiers == 3;
    const char *links = "";
    uint32_t agg0 = UINT32_MAX, aggs = 0;
    uint64_t rate_bps = 0;
    uint32_t *seen = calloc(f->nnodes, sizeof *seen); /* links up of an aggregation switch */
    uint32_t *last = calloc(f->nnodes, sizeof *last); /* the core of the last of them, + 1 */
    for (uint32_t i = 0; i < f->nnodes; i++)
        agg0 = f->nodes[i].tier == 2 && i < agg0 ? i : agg0;
    for (uint32_t l = 0; l < f->nlinks && seen && last; l++) /* of a pod: above its first ToR */
        if (lower_tier(f, &f->links[l]) == 1 && f->links[l].a == f->nhosts &&
            last[f->links[l].b] == 0) {
            last[f->links[l].b] = 1;
            aggs++;
        }
    for (uint32_t l = 0; l < f->nlinks && seen && last && links; l++) {
        const struct weft_fabric_link *k = &f->links[l];
        const uint32_t agg = cores ? k->a : k->b;
        if (lower_tier(f, k) != (cores ? 2 : 1))
            continue;
        if (cores && last[agg] != k->b + 1) {
            seen[agg]++;
            last[agg] = k->b + 1;
        }
        const uint64_t nth = cores ? seen[agg] - 1 + (uint64_t)(agg - agg0) * aggs : agg - agg0;
        if (nth >= o->failed)
            continue;
        rate_bps = k->rate_bps;
        links = weft_arena_printf(out->arena, "%s%s%u", links, *links ? "," : "", l);
    }
    const bool lost = !seen || !last || !links;
    free(seen);
    free(last);
    if (lost)
        return weft_err_no_memory(err, "failed links");
    return weft_settings_add(
        out, err, "fault.events=degrade link=%s rate=%" PRIu64 "bps direction=%s thresholds=scaled",
        links, rate_bps / 4, cores ? "back" : "both");
}

/* A control of senders that is not NSCC. */
static int add_window(const struct weft_htsim_options *o, const struct derived *d, const char *name,
                      struct weft_settings *out, struct weft_err *err)
{
    const double bdps = o->window_packets ? (double)(o->window_packets * o->packet_bytes) /
                                                ((double)d->rate_bps / 8 * d->rtt_ps * 1e-12)
                                          : 1.5;
    const uint64_t window = o->window_packets * (o->packet_bytes - HEADER);
    if (o->control == WEFT_HTSIM_CONSTANT)
        return o->window_packets
                   ? weft_settings_add(out, err, "static-window.window=%" PRIu64 "B", window)
                   : weft_settings_add(out, err, "static-window.window-bdp=1.5");
    if (weft_settings_add(out, err, "congestion-control.preset=htsim%s",
                          o->control == WEFT_HTSIM_DCTCP ? "-dctcp" : ""))
        return err->code;
    return weft_settings_add(out, err, "%s.first-window=%.17g", name, bdps);
}

/* The control of senders, receivers or both. */
static int add_control(const struct weft_htsim_options *o, const struct derived *d,
                       struct weft_settings *out, struct weft_err *err)
{
    static const char *const names[] = {"nscc", "static-window", "mprdma", "smartt", "mprdma"};
    const char *name = o->sender ? names[o->control] : "rccc";
    int rc = weft_settings_add(out, err, "congestion-control.name=%s", name);
    if (o->sender && o->control != WEFT_HTSIM_NSCC && !rc)
        return add_window(o, d, name, out, err);
    if (!rc && o->receiver)
        rc = weft_settings_add(out, err, "%s.credit-request=0B", name);
    if (!rc && !o->sender)
        rc = weft_settings_add(out, err, "rccc.echo=true");
    if (!rc && d->core_control)
        rc = weft_settings_add(out, err, "rccc.core-control=true");
    if (!rc && d->core_control)
        rc = weft_settings_add(out, err, "rccc.core-least=%.6g",
                               fmax(0.01, 0.9 / floor(d->oversubscribed)));
    if (rc || !o->sender)
        return rc;
    if (weft_settings_add(out, err, "nscc.mtu-basis=payload") ||
        weft_settings_add(out, err, "nscc.average=acks") ||
        weft_settings_add(out, err, "nscc.no-sample=average") ||
        weft_settings_add(out, err, "nscc.learn-base-rtt=true") ||
        (o->no_nack_rtt && weft_settings_add(out, err, "nscc.learn-from-trims=false")) ||
        (o->receiver && weft_settings_add(out, err, "nscc.credit=true")) ||
        (o->target_us > 0 &&
         weft_settings_add(out, err, "nscc.target-rtts=%.17g", o->target_us * 1e6 / d->rtt_ps)) ||
        (o->qa_gate >= 0 && weft_settings_add(out, err, "nscc.qa-gate=%" PRId64, o->qa_gate)) ||
        (o->window_packets && weft_settings_add(out, err, "nscc.first-window=%" PRIu64 "B",
                                                o->window_packets * o->packet_bytes)))
        return err->code;
    return 0;
}

static int add_transport(const struct weft_htsim_options *o, const struct derived *d,
                         struct weft_settings *out, struct weft_err *err)
{
    static const char *const fixed[] = {
        "transport.gap=0B",
        "transport.pad=1B",
        "transport.min-frame=0B",
        "transport.recovery=rud",
        "transport.rto-backoff-max=0",
        "transport.retry-max=0",
        "pfc.enabled=false",
        "switch.buffer=1GiB",
        "switch.lossy-alpha=8",
        "switch.reserve=0B",
        "switch.overflow=toss",
        "switch.egress-threshold=static",
        "switch.balance=entropy",
    };
    /* that fork measures each pair by default */
    const bool own_rtt = o->own_base_rtt || (o->sender && o->control >= WEFT_HTSIM_SMARTT);
    int rc = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0] && !rc; i++)
        rc = weft_settings_add(out, err, "%s", fixed[i]);
    if (rc || weft_settings_add(out, err, "transport.mtu=%" PRIu64 "B", o->packet_bytes - HEADER) ||
        weft_settings_add(out, err, "transport.header=%dB", HEADER) ||
        weft_settings_add(out, err, "transport.ack-frame=%dB", ACK) ||
        weft_settings_add(out, err, "transport.probe-frame=%dB", ACK) ||
        weft_settings_add(out, err, "transport.ack-prio=%d", CONTROL_PRIO) ||
        weft_settings_add(out, err, "transport.ack-every-bytes=%" PRIu64 "B", o->ack_bytes) ||
        weft_settings_add(out, err, "transport.base-rtt=%.0fps", own_rtt ? 0 : d->rtt_ps) ||
        weft_settings_add(out, err, "transport.rto=%.0fps", d->rto_ps) ||
        weft_settings_add(out, err, "switch.egress-limit-map=%d:%" PRIu64 "B,%d:%" PRIu64 "B",
                          DATA_PRIO, d->queue_bytes, CONTROL_PRIO, 2 * d->queue_bytes) ||
        weft_settings_add(out, err, "switch.entropy-policy=%s", o->balance) ||
        weft_settings_add(out, err, "switch.entropy-values=%" PRIu64, o->paths))
        return err->code;
    if (o->trims && (weft_settings_add(out, err, "switch.trim-prios=%d", 1 << DATA_PRIO) ||
                     weft_settings_add(out, err, "switch.trim-prio=%d", CONTROL_PRIO) ||
                     weft_settings_add(out, err, "switch.trim-size=%" PRIu64 "B", o->trim_bytes)))
        return err->code;
    if ((!o->sender || o->control != WEFT_HTSIM_CONSTANT) &&
        (weft_settings_add(out, err, "ecn.scale-rate=0bps") ||
         weft_settings_add(out, err, "ecn.kmin=%" PRIu64 "B", d->low_bytes) ||
         weft_settings_add(out, err, "ecn.kmax=%" PRIu64 "B", d->high_bytes) ||
         weft_settings_add(out, err, "ecn.pmax=1") ||
         (o->receiver && weft_settings_add(out, err, "ecn.host-ports=false"))))
        return err->code;
    return 0;
}

int weft_htsim_settings(const struct weft_htsim_options *o, struct weft_settings *out,
                        struct weft_err *err)
{
    struct derived d = {0};
    int rc = add_fabric(o, out, err);
    if (!rc)
        rc = build(out, &d.fabric, err);
    if (!rc) {
        htsim_settings_derive(o, &d);
        rc = htsim_settings_check(o, &d, err);
    }
    if (!rc)
        rc = add_transport(o, &d, out, err);
    if (!rc)
        rc = add_control(o, &d, out, err);
    if (!rc && o->failed)
        rc = add_failed(o, &d, out, err);
    weft_fabric_free(d.fabric);
    if (rc || weft_settings_add(out, err, "workload.type=htsim-flows") ||
        weft_settings_add(out, err, "htsim-flows.file=%s", o->matrix) ||
        weft_settings_add(out, err, "htsim-flows.start-unit=us") ||
        weft_settings_add(out, err, "run.seed=%" PRIu64, o->seed) ||
        weft_settings_add(out, err, "run.until=%.0fps", o->end_us * 1e6))
        return err->code;
    return 0;
}
