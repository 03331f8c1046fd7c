/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tuner of NCCL and RCCL, and how they divide an operation among channels, chunks and slices.
 * RCCL is NCCL with tables of its own, threadblocks of 256 threads, and rings that are given.
 *
 * Source: NVIDIA/nccl 2.30.7, src/graph/tuning.cc (ncclTopoTuneModel, ncclTopoGetAlgoTime),
 * src/graph/search.cc (rates that are tried), src/enqueue.cc (channels and chunks).
 */
#include "system/library.h"

#include "collective/msccl_kernel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COMM_CHANNELS_MAX 64u
#define LL_SLOT_BYTES 32768u      /* payload of a slot of LL */
#define LL128_CHUNK_BYTES 576000u /* of LL128 */
#define RCCL_THREADS 256u   /* of a threadblock; half of NCCL's, so that a slot of LL is half */
#define SLOTS 8u            /* NCCL_STEPS */
#define P2P_CHANNEL_GBPS 14 /* NCCL_P2P_PER_CHANNEL_NET_BW */
#define NVLS_ARITY 32u      /* NCCL_MAX_NVLS_ARITY */
#define P2P_LL_BYTES 16384u /* NCCL_P2P_LL_THRESHOLD */

static const char *const algo_name[WEFT_NCCL_ALGOS] = {"Tree",     "Ring", "NVLS",
                                                       "NVLSTree", "PAT",  "P2P"};
static const char *const proto_name[WEFT_NCCL_PROTOS] = {"LL", "LL128", "Simple"};

const char *weft_library_algo_name(enum weft_nccl_algo algo)
{
    return algo_name[algo];
}

const char *weft_library_proto_name(enum weft_nccl_protocol proto)
{
    return proto_name[proto];
}

/* The node of a member of a group; nodes have @p size hosts. */
static uint32_t node_of(const struct weft_group *g, const uint32_t *hosts, uint32_t size,
                        uint32_t i)
{
    return (hosts ? hosts[g->ranks[i]] : g->ranks[i]) / size;
}

static bool is_rccl(const struct weft_library_params *l)
{
    return l->gpu == WEFT_NCCL_MI300X;
}

double weft_library_link_GBps(const struct weft_fabric *f)
{
    return f->ndims ? (double)f->dims[0].links * (double)f->dims[0].rate_bps / 8e9 : 0;
}

bool weft_library_group(const struct weft_group *g, const struct weft_dims *fabric,
                        const uint32_t *hosts, struct weft_library_group *out)
{
    const uint32_t size = fabric->n ? fabric->size[0] : UINT32_MAX; /* one node */
    if (g->n < 2)
        return false;
    uint32_t node = 1;
    while (node < g->n && node_of(g, hosts, size, node) == node_of(g, hosts, size, 0))
        node++;
    for (uint32_t i = 0; i < g->n; i++) {
        const uint32_t own = node_of(g, hosts, size, i);
        if (g->n % node || own != node_of(g, hosts, size, i - i % node) ||
            (i && i % node == 0 && own == node_of(g, hosts, size, i - 1)))
            return false;
    }
    *out = (struct weft_library_group){
        .n = g->n,
        .node = node,
        .nodes = g->n / node,
        .gpus = fabric->n ? size : node,
        .nic_GBps = fabric->n > 1 ? (double)fabric->rate_bps[1] / 8e9 : 0,
        .node_us = fabric->n ? (double)fabric->latency_ps[0] * 1e-6 : 0,
        .net_us = fabric->n > 1 ? (double)fabric->latency_ps[1] * 1e-6 : 0,
    };
    return true;
}

/* --- graph search --- */

struct graph {
    double channels, GBps; /* per channel */
};

/* NICs of the group's ranks in a node: at most one for each, or as many as whole ones. */
static uint32_t nics(const struct weft_library_params *l, const struct weft_library_group *g)
{
    const uint32_t rails = (uint32_t)l->rails;
    if (rails > g->gpus)
        return rails / g->gpus * g->node;
    return rails && rails < g->node ? rails : g->node;
}

/* What the search counts with of a GPU's NVLinks: all, or less where the fabric has fewer. */
static double links_GBps(const struct weft_library_params *l, const struct weft_library_group *g)
{
    const double all =
        is_rccl(l) ? weft_rccl_link_GBps * (g->node - 1) : weft_nccl_gpus[l->gpu].link;
    return g->link_GBps > 0 && g->link_GBps < all ? g->link_GBps : all;
}

