/* SPDX-License-Identifier: GPL-2.0-only */
/* Which links to capture, and what their files are called. */
#include "capture.h"
#include "params/lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 64 };

/* The node called @p name ("h3", "s16"); UINT32_MAX: none. */
static uint32_t node_called(const struct weft_fabric *f, const char *name)
{
    char *end;
    if ((name[0] != 'h' && name[0] != 's') || name[1] < '0' || name[1] > '9')
        return UINT32_MAX;
    const uint64_t n = strtoull(name + 1, &end, 10);
    if (*end)
        return UINT32_MAX;
    if (name[0] == 'h')
        return n < f->nhosts ? f->hosts[n] : UINT32_MAX;
    return n < f->nnodes && f->nodes[n].kind == WEFT_NODE_SWITCH ? (uint32_t)n : UINT32_MAX;
}

static bool is_host(const struct weft_fabric *f, uint32_t node)
{
    return f->nodes[node].kind == WEFT_NODE_HOST;
}

/* Whether a link lies at node @p a, and @p b unless that is UINT32_MAX. */
static bool joins(const struct weft_fabric_link *l, uint32_t a, uint32_t b)
{
    if (b == UINT32_MAX)
        return l->a == a || l->b == a;
    return (l->a == a && l->b == b) || (l->a == b && l->b == a);
}

static int capture_links_choose(const struct weft_fabric *f, char *word, uint8_t *chosen,
                                struct weft_err *err)
{
    char given[WORD_MAX], *end;
    snprintf(given, sizeof given, "%s", word);
    const bool all = strcmp(word, "all") == 0, hosts = strcmp(word, "hosts") == 0;
    char *dash = strchr(word, '-');
    if (dash)
        *dash = '\0';
    const uint32_t a = node_called(f, word), b = dash ? node_called(f, dash + 1) : UINT32_MAX;
    const uint64_t number = strtoull(word, &end, 10);
    const bool is_number = word[0] >= '0' && word[0] <= '9' && !*end && !dash;
    const bool nodes = a != UINT32_MAX && (!dash || b != UINT32_MAX);
    bool any = false;
    for (uint32_t i = 0; i < f->nlinks; i++) {
        const struct weft_fabric_link *l = &f->links[i];
        if (all || (hosts && (is_host(f, l->a) || is_host(f, l->b))) ||
            (is_number && number == i) || (nodes && joins(l, a, b))) {
            chosen[i] = 1;
            any = true;
        }
    }
    if (any)
        return 0;
    if (nodes)
        return weft_err_set(err, WEFT_E_INPUT, "capture.links: no link '%s' in this fabric", given);
    return weft_err_set(
        err, WEFT_E_INPUT,
        "capture.links: '%s' is none of all, hosts, a node (h0 to h%u, or a switch as in "
        "'weft topology show'), two nodes joined by '-', or a link (0 to %u)",
        given, f->nhosts - 1, f->nlinks - 1);
}

int weft_capture_select(const struct weft_fabric *f, const char *links, uint8_t *chosen,
                        struct weft_err *err)
{
    struct weft_list list = {.text = links, .form = &links_form};
    struct weft_list_item item;
    int rc;
    memset(chosen, 0, f->nlinks);
    while ((rc = weft_list_next(&list, &item, err)) > 0) {
        char word[WORD_MAX];
        if (item.len >= sizeof word)
            return weft_err_set(err, WEFT_E_INPUT, "capture.links: '%.60s...' is too long",
                                item.text);
        memcpy(word, item.text, item.len);
        word[item.len] = '\0';
        if (capture_links_choose(f, word, chosen, err))
            return err->code;
    }
    if (rc)
        weft_err_prepend(err, "capture.links");
    return rc;
}

const char *weft_capture_name(const struct weft_fabric *f, uint32_t link,
                              char buf[WEFT_CAPTURE_NAME_MAX])
{
    char a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX];
    const struct weft_fabric_link *l = &f->links[link];
    const struct weft_fabric_node *n = &f->nodes[l->a];
    uint32_t parallel = 0;
    for (uint32_t p = n->first_port; p < n->first_port + n->nports; p++)
        parallel += joins(&f->links[f->ports[p].link], l->a, l->b);
    int used = snprintf(buf, WEFT_CAPTURE_NAME_MAX, "%s-%s", weft_fabric_node_name(f, l->a, a),
                        weft_fabric_node_name(f, l->b, b));
    if (parallel > 1)
        snprintf(buf + used, WEFT_CAPTURE_NAME_MAX - (size_t)used, ".link%u", link);
    return buf;
}
