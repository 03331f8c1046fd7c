/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads measurements of collectives; bench_rows.h. */
#include "cli/bench_rows.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/units.h"
#include "system/library.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)64 << 20)

static const struct weft_bench_rows_kind kinds[] = {{"all_reduce", WEFT_COLL_ALL_REDUCE},
                                                    {"all_gather", WEFT_COLL_ALL_GATHER},
                                                    {"reduce_scatter", WEFT_COLL_REDUCE_SCATTER},
                                                    {"alltoall", WEFT_COLL_ALL_TO_ALL},
                                                    {"sendrecv", WEFT_COLL_ALL_TO_ALL, true}};

const struct weft_bench_rows_kind *weft_bench_rows_kind(const char *name, struct weft_err *err)
{
    const size_t end = strlen(name) > 5 && strcmp(name + strlen(name) - 5, "_perf") == 0
                           ? strlen(name) - 5
                           : strlen(name);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i].name) == end && strncmp(kinds[i].name, name, end) == 0)
            return &kinds[i];
    weft_err_set(err, WEFT_E_USAGE,
                 "'%s' is no collective of nccl-tests that is played; all_reduce, all_gather, "
                 "reduce_scatter, alltoall and sendrecv are",
                 name);
    return NULL;
}

/* Columns of the CSV, in their order. */
enum { COLLECTIVE, NODES, GPUS, BYTES, TYPE, IN_PLACE, TIME, ALGBW, BUSBW, NOTE, COLUMNS };

/* Cuts a line at its commas; the last column is the rest of the line. */
static bool cut(char *line, char *field[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) {
        field[i] = line;
        if (i == NOTE)
            return true;
        line += strcspn(line, ",");
        if (!*line)
            return false;
        *line++ = '\0';
    }
    return false;
}

double weft_bench_rows_bus_factor(const struct weft_bench_rows_kind *kind, double n)
{
    return kind->pairs ? 1 : (kind->coll == WEFT_COLL_ALL_REDUCE ? 2 : 1) * (n - 1) / n;
}

uint64_t weft_bench_rows_floats(const struct weft_bench_rows_kind *kind, uint64_t bytes, uint64_t n)
{
    const bool whole = kind->pairs || kind->coll == WEFT_COLL_ALL_REDUCE;
    return bytes / sizeof(float) / (whole ? 1 : n);
}

const char *weft_bench_rows_redop(const struct weft_bench_rows_kind *kind)
{
    const bool sums = kind->coll == WEFT_COLL_ALL_REDUCE || kind->coll == WEFT_COLL_REDUCE_SCATTER;
    return sums || kind->pairs ? "sum" : "none";
}

static int measured_add(struct weft_bench_rows *m, double bytes, double us, struct weft_err *err)
{
    if (!(bytes >= 1 && bytes < 0x1p63 && us > 0))
        return 0;
    if (!WEFT_GROW_ONE(m->row, m->n))
        return weft_err_no_memory(err, "measurements");
    m->row[m->n++] = (struct weft_bench_rows_row){(uint64_t)bytes, us};
    return 0;
}

/* A row of CSV that is wanted. */
static int from_csv(char *line, const struct weft_bench_rows_kind *kind, const char *only,
                    uint32_t nodes, uint32_t gpus, struct weft_bench_rows *m, struct weft_err *err)
{
    char *f[COLUMNS];
    if (!cut(line, f) || strcmp(f[COLLECTIVE], kind->name) != 0 ||
        strtoul(f[NODES], NULL, 10) != nodes || strtoul(f[GPUS], NULL, 10) != gpus ||
        (only && !strstr(f[NOTE], only)))
        return 0;
    const double bytes = strtod(f[BYTES], NULL), algbw = strtod(f[ALGBW], NULL);
    const double busbw = strtod(f[BUSBW], NULL);
    double us = strtod(f[TIME], NULL);
    if (us <= 0 && algbw > 0)
        us = bytes / algbw / 1e3;
    if (us <= 0 && busbw > 0)
        us = bytes * weft_bench_rows_bus_factor(kind, gpus) / busbw / 1e3;
    return measured_add(m, bytes, us, err);
}

