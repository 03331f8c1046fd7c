/* SPDX-License-Identifier: GPL-2.0-only */
/* See page.h. The page has no script, and its policy forbids to load anything. */
#include "plot/page.h"

#include "plot/gnuplot.h"
#include "plot/page_style.h"
#include "plot/plot.h"
#include "plot/svg.h"
#include "report/compare.h"
#include "report/figure_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_FINDINGS = 6, SHOWN_MOVED = 30, SIDE_BY_SIDE = 8, CURVES = 14 };

struct page {
    const struct weft_runs *runs;
    const struct weft_page_settings *settings;
    FILE *out;
    struct weft_facts *facts; /* of each run */
    struct weft_page_content *content;
};

static void text(const struct page *p, const char *s)
{
    weft_html_text(p->out, s);
}

static void cell(const struct page *p, const char *tag, const char *s)
{
    fprintf(p->out, "<%s>", tag);
    text(p, s);
    fprintf(p->out, "</%s>", tag);
}

static const char *said(const struct weft_run *run, const char *key)
{
    const char *s = json_string_value(json_object_get(run->json, key));
    return s ? s : "";
}

/* ---- the head ---- */

static void write_head(const struct page *p)
{
    const struct weft_run *first = &p->runs->run[0];
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          p->out);
    text(p, said(first, "scenario"));
    fputs(": report of weft</title>\n<style>\n", p->out);
    fputs(weft_page_style, p->out);
    weft_svg_style(p->out);
    fputs("</style>\n</head>\n<body>\n<main>\n<h1>", p->out);
    text(p, said(first, "scenario"));
    fputs("</h1>\n", p->out);
}

/* ---- what bounded the run ---- */

static void write_findings(const struct page *p, const struct weft_run *run,
                           const struct weft_facts *f)
{
    struct weft_finding list[WEFT_FINDINGS_MAX];
    const size_t n = p->settings->findings(run, f, p->runs->arena, list);
    fputs("<p class=\"verdict\">", p->out);
    text(p, p->settings->verdict(run, f, p->runs->arena));
    fputs("</p>\n<ol class=\"findings\">\n", p->out);
    for (size_t i = 0; i < n && i < SHOWN_FINDINGS; i++) {
        fputs("<li>", p->out);
        text(p, list[i].sentence);
        fputs(" <span class=\"try\">To try: ", p->out);
        text(p, list[i].advice);
        fputs("</span></li>\n", p->out);
    }
    fputs("</ol>\n", p->out);
    if (!n)
        fputs(
            "<p>Nothing stands out: no waiting, losses, pauses or full links worth mention.</p>\n",
            p->out);
}

static void write_top(const struct page *p, const char *title, const struct weft_top *t)
{
    if (!t->n)
        return;
    fputs("<div class=\"top\"><h4>", p->out);
    text(p, title);
    fputs("</h4>\n<table>\n", p->out);
    for (size_t i = 0; i < t->n; i++) {
        fputs("<tr>", p->out);
        cell(p, "th", t->name[i]);
        cell(p, "td", t->text[i]);
        fputs("</tr>\n", p->out);
    }
    fputs("</table></div>\n", p->out);
}

static void write_answers(const struct page *p)
{
    if (p->runs->n > SIDE_BY_SIDE) /* figures over what was varied say more */
        return;
    fputs("<section id=\"answer\">\n<h2>What bounded the run</h2>\n", p->out);
    if (p->runs->n > 1)
        fputs("<div class=\"side\">\n", p->out);
    for (size_t i = 0; i < p->runs->n; i++) {
        const struct weft_facts *f = &p->facts[i];
        fputs("<div class=\"run\">\n", p->out);
        if (p->runs->n > 1)
            cell(p, "h3", p->runs->run[i].label);
        write_findings(p, &p->runs->run[i], f);
        fputs("<details open><summary>What mattered most</summary>\n<div class=\"tops\">\n",
              p->out);
        write_top(p, "busiest links", &f->links);
        write_top(p, "links that PFC stopped longest", &f->paused);
        write_top(p, "ranks that waited longest", &f->ranks_top);
        write_top(p, "messages that were delayed most", &f->flows);
        write_top(p, "longest steps of the critical path", &f->steps);
        fputs("</div></details>\n</div>\n", p->out);
    }
    fputs(p->runs->n > 1 ? "</div>\n</section>\n" : "</section>\n", p->out);
}

