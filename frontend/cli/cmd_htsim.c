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
    const char *out;
    int balance, control, queue_type, host_queue_type, strategy; /* enums */
    bool sender_only, receiver_only, sender, receiver, disable_trim, own_rtt, no_nack_rtt,
        idle_flag, no_oversubscribed;
    bool no_out, json, quiet, show;
};

#define TEXT(name, field, arg, help)                                                               \
    {                                                                                              \
        name, 0, WEFT_OPT_TEXT, offsetof(struct htsim_opts, field), arg, NULL, help                \
    }
#define FLAG(name, field, help)                                                                    \
    {                                                                                              \
        name, 0, WEFT_OPT_FLAG, offsetof(struct htsim_opts, field), NULL, NULL, help               \
    }
#define CHOICE(name, field, words, help)                                                           \
    {                                                                                              \
        name, 0, WEFT_OPT_CHOICE, offsetof(struct htsim_opts, field), NULL, words, help            \
    }
#define IDLE_TEXT(name, help) TEXT(name, idle, "X", "has no effect: " help)
#define IDLE_FLAG(name, help) FLAG(name, idle_flag, "has no effect: " help)

static const struct weft_opt options[] = {
    TEXT("tm", tm, "FILE", "connection matrix"),
    TEXT("topo", topo, "FILE", "fat tree; default one of so many -nodes"),
    TEXT("nodes", nodes, "N", "hosts; default what the matrix says"),
    TEXT("tiers", tiers, "N", "levels of switches, 2 or 3; default 3"),
    TEXT("planes", planes, "N", "1"),
    TEXT("linkspeed", linkspeed, "MBPS", "rate of every link, Mbps; default 100000"),
    TEXT("hop_latency", hop_latency, "US", "delay of every link, us; default 1"),
    TEXT("switch_latency", switch_latency, "US", "time in each switch, us; default 0"),
    TEXT("mtu", mtu, "B", "packet with its 64 bytes of header; default 4150"),
    TEXT("q", q, "PACKETS", "queue of each port; default 1 BDP, 5 without trimming"),
    TEXT("queue_size_bdp_factor", factor, "N", "the same in BDPs"),
    {"ecn", 0, WEFT_OPT_LIST, offsetof(struct htsim_opts, ecn), "LOW HIGH", NULL,
     "marking thresholds, packets; default 0.2 and 0.8 BDP"},
    FLAG("disable_trim", disable_trim, "packets that find no room are dropped"),
    TEXT("trimsize", trimsize, "B", "size of a trimmed packet; default 64"),
    TEXT("sack_threshold", sack, "B", "received per ACK; default 16384, 0: an ACK per packet"),
    TEXT("paths", paths, "N", "entropy values of a flow, a power of two; default 64"),
    CHOICE("load_balancing_algo", balance, WEFT_HTSIM_BALANCES, "how they are chosen"),
    CHOICE("strat", strategy, "ecmp_host", "switches hash them"),
    FLAG("sender_cc_only", sender_only, "NSCC, which is the default"),
    FLAG("receiver_cc_only", receiver_only, "RCCC: receivers grant credit"),
    FLAG("sender_cc", sender, "NSCC, also with -receiver_cc"),
    FLAG("receiver_cc", receiver, "credit in addition"),
    CHOICE("sender_cc_algo", control, WEFT_HTSIM_CONTROLS, "control of senders"),
    TEXT("cwnd", cwnd, "PACKETS", "first window; default 1.5 BDP"),
    TEXT("target_q_delay", target, "US", "target queueing delay, us; default 0.75 RTT, or 1 RTT"),
    TEXT("qa_gate", qa_gate, "N", "quick adapt below 2^-N of the largest window; default 3"),
    FLAG("enable_accurate_base_rtt", own_rtt, "base RTT of each pair, not of the longest path"),
    TEXT("failed", failed, "N", "so many links at a quarter of their rate"),
    TEXT("end", end, "US", "end of the run, us; default 1000"),
    IDLE_FLAG("conn_reuse", "messages of an id share a connection"),
    FLAG("force_disable_oversubscribed_cc", no_oversubscribed,
         "receivers heed no marks where the tree is oversubscribed"),
    FLAG("disable_base_rtt_update_on_nack", no_nack_rtt, "NACKs do not lower the base RTT"),
    IDLE_FLAG("debug", "see weft run --help"),
    IDLE_TEXT("o", "see --out"),
    IDLE_TEXT("log", "see --set sample.what"),
    IDLE_TEXT("logtime", "see --set sample.interval"),
    IDLE_TEXT("logtime_us", "see --set sample.interval"),
    CHOICE("queue_type", queue_type, "composite", "queues of switches"),
    CHOICE("host_queue_type", host_queue_type, "fair_prio", "queues of hosts"),
    WEFT_SOURCE_OPTS(htsim_opts),
    TEXT("out", out, "DIR", "run folder; default out/NAME of the matrix"),
    FLAG("no-out", no_out, "write no files"),
    FLAG("show-settings", show, "print the resolved settings instead of running"),
    FLAG("json", json, "print the summary as JSON"),
    FLAG("quiet", quiet, "no results, no notes; errors and warnings only"),
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
    if (!x->o->quiet)
        weft_log(x->cli->log, WEFT_LOG_INFO, "%s", text);
}

/* An option that is a number. */
struct number {
    const char *name, *text;
    double def, min, max;
    bool whole;
    double *to;
};

