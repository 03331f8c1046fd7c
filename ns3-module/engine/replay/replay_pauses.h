/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pauses of a component that is ahead: each takes effect at its time, for those who are told.
 *
 * While the state of a component is written down, to be compared a period later, its pauses and
 * resumes are kept. If it goes ahead they are added to those that windows tell of, period by
 * period, as the clock comes there. What is simulated again when it comes back before that was
 * added already.
 */
#ifndef WEFT_ENGINE_REPLAY_PAUSES_H
#define WEFT_ENGINE_REPLAY_PAUSES_H

#include "core/executor.h"

struct replay_component;

/** Pauses and resumes of a period. */
struct replay_pauses {
    struct window_note *of; /**< in order, once the period is over */
    uint32_t n, cap;
    bool failed;      /**< there were too many */
    uint32_t at;      /**< the next one to add */
    int64_t since_ps; /**< by so much it is later than in the period that was kept; WEFT_NEVER: none
                         is to be added */
};

/** Whether the state may repeat itself with ports that pause. Not where the user is told at once.
 */
bool replay_pauses_possible(const struct weft_engine *e);
/** Pauses of component @p k are kept from now on. */
void replay_pauses_keep(struct replay_component *k);
/** A pause or resume takes effect. */
void replay_pauses_note(struct weft_engine *e, const struct window_note *note);
/** The period is over, and was one. False: too many to be kept. */
bool replay_pauses_kept(struct replay_component *k);
/** Component @p k goes ahead, now. */
void replay_pauses_ahead(struct weft_engine *e, struct replay_component *k);
/** Adds what takes effect before @p until_ps in components that are ahead, WEFT_NEVER: before what
 * is going on. The time before which all is known, @p until_ps or since when symmetric components
 * are suspended. */
int64_t replay_pauses_add(struct weft_engine *e, int64_t until_ps);
/** Component @p k is ahead no more, and simulated from before @p due_ps on: what takes effect
 * before that is added, and not noted again. */
void replay_pauses_back(struct weft_engine *e, struct replay_component *k, int64_t due_ps);

#endif
