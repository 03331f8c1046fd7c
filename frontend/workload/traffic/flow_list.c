/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workload `flows`: a list from a file.
 *
 * CSV files have a first line with the names of their columns: src, dst, size_bytes and start_ns,
 * and perhaps prio; others are left alone, so that a flows.csv of weft is one. HPCC's lists are
 * those of `weft hpcc`: their nodes are the ranks.
 */
#include "base/file.h"
#include "base/grow.h"
#include "base/units.h"
#include "workload/traffic/hpcc_flow.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES (UINT64_C(1) << 32)
#define MAX_CELLS 64

/** Parameters. */
struct params {
    const char *file;
    int format; /* enum */
    uint64_t ranks;
    int priorities; /* enum */
};
enum { FORMAT_AUTO, FORMAT_CSV, FORMAT_HPCC, FORMAT_CONWEAVE };
enum { PRIORITIES_JOB, PRIORITIES_FILE };

static const struct weft_param table[] = {
    {WEFT_ROW_STRING(struct params, file, "file", NULL), .help = "the list"},
    {WEFT_ROW_ENUM(struct params, format, "format", "auto", "auto|csv|hpcc|conweave"),
     .help = "csv: columns from,to,size_bytes,start_ns[,prio]; hpcc, conweave: their flow.txt; "
             "auto: csv if its name ends so, else by the number of columns"},
    {WEFT_ROW_U64(struct params, ranks, "ranks", "0", "0", "1048576"),
     .help = "hosts that the list may name: 0 to ranks - 1; 0: all that there are"},
    {WEFT_ROW_ENUM(struct params, priorities, "priorities", "workload", "workload|file"),
     .help = "traffic class of its flows: the workload's priority, or what the file says"},
};

struct source {
    struct weft_flow_source base;
    struct weft_flow *list;
    size_t n, cap, at;
    char notes[WEFT_PATH_MAX + 128];
};

static int next(struct weft_flow_source *base, struct weft_flow *out, struct weft_err *err)
{
    struct source *s = (struct source *)base;
    if (s->at == s->n)
        return 0;
    *out = s->list[s->at++];
    return 1;
}

static void flow_list_rewind_to(struct weft_flow_source *base, uint64_t k)
{
    (void)k; /* the same list each time */
    ((struct source *)base)->at = 0;
}

static void flow_list_free_source(struct weft_flow_source *base)
{
    free(((struct source *)base)->list);
    free(base);
}

static int flow_list_add(struct source *s, const struct weft_flow *w, struct weft_err *err)
{
    if (!WEFT_GROW(s->list, s->n, &s->cap))
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %zu flows", s->n);
    s->list[s->n++] = *w;
    return 0;
}

/* By start; the place in the file decides among equals. */
static int by_start(const void *va, const void *vb)
{
    const struct weft_flow *a = (const struct weft_flow *)va, *b = (const struct weft_flow *)vb;
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    return a->qp < b->qp ? -1 : a->qp > b->qp; /* qp holds the place meanwhile */
}

/* Which cell of a line has what. */
enum { SRC, DST, SIZE, START, PRIO, COLUMNS };
static const char *const names[COLUMNS] = {"from", "to", "size_bytes", "start_ns", "prio"};
/* Names in lists of other versions and tools. */
static const char *const former[COLUMNS] = {"src", "dst"};

/* Cuts a line up at its commas; quotes are not needed here, but a text in them may be. Returns the
 * number of cells. */
static size_t flow_list_cut(char *line, char *cells[MAX_CELLS])
{
    size_t n = 0;
    bool quoted = false;
    cells[n++] = line;
    for (char *p = line; *p; p++) {
        quoted = quoted != (*p == '"');
        if (*p == ',' && !quoted) {
            *p = '\0';
            if (n == MAX_CELLS)
                return n;
            cells[n++] = p + 1;
        }
    }
    return n;
}

