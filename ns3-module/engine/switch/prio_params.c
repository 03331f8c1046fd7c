/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters per priority, such as the weights of deficit round robin and the thresholds of ECN: an
 * entry PRIO:VALUE sets a parameter of the section for one priority, with
 * the unit and the range that the parameter has for all.
 */
#include "prio_params.h"
#include "params/lists.h"

/* A map of section switch or ecn, and what to do with an entry. */
struct map {
    const char *name; /* "switch.alpha-map" */
    const char *text;
    const struct weft_list_form *form;
    void (*take)(struct prio_params *p, const struct weft_list_item *entry);
};

static void take_alpha(struct prio_params *p, const struct weft_list_item *entry)
{
    p->sw.alpha = entry->field[1].value.f64;
}

static void take_limit(struct prio_params *p, const struct weft_list_item *entry)
{
    p->sw.limit_bytes = entry->field[1].value.u64;
}

static void take_egress_alpha(struct prio_params *p, const struct weft_list_item *entry)
{
    p->egress_given = true;
    p->sw.egress_alpha = entry->field[1].value.f64;
}

static void take_egress_limit(struct prio_params *p, const struct weft_list_item *entry)
{
    p->egress_given = true;
    p->sw.egress_threshold = WEFT_THRESHOLD_STATIC;
    p->sw.egress_limit_bytes = entry->field[1].value.u64;
}

static void take_weight(struct prio_params *p, const struct weft_list_item *entry)
{
    p->weight = entry->field[1].value.u64;
}

static void take_marking(struct prio_params *p, const struct weft_list_item *entry)
{
    p->marked = !entry->rest_is_word;
    p->ecn.rate_map = "";
    if (!p->marked)
        return;
    p->ecn.kmin_bytes = entry->field[1].value.u64;
    p->ecn.kmax_bytes = entry->field[2].value.u64;
    p->ecn.pmax = entry->field[3].value.f64;
}

static int read_map(const struct map *m, struct prio_params out[WEFT_PRIOS], struct weft_err *err)
{
    struct weft_list list = {.text = m->text ? m->text : "", .form = m->form};
    struct weft_list_item entry;
    int rc;
    while ((rc = weft_list_next(&list, &entry, err)) > 0) {
        struct prio_params *p = &out[entry.field[0].value.u64];
        m->take(p, &entry);
        if (m->take == take_marking && p->marked && p->ecn.kmin_bytes > p->ecn.kmax_bytes)
            return weft_err_set(err, WEFT_E_INPUT, "%s at '%.*s': KMIN must not exceed KMAX",
                                m->name, (int)entry.len, entry.text);
    }
    if (rc)
        weft_err_prepend(err, "%s", m->name);
    return rc;
}

/* Entries that could change nothing. */
static int check_effect(const struct weft_engine_params *p,
                        const struct prio_params prios[WEFT_PRIOS], struct weft_err *err)
{
    const uint8_t lossless = prios_lossless(p);
    for (uint32_t k = 0; k < WEFT_PRIOS; k++) {
        if (prios[k].weight != 1 && (p->sw.strict_prios >> k & 1))
            return weft_err_set(err, WEFT_E_INPUT,
                                "switch.weight-map: priority %u is served strictly before others "
                                "and has no weight; see switch.strict-prios",
                                k);
        if (prios[k].egress_given && (lossless >> k & 1) && !p->sw.egress_lossless_pool_bytes)
            return weft_err_set(err, WEFT_E_INPUT,
                                "switch.egress-alpha-map or switch.egress-limit-map: priority %u "
                                "is lossless, and its "
                                "egress queues are measured only with switch.egress-lossless-pool",
                                k);
    }
    return 0;
}

int prio_params_read(const struct weft_engine_params *p, struct prio_params out[WEFT_PRIOS],
                     struct weft_err *err)
{
    const struct map maps[] = {
        {"switch.alpha-map", p->sw.alpha_map, &alpha_map_form, take_alpha},
        {"switch.limit-map", p->sw.limit_map, &limit_map_form, take_limit},
        {"switch.egress-alpha-map", p->sw.egress_alpha_map, &alpha_map_form, take_egress_alpha},
        {"switch.egress-limit-map", p->sw.egress_limit_map, &limit_map_form, take_egress_limit},
        {"switch.weight-map", p->sw.weight_map, &weight_map_form, take_weight},
        {"ecn.prio-map", p->ecn.prio_map, &prio_marks_form, take_marking},
    };
    for (uint32_t k = 0; k < WEFT_PRIOS; k++)
        out[k] = (struct prio_params){p->sw, p->ecn, 1, true, false, prios_lossless(p) >> k & 1};
    for (uint32_t k = 0; k < WEFT_PRIOS; k++)
        if (!out[k].lossless)
            out[k].sw.alpha = p->sw.lossy_alpha;
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        if (read_map(&maps[i], out, err))
            return WEFT_E_INPUT;
    return check_effect(p, out, err);
}
