/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text form of GOAL, read.
 *
 *   num_ranks N
 *   rank R {
 *   [label:] send SIZEb to PEER [tag T] [cpu C] [nic K]
 *   [label:] recv SIZEb from PEER [tag T] [cpu C] [nic K]
 *   [label:] calc UNITS [cpu C]
 *   label requires label        label irequires label
 *   }
 *
 * One statement per line; blocks from rank 0 to N - 1, all there. Comments are those of C. Labels
 * belong to their rank, and are defined before they are used.
 */
#include "workload/goal/goal_internal.h"
#include "workload/trace_files.h"

#include "base/grow.h"
#include "base/hash_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct label {
    UT_hash_handle hh;
    uint32_t op;
    bool lost; /* out of memory for the table */
};

struct reader {
    struct weft_goal *g;
    struct weft_err *err;
    const char *file;
    char *at, *end; /* what is left */
    char *line_start;
    int64_t line;
    struct weft_goal_op *ops; /* of the rank being read */
    struct weft_goal_dep *deps;
    uint32_t nops, ndeps, op_cap, dep_cap;
    struct label *labels;
    uint32_t rank;
};

#define goal_text_fail(r, place, ...)                                                              \
    weft_err_at((r)->err, WEFT_E_INPUT, (r)->file, (r)->line, (place) - (r)->line_start + 1,       \
                __VA_ARGS__)

static void blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

/* Passes over blanks, line ends and comments. */
static int space(struct reader *r)
{
    while (r->at < r->end) {
        if (*r->at == '\n') {
            r->line++;
            r->line_start = ++r->at;
        } else if (*r->at == ' ' || *r->at == '\t' || *r->at == '\r') {
            r->at++;
        } else if (r->end - r->at >= 2 && r->at[0] == '/' && r->at[1] == '/') {
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        } else if (r->end - r->at >= 2 && r->at[0] == '/' && r->at[1] == '*') {
            const char *from = r->at;
            for (r->at += 2; r->end - r->at >= 2 && !(r->at[0] == '*' && r->at[1] == '/'); r->at++)
                if (*r->at == '\n') {
                    r->line++;
                    r->line_start = r->at + 1;
                }
            if (r->end - r->at < 2)
                return goal_text_fail(r, from > r->line_start ? from : r->line_start,
                                      "a comment begins with /*, and no */ ends it");
            r->at += 2;
        } else {
            break;
        }
    }
    return 0;
}

/* The statement ends here: a line end, a comment, or the end of the file. */
static int end_of_line(struct reader *r)
{
    blanks(r);
    if (r->at == r->end || *r->at == '\n' || (*r->at == '/' && r->at + 1 < r->end))
        return space(r);
    return goal_text_fail(r, r->at, "'%c' is one too many: a statement ends with its line",
                          isprint((unsigned char)*r->at) ? *r->at : '?');
}

