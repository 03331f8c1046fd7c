/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The symbolic run of a program from a file, whose lanes go on only when what came before is done.
 *
 * Which send meets which receive, and what waits for what, is fixed; so is the partial order of
 * everything: an instruction comes after the one before it in its lane, after what it waits for,
 * and a receive after its send. Each lane has a clock: how many instructions of every lane are over
 * before its next one. Messages and waited-for instructions carry the clock of their end (vector
 * clocks: Fidge, Mattern 1988). Two instructions that touch a slot, one of them writing, must be in
 * order; when all such pairs are, every order that can happen gives each instruction the data that
 * it has in the one that is played here.
 */
#include "base/int128.h"
#include "collective/checker_order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The clock of lane's next instruction with `instr` of it over becomes *to. */
static int keep_clock(struct weft_checker_order *o, uint32_t r, uint32_t lane, uint64_t instr,
                      struct weft_clock *to)
{
    return weft_clock_join(&o->memory, to, &weft_checker_log(o, r, lane)->clock) &&
                   weft_clock_set(&o->memory, to, o->first[r] + lane, (uint32_t)(instr + 1))
               ? 0
               : weft_checker_no_memory(o->c);
}

/* Lane goes on after what ended at *end. */
static int go_on_after(struct weft_checker_order *o, uint32_t r, uint32_t lane,
                       const struct weft_clock *end)
{
    return weft_clock_join(&o->memory, &weft_checker_log(o, r, lane)->clock, end)
               ? 0
               : weft_checker_no_memory(o->c);
}

/* --- who touches what --- */

static int conflict(struct weft_checker_order *o, uint32_t r, struct weft_checker_touch t,
                    uint64_t slot, struct weft_checker_touch before, bool wrote, bool writes)
{
    char here[WEFT_CHECKER_NAME_MAX], there[WEFT_CHECKER_NAME_MAX], what[WEFT_CHECKER_NAME_MAX];
    o->c->where = (struct weft_coll_place){r, t.lane1 - 1, t.instr, true};
    weft_checker_instr(o->c, r, t.lane1 - 1, t.instr, here);
    weft_checker_instr(o->c, r, before.lane1 - 1, before.instr, there);
    return weft_err_set(o->c->err, WEFT_E_INTERNAL,
                        "%s %s %s, which %s %s: no dependency and no message orders the two, and "
                        "when the former comes first the result is another",
                        here, writes ? "writes" : "reads",
                        weft_checker_slot_name(o->c, r, slot, what), there,
                        wrote ? "writes" : "reads");
}

/* Whether `before` is over, whatever the order, when t comes. */
static bool is_before(const struct weft_checker_order *o, uint32_t r,
                      struct weft_checker_touch before, struct weft_checker_touch t)
{
    return before.lane1 == 0 || before.lane1 == t.lane1 ||
           weft_clock_get(&weft_checker_log(o, r, t.lane1 - 1)->clock,
                          o->first[r] + before.lane1 - 1) > before.instr;
}

static int note_read(struct weft_checker_order *o, struct weft_checker_slot_log *s,
                     struct weft_checker_touch t)
{
    if (s->read.lane1 == 0 || s->read.lane1 == t.lane1) {
        s->read = t;
        return 0;
    }
    const uint32_t n = s->more ? s->more->n : 0;
    for (uint32_t k = 0; k < n; k++)
        if (s->more->at[k].lane1 == t.lane1) {
            s->more->at[k] = t;
            return 0;
        }
    if (!s->more || n == s->more->cap) {
        const uint32_t cap = 2 * n + 2;
        struct weft_checker_more_reads *more =
            realloc(s->more, sizeof *more + cap * sizeof more->at[0]);
        if (!more)
            return weft_checker_no_memory(o->c);
        s->more = more;
        more->cap = cap;
    }
    s->more->at[n] = t;
    s->more->n = n + 1;
    return 0;
}

