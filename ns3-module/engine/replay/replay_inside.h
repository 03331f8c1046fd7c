/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of replay share. */
#ifndef WEFT_ENGINE_REPLAY_INSIDE_H
#define WEFT_ENGINE_REPLAY_INSIDE_H

#include "core/context.h"
#include "core/extension.h"
#include "engine_replay.h"
#include "replay_pauses.h"
#include "replay_settled.h"
#include "replay_state.h"
#include "replay_tape.h"

#include "base/message.h"

#include <stdbool.h>

/** Laps of packets (replay_packets.c): what the next look at a piece is for. */
enum replay_phase {
    REPLAY_TIME,    /**< how long a lap of its guide is; then a sum of the state is noted */
    REPLAY_SUM,     /**< the sum, some laps later; where it is the same the state is written down */
    REPLAY_COMPARE, /**< the state, as many laps later */
    REPLAY_GO_ON,   /**< it is at the beginning of a lap: skips those that follow */
    REPLAY_REST,    /**< whether it is time to watch its guide */
    REPLAY_FOLLOWS, /**< nothing: it stands still while a twin is simulated (replay_twins.c) */
    REPLAY_AHEAD    /**< nothing: the clock has come to where its state is */
};

/** A piece of the traffic that meets no other (replay_pieces.c), and its laps of packets. */
struct replay_piece {
    bool used;
    enum replay_phase phase;
    int64_t next_ps;    /**< when to look next */
    int64_t wait_ps;    /**< before it is looked at once more if nothing is found */
    uint32_t guide;     /**< the QP to go by */
    uint64_t guide_psn; /**< as it was found */
    int64_t guide_ps;
    uint64_t guide_pauses; /**< of its port, and when the last began */
    int64_t guide_pause_ps;
    int64_t since_ps, gap_ps; /**< since when it is watched; from a packet to the next, by itself */
    int64_t lap_ps;           /**< the shortest lap */
    int64_t from_ps;          /**< when the sum was noted, or the state written down */
    uint64_t sum;             /**< of the state then */
    int64_t found_ps;         /**< the lap that was found */
    uint32_t tried;           /**< laps that it, or the sum, was compared after */
    uint32_t quick;           /**< times that it is to be written down anew after one lap */
    int64_t ahead_ps;         /**< REPLAY_AHEAD: its state is that of then */
    uint32_t followers;       /**< twins that stand still meanwhile */
    uint16_t leader;          /**< REPLAY_FOLLOWS: the twin that is simulated */
    int64_t still_ps;         /**< of both: since when */
    int64_t tell_ps;          /**< nobody is told of its messages before; looked at again then */
    struct replay_pauses pauses;
    struct tape then; /**< state of a leader at still_ps, but for packets */
    struct replay_part part;
    struct tape tape;
};

#define REPLAY_PIECES 1024u /**< at once, at most */

/** When the piece that a QP is in may be looked at: of its QPs the one for which that was said last
 * counts. */
struct replay_turn {
    int64_t said_ps, ready_ps;
    int64_t wait_ps; /**< from a look that finds nothing to the next */
};

/** QPs that belong together, by the QP that stands for them. */
struct replay_group {
    struct replay_turn turn;
    uint64_t left;  /**< packets that the guide may send */
    uint32_t guide; /**< the QP that has most to send, NIL: none has enough */
    uint16_t piece; /**< that it becomes, plus one; 0: none yet */
    bool between;   /**< one of them is between two messages */
};

/** Twins. */
struct replay_twins {
    int64_t next_ps;    /**< when to look for them, WEFT_NEVER: not before messages are posted */
    int64_t posted_ps;  /**< when a long message was posted last, */
    uint32_t posted;    /**< and how many were in that instant */
    uint32_t vain;      /**< looks that found nothing, */
    uint32_t skip;      /**< so that so many are left out */
    uint32_t followers; /**< pieces that stand still */
    uint64_t told;      /**< messages received and acknowledged when twins parted last, */
    int64_t wait_ps;    /**< after which they were looked for again so much later */
    uint32_t qps;       /**< that there are names for */
    struct tape_names names;
    struct replay_part still; /**< that are to stand still */
};

/** Laps of packets. */
struct replay_packets {
    int64_t next_ps; /**< the earliest of all looks */
    int64_t
        find_ps; /**< when to look for pieces, WEFT_NEVER: not before a long message is posted */
    uint32_t pieces;  /**< used */
    uint32_t top;     /**< none behind was ever used */
    uint32_t changes; /**< times that one went ahead or came back */
    uint64_t most;    /**< values of states that there may be */
    struct replay_piece piece[REPLAY_PIECES];
    struct replay_part map; /**< by number: what belongs to which piece, as its number plus one */
    struct replay_twins twins;
    struct replay_turn *turn; /**< per QP */
    uint32_t *with;           /**< per QP: a step to the one that stands for its group */
    struct replay_group *group;
    uint64_t *met; /**< per port, then per node: the search and the QP that was there last */
    uint32_t qps, searches;
    int64_t stray_ps; /**< after the last search, which met packets of other QPs; 0: it did not */
};

