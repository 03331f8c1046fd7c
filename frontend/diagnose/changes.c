/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of changes: from faults and settings; parts.c and rules.c add those of links, hosts and
 * ranks, and those that symptoms suggest. */
#include "base/grow.h"
#include "base/units.h"
#include "diagnose/diagnose.h"

#include <string.h>

const char *weft_change_class_name(enum weft_change_class c)
{
    static const char *const names[] = {
        [WEFT_CHANGE_FAULT] = "fault",   [WEFT_CHANGE_LINK] = "link",
        [WEFT_CHANGE_JOB] = "workload",  [WEFT_CHANGE_SETTING] = "setting",
        [WEFT_CHANGE_TUNING] = "tuning", [WEFT_CHANGE_CAPACITY] = "capacity",
    };
    return names[c];
}

/* A change of links' rates comes after those that the run has: it would replace them. */
static const char *changes_setting(const struct weft_changes *c, const char *set)
{
    static const char key[] = "run.link-rates=";
    const size_t n = sizeof key - 1;
    if (!c->link_rates || !*c->link_rates || strncmp(set, key, n) != 0)
        return set;
    return weft_arena_printf(c->arena, "%s%s;%s", key, c->link_rates, set + n);
}

int weft_changes_add(struct weft_changes *c, const struct weft_change *like, const char *set1,
                     const char *set2, const char *set3, struct weft_err *err)
{
    const char *const given[] = {set1, set2, set3};
    struct weft_change own = *like;
    if (!WEFT_ARENA_GROW(c->arena, c->list, c->n, &c->cap))
        return weft_err_no_memory(err, "changes to try");
    own.sets = (const char **)weft_arena_calloc(c->arena, 3, sizeof *own.sets);
    if (!own.sets || !own.what || !own.advice)
        return weft_err_no_memory(err, "changes to try");
    own.nsets = 0;
    for (size_t i = 0; i < 3; i++)
        if (given[i]) {
            own.sets[own.nsets] = changes_setting(c, given[i]);
            if (!own.sets[own.nsets++])
                return weft_err_no_memory(err, "changes to try");
        }
    c->list[c->n++] = own;
    return 0;
}

/* The text of a value, without what "auto" comes to. */
static const char *value_text(const struct weft_param *p, const void *values,
                              struct weft_arena *arena)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    const char *text = "";
    if (p->type == WEFT_PARAM_STRING) {
        text = *(const char *const *)((const char *)values + p->offset);
        return text ? text : "";
    }
    return weft_arena_strdup(arena, weft_params_format(p, values, buf, sizeof buf));
}

const char *weft_group_value(const struct weft_scenario_group *g, const char *param,
                             struct weft_arena *arena)
{
    const struct weft_param *p = g ? weft_params_find(g->table, param) : NULL;
    const char *text = p ? value_text(p, g->values, arena) : "";
    return text ? text : "";
}

/* ---- faults ---- */

enum { MOST_ENTRIES = 32 };

/* The first @p len bytes of a text without the blanks around them. */
static const char *trimmed(const char *text, size_t *len)
{
    while (*len && *text == ' ') {
        text++;
        --*len;
    }
    while (*len && text[*len - 1] == ' ')
        --*len;
    return text;
}

const char *weft_changes_events_without(struct weft_changes *c, const char *events,
                                        uint64_t entries)
{
    const char *left = "";
    unsigned number = 0;
    for (const char *at = events; left && *at;) {
        const size_t end = strcspn(at, ";");
        size_t len = end;
        const char *text = trimmed(at, &len);
        if (len && !(++number < 64 && entries >> number & 1))
            left = weft_arena_printf(c->arena, "%s%s%.*s", left, *left ? "; " : "", (int)len, text);
        at += end + (at[end] == ';');
    }
    return left;
}

/* What the dearest of the links costs that an entry of fault.events makes slow; 0: not known. */
static double cost_of_entry(const struct weft_symptoms *y, unsigned entry)
{
    for (size_t i = 0; i < y->nslow; i++)
        if (y->slow[i].entry == entry)
            return y->slow[i].cost;
    return 0;
}

int weft_changes_of_faults(struct weft_changes *c, const struct weft_scenario *s,
                           const struct weft_symptoms *y, struct weft_err *err)
{
    const char *events = s->faults->events;
    unsigned number = 0;
    for (const char *at = events; *at && number < MOST_ENTRIES;) {
        const size_t end = strcspn(at, ";");
        size_t len = end;
        const char *text = trimmed(at, &len);
        at += end + (at[end] == ';');
        if (!len)
            continue;
        const char *rest = weft_changes_events_without(c, events, UINT64_C(1) << ++number);
        const struct weft_change like = {
            .class = WEFT_CHANGE_FAULT,
            .what = weft_arena_printf(c->arena, "without the fault '%.*s'", (int)len, text),
            .advice = "Repair or take out of service what this fault names.",
            .weight = WEFT_CHANGE_UNINTENDED,
            .part = true,
            .cost = cost_of_entry(y, number),
        };
        if (!rest ||
            weft_changes_add(c, &like,
                             weft_arena_printf(c->arena, WEFT_FAULT_ELEMENT ".events=%s", rest),
                             NULL, NULL, err))
            return weft_err_no_memory(err, "changes to try");
    }
    const struct weft_change all = {
        .class = WEFT_CHANGE_FAULT,
        .what = "without any fault",
        .advice = "Repair or take out of service what the faults name.",
        .weight = WEFT_CHANGE_SEVERAL,
        .order = 1,
    };
    return number > 1 ? weft_changes_add(c, &all, WEFT_FAULT_ELEMENT ".events=", NULL, NULL, err)
                      : 0;
}

