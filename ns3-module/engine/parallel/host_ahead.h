/* SPDX-License-Identifier: GPL-2.0-only */
/* What hosts are held for is told ahead of what else they have to do: inside of host_parts.c. */
#ifndef WEFT_ENGINE_HOST_AHEAD_H
#define WEFT_ENGINE_HOST_AHEAD_H

struct host_parts;
struct weft_engine;

#pragma GCC visibility push(hidden)

/** A window is over, in which hosts may have been held. What was held is due again, but for the
 * events that these were held for, if they can be executed now, in their order: then
 * host_parts.told says that the hosts may go on in the next window. Tells what has waited and comes
 * before. */
void host_ahead(struct weft_engine *e, struct host_parts *h);

#pragma GCC visibility pop

#endif
