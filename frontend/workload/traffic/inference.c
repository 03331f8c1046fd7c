/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workload `inference`: requests whose prompts are prefilled on some ranks and decoded on
 * others, so that the key-value cache of each prompt crosses the network before its second token.
 *
 * The first `prefill` ranks are prefill instances of `tp` ranks, the others decode instances of as
 * many. A request goes to the prefill instance that is free first, which works on one after the
 * other, tokens / prefill-rate each; decode instances take turns. Each rank sends its share of the
 * cache to its counterpart: after the prefill, or layer by layer during it. With `output-tokens`
 * the decode instances go on to generate them (decode.h); the first is the prefill's.
 */
#include "base/cdf.h"
#include "base/draw.h"
#include "base/units.h"
#include "workload/traffic/decode.h"
#include "workload/traffic/rows.h"
#include "workload/traffic/servers.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

/** Parameters. */
struct params {
    uint64_t ranks, prefill, tp, kv_bytes, element_bytes, tokens, output_tokens, batch, count, seed;
    const char *model, *tokens_file;
    double rate, sigma, output_sigma, prefill_rate;
    int transfer; /* enum */
    int64_t decode_ps, duration_ps;
};
enum { WHOLE, LAYERS };

static const struct weft_param table[] = {
    WEFT_ROW_RANKS(struct params, ranks,
                   "ranks that prefill, then ranks that decode; 0: all hosts that there are"),
    {WEFT_ROW_U64(struct params, prefill, "prefill", "0", NULL, "1048575"),
     .help = "the first so many of the ranks prefill, the others decode; 0: half of them",
     .source = "Splitwise (ISCA 2024), DistServe (OSDI 2024), Mooncake (FAST 2025)"},
    {WEFT_ROW_U64(struct params, tp, "tp", "1", "1", "1024"),
     .help = "ranks of an instance, each with an equal share of the cache"},
    {WEFT_ROW_STRING(struct params, model, "model", "llama3-70b"),
     .help = "transformer whose cache it is: 2 x layers x key-value heads x head width elements "
             "per token; with compressed keys and values layers x (their rank + rope width)"},
    {WEFT_ROW_SIZE(struct params, kv_bytes, "kv-bytes", "0B", NULL, NULL),
     .help = "bytes of the cache per token; 0: the model's"},
    {WEFT_ROW_SIZE(struct params, element_bytes, "kv-element", "2B", "1B", "8B"),
     .help = "bytes of an element of the cache", .needs = "kv-bytes=0"},
    {WEFT_ROW_F64(struct params, rate, "rate", "10", "1e-6", NULL),
     .help = "requests per second, all together, at random (Poisson)"},
    {WEFT_ROW_U64(struct params, tokens, "prompt-tokens", "1500", "1", "100000000"),
     .help = "tokens of a prompt, mean",
     .source = "1,500 is the median of the coding service's prompts: Splitwise (ISCA 2024), 3.1",
     .needs = "tokens-file="},
    {WEFT_ROW_F64(struct params, sigma, "prompt-sigma", "0", "0", "5"),
     .help =
         "standard deviation of the logarithm of their number (log-normal); 0: all have the mean",
     .needs = "tokens-file="},
    {WEFT_ROW_STRING(struct params, tokens_file, "tokens-file", ""),
     .help = "distribution of the tokens of a prompt in place of that: lines 'tokens percent'"},
    {WEFT_ROW_F64(struct params, prefill_rate, "prefill-rate", "10000", "1e-3", NULL),
     .help = "tokens per second that a prefill instance works off"},
    {WEFT_ROW_ENUM(struct params, transfer, "transfer", "whole", "whole|layers"),
     .help = "when the cache is sent: all of it after the prefill, or each layer when it is done",
     .source = "Splitwise (ISCA 2024), 4.2: layer by layer for large prompts"},
    {WEFT_ROW_U64(struct params, output_tokens, "output-tokens", "0", NULL, "100000000"),
     .help = "tokens that a request generates, mean; the first comes from the prefill, the others "
             "one per iteration of its decode instance; 0: what decoding does is left out"},
    {WEFT_ROW_F64(struct params, output_sigma, "output-sigma", "0", "0", "5"),
     .help =
         "standard deviation of the logarithm of their number (log-normal); 0: all have the mean",
     .needs = "output-tokens!=0"},
    {WEFT_ROW_TIME(struct params, decode_ps, "decode-time", "20ms", "0", NULL),
     .help = "computation of an iteration of a decode instance, whatever its batch: decoding is "
             "bound by reading the weights; before each of its all-reduces an equal part",
     .needs = "output-tokens!=0"},
    {WEFT_ROW_U64(struct params, batch, "batch", "0", NULL, "1048576"),
     .help =
         "most requests that a decode instance has in an iteration, the others wait; 0: any number",
     .source = "continuous batching: Orca (OSDI 2022)", .needs = "output-tokens!=0"},
    {WEFT_ROW_U64(struct params, count, "count", "0", NULL, NULL),
     .help = "requests; 0: any number"},
    WEFT_ROW_DURATION(
        struct params, duration_ps,
        "requests come during that time; 0: without count, as long as the run needs them"),
    WEFT_ROW_SEED(struct params, seed, "draws"),
};

