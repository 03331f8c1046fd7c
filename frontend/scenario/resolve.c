/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resolving a scenario: plug-ins are chosen first, each brings its table, then values are set in
 * the order default, file, override.
 */
#include "base/file.h"
#include "base/list.h"
#include "base/renamed.h"
#include "scenario/resolve.h"
#include "scenario/sections.h"
#include "topologies/read.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct weft_param number_of_threads[] = {
    {.name = "threads", .type = WEFT_PARAM_U64, .min = "1", .max = "255"}};
static const struct weft_list_form threads_form = {
    .like = "a number of threads, or auto",
    .fields = number_of_threads,
    .nfields = 1,
    .words = "auto",
    .joint = '\n' /* so one number */
};

static const struct weft_param run_params[] = {
    {WEFT_ROW_U64(struct weft_run_params, seed, "seed", "1", NULL, NULL),
     .help = "seed of every random stream"},
    {WEFT_ROW_STRING(struct weft_run_params, threads, "threads", "auto"),
     .help = "threads that run one run, 1 to 255, or auto: as many as make it fastest, up to one "
             "per processor; results are the same, see docs/explanation/threads-and-processes.md",
     .list = &threads_form},
    {WEFT_ROW_U64(struct weft_run_params, thread_shuffle, "thread-shuffle", "0", NULL, NULL),
     .help = "to test that: not 0, threads share every window, however little there is to do, and "
             "take their turns in random orders of that seed"},
    {WEFT_ROW_STRING(struct weft_run_params, replay, "replay", "auto"),
     .help = "off: every packet is simulated; exact: traffic that repeats itself is taken over "
             "instead, with the same results; auto: exact, but off with run.victims and mpirun; a "
             "tolerance, such as 1%: besides, messages that take as long as before, and traffic "
             "that has settled, are not simulated, see docs/explanation/replay-tolerance.md"},
    {WEFT_ROW_SIZE(struct weft_run_params, replay_bytes, "replay-memory", "256MiB", "0B", NULL),
     .help = "most memory for the states and periods that are remembered for that; what would need "
             "more is simulated",
     .needs = "replay!=off"},
    {WEFT_ROW_STRING(struct weft_run_params, replay_memo, "replay-memo", ""),
     .help =
         "file of how long messages took in earlier runs of the same fabric and transport: with "
         "a tolerance, read before the run and written after it; not written by weft sweep",
     .needs = "replay!=off|auto|exact"},
    {WEFT_ROW_BOOL(struct weft_run_params, replay_resample, "replay-resample", "false"),
     .help = "with a tolerance, messages whose times differ by more are not simulated either: each "
             "takes a time drawn from those seen; means and the end stay near the simulation, "
             "single messages do not",
     .needs = "replay!=off|auto|exact"},
    {WEFT_ROW_BOOL(struct weft_run_params, replay_eager, "replay-eager", "false"),
     .help = "to test that: repetitions are looked for however little there is to gain",
     .needs = "replay!=off"},
    {WEFT_ROW_TIME(struct weft_run_params, until_ps, "until", "0", NULL, NULL),
     .help = "simulated time at which the run ends; 0: when everything is done"},
    {WEFT_ROW_TIME(struct weft_run_params, warm_up_ps, "warm-up", "0", "0", NULL),
     .help = "messages posted before that time are left out of statistics of messages"},
    {WEFT_ROW_TIME(struct weft_run_params, measure_ps, "measure", "0", "0", NULL),
     .help = "the run ends so long after warm-up, as intended (exit code 0); 0: it doesn't"},
    {WEFT_ROW_TIME(struct weft_run_params, stall_after_ps, "stall-after", "1s", "0", NULL),
     .help = "simulated time without any message getting further after which the run ends, with "
             "what is stuck; more where links, timers or queues are slow; 0: never"},
    {WEFT_ROW_TIME(struct weft_run_params, victims_ps, "victims", "0", "0", NULL),
     .help = "simulated time between inspections for queue pairs that wait behind a PFC pause "
             "though the rest of their path is free (metrics victims, victim-time); 0: never",
     .needs = "replay=off|auto"},
    {WEFT_ROW_STRING(struct weft_run_params, link_rates, "link-rates", ""),
     .help = "rates of links in place of the topology's, later ones win: LINKS:RATE;..., where "
             "LINKS is hosts (links of hosts), switches (links between switches), all, or links as "
             "fault events name them, and RATE is a rate or xFACTOR: switches:x2; s16-s20:100Gbps"},
};
const struct weft_param_table weft_run_param_table =
    WEFT_PARAM_TABLE(run_params, struct weft_run_params);

