/* SPDX-License-Identifier: GPL-2.0-only */
/* LINK_DOWN as an entry of fault.events. */
#include "foreign/hpcc/link_down.h"

#include <inttypes.h>

/* The simulator counts LINK_DOWN from when the flows of its own lists start; workloads start at 0
 * there, too. */
#define FIRST_FLOW_US UINT64_C(2000000)

const char *weft_hpcc_link_down_setting(struct weft_arena *a, const struct weft_hpcc_config *c,
                                        const struct weft_fabric *f, const char **note)
{
    const struct weft_hpcc_down *d = &c->link_down;
    const char *links = "";
    *note = "";
    if (!d->after_us)
        return "";
    for (uint32_t l = 0; l < f->nlinks && links; l++)
        if ((f->links[l].a == d->a && f->links[l].b == d->b) ||
            (f->links[l].a == d->b && f->links[l].b == d->a))
            links = weft_arena_printf(a, "%s%s%u", links, *links ? "," : "", l);
    *note = weft_arena_printf(a,
                              "%s:%" PRId64 ": LINK_DOWN: the link fails %" PRIu64
                              " us after 2 s, as in the simulator; the workload starts at 0",
                              c->file, c->line[WEFT_HPCC_LINK_DOWN], d->after_us);
    return links && *note ? weft_arena_printf(a, "fault.events=link-down link=%s at=%" PRIu64 "us",
                                              links, FIRST_FLOW_US + d->after_us)
                          : NULL;
}
