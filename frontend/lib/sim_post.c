/* SPDX-License-Identifier: GPL-2.0-only */
/* Posting messages and timers, and changing links, between runs. */
#include "lib/sim.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <utlist.h>

/* A network that failed does nothing more. */
static bool post_refused(struct weft_sim *s)
{
    return s->broken;
}

static int post_delay(struct weft_sim *s, int64_t delay_ps)
{
    if (delay_ps >= 0 && delay_ps < WEFT_NEVER - s->now_ps)
        return 0;
    return sim_fail(s, WEFT_E_INPUT, "a delay of %" PRId64 " ps is negative or too long", delay_ps);
}

/* Takes a slot for what happens in @p delay_ps. Its number, or an error. */
static int64_t post_item(struct weft_sim *s, const struct sim_item *item, int64_t delay_ps)
{
    const uint32_t slot = weft_slots_take(&s->items);
    if (slot == WEFT_NO_SLOT || sim_pending_add(&s->pending, s->now_ps + delay_ps, slot)) {
        if (slot != WEFT_NO_SLOT)
            weft_slots_give_back(&s->items, slot);
        return sim_fail(s, WEFT_E_LIMIT, "out of memory for %" PRIu64 " messages and timers",
                        s->posted);
    }
    *sim_item(s, slot) = *item;
    sim_item(s, slot)->id = s->posted;
    return (int64_t)s->posted++;
}

static int post_check(struct weft_sim *s, const struct weft_send *m)
{
    const uint32_t n = s->parts.fabric->nhosts;
    if (m->src >= n || m->dst >= n)
        return sim_fail(s, WEFT_E_INPUT,
                        "message from host %u to host %u: the network has the hosts 0 to %u",
                        m->src, m->dst, n - 1);
    if ((m->flags & WEFT_SEND_PRIORITY) && m->priority >= WEFT_NET_PRIOS)
        return sim_fail(s, WEFT_E_INPUT, "priority %u of a message: must be 0 to 7", m->priority);
    if (m->qp >> WEFT_QP_BITS)
        return sim_fail(s, WEFT_E_INPUT, "queue pair %u of a message: must be 0 to %u", m->qp,
                        (1u << WEFT_QP_BITS) - 1);
    if (m->bytes > INT64_MAX || m->tag == WEFT_RECV_ANY_TAG)
        return sim_fail(s, WEFT_E_INPUT, "%s of a message: the largest number means %s",
                        m->bytes > INT64_MAX ? "bytes" : "tag",
                        m->bytes > INT64_MAX ? "no size" : "any tag");
    if (m->reserved || (m->flags & ~(uint32_t)(WEFT_SEND_PRIORITY | WEFT_SEND_MARKED)))
        return sim_fail(s, WEFT_E_USAGE, "a message has flags that this library does not know");
    return post_delay(s, m->delay_ps);
}

int64_t weft_sim_send(weft_sim *s, const struct weft_send *m)
{
    if (post_refused(s))
        return s->err.code;
    if (post_check(s, m))
        return s->err.code;
    const struct sim_item item = {.user = m->user,
                                  .tag = m->tag,
                                  .bytes = m->bytes,
                                  .src = m->src,
                                  .dst = m->dst,
                                  .prio = m->flags & WEFT_SEND_PRIORITY ? m->priority
                                                                        : WEFT_PRIO_DEFAULT,
                                  .qp = m->qp,
                                  .marked = m->flags & WEFT_SEND_MARKED};
    return post_item(s, &item, m->delay_ps);
}

int64_t weft_sim_timer(weft_sim *s, int64_t delay_ps, uint64_t user)
{
    if (post_refused(s))
        return s->err.code;
    if (post_delay(s, delay_ps))
        return s->err.code;
    const struct sim_item item = {.user = user, .timer = true, .marked = true};
    return post_item(s, &item, delay_ps);
}

/* A change of links that waits for the present to begin. */
struct post_change {
    struct post_change *next;
    struct weft_sim *sim;
    size_t n;
    struct weft_link_change changes[];
};

static void post_change_now(void *ctx, uint64_t arg)
{
    struct post_change *c = (struct post_change *)ctx;
    struct weft_sim *s = c->sim;
    LL_DELETE(s->changes, c);
    if (s->net->ops->change_links(s->net, c->changes, c->n, &s->err))
        sim_break(s);
    free(c);
}

void sim_changes_free(struct weft_sim *s)
{
    struct post_change *c, *next;
    LL_FOREACH_SAFE(s->changes, c, next)
    free(c);
}

static int post_fill(struct weft_sim *s, struct weft_link_change *c, uint32_t link,
                     enum weft_link_state state, uint64_t rate_bps)
{
    const uint64_t own_bps = s->parts.fabric->links[link].rate_bps;
    *c = (struct weft_link_change){.link = link,
                                   .kind = state == WEFT_LINK_FAILS   ? WEFT_LINK_DOWN
                                           : state == WEFT_LINK_WORKS ? WEFT_LINK_UP
                                                                      : WEFT_LINK_RATE,
                                   .rate_bps = rate_bps};
    if (state != WEFT_LINK_SLOWS || (rate_bps > 0 && rate_bps <= own_bps))
        return 0;
    return sim_fail(s, WEFT_E_INPUT,
                    "%" PRIu64 " bit/s of link %u: must be 1 to %" PRIu64 ", its own rate",
                    rate_bps, link, own_bps);
}

/* Asks the net to call when the present begins. */
static int post_change(struct weft_sim *s, const struct weft_fault_plan *plan,
                       enum weft_link_state state, uint64_t rate_bps)
{
    struct post_change *c = malloc(sizeof *c + plan->nstretches * sizeof *c->changes);
    if (!c)
        return weft_err_no_memory(&s->err, "a change of links");
    c->sim = s;
    c->n = plan->nstretches;
    int rc = 0;
    for (size_t i = 0; !rc && i < c->n; i++)
        rc = post_fill(s, &c->changes[i], plan->stretches[i].link, state, rate_bps);
    const int64_t delay_ps = s->now_ps - s->net->ops->now_ps(s->net);
    rc = rc ? rc : s->net->ops->after(s->net, delay_ps, post_change_now, c, 0, &s->err);
    if (rc)
        free(c);
    else
        LL_PREPEND(s->changes, c);
    return rc;
}

int weft_sim_set_link(weft_sim *s, const char *names, enum weft_link_state state, uint64_t rate_bps)
{
    const struct weft_fault_stretch like = {.what = WEFT_LINK_DOWN};
    struct weft_fault_plan plan = {.fabric = s->parts.fabric};
    if (post_refused(s))
        return s->err.code;
    s->err = (struct weft_err){0};
    if (!s->scenario->backend->check_links)
        return sim_fail(s, WEFT_E_INPUT,
                        "links of the backend '%s' do not change; those of 'packet' do",
                        s->scenario->backend->name);
    int rc = weft_fault_plan_add_links(&plan, &like, names, &s->err);
    rc = rc ? rc : post_change(s, &plan, state, rate_bps);
    free(plan.stretches);
    return rc;
}
