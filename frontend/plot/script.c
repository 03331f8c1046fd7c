/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes figures as gnuplot scripts (5.2 or later) with their data inside, and as CSV tables. */
#include "plot/script.h"

#include "plot/axis.h"
#include "plot/legend.h"

#include <math.h>
#include <string.h>

#define TITLE_HEIGHT 34.0 /* of the picture, in pixels */
#define NARROW 400.0      /* an axis on which numbers of gnuplot's choice may touch */
/* How large letters are to those of a page, and their mean width in pixels. */
#define LETTERS(f) ((f)->points > 0 ? (f)->points / 9 : 1)
#define LETTER(f) (7.0 * LETTERS(f))

/* The second half, which areas have, are lighter ones of the first. */
static const char *const colours[2 * WEFT_FIGURE_COLOURS] = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f",
    "#80b9d9", "#eaaf80", "#80cfb9", "#e6bcd3", "#f3cf80", "#abdaf4", "#c4c4c4"};

/* Colours of values: of areas viridis; of lines what is seen on white and on black. */
#define AREAS                                                                                      \
    "defined (0 '#440154', 1 '#46327e', 2 '#365c8d', 3 '#277f8e', 4 '#1fa187', 5 '#4ac16d', "      \
    "6 '#a0da39', 7 '#fde725') maxcolors 32"
#define LINES "defined (0 '#b4c2cc', 0.5 '#f0a030', 1 '#d0202e') maxcolors 32"

/* ---- texts ---- */

/* Bytes of the UTF-8 character at @p s; 0: it is none, or a control character. */
static size_t character(const unsigned char *s)
{
    const size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0x20 || s[0] == 0x7f || (s[0] >= 0x80 && s[0] < 0xc2) || s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

/* A text between single quotes, in which gnuplot replaces nothing; @p format: but what begins with
 * '%'. */
static void quote_as(FILE *out, const char *text, bool format)
{
    fputc('\'', out);
    while (*text) {
        const size_t n = character((const unsigned char *)text);
        if (*text == '\'')
            fputs("''", out);
        else if (*text == '%' && format)
            fputs("%%", out);
        else if (n)
            fwrite(text, 1, n, out);
        else
            fputc('?', out);
        text += n ? n : 1;
    }
    fputc('\'', out);
}

static void quote(FILE *out, const char *text)
{
    quote_as(out, text, false);
}

/* The text of a tick, which gnuplot takes for a format of its number. */
static void quote_tick(FILE *out, const char *text)
{
    quote_as(out, text, true);
}

/* A text as a field of data. There is no way to write a double quote or a backslash in one. */
static void quote_field(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        const size_t n = character((const unsigned char *)text);
        if (*text == '"' || *text == '\\' || !n)
            fputc(*text == '"' ? '\'' : *text == '\\' ? '/' : '?', out);
        else
            fwrite(text, 1, n, out);
        text += n ? n : 1;
    }
    fputc('"', out);
}

/* ---- data ---- */

static bool has_text(const struct weft_curve *c)
{
    return c->mark == WEFT_MARK_TEXT || c->mark == WEFT_MARK_TEXT_MID;
}

/* Of names side by side, one in how many has room: those from @p i on that have the same y, *end:
 * behind the last. @p unit: pixels of a step of x. */
static size_t step_of_texts(const struct weft_curve *c, size_t i, double letter, double unit,
                            size_t *end)
{
    const double left = c->v[2 * i];
    size_t widest = 0;
    for (*end = i; *end < c->n && c->v[2 * *end + 1] == c->v[2 * i + 1]; ++*end)
        widest = strlen(c->text[*end]) > widest ? strlen(c->text[*end]) : widest;
    const double apart = (c->v[2 * (*end - 1)] - left) / (double)(*end - i - (*end - i > 1));
    return apart > 0 ? (size_t)ceil(((double)widest + 1.5) * letter / (apart * unit)) : 1;
}

