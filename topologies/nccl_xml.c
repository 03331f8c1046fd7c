/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nccl: reads the topology dumps of NCCL (NCCL_TOPO_DUMP_FILE): one server, or several of the kind.
 *
 * GPUs become hosts, by rank, or by device number where ranks are missing. CPUs, PCI bridges, NICs
 * and NVSwitches become switches, PCI links, NVLinks and links between CPUs become links with their
 * rates:
 *   PCI     link_speed (GT/s) x link_width, less the line code (8b/10b to 5 GT/s, 128b/130b above)
 *   NVLink  count x the rate of one link for the GPU's sm, as NCCL assumes (src/graph/topo.h); a
 *           GPU's links to several NVSwitches are one (nccl_planes.c)
 *   CPUs    between every two, by architecture, as NCCL assumes
 *   xGMI    count x the rate of one link for the GPU's gcn, as RCCL assumes
 * A <pci> with nothing inside is a GPU or a NIC by its class. CPUs with different host_hash belong
 * to different machines, whose NICs meet as those of several servers do. NVLink is preferred: PCI
 * and CPU links cost more (cost). With `nodes` above 1 there are that many such servers, and the
 * ports of their NICs (net speed, Mbit/s) meet at one switch, or one per port number. What has no
 * meaning for a fabric is left out and reported.
 */
#include "base/file.h"
#include "base/xml_comments.h"
#include "topologies/fabric_reach.h"
#include "topologies/nccl.h"
#include "topologies/topology.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (16u << 20)

struct params {
    const char *file;
    uint64_t nodes;
    bool rails, separate;
    int64_t delay_ps, network_delay_ps;
};

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct params, file, "file", NULL), .help = "path of the dump"},
    {WEFT_ROW_U64(struct params, nodes, "nodes", "1", "1", "4096"),
     .help = "servers of this kind; with more than one their NICs are joined"},
    {WEFT_ROW_BOOL(struct params, rails, "rails", "false"),
     .help = "NIC ports of equal number meet at a switch of their own; false: all at one"},
    {WEFT_ROW_BOOL(struct params, separate, "separate-planes", "false"),
     .help = "NVSwitches that reach the same GPUs stay switches of their own, whose links can fail "
             "one by one; a QP keeps to one of them. false: one switch"},
    {WEFT_ROW_TIME(struct params, delay_ps, "delay", "250ns", "0ps", "1s"),
     .help = "propagation delay of every link inside a server"},
    {WEFT_ROW_TIME(struct params, network_delay_ps, "network-delay", "1us", "0ps", "1s"),
     .help = "propagation delay of the links from NICs to switches"},
};

static int by_rank(const void *a, const void *b)
{
    const struct nccl_part *const *x = a, *const *y = b;
    if ((*x)->rank != (*y)->rank)
        return (*x)->rank < (*y)->rank ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* Numbers GPUs by rank and everything else in order; returns the number of GPUs, *nothers that of
 * the rest. */
static uint32_t number_parts(struct nccl_reader *r, struct nccl_part **order, uint32_t *nothers)
{
    uint32_t gpus = 0, others = 0;
    for (uint32_t i = 0; i < r->nparts; i++) {
        if (r->parts[i].kind == GPU)
            order[gpus++] = &r->parts[i];
        else if (!r->parts[i].folded)
            r->parts[i].id = others++;
    }
    *nothers = others;
    qsort(order, gpus, sizeof *order, by_rank);
    for (uint32_t i = 0; i < gpus; i++)
        order[i]->id = i;
    return gpus;
}

/* The fabric of all servers. */
static int assemble(struct nccl_reader *r, const struct params *p, uint32_t gpus, uint32_t others)
{
    const uint32_t servers = (uint32_t)p->nodes;
    uint32_t outside = servers > 1 || (r->nhosts > 1 && r->nnets) ? 1 : 0;
    for (uint32_t k = 0; k < r->nnets && outside && p->rails; k++)
        outside = r->nets[k].index + 1 > outside ? r->nets[k].index + 1 : outside;
    uint32_t first = servers * gpus; /* the first switch */
    int rc = 0;
    if (servers > 1 && r->nnets == 0)
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, 0, 0,
                           "the dump has no NIC ports (<net>) to join %u servers by", servers);
    for (uint64_t i = 0; i < (uint64_t)servers * gpus && !rc; i++)
        rc = weft_fabric_add_node(r->f, WEFT_NODE_HOST, 0, NULL, r->err);
    for (uint64_t i = 0; i < (uint64_t)servers * others + outside && !rc; i++)
        rc = weft_fabric_add_node(r->f, WEFT_NODE_SWITCH, 0, NULL, r->err);
    for (uint32_t s = 0; s < servers && !rc; s++) {
        for (uint32_t w = 0; w < r->nwires && !rc; w++) {
            const struct nccl_part *a = &r->parts[r->wires[w].a], *b = &r->parts[r->wires[w].b];
            struct weft_fabric_link l = {
                .a = a->kind == GPU ? s * gpus + a->id : first + s * others + a->id,
                .b = b->kind == GPU ? s * gpus + b->id : first + s * others + b->id,
                .rate_bps = r->wires[w].rate_bps,
                .delay_ps = p->delay_ps,
                .cost = r->wires[w].cost,
                .order = r->wires[w].order};
            rc = weft_fabric_add_link(r->f, &l, NULL, r->err);
        }
        for (uint32_t k = 0; k < r->nnets && outside && !rc; k++) {
            struct weft_fabric_link l = {.a = first + s * others + r->parts[r->nets[k].part].id,
                                         .b = first + servers * others +
                                              (p->rails ? r->nets[k].index : 0),
                                         .rate_bps = r->nets[k].rate_bps,
                                         .delay_ps = p->network_delay_ps};
            rc = weft_fabric_add_link(r->f, &l, NULL, r->err);
        }
    }
    if (!rc)
        rc = weft_fabric_finish(r->f, r->err);
    return rc ? rc : weft_fabric_tiers_by_distance(r->f, r->err);
}

