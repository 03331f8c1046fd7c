/* SPDX-License-Identifier: GPL-2.0-only */
/* weft fct: percentiles of the FCT slowdown by message size, as papers print them. */
#include "base/file.h"
#include "base/outcome.h"
#include "cli/cli_internal.h"
#include "command/command.h"
#include "plot/fct_table.h"
#include "plot/script.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct fct_opts {
    const char *buckets, *job, *out;
    struct weft_strings labels;
    int to;
};

enum { TO_TEXT, TO_CSV, TO_LATEX };

#define WEFT_OPTS struct fct_opts
static const struct weft_opt options[] = {
    WEFT_CHOICE("to", 't', to, "text|csv|latex",
                "a table for people, one for programs, or a tabular of LaTeX"),
    WEFT_TEXT("buckets", 'b', buckets, "SIZES",
              "largest sizes of the buckets, ascending; default: 10KB,100KB,1MB"),
    WEFT_TEXT("job", 0, job, "NAME", "messages of this workload alone"),
    WEFT_TEXTS("label", 'l', labels, "TEXT",
               "name of a run; once for each run, those of the same name are seeds of one"),
    WEFT_TEXT("out", 'o', out, "FILE", "where to write it; default: standard output"),
};

static bool fct_has_jobs(const struct weft_fct_table *t)
{
    for (size_t i = 0; i < t->nrows; i++)
        if (*t->row[i].job)
            return true;
    return false;
}

static size_t longest_name(const struct weft_fct_table *t, bool jobs)
{
    size_t most = 3;
    for (size_t i = 0; i < t->nrows; i++) {
        const size_t n = strlen(jobs ? t->row[i].job : t->row[i].run);
        most = n > most ? n : most;
    }
    return most;
}

/* "2.31 +- 0.12" */
static const char *fct_value_text(const struct weft_fct_cell *c, size_t k, const char *sign,
                                  char buf[64])
{
    if (!c->n)
        return "-";
    if (isnan(c->ci95[k]))
        snprintf(buf, 64, "%.2f", c->value[k]);
    else
        snprintf(buf, 64, "%.2f%s%.2f", c->value[k], sign, c->ci95[k]);
    return buf;
}

static void fct_print_text(FILE *out, const struct weft_fct_table *t)
{
    const bool jobs = fct_has_jobs(t);
    const int run = (int)longest_name(t, false), job = (int)longest_name(t, true);
    char buf[64];
    fprintf(out, "%-*s  ", run, "run");
    if (jobs)
        fprintf(out, "%-*s  ", job < 8 ? 8 : job, "workload");
    fprintf(out, "%-10s %9s %5s", "size", "messages", "seeds");
    for (size_t k = 0; k < WEFT_FCT_PERCENTILES; k++)
        fprintf(out, "  p%-15u", weft_fct_percentiles[k]);
    fputc('\n', out);
    for (size_t i = 0; i < t->nrows; i++)
        for (size_t b = 0; b <= t->nbuckets; b++) {
            const struct weft_fct_row *r = &t->row[i];
            const struct weft_fct_cell *c = &r->cell[b];
            fprintf(out, "%-*s  ", run, r->run);
            if (jobs)
                fprintf(out, "%-*s  ", job < 8 ? 8 : job, r->job);
            fprintf(out, "%-10s %9zu %5zu", t->bucket[b], c->n, r->seeds);
            for (size_t k = 0; k < WEFT_FCT_PERCENTILES; k++)
                fprintf(out, k + 1 < WEFT_FCT_PERCENTILES ? "  %-16s" : "  %s",
                        fct_value_text(c, k, " +- ", buf));
            fputc('\n', out);
        }
    fprintf(out, "FCT slowdown: completion time by that alone on the empty fabric%s%s\n",
            t->one_baseline ? ", the least of any of these runs for the same hosts and size" : "",
            "; +-: 95 % confidence over seeds; messages that did not end are left out");
}

static void fct_put_number(FILE *out, double v)
{
    if (isfinite(v))
        fprintf(out, ",%.10g", v);
    else
        fputc(',', out);
}

static void fct_print_csv(FILE *out, const struct weft_fct_table *t)
{
    fputs("run,workload,size_over_bytes,size_to_bytes,messages,seeds", out);
    for (size_t k = 0; k < WEFT_FCT_PERCENTILES; k++)
        fprintf(out, ",slowdown_p%u,slowdown_p%u_ci95", weft_fct_percentiles[k],
                weft_fct_percentiles[k]);
    fputc('\n', out);
    for (size_t i = 0; i < t->nrows; i++)
        for (size_t b = 0; b <= t->nbuckets; b++) {
            const struct weft_fct_cell *c = &t->row[i].cell[b];
            weft_figure_csv_text(out, t->row[i].run);
            fputc(',', out);
            weft_figure_csv_text(out, t->row[i].job);
            fct_put_number(out, b && b < t->nbuckets ? t->edge[b - 1] : 0);
            fct_put_number(out, b + 1 < t->nbuckets ? t->edge[b] : NAN);
            fprintf(out, ",%zu,%zu", c->n, t->row[i].seeds);
            for (size_t k = 0; k < WEFT_FCT_PERCENTILES; k++) {
                fct_put_number(out, c->n ? c->value[k] : NAN);
                fct_put_number(out, c->n ? c->ci95[k] : NAN);
            }
            fputc('\n', out);
        }
}

