/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of a scenario while it is being resolved: the file's elements, the values set so
 * far and where they come from, and the warnings.
 */
#include "scenario/resolve.h"

#include "base/grow.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int weft_scenario_warn(struct weft_scenario *s, struct weft_err *err, const char *fmt, ...)
{
    char text[WEFT_ERR_MSG_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!WEFT_ARENA_GROW(s->arena, s->warnings, s->nwarnings, &s->warnings_cap))
        return weft_err_no_memory(err, "a scenario");
    char *kept = weft_arena_strdup(s->arena, text);
    if (!kept)
        return weft_err_no_memory(err, "a scenario");
    s->warnings[s->nwarnings++] = kept;
    return 0;
}

bool weft_scenario_key_is_path(const char *key)
{
    static const char *const words[] = {"file", "path", "dir", "groups", "memo"};
    const char *last = key + strlen(key);
    while (last > key && last[-1] != '-' && last[-1] != '.')
        last--;
    return WEFT_IS_ONE_OF(last, words);
}

bool weft_param_is_path(const struct weft_param *p)
{
    return p->type == WEFT_PARAM_STRING && weft_scenario_key_is_path(p->name);
}

int weft_resolver_set(struct weft_resolver *r, struct weft_scenario_group *g, const char *param,
                      const char *value, const char *base_dir, struct weft_origin origin,
                      struct weft_err *err)
{
    const struct weft_param *p = weft_params_find(g->table, param);
    if (p && weft_param_is_path(p) && value[0] != '\0' && value[0] != '/' && base_dir[0] != '\0')
        value = weft_arena_printf(r->s->arena, "%s/%s", base_dir, value);
    else
        value = weft_arena_strdup(r->s->arena, value);
    if (!value)
        return weft_err_no_memory(err, "a scenario");
    int code = weft_params_set(g->table, g->values, param, value, err);
    if (code)
        return code;
    g->origins[p - g->table->params] = origin;
    return 0;
}

const struct weft_xml_elem *weft_resolver_elem(const struct weft_resolver *r, const char *name)
{
    if (!r->root)
        return NULL;
    for (const struct weft_xml_elem *e = r->root->children; e; e = e->next)
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}

bool weft_group_is_cc(const struct weft_scenario_group *g)
{
    return strcmp(g->element, weft_families[WEFT_FAMILY_CC].element) == 0;
}

bool weft_group_preset(const struct weft_scenario_group *g, const char *param)
{
    return strcmp(param, WEFT_PRESET_KEY) == 0 &&
           (weft_group_is_cc(g) || strcmp(g->element, WEFT_SYSTEM_ELEMENT) == 0);
}

int weft_resolver_add_group(struct weft_resolver *r, const char *element, int family,
                            const char *prefix, const struct weft_param_table *table, void *values,
                            struct weft_err *err)
{
    struct weft_scenario *s = r->s;
    struct weft_scenario_group *g = &s->groups[s->ngroups++];
    const struct weft_xml_elem *e = weft_resolver_elem(r, element);
    *g = (struct weft_scenario_group){
        .element = element, .label = element, .prefix = prefix, .table = table};
    if (family >= 0) {
        g->selector = weft_families[family].selector;
        g->selected = r->chosen[family].name;
        g->selected_from = r->chosen_from[family];
    }
    if (e) {
        g->line = e->line;
        g->col = e->col;
    }
    g->values = values ? values : weft_arena_alloc(s->arena, table->struct_size);
    g->origins = (struct weft_origin *)weft_arena_calloc(s->arena, table->n, sizeof *g->origins);
    g->reasons = (const char **)weft_arena_calloc(s->arena, table->n, sizeof *g->reasons);
    g->resolved = (const char **)weft_arena_calloc(s->arena, table->n, sizeof *g->resolved);
    if (!g->values || !g->origins || !g->reasons || !g->resolved)
        return weft_err_no_memory(err, "a scenario");
    if (weft_params_defaults(table, g->values, err))
        return weft_err_prepend(err, "defaults of %s", prefix);
    return 0;
}

uint32_t weft_resolver_count(const struct weft_resolver *r, const char *name)
{
    uint32_t n = 0;
    for (const struct weft_xml_elem *e = r->root ? r->root->children : NULL; e; e = e->next)
        n += strcmp(e->name, name) == 0;
    return n;
}

struct weft_scenario_group *weft_resolver_group_of(struct weft_resolver *r,
                                                   const struct weft_xml_elem *e)
{
    for (size_t i = 0; i < r->s->ngroups; i++) {
        struct weft_scenario_group *g = &r->s->groups[i];
        if (strcmp(g->element, e->name) == 0 && g->line == e->line && g->col == e->col)
            return g;
    }
    return NULL;
}
