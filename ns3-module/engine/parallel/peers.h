/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fabric shared out to several processes.
 *
 * Each process has the whole graph and the routes, which those of one machine share
 * (base/shared.h), and the state of its own nodes: ports, queues, buffers, events, its hosts'
 * halves of QPs. A window (window.h) is run by all at the same time; what leaves for a node of
 * another process waits in outboxes (worker.h) and is exchanged at the window's end, which is no
 * later than it arrives.
 *
 * The user is in all processes, and does the same in each: he posts all messages, sets all timers
 * and is told of all messages in the order that one process has. What he posts at a host of another
 * process gets its number and is left to that process. Therefore a host is run up to the event by
 * which a message is complete, and waits there (it is held) until all processes know: they exchange
 * what is to be told (struct completion), tell it in the order of all events as far as no host that
 * is held could come in between, and hosts go on, in rounds until nothing is left in the window.
 *
 * A cluster (clusters.h) is of one process, and held as one. Its switches, which nobody else makes
 * send what is due, do so when a window is over, before what goes to others is exchanged.
 *
 * This needs the promise that hosts run by several threads need (host_parts.h).
 *
 * A user may also do something else in each process (struct weft_peers_user: a script of ns-3).
 * Then all hosts of a process are held as one, as what he does when told of something may concern
 * any of them. What he posts waits until all processes post it, which they do when he has been told
 * of something, and when his own events have been executed (remote_posts.c).
 */
#ifndef WEFT_PEERS_H
#define WEFT_PEERS_H

#include "base/figures.h"
#include "base/message.h"
#include "completion.h"
#include "core/heap.h"
#include "core/msg.h"
#include "core/part.h"
#include "engine_peers.h"
#include "outbox.h"

#include <stdbool.h>
#include <stdint.h>

struct weft_link_change;
struct pkt;
struct qp;
struct weft_engine;
struct weft_fabric;
struct window_note;

/** When fields of a message (core/msg.def) are sent to other processes. */
enum msg_crossing {
    CROSSES_SENT = 1,     /**< its last packet was sent for the first time */
    CROSSES_RECEIVED = 2, /**< it was received */
    CROSSES_SENT_RECEIVED = CROSSES_SENT | CROSSES_RECEIVED,
    CROSSES_ACKED = 4 /**< it was acknowledged */
};
/** The fields of one time, one behind the other: no more than all that are ever sent. */
struct msg_fields {
#define FIELD(type, name, dimensions, evolution, owner)
#define MSG_FIELD(crosses, type, name, dimensions, evolution, owner)                               \
    char name[sizeof(((struct msg *)0)->name)];
#include "core/msg.def"
#define FIELD(type, name, dimensions, evolution, owner)
#define MSG_FIELD(crosses, type, name, dimensions, evolution, owner)                               \
    char name[sizeof(((struct msg_log *)0)->name)];
#include "core/msg_log.def"
};

/** The last packet of a message has been sent for the first time: what its receiver wants of it. */
struct peers_last {
    uint32_t msg;
    struct msg_fields fields;
};

/** A completion as it is sent to other processes, with what the record of the message lacks
 * there. */
struct completion_message {
    struct completion completion;
    struct msg_fields fields;
};

/** Agreement of all processes. */
struct peers_head {
    struct ev bound; /**< nothing is told before it but what was said to be; t WEFT_NEVER: at all */
    int64_t next_ps; /**< time of the first event, WEFT_NEVER: none */
    int64_t last_ps; /**< of the last one executed */
    int64_t timer_ps; /**< of the first timer of a pause, WEFT_NEVER: none */
    uint32_t ncompletions, nnotes, nlasts, npackets;
    uint64_t same; /**< hash of what all have in common (peers_same.c) */
    int32_t code;  /**< not 0: of an error, which follows */
    bool deferred; /**< switches may have transmissions to make */
    bool last_try; /**< a QP is about to give up */
    bool more;     /**< not all has been given yet: another exchange follows at once */
};

