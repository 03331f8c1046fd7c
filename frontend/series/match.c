/* SPDX-License-Identifier: GPL-2.0-only */
/* Selectors: globs of node names, pairs of them, priorities. */
#include "series/series_internal.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

bool weft_series_node_matches(const struct weft_fabric *f, uint32_t node, const char *glob)
{
    char name[WEFT_NODE_NAME_MAX];
    return strcmp(glob, "*") == 0 ||
           fnmatch(glob, weft_fabric_node_name(f, node, name), FNM_NOESCAPE) == 0;
}

/* One of 0 to 7, at *at, which moves behind it; -1: there is none. */
static int prio_at(const char **at)
{
    if (**at < '0' || **at >= '0' + WEFT_NET_PRIOS || ((*at)[1] >= '0' && (*at)[1] <= '9'))
        return -1;
    return *(*at)++ - '0';
}

int weft_series_cut_prios(char *selector, uint8_t *prios, struct weft_err *err)
{
    char *dot = strrchr(selector, '.');
    *prios = WEFT_ALL_PRIOS;
    if (!dot)
        return 0;
    const char *at = dot + 1;
    int first = -1, last = -1;
    if (*at == 'p') {
        at++;
        first = last = prio_at(&at);
        if (first >= 0 && *at == '-') {
            at++;
            last = prio_at(&at);
        }
    }
    if (first < 0 || last < first || *at)
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%s' is no priority; write .p0 to .p7, or a range such as .p0-3", dot);
    *prios = 0;
    for (int k = first; k <= last; k++)
        *prios |= (uint8_t)(1u << k);
    *dot = '\0';
    if (!*selector) { /* ".p3" */
        selector[0] = '*';
        selector[1] = '\0';
    }
    return 0;
}

/* The dash that joins two names, not one of a bracket. */
static char *joint(char *selector)
{
    bool inside = false;
    for (char *c = selector; *c; c++) {
        if (*c == '[' || *c == ']')
            inside = *c == '[';
        if (*c == '-' && !inside)
            return c;
    }
    return NULL;
}

void weft_series_cut_peer(char *selector, char peer[WEFT_SELECTOR_MAX])
{
    char *dash = joint(selector);
    snprintf(peer, WEFT_SELECTOR_MAX, "%s", dash ? dash + 1 : "*");
    if (dash)
        *dash = '\0';
}

int weft_series_no_match(const struct weft_fabric *f, const char *item, const char *what,
                         struct weft_err *err)
{
    char first[WEFT_NODE_NAME_MAX] = "", last[WEFT_NODE_NAME_MAX] = "";
    for (uint32_t n = 0; n < f->nnodes; n++) {
        if (f->nodes[n].kind != WEFT_NODE_SWITCH)
            continue;
        if (!*first)
            weft_fabric_node_name(f, n, first);
        weft_fabric_node_name(f, n, last);
    }
    return weft_err_set(err, WEFT_E_INPUT,
                        "sample.what: '%s' matches no %s; there are hosts h0 to h%u%s%s%s%s, and "
                        "s0-h3 is the port of s0 that leads to h3",
                        item, what, f->nhosts - 1, *first ? " and switches " : "", first,
                        *first ? " to " : "", last);
}
