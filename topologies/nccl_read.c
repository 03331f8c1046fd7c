/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading an NCCL topology dump: which devices there are, what joins them, and how fast that is.
 * What has no meaning for a fabric is left out and reported.
 */
#include "topologies/nccl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PCI_COST 4u
#define NO_RANK 1000000
#define GBYTE 8000000000.0 /* bit */

static int add_remark(struct nccl_reader *r, const struct weft_xml_elem *e, const char *what)
{
    if (r->nnotes++ >= NCCL_NOTES_MAX)
        return 0;
    return weft_fabric_note(r->f, r->err, "%s:%" PRId64 ": <%.40s> %s", r->file, e->line, e->name,
                            what);
}

static const char *attr(const struct weft_xml_elem *e, const char *name)
{
    const struct weft_xml_attr *a = weft_xml_get(e, name);
    return a ? a->value : "";
}

/* A number at the start of an attribute, `none` when there is none or it is not in the range. */
static double nccl_read_number(const struct weft_xml_elem *e, const char *name, double none,
                               double max)
{
    const char *text = attr(e, name);
    char *end;
    double v = strtod(text, &end);
    return end == text || !(v >= 0 && v <= max) ? none : v;
}

static int add_part(struct nccl_reader *r, const struct weft_xml_elem *e, enum nccl_kind kind,
                    uint32_t parent, uint64_t up_bps, uint32_t *out)
{
    if (r->nparts == NCCL_PARTS_MAX)
        return weft_err_at(r->err, WEFT_E_LIMIT, r->file, e->line, e->col,
                           "more than %u devices in a server", NCCL_PARTS_MAX);
    *out = r->nparts;
    r->parts[r->nparts++] = (struct nccl_part){.kind = kind,
                                               .busid = attr(e, "busid"),
                                               .elem = e,
                                               .rank = -1,
                                               .parent = parent,
                                               .host = r->host,
                                               .up_bps = up_bps};
    return 0;
}

static int add_wire(struct nccl_reader *r, const struct weft_xml_elem *e, uint32_t a, uint32_t b,
                    uint32_t cost, double bps)
{
    if (r->nwires == NCCL_WIRES_MAX)
        return weft_err_at(r->err, WEFT_E_LIMIT, r->file, e->line, e->col,
                           "more than %u links in a server", NCCL_WIRES_MAX);
    uint8_t order = (uint8_t)((r->parts[a].kind == CPU) + (r->parts[b].kind == CPU));
    r->wires[r->nwires++] =
        (struct nccl_wire){a, b, cost, order, bps >= 1 ? (uint64_t)(bps + 0.5) : 1};
    return 0;
}

/* The rate of the PCI link of an element. A width of 0 is 16, as NCCL takes it; what is missing is
 * reported and taken as 8 GT/s x 16. */
static int pci_rate(struct nccl_reader *r, const struct weft_xml_elem *e, uint64_t *out)
{
    double speed = nccl_read_number(e, "link_speed", 0, 1000),
           width = nccl_read_number(e, "link_width", 0, 64);
    const bool zero = strcmp(attr(e, "link_width"), "0") == 0;
    int rc = 0;
    if (speed <= 0 || width < 1) {
        if (speed <= 0)
            rc = add_remark(r, e,
                            width < 1 ? "has no PCI link_speed or link_width; taken as 8 GT/s x 16"
                                      : "has no PCI link_speed; taken as 8 GT/s");
        else if (!zero)
            rc = add_remark(r, e, "has no PCI link_width; taken as 16");
        speed = speed > 0 ? speed : 8;
        width = width >= 1 ? width : 16;
    }
    *out = (uint64_t)(speed * 1e9 * width * (speed > 5 ? 128.0 / 130.0 : 0.8) + 0.5);
    return rc;
}

