/* SPDX-License-Identifier: GPL-2.0-only */
/* What is written down for other processes in the midst of a window: peers.h. */
#include "core/context.h"
#include "peers.h"
#include "window_crew_inside.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>

void peers_note_sent(struct weft_engine *e, uint32_t port)
{
    if (!worker_sent_add(&e->peers->crossed, port))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for what goes to other processes");
}

void peers_send(struct weft_engine *e, uint32_t port, struct pkt *k, uint32_t i, int64_t at_ps)
{
    if (outbox_add(e, &e->crew->out[port], k, i, at_ps))
        peers_note_sent(e, port);
}

void peers_note_last(struct weft_engine *e, const struct qp *q, const struct msg *m)
{
    struct peers *p = e->peers;
    struct peers_last l = {(uint32_t)(m - msg_at(e, 0)), m->sent_ps, {0}};
    memcpy(l.held_ps, m->held_ps, sizeof l.held_ps);
    const unsigned to = p->owner[e->fabric->hosts[q->dst_host]];
    if (to != p->link.me)
        send_buffer_add(e, &p->lasts[to], &l, sizeof l);
}
