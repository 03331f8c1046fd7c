/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scenario file: elements and attributes against the tables, each complaint at its place.
 */
#include "scenario/resolve.h"
#include "topologies/element.h"
#include "scenario/sections.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NAMES = 160 };

/* A list of valid names for a suggestion. */
struct names {
    const char *list[MAX_NAMES];
    size_t n;
};

static void add_name(struct names *v, const char *name)
{
    if (v->n < MAX_NAMES)
        v->list[v->n++] = name;
}

/* The backend that has a section called @p name, the chosen one first; NULL: none. */
static const struct weft_net_backend *backend_of_section(const struct weft_resolver *r,
                                                         const char *name)
{
    const struct weft_net_backend *found = NULL;
    for (size_t i = 0; i < r->backends.n; i++) {
        const struct weft_net_backend *b = r->backends.list[i];
        for (size_t k = 0; k < b->nsections; k++)
            if (strcmp(b->sections[k].name, name) == 0 && (!found || b == r->s->backend))
                found = b;
    }
    return found;
}

static int scenario_file_unknown(const struct weft_resolver *r, const char *what, const char *where,
                                 const char *name, const struct names *valid, int64_t line,
                                 int64_t col, struct weft_err *err)
{
    char all[768] = "; valid: none";
    if (valid->n)
        weft_names_joined(all + 9, sizeof all - 9, valid->list, valid->n);
    return weft_err_at(err, WEFT_E_INPUT, r->s->file, line, col, "unknown %s '%s' in <%s>%s", what,
                       name, where, WEFT_MEANT(name, valid->list, valid->n, all));
}

static void element_names(const struct weft_resolver *r, struct names *v)
{
    add_name(v, "description");
    for (int i = 0; i < WEFT_FAMILIES; i++)
        add_name(v, weft_families[i].element);
    add_name(v, "system");
    add_name(v, WEFT_LIBRARY_ELEMENT);
    add_name(v, WEFT_FAULT_ELEMENT);
    add_name(v, "sample");
    add_name(v, "output");
    add_name(v, "run");
    add_name(v, WEFT_SWEEP_ELEMENT);
    for (size_t i = 0; i < r->backends.n; i++)
        for (size_t k = 0; k < r->backends.list[i]->nsections; k++)
            add_name(v, r->backends.list[i]->sections[k].name);
}

