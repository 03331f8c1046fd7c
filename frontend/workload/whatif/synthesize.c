/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * synthesize: another trace with the statistics of this one, without its names and exact sizes.
 *
 * Learned are the distributions of sizes and times by kind of operation (profile.h) and, per rank,
 * one iteration as a skeleton: kinds of operations in their order, how far back their dependencies
 * reach, and who takes part in communication. Iterations are emitted as many as are asked for. What
 * belongs together is drawn with one key: all members of a collective, both ends of a message, and
 * computations at one place in ranks of one skeleton.
 */
#include "workload/et_build.h"
#include "workload/whatif/relabel.h"
#include "workload/whatif/select.h"
#include "workload/whatif/synthesize.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct synthesize, ranks, "ranks", "0", NULL, "1048576"),
     .help = "ranks to make, a multiple of the trace's; 0: as many as it has"},
    {WEFT_ROW_U64(struct synthesize, iterations, "iterations", "0", NULL, "1000000"),
     .help = "iterations to make; 0: as many as the trace has"},
    {WEFT_ROW_U64(struct synthesize, learned, "learned", "0", NULL, "1000000"),
     .help = "iterations that the trace has; 0: as often as the kinds and sizes of operations "
             "repeat on all ranks"},
    {WEFT_ROW_U64(struct synthesize, seed, "seed", "1", NULL, NULL), .help = "of what is drawn"},
    {WEFT_ROW_F64(struct synthesize, blur, "blur", "0.03", "0", "0.5"),
     .help = "how far a size or time may lie from the mean of its bin: 0.03 is 3 %"},
    {WEFT_ROW_STRING(struct synthesize, grow, "grow", ""),
     .help = "with more ranks: communicators whose name (pg_name) is like this span all of them"},
    {WEFT_ROW_BOOL(struct synthesize, world, "world", "true"),
     .help = "that of all ranks spans all ranks; else it exists once per copy of the job"},
};

struct synthesis {
    struct weft_relabel relabel; /* first */
    struct weft_profile profile;
    uint64_t found; /* iterations that all ranks have; 0: no rank was seen */
};

/* Of @p n symbols, the largest k for which they are k times the same sequence, 1 for n = 0, by the
 * failure function of Knuth, Morris and Pratt: the longest border gives the shortest period. 0: out
 * of memory. */
static uint32_t synthesize_count_periods(const uint64_t *symbols, uint32_t n)
{
    uint32_t *border = malloc(((size_t)n + 1) * sizeof *border), k = 0;
    if (!border)
        return 0;
    border[0] = 0;
    for (uint32_t i = 1; i < n; i++) {
        while (k > 0 && symbols[i] != symbols[k])
            k = border[k - 1];
        k += symbols[i] == symbols[k];
        border[i] = k;
    }
    const uint32_t period = n ? n - border[n - 1] : 1;
    free(border);
    return n && n % period == 0 ? n / period : 1;
}

static uint32_t of(const void *ctx, uint32_t r, uint32_t c)
{
    return c * ((const struct weft_transform *)ctx)->ranks_in + r;
}

static int start(struct weft_transform *t, struct weft_err *err)
{
    const struct synthesize *p = t->params;
    struct synthesis *s = t->state;
    const uint64_t ranks = p->ranks ? p->ranks : t->ranks_in;
    if (ranks % t->ranks_in != 0)
        return weft_err_set(err, WEFT_E_INPUT,
                            "ranks is %" PRIu64 ", but must be a multiple of the trace's %" PRIu32
                            ", such as %" PRIu64,
                            ranks, t->ranks_in,
                            (ranks / t->ranks_in + (ranks < t->ranks_in)) * t->ranks_in);
    t->ranks_out = (uint32_t)ranks;
    s->relabel = (struct weft_relabel){.copies = t->ranks_out / t->ranks_in,
                                       .of = of,
                                       .ctx = t,
                                       .grow = p->grow,
                                       .world = p->world};
    return 0;
}

static uint32_t source_rank(const struct weft_transform *t, uint32_t rank)
{
    return rank % t->ranks_in;
}

static uint64_t symbol(const struct weft_et_node *node)
{
    uint64_t h = weft_kin_mix(5, (uint64_t)node->type);
    h = weft_kin_mix(h, weft_node_u64(node, "is_cpu_op", 0));
    if (node->type < WEFT_ET_COMM_SEND_NODE)
        return h;
    h = weft_kin_mix(h, weft_node_u64(node, "comm_dst", UINT64_MAX));
    h = weft_kin_mix(h, weft_node_u64(node, "comm_src", UINT64_MAX));
    return weft_kin_mix(h, weft_kinship(node));
}