/* The word at the present place, without moving. */
static size_t word_here(const struct reader *r)
{
    size_t n = 0;
    while (r->at + n < r->end && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
        n++;
    return n;
}

static bool is(const char *word, size_t n, const char *text)
{
    return strlen(text) == n && memcmp(word, text, n) == 0;
}

static int goal_text_number(struct reader *r, const char *what, uint64_t max, uint64_t *out)
{
    blanks(r);
    const char *from = r->at;
    uint64_t v = 0;
    if (r->at == r->end || !isdigit((unsigned char)*r->at))
        return goal_text_fail(r, from, "%s is missing: a whole number", what);
    for (; r->at < r->end && isdigit((unsigned char)*r->at); r->at++) {
        const uint64_t digit = (uint64_t)(*r->at - '0');
        if (v > (UINT64_MAX - digit) / 10)
            return goal_text_fail(r, from, "%s does not fit into 64 bits", what);
        v = v * 10 + digit;
    }
    if (v > max)
        return goal_text_fail(r, from, "%s is %" PRIu64 "; at most %" PRIu64, what, v, max);
    *out = v;
    return 0;
}

/* A number or -1, which is any. */
static int number_or_any(struct reader *r, const char *what, uint64_t max, bool any, uint32_t *out)
{
    uint64_t v;
    blanks(r);
    if (r->end - r->at >= 2 && r->at[0] == '-' && r->at[1] == '1') {
        if (!any)
            return goal_text_fail(r, r->at, "%s of a send is -1, which a recv alone may have",
                                  what);
        r->at += 2;
        *out = WEFT_GOAL_ANY;
        return 0;
    }
    if (goal_text_number(r, what, max, &v))
        return r->err->code;
    *out = (uint32_t)v; /* tags modulo 2^32 */
    return 0;
}

static int keyword(struct reader *r, const char *text)
{
    blanks(r);
    const size_t n = word_here(r);
    if (!is(r->at, n, text))
        return goal_text_fail(r, r->at, "'%s' is missing here", text);
    r->at += n;
    return 0;
}

/* [tag T] [cpu C] [nic K], in any order, each once. */
static int options(struct reader *r, struct weft_goal_op *op)
{
    static const char *const names[] = {"tag", "cpu", "nic"};
    bool had[3] = {false, false, false};
    for (;;) {
        uint64_t v = 0;
        int k = 0;
        blanks(r);
        const size_t n = word_here(r);
        if (!n)
            return 0;
        while (k < 3 && !is(r->at, n, names[k]))
            k++;
        if (k == 3 || (op->kind == WEFT_GOAL_CALC && k != 1))
            return goal_text_fail(r, r->at, "'%.*s' is not known here; there %s%s",
                                  (int)(n < 40 ? n : 40), r->at,
                                  op->kind == WEFT_GOAL_CALC ? "is cpu" : "are tag, cpu and nic",
                                  op->kind == WEFT_GOAL_CALC ? "" : ", in any order");
        if (had[k])
            return goal_text_fail(r, r->at, "%s is here twice", names[k]);
        had[k] = true;
        r->at += n;
        if (k == 0 ? number_or_any(r, "the tag", UINT64_MAX, op->kind == WEFT_GOAL_RECV, &op->tag)
                   : goal_text_number(r, names[k], UINT16_MAX, &v))
            return r->err->code;
        if (k == 1)
            op->cpu = (uint32_t)v;
        else if (k == 2)
            op->nic = (uint32_t)v;
    }
}

static int goal_text_message(struct reader *r, struct weft_goal_op *op)
{
    const bool recv = op->kind == WEFT_GOAL_RECV;
    int rc = goal_text_number(r, "the size", INT64_MAX, &op->value);
    if (!rc) {
        blanks(r);
        if (r->at == r->end || *r->at != 'b')
            return goal_text_fail(r, r->at, "the size is in bytes: a b is missing behind it");
        r->at++;
        rc = keyword(r, recv ? "from" : "to");
    }
    return rc ? rc : number_or_any(r, "the rank", UINT32_MAX - 1, recv, &op->peer);
}

static int add_label(struct reader *r, const char *label, size_t n, const char *text)
{
    struct label *l;
    HASH_FIND(hh, r->labels, text, n, l);
    if (l)
        return goal_text_fail(r, label,
                              "the label '%.60s' is defined twice in rank %" PRIu32
                              ", first in line %" PRIu32,
                              text, r->rank, r->ops[l->op].line);
    l = weft_arena_alloc(r->g->arena, sizeof *l);
    if (!l)
        return weft_err_no_memory(r->err, "a GOAL schedule");
    l->op = r->nops - 1;
    HASH_ADD_KEYPTR(hh, r->labels, text, n, l);
    return l->lost ? weft_err_no_memory(r->err, "a GOAL schedule") : 0;
}

static int find_label(struct reader *r, const char *label, size_t n, uint32_t *op)
{
    struct label *l;
    HASH_FIND(hh, r->labels, label, n, l);
    if (!l)
        return goal_text_fail(r, label,
                              "rank %" PRIu32
                              " has no label '%.*s' so far; both labels of requires and "
                              "irequires are defined before it",
                              r->rank, (int)(n < 60 ? n : 60), label);
    *op = l->op;
    return 0;
}

static int goal_text_operation(struct reader *r, const char *label, size_t n,
                               enum weft_goal_kind kind, const char *from)
{
    if (r->nops == WEFT_GOAL_OPS_MAX || !WEFT_GROW(r->ops, r->nops, &r->op_cap))
        return weft_err_no_memory(r->err, "a GOAL schedule");
    struct weft_goal_op *op = &r->ops[r->nops++];
    *op = (struct weft_goal_op){.kind = (uint8_t)kind,
                                .line = (uint32_t)r->line,
                                .col = (uint32_t)(from - r->line_start + 1)};
    int rc = kind == WEFT_GOAL_CALC ? goal_text_number(r, "the time", INT64_MAX, &op->value)
                                    : goal_text_message(r, op);
    if (!rc)
        rc = options(r, op);
    if (rc || !label)
        return rc;
    op->label = weft_arena_strndup(r->g->arena, label, n);
    return op->label ? add_label(r, label, n, op->label)
                     : weft_err_no_memory(r->err, "a GOAL schedule");
}

static int dependency(struct reader *r, const char *label, size_t n)
{
    struct weft_goal_dep d = {0};
    const char *word;
    blanks(r);
    const size_t len = word_here(r);
    word = r->at;
    d.start = is(word, len, "irequires");
    if (!d.start && !is(word, len, "requires"))
        return goal_text_fail(
            r, label,
            "'%.*s' is no operation (send, recv, calc), and neither ':' nor requires nor "
            "irequires follows it",
            (int)(n < 60 ? n : 60), label);
    if (find_label(r, label, n, &d.op))
        return r->err->code;
    r->at += len;
    blanks(r);
    const size_t on = word_here(r);
    if (!on)
        return goal_text_fail(r, r->at, "a label is missing behind %s",
                              d.start ? "irequires" : "requires");
    if (find_label(r, r->at, on, &d.on))
        return r->err->code;
    if (d.on == d.op)
        return goal_text_fail(r, r->at, "an operation cannot wait for itself");
    r->at += on;
    if (r->ndeps == WEFT_GOAL_OPS_MAX || !WEFT_GROW(r->deps, r->ndeps, &r->dep_cap))
        return weft_err_no_memory(r->err, "a GOAL schedule");
    r->deps[r->ndeps++] = d;
    return 0;
}

static int statement(struct reader *r)
{
    static const struct {
        const char *name;
        enum weft_goal_kind kind;
    } kinds[] = {{"send", WEFT_GOAL_SEND}, {"recv", WEFT_GOAL_RECV}, {"calc", WEFT_GOAL_CALC}};
    static const char *const others[] = {"put",  "get",     "append", "tput",
                                         "tget", "tappend", "test",   "calcgem5"};
    const char *label = NULL, *word = r->at;
    size_t len = 0, n = word_here(r);
    if (!n || isdigit((unsigned char)*word))
        return goal_text_fail(r, word,
                              n ? "a label begins with a letter"
                                : "a statement begins with a label, send, recv or calc");
    r->at += n;
    blanks(r);
    if (r->at < r->end && *r->at == ':') {
        label = word;
        len = n;
        r->at++;
        blanks(r);
        word = r->at;
        n = word_here(r);
        r->at += n;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (is(word, n, kinds[k].name))
            return goal_text_operation(r, label, len, kinds[k].kind, label ? label : word);
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (is(word, n, others[k]))
            return goal_text_fail(
                r, word,
                "'%s' belongs to the dialect of LogGOPSim 2 (sPIN), which weft does not "
                "play; there are send, recv and calc",
                others[k]);
    return label ? goal_text_fail(r, word,
                                  "an operation is missing behind the label: send, recv or calc")
                 : dependency(r, word, n);
}

/* Hands the rank that was read to the schedule. */
static int keep_rank(struct reader *r)
{
    struct weft_goal_rank *k = &r->g->ranks[r->rank];
    k->ops = weft_arena_calloc(r->g->arena, r->nops, sizeof *k->ops);
    k->deps = weft_arena_calloc(r->g->arena, r->ndeps, sizeof *k->deps);
    if (!k->ops || !k->deps)
        return weft_err_no_memory(r->err, "a GOAL schedule");
    if (r->nops)
        memcpy(k->ops, r->ops, r->nops * sizeof *k->ops);
    if (r->ndeps)
        memcpy(k->deps, r->deps, r->ndeps * sizeof *k->deps);
    k->nops = r->nops;
    k->ndeps = r->ndeps;
    return 0;
}

static int rank_block(struct reader *r)
{
    uint64_t number_of = 0;
    const char *from = r->at;
    if (r->at == r->end)
        return goal_text_fail(r, from, "the schedule ends before rank %" PRIu32 " of %" PRIu32,
                              r->rank, r->g->nranks);
    int rc = keyword(r, "rank");
    if (!rc)
        rc = goal_text_number(r, "the rank", UINT32_MAX, &number_of);
    if (!rc && number_of != r->rank)
        return goal_text_fail(r, from,
                              "this is rank %" PRIu64 ", but rank %" PRIu32
                              " must follow: all ranks, in ascending order, also idle ones",
                              number_of, r->rank);
    if (!rc)
        rc = space(r);
    if (!rc && (r->at == r->end || *r->at != '{'))
        return goal_text_fail(r, r->at, "a { is missing behind rank %" PRIu32, r->rank);
    r->at += !rc;
    r->nops = r->ndeps = 0;
    rc = rc ? rc : space(r);
    while (!rc && r->at < r->end && *r->at != '}') {
        rc = statement(r);
        rc = rc ? rc : end_of_line(r);
    }
    if (!rc && r->at == r->end)
        return goal_text_fail(r, r->at, "the schedule ends within rank %" PRIu32 ": a } is missing",
                              r->rank);
    r->at += !rc;
    HASH_CLEAR(hh, r->labels);
    return rc ? rc : keep_rank(r);
}

static int schedule(struct reader *r, struct weft_goal **out)
{
    uint64_t n = 0;
    int rc = space(r);
    rc = rc ? rc : keyword(r, "num_ranks");
    rc = rc ? rc : goal_text_number(r, "the number of ranks", WEFT_TRACE_RANKS_MAX, &n);
    if (!rc && n == 0)
        return goal_text_fail(r, r->at, "a schedule has at least one rank");
    rc = rc ? rc : end_of_line(r);
    if (rc)
        return rc;
    r->g = *out = weft_goal_new((uint32_t)n, r->file, r->err);
    if (!r->g)
        return r->err->code;
    for (; !rc && r->rank < n; r->rank++) {
        rc = rank_block(r);
        rc = rc ? rc : space(r);
    }
    if (!rc && r->at < r->end)
        return goal_text_fail(r, r->at,
                              "the schedule has %" PRIu64 " ranks, and something follows them", n);
    return rc;
}

int weft_goal_read_text(const char *path, char *data, size_t size, struct weft_goal **out,
                        struct weft_err *err)
{
    struct reader r = {
        .err = err, .file = path, .at = data, .end = data + size, .line_start = data, .line = 1};
    const int rc = schedule(&r, out);
    HASH_CLEAR(hh, r.labels);
    free(r.ops);
    free(r.deps);
    return rc;
}
