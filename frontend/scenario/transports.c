/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workloads that say by which transport they go. What carries a message is decided by its traffic
 * class (tcp.prios), as on real ports: a workload that asks for TCP gets a class of TCP's, and
 * whatever contradicts that is an error.
 */
#include "base/list.h"
#include "scenario/resolve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES ((1u << WEFT_NET_PRIOS) - 1)

static struct weft_scenario_group *group_of(const struct weft_scenario *s, const char *element)
{
    for (size_t i = 0; i < s->ngroups; i++)
        if (strcmp(s->groups[i].element, element) == 0)
            return &s->groups[i];
    return NULL;
}

/* The value of a parameter; "" where the scenario has none of this name. */
static const char *text_of(const struct weft_scenario *s, const char *element, const char *name,
                           char buf[WEFT_PARAM_TEXT_MAX])
{
    const struct weft_scenario_group *g = group_of(s, element);
    const struct weft_param *p = g ? weft_params_find(g->table, name) : NULL;
    return p ? weft_params_format(p, g->values, buf, WEFT_PARAM_TEXT_MAX) : "";
}

static uint32_t number_of(const struct weft_scenario *s, const char *element, const char *name)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    return (uint32_t)strtoul(text_of(s, element, name, buf), NULL, 10);
}

static bool is(const struct weft_scenario *s, const char *element, const char *name,
               const char *value)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    return strcmp(text_of(s, element, name, buf), value) == 0;
}

const char *weft_scenario_own_transport(const struct weft_scenario *s)
{
    if (!group_of(s, "tcp"))
        return NULL;
    return is(s, "transport", "type", "uet") ? "uet" : "roce";
}

/* As messages call it: all QPs are of one transport. */
static const char *own(const struct weft_scenario *s)
{
    return is(s, "transport", "type", "uet") ? "UET" : "RoCE";
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
static uint32_t class_of(const struct weft_scenario *s, uint32_t i)
{
    const int priority = s->jobs[i].job->priority;
    return priority ? (uint32_t)priority - 1 : number_of(s, "transport", "data-prio");
}

bool weft_scenario_tcp_classes(const struct weft_scenario *s, uint32_t *classes)
{
    *classes = 0;
    if (!group_of(s, "tcp"))
        return false;
    if (is(s, "transport", "type", "tcp")) {
        *classes = CLASSES | 1u << WEFT_NET_PRIOS;
        return true;
    }
    *classes = number_of(s, "tcp", "prios") & CLASSES;
    if (*classes & bit(number_of(s, "transport", "data-prio")))
        *classes |= 1u << WEFT_NET_PRIOS;
    return true;
}

static int refuse(const struct weft_resolver *r, uint32_t i, struct weft_err *err)
{
    const struct weft_scenario_group *g = &r->s->groups[r->s->jobs[i].group];
    weft_err_prepend(err, "<workload name=\"%s\" transport=\"%s\">", r->s->jobs[i].name,
                     word_of(r->s->jobs[i].job->transport));
    return r->s->file[0] ? weft_err_locate(err, r->s->file, g->line, g->col) : err->code;
}

/* Classes by type of communication that are TCP's, or QPs' if not @p tcp. */
static uint32_t classes_by_type(const struct weft_scenario *s, uint32_t tcp_classes, bool tcp)
{
    const struct weft_param *p = weft_params_find(&weft_system_param_table, "priorities");
    struct weft_list list = {.text = s->system->priorities, .form = p->list};
    struct weft_list_item item;
    struct weft_err ignored = {0};
    uint32_t found = 0;
    while (weft_list_next(&list, &item, &ignored) > 0)
        found |= bit((uint32_t)item.field[1].value.u64);
    return tcp ? found & tcp_classes : found & ~tcp_classes;
}

/* Classes that QPs have for themselves: their own, and those of workloads that do not go by TCP. */
static uint32_t own_classes(const struct weft_scenario *s)
{
    uint32_t all = bit(number_of(s, "transport", "data-prio")) |
                   bit(number_of(s, "transport", "ack-prio")) |
                   bit(number_of(s, "transport", "cnp-prio"));
    if (is(s, "transport", "type", "uet"))
        all |= bit(number_of(s, "switch", "trim-prio"));
    for (uint32_t i = 0; i < s->njobs; i++)
        if (s->jobs[i].job->transport != WEFT_JOB_TRANSPORT_TCP)
            all |= bit(class_of(s, i));
    return all | classes_by_type(s, number_of(s, "tcp", "prios"), false);
}

static int set_number(struct weft_resolver *r, struct weft_scenario_group *g, const char *param,
                      uint32_t value, struct weft_err *err)
{
    const struct weft_origin implied = {WEFT_ORIGIN_PRESET, 0, 0};
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, value);
    return weft_resolver_set(r, g, param, text, "", implied, err);
}

/* The first class that TCP may have: one of tcp.prios if that is given, else one that loses packets
 * and is not QPs'. */
static int free_class(const struct weft_scenario *s, bool given, uint32_t *out,
                      struct weft_err *err)
{
    const uint32_t lossless = is(s, "pfc", "enabled", "true") ? number_of(s, "pfc", "prios") : 0;
    const uint32_t mask = number_of(s, "tcp", "prios");
    const uint32_t usable = given ? mask : CLASSES & ~(own_classes(s) | lossless);
    for (*out = 0; *out < WEFT_NET_PRIOS; (*out)++)
        if (usable & bit(*out))
            return 0;
    if (given)
        return weft_err_set(err, WEFT_E_INPUT, "tcp.prios is 0: no class is TCP's");
    return weft_err_set(err, WEFT_E_INPUT,
                        "no class is left for TCP: all others are %s's or lossless; give the "
                        "workload a priority of its own",
                        own(s));
}

