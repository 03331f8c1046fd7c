/* SPDX-License-Identifier: GPL-2.0-only */
/* weft trace: generate, show and check Chakra execution traces. */
#include "base/file.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/listing.h"
#include "report/report.h"
#include "workload/chakra_read.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct trace_opts {
    struct weft_strings set;
    const char *groups;
    const char *ranks;
    int json;
};

static const struct weft_opt options[] = {
    {"set", 's', WEFT_OPT_TEXTS, offsetof(struct trace_opts, set), "KEY=VALUE", NULL,
     "generate: a parameter from 'weft show workload generate' or training, such as layers=8"},
    {"groups", 0, WEFT_OPT_TEXT, offsetof(struct trace_opts, groups), "FILE", NULL,
     "check: JSON file of communicator groups"},
    {"ranks", 0, WEFT_OPT_TEXT, offsetof(struct trace_opts, ranks), "N", NULL,
     "check: the job must have exactly this many"},
    {"json", 0, WEFT_OPT_FLAG, offsetof(struct trace_opts, json), NULL, NULL, "print as JSON"},
};

/* check: graphs beyond this lie in a file. */
#define CHECK_MEMORY_BYTES (UINT64_C(1) << 30)

/* One KEY=VALUE; the key may carry the generator's name, as in a scenario. */
static int set_parameter(const struct weft_workload_ops *w, void *params, const char *text,
                         struct weft_err *err)
{
    char key[64];
    const size_t own = strlen(w->name);
    const char *eq = strchr(text, '=');
    const char *from = strncmp(text, w->name, own) == 0 && text[own] == '.' ? text + own + 1 : text;
    if (!eq || eq <= from || (size_t)(eq - from) >= sizeof key)
        return weft_err_set(err, WEFT_E_INPUT, "--set %s: must be KEY=VALUE, for instance layers=8",
                            text);
    snprintf(key, sizeof key, "%.*s", (int)(eq - from), from);
    if (weft_params_set(&w->params, params, key, eq + 1, err))
        return weft_err_prepend(err, "--set %s", text);
    return 0;
}

static int write_traces(const struct weft_cli *cli, const struct weft_workload_ops *w,
                        const void *params, const char *prefix, struct weft_err *err)
{
    char dir[WEFT_PATH_MAX], text[1024];
    uint64_t nranks = 0;
    int code = weft_path_dir(dir, prefix, err);
    if (!code)
        code = weft_mkdir_p(dir, err);
    if (!code)
        code = w->write(params, prefix, &nranks, err);
    if (code)
        return code;
    const size_t len = strlen(prefix);
    const bool gzip = len > 3 && strcmp(prefix + len - 3, ".gz") == 0;
    fprintf(cli->out, "wrote %.*s.{0..%" PRIu64 "}.et%s\n", (int)(gzip ? len - 3 : len), prefix,
            nranks - 1, gzip ? ".gz" : "");
    if (!w->describe)
        return 0;
    code = w->describe(params, text, sizeof text, err);
    if (!code)
        fputs(text, cli->out);
    return code;
}

static int generate(const struct weft_cli *cli, const struct trace_opts *o, const char *name,
                    const char *prefix, struct weft_err *err)
{
    const struct weft_workload_ops *w = weft_workload_find(name, err);
    if (!w)
        return err->code;
    if (!w->write)
        return weft_err_set(err, WEFT_E_USAGE,
                            "workload '%s' is read from files; there are no traces to generate",
                            name);
    void *params = calloc(1, w->params.struct_size);
    int code = params ? weft_params_defaults(&w->params, params, err)
                      : weft_err_set(err, WEFT_E_LIMIT, "out of memory for parameters");
    for (size_t i = 0; !code && i < o->set.n; i++)
        code = set_parameter(w, params, o->set.list[i], err);
    if (!code)
        code = write_traces(cli, w, params, prefix, err);
    free(params);
    return code;
}

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
    weft_json_key(j, "data_deps");
    weft_json_array(j);
    for (size_t i = 0; i < n->ndata_deps; i++)
        weft_json_u64(j, n->data_deps[i]);
    weft_json_end_array(j);
    weft_json_key(j, "ctrl_deps");
    weft_json_array(j);
    for (size_t i = 0; i < n->nctrl_deps; i++)
        weft_json_u64(j, n->ctrl_deps[i]);
    weft_json_end_array(j);
    weft_json_key(j, "attributes");
    weft_json_object(j);
    for (size_t i = 0; i < n->nattrs; i++)
        weft_json_kv_str(j, n->attrs[i].name,
                         weft_et_attr_format(&n->attrs[i], value, sizeof value));
    weft_json_end_object(j);
    weft_json_end_object(j);
}

