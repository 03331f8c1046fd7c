/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Diagnosis by counterfactuals: the same run with one thing changed, for everything that may have
 * made it slow.
 *
 * The run is played once as it is. What it recorded, and what its scenario says, gives a list of
 * changes: a fault taken away, a setting back at its default, a workload left out, a link as fast
 * as its peers, more buffer, other control, faster links. Each change is played in a process of its
 * own until the budget of wall-clock time is spent, then the changes that helped most are played in
 * pairs. A change that helps names a cause; how much it helps is measured, not estimated.
 */
#ifndef WEFT_DIAGNOSE_DIAGNOSE_H
#define WEFT_DIAGNOSE_DIAGNOSE_H

#include "foreign/subject.h"
#include "plot/facts.h"
#include "sweep/run.h"

#include <stdbool.h>

/** What kind of thing a change undoes or adds. The first four are what is not as intended; a
 * diagnosis names them before the others when they explain a good part of the loss. */
enum weft_change_class {
    WEFT_CHANGE_FAULT,   /**< a fault of links or switches is taken away */
    WEFT_CHANGE_LINK,    /**< a link that is slower than its peers gets their rate */
    WEFT_CHANGE_JOB,     /**< another workload is left out */
    WEFT_CHANGE_SETTING, /**< a setting that was given goes back to its default */
    WEFT_CHANGE_TUNING,  /**< a setting at its default gets another value */
    WEFT_CHANGE_CAPACITY /**< the fabric, or what it is offered, is another */
};
/** "fault", "link", "workload", "setting", "tuning" or "capacity". */
const char *weft_change_class_name(enum weft_change_class c);

/** One change. The texts live in the arena of their list. */
struct weft_change {
    enum weft_change_class class;
    const char *what;   /**< what is other than in the run, as a noun phrase or "without ..." */
    const char *advice; /**< what a user can do when it helps */
    const char **sets;  /**< "KEY=VALUE" */
    size_t nsets;
    double weight;  /**< of its gain when causes are ranked: causes before remedies */
    unsigned order; /**< changes of a lower order are played first */
    bool part;      /**< one link, host or rank is as fast as its peers */
    double cost;    /**< of a part: the share of the run by which it was in use longer than at their
                       speed; 0: not known */
};

/** Weight of what undoes something that is not as intended. */
#define WEFT_CHANGE_UNINTENDED 4
/** The same of several such things at once: of equal gains the one that changes less comes first.
 */
#define WEFT_CHANGE_SEVERAL 3.96

/** A list of changes. */
struct weft_changes {
    struct weft_arena *arena; /**< owns the texts */
    struct weft_change *list; /**< in the arena */
    size_t nrest;             /**< more slow links, hosts and ranks than are tried one by one */
    double rest_cost;         /**< of these the largest cost */
    const char *link_rates;   /**< run.link-rates of the run, which changes of it keep; NULL: "" */
    size_t n, cap;
};

/** What the run as it is recorded, of what suggests changes. Counts; NaN where not known. */
struct weft_symptoms {
    double drops, drops_buffer, drops_headroom, drops_error;
    double timeouts, retransmissions, pauses, marks;
    double busiest, busiest_port;      /**< use of the busiest link, 0 to 1; its port */
    const struct weft_slow_part *slow; /**< links, hosts and ranks slower than those like them */
    size_t nslow;
};

/** Appends a change with up to three settings (NULL: none). WEFT_E_LIMIT: no memory. */
int weft_changes_add(struct weft_changes *c, const struct weft_change *like, const char *set1,
                     const char *set2, const char *set3, struct weft_err *err);
/** Appends everything that a scenario gives reason to try.
 * @param main the workload that the diagnosis is about; NULL: the flows of a foreign file.
 * @param f the fabric. */
int weft_changes_list(struct weft_changes *c, const struct weft_scenario *s, const char *main,
                      const struct weft_fabric *f, const struct weft_symptoms *y,
                      struct weft_err *err);

/** Parts of weft_changes_list. */
int weft_changes_of_faults(struct weft_changes *c, const struct weft_scenario *s,
                           const struct weft_symptoms *y, struct weft_err *err);
int weft_changes_of_settings(struct weft_changes *c, const struct weft_scenario *s,
                             const char *main, struct weft_err *err);
int weft_changes_of_links(struct weft_changes *c, const struct weft_fabric *f,
                          const struct weft_symptoms *y, struct weft_err *err);
int weft_changes_of_hosts(struct weft_changes *c, const struct weft_scenario *s,
                          const struct weft_fabric *f, const struct weft_symptoms *y,
                          struct weft_err *err);
int weft_changes_of_ranks(struct weft_changes *c, const struct weft_scenario *s,
                          const struct weft_symptoms *y, struct weft_err *err);
int weft_changes_by_rule(struct weft_changes *c, const struct weft_scenario *s, const char *main,
                         const struct weft_fabric *f, const struct weft_symptoms *y,
                         struct weft_err *err);

