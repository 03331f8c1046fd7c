/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loss recovery: what the two ends of a QP do about a gap in the packet numbers.
 *
 * A loss recovery is one struct recovery in one file, listed in recoveries.def. rc.c and
 * nic.c handle what all share (the packet expected next, cumulative ACKs, the timer) and call these
 * functions only when something was lost, so a loss-free run costs the same under each.
 *
 * The sender has one cursor, nxt_psn. Going back moves it down; what is sent below top_psn is a
 * retransmission.
 */
#ifndef WEFT_ENGINE_RECOVERY_H
#define WEFT_ENGINE_RECOVERY_H

#include "core/transport_state.h"

#define RECOVERY(number, symbol, word) extern const struct recovery recovery_##symbol;
#include "recoveries.def"
#undef RECOVERY

/** The member for transport.recovery. */
const struct recovery *recovery_of(int which);
/** WEFT_E_INTERNAL: a function that is not optional is missing. */
int recovery_check(const struct recovery *r, struct weft_err *err);

/* go_back_n.c, for the loss recoveries that go back as it does */
/** struct recovery.gap: discards the packet and answers it. */
void go_back_n_gap(struct weft_engine *e, uint32_t qi, uint32_t i);
/** struct recovery.acked: a NACK restarts from the oldest unacknowledged packet. */
void go_back_n_acked(struct weft_engine *e, uint32_t qi, const struct pkt *k);

#endif
