/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulation of the engine alone: its loop, in turns of the length that ns-3's loop gives it
 * (WeftSimulatorImpl), so that both execute the same events. Without ns-3 a program starts in a
 * fifth of the time.
 */
#include "packet_params.h"
#include "simulation.h"

#include "base/units.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

struct plain {
    struct weft_simulation base; /* first */
    struct weft_simulation_owner owner;
    const volatile sig_atomic_t *interrupted;
    bool running, stopped, broken;
};

static inline struct weft_engine *engine_of(struct weft_net *net)
{
    return weft_simulation_of(net)->own_engine;
}

static void plain_free(struct weft_net *net)
{
    weft_engine_free(engine_of(net));
    free(net);
}

static struct weft_engine *plain_engine(struct weft_simulation *s)
{
    const struct plain *p = (const struct plain *)s;
    if (!p->running && !p->broken)
        weft_engine_follow(s->own_engine, weft_engine_now(s->own_engine));
    return s->own_engine;
}

static int plain_set_hooks(struct weft_simulation *s, const struct weft_engine_hooks *hooks,
                           struct weft_err *err)
{
    weft_engine_set_hooks(s->own_engine, hooks);
    return 0;
}

static int plain_send(struct weft_net *net, const struct weft_msg *msg, struct weft_err *err)
{
    return weft_engine_send(engine_of(net), msg, NULL, err);
}

static int plain_group(struct weft_net *net, const uint32_t *hosts, uint32_t n, uint32_t prio,
                       uint32_t *id, struct weft_err *err)
{
    return weft_engine_group(engine_of(net), hosts, n, prio, id, err);
}

static int plain_contribute(struct weft_net *net, const struct weft_part *part,
                            struct weft_err *err)
{
    return weft_engine_contribute(engine_of(net), part, err);
}

static int plain_change_links(struct weft_net *net, struct weft_link_change *changes, size_t n,
                              struct weft_err *err)
{
    return weft_engine_change_links(plain_engine(weft_simulation_of(net)), changes, n, err);
}

/* The moment @p delay_ps from now; negative: there is none. */
static int64_t moment(struct weft_net *net, int64_t delay_ps, struct weft_err *err)
{
    const int64_t now = weft_engine_now(engine_of(net));
    if (delay_ps < 0 || delay_ps >= WEFT_NEVER - now)
        return weft_err_set(err, WEFT_E_INPUT,
                            "timer delay of %" PRId64 " ps is negative or too long", delay_ps);
    return now + delay_ps;
}

static int plain_after(struct weft_net *net, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                       void *ctx, uint64_t arg, struct weft_err *err)
{
    const int64_t at_ps = moment(net, delay_ps, err);
    return at_ps < 0 ? (int)at_ps : weft_engine_timer(engine_of(net), at_ps, fn, ctx, arg, err);
}

static int plain_plan(struct weft_net *net, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                      void *ctx, uint64_t arg, struct weft_err *err)
{
    const int64_t at_ps = moment(net, delay_ps, err);
    return at_ps < 0 ? (int)at_ps : weft_engine_plan(engine_of(net), at_ps, fn, ctx, arg, err);
}

/* One turn of the engine, from its next event on; nothing is executed after @p until_ps. */
static void turn(struct plain *p, int64_t next_ps, int64_t until_ps)
{
    struct weft_engine *e = p->base.own_engine;
    const int64_t quiet = until_ps == WEFT_NEVER ? WEFT_NEVER : until_ps + 1;
    const int64_t limit = next_ps < quiet - WEFT_TURN_PS ? next_ps + WEFT_TURN_PS : quiet;
    p->running = true;
    weft_engine_quiet_until(e, quiet);
    p->broken = weft_engine_run(e, limit) != 0;
    p->running = false;
    if (p->broken)
        p->owner.failed(p->owner.ctx, weft_engine_error(e));
    p->stopped |= p->broken || (p->interrupted && *p->interrupted);
}

static int plain_run(struct weft_net *net, int64_t until_ps, struct weft_err *err)
{
    struct plain *p = (struct plain *)net;
    p->stopped = p->broken;
    while (!p->stopped) {
        const int64_t next_ps = weft_engine_soonest(engine_of(net));
        if (next_ps == WEFT_NEVER || next_ps > until_ps)
            break;
        turn(p, next_ps, until_ps);
    }
    return 0;
}

static void plain_stop(struct weft_net *net)
{
    ((struct plain *)net)->stopped = true;
    weft_engine_stop(engine_of(net));
}

static int64_t plain_next_ps(struct weft_net *net)
{
    return weft_engine_next(plain_engine(weft_simulation_of(net)));
}

static int plain_look(void (*fn)(void *ctx), void *ctx, struct weft_err *err)
{
    fn(ctx);
    return 0;
}

static const struct weft_net_state_ops plain_state_ops = {.next_ps = plain_next_ps};

static const struct weft_net_ops plain_ops = {
    .free = plain_free,
    .send = plain_send,
    .group = plain_group,
    .contribute = plain_contribute,
    .change_links = plain_change_links,
    .after = plain_after,
    .plan = plain_plan,
    .run = plain_run,
    .stop = plain_stop,
    .state = &plain_state_ops,
};

/* How the engine is to go about it, which changes nothing of what comes out. */
static int set_ways(struct weft_engine *e, const struct weft_net_config *config,
                    struct weft_err *err)
{
    int rc = weft_engine_set_replay(e, weft_packet_replaying(config), config->replay_bytes, err);
    if (rc)
        return rc;
    weft_engine_set_tolerance(e, config->replay_tolerance, config->replay_resample);
    return config->dry ? 0
                       : weft_engine_set_threads(e, config->threads, config->thread_shuffle, err);
}

int weft_simulation_new_plain(const struct weft_net_config *config,
                              const struct weft_engine_hooks *hooks,
                              const struct weft_simulation_owner *owner,
                              struct weft_simulation **out, struct weft_err *err)
{
    const struct weft_engine_config of = {
        .fabric = config->fabric,
        .params = weft_packet_engine_params((const struct weft_packet_params *)config->params),
        .cc = config->cc,
        .cc_params = config->cc_params,
        .seed = config->seed,
        .hooks = *hooks,
        .peers = config->links_stay && !config->dry ? config->peers : NULL,
    };
    struct plain *p = (struct plain *)calloc(1, sizeof *p);
    if (!p)
        return weft_err_no_memory(err, "a simulation");
    *p = (struct plain){.base = {.net.ops = &plain_ops,
                                 .engine = plain_engine,
                                 .set_hooks = plain_set_hooks,
                                 .look = plain_look},
                        .owner = *owner,
                        .interrupted = config->interrupted};
    int rc = weft_engine_check_config(&of, err);
    if (!rc) {
        p->base.own_engine = weft_engine_new(&of, err);
        rc = p->base.own_engine ? 0 : err && err->code ? err->code : WEFT_E_LIMIT;
    }
    if (!rc)
        rc = set_ways(p->base.own_engine, config, err);
    if (rc) {
        plain_free(&p->base.net);
        return rc;
    }
    *out = &p->base;
    return 0;
}
