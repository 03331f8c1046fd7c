/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Presets of the congestion control and of the system: settings under one name, applied between
 * defaults and file. What the system's says of a section that the backend does not have has no
 * effect: it is about a machine, not about a backend.
 */
#include "scenario/resolve.h"

#include <stdio.h>
#include <string.h>

/* The name of the preset, by override or file; NULL: none. */
static const char *chosen(struct weft_resolver *r, struct weft_scenario_group *g)
{
    const struct weft_xml_elem *e = weft_resolver_elem(r, g->element);
    const struct weft_xml_attr *a = e ? weft_xml_get(e, WEFT_PRESET_KEY) : NULL;
    const struct weft_xml_attr *name = e && g->selector ? weft_xml_get(e, g->selector) : NULL;
    const char *preset = NULL;
    /* The attributes of another control than the selected one have no effect. */
    if (a && !(name && g->selected_from.kind == WEFT_ORIGIN_OVERRIDE &&
               strcmp(name->value, g->selected) != 0)) {
        g->preset_from = (struct weft_origin){WEFT_ORIGIN_FILE, a->line, a->col};
        preset = a->value;
    }
    for (size_t i = 0; i < r->noverrides; i++)
        if (strcmp(r->overrides[i].prefix, g->element) == 0 &&
            strcmp(r->overrides[i].param, WEFT_PRESET_KEY) == 0) {
            g->preset_from = (struct weft_origin){WEFT_ORIGIN_OVERRIDE, 0, 0};
            preset = r->overrides[i].value;
        }
    return preset && strcmp(preset, "none") != 0 ? preset : NULL;
}

static struct weft_scenario_group *section(struct weft_resolver *r, const char *name, size_t len)
{
    for (size_t i = 0; i < r->s->ngroups; i++) {
        struct weft_scenario_group *g = &r->s->groups[i];
        if (!g->selector && strncmp(g->element, name, len) == 0 && g->element[len] == '\0')
            return g;
    }
    return NULL;
}

/* One "key=value" or "section.key=value" of @p of's preset, @p len characters long. */
static int apply(struct weft_resolver *r, struct weft_scenario_group *of, const char *text,
                 size_t len, struct weft_err *err)
{
    char *key = weft_arena_strndup(r->s->arena, text, len);
    char *eq = key ? strchr(key, '=') : NULL;
    if (!eq)
        return weft_err_set(err, WEFT_E_INTERNAL, "'%.*s' is no setting", (int)len, text);
    *eq = '\0';
    char *dot = strchr(key, '.');
    struct weft_scenario_group *g = dot ? section(r, key, (size_t)(dot - key)) : of;
    if (!g)
        return weft_group_is_cc(of)
                   ? weft_err_set(err, WEFT_E_INPUT, "the backend '%s' has no section for %s",
                                  r->s->backend->name, key)
                   : 0;
    struct weft_origin origin = {WEFT_ORIGIN_PRESET, 0, 0};
    return weft_resolver_set(r, g, dot ? dot + 1 : key, eq + 1, "", origin, err);
}

static const struct weft_preset *scenario_preset_find(const struct weft_scenario_group *g,
                                                      const struct weft_scenario *s,
                                                      const char *name, struct weft_err *err)
{
    if (!weft_group_is_cc(g))
        return weft_preset_find(weft_system_presets, g->element, g->element, name, err);
    char shown[64];
    snprintf(shown, sizeof shown, "cc %s", s->cc->name);
    return weft_preset_find(s->cc->presets, s->cc->name, shown, name, err);
}

static int apply_preset(struct weft_resolver *r, struct weft_scenario_group *g,
                        struct weft_err *err)
{
    const char *name = chosen(r, g);
    if (!name)
        return 0;
    const struct weft_preset *p = scenario_preset_find(g, r->s, name, err);
    int code = p ? 0 : err->code;
    for (const char *s = p ? p->settings : ""; !code && *s;) {
        size_t len = strcspn(s, " ");
        code = apply(r, g, s, len, err);
        if (code)
            weft_err_prepend(err, "preset '%s'", name);
        s += len + (s[len] == ' ');
    }
    if (code && g->preset_from.kind == WEFT_ORIGIN_FILE)
        return weft_err_locate(err, r->s->file, g->preset_from.line, g->preset_from.col);
    if (code)
        return weft_err_prepend(err, "--set %s.%s=%s", g->element, WEFT_PRESET_KEY, name);
    g->preset = p->name;
    return 0;
}

int weft_resolver_apply_presets(struct weft_resolver *r, struct weft_err *err)
{
    int code = 0;
    for (size_t i = 0; !code && i < r->s->ngroups; i++)
        if (weft_group_preset(&r->s->groups[i], WEFT_PRESET_KEY))
            code = apply_preset(r, &r->s->groups[i], err);
    return code;
}
