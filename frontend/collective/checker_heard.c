/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a rank knows, when its own lanes are over, that all is there which others wrote into it.
 *
 * Lanes that serve other ranks (MSCCL++: what a threadblock writes into another GPU) are nobody's
 * to wait for at the end: the kernel of a GPU is over when its threadblocks are. So each write in
 * such a lane must be in the past of the end of some lane of the rank's own, whatever the order.
 */
#include "collective/checker_order.h"

/* What all own lanes of a rank together have heard of. */
static int past_of(struct weft_checker_order *o, uint32_t r, struct weft_clock *past)
{
    const struct weft_checker *c = o->c;
    for (uint32_t l = 0; l < c->ranks[r].nlanes; l++)
        if (!c->ops->serves(c->call, r, l) &&
            !weft_clock_join(&o->memory, past, &weft_checker_log(o, r, l)->clock))
            return weft_checker_no_memory(o->c);
    return 0;
}

static int not_heard_of(struct weft_checker_order *o, uint32_t r, uint32_t lane, uint64_t i,
                        const struct weft_coll_instr *in)
{
    char here[WEFT_CHECKER_NAME_MAX], what[WEFT_CHECKER_NAME_MAX];
    o->c->where = (struct weft_coll_place){r, lane, i, true};
    return weft_err_set(
        o->c->err, WEFT_E_INTERNAL,
        "%s writes %s, and nothing there waits for it: GPU %u may end before the data is there "
        "(is a last wait missing?)",
        weft_checker_instr(o->c, r, lane, i, here),
        weft_checker_slot_name(o->c, r, weft_checker_slot(o->c, r, lane, i, in, 0), what), r);
}

int weft_checker_heard_of(struct weft_checker_order *o)
{
    const struct weft_checker *c = o->c;
    int rc = 0;
    for (uint32_t r = 0; c->ops->serves && !rc && r < c->n; r++) {
        struct weft_clock past = {0};
        rc = past_of(o, r, &past);
        for (uint32_t l = 0; !rc && l < c->ranks[r].nlanes; l++)
            for (uint64_t i = weft_clock_get(&past, o->first[r] + l);
                 !rc && c->ops->serves(c->call, r, l) && i < c->ranks[r].lane[l].n; i++) {
                struct weft_coll_instr in = {0};
                c->ops->instr(c->call, r, l, i, &in);
                if (in.action == WEFT_COLL_RECV && in.nblocks > 0)
                    rc = not_heard_of(o, r, l, i, &in);
            }
        weft_clock_free(&o->memory, &past);
    }
    return rc;
}
