/* SPDX-License-Identifier: GPL-2.0-only */
/* How a run, or a sweep of runs, ended: the values of `outcome` in run.json and in tables. */
#ifndef WEFT_BASE_OUTCOME_H
#define WEFT_BASE_OUTCOME_H

#include "base/linkage.h"

#include <stdbool.h>

WEFT_C_BEGIN

enum weft_outcome {
    WEFT_OUTCOME_NONE,             /**< not known yet */
    WEFT_OUTCOME_RUNNING,          /**< under way, or killed */
    WEFT_OUTCOME_FINISHED,         /**< everything is done */
    WEFT_OUTCOME_MEASURED,         /**< ended at the end of run.measure, as intended */
    WEFT_OUTCOME_STOPPED_AT_LIMIT, /**< ended at run.until */
    WEFT_OUTCOME_STALLED,          /**< no more progress */
    WEFT_OUTCOME_INTERRUPTED,      /**< by a signal */
    WEFT_OUTCOME_OVER_LIMIT,       /**< took more of the machine than allowed */
    WEFT_OUTCOME_FAILED,           /**< ended by an error, or did not begin */
    WEFT_OUTCOME_MISSING,          /**< a row of a sweep without any run */
    WEFT_OUTCOME_UNKNOWN           /**< a run.json of another version says something else */
};

/** "finished", "stopped-at-limit", ...; "" of NONE. */
const char *weft_outcome_name(enum weft_outcome outcome);
/** The outcome of that name; NONE of NULL, UNKNOWN of names that there are not. */
enum weft_outcome weft_outcome_of(const char *name);
/** Whether a run came to what was intended. */
bool weft_outcome_is_good(enum weft_outcome outcome);
/** Whether a run of this outcome has not written all of its results: it runs, was interrupted,
 * failed, or went over a limit of the machine. */
bool weft_outcome_is_partial(enum weft_outcome outcome);

WEFT_C_END
#endif
