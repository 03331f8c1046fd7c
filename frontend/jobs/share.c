/* SPDX-License-Identifier: GPL-2.0-only */
/* Shares of a net. */
#include "jobs/share.h"

#include "base/compare.h"
#include "base/grow.h"
#include "base/slots.h"

#include <stdlib.h>

#define QP_MASK ((UINT32_C(1) << WEFT_QP_BITS) - 1)

/* A host with its rank, sorted by host. */
struct rank_host {
    uint32_t host, rank; /* rank: place in the list of hosts */
};

/* Something that a share has asked for: the timer of a watched share, or a part of an operation in
 * switches. */
struct request {
    struct share *share;
    uint64_t arg;
    void (*fn)(void *ctx, uint64_t arg);
    void *ctx;
    union weft_token token; /* of the part */
    uint8_t token_type;
};

struct share {
    struct weft_net base;
    struct weft_net_ops ops;
    struct weft_shares *all;
    uint32_t job;
    struct weft_share_config c;
    struct rank_host *rank_hosts; /* NULL: rank r is on host r */
    struct weft_net_sink sink;
    uint64_t messages_open, timers_open;
    uint64_t bytes, messages;
    uint32_t *groups, ngroups,
        reopened; /* of the net, in the order asked for; how many are asked for again */
};

struct weft_shares {
    struct weft_net *net;
    struct share **shares; /* by job */
    uint32_t n;
    struct weft_slots requests;
};

static struct share *of(const struct weft_net *net)
{
    return (struct share *)(uintptr_t)net;
}

/* Keeps a request; WEFT_NO_SLOT: without memory. */
static uint32_t job_share_keep(struct weft_shares *s, const struct request *r, struct weft_err *err)
{
    const uint32_t i = weft_slots_take(&s->requests);
    if (i == WEFT_NO_SLOT)
        weft_err_no_memory(err, "the jobs of a net");
    else
        *(struct request *)weft_slot(&s->requests, i) = *r;
    return i;
}

static struct request request_of(const struct weft_shares *s, uint32_t i)
{
    return *(const struct request *)weft_slot(&s->requests, i);
}

static uint32_t job_share_rank_of(const struct share *h, uint32_t host)
{
    const struct rank_host key = {host, 0};
    if (!h->rank_hosts)
        return host / h->c.nnics;
    const struct rank_host *at = (const struct rank_host *)bsearch(&key, h->rank_hosts, h->c.nhosts,
                                                                   sizeof key, weft_by_u32);
    return at ? at->rank / h->c.nnics : UINT32_MAX;
}

static void happened(struct share *h)
{
    if (h->c.watched && h->c.after_event)
        h->c.after_event(h->c.ctx, h->job);
}

/* The share and the reference that a callback of the net is about; a part's is given back when it
 * is over. */
static struct share *whose(struct weft_shares *s, struct weft_completion *done, bool over)
{
    struct weft_msg *msg = &done->msg;
    if (msg->kind != WEFT_MSG_PART)
        return s->shares[weft_share_job_of(msg)];
    const uint32_t i = (uint32_t)msg->token.number;
    const struct request r = request_of(s, i);
    if (over)
        weft_slots_give_back(&s->requests, i);
    msg->token = r.token;
    msg->token_type = r.token_type;
    return r.share;
}

/* Tells a job in its own words. */
static void report_to_job(struct share *h, struct weft_completion *done,
                          void (*fn)(void *ctx, const struct weft_completion *done))
{
    struct weft_msg *msg = &done->msg;
    msg->src = job_share_rank_of(h, msg->src);
    msg->dst = msg->kind == WEFT_MSG_PART ? msg->src : job_share_rank_of(h, msg->dst);
    msg->qp &= QP_MASK;
    if (fn)
        fn(h->sink.ctx, done);
}

static void job_share_on_sent(void *ctx, const struct weft_completion *done)
{
    struct weft_completion own = *done;
    struct share *h = whose((struct weft_shares *)ctx, &own, true);
    h->messages_open--;
    report_to_job(h, &own, h->sink.sent);
    happened(h);
}

static void job_share_on_received(void *ctx, const struct weft_completion *done)
{
    struct weft_completion own = *done;
    struct share *h = whose((struct weft_shares *)ctx, &own, false);
    report_to_job(h, &own, h->sink.received);
    happened(h);
}

static int64_t now_ps(const struct weft_net *net)
{
    const struct weft_net *real = of(net)->all->net;
    return real->ops->now_ps(real);
}

/* Jobs may have each other start or end; so may the repetitions of one. Hosts of one rank share
 * what is known of it. */
