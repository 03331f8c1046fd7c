/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of rows: what the columns of each file are found in. Where the record is not simply what
 * the net or the system reports, it is declared here.
 */
#ifndef WEFT_REPORT_ROWS_H
#define WEFT_REPORT_ROWS_H

#include "net/net.h"
#include "report/columns.h"
#include "system/system.h"
#include "topologies/fabric.h"
#include "fault/fault.h"

/** The record of flows.csv is struct weft_completion, of collectives.csv struct weft_phase_record,
 * of tcp_connections.csv struct weft_net_connection, of jobs.csv struct weft_job_summary, of
 * classes.csv struct weft_class_summary. */
extern const struct weft_csv_file weft_flows_csv, weft_ops_csv, weft_links_csv, weft_pfc_csv,
    weft_collectives_csv, weft_ranks_csv, weft_dims_csv, weft_path_csv, weft_faults_csv,
    weft_tcp_csv, weft_jobs_csv, weft_classes_csv, weft_requests_csv;

/** ops.csv */
struct weft_op_row {
    struct weft_op_record op;
    int64_t exposed_ps[WEFT_CAUSES];
    int64_t exposed_sum_ps;
    enum weft_parallelism use; /**< what communication of a training job is for */
};

/** ranks.csv */
struct weft_rank_row {
    uint32_t rank;
    uint32_t finished; /**< 0 or 1 */
    struct weft_rank_result result;
};

/** critical_path.csv */
struct weft_path_row {
    uint64_t step;
    struct weft_path_record path;
};

/** links.csv */
struct weft_link_row {
    uint32_t port, link;
    char from[WEFT_NODE_NAME_MAX], to[WEFT_NODE_NAME_MAX];
    uint32_t dim;
    uint64_t rate_bps;
    int64_t delay_ps;
    struct weft_port_counters st;
    double util_pct;
};

/** pfc.csv */
struct weft_pfc_row {
    struct weft_net_pfc pfc;
    char node[WEFT_NODE_NAME_MAX], peer[WEFT_NODE_NAME_MAX];
};

/** dimensions.csv */
struct weft_dim_row {
    uint32_t dim, size;
    const char *kind;
    double rate_bps;
    int by_phases;
    uint64_t bytes;
    int64_t communication_ps;
    double util_pct, busy_pct; /**< NaN: there is none */
};

/** faults.csv */
struct weft_fault_row {
    struct weft_fault_record fault;
    uint32_t entry;
    char a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX];
};

/** What delays messages: the columns of times by cause, in an array whose first element is that of
 * the cause @p first. */
#define WEFT_DELAY_COLUMNS(T, field, first, of)                                                    \
    WEFT_COLUMN_NS(T, "own_nic_ns", field[WEFT_CAUSE_OWN_NIC - (first)],                           \
                   of "a message's NIC was sending something else of its host"),                   \
        WEFT_COLUMN_NS(T, "congestion_control_ns", field[WEFT_CAUSE_CONGESTION_CONTROL - (first)], \
                       of "it was paced below the rate of its link, or its window was full"),      \
        WEFT_COLUMN_NS(T, "loss_recovery_ns", field[WEFT_CAUSE_LOSS_RECOVERY - (first)],           \
                       of "timeouts, what was sent again, no path"),                               \
        WEFT_COLUMN_NS(T, "pfc_pause_ns", field[WEFT_CAUSE_PFC_PAUSE - (first)],                   \
                       of "it was paused by PFC, or without credit, at the NIC or on its way"),    \
        WEFT_COLUMN_NS(T, "fabric_queueing_ns", field[WEFT_CAUSE_FABRIC_QUEUEING - (first)],       \
                       of "it waited in queues of the fabric")

#endif
