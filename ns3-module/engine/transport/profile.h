/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transports by traffic class. A run has RoCE, or Ultra Ethernet under the settings of section
 * transport, in all classes but those of uet.prios, which have Ultra Ethernet under section uet.
 *
 * What a QP does about ACKs, losses, timers, sizes and paths follows from the profile of its
 * priority, which it reaches by its control (control.h): the record of a QP is the same whatever
 * there is. What switches do to a class (lossless or not, trimming, thresholds, marking) is a
 * matter of their own settings.
 */
#ifndef WEFT_ENGINE_PROFILE_H
#define WEFT_ENGINE_PROFILE_H

#include "core/transport_state.h"

/** Whether section uet can be used with the others. */
int profile_check(const struct weft_engine_params *p, struct weft_err *err);
/** Fills in all profiles but pick and sprays; nothing is allocated. */
void profile_init(struct weft_engine *e);

#endif
