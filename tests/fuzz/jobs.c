/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists that jobs are made from: flows, hosts, measured efficiencies, layers, tables. */
#include "target.h"

#include "jobs/placement.h"
#include "topologies/topology.h"
#include "workload/training/dlrm.h"
#include "workload/training/layered.h"
#include "workload/training/measured.h"
#include "workload/workload.h"

enum { RANKS = 12 };

/* The flows of a source that has taken its file. */
static void take(struct weft_flow_source *s)
{
    struct weft_err err = {0};
    struct weft_flow flow;
    int64_t last_ps = 0;
    int rc;
    while ((rc = s->next(s, &flow, &err)) == 1) {
        REQUIRE(flow.src < RANKS && flow.dst < RANKS && flow.src != flow.dst);
        REQUIRE(flow.start_ps >= last_ps);
        last_ps = flow.start_ps;
    }
    weft_fuzz_ok(rc, &err);
    weft_flow_source_free(s);
}

void weft_fuzz_flow_list(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"csv", "hpcc", "conweave"};
    static const uint64_t rates[RANKS] = {1};
    static const uint32_t nodes[RANKS] = {0};
    const struct weft_flow_site site = {
        .nranks = RANKS, .seed = 1, .access_bps = rates, .access_node = nodes};
    struct weft_err none = {0};
    const struct weft_workload_ops *ops = weft_workload_find("flows", &none);
    REQUIRE(ops && ops->flows);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct weft_err err = {0};
        struct weft_flow_source *s = NULL;
        void *params = calloc(1, ops->params.struct_size);
        REQUIRE(params && weft_params_defaults(&ops->params, params, &err) == 0);
        REQUIRE(weft_params_set(&ops->params, params, "file", weft_fuzz_file(data, size), &err) ==
                0);
        REQUIRE(weft_params_set(&ops->params, params, "format", formats[i], &err) == 0);
        if (weft_fuzz_ok(ops->flows(params, &site, &s, &err), &err))
            take(s);
        free(params);
    }
}

/* The list of hosts of a job, on a fabric with hosts that another job has. */
void weft_fuzz_hosts(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_fabric *f = NULL;
    const struct weft_topology_ops *ops = weft_topology_find("single-switch", &err);
    void *params = calloc(1, ops->params.struct_size);
    REQUIRE(params && weft_params_defaults(&ops->params, params, &err) == 0);
    REQUIRE(weft_params_set(&ops->params, params, "hosts", "12", &err) == 0);
    REQUIRE(weft_topology_build(ops, params, &f, &err) == 0);
    const struct weft_placement p = {.hosts = "", .hosts_file = weft_fuzz_file(data, size)};
    uint8_t taken[RANKS] = {0, 0, 0, 1};
    uint32_t room = 0, hosts[RANKS];
    if (weft_fuzz_ok(weft_place_room(&p, f, taken, &room, &err), &err)) {
        const uint32_t n = room < RANKS ? room : RANKS;
        if (n && weft_fuzz_ok(weft_place(&p, f, n, taken, hosts, &err), &err))
            for (uint32_t r = 0; r < n; r++)
                REQUIRE(hosts[r] < RANKS && hosts[r] != 3);
    }
    weft_fabric_free(f);
    free(params);
}

void weft_fuzz_efficiency(const uint8_t *data, size_t size)
{
    static struct weft_measured m;
    struct weft_err err = {0};
    m = (struct weft_measured){0};
    if (!weft_fuzz_ok(weft_measured_read(weft_fuzz_file(data, size), &m, &err), &err))
        return;
    for (int k = 0; k < WEFT_KERNELS; k++)
        for (int pass = 0; pass < WEFT_KERNEL_PASSES; pass++)
            for (double rows = 1; rows < 1e6; rows *= 10) {
                const double e =
                    weft_measured_at(&m, (enum weft_kernel)k, (enum weft_kernel_pass)pass, rows);
                REQUIRE(e >= 0 && e <= 1);
            }
}

void weft_fuzz_layers(const uint8_t *data, size_t size)
{
    static struct weft_layered m;
    static double seconds[WEFT_LAYERED_MAX];
    static uint32_t starts[WEFT_LAYERED_MAX + 1];
    struct weft_err err = {0};
    if (!weft_fuzz_ok(weft_layered_read(weft_fuzz_file(data, size), &m, &err), &err))
        return;
    REQUIRE(m.n >= 1 && m.n <= WEFT_LAYERED_MAX && weft_layered_flops(&m) >= 0);
    for (uint64_t i = 0; i < m.n; i++)
        seconds[i] = m.layer[i].flops + (double)m.layer[i].kept;
    const uint64_t chunks = (m.n + 1) / 2;
    weft_layered_divide(m.n, seconds, chunks, starts);
    for (uint64_t c = 0; c < chunks; c++)
        REQUIRE(starts[c] < starts[c + 1]);
    REQUIRE(starts[chunks] == m.n);
}

void weft_fuzz_tables(const uint8_t *data, size_t size)
{
    static struct weft_dlrm m;
    static struct weft_layered dense;
    struct weft_err err = {0};
    weft_dlrm_preset(0, &m);
    if (!weft_fuzz_ok(weft_dlrm_read_tables(weft_fuzz_file(data, size), &m, &err), &err))
        return;
    REQUIRE(m.ntables >= 1 && m.ntables <= WEFT_DLRM_TABLES_MAX);
    weft_dlrm_dense(&m, &dense);
    REQUIRE(dense.n > m.nbottom);
}

void weft_fuzz_table_placement(const uint8_t *data, size_t size)
{
    static struct weft_dlrm m;
    struct weft_dlrm_share share[RANKS];
    struct weft_err err = {0};
    const struct weft_dlrm_cut cut = {.placement = weft_fuzz_file(data, size)};
    uint64_t columns = 0;
    weft_dlrm_preset(0, &m);
    if (!weft_fuzz_ok(weft_dlrm_divide(&m, &cut, 3, share, &err), &err))
        return;
    for (int r = 0; r < 3; r++)
        columns += share[r].columns;
    REQUIRE(columns == m.ntables * m.columns);
}

/* Every reader that recognises its files takes what it is given, or says why not. */
void weft_fuzz_readers(const uint8_t *data, size_t size)
{
    size_t n;
    const struct weft_workload_ops *const *all = weft_workload_table(&n);
    for (size_t i = 0; i < n; i++) {
        struct weft_err err = {0};
        if (all[i]->recognises)
            weft_fuzz_ok(weft_workload_try(all[i], weft_fuzz_file(data, size), &err), &err);
    }
}
