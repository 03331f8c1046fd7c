/* SPDX-License-Identifier: GPL-2.0-only */
/* Topology files: read, and when they are fabrics, routed, written and read again. */
#include "target.h"

#include "topologies/routes.h"
#include "topologies/topology.h"
#include "topologies/write.h"

#include <string.h>

enum { ROUTED_NODES = 256 };

static int build(const char *type, const char *path, struct weft_fabric **f, struct weft_err *err)
{
    const struct weft_topology_ops *ops = weft_topology_find(type, err);
    REQUIRE(ops);
    void *params = calloc(1, ops->params.struct_size);
    REQUIRE(params && weft_params_defaults(&ops->params, params, err) == 0 &&
            weft_params_set(&ops->params, params, "file", path, err) == 0);
    const int code = weft_topology_build(ops, params, f, err);
    free(params);
    return code;
}

static void route(const struct weft_fabric *f)
{
    struct weft_err err = {0};
    struct weft_routes *r = weft_routes_new(f, &err);
    weft_fuzz_ok(r ? 0 : err.code, &err);
    REQUIRE(r || err.code);
    weft_routes_free(r);
}

static void write_back(const struct weft_fabric *f)
{
    struct weft_err err = {0};
    struct weft_fabric *again = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out && weft_fabric_write_xml(f, out, &err) == 0);
    REQUIRE(fclose(out) == 0);
    const int code = build("xml", weft_fuzz_file(text, size), &again, &err);
    if (code)
        fprintf(stderr, "%s\n%s\n", err.msg, text);
    REQUIRE(code == 0 && again->nnodes == f->nnodes && again->nlinks == f->nlinks);
    weft_fabric_free(again);
    free(text);
}

static void read_as(const char *type, const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_fabric *f = NULL;
    if (!weft_fuzz_ok(build(type, weft_fuzz_file(data, size), &f, &err), &err))
        return;
    if (f->nnodes <= ROUTED_NODES) {
        route(f);
        write_back(f);
    }
    weft_fabric_free(f);
}

void weft_fuzz_topology_xml(const uint8_t *data, size_t size)
{
    /* a file may name a generator with sizes */
    if (weft_fuzz_small((const char *)data, size))
        read_as("xml", data, size);
}

void weft_fuzz_nccl(const uint8_t *data, size_t size)
{
    read_as("nccl", data, size);
}

void weft_fuzz_infragraph(const uint8_t *data, size_t size)
{
    if (weft_fuzz_small((const char *)data, size))
        read_as("infragraph", data, size);
}

void weft_fuzz_htsim(const uint8_t *data, size_t size)
{
    if (weft_fuzz_small((const char *)data, size))
        read_as("htsim", data, size);
}

void weft_fuzz_simai(const uint8_t *data, size_t size)
{
    read_as("simai", data, size);
}

void weft_fuzz_hpcc_topology(const uint8_t *data, size_t size)
{
    read_as("hpcc", data, size);
}

void weft_fuzz_astra_network(const uint8_t *data, size_t size)
{
    if (weft_fuzz_small((const char *)data, size))
        read_as("astra-network", data, size);
}
