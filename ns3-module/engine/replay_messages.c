/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Laps of messages: the search for them.
 *
 * A QP is the guide; each time that it has received a message a sum of the state is compared with
 * the one that was noted last. When it is noted anew is Brent's algorithm for cycles (BIT 20,
 * 1980): after 1, 2, 4, 8 ... looks, so that a lap of any length is found. Where the sum is the
 * same the state itself is written down, and compared where it is the same again. Those take part
 * that had messages since the sum was noted.
 */
#include "context.h"
#include "host_agendas.h"
#include "qp.h"
#include "replay.h"
#include "replay_inside.h"
#include "replay_jump.h"
#include "room.h"
#include "replay_state.h"

#include "base/units.h"

#include <stdlib.h>

#define OTHERS                                                                                     \
    8u /**< messages, beside as many as are underway, that others receive until one of them is the \
          guide */
#define EVENTS_PER_WRITTEN                                                                         \
    2u /**< for each value of a state that is written down without its sum's having been the same  \
        */

/* Something was posted on a QP: it takes part from the next writing down on. */
static void stamp(struct replay_messages *r, uint32_t qi)
{
    if (qi >= r->stamps) {
        if (!room_lengthen((void **)&r->stamp, sizeof *r->stamp, r->stamps, 2 * (qi + 1))) {
            r->strange = true;
            return;
        }
        r->stamps = 2 * (qi + 1);
    }
    r->stamp[qi] = r->writings + 1;
    if (r->written && !replay_part_has(&r->part, qi)) /* what is written down knows nothing of it */
        r->written = false;
}

static void write_word(struct weft_engine *e, enum replay_what what, uint32_t qi,
                       const struct weft_completion *d)
{
    struct replay_messages *r = &e->replay->messages;
    if (r->nwords >= r->most_words || !ROOM(r->words, r->nwords, &r->words_cap)) {
        r->strange = true;
        return;
    }
    r->words[r->nwords++] = (struct replay_word){.d = *d,
                                                 .t_ps = e->now,
                                                 .qp = qi,
                                                 .call = e->replay->call,
                                                 .what = (uint8_t)what,
                                                 .in_timer = e->replay->in_timer};
}

/* Whether a QP is to be the guide from now on. */
static bool guides(struct weft_engine *e, struct replay_messages *r, uint32_t qi)
{
    if (qi == r->guide) {
        r->since = 0;
        return true;
    }
    if (r->guide != NIL && ++r->since < OTHERS + (uint64_t)e->msgs.live)
        return false;
    r->guide = qi;
    r->since = 0;
    replay_messages_forget(e);
    return true;
}

/* When to look after the guide has received a message: at once, or, where hosts have been run
 * beyond the clock, once none can be further, which is as long after each. */
static int64_t look_ps(const struct weft_engine *e)
{
    const int64_t then_ps = e->now + host_agendas_span_ps(e);
    const int64_t pending_ps = e->replay->messages.next_ps;
    if (host_agendas_done_ps(e) <= e->now + 1)
        return e->now + 1;
    return pending_ps < then_ps ? pending_ps : then_ps;
}

bool replay_messages_read(const struct weft_engine *e)
{
    const struct replay_messages *r = &e->replay->messages;
    return e->replay->play.follows || (r->written && !r->strange);
}

void replay_messages_note(struct weft_engine *e, enum replay_what what, uint32_t qi,
                          const struct weft_completion *d)
{
    struct replay_messages *r = &e->replay->messages;
    /* with a tolerance nothing is played: who looks, and when, would decide what is skipped */
    if (!e->hooks.local || e->replay->settled.tolerance > 0)
        return;
    if (e->replay->play.follows) {
        replay_play_follow(e, what, qi, d);
        return;
    }
    if (what == REPLAY_POSTED) {
        stamp(r, qi);
        r->strange |= !e->replay->in_call;
    }
    if (r->written && !r->strange)
        write_word(e, what, qi, d);
    if (what == REPLAY_RECEIVED && guides(e, r, qi) && replay_messages_pay(e))
        replay_look_at(e, &r->next_ps, look_ps(e));
}