static void write_data(FILE *out, const struct weft_curve *c, size_t number, double letter,
                       double unit)
{
    const size_t columns = weft_mark_columns(c->mark);
    size_t step = 1, row = 0, end = 0;
    fprintf(out, "$d%zu << EOD\n", number);
    for (size_t i = 0; i < c->n; i++) {
        if (c->mark == WEFT_MARK_TEXT_MID && i == end)
            step = step_of_texts(c, row = i, letter, unit, &end);
        if ((i - row) % step)
            continue;
        if (c->mark == WEFT_MARK_STEPS && i) /* gnuplot's steps begin a new dash at each */
            fprintf(out, "%.10g %.10g\n", c->v[2 * i], c->v[2 * i - 1]);
        for (size_t k = 0; k < columns; k++) {
            const double v = c->v[i * columns + k];
            fprintf(out, isfinite(v) ? "%s%.10g" : "%sNaN", k ? " " : "", v);
        }
        if (has_text(c)) {
            fputc(' ', out);
            quote_field(out, c->text[i]);
        }
        fputc('\n', out);
    }
    fputs("EOD\n", out);
}

/* ---- axes ---- */

static void write_end(FILE *out, double v)
{
    if (isnan(v))
        fputc('*', out);
    else
        fprintf(out, "%.10g", v);
}

/* Of ends that are the same, or nearly so, gnuplot makes an error. */
static void write_range(FILE *out, const char *name, const struct weft_axis *a, bool reverse)
{
    const double least = fmax(1e-6 * fabs(a->from), 1e-6);
    const bool same = a->to - a->from < least;
    const double from = same && a->bytes ? a->from / 2 : a->from, to = !same ? a->to
                                                                       : a->bytes
                                                                           ? 1.5 * a->from
                                                                           : a->from + 1e3 * least;
    fprintf(out, "set %srange [", name);
    write_end(out, reverse ? to : from);
    fputc(':', out);
    write_end(out, reverse ? from : to);
    fputs("]\n", out);
}

/* The least step of 1, 2 or 5 times a power of ten that is not below @p least. */
static double tick_step(double least)
{
    const double power = pow(10, floor(log10(least > 0 ? least : 1)));
    return power * (least <= power ? 1 : least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10);
}

/* Ticks of an axis of sizes. gnuplot's own are in kB, and have no unit of their own where sizes are
 * close to each other. */
static void write_sizes(FILE *out, const struct weft_axis *a)
{
    const double step =
        a->from == a->to ? INFINITY : fmax(1, tick_step((a->to - a->from) / 6)); /* one size */
    double at = a->log ? pow(10, ceil(log10(a->from) - 1e-6)) : step * ceil(a->from / step - 1e-6);
    const char *before = " (";
    at = a->from == a->to ? a->from : at;
    for (; at <= a->to * (1 + 1e-9); at = a->log ? 10 * at : at + step) {
        const struct weft_figure_unit u = weft_figure_size_unit(2 * at);
        fprintf(out, "%s'%.6g%s' %.10g", before, at / u.divisor, u.name, at);
        before = ", ";
        for (int k = 2; a->log && k < 10; k++)
            fprintf(out, ", '' %.10g 1", k * at);
    }
    fputc(')', out);
}

/* How an axis is drawn. */
struct axis_style {
    bool reverse, turned;
    size_t every; /* of ticks with words, one in so many has room */
    double least; /* of ticks with numbers, the step that has; 0: any */
    double room;  /* for the label, in pixels */
};

static void write_ticks(FILE *out, const char *name, const struct weft_axis *a,
                        const struct axis_style *style)
{
    size_t i = 0;
    if (a->hidden) {
        fprintf(out, "unset %stics\n", name);
        return;
    }
    fprintf(out, "set %stics nomirror out", name);
    if (a->bytes && a->from <= a->to)
        write_sizes(out, a);
    else if (!a->ticks && !a->log && style->least > 0)
        fprintf(out, " %.10g", tick_step(style->least));
    for (const struct weft_tick *t = a->ticks; t; t = t->next, i++) {
        if (i % style->every)
            continue;
        fputs(i ? ", " : " (", out);
        quote_tick(out, t->text);
        fprintf(out, " %.10g", t->at);
    }
    fputs(a->ticks ? ")" : "", out);
    fputs(style->turned ? " rotate by -35\n" : " norotate\n", out);
}

