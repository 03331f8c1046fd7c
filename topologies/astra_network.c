/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * astra-network: reads the dimensions of ASTRA-sim's network files.
 *
 * Keys with a value or a list of values per dimension, innermost first, as YAML (flow or block
 * lists) or JSON: analytical YAML of ASTRA-sim 2 (topology, npus_count, bandwidth, latency in ns),
 * network JSON of ASTRA-sim 1 (topologies-per-dim, units-count, links-count, link-bandwidth,
 * link-latency, nic-latency and router-latency in ns), and logical-dims of the ns-3 backend, which
 * are sizes only: those become switches with this reader's rate and delay. All others need a kind,
 * a bandwidth and a latency of each dimension. Bandwidths are in 2^30
 * byte/s. Ring, FullyConnected and Switch become dimensions of topology multi. Keys that are not
 * about the shape of the fabric are reported.
 *
 * links-count multiplies bandwidth as ASTRA-sim 1's analytical network does it (its
 * HierarchicalTopology): a message has the rate of all links of an NPU in a ring (an odd one is
 * left out) and to a switch, and of links-count / (n - 1) of them between two of n that are fully
 * connected.
 */
#include "base/flat.h"
#include "topologies/topology.h"

#include <inttypes.h>
#include <string.h>

struct params {
    const char *file;
    uint64_t rate_bps;
    int64_t delay_ps;
    const char *units, *links, *bandwidths, *latencies;
};

#define VALUES_PARAM(field, what)                                                                  \
    {                                                                                              \
        .name = #field, .type = WEFT_PARAM_STRING, .offset = offsetof(struct params, field),       \
        .def = "",                                                                                 \
        .help = what " of each dimension, innermost first (4,4), in place of the file's; empty: "  \
                     "the file's",                                                                 \
    }

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct params, file, "file", NULL), .help = "path of the network file"},
    {WEFT_ROW_RATE(struct params, rate_bps, "rate", "400Gbps", "1bps", NULL),
     .help = "of every link, where the file has logical-dims alone"},
    {WEFT_ROW_TIME(struct params, delay_ps, "delay", "1us", "0ps", "1s"),
     .help = "of every link, where the file has logical-dims alone"},
    VALUES_PARAM(units, "NPUs"),
    VALUES_PARAM(links, "links"),
    VALUES_PARAM(bandwidths, "bandwidths, 2^30 byte/s"),
    VALUES_PARAM(latencies, "latencies, ns"),
};

struct reader {
    struct weft_flat *flat;
    struct weft_arena *arena;
    struct weft_err *err;
};

