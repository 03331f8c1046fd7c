/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reliable unordered delivery, as Ultra Ethernet's RUD (UE specification 1.0.3, 3.5): out-of-order
 * delivery whose window counts what is really in flight.
 *
 * Receiver: as with out-of-order, each packet is placed when it comes and acknowledged by itself
 * with a SACK. A trimmed packet is answered by a NACK that names it.
 * Sender: a packet named by a NACK is sent again at once, before new ones, the lowest number first.
 * In flight, for the window, is the payload of packets that were sent and are neither known to be
 * received nor known to be lost; so one packet that is missing does not hold up the others. When
 * the timer expires what was sent before the last packet known to be received is lost, or, without
 * such a packet, all. transport.reorder-packets finds lost packets earlier, where switches don't
 * trim.
 */
#include "recovery.h"
#include "repeat.h"

const struct recovery recovery_rud = {.name = "rud",
                                      .tolerates_reordering = true,
                                      .counts = true,
                                      .gap = repeat_gap,
                                      .acked = repeat_acked,
                                      .timeout = repeat_timeout,
                                      .received = repeat_received,
                                      .trimmed = repeat_trimmed,
                                      .flight = repeat_flight,
                                      .timers = &repeat_timers,
                                      .sent = repeat_sent,
                                      .fini = repeat_fini};
