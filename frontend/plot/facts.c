/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums and maxima over the tables of a run, for the words of a report. */
#include "plot/facts.h"

#include "plot/link_facts.h"

#include "base/grow.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *column, *words;
} causes[WEFT_WAITS] = {
    [WEFT_WAIT_NETWORK] = {"network_ns", "data on its way"},
    [WEFT_WAIT_OWN_NIC] = {"own_nic_ns", "the NIC of the sender"},
    [WEFT_WAIT_CONTROL] = {"congestion_control_ns", "congestion control"},
    [WEFT_WAIT_LOSS] = {"loss_recovery_ns", "loss recovery"},
    [WEFT_WAIT_PAUSE] = {"pfc_pause_ns", "PFC pause"},
    [WEFT_WAIT_QUEUE] = {"fabric_queueing_ns", "queues of switches"},
    [WEFT_WAIT_REDUCE] = {"reduce_ns", "adding up"},
    [WEFT_WAIT_ENDPOINT] = {"endpoint_ns", "software and injection"},
    [WEFT_WAIT_PEER] = {"peer_ns", "ranks that came late"},
    [WEFT_WAIT_DEPENDENCY] = {"dependency_ns", "peers that could not send yet"},
};

struct reading {
    struct weft_arena *arena;
    struct weft_facts *f;
    bool lost;
    struct {
        double n, sum, max;
        char kind[32];
    } links[16]; /* between switches, by dimension and rate */
    size_t nlinks;
    struct weft_link_facts *all; /* what faults and peers are told from */
    double *nic_ns;              /* per host: what its messages waited for their NIC */
    size_t nhosts;
    struct rank_time {
        const char *job;
        size_t rank;
        double compute_ns, path_ns; /* path: of it on the critical path */
    } * ranks;
    size_t nranks, ranks_cap;
    bool path; /* the run has a critical path */
};

/* ---- the first few ---- */

/* Where something of this weight comes in; WEFT_TOP: nowhere. Makes room. */
static size_t place_in(struct weft_top *t, double weight)
{
    size_t at = t->n;
    while (at > 0 && t->weight[at - 1] < weight)
        at--;
    if (at == WEFT_TOP || !(weight > 0))
        return WEFT_TOP;
    t->n += t->n < WEFT_TOP;
    for (size_t i = t->n - 1; i > at; i--) {
        t->weight[i] = t->weight[i - 1];
        t->name[i] = t->name[i - 1];
        t->text[i] = t->text[i - 1];
    }
    t->weight[at] = weight;
    return at;
}

static void facts_put(struct reading *r, struct weft_top *t, size_t at, const char *name,
                      const char *text)
{
    t->name[at] = name;
    t->text[at] = text;
    r->lost |= !name || !text;
}

static const char *time_of(struct reading *r, double ns)
{
    char buf[WEFT_UNIT_TEXT_MAX];
    const char *s = weft_arena_strdup(r->arena, weft_human_time((int64_t)(ns * 1e3), buf));
    r->lost |= !s;
    return s ? s : "";
}

/* ---- tables ---- */

enum { RANK = WEFT_WAITS, RANK_JOB, RANK_END, RANK_COMPUTE, RANK_EXPOSED, RANK_IDLE };

/* Keeps how long a rank computed. */
static int keep_rank(struct reading *r, const char *job, const char *rank, double compute_ns,
                     struct weft_err *err)
{
    const char *before = r->nranks ? r->ranks[r->nranks - 1].job : NULL;
    job = before && strcmp(before, job) == 0 ? before : weft_arena_strdup(r->arena, job);
    if (!WEFT_ARENA_GROW(r->arena, r->ranks, r->nranks, &r->ranks_cap))
        return weft_err_no_memory(err, "a report");
    r->ranks[r->nranks++] =
        (struct rank_time){.job = job, .rank = strtoul(rank, NULL, 10), .compute_ns = compute_ns};
    return job ? 0 : weft_err_no_memory(err, "a report");
}

/* A rank computed so long on the critical path. The rows of one job are in order of ranks. */
static void count_on_path(struct reading *r, const char *job, size_t rank, double ns)
{
    for (size_t i = rank < r->nranks && r->ranks[rank].rank == rank ? rank : 0; i < r->nranks; i++)
        if (r->ranks[i].rank == rank && strcmp(r->ranks[i].job, job) == 0) {
            r->ranks[i].path_ns += ns;
            return;
        }
}

