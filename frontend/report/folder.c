/* SPDX-License-Identifier: GPL-2.0-only */
/* The run folder: opening it, its rows, and what is written last. */
#include "report/report_internal.h"

#include "base/file.h"
#include "base/units.h"
#include "series/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int weft_report_open_csv(struct weft_report *r, enum weft_csv_file_id id, struct weft_err *err)
{
    const struct weft_csv_file *f = weft_csv_files[id];
    const struct weft_output_params *o = r->output;
    const char *names[WEFT_COLUMNS_MAX + 1];
    char path[WEFT_PATH_MAX];
    size_t n = 0;
    if (o && !weft_output_has(o, f->name))
        return 0;
    if (f->of_jobs && r->njobs > 1)
        names[n++] = WEFT_JOB_COLUMN;
    for (size_t i = 0; i < f->n; i++)
        names[n++] = f->columns[i].name;
    int code = weft_path_join(path, r->dir, f->name, err);
    if (code)
        return code;
    r->csv[id] = weft_csv_open(path, names, n, err);
    if (!r->csv[id])
        return err->code;
    weft_csv_flush_every(r->csv[id], 0);
    if (o && weft_output_pack_above(o) != UINT64_MAX)
        weft_csv_pack_above(r->csv[id], &weft_series_packer, weft_output_pack_above(o));
    return 0;
}

struct weft_report *weft_report_new(const struct weft_report_config *c, struct weft_err *err)
{
    struct weft_report *r = weft_err_calloc(1, sizeof *r, "a report", err);
    if (!r)
        return NULL;
    r->fabric = c->fabric;
    r->output = c->output;
    r->transport = c->transport;
    r->tcp_classes = c->tcp_classes;
    r->uet_classes = c->uet_classes;
    r->from_ps = c->from_ps;
    r->to_ps = c->to_ps ? c->to_ps : INT64_MAX;
    r->plans = c->jobs;
    r->njobs = c->jobs ? c->njobs : 0;
    const uint32_t n = r->njobs ? r->njobs : 1;
    r->jobs = (struct weft_report_job *)calloc(n, sizeof *r->jobs);
    r->summaries = (struct weft_job_summary *)calloc(n, sizeof *r->summaries);
    r->dir = c->dir ? strdup(c->dir) : NULL;
    for (uint32_t j = 0; r->jobs && j < n; j++)
        r->jobs[j] = (struct weft_report_job){.report = r, .number = j};
    int code =
        r->jobs && r->summaries && !r->dir == !c->dir ? 0 : weft_err_no_memory(err, "a report");
    if (!code && !r->dir)
        return r;
    if (!code) {
        r->place = weft_place_open(r->dir, err);
        code = r->place ? 0 : err->code;
    }
    if (!code)
        code = weft_report_open_csv(r, WEFT_CSV_FLOWS, err);
    if (!code)
        code = weft_report_open_csv(r, WEFT_CSV_OPS, err);
    if (!code)
        code = weft_report_open_csv(r, WEFT_CSV_PFC, err);
    if (!code)
        code = weft_report_open_csv(r, WEFT_CSV_COLLECTIVES, err);
    if (!code)
        code = weft_report_open_csv(r, WEFT_CSV_PATH, err);
    if (!code && c->faults)
        code = weft_report_open_csv(r, WEFT_CSV_FAULTS, err);
    if (code) {
        weft_report_free(r);
        return NULL;
    }
    return r;
}

void weft_report_free(struct weft_report *r)
{
    if (!r)
        return;
    for (int i = 0; i < WEFT_CSV_FILES; i++)
        weft_csv_close(r->csv[i], NULL);
    weft_samples_free(&r->samples);
    for (uint32_t j = 0; r->jobs && (j == 0 || j < r->njobs); j++) {
        weft_samples_free(&r->jobs[j].samples);
        weft_samples_free(&r->jobs[j].requests);
        weft_samples_free(&r->jobs[j].transfers);
    }
    for (int k = 0; k < WEFT_CLASSES; k++)
        weft_samples_free(&r->classes[k]);
    free(r->jobs);
    free(r->summaries);
    free(r->spans);
    weft_place_close(r->place);
    free(r->dir);
    free(r);
}

