/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hpcc: reads the topology files of the HPCC simulator family (HPCC, ASTRA-sim's ns-3 backend,
 * ConWeave).
 *
 * Whitespace-separated tokens; line ends have no meaning:
 *   nodes switches links
 *   <switch id> x switches
 *   <node a> <node b> <rate> <delay> <error rate>  x links
 * Node ids are kept; every node that is not a switch is a host. Rates and delays are ns-3's text
 * ("100Gbps" "100Gb/s" "0.001ms"); a bare rate counts bit/s. Parallel links are kept. Anything
 * after the last link is an error unless ignore-trailing is set.
 */
#include "base/units.h"
#include "topologies/fabric_reach.h"
#include "topologies/topology.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct params {
    const char *file;
    int ignore_trailing;
};

static const struct weft_param params[] = {
    {"file", WEFT_PARAM_STRING, offsetof(struct params, file), NULL, NULL, NULL, NULL,
     "path of the topology file", NULL},
    {"ignore-trailing", WEFT_PARAM_BOOL, offsetof(struct params, ignore_trailing), "false", NULL,
     NULL, NULL,
     "ignore what follows the last link, as the HPCC simulator does (its own topology.txt needs "
     "it)",
     NULL},
};

#define TOKEN_MAX 64

/* The text and the token just read. */
struct scan {
    const char *file;
    char *text;
    size_t len, pos;
    int64_t line, col;         /* of text[pos] */
    int64_t tok_line, tok_col; /* of the token */
    char tok[TOKEN_MAX];
    struct weft_err *err;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static void advance(struct scan *s)
{
    if (s->text[s->pos++] == '\n') {
        s->line++;
        s->col = 1;
    } else {
        s->col++;
    }
}

/* Moves to the next token. False at the end of the file. */
static bool skip_space(struct scan *s)
{
    while (s->pos < s->len && is_space(s->text[s->pos]))
        advance(s);
    s->tok_line = s->line;
    s->tok_col = s->col;
    return s->pos < s->len;
}

/* Reads one token; `what` names it in the error when the file ends first. */
static int token(struct scan *s, const char *what)
{
    if (!skip_space(s))
        return weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                           "the file ends where %s should be", what);
    size_t n = 0;
    while (s->pos < s->len && !is_space(s->text[s->pos])) {
        unsigned char c = (unsigned char)s->text[s->pos];
        if (n + 1 < TOKEN_MAX)
            s->tok[n] = c < 0x20 || c > 0x7e ? '?' : (char)c;
        n++;
        advance(s);
    }
    s->tok[n < TOKEN_MAX ? n : TOKEN_MAX - 1] = 0;
    if (n >= TOKEN_MAX)
        return weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                           "'%s...' is too long to be %s", s->tok, what);
    return 0;
}

/* Puts the place of the current token on a nested error. */
static int at_token(struct scan *s, int rc, const char *what)
{
    weft_err_prepend(s->err, "%s", what);
    weft_err_locate(s->err, s->file, s->tok_line, s->tok_col);
    return rc;
}

/* Reads a whole number from 0 to max. */
static int count(struct scan *s, const char *what, uint64_t max, uint32_t *out)
{
    int rc = token(s, what);
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
                           "%s must be at most %llu, got %s", what, (unsigned long long)max,
                           s->tok);
    *out = (uint32_t)v;
    return 0;
}

/* Reads a rate: ns-3's text, or a bare number of bit/s. */
static int rate(struct scan *s, uint64_t *out)
{
    int rc = token(s, "a link rate");
    if (rc)
        return rc;
    char text[TOKEN_MAX + 4];
    bool bare = strspn(s->tok, "0123456789.") == strlen(s->tok);
    snprintf(text, sizeof(text), "%s%s", s->tok, bare ? "bps" : "");
    rc = weft_parse_rate_bps(text, out, s->err);
    if (rc)
        return at_token(s, rc, "link rate");
    if (*out == 0)
        return weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                           "the link rate must be above 0, got '%s'", s->tok);
    return 0;
}

/* Reads one link and adds it. */
static int link_line(struct scan *s, struct weft_fabric *f)
{
    struct weft_fabric_link link = {0};
    uint64_t max = f->nnodes - 1;
    int rc = count(s, "the first node of a link", max, &link.a);
    if (!rc)
        rc = count(s, "the second node of a link", max, &link.b);
    if (!rc && link.a == link.b)
        rc = weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                         "the link joins node %u to itself", link.b);
    if (!rc)
        rc = rate(s, &link.rate_bps);
    if (!rc)
        rc = token(s, "a link delay");
    if (!rc && (rc = weft_parse_time_ps(s->tok, &link.delay_ps, s->err)))
        return at_token(s, rc, "link delay");
    if (!rc)
        rc = token(s, "a link error rate");
    if (!rc && (rc = weft_parse_f64(s->tok, &link.error_rate, s->err)))
        return at_token(s, rc, "link error rate");
    if (!rc && !(link.error_rate >= 0.0 && link.error_rate <= 1.0))
        rc = weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                         "the link error rate must be a probability from 0 to 1, got '%s'", s->tok);
    if (!rc && (rc = weft_fabric_add_link(f, &link, NULL, s->err)))
        return at_token(s, rc, "link");
    return rc;
}