static const struct weft_flat_key *astra_network_find(const struct reader *r, const char *a,
                                                      const char *b)
{
    const struct weft_flat_key *k = weft_flat_find(r->flat, a);
    return k ? k : weft_flat_find(r->flat, b);
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

/* How many times the rate of a link a message of dimension i has; 0 with the error set. */
static uint64_t links_of(struct reader *r, const char *type, uint32_t size, uint32_t i)
{
    const struct weft_flat_key *k = weft_flat_find(r->flat, "links-count");
    double links;
    if (!k)
        return 1;
    if (weft_flat_number(r->flat, k, i, &links, r->err))
        return 0;
    if (!(links >= 1 && links <= 1 << 20) || links != (double)(uint32_t)links) {
        weft_flat_err(r->flat, k, r->err, "'%s' must be whole numbers from 1 to 1048576", k->name);
        return 0;
    }
    uint64_t n = (uint64_t)links;
    if (strcmp(type, "ring") == 0)
        n -= n > 1 || size > 2 ? n % 2 : 0; /* two NPUs are joined by one */
    else if (strcmp(type, "fully-connected") == 0 && size > 1)
        n /= size - 1;
    if (n == 0)
        weft_flat_err(r->flat, k, r->err,
                      "%.0f links are too few for dimension %u, a %s of %u: an NPU needs %u", links,
                      i, type, size, strcmp(type, "ring") == 0 ? 2 : size - 1);
    return n;
}

/* What a message of dimension i takes on a link besides link-latency, ns. */
static int endpoint_ns(struct reader *r, const char *type, uint32_t i, double *ns)
{
    const struct weft_flat_key *nic = weft_flat_find(r->flat, "nic-latency");
    const struct weft_flat_key *router = weft_flat_find(r->flat, "router-latency");
    double at_nic = 0, at_router = 0;
    if ((nic && weft_flat_number(r->flat, nic, i, &at_nic, r->err)) ||
        (router && weft_flat_number(r->flat, router, i, &at_router, r->err)))
        return r->err->code;
    if (!(at_nic >= 0 && at_nic <= 1e9 && at_router >= 0 && at_router <= 1e9))
        return weft_flat_err(r->flat, nic ? nic : router, r->err,
                             "latencies must be from 0 to 1000000000 ns");
    /* two NICs and one router on a path of two links to and from a switch, of one elsewhere */
    *ns = strcmp(type, "switch") == 0 ? at_nic + at_router / 2 : 2 * at_nic;
    return 0;
}

/* Appends dimension i to the text for topology multi. */
static int dimension(struct reader *r, const struct params *p, const struct weft_flat_key *sizes,
                     uint32_t i, const char **text)
{
    const struct weft_flat_key *kind = astra_network_find(r, "topology", "topologies-per-dim");
    const struct weft_flat_key *rate = astra_network_find(r, "bandwidth", "link-bandwidth");
    const struct weft_flat_key *delay = astra_network_find(r, "latency", "link-latency");
    double size, gbytes = 0, ns = 0, more_ns = 0;
    const char *type = kind ? generator(kind->values[i]) : "switch";
    if (!type)
        return weft_flat_err(r->flat, kind, r->err,
                             "unknown dimension '%.40s'; there are Ring, FullyConnected and Switch",
                             kind->values[i]);
    if (weft_flat_number(r->flat, sizes, i, &size, r->err) ||
        (rate && weft_flat_number(r->flat, rate, i, &gbytes, r->err)) ||
        (delay && weft_flat_number(r->flat, delay, i, &ns, r->err)))
        return r->err->code;
    if (!(size >= 1 && size <= 1 << 20) || size != (double)(uint32_t)size)
        return weft_flat_err(r->flat, sizes, r->err, "'%s' must be whole numbers from 1 to 1048576",
                             sizes->name);
    const uint64_t links = links_of(r, type, (uint32_t)size, i);
    if (!links || endpoint_ns(r, type, i, &more_ns))
        return r->err->code;
    if (rate && !(gbytes > 0 && gbytes < 1e6))
        return weft_flat_err(r->flat, rate, r->err, "'%s' must be above 0 and below 1000000 GB/s",
                             rate->name);
    if (delay && !(ns >= 0 && ns <= 1e9))
        return weft_flat_err(r->flat, delay, r->err, "'%s' must be from 0 to 1000000000 ns",
                             delay->name);
    if (size == 1)
        type = "switch"; /* a dimension of one NPU has nothing to link */
    *text = weft_arena_printf(r->arena, "%s%s%s size=%u rate=%" PRIu64 "bps delay=%" PRId64 "ps",
                              *text, **text ? "; " : "", type, (uint32_t)size,
                              (uint64_t)(rate ? gbytes * 1073741824.0 * 8 * (double)links + 0.5
                                              : (double)p->rate_bps * (double)links),
                              (int64_t)(delay ? (ns + more_ns) * 1000 + 0.5 : (double)p->delay_ps));
    return *text ? 0 : weft_err_no_memory(r->err, "a topology");
}

/* Whether a key says that memory at the ends costs nothing, as its absence does. */
static bool is_idle(const struct weft_flat *f, const char *name)
{
    const struct weft_flat_key *scale = weft_flat_find(f, "hbm-scale");
    struct weft_err ignored = {0};
    double v;
    if (strncmp(name, "hbm-", 4) != 0 || !scale)
        return strcmp(name, "dimension-type") == 0; /* for prices only */
    for (uint32_t i = 0; i < scale->n; i++)
        if (weft_flat_number(f, scale, i, &v, &ignored) || v != 0)
            return false;
    return true;
}

/* Tells of every key that has no meaning here. */
static int report_rest(struct reader *r, struct weft_fabric *f)
{
    static const char *const known[] = {
        "topology",           "npus_count",  "bandwidth",      "latency",       "logical-dims",
        "topologies-per-dim", "units-count", "link-bandwidth", "link-latency",  "topology-name",
        "dimensions-count",   "links-count", "nic-latency",    "router-latency"};
    int rc = 0;
    for (uint32_t i = 0; i < r->flat->nkeys && !rc; i++) {
        size_t k = 0;
        while (k < sizeof known / sizeof known[0] && strcmp(known[k], r->flat->keys[i].name) != 0)
            k++;
        if (k == sizeof known / sizeof known[0] && !is_idle(r->flat, r->flat->keys[i].name))
            rc = weft_fabric_note(f, r->err, "%s:%" PRId64 ": '%.60s' has no effect on the fabric",
                                  r->flat->file, r->flat->keys[i].line, r->flat->keys[i].name);
    }
    return rc;
}

/* Puts the values of a list in place of those of a key, by either of its names. */
static int replace(struct reader *r, const char *name, const char *older, const char *list)
{
    struct weft_flat *f = r->flat;
    struct weft_flat_key *k = f->keys;
    if (!*list)
        return 0;
    while (k < f->keys + f->nkeys && strcmp(k->name, name) != 0 && strcmp(k->name, older) != 0)
        k++;
    if (k == f->keys + WEFT_FLAT_KEYS_MAX)
        return weft_flat_err(f, NULL, r->err, "more than %u keys", WEFT_FLAT_KEYS_MAX);
    if (k == f->keys + f->nkeys)
        *k = (struct weft_flat_key){.name = name, .line = 0}, f->nkeys++;
    for (k->n = 0; *list && k->n < WEFT_FLAT_LIST_MAX; k->n++) {
        const size_t len = strcspn(list, ",");
        k->values[k->n] = weft_arena_strndup(r->arena, list, len);
        if (!k->values[k->n])
            return weft_err_no_memory(r->err, "a topology");
        list += len + (list[len] == ',');
    }
    return 0;
}

/* Of analytical networks each key has as many values as there are dimensions, as ASTRA-sim's own
 * readers want it; of a logical topology there are sizes alone. */
static int check_keys(struct reader *r, const struct weft_flat_key *sizes)
{
    static const struct {
        const char *name, *older;
        bool needed;
    } keys[] = {
        {"topology", "topologies-per-dim", true}, {"bandwidth", "link-bandwidth", true},
        {"latency", "link-latency", true},        {"links-count", "links-count", false},
        {"nic-latency", "nic-latency", false},    {"router-latency", "router-latency", false}};
    const bool older = astra_network_find(r, "topologies-per-dim", "units-count") != NULL;
    const struct weft_flat_key *count = weft_flat_find(r->flat, "dimensions-count");
    double n;
    if (strcmp(sizes->name, "logical-dims") == 0)
        return 0;
    if (count && weft_flat_number(r->flat, count, 0, &n, r->err))
        return r->err->code;
    if (count && n != (double)sizes->n)
        return weft_flat_err(r->flat, count, r->err, "'%s' is %.40s, but '%s' has %u values",
                             count->name, count->values[0], sizes->name, sizes->n);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct weft_flat_key *k = astra_network_find(r, keys[i].name, keys[i].older);
        if (!k && keys[i].needed)
            return weft_flat_err(r->flat, sizes, r->err,
                                 "the key '%s' is missing: ASTRA-sim needs it beside '%s'",
                                 older ? keys[i].older : keys[i].name, sizes->name);
        if (k && k->n != sizes->n)
            return weft_flat_err(r->flat, k, r->err, "'%s' has %u value%s for %u dimension%s",
                                 k->name, k->n, k->n == 1 ? "" : "s", sizes->n,
                                 sizes->n == 1 ? "" : "s");
    }
    return 0;
}

