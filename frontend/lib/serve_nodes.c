/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session has posted: messages, timers and receives, with numbers of the session. Those that
 * wait for others (`after`) enter the network when the last of these is over: a message when it is
 * delivered, a receive when it has its message. While anything waits, the network stops at each of
 * these events.
 */
#include "lib/serve_internal.h"
#include "base/hash_table.h"

#include <inttypes.h>
#include <stdlib.h>

/* One that waits for a node. */
struct node_edge {
    struct serve_node *to;
    struct node_edge *next;
};

struct serve_node {
    uint64_t id, user;
    struct weft_send message; /* of a timer: delay_ps alone */
    struct weft_recv receive;
    enum { NODE_MESSAGE, NODE_TIMER, NODE_RECEIVE } what;
    uint32_t waits; /* for so many others */
    bool done;      /* what waits for it goes */
    bool lost;
    struct node_edge *then;
    UT_hash_handle hh;
};

/* Kinds of events by which something is over for those that wait. */
#define NODE_DONE (WEFT_DELIVERED | WEFT_MATCHED | WEFT_TIMER)

static struct serve_node *node_find(const struct serve_net *n, uint64_t id)
{
    struct serve_node *found;
    HASH_FIND(hh, n->nodes, &id, sizeof id, found);
    return found;
}

static void node_free(struct serve_net *n, struct serve_node *node)
{
    while (node->then) {
        struct node_edge *next = node->then->next;
        free(node->then);
        node->then = next;
    }
    HASH_DEL(n->nodes, node);
    free(node);
    n->nopen--;
}

static struct serve_node *node_new(struct serve_net *n, int what)
{
    struct serve_node *node = (struct serve_node *)calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->id = n->next;
    node->what = what;
    HASH_ADD(hh, n->nodes, id, sizeof node->id, node);
    if (node->lost) {
        free(node);
        return NULL;
    }
    n->next++;
    n->nopen++;
    n->todo += what != NODE_RECEIVE;
    return node;
}

/* ---- reading ---- */

static int read_number(const json_t *o, const char *key, uint64_t max, bool required, uint32_t *out,
                       struct weft_err *err)
{
    uint64_t v = *out;
    if (required && !json_object_get(o, key))
        return weft_err_set(err, WEFT_E_INPUT, "'%s' is missing", key);
    const int rc = serve_get_u64(o, key, max, &v, err);
    *out = (uint32_t)v;
    return rc;
}

/* When: delay_ps from the present, or at_ps. */
static int read_time(const struct serve_net *n, const json_t *o, bool waits, int64_t *delay_ps,
                     struct weft_err *err)
{
    const int64_t now_ps = weft_sim_now(n->sim);
    int64_t at_ps = now_ps;
    if (serve_get_i64(o, "delay_ps", delay_ps, err) || serve_get_i64(o, "at_ps", &at_ps, err))
        return err->code;
    if (json_object_get(o, "at_ps") && (json_object_get(o, "delay_ps") || waits))
        return weft_err_set(err, WEFT_E_INPUT, "'at_ps' goes with neither 'delay_ps' nor 'after'");
    if (at_ps < now_ps)
        return weft_err_set(err, WEFT_E_INPUT,
                            "'at_ps' is %" PRId64 ", but the present is %" PRId64, at_ps, now_ps);
    *delay_ps += at_ps - now_ps;
    return *delay_ps >= 0 ? 0 : weft_err_set(err, WEFT_E_INPUT, "'delay_ps' must not be negative");
}

static int read_message(const struct serve_net *n, const json_t *o, struct serve_node *node,
                        struct weft_err *err)
{
    static const char *const known[] = {"src",   "dst",   "bytes", "tag",      "user", "delay_ps",
                                        "at_ps", "after", "qp",    "priority", NULL};
    struct weft_send *m = &node->message;
    if (json_object_get(o, "priority"))
        m->flags |= WEFT_SEND_PRIORITY;
    const uint32_t last = weft_sim_hosts(n->sim) - 1;
    if (serve_check_keys(o, known, "a message", err) ||
        read_number(o, "src", last, true, &m->src, err) ||
        read_number(o, "dst", last, true, &m->dst, err) ||
        serve_get_u64(o, "bytes", INT64_MAX, &m->bytes, err) ||
        serve_get_u64(o, "tag", UINT64_MAX - 1, &m->tag, err) ||
        serve_get_u64(o, "user", UINT64_MAX, &node->user, err) ||
        read_number(o, "priority", WEFT_NET_PRIOS - 1, false, &m->priority, err) ||
        read_number(o, "qp", (1u << WEFT_QP_BITS) - 1, false, &m->qp, err))
        return err->code;
    return read_time(n, o, json_object_get(o, "after"), &m->delay_ps, err);
}

