/* SPDX-License-Identifier: GPL-2.0-only */
/* How busy the links of each tier are over time, those together that were sampled. */
#include "plot/plot.h"

#include "base/grow.h"

#include <math.h>
#include <stdlib.h>

enum { TIERS = 3, POINTS_MAX = 1000, PORTS_MAX = 1 << 24 };
static const char *const tiers[TIERS] = {"from hosts", "between switches", "to hosts"};

/* A direction of a link. */
struct tier_link {
    double bps;
    uint8_t tier;
    bool used, sampled; /* in the run; it has a sample (idle ones have none) */
};

struct tier_load {
    double *t_ns, *bps[TIERS]; /* of each sample */
    size_t n, cap;
    struct tier_link *links; /* by number of the port; bps 0: none */
    size_t nlinks, links_cap;
    double capacity[TIERS]; /* of the links that were sampled */
    size_t of[TIERS], sampled[TIERS];
};

static size_t tier_load_tier(const char *from, const char *to)
{
    return *from == 'h' ? 0 : *to == 'h' ? 2 : 1;
}

static int add_moment(struct tier_load *x, double t_ns, struct weft_err *err)
{
    if (x->n && x->t_ns[x->n - 1] == t_ns)
        return 0;
    size_t cap = x->cap;
    for (size_t k = 0; k < TIERS; k++, cap = x->cap)
        if (!WEFT_GROW(x->bps[k], x->n, &cap))
            return weft_err_no_memory(err, "the load of tiers");
    if (!WEFT_GROW(x->t_ns, x->n, &x->cap))
        return weft_err_no_memory(err, "the load of tiers");
    x->t_ns[x->n] = t_ns;
    for (size_t k = 0; k < TIERS; k++)
        x->bps[k][x->n] = 0;
    x->n++;
    return 0;
}

static int throughput_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct tier_load *x = (struct tier_load *)ctx;
    double t_ns, bps, port;
    if (weft_row_number(row, 0, &t_ns, err) || weft_row_number(row, 1, &port, err) ||
        weft_row_number(row, 2, &bps, err) || add_moment(x, t_ns, err))
        return err->code;
    if (!(port >= 0 && port < (double)x->nlinks))
        return 0;
    struct tier_link *l = &x->links[(size_t)port];
    l->sampled = true;
    x->bps[l->tier][x->n - 1] += bps;
    return 0;
}

static int link_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct tier_load *x = (struct tier_load *)ctx;
    double port, bps, bytes;
    if (weft_row_number(row, 0, &port, err) || weft_row_number(row, 3, &bps, err) ||
        weft_row_number(row, 4, &bytes, err))
        return err->code;
    if (!(port >= 0 && port < PORTS_MAX))
        return 0;
    const size_t i = (size_t)port;
    if (!WEFT_GROW_ZEROED(x->links, i + 1, &x->links_cap))
        return weft_err_no_memory(err, "the load of tiers");
    x->links[i] = (struct tier_link){
        .bps = bps,
        .tier = (uint8_t)tier_load_tier(weft_row_text(row, 1), weft_row_text(row, 2)),
        .used = bytes > 0};
    if (i >= x->nlinks)
        x->nlinks = i + 1;
    return 0;
}

/* Adds up the links that were sampled. Those that carried nothing have no sample: they count where
 * all others of their tier have some. */
static void count_links(struct tier_load *x)
{
    bool all[TIERS] = {true, true, true};
    for (size_t i = 0; i < x->nlinks; i++)
        if (x->links[i].used && !x->links[i].sampled)
            all[x->links[i].tier] = false;
    for (size_t i = 0; i < x->nlinks; i++) {
        const struct tier_link *l = &x->links[i];
        if (!(l->bps > 0))
            continue;
        x->of[l->tier]++;
        if (!l->sampled && !all[l->tier])
            continue;
        x->sampled[l->tier]++;
        x->capacity[l->tier] += l->bps;
    }
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
    static const char *const series[] = {"t_ns", "port", "throughput_bps", NULL},
                             *const links[] = {"port", "from", "to", "rate_bps", "tx_bytes", NULL};
    *x = (struct tier_load){0};
    if (weft_run_rows(run, "links.csv", links, link_row, x, err) < 0 ||
        weft_run_rows(run, "series/throughput.csv", series, throughput_row, x, err) < 0)
        return err->code;
    count_links(x);
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
            const char *name = runs->n > 1 ? runs->run[i].label : tiers[k];
            if (x.sampled[k] < x.of[k])
                name = weft_figure_printf(f, "%s (%zu of %zu links)", name, x.sampled[k], x.of[k]);
            draw_tier(&x, k,
                      weft_curve_add(panels[at], WEFT_MARK_LINE, (int)(runs->n > 1 ? i : k), name),
                      u.divisor);
        }
        free(x.t_ns);
        free(x.links);
        for (size_t k = 0; k < TIERS; k++)
            free(x.bps[k]);
        if (rc < 0)
            return rc;
    }
    f->title = "Load of each tier over time";
    f->caption = "Bytes on the wire of all sampled links of a tier between samples, by what these "
                 "links carry together: from hosts to switches, between switches, and to hosts.";
    return f->panels ? 0
                     : weft_plot_nothing(err,
                                         "%s has no throughput of links: run with --set "
                                         "sample.what=throughput",
                                         runs->run[0].dir);
}

const struct weft_plot weft_plot_tier_load = {"tier-load", "load of each tier of links over time",
                                              "series/throughput.csv, links.csv", tier_load_derive};