/* GB/s of one xGMI link of a GPU by its architecture, as RCCL assumes (src/graph/topo.h). */
static double xgmi_gbytes(const struct weft_xml_elem *gpu)
{
    const char *gcn = attr(gpu, "gcn");
    gcn += strncmp(gcn, "gfx", 3) == 0 ? 3 : 0;
    return strncmp(gcn, "94", 2) == 0 || strncmp(gcn, "95", 2) == 0     ? 48.0
           : strncmp(gcn, "90a", 3) == 0 || strncmp(gcn, "910", 3) == 0 ? 36.0
                                                                        : 24.0;
}

/* GB/s of one NVLink of a GPU, as NCCL assumes (src/graph/topo.h). */
static double nvlink_gbytes(const struct weft_xml_elem *gpu)
{
    int sm = (int)nccl_read_number(gpu, "sm", 80, 1000);
    return sm >= 100              ? 40.1
           : sm >= 90             ? 20.6
           : sm == 86 || sm == 89 ? 12.0
           : sm >= 70             ? 20.0
                                  : 18.0;
}

static int nccl_read_walk(struct nccl_reader *r, const struct weft_xml_elem *e, uint32_t parent);

static int add_net(struct nccl_reader *r, const struct weft_xml_elem *e, uint32_t part,
                   uint64_t rate_bps)
{
    uint32_t index = 0;
    if (r->nnets == NCCL_PARTS_MAX)
        return weft_err_at(r->err, WEFT_E_LIMIT, r->file, e->line, e->col, "more than %u NIC ports",
                           NCCL_PARTS_MAX);
    for (uint32_t i = 0; i < r->nnets; i++)
        index += r->parts[r->nets[i].part].host == r->parts[part].host;
    r->nets[r->nnets++] = (struct nccl_net){part, index, rate_bps};
    return 0;
}

/* <net> elements of a NIC. */
static int nic(struct nccl_reader *r, const struct weft_xml_elem *e, uint32_t part)
{
    int rc = 0;
    for (const struct weft_xml_elem *c = e->children; c && !rc; c = c->next) {
        if (strcmp(c->name, "net") != 0) {
            rc = add_remark(r, c, "in a NIC is not known and has no effect");
        } else {
            double mbps = nccl_read_number(c, "speed", 0, 1e8);
            if (mbps <= 0)
                rc = add_remark(r, c, "has no speed; taken as 10000 Mbit/s");
            if (!rc)
                rc = add_net(r, c, part, (uint64_t)((mbps > 0 ? mbps : 10000) * 1e6 + 0.5));
        }
    }
    return rc;
}

/*
 * What a <pci> without anything inside is by its PCI class: topology files written by hand, as
 * clouds ship them for their virtual machines, leave it to NCCL to look up the rest on the machine.
 */
static enum nccl_kind bare_kind(const struct weft_xml_elem *e)
{
    static const struct {
        const char *class;
        enum nccl_kind kind;
    } classes[] = {
        {"0x0300", GPU}, {"0x0302", GPU}, {"0x0380", GPU}, {"0x1200", GPU}, /* accelerator */
        {"0x0200", NIC}, {"0x0207", NIC}, /* Ethernet, InfiniBand */
    };
    for (size_t i = 0; !e->children && i < sizeof classes / sizeof classes[0]; i++)
        if (strncasecmp(attr(e, "class"), classes[i].class, 6) == 0)
            return classes[i].kind;
    return PCI;
}

/* A GPU or NIC known by its class alone. */
static int bare(struct nccl_reader *r, const struct weft_xml_elem *e, uint32_t part)
{
    if (r->parts[part].kind == GPU) {
        r->parts[part].rank = NO_RANK;
        r->bare_gpus++;
        return 0;
    }
    r->bare_nics++;
    return add_net(r, e, part, r->parts[part].up_bps);
}

