/* SPDX-License-Identifier: GPL-2.0-only */
/* When a fabric can be shared out to several processes: peers.h. */
#include "peers.h"
#include "obstacles.h"
#include "core/context.h"
#include "window.h"
#include "window_threads.h"

#include <stdlib.h>

#define MOST_PEERS 255u

/* Makes *@p to; what there is of it is freed with the engine. */
static int make(const struct weft_engine *e, const struct weft_peers *link, struct peers **to,
                struct weft_err *err)
{
    struct peers *p = calloc(1, sizeof *p);
    *to = p;
    if (p) {
        p->link = *link;
        p->owner = calloc(e->fabric->nnodes, 1);
        p->out = calloc(link->n, sizeof *p->out);
        p->lasts = calloc(link->n, sizeof *p->lasts);
        p->mail = calloc(link->n, sizeof *p->mail);
        p->came = calloc(link->n, sizeof *p->came);
    }
    if (!p || !p->owner || !p->out || !p->lasts || !p->mail || !p->came)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u processes", link->n);
    p->known.next_ps = p->known.timer_ps = p->until.t = p->user_ps = WEFT_NEVER;
    p->reported_ps = INT64_MIN;
    return 0;
}

void peers_expect(struct weft_engine *e, const struct weft_peers *link)
{
    const bool fits = link->n >= 2 && link->n <= MOST_PEERS && link->n <= e->fabric->nhosts;
    if (!fits || make(e, link, &e->expected, NULL) || peers_deal(e, e->expected, NULL)) {
        peers_free(e->expected);
        e->expected = NULL; /* weft_engine_set_peers will say why */
        return;
    }
    e->part.records = e->expected->owner;
    e->part.me = link->me;
}

int weft_engine_set_peers(struct weft_engine *e, const struct weft_peers *link,
                          struct weft_err *err)
{
    if (link->n < 2 || link->n > MOST_PEERS)
        return weft_err_set(err, WEFT_E_INPUT, "%u processes: 2 to %u", link->n, MOST_PEERS);
    if (link->n > e->fabric->nhosts)
        return weft_err_set(err, WEFT_E_ALONE, "%u processes for %u hosts", link->n,
                            e->fabric->nhosts);
    int rc = 0;
    if (e->expected)
        e->peers = e->expected;
    else
        rc = make(e, link, &e->peers, err);
    if (!rc && !e->expected)
        rc = peers_deal(e, e->peers, err);
    e->expected = NULL;
    if (!rc) {
        e->peers->same = peers_same_fabric(e->fabric);
        e->part.owner = e->peers->owner;
        e->part.me = link->me;
        e->windows.least_ps = e->peers->least_ps;
        e->path.rare |= RARE_PEERS;
        e->path.apart = CROSSES;
        rc = window_threads_make(e, 1, 0, err);
        e->windows.on = false; /* so that ports hear which links lead to other processes */
        for (uint32_t n = 0; n < e->fabric->nnodes; n++)
            e->windows.clusters.in_windows[n] = false;
        window_choose(e);
    }
    const char *why = rc ? NULL : obstacle_find(e, OBSTACLE_PROCESSES);
    if (why)
        rc = weft_err_set(err, WEFT_E_ALONE, "%s", why);
    return rc;
}

void peers_posted(struct weft_engine *e)
{
    e->peers->posted = true;
    e->part.figures = false;
}

void peers_free(struct peers *p)
{
    if (!p)
        return;
    for (unsigned k = 0; k < p->link.n; k++) {
        free(p->out ? p->out[k].bytes : NULL);
        free(p->lasts ? p->lasts[k].bytes : NULL);
    }
    free(p->out);
    free(p->lasts);
    free(p->owner);
    free(p->mail);
    free(p->came);
    free(p->crossed.ports);
    free(p->completions);
    free(p->remote);
    free(p);
}

void peers_fini(struct weft_engine *e)
{
    peers_free(e->peers);
    peers_free(e->expected);
    e->peers = e->expected = NULL;
    e->part.owner = e->part.records = NULL;
    free(e->part.all.bytes);
}
