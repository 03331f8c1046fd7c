/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ASTRA-sim's system configuration: JSON of 2.x, "key: value" lines of 1.0 (both are YAML).
 *
 * Meanings and units are those of ASTRA-sim's Sys.cc: delays in ns, bandwidths in 10^9 byte/s, peak
 * performance in 10^12 operations per second.
 */
#include "foreign/astra/maker.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row;
typedef void take_fn(struct weft_astra_maker *m, const struct weft_flat *f,
                     const struct weft_flat_key *k, const struct row *row);

/* A key: what takes its value, or what is output_lines of it. */
struct row {
    const char *name;
    take_fn *take;
    const char *text; /* of take: what it is about; without take: the note */
};

/* A word of ASTRA-sim's, and what weft calls it. */
struct word {
    const char *astra, *weft;
};

static const char *translate(const struct word *words, const char *astra)
{
    for (; words->astra; words++)
        if (strcmp(words->astra, astra) == 0)
            return words->weft;
    return NULL;
}

static const char *astra_system_value(struct weft_astra_maker *m, const struct weft_flat *f,
                                      const struct weft_flat_key *k)
{
    if (k->n != 1)
        weft_astra_refuse(m, f, k, "takes one value");
    return m->rc ? "" : k->values[0];
}

static void take_policy(struct weft_astra_maker *m, const struct weft_flat *f,
                        const struct weft_flat_key *k, const struct row *row)
{
    static const struct word words[] = {
        {"LIFO", "lifo"}, {"FIFO", "fifo"}, {"EXPLICIT", "priority"}, {NULL, NULL}};
    const char *w = translate(words, astra_system_value(m, f, k));
    if (!w)
        weft_astra_refuse(m, f, k, "there are LIFO, FIFO and EXPLICIT");
    else if (m->layers)
        weft_astra_set(m, "system.intra-dimension=%s", w);
    else
        weft_astra_note_key(m, f, k,
                            "has no effect: as in ASTRA-sim 2 an NPU has one collective at a time, "
                            "in the order of node ids; --set system.one-at-a-time=false lets them "
                            "meet");
}

static void take_intra(struct weft_astra_maker *m, const struct weft_flat *f,
                       const struct weft_flat_key *k, const struct row *row)
{
    static const struct word words[] = {
        {"FIFO", "fifo"}, {"SCF", "smallest-first"},           {"smallestFirst", "smallest-first"},
        {"RG", "fifo"},   {"lessRemainingPhaseFirst", "fifo"}, {NULL, NULL}};
    const char *v = astra_system_value(m, f, k), *w = translate(words, v);
    if (!w)
        weft_astra_refuse(m, f, k, "there are FIFO, SCF, RG and lessRemainingPhaseFirst");
    else if (strcmp(v, "RG") == 0 || strcmp(v, "lessRemainingPhaseFirst") == 0)
        weft_astra_note_key(m, f, k, "is played as FIFO; weft has FIFO and SCF of them");
    weft_astra_set(m, "system.intra-dimension=%s", w ? w : "");
}

static void take_inter(struct weft_astra_maker *m, const struct weft_flat *f,
                       const struct weft_flat_key *k, const struct row *row)
{
    static const struct word words[] = {
        {"baseline", "baseline"},      {"ascending", "baseline"},
        {"themis", "themis"},          {"offlineGreedy", "themis"},
        {"themisFlex", "themis"},      {"offlineGreedyFlex", "themis"},
        {"roundRobin", "round-robin"}, {NULL, NULL}};
    const char *w = translate(words, astra_system_value(m, f, k));
    if (!w)
        weft_astra_refuse(m, f, k, "there are baseline, themis, themisFlex and roundRobin");
    else if (strcmp(w, "baseline") != 0)
        weft_astra_note_key(m, f, k,
                            "is played, all ranks in one order of chunks; ASTRA-sim 2 does not "
                            "read it, 1.0 waits for all ranks after each phase");
    weft_astra_set(m, "system.inter-dimension=%s", w ? w : "");
}

static void take_phases(struct weft_astra_maker *m, const struct weft_flat *f,
                        const struct weft_flat_key *k, const struct row *row)
{
    static const struct word words[] = {
        {"baseline", "whole"}, {"localBWAware", "scatter-gather"}, {NULL, NULL}};
    const char *w = translate(words, astra_system_value(m, f, k));
    if (!w)
        weft_astra_refuse(m, f, k, "there are baseline and localBWAware");
    weft_astra_set(m, "system.all-reduce-phases=%s", w ? w : "");
}