/** Number of the piece that a QP is in, plus one; 0: none, as a QP that is newer than the map. */
static inline uint16_t replay_piece_of(const struct replay_packets *r, uint32_t qi)
{
    return qi < r->map.qps_cap ? r->map.has_qp[qi] : 0;
}

/** What passes between the user and the engine. */
enum replay_what { REPLAY_POSTED, REPLAY_RECEIVED, REPLAY_ACKED };

/** Once. */
struct replay_word {
    struct weft_completion d; /**< as it was told, or posted */
    int64_t t_ps;
    uint32_t qp;
    uint32_t call; /**< number of the call of the user that it is, or during which he posted it */
    uint8_t what;  /**< enum replay_what */
    bool in_timer; /**< posted during a timer of the user's, else when told of a message */
};

/** What a glance at a QP costs: as much as so many values of a sum. */
#define REPLAY_GLANCE 8u

/** Laps of messages (replay_messages.c): the search for them. */
struct replay_messages {
    int64_t next_ps; /**< when to look next, WEFT_NEVER: when the guide has received a message */
    uint32_t guide;  /**< QP whose messages are counted, NIL: none yet */
    uint64_t since;  /**< messages received by others since the guide did */
    int64_t wait_ps; /**< when to look after it did; 0: at once */
    uint64_t posted; /**< messages by all, when the state was looked at last */
    uint64_t read;   /**< values of sums, so far */
    uint32_t power, lam; /**< Brent's: looks for which a sum, or a state, is kept, and so far */
    bool noted;          /**< a sum of the state, and what a glance shows of it, of that time: */
    uint64_t sum, glance;
    uint64_t noted_events; /**< events executed by then */
    bool written; /**< the state is written down, of all that something was posted on since */
    uint32_t written_at_once; /**< how often, without its sum's having been the same */
    bool strange;    /**< something was posted of the user's own accord, or there were too many */
    uint32_t *stamp; /**< per QP: the noting or writing down after which it was posted on last */
    uint32_t stamps, writings;
    struct replay_word *words; /**< since the state was written down */
    uint32_t nwords, words_cap;
    uint64_t most_words;
    struct replay_part part;
    struct tape tape;
};

/** Which message it is, to the user. */
struct replay_name {
    uint64_t id, tag;
    union weft_token token;
    uint8_t token_type;
};

/** The messages of a QP in a lap: those that were underway when it began, and those posted since.
 */
struct replay_line {
    struct replay_name *of;
    uint32_t n, cap;
    uint32_t began; /**< underway when the lap began */
    uint32_t received, acked;
    uint32_t again; /**< posted again, see replay_play.c */
};

/** A message that was posted otherwise than a lap before. */
struct replay_extra {
    struct weft_msg msg;
    uint64_t id;
    bool in_timer;
};

/** The state of the engine stands still at the beginning of a lap, while the user is told what a
 * lap before happened (replay_play.c). */
struct replay_play {
    bool on;
    bool again;        /**< what has passed since the lap began is being simulated */
    bool news;         /**< what is posted again now was not posted a lap before */
    bool broken;       /**< the user has posted otherwise than a lap before */
    int64_t began_ps;  /**< the present lap */
    int64_t period_ps; /**< of a lap */
    int64_t laps;      /**< from that which was written down to the present one */
    int64_t stands;    /**< the same to the one at whose beginning the state stands still */
    bool follows;      /**< the present lap is simulated, and is as those before so far */
    uint32_t
        real_call; /**< follows: the call of the user's that the last word was, or was posted in */
    uint32_t at;   /**< words of the present lap that have passed */
    uint32_t call; /**< of the words, which the present call of the user is; 0: none */
    uint32_t app_call;        /**< that present call: loop.calls */
    uint64_t next_id;         /**< of the next message posted */
    uint32_t done;            /**< again: words passed */
    struct replay_line *line; /**< per QP that takes part, by place there */
    uint32_t lines, *place;   /**< per QP of the engine: its place */
    uint32_t places;
    struct replay_extra *extra;
    uint32_t nextra, extra_cap;
};

