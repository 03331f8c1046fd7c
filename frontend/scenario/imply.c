/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the choice of a transport implies: the backend says values, in the sizes of the fabric, and
 * why; parameters that nobody gave take them.
 */
#include "scenario/resolve.h"

#include <string.h>

/* The text of transport.type before groups are made; NULL: not given. */
static const char *transport_type(const struct weft_resolver *r)
{
    const struct weft_xml_elem *e = weft_resolver_elem(r, "transport");
    const struct weft_xml_attr *a = e ? weft_xml_get(e, "type") : NULL;
    const char *type = a ? a->value : NULL;
    for (size_t i = 0; i < r->noverrides; i++)
        if (strcmp(r->overrides[i].prefix, "transport") == 0 &&
            strcmp(r->overrides[i].param, "type") == 0)
            type = r->overrides[i].value;
    return type;
}

const char *weft_resolver_implied_control(const struct weft_resolver *r)
{
    const struct weft_net_backend *b =
        (const struct weft_net_backend *)r->chosen[WEFT_FAMILY_NETWORK].ops;
    const char *type = transport_type(r);
    return b->control_of && type ? b->control_of(type) : NULL;
}

static struct weft_scenario_group *imply_group_of(struct weft_resolver *r, const char *section)
{
    for (size_t i = 0; i < r->s->ngroups; i++)
        if (*section ? strcmp(r->s->groups[i].element, section) == 0
                     : weft_group_is_cc(&r->s->groups[i]))
            return &r->s->groups[i];
    return NULL;
}

static int imply_take(void *ctx, const char *section, const char *param, const char *value,
                      const char *why, struct weft_err *err)
{
    struct weft_resolver *r = (struct weft_resolver *)ctx;
    const struct weft_origin origin = {WEFT_ORIGIN_PRESET, 0, 0};
    struct weft_scenario_group *g = imply_group_of(r, section);
    const struct weft_param *p = g ? weft_params_find(g->table, param) : NULL;
    if (!p)
        return weft_err_set(err, WEFT_E_INTERNAL, "'%s.%s' is implied, but there is none", section,
                            param);
    const size_t k = (size_t)(p - g->table->params);
    if (g->origins[k].kind != WEFT_ORIGIN_DEFAULT)
        return 0;
    g->reasons[k] = weft_arena_strdup(r->s->arena, why);
    if (!g->reasons[k])
        return weft_err_no_memory(err, "a scenario");
    return weft_resolver_set(r, g, param, value, "", origin, err);
}

int weft_resolver_imply(struct weft_resolver *r, struct weft_err *err)
{
    struct weft_scenario *s = r->s;
    struct weft_err later = {0};
    struct weft_fabric *fabric = NULL;
    if (!s->backend->implies || !s->backend->implies(s->net_params))
        return 0;
    if (weft_topology_build(s->topology, s->topology_params, &fabric, &later))
        return 0; /* building the scenario says what is wrong */
    const struct weft_net_config config = weft_scenario_net_config(s, fabric);
    const int rc = s->backend->imply(&config, imply_take, r, err);
    weft_fabric_free(fabric);
    return rc ? weft_err_prepend(err, "what transport.type implies") : 0;
}
