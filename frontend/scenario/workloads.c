/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workloads of a scenario: one group for each element <workload>, whose table is that of its
 * type with what every workload has added to it.
 */
#include "scenario/resolve.h"

#include "base/list.h"
#include "jobs/placement.h"

#include <stddef.h>
#include <string.h>

static const struct weft_param job_params[] = {
    {WEFT_ROW_STRING(struct weft_job_params, name, "name", ""),
     .help = "of this workload in keys and outputs; empty: its type"},
    {WEFT_ROW_ENUM(struct weft_job_params, placement, "placement", "packed", WEFT_PLACEMENTS),
     .help = "which of the free hosts its ranks are on, see docs/explanation/jobs.md",
     .needs = "hosts= and hosts-file="},
    {WEFT_ROW_U64(struct weft_job_params, placement_seed, "placement-seed", "1", NULL, NULL),
     .help = "seed of placement random", .needs = "placement=random and hosts= and hosts-file="},
    {WEFT_ROW_STRING(struct weft_job_params, hosts, "hosts", ""),
     .help = "hosts of its ranks, in order, in place of placement: 8-15,0",
     .list = &weft_ranges_form},
    {WEFT_ROW_STRING(struct weft_job_params, hosts_file, "hosts-file", ""),
     .help = "file with the hosts of its ranks"},
    {WEFT_ROW_ENUM(struct weft_job_params, share, "share", "auto", "auto|true|false"),
     .help = "whether it may have hosts that other workloads have; auto: flows may"},
    {WEFT_ROW_TIME(struct weft_job_params, start_ps, "start", "0", "0", NULL),
     .help = "simulated time at which it begins"},
    {WEFT_ROW_ENUM(struct weft_job_params, priority, "priority", "default",
                   "default|0|1|2|3|4|5|6|7"),
     .help = "traffic class of what asks for none by itself; default: the backend's"},
    {WEFT_ROW_ENUM(struct weft_job_params, transport, "transport", "default",
                   "default|roce|tcp|uet"),
     .help = "what carries its messages; default: tcp or uet where its class is one of tcp.prios "
             "or uet.prios, else transport.type. tcp, and uet beside RoCE, give it a class of its "
             "own if it has none"},
    {WEFT_ROW_U64(struct weft_job_params, repeat, "repeat", "1", "1", "1000000"),
     .help = "how often it is played, one time after the other"},
    {WEFT_ROW_BOOL(struct weft_job_params, idle, "idle", "false"),
     .help = "it keeps its hosts but is not played, to see the others without it"},
};
const struct weft_param_table weft_job_param_table =
    WEFT_PARAM_TABLE(job_params, struct weft_job_params);

/* Where weft_job_params are behind the parameters of a type. */
static size_t job_offset(const struct weft_param_table *own)
{
    const size_t unit = _Alignof(max_align_t);
    return (own->struct_size + unit - 1) / unit * unit;
}

struct weft_param_table *weft_job_table(const struct weft_param_table *own,
                                        struct weft_arena *arena, struct weft_err *err)
{
    const struct weft_param_table *job = &weft_job_param_table;
    struct weft_param_table *t = (struct weft_param_table *)weft_arena_calloc(arena, 1, sizeof *t);
    struct weft_param *all =
        (struct weft_param *)weft_arena_calloc(arena, own->n + job->n, sizeof *all);
    if (!t || !all) {
        weft_err_no_memory(err, "a scenario");
        return NULL;
    }
    if (own->n)
        memcpy(all, own->params, own->n * sizeof *all);
    memcpy(all + own->n, job->params, job->n * sizeof *all);
    for (size_t k = own->n; k < own->n + job->n; k++)
        all[k].offset += job_offset(own);
    *t = (struct weft_param_table){all, own->n + job->n, job_offset(own) + job->struct_size};
    return t;
}

/* The first override of @p param of a workload that goes by @p name. */
static const struct weft_override *override_of(const struct weft_resolver *r, const char *name,
                                               const char *param)
{
    const struct weft_override *found = NULL;
    for (size_t i = 0; i < r->noverrides; i++)
        if (strcmp(r->overrides[i].prefix, name) == 0 && strcmp(r->overrides[i].param, param) == 0)
            found = &r->overrides[i];
    return found;
}

