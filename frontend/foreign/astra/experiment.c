/* SPDX-License-Identifier: GPL-2.0-only */
/* From the options of ASTRA-sim's frontends to weft's settings: everything but the files' insides.
 */
#include "foreign/astra/maker.h"

#include "base/file.h"
#include "workload/groups_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether the workload is a file, not the prefix of traces. */
static bool is_layers(const struct weft_astra_options *o)
{
    char first[WEFT_PATH_MAX];
    snprintf(first, sizeof first, "%s.0.et", o->workload);
    return !weft_file_is_regular(first) && weft_file_is_regular(o->workload);
}

/* An option that means nothing to weft, and why. */
static void note_idle(struct weft_astra_maker *m)
{
    const struct weft_astra_options *o = m->o;
    const struct {
        const char *name, *value, *why;
    } idle[] = {
        {"logging-configuration", o->logging, "weft writes its tables, not logs"},
        {"logging-folder", o->logging_folder, "weft writes its tables, not logs"},
        {"path", o->stat_path, "--out names the run folder"},
        {"total-stat-rows", o->stat_rows,
         "every run has a folder of its own; weft sweep makes tables"},
        {"stat-row", o->stat_row, "every run has a folder of its own; weft sweep makes tables"},
        {"num-passes", o->passes, "a Chakra trace is played once, as by ASTRA-sim 2"},
        {"comm-scale", o->comm_scale,
         "as in ASTRA-sim 2, which reads it and does not use it; weft trace transform scales "
         "sizes"},
        {"compute-scale", o->compute_scale,
         "as in ASTRA-sim 2, which reads it and does not use it; weft trace transform scales "
         "computations"},
    };
    const size_t n = sizeof idle / sizeof idle[0] - (is_layers(o) ? 3 : 0); /* the last are used */
    for (size_t i = 0; i < n; i++)
        if (idle[i].value)
            weft_astra_note(m, "--%s has no effect: %s", idle[i].name, idle[i].why);
}

static void take_rendezvous(struct weft_astra_maker *m)
{
    const char *r = m->o->rendezvous;
    if (!r || strcmp(r, "false") == 0 || strcmp(r, "0") == 0)
        return;
    if (strcmp(r, "true") != 0 && strcmp(r, "1") != 0) {
        m->rc = weft_err_set(m->err, WEFT_E_USAGE,
                             "--rendezvous-protocol must be true or false, not '%.40s'", r);
        return;
    }
    weft_astra_set(m, "system.rendezvous=1B");
    weft_astra_set(m, "system.rendezvous-for=all");
    weft_astra_set(m, "system.rendezvous-handshake=ready");
    weft_astra_set(m, "system.rendezvous-control=8192B");
}

/* A list of 1.0's options as a parameter of the topology. */
static void take_values(struct weft_astra_maker *m, const char *param, const char *const *list,
                        size_t n)
{
    const char *text = "";
    for (size_t i = 0; i < n; i++)
        text = weft_arena_printf(m->x->arena, "%s%s%s", text, i ? "," : "", list[i]);
    if (n)
        weft_astra_set(m, "topology.%s=%s", param, text);
}

/* The dimensions of a network file, or of the logical topology. */
static const struct weft_flat_key *sizes_of(const struct weft_flat *f)
{
    static const char *const names[] = {"npus_count", "units-count", "logical-dims"};
    const struct weft_flat_key *k = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !k; i++)
        k = weft_flat_find(f, names[i]);
    return k;
}

/* A file under a path of another machine: @p path becomes that of its name in @p dir, if it is
 * there.
 */
static int beside(struct weft_astra_maker *m, const char *dir, const char *named,
                  char path[WEFT_PATH_MAX])
{
    char there[WEFT_PATH_MAX];
    if (weft_path_join(there, dir, weft_path_base(named), m->err))
        return m->err->code;
    if (weft_file_is_regular(there)) {
        snprintf(path, WEFT_PATH_MAX, "%s", there);
        weft_astra_note(m, "topology_file %s: not there; %s is read", named, there);
    }
    return 0;
}

