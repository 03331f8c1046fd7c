/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The training loops. A rank does one thing after the other; a collective is either waited for
 * (blocking), or issued beside what follows. `wait` is where the rank waits for one issued earlier.
 *
 *                  forward, layer 0 to the last           backward, last layer to 0
 *   DATA           wait wg; compute                       wg compute, wg issued; ig compute (not 0)
 *   REORDER        the same                               ig compute (not 0); wg compute, wg issued
 *   MODEL          wait wg; compute; collective           ig compute, ig issued (not 0); wg compute;
 *                                                         wait ig
 *   HYBRID         the same                               the same, with wg issued before the wait
 *   TRANSFORMER    the same                               ig compute; ig collective; wg compute, wg
 *                                                         issued; CHECKPOINTED repeats forward
 * first
 *   DLRM           wait wg; compute, an all-to-all is     wg compute, wg issued; wait ig (not
 *                  issued; at the last bottom layer       ENHANCED); ig compute (not 0), at the layer
 *                  wait that of layer 0                   above the bottom ig of layer 0 issued
 *   MICRO          -                                      wg of layer 0 issued
 *   INFERENCE      compute; collective                    -
 *
 * After a collective its layer's update time passes before it counts as ended.
 */
#include "workload/astra_text/astra_text.h"

#include "base/units.h"
#include "workload/et_build.h"

#include <inttypes.h>
#include <stdio.h>

#define NODES_MAX (UINT64_C(1) << 24) /* of one rank */
#define NO_NODE UINT64_MAX
#define HIGHEST 100000000 /* comm_priority of the exchange of embeddings, as in ASTRA-sim */
#define INVOLVED_DIMS 10  /* entries of involved_dim, as in ASTRA-sim 1.0 */

#define NAME_MAX_BYTES 192

enum urgency { NORMAL, FIRST };

static const char *const part_names[WEFT_ASTRA_PARTS] = {"fwd", "ig", "wg"};

struct player {
    const struct weft_astra_text *t;
    struct weft_et_build b;
    struct weft_arena *arena;
    uint64_t nranks, rank, first, next;   /* ids: of the first operation, of the next one */
    uint64_t *after, nafter;              /* what the next operation waits for */
    uint64_t (*issued)[WEFT_ASTRA_PARTS]; /* by layer: the end of a collective issued */
    struct weft_astra_op *ops;
    uint64_t cap;
    int64_t owed_ps; /* of computation, below a microsecond */
    const char *step;
};

static void depend(struct player *p)
{
    for (uint64_t i = 0; i < p->nafter; i++)
        weft_et_build_data_dep(&p->b, p->after[i]);
}

static void go_on_from(struct player *p, uint64_t id)
{
    p->after[0] = id;
    p->nafter = 1;
}

static struct weft_astra_op *add_op(struct player *p, uint64_t layer, enum weft_astra_part part)
{
    struct weft_astra_op *op = &p->ops[p->next++ - p->first];
    *op = (struct weft_astra_op){.layer = (uint32_t)layer, .part = (uint8_t)part};
    return op;
}

static bool full(const struct player *p)
{
    return p->b.out_of_memory || p->next - p->first >= p->cap;
}

/* Whole microseconds of a time; what is missing is made up for by later ones. */
static uint64_t whole_us(int64_t ps, int64_t *owed_ps)
{
    *owed_ps += ps % WEFT_PS_PER_US;
    uint64_t us = (uint64_t)(ps / WEFT_PS_PER_US);
    if (*owed_ps >= WEFT_PS_PER_US / 2) {
        *owed_ps -= WEFT_PS_PER_US;
        us++;
    }
    return us;
}

static void compute(struct player *p, uint64_t layer, enum weft_astra_part part)
{
    const struct weft_astra_layer *l = &p->t->layers[layer];
    const int64_t ps = l->part[part].compute_ps;
    char name[160];
    if (ps == 0 || full(p))
        return;
    snprintf(name, sizeof name, "%s%.80s %s", p->step, l->name, part_names[part]);
    weft_et_build_comp(&p->b, p->next, name, whole_us(ps, &p->owed_ps));
    depend(p);
    go_on_from(p, p->next);
    add_op(p, layer, part)->ps = ps;
}

/* Who takes part, as attributes of the newest node. */
static void add_dimensions(struct player *p, enum weft_astra_scope scope)
{
    bool takes_part[INVOLVED_DIMS];
    for (int d = 0; d < INVOLVED_DIMS; d++)
        takes_part[d] = (d == 0) == (scope == WEFT_ASTRA_FIRST);
    weft_et_build_bools(&p->b, "involved_dim", takes_part, INVOLVED_DIMS);
}

