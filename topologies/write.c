/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing fabrics: weft's XML (everything), HPCC text (nodes and links), Graphviz. The picture is
 * in svg.c.
 */
#include "topologies/write.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct weft_topology_writer writers[] = {
    {"xml", "weft's topology file", weft_fabric_write_xml},
    {"hpcc", "topology file of the HPCC simulator family", weft_fabric_write_hpcc},
    {"dot", "Graphviz", weft_fabric_write_dot},
    {"svg", "picture", weft_fabric_write_svg},
};

const struct weft_topology_writer *weft_topology_writers(size_t *n)
{
    *n = sizeof writers / sizeof writers[0];
    return writers;
}

static const char *truth(bool b)
{
    return b ? "true" : "false";
}

/* A setting of a dimension; their texts need no escapes (dim_settings.c). */
static void write_setting(void *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"%s\"", name, value);
}

int weft_fabric_write_xml(const struct weft_fabric *f, FILE *out, struct weft_err *err)
{
    static const char *const routings[] = {"shortest", "transit", "dimensions"};
    char rate[WEFT_UNIT_TEXT_MAX], delay[WEFT_UNIT_TEXT_MAX];
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<topology routing=\"%s\">\n",
            routings[f->routing]);
    for (uint32_t d = 0; d < f->ndims; d++) {
        const struct weft_fabric_dim *k = &f->dims[d];
        fprintf(out,
                "  <dimension kind=\"%s\" size=\"%u\" links=\"%u\" rate=\"%s\" delay=\"%s\" "
                "direct=\"%s\" relays=\"%s\" spans=\"%s\"",
                k->kind, k->size, k->links, weft_format_rate(k->rate_bps, rate),
                weft_format_time(k->delay_ps, delay), truth(k->direct), truth(k->relays),
                truth(k->spans));
        weft_dim_settings_each(&k->set, out, write_setting);
        fputs("/>\n", out);
    }
    for (uint32_t i = 0, n; i < f->nnodes; i += n) {
        const struct weft_fabric_node *x = &f->nodes[i];
        for (n = 1; i + n < f->nnodes && x[n].kind == x->kind && x[n].tier == x->tier; n++)
            ;
        fprintf(out, "  <nodes kind=\"%s\" tier=\"%u\" count=\"%u\"/>\n",
                x->kind == WEFT_NODE_HOST ? "host" : "switch", x->tier, n);
    }
    for (uint32_t i = 0; i < f->nlinks; i++) {
        const struct weft_fabric_link *l = &f->links[i];
        fprintf(out, "  <link a=\"%u\" b=\"%u\" rate=\"%s\" delay=\"%s\"", l->a, l->b,
                weft_format_rate(l->rate_bps, rate), weft_format_time(l->delay_ps, delay));
        if (l->error_rate > 0)
            fprintf(out, " error-rate=\"%.17g\"", l->error_rate);
        if (l->dim)
            fprintf(out, " dim=\"%u\"", l->dim);
        if (l->cost > 1)
            fprintf(out, " cost=\"%u\"", l->cost);
        if (l->order)
            fprintf(out, " order=\"%u\"", l->order);
        if (l->dateline)
            fputs(" dateline=\"true\"", out);
        fputs("/>\n", out);
    }
    fputs("</topology>\n", out);
    return 0;
}

/* HPCC's simulator has one link between two nodes. */
static int refuse_parallel_links(const struct weft_fabric *f, struct weft_err *err)
{
    char a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX];
    uint32_t *seen = calloc((size_t)f->nnodes + 1, sizeof *seen); /* neighbour -> node + 1 */
    int rc = seen ? 0 : weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u nodes", f->nnodes);
    for (uint32_t p = 0; p < f->nports && !rc; p++) {
        const uint32_t node = f->ports[p].node, next = f->ports[f->ports[p].peer].node;
        if (seen[next] == node + 1)
            rc = weft_err_set(err, WEFT_E_INPUT,
                              "an HPCC topology file has one link between two nodes, this fabric "
                              "has several between %s and %s; write xml",
                              weft_fabric_node_name(f, node, a), weft_fabric_node_name(f, next, b));
        seen[next] = node + 1;
    }
    free(seen);
    return rc;
}

int weft_fabric_write_hpcc(const struct weft_fabric *f, FILE *out, struct weft_err *err)
{
    for (uint32_t i = 0; i < f->nlinks; i++)
        if (f->links[i].cost > 1 || f->links[i].order || f->routing != WEFT_ROUTING_SHORTEST)
            return weft_err_set(err, WEFT_E_INPUT,
                                "an HPCC topology file cannot say how this fabric (%s) routes: it "
                                "knows shortest paths through switches only; write xml",
                                f->ndims == 1 ? f->dims[0].kind : "of several dimensions");
    const int rc = refuse_parallel_links(f, err);
    if (rc)
        return rc;
    fprintf(out, "%u %u %u\n", f->nnodes, f->nswitches, f->nlinks);
    for (uint32_t i = 0, n = 0; i < f->nnodes; i++)
        if (f->nodes[i].kind == WEFT_NODE_SWITCH)
            fprintf(out, "%s%u", n++ ? " " : "", i);
    fputc('\n', out);
    for (uint32_t i = 0; i < f->nlinks; i++) {
        const struct weft_fabric_link *l = &f->links[i];
        fprintf(out, "%u %u %" PRIu64 "bps %" PRId64 "ps %.17g\n", l->a, l->b, l->rate_bps,
                l->delay_ps, l->error_rate);
    }
    return 0;
}

int weft_fabric_write_dot(const struct weft_fabric *f, FILE *out, struct weft_err *err)
{
    static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                          "#8c564b", "#e377c2", "#7f7f7f", "#17becf"};
    char a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX], rate[WEFT_UNIT_TEXT_MAX];
    fputs("graph fabric {\n  rankdir=BT;\n  node [fontsize=10];\n", out);
    for (uint32_t i = 0; i < f->nnodes; i++)
        fprintf(out, "  %s [shape=%s];\n", weft_fabric_node_name(f, i, a),
                f->nodes[i].kind == WEFT_NODE_HOST ? "circle" : "box");
    for (uint32_t i = 0; i < f->nlinks; i++) {
        const struct weft_fabric_link *l = &f->links[i];
        fprintf(out, "  %s -- %s [tooltip=\"%s\", color=\"%s\"];\n",
                weft_fabric_node_name(f, l->a, a), weft_fabric_node_name(f, l->b, b),
                weft_format_rate(l->rate_bps, rate), colours[l->dim % 8]);
    }
    fputs("}\n", out);
    return 0;
}