int weft_report_locked(const struct weft_report *r)
{
    return !r->place || weft_place_locked(r->place);
}

int weft_report_flush(struct weft_report *r, struct weft_err *err)
{
    for (int i = 0; i < WEFT_CSV_FILES && !r->err.code; i++)
        if (r->csv[i])
            weft_csv_flush(r->csv[i], &r->err);
    if (r->err.code && err)
        *err = r->err;
    return r->err.code;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static int links_row(struct weft_report *r, struct weft_net *net, uint32_t port, int64_t elapsed_ps,
                     struct weft_err *err)
{
    const struct weft_fabric *f = r->fabric;
    const struct weft_fabric_port *p = &f->ports[port];
    const struct weft_fabric_link *l = &f->links[p->link];
    struct weft_link_row row = {.port = port,
                                .link = p->link,
                                .dim = l->dim,
                                .rate_bps = l->rate_bps,
                                .delay_ps = l->delay_ps};
    weft_fabric_node_name(f, p->node, row.from);
    weft_fabric_node_name(f, f->ports[p->peer].node, row.to);
    net->ops->port_stats(net, port, &row.st);
    row.util_pct = 100 * ratio((double)row.st.busy_ps, (double)elapsed_ps);
    return weft_columns_row(&weft_links_csv, r->csv[WEFT_CSV_LINKS], &row, err);
}

void weft_report_row(struct weft_report *r, enum weft_csv_file_id id, uint32_t job,
                     const void *record, struct weft_err *err)
{
    if (r->csv[id] && weft_csv_files[id]->of_jobs && r->njobs > 1)
        weft_csv_str(r->csv[id], job < r->njobs ? r->plans[job].name : NULL);
    weft_columns_row(weft_csv_files[id], r->csv[id], record, err);
}

static int ranks_row(struct weft_report *r, const struct weft_jobs *jobs, uint32_t job,
                     uint32_t rank, struct weft_err *err)
{
    struct weft_rank_row row = {.rank = rank};
    struct weft_err failed = {0};
    weft_jobs_rank(jobs, job, rank, &row.result);
    row.finished = row.result.finished != 0;
    weft_report_row(r, WEFT_CSV_RANKS, job, &row, &failed);
    if (failed.code)
        *err = failed;
    return failed.code;
}

int weft_report_write_ranks(struct weft_report *r, const struct weft_jobs *jobs,
                            struct weft_err *err)
{
    int code = r->dir ? weft_report_open_csv(r, WEFT_CSV_RANKS, err) : 0;
    for (uint32_t job = 0; r->dir && job < r->njobs; job++)
        for (uint32_t rank = 0; !code && weft_jobs_system(jobs, job) && rank < r->plans[job].nranks;
             rank++)
            code = ranks_row(r, jobs, job, rank, err);
    return code;
}

static void connections_row(void *ctx, const struct weft_net_connection *c)
{
    struct weft_report *r = (struct weft_report *)ctx;
    if (!r->csv[WEFT_CSV_TCP] && (r->err.code || weft_report_open_csv(r, WEFT_CSV_TCP, &r->err)))
        return;
    weft_columns_row(&weft_tcp_csv, r->csv[WEFT_CSV_TCP], c, &r->err);
}

int weft_report_write_connections(struct weft_report *r, struct weft_net *net, struct weft_err *err)
{
    if (r->dir && net->ops->connections)
        net->ops->connections(net, connections_row, r);
    if (r->err.code)
        *err = r->err;
    return r->err.code;
}

int weft_report_write_links(struct weft_report *r, struct weft_net *net, int64_t elapsed_ps,
                            struct weft_err *err)
{
    if (!r->dir)
        return 0;
    int code = weft_report_open_csv(r, WEFT_CSV_LINKS, err);
    for (uint32_t p = 0; !code && p < r->fabric->nports; p++)
        code = links_row(r, net, p, elapsed_ps, err);
    for (int i = 0; i < WEFT_CSV_FILES; i++) {
        const int closed = weft_csv_close(r->csv[i], code ? NULL : err);
        r->csv[i] = NULL;
        code = code ? code : closed;
    }
    return code;
}

char *weft_run_json(const char *path, weft_run_json_fn fill, const void *ctx, size_t *size,
                    struct weft_err *err)
{
    struct weft_memfile text;
    struct weft_json j;
    if (weft_memfile_open(&text, path, err))
        return NULL;
    weft_json_init(&j, text.f, path, 2);
    weft_json_object(&j);
    weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    fill(&j, ctx);
    weft_json_end_object(&j);
    const int code = weft_json_finish(&j, err);
    if (weft_memfile_close(&text, path, err))
        return NULL;
    if (!code) {
        *size = text.size;
        return text.data;
    }
    free(text.data);
    return NULL;
}

int weft_run_json_write(const char *path, weft_run_json_fn fill, const void *ctx,
                        struct weft_err *err)
{
    size_t size = 0;
    char *text = weft_run_json(path, fill, ctx, &size, err);
    const int code = text ? weft_file_write(path, text, size, err) : err->code;
    free(text);
    return code;
}

int weft_report_write_run(struct weft_report *r, weft_run_json_fn fill, const void *ctx,
                          struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    if (!r->dir)
        return 0;
    const int code = weft_path_join(path, r->dir, "run.json", err);
    return code ? code : weft_run_json_write(path, fill, ctx, err);
}

int weft_mark_finished(const char *dir, enum weft_outcome outcome, struct weft_err *err)
{
    char path[WEFT_PATH_MAX], text[64];
    int code = weft_path_join(path, dir, "finished", err);
    int n = snprintf(text, sizeof text, "%s\n", weft_outcome_name(outcome));
    return code ? code : weft_file_write(path, text, (size_t)n, err);
}

int weft_report_mark_finished(struct weft_report *r, enum weft_outcome outcome,
                              struct weft_err *err)
{
    return r->dir ? weft_mark_finished(r->dir, outcome, err) : 0;
}

/* Adds a file to a list that has @p used bytes, if it is there and holds anything; returns how many
 * it has then. */
static size_t add_saved(const char *dir, const char *name, char *buf, size_t size, size_t used)
{
    struct weft_err ignored = {0};
    struct stat st;
    char path[WEFT_PATH_MAX], bytes[WEFT_UNIT_TEXT_MAX];
    if (weft_path_join(path, dir, name, &ignored) || stat(path, &st) != 0 || st.st_size == 0)
        return used;
    const int n = snprintf(buf + used, size - used, "%s%s (%s)", used ? ", " : "", name,
                           weft_human_size((uint64_t)st.st_size, bytes));
    if (n >= 0 && (size_t)n < size - used)
        return used + (size_t)n;
    buf[used] = '\0';
    return used;
}

const char *weft_report_saved(const char *dir, char *buf, size_t size)
{
    static const char *const packed[] = {"", WEFT_SERIES_PACKED};
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < 2 * (WEFT_CSV_FILES + WEFT_SERIES_FILES); i++) {
        const size_t file = i / 2;
        const bool series = file >= WEFT_CSV_FILES;
        char name[64];
        snprintf(name, sizeof name, "%s%s%s", series ? WEFT_SERIES_DIR "/" : "",
                 series ? weft_series_files[file - WEFT_CSV_FILES]->name
                        : weft_csv_files[file]->name,
                 packed[i % 2]);
        used = add_saved(dir, name, buf, size, used);
    }
    add_saved(dir, "run.json", buf, size, used);
    return buf;
}
