/* SPDX-License-Identifier: GPL-2.0-only */
/* An engine that is built without the room replay (-DWEFT_REPLAY=OFF): everything is simulated. */
#include "engine_replay.h"

bool weft_engine_can_replay(void)
{
    return false;
}

int weft_engine_set_replay(struct weft_engine *e, enum weft_replaying how, uint64_t most_bytes,
                           struct weft_err *err)
{
    return how == WEFT_REPLAYING_OFF
               ? 0
               : weft_err_set(err, WEFT_E_INPUT,
                              "repeated traffic can't be taken over: this weft was built without "
                              "replay (-DWEFT_REPLAY=OFF)");
}

void weft_engine_set_tolerance(struct weft_engine *e, double tolerance, bool resamples) {}

int weft_engine_memo_set(struct weft_engine *e, const void *data, size_t size, struct weft_err *err)
{
    return 0;
}

int weft_engine_memo_get(const struct weft_engine *e, size_t most, void **data, size_t *size,
                         struct weft_err *err)
{
    *data = NULL;
    *size = 0;
    return 0;
}

void weft_engine_replay_figures(const struct weft_engine *e, struct weft_replay_figures *out)
{
    *out = (struct weft_replay_figures){0};
}
