/* SPDX-License-Identifier: GPL-2.0-only */
/* Clocks of lanes: how many instructions of each other lane are over; internal to checker*.c. */
#ifndef WEFT_COLLECTIVE_CHECKER_CLOCK_H
#define WEFT_COLLECTIVE_CHECKER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Of a lane's instructions the first `over` are over. */
struct weft_clock_entry {
    uint32_t lane, over;
};

/* Lanes that are not in it have not begun; ascending. Zero is the empty clock. */
struct weft_clock {
    uint32_t n, cap;
    struct weft_clock_entry *at;
};

/* Memory that clocks take, and may take. */
struct weft_clock_memory {
    uint64_t bytes, most; /**< most 0: whatever there is */
};

/** How many instructions of @p lane are over. */
uint32_t weft_clock_get(const struct weft_clock *c, uint32_t lane);
/** Sets one entry. These return false when there is no memory. */
bool weft_clock_set(struct weft_clock_memory *m, struct weft_clock *c, uint32_t lane,
                    uint32_t over);
/** *into becomes the later of both, lane by lane. */
bool weft_clock_join(struct weft_clock_memory *m, struct weft_clock *into,
                     const struct weft_clock *from);
void weft_clock_free(struct weft_clock_memory *m, struct weft_clock *c);

#endif