const char *weft_origin_name(enum weft_origin_kind kind)
{
    switch (kind) {
    case WEFT_ORIGIN_DEFAULT:
        return "default";
    case WEFT_ORIGIN_PRESET:
        return "preset";
    case WEFT_ORIGIN_FILE:
        return "file";
    case WEFT_ORIGIN_OVERRIDE:
        return "override";
    }
    return "default";
}

/* The plug-in of one family: override, else file, else default ("" when there is none). */
static int resolve_choose(struct weft_resolver *r, enum weft_family_id id, const char *fallback,
                          struct weft_err *err)
{
    const struct weft_family *f = &weft_families[id];
    const struct weft_xml_elem *e = weft_resolver_elem(r, f->element);
    const struct weft_xml_attr *a = e ? weft_xml_get(e, f->selector) : NULL;
    const struct weft_override *o = NULL;
    for (size_t i = 0; i < r->noverrides; i++)
        if (strcmp(r->overrides[i].prefix, f->element) == 0 &&
            strcmp(r->overrides[i].param, f->selector) == 0)
            o = &r->overrides[i];
    if (o) {
        r->chosen_from[id] = (struct weft_origin){
            o < r->overrides + r->nimplied ? WEFT_ORIGIN_PRESET : WEFT_ORIGIN_OVERRIDE, 0, 0};
        if (weft_family_find(id, &r->backends, o->value, &r->chosen[id], err))
            return weft_err_prepend(err, "--set %s", o->text);
        return 0;
    }
    if (a) {
        r->chosen_from[id] = (struct weft_origin){WEFT_ORIGIN_FILE, a->line, a->col};
        if (weft_family_find(id, &r->backends, a->value, &r->chosen[id], err)) {
            weft_err_prepend(err, "<%s %s=\"%s\">", f->element, f->selector, a->value);
            return weft_err_locate(err, r->s->file, a->line, a->col);
        }
        return 0;
    }
    r->chosen_from[id] = (struct weft_origin){WEFT_ORIGIN_DEFAULT, 0, 0};
    if (fallback[0])
        return weft_family_find(id, &r->backends, fallback, &r->chosen[id], err);
    if (e)
        return weft_err_at(err, WEFT_E_INPUT, r->s->file, e->line, e->col,
                           "<%s> needs the attribute '%s'; see 'weft list %s'", f->element,
                           f->selector, id == WEFT_FAMILY_TOPOLOGY ? "topologies" : "workloads");
    return weft_err_at(
        err, WEFT_E_INPUT, r->s->file, r->root ? r->root->line : 0, 0,
        "no %s: add <%s %s=\"...\"/> to the scenario or --set %s.%s=...; see 'weft list %s'",
        f->what, f->element, f->selector, f->element, f->selector,
        id == WEFT_FAMILY_TOPOLOGY ? "topologies" : "workloads");
}

/* Whether file or overrides say what the only workload is. */
static bool has_workload(const struct weft_resolver *r)
{
    const char *element = weft_families[WEFT_FAMILY_WORKLOAD].element;
    for (size_t i = 0; i < r->noverrides; i++)
        if (strcmp(r->overrides[i].prefix, element) == 0)
            return true;
    return weft_resolver_count(r, element) > 0;
}

