/* SPDX-License-Identifier: GPL-2.0-only */
/* Lays out figures that have panels for each run. */
#include "plot/plot.h"

#include <math.h>

enum { RUNS_SHOWN = 12, ROWS_BESIDE = 16 };

size_t weft_plot_runs(const struct weft_runs *runs, struct weft_figure *f)
{
    const size_t n = runs->n < RUNS_SHOWN ? runs->n : RUNS_SHOWN;
    f->columns = n <= 2 ? 1 : n <= 4 ? 2 : 3;
    for (size_t i = 0; i < n && n > 1; i++)
        f->until_ns = fmax(f->until_ns, weft_run_figure(&runs->run[i], "elapsed_ns"));
    f->until_ns = fmin(f->until_ns, runs->to_ns);
    return n;
}

size_t weft_plot_rows(const struct weft_figure *f, size_t most)
{
    return f->columns > 1 && most > ROWS_BESIDE ? ROWS_BESIDE : most;
}

const char *weft_plot_left_out(const struct weft_runs *runs, struct weft_figure *f)
{
    return runs->n <= RUNS_SHOWN
               ? ""
               : weft_figure_printf(f, " The first %d of %zu runs are shown.", RUNS_SHOWN, runs->n);
}
