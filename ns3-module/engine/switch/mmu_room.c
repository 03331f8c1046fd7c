/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether an empty switch takes a packet. Where a limit is below one, every packet is dropped or
 * trimmed, and sent again until the run gives up.
 */
#include "core/control_config.h"
#include "core/context.h"
#include "mmu.h"
#include "prio_params.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The setting that allows the least beside the reserve. */
struct room {
    const char *key;
    double bytes;
    double unit; /* bytes that 1 of it allows; 0: other settings count too */
    enum { ROOM_SIZE, ROOM_SHARE } form;
    bool of_map;
};

static void room_bound(struct room *r, struct room by)
{
    if (by.bytes < r->bytes)
        *r = by;
}

/* What the ingress of a lossy priority allows. */
static void room_ingress(struct room *r, const struct weft_switch_params *all,
                         const struct weft_switch_params *own, double shared)
{
    const char *pool = all->lossy_share > 0             ? "switch.lossy-share"
                       : all->buffer_per_port_bytes > 0 ? "switch.buffer-per-port"
                                                        : "switch.buffer";
    room_bound(r, (struct room){.key = pool, .bytes = shared});
    if (own->threshold == WEFT_THRESHOLD_STATIC)
        room_bound(r, (struct room){"switch.limit", (double)own->limit_bytes, 1, ROOM_SIZE,
                                    own->limit_bytes != all->limit_bytes});
    else if (own->alpha != all->lossy_alpha)
        room_bound(r, (struct room){"switch.alpha", own->alpha * shared, shared, ROOM_SHARE, true});
    else
        room_bound(
            r, (struct room){"switch.lossy-alpha", own->alpha * shared, shared, ROOM_SHARE, false});
}

/* What an egress queue allows in a port of link @p l, and the pool that it is in, if any. */
static void room_egress(struct room *r, const struct weft_switch_params *own,
                        const struct prio_params *p, const struct weft_fabric_link *l,
                        double host_scale, double shared)
{
    const double pool =
        (double)(p->lossless ? own->egress_lossless_pool_bytes : own->egress_lossy_pool_bytes);
    const double scale =
        own->egress_scale_rate_bps ? (double)l->rate_bps / (double)own->egress_scale_rate_bps : 1;
    if (pool > 0)
        room_bound(r, (struct room){p->lossless ? "switch.egress-lossless-pool"
                                                : "switch.egress-lossy-pool",
                                    pool, 1, ROOM_SIZE, false});
    if (p->lossless && !(pool > 0 && p->egress_given))
        return;
    if (own->egress_threshold == WEFT_THRESHOLD_STATIC)
        room_bound(r, (struct room){"switch.egress-limit",
                                    (double)own->egress_limit_bytes * scale * host_scale,
                                    scale * host_scale, ROOM_SIZE, p->egress_given});
    else
        room_bound(r, (struct room){"switch.egress-alpha",
                                    own->egress_alpha * (pool > 0 ? pool : shared),
                                    pool > 0 ? pool : shared, ROOM_SHARE, p->egress_given});
}

static int room_refuse(const struct weft_engine_config *c, const struct room *r, const char *node,
                       const struct weft_engine_packet *k, double need, struct weft_err *err)
{
    char reserve[WEFT_UNIT_TEXT_MAX], size[WEFT_UNIT_TEXT_MAX], least[64] = "";
    const bool trims = k->data && c->params.sw.trim_prios >> k->prio & 1;
    const double value = r->unit > 0 ? need / r->unit : 0;
    if (r->form == ROOM_SIZE)
        weft_format_size((uint64_t)ceil(value), size);
    else
        snprintf(size, sizeof size, "%.4g", value * 1.001);
    if (r->unit > 0 && r->of_map)
        snprintf(least, sizeof least, "at least %u:%s", k->prio, size);
    else if (r->unit > 0)
        snprintf(least, sizeof least, "at least %s", size);
    return weft_err_set(
        err, WEFT_E_INPUT,
        "%s%s has no room for a packet: %s of priority %u (%" PRIu64 " bytes) takes %.0f beside "
        "switch.reserve=%s, and switch %s has %.0f when it is empty, so that all are %s; %s",
        r->key, r->unit > 0 && r->of_map ? "-map" : "", k->what, k->prio, k->frame_bytes, need,
        weft_format_size(c->params.sw.reserve_bytes, reserve), node, r->bytes,
        trims ? "trimmed" : "dropped", least[0] ? least : "raise it");
}

int weft_engine_check_room(const struct weft_engine_config *c, const struct weft_engine_packet *k,
                           struct weft_err *err)
{
    const struct weft_fabric *f = c->fabric;
    struct prio_params prios[WEFT_PRIOS];
    struct weft_engine_params p = c->params;
    char name[WEFT_NODE_NAME_MAX];
    p.pfc.prios = channel_prios(&p, f);
    if (k->frame_bytes <= p.sw.reserve_bytes || credit_used(f))
        return 0;
    if (prio_params_read(&p, prios, err))
        return err->code;
    const struct prio_params *own = &prios[k->prio];
    const double need = (double)(k->frame_bytes - p.sw.reserve_bytes);
    uint64_t pools[2] = {0};
    struct room least = {.bytes = INFINITY};
    uint32_t at = 0;
    for (uint32_t i = 0, last = UINT32_MAX; i < f->nports; i++) {
        const uint32_t node = f->ports[i].node, peer = f->ports[f->ports[i].peer].node;
        const struct weft_fabric_link *l = &f->links[f->ports[i].link];
        const bool near = f->nodes[peer].kind == WEFT_NODE_HOST && p.sw.trim_prios >> k->prio & 1;
        struct room r = {.bytes = INFINITY};
        if (!weft_fabric_forwards(f, node))
            continue;
        if (node != last)
            mmu_shared(&p, f, node, pools);
        last = node;
        const double shared = (double)pools[p.sw.lossy_share > 0 && !own->lossless];
        if (!own->lossless)
            room_ingress(&r, &p.sw, &own->sw, shared);
        room_egress(&r, &own->sw, own, l, near ? p.sw.trim_host_scale : 1, shared);
        if (r.bytes < least.bytes) {
            least = r;
            at = node;
        }
    }
    return need > least.bytes
               ? room_refuse(c, &least, weft_fabric_node_name(f, at, name), k, need, err)
               : 0;
}
