/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of outcomes, and what they mean for the results of a run. */
#include "base/outcome.h"

#include <string.h>

static const char *const names[] = {
    [WEFT_OUTCOME_NONE] = "",
    [WEFT_OUTCOME_RUNNING] = "running",
    [WEFT_OUTCOME_FINISHED] = "finished",
    [WEFT_OUTCOME_MEASURED] = "measured",
    [WEFT_OUTCOME_STOPPED_AT_LIMIT] = "stopped-at-limit",
    [WEFT_OUTCOME_STALLED] = "stalled",
    [WEFT_OUTCOME_INTERRUPTED] = "interrupted",
    [WEFT_OUTCOME_OVER_LIMIT] = "over-limit",
    [WEFT_OUTCOME_FAILED] = "failed",
    [WEFT_OUTCOME_MISSING] = "missing",
    [WEFT_OUTCOME_UNKNOWN] = "unknown",
};

const char *weft_outcome_name(enum weft_outcome outcome)
{
    return names[outcome];
}

enum weft_outcome weft_outcome_of(const char *name)
{
    for (unsigned i = WEFT_OUTCOME_NONE; name && i < WEFT_OUTCOME_UNKNOWN; i++)
        if (strcmp(names[i], name) == 0)
            return (enum weft_outcome)i;
    return name ? WEFT_OUTCOME_UNKNOWN : WEFT_OUTCOME_NONE;
}

bool weft_outcome_is_good(enum weft_outcome outcome)
{
    return outcome == WEFT_OUTCOME_FINISHED || outcome == WEFT_OUTCOME_MEASURED;
}

bool weft_outcome_is_partial(enum weft_outcome outcome)
{
    return outcome == WEFT_OUTCOME_RUNNING || outcome == WEFT_OUTCOME_INTERRUPTED ||
           outcome == WEFT_OUTCOME_FAILED || outcome == WEFT_OUTCOME_OVER_LIMIT;
}
