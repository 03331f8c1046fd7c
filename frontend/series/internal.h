/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of series. Private to frontend/series. */
#ifndef WEFT_SERIES_INTERNAL_H
#define WEFT_SERIES_INTERNAL_H

#include "series/series.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Longest selector. */
#define WEFT_SELECTOR_MAX 64
#define WEFT_ALL_PRIOS 0xffu

/** What is wanted of a port: bit masks of priorities. */
struct weft_port_wanted {
    uint8_t queue, pause, histogram;
    bool throughput;
};

/** Which QPs an item of the list asks for. */
struct weft_qp_rule {
    enum { WEFT_QPS_ALL, WEFT_QPS_FLOWS, WEFT_QPS_NUMBERS, WEFT_QPS_HOSTS } kind;
    uint64_t from, to;                                   /**< FLOWS, NUMBERS */
    char src[WEFT_SELECTOR_MAX], dst[WEFT_SELECTOR_MAX]; /**< HOSTS: globs */
    uint8_t prios;
    uint8_t files; /**< bits 1 << enum weft_series_file */
};

struct weft_series_choice {
    const struct weft_fabric *fabric;
    int64_t interval_ps;
    struct weft_port_wanted *ports; /**< by number */
    uint8_t *nodes;                 /**< by number: 1 when its buffer is wanted */
    struct weft_qp_rule *rules;
    size_t nrules;
    const struct weft_cc_ops **controls; /**< those of the run, each once */
    size_t ncontrols;
    uint32_t files; /**< bits 1 << enum weft_series_file */
};

/* match.c */
/** Whether a node is called so; @p glob as in a shell. */
bool weft_series_node_matches(const struct weft_fabric *f, uint32_t node, const char *glob);
/** Takes ".p3" or ".p0-3" off the end of @p selector: bits of priorities, all when there is none.
 */
int weft_series_cut_prios(char *selector, uint8_t *prios, struct weft_err *err);
/** Takes the second glob off "s0-h3"; "*" when there is none. */
void weft_series_cut_peer(char *selector, char peer[WEFT_SELECTOR_MAX]);
/** Says that nothing matches, and what there is. Returns WEFT_E_INPUT. */
int weft_series_no_match(const struct weft_fabric *f, const char *item, const char *what,
                         struct weft_err *err);

/* Records of rows. */

struct weft_port_names {
    char node[WEFT_NODE_NAME_MAX], peer[WEFT_NODE_NAME_MAX];
};

/** queue.csv, throughput.csv, pause.csv */
struct weft_port_row {
    int64_t t_ps;
    uint32_t port, prio;
    const struct weft_port_names *names;
    uint64_t queue_bytes;
    uint64_t tx_bytes, throughput_bps;
    uint32_t paused;
    int64_t paused_ps;
};

/** queue_histogram.csv */
struct weft_histogram_row {
    uint32_t port, prio;
    struct weft_port_names names;
    uint64_t from_bytes, to_bytes;
    int64_t time_ps;
};

/** buffer.csv */
struct weft_buffer_row {
    int64_t t_ps;
    char node[WEFT_NODE_NAME_MAX];
    struct weft_buffer_state state;
};

/** qp.csv, and the first columns of control.csv */
struct weft_qp_row {
    int64_t t_ps;
    struct weft_qp_state state; /**< acked_bytes: since the previous sample */
    uint64_t goodput_bps;
    uint32_t connection; /**< TCP: its number among those of the same QP */
    bool tcp;
};

/** Where the recorder writes, and of which sample. */
struct weft_series_sample {
    struct weft_csv *csv[WEFT_SERIES_FILES];
    int64_t t_ps, before_ps; /**< this sample, and the one before */
    bool last;               /**< packets on the wire count whole, as in links.csv */
    uint64_t rows;           /**< written in this sample */
    struct weft_err err;     /**< the first failure */
};
/* sample.c */
void weft_series_row(struct weft_series_sample *s, enum weft_series_file file, const void *row);
/** Bits per second of @p bytes since the previous sample. */
uint64_t weft_series_bps(const struct weft_series_sample *s, uint64_t bytes);

/* ports.c */
struct weft_port_series;
struct weft_port_series *weft_port_series_new(const struct weft_series_choice *c,
                                              struct weft_err *err);
void weft_port_series_free(struct weft_port_series *p);
void weft_port_series_take(struct weft_port_series *p, struct weft_net *net,
                           struct weft_series_sample *s);

/* histogram.c */
/** Has the net count; does nothing where no histogram is wanted. */
int weft_histograms_begin(const struct weft_series_choice *c, struct weft_net *net,
                          struct weft_err *err);
/** Writes those of the run until now. */
void weft_histograms_write(const struct weft_series_choice *c, struct weft_net *net,
                           struct weft_series_sample *s);

/* qps.c */
struct weft_qp_series;
struct weft_qp_series *weft_qp_series_new(const struct weft_series_choice *c, struct weft_err *err);
void weft_qp_series_free(struct weft_qp_series *q);
void weft_qp_series_take(struct weft_qp_series *q, struct weft_net *net,
                         struct weft_series_sample *s);
/** Creates control.csv, with a column per observable. */
struct weft_csv *weft_qp_series_open(const struct weft_qp_series *q, const char *path,
                                     struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
