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
#include "base/draw.h"
#include "workload/traffic/rows.h"
#include "workload/traffic/servers.h"

#include <inttypes.h>
#include <stddef.h>

/** Parameters. */
struct params {
    uint64_t ranks, servers, size_bytes, depth, stripes, command_bytes, reply_bytes, count, seed;
    double iops, read_share;
    int64_t service_ps, duration_ps;
};

static const struct weft_param table[] = {
    WEFT_ROW_RANKS(struct params, ranks, "clients, then servers; 0: all hosts that there are"),
    {WEFT_ROW_U64(struct params, servers, "servers", "1", "1", "65535"),
     .help = "the last so many of the ranks are storage servers, the others read and write"},
    {WEFT_ROW_SIZE(struct params, size_bytes, "size", "1MiB", "1B", NULL),
     .help = "bytes of a request"},
    {WEFT_ROW_F64(struct params, read_share, "read-share", "1", "0", "1"),
     .help = "share of the requests that read; the others write"},
    {WEFT_ROW_U64(struct params, depth, "depth", "1", NULL, "1048576"),
     .help = "requests of a client under way at once; 0, with iops: any number"},
    {WEFT_ROW_F64(struct params, iops, "iops", "0", "0", NULL),
     .help = "requests per second of each client, at random (Poisson); 0: closed loop, the next "
             "when one is over"},
    {WEFT_ROW_U64(struct params, stripes, "stripe-count", "1", "1", "65535"),
     .help = "servers that a request goes to at once, the first of them drawn"},
    {WEFT_ROW_TIME(struct params, service_ps, "service-time", "100us", "0", NULL),
     .help = "time that a server works on a request"},
    {WEFT_ROW_SIZE(struct params, command_bytes, "command", "64B", NULL, NULL),
     .help = "bytes of the command of a read",
     .source = "submission queue entry: NVM Express base specification"},
    {WEFT_ROW_SIZE(struct params, reply_bytes, "reply", "16B", NULL, NULL),
     .help = "bytes of the reply to a write",
     .source = "completion queue entry: NVM Express base specification", .needs = "read-share!=1"},
    {WEFT_ROW_U64(struct params, count, "count", "0", NULL, NULL),
     .help = "requests of each client; 0: any number"},
    WEFT_ROW_DURATION(
        struct params, duration_ps,
        "requests come during that time; 0: without count, as long as the run needs them"),
    WEFT_ROW_SEED(struct params, seed, "draws"),
};

/* A request. */
struct request {
    uint32_t client, server; /* the first of its servers */
    uint32_t left;           /* stripes that are not over */
    bool reads;
    uint64_t number;
    int64_t came_ps, sent_ps;
    uint32_t next; /* that waits */
};

struct client {
    struct weft_rng arrivals, draws;
    uint64_t came;
    uint32_t flying, head, tail; /* head .. tail: those that wait, WEFT_NO_SLOT: none */
};

struct source {
    struct weft_servers base;
    struct params p;
};

/* What a message or timer of a stripe is for. */
enum { COMMAND, READING, DATA, WRITTEN, WRITING, REPLY, PHASES = 8 };

static uint64_t cookie_of(uint32_t request, uint32_t stripe, int phase)
{
    return ((uint64_t)request << 20 | stripe) * PHASES + (uint64_t)phase;
}

static uint64_t arrival_cookie(uint32_t client)
{
    return cookie_of(WEFT_NO_SLOT, 0, 0) + PHASES + client;
}

static struct client *client_of(const struct source *s, uint32_t c)
{
    return (struct client *)s->base.clients + c;
}

static struct request *request_of(const struct source *s, uint32_t i)
{
    return (struct request *)weft_slot(&s->base.pending, i);
}

static uint32_t server_of(const struct source *s, const struct request *q, uint32_t stripe)
{
    return s->base.nclients + (q->server + stripe) % s->base.nservers;
}

static uint64_t bytes_of(const struct source *s, uint32_t stripe)
{
    return s->p.size_bytes / s->p.stripes + (stripe < s->p.size_bytes % s->p.stripes);
}

