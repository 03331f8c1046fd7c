/* SPDX-License-Identifier: GPL-2.0-only */
/* Words for mutations: every name and value of the tables that users can write, and what foreign
 * formats know. */
#include "mutate.h"
#include "scenario.h"

#include "report/summary.h"
#include "scenario/families.h"
#include "system/system.h"
#include "fault/fault.h"

#include <string.h>

static const char **words;
static size_t nwords, words_cap;

static void add(const char *word)
{
    if (!word || !*word)
        return;
    if (nwords == words_cap) {
        words_cap = words_cap ? 2 * words_cap : 1024;
        words = realloc(words, words_cap * sizeof *words);
        REQUIRE(words);
    }
    words[nwords++] = word;
}

static void add_choices(const char *choices)
{
    char *text = strdup(choices), *rest = text; /* kept: the words lie in it */
    REQUIRE(text);
    while (rest)
        add(strsep(&rest, "|"));
}

static void add_table(const struct weft_param_table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct weft_param *p = &t->params[i];
        add(p->name);
        add(p->def);
        add(p->min);
        add(p->max);
        if (p->choices)
            add_choices(p->choices);
    }
}

static void add_scenario(void)
{
    struct weft_backends b;
    size_t n;
    b.list = weft_fuzz_backends(&b.n);
    for (int f = 0; f < WEFT_FAMILIES; f++) {
        add(weft_families[f].element);
        add(weft_families[f].selector);
        for (size_t i = 0; i < weft_family_size((enum weft_family_id)f, &b); i++) {
            const struct weft_plugin p = weft_family_member((enum weft_family_id)f, &b, i);
            add(p.name);
            add_table(p.params);
        }
    }
    for (size_t i = 0; i < b.n; i++)
        for (size_t k = 0; k < b.list[i]->nsections; k++) {
            add(b.list[i]->sections[k].name);
            add_table(&b.list[i]->sections[k].params);
        }
    add_table(&weft_system_param_table);
    add_table(&weft_run_param_table);
    add_table(&weft_sample_param_table);
    const struct weft_series_quantity *q = weft_series_quantities(&n);
    for (size_t i = 0; i < n; i++)
        add(q[i].name);
    const struct weft_fault_kind *const *kinds = weft_fault_kinds(&n);
    for (size_t i = 0; i < n; i++) {
        add(kinds[i]->name);
        add_table(&kinds[i]->params);
    }
    const struct weft_metric *m = weft_metrics(&n);
    for (size_t i = 0; i < n; i++)
        add(m[i].name);
}

static const char *const others[] = {
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "8",
    "16",
    "255",
    "256",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
    "0.5",
    "1e308",
    "1e-308",
    "nan",
    "inf",
    "-0",
    "1ps",
    "1ns",
    "1us",
    "106d",
    "1bps",
    "1Tbps",
    "1B",
    "1EiB",
    "50%",
    "true",
    "false",
    "system",
    "run",
    "fault",
    "description",
    "scenario",
    "name",
    "dimension",
    "nodes",
    "link",
    "routing",
    "host",
    "switch",
    "transit",
    "dimensions",
    "shortest",
    "h0",
    "s8",
    "h0-s16",
    "s16-s20#all",
    "#1",
    "algo",
    "gpu",
    "tb",
    "step",
    "coll",
    "allreduce",
    "allgather",
    "alltoall",
    "reduce_scatter",
    "broadcast",
    "ngpus",
    "inplace",
    "i_chunks",
    "o_chunks",
    "s_chunks",
    "chan",
    "send",
    "recv",
    "type",
    "srcbuf",
    "srcoff",
    "dstbuf",
    "dstoff",
    "cnt",
    "depid",
    "deps",
    "s",
    "r",
    "rcs",
    "rrc",
    "rrs",
    "rrcs",
    "cpy",
    "re",
    "nop",
    "i",
    "o",
    "cpu",
    "pci",
    "nic",
    "net",
    "nvlink",
    "xgmi",
    "c2c",
    "busid",
    "class",
    "link_speed",
    "link_width",
    "host_hash",
    "rank",
    "sm",
    "speed",
    "target",
    "tclass",
    "count",
    "bw",
    "0x068000",
    "0x030200",
    "0x020000",
    "Ring",
    "FullyConnected",
    "Switch",
    "topology",
    "npus_count",
    "bandwidth",
    "latency",
    "logical-dims",
    "memory-type",
    "remote-mem-latency",
    "remote-mem-bw",
    "num-nodes",
    "num-npus-per-node",
    "MEMORY_POOL",
    "PER_NODE_MEMORY_EXPANSION",
    "bound",
    "metric",
    "min",
    "max",
    "why",
    "pg_name",
    "ranks",
    "[0, 1]",
    "[]",
    "{}",
    "TOPOLOGY_FILE",
    "FLOW_FILE",
    "KMAX_MAP",
    "CC_MODE",
    "LINK_DOWN",
    "RATE_BOUND",
    "PACKET_PAYLOAD_SIZE",
    "comm_size",
    "comm_src",
    "comm_dst",
    "comm_tag",
    "comm_type",
    "comm_root",
    "comm_algorithm",
    "comm_send_sizes",
    "comm_recv_sizes",
    "comm_priority",
    "involved_dim",
    "is_cpu_op",
    "num_ops",
    "tensor_size",
};

const char *weft_fuzz_word(struct weft_rng *rng)
{
    if (!nwords) {
        add_scenario();
        /* as often as all others together are one in two */
        for (size_t have = nwords; nwords < 2 * have;)
            for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
                add(others[i]);
    }
    return words[weft_rng_below(rng, nwords)];
}

uint64_t weft_fuzz_number(struct weft_rng *rng)
{
    const uint64_t bit = UINT64_C(1) << weft_rng_below(rng, 64);
    switch (weft_rng_below(rng, 4)) {
    case 0:
        return weft_rng_below(rng, 10);
    case 1:
        return bit - 1;
    case 2:
        return bit;
    default:
        return weft_rng_u64(rng) >> weft_rng_below(rng, 64);
    }
}