static const char *group_name(struct player *p, enum weft_astra_scope scope, char buf[32])
{
    const bool world = weft_astra_group_size(p->t, scope, p->nranks) == p->nranks;
    buf[0] = '\0';
    if (!world)
        snprintf(buf, 32, "%s%" PRIu64, weft_astra_scope_name(scope),
                 weft_astra_group_of(p->t, scope, p->nranks, p->rank));
    return buf;
}

/* The update after collective @p id. */
static uint64_t update(struct player *p, uint64_t id, uint64_t layer, enum weft_astra_part part)
{
    const struct weft_astra_layer *l = &p->t->layers[layer];
    int64_t owed_ps = 0;
    char name[NAME_MAX_BYTES];
    if (l->update_ps == 0 || full(p))
        return id;
    snprintf(name, sizeof name, "%s%.80s %s update", p->step, l->name, part_names[part]);
    weft_et_build_node(&p->b, p->next, WEFT_ET_COMP_NODE, name, whole_us(l->update_ps, &owed_ps));
    weft_et_build_int(&p->b, "is_cpu_op", WEFT_ET_BOOL, 1);
    weft_et_build_data_dep(&p->b, id);
    struct weft_astra_op *op = add_op(p, layer, part);
    op->update = true;
    op->ps = l->update_ps;
    return p->next - 1;
}

/* A collective. Returns the node that ends it; NO_NODE: there is none. */
static uint64_t collective(struct player *p, uint64_t layer, enum weft_astra_part part,
                           enum urgency urgency)
{
    const struct weft_astra_layer *l = &p->t->layers[layer];
    const enum weft_astra_scope scope = l->part[part].scope;
    const enum weft_coll_kind kind = l->part[part].kind;
    const uint64_t n = l->part[part].coll ? weft_astra_group_size(p->t, scope, p->nranks) : 1;
    uint64_t bytes = l->part[part].bytes, id = p->next;
    char name[NAME_MAX_BYTES], group[32];
    if (n < 2 || full(p))
        return NO_NODE;
    if (kind == WEFT_COLL_ALL_GATHER && p->t->dialect == WEFT_ASTRA_DIALECT_SIMAI)
        bytes = (bytes + n - 1) / n; /* there the whole buffer */
    snprintf(name, sizeof name, "%s%.80s %s %s", p->step, l->name, part_names[part],
             weft_coll_kind_name(kind));
    weft_et_build_coll(&p->b, id, name, (int)kind, bytes, group_name(p, scope, group));
    depend(p);
    if ((scope == WEFT_ASTRA_FIRST || scope == WEFT_ASTRA_REST) && !p->t->first)
        add_dimensions(p, scope);
    if (urgency == FIRST)
        weft_et_build_int(&p->b, "comm_priority", WEFT_ET_INT32, HIGHEST);
    add_op(p, layer, part);
    return update(p, id, layer, part);
}

static void collective_waited(struct player *p, uint64_t layer, enum weft_astra_part part)
{
    const uint64_t id = p->next, end = collective(p, layer, part, NORMAL);
    if (end == NO_NODE)
        return;
    p->ops[id - p->first].blocking = true;
    go_on_from(p, end);
}

static void astra_text_play_issue(struct player *p, uint64_t layer, enum weft_astra_part part,
                                  enum urgency urgency)
{
    const uint64_t end = collective(p, layer, part, urgency);
    if (end != NO_NODE)
        p->issued[layer][part] = end;
}

static void astra_text_play_wait(struct player *p, uint64_t layer, enum weft_astra_part part)
{
    if (p->issued[layer][part] != NO_NODE)
        p->after[p->nafter++] = p->issued[layer][part];
    p->issued[layer][part] = NO_NODE;
}

static void astra_text_play_forward(struct player *p, uint64_t l)
{
    astra_text_play_wait(p, l, WEFT_ASTRA_WEIGHT_GRADIENT);
    compute(p, l, WEFT_ASTRA_FORWARD);
    collective_waited(p, l, WEFT_ASTRA_FORWARD);
}

/* DATA and REORDER. */
static void pass_data(struct player *p)
{
    const uint64_t n = p->t->nlayers;
    for (uint64_t l = 0; l < n; l++) {
        astra_text_play_wait(p, l, WEFT_ASTRA_WEIGHT_GRADIENT);
        compute(p, l, WEFT_ASTRA_FORWARD);
    }
    for (uint64_t l = n; l-- > 0;) {
        const bool first = p->t->policy == WEFT_ASTRA_DATA_REORDER;
        if (first && l > 0)
            compute(p, l, WEFT_ASTRA_INPUT_GRADIENT);
        compute(p, l, WEFT_ASTRA_WEIGHT_GRADIENT);
        astra_text_play_issue(p, l, WEFT_ASTRA_WEIGHT_GRADIENT, NORMAL);
        if (!first && l > 0)
            compute(p, l, WEFT_ASTRA_INPUT_GRADIENT);
    }
}

