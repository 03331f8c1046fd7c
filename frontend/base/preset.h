/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Presets: settings under one name, applied between defaults and the scenario's file.
 */
#ifndef WEFT_BASE_PRESET_H
#define WEFT_BASE_PRESET_H

#include "base/err.h"

WEFT_C_BEGIN

/** Settings under one name, such as what a paper uses at one link rate, or what was fitted to a
 * machine. A table of them ends with name == NULL. */
struct weft_preset {
    const char *name;     /**< "sim-100g" */
    const char *help;     /**< one line */
    const char *source;   /**< paper, script, measurements */
    const char *settings; /**< "rate-ai=20Mbps ecn.kmin=400KB": own parameters, and with a dot those
                             of the network's sections */
};

/** The preset called @p name in @p table (NULL: there are none) of @p owner ("dcqcn"), which `weft
 * show @p shown` lists. On an unknown name NULL, and *err names the nearest. */
const struct weft_preset *weft_preset_find(const struct weft_preset *table, const char *owner,
                                           const char *shown, const char *name,
                                           struct weft_err *err);

WEFT_C_END
#endif