/* Of ticks with words, one in how many has room on @p length pixels, each with so many @p pixels.
 */
static size_t ticks_every(const struct weft_axis *a, double length, double pixels)
{
    size_t n = 0;
    for (const struct weft_tick *t = a->ticks; t; t = t->next)
        n++;
    return (size_t)fmax(1, ceil((double)n * pixels / length));
}

/* Writes a text that has so much @p room, in smaller letters where it is longer. */
static void write_fitting(FILE *out, const char *text, const struct weft_figure *f, double points,
                          double room)
{
    quote(out, text);
    fprintf(out, " font ',%.3g'",
            points * fmax(0.6, fmin(1, room / (LETTER(f) * (double)(strlen(text) + 1)))));
}

/* A label that is too long loses what the axis shows, and what is in brackets unless it is a unit.
 */
static void shorten_label(char label[128], double letters)
{
    char *log = strstr(label, WEFT_LOG_SCALE), *brackets = strstr(label, " (");
    if (log && (double)strlen(label) > letters)
        memmove(log, log + strlen(WEFT_LOG_SCALE), strlen(log + strlen(WEFT_LOG_SCALE)) + 1);
    if (brackets && strchr(brackets, ':') && (double)strlen(label) > letters)
        *brackets = '\0';
}

static void write_axis(FILE *out, const char *name, const struct weft_axis *a,
                       const struct weft_figure *f, double points, const struct axis_style *style)
{
    char label[128];
    snprintf(label, sizeof label, "%s", a->label);
    shorten_label(label, style->room / LETTER(f));
    fprintf(out, "set %slabel ", name);
    write_fitting(out, label, f, points, style->room);
    fputs(*name == 'x' && !style->turned ? " offset 0,0.5" : "", out);
    fprintf(out, "\n%sset logscale %s\n", a->log ? "" : "un", name);
    write_range(out, name, a, style->reverse);
    fprintf(out, "set format %s '%s'\n", name, a->log ? "%g" : "%h");
    write_ticks(out, name, a, style);
}

/* Letters of a text; capitals are a quarter wider. */
static double letters_in(const char *text)
{
    double n = 0;
    for (; *text; text++)
        n += *text >= 'A' && *text <= 'Z' ? 1.25 : 1;
    return n;
}

/* Whether the words on the x axis would run into each other side by side. */
static bool is_crowded(const struct weft_axis *a, double width)
{
    size_t letters = 0, n = 0;
    double widest = 0; /* of two neighbours */
    bool even = true;  /* one step apart */
    for (const struct weft_tick *t = a->ticks; t; t = t->next, n++) {
        const double both = letters_in(t->text) + (t->next ? letters_in(t->next->text) : 0);
        even = even && (!t->next || t->next->at == t->at + 1);
        widest = fmax(widest, both);
        letters += strlen(t->text) + 1;
    }
    return (double)letters * 7 > width || (even && widest * (double)n * 3.8 > width);
}

/* How many letters the last word below a panel goes beyond it, turned. */
static double letters_beyond(const struct weft_axis *a, double width, double letter)
{
    size_t n = 0;
    double last = 0;
    for (const struct weft_tick *t = a->ticks; t; t = t->next, n++)
        last = letters_in(t->text) + 2;
    return n && is_crowded(a, width) ? 0.82 * last - 0.6 * width / (letter * (double)n) : 0;
}

/* ---- curves ---- */

static void write_colour(FILE *out, const struct weft_curve *c)
{
    const int n = c->mark == WEFT_MARK_BOXES ? 2 * WEFT_FIGURE_COLOURS : WEFT_FIGURE_COLOURS;
    fprintf(out, " lc rgb '%s'", c->colour < 0 ? "#000000" : colours[c->colour % n]);
}

