/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traffic that repeats itself is not simulated again.
 *
 * The future of the network depends on that state alone, and neither on the time nor
 * on how packets and messages are numbered. Therefore once the state at T + P is that at T, only
 * moved on by a period, what happened in the period happens again, for as long as the user does the
 * same again and nothing happens that is not of these periods: a timer of a congestion control, a
 * change of a link, what ns-3 does. Two kinds of periods are looked for:
 *
 * - of packets (replay_packet_periods.c): in the midst of long messages each QP sends some packets,
 * nobody is told of anything, and the state is the same again. Then the state of the n-th period
 * from here is known, and taken over at once. The network falls into components that meet nowhere
 * (replay_components.c), and each does so by itself: its state is then that of a later time, until
 * the clock comes there or something touches it (replay_rewind.c).
 * - of messages (replay_message_periods.c): a step of a ring, or a layer. The user is told of
 * messages, and posts others. Then the state is suspended while he is told the same again, each at
 * its time, as long as he posts the same (replay_playback.c). When he doesn't, or wants to see the
 * state, the present period is simulated up to that moment.
 *
 * With a tolerance, messages that take as long as before are taken over (replay_memo.c), and those
 * that go on at their rates (replay_memo_rates.c): results are then approximate.
 *
 * The state is read field by field (replay_state.c), each by how it may move (replay_snapshot.h): a
 * field that moves otherwise, or a random number that was drawn, and it is no repetition. Therefore
 * the result is the same to the last bit. The reasons against looking at all are a table
 * (replay_reasons.c).
 */
#ifndef WEFT_ENGINE_REPLAY_H
#define WEFT_ENGINE_REPLAY_H

#include "engine.h"

/** Ways of not simulating. */
enum replay_way {
    REPLAY_EXACT = 1, /**< what repeats itself to the last bit */
    REPLAY_MEMO = 2   /**< messages that take as long as before, or go on at their rates, within a
                         tolerance */
};

/** Why traffic can't be taken over in way @p way as things are; NULL: it can. */
const char *replay_reason_against(const struct weft_engine *e, enum replay_way way);

#endif
