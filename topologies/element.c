/* SPDX-License-Identifier: GPL-2.0-only */
/* Topologies as XML elements; see element.h. */
#include "topologies/element.h"

#include <string.h>

static bool element_add(struct weft_text *list, const char *text)
{
    return weft_text_add(list, text, strlen(text)) == 0;
}

/* Appends " NAME=VALUE" without the white space in the value. */
static bool add_attr(struct weft_text *list, const struct weft_xml_attr *at)
{
    bool ok = element_add(list, " ") && element_add(list, at->name) && element_add(list, "=");
    for (const char *c = at->value; *c && ok;) {
        const size_t n = strcspn(c, " \t\r\n");
        ok = weft_text_add(list, c, n) == 0;
        c += n + strspn(c + n, " \t\r\n");
    }
    return ok;
}

/* Appends one item to @p list; @p typed: its attribute 'type' names it, else the element's name. */
static int element_append(const struct weft_xml_elem *item, bool typed, const char *file,
                          struct weft_text *list, struct weft_err *err)
{
    const struct weft_xml_attr *type = typed ? weft_xml_get(item, "type") : NULL;
    if (typed && !type)
        return weft_err_at(err, WEFT_E_INPUT, file, item->line, item->col,
                           "<%s> needs the attribute 'type'", item->name);
    if (item->children || item->text[0])
        return weft_err_at(err, WEFT_E_INPUT, file, item->line, item->col,
                           "<%s> takes attributes only", item->name);
    bool ok = (list->len == 0 || element_add(list, "; ")) &&
              element_add(list, type ? type->value : item->name);
    for (const struct weft_xml_attr *at = item->attrs; at && ok; at = at->next) {
        if (at == type)
            continue;
        if (strpbrk(at->value, ";="))
            return weft_err_at(err, WEFT_E_INPUT, file, at->line, at->col,
                               "'%s' must not contain ';' or '='", at->name);
        ok = add_attr(list, at);
    }
    return ok ? 0 : weft_err_no_memory(err, "a topology");
}

const char *weft_element_list(const struct weft_xml_elem *first, const char *name, const char *file,
                              struct weft_arena *a, struct weft_err *err)
{
    struct weft_text list = {.arena = a};
    for (const struct weft_xml_elem *c = first; c; c = c->next) {
        if (name && strcmp(c->name, name) != 0) {
            weft_err_at(err, WEFT_E_INPUT, file, c->line, c->col, "<%s> where <%s> is expected",
                        c->name, name);
            return NULL;
        }
        if (element_append(c, name != NULL, file, &list, err))
            return NULL;
    }
    return list.s ? list.s : "";
}

/* Sets the parameters that attributes and children give. */
static int element_fill(const struct weft_xml_elem *e, const struct weft_topology_ops *ops,
                        void *params, const char *file, struct weft_arena *a, struct weft_err *err)
{
    for (const struct weft_xml_attr *at = e->attrs; at; at = at->next) {
        if (strcmp(at->name, "type") == 0)
            continue;
        if (weft_params_set(&ops->params, params, at->name, at->value, err))
            return weft_err_locate(err, file, at->line, at->col);
    }
    if (!e->children)
        return 0;
    if (!weft_params_find(&ops->params, "dimensions") || weft_xml_get(e, "dimensions") ||
        strcmp(e->children->name, "dimension") != 0)
        return weft_err_at(err, WEFT_E_INPUT, file, e->children->line, e->children->col,
                           "<%s> inside <%s type=\"%s\">; only type multi without the attribute "
                           "'dimensions' holds <dimension> elements",
                           e->children->name, e->name, ops->name);
    const char *list = weft_element_list(e->children, "dimension", file, a, err);
    if (!list)
        return err ? err->code : WEFT_E_INPUT;
    return weft_params_set(&ops->params, params, "dimensions", list, err);
}

/* Whether a topology cannot be built from defaults: it needs a file's name. */
static int reads_files(const struct weft_topology_ops *ops)
{
    for (size_t i = 0; i < ops->params.n; i++)
        if (!ops->params.params[i].def)
            return 1;
    return 0;
}

int weft_element_build(const struct weft_xml_elem *e, const char *file, struct weft_arena *a,
                       struct weft_fabric **out, struct weft_err *err)
{
    const struct weft_xml_attr *type = weft_xml_get(e, "type");
    *out = NULL;
    if (!type)
        return weft_err_at(err, WEFT_E_INPUT, file, e->line, e->col,
                           "<%s> needs the attribute 'type'", e->name);
    const struct weft_topology_ops *ops = weft_topology_find(type->value, err);
    if (!ops)
        return weft_err_locate(err, file, type->line, type->col);
    if (reads_files(ops))
        return weft_err_at(err, WEFT_E_INPUT, file, type->line, type->col,
                           "a topology file cannot refer to another (type '%s')", ops->name);
    void *params = weft_arena_calloc(a, 1, ops->params.struct_size + 1);
    if (!params)
        return weft_err_no_memory(err, "a topology");
    int rc = weft_params_defaults(&ops->params, params, err);
    if (!rc)
        rc = element_fill(e, ops, params, file, a, err);
    if (!rc)
        rc = weft_topology_build(ops, params, out, err);
    if (rc)
        weft_err_locate(err, file, e->line, e->col);
    return rc;
}
