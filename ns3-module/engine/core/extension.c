/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of the extension that moves the network on: the order of it and of the application. */
#include "extension.h"
#include "context.h"

void extension_completed(struct weft_engine *e, uint32_t qp, bool acked, bool taken,
                         const struct weft_completion *d)
{
    const uint32_t call = e->loop.calls;
    const bool in_call = e->loop.in_call;
    void (*const hook)(void *, const struct weft_completion *) =
        acked ? e->hooks.acked : e->hooks.received;
    e->loop.calls++;
    e->loop.in_call = true;
    if (!e->extension->ops->completed(e, qp, acked, d)) {
        e->loop.calls = call;
        e->loop.in_call = in_call;
        return;
    }
    if (hook && !taken)
        hook(e->hooks.ctx, d);
    e->loop.in_call = false;
}

void extension_posted_in_call(struct weft_engine *e, const struct msg *m)
{
    if (!e->extension)
        return;
    e->loop.in_call = true;
    e->extension->ops->posted(e, m);
    e->loop.in_call = false;
}

void extension_catch_up(struct weft_engine *e)
{
    if (e->extension)
        e->extension->ops->catch_up(e);
}

void extension_disturb(struct weft_engine *e)
{
    if (e->extension)
        e->extension->ops->disturb(e, NIL);
}

uint64_t extension_events(const struct weft_engine *e)
{
    const struct extension *x = e->extension;
    if (!x || !x->events_per_packet)
        return e->tot.events;
    return x->events_per_packet *
           (e->tot.sent[WEFT_PKT_DATA] + e->tot.sent[WEFT_PKT_FRAME] - x->packets_taken);
}
