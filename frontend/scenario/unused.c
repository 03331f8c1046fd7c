/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values that were given but can't have an effect under the others: what the parameters' own
 * `needs` say (base/needs.h), over all groups of the scenario.
 */
#include "base/needs.h"
#include "base/scale.h"
#include "congestion/choice.h"
#include "congestion/cc_marking.h"
#include "congestion/cc_table.h"
#include "scenario/resolve.h"
#include "system/library.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the dimensions of the fabric set for themselves; n 0: nothing, or that is not known. */
struct dims {
    const struct weft_scenario *s;
    struct weft_dim_settings list[WEFT_FABRIC_DIMS_MAX];
    uint32_t n;
};

static void add_word(const char *word, char *buf, size_t size)
{
    size_t used = strlen(buf);
    snprintf(buf + used, size - used, "%s%s", used ? ", " : "", word);
}

static const char *lookup(void *ctx, const char *key, char *buf, size_t size);

/* Whether everything travels by TCP, whose congestion control is none of weft's. */
static bool all_tcp(struct dims *d)
{
    char text[64];
    const char *transport = lookup(d, "transport.type", text, sizeof text);
    return transport && strcmp(transport, "tcp") == 0;
}

/* What uet.control listens to, where some classes have it. */
static const char *add_uet(struct dims *d, char *buf, size_t size)
{
    char text[1024], one[WEFT_CC_SIGNALS_TEXT_MAX]; /* a control with all its parameters */
    const char *prios = lookup(d, "uet.prios", text, sizeof text);
    struct weft_cc_choice own = {0};
    if (!prios || strcmp(prios, "0") == 0)
        return buf;
    const char *control = lookup(d, "uet.control", text, sizeof text);
    if (!control || weft_cc_choice_read(control, &own, NULL))
        return buf; /* making the engine says what is wrong */
    weft_cc_signal_names(own.ops, own.params, one, sizeof one);
    if (!strstr(buf, one))
        add_word(one, buf, size);
    weft_cc_choice_free(&own);
    return buf;
}

/* What the congestion controls of all dimensions listen to. */
static const char *signals(struct dims *d, char *buf, size_t size)
{
    if (all_tcp(d))
        return "none";
    char one[WEFT_CC_SIGNALS_TEXT_MAX];
    buf[0] = '\0';
    for (uint32_t i = 0; i < (d->n ? d->n : 1); i++) {
        struct weft_cc_choice own = {0};
        if (d->n == 0 || !d->list[i].control[0])
            weft_cc_signal_names(d->s->cc, d->s->cc_params, one, sizeof one);
        else if (weft_cc_choice_read(d->list[i].control, &own, NULL) == 0)
            weft_cc_signal_names(own.ops, own.params, one, sizeof one);
        else
            continue; /* building the fabric's engine says what is wrong */
        if (!strstr(buf, one))
            add_word(one, buf, size);
        weft_cc_choice_free(&own);
    }
    return add_uet(d, buf, size);
}

/* Which settings some dimension takes from the run. */
static const char *unset(const struct dims *d, char *buf, size_t size)
{
    bool mtu = d->n == 0, buffer = mtu, control = mtu;
    for (uint32_t i = 0; i < d->n; i++) {
        mtu = mtu || d->list[i].mtu_bytes == 0;
        buffer = buffer || d->list[i].buffer_bytes == 0;
        control = control || d->list[i].control[0] == '\0';
    }
    buf[0] = '\0';
    if (mtu)
        add_word("mtu", buf, size);
    if (buffer)
        add_word("buffer", buf, size);
    if (control)
        add_word("congestion-control", buf, size);
    return buf;
}

/* Which flow controls the dimensions have. */
static const char *flow_controls(const struct dims *d, char *buf, size_t size)
{
    bool pfc = d->n == 0, credit = false;
    for (uint32_t i = 0; i < d->n; i++) {
        pfc = pfc || d->list[i].flow_control == WEFT_FLOW_PFC;
        credit = credit || d->list[i].flow_control == WEFT_FLOW_CREDIT;
    }
    buf[0] = '\0';
    if (pfc)
        add_word("pfc", buf, size);
    if (credit)
        add_word("credit", buf, size);
    return buf;
}

