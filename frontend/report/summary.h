/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers that a run ends with, as a struct and as a table of metrics.
 *
 * The table gives each number its name, unit and meaning once; the JSON output, the bounds of
 * expect.xml, `weft show output` and docs/reference/outputs.md use it.
 */
#ifndef WEFT_REPORT_SUMMARY_H
#define WEFT_REPORT_SUMMARY_H

#include "base/json.h"
#include "base/outcome.h"
#include "jobs/jobs.h"
#include "net/net.h"
#include "system/system.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** weft_summary.end_ps of a run that did not come to its end. */
#define WEFT_NO_END INT64_C(-1)

/** How many of the busiest links are named. */
#define WEFT_TOP_LINKS 3

/** What the operations of one collective kind achieved. */
struct weft_coll_summary {
    uint64_t ops;    /**< rank-operations: a collective of n ranks counts n times */
    uint64_t bytes;  /**< sum of their sizes */
    double bus_bps;  /**< sum of bus bytes / sum of durations; NaN without duration */
    double of_links; /**< bus_bps by what the links of a host carry, the fastest host; NaN where
                        there are no links, or bus_bps is not known */
};

/** One direction of a link. */
struct weft_link_summary {
    uint32_t port;
    double utilisation; /**< 0 .. 1 */
};

/** One dimension; see dimensions.c. */
struct weft_dim_summary {
    const char *kind; /**< generator of the fabric; "": not the fabric's */
    uint32_t size;
    double rate_bps;    /**< bandwidth of a rank in it, each direction, mean over ranks */
    uint64_t bytes;     /**< payload that ranks sent in it */
    double utilisation; /**< 0 .. 1; NaN: no communication, or the bandwidth is not known */
    double busy;        /**< share of the time with communication in which a rank's link in it was
                           serialising; NaN: the backend has no packets */
};

/** How many of the longest steps of the critical path are named. */
#define WEFT_TOP_STEPS 3

/** The critical path. */
struct weft_path_summary {
    uint64_t steps, messages;
    uint64_t crossings; /**< steps that begin on another rank than they end on */
    int64_t spent_ps[WEFT_CAUSES];
    struct weft_path_record top[WEFT_TOP_STEPS]; /**< the longest */
    uint32_t ntop;
};

/** Throughput of the training job of a run. */
struct weft_step_summary {
    int64_t step_ps; /**< mean time of an iteration; 0, WEFT_NO_END: there is no training job, more
                        than one, or it has not finished */
    uint64_t iterations;
    const char *unit;        /**< "tokens" */
    double per_s;            /**< samples per second, the whole job */
    double per_s_rank;       /**< the same, of a rank; NaN like the next two: not known */
    double flops_rank;       /**< model FLOP/s of a rank */
    double model_flops_util; /**< the same / peak FLOP/s of its accelerator: MFU */
};

/** Classes of messages by size: up to 10 KB, 100 KB, 1 MB, and larger; percentiles of their
 * slowdown: 50, 95, 99. */
enum { WEFT_SIZE_CLASSES = 4, WEFT_SIZE_PERCENTILES = 3 };

/** Messages: how many, and how long they took. */
struct weft_flow_summary {
    uint64_t messages, bytes;
    /** WEFT_NO_END without messages; p999: 99.9th percentile */
    int64_t fct_mean_ps, fct_p50_ps, fct_p99_ps, fct_p999_ps, fct_max_ps;
    double slowdown_p50, slowdown_p99, slowdown_p999, slowdown_max; /**< NaN without messages */
    double by_size[WEFT_SIZE_CLASSES][WEFT_SIZE_PERCENTILES];       /**< slowdown; NaN likewise */
};

/** Metrics of `slowdown` by size of messages: entries of a table that are made with @p M; names
 * begin with @p prefix. */
#define WEFT_METRICS_BY_SIZE(M, prefix, field)                                                     \
    WEFT_METRICS_OF_SIZE(M, prefix, field[0], "to-10KB", "messages up to 10 KB"),                  \
        WEFT_METRICS_OF_SIZE(M, prefix, field[1], "to-100KB",                                      \
                             "messages above 10 and up to 100 KB"),                                \
        WEFT_METRICS_OF_SIZE(M, prefix, field[2], "to-1MB",                                        \
                             "messages above 100 KB and up to 1 MB"),                              \
        WEFT_METRICS_OF_SIZE(M, prefix, field[3], "over-1MB", "messages above 1 MB")
