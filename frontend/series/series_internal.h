/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of series. Private to frontend/series. */
#ifndef WEFT_SERIES_INTERNAL_H
#define WEFT_SERIES_INTERNAL_H

#include "series/series.h"

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
    bool on_change;
    int64_t interval_ps;
    uint64_t pack_above_bytes;      /**< UINT64_MAX: tables are not packed */
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

/** Where the recorder writes, and of which sample; on change: of which row. */
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

/** The row of a connection of TCP as it is now, with all that it has acknowledged. */
struct weft_qp_row weft_series_connection_row(const struct weft_net_connection *c);

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

/* rules.c */
/** Files that rules of hosts, numbers and all want a QP in. */
uint8_t weft_series_qp_files(const struct weft_series_choice *c, const struct weft_qp_state *q);
/** Files that rules of flows want it in while @p msg is its oldest message; UINT64_MAX: none is. */
uint8_t weft_series_flow_files(const struct weft_series_choice *c, uint64_t msg);

/* observables.c */
/** The columns of control.csv behind those that name the QP. */
struct weft_observables;
struct weft_observables *weft_observables_new(const struct weft_series_choice *c,
                                              struct weft_err *err);
void weft_observables_free(struct weft_observables *o);
/** How many a control has. */
size_t weft_observables_count(const struct weft_cc_ops *control);
/** Creates control.csv. */
struct weft_csv *weft_observables_open(const struct weft_observables *o, const char *path,
                                       struct weft_err *err);
/** Writes a row of it; @p observed: the values of @p control. */
void weft_observables_row(const struct weft_observables *o, const struct weft_cc_ops *control,
                          const double *observed, const struct weft_qp_row *row,
                          struct weft_series_sample *s);

/* qps.c */
struct weft_qp_series;
struct weft_qp_series *weft_qp_series_new(const struct weft_series_choice *c,
                                          struct weft_observables *o, struct weft_err *err);
void weft_qp_series_free(struct weft_qp_series *q);
void weft_qp_series_take(struct weft_qp_series *q, struct weft_net *net,
                         struct weft_series_sample *s);

/* instant.c */
/** The objects of a table that have changed at the instant that is under way. Once it is over
 * `write` is called for each, in their order, perhaps more than once. */
struct weft_instant {
    void (*write)(void *ctx, int64_t t_ps, uint32_t object);
    void *ctx;
    int64_t t_ps;
    uint32_t *objects;
    size_t n, cap;
};
/** An object changes. Times do not go back. */
void weft_instant_note(struct weft_instant *i, int64_t t_ps, uint32_t object,
                       struct weft_series_sample *s);
/** The instant is over. */
void weft_instant_end(struct weft_instant *i);
void weft_instant_free(struct weft_instant *i);

/* port_changes.c */
struct weft_port_changes;
struct weft_port_changes *weft_port_changes_new(const struct weft_series_choice *c,
                                                struct weft_series_sample *s, struct weft_err *err);
void weft_port_changes_free(struct weft_port_changes *p);
/** Adds what it has to be told of. */
void weft_port_changes_ask(struct weft_port_changes *p, struct weft_net_changes *changes);
/** Writes the last rows: what is not 0 at the end of the run. */
void weft_port_changes_finish(struct weft_port_changes *p, int64_t end_ps);

/* qp_changes.c */
struct weft_qp_changes;
struct weft_qp_changes *weft_qp_changes_new(const struct weft_series_choice *c,
                                            struct weft_observables *o,
                                            struct weft_series_sample *s, struct weft_err *err);
void weft_qp_changes_free(struct weft_qp_changes *q);
void weft_qp_changes_ask(struct weft_qp_changes *q, struct weft_net_changes *changes);
/** Writes the last rows, of all that had any. */
void weft_qp_changes_finish(struct weft_qp_changes *q, struct weft_net *net, int64_t end_ps);

#endif
