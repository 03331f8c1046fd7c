/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * astra-network: reads the dimensions of ASTRA-sim's network files.
 *
 * Keys with a value or a list of values per dimension, innermost first, as YAML (flow or block lists) or
 * JSON: analytical YAML of ASTRA-sim 2 (topology, npus_count, bandwidth in 2^30 byte/s, latency in
 * ns), network JSON of ASTRA-sim 1 (topologies-per-dim, units-count, link-bandwidth in 10^9 byte/s,
 * link-latency in ns), and logical-dims of the ns-3 backend, which are sizes only: those become
 * switches with this reader's rate and delay. Ring, FullyConnected and Switch become dimensions of
 * topology multi. Keys that are not about the shape of the fabric are reported.
 */
#include "base/arena.h"
#include "base/file.h"
#include "base/units.h"
#include "topologies/topology.h"

#include <stdlib.h>
#include <string.h>

#define FILE_MAX (1u << 20)
#define LIST_MAX 16u
#define KEYS_MAX 64u

struct params {
    const char *file;
    uint64_t rate_bps;
    int64_t delay_ps;
};

static const struct weft_param params[] = {
    {"file", WEFT_PARAM_STRING, offsetof(struct params, file), NULL, NULL, NULL, NULL,
     "path of the network file", NULL},
    {"rate", WEFT_PARAM_RATE, offsetof(struct params, rate_bps), "400Gbps", "1bps", NULL, NULL,
     "of every link, where the file gives none", NULL},
    {"delay", WEFT_PARAM_TIME, offsetof(struct params, delay_ps), "1us", "0ps", "1s", NULL,
     "of every link, where the file gives none", NULL},
};

/* One key and its values. */
struct key {
    const char *name;
    int64_t line;
    const char *values[LIST_MAX];
    uint32_t n;
};

struct reader {
    const char *file;
    const char *at;
    int64_t line;
    struct weft_arena *arena;
    struct weft_err *err;
    struct key keys[KEYS_MAX];
    uint32_t nkeys;
};

static int fail(struct reader *r, const char *what)
{
    return weft_err_at(r->err, WEFT_E_INPUT, r->file, r->line, 0, "%s", what);
}

/* Moves over white space, commas, comments and, at the top, braces. */
static void skip(struct reader *r, const char *also)
{
    for (; *r->at; r->at++) {
        if (*r->at == '\n')
            r->line++;
        if (*r->at == '#')
            while (r->at[1] && r->at[1] != '\n')
                r->at++;
        else if (!strchr(" \t\r\n", *r->at) && !strchr(also, *r->at))
            return;
    }
}

/* A word, quoted or up to a separator. NULL: none. */
static const char *word(struct reader *r)
{
    const char *from = r->at;
    if (*from == '"' || *from == '\'') {
        const char *end = strchr(from + 1, *from);
        if (!end)
            return NULL;
        r->at = end + 1;
        return weft_arena_strndup(r->arena, from + 1, (size_t)(end - from - 1));
    }
    size_t n = strcspn(from, ":,[]{}#\r\n");
    r->at += n;
    while (n && (from[n - 1] == ' ' || from[n - 1] == '\t'))
        n--;
    return n ? weft_arena_strndup(r->arena, from, n) : NULL;
}

static int add_value(struct reader *r, struct key *k)
{
    if (k->n == LIST_MAX)
        return fail(r, "more than 16 values in a list");
    k->values[k->n] = word(r);
    if (!k->values[k->n])
        return fail(r, "a value is missing or not closed");
    k->n++;
    return 0;
}

/* The values behind "key:". */
static int values(struct reader *r, struct key *k)
{
    int rc = 0;
    skip(r, "");
    if (*r->at == '[') {
        r->at++;
        for (skip(r, ","); *r->at && *r->at != ']' && !rc; skip(r, ","))
            rc = strchr("[{:}", *r->at) ? fail(r, "lists hold plain values") : add_value(r, k);
        if (!rc && *r->at != ']')
            rc = fail(r, "a list is not closed");
        r->at += !rc;
    } else if (*r->at == '-' && (r->at[1] == ' ' || r->at[1] == '\t')) {
        while (*r->at == '-' && !rc) {
            r->at++;
            skip(r, "");
            rc = add_value(r, k);
            skip(r, "");
        }
    } else if (*r->at == '{') {
        rc = fail(r, "a value must be plain or a list, not a map");
    } else {
        rc = add_value(r, k);
    }
    return rc;
}

