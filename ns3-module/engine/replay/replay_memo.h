/* SPDX-License-Identifier: GPL-2.0-only */
/* The memo of messages: what replay_memo.c and replay_memo_*.c share. */
#ifndef WEFT_ENGINE_REPLAY_MEMO_H
#define WEFT_ENGINE_REPLAY_MEMO_H

#include "core/heap.h"
#include "core/stable.h"
#include "engine_replay.h"

#include "base/delay.h"
#include "base/units.h"

#include <stdbool.h>
#include <stdint.h>

struct msg;
struct qp;
struct weft_completion;
struct weft_engine;

/** Indices of records of the memo are never 0: that is none. */

#define MEMO_SEEN 16u /**< messages that an entry remembers */

/** How long messages of one QP and size take beside the same other QPs: means of those that were
 * simulated, in ps from the moment when the QP could send them. A memo's file has them as they are,
 * without the first two fields. */
struct memo_entry {
    uint32_t next;                         /**< of its QP */
    uint32_t hits;                         /**< messages taken over since the last check */
    uint32_t n;                            /**< messages simulated */
    uint16_t gap;                          /**< messages taken over until the next check is due */
    uint16_t shares;                       /**< not 0: they take longer than alone at their NIC */
    uint64_t qp, bytes, pattern;           /**< what it is filed under: qp as struct memo_qp.name */
    double sent_ps, received_ps, acked_ps; /**< last packet made, received, acknowledged */
    double variance;                       /**< of received_ps, ps squared */
    double held_ps[WEFT_DELAY_QUEUE];      /**< what delayed them, without earlier messages */
    double cnps;
    float seen_ps[MEMO_SEEN]; /**< sent_ps of the latest messages */
};
_Static_assert(sizeof(struct memo_entry) ==
                   80 + WEFT_DELAY_QUEUE * sizeof(double) + MEMO_SEEN * sizeof(float),
               "no byte of a file is left open");

#define MEMO_LEAST_SEEN 3u /**< messages that make an entry known */
#define MEMO_FIRST_GAP 16u /**< messages of a QP until its first check, */
#define MEMO_LAST_GAP 300u /**< between checks at most */

/** Moments of a message that is taken over, and other events of the memo; in this order where they
 * are simultaneous. */
enum memo_event {
    MEMO_BACK,     /**< messages that a QP meets (NIL: all) are simulated from here on */
    MEMO_SENT,     /**< its last packet leaves */
    MEMO_RECEIVED, /**< it is received */
    MEMO_ACKED,    /**< it is acknowledged */
    MEMO_OPEN,     /**< a QP sends packets again */
    MEMO_REROUTED, /**< QPs may take other paths */
    MEMO_MEASURED, /**< rates in the group of a QP */
    MEMO_CHECK,    /**< in the group of a QP messages are to be compared */
    MEMO_READY     /**< a QP is the last of its group that became ready */
};

/** A message from its posting to its last ACK. */
struct memo_msg {
    uint32_t next; /**< of its QP; first, as stable.h wants */
    uint32_t qp, msg;
    uint64_t first_psn, packets, bytes;
    int64_t post_ps, start_ps; /**< the latter: when its QP could send it */
    int64_t sent_ps, received_ps;
    uint64_t home;     /**< not 0: it is the first of its QP in a group, and this the group that
                            is expected to form */
    bool clean;        /**< nothing that it met was taken over when it began */
    bool taken;        /**< it is taken over, */
    bool rated;        /**< at its rate, for a while */
    bool partly;       /**< it was taken over for a while, */
    bool checked;      /**< and its rate compared afterwards */
    bool began;        /**< start_ps is known */
    uint32_t entry;    /**< for it when it began, which it is taken over from */
    uint64_t before;   /**< taken: packets made before that */
    int64_t taken_ps;  /**< taken: since when */
    uint64_t counted;  /**< taken: packets counted so far */
    int64_t due_ps[4]; /**< taken: by enum memo_event; WEFT_NEVER: over */
};

#define MEMO_RATES 3 /**< that have to agree */

