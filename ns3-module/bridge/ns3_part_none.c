/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The C++ part of the bridge in a program without ns-3: the backend refuses what needs it
 * (packet_backend.c).
 */
#include "ns3_part.h"

#include "bridge.h"

int weft_ns3_part_get(const struct weft_ns3_part **out, struct weft_err *err)
{
    *out = NULL;
    return weft_err_set(err, WEFT_E_INTERNAL, "this weft is built without ns-3 (-DWEFT_NS3=OFF)");
}

const char *weft_ns3_version(void)
{
    return NULL;
}
