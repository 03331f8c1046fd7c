/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * multi: a fabric of several dimensions, each made by another generator, innermost first.
 *
 * `dimensions` is a list of generators with their parameters:
 *   switch size=8 rate=3600Gbps delay=250ns; rail-optimised rails=8 nodes=16 rate=400Gbps
 * In a scenario each may be an element of its own inside <topology type="multi">:
 *   <dimension type="switch" size="8" rate="3600Gbps" delay="250ns"/>
 * What a dimension may set besides its generator's parameters is in dim_settings.h; a generator of
 * several dimensions (a torus) gives it to all of them.
 */
#include "topologies/compose.h"

#include "base/items.h"

#include <stdlib.h>
#include <string.h>

struct params {
    const char *dimensions;
    bool hosts_forward;
};

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct params, dimensions, "dimensions", "switch size=4; ring size=4"),
     .help = "the dimensions, innermost first: TYPE PARAMETER=VALUE ...; TYPE ...; each may also "
             "set mtu, buffer and congestion-control=NAME NAME.PARAMETER=VALUE for itself"},
    WEFT_HOSTS_FORWARD_PARAM(struct params),
};

#define LATER_MAX 96

/* The generators of the list, while the fabric is built. */
struct parts {
    char *text;
    void *params[WEFT_FABRIC_DIMS_MAX];
    uint32_t n;
    struct weft_dimensions *to;
    /* of the last one */
    const struct weft_topology_ops *ops;
    struct weft_dim_settings own;
    struct {
        const char *name, *value;
    } later[LATER_MAX];
    size_t nlater;
};

static const struct weft_topology_ops *multi_find(const char *name, struct weft_err *err)
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
    weft_err_set(err, WEFT_E_INPUT, "'%.60s' cannot be a dimension%s", name,
                 WEFT_MEANT(name, names, k, "; ring, torus, mesh, switch and others can"));
    return NULL;
}

static int multi_begin(void *ctx, const char *type, struct weft_err *err)
{
    struct parts *parts = ctx;
    parts->ops = multi_find(type, err);
    if (!parts->ops)
        return WEFT_E_INPUT;
    if (parts->n == WEFT_FABRIC_DIMS_MAX)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %u dimensions", WEFT_FABRIC_DIMS_MAX);
    void *p = parts->params[parts->n++] = calloc(1, parts->ops->params.struct_size + 1);
    parts->own = (struct weft_dim_settings){0};
    parts->nlater = 0;
    return p ? weft_params_defaults(&parts->ops->params, p, err)
             : weft_err_no_memory(err, "a topology");
}

static int set_now(struct parts *parts, const char *name, const char *value, struct weft_err *err)
{
    if (weft_dim_settings_has(name))
        return weft_dim_settings_set(&parts->own, name, value, err);
    return weft_params_set(&parts->ops->params, parts->params[parts->n - 1], name, value, err);
}

/* A parameter of the generator, or of the dimension. Those of its congestion control wait until the
 * control is known. */
static int multi_set(void *ctx, const char *name, const char *value, struct weft_err *err)
{
    struct parts *parts = ctx;
    if (strchr(name, '.')) {
        if (parts->nlater == LATER_MAX)
            return weft_err_set(err, WEFT_E_LIMIT, "more than %d parameters", LATER_MAX);
        parts->later[parts->nlater].name = name;
        parts->later[parts->nlater++].value = value;
        return 0;
    }
    return set_now(parts, name, value, err);
}

static int multi_end(void *ctx, struct weft_err *err)
{
    struct parts *parts = ctx;
    struct weft_dimensions *to = parts->to;
    const uint32_t first = to->n;
    int rc = 0;
    for (size_t i = 0; i < parts->nlater && !rc; i++)
        rc = set_now(parts, parts->later[i].name, parts->later[i].value, err);
    if (!rc)
        rc = parts->ops->dimensions(parts->params[parts->n - 1], to, err);
    for (uint32_t d = first; d < to->n && !rc; d++)
        to->list[d].about.set = parts->own;
    return rc;
}

/* Reads the whole list. @p parts is to be closed in any case. */
static int read_list(const struct params *p, struct parts *parts, struct weft_dimensions *ds,
                     struct weft_err *err)
{
    const struct weft_items_reader reader = {parts, "dimension", multi_begin, multi_set, multi_end};
    *ds = (struct weft_dimensions){.n = 0};
    *parts = (struct parts){.text = strdup(p->dimensions), .to = ds};
    return parts->text ? weft_items_read(parts->text, &reader, err)
                       : weft_err_no_memory(err, "a topology");
}

static void close_parts(struct parts *parts)
{
    for (uint32_t i = 0; i < parts->n; i++)
        free(parts->params[i]);
    free(parts->text);
}

static int multi_build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    struct weft_dimensions ds;
    struct parts parts;
    *out = NULL;
    int rc = read_list(raw, &parts, &ds, err);
    if (!rc)
        rc = weft_compose(&ds, out, err);
    if (!rc && ((const struct params *)raw)->hosts_forward &&
        (rc = weft_fabric_let_hosts_forward(*out, err))) {
        weft_fabric_free(*out);
        *out = NULL;
    }
    close_parts(&parts);
    return rc;
}

static int settings(const void *raw, struct weft_dim_settings list[WEFT_FABRIC_DIMS_MAX],
                    uint32_t *n, struct weft_err *err)
{
    struct weft_dimensions ds;
    struct parts parts;
    int rc = read_list(raw, &parts, &ds, err);
    *n = rc ? 0 : ds.n;
    for (uint32_t d = 0; d < *n; d++)
        list[d] = ds.list[d].about.set;
    close_parts(&parts);
    return rc;
}

const struct weft_topology_ops weft_topology_multi = {
    .name = "multi",
    .title = "a fabric of several dimensions, each made by another generator",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = multi_build,
    .settings = settings,
};
