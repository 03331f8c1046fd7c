/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading a configuration and what it names. */
#include "foreign/hpcc/job.h"

#include "topologies/topology.h"

#include <stdlib.h>
#include <string.h>

int weft_hpcc_topology_read(const char *path, bool hosts_forward, struct weft_fabric **out,
                            struct weft_err *err)
{
    const struct weft_topology_ops *t = weft_topology_find("hpcc", err);
    if (!t)
        return err->code;
    void *params = calloc(1, t->params.struct_size);
    if (!params)
        return weft_err_no_memory(err, "the topology's parameters");
    int rc = weft_params_defaults(&t->params, params, err);
    if (!rc)
        rc = weft_params_set(&t->params, params, "file", path, err);
    if (!rc && hosts_forward)
        rc = weft_params_set(&t->params, params, "hosts-forward", "true", err);
    if (!rc)
        rc = weft_topology_build(t, params, out, err);
    free(params);
    return rc;
}

/* Replaces *f by a copy whose links without a loss rate have @p error_rate. */
static int add_error_rate(struct weft_fabric **f, double error_rate, struct weft_err *err)
{
    struct weft_fabric *old = *f, *copy = weft_fabric_new();
    int rc = copy ? 0 : weft_err_no_memory(err, "a fabric");
    if (!rc && old->notes)
        rc = weft_fabric_note(copy, err, "%s", old->notes);
    for (uint32_t i = 0; !rc && i < old->nnodes; i++)
        rc = weft_fabric_add_node(copy, old->nodes[i].kind, old->nodes[i].tier, NULL, err);
    for (uint32_t i = 0; !rc && i < old->nlinks; i++) {
        struct weft_fabric_link l = old->links[i];
        if (l.error_rate == 0)
            l.error_rate = error_rate;
        rc = weft_fabric_add_link(copy, &l, NULL, err);
    }
    if (!rc) {
        copy->routing = old->routing;
        rc = weft_fabric_finish(copy, err);
    }
    if (rc) {
        weft_fabric_free(copy);
        return rc;
    }
    weft_fabric_free(old);
    *f = copy;
    return 0;
}

/* Reads which nodes are traced; a list that nothing comes of is read all the same. Without the file
 * none is, as in the simulator. */
static int read_trace(struct weft_hpcc_job *j, struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    struct weft_hpcc_config *c = j->config;
    struct weft_err absent = {0};
    if (!c->given[WEFT_HPCC_TRACE_FILE])
        return 0;
    if (weft_hpcc_config_find(c, WEFT_HPCC_TRACE_FILE, c->trace_file, path, &absent)) {
        c->cut[WEFT_HPCC_TRACE_FILE] = true;
        return 0;
    }
    int rc = weft_hpcc_trace_read(path, j->fabric->nnodes, &j->traced, err);
    if (!rc && !c->enable_trace)
        j->traced.n = 0;
    return rc;
}

int weft_hpcc_job_read(struct weft_hpcc_job *j, const char *path, bool hosts_forward,
                       const struct weft_hpcc_overrides *o, enum weft_hpcc_flow_format format,
                       struct weft_err *err)
{
    char flow_path[WEFT_PATH_MAX];
    memset(j, 0, sizeof *j);
    struct weft_hpcc_config *c = j->config = weft_hpcc_config_read(path, o, err);
    if (!c)
        return err->code;
    int rc =
        weft_hpcc_config_find(c, WEFT_HPCC_TOPOLOGY_FILE, c->topology_file, j->topology_path, err);
    if (!rc)
        rc = weft_hpcc_config_find(c, WEFT_HPCC_FLOW_FILE, c->flow_file, flow_path, err);
    if (!rc)
        rc = weft_hpcc_topology_read(j->topology_path, hosts_forward, &j->fabric, err);
    if (!rc && c->error_rate > 0)
        rc = add_error_rate(&j->fabric, c->error_rate, err);
    if (!rc) {
        j->flows = weft_hpcc_flows_read(flow_path, format, err);
        rc = j->flows ? weft_hpcc_flows_check(j->flows, j->fabric, err) : err->code;
    }
    if (!rc)
        rc = read_trace(j, err);
    if (!rc)
        rc = weft_hpcc_pairs_compute(j->fabric, c->payload_bytes, j->flows, &j->pairs, err);
    if (rc)
        weft_hpcc_job_free(j);
    return rc;
}

void weft_hpcc_job_free(struct weft_hpcc_job *j)
{
    weft_hpcc_trace_free(&j->traced);
    weft_hpcc_flows_free(j->flows);
    weft_fabric_free(j->fabric);
    weft_hpcc_config_free(j->config);
    memset(j, 0, sizeof *j);
}
