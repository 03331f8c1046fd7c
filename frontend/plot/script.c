/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes figures as gnuplot scripts (5.2 or later) with their data inside, and as CSV tables. */
#include "plot/script.h"

#include <math.h>
#include <string.h>

#define TITLE_HEIGHT 34.0 /* of the picture, in pixels */
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

static void write_data(FILE *out, const struct weft_curve *c, size_t number)
{
    const size_t columns = weft_mark_columns(c->mark);
    fprintf(out, "$d%zu << EOD\n", number);
    for (size_t i = 0; i < c->n; i++) {
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
    const double to = a->to - a->from < least ? a->from + 1e3 * least : a->to;
    fprintf(out, "set %srange [", name);
    write_end(out, reverse ? to : a->from);
    fputc(':', out);
    write_end(out, reverse ? a->from : to);
    fputs("]\n", out);
}

static void write_ticks(FILE *out, const char *name, const struct weft_axis *a, bool turned)
{
    if (a->hidden) {
        fprintf(out, "unset %stics\n", name);
        return;
    }
    fprintf(out, "set %stics nomirror out", name);
    if (a->ticks) {
        fputs(" (", out);
        for (const struct weft_tick *t = a->ticks; t; t = t->next) {
            quote_tick(out, t->text);
            fprintf(out, " %.10g%s", t->at, t->next ? ", " : ")");
        }
    }
    fputs(turned ? " rotate by -35" : " norotate", out);
    if (a->bytes && a->log) /* gnuplot's own are in kB, as nothing else of weft */
        fprintf(out, "\nset %stics add ('1KB' 1e3, '10KB' 1e4, '100KB' 1e5)", name);
    fputc('\n', out);
}

static void write_axis(FILE *out, const char *name, const struct weft_axis *a, bool reverse,
                       bool turned)
{
    fprintf(out, "set %slabel ", name);
    quote(out, a->label);
    fputs(*name == 'x' && !turned ? " offset 0,0.5" : "", out);
    fprintf(out, "\n%sset logscale %s\n", a->log ? "" : "un", name);
    write_range(out, name, a, reverse);
    const char *size = a->log ? "%.0s%cB" : "%.1s%cB";
    fprintf(out, "set format %s '%s'\n", name, a->bytes ? size : a->log ? "%g" : "%h");
    write_ticks(out, name, a, turned);
}

/* Whether the words on the x axis would run into each other side by side. */
static bool is_crowded(const struct weft_axis *a, double width)
{
    size_t letters = 0, n = 0, widest = 0; /* widest: of two neighbours */
    bool even = true;                      /* one step apart */
    for (const struct weft_tick *t = a->ticks; t; t = t->next, n++) {
        const size_t both = strlen(t->text) + (t->next ? strlen(t->next->text) : 0);
        even = even && (!t->next || t->next->at == t->at + 1);
        widest = both > widest ? both : widest;
        letters += strlen(t->text) + 1;
    }
    return (double)letters * 7 > width || (even && (double)(widest * n) * 3.8 > width);
}

/* ---- curves ---- */

static void write_colour(FILE *out, const struct weft_curve *c)
{
    const int n = c->mark == WEFT_MARK_BOXES ? 2 * WEFT_FIGURE_COLOURS : WEFT_FIGURE_COLOURS;
    fprintf(out, " lc rgb '%s'", c->colour < 0 ? "#000000" : colours[c->colour % n]);
}

static void write_style(FILE *out, const struct weft_curve *c)
{
    static const int points[] = {7, 5, 9, 13, 11, 2, 1};
    static const char *const dashes[] = {
        "1", "(14,6)", "(3,4)", "(14,5,3,5)", "(14,5,3,5,3,5)", "(24,7)", "(7,4)"};
    const int turn = c->colour < 0 ? 0 : c->colour / WEFT_FIGURE_COLOURS;
    const int point = points[(c->colour < 0 ? 0 : c->colour) % 7];
    static const char *const with[WEFT_MARKS] = {
        [WEFT_MARK_LINE] = "1:2 with lines lw 2",
        [WEFT_MARK_POINTS] = "1:2 with linespoints lw 2 ps 0.7",
        [WEFT_MARK_DOTS] = "1:2 with points ps 0.8",
        [WEFT_MARK_STEPS] = "1:2 with lines lw 2",
        [WEFT_MARK_BAND] = "1:2:3 with filledcurves fill transparent solid 0.16 noborder",
        [WEFT_MARK_BOXES] =
            "(($1+$2)/2):(($3+$4)/2):1:2:3:4 with boxxyerror fill solid 1 noborder lw 0",
        [WEFT_MARK_HEAT] = "(($1+$2)/2):(($3+$4)/2):1:2:3:4:5 with boxxyerror fill solid 1 "
                           "noborder lc palette",
        [WEFT_MARK_ARROWS] = "1:2:($3-$1):($4-$2) with vectors filled head size screen "
                             "0.008,18 lw 1.3",
        [WEFT_MARK_EDGES] = "1:2:($3-$1):($4-$2) with vectors nohead lw 1.4",
        [WEFT_MARK_SEGMENTS] = "1:2:($3-$1):($4-$2):5 with vectors nohead lw 1.6 lc palette",
        [WEFT_MARK_TEXT] = "1:2:3 with labels left offset 0.7,0",
        [WEFT_MARK_TEXT_MID] = "1:2:3 with labels center",
    };
    fputs(with[c->mark], out);
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
        if (c->mark == mark)
            return true;
    return false;
}

static bool has_colours(const struct weft_panel *p)
{
    return has_mark(p, WEFT_MARK_HEAT) || has_mark(p, WEFT_MARK_SEGMENTS);
}

static bool has_legend(const struct weft_panel *p)
{
    for (const struct weft_curve *c = p->curves; c; c = c->next)
        if (*c->label)
            return true;
    return false;
}

/* The next curve with a place in the legend. */
static const struct weft_curve *legend_entry(const struct weft_curve *c)
{
    while (c && !*c->label)
        c = c->next;
    return c;
}

static bool same_legend(const struct weft_panel *a, const struct weft_panel *b)
{
    const struct weft_curve *x = legend_entry(a->curves), *y = legend_entry(b->curves);
    while (x && y && x->mark == y->mark && x->colour == y->colour &&
           strcmp(x->label, y->label) == 0) {
        x = legend_entry(x->next);
        y = legend_entry(y->next);
    }
    return !x && !y;
}

/* Whether a panel has the legend that a panel after it has, too: one is enough. */
static bool legend_follows(const struct weft_panel *p)
{
    for (const struct weft_panel *q = p->next; q; q = q->next)
        if (same_legend(p, q))
            return true;
    return false;
}

/* ---- one frame for panels below each other ---- */

/* What all panels of a figure have in common. */
struct frame {
    double left, right; /* of the axes, as shares of the width; 0: gnuplot chooses */
    bool boxed;         /* names of places have a ground of their own: not in SVG, where it is a
                           filter that lies elsewhere in the page */
};

/* Where the points of a panel begin and end on an axis, "x" or "y". */
static void panel_ends(const struct weft_panel *p, const char *axis, double *from, double *to)
{
    for (const struct weft_curve *c = p->curves; c; c = c->next) {
        const size_t n = weft_mark_columns(c->mark);
        for (size_t i = 0; i < c->n; i++)
            for (size_t k = 0; k < n; k++)
                if (strncmp(weft_mark_column(c->mark, k), axis, 1) == 0) {
                    *from = fmin(*from, c->v[i * n + k]);
                    *to = fmax(*to, c->v[i * n + k]);
                }
    }
}

/* Characters of the longest word at the y axis, of numbers as gnuplot writes them. */
static size_t longest_tick(const struct weft_panel *p)
{
    const struct weft_axis *a = &p->y;
    double from = isnan(a->from) ? INFINITY : a->from, to = isnan(a->to) ? -INFINITY : a->to;
    size_t most = 0;
    if (a->hidden)
        return 0;
    for (const struct weft_tick *t = a->ticks; t; t = t->next)
        most = strlen(t->text) > most ? strlen(t->text) : most;
    if (a->ticks)
        return most;
    panel_ends(p, "y", &from, &to);
    const double size = fmax(fabs(from), fabs(to)) * 1.2; /* axes end at the next tick */
    if (a->bytes || !(size >= 1e-4) || size > 1e7 || !isfinite(from))
        return 6;
    const size_t whole = 1 + a->log + (size_t)fmax(0, floor(log10(size)));
    const double least = a->log ? from : (to - from) / 5; /* the shortest step */
    const size_t behind = least < 1 ? 1 + (size_t)fmin(4, ceil(-log10(fmax(least, 1e-5)))) : 0;
    return (a->log && whole > behind ? whole : whole + behind) + (from < 0);
}

static struct frame frame_of(const struct weft_figure *f)
{
    const double letter = LETTER(f);
    double left = 0; /* gnuplot takes letters of SVG for 1.3 as wide, and has a mark of 4.5 */
    bool colours_beside = false;
    if (f->columns != 1 || !f->panels || !f->panels->next)
        return (struct frame){0};
    for (const struct weft_panel *p = f->panels; p; p = p->next) {
        const double n = (double)longest_tick(p);
        left = fmax(left, *p->y.label ? 1.3 * n + 6.6 : n + 3.5);
        colours_beside |= has_colours(p);
    }
    return (struct frame){fmin(0.45, letter * left / f->width),
                          1 - letter * (colours_beside ? 14 : 4) / f->width};
}

/* The x axis of a panel: with the ends of all panels that have the same one. */
static struct weft_axis shared_axis(const struct weft_figure *f, const struct weft_panel *p)
{
    struct weft_axis a = p->x;
    double from = INFINITY, to = -INFINITY;
    if (f->columns != 1 || a.ticks || a.hidden || !*a.label)
        return a;
    size_t same = 0;
    for (const struct weft_panel *q = f->panels; q; q = q->next) {
        if (strcmp(q->x.label, a.label) != 0 || q->x.log != a.log || q->x.ticks)
            continue;
        same++;
        panel_ends(q, "x", &from, &to);
        from = isnan(q->x.from) ? from : fmin(from, q->x.from);
        to = isnan(q->x.to) ? to : fmax(to, q->x.to);
    }
    if (same > 1 && from < to && (!a.log || from > 0)) {
        a.from = from;
        a.to = to;
    }
    return a;
}

/* Axis "x" or "y" of a panel, without logarithms where its points are within a power of ten: they
 * would lie at one end, and it would have one number or two. @p label: room for what it is then. */
static struct weft_axis plain_if_short(const struct weft_panel *p, const char *name,
                                       struct weft_axis a, char label[128])
{
    double from = INFINITY, to = -INFINITY;
    panel_ends(p, name, &from, &to);
    from = isnan(a.from) ? from : a.from;
    to = isnan(a.to) ? to : a.to;
    const char *says = strstr(a.label, WEFT_LOG_SCALE);
    if (!a.log || a.keeps_log || a.ticks || !says || !(from > 0 && to < 10 * from))
        return a;
    snprintf(label, 128, "%.*s%s", (int)(says - a.label), a.label, says + strlen(WEFT_LOG_SCALE));
    a.label = label;
    a.log = false;
    return a;
}

/* Whether the panel below says what the same x axis is. */
static bool label_follows(const struct weft_figure *f, const struct weft_panel *p)
{
    const struct weft_panel *q = p->next;
    return f->columns == 1 && q && !p->x.ticks && !q->x.ticks && !q->x.hidden &&
           q->x.log == p->x.log && strcmp(q->x.label, p->x.label) == 0;
}

static void write_settings(FILE *out, const struct weft_figure *f, const struct weft_panel *p,
                           const struct frame *frame, double width)
{
    char label[64], plain_x[128], plain_y[128];
    struct weft_axis x = plain_if_short(p, "x", shared_axis(f, p), plain_x);
    struct weft_axis y = plain_if_short(p, "y", p->y, plain_y);
    const double room = p->height - 50 * LETTERS(f);
    if (label_follows(f, p))
        x.label = "";
    if ((double)strlen(y.label) * LETTER(f) > room) { /* without what it says in brackets */
        snprintf(label, sizeof label, "%.*s", (int)strcspn(y.label, "("), y.label);
        y.label = label;
    }
    const bool turned = is_crowded(&p->x, 0.8 * width);
    fputs("set title ", out);
    quote(out, p->title);
    fprintf(out, " offset 0,-0.4\nset tmargin %s\n", *p->title ? "1.6" : "0.6");
    if (frame->left > 0)
        fprintf(out, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n", frame->left,
                frame->right);
    write_axis(out, "x", &x, false, turned);
    write_axis(out, "y", &y, p->downwards, false);
    if (p->x.hidden || p->y.hidden)
        fputs("unset grid\n", out);
    else
        fputs("set grid lc rgb '#a0a0a0' lw 0.5 dt 3\n", out);
    fprintf(out, "set border %d lw 1 lc rgb '#000000'\n", !p->x.hidden + 2 * !p->y.hidden);
    fprintf(out, has_legend(p) && !legend_follows(p)
                     ? "set key outside below center horizontal Left reverse samplen 3 height 0.7\n"
                     : "unset key\n");
    if (has_colours(p)) {
        fputs(has_mark(p, WEFT_MARK_SEGMENTS) ? "set palette " LINES "\n"
                                              : "set palette " AREAS "\n",
              out);
        write_range(out, "cb", &p->value, false);
        fputs("set cblabel ", out);
        quote(out, p->value.label);
        fputs("\nset colorbox\n", out);
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

static void write_curve(FILE *out, const struct weft_panel *p, const struct weft_curve *c,
                        size_t number, bool first, bool boxed)
{
    fprintf(out, first ? "plot " : ", \\\n     ");
    fprintf(out, "$d%zu using ", number);
    write_style(out, c);
    if (boxed && c->mark == WEFT_MARK_TEXT_MID)
        fputs(" boxed", out);
    if (*c->label) {
        fputs(" title ", out);
        quote(out, c->label);
    } else
        fputs(" notitle", out);
    if (p->says_values && c->mark == WEFT_MARK_HEAT)
        write_values(out, c, number);
}

/* Bands come first and texts last, so that neither hides lines nor is crossed by them. */
static int layer_of(const struct weft_curve *c)
{
    return c->mark == WEFT_MARK_BAND ? 0 : has_text(c) ? 2 : 1;
}

static void write_plot(FILE *out, const struct weft_panel *p, size_t first, bool boxed)
{
    size_t drawn = 0;
    for (int layer = 0; layer < 3; layer++) {
        size_t number = first;
        for (const struct weft_curve *c = p->curves; c; c = c->next, number++)
            if (c->n && layer_of(c) == layer)
                write_curve(out, p, c, number, drawn++ == 0, boxed);
    }
    /* axes alone, with a line outside of them */
    fputs(drawn ? "\n" : "set xrange [1:10]\nset yrange [1:10]\nplot 0.1 notitle\n", out);
}

/* ---- the picture ---- */

/* The height of the row that begins with @p p; *next: the first of the row below. */
static double row_height(const struct weft_figure *f, const struct weft_panel *p,
                         const struct weft_panel **next)
{
    double height = 0;
    for (size_t i = 0; i < f->columns && p; i++, p = p->next)
        height = fmax(height, p->height);
    *next = p;
    return height;
}

/* A figure of a paper has its title below, in words of the paper. */
static double title_height(const struct weft_figure *f)
{
    return *f->title ? TITLE_HEIGHT : 0;
}

double weft_script_height(const struct weft_figure *f)
{
    double height = title_height(f);
    for (const struct weft_panel *p = f->panels; p;)
        height += row_height(f, p, &p);
    return height;
}

static void write_terminal(FILE *out, const struct weft_figure *f, enum weft_script_terminal to)
{
    const double w = f->width, h = weft_script_height(f), size = LETTERS(f);
    const char *before = to == WEFT_SCRIPT_ANY ? "# " : "";
    char font[64];
    snprintf(font, sizeof font, "%.40s", f->font ? f->font : "sans-serif");
    font[strcspn(font, "'\\\"")] = '\0';
    if (to == WEFT_SCRIPT_PNG)
        fprintf(out,
                "set terminal pngcairo size %.0f,%.0f noenhanced font '%s,%.3g' "
                "fontscale 1 linewidth %.3g pointscale 1.5 background 'white'\n",
                2 * w, 2 * h, font, 20 * size, 2 * fmax(1, size));
    if (to == WEFT_SCRIPT_SVG || to == WEFT_SCRIPT_ANY)
        fprintf(out,
                "%sset terminal svg size %.0f,%.0f dynamic noenhanced font '%s,%.3g' "
                "linewidth %.3g name 'weft'\n",
                before, w, h, font, 13 * size, fmax(1, size));
    if (to == WEFT_SCRIPT_PDF || to == WEFT_SCRIPT_ANY)
        fprintf(out,
                "%sset terminal pdfcairo size %.3fin,%.3fin noenhanced font '%s,%.3g' "
                "rounded linewidth %.3g\n",
                before, w / WEFT_FIGURE_INCH, h / WEFT_FIGURE_INCH, font, 9 * size, fmax(1, size));
    if (to == WEFT_SCRIPT_ANY)
        fputs("# set output 'figure.svg'\n", out);
}

static void write_layout(FILE *out, const struct weft_figure *f, enum weft_script_terminal to)
{
    struct frame frame = frame_of(f);
    const double total = weft_script_height(f), wide = 1.0 / (double)f->columns;
    double top = total - title_height(f);
    size_t number = 0;
    frame.boxed = to == WEFT_SCRIPT_PDF || to == WEFT_SCRIPT_PNG;
    const struct weft_panel *row = f->panels, *next;
    for (; row; row = next) {
        const double height = row_height(f, row, &next);
        size_t column = 0;
        for (const struct weft_panel *p = row; p != next; p = p->next, column++) {
            fprintf(out, "set origin %.6f,%.6f\nset size %.6f,%.6f\n", (double)column * wide,
                    (top - height) / total, wide, height / total);
            write_settings(out, f, p, &frame, f->width * wide);
            write_plot(out, p, number, frame.boxed);
            for (const struct weft_curve *c = p->curves; c; c = c->next)
                number++;
        }
        top -= height;
    }
}

/* Letters of titles are somewhat larger than others, whose size depends on the terminal. */
static double title_points(enum weft_script_terminal to)
{
    return to == WEFT_SCRIPT_PNG ? 23 : to == WEFT_SCRIPT_PDF ? 10.5 : 15;
}

void weft_script_write(const struct weft_figure *f, enum weft_script_terminal to, FILE *out)
{
    size_t number = 0;
    write_terminal(out, f, to);
    fputs("set encoding utf8\n"
          "set style fill solid 1 noborder\n",
          out);
    for (const struct weft_panel *p = f->panels; p; p = p->next)
        for (const struct weft_curve *c = p->curves; c; c = c->next)
            write_data(out, c, number++);
    if (to == WEFT_SCRIPT_PDF || to == WEFT_SCRIPT_PNG)
        fputs("set style textbox opaque noborder fillcolor rgb 'white' margins 0.4,0.4\n", out);
    fputs("set multiplot", out);
    if (*f->title) {
        fputs(" title ", out);
        quote(out, f->title);
        fprintf(out, " font ',%.3g'", title_points(to) * (f->points > 0 ? f->points / 9 : 1));
    }
    fputc('\n', out);
    write_layout(out, f, to);
    fputs("unset multiplot\n", out);
}
