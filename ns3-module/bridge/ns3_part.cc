/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See ns3_part.h.
 */
#include "ns3_part_internal.h"

const struct weft_ns3_part weft_ns3_part = {WEFT_PART_VERSION, weft::NewSimulation, weft::NewTcp};
