/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tokens of topology files; see tokens.h. Rates and delays are ns-3's text ("100Gbps" "100Gb/s"
 * "0.001ms"); a bare rate counts bit/s.
 */
#include "topologies/tokens.h"

#include "base/file.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#undef uthash_nonfatal_oom
#define uthash_nonfatal_oom(elt) ((elt)->lost = true)
#include <uthash.h>

#define FILE_MAX (UINT64_C(1) << 30)

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static void tokens_advance(struct weft_tokens *s)
{
    if (s->text[s->pos++] == '\n') {
        s->line++;
        s->col = 1;
    } else {
        s->col++;
    }
}

bool weft_tokens_more(struct weft_tokens *s)
{
    while (s->pos < s->len && is_space(s->text[s->pos]))
        tokens_advance(s);
    s->tok_line = s->line;
    s->tok_col = s->col;
    return s->pos < s->len;
}

int weft_tokens_token(struct weft_tokens *s, const char *what)
{
    if (!weft_tokens_more(s))
        return weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                           "the file ends where %s should be", what);
    size_t n = 0;
    while (s->pos < s->len && !is_space(s->text[s->pos])) {
        unsigned char c = (unsigned char)s->text[s->pos];
        if (n + 1 < WEFT_TOKEN_MAX)
            s->tok[n] = c < 0x20 || c > 0x7e ? '?' : (char)c;
        n++;
        tokens_advance(s);
    }
    s->tok[n < WEFT_TOKEN_MAX ? n : WEFT_TOKEN_MAX - 1] = 0;
    if (n >= WEFT_TOKEN_MAX)
        return weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                           "'%s...' is too long to be %s", s->tok, what);
    return 0;
}

/* Puts the place of the current token on a nested error. */
static int at_token(struct weft_tokens *s, int rc, const char *what)
{
    weft_err_prepend(s->err, "%s", what);
    weft_err_locate(s->err, s->file, s->tok_line, s->tok_col);
    return rc;
}

int weft_tokens_count(struct weft_tokens *s, const char *what, uint64_t max, uint32_t *out)
{
    int rc = weft_tokens_token(s, what);
    if (rc)
        return rc;
    uint64_t v = 0;
    bool ok = s->tok[0] != 0;
    for (const char *c = s->tok; *c && ok; c++) {
        ok = *c >= '0' && *c <= '9' && v <= UINT32_MAX;
        v = v * 10 + (uint64_t)(*c - '0');
    }
    if (!ok)
        return weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                           "%s must be a whole number, got '%s'", what, s->tok);
    if (v > max)
        return weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                           "%s must be at most %" PRIu64 ", got %s", what, max, s->tok);
    *out = (uint32_t)v;
    return 0;
}

/* Reads a rate: ns-3's text, or a bare number of bit/s. */
static int rate(struct weft_tokens *s, uint64_t *out)
{
    int rc = weft_tokens_token(s, "a link rate");
    if (rc)
        return rc;
    char text[WEFT_TOKEN_MAX + 4];
    bool bare = strspn(s->tok, "0123456789.") == strlen(s->tok);
    snprintf(text, sizeof text, "%s%s", s->tok, bare ? "bps" : "");
    rc = weft_parse_rate_bps(text, out, s->err);
    if (rc)
        return at_token(s, rc, "link rate");
    if (*out == 0)
        return weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                           "the link rate must be above 0, got '%s'", s->tok);
    return 0;
}

/* Reads "node node rate delay error-rate" into @p link. */
static int read_link(struct weft_tokens *s, const struct weft_fabric *f,
                     struct weft_fabric_link *link)
{
    const uint64_t max = f->nnodes - 1;
    int rc = weft_tokens_count(s, "the first node of a link", max, &link->a);
    if (!rc)
        rc = weft_tokens_count(s, "the second node of a link", max, &link->b);
    if (!rc && link->a == link->b)
        rc = weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                         "the link joins node %u to itself", link->b);
    if (!rc)
        rc = rate(s, &link->rate_bps);
    if (!rc)
        rc = weft_tokens_token(s, "a link delay");
    if (!rc && (rc = weft_parse_time_ps(s->tok, &link->delay_ps, s->err)))
        return at_token(s, rc, "link delay");
    if (!rc)
        rc = weft_tokens_token(s, "a link error rate");
    if (!rc && (rc = weft_parse_f64(s->tok, &link->error_rate, s->err)))
        return at_token(s, rc, "link error rate");
    if (!rc && !(link->error_rate >= 0.0 && link->error_rate <= 1.0))
        rc = weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                         "the link error rate must be a probability from 0 to 1, got '%s'", s->tok);
    return rc;
}

/* A pair of nodes with a link. */
struct pair {
    uint64_t nodes; /* the lower id << 32 | the higher */
    uint32_t link;
    bool lost; /* there was no memory to keep it */
    UT_hash_handle hh;
};

