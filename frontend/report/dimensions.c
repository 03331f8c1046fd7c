/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of the bandwidth of each dimension was used while there was something to send.
 *
 *   utilisation of a dimension = sum over ranks of the payload sent in it
 *                              / sum over ranks of (bandwidth in it x time with communication)
 *   average = the mean over dimensions, weighted by their bandwidth (Rashidi et al., "Themis",
 *             ISCA 2022)
 *
 * With several jobs, or flows, the time is that of the whole run.
 *
 * What was sent comes from the counters of the ranks' own links, traffic that they pass on for
 * others and retransmissions included. Where links do not count (ideal.model=flat), or the
 * dimensions are those of system.dims and not the fabric's, it is what ranks sent in phases of
 * collectives, over the bandwidth that the schedulers know.
 */
#include "report/report_internal.h"

#include "base/units.h"

#include <stdbool.h>
#include <math.h>
#include <stdlib.h>

/* What goes into the ratios of one dimension. */
struct use {
    double capacity; /* bytes */
    double busy_ps;  /* sum over links, which may be longer than the clock goes */
    double link_ps;  /* sum over links of the time that they could have been busy */
};

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

static double capacity_bytes(uint64_t rate_bps, int64_t ps)
{
    return (double)rate_bps * (double)ps / (8 * (double)WEFT_PS_PER_S);
}

/* Adds what the links of a host counted, over @p ps. Returns the payload. */
static uint64_t add_host(const struct weft_report *r, struct weft_net *net, uint32_t host,
                         int64_t ps, double hosts, struct weft_summary *s, struct use *use)
{
    const struct weft_fabric *f = r->fabric;
    const struct weft_fabric_node *node = &f->nodes[f->hosts[host]];
    uint64_t sum = 0;
    for (uint32_t p = node->first_port; p < node->first_port + node->nports; p++) {
        const struct weft_fabric_link *l = &f->links[f->ports[p].link];
        struct weft_port_counters st;
        net->ops->port_stats(net, p, &st);
        s->dim[l->dim].bytes += st.tx_payload_bytes;
        s->dim[l->dim].rate_bps += (double)l->rate_bps / hosts;
        sum += st.tx_payload_bytes;
        use[l->dim].busy_ps += (double)st.busy_ps;
        use[l->dim].link_ps += (double)ps;
        use[l->dim].capacity += capacity_bytes(l->rate_bps, ps);
    }
    return sum;
}

static void begin_dims(const struct weft_fabric *f, struct weft_summary *s)
{
    s->ndims = f->ndims;
    for (uint32_t d = 0; d < f->ndims; d++)
        s->dim[d] = (struct weft_dim_summary){.kind = f->dims[d].kind, .size = f->dims[d].size};
}

/* The links of the ranks. Returns the payload that they counted. */
static uint64_t by_links(const struct weft_report *r, struct weft_net *net,
                         const struct weft_jobs *jobs, struct weft_summary *s, struct use *use)
{
    const uint32_t *hosts = weft_jobs_plan(jobs, 0)->hosts;
    uint64_t sum = 0;
    begin_dims(r->fabric, s);
    for (uint32_t rank = 0; rank < s->ranks && rank < r->fabric->nhosts; rank++) {
        struct weft_rank_result x;
        weft_jobs_rank(jobs, 0, rank, &x);
        sum += add_host(r, net, hosts[rank], x.comm_ps, (double)s->ranks, s, use);
    }
    s->dims_ps = s->comm_mean_ps;
    return sum;
}

/* The links of all hosts that have ranks, over the whole run: when jobs that share a host
 * communicate is not known of flows. */
