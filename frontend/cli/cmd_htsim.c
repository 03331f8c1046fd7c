/* SPDX-License-Identifier: GPL-2.0-only */
/* weft htsim: runs an experiment of htsim_uec from its options and files. */
#include "foreign/htsim/flows.h"
#include "foreign/htsim/settings.h"
#include "foreign/run_output.h"
#include "run/execute.h"
#include "run/interrupt.h"
#include "run/source.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct htsim_opts {
    struct weft_source_opts source;
    struct weft_strings ecn;
    const char *tm, *topo, *nodes, *tiers, *planes, *linkspeed, *mtu, *hop_latency, *switch_latency,
        *paths, *end, *target, *qa_gate, *factor, *q, *cwnd, *trimsize, *failed, *sack;
    const char *idle; /* of options without effect */
    struct weft_foreign_opts run;
    int balance, control, queue_type, host_queue_type, strategy; /* enums */
    bool sender_only, receiver_only, sender, receiver, disable_trim, own_rtt, no_nack_rtt,
        idle_flag, no_oversubscribed;
};

#define IDLE_TEXT(name, help) WEFT_TEXT(name, 0, idle, "X", "has no effect: " help)
#define IDLE_FLAG(name, help) WEFT_FLAG(name, 0, idle_flag, "has no effect: " help)

#define WEFT_OPTS struct htsim_opts
static const struct weft_opt options[] = {
    WEFT_TEXT("tm", 0, tm, "FILE", "connection matrix"),
    WEFT_TEXT("topo", 0, topo, "FILE", "fat tree; default one of so many -nodes"),
    WEFT_TEXT("nodes", 0, nodes, "N", "hosts; default what the matrix says"),
    WEFT_TEXT("tiers", 0, tiers, "N", "levels of switches, 2 or 3; default 3"),
    WEFT_TEXT("planes", 0, planes, "N", "1"),
    WEFT_TEXT("linkspeed", 0, linkspeed, "MBPS", "rate of every link, Mbps; default 100000"),
    WEFT_TEXT("hop_latency", 0, hop_latency, "US", "delay of every link, us; default 1"),
    WEFT_TEXT("switch_latency", 0, switch_latency, "US", "time in each switch, us; default 0"),
    WEFT_TEXT("mtu", 0, mtu, "B", "packet with its 64 bytes of header; default 4150"),
    WEFT_TEXT("q", 0, q, "PACKETS", "queue of each port; default 1 BDP, 5 without trimming"),
    WEFT_TEXT("queue_size_bdp_factor", 0, factor, "N", "the same in BDPs"),
    WEFT_LIST("ecn", 0, ecn, "LOW HIGH", "marking thresholds, packets; default 0.2 and 0.8 BDP"),
    WEFT_FLAG("disable_trim", 0, disable_trim, "packets that find no room are dropped"),
    WEFT_TEXT("trimsize", 0, trimsize, "B", "size of a trimmed packet; default 64"),
    WEFT_TEXT("sack_threshold", 0, sack, "B",
              "received per ACK; default 16384, 0: an ACK per packet"),
    WEFT_TEXT("paths", 0, paths, "N", "entropy values of a flow, a power of two; default 64"),
    WEFT_CHOICE("load_balancing_algo", 0, balance, WEFT_HTSIM_BALANCES, "how they are chosen"),
    WEFT_CHOICE("strat", 0, strategy, "ecmp_host", "switches hash them"),
    WEFT_FLAG("sender_cc_only", 0, sender_only, "NSCC, which is the default"),
    WEFT_FLAG("receiver_cc_only", 0, receiver_only, "RCCC: receivers grant credit"),
    WEFT_FLAG("sender_cc", 0, sender, "NSCC, also with -receiver_cc"),
    WEFT_FLAG("receiver_cc", 0, receiver, "credit in addition"),
    WEFT_CHOICE("sender_cc_algo", 0, control, WEFT_HTSIM_CONTROLS, "control of senders"),
    WEFT_TEXT("cwnd", 0, cwnd, "PACKETS", "first window; default 1.5 BDP"),
    WEFT_TEXT("target_q_delay", 0, target, "US",
              "target queueing delay, us; default 0.75 RTT, or 1 RTT"),
    WEFT_TEXT("qa_gate", 0, qa_gate, "N",
              "quick adapt below 2^-N of the largest window; default 3"),
    WEFT_FLAG("enable_accurate_base_rtt", 0, own_rtt,
              "base RTT of each pair, not of the longest path"),
    WEFT_TEXT("failed", 0, failed, "N", "so many links at a quarter of their rate"),
    WEFT_TEXT("end", 0, end, "US", "end of the run, us; default 1000"),
    IDLE_FLAG("conn_reuse", "messages of an id share a connection"),
    WEFT_FLAG("force_disable_oversubscribed_cc", 0, no_oversubscribed,
              "receivers heed no marks where the tree is oversubscribed"),
    WEFT_FLAG("disable_base_rtt_update_on_nack", 0, no_nack_rtt, "NACKs do not lower the base RTT"),
    IDLE_FLAG("debug", "see weft run --help"),
    IDLE_TEXT("o", "see --out"),
    IDLE_TEXT("log", "see --set sample.what"),
    IDLE_TEXT("logtime", "see --set sample.interval"),
    IDLE_TEXT("logtime_us", "see --set sample.interval"),
    WEFT_CHOICE("queue_type", 0, queue_type, "composite", "queues of switches"),
    WEFT_CHOICE("host_queue_type", 0, host_queue_type, "fair_prio", "queues of hosts"),
    WEFT_SOURCE_OPTS,
    WEFT_FOREIGN_OPTS("matrix", 0, 0),
};

