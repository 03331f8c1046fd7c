/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload `cdf`: flows with sizes from a distribution, at a load. */
#include "base/units.h"
#include "workload/traffic/cdf_source.h"
#include "workload/traffic/cdf_table.h"
#include "workload/traffic/rows.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <stddef.h>

/** Parameters. */
struct params {
    uint64_t ranks;
    const char *sizes, *sizes_file;
    double load;
    int load_on; /* enum */
    int arrivals, pattern;
    double sigma, hot_share;
    uint64_t hot_ranks;
    int64_t duration_ps;
    uint64_t seed;
};
enum { ON_ACCESS, ON_CORE };

static const struct weft_param table[] = {
    WEFT_ROW_RANKS(struct params, ranks, "hosts that send and receive; 0: all that there are"),
    {WEFT_ROW_STRING(struct params, sizes, "sizes", "websearch"),
     .help = "distribution of flow sizes: websearch, hadoop, alistorage, googlerpc",
     .needs = "sizes-file="},
    {WEFT_ROW_STRING(struct params, sizes_file, "sizes-file", ""),
     .help = "file with another one: lines 'size percent'"},
    {WEFT_ROW_F64(struct params, load, "load", "0.5", "1e-6", "100"),
     .help = "payload offered, as a share of the rate of the links that load-on names",
     .source = "HPCC's traffic generator: mean interval = mean size / (load x rate)"},
    {WEFT_ROW_ENUM(struct params, load_on, "load-on", "access", "access|core"),
     .help = "access: each host's own links; core: the links from the hosts' switches to others"},
    {WEFT_ROW_ENUM(struct params, arrivals, "arrivals", "poisson", "poisson|log-normal"),
     .help = "how far apart the flows of a host begin"},
    {WEFT_ROW_F64(struct params, sigma, "sigma", "2", "0.01", "5"),
     .help = "of log-normal: standard deviation of the logarithm of the interval",
     .needs = "arrivals=log-normal"},
    {WEFT_ROW_ENUM(struct params, pattern, "pattern", "all-to-all",
                   "all-to-all|permutation|hot-spot"),
     .help = "destinations of a host: any other, one other each, or often the first few"},
    {WEFT_ROW_U64(struct params, hot_ranks, "hot-ranks", "1", "1", "1048575"),
     .help = "of hot-spot: so many of the first ranks", .needs = "pattern=hot-spot"},
    {WEFT_ROW_F64(struct params, hot_share, "hot-share", "0.2", "0", "1"),
     .help = "of hot-spot: share of the flows that go to them, beside those that go to any",
     .needs = "pattern=hot-spot"},
    WEFT_ROW_DURATION(struct params, duration_ps,
                      "flows begin during that time; 0: as long as the run needs them"),
    WEFT_ROW_SEED(struct params, seed, "flows"),
};

static int ranks(const void *params, uint32_t room, uint32_t *n, struct weft_err *err)
{
    const struct params *p = (const struct params *)params;
    if (weft_workload_ranks("cdf", p->ranks, room, n, err))
        return err->code;
    if (*n < 2)
        return weft_err_set(err, WEFT_E_INPUT, "traffic needs at least 2 hosts, got %u", *n);
    if (p->pattern == WEFT_TRAFFIC_HOT_SPOT && p->hot_ranks >= *n)
        return weft_err_set(err, WEFT_E_INPUT, "hot-ranks is %" PRIu64 ", but there are %u ranks",
                            p->hot_ranks, *n);
    return 0;
}

/* Bytes per second that each rank sends so that the core carries the load; 0: nothing crosses it.
 */
static double core_rate(const struct params *p, const struct weft_flow_site *site,
                        const struct weft_flow_source *s)
{
    double crossing = 0;
    for (uint32_t r = 0; r < site->nranks; r++)
        crossing += weft_cdf_source_crossing(s, r, site->access_node);
    return crossing > 0 ? p->load * (double)site->core_bps / 8 / crossing : 0;
}

static int flows(const void *params, const struct weft_flow_site *site,
                 struct weft_flow_source **out, struct weft_err *err)
{
    const struct params *p = (const struct params *)params;
    struct weft_cdf_traffic c = {.nranks = site->nranks,
                                 .arrivals = p->arrivals,
                                 .sigma = p->sigma,
                                 .pattern = p->pattern,
                                 .hot_ranks = (uint32_t)p->hot_ranks,
                                 .hot_share = p->hot_share,
                                 .duration_ps = p->duration_ps,
                                 .seed = site->seed + p->seed - 1};
    struct weft_cdf *cdf =
        p->sizes_file[0] ? weft_cdf_read(p->sizes_file, err) : weft_cdf_named(p->sizes, err);
    if (!cdf)
        return err->code;
    const double mean = weft_cdf_mean_bytes(cdf);
    c.cdf = cdf;
    *out = weft_cdf_source_new(&c, NULL, err);
    weft_cdf_free(cdf);
    if (!*out)
        return err->code;
    const double core = p->load_on == ON_CORE ? core_rate(p, site, *out) : 0;
    if (p->load_on == ON_CORE && core <= 0) {
        weft_flow_source_free(*out);
        *out = NULL;
        return weft_err_set(err, WEFT_E_INPUT,
                            "load-on=core, but no flow leaves its switch; nearest: load-on=access");
    }
    for (uint32_t r = 0; r < site->nranks; r++) {
        const double own = p->load_on == ON_CORE ? core : p->load * (double)site->access_bps[r] / 8;
        weft_cdf_source_set_gap(*out, r, own > 0 ? mean / own * (double)WEFT_PS_PER_S : 0);
        (*out)->offered += own;
    }
    return 0;
}

const struct weft_workload_ops weft_workload_cdf = {
    .name = "cdf",
    .title = "flows with sizes from a distribution, at a load",
    .source = "HPCC's traffic generator, and the studies that the distributions are from",
    .params = WEFT_PARAM_TABLE(table, struct params),
    .ranks = ranks,
    .flows = flows,
};