static void by_hosts(const struct weft_report *r, struct weft_net *net, struct weft_summary *s,
                     struct use *use)
{
    uint8_t *used = (uint8_t *)calloc(r->fabric->nhosts, 1);
    uint32_t n = 0;
    if (!used)
        return; /* then there are no figures of dimensions */
    for (uint32_t j = 0; j < r->njobs; j++) {
        const struct weft_job_plan *p = &r->plans[j];
        const uint32_t *hosts = p->nics ? p->nics : p->hosts;
        for (size_t i = 0; i < (size_t)p->nranks * p->nnics; i++) {
            n += !used[hosts[i]];
            used[hosts[i]] = 1;
        }
    }
    begin_dims(r->fabric, s);
    for (uint32_t h = 0; h < r->fabric->nhosts; h++)
        if (used[h])
            add_host(r, net, h, s->elapsed_ps, n, s, use);
    s->dims_ps = s->elapsed_ps;
    free(used);
}

/* The phases of collectives. */
static void by_phases(const struct weft_report *r, const struct weft_jobs *jobs, bool given,
                      struct weft_summary *s, struct use *use)
{
    const struct weft_dims *dims = weft_system_dims(weft_jobs_system(jobs, 0), NULL);
    s->ndims = dims->n;
    s->dims_by_phases = true;
    s->dims_ps = s->comm_mean_ps;
    for (uint32_t d = 0; d < dims->n; d++) {
        use[d] = (struct use){0};
        s->dim[d] = (struct weft_dim_summary){.kind = given ? "" : r->fabric->dims[d].kind,
                                              .size = dims->size[d],
                                              .rate_bps = (double)dims->rate_bps[d],
                                              .bytes = r->dim_bytes[d]};
        for (uint32_t rank = 0; rank < s->ranks; rank++) {
            struct weft_rank_result x;
            weft_jobs_rank(jobs, 0, rank, &x);
            use[d].capacity += capacity_bytes(dims->rate_bps[d], x.comm_ps);
        }
    }
}

void weft_report_sum_dims(const struct weft_report *r, struct weft_net *net,
                          const struct weft_jobs *jobs, struct weft_summary *s)
{
    const struct weft_system *system = jobs && r->njobs == 1 ? weft_jobs_system(jobs, 0) : NULL;
    struct use use[WEFT_FABRIC_DIMS_MAX] = {{0}};
    double payload = 0, capacity = 0;
    bool given;
    s->dim_use_mean = s->dim_use_min = s->dim_use_max = NAN;
    if (jobs && (weft_report_has_jobs(r) || (r->njobs == 1 && r->plans[0].nics))) {
        by_hosts(r, net, s, use);
    } else if (system) {
        weft_system_dims(system, &given);
        if (given || by_links(r, net, jobs, s, use) == 0)
            by_phases(r, jobs, given, s, use);
    }
    for (uint32_t d = 0; d < s->ndims; d++) {
        struct weft_dim_summary *m = &s->dim[d];
        m->utilisation = ratio((double)m->bytes, use[d].capacity);
        m->busy = use[d].busy_ps > 0 ? ratio(use[d].busy_ps, use[d].link_ps) : NAN;
        s->dim_use_min =
            fmin(s->dim_use_min, m->utilisation); /* of a number and a NaN the number */
        s->dim_use_max = fmax(s->dim_use_max, m->utilisation);
        payload += (double)m->bytes;
        capacity += use[d].capacity;
    }
    s->dim_use_mean = ratio(payload, capacity);
}

int weft_report_write_dims(struct weft_report *r, const struct weft_summary *s,
                           struct weft_err *err)
{
    int code = r->dir ? weft_report_open_csv(r, WEFT_CSV_DIMS, err) : 0;
    for (uint32_t d = 0; r->dir && !code && d < s->ndims; d++) {
        const struct weft_dim_summary *m = &s->dim[d];
        const struct weft_dim_row row = {.dim = d,
                                         .size = m->size,
                                         .kind = m->kind,
                                         .rate_bps = m->rate_bps,
                                         .by_phases = s->dims_by_phases,
                                         .bytes = m->bytes,
                                         .communication_ps = s->dims_ps,
                                         .util_pct = 100 * m->utilisation,
                                         .busy_pct = 100 * m->busy};
        code = weft_columns_row(&weft_dims_csv, r->csv[WEFT_CSV_DIMS], &row, err);
    }
    return code;
}
