/* SPDX-License-Identifier: GPL-2.0-only */
/* weft plot: one figure of runs. */
#include "base/file.h"
#include "base/units.h"
#include "cli/cli_internal.h"
#include "command/command.h"
#include "plot/gnuplot.h"
#include "plot/plot.h"
#include "plot/script.h"
#include "plot/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct plot_opts {
    struct weft_strings labels, metrics;
    const char *out, *from, *to_time, *job, *ports, *width, *height, *title, *font;
    int to, preset;
    bool list, logx, logy;
};

#define WEFT_OPTS struct plot_opts
static const struct weft_opt options[] = {
    WEFT_CHOICE(
        "to", 't', to, "auto|svg|pdf|png|gnuplot|csv",
        "what to write: a picture, a script of gnuplot with its data, or the figure's data as a "
        "table; auto: by the ending of FILE, else svg"),
    WEFT_TEXT(
        "out", 'o', out, "FILE",
        "where to write it; default: KIND.svg (.pdf, .png, .gp, .csv) in the first folder; -: "
        "standard "
        "output"),
    WEFT_TEXTS("label", 'l', labels, "TEXT",
               "name of a run in the legend; once for each run; default: the settings in which "
               "they differ"),
    WEFT_TEXT("from", 0, from, "TIME", "only what happens from this simulated time on"),
    WEFT_TEXT("until", 0, to_time, "TIME", "only what happens up to this simulated time"),
    WEFT_TEXT("job", 0, job, "NAME", "of messages those of this workload alone"),
    WEFT_TEXTS("metric", 'm', metrics, "NAME", "sweep: this metric alone; repeatable"),
    WEFT_TEXT(
        "ports", 0, ports, "LIST",
        "queue-cdf: ports FROM-TO, such as s16-h3,s17-s20; all, hosts (those of hosts' links) or "
        "switches: all of these together"),
    WEFT_CHOICE("preset", 'p', preset, "page|paper-1col|paper-2col|slide",
                "sizes of picture and font: a page of a report; a column of a paper, or two, "
                "without a title; "
                "a slide"),
    WEFT_TEXT("width", 0, width, "SIZE",
              "width of the picture: 3.3in, 8.5cm, or pixels, of which an inch has 110"),
    WEFT_TEXT("height", 0, height, "SIZE", "height of the picture, likewise"),
    WEFT_FLAG("logx", 0, logx, "logarithmic x axes"),
    WEFT_FLAG("logy", 0, logy, "logarithmic y axes"),
    WEFT_TEXT("title", 0, title, "TEXT", "title of the picture; empty: none"),
    WEFT_TEXT("font", 0, font, "NAME,SIZE", "its font, in points: 'Times,8'"),
    WEFT_FLAG("list", 0, list, "list the kinds of figures"),
};

enum to { TO_AUTO, TO_SVG, TO_PDF, TO_PNG, TO_GNUPLOT, TO_CSV };
static const char *const endings[] = {"", "svg", "pdf", "png", "gp", "csv"};

/* The format that the name of a file ends with; without an ending SVG. */
static int format_of(const char *path, enum to *out, struct weft_err *err)
{
    const char *name = strrchr(path, '/');
    const char *dot = strrchr(name ? name : path, '.');
    *out = TO_SVG;
    if (!dot)
        return 0;
    for (int i = TO_SVG; i <= TO_CSV; i++)
        if (strcmp(dot + 1, endings[i]) == 0) {
            *out = (enum to)i;
            return 0;
        }
    return weft_err_set(err, WEFT_E_USAGE,
                        "-o %s: no format has the ending '%s'; there are .svg, .pdf, .png, .gp and "
                        ".csv, or say --to",
                        path, dot);
}

/* What an option of --to means for a file: auto is what its ending says. */
static int choose_format(const struct plot_opts *o, enum to *out, struct weft_err *err)
{
    *out = o->to == TO_AUTO ? TO_SVG : (enum to)o->to;
    return o->to == TO_AUTO && o->out ? format_of(o->out, out, err) : 0;
}

static void list_kinds(FILE *out)
{
    size_t n;
    const struct weft_plot *const *p = weft_plots(&n);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%-16s  %s [%s]\n", p[i]->name, p[i]->title, p[i]->files);
}

/* Writes the figure to @p out. */
static int render(const struct weft_figure *f, enum to to, FILE *out, struct weft_err *err)
{
    struct weft_picture picture;
    if (to == TO_GNUPLOT) {
        weft_script_write(f, WEFT_SCRIPT_ANY, out);
        return 0;
    }
    if (to == TO_CSV) {
        weft_figure_csv(f, out);
        return 0;
    }
    const enum weft_script_terminal terminal = to == TO_PDF   ? WEFT_SCRIPT_PDF
                                               : to == TO_PNG ? WEFT_SCRIPT_PNG
                                                              : WEFT_SCRIPT_SVG;
    if (weft_gnuplot(f, terminal, &picture, err))
        return err->code;
    if (to == TO_SVG)
        weft_svg_write(picture.data, f, "w", WEFT_SVG_FILE, out);
    else
        fwrite(picture.data, 1, picture.size, out);
    free(picture.data);
    return 0;
}

