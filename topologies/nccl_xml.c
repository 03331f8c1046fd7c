/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nccl: reads the topology dumps of NCCL (NCCL_TOPO_DUMP_FILE): one server, or several of the kind.
 *
 * GPUs become hosts, by rank, or by device number where ranks are missing. CPUs, PCI bridges, NICs and
 * NVSwitches become switches, PCI links, NVLinks and links between CPUs become links with their rates:
 *   PCI     link_speed (GT/s) x link_width, less the line code (8b/10b to 5 GT/s, 128b/130b above)
 *   NVLink  count x the rate of one link for the GPU's sm, as NCCL assumes (src/graph/topo.h)
 *   CPUs    between every two, by architecture, as NCCL assumes
 * NVLink is preferred: PCI and CPU links cost more (cost). With `nodes` above 1 there are that many such
 * servers, and the ports of their NICs (net speed, Mbit/s) meet at one switch, or one per port number.
 * What has no meaning for a fabric is left out and reported.
 */
#include "base/file.h"
#include "base/xml.h"
#include "topologies/fabric_reach.h"
#include "topologies/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FILE_MAX (16u << 20)
#define PARTS_MAX 4096u
#define PCI_COST 4u
#define GBYTE 8000000000.0 /* bit */

struct params {
    const char *file;
    uint64_t nodes;
    int rails;
    int64_t delay_ps, network_delay_ps;
};

static const struct weft_param params[] = {
    {"file", WEFT_PARAM_STRING, offsetof(struct params, file), NULL, NULL, NULL, NULL,
     "path of the dump", NULL},
    {"nodes", WEFT_PARAM_U64, offsetof(struct params, nodes), "1", "1", "4096", NULL,
     "servers of this kind; with more than one their NICs are joined", NULL},
    {"rails", WEFT_PARAM_BOOL, offsetof(struct params, rails), "false", NULL, NULL, NULL,
     "NIC ports of equal number meet at a switch of their own; false: all at one", NULL},
    {"delay", WEFT_PARAM_TIME, offsetof(struct params, delay_ps), "250ns", "0ps", "1s", NULL,
     "propagation delay of every link inside a server", NULL},
    {"network-delay", WEFT_PARAM_TIME, offsetof(struct params, network_delay_ps), "1us", "0ps",
     "1s", NULL, "propagation delay of the links from NICs to switches", NULL},
};

enum part_kind { GPU, CPU, PCI, NIC, NVSWITCH };

/* A node of one server. */
struct part {
    enum part_kind kind;
    const char *busid;
    const struct weft_xml_elem *elem; /* the <gpu> of a GPU */
    long rank;
    uint32_t parent; /* UINT32_MAX: none */
    uint64_t up_bps;
    uint32_t id; /* number among the hosts, or among the switches, of a server */
};
/* A link between two parts. */
struct wire {
    uint32_t a, b, cost;
    uint8_t order; /* 2 between CPUs, 1 from a CPU, else 0: packets leave by the nearest NIC */
    uint64_t rate_bps;
};
/* A port of a NIC. */
struct net {
    uint32_t part;
    uint64_t rate_bps;
};

struct reader {
    const char *file;
    struct weft_err *err;
    struct weft_fabric *f;
    struct part *parts;
    uint32_t nparts;
    struct wire *wires;
    uint32_t nwires;
    struct net *nets;
    uint32_t nnets;
};

static int note(struct reader *r, const struct weft_xml_elem *e, const char *what)
{
    return weft_fabric_note(r->f, r->err, "%s:%lld: <%.40s> %s", r->file, (long long)e->line,
                            e->name, what);
}

static const char *attr(const struct weft_xml_elem *e, const char *name)
{
    const struct weft_xml_attr *a = weft_xml_get(e, name);
    return a ? a->value : "";
}

/* A number at the start of an attribute, `none` when there is none or it is not in the range. */
static double number(const struct weft_xml_elem *e, const char *name, double none, double max)
{
    const char *text = attr(e, name);
    char *end;
    double v = strtod(text, &end);
    return end == text || !(v >= 0 && v <= max) ? none : v;
}

