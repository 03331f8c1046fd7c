/* SPDX-License-Identifier: GPL-2.0-only */
/* fault.events on a fabric of hosts and switches: the list, what it does to links, and what is
 * left. */
#include "target.h"

#include "topologies/fabric_reach.h"
#include "fault/fault.h"

#include <string.h>

/* What is left may be in parts: only the walk through it counts. */
static int walk(void *ctx, const uint8_t *down, struct weft_err *err)
{
    unsigned *left = ctx;
    struct weft_err why = {0};
    if ((*left)-- == 0)
        return weft_err_set(err, WEFT_E_LIMIT, "enough");
    weft_fabric_check_reach(weft_fuzz_fabric(), down, &why);
    return 0;
}

void weft_fuzz_faults(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    unsigned checks = 50;
    int64_t at_ps;
    char *text = weft_fuzz_text(data, size);
    struct weft_fault_plan *t = weft_fault_plan_new(text, weft_fuzz_fabric(), &err);
    REQUIRE(t || err.code);
    if (weft_fuzz_ok(t ? 0 : err.code, &err)) {
        for (size_t i = 0; i < t->nstretches; i++)
            REQUIRE(t->stretches[i].link < weft_fuzz_fabric()->nlinks &&
                    t->stretches[i].begin_ps >= 0 &&
                    t->stretches[i].begin_ps < t->stretches[i].end_ps);
        weft_fuzz_ok(weft_fault_plan_check(t, walk, &checks, &at_ps, &err), &err);
    }
    weft_fault_plan_free(t);
    free(text);
}
