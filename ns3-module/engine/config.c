/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a configuration can be run: weft_engine_check_config. */
#include "balance/balance.h"
#include "core/control_config.h"
#include "core/fastq.h"
#include "switch/credit.h"
#include "switch/mmu.h"
#include "switch/train.h"
#include "switch/trim.h"
#include "transport/profile.h"
#include "transport/recovery.h"

#include <inttypes.h>

static int check_prio(uint64_t prio, const char *what, struct weft_err *err)
{
    if (prio < WEFT_PRIOS)
        return 0;
    return weft_err_set(err, WEFT_E_INPUT, "transport.%s is %" PRIu64 "; priorities are 0 to 7",
                        what, prio);
}

int weft_engine_check_config(const struct weft_engine_config *c, struct weft_err *err)
{
    const struct weft_transport_params *t = &c->params.transport;
    const uint64_t header = profile_longest_header(&c->params);
    int rc;
    if ((rc = check_prio(t->data_prio, "data-prio", err)) ||
        (rc = check_prio(t->ack_prio, "ack-prio", err)) ||
        (rc = check_prio(t->cnp_prio, "cnp-prio", err)))
        return rc;
    if (!c->fabric || !c->fabric->ports)
        return weft_err_set(err, WEFT_E_INPUT, "the engine needs a finished fabric");
    if (c->fabric->nports > 1u << FASTQ_PORT_BITS)
        return weft_err_set(err, WEFT_E_LIMIT, "the fabric has %u ports; at most %u",
                            c->fabric->nports, 1u << FASTQ_PORT_BITS);
    if (!c->cc)
        return weft_err_set(err, WEFT_E_INPUT,
                            "the engine needs a congestion control; 'none' is one");
    for (uint32_t d = 0; d < c->fabric->ndims; d++) {
        const uint64_t mtu = control_mtu_bytes(&c->params, c->fabric, d);
        if (mtu == 0 || mtu + header + 3 > UINT16_MAX)
            return weft_err_set(err, WEFT_E_INPUT, "%s must be 1 byte to %u bytes",
                                c->fabric->dims[d].set.mtu_bytes ? "the mtu of a dimension"
                                                                 : "transport.mtu",
                                (unsigned)(UINT16_MAX - header - 3));
    }
    if ((rc = profile_check(&c->params, err)))
        return rc;
    const struct recovery *const recoveries[PROFILES] = {recovery_of(c->params.transport.recovery),
                                                         recovery_of(c->params.uet.t.recovery)};
    const struct weft_ecn_params *ecn = &c->params.ecn;
    if (ecn->kmin_bytes != UINT64_MAX && ecn->kmin_bytes > ecn->kmax_bytes)
        return weft_err_set(err, WEFT_E_INPUT,
                            "ecn.kmin (%" PRIu64 "B) exceeds ecn.kmax (%" PRIu64 "B)",
                            ecn->kmin_bytes, ecn->kmax_bytes);
    if (c->fabric->transit && t->ack_ignores_pause)
        return weft_err_set(err, WEFT_E_INPUT,
                            "transport.ack-ignores-pause has no meaning in a fabric whose hosts "
                            "forward: their queues hold packets of others too");
    struct control_needs needs;
    if ((rc = control_check(c, &needs, err)) || (rc = balance_check(c, recoveries, err)) ||
        (rc = credit_check(c, err)) || (rc = train_check(c, needs.bits, err)))
        return rc;
    rc = trim_check_config(c, err);
    return rc ? rc : mmu_check_config(c, err);
}
