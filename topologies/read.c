/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Telling topology files apart: XML by its root element, numbers by how many the first line has
 * (three: HPCC, four: a fork of it, more: SimAI unless all are numbers), htsim and InfraGraph by
 * keys that they must have; anything else is taken for keys and values of ASTRA-sim.
 */
#include "topologies/read.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACE " \t\r\n"

/* The root element's name at the beginning of a document, behind prolog and comments. */
static bool root_is(const char *text, const char *name)
{
    for (const char *p = strchr(text, '<'); p; p = strchr(p + 1, '<')) {
        if (strncmp(p, "<!--", 4) == 0) {
            p = strstr(p, "-->");
            if (!p)
                return false;
        } else if (p[1] != '?' && p[1] != '!') {
            return strncmp(p + 1, name, strlen(name)) == 0;
        }
    }
    return false;
}

/* The name of the reader; *sure: nothing else that weft reads looks like this. */
static const char *kind(const char *text, bool *sure)
{
    const char *from = text + strspn(text, SPACE);
    const bool number = *from >= '0' && *from <= '9';
    *sure = true;
    if (*from == '<') {
        *sure = root_is(from, "system") || root_is(from, "topology");
        return root_is(from, "system") ? "nccl" : "xml";
    }
    if (!number && strstr(from, "Podsize") && strstr(from, "Tiers"))
        return "htsim";
    if (!number &&
        ((strstr(from, "devices") && strstr(from, "components")) || strstr(from, "infrastructure")))
        return "infragraph";
    if (!number) {
        *sure = strstr(from, "npus_count") || strstr(from, "topologies-per-dim");
        return "astra-network";
    }
    uint32_t words = 0;
    bool numbers = true;
    for (const char *p = from; *p && *p != '\n'; words++) {
        const size_t len = strcspn(p, SPACE);
        numbers = numbers && strspn(p, "0123456789") >= len;
        p += len;
        p += strspn(p, " \t\r");
    }
    const bool hpcc = words <= 3 || (numbers && (words == 4 || words == 6));
    *sure = hpcc ? words >= 3 && numbers : !numbers && (words == 6 || words == 7);
    return hpcc ? "hpcc" : "simai";
}

const char *weft_topology_kind(const char *text)
{
    bool sure;
    const char *name = kind(text, &sure);
    return sure ? name : NULL;
}

const struct weft_topology_ops *weft_topology_reader(const char *file, struct weft_err *err)
{
    char text[16384];
    bool sure;
    FILE *in = fopen(file, "rb");
    if (!in) {
        weft_file_error(err, file, "open the topology file", errno);
        return NULL;
    }
    size_t n = fread(text, 1, sizeof text - 1, in);
    text[n] = '\0';
    fclose(in);
    return weft_topology_find(kind(text, &sure), err);
}

int weft_topology_read(const char *file, struct weft_fabric **out, struct weft_err *err)
{
    return weft_topology_read_with(file, NULL, out, err);
}

int weft_topology_read_with(const char *file, const char *yes, struct weft_fabric **out,
                            struct weft_err *err)
{
    struct weft_err local = {0};
    err = err ? err : &local;
    *out = NULL;
    const struct weft_topology_ops *ops = weft_topology_reader(file, err);
    if (!ops)
        return err->code;
    void *params = calloc(1, ops->params.struct_size + 1);
    int rc = params ? weft_params_defaults(&ops->params, params, err)
                    : weft_err_no_memory(err, "a topology");
    if (!rc)
        rc = weft_params_set(&ops->params, params, "file", file, err);
    if (!rc && yes)
        rc = weft_params_set(&ops->params, params, yes, "true", err);
    if (!rc)
        rc = weft_topology_build(ops, params, out, err);
    free(params);
    return rc;
}