/* Forks of the analytical backend: topology: [ Custom ], and a file as ns-3's beside this one. */
static bool take_custom(struct weft_astra_maker *m, const struct weft_flat *f)
{
    char dir[WEFT_PATH_MAX], path[WEFT_PATH_MAX];
    const struct weft_flat_key *k = weft_flat_find(f, "topology_file");
    if (!k)
        return false;
    if (k->n != 1)
        weft_astra_refuse(m, f, k, "takes one value");
    else if (weft_path_dir(dir, m->o->network, m->err) ||
             weft_path_join(path, dir, k->values[0], m->err) ||
             (!weft_file_is_regular(path) && beside(m, dir, k->values[0], path)))
        m->rc = m->err->code;
    struct weft_fabric *fabric = NULL;
    m->x->ndims = 1;
    if (!m->rc)
        weft_astra_read_fabric(m, path, &fabric);
    weft_fabric_free(fabric);
    if (m->rc)
        return true;
    weft_astra_set(m, "topology.type=hpcc");
    weft_astra_set(m, "topology.file=%s", path);
    for (uint32_t i = 0; i < f->nkeys; i++)
        if (&f->keys[i] != k && strcmp(f->keys[i].name, "topology") != 0)
            weft_astra_note_key(m, f, &f->keys[i], "has no effect: topology_file has the fabric");
    return true;
}

/* Every dimension has more than one NPU of its own to talk to: 1 when there is one. */
static void take_analytical(struct weft_astra_maker *m)
{
    const struct weft_astra_options *o = m->o;
    const struct weft_flat *f = weft_astra_flat(m, o->network);
    if (!f || take_custom(m, f))
        return;
    const struct weft_flat_key *sizes = sizes_of(f), *garnet = weft_flat_find(f, "num-packages");
    if (!sizes && garnet) {
        weft_astra_refuse(m, f, garnet,
                          "this is a configuration of Garnet (gem5), which weft does not read; "
                          "an analytical one of the same shape says topologies-per-dim");
        return;
    }
    m->first_version = weft_flat_find(f, "topologies-per-dim") != NULL;
    m->x->ndims = o->nunits_count ? (uint32_t)o->nunits_count : sizes ? sizes->n : 1;
    if (weft_astra_htsim_topology(m, f, sizes))
        return;
    weft_astra_set(m, "topology.type=astra-network");
    weft_astra_set(m, "topology.file=%s", o->network);
    take_values(m, "units", o->units_count, o->nunits_count);
    take_values(m, "links", o->links_count, o->nlinks_count);
    take_values(m, "bandwidths", o->link_bandwidth, o->nlink_bandwidth);
    take_values(m, "latencies", o->link_latency, o->nlink_latency);
    if (o->logical)
        weft_astra_note(m, "--logical-topology-configuration has no effect: %s has the dimensions",
                        o->network);
}

static void take_ideal(struct weft_astra_maker *m)
{
    const bool aware = m->o->backend == WEFT_ASTRA_AWARE ||
                       (m->o->backend == WEFT_ASTRA_AUTO && m->x->ndims == 1 && !m->first_version);
    weft_astra_set(m, "network.backend=ideal");
    weft_astra_set(m, "ideal.model=path");
    weft_astra_set(m, "ideal.quantum=1ns");
    if (aware) {
        weft_astra_set(m, "ideal.forwarding=store-and-forward");
        weft_astra_set(m, "ideal.contention=links");
        weft_astra_set(m, "ideal.equal-paths=number");
    } else {
        weft_astra_set(m, "ideal.contention=none");
    }
    if (m->o->backend == WEFT_ASTRA_AUTO)
        weft_astra_note(m, "played by the ideal backend as %s does it; --backend chooses",
                        aware ? "AstraSim_Analytical_Congestion_Aware"
                              : "AstraSim_Analytical_Congestion_Unaware");
}