/* ---- settings ---- */

/* Elements whose settings say how the network and the collectives work, not how much there is to
 * do. */
static bool is_configuration(const char *element)
{
    static const char *const elements[] = {
        "transport",          "switch", "pfc", "ecn", "credit", "in-network", "uet", "tcp", "ideal",
        "congestion-control", "system"};
    return WEFT_IS_ONE_OF(element, elements);
}

/* Settings of workloads that change how the same work is done. */
static bool is_manner_of_work(const char *param)
{
    static const char *const names[] = {"placement",
                                        "hosts",
                                        "hosts-file",
                                        "priority",
                                        "transport",
                                        "stage-layers",
                                        "expert-skew",
                                        "schedule",
                                        "recompute",
                                        "overlap-grad-reduce",
                                        "overlap-param-gather",
                                        "kernel-launch",
                                        "gemm-efficiency",
                                        "memory-bandwidth",
                                        "peak-tflops",
                                        "bucket-parameters",
                                        "data-parallel"};
    return WEFT_IS_ONE_OF(param, names);
}

/* Settings that say what is simulated, or for how long, not how. */
static bool is_left_alone(const char *element, const char *param)
{
    static const struct {
        const char *element, *param;
    } list[] = {{"transport", "type"},
                {"system", "dims"},
                {"system", "algorithm-dir"},
                {"system", "dim-bandwidths"},
                {"system", "dim-latencies"},
                {"system", "roofline"},
                {"transport", "time-quantum"},
                {"transport", "ns3-event-order"},
                {"pfc", "allow-deadlock"},
                {"pfc", "repeat-limit"},
                {"uet", "prios"},
                {"tcp", "prios"}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(element, list[i].element) == 0 && strcmp(param, list[i].param) == 0)
            return true;
    return false;
}

/* Whether value @p i of a group was given by the user and is not the default; *def receives it. */
static bool differs(const struct weft_scenario_group *g, size_t i, const void *defaults,
                    struct weft_arena *arena, const char **value, const char **def)
{
    const struct weft_param *p = &g->table->params[i];
    const enum weft_origin_kind from = g->origins[i].kind;
    if ((from != WEFT_ORIGIN_FILE && from != WEFT_ORIGIN_OVERRIDE) || !p->def)
        return false;
    *value = value_text(p, g->values, arena);
    *def = value_text(p, defaults, arena);
    return *value && *def && strcmp(*value, *def) != 0;
}

/* A choice of algorithm is no oversight. */
static bool is_algorithm(const char *key)
{
    static const char *const names[] = {
        "system.all-",   "system.reduce-scatter", "system.broadcast", "system.reduce=",
        "system.gather", "system.scatter",        "switch.balance",   "transport.recovery"};
    return WEFT_BEGINS_WITH_ONE_OF(key, names);
}

static int add_setting(struct weft_changes *c, const char *key, const char *value, const char *def,
                       struct weft_err *err)
{
    const bool chosen = is_algorithm(key);
    const bool on = strcmp(def, "true") == 0, off = strcmp(def, "false") == 0;
    const struct weft_change like = {
        .class = chosen ? WEFT_CHANGE_TUNING : WEFT_CHANGE_SETTING,
        .what = weft_arena_printf(c->arena, "%s at its default, %s, instead of %s", key,
                                  *def ? def : "empty", *value ? value : "empty"),
        .advice = on || off ? weft_arena_printf(c->arena, "Set %s=%s.", key, def)
                            : weft_arena_printf(c->arena, "Set %s %sto its default, %s.", key,
                                                strspn(def, "0123456789") ? "nearer " : "",
                                                *def ? def : "empty"),
        .weight = chosen ? 1 : WEFT_CHANGE_UNINTENDED,
        .order = 1,
    };
    return weft_changes_add(c, &like, weft_arena_printf(c->arena, "%s=%s", key, def), NULL, NULL,
                            err);
}

