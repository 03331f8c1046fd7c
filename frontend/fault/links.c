/* SPDX-License-Identifier: GPL-2.0-only */
/* From names to links; the forms are in fault.h. */
#include "base/list.h"
#include "fault/edges.h"
#include "fault/fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that a message lists. */
#define MOST_NAMED 8u

/* A whole number below @p below at the beginning of @p text; where it ends in *end. */
static bool fault_links_number(const char *text, uint64_t below, uint32_t *out, const char **end)
{
    char *stop;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    uint64_t v = strtoull(text, &stop, 10);
    *end = stop;
    *out = (uint32_t)v;
    return !errno && v < below;
}

#define SWITCHES_MAX 96
/* Says what switches there are. */
static const char *switches(const struct weft_fabric *f, char buf[SWITCHES_MAX])
{
    uint32_t first = 0, last = f->nnodes;
    if (f->nswitches == 0)
        return "there are no switches";
    while (f->nodes[first].kind != WEFT_NODE_SWITCH)
        first++;
    while (f->nodes[last - 1].kind != WEFT_NODE_SWITCH)
        last--;
    snprintf(buf, SWITCHES_MAX, "the %u switch%s within s%u to s%u", f->nswitches,
             f->nswitches == 1 ? " lies" : "es lie", first, last - 1);
    return buf;
}

/* The node called h3 or s8; what follows its name in *end. */
static int find_node(const struct weft_fabric *f, const char *name, uint32_t *node,
                     const char **end, struct weft_err *err)
{
    char all[SWITCHES_MAX], last[WEFT_NODE_NAME_MAX];
    uint32_t v;
    if (*name == 'h' && fault_links_number(name + 1, f->nhosts, &v, end)) {
        *node = f->hosts[v];
        return 0;
    }
    if (*name == 's' && fault_links_number(name + 1, f->nnodes, &v, end)) {
        if (f->nodes[v].kind == WEFT_NODE_SWITCH) {
            *node = v;
            return 0;
        }
        return weft_err_set(err, WEFT_E_INPUT, "node %u is no switch but %s", v,
                            weft_fabric_node_name(f, v, last));
    }
    const int len = (int)strcspn(name, "-#,");
    return weft_err_set(err, WEFT_E_INPUT, "there is no node '%.*s': hosts are h0 to h%u, %s",
                        len < 40 ? len : 40, name, f->nhosts - 1, switches(f, all));
}

/* Whether @p link joins @p a and @p b. */
static bool joins(const struct weft_fabric_link *link, uint32_t a, uint32_t b)
{
    return (link->a == a && link->b == b) || (link->a == b && link->b == a);
}

static int not_joined(const struct weft_fabric *f, uint32_t a, uint32_t b, struct weft_err *err)
{
    char text[MOST_NAMED * WEFT_NODE_NAME_MAX + 64] = "", x[WEFT_NODE_NAME_MAX],
                                                y[WEFT_NODE_NAME_MAX];
    const struct weft_fabric_node *n = &f->nodes[a];
    size_t used = 0;
    for (uint32_t p = 0; p < n->nports && p < MOST_NAMED; p++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%s", p ? ", " : "",
            weft_fabric_node_name(f, f->ports[f->ports[n->first_port + p].peer].node, x));
    if (n->nports > MOST_NAMED)
        snprintf(text + used, sizeof text - used, " and %u more", n->nports - MOST_NAMED);
    return weft_err_set(err, WEFT_E_INPUT, "no link joins %s and %s; %s is linked to %s",
                        weft_fabric_node_name(f, a, x), weft_fabric_node_name(f, b, y), x, text);
}

/* One of several parallel links has to be chosen. */
static int fault_links_choose(const char *a, const char *b, uint32_t n, struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_INPUT,
                        "%u link%s join%s %s and %s: say %s-%s#0%s, or %s-%s#all", n,
                        n == 1 ? "" : "s", n == 1 ? "s" : "", a, b, a, b,
                        n == 1   ? ""
                        : n == 2 ? " or #1"
                                 : ", #1, ...",
                        a, b);
}

