/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adapts SVG of gnuplot so that it follows the light or dark mode of the page. The changes replace
 * fixed strings of gnuplot's output; a string that another version does not write stays as it is.
 */
#include "plot/svg.h"

#include <string.h>

/* Colours of figures as gnuplot writes them, and what they are in the dark. */
static const struct {
    const char *light, *dark;
} colours[] = {
    {"rgb(  0, 114, 178)", "#4fa8e0"}, {"rgb(213,  94,   0)", "#f0813a"},
    {"rgb(  0, 158, 115)", "#2fc79a"}, {"rgb(204, 121, 167)", "#dd94bb"},
    {"rgb(230, 159,   0)", "#f2b53a"}, {"rgb( 86, 180, 233)", "#8ccdf5"},
    {"rgb(127, 127, 127)", "#9a9a9a"}, {"rgb(128, 185, 217)", "#2a6287"},
    {"rgb(234, 175, 128)", "#8f4d22"}, {"rgb(128, 207, 185)", "#1d735b"},
    {"rgb(230, 188, 211)", "#825670"}, {"rgb(243, 207, 128)", "#8d6a22"},
    {"rgb(171, 218, 244)", "#507890"}, {"rgb(196, 196, 196)", "#5c5c5c"},
};

/* What is written instead of what. A '\1' stands for the id. */
static const struct {
    const char *from, *to;
} replacements[] = {
    {"color=\"black\"", "color=\"inherit\""},
    {"color=\"white\"", "color=\"inherit\""},
    {"=\"rgb(  0,   0,   0)\"", "=\"currentColor\""},
    {"='rgb(  0,   0,   0)'", "='currentColor'"},
    {"fill=\"rgb(0,0,0)\"", "fill=\"currentColor\""},
    {"fill=\"black\"", "fill=\"currentColor\""},
    {"stroke=\"black\"", "stroke=\"currentColor\""},
    {"gpPt", "\1p"},
    {"gpDot", "\1d"},
    {"\"gnuplot_canvas\"", "\"\1canvas\""},
    {"'textbox'", "'\1t'"},
    {"'greybox'", "'\1g'"},
    {"gradient_", "\1r"},
    {" id=\"weft_plot_", " data-plot=\""},
    {"font-family=\"sans-serif\" ", ""},
};

void weft_html_text(FILE *out, const char *text)
{
    static const struct {
        char c;
        const char *as;
    } marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    while (*text) {
        const unsigned char *s = (const unsigned char *)text;
        const size_t n = *s < 0x80 ? 1 : *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;
        size_t k = 1;
        const char *as = NULL;
        while (k < n && (s[k] & 0xc0) == 0x80)
            k++;
        if (k < n || (*s < 0x20 && *s != '\n') || *s == 0x7f || (*s >= 0x80 && *s < 0xc2) ||
            *s > 0xf4)
            as = "\xef\xbf\xbd";
        for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
            if (*text == marks[i].c)
                as = marks[i].as;
        if (as)
            fputs(as, out);
        else
            fwrite(text, 1, n, out);
        text += as && k < n ? 1 : n;
    }
}

void weft_svg_style(FILE *out)
{
    fputs(".weft-figure{color:#1a1a1a;font-family:sans-serif}\n"
          "@media screen and (prefers-color-scheme:dark){\n"
          ".weft-figure{color:#e4e4e4}\n",
          out);
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        fprintf(out,
                ".weft-figure [stroke='%s']{stroke:%s}.weft-figure [fill='%s']{fill:%s}"
                ".weft-figure [color='%s']{color:%s}\n",
                colours[i].light, colours[i].dark, colours[i].light, colours[i].dark,
                colours[i].light, colours[i].dark);
    fputs("}\n", out);
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The end of an empty group at @p at: `<g ...>` and `</g>` with nothing between; NULL: it is none.
 */
static const char *empty_group(const char *at)
{
    if (!starts(at, "<g "))
        return NULL;
    const char *end = strchr(at, '>');
    if (!end)
        return NULL;
    end++;
    end += strspn(end, " \t\n");
    if (!starts(end, "</g>"))
        return NULL;
    end += 4;
    return end + strspn(end, " \t\n");
}

/* Writes what stands for the text at @p at; returns how much of it that was, 0: nothing does. */
static size_t replace(const char *at, const char *id, FILE *out)
{
    for (size_t i = 0; i < sizeof replacements / sizeof replacements[0]; i++) {
        if (!starts(at, replacements[i].from))
            continue;
        for (const char *p = replacements[i].to; *p; p++)
            if (*p == '\1')
                fputs(id, out);
            else
                fputc(*p, out);
        return strlen(replacements[i].from);
    }
    return 0;
}

/* The length of an element with text that begins at @p at: `<title>...</title>` and white space
 * behind it. */
static size_t element(const char *at, const char *open, const char *close)
{
    const char *end = starts(at, open) ? strstr(at, close) : NULL;
    if (!end)
        return 0;
    end += strlen(close);
    return (size_t)(end - at) + strspn(end, " \t\n");
}

static void write_body(const char *at, const char *id, FILE *out)
{
    while (*at) {
        const char *behind;
        size_t n = element(at, "<title>", "</title>");
        n = n ? n : element(at, "<desc>", "</desc>");
        if (!n && (behind = empty_group(at)))
            n = (size_t)(behind - at);
        if (!n)
            n = replace(at, id, out);
        if (!n) {
            fputc(*at, out);
            n = 1;
        }
        at += n;
    }
}

void weft_svg_write(const char *svg, const struct weft_figure *f, const char *id,
                    enum weft_svg_use use, FILE *out)
{
    const char *head = strstr(svg, "<svg"), *body = head ? strchr(head, '>') : NULL;
    if (!body) {
        fputs(svg, out);
        return;
    }
    if (use == WEFT_SVG_FILE)
        fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", out);
    fputs("<svg class=\"weft-figure\" role=\"img\"", out);
    fwrite(head + 4, 1, (size_t)(body - head - 4), out);
    fputs(">\n<title>", out);
    weft_html_text(out, f->title);
    fputs("</title>\n<desc>", out);
    weft_html_text(out, f->caption);
    fputs("</desc>\n", out);
    if (use == WEFT_SVG_FILE) {
        fputs("<style>\n.weft-figure{background:#fff}\n"
              "@media screen and (prefers-color-scheme:dark){.weft-figure{background:#16181c}}\n",
              out);
        weft_svg_style(out);
        fputs("</style>\n", out);
    }
    write_body(body + 1, id, out);
}
