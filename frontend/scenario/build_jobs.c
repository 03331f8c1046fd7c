/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The jobs of a scenario: their ranks on hosts, their graphs or flows.
 *
 * Jobs are placed in the order of their elements, but those with lists of hosts first: what a list
 * names is not free for the others.
 */
#include "jobs/placement.h"
#include "scenario/resolve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int name_workload(const struct weft_scenario *s, uint32_t i, struct weft_err *err)
{
    const struct weft_scenario_group *g = &s->groups[s->jobs[i].group];
    if (err->file[0])
        return err->code;
    weft_err_prepend(err, "<workload type=\"%s\">", s->jobs[i].ops->name);
    if (s->file[0])
        weft_err_locate(err, s->file, g->line, g->col);
    return err->code;
}

static bool is_flows(const struct weft_scenario *s, uint32_t i)
{
    return s->jobs[i].ops->flows != NULL;
}

static struct weft_placement placement_of(const struct weft_scenario *s, uint32_t i)
{
    const struct weft_job_params *p = s->jobs[i].job;
    return (struct weft_placement){.policy = p->placement,
                                   .seed = p->placement_seed,
                                   .hosts = p->hosts,
                                   .hosts_file = p->hosts_file,
                                   .shares = p->share == WEFT_JOB_SHARE_ON ||
                                             (p->share == WEFT_JOB_SHARE_AUTO && is_flows(s, i))};
}

/* Finds out how many ranks a job has; graphs are loaded for it. */
static int count_ranks(const struct weft_scenario *s, uint32_t i, uint32_t room,
                       struct weft_job_plan *p, struct weft_err *err)
{
    const struct weft_scenario_job *j = &s->jobs[i];
    if (room == 0)
        return weft_err_set(err, WEFT_E_INPUT,
                            "no host is free: earlier workloads have them all; share=true takes "
                            "theirs, 'ranks' or 'hosts' gives them fewer");
    if (is_flows(s, i))
        return j->ops->ranks(j->params, room, &p->nranks, err);
    if (j->ops->load(j->params, room, &p->workload, err))
        return err->code;
    p->nranks = p->workload->nranks;
    return 0;
}

void weft_scenario_dims(const struct weft_fabric *fabric, struct weft_dims *out)
{
    *out = (struct weft_dims){0};
    if (fabric->ndims < 2 || fabric->ndims > WEFT_DIMS_MAX)
        return;
    out->n = fabric->ndims;
    for (uint32_t d = 0; d < out->n; d++) {
        const struct weft_fabric_dim *f = &fabric->dims[d];
        out->size[d] = f->size;
        out->rate_bps[d] = f->links * f->rate_bps;
        out->links[d] = f->links;
        out->latency_ps[d] = f->direct ? f->delay_ps : 2 * f->delay_ps;
    }
}

/* Keeps the hosts of all NICs apart from the first of each rank. */
static int split_nics(struct weft_job_plan *p, size_t n, struct weft_err *err)
{
    if (p->nnics == 1)
        return 0;
    p->nics = (uint32_t *)malloc((n ? n : 1) * sizeof *p->nics);
    if (!p->nics)
        return weft_err_no_memory(err, "the jobs of a scenario");
    memcpy(p->nics, p->hosts, n * sizeof *p->nics);
    for (uint32_t r = 0; r < p->nranks; r++)
        p->hosts[r] = p->nics[(size_t)r * p->nnics];
    return 0;
}

static int build_jobs_place(const struct weft_scenario *s, uint32_t i, const struct weft_fabric *f,
                            uint8_t *taken, struct weft_job_plan *p, struct weft_err *err)
{
    const struct weft_placement want = placement_of(s, i);
    uint32_t room;
    if (weft_place_room(&want, f, taken, &room, err) || count_ranks(s, i, room, p, err))
        return err->code;
    p->nnics = p->workload && p->workload->hosts_per_rank ? p->workload->hosts_per_rank : 1;
    const size_t wanted = (size_t)p->nranks * p->nnics;
    p->hosts = (uint32_t *)malloc((wanted + (size_t)f->nhosts) * sizeof *p->hosts);
    if (!p->hosts)
        return weft_err_no_memory(err, "the jobs of a scenario");
    if (weft_place(&want, f, (uint32_t)wanted, taken, p->hosts, err) || split_nics(p, wanted, err))
        return err->code;
    p->nhosts = p->nranks;
    p->identity = p->nnics == 1;
    for (uint32_t r = 0; r < p->nranks; r++)
        p->identity = p->identity && p->hosts[r] == r;
    struct weft_dims dims;
    weft_scenario_dims(f, &dims);
    if (p->identity)
        p->dims = dims;
    else if (want.policy == WEFT_PLACE_RAIL && !want.hosts[0] && !want.hosts_file[0])
        weft_place_dims(&dims, p->hosts, p->nranks, &p->dims);
    return 0;
}

