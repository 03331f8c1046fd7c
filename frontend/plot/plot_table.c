/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of figures, from plots.def. */
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WEFT_PLOT(x) extern const struct weft_plot weft_plot_##x;
#include "plot/plots.def"
#undef WEFT_PLOT

static const struct weft_plot *const plots[] = {
#define WEFT_PLOT(x) &weft_plot_##x,
#include "plot/plots.def"
#undef WEFT_PLOT
};
enum { PLOTS = sizeof plots / sizeof plots[0] };

const struct weft_plot *const *weft_plots(size_t *n)
{
    *n = PLOTS;
    return plots;
}

static const char *plot_table_name_of(size_t i)
{
    return plots[i]->name;
}

const struct weft_plot *weft_plot_find(const char *name, struct weft_err *err)
{
    const size_t i = weft_find_named(name, plot_table_name_of, PLOTS, "figure", err);
    if (i == PLOTS) {
        err->code = WEFT_E_USAGE;
        return NULL;
    }
    return plots[i];
}

struct weft_figure *weft_plot_derive(const struct weft_plot *p, const struct weft_runs *runs,
                                     int *code, struct weft_err *err)
{
    struct weft_figure *f = weft_figure_new();
    *code = !f ? weft_err_no_memory(err, "a figure")
            : runs->n || p == &weft_plot_sweep
                ? p->derive(runs, f, err)
                : weft_plot_nothing(err, "%s: no run of the sweep has a folder", runs->sweep);
    if (!*code)
        *code = weft_figure_check(f, err);
    if (!*code)
        return f;
    weft_figure_free(f);
    return NULL;
}

double weft_percentile(const double *sorted, size_t n, unsigned p)
{
    const size_t rank = n / 100 * p + (n % 100 * p + 99) / 100;
    return sorted[rank ? rank - 1 : 0];
}

size_t weft_bins_touched(const struct weft_bins *b, double begin, double end, size_t *last)
{
    const double most = (double)b->n - 1,
                 first = fmin(fmax(floor((begin - b->from) / b->width), 0), most),
                 until = fmin(floor((end - b->from) / b->width), most);
    *last = until >= 0 ? (size_t)until : 0;
    return until >= first ? (size_t)first : *last + 1;
}

double weft_bins_part(const struct weft_bins *b, size_t bin, double begin, double end)
{
    const double from = b->from + (double)bin * b->width;
    return fmax(fmin(from + b->width, end) - fmax(from, begin), 0);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int weft_compare_names(const char *a, const char *b)
{
    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            char *after_a, *after_b;
            const unsigned long x = strtoul(a, &after_a, 10), y = strtoul(b, &after_b, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a = after_a;
            b = after_b;
        } else if (*a++ != *b++) {
            return (unsigned char)a[-1] < (unsigned char)b[-1] ? -1 : 1;
        }
    }
    return *a ? 1 : *b ? -1 : 0;
}
