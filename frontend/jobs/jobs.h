/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The jobs of a run: each is graphs of ranks, which a system plays, or a source of flows, which a
 * flow player plays, on a share of the one net. docs/explanation/jobs.md draws their states.
 */
#ifndef WEFT_JOBS_JOBS_H
#define WEFT_JOBS_JOBS_H

#include "jobs/share.h"
#include "system/system.h"
#include "workload/flows.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** One job, before it runs. */
struct weft_job_plan {
    const char *name;               /**< unique among the jobs */
    const char *kind;               /**< type of its workload */
    struct weft_workload *workload; /**< graphs; NULL: it is flows */
    struct weft_flow_source *flows; /**< NULL: it is graphs */
    uint32_t nranks;
    uint32_t *hosts; /**< of ranks 0 .. nranks-1, then hosts that no job has, ascending */
    uint32_t nhosts; /**< how many those are together */
    uint32_t *nics;  /**< of a rank of several hosts: those of rank 0, of rank 1, ..., of which
                        `hosts` has the first; NULL: a rank is one host */
    uint32_t nnics;  /**< hosts of a rank, >= 1 */
    bool identity;   /**< rank r is host r */
    struct weft_dims dims; /**< of its ranks; n 0: not known */
    int64_t start_ps;      /**< >= 0 */
    uint32_t prio;         /**< traffic class of messages that ask for none, or WEFT_PRIO_DEFAULT */
    /** What carries its messages, where it asked for that ("tcp"), else NULL; and the classes in
     * which it may send then: bits 0 to 7, and bit 8 for the backend's. */
    const char *transport;
    uint32_t classes;
    int64_t until_ps; /**< a source without an end begins no flow from then on; 0: no limit */
    uint64_t repeat;  /**< how often it is played, one time after the other; >= 1 */
    bool idle;        /**< it is not played, and counts as finished */
};

/** Everything pointed to must outlive the jobs. */
struct weft_jobs_config {
    const struct weft_job_plan *plans;
    uint32_t n;
    const struct weft_system_params *system;
    uint64_t seed;
    const struct weft_fabric *fabric;
    struct weft_net_manner manner; /**< of the net's backend */
    struct weft_net *net;
    struct weft_tuner *tuner;                     /**< for auto; NULL: nothing is measured */
    const struct weft_system_observer *observers; /**< per job; NULL: none */
    /** Optional. Told of requests of sources that are over, at absolute times. */
    void (*requests)(void *ctx, uint32_t job, const struct weft_request *request);
    void *requests_ctx;
    bool keep_on; /**< sources without an end go on when all else is finished */
};

struct weft_jobs;

/** How a job got on. Times are absolute. */
struct weft_job_result {
    bool finished;    /**< all repetitions; a source without an end: all that it began */
    bool endless;     /**< a source without an end */
    int64_t start_ps; /**< it began; WEFT_NEVER: it did not */
    int64_t
        end_ps; /**< end of its last operation, last byte of its last flow; 0: nothing has ended */
    uint64_t done, total;     /**< operations, or flows begun */
    uint64_t repetitions;     /**< that are over */
    uint64_t messages, bytes; /**< posted */
};

/** What the system layer is told of a job besides its parameters. */
struct weft_system_env weft_job_env(const struct weft_job_plan *p, uint64_t seed,
                                    const struct weft_fabric *fabric,
                                    const struct weft_net_manner *manner, struct weft_tuner *tuner);

/** Prepares the jobs over c->net and becomes its sink. A single job whose rank r is host r, which
 * begins at 0 with nothing of its own, has the net for itself. NULL on failure. */
struct weft_jobs *weft_jobs_new(const struct weft_jobs_config *c, struct weft_err *err);
/** Frees them; the net may not run any further, only be freed. NULL is allowed. */
void weft_jobs_free(struct weft_jobs *j);
/** Begins those that begin at time 0, arms the start of the others. Call once, then run the net. */
int weft_jobs_start(struct weft_jobs *j, struct weft_err *err);
/** An error raised inside a callback (the net was stopped because of it), or code 0. */
const struct weft_err *weft_jobs_error(const struct weft_jobs *j);
/** 1 when every job is finished. */
bool weft_jobs_finished(const struct weft_jobs *j);
/** Whether every job that has an end is finished, and there is one. */
bool weft_jobs_ends_finished(const struct weft_jobs *j);
/** When the first source without an end stopped for that; 0: none has. */
int64_t weft_jobs_stopped_ps(const struct weft_jobs *j);
/** Whether some job is a source without an end, and whether all are. */
bool weft_jobs_any_endless(const struct weft_jobs *j);
bool weft_jobs_all_endless(const struct weft_jobs *j);
/** Operations and flows done and in total, over all jobs; of flows only those that have begun
 * count. */
void weft_jobs_progress(const struct weft_jobs *j, uint64_t *done, uint64_t *total);
/** Payload that all jobs move, of flows what has been posted; see weft_system_volume(). */
uint64_t weft_jobs_volume(const struct weft_jobs *j);
/** The run was cut off at @p reached_ps; see weft_system_reach(). */
void weft_jobs_reach(struct weft_jobs *j, int64_t reached_ps);
/** To be called once when the net has run; see weft_system_conclude(). */
int weft_jobs_conclude(struct weft_jobs *j, struct weft_err *err);
/** Says for each rank with something unfinished what it waits for, at most @p max sentences, and
 * returns how many ranks there are. Flows are left to the net. */
uint32_t weft_jobs_explain(const struct weft_jobs *j, uint32_t max, weft_net_explain_fn fn,
                           void *ctx);
uint32_t weft_jobs_count(const struct weft_jobs *j);
const struct weft_job_plan *weft_jobs_plan(const struct weft_jobs *j, uint32_t job);
void weft_jobs_result(const struct weft_jobs *j, uint32_t job, struct weft_job_result *out);
/** How rank @p rank of a job of graphs got on, over all repetitions: end_ps is the last. */
void weft_jobs_rank(const struct weft_jobs *j, uint32_t job, uint32_t rank,
                    struct weft_rank_result *out);
/** The system of a job of graphs; NULL: flows, or it has not begun. */
const struct weft_system *weft_jobs_system(const struct weft_jobs *j, uint32_t job);

WEFT_C_END
#endif
