/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files of replay. */
#ifndef WEFT_ENGINE_REPLAY_INTERNAL_H
#define WEFT_ENGINE_REPLAY_INTERNAL_H

#include "core/context.h"
#include "core/extension.h"
#include "engine_replay.h"
#include "replay_memo.h"
#include "replay_pauses.h"
#include "replay_state.h"
#include "replay_snapshot.h"

#include "base/message.h"

#include <stdbool.h>

/** Periods of packets (replay_packet_periods.c): what the next look at a component is for. */
enum replay_phase {
    REPLAY_TIME, /**< how long a period of its reference QP is; then a sum of the state is noted */
    REPLAY_SUM,  /**< the sum, some periods later; where it is the same the state is written down */
    REPLAY_COMPARE,  /**< the state, as many periods later */
    REPLAY_GO_ON,    /**< it is at the beginning of a period: skips those that follow */
    REPLAY_BACK_OFF, /**< whether it is time to watch its reference QP */
    REPLAY_FOLLOWER, /**< nothing: it is suspended while a symmetric component is simulated
                       (replay_symmetry.c) */
    REPLAY_AHEAD     /**< nothing: the clock has come to where its state is */
};

/** A component of the traffic that meets no other (replay_components.c), and its periods of
 * packets. */
struct replay_component {
    bool used;
    enum replay_phase phase;
    int64_t next_ps;        /**< when to look next */
    int64_t wait_ps;        /**< before it is looked at once more if nothing is found */
    uint32_t reference;     /**< the QP to go by */
    uint64_t reference_psn; /**< as it was found */
    int64_t reference_ps;
    uint64_t reference_pauses; /**< of its port, and when the last began */
    int64_t reference_pause_ps;
    int64_t since_ps, gap_ps; /**< since when it is watched; from a packet to the next, by itself */
    int64_t period_ps;        /**< the shortest period */
    int64_t from_ps;          /**< when the sum was noted, or the state written down */
    uint64_t sum;             /**< of the state then */
    int64_t found_ps;         /**< the period that was found */
    uint32_t tried;           /**< periods that it, or the sum, was compared after */
    uint32_t quick;           /**< times that it is to be written down anew after one period */
    int64_t ahead_ps;         /**< REPLAY_AHEAD: its state is that of then */
    uint32_t followers;       /**< symmetric components that are suspended meanwhile */
    uint16_t leader;          /**< REPLAY_FOLLOWER: the symmetric component that is simulated */
    int64_t suspended_ps;     /**< of both: since when */
    int64_t next_completion_ps; /**< nobody is told of its messages before; looked at again then */
    uint64_t drawn;             /**< sum of the random generators of a leader at suspended_ps */
    struct replay_pauses pauses;
    struct snapshot then; /**< state of a leader at suspended_ps, but for packets */
    struct replay_scope scope;
    struct snapshot snapshot;
};

#define REPLAY_COMPONENTS 1024u /**< at once, at most */

/** When the component that a QP is in may be looked at: of its QPs the one for which that was said
 * last counts. */
struct replay_turn {
    int64_t reported_ps, ready_ps;
    int64_t wait_ps; /**< from a look that finds nothing to the next */
};

/** QPs that belong together, by the QP that stands for them. */
struct replay_group {
    struct replay_turn turn;
    uint64_t left;      /**< packets that the reference QP may send */
    uint32_t reference; /**< the QP that has most to send, NIL: none has enough */
    uint16_t component; /**< that it becomes, plus one; 0: none yet */
    bool between;       /**< one of them is between two messages */
};

/** Symmetric components. */
struct replay_symmetry {
    int64_t next_ps;      /**< when to look for them, WEFT_NEVER: not before messages are posted */
    int64_t posted_ps;    /**< when a long message was posted last, */
    uint32_t posted;      /**< and how many were in that instant */
    uint32_t failed;      /**< looks that found nothing, */
    uint32_t skip;        /**< so that so many are left out */
    uint32_t followers;   /**< components that are suspended */
    uint64_t completions; /**< messages received and acknowledged when symmetric components parted
                             last, */
    int64_t wait_ps;      /**< after which they were looked for again so much later */
    uint32_t qps;         /**< that there are names for */
    struct snapshot_names names;
    struct replay_scope suspended;
};

/** Periods of packets. */
struct replay_packets {
    int64_t next_ps;     /**< the earliest of all looks */
    int64_t find_ps;     /**< when to look for components, WEFT_NEVER: not before a long message is
                            posted */
    uint32_t components; /**< used */
    uint32_t top;        /**< none behind was ever used */
    uint32_t changes;    /**< times that one went ahead or came back */
    bool pauses;         /**< one that went ahead had pauses */
    uint64_t most;       /**< values of states that there may be */
    struct replay_component component[REPLAY_COMPONENTS];
    struct replay_scope
        map; /**< by number: what belongs to which component, as its number plus one */
    struct replay_symmetry symmetry;
    struct replay_turn *turn; /**< per QP */
    uint32_t *with;           /**< per QP: a step to the one that stands for its group */
    struct replay_group *group;
    uint64_t *met; /**< per port, then per node: the search and the QP that was there last */
    uint32_t qps, searches;
    int64_t foreign_ps; /**< after the last search, which met packets of other QPs; 0: it did not */
};