/* Whether the column redop of nccl-tests may stand in a row of @p kind: "none", or an operation. */
static bool fits(const char *redop, const struct weft_bench_rows_kind *kind)
{
    const bool none = strcmp(weft_bench_rows_redop(kind), "none") == 0;
    const bool number = strchr("0123456789-", redop[0]) != NULL; /* another column */
    return kind->pairs || number || none == (strcmp(redop, "none") == 0);
}

/* A row of nccl-tests: size, count, type, redop, root (not of all), time ... */
static int from_output(char *line, const struct weft_bench_rows_kind *kind,
                       struct weft_bench_rows *m, struct weft_err *err)
{
    char *save = NULL, *word[8];
    size_t n = 0;
    for (char *w = strtok_r(line, " \t", &save); w && n < 8; w = strtok_r(NULL, " \t", &save))
        word[n++] = w;
    /* "#  Rank  0 Group  0 Pid ...": other groups hold other ranks of the same numbers */
    if (n > 4 && strcmp(word[0], "#") == 0 && strcmp(word[1], "Rank") == 0)
        m->ranks += strcmp(word[3], "Group") != 0 || strcmp(word[4], "0") == 0;
    if (n < 7 || !strchr("0123456789", word[0][0]))
        return 0;
    if (!fits(word[3], kind))
        return weft_err_set(err, WEFT_E_INPUT,
                            "its redop is '%s': measured with another collective than %s", word[3],
                            kind->name);
    const double bytes = strtod(word[0], NULL), us = strtod(word[5], NULL);
    return measured_add(m, bytes, us, err);
}

static int measured_by_size(const void *a, const void *b)
{
    const struct weft_bench_rows_row *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->us < y->us ? -1 : x->us > y->us;
}

int weft_bench_rows_read(const char *path, const struct weft_bench_rows_kind *kind,
                         const char *only, uint32_t nodes, uint32_t gpus,
                         struct weft_bench_rows *out, struct weft_err *err)
{
    size_t len;
    char *text = NULL, *save = NULL;
    int rc = weft_file_read(path, FILE_MAX, &text, &len, err);
    *out = (struct weft_bench_rows){0};
    if (rc)
        return rc;
    const bool csv = strncmp(text, "collective,", strlen("collective,")) == 0;
    for (char *line = strtok_r(text, "\r\n", &save); line && !rc;
         line = strtok_r(NULL, "\r\n", &save))
        rc = csv ? from_csv(line, kind, only, nodes, gpus, out, err)
                 : from_output(line, kind, out, err);
    free(text);
    if (!rc && out->ranks && out->ranks != gpus)
        rc = weft_err_set(err, WEFT_E_INPUT,
                          "%s: measured with %" PRIu32 " ranks, but %" PRIu32
                          " GPUs are played; -n gives the nodes, -g the GPUs of a node",
                          path, out->ranks, gpus);
    if (rc)
        weft_bench_rows_free(out);
    else if (out->n)
        qsort(out->row, out->n, sizeof *out->row, measured_by_size);
    return rc;
}

void weft_bench_rows_free(struct weft_bench_rows *m)
{
    free(m->row);
    *m = (struct weft_bench_rows){0};
}

int weft_cluster_group(const struct weft_scenario *s, struct weft_library_group *out,
                       struct weft_err *err)
{
    struct weft_scenario_parts parts;
    struct weft_dims dims;
    *out = (struct weft_library_group){0};
    const int code = weft_scenario_build_net(s, &parts, err);
    if (code)
        return code;
    weft_scenario_dims(parts.fabric, &dims);
    const uint32_t n = parts.fabric->nhosts, node = dims.n > 1 ? dims.size[0] : n;
    *out = (struct weft_library_group){.n = n,
                                       .node = node,
                                       .nodes = n / node,
                                       .gpus = node,
                                       .link_GBps = weft_library_link_GBps(parts.fabric),
                                       .nic_GBps = dims.n > 1 ? (double)dims.rate_bps[1] / 8e9 : 0};
    weft_scenario_parts_free(&parts);
    return 0;
}

