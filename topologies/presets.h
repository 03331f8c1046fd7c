/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The topologies that come with weft: topologies/presets/NAME.xml, or those in $WEFT_PRESETS.
 */
#ifndef WEFT_TOPOLOGY_PRESETS_H
#define WEFT_TOPOLOGY_PRESETS_H

#include "base/err.h"
#include "base/file.h"

WEFT_C_BEGIN

/** The file of a preset; WEFT_E_INPUT with the nearest name when there is none. */
int weft_preset_path(const char *name, char path[WEFT_PATH_MAX], struct weft_err *err);
/** Calls fn for each preset in order of name. */
int weft_preset_each(void (*fn)(void *ctx, const char *name, const char *file), void *ctx,
                     struct weft_err *err);

WEFT_C_END
#endif
