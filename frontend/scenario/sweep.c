/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * <sweep name="x" title="..." metrics="a, b" seeds="1..5" find="min KEY where ...">: what `weft
 * sweep` varies when it is not told on the command line. Inside:
 *
 *   <set KEY="VALUE" .../>     settings of all its rows
 *   <vary KEY="VALUES" .../>   an axis; the values of its attributes go together
 *   <quick KEY="VALUES" .../>  what takes the place of settings and values with --quick
 *   <bound metric="x" where="KEY=VALUE and ..." over="KEY=VALUE" min="" max="" why="" quick="no"/>
 *
 * What the texts mean is the command's business.
 */
#include "scenario/resolve.h"

#include <string.h>

/* A list of texts of the scenario's that grows to the number of attributes there are. */
struct texts {
    const char **list;
    size_t n;
};

/* The words of a list, cut at commas and blanks. */
static int split(struct weft_arena *arena, const char *text, const char *const **out, size_t *n,
                 struct weft_err *err)
{
    static const char between[] = ", \t\r\n";
    const char **list = (const char **)weft_arena_calloc(arena, strlen(text) / 2 + 1, sizeof *list);
    *out = list;
    if (!list)
        return weft_err_no_memory(err, "a scenario");
    for (const char *p = text + strspn(text, between); *p; p += strspn(p, between)) {
        const size_t len = strcspn(p, between);
        list[*n] = weft_arena_strndup(arena, p, len);
        if (!list[(*n)++])
            return weft_err_no_memory(err, "a scenario");
        p += len;
    }
    return 0;
}

static int scenario_sweep_unknown(const struct weft_resolver *r, const struct weft_xml_attr *a,
                                  const char *in, const char *const *names, size_t n,
                                  const char *valid, struct weft_err *err)
{
    return weft_err_at(err, WEFT_E_INPUT, r->s->file, a->line, a->col,
                       "unknown attribute '%s' in <%s>%s", a->name, in,
                       WEFT_MEANT(a->name, names, n, valid));
}

/* yes or no, and whether it is no. */
static int read_yes_no(const struct weft_resolver *r, const struct weft_xml_attr *a, const char *in,
                       bool *no, struct weft_err *err)
{
    *no = strcmp(a->value, "no") == 0;
    if (*no || strcmp(a->value, "yes") == 0)
        return 0;
    return weft_err_at(err, WEFT_E_INPUT, r->s->file, a->line, a->col, "<%s %s=\"%s\">: yes or no",
                       in, a->name, a->value);
}

/* The value that <quick> has for a setting; NULL: none. */
static const char *quick_value(const struct texts *quick, const char *key)
{
    const size_t len = strlen(key);
    for (size_t i = 0; i < quick->n; i++)
        if (strncmp(quick->list[i], key, len) == 0 && quick->list[i][len] == '=')
            return quick->list[i] + len + 1;
    return NULL;
}

/* An element that holds settings alone. */
static int check_settings(const struct weft_resolver *r, const struct weft_xml_elem *e,
                          struct weft_err *err)
{
    if (!e->attrs || e->children || e->text[0])
        return weft_err_at(err, WEFT_E_INPUT, r->s->file, e->line, e->col,
                           "<%s> has an attribute for each setting, and nothing else: <%s "
                           "switch.buffer=\"1MiB%s\"/>",
                           e->name, e->name, strcmp(e->name, "set") == 0 ? "" : "|2MiB");
    return 0;
}

/* "KEY=VALUES & KEY=VALUES", with what <quick> says of them where that is given. */
static const char *axis_text(struct weft_arena *arena, const struct weft_xml_elem *e,
                             const struct texts *quick)
{
    const char *text = "";
    for (const struct weft_xml_attr *a = e->attrs; a && text; a = a->next) {
        const char *other = quick ? quick_value(quick, a->name) : NULL;
        text = weft_arena_printf(arena, "%s%s%s=%s", text, text[0] ? " & " : "", a->name,
                                 other ? other : a->value);
    }
    return text;
}

/* "KEY=VALUE" of each attribute, but of those that @p without has. */
static int add_settings(struct weft_arena *arena, const struct weft_xml_elem *e, struct texts *to,
                        const struct texts *without, struct weft_err *err)
{
    for (const struct weft_xml_attr *a = e->attrs; a; a = a->next) {
        if (without && quick_value(without, a->name))
            continue;
        to->list[to->n] = weft_arena_printf(arena, "%s=%s", a->name, a->value);
        if (!to->list[to->n++])
            return weft_err_no_memory(err, "a scenario");
    }
    return 0;
}