static int read_number(const struct number *n, struct weft_err *err)
{
    char *end = NULL;
    *n->to = n->def;
    if (!n->text)
        return 0;
    *n->to = strtod(n->text, &end);
    if (end == n->text || *end || !(*n->to >= n->min && *n->to <= n->max) ||
        (n->whole && *n->to != floor(*n->to)))
        return weft_err_set(err, WEFT_E_USAGE, "-%s %s: must be a %s from %.10g to %.10g", n->name,
                            n->text, n->whole ? "whole number" : "number", n->min, n->max);
    return 0;
}

static int read_numbers(struct experiment *x, struct weft_err *err)
{
    static const char *const words[] = {"mixed", "bitmap", "reps", "oblivious"};
    const struct htsim_opts *o = x->o;
    struct weft_htsim_options *of = &x->of;
    double nodes, tiers, planes, mtu, paths, factor, q, cwnd, trim, sack, failed, gate, low, high;
    const struct number all[] = {
        {"nodes", o->nodes, 0, 1, 1 << 24, true, &nodes},
        {"tiers", o->tiers, 3, 2, 3, true, &tiers},
        {"planes", o->planes, 1, 1, 1, true, &planes},
        {"linkspeed", o->linkspeed, 100000, 1, 1e7, false, &of->link_mbps},
        {"hop_latency", o->hop_latency, 1, 0, 1e6, false, &of->hop_us},
        {"switch_latency", o->switch_latency, 0, 0, 1e6, false, &of->switch_us},
        {"mtu", o->mtu, 4150, 320, 9280, true, &mtu},
        {"paths", o->paths, 64, 1, 65536, true, &paths},
        {"end", o->end, 1000, 1, 1e9, false, &of->end_us},
        {"target_q_delay", o->target, 0, 0, 1e6, false, &of->target_us},
        {"qa_gate", o->qa_gate, -1, -1, 30, true, &gate},
        {"queue_size_bdp_factor", o->factor, 0, 1, 1e4, true, &factor},
        {"q", o->q, 0, 1, 1e5, true, &q},
        {"cwnd", o->cwnd, 0, 0, 1e6, true, &cwnd},
        {"trimsize", o->trimsize, 64, 64, 512, true, &trim},
        {"sack_threshold", o->sack, 16384, 0, 65535, true, &sack},
        {"failed", o->failed, 0, 0, 1e6, true, &failed},
        {"ecn", o->ecn.n > 0 ? o->ecn.list[0] : NULL, 0, 0, 1e5, true, &low},
        {"ecn", o->ecn.n > 1 ? o->ecn.list[1] : NULL, 0, 1, 1e5, true, &high},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (read_number(&all[i], err))
            return err->code;
    if (o->ecn.n != 0 && o->ecn.n != 2)
        return weft_err_set(err, WEFT_E_USAGE, "-ecn takes two thresholds, LOW HIGH in packets");
    of->nodes = (uint64_t)nodes;
    of->tiers = (uint64_t)tiers;
    of->packet_bytes = (uint64_t)mtu;
    of->paths = (uint64_t)paths;
    of->failed = (uint64_t)failed;
    of->qa_gate = (int64_t)gate;
    of->queue_factor = (uint64_t)factor;
    of->queue_packets = (uint64_t)q;
    of->window_packets = (uint64_t)cwnd;
    of->trim_bytes = (uint64_t)trim;
    of->ack_bytes = (uint64_t)sack;
    of->ecn_low_packets = (uint64_t)low;
    of->ecn_high_packets = (uint64_t)high;
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
    const struct htsim_opts *o = x->o;
    const struct weft_cli *cli = x->cli;
    struct weft_execution run = {0};
    struct weft_htsim_flows flows;
    char dir[WEFT_PATH_MAX];
    struct weft_execute_opts eo = {.out_dir = o->out,
                                   .progress = o->quiet ? NULL : cli->err,
                                   .progress_is_tty = cli->err_is_tty,
                                   .files = &flows.files};
    weft_htsim_flows_init(&flows);
    int code = weft_run_folder(&eo, o->no_out, x->s->name, dir, err);
    if (!code)
        code = weft_execute(cli, x->s, &eo, &run, err);
    weft_interrupt_saved();
    code = code ? code : run.end.code;
    weft_run_say(cli, &run,
                 &(struct weft_run_output){.command = "htsim",
                                           .out_dir = eo.out_dir,
                                           .beside = ", as htsim says it in " WEFT_HTSIM_FLOWS_FILE,
                                           .json = o->json,
                                           .quiet = o->quiet,
                                           .more = print_flows,
                                           .more_ctx = &flows},
                 code);
    weft_execution_free(&run);
    return code;
}

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    struct experiment x = {.cli = cli, .o = (const struct htsim_opts *)opts};
    char name[WEFT_PATH_MAX];
    if (nargs)
        return weft_err_set(err, WEFT_E_USAGE, "'%s' is not an option", args[0]);
    if (!x.o->tm)
        return weft_err_set(err, WEFT_E_USAGE, "-tm (connection matrix) must be given");
    if (x.o->out && x.o->no_out)
        return weft_err_set(err, WEFT_E_USAGE, "--out and --no-out exclude each other");
    x.sets.arena = weft_arena_new();
    int code = x.sets.arena ? read_options(&x, err) : weft_err_no_memory(err, "an experiment");
    if (!code)
        code = weft_source_resolve(cli, &x.o->source, x.sets.list, x.sets.n,
                                   weft_path_stem(name, x.o->tm), &x.s, err);
    if (!code && x.o->show)
        weft_source_config_text(cli->out, x.s, true);
    else if (!code)
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
    .opts = options,
    .nopts = sizeof options / sizeof options[0],
    .opts_size = sizeof(struct htsim_opts),
    .one_dash = true,
    .foreign = foreign,
    .nforeign = sizeof foreign / sizeof foreign[0],
    .run = run,
};
