/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Out-of-order delivery, for fabrics that send the packets of one QP over many paths (as Ultra
 * Ethernet and AWS SRD do; the receiver's bitmap is that of IRN, SIGCOMM 2018, section 3.1).
 *
 * Receiver: each packet is placed when it comes and noted in a bitmap; its number says where its
 * bytes belong. Every packet that is not the one expected next is answered by an ACK of its own,
 * which carries the packet expected next and, as a SACK, the one that came; nothing else is NACKed
 * than what was trimmed. The expected number moves past all packets that have come. A message is
 * complete when all of it and all messages before it on the QP have come: completions keep the
 * order of posting, as verbs have it. Sender: a SACK alone says nothing of the packets before it.
 * Lost is what is neither acknowledged nor held by the receiver when the retransmission timer
 * expires, and with transport.reorder-packets = n > 0 also what was sent n packets before one that
 * has come. Only lost packets are sent again, each once per expiry. A trimmed packet (trim.h) is
 * answered by a NACK that names it, and sent again at once. In flight, for the window: from the
 * oldest unacknowledged packet to the cursor.
 */
#include "recovery.h"
#include "repeat.h"

const struct recovery recovery_out_of_order = {.name = "out-of-order",
                                               .tolerates_reordering = true,
                                               .gap = repeat_gap,
                                               .acked = repeat_acked,
                                               .timeout = repeat_timeout,
                                               .received = repeat_received,
                                               .trimmed = repeat_trimmed,
                                               .sent = repeat_sent,
                                               .fini = repeat_fini};