/* Whether no operation waits for one of a later iteration. */
static bool looks_back(const struct weft_places *o, uint32_t period)
{
    for (uint32_t i = 0; i < o->e.n; i++) {
        const struct weft_et_node *node = weft_places_at(o, i);
        for (size_t k = 0; k < node->nctrl_deps + node->ndata_deps; k++) {
            const uint32_t d = weft_edit_find(&o->e, weft_places_dep(node, k));
            if (d != UINT32_MAX && o->place[d] / period > i / period)
                return false;
        }
    }
    return true;
}

static uint64_t common(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int find_iterations(struct weft_transform *t, const struct weft_places *o,
                           struct weft_err *err)
{
    const struct synthesize *p = t->params;
    struct synthesis *s = t->state;
    uint64_t n = p->learned;
    if (n == 0) {
        uint64_t *symbols = malloc(((size_t)o->e.n + 1) * sizeof *symbols);
        for (uint32_t i = 0; symbols && i < o->e.n; i++)
            symbols[i] = symbol(weft_places_at(o, i));
        n = symbols ? synthesize_count_periods(symbols, o->e.n) : 0;
        free(symbols);
        if (n == 0)
            return weft_err_no_memory(err, "a trace");
        n = s->found ? common(s->found, n) : n;
        while (n > 1 && !looks_back(o, (uint32_t)(o->e.n / n)))
            n = 1;
    } else if (o->e.n % n != 0 || !looks_back(o, (uint32_t)(o->e.n / n ? o->e.n / n : 1))) {
        return weft_err_set(err, WEFT_E_INPUT,
                            "learned is %" PRIu64 ", but the rank's %" PRIu32
                            " operations are not so many iterations",
                            n, o->e.n);
    }
    s->found = n;
    return 0;
}

static int look(struct weft_transform *t, uint32_t rank, const struct weft_et *et,
                struct weft_err *err)
{
    struct synthesis *s = t->state;
    struct weft_places o = {0};
    int rc = weft_relabel_look(t, rank, et, err);
    if (!rc)
        rc = weft_places_start(&o, et, err);
    if (!rc && et->nnodes)
        rc = find_iterations(t, &o, err);
    for (size_t i = 0; !rc && i < et->nnodes; i++)
        weft_profile_node(&s->profile, &et->nodes[i]);
    weft_places_end(&o);
    return rc;
}

/* The header says that weft made it, and nothing of the original's. */
static int sign(struct weft_et *et, struct weft_arena *arena, struct weft_err *err)
{
    et->attrs = weft_arena_alloc(arena, sizeof *et->attrs);
    if (!et->attrs)
        return weft_err_no_memory(err, "a trace");
    et->attrs[0] =
        (struct weft_et_attr){.name = WEFT_ET_GENERATOR, .doc = "", .kind = WEFT_ET_STRING};
    et->attrs[0].value.text.data = WEFT_ET_GENERATOR_WEFT;
    et->attrs[0].value.text.len = strlen(WEFT_ET_GENERATOR_WEFT);
    et->nattrs = 1;
    et->version = "0.0.4";
    return 0;
}

static int apply(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err)
{
    struct synthesis *s = t->state;
    const struct synthesize *p = t->params;
    int rc = weft_relabel_apply(t, rank % t->ranks_in, rank / t->ranks_in, et, arena, err);
    if (!rc)
        rc = weft_synthesize_emit(p, &s->profile, rank, s->found ? (uint32_t)s->found : 1, et,
                                  arena, err);
    if (!rc)
        rc = sign(et, arena, err);
    t->touched += et->nnodes;
    return rc;
}

const struct weft_transform_ops weft_transform_synthesize = {
    .name = "synthesize",
    .title = "another trace with the statistics of this one, without its names and exact sizes",
    .source = "Liang et al., Mystique, ISCA 2023",
    .params = WEFT_PARAM_TABLE(params, struct synthesize),
    .state_size = sizeof(struct synthesis),
    .start = start,
    .source_rank = source_rank,
    .look = look,
    .resolve = weft_relabel_resolve,
    .apply = apply,
    .end = weft_relabel_end,
};