/* "ringN" and "oneDirectN" of ASTRA-sim as weft writes them. */
static const char *algorithm(struct weft_astra_maker *m, const char *astra, bool *one)
{
    static const struct word words[] = {{"ring", "ring"},
                                        {"direct", "direct"},
                                        {"halvingDoubling", "halving-doubling:reduction=forwarded"},
                                        {"doubleBinaryTree", "double-binary-tree"},
                                        {NULL, NULL}};
    char name[64];
    char *end;
    size_t n = strcspn(astra, "0123456789");
    *one = strncmp(astra, "one", 3) == 0;
    if (*one)
        astra += 3, n -= 3;
    if (n >= sizeof name)
        return NULL;
    memcpy(name, astra, n);
    name[n] = '\0';
    if (*one && name[0] >= 'A' && name[0] <= 'Z')
        name[0] = (char)(name[0] - 'A' + 'a');
    const char *w = translate(words, name);
    const unsigned long window = strtoul(astra + n, &end, 10);
    if (!w || *end || (astra[n] && strcmp(w, "direct") != 0))
        return NULL;
    return window ? weft_arena_printf(m->x->arena, "direct:window=%lu:additions=alternate", window)
                  : w;
}

/* The names of an implementation: a list, or of 1.0 one text joined by '_'. */
static uint32_t names_of(struct weft_astra_maker *m, const struct weft_flat_key *k,
                         const char *names[WEFT_FLAT_LIST_MAX])
{
    uint32_t n = 0;
    if (k->n != 1) {
        memcpy(names, k->values, k->n * sizeof *names);
        return k->n;
    }
    for (const char *p = k->values[0]; *p && n < WEFT_FLAT_LIST_MAX; n++) {
        const size_t len = strcspn(p, "_");
        names[n] = weft_arena_strndup(m->x->arena, p, len);
        if (!names[n])
            m->rc = weft_err_no_memory(m->err, "an experiment");
        p += len + (p[len] == '_');
    }
    return n;
}

/* One algorithm per dimension, or one over all ranks. */
static void take_algorithm(struct weft_astra_maker *m, const struct weft_flat *f,
                           const struct weft_flat_key *k, const struct row *row)
{
    const char *names[WEFT_FLAT_LIST_MAX], *last = NULL, *list = "";
    const uint32_t ndims = m->x->ndims;
    const uint32_t n = names_of(m, k, names);
    bool one = false;
    if (!m->rc && n == 0)
        weft_astra_refuse(m, f, k, "the list is empty");
    for (uint32_t d = 0; d < ndims && !m->rc && !one; d++) {
        if (d < n && !(last = algorithm(m, names[d], &one))) {
            weft_astra_refuse(m, f, k,
                              "there is no '%.40s'; there are ring, direct, directN, "
                              "halvingDoubling, doubleBinaryTree and, over all dimensions at once, "
                              "oneRing, oneDirect, oneHalvingDoubling",
                              names[d]);
            return;
        }
        list = one ? last : weft_arena_printf(m->x->arena, "%s%s%s", list, d ? "," : "", last);
    }
    if (!one && n < ndims)
        weft_astra_note_key(m, f, k,
                            "names fewer algorithms than there are dimensions; the last one plays "
                            "the rest, where ASTRA-sim leaves those dimensions out");
    else if (n > ndims)
        weft_astra_note_key(m, f, k, "names more algorithms than there are dimensions");
    weft_astra_set(m, "system.%s=%s", row->text, list);
}

/* Where a file is that a configuration names, or of traces the first with "PREFIX.0.et": from the
 * working directory, else from the folder of the configuration or one above it. NULL: nowhere. */
static const char *find_file(struct weft_astra_maker *m, const struct weft_flat *f,
                             const char *prefix, const char *suffix)
{
    char dir[WEFT_PATH_MAX], file[WEFT_PATH_MAX], up[WEFT_PATH_MAX];
    struct weft_err ignored = {0};
    const char *p = prefix;
    for (int above = -1; above < 6; above++) {
        snprintf(file, sizeof file, "%s%s", p, suffix);
        if (weft_file_is_regular(file))
            return p;
        if (prefix[0] == '/')
            return NULL;
        if (above < 0 ? weft_path_dir(dir, f->file, &ignored)
                      : weft_path_join(up, dir, "..", &ignored))
            return NULL;
        if (above >= 0)
            memcpy(dir, up, sizeof dir);
        p = weft_arena_printf(m->x->arena, "%s%s%s", dir, dir[0] ? "/" : "", prefix);
        if (!p)
            return NULL;
    }
    return NULL;
}