static int choose_all(struct weft_resolver *r, struct weft_err *err)
{
    struct weft_err quiet = {0};
    struct weft_plugin cc;
    /* DCQCN is what RoCE NICs run unless told otherwise. */
    const char *cc_default = "dcqcn";
    if (weft_family_find(WEFT_FAMILY_CC, &r->backends, cc_default, &cc, &quiet) &&
        weft_family_size(WEFT_FAMILY_CC, &r->backends) > 0)
        cc_default = weft_family_member(WEFT_FAMILY_CC, &r->backends, 0).name;
    int code = resolve_choose(r, WEFT_FAMILY_TOPOLOGY, "", err);
    if (!code)
        code = resolve_choose(r, WEFT_FAMILY_NETWORK, r->backends.list[0]->name, err);
    const char *implied = code ? NULL : weft_resolver_implied_control(r);
    if (!code)
        code = resolve_choose(r, WEFT_FAMILY_CC, implied ? implied : cc_default, err);
    if (implied && r->chosen_from[WEFT_FAMILY_CC].kind == WEFT_ORIGIN_DEFAULT)
        r->chosen_from[WEFT_FAMILY_CC].kind = WEFT_ORIGIN_PRESET;
    if (!code && weft_resolver_several_workloads(r))
        return weft_resolver_choose_workloads(r, err);
    if (!code && r->no_workloads && !has_workload(r))
        return 0;
    if (!code)
        code = resolve_choose(r, WEFT_FAMILY_WORKLOAD, "", err);
    if (code)
        return code;
    r->workloads =
        (struct weft_resolved_workload *)weft_arena_calloc(r->s->arena, 1, sizeof *r->workloads);
    if (!r->workloads)
        return weft_err_no_memory(err, "a scenario");
    r->workloads[r->nworkloads++] = (struct weft_resolved_workload){
        .elem = weft_resolver_elem(r, weft_families[WEFT_FAMILY_WORKLOAD].element),
        .type = r->chosen[WEFT_FAMILY_WORKLOAD],
        .from = r->chosen_from[WEFT_FAMILY_WORKLOAD]};
    return 0;
}

static int make_groups(struct weft_resolver *r, struct weft_err *err)
{
    /* topology, network, congestion-control, system, library, fault, sample, output, run */
    enum { OWN_GROUPS = 9 };
    struct weft_scenario *s = r->s;
    const struct weft_plugin *p = r->chosen;
    s->topology = (const struct weft_topology_ops *)p[WEFT_FAMILY_TOPOLOGY].ops;
    s->backend = (const struct weft_net_backend *)p[WEFT_FAMILY_NETWORK].ops;
    s->cc = s->backend->uses_cc ? (const struct weft_cc_ops *)p[WEFT_FAMILY_CC].ops : NULL;
    s->groups = (struct weft_scenario_group *)weft_arena_calloc(
        s->arena, s->backend->nsections + OWN_GROUPS + r->nworkloads, sizeof *s->groups);
    char *blob = (char *)weft_arena_alloc(s->arena, s->backend->params_size);
    if (!s->groups || !blob)
        return weft_err_no_memory(err, "a scenario");
    s->net_params = blob;
    int code = weft_resolver_add_group(r, "topology", WEFT_FAMILY_TOPOLOGY, s->topology->name,
                                       &s->topology->params, NULL, err);
    s->topology_params = s->groups[s->ngroups - 1].values;
    if (!code)
        code = weft_resolver_add_group(r, "network", WEFT_FAMILY_NETWORK, "network",
                                       &weft_no_params, blob, err);
    for (size_t i = 0; !code && i < s->backend->nsections; i++) {
        const struct weft_net_section *sec = &s->backend->sections[i];
        code = weft_resolver_add_group(r, sec->name, -1, sec->name, &sec->params,
                                       blob + sec->offset, err);
    }
    if (!code && s->cc) {
        code = weft_resolver_add_group(r, "congestion-control", WEFT_FAMILY_CC, s->cc->name,
                                       &s->cc->params, NULL, err);
        s->cc_params = s->groups[s->ngroups - 1].values;
    }
    if (!code) {
        code = weft_resolver_add_group(r, WEFT_SYSTEM_ELEMENT, -1, WEFT_SYSTEM_ELEMENT,
                                       &weft_system_param_table, NULL, err);
        s->system = (const struct weft_system_params *)s->groups[s->ngroups - 1].values;
    }
    if (!code) {
        struct weft_system_params *own =
            (struct weft_system_params *)s->groups[s->ngroups - 1].values;
        code = weft_resolver_add_group(r, WEFT_LIBRARY_ELEMENT, -1, WEFT_LIBRARY_ELEMENT,
                                       &weft_library_param_table, NULL, err);
        own->nccl = (const struct weft_library_params *)s->groups[s->ngroups - 1].values;
    }
    if (!code)
        code = weft_resolver_add_jobs(r, err);
    if (!code) {
        code = weft_resolver_add_group(r, WEFT_FAULT_ELEMENT, -1, WEFT_FAULT_ELEMENT,
                                       &weft_fault_param_table, NULL, err);
        s->faults = (const struct weft_fault_params *)s->groups[s->ngroups - 1].values;
    }
    if (!code) {
        code =
            weft_resolver_add_group(r, "sample", -1, "sample", &weft_sample_param_table, NULL, err);
        s->sample = (const struct weft_sample_params *)s->groups[s->ngroups - 1].values;
    }
    if (!code) {
        code =
            weft_resolver_add_group(r, "output", -1, "output", &weft_output_param_table, NULL, err);
        s->output = (const struct weft_output_params *)s->groups[s->ngroups - 1].values;
    }
    if (!code) {
        code = weft_resolver_add_group(r, "run", -1, "run", &weft_run_param_table, NULL, err);
        s->run = (const struct weft_run_params *)s->groups[s->ngroups - 1].values;
    }
    return code;
}

