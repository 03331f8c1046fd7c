/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a dimension of a fabric may set for itself instead of taking it from the run: the packet
 * size, the buffer of its switches, how its links keep from losing packets, and its congestion
 * control.
 *
 * As text these are attributes of <dimension>, beside those of its generator:
 *   switch size=8 rate=3600Gbps mtu=8192B congestion-control=static-window static-window.window=1MB
 */
#ifndef WEFT_TOPOLOGY_DIM_SETTINGS_H
#define WEFT_TOPOLOGY_DIM_SETTINGS_H

#include "base/param.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** Longest text that names a congestion control with its parameters, with its terminator. */
#define WEFT_DIM_CONTROL_MAX 256

/** What keeps lossless priorities from losing packets. */
enum weft_flow_control {
    WEFT_FLOW_PFC,   /**< pauses, as the run has it */
    WEFT_FLOW_CREDIT /**< credits for the receiver's buffer */
};

/** The settings of one dimension; all zero: those of the run. */
struct weft_dim_settings {
    uint64_t mtu_bytes;    /**< payload of a full packet on its links; 0: transport.mtu */
    uint64_t buffer_bytes; /**< of each of its switches; 0: switch.buffer */
    int flow_control;      /**< enum weft_flow_control of its links */
    /** its congestion control, "static-window window=1MB"; empty: the run's */
    char control[WEFT_DIM_CONTROL_MAX];
};

/** The rows of a parameter table for a field `struct weft_dim_settings set` of @p type. */
#define WEFT_DIM_SETTINGS_PARAMS(type)                                                             \
    {"mtu",                                                                                        \
     WEFT_PARAM_SIZE,                                                                              \
     offsetof(type, set.mtu_bytes),                                                                \
     "0B",                                                                                         \
     "0B",                                                                                         \
     "9216B",                                                                                      \
     NULL,                                                                                         \
     "payload bytes of a full packet; one that crosses several dimensions is as long as the "      \
     "smallest of theirs; 0: transport.mtu",                                                       \
     NULL},                                                                                        \
        {"buffer",                                                                                 \
         WEFT_PARAM_SIZE,                                                                          \
         offsetof(type, set.buffer_bytes),                                                         \
         "0B",                                                                                     \
         "0B",                                                                                     \
         "2GiB",                                                                                   \
         NULL,                                                                                     \
         "shared buffer of each of its switches; NPUs that forward have the largest of their "     \
         "dimensions; 0: switch.buffer",                                                           \
         NULL},                                                                                    \
    {                                                                                              \
        "flow-control", WEFT_PARAM_ENUM, offsetof(type, set.flow_control), "pfc", NULL, NULL,      \
            "pfc|credit",                                                                          \
            "what keeps the priorities of pfc.prios from losing packets: pauses, if pfc.enabled; " \
            "credits for buffers at the end of each link, see section credit",                     \
            "Kung, Blackwell, Chapman, SIGCOMM 1994"                                               \
    }

/** The parameters that are plain numbers or words; congestion-control is text apart. */
extern const struct weft_param_table weft_dim_settings_table;
/** The key of the congestion control. */
#define WEFT_DIM_CONTROL_KEY "congestion-control"

/** Whether @p name is the key of a setting. */
bool weft_dim_settings_has(const char *name);
/**
 * Sets one from text. @p name: a parameter of the table, congestion-control, or NAME.PARAMETER of
 * the control NAME that was set before. Whether that control exists is for others to say.
 */
int weft_dim_settings_set(struct weft_dim_settings *s, const char *name, const char *value,
                          struct weft_err *err);
/** Calls @p fn for each setting that is not the run's. */
void weft_dim_settings_each(const struct weft_dim_settings *s, void *ctx,
                            void (*fn)(void *ctx, const char *name, const char *value));
/** Copies a whole text "NAME PARAMETER=VALUE ..." as the control. */
int weft_dim_settings_control(struct weft_dim_settings *s, const char *text, struct weft_err *err);

WEFT_C_END
#endif