/* @p legend: not of its points, but of its entry in the legend, which is a function. */
static void write_style(FILE *out, const struct weft_curve *c, bool legend)
{
    static const int points[] = {7, 5, 9, 13, 11, 2, 1};
    static const char *const dashes[] = {
        "1", "(14,6)", "(3,4)", "(14,5,3,5)", "(14,5,3,5,3,5)", "(24,7)", "(7,4)"};
    const int turn = c->colour < 0 ? 0 : c->colour / WEFT_FIGURE_COLOURS;
    const int point = points[(c->colour < 0 ? 0 : c->colour) % 7];
    static const char *const with[WEFT_MARKS] = {
        [WEFT_MARK_LINE] = "lines lw 2",
        [WEFT_MARK_POINTS] = "linespoints lw 2 ps 0.7",
        [WEFT_MARK_DOTS] = "points ps 0.8",
        [WEFT_MARK_STEPS] = "lines lw 2",
        [WEFT_MARK_BAND] = "filledcurves fill transparent solid 0.16 noborder",
        [WEFT_MARK_BOXES] = "boxxyerror fill solid 1 noborder lw 0",
        [WEFT_MARK_HEAT] = "boxxyerror fill solid 1 noborder lc palette",
        [WEFT_MARK_ARROWS] = "vectors filled head size screen 0.008,18 lw 1.3",
        [WEFT_MARK_EDGES] = "vectors nohead lw 1.4",
        [WEFT_MARK_SEGMENTS] = "vectors nohead lw 1.6 lc palette",
        [WEFT_MARK_TEXT] = "labels left offset 0.7,0.45",
        [WEFT_MARK_TEXT_MID] = "labels center",
    };
    fprintf(out, " with %s",
            !legend                      ? with[c->mark]
            : c->mark == WEFT_MARK_BOXES ? "boxes fill solid 1 noborder"
            : c->mark == WEFT_MARK_EDGES ? "lines lw 1.4"
                                         : with[c->mark]);
    if (has_text(c) || weft_mark_has_value(c->mark))
        return;
    write_colour(out, c);
    if (c->mark == WEFT_MARK_POINTS || c->mark == WEFT_MARK_DOTS)
        fprintf(out, " pt %d", point);
    if ((c->mark == WEFT_MARK_LINE || c->mark == WEFT_MARK_STEPS) && c->colour > 0)
        fprintf(out, " dt %s", dashes[(c->colour + turn) % 7]); /* lines without points */
    else if (turn && c->mark != WEFT_MARK_BOXES && c->mark != WEFT_MARK_DOTS &&
             c->mark != WEFT_MARK_BAND)
        fprintf(out, " dt %d", 1 + turn % 4);
}

/* ---- panels ---- */

static bool has_mark(const struct weft_panel *p, enum weft_mark mark)
{
    for (const struct weft_curve *c = p->curves; c; c = c->next)
        if (c->mark == mark && c->n)
            return true;
    return false;
}

static bool has_colours(const struct weft_panel *p)
{
    return has_mark(p, WEFT_MARK_HEAT) || has_mark(p, WEFT_MARK_SEGMENTS);
}

static void write_entry(FILE *out, const struct weft_curve *c)
{
    fputs(", \\\n     NaN", out);
    write_style(out, c, true);
    fputs(" title ", out);
    quote(out, c->label);
}

/* ---- one frame for all panels ---- */

/* What all panels of a figure have in common. */
struct frame {
    double left, right; /* of the axes, as shares of a panel's width */
    double width;       /* of a panel, in pixels */
    double points;      /* size of letters */
    size_t columns;
    bool boxed; /* names of places have a ground of their own: not in SVG, where it is a filter that
                   lies elsewhere in the page */
};

static bool any_colours(const struct weft_figure *f)
{
    for (const struct weft_panel *p = f->panels; p; p = p->next)
        if (has_colours(p))
            return true;
    return false;
}

/* The size of letters: on screens and in PNG it is that of pixels. */
static double script_points(const struct weft_figure *f, enum weft_script_terminal to)
{
    return LETTERS(f) * (to == WEFT_SCRIPT_PNG ? 20 : to == WEFT_SCRIPT_PDF ? 9 : 13);
}