/* A request on its way. */
struct prompt {
    uint64_t number, tokens, outputs; /* outputs: beyond the first */
    uint32_t prefill, decode;         /* instances */
    uint64_t left;                    /* messages that have not come */
    int64_t came_ps, begin_ps, service_ps;
};

struct source {
    struct weft_reactor r;
    struct params p;
    struct weft_cdf *cdf;       /* NULL: log-normal */
    uint64_t kv_bytes;          /* per token */
    struct weft_decode *decode; /* NULL: left out */
    uint32_t layers, tp, nprefill, ndecode;
    uint64_t seed, came;
    struct weft_rng arrivals, lengths, outputs;
    int64_t *free_ps; /* per prefill instance: it has nothing left to do */
    struct weft_slots prompts;
};

/* What a timer or flow is for: the arrival of a request, or a layer of one. */
#define ARRIVAL UINT64_MAX
#define LAYER_BITS 16
/* Or for decoding: from here on. */
#define DECODING (UINT64_C(1) << 63)

static struct prompt *prompt_of(const struct source *s, uint64_t i)
{
    return (struct prompt *)weft_slot(&s->prompts, (uint32_t)i);
}

/* Tokens of the next prompt, at least 1. */
static uint64_t draw_tokens(struct source *s)
{
    const double u = weft_rng_f64(&s->lengths), v = weft_rng_f64(&s->lengths);
    double tokens = (double)s->p.tokens;
    if (s->cdf)
        tokens = weft_cdf_quantile_bytes(s->cdf, 100 * u);
    else if (s->p.sigma > 0)
        tokens *= weft_log_normal(u, v, s->p.sigma);
    return tokens < 1 ? 1 : tokens > 1e9 ? 1000000000 : (uint64_t)(tokens + 0.5);
}

/* Tokens that a request generates beyond the first. */
static uint64_t draw_outputs(struct source *s)
{
    const double u = weft_rng_f64(&s->outputs), v = weft_rng_f64(&s->outputs);
    double tokens = (double)s->p.output_tokens;
    if (s->p.output_sigma > 0)
        tokens *= weft_log_normal(u, v, s->p.output_sigma);
    return tokens < 1.5 ? 0 : tokens > 1e9 ? 1000000000 : (uint64_t)(tokens - 0.5);
}

/* Arms the next request. */
static void inference_arm(struct source *s, int64_t now_ps)
{
    const double gap_ps = weft_draw_gap_ps(&s->arrivals, s->p.rate);
    if (gap_ps >= WEFT_DRAW_LONGEST_PS || (s->p.count && s->came >= s->p.count))
        return;
    const int64_t at_ps = now_ps + (int64_t)gap_ps;
    if (s->p.duration_ps == 0 || at_ps < s->p.duration_ps)
        weft_reactor_timer(&s->r, at_ps, ARRIVAL);
}

/* Part @p i of @p n of a number. */
static uint64_t inference_part(uint64_t all, uint64_t i, uint64_t n)
{
    return all / n + (i < all % n);
}

/* A request comes: finds its instances, and when its parts are ready. */
static void come(struct source *s, int64_t now_ps)
{
    const uint32_t at = weft_reactor_place(&s->r, &s->prompts, "prompts");
    const uint32_t parts = s->p.transfer == LAYERS ? s->layers : 1;
    uint32_t first = 0;
    if (at == WEFT_NO_SLOT)
        return;
    for (uint32_t i = 1; i < s->nprefill; i++)
        first = s->free_ps[i] < s->free_ps[first] ? i : first;
    struct prompt *q = prompt_of(s, at);
    *q = (struct prompt){.number = s->came++,
                         .tokens = draw_tokens(s),
                         .outputs = s->decode ? draw_outputs(s) : 0,
                         .prefill = first,
                         .came_ps = now_ps,
                         .begin_ps = s->free_ps[first] > now_ps ? s->free_ps[first] : now_ps,
                         .left = (uint64_t)s->tp * parts};
    q->decode = (uint32_t)(q->number % s->ndecode);
    q->service_ps = (int64_t)((double)q->tokens / s->p.prefill_rate * (double)WEFT_PS_PER_S);
    s->free_ps[first] = q->begin_ps + q->service_ps;
    const struct prompt known = *q;
    for (uint32_t l = 0; l < parts; l++)
        weft_reactor_timer(&s->r,
                           known.begin_ps + (int64_t)((double)known.service_ps * (l + 1) / parts),
                           (uint64_t)at << LAYER_BITS | l);
}

