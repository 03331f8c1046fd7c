/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * multi: a fabric of several dimensions, each made by another generator, innermost first.
 *
 * `dimensions` is a list of generators with their parameters:
 *   switch size=8 rate=3600Gbps delay=250ns; rail-optimised rails=8 nodes=16 rate=400Gbps
 * In a scenario each may be an element of its own inside <topology type="multi">:
 *   <dimension type="switch" size="8" rate="3600Gbps" delay="250ns"/>
 */
#include "topologies/compose.h"

#include <stdlib.h>
#include <string.h>

struct params {
    const char *dimensions;
};

static const struct weft_param params[] = {
    {"dimensions", WEFT_PARAM_STRING, offsetof(struct params, dimensions),
     "switch size=4; ring size=4", NULL, NULL, NULL,
     "the dimensions, innermost first: TYPE PARAMETER=VALUE ...; TYPE ...", NULL},
};

/* The generators of the list, while the fabric is built. */
struct parts {
    char *text;
    void *params[WEFT_FABRIC_DIMS_MAX];
    uint32_t n;
};

static const struct weft_topology_ops *find(const char *name, struct weft_err *err)
{
    size_t n, k = 0;
    const struct weft_topology_ops *const *table = weft_topology_table(&n);
    const char *names[64];
    for (size_t i = 0; i < n && k < 64; i++) {
        if (!table[i]->dimensions)
            continue;
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
        names[k++] = table[i]->name;
    }
    const char *near = weft_nearest(name, names, k);
    if (near)
        weft_err_set(err, WEFT_E_INPUT, "'%.60s' cannot be a dimension; did you mean '%s'?", name,
                     near);
    else
        weft_err_set(err, WEFT_E_INPUT,
                     "'%.60s' cannot be a dimension; ring, torus, mesh, switch and others can",
                     name);
    return NULL;
}

#define SPACE " \t\r\n"

/* One generator: "TYPE NAME=VALUE ...". */
static int add(struct parts *parts, char *text, struct weft_dimensions *to, struct weft_err *err)
{
    char *rest = text, *type = strtok_r(rest, SPACE, &rest);
    if (!type)
        return weft_err_set(err, WEFT_E_INPUT,
                            "a dimension is empty; write 'TYPE PARAMETER=VALUE ...'");
    const struct weft_topology_ops *ops = find(type, err);
    if (!ops)
        return WEFT_E_INPUT;
    if (parts->n == WEFT_FABRIC_DIMS_MAX)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %u dimensions", WEFT_FABRIC_DIMS_MAX);
    void *p = parts->params[parts->n++] = calloc(1, ops->params.struct_size + 1);
    int rc = p ? weft_params_defaults(&ops->params, p, err)
               : weft_err_set(err, WEFT_E_LIMIT, "out of memory");
    for (char *word; !rc && (word = strtok_r(NULL, SPACE, &rest)) != NULL;) {
        char *eq = strchr(word, '=');
        if (!eq)
            return weft_err_set(err, WEFT_E_INPUT, "%s: '%.60s' must be PARAMETER=VALUE", ops->name,
                                word);
        *eq = 0;
        rc = weft_params_set(&ops->params, p, word, eq + 1, err);
        if (rc)
            weft_err_prepend(err, "%s", ops->name);
    }
    return rc ? rc : ops->dimensions(p, to, err);
}

static int build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_dimensions ds = {.n = 0};
    struct parts parts = {.text = strdup(p->dimensions)};
    *out = NULL;
    int rc = parts.text ? 0 : weft_err_set(err, WEFT_E_LIMIT, "out of memory");
    char *rest = parts.text;
    for (uint32_t i = 1; rest && !rc; i++) {
        char *one = strsep(&rest, ";");
        if (!rest && i > 1 && !one[strspn(one, SPACE)])
            break; /* behind the last semicolon */
        rc = add(&parts, one, &ds, err);
        if (rc)
            weft_err_prepend(err, "dimension %u", i);
    }
    if (!rc)
        rc = weft_compose(&ds, out, err);
    for (uint32_t i = 0; i < parts.n; i++)
        free(parts.params[i]);
    free(parts.text);
    return rc;
}

extern const struct weft_topology_ops weft_topology_multi;
const struct weft_topology_ops weft_topology_multi = {
    .name = "multi",
    .title = "a fabric of several dimensions, each made by another generator",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = build,
};