static const struct weft_foreign_opt foreign[] = {
    {"-sleek|--sleek", "SLEEK is not in weft; --set transport.reorder-packets=N finds losses "
                       "by what overtook them"},
    {"-pcie|--pcie", "receivers take packets at the rate of their link"},
    {"-oversubscribed_cc|--oversubscribed_cc|-recv_oversub_cc|--recv_oversub_cc|-Ai|--Ai|-Md|--Md|"
     "-alpha|--alpha",
     "where the tree is oversubscribed and senders control nothing, receivers do so unasked; "
     "--set rccc.core-increase, core-decrease and core-weight are its constants"},
    {"-ar_method|--ar_method|-ar_granularity|--ar_granularity|-ar_sticky_delta|--ar_sticky_delta",
     "--set switch.balance=adaptive has switches choose the shortest queue"},
};

/* An experiment while it is read. */
struct experiment {
    const struct weft_cli *cli;
    const struct htsim_opts *o;
    struct weft_settings sets;
    struct weft_htsim_options of;
    struct weft_scenario *s;
};

static void htsim_note(const struct experiment *x, const char *text)
{
    if (!x->o->run.quiet)
        weft_log(x->cli->log, WEFT_LOG_INFO, "%s", text);
}

/* An option that is a number. */
struct number {
    const char *name, *text;
    double def, min, max;
    bool whole;
    double *to;
    uint64_t *count; /* in place of to */
};

static int read_number(const struct number *n, struct weft_err *err)
{
    char *end = NULL;
    const double v = n->text ? strtod(n->text, &end) : n->def;
    if (n->text &&
        (end == n->text || *end || !(v >= n->min && v <= n->max) || (n->whole && v != floor(v))))
        return weft_err_set(err, WEFT_E_USAGE, "-%s %s: must be a %s from %.10g to %.10g", n->name,
                            n->text, n->whole ? "whole number" : "number", n->min, n->max);
    if (n->count)
        *n->count = (uint64_t)v;
    else
        *n->to = v;
    return 0;
}