static int read_bound(struct weft_resolver *r, const struct weft_xml_elem *e,
                      struct weft_scenario_row_bound *b, struct weft_err *err)
{
    static const char *const names[] = {"metric", "where", "over", "min", "max", "why", "quick"};
    const char **to[] = {&b->metric, &b->where, &b->over, &b->min, &b->max, &b->why};
    const size_t n = sizeof names / sizeof names[0];
    b->line = e->line;
    b->col = e->col;
    for (const struct weft_xml_attr *a = e->attrs; a; a = a->next) {
        size_t i = 0;
        while (i < n && strcmp(a->name, names[i]) != 0)
            i++;
        if (i == n)
            return scenario_sweep_unknown(
                r, a, "bound", names, n, "; valid: metric, where, over, min, max, why, quick", err);
        if (i + 1 == n && read_yes_no(r, a, "bound", &b->full_only, err))
            return err->code;
        if (i + 1 < n && !(*to[i] = weft_arena_strdup(r->s->arena, a->value)))
            return weft_err_no_memory(err, "a scenario");
    }
    if (!b->metric || (!b->min && !b->max) || e->children || e->text[0])
        return weft_err_at(err, WEFT_E_INPUT, r->s->file, e->line, e->col,
                           "<bound> needs 'metric', and 'min', 'max' or both");
    return 0;
}

static int read_attribute(struct weft_resolver *r, const struct weft_xml_attr *a,
                          struct weft_scenario_sweep *s, struct weft_err *err)
{
    static const char *const names[] = {"name", "title", "seeds", "find", "metrics", "speed-up"};
    const char **to[] = {&s->name, &s->title, &s->seeds, &s->find};
    const size_t n = sizeof names / sizeof names[0];
    if (strcmp(a->name, "metrics") == 0)
        return split(r->s->arena, a->value, &s->metrics, &s->nmetrics, err);
    if (strcmp(a->name, "speed-up") == 0)
        return read_yes_no(r, a, WEFT_SWEEP_ELEMENT, &s->no_speed_up, err);
    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++)
        if (strcmp(a->name, names[i]) == 0) {
            *to[i] = weft_arena_strdup(r->s->arena, a->value);
            return *to[i] ? 0 : weft_err_no_memory(err, "a scenario");
        }
    return scenario_sweep_unknown(r, a, WEFT_SWEEP_ELEMENT, names, n,
                                  "; valid: name, title, metrics, seeds, find, speed-up", err);
}

/* What <sweep> holds while it is read. */
struct parts {
    struct texts set, vary, quick, quick_set, quick_vary;
    struct weft_scenario_row_bound *bounds;
    size_t nbounds;
};

static int make_parts(struct weft_arena *arena, const struct weft_xml_elem *e, struct parts *p,
                      struct weft_err *err)
{
    struct texts *const texts[] = {&p->set, &p->vary, &p->quick, &p->quick_set, &p->quick_vary};
    size_t elements = 1, attributes = 1;
    for (const struct weft_xml_elem *c = e->children; c; c = c->next, elements++)
        for (const struct weft_xml_attr *a = c->attrs; a; a = a->next)
            attributes++;
    p->bounds =
        (struct weft_scenario_row_bound *)weft_arena_calloc(arena, elements, sizeof *p->bounds);
    if (!p->bounds)
        return weft_err_no_memory(err, "a scenario");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        texts[i]->list = (const char **)weft_arena_calloc(arena, 2 * attributes + elements,
                                                          sizeof *texts[i]->list);
        if (!texts[i]->list)
            return weft_err_no_memory(err, "a scenario");
    }
    return 0;
}

static int read_set(struct weft_resolver *r, const struct weft_xml_elem *e, struct parts *p,
                    struct weft_err *err)
{
    if (check_settings(r, e, err) || add_settings(r->s->arena, e, &p->set, NULL, err))
        return err->code;
    return add_settings(r->s->arena, e, &p->quick_set, &p->quick, err);
}

static int read_vary(struct weft_resolver *r, const struct weft_xml_elem *e, struct parts *p,
                     struct weft_err *err)
{
    if (check_settings(r, e, err))
        return err->code;
    for (const struct weft_xml_attr *a = e->attrs; a; a = a->next)
        if (strstr(a->value, " & "))
            return weft_err_at(err, WEFT_E_INPUT, r->s->file, a->line, a->col,
                               "<vary>: what changes together are attributes of one <vary>");
    p->vary.list[p->vary.n] = axis_text(r->s->arena, e, NULL);
    p->quick_vary.list[p->vary.n] = axis_text(r->s->arena, e, &p->quick);
    return p->vary.list[p->vary.n] && p->quick_vary.list[p->vary.n++]
               ? 0
               : weft_err_no_memory(err, "a scenario");
}

static int read_row_bound(struct weft_resolver *r, const struct weft_xml_elem *e, struct parts *p,
                          struct weft_err *err)
{
    return read_bound(r, e, &p->bounds[p->nbounds++], err);
}

/* <quick> was read before the others. */
static int skip(struct weft_resolver *r, const struct weft_xml_elem *e, struct parts *p,
                struct weft_err *err)
{
    return 0;
}

static const struct {
    const char *element;
    int (*read)(struct weft_resolver *r, const struct weft_xml_elem *e, struct parts *p,
                struct weft_err *err);
} elements[] = {{"set", read_set}, {"vary", read_vary}, {"bound", read_row_bound}, {"quick", skip}};

