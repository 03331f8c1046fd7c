/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages with tables of sweeps in them, which the sweep itself puts there. */
#ifndef WEFT_CLI_SWEEP_PAGE_H
#define WEFT_CLI_SWEEP_PAGE_H

#include "base/file.h"

/**
 * Puts @p text as a block of code between the lines `<!-- sweep NAME -->` (without a name `<!--
 * sweep -->`) and the next `<!-- end -->` of the file @p page, in the place of what was there.
 * WEFT_E_INPUT: the page has no such lines.
 */
int weft_sweep_page_update(const char *page, const char *name, const char *text, size_t size,
                           struct weft_err *err);

#endif