static int read_numbers(struct experiment *x, struct weft_err *err)
{
    static const char *const words[] = {"mixed", "bitmap", "reps", "oblivious"};
    const struct htsim_opts *o = x->o;
    struct weft_htsim_options *of = &x->of;
    double gate;
    uint64_t planes;
    const struct number all[] = {
        {"nodes", o->nodes, 0, 1, 1 << 24, true, NULL, &of->nodes},
        {"tiers", o->tiers, 3, 2, 3, true, NULL, &of->tiers},
        {"planes", o->planes, 1, 1, 1, true, NULL, &planes},
        {"linkspeed", o->linkspeed, 100000, 1, 1e7, false, &of->link_mbps, NULL},
        {"hop_latency", o->hop_latency, 1, 0, 1e6, false, &of->hop_us, NULL},
        {"switch_latency", o->switch_latency, 0, 0, 1e6, false, &of->switch_us, NULL},
        {"mtu", o->mtu, 4150, 320, 9280, true, NULL, &of->packet_bytes},
        {"paths", o->paths, 64, 1, 65536, true, NULL, &of->paths},
        {"end", o->end, 1000, 1, 1e9, false, &of->end_us, NULL},
        {"target_q_delay", o->target, 0, 0, 1e6, false, &of->target_us, NULL},
        {"qa_gate", o->qa_gate, -1, -1, 30, true, &gate, NULL},
        {"queue_size_bdp_factor", o->factor, 0, 1, 1e4, true, NULL, &of->queue_factor},
        {"q", o->q, 0, 1, 1e5, true, NULL, &of->queue_packets},
        {"cwnd", o->cwnd, 0, 0, 1e6, true, NULL, &of->window_packets},
        {"trimsize", o->trimsize, 64, 64, 512, true, NULL, &of->trim_bytes},
        {"sack_threshold", o->sack, 16384, 0, 65535, true, NULL, &of->ack_bytes},
        {"failed", o->failed, 0, 0, 1e6, true, NULL, &of->failed},
        {"ecn", o->ecn.n > 0 ? o->ecn.list[0] : NULL, 0, 0, 1e5, true, NULL, &of->ecn_low_packets},
        {"ecn", o->ecn.n > 1 ? o->ecn.list[1] : NULL, 0, 1, 1e5, true, NULL, &of->ecn_high_packets},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (read_number(&all[i], err))
            return err->code;
    if (o->ecn.n != 0 && o->ecn.n != 2)
        return weft_err_set(err, WEFT_E_USAGE, "-ecn takes two thresholds, LOW HIGH in packets");
    of->qa_gate = (int64_t)gate;
    of->balance = words[o->balance];
    return 0;
}

/* Whose congestion control there is. */
static int read_control(struct experiment *x, struct weft_err *err)
{
    const struct htsim_opts *o = x->o;
    if (o->sender_only && o->receiver_only)
        return weft_err_set(err, WEFT_E_USAGE,
                            "-sender_cc_only and -receiver_cc_only exclude each other; -sender_cc "
                            "-receiver_cc has both");
    x->of.sender = !o->receiver_only || o->sender;
    x->of.receiver = o->receiver_only || o->receiver;
    x->of.control = (enum weft_htsim_control)o->control;
    if (o->control != WEFT_HTSIM_NSCC && x->of.receiver)
        return weft_err_set(err, WEFT_E_USAGE,
                            "of the windows of senders, nscc alone goes with credit at once");
    if (o->control != WEFT_HTSIM_NSCC && (o->target || o->qa_gate))
        htsim_note(x, "-target_q_delay and -qa_gate have no effect: they are of nscc");
    if (!x->of.sender && o->cwnd)
        htsim_note(x,
                   "-cwnd has no effect with -receiver_cc_only: the first credit is 1.5 BDP, as in "
                   "htsim");
    return 0;
}

static int read_options(struct experiment *x, struct weft_err *err)
{
    const struct htsim_opts *o = x->o;
    uint64_t output_lines = 0;
    int code = read_numbers(x, err);
    if (!code)
        code = read_control(x, err);
    if (!code)
        code = weft_htsim_nodes(o->tm, &output_lines, err);
    if (!code && x->of.nodes && x->of.nodes != output_lines)
        code = weft_err_set(err, WEFT_E_INPUT, "-nodes is %" PRIu64 ", but %s is of %" PRIu64,
                            x->of.nodes, o->tm, output_lines);
    x->of.nodes = output_lines;
    x->of.matrix = o->tm;
    x->of.topology = o->topo;
    x->of.seed = 13; /* as there */
    x->of.trims = !o->disable_trim;
    x->of.own_base_rtt = o->own_rtt;
    x->of.no_nack_rtt = o->no_nack_rtt;
    x->of.core_control = !o->no_oversubscribed;
    if (!code)
        code = weft_htsim_settings(&x->of, &x->sets, err);
    return code;
}

static void print_flows(FILE *f, const void *flows)
{
    weft_htsim_flows_text(f, (const struct weft_htsim_flows *)flows);
}

static int htsim_play(struct experiment *x, struct weft_err *err)
{
    struct weft_htsim_flows flows;
    struct weft_foreign_run r = {.command = "htsim",
                                 .opts = &x->o->run,
                                 .how = {.files = &flows.files},
                                 .beside = ", as htsim says it in " WEFT_HTSIM_FLOWS_FILE,
                                 .more = print_flows,
                                 .ctx = &flows};
    weft_htsim_flows_init(&flows);
    return weft_foreign_play(x->cli, x->s, &r, err);
}

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    struct experiment x = {.cli = cli, .o = (const struct htsim_opts *)opts};
    char name[WEFT_PATH_MAX];
    if (!nargs && !x.o->tm)
        return weft_err_set(err, WEFT_E_USAGE, "-tm (connection matrix) must be given");
    if (weft_foreign_check(&x.o->run, args, nargs, err))
        return err->code;
    x.sets.arena = weft_arena_new();
    int code = x.sets.arena ? read_options(&x, err) : weft_err_no_memory(err, "an experiment");
    if (!code)
        code = weft_source_resolve(cli, &x.o->source, x.sets.list, x.sets.n,
                                   weft_path_stem(name, x.o->tm), &x.s, err);
    if (!code)
        code = htsim_play(&x, err);
    weft_scenario_free(x.s);
    weft_settings_free(&x.sets);
    weft_arena_free(x.sets.arena);
    return code;
}

const struct weft_command weft_command_htsim = {
    .name = "htsim",
    .summary = "Run an experiment of uet-htsim",
    .usage = "-tm FILE [OPTION]... [--set KEY=VALUE]...",
    .example = "weft htsim -tm incast.cm -nodes 128 -end 5000 -sender_cc_only "
               "-load_balancing_algo oblivious -seed 1",
    .details =
        "Takes the options and files of htsim_uec (ultraethernet/uet-htsim) as they are, with one "
        "dash or two,\n"
        "and its sizes, queues, thresholds and timers.\n"
        "Writes " WEFT_HTSIM_FLOWS_FILE
        ", a line of htsim's per flow that finished, beside weft's own files.\n"
        "docs/explanation/uet.md compares.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .one_dash = true,
    .foreign = foreign,
    .nforeign = sizeof foreign / sizeof foreign[0],
    .run = run,
};
