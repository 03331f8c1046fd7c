/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ASTRA-sim's remote memory configuration: a JSON object with
 *   memory-type         NO_MEMORY_EXPANSION, PER_NPU_MEMORY_EXPANSION, PER_NODE_MEMORY_EXPANSION, MEMORY_POOL
 *   remote-mem-latency  ns            remote-mem-bw      byte/ns
 *   num-nodes                         num-npus-per-node  (PER_NODE_MEMORY_EXPANSION)
 * Unlike there, other keys, keys that the type has no use for and missing ones are errors.
 * Source: ASTRA-sim, analytical remote memory.
 */
#include "system/remote.h"

#include "base/flat.h"

#include <math.h>
#include <string.h>

enum { LATENCY = 1, BANDWIDTH = 2, NODES = 4, PER_NODE = 8 };

static const struct {
    const char *name;
    enum weft_remote kind;
    unsigned keys; /* that it needs */
} types[] = {
    {"NO_MEMORY_EXPANSION", WEFT_REMOTE_NONE, 0},
    {"PER_NPU_MEMORY_EXPANSION", WEFT_REMOTE_PER_NPU, LATENCY | BANDWIDTH},
    {"PER_NODE_MEMORY_EXPANSION", WEFT_REMOTE_PER_NODE, LATENCY | BANDWIDTH | NODES | PER_NODE},
    {"MEMORY_POOL", WEFT_REMOTE_POOL, LATENCY | BANDWIDTH},
};
enum { NTYPES = sizeof types / sizeof types[0] };

static const struct {
    const char *name;
    unsigned key;
    double most;
    int whole, positive;
} numbers[] = {
    {"remote-mem-latency", LATENCY, 1e9, 0, 0},
    {"remote-mem-bw", BANDWIDTH, 1e6, 0, 1},
    {"num-nodes", NODES, 1 << 20, 1, 1},
    {"num-npus-per-node", PER_NODE, 1 << 20, 1, 1},
};
enum { NNUMBERS = sizeof numbers / sizeof numbers[0] };

static int find_type(const struct weft_flat *f, size_t *type, struct weft_err *err)
{
    const struct weft_flat_key *k = weft_flat_find(f, "memory-type");
    const char *names[NTYPES];
    if (!k || k->n != 1)
        return weft_flat_err(f, k, err, "'memory-type' must be given, with one value");
    for (*type = 0; *type < NTYPES; (*type)++) {
        names[*type] = types[*type].name;
        if (strcmp(k->values[0], types[*type].name) == 0)
            return 0;
    }
    const char *near = weft_nearest(k->values[0], names, NTYPES);
    return weft_flat_err(f, k, err, "there is no memory-type '%.60s'; %s %s", k->values[0],
                         near ? "the nearest is"
                              : "there are NO_, PER_NPU_, PER_NODE_MEMORY_"
                                "EXPANSION and",
                         near ? near : "MEMORY_POOL");
}

/* Every key is known, and of use for the type. */
static int check_keys(const struct weft_flat *f, size_t type, struct weft_err *err)
{
    const char *names[NNUMBERS + 1] = {"memory-type"};
    for (size_t i = 0; i < NNUMBERS; i++)
        names[i + 1] = numbers[i].name;
    for (uint32_t i = 0; i < f->nkeys; i++) {
        const struct weft_flat_key *k = &f->keys[i];
        size_t j = 0;
        while (j <= NNUMBERS && strcmp(names[j], k->name) != 0)
            j++;
        const char *near = weft_nearest(k->name, names, NNUMBERS + 1);
        if (j > NNUMBERS)
            return weft_flat_err(f, k, err, "unknown key '%.60s'; did you mean '%s'?", k->name,
                                 near ? near : names[0]);
        if (j > 0 && !(types[type].keys & numbers[j - 1].key))
            return weft_flat_err(f, k, err, "'%s' has no effect with memory-type %s", k->name,
                                 types[type].name);
    }
    return 0;
}

static int read_number(const struct weft_flat *f, size_t i, double *out, struct weft_err *err)
{
    const struct weft_flat_key *k = weft_flat_find(f, numbers[i].name);
    if (!k || k->n != 1)
        return weft_flat_err(f, k, err, "'%s' must be given, with one value", numbers[i].name);
    if (weft_flat_number(f, k, 0, out, err))
        return err->code;
    if (!(*out >= 0 && *out <= numbers[i].most) || (numbers[i].positive && *out == 0) ||
        (numbers[i].whole && *out != floor(*out)))
        return weft_flat_err(f, k, err, "'%s' is %s, but must be %s%s0 up to %.0f", k->name,
                             k->values[0], numbers[i].whole ? "a whole number " : "",
                             numbers[i].positive ? "above " : "from ", numbers[i].most);
    return 0;
}

static int remote_file_take(const struct weft_flat *f, uint32_t nranks,
                            struct weft_system_params *p, struct weft_err *err)
{
    size_t type;
    double v[NNUMBERS] = {0};
    int rc = find_type(f, &type, err);
    rc = rc ? rc : check_keys(f, type, err);
    for (size_t i = 0; !rc && i < NNUMBERS; i++)
        if (types[type].keys & numbers[i].key)
            rc = read_number(f, i, &v[i], err);
    if (rc)
        return rc;
    if (types[type].kind == WEFT_REMOTE_PER_NODE && v[2] * v[3] < nranks)
        return weft_flat_err(f, NULL, err,
                             "%.0f nodes of %.0f NPUs have %.0f NPUs, but there are %u ranks", v[2],
                             v[3], v[2] * v[3], nranks);
    p->remote_memory = (int)types[type].kind;
    p->remote_latency_ps = (int64_t)(v[0] * 1000 + 0.5);
    p->remote_bw_bps = (uint64_t)(v[1] * 8e9 + 0.5);
    if (v[3] > 0)
        p->remote_node = (uint64_t)v[3];
    return 0;
}

int weft_remote_read(const struct weft_workload *w, struct weft_system_params *p,
                     struct weft_err *err)
{
    struct weft_flat *f;
    if (!*p->remote_file)
        return 0;
    if (p->remote_memory != WEFT_REMOTE_NONE)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "system.remote-memory and system.remote-memory-file say the same thing; "
            "give one of the two");
    struct weft_arena *a = weft_arena_new();
    int rc =
        a ? weft_flat_read(p->remote_file, a, &f, err) : weft_err_no_memory(err, "remote memory");
    rc = rc ? rc : remote_file_take(f, w->nranks, p, err);
    weft_arena_free(a);
    return rc;
}