/* The thresholds of marking are one thing: one of them alone may contradict the others. */
static int add_thresholds(struct weft_changes *c, const struct weft_scenario_group *g,
                          const void *defaults, struct weft_err *err)
{
    static const char *const names[] = {"kmin", "kmax", "pmax"};
    const char *sets[3] = {NULL}, *text = "";
    size_t n = 0;
    for (size_t i = 0; i < g->table->n; i++) {
        const char *value, *def;
        for (size_t k = 0; k < 3; k++)
            if (strcmp(g->table->params[i].name, names[k]) == 0 &&
                differs(g, i, defaults, c->arena, &value, &def)) {
                text = weft_arena_printf(c->arena, "%s%secn.%s=%s", text, n ? ", " : "", names[k],
                                         value);
                sets[n] = weft_arena_printf(c->arena, "ecn.%s=%s", names[k], def);
                if (!text || !sets[n++])
                    return weft_err_no_memory(err, "changes to try");
            }
    }
    const struct weft_change like = {
        .class = WEFT_CHANGE_SETTING,
        .what = weft_arena_printf(
            c->arena, "ECN thresholds at what the control is tuned for, instead of %s", text),
        .advice = "Set ecn.kmin, ecn.kmax and ecn.pmax to what the congestion control is tuned "
                  "for ('weft show cc NAME').",
        .weight = WEFT_CHANGE_UNINTENDED,
        .order = 1,
    };
    return n ? weft_changes_add(c, &like, sets[0], sets[1], sets[2], err) : 0;
}

static bool is_threshold(const char *element, const char *param)
{
    return strcmp(element, "ecn") == 0 &&
           (strcmp(param, "kmin") == 0 || strcmp(param, "kmax") == 0 || strcmp(param, "pmax") == 0);
}

enum { MOST_STRAGGLERS = 8 };

/* Each rank of a list that is slower than the others, alone. */
static int add_stragglers(struct weft_changes *c, const char *list, struct weft_err *err)
{
    size_t n = 0;
    for (const char *at = list; *at && n < MOST_STRAGGLERS; n++) {
        const size_t len = strcspn(at, ",");
        const char *next = at + len + (at[len] == ',');
        if (n == 0 && !*next)
            return 0; /* one: the setting as a whole says it */
        const char *rest =
            weft_arena_printf(c->arena, "system.stragglers=%.*s%s",
                              (int)(at - list - (*next == '\0' && at > list)), list, next);
        const struct weft_change like = {
            .class = WEFT_CHANGE_SETTING,
            .what = weft_arena_printf(c->arena, "rank %.*s of system.stragglers at full speed",
                                      (int)strcspn(at, ":,"), at),
            .advice = "Repair this rank, or give it less to do.",
            .weight = WEFT_CHANGE_UNINTENDED,
            .order = 1,
            .part = true,
        };
        if (!rest || weft_changes_add(c, &like, rest, NULL, NULL, err))
            return weft_err_no_memory(err, "changes to try");
        at = next;
    }
    return 0;
}

static int add_group(struct weft_changes *c, const struct weft_scenario_group *g, bool workload,
                     struct weft_err *err)
{
    void *defaults = weft_arena_calloc(c->arena, 1, g->table->struct_size + 1);
    if (!defaults)
        return weft_err_no_memory(err, "changes to try");
    if (weft_params_defaults(g->table, defaults, err))
        return err->code;
    if (strcmp(g->element, "ecn") == 0 && add_thresholds(c, g, defaults, err))
        return err->code;
    for (size_t i = 0; i < g->table->n; i++) {
        const char *value, *def, *name = g->table->params[i].name;
        if (is_threshold(g->element, name) || is_left_alone(g->element, name) ||
            (workload && !is_manner_of_work(name)) ||
            !differs(g, i, defaults, c->arena, &value, &def))
            continue;
        const char *key = weft_arena_printf(c->arena, "%s.%s", g->prefix, name);
        if (!key || add_setting(c, key, value, def, err))
            return weft_err_no_memory(err, "changes to try");
        if (strcmp(key, "system.stragglers") == 0 && add_stragglers(c, value, err))
            return err->code;
    }
    return 0;
}

int weft_changes_of_settings(struct weft_changes *c, const struct weft_scenario *s,
                             const char *main, struct weft_err *err)
{
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        const bool workload = main && strcmp(g->element, "workload") == 0;
        if ((workload || is_configuration(g->element)) && add_group(c, g, workload, err))
            return err->code;
    }
    for (uint32_t i = 0; main && i < s->njobs; i++) {
        const char *name = s->jobs[i].name;
        const struct weft_change like = {
            .class = WEFT_CHANGE_JOB,
            .what = weft_arena_printf(c->arena, "without the workload '%s'", name),
            .advice = "Keep this workload off the links that both use: other hosts, another "
                      "priority, or another time.",
            .weight = WEFT_CHANGE_UNINTENDED,
            .order = 1,
        };
        if (strcmp(name, main) != 0 &&
            weft_changes_add(c, &like, weft_arena_printf(c->arena, "%s.idle=true", name), NULL,
                             NULL, err))
            return err->code;
    }
    return 0;
}