/* A list of layers of 1.0: what the options scale and repeat are its parameters. */
static void take_layers(struct weft_astra_maker *m)
{
    const struct weft_astra_options *o = m->o;
    const struct {
        const char *name, *value;
    } params[] = {{"compute-scale", o->compute_scale}, {"comm-scale", o->comm_scale}};
    weft_astra_set(m, "workload.type=astra-text");
    weft_astra_set(m, "astra-text.file=%s", o->workload);
    weft_astra_set(m, "astra-text.dialect=astra-sim");
    weft_astra_set(m, "astra-text.ranks=%.0f", m->ranks);
    weft_astra_set(m, "astra-text.passes=%.0f",
                   weft_astra_option(m, "num-passes", o->passes, 1, 1e6, 1));
    for (size_t i = 0; i < sizeof params / sizeof params[0]; i++)
        if (params[i].value)
            weft_astra_set(m, "astra-text.%s=%s", params[i].name, params[i].value);
}

/* ASTRA-sim of 2025 and later takes "0" for all ranks whatever the groups say, earlier ones and
 * weft for the group of that name. */
static int note_zero(void *ctx, const struct weft_group *def, struct weft_err *err)
{
    struct weft_astra_maker *m = ctx;
    char next[WEFT_PATH_MAX];
    snprintf(next, sizeof next, "%s.%" PRIu32 ".et", m->o->workload, def->n);
    if (strcmp(def->name, "0") == 0 && def->n != 0 && weft_file_is_regular(next))
        weft_astra_note(m,
                        "%s: group '0' is played by its %" PRIu32 " ranks; newer versions of "
                        "ASTRA-sim take '0' for all ranks",
                        m->o->groups, def->n);
    return 0;
}

static void take_groups(struct weft_astra_maker *m)
{
    struct weft_err later = {0}; /* who plays the file says what is wrong with it */
    weft_astra_set(m, "chakra.groups=%s", m->o->groups);
    weft_groups_json_file(m->o->groups, UINT32_MAX, note_zero, m, &later);
}

static void take_workload(struct weft_astra_maker *m)
{
    const struct weft_astra_options *o = m->o;
    if (m->layers) {
        take_layers(m);
        return;
    }
    weft_astra_set(m, "workload.type=chakra");
    weft_astra_set(m, "chakra.path=%s", o->workload);
    weft_astra_set(m, "chakra.ranks=%.0f", m->ranks);
    weft_astra_set(m, "chakra.elem-bytes=1"); /* as there, also where sizes count elements */
    /* as there: a file whose name has "empty" in it is none */
    if (o->groups && !strstr(o->groups, "empty"))
        take_groups(m);
}

static void experiment_make(struct weft_astra_maker *m)
{
    const struct weft_astra_options *o = m->o;
    const struct {
        const char *name, *value;
    } needed[] = {{"workload-configuration", o->workload},
                  {"system-configuration", o->system},
                  {"network-configuration", o->network}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!needed[i].value) {
            m->rc = weft_err_set(m->err, WEFT_E_USAGE, "--%s must be given", needed[i].name);
            return;
        }
    m->packet = o->backend == WEFT_ASTRA_PACKET;
    weft_astra_htsim(m);
    if (weft_astra_is_ns3(o->network))
        weft_astra_ns3(m);
    else
        take_analytical(m);
    if (m->packet)
        weft_astra_set(m, "network.backend=packet");
    else
        take_ideal(m);
    m->layers = is_layers(o);
    take_workload(m);
    weft_astra_system(m);
    if (o->memory)
        weft_astra_set(m, "system.remote-memory-file=%s", o->memory);
    take_rendezvous(m);
    note_idle(m);
}

struct weft_astra_experiment *weft_astra_experiment_new(const struct weft_astra_options *o,
                                                        struct weft_err *err)
{
    struct weft_arena *a = weft_arena_new();
    struct weft_astra_experiment *x =
        a ? (struct weft_astra_experiment *)weft_arena_alloc(a, sizeof *x) : NULL;
    if (!x) {
        weft_arena_free(a);
        weft_err_no_memory(err, "an experiment");
        return NULL;
    }
    *x = (struct weft_astra_experiment){.arena = a};
    x->name = o->run_name ? o->run_name : o->workload ? weft_path_base(o->workload) : "";
    struct weft_astra_maker m = {.o = o, .x = x, .err = err};
    experiment_make(&m);
    if (!m.rc)
        return x;
    weft_arena_free(a);
    return NULL;
}

void weft_astra_experiment_free(struct weft_astra_experiment *x)
{
    if (x)
        weft_arena_free(x->arena); /* x itself lives in it */
}
