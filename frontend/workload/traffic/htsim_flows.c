/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workload `htsim-flows`: a connection matrix of htsim (.cm).
 *
 *   Nodes N   Connections C   [Triggers T]   [Failures 0]
 *   SRC->DST [id I] [msg M] start PS | trigger T   size B   [send_done_trigger T]
 *            [recv_done_trigger T] [prio P]
 *   trigger id T oneshot | multishot | barrier count K
 *
 * Times are picoseconds, of which htsim_uec makes whole microseconds: start-unit. A flow that names
 * a trigger begins when that fires: when a flow that has it as its send_done or recv_done trigger
 * has arrived (weft does not tell the two apart), a barrier when so many have. Messages of one id
 * share a queue pair. prio orders messages of a sender there and means nothing here. A flow of size
 * 0 has no end there: here it sends `endless` bytes, and the matrix has no end of its own.
 */
#include "base/compare.h"
#include "base/grow.h"
#include "base/scan.h"
#include "base/units.h"
#include "workload/traffic/reactor.h"
#include "workload/workload.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICOSECONDS, MICROSECONDS };

struct params {
    const char *file;
    uint64_t endless_bytes;
    int start_unit;
};

static const struct weft_param table[] = {
    {WEFT_ROW_STRING(struct params, file, "file", NULL),
     .help = "the connection matrix; its nodes are the ranks"},
    {WEFT_ROW_SIZE(struct params, endless_bytes, "endless", "10TB", "1B", "1000TB"),
     .help = "bytes of a flow of size 0, which has no end in htsim; such a matrix plays until the "
             "run ends"},
    {WEFT_ROW_ENUM(struct params, start_unit, "start-unit", "ps", "ps|us"),
     .help = "unit of a start; us: whole ones, a fraction is dropped",
     .source = "htsim, connection_matrix.cpp: ps; ultraethernet/uet-htsim, uec.cpp: us"},
};

struct flow {
    uint32_t src, dst, qp;
    uint64_t bytes, id;
    int64_t start_ps; /* WEFT_NEVER: by its trigger */
    uint64_t trigger; /* that it waits for, 0: none */
    uint64_t done[2]; /* triggers that it fires, 0: none */
    int64_t line;
};

struct trigger {
    uint64_t id, count, had;
    uint32_t first, n; /* flows that it begins, in `waiting` */
    bool multishot, fired;
};

struct source {
    struct weft_reactor r; /* first */
    struct flow *flows;
    struct trigger *triggers;
    uint32_t *waiting; /* flows, trigger by trigger */
    uint32_t nflows, ntriggers, flows_cap, triggers_cap;
    uint64_t nodes, said[3]; /* Connections, Triggers, Failures */
    bool headed;             /* one of these was said */
    int start_unit;
};

/* The next token, when it is on the line at hand. */
static bool more(struct weft_scan *s, int64_t line)
{
    if (!weft_scan_next(s))
        return false;
    if (s->tok_line == line)
        return true;
    s->again = true;
    return false;
}

static int htsim_flows_ends(struct weft_scan *s, struct flow *f, struct weft_err *err)
{
    char *end;
    const unsigned long a = strtoul(s->tok, &end, 10);
    const bool first = end != s->tok && end[0] == '-' && end[1] == '>';
    const char *to = first ? end + 2 : "";
    const unsigned long b = strtoul(to, &end, 10);
    if (!first || end == to || *end || a >= UINT32_MAX || b >= UINT32_MAX || *s->tok == '-')
        return weft_scan_err(s, err, WEFT_E_INPUT, "a flow begins with SRC->DST, such as 0->5");
    f->src = (uint32_t)a;
    f->dst = (uint32_t)b;
    return a != b ? 0 : weft_scan_err(s, err, WEFT_E_INPUT, "a flow from a node to itself");
}

