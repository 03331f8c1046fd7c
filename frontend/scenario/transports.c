/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workloads that say by which transport they go. What carries a message is decided by its traffic
 * class, as on real ports: those of tcp.prios and uet.prios go by that, all others by
 * transport.type. A workload that asks for TCP, or for Ultra Ethernet beside RoCE, gets a class of
 * that, and whatever contradicts it is an error.
 */
#include "base/list.h"
#include "base/units.h"
#include "scenario/resolve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES ((1u << WEFT_NET_PRIOS) - 1)

struct weft_scenario_group *weft_scenario_group_of(const struct weft_scenario *s,
                                                   const char *element)
{
    for (size_t i = 0; i < s->ngroups; i++)
        if (strcmp(s->groups[i].element, element) == 0)
            return &s->groups[i];
    return NULL;
}

/* The value of a parameter; "" where the scenario has none of this name. */
static const char *transports_text(const struct weft_scenario *s, const char *element,
                                   const char *name, char buf[WEFT_PARAM_TEXT_MAX])
{
    const struct weft_scenario_group *g = weft_scenario_group_of(s, element);
    const struct weft_param *p = g ? weft_params_find(g->table, name) : NULL;
    return p ? weft_params_format(p, g->values, buf, WEFT_PARAM_TEXT_MAX) : "";
}

double weft_scenario_number(const struct weft_scenario *s, const char *element, const char *name)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    const char *text = transports_text(s, element, name, buf);
    uint64_t bytes;
    struct weft_err no_size = {0};
    return weft_parse_size_bytes(text, &bytes, &no_size) ? strtod(text, NULL) : (double)bytes;
}

static uint32_t transports_number(const struct weft_scenario *s, const char *element,
                                  const char *name)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    return (uint32_t)strtoul(transports_text(s, element, name, buf), NULL, 10);
}

static bool transports_is(const struct weft_scenario *s, const char *element, const char *name,
                          const char *value)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    return strcmp(transports_text(s, element, name, buf), value) == 0;
}

/* A transport that has some classes beside that of the run: its section has `prios`. */
struct guest {
    int job; /* enum weft_job_transport */
    const char *section, *name;
};
static const struct guest guests[] = {{WEFT_JOB_TRANSPORT_TCP, "tcp", "TCP"},
                                      {WEFT_JOB_TRANSPORT_UET, "uet", "UET"}};
enum { GUESTS = sizeof guests / sizeof guests[0] };

static bool all_uet(const struct weft_scenario *s)
{
    return transports_is(s, "transport", "type", "uet");
}

const char *weft_scenario_own_transport(const struct weft_scenario *s)
{
    if (!weft_scenario_group_of(s, "tcp"))
        return NULL;
    return all_uet(s) ? "uet" : "roce";
}

/* As messages call it. */
static const char *own(const struct weft_scenario *s)
{
    return all_uet(s) ? "UET" : "RoCE";
}

static const char *word_of(int transport)
{
    static const char *const words[] = {[WEFT_JOB_TRANSPORT_DEFAULT] = "default",
                                        [WEFT_JOB_TRANSPORT_ROCE] = "roce",
                                        [WEFT_JOB_TRANSPORT_TCP] = "tcp",
                                        [WEFT_JOB_TRANSPORT_UET] = "uet"};
    return words[transport];
}

static uint32_t bit(uint32_t prio)
{
    return 1u << (prio & (WEFT_NET_PRIOS - 1));
}

/* The class of what asks for none by itself. */
static uint32_t transports_class(const struct weft_scenario *s, uint32_t i)
{
    const int priority = s->jobs[i].job->priority;
    return priority ? (uint32_t)priority - 1 : transports_number(s, "transport", "data-prio");
}

/* The classes that a guest has. */
static uint32_t classes_of(const struct weft_scenario *s, const struct guest *g)
{
    if (g->job == WEFT_JOB_TRANSPORT_UET && !transports_is(s, "transport", "type", "roce"))
        return 0; /* uet.prios has no effect */
    return transports_number(s, g->section, "prios") & CLASSES;
}

/* Who has a class; NULL: the transport of the run. */
static const struct guest *guest_in(const struct weft_scenario *s, uint32_t prio)
{
    for (size_t i = 0; i < GUESTS; i++)
        if (classes_of(s, &guests[i]) & bit(prio))
            return &guests[i];
    return NULL;
}

/* What a workload asks for, where that is one beside the transport of the run. */
static const struct guest *guest_requested(const struct weft_scenario *s, uint32_t job)
{
    const int requested = s->jobs[job].job->transport;
    for (size_t i = 0; i < GUESTS; i++)
        if (guests[i].job == requested && !(requested == WEFT_JOB_TRANSPORT_UET && all_uet(s)))
            return &guests[i];
    return NULL;
}