/* A <pci>: a GPU, a NIC, or a bridge with more behind it. */
static int pci(struct nccl_reader *r, const struct weft_xml_elem *e, uint32_t parent)
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
        rc = add_part(r, e, gpu ? GPU : card ? NIC : bare_kind(e), parent, rate, &part);
    if (rc)
        return rc;
    if (!gpu && !card && r->parts[part].kind != PCI)
        return bare(r, e, part);
    if (gpu) {
        r->parts[part].elem = gpu;
        r->parts[part].rank =
            (long)nccl_read_number(gpu, "rank", nccl_read_number(gpu, "dev", NO_RANK, 1e6), 1e6);
    }
    for (const struct weft_xml_elem *c = e->children; c && !rc; c = c->next) {
        if (c == gpu)
            continue;
        if (c == card)
            rc = nic(r, c, part);
        else if (gpu || card)
            rc = add_remark(r, c, "beside a GPU or NIC has no effect");
        else if (strcmp(c->name, "pcilink") == 0)
            rc = add_remark(r, c, "between PCI switches is left out");
        else
            rc = nccl_read_walk(r, c, part);
    }
    return rc;
}

/* The machine that a <cpu> belongs to: one per host_hash; without, there is one. */
static int find_host(struct nccl_reader *r, const struct weft_xml_elem *cpu)
{
    const char *hash = attr(cpu, "host_hash");
    for (r->host = 0; r->host < r->nhosts; r->host++)
        if (strcmp(r->hosts[r->host], hash) == 0)
            return 0;
    if (r->nhosts == NCCL_HOSTS_MAX)
        return weft_err_at(r->err, WEFT_E_LIMIT, r->file, cpu->line, cpu->col,
                           "more than %u machines (host_hash)", NCCL_HOSTS_MAX);
    r->hosts[r->nhosts++] = hash;
    return 0;
}

static int nccl_read_walk(struct nccl_reader *r, const struct weft_xml_elem *e, uint32_t parent)
{
    uint32_t part = 0;
    int rc = 0;
    if (strcmp(e->name, "pci") == 0)
        return pci(r, e, parent);
    if (strcmp(e->name, "cpu") == 0 && parent == UINT32_MAX) {
        rc = find_host(r, e);
        if (!rc)
            rc = add_part(r, e, CPU, parent, 0, &part);
        for (const struct weft_xml_elem *c = e->children; c && !rc; c = c->next)
            rc = nccl_read_walk(r, c, part);
        return rc;
    }
    if (strcmp(e->name, "nic") == 0 && parent != UINT32_MAX) {
        /* a NIC that is not on the PCI bus of the dump: as fast as its ports */
        rc = add_part(r, e, NIC, parent, UINT64_MAX, &part);
        return rc ? rc : nic(r, e, part);
    }
    return add_remark(r, e, "is not known here and has no effect");
}

/* NCCL's name for an NVSwitch that the machine does not show: one for all machines of the dump. */
#define ANY_NVSWITCH "fffffff:ff:ff.0"

/* The device of a machine with a bus address, UINT32_MAX: there is none. */
static uint32_t nccl_read_find(const struct nccl_reader *r, uint32_t host, const char *busid)
{
    const int anywhere = strcasecmp(busid, ANY_NVSWITCH) == 0;
    for (uint32_t i = 0; i < r->nparts; i++)
        if ((anywhere || r->parts[i].host == host) && strcasecmp(r->parts[i].busid, busid) == 0)
            return i;
    return UINT32_MAX;
}

/* The NVLinks of a GPU, or AMD's xGMI links. Those between two GPUs are in the dump of both; the
 * first one counts. */
