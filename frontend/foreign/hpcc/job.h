/* SPDX-License-Identifier: GPL-2.0-only */
/* Everything that an HPCC configuration names, read and checked against each other. */
#ifndef WEFT_HPCC_JOB_H
#define WEFT_HPCC_JOB_H

#include "foreign/hpcc/config.h"
#include "foreign/hpcc/flow.h"
#include "foreign/hpcc/pairs.h"
#include "foreign/hpcc/trace.h"

WEFT_C_BEGIN

/** One configuration with its inputs. */
struct weft_hpcc_job {
    struct weft_hpcc_config *config;
    char topology_path[WEFT_PATH_MAX];
    struct weft_fabric
        *fabric; /**< links without a loss rate of their own have the configuration's */
    struct weft_hpcc_flows *flows;
    struct weft_hpcc_pairs pairs;
    struct weft_hpcc_trace traced; /**< nodes of TRACE_FILE; none under ENABLE_TRACE 0 */
};

/** Reads a topology as the simulator does: what follows its links is left out. @p hosts_forward:
 * where neither switches nor a link join two hosts, others between them forward. */
int weft_hpcc_topology_read(const char *path, bool hosts_forward, struct weft_fabric **out,
                            struct weft_err *err);
/** Reads the configuration @p path with overrides (NULL: none) and its files; nothing to free on
 * failure. @p hosts_forward: as above. */
int weft_hpcc_job_read(struct weft_hpcc_job *j, const char *path, bool hosts_forward,
                       const struct weft_hpcc_overrides *o, enum weft_hpcc_flow_format format,
                       struct weft_err *err);
void weft_hpcc_job_free(struct weft_hpcc_job *j);

WEFT_C_END
#endif