/* Rates from the list, falling, until one fits the links. */
static struct graph search(const struct weft_library_params *l, const struct weft_library_group *g)
{
    const struct weft_nccl_gpu_constants *k = &weft_nccl_gpus[l->gpu];
    const double link = links_GBps(l, g), given = WEFT_RCCL_CHANNELS / 2.0;
    if (is_rccl(l))
        return (struct graph){given, link / given};
    const double *rates = g->nodes > 1 ? k->nodes : k->one_node;
    const size_t most =
        g->nodes > 1 ? sizeof k->nodes / sizeof *rates : sizeof k->one_node / sizeof *rates;
    const double nic = g->nic_GBps * g->node / nics(l, g);
    struct graph best = {1, 0.1};
    for (size_t i = 0; i < most && rates[i] > 0; i++) {
        /* the last rank of a node in a ring sends over its NIC */
        const double share = g->nodes > 1 && g->node > 1 ? (g->node - 1.0) / g->node : 1;
        double c = floor(link / (rates[i] * share) + 1e-9);
        if (g->nodes > 1) {
            const double per_nic = floor(nic / rates[i] + 1e-9) * nics(l, g);
            c = g->node > 1 && c < per_nic ? c : per_nic;
        }
        if (c >= 1 && c * rates[i] > best.channels * best.GBps * 1.01)
            best = (struct graph){c, rates[i]};
        if (g->nodes > 1 && c >= 1)
            break;
        if (c * rates[i] > 0.95 * link)
            break;
    }
    const bool newer = l->gpu == WEFT_NCCL_HOPPER || l->gpu == WEFT_NCCL_BLACKWELL;
    if (best.GBps >= 25 && !(newer && best.GBps < 50 && best.channels > 4))
        best = (struct graph){2 * best.channels, best.GBps / 2};
    return best;
}

uint32_t weft_library_channels(const struct weft_system_params *p,
                               const struct weft_library_group *g)
{
    const struct weft_library_params *l = p->nccl;
    const struct graph graph = search(l, g);
    double c = 2 * graph.channels;
    const bool newer = l->gpu == WEFT_NCCL_HOPPER || l->gpu == WEFT_NCCL_BLACKWELL;
    if (newer && g->nodes > 1 && graph.GBps > 45 && c < 16)
        c *= 2;
    if (l->min_channels && c < (double)l->min_channels)
        c = (double)l->min_channels;
    if (l->max_channels && c > (double)l->max_channels)
        c = (double)l->max_channels;
    return c > COMM_CHANNELS_MAX ? COMM_CHANNELS_MAX : (uint32_t)c;
}

/* --- the tuner --- */

/* Whether @p name is in NCCL_ALGO or NCCL_PROTO. */
static bool allowed(const char *list, const char *name)
{
    const bool except = *list == '^';
    if (!*list)
        return true;
    for (const char *at = list + except; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] != 0))
        if (strcspn(at, ",") == strlen(name) && strncasecmp(at, name, strlen(name)) == 0)
            return !except;
    return except;
}

/* Whether each name of a list is one of @p names. */
static int check_list(const char *key, const char *list, const char *const *names, size_t n,
                      struct weft_err *err)
{
    for (const char *at = list + (*list == '^'); *at;) {
        const size_t size = strcspn(at, ",");
        size_t i = 0;
        while (i < n && (strlen(names[i]) != size || strncasecmp(at, names[i], size) != 0))
            i++;
        if (i == n) {
            char word[32];
            snprintf(word, sizeof word, "%.*s", (int)size, at);
            const char *near = weft_nearest(word, names, n);
            return weft_err_set(err, WEFT_E_INPUT, "library.%s: '%.*s' is none of NCCL's; %s%s%s",
                                key, (int)size, at,
                                near ? "did you mean '" : "see 'weft explain library.",
                                near ? near : key, near ? "'?" : "'");
        }
        at += size + (at[size] != 0);
    }
    return 0;
}

int weft_library_check(const struct weft_system_params *p, struct weft_err *err)
{
    const struct weft_library_params *l = p->nccl;
    if (p->library != WEFT_LIBRARY_IDEAL && (p->library == WEFT_LIBRARY_RCCL) != is_rccl(l))
        return weft_err_set(err, WEFT_E_INPUT, "system.library=%s: library.gpu must %sbe mi300x",
                            is_rccl(l) ? "nccl" : "rccl", is_rccl(l) ? "not " : "");
    int rc = check_list("algo", l->algo, algo_name, WEFT_NCCL_ALGOS, err);
    rc = rc ? rc : check_list("proto", l->proto, proto_name, WEFT_NCCL_PROTOS, err);
    return rc ? rc : weft_library_fitted_check(l->constants, err);
}

