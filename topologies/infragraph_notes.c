/* SPDX-License-Identifier: GPL-2.0-only */
/* InfraGraph's annotations: roles of devices, ranks, and figures of links, which count over those
 * of the document. */
#include "topologies/infragraph.h"

#include <stdlib.h>
#include <string.h>

static bool below(const char *name, const char *prefix)
{
    const size_t n = strlen(prefix);
    return strncmp(name, prefix, n) == 0 && (name[n] == '\0' || name[n] == '.');
}

static int annotate_node(struct weft_infra *g, const struct weft_tree *node, const char *what,
                         const struct weft_tree *value, struct weft_err *err)
{
    const char *name = weft_tree_text(node, "name", "");
    char *end;
    if (strcmp(what, "device_type") == 0) {
        const int role = strcmp(value->text, "host") == 0;
        if (!role && strcmp(value->text, "switch") != 0)
            return weft_tree_err(value, g->file, err,
                                 "device_type is '%.40s'; there are host and switch", value->text);
        for (uint32_t i = 0; i < g->nboxes; i++)
            if (below(g->boxes[i].name, name) || strcmp(g->boxes[i].device, name) == 0)
                g->boxes[i].role = role;
    } else if (strcmp(what, "rank") == 0) {
        const unsigned long v = strtoul(value->text, &end, 10);
        if (end == value->text || *end || v >= WEFT_INFRA_VERTICES_MAX)
            return weft_tree_err(value, g->file, err, "rank is '%.40s', not a number", value->text);
        for (uint32_t i = 0; i < g->nv; i++)
            if (g->v[i].kind == WEFT_INFRA_XPU && below(g->v[i].name, name)) {
                if (g->v[i].rank != WEFT_INFRA_NONE && strcmp(g->v[i].name, name) != 0)
                    continue;
                g->v[i].rank = (uint32_t)v;
            }
    }
    return 0;
}

static int annotate_link(struct weft_infra *g, const struct weft_tree *link, const char *what,
                         const struct weft_tree *value, struct weft_err *err)
{
    const char *name = weft_tree_text(link, "name", "");
    char *end;
    const double v = strtod(value->text, &end);
    const bool rate = strcmp(what, "link_bandwidth_gbps") == 0;
    const bool delay = strcmp(what, "link_latency_ms") == 0;
    const bool loss = strcmp(what, "packet_loss_rate") == 0;
    if (!rate && !delay && !loss)
        return 0;
    if (end == value->text || *end || !(v >= 0 && v < 1e9) || (loss && v > 1) || (rate && v <= 0))
        return weft_tree_err(value, g->file, err, "%s is '%.40s', which cannot be", what,
                             value->text);
    for (uint32_t i = 0; i < g->nlinks; i++)
        if (strcmp(g->links[i].name, name) == 0) {
            g->links[i].bps = rate ? v * 1e9 : g->links[i].bps;
            g->links[i].ps = delay ? v * 1e9 : g->links[i].ps;
            g->links[i].loss = loss ? v : g->links[i].loss;
        }
    return 0;
}

int weft_infra_annotate(struct weft_infra *g, const struct weft_tree *notes, struct weft_err *err)
{
    static const char *const lists[] = {"nodes", "links"};
    int rc = 0;
    for (int k = 0; k < 2; k++) {
        const struct weft_tree *list = weft_tree_get(notes, lists[k]);
        for (const struct weft_tree *t = list ? list->first : NULL; !rc && t; t = t->next) {
            const struct weft_tree *of = weft_tree_get(t, "attributes");
            for (const struct weft_tree *a = of ? of->first : NULL; !rc && a; a = a->next) {
                const struct weft_tree *value = weft_tree_get(a, "value");
                const char *what = weft_tree_text(a, "attribute", "");
                if (value && value->kind == WEFT_TREE_VALUE)
                    rc = k ? annotate_link(g, t, what, value, err)
                           : annotate_node(g, t, what, value, err);
            }
        }
    }
    return rc;
}
