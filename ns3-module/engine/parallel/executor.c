/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hooks of core/executor.h: what windows, threads and processes do when the engine comes to
 * them. An engine gets this table when it is made.
 */
#include "core/executor.h"
#include "host_agendas.h"
#include "host_parts.h"
#include "peers.h"
#include "posts.h"
#include "window.h"
#include "window_threads.h"
#include "worker.h"

#include <stdlib.h>

static bool executor_init(struct weft_engine *e, const struct weft_peers *peers)
{
    if (!window_init(e))
        return false;
    if (peers)
        peers_expect(e, peers);
    return true;
}

static void executor_fini(struct weft_engine *e)
{
    free(e->choice);
    window_fini(e);
    peers_fini(e);
}

static bool executor_run(struct weft_engine *e)
{
    if (e->peers)
        peers_run(e);
    else
        threads_choose(e);
    return e->peers != NULL;
}

static void executor_send(struct weft_engine *e, uint32_t port, uint32_t i, int64_t at_ps)
{
    if (port_at(e, port)->own_ends & CROSSES)
        peers_send(e, port, pkt_at(e, i), i, at_ps);
    else
        worker_send(e, port, i, at_ps);
}

static void executor_completed(struct weft_engine *e, uint32_t msg, bool acked,
                               const struct weft_completion *done)
{
    if (e->peers) {
        peers_completed(e, msg, acked);
        return;
    }
    const bool in_worker = !acked && e->worker->in_worker;
    if (!in_worker || e->extension)
        worker_complete(e, msg,
                        acked       ? COMPLETION_ACKED
                        : in_worker ? COMPLETION_TAKEN
                                    : COMPLETION_RECEIVED,
                        done);
    if (in_worker)
        worker_call(e, done);
}

static int executor_intercept(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio,
                              struct weft_err *err)
{
    int rc = 0;
    if (engine_here)
        rc = worker_post(engine_here, msg, err);
    else if (part_own(e, e->fabric->hosts[msg->src]) && host_agendas_beyond(e, msg->src))
        return weft_err_set(err, WEFT_E_INTERNAL,
                            "host %u has been run beyond the moment at which it is to post a "
                            "message: the workload can't be played by several threads",
                            msg->src);
    else if (e->peers && e->peers->link.user && !e->peers->posting)
        rc = remote_posts_post(e, msg, prio, err);
    else
        return e->parts && posts_wait(e) ? POST_WAITS : POST_HERE;
    return rc ? rc : POST_TAKEN;
}

static bool executor_receives_later(struct weft_engine *e, const struct qp *q, uint32_t msg,
                                    uint32_t before)
{
    if (cluster_of_host(e, q->src_host) == cluster_of_host(e, q->dst_host))
        return false;
    worker_awaits(e, msg, before); /* its receiver may be run at the same time */
    return true;
}

static void executor_posted(struct weft_engine *e, const struct weft_msg *msg)
{
    if (msg)
        peers_same_post(e, msg);
    peers_posted(e);
}

static const struct weft_engine *executor_context(const struct weft_engine *e, unsigned k)
{
    const struct window_threads *c = e->threads;
    return c && k < c->n ? &c->workers[k].e : NULL;
}

static uint64_t executor_bytes(const struct weft_engine *e)
{
    return window_threads_bytes(e) + host_agendas_bytes(e);
}

static const struct executor executor = {
    .init = executor_init,
    .fini = executor_fini,
    .choose = window_choose,
    .run = executor_run,
    .next = peers_next,
    .first = host_parts_first,
    .hosts = host_parts_run,
    .hosts_over = host_parts_over,
    .advance = window_advance,
    .windows = window_run,
    .agenda = host_agenda,
    .push = host_agendas_push,
    .send = executor_send,
    .alloc = worker_alloc,
    .timer = worker_timer,
    .drop = worker_drop,
    .completed = executor_completed,
    .sent_last = peers_note_last,
    .intercept = executor_intercept,
    .wait = posts_add,
    .post_waiting = posts_make,
    .receives_later = executor_receives_later,
    .posted = executor_posted,
    .ask = peers_ask,
    .meet = peers_meet,
    .links_changed = peers_links_changed,
    .agenda_at = host_agendas_at,
    .context = executor_context,
    .bytes = executor_bytes,
    .done_ps = host_agendas_done_ps,
    .span_ps = host_agendas_span_ps,
    .back = host_agendas_back,
};
const struct executor *const engine_executor = &executor;
