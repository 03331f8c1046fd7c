/* SPDX-License-Identifier: GPL-2.0-only */
/* The C++ part of the bridge for programs that link ns-3 themselves (tests). */
#include "ns3_part.h"

#include "bridge.h"

int weft_ns3_part_get(const struct weft_ns3_part **out, struct weft_err *err)
{
    *out = &weft_ns3_part;
    return 0;
}

const char *weft_ns3_version(void)
{
    return WEFT_NS3_VERSION;
}
