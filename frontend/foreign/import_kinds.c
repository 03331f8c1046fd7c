/* SPDX-License-Identifier: GPL-2.0-only */
/* The kinds of files that weft tells apart, and what it reads of each. */
#include "base/cdf.h"
#include "base/units.h"
#include "foreign/hpcc/config.h"
#include "foreign/import_msccl.h"
#include "topologies/read.h"
#include "workload/astra_text/astra_text.h"
#include "workload/chakra_read.h"
#include "workload/goal/goal.h"
#include "workload/traffic/hpcc_flow.h"
#include "workload/workload.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const struct weft_import_file file;

/* --- told by bytes --- */

static bool goal_binary(file *f)
{
    return weft_goal_is_binary(f->head, f->size);
}

static bool is_text(file *f)
{
    for (size_t i = 0; i < f->size; i++)
        if (!f->head[i] || ((unsigned char)f->head[i] < 32 && !strchr("\t\n\r\f", f->head[i])))
            return false;
    return true;
}

static bool gzip(file *f)
{
    return f->size > 2 && memcmp(f->head, "\x1f\x8b", 2) == 0;
}

/* As Chakra's feeder or chakra_jsonizer have it. */
static bool trace_json(file *f)
{
    return f->head[strspn(f->head, " \t\r\n")] == '{' &&
           (strstr(f->head, "\"workload_graph\"") || strstr(f->head, "_NODE\""));
}

/* As PyTorch's ExecutionTraceObserver and its profiler write them. */
static bool pytorch(file *f)
{
    return f->head[strspn(f->head, " \t\r\n")] == '{' && strstr(f->head, "\"schema\"") &&
           strstr(f->head, "\"nodes\"");
}
static bool kineto(file *f)
{
    return f->head[strspn(f->head, " \t\r\n")] == '{' && strstr(f->head, "\"traceEvents\"");
}

static bool trace(file *f)
{
    struct weft_arena *a = weft_arena_new();
    struct weft_et *et = NULL;
    const bool maybe = a && f->size && (gzip(f) || !is_text(f));
    const bool is = maybe && weft_chakra_read_et(f->path, a, &et, f->looked) == 0 && et->nnodes;
    weft_arena_free(a);
    return is;
}

/* --- told by XML's root --- */

static bool root(file *f, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = strchr(f->head, '<'); p; p = strchr(p + 1, '<')) {
        if (strncmp(p, "<!--", 4) == 0)
            p = strstr(p, "-->") ? strstr(p, "-->") : p;
        else if (p[1] != '?' && p[1] != '!')
            return strncmp(p + 1, name, n) == 0 &&
                   (isspace((unsigned char)p[n + 1]) || p[n + 1] == '>' || p[n + 1] == '/');
    }
    return false;
}

static bool xml(file *f)
{
    return f->head[strspn(f->head, " \t\r\n\xef\xbb\xbf")] == '<';
}

#define ROOT(function, name)                                                                       \
    static bool function(file *f)                                                                  \
    {                                                                                              \
        return xml(f) && root(f, name);                                                            \
    }
ROOT(msccl, "algo")
ROOT(nccl, "system")
ROOT(any_topology, "topology")
/* lstopo's, whose root has that name as well */
static bool hwloc(file *f)
{
    return any_topology(f) && strstr(f->head, "<object type=");
}
static bool weft_topology(file *f)
{
    return any_topology(f) && !hwloc(f);
}
ROOT(weft_scenario, "scenario")
ROOT(weft_expect, "expect")
#undef ROOT

/* --- told by keys --- */

static bool has(file *f, const char *key)
{
    return weft_tree_get(f->tree, key) != NULL;
}

static bool infragraph(file *f)
{
    return has(f, "infrastructure") || (has(f, "devices") && has(f, "instances"));
}
static bool mscclpp(file *f)
{
    return has(f, "gpus") && (has(f, "collective") || has(f, "protocol"));
}

