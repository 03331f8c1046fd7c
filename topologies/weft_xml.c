/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xml: weft's own topology files (topology.rng), and preset: those of topologies/presets. Two
 * forms:
 *
 *   <topology type="multi"> <dimension type="switch" size="8"/> ... </topology>
 * a generator with its parameters, as in a scenario;
 *
 *   <topology routing="shortest">
 *     <dimension kind="leaf-spine" size="16" links="1" rate="100Gbps" delay="1us" spans="true"/>
 *     <nodes kind="host" count="16"/> <nodes kind="switch" tier="1" count="4"/> ...
 *     <link a="0" b="16" rate="100Gbps" delay="1us"/> ...
 *   </topology>
 * every node and link; ids count nodes in the order of the file. weft_fabric_write_xml writes it.
 */
#include "base/file.h"
#include "topologies/compose.h"
#include "topologies/element.h"
#include "topologies/presets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (64u << 20)

struct params {
    const char *file;
};

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct params, file, "file", NULL),
     .help = "path of a file <topology> with <nodes kind=\"host\" count=\"2\"/> and <nodes "
             "kind=\"switch\"/>, whose ids count from 0 in this order, and with <link a=\"0\" "
             "b=\"2\" rate=\"100Gbps\" delay=\"1us\"/>; links of the same nodes are parallel; "
             "`weft topology convert` writes any fabric so"},
};

struct preset_params {
    const char *name;
    bool hosts_forward;
};

static const struct weft_param preset_params[] = {
    {WEFT_ROW_STRING(struct preset_params, name, "name", NULL),
     .help = "one of the topologies that come with weft: weft topology presets"},
    WEFT_HOSTS_FORWARD_PARAM(struct preset_params),
};

static const char *const routings[] = {"shortest", "transit", "dimensions"};

/* A node run, a link and a dimension as the parameter tables read them. */
struct nodes {
    int kind;
    uint64_t tier, count;
};
static const struct weft_param nodes_params[] = {
    {WEFT_ROW_ENUM(struct nodes, kind, "kind", NULL, "host|switch"), .help = "kind of nodes"},
    {WEFT_ROW_U64(struct nodes, tier, "tier", "0", "0", "255"), .help = "0: hosts"},
    {WEFT_ROW_U64(struct nodes, count, "count", "1", "1", "4194304"), .help = "how many"},
};
static const struct weft_param_table nodes_table = WEFT_PARAM_TABLE(nodes_params, struct nodes);

struct link {
    uint64_t a, b, dim, cost, order, rate_bps;
    int64_t delay_ps;
    double error_rate;
    bool dateline;
};
static const struct weft_param link_params[] = {
    {WEFT_ROW_U64(struct link, a, "a", NULL, "0", "4294967294"), .help = "node"},
    {WEFT_ROW_U64(struct link, b, "b", NULL, "0", "4294967294"), .help = "node"},
    {WEFT_ROW_RATE(struct link, rate_bps, "rate", NULL, "1bps", NULL), .help = "of each direction"},
    {WEFT_ROW_TIME(struct link, delay_ps, "delay", NULL, "0ps", NULL), .help = "propagation"},
    {WEFT_ROW_F64(struct link, error_rate, "error-rate", "0", "0", "1"),
     .help = "probability that a packet is lost"},
    {WEFT_ROW_U64(struct link, dim, "dim", "0", "0", "15"), .help = "its dimension"},
    {WEFT_ROW_U64(struct link, cost, "cost", "1", "1", "1000"),
     .help = "for routing by shortest paths"},
    {WEFT_ROW_U64(struct link, order, "order", "0", "0", "255"),
     .help = "lower ones first among equal costs"},
    {WEFT_ROW_BOOL(struct link, dateline, "dateline", "false"),
     .help = "packets change virtual channel behind it"},
};
static const struct weft_param_table link_table = WEFT_PARAM_TABLE(link_params, struct link);

struct dim {
    const char *kind;
    uint64_t size, links, rate_bps;
    int64_t delay_ps;
    bool direct, relays, spans;
    const char *control;
    struct weft_dim_settings set;
};
static const struct weft_param dim_params[] = {
    {WEFT_ROW_STRING(struct dim, kind, "kind", NULL), .help = "generator"},
    {WEFT_ROW_U64(struct dim, size, "size", NULL, "1", "4294967295"), .help = "NPUs along it"},
    {WEFT_ROW_U64(struct dim, links, "links", "1", "0", "65536"), .help = "links of one NPU"},
    {WEFT_ROW_RATE(struct dim, rate_bps, "rate", "0", NULL, NULL), .help = "of one of them"},
    {WEFT_ROW_TIME(struct dim, delay_ps, "delay", "0ps", "0ps", NULL), .help = "of one of them"},
    {WEFT_ROW_BOOL(struct dim, direct, "direct", "false"), .help = "NPUs are linked to NPUs"},
    {WEFT_ROW_BOOL(struct dim, relays, "relays", "false"), .help = "NPUs forward within it"},
    {WEFT_ROW_BOOL(struct dim, spans, "spans", "false"),
     .help = "one network joins the NPUs of all inner dimensions too"},
    {WEFT_ROW_STRING(struct dim, control, "congestion-control", ""),
     .help = "its own: NAME PARAMETER=VALUE ..."},
    WEFT_DIM_SETTINGS_PARAMS(struct dim),
};
static const struct weft_param_table dim_table = WEFT_PARAM_TABLE(dim_params, struct dim);