static int find_columns(char *const *cells, size_t n, size_t at[COLUMNS], struct weft_err *err)
{
    for (int k = 0; k < COLUMNS; k++) {
        at[k] = 0;
        while (at[k] < n && strcmp(cells[at[k]], names[k]) != 0 &&
               !(former[k] && strcmp(cells[at[k]], former[k]) == 0))
            at[k]++;
        if (at[k] == n && k != PRIO)
            return weft_err_set(
                err, WEFT_E_INPUT,
                "the first line names no column '%s'; a list of flows has from, to, "
                "size_bytes, start_ns and perhaps prio",
                names[k]);
    }
    return 0;
}

/* @p named: columns of the first line. */
static int read_cells(char *const *cells, size_t n, size_t named, const size_t at[COLUMNS],
                      const struct params *p, struct weft_flow *w, struct weft_err *err)
{
    uint64_t v[COLUMNS] = {0};
    char time[80];
    if (n > named && *cells[named])
        return weft_err_set(err, WEFT_E_INPUT,
                            "the line has %zu fields, but the first line names %zu columns", n,
                            named);
    for (int k = 0; k < COLUMNS; k++) {
        if (k == START ||
            (k == PRIO && (p->priorities != PRIORITIES_FILE || at[k] >= n || !*cells[at[k]])))
            continue;
        if (at[k] >= n)
            return weft_err_set(err, WEFT_E_INPUT, "the line has no %s", names[k]);
        if (weft_parse_u64(cells[at[k]], &v[k], err))
            return weft_err_prepend(err, "%s", names[k]);
    }
    if (at[START] >= n || strlen(cells[at[START]]) > 64)
        return weft_err_set(err, WEFT_E_INPUT, "the line has no start_ns");
    snprintf(time, sizeof time, "%sns", cells[at[START]]);
    if (weft_parse_time_ps(time, &w->start_ps, err))
        return weft_err_prepend(err, "start_ns");
    if (v[PRIO] > 7)
        return weft_err_set(err, WEFT_E_INPUT, "prio is %" PRIu64 "; classes are 0 to 7", v[PRIO]);
    if (v[SRC] > UINT32_MAX - 1 || v[DST] > UINT32_MAX - 1 || v[SRC] == v[DST])
        return weft_err_set(err, WEFT_E_INPUT,
                            "a flow goes from one rank to another, not from %" PRIu64
                            " to %" PRIu64,
                            v[SRC], v[DST]);
    w->src = (uint32_t)v[SRC];
    w->dst = (uint32_t)v[DST];
    w->bytes = v[SIZE];
    w->prio = p->priorities == PRIORITIES_FILE && at[PRIO] < n && *cells[at[PRIO]]
                  ? (uint32_t)v[PRIO]
                  : WEFT_FLOW_PRIO_DEFAULT;
    return 0;
}

static int check_rank(const struct weft_flow *w, uint32_t nranks, struct weft_err *err)
{
    const uint32_t worst = w->src > w->dst ? w->src : w->dst;
    return worst < nranks ? 0
                          : weft_err_set(err, WEFT_E_INPUT,
                                         "a flow names host %u, but the workload has hosts 0 to %u",
                                         worst, nranks - 1);
}

static int read_csv(struct source *s, const struct params *p, uint32_t nranks, struct weft_err *err)
{
    char *text = NULL, *cells[MAX_CELLS];
    size_t size, named = 0, at[COLUMNS] = {0};
    int64_t number = 0;
    int rc = weft_file_read(p->file, MAX_FILE_BYTES, &text, &size, err);
    for (char *line = rc ? NULL : text + weft_utf8_mark(text); !rc && line && *line;) {
        size_t len = strcspn(line, "\n");
        char *rest = line + len + (line[len] == '\n');
        line[len] = '\0';
        if (len && line[len - 1] == '\r')
            line[len - 1] = '\0';
        number++;
        if (*line) {
            struct weft_flow w = {0};
            const size_t n = flow_list_cut(line, cells);
            named = number == 1 ? n : named;
            rc = number == 1 ? find_columns(cells, n, at, err)
                             : read_cells(cells, n, named, at, p, &w, err);
            w.qp = (uint32_t)s->n;
            if (!rc && number > 1)
                rc = check_rank(&w, nranks, err);
            if (rc)
                weft_err_locate(err, p->file, number, 0);
            else if (number > 1)
                rc = flow_list_add(s, &w, err);
        }
        line = rest;
    }
    free(text);
    if (s->n)
        qsort(s->list, s->n, sizeof *s->list, by_start);
    for (size_t i = 0; i < s->n; i++)
        s->list[i].qp = (uint32_t)i; /* each flow has its own */
    return rc;
}

