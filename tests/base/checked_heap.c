/* SPDX-License-Identifier: GPL-2.0-only */
/* The heap of events with its preconditions checked, under names of its own. */
#ifndef WEFT_CHECKED
#define WEFT_CHECKED
#endif
#define weft_heap_reserve checked_heap_reserve
#define weft_heap_push checked_heap_push
#define weft_heap_pop checked_heap_pop
#define weft_heap_release checked_heap_release
#define weft_heap_compare checked_heap_compare
#include "base/event_heap.c"
