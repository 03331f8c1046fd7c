/* SPDX-License-Identifier: GPL-2.0-only */
/* Values that were given but can't have an effect under the others: one rule per dependency. */
#include "scenario/resolve.h"

#include <stdio.h>
#include <string.h>

/* A parameter of @p group is without effect while parameter @p other (of the same group) prints as
 * @p value. */
struct rule {
    const char *group; /* prefix */
    const char *param; /* NULL: every parameter of the group but `other` */
    const char *other;
    const char *value;
};

static const struct rule rules[] = {
    {"pfc", NULL, "enabled", "false"},
    {"pfc", "refresh", "quanta", "0"},
    {"switch", "alpha", "threshold", "static"},
    {"switch", "alpha-map", "threshold", "static"},
    {"switch", "alpha-by-rate", "threshold", "static"},
    {"switch", "limit", "threshold", "dynamic"},
    {"switch", "limit-map", "threshold", "dynamic"},
    {"switch", "egress-alpha", "egress-threshold", "static"},
    {"switch", "egress-alpha-map", "egress-threshold", "static"},
    {"switch", "egress-limit", "egress-threshold", "dynamic"},
    {"switch", "egress-limit-map", "egress-threshold", "dynamic"},
    {"switch", "quantum", "scheduler", "packet-rr"},
    {"switch", "weight-map", "scheduler", "packet-rr"},
    {"system", "reduce-passes", "reduce-bandwidth", "0"},
    {"generate", "layers", "pattern", "microbenchmark"},
    {"generate", "bucket-layers", "pattern", "microbenchmark"},
    {"generate", "iterations", "pattern", "microbenchmark"},
    {"generate", "forward-time", "pattern", "microbenchmark"},
    {"generate", "backward-time", "pattern", "microbenchmark"},
    {"generate", "optimizer-time", "pattern", "microbenchmark"},
    {"generate", "count", "pattern", "data-parallel"},
    {"generate", "overlap", "pattern", "data-parallel"},
    {"generate", "compute-time", "pattern", "data-parallel"},
};

/* Whether @p text is @p value; "0" is any zero, whatever its unit. */
static int same_value(const char *text, const char *value)
{
    if (strcmp(value, "0") != 0)
        return strcmp(text, value) == 0;
    return text[strspn(text, "0.")] == '\0' ||
           (text[0] == '0' && strpbrk(text, "123456789") == NULL);
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

static int apply_rule(struct weft_resolver *r, const struct rule *rule,
                      const struct weft_scenario_group *g, struct weft_err *err)
{
    char buf[WEFT_PARAM_TEXT_MAX], why[160];
    const struct weft_param *other = weft_params_find(g->table, rule->other);
    if (!other || !same_value(weft_params_format(other, g->values, buf, sizeof buf), rule->value))
        return 0;
    snprintf(why, sizeof why, "%s.%s is %s", g->prefix, rule->other, rule->value);
    for (size_t k = 0; k < g->table->n; k++) {
        const struct weft_param *p = &g->table->params[k];
        if (p == other || g->origins[k].kind == WEFT_ORIGIN_DEFAULT ||
            (rule->param && strcmp(rule->param, p->name) != 0))
            continue;
        int code = warn(r, g, k, why, err);
        if (code)
            return code;
    }
    return 0;
}

/* Switches mark only for a congestion control that listens. */
static int check_ecn(struct weft_resolver *r, const struct weft_scenario_group *g,
                     struct weft_err *err)
{
    char why[160];
    const struct weft_cc_ops *cc = r->s->cc;
    if (!cc || (cc->needs & WEFT_CC_NEEDS_ECN) || strcmp(g->prefix, "ecn") != 0)
        return 0;
    snprintf(why, sizeof why, "the congestion control '%s' does not use ECN", cc->name);
    for (size_t k = 0; k < g->table->n; k++) {
        if (g->origins[k].kind == WEFT_ORIGIN_DEFAULT)
            continue;
        int code = warn(r, g, k, why, err);
        if (code)
            return code;
    }
    return 0;
}

int weft_resolver_warn_unused(struct weft_resolver *r, struct weft_err *err)
{
    for (size_t i = 0; i < r->s->ngroups; i++) {
        const struct weft_scenario_group *g = &r->s->groups[i];
        for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
            int code = 0;
            if (strcmp(rules[k].group, g->prefix) == 0)
                code = apply_rule(r, &rules[k], g, err);
            if (code)
                return code;
        }
        int code = check_ecn(r, g, err);
        if (code)
            return code;
    }
    return 0;
}