static double steps_of(enum weft_coll_kind kind, uint32_t n)
{
    return (kind == WEFT_COLL_ALL_REDUCE ? 2.0 : 1.0) * (n - 1);
}

static bool offers(const struct weft_library_params *l, const struct weft_library_group *g,
                   enum weft_coll_kind kind, enum weft_nccl_algo algo,
                   enum weft_nccl_protocol proto)
{
    const struct weft_nccl_gpu_constants *k = &weft_nccl_gpus[l->gpu];
    if (!allowed(l->algo, algo_name[algo]) || !allowed(l->proto, proto_name[proto]))
        return false;
    if (is_rccl(l) && algo <= WEFT_NCCL_RING && /* on one node its trees have LL alone */
        (!weft_rccl_ratio[0][algo][proto] ||
         (algo == WEFT_NCCL_TREE && proto == WEFT_NCCL_SIMPLE && g->nodes == 1)))
        return false;
    if (proto == WEFT_NCCL_LL128 && (!k->ring_ll128 || (g->nodes > 1 && !l->ll128)))
        return false;
    switch (algo) {
    case WEFT_NCCL_RING:
        return true;
    case WEFT_NCCL_TREE:
        return kind == WEFT_COLL_ALL_REDUCE;
    case WEFT_NCCL_NVLS:
        return kind == WEFT_COLL_ALL_REDUCE && g->nodes == 1 && k->nvls > 0 && g->n > 2 &&
               proto == WEFT_NCCL_SIMPLE;
    case WEFT_NCCL_NVLS_TREE:
        return kind == WEFT_COLL_ALL_REDUCE && g->nodes > 1 && k->nvls > 0 && g->node > 2 &&
               proto == WEFT_NCCL_SIMPLE;
    case WEFT_NCCL_PAT:
        return kind != WEFT_COLL_ALL_REDUCE && g->nodes > 1 && g->node == 1 &&
               l->version >= WEFT_NCCL_2_23 && !is_rccl(l) && proto == WEFT_NCCL_SIMPLE;
    default:
        return false;
    }
}

/* The largest of @p n falling rates that is at most @p most. */
static double within(const double *rates, size_t n, double most)
{
    for (size_t i = 0; i < n && rates[i] > 0; i++)
        if (rates[i] <= most)
            return rates[i];
    return 0;
}

static uint32_t nvls_heads(const struct weft_library_group *g)
{
    return g->node < NVLS_ARITY ? g->node : NVLS_ARITY;
}

/* Bus bandwidth of NVLS within a node, without the limit of trees. */
static double nvls_GBps(const struct weft_nccl_gpu_constants *k, const struct weft_library_group *g)
{
    const uint32_t heads = nvls_heads(g);
    const double b = within(k->one_node, sizeof k->one_node / sizeof *k->one_node, k->link / heads);
    return heads * b * k->nvls * (g->node - 1) / g->node * 2;
}

static double bus_GBps(const struct weft_library_params *l, const struct weft_library_group *g,
                       enum weft_nccl_algo algo, enum weft_nccl_protocol proto)
{
    const struct weft_nccl_gpu_constants *k = &weft_nccl_gpus[l->gpu];
    const struct graph graph = search(l, g);
    const double all = graph.channels * graph.GBps, c = graph.channels;
    const unsigned i = g->nodes > 2 ? 2 : g->nodes - 1;
    const double ll_max = g->nodes == 1 ? (l->gpu == WEFT_NCCL_HOPPER && l->version < WEFT_NCCL_2_22
                                               ? weft_nccl_gpus[WEFT_NCCL_AMPERE].ll_max
                                               : k->ll_max)
                                        : weft_nccl_ll_max[l->cpu][i - 1];
    double b = all;
    if (is_rccl(l))
        return all * weft_rccl_ratio[g->nodes > 2][algo][proto];
    switch (algo) {
    case WEFT_NCCL_RING:
        if (proto == WEFT_NCCL_LL)
            b = fmin(ll_max, all / 2);
        else if (proto == WEFT_NCCL_LL128)
            b = fmin(0.92 * all, c * k->ring_ll128);
        return b;
    case WEFT_NCCL_TREE:
        if (g->nodes == 2) /* what the NVLinks leave each channel: a byte passes a NIC once */
            b = c * within(k->nodes, sizeof k->nodes / sizeof *k->nodes, k->link / c);
        b = fmin(0.92 * fmax(b, all), c * k->tree[i]);
        if (proto == WEFT_NCCL_LL)
            b = fmin(b / 3.8, ll_max);
        else if (proto == WEFT_NCCL_LL128)
            b = fmin(b * (g->nodes == 1 ? 7.0 / 9 : 15.0 / 16), c * k->tree_ll128[i]);
        return b;
    case WEFT_NCCL_NVLS_TREE:
        b = fmin(nvls_GBps(k, g), all * (g->nodes == 2 ? 2 : 1));
        return k->nvls_tree[i] ? fmin(b, c * k->nvls_tree[i]) : b;
    case WEFT_NCCL_PAT:
        return weft_nccl_pat[0] * all;
    default:
        return nvls_GBps(k, g);
    }
}