static int read_flow(struct source *x, struct weft_scan *s, struct weft_err *err)
{
    const int64_t line = s->tok_line;
    bool sized = false;
    uint64_t v;
    if (!WEFT_GROW(x->flows, x->nflows, &x->flows_cap))
        return weft_err_no_memory(err, "flows");
    struct flow *f = &x->flows[x->nflows++];
    *f = (struct flow){.start_ps = -1, .line = line};
    int rc = htsim_flows_ends(s, f, err);
    while (!rc && more(s, line)) {
        if (strcmp(s->tok, "start") == 0) {
            const bool us = x->start_unit == MICROSECONDS;
            double t = 0;
            rc = weft_scan_f64(s, us ? "a start in microseconds" : "a start in picoseconds", &t,
                               err);
            if (!rc && !(t >= 0 && t < (us ? 4e12 : 4e18)))
                rc = weft_scan_err(s, err, WEFT_E_INPUT, "a start beyond simulated time");
            f->start_ps = rc ? 0 : us ? (int64_t)t * WEFT_PS_PER_US : (int64_t)t;
        } else if (strcmp(s->tok, "size") == 0) {
            rc = weft_scan_u64(s, "a size in bytes", INT64_MAX, &f->bytes, err);
            sized = true;
        } else if (strcmp(s->tok, "id") == 0) {
            rc = weft_scan_u64(s, "an id", UINT32_MAX, &f->id, err);
        } else if (strcmp(s->tok, "trigger") == 0) {
            rc = weft_scan_u64(s, "a trigger", UINT32_MAX, &f->trigger, err);
        } else if (strcmp(s->tok, "send_done_trigger") == 0) {
            rc = weft_scan_u64(s, "a trigger", UINT32_MAX, &f->done[0], err);
        } else if (strcmp(s->tok, "recv_done_trigger") == 0) {
            rc = weft_scan_u64(s, "a trigger", UINT32_MAX, &f->done[1], err);
        } else if (strcmp(s->tok, "prio") == 0) {
            rc = weft_scan_u64(s, "a priority", UINT32_MAX, &v, err);
        } else if (strcmp(s->tok, "msg") == 0) {
            if (more(s, line) && (*s->tok < '0' || *s->tok > '9'))
                s->again = true; /* msg may stand alone */
        } else {
            rc = weft_scan_err(s, err, WEFT_E_INPUT,
                               "'%.40s' is not known in a flow; there are start, size, id, msg, "
                               "trigger, send_done_trigger, recv_done_trigger and prio",
                               s->tok);
        }
    }
    if (!rc && (f->start_ps < 0) == (f->trigger == 0))
        rc = weft_err_at(err, WEFT_E_INPUT, s->file, line, 0,
                         "a flow has a start or a trigger, one of the two");
    if (!rc && !sized)
        rc = weft_err_at(err, WEFT_E_INPUT, s->file, line, 0,
                         "a flow without a size, which htsim leaves to chance; give it one, or "
                         "size 0 for a flow without an end");
    return rc;
}

static int read_trigger(struct source *x, struct weft_scan *s, struct weft_err *err)
{
    const int64_t line = s->tok_line;
    bool kind = false;
    int rc = 0;
    if (!WEFT_GROW(x->triggers, x->ntriggers, &x->triggers_cap))
        return weft_err_no_memory(err, "flows");
    struct trigger *t = &x->triggers[x->ntriggers++];
    *t = (struct trigger){.count = 1};
    while (!rc && more(s, line)) {
        if (strcmp(s->tok, "id") == 0) {
            rc = weft_scan_u64(s, "an id", UINT32_MAX, &t->id, err);
        } else if (strcmp(s->tok, "count") == 0) {
            rc = weft_scan_u64(s, "a count", UINT32_MAX, &t->count, err);
        } else {
            t->multishot = strcmp(s->tok, "multishot") == 0;
            kind = t->multishot || strcmp(s->tok, "oneshot") == 0 || strcmp(s->tok, "barrier") == 0;
            if (!kind)
                rc = weft_scan_err(s, err, WEFT_E_INPUT,
                                   "'%.40s' is no trigger; there are oneshot, multishot, barrier",
                                   s->tok);
        }
    }
    if (!rc && (!kind || !t->id || !t->count))
        rc = weft_err_at(
            err, WEFT_E_INPUT, s->file, line, 0,
            "a trigger has an id above 0, and is oneshot, multishot or barrier count N");
    return rc;
}

/* A link that fails is no matter of flows: the error says how to have it. */
static int read_failure(struct weft_scan *s, struct weft_err *err)
{
    static const char *const words[] = {"switch_id", "link_id"};
    uint64_t is[2] = {0, 0};
    const int64_t line = s->tok_line;
    int rc = 0;
    while (!rc && more(s, line)) {
        int k = 0;
        while (k < 2 && strcmp(s->tok, words[k]) != 0)
            k++;
        if (k < 2)
            rc = weft_scan_u64(s, "a number", UINT32_MAX, &is[k], err);
        else if (strcmp(s->tok, "switch_type") != 0)
            rc = weft_scan_err(s, err, WEFT_E_INPUT,
                               "'%.40s' is not known in a failure; there are switch_type, "
                               "switch_id and link_id",
                               s->tok);
        else if (!more(s, line) || strcmp(s->tok, "AGG") != 0)
            rc = weft_scan_err(s, err, WEFT_E_INPUT, "htsim fails links of AGG switches only");
    }
    return rc ? rc
              : weft_err_at(err, WEFT_E_INPUT, s->file, line, 0,
                            "the matrix fails uplink %" PRIu64 " of AGG switch %" PRIu64
                            ", which is no matter of flows: take the line out, and have "
                            "the event link-down link=sA-sC at=0us with A = hosts + ToRs + "
                            "%" PRIu64 " and C the switch above",
                            is[1], is[0], is[0]);
}