struct replay {
    struct extension base;   /**< first: what core knows of it */
    bool eager;              /**< WEFT_REPLAYING_EAGERLY */
    uint64_t of_states;      /**< figures.values that were read after sums were the same */
    uint64_t packets_posted; /**< of messages, so far */
    int64_t rest_ps;         /**< nothing is looked for until then, as it did not pay so far */
    int64_t again_ps;        /**< for how long the next time; 0: not yet */
    struct replay_packets packets;
    struct replay_messages messages;
    struct replay_settled settled;
    struct replay_play play;
    struct weft_replay_figures figures;
};

/** That of an engine; NULL: everything is simulated. */
static inline struct replay *replay_of(const struct weft_engine *e)
{
    return (struct replay *)(void *)e->extension;
}

/** Whether a message that is posted matters by more than its QP. */
static inline bool replay_messages_read(const struct replay *r)
{
    return r->play.follows || (r->messages.written && !r->messages.strange);
}
/** Has core know what it reads (extension.h) of what has changed. */
static inline void replay_publish(struct weft_engine *e)
{
    struct replay *r = replay_of(e);
    r->base.takes_posts = r->play.on && !r->play.again;
    r->base.orders_posts = r->packets.pieces || replay_messages_read(r);
    r->base.suspends = r->packets.twins.followers != 0;
}

#pragma GCC visibility push(hidden)

/* replay_times.c */
/** A look has met @p why instead of what it is for. */
void replay_say(struct weft_engine *e, enum weft_replay_kind kind, const char *why);
/** What was noted so far is nothing to go by. */
void replay_messages_forget(struct weft_engine *e);
/** Looks at the state, or something passes, at these times, WEFT_NEVER: not at all. */
void replay_look_at(struct weft_engine *e, int64_t *next_ps, int64_t t_ps);
/** The next look for pieces is no later than @p t_ps. */
void replay_packets_find_by(struct weft_engine *e, int64_t t_ps);
/** The next look for laps of packets is the earliest that pieces want, or that for pieces. */
void replay_packets_next(struct weft_engine *e);
/** That for pieces is at @p t_ps. */
void replay_packets_find_at(struct weft_engine *e, int64_t t_ps);
/** There is none. */
void replay_packets_no_look(struct weft_engine *e);
/** Whether looking at so many QPs does not cost more than it may by now. False: nothing is looked
 * for for a while. */
bool replay_pays(struct weft_engine *e, uint64_t qps);
/** The same, but if not it may be asked again at once. */
bool replay_may_read(const struct weft_engine *e, uint64_t qps);
/** Whether a look for laps of messages does not cost more than it may by now. */
bool replay_messages_pay(const struct weft_engine *e);
/** Something has repeated itself: looking pays. */
void replay_paid(struct weft_engine *e);
/** Whether the state of all may be written down, compared and moved on. */
bool replay_affordable(const struct weft_engine *e);
/** Values of a state, about. */
uint64_t replay_state_size(const struct weft_engine *e);
/** Events that so many data packets come to at least. */
uint64_t replay_packet_events(uint64_t packets);
/** So many values of states were read. */
void replay_count_state(struct weft_engine *e, uint64_t values);
/** Sums up the state: replay_state_sum. */
bool replay_sum(struct weft_engine *e, struct replay_part *p, struct tape *t, uint64_t *sum);
/** Writes the state of all that takes part down; false: that is not all that there is. */
bool replay_write(struct weft_engine *e, struct replay_part *p, struct tape *t);
/** Whether it is the same again, only moved on. */
bool replay_same(struct weft_engine *e, struct replay_part *p, struct tape *t);

/* replay_pieces.c */
/** Room for all QPs; false when out of memory. */
bool replay_pieces_ready(struct weft_engine *e);
/** Packets that a QP may still send before the last of its message. */
uint64_t replay_before_last(const struct weft_engine *e, const struct qp *q);
/** Makes pieces of what is ready; the time at which others are, WEFT_NEVER: none. */
int64_t replay_pieces_find(struct weft_engine *e);
/** The guide is watched, to see how long a lap is. */
void replay_piece_watch(struct weft_engine *e, struct replay_piece *k);
/** The piece is none any more; what it was is looked at in @p wait_ps at the earliest. */
void replay_piece_drop(struct weft_engine *e, struct replay_piece *k, int64_t wait_ps);
/** What it was is free. */
void replay_piece_release(struct weft_engine *e, struct replay_piece *k);
/** It is not looked at before @p t_ps, and then anew. */
void replay_piece_rest(struct replay_piece *k, int64_t t_ps);
/** It is time: watches the guide if there is enough to gain. */
void replay_piece_wake(struct weft_engine *e, struct replay_piece *k);
/** Makes pieces of all that has long messages, if there are two or more; how many, to @p of, which
 * has room for REPLAY_PIECES. */
uint32_t replay_pieces_make(struct weft_engine *e, struct replay_piece **of);
void replay_pieces_free(struct replay_packets *r);