static void inference_fired(struct weft_reactor *r, int64_t now_ps, uint64_t cookie)
{
    struct source *s = (struct source *)r;
    if (cookie == ARRIVAL) {
        come(s, now_ps);
        inference_arm(s, now_ps);
        return;
    }
    if (s->decode && weft_decode_owns(s->decode, cookie)) {
        weft_decode_fired(s->decode, now_ps, cookie);
        return;
    }
    const uint32_t layer = (uint32_t)(cookie & ((1u << LAYER_BITS) - 1));
    const struct prompt *q = prompt_of(s, cookie >> LAYER_BITS);
    const uint64_t all = q->tokens * s->kv_bytes;
    const uint64_t bytes = s->p.transfer == LAYERS ? inference_part(all, layer, s->layers) : all;
    for (uint32_t k = 0; k < s->tp; k++)
        weft_reactor_send(r, now_ps, q->prefill * s->tp + k, (s->nprefill + q->decode) * s->tp + k,
                          inference_part(bytes, k, s->tp), 0, cookie >> LAYER_BITS);
}

static void inference_finish(struct source *s, uint32_t i, const struct weft_request *whole)
{
    weft_slots_give_back(&s->prompts, i);
    weft_reactor_request(&s->r, whole);
}

/* A request has all its tokens. */
static void decoded(struct weft_reactor *r, const struct weft_decoded *d)
{
    struct source *s = (struct source *)r;
    const struct prompt q = *prompt_of(s, d->request);
    const struct weft_request part = {.what = "decode",
                                      .rank = (s->nprefill + q.decode) * s->tp,
                                      .number = q.number,
                                      .begin_ps = d->added_ps,
                                      .end_ps = d->end_ps,
                                      .wait_ps = d->wait_ps,
                                      .service_ps = d->service_ps,
                                      .is_part = true};
    const struct weft_request whole = {.what = "request",
                                       .rank = part.rank,
                                       .number = q.number,
                                       .bytes = q.tokens * s->kv_bytes,
                                       .begin_ps = q.came_ps,
                                       .end_ps = d->end_ps,
                                       .wait_ps = q.begin_ps - q.came_ps + d->wait_ps,
                                       .service_ps = q.service_ps + d->service_ps};
    weft_reactor_request(r, &part);
    inference_finish(s, d->request, &whole);
}

static void arrived(struct weft_reactor *r, int64_t now_ps, uint64_t cookie)
{
    struct source *s = (struct source *)r;
    if (s->decode && weft_decode_owns(s->decode, cookie)) {
        weft_decode_arrived(s->decode, now_ps, cookie);
        return;
    }
    struct prompt *q = prompt_of(s, cookie);
    if (--q->left)
        return;
    const uint64_t more = q->outputs;
    struct weft_request done = {.what = "prompt",
                                .rank = q->prefill * s->tp,
                                .number = q->number,
                                .bytes = q->tokens * s->kv_bytes,
                                .begin_ps = q->came_ps,
                                .end_ps = now_ps,
                                .wait_ps = q->begin_ps - q->came_ps,
                                .service_ps = q->service_ps,
                                .is_part = s->decode != NULL};
    const uint32_t instance = q->decode;
    if (s->decode)
        weft_reactor_request(r, &done);
    if (more) {
        weft_decode_add(s->decode, instance, (uint32_t)cookie, more, now_ps);
        return;
    }
    if (s->decode)
        done.what = "request";
    done.is_part = false;
    inference_finish(s, (uint32_t)cookie, &done);
}

static void inference_begin(struct weft_reactor *r, uint64_t repetition)
{
    struct source *s = (struct source *)r;
    weft_slots_clear(&s->prompts);
    s->came = 0;
    s->arrivals = weft_rng_stream(s->seed, "inference-arrival", repetition);
    s->lengths = weft_rng_stream(s->seed, "inference-length", repetition);
    s->outputs = weft_rng_stream(s->seed, "inference-output", repetition);
    if (s->decode)
        weft_decode_clear(s->decode);
    for (uint32_t i = 0; i < s->nprefill; i++)
        s->free_ps[i] = 0;
    inference_arm(s, 0);
}

