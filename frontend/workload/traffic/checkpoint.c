/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workload `checkpoint`: again and again each client writes its share of a model's state to
 * storage servers.
 *
 * A share is cut into stripes, which go to the servers of its file in turn, `in-flight` of them at
 * a time. With replicas a stripe is written when every copy has come to its server: from the client
 * itself, or from the server that has the first (primary-copy, as Ceph has it). All stripes from a
 * client to a server go over one queue pair.
 */
#include "base/rng.h"
#include "workload/traffic/rows.h"
#include "workload/traffic/servers.h"

#include <inttypes.h>
#include <stddef.h>

/** Parameters. */
struct params {
    uint64_t ranks, servers, size_bytes, bytes_per_parameter, stripe_bytes, stripes, replicas,
        in_flight, count, seed;
    const char *model;
    int replication, mode; /* enums */
    int64_t period_ps, first_ps;
};
enum { BY_PRIMARY, BY_CLIENT };
enum { BARRIER, ASYNCHRONOUS };

static const struct weft_param table[] = {
    WEFT_ROW_RANKS(struct params, ranks, "clients, then servers; 0: all hosts that there are"),
    {WEFT_ROW_U64(struct params, servers, "servers", "1", "1", "1048575"),
     .help = "the last so many of the ranks are storage servers, the others write"},
    {WEFT_ROW_SIZE(struct params, size_bytes, "size", "64MiB", "1B", NULL),
     .help = "bytes that each client writes",
     .source = "1 MB to 4 GB per GPU: The Llama 3 Herd of Models (2407.21783), 3.3.1",
     .needs = "model="},
    {WEFT_ROW_STRING(struct params, model, "model", ""),
     .help = "transformer whose state all clients together write, such as llama3-8b; see "
             "training.model"},
    {WEFT_ROW_U64(struct params, bytes_per_parameter, "bytes-per-parameter", "14", "1", "64"),
     .help = "of a model: 14 are weights of 16 bits, a copy of 32 and Adam's two moments",
     .source = "13.8 TB for 1008e9 parameters: Narayanan et al., SC 2021 (2104.04473), 5.10",
     .needs = "model!="},
    {WEFT_ROW_ENUM(struct params, mode, "mode", "barrier", "barrier|async"),
     .help = "barrier: all begin together, a period after the last has finished; async: each a "
             "period after it began, or when it has finished"},
    {WEFT_ROW_TIME(struct params, period_ps, "period", "10ms", "1ns", NULL),
     .help = "time between checkpoints, see mode"},
    {WEFT_ROW_TIME(struct params, first_ps, "first", "0", "0", NULL),
     .help = "time from the start to the first"},
    {WEFT_ROW_U64(struct params, count, "count", "1", NULL, NULL),
     .help = "checkpoints; 0: as many as the run needs"},
    {WEFT_ROW_SIZE(struct params, stripe_bytes, "stripe-size", "4MiB", "1B", NULL),
     .help = "bytes that go to one server before the next one's",
     .source = "objects of CephFS have 4 MiB, stripes of Lustre 1 MiB by default"},
    {WEFT_ROW_U64(struct params, stripes, "stripe-count", "0", NULL, NULL),
     .help = "servers that a client's file lies on, the first of them drawn; 0: all"},
    {WEFT_ROW_U64(struct params, replicas, "replicas", "1", "1", "16"),
     .help = "copies of each stripe, on servers that follow each other"},
    {WEFT_ROW_ENUM(struct params, replication, "replication", "primary", "primary|client"),
     .help = "sender of copies: the server that has the first, or the client",
     .needs = "replicas!=1"},
    {WEFT_ROW_U64(struct params, in_flight, "in-flight", "8", NULL, NULL),
     .help = "stripes of a client under way at once; 0: all",
     .source = "Lustre: max_rpcs_in_flight is 8 by default"},
    WEFT_ROW_SEED(struct params, seed, "draws"),
};