static int add_part(struct reader *r, const struct weft_xml_elem *e, enum part_kind kind,
                    uint32_t parent, uint64_t up_bps, uint32_t *out)
{
    if (r->nparts == PARTS_MAX)
        return weft_err_at(r->err, WEFT_E_LIMIT, r->file, e->line, e->col,
                           "more than %u devices in a server", PARTS_MAX);
    *out = r->nparts;
    r->parts[r->nparts++] = (struct part){kind, attr(e, "busid"), e, -1, parent, up_bps, 0};
    return 0;
}

static int add_wire(struct reader *r, const struct weft_xml_elem *e, uint32_t a, uint32_t b,
                    uint32_t cost, double bps)
{
    if (r->nwires == PARTS_MAX * 8)
        return weft_err_at(r->err, WEFT_E_LIMIT, r->file, e->line, e->col,
                           "more than %u links in a server", PARTS_MAX * 8);
    uint8_t order = (uint8_t)((r->parts[a].kind == CPU) + (r->parts[b].kind == CPU));
    r->wires[r->nwires++] = (struct wire){a, b, cost, order, bps >= 1 ? (uint64_t)(bps + 0.5) : 1};
    return 0;
}

/* The rate of the PCI link of an element; what is missing is reported and taken as 8 GT/s x 16. */
static int pci_rate(struct reader *r, const struct weft_xml_elem *e, uint64_t *out)
{
    double speed = number(e, "link_speed", 0, 1000), width = number(e, "link_width", 0, 64);
    int rc = 0;
    if (speed <= 0 || width < 1) {
        rc = note(r, e, "has no PCI link_speed or link_width; taken as 8 GT/s x 16");
        speed = speed > 0 ? speed : 8;
        width = width >= 1 ? width : 16;
    }
    *out = (uint64_t)(speed * 1e9 * width * (speed > 5 ? 128.0 / 130.0 : 0.8) + 0.5);
    return rc;
}

/* GB/s of one NVLink of a GPU, as NCCL assumes (src/graph/topo.h). */
static double nvlink_gbytes(const struct weft_xml_elem *gpu)
{
    int sm = (int)number(gpu, "sm", 80, 1000);
    return sm >= 100              ? 40.1
           : sm >= 90             ? 20.6
           : sm == 86 || sm == 89 ? 12.0
           : sm >= 70             ? 20.0
                                  : 18.0;
}

static int walk(struct reader *r, const struct weft_xml_elem *e, uint32_t parent);

/* <net> elements of a NIC. */
static int nic(struct reader *r, const struct weft_xml_elem *e, uint32_t part)
{
    int rc = 0;
    for (const struct weft_xml_elem *c = e->children; c && !rc; c = c->next) {
        if (strcmp(c->name, "net") != 0) {
            rc = note(r, c, "in a NIC is not known and has no effect");
        } else if (r->nnets == PARTS_MAX) {
            rc = weft_err_at(r->err, WEFT_E_LIMIT, r->file, c->line, c->col,
                             "more than %u NIC ports", PARTS_MAX);
        } else {
            double mbps = number(c, "speed", 0, 1e8);
            if (mbps <= 0)
                rc = note(r, c, "has no speed; taken as 10000 Mbit/s");
            r->nets[r->nnets++] =
                (struct net){part, (uint64_t)((mbps > 0 ? mbps : 10000) * 1e6 + 0.5)};
        }
    }
    return rc;
}

/* A <pci>: a GPU, a NIC, or a bridge with more behind it. */
static int pci(struct reader *r, const struct weft_xml_elem *e, uint32_t parent)
{
    uint64_t rate;
    uint32_t part = 0;
    int rc = pci_rate(r, e, &rate);
    const struct weft_xml_elem *gpu = NULL, *card = NULL;
    for (const struct weft_xml_elem *c = e->children; c; c = c->next) {
        gpu = strcmp(c->name, "gpu") == 0 ? c : gpu;
        card = strcmp(c->name, "nic") == 0 ? c : card;
    }
    if (!rc)
        rc = add_part(r, e, gpu ? GPU : card ? NIC : PCI, parent, rate, &part);
    if (rc)
        return rc;
    if (gpu) {
        r->parts[part].elem = gpu;
        r->parts[part].rank = (long)number(gpu, "rank", number(gpu, "dev", 1e6, 1e6), 1e6);
    }
    for (const struct weft_xml_elem *c = e->children; c && !rc; c = c->next) {
        if (c == gpu)
            continue;
        if (c == card)
            rc = nic(r, c, part);
        else if (gpu || card)
            rc = note(r, c, "beside a GPU or NIC has no effect");
        else if (strcmp(c->name, "pcilink") == 0)
            rc = note(r, c, "between PCI switches is left out");
        else
            rc = walk(r, c, part);
    }
    return rc;
}

