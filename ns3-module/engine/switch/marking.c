/* SPDX-License-Identifier: GPL-2.0-only */
/* Marking curves; see marking.h. */
#include "marking.h"
#include "core/port.h"
#include "params/lists.h"
#include "prio_params.h"

#include "base/int128.h"
#include "base/units.h"
#include "congestion/cc_marking.h"
#include "congestion/cc_table.h"

#include <math.h>

/* Finds RATE:KMIN:KMAX:PMAX for a rate in ecn.rate-map; 1: found, 0: not there, < 0: malformed. */
static int map_entry(const char *map, uint64_t rate_bps, uint64_t *kmin, uint64_t *kmax,
                     double *pmax, struct weft_err *err)
{
    struct weft_list list = {.text = map, .form = &rate_marks_form};
    struct weft_list_item entry;
    int rc;
    while ((rc = weft_list_next(&list, &entry, err)) > 0) {
        *kmin = entry.field[1].value.u64;
        *kmax = entry.field[2].value.u64;
        *pmax = entry.field[3].value.f64;
        if (*kmin > *kmax)
            return weft_err_set(err, WEFT_E_INPUT,
                                "ecn.rate-map at '%.*s': KMIN must not exceed KMAX", (int)entry.len,
                                entry.text);
        if (entry.field[0].value.u64 == rate_bps)
            return 1;
    }
    if (rc)
        weft_err_prepend(err, "ecn.rate-map");
    return rc;
}

uint64_t marking_one_ingress_bytes(const struct prio_params *p, uint64_t shared_bytes,
                                   uint64_t rate_bps)
{
    const struct weft_switch_params *sw = &p->sw;
    const double limit = (double)egress_limit_bytes(sw, rate_bps);
    const double shared = (double)shared_bytes;
    double most = shared;
    if (sw->threshold == WEFT_THRESHOLD_STATIC)
        most = (double)sw->limit_bytes < shared ? (double)sw->limit_bytes : shared;
    else
        most = shared * sw->alpha / (1 + sw->alpha);
    if (!p->lossless && sw->egress_threshold == WEFT_THRESHOLD_STATIC)
        most = limit < most ? limit : most;
    else if (!p->lossless)
        most = fmin(most, shared * sw->egress_alpha / (1 + sw->egress_alpha));
    return (uint64_t)most;
}

static uint64_t scaled(uint64_t bytes, uint64_t rate_bps, uint64_t scale_rate_bps)
{
    return scale_rate_bps ? (uint64_t)((weft_u128)bytes * rate_bps / scale_rate_bps) : bytes;
}

/* The thresholds of a port of a rate, with defaults for those that nobody gave. */
static void thresholds(const struct prio_params *p, uint64_t rate_bps,
                       const struct marking_basis *b, uint64_t *kmin, uint64_t *kmax, double *pmax)
{
    const struct weft_ecn_params *c = &p->ecn;
    const bool no_min = c->kmin_bytes == UINT64_MAX, no_max = c->kmax_bytes == UINT64_MAX;
    uint64_t tuned_min = 0, tuned_max = 0;
    weft_parse_size_bytes(b->tuned->kmin, &tuned_min, NULL);
    weft_parse_size_bytes(b->tuned->kmax, &tuned_max, NULL);
    *pmax = c->pmax;
    if (isnan(c->pmax))
        weft_parse_f64(b->tuned->pmax, pmax, NULL);
    const bool step = tuned_min == tuned_max; /* given one threshold, the other is the same */
    *kmin = !no_min ? c->kmin_bytes : step && !no_max ? c->kmax_bytes : tuned_min;
    *kmax = !no_max ? c->kmax_bytes : step && !no_min ? c->kmin_bytes : tuned_max;
    *kmin = scaled(*kmin, rate_bps, c->scale_rate_bps);
    *kmax = scaled(*kmax, rate_bps, c->scale_rate_bps);
    const uint64_t cap =
        b->shared_bytes ? marking_one_ingress_bytes(p, b->shared_bytes, rate_bps) / 2 : UINT64_MAX;
    if (no_min && no_max && *kmin > cap) {
        *kmax = (uint64_t)((weft_u128)*kmax * cap / *kmin);
        *kmin = cap;
    } else if (no_min && *kmin > *kmax) {
        *kmin = *kmax;
    } else if (no_max && *kmin > *kmax) {
        *kmax = *kmin;
    }
}

int marking_of(const struct prio_params *p, uint64_t rate_bps, const struct marking_basis *basis,
               struct marking *out, struct weft_err *err)
{
    const struct weft_ecn_params *c = &p->ecn;
    uint64_t kmin, kmax;
    double pmax;
    *out = marking_none;
    if (!p->marked)
        return 0;
    if (c->rate_map && *c->rate_map) {
        int found = map_entry(c->rate_map, rate_bps, &kmin, &kmax, &pmax, err);
        char text[WEFT_UNIT_TEXT_MAX];
        if (found < 0)
            return found;
        if (!found)
            return weft_err_set(err, WEFT_E_INPUT, "ecn.rate-map has no entry for links of %s",
                                weft_format_rate(rate_bps, text));
    } else {
        thresholds(p, rate_bps, basis, &kmin, &kmax, &pmax);
    }
    out->kmin = kmin < UINT32_MAX ? (uint32_t)kmin : UINT32_MAX;
    out->kmax = kmax < UINT32_MAX ? (uint32_t)kmax : UINT32_MAX;
    out->slope = kmax > kmin ? pmax / (double)(kmax - kmin) : 0;
    return 0;
}

void marking_scale(struct marking *curve, uint64_t rate_bps, uint64_t from_bps)
{
    const uint32_t min = curve->kmin, max = curve->kmax;
    if (min == UINT32_MAX)
        return;
    curve->kmin = (uint32_t)scaled(min, rate_bps, from_bps);
    if (max == UINT32_MAX)
        return;
    curve->kmax = (uint32_t)scaled(max, rate_bps, from_bps);
    if (curve->kmax > curve->kmin)
        curve->slope *= (double)(max - min) / (double)(curve->kmax - curve->kmin);
}

int marking_check_rate_map(const struct weft_fabric *f, const struct prio_params prios[WEFT_PRIOS],
                           struct weft_err *err)
{
    struct marking ignored;
    uint64_t last_bps = 0;
    uint32_t user = 0;
    while (user < WEFT_PRIOS && !(prios[user].ecn.rate_map && *prios[user].ecn.rate_map))
        user++;
    for (uint32_t i = 0; user < WEFT_PRIOS && i < f->nlinks; i++) {
        if (f->links[i].rate_bps == last_bps)
            continue;
        last_bps = f->links[i].rate_bps;
        if (marking_of(&prios[user], last_bps, NULL, &ignored, err))
            return WEFT_E_INPUT;
    }
    return 0;
}

const struct weft_cc_marking *marking_tuned(const struct weft_cc_ops *const *ops, uint32_t ndims,
                                            uint32_t dim, bool dctcp)
{
    if (dctcp)
        return weft_cc_find("dctcp", NULL)->marking;
    if (ops[dim]->marking)
        return ops[dim]->marking;
    for (uint32_t d = 0; d < ndims; d++)
        if (ops[d]->marking)
            return ops[d]->marking;
    return weft_cc_find("dcqcn", NULL)->marking;
}
