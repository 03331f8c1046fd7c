/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft nccl-tests: what nccl-tests would print on a cluster, from packets, beside measurements.
 *
 * Every size is a run of its own. Above --play the time goes on as between half of that size and
 * that size, played by the algorithm and protocol that the library takes for the whole size: the
 * loops of a channel are alike. Such rows are marked with '~'.
 */
#include "base/compare.h"
#include "base/units.h"
#include "cli/bench_rows.h"
#include "cli/cli_internal.h"
#include "run/execute.h"
#include "run/interrupt.h"
#include "run/source.h"
#include "system/library.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct nccl_tests_opts {
    struct weft_source_opts source;
    const char *begin, *end, *factor, *nodes, *gpus, *against, *only, *hosts, *play, *csv, *picture;
};

#define WEFT_OPTS struct nccl_tests_opts
static const struct weft_opt options[] = {
    WEFT_SOURCE_OPTS,
    WEFT_TEXT("minbytes", 'b', begin, "SIZE",
              "smallest size; default: 8; 1M and 1MB are 1 MiB, as in nccl-tests"),
    WEFT_TEXT("maxbytes", 'e', end, "SIZE", "largest size; default: 16G"),
    WEFT_TEXT("stepfactor", 'f', factor, "N",
              "each size is so many times the one before; default: 2"),
    WEFT_TEXT("nodes", 'n', nodes, "N", "nodes; default: those of the cluster's file"),
    WEFT_TEXT("ngpus", 'g', gpus, "N", "GPUs of a node; default: those of the cluster's file"),
    WEFT_TEXT(
        "against", 0, against, "FILE",
        "measurements: the output of nccl-tests, or CSV with the columns collective, nodes, gpus, "
        "bytes, time_us, algbw_GBps, busbw_GBps, note; their sizes are played"),
    WEFT_TEXT("only", 0, only, "TEXT", "rows of --against whose note contains TEXT"),
    WEFT_TEXT(
        "hosts", 0, hosts, "N",
        "nodes as CSV of --against counts them; default: those of -n, of which one may be several "
        "hosts that share NVLinks"),
    WEFT_TEXT("play", 0, play, "SIZE", "largest size that is played whole; default: 1G"),
    WEFT_TEXT("csv", 0, csv, "FILE", "write the rows, with measured times, as CSV"),
    WEFT_TEXT(
        "picture", 0, picture, "FILE",
        "draw bus bandwidth against size, with the measured one: .svg, .pdf, .png, .gp or .csv"),
};

/* What is played. */
struct test {
    const struct weft_cli *cli;
    const struct nccl_tests_opts *o;
    char *cluster[1];
    const struct weft_bench_rows_kind *kind;
    struct weft_arena *arena;
    const char *dims;     /* setting of the topology; NULL: as in the file */
    uint32_t nodes, gpus; /* of a node */
    uint32_t hosts;       /* of the measurements */
    uint64_t play_bytes;
    /* Half of play_bytes, and all: time, algorithm and protocol; NULL: not played yet. */
    struct {
        double us;
        const char *choice;
    } ahead[2];
};

/* ---- the cluster ---- */

static int nccl_tests_load(struct test *t, const char **sets, size_t n, struct weft_scenario **out,
                           struct weft_err *err)
{
    struct weft_source_opts source = t->o->source;
    const struct weft_strings own = {sets, n};
    if (weft_strings_join(t->arena, &own, &t->o->source.set, &source.set, err))
        return err->code;
    return weft_source_load(t->cli, &source, t->cluster, 1, out, err);
}

/* Nodes and GPUs of a fabric that is played as it is: its innermost dimension is a node. */
static int read_fabric(struct test *t, const struct weft_scenario *s, uint32_t nodes, uint32_t gpus,
                       struct weft_err *err)
{
    struct weft_scenario_parts parts = {0};
    int code = weft_scenario_build_net(s, &parts, err);
    const struct weft_fabric *f = parts.fabric;
    if (!code && (f->ndims < 2 || f->dims[0].size < 2 || f->nhosts % f->dims[0].size != 0)) {
        code = weft_err_set(err, WEFT_E_INPUT,
                            "%s is no cluster: the innermost dimension of its topology is no node "
                            "of several GPUs; see 'weft list clusters'",
                            t->cluster[0]);
    } else if (!code) {
        t->gpus = f->dims[0].size;
        t->nodes = f->nhosts / t->gpus;
        if ((nodes && nodes != t->nodes) || (gpus && gpus != t->gpus))
            code = weft_err_set(
                err, WEFT_E_INPUT,
                "%s has %" PRIu32 " node%s of %" PRIu32 " GPU%s; other numbers need "
                "a dimension with nodes=, as clusters have",
                t->cluster[0], t->nodes, WEFT_PLURAL(t->nodes), t->gpus, WEFT_PLURAL(t->gpus));
    }
    weft_scenario_parts_free(&parts);
    return code;
}

