/* SPDX-License-Identifier: GPL-2.0-only */
/* The C++ part of the bridge for the program: opens weft-ns3.so when a run needs ns-3. */
#include "ns3_part.h"

#include "bridge.h"

#include "parts/part.h"

int weft_ns3_part_get(const struct weft_ns3_part **out, struct weft_err *err)
{
    static const struct weft_part_file file = {"weft-ns3.so", "weft_ns3_part",
                                               "this run needs ns-3", 20};
    static const void *part;
    const int rc = weft_part_open(&file, &part, err);
    *out = (const struct weft_ns3_part *)part;
    return rc;
}

const char *weft_ns3_version(void)
{
    return WEFT_NS3_VERSION;
}