static int touch(struct weft_checker_order *o, uint32_t r, uint32_t lane, uint64_t i, uint64_t slot,
                 bool writes)
{
    if (slot >= o->c->slots)
        return weft_checker_wrong(o->c, r, lane, i, "names blocks that do not exist");
    struct weft_checker_slot_log *s = &o->slot[r * o->c->slots + slot];
    const struct weft_checker_touch t = {lane + 1, (uint32_t)i};
    if (!is_before(o, r, s->write, t))
        return conflict(o, r, t, slot, s->write, true, writes);
    if (!writes)
        return note_read(o, s, t);
    if (!is_before(o, r, s->read, t))
        return conflict(o, r, t, slot, s->read, false, true);
    for (uint32_t k = 0; s->more && k < s->more->n; k++)
        if (!is_before(o, r, s->more->at[k], t))
            return conflict(o, r, t, slot, s->more->at[k], false, true);
    free(s->more);
    *s = (struct weft_checker_slot_log){.write = t};
    return 0;
}

/* All slots of an instruction: those it names or those at its source. */
static int touch_all(struct weft_checker_order *o, uint32_t r, uint32_t lane, uint64_t i,
                     const struct weft_coll_instr *in, bool source, bool writes)
{
    int rc = 0;
    for (uint64_t j = 0; !rc && j < in->nblocks; j++)
        rc = touch(o, r, lane, i,
                   source ? in->source + j : weft_checker_slot(o->c, r, lane, i, in, j), writes);
    return rc;
}

/* --- instructions --- */

static int send(struct weft_checker_order *o, uint32_t r, uint32_t lane, uint64_t i,
                const struct weft_coll_instr *in)
{
    struct weft_checker_message **box;
    int rc = weft_checker_match(o->c, r, lane, i, in, &box);
    if (!rc)
        rc = touch_all(o, r, lane, i, in, false, false);
    if (!rc)
        rc = weft_checker_read(o->c, r, lane, i, in, false, box);
    return rc ? rc
              : keep_clock(o, r, lane, i,
                           &weft_checker_log(o, in->peer, in->peer_lane)->end[in->peer_instr]);
}

/* Copies the slots at the source of an addition that goes elsewhere. */
static void copy_source(struct weft_checker *c, uint32_t r, uint64_t slot, uint64_t source)
{
    c->ranks[r].slot[slot].block = c->ranks[r].slot[source].block;
    memcpy(weft_checker_set(c, r, slot), weft_checker_set(c, r, source),
           c->words * sizeof(uint64_t));
}

static int receive(struct weft_checker_order *o, uint32_t r, uint32_t lane, uint64_t i,
                   const struct weft_coll_instr *in)
{
    struct weft_checker *c = o->c;
    struct weft_checker_message **box = &c->ranks[r].lane[lane].inbox[i], *m = *box;
    struct weft_checker_lane_log *l = weft_checker_log(o, r, lane);
    const bool adds = in->action == WEFT_COLL_RECV_REDUCE;
    if (adds && !weft_checker_adds(c))
        return weft_checker_wrong(c, r, lane, i, "adds up in a collective without a sum");
    int rc = go_on_after(o, r, lane, &l->end[i]);
    weft_clock_free(&o->memory, &l->end[i]);
    if (!rc && adds && in->has_source)
        rc = touch_all(o, r, lane, i, in, true, false);
    if (!rc)
        rc = touch_all(o, r, lane, i, in, false, true);
    for (uint64_t j = 0; !rc && j < m->n; j++) {
        const uint64_t slot = weft_checker_slot(c, r, lane, i, in, j);
        if (c->data)
            c->data(c->ctx, r, lane, i, j, m->block[j]);
        if (adds && in->has_source)
            copy_source(c, r, slot, in->source + j);
        rc = weft_checker_write(c, r, lane, i, slot, m, j, adds);
    }
    free(m);
    *box = NULL;
    return rc;
}