#define WEFT_METRICS_OF_SIZE(M, prefix, field, size, what)                                         \
    M(prefix "slowdown-p50-" size, F64, field[0], "slowdown of " what ", median"),                 \
        M(prefix "slowdown-p95-" size, F64, field[1], "the same, 95th percentile"),                \
        M(prefix "slowdown-p99-" size, F64, field[2], "the same, 99th percentile")

/** One job. */
struct weft_job_summary {
    const char *name, *kind;
    const char *transport; /**< "roce", "uet", "tcp", "both"; NULL: the backend has none */
    bool graphs;           /**< it is graphs of ranks, else flows */
    uint32_t ranks, prio;  /**< prio WEFT_PRIO_DEFAULT: as messages ask for */
    struct weft_job_result result;
    int64_t duration_ps; /**< from its start to its end; WEFT_NO_END: it has not finished, or has no
                            end */
    int64_t compute_max_ps, comm_max_ps, exposed_max_ps, exposed_mean_ps; /**< of graphs, else 0 */
    struct weft_flow_summary flows;
    /** Requests that are over, as if each were a message; and of their time what is the network's.
     */
    struct weft_flow_summary requests, transfers;
    uint64_t unfinished,
        unfinished_bytes; /**< messages posted that had not ended when the run did */
    /** Alone on the fabric: duration and mean FCT, 0 where it was not run or has not finished. */
    int64_t alone_ps, alone_fct_ps;
    double slowdown; /**< duration (of flows: mean FCT) by that alone; NaN: not known */
};

/** The messages of one traffic class. */
struct weft_class_summary {
    uint32_t prio;         /**< WEFT_PRIO_DEFAULT: that of those that ask for none */
    const char *transport; /**< what carried them; NULL: the backend has no transports */
    struct weft_flow_summary flows;
};

/** All results of one run. Times are simulated picoseconds unless the name says wall. */
struct weft_summary {
    const char *scenario;
    /** how the collectives of a kind were played: "ring over 16 ranks"; several ways joined by ";
     * "; NULL: not said */
    const char *algorithm[WEFT_COLL_KINDS];
    enum weft_outcome outcome;
    uint64_t ranks, hosts, switches, links;

    int64_t end_ps;     /**< end of the last operation; WEFT_NO_END: the run is not finished */
    int64_t elapsed_ps; /**< time that the network was watched: until the last operation,
                           acknowledgement and packet or, in an unfinished run, the time reached */
    int64_t compute_max_ps, compute_mean_ps;
    uint64_t compute_max_rank; /**< of the first job that has the longest */
    uint64_t busiest_port;     /**< that link_utilisation_max is of */
    int64_t comm_max_ps, comm_mean_ps;
    int64_t exposed_max_ps, exposed_mean_ps;
    int64_t exposed_by_max_ps[WEFT_CAUSES], exposed_by_mean_ps[WEFT_CAUSES];
    int64_t exposed_for_ps[WEFT_PARALLELISMS]; /**< of training jobs, mean over all ranks */
    int64_t idle_max_ps, idle_mean_ps;
    struct weft_path_summary path;
    struct weft_step_summary step;
    uint64_t ops_done, ops_total;
    uint64_t
        arrived_bytes; /**< payload that came to hosts, with what there is of unfinished messages */
    double
        arrived_share; /**< of all that the workload moves; NaN: it moves nothing, or isn't known */

    uint64_t messages, message_bytes;
    uint64_t unfinished, unfinished_bytes; /**< messages posted that had not ended */
    int64_t fct_p50_ps, fct_p99_ps, fct_max_ps;
    double slowdown_p50, slowdown_p99, slowdown_max; /**< NaN without messages */
    double by_size[WEFT_SIZE_CLASSES][WEFT_SIZE_PERCENTILES];
    struct weft_coll_summary coll[WEFT_COLL_KINDS];

