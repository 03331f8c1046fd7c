/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overrides: "leaf-spine.leaves=4". A key that names nothing, or something that this scenario does
 * not use, is an error that says which.
 */
#include "scenario/resolve.h"
#include "base/renamed.h"

#include <stdbool.h>
#include <string.h>

/* Whether the text can stand in a scenario file: UTF-8 of characters that XML has. */
static bool is_text(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const unsigned n = *c < 0x80 ? 0 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : 3;
        uint32_t v = n == 0 ? *c : *c & (0x3fu >> n);
        if ((*c >= 0x80 && *c < 0xc2) || *c > 0xf4)
            return false;
        for (unsigned i = 1; i <= n; i++) {
            if ((c[i] & 0xc0) != 0x80)
                return false;
            v = v << 6 | (c[i] & 0x3fu);
        }
        if ((v < 0x20 && !strchr("\t\r\n", (int)v)) || (n == 2 && v < 0x800) ||
            (n == 3 && v < 0x10000) || v > 0x10ffff || (v >= 0xd800 && v < 0xe000) || v == 0xfffe ||
            v == 0xffff)
            return false;
        c += n + 1;
    }
    return true;
}

int weft_resolver_parse_overrides(struct weft_resolver *r, const char *const *sets, size_t n,
                                  struct weft_err *err)
{
    struct weft_arena *a = r->s->arena;
    r->overrides = (struct weft_override *)weft_arena_calloc(a, n, sizeof *r->overrides);
    if (!r->overrides)
        return weft_err_no_memory(err, "settings");
    for (size_t i = 0; i < n; i++) {
        const char *text = sets[i];
        const char *eq = strchr(text, '=');
        const char *dot = strchr(text, '.');
        if (!is_text(text))
            return weft_err_set(err, WEFT_E_INPUT,
                                "--set %zu: only UTF-8 without control characters is taken", i + 1);
        if (!eq || !dot || dot > eq || dot == text || dot + 1 == eq)
            return weft_err_set(err, WEFT_E_INPUT,
                                "--set %s: an override is SECTION.PARAMETER=VALUE, for instance "
                                "transport.mtu=4096B",
                                text);
        struct weft_override *o = &r->overrides[i];
        o->text = text;
        o->prefix = weft_arena_strndup(a, text, (size_t)(dot - text));
        o->param = weft_arena_strndup(a, dot + 1, (size_t)(eq - dot - 1));
        o->value = weft_arena_strdup(a, eq + 1);
        if (!o->prefix || !o->param || !o->value)
            return weft_err_no_memory(err, "settings");
        const char *present = weft_renamed_find(WEFT_RENAMED_SECTION, o->prefix);
        if (present && weft_scenario_warn(r->s, err, "--set %s: " WEFT_RENAMED_WARNING, text,
                                          o->prefix, present))
            return err->code;
        o->prefix = present ? present : o->prefix;
    }
    r->noverrides = n;
    return 0;
}

/* The group that a key addresses: by plug-in or section name, or by element name. NULL: none, *err
 * may be filled. */
static struct weft_scenario_group *find_group(struct weft_resolver *r,
                                              const struct weft_override *o, struct weft_err *err)
{
    struct weft_scenario *s = r->s;
    struct weft_scenario_group *by_name = NULL, *by_type = NULL;
    size_t ntypes = 0;
    for (size_t i = 0; i < s->ngroups; i++) {
        struct weft_scenario_group *g = &s->groups[i];
        if (g->selector && strcmp(g->element, o->prefix) == 0)
            return g;
        if (g->selected && strcmp(g->selected, o->prefix) == 0) {
            by_type = g;
            ntypes++;
        }
        if (strcmp(g->prefix, o->prefix) != 0)
            continue;
        if (!by_name) {
            by_name = g;
            continue;
        }
        /* Two chosen plug-ins of different families share a name: the parameter decides. */
        bool first = weft_params_find(by_name->table, o->param) != NULL;
        bool second = weft_params_find(g->table, o->param) != NULL;
        if (first && second) {
            weft_err_set(err, WEFT_E_INPUT,
                         "--set %s: both the %s and the %s '%s' have it; say %s.%s or %s.%s",
                         o->text, by_name->element, g->element, g->prefix, by_name->element,
                         o->param, g->element, o->param);
            return NULL;
        }
        if (second)
            by_name = g;
    }
    if (!by_name && ntypes > 1)
        weft_err_set(err, WEFT_E_INPUT,
                     "--set %s: several workloads have this type; say which by its name", o->text);
    return by_name || ntypes != 1 ? by_name : by_type;
}