/* Fills a struct from the attributes of an element; those without a default must be there. */
static int attributes(const struct weft_xml_elem *e, const struct weft_param_table *t, void *to,
                      const char *file, struct weft_err *err)
{
    int rc = weft_params_defaults(t, to, err);
    for (const struct weft_xml_attr *a = e->attrs; a && !rc; a = a->next) {
        rc = weft_params_set(t, to, a->name, a->value, err);
        if (rc) {
            weft_err_prepend(err, "<%s>", e->name);
            weft_err_locate(err, file, a->line, a->col);
        }
    }
    for (size_t i = 0; i < t->n && !rc; i++)
        if (!t->params[i].def && !weft_xml_get(e, t->params[i].name))
            rc = weft_err_at(err, WEFT_E_INPUT, file, e->line, e->col,
                             "<%s>: '%s' must be given (%s)", e->name, t->params[i].name,
                             t->params[i].help);
    if (!rc && (e->children || e->text[0]))
        rc = weft_err_at(err, WEFT_E_INPUT, file, e->line, e->col, "<%s> takes attributes only",
                         e->name);
    return rc;
}

/* The generator's own text for a kind: fabrics keep no copies. */
static const char *weft_xml_kind_of(const char *name)
{
    size_t n;
    const struct weft_topology_ops *const *table = weft_topology_table(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i]->name;
    return "irregular";
}

/* What is being read. */
struct source {
    const char *file;
    size_t bytes;
};

static int add_dim(struct weft_fabric *f, const struct weft_xml_elem *e, const struct source *s,
                   struct weft_err *err)
{
    const char *file = s->file;
    struct dim d;
    int rc = attributes(e, &dim_table, &d, file, err);
    if (!rc && (rc = weft_dim_settings_control(&d.set, d.control, err)))
        weft_err_locate(err, file, e->line, e->col);
    if (rc)
        return rc;
    if (f->ndims == WEFT_FABRIC_DIMS_MAX)
        return weft_err_at(err, WEFT_E_LIMIT, file, e->line, e->col, "more than %u dimensions",
                           WEFT_FABRIC_DIMS_MAX);
    f->dims[f->ndims++] = (struct weft_fabric_dim){.kind = weft_xml_kind_of(d.kind),
                                                   .size = (uint32_t)d.size,
                                                   .links = (uint32_t)d.links,
                                                   .rate_bps = d.rate_bps,
                                                   .delay_ps = d.delay_ps,
                                                   .direct = d.direct,
                                                   .relays = d.relays,
                                                   .spans = d.spans,
                                                   .set = d.set};
    return 0;
}

static int add_nodes(struct weft_fabric *f, const struct weft_xml_elem *e, const struct source *s,
                     struct weft_err *err)
{
    const char *file = s->file;
    struct nodes n;
    int rc = attributes(e, &nodes_table, &n, file, err);
    if (!rc && n.kind == WEFT_NODE_HOST && n.tier)
        rc = weft_err_at(err, WEFT_E_INPUT, file, e->line, e->col, "hosts are of tier 0");
    /* Each node needs a link, and each link an element. */
    if (!rc && n.count + f->nnodes > s->bytes)
        rc = weft_err_at(err, WEFT_E_INPUT, file, e->line, e->col,
                         "%" PRIu64 " nodes are more than a file of %zu bytes can link",
                         (n.count + f->nnodes), s->bytes);
    for (uint64_t i = 0; i < n.count && !rc; i++)
        rc = weft_fabric_add_node(f, (enum weft_node_kind)n.kind, (uint32_t)n.tier, NULL, err);
    return rc;
}

static int add_link(struct weft_fabric *f, const struct weft_xml_elem *e, const struct source *s,
                    struct weft_err *err)
{
    const char *file = s->file;
    struct link l;
    int rc = attributes(e, &link_table, &l, file, err);
    if (rc)
        return rc;
    struct weft_fabric_link link = {.a = (uint32_t)l.a,
                                    .b = (uint32_t)l.b,
                                    .rate_bps = l.rate_bps,
                                    .delay_ps = l.delay_ps,
                                    .error_rate = l.error_rate,
                                    .dim = (uint32_t)l.dim,
                                    .cost = l.cost > 1 ? (uint32_t)l.cost : 0,
                                    .order = (uint8_t)l.order,
                                    .dateline = l.dateline};
    if (weft_fabric_add_link(f, &link, NULL, err))
        return weft_err_locate(err, file, e->line, e->col);
    return 0;
}

