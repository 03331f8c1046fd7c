/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What becomes of traffic that repeats itself: run.replay is a word, or a tolerance.
 *
 * auto is exact, unless it is known before that nothing could be taken over; and nothing is said of
 * it unless something was.
 */
#include "base/units.h"
#include "scenario/resolve.h"
#include "scenario/scenario.h"

#include <string.h>

#define LEAST 0.0001
#define MOST 0.1

int weft_scenario_read_replay(struct weft_scenario *s, struct weft_err *err)
{
    const char *text = s->run->replay;
    double tolerance = 0;
    struct weft_err not_read = {0};
    s->replay_auto = strcmp(text, "auto") == 0;
    s->replays = strcmp(text, "off") != 0;
    if (s->replay_auto)
        s->replays = !s->run->victims_ps;
    if (!s->replays || s->replay_auto || strcmp(text, "exact") == 0)
        return 0;
    if (weft_parse_f64(text, &tolerance, &not_read) || !(tolerance >= LEAST && tolerance <= MOST))
        return weft_err_set(
            err, WEFT_E_INPUT,
            "run.replay: '%.60s' is neither auto, off nor exact, nor a tolerance of "
            "0.01%% to 10%%, such as 1%%",
            text);
    s->replay_tolerance = tolerance;
    return 0;
}
