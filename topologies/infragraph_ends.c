/* SPDX-License-Identifier: GPL-2.0-only */
/* What the ends of InfraGraph's edges name: components with indices and slices, in nested devices.
 */
#include "topologies/infragraph_reader.h"

#include "base/grow.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

int infra_push(struct infra_reader *r, struct infra_list *l, uint32_t id)
{
    if (!WEFT_GROW(l->id, l->n, &l->cap))
        return weft_err_no_memory(r->err, "a topology");
    l->id[l->n++] = id;
    return 0;
}

/* "name", "name[3]", "name[a:b]", "name[a:b:step]", "name[:]": from, to (exclusive) and step. */
int infra_slice(struct infra_reader *r, const struct weft_tree *t, const char *text, size_t len,
                uint32_t n, uint32_t out[3])
{
    unsigned long v[3] = {0, n, 1};
    const char *p = memchr(text, '[', len), *end = text + len;
    out[0] = 0;
    out[1] = n;
    out[2] = 1;
    if (!p)
        return 0;
    int k = 0;
    bool given = false, colon = false;
    for (p++; p < end && *p != ']'; p++) {
        if (isdigit((unsigned char)*p)) {
            v[k] = given ? v[k] * 10 + (unsigned long)(*p - '0') : (unsigned long)(*p - '0');
            given = true;
            if (v[k] > WEFT_INFRA_VERTICES_MAX)
                break;
        } else if (*p == ':' && k < 2) {
            colon = true;
            given = false;
            k++;
        } else if (*p != ' ') {
            return infra_fail(
                r, t, "'%.60s': an index is [i], [a:b], [a:b:step] or [:], without signs", text);
        }
    }
    if (p >= end || *p != ']')
        return infra_fail(r, t, "'%.60s': a ] is missing, or a number is too large", text);
    if (!colon && !given)
        return infra_fail(r, t, "'%.60s': an index is missing", text);
    if (!colon)
        v[1] = v[0] + 1;
    if (v[0] >= n || v[1] > n || v[1] <= v[0] || v[2] == 0)
        return infra_fail(r, t, "'%.60s' is out of range: there are %" PRIu32 ", numbered from 0",
                          text, n);
    for (k = 0; k < 3; k++)
        out[k] = (uint32_t)v[k];
    return 0;
}

/* Adds what `path` names in a box: vertices, or with `boxes` the boxes of nested devices. */
static int infragraph_ends_reach(struct infra_reader *r, uint32_t box, const struct weft_tree *t,
                                 const char *path, bool boxes, struct infra_list *out)
{
    const size_t len = strcspn(path, ".");
    const size_t name = strcspn(path, "[.");
    const struct infra_box *b = &r->boxes[box];
    uint32_t k = 0, at[3];
    while (k < b->nparts &&
           (strlen(b->parts[k].name) != name || strncmp(b->parts[k].name, path, name) != 0))
        k++;
    if (k == b->nparts)
        return infra_fail(r, t, "device '%.60s' has no component '%.*s'",
                          weft_tree_text(b->device, "name", ""), (int)(name < 60 ? name : 60),
                          path);
    const struct infra_part part = b->parts[k];
    const bool nested = strcmp(weft_tree_text(part.at, "choice", ""), "device") == 0;
    int rc = infra_slice(r, t, path, len, part.n, at);
    if (!rc && nested != (path[len] == '.' || boxes))
        return nested ? infra_fail(r, t, "'%.60s' is a device: name the component in it", path)
                      : infra_fail(r, t, "'%.60s' is a component, with nothing in it", path);
    for (uint32_t i = at[0]; !rc && i < at[1]; i += at[2]) {
        const uint32_t id = r->members.id[part.first + i];
        rc = path[len] == '.' ? infragraph_ends_reach(r, id, t, path + len + 1, boxes, out)
                              : infra_push(r, out, id);
    }
    return rc;
}

int infra_end_of(struct infra_reader *r, const struct weft_tree *ep, const struct infra_list *boxes,
                 struct infra_list *out)
{
    const struct weft_tree *c = weft_tree_get(ep, "component"), *d = weft_tree_get(ep, "device");
    struct infra_list inner = {0};
    int rc = 0;
    if (ep && ep->kind == WEFT_TREE_VALUE)
        return infra_fail(r, ep,
                          "this is InfraGraph before version 2 (an end is a text); convert it with "
                          "Keysight's tools");
    if (!c || c->kind != WEFT_TREE_VALUE || !*c->text)
        return infra_fail(r, ep, "an end of an edge names no component");
    for (uint32_t i = 0; !rc && d && d->kind == WEFT_TREE_VALUE && *d->text && i < boxes->n; i++)
        rc = infragraph_ends_reach(r, boxes->id[i], d, d->text, true, &inner);
    const struct infra_list *in = d && *d->text ? &inner : boxes;
    for (uint32_t i = 0; !rc && i < in->n; i++)
        rc = infragraph_ends_reach(r, in->id[i], c, c->text, false, out);
    free(inner.id);
    return rc;
}