static struct trigger *htsim_flows_find(const struct source *x, uint64_t id)
{
    const struct trigger key = {.id = id};
    return x->ntriggers ? bsearch(&key, x->triggers, x->ntriggers, sizeof key, weft_by_u64) : NULL;
}

/* What the head says, and what flows name, must be there. */
static int htsim_flows_check(struct source *x, const char *file, uint32_t nranks,
                             struct weft_err *err)
{
    if (!x->headed)
        return weft_err_at(err, WEFT_E_INPUT, file, 0, 0,
                           "this is no connection matrix: its head, Nodes N and Connections N, is "
                           "missing");
    if (x->said[0] != x->nflows || x->said[1] != x->ntriggers)
        return weft_err_at(err, WEFT_E_INPUT, file, 0, 0,
                           "the head says %" PRIu64 " connections and %" PRIu64
                           " triggers, the file has %" PRIu32 " and %" PRIu32,
                           x->said[0], x->said[1], x->nflows, x->ntriggers);
    if (x->said[2])
        return weft_err_at(err, WEFT_E_INPUT, file, 0, 0,
                           "the head says %" PRIu64 " failures, the file has none", x->said[2]);
    if (x->ntriggers)
        qsort(x->triggers, x->ntriggers, sizeof *x->triggers, weft_by_u64);
    for (uint32_t i = 1; i < x->ntriggers; i++)
        if (x->triggers[i].id == x->triggers[i - 1].id)
            return weft_err_at(err, WEFT_E_INPUT, file, 0, 0, "trigger %" PRIu64 " is there twice",
                               x->triggers[i].id);
    for (uint32_t i = 0; i < x->nflows; i++) {
        const struct flow *f = &x->flows[i];
        const uint64_t names[] = {f->trigger, f->done[0], f->done[1]};
        for (int k = 0; k < 3; k++)
            if (names[k] && !htsim_flows_find(x, names[k]))
                return weft_err_at(err, WEFT_E_INPUT, file, f->line, 0,
                                   "there is no trigger %" PRIu64, names[k]);
        const uint32_t worst = f->src > f->dst ? f->src : f->dst;
        if (worst >= nranks || (x->nodes && worst >= x->nodes))
            return weft_err_at(err, WEFT_E_INPUT, file, f->line, 0,
                               "a flow names node %" PRIu32 ", but there are nodes 0 to %" PRIu64,
                               worst, (x->nodes && x->nodes < nranks ? x->nodes : nranks) - 1);
        x->flows[i].qp = f->id ? (uint32_t)(f->id & ((1u << 20) - 1)) : i & ((1u << 20) - 1);
    }
    return 0;
}

static int read_matrix(struct source *x, const char *file, struct weft_err *err)
{
    static const char *const heads[] = {"Connections", "Triggers", "Failures"};
    struct weft_scan s;
    int rc = weft_scan_open(&s, file, err);
    while (!rc && weft_scan_next(&s)) {
        int k = 0;
        while (k < 3 && strcmp(s.tok, heads[k]) != 0)
            k++;
        const int64_t line = s.tok_line;
        if (*s.tok == '#')
            while (more(&s, line))
                continue;
        else if (k < 3)
            x->headed = true, rc = weft_scan_u64(&s, "a number", UINT32_MAX, &x->said[k], err);
        else if (strcmp(s.tok, "Nodes") == 0)
            rc = weft_scan_u64(&s, "a number", UINT32_MAX, &x->nodes, err);
        else if (strcmp(s.tok, "trigger") == 0)
            rc = read_trigger(x, &s, err);
        else if (strcmp(s.tok, "failure") == 0)
            rc = read_failure(&s, err);
        else
            rc = read_flow(x, &s, err);
    }
    weft_scan_close(&s);
    return rc;
}

