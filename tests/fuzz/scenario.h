/* SPDX-License-Identifier: GPL-2.0-only */
/* The backends that scenarios are resolved with: the parameters of the packet backend with nothing
 * behind them, and ideal. */
#ifndef WEFT_TESTS_FUZZ_SCENARIO_H
#define WEFT_TESTS_FUZZ_SCENARIO_H

#include "scenario/scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

/** All backends, the default first; *n receives their number. */
const struct weft_net_backend *const *weft_fuzz_backends(size_t *n);

#ifdef __cplusplus
}
#endif
#endif
