/* SPDX-License-Identifier: GPL-2.0-only */
/* Playing flows. */
#include "jobs/flow_player.h"

#include "base/units.h"

#include <stdlib.h>

struct weft_flow_player {
    struct weft_flow_play c;
    int64_t origin_ps; /* when the source began */
    struct weft_flow next;
    int64_t armed_ps; /* when the next timer fires; WEFT_NEVER: there is none */
    bool over;        /* no flow is left to post */
    uint64_t posted, done;
    struct weft_err err;
};

struct weft_flow_player *weft_flow_player_new(const struct weft_flow_play *c, struct weft_err *err)
{
    struct weft_flow_player *p = weft_err_calloc(1, sizeof *p, "flows", err);
    if (!p)
        return NULL;
    p->c = *c;
    p->armed_ps = WEFT_NEVER;
    return p;
}

void weft_flow_player_free(struct weft_flow_player *p)
{
    free(p);
}

/* Looks at the flow after those posted. */
static int flow_player_look(struct weft_flow_player *p)
{
    const int rc = p->c.source->next(p->c.source, &p->next, &p->err);
    p->over = rc != 1;
    return rc < 0 ? rc : 0;
}

static int flow_player_post(struct weft_flow_player *p)
{
    const struct weft_flow *w = &p->next;
    const struct weft_msg msg = {.src = w->src,
                                 .dst = w->dst,
                                 .bytes = w->bytes,
                                 .tag = p->posted,
                                 .token.number = p->posted,
                                 .prio = w->prio == WEFT_FLOW_PRIO_DEFAULT ? WEFT_PRIO_DEFAULT
                                                                           : w->prio,
                                 .qp = w->qp};
    p->posted++;
    return p->c.net->ops->send(p->c.net, &msg, &p->err);
}

/* When there is something to do. */
static int64_t due(const struct weft_flow_player *p)
{
    if (p->over)
        return WEFT_NEVER;
    return p->c.source->due ? p->c.source->due(p->c.source) : p->next.start_ps;
}

/* Does what is due: posts a flow, or has the source get on. */
static int flow_player_step(struct weft_flow_player *p)
{
    if (!p->c.source->due) {
        const int rc = flow_player_post(p);
        return rc ? rc : flow_player_look(p);
    }
    const int made = p->c.source->next(p->c.source, &p->next, &p->err);
    p->over = made == 0;
    return made == 1 ? flow_player_post(p) : made < 0 ? made : 0;
}

static void flow_player_fired(void *ctx, uint64_t at_ps);

/* Has it done at @p at_ps, in @p delay_ps from now. */
static int flow_player_arm(struct weft_flow_player *p, int64_t at_ps, int64_t delay_ps)
{
    struct weft_net *net = p->c.net;
    p->armed_ps = at_ps;
    return p->c.source->due /* what it posts follows from what has arrived */
               ? net->ops->after(net, delay_ps, flow_player_fired, p, (uint64_t)at_ps, &p->err)
               : weft_net_plan(net, delay_ps, flow_player_fired, p, (uint64_t)at_ps, &p->err);
}

/* Posts the flows that start now and arms the next start. */
static int launch(struct weft_flow_player *p)
{
    const struct weft_net *net = p->c.net;
    const int64_t now_ps = net->ops->now_ps(net) - p->origin_ps;
    int rc = 0;
    if (p->c.enough && p->c.enough(p->c.ctx))
        p->over = true;
    int64_t at_ps = due(p);
    for (; !rc && at_ps != WEFT_FLOW_WAITS && at_ps <= now_ps; at_ps = due(p))
        rc = flow_player_step(p);
    if (at_ps == WEFT_NEVER)
        p->over = true;
    if (rc || p->over || at_ps == WEFT_FLOW_WAITS || p->armed_ps <= at_ps)
        return rc;
    return flow_player_arm(p, at_ps, at_ps - now_ps);
}

static void flow_player_fired(void *ctx, uint64_t at_ps)
{
    struct weft_flow_player *p = (struct weft_flow_player *)ctx;
    if (p->armed_ps == (int64_t)at_ps)
        p->armed_ps = WEFT_NEVER;
    if (launch(p))
        p->c.net->ops->stop(p->c.net);
}

int weft_flow_player_start(struct weft_flow_player *p, struct weft_err *err)
{
    p->origin_ps = p->c.net->ops->now_ps(p->c.net);
    int rc = p->c.source->due ? 0 : flow_player_look(p);
    const int64_t at_ps = rc ? WEFT_NEVER : due(p);
    if (at_ps == WEFT_NEVER)
        p->over = true;
    else
        rc = flow_player_arm(p, at_ps, at_ps);
    if (rc)
        *err = p->err;
    return rc;
}

void weft_flow_player_received(struct weft_flow_player *p, uint64_t number)
{
    struct weft_flow_source *s = p->c.source;
    if (!s->arrived || p->over)
        return;
    s->arrived(s, number, p->c.net->ops->now_ps(p->c.net) - p->origin_ps);
    if (launch(p))
        p->c.net->ops->stop(p->c.net);
}

void weft_flow_player_sent(struct weft_flow_player *p)
{
    p->done++;
}

bool weft_flow_player_finished(const struct weft_flow_player *p)
{
    return p->over && p->done == p->posted;
}

uint64_t weft_flow_player_posted(const struct weft_flow_player *p)
{
    return p->posted;
}

uint64_t weft_flow_player_done(const struct weft_flow_player *p)
{
    return p->done;
}

const struct weft_err *weft_flow_player_error(const struct weft_flow_player *p)
{
    return &p->err;
}