/* Who waits for each trigger. */
static int list_waiting(struct source *x, struct weft_err *err)
{
    uint32_t next = 0;
    x->waiting = calloc((size_t)x->nflows + 1, sizeof *x->waiting);
    if (!x->waiting)
        return weft_err_no_memory(err, "flows");
    for (uint32_t i = 0; i < x->nflows; i++)
        if (x->flows[i].trigger)
            htsim_flows_find(x, x->flows[i].trigger)->n++;
    for (uint32_t i = 0; i < x->ntriggers; i++) {
        x->triggers[i].first = next;
        next += x->triggers[i].n;
        x->triggers[i].n = 0;
    }
    for (uint32_t i = 0; i < x->nflows; i++)
        if (x->flows[i].trigger) {
            struct trigger *t = htsim_flows_find(x, x->flows[i].trigger);
            x->waiting[t->first + t->n++] = i;
        }
    return 0;
}

/* --- playing --- */

static void send_flow(struct source *x, uint32_t i, int64_t now_ps)
{
    const struct flow *f = &x->flows[i];
    weft_reactor_send(&x->r, now_ps, f->src, f->dst, f->bytes, f->qp, i);
}

static void begin(struct weft_reactor *r, uint64_t repetition)
{
    struct source *x = (struct source *)r;
    for (uint32_t i = 0; i < x->ntriggers; i++) {
        x->triggers[i].had = 0;
        x->triggers[i].fired = false;
    }
    for (uint32_t i = 0; i < x->nflows; i++)
        if (!x->flows[i].trigger)
            send_flow(x, i, x->flows[i].start_ps);
}

static void arrived(struct weft_reactor *r, int64_t now_ps, uint64_t cookie)
{
    struct source *x = (struct source *)r;
    for (int k = 0; k < 2; k++) {
        struct trigger *t = htsim_flows_find(x, x->flows[cookie].done[k]);
        if (!t || ++t->had < t->count || (t->fired && !t->multishot))
            continue;
        t->fired = true;
        for (uint32_t i = 0; i < t->n; i++)
            send_flow(x, x->waiting[t->first + i], now_ps);
    }
}

static void htsim_flows_free_source(struct weft_reactor *r)
{
    struct source *x = (struct source *)r;
    free(x->flows);
    free(x->triggers);
    free(x->waiting);
    weft_reactor_release(r);
    free(x);
}

static const struct weft_reactor_ops ops = {
    .begin = begin, .arrived = arrived, .free = htsim_flows_free_source};

static int ranks(const void *params, uint32_t nhosts, uint32_t *n, struct weft_err *err)
{
    return weft_workload_ranks("htsim-flows", 0, nhosts, n, err);
}

static int flows(const void *params, const struct weft_flow_site *site,
                 struct weft_flow_source **out, struct weft_err *err)
{
    const struct params *p = params;
    if (!p->file || !*p->file)
        return weft_err_set(err, WEFT_E_INPUT, "workload 'htsim-flows' needs 'file', the matrix");
    struct source *x = calloc(1, sizeof *x);
    if (!x)
        return weft_err_no_memory(err, "flows");
    weft_reactor_init(&x->r, &ops, false);
    x->start_unit = p->start_unit;
    int rc = read_matrix(x, p->file, err);
    if (!rc)
        rc = htsim_flows_check(x, p->file, site->nranks, err);
    if (!rc)
        rc = list_waiting(x, err);
    for (uint32_t i = 0; !rc && i < x->nflows; i++)
        if (x->flows[i].bytes == 0) {
            x->flows[i].bytes = p->endless_bytes;
            x->r.base.endless = true;
        }
    if (rc)
        htsim_flows_free_source(&x->r);
    else
        *out = &x->r.base;
    return rc;
}

static bool htsim_flows_recognises(const char *head, char *what, size_t size)
{
    const char *n = strstr(head, "Connections"), *triggers = strstr(head, "Triggers");
    if (!n || (n > head && n[-1] != '\n'))
        return false;
    n += sizeof "Connections" - 1;
    if (strspn(n, " \t") == 0 || !isdigit((unsigned char)n[strspn(n, " \t")]) || !strstr(n, "->"))
        return false;
    snprintf(what, size, "%lu flows, %lu triggers", strtoul(n, NULL, 10),
             triggers ? strtoul(triggers + sizeof "Triggers" - 1, NULL, 10) : 0);
    return true;
}

const struct weft_workload_ops weft_workload_htsim_flows = {
    .name = "htsim-flows",
    .title = "a connection matrix of htsim (.cm), with its triggers",
    .source =
        "Broadcom/csg-htsim and ultraethernet/uet-htsim, sim/datacenter/connection_matrix.cpp",
    .params = WEFT_PARAM_TABLE(table, struct params),
    .ranks = ranks,
    .flows = flows,
    .recognises = htsim_flows_recognises,
};
