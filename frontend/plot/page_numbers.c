/* SPDX-License-Identifier: GPL-2.0-only */
/* The page's numbers: headlines of the runs, which of many had least and most, what moved. */
#include "plot/page_parts.h"
#include "base/outcome.h"
#include "report/compare.h"
#include "report/figure_text.h"

#include <math.h>

enum { SHOWN_MOVED = 30 };

/* The figures that runs are looked at for, by their keys in run.json. */
static const struct {
    const char *key, *name;
} headlines[] = {
    {"end_to_end_ns", "end-to-end time"},
    {"step_ns", "time of a step"},
    {"compute_mean_ns", "computing, mean of ranks"},
    {"exposed_communication_mean_ns", "exposed communication, mean of ranks"},
    {"exposed_communication_max_ns", "exposed communication, most"},
    {"messages", "messages"},
    {"message_bytes", "their bytes"},
    {"fct_p50_ns", "completion time, median"},
    {"fct_p99_ns", "completion time, 99th percentile"},
    {"slowdown_p50", "FCT slowdown, median"},
    {"slowdown_p99", "FCT slowdown, 99th percentile"},
    {"link_utilisation_max", "busiest link, share of the run"},
    {"max_queue_bytes", "longest queue of a port"},
    {"ecn_marks", "packets marked by ECN"},
    {"pfc_pauses", "PFC pauses"},
    {"pfc_pause_time_ns", "time that ports were paused, together"},
    {"drops", "packets lost"},
    {"trims", "packets trimmed"},
    {"retransmissions", "packets sent again"},
    {"timeouts", "timers that expired"},
};
enum { HEADLINES = sizeof headlines / sizeof headlines[0] };

static bool is_worth_a_row(const struct weft_page *p, const char *key)
{
    for (size_t i = 0; i < p->runs->n; i++) {
        const double v = weft_run_figure(&p->runs->run[i], key);
        if (!isnan(v) && v != 0)
            return true;
    }
    return false;
}

static void write_labels(const struct weft_page *p, const char *corner)
{
    fputs("<tr>", p->out);
    weft_page_cell(p, "th", corner);
    for (size_t i = 0; i < p->runs->n; i++)
        weft_page_cell(p, "th", p->runs->n > 1 ? p->runs->run[i].label : "value");
    fputs("</tr>\n", p->out);
}

static void write_headline(const struct weft_page *p, size_t run, size_t k)
{
    char buf[WEFT_FIGURE_TEXT_MAX];
    const double v = weft_run_figure(&p->runs->run[run], headlines[k].key);
    weft_page_cell(p, "td", isnan(v) ? "" : weft_figure_value(headlines[k].key, v, buf));
}

/* Few runs: a column each. */
static void write_columns(const struct weft_page *p)
{
    write_labels(p, "");
    fputs("<tr><th>outcome</th>", p->out);
    for (size_t i = 0; i < p->runs->n; i++)
        weft_page_cell(p, "td", weft_page_value(&p->runs->run[i], "outcome"));
    fputs("</tr>\n", p->out);
    for (size_t k = 0; k < HEADLINES; k++) {
        if (!is_worth_a_row(p, headlines[k].key))
            continue;
        fputs("<tr>", p->out);
        weft_page_cell(p, "th", headlines[k].name);
        for (size_t i = 0; i < p->runs->n; i++)
            write_headline(p, i, k);
        fputs("</tr>\n", p->out);
    }
}

/* Many: a row each. */
static void write_rows(const struct weft_page *p)
{
    fputs("<tr><th>run</th><th>outcome</th>", p->out);
    for (size_t k = 0; k < HEADLINES; k++)
        if (is_worth_a_row(p, headlines[k].key))
            weft_page_cell(p, "th", headlines[k].name);
    fputs("</tr>\n", p->out);
    for (size_t i = 0; i < p->runs->n; i++) {
        fputs("<tr>", p->out);
        weft_page_cell(p, "th", p->runs->run[i].label);
        weft_page_cell(p, "td", weft_page_value(&p->runs->run[i], "outcome"));
        for (size_t k = 0; k < HEADLINES; k++)
            if (is_worth_a_row(p, headlines[k].key))
                write_headline(p, i, k);
        fputs("</tr>\n", p->out);
    }
}