static int read_keys(struct reader *r)
{
    int rc = 0;
    for (skip(r, ",{}"); *r->at && !rc; skip(r, ",{}")) {
        if (strncmp(r->at, "---", 3) == 0) {
            r->at += 3;
            continue;
        }
        if (r->nkeys == KEYS_MAX)
            return fail(r, "more than 64 keys");
        struct key *k = &r->keys[r->nkeys];
        *k = (struct key){.line = r->line};
        k->name = word(r);
        skip(r, "");
        if (!k->name || *r->at != ':')
            return fail(r, "expected 'key: value' or 'key: [values]'");
        r->at++;
        for (uint32_t i = 0; i < r->nkeys; i++)
            if (strcmp(r->keys[i].name, k->name) == 0)
                return fail(r, "a key is given twice");
        rc = values(r, k);
        r->nkeys++;
    }
    return rc;
}

static struct key *find(struct reader *r, const char *a, const char *b)
{
    for (uint32_t i = 0; i < r->nkeys; i++)
        if (strcmp(r->keys[i].name, a) == 0 || strcmp(r->keys[i].name, b) == 0)
            return &r->keys[i];
    return NULL;
}

/* The number of dimension i; a single value holds for all. */
static int number(struct reader *r, const struct key *k, uint32_t i, double *out)
{
    if (i >= k->n && k->n != 1)
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, k->line, 0,
                           "'%s' has %u values, but there are more dimensions", k->name, k->n);
    if (weft_parse_f64(k->values[i < k->n ? i : 0], out, r->err)) {
        weft_err_prepend(r->err, "'%s'", k->name);
        return weft_err_locate(r->err, r->file, k->line, 0);
    }
    return 0;
}

static const char *generator(const char *name)
{
    static const char *const names[][2] = {
        {"Ring", "ring"}, {"FullyConnected", "fully-connected"}, {"Switch", "switch"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], name) == 0)
            return names[i][1];
    return NULL;
}

/* Appends dimension i to the text for topology multi. */
static int dimension(struct reader *r, const struct params *p, const struct key *sizes, uint32_t i,
                     const char **text)
{
    struct key *kind = find(r, "topology", "topologies-per-dim");
    struct key *rate = find(r, "bandwidth", "link-bandwidth");
    struct key *delay = find(r, "latency", "link-latency");
    double size, gbytes = 0, ns = 0;
    if (kind && i >= kind->n)
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, kind->line, 0,
                           "'%s' has %u values, but there are more dimensions", kind->name,
                           kind->n);
    const char *type = kind ? generator(kind->values[i]) : "switch";
    if (!type)
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, kind->line, 0,
                           "unknown dimension '%.40s'; there are Ring, FullyConnected and Switch",
                           kind->values[i]);
    if (number(r, sizes, i, &size) || (rate && number(r, rate, i, &gbytes)) ||
        (delay && number(r, delay, i, &ns)))
        return r->err->code;
    if (!(size >= 1 && size <= 1 << 20) || size != (double)(uint32_t)size)
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, sizes->line, 0,
                           "'%s' must be whole numbers from 1 to 1048576", sizes->name);
    double unit = rate && strcmp(rate->name, "bandwidth") == 0 ? 1073741824.0 : 1e9;
    if (rate && !(gbytes > 0 && gbytes < 1e6))
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, rate->line, 0,
                           "'%s' must be above 0 and below 1000000 GB/s", rate->name);
    if (delay && !(ns >= 0 && ns <= 1e9))
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, delay->line, 0,
                           "'%s' must be from 0 to 1000000000 ns", delay->name);
    if (size == 1)
        type = "switch"; /* a dimension of one NPU has nothing to link */
    *text = weft_arena_printf(
        r->arena, "%s%s%s size=%u rate=%llubps delay=%lldps", *text, **text ? "; " : "", type,
        (uint32_t)size, (unsigned long long)(rate ? gbytes * unit * 8 + 0.5 : (double)p->rate_bps),
        (long long)(delay ? ns * 1000 + 0.5 : (double)p->delay_ps));
    return *text ? 0 : weft_err_set(r->err, WEFT_E_LIMIT, "out of memory");
}