struct peers {
    struct weft_peers link;
    uint8_t *owner;          /**< by node */
    int64_t least_ps;        /**< links shorter than that are not between processes */
    int64_t shortest_ps;     /**< nothing arrives sooner after it was posted: the shortest link */
    struct send_buffer *out; /**< for each */
    struct weft_mail *mail, *came;
    struct outbox_ports crossed; /**< ports with something in the outbox */
    struct send_buffer *lasts;   /**< for each: messages whose last packet was sent */
    struct completion
        *completions; /**< not told yet; behind these, those that others don't know of */
    uint32_t ncompletions, completions_cap;
    uint32_t nown;           /**< of this process, not known to the others */
    struct ev at;            /**< the event that is executed at a host */
    uint32_t cluster;        /**< of that host */
    bool expected;           /**< that event may tell of something, and has not */
    int64_t from_ps;         /**< beginning of the window: no event is before */
    struct peers_head known; /**< of all, since the last exchange */
    struct ev until;      /**< hosts are run no further: a QP may give up; t WEFT_NEVER: none may */
    struct ev bound;      /**< of this process, in the present round */
    int64_t last_ps;      /**< of the last event that was executed here */
    bool border_deferred; /**< switches of clusters have transmissions to make */
    bool failed;          /**< all know of the error that ended the run */
    bool running;         /**< peers_run */
    uint64_t same;        /**< hash of the fabric and of all messages posted */
    bool posted;          /**< since the last exchange, and not in a window */
    /* with link.user: */
    struct remote_post *remote; /**< messages that wait to be posted by all */
    uint32_t nremote, remote_cap;
    uint32_t nagreed;    /**< of these, all know */
    uint64_t nposted;    /**< by this process */
    uint64_t nreported;  /**< how often users have been told of a message, or executed events */
    bool posting;        /**< all post what has waited */
    bool stopping;       /**< a user wants to end the run */
    bool ended;          /**< windows are no more, at some process */
    int64_t reported_ps; /**< when that of this process was last told of something */
    int64_t user_ps;     /**< time of the first event of any user, WEFT_NEVER: none */
    int64_t ran_ps;      /**< of the last one */
};

/** What a process says to all of what its user wants (remote_posts.c). */
struct remote_post {
    int64_t t_ps;   /**< a message is posted; else: the first event of the user */
    uint64_t order; /**< peers.told when it was posted */
    uint64_t seq;   /**< among those of this process */
    bool post, stop;
    int64_t ran_ps; /**< the last event of the user */
    struct weft_msg msg;
};

/* remote_posts.c */
/** A message is posted by the user of this process: it waits until all know. @p prio: 0..7. */
int remote_posts_post(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio,
                      struct weft_err *err);

/* remote_posts.c */
/** All post what users have posted, and know when the first of their events is. */
void remote_posts_agree(struct weft_engine *e);
/** Executes the events of users until peers.user_ps. */
void remote_posts_run(struct weft_engine *e);

/* peers.c */
void peers_free(struct peers *p);
void peers_fini(struct weft_engine *e);
/** The user has posted something. */
void peers_posted(struct weft_engine *e);

/* peers_deal.c */
/** Says whose nodes are whose, and how short links between processes are. WEFT_E_ALONE. */
int peers_deal(const struct weft_engine *e, struct peers *p, struct weft_err *err);

/* peers.c */
/** Deals nodes out to the processes of @p link, to e->expected; where that can't be done, nothing
 * is. */
void peers_expect(struct weft_engine *e, const struct weft_peers *link);

/* peers_window.c */
/** The time of the first event of all processes. */
int64_t peers_next(struct weft_engine *e);
/** Runs to loop.stop_ps. */
void peers_run(struct weft_engine *e);
/** All processes exchange what they have. */
void peers_exchange(struct weft_engine *e);

/* peers_fields.c */
/** The fields of a message that are sent to other processes at a time. */
struct msg_fields msg_fields_of(const struct weft_engine *e, const struct msg *m,
                                enum msg_crossing when);
/** Takes them over there. */
void msg_fields_take(struct weft_engine *e, struct msg *m, const struct msg_fields *f,
                     enum msg_crossing when);

/* peers_completions.c */
/** The message to other processes. */
void completion_message_of(const struct weft_engine *e, const struct completion *t,
                           struct completion_message *message);
