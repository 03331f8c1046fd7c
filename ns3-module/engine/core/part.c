/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all processes of a simulation say of one thing: sums, least values, bits, the first error;
 * and records of nodes of others, which take no memory. Relies on executor.ask to exchange.
 */
#include "part.h"
#include "context.h"
#include "executor.h"
#include "stable.h"

#include "base/grow.h"

#include <string.h>

void send_buffer_add(struct weft_engine *e, struct send_buffer *b, const void *bytes, size_t n)
{
    if (!n)
        return;
    if (!WEFT_GROW_TO(b->bytes, b->n + n, &b->cap)) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for what goes to other processes");
        return;
    }
    memcpy(b->bytes + b->n, bytes, n);
    b->n += n;
}

void totals_add(struct weft_totals *all, const struct weft_totals *more)
{
    uint64_t a[sizeof *all / sizeof(uint64_t)], b[sizeof a / sizeof *a];
    _Static_assert(sizeof a == sizeof *all, "all of them are counts");
    memcpy(a, all, sizeof a);
    memcpy(b, more, sizeof b);
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        a[i] += b[i];
    memcpy(all, a, sizeof a);
}

void part_ask(struct weft_engine *e, size_t size, part_answer_fn fn, void *ctx)
{
    if (e->peers)
        e->executor->ask(e, size, fn, ctx);
}

/* Gives @p n bytes, one record, to all. */
static void part_ask_one(struct weft_engine *e, const void *bytes, size_t n, part_answer_fn fn,
                         void *ctx)
{
    if (!e->peers)
        return;
    e->part.all.n = 0;
    send_buffer_add(e, &e->part.all, bytes, n);
    part_ask(e, n, fn, ctx);
}

static void part_take_lesser(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    int64_t *least = ctx, other;
    memcpy(&other, answer, sizeof other);
    *least = other < *least ? other : *least;
}

int64_t part_least(struct weft_engine *e, int64_t value)
{
    part_ask_one(e, &value, sizeof value, part_take_lesser, &value);
    return value;
}

static void part_take_addend(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    uint64_t *sum = ctx, other;
    memcpy(&other, answer, sizeof other);
    *sum += other;
}

uint64_t part_sum(struct weft_engine *e, uint64_t value)
{
    part_ask_one(e, &value, sizeof value, part_take_addend, &value);
    return value;
}

/* An array of bits. */
struct part_bits {
    uint8_t *bytes;
    uint32_t n;
};

static void part_take_bits(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    const struct part_bits *b = ctx;
    for (uint32_t i = 0; i < b->n; i++)
        b->bytes[i] |= ((const uint8_t *)answer)[i];
}

void part_union(struct weft_engine *e, uint8_t *bytes, uint32_t n)
{
    struct part_bits b = {bytes, n};
    part_ask_one(e, bytes, n, part_take_bits, &b);
}

static void part_take_error(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct weft_err *err = ctx, other;
    memcpy(&other, answer, sizeof other);
    if (other.code && !err->code)
        weft_err_set(err, other.code, "process %u: %s", from, other.msg);
}

int part_agree(struct weft_engine *e, int code, struct weft_err *err)
{
    struct weft_err own = {0}, *first = err ? err : &own;
    if (!e->peers)
        return code;
    if (code && err)
        own = *err;
    own.code = first->code = code;
    part_ask_one(e, &own, sizeof own, part_take_error, first);
    return first->code;
}

/* ---- records of others ---- */

static bool part_knows_port(const struct weft_engine *e, uint32_t port)
{
    return port_known(e, port);
}

static bool part_knows_end(const struct weft_engine *e, uint32_t port)
{
    return end_known(e, port);
}

/* Only records that are @p known take memory. */
static void part_spare(const struct weft_engine *e, struct stable *s,
                       bool (*known)(const struct weft_engine *e, uint32_t port))
{
    const uint32_t n = e->fabric->nports;
    stable_small_pages(s);
    for (uint32_t i = 0, end; i < n; i = end) {
        const bool is = known(e, i);
        for (end = i; end < n && known(e, end) == is;)
            end++;
        if (is)
            stable_huge_pages(s, i, end);
    }
}

void part_spare_nodes(struct weft_engine *e)
{
    stable_small_pages(&e->windows.mem);
    stable_small_pages(&e->timers.pool);
}

void part_spare_ports(struct weft_engine *e)
{
    part_spare(e, &e->port_mem, part_knows_port);
    part_spare(e, &e->ends_mem, part_knows_end);
}