/** Number of the component that a QP is in, plus one; 0: none, as a QP that is newer than the map.
 */
static inline uint16_t replay_component_of(const struct replay_packets *r, uint32_t qi)
{
    return qi < r->map.qps_cap ? r->map.has_qp[qi] : 0;
}

/** Calls between the user and the engine. */
enum replay_what { REPLAY_POSTED, REPLAY_RECEIVED, REPLAY_ACKED };

/** Once. */
struct replay_host_event {
    struct weft_completion d; /**< as it was told, or posted */
    int64_t t_ps;
    uint32_t qp;
    uint32_t call; /**< number of the call of the user that it is, or during which he posted it */
    uint8_t what;  /**< enum replay_what */
    bool in_timer; /**< posted during a timer of the user's, else when told of a message */
};

/** Cost of a glance at a QP: as much as so many values of a sum. */
#define REPLAY_GLANCE 8u

/** Periods of messages (replay_message_periods.c): the search for them. */
struct replay_messages {
    int64_t
        next_ps; /**< when to look next, WEFT_NEVER: when the reference QP has received a message */
    uint32_t reference;  /**< QP whose messages are counted, NIL: none yet */
    uint64_t since;      /**< messages received by others since the reference QP did */
    int64_t wait_ps;     /**< when to look after it did; 0: at once */
    uint64_t posted;     /**< messages by all, when the state was looked at last */
    uint64_t read;       /**< values of sums, so far */
    uint32_t power, lam; /**< Brent's: looks for which a sum, or a state, is kept, and so far */
    bool noted;          /**< a sum of the state, and what a glance shows of it, of that time: */
    uint64_t sum, glance;
    uint64_t noted_events; /**< events executed by then */
    bool written; /**< the state is written down, of all that something was posted on since */
    uint32_t written_at_once; /**< how often, without its sum's having been the same */
    bool strange;    /**< something was posted of the user's own accord, or there were too many */
    uint32_t *stamp; /**< per QP: the noting or writing down after which it was posted on last */
    uint32_t stamps, writings;
    struct replay_host_event *events; /**< since the state was written down */
    uint32_t nevents, events_cap;
    uint64_t most_events;
    struct replay_scope scope;
    struct snapshot snapshot;
};

/** Which message it is, to the user. */
struct replay_name {
    uint64_t id, tag;
    union weft_token token;
    uint8_t token_type;
};

/** The messages of a QP in a period: those that were underway when it began, and those posted
 * since.
 */
struct replay_line {
    struct replay_name *of;
    uint32_t n, cap;
    uint32_t began; /**< underway when the period began */
    uint32_t received, acked;
    uint32_t again; /**< posted again, see replay_playback.c */
};

/** A message that was posted otherwise than a period before. */
struct replay_extra {
    struct weft_msg msg;
    uint64_t id;
    bool in_timer;
};

/** The state of the engine is suspended at the beginning of a period, while the user is told what a
 * period before happened (replay_playback.c). */
struct replay_play {
    bool on;
    bool again;         /**< what has passed since the period began is being simulated */
    bool reports;       /**< what is posted again now was not posted a period before */
    bool broken;        /**< the user has posted otherwise than a period before */
    int64_t began_ps;   /**< the present period */
    int64_t period_ps;  /**< of a period */
    int64_t periods;    /**< from that which was written down to the present one */
    int64_t stands;     /**< the same to the one at whose beginning the state is suspended */
    bool compares;      /**< the present period is simulated, and is as those before so far */
    uint32_t real_call; /**< follows: the call of the user's that the last host event was, or was
                           posted in */
    uint32_t at;        /**< host events of the present period that have passed */
    uint32_t call;      /**< of the host events, which the present call of the user is; 0: none */
    uint32_t app_call;  /**< that present call: loop.calls */
    uint64_t next_id;   /**< of the next message posted */
    uint32_t done;      /**< again: host events passed */
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
    int64_t back_off_ps;     /**< nothing is looked for until then, as it did not pay so far */
    int64_t again_ps;        /**< for how long the next time; 0: not yet */
    struct replay_packets packets;
    struct replay_messages messages;
    struct replay_memo memo;
    struct replay_play play;
    struct weft_replay_figures figures;
};

/** Replay of an engine; NULL: everything is simulated. */
static inline struct replay *replay_of(const struct weft_engine *e)
{
    return (struct replay *)(void *)e->extension;
}

