/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bit errors lose PFC frames, too. A pause without an end of its own (pfc.quanta=0) whose resume is lost lasts
 * for ever.
 */
#include "scenario/resolve.h"

#include "base/units.h"

#include <stdlib.h>
#include <string.h>

/* A value as a number; 0 where the scenario has no such parameter. */
static uint64_t number(const struct weft_scenario *s, const char *element, const char *name)
{
    char text[WEFT_PARAM_TEXT_MAX];
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        const struct weft_param *p =
            strcmp(g->element, element) == 0 ? weft_params_find(g->table, name) : NULL;
        if (!p)
            continue;
        weft_params_format(p, g->values, text, sizeof text);
        return strcmp(text, "true") == 0 ? 1 : strtoull(text, NULL, 10);
    }
    return 0;
}

int weft_resolver_warn_pauses(struct weft_resolver *r, struct weft_err *err)
{
    const struct weft_scenario *s = r->s;
    if (!s->trouble || !strstr(s->trouble->events, "bit-errors") || !number(s, "pfc", "enabled") ||
        !number(s, "pfc", "prios") || number(s, "pfc", "quanta"))
        return 0;
    return weft_scenario_warn(
        r->s, err,
        "bit-errors may lose a PFC frame, and with pfc.quanta=0 a port whose resume is "
        "lost stays paused for ever, which can stall the run; pfc.quanta=65535 gives "
        "pauses an end, as real switches have it");
}
