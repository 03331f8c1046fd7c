/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload astra-text: jobs of layer lists, in memory and in files. */
#include "workload/astra_text/astra_text.h"

#include "base/file.h"
#include "workload/chakra_write.h"
#include "workload/convert.h"
#include "workload/groups_file.h"
#include "workload/trace_files.h"
#include "workload/trace_write.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct weft_param params_table[] = {
    {WEFT_ROW_STRING(struct weft_astra_text_params, file, "file", NULL),
     .help = "list of layers: a text workload of ASTRA-sim 1.0, or of SimAI as AICB writes it"},
    {WEFT_ROW_U64(struct weft_astra_text_params, ranks, "ranks", "0", "0", "1048576"),
     .help = "ranks of the job, on the first hosts of the fabric; 0: as many as it has hosts"},
    {WEFT_ROW_U64(struct weft_astra_text_params, passes, "passes", "1", "1", "1000000"),
     .help = "iterations", .source = "ASTRA-sim 1.0 --num-passes"},
    {WEFT_ROW_U64(struct weft_astra_text_params, first, "first-dimension", "0", "0", "1048576"),
     .help = "HYBRID_DATA_MODEL, HYBRID_MODEL_DATA: neighbouring ranks that are the first "
             "dimension; 0: the first of the fabric's"},
    {WEFT_ROW_ENUM(struct weft_astra_text_params, dialect, "dialect", "auto",
                   "auto|astra-sim|simai"),
     .help = "astra-sim: ALLGATHER sizes are one rank's shard; simai: the whole buffer, small "
             "forward collectives have 4096 bytes, MICRO plays all layers; auto: simai when keys "
             "or groups are SimAI's"},
    {WEFT_ROW_F64(struct weft_astra_text_params, compute_scale, "compute-scale", "1", "0", "1e9"),
     .help = "factor of compute times", .source = "ASTRA-sim 1.0 --compute-scale"},
    {WEFT_ROW_F64(struct weft_astra_text_params, comm_scale, "comm-scale", "1", "0", "1e9"),
     .help = "factor of the sizes of collectives", .source = "ASTRA-sim 1.0 --comm-scale"},
};
const struct weft_param_table weft_astra_text_param_table =
    WEFT_PARAM_TABLE(params_table, struct weft_astra_text_params);

/* The groups of a rank in place of those of rank 0. */
static int share(struct weft_convert *c, const struct weft_astra_text *t, uint64_t nranks,
                 uint32_t rank, const struct weft_convert_roles *of, uint32_t **index,
                 uint32_t *groups, struct weft_err *err)
{
    for (uint32_t g = 0; g < of->ngroups; g++) {
        groups[g] = of->group[g];
        if (!*of->groups[g])
            continue;
        int k = WEFT_ASTRA_FIRST; /* of which scope the group of rank 0 is */
        size_t len = strcspn(of->groups[g], "0123456789");
        while (strncmp(of->groups[g], weft_astra_scope_name((enum weft_astra_scope)k), len) != 0 ||
               weft_astra_scope_name((enum weft_astra_scope)k)[len])
            k++;
        const enum weft_astra_scope scope = (enum weft_astra_scope)k;
        const uint64_t own = weft_astra_group_of(t, scope, nranks, rank);
        const uint64_t n = weft_astra_group_size(t, scope, nranks);
        if (index[k][own] == UINT32_MAX) {
            char name[32];
            uint32_t *ranks = (uint32_t *)malloc(n * sizeof *ranks);
            for (uint64_t i = 0; ranks && i < n; i++)
                ranks[i] = (uint32_t)weft_astra_group_member(t, scope, nranks, own, i);
            snprintf(name, sizeof name, "%s%" PRIu64, weft_astra_scope_name(scope), own);
            const struct weft_group def = {.name = name, .ranks = ranks, .n = (uint32_t)n};
            int rc = ranks ? weft_convert_group(c, &def, &index[k][own], err)
                           : weft_err_no_memory(err, "a job");
            free(ranks);
            if (rc)
                return rc;
        }
        groups[g] = index[k][own];
    }
    return weft_convert_share_as(c, rank, 0, of, groups, of->peers, err);
}