/* Of the algorithm: bytes over time. */
static double algo_GBps(const struct weft_library_group *g, enum weft_coll_kind kind,
                        enum weft_nccl_algo algo, double bus)
{
    return algo == WEFT_NCCL_TREE  ? bus / 2
           : algo == WEFT_NCCL_PAT ? bus
                                   : bus * g->n / steps_of(kind, g->n);
}

/* Latency of a step within a node and between two, with what the plug-in states. */
static double net_us(const struct weft_library_params *l, const struct weft_library_group *g,
                     enum weft_nccl_algo algo, enum weft_nccl_protocol proto)
{
    const enum weft_nccl_algo row = algo == WEFT_NCCL_RING && g->node == 1 ? WEFT_NCCL_TREE : algo;
    return (is_rccl(l) ? weft_rccl_net_us[algo][proto] : weft_nccl_net_us[row][proto]) +
           (double)l->net_latency_ps * 1e-6 * (proto == WEFT_NCCL_SIMPLE ? 2 : 1);
}
static double node_us(const struct weft_library_params *l, const struct weft_library_group *g,
                      enum weft_nccl_algo algo, enum weft_nccl_protocol proto)
{
    const double post =
        weft_nccl_post_us[l->cpu] * (proto == WEFT_NCCL_SIMPLE ? 3 : 1) * (g->nodes > 1);
    const double step = is_rccl(l) && algo <= WEFT_NCCL_RING ? weft_rccl_link_us[algo][proto]
                                                             : weft_nccl_nvlink_us[algo][proto];
    return algo == WEFT_NCCL_RING ? fmax(step, post) : step;
}

/* What the tuner counts with besides, for a step of a tree: in these releases it had the time of a
 * chunk of 256 KB in the latency. */
static double tree_chunk_us(const struct weft_library_params *l, enum weft_nccl_protocol proto,
                            double step_us)
{
    const bool counted =
        !is_rccl(l) && (l->version < WEFT_NCCL_2_18 ||
                        (l->version >= WEFT_NCCL_2_19 && l->version < WEFT_NCCL_2_23));
    return counted && proto == WEFT_NCCL_SIMPLE ? weft_nccl_tree_chunk_us - step_us : 0;
}

static double base_us(const struct weft_library_params *l, enum weft_nccl_algo algo,
                      enum weft_nccl_protocol proto)
{
    if (is_rccl(l))
        return weft_rccl_base_us[proto];
    return (l->version < WEFT_NCCL_2_18 ? weft_nccl_old_base_us : weft_nccl_base_us)[algo][proto];
}

static double latency_us(const struct weft_library_params *l, const struct weft_library_group *g,
                         enum weft_coll_kind kind, enum weft_nccl_algo algo,
                         enum weft_nccl_protocol proto)
{
    const double steps = steps_of(kind, g->n), base = base_us(l, algo, proto);
    const double net = g->nodes > 1 ? net_us(l, g, algo, proto) : 0;
    const double net_steps = g->nodes > 1 ? steps_of(kind, g->nodes) : 0;
    switch (algo) {
    case WEFT_NCCL_RING:
        return base + (steps - net_steps) * node_us(l, g, algo, proto) + net_steps * net;
    case WEFT_NCCL_TREE: {
        const double step = node_us(l, g, algo, proto);
        return base + 2 * ((g->node - 1) * (step + tree_chunk_us(l, proto, step)) +
                           floor(log2(g->nodes)) *
                               (net + tree_chunk_us(l, proto, weft_nccl_net_us[algo][proto])));
    }
    case WEFT_NCCL_PAT:
        return base + floor(log2(g->nodes)) * net * weft_nccl_pat[1] + g->n * weft_nccl_pat[2];
    case WEFT_NCCL_NVLS_TREE:
        return weft_nccl_nvlink_us[algo][proto] + 2 * floor(log2(g->nodes)) * net;
    default:
        return weft_nccl_nvlink_us[algo][proto];
    }
}