static int read_timer(const struct serve_net *n, const json_t *o, struct serve_node *node,
                      struct weft_err *err)
{
    static const char *const known[] = {"user", "delay_ps", "at_ps", "after", NULL};
    if (serve_check_keys(o, known, "a timer", err) ||
        serve_get_u64(o, "user", UINT64_MAX, &node->user, err))
        return err->code;
    return read_time(n, o, json_object_get(o, "after"), &node->message.delay_ps, err);
}

static int read_receive(const struct serve_net *n, const json_t *o, struct serve_node *node,
                        struct weft_err *err)
{
    static const char *const known[] = {"dst", "src", "tag", "user", NULL};
    struct weft_recv *r = &node->receive;
    const uint32_t last = weft_sim_hosts(n->sim) - 1;
    r->src = WEFT_RECV_ANY_HOST;
    r->tag = WEFT_RECV_ANY_TAG;
    if (serve_check_keys(o, known, "a receive", err) ||
        read_number(o, "dst", last, true, &r->dst, err) ||
        read_number(o, "src", last, false, &r->src, err) ||
        serve_get_u64(o, "tag", UINT64_MAX - 1, &r->tag, err))
        return err->code;
    return serve_get_u64(o, "user", UINT64_MAX, &node->user, err);
}

/* What a node waits for. */
static int read_after(struct serve_net *n, const json_t *o, struct serve_node *node,
                      struct weft_err *err)
{
    const json_t *after;
    if (serve_get_array(o, "after", &after, err))
        return err->code;
    for (size_t i = 0; i < json_array_size(after); i++) {
        const json_t *v = json_array_get(after, i);
        const uint64_t id = json_is_integer(v) ? (uint64_t)json_integer_value(v) : UINT64_MAX;
        if (id >= node->id)
            return weft_err_set(err, WEFT_E_INPUT,
                                "'after' names what was posted before: numbers below %" PRIu64,
                                node->id);
        struct serve_node *from = node_find(n, id);
        if (!from || from->done)
            continue;
        struct node_edge *e = (struct node_edge *)malloc(sizeof *e);
        if (!e)
            return weft_err_no_memory(err, "what waits for others");
        *e = (struct node_edge){node, from->then};
        from->then = e;
        node->waits++;
    }
    n->waiting += node->waits > 0;
    return 0;
}

/* ---- posting ---- */

/* Hands a node over to the network. */
static int node_post(const struct serve_net *n, struct serve_node *node, struct weft_err *err)
{
    int64_t rc;
    node->message.user = node->receive.user = node->id;
    if (node->what == NODE_RECEIVE)
        rc = weft_sim_recv(n->sim, &node->receive);
    else if (node->what == NODE_TIMER)
        rc = weft_sim_timer(n->sim, node->message.delay_ps, node->id);
    else
        rc = weft_sim_send(n->sim, &node->message);
    return rc < 0 ? weft_err_set(err, (int)rc, "%s", weft_sim_error(n->sim)) : 0;
}

static int add_all(struct serve_net *n, const json_t *list, int what, struct weft_err *err)
{
    static int (*const read[])(const struct serve_net *, const json_t *, struct serve_node *,
                               struct weft_err *) = {read_message, read_timer, read_receive};
    static const char *const names[] = {"messages", "timers", "receives"};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        if (n->nopen >= n->open_max)
            return weft_err_set(err, WEFT_E_LIMIT,
                                "%" PRIu64 " messages, timers and receives are open, which is the "
                                "most (--open)",
                                n->nopen);
        struct serve_node *node = node_new(n, what);
        if (!node)
            return weft_err_no_memory(err, "what is posted");
        int rc = json_is_object(o) ? read[what](n, o, node, err)
                                   : weft_err_set(err, WEFT_E_INPUT, "must be an object");
        if (!rc && what != NODE_RECEIVE)
            rc = read_after(n, o, node, err);
        if (rc)
            return weft_err_prepend(err, "%s[%zu]", names[what], i);
    }
    return 0;
}

/* Takes back what was added from number @p first on: the last request was wrong. */
static void drop_from(struct serve_net *n, uint64_t first)
{
    struct serve_node *node, *next;
    HASH_ITER(hh, n->nodes, node, next)
    {
        if (node->id >= first)
            continue;
        for (struct node_edge **e = &node->then; *e;) {
            struct node_edge *edge = *e;
            if (edge->to->id < first) {
                e = &edge->next;
                continue;
            }
            *e = edge->next;
            free(edge);
        }
    }
    while (n->next > first) {
        node = node_find(n, --n->next);
        n->waiting -= node->waits > 0;
        n->todo -= node->what != NODE_RECEIVE;
        node_free(n, node);
    }
}

