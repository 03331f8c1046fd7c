/* SPDX-License-Identifier: GPL-2.0-only */
/* How many threads run an engine. */
#include "context.h"
#include "crew.h"
#include "window.h"
#include "window_crew.h"
#include "window_crew_inside.h"

int weft_engine_set_threads(struct weft_engine *e, unsigned n, uint64_t shuffle,
                            struct weft_err *err)
{
    if (n == 0)
        n = crew_processors();
    if (n > MOST_THREADS)
        return weft_err_set(err, WEFT_E_INPUT, "%u threads: at most %u", n, MOST_THREADS);
    const int rc = window_crew_make(e, n, shuffle, err);
    window_choose(e);
    return rc;
}
