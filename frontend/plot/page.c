/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the HTML report of runs. The page has no script, and its content policy forbids it to load
 * anything.
 */
#include "plot/page.h"

#include "plot/gnuplot.h"
#include "plot/page_parts.h"
#include "plot/plot.h"
#include "plot/svg.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_FINDINGS = 6, CURVES = 14 };

/* ---- the head ---- */

/* For light and dark screens, and for print; without that of figures. */
static const char page_style[] =
    ":root{--paper:#fff;--ink:#1a1a1a;--soft:#555;--line:#d5d5d5;--tint:#f4f6f8;--mark:#0072b2}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#16181c;--ink:#e4e4e4;"
    "--soft:#aaa;--line:#3a3d44;--tint:#1f2227;--mark:#8ccdf5}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 sans-serif}\n"
    "main{max-width:1100px;margin:0 auto;padding:1.5rem}\n"
    "h1{font-size:1.6rem;margin:0 0 .5rem}\n"
    "h2{font-size:1.25rem;margin:2.2rem 0 .7rem;border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1.05rem;margin:.2rem 0}\n"
    "h4{font-size:.95rem;margin:.8rem 0 .2rem}\n"
    ".verdict{font-size:1.1rem}\n"
    ".findings li{margin:.4rem 0}\n"
    ".try{display:block;color:var(--soft)}\n"
    ".side{display:grid;grid-template-columns:repeat(auto-fit,minmax(320px,1fr));gap:1rem}\n"
    ".side .run{background:var(--tint);padding:.8rem 1rem;border-radius:6px;min-width:0}\n"
    "summary{cursor:pointer;color:var(--mark)}\n"
    ".wide,.tops{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-size:.9rem}\n"
    "th,td{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;"
    "border-bottom:1px solid var(--line)}\n"
    "th{font-weight:600}\n"
    "td{font-variant-numeric:tabular-nums}\n"
    ".settings th,.settings td{overflow-wrap:anywhere;max-width:22rem}\n"
    "figure{margin:1.5rem 0;padding:.6rem;background:var(--tint);border-radius:6px;"
    "break-inside:avoid}\n"
    "figure svg{display:block;width:100%;max-width:980px;height:auto;margin:0 auto}\n"
    "figcaption{color:var(--soft);max-width:62rem;margin:.4rem auto 0}\n"
    "@media print{main{max-width:none;padding:0}figure,.side .run{background:none;"
    "border:1px solid var(--line)}}\n";

static void write_head(const struct weft_page *p)
{
    const struct weft_run *first = &p->runs->run[0];
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          p->out);
    weft_page_text(p, weft_page_value(first, "scenario"));
    fputs(": report of weft</title>\n<style>\n", p->out);
    fputs(page_style, p->out);
    weft_svg_style(p->out);
    fputs("</style>\n</head>\n<body>\n<main>\n<h1>", p->out);
    weft_page_text(p, weft_page_value(first, "scenario"));
    fputs("</h1>\n", p->out);
}

/* ---- what bounded the run ---- */

static int write_findings(const struct weft_page *p, const struct weft_run *run,
                          const struct weft_facts *f, struct weft_err *err)
{
    struct weft_finding list[WEFT_FINDINGS_MAX];
    const size_t n = p->settings->findings(run, f, p->runs->arena, list);
    if (n == WEFT_FINDINGS_LOST)
        return weft_err_no_memory(err, "a report");
    fputs("<p class=\"verdict\">", p->out);
    weft_page_text(p, p->settings->verdict(run, f, p->runs->arena));
    fputs("</p>\n<ol class=\"findings\">\n", p->out);
    for (size_t i = 0; i < n && i < SHOWN_FINDINGS; i++) {
        fputs("<li>", p->out);
        weft_page_text(p, list[i].sentence);
        fputs(" <span class=\"try\">To try: ", p->out);
        weft_page_text(p, list[i].advice);
        fputs("</span></li>\n", p->out);
    }
    fputs("</ol>\n", p->out);
    if (!n)
        fputs(
            "<p>Nothing stands out: no waiting, losses, pauses or full links worth mention.</p>\n",
            p->out);
    return 0;
}

static void write_top(const struct weft_page *p, const char *title, const struct weft_top *t)
{
    if (!t->n)
        return;
    fputs("<div class=\"top\"><h4>", p->out);
    weft_page_text(p, title);
    fputs("</h4>\n<table>\n", p->out);
    for (size_t i = 0; i < t->n; i++) {
        fputs("<tr>", p->out);
        weft_page_cell(p, "th", t->name[i]);
        weft_page_cell(p, "td", t->text[i]);
        fputs("</tr>\n", p->out);
    }
    fputs("</table></div>\n", p->out);
}

static int write_answers(const struct weft_page *p, struct weft_err *err)
{
    if (p->runs->n > WEFT_PAGE_SIDE_BY_SIDE) {
        weft_page_extremes(p);
        return 0;
    }
    fputs("<section id=\"answer\">\n<h2>What bounded the run</h2>\n", p->out);
    if (p->runs->n > 1)
        fputs("<div class=\"side\">\n", p->out);
    for (size_t i = 0; i < p->runs->n; i++) {
        const struct weft_facts *f = &p->facts[i];
        fputs("<div class=\"run\">\n", p->out);
        if (p->runs->n > 1)
            weft_page_cell(p, "h3", p->runs->run[i].label);
        if (write_findings(p, &p->runs->run[i], f, err) ||
            weft_page_diagnosis(p, &p->runs->run[i], err))
            return err->code;
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
    return 0;
}

/* ---- figures ---- */

static int write_figure(const struct weft_page *p, const struct weft_plot *plot,
                        struct weft_err *err)
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
        weft_page_text(p, f->caption);
        fputs("</figcaption>\n</figure>\n", p->out);
        free(picture.data);
        p->content->figures++;
    }
    weft_figure_free(f);
    return code;
}

static int write_figures(const struct weft_page *p, struct weft_err *err)
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
    struct weft_page p = {runs, settings, out, NULL, content};
    *content = (struct weft_page_content){0};
    p.facts = weft_arena_calloc(runs->arena, runs->n + 1, sizeof *p.facts);
    if (!p.facts)
        return weft_err_no_memory(err, "a report");
    if (!runs->n)
        return weft_err_set(err, WEFT_E_INPUT, "no run to report on");
    for (size_t i = 0; i < runs->n; i++)
        if (weft_facts_read(runs, &runs->run[i], &p.facts[i], err))
            return err->code;
    write_head(&p);
    if (write_answers(&p, err) || weft_page_numbers(&p, err) || write_figures(&p, err))
        return err->code;
    weft_page_settings_section(&p);
    fputs("</main>\n</body>\n</html>\n", out);
    return 0;
}