static int nccl_xml_parse(struct nccl_reader *r, const struct params *p,
                          const struct weft_xml_elem *root)
{
    if (strcmp(root->name, "system") != 0)
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, root->line, root->col,
                           "the root element of an NCCL topology is <system>, not <%s>",
                           root->name);
    int rc = nccl_read(r, root);
    struct nccl_part **order = rc ? NULL : malloc((r->nparts + 1) * sizeof *order);
    if (!rc && !order)
        rc = weft_err_no_memory(r->err, "a topology");
    uint32_t others = 0, gpus = rc ? 0 : number_parts(r, order, &others);
    free(order);
    if (!rc && gpus == 0)
        rc = weft_err_at(r->err, WEFT_E_INPUT, r->file, root->line, root->col,
                         "the dump has no GPU, only %u other devices: NCCL adds what it finds on "
                         "the machine to such a file (NCCL_TOPO_FILE); take what it has then, with "
                         "NCCL_TOPO_DUMP_FILE on the machine, or add a <gpu> to the <pci> of each",
                         others);
    if (!rc)
        rc = assemble(r, p, gpus, others);
    if (rc)
        weft_err_locate(r->err, r->file, 0, 0);
    return rc;
}

static int nccl_xml_build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_err local = {0};
    struct weft_xml_elem *root = NULL;
    char *text = NULL;
    size_t len = 0;
    *out = NULL;
    err = err ? err : &local;
    if (!p->file || !p->file[0])
        return weft_err_set(err, WEFT_E_INPUT, "nccl: 'file' must be given");
    struct nccl_reader r = {
        .file = p->file, .err = err, .f = weft_fabric_new(), .separate_planes = p->separate};
    struct weft_arena *a = weft_arena_new();
    r.parts = calloc(NCCL_PARTS_MAX, sizeof *r.parts);
    r.wires = calloc(NCCL_WIRES_MAX, sizeof *r.wires);
    r.nets = calloc(NCCL_PARTS_MAX, sizeof *r.nets);
    int rc = a && r.f && r.parts && r.wires && r.nets
                 ? weft_file_read(p->file, FILE_MAX, &text, &len, err)
                 : weft_err_no_memory(err, "a topology");
    int64_t line = 0;
    const uint32_t mended = rc ? 0 : weft_xml_mend_comments(text, len, &line);
    if (!rc)
        rc = weft_xml_parse(text, len, p->file, a, &root, err);
    if (!rc && mended)
        rc = weft_fabric_note(r.f, err,
                              "%s:%" PRId64 ": -- within a comment is not well-formed XML; read "
                              "as NCCL does%s",
                              p->file, line, mended > 1 ? ", as are others" : "");
    if (!rc)
        rc = nccl_xml_parse(&r, p, root);
    if (rc)
        weft_fabric_free(r.f);
    else
        *out = r.f;
    free(r.parts);
    free(r.wires);
    free(r.nets);
    free(text);
    weft_arena_free(a);
    return rc;
}

const struct weft_topology_ops weft_topology_nccl = {
    .name = "nccl",
    .title = "a topology dump of NCCL: GPUs, PCI, NVLinks and NICs of a server",
    .source = "NVIDIA/nccl, src/graph/xml.cc and topo.h",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = nccl_xml_build,
};
