/* SPDX-License-Identifier: GPL-2.0-only */
/* Go-back-N, for the loss recoveries that go back as it does. */
#ifndef WEFT_ENGINE_GO_BACK_N_H
#define WEFT_ENGINE_GO_BACK_N_H

#include "core/pkt.h"

/** struct recovery.gap: discards the packet and answers it. */
void go_back_n_gap(struct weft_engine *e, uint32_t qi, uint32_t i);
/** struct recovery.acked: a NACK restarts from the oldest unacknowledged packet. */
void go_back_n_acked(struct weft_engine *e, uint32_t qi, const struct pkt *k);

#endif