static void inference_free_source(struct weft_reactor *r)
{
    struct source *s = (struct source *)r;
    weft_reactor_release(r);
    weft_cdf_free(s->cdf);
    weft_decode_free(s->decode);
    free(s->free_ps);
    weft_slots_release(&s->prompts);
    free(s);
}

static const struct weft_reactor_ops reactor_ops = {inference_begin, inference_fired, arrived,
                                                    inference_free_source};

/* Of an element of what all-reduces add up: 16 bits. */
#define ACTIVATION_BYTES 2

static uint64_t prefill_of(const struct params *p, uint64_t n)
{
    return p->prefill ? p->prefill : n / 2;
}

static int ranks(const void *params, uint32_t room, uint32_t *n, struct weft_err *err)
{
    const struct params *p = (const struct params *)params;
    if (weft_workload_ranks("inference", p->ranks, room, n, err))
        return err->code;
    const uint64_t prefill = prefill_of(p, *n);
    if (prefill == 0 || prefill >= *n)
        return weft_err_set(err, WEFT_E_INPUT,
                            "prefill is %" PRIu64 ", which leaves no rank of %u to %s", prefill, *n,
                            prefill ? "decode" : "prefill");
    if (prefill % p->tp || (*n - prefill) % p->tp)
        return weft_err_set(err, WEFT_E_INPUT,
                            "%" PRIu64 " ranks that prefill and %" PRIu64
                            " that decode are not whole instances of tp=%" PRIu64,
                            prefill, *n - prefill, p->tp);
    return weft_servers_model(p->model, err) ? 0 : err->code;
}

static int inference_prepare(struct source *s, const struct weft_flow_site *site,
                             struct weft_err *err)
{
    const struct weft_model *m = weft_servers_model(s->p.model, err);
    const uint64_t prefill = prefill_of(&s->p, site->nranks);
    if (!m)
        return err->code;
    s->tp = (uint32_t)s->p.tp;
    s->layers = (uint32_t)m->layers;
    s->nprefill = (uint32_t)(prefill / s->p.tp);
    s->ndecode = (uint32_t)((site->nranks - prefill) / s->p.tp);
    s->seed = site->seed + s->p.seed - 1;
    s->kv_bytes = s->p.kv_bytes;
    if (!s->kv_bytes)
        s->kv_bytes =
            s->p.element_bytes * m->layers *
            (m->kv_lora ? m->kv_lora + m->rope_dim : 2 * m->kv_heads * weft_model_head_dim(m));
    s->free_ps = (int64_t *)calloc(s->nprefill, sizeof *s->free_ps);
    if (s->p.output_tokens) {
        const struct weft_decode_config c = {.first_rank = (uint32_t)prefill,
                                             .ninstances = s->ndecode,
                                             .tp = s->tp,
                                             .all_reduces = 2 * s->layers,
                                             .batch = (uint32_t)s->p.batch,
                                             .vector_bytes = m->hidden * ACTIVATION_BYTES,
                                             .iteration_ps = s->p.decode_ps,
                                             .cookies = DECODING};
        s->decode = weft_decode_new(&c, &s->r, decoded);
    }
    if (!s->free_ps || (s->p.output_tokens && !s->decode))
        return weft_err_no_memory(err, "flows");
    if (s->p.tokens_file[0])
        s->cdf = weft_cdf_read(s->p.tokens_file, err);
    return s->p.tokens_file[0] && !s->cdf ? err->code : 0;
}

static int flows(const void *params, const struct weft_flow_site *site,
                 struct weft_flow_source **out, struct weft_err *err)
{
    struct source *s = (struct source *)calloc(1, sizeof *s);
    if (!s)
        return weft_err_no_memory(err, "flows");
    s->p = *(const struct params *)params;
    s->prompts = WEFT_SLOTS_OF(struct prompt);
    weft_reactor_init(&s->r, &reactor_ops, s->p.count == 0 && s->p.duration_ps == 0);
    if (inference_prepare(s, site, err)) {
        inference_free_source(&s->r);
        return err->code;
    }
    *out = &s->r.base;
    return 0;
}

const struct weft_workload_ops weft_workload_inference = {
    .name = "inference",
    .title = "requests whose key-value caches go from ranks that prefill to ranks that decode",
    .source = "Splitwise (ISCA 2024), DistServe (OSDI 2024), Mooncake (FAST 2025)",
    .params = WEFT_PARAM_TABLE(table, struct params),
    .ranks = ranks,
    .flows = flows,
};
