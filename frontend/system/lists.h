/* SPDX-License-Identifier: GPL-2.0-only */
/* How the lists and maps of the system layer are written (base/list.h). Private to frontend/system.
 */
#ifndef WEFT_SYSTEM_LISTS_H
#define WEFT_SYSTEM_LISTS_H

#include "base/list.h"

extern const struct weft_list_form
    weft_algorithms_form,     /**< items are text for weft_coll_algorithm_parse */
    weft_order_form,          /**< words in the order of enum weft_order_word; items are ranks */
    weft_dim_sizes_form,      /**< U64 */
    weft_dim_bandwidths_form, /**< RATE */
    weft_dim_latencies_form,  /**< TIME */
    weft_stragglers_form,     /**< rank (U64), factor (F64) */
    weft_priorities_form, /**< type of communication (see struct weft_classes), priority (U64) */
    weft_qps_form;        /**< type of communication, QPs (U64) */

/** Words of weft_order_form. */
enum weft_order_word { WEFT_ORDER_GROUP, WEFT_ORDER_INNER_FIRST, WEFT_ORDER_RAIL };

#endif