static void storage_issue(struct source *s, uint32_t i, int64_t now_ps)
{
    struct request *q = request_of(s, i);
    client_of(s, q->client)->flying++;
    q->sent_ps = now_ps;
    q->left = (uint32_t)s->p.stripes;
    for (uint32_t k = 0; k < s->p.stripes; k++)
        weft_reactor_send(&s->base.r, now_ps, q->client, server_of(s, q, k),
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
    struct client *c = client_of(s, client);
    const uint32_t i = more(s, c, now_ps)
                           ? weft_reactor_place(&s->base.r, &s->base.pending, "requests")
                           : WEFT_NO_SLOT;
    if (i == WEFT_NO_SLOT)
        return;
    const bool reads = weft_rng_f64(&c->draws) < s->p.read_share;
    *request_of(s, i) =
        (struct request){.client = client,
                         .server = (uint32_t)weft_rng_below(&c->draws, s->base.nservers),
                         .reads = reads,
                         .number = c->came++,
                         .came_ps = now_ps,
                         .next = WEFT_NO_SLOT};
    if (s->p.depth == 0 || c->flying < s->p.depth) {
        storage_issue(s, i, now_ps);
        return;
    }
    if (c->head == WEFT_NO_SLOT)
        c->head = i;
    else
        request_of(s, c->tail)->next = i;
    c->tail = i;
}

/* Arms the next request that comes at random. */
static void storage_arm(struct source *s, uint32_t client, int64_t now_ps)
{
    struct client *c = client_of(s, client);
    const double gap_ps = weft_draw_gap_ps(&c->arrivals, s->p.iops);
    if (gap_ps < WEFT_DRAW_LONGEST_PS && more(s, c, now_ps + (int64_t)gap_ps))
        weft_reactor_timer(&s->base.r, now_ps + (int64_t)gap_ps, arrival_cookie(client));
}

static void storage_finish(struct source *s, uint32_t i, int64_t now_ps)
{
    const struct request q = *request_of(s, i);
    struct client *c = client_of(s, q.client);
    const struct weft_request done = {.what = q.reads ? "read" : "write",
                                      .rank = q.client,
                                      .number = q.number,
                                      .bytes = s->p.size_bytes,
                                      .begin_ps = q.came_ps,
                                      .end_ps = now_ps,
                                      .wait_ps = q.sent_ps - q.came_ps,
                                      .service_ps = s->p.service_ps};
    weft_slots_give_back(&s->base.pending, i);
    c->flying--;
    weft_reactor_request(&s->base.r, &done);
    if (c->head != WEFT_NO_SLOT) {
        const uint32_t next = c->head;
        c->head = request_of(s, next)->next;
        storage_issue(s, next, now_ps);
    } else if (s->p.iops <= 0) {
        come(s, q.client, now_ps);
    }
}

static void storage_fired(struct weft_reactor *r, int64_t now_ps, uint64_t cookie)
{
    struct source *s = (struct source *)r;
    if (cookie >= arrival_cookie(0)) {
        const uint32_t client = (uint32_t)(cookie - arrival_cookie(0));
        come(s, client, now_ps);
        storage_arm(s, client, now_ps);
        return;
    }
    const uint32_t i = (uint32_t)(cookie / PHASES >> 20),
                   stripe = (uint32_t)(cookie / PHASES & 0xfffff);
    const struct request *q = request_of(s, i);
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
    else if (--request_of(s, i)->left == 0)
        storage_finish(s, i, now_ps);
}

static void storage_begin(struct weft_reactor *r, uint64_t repetition)
{
    struct source *s = (struct source *)r;
    weft_slots_clear(&s->base.pending);
    for (uint32_t c = 0; c < s->base.nclients; c++)
        *client_of(s, c) = (struct client){
            .arrivals = weft_rng_stream(s->base.seed + repetition, "storage-arrival", c),
            .draws = weft_rng_stream(s->base.seed + repetition, "storage-request", c),
            .head = WEFT_NO_SLOT};
    for (uint32_t c = 0; c < s->base.nclients; c++) {
        for (uint64_t k = 0; s->p.iops <= 0 && k < s->p.depth; k++)
            come(s, c, 0);
        if (s->p.iops > 0)
            storage_arm(s, c, 0);
    }
}

static const struct weft_reactor_ops reactor_ops = {storage_begin, storage_fired, arrived,
                                                    weft_servers_free};

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
    const struct weft_slots requests = WEFT_SLOTS_OF(struct request);
    struct source *s = (struct source *)weft_servers_new(sizeof *s, sizeof(struct client),
                                                         &requests, p->servers, p->seed, site, err);
    if (!s)
        return err->code;
    s->p = *p;
    weft_reactor_init(&s->base.r, &reactor_ops, p->count == 0 && p->duration_ps == 0);
    *out = &s->base.r.base;
    return 0;
}

const struct weft_workload_ops weft_workload_storage = {
    .name = "storage",
    .title = "clients read from and write to storage servers, one or several at once",
    .source = NULL,
    .params = WEFT_PARAM_TABLE(table, struct params),
    .ranks = ranks,
    .flows = flows,
};