/* Nodes and GPUs: those that are wanted, in the cluster's dimensions. */
static int read_cluster(struct test *t, uint32_t nodes, uint32_t gpus, struct weft_err *err)
{
    struct weft_scenario *s = NULL;
    const int code = nccl_tests_load(t, NULL, 0, &s, err);
    if (code)
        return code;
    t->nodes = nodes;
    t->gpus = gpus;
    int rc = weft_cluster_of(s, t->arena, &t->nodes, &t->gpus, &t->dims, err);
    if (!rc && !t->dims)
        rc = read_fabric(t, s, nodes, gpus, err);
    weft_scenario_free(s);
    return rc;
}

/* ---- one size ---- */

static void note_end(void *ctx, const struct weft_op_record *record)
{
    int64_t *end_ps = ctx;
    if (record->end_ps > *end_ps)
        *end_ps = record->end_ps;
}

static void begin_again(void *ctx)
{
    *(int64_t *)ctx = 0;
}

/* What the library takes for @p bytes; NULL: it has no say. */
static const struct weft_library_row *
nccl_tests_choose(const struct test *t, const struct weft_scenario *s, uint64_t bytes,
                  struct weft_library_row rows[WEFT_LIBRARY_ROWS])
{
    struct weft_library_group g;
    struct weft_err ignored = {0};
    weft_cluster_group(s, &g, &ignored);
    g.n = t->nodes * t->gpus;
    g.node = t->gpus;
    g.nodes = t->nodes;
    g.gpus = t->gpus;
    if (s->system->library == WEFT_LIBRARY_IDEAL || t->kind->coll == WEFT_COLL_ALL_TO_ALL)
        return NULL;
    return weft_library_rows(s->system, &g, t->kind->coll, bytes, rows) ? &rows[0] : NULL;
}

/* Plays @p bytes; forced: by that algorithm and protocol. */
static int play(struct test *t, uint64_t bytes, const struct weft_library_row *forced, double *us,
                struct weft_err *err)
{
    const uint64_t n = (uint64_t)t->nodes * t->gpus;
    const uint64_t own = t->kind->coll == WEFT_COLL_ALL_GATHER ? bytes / n : bytes;
    struct weft_scenario *s = NULL;
    struct weft_execution run = {0};
    int64_t end_ps = 0;
    const char *sets[7];
    size_t nsets = 0;
    if (t->dims)
        sets[nsets++] = t->dims;
    sets[nsets++] =
        weft_arena_printf(t->arena, "generate.kind=%s", weft_coll_kind_name(t->kind->coll));
    sets[nsets++] = weft_arena_printf(t->arena, "generate.size=%" PRIu64 "B", own ? own : 1);
    if (t->kind->pairs)
        sets[nsets++] = "generate.shift=1";
    if (forced) {
        sets[nsets++] =
            weft_arena_printf(t->arena, "library.algo=%s", weft_library_algo_name(forced->algo));
        sets[nsets++] =
            weft_arena_printf(t->arena, "library.proto=%s", weft_library_proto_name(forced->proto));
    }
    for (size_t i = 0; i < nsets; i++)
        if (!sets[i])
            return weft_err_no_memory(err, "settings");
    const struct weft_execute_opts eo = {
        .op = note_end, .op_ctx = &end_ps, .again = begin_again, .samples_optional = true};
    int code = nccl_tests_load(t, sets, nsets, &s, err);
    if (!code)
        code = weft_execute(t->cli, s, &eo, &run, err);
    if (!code)
        code = run.end.code;
    weft_interrupt_saved();
    *us = (double)end_ps * 1e-6;
    if (s && s->system->nccl && *us < (double)s->system->nccl->launch_period_ps * 1e-6)
        *us = (double)s->system->nccl->launch_period_ps * 1e-6;
    weft_execution_free(&run);
    weft_scenario_free(s);
    return code;
}