static int faster(const void *a, const void *b)
{
    const struct weft_library_row *x = (const struct weft_library_row *)a;
    const struct weft_library_row *y = (const struct weft_library_row *)b;
    return x->us < y->us ? -1 : x->us > y->us;
}

size_t weft_library_rows(const struct weft_system_params *p, const struct weft_library_group *g,
                         enum weft_coll_kind kind, uint64_t bytes,
                         struct weft_library_row rows[WEFT_LIBRARY_ROWS])
{
    const struct weft_library_params *l = p->nccl;
    size_t n = 0;
    for (int a = 0; a < WEFT_NCCL_ALGOS; a++)
        for (int q = 0; q < WEFT_NCCL_PROTOS; q++) {
            const enum weft_nccl_algo algo = (enum weft_nccl_algo)a;
            const enum weft_nccl_protocol proto = (enum weft_nccl_protocol)q;
            if (!offers(l, g, kind, algo, proto))
                continue;
            struct weft_library_row *r = &rows[n++];
            const unsigned step = bytes < 64 ? 0 : (unsigned)log2((double)bytes / 64);
            double GBps = algo_GBps(g, kind, algo, bus_GBps(l, g, algo, proto));
            if (is_rccl(l) && (algo == WEFT_NCCL_TREE || g->nodes > 1))
                GBps *= weft_rccl_factor[algo][proto]
                                        [step < WEFT_RCCL_FACTORS ? step : WEFT_RCCL_FACTORS - 1];
            else if (algo == WEFT_NCCL_TREE && step < WEFT_NCCL_FACTORS)
                GBps *= weft_nccl_tree_factor[proto][step];
            double latency = latency_us(l, g, kind, algo, proto);
            const double per_step =
                (double)bytes / (search(l, g).channels * 2 * g->n); /* of a channel */
            if (!is_rccl(l) && algo == WEFT_NCCL_RING && proto == WEFT_NCCL_SIMPLE &&
                g->nodes > 1 && kind == WEFT_COLL_ALL_REDUCE && per_step >= 64)
                latency *= l->gpu == WEFT_NCCL_VOLTA ? 1.9 : 1.4;
            *r = (struct weft_library_row){algo, proto, latency, GBps,
                                           latency + (double)bytes / (GBps * 1e3)};
        }
    qsort(rows, n, sizeof *rows, faster);
    return n;
}

/* --- how an operation is divided --- */

/* Channels that are used: fewer as long as each would have too little for its threads. */
static uint32_t used_channels(const struct weft_system_params *p,
                              const struct weft_library_group *g, enum weft_nccl_algo algo,
                              enum weft_nccl_protocol proto, uint64_t bytes)
{
    const uint64_t threads = is_rccl(p->nccl) ? RCCL_THREADS : proto == WEFT_NCCL_LL128 ? 640 : 512;
    uint64_t per_thread = proto == WEFT_NCCL_SIMPLE ? 64 : 8;
    if (proto == WEFT_NCCL_LL && algo == WEFT_NCCL_RING)
        per_thread *= g->n;
    uint32_t c = weft_library_channels(p, g);
    if (algo == WEFT_NCCL_NVLS)
        return weft_nccl_gpus[p->nccl->gpu].nvls_channels;
    while (c > 1 && bytes < c * threads * per_thread)
        c--;
    return c;
}

