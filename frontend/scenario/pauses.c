/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bit errors lose PFC frames, too. A pause without an end of its own (pfc.quanta=0) whose resume is
 * lost lasts for ever.
 */
#include "scenario/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value as a number; 0 where the scenario has no such parameter. */
static uint64_t scenario_pauses_number(const struct weft_scenario *s, const char *element,
                                       const char *name)
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

/* The first link that the topology gives an error rate, and how many there are. */
static uint32_t lossy_links(const struct weft_fabric *f, uint32_t *first)
{
    uint32_t n = 0;
    for (uint32_t i = f->nlinks; i-- > 0;)
        if (f->links[i].error_rate > 0) {
            *first = i;
            n++;
        }
    return n;
}

int weft_scenario_warn_pauses(struct weft_scenario *s, const struct weft_fabric *f,
                              struct weft_err *err)
{
    char why[2 * WEFT_NODE_NAME_MAX + 128], a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX];
    uint32_t first = 0;
    const uint32_t lossy = lossy_links(f, &first);
    if (!scenario_pauses_number(s, "pfc", "enabled") ||
        !scenario_pauses_number(s, "pfc", "prios") || scenario_pauses_number(s, "pfc", "quanta"))
        return 0;
    if (lossy)
        snprintf(why, sizeof why, "error rates of the topology: %u links, %s-%s %g", lossy,
                 weft_fabric_node_name(f, f->links[first].a, a),
                 weft_fabric_node_name(f, f->links[first].b, b), f->links[first].error_rate);
    else if (s->faults && strstr(s->faults->events, "bit-errors"))
        snprintf(why, sizeof why, "bit-errors of fault.events");
    else
        return 0;
    return weft_scenario_warn(
        s, err,
        "links lose packets (%s), PFC frames among them: with pfc.quanta=0 a port whose resume is "
        "lost stays paused for ever, which can stall the run; pfc.quanta=65535 gives "
        "pauses an end, as real switches have it",
        why);
}
