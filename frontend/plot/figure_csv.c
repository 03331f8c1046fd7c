/* SPDX-License-Identifier: GPL-2.0-only */
/* A figure as a table. */
#include "plot/script.h"

#include <math.h>
#include <string.h>

void weft_figure_csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_point(FILE *out, const struct weft_panel *p, const struct weft_curve *c, size_t i)
{
    static const char *const columns[] = {"x", "y", "x_to", "y_to", "value"};
    const size_t n = weft_mark_columns(c->mark);
    weft_figure_csv_text(out, p->title);
    fputc(',', out);
    weft_figure_csv_text(out, c->label);
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        fputc(',', out);
        for (size_t m = 0; m < n; m++)
            if (strcmp(weft_mark_column(c->mark, m), columns[k]) == 0 && isfinite(c->v[i * n + m]))
                fprintf(out, "%.10g", c->v[i * n + m]);
    }
    fputc(',', out);
    if (c->text[i])
        weft_figure_csv_text(out, c->text[i]);
    fputc('\n', out);
}

void weft_figure_csv(const struct weft_figure *f, FILE *out)
{
    fputs("panel,curve,x,y,x_to,y_to,value,text\n", out);
    for (const struct weft_panel *p = f->panels; p; p = p->next)
        for (const struct weft_curve *c = p->curves; c; c = c->next)
            for (size_t i = 0; i < c->n; i++)
                put_point(out, p, c, i);
}