/* Gives all ranks the graph of rank 0, each with its own groups. */
static int share_all(struct weft_convert *c, const struct weft_astra_text *t, uint64_t nranks,
                     struct weft_err *err)
{
    struct weft_convert_roles of;
    uint32_t *index[WEFT_ASTRA_SCOPES] = {NULL};
    struct weft_arena *scratch = weft_arena_new();
    int rc = scratch ? weft_convert_roles(c, 0, &of, err) : weft_err_no_memory(err, "a job");
    uint32_t *groups = rc ? NULL : weft_arena_calloc(scratch, of.ngroups + 1, sizeof *groups);
    if (!rc && !groups)
        rc = weft_err_no_memory(err, "a job");
    for (int k = WEFT_ASTRA_FIRST; !rc && k < WEFT_ASTRA_SCOPES; k++) {
        const enum weft_astra_scope scope = (enum weft_astra_scope)k;
        if (!weft_astra_has_groups(t, scope, nranks))
            continue;
        const uint64_t count = weft_astra_group_count(t, scope, nranks);
        index[k] = weft_arena_calloc(scratch, count, sizeof **index);
        if (!index[k])
            rc = weft_err_no_memory(err, "a job");
        else
            memset(index[k], 0xff, count * sizeof **index);
    }
    for (uint32_t g = 0; !rc && g < of.ngroups; g++)
        for (int k = WEFT_ASTRA_FIRST; k < WEFT_ASTRA_SCOPES; k++) {
            char name[32];
            snprintf(name, sizeof name, "%s0", weft_astra_scope_name((enum weft_astra_scope)k));
            if (index[k] && strcmp(name, of.groups[g]) == 0)
                index[k][0] = of.group[g];
        }
    for (uint32_t r = 1; !rc && r < nranks; r++)
        rc = share(c, t, nranks, r, &of, index, groups, err);
    weft_arena_free(scratch);
    return rc;
}

/* Durations to the picosecond, where the trace has microseconds. */
static void set_times(struct weft_workload *w, const struct weft_astra_op *ops)
{
    const struct weft_dag *d = &w->dags[0];
    for (uint32_t i = 1; i < d->nops; i++)
        if (d->ops[i].kind == WEFT_OP_COMP)
            d->ops[i].duration_ps = ops[i - 1].ps;
}

int weft_astra_text_job(const struct weft_astra_text *t, uint64_t nranks, uint64_t passes,
                        struct weft_workload **out, struct weft_err *err)
{
    struct weft_err why = {0};
    struct weft_et *et = NULL;
    const struct weft_astra_op *ops = NULL;
    if (weft_astra_groups_check(t, nranks, err))
        return err->code;
    struct weft_convert *c = weft_convert_new((uint32_t)nranks, NULL, &why);
    struct weft_arena *arena = weft_arena_new();
    int rc = !c      ? weft_err_set(err, why.code, "%s", why.msg)
             : arena ? weft_astra_text_et(t, nranks, passes, 0, true, arena, &et, &ops, err)
                     : weft_err_no_memory(err, "a job");
    if (!rc)
        rc = weft_convert_rank(c, 0, et, err);
    if (!rc)
        rc = share_all(c, t, nranks, err);
    if (!rc) {
        rc = weft_convert_finish(c, out, err);
        c = NULL;
    }
    if (!rc)
        set_times(*out, ops);
    if (!rc && t->notes) {
        (*out)->notes = weft_arena_strdup((*out)->arena, t->notes);
        if (!(*out)->notes) {
            weft_workload_free(*out);
            rc = weft_err_no_memory(err, "a job");
        }
    }
    weft_convert_free(c);
    weft_arena_free(arena);
    return rc;
}