static int local(struct weft_checker_order *o, uint32_t r, uint32_t lane, uint64_t i,
                 const struct weft_coll_instr *in)
{
    struct weft_checker_message *m = NULL;
    const bool adds = in->action == WEFT_COLL_ADD;
    if (adds && !weft_checker_adds(o->c))
        return weft_checker_wrong(o->c, r, lane, i, "adds up in a collective without a sum");
    int rc = touch_all(o, r, lane, i, in, true, false);
    if (!rc)
        rc = weft_checker_read(o->c, r, lane, i, in, true, &m);
    if (!rc)
        rc = touch_all(o, r, lane, i, in, false, true);
    for (uint64_t j = 0; !rc && j < in->nblocks; j++)
        rc = weft_checker_write(o->c, r, lane, i, weft_checker_slot(o->c, r, lane, i, in, j), m, j,
                                adds);
    free(m);
    return rc;
}

static int perform(struct weft_checker_order *o, uint32_t r, uint32_t lane, uint64_t i,
                   const struct weft_coll_instr *in)
{
    switch (in->action) {
    case WEFT_COLL_COMPUTE:
    case WEFT_COLL_NOP:
        return 0;
    case WEFT_COLL_SWITCH:
        return weft_checker_wrong(o->c, r, lane, i, "leaves work to the switches");
    case WEFT_COLL_COPY:
    case WEFT_COLL_ADD:
        return local(o, r, lane, i, in);
    default:
        if (in->peer >= o->c->n || in->peer == r)
            return weft_checker_wrong(o->c, r, lane, i,
                                      "names a peer outside of the group or itself");
        return in->action == WEFT_COLL_SEND ? send(o, r, lane, i, in) : receive(o, r, lane, i, in);
    }
}

/* 0: what the instruction waits for is over; 1: it is not yet. */
static int checker_order_wait(struct weft_checker_order *o, uint32_t r, uint32_t lane, uint64_t i,
                              const struct weft_coll_instr *in)
{
    const struct weft_checker_rank *s = &o->c->ranks[r];
    const bool own = in->dep != WEFT_COLL_DEP_NONE && in->dep_lane == lane;
    if (own && in->dep_instr >= i)
        return weft_checker_wrong(o->c, r, lane, i, "waits for a later instruction");
    if (weft_checker_log(o, r, lane)->after_receive && !(own && in->dep_instr == i - 1))
        return weft_checker_wrong(o->c, r, lane, i, "does not wait for the receive before it");
    if (own || in->dep == WEFT_COLL_DEP_NONE)
        return 0;
    if (in->dep_lane >= s->nlanes || in->dep_instr >= s->lane[in->dep_lane].n)
        return weft_checker_wrong(o->c, r, lane, i, "waits for an instruction that does not exist");
    if (s->lane[in->dep_lane].next <= in->dep_instr)
        return 1;
    struct weft_checker_lane_log *there = weft_checker_log(o, r, in->dep_lane);
    int rc = go_on_after(o, r, lane, &there->end[in->dep_instr]);
    if (--there->waiters[in->dep_instr] == 0)
        weft_clock_free(&o->memory, &there->end[in->dep_instr]);
    return rc;
}

static int checker_order_advance(struct weft_checker_order *o, uint32_t r, uint32_t lane,
                                 bool *moved)
{
    struct weft_checker_lane *s = &o->c->ranks[r].lane[lane];
    struct weft_checker_lane_log *l = weft_checker_log(o, r, lane);
    for (; s->next < s->n; s->next++) {
        const uint64_t i = s->next;
        struct weft_coll_instr in = {0};
        o->c->ops->instr(o->c->call, r, lane, i, &in);
        const bool receives = in.action == WEFT_COLL_RECV || in.action == WEFT_COLL_RECV_REDUCE;
        if (receives && !s->inbox[i])
            return 1;
        int rc = checker_order_wait(o, r, lane, i, &in);
        if (!rc)
            rc = perform(o, r, lane, i, &in);
        if (rc)
            return rc;
        s->done[i] = 1;
        if (l->waiters[i] && (rc = keep_clock(o, r, lane, i, &l->end[i])))
            return rc;
        l->after_receive = receives;
        *moved = true;
    }
    return 0;
}

