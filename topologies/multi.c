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

#include <stdlib.h>
#include <string.h>

struct params {
    const char *dimensions;
};

static const struct weft_param params[] = {
    {"dimensions", WEFT_PARAM_STRING, offsetof(struct params, dimensions),
     "switch size=4; ring size=4", NULL, NULL, NULL,
     "the dimensions, innermost first: TYPE PARAMETER=VALUE ...; TYPE ...; each may also set mtu, "
     "buffer and congestion-control=NAME NAME.PARAMETER=VALUE for itself",
     NULL},
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
#define MAX_WORDS 96

/* Sets "NAME=VALUE" of a generator, or of the dimension. Parameters of its congestion control come
 * in a second pass, when the control is known. */
static int set(const struct weft_topology_ops *ops, void *params, struct weft_dim_settings *s,
               const char *word, bool second, struct weft_err *err)
{
    char name[64];
    const char *eq = strchr(word, '=');
    if (!eq || (size_t)(eq - word) >= sizeof name)
        return weft_err_set(err, WEFT_E_INPUT, "%s: '%.60s' must be PARAMETER=VALUE", ops->name,
                            word);
    memcpy(name, word, (size_t)(eq - word));
    name[eq - word] = '\0';
    if ((strchr(name, '.') != NULL) != second)
        return 0;
    int rc = weft_dim_settings_has(name) ? weft_dim_settings_set(s, name, eq + 1, err)
                                         : weft_params_set(&ops->params, params, name, eq + 1, err);
    return rc ? weft_err_prepend(err, "%s", ops->name) : 0;
}

/* One generator: "TYPE NAME=VALUE ...". */
static int add(struct parts *parts, char *text, struct weft_dimensions *to, struct weft_err *err)
{
    char *rest = text, *type = strtok_r(rest, SPACE, &rest);
    char *words[MAX_WORDS];
    size_t n = 0;
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
    while (!rc && n < MAX_WORDS && (words[n] = strtok_r(NULL, SPACE, &rest)) != NULL)
        n++;
    if (!rc && n == MAX_WORDS)
        rc = weft_err_set(err, WEFT_E_LIMIT, "%s: more than %d parameters", ops->name,
                          MAX_WORDS - 1);
    struct weft_dim_settings own = {0};
    for (size_t i = 0; i < 2 * n && !rc; i++)
        rc = set(ops, p, &own, words[i % n], i >= n, err);
    const uint32_t first = to->n;
    if (!rc)
        rc = ops->dimensions(p, to, err);
    for (uint32_t d = first; d < to->n && !rc; d++)
        to->list[d].about.set = own;
    return rc;
}

/* Reads the whole list. @p parts is to be closed in any case. */
static int read_list(const struct params *p, struct parts *parts, struct weft_dimensions *ds,
                     struct weft_err *err)
{
    *ds = (struct weft_dimensions){.n = 0};
    *parts = (struct parts){.text = strdup(p->dimensions)};
    int rc = parts->text ? 0 : weft_err_set(err, WEFT_E_LIMIT, "out of memory");
    char *rest = parts->text;
    for (uint32_t i = 1; rest && !rc; i++) {
        char *one = strsep(&rest, ";");
        if (!rest && i > 1 && !one[strspn(one, SPACE)])
            break; /* behind the last semicolon */
        rc = add(parts, one, ds, err);
        if (rc)
            weft_err_prepend(err, "dimension %u", i);
    }
    return rc;
}

static void close_parts(struct parts *parts)
{
    for (uint32_t i = 0; i < parts->n; i++)
        free(parts->params[i]);
    free(parts->text);
}

static int build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    struct weft_dimensions ds;
    struct parts parts;
    *out = NULL;
    int rc = read_list(raw, &parts, &ds, err);
    if (!rc)
        rc = weft_compose(&ds, out, err);
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

extern const struct weft_topology_ops weft_topology_multi;
const struct weft_topology_ops weft_topology_multi = {
    .name = "multi",
    .title = "a fabric of several dimensions, each made by another generator",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = build,
    .settings = settings,
};
