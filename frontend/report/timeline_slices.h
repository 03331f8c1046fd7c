/* SPDX-License-Identifier: GPL-2.0-only */
/* Slices of a timeline, as the tables of a run give them, before they have a place on a track. */
#ifndef WEFT_REPORT_TIMELINE_SLICES_H
#define WEFT_REPORT_TIMELINE_SLICES_H

#include "base/arena.h"
#include "base/hash_table.h"
#include "report/timeline.h"

/** Kinds of tracks of a process, from top to bottom. */
enum weft_track {
    WEFT_TRACK_COMPUTE,
    WEFT_TRACK_CPU,
    WEFT_TRACK_MEMORY,
    WEFT_TRACK_COMM,     /**< collectives, sends, receives */
    WEFT_TRACK_PHASE,    /**< phases of collectives */
    WEFT_TRACK_OUT,      /**< messages that a host sends */
    WEFT_TRACK_IN,       /**< that it receives */
    WEFT_TRACK_PAUSE,    /**< a port, stopped by PFC */
    WEFT_TRACK_CRITICAL, /**< the critical path */
    WEFT_TRACKS
};

/** Processes: ranks of jobs first, then what there is of the fabric. */
enum weft_process_kind {
    WEFT_PROCESS_PATH,
    WEFT_PROCESS_RANK,
    WEFT_PROCESS_HOST,
    WEFT_PROCESS_PORTS
};

/** One process. */
struct weft_process {
    struct {
        uint64_t number; /**< of the rank, host */
        const char *job; /**< "": runs without; one text for each */
        uint64_t kind;   /**< enum weft_process_kind */
    } key;
    uint64_t pid; /**< in the file */
    bool lost;    /**< there was no memory to find it again */
    UT_hash_handle hh;
};

/** The name of a job. */
struct weft_slices_job {
    const char *name;
    struct weft_slices_job *next;
};

/** One slice. */
struct weft_slice {
    struct weft_process *process;
    uint32_t track; /**< enum weft_track */
    uint64_t of;    /**< further: the port and priority of PAUSE, the dimension of PHASE, else 0 */
    int64_t begin_ps, end_ps;
    uint64_t order; /**< in which it was read */
    const char *name, *what;
    uint64_t bytes;
    uint64_t number;    /**< node of the trace, or message */
    int64_t exposed_ps; /**< of operations; -1: not one */
    uint32_t lane;
};

/** All of a timeline. */
struct weft_slices {
    struct weft_arena *arena;
    struct weft_slice *list;
    uint64_t n, cap;
    struct weft_process *processes; /**< by key, and a list */
    struct weft_slices_job *jobs;
};

/** Reads the tables in @p dir. */
int weft_slices_read(const char *dir, uint64_t most_messages, struct weft_slices *s,
                     struct weft_timeline_content *content, struct weft_err *err);
void weft_slices_free(struct weft_slices *s);

#endif