static int write_file(const struct weft_cli *cli, const struct weft_figure *f, enum to to,
                      const char *path, struct weft_err *err)
{
    struct weft_memfile text;
    if (weft_memfile_open(&text, "a figure", err))
        return err->code;
    const int code = weft_memfile_write(&text, "a figure", path, render(f, to, text.f, err), err);
    if (!code)
        fprintf(cli->out, "%s: %s\n%s\n", path, f->title, f->caption);
    return code;
}

int weft_figure_file(const struct weft_cli *cli, const struct weft_figure *f, const char *path,
                     struct weft_err *err)
{
    enum to to;
    return format_of(path, &to, err) ? err->code : write_file(cli, f, to, path, err);
}

static int read_time(const char *option, const char *text, double *out_ns, struct weft_err *err)
{
    struct weft_err why = {0};
    int64_t ps;
    if (!text)
        return 0;
    if (weft_parse_time_ps(text, &ps, &why))
        return weft_err_set(err, WEFT_E_USAGE, "--%s %s: %s", option, text, why.msg);
    *out_ns = (double)ps / 1e3;
    return 0;
}

/* ---- its looks ---- */

/* The least width of a panel, in pixels. */
enum { LEAST_COLUMN = 180 };

/* Width of the picture, height of a panel, most of all panels together, and size of letters; 0: as
 * the figure has it. */
static const struct {
    double width_in, panel_in, most_in, points;
    bool untitled;
} presets[] = {
    {0, 0, 0, 0, false}, {3.33, 2.1, 0, 8, true}, {7, 2.4, 0, 8, true}, {12, 5.5, 6.3, 14, false}};

/* "3.3in", "8.5cm", "600" as pixels. */
static int read_length(const char *option, const char *text, double *out, struct weft_err *err)
{
    char *end;
    if (!text)
        return 0;
    const double v = strtod(text, &end);
    const double unit = strcmp(end, "in") == 0                   ? WEFT_FIGURE_INCH
                        : strcmp(end, "cm") == 0                 ? WEFT_FIGURE_INCH / 2.54
                        : strcmp(end, "mm") == 0                 ? WEFT_FIGURE_INCH / 25.4
                        : *end == '\0' || strcmp(end, "px") == 0 ? 1
                                                                 : 0;
    *out = v * unit;
    if (end == text || !(*out >= 100 && *out <= 20000))
        return weft_err_set(err, WEFT_E_USAGE,
                            "--%s %s: a length such as 3.3in, 8.5cm or 600 (pixels), from 100 to "
                            "20000 pixels",
                            option, text);
    return 0;
}

static int read_font(const char *text, struct weft_figure *f, struct weft_err *err)
{
    const char *comma = text ? strrchr(text, ',') : NULL;
    char *end = NULL;
    const double points = comma ? strtod(comma + 1, &end) : 0;
    if (!text)
        return 0;
    if (comma && (end == comma + 1 || *end || !(points >= 1 && points <= 200)))
        return weft_err_set(err, WEFT_E_USAGE, "--font %s: NAME or NAME,SIZE in points", text);
    f->points = comma ? points : f->points;
    f->font = weft_figure_printf(f, "%.*s", (int)(comma ? comma - text : (long)strlen(text)), text);
    if (!*f->font)
        f->font = NULL;
    return 0;
}

/* An axis with numbers above 0 becomes logarithmic, and says so. */
static void make_log(struct weft_figure *f, struct weft_axis *a)
{
    const size_t n = strlen(a->label), unit = n && a->label[n - 1] == ')';
    a->log = a->keeps_log = !a->ticks && !a->hidden;
    if (a->log && a->from <= 0)
        a->from = NAN;
    if (a->log && n && !strstr(a->label, WEFT_LOG_SCALE))
        a->label = weft_figure_printf(f, "%.*s" WEFT_LOG_SCALE "%s", (int)(n - unit), a->label,
                                      unit ? ")" : "");
}

/* Gives the figure the looks that were asked for. */
static int plot_dress(const struct plot_opts *o, struct weft_figure *f, struct weft_err *err)
{
    double width = presets[o->preset].width_in * WEFT_FIGURE_INCH, height = 0, scale = 1;
    const double before = f->width;
    f->points = presets[o->preset].points;
    f->title = presets[o->preset].untitled ? "" : f->title;
    if (o->title)
        f->title = weft_figure_printf(f, "%s", o->title);
    if (read_length("width", o->width, &width, err) ||
        read_length("height", o->height, &height, err) || read_font(o->font, f, err))
        return err->code;
    f->width = width > 0 ? width : f->width;
    while (f->columns > 1 && f->width / (double)f->columns < LEAST_COLUMN)
        f->columns--;
    if (presets[o->preset].panel_in > 0)
        scale = presets[o->preset].panel_in * WEFT_FIGURE_INCH / 330;
    else if (width > 0)
        scale = width / before;
    for (struct weft_panel *p = f->panels; p; p = p->next) {
        p->height *= scale;
        if (o->logx)
            make_log(f, &p->x);
        if (o->logy)
            make_log(f, &p->y);
    }
    const double most = presets[o->preset].most_in * WEFT_FIGURE_INCH;
    if (height <= 0 && most > 0 && weft_script_height(f) > most)
        height = most;
    if (height > 0) {
        const double around = weft_script_around(f), panels = weft_script_height(f) - around;
        for (struct weft_panel *p = f->panels; p; p = p->next)
            p->height *= fmax(height - around, 40) / panels;
    }
    return 0;
}