static void set_sink(struct weft_net *net, const struct weft_net_sink *sink)
{
    struct share *h = of(net);
    struct weft_net *real = h->all->net;
    const bool alone = h->all->n == 1 && !h->c.watched && h->c.nnics == 1;
    h->sink = *sink;
    const struct weft_net_sink own = {
        .ctx = h->all,
        .sent = job_share_on_sent,
        .received = job_share_on_received,
        .concurrency = {.local = sink->concurrency.local && alone,
                        .passive = sink->concurrency.passive && alone}};
    real->ops->set_sink(real, &own);
}

static int no_host(const struct share *h, uint32_t rank, struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_INPUT, "there is no host for number %u of a job on %u hosts",
                        rank, h->c.nhosts);
}

static int send(struct weft_net *net, const struct weft_msg *msg, struct weft_err *err)
{
    struct share *h = of(net);
    struct weft_net *real = h->all->net;
    struct weft_msg own = *msg;
    const uint32_t ranks = h->c.nhosts / h->c.nnics;
    if (msg->src >= ranks || msg->dst >= ranks)
        return no_host(h, msg->src >= ranks ? msg->src : msg->dst, err);
    const uint32_t nic = h->c.nnics > 1 && msg->nic ? (msg->nic - 1u) % h->c.nnics : 0;
    own.src = h->c.hosts[msg->src * h->c.nnics + nic];
    own.dst = h->c.hosts[msg->dst * h->c.nnics + nic];
    if (h->c.nnics > 1)
        own.nic = 0;
    own.qp = (msg->qp & QP_MASK) | h->job << WEFT_QP_BITS;
    if (own.prio == WEFT_PRIO_DEFAULT)
        own.prio = h->c.prio;
    const uint32_t k = own.prio < WEFT_NET_PRIOS ? own.prio : WEFT_NET_PRIOS;
    if (h->c.transport && !(h->c.classes >> k & 1))
        return weft_err_set(err, WEFT_E_INPUT,
                            "a message from rank %u to %u asks for class %u, which is not one of "
                            "%s's, by which its workload is to go (transport=\"%s\")",
                            msg->src, msg->dst, own.prio, h->c.transport, h->c.transport);
    const int rc = real->ops->send(real, &own, err);
    if (rc)
        return rc;
    h->messages_open++;
    h->messages++;
    h->bytes += msg->bytes;
    return 0;
}

static void fire(void *ctx, uint64_t arg)
{
    struct weft_shares *s = (struct weft_shares *)ctx;
    const struct request r = request_of(s, (uint32_t)arg);
    weft_slots_give_back(&s->requests, (uint32_t)arg);
    r.share->timers_open--;
    r.fn(r.ctx, r.arg);
    happened(r.share);
}

static int after(struct weft_net *net, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                 void *ctx, uint64_t arg, struct weft_err *err)
{
    struct share *h = of(net);
    struct weft_net *real = h->all->net;
    if (!h->c.watched)
        return real->ops->after(real, delay_ps, fn, ctx, arg, err);
    const struct request timer = {.share = h, .arg = arg, .fn = fn, .ctx = ctx};
    const uint32_t i = job_share_keep(h->all, &timer, err);
    if (i == WEFT_NO_SLOT)
        return err->code;
    const int rc = real->ops->after(real, delay_ps, fire, h->all, i, err);
    if (rc)
        weft_slots_give_back(&h->all->requests, i);
    else
        h->timers_open++;
    return rc;
}

static int plan(struct weft_net *net, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                void *ctx, uint64_t arg, struct weft_err *err)
{
    return of(net)->c.watched ? after(net, delay_ps, fn, ctx, arg, err)
                              : weft_net_plan(of(net)->all->net, delay_ps, fn, ctx, arg, err);
}

static void stop(struct weft_net *net)
{
    struct weft_net *real = of(net)->all->net;
    real->ops->stop(real);
}

static int group(struct weft_net *net, const uint32_t *hosts, uint32_t n, uint32_t prio,
                 uint32_t *id, struct weft_err *err)
{
    struct share *h = of(net);
    struct weft_net *real = h->all->net;
    if (h->reopened < h->ngroups) {
        *id = h->groups[h->reopened++];
        return 0;
    }
    uint32_t *own = (uint32_t *)malloc((n ? n : 1) * sizeof *own);
    int rc = 0;
    if (!own || !WEFT_GROW_ONE(h->groups, h->ngroups))
        rc = weft_err_no_memory(err, "the jobs of a net");
    for (uint32_t i = 0; !rc && i < n; i++) {
        if (hosts[i] >= h->c.nhosts / h->c.nnics)
            rc = no_host(h, hosts[i], err);
        else
            own[i] = h->c.hosts[hosts[i] * h->c.nnics];
    }
    if (!rc)
        rc = real->ops->group(real, own, n, prio == WEFT_PRIO_DEFAULT ? h->c.prio : prio, id, err);
    if (!rc) {
        h->groups[h->ngroups++] = *id;
        h->reopened = h->ngroups;
    }
    free(own);
    return rc;
}