static struct frame frame_of(const struct weft_figure *f, enum weft_script_terminal to)
{
    const double letter = LETTER(f), width = f->width / (double)f->columns;
    double left = 0; /* gnuplot takes letters of SVG for 1.3 as wide, and has a mark of 4.5 */
    for (const struct weft_panel *p = f->panels; p; p = p->next) {
        const double n = (double)weft_axis_longest_tick(p);
        left = fmax(left, *p->y.label ? 1.3 * n + 6.6 : n + 3.5);
    }
    double right = f->columns == 1 && any_colours(f) ? 17 : f->columns == 1 ? 4 : 2;
    for (const struct weft_panel *p = f->panels; p; p = p->next)
        right = fmax(right, letters_beyond(&p->x, width - letter * (left + right), letter));
    return (struct frame){.left = fmin(0.45, letter * left / width),
                          .right = 1 - fmin(0.3, letter * right / width),
                          .width = width,
                          .points = script_points(f, to),
                          .columns = f->columns,
                          .boxed = to == WEFT_SCRIPT_PDF || to == WEFT_SCRIPT_PNG};
}

/* The panel in the row below; NULL: there is none. */
static const struct weft_panel *panel_below(const struct weft_figure *f, const struct weft_panel *p)
{
    for (size_t i = 0; i < f->columns && p; i++)
        p = p->next;
    return p;
}

/* Whether the panel below says what the same x axis is. */
static bool label_follows(const struct weft_figure *f, const struct weft_panel *p)
{
    const struct weft_panel *q = panel_below(f, p);
    return q && !p->x.ticks && !q->x.ticks && !q->x.hidden && q->x.log == p->x.log &&
           strcmp(q->x.label, p->x.label) == 0;
}

static void write_colours(FILE *out, const struct weft_panel *p)
{
    fputs(has_mark(p, WEFT_MARK_SEGMENTS) ? "set palette " LINES "\n" : "set palette " AREAS "\n",
          out);
    write_range(out, "cb", &p->value, false);
    fputs("set cblabel ", out);
    quote(out, p->value.label);
    fputc('\n', out);
}

static void write_margins(FILE *out, const struct frame *frame, const struct weft_panel *p,
                          size_t column)
{
    const double columns = (double)frame->columns, x = (double)column;
    fprintf(out, "set tmargin %s\nset lmargin at screen %.4f\nset rmargin at screen %.4f\n",
            *p->title ? "1.6" : "0.6", (x + frame->left) / columns, (x + frame->right) / columns);
    if (frame->columns > 1)
        fprintf(out, "set bmargin %s\n", p->x.hidden ? "0.5" : "3.2");
}

/* Entries of a row of a legend below a picture. */
static size_t legend_columns(const struct weft_figure *f, struct weft_legend l)
{
    return (size_t)fmax(1, floor(0.96 * f->width / (LETTER(f) * ((double)l.longest + 7))));
}

static double legend_rows(const struct weft_figure *f, struct weft_legend l)
{
    return ceil((double)l.n / (double)legend_columns(f, l));
}

static void write_settings(FILE *out, const struct weft_figure *f, const struct weft_panel *p,
                           const struct frame *frame, size_t column)
{
    char plain_x[128], plain_y[128];
    struct weft_axis x =
        weft_axis_sized(p, weft_axis_plain(p, "x", weft_axis_shared(f, p, "x"), plain_x));
    struct weft_axis y = weft_axis_plain(p, "y", weft_axis_shared(f, p, "y"), plain_y);
    const struct weft_legend legend =
        f->columns == 1 ? weft_legend_each(f, p, NULL, out) : (struct weft_legend){0};
    const double below = f->columns > 1 ? 80 : 50 + 16 * (legend.n > 0),
                 room = fmax(p->height - below * LETTERS(f), 1),
                 length = frame->width * (frame->right - frame->left);
    if (label_follows(f, p))
        x.label = "";
    if (column)
        y.label = "";
    const bool turned = is_crowded(&p->x, length);
    const struct axis_style
        across = {.turned = turned,
                  .every = turned ? ticks_every(&p->x, length, 15 * LETTERS(f)) : 1,
                  .least = length < NARROW ? (x.to - x.from) * 5 * LETTER(f) / length : 0,
                  .room = frame->width * (2 - frame->left - frame->right)}, /* around the axis */
        upwards = {.reverse = p->downwards,
                   .every = ticks_every(&p->y, room, 13 * LETTERS(f)),
                   .room = room};
    fputs("set title ", out);
    write_fitting(out, p->title, f, frame->points, across.room);
    fputs(" offset 0,-0.4\n", out);
    write_margins(out, frame, p, column);
    write_axis(out, "x", &x, f, frame->points, &across);
    write_axis(out, "y", &y, f, frame->points, &upwards);
    if (p->x.hidden || p->y.hidden)
        fputs("unset grid\n", out);
    else
        fputs("set grid lc rgb '#a0a0a0' lw 0.5 dt 3\n", out);
    fprintf(out, "set border %d lw 1 lc rgb '#000000'\n", !p->x.hidden + 2 * !p->y.hidden);
    fputs(legend.n ? "set key outside below center horizontal Left reverse samplen 3 height 0.7\n"
                   : "unset key\n",
          out);
    if (has_colours(p)) {
        write_colours(out, p);
        fputs(f->columns == 1 ? "set colorbox\n" : "unset colorbox\n", out);
    }
}