/* The value of "section.parameter"; "congestion-control.signals" is what the controls listen to,
 * "dimension.unset" what not every dimension sets for itself. */
static const char *lookup(void *ctx, const char *key, char *buf, size_t size)
{
    struct dims *dims = (struct dims *)ctx;
    const struct weft_scenario *s = dims->s;
    const char *dot = strchr(key, '.');
    size_t n = (size_t)(dot - key);
    if (s->cc && strcmp(key, "congestion-control.signals") == 0)
        return signals(dims, buf, size);
    if (strcmp(key, "dimension.unset") == 0)
        return unset(dims, buf, size);
    if (strcmp(key, "dimension.flow-control") == 0)
        return flow_controls(dims, buf, size);
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        if (strncmp(g->element, key, n) != 0 || g->element[n] != '\0')
            continue;
        const struct weft_param *p = weft_params_find(g->table, dot + 1);
        if (p && s->cc && s->cc->marking && weft_param_is_auto(p, g->values) &&
            p->scale->basis == WEFT_BASIS_CONTROL)
            return weft_cc_marking_text(s->cc->marking, p->name);
        return p ? weft_params_format(p, g->values, buf, size) : NULL;
    }
    return NULL;
}

/* Whether the scenario or a setting asks for something: a text that is set empty does not. */
static bool is_given(const struct weft_scenario_group *g, size_t param)
{
    const struct weft_param *p = &g->table->params[param];
    char text[8];
    return g->origins[param].kind > WEFT_ORIGIN_PRESET &&
           (p->type != WEFT_PARAM_STRING || weft_params_format(p, g->values, text, sizeof text)[0]);
}

static int warn(struct weft_scenario *s, const struct weft_scenario_group *g, size_t param,
                const char *why, struct weft_err *err)
{
    const struct weft_origin *o = &g->origins[param];
    const char *name = g->table->params[param].name;
    if (o->kind == WEFT_ORIGIN_FILE)
        return weft_scenario_warn(s, err,
                                  "%s:%" PRId64 ":%" PRId64 ": <%s>: '%s' has no effect: %s",
                                  s->file, o->line, o->col, g->element, name, why);
    return weft_scenario_warn(s, err, "--set %s.%s: has no effect: %s", g->prefix, name, why);
}

/* Why the choice of a congestion control has no effect: every dimension replaces it by its own, or
 * nothing travels by a transport that has one. NULL: it has. */
static const char *idle_control(struct dims *d)
{
    char text[64];
    if (all_tcp(d))
        return "transport.type is tcp, whose congestion control is transport.variant";
    if (!strstr(unset(d, text, sizeof text), "congestion-control"))
        return "every dimension has a congestion control of its own";
    return NULL;
}

static int warn_group(struct weft_scenario *s, const struct weft_scenario_group *g, const char *why,
                      struct weft_err *err)
{
    int code = 0;
    for (size_t k = 0; k < g->table->n && !code; k++)
        if (is_given(g, k))
            code = warn(s, g, k, why, err);
    return code;
}

static int warn_control(struct weft_resolver *r, const struct weft_scenario_group *g,
                        const char *why, struct weft_err *err)
{
    const struct weft_origin *o = &g->selected_from;
    int code = 0;
    if (o->kind == WEFT_ORIGIN_FILE)
        code = weft_scenario_warn(r->s, err, "%s:%" PRId64 ":%" PRId64 ": <%s> has no effect: %s",
                                  r->s->file, o->line, o->col, g->element, why);
    else if (o->kind > WEFT_ORIGIN_PRESET)
        code = weft_scenario_warn(r->s, err, "--set %s.%s=%s: has no effect: %s", g->element,
                                  g->selector, g->selected, why);
    return code ? code : warn_group(r->s, g, why, err);
}

