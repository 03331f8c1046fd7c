/* SPDX-License-Identifier: GPL-2.0-only */
/* Comments that other readers take and XML does not. */
#ifndef WEFT_BASE_XML_COMMENTS_H
#define WEFT_BASE_XML_COMMENTS_H

#include "base/linkage.h"

#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

/** Blanks what makes comments of @p text ill-formed, "--" and a '-' before "-->"; every other byte,
 * and so every place, stays. Returns how many comments that were, *line receives the line of the
 * first one. */
uint32_t weft_xml_mend_comments(char *text, size_t len, int64_t *line);

WEFT_C_END
#endif
