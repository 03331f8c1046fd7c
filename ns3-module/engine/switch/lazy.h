/* SPDX-License-Identifier: GPL-2.0-only */
/* Transmissions without events of their own. */
#ifndef WEFT_ENGINE_LAZY_H
#define WEFT_ENGINE_LAZY_H

#include "engine.h"

/** Decides whether ports may be lazy under the present hooks and parameters. */
void lazy_choose(struct weft_engine *e);
/** Settles all ports. */
void lazy_catch_up(struct weft_engine *e);
/** Makes the ports of a switch lazy, or eager, as it is now. */
void lazy_apply(struct weft_engine *e, uint32_t node);
/** A switch needs its buffer counted exactly from now on: settles its ports and makes them eager.
 */
void lazy_wake(struct weft_engine *e, uint32_t node);
/** Makes an eager switch lazy again when it pauses nobody. */
void lazy_review(struct weft_engine *e, uint32_t node);
/** The link of @p port fails or returns: the port is eager from now on. */
void lazy_link_changes(struct weft_engine *e, uint32_t port);

#endif
