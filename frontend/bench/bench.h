/* SPDX-License-Identifier: GPL-2.0-only */
/* Named benchmark cases: a fabric, traffic and a congestion control, with all that is measured of a
 * run. */
#ifndef WEFT_CLI_BENCH_H
#define WEFT_CLI_BENCH_H

#include "command/command.h"

#include <stdbool.h>

/** What is sent, and what the amount of a case counts. Everything starts at time 0 but WEBSEARCH.
 */
enum weft_bench_pattern {
    WEFT_BENCH_INCAST, /**< hosts 1 .. n-1 each send one message to host 0; bytes of a message */
    WEFT_BENCH_PERMUTATION, /**< host h sends one message to host (h + n/2) mod n; bytes of a
                               message */
    WEFT_BENCH_WEBSEARCH,   /**< Poisson flows of the WebSearch sizes at 50 % load; picoseconds in
                               which flows start */
    WEFT_BENCH_COLLECTIVE /**< a generated collective of all hosts through the whole frontend; bytes
                             of its buffer */
};

/** One case. */
struct weft_bench_case {
    const char *name;
    const char *settings; /**< overrides separated by blanks */
    enum weft_bench_pattern pattern;
    uint64_t amount, quick_amount;
    const char *help;
};

/** All cases, in the order of bench.def; *n receives their number. */
const struct weft_bench_case *weft_bench_cases(size_t *n);

/** One measurement: a case and how to run it. */
struct weft_bench_spec {
    const struct weft_bench_case *c;
    const char *backend; /**< NULL: the default one */
    const char *control; /**< congestion control; NULL: what sets say, or the default one */
    const char *threads; /**< run.threads; NULL: what sets say, or the default */
    unsigned processes;  /**< that mpirun is to start; less than 2: none */
    int quick;           /**< the quick size */
    const struct weft_strings *sets;
};

/** Most processes that share a case. */
#define WEFT_BENCH_PROCESSES 64u

/** What one of several processes had of a run. */
struct weft_bench_share {
    double wall_s;                /**< of the run */
    double waiting_s, exchange_s; /**< of it: until the last of the others was there, too; from then
                                     on, until all had what they were given */
    uint64_t exchanges, bytes;    /**< and what this process gave in them */
    uint64_t peak_rss_bytes;
    uint64_t pss_bytes; /**< at the end: pages that processes share in equal parts; 0: unknown */
};

/** What a case measured. Plain data: it crosses a pipe from the child process. */
struct weft_bench_result {
    int code; /**< 0 or the error */
    struct weft_err err;
    char control[32]; /**< congestion control, "" where the backend has none */
    uint32_t hosts;
    uint64_t packet_hops, events, messages, bytes;
    int64_t simulated_ps;             /**< time of the last delivery */
    double setup_wall_s, setup_cpu_s; /**< fabric, routes, backend, workload */
    double wall_s, cpu_s;             /**< of the run, without the set-up */
    double start_cpu_s;               /**< of cpu_s, before the first event */
    double frontend_s;                /**< COLLECTIVE: of wall_s, outside the backend */
    int through_frontend;             /**< frontend_s means something */
    uint64_t peak_rss_bytes;
    bool has_memory;
    struct weft_memory_figures memory;
    struct weft_thread_figures threads;
    unsigned processes; /**< that shared it: so many in shares; 0: this one had all */
    struct weft_bench_share shares[WEFT_BENCH_PROCESSES];
    char alone[WEFT_ERR_MSG_MAX]; /**< why one of several did it; "": not so */
    /** wall_s and peak_rss_bytes with the first number of threads or processes; 0: this is it */
    double one_wall_s;
    double one_cpu_s; /**< cpu_s with the first number of threads, if that is one */
    uint64_t one_rss_bytes;
    uint64_t instructions; /**< of the run, --callgrind; 0: not counted */
};

/** Runs a measurement in this process. */
void weft_bench_run(const struct weft_cli *cli, const struct weft_bench_spec *spec,
                    struct weft_bench_result *out);

/** What a run plays: weft_bench_traffic or weft_bench_job. */
struct weft_bench_player {
    void *ctx;
    int (*start)(void *ctx, struct weft_err *err); /**< posts what goes out at time 0 */
};
/** Starts @p p and runs @p net to its end; *@p start_cpu_s: CPU time that starting took. What
 * --callgrind counts: called once per run, by this name. */
