/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of metrics, and access to a summary through it. */
#include "report/figure_text.h"
#include "report/summary.h"

#include "base/renamed.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define M(name, type, field, help)                                                                 \
    {                                                                                              \
        name, WEFT_PARAM_##type, offsetof(struct weft_summary, field), 0, help                     \
    }
#define HOST(name, type, field, help)                                                              \
    {                                                                                              \
        name, WEFT_PARAM_##type, offsetof(struct weft_summary, field), 1, help                     \
    }
#define EXPOSED(kind, word, help)                                                                  \
    M("exposed-" word "-max", TIME, exposed_by_max_ps[WEFT_CAUSE_##kind],                          \
      "longest time that a rank's exposed communication waited for " help),                        \
        M("exposed-" word "-mean", TIME, exposed_by_mean_ps[WEFT_CAUSE_##kind],                    \
          "mean over ranks of the time that exposed communication waited for " help)
#define PARALLEL(kind, word, help)                                                                 \
    M("exposed-" word "-mean", TIME, exposed_for_ps[WEFT_PARALLEL_##kind],                         \
      "training: exposed communication of " help ", mean over ranks")
#define PATH(kind, word, help)                                                                     \
    M("critical-path-" word, TIME, path.spent_ps[WEFT_CAUSE_##kind], "critical path: " help)
/* What is waited for: of exposed communication, and on the critical path. */
#define WAITS(W)                                                                                   \
    W(NETWORK, "network", "messages on their way, as long as they would be alone"),                \
        W(OWN_NIC, "own-nic", "messages while their NIC sent something else of the host"),         \
        W(CONGESTION_CONTROL, "congestion-control",                                                \
          "messages held back by congestion control: pacing, a full window"),                      \
        W(LOSS_RECOVERY, "loss-recovery", "retransmission timeouts and what was sent again"),      \
        W(PFC_PAUSE, "pfc-pause", "messages paused by PFC, or without credit"),                    \
        W(FABRIC_QUEUEING, "fabric-queueing", "messages in queues of the fabric"),                 \
        W(REDUCE, "reduce", "adding up and copying received data"),                                \
        W(ENDPOINT, "endpoint", "software and injection")
#define BUS(kind, word)                                                                            \
    M(word "-bus-bandwidth", RATE, coll[WEFT_COLL_##kind].bus_bps,                                 \
      "bus bandwidth of " word                                                                     \
      " operations: bus bytes / duration on the rank that it takes longest")

static const struct weft_metric metrics[] = {
    M("end-to-end", TIME, end_ps, "end of the last operation; none: the run is not finished"),
    M("elapsed", TIME, elapsed_ps,
      "time the network was watched: until the last operation, acknowledgement and packet; of an "
      "unfinished run the simulated time reached"),
    M("step", TIME, step.step_ps,
      "training: mean time of an iteration; none: no such job finished"),
    M("samples-per-s", F64, step.per_s,
      "training: samples per second, of the job: a sample is a token of a language model, an "
      "image, "
      "or a row of a recommendation model"),
    M("samples-per-s-rank", F64, step.per_s_rank, "training: samples per second and rank"),
    M("model-flops-per-s-rank", F64, step.flops_rank,
      "training: FLOPs of the model per second and rank, without recomputation"),
    M("model-flops-utilisation", F64, step.model_flops_util,
      "training: the same / the accelerator's peak (MFU)"),
    M("ranks", U64, ranks, "simulated NPUs"),
    M("operations", U64, ops_total, "operations of all ranks"),
    M("operations-done", U64, ops_done, "operations that ended"),
    M("arrived-bytes", SIZE, arrived_bytes,
      "payload that came to hosts, with what there is of unfinished messages"),
    M("arrived-share", F64, arrived_share,
      "the same / the payload that all operations move; below 1: the run is not finished"),
    M("unfinished-messages", U64, unfinished,
      "messages posted that had not ended when the run did; in no statistics of messages"),
    M("unfinished-bytes", SIZE, unfinished_bytes, "their payload"),
    M("compute-max", TIME, compute_max_ps, "longest time that a rank's accelerator computed"),
    M("compute-mean", TIME, compute_mean_ps,
      "time that a rank's accelerator computed, mean over ranks"),
    M("compute-max-rank", U64, compute_max_rank, "the rank that computed longest"),
    M("communication-max", TIME, comm_max_ps,
      "longest time that a rank had a send, receive or collective in progress"),
    M("communication-mean", TIME, comm_mean_ps,
      "time that a rank had a send, receive or collective in progress, mean over ranks"),
    M("exposed-communication-max", TIME, exposed_max_ps,
      "longest time that a rank communicated and did nothing else"),
    M("exposed-communication-mean", TIME, exposed_mean_ps,
      "time that a rank communicated and did nothing else, mean over ranks"),
    WAITS(EXPOSED),
    EXPOSED(PEER, "peer", "ranks that had not come to the operation yet"),
    EXPOSED(DEPENDENCY, "dependency", "peers that could not send yet"),
    EXPOSED(OPEN, "open", "something that the run ended before"),
    PARALLEL(TP, "tp", "tensor parallelism, within experts as well"),
    PARALLEL(CP, "cp", "context parallelism"),
    PARALLEL(EP, "ep", "expert parallelism"),
    PARALLEL(DP, "dp", "data parallelism, of experts as well"),
    PARALLEL(PP, "pp", "pipeline parallelism"),
    PARALLEL(OTHER, "other", "anything else, such as the norm of the gradients"),
    M("idle-max", TIME, idle_max_ps,
      "longest time that a rank neither worked nor communicated before its end"),
    M("idle-mean", TIME, idle_mean_ps,
      "time that a rank neither worked nor communicated before its end, mean over ranks"),
    M("critical-path-steps", U64, path.steps, "operations on the critical path"),
    M("critical-path-crossings", U64, path.crossings,
      "steps of the critical path that lead from one rank to another"),
    PATH(COMPUTE, "compute", "time of accelerators"),
    PATH(CPU, "cpu", "time of CPUs"),
    PATH(MEMORY, "memory", "time of memory accesses"),
    WAITS(PATH),
    M("messages", U64, messages, "messages that were delivered and acknowledged"),
    M("message-bytes", SIZE, message_bytes, "payload of those messages"),
    M("fct-p50", TIME, fct_p50_ps, "flow completion time, median"),
    M("fct-p99", TIME, fct_p99_ps, "flow completion time, 99th percentile"),
    M("fct-max", TIME, fct_max_ps, "flow completion time, longest"),
    M("slowdown-p50", F64, slowdown_p50, "FCT / ideal FCT, median"),
    M("slowdown-p99", F64, slowdown_p99, "FCT / ideal FCT, 99th percentile"),
    M("slowdown-max", F64, slowdown_max, "FCT / ideal FCT, largest"),
    WEFT_METRICS_BY_SIZE(M, "", by_size),
    BUS(ALL_REDUCE, "all-reduce"),
    BUS(ALL_GATHER, "all-gather"),
    BUS(REDUCE_SCATTER, "reduce-scatter"),
    BUS(ALL_TO_ALL, "all-to-all"),
    M("link-utilisation-max", F64, link_utilisation_max,
      "share of elapsed in which the busiest link direction was sending"),
    M("link-utilisation-max-port", U64, busiest_port, "number of its port (fabric's, from 0)"),
    M("dimension-utilisation", F64, dim_use_mean,
      "share of the bandwidth that payload used during communication, mean over dimensions "
      "weighted by "
      "bandwidth"),
    M("dimension-utilisation-min", F64, dim_use_min, "the same, of the least used dimension"),
    M("dimension-utilisation-max", F64, dim_use_max, "the same, of the most used dimension"),
    M("max-queue", SIZE, max_queue_bytes,
      "largest egress queue of any port, those of hosts as well"),
    M("max-switch-queue", SIZE, max_switch_queue_bytes, "largest egress queue of a switch's port"),
    M(WEFT_METRIC_MEAN_QUEUE, F64, mean_queue_bytes,
      "queue of a switch's port, mean over time, of the port where it is largest; asking for it "
      "counts how long queues are how long"),
    M("packet-hops", U64, net.packet_hops, "packets of any kind serialised on links"),
    M("data-packets", U64, net.sent[WEFT_PKT_DATA],
      "data packets sent by hosts, retransmissions included"),
    M("acks", U64, net.sent[WEFT_PKT_ACK], "ACKs sent"),
    M("nacks", U64, net.sent[WEFT_PKT_NACK], "NACKs sent"),
    M("cnps", U64, net.sent[WEFT_PKT_CNP], "congestion notifications sent by receivers"),
    M("grants", U64, net.sent[WEFT_PKT_GRANT], "packets that granted credit (rccc, nscc.credit)"),
    M("credit-requests", U64, net.sent[WEFT_PKT_REQUEST],
      "packets without data that request credit, as data packets can too, or an ACK (probe-frame)"),
    M("warnings", U64, net.sent[WEFT_PKT_WARNING],
      "packets by which switches warned senders of a queue (bolt)"),
    M("ecn-marks", U64, net.ecn_marks, "packets that switches marked"),
    M("pfc-pauses", U64, net.pfc_pauses, "PFC pause frames sent"),
    M("pfc-resumes", U64, net.pfc_resumes, "PFC resume frames sent"),
    M("pfc-refreshes", U64, net.pfc_refreshes,
      "PFC pause frames that repeat an earlier one (pfc.quanta, pfc.refresh)"),
    M("pfc-pause-time", TIME, pause_ps, "time that ports were paused, summed over ports"),
    M("victims", U64, victims,
      "queue pairs that at some inspection (run.victims) waited behind a PFC pause though the rest "
      "of their path was free: head-of-line victims"),
    M("victim-time", TIME, victim_ps,
      "time that they waited so, summed over them; counted in steps of run.victims"),
    M("drops", U64, drops, "packets lost, for any reason"),
    M("drops-data", U64, net.drops_data,
      "of them, packets with payload; the rest are ACKs and other control packets"),
    M("drops-buffer", U64, net.drops[WEFT_DROP_BUFFER],
      "packets lost because a switch buffer was full"),
    M("drops-headroom", U64, net.drops[WEFT_DROP_HEADROOM],
      "packets of a lossless class lost because its headroom was exhausted"),
    M("drops-error", U64, net.drops[WEFT_DROP_ERROR], "packets lost to link errors"),
    M("drops-link", U64, net.drops[WEFT_DROP_LINK], "packets lost to failed links"),
    M("trims", U64, net.trims, "packets that a switch cut for want of buffer (switch.trim-prios)"),
    M("faults", U64, faults, "times that something was wrong with a link: down, slow, bit errors"),
    M("fault-losses", U64, fault_losses,
      "packets lost on those links: when they failed, and to bit errors"),
    M("left-behind", U64, left_behind,
      "most queue pairs and connections at once that had made no progress for run.stall-after "
      "while "
      "others had"),
    M("retransmissions", U64, net.retx_packets, "data packets sent again"),
    M("timeouts", U64, net.rtos, "retransmission timeouts that fired"),
    M("events", U64, net.events,
      "events that the network backend executed: fewer where traffic repeats itself (run.replay)"),
    HOST("fallbacks", U64, fallbacks,
         "times that the run began again without run.replay and run.threads, which had met what "
         "they did not foresee"),
    HOST("replayed-hops", U64, replay.hops,
         "packet-hops taken over from repetitions instead of simulated (run.replay)"),
    HOST("skipped-hops", U64, replay.skipped_hops,
         "packet-hops skipped within the tolerance of run.replay"),
    HOST("replay-error", F64, replay.error,
         "estimated mean relative error of completion times by these"),
    HOST("replay-error-bound", F64, replay.error_bound,
         "relative error of completion times at the 99th percentile"),
    HOST("wall-time-s", F64, wall_s, "wall-clock seconds"),
    HOST("cpu-time-s", F64, cpu_s, "CPU seconds"),
    HOST("events-per-s", F64, events_per_s, "events per second of CPU time"),
    HOST("packet-hops-per-s", F64, hops_per_s, "packet hops per second of CPU time"),
    HOST("threads", U64, threads, "threads that ran the simulation at its end (run.threads)"),
    HOST("peak-rss", SIZE, peak_rss_bytes, "largest resident memory of the process"),
};
enum { N_METRICS = sizeof metrics / sizeof metrics[0] };

const struct weft_metric *weft_metrics(size_t *n)
{
    *n = N_METRICS;
    return metrics;
}

/* Whether @p name has all words of @p given, in their order; '-' divides words. */
static bool has_words(const char *name, const char *given)
{
    while (*given) {
        const size_t n = strcspn(given, "-");
        size_t m = strcspn(name, "-");
        while (*name && (m != n || strncmp(name, given, n) != 0)) {
            name += m + (name[m] == '-');
            m = strcspn(name, "-");
        }
        if (!*name)
            return false;
        name += m + (name[m] == '-');
        given += n + (given[n] == '-');
    }
    return true;
}

/* The only metric that has all words of @p given, which are several; NULL. */
static const char *metric_with_words(const char *given)
{
    const char *found = NULL;
    for (size_t i = 0; strchr(given, '-') && i < N_METRICS; i++)
        if (has_words(metrics[i].name, given)) {
            if (found)
                return NULL;
            found = metrics[i].name;
        }
    return found;
}

/* An error that names the metrics with @p part in their names. */
static void metric_unknown(const char *part, struct weft_err *err)
{
    char list[160] = "";
    size_t used = 0, n = 0;
    for (size_t i = 0; i < N_METRICS && used < sizeof list - 48; i++)
        if (*part && strstr(metrics[i].name, part))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", n++ ? ", " : "",
                                     metrics[i].name);
    if (n)
        weft_err_set(err, WEFT_E_INPUT, "unknown metric '%s'; there are %s", part, list);
    else
        weft_err_set(err, WEFT_E_INPUT, "unknown metric '%s'; 'weft list metrics' lists them",
                     part);
}

const char *weft_metric_other_name(const char *name, char *buf, size_t size)
{
    static const char fct[] = "fct-", slowdown[] = "slowdown-p";
    const size_t n = sizeof fct - 1;
    const bool longer = strncmp(name, fct, n) == 0;
    const char *last = longer ? name + n : name;
    if (strncmp(last, slowdown, sizeof slowdown - 1) != 0 && strcmp(last, "slowdown-max") != 0)
        return NULL;
    snprintf(buf, size, "%s%s", longer ? "" : fct, last);
    return buf;
}

const struct weft_metric *weft_metric_find(const char *name, struct weft_err *err)
{
    const char *names[N_METRICS], *present = weft_renamed_find(WEFT_RENAMED_METRIC, name);
    name = present ? present : name;
    char buf[WEFT_METRIC_TEXT_MAX];
    const char *other = weft_metric_other_name(name, buf, sizeof buf);
    for (size_t i = 0; i < N_METRICS; i++) {
        names[i] = metrics[i].name;
        if (strcmp(names[i], name) == 0 || (other && strcmp(names[i], other) == 0))
            return &metrics[i];
    }
    const char *near = metric_with_words(name);
    near = near ? near : weft_nearest(name, names, N_METRICS);
    if (near)
        weft_err_set(err, WEFT_E_INPUT, "unknown metric '%s'; did you mean '%s'?", name, near);
    else
        metric_unknown(name, err);
    return NULL;
}

double weft_metric_value(const struct weft_metric *m, const struct weft_summary *s)
{
    return weft_metric_value_in(m, s);
}

double weft_metric_value_in(const struct weft_metric *m, const void *in)
{
    const char *p = (const char *)in + m->offset;
    switch (m->type) {
    case WEFT_PARAM_TIME: /* WEFT_NO_END is the only negative one */
        return *(const int64_t *)p < 0 ? NAN : (double)*(const int64_t *)p;
    case WEFT_PARAM_SIZE:
    case WEFT_PARAM_U64:
        return (double)*(const uint64_t *)p;
    default: /* RATE and F64 are doubles here */
        return *(const double *)p;
    }
}

bool weft_metric_counts(const struct weft_metric *m)
{
    return m->type == WEFT_PARAM_SIZE || m->type == WEFT_PARAM_U64;
}

double weft_metric_in_unit(const struct weft_metric *m, double value)
{
    /* picoseconds as nanoseconds: exact below 2^53 ps / 1000 */
    return m->type == WEFT_PARAM_TIME ? value / 1000.0 : value;
}

const char *weft_metric_format(const struct weft_metric *m, double value,
                               char buf[WEFT_METRIC_TEXT_MAX])
{
    char unit[WEFT_UNIT_TEXT_MAX];
    if (isnan(value)) {
        snprintf(buf, WEFT_METRIC_TEXT_MAX, "n/a");
        return buf;
    }
    switch (m->type) {
    case WEFT_PARAM_TIME:
        snprintf(buf, WEFT_METRIC_TEXT_MAX, "%s", weft_human_time((int64_t)value, unit));
        break;
    case WEFT_PARAM_SIZE:
        snprintf(buf, WEFT_METRIC_TEXT_MAX, "%s", weft_human_size((uint64_t)value, unit));
        break;
    case WEFT_PARAM_RATE:
        snprintf(buf, WEFT_METRIC_TEXT_MAX, "%s", weft_human_rate(value, unit));
        break;
    case WEFT_PARAM_U64:
        snprintf(buf, WEFT_METRIC_TEXT_MAX, "%.0f", value);
        break;
    default:
        if (strstr(m->name, "bytes"))
            snprintf(buf, WEFT_METRIC_TEXT_MAX, "%s", weft_human_size((uint64_t)value, unit));
        else
            snprintf(buf, WEFT_METRIC_TEXT_MAX, "%.4g", value);
    }
    return buf;
}

const char *weft_metric_key(const struct weft_metric *m, char buf[WEFT_METRIC_TEXT_MAX])
{
    const char *unit = "";
    if (m->type == WEFT_PARAM_TIME)
        unit = "_ns";
    else if (m->type == WEFT_PARAM_SIZE && !strstr(m->name, "bytes"))
        unit = "_bytes";
    else if (m->type == WEFT_PARAM_RATE)
        unit = "_bps";
    snprintf(buf, WEFT_METRIC_TEXT_MAX, "%s%s", m->name, unit);
    for (char *p = buf; *p; p++)
        if (*p == '-')
            *p = '_';
    return buf;
}

/* What NCCL's tests make of the size of each kind (doc/PERFORMANCE.md and the GetBw function of
 * each test). */
static const struct {
    bool share; /* the size is one of n shares of what the operation is about */
    bool rest;  /* a rank has one of n shares of it already: (n - 1) / n of it move */
    int passes; /* that often */
} bus[WEFT_COLL_KINDS] = {
    [WEFT_COLL_ALL_REDUCE] = {false, true, 2},
    [WEFT_COLL_REDUCE] = {false, false, 1},
    [WEFT_COLL_ALL_GATHER] = {true, true, 1},
    [WEFT_COLL_GATHER] = {true, true, 1},
    [WEFT_COLL_SCATTER] = {false, true, 1},
    [WEFT_COLL_BROADCAST] = {false, false, 1},
    [WEFT_COLL_ALL_TO_ALL] = {false, true, 1},
    [WEFT_COLL_REDUCE_SCATTER] = {false, true, 1},
    [WEFT_COLL_REDUCE_SCATTER_BLOCK] = {false, true, 1},
    [WEFT_COLL_BARRIER] = {false, false, 1},
};

double weft_coll_alg_bytes(enum weft_coll_kind kind, uint64_t bytes, uint32_t ranks)
{
    return (double)bytes * (bus[kind].share && ranks ? (double)ranks : 1);
}

double weft_coll_bus_bytes(enum weft_coll_kind kind, uint64_t bytes, uint32_t ranks)
{
    const double n = ranks ? (double)ranks : 1;
    const double b = bus[kind].passes * weft_coll_alg_bytes(kind, bytes, ranks);
    return bus[kind].rest ? b * (n - 1) / n : b;
}
