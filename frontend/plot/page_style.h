/* SPDX-License-Identifier: GPL-2.0-only */
/* The look of reports. */
#ifndef WEFT_PLOT_PAGE_STYLE_H
#define WEFT_PLOT_PAGE_STYLE_H

/** CSS of the page, without that of its figures. */
extern const char weft_page_style[];

#endif