static int longest_first(const void *va, const void *vb)
{
    const struct rank_time *a = va, *b = vb;
    if (a->compute_ns != b->compute_ns)
        return a->compute_ns > b->compute_ns ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

enum { MOST_SLOW_RANKS = 8 };

/* A few ranks that compute clearly longer than all others are slow; where many do, as a stage of a
 * pipeline, they have more to do. */
static int find_slow_ranks(struct reading *r, struct weft_err *err)
{
    double widest = 1.05;
    size_t n = 0;
    if (r->nranks)
        qsort(r->ranks, r->nranks, sizeof *r->ranks, longest_first);
    for (size_t i = 0; i < MOST_SLOW_RANKS && i + 1 < r->nranks; i++) {
        const double gap = r->ranks[i].compute_ns / r->ranks[i + 1].compute_ns;
        if (gap > widest && 2 * (i + 1) <= r->nranks) {
            widest = gap;
            n = i + 1;
        }
    }
    for (size_t i = 0; i < n; i++) {
        const struct rank_time *x = &r->ranks[i];
        const double times = x->compute_ns / r->ranks[n].compute_ns;
        const double ns = r->path ? x->path_ns : x->compute_ns;
        if (isfinite(times) &&
            weft_slow_part_add(r->arena, r->f,
                               (struct weft_slow_part){WEFT_SLOW_RANK, (uint32_t)x->rank, 0, times,
                                                       ns * (1 - 1 / times) / r->f->end_ns},
                               err))
            return err->code;
    }
    return 0;
}

static int rank_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    struct weft_facts *f = r->f;
    double v[RANK_IDLE + 1];
    for (size_t k = 0; k <= RANK_IDLE; k++)
        if (k != RANK && k != RANK_JOB && weft_row_number(row, k, &v[k], err))
            return err->code;
    f->all_ranks++;
    if (!(v[RANK_END] > 0)) /* it waited for nothing: who only sends for a gather, say */
        return 0;
    f->ranks++;
    for (size_t k = 0; k < WEFT_WAITS; k++)
        f->cause_ns[k] += v[k];
    if (keep_rank(r, weft_row_text(row, RANK_JOB), weft_row_text(row, RANK), v[RANK_COMPUTE], err))
        return err->code;
    f->compute_ns += v[RANK_COMPUTE];
    f->exposed_ns += v[RANK_EXPOSED];
    f->idle_ns += v[RANK_IDLE];
    const char *job = weft_row_text(row, RANK_JOB);
    if (v[RANK_COMPUTE] > f->compute_max_ns) {
        f->compute_max_ns = v[RANK_COMPUTE];
        f->slowest = weft_arena_printf(r->arena, "%s%srank %s", job, *job ? " " : "",
                                       weft_row_text(row, RANK));
        r->lost |= !f->slowest;
    }
    const size_t at = place_in(&f->ranks_top, v[RANK_EXPOSED]);
    if (at < WEFT_TOP) {
        size_t most = 0;
        for (size_t k = 1; k < WEFT_WAITS; k++)
            most = v[k] > v[most] ? k : most;
        facts_put(r, &f->ranks_top, at,
                  weft_arena_printf(r->arena, "%s%srank %s", job, *job ? " " : "",
                                    weft_row_text(row, RANK)),
                  weft_arena_printf(r->arena, "exposed communication %s, most of it %s %s",
                                    time_of(r, v[RANK_EXPOSED]), causes[most].words,
                                    time_of(r, v[most])));
    }
    return 0;
}

static int read_ranks(struct reading *r, const struct weft_run *run, struct weft_err *err)
{
    const char *columns[RANK_IDLE + 2] = {0};
    for (size_t k = 0; k < WEFT_WAITS; k++)
        columns[k] = causes[k].column;
    columns[RANK] = "rank";
    columns[RANK_JOB] = "?job";
    columns[RANK_END] = "end_ns";
    columns[RANK_COMPUTE] = "compute_ns";
    columns[RANK_EXPOSED] = "exposed_ns";
    columns[RANK_IDLE] = "idle_ns";
    const int rc = weft_run_rows(run, "ranks.csv", columns, rank_row, r, err);
    struct weft_facts *f = r->f;
    for (size_t k = 0; k < WEFT_WAITS && f->ranks; k++)
        f->cause_ns[k] /= f->ranks;
    if (f->ranks) {
        f->compute_ns /= f->ranks;
        f->exposed_ns /= f->ranks;
        f->idle_ns /= f->ranks;
    }
    return rc < 0 ? rc : 0;
}