/** Notes what another process has given: the user is to be told. */
void peers_completion_came(struct weft_engine *e, const struct completion_message *message);
/** Brings peers.completions into the order of all events, as those of a thread are. */
void peers_completions_order(struct peers *p);
/** Tells the user. */
void peers_completion_report(struct weft_engine *e, const struct completion *t);

/* peers_same.c */
/** Has the graph and its routes lie once on each machine: all processes do that together. */
void peers_share(struct weft_engine *e);
/** Pages of these that are no longer read leave resident memory. */
void peers_unread(const struct weft_engine *e);

/* peers_notes.c */
/** Something is to be told. */
void peers_completion_add(struct weft_engine *e, const struct completion *t);
/* in a thread's context */
/** Event @p id at @p t_ps, which is executed next, may tell of a message at host @p cluster. */
void peers_may_complete(const struct weft_engine *e, int64_t t_ps, uint64_t id, uint32_t cluster);
/** Message record @p msg is complete, by that event. Where nothing follows from it, nobody waits.
 */
void peers_completed(struct weft_engine *e, uint32_t msg, bool acked);
/** Whether nothing follows from anything that the user is told. */
bool peers_passive(const struct weft_engine *e);
/** Whether the last event of peers_may_complete has been executed, and has told of nothing: once.
 */
bool peers_completed_nothing(const struct weft_engine *e);
/** Whether an event is not to be executed yet (peers.until). */
bool peers_beyond(const struct weft_engine *e, int64_t t_ps, uint64_t id);

/* peers_notes.c */
/** Puts packet @p k, number @p i, into the outbox of its port; it will have arrived at @p at_ps. */
void peers_send(struct weft_engine *e, uint32_t port, struct pkt *k, uint32_t i, int64_t at_ps);
/** The last packet of a message was sent for the first time. */
void peers_note_last(struct weft_engine *e, const struct qp *q, const struct msg *m);

/* peers_timers.c */
/** When the timer of a QP of this process expires that may give up then; WEFT_NEVER: of none. */
int64_t peers_next_try(const struct weft_engine *e);
/** The first QP from @p from on of which that timer expires at @p t_ps; WEFT_NEVER: none. */
int64_t peers_try_at(const struct weft_engine *e, int64_t t_ps, int64_t from);

/* peers_mail.c */
/** Next part of it to be given. */
struct peers_given {
    uint32_t next_completion, completions_end; /**< in peers.completions */
};
/** Writes head @p h, which lacks what is added here, and what goes with it, to the send buffers of
 * the others: of tells and packets as much as is to be given at once, which is then taken off @p g.
 */
void peers_pack(struct weft_engine *e, struct peers_head *h, struct peers_given *g);
/** Adds head @p h to what is known. */
void peers_merge(struct peers_head *known, const struct peers_head *h);
/** Reads what process @p k has sent, and adds its head to what is known. */
void peers_unpack(struct weft_engine *e, unsigned k);

/* peers_same.c */
/** A hash of nodes and links. */
uint64_t peers_same_fabric(const struct weft_fabric *f);
/** A message is posted, in all processes. */
void peers_same_post(struct weft_engine *e, const struct weft_msg *m);
/** Whether process @p k, of head @p h, plays the same; if not, the engine has failed, in all. */
bool peers_same(struct weft_engine *e, unsigned k, const struct peers_head *h);

/* peers_timers.c */
/** Has all processes watch what repeats of pauses are due at @p t_ps (pfc_timer.c); returns the
 * number of the first one that is not to be, as the run ends, UINT64_MAX: there is none. */
uint64_t peers_watch_repeats(struct weft_engine *e, int64_t t_ps);

/* peers_sums.c */
/** part_ask, part_ask being of the engine's core. */
void peers_ask(struct weft_engine *e, size_t size, part_answer_fn fn, void *ctx);
/** Exchanges what this process owes the others up to now, for those who look. */
void peers_meet(struct weft_engine *e);
/** Links have changed, as all processes know: brings what they lost to what it is for all, and
 * notes whether windows have ended at one of them. */
void peers_links_changed(struct weft_engine *e, struct weft_link_change *list, size_t n);

#endif