/* One kind per collective, since each has a setting of its own. */
#define COLLECTIVES(X)                                                                             \
    X(ALL_REDUCE, "all-reduce")                                                                    \
    X(ALL_GATHER, "all-gather")                                                                    \
    X(REDUCE_SCATTER, "reduce-scatter")                                                            \
    X(ALL_TO_ALL, "all-to-all")                                                                    \
    X(BROADCAST, "broadcast")                                                                      \
    X(REDUCE, "reduce")                                                                            \
    X(GATHER, "gather")                                                                            \
    X(SCATTER, "scatter")
#define DOES(kind, name)                                                                           \
    static bool msccl_##kind(file *f)                                                              \
    {                                                                                              \
        return msccl(f) && weft_import_msccl_does(f, false, WEFT_COLL_##kind);                     \
    }                                                                                              \
    static bool mscclpp_##kind(file *f)                                                            \
    {                                                                                              \
        return mscclpp(f) && weft_import_msccl_does(f, true, WEFT_COLL_##kind);                    \
    }
COLLECTIVES(DOES)
#undef DOES

static bool astra_system(file *f)
{
    return has(f, "scheduling-policy") || has(f, "all-reduce-implementation") ||
           has(f, "active-chunks-per-dimension");
}
static bool astra_memory(file *f)
{
    return has(f, "memory-type") || has(f, "remote-mem-bw");
}
static bool astra_logical(file *f)
{
    return has(f, "logical-dims");
}
static bool astra_network(file *f)
{
    return (has(f, "topology") && has(f, "npus_count")) || has(f, "topologies-per-dim") ||
           has(f, "units-count");
}
static bool groups(file *f)
{
    const struct weft_tree *t = f->tree && f->tree->kind == WEFT_TREE_MAP ? f->tree->first : NULL;
    bool all = t != NULL;
    for (; t; t = t->next)
        all = all && t->kind == WEFT_TREE_LIST && isdigit((unsigned char)*t->key);
    return all;
}

/* --- told by words --- */

/* Whether a line of the text begins with the word. */
static bool line_begins(file *f, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = f->head; *p; p += *p == '\n') {
        p += strspn(p, " \t\r");
        if (strncmp(p, word, n) == 0 && (isspace((unsigned char)p[n]) || !p[n]))
            return true;
        p += strcspn(p, "\n");
    }
    return false;
}

static bool goal_text(file *f)
{
    const char *first = f->head;
    while (*first && (isspace((unsigned char)*first) || *first == '/' || *first == '#'))
        first += isspace((unsigned char)*first) ? 1 : strcspn(first, "\n");
    return strncmp(first, "num_ranks", 9) == 0 && line_begins(f, "rank");
}
static bool htsim_topology(file *f)
{
    return line_begins(f, "Podsize") || (line_begins(f, "Tiers") && line_begins(f, "Tier"));
}
static bool hpcc_config(file *f)
{
    return line_begins(f, "TOPOLOGY_FILE") && weft_hpcc_config_looks(f->path);
}
static bool simai_config(file *f)
{
    return line_begins(f, "CC_MODE") && weft_hpcc_config_looks(f->path);
}
static bool text_workload(file *f)
{
    static const char *const policies[] = {"DATA", "MODEL", "MICRO", "HYBRID_", "DISTRIBUTED_"};
    return WEFT_BEGINS_WITH_ONE_OF(f->head, policies);
}
static bool csv_flows(file *f)
{
    const char *end = strchr(f->head, '\n');
    const char *size = strstr(f->head, "size_bytes"), *start = strstr(f->head, "start_ns");
    return end && size && size < end && start && start < end;
}

/* --- told by numbers --- */

/* Words of line @p number, from 0; how many of the first eight are numbers, in *numbers. */
static uint32_t words(file *f, uint32_t number, uint32_t *numbers)
{
    const char *p = f->head;
    uint32_t n = 0;
    *numbers = 0;
    for (; number && *p; number--) {
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    for (p += strspn(p, " \t\r"); *p && *p != '\n'; n++) {
        char *end;
        strtod(p, &end);
        *numbers += n < 8 && end != p && (isspace((unsigned char)*end) || !*end);
        p += strcspn(p, " \t\r\n");
        p += strspn(p, " \t\r");
    }
    return n;
}

static bool simai_topology(file *f)
{
    uint32_t numbers;
    const uint32_t n = words(f, 0, &numbers);
    return (n == 6 || n == 7) && numbers == n - 1 && strstr(f->head, "bps");
}
static bool hpcc_topology(file *f)
{
    uint32_t numbers, second;
    const uint32_t n = words(f, 0, &numbers);
    const uint32_t ids = words(f, 1, &second);
    unsigned nodes = 0, switches = 0; /* of ns3-datacenter: the second line has all switches */
    const bool tors = (n == 4 || n == 6) && ids > 0 && second == (ids < 8 ? ids : 8) &&
                      sscanf(f->head, "%u %u", &nodes, &switches) == 2 && switches == ids;
    return numbers == n && (tors || (n == 3 && strstr(f->head, "bps")));
}
/* Hosts alone, more than two: a ring or torus, through which hosts forward. */
static bool hpcc_hosts(file *f)
{
    unsigned nodes = 0, switches = 1;
    return hpcc_topology(f) && sscanf(f->head, "%u %u", &nodes, &switches) == 2 && nodes > 2 &&
           switches == 0;
}
static bool cdf(file *f)
{
    uint32_t a, b;
    struct weft_cdf *c = NULL;
    if (!is_text(f) || words(f, 0, &a) != 2 || a != 2 || words(f, 1, &b) != 2 || b != 2)
        return false;
    c = weft_cdf_read(f->path, f->looked);
    const bool is = c != NULL;
    weft_cdf_free(c);
    return is;
}
static bool rdma_flows(file *f)
{
    uint32_t a, b;
    return words(f, 0, &a) == 1 && a == 1 && words(f, 1, &b) == 6 && b == 6 &&
           weft_hpcc_flows_are_rdma(f->head);
}
static bool hpcc_flows(file *f)
{
    uint32_t a, b;
    const uint32_t first = words(f, 0, &a), second = words(f, 1, &b);
    return first == 1 && a == 1 && (second == 5 || second == 6) && b == second;
}
static bool hpcc_fct(file *f)
{
    uint32_t numbers;
    const size_t first = strspn(f->head, "0123456789abcdef");
    return first == 8 && words(f, 0, &numbers) == 8 && numbers >= 6;
}
static bool hpcc_nothing(file *f)
{
    return f->size && f->head[0] == '0' && strspn(f->head + 1, " \t\r\n") == f->size - 1;
}
/* As many nodes as it says, on one line, and no numbers behind: flows would have a line each. */
static bool hpcc_trace(file *f)
{
    uint32_t a, b;
    const uint32_t first = words(f, 0, &a), second = words(f, 1, &b);
    const char *line = strchr(f->head, '\n');
    line = line ? strchr(line + 1, '\n') : NULL;
    return is_text(f) && first == 1 && a == 1 && second > 0 && b == (second < 8 ? second : 8) &&
           (uint32_t)strtoul(f->head, NULL, 10) == second &&
           !(line && isdigit((unsigned char)line[strspn(line, " \t\r\n")]));
}

/* --- what would be read --- */

static int read_topology(const struct weft_fabric *f, char *what, size_t size)
{
    snprintf(what, size, "%" PRIu32 " host%s, %" PRIu32 " switch%s, %" PRIu32 " link%s", f->nhosts,
             WEFT_PLURAL(f->nhosts), f->nswitches, f->nswitches == 1 ? "" : "es", f->nlinks,
             WEFT_PLURAL(f->nlinks));
    return 0;
}

static int topology_with(file *f, const char *yes, char *what, size_t size, struct weft_err *err)
{
    struct weft_fabric *fabric = NULL;
    int code = weft_topology_read_with(f->path, yes, &fabric, err);
    if (!code)
        read_topology(fabric, what, size);
    weft_fabric_free(fabric);
    return code;
}

static int topology(file *f, char *what, size_t size, struct weft_err *err)
{
    return topology_with(f, NULL, what, size, err);
}

static int topology_of_hosts(file *f, char *what, size_t size, struct weft_err *err)
{
    return topology_with(f, "hosts-forward", what, size, err);
}

static int goal(file *f, char *what, size_t size, struct weft_err *err)
{
    struct weft_goal *g = NULL;
    int code = weft_goal_read(f->path, &g, err);
    if (!code)
        snprintf(what, size,
                 "%" PRIu32 " ranks, %" PRIu64 " operations, %" PRIu64 " dependencies, %" PRIu64
                 " bytes sent, cpus 0 to %" PRIu32 ", nics 0 to %" PRIu32,
                 g->nranks, g->nops, g->ndeps, g->bytes, g->ncpus - 1, g->nnics - 1);
    weft_goal_free(g);
    return code;
}

static int chakra(file *f, char *what, size_t size, struct weft_err *err)
{
    struct weft_arena *a = weft_arena_new();
    struct weft_et *et = NULL;
    uint64_t colls = 0, messages = 0;
    int code = a ? weft_chakra_read_et(f->path, a, &et, err) : weft_err_no_memory(err, "a trace");
    for (size_t i = 0; !code && i < et->nnodes; i++) {
        colls += et->nodes[i].type == WEFT_ET_COMM_COLL_NODE;
        messages += et->nodes[i].type == WEFT_ET_COMM_SEND_NODE ||
                    et->nodes[i].type == WEFT_ET_COMM_RECV_NODE;
    }
    if (!code)
        snprintf(what, size,
                 "%zu node%s of one rank, %" PRIu64 " collective%s, %" PRIu64
                 " sends and receives; schema version '%.20s'%s",
                 et->nnodes, WEFT_PLURAL(et->nnodes), colls, WEFT_PLURAL(colls), messages,
                 et->version, et->gzip ? "; gzip" : "");
    weft_arena_free(a);
    return code;
}

static int config(file *f, char *what, size_t size, struct weft_err *err)
{
    struct weft_hpcc_config *c = weft_hpcc_config_read(f->path, NULL, err);
    if (!c)
        return err->code;
    snprintf(what, size, "a configuration; its files are read by weft hpcc");
    weft_hpcc_config_free(c);
    return 0;
}

static int settings(file *f, char *what, size_t size, struct weft_err *err)
{
    struct weft_hpcc_config *c = weft_hpcc_config_read_settings(f->path, err);
    uint32_t n = 0;
    if (!c)
        return err->code;
    for (size_t k = 0; k < WEFT_HPCC_KEYS; k++)
        n += c->given[k];
    snprintf(what, size, "%" PRIu32 " settings; CC_MODE %" PRIu64 ", payload %" PRIu64 " bytes", n,
             c->cc_mode, c->payload_bytes);
    weft_hpcc_config_free(c);
    return 0;
}

static int layers(file *f, char *what, size_t size, struct weft_err *err)
{
    struct weft_astra_text *t = NULL;
    int code = weft_astra_text_read(f->path, WEFT_ASTRA_DIALECT_AUTO, &t, err);
    if (!code)
        snprintf(what, size, "%" PRIu64 " layers, policy %s", t->nlayers,
                 weft_astra_policy_word(t->policy));
    weft_astra_text_free(t);
    return code;
}

static int flow_list(file *f, char *what, size_t size, struct weft_err *err)
{
    struct weft_hpcc_flows *l = weft_hpcc_flows_read(f->path, WEFT_HPCC_FLOW_AUTO, err);
    if (!l)
        return err->code;
    snprintf(what, size, "%zu flow%s", (size_t)l->n, WEFT_PLURAL(l->n));
    weft_hpcc_flows_free(l);
    return 0;
}

static int sizes(file *f, char *what, size_t size, struct weft_err *err)
{
    struct weft_cdf *c = weft_cdf_read(f->path, err);
    if (!c)
        return err->code;
    snprintf(what, size, "sizes with a mean of %.0f bytes", weft_cdf_mean_bytes(c));
    weft_cdf_free(c);
    return 0;
}

/* --- readers that recognise their files --- */

#define WEFT_WORKLOAD(symbol)                                                                      \
    extern const struct weft_workload_ops weft_workload_##symbol;                                  \
    static bool is_##symbol(file *f)                                                               \
    {                                                                                              \
        char what[256];                                                                            \
        return weft_workload_##symbol.recognises &&                                                \
               weft_workload_##symbol.recognises(f->head, what, sizeof what);                      \
    }                                                                                              \
    static int read_##symbol(file *f, char *what, size_t size, struct weft_err *err)               \
    {                                                                                              \
        weft_workload_##symbol.recognises(f->head, what, size);                                    \
        return weft_workload_try(&weft_workload_##symbol, f->path, err);                           \
    }
#include "workload/workload_table.def"
#undef WEFT_WORKLOAD

/* --- the table --- */

#define TOPOLOGY(type) "topology.type=" type " " type ".file=%s"
static const struct weft_import_kind table[] = {
    {"GOAL schedule, binary (LogGOPSim, ATLAHS)", goal_binary, goal,
     "workload.type=goal goal.file=%s", NULL, false, NULL},
    {"Chakra execution trace", trace, chakra, "workload.type=chakra chakra.path=%s", NULL, true,
     NULL},
    {"Chakra execution trace, JSON", trace_json, chakra, NULL,
     "weft trace convert %s PREFIX.RANK.et", false, NULL},
    {"execution trace of PyTorch, not yet of Chakra", pytorch, NULL, NULL,
     "chakra_converter PyTorch --input %s --output PREFIX.RANK.et (Chakra's, behind its "
     "chakra_trace_link)",
     false, NULL},
    {"trace of PyTorch's profiler (Kineto)", kineto, NULL, NULL,
     "chakra_trace_link --chakra-device-trace %s --chakra-host-trace ... (Chakra's, before its "
     "chakra_converter)",
     false, NULL},
#define PROGRAM(kind, name)                                                                        \
    {"MSCCL program, " name,                                                                       \
     msccl_##kind,                                                                                 \
     weft_import_msccl,                                                                            \
     "system." name "=msccl:file=%s",                                                              \
     NULL,                                                                                         \
     false,                                                                                        \
     NULL},
    COLLECTIVES(PROGRAM){"MSCCL program", msccl, weft_import_msccl, NULL, NULL, false, NULL},
    {"NCCL topology dump", nccl, topology, TOPOLOGY("nccl"), NULL, false, NULL},
    {"hwloc topology (lstopo)", hwloc, NULL, NULL, NULL, false, NULL},
    {"weft topology", weft_topology, topology, TOPOLOGY("xml"), NULL, false, NULL},
    {"weft scenario", weft_scenario, NULL, NULL, "weft run %s", false, NULL},
    {"weft expectations", weft_expect, NULL, NULL, "weft run SCENARIO --expect %s", false, NULL},
    {"InfraGraph document", infragraph, topology, TOPOLOGY("infragraph"), NULL, false, NULL},
#define PLAN(kind, name)                                                                           \
    {"MSCCL++ plan, " name,                                                                        \
     mscclpp_##kind,                                                                               \
     weft_import_msccl,                                                                            \
     "system." name "=msccl:file=%s",                                                              \
     NULL,                                                                                         \
     false,                                                                                        \
     NULL},
    COLLECTIVES(PLAN){"MSCCL++ plan", mscclpp, weft_import_msccl, NULL, NULL, false, NULL},
    {"ASTRA-sim system configuration", astra_system, NULL, NULL,
     "weft astra-sim --system-configuration %s --workload-configuration ...", false, NULL},
    {"ASTRA-sim memory configuration", astra_memory, NULL, "system.remote-memory-file=%s", NULL,
     false, NULL},
    {"ASTRA-sim logical topology", astra_logical, NULL, NULL,
     "weft astra-sim --logical-topology-configuration %s --workload-configuration ...", false,
     NULL},
    {"ASTRA-sim network (analytical, or 1.0)", astra_network, topology, TOPOLOGY("astra-network"),
     NULL, false, NULL},
    {"communicator groups", groups, NULL, "chakra.groups=%s", NULL, false, NULL},
    {"GOAL schedule, text (LogGOPSim, ATLAHS)", goal_text, goal, "workload.type=goal goal.file=%s",
     NULL, false, NULL},
    {"htsim topology", htsim_topology, topology, TOPOLOGY("htsim"), NULL, false, NULL},
    {"HPCC configuration (also ConWeave, ASTRA-sim's ns-3)", hpcc_config, config, NULL,
     "weft hpcc --compat %s", false, NULL},
    {"SimAI.conf, a configuration of HPCC's kind without a topology", simai_config, settings, NULL,
     "weft simai -c %s -w WORKLOAD -n TOPOLOGY", false, NULL},
    {"text workload (ASTRA-sim 1.0, SimAI)", text_workload, layers,
     "workload.type=astra-text astra-text.file=%s", NULL, false, NULL},
    {"list of flows, CSV", csv_flows, NULL, "workload.type=flows flows.file=%s flows.format=csv",
     NULL, false, NULL},
#define WEFT_WORKLOAD(symbol)                                                                      \
    {.is = is_##symbol, .read = read_##symbol, .reader = &weft_workload_##symbol},
#include "workload/workload_table.def"
#undef WEFT_WORKLOAD
    {"SimAI topology", simai_topology, topology, TOPOLOGY("simai"), NULL, false, NULL},
    {"HPCC topology of hosts, which forward", hpcc_hosts, topology_of_hosts,
     TOPOLOGY("hpcc") " hpcc.hosts-forward=true", NULL, false, NULL},
    {"HPCC topology", hpcc_topology, topology, TOPOLOGY("hpcc"), NULL, false, NULL},
    {"HPCC list of traced nodes", hpcc_trace, NULL, NULL,
     "weft hpcc (TRACE_FILE of its config: %s)", false, NULL},
    {"flow list of ns3-rdma, the ancestor of HPCC's simulator", rdma_flows, NULL, NULL, NULL, false,
     NULL},
    {"HPCC or ConWeave flow list", hpcc_flows, flow_list, "workload.type=flows flows.file=%s", NULL,
     false, NULL},
    {"distribution of flow sizes (CDF)", cdf, sizes, "workload.type=cdf cdf.sizes-file=%s", NULL,
     false, NULL},
    {"HPCC list without entries", hpcc_nothing, NULL, NULL,
     "weft hpcc (FLOW_FILE or TRACE_FILE of its config: %s)", false, NULL},
    {"HPCC completion times (fct.txt), an output", hpcc_fct, NULL, NULL, NULL, false, NULL},
};

const struct weft_import_kind *weft_import_kinds(size_t *n)
{
    *n = sizeof table / sizeof table[0];
    return table;
}

const char *weft_import_name(const struct weft_import_kind *k)
{
    return k->reader ? k->reader->title : k->name;
}

const char *weft_import_sets(const struct weft_import_kind *k, char *buf, size_t size)
{
    if (!k->reader)
        return k->sets;
    snprintf(buf, size, "workload.type=%s %s.file=%%s", k->reader->name, k->reader->name);
    return buf;
}

const char *weft_import_option(const struct weft_import_kind *k, enum weft_import_tool tool,
                               unsigned *place, bool *sure)
{
    static const struct {
        bool (*is)(file *f);
        enum weft_import_tool tool;
        unsigned place;
        bool sure;
        const char *option;
    } options[] = {
        {trace, WEFT_IMPORT_ASTRA_SIM, 0, false, "--workload-configuration=%s"},
        {text_workload, WEFT_IMPORT_ASTRA_SIM, 0, false, "--workload-configuration=%s"},
        {astra_system, WEFT_IMPORT_ASTRA_SIM, 1, true, "--system-configuration=%s"},
        {astra_network, WEFT_IMPORT_ASTRA_SIM, 2, false, "--network-configuration=%s"},
        {hpcc_config, WEFT_IMPORT_ASTRA_SIM, 2, false, "--network-configuration=%s"},
        {astra_memory, WEFT_IMPORT_ASTRA_SIM, 3, false, "--remote-memory-configuration=%s"},
        {groups, WEFT_IMPORT_ASTRA_SIM, 4, false, "--comm-group-configuration=%s"},
        {astra_logical, WEFT_IMPORT_ASTRA_SIM, 5, true, "--logical-topology-configuration=%s"},
        {text_workload, WEFT_IMPORT_SIMAI, 0, false, "-w %s"},
        {simai_topology, WEFT_IMPORT_SIMAI, 1, false, "-n %s"},
        {simai_config, WEFT_IMPORT_SIMAI, 2, true, "-c %s"},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].is == k->is && options[i].tool == tool) {
            *place = options[i].place;
            *sure = options[i].sure;
            return options[i].option;
        }
    return NULL;
}