static int read_hpcc(struct source *s, const struct params *p, uint32_t nranks,
                     struct weft_err *err)
{
    struct weft_hpcc_flows *l =
        weft_hpcc_flows_read(p->file,
                             p->format == FORMAT_CONWEAVE ? WEFT_HPCC_FLOW_CONWEAVE
                             : p->format == FORMAT_HPCC   ? WEFT_HPCC_FLOW_HPCC
                                                          : WEFT_HPCC_FLOW_AUTO,
                             err);
    int rc = l ? 0 : err->code;
    for (size_t i = 0; !rc && i < l->n; i++) {
        const struct weft_hpcc_flow *h = &l->list[i];
        const struct weft_flow w = {
            .src = h->src,
            .dst = h->dst,
            .bytes = h->bytes,
            .start_ps = h->start_ps,
            .prio = p->priorities == PRIORITIES_FILE ? h->pg : WEFT_FLOW_PRIO_DEFAULT,
            .qp = h->qp};
        rc = check_rank(&w, nranks, err);
        if (rc)
            weft_err_locate(err, p->file, h->line, 0);
        else
            rc = flow_list_add(s, &w, err);
    }
    if (!rc && l->trailing_line) {
        snprintf(s->notes, sizeof s->notes, "%s:%" PRId64 ": what follows the %zu flows is ignored",
                 p->file, l->trailing_line, l->n);
        s->base.notes = s->notes;
    }
    weft_hpcc_flows_free(l);
    return rc;
}

static int ranks(const void *params, uint32_t room, uint32_t *n, struct weft_err *err)
{
    return weft_workload_ranks("flows", ((const struct params *)params)->ranks, room, n, err);
}

static bool is_csv(const struct params *p)
{
    const size_t len = strlen(p->file);
    return p->format == FORMAT_CSV ||
           (p->format == FORMAT_AUTO && len > 4 && strcmp(p->file + len - 4, ".csv") == 0);
}

static bool is_packed(const char *file)
{
    const size_t len = strlen(file);
    return len > 4 && strcmp(file + len - 4, ".zst") == 0;
}

static int flows(const void *params, const struct weft_flow_site *site,
                 struct weft_flow_source **out, struct weft_err *err)
{
    const struct params *p = (const struct params *)params;
    struct source *s = (struct source *)calloc(1, sizeof *s);
    if (!s)
        return weft_err_no_memory(err, "flows");
    s->base = (struct weft_flow_source){
        .next = next, .rewind = flow_list_rewind_to, .free = flow_list_free_source};
    if (is_packed(p->file)) {
        free(s);
        return weft_err_set(err, WEFT_E_INPUT, "%s is compressed: 'zstd -d %s' unpacks it", p->file,
                            p->file);
    }
    const int rc =
        is_csv(p) ? read_csv(s, p, site->nranks, err) : read_hpcc(s, p, site->nranks, err);
    if (rc)
        flow_list_free_source(&s->base);
    else
        *out = &s->base;
    return rc;
}

const struct weft_workload_ops weft_workload_flows = {
    .name = "flows",
    .title = "a list of flows: CSV, or HPCC's and ConWeave's flow.txt",
    .source = "HPCC's simulator; weft's own flows.csv",
    .params = WEFT_PARAM_TABLE(table, struct params),
    .ranks = ranks,
    .flows = flows,
};
