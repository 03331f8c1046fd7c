/* SPDX-License-Identifier: GPL-2.0-only */
/* Congestion controls, one per transport and dimension. */
#ifndef WEFT_ENGINE_CONTROL_H
#define WEFT_ENGINE_CONTROL_H

#include "congestion/choice.h"
#include "engine.h"
#include "profile.h"
#include "qp.h"

/** Most congestion controls of a run. */
#define CONTROLS_MAX (PROFILES * WEFT_FABRIC_DIMS_MAX)

/** A congestion control as the QPs of one transport and dimension use it. */
struct control {
    const struct profile *profile;
    uint64_t line_rate_bps; /**< settled: of those QPs */
    int64_t base_rtt_ps;    /**< settled: of those QPs; 0: of any, nothing follows from it */
    const struct weft_cc_ops *ops;
    const void *params;
    struct weft_cc_cnp cnp;
    struct weft_cc_signals signals;
    bool ecn_on, cnp_on, echo_on, int_on, pint_on, credit_on, supply_on;
    struct weft_cc_choice own; /**< the dimension's, when it has one of its own */
    /** the same with its parameters settled for QPs of a line rate and base RTT; NULL: no more.
     * Last, as threads may add to the list while others copy what is before */
    struct control *settled;
};

/** What the congestion controls of all transports and dimensions need together. */
struct control_needs {
    unsigned bits;       /**< enum weft_cc_needs */
    const char *stamped; /**< the name of one that needs INT or PINT, NULL: none does */
    uint32_t data_bytes; /**< most that the signals of one add to a data packet */
};

#pragma GCC visibility push(hidden)

/** How many there are: of each dimension under the run's transport, then of each under uet. */
uint32_t control_count(const struct weft_engine_params *p, const struct weft_fabric *f);
/** Whether the congestion controls of all dimensions, c->cc where they have none of their own, and
 * uet.control can be used together. @p needs may be NULL. */
int control_check(const struct weft_engine_config *c, struct control_needs *needs,
                  struct weft_err *err);
int control_init(struct weft_engine *e, const struct weft_engine_config *c, struct weft_err *err);
void control_fini(struct weft_engine *e);
/** The MTU of a dimension. */
uint64_t control_own_mtu(const struct weft_engine_params *p, const struct weft_fabric *f,
                         uint32_t dim);
/** Largest payload of a packet that may cross a link of dimension @p dim. */
uint64_t control_mtu_bytes(const struct weft_engine_params *p, const struct weft_fabric *f,
                           uint32_t dim);
/** The smallest MTU of the dimensions whose links @p ports send on. */
uint64_t control_mtu_along(const struct weft_engine *e, const uint32_t *ports, uint32_t hops);
/** All controls, without engine. WEFT_E_INPUT: one of them is malformed. */
int control_read_all(const struct weft_engine_config *c, struct control list[CONTROLS_MAX],
                     struct weft_err *err);
/** Frees what control_read_all read. */
void control_free_all(struct control list[CONTROLS_MAX], uint32_t n);
/** Settles the parameters of the control of a QP whose env is filled (base/scale.h). WEFT_E_LIMIT:
 * out of memory. */
int control_settle(struct weft_engine *e, struct qp *q, struct weft_err *err);
/** Gives a QP whose data takes @p hops ports the transport of its priority, the control of the
 * outermost dimension among theirs, and the smallest of their MTUs. */
void control_assign(const struct weft_engine *e, struct qp *q, const uint32_t *ports,
                    uint32_t hops);

#pragma GCC visibility pop

/** The transport of a QP. */
static inline const struct profile *profile_of(const struct qp *q)
{
    return q->control->profile;
}

#endif
