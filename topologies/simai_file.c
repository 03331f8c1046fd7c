/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * simai: reads the topology files of SimAI (gen_Topo_Template.py).
 *
 * Whitespace-separated tokens; line ends have no meaning but in the first line, which may end with
 * the GPUs per server again:
 *   nodes gpus-per-server nvswitches switches links gpu-type [gpus-per-server]
 *   <nvswitch id> x nvswitches, <switch id> x switches
 *   <node a> <node b> <rate> <delay> <error rate>  x links
 * Nodes that are in neither list are GPUs; server s has GPUs s x gpus-per-server and on. What
 * NVSwitches and the other switches join makes the dimensions (simai_dims.c). SimAI's NVSwitches
 * neither pause nor mark; here they are switches like others.
 */
#include "topologies/fabric_reach.h"
#include "topologies/simai_dims.h"
#include "topologies/tokens.h"
#include "topologies/topology.h"

#include <stdlib.h>

struct params {
    const char *file;
    bool hosts_forward;
    double error_rate;
};

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct params, file, "file", NULL), .help = "path of the topology file"},
    {WEFT_ROW_BOOL(struct params, hosts_forward, "hosts-forward", "false"),
     .help = "GPUs forward packets for others where neither switches nor a link join them, and, of "
             "several dimensions, what failed links no longer do"},
    WEFT_TOKENS_ERROR_RATE_PARAM(struct params),
};

struct header {
    uint32_t nodes, gpus_per_server, nvswitches, switches, links;
};

static int simai_file_read_header(struct weft_tokens *s, struct header *h)
{
    uint64_t limit = s->in.len < UINT32_MAX / 4 ? s->in.len : UINT32_MAX / 4;
    int rc = weft_tokens_count(s, "the number of nodes", limit, &h->nodes);
    if (!rc && h->nodes == 0)
        rc = weft_tokens_err(s, "the number of nodes must be at least 1");
    if (!rc)
        rc = weft_tokens_count(s, "the number of GPUs per server", h->nodes, &h->gpus_per_server);
    if (!rc && h->gpus_per_server == 0)
        rc = weft_tokens_err(s, "the number of GPUs per server must be at least 1");
    if (!rc)
        rc = weft_tokens_count(s, "the number of NVSwitches", h->nodes, &h->nvswitches);
    if (!rc)
        rc = weft_tokens_count(s, "the number of switches", h->nodes - h->nvswitches, &h->switches);
    if (!rc)
        rc = weft_tokens_count(s, "the number of links", limit, &h->links);
    if (!rc)
        rc = weft_scan_need(&s->in, "the GPU type", s->err);
    const int64_t line = s->in.tok_line;
    uint32_t again;
    if (!rc && weft_scan_more(&s->in) && s->in.line == line &&
        !(rc = weft_tokens_count(s, "the number of GPUs per server", h->nodes, &again))) {
        const int64_t col = s->in.tok_col;
        s->in.again = !weft_scan_more(&s->in) || s->in.line == line || again != h->gpus_per_server;
        if (s->in.again) { /* the switches, or the links, begin in the first line */
            s->in.tok_line = line;
            s->in.tok_col = col;
        }
    }
    return rc;
}

static int simai_file_parse(struct weft_tokens *s, struct weft_fabric *f, const void *params)
{
    const struct params *p = params;
    struct header h = {0, 0, 0, 0, 0};
    int rc = simai_file_read_header(s, &h);
    unsigned char *kinds = rc ? NULL : calloc(h.nodes, 1);
    if (!rc && !kinds)
        rc = weft_err_set(s->err, WEFT_E_LIMIT, "out of memory for %u nodes", h.nodes);
    if (!rc)
        rc =
            weft_tokens_ids(s, "an NVSwitch id", h.nvswitches, h.nodes, WEFT_SIMAI_NVSWITCH, kinds);
    if (!rc)
        rc = weft_tokens_ids(s, "a switch id", h.switches, h.nodes, WEFT_SIMAI_SWITCH, kinds);
    for (uint32_t i = 0; i < h.nodes && !rc; i++)
        rc = weft_fabric_add_node(f, kinds[i] ? WEFT_NODE_SWITCH : WEFT_NODE_HOST, 0, NULL, s->err);
    if (!rc)
        rc = weft_tokens_links(s, f, h.links);
    if (!rc)
        rc = weft_tokens_rest(s, f, h.links);
    if (!rc)
        weft_tokens_error_rate(f, p->error_rate);
    const struct weft_simai_fabric fabric = {.file = s->in.file,
                                             .kinds = kinds,
                                             .gpus = h.nodes - h.nvswitches - h.switches,
                                             .gpus_per_server = h.gpus_per_server,
                                             .nvswitches = h.nvswitches};
    if (!rc)
        rc = weft_simai_dims(&fabric, f, s->err);
    if (p->hosts_forward && f->ndims < 2)
        f->routing = WEFT_ROUTING_TRANSIT;
    for (uint32_t d = 0; p->hosts_forward && d < f->ndims; d++)
        f->dims[d].relays = true;
    if (!rc)
        rc = weft_tokens_finish(s, f, "simai");
    if (!rc)
        rc = weft_fabric_tiers_by_distance(f, s->err);
    if (rc)
        weft_err_locate(s->err, s->in.file, 0, 0);
    free(kinds);
    return rc;
}

static int simai_file_build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    return weft_tokens_build("simai", ((const struct params *)raw)->file, simai_file_parse, raw,
                             out, err);
}

const struct weft_topology_ops weft_topology_simai = {
    .name = "simai",
    .title = "a topology file of SimAI, with NVSwitches",
    .source = "aliyun/SimAI, astra-sim-alibabacloud/inputs/topo/gen_Topo_Template.py",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = simai_file_build,
};