int serve_net_post(struct serve_net *n, const json_t *request, uint64_t *first, uint64_t *count,
                   struct weft_err *err)
{
    const json_t *messages, *timers, *receives;
    *first = n->next;
    if (serve_get_array(request, "messages", &messages, err) ||
        serve_get_array(request, "timers", &timers, err) ||
        serve_get_array(request, "receives", &receives, err))
        return err->code;
    int rc = add_all(n, messages, NODE_MESSAGE, err);
    rc = rc ? rc : add_all(n, timers, NODE_TIMER, err);
    rc = rc ? rc : add_all(n, receives, NODE_RECEIVE, err);
    if (rc) {
        drop_from(n, *first);
        return rc;
    }
    *count = n->next - *first;
    for (uint64_t id = *first; !rc && id < n->next; id++) {
        struct serve_node *node = node_find(n, id);
        if (node->waits == 0)
            rc = node_post(n, node, err);
    }
    return rc;
}

/* ---- running ---- */

/* What waits for a node has one thing less to wait for. */
static int node_done(struct serve_net *n, struct serve_node *node, struct weft_err *err)
{
    int rc = 0;
    node->done = true;
    n->todo -= node->what != NODE_RECEIVE;
    /* edges were put in front: those posted first go first */
    struct node_edge *turned = NULL;
    while (node->then) {
        struct node_edge *e = node->then;
        node->then = e->next;
        e->next = turned;
        turned = e;
    }
    while (turned) {
        struct node_edge *e = turned;
        turned = e->next;
        if (--e->to->waits == 0) {
            n->waiting--;
            rc = rc ? rc : node_post(n, e->to, err);
        }
        free(e);
    }
    return rc;
}

static bool goal_names(const struct serve_net *n, uint64_t id)
{
    for (size_t i = 0; i < json_array_size(n->goal); i++)
        if ((uint64_t)json_integer_value(json_array_get(n->goal, i)) == id)
            return true;
    return false;
}

static void print_event(struct serve_text *t, const struct weft_event *e,
                        const struct serve_node *node)
{
    serve_print(t, "%s{\"kind\":\"%s\",\"time_ps\":%" PRId64 ",\"id\":%" PRIu64, t->n ? "," : "",
                serve_kind_name(e->kind), e->time_ps, node->id);
    if (node->user)
        serve_print(t, ",\"user\":%" PRIu64, node->user);
    if (e->kind != WEFT_TIMER)
        serve_print(t, ",\"src\":%u,\"dst\":%u,\"tag\":%" PRIu64 ",\"bytes\":%" PRIu64, e->src,
                    e->dst, e->tag, e->bytes);
    serve_put(t, "}", 1);
}

/* An event of the network: reports it, and releases what waits for it. */
static int take_event(struct serve_net *n, const struct weft_event *e, struct serve_text *events,
                      struct weft_err *err)
{
    struct serve_node *node = node_find(n, e->user);
    int rc = 0;
    if (!node)
        return weft_err_set(err, WEFT_E_INTERNAL, "an event of nothing that was posted");
    if (n->kinds & e->kind) {
        print_event(events, e, node);
        n->hit |= n->event;
    }
    if (e->kind & NODE_DONE) {
        n->hit |= n->any || goal_names(n, node->id);
        rc = node_done(n, node, err);
    }
    if (e->kind & (WEFT_ACKNOWLEDGED | WEFT_MATCHED | WEFT_TIMER))
        node_free(n, node);
    return rc;
}

static int take_all(struct serve_net *n, struct serve_text *events, struct weft_err *err)
{
    struct weft_event e;
    int rc = 0;
    while (!rc && weft_sim_take(n->sim, &e, 1) == 1)
        rc = take_event(n, &e, events, err);
    return rc;
}

int serve_net_run(struct serve_net *n, int64_t until_ps, bool all, struct serve_text *events,
                  struct weft_err *err)
{
    const bool wanted = all && n->todo > 0;
    n->hit = false;
    for (;;) {
        const bool stops = n->any || n->goal || all || n->waiting;
        const int why =
            weft_sim_run(n->sim, until_ps, (stops ? NODE_DONE : 0) | (n->event ? n->kinds : 0), 0);
        if (why < 0)
            return weft_err_set(err, why, "%s", weft_sim_error(n->sim));
        if (take_all(n, events, err))
            return err->code;
        if (events->failed)
            return weft_err_no_memory(err, "events");
        if (n->hit || (wanted && n->todo == 0))
            return WEFT_STOP_EVENT;
        if (why != WEFT_STOP_EVENT)
            return why == WEFT_STOP_IDLE && n->waiting ? WEFT_STOP_STALLED : why;
    }
}

void serve_net_close(struct serve_net *n)
{
    struct serve_node *node, *next;
    HASH_ITER(hh, n->nodes, node, next)
    node_free(n, node);
    weft_sim_close(n->sim);
    *n = (struct serve_net){.open_max = n->open_max};
}