enum { HOSTS_MAX = 1 << 24 };

/* Counts what a message of host @p src waited for its NIC. */
static int count_nic(struct reading *r, const char *src, double ns, struct weft_err *err)
{
    char *end;
    const size_t host = strtoul(src, &end, 10);
    if (end == src || *end || host > HOSTS_MAX)
        return 0;
    if (host >= r->nhosts) {
        const size_t n = 2 * host + 64;
        double *more = weft_arena_calloc(r->arena, n, sizeof *more);
        if (!more)
            return weft_err_no_memory(err, "a report");
        if (r->nhosts)
            memcpy(more, r->nic_ns, r->nhosts * sizeof *more);
        r->nic_ns = more;
        r->nhosts = n;
    }
    r->nic_ns[host] += ns;
    return 0;
}

static void find_nic(struct reading *r)
{
    for (size_t h = 0; h < r->nhosts; h++)
        if (r->nic_ns[h] > r->f->nic_ns) {
            r->f->nic_ns = r->nic_ns[h];
            r->f->nic_host = weft_arena_printf(r->arena, "h%zu", h);
            r->lost |= !r->f->nic_host;
        }
}

static int flow_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    struct weft_facts *f = r->f;
    double v[10];
    for (size_t k = 0; k < 10; k++)
        if (weft_row_number(row, k, &v[k], err))
            return err->code;
    if (count_nic(r, weft_row_text(row, 11), v[2], err))
        return err->code;
    f->messages++;
    f->fct_ns += v[0];
    f->ideal_ns += v[1];
    f->retransmitted_bytes += v[7];
    for (size_t k = 0; k < 5; k++)
        f->delay_ns[WEFT_WAIT_OWN_NIC + k] += v[2 + k];
    const size_t at = place_in(&f->flows, v[0] - v[1]);
    if (at < WEFT_TOP) {
        size_t most = 2;
        for (size_t k = 3; k < 7; k++)
            most = v[k] > v[most] ? k : most;
        const char *cause = causes[WEFT_WAIT_OWN_NIC + most - 2].words;
        char size[WEFT_UNIT_TEXT_MAX];
        facts_put(r, &f->flows, at,
                  weft_arena_printf(r->arena, "message %s, h%s to h%s", weft_row_text(row, 10),
                                    weft_row_text(row, 11), weft_row_text(row, 12)),
                  weft_arena_printf(r->arena, "%s took %s, alone %s; most of the delay %s %s",
                                    weft_human_size((uint64_t)v[8], size), time_of(r, v[0]),
                                    time_of(r, v[1]), cause, time_of(r, v[most])));
    }
    return 0;
}

/* Links between switches of one dimension and rate carry alike when traffic is spread well. */
static void count_link(struct reading *r, const char *dim, const char *rate, double util)
{
    char kind[32];
    size_t i = 0;
    snprintf(kind, sizeof kind, "%.8s %.20s", dim, rate);
    while (i < r->nlinks && strcmp(r->links[i].kind, kind) != 0)
        i++;
    if (i == sizeof r->links / sizeof r->links[0])
        return;
    if (i == r->nlinks)
        memcpy(r->links[r->nlinks++].kind, kind, sizeof kind);
    r->links[i].n++;
    r->links[i].sum += util;
    r->links[i].max = fmax(r->links[i].max, util);
}