/* Tells of every key that has no meaning here. */
static int report_rest(struct reader *r, struct weft_fabric *f)
{
    static const char *const known[] = {"topology",      "npus_count",      "bandwidth",
                                        "latency",       "logical-dims",    "topologies-per-dim",
                                        "units-count",   "link-bandwidth",  "link-latency",
                                        "topology-name", "dimensions-count"};
    int rc = 0;
    for (uint32_t i = 0; i < r->nkeys && !rc; i++) {
        size_t k = 0;
        while (k < sizeof known / sizeof known[0] && strcmp(known[k], r->keys[i].name) != 0)
            k++;
        if (k == sizeof known / sizeof known[0])
            rc = weft_fabric_note(f, r->err, "%s:%lld: '%.60s' has no effect on the fabric",
                                  r->file, (long long)r->keys[i].line, r->keys[i].name);
    }
    return rc;
}

static int make(struct reader *r, const struct params *p, struct weft_fabric **out)
{
    const char *text = "";
    struct key *sizes = find(r, "npus_count", "units-count");
    if (!sizes)
        sizes = find(r, "logical-dims", "logical-dims");
    if (!sizes || sizes->n == 0)
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, 0, 0,
                           "there is no key npus_count, units-count or logical-dims");
    for (uint32_t i = 0; i < sizes->n; i++)
        if (dimension(r, p, sizes, i, &text))
            return r->err->code;
    const struct weft_topology_ops *multi = weft_topology_find("multi", r->err);
    void *params = multi ? weft_arena_calloc(r->arena, 1, multi->params.struct_size + 1) : NULL;
    if (!params)
        return weft_err_set(r->err, WEFT_E_LIMIT, "out of memory");
    int rc = weft_params_set(&multi->params, params, "dimensions", text, r->err);
    if (!rc)
        rc = weft_topology_build(multi, params, out, r->err);
    if (!rc)
        rc = report_rest(r, *out);
    if (rc)
        weft_err_locate(r->err, r->file, sizes->line, 0);
    return rc;
}

static int build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_err local = {0};
    char *text = NULL;
    size_t len;
    *out = NULL;
    err = err ? err : &local;
    if (!p->file || !p->file[0])
        return weft_err_set(err, WEFT_E_INPUT, "astra-network: 'file' must be given");
    struct weft_arena *a = weft_arena_new();
    struct reader *r = a ? weft_arena_calloc(a, 1, sizeof *r) : NULL;
    int rc = r ? weft_file_read(p->file, FILE_MAX, &text, &len, err)
               : weft_err_set(err, WEFT_E_LIMIT, "out of memory");
    if (!rc && memchr(text, 0, len))
        rc = weft_err_at(err, WEFT_E_INPUT, p->file, 0, 0, "this is not a text file");
    if (!rc) {
        *r = (struct reader){.file = p->file, .at = text, .line = 1, .arena = a, .err = err};
        rc = read_keys(r);
    }
    if (!rc)
        rc = make(r, p, out);
    if (rc) {
        weft_fabric_free(*out);
        *out = NULL;
    }
    free(text);
    weft_arena_free(a);
    return rc;
}

extern const struct weft_topology_ops weft_topology_astra_network;
const struct weft_topology_ops weft_topology_astra_network = {
    .name = "astra-network",
    .title = "dimensions of an ASTRA-sim network file (YAML or JSON)",
    .source = "ASTRA-sim inputs: analytical network YAML, network JSON, logical-dims",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = build,
};