/* Hosts that no job has come after those of the ranks: memories of their own may be there. Shared
 * hosts are not marked in @p taken. */
static int add_free_hosts(const struct weft_fabric *f, const uint8_t *taken,
                          struct weft_job_plan *p, struct weft_err *err)
{
    uint8_t *mine = (uint8_t *)calloc(f->nhosts, 1);
    if (!mine)
        return weft_err_no_memory(err, "the jobs of a scenario");
    for (uint32_t r = 0; r < p->nranks; r++)
        mine[p->hosts[r]] = 1;
    for (size_t i = 0; p->nics && i < (size_t)p->nranks * p->nnics; i++)
        mine[p->nics[i]] = 1;
    for (uint32_t h = 0; h < f->nhosts; h++)
        if (!taken[h] && !mine[h])
            p->hosts[p->nhosts++] = h;
    free(mine);
    return 0;
}

static uint64_t rate_to_switches(const struct weft_fabric *f, uint32_t node)
{
    uint64_t bps = 0;
    const struct weft_fabric_node *n = &f->nodes[node];
    for (uint32_t k = 0; k < n->nports; k++) {
        const struct weft_fabric_port *port = &f->ports[n->first_port + k];
        if (f->nodes[f->ports[port->peer].node].kind == WEFT_NODE_SWITCH)
            bps += f->links[port->link].rate_bps;
    }
    return bps;
}

/* What is at the other end of the host's last link, which leads out of its server where it has one
 * inside. */
static uint32_t access_of(const struct weft_fabric *f, uint32_t host)
{
    const struct weft_fabric_node *n = &f->nodes[f->hosts[host]];
    return f->ports[f->ports[n->first_port + n->nports - 1].peer].node;
}

/* Rate of the host's links of the outermost dimension that it has links in. */
static uint64_t access_rate(const struct weft_fabric *f, uint32_t host)
{
    const struct weft_fabric_node *n = &f->nodes[f->hosts[host]];
    uint32_t dim = 0;
    uint64_t bps = 0;
    for (uint32_t k = 0; k < n->nports; k++) {
        const struct weft_fabric_link *l = &f->links[f->ports[n->first_port + k].link];
        if (l->dim > dim) {
            dim = l->dim;
            bps = 0;
        }
        bps += l->dim == dim ? l->rate_bps : 0;
    }
    return bps;
}

int weft_scenario_make_flows(const struct weft_scenario *s, uint32_t i, const struct weft_fabric *f,
                             struct weft_job_plan *p, struct weft_err *err)
{
    const size_t n = p->nranks ? p->nranks : 1;
    uint64_t *bps = (uint64_t *)calloc(n, sizeof *bps);
    uint32_t *node = (uint32_t *)calloc(n, sizeof *node);
    uint8_t *seen = (uint8_t *)calloc(f->nnodes, 1);
    struct weft_flow_site site = {p->nranks, s->run->seed, bps, node, 0};
    int rc = bps && node && seen ? 0 : weft_err_no_memory(err, "the jobs of a scenario");
    for (uint32_t r = 0; !rc && r < p->nranks; r++) {
        bps[r] = access_rate(f, p->hosts[r]);
        node[r] = access_of(f, p->hosts[r]);
        if (!seen[node[r]] && f->nodes[node[r]].kind == WEFT_NODE_SWITCH)
            site.core_bps += rate_to_switches(f, node[r]);
        seen[node[r]] = 1;
    }
    if (!rc)
        rc = s->jobs[i].ops->flows(s->jobs[i].params, &site, &p->flows, err);
    free(bps);
    free(node);
    free(seen);
    return rc;
}

