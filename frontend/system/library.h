/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A collective library, NCCL: what it plays an operation by.
 *
 * The library's tuner compares algorithms and protocols by time = latency + bytes / bandwidth; the
 * fastest becomes a choice of an nccl-* algorithm with its parameters, as users could write it.
 */
#ifndef WEFT_SYSTEM_LIBRARY_H
#define WEFT_SYSTEM_LIBRARY_H

#include "collective/nccl.h"
#include "system/nccl_tables.h"
#include "system/auto.h"
#include "system/library_params.h"

/** Values of system.library. */
enum weft_library { WEFT_LIBRARY_IDEAL, WEFT_LIBRARY_NCCL, WEFT_LIBRARY_RCCL };

/** A group of ranks as the library sees it. */
struct weft_library_group {
    uint32_t n, node, nodes; /**< ranks, of a node, nodes */
    uint32_t gpus;           /**< of a whole node */
    double nic_GBps;         /**< of a rank's NIC */
    double link_GBps;        /**< of a rank's links within the node; 0: as many as its GPU has */
    double node_us, net_us;  /**< delay of a path within a node, and between two */
};

/** What an algorithm and protocol would take. */
struct weft_library_row {
    enum weft_nccl_algo algo;
    enum weft_nccl_protocol proto;
    double latency_us, GBps; /**< of the algorithm: bytes / time without latency; 0: not offered */
    double us;               /**< in all */
};
#define WEFT_LIBRARY_ROWS (WEFT_NCCL_ALGOS * WEFT_NCCL_PROTOS)

/** Rate of a rank's links in the innermost dimension of a fabric; 0: it has no dimensions. */
double weft_library_link_GBps(const struct weft_fabric *f);
/** Reads a group's place in the fabric, whose first dimension is the node; @p hosts: of the ranks,
 * NULL: rank i is on host i. Whether the library can play it: ranks are whole nodes, one after the
 * other. */
bool weft_library_group(const struct weft_group *g, const struct weft_dims *fabric,
                        const uint32_t *hosts, struct weft_library_group *out);
/** WEFT_E_INPUT: library.algo or library.proto names something that NCCL does not have, or the GPU
 * is not one of the library. */
int weft_library_check(const struct weft_system_params *p, struct weft_err *err);
/** All that the tuner compares for @p bytes (all_gather: of the whole result), fastest first;
 * returns how many are offered. */
size_t weft_library_rows(const struct weft_system_params *p, const struct weft_library_group *g,
                         enum weft_coll_kind kind, uint64_t bytes,
                         struct weft_library_row rows[WEFT_LIBRARY_ROWS]);
/** Channels of a communicator. */
uint32_t weft_library_channels(const struct weft_system_params *p,
                               const struct weft_library_group *g);
/** The choice that plays a row. */
void weft_library_text(const struct weft_system_params *p, const struct weft_library_group *g,
                       enum weft_coll_kind kind, uint64_t bytes, const struct weft_library_row *row,
                       char text[WEFT_CHOICE_TEXT_MAX]);
/** What the library takes for an operation of a group; false: it has no say. */
bool weft_library_rank(const struct weft_candidates *s, const struct weft_op *op, uint64_t bytes,
                       struct weft_ranking *out);
/** Names of fitted constants in library.constants. */
extern const char *const weft_library_fitted_name[WEFT_NCCL_FITTED];
/** A fitted constant of @p gpu. */
double weft_library_fitted_default(enum weft_nccl_gpu gpu, enum weft_nccl_fitted which);
/** The same, or what library.constants says. */
double weft_library_fitted(const struct weft_library_params *l, enum weft_nccl_fitted which);
/** WEFT_E_INPUT: library.constants is no list of them. */
int weft_library_fitted_check(const char *list, struct weft_err *err);
/** Lists the constants of the model: @p row gets each with its values and where they are from. */
void weft_library_constants(void (*row)(void *ctx, const char *name, const char *values,
                                        const char *source),
                            void *ctx);
/** The same of RCCL. */
void weft_library_rccl_constants(void (*row)(void *ctx, const char *name, const char *values,
                                             const char *source),
                                 void *ctx);
/** "Tree", "Ring", ... */
const char *weft_library_algo_name(enum weft_nccl_algo algo);
/** "LL", "LL128", "Simple" */
const char *weft_library_proto_name(enum weft_nccl_protocol proto);

#endif