struct row {
    uint64_t bytes;
    double us, measured_us;
    const char *choice;
    bool extrapolated;
};

static int play_row(struct test *t, struct row *r, struct weft_err *err)
{
    struct weft_library_row rows[WEFT_LIBRARY_ROWS];
    struct weft_scenario *s = NULL;
    int code = nccl_tests_load(t, &t->dims, t->dims ? 1 : 0, &s, err);
    if (code)
        return code;
    const struct weft_library_row *best = nccl_tests_choose(t, s, r->bytes, rows);
    if (!best && s->system->library != WEFT_LIBRARY_IDEAL && !t->kind->pairs &&
        t->kind->coll != WEFT_COLL_ALL_TO_ALL)
        weft_err_set(err, WEFT_E_INPUT,
                     "library.algo=%s and library.proto=%s leave NCCL nothing for %s on %" PRIu32
                     " node%s of %" PRIu32 " GPU%s of this kind",
                     s->system->nccl->algo, s->system->nccl->proto, t->kind->name, t->nodes,
                     WEFT_PLURAL(t->nodes), t->gpus, WEFT_PLURAL(t->gpus));
    weft_scenario_free(s);
    if (err->code)
        return err->code;
    r->choice = best ? weft_arena_printf(t->arena, "%s %s", weft_library_algo_name(best->algo),
                                         weft_library_proto_name(best->proto))
                     : "";
    if (r->bytes <= t->play_bytes) {
        code = play(t, r->bytes, NULL, &r->us, err);
        for (int k = 0; k < 2 && !code; k++)
            if (r->bytes == t->play_bytes / (k ? 1 : 2)) {
                t->ahead[k].us = r->us;
                t->ahead[k].choice = r->choice;
            }
        return code;
    }
    for (int k = 0; k < 2 && !code; k++)
        if (!t->ahead[k].choice || strcmp(t->ahead[k].choice, r->choice) != 0) {
            code = play(t, t->play_bytes / (k ? 1 : 2), best, &t->ahead[k].us, err);
            t->ahead[k].choice = r->choice;
        }
    const double half_us = t->ahead[0].us, whole_us = t->ahead[1].us;
    /* messages of half the size may be shorter: no less than what the whole takes of bandwidth */
    const double latency_us = best ? best->latency_us : 0;
    const double per_half = fmax(whole_us - half_us, (whole_us - latency_us) / 2);
    r->us = whole_us + per_half * ((double)r->bytes / (double)t->play_bytes - 1) * 2;
    r->extrapolated = true;
    return code;
}

/* ---- all ---- */

static double bus_factor(const struct test *t)
{
    return weft_bench_rows_bus_factor(t->kind, (double)t->nodes * t->gpus);
}

static void print_head(const struct test *t, bool against)
{
    fprintf(t->cli->out,
            "# %s on %s: %" PRIu32 " node%s of %" PRIu32 " GPU%s, out of place, simulated\n",
            t->kind->name, t->cluster[0], t->nodes, WEFT_PLURAL(t->nodes), t->gpus,
            WEFT_PLURAL(t->gpus));
    fprintf(t->cli->out, "#%11s%14s%10s%8s%8s%11s%9s%9s%7s%s  %s\n", "size", "count", "type",
            "redop", "root", "time", "algbw", "busbw", "#wrong",
            against ? "   measured    error" : "", "choice");
    fprintf(t->cli->out, "#%11s%14s%10s%8s%8s%11s%9s%9s%7s%s\n", "(B)", "(elements)", "", "", "",
            "(us)", "(GB/s)", "(GB/s)", "", against ? "       (us)      (%)" : "");
}

static void print_row(const struct test *t, const struct row *r, bool against)
{
    const double algbw = (double)r->bytes / r->us / 1e3;
    const uint64_t floats = weft_bench_rows_floats(t->kind, r->bytes, (uint64_t)t->nodes * t->gpus);
    fprintf(t->cli->out, "%12" PRIu64 " %13" PRIu64 "%10s%8s%8d %9.*f%s%9.2f%9.2f%7d", r->bytes,
            floats, "float", weft_bench_rows_redop(t->kind), -1, r->us < 1e4 ? 2 : 0, r->us,
            r->extrapolated ? "~" : " ", algbw, algbw * bus_factor(t), 0);
    if (against)
        fprintf(t->cli->out, " %10.*f%+9.1f", r->measured_us < 1e4 ? 2 : 0, r->measured_us,
                100 * (r->us / r->measured_us - 1));
    fprintf(t->cli->out, "  %s\n", r->choice);
    fflush(t->cli->out);
}

