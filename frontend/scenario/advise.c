/* SPDX-License-Identifier: GPL-2.0-only */
/* What shows only with fabric and job: resolved defaults, and settings that keep a run from what it
 * is for. */
#include "base/scale.h"
#include "base/units.h"
#include "scenario/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RATES = 4, TEXT_MAX = 256 };

const char *weft_scenario_value_text(const struct weft_scenario_group *g, size_t param,
                                     char buf[WEFT_PARAM_TEXT_MAX])
{
    const struct weft_param *p = &g->table->params[param];
    if (g->resolved[param])
        return g->resolved[param];
    if (p->type != WEFT_PARAM_STRING)
        return weft_params_format(p, g->values, buf, WEFT_PARAM_TEXT_MAX);
    const char *text = *(const char *const *)((const char *)g->values + p->offset);
    return text ? text : "";
}

/* The distinct rates of hosts' ports, as many as MOST_RATES; returns how many there are, more than
 * that counted as one more. */
static size_t line_rates(const struct weft_fabric *f, uint64_t rates[MOST_RATES])
{
    size_t n = 0;
    for (uint32_t h = 0; h < f->nhosts; h++) {
        const struct weft_fabric_node *node = &f->nodes[f->hosts[h]];
        for (uint32_t k = 0; k < node->nports; k++) {
            const uint64_t rate = f->links[f->ports[node->first_port + k].link].rate_bps;
            size_t i = 0;
            while (i < n && rates[i] != rate)
                i++;
            if (i == n && n == MOST_RATES)
                return n + 1;
            if (i == n)
                rates[n++] = rate;
        }
    }
    return n;
}

/* What a default that follows from the line rate comes to: one value, or "VALUE at RATE" for each
 * rate. */
static void by_line_rate(const struct weft_scenario_group *g, const struct weft_param *p,
                         const struct weft_fabric *f, void *scratch, char text[TEXT_MAX])
{
    uint64_t rates[MOST_RATES];
    const size_t n = line_rates(f, rates);
    char value[WEFT_PARAM_TEXT_MAX], rate[WEFT_UNIT_TEXT_MAX];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < n && i < MOST_RATES; i++) {
        const struct weft_scale_path path = {rates[i], 0};
        memcpy(scratch, g->values, g->table->struct_size);
        weft_params_resolve(g->table, scratch, &path);
        weft_params_format(p, scratch, value, sizeof value);
        weft_format_rate(rates[i], rate);
        used += (size_t)snprintf(text + used, TEXT_MAX - used, n == 1 ? "%s" : "%s%s at %s",
                                 n == 1 ? value
                                 : i    ? ", "
                                        : "",
                                 value, rate);
    }
    if (n > MOST_RATES)
        snprintf(text + used, TEXT_MAX - used, ", ...");
}

/* What a size that is given, or computed where it is 0, comes to at the ports of switches. */
static int note_effect(struct weft_scenario *s, struct weft_scenario_group *g, size_t k,
                       const struct weft_net_config *config, struct weft_err *err)
{
    const struct weft_param *p = &g->table->params[k];
    char text[TEXT_MAX] = "";
    if (p->type != WEFT_PARAM_SIZE || g->reasons[k] || !s->backend->resolved ||
        !s->backend->resolved(config, g->element, p, text, sizeof text))
        return 0;
    g->reasons[k] = weft_arena_strdup(s->arena, text);
    return g->reasons[k] ? 0 : weft_err_no_memory(err, "resolved parameters");
}

static int resolve_group(struct weft_scenario *s, struct weft_scenario_group *g,
                         const struct weft_net_config *config, struct weft_err *err)
{
    void *scratch = weft_arena_alloc(s->arena, g->table->struct_size + 1);
    if (!scratch)
        return weft_err_no_memory(err, "resolved parameters");
    for (size_t k = 0; k < g->table->n; k++) {
        const struct weft_param *p = &g->table->params[k];
        char text[TEXT_MAX] = "";
        if (!weft_param_is_auto(p, g->values)) {
            if (note_effect(s, g, k, config, err))
                return err->code;
            continue;
        }
        if (p->scale->basis == WEFT_BASIS_CONTROL) {
            if (!s->backend->resolved ||
                !s->backend->resolved(config, g->element, p, text, sizeof text))
                continue;
        } else if (p->scale->basis == WEFT_BASIS_BASE_RTT) {
            weft_param_default_text(p, text, sizeof text); /* each path has its own */
        } else {
            by_line_rate(g, p, config->fabric, scratch, text);
        }
        g->resolved[k] = weft_arena_strdup(s->arena, text);
        if (!g->resolved[k])
            return weft_err_no_memory(err, "resolved parameters");
    }
    return 0;
}

struct sink {
    struct weft_scenario *s;
    struct weft_err *err;
    int rc;
};

static void sentence(void *ctx, const char *text)
{
    struct sink *k = (struct sink *)ctx;
    if (!k->rc)
        k->rc = weft_scenario_warn(k->s, k->err, "%s", text);
}

