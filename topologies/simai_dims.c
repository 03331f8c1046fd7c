/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dimensions of a fabric that SimAI describes.
 *
 * SimAI's routes are shortest paths, of equally short ones those over NVSwitches, and a GPU talks
 * to another one of its server over NVSwitches alone. What that comes to depends on which GPUs the
 * links of NVSwitches join, and which the others do:
 *
 *   NVSwitches join   the others join   fabric
 *   each a server     all GPUs          servers (dimension 0), and a network that spans them (1)
 *   each a server     each a rail       servers, and a network per rail: GPUs forward from NVLink to
 *                                       their rail, which is NCCL's PXN
 *   each a server     anything else     one dimension, in which GPUs forward
 *   several servers   anything          one dimension of shortest paths, NVSwitches first
 *   the only server   anything          its GPUs, likewise
 */
#include "topologies/simai_dims.h"

#include <stdlib.h>

/* Groups of nodes that links join: disjoint sets. */
struct groups {
    uint32_t *parent;
    uint32_t *mark; /* of a group, by its root: a server or a rail, + 1 */
};

static uint32_t root_of(const struct groups *g, uint32_t node)
{
    while (g->parent[node] != node)
        node = g->parent[node] = g->parent[g->parent[node]];
    return node;
}

static bool is_nvlink(const struct weft_simai_fabric *s, const struct weft_fabric_link *l)
{
    return s->kinds[l->a] == WEFT_SIMAI_NVSWITCH || s->kinds[l->b] == WEFT_SIMAI_NVSWITCH;
}

/* The groups that the links of NVSwitches make, or all others do. */
static void simai_dims_join(const struct weft_simai_fabric *s, const struct weft_fabric *f,
                            bool nvlinks, struct groups *g)
{
    for (uint32_t n = 0; n < f->nnodes; n++) {
        g->parent[n] = n;
        g->mark[n] = 0;
    }
    for (uint32_t l = 0; l < f->nlinks; l++)
        if (is_nvlink(s, &f->links[l]) == nvlinks)
            g->parent[root_of(g, f->links[l].a)] = root_of(g, f->links[l].b);
}

/* Whether no NVSwitch joins GPUs of two servers, or has a link to a switch. */
static bool nvswitches_join_servers(const struct weft_simai_fabric *s, const struct weft_fabric *f,
                                    struct groups *g)
{
    simai_dims_join(s, f, true, g);
    for (uint32_t l = 0; l < f->nlinks; l++)
        if (is_nvlink(s, &f->links[l]) && (s->kinds[f->links[l].a] == WEFT_SIMAI_SWITCH ||
                                           s->kinds[f->links[l].b] == WEFT_SIMAI_SWITCH))
            return false;
    for (uint32_t n = 0, gpu = 0; n < f->nnodes; n++) {
        if (s->kinds[n] != WEFT_SIMAI_GPU)
            continue;
        const uint32_t root = root_of(g, n), server = gpu++ / s->gpus_per_server;
        if (g->mark[root] && g->mark[root] != server + 1)
            return false;
        g->mark[root] = server + 1;
    }
    return true;
}

/* What the links that no NVSwitch has join. */
enum network { ALL, RAILS, OTHER };

static enum network network_of(const struct weft_simai_fabric *s, const struct weft_fabric *f,
                               struct groups *g)
{
    uint32_t first = UINT32_MAX;
    bool all = true, rails = true;
    simai_dims_join(s, f, false, g);
    for (uint32_t n = 0, gpu = 0; n < f->nnodes; n++) {
        if (s->kinds[n] != WEFT_SIMAI_GPU)
            continue;
        const uint32_t root = root_of(g, n), rail = gpu % s->gpus_per_server;
        first = gpu ? first : root;
        all = all && root == first;
        rails = rails && g->mark[root] == (gpu < s->gpus_per_server ? 0 : rail + 1);
        g->mark[root] = rail + 1;
        gpu++;
    }
    return all ? ALL : rails ? RAILS : OTHER;
}

/* A dimension of servers and one of their network; the latter is without links that are used where
 * there is one server alone. */
static void set_dimensions(const struct weft_simai_fabric *s, struct weft_fabric *f, bool spans)
{
    f->ndims = s->gpus > s->gpus_per_server ? 2 : 1;
    f->dims[0] = (struct weft_fabric_dim){.kind = "switch", .size = s->gpus_per_server};
    f->dims[1] = (struct weft_fabric_dim){
        .kind = "irregular", .size = s->gpus / s->gpus_per_server, .spans = spans};
    for (uint32_t l = 0; l < f->nlinks; l++) {
        struct weft_fabric_link *k = &f->links[l];
        struct weft_fabric_dim *d = &f->dims[is_nvlink(s, k) ? 0 : 1];
        k->dim = is_nvlink(s, k) ? 0 : f->ndims - 1;
        if (d->rate_bps == 0 &&
            (s->kinds[k->a] == WEFT_SIMAI_GPU || s->kinds[k->b] == WEFT_SIMAI_GPU)) {
            d->rate_bps = k->rate_bps;
            d->delay_ps = k->delay_ps;
        }
        d->links += k->a == 0 || k->b == 0; /* those of GPU 0 */
    }
    f->routing = f->ndims > 1 ? WEFT_ROUTING_DIMS : WEFT_ROUTING_SHORTEST;
}

static void put_nvlinks_first(const struct weft_simai_fabric *s, struct weft_fabric *f)
{
    for (uint32_t l = 0; l < f->nlinks; l++)
        f->links[l].order = is_nvlink(s, &f->links[l]) ? 0 : 1;
}

int weft_simai_dims(const struct weft_simai_fabric *s, struct weft_fabric *f, struct weft_err *err)
{
    if (s->nvswitches == 0 || s->gpus_per_server == 1)
        return 0; /* one dimension, which finish makes */
    if (s->gpus == 0 || s->gpus % s->gpus_per_server)
        return weft_err_at(err, WEFT_E_INPUT, s->file, 1, 1,
                           "%u GPUs do not make servers of %u GPUs each", s->gpus,
                           s->gpus_per_server);
    uint32_t *const work = calloc(2 * (size_t)f->nnodes, sizeof *work);
    struct groups g = {work, work + f->nnodes};
    if (!work)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u nodes", f->nnodes);
    int rc = 0;
    if (s->gpus == s->gpus_per_server) {
        put_nvlinks_first(s, f);
        set_dimensions(s, f, false);
    } else if (!nvswitches_join_servers(s, f, &g)) {
        put_nvlinks_first(s, f);
    } else {
        const enum network network = network_of(s, f, &g);
        if (network == OTHER)
            f->routing = WEFT_ROUTING_TRANSIT;
        else
            set_dimensions(s, f, network == ALL);
        if (network != ALL)
            rc = weft_fabric_note(f, err,
                                  "%s: the network does not join all GPUs: a message goes over "
                                  "NVLink to a GPU of its server that is joined to the other "
                                  "(PXN)",
                                  s->file);
    }
    free(work);
    return rc;
}
