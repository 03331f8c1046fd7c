/* SPDX-License-Identifier: GPL-2.0-only */
/* Named benchmark cases: a fabric, a traffic pattern and a congestion control over the network backend alone. */
#ifndef WEFT_CLI_BENCH_H
#define WEFT_CLI_BENCH_H

#include "cli/cli.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weft_bench_pattern {
    WEFT_BENCH_INCAST,      /**< hosts 1 .. n-1 each send one message to host 0, all at time 0 */
    WEFT_BENCH_PERMUTATION, /**< host h sends one message to host (h + n/2) mod n, all at time 0 */
    WEFT_BENCH_RING, /**< ring all-reduce of `bytes`: 2(n-1) steps of bytes/n to the right neighbour, each when the one before has arrived */
    WEFT_BENCH_ALL_TO_ALL /**< every host sends one message to every other, all at time 0 */
};

/** One case. */
struct weft_bench_case {
    const char *name;
    const char *topology;
    const char *settings; /**< overrides separated by blanks */
    enum weft_bench_pattern pattern;
    uint64_t bytes;
    const char *cc;
    const char *help;
};

/** All cases, in the order of bench.def; *n receives their number. */
const struct weft_bench_case *weft_bench_cases(size_t *n);

/** What a case measured. Plain data: it crosses a pipe from the child process. */
struct weft_bench_result {
    int code; /**< 0 or the error */
    struct weft_err err;
    uint64_t packet_hops, events, messages, bytes;
    int64_t simulated_ps;
    double wall_s, cpu_s; /**< of the run, without building the fabric */
    uint64_t peak_rss_bytes;
};

/** Runs a case in this process on @p backend with additional overrides @p sets. */
void weft_bench_run(const struct weft_cli *cli, const struct weft_bench_case *c,
                    const char *backend, const struct weft_strings *sets,
                    struct weft_bench_result *out);

struct weft_bench_traffic;
/** Prepares the traffic of a case over @p net with @p nhosts hosts; installs the sink. NULL when out of memory. */
struct weft_bench_traffic *weft_bench_traffic_new(const struct weft_bench_case *c, uint32_t nhosts,
                                                  struct weft_net *net);
/** Posts what goes out at time 0. */
int weft_bench_traffic_start(struct weft_bench_traffic *t, struct weft_err *err);
/** 0, or why a message could not be posted or did not arrive. */
int weft_bench_traffic_end(struct weft_bench_traffic *t, struct weft_err *err);
/** Time of the last delivery. */
int64_t weft_bench_traffic_last_ps(const struct weft_bench_traffic *t);
void weft_bench_traffic_free(struct weft_bench_traffic *t);

#ifdef __cplusplus
}
#endif
#endif