/* The form that lists nodes and links. */
static int build_graph(const struct weft_xml_elem *root, const struct source *s,
                       struct weft_fabric *f, struct weft_err *err)
{
    const char *file = s->file;
    static const char *const names[] = {"dimension", "nodes", "link"};
    static int (*const add[])(struct weft_fabric *, const struct weft_xml_elem *,
                              const struct source *,
                              struct weft_err *) = {add_dim, add_nodes, add_link};
    int rc = 0;
    for (const struct weft_xml_attr *a = root->attrs; a; a = a->next) {
        uint32_t i = 0;
        while (i < 3 && strcmp(a->value, routings[i]) != 0)
            i++;
        if (strcmp(a->name, "routing") != 0 || i == 3)
            return weft_err_at(err, WEFT_E_INPUT, file, a->line, a->col,
                               "<topology> has the attribute 'type' with a generator's name, or "
                               "'routing' with shortest, transit or dimensions, not %s=\"%.40s\"",
                               a->name, a->value);
        f->routing = (enum weft_fabric_routing)i;
    }
    for (const struct weft_xml_elem *e = root->children; e && !rc; e = e->next) {
        uint32_t i = 0;
        while (i < 3 && strcmp(e->name, names[i]) != 0)
            i++;
        if (i == 3)
            return weft_err_at(
                err, WEFT_E_INPUT, file, e->line, e->col, "unknown element <%s> in <topology>%s",
                e->name, WEFT_MEANT(e->name, names, 3, "; there are dimension, nodes and link"));
        rc = add[i](f, e, s, err);
    }
    if (!rc && (rc = weft_fabric_finish(f, err)))
        weft_err_locate(err, file, root->line, root->col);
    return rc;
}

static int build_root(const struct weft_xml_elem *root, const struct source *s,
                      struct weft_arena *a, struct weft_fabric **out, struct weft_err *err)
{
    const char *file = s->file;
    if (strcmp(root->name, "topology") != 0)
        return weft_err_at(err, WEFT_E_INPUT, file, root->line, root->col,
                           "the root element must be <topology>, not <%s>", root->name);
    if (weft_xml_get(root, "type"))
        return weft_element_build(root, file, a, out, err);
    struct weft_fabric *f = weft_fabric_new();
    int rc = f ? build_graph(root, s, f, err) : weft_err_no_memory(err, "a fabric");
    if (rc)
        weft_fabric_free(f);
    else
        *out = f;
    return rc;
}

static int read_file(const char *file, struct weft_fabric **out, struct weft_err *err)
{
    char *text = NULL;
    size_t len = 0;
    struct weft_xml_elem *root = NULL;
    struct weft_arena *a = weft_arena_new();
    int rc = a ? weft_file_read(file, FILE_MAX, &text, &len, err)
               : weft_err_no_memory(err, "a topology");
    if (!rc)
        rc = weft_xml_parse(text, len, file, a, &root, err);
    if (!rc)
        rc = build_root(root, &(struct source){file, len}, a, out, err);
    free(text);
    weft_arena_free(a);
    return rc;
}

static int weft_xml_build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_err local = {0};
    *out = NULL;
    if (!p->file || !p->file[0])
        return weft_err_set(err, WEFT_E_INPUT, "xml: 'file' must be given");
    return read_file(p->file, out, err ? err : &local);
}

static int build_preset(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    const struct preset_params *p = raw;
    char path[WEFT_PATH_MAX];
    struct weft_err local = {0};
    *out = NULL;
    err = err ? err : &local;
    if (!p->name || !p->name[0])
        return weft_err_set(err, WEFT_E_INPUT, "preset: 'name' must be given");
    int rc = weft_preset_path(p->name, path, err);
    if (!rc)
        rc = read_file(path, out, err);
    if (!rc && p->hosts_forward && (rc = weft_fabric_let_hosts_forward(*out, err))) {
        weft_fabric_free(*out);
        *out = NULL;
    }
    return rc;
}

extern const struct weft_topology_ops weft_topology_weft_xml, weft_topology_preset;
const struct weft_topology_ops weft_topology_weft_xml = {
    .name = "xml",
    .title = "a topology file of weft",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = weft_xml_build,
};
const struct weft_topology_ops weft_topology_preset = {
    .name = "preset",
    .title = "one of the topologies that come with weft",
    .params = WEFT_PARAM_TABLE(preset_params, struct preset_params),
    .build = build_preset,
};