static int print_error(const struct test *t, const struct row *r, size_t n, struct weft_err *err)
{
    double *off = malloc((n ? n : 1) * sizeof *off);
    if (!off)
        return weft_err_no_memory(err, "errors");
    for (size_t i = 0; i < n; i++)
        off[i] = 100 * fabs(r[i].us / r[i].measured_us - 1);
    qsort(off, n, sizeof *off, weft_by_f64);
    fprintf(t->cli->out,
            "# error of time in %zu row%s: median %.1f %%, 90th percentile %.1f %%, largest %.1f "
            "%%\n",
            n, WEFT_PLURAL(n), (off[(n - 1) / 2] + off[n / 2]) / 2, off[(9 * n + 9) / 10 - 1],
            off[n - 1]);
    free(off);
    return 0;
}

static int write_csv(const struct test *t, const struct row *r, size_t n, struct weft_err *err)
{
    FILE *f = fopen(t->o->csv, "w");
    if (!f)
        return weft_err_set(err, WEFT_E_IO, "%s: cannot be written", t->o->csv);
    fprintf(f, "collective,nodes,gpus,bytes,time_us,busbw_GBps,measured_us,choice,extrapolated\n");
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%s,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%.3f,%.3f,%.3f,%s,%d\n", t->kind->name,
                t->nodes, t->nodes * t->gpus, r[i].bytes, r[i].us,
                (double)r[i].bytes / r[i].us / 1e3 * bus_factor(t), r[i].measured_us, r[i].choice,
                r[i].extrapolated);
    return fclose(f) ? weft_err_set(err, WEFT_E_IO, "%s: cannot be written", t->o->csv) : 0;
}

/* Bus bandwidth against size, simulated and measured. */
static int draw(const struct test *t, const struct row *r, size_t n, bool against,
                struct weft_err *err)
{
    struct weft_figure *f = weft_figure_new();
    if (!f)
        return weft_err_no_memory(err, "a figure");
    f->title = weft_figure_printf(f, "%s on %s: %" PRIu32 " node%s of %" PRIu32 " GPU%s",
                                  t->kind->name, t->cluster[0], t->nodes, WEFT_PLURAL(t->nodes),
                                  t->gpus, WEFT_PLURAL(t->gpus));
    f->caption = "Bus bandwidth as nccl-tests counts it. Choices of algorithm and protocol follow "
                 "NCCL's tuner.";
    struct weft_panel *panel =
        weft_panel_add(f, "", "size (bytes, log scale)", "bus bandwidth (GB/s, log scale)");
    panel->x.log = panel->x.bytes = panel->y.log = true;
    struct weft_curve *simulated = weft_curve_add(panel, WEFT_MARK_POINTS, 0, "simulated");
    struct weft_curve *measured =
        against ? weft_curve_add(panel, WEFT_MARK_DOTS, 1, "measured") : NULL;
    for (size_t i = 0; i < n; i++) {
        const double bus = (double)r[i].bytes * bus_factor(t) / 1e3;
        weft_curve_xy(simulated, (double)r[i].bytes, bus / r[i].us);
        if (measured)
            weft_curve_xy(measured, (double)r[i].bytes, bus / r[i].measured_us);
    }
    int code = weft_figure_check(f, err);
    code = code ? code : weft_figure_file(t->cli, f, t->o->picture, err);
    weft_figure_free(f);
    return code;
}

static int play_all(struct test *t, struct row *r, size_t n, bool against, struct weft_err *err)
{
    int code = 0;
    print_head(t, against);
    for (size_t i = 0; i < n && !code; i++) {
        /* rows of one size follow each other: played once */
        if (i && r[i].bytes == r[i - 1].bytes) {
            r[i].us = r[i - 1].us;
            r[i].choice = r[i - 1].choice;
            r[i].extrapolated = r[i - 1].extrapolated;
        } else {
            code = play_row(t, &r[i], err);
        }
        if (!code)
            print_row(t, &r[i], against);
    }
    if (!code && against)
        code = print_error(t, r, n, err);
    if (!code && t->o->csv)
        code = write_csv(t, r, n, err);
    if (!code && t->o->picture)
        code = draw(t, r, n, against, err);
    return code;
}

