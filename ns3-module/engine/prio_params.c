/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps of parameters: an entry PRIO:VALUE sets a parameter of the section for one priority, with the
 * unit and the range that the parameter has for all.
 */
#include "prio_params.h"

#include "base/units.h"

#include <stdio.h>
#include <string.h>

#define MAX_WEIGHT 1000u

/* A map of section switch or ecn: its text, and what to do with an entry. */
struct map {
    const char *name, *form; /* "switch.alpha-map", "PRIO:ALPHA" */
    const char *text;
    const char *param; /* the parameter that an entry sets */
    int (*take)(const struct map *m, struct prio_params *p, char *value, struct weft_err *err);
};

static const struct weft_param_table *section(const char *name)
{
    for (size_t i = 0; i < WEFT_ENGINE_SECTIONS; i++)
        if (strcmp(weft_engine_sections[i].name, name) == 0)
            return &weft_engine_sections[i].params;
    return NULL;
}

static int take_param(const struct map *m, struct prio_params *p, char *value, struct weft_err *err)
{
    return weft_params_set(section("switch"), &p->sw, m->param, value, err);
}

static int take_egress(const struct map *m, struct prio_params *p, char *value,
                       struct weft_err *err)
{
    p->egress_given = true;
    return take_param(m, p, value, err);
}

static int take_weight(const struct map *m, struct prio_params *p, char *value,
                       struct weft_err *err)
{
    (void)m;
    if (weft_parse_u64(value, &p->weight, err))
        return WEFT_E_INPUT;
    if (p->weight < 1 || p->weight > MAX_WEIGHT)
        return weft_err_set(err, WEFT_E_INPUT, "weight '%s' is out of range: 1 to %u", value,
                            MAX_WEIGHT);
    return 0;
}

/* KMIN:KMAX:PMAX, or off. */
static int take_marking(const struct map *m, struct prio_params *p, char *value,
                        struct weft_err *err)
{
    static const char *const names[] = {"kmin", "kmax", "pmax"};
    p->marked = strcmp(value, "off") != 0;
    p->ecn.rate_map = "";
    if (!p->marked)
        return 0;
    for (int k = 0; k < 3; k++) {
        char *colon = strchr(value, ':');
        if ((colon != NULL) != (k < 2))
            return weft_err_set(err, WEFT_E_INPUT, "write %s, or PRIO:off", m->form);
        if (colon)
            *colon = '\0';
        if (weft_params_set(section("ecn"), &p->ecn, names[k], value, err))
            return WEFT_E_INPUT;
        value = colon ? colon + 1 : value;
    }
    if (p->ecn.kmin_bytes > p->ecn.kmax_bytes)
        return weft_err_set(err, WEFT_E_INPUT, "KMIN must not exceed KMAX");
    return 0;
}

static int read_map(const struct map *m, struct prio_params out[WEFT_PRIOS], struct weft_err *err)
{
    uint32_t seen = 0;
    for (const char *at = m->text; at && *at;) {
        char entry[96], value[96];
        unsigned prio;
        at += strspn(at, " ");
        size_t len = strcspn(at, ",");
        snprintf(entry, sizeof entry, "%.*s", (int)(len < sizeof entry ? len : sizeof entry), at);
        if (len >= sizeof entry || sscanf(entry, "%1u:%95s", &prio, value) != 2 || entry[1] != ':')
            return weft_err_set(err, WEFT_E_INPUT,
                                "%s at '%.40s': write %s, comma-separated, where PRIO is 0 to 7",
                                m->name, at, m->form);
        if (prio >= WEFT_PRIOS || (seen & 1u << prio))
            return weft_err_set(err, WEFT_E_INPUT, "%s at '%.40s': %s", m->name, at,
                                prio >= WEFT_PRIOS ? "priorities are 0 to 7"
                                                   : "the priority is there twice");
        seen |= 1u << prio;
        if (m->take(m, &out[prio], value, err))
            return weft_err_prepend(err, "%s at '%s'", m->name, entry);
        at += len + (at[len] == ',');
        if (at[-1] == ',' && !*at)
            return weft_err_set(err, WEFT_E_INPUT, "%s ends in a comma", m->name);
    }
    return 0;
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
        {"switch.alpha-map", "PRIO:ALPHA", p->sw.alpha_map, "alpha", take_param},
        {"switch.limit-map", "PRIO:SIZE", p->sw.limit_map, "limit", take_param},
        {"switch.egress-alpha-map", "PRIO:ALPHA", p->sw.egress_alpha_map, "egress-alpha",
         take_egress},
        {"switch.egress-limit-map", "PRIO:SIZE", p->sw.egress_limit_map, "egress-limit",
         take_egress},
        {"switch.weight-map", "PRIO:WEIGHT", p->sw.weight_map, NULL, take_weight},
        {"ecn.prio-map", "PRIO:KMIN:KMAX:PMAX", p->ecn.prio_map, NULL, take_marking},
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