/* A client. */
struct client {
    struct weft_rng rng;
    uint64_t bytes;  /* it writes each time */
    uint64_t sent;   /* of these */
    uint32_t flying; /* stripes */
    uint32_t server; /* first of its file */
    uint32_t stripe; /* number of the next */
    uint64_t number; /* of the checkpoint */
    int64_t begin_ps;
};

/* A stripe under way. */
struct stripe {
    uint32_t client, server, left; /* left: copies that have not come */
    uint64_t bytes;
    bool first; /* the copies of a primary are still to be sent */
};

struct source {
    struct weft_servers base;
    struct params p;
    uint32_t nstripes;
    uint32_t busy; /* clients that write */
};

static struct client *client_of(const struct source *s, uint32_t c)
{
    return (struct client *)s->base.clients + c;
}

static uint32_t server_rank(const struct source *s, uint64_t server)
{
    return s->base.nclients + (uint32_t)(server % s->base.nservers);
}

/* Sends stripes of a client until enough are under way. */
static void send(struct source *s, uint32_t c, int64_t now_ps)
{
    struct client *w = client_of(s, c);
    while (w->sent < w->bytes && (s->p.in_flight == 0 || w->flying < s->p.in_flight)) {
        const uint64_t left = w->bytes - w->sent;
        const uint64_t bytes = left < s->p.stripe_bytes ? left : s->p.stripe_bytes;
        const uint32_t server = w->server + w->stripe++ % s->nstripes;
        const bool by_primary = s->p.replication == BY_PRIMARY && s->p.replicas > 1;
        const uint32_t copies = by_primary ? 1 : (uint32_t)s->p.replicas;
        const uint32_t at = weft_reactor_place(&s->base.r, &s->base.pending, "stripes");
        if (at == WEFT_NO_SLOT)
            return;
        *(struct stripe *)weft_slot(&s->base.pending, at) = (struct stripe){
            .client = c, .server = server, .left = copies, .bytes = bytes, .first = by_primary};
        for (uint32_t k = 0; k < copies; k++)
            weft_reactor_send(&s->base.r, now_ps, c, server_rank(s, server + k), bytes, 0, at);
        w->sent += bytes;
        w->flying++;
    }
}

static void checkpoint_start(struct source *s, uint32_t c, int64_t now_ps)
{
    struct client *w = client_of(s, c);
    w->sent = 0;
    w->stripe = 0;
    w->begin_ps = now_ps;
    w->server = (uint32_t)weft_rng_below(&w->rng, s->base.nservers);
    s->busy++;
    send(s, c, now_ps);
}

/* Plans the next checkpoint of client @p c, or of all, which is the cookie nclients. */
static void plan(struct source *s, uint32_t c, uint64_t number, int64_t at_ps)
{
    if (s->p.count == 0 || number < s->p.count)
        weft_reactor_timer(&s->base.r, at_ps, c);
}

static void checkpoint_fired(struct weft_reactor *r, int64_t now_ps, uint64_t cookie)
{
    struct source *s = (struct source *)r;
    if (cookie < s->base.nclients) {
        checkpoint_start(s, (uint32_t)cookie, now_ps);
        return;
    }
    for (uint32_t c = 0; c < s->base.nclients; c++)
        checkpoint_start(s, c, now_ps);
}

/* A client has written all. */
static void checkpoint_finish(struct source *s, uint32_t c, int64_t now_ps)
{
    struct client *w = client_of(s, c);
    const struct weft_request done = {.what = "checkpoint",
                                      .rank = c,
                                      .number = w->number++,
                                      .bytes = w->bytes,
                                      .begin_ps = w->begin_ps,
                                      .end_ps = now_ps};
    const int64_t next_ps = w->begin_ps + s->p.period_ps;
    weft_reactor_request(&s->base.r, &done);
    s->busy--;
    if (s->p.mode == ASYNCHRONOUS)
        plan(s, c, w->number, next_ps > now_ps ? next_ps : now_ps);
    else if (s->busy == 0)
        plan(s, s->base.nclients, w->number, now_ps + s->p.period_ps);
}