static void write_headlines(const struct weft_page *p)
{
    fputs("<section id=\"figures\">\n<h2>In numbers</h2>\n<div class=\"wide\"><table>\n", p->out);
    if (p->runs->n > WEFT_PAGE_SIDE_BY_SIDE)
        write_rows(p);
    else
        write_columns(p);
    fputs("</table></div>\n</section>\n", p->out);
}

static int write_moved(const struct weft_page *p, struct weft_err *err)
{
    const char *const dirs[2] = {p->runs->run[0].dir, p->runs->run[1].dir};
    char name[WEFT_FIGURE_TEXT_MAX], a[WEFT_FIGURE_TEXT_MAX], b[WEFT_FIGURE_TEXT_MAX],
        by[WEFT_FIGURE_TEXT_MAX];
    size_t shown = 0;
    struct weft_comparison *c = weft_compare_load(dirs, err);
    if (!c)
        return err->code;
    fputs("<section id=\"moved\">\n<h2>What moved</h2>\n<div class=\"wide\"><table>\n", p->out);
    write_labels(p, "figure, those that moved furthest first");
    for (size_t i = 0; i < c->nfigures && shown < SHOWN_MOVED; i++) {
        const struct weft_figure_difference *d = &c->figures[i];
        if (d->of_host || d->change == 0)
            continue;
        fputs("<tr>", p->out);
        weft_page_cell(p, "th", weft_figure_name(d->key, name));
        weft_page_cell(p, "td", weft_figure_value(d->key, d->v[0], a));
        weft_page_cell(p, "td", weft_figure_value(d->key, d->v[1], b));
        weft_page_cell(p, "td", weft_figure_change(d->change, by));
        fputs("</tr>\n", p->out);
        shown++;
    }
    fprintf(p->out, "</table></div>\n<p>%zu of %zu figures are equal.</p>\n</section>\n",
            c->nnetwork - c->nmoved, c->nnetwork);
    weft_comparison_free(c);
    return 0;
}

/* The runs with least and most of a headline, if it is not the same everywhere. */
static void write_extreme(const struct weft_page *p, size_t k)
{
    char buf[WEFT_FIGURE_TEXT_MAX];
    size_t least = 0, most = 0, n = 0;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < p->runs->n; i++) {
        const double v = weft_run_figure(&p->runs->run[i], headlines[k].key);
        n += !isnan(v);
        if (v < low) {
            low = v;
            least = i;
        }
        if (v > high) {
            high = v;
            most = i;
        }
    }
    if (n < 2 || !(high > low))
        return;
    fputs("<tr>", p->out);
    weft_page_cell(p, "th", headlines[k].name);
    weft_page_cell(p, "td", weft_figure_value(headlines[k].key, low, buf));
    weft_page_cell(p, "td", p->runs->run[least].label);
    weft_page_cell(p, "td", weft_figure_value(headlines[k].key, high, buf));
    weft_page_cell(p, "td", p->runs->run[most].label);
    fputs("</tr>\n", p->out);
}

void weft_page_extremes(const struct weft_page *p)
{
    size_t unfinished = 0;
    for (size_t i = 0; i < p->runs->n; i++)
        unfinished +=
            !weft_outcome_is_good(weft_outcome_of(weft_page_value(&p->runs->run[i], "outcome")));
    fprintf(p->out,
            "<section id=\"answer\">\n<h2>Least and most</h2>\n<p>%zu runs%s. Of equal ones the "
            "first is named. What bounded one of them: a report of its folder.</p>\n"
            "<div class=\"wide\"><table>\n<tr><th></th><th>least</th><th>in the run</th>"
            "<th>most</th><th>in the run</th></tr>\n",
            p->runs->n,
            unfinished
                ? weft_arena_printf(p->runs->arena, ", %zu of them did not finish", unfinished)
                : "");
    for (size_t k = 0; k < HEADLINES; k++)
        write_extreme(p, k);
    fputs("</table></div>\n</section>\n", p->out);
}

/* A run that was killed, or whose disk was full, has none. */
static bool has_summary(const struct weft_run *run)
{
    return json_is_object(json_object_get(run->json, "summary"));
}

int weft_page_numbers(const struct weft_page *p, struct weft_err *err)
{
    const struct weft_run *run = p->runs->run;
    write_headlines(p);
    return p->runs->n == 2 && has_summary(&run[0]) && has_summary(&run[1]) ? write_moved(p, err)
                                                                           : 0;
}
