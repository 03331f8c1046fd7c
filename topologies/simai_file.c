/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * simai: reads the topology files of SimAI (gen_Topo_Template.py).
 *
 * Whitespace-separated tokens; line ends have no meaning but in the first line, which may end with
 * the GPUs per server again: nodes gpus-per-server nvswitches switches links gpu-type
 * [gpus-per-server] <nvswitch id> x nvswitches, <switch id> x switches <node a> <node b> <rate>
 * <delay> <error rate>  x links Nodes that are in neither list are GPUs; server s has GPUs s x
 * gpus-per-server and on. NVSwitches and their links are dimension 0, everything else is dimension
 * 1, which spans: GPUs of one server talk over NVSwitches, others over the network. SimAI's
 * NVSwitches neither pause nor mark; here they are switches like others.
 */
#include "topologies/fabric_reach.h"
#include "topologies/tokens.h"
#include "topologies/topology.h"

#include <stdlib.h>

struct params {
    const char *file;
    double error_rate;
};

static const struct weft_param params[] = {
    {.name = "file",
     .type = WEFT_PARAM_STRING,
     .offset = offsetof(struct params, file),
     .help = "path of the topology file"},
    WEFT_TOKENS_ERROR_RATE_PARAM(struct params),
};

enum { GPU = 0, NVSWITCH = 1, SWITCH = 2 };

struct header {
    uint32_t nodes, gpus_per_server, nvswitches, switches, links;
};

static int read_header(struct weft_tokens *s, struct header *h)
{
    uint64_t limit = s->len < UINT32_MAX / 4 ? s->len : UINT32_MAX / 4;
    int rc = weft_tokens_count(s, "the number of nodes", limit, &h->nodes);
    if (!rc && h->nodes == 0)
        rc = weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                         "the number of nodes must be at least 1");
    if (!rc)
        rc = weft_tokens_count(s, "the number of GPUs per server", h->nodes, &h->gpus_per_server);
    if (!rc && h->gpus_per_server == 0)
        rc = weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                         "the number of GPUs per server must be at least 1");
    if (!rc)
        rc = weft_tokens_count(s, "the number of NVSwitches", h->nodes, &h->nvswitches);
    if (!rc)
        rc = weft_tokens_count(s, "the number of switches", h->nodes - h->nvswitches, &h->switches);
    if (!rc)
        rc = weft_tokens_count(s, "the number of links", limit, &h->links);
    if (!rc)
        rc = weft_tokens_token(s, "the GPU type");
    const int64_t line = s->tok_line;
    uint32_t again;
    if (!rc && h->nvswitches + h->switches && weft_tokens_more(s) && s->line == line) {
        struct weft_tokens next = *s;
        rc = weft_tokens_count(&next, "the number of GPUs per server", h->nodes, &again);
        if (!rc && weft_tokens_more(&next) && next.line > line && again == h->gpus_per_server)
            *s = next; /* else the ids of switches begin in the first line */
    }
    return rc;
}

/* Sets dimensions: servers of NVSwitches inside, the network outside. */
static int simai_file_dimensions(const struct header *h, struct weft_fabric *f,
                                 const unsigned char *kinds, struct weft_tokens *s)
{
    uint32_t gpus = h->nodes - h->nvswitches - h->switches;
    if (h->nvswitches == 0 || h->gpus_per_server == 1)
        return 0; /* one dimension, which finish makes */
    if (gpus == 0 || gpus % h->gpus_per_server)
        return weft_err_at(s->err, WEFT_E_INPUT, s->file, 1, 1,
                           "%u GPUs do not make servers of %u GPUs each", gpus, h->gpus_per_server);
    f->ndims = gpus > h->gpus_per_server ? 2 : 1;
    f->dims[0] = (struct weft_fabric_dim){.kind = "switch", .size = h->gpus_per_server};
    f->dims[1] = (struct weft_fabric_dim){
        .kind = "irregular", .size = gpus / h->gpus_per_server, .spans = true};
    for (uint32_t l = 0; l < f->nlinks; l++) {
        struct weft_fabric_link *k = &f->links[l];
        bool nv = kinds[k->a] == NVSWITCH || kinds[k->b] == NVSWITCH;
        struct weft_fabric_dim *d = &f->dims[nv ? 0 : f->ndims - 1];
        k->dim = nv ? 0 : f->ndims - 1;
        if (d->rate_bps == 0 && (kinds[k->a] == GPU || kinds[k->b] == GPU)) {
            d->rate_bps = k->rate_bps;
            d->delay_ps = k->delay_ps;
        }
        d->links += k->a == 0 || k->b == 0; /* those of GPU 0 */
    }
    f->routing = f->ndims > 1 ? WEFT_ROUTING_DIMS : WEFT_ROUTING_SHORTEST;
    return 0;
}

static int parse(struct weft_tokens *s, struct weft_fabric *f, const void *params)
{
    const struct params *p = params;
    struct header h = {0, 0, 0, 0, 0};
    int rc = read_header(s, &h);
    unsigned char *kinds = rc ? NULL : calloc(h.nodes, 1);
    if (!rc && !kinds)
        rc = weft_err_set(s->err, WEFT_E_LIMIT, "out of memory for %u nodes", h.nodes);
    if (!rc)
        rc = weft_tokens_ids(s, "an NVSwitch id", h.nvswitches, h.nodes, NVSWITCH, kinds);
    if (!rc)
        rc = weft_tokens_ids(s, "a switch id", h.switches, h.nodes, SWITCH, kinds);
    for (uint32_t i = 0; i < h.nodes && !rc; i++)
        rc = weft_fabric_add_node(f, kinds[i] ? WEFT_NODE_SWITCH : WEFT_NODE_HOST, 0, NULL, s->err);
    if (!rc)
        rc = weft_tokens_links(s, f, h.links);
    if (!rc)
        rc = weft_tokens_rest(s, f, h.links);
    if (!rc)
        weft_tokens_error_rate(f, p->error_rate);
    if (!rc)
        rc = simai_file_dimensions(&h, f, kinds, s);
    if (!rc)
        rc = weft_fabric_finish(f, s->err);
    if (!rc)
        rc = weft_fabric_tiers_by_distance(f, s->err);
    if (rc)
        weft_err_locate(s->err, s->file, 0, 0);
    free(kinds);
    return rc;
}

static int simai_file_build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    return weft_tokens_build("simai", ((const struct params *)raw)->file, parse, raw, out, err);
}

extern const struct weft_topology_ops weft_topology_simai;
const struct weft_topology_ops weft_topology_simai = {
    .name = "simai",
    .title = "a topology file of SimAI, with NVSwitches",
    .source = "aliyun/SimAI, astra-sim-alibabacloud/inputs/topo/gen_Topo_Template.py",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = simai_file_build,
};
