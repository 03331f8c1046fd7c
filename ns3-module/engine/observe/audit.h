/* SPDX-License-Identifier: GPL-2.0-only */
/* What conservation is checked by. */
#ifndef WEFT_ENGINE_AUDIT_H
#define WEFT_ENGINE_AUDIT_H

#include "engine.h"

/** Payload bytes of the packets that a node itself makes and takes, other than data of QPs: frames
 * of other transports, and sums. */
struct node_payload {
    uint64_t made, taken;
};

#endif