/* ---- tables of runs ---- */

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
    {"retransmissions", "packets sent again"},
    {"timeouts", "timers that expired"},
};
enum { HEADLINES = sizeof headlines / sizeof headlines[0] };

static bool is_worth_a_row(const struct page *p, const char *key)
{
    for (size_t i = 0; i < p->runs->n; i++) {
        const double v = weft_run_figure(&p->runs->run[i], key);
        if (!isnan(v) && v != 0)
            return true;
    }
    return false;
}

static void write_labels(const struct page *p, const char *corner)
{
    fputs("<tr>", p->out);
    cell(p, "th", corner);
    for (size_t i = 0; i < p->runs->n; i++)
        cell(p, "th", p->runs->n > 1 ? p->runs->run[i].label : "value");
    fputs("</tr>\n", p->out);
}

static void write_headline(const struct page *p, size_t run, size_t k)
{
    char buf[WEFT_FIGURE_TEXT_MAX];
    const double v = weft_run_figure(&p->runs->run[run], headlines[k].key);
    cell(p, "td", isnan(v) ? "" : weft_figure_value(headlines[k].key, v, buf));
}

/* Few runs: a column each. */
static void write_columns(const struct page *p)
{
    write_labels(p, "");
    fputs("<tr><th>outcome</th>", p->out);
    for (size_t i = 0; i < p->runs->n; i++)
        cell(p, "td", said(&p->runs->run[i], "outcome"));
    fputs("</tr>\n", p->out);
    for (size_t k = 0; k < HEADLINES; k++) {
        if (!is_worth_a_row(p, headlines[k].key))
            continue;
        fputs("<tr>", p->out);
        cell(p, "th", headlines[k].name);
        for (size_t i = 0; i < p->runs->n; i++)
            write_headline(p, i, k);
        fputs("</tr>\n", p->out);
    }
}

/* Many: a row each. */
static void write_rows(const struct page *p)
{
    fputs("<tr><th>run</th><th>outcome</th>", p->out);
    for (size_t k = 0; k < HEADLINES; k++)
        if (is_worth_a_row(p, headlines[k].key))
            cell(p, "th", headlines[k].name);
    fputs("</tr>\n", p->out);
    for (size_t i = 0; i < p->runs->n; i++) {
        fputs("<tr>", p->out);
        cell(p, "th", p->runs->run[i].label);
        cell(p, "td", said(&p->runs->run[i], "outcome"));
        for (size_t k = 0; k < HEADLINES; k++)
            if (is_worth_a_row(p, headlines[k].key))
                write_headline(p, i, k);
        fputs("</tr>\n", p->out);
    }
}

static void write_headlines(const struct page *p)
{
    fputs("<section id=\"figures\">\n<h2>In numbers</h2>\n<div class=\"wide\"><table>\n", p->out);
    if (p->runs->n > SIDE_BY_SIDE)
        write_rows(p);
    else
        write_columns(p);
    fputs("</table></div>\n</section>\n", p->out);
}

static int write_moved(const struct page *p, struct weft_err *err)
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
        cell(p, "th", weft_figure_name(d->key, name));
        cell(p, "td", weft_figure_value(d->key, d->v[0], a));
        cell(p, "td", weft_figure_value(d->key, d->v[1], b));
        cell(p, "td", weft_figure_change(d->change, by));
        fputs("</tr>\n", p->out);
        shown++;
    }
    fprintf(p->out, "</table></div>\n<p>%zu of %zu figures are equal.</p>\n</section>\n",
            c->nnetwork - c->nmoved, c->nnetwork);
    weft_comparison_free(c);
    return 0;
}

/* ---- settings ---- */

static const char *find_setting(const struct weft_resolved_setting *list, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].key, key) == 0)
            return list[i].value;
    return NULL;
}

/* The settings of all runs. */
struct resolved {
    struct weft_resolved_setting **list;
    size_t *n;
    size_t runs;
};

/* A row for a setting, if any run has not its default. */
static void write_setting(const struct page *p, const struct resolved *all, const char *key)
{
    char buf[256];
    const char *def = NULL;
    bool differs = false;
    for (size_t i = 0; i < all->runs; i++) {
        const char *v = find_setting(all->list[i], all->n[i], key);
        bool is_default = false;
        def = v ? p->settings->default_of(p->settings->ctx, key, v, &is_default, buf, sizeof buf)
                : def;
        differs |= v && !is_default;
    }
    if (!differs)
        return;
    fputs("<tr>", p->out);
    cell(p, "th", key);
    for (size_t i = 0; i < all->runs; i++) {
        const char *v = find_setting(all->list[i], all->n[i], key);
        cell(p, "td", v ? v : "");
    }
    cell(p, "td", def ? def : "");
    fputs("</tr>\n", p->out);
}