/* MODEL and HYBRID: the weight gradients of the former have no group. */
static void pass_hybrid(struct player *p)
{
    const uint64_t n = p->t->nlayers;
    for (uint64_t l = 0; l < n; l++)
        astra_text_play_forward(p, l);
    for (uint64_t l = n; l-- > 0;) {
        compute(p, l, WEFT_ASTRA_INPUT_GRADIENT);
        if (l > 0)
            astra_text_play_issue(p, l, WEFT_ASTRA_INPUT_GRADIENT, NORMAL);
        compute(p, l, WEFT_ASTRA_WEIGHT_GRADIENT);
        astra_text_play_issue(p, l, WEFT_ASTRA_WEIGHT_GRADIENT, NORMAL);
        astra_text_play_wait(p, l, WEFT_ASTRA_INPUT_GRADIENT);
    }
}

/* The forward pass from the last checkpoint up to layer @p l, once more. */
static void repeat_forward(struct player *p, uint64_t l)
{
    const char *step = p->step;
    uint64_t c = l;
    while (c > 0 && !p->t->layers[c].checkpoint)
        c--;
    p->step = weft_arena_printf(p->arena, "%sagain ", step);
    p->b.out_of_memory = p->b.out_of_memory || !p->step;
    for (; p->step && c < l; c++)
        astra_text_play_forward(p, c);
    p->step = step;
}

static void pass_transformer(struct player *p)
{
    const uint64_t n = p->t->nlayers;
    for (uint64_t l = 0; l < n; l++)
        astra_text_play_forward(p, l);
    for (uint64_t l = n; l-- > 0;) {
        if (p->t->layers[l].initiates && p->t->policy == WEFT_ASTRA_CHECKPOINTED)
            repeat_forward(p, l);
        compute(p, l, WEFT_ASTRA_INPUT_GRADIENT);
        collective_waited(p, l, WEFT_ASTRA_INPUT_GRADIENT);
        compute(p, l, WEFT_ASTRA_WEIGHT_GRADIENT);
        astra_text_play_issue(p, l, WEFT_ASTRA_WEIGHT_GRADIENT, NORMAL);
    }
}

static void pass_dlrm(struct player *p)
{
    const uint64_t n = p->t->nlayers, bottom = p->t->last_bottom;
    for (uint64_t l = 0; l < n; l++) {
        const bool exchange = p->t->layers[l].part[WEFT_ASTRA_FORWARD].coll &&
                              p->t->layers[l].part[WEFT_ASTRA_FORWARD].kind == WEFT_COLL_ALL_TO_ALL;
        astra_text_play_wait(p, l, WEFT_ASTRA_WEIGHT_GRADIENT);
        compute(p, l, WEFT_ASTRA_FORWARD);
        if (exchange)
            astra_text_play_issue(p, l, WEFT_ASTRA_FORWARD, FIRST);
        else if (l == bottom)
            astra_text_play_wait(p, 0, WEFT_ASTRA_FORWARD);
    }
    for (uint64_t l = n; l-- > 0;) {
        compute(p, l, WEFT_ASTRA_WEIGHT_GRADIENT);
        astra_text_play_issue(p, l, WEFT_ASTRA_WEIGHT_GRADIENT, NORMAL);
        if (p->t->policy == WEFT_ASTRA_DLRM)
            astra_text_play_wait(p, l, WEFT_ASTRA_INPUT_GRADIENT);
        if (l > 0)
            compute(p, l, WEFT_ASTRA_INPUT_GRADIENT);
        if (l == bottom + 1)
            astra_text_play_issue(p, 0, WEFT_ASTRA_INPUT_GRADIENT, FIRST);
    }
}

static void pass_micro(struct player *p)
{
    const bool all = p->t->dialect == WEFT_ASTRA_DIALECT_SIMAI;
    if (!all)
        astra_text_play_issue(p, 0, WEFT_ASTRA_WEIGHT_GRADIENT, NORMAL);
    for (uint64_t l = 0; all && l < p->t->nlayers; l++)
        collective_waited(p, l, WEFT_ASTRA_WEIGHT_GRADIENT);
}

static void pass_inference(struct player *p)
{
    for (uint64_t l = 0; l < p->t->nlayers; l++) {
        compute(p, l, WEFT_ASTRA_FORWARD);
        collective_waited(p, l, WEFT_ASTRA_FORWARD);
    }
}

