/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Credit that receivers grant to senders (congestion controls with WEFT_CC_NEEDS_CREDIT; UE
 * specification 1.0.3, 3.6.14).
 *
 * Each data packet says how much its sender wants to have been granted in all. A QP that is blocked
 * with nothing asked for sends a request by itself, and so does one whose timer expires. The
 * receiver has one pacer per port: two lists of QPs, of which those that asked for more get a grant
 * each in turn, in packets of the priority of ACKs; while there are none the others get credit
 * ahead. Each time that a sender asks again it waits twice as long, up to 16 times, and goes on so
 * after a grant: its turn comes as seldom as there are many others. The next grant follows when
 * what the last one allowed has had time to arrive. A request, or what is left of a trimmed packet,
 * is answered even if nothing is to be granted: grants may be lost, and each says all that was
 * granted so far.
 */
#ifndef WEFT_ENGINE_GRANT_H
#define WEFT_ENGINE_GRANT_H

#include "core/transport_state.h"
#include "engine.h"
#include "congestion/cc_credit.h"

/* grant_ask.c: senders */
/** Data packet @p pkt, just made, says what its QP wants. */
void grant_ask_with(struct weft_engine *e, struct qp *q, uint32_t qi, uint32_t pkt);
/** Sends a request unless more was asked for than granted, which a timer then guards; @p again: in
 * any case, and the timer takes longer. */
void grant_ask(struct weft_engine *e, struct qp *q, uint32_t qi, bool again);

/* grant.c: receivers, and what comes back to senders */
/** WEFT_E_LIMIT: out of memory. */
int grant_init(struct weft_engine *e, struct weft_err *err);
void grant_fini(struct weft_engine *e);
/** A packet of QP @p qi wants @p wanted in all, modulo 2^32; @p answer: at once and in any case. */
void grant_requested(struct weft_engine *e, uint32_t qi, uint32_t wanted, bool answer);
/** The ACKs of QP @p qi leave by another port of their host than @p from: its grants, too, and that
 * port's pacer makes them. */
void grant_moved(struct weft_engine *e, uint32_t qi, uint32_t from);
/** A grant has come to its end. Consumes it. */
void grant_receive(struct weft_engine *e, uint32_t pkt);
/* grant_core.c: what receivers heed before the last hop */
/** A data packet of QP @p q, with @p flags, has come. */
void grant_note(struct weft_engine *e, const struct qp *q, uint32_t flags);
/** Share of the rate of its grants that a pacer makes now, by the rules of QP @p q. */
double grant_core_rate(struct weft_engine *e, struct pacer *p, const struct qp *q,
                       const struct weft_cc_grants *rules);

/** timer_ops of EV_GRANT: a pacer's time has come. */
void grant_due(struct weft_engine *e, uint64_t nic);

/** The record of a QP under credits. */
static inline struct grantee *grantee_at(const struct grants *g, uint32_t qi)
{
    return (struct grantee *)(void *)g->of.base + qi;
}

#endif
