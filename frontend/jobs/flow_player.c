/* SPDX-License-Identifier: GPL-2.0-only */
/* Playing flows. */
#include "jobs/flow_player.h"

#include <stdlib.h>

struct weft_flow_player {
    struct weft_flow_play c;
    int64_t origin_ps; /* when the source began */
    struct weft_flow next;
    bool over; /* no flow is left to post */
    uint64_t posted, done;
    struct weft_err err;
};

struct weft_flow_player *weft_flow_player_new(const struct weft_flow_play *c, struct weft_err *err)
{
    struct weft_flow_player *p = (struct weft_flow_player *)calloc(1, sizeof *p);
    if (!p) {
        weft_err_set(err, WEFT_E_LIMIT, "out of memory for flows");
        return NULL;
    }
    p->c = *c;
    return p;
}

void weft_flow_player_free(struct weft_flow_player *p)
{
    free(p);
}

/* Looks at the flow after those posted. */
static int look(struct weft_flow_player *p)
{
    const int rc = p->c.source->next(p->c.source, &p->next, &p->err);
    p->over = rc != 1;
    return rc < 0 ? rc : 0;
}

static int post(struct weft_flow_player *p)
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

/* Posts the flows that start now and arms the next start. */
static void launch(void *ctx, uint64_t arg)
{
    struct weft_flow_player *p = (struct weft_flow_player *)ctx;
    struct weft_net *net = p->c.net;
    const int64_t now_ps = net->ops->now_ps(net) - p->origin_ps;
    int rc = 0;
    (void)arg;
    if (p->c.enough && p->c.enough(p->c.ctx))
        p->over = true;
    while (!rc && !p->over && p->next.start_ps <= now_ps) {
        rc = post(p);
        rc = rc ? rc : look(p);
    }
    if (!rc && !p->over)
        rc = net->ops->after(net, p->next.start_ps - now_ps, launch, p, 0, &p->err);
    if (rc)
        net->ops->stop(net);
}

int weft_flow_player_start(struct weft_flow_player *p, struct weft_err *err)
{
    p->origin_ps = p->c.net->ops->now_ps(p->c.net);
    int rc = look(p);
    if (!rc && !p->over)
        rc = p->c.net->ops->after(p->c.net, p->next.start_ps, launch, p, 0, &p->err);
    if (rc)
        *err = p->err;
    return rc;
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