/* The name of the kind as a file's: KIND.svg. */
static int default_path(char path[WEFT_PATH_MAX], const char *dir, const struct weft_plot *p,
                        enum to to, struct weft_err *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", p->name, endings[to]);
    return weft_path_join(path, dir, name, err);
}

/* There is nothing to draw: says which options may have left it out. */
static int plot_found_nothing(const struct plot_opts *o, struct weft_err *err)
{
    const char *const given[][2] = {
        {"job", o->job}, {"from", o->from}, {"until", o->to_time}, {"ports", o->ports}};
    char text[WEFT_ERR_MSG_MAX];
    size_t n = 0;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (given[i][1] && n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s--%s %s", n ? " " : "with ",
                                  given[i][0], given[i][1]);
    const struct weft_err why = *err;
    return n ? weft_err_set(err, why.code, "%s: %s", text, why.msg) : err->code;
}

static int plot_draw(const struct weft_cli *cli, const struct plot_opts *o,
                     const struct weft_plot *p, const char *dir, const struct weft_runs *runs,
                     struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    int code = 0;
    enum to to;
    if (choose_format(o, &to, err) || (!o->out && default_path(path, dir, p, to, err)))
        return err->code;
    struct weft_figure *f = weft_plot_derive(p, runs, &code, err);
    if (!f)
        return code == WEFT_PLOT_NOTHING ? plot_found_nothing(o, err) : code;
    if (plot_dress(o, f, err))
        code = err->code;
    else if (o->out && strcmp(o->out, "-") == 0)
        code = render(f, to, cli->out, err);
    else
        code = write_file(cli, f, to, o->out ? o->out : path, err);
    weft_figure_free(f);
    return code;
}

/* Whether the word is a kind rather than a folder. */
static bool is_kind(const char *word)
{
    struct weft_err ignored = {0};
    return weft_plot_find(word, &ignored) && !weft_file_is_dir(word);
}

static int plot_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                    struct weft_err *err)
{
    const struct plot_opts *o = (const struct plot_opts *)opts;
    struct weft_runs runs = {0};
    if (o->list && nargs == 0) {
        list_kinds(cli->out);
        return 0;
    }
    if (nargs < 2)
        return weft_err_set(err, WEFT_E_USAGE,
                            "plot needs folders of runs and what to draw; 'weft plot --list' says "
                            "what there is");
    const int last = is_kind(args[0]) && !is_kind(args[nargs - 1]) ? 0 : nargs - 1;
    const struct weft_plot *p = weft_plot_find(args[last], err);
    if (!p)
        return err->code;
    char **dirs = last ? args : args + 1;
    int code = weft_runs_open((const char *const *)dirs, (size_t)nargs - 1, o->labels.list,
                              o->labels.n, &runs, err);
    weft_warn_unfinished(cli, &runs);
    code = code ? code : read_time("from", o->from, &runs.from_ns, err);
    code = code ? code : read_time("until", o->to_time, &runs.to_ns, err);
    if (!code && !(runs.from_ns < runs.to_ns))
        code = weft_err_set(err, WEFT_E_USAGE, "--from %s: it must be before --until %s",
                            o->from ? o->from : "0", o->to_time);
    runs.job = o->job;
    runs.ports = o->ports;
    runs.metrics = o->metrics.list;
    runs.nmetrics = o->metrics.n;
    code = code ? code : plot_draw(cli, o, p, dirs[0], &runs, err);
    weft_runs_close(&runs);
    return code;
}

const struct weft_command weft_command_plot = {
    .name = "plot",
    .summary = "Draw a figure of one run or several",
    .usage = "DIR [DIR ...] KIND [--to svg|pdf|png|gnuplot|csv] [--out FILE]",
    .example = "weft plot out/allreduce-clos16 gantt",
    .details =
        "DIR is the folder of a run (weft run --out), or of a sweep, which stands for its runs. "
        "Legends name several runs by the\n"
        "settings in which they differ. KIND: 'weft plot --list'; docs/how-to/report.md shows what "
        "each "
        "is "
        "for. gnuplot draws the pictures\n"
        "(Debian: gnuplot-nox); gnuplot and csv do without it. An SVG follows the light or dark "
        "mode of the reader.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = plot_run,
};