/* Payload of a chunk. */
static uint64_t chunk_bytes(const struct weft_system_params *p, const struct weft_library_group *g,
                            enum weft_coll_kind kind, const struct weft_library_row *row,
                            uint64_t bytes, uint64_t channels)
{
    const uint64_t slot = p->nccl->buffer_bytes / SLOTS, at_once = channels * nvls_heads(g);
    uint64_t chunk;
    switch (row->algo) {
    case WEFT_NCCL_NVLS:
        chunk = 131072;
        for (unsigned i = 0; i < 3; i++) {
            const uint64_t least[] = {64, 8, 2}, to[] = {65536, 32768, 16384};
            if (bytes < least[i] * at_once * chunk && chunk > to[i])
                chunk = to[i];
        }
        return chunk * nvls_heads(g) / g->node; /* a head for every rank */
    case WEFT_NCCL_NVLS_TREE:
        chunk = g->nodes >= 4 ? 65536 : 131072;
        if (bytes < 4 * at_once * chunk && chunk > 65536)
            chunk = 65536;
        if (bytes < at_once * chunk && chunk > 32768)
            chunk = 32768;
        return chunk * nvls_heads(g) / g->node;
    case WEFT_NCCL_PAT:
        chunk = slot;
        while (chunk * channels * (kind == WEFT_COLL_ALL_GATHER ? 32 : 16) > bytes && chunk > 65536)
            chunk /= 2;
        return chunk;
    default:
        break;
    }
    if (row->proto == WEFT_NCCL_LL)
        return is_rccl(p->nccl) ? LL_SLOT_BYTES / 2 : LL_SLOT_BYTES;
    if (row->proto == WEFT_NCCL_SIMPLE) {
        const double depth = g->node - 1 + floor(log2(g->nodes));
        const bool cuts = row->algo == WEFT_NCCL_TREE && p->nccl->version < WEFT_NCCL_2_20;
        chunk = row->algo == WEFT_NCCL_RING ? 4 * slot : slot;
        for (unsigned i = 0; cuts && i < 3; i++) {
            const double least[] = {8 * depth, 4 * depth, depth};
            const uint64_t to[] = {131072, 65536, 32768};
            while (chunk > to[i] && (double)bytes / (double)(channels * chunk) < least[i])
                chunk /= 2;
        }
        return chunk;
    }
    chunk = LL128_CHUNK_BYTES;
    const double steps = 1 + log2(g->nodes) + 0.1 * g->node;
    const double each = (double)bytes / (double)channels;
    while (row->algo == WEFT_NCCL_TREE && chunk > 131072 &&
           each / (double)chunk < steps * 64 / g->node)
        chunk /= 2;
    while (row->algo == WEFT_NCCL_TREE && chunk > 32768 &&
           each / (double)chunk < steps * 16 / g->node)
        chunk /= 2;
    return chunk;
}

/* Time that the proxy takes for a message. */
static double proxy_us(const struct weft_library_params *l)
{
    return l->proxy_ps ? (double)l->proxy_ps * 1e-6 : weft_nccl_post_us[l->cpu];
}

/* Software time of a step: what of its latency is not on the way. */
static double software_us(double us, double way_us)
{
    return us > way_us ? us - way_us : 0;
}

/* Rate at which the chains of a tree by Simple pass data on, up and down, where NVLinks set it; 0:
 * NICs do. */
static double chain_GBps(const struct weft_library_params *l, const struct weft_library_group *g)
{
    const double copies = weft_library_fitted(l, WEFT_NCCL_RING_GBPS) * links_GBps(l, g) /
                          weft_nccl_gpus[l->gpu].link;
    const double chains = copies * g->node / (2.0 * (g->node - 1));
    const double nics_GBps = g->nic_GBps * g->node * (g->nodes == 2 ? 1 : 0.5);
    return g->node < 2 || (g->nodes > 1 && nics_GBps < chains) ? 0 : chains;
}