/* Reads the switch ids into `is_switch`, then makes the nodes. */
static int nodes(struct scan *s, struct weft_fabric *f, uint32_t nnodes, uint32_t nswitches)
{
    unsigned char *is_switch = calloc(nnodes, 1);
    if (!is_switch)
        return weft_err_set(s->err, WEFT_E_LIMIT, "out of memory for %u nodes", nnodes);
    int rc = 0;
    for (uint32_t i = 0; i < nswitches && !rc; i++) {
        uint32_t id = 0;
        rc = count(s, "a switch id", nnodes - 1, &id);
        if (!rc && is_switch[id])
            rc = weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                             "switch %u is listed twice", id);
        if (!rc)
            is_switch[id] = 1;
    }
    for (uint32_t i = 0; i < nnodes && !rc; i++)
        rc = weft_fabric_add_node(f, is_switch[i] ? WEFT_NODE_SWITCH : WEFT_NODE_HOST, 0, NULL,
                                  s->err);
    free(is_switch);
    return rc;
}

static int parse(struct scan *s, struct weft_fabric *f, bool ignore_trailing)
{
    /* Each node needs a token somewhere (a switch id, or the end of a link), so no count exceeds
     * the file's length. */
    uint64_t limit = s->len < UINT32_MAX / 4 ? s->len : UINT32_MAX / 4;
    uint32_t nnodes = 0, nswitches = 0, nlinks = 0;
    int rc = count(s, "the number of nodes", limit, &nnodes);
    if (!rc && nnodes == 0)
        rc = weft_err_at(s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
                         "the number of nodes must be at least 1");
    if (!rc)
        rc = count(s, "the number of switches", nnodes, &nswitches);
    if (!rc)
        rc = count(s, "the number of links", limit, &nlinks);
    if (!rc)
        rc = nodes(s, f, nnodes, nswitches);
    for (uint32_t i = 0; i < nlinks && !rc; i++)
        rc = link_line(s, f);
    if (!rc && !ignore_trailing && skip_space(s)) {
        token(s, "");
        rc = weft_err_at(
            s->err, WEFT_E_INPUT, s->file, s->tok_line, s->tok_col,
            "'%s' follows the last of the %u links that the header announces; correct the "
            "header, or set ignore-trailing=true",
            s->tok, nlinks);
    }
    if (!rc)
        rc = weft_fabric_finish(f, s->err);
    if (!rc)
        rc = weft_fabric_tiers_by_distance(f, s->err);
    if (rc)
        weft_err_locate(s->err, s->file, 0, 0);
    return rc;
}

/* Reads the whole file into s->text. */
static int slurp(struct scan *s)
{
    FILE *in = fopen(s->file, "rb");
    if (!in)
        return weft_err_at(s->err, WEFT_E_IO, s->file, 0, 0, "cannot open the topology file: %s",
                           strerror(errno));
    size_t cap = 0, got = 1;
    int rc = 0;
    while (got && !rc) {
        if (s->len == cap) {
            cap = cap ? cap * 2 : 1 << 16;
            char *t = realloc(s->text, cap);
            if (!t) {
                rc = weft_err_at(s->err, WEFT_E_LIMIT, s->file, 0, 0, "out of memory");
                break;
            }
            s->text = t;
        }
        got = fread(s->text + s->len, 1, cap - s->len, in);
        s->len += got;
    }
    if (!rc && ferror(in))
        rc = weft_err_at(s->err, WEFT_E_IO, s->file, 0, 0, "cannot read the topology file: %s",
                         strerror(errno));
    fclose(in);
    return rc;
}

static int build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    const struct params *p = raw;
    *out = NULL;
    if (!p->file || !p->file[0])
        return weft_err_set(err, WEFT_E_INPUT, "hpcc: 'file' must be given");
    struct weft_err local = {0};
    struct scan s = {.file = p->file, .line = 1, .col = 1, .err = err ? err : &local};
    struct weft_fabric *f = weft_fabric_new();
    int rc = f ? slurp(&s) : weft_err_set(err, WEFT_E_LIMIT, "out of memory for a fabric");
    if (!rc)
        rc = parse(&s, f, p->ignore_trailing);
    free(s.text);
    if (rc)
        weft_fabric_free(f);
    else
        *out = f;
    return rc;
}

extern const struct weft_topology_ops weft_topology_hpcc;
const struct weft_topology_ops weft_topology_hpcc = {
    .name = "hpcc",
    .title = "a topology file of the HPCC simulator family",
    .source = "alibaba-edu/High-Precision-Congestion-Control, simulation/mix/topology.txt",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = build,
};