/* --- deadlocks --- */

/* What the next instruction of a lane waits for; false: for a message that no rank sends. */
static bool blocker(const struct weft_checker_order *o, struct weft_coll_place *at)
{
    const struct weft_checker *c = o->c;
    struct weft_coll_instr in = {0};
    c->ops->instr(c->call, at->rank, at->lane, at->instr, &in);
    if (in.dep != WEFT_COLL_DEP_NONE && in.dep_lane != at->lane &&
        c->ranks[at->rank].lane[in.dep_lane].next <= in.dep_instr) {
        at->lane = in.dep_lane;
        at->instr = in.dep_instr;
        return true;
    }
    const struct weft_checker_rank *peer = &c->ranks[in.peer];
    for (uint32_t l = 0; l < peer->nlanes; l++)
        for (uint64_t i = peer->lane[l].next; i < peer->lane[l].n; i++) {
            struct weft_coll_instr from = {0};
            c->ops->instr(c->call, in.peer, l, i, &from);
            if (from.action == WEFT_COLL_SEND && from.peer == at->rank &&
                from.peer_lane == at->lane && from.peer_instr == at->instr) {
                *at = (struct weft_coll_place){in.peer, l, i, true};
                return true;
            }
        }
    return false;
}

/* Follows from a lane that waits what waits for what, and says the last WAITS_TOLD. */
static int deadlock(struct weft_checker_order *o, struct weft_coll_place at, uint32_t waiting)
{
    enum { WAITS_TOLD = 3 };
    char text[WAITS_TOLD * (2 * WEFT_CHECKER_NAME_MAX + 16)] = "", name[WEFT_CHECKER_NAME_MAX];
    bool there = true;
    at.instr = o->c->ranks[at.rank].lane[at.lane].next;
    for (uint32_t k = 0; there && k < o->nlanes; k++) { /* into the circle, if there is one */
        struct weft_coll_place next = at;
        there = blocker(o, &next);
        next.instr = o->c->ranks[next.rank].lane[next.lane].next;
        at = there ? next : at;
    }
    o->c->where = at;
    size_t len = 0;
    for (int k = 0; k == 0 || (there && k < WAITS_TOLD); k++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "; %s waits for ",
                                weft_checker_instr(o->c, at.rank, at.lane, at.instr, name));
        there = blocker(o, &at);
        len += (size_t)snprintf(text + len, sizeof text - len, "%s",
                                there ? weft_checker_instr(o->c, at.rank, at.lane, at.instr, name)
                                      : "a message that no rank sends");
        at.instr = o->c->ranks[at.rank].lane[at.lane].next;
    }
    return weft_err_set(o->c->err, WEFT_E_INTERNAL, "deadlock: %u ranks wait%s%s", waiting, text,
                        there ? " ..." : "");
}

static int checker_order_run(struct weft_checker_order *o)
{
    for (;;) {
        struct weft_coll_place who = {0};
        uint32_t waiting = 0;
        bool moved = false;
        for (uint32_t r = o->c->n; r-- > 0;) {
            bool waits = false;
            for (uint32_t l = o->c->ranks[r].nlanes; l-- > 0;) {
                int rc = checker_order_advance(o, r, l, &moved);
                if (rc < 0)
                    return rc;
                if (rc > 0)
                    who = (struct weft_coll_place){r, l, 0, true};
                waits = waits || rc > 0;
            }
            waiting += waits;
        }
        if (!waiting)
            return 0;
        if (!moved)
            return deadlock(o, who, waiting);
    }
}

/* --- memory --- */

