/* SPDX-License-Identifier: GPL-2.0-only */
/* When a run ends, and which part of it is measured. */
#include "base/units.h"
#include "scenario/scenario.h"

int64_t weft_scenario_until_ps(const struct weft_scenario *s)
{
    const struct weft_run_params *p = s->run;
    const int64_t most_ps = WEFT_NEVER / 4;
    if (!p->measure_ps)
        return p->until_ps;
    const int64_t from_ps = p->warm_up_ps < most_ps ? p->warm_up_ps : most_ps;
    const int64_t end_ps = from_ps + (p->measure_ps < most_ps ? p->measure_ps : most_ps);
    return p->until_ps && p->until_ps < end_ps ? p->until_ps : end_ps;
}

void weft_scenario_window(const struct weft_scenario *s, int64_t *from_ps, int64_t *to_ps)
{
    *from_ps = s->run->warm_up_ps;
    *to_ps = s->run->measure_ps ? weft_scenario_until_ps(s) : WEFT_NEVER;
}