static int link_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    double util, pause, drops[4], queue, link, rate, delay;
    const char *from = weft_row_text(row, 0), *to = weft_row_text(row, 1);
    if (weft_row_number(row, 2, &util, err) || weft_row_number(row, 3, &pause, err) ||
        weft_row_number(row, 4, &queue, err))
        return err->code;
    for (size_t k = 0; k < 4; k++) {
        if (weft_row_number(row, 5 + k, &drops[k], err))
            return err->code;
        r->f->drops += drops[k];
    }
    if (weft_row_number(row, 11, &link, err) || weft_row_number(row, 10, &rate, err) ||
        weft_row_number(row, 12, &delay, err))
        return err->code;
    r->f->drops_buffer += drops[0];
    r->f->drops_headroom += drops[1];
    r->f->drops_error += drops[2];
    r->f->drops_link += drops[3];
    const struct weft_link_fact fact = {
        from, to, weft_row_text(row, 9), (uint32_t)link, rate, util / 100, delay, drops[1]};
    if (weft_link_facts_add(r->all, &fact, err))
        return err->code;
    if (from[0] == 's' && to[0] == 's')
        count_link(r, weft_row_text(row, 9), weft_row_text(row, 10), util / 100);
    r->f->link_max = fmax(r->f->link_max, util / 100);
    size_t at = place_in(&r->f->links, util);
    char size[WEFT_UNIT_TEXT_MAX];
    if (at < WEFT_TOP)
        facts_put(r, &r->f->links, at, weft_arena_printf(r->arena, "%s to %s", from, to),
                  weft_arena_printf(r->arena,
                                    "busy %.1f %% of the run, longest queue %s, paused %s", util,
                                    weft_human_size((uint64_t)queue, size), time_of(r, pause)));
    at = place_in(&r->f->paused, pause);
    if (at < WEFT_TOP)
        facts_put(r, &r->f->paused, at, weft_arena_printf(r->arena, "%s to %s", from, to),
                  weft_arena_printf(r->arena, "stopped by PFC for %s", time_of(r, pause)));
    return 0;
}

static int step_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    double ns, rank, compute_ns;
    if (weft_row_number(row, 3, &ns, err) || weft_row_number(row, 0, &rank, err) ||
        weft_row_number(row, 4, &compute_ns, err))
        return err->code;
    r->path = true;
    if (compute_ns > 0)
        count_on_path(r, weft_row_text(row, 5), (size_t)rank, compute_ns);
    const size_t at = place_in(&r->f->steps, ns);
    if (at < WEFT_TOP)
        facts_put(
            r, &r->f->steps, at,
            weft_arena_printf(r->arena, "%s '%s'", weft_row_text(row, 2), weft_row_text(row, 1)),
            weft_arena_printf(r->arena, "ends on rank %s, %s of the critical path",
                              weft_row_text(row, 0), time_of(r, ns)));
    return 0;
}

/* Where links that should carry alike differ most. */
static void compare_links(const struct reading *r)
{
    double worst = 1;
    for (size_t i = 0; i < r->nlinks; i++) {
        const double mean = r->links[i].sum / r->links[i].n;
        if (mean > 0 && r->links[i].max / mean > worst) {
            worst = r->links[i].max / mean;
            r->f->spread_max = r->links[i].max;
            r->f->spread_mean = mean;
        }
    }
}

int weft_facts_read(const struct weft_runs *runs, const struct weft_run *run,
                    struct weft_facts *out, struct weft_err *err)
{
    static const char *const of_flows[] = {"fct_ns",
                                           "ideal_fct_ns",
                                           "?own_nic_ns",
                                           "?congestion_control_ns",
                                           "?loss_recovery_ns",
                                           "?pfc_pause_ns",
                                           "?fabric_queueing_ns",
                                           "?retx_bytes",
                                           "size_bytes",
                                           "?cnps",
                                           "id",
                                           "from|src",
                                           "to|dst",
                                           NULL};
    static const char *const of_links[] = {"from",
                                           "to",
                                           "util_pct",
                                           "pause_ns",
                                           "max_queue_bytes",
                                           "drops_buffer",
                                           "drops_headroom",
                                           "drops_error",
                                           "drops_link",
                                           "dim",
                                           "rate_bps",
                                           "?link",
                                           "?delay_ns",
                                           NULL};
    static const char *const of_steps[] = {"rank",        "name", "kind", "duration_ns",
                                           "?compute_ns", "?job", NULL};
    struct weft_link_facts links = {.arena = runs->arena};
    struct reading r = {.arena = runs->arena, .f = out, .all = &links};
    *out = (struct weft_facts){.end_ns = weft_run_figure(run, "end_to_end_ns")};
    if (read_ranks(&r, run, err) < 0 ||
        weft_run_rows(run, "flows.csv", of_flows, flow_row, &r, err) < 0 ||
        weft_run_rows(run, "links.csv", of_links, link_row, &r, err) < 0 ||
        weft_run_rows(run, "critical_path.csv", of_steps, step_row, &r, err) < 0 ||
        weft_link_facts_conclude(&links, run, out, err) || find_slow_ranks(&r, err))
        return err->code;
    weft_slow_parts_sort(out);
    compare_links(&r);
    find_nic(&r);
    return r.lost ? weft_err_no_memory(err, "a report") : 0;
}