static int read_rows(struct test *t, uint64_t begin, uint64_t end, uint64_t factor,
                     struct row **out, size_t *n, struct weft_err *err)
{
    const struct nccl_tests_opts *o = t->o;
    struct weft_bench_rows m = {0};
    *n = 0;
    if (o->against) {
        const int code = weft_bench_rows_read(o->against, t->kind, o->only, t->hosts,
                                              t->nodes * t->gpus, &m, err);
        if (code)
            return code;
    }
    size_t most = m.n;
    for (uint64_t b = begin; !o->against && b <= end; b *= factor)
        most++;
    *out = calloc(most ? most : 1, sizeof **out);
    if (!*out) {
        weft_bench_rows_free(&m);
        return weft_err_no_memory(err, "sizes");
    }
    for (size_t i = 0; i < m.n; i++)
        if (m.row[i].bytes >= begin && m.row[i].bytes <= end)
            (*out)[(*n)++] = (struct row){.bytes = m.row[i].bytes, .measured_us = m.row[i].us};
    for (uint64_t b = begin; !o->against && b <= end; b *= factor)
        (*out)[(*n)++] = (struct row){.bytes = b};
    weft_bench_rows_free(&m);
    return *n ? 0
              : weft_err_set(
                    err, WEFT_E_INPUT,
                    "%s: no rows of %s on %" PRIu32 " node%s and %" PRIu32 " GPU%s in this range",
                    o->against ? o->against : "sizes", t->kind->name, t->nodes,
                    WEFT_PLURAL(t->nodes), t->nodes * t->gpus, WEFT_PLURAL(t->nodes * t->gpus));
}

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    const struct nccl_tests_opts *o = (const struct nccl_tests_opts *)opts;
    struct test t = {.cli = cli, .o = o};
    uint64_t begin, end, factor = 2, nodes = 0, gpus = 0, hosts = 0;
    struct row *rows = NULL;
    size_t n = 0;
    if (nargs < 1 || nargs > 2)
        return weft_err_set(err, WEFT_E_USAGE, "a cluster must be given, and at most a collective");
    t.cluster[0] = args[0];
    t.kind = weft_bench_rows_kind(nargs > 1 ? args[1] : "all_reduce", err);
    if (!t.kind || weft_bench_rows_size("-b", o->begin, o->against ? "1" : "8", &begin, err) ||
        weft_bench_rows_size("-e", o->end, o->against ? "1T" : "16G", &end, err) ||
        weft_bench_rows_size("--play", o->play, "1G", &t.play_bytes, err) ||
        weft_bench_rows_count("-f", o->factor, 2, 1024, &factor, err) ||
        weft_bench_rows_count("-n", o->nodes, 1, 65536, &nodes, err) ||
        weft_bench_rows_count("--hosts", o->hosts, 1, 65536, &hosts, err) ||
        weft_bench_rows_count("-g", o->gpus, 1, 1024, &gpus, err))
        return err->code;
    if (begin > end)
        return weft_err_set(err, WEFT_E_USAGE, "the largest size, -e, is below the smallest, -b");
    t.arena = weft_arena_new();
    int code = t.arena ? read_cluster(&t, (uint32_t)nodes, (uint32_t)gpus, err)
                       : weft_err_no_memory(err, "a test");
    t.hosts = hosts ? (uint32_t)hosts : t.nodes;
    if (!code)
        code = read_rows(&t, begin, end, factor, &rows, &n, err);
    if (!code)
        code = play_all(&t, rows, n, o->against != NULL, err);
    free(rows);
    weft_arena_free(t.arena);
    return code;
}

const struct weft_command weft_command_nccl_tests = {
    .name = "nccl-tests",
    .summary = "Predict what nccl-tests prints on a cluster, and compare it with what it printed",
    .usage = "CLUSTER [COLLECTIVE] [-b SIZE] [-e SIZE] [-f N] [-n NODES] [--against FILE]",
    .example = "weft nccl-tests dgx-h100 all_reduce -b 1M -e 16M -n 2",
    .details =
        "CLUSTER is a file of scenarios/clusters, by name, or one of your own. COLLECTIVE is "
        "all_reduce (default), all_gather, reduce_scatter, alltoall or sendrecv.\n"
        "Each size is simulated packet by packet, with the algorithm, protocol and channels that "
        "NCCL's tuner takes. Sizes above --play go on as the two below do; a '~' marks them.\n"
        "With --against the sizes are those of a file of measurements; each row shows its error.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = run,
};