/* The type of one of several workloads. */
static int choose_one(struct weft_resolver *r, struct weft_resolved_workload *w,
                      struct weft_err *err)
{
    const struct weft_family *f = &weft_families[WEFT_FAMILY_WORKLOAD];
    const struct weft_xml_attr *a = weft_xml_get(w->elem, f->selector);
    const struct weft_xml_attr *name = weft_xml_get(w->elem, "name");
    const struct weft_override *o = name ? override_of(r, name->value, f->selector) : NULL;
    if (o) {
        w->from = (struct weft_origin){WEFT_ORIGIN_OVERRIDE, 0, 0};
        if (weft_family_find(WEFT_FAMILY_WORKLOAD, &r->backends, o->value, &w->type, err))
            return weft_err_prepend(err, "--set %s", o->text);
        return 0;
    }
    if (!a)
        return weft_err_at(err, WEFT_E_INPUT, r->s->file, w->elem->line, w->elem->col,
                           "<%s> needs the attribute '%s'; see 'weft list workloads'", f->element,
                           f->selector);
    w->from = (struct weft_origin){WEFT_ORIGIN_FILE, a->line, a->col};
    if (weft_family_find(WEFT_FAMILY_WORKLOAD, &r->backends, a->value, &w->type, err)) {
        weft_err_prepend(err, "<%s %s=\"%s\">", f->element, f->selector, a->value);
        return weft_err_locate(err, r->s->file, a->line, a->col);
    }
    return 0;
}

/* --set workload.type=cdf,bg:incast: the override that lists several types, with names or without.
 * NULL: none does. */
static const struct weft_override *type_list(const struct weft_resolver *r)
{
    const struct weft_family *f = &weft_families[WEFT_FAMILY_WORKLOAD];
    const struct weft_override *o = override_of(r, f->element, f->selector);
    return o && strpbrk(o->value, ",:") ? o : NULL;
}

bool weft_resolver_several_workloads(const struct weft_resolver *r)
{
    return weft_resolver_count(r, weft_families[WEFT_FAMILY_WORKLOAD].element) > 1 || type_list(r);
}

/* An element "NAME:TYPE", or "TYPE", of a list, as a file would have it. NULL: WEFT_E_LIMIT. */
static const struct weft_xml_elem *listed_element(struct weft_resolver *r, const char *text,
                                                  size_t len, struct weft_err *err)
{
    struct weft_arena *a = r->s->arena;
    struct weft_xml_elem *e = (struct weft_xml_elem *)weft_arena_calloc(a, 1, sizeof *e);
    struct weft_xml_attr *attr = (struct weft_xml_attr *)weft_arena_calloc(a, 2, sizeof *attr);
    const char *colon = memchr(text, ':', len);
    const char *type = colon ? colon + 1 : text;
    if (e && attr) {
        attr[0].name = weft_families[WEFT_FAMILY_WORKLOAD].selector;
        attr[0].value = weft_arena_strndup(a, type, len - (size_t)(type - text));
        attr[0].next = colon ? &attr[1] : NULL;
        attr[1].name = "name";
        attr[1].value = weft_arena_strndup(a, text, colon ? (size_t)(colon - text) : 0);
        *e = (struct weft_xml_elem){
            .name = weft_families[WEFT_FAMILY_WORKLOAD].element, .text = "", .attrs = attr};
    }
    if (e && attr && attr[0].value && attr[1].value)
        return e;
    weft_err_no_memory(err, "a scenario");
    return NULL;
}

/* Whether the file's element is the one that a list names, by its name or type. */
static bool is_listed(const struct weft_xml_elem *of_file, const struct weft_xml_elem *listed)
{
    const struct weft_xml_attr *name = weft_xml_get(of_file, "name");
    const struct weft_xml_attr *type =
        weft_xml_get(of_file, weft_families[WEFT_FAMILY_WORKLOAD].selector);
    const struct weft_xml_attr *want = weft_xml_get(listed, "name");
    if (want || name)
        return want && name && strcmp(want->value, name->value) == 0;
    return type && strcmp(listed->attrs->value, type->value) == 0;
}