    struct weft_job_summary *jobs; /**< njobs of them; NULL: there are none */
    uint32_t njobs;
    bool reports_jobs; /**< jobs and classes are told apart: several jobs, or one of flows */
    struct weft_class_summary classes[WEFT_NET_PRIOS + 1]; /**< those with messages */
    uint32_t nclasses;

    struct weft_link_summary top[WEFT_TOP_LINKS];
    uint32_t ntop;
    double link_utilisation_max; /**< 0 .. 1 */
    struct weft_dim_summary dim[WEFT_FABRIC_DIMS_MAX];
    uint32_t ndims;
    int64_t dims_ps; /**< time with communication that utilisation is of, mean over hosts; with
                        several jobs, or flows, that of the run */
    bool
        dims_by_phases; /**< bytes are those of phases of collectives; false: of the ranks' links */
    double dim_use_mean, dim_use_min, dim_use_max; /**< utilisation; mean weighted by bandwidth */
    double mean_queue_bytes; /**< of the port of a switch where it is largest; NaN: not counted */
    uint64_t max_queue_bytes;
    uint32_t max_queue_port;         /**< the first that it is of, if it is above 0 */
    uint64_t max_switch_queue_bytes; /**< the same of ports of switches */
    int64_t pause_ps;                /**< sum over ports */
    uint64_t drops;                  /**< all reasons */
    uint64_t faults, fault_losses;
    uint64_t left_behind; /**< most QPs and connections without progress for run.stall-after while
                             others had some */
    uint64_t victims;     /**< QPs that a look of run.victims found to be victims of pauses */
    int64_t victim_ps;    /**< how long they were, summed over them */
    struct weft_totals net;
    struct weft_replay_figures replay;
    bool replay_auto;     /**< said only where something was taken over */
    uint32_t train;       /**< packets that may count as one; at most 1: each for itself */
    uint64_t fallbacks;   /**< times that it began again without replay and threads, */
    const char *fallback; /**< and why */

    double wall_s, cpu_s;
    double events_per_s, hops_per_s; /**< per second of CPU time */
    uint64_t threads;                /**< that ran it, at its end */
    uint64_t peak_rss_bytes;
};

/** One number of a summary. */
struct weft_metric {
    const char *name;
    enum weft_param_type type; /**< TIME, SIZE, RATE (double here), U64 or F64 (a ratio) */
    size_t offset;             /**< in struct weft_summary */
    int host_dependent;        /**< differs from run to run: no bound may be put on it */
    const char *help;
};

/** All metrics; *n receives their number. */
const struct weft_metric *weft_metrics(size_t *n);
/** The metric called @p name; on an unknown name NULL, and *err names the nearest. */
const struct weft_metric *weft_metric_find(const char *name, struct weft_err *err);
/** Its value in base units: ps, bytes, bit/s, 1. NaN: the run has no such value. */
double weft_metric_value(const struct weft_metric *m, const struct weft_summary *s);
/** The same of a metric of a job or a class, whose summary @p in is. */
double weft_metric_value_in(const struct weft_metric *m, const void *in);
/** Why the bus bandwidth of a kind is more than links carry, as a clause; NULL: it is not.
 * *impossible: no fabric does that. */
const char *weft_summary_beyond_links(const struct weft_summary *s, int kind, bool *impossible);
/** Prints a value of this metric for people ("12.35 us"). Returns @p buf. */
#define WEFT_METRIC_TEXT_MAX 64
const char *weft_metric_format(const struct weft_metric *m, double value,
                               char buf[WEFT_METRIC_TEXT_MAX]);
/** Whether a metric counts something, in whole numbers. */
bool weft_metric_counts(const struct weft_metric *m);
/** A value of this metric in the unit of its key: ns, bytes, bit/s, 1. */
double weft_metric_in_unit(const struct weft_metric *m, double value);
/** The key that JSON uses: the name with '_' and its unit ("end_to_end_ns"). Returns @p buf. */
const char *weft_metric_key(const struct weft_metric *m, char buf[WEFT_METRIC_TEXT_MAX]);