/* The value above which black is read better than white on the colours of AREAS: the middle of all
 * values. */
static double bright_from(const struct weft_curve *c)
{
    const size_t columns = weft_mark_columns(c->mark);
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < c->n; i++) {
        least = fmin(least, c->v[i * columns + columns - 1]);
        most = fmax(most, c->v[i * columns + columns - 1]);
    }
    return (least + most) / 2;
}

/* Not black and white as such, which pages in the dark turn around. */
static void write_values(FILE *out, const struct weft_curve *c, size_t number)
{
    fprintf(out,
            ", \\\n     $d%zu using (($1+$2)/2):(($3+$4)/2):(sprintf('%%.3g', $5)):"
            "($5 < %.10g ? 0xfdfdfd : 0x101010) with labels center tc rgb variable notitle",
            number, bright_from(c));
}

/* Most of a pixel of an axis; 0: its ends are not known. */
static double seam(const struct weft_axis *a, double length)
{
    return a->to > a->from ? 0.7 * (a->to - a->from) / length : 0;
}

static void write_curve(FILE *out, const struct weft_panel *p, const struct weft_curve *c,
                        size_t number, bool first, const struct frame *frame)
{
    static const char *const using[WEFT_MARKS] = {
        [WEFT_MARK_LINE] = "1:2",
        [WEFT_MARK_POINTS] = "1:2",
        [WEFT_MARK_DOTS] = "1:2",
        [WEFT_MARK_STEPS] = "1:2",
        [WEFT_MARK_BAND] = "1:2:3",
        [WEFT_MARK_BOXES] = "(($1+$2)/2):(($3+$4)/2):1:2:3:4",
        [WEFT_MARK_HEAT] = "(($1+$2)/2):(($3+$4)/2):1:($2+wide):3:($4+high):5",
        [WEFT_MARK_ARROWS] = "1:2:($3-$1):($4-$2)",
        [WEFT_MARK_EDGES] = "1:2:($3-$1):($4-$2)",
        [WEFT_MARK_SEGMENTS] = "1:2:($3-$1):($4-$2):5",
        [WEFT_MARK_TEXT] = "1:2:3",
        [WEFT_MARK_TEXT_MID] = "1:2:3",
    };
    fprintf(out, first ? "plot " : ", \\\n     ");
    if (c->mark == WEFT_MARK_HEAT) /* areas overlap by a part of a pixel: else there are seams */
        fprintf(out, "wide = %.10g, high = %.10g, ",
                seam(&p->x, frame->width * (frame->right - frame->left)), seam(&p->y, p->height));
    fprintf(out, "$d%zu using %s", number, using[c->mark]);
    write_style(out, c, false);
    fputs(frame->boxed && has_text(c) ? " boxed notitle" : " notitle", out);
    if (p->says_values && c->mark == WEFT_MARK_HEAT)
        write_values(out, c, number);
}

/* Bands come first and texts last, so that neither hides lines nor is crossed by them. */
static int layer_of(const struct weft_curve *c)
{
    return c->mark == WEFT_MARK_BAND ? 0 : has_text(c) ? 2 : 1;
}

