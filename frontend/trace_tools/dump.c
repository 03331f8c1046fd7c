/* SPDX-License-Identifier: GPL-2.0-only */
/* weft trace dump: every node and attribute of a file, or of all ranks. */
#include "trace_tools/trace.h"
#include "workload/chakra_read.h"

#include <inttypes.h>

static void show_node(const struct weft_cli *cli, const struct weft_et_node *n)
{
    char value[128];
    const char *type = weft_et_node_type_name(n->type);
    fprintf(cli->out, "%6" PRIu64 "  %-15s %-24s", n->id, type ? type : "unknown type", n->name);
    if (n->duration_us)
        fprintf(cli->out, " duration=%" PRIu64 "us", n->duration_us);
    if (n->ndata_deps || n->nctrl_deps)
        fputs(" after", cli->out);
    for (size_t i = 0; i < n->ndata_deps; i++)
        fprintf(cli->out, " %" PRIu64, n->data_deps[i]);
    for (size_t i = 0; i < n->nctrl_deps; i++)
        fprintf(cli->out, " %" PRIu64 "(ctrl)", n->ctrl_deps[i]);
    for (size_t i = 0; i < n->nattrs; i++)
        fprintf(cli->out, " %s=%s", n->attrs[i].name,
                weft_et_attr_format(&n->attrs[i], value, sizeof value));
    if (n->nothers)
        fprintf(cli->out, " and %zu bytes of fields of another schema", n->nothers);
    fputc('\n', cli->out);
}

static void json_node(struct weft_json *j, const struct weft_et_node *n)
{
    char value[512];
    weft_json_object(j);
    weft_json_kv_u64(j, "id", n->id);
    weft_json_kv_str(j, "name", n->name);
    weft_json_kv_str(j, "type", weft_et_node_type_name(n->type));
    weft_json_kv_u64(j, "duration_us", n->duration_us);
    weft_json_kv_array(j, "data_deps");
    for (size_t i = 0; i < n->ndata_deps; i++)
        weft_json_u64(j, n->data_deps[i]);
    weft_json_end_array(j);
    weft_json_kv_array(j, "ctrl_deps");
    for (size_t i = 0; i < n->nctrl_deps; i++)
        weft_json_u64(j, n->ctrl_deps[i]);
    weft_json_end_array(j);
    weft_json_kv_object(j, "attributes");
    for (size_t i = 0; i < n->nattrs; i++)
        weft_json_kv_str(j, n->attrs[i].name,
                         weft_et_attr_format(&n->attrs[i], value, sizeof value));
    weft_json_end_object(j);
    weft_json_end_object(j);
}

static void dump_text(const struct weft_cli *cli, const char *file, const struct weft_et *et)
{
    if (et->older && *et->older)
        fprintf(cli->out, "%s: %zu nodes, of schema %s, shown as today's\n", file, et->nnodes,
                et->older);
    else
        fprintf(cli->out, "%s: %zu nodes, metadata version '%s'\n", file, et->nnodes, et->version);
    for (size_t i = 0; i < et->nnodes; i++)
        show_node(cli, &et->nodes[i]);
}

static void dump_json(struct weft_json *j, const char *file, const struct weft_et *et)
{
    weft_json_object(j);
    weft_json_kv_str(j, "file", file);
    weft_json_kv_str(j, "version", et->version);
    weft_json_kv_array(j, "nodes");
    for (size_t i = 0; i < et->nnodes; i++)
        json_node(j, &et->nodes[i]);
    weft_json_end_array(j);
    weft_json_end_object(j);
}

/* One file at a time is in memory. */
static int dump_file(const struct weft_cli *cli, struct weft_json *j, const char *file,
                     struct weft_err *err)
{
    struct weft_arena *a = weft_arena_new();
    struct weft_et *et;
    int code = a ? weft_chakra_read_et(file, a, &et, err) : weft_err_no_memory(err, "a trace");
    if (!code && j)
        dump_json(j, file, et);
    else if (!code)
        dump_text(cli, file, et);
    weft_arena_free(a);
    return code;
}

int weft_trace_dump(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                    int nargs, struct weft_err *err)
{
    struct weft_arena *a = weft_arena_new();
    const char **paths = NULL;
    uint32_t n = 0;
    struct weft_json j;
    int code =
        a ? weft_trace_paths(args[0], a, &paths, &n, err) : weft_err_no_memory(err, "a trace");
    if (!code && o->json) {
        weft_trace_json(&j, cli, "trace dump");
        weft_json_kv_array(&j, "traces");
    }
    for (uint32_t i = 0; !code && i < n; i++)
        code = dump_file(cli, o->json ? &j : NULL, paths[i], err);
    if (!code && o->json) {
        weft_json_end_array(&j);
        weft_json_end_object(&j);
        weft_json_finish(&j, NULL);
    }
    weft_arena_free(a);
    return code;
}
