/* SPDX-License-Identifier: GPL-2.0-only */
/* Playing a flow list. */
#include "foreign/hpcc/play.h"

#include "base/rows.h"
#include "base/units.h"
#include "foreign/hpcc/output.h"
#include "foreign/hpcc/pairs.h"
#include "jobs/flow_player.h"

#include <stdlib.h>

enum { FCT, PFC, QLEN, FILES };

struct weft_hpcc_play {
    struct weft_flow_source source; /* of the flows of c */
    struct weft_hpcc_play_config c;
    struct weft_net *net;
    struct weft_rows *out[FILES]; /* NULL: not written */
    struct weft_hpcc_qlen *qlen;
    struct weft_hpcc_mix *mix; /* NULL: not written */
    struct weft_hpcc_qps *qps; /* with mix */
    size_t next;               /* the next flow of it */
    struct weft_flow_player *player;
    struct weft_hpcc_fct *fcts;
    size_t done;
    struct weft_err err; /* first failure inside a callback */
};

static int hpcc_play_open_file(struct weft_hpcc_play *p, int which, const char *path,
                               struct weft_err *err)
{
    if (!path)
        return 0;
    p->out[which] = weft_rows_open(path, err);
    return p->out[which] ? 0 : err->code;
}

static int open_mix(struct weft_hpcc_play *p, struct weft_err *err)
{
    const struct weft_hpcc_play_config *c = &p->c;
    if (!c->mix_path)
        return 0;
    p->qps = weft_hpcc_qps_new(c->flows, c->fabric, c->numbers_are_ports, err);
    if (!p->qps)
        return err->code;
    const struct weft_hpcc_mix_config mc = {.path = c->mix_path,
                                            .fabric = c->fabric,
                                            .nodes = c->traced,
                                            .qps = p->qps,
                                            .payload_bytes = c->payload_bytes,
                                            .pause_us = c->pause_us,
                                            .window_bytes = c->window_bytes};
    p->mix = weft_hpcc_mix_new(&mc, err);
    return p->mix ? 0 : err->code;
}

struct weft_hpcc_play *weft_hpcc_play_new(const struct weft_hpcc_play_config *c,
                                          struct weft_err *err)
{
    struct weft_hpcc_play *p = (struct weft_hpcc_play *)calloc(1, sizeof *p);
    if (p)
        p->fcts = (struct weft_hpcc_fct *)calloc(c->flows->n + 1, sizeof *p->fcts);
    if (!p || !p->fcts) {
        free(p);
        weft_err_set(err, WEFT_E_LIMIT, "out of memory for %zu flows", c->flows->n);
        return NULL;
    }
    p->c = *c;
    int rc = hpcc_play_open_file(p, FCT, c->fct_path, err);
    if (!rc)
        rc = hpcc_play_open_file(p, PFC, c->pfc_path, err);
    if (!rc && c->qlen_path) {
        rc = hpcc_play_open_file(p, QLEN, c->qlen_path, err);
        if (!rc)
            p->qlen =
                weft_hpcc_qlen_new(c->fabric, c->qlen_start_ps, c->qlen_end_ps, p->out[QLEN], err);
        if (!rc && !p->qlen)
            rc = err->code;
    }
    if (!rc)
        rc = open_mix(p, err);
    if (rc) {
        weft_hpcc_play_free(p);
        return NULL;
    }
    return p;
}

void weft_hpcc_play_free(struct weft_hpcc_play *p)
{
    if (!p)
        return;
    for (int i = 0; i < FILES; i++)
        weft_rows_close(p->out[i], NULL);
    weft_hpcc_qlen_free(p->qlen);
    weft_hpcc_mix_close(p->mix, NULL);
    weft_hpcc_qps_free(p->qps);
    weft_flow_player_free(p->player);
    free(p->fcts);
    free(p);
}

static int64_t start_of(const struct weft_hpcc_play *p, size_t i)
{
    int64_t t = p->c.flows->list[i].start_ps;
    return p->c.whole_ns ? (t + WEFT_PS_PER_NS / 2) / WEFT_PS_PER_NS * WEFT_PS_PER_NS : t;
}

static void hpcc_play_fail(struct weft_hpcc_play *p)
{
    p->net->ops->stop(p->net);
}

/* Flows as the player takes them: hosts for nodes. */
static int next(struct weft_flow_source *source, struct weft_flow *out, struct weft_err *err)
{
    struct weft_hpcc_play *p = (struct weft_hpcc_play *)source;
    const struct weft_fabric_node *nodes = p->c.fabric->nodes;
    if (p->next == p->c.flows->n)
        return 0;
    const struct weft_hpcc_flow *w = &p->c.flows->list[p->next];
    *out = (struct weft_flow){.src = nodes[w->src].host,
                              .dst = nodes[w->dst].host,
                              .bytes = w->bytes,
                              .start_ps = start_of(p, p->next++),
                              .prio = w->pg,
                              .qp = weft_hpcc_qp(p->c.flows, w, p->c.numbers_are_ports)};
    return 1;
}

/* LINK_DOWN. */
static void fail_links(void *ctx, uint64_t arg)
{
    struct weft_hpcc_play *p = (struct weft_hpcc_play *)ctx;
    const struct weft_fabric *f = p->c.fabric;
    int rc = 0;
    for (uint32_t l = 0; !rc && l < f->nlinks; l++) {
        struct weft_link_change down = {.link = l, .kind = WEFT_LINK_DOWN};
        if ((f->links[l].a == p->c.down_a && f->links[l].b == p->c.down_b) ||
            (f->links[l].a == p->c.down_b && f->links[l].b == p->c.down_a))
            rc = p->net->ops->change_links(p->net, &down, 1, &p->err);
    }
    if (rc)
        hpcc_play_fail(p);
}

