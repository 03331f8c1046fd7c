/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which algorithms play the collectives of a job, and whether they fit the fabric.
 *
 * A ring over all ranks of a fabric of several dimensions goes as fast as the slowest link that it
 * crosses: each rank passes on 2 (n-1)/n x S of an all-reduce of S, and where the ring leaves a row
 * of the innermost dimension all of it goes through one rank's link of an outer one. One algorithm
 * per dimension sends 2 (n_d - 1)/n_d of what is left there, which is 1/n_0 of S behind the first
 * dimension.
 */
#include "system/system_internal.h"

#include "base/grow.h"
#include "base/units.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Warned of when a flat ring takes so many times as long as one algorithm per dimension. */
#define MISFIT 1.25
/* ... and loses so many seconds: below that it is latency that counts. */
#define MISFIT_S 1e-6

/* Uses beyond so many are not told apart by the size of groups. */
#define USES_BY_SIZE 32

/* One way in which a kind of collective is simulated, by groups of one size. */
struct use {
    enum weft_coll_kind kind;
    const struct weft_choice *choice;
    const struct weft_shape *shape; /* of the group of the largest of them */
    uint32_t n;                     /* its members */
    uint64_t bytes, ops;
    uint32_t group;
    bool automatic;                    /* auto chose it */
    const struct weft_auto_pick *pick; /* why, for the largest; NULL: not known */
};

struct fit {
    const struct weft_workload *w;
    const struct weft_system_params *p;
    struct weft_dims dims;
    struct weft_choices choices;
    struct weft_shape *shapes;
    struct weft_ring *rings;
    struct use *use;
    size_t nuse;
    bool phased; /* some collective goes through two dimensions or more */
};

/* Whether an op is simulated in phases, dimension by dimension. */
static int goes_by_dimension(const struct fit *f, const struct weft_op *op,
                             const struct weft_choice *choice)
{
    struct weft_shape scratch;
    const struct weft_shape *shape = weft_shape_of(&f->shapes[op->group], op, &scratch);
    return choice->n > 1 && shape->dims.n > 1;
}

static int count_use(struct fit *f, const struct weft_op *op)
{
    const struct weft_choice *choice = weft_choice_of(&f->choices, op);
    const struct weft_group *g = &f->w->groups[op->group];
    const enum weft_coll_kind kind = op->coll;
    const bool automatic = weft_choice_given(&f->choices, op)->automatic;
    size_t i = 0;
    f->phased |= goes_by_dimension(f, op, choice);
    while (i < f->nuse &&
           (f->use[i].kind != kind || f->use[i].choice != choice ||
            f->use[i].automatic != automatic || (f->use[i].n != g->n && f->nuse < USES_BY_SIZE) ||
            f->use[i].shape->grid != f->shapes[op->group].grid ||
            f->use[i].shape->dims.n != f->shapes[op->group].dims.n))
        i++;
    if (i == f->nuse) {
        if (!WEFT_GROW_ONE(f->use, i))
            return WEFT_E_LIMIT;
        f->use[i] = (struct use){.kind = kind,
                                 .choice = choice,
                                 .shape = &f->shapes[op->group],
                                 .n = g->n,
                                 .group = op->group,
                                 .automatic = automatic};
        f->nuse++;
    }
    struct use *u = &f->use[i];
    if (u->ops++ == 0 || op->bytes > u->bytes) {
        u->pick = automatic ? weft_auto_pick_of(f->choices.autos, op) : NULL;
        u->bytes = op->bytes;
        u->shape = &f->shapes[op->group];
        u->group = op->group;
        u->n = g->n;
    }
    return 0;
}

static void fit_free(struct fit *f)
{
    free(f->use);
    weft_rings_free(f->rings, f->w);
    weft_shapes_free(f->shapes, f->w);
    weft_choices_free(&f->choices);
}

static int fit_new(struct fit *f, const struct weft_workload *w, const struct weft_system_params *p,
                   const struct weft_system_env *env, struct weft_err *err)
{
    *f = (struct fit){.w = w, .p = p};
    int rc = weft_read_dims(p, env ? env->dims : NULL, w->nranks, &f->dims, err);
    if (!rc)
        rc = weft_choices_new(w, p, &f->choices, err);
    if (!rc && !(f->shapes = weft_shapes_new(w, &f->dims, err)))
        rc = WEFT_E_LIMIT;
    if (!rc)
        rc = weft_rings_new(w, p->order, &f->dims, &f->rings, err);
    if (!rc)
        rc = weft_choices_resolve(&f->choices, w, p, env, &f->dims, f->shapes, f->rings, err);
    for (uint32_t r = 0; !rc && r < w->nranks; r++)
        for (uint32_t i = 0; !rc && i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            if (op->kind == WEFT_OP_COLL && count_use(f, op))
                rc = weft_err_no_memory(err, "algorithms");
        }
    if (rc)
        fit_free(f);
    return rc;
}

