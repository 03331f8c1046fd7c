/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What accounts for the difference between two runs.
 *
 * Of runs with ranks: by how much longer or shorter the mean of ranks that computed or waited
 * computed, was idle, and waited for each cause; these add up to the difference of the time to the
 * mean rank's end. Of flows: the same of the mean message. Then the links whose time of
 * transmission changed most.
 */
#include "cli/cli_internal.h"

#include "base/grow.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = WEFT_WAITS + 2, LINKS = 3, NAME = 64 };

static const char *const waits[WEFT_WAITS] = {
    [WEFT_WAIT_NETWORK] = "data on its way",
    [WEFT_WAIT_OWN_NIC] = "NICs of senders busy with other data",
    [WEFT_WAIT_CONTROL] = "congestion control",
    [WEFT_WAIT_LOSS] = "loss recovery",
    [WEFT_WAIT_PAUSE] = "PFC pauses",
    [WEFT_WAIT_QUEUE] = "queues of switches",
    [WEFT_WAIT_REDUCE] = "adding up",
    [WEFT_WAIT_ENDPOINT] = "software and injection",
    [WEFT_WAIT_PEER] = "ranks that came late",
    [WEFT_WAIT_DEPENDENCY] = "peers that could not send yet",
};

struct part {
    const char *name;
    double ns; /* B - A */
};

static int compare_by_size(const void *va, const void *vb)
{
    const struct part *a = (const struct part *)va, *b = (const struct part *)vb;
    const double x = fabs(a->ns), y = fabs(b->ns);
    return (x < y) - (x > y);
}

static const char *signed_time(double ns, char buf[WEFT_UNIT_TEXT_MAX + 2])
{
    char text[WEFT_UNIT_TEXT_MAX];
    snprintf(buf, WEFT_UNIT_TEXT_MAX + 2, "%c%s", ns < 0 ? '-' : '+',
             weft_human_time((int64_t)(fabs(ns) * 1e3), text));
    return buf;
}

/* The parts of what the mean rank or message took more in B than in A. */
static size_t list_parts(const struct weft_facts *a, const struct weft_facts *b,
                         struct part part[PARTS])
{
    const bool ranks = a->ranks > 0 && b->ranks > 0;
    size_t n = 0;
    if (!ranks && !(a->messages > 0 && b->messages > 0))
        return 0;
    for (size_t c = 0; c < WEFT_WAITS; c++)
        part[n++] = (struct part){waits[c], ranks ? b->cause_ns[c] - a->cause_ns[c]
                                                  : b->delay_ns[c] / b->messages -
                                                        a->delay_ns[c] / a->messages};
    part[n++] = (struct part){ranks ? "computing" : "the transfer alone",
                              ranks ? b->compute_ns - a->compute_ns
                                    : b->ideal_ns / b->messages - a->ideal_ns / a->messages};
    part[n++] = (struct part){"idle", ranks ? b->idle_ns - a->idle_ns : 0};
    qsort(part, n, sizeof *part, compare_by_size);
    return n;
}

static void print_parts(FILE *out, const struct weft_facts *a, const struct weft_facts *b)
{
    struct part part[PARTS];
    char text[WEFT_UNIT_TEXT_MAX + 2];
    const size_t n = list_parts(a, b, part);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += part[i].ns;
    if (!n || !(fabs(part[0].ns) > 0))
        return;
    fprintf(out, "what accounts for it: the mean %s", a->ranks > 0 ? "rank" : "message");
    if (a->ranks < a->all_ranks && a->ranks > 0)
        fprintf(out, " (of the %.0f of %.0f that computed or waited)", a->ranks, a->all_ranks);
    fprintf(out, " took %s, by\n", signed_time(sum, text));
    for (size_t i = 0; i < n; i++)
        if (fabs(part[i].ns) > 0.05 * fabs(part[0].ns))
            fprintf(out, "  %-38s %s\n", part[i].name, signed_time(part[i].ns, text));
}

/* ---- links ---- */

struct link {
    char name[NAME];
    double busy_ns[2];
};

struct links {
    struct link *list;
    size_t n, cap;
    int side;
    size_t at; /* in the list, of the row that is expected next */
};

static int compare_link_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct links *l = (struct links *)ctx;
    char name[NAME];
    double busy;
    snprintf(name, sizeof name, "%.28s to %.28s", weft_row_text(row, 0), weft_row_text(row, 1));
    if (weft_row_number(row, 2, &busy, err))
        return err->code;
    if (l->side == 1) { /* both fabrics list their links in one order; else nothing is said */
        if (l->at < l->n && strcmp(l->list[l->at].name, name) == 0)
            l->list[l->at].busy_ns[1] = busy;
        l->at++;
        return 0;
    }
    if (!WEFT_GROW(l->list, l->n, &l->cap))
        return weft_err_no_memory(err, "links of two runs");
    struct link *own = &l->list[l->n++];
    memcpy(own->name, name, sizeof own->name);
    own->busy_ns[0] = busy;
    own->busy_ns[1] = NAN;
    return 0;
}

static double shift(const struct link *l)
{
    return isnan(l->busy_ns[1]) ? 0 : l->busy_ns[1] - l->busy_ns[0];
}

static int compare_by_shift(const void *va, const void *vb)
{
    const double x = fabs(shift((const struct link *)va)), y = fabs(shift((const struct link *)vb));
    return (x < y) - (x > y);
}

static int print_links(FILE *out, const struct weft_runs *runs, struct weft_err *err)
{
    static const char *const columns[] = {"from", "to", "busy_ns", NULL};
    struct links l = {0};
    int rc = 0;
    for (; l.side < 2 && rc >= 0; l.side++)
        rc = weft_run_rows(&runs->run[l.side], "links.csv", columns, compare_link_row, &l, err);
    if (rc >= 0 && l.n) {
        qsort(l.list, l.n, sizeof *l.list, compare_by_shift);
        for (size_t i = 0; i < LINKS && i < l.n && fabs(shift(&l.list[i])) > 0; i++) {
            char text[WEFT_UNIT_TEXT_MAX + 2];
            fprintf(out, "%s%s %s",
                    i ? ", " : "  links whose busy time changed most: ", l.list[i].name,
                    signed_time(shift(&l.list[i]), text));
        }
        if (fabs(shift(&l.list[0])) > 0)
            fputc('\n', out);
    }
    free(l.list);
    return rc < 0 ? rc : 0;
}

int weft_compare_causes(FILE *out, const char *const dirs[2], struct weft_err *err)
{
    struct weft_runs runs;
    struct weft_facts facts[2];
    int code = weft_runs_open(dirs, 2, NULL, 0, &runs, err);
    for (size_t i = 0; i < 2 && !code && runs.n == 2; i++)
        code = weft_facts_read(&runs, &runs.run[i], &facts[i], err);
    if (!code && runs.n == 2) {
        print_parts(out, &facts[0], &facts[1]);
        code = print_links(out, &runs, err);
        if (!code && facts[0].slowest && facts[1].slowest &&
            strcmp(facts[0].slowest, facts[1].slowest) != 0)
            fprintf(out, "  the slowest to compute: %s, then %s\n", facts[0].slowest,
                    facts[1].slowest);
    }
    weft_runs_close(&runs);
    return code;
}