/* The family that has a member of the key's section: the one whose member has the parameter, where
 * several have ('hpcc' is a topology and a congestion control). WEFT_FAMILIES: none. */
static int family_of(const struct weft_resolver *r, const struct weft_override *o)
{
    int first = WEFT_FAMILIES;
    for (int f = 0; f < WEFT_FAMILIES; f++) {
        struct weft_err quiet = {0};
        struct weft_plugin p;
        if (weft_family_find((enum weft_family_id)f, &r->backends, o->prefix, &p, &quiet))
            continue;
        if (p.params && weft_params_find(p.params, o->param))
            return f;
        first = first < f ? first : f;
    }
    return first;
}

/* Whether @p name is a member of a family that this scenario did not choose, or a section of
 * another backend. */
static int explain_unchosen(struct weft_resolver *r, const struct weft_override *o,
                            struct weft_err *err)
{
    const int f = family_of(r, o);
    if (f < WEFT_FAMILIES) {
        const struct weft_family *fam = &weft_families[f];
        if (f == WEFT_FAMILY_CC && !r->s->cc)
            return weft_err_set(
                err, WEFT_E_INPUT,
                "--set %s: has no effect: the backend '%s' does not use congestion control",
                o->text, r->s->backend->name);
        return weft_err_set(err, WEFT_E_INPUT,
                            "--set %s: has no effect: the %s is '%s'; to change it, --set %s.%s=%s",
                            o->text, fam->what, r->chosen[f].name, fam->element, fam->selector,
                            o->prefix);
    }
    for (size_t i = 0; i < r->backends.n; i++) {
        const struct weft_net_backend *b = r->backends.list[i];
        for (size_t k = 0; k < b->nsections; k++)
            if (strcmp(b->sections[k].name, o->prefix) == 0)
                return weft_err_set(
                    err, WEFT_E_INPUT,
                    "--set %s: has no effect: '%s' belongs to the backend '%s', and this "
                    "scenario uses '%s'",
                    o->text, o->prefix, b->name, r->s->backend->name);
    }
    return 0;
}

static int unknown_key(struct weft_resolver *r, const struct weft_override *o, struct weft_err *err)
{
    enum { MAX = 192 };
    const char *names[MAX];
    size_t n = 0;
    if (explain_unchosen(r, o, err))
        return err->code;
    if (strcmp(o->prefix, weft_families[WEFT_FAMILY_CC].element) == 0)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "--set %s: has no effect: the backend '%s' does not use congestion control", o->text,
            r->s->backend->name);
    for (size_t i = 0; i < r->s->ngroups && n + 2 < MAX; i++) {
        names[n++] = r->s->groups[i].prefix;
        names[n++] = r->s->groups[i].element;
    }
    for (int f = 0; f < WEFT_FAMILIES; f++)
        for (size_t i = 0; i < weft_family_size((enum weft_family_id)f, &r->backends) && n < MAX;
             i++)
            names[n++] = weft_family_member((enum weft_family_id)f, &r->backends, i).name;
    return weft_err_set(err, WEFT_E_INPUT, "--set %s: unknown section '%s'%s", o->text, o->prefix,
                        WEFT_MEANT(o->prefix, names, n, "; 'weft show scenario' prints every key"));
}

int weft_resolver_apply_overrides(struct weft_resolver *r, struct weft_err *err)
{
    for (size_t i = 0; i < r->noverrides; i++) {
        const struct weft_override *o = &r->overrides[i];
        struct weft_err why = {0};
        struct weft_scenario_group *g = find_group(r, o, &why);
        if (why.code) {
            *err = why;
            return why.code;
        }
        if (!g)
            return unknown_key(r, o, err);
        if ((strcmp(o->prefix, g->element) == 0 || strcmp(o->prefix, g->label) == 0) &&
            ((g->selector && strcmp(o->param, g->selector) == 0) || weft_group_preset(g, o->param)))
            continue; /* chosen already */
        struct weft_origin origin = {i < r->nimplied ? WEFT_ORIGIN_PRESET : WEFT_ORIGIN_OVERRIDE, 0,
                                     0};
        if (weft_resolver_set(r, g, o->param, o->value, "", origin, err))
            return weft_err_prepend(err, "--set %s", o->text);
    }
    return 0;
}