/* replay_twins_same.c */
/** Room for names; false when out of memory. */
bool replay_twins_ready(struct weft_engine *e);
/** What belongs to a piece has names. */
void replay_twins_name(struct weft_engine *e, struct replay_part *p);
/** Reads the state of a piece by its names. */
bool replay_twins_read(struct weft_engine *e, struct replay_part *p, struct tape *t,
                       enum tape_use use);
/** Whether a piece is in the state of @p lead, whose tape has it. */
bool replay_twins_same(struct weft_engine *e, struct replay_piece *lead, struct replay_piece *k);
void replay_twins_free(struct replay_twins *w);

/* replay_twins.c */
/** A piece that is ahead, or one of twins, is as it is now. */
void replay_piece_back(struct weft_engine *e, struct replay_piece *k);
/** All are. */
void replay_pieces_back(struct weft_engine *e);
/** A long message was posted. */
void replay_twins_posted(struct weft_engine *e);
/** Twins are looked for at @p t_ps. */
void replay_twins_find_at(struct weft_engine *e, int64_t t_ps);
/** Looks for twins, and has those part that may have something to tell. */
void replay_twins_look(struct weft_engine *e);
/** A leader, which is as it is now, and its followers are no twins any more, and no pieces. */
void replay_twins_part(struct weft_engine *e, struct replay_piece *lead);

/* replay_twins_copy.c */
/** Whether the state of a piece may ever be given to a twin: not after pauses, nor with INT. */
bool replay_copy_ever(const struct weft_engine *e);
/** Whether all of its state can be given to a twin. */
bool replay_copy_possible(struct weft_engine *e, const struct replay_piece *k);
/** Whether someone may be told of a message when packet @p i arrives. */
bool replay_copy_may_tell(const struct weft_engine *e, uint32_t i);
/** From now on followers stand still. */
void replay_copy_begin(struct weft_engine *e, struct replay_piece *lead);
/** Whether followers can get the present state of their leader: compares it with that of then. */
bool replay_copy_ready(struct weft_engine *e, struct replay_piece *lead);
/** Follower @p k gets it, and is simulated from now on. */
void replay_copy(struct weft_engine *e, struct replay_piece *lead, struct replay_piece *k);

/* replay_packets.c */
/** Something is to be done to QP @p qi: what it meets is as it is now, and no piece any more. */
void replay_packets_touch(struct weft_engine *e, uint32_t qi);
void replay_packets_posted(struct weft_engine *e, uint32_t qi, uint64_t packets);
/** A message of QP @p qi was received or acknowledged. */
void replay_packets_told(struct weft_engine *e, uint32_t qi);
/** There are no pieces any more but those that are ahead. */
void replay_pieces_drop(struct weft_engine *e);
/** All is as it is now, and there are no pieces any more. */
void replay_packets_disturb(struct weft_engine *e);
void replay_packets_look(struct weft_engine *e);

/* replay_back.c */
/** A piece that is ahead is as it is now. */
void replay_piece_from_ahead(struct weft_engine *e, struct replay_piece *k);
/** What happens in a piece whose state is that of @p from_ps is simulated until now. */
void replay_piece_catch_up(struct weft_engine *e, struct replay_piece *k, int64_t from_ps);
/** Whether a QP is in one that is ahead. */
bool replay_piece_is_ahead(const struct weft_engine *e, uint32_t qi);
/** Packets that are underway in those that are. */
uint64_t replay_pieces_packets(const struct weft_engine *e);
/** The earliest that one is ahead, WEFT_NEVER: none is. */
int64_t replay_pieces_ahead_ps(const struct weft_engine *e);

/* replay_messages.c */
/** Something passed. @p d: NULL where that doesn't matter. */
void replay_messages_note(struct weft_engine *e, enum replay_what what, uint32_t qp,
                          const struct weft_completion *d);
void replay_messages_look(struct weft_engine *e);

/* replay_play.c */
/** The state is that of a lap before: begins to play. */
void replay_play_begin(struct weft_engine *e, int64_t lap_ps);
/** The next word is due. */
void replay_play_look(struct weft_engine *e);
/** The user posts something while laps are played. */
int replay_play_post(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio, uint64_t *id,
                     struct weft_err *err);
/** A message is told of while a lap is simulated again. False: it is news. */
bool replay_play_again(struct weft_engine *e, enum replay_what what, uint32_t qp);
/** The state is to be that of now. */
void replay_play_end(struct weft_engine *e, int64_t due_ps);
/** Something passed while the present lap follows those before. */
void replay_play_follow(struct weft_engine *e, enum replay_what what, uint32_t qp,
                        const struct weft_completion *d);
/** That lap is over. */
void replay_play_resume(struct weft_engine *e);

#pragma GCC visibility pop

#endif
