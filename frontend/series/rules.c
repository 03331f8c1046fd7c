/* SPDX-License-Identifier: GPL-2.0-only */
/* Which QPs are wanted in which files. */
#include "series/series_internal.h"

uint8_t weft_series_qp_files(const struct weft_series_choice *c, const struct weft_qp_state *q)
{
    uint8_t files = 0;
    for (size_t i = 0; i < c->nrules; i++) {
        const struct weft_qp_rule *r = &c->rules[i];
        if (!(r->prios >> q->prio & 1))
            continue;
        if (r->kind == WEFT_QPS_ALL ||
            (r->kind == WEFT_QPS_NUMBERS && q->qpn >= r->from && q->qpn <= r->to) ||
            (r->kind == WEFT_QPS_HOSTS &&
             weft_series_node_matches(c->fabric, c->fabric->hosts[q->src], r->src) &&
             weft_series_node_matches(c->fabric, c->fabric->hosts[q->dst], r->dst)))
            files |= r->files;
    }
    return files;
}

uint8_t weft_series_flow_files(const struct weft_series_choice *c, uint64_t msg)
{
    uint8_t files = 0;
    for (size_t i = 0; i < c->nrules && msg != UINT64_MAX; i++)
        if (c->rules[i].kind == WEFT_QPS_FLOWS && msg >= c->rules[i].from && msg <= c->rules[i].to)
            files |= c->rules[i].files;
    return files;
}
