/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Columns of ranks.csv and critical_path.csv that say what time was spent on, with the names that
 * figures show.
 */
#include "plot/causes.h"

const struct weft_cause weft_causes[WEFT_CAUSES] = {
    {"?compute_ns", "compute", 6},
    {"?cpu_ns", "CPU", 12},
    {"?memory_ns", "memory", 13},
    {"?network_ns", "network: data on its way", 0},
    {"?own_nic_ns", "own NIC busy with other data", 5},
    {"?congestion_control_ns", "congestion control", 4},
    {"?loss_recovery_ns", "loss recovery", 3},
    {"?pfc_pause_ns", "PFC pause", 1},
    {"?fabric_queueing_ns", "queues of switches", 2},
    {"?reduce_ns", "adding up", 10},
    {"?endpoint_ns", "software and injection", 11},
    {"?peer_ns", "waiting for other ranks", 8},
    {"?dependency_ns", "peers that could not send yet", 9},
    {"?open_ns", "unfinished", 7},
    {"?idle_ns", "idle", 13},
};
