/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server, or several, as an NCCL topology dump describes them, between reading it (nccl_read.c)
 * and making a fabric of it (nccl_xml.c).
 */
#ifndef WEFT_TOPOLOGY_NCCL_H
#define WEFT_TOPOLOGY_NCCL_H

#include "base/xml.h"
#include "topologies/fabric.h"

#define NCCL_PARTS_MAX 4096u
#define NCCL_WIRES_MAX (8 * NCCL_PARTS_MAX)
#define NCCL_HOSTS_MAX 256u
#define NCCL_NOTES_MAX 16u

enum nccl_kind { GPU, CPU, PCI, NIC, NVSWITCH };

/* A node of one server. */
struct nccl_part {
    enum nccl_kind kind;
    const char *busid;
    const struct weft_xml_elem *elem; /* the <gpu> of a GPU */
    long rank;
    uint32_t parent; /* UINT32_MAX: none */
    uint32_t host;   /* which of the machines in the dump */
    bool nvswitch;   /* GPUs name it as one, whatever it is among the PCI devices */
    bool folded;     /* an NVSwitch whose links are another one's */
    uint64_t up_bps;
    uint32_t id; /* number among the hosts, or among the switches, of a server */
};
/* A link between two parts. */
struct nccl_wire {
    uint32_t a, b, cost;
    uint8_t order; /* 2 between CPUs, 1 from a CPU, else 0: packets leave by the nearest NIC */
    uint64_t rate_bps;
};
/* A port of a NIC. */
struct nccl_net {
    uint32_t part;
    uint32_t index; /* among the ports of its machine */
    uint64_t rate_bps;
};

struct nccl_reader {
    const char *file;
    struct weft_err *err;
    struct weft_fabric *f;
    bool separate_planes; /* they are not folded */
    struct nccl_part *parts;
    uint32_t nparts;
    struct nccl_wire *wires;
    uint32_t nwires, nvlinks; /* all, and the NVLinks, which come first */
    struct nccl_net *nets;
    uint32_t nnets;
    const char *hosts[NCCL_HOSTS_MAX]; /* host_hash of each machine */
    uint32_t nhosts, host;             /* how many, and the one being read */
    uint32_t bare_gpus, bare_nics;     /* known by their PCI class alone */
    uint32_t nnotes;                   /* remarks; the fabric has the first NCCL_NOTES_MAX */
};

#pragma GCC visibility push(hidden)

/** Makes one of NVSwitches that reach the same GPUs, unless planes are separate, and of links with
 * the same ends. Only NVLinks are there yet. */
int nccl_fold_planes(struct nccl_reader *r);
/** Reads the elements inside <system>: parts, NIC ports, then all links of the server. */
int nccl_read(struct nccl_reader *r, const struct weft_xml_elem *root);

#pragma GCC visibility pop

#endif