bool weft_scenario_classes(const struct weft_scenario *s, struct weft_scenario_classes *out)
{
    *out = (struct weft_scenario_classes){0, 0};
    if (!weft_scenario_group_of(s, "tcp"))
        return false;
    if (transports_is(s, "transport", "type", "tcp")) {
        out->tcp = CLASSES | 1u << WEFT_NET_PRIOS;
        return true;
    }
    out->tcp = classes_of(s, &guests[0]);
    out->uet = classes_of(s, &guests[1]);
    const struct guest *usual = guest_in(s, transports_number(s, "transport", "data-prio"));
    if (usual)
        *(usual == &guests[0] ? &out->tcp : &out->uet) |= 1u << WEFT_NET_PRIOS;
    return true;
}

static int transports_refuse(const struct weft_resolver *r, uint32_t i, struct weft_err *err)
{
    const struct weft_scenario_group *g = &r->s->groups[r->s->jobs[i].group];
    weft_err_prepend(err, "<workload name=\"%s\" transport=\"%s\">", r->s->jobs[i].name,
                     word_of(r->s->jobs[i].job->transport));
    return r->s->file[0] ? weft_err_locate(err, r->s->file, g->line, g->col) : err->code;
}

/* The classes that system.priorities names by type of communication. */
static uint32_t classes_by_type(const struct weft_scenario *s)
{
    const struct weft_param *p = weft_params_find(&weft_system_param_table, "priorities");
    struct weft_list list = {.text = s->system->priorities, .form = p->list};
    struct weft_list_item item;
    struct weft_err ignored = {0};
    uint32_t found = 0;
    while (weft_list_next(&list, &item, &ignored) > 0)
        found |= bit((uint32_t)item.field[1].value.u64);
    return found;
}

static bool anyone_asks_for(const struct weft_scenario *s, int transport)
{
    for (uint32_t i = 0; i < s->njobs; i++)
        if (s->jobs[i].job->transport == transport)
            return true;
    return false;
}

/* Classes that a guest can't have: those of QPs' answers and trimmed packets, of other guests, of
 * workloads that go by the transport of the run, and by type of communication. */
static uint32_t taken_classes(const struct weft_scenario *s, const struct guest *g)
{
    const bool beside = classes_of(s, &guests[1]) || anyone_asks_for(s, WEFT_JOB_TRANSPORT_UET);
    uint32_t all = bit(transports_number(s, "transport", "data-prio")) |
                   bit(transports_number(s, "transport", "ack-prio")) |
                   bit(transports_number(s, "transport", "cnp-prio"));
    if (beside)
        all |= bit(transports_number(s, "switch", "trim-prio"));
    if (beside && !all_uet(s))
        all |= bit(transports_number(s, "uet", "ack-prio"));
    for (uint32_t i = 0; i < s->njobs; i++)
        if (!guest_requested(s, i))
            all |= bit(transports_class(s, i));
    for (size_t i = 0; i < GUESTS; i++)
        if (&guests[i] != g)
            all |= classes_of(s, &guests[i]);
    return all | (classes_by_type(s) & ~classes_of(s, g));
}

static int set_number(struct weft_resolver *r, struct weft_scenario_group *g, const char *param,
                      uint32_t value, struct weft_err *err)
{
    const struct weft_origin implied = {WEFT_ORIGIN_PRESET, 0, 0};
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, value);
    return weft_resolver_set(r, g, param, text, "", implied, err);
}

/* The first class that a guest may have: one of its prios if they are given, else one that loses
 * packets and is nobody else's. */
static int free_class(const struct weft_scenario *s, const struct guest *g, bool given,
                      uint32_t *out, struct weft_err *err)
{
    const uint32_t lossless =
        transports_is(s, "pfc", "enabled", "true") ? transports_number(s, "pfc", "prios") : 0;
    const uint32_t mask = classes_of(s, g);
    const uint32_t usable = given ? mask : CLASSES & ~(taken_classes(s, g) | lossless);
    for (*out = 0; *out < WEFT_NET_PRIOS; (*out)++)
        if (usable & bit(*out))
            return 0;
    if (given)
        return weft_err_set(err, WEFT_E_INPUT, "%s.prios is 0: no class is %s's", g->section,
                            g->name);
    return weft_err_set(err, WEFT_E_INPUT,
                        "no class is left for %s: all others are taken or lossless; give the "
                        "workload a priority of its own",
                        g->name);
}

/* Gives a workload a class of the guest that it goes by. */
static int give_class(struct weft_resolver *r, uint32_t i, const struct guest *g, bool given,
                      struct weft_err *err)
{
    struct weft_scenario *s = r->s;
    const uint32_t mask = classes_of(s, g);
    uint32_t prio = transports_class(s, i);
    if (!s->jobs[i].job->priority) {
        if (free_class(s, g, given, &prio, err) ||
            set_number(r, &s->groups[s->jobs[i].group], "priority", prio, err))
            return err->code;
    } else if (given && !(mask & bit(prio))) {
        return weft_err_set(err, WEFT_E_INPUT,
                            "its priority is %" PRIu32 ", which %s.prios=%" PRIu32
                            " leaves to %s; nearest: %s.prios=%" PRIu32,
                            prio, g->section, mask, own(s), g->section, mask | bit(prio));
    }
    return given ? 0
                 : set_number(r, weft_scenario_group_of(s, g->section), "prios", mask | bit(prio),
                              err);
}