static bool find_part(struct weft_engine *e, struct replay_messages *r)
{
    if (!replay_part_clear(e, &r->part))
        return false;
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        if (qp_at(e, i)->head_msg != NIL || (i < r->stamps && r->stamp[i] > r->writings))
            replay_part_add(e, &r->part, i);
    return !r->part.failed;
}

/* The state is written down as well: its sum is what it was, or so much has been taken over that it
 * costs little. */
static void write_down(struct weft_engine *e, struct replay_messages *r)
{
    r->lam = 0;
    r->nwords = 0;
    r->strange = false;
    r->written = find_part(e, r) && replay_write(e, &r->part, &r->tape);
    r->writings++;
}

/* Whether the state is written down as soon as its sum is noted: where much has been taken over
 * already, and once before, where to simulate once more what went on since the sum was noted last
 * would cost several times as much. Not at the first noting: what nothing came before hardly comes
 * again. */
static bool writes_at_once(const struct weft_engine *e)
{
    const struct replay_messages *r = &e->replay->messages;
    if (e->replay->figures.hops)
        return replay_affordable(e);
    return r->noted && !r->written_at_once &&
           replay_state_size(e) <= (e->tot.events - r->noted_events) / EVENTS_PER_WRITTEN;
}

/* The sum of the state, as it is now, is kept for as many looks again. */
static void note_sum(struct weft_engine *e, struct replay_messages *r, uint64_t sum)
{
    const bool at_once = writes_at_once(e);
    r->power *= r->noted ? 2 : 1;
    r->lam = 0;
    r->nwords = 0;
    r->sum = sum;
    r->noted = true;
    r->noted_events = e->tot.events;
    r->written = r->strange = false;
    tape_clear(&r->tape);
    r->written_at_once |= at_once;
    if (at_once)
        write_down(e, r);
    else
        r->writings++;
}

static bool same(struct weft_engine *e, struct replay_messages *r)
{
    if (r->strange) {
        replay_say(e, WEFT_REPLAY_MESSAGES, "messages were posted otherwise than before");
        return false;
    }
    return replay_same(e, &r->part, &r->tape) &&
           replay_first_else(e, &r->part, false) == WEFT_NEVER;
}

void replay_messages_look(struct weft_engine *e)
{
    struct replay_messages *r = &e->replay->messages;
    replay_look_at(e, &r->next_ps, WEFT_NEVER);
    if (e->replay->play.follows) {
        replay_play_resume(e);
        return;
    }
    uint64_t sum = 0;
    const char *why = replay_why_not(e, false);
    r->tape.told = true;
    if (!why) {
        if (!replay_sum(e, &r->part, &r->tape, &sum))
            why = r->tape.other;
        r->read += r->tape.at;
    }
    if (why) {
        replay_say(e, WEFT_REPLAY_MESSAGES, why);
        replay_messages_forget(e);
        tape_clear(&r->tape);
        return;
    }
    r->lam++;
    const bool again = r->noted && sum == r->sum;
    if (e->replay->packets.twins.followers ||
        (replay_pieces_ahead_ps(e) > e->now && replay_pieces_ahead_ps(e) != WEFT_NEVER))
        replay_say(e, WEFT_REPLAY_MESSAGES, "a piece is in the midst of long messages");
    else if (again && r->written && same(e, r))
        replay_play_begin(e, e->now - r->tape.written_ps);
    else if (again && !r->written && replay_affordable(e))
        write_down(e, r);
    else if (!r->noted || r->lam >= r->power)
        note_sum(e, r, sum);
    else if (!again)
        replay_say(e, WEFT_REPLAY_MESSAGES, "state of QPs that moved otherwise");
}