void weft_library_text(const struct weft_system_params *p, const struct weft_library_group *g,
                       enum weft_coll_kind kind, uint64_t bytes, const struct weft_library_row *row,
                       char text[WEFT_CHOICE_TEXT_MAX])
{
    static const char *const name[] = {"nccl-tree", "nccl-ring", "nccl-nvls", "nccl-nvls",
                                       "nccl-pat"};
    const struct weft_library_params *l = p->nccl;
    const enum weft_nccl_algo algo = row->algo;
    const bool ring = algo == WEFT_NCCL_RING;
    const uint64_t pieces = l->split ? l->qps : 1; /* of a message */
    const bool nvls = algo == WEFT_NCCL_NVLS || algo == WEFT_NCCL_NVLS_TREE;
    const uint32_t channels = used_channels(p, g, algo, row->proto, bytes);
    const double all = weft_library_channels(p, g);
    const double bus = bus_GBps(l, g, algo, row->proto);
    /* More NICs make more channels, but none slower: by LL and LL128 a threadblock has the rate
     * that it has with one NIC a rank. A rank's proxy posts to its NICs in one round of its loop.
     */
    const unsigned own_nics = nics(l, g) > g->node ? nics(l, g) / g->node : 1;
    char more[32] = "";
    if (own_nics > 1)
        snprintf(more, sizeof more, ":round=%u", own_nics);
    double rate = 0, copy = 0, sync = 0, launch = base_us(l, algo, row->proto);
    double step = software_us(node_us(l, g, algo, row->proto), g->node_us);
    const double each = algo == WEFT_NCCL_PAT ? weft_nccl_pat[1] : 1;
    /* RCCL's tuner counts rings between nodes so dear as to keep them for large sizes */
    const enum weft_nccl_algo net_row = is_rccl(l) ? WEFT_NCCL_TREE : algo;
    const double net =
        g->nodes > 1 ? software_us(each * net_us(l, g, net_row, row->proto), g->net_us) : 0;
    const uint64_t chunk = chunk_bytes(p, g, kind, row, bytes, channels);
    if (algo == WEFT_NCCL_PAT) {
        launch += g->n * weft_nccl_pat[2];
        snprintf(more, sizeof more, ":peers=%" PRIu64, l->buffer_bytes / SLOTS / chunk);
    }
    if (is_rccl(l) && row->proto == WEFT_NCCL_LL) /* of a threadblock, however many there are */
        rate = (double)weft_msccl_kernels[WEFT_NCCL_LL].rate_bps / 8e9;
    else if (row->proto != WEFT_NCCL_SIMPLE)
        rate = (algo == WEFT_NCCL_TREE ? bus / 2 : bus) / fmax(all / own_nics, channels);
    if (ring && g->nodes == 1) {
        const struct weft_nccl_gpu_constants *k = &weft_nccl_gpus[l->gpu];
        if (row->proto == WEFT_NCCL_LL128)
            rate = fmin(rate, weft_library_fitted(l, WEFT_NCCL_LL128_SHARE) * k->ring_ll128 / 2);
        if (row->proto == WEFT_NCCL_SIMPLE)
            rate = weft_library_fitted(l, WEFT_NCCL_RING_GBPS) * links_GBps(l, g) / k->link / all;
        sync = weft_library_fitted(l, WEFT_NCCL_SYNC_LL + row->proto);
    }
    if (algo == WEFT_NCCL_TREE && row->proto == WEFT_NCCL_SIMPLE)
        rate = chain_GBps(l, g) / all;
    if (nvls) {
        step = algo == WEFT_NCCL_NVLS ? weft_library_fitted(l, WEFT_NCCL_NVLS_COPY_US)
                                      : 0; /* in the limit of trees it is contained */
        launch = weft_nccl_nvlink_us[algo][row->proto] - step;
        copy = algo == WEFT_NCCL_NVLS ? weft_library_fitted(l, WEFT_NCCL_NVLS_COPY_GBPS)
                                      : 2 * algo_GBps(g, kind, algo, bus) / channels;
    }
    snprintf(text, WEFT_CHOICE_TEXT_MAX,
             "%s%s%s:channels=%" PRIu32 ":protocol=%s:node=%" PRIu32 ":rails=%" PRIu64
             ":chunk=%" PRIu64 "B:slices=%u:launch=%.0fns:step=%.0fns:net-step=%.0fns"
             ":proxy=%.0fns:slots=%u:qps=%" PRIu64 ":sync=%.0fns:rate=%.0fbps:copy-rate=%.0fbps",
             name[algo], is_rccl(l) && ring ? ":order=mesh8" : "", nvls ? "" : more, channels,
             row->proto == WEFT_NCCL_LL      ? "ll"
             : row->proto == WEFT_NCCL_LL128 ? "ll128"
                                             : "simple",
             g->node, l->rails, chunk / (ring ? 1 : pieces),
             (ring && row->proto == WEFT_NCCL_SIMPLE ? 2 : 1) * (ring ? (unsigned)pieces : 1),
             launch * 1e3, step * 1e3, net * 1e3,
             proxy_us(l) * 1e3 / (double)pieces /
                 (algo == WEFT_NCCL_NVLS_TREE ? weft_library_fitted(l, WEFT_NCCL_PROXY_MERGED) : 1),
             (row->proto == WEFT_NCCL_SIMPLE && algo != WEFT_NCCL_PAT ? SLOTS / 2 : SLOTS) *
                 (ring ? (unsigned)pieces : 1),
             l->qps, sync * 1e3, rate * 8e9, copy * 8e9);
}