static void arrived(struct weft_reactor *r, int64_t now_ps, uint64_t cookie)
{
    struct source *s = (struct source *)r;
    struct stripe *x = (struct stripe *)weft_slot(&s->base.pending, (uint32_t)cookie);
    struct client *w = client_of(s, x->client);
    const uint32_t c = x->client;
    if (x->first) {
        x->first = false;
        x->left = (uint32_t)s->p.replicas - 1;
        for (uint32_t k = 1; k < s->p.replicas; k++)
            weft_reactor_send(r, now_ps, server_rank(s, x->server),
                              server_rank(s, (uint64_t)x->server + k), x->bytes, 0, cookie);
        return;
    }
    if (--x->left)
        return;
    weft_slots_give_back(&s->base.pending, (uint32_t)cookie);
    w->flying--;
    send(s, c, now_ps);
    if (w->flying == 0 && w->sent == w->bytes)
        checkpoint_finish(s, c, now_ps);
}

static void checkpoint_begin(struct weft_reactor *r, uint64_t repetition)
{
    struct source *s = (struct source *)r;
    weft_slots_clear(&s->base.pending);
    s->busy = 0;
    for (uint32_t c = 0; c < s->base.nclients; c++) {
        struct client *w = client_of(s, c);
        w->rng = weft_rng_stream(s->base.seed + repetition, "checkpoint", c);
        w->number = 0;
        w->flying = 0;
    }
    if (s->p.mode == BARRIER) {
        plan(s, s->base.nclients, 0, s->p.first_ps);
        return;
    }
    for (uint32_t c = 0; c < s->base.nclients; c++)
        plan(s, c, 0, s->p.first_ps);
}

static const struct weft_reactor_ops reactor_ops = {checkpoint_begin, checkpoint_fired, arrived,
                                                    weft_servers_free};

static int ranks(const void *params, uint32_t room, uint32_t *n, struct weft_err *err)
{
    const struct params *p = (const struct params *)params;
    if (p->model[0] && !weft_servers_model(p->model, err))
        return err->code;
    return weft_servers_ranks("checkpoint", p->ranks, p->servers, p->stripes, p->replicas, room, n,
                              err);
}

/* What each client writes. */
static void share_out(struct source *s, const struct weft_model *m)
{
    const uint64_t total = m ? weft_model_params(m) * s->p.bytes_per_parameter : 0;
    for (uint32_t c = 0; c < s->base.nclients; c++)
        client_of(s, c)->bytes =
            m ? total / s->base.nclients + (c < total % s->base.nclients) : s->p.size_bytes;
}

static int flows(const void *params, const struct weft_flow_site *site,
                 struct weft_flow_source **out, struct weft_err *err)
{
    const struct params *p = (const struct params *)params;
    const struct weft_slots stripes = WEFT_SLOTS_OF(struct stripe);
    struct source *s = (struct source *)weft_servers_new(sizeof *s, sizeof(struct client), &stripes,
                                                         p->servers, p->seed, site, err);
    if (!s)
        return err->code;
    s->p = *p;
    s->nstripes = p->stripes ? (uint32_t)p->stripes : s->base.nservers;
    share_out(s, p->model[0] ? weft_servers_model(p->model, err) : NULL);
    weft_reactor_init(&s->base.r, &reactor_ops, p->count == 0);
    *out = &s->base.r.base;
    return 0;
}

const struct weft_workload_ops weft_workload_checkpoint = {
    .name = "checkpoint",
    .title = "each client writes its share of a model's state to storage servers, in stripes",
    .source = "The Llama 3 Herd of Models (2407.21783), 3.3.1",
    .params = WEFT_PARAM_TABLE(table, struct params),
    .ranks = ranks,
    .flows = flows,
};