static int warn_params(struct weft_resolver *r, const struct weft_scenario_group *g,
                       struct dims *dims, struct weft_err *err)
{
    char why[512];
    struct weft_needs_scope scope = {g->table, g->values, g->prefix, lookup, dims};
    for (size_t k = 0; k < g->table->n; k++) {
        int code = weft_param_effective(&g->table->params[k], &scope, why, sizeof why, err);
        if (code == 0 && is_given(g, k))
            code = warn(r->s, g, k, why, err);
        if (code < 0)
            return code;
    }
    return 0;
}

/* Why simulated NPUs have no effect: all workloads are flows. NULL: some has graphs. */
static const char *idle_system(const struct weft_resolver *r, const struct weft_scenario_group *g)
{
    if (strcmp(g->element, "system") != 0 && strcmp(g->element, "in-network") != 0 &&
        strcmp(g->element, "library") != 0)
        return NULL;
    for (uint32_t i = 0; i < r->s->njobs; i++)
        if (!r->s->jobs[i].ops->flows)
            return NULL;
    if (r->no_workloads)
        return NULL;
    return "no workload has operations of ranks, only flows";
}

/* The scenario as conditions of parameters see it. */
static void unused_look(struct dims *d, const struct weft_scenario *s)
{
    struct weft_err ignored = {0}; /* a fabric that can't be built is an error later */
    *d = (struct dims){.s = s};
    if (s->topology->settings)
        s->topology->settings(s->topology_params, d->list, &d->n, &ignored);
}

bool weft_scenario_effective(const struct weft_scenario *s, const char *element, const char *name)
{
    char why[512];
    struct weft_err ignored = {0};
    struct dims dims;
    const struct weft_scenario_group *g = weft_scenario_group_of(s, element);
    const struct weft_param *p = g ? weft_params_find(g->table, name) : NULL;
    unused_look(&dims, s);
    struct weft_needs_scope scope = {g ? g->table : NULL, g ? g->values : NULL,
                                     g ? g->prefix : NULL, lookup, &dims};
    return p && weft_param_effective(p, &scope, why, sizeof why, &ignored) > 0;
}

int weft_resolver_warn_unused(struct weft_resolver *r, struct weft_err *err)
{
    struct dims dims;
    unused_look(&dims, r->s);
    for (size_t i = 0; i < r->s->ngroups; i++) {
        const struct weft_scenario_group *g = &r->s->groups[i];
        const char *idle = weft_group_is_cc(g) ? idle_control(&dims) : idle_system(r, g);
        int code = !idle                 ? warn_params(r, g, &dims, err)
                   : weft_group_is_cc(g) ? warn_control(r, g, idle, err)
                                         : warn_group(r->s, g, idle, err);
        if (code)
            return code;
    }
    return 0;
}

static void note_in_network(void *ctx, enum weft_coll_kind kind, const char *text)
{
    *(bool *)ctx |= strstr(text, "in-network") != NULL;
}

int weft_scenario_warn_in_network(struct weft_scenario *s, const struct weft_scenario_parts *parts,
                                  struct weft_err *err)
{
    const struct weft_scenario_group *g = s->groups, *const end = s->groups + s->ngroups;
    bool any = false, used = false, graphs = false;
    while (g < end && strcmp(g->element, "in-network") != 0)
        g++;
    for (size_t k = 0; g < end && k < g->table->n; k++)
        any |= is_given(g, k);
    for (uint32_t i = 0; any && !used && i < parts->njobs; i++) {
        const struct weft_system_env env = weft_scenario_job_env(s, parts, i);
        graphs |= parts->jobs[i].workload != NULL;
        if (parts->jobs[i].workload && weft_system_algorithms(parts->jobs[i].workload, s->system,
                                                              &env, note_in_network, &used, err))
            return err->code;
    }
    used |= s->system->library != WEFT_LIBRARY_IDEAL; /* whose tuner chooses by size */
    return graphs && !used                            /* without graphs it has been said */
               ? warn_group(s, g,
                            "no operation is played in switches, as by "
                            "system.all-reduce=in-network",
                            err)
               : 0;
}