/* The traces that the value of a key names. */
static const char *traces_of(struct weft_astra_maker *m, const struct weft_flat *f,
                             const struct weft_flat_key *k)
{
    const char *prefix = astra_system_value(m, f, k);
    const char *path = m->rc ? NULL : find_file(m, f, prefix, ".0.et");
    if (!m->rc && !path)
        weft_astra_refuse(m, f, k,
                          "there is no '%s.0.et' in the working directory, in the folder of this "
                          "file or in one above it",
                          prefix);
    else if (!m->rc && strpbrk(path, ":,"))
        weft_astra_refuse(m, f, k, "the path must not have ':' or ','");
    return path ? path : "";
}

static void take_custom(struct weft_astra_maker *m, const struct weft_flat *f,
                        const struct weft_flat_key *k, const struct row *row)
{
    weft_astra_set(m, "system.%s=chakra:file=%s", row->text, traces_of(m, f, k));
}

/* Custom collectives of some nodes: a YAML file of node ids and traces. */
static void take_per_node(struct weft_astra_maker *m, const struct weft_flat *f,
                          const struct weft_flat_key *k, const struct row *row)
{
    const char *name = astra_system_value(m, f, k), *list = "";
    const char *path = m->rc ? NULL : find_file(m, f, name, "");
    if (!m->rc && !path)
        weft_astra_refuse(m, f, k,
                          "there is no file '%s' in the working directory, in the folder of this "
                          "file or in one above it",
                          name);
    const struct weft_flat *nodes = m->rc ? NULL : weft_astra_flat(m, path);
    for (uint32_t i = 0; nodes && i < nodes->nkeys && !m->rc; i++) {
        const struct weft_flat_key *n = &nodes->keys[i];
        if (!n->name[0] || n->name[strspn(n->name, "0123456789")])
            weft_astra_refuse(m, nodes, n, "must be the id of a node, a whole number");
        else
            list = weft_arena_printf(m->x->arena, "%s%s%s:chakra:file=%s", list, i ? "," : "",
                                     n->name, traces_of(m, nodes, n));
    }
    weft_astra_set(m, "chakra.algorithms=%s", list);
}

/* Whether a switch is on; false with m->rc set when it is neither. */
static bool is_on(struct weft_astra_maker *m, const struct weft_flat *f,
                  const struct weft_flat_key *k)
{
    const char *v = astra_system_value(m, f, k);
    if (strcmp(v, "true") == 0 || strcmp(v, "false") == 0)
        return v[0] == 't';
    return weft_astra_number(m, f, k, 0, 1e9) != 0;
}

/* Recorded durations in place of everything. */
static void take_replay(struct weft_astra_maker *m, const struct weft_flat *f,
                        const struct weft_flat_key *k, const struct row *row)
{
    if (!is_on(m, f, k))
        return;
    weft_astra_set(m, "chakra.replay=true");
    weft_astra_note_key(m, f, k,
                        "is on: each node takes its duration, communication too; algorithms, "
                        "network and memory have no effect");
}

static void take_delay(struct weft_astra_maker *m, const struct weft_flat *f,
                       const struct weft_flat_key *k, const struct row *row)
{
    const double ns = weft_astra_number(m, f, k, 0, 1e9);
    const double scale = weft_astra_option(m, "injection-scale", m->o->injection_scale, 0, 1e6, 1);
    weft_astra_set(m, "system.endpoint-delay=%.0fps", ns * scale * 1000);
}

static void take_chunks(struct weft_astra_maker *m, const struct weft_flat *f,
                        const struct weft_flat_key *k, const struct row *row)
{
    weft_astra_set(m, "system.chunks=%.0f", weft_astra_number(m, f, k, 1, 1e6));
}

/* Chunks in flight: each queue of a dimension has its share of them. An all-reduce that goes out
 * and back has half of the queues on either way, everything else has all. */