static void write_plot(FILE *out, const struct weft_figure *f, const struct weft_panel *p,
                       size_t first, const struct frame *frame)
{
    size_t drawn = 0;
    for (int layer = 0; layer < 3; layer++) {
        size_t number = first;
        for (const struct weft_curve *c = p->curves; c; c = c->next, number++)
            if (c->n && layer_of(c) == layer)
                write_curve(out, p, c, number, drawn++ == 0, frame);
    }
    if (drawn && f->columns == 1)
        weft_legend_each(f, p, write_entry, out);
    /* axes alone, with a line outside of them */
    fputs(drawn ? "\n" : "set xrange [1:10]\nset yrange [1:10]\nplot 0.1 notitle\n", out);
}

/* ---- the picture ---- */

/* The height of the row that begins with @p p; *next: the first of the row below. All rows of
 * panels side by side have that of the highest. */
static double row_height(const struct weft_figure *f, const struct weft_panel *p,
                         const struct weft_panel **next)
{
    double height = 0;
    const struct weft_panel *q = f->columns > 1 ? f->panels : p;
    for (; q && (f->columns > 1 || q == p); q = q->next)
        height = fmax(height, q->height);
    for (size_t i = 0; i < f->columns && p; i++)
        p = p->next;
    *next = p;
    return height;
}

/* The height of what stands below panels side by side: legend and colours of all. */
static double strip_height(const struct weft_figure *f)
{
    const struct weft_legend l = weft_legend_each(f, NULL, NULL, NULL);
    if (f->columns == 1)
        return 0;
    return LETTERS(f) * ((l.n ? 10 + 18 * legend_rows(f, l) : 0) + (any_colours(f) ? 74 : 0));
}

/* A figure of a paper has its title below, in words of the paper. */
static double title_height(const struct weft_figure *f)
{
    return *f->title ? TITLE_HEIGHT * fmax(1, LETTERS(f)) : 0;
}

/* The height of what a legend below a panel has beyond its first row. */
static double legend_height(const struct weft_figure *f, const struct weft_panel *p)
{
    const struct weft_legend l = weft_legend_each(f, p, NULL, NULL);
    return f->columns == 1 && l.n ? 16 * LETTERS(f) * (legend_rows(f, l) - 1) : 0;
}

double weft_script_around(const struct weft_figure *f)
{
    double height = title_height(f) + strip_height(f);
    for (const struct weft_panel *p = f->panels; p; p = p->next)
        height += legend_height(f, p);
    return height;
}

double weft_script_height(const struct weft_figure *f)
{
    double height = weft_script_around(f);
    for (const struct weft_panel *p = f->panels; p;)
        height += row_height(f, p, &p);
    return height;
}

static void write_terminal(FILE *out, const struct weft_figure *f, enum weft_script_terminal to)
{
    const double w = f->width, h = weft_script_height(f), size = LETTERS(f),
                 points = script_points(f, to);
    const char *before = to == WEFT_SCRIPT_ANY ? "# " : "";
    char font[64];
    snprintf(font, sizeof font, "%.40s", f->font ? f->font : "sans-serif");
    font[strcspn(font, "'\\\"")] = '\0';
    if (to == WEFT_SCRIPT_PNG)
        fprintf(out,
                "set terminal pngcairo size %.0f,%.0f noenhanced font '%s,%.3g' "
                "fontscale 1 linewidth %.3g pointscale 1.5 background 'white'\n",
                2 * w, 2 * h, font, points, 2 * fmax(1, size));
    if (to == WEFT_SCRIPT_SVG || to == WEFT_SCRIPT_ANY)
        fprintf(out,
                "%sset terminal svg size %.0f,%.0f dynamic noenhanced font '%s,%.3g' "
                "linewidth %.3g name 'weft'\n",
                before, w, h, font, points, fmax(1, size));
    if (to == WEFT_SCRIPT_PDF || to == WEFT_SCRIPT_ANY)
        fprintf(out,
                "%sset terminal pdfcairo size %.3fin,%.3fin noenhanced font '%s,%.3g' "
                "rounded linewidth %.3g\n",
                before, w / WEFT_FIGURE_INCH, h / WEFT_FIGURE_INCH, font,
                script_points(f, WEFT_SCRIPT_PDF), fmax(1, size));
    if (to == WEFT_SCRIPT_ANY)
        fputs("# set output 'figure.svg'\n", out);
}