/* Gives a workload that goes by TCP a class of TCP's. */
static int give_class(struct weft_resolver *r, uint32_t i, bool given, struct weft_err *err)
{
    struct weft_scenario *s = r->s;
    const uint32_t mask = number_of(s, "tcp", "prios");
    uint32_t prio = class_of(s, i);
    if (!s->jobs[i].job->priority) {
        if (free_class(s, given, &prio, err) ||
            set_number(r, &s->groups[s->jobs[i].group], "priority", prio, err))
            return err->code;
    } else if (given && !(mask & bit(prio))) {
        return weft_err_set(err, WEFT_E_INPUT,
                            "its priority is %" PRIu32 ", which tcp.prios=%" PRIu32
                            " leaves to %s; nearest: tcp.prios=%" PRIu32,
                            prio, mask, own(s), mask | bit(prio));
    }
    return given ? 0 : set_number(r, group_of(s, "tcp"), "prios", mask | bit(prio), err);
}

/* Whether some workload that asks for TCP has that class. */
static const char *tcp_job_of(const struct weft_scenario *s, uint32_t prio)
{
    for (uint32_t i = 0; i < s->njobs; i++)
        if (s->jobs[i].job->transport == WEFT_JOB_TRANSPORT_TCP && class_of(s, i) == prio)
            return s->jobs[i].name;
    return NULL;
}

/* Queue pairs are all of one transport: loss recovery and control are the run's. */
static int check_own(const struct weft_scenario *s, int asked, struct weft_err *err)
{
    const bool uet = is(s, "transport", "type", "uet");
    if (asked != (uet ? WEFT_JOB_TRANSPORT_ROCE : WEFT_JOB_TRANSPORT_UET))
        return 0;
    return weft_err_set(err, WEFT_E_INPUT,
                        "transport.type=%s: what does not go by TCP all goes by %s, whose loss "
                        "recovery and congestion control are the run's; nearest: "
                        "transport.type=%s, or transport=\"tcp\"; to compare both, sweep over "
                        "transport.type",
                        uet ? "uet" : "roce", own(s), word_of(asked));
}

/* What contradicts the transport that a workload asks for, or gets it by mistake. */
static int check_job(const struct weft_scenario *s, uint32_t i, bool given, struct weft_err *err)
{
    const int asked = s->jobs[i].job->transport;
    const bool by_qp = asked == WEFT_JOB_TRANSPORT_ROCE || asked == WEFT_JOB_TRANSPORT_UET;
    const uint32_t mask = number_of(s, "tcp", "prios"), prio = class_of(s, i);
    const char *other = given ? NULL : tcp_job_of(s, prio);
    const uint32_t wrong = asked && !s->jobs[i].ops->flows ? classes_by_type(s, mask, by_qp) : 0;
    if (check_own(s, asked, err))
        return err->code;
    if (asked != WEFT_JOB_TRANSPORT_TCP && other)
        return weft_err_set(err, WEFT_E_INPUT,
                            "its class %" PRIu32
                            " is the one in which workload '%s' goes by TCP; give one of them "
                            "another priority, or both the same transport",
                            prio, other);
    if (by_qp && (mask & bit(prio)))
        return weft_err_set(err, WEFT_E_INPUT,
                            "its class %" PRIu32 " is one of tcp.prios=%" PRIu32
                            "; give it another priority",
                            prio, mask);
    if (wrong)
        return weft_err_set(err, WEFT_E_INPUT,
                            "system.priorities=%s puts some of its messages into a class that is "
                            "%s's",
                            s->system->priorities, by_qp ? "TCP" : own(s));
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
        return refuse(r, i, err);
    }
    return 0;
}

int weft_resolver_choose_transports(struct weft_resolver *r, struct weft_err *err)
{
    const struct weft_scenario *s = r->s;
    const struct weft_scenario_group *tcp = group_of(s, "tcp");
    const struct weft_param *prios = tcp ? weft_params_find(tcp->table, "prios") : NULL;
    int asked = 0;
    for (uint32_t i = 0; i < s->njobs; i++)
        asked |= s->jobs[i].job->transport;
    if (!asked)
        return 0;
    if (!prios)
        return weft_scenario_warn(r->s, err,
                                  "'transport' of workloads has no effect: the backend '%s' has no "
                                  "transports",
                                  s->backend->name);
    if (is(s, "transport", "type", "tcp"))
        return all_tcp(r, err);
    const bool given = tcp->origins[prios - tcp->table->params].kind != WEFT_ORIGIN_DEFAULT;
    for (int own = 0; own < 2; own++) /* those with a class of their own first */
        for (uint32_t i = 0; i < s->njobs; i++)
            if (s->jobs[i].job->transport == WEFT_JOB_TRANSPORT_TCP &&
                (s->jobs[i].job->priority == 0) == own && give_class(r, i, given, err))
                return refuse(r, i, err);
    for (uint32_t i = 0; i < s->njobs; i++)
        if (check_job(s, i, given, err))
            return refuse(r, i, err);
    return 0;
}
