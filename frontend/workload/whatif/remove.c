/* SPDX-License-Identifier: GPL-2.0-only */
/* remove: operations leave the trace; what depended on them depends on what they depended on. */
#include "workload/whatif/edit.h"
#include "workload/whatif/select.h"
#include "workload/whatif/transform.h"

struct removing {
    struct weft_select select;
};

static const struct weft_param params[] = {
    WEFT_SELECT_OP(struct removing),
    WEFT_SELECT_KIND(struct removing, "any"),
    WEFT_SELECT_COLLECTIVE_PARAMS(struct removing),
    WEFT_SELECT_RANKS(struct removing),
};

static int apply(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err)
{
    const struct removing *p = t->params;
    struct weft_edit e = {0};
    if (!weft_select_rank(&p->select, rank))
        return 0;
    int rc = weft_edit_start(&e, et, arena, err);
    for (uint32_t i = 0; !rc && i < e.n; i++)
        if (et->nodes[i].type != WEFT_ET_METADATA_NODE &&
            weft_select_node(&p->select, &et->nodes[i])) {
            weft_edit_remove(&e, i);
            t->touched++;
        }
    if (!rc)
        rc = weft_edit_finish(&e, err);
    weft_edit_end(&e);
    return rc;
}

const struct weft_transform_ops weft_transform_remove = {
    .name = "remove",
    .title = "operations left out; what waited for them waits for what they waited for",
    .source = "Zhu et al., Daydream, USENIX ATC 2020, section 4",
    .params = WEFT_PARAM_TABLE(params, struct removing),
    .start = weft_select_start,
    .apply = apply,
};