static int nvlinks(struct nccl_reader *r, uint32_t part)
{
    const struct weft_xml_elem *gpu = r->parts[part].elem;
    int rc = 0;
    for (const struct weft_xml_elem *c = gpu->children; c && !rc; c = c->next) {
        double count = nccl_read_number(c, "count", 1, 1024);
        uint32_t to = UINT32_MAX;
        if (strcmp(c->name, "c2c") == 0) { /* to the CPU of the same chip; bw in MB/s */
            uint32_t up = part;
            while (r->parts[up].parent != UINT32_MAX)
                up = r->parts[up].parent;
            double mbytes = nccl_read_number(c, "bw", 0, 1e9);
            rc = mbytes > 0 ? add_wire(r, c, part, up, 1, mbytes * count * 8e6)
                            : add_remark(r, c, "has no bw and is left out");
            continue;
        }
        const bool xgmi = strcmp(c->name, "xgmi") == 0;
        if (!xgmi && strcmp(c->name, "nvlink") != 0) {
            rc = add_remark(r, c, "in a GPU is not known and has no effect");
            continue;
        }
        const char *target = attr(c, "target");
        to = nccl_read_find(r, r->parts[part].host, target);
        if (to == UINT32_MAX && strcmp(attr(c, "tclass"), "0x068000") == 0) {
            rc = add_part(r, c, NVSWITCH, UINT32_MAX, 0, &to);
            if (!rc) {
                r->parts[to].busid = target;
                r->parts[to].host = r->parts[part].host;
            }
        }
        if (rc)
            break;
        if (to != UINT32_MAX && strcmp(attr(c, "tclass"), "0x068000") == 0)
            r->parts[to].nvswitch = r->parts[to].kind != GPU;
        if (to == UINT32_MAX || to == part)
            rc = add_remark(r, c, "leads to a device that is not in the dump and is left out");
        else if (r->parts[to].kind != GPU || to > part)
            rc = add_wire(r, c, part, to, 1,
                          count * (xgmi ? xgmi_gbytes(gpu) : nvlink_gbytes(gpu)) * GBYTE);
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
    return strcmp(vendor, "GenuineIntel") == 0 && nccl_read_number(cpu, "modelid", 0, 1000) >= 85
               ? 10
               : 6;
}

/* All links of one server: up to the parents, those of NVLink, those between CPUs. */
static int list_wires(struct nccl_reader *r)
{
    int rc = 0;
    uint32_t n = r->nparts;
    for (uint32_t i = 0; i < n && !rc; i++)
        if (r->parts[i].kind == GPU)
            rc = nvlinks(r, i);
    if (!rc)
        rc = nccl_fold_planes(r);
    for (uint32_t i = 0; i < r->nparts && !rc; i++) {
        struct nccl_part *p = &r->parts[i];
        if (p->parent != UINT32_MAX && p->up_bps == UINT64_MAX) {
            p->up_bps = 1;
            for (uint32_t k = 0; k < r->nnets; k++)
                p->up_bps += r->nets[k].part == i ? r->nets[k].rate_bps : 0;
        }
        if (p->parent != UINT32_MAX)
            rc = add_wire(r, p->elem, i, p->parent, PCI_COST, (double)p->up_bps);
        for (uint32_t k = i + 1; k < r->nparts && p->kind == CPU && !rc; k++)
            if (r->parts[k].kind == CPU && r->parts[k].host == p->host)
                rc = add_wire(r, p->elem, i, k, PCI_COST, cpu_gbytes(p->elem) * GBYTE);
    }
    return rc;
}

int nccl_read(struct nccl_reader *r, const struct weft_xml_elem *root)
{
    int rc = 0;
    for (const struct weft_xml_elem *c = root->children; c && !rc; c = c->next)
        rc = nccl_read_walk(r, c, UINT32_MAX);
    if (!rc && r->bare_gpus + r->bare_nics)
        rc = weft_fabric_note(r->f, r->err,
                              "%s: %u GPUs and %u NICs are known by their PCI class alone: no "
                              "NVLinks, and ports as fast as their PCI link",
                              r->file, r->bare_gpus, r->bare_nics);
    if (!rc)
        rc = list_wires(r);
    if (!rc && r->nnotes > NCCL_NOTES_MAX)
        rc = weft_fabric_note(r->f, r->err,
                              "%s: %u more elements have no effect, or less than they say", r->file,
                              r->nnotes - NCCL_NOTES_MAX);
    return rc;
}