/** fault.events without the entries, numbered from 1, of a set of bits. NULL: no memory. */
const char *weft_changes_events_without(struct weft_changes *c, const char *events,
                                        uint64_t entries);
/** The text of a parameter's value in a group; "" when the group has no such parameter. Lives as
 * long as the scenario, or in @p arena. */
const char *weft_group_value(const struct weft_scenario_group *g, const char *param,
                             struct weft_arena *arena);

enum { WEFT_DIAGNOSE_MEASURES = 2, WEFT_DIAGNOSE_SYMPTOMS = 10 };

/** How a change came out. */
enum weft_trial_state {
    WEFT_TRIAL_NOT_TRIED, /**< the budget was spent before, or while it was played */
    WEFT_TRIAL_FAILED,    /**< it cannot be run, or took too long */
    WEFT_TRIAL_PLAYED
};

/** A change, or two together, and what came of it. */
struct weft_trial {
    const struct weft_change *change, *second; /**< second NULL: one change */
    enum weft_trial_state state;
    const char *why;                        /**< FAILED: the reason; NULL: not known */
    double measure[WEFT_DIAGNOSE_MEASURES]; /**< in the unit of their keys; NaN: none */
    bool unfinished;                        /**< the run did not come to its end */
    double ratio; /**< time with the change / time without; below 1: it helps. 0: it finishes, the
                     run does not */
};

/** A diagnosis. */
struct weft_diagnosis {
    struct weft_changes changes;
    struct weft_metric_choice measures[WEFT_DIAGNOSE_MEASURES]; /**< what is to be smaller */
    bool larger_is_better;                                      /**< the one measure is a rate */
    size_t nmeasures;
    struct weft_trial base;    /**< the run as it is; NOT_TRIED: it did not end within the budget */
    struct weft_trial *trials; /**< in the arena of changes, best first */
    size_t ntrials;
    const char *slice;        /**< settings that made all runs shorter; NULL: none */
    size_t nplayed, nuntried; /**< of trials */
    double wall_s;
    double needs_s; /**< where nothing was tried: about the budget that is enough for all changes;
                       0: not known */
};

/** How much a diagnosis may take. */
struct weft_diagnose_budget {
    double wall_s;   /**< no change is played beyond it */
    size_t parallel; /**< processes at a time */
};

/**
 * Plays a run and its counterfactuals. @p base has the scenario and its settings. @p job is the
 * workload that it is about (NULL: the first with an end, else the first), @p metric another
 * measure (NULL: by the kind of workload). Free it in any case.
 */
int weft_diagnose(struct weft_diagnosis *d, const struct weft_sweep_base *base, const char *job,
                  const char *metric, const struct weft_diagnose_budget *budget,
                  struct weft_err *err);
void weft_diagnosis_free(struct weft_diagnosis *d);
/** How much sooner the work is done with the change, a share of the run; negative: later. */
double weft_trial_gain(const struct weft_trial *t);
/** Smallest gain that counts: below, what changed may be chance. */
#define WEFT_DIAGNOSE_LEAST_GAIN 0.02
/** Settings that make a run shorter and leave it alike; their texts live in the arena. */
struct weft_slice {
    const char *set[8]; /**< "KEY=VALUE" */
    size_t n;           /**< 0: there is nothing to cut */
};
/** A slice of a scenario that takes about 1 / @p times as long, or what comes nearest.
 * @param job the workload that the diagnosis is about; NULL: the flows of a foreign file. */
void weft_diagnose_slice(const struct weft_scenario *s, const struct weft_scenario_job *job,
                         uint64_t times, struct weft_arena *arena, struct weft_slice *out);
/** Whether a path is the folder of a run. */
bool weft_diagnose_is_folder(const char *path);
/**
 * What the run in a folder was made of: its scenario (NULL: it has no file) and the settings that
 * were given besides, "KEY=VALUE" in @p arena. *@p plugins receives " --plugin FILE" for each
 * plug-in that the run had and that is not loaded. A folder of somebody else must not run code, so
 * nothing is loaded because run.json names it. WEFT_E_INPUT: the folder does not say, or the file
 * is not there any more.
 */
int weft_diagnose_of_folder(const char *dir, struct weft_arena *arena, const char **scenario,
                            const char ***sets, size_t *nsets, const char **plugins,
                            struct weft_err *err);
/** The file of a run's folder that a diagnosis of it is kept in, for its report. */
#define WEFT_DIAGNOSIS_FILE "diagnosis.json"
int weft_diagnosis_keep(const struct weft_diagnosis *d, const char *dir, struct weft_err *err);
/** Of a diagnosis for which the budget was too short: WEFT_E_LIMIT, which says what would be
 * enough. 0: something was tried, or there is nothing to try. */
int weft_diagnosis_check(const struct weft_diagnosis *d, struct weft_err *err);
/** Writes it for people, and as one JSON object. */
void weft_diagnosis_text(FILE *out, const struct weft_diagnosis *d);
void weft_diagnosis_json(struct weft_json *j, const struct weft_diagnosis *d);

#endif