static void fit_add(char *buf, size_t size, const char *text)
{
    const size_t used = strlen(buf);
    snprintf(buf + used, size - used, "%s", text);
}

/* ", taken by auto: 612 us expected for 67.11 MB, with ring 8.4 ms" */
static void say_why(const struct use *u, char *buf, size_t size)
{
    char one[WEFT_CHOICE_TEXT_MAX + 160], best[WEFT_UNIT_TEXT_MAX], next[WEFT_UNIT_TEXT_MAX],
        bytes[WEFT_UNIT_TEXT_MAX];
    const struct weft_auto_pick *p = u->pick;
    if (!u->automatic)
        return;
    if (!p) {
        fit_add(buf, size, ", taken by auto");
        return;
    }
    snprintf(one, sizeof one, ", taken by auto: %s %s for %s",
             weft_human_time((int64_t)(p->cost_s * 1e12), best),
             p->measured ? "measured" : "expected", weft_human_size(p->bytes, bytes));
    fit_add(buf, size, one);
    if (!p->next[0])
        return;
    snprintf(one, sizeof one, ", next %s with %s", p->next,
             weft_human_time((int64_t)(p->next_s * 1e12), next));
    fit_add(buf, size, one);
}

/* What is written for dimension @p dim in a list. */
static const char *written_in(const struct weft_choice *c, uint32_t dim, int *len)
{
    const char *at = c->text;
    for (; dim; dim--)
        at = strchr(at, ',') + 1;
    at += strspn(at, " ");
    *len = (int)strcspn(at, ", ");
    return at;
}

/* "ring over 16 ranks", "ring in dimension 0 (8), ring in dimension 1 (16)" */
static void name_algorithms(const struct fit *f, const struct use *u, char *buf, size_t size)
{
    char one[160];
    buf[0] = '\0';
    if (u->choice->n <= 1) {
        snprintf(buf, size, "%s over %u ranks%s", u->choice->text, u->n,
                 u->shape->grid && u->shape->dims.n > 1 ? " as one dimension" : "");
        if (f->rings && u->choice->alg[0].ops->ordered) {
            snprintf(one, sizeof one, ", order %.40s", f->p->order);
            fit_add(buf, size, one);
        }
        return;
    }
    for (uint32_t d = 0; d < u->shape->dims.n; d++) {
        const uint32_t dim = u->shape->fabric_dim[d];
        int len;
        const char *name = written_in(u->choice, dim, &len);
        snprintf(one, sizeof one, "%s%.*s in dimension %u (%u)", d ? ", " : "", len, name, dim,
                 u->shape->dims.size[d]);
        fit_add(buf, size, one);
    }
}

static void fit_describe(const struct fit *f, const struct use *u, char *buf, size_t size)
{
    name_algorithms(f, u, buf, size);
    say_why(u, buf, size);
}

int weft_system_algorithms(const struct weft_workload *w, const struct weft_system_params *p,
                           const struct weft_system_env *env,
                           void (*fn)(void *ctx, enum weft_coll_kind kind, const char *text),
                           void *ctx, struct weft_err *err)
{
    struct fit f;
    char text[1024];
    int rc = fit_new(&f, w, p, env, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < f.nuse; i++) {
        fit_describe(&f, &f.use[i], text, sizeof text);
        fn(ctx, f.use[i].kind, text);
    }
    fit_free(&f);
    return 0;
}

/* How often 1/n_d of what is left must cross: 2 for an all-reduce, 1 for its halves. */
static double crossings(enum weft_coll_kind kind)
{
    return kind == WEFT_COLL_ALL_REDUCE || kind == WEFT_COLL_BARRIER ? 2 : 1;
}

/* Bytes of the whole buffer: an all-gather's size is that of one member's part. */
static double whole_bytes(const struct use *u)
{
    return u->kind == WEFT_COLL_ALL_GATHER ? (double)u->bytes * u->n : (double)u->bytes;
}

/* The slowest dimension that a ring of the group crosses, in @p *slowest; least time of the ring
 * there. */
static double ring_s(const struct fit *f, const struct use *u, uint32_t *slowest)
{
    const struct weft_shape *s = u->shape;
    const uint32_t *ranks = f->rings ? f->rings[u->group].ranks : f->w->groups[u->group].ranks;
    double worst = 0;
    for (uint32_t i = 0; i < u->n; i++) {
        const uint32_t a = ranks[i], b = ranks[i + 1 == u->n ? 0 : i + 1];
        for (uint32_t d = 0; d < s->dims.n; d++) {
            const uint32_t size = f->dims.size[s->fabric_dim[d]];
            if (a / s->stride[d] % size == b / s->stride[d] % size)
                continue;
            const double t = 8 * crossings(u->kind) * (u->n - 1) / u->n * whole_bytes(u) /
                             (double)s->dims.rate_bps[d];
            if (t > worst) {
                worst = t;
                *slowest = d;
            }
        }
    }
    return worst;
}

