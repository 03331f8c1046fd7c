/* SPDX-License-Identifier: GPL-2.0-only */
#include "tamper.h"

#include "ns3-module/engine/context.h"

void tamper_posted_later(struct weft_engine *e, uint32_t record, int64_t by_ps)
{
    msg_at(e, record)->post_ps += by_ps;
}
