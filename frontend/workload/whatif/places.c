/* SPDX-License-Identifier: GPL-2.0-only */
/* Places of operations, and which communication is akin: see synthesize.h. */
#include "workload/whatif/synthesize.h"

#include "workload/whatif/select.h"

#include <stdlib.h>

uint64_t weft_kin_mix(uint64_t h, uint64_t x)
{
    return (h ^ x) * UINT64_C(0x9e3779b97f4a7c15) ^ (h >> 29);
}

uint64_t weft_kin_mix_text(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = weft_kin_mix(h, (unsigned char)*text);
    return h;
}

uint64_t weft_kinship(const struct weft_et_node *node)
{
    char buf[32];
    const uint64_t h = weft_kin_mix(17, weft_profile_bin((double)weft_node_bytes(node)));
    if (node->type != WEFT_ET_COMM_COLL_NODE)
        return weft_kin_mix(weft_kin_mix(h, 1), weft_node_u64(node, "comm_tag", 0));
    return weft_kin_mix_text(weft_kin_mix(weft_kin_mix(h, weft_node_u64(node, "comm_type", 99)),
                                          weft_node_u64(node, "comm_root", 0)),
                             weft_node_group(node, buf, sizeof buf));
}

uint64_t weft_places_dep(const struct weft_et_node *node, size_t k)
{
    return k < node->nctrl_deps ? node->ctrl_deps[k] : node->data_deps[k - node->nctrl_deps];
}

int weft_places_start(struct weft_places *o, const struct weft_et *et, struct weft_err *err)
{
    int rc = weft_edit_start(&o->e, (struct weft_et *)(uintptr_t)et, NULL, err);
    o->place = malloc((et->nnodes + 1) * sizeof *o->place);
    if (!rc && !o->place)
        rc = weft_err_no_memory(err, "a trace");
    for (uint32_t k = 0; !rc && k < o->e.n; k++)
        o->place[o->e.by_id[k]] = k;
    return rc;
}

void weft_places_end(struct weft_places *o)
{
    weft_edit_end(&o->e);
    free(o->place);
}

const struct weft_et_node *weft_places_at(const struct weft_places *o, uint32_t place)
{
    return &o->e.et->nodes[o->e.by_id[place]];
}
