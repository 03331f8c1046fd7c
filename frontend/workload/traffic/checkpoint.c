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
#include "base/units.h"
#include "workload/traffic/reactor.h"
#include "workload/traffic/servers.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

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

#define FIELD(field) offsetof(struct params, field)
static const struct weft_param table[] = {
    {.name = "ranks",
     .type = WEFT_PARAM_U64,
     .offset = FIELD(ranks),
     .def = "0",
     .min = "0",
     .max = "1048576",
     .help = "clients, then servers; 0: all hosts that there are"},
    {.name = "servers",
     .type = WEFT_PARAM_U64,
     .offset = FIELD(servers),
     .def = "1",
     .min = "1",
     .max = "1048575",
     .help = "the last so many of the ranks are storage servers, the others write"},
    {.name = "size",
     .type = WEFT_PARAM_SIZE,
     .offset = FIELD(size_bytes),
     .def = "64MiB",
     .min = "1B",
     .help = "bytes that each client writes",
     .source = "1 MB to 4 GB per GPU: The Llama 3 Herd of Models (2407.21783), 3.3.1",
     .needs = "model="},
    {.name = "model",
     .type = WEFT_PARAM_STRING,
     .offset = FIELD(model),
     .def = "",
     .help = "transformer whose state all clients together write, such as llama3-8b; see "
             "training.model"},
    {.name = "bytes-per-parameter",
     .type = WEFT_PARAM_U64,
     .offset = FIELD(bytes_per_parameter),
     .def = "14",
     .min = "1",
     .max = "64",
     .help = "of a model: 14 are weights of 16 bits, a copy of 32 and Adam's two moments",
     .source = "13.8 TB for 1008e9 parameters: Narayanan et al., SC 2021 (2104.04473), 5.10",
     .needs = "model!="},
    {.name = "mode",
     .type = WEFT_PARAM_ENUM,
     .offset = FIELD(mode),
     .def = "barrier",
     .choices = "barrier|async",
     .help = "barrier: all begin together, a period after the last has finished; async: each a "
             "period after it began, or when it has finished"},
    {.name = "period",
     .type = WEFT_PARAM_TIME,
     .offset = FIELD(period_ps),
     .def = "10ms",
     .min = "1ns",
     .help = "time between checkpoints, see mode"},
    {.name = "first",
     .type = WEFT_PARAM_TIME,
     .offset = FIELD(first_ps),
     .def = "0",
     .min = "0",
     .help = "time from the start to the first"},
    {.name = "count",
     .type = WEFT_PARAM_U64,
     .offset = FIELD(count),
     .def = "1",
     .help = "checkpoints; 0: as many as the run needs"},
    {.name = "stripe-size",
     .type = WEFT_PARAM_SIZE,
     .offset = FIELD(stripe_bytes),
     .def = "4MiB",
     .min = "1B",
     .help = "bytes that go to one server before the next one's",
     .source = "objects of CephFS have 4 MiB, stripes of Lustre 1 MiB by default"},
    {.name = "stripe-count",
     .type = WEFT_PARAM_U64,
     .offset = FIELD(stripes),
     .def = "0",
     .help = "servers that a client's file lies on, the first of them drawn; 0: all"},
    {.name = "replicas",
     .type = WEFT_PARAM_U64,
     .offset = FIELD(replicas),
     .def = "1",
     .min = "1",
     .max = "16",
     .help = "copies of each stripe, on servers that follow each other"},
    {.name = "replication",
     .type = WEFT_PARAM_ENUM,
     .offset = FIELD(replication),
     .def = "primary",
     .choices = "primary|client",
     .help = "who sends copies: the server that has the first, or the client",
     .needs = "replicas!=1"},
    {.name = "in-flight",
     .type = WEFT_PARAM_U64,
     .offset = FIELD(in_flight),
     .def = "8",
     .help = "stripes of a client under way at once; 0: all",
     .source = "Lustre: max_rpcs_in_flight is 8 by default"},
    {.name = "seed",
     .type = WEFT_PARAM_U64,
     .offset = FIELD(seed),
     .def = "1",
     .help = "of its draws, beside that of the run"},
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
    uint32_t next_free;
};

struct source {
    struct weft_reactor r;
    struct params p;
    uint32_t nclients, nservers, nstripes;
    uint64_t seed;
    struct client *clients;
    struct stripe *flying;
    uint32_t nflying, cap, free;
    uint32_t busy; /* clients that write */
};

/* A free place for a stripe; UINT32_MAX without memory. */
static uint32_t take(struct source *s)
{
    const uint32_t i = s->free - 1;
    if (s->free) {
        s->free = s->flying[i].next_free;
        return i;
    }
    if (s->nflying == s->cap) {
        const uint32_t cap = s->cap ? 2 * s->cap : 64;
        struct stripe *more = (struct stripe *)realloc(s->flying, cap * sizeof *more);
        if (!more) {
            weft_reactor_fail(&s->r, "stripes");
            return UINT32_MAX;
        }
        s->flying = more;
        s->cap = cap;
    }
    return s->nflying++;
}

static uint32_t server_rank(const struct source *s, uint64_t server)
{
    return s->nclients + (uint32_t)(server % s->nservers);
}