/* A ring of two NPUs with one link is one cable; ASTRA-sim 1.0 wants two links. */
static int note_rings(struct reader *r, const struct weft_flat_key *sizes, struct weft_fabric *f)
{
    const struct weft_flat_key *links = weft_flat_find(r->flat, "links-count");
    const struct weft_flat_key *kind = astra_network_find(r, "topology", "topologies-per-dim");
    for (uint32_t i = 0; links && kind && i < sizes->n; i++)
        if (strcmp(kind->values[i], "Ring") == 0 && strcmp(sizes->values[i], "2") == 0 &&
            strcmp(links->values[i], "1") == 0)
            return weft_fabric_note(f, r->err,
                                    "%s:%" PRId64 ": a ring of two with one link is one cable; "
                                    "ASTRA-sim 1.0 refuses it",
                                    r->flat->file, links->line);
    return 0;
}

static int astra_network_make(struct reader *r, const struct params *p, struct weft_fabric **out)
{
    const char *text = "";
    if (replace(r, "units-count", "npus_count", p->units) ||
        replace(r, "links-count", "links-count", p->links) ||
        replace(r, "link-bandwidth", "bandwidth", p->bandwidths) ||
        replace(r, "link-latency", "latency", p->latencies))
        return r->err->code;
    const struct weft_flat_key *sizes = astra_network_find(r, "npus_count", "units-count");
    if (!sizes)
        sizes = astra_network_find(r, "logical-dims", "logical-dims");
    if (!sizes || sizes->n == 0)
        return weft_flat_err(r->flat, NULL, r->err,
                             "there is no key npus_count, units-count or logical-dims");
    if (check_keys(r, sizes))
        return r->err->code;
    for (uint32_t i = 0; i < sizes->n; i++)
        if (dimension(r, p, sizes, i, &text))
            return r->err->code;
    const struct weft_topology_ops *multi = weft_topology_find("multi", r->err);
    void *params = multi ? weft_arena_calloc(r->arena, 1, multi->params.struct_size + 1) : NULL;
    if (!params)
        return weft_err_no_memory(r->err, "a topology");
    int rc = weft_params_set(&multi->params, params, "dimensions", text, r->err);
    if (!rc)
        rc = weft_topology_build(multi, params, out, r->err);
    if (!rc)
        rc = report_rest(r, *out);
    if (!rc)
        rc = note_rings(r, sizes, *out);
    if (rc)
        weft_err_locate(r->err, r->flat->file, sizes->line, 0);
    return rc;
}

static int astra_network_build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_err local = {0};
    *out = NULL;
    err = err ? err : &local;
    if (!p->file || !p->file[0])
        return weft_err_set(err, WEFT_E_INPUT, "astra-network: 'file' must be given");
    struct weft_arena *a = weft_arena_new();
    struct weft_flat *flat;
    int rc = a ? weft_flat_read(p->file, a, &flat, err) : weft_err_no_memory(err, "a topology");
    if (!rc) {
        struct reader r = {flat, a, err};
        rc = astra_network_make(&r, p, out);
    }
    if (rc) {
        weft_fabric_free(*out);
        *out = NULL;
    }
    weft_arena_free(a);
    return rc;
}

const struct weft_topology_ops weft_topology_astra_network = {
    .name = "astra-network",
    .title = "dimensions of an ASTRA-sim network file (YAML or JSON)",
    .source = "ASTRA-sim inputs: analytical network YAML, network JSON, logical-dims",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = astra_network_build,
};