/* Only QPs have ports of their host. */
static int warn_ports(struct weft_scenario *s, uint32_t job, const struct weft_workload *w,
                      struct weft_err *err)
{
    struct weft_scenario_classes c;
    const int priority = s->jobs[job].job->priority;
    if (!w || !weft_scenario_classes(s, &c) || !(c.tcp >> (priority ? priority - 1 : 8) & 1))
        return 0;
    if (s->system->qp_ports)
        return weft_scenario_warn(s, err,
                                  "system.qp-ports has no effect on workload '%s': TCP's "
                                  "connections take the path of their hash",
                                  s->jobs[job].name);
    for (uint32_t r = 0; w->nics && r < w->nranks; r++)
        for (uint32_t i = 0; i < w->dags[r].nops; i++)
            if (weft_workload_visit(w, r, i)->nic)
                return weft_scenario_warn(s, err,
                                          "the NICs that SENDs of workload '%s' name have no "
                                          "effect: TCP's connections take the path of their hash",
                                          s->jobs[job].name);
    return 0;
}

/* Whether messages have links to go by: the ideal backend's flat model gives each NIC one. */
static bool has_ports(const struct weft_scenario *s)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    for (size_t i = 0; i < s->ngroups; i++)
        for (size_t k = 0; strcmp(s->groups[i].prefix, "ideal") == 0 && k < s->groups[i].table->n;
             k++)
            if (strcmp(s->groups[i].table->params[k].name, "model") == 0)
                return strcmp(s->backend->name, "ideal") != 0 ||
                       strcmp(weft_scenario_value_text(&s->groups[i], k, buf), "flat") != 0;
    return true;
}

/* Whether a job has a rank on a host with fewer ports than NICs that its SENDs name. */
static int warn_nics(struct weft_scenario *s, const struct weft_job_plan *p,
                     const struct weft_fabric *f, struct weft_err *err)
{
    if (!p->workload || p->nnics > 1 || !has_ports(s))
        return 0;
    for (uint32_t r = 0; r < p->nranks; r++) {
        const uint32_t ports = f->nodes[f->hosts[p->hosts[r]]].nports;
        uint32_t most = 0;
        for (uint32_t i = 0; p->workload->nics > ports && i < p->workload->dags[r].nops; i++) {
            const uint32_t nic = weft_workload_visit(p->workload, r, i)->nic;
            most = nic > most ? nic : most;
        }
        if (most > ports)
            return weft_scenario_warn(
                s, err,
                "rank %u of workload '%s' names NICs 0 to %u, but its host %u has %u port%s, which "
                "they share%s",
                r, p->name, most - 1, p->hosts[r], ports, ports == 1 ? "" : "s",
                strcmp(p->kind, "goal") == 0
                    ? "; goal.nics-as-hosts=true makes each NIC of a rank a host, as ATLAHS does"
                    : "");
    }
    return 0;
}

/* Tensor parallelism waits for its messages in each layer: they belong within a node, which is the
 * inmost dimension of a fabric with faster links there. */
static int warn_tensor(struct weft_scenario *s, uint32_t job, const struct weft_fabric *f,
                       struct weft_err *err)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    const struct weft_scenario_group *g = &s->groups[s->jobs[job].group];
    const struct weft_param *p = weft_params_find(g->table, "tp");
    const struct weft_fabric_dim *node = &f->dims[0], *beyond = &f->dims[1];
    if (!p || f->ndims < 2 ||
        (double)node->links * (double)node->rate_bps <
            2 * (double)beyond->links * (double)beyond->rate_bps)
        return 0;
    const unsigned long tp = strtoul(weft_params_format(p, g->values, buf, sizeof buf), NULL, 10);
    return tp <= node->size
               ? 0
               : weft_scenario_warn(s, err,
                                    "%s.tp=%lu goes beyond a node of %u accelerators: each layer "
                                    "waits for links between nodes",
                                    g->prefix, tp, node->size);
}

int weft_scenario_advise(struct weft_scenario *s, const struct weft_scenario_parts *parts,
                         struct weft_err *err)
{
    const struct weft_net_config config = weft_scenario_net_config(s, parts->fabric);
    struct sink k = {s, err, 0};
    for (size_t i = 0; i < s->ngroups; i++)
        if (resolve_group(s, &s->groups[i], &config, err))
            return err->code;
    if (weft_scenario_warn_pauses(s, parts->fabric, err) ||
        weft_scenario_warn_in_network(s, parts, err) || weft_scenario_offer(s, parts, err))
        return err->code;
    if (s->backend->advise)
        s->backend->advise(&config, sentence, &k);
    for (uint32_t i = 0; !k.rc && i < parts->njobs; i++) {
        const struct weft_system_env env = weft_scenario_job_env(s, parts, i);
        if (warn_ports(s, i, parts->jobs[i].workload, err) ||
            warn_nics(s, &parts->jobs[i], parts->fabric, err) ||
            warn_tensor(s, i, parts->fabric, err))
            return err->code;
        if (parts->jobs[i].workload &&
            weft_system_advise(parts->jobs[i].workload, s->system, &env, sentence, &k, err))
            return err->code;
    }
    return k.rc;
}