/* NODE-NODE, NODE-NODE#K or NODE-NODE#all. */
static int add_between(struct weft_fault_plan *t, struct weft_fault_stretch *s, const char *text,
                       struct weft_err *err)
{
    const struct weft_fabric *f = t->fabric;
    char x[WEFT_NODE_NAME_MAX], y[WEFT_NODE_NAME_MAX];
    uint32_t a, b, n = 0, k = 0, which = 0;
    const char *end;
    int rc = find_node(f, text, &a, &end, err);
    if (!rc && *end != '-')
        return weft_err_set(err, WEFT_E_INPUT,
                            "link '%.60s': write a number, NODE-NODE, NODE-NODE#K or NODE-NODE#all",
                            text);
    if (rc || (rc = find_node(f, end + 1, &b, &end, err)))
        return weft_err_prepend(err, "link '%.60s'", text);
    weft_fabric_node_name(f, a, x);
    weft_fabric_node_name(f, b, y);
    /* Ports of a node are in the order of their links. */
    const struct weft_fabric_node *of = &f->nodes[f->nodes[a].nports < f->nodes[b].nports ? a : b];
    const struct weft_fabric_port *ports = f->ports + of->first_port;
    for (uint32_t p = 0; p < of->nports; p++)
        n += joins(&f->links[ports[p].link], a, b);
    if (n == 0)
        return not_joined(f, a, b, err);
    const bool all = strcmp(end, "#all") == 0;
    if (!all && ((*end == '\0' && n > 1) ||
                 (*end && (*end != '#' || !fault_links_number(end + 1, n, &which, &end) || *end))))
        return fault_links_choose(x, y, n, err);
    for (uint32_t p = 0; p < of->nports && !rc; p++) {
        if (!joins(&f->links[ports[p].link], a, b) || (k++ != which && !all))
            continue;
        s->link = ports[p].link;
        rc = weft_fault_plan_add(t, s, err);
    }
    return rc;
}

static int add_item(struct weft_fault_plan *t, struct weft_fault_stretch *s, const char *name,
                    struct weft_err *err)
{
    const struct weft_fabric *f = t->fabric;
    const char *end;
    if (!fault_links_number(name, f->nlinks, &s->link, &end))
        return *name >= '0' && *name <= '9'
                   ? weft_err_set(err, WEFT_E_INPUT,
                                  "there is no link %.40s: links are 0 to %u; 'weft show "
                                  "fabric' lists them",
                                  name, f->nlinks - 1)
                   : add_between(t, s, name, err);
    if (*end)
        return weft_err_set(err, WEFT_E_INPUT, "link '%.60s': what is '%.20s' behind the number?",
                            name, end);
    return weft_fault_plan_add(t, s, err);
}

static const struct weft_param link_name[] = {{.type = WEFT_PARAM_STRING}};
const struct weft_list_form weft_fault_links_form = {
    .like = "LINK,..., each a number, NODE-NODE, NODE-NODE#K or NODE-NODE#all, such as "
            "17,s16-s20#all",
    .fields = link_name,
    .nfields = 1,
};

int weft_fault_plan_add_links(struct weft_fault_plan *t, const struct weft_fault_stretch *like,
                              const char *selector, struct weft_err *err)
{
    struct weft_list list = {.text = selector, .form = &weft_fault_links_form};
    struct weft_list_item item;
    struct weft_fault_stretch s = *like;
    int rc;
    if (!*selector)
        return weft_err_set(err, WEFT_E_INPUT, "no link: write %s", weft_fault_links_form.like);
    while ((rc = weft_list_next(&list, &item, err)) > 0) {
        char name[2 * WEFT_NODE_NAME_MAX + 16];
        if (item.len >= sizeof name)
            return weft_err_set(err, WEFT_E_INPUT, "link '%.60s...': write %s", item.text,
                                weft_fault_links_form.like);
        memcpy(name, item.text, item.len);
        name[item.len] = '\0';
        if (add_item(t, &s, name, err))
            return err->code;
    }
    return rc;
}

int weft_fault_plan_add_switch(struct weft_fault_plan *t, const struct weft_fault_stretch *like,
                               const char *name, struct weft_err *err)
{
    const struct weft_fabric *f = t->fabric;
    struct weft_fault_stretch s = *like;
    char all[SWITCHES_MAX];
    const char *end;
    uint32_t node;
    int rc = find_node(f, name, &node, &end, err);
    if (rc)
        return rc;
    if (*end || f->nodes[node].kind != WEFT_NODE_SWITCH)
        return weft_err_set(err, WEFT_E_INPUT, "'%.40s' is not the name of a switch: %s", name,
                            switches(f, all));
    const struct weft_fabric_node *n = &f->nodes[node];
    for (uint32_t p = n->first_port; p < n->first_port + n->nports && !rc; p++) {
        s.link = f->ports[p].link;
        rc = weft_fault_plan_add(t, &s, err);
    }
    return rc;
}
