/* SPDX-License-Identifier: GPL-2.0-only */
/* How busy the links of each tier are over time, all of them together. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>

enum { TIERS = 3, POINTS_MAX = 1000 };
static const char *const tiers[TIERS] = {"from hosts", "between switches", "to hosts"};

struct tier_load {
    double *t_ns, *bps[TIERS]; /* of each sample */
    size_t n, cap;
    double capacity[TIERS];
};

static size_t tier_load_tier(const char *from, const char *to)
{
    return *from == 'h' ? 0 : *to == 'h' ? 2 : 1;
}

static int add_moment(struct tier_load *x, double t_ns, struct weft_err *err)
{
    if (x->n && x->t_ns[x->n - 1] == t_ns)
        return 0;
    if (x->n == x->cap) {
        const size_t cap = x->cap ? 2 * x->cap : 1024;
        double **lists[TIERS + 1] = {&x->t_ns, &x->bps[0], &x->bps[1], &x->bps[2]};
        for (size_t k = 0; k <= TIERS; k++) {
            double *more = realloc(*lists[k], cap * sizeof *more);
            if (!more)
                return weft_err_no_memory(err, "the load of tiers");
            *lists[k] = more;
        }
        x->cap = cap;
    }
    x->t_ns[x->n] = t_ns;
    for (size_t k = 0; k < TIERS; k++)
        x->bps[k][x->n] = 0;
    x->n++;
    return 0;
}

static int throughput_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct tier_load *x = (struct tier_load *)ctx;
    double t_ns, bps;
    if (weft_row_number(row, 0, &t_ns, err) || weft_row_number(row, 3, &bps, err) ||
        add_moment(x, t_ns, err))
        return err->code;
    x->bps[tier_load_tier(weft_row_text(row, 1), weft_row_text(row, 2))][x->n - 1] += bps;
    return 0;
}

static int capacity_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct tier_load *x = (struct tier_load *)ctx;
    double bps;
    if (weft_row_number(row, 2, &bps, err))
        return err->code;
    x->capacity[tier_load_tier(weft_row_text(row, 0), weft_row_text(row, 1))] += bps;
    return 0;
}

/* A curve of at most POINTS_MAX means. */
static void draw_tier(const struct tier_load *x, size_t tier, struct weft_curve *c, double divisor)
{
    const size_t step = 1 + x->n / POINTS_MAX;
    for (size_t i = 0; i < x->n; i += step) {
        double sum = 0;
        const size_t end = i + step < x->n ? i + step : x->n;
        for (size_t k = i; k < end; k++)
            sum += x->bps[tier][k];
        weft_curve_xy(c, x->t_ns[end - 1] / divisor,
                      100 * sum / (double)(end - i) / x->capacity[tier]);
    }
}

static int read_load(const struct weft_run *run, struct tier_load *x, struct weft_err *err)
{
    static const char *const series[] = {"t_ns", "from|node", "to|peer", "throughput_bps", NULL},
                             *const links[] = {"from", "to", "rate_bps", NULL};
    *x = (struct tier_load){0};
    if (weft_run_rows(run, "links.csv", links, capacity_row, x, err) < 0 ||
        weft_run_rows(run, "series/throughput.csv", series, throughput_row, x, err) < 0)
        return err->code;
    return 0;
}

static int tier_load_derive(const struct weft_runs *runs, struct weft_figure *f,
                            struct weft_err *err)
{
    struct weft_panel *panels[TIERS] = {NULL};
    struct weft_figure_unit u = {0};
    for (size_t i = 0; i < runs->n; i++) {
        struct tier_load x;
        const int rc = read_load(&runs->run[i], &x, err);
        if (!rc && x.n && !u.name)
            u = weft_figure_time_unit(x.t_ns[x.n - 1]);
        for (size_t k = 0; !rc && x.n && k < TIERS; k++) {
            const size_t at = runs->n > 1 ? k : 0;
            if (!(x.capacity[k] > 0))
                continue;
            if (!panels[at]) {
                panels[at] = weft_panel_add(f, runs->n > 1 ? tiers[k] : "",
                                            weft_figure_printf(f, "simulated time (%s)", u.name),
                                            "load of the tier (%)");
                panels[at]->y.from = 0;
                panels[at]->y.to = 102;
                panels[at]->height = 260;
            }
            draw_tier(&x, k,
                      weft_curve_add(panels[at], WEFT_MARK_LINE, (int)(runs->n > 1 ? i : k),
                                     runs->n > 1 ? runs->run[i].label : tiers[k]),
                      u.divisor);
        }
        free(x.t_ns);
        for (size_t k = 0; k < TIERS; k++)
            free(x.bps[k]);
        if (rc < 0)
            return rc;
    }
    f->title = "Load of each tier over time";
    f->caption = "Bytes on the wire of all links of a tier between samples, by what these links "
                 "carry together: from hosts to switches, between switches, and to hosts.";
    return f->panels ? 0
                     : weft_plot_nothing(err,
                                         "%s has no throughput of links: run with --set "
                                         "sample.what=throughput",
                                         runs->run[0].dir);
}

const struct weft_plot weft_plot_tier_load = {"tier-load", "load of each tier of links over time",
                                              "series/throughput.csv, links.csv", tier_load_derive};
