/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workload `storage`: clients read from and write to storage servers, as data loaders of
 * training do.
 *
 * A request of several stripes goes to as many servers at once. Read: a command goes to each, it
 * works for `service-time`, and the data come back, all at the same time (incast). Write: the data
 * go to each, it works, and a reply comes back. Closed loop: a client has `depth` requests under
 * way and sends the next when one is over. With `iops` they come at random times, and wait where
 * `depth` are under way. All messages from a host to another go over one queue pair.
 */
#include "base/rng.h"
#include "base/units.h"
#include "workload/traffic/reactor.h"
#include "workload/traffic/servers.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/** Parameters. */
struct params {
    uint64_t ranks, servers, size_bytes, depth, stripes, command_bytes, reply_bytes, count, seed;
    double iops, read_share;
    int64_t service_ps, duration_ps;
};

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
     .max = "65535",
     .help = "the last so many of the ranks are storage servers, the others read and write"},
    {.name = "size",
     .type = WEFT_PARAM_SIZE,
     .offset = FIELD(size_bytes),
     .def = "1MiB",
     .min = "1B",
     .help = "bytes of a request"},
    {.name = "read-share",
     .type = WEFT_PARAM_F64,
     .offset = FIELD(read_share),
     .def = "1",
     .min = "0",
     .max = "1",
     .help = "share of the requests that read; the others write"},
    {.name = "depth",
     .type = WEFT_PARAM_U64,
     .offset = FIELD(depth),
     .def = "1",
     .max = "1048576",
     .help = "requests of a client under way at once; 0, with iops: any number"},
    {.name = "iops",
     .type = WEFT_PARAM_F64,
     .offset = FIELD(iops),
     .def = "0",
     .min = "0",
     .help = "requests per second of each client, at random (Poisson); 0: closed loop, the next "
             "when one is over"},
    {.name = "stripe-count",
     .type = WEFT_PARAM_U64,
     .offset = FIELD(stripes),
     .def = "1",
     .min = "1",
     .max = "65535",
     .help = "servers that a request goes to at once, the first of them drawn"},
    {.name = "service-time",
     .type = WEFT_PARAM_TIME,
     .offset = FIELD(service_ps),
     .def = "100us",
     .min = "0",
     .help = "time that a server works on a request"},
    {.name = "command",
     .type = WEFT_PARAM_SIZE,
     .offset = FIELD(command_bytes),
     .def = "64B",
     .help = "bytes of the command of a read",
     .source = "submission queue entry: NVM Express base specification"},
    {.name = "reply",
     .type = WEFT_PARAM_SIZE,
     .offset = FIELD(reply_bytes),
     .def = "16B",
     .help = "bytes of the reply to a write",
     .source = "completion queue entry: NVM Express base specification",
     .needs = "read-share!=1"},
    {.name = "count",
     .type = WEFT_PARAM_U64,
     .offset = FIELD(count),
     .def = "0",
     .help = "requests of each client; 0: any number"},
    {.name = "duration",
     .type = WEFT_PARAM_TIME,
     .offset = FIELD(duration_ps),
     .def = "0",
     .min = "0",
     .help = "requests come during that time; 0: without count, as long as the run needs them"},
    {.name = "seed",
     .type = WEFT_PARAM_U64,
     .offset = FIELD(seed),
     .def = "1",
     .help = "of its draws, beside that of the run"},
};

#define NONE UINT32_MAX

/* A request. */
struct request {
    uint32_t client, server; /* the first of its servers */
    uint32_t left;           /* stripes that are not over */
    bool reads;
    uint64_t number;
    int64_t came_ps, sent_ps;
    uint32_t next; /* that waits; of a free one index + 1 of the next free */
};

struct client {
    struct weft_rng arrivals, draws;
    uint64_t came;
    uint32_t flying, head, tail; /* head .. tail: those that wait, NONE: none */
};

struct source {
    struct weft_reactor r;
    struct params p;
    uint32_t nclients, nservers;
    uint64_t seed;
    struct client *clients;
    struct request *requests;
    uint32_t nrequests, cap, free;
};