static int contribute(struct weft_net *net, const struct weft_part *part, struct weft_err *err)
{
    struct share *h = of(net);
    struct weft_net *real = h->all->net;
    const struct request request = {
        .share = h, .token = part->token, .token_type = part->token_type};
    const uint32_t i = job_share_keep(h->all, &request, err);
    if (i == WEFT_NO_SLOT)
        return err->code;
    struct weft_part own = *part;
    own.token.number = i;
    own.qp = h->job << WEFT_QP_BITS;
    h->messages_open++; /* it may be over before the call is */
    const int rc = real->ops->contribute(real, &own, err);
    if (rc) {
        h->messages_open--;
        weft_slots_give_back(&h->all->requests, i);
        return rc;
    }
    h->messages++;
    h->bytes += part->from == WEFT_PART_ALL || part->from == part->member ? part->bytes : 0;
    return 0;
}

struct weft_shares *weft_shares_new(struct weft_net *net, uint32_t njobs, struct weft_err *err)
{
    struct weft_shares *s = (struct weft_shares *)calloc(1, sizeof *s);
    if (s)
        s->shares = (struct share **)calloc(njobs ? njobs : 1, sizeof(struct share *));
    if (!s || !s->shares) {
        weft_shares_free(s);
        weft_err_no_memory(err, "the jobs of a net");
        return NULL;
    }
    if (njobs > WEFT_SHARES_MAX) {
        weft_shares_free(s);
        weft_err_set(err, WEFT_E_LIMIT, "%u jobs are more than %u", njobs, WEFT_SHARES_MAX);
        return NULL;
    }
    s->n = njobs;
    s->requests = WEFT_SLOTS_OF(struct request);
    s->net = net;
    const struct weft_net_sink sink = {
        .ctx = s, .sent = job_share_on_sent, .received = job_share_on_received};
    net->ops->set_sink(net, &sink);
    return s;
}

void weft_shares_free(struct weft_shares *s)
{
    if (!s)
        return;
    for (uint32_t j = 0; j < s->n; j++) {
        if (!s->shares[j])
            continue;
        free(s->shares[j]->rank_hosts);
        free(s->shares[j]->groups);
        free(s->shares[j]);
    }
    free(s->shares);
    weft_slots_release(&s->requests);
    free(s);
}

struct weft_net *weft_share_open(struct weft_shares *s, uint32_t job,
                                 const struct weft_share_config *c, struct weft_err *err)
{
    struct share *h = weft_err_calloc(1, sizeof *h, "the jobs of a net", err);
    if (!h)
        return NULL;
    s->shares[job] = h;
    h->all = s;
    h->job = job;
    h->c = *c;
    h->ops.now_ps = now_ps;
    h->ops.set_sink = set_sink;
    h->ops.send = send;
    h->ops.after = after;
    h->ops.plan = plan;
    h->ops.stop = stop;
    if (s->net->ops->group) {
        h->ops.group = group;
        h->ops.contribute = contribute;
    }
    h->base.ops = &h->ops;
    bool same = true;
    for (uint32_t r = 0; r < c->nhosts; r++)
        same = same && c->hosts[r] == r;
    if (same)
        return &h->base;
    h->rank_hosts = (struct rank_host *)calloc(c->nhosts, sizeof *h->rank_hosts);
    if (!h->rank_hosts) {
        weft_err_no_memory(err, "the jobs of a net");
        return NULL;
    }
    for (uint32_t r = 0; r < c->nhosts; r++)
        h->rank_hosts[r] = (struct rank_host){c->hosts[r], r};
    qsort(h->rank_hosts, c->nhosts, sizeof *h->rank_hosts, weft_by_u32);
    return &h->base;
}

bool weft_share_idle(const struct weft_shares *s, uint32_t job)
{
    return s->shares[job]->messages_open == 0 && s->shares[job]->timers_open == 0;
}

void weft_share_again(struct weft_shares *s, uint32_t job)
{
    s->shares[job]->reopened = 0;
}

void weft_share_posted(const struct weft_shares *s, uint32_t job, uint64_t *bytes,
                       uint64_t *messages)
{
    *bytes = s->shares[job]->bytes;
    *messages = s->shares[job]->messages;
}