/* The workloads of a list. That of the file is one of them, with its attributes. */
static int choose_listed(struct weft_resolver *r, const struct weft_override *o,
                         struct weft_err *err)
{
    const char *element = weft_families[WEFT_FAMILY_WORKLOAD].element;
    const struct weft_xml_elem *of_file = weft_resolver_elem(r, element);
    r->workloads = (struct weft_resolved_workload *)weft_arena_calloc(r->s->arena, strlen(o->value),
                                                                      sizeof *r->workloads);
    if (!r->workloads)
        return weft_err_no_memory(err, "a scenario");
    for (const char *at = o->value; at; r->nworkloads++) {
        struct weft_resolved_workload *w = &r->workloads[r->nworkloads];
        const size_t len = strcspn(at, ",");
        w->elem = listed_element(r, at, len, err);
        if (!w->elem || choose_one(r, w, err))
            return weft_err_prepend(err, "--set %s", o->text);
        w->from = (struct weft_origin){WEFT_ORIGIN_OVERRIDE, 0, 0};
        if (of_file && is_listed(of_file, w->elem)) {
            w->elem = of_file;
            of_file = NULL;
        }
        at = at[len] ? at + len + 1 : NULL;
    }
    if (!of_file)
        return 0;
    const struct weft_xml_attr *name = weft_xml_get(of_file, "name");
    return weft_err_at(err, WEFT_E_INPUT, r->s->file, of_file->line, of_file->col,
                       "--set %s: the list leaves out the workload of the scenario, '%s'", o->text,
                       name ? name->value : weft_xml_get(of_file, "type")->value);
}

int weft_resolver_choose_workloads(struct weft_resolver *r, struct weft_err *err)
{
    const char *element = weft_families[WEFT_FAMILY_WORKLOAD].element;
    const struct weft_override *list = type_list(r);
    const uint32_t n = weft_resolver_count(r, element);
    uint32_t listed = 1;
    for (const char *at = list ? list->value : ""; (at = strchr(at, ',')); at++)
        listed++;
    for (size_t i = 0; i < r->noverrides; i++)
        if (strcmp(r->overrides[i].prefix, element) == 0 &&
            (n > 1 || strcmp(r->overrides[i].param, weft_families[WEFT_FAMILY_WORKLOAD].selector)))
            return weft_err_set(err, WEFT_E_INPUT,
                                "--set %s: the scenario has %u workloads; say which by its name: "
                                "NAME.%s=%s",
                                r->overrides[i].text, n > 1 ? n : listed, r->overrides[i].param,
                                r->overrides[i].value);
    if (list)
        return choose_listed(r, list, err);
    r->workloads =
        (struct weft_resolved_workload *)weft_arena_calloc(r->s->arena, n, sizeof *r->workloads);
    if (!r->workloads)
        return weft_err_no_memory(err, "a scenario");
    for (const struct weft_xml_elem *e = r->root->children; e; e = e->next) {
        struct weft_resolved_workload *w = &r->workloads[r->nworkloads];
        if (strcmp(e->name, element) != 0)
            continue;
        w->elem = e;
        if (choose_one(r, w, err))
            return err->code;
        r->nworkloads++;
    }
    return 0;
}

/* Names a workload: as it says, or by its type with a number if that is needed. */
static const char *name_one(struct weft_resolver *r, uint32_t i, struct weft_err *err)
{
    const struct weft_resolved_workload *w = &r->workloads[i];
    const struct weft_xml_attr *a = w->elem ? weft_xml_get(w->elem, "name") : NULL;
    uint32_t before = 0;
    const char *name = a ? a->value : "";
    for (uint32_t k = 0; !name[0] && k < i; k++)
        before += strcmp(r->workloads[k].type.name, w->type.name) == 0;
    if (!name[0])
        name = before ? weft_arena_printf(r->s->arena, "%s-%u", w->type.name, before + 1)
                      : w->type.name;
    if (!name)
        weft_err_no_memory(err, "a scenario");
    return name;
}