/* What a message or timer of a stripe is for. */
enum { COMMAND, READING, DATA, WRITTEN, WRITING, REPLY, PHASES = 8 };

static uint64_t cookie_of(uint32_t request, uint32_t stripe, int phase)
{
    return ((uint64_t)request << 20 | stripe) * PHASES + (uint64_t)phase;
}

static uint64_t arrival_cookie(uint32_t client)
{
    return cookie_of(NONE, 0, 0) + PHASES + client;
}

static uint32_t take(struct source *s)
{
    const uint32_t i = s->free - 1;
    if (s->free) {
        s->free = s->requests[i].next;
        return i;
    }
    if (s->nrequests == s->cap) {
        const uint32_t cap = s->cap ? 2 * s->cap : 64;
        struct request *more = (struct request *)realloc(s->requests, cap * sizeof *more);
        if (!more) {
            weft_reactor_fail(&s->r, "requests");
            return NONE;
        }
        s->requests = more;
        s->cap = cap;
    }
    return s->nrequests++;
}

static uint32_t server_of(const struct source *s, const struct request *q, uint32_t stripe)
{
    return s->nclients + (q->server + stripe) % s->nservers;
}

static uint64_t bytes_of(const struct source *s, uint32_t stripe)
{
    return s->p.size_bytes / s->p.stripes + (stripe < s->p.size_bytes % s->p.stripes);
}

static void issue(struct source *s, uint32_t i, int64_t now_ps)
{
    struct request *q = &s->requests[i];
    s->clients[q->client].flying++;
    q->sent_ps = now_ps;
    q->left = (uint32_t)s->p.stripes;
    for (uint32_t k = 0; k < s->p.stripes; k++)
        weft_reactor_send(&s->r, now_ps, q->client, server_of(s, q, k),
                          q->reads ? s->p.command_bytes : bytes_of(s, k), 0,
                          cookie_of(i, k, q->reads ? COMMAND : WRITTEN));
}

/* Whether a client has another request to come at @p t_ps. */
static bool more(const struct source *s, const struct client *c, int64_t t_ps)
{
    return (s->p.count == 0 || c->came < s->p.count) &&
           (s->p.duration_ps == 0 || t_ps < s->p.duration_ps);
}

/* A request comes, and is sent or waits. */
static void come(struct source *s, uint32_t client, int64_t now_ps)
{
    struct client *c = &s->clients[client];
    const uint32_t i = more(s, c, now_ps) ? take(s) : NONE;
    if (i == NONE)
        return;
    const bool reads = weft_rng_f64(&c->draws) < s->p.read_share;
    s->requests[i] = (struct request){.client = client,
                                      .server = (uint32_t)weft_rng_below(&c->draws, s->nservers),
                                      .reads = reads,
                                      .number = c->came++,
                                      .came_ps = now_ps,
                                      .next = NONE};
    if (s->p.depth == 0 || c->flying < s->p.depth) {
        issue(s, i, now_ps);
        return;
    }
    if (c->head == NONE)
        c->head = i;
    else
        s->requests[c->tail].next = i;
    c->tail = i;
}

/* Arms the next request that comes at random. */
static void arm(struct source *s, uint32_t client, int64_t now_ps)
{
    struct client *c = &s->clients[client];
    const double gap_ps = -log1p(-weft_rng_f64(&c->arrivals)) / s->p.iops * (double)WEFT_PS_PER_S;
    if (gap_ps < (double)(WEFT_NEVER / 4) && more(s, c, now_ps + (int64_t)gap_ps))
        weft_reactor_timer(&s->r, now_ps + (int64_t)gap_ps, arrival_cookie(client));
}