/* Channels between two ranks of an all-to-all, and the peers that a rank serves at once. */
static void p2p_text(const struct weft_system_params *p, const struct weft_library_group *g,
                     uint64_t bytes, char text[WEFT_CHOICE_TEXT_MAX])
{
    const struct weft_library_params *l = p->nccl;
    uint32_t all = 1, each = 1;
    while (all < weft_library_channels(p, g))
        all *= 2;
    const double GBps = g->nodes > 1 ? g->nic_GBps / P2P_CHANNEL_GBPS : 2;
    while (each < GBps && each < all)
        each *= 2;
    while (g->nodes > 1 && each > 1 && each * ((g->n + 7) / 8) > all)
        each /= 2;
    const uint64_t message = bytes / g->n / each, whole = g->nodes > 1 ? 131072 : 524288;
    const uint64_t pieces = l->split ? l->qps : 1;
    const bool grouped = l->version >= WEFT_NCCL_2_12; /* several receives in a request */
    const uint64_t chunk = !grouped              ? whole
                           : message < whole     ? whole / 4
                           : message < 8 * whole ? whole / 2
                                                 : whole;
    const enum weft_nccl_protocol proto = /* by LL since 2.14 */
        message <= P2P_LL_BYTES && l->version >= WEFT_NCCL_2_18 ? WEFT_NCCL_LL : WEFT_NCCL_SIMPLE;
    /* alone, a message costs at either end half of what a step of a ring by Simple does */
    const double merged = grouped ? weft_library_fitted(l, WEFT_NCCL_PROXY_MERGED) : 2.0 / 3;
    const double step = node_us(l, g, WEFT_NCCL_RING, proto);
    const double net = g->nodes > 1 ? net_us(l, g, WEFT_NCCL_RING, proto) : 0;
    snprintf(text, WEFT_CHOICE_TEXT_MAX,
             "nccl-p2p:channels=%" PRIu32 ":protocol=%s:node=%" PRIu32 ":rails=%" PRIu64
             ":chunk=%" PRIu64 "B:peers=%" PRIu32 ":slots=8:qps=%" PRIu64
             ":launch=%.0fns:step=%.0fns:net-step=%.0fns:proxy=%.0fns",
             each, proto == WEFT_NCCL_LL ? "ll" : "simple", g->node, l->rails, chunk / pieces,
             8 * all / each, l->qps, base_us(l, WEFT_NCCL_RING, proto) * 1e3,
             software_us(step, g->node_us) * 1e3, software_us(net, g->net_us) * 1e3,
             proxy_us(l) * 1e3 / (double)pieces / merged);
}

/* The place of a group. A job on a part of the fabric has no dimensions of its own: those of the
 * fabric count, and hosts instead of ranks. */
static bool group_place(const struct weft_candidates *s, struct weft_library_group *out)
{
    const struct weft_system_env *env = s->job->env;
    const struct weft_fabric *f = env->net_fabric;
    struct weft_dims dims = {.n = f->ndims < 2 ? 0 : 2};
    for (uint32_t d = 0; d < dims.n; d++) {
        dims.size[d] = f->dims[d].size;
        dims.rate_bps[d] = f->dims[d].links * f->dims[d].rate_bps;
        dims.latency_ps[d] = (f->dims[d].direct ? 1 : 2) * f->dims[d].delay_ps;
    }
    const bool whole = s->dims->n ? weft_library_group(s->group, s->dims, NULL, out)
                                  : weft_library_group(s->group, &dims, env->hosts, out);
    out->link_GBps = weft_library_link_GBps(f);
    return whole;
}

bool weft_library_rank(const struct weft_candidates *s, const struct weft_op *op, uint64_t bytes,
                       struct weft_ranking *out)
{
    const struct weft_system_params *p = s->job->p;
    const enum weft_coll_kind kind = weft_coll_run_as(op->coll);
    struct weft_library_group g;
    struct weft_library_row rows[WEFT_LIBRARY_ROWS];
    if (p->library == WEFT_LIBRARY_IDEAL || !p->nccl || op->involved || !group_place(s, &g))
        return false;
    *out = (struct weft_ranking){.n = 0};
    struct weft_ranked *const c = out->choice;
    if (kind == WEFT_COLL_ALL_TO_ALL) {
        p2p_text(p, &g, bytes, c[0].text);
        out->n = 1;
        return true;
    }
    if (kind != WEFT_COLL_ALL_REDUCE && kind != WEFT_COLL_ALL_GATHER &&
        kind != WEFT_COLL_REDUCE_SCATTER)
        return false;
    if (kind == WEFT_COLL_ALL_GATHER)
        bytes *= g.n;
    const size_t n = weft_library_rows(p, &g, kind, bytes, rows);
    if (!n)
        return false;
    weft_library_text(p, &g, kind, bytes, &rows[0], c[0].text);
    c[0].s = rows[0].us * 1e-6;
    out->n = 1;
    if (n > 1) {
        c[1].s = rows[1].us * 1e-6;
        snprintf(c[1].text, sizeof c[1].text, "%s %s", algo_name[rows[1].algo],
                 proto_name[rows[1].proto]);
        out->n = 2;
    }
    return true;
}