/* Sends stripes of a client until enough are under way. */
static void send(struct source *s, uint32_t c, int64_t now_ps)
{
    struct client *w = &s->clients[c];
    while (w->sent < w->bytes && (s->p.in_flight == 0 || w->flying < s->p.in_flight)) {
        const uint64_t left = w->bytes - w->sent;
        const uint64_t bytes = left < s->p.stripe_bytes ? left : s->p.stripe_bytes;
        const uint32_t server = w->server + w->stripe++ % s->nstripes;
        const bool by_primary = s->p.replication == BY_PRIMARY && s->p.replicas > 1;
        const uint32_t copies = by_primary ? 1 : (uint32_t)s->p.replicas;
        const uint32_t at = take(s);
        if (at == UINT32_MAX)
            return;
        s->flying[at] = (struct stripe){
            .client = c, .server = server, .left = copies, .bytes = bytes, .first = by_primary};
        for (uint32_t k = 0; k < copies; k++)
            weft_reactor_send(&s->r, now_ps, c, server_rank(s, server + k), bytes, 0, at);
        w->sent += bytes;
        w->flying++;
    }
}

static void start(struct source *s, uint32_t c, int64_t now_ps)
{
    struct client *w = &s->clients[c];
    w->sent = 0;
    w->stripe = 0;
    w->begin_ps = now_ps;
    w->server = (uint32_t)weft_rng_below(&w->rng, s->nservers);
    s->busy++;
    send(s, c, now_ps);
}

/* Plans the next checkpoint of client @p c, or of all, which is the cookie nclients. */
static void plan(struct source *s, uint32_t c, uint64_t number, int64_t at_ps)
{
    if (s->p.count == 0 || number < s->p.count)
        weft_reactor_timer(&s->r, at_ps, c);
}

static void fired(struct weft_reactor *r, int64_t now_ps, uint64_t cookie)
{
    struct source *s = (struct source *)r;
    if (cookie < s->nclients) {
        start(s, (uint32_t)cookie, now_ps);
        return;
    }
    for (uint32_t c = 0; c < s->nclients; c++)
        start(s, c, now_ps);
}

/* A client has written all. */
static void finish(struct source *s, uint32_t c, int64_t now_ps)
{
    struct client *w = &s->clients[c];
    const struct weft_request done = {.what = "checkpoint",
                                      .rank = c,
                                      .number = w->number++,
                                      .bytes = w->bytes,
                                      .begin_ps = w->begin_ps,
                                      .end_ps = now_ps};
    const int64_t next_ps = w->begin_ps + s->p.period_ps;
    weft_reactor_request(&s->r, &done);
    s->busy--;
    if (s->p.mode == ASYNCHRONOUS)
        plan(s, c, w->number, next_ps > now_ps ? next_ps : now_ps);
    else if (s->busy == 0)
        plan(s, s->nclients, w->number, now_ps + s->p.period_ps);
}

static void arrived(struct weft_reactor *r, int64_t now_ps, uint64_t cookie)
{
    struct source *s = (struct source *)r;
    struct stripe *x = &s->flying[cookie];
    struct client *w = &s->clients[x->client];
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
    x->next_free = s->free;
    s->free = (uint32_t)cookie + 1;
    w->flying--;
    send(s, c, now_ps);
    if (w->flying == 0 && w->sent == w->bytes)
        finish(s, c, now_ps);
}

static void begin(struct weft_reactor *r, uint64_t repetition)
{
    struct source *s = (struct source *)r;
    s->nflying = s->free = s->busy = 0;
    for (uint32_t c = 0; c < s->nclients; c++) {
        s->clients[c].rng = weft_rng_stream(s->seed + repetition, "checkpoint", c);
        s->clients[c].number = 0;
        s->clients[c].flying = 0;
    }
    if (s->p.mode == BARRIER) {
        plan(s, s->nclients, 0, s->p.first_ps);
        return;
    }
    for (uint32_t c = 0; c < s->nclients; c++)
        plan(s, c, 0, s->p.first_ps);
}

static void free_source(struct weft_reactor *r)
{
    struct source *s = (struct source *)r;
    weft_reactor_release(r);
    free(s->clients);
    free(s->flying);
    free(s);
}

static const struct weft_reactor_ops reactor_ops = {begin, fired, arrived, free_source};

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
    for (uint32_t c = 0; c < s->nclients; c++)
        s->clients[c].bytes = m ? total / s->nclients + (c < total % s->nclients) : s->p.size_bytes;
}

static int flows(const void *params, const struct weft_flow_site *site,
                 struct weft_flow_source **out, struct weft_err *err)
{
    const struct params *p = (const struct params *)params;
    struct source *s = (struct source *)calloc(1, sizeof *s);
    const uint32_t nclients = site->nranks - (uint32_t)p->servers;
    if (s)
        s->clients = (struct client *)calloc(nclients, sizeof *s->clients);
    if (!s || !s->clients) {
        free(s);
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for flows");
    }
    s->p = *p;
    s->nclients = nclients;
    s->nservers = (uint32_t)p->servers;
    s->nstripes = p->stripes ? (uint32_t)p->stripes : s->nservers;
    s->seed = site->seed + p->seed - 1;
    share_out(s, p->model[0] ? weft_servers_model(p->model, err) : NULL);
    weft_reactor_init(&s->r, &reactor_ops, p->count == 0);
    *out = &s->r.base;
    return 0;
}

extern const struct weft_workload_ops weft_workload_checkpoint;
const struct weft_workload_ops weft_workload_checkpoint = {
    .name = "checkpoint",
    .title = "each client writes its share of a model's state to storage servers, in stripes",
    .source = "The Llama 3 Herd of Models (2407.21783), 3.3.1",
    .params = WEFT_PARAM_TABLE(table, struct params),
    .ranks = ranks,
    .flows = flows,
};
