/* SPDX-License-Identifier: GPL-2.0-only */
/* Falsifies an engine's records, for tests of its checks. */
#ifndef WEFT_TESTS_ENGINE_TAMPER_H
#define WEFT_TESTS_ENGINE_TAMPER_H

#include "ns3-module/engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The message in record @p record was posted so much later than it was. */
void tamper_posted_later(struct weft_engine *e, uint32_t record, int64_t by_ps);

#ifdef __cplusplus
}
#endif
#endif