static int walk(struct reader *r, const struct weft_xml_elem *e, uint32_t parent)
{
    uint32_t part = 0;
    int rc = 0;
    if (strcmp(e->name, "pci") == 0)
        return pci(r, e, parent);
    if (strcmp(e->name, "cpu") == 0 && parent == UINT32_MAX) {
        rc = add_part(r, e, CPU, parent, 0, &part);
        for (const struct weft_xml_elem *c = e->children; c && !rc; c = c->next)
            rc = walk(r, c, part);
        return rc;
    }
    if (strcmp(e->name, "nic") == 0 && parent != UINT32_MAX) {
        /* a NIC that is not on the PCI bus of the dump: as fast as its ports */
        rc = add_part(r, e, NIC, parent, UINT64_MAX, &part);
        return rc ? rc : nic(r, e, part);
    }
    return note(r, e, "is not known here and has no effect");
}

static uint32_t find(const struct reader *r, const char *busid)
{
    for (uint32_t i = 0; i < r->nparts; i++)
        if (strcasecmp(r->parts[i].busid, busid) == 0)
            return i;
    return UINT32_MAX;
}

/* The NVLinks of a GPU. Those between two GPUs are in the dump of both; the first one counts. */
static int nvlinks(struct reader *r, uint32_t part)
{
    const struct weft_xml_elem *gpu = r->parts[part].elem;
    int rc = 0;
    for (const struct weft_xml_elem *c = gpu->children; c && !rc; c = c->next) {
        double count = number(c, "count", 1, 1024);
        uint32_t to = UINT32_MAX;
        if (strcmp(c->name, "c2c") == 0) { /* to the CPU of the same chip; bw in MB/s */
            uint32_t up = part;
            while (r->parts[up].parent != UINT32_MAX)
                up = r->parts[up].parent;
            double mbytes = number(c, "bw", 0, 1e9);
            rc = mbytes > 0 ? add_wire(r, c, part, up, 1, mbytes * count * 8e6)
                            : note(r, c, "has no bw and is left out");
            continue;
        }
        if (strcmp(c->name, "nvlink") != 0) {
            rc = note(r, c, "in a GPU is not known and has no effect");
            continue;
        }
        const char *target = attr(c, "target");
        to = find(r, target);
        if (to == UINT32_MAX && strcmp(attr(c, "tclass"), "0x068000") == 0) {
            rc = add_part(r, c, NVSWITCH, UINT32_MAX, 0, &to);
            if (!rc)
                r->parts[to].busid = target;
        }
        if (rc)
            break;
        if (to == UINT32_MAX || to == part)
            rc = note(r, c, "leads to a device that is not in the dump and is left out");
        else if (r->parts[to].kind != GPU || to > part)
            rc = add_wire(r, c, part, to, 1, count * nvlink_gbytes(gpu) * GBYTE);
    }
    return rc;
}

/* GB/s between two CPUs, as NCCL assumes. */
static double cpu_gbytes(const struct weft_xml_elem *cpu)
{
    const char *arch = attr(cpu, "arch"), *vendor = attr(cpu, "vendor");
    if (strcmp(arch, "ppc64") == 0)
        return 32;
    if (strcmp(arch, "arm64") == 0)
        return 6;
    if (strcmp(vendor, "AuthenticAMD") == 0)
        return 16;
    return strcmp(vendor, "GenuineIntel") == 0 && number(cpu, "modelid", 0, 1000) >= 85 ? 10 : 6;
}