static void build_jobs_begin(const struct weft_scenario *s, uint32_t i, struct weft_job_plan *p)
{
    const struct weft_scenario_job *j = &s->jobs[i];
    p->name = j->name;
    p->kind = j->ops->name;
    p->start_ps = j->job->start_ps;
    p->prio = j->job->priority ? (uint32_t)j->job->priority - 1 : WEFT_PRIO_DEFAULT;
    p->repeat = j->job->repeat;
    p->idle = j->job->idle;
    struct weft_scenario_classes c;
    if (j->job->transport == WEFT_JOB_TRANSPORT_DEFAULT || !weft_scenario_classes(s, &c))
        return;
    const bool by_tcp = j->job->transport == WEFT_JOB_TRANSPORT_TCP;
    const bool by_uet = j->job->transport == WEFT_JOB_TRANSPORT_UET && c.uet;
    p->transport = by_tcp ? "tcp" : by_uet ? "uet" : weft_scenario_own_transport(s);
    p->classes = by_tcp ? c.tcp : by_uet ? c.uet : ~(c.tcp | c.uet);
}

static bool has_list(const struct weft_scenario *s, uint32_t i)
{
    return s->jobs[i].job->hosts[0] || s->jobs[i].job->hosts_file[0];
}

/* What has no end of its own needs something else that ends the run. */
static int check_ends(const struct weft_scenario *s, const struct weft_scenario_parts *parts,
                      uint32_t *at, struct weft_err *err)
{
    bool ends = weft_scenario_until_ps(s) != 0;
    for (uint32_t i = 0; i < parts->njobs; i++) {
        const struct weft_flow_source *f = parts->jobs[i].flows;
        ends = ends || (!parts->jobs[i].idle && (!f || !f->endless));
        *at = i;
        if (f && f->endless && parts->jobs[i].repeat > 1)
            return weft_err_set(err, WEFT_E_INPUT,
                                "repeat=%" PRIu64 " of traffic without an end; give it a duration",
                                parts->jobs[i].repeat);
    }
    return ends ? 0
                : weft_err_set(err, WEFT_E_INPUT,
                               "nothing ends the run: give the traffic a duration, or set "
                               "run.measure or run.until");
}

int weft_scenario_build_jobs(const struct weft_scenario *s, struct weft_scenario_parts *out,
                             struct weft_err *err)
{
    const struct weft_fabric *f = out->fabric;
    uint8_t *taken = (uint8_t *)calloc(f->nhosts, 1);
    out->jobs = (struct weft_job_plan *)calloc(s->njobs, sizeof *out->jobs);
    if (!taken || !out->jobs) {
        free(taken);
        return weft_err_no_memory(err, "the jobs of a scenario");
    }
    out->njobs = s->njobs;
    int rc = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->njobs; i++)
        build_jobs_begin(s, i, &out->jobs[i]);
    for (int listed = 1; listed >= 0; listed--)
        for (uint32_t i = 0; !rc && i < s->njobs; i++)
            if (has_list(s, i) == listed) {
                at = i;
                rc = build_jobs_place(s, i, f, taken, &out->jobs[i], err);
            }
    for (uint32_t i = 0; !rc && i < s->njobs; i++) {
        at = i;
        rc = is_flows(s, i) ? weft_scenario_make_flows(s, i, f, &out->jobs[i], err)
                            : add_free_hosts(f, taken, &out->jobs[i], err);
    }
    free(taken);
    rc = rc ? rc : check_ends(s, out, &at, err);
    return rc ? name_workload(s, at, err) : 0;
}

void weft_scenario_free_jobs(struct weft_scenario_parts *parts)
{
    for (uint32_t i = 0; i < parts->njobs; i++) {
        weft_workload_free(parts->jobs[i].workload);
        weft_flow_source_free(parts->jobs[i].flows);
        free(parts->jobs[i].hosts);
        free(parts->jobs[i].nics);
    }
    free(parts->jobs);
    parts->jobs = NULL;
    parts->njobs = 0;
}
