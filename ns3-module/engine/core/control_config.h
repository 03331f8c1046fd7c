/* SPDX-License-Identifier: GPL-2.0-only */
/* Transports and congestion controls of a configuration. */
#ifndef WEFT_ENGINE_CONTROL_CONFIG_H
#define WEFT_ENGINE_CONTROL_CONFIG_H

#include "engine.h"
#include "transport_state.h"

/** Most congestion controls of a run. */
#define CONTROLS_MAX (PROFILES * WEFT_FABRIC_DIMS_MAX)

/** Needs of the congestion controls of all transports and dimensions together. */
struct control_needs {
    unsigned bits;       /**< enum weft_cc_needs */
    const char *stamped; /**< the name of one that needs INT or PINT, NULL: none does */
    uint32_t data_bytes; /**< most that the signals of one add to a data packet */
};

/* Transports. */
/** How many there are: 2 with uet.prios. */
uint32_t profile_count(const struct weft_engine_params *p);
/** The settings of one. */
struct weft_transport_params profile_transport(const struct weft_engine_params *p, uint32_t which);
/** Which one a priority has; FRAME_PRIO: the run's. */
uint32_t profile_of_prio(const struct weft_engine_params *p, uint32_t prio);
/** The most frame bytes around a payload. */
uint64_t profile_longest_header(const struct weft_engine_params *p);
/** The priorities that QPs use beside those of messages: ACKs, also CNPs if @p cnps. */
uint64_t profile_answer_prios(const struct weft_engine_params *p, bool cnps);

/* Congestion controls. */
/** How many there are: of each dimension under the run's transport, then of each under uet. */
uint32_t control_count(const struct weft_engine_params *p, const struct weft_fabric *f);
/** Whether the congestion controls of all dimensions, c->cc where they have none of their own, and
 * uet.control can be used together. @p needs may be NULL. */
int control_check(const struct weft_engine_config *c, struct control_needs *needs,
                  struct weft_err *err);
/** Needs of one transport. */
uint32_t controls_per_profile(const struct weft_fabric *f);
/** The n-th control without what the engine adds; its `own` is for the caller to free. */
int control_read(const struct weft_engine_config *c, uint32_t n, struct control *out,
                 struct weft_err *err);
/** The MTU of a dimension. */
uint64_t control_own_mtu(const struct weft_engine_params *p, const struct weft_fabric *f,
                         uint32_t dim);
/** Largest payload of a packet that may cross a link of dimension @p dim. */
uint64_t control_mtu_bytes(const struct weft_engine_params *p, const struct weft_fabric *f,
                           uint32_t dim);
/** All controls, without engine. WEFT_E_INPUT: one of them is malformed. */
int control_read_all(const struct weft_engine_config *c, struct control list[CONTROLS_MAX],
                     struct weft_err *err);
/** Frees what control_read_all read. */
void control_free_all(struct control list[CONTROLS_MAX], uint32_t n);

#endif
