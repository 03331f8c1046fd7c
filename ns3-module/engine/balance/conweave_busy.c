/* SPDX-License-Identifier: GPL-2.0-only */
/* ConWeave's table of busy ways: one for all switches, an entry per way. */
#include "conweave.h"

#include "base/rng.h"

static uint64_t key_of(const struct weft_engine *e, const struct qp *q, uint32_t path)
{
    const uint64_t ends = (uint64_t)path_leaf(e, q->src_host) << 32 | path_leaf(e, q->dst_host);
    return weft_mix64(weft_mix64(ends) ^ path) | 1;
}

static struct conweave_busy *entry(const struct weft_engine *e, uint64_t key)
{
    const struct conweave *c = e->spread.path_state;
    return &c->busy[key >> 1 & (CONWEAVE_BUSY_PATHS - 1)];
}

bool conweave_is_busy(const struct weft_engine *e, const struct qp *q, uint32_t path)
{
    const uint64_t key = key_of(e, q, path);
    const struct conweave_busy *b = entry(e, key);
    return b->key == key && e->now < (e->now < b->from_ps ? b->until_before_ps : b->until_ps);
}

void conweave_note_busy(struct weft_engine *e, const struct qp *q, uint32_t path, int64_t at_ps)
{
    const uint64_t key = key_of(e, q, path);
    struct conweave_busy *b = entry(e, key);
    if (b->key == key && e->now < b->from_ps) {
        b->until_ps = at_ps + e->p.sw.conweave_path_busy_ps; /* one is on its way already */
        return;
    }
    const int64_t before = b->key == key ? b->until_ps : 0;
    *b = (struct conweave_busy){.key = key,
                                .from_ps = at_ps,
                                .until_ps = at_ps + e->p.sw.conweave_path_busy_ps,
                                .until_before_ps = before};
}