int weft_bench_rows_size(const char *option, const char *text, const char *def, uint64_t *out,
                         struct weft_err *err)
{
    char *end;
    text = text ? text : def;
    const double v = strtod(text, &end);
    static const char letters[] = "KMGT";
    uint64_t unit = 1;
    if (*end && strchr(letters, *end))
        unit = UINT64_C(1) << 10 * (strchr(letters, *end++) - letters + 1);
    if (*end == 'i')
        end++;
    if (*end == 'B')
        end++;
    const double bytes = v * (double)unit;
    if (end == text || *end || !(bytes >= 1 && bytes <= 1e15))
        return weft_err_set(err, WEFT_E_USAGE,
                            "%s %s: a size as nccl-tests takes it: 8, 64K, 16G; at least a byte, "
                            "at most 10^15",
                            option, text);
    *out = (uint64_t)bytes;
    return 0;
}

int weft_bench_rows_count(const char *option, const char *text, uint64_t least, uint64_t most,
                          uint64_t *out, struct weft_err *err)
{
    if (!text || (!weft_parse_u64(text, out, err) && *out >= least && *out <= most))
        return 0;
    return weft_err_set(err, WEFT_E_USAGE,
                        "%s %s: must be a whole number from %" PRIu64 " to %" PRIu64, option, text,
                        least, most);
}

static const char *setting_text(const struct weft_scenario *s, const char *element,
                                const char *name)
{
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        const struct weft_param *p =
            strcmp(g->element, element) == 0 ? weft_params_find(g->table, name) : NULL;
        if (p && p->type == WEFT_PARAM_STRING)
            return *(const char *const *)((const char *)g->values + p->offset);
    }
    return NULL;
}

/* A number behind @p key in @p text; 0: it is not there. */
static uint32_t number_at(const char *text, const char *key)
{
    const char *at = text ? strstr(text, key) : NULL;
    return at ? (uint32_t)strtoul(at + strlen(key), NULL, 10) : 0;
}

/* @p text with the number behind @p key replaced. */
static const char *with_number(struct weft_arena *a, const char *text, const char *key, uint32_t n)
{
    const char *at = strstr(text, key);
    if (!at)
        return text;
    at += strlen(key);
    return weft_arena_printf(a, "%.*s%" PRIu32 "%s", (int)(at - text), text, n,
                             at + strspn(at, "0123456789"));
}

int weft_cluster_of(const struct weft_scenario *s, struct weft_arena *a, uint32_t *nodes,
                    uint32_t *gpus, const char **setting, struct weft_err *err)
{
    const char *dims = setting_text(s, "topology", "dimensions");
    const uint32_t own = number_at(dims, "size="), has = number_at(dims, "nodes=");
    *setting = NULL;
    if (!own || (!has && *nodes != 1 && strchr(dims, ';')))
        return 0;
    *nodes = *nodes ? *nodes : has ? has : 1;
    *gpus = *gpus ? *gpus : own;
    const char *text = weft_arena_strdup(a, dims);
    if (text && *nodes == 1 && strchr(text, ';'))
        text = weft_arena_printf(a, "%.*s", (int)strcspn(text, ";"), text);
    text = text ? with_number(a, text, "size=", *gpus) : NULL;
    text = text ? with_number(a, text, "rails=", *gpus) : NULL;
    text = text ? with_number(a, text, "nodes=", *nodes) : NULL;
    *setting = text ? weft_arena_printf(a, "multi.dimensions=%s", text) : NULL;
    return *setting ? 0 : weft_err_no_memory(err, "a cluster");
}