struct writing {
    const struct weft_astra_text *t;
    uint64_t nranks, passes;
    const char *groups; /* the file of groups */
};

static int write_groups(const struct writing *w, struct weft_err *err)
{
    uint64_t most = 0;
    size_t n = 0;
    for (int k = WEFT_ASTRA_FIRST; k < WEFT_ASTRA_SCOPES; k++)
        if (weft_astra_has_groups(w->t, (enum weft_astra_scope)k, w->nranks))
            most += weft_astra_group_count(w->t, (enum weft_astra_scope)k, w->nranks);
    struct weft_arena *arena = weft_arena_new();
    struct weft_group *groups = arena ? weft_arena_calloc(arena, most + 1, sizeof *groups) : NULL;
    int rc = groups ? 0 : weft_err_no_memory(err, "a job");
    for (int k = WEFT_ASTRA_FIRST; !rc && k < WEFT_ASTRA_SCOPES; k++) {
        const enum weft_astra_scope scope = (enum weft_astra_scope)k;
        const bool has = weft_astra_has_groups(w->t, scope, w->nranks);
        const uint64_t size = weft_astra_group_size(w->t, WEFT_ASTRA_ALL, w->nranks);
        const uint64_t members = has ? weft_astra_group_size(w->t, scope, w->nranks) : size;
        for (uint64_t g = 0; !rc && has && g < size / members; g++) {
            uint32_t *ranks = weft_arena_calloc(arena, members, sizeof *ranks);
            const char *name =
                weft_arena_printf(arena, "%s%" PRIu64, weft_astra_scope_name(scope), g);
            if (!ranks || !name)
                rc = weft_err_no_memory(err, "a job");
            for (uint64_t i = 0; !rc && i < members; i++)
                ranks[i] = (uint32_t)weft_astra_group_member(w->t, scope, w->nranks, g, i);
            groups[n++] = (struct weft_group){.name = name, .ranks = ranks, .n = (uint32_t)members};
        }
    }
    if (!rc)
        rc = weft_groups_write(w->groups, groups, n, err);
    weft_arena_free(arena);
    return rc;
}

static int astra_text_job_write_rank(void *ctx, uint64_t rank, const char *path,
                                     struct weft_err *err)
{
    const struct writing *w = (const struct writing *)ctx;
    struct weft_arena *arena = weft_arena_new();
    struct weft_et *et = NULL;
    int rc =
        arena ? weft_astra_text_et(w->t, w->nranks, w->passes, rank, false, arena, &et, NULL, err)
              : weft_err_no_memory(err, "a job");
    if (!rc && rank == 0) /* the last */
        rc = write_groups(w, err);
    if (!rc)
        rc = weft_chakra_write_et(et, path, err);
    weft_arena_free(arena);
    return rc;
}

int weft_astra_text_write(const struct weft_astra_text *t, uint64_t nranks, uint64_t passes,
                          const char *prefix, struct weft_err *err)
{
    char groups[WEFT_PATH_MAX];
    const struct writing w = {t, nranks, passes, groups};
    if (weft_astra_groups_check(t, nranks, err))
        return err->code;
    const int len =
        snprintf(groups, sizeof groups, "%.*s.json", (int)weft_trace_stem(prefix), prefix);
    if (len < 0 || (size_t)len >= sizeof groups)
        return weft_err_set(err, WEFT_E_INPUT, "the prefix '%s' is too long", prefix);
    return weft_trace_write(prefix, nranks, astra_text_job_write_rank, (void *)&w, err);
}