static void (*const passes_of[WEFT_ASTRA_LOOPS])(struct player *) = {
    [WEFT_ASTRA_LOOP_DATA] = pass_data,
    [WEFT_ASTRA_LOOP_REORDER] = pass_data,
    [WEFT_ASTRA_LOOP_MODEL] = pass_hybrid,
    [WEFT_ASTRA_LOOP_HYBRID] = pass_hybrid,
    [WEFT_ASTRA_LOOP_TRANSFORMER] = pass_transformer,
    [WEFT_ASTRA_LOOP_DLRM] = pass_dlrm,
    [WEFT_ASTRA_LOOP_MICRO] = pass_micro,
    [WEFT_ASTRA_LOOP_INFERENCE] = pass_inference,
};

/* A node that names the groups of the rank, as PyTorch's traces do. */
static void describe_groups(struct player *p)
{
    const struct weft_astra_text *t = p->t;
    struct weft_text text = {.arena = p->arena};
    char item[64], name[32];
    bool any = false;
    int bad = weft_text_add(&text, "['[", 3);
    for (int k = WEFT_ASTRA_FIRST; k < WEFT_ASTRA_SCOPES; k++) {
        const enum weft_astra_scope scope = (enum weft_astra_scope)k;
        if (!weft_astra_has_groups(t, scope, p->nranks))
            continue;
        const uint64_t n = weft_astra_group_size(t, scope, p->nranks);
        const uint64_t g = weft_astra_group_of(t, scope, p->nranks, p->rank);
        int len = snprintf(item, sizeof item, "%s{\"pg_name\": \"%s\", \"ranks\": [",
                           any ? ", " : "", group_name(p, scope, name));
        bad |= weft_text_add(&text, item, (size_t)len);
        for (uint64_t i = 0; i < n; i++) {
            len = snprintf(item, sizeof item, "%s%" PRIu64, i ? ", " : "",
                           weft_astra_group_member(t, scope, p->nranks, g, i));
            bad |= weft_text_add(&text, item, (size_t)len);
        }
        bad |= weft_text_add(&text, "]}", 2);
        any = true;
    }
    bad |= weft_text_add(&text, "]']", 3);
    weft_et_build_node(&p->b, p->next++, WEFT_ET_METADATA_NODE, "## process_group:init ##", 0);
    p->first = p->next;
    p->b.out_of_memory = p->b.out_of_memory || bad;
    if (p->b.out_of_memory)
        return;
    p->b.node->inputs.present = true;
    p->b.node->inputs.values = text.s;
}

/* Most nodes of a pass: computation, a collective and an update per part, the forward pass twice.
 */
static int limit(struct player *p, uint64_t passes, struct weft_err *err)
{
    const uint64_t each = 3 * (WEFT_ASTRA_PARTS + 1) * p->t->nlayers;
    p->cap = passes < NODES_MAX / each ? passes * each : NODES_MAX;
    p->ops = weft_arena_calloc(p->arena, p->cap, sizeof *p->ops);
    p->after = weft_arena_calloc(p->arena, WEFT_ASTRA_PARTS * p->t->nlayers + 1, sizeof *p->after);
    p->issued = weft_arena_calloc(p->arena, p->t->nlayers, sizeof *p->issued);
    if (!p->ops || !p->after || !p->issued)
        return weft_err_no_memory(err, "a list of layers");
    for (uint64_t l = 0; l < p->t->nlayers; l++)
        for (int k = 0; k < WEFT_ASTRA_PARTS; k++)
            p->issued[l][k] = NO_NODE;
    return 0;
}

int weft_astra_text_et(const struct weft_astra_text *t, uint64_t nranks, uint64_t passes,
                       uint64_t rank, bool describe, struct weft_arena *arena, struct weft_et **out,
                       const struct weft_astra_op **ops, struct weft_err *err)
{
    struct player p = {.t = t, .arena = arena, .nranks = nranks, .rank = rank};
    int rc = limit(&p, passes, err);
    if (rc)
        return rc;
    weft_et_build_start(&p.b, arena);
    if (describe)
        describe_groups(&p);
    for (uint64_t k = 0; k < passes && !full(&p); k++) {
        p.step = passes > 1 ? weft_arena_printf(arena, "pass%" PRIu64 " ", k) : "";
        p.b.out_of_memory = p.b.out_of_memory || !p.step;
        if (p.step)
            passes_of[weft_astra_policy_loop(t->policy)](&p);
    }
    if (p.cap == NODES_MAX && full(&p) && !p.b.out_of_memory)
        return weft_err_set(err, WEFT_E_LIMIT, "%s: more than %" PRIu64 " operations for each rank",
                            t->file, NODES_MAX);
    if (ops)
        *ops = p.ops;
    return weft_et_build_finish(&p.b, out, err);
}