static int no_such_name(const struct weft_resolver *r, const struct weft_resolved_workload *w,
                        const char *why, struct weft_err *err)
{
    return weft_err_at(err, WEFT_E_INPUT, r->s->file, w->elem ? w->elem->line : 0,
                       w->elem ? w->elem->col : 0, "<workload name=\"%s\">: %s", w->name, why);
}

/* Keys begin with the name. */
static int check_name(const struct weft_resolver *r, uint32_t i, struct weft_err *err)
{
    const struct weft_resolved_workload *w = &r->workloads[i];
    if (strspn(w->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") !=
        strlen(w->name))
        return no_such_name(r, w, "a name has letters, digits, '-' and '_'", err);
    for (uint32_t k = 0; k < i; k++)
        if (strcmp(r->workloads[k].name, w->name) == 0)
            return no_such_name(r, w, "another workload has this name; names are unique", err);
    for (size_t k = 0; k < r->s->ngroups; k++)
        if (strcmp(r->s->groups[k].element, w->name) == 0 ||
            (strcmp(w->name, w->type.name) != 0 && strcmp(r->s->groups[k].prefix, w->name) == 0))
            return no_such_name(r, w, "that is the name of other settings", err);
    if (strcmp(w->name, weft_families[WEFT_FAMILY_WORKLOAD].element) == 0 ||
        strcmp(w->name, "run") == 0 || strcmp(w->name, "sample") == 0 ||
        strcmp(w->name, "output") == 0 || strcmp(w->name, WEFT_FAULT_ELEMENT) == 0)
        return no_such_name(r, w, "that is the name of other settings", err);
    return 0;
}

static int name_all(struct weft_resolver *r, struct weft_err *err)
{
    for (uint32_t i = 0; i < r->nworkloads; i++) {
        r->workloads[i].name = name_one(r, i, err);
        if (!r->workloads[i].name || check_name(r, i, err))
            return err->code;
    }
    return 0;
}

int weft_resolver_add_jobs(struct weft_resolver *r, struct weft_err *err)
{
    struct weft_scenario *s = r->s;
    if (r->nworkloads == 0)
        return 0;
    s->jobs =
        (struct weft_scenario_job *)weft_arena_calloc(s->arena, r->nworkloads, sizeof *s->jobs);
    if (!s->jobs)
        return weft_err_no_memory(err, "a scenario");
    if (name_all(r, err))
        return err->code;
    for (; s->njobs < r->nworkloads; s->njobs++) {
        const struct weft_resolved_workload *w = &r->workloads[s->njobs];
        const struct weft_workload_ops *ops = (const struct weft_workload_ops *)w->type.ops;
        const struct weft_param_table *t = weft_job_table(&ops->params, s->arena, err);
        if (!t)
            return err->code;
        r->chosen[WEFT_FAMILY_WORKLOAD] = w->type;
        r->chosen_from[WEFT_FAMILY_WORKLOAD] = w->from;
        if (weft_resolver_add_group(r, weft_families[WEFT_FAMILY_WORKLOAD].element,
                                    WEFT_FAMILY_WORKLOAD, w->name, t, NULL, err))
            return err->code;
        struct weft_scenario_group *g = &s->groups[s->ngroups - 1];
        if (w->elem) {
            g->line = w->elem->line;
            g->col = w->elem->col;
        }
        if (w->elem && !w->elem->line && weft_xml_get(w->elem, "name") &&
            weft_resolver_set(r, g, "name", w->name, "", w->from, err))
            return err->code;
        if (r->nworkloads > 1)
            g->label = w->name;
        s->jobs[s->njobs] = (struct weft_scenario_job){
            .name = w->name,
            .ops = ops,
            .params = g->values,
            .job = (const struct weft_job_params *)(const void *)((const char *)g->values +
                                                                  job_offset(&ops->params)),
            .group = s->ngroups - 1};
    }
    return 0;
}
