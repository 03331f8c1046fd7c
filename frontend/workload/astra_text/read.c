/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading layer lists. */
#include "workload/astra_text/astra_text.h"

#include "base/scan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LAYERS_MAX (UINT64_C(1) << 22)
#define SIZE_MAX_BYTES (UINT64_MAX >> 8)
#define LAYER_LEAST_BYTES 24      /* of its line: 12 columns and what separates them */
#define SIMAI_LEAST_FORWARD 4096u /* bytes */

/* A list being read. */
struct reading {
    struct weft_scan s;
    struct weft_astra_text *t;
    struct weft_err *err;
    struct weft_text notes;
    bool simai;                           /* something that only SimAI's lists have was there */
    uint64_t broadcasts, unplayed, small; /* collectives left out; forward ones made larger */
};

__attribute__((format(printf, 2, 3))) static int note(struct reading *r, const char *fmt, ...)
{
    char line[WEFT_ERR_MSG_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    int bad = weft_text_add(&r->notes, r->t->file, strlen(r->t->file));
    bad = bad || weft_text_add(&r->notes, ": ", 2) || weft_text_add(&r->notes, line, strlen(line));
    return bad || weft_text_add(&r->notes, "\n", 1) ? weft_err_no_memory(r->err, "a list of layers")
                                                    : 0;
}

enum key_kind { VALUE, LAYERS, IGNORED };
struct key {
    const char *name;
    enum key_kind kind;
    bool simai;    /* ASTRA-sim 1.0 has none */
    size_t offset; /* VALUE: in struct weft_astra_text; LAYERS: in struct weft_astra_layer */
};
#define FIELD(field) offsetof(struct weft_astra_text, field)
#define LAYER(field) offsetof(struct weft_astra_layer, field)
static const struct key keys[] = {
    {"model_parallel_NPU_group", VALUE, false, FIELD(tp)},
    {"ep", VALUE, true, FIELD(ep)},
    {"expert_parallel_npu_group", VALUE, true, FIELD(ep)},
    {"pp", VALUE, true, FIELD(pp)},
    {"vpp", VALUE, true, FIELD(vpp)},
    {"ga", VALUE, true, FIELD(ga)},
    {"all_gpus", VALUE, true, FIELD(all_gpus)},
    {"pp_comm", VALUE, true, FIELD(pp_bytes)},
    {"mode", IGNORED, true, 0},
    {"DLRM_LAST_BOTTOM_LAYER", VALUE, true, FIELD(last_bottom)},
    {"checkpoints", LAYERS, false, LAYER(checkpoint)},
    {"checkpoint_initiates", LAYERS, false, LAYER(initiates)},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

/* Layers that a key of the first line names, until there are layers. */
struct named {
    uint64_t *list, n;
    int64_t line, col;
};
struct header {
    struct named layers[KEYS];
};

/* A whole number; AICB divides some, so that they end in ".0". */
static int whole(struct reading *r, const char *what, uint64_t *out)
{
    if (weft_scan_need(&r->s, what, r->err))
        return r->err->code;
    char *dot = strchr(r->s.tok, '.');
    if (dot && dot[1] && strspn(dot + 1, "0") == strlen(dot + 1))
        *dot = '\0';
    r->s.again = true;
    return weft_scan_u64(&r->s, what, SIZE_MAX_BYTES, out, r->err);
}

static const struct key *find_key(struct reading *r)
{
    const char *names[KEYS];
    char *tok = r->s.tok;
    const size_t len = strlen(tok);
    if (len && tok[len - 1] == ':')
        tok[len - 1] = '\0';
    for (size_t k = 0; k < KEYS; k++) {
        names[k] = keys[k].name;
        if (strcmp(tok, names[k]) == 0)
            return &keys[k];
    }
    weft_scan_err(&r->s, r->err, WEFT_E_INPUT, "unknown key '%s' in the first line%s", tok,
                  WEFT_MEANT(tok, names, KEYS, ""));
    return NULL;
}

static int read_list(struct reading *r, const char *what, struct named *out)
{
    out->line = r->s.tok_line;
    out->col = r->s.tok_col;
    uint64_t n;
    int rc = whole(r, what, &n);
    if (!rc && n > r->s.len)
        rc = weft_scan_err(&r->s, r->err, WEFT_E_INPUT,
                           "%s: %" PRIu64 " layers are more than there can be", what, n);
    if (rc)
        return rc;
    out->list = weft_arena_calloc(r->t->arena, n, sizeof *out->list);
    for (out->n = 0; out->list && !rc && out->n < n; out->n++)
        rc = whole(r, what, &out->list[out->n]);
    return out->list ? rc : weft_err_no_memory(r->err, "a list of layers");
}

/* The rest of the first line, and the number of layers. */
static int astra_text_read_header(struct reading *r, struct header *h)
{
    struct weft_astra_text *t = r->t;
    const bool dlrm = weft_astra_policy_loop(t->policy) == WEFT_ASTRA_LOOP_DLRM;
    bool positional = dlrm;
    for (;;) {
        int rc = weft_scan_need(&r->s, "the number of layers", r->err);
        if (rc)
            return rc;
        if (strchr("0123456789+-.", r->s.tok[0])) {
            r->s.again = true;
            if (!positional)
                break;
            positional = false;
            if ((rc = whole(r, "the last bottom layer", &t->last_bottom)))
                return rc;
            continue;
        }
        const struct key *k = find_key(r);
        if (!k)
            return r->err->code;
        uint64_t ignored;
        r->simai = r->simai || k->simai;
        positional = positional && k->offset != FIELD(last_bottom);
        if (k->kind == LAYERS)
            rc = read_list(r, k->name, &h->layers[k - keys]);
        else
            rc = whole(r, k->name,
                       k->kind == VALUE ? (uint64_t *)((char *)t + k->offset) : &ignored);
        if (rc)
            return rc;
    }
    return weft_scan_u64(&r->s, "the number of layers", LAYERS_MAX, &t->nlayers, r->err);
}

static int read_policy(struct reading *r, enum weft_astra_policy *out)
{
    const char *words[WEFT_ASTRA_POLICIES];
    int rc = weft_scan_need(&r->s, "a parallelism policy", r->err);
    if (rc)
        return rc;
    for (int k = 0; k < WEFT_ASTRA_POLICIES; k++) {
        words[k] = weft_astra_policy_word((enum weft_astra_policy)k);
        if (strcmp(r->s.tok, words[k]) == 0) {
            *out = (enum weft_astra_policy)k;
            return 0;
        }
    }
    return weft_scan_err(&r->s, r->err, WEFT_E_INPUT, "unknown parallelism policy '%s'%s", r->s.tok,
                         WEFT_MEANT(r->s.tok, words, WEFT_ASTRA_POLICIES,
                                    "; there are DATA, MODEL, HYBRID_TRANSFORMER, ..."));
}

/* The scope that a suffix of a type stands for. */
static int read_suffix(struct reading *r, const char *suffix, enum weft_astra_scope *scope)
{
    if (*suffix == '\0')
        return 0;
    r->simai = true;
    if (strcmp(suffix, "_EP") == 0)
        *scope = WEFT_ASTRA_EP;
    else if (strcmp(suffix, "_DP_EP") == 0)
        *scope = WEFT_ASTRA_DP_EP;
    else
        return weft_scan_err(
            &r->s, r->err, WEFT_E_INPUT,
            "unknown group '%s'; there are none (tensor or data parallel), _EP and "
            "_DP_EP",
            suffix);
    if (r->t->tp == 0 || r->t->ep == 0)
        return weft_scan_err(
            &r->s, r->err, WEFT_E_INPUT,
            "the group '%s' needs model_parallel_NPU_group and ep in the first line", suffix + 1);
    return 0;
}

static int read_type(struct reading *r, struct weft_astra_layer *l, enum weft_astra_part k,
                     enum weft_astra_scope scope)
{
    static const struct {
        const char *word;
        enum weft_coll_kind kind;
    } types[] = {{"ALLREDUCE", WEFT_COLL_ALL_REDUCE},
                 {"ALLTOALL", WEFT_COLL_ALL_TO_ALL},
                 {"ALLGATHER", WEFT_COLL_ALL_GATHER},
                 {"REDUCESCATTER", WEFT_COLL_REDUCE_SCATTER}};
    static const char *const words[] = {"NONE",      "ALLREDUCE",     "ALLTOALL",
                                        "ALLGATHER", "REDUCESCATTER", "BROADCAST"};
    const char *tok = r->s.tok;
    if (strcmp(tok, "NONE") == 0)
        return 0;
    if (strcmp(tok, "BROADCAST") == 0) {
        r->broadcasts++;
        r->simai = true;
        return 0;
    }
    if (strcmp(tok, "ALLREDUCEALLTOALL") == 0)
        return weft_scan_err(
            &r->s, r->err, WEFT_E_INPUT,
            "ALLREDUCEALLTOALL has no group that plays it, there or here; nearest: "
            "a layer with ALLREDUCE and one with ALLTOALL");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t len = strlen(types[i].word);
        if (strncmp(tok, types[i].word, len) != 0 || (tok[len] && tok[len] != '_'))
            continue;
        l->part[k].coll = true;
        l->part[k].kind = types[i].kind;
        l->part[k].scope = scope;
        return read_suffix(r, tok + len, &l->part[k].scope);
    }
    return weft_scan_err(&r->s, r->err, WEFT_E_INPUT, "unknown collective '%s'%s", tok,
                         WEFT_MEANT(tok, words, sizeof words / sizeof words[0], ""));
}

/* The next column of a layer, which is in the same line. */
static int column(struct reading *r, const struct weft_astra_layer *l, const char *what)
{
    int rc = weft_scan_need(&r->s, what, r->err);
    if (!rc && (uint64_t)r->s.tok_line != l->line)
        rc = weft_scan_err(&r->s, r->err, WEFT_E_INPUT,
                           "expected %s of layer '%s', whose line %" PRIu64 " has too few columns",
                           what, l->name, l->line);
    return rc;
}

static int time_column(struct reading *r, const struct weft_astra_layer *l, const char *what,
                       int64_t *out)
{
    int rc = column(r, l, what);
    r->s.again = true;
    return rc ? rc : weft_scan_time(&r->s, what, "ns", out, r->err);
}

static int read_part(struct reading *r, struct weft_astra_layer *l, enum weft_astra_part k)
{
    static const char *const what[WEFT_ASTRA_PARTS][3] = {
        {"the compute time of the forward pass", "the collective of the forward pass",
         "its size in bytes"},
        {"the compute time of the input gradient", "the collective of the input gradient",
         "its size in bytes"},
        {"the compute time of the weight gradient", "the collective of the weight gradient",
         "its size in bytes"}};
    int rc = time_column(r, l, what[k][0], &l->part[k].compute_ps);
    if (!rc)
        rc = column(r, l, what[k][1]);
    if (!rc)
        rc = read_type(r, l, k, weft_astra_policy_scope(r->t->policy, k));
    if (!rc)
        rc = column(r, l, what[k][2]);
    r->s.again = true;
    return rc ? rc : weft_scan_u64(&r->s, what[k][2], SIZE_MAX_BYTES, &l->part[k].bytes, r->err);
}

/* HYBRID_CUSTOMIZED: the policy of one layer. */
static int read_own_policy(struct reading *r, struct weft_astra_layer *l)
{
    enum weft_astra_policy own = WEFT_ASTRA_POLICIES;
    int rc = column(r, l, "the policy");
    r->s.again = true;
    if (!rc)
        rc = read_policy(r, &own);
    if (!rc && (own == WEFT_ASTRA_CUSTOMIZED ||
                weft_astra_policy_loop(own) == WEFT_ASTRA_LOOP_TRANSFORMER))
        rc =
            weft_scan_err(&r->s, r->err, WEFT_E_INPUT,
                          "%s can't be the policy of one layer: the size of its groups would be in "
                          "the first line",
                          weft_astra_policy_word(own));
    for (int k = 0; !rc && k < WEFT_ASTRA_PARTS; k++)
        l->part[k].scope = weft_astra_policy_scope(own, (enum weft_astra_part)k);
    return rc;
}

static int read_layer(struct reading *r, uint64_t i)
{
    struct weft_astra_text *t = r->t;
    struct weft_astra_layer *l = &t->layers[i];
    if (!weft_scan_next(&r->s))
        return weft_scan_err(&r->s, r->err, WEFT_E_INPUT,
                             "the file announces %" PRIu64 " layers, but ends after %" PRIu64,
                             t->nlayers, i);
    l->line = (uint64_t)r->s.tok_line;
    l->name = weft_arena_strdup(t->arena, r->s.tok);
    if (!l->name)
        return weft_err_no_memory(r->err, "a list of layers");
    int rc = column(r, l, "the dependency (-1)"); /* nobody reads it */
    for (int k = 0; !rc && k < WEFT_ASTRA_PARTS; k++)
        rc = read_part(r, l, (enum weft_astra_part)k);
    if (!rc)
        rc = time_column(r, l, "the update time", &l->update_ps);
    if (!rc && t->policy == WEFT_ASTRA_CUSTOMIZED)
        rc = read_own_policy(r, l);
    if (rc || !weft_scan_next(&r->s))
        return rc;
    if ((uint64_t)r->s.tok_line == l->line)
        return weft_scan_err(&r->s, r->err, WEFT_E_INPUT, "layer '%s' has more than %d columns",
                             l->name, t->policy == WEFT_ASTRA_CUSTOMIZED ? 13 : 12);
    r->s.again = true;
    return 0;
}

/* Settles which collectives of a layer are played. */
static void astra_text_read_resolve(struct reading *r, uint64_t i)
{
    struct weft_astra_layer *l = &r->t->layers[i];
    const bool dlrm = weft_astra_policy_loop(r->t->policy) == WEFT_ASTRA_LOOP_DLRM;
    for (int k = 0; k < WEFT_ASTRA_PARTS; k++) {
        if (l->part[k].coll && dlrm && i == 0)
            l->part[k].scope = WEFT_ASTRA_ALL;
        if (!l->part[k].coll)
            continue;
        l->part[k].coll = l->part[k].bytes > 0 && l->part[k].scope != WEFT_ASTRA_NONE;
        r->unplayed += l->part[k].bytes > 0 && !l->part[k].coll;
    }
    uint64_t *forward = &l->part[WEFT_ASTRA_FORWARD].bytes;
    if (r->t->dialect == WEFT_ASTRA_DIALECT_SIMAI && r->t->policy == WEFT_ASTRA_CHECKPOINTED &&
        l->part[WEFT_ASTRA_FORWARD].coll && *forward < SIMAI_LEAST_FORWARD) {
        *forward = SIMAI_LEAST_FORWARD;
        r->small++;
    }
}

/* Marks the layers that checkpoints and checkpoint_initiates name. */
static int mark(struct reading *r, const struct header *h)
{
    for (int k = 0; k < KEYS; k++)
        for (uint64_t i = 0; keys[k].kind == LAYERS && i < h->layers[k].n; i++) {
            const uint64_t layer = h->layers[k].list[i];
            if (layer >= r->t->nlayers)
                return weft_err_at(r->err, WEFT_E_INPUT, r->t->file, h->layers[k].line,
                                   h->layers[k].col,
                                   "%s names layer %" PRIu64 ", but the last one is %" PRIu64,
                                   keys[k].name, layer, r->t->nlayers - 1);
            *(bool *)((char *)&r->t->layers[layer] + keys[k].offset) = true;
        }
    return 0;
}

/* Each layer that repeats a forward pass must come to a checkpoint before another that does. */
static int check_repeats(const struct reading *r)
{
    const struct weft_astra_text *t = r->t;
    for (uint64_t i = 0; i < t->nlayers; i++) {
        if (!t->layers[i].initiates)
            continue;
        uint64_t c = i;
        while (c > 0 && !t->layers[c].checkpoint && (c == i || !t->layers[c].initiates))
            c--;
        if (!t->layers[c].checkpoint || c == i || t->layers[c].initiates)
            return weft_err_at(r->err, WEFT_E_INPUT, t->file, 1, 1,
                               "checkpoint_initiates names layer %" PRIu64
                               " ('%s'), but no layer of `checkpoints` is between it and the one "
                               "before that repeats its forward pass",
                               i, t->layers[i].name);
    }
    return 0;
}

static int check_header(const struct reading *r)
{
    const struct weft_astra_text *t = r->t;
    const enum weft_astra_loop loop = weft_astra_policy_loop(t->policy);
    if (t->nlayers == 0)
        return weft_scan_err(&r->s, r->err, WEFT_E_INPUT,
                             "the number of layers must be at least 1");
    if (loop == WEFT_ASTRA_LOOP_TRANSFORMER && t->tp == 0)
        return weft_err_at(r->err, WEFT_E_INPUT, t->file, 1, 1,
                           "%s needs 'model_parallel_NPU_group: N' with N of at least 1",
                           weft_astra_policy_word(t->policy));
    if (t->tp > UINT32_MAX || t->ep > UINT32_MAX)
        return weft_err_at(r->err, WEFT_E_INPUT, t->file, 1, 1,
                           "groups of more than %" PRIu32 " ranks", UINT32_MAX);
    if (loop == WEFT_ASTRA_LOOP_DLRM && t->last_bottom >= t->nlayers)
        return weft_err_at(r->err, WEFT_E_INPUT, t->file, 1, 1,
                           "the last bottom layer is %" PRIu64 ", but the last one is %" PRIu64,
                           t->last_bottom, t->nlayers - 1);
    return 0;
}

/* What is in the file and not played. */
static int astra_text_read_say(struct reading *r)
{
    const struct weft_astra_text *t = r->t;
    const bool simai = t->dialect == WEFT_ASTRA_DIALECT_SIMAI;
    int rc = 0;
    if (weft_scan_next(&r->s))
        rc = note(r, "what follows layer %" PRIu64 ", from line %" PRId64 " on, is ignored",
                  t->nlayers, r->s.tok_line);
    if (!rc && r->broadcasts)
        rc = note(r, "%" PRIu64 " BROADCAST%s not played: SimAI has none", r->broadcasts,
                  r->broadcasts > 1 ? "s are" : " is");
    if (!rc && r->unplayed)
        rc = note(r, "%" PRIu64 " collective%s not played: the policy has no group for %s",
                  r->unplayed, r->unplayed > 1 ? "s are" : " is", r->unplayed > 1 ? "them" : "it");
    if (!rc && r->small)
        rc = note(r,
                  "%" PRIu64
                  " collective%s of the forward pass below %u bytes: played with that, as in SimAI",
                  r->small, r->small > 1 ? "s" : "", SIMAI_LEAST_FORWARD);
    if (!rc && t->policy == WEFT_ASTRA_MICRO && t->nlayers > 1)
        rc = simai ? note(r,
                          "MICRO: the collectives of all %" PRIu64
                          " layers are played one after the other "
                          "over all ranks (in SimAI only the first)",
                          t->nlayers)
                   : note(r,
                          "MICRO plays the collective of the first of %" PRIu64
                          " layers only, as in ASTRA-sim; dialect=simai plays all",
                          t->nlayers);
    if (!rc && t->pp > 1)
        rc = note(r,
                  "pp: %" PRIu64
                  ": the layers are those of one pipeline stage, which all ranks play, as in "
                  "SimAI's simulation",
                  t->pp);
    return rc;
}

/* Layers that AICB's lists have, also those from before their first line had keys of SimAI's. */
static bool is_aicb_name(const char *name)
{
    static const char *const names[] = {"micro_test", "grad_gather", "grad_norm",
                                        "embedding_layer"};
    return WEFT_IS_ONE_OF(name, names);
}

static int astra_text_read_all(struct reading *r, enum weft_astra_dialect dialect)
{
    struct weft_astra_text *t = r->t;
    struct header h = {0};
    int rc = read_policy(r, &t->policy);
    if (!rc)
        rc = astra_text_read_header(r, &h);
    if (!rc)
        rc = check_header(r);
    const uint64_t room = r->s.len / LAYER_LEAST_BYTES + 1;
    if (!rc)
        t->layers =
            weft_arena_calloc(t->arena, t->nlayers < room ? t->nlayers : room, sizeof *t->layers);
    if (!rc && !t->layers)
        rc = weft_err_no_memory(r->err, "a list of layers");
    for (uint64_t i = 0; !rc && i < t->nlayers; i++)
        rc = read_layer(r, i);
    if (rc)
        return rc;
    for (uint64_t i = 0; i < t->nlayers; i++)
        r->simai = r->simai || is_aicb_name(t->layers[i].name);
    t->dialect = dialect ? dialect : r->simai ? WEFT_ASTRA_DIALECT_SIMAI : WEFT_ASTRA_DIALECT_1;
    for (uint64_t i = 0; i < t->nlayers; i++)
        astra_text_read_resolve(r, i);
    rc = mark(r, &h);
    if (!rc)
        rc = check_repeats(r);
    if (!rc)
        rc = astra_text_read_say(r);
    t->notes = r->notes.s;
    return rc;
}

int weft_astra_text_read(const char *path, enum weft_astra_dialect dialect,
                         struct weft_astra_text **out, struct weft_err *err)
{
    struct weft_err local = {0};
    struct weft_arena *arena = weft_arena_new();
    struct reading r = {.err = err ? err : &local, .notes = {.arena = arena}};
    *out = NULL;
    r.t = arena ? weft_arena_calloc(arena, 1, sizeof *r.t) : NULL;
    const char *file = r.t ? weft_arena_strdup(arena, path) : NULL;
    int rc =
        file ? weft_scan_open(&r.s, file, r.err) : weft_err_no_memory(r.err, "a list of layers");
    if (!rc) {
        r.t->arena = arena;
        r.t->file = file;
        rc = astra_text_read_all(&r, dialect);
        weft_scan_close(&r.s);
    }
    if (rc)
        weft_arena_free(arena);
    else
        *out = r.t;
    return rc;
}

bool weft_astra_text_is(const char *path)
{
    struct weft_scan s;
    struct weft_err ignored = {0};
    bool found = false;
    if (weft_scan_open(&s, path, &ignored))
        return false;
    if (weft_scan_next(&s))
        for (int k = 0; k < WEFT_ASTRA_POLICIES; k++)
            found = found || strcmp(s.tok, weft_astra_policy_word((enum weft_astra_policy)k)) == 0;
    weft_scan_close(&s);
    return found;
}

void weft_astra_text_free(struct weft_astra_text *t)
{
    if (t)
        weft_arena_free(t->arena);
}
