/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What transport.type=uet, and uet.prios beside RoCE, imply for parameters that nobody gave: an
 * Ultra Ethernet fabric after the UE specification 1.0.3, as far as it is public, in the sizes of
 * the fabric at hand.
 *
 * T is the longest round trip that a full packet and its ACK have in the empty fabric, or
 * transport.base-rtt; R the highest rate of a host's port; a BDP is T times the rate of a port.
 * Where the specification is silent (timer, ROD's repeated NACKs) the reason says what is taken.
 * RoCE's retry limit stays: the specification's five would end runs whose links fail for long.
 *
 * Beside RoCE only what holds for the classes of uet.prios is implied: nothing of the others moves.
 */
#include "uet_defaults.h"

#include "base/int128.h"
#include "topologies/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ENOUGH_PAIRS = 1 << 20 };

/* Those that are the same for every fabric. Frames: Ethernet 14, IPv4 20, UDP 8, FCS 4. */
static const struct fixed {
    const char *section, *param, *value, *why;
} fixed[] = {
    {"transport", "recovery", "rud", "UE 1.0.3, 3.5: reliable, unordered"},
    {"transport", "header", "102B", "14 + 20 + 8 + 12 PDS request + 44 SES standard + 4"},
    {"transport", "ack-frame", "78B", "14 + 20 + 8 + 32 ACK_CC + 4"},
    {"transport", "nack-frame", "62B", "14 + 20 + 8 + 16 NACK + 4, padded to 64"},
    {"transport", "probe-frame", "62B", "14 + 20 + 8 + 16 control packet + 4, padded to 64"},
    {"transport", "pad", "1B", "payload is not padded"},
    {"transport", "ack-prio", "6", "UE 1.0.3, 4.1: a class for ACKs, NACKs and control packets"},
    {"pfc", "enabled", "false", "best effort: packets are trimmed, not paused"},
    {"switch", "balance", "entropy", "UE 1.0.3, 3.6.16: senders spray by entropy values"},
    {"switch", "reserve", "0B", "thresholds count whole queues"},
    {"switch", "egress-threshold", "static", "UE 1.0.3, 4.1: thresholds of queues are in BDPs"},
};

/* And with rud alone. */
static const struct fixed rud[] = {
    {"transport", "ack-every-bytes", "16KiB", "UE 1.0.3, 3.5.12: ACK_Gen_Trigger"},
};

struct implier {
    const struct weft_net_config *config;
    const struct weft_packet_params *p;
    weft_net_imply_fn fn;
    void *ctx;
    struct weft_err *err;
    uint64_t rate_bps; /* R */
    int64_t rtt_ps;    /* T */
};

static bool is_uet(const struct weft_packet_params *p)
{
    return p->transport.type == WEFT_TRANSPORT_UET;
}

const char *weft_uet_control_of(const char *transport)
{
    return strcmp(transport, "uet") == 0 ? "nscc" : NULL;
}

/* Some classes have it beside RoCE. */
static bool is_beside(const struct weft_packet_params *p)
{
    return p->transport.type == WEFT_TRANSPORT_ROCE && p->uet.prios;
}

bool weft_uet_implies(const void *params)
{
    const struct weft_packet_params *p = (const struct weft_packet_params *)params;
    return is_uet(p) || is_beside(p);
}

int weft_uet_check_params(const struct weft_packet_params *p, struct weft_err *err)
{
    const uint64_t both = p->uet.prios & p->tcp.prios;
    if (is_uet(p) && p->uet.prios)
        return weft_err_set(err, WEFT_E_INPUT,
                            "uet.prios is %" PRIu64
                            ", but with transport.type=uet all classes but tcp.prios have Ultra "
                            "Ethernet; nearest: transport.type=roce, or uet.prios=0",
                            p->uet.prios);
    if (!both || p->transport.type == WEFT_TRANSPORT_TCP)
        return 0;
    return weft_err_set(err, WEFT_E_INPUT,
                        "priority %d is one of tcp.prios and one of uet.prios; nearest: "
                        "uet.prios=%" PRIu64,
                        __builtin_ctzll(both), p->uet.prios & ~both);
}

static int say(const struct implier *m, const char *section, const char *param, const char *value,
               const char *why)
{
    return m->fn(m->ctx, section, param, value, why, m->err);
}

static int say_all(const struct implier *m, const struct fixed *list, size_t n)
{
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++)
        rc = say(m, list[i].section, list[i].param, list[i].value, list[i].why);
    return rc;
}

/* BDPs as a size, at the rate that a section's thresholds are for; 0: for any, which then have
 * those of R. */
