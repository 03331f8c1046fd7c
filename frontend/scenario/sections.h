/* SPDX-License-Identifier: GPL-2.0-only */
/* Sections of a scenario whose tables are those of the system layer, beside <system>. */
#ifndef WEFT_SCENARIO_SECTIONS_H
#define WEFT_SCENARIO_SECTIONS_H

#include "system/library_params.h"

#endif
