/* SPDX-License-Identifier: GPL-2.0-only */
/* What htsim_uec makes of its options, as settings. */
#ifndef WEFT_CLI_HTSIM_SETTINGS_H
#define WEFT_CLI_HTSIM_SETTINGS_H

#include "run/settings.h"
#include "topologies/topology.h"

/** How entropy values are chosen: the words of weft_htsim_options.balance. */
#define WEFT_HTSIM_BALANCES "mixed|bitmap|reps|oblivious"

/** What senders can do: the words of -sender_cc_algo, in the order of enum weft_htsim_control. */
#define WEFT_HTSIM_CONTROLS "nscc|constant|dctcp|smartt|mprdma"
enum weft_htsim_control {
    WEFT_HTSIM_NSCC,
    WEFT_HTSIM_CONSTANT, /**< a window that does not change */
    WEFT_HTSIM_DCTCP,    /**< a packet gained per window, a third lost per marked packet */
    WEFT_HTSIM_SMARTT,   /**< of tommasobo/REPS_EuroSys_Artifact, like the next */
    WEFT_HTSIM_MPRDMA
};

/** The options that decide numbers, in htsim's units. */
struct weft_htsim_options {
    const char *matrix;   /**< the connection matrix */
    const char *topology; /**< the .topo file; NULL: a fat tree of so many hosts */
    uint64_t nodes, tiers;
    double link_mbps, hop_us, switch_us;
    uint64_t packet_bytes; /**< with the 64 bytes of the header */
    uint64_t paths, seed, failed;
    double end_us;
    bool sender, receiver;           /**< who controls congestion */
    enum weft_htsim_control control; /**< what senders do */
    bool trims, own_base_rtt, no_nack_rtt;
    double target_us;                           /**< 0: of the network's RTT */
    int64_t qa_gate;                            /**< below 0: 3 */
    uint64_t queue_factor, queue_packets;       /**< 0: not given */
    uint64_t ecn_low_packets, ecn_high_packets; /**< 0: not given */
    uint64_t window_packets;                    /**< 0: the largest */
    uint64_t trim_bytes;
    bool core_control;   /**< receivers heed marks where the tree is oversubscribed */
    uint64_t ack_bytes;  /**< received per ACK; 0: an ACK per packet */
    const char *balance; /**< one of WEFT_HTSIM_BALANCES */
};

/** The hosts that the head of a connection matrix names. */
int weft_htsim_nodes(const char *matrix, uint64_t *nodes, struct weft_err *err);
/** Appends the settings that @p o comes to. WEFT_E_INPUT: htsim could not run it. */
int weft_htsim_settings(const struct weft_htsim_options *o, struct weft_settings *out,
                        struct weft_err *err);

#endif