static void take_active(struct weft_astra_maker *m, const struct weft_flat *f,
                        const struct weft_flat_key *k, const struct row *row)
{
    const double active = weft_astra_number(m, f, k, 1, 1e6);
    const double queues = weft_astra_option(m, "num-queues-per-dim", m->o->queues, 1, 1e6, 1);
    const double each = (double)(((long)active + (long)queues - 1) / (long)queues);
    const struct weft_flat_key *way = weft_flat_find(f, "collective-optimization");
    const bool whole = way && way->n == 1 && strcmp(way->values[0], "baseline") == 0;
    const double all = each * queues, half = each * (double)((long)queues / 2);
    if (queues > 1)
        weft_astra_note(m,
                        "--num-queues-per-dim %.0f: weft has one queue per dimension, with %.0f "
                        "chunks in flight, and in an all-reduce %.0f",
                        queues, all, whole ? all : half);
    weft_astra_set(m, "system.active-chunks=%.0f", queues > 1 && !whole ? half : all);
    if (queues > 1 && !whole)
        weft_astra_set(m, "system.one-way-chunks=%.0f", all);
}

static void take_bandwidth(struct weft_astra_maker *m, const struct weft_flat *f,
                           const struct weft_flat_key *k, const struct row *row)
{
    const double gbytes = weft_astra_number(m, f, k, 0, 1e6);
    weft_astra_set(m, "system.reduce-bandwidth=%.0fbps", gbytes * 8e9);
    weft_astra_set(m, "system.memory-bandwidth=%.0fbps", gbytes * 8e9);
}

static void take_peak(struct weft_astra_maker *m, const struct weft_flat *f,
                      const struct weft_flat_key *k, const struct row *row)
{
    weft_astra_set(m, "system.peak-flops=%.0f", weft_astra_number(m, f, k, 0, 1e9) * 1e12);
}

static void take_roofline(struct weft_astra_maker *m, const struct weft_flat *f,
                          const struct weft_flat_key *k, const struct row *row)
{
    weft_astra_set(m, "system.roofline=%s", is_on(m, f, k) ? "true" : "false");
}

/* What is output_lines where it is on. */
static void take_note(struct weft_astra_maker *m, const struct weft_flat *f,
                      const struct weft_flat_key *k, const struct row *row)
{
    if (is_on(m, f, k))
        weft_astra_note_key(m, f, k, row->text);
}

/* LogGP costs, where the shared bus is modelled. */
static void take_loggp(struct weft_astra_maker *m, const struct weft_flat *f,
                       const struct weft_flat_key *k, const struct row *row)
{
    const struct weft_flat_key *bus = weft_flat_find(f, "model-shared-bus");
    const double v = weft_astra_number(m, f, k, 0, 1e9);
    if (!bus || !is_on(m, f, bus) || v == 0)
        return;
    if (strcmp(row->text, "o") == 0) {
        weft_astra_set(m, "system.send-overhead=%.0fps", v * 1000);
        weft_astra_set(m, "system.receive-overhead=%.0fps", v * 1000);
    } else if (strcmp(row->text, "g") == 0) {
        weft_astra_set(m, "system.message-gap=%.0fps", v * 1000);
    } else if (strcmp(row->text, "G") == 0) {
        weft_astra_set(m, "system.injection-bandwidth=%.0fbps", 8e9 / v);
    } else {
        weft_astra_note_key(m, f, k, "is not added to messages: weft's LogGP has o, g and G");
    }
}

