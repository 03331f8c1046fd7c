/* SPDX-License-Identifier: GPL-2.0-only */
/* weft traffic: a flow list from a distribution of flow sizes. */
#include "base/file.h"
#include "base/units.h"
#include "command/command.h"
#include "workload/traffic/cdf_table.h"
#include "workload/traffic/poisson.h"

#include <stddef.h>
#include <stdlib.h>

struct traffic_opts {
    const char *cdf, *load, *hosts, *rate, *duration, *start, *seed, *output;
};

#define WEFT_OPTS struct traffic_opts
static const struct weft_opt options[] = {
    WEFT_TEXT("cdf", 'c', cdf, "FILE",
              "flow sizes: lines 'size percent'; or websearch, hadoop, alistorage, googlerpc"),
    WEFT_TEXT("load", 'l', load, "RATIO", "share of its link that each host offers on average"),
    WEFT_TEXT("hosts", 'n', hosts, "N", "hosts 0 to N-1 send and receive"),
    WEFT_TEXT("rate", 'b', rate, "RATE", "rate of a host's link"),
    WEFT_TEXT("duration", 't', duration, "TIME", "flows start during this time"),
    WEFT_TEXT("start", 0, start, "TIME", "when that time begins; default 2s"),
    WEFT_TEXT("seed", 0, seed, "N", "seed of the random streams; default 1"),
    WEFT_TEXT("output", 'o', output, "FILE", "write there; default: standard output"),
};
#undef FIELD

static int need(const char *value, const char *name, struct weft_err *err)
{
    return value ? 0 : weft_err_set(err, WEFT_E_USAGE, "--%s must be given", name);
}

/* Says which option a bad value belongs to; it is the command line that is wrong. */
static int name_option(int code, const char *name, struct weft_err *err)
{
    if (code)
        weft_err_prepend(err, "--%s", name);
    return code;
}

static int traffic_parse(const struct traffic_opts *o, struct weft_traffic_config *c,
                         struct weft_err *err)
{
    uint64_t hosts;
    if (need(o->cdf, "cdf", err) || need(o->load, "load", err) || need(o->hosts, "hosts", err) ||
        need(o->rate, "rate", err) || need(o->duration, "duration", err))
        return err->code;
    c->seed = 1;
    c->start_ps = 2 * WEFT_PS_PER_S;
    if (name_option(weft_parse_f64(o->load, &c->load, err), "load", err) ||
        name_option(weft_parse_u64(o->hosts, &hosts, err), "hosts", err) ||
        name_option(weft_parse_rate_bps(o->rate, &c->rate_bps, err), "rate", err) ||
        name_option(weft_parse_time_ps(o->duration, &c->duration_ps, err), "duration", err) ||
        (o->start && name_option(weft_parse_time_ps(o->start, &c->start_ps, err), "start", err)) ||
        (o->seed && name_option(weft_parse_u64(o->seed, &c->seed, err), "seed", err)))
        return err->code;
    if (hosts > UINT32_MAX - 1)
        return weft_err_set(err, WEFT_E_INPUT, "--hosts: at most %u", UINT32_MAX - 1);
    c->hosts = (uint32_t)hosts;
    return 0;
}

/* Puts the list into the file in one step. */
static int write_file(const char *path, const struct weft_traffic *t, struct weft_err *err)
{
    struct weft_memfile text;
    if (weft_memfile_open(&text, "a flow list", err))
        return err->code;
    weft_traffic_write(t, text.f);
    return weft_memfile_write(&text, "a flow list", path, 0, err);
}

static int traffic_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                       struct weft_err *err)
{
    const struct traffic_opts *o = (const struct traffic_opts *)opts;
    struct weft_traffic_config c = {0};
    char size[WEFT_UNIT_TEXT_MAX];
    if (nargs)
        return weft_err_set(err, WEFT_E_USAGE, "'%s' is not an option", args[0]);
    if (traffic_parse(o, &c, err))
        return err->code;
    struct weft_cdf *cdf = weft_cdf_open(o->cdf, err);
    if (!cdf)
        return err->code;
    c.cdf = cdf;
    if (c.load > 1)
        weft_log(cli->log, WEFT_LOG_WARNING,
                 "--load %s is %.4g %% of what a host's link carries: queues and completion times "
                 "grow as long as the flows last; 50 %% is 0.5 or 50%%",
                 o->load, 100 * c.load);
    struct weft_traffic *t = weft_traffic_new(&c, err);
    int code = t ? 0 : err->code;
    if (!code && o->output)
        code = write_file(o->output, t, err);
    else if (!code)
        weft_traffic_write(t, cli->out);
    if (!code) {
        double capacity_bytes = (double)c.rate_bps / 8 * (double)c.duration_ps /
                                (double)WEFT_PS_PER_S * (double)c.hosts;
        weft_log(cli->log, WEFT_LOG_INFO, "%zu flows, mean size %s, load %.4f", t->n,
                 weft_human_size(t->n ? t->bytes / t->n : 0, size),
                 (double)t->bytes / capacity_bytes);
    }
    weft_traffic_free(t);
    weft_cdf_free(cdf);
    return code;
}

const struct weft_command weft_command_traffic = {
    .name = "traffic",
    .summary = "Generate Poisson traffic with flow sizes from a distribution",
    .usage = "--cdf FILE --load RATIO --hosts N --rate RATE --duration TIME [-o flow.txt]",
    .example = "weft traffic --cdf WebSearch_distribution.txt --load 0.5 --hosts 320 "
               "--rate 100Gbps --duration 10ms -o flow.txt",
    .details = "Writes HPCC's flow.txt, for 'weft hpcc'. Each host starts flows at exponential "
               "intervals to uniformly chosen others.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = traffic_run,
};