static void write_settings(const struct page *p, const struct resolved *all)
{
    fputs("<section id=\"settings\">\n<h2>Settings</h2>\n<p>Those that are not at their defaults.",
          p->out);
    if (*p->runs->varied) {
        fputs(" The runs differ in ", p->out);
        text(p, p->runs->varied);
        fputs(".", p->out);
    }
    fputs("</p>\n<div class=\"wide\"><table class=\"settings\">\n<tr><th>setting</th>", p->out);
    for (size_t i = 0; i < all->runs; i++)
        cell(p, "th", all->runs > 1 ? p->runs->run[i].label : "value");
    fputs("<th>default</th></tr>\n", p->out);
    for (size_t i = 0; i < all->runs; i++)
        for (size_t k = 0; k < all->n[i]; k++) {
            bool before = false;
            for (size_t j = 0; j < i; j++)
                before |= find_setting(all->list[j], all->n[j], all->list[i][k].key) != NULL;
            if (!before)
                write_setting(p, all, all->list[i][k].key);
        }
    fputs("</table></div>\n</section>\n", p->out);
}

static int settings_section(const struct page *p, struct weft_err *err)
{
    const size_t n = p->runs->n > SIDE_BY_SIDE ? 1 : p->runs->n; /* of many, those of the first */
    struct resolved all = {
        weft_arena_calloc(p->runs->arena, n, sizeof *all.list),
        weft_arena_calloc(p->runs->arena, n, sizeof *all.n),
    };
    if (!all.list || !all.n)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for settings");
    all.runs = n;
    for (size_t i = 0; i < n; i++)
        if (weft_settings_resolved(json_object_get(p->runs->run[i].json, "config"), p->runs->arena,
                                   &all.list[i], &all.n[i], err))
            return err->code;
    write_settings(p, &all);
    return 0;
}

/* ---- figures ---- */

static int write_figure(const struct page *p, const struct weft_plot *plot, struct weft_err *err)
{
    struct weft_picture picture;
    struct weft_err why = {0};
    int code = 0;
    struct weft_figure *f = weft_plot_derive(plot, p->runs, &code, &why);
    if (!f) {
        if (code < 0)
            *err = why;
        return code < 0 ? code : 0; /* nothing to show is no failure */
    }
    code = weft_gnuplot(f, WEFT_SCRIPT_SVG, &picture, err);
    if (!code) {
        fprintf(p->out, "<figure id=\"%s\">\n", plot->name);
        weft_svg_write(picture.data, f, plot->name, WEFT_SVG_INLINE, p->out);
        fputs("<figcaption>", p->out);
        text(p, f->caption);
        fputs("</figcaption>\n</figure>\n", p->out);
        free(picture.data);
        p->content->figures++;
    }
    weft_figure_free(f);
    return code;
}

static int write_figures(const struct page *p, struct weft_err *err)
{
    size_t n;
    const struct weft_plot *const *plots = weft_plots(&n);
    fputs("<section id=\"plots\">\n<h2>Figures</h2>\n", p->out);
    for (size_t i = 0; i < n; i++)
        if ((p->runs->n <= CURVES || strcmp(plots[i]->name, "sweep") == 0) &&
            write_figure(p, plots[i], err))
            return err->code;
    fputs("</section>\n", p->out);
    return 0;
}

int weft_page_write(const struct weft_runs *runs, const struct weft_page_settings *settings,
                    FILE *out, struct weft_page_content *content, struct weft_err *err)
{
    struct page p = {runs, settings, out, NULL, content};
    *content = (struct weft_page_content){0};
    p.facts = weft_arena_calloc(runs->arena, runs->n + 1, sizeof *p.facts);
    if (!p.facts)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a report");
    if (!runs->n)
        return weft_err_set(err, WEFT_E_INPUT, "no run to report on");
    for (size_t i = 0; i < runs->n; i++)
        if (weft_facts_read(runs, &runs->run[i], &p.facts[i], err))
            return err->code;
    write_head(&p);
    write_answers(&p);
    write_headlines(&p);
    if (runs->n == 2 && write_moved(&p, err))
        return err->code;
    if (write_figures(&p, err) || settings_section(&p, err))
        return err->code;
    fputs("</main>\n</body>\n</html>\n", out);
    return 0;
}