static int scale(struct weft_astra_text *t, const struct weft_astra_text_params *p,
                 struct weft_err *err)
{
    for (uint64_t l = 0; l < t->nlayers; l++)
        for (int k = 0; k < WEFT_ASTRA_PARTS; k++) {
            const double ps = (double)t->layers[l].part[k].compute_ps * p->compute_scale;
            const double bytes = (double)t->layers[l].part[k].bytes * p->comm_scale;
            if (ps > 9e18 || bytes > 9e18)
                return weft_err_set(err, WEFT_E_INPUT,
                                    "%s: layer '%s' is too large with compute-scale=%g and "
                                    "comm-scale=%g",
                                    t->file, t->layers[l].name, p->compute_scale, p->comm_scale);
            if (p->compute_scale != 1)
                t->layers[l].part[k].compute_ps = (int64_t)llround(ps);
            if (p->comm_scale != 1)
                t->layers[l].part[k].bytes = (uint64_t)llround(bytes);
            t->layers[l].part[k].coll = t->layers[l].part[k].coll && t->layers[l].part[k].bytes;
        }
    return 0;
}

/* Reads the list that @p p names, with its factors, into *out (caller frees). */
static int astra_text_open(const struct weft_astra_text_params *p, struct weft_astra_text **out,
                           struct weft_err *err)
{
    if (!p->file || !*p->file)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'astra-text' needs 'file', the list of layers");
    int rc = weft_astra_text_read(p->file, (enum weft_astra_dialect)p->dialect, out, err);
    if (rc)
        return rc;
    (*out)->first = p->first;
    rc = scale(*out, p, err);
    if (rc)
        weft_astra_text_free(*out);
    return rc;
}

static int load(const void *params, uint32_t nranks, struct weft_workload **out,
                struct weft_err *err)
{
    const struct weft_astra_text_params *p = (const struct weft_astra_text_params *)params;
    struct weft_astra_text *t;
    uint32_t n;
    int rc = astra_text_open(p, &t, err);
    if (rc)
        return rc;
    rc = weft_workload_ranks("astra-text", p->ranks, nranks, &n, err);
    if (!rc)
        rc = weft_astra_text_job(t, n, p->passes, out, err);
    weft_astra_text_free(t);
    return rc;
}

static int write_files(const void *params, const char *prefix, uint64_t *nranks,
                       struct weft_err *err)
{
    const struct weft_astra_text_params *p = (const struct weft_astra_text_params *)params;
    struct weft_astra_text *t;
    int rc = astra_text_open(p, &t, err);
    if (rc)
        return rc;
    *nranks = p->ranks ? p->ranks : t->all_gpus;
    if (*nranks == 0 || *nranks > WEFT_TRACE_RANKS_MAX)
        rc = weft_err_set(err, WEFT_E_INPUT,
                          "workload 'astra-text': ranks must be 1 .. %" PRIu32 ", got %" PRIu64,
                          WEFT_TRACE_RANKS_MAX, *nranks);
    if (!rc)
        rc = weft_astra_text_write(t, *nranks, p->passes, prefix, err);
    weft_astra_text_free(t);
    return rc;
}

static int describe(const void *params, char *buf, size_t size, struct weft_err *err)
{
    struct weft_astra_text *t;
    int rc = astra_text_open((const struct weft_astra_text_params *)params, &t, err);
    if (rc)
        return rc;
    const int n = snprintf(buf, size, "%s, %" PRIu64 " layers, read as %s writes it\n",
                           weft_astra_policy_word(t->policy), t->nlayers,
                           t->dialect == WEFT_ASTRA_DIALECT_SIMAI ? "SimAI" : "ASTRA-sim 1.0");
    if (t->notes && n > 0 && (size_t)n < size)
        snprintf(buf + n, size - (size_t)n, "%s", t->notes);
    weft_astra_text_free(t);
    return 0;
}

const struct weft_workload_ops weft_workload_astra_text = {
    .name = "astra-text",
    .title = "text workloads of ASTRA-sim 1.0 and SimAI: lists of layers with a training loop",
    .source = "ASTRA-sim 1.0 and SimAI, Workload.cc; AICB",
    .params = WEFT_PARAM_TABLE(params_table, struct weft_astra_text_params),
    .load = load,
    .write = write_files,
    .describe = describe,
};