/** The memo of a QP, a message of it, its course, an entry. */
static inline struct memo_qp *memo_qp_at(const struct weft_engine *e, uint32_t qp)
{
    return (struct memo_qp *)(void *)replay_of(e)->memo.qps.base + qp;
}

static inline struct memo_msg *memo_msg_at(const struct weft_engine *e, uint32_t i)
{
    return (struct memo_msg *)(void *)replay_of(e)->memo.msgs.base + i;
}

static inline struct memo_course *memo_course_at(const struct weft_engine *e, uint32_t i)
{
    return (struct memo_course *)(void *)replay_of(e)->memo.courses.base + i;
}

static inline struct memo_entry *memo_entry_at(const struct weft_engine *e, uint32_t i)
{
    return (struct memo_entry *)(void *)replay_of(e)->memo.entries.base + i;
}

/** Whether a message that is posted matters by more than its QP. */
static inline bool replay_messages_read(const struct replay *r)
{
    return r->play.compares || (r->messages.written && !r->messages.strange);
}
/** Has core know what it reads (extension.h) of what has changed. */
static inline void replay_publish(struct weft_engine *e)
{
    struct replay *r = replay_of(e);
    r->base.takes_posts = r->play.on && !r->play.again;
    r->base.orders_posts = r->packets.components || replay_messages_read(r);
    r->base.suspends = r->packets.symmetry.followers != 0;
}

/* replay_schedule.c */
/** A look has met @p why instead of what it is for. */
void replay_say(struct weft_engine *e, enum weft_replay_kind kind, const char *why);
/** The notes so far are invalid. */
void replay_messages_forget(struct weft_engine *e);
/** Looks at the state, or something passes, at these times, WEFT_NEVER: not at all. */
void replay_look_at(struct weft_engine *e, int64_t *next_ps, int64_t t_ps);
/** The next look for components is no later than @p t_ps. */
void replay_packets_find_by(struct weft_engine *e, int64_t t_ps);
/** The next look for periods of packets is the earliest that components want, or that for
 * components. */
void replay_packets_next(struct weft_engine *e);
/** That for components is at @p t_ps. */
void replay_packets_find_at(struct weft_engine *e, int64_t t_ps);
/** There is none. */
void replay_packets_no_look(struct weft_engine *e);
/** Whether looking at so many QPs does not cost more than it may by now. False: nothing is looked
 * for for a while. */
bool replay_pays(struct weft_engine *e, uint64_t qps);
/** The same, but if not it may be asked again at once. */
bool replay_may_read(const struct weft_engine *e, uint64_t qps);
/** Whether a look for periods of messages does not cost more than it may by now. */
bool replay_messages_pay(const struct weft_engine *e);
/** Something has repeated itself: looking pays. */
void replay_paid(struct weft_engine *e);
/** Whether the state of all may be written down, compared and moved on. */
bool replay_affordable(const struct weft_engine *e);
/** Values of a state, about. */
uint64_t replay_state_size(const struct weft_engine *e);
/** Events that so many data packets come to at least. */
uint64_t replay_packet_events(uint64_t packets);
/** Counts values of states that were read. */
void replay_count_state(struct weft_engine *e, uint64_t values);
/** Sums up the state: replay_state_sum. */
bool replay_sum(struct weft_engine *e, struct replay_scope *p, struct snapshot *t, uint64_t *sum);
/** Writes the state of all that takes part down; false: that is not all that there is. */
bool replay_write(struct weft_engine *e, struct replay_scope *p, struct snapshot *t);
/** Whether it is the same again, only moved on. */
bool replay_same(struct weft_engine *e, struct replay_scope *p, struct snapshot *t);

/* replay_components.c */
/** Room for all QPs; false when out of memory. */
bool replay_components_ready(struct weft_engine *e);
/** Packets that a QP may still send before the last of its message, or trains get shorter. */
uint64_t replay_before_last(const struct weft_engine *e, const struct qp *q);
/** Makes components of what is ready; the time at which others are, WEFT_NEVER: none. */
int64_t replay_components_find(struct weft_engine *e);
/** The reference QP is watched, to see how long a period is. */
void replay_component_watch(struct weft_engine *e, struct replay_component *k);
/** The component is none any more; what it was is looked at in @p wait_ps at the earliest. */
void replay_component_drop(struct weft_engine *e, struct replay_component *k, int64_t wait_ps);
/** Its record is free. */
void replay_component_release(struct weft_engine *e, struct replay_component *k);
/** It is not looked at before @p t_ps, and then anew. */
void replay_component_back_off(struct replay_component *k, int64_t t_ps);
/** It is time: watches the reference QP if there is enough to gain. */
void replay_component_wake(struct weft_engine *e, struct replay_component *k);
/** Makes components of all that has long messages, if there are two or more; how many, to @p of,
 * which has room for REPLAY_COMPONENTS. */
