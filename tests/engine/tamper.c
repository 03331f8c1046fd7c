/* SPDX-License-Identifier: GPL-2.0-only */
#include "tamper.h"

#include "ns3-module/engine/context.h"
#include "ns3-module/engine/entropy.h"

void tamper_posted_later(struct weft_engine *e, uint32_t record, int64_t by_ps)
{
    msg_at(e, record)->post_ps += by_ps;
}

uint32_t tamper_next_value(struct weft_engine *e, uint32_t qp)
{
    return entropy_next(e, qp_at(e, qp));
}

void tamper_value_marked(struct weft_engine *e, uint32_t qp, uint32_t value, bool trimmed)
{
    entropy_tell(e, qp_at(e, qp), value, trimmed ? ENTROPY_TRIMMED : ENTROPY_MARKED);
}
