/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload `incast`: again and again several hosts send to one at the same time. */
#include "base/rng.h"
#include "base/units.h"
#include "workload/traffic/rows.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

/** Parameters. */
struct params {
    uint64_t ranks, degree, size_bytes, seed;
    int64_t period_ps, duration_ps;
    int receiver; /* enum */
};
enum { RECEIVER_RANDOM, RECEIVER_FIRST, RECEIVER_NEXT };

static const struct weft_param table[] = {
    WEFT_ROW_RANKS(struct params, ranks, "hosts that send and receive; 0: all that there are"),
    {WEFT_ROW_U64(struct params, degree, "degree", "16", "1", "1048575"),
     .help = "hosts that send at once, drawn for each time"},
    {WEFT_ROW_SIZE(struct params, size_bytes, "size", "64KiB", NULL, NULL),
     .help = "bytes from each of them"},
    {WEFT_ROW_TIME(struct params, period_ps, "period", "100us", "1ns", NULL),
     .help = "time from one incast to the next; the first is one period after the start"},
    {WEFT_ROW_ENUM(struct params, receiver, "receiver", "random", "random|first|next"),
     .help = "receiver: drawn for each time, rank 0, or rank 0, 1, 2 ... in turn"},
    WEFT_ROW_DURATION(struct params, duration_ps,
                      "incasts begin during that time; 0: as long as the run needs them"),
    WEFT_ROW_SEED(struct params, seed, "draws"),
};

struct source {
    struct weft_flow_source base;
    struct params p;
    uint32_t nranks;
    uint64_t seed;
    struct weft_rng rng;
    uint32_t *others; /* the ranks, those of this incast's senders that are still to come first */
    uint64_t number;  /* of the incast, from 1 */
    uint64_t left;    /* senders of it */
    uint32_t receiver;
};

/* Draws who takes part in the next incast. */
static void incast_draw(struct source *s)
{
    s->left = s->p.degree;
    s->number++;
    s->receiver = s->p.receiver == RECEIVER_RANDOM  ? (uint32_t)weft_rng_below(&s->rng, s->nranks)
                  : s->p.receiver == RECEIVER_FIRST ? 0
                                                    : (uint32_t)((s->number - 1) % s->nranks);
    uint32_t n = 0;
    for (uint32_t r = 0; r < s->nranks; r++)
        if (r != s->receiver)
            s->others[n++] = r;
    for (uint32_t i = 0; i < s->p.degree; i++) {
        const uint32_t k = i + (uint32_t)weft_rng_below(&s->rng, n - i), other = s->others[k];
        s->others[k] = s->others[i];
        s->others[i] = other;
    }
}

static int next(struct weft_flow_source *base, struct weft_flow *out, struct weft_err *err)
{
    struct source *s = (struct source *)base;
    if (s->left == 0)
        incast_draw(s);
    const int64_t most_ps = s->p.duration_ps ? s->p.duration_ps : WEFT_NEVER / 4;
    if (s->number > (uint64_t)(most_ps - 1) / (uint64_t)s->p.period_ps)
        return 0;
    *out = (struct weft_flow){.src = s->others[s->p.degree - s->left],
                              .dst = s->receiver,
                              .bytes = s->p.size_bytes,
                              .start_ps = (int64_t)s->number * s->p.period_ps,
                              .prio = WEFT_FLOW_PRIO_DEFAULT,
                              .qp = (uint32_t)s->number};
    s->left--;
    return 1;
}

static void incast_rewind_to(struct weft_flow_source *base, uint64_t k)
{
    struct source *s = (struct source *)base;
    s->rng = weft_rng_stream(s->seed, "incast", k);
    s->number = s->left = 0;
}

static void incast_free_source(struct weft_flow_source *base)
{
    free(((struct source *)base)->others);
    free(base);
}

static int ranks(const void *params, uint32_t room, uint32_t *n, struct weft_err *err)
{
    const struct params *p = (const struct params *)params;
    if (weft_workload_ranks("incast", p->ranks, room, n, err))
        return err->code;
    if (p->degree >= *n)
        return weft_err_set(err, WEFT_E_INPUT,
                            "degree is %" PRIu64
                            ", but %u ranks have at most %u senders for one receiver",
                            p->degree, *n, *n - 1);
    return 0;
}

static int flows(const void *params, const struct weft_flow_site *site,
                 struct weft_flow_source **out, struct weft_err *err)
{
    struct source *s = (struct source *)calloc(1, sizeof *s);
    if (s)
        s->others = (uint32_t *)calloc(site->nranks, sizeof *s->others);
    if (!s || !s->others) {
        free(s);
        return weft_err_no_memory(err, "flows");
    }
    s->p = *(const struct params *)params;
    s->nranks = site->nranks;
    s->seed = site->seed + s->p.seed - 1;
    s->base = (struct weft_flow_source){.next = next,
                                        .rewind = incast_rewind_to,
                                        .free = incast_free_source,
                                        .endless = s->p.duration_ps == 0};
    incast_rewind_to(&s->base, 0);
    *out = &s->base;
    return 0;
}

const struct weft_workload_ops weft_workload_incast = {
    .name = "incast",
    .title = "several hosts send to one at the same time, again and again",
    .source = NULL,
    .params = WEFT_PARAM_TABLE(table, struct params),
    .ranks = ranks,
    .flows = flows,
};