/** How a QP gets on with a long message, from one measurement of its group to the next. */
struct memo_course {
    uint32_t next;               /**< first, as stable.h wants */
    uint32_t n;                  /**< rates */
    uint32_t most;               /**< measurements that may be skipped at once */
    uint64_t psn;                /**< next at the last measurement, but for a train's others */
    int64_t tx_ps;               /**< when it had sent last */
    double rate[MEMO_RATES];     /**< packets per ps since the one before, oldest first */
    double limit[MEMO_RATES];    /**< of its congestion control: window, or else rate */
    uint64_t flight[MEMO_RATES]; /**< packets */
    double taken_rate;           /**< of the same message when it was last taken over; 0: never */
    double off_early;            /**< what it was off by then, if that ended early */
    int64_t since_ps;            /**< when rates were first measured of those that are here */
    int64_t held_ps[WEFT_DELAY_QUEUE];   /**< its clocks then, */
    double held_share[WEFT_DELAY_QUEUE]; /**< and how much of the time they went since */
};

/** A QP. */
struct memo_qp {
    uint64_t name;       /**< the same in every run: its ends, class, path; 0: not known yet */
    uint32_t node;       /**< its place in a group, 0: it is in none */
    uint32_t next, prev; /**< the members of its group in a circle */
    uint32_t head, tail; /**< its messages, oldest first */
    uint32_t sending;    /**< the message that it sends, or sends next */
    uint32_t receiving;  /**< the oldest that is not received */
    uint32_t entries;    /**< list */
    uint32_t nentries;
    uint32_t course; /**< 0: its messages are short */
    bool hidden;     /**< the engine's sender is not shown the message `sending` */
    bool leaving;    /**< it is in replay_memo.leaves */
    int64_t warm_ps; /**< the network is used to its packets then; WEFT_NEVER: its last
                          message was taken over, or it has just begun */
    int64_t free_ps; /**< its last packet of earlier messages has left by then */
    int64_t open_ps; /**< it sends no packets before */
    int64_t leave_ps;
    int64_t received_ps, acked_ps; /**< its last message that is taken over will be by then */
    uint32_t taken;                /**< messages that are being taken over and not yet received */
    uint32_t was;                  /**< its group before groups are formed anew */
    uint64_t ready_epoch;          /**< of its group when its next message was known */
    uint64_t checked_epoch;        /**< of its group when a message was simulated for a check */
    uint64_t bytes;                /**< of its last message */
    uint64_t home;                 /**< the whole group in which that was; 0: none yet */
    bool first;                    /**< it has entered a group and sent nothing there */
    bool forming;                  /**< its first message in its group is simulated */
};

/** A place in a group: QPs with messages that share ports, joined by union and find. The root has
 * what is said of the group. */
struct memo_node {
    uint32_t up;        /**< towards the root, itself: it is the root */
    uint32_t member;    /**< a QP of the group */
    uint32_t active;    /**< QPs */
    uint32_t ready;     /**< of them those whose next message is known, in this epoch */
    uint32_t taken;     /**< messages that are being taken over and not yet received */
    uint64_t pattern;   /**< which QPs these are */
    uint64_t epoch;     /**< changes whenever these change, and with each check */
    uint64_t scanned;   /**< epoch in which all QPs were asked whether they are ready */
    uint64_t expects;   /**< pattern of the group that is forming, or was once all had come */
    int64_t whole_ps;   /**< when it was last formed */
    uint32_t forming;   /**< QPs whose first message is simulated */
    int64_t taken_ps;   /**< when the last message that was taken over was received */
    int64_t changed_ps; /**< when the epoch began */
    bool checks;        /**< messages are simulated to be compared */
    int64_t check_ps;   /**< when the next check begins; in the past: none is due */
    /* of long messages (replay_memo_rates.c) */
    uint32_t partly;     /**< messages that are being taken over at their rates */
    int64_t moved_ps;    /**< when a message last began, or its last packet was made */
    int64_t back_ps;     /**< when what was taken over at rates was last given back */
    int64_t interval_ps; /**< from one measurement to the next; 0: there was none yet */
    int64_t measured_ps; /**< the last one */
    int64_t measures_ps; /**< the next one; in the past: none is due */
};

#define MEMO_CHECKED 4096u /**< deviations that are remembered for the 99th percentile */

/** By how much messages were off, relative and without sign. */
struct memo_sample {
    uint64_t n;
    double sum;
    float off[MEMO_CHECKED]; /**< the latest */
};

/** What of a flow is at a node on its way (replay_memo_paths.c). */
struct memo_part {
    uint32_t node;
    uint64_t n; /**< packets */
    int64_t ps; /**< propagation so far, at least */
};

/** Room for walks along the paths of a QP. */
struct memo_paths {
    struct memo_part *part[2]; /**< at this hop and the next */
    uint32_t *place;           /**< per node: where in a list it is, if it is there */
};