static int by_rank(const void *a, const void *b)
{
    const struct part *const *x = a, *const *y = b;
    if ((*x)->rank != (*y)->rank)
        return (*x)->rank < (*y)->rank ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* Numbers GPUs by rank and everything else in order; returns the number of GPUs. */
static uint32_t number_parts(struct reader *r, struct part **order)
{
    uint32_t gpus = 0, others = 0;
    for (uint32_t i = 0; i < r->nparts; i++) {
        if (r->parts[i].kind == GPU)
            order[gpus++] = &r->parts[i];
        else
            r->parts[i].id = others++;
    }
    qsort(order, gpus, sizeof *order, by_rank);
    for (uint32_t i = 0; i < gpus; i++)
        order[i]->id = i;
    return gpus;
}

/* All links of one server: up to the parents, those of NVLink, those between CPUs. */
static int list_wires(struct reader *r)
{
    int rc = 0;
    uint32_t n = r->nparts;
    for (uint32_t i = 0; i < n && !rc; i++)
        if (r->parts[i].kind == GPU)
            rc = nvlinks(r, i);
    for (uint32_t i = 0; i < r->nparts && !rc; i++) {
        struct part *p = &r->parts[i];
        if (p->parent != UINT32_MAX && p->up_bps == UINT64_MAX) {
            p->up_bps = 1;
            for (uint32_t k = 0; k < r->nnets; k++)
                p->up_bps += r->nets[k].part == i ? r->nets[k].rate_bps : 0;
        }
        if (p->parent != UINT32_MAX)
            rc = add_wire(r, p->elem, i, p->parent, PCI_COST, (double)p->up_bps);
        for (uint32_t k = i + 1; k < r->nparts && p->kind == CPU && !rc; k++)
            if (r->parts[k].kind == CPU)
                rc = add_wire(r, p->elem, i, k, PCI_COST, cpu_gbytes(p->elem) * GBYTE);
    }
    return rc;
}

/* The fabric of all servers. */
static int assemble(struct reader *r, const struct params *p, uint32_t gpus)
{
    const uint32_t others = r->nparts - gpus, servers = (uint32_t)p->nodes;
    uint32_t outside = servers > 1 ? (p->rails ? r->nnets : 1) : 0;
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
            const struct part *a = &r->parts[r->wires[w].a], *b = &r->parts[r->wires[w].b];
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
                                         .b = first + servers * others + (p->rails ? k : 0),
                                         .rate_bps = r->nets[k].rate_bps,
                                         .delay_ps = p->network_delay_ps};
            rc = weft_fabric_add_link(r->f, &l, NULL, r->err);
        }
    }
    if (!rc)
        rc = weft_fabric_finish(r->f, r->err);
    return rc ? rc : weft_fabric_tiers_by_distance(r->f, r->err);
}

static int parse(struct reader *r, const struct params *p, const struct weft_xml_elem *root)
{
    int rc = 0;
    if (strcmp(root->name, "system") != 0)
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, root->line, root->col,
                           "the root element of an NCCL topology is <system>, not <%s>",
                           root->name);
    for (const struct weft_xml_elem *c = root->children; c && !rc; c = c->next)
        rc = walk(r, c, UINT32_MAX);
    if (!rc)
        rc = list_wires(r);
    struct part **order = rc ? NULL : malloc((r->nparts + 1) * sizeof(*order));
    if (!rc && !order)
        rc = weft_err_set(r->err, WEFT_E_LIMIT, "out of memory");
    uint32_t gpus = rc ? 0 : number_parts(r, order);
    free(order);
    if (!rc && gpus == 0)
        rc = weft_err_at(r->err, WEFT_E_INPUT, r->file, root->line, root->col,
                         "the dump has no GPU");
    if (!rc)
        rc = assemble(r, p, gpus);
    if (rc)
        weft_err_locate(r->err, r->file, 0, 0);
    return rc;
}

static int build(const void *raw, struct weft_fabric **out, struct weft_err *err)
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
    struct reader r = {.file = p->file, .err = err, .f = weft_fabric_new()};
    struct weft_arena *a = weft_arena_new();
    r.parts = calloc(PARTS_MAX, sizeof *r.parts);
    r.wires = calloc(PARTS_MAX * 8, sizeof *r.wires);
    r.nets = calloc(PARTS_MAX, sizeof *r.nets);
    int rc = a && r.f && r.parts && r.wires && r.nets
                 ? weft_file_read(p->file, FILE_MAX, &text, &len, err)
                 : weft_err_set(err, WEFT_E_LIMIT, "out of memory");
    if (!rc)
        rc = weft_xml_parse(text, len, p->file, a, &root, err);
    if (!rc)
        rc = parse(&r, p, root);
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

extern const struct weft_topology_ops weft_topology_nccl;
const struct weft_topology_ops weft_topology_nccl = {
    .name = "nccl",
    .title = "a topology dump of NCCL: GPUs, PCI, NVLinks and NICs of a server",
    .source = "NVIDIA/nccl, src/graph/xml.cc and topo.h",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = build,
};