/* Every parameter without a default must have been set. */
static int check_required(struct weft_resolver *r, struct weft_err *err)
{
    struct weft_scenario *s = r->s;
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        for (size_t k = 0; k < g->table->n; k++) {
            const struct weft_param *p = &g->table->params[k];
            if (p->def || g->origins[k].kind != WEFT_ORIGIN_DEFAULT)
                continue;
            return weft_err_at(err, WEFT_E_INPUT, s->file, g->line, g->col,
                               "<%s>: '%s' must be given (%s); or --set %s.%s=...", g->element,
                               p->name, p->help, g->prefix, p->name);
        }
    }
    return 0;
}

/* The name used in outputs: the attribute, else the folder of scenario.xml, else the file's stem.
 */
static int set_name(struct weft_resolver *r, struct weft_err *err)
{
    struct weft_scenario *s = r->s;
    const struct weft_xml_attr *a = r->root ? weft_xml_get(r->root, "name") : NULL;
    const struct weft_xml_elem *d = r->root ? weft_resolver_elem(r, "description") : NULL;
    s->description = d ? weft_arena_strdup(s->arena, d->text) : "";
    if (!s->description)
        return weft_err_no_memory(err, "a scenario");
    if (a) {
        s->name = weft_arena_strdup(s->arena, a->value);
        return s->name ? 0 : weft_err_no_memory(err, "a scenario");
    }
    s->name = "unnamed";
    const char *slash = strrchr(s->file, '/');
    const char *base = slash ? slash + 1 : s->file;
    const char *from = base, *to = strrchr(base, '.');
    if (!to)
        to = base + strlen(base);
    if (strcmp(base, "scenario.xml") == 0) {
        from = to = base;
        if (slash && slash > s->file) {
            to = slash;
            from = slash;
            while (from > s->file && from[-1] != '/')
                from--;
        }
    }
    if (to > from && *from != '.')
        s->name = weft_arena_strndup(s->arena, from, (size_t)(to - from));
    return s->name ? 0 : weft_err_no_memory(err, "a scenario");
}

static int resolve_resolve(struct weft_resolver *r, const struct weft_scenario_options *o,
                           struct weft_err *err)
{
    r->nimplied = o->nimplied;
    r->no_workloads = o->no_workloads;
    int code = weft_resolver_parse_overrides(r, o->sets, o->nsets, err);
    if (!code)
        code = set_name(r, err);
    if (!code && r->root)
        code = weft_resolver_check_file(r, err);
    if (!code)
        code = choose_all(r, err);
    if (!code)
        code = make_groups(r, err);
    if (!code)
        code = weft_resolver_apply_presets(r, err);
    if (!code && r->root)
        code = weft_resolver_apply_file(r, err);
    if (!code)
        code = weft_resolver_apply_overrides(r, err);
    if (!code)
        code = check_required(r, err);
    if (!code)
        code = weft_scenario_read_replay(r->s, err);
    if (!code)
        code = weft_resolver_choose_transports(r, err);
    if (!code)
        code = weft_resolver_imply(r, err);
    if (!code)
        code = weft_resolver_warn_unused(r, err);
    return code;
}