static int read_elements(struct weft_resolver *r, const struct weft_xml_elem *e, struct parts *p,
                         struct weft_err *err)
{
    const size_t n = sizeof elements / sizeof elements[0];
    for (const struct weft_xml_elem *c = e->children; c; c = c->next) {
        size_t i = 0;
        while (i < n && strcmp(c->name, elements[i].element) != 0)
            i++;
        if (i == n)
            return weft_err_at(err, WEFT_E_INPUT, r->s->file, c->line, c->col,
                               "<%s> inside <sweep>; axes are elements <vary "
                               "KEY=\"VALUE|VALUE\"/>, beside them <set>, <quick> and <bound>",
                               c->name);
        if (elements[i].read(r, c, p, err))
            return err->code;
    }
    return 0;
}

/* What of <quick> is no axis's joins the settings. */
static int resolve_quick(struct weft_arena *arena, const struct weft_xml_elem *e, struct parts *p,
                         struct weft_err *err)
{
    struct texts varied = {0};
    size_t n = 1;
    for (const struct weft_xml_elem *c = e->children; c; c = c->next)
        for (const struct weft_xml_attr *a = c->attrs; a; a = a->next)
            n++;
    varied.list = (const char **)weft_arena_calloc(arena, n, sizeof *varied.list);
    if (!varied.list)
        return weft_err_no_memory(err, "a scenario");
    for (const struct weft_xml_elem *c = e->children; c; c = c->next)
        if (strcmp(c->name, "vary") == 0 && add_settings(arena, c, &varied, NULL, err))
            return err->code;
    for (const struct weft_xml_elem *c = e->children; c; c = c->next)
        if (strcmp(c->name, "quick") == 0 && add_settings(arena, c, &p->quick_set, &varied, err))
            return err->code;
    return 0;
}

/* Names tell several sweeps apart. */
static int check_name(const struct weft_resolver *r, const struct weft_scenario_sweep *s,
                      struct weft_err *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    if (s->name && (!s->name[0] || s->name[strspn(s->name, plain)]))
        return weft_err_at(err, WEFT_E_INPUT, r->s->file, s->line, s->col,
                           "<sweep name=\"%s\">: a name is made of a-z, 0-9 and -", s->name);
    for (size_t i = 0; i < r->s->nsweeps; i++) {
        const struct weft_scenario_sweep *other = r->s->sweeps[i];
        if (!s->name || !other->name)
            return weft_err_at(err, WEFT_E_INPUT, r->s->file, s->line, s->col,
                               "several <sweep> need a name each");
        if (strcmp(s->name, other->name) == 0)
            return weft_err_at(err, WEFT_E_INPUT, r->s->file, s->line, s->col,
                               "two <sweep> are called '%s'", s->name);
    }
    return 0;
}

/* One more sweep of the scenario. */
static int add_sweep(struct weft_resolver *r, const struct weft_scenario_sweep *s,
                     struct weft_err *err)
{
    const size_t n = r->s->nsweeps;
    const struct weft_scenario_sweep **list =
        (const struct weft_scenario_sweep **)weft_arena_calloc(r->s->arena, n + 1, sizeof *list);
    if (!list)
        return weft_err_no_memory(err, "a scenario");
    for (size_t i = 0; i < n; i++)
        list[i] = r->s->sweeps[i];
    list[n] = s;
    r->s->sweeps = list;
    r->s->nsweeps++;
    return 0;
}

int weft_resolver_read_sweep(struct weft_resolver *r, const struct weft_xml_elem *e,
                             struct weft_err *err)
{
    struct parts p = {0};
    struct weft_scenario_sweep *s =
        (struct weft_scenario_sweep *)weft_arena_calloc(r->s->arena, 1, sizeof *s);
    if (!s || make_parts(r->s->arena, e, &p, err))
        return weft_err_no_memory(err, "a scenario");
    s->line = e->line;
    s->col = e->col;
    for (const struct weft_xml_attr *a = e->attrs; a; a = a->next)
        if (read_attribute(r, a, s, err))
            return err->code;
    for (const struct weft_xml_elem *c = e->children; c; c = c->next)
        if (strcmp(c->name, "quick") == 0 &&
            (check_settings(r, c, err) || add_settings(r->s->arena, c, &p.quick, NULL, err)))
            return err->code;
    if (read_elements(r, e, &p, err) || resolve_quick(r->s->arena, e, &p, err) ||
        check_name(r, s, err))
        return err->code;
    if (!p.vary.n && !s->seeds)
        return weft_err_at(err, WEFT_E_INPUT, r->s->file, e->line, e->col,
                           "<sweep> varies nothing; it needs <vary KEY=\"VALUE|VALUE\"/> or seeds");
    s->set = p.set.list;
    s->nset = p.set.n;
    s->vary = p.vary.list;
    s->nvary = p.vary.n;
    s->quick = p.quick.list;
    s->nquick = p.quick.n;
    s->quick_set = p.quick_set.list;
    s->nquick_set = p.quick_set.n;
    s->quick_vary = p.quick_vary.list;
    s->bounds = p.bounds;
    s->nbounds = p.nbounds;
    return add_sweep(r, s, err);
}