struct size_text {
    char of[32];
};
static struct size_text size_of(const struct implier *m, double bdps, uint64_t scale_rate_bps)
{
    const double rate = (double)(scale_rate_bps ? scale_rate_bps : m->rate_bps);
    const double bytes = bdps * rate / 8 * (double)m->rtt_ps * 1e-12;
    struct size_text text;
    snprintf(text.of, sizeof text.of, "%.0fB", bytes < 1e9 ? bytes : 1e9);
    return text;
}

static int say_size(const struct implier *m, const char *section, const char *param, double bdps,
                    const char *why)
{
    return say(m, section, param, size_of(m, bdps, 0).of, why);
}

/* An entry for each of the classes @p prios: @p values is what follows the priority. */
static int say_map(const struct implier *m, const char *section, const char *param, uint64_t prios,
                   const char *values, const char *why)
{
    char text[512] = "";
    size_t used = 0;
    for (uint32_t k = 0; k < WEFT_PRIOS; k++)
        if (prios >> k & 1 && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u:%s", used ? "," : "", k,
                                     values);
    return used ? say(m, section, param, text, why) : 0;
}

static int say_rate(const struct implier *m, const char *section, const char *param)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64 "bps", m->rate_bps);
    return say(m, section, param, text, "thresholds grow with the rate of the port");
}

static int say_rtts(const struct implier *m, const char *section, const char *param, uint64_t rtts,
                    const char *why)
{
    const weft_u128 ps = (weft_u128)rtts * (uint64_t)m->rtt_ps,
                    most = 100 * (weft_u128)1000000000000;
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64 "ps",
             ps < 1000000 ? UINT64_C(1000000) : (uint64_t)(ps < most ? ps : most));
    return say(m, section, param, text, why);
}

static int say_timers(const struct implier *m, const char *section,
                      const struct weft_transport_params *t, bool trims)
{
    int rc = say_rtts(m, section, "rto", trims ? 7 : 31,
                      "the longest round trip and six full queues, as uet-htsim has it");
    if (!rc && t->recovery == WEFT_RECOVERY_ROD)
        rc = say_rtts(m, section, "nack-interval", 1, "a NACK repeats after a round trip");
    return rc;
}

static int say_host_scale(const struct implier *m)
{
    return say(m, "switch", "trim-host-scale", "1.5", "UE 1.0.3, 4.1: 1.5 BDP at the last hop");
}

/* The sizes of queues, marking and timers. */
static int say_scaled(const struct implier *m)
{
    const bool trims = m->p->sw.trim_prios != 0;
    int rc = say_size(m, "switch", "egress-limit", trims ? 1 : 5,
                      trims ? "UE 1.0.3, 4.1: 1 BDP of the longest path"
                            : "UE 1.0.3, 4.1: 5 BDP without trimming");
    if (!rc)
        rc = say_rate(m, "switch", "egress-scale-rate");
    if (!rc)
        rc = say_timers(m, "transport", &m->p->transport.roce, trims);
    if (!rc && trims)
        rc = say_host_scale(m);
    if (rc || !m->config->cc || strcmp(m->config->cc->name, "nscc") != 0)
        return rc;
    if (m->config->cc_params &&
        m->config->cc->needs_now(m->config->cc_params) & WEFT_CC_NEEDS_CREDIT &&
        (rc = say(m, "ecn", "host-ports", "false", "UE 1.0.3, 3.6.14: credit sees the last hop")))
        return rc;
    if ((rc = say_size(m, "ecn", "kmin", 0.2, "UE 1.0.3, 3.6.17: 0.2 BDP of the longest path")) ||
        (rc = say_size(m, "ecn", "kmax", 0.8, "UE 1.0.3, 3.6.17: 0.8 BDP of the longest path")) ||
        (rc = say(m, "ecn", "pmax", "1", "UE 1.0.3, 3.6.17: all from there on")))
        return rc;
    return say_rate(m, "ecn", "scale-rate");
}

static uint64_t host_rate(const struct weft_fabric *f)
{
    uint64_t most = 0;
    for (uint32_t h = 0; h < f->nhosts; h++) {
        const struct weft_fabric_node *n = &f->nodes[f->hosts[h]];
        for (uint32_t k = 0; k < n->nports; k++) {
            const uint64_t bps = f->links[f->ports[n->first_port + k].link].rate_bps;
            most = bps > most ? bps : most;
        }
    }
    return most;
}

static uint64_t on_wire(const struct weft_transport_params *t, uint64_t frame)
{
    return (frame < t->min_frame_bytes ? t->min_frame_bytes : frame) + t->gap_bytes;
}

