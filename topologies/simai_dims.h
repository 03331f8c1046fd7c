/* SPDX-License-Identifier: GPL-2.0-only */
/* The dimensions of a fabric that SimAI describes: its servers, and the network of the servers. */
#ifndef WEFT_TOPOLOGY_SIMAI_DIMS_H
#define WEFT_TOPOLOGY_SIMAI_DIMS_H

#include "topologies/fabric.h"

/** What a node of SimAI's is. */
enum weft_simai_kind { WEFT_SIMAI_GPU, WEFT_SIMAI_NVSWITCH, WEFT_SIMAI_SWITCH };

/** A fabric whose nodes and links are there. */
struct weft_simai_fabric {
    const char *file;
    const unsigned char *kinds; /**< of the nodes, enum weft_simai_kind */
    uint32_t gpus, gpus_per_server, nvswitches;
};

/** Sets dimensions and routing of @p f, which is not finished yet. */
int weft_simai_dims(const struct weft_simai_fabric *s, struct weft_fabric *f, struct weft_err *err);

#endif