/* The same with one ring per dimension, innermost first. */
static double phases_s(const struct use *u)
{
    const struct weft_dims *d = &u->shape->dims;
    double left = whole_bytes(u), t = 0;
    for (uint32_t k = 0; k < d->n; k++) {
        t += 8 * crossings(u->kind) * (d->size[k] - 1) / d->size[k] * left / (double)d->rate_bps[k];
        left /= d->size[k];
    }
    return t;
}

static void advise_on_dimension(const struct fit *f, const struct use *u,
                                void (*fn)(void *ctx, const char *sentence), void *ctx)
{
    const struct weft_shape *s = u->shape;
    char text[WEFT_ERR_MSG_MAX], list[160] = "", rate[WEFT_UNIT_TEXT_MAX], size[WEFT_UNIT_TEXT_MAX],
                                 flat[WEFT_UNIT_TEXT_MAX], better[WEFT_UNIT_TEXT_MAX];
    uint32_t slowest = 0;
    if (u->automatic || u->choice->n > 1 || !u->choice->alg[0].ops->ordered ||
        !weft_coll_has_phases(u->kind) || u->kind == WEFT_COLL_ALL_TO_ALL || !s->grid ||
        s->dims.n < 2 || u->bytes == 0)
        return;
    for (uint32_t d = 0; d < s->dims.n; d++)
        if (s->dims.rate_bps[d] == 0)
            return;
    const double t = ring_s(f, u, &slowest), h = phases_s(u);
    if (t < MISFIT * h || t - h < MISFIT_S)
        return;
    for (uint32_t d = 0; d < f->dims.n; d++) {
        fit_add(list, sizeof list, d ? "," : "");
        fit_add(list, sizeof list, u->choice->alg[0].ops->name);
    }
    const char *name = weft_coll_kind_name(u->kind);
    snprintf(
        text, sizeof text,
        "%s=%s is one ring over %u ranks of %u dimensions: all of it goes through links of "
        "dimension %u (%s per rank), so that one of %s takes at least %s; one ring per dimension, "
        "system.%s=%s, takes %s",
        name, u->choice->text, u->n, s->dims.n, s->fabric_dim[slowest],
        weft_human_rate((double)s->dims.rate_bps[slowest], rate), weft_human_size(u->bytes, size),
        weft_human_time((int64_t)(t * 1e12), flat), name, list,
        weft_human_time((int64_t)(h * 1e12), better));
    fn(ctx, text);
}

/* Says so when a scheduler of dimensions has nothing to decide. */
static void advise_on_order(const struct fit *f, void (*fn)(void *ctx, const char *sentence),
                            void *ctx)
{
    size_t n;
    char text[WEFT_ERR_MSG_MAX];
    const char *name = weft_inter_table(&n)[f->p->inter_dimension]->name;
    if (f->p->inter_dimension == 0 || f->nuse == 0)
        return;
    if (!f->phased)
        snprintf(text, sizeof text,
                 "system.inter-dimension=%s has no effect: no collective of the job goes through "
                 "several dimensions one after the other; name one algorithm per dimension, as in "
                 "system.all-reduce=ring,ring",
                 name);
    else if (f->p->chunks == 1)
        snprintf(text, sizeof text,
                 "system.inter-dimension=%s orders nothing: with system.chunks=1 a collective is "
                 "one chunk, and the first chunk takes the dimensions innermost first; set "
                 "system.chunks",
                 name);
    else
        return;
    fn(ctx, text);
}

int weft_system_advise(const struct weft_workload *w, const struct weft_system_params *p,
                       const struct weft_system_env *env,
                       void (*fn)(void *ctx, const char *sentence), void *ctx, struct weft_err *err)
{
    struct fit f;
    int rc = fit_new(&f, w, p, env, err);
    bool ordered = false;
    if (rc)
        return rc;
    for (size_t i = 0; i < f.nuse; i++) {
        advise_on_dimension(&f, &f.use[i], fn, ctx);
        ordered |= f.use[i].choice->n <= 1 && f.use[i].choice->alg[0].ops->ordered;
    }
    advise_on_order(&f, fn, ctx);
    if (f.rings && !ordered)
        fn(ctx,
           "system.order has no effect: no collective of the job is a ring over a whole group");
    fit_free(&f);
    return 0;
}
