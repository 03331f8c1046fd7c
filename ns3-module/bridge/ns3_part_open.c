/* SPDX-License-Identifier: GPL-2.0-only */
/* See ns3_part.h: the part is a file of its own. */
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