/** What a metric is of. */
enum weft_metric_scope { WEFT_METRIC_OF_RUN, WEFT_METRIC_OF_JOB, WEFT_METRIC_OF_CLASS };
/** A metric as users name it: "end-to-end", "job.web.fct-p99", "class.3.bytes". */
struct weft_metric_choice {
    const struct weft_metric *metric;
    enum weft_metric_scope scope;
    const char *text;    /**< as given, which must outlive it */
    const char *subject; /**< within it: the name of the workload, the class; NULL: the run */
    size_t len;          /**< of that */
};
/** Most bytes of the name of a workload in a metric, and of a key. */
#define WEFT_METRIC_SUBJECT_MAX 80
#define WEFT_METRIC_KEY_MAX (WEFT_METRIC_TEXT_MAX + WEFT_METRIC_SUBJECT_MAX + 8)
/** The metrics of a job for which it has to be run alone. */
#define WEFT_METRIC_ALONE "alone-time"
#define WEFT_METRIC_SLOWDOWN "slowdown"
/** The metric for which times of queues have to be counted. */
#define WEFT_METRIC_MEAN_QUEUE "mean-queue-bytes"

/** All metrics of a scope; *n receives their number. */
const struct weft_metric *weft_metrics_of(enum weft_metric_scope scope, size_t *n);
/** What stands before the name of a metric of a scope: "", "job.WORKLOAD.", "class.PRIO.". */
const char *weft_metric_scope_prefix(enum weft_metric_scope scope);
/** Finds what @p text names. WEFT_E_INPUT: there is no such metric or class; names of workloads are
 * not looked at. */
int weft_metric_choose(const char *text, struct weft_metric_choice *out, struct weft_err *err);
/** WEFT_E_INPUT: it names a workload that is none of @p jobs. */
int weft_metric_check(const struct weft_metric_choice *c, const char *const *jobs, size_t n,
                      struct weft_err *err);
/** What a run has to do besides for a metric: its workload alone; times of queues. */
enum { WEFT_METRIC_NEEDS_ALONE = 1, WEFT_METRIC_NEEDS_QUEUES = 2 };
/** Bits of what it needs. */
unsigned weft_metric_needs(const struct weft_metric_choice *c);
/** As weft_metric_value. Of a workload or class without messages: counts are 0. */
double weft_metric_choice_value(const struct weft_metric_choice *c, const struct weft_summary *s);
/** Its key ("job.web.fct_p99_ns"). Returns @p buf. */
const char *weft_metric_choice_key(const struct weft_metric_choice *c,
                                   char buf[WEFT_METRIC_KEY_MAX]);

/** Bytes of one operation as NCCL's tests count them for algbw: of all shards where @p bytes is
 * one. */
double weft_coll_alg_bytes(enum weft_coll_kind kind, uint64_t bytes, uint32_t ranks);
/** Bus bytes of one operation: what NCCL's busbw counts, so that line rate is the bound for every
 * n. */
double weft_coll_bus_bytes(enum weft_coll_kind kind, uint64_t bytes, uint32_t ranks);

/** Writes the summary as a member object of @p j (after its key). Host-dependent numbers go into an
 * object "host". */
void weft_summary_json(struct weft_json *j, const struct weft_summary *s,
                       const struct weft_fabric *f);
/** Works out by how much sharing the fabric slowed a job down, from what it took alone: duration
 * and mean FCT. */
void weft_job_summary_alone(struct weft_job_summary *j, int64_t alone_ps, int64_t alone_fct_ps);
/** Writes the jobs and classes of a summary for people, and as members "jobs" and "classes" of @p
 * j; nothing where jobs are not told apart. */
void weft_jobs_text(FILE *out, const struct weft_summary *s);
void weft_jobs_json(struct weft_json *j, const struct weft_summary *s);
/** Prints a table of what was repeated, and what looks met instead, of a run with @p hops
 * packet-hops. */
void weft_replay_text(FILE *out, const struct weft_replay_figures *r, uint64_t hops);
/** Writes the summary for people. */
void weft_summary_text(FILE *out, const struct weft_summary *s, const struct weft_fabric *f);

WEFT_C_END
#endif
