/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values that were given but can't have an effect under the others: what the parameters' own
 * `needs` say (base/needs.h), over all groups of the scenario.
 */
#include "base/needs.h"
#include "scenario/resolve.h"

#include <stdio.h>
#include <string.h>

/* The value of "section.parameter"; "congestion-control.signals" is what the control listens to. */
static const char *lookup(void *ctx, const char *key, char *buf, size_t size)
{
    const struct weft_scenario *s = (const struct weft_scenario *)ctx;
    const char *dot = strchr(key, '.');
    size_t n = (size_t)(dot - key);
    if (s->cc && strcmp(key, "congestion-control.signals") == 0)
        return weft_cc_signal_names(s->cc, s->cc_params, buf, size);
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        if (strncmp(g->element, key, n) != 0 || g->element[n] != '\0')
            continue;
        const struct weft_param *p = weft_params_find(g->table, dot + 1);
        return p ? weft_params_format(p, g->values, buf, size) : NULL;
    }
    return NULL;
}

static int warn(struct weft_resolver *r, const struct weft_scenario_group *g, size_t param,
                const char *why, struct weft_err *err)
{
    const struct weft_origin *o = &g->origins[param];
    const char *name = g->table->params[param].name;
    if (o->kind == WEFT_ORIGIN_FILE)
        return weft_resolver_warn(r, err, "%s:%lld:%lld: <%s>: '%s' has no effect: %s", r->s->file,
                                  (long long)o->line, (long long)o->col, g->element, name, why);
    return weft_resolver_warn(r, err, "--set %s.%s: has no effect: %s", g->prefix, name, why);
}

int weft_resolver_warn_unused(struct weft_resolver *r, struct weft_err *err)
{
    char why[512];
    for (size_t i = 0; i < r->s->ngroups; i++) {
        const struct weft_scenario_group *g = &r->s->groups[i];
        struct weft_needs_scope scope = {g->table, g->values, g->prefix, lookup, r->s};
        for (size_t k = 0; k < g->table->n; k++) {
            int code = weft_param_effective(&g->table->params[k], &scope, why, sizeof why, err);
            if (code == 0 && g->origins[k].kind > WEFT_ORIGIN_PRESET)
                code = warn(r, g, k, why, err);
            if (code < 0)
                return code;
        }
    }
    return 0;
}