static void finish(struct source *s, uint32_t i, int64_t now_ps)
{
    const struct request q = s->requests[i];
    struct client *c = &s->clients[q.client];
    const struct weft_request done = {.what = q.reads ? "read" : "write",
                                      .rank = q.client,
                                      .number = q.number,
                                      .bytes = s->p.size_bytes,
                                      .begin_ps = q.came_ps,
                                      .end_ps = now_ps,
                                      .wait_ps = q.sent_ps - q.came_ps,
                                      .service_ps = s->p.service_ps};
    s->requests[i].next = s->free;
    s->free = i + 1;
    c->flying--;
    weft_reactor_request(&s->r, &done);
    if (c->head != NONE) {
        const uint32_t next = c->head;
        c->head = s->requests[next].next;
        issue(s, next, now_ps);
    } else if (s->p.iops <= 0) {
        come(s, q.client, now_ps);
    }
}

static void fired(struct weft_reactor *r, int64_t now_ps, uint64_t cookie)
{
    struct source *s = (struct source *)r;
    if (cookie >= arrival_cookie(0)) {
        const uint32_t client = (uint32_t)(cookie - arrival_cookie(0));
        come(s, client, now_ps);
        arm(s, client, now_ps);
        return;
    }
    const uint32_t i = (uint32_t)(cookie / PHASES >> 20),
                   stripe = (uint32_t)(cookie / PHASES & 0xfffff);
    const struct request *q = &s->requests[i];
    const bool reads = cookie % PHASES == READING;
    weft_reactor_send(r, now_ps, server_of(s, q, stripe), q->client,
                      reads ? bytes_of(s, stripe) : s->p.reply_bytes, 0,
                      cookie_of(i, stripe, reads ? DATA : REPLY));
}

static void arrived(struct weft_reactor *r, int64_t now_ps, uint64_t cookie)
{
    struct source *s = (struct source *)r;
    const uint32_t i = (uint32_t)(cookie / PHASES >> 20);
    const int phase = (int)(cookie % PHASES);
    if (phase == COMMAND || phase == WRITTEN)
        weft_reactor_timer(r, now_ps + s->p.service_ps, cookie + 1); /* READING, WRITING */
    else if (--s->requests[i].left == 0)
        finish(s, i, now_ps);
}

static void begin(struct weft_reactor *r, uint64_t repetition)
{
    struct source *s = (struct source *)r;
    s->nrequests = s->free = 0;
    for (uint32_t c = 0; c < s->nclients; c++)
        s->clients[c] =
            (struct client){.arrivals = weft_rng_stream(s->seed + repetition, "storage-arrival", c),
                            .draws = weft_rng_stream(s->seed + repetition, "storage-request", c),
                            .head = NONE};
    for (uint32_t c = 0; c < s->nclients; c++) {
        for (uint64_t k = 0; s->p.iops <= 0 && k < s->p.depth; k++)
            come(s, c, 0);
        if (s->p.iops > 0)
            arm(s, c, 0);
    }
}

static void free_source(struct weft_reactor *r)
{
    struct source *s = (struct source *)r;
    weft_reactor_release(r);
    free(s->clients);
    free(s->requests);
    free(s);
}

static const struct weft_reactor_ops reactor_ops = {begin, fired, arrived, free_source};

static int ranks(const void *params, uint32_t room, uint32_t *n, struct weft_err *err)
{
    const struct params *p = (const struct params *)params;
    if (p->iops <= 0 && p->depth == 0)
        return weft_err_set(err, WEFT_E_INPUT,
                            "depth=0 has no requests without iops; nearest: depth=1");
    return weft_servers_ranks("storage", p->ranks, p->servers, p->stripes, 1, room, n, err);
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
    s->seed = site->seed + p->seed - 1;
    weft_reactor_init(&s->r, &reactor_ops, p->count == 0 && p->duration_ps == 0);
    *out = &s->r.base;
    return 0;
}

extern const struct weft_workload_ops weft_workload_storage;
const struct weft_workload_ops weft_workload_storage = {
    .name = "storage",
    .title = "clients read from and write to storage servers, one or several at once",
    .source = NULL,
    .params = WEFT_PARAM_TABLE(table, struct params),
    .ranks = ranks,
    .flows = flows,
};
