/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists that have no end: walk.h. */
#include "walk.h"
#include "fail.h"

void walk_endless(const struct weft_engine *e, uint32_t most, const char *list)
{
    engine_fail((struct weft_engine *)e, WEFT_E_INTERNAL,
                "the list '%s' does not end: more than %u steps, as many as there are records",
                list, most);
}