static const char name_chars[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

int weft_resolver_check_file(struct weft_resolver *r, struct weft_err *err)
{
    const struct weft_xml_elem *root = r->root;
    const char *file = r->s->file;
    if (strcmp(root->name, "scenario") != 0)
        return weft_err_at(err, WEFT_E_INPUT, file, root->line, root->col,
                           "the root element must be <scenario>, not <%s>", root->name);
    for (const struct weft_xml_attr *a = root->attrs; a; a = a->next) {
        struct names valid = {{"name"}, 1};
        if (strcmp(a->name, "name") != 0)
            return scenario_file_unknown(r, "attribute", "scenario", a->name, &valid, a->line,
                                         a->col, err);
        /* It becomes the name of the run folder. */
        if (a->value[0] == '.' || !a->value[0] || a->value[strspn(a->value, name_chars)])
            return weft_err_at(err, WEFT_E_INPUT, file, a->line, a->col,
                               "<scenario>: 'name' must be letters, digits, '-', '_' and '.', and "
                               "not begin with '.'");
    }
    if (root->text[0])
        return weft_err_at(err, WEFT_E_INPUT, file, root->line, root->col,
                           "text directly inside <scenario>; put it into <description>");
    struct names valid = {.n = 0};
    element_names(r, &valid);
    for (const struct weft_xml_elem *e = root->children; e; e = e->next) {
        size_t i = 0;
        while (i < valid.n && strcmp(valid.list[i], e->name) != 0)
            i++;
        if (i == valid.n)
            return scenario_file_unknown(r, "element", "scenario", e->name, &valid, e->line, e->col,
                                         err);
        const struct weft_xml_elem *first = weft_resolver_elem(r, e->name);
        if (first != e && strcmp(e->name, weft_families[WEFT_FAMILY_WORKLOAD].element) != 0 &&
            strcmp(e->name, WEFT_SWEEP_ELEMENT) != 0)
            return weft_err_at(err, WEFT_E_INPUT, file, e->line, e->col,
                               "<%s> is given twice; the first is on line %" PRId64, e->name,
                               first->line);
        if (e->children && strcmp(e->name, weft_families[WEFT_FAMILY_TOPOLOGY].element) != 0 &&
            strcmp(e->name, WEFT_FAULT_ELEMENT) != 0 && strcmp(e->name, WEFT_SWEEP_ELEMENT) != 0)
            return weft_err_at(err, WEFT_E_INPUT, file, e->children->line, e->children->col,
                               "<%s> inside <%s>; settings are attributes: <%s name=\"value\"/>",
                               e->children->name, e->name, e->name);
        if (strcmp(e->name, "description") == 0) {
            if (e->attrs)
                return weft_err_at(err, WEFT_E_INPUT, file, e->attrs->line, e->attrs->col,
                                   "<description> has no attributes");
        } else if (e->text[0]) {
            return weft_err_at(err, WEFT_E_INPUT, file, e->line, e->col,
                               "text inside <%s>; settings are attributes: <%s name=\"value\"/>",
                               e->name, e->name);
        }
    }
    return 0;
}

/* Sets the list parameter @p list of a group from the elements inside @p e, see weft_element_list.
 */
static int apply_list(struct weft_resolver *r, const struct weft_xml_elem *e,
                      struct weft_scenario_group *g, const char *list, const char *item,
                      const char *dir, struct weft_err *err)
{
    const struct weft_xml_elem *first = e->children;
    if (weft_xml_get(e, list))
        return weft_err_at(err, WEFT_E_INPUT, r->s->file, first->line, first->col,
                           "<%s> inside an element that has the attribute '%s': give one of the "
                           "two",
                           first->name, list);
    const char *text = weft_element_list(first, item, r->s->file, r->s->arena, err);
    if (!text)
        return err->code;
    struct weft_origin origin = {WEFT_ORIGIN_FILE, first->line, first->col};
    return weft_resolver_set(r, g, list, text, dir, origin, err);
}

/* Checks an element inside <fault> by itself, so that complaints carry its place. */
static int check_fault(const struct weft_resolver *r, const struct weft_xml_elem *e,
                       struct weft_err *err)
{
    struct weft_fault_item item = {0};
    const struct weft_fault_kind *kind = weft_fault_kind_find(e->name, err);
    if (!kind)
        return weft_err_locate(err, r->s->file, e->line, e->col);
    for (const struct weft_xml_attr *a = e->attrs; a; a = a->next)
        if (weft_params_set(&kind->params, &item, a->name, a->value, err)) {
            weft_err_prepend(err, "<%s>", e->name);
            return weft_err_locate(err, r->s->file, a->line, a->col);
        }
    for (size_t i = 0; i < kind->params.n; i++)
        if (!kind->params.params[i].def && !weft_xml_get(e, kind->params.params[i].name))
            return weft_err_at(err, WEFT_E_INPUT, r->s->file, e->line, e->col,
                               "<%s>: '%s' must be given (%s)", e->name,
                               kind->params.params[i].name, kind->params.params[i].help);
    return 0;
}

/*
 * Elements inside @p e: <dimension .../> inside an element with a text parameter "dimensions" is an
 * item of its list, and every element inside <fault> one of its events.
 */
static int apply_children(struct weft_resolver *r, const struct weft_xml_elem *e,
                          struct weft_scenario_group *g, const char *dir, struct weft_err *err)
{
    char plural[64];
    const struct weft_xml_elem *first = e->children;
    if (strcmp(e->name, WEFT_FAULT_ELEMENT) == 0) {
        for (const struct weft_xml_elem *c = first; c; c = c->next)
            if (check_fault(r, c, err))
                return err->code;
        return apply_list(r, e, g, "events", NULL, dir, err);
    }
    snprintf(plural, sizeof plural, "%ss", first->name);
    const struct weft_param *p = weft_params_find(g->table, plural);
    if (!p || p->type != WEFT_PARAM_STRING)
        return weft_err_at(err, WEFT_E_INPUT, r->s->file, first->line, first->col,
                           "<%s> inside <%s %s=\"%s\">; settings are attributes: <%s "
                           "name=\"value\"/>",
                           first->name, e->name, g->selector, g->selected, e->name);
    return apply_list(r, e, g, plural, first->name, dir, err);
}

/* Sets the attributes of @p e, which has the table of @p g. */
static int apply_elem(struct weft_resolver *r, const struct weft_xml_elem *e,
                      struct weft_scenario_group *g, const char *dir, struct weft_err *err)
{
    for (const struct weft_xml_attr *a = e->attrs; a; a = a->next) {
        if ((g->selector && strcmp(a->name, g->selector) == 0) || weft_group_preset(g, a->name))
            continue;
        if (!weft_params_find(g->table, a->name)) {
            struct names valid = {.n = 0};
            if (g->selector)
                add_name(&valid, g->selector);
            if (weft_group_preset(g, WEFT_PRESET_KEY))
                add_name(&valid, WEFT_PRESET_KEY);
            for (size_t i = 0; i < g->table->n; i++)
                add_name(&valid, g->table->params[i].name);
            scenario_file_unknown(r, "attribute", e->name, a->name, &valid, a->line, a->col, err);
            return g->selected && g->table->n
                       ? weft_err_prepend(err, "%s '%s'", g->selector, g->selected)
                       : err->code;
        }
        struct weft_origin origin = {WEFT_ORIGIN_FILE, a->line, a->col};
        if (weft_resolver_set(r, g, a->name, a->value, dir, origin, err)) {
            weft_err_prepend(err, "<%s>", e->name);
            return weft_err_locate(err, r->s->file, a->line, a->col);
        }
    }
    return e->children ? apply_children(r, e, g, dir, err) : 0;
}

/* An element of the file without a group in this scenario: why it has no effect. */
static int unused_elem(struct weft_resolver *r, const struct weft_xml_elem *e, struct weft_err *err)
{
    if (strcmp(e->name, weft_families[WEFT_FAMILY_CC].element) == 0)
        return weft_scenario_warn(r->s, err,
                                  "%s:%" PRId64 ":%" PRId64
                                  ": <%s> has no effect: the backend '%s' does not use "
                                  "congestion control",
                                  r->s->file, e->line, e->col, e->name, r->s->backend->name);
    const struct weft_net_backend *b = backend_of_section(r, e->name);
    const char *owner = b ? b->name : "another";
    if (r->chosen_from[WEFT_FAMILY_NETWORK].kind == WEFT_ORIGIN_OVERRIDE)
        return weft_scenario_warn(r->s, err,
                                  "%s:%" PRId64 ":%" PRId64
                                  ": <%s> has no effect: it belongs to the backend '%s', not '%s'",
                                  r->s->file, e->line, e->col, e->name, owner, r->s->backend->name);
    return weft_err_at(
        err, WEFT_E_INPUT, r->s->file, e->line, e->col,
        "<%s> has no effect: it belongs to the backend '%s', and this scenario uses '%s'", e->name,
        owner, r->s->backend->name);
}

int weft_resolver_apply_file(struct weft_resolver *r, struct weft_err *err)
{
    struct weft_scenario *s = r->s;
    const char *slash = strrchr(s->file, '/');
    const char *dir = slash ? weft_arena_strndup(s->arena, s->file, (size_t)(slash - s->file)) : "";
    if (!dir)
        return weft_err_no_memory(err, "a scenario");
    if (slash == s->file)
        dir = "/.";
    for (const struct weft_xml_elem *e = r->root->children; e; e = e->next) {
        if (strcmp(e->name, "description") == 0)
            continue;
        if (strcmp(e->name, WEFT_SWEEP_ELEMENT) == 0) {
            if (weft_resolver_read_sweep(r, e, err))
                return err->code;
            continue;
        }
        struct weft_scenario_group *g = weft_resolver_group_of(r, e);
        int code;
        const struct weft_xml_attr *sel = g && g->selector ? weft_xml_get(e, g->selector) : NULL;
        if (!g) {
            code = unused_elem(r, e, err);
        } else if (sel && g->selected_from.kind == WEFT_ORIGIN_OVERRIDE &&
                   strcmp(sel->value, g->selected) != 0) {
            code = 0;
            if (e->attrs->next) /* it has more than the selector */
                code = weft_scenario_warn(
                    r->s, err,
                    "%s:%" PRId64 ":%" PRId64 ": the attributes of <%s %s=\"%s\"> have no effect: "
                    "an override selects '%s'",
                    s->file, e->line, e->col, e->name, g->selector, sel->value, g->selected);
        } else {
            code = apply_elem(r, e, g, dir, err);
        }
        if (code)
            return code;
    }
    return 0;
}