/** The memo of an engine. */
struct replay_memo {
    double tolerance; /**< 0: nothing is taken over but what is the same */
    bool ready;       /**< there is room for all below */
    bool possible;    /**< nothing of the fabric stands against it, as of `changes` */
    bool resamples;   /**< messages that scatter are taken over as well */
    uint64_t changes; /**< times that links, hooks or parameters changed */
    uint64_t epochs;  /**< so far */
    uint32_t active;  /**< QPs in groups */
    uint32_t left;    /**< QPs that left groups since these were formed anew */
    struct stable msgs, entries, courses, qps;
    const struct memo_entry *kept; /**< of earlier runs, in order; NULL: none */
    size_t nkept;
    struct memo_node *node;
    uint32_t nodes, nodes_cap;
    uint32_t *port;  /**< per egress port of the fabric: a node that was there, 0: none */
    uint32_t *users; /**< the same: QPs in groups that send there */
    struct memo_paths paths;
    struct evq events; /**< enum memo_event as the kind */
    struct evq leaves; /**< QPs without messages, by when they leave their groups; nobody waits */
    /* what came of it */
    uint64_t taken, simulated;   /**< messages taken over, and others */
    uint64_t checked;            /**< messages that were compared */
    struct memo_sample checks;   /**< simulated although known */
    struct memo_sample outliers; /**< simulated for other reasons since the first was taken over */
    double signed_errors, squares; /**< sums over checks */
    double took_ps, off_ps;        /**< the same: times, and deviations from the memo */
    double off_ps_squares;
    /** sums over messages taken over: of memo_entry_spread; of half a packet over all its packets
     */
    double spread, grain;
    double rates_error; /**< sum over skips at rates: of what their message may be off by */
    uint64_t whole;     /**< messages taken over by entries */
};

#pragma GCC visibility push(hidden)

/* replay_memo.c */
/** Messages are taken over from now on, within the tolerance. */
void replay_memo_begin(struct weft_engine *e);
void replay_memo_posted(struct weft_engine *e, const struct msg *m);
void replay_memo_sent(struct weft_engine *e, const struct msg *m);
void replay_memo_completed(struct weft_engine *e, uint32_t qp, bool acked,
                           const struct weft_completion *d);
/** Links, hooks or parameters change: everything is simulated from this instant on. */
void replay_memo_disturb(struct weft_engine *e);
/** The events that are due now. */
void replay_memo_look(struct weft_engine *e);
void replay_memo_free(struct weft_engine *e);
/* replay_memo_entries.c */
/** The memo's estimate of errors. */
void replay_memo_figures(const struct weft_engine *e, struct weft_replay_figures *f);
/** The entry for messages of @p bytes of a QP in its group as it is, or with @p home for the first
 * in a group that forms; 0: none. */
uint32_t memo_entry_find(struct weft_engine *e, struct memo_qp *q, uint64_t bytes, uint64_t home);
/** Serialisation of a packet of a QP at its NIC, with the gap. */
int64_t memo_packet_ps(const struct weft_engine *e, const struct qp *q, uint64_t payload_bytes);
/** Packets that a QP sent last, at once: more than one are a train. */
uint64_t memo_last_packets(const struct qp *q);
/** By how much the messages of an entry differ: their standard deviation over their mean. */
double memo_entry_spread(const struct memo_entry *m);
/** Whether the next message of a QP can be taken over from entry @p i. */
bool memo_entry_known(struct weft_engine *e, const struct memo_qp *q, uint32_t i);
/** How long message @p k takes until it is sent, in ps, by entry @p m. */
double memo_entry_sent_ps(struct weft_engine *e, const struct memo_entry *m,
                          const struct memo_msg *k);
/** Message @p k of QP @p q was simulated and met nothing but packets of its group. */
void memo_entry_learn(struct weft_engine *e, struct memo_qp *q, const struct memo_msg *k,
                      const struct weft_completion *d);
/** The rate of a QP is off by this, relative, after messages were taken over at it: whether that is
 * within the tolerance. */
bool memo_rate_compare(const struct weft_engine *e, double off);
/** Message @p k was simulated after something was not. */
void memo_entry_outlier(struct weft_engine *e, const struct memo_msg *k);
/** Whether message @p k met nothing but packets of its group, which is as its entry says. */
bool memo_msg_fits(struct weft_engine *e, const struct memo_msg *k);
/** Whether the next message of each member is known. */
bool memo_group_ready(struct weft_engine *e, struct memo_node *g);

/* replay_memo_file.c */
/** The name of a QP, for entries that outlive the run. */
uint64_t memo_qp_name(struct weft_engine *e, uint32_t qp);
/** What earlier runs know under the name of @p of, its bytes and pattern; NULL: nothing. */
const struct memo_entry *memo_kept_find(const struct weft_engine *e, const struct memo_entry *of);