/* Elements of the file under a former name get the present one. */
static int rename_elements(struct weft_resolver *r, struct weft_xml_elem *root,
                           struct weft_err *err)
{
    for (struct weft_xml_elem *e = root->children; e; e = e->next) {
        const char *present = weft_renamed_find(WEFT_RENAMED_SECTION, e->name);
        if (present &&
            weft_scenario_warn(r->s, err, "%s:%" PRId64 ":%" PRId64 ": " WEFT_RENAMED_WARNING,
                               r->s->file, e->line, e->col, e->name, present))
            return err->code;
        e->name = present ? present : e->name;
    }
    return 0;
}

/* In place of a scenario, the topology file @p file of @p kind: two settings more that it implies.
 */
static int topology_alone(struct weft_arena *a, const char *kind, const char *file,
                          struct weft_scenario_options *o, struct weft_err *err)
{
    const char **sets = (const char **)weft_arena_alloc(a, (o->nsets + 2) * sizeof *sets);
    if (!sets || !(sets[0] = weft_arena_printf(a, "topology.type=%s", kind)) ||
        !(sets[1] = weft_arena_printf(a, "%s.file=%s", kind, file)))
        return weft_err_no_memory(err, "a scenario");
    for (size_t i = 0; i < o->nsets; i++)
        sets[i + 2] = o->sets[i];
    o->sets = sets;
    o->nsets += 2;
    o->nimplied += 2;
    return 0;
}

static int load(const char *text, size_t len, const char *file,
                const struct weft_scenario_options *o, struct weft_scenario **out,
                struct weft_err *err)
{
    *out = NULL;
    if (o->nbackends == 0)
        return weft_err_set(err, WEFT_E_INTERNAL, "no network backend is compiled in");
    struct weft_arena *a = weft_arena_new();
    struct weft_scenario *s = a ? (struct weft_scenario *)weft_arena_alloc(a, sizeof *s) : NULL;
    if (!s) {
        weft_arena_free(a);
        return weft_err_no_memory(err, "a scenario");
    }
    s->arena = a;
    struct weft_resolver r = {.s = s, .backends = {o->backends, o->nbackends}};
    s->file = file ? weft_arena_strdup(a, file) : "";
    int code = s->file ? 0 : weft_err_no_memory(err, "a scenario");
    struct weft_scenario_options options = *o;
    const char *kind = NULL;
    char *read = NULL;
    if (!code && file && !text) {
        code = weft_file_read(file, WEFT_XML_MAX_BYTES, &read, &len, err);
        text = read;
        kind = code ? NULL : weft_topology_kind(text);
    }
    if (!code && kind)
        code = topology_alone(a, kind, file, &options, err);
    if (!code && text && !kind) {
        struct weft_xml_elem *root;
        code = weft_xml_parse(text, len, s->file, a, &root, err);
        r.root = root;
        if (!code)
            code = rename_elements(&r, root, err);
    }
    free(read);
    if (!code)
        code = resolve_resolve(&r, &options, err);
    if (code) {
        weft_scenario_free(s);
        return code;
    }
    s->noverrides = r.noverrides;
    *out = s;
    return 0;
}

int weft_scenario_load(const char *file, const struct weft_scenario_options *o,
                       struct weft_scenario **out, struct weft_err *err)
{
    return load(NULL, 0, file, o, out, err);
}

int weft_scenario_parse(const char *text, size_t len, const char *file,
                        const struct weft_scenario_options *o, struct weft_scenario **out,
                        struct weft_err *err)
{
    return load(text, len, file, o, out, err);
}

void weft_scenario_free(struct weft_scenario *s)
{
    if (s)
        weft_arena_free(s->arena); /* s itself lives in it */
}