/* Whether some workload that asks for a guest has that class. */
static const char *guest_job_of(const struct weft_scenario *s, const struct guest *g, uint32_t prio)
{
    for (uint32_t i = 0; i < s->njobs; i++)
        if (guest_requested(s, i) == g && transports_class(s, i) == prio)
            return s->jobs[i].name;
    return NULL;
}

/* What does not go by TCP all goes by Ultra Ethernet. */
static int check_own(const struct weft_scenario *s, int requested, struct weft_err *err)
{
    if (!all_uet(s) || requested != WEFT_JOB_TRANSPORT_ROCE)
        return 0;
    return weft_err_set(err, WEFT_E_INPUT,
                        "transport.type=uet: what does not go by TCP all goes by UET; nearest: "
                        "transport.type=roce, and transport=\"uet\" for the other workloads");
}

/* A class in @p classes that is not of transport @p g, NULL: of that of the run. WEFT_NET_PRIOS:
 * there is none. */
static uint32_t foreign_class(const struct weft_scenario *s, const struct guest *g,
                              uint32_t classes)
{
    uint32_t k = 0;
    while (k < WEFT_NET_PRIOS && !(classes & bit(k) && guest_in(s, k) != g))
        k++;
    return k;
}

/* What contradicts the transport that a workload asks for, or gets it by mistake. */
static int check_job(const struct weft_scenario *s, uint32_t i, const bool given[GUESTS],
                     struct weft_err *err)
{
    const int requested = s->jobs[i].job->transport;
    const struct guest *mine = guest_requested(s, i), *in = guest_in(s, transports_class(s, i));
    const uint32_t prio = transports_class(s, i);
    const char *other = in && in != mine && !given[in - guests] ? guest_job_of(s, in, prio) : NULL;
    if (check_own(s, requested, err))
        return err->code;
    if (other)
        return weft_err_set(err, WEFT_E_INPUT,
                            "its class %" PRIu32
                            " is the one in which workload '%s' goes by %s; give one of them "
                            "another priority, or both the same transport",
                            prio, other, in->name);
    if (requested && in && in != mine)
        return weft_err_set(err, WEFT_E_INPUT,
                            "its class %" PRIu32 " is one of %s.prios=%" PRIu32
                            "; give it another priority",
                            prio, in->section, classes_of(s, in));
    const uint32_t wrong = requested && !s->jobs[i].ops->flows
                               ? foreign_class(s, mine, classes_by_type(s))
                               : WEFT_NET_PRIOS;
    if (wrong < WEFT_NET_PRIOS)
        return weft_err_set(err, WEFT_E_INPUT,
                            "system.priorities=%s puts some of its messages into a class that is "
                            "%s's",
                            s->system->priorities,
                            guest_in(s, wrong) ? guest_in(s, wrong)->name : own(s));
    return 0;
}

static int all_tcp(const struct weft_resolver *r, struct weft_err *err)
{
    for (uint32_t i = 0; i < r->s->njobs; i++) {
        if (r->s->jobs[i].job->transport != WEFT_JOB_TRANSPORT_ROCE &&
            r->s->jobs[i].job->transport != WEFT_JOB_TRANSPORT_UET)
            continue;
        weft_err_set(err, WEFT_E_INPUT,
                     "transport.type=tcp carries everything by TCP; for both, leave that %s and "
                     "give the other workloads transport=\"tcp\"",
                     word_of(r->s->jobs[i].job->transport));
        return transports_refuse(r, i, err);
    }
    return 0;
}

/* Whether the file or a setting says which classes a guest has. */
static bool prios_given(const struct weft_scenario *s, const struct guest *g)
{
    const struct weft_scenario_group *group = weft_scenario_group_of(s, g->section);
    const struct weft_param *prios = weft_params_find(group->table, "prios");
    return group->origins[prios - group->table->params].kind != WEFT_ORIGIN_DEFAULT;
}

int weft_resolver_choose_transports(struct weft_resolver *r, struct weft_err *err)
{
    const struct weft_scenario *s = r->s;
    int requested = 0;
    for (uint32_t i = 0; i < s->njobs; i++)
        requested |= s->jobs[i].job->transport;
    if (!requested)
        return 0;
    if (!weft_scenario_group_of(s, "tcp"))
        return weft_scenario_warn(r->s, err,
                                  "'transport' of workloads has no effect: the backend '%s' has no "
                                  "transports",
                                  s->backend->name);
    if (transports_is(s, "transport", "type", "tcp"))
        return all_tcp(r, err);
    bool given[GUESTS];
    for (size_t k = 0; k < GUESTS; k++)
        given[k] = prios_given(s, &guests[k]);
    for (int own = 0; own < 2; own++) /* those with a class of their own first */
        for (uint32_t i = 0; i < s->njobs; i++) {
            const struct guest *g = guest_requested(s, i);
            if (g && (s->jobs[i].job->priority == 0) == own &&
                give_class(r, i, g, given[g - guests], err))
                return transports_refuse(r, i, err);
        }
    for (uint32_t i = 0; i < s->njobs; i++)
        if (check_job(s, i, given, err))
            return transports_refuse(r, i, err);
    return 0;
}
