/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * <sweep metrics="a, b" seeds="1..5" find="min KEY where ..."><vary KEY="VALUES"/></sweep>: what
 * `weft sweep` varies when it is not told on the command line. A <vary> is an axis; the values of
 * its attributes go together. What the texts mean is the command's business.
 */
#include "scenario/resolve.h"

#include <string.h>

static int no_memory(struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a scenario");
}

/* The words of a list, cut at commas and blanks. */
static int split(struct weft_arena *arena, const char *text, const char *const **out, size_t *n,
                 struct weft_err *err)
{
    static const char between[] = ", \t\r\n";
    const char **list = (const char **)weft_arena_calloc(arena, strlen(text) / 2 + 1, sizeof *list);
    *out = list;
    if (!list)
        return no_memory(err);
    for (const char *p = text + strspn(text, between); *p; p += strspn(p, between)) {
        const size_t len = strcspn(p, between);
        list[*n] = weft_arena_strndup(arena, p, len);
        if (!list[(*n)++])
            return no_memory(err);
        p += len;
    }
    return 0;
}

/* "KEY=VALUES & KEY=VALUES". */
static int read_vary(struct weft_resolver *r, const struct weft_xml_elem *e, const char **out,
                     struct weft_err *err)
{
    const char *text = NULL;
    if (strcmp(e->name, "vary") != 0)
        return weft_err_at(err, WEFT_E_INPUT, r->s->file, e->line, e->col,
                           "<%s> inside <sweep>; axes are elements <vary KEY=\"VALUE|VALUE\"/>",
                           e->name);
    if (!e->attrs || e->children || e->text[0])
        return weft_err_at(err, WEFT_E_INPUT, r->s->file, e->line, e->col,
                           "<vary> has an attribute for each setting that it changes, and nothing "
                           "else: <vary switch.buffer=\"1MiB|2MiB\"/>");
    for (const struct weft_xml_attr *a = e->attrs; a; a = a->next) {
        if (strstr(a->value, " & "))
            return weft_err_at(err, WEFT_E_INPUT, r->s->file, a->line, a->col,
                               "<vary>: what changes together are attributes of one <vary>");
        text = text ? weft_arena_printf(r->s->arena, "%s & %s=%s", text, a->name, a->value)
                    : weft_arena_printf(r->s->arena, "%s=%s", a->name, a->value);
        if (!text)
            return no_memory(err);
    }
    *out = text;
    return 0;
}

static int read_attribute(struct weft_resolver *r, const struct weft_xml_attr *a,
                          struct weft_scenario_sweep *s, struct weft_err *err)
{
    static const char *const names[] = {"metrics", "seeds", "find"};
    if (strcmp(a->name, "metrics") == 0)
        return split(r->s->arena, a->value, &s->metrics, &s->nmetrics, err);
    const char **to = strcmp(a->name, "seeds") == 0  ? &s->seeds
                      : strcmp(a->name, "find") == 0 ? &s->find
                                                     : NULL;
    if (!to) {
        const char *near = weft_nearest(a->name, names, sizeof names / sizeof names[0]);
        return weft_err_at(err, WEFT_E_INPUT, r->s->file, a->line, a->col,
                           "unknown attribute '%s' in <sweep>; %s%s%s", a->name,
                           near ? "did you mean '" : "valid: metrics, seeds, find",
                           near ? near : "", near ? "'?" : "");
    }
    *to = weft_arena_strdup(r->s->arena, a->value);
    return *to ? 0 : no_memory(err);
}

int weft_resolver_read_sweep(struct weft_resolver *r, const struct weft_xml_elem *e,
                             struct weft_err *err)
{
    size_t n = 0;
    for (const struct weft_xml_elem *c = e->children; c; c = c->next)
        n++;
    struct weft_scenario_sweep *s =
        (struct weft_scenario_sweep *)weft_arena_calloc(r->s->arena, 1, sizeof *s);
    const char **vary = (const char **)weft_arena_calloc(r->s->arena, n + 1, sizeof *vary);
    if (!s || !vary)
        return no_memory(err);
    *s = (struct weft_scenario_sweep){.vary = vary, .line = e->line, .col = e->col};
    for (const struct weft_xml_attr *a = e->attrs; a; a = a->next)
        if (read_attribute(r, a, s, err))
            return err->code;
    for (const struct weft_xml_elem *c = e->children; c; c = c->next)
        if (read_vary(r, c, &vary[s->nvary++], err))
            return err->code;
    if (!s->nvary && !s->seeds)
        return weft_err_at(err, WEFT_E_INPUT, r->s->file, e->line, e->col,
                           "<sweep> varies nothing; it needs <vary KEY=\"VALUE|VALUE\"/> or seeds");
    r->s->sweep = s;
    return 0;
}