/* "<", ">" or "<="; returns how many more characters that takes than one. */
static size_t put_relation(FILE *out, const char *s)
{
    if (s[1] == '=')
        fputs(*s == '<' ? "$\\le$" : "$\\ge$", out);
    else
        fprintf(out, "$%c$", *s);
    return s[1] == '=';
}

/* Text with what is special in LaTeX escaped. */
static void put_latex(FILE *out, const char *s)
{
    for (; *s; s++)
        if (strchr("_%&#$", *s))
            fprintf(out, "\\%c", *s);
        else if (*s == '<' || *s == '>')
            s += put_relation(out, s);
        else
            fputc(*s, out);
}

/* Runs below each other, buckets beside each other, one block for each workload and percentile. */
static void fct_print_latex(FILE *out, const struct weft_fct_table *t)
{
    char buf[64];
    fputs("\\begin{tabular}{l", out);
    for (size_t b = 0; b <= t->nbuckets; b++)
        fputc('r', out);
    fputs("}\n\\hline\nslowdown", out);
    for (size_t b = 0; b <= t->nbuckets; b++) {
        fputs(" & ", out);
        put_latex(out, t->bucket[b]);
    }
    fputs(" \\\\\n", out);
    for (size_t first = 0; first < t->nrows; first++) {
        const char *job = t->row[first].job;
        bool done = false;
        for (size_t i = 0; i < first; i++)
            done |= strcmp(t->row[i].job, job) == 0;
        for (size_t k = 0; k < WEFT_FCT_PERCENTILES && !done; k++) {
            fprintf(out, "\\hline\n\\multicolumn{%zu}{l}{\\textit{", t->nbuckets + 2);
            put_latex(out, job);
            fprintf(out, "%s%uth percentile}} \\\\\n", *job ? ", " : "", weft_fct_percentiles[k]);
            for (size_t i = first; i < t->nrows; i++) {
                if (strcmp(t->row[i].job, job) != 0)
                    continue;
                put_latex(out, *t->row[i].run ? t->row[i].run : "all");
                for (size_t b = 0; b <= t->nbuckets; b++)
                    fprintf(out, " & %s", fct_value_text(&t->row[i].cell[b], k, " $\\pm$ ", buf));
                fputs(" \\\\\n", out);
            }
        }
    }
    fputs("\\hline\n\\end{tabular}\n", out);
}

static int fct_write_table(const struct weft_cli *cli, const struct fct_opts *o,
                           const struct weft_fct_table *t, struct weft_err *err)
{
    static void (*const print[])(FILE *, const struct weft_fct_table *) = {
        fct_print_text, fct_print_csv, fct_print_latex};
    struct weft_memfile text;
    if (!o->out || strcmp(o->out, "-") == 0) {
        print[o->to](cli->out, t);
        return 0;
    }
    if (weft_memfile_open(&text, "a table of completion times", err))
        return err->code;
    print[o->to](text.f, t);
    return weft_memfile_write(&text, "a table of completion times", o->out, 0, err);
}

static int fct_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                   struct weft_err *err)
{
    const struct fct_opts *o = (const struct fct_opts *)opts;
    double edges[WEFT_FCT_BUCKETS_MAX];
    struct weft_fct_table t = {0};
    struct weft_runs runs = {0};
    size_t n;
    if (nargs < 1)
        return weft_err_set(err, WEFT_E_USAGE, "fct needs folders of runs or of a sweep");
    if (weft_fct_edges(o->buckets, edges, &n, err))
        return err->code;
    int code = weft_runs_open((const char *const *)args, (size_t)nargs, o->labels.list, o->labels.n,
                              &runs, err);
    weft_warn_unfinished(cli, &runs);
    code = code ? code : weft_fct_table_make(&runs, edges, n, o->job, &t, err);
    code = code ? code : fct_write_table(cli, o, &t, err);
    weft_fct_table_free(&t);
    weft_runs_close(&runs);
    return code;
}

void weft_warn_unfinished(const struct weft_cli *cli, const struct weft_runs *runs)
{
    for (size_t i = 0; i < runs->n; i++) {
        const struct weft_run *r = &runs->run[i];
        const char *outcome = json_string_value(json_object_get(r->json, "outcome"));
        if (outcome && !weft_outcome_is_good(weft_outcome_of(outcome)))
            weft_log(cli->log, WEFT_LOG_WARNING,
                     "%s: the run is '%s', not finished: what had not ended then is missing, so "
                     "slow messages are too few",
                     r->dir, outcome);
    }
}

const struct weft_command weft_command_fct = {
    .name = "fct",
    .summary = "Print percentiles of the FCT slowdown by message size",
    .usage = "DIR [DIR ...] [--to text|csv|latex] [--buckets SIZES] [--job NAME]",
    .example = "weft fct out/hpcc-incast",
    .details =
        "DIR is the folder of a run (weft run --out), or of a sweep, which stands for its runs. "
        "There is a row for each workload of each run.\n"
        "Runs that differ in run.seed alone are one row: percentiles are over the messages of all "
        "seeds, the interval is that of the mean over seeds.\n"
        "Several runs have one baseline: what messages of the same hosts and size take alone in "
        "the run where they take least.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = fct_run,
};