/* The link between the nodes of @p link: that of @p of, or a new one. */
static int link_of_pair(struct pair **pairs, struct pair *of, struct weft_fabric *f,
                        const struct weft_fabric_link *link, struct weft_err *err)
{
    const uint64_t low = link->a < link->b ? link->a : link->b,
                   high = link->a < link->b ? link->b : link->a;
    struct pair *p;
    of->nodes = low << 32 | high;
    HASH_FIND(hh, *pairs, &of->nodes, sizeof of->nodes, p);
    if (p) {
        f->links[p->link] = *link;
        return 0;
    }
    HASH_ADD(hh, *pairs, nodes, sizeof of->nodes, of);
    if (of->lost)
        return weft_err_no_memory(err, "the links");
    return weft_fabric_add_link(f, link, &of->link, err);
}

int weft_tokens_links(struct weft_tokens *s, struct weft_fabric *f, uint32_t n)
{
    enum { LEAST = 9 };                     /* characters of a link: "0 1 1 0 0" */
    const size_t most = s->len / LEAST + 1; /* that the file has, whatever its header says */
    struct pair *pairs = NULL, *list = calloc(n < most ? n + 1 : most + 1, sizeof *list);
    int64_t line = 0, col = 0; /* of the first that is listed again */
    struct weft_fabric_link twice = {0};
    int rc = list ? 0 : weft_err_set(s->err, WEFT_E_LIMIT, "out of memory for %u links", n);
    for (uint32_t i = 0; i < n && !rc; i++) {
        struct weft_fabric_link link = {0};
        const uint32_t before = f->nlinks;
        weft_tokens_more(s);
        const int64_t at_line = s->tok_line, at_col = s->tok_col;
        rc = read_link(s, f, &link);
        if (!rc && (rc = link_of_pair(&pairs, &list[i], f, &link, s->err)))
            at_token(s, rc, "link");
        if (!rc && f->nlinks == before && !line) {
            line = at_line;
            col = at_col;
            twice = link;
        }
    }
    HASH_CLEAR(hh, pairs);
    free(list);
    if (!rc && line)
        rc =
            weft_fabric_note(f, s->err,
                             "%s:%" PRId64 ":%" PRId64
                             ": %u of the %u links join nodes that a link before them joins, from "
                             "here on (%u and %u): the last of a pair counts, as in the simulator; "
                             "weft's own topology file has parallel links",
                             s->file, line, col, n - f->nlinks, n, twice.a, twice.b);
    return rc;
}

int weft_tokens_ids(struct weft_tokens *s, const char *what, uint32_t n, uint32_t nnodes,
                    unsigned char mark, unsigned char *kinds)
{
    int rc = 0;
    for (uint32_t i = 0; i < n && !rc; i++) {
        uint32_t id = 0;
        rc = weft_tokens_count(s, what, nnodes - 1, &id);
        if (!rc && kinds[id])
            rc = weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                             "switch %u is listed twice", id);
        if (!rc)
            kinds[id] = mark;
    }
    return rc;
}

int weft_tokens_rest(struct weft_tokens *s, struct weft_fabric *f, uint32_t nlinks)
{
    if (!weft_tokens_more(s))
        return 0;
    struct weft_err *const err = s->err;
    struct weft_err too_long = {0};
    s->err = &too_long;
    weft_tokens_token(s, "");
    s->err = err;
    return weft_fabric_note(f, err,
                            "%s:%" PRId64 ":%" PRId64
                            ": ignored from '%s' on: it follows the last of the %u links that the "
                            "header announces",
                            s->file, s->tok_line, s->tok_col, s->tok, nlinks);
}

/* Reads the whole file. */
static int tokens_open(struct weft_tokens *s, const char *file, struct weft_err *err)
{
    *s = (struct weft_tokens){.file = file, .line = 1, .col = 1, .err = err};
    return weft_file_read(file, FILE_MAX, &s->text, &s->len, err);
}

static void tokens_close(struct weft_tokens *s)
{
    free(s->text);
    s->text = NULL;
}

int weft_tokens_build(const char *name, const char *file, weft_tokens_parse_fn *parse,
                      const void *params, struct weft_fabric **out, struct weft_err *err)
{
    struct weft_err local = {0};
    struct weft_tokens s;
    err = err ? err : &local;
    *out = NULL;
    if (!file || !file[0])
        return weft_err_set(err, WEFT_E_INPUT, "%s: 'file' must be given", name);
    int rc = tokens_open(&s, file, err);
    struct weft_fabric *f = rc ? NULL : weft_fabric_new();
    if (!rc)
        rc = f ? parse(&s, f, params) : weft_err_no_memory(err, "a fabric");
    tokens_close(&s);
    if (rc)
        weft_fabric_free(f);
    else
        *out = f;
    return rc;
}

int weft_tokens_finish(struct weft_tokens *s, struct weft_fabric *f, const char *name)
{
    const int rc = weft_fabric_finish(f, s->err);
    if (!rc || !strstr(s->err->msg, "hosts do not forward"))
        return rc;
    const struct weft_err cut = *s->err;
    return weft_err_set(s->err, cut.code, "%s; with %s.hosts-forward=true they do", cut.msg, name);
}

void weft_tokens_error_rate(struct weft_fabric *f, double rate)
{
    for (uint32_t l = 0; l < f->nlinks; l++)
        if (f->links[l].error_rate == 0)
            f->links[l].error_rate = rate;
}