static void on_queue(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio, uint64_t bytes)
{
    struct weft_hpcc_play *p = (struct weft_hpcc_play *)ctx;
    if (p->qlen)
        weft_hpcc_qlen_change(p->qlen, t_ps, port, prio, bytes);
    if (p->mix)
        weft_hpcc_mix_queue(p->mix, port, prio, bytes);
}

static void on_packet(void *ctx, const struct weft_net_packet *w)
{
    weft_hpcc_mix_packet(((struct weft_hpcc_play *)ctx)->mix, w);
}

/* Listens to what the files are made of. */
static int listen(struct weft_hpcc_play *p, struct weft_err *err)
{
    const bool packets = p->mix && p->c.traced->n;
    if (!p->net->ops->state || !(p->qlen || packets))
        return 0;
    const struct weft_net_changes observer = {.ctx = p,
                                              .queue = on_queue,
                                              .packet = packets ? on_packet : NULL,
                                              .ports = p->mix ? weft_hpcc_mix_ports(p->mix) : NULL};
    return p->net->ops->state->note_changes(p->net, &observer, err);
}

static void hpcc_play_on_sent(void *ctx, const struct weft_completion *done)
{
    struct weft_hpcc_play *p = (struct weft_hpcc_play *)ctx;
    const struct weft_hpcc_flow *w = &p->c.flows->list[done->msg.token.number];
    int64_t start = start_of(p, done->msg.token.number);
    int64_t fct = p->net->ops->now_ps(p->net) - start;
    weft_flow_player_sent(p->player);
    double slowdown = (double)fct / (double)WEFT_PS_PER_NS /
                      (double)weft_hpcc_standalone_ns(w, p->c.payload_bytes);
    p->fcts[p->done++] = (struct weft_hpcc_fct){done->msg.bytes, slowdown > 1 ? slowdown : 1};
    if (p->out[FCT])
        weft_hpcc_fct_line(p->out[FCT], p->c.flows->format, w, start, fct, p->c.payload_bytes);
}

static void hpcc_play_on_received(void *ctx, const struct weft_completion *done) {}

static void hpcc_play_on_flow(void *ctx, const struct weft_completion *w)
{
    struct weft_hpcc_play *p = (struct weft_hpcc_play *)ctx;
    if (p->c.inner.flow)
        p->c.inner.flow(p->c.inner.ctx, w);
}

static void hpcc_play_on_pfc(void *ctx, const struct weft_net_pfc *w)
{
    struct weft_hpcc_play *p = (struct weft_hpcc_play *)ctx;
    if (p->out[PFC])
        weft_hpcc_pfc_line(p->out[PFC], p->c.fabric, w);
    if (p->c.inner.pfc)
        p->c.inner.pfc(p->c.inner.ctx, w);
}

struct weft_net_observer weft_hpcc_play_observer(struct weft_hpcc_play *p)
{
    return (struct weft_net_observer){.ctx = p, .flow = hpcc_play_on_flow, .pfc = hpcc_play_on_pfc};
}

int weft_hpcc_play_start(struct weft_hpcc_play *p, struct weft_net *net, struct weft_err *err)
{
    const struct weft_net_sink sink = {.ctx = p,
                                       .sent = hpcc_play_on_sent,
                                       .received = hpcc_play_on_received,
                                       .concurrency = {.local = true, .passive = true}};
    p->net = net;
    net->ops->set_sink(net, &sink);
    const struct weft_flow_play play = {.net = net, .source = &p->source};
    p->source.next = next;
    p->player = weft_flow_player_new(&play, err);
    int rc = p->player ? weft_flow_player_start(p->player, err) : err->code;
    if (!rc && p->c.down_ps != WEFT_NEVER)
        rc = net->ops->after(net, p->c.down_ps, fail_links, p, 0, err);
    return rc ? rc : listen(p, err);
}

bool weft_hpcc_play_ahead(const struct weft_hpcc_play *p)
{
    return p->c.down_ps != WEFT_NEVER && p->net->ops->now_ps(p->net) < p->c.down_ps;
}

size_t weft_hpcc_play_done(const struct weft_hpcc_play *p)
{
    return p->done;
}

const struct weft_err *weft_hpcc_play_error(const struct weft_hpcc_play *p)
{
    return p->err.code || !p->player ? &p->err : weft_flow_player_error(p->player);
}

int weft_hpcc_play_flush(struct weft_hpcc_play *p, struct weft_err *err)
{
    int rc = 0;
    for (int i = 0; i < FILES; i++) {
        const int code = p->out[i] ? weft_rows_flush(p->out[i], rc ? NULL : err) : 0;
        rc = rc ? rc : code;
    }
    if (p->mix) {
        const int code = weft_hpcc_mix_flush(p->mix, rc ? NULL : err);
        rc = rc ? rc : code;
    }
    return rc;
}

int weft_hpcc_play_finish(struct weft_hpcc_play *p, int64_t reached_ps, struct weft_err *err)
{
    int rc = 0;
    if (p->qlen && p->out[QLEN])
        rc = weft_hpcc_qlen_reach(p->qlen, p->done == p->c.flows->n ? WEFT_NEVER : reached_ps, err);
    for (int i = 0; i < FILES; i++) {
        const int code = weft_rows_close(p->out[i], rc ? NULL : err);
        p->out[i] = NULL;
        rc = rc ? rc : code;
    }
    const int code = weft_hpcc_mix_close(p->mix, rc ? NULL : err);
    p->mix = NULL;
    return rc ? rc : code;
}

struct weft_hpcc_fct *weft_hpcc_play_fcts(struct weft_hpcc_play *p, size_t *n)
{
    *n = p->done;
    return p->fcts;
}
