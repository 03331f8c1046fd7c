/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fct.txt and pfc.txt of a run whose traffic is a workload's: what the ns-3 of ASTRA-sim and SimAI
 * writes. Each message is a flow of its own there, from port 10000 on of its pair of hosts, to port
 * 100; it starts when it is posted and is complete with its last acknowledgement.
 */
#ifndef WEFT_HPCC_MESSAGES_H
#define WEFT_HPCC_MESSAGES_H

#include "base/arena.h"
#include "foreign/hpcc/config.h"
#include "net/net.h"

/** What a configuration says of them: names in the run folder, NULL: not written. */
struct weft_hpcc_message_files {
    const char *fct, *pfc;
    uint64_t payload_bytes; /**< of a packet */
};
/** Takes FCT_OUTPUT_FILE and PFC_OUTPUT_FILE; names are copied into @p arena. */
int weft_hpcc_message_files(const struct weft_hpcc_config *c, struct weft_arena *arena,
                            struct weft_hpcc_message_files *out, struct weft_err *err);

struct weft_hpcc_messages_config {
    const struct weft_fabric *fabric;
    uint64_t payload_bytes;          /**< of a packet */
    const char *fct_path, *pfc_path; /**< NULL: not written */
    struct weft_net_observer inner;  /**< also told of everything */
};

struct weft_hpcc_messages;

/** Opens the files; NULL on failure. */
struct weft_hpcc_messages *weft_hpcc_messages_new(const struct weft_hpcc_messages_config *c,
                                                  struct weft_err *err);
/** The observer to create the net with. */
struct weft_net_observer weft_hpcc_messages_observer(struct weft_hpcc_messages *m);
/** Hands all lines to the operating system. */
int weft_hpcc_messages_flush(struct weft_hpcc_messages *m, struct weft_err *err);
/** Closes the files, reporting any failure until then; what it is told after that is lost. */
int weft_hpcc_messages_close(struct weft_hpcc_messages *m, struct weft_err *err);
/** Also when the files are still open; NULL is allowed. */
void weft_hpcc_messages_free(struct weft_hpcc_messages *m);

#endif