int weft_bench_play(struct weft_net *net, const struct weft_bench_player *p, double *start_cpu_s,
                    struct weft_err *err);

/* traffic.c: messages straight onto the net */
struct weft_bench_traffic;
/** Prepares the traffic of a case over @p net and @p fabric; installs the sink. @p in_run: it is
 * posted once the net runs, so that processes which share it need not exchange at each message.
 * NULL on failure. */
struct weft_bench_traffic *weft_bench_traffic_new(const struct weft_bench_spec *spec,
                                                  const struct weft_fabric *fabric, uint64_t seed,
                                                  bool in_run, struct weft_net *net,
                                                  struct weft_err *err);
struct weft_bench_player weft_bench_traffic_player(struct weft_bench_traffic *t);
/** 0, or why a message could not be posted or did not arrive. */
int weft_bench_traffic_end(struct weft_bench_traffic *t, struct weft_err *err);
/** Time of the last delivery. */
int64_t weft_bench_traffic_last_ps(const struct weft_bench_traffic *t);
void weft_bench_traffic_free(struct weft_bench_traffic *t);

/* seam.c: a net between the frontend and a backend that counts the time on either side */
struct weft_bench_seam;
struct weft_bench_seam *weft_bench_seam_new(struct weft_net *inner, struct weft_err *err);
struct weft_net *weft_bench_seam_net(struct weft_bench_seam *s);
/** The clock starts on the frontend's side (1) or the backend's (0). */
void weft_bench_seam_cross(struct weft_bench_seam *s, int frontend);
/** Seconds on the frontend's side, callbacks included, what they call in the backend not. */
double weft_bench_seam_frontend_s(const struct weft_bench_seam *s);
/** Time of the last delivery. */
int64_t weft_bench_seam_last_ps(const struct weft_bench_seam *s);
/** Frees the seam, not the inner net. */
void weft_bench_seam_free(struct weft_bench_seam *s);

/* process.c */
/** Runs a measurement in a process of its own, so that its peak memory is its own. */
int weft_bench_fork(const struct weft_cli *cli, const struct weft_bench_spec *spec,
                    struct weft_bench_result *r, struct weft_err *err);
/** Runs it once more under valgrind and counts the instructions of the run. */
int weft_bench_callgrind(const struct weft_cli *cli, const struct weft_bench_spec *spec,
                         uint64_t *instructions, struct weft_err *err);
/** Has mpirun start as many processes as @p spec says, which run it together. */
int weft_bench_mpirun(const struct weft_cli *cli, const struct weft_bench_spec *spec,
                      struct weft_bench_result *r, struct weft_err *err);
/** Hands the result to the program that has started this one by weft_bench_mpirun. */
int weft_bench_hand_over(const char *file, const struct weft_bench_result *r, struct weft_err *err);

/* peers.c: in processes that mpirun has started, what they give to each other */
struct weft_bench_peers;
struct weft_bench_peers *weft_bench_peers_new(const struct weft_peers *of, struct weft_err *err);
/** By which the processes are to exchange; NULL of NULL. */
const struct weft_peers *weft_bench_peers_link(const struct weft_bench_peers *b);
/** The run begins, and ends: what lies between is counted. Of NULL, nothing. */
void weft_bench_peers_begin(struct weft_bench_peers *b);
void weft_bench_peers_end(struct weft_bench_peers *b, double wall_s);
/** Fills in what all of them have counted. */
int weft_bench_peers_gather(struct weft_bench_peers *b, struct weft_bench_result *r,
                            struct weft_err *err);
void weft_bench_peers_free(struct weft_bench_peers *b);

/* print.c */
/** What a run costs with some number of threads. */
struct weft_bench_costs {
    unsigned threads;
    double one_s;           /**< the whole run, of one thread */
    double alone_s;         /**< one thread beside the windows */
    double critical_s;      /**< the busiest threads of all windows */
    uint64_t windows;       /**< that threads run together */
    uint64_t moved_packets; /**< from nodes of one thread to nodes of another */
};
/** How many times as fast as one thread these are, if each has a processor. */
double weft_bench_speed_up(const struct weft_bench_costs *c);
struct weft_json;
void weft_bench_print(FILE *out, const struct weft_bench_spec *spec,
                      const struct weft_bench_result *r);
void weft_bench_print_json(struct weft_json *j, const struct weft_bench_spec *spec,
                           const struct weft_bench_result *r);

#endif