/* replay_memo_paths.c */
/** @p packets of a QP leave by @p port. */
typedef void (*memo_port_fn)(struct weft_engine *e, void *ctx, uint32_t port, uint64_t packets);
bool memo_paths_init(struct weft_engine *e);
void memo_paths_free(struct memo_paths *p);
/** Calls fn(e, ctx, port, packets) for the egress ports that @p packets of a QP pass, or (@p
 * forward is false) ACKs of it; @p salt says where those go that don't divide. 0 packets: for the
 * ports that may hold them up. The least propagation to the end, WEFT_NEVER: no path leads there.
 */
int64_t memo_paths_walk(struct weft_engine *e, const struct qp *q, bool forward, uint64_t packets,
                        uint64_t salt, memo_port_fn fn, void *ctx);

/* replay_memo_groups.c */
/** Event @p what of a message or QP happens at @p t_ps. */
void memo_push(struct weft_engine *e, int64_t t_ps, enum memo_event what, uint32_t number);
/** Room for the ports; false: out of memory. */
bool memo_groups_init(struct weft_engine *e);
struct memo_node *memo_group(struct weft_engine *e, const struct memo_qp *q);
/** For each QP @p q of group @p g. */
#define MEMO_EACH(e, g, q)                                                                         \
    for (struct memo_qp *first_ = memo_qp_at(e, (g)->member), *q = first_; q;                      \
         q = memo_qp_at(e, q->next) != first_ ? memo_qp_at(e, q->next) : NULL)
/** A QP has messages: it joins the QPs that it shares ports with. */
void memo_group_enter(struct weft_engine *e, uint32_t qp);
/** A QP has had none for some time. */
void memo_group_leave(struct weft_engine *e, uint32_t qp);
/** Paths may have changed: QPs in groups join those that they meet now, too. */
void memo_groups_reroute(struct weft_engine *e);
/** The members are asked anew whether they are ready. */
void memo_group_renew(struct weft_engine *e, struct memo_node *g);
/** Rates are measured an interval from now, at QP @p qp, unless that is due already. */
void memo_group_measures(struct weft_engine *e, struct memo_node *g, uint32_t qp);
/** Whether the first message of QP @p q in its group is simulated. */
void memo_group_forms(struct weft_engine *e, struct memo_qp *q, bool forms);
/** Whether QP @p q is ready. */
void memo_group_report(struct memo_node *g, struct memo_qp *q, bool ready);
void memo_groups_free(struct replay_memo *r);

/* replay_memo_rates.c */
/** Message @p i is simulated: if it is long, its rate is measured. */
void memo_rates_watch(struct weft_engine *e, uint32_t i);
/** Rates in the group of QP @p qp are measured; where they agree, messages are taken over. */
void memo_rates_measure(struct weft_engine *e, uint32_t qp);

/* replay_memo_taken.c */
/** Message @p i is taken over from entry @p entry, but for the packets made before. */
void memo_take(struct weft_engine *e, uint32_t i, uint32_t entry);
/** All QPs in the group of QP @p qp may have become ready: messages that are being sent there are
 * taken over, too. */
void memo_take_group(struct weft_engine *e, uint32_t qp);
/** How long it takes until the network is used to packets of a QP again. */
int64_t memo_warm_ps(const struct weft_engine *e, const struct qp *q);
/** Message @p i, which is being sent, is taken over until @p back_ps, at @p rate packets per ps. */
void memo_take_partly(struct weft_engine *e, uint32_t i, double rate, int64_t back_ps);
/** Whether a QP does nothing but send what was posted. */
bool memo_qp_is_plain(const struct weft_engine *e, const struct qp *q);
/** The engine's sender of a QP is not shown what is unsent; or it is again. */
void memo_hide(struct weft_engine *e, uint32_t qp);
void memo_show(struct weft_engine *e, uint32_t qp);
/** These are events. */
void memo_back(struct weft_engine *e, uint32_t qp);
bool memo_sent(struct weft_engine *e, uint32_t i);
void memo_received(struct weft_engine *e, uint32_t i);
void memo_acked(struct weft_engine *e, uint32_t i);
/** extension_ops.qp_state. */
void replay_memo_qp_state(const struct weft_engine *e, uint32_t qp, struct weft_qp_state *out);
/** What messages that are taken over have sent by now is counted. */
void replay_memo_catch_up(struct weft_engine *e);

#pragma GCC visibility pop

#endif