static int measure(struct implier *m)
{
    const struct weft_transport_params *t = &m->p->transport.roce;
    struct weft_transport_params beside = *t;
    if (is_beside(m->p)) {
        beside = m->p->uet.t;
        beside.mtu_bytes = t->mtu_bytes;
        beside.min_frame_bytes = t->min_frame_bytes;
        beside.gap_bytes = t->gap_bytes;
        t = &beside;
    }
    const struct weft_fabric *f = m->config->fabric;
    m->rate_bps = host_rate(f);
    m->rtt_ps = t->base_rtt_ps;
    if (m->rtt_ps)
        return 0;
    return weft_fabric_longest_rtt_ps(f, on_wire(t, t->mtu_bytes + t->header_bytes),
                                      on_wire(t, t->ack_bytes), ENOUGH_PAIRS, &m->rtt_ps, m->err);
}

/* All priorities in which data may come, but for control packets, what is trimmed, and TCP. */
static int say_trimming(const struct implier *m)
{
    const uint64_t kept = UINT64_C(1) << m->p->transport.roce.ack_prio |
                          UINT64_C(1) << m->p->sw.trim_prio | m->p->tcp.prios |
                          (m->p->pfc.enabled ? m->p->pfc.prios : 0);
    char text[16];
    snprintf(text, sizeof text, "%" PRIu64, 0xff & ~kept);
    return say(m, "switch", "trim-prios", text, "UE 1.0.3, 4.1: data packets are trimmed");
}

/* Segments of TCP are not trimmed: their queues are as long as without trimming. */
static int say_tcp(const struct implier *m)
{
    return say_map(m, "switch", "egress-limit-map", m->p->tcp.prios, size_of(m, 5, 0).of,
                   "UE 1.0.3, 4.1: 5 BDP without trimming, for tcp.prios");
}

/* ---- beside RoCE ---- */

/* The classes whose packets may be trimmed. */
static uint64_t lossy_classes(const struct weft_packet_params *p)
{
    return p->uet.prios & ~(p->pfc.enabled ? p->pfc.prios : 0);
}

static bool named(const char *control, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(control, name, n) == 0 && (control[n] == '\0' || control[n] == ' ');
}

/* Queues and marking of its classes. */
static int say_classes(const struct implier *m)
{
    const struct weft_packet_params *p = m->p;
    const bool trims = p->sw.trim_prios & p->uet.prios;
    char text[96];
    int rc = 0;
    if (p->sw.egress_threshold == WEFT_THRESHOLD_DYNAMIC)
        rc = say_rate(m, "switch", "egress-scale-rate");
    if (!rc)
        rc = say_map(m, "switch", "egress-limit-map", lossy_classes(p),
                     size_of(m, trims ? 1 : 5, p->sw.egress_scale_rate_bps).of,
                     trims ? "UE 1.0.3, 4.1: 1 BDP of the longest path, for uet.prios"
                           : "UE 1.0.3, 4.1: 5 BDP without trimming, for uet.prios");
    if (!rc && trims)
        rc = say_host_scale(m);
    if (rc || !named(p->uet.control, "nscc"))
        return rc;
    snprintf(text, sizeof text, "%s:%s:1", size_of(m, 0.2, p->ecn.scale_rate_bps).of,
             size_of(m, 0.8, p->ecn.scale_rate_bps).of);
    return say_map(m, "ecn", "prio-map", p->uet.prios, text,
                   "UE 1.0.3, 3.6.17: 0.2 to 0.8 BDP of the longest path, for uet.prios");
}

static int imply_beside(struct implier *m)
{
    const uint64_t kept =
        UINT64_C(1) << m->p->uet.t.ack_prio | UINT64_C(1) << m->p->sw.trim_prio | m->p->tcp.prios;
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, lossy_classes(m->p) & ~kept);
    int rc = say(m, "switch", "trim-prios", text,
                 "UE 1.0.3, 4.1: data packets are trimmed, those of uet.prios");
    if (!rc)
        rc = measure(m);
    if (rc || m->rtt_ps <= 0 || !m->rate_bps)
        return rc;
    rc = say_timers(m, "uet", &m->p->uet.t, m->p->sw.trim_prios & m->p->uet.prios);
    return rc ? rc : say_classes(m);
}

int weft_uet_imply(const struct weft_net_config *config, weft_net_imply_fn fn, void *ctx,
                   struct weft_err *err)
{
    struct implier m = {.config = config,
                        .p = (const struct weft_packet_params *)config->params,
                        .fn = fn,
                        .ctx = ctx,
                        .err = err};
    if (is_beside(m.p))
        return imply_beside(&m);
    int rc = say_all(&m, fixed, sizeof fixed / sizeof fixed[0]);
    if (!rc && m.p->transport.roce.recovery == WEFT_RECOVERY_RUD)
        rc = say_all(&m, rud, sizeof rud / sizeof rud[0]);
    if (!rc)
        rc = say_trimming(&m);
    if (!rc)
        rc = measure(&m);
    if (!rc && m.rtt_ps > 0 && m.rate_bps > 0) {
        rc = say_scaled(&m);
        rc = rc ? rc : say_tcp(&m);
    }
    return rc;
}