static int prepare_lane(struct weft_checker_order *o, uint32_t r, uint32_t lane)
{
    const struct weft_checker_lane *s = &o->c->ranks[r].lane[lane];
    struct weft_checker_lane_log *l = weft_checker_log(o, r, lane);
    if (s->n >= UINT32_MAX)
        return weft_err_set(o->c->err, WEFT_E_LIMIT, "a lane of %" PRIu64 " instructions", s->n);
    l->end = calloc(s->n + 1, sizeof *l->end);
    l->waiters = calloc(s->n + 1, sizeof *l->waiters);
    return l->end && l->waiters ? 0 : weft_checker_no_memory(o->c);
}

static void count_waiters(struct weft_checker_order *o, uint32_t r)
{
    const struct weft_checker_rank *s = &o->c->ranks[r];
    for (uint32_t l = 0; l < s->nlanes; l++)
        for (uint64_t i = 0; i < s->lane[l].n; i++) {
            struct weft_coll_instr in = {0};
            o->c->ops->instr(o->c->call, r, l, i, &in);
            if (in.dep != WEFT_COLL_DEP_NONE && in.dep_lane != l && in.dep_lane < s->nlanes &&
                in.dep_instr < s->lane[in.dep_lane].n)
                weft_checker_log(o, r, in.dep_lane)->waiters[in.dep_instr]++;
        }
}

static int checker_order_prepare(struct weft_checker_order *o)
{
    struct weft_checker *c = o->c;
    o->first = calloc(c->n, sizeof *o->first);
    for (uint32_t r = 0; o->first && r < c->n; r++) {
        o->first[r] = o->nlanes;
        o->nlanes += c->ranks[r].nlanes;
    }
    o->lane = calloc(o->nlanes, sizeof *o->lane);
    o->slot = calloc(c->n * c->slots + 1, sizeof *o->slot);
    if (!o->first || !o->lane || !o->slot)
        return weft_checker_no_memory(c);
    int rc = 0;
    for (uint32_t r = 0; !rc && r < c->n; r++)
        for (uint32_t l = 0; !rc && l < c->ranks[r].nlanes; l++)
            rc = prepare_lane(o, r, l);
    for (uint32_t r = 0; !rc && r < c->n; r++)
        count_waiters(o, r);
    return rc;
}

static void checker_order_release(struct weft_checker_order *o)
{
    const struct weft_checker *c = o->c;
    for (uint32_t r = 0; o->lane && r < c->n; r++)
        for (uint32_t l = 0; l < c->ranks[r].nlanes; l++) {
            struct weft_checker_lane_log *log = weft_checker_log(o, r, l);
            for (uint64_t i = 0; log->end && i < c->ranks[r].lane[l].n; i++)
                weft_clock_free(&o->memory, &log->end[i]);
            weft_clock_free(&o->memory, &log->clock);
            free(log->end);
            free(log->waiters);
        }
    for (uint64_t k = 0; o->slot && k < c->n * c->slots; k++)
        free(o->slot[k].more);
    free(o->first);
    free(o->lane);
    free(o->slot);
}

int weft_checker_run_ordered(struct weft_checker *c)
{
    struct weft_checker_order o = {.c = c, .memory = {0, c->most_bytes}};
    int rc = checker_order_prepare(&o);
    if (!rc)
        rc = checker_order_run(&o);
    if (!rc)
        rc = weft_checker_heard_of(&o);
    checker_order_release(&o);
    return rc;
}

uint64_t weft_checker_order_memory(const struct weft_checker *c)
{
    weft_u128 sum = (weft_u128)c->n * c->slots * sizeof(struct weft_checker_slot_log);
    for (uint32_t r = 0; c->ops->slots && r < c->n; r++)
        for (uint32_t l = 0; l < weft_coll_lanes(c->ops, c->call, r); l++)
            for (uint64_t i = 0; i < c->ops->count(c->call, r, l); i++) {
                struct weft_coll_instr in = {0};
                c->ops->instr(c->call, r, l, i, &in);
                sum += sizeof(struct weft_clock) + sizeof(uint32_t);
                sum += in.action == WEFT_COLL_SEND ? in.nblocks * sizeof(struct weft_checker_touch)
                                                   : 0;
            }
    return sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}