static int show(const struct weft_cli *cli, const struct trace_opts *o, const char *file,
                struct weft_err *err)
{
    struct weft_arena *a = weft_arena_new();
    struct weft_et *et;
    if (!a)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a trace");
    int code = weft_chakra_read_et(file, a, &et, err);
    if (!code && o->json) {
        struct weft_json j;
        weft_json_init(&j, cli->out, "standard output", 2);
        weft_json_object(&j);
        weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
        weft_json_kv_str(&j, "command", "trace show");
        weft_json_kv_str(&j, "version", et->version);
        weft_json_key(&j, "nodes");
        weft_json_array(&j);
        for (size_t i = 0; i < et->nnodes; i++)
            json_node(&j, &et->nodes[i]);
        weft_json_end_array(&j);
        weft_json_end_object(&j);
        weft_json_finish(&j, NULL);
    } else if (!code) {
        fprintf(cli->out, "%s: %zu nodes, metadata version '%s'\n", file, et->nnodes, et->version);
        for (size_t i = 0; i < et->nnodes; i++)
            show_node(cli, &et->nodes[i]);
    }
    weft_arena_free(a);
    return code;
}

static int check(const struct weft_cli *cli, const struct trace_opts *o, const char *prefix,
                 struct weft_err *err)
{
    struct weft_workload *w;
    uint64_t ranks = 0;
    char size[WEFT_UNIT_TEXT_MAX];
    if (o->ranks && weft_parse_u64(o->ranks, &ranks, err))
        return weft_err_prepend(err, "--ranks");
    if (ranks > UINT32_MAX)
        return weft_err_set(err, WEFT_E_INPUT, "--ranks: %s is too many", o->ranks);
    if (weft_chakra_read_within(prefix, (uint32_t)ranks, o->groups, CHECK_MEMORY_BYTES, &w, err))
        return err->code;
    uint64_t ops = 0, colls = 0, bytes = 0;
    for (uint32_t r = 0; r < w->nranks; r++) {
        ops += w->dags[r].nops;
        for (uint32_t i = 0; i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            colls += op->kind == WEFT_OP_COLL;
            bytes += op->bytes;
        }
    }
    if (o->json) {
        struct weft_json j;
        weft_json_init(&j, cli->out, "standard output", 2);
        weft_json_object(&j);
        weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
        weft_json_kv_str(&j, "command", "trace check");
        weft_json_kv_u64(&j, "ranks", w->nranks);
        weft_json_kv_u64(&j, "operations", ops);
        weft_json_kv_u64(&j, "collective_operations", colls);
        weft_json_kv_u64(&j, "communication_bytes", bytes);
        weft_json_kv_u64(&j, "groups", w->ngroups);
        weft_json_end_object(&j);
        weft_json_finish(&j, NULL);
    } else {
        fprintf(cli->out,
                "%s: valid, %u ranks, %" PRIu64 " operations, %" PRIu64
                " of them collective, %s of communication, "
                "%u groups\n",
                prefix, w->nranks, ops, colls, weft_human_size(bytes, size), w->ngroups);
    }
    weft_workload_free(w);
    return 0;
}

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    static const char *const actions[] = {"generate", "show", "check"};
    const struct trace_opts *o = (const struct trace_opts *)opts;
    if (nargs == 0)
        return weft_err_set(err, WEFT_E_USAGE, "generate, show or check?");
    const char *what = args[0];
    const char *near = weft_nearest(what, actions, 3);
    if (!near || strcmp(near, what) != 0)
        return weft_err_set(err, WEFT_E_USAGE, "unknown action '%s'%s%s%s", what,
                            near ? "; did you mean '" : "", near ? near : "",
                            near ? "'?" : "; there are: generate, show, check");
    if (strcmp(what, "generate") == 0 && (nargs == 2 || nargs == 3))
        return generate(cli, o, nargs == 3 ? args[1] : "generate", args[nargs - 1], err);
    if (nargs != 2)
        return weft_err_set(err, WEFT_E_USAGE, "trace %s needs one %s", what,
                            strcmp(what, "show") == 0 ? "file" : "prefix");
    if (o->set.n)
        return weft_err_set(err, WEFT_E_USAGE, "--set belongs to trace generate");
    if (strcmp(what, "show") == 0)
        return show(cli, o, args[1], err);
    return check(cli, o, args[1], err);
}

const struct weft_command weft_command_trace = {
    .name = "trace",
    .summary = "Generate, show or check Chakra execution traces",
    .usage = "generate [WORKLOAD] PREFIX [--set KEY=VALUE]... | show FILE.et | check PREFIX",
    .example =
        "weft trace generate trace/dp16 --set ranks=16 --set pattern=data-parallel --set layers=8",
    .details =
        "A trace is one file per rank: PREFIX.0.et, PREFIX.1.et, ...\n"
        "generate writes those of the workload 'generate' (microbenchmarks), or of 'training'\n"
        "with its communicators in PREFIX.json: 'weft show workload NAME' lists parameters.",
    .opts = options,
    .nopts = sizeof options / sizeof options[0],
    .opts_size = sizeof(struct trace_opts),
    .run = run,
};
