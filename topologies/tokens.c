/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tokens of topology files; see tokens.h. Rates and delays are ns-3's text ("100Gbps" "100Gb/s"
 * "0.001ms"); a bare rate counts bit/s.
 */
#include "topologies/tokens.h"

#include "base/hash_table.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Puts the place of the current token on a nested error. */
static int tokens_locate(struct weft_tokens *s, int rc, const char *what)
{
    weft_err_prepend(s->err, "%s", what);
    weft_err_locate(s->err, s->in.file, s->in.tok_line, s->in.tok_col);
    return rc;
}

int weft_tokens_count(struct weft_tokens *s, const char *what, uint64_t max, uint32_t *out)
{
    uint64_t v = 0;
    const int rc = weft_scan_u64(&s->in, what, max, &v, s->err);
    *out = (uint32_t)v;
    return rc;
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
        rc = weft_tokens_err(s, "the link joins node %u to itself", link->b);
    if (!rc)
        rc = weft_scan_rate(&s->in, "a link rate", &link->rate_bps, s->err);
    if (!rc && link->rate_bps == 0)
        rc = weft_tokens_err(s, "the link rate must be above 0, got '%.64s'", s->in.tok);
    if (!rc)
        rc = weft_scan_need(&s->in, "a link delay", s->err);
    if (!rc && (rc = weft_parse_time_ps(s->in.tok, &link->delay_ps, s->err)))
        return tokens_locate(s, rc, "link delay");
    if (!rc)
        rc = weft_scan_f64(&s->in, "a link error rate", &link->error_rate, s->err);
    if (!rc && !(link->error_rate >= 0.0 && link->error_rate <= 1.0))
        rc = weft_tokens_err(
            s, "the link error rate must be a probability from 0 to 1, got '%.64s'", s->in.tok);
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
    enum { LEAST = 9, LEAST_BPS = 1000000 };   /* characters of a link: "0 1 1 0 0" */
    const size_t most = s->in.len / LEAST + 1; /* that the file has, whatever its header says */
    struct pair *pairs = NULL, *list = calloc(n < most ? n + 1 : most + 1, sizeof *list);
    int64_t line = 0, col = 0; /* of the first that is listed again */
    int64_t slow = 0;          /* line of the first link that is hardly meant so */
    struct weft_fabric_link twice = {0};
    int rc = list ? 0 : weft_err_set(s->err, WEFT_E_LIMIT, "out of memory for %u links", n);
    for (uint32_t i = 0; i < n && !rc; i++) {
        struct weft_fabric_link link = {0};
        const uint32_t before = f->nlinks;
        weft_scan_more(&s->in);
        const int64_t at_line = s->in.tok_line, at_col = s->in.tok_col;
        rc = read_link(s, f, &link);
        if (!rc && (rc = link_of_pair(&pairs, &list[i], f, &link, s->err)))
            tokens_locate(s, rc, "link");
        if (!rc && f->nlinks == before && !line) {
            line = at_line;
            col = at_col;
            twice = link;
        }
        if (!rc && link.rate_bps < LEAST_BPS && !slow)
            slow = at_line;
    }
    HASH_CLEAR(hh, pairs);
    free(list);
    if (!rc && slow)
        rc = weft_fabric_note(f, s->err,
                              "%s:%" PRId64 ": a link has less than 1 Mbps: a rate without a unit "
                              "is in bits per second, as in ns-3; write for example 100Gbps",
                              s->in.file, slow);
    if (!rc && line)
        rc =
            weft_fabric_note(f, s->err,
                             "%s:%" PRId64 ":%" PRId64
                             ": %u of the %u links join nodes that a link before them joins, from "
                             "here on (%u and %u): the last of a pair counts, as in the simulator; "
                             "weft's own topology file has parallel links",
                             s->in.file, line, col, n - f->nlinks, n, twice.a, twice.b);
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
            rc = weft_tokens_err(s, "switch %u is listed twice", id);
        if (!rc)
            kinds[id] = mark;
    }
    return rc;
}

int weft_tokens_rest(struct weft_tokens *s, struct weft_fabric *f, uint32_t nlinks)
{
    if (!weft_scan_next(&s->in))
        return 0;
    return weft_fabric_note(f, s->err,
                            "%s:%" PRId64 ":%" PRId64
                            ": ignored from '%.63s' on: it follows the last of the %u links that "
                            "the header announces",
                            s->in.file, s->in.tok_line, s->in.tok_col, s->in.tok, nlinks);
}

int weft_tokens_build(const char *name, const char *file, weft_tokens_parse_fn *parse,
                      const void *params, struct weft_fabric **out, struct weft_err *err)
{
    struct weft_err local = {0};
    struct weft_tokens s = {.err = err ? err : &local};
    err = s.err;
    *out = NULL;
    if (!file || !file[0])
        return weft_err_set(err, WEFT_E_INPUT, "%s: 'file' must be given", name);
    int rc = weft_scan_open(&s.in, file, err);
    struct weft_fabric *f = rc ? NULL : weft_fabric_new();
    if (!rc)
        rc = f ? parse(&s, f, params) : weft_err_no_memory(err, "a fabric");
    weft_scan_close(&s.in);
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