static const struct row rows[] = {
    {"scheduling-policy", take_policy, ""},
    {"intra-dimension-scheduling", take_intra, ""},
    {"inter-dimension-scheduling", take_inter, ""},
    {"collective-optimization", take_phases, ""},
    {"endpoint-delay", take_delay, ""},
    {"active-chunks-per-dimension", take_active, ""},
    {"preferred-dataset-splits", take_chunks, ""},
    {"local-mem-bw", take_bandwidth, ""},
    {"peak-perf", take_peak, ""},
    {"roofline-enabled", take_roofline, ""},
    {"all-reduce-implementation", take_algorithm, "all-reduce"},
    {"all-gather-implementation", take_algorithm, "all-gather"},
    {"reduce-scatter-implementation", take_algorithm, "reduce-scatter"},
    {"all-to-all-implementation", take_algorithm, "all-to-all"},
    {"all-reduce-implementation-custom", take_custom, "all-reduce"},
    {"all-gather-implementation-custom", take_custom, "all-gather"},
    {"reduce-scatter-implementation-custom", take_custom, "reduce-scatter"},
    {"all-to-all-implementation-custom", take_custom, "all-to-all"},
    {"all-reduce-implementation-chakra", take_custom, "all-reduce"},
    {"all-gather-implementation-chakra", take_custom, "all-gather"},
    {"reduce-scatter-implementation-chakra", take_custom, "reduce-scatter"},
    {"all-to-all-implementation-chakra", take_custom, "all-to-all"},
    {"per-node-custom-implementation", take_per_node, ""},
    {"replay-only", take_replay, ""},
    {"model-shared-bus", take_note,
     "is played as LogGP at the ends of messages, without the two buses inside of an NPU"},
    {"L", take_loggp, "L"},
    {"o", take_loggp, "o"},
    {"g", take_loggp, "g"},
    {"G", take_loggp, "G"},
    {"trace-enabled", take_note, "has no effect: ops.csv in the run folder has every operation"},
    {"track-local-mem", take_note, "has no effect: weft does not track memory in use"},
    {"boost-mode", take_note, "has no effect: weft plays every NPU"},
    {"local-mem-trace-filename", NULL, NULL},
    {"local-reduction-delay", NULL, NULL},
    {"direct-collective-window", NULL, NULL},
    {"seprate-log", NULL, NULL},
};
enum { NROWS = sizeof rows / sizeof rows[0] };

static void astra_system_take(struct weft_astra_maker *m, const struct weft_flat *f,
                              const struct weft_flat_key *k)
{
    const char *names[NROWS];
    char text[160];
    size_t i = 0;
    while (i < NROWS && strcmp(rows[i].name, k->name) != 0)
        names[i] = rows[i].name, i++;
    if (i < NROWS && k->map) {
        weft_astra_refuse(m, f, k, "its value must be plain or a list, not a map");
    } else if (i < NROWS && rows[i].take) {
        rows[i].take(m, f, k, &rows[i]);
    } else if (i == NROWS) {
        snprintf(text, sizeof text, "is no key of ASTRA-sim's and is left out%s",
                 WEFT_MEANT(k->name, names, NROWS, ""));
        weft_astra_note_key(m, f, k, text);
    }
}

/* What absent keys stand for. */
static void defaults(struct weft_astra_maker *m)
{
    weft_astra_set(m, "system.quantum=1ns");
    weft_astra_set(m, "system.intra-dimension=fifo");
    weft_astra_set(m, "system.one-at-a-time=%s",
                   m->layers ? "false" : "true"); /* 1.0 lets them meet */
    weft_astra_set(m, "system.compute-order=id");
    weft_astra_set(m, "system.endpoint-delay=10ns");
}

/* Custom collectives pay no endpoint-delay there. */
static void spare_custom(struct weft_astra_maker *m, const struct weft_flat *f)
{
    const struct weft_flat_key *custom = NULL;
    bool native = false;
    for (size_t i = 0; i < NROWS; i++) {
        const struct weft_flat_key *k = weft_flat_find(f, rows[i].name);
        if (k && (rows[i].take == take_custom || rows[i].take == take_per_node))
            custom = k;
        native = native || (k && rows[i].take == take_algorithm);
    }
    if (custom && native)
        weft_astra_note_key(
            m, f, custom, "pays endpoint-delay as other collectives do; in ASTRA-sim it does not");
    else if (custom)
        weft_astra_set(m, "system.endpoint-delay=0ns");
}

/* Whether a file has a key of a system configuration. */
static bool has_keys(const struct weft_flat *f)
{
    for (size_t i = 0; i < NROWS; i++)
        if (weft_flat_find(f, rows[i].name))
            return true;
    return false;
}

void weft_astra_system(struct weft_astra_maker *m)
{
    const struct weft_flat *f = weft_astra_flat(m, m->o->system);
    if (!f)
        return;
    if (!has_keys(f)) {
        m->rc = weft_err_at(m->err, WEFT_E_INPUT, f->file, 0, 0,
                            "this is no system configuration of ASTRA-sim: it has none of its "
                            "keys, such as %s",
                            rows[0].name);
        return;
    }
    defaults(m);
    for (uint32_t i = 0; i < f->nkeys && !m->rc; i++)
        astra_system_take(m, f, &f->keys[i]);
    spare_custom(m, f);
}
