/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An engine without the room parallel (-DWEFT_PARALLEL=OFF): one thread of one process runs it,
 * with all events in one queue. Other numbers are refused.
 */
#include "core/executor.h"
#include "engine_peers.h"
#include "engine_run.h"

const struct executor *const engine_executor = NULL;

int weft_engine_set_threads(struct weft_engine *e, unsigned n, uint64_t shuffle,
                            struct weft_err *err)
{
    return n < 2 ? 0
                 : weft_err_set(err, WEFT_E_INPUT,
                                "%u threads: this weft was built without threads and processes "
                                "(-DWEFT_PARALLEL=OFF), it runs on one thread",
                                n);
}

void weft_engine_thread_figures(const struct weft_engine *e, struct weft_thread_figures *out)
{
    *out =
        (struct weft_thread_figures){.threads = 1, .alone = "this weft was built without threads"};
}

int weft_engine_set_peers(struct weft_engine *e, const struct weft_peers *peers,
                          struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_INPUT,
                        "%u processes: this weft was built without threads and processes "
                        "(-DWEFT_PARALLEL=OFF), it runs in one",
                        peers->n);
}

void weft_engine_expect_steps(struct weft_engine *e)
{
    e->windows.stepped = true;
}