static void write_strip(FILE *out, const struct weft_figure *f, double total)
{
    const double high = strip_height(f) / total;
    if (!(high > 0))
        return;
    fprintf(
        out,
        "set origin 0,0\nset size 1,%.6f\nset lmargin at screen 0.02\nset rmargin at screen "
        "0.98\nset tmargin at screen %.6f\nset bmargin at screen 0\nset title ''\nset xlabel "
        "''\nset ylabel ''\nunset border\nunset xtics\nunset ytics\nunset grid\nunset logscale\n",
        high, high);
    const struct weft_legend l = weft_legend_each(f, NULL, NULL, out);
    if (l.n)
        fprintf(out,
                "set key at screen 0.5,%.6f center top horizontal Left reverse samplen 3 maxcols "
                "%zu\n",
                high, legend_columns(f, l));
    for (const struct weft_panel *p = f->panels; p; p = p->next)
        if (has_colours(p)) {
            write_colours(out, p);
            fprintf(out,
                    "set colorbox horizontal user origin screen 0.3,%.6f size screen 0.4,%.6f\n",
                    56 * LETTERS(f) / total, 10 * LETTERS(f) / total);
            break;
        }
    fprintf(out, "plot [0:1] [0:1] NaN%s notitle", any_colours(f) ? " with points palette" : "");
    weft_legend_each(f, NULL, write_entry, out);
    fputc('\n', out);
}

static void write_layout(FILE *out, const struct weft_figure *f, const struct frame *frame)
{
    const double total = weft_script_height(f), wide = 1.0 / (double)f->columns;
    double top = total - title_height(f);
    size_t number = 0;
    const struct weft_panel *row = f->panels, *next;
    for (; row; row = next) {
        const double height = legend_height(f, row) + row_height(f, row, &next);
        size_t column = 0;
        for (const struct weft_panel *p = row; p != next; p = p->next, column++) {
            fprintf(out, "set origin %.6f,%.6f\nset size %.6f,%.6f\n", (double)column * wide,
                    (top - height) / total, wide, height / total);
            write_settings(out, f, p, frame, column);
            write_plot(out, f, p, number, frame);
            for (const struct weft_curve *c = p->curves; c; c = c->next)
                number++;
        }
        top -= height;
    }
    write_strip(out, f, total);
}

/* Letters of titles are somewhat larger than others, whose size depends on the terminal. */
static double title_points(enum weft_script_terminal to)
{
    return to == WEFT_SCRIPT_PNG ? 23 : to == WEFT_SCRIPT_PDF ? 10.5 : 15;
}

void weft_script_write(const struct weft_figure *f, enum weft_script_terminal to, FILE *out)
{
    const struct frame frame = frame_of(f, to);
    const double length = frame.width * (frame.right - frame.left);
    size_t number = 0;
    write_terminal(out, f, to);
    fputs("set encoding utf8\n"
          "set style fill solid 1 noborder\n",
          out);
    for (const struct weft_panel *p = f->panels; p; p = p->next)
        for (const struct weft_curve *c = p->curves; c; c = c->next)
            write_data(out, c, number++, LETTER(f), length / (p->x.to - p->x.from));
    if (to == WEFT_SCRIPT_PDF || to == WEFT_SCRIPT_PNG)
        fputs("set style textbox opaque noborder fillcolor rgb 'white' margins 0.4,0.4\n", out);
    fputs("set multiplot", out);
    if (*f->title) {
        fputs(" title ", out);
        quote(out, f->title);
        fprintf(out, " font ',%.3g'", title_points(to) * (f->points > 0 ? f->points / 9 : 1));
    }
    fputc('\n', out);
    write_layout(out, f, &frame);
    fputs("unset multiplot\n", out);
}