uint32_t replay_components_make(struct weft_engine *e, struct replay_component **of);
void replay_components_free(struct replay_packets *r);

/* replay_symmetry_compare.c */
/** Room for names; false when out of memory. */
bool replay_symmetry_ready(struct weft_engine *e);
/** Members of a component have names. */
void replay_symmetry_name(struct weft_engine *e, struct replay_scope *p);
/** Reads the state of a component by its names. */
bool replay_symmetry_read(struct weft_engine *e, struct replay_scope *p, struct snapshot *t,
                          enum snapshot_use use);
/** Whether a component is in the state of @p lead, whose snapshot has it. */
bool replay_symmetry_same(struct weft_engine *e, struct replay_component *lead,
                          struct replay_component *k);
void replay_symmetry_free(struct replay_symmetry *w);

/* replay_symmetry.c */
/** A component that is ahead, or one of symmetric components, is as it is now. */
void replay_component_back(struct weft_engine *e, struct replay_component *k);
/** All are. */
void replay_components_back(struct weft_engine *e);
/** A long message was posted. */
void replay_symmetry_posted(struct weft_engine *e);
/** Symmetric components are looked for at @p t_ps. */
void replay_symmetry_find_at(struct weft_engine *e, int64_t t_ps);
/** Looks for symmetric components, and has those part that may have something to tell. */
void replay_symmetry_look(struct weft_engine *e);

/* replay_symmetry_copy.c */
/** Whether the state of a component may ever be given to a symmetric component: not after pauses,
 * nor with INT. */
bool replay_copy_ever(const struct weft_engine *e);
/** Whether all of its state can be given to a symmetric component. */
bool replay_copy_possible(struct weft_engine *e, const struct replay_component *k);
/** Whether someone may be told of a message when packet @p i arrives. */
bool replay_copy_may_report(const struct weft_engine *e, uint32_t i);
/** From now on followers are suspended. */
void replay_copy_begin(struct weft_engine *e, struct replay_component *lead);
/** Whether followers can get the present state of their leader: compares it with that of then. */
bool replay_copy_ready(struct weft_engine *e, struct replay_component *lead);
/** Follower @p k gets it, and is simulated from now on. */
void replay_copy(struct weft_engine *e, struct replay_component *lead, struct replay_component *k);

/* replay_packet_periods.c */
/** Something is to be done to QP @p qi: what it meets is as it is now, and no component any more.
 */
void replay_packets_touch(struct weft_engine *e, uint32_t qi);
void replay_packets_posted(struct weft_engine *e, uint32_t qi, uint64_t packets);
/** A message of QP @p qi was received or acknowledged. */
void replay_packets_completed(struct weft_engine *e, uint32_t qi);
/** There are no components any more but those that are ahead. */
void replay_components_drop(struct weft_engine *e);
/** All is as it is now, and there are no components any more. */
void replay_packets_disturb(struct weft_engine *e);
void replay_packets_look(struct weft_engine *e);

/* replay_rewind.c */
/** A component that is ahead is as it is now. */
void replay_component_rewind(struct weft_engine *e, struct replay_component *k);
/** What happens in a component whose state is that of @p from_ps is simulated until now. */
void replay_component_catch_up(struct weft_engine *e, struct replay_component *k, int64_t from_ps);
/** Whether a QP is in one that is ahead. */
bool replay_component_is_ahead(const struct weft_engine *e, uint32_t qi);
/** The earliest that one is ahead, WEFT_NEVER: none is. */
int64_t replay_components_ahead_ps(const struct weft_engine *e);

/* replay_message_periods.c */
/** Something passed. @p d: NULL where that doesn't matter. */
void replay_messages_note(struct weft_engine *e, enum replay_what what, uint32_t qp,
                          const struct weft_completion *d);
void replay_messages_look(struct weft_engine *e);

/* replay_playback.c */
/** The state is that of a period before: begins to play. */
void replay_play_begin(struct weft_engine *e, int64_t period_ps);
/** The next host event is due. */
void replay_play_look(struct weft_engine *e);
/** The user posts something while periods are played. */
int replay_play_post(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio, uint64_t *id,
                     struct weft_err *err);
/** A message is told of while a period is simulated again. False: it is news. */
bool replay_play_again(struct weft_engine *e, enum replay_what what, uint32_t qp);
/** The state is to be that of now. */
void replay_play_end(struct weft_engine *e, int64_t due_ps);
/** Something passed while the present period follows those before. */
void replay_play_follow(struct weft_engine *e, enum replay_what what, uint32_t qp,
                        const struct weft_completion *d);
/** The period is over. */
void replay_play_resume(struct weft_engine *e);

#endif
