/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reliable ordered delivery, as Ultra Ethernet's ROD (UE specification 1.0.3, 3.5): go-back-N on
 * one path. A QP has one entropy value for good, so that switch.balance=entropy spreads QPs and not
 * packets. The receiver discards what does not come in order and answers it by a NACK (ROD_OOO), as
 * it does what is left of a trimmed packet; the sender goes back to the first that is missing.
 */
#include "recovery.h"
#include "nic.h"

const struct recovery recovery_rod = {.name = "rod",
                                      .one_entropy = true,
                                      .gap = go_back_n_gap,
                                      .acked = go_back_n_acked,
                                      .timeout = nic_go_back};
