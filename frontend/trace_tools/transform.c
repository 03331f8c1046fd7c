/* SPDX-License-Identifier: GPL-2.0-only */
/* weft trace transform: what-ifs on a trace. */
#include "trace_tools/trace.h"

#include "base/file.h"
#include "collective/algorithm.h"
#include "system/joint.h"
#include "workload/trace_write.h"
#include "workload/whatif/chain.h"

#include <inttypes.h>
#include <string.h>

/** A transform that is being given its parameters. */
struct given {
    struct weft_transform *t;
    uint64_t set; /* parameters given, by their place in the table */
};

static int check_algorithm(const char *text, struct weft_err *err)
{
    for (const char *at = text;; at++) {
        const size_t n = strcspn(at, ",");
        struct weft_coll_algorithm a = {0};
        if (weft_coll_algorithm_parse(at, n, "", &a, err))
            return err->code;
        weft_coll_algorithm_release(&a);
        at += n;
        if (!*at)
            return 0;
    }
}

/* All that must be given was. */
static int complete(const struct given *g, struct weft_err *err)
{
    if (!g->t)
        return 0;
    const struct weft_transform_ops *ops = g->t->ops;
    for (size_t i = 0; i < ops->params.n; i++)
        if (!ops->params.params[i].def && !(g->set >> i & 1))
            return weft_err_set(err, WEFT_E_INPUT, "%s needs %s=VALUE: %s", ops->name,
                                ops->params.params[i].name, ops->params.params[i].help);
    if (ops->algorithm && check_algorithm(ops->algorithm(g->t->params), err))
        return weft_err_prepend(err, "%s", ops->name);
    return 0;
}

static int set_parameter(struct given *g, const char *text, struct weft_err *err)
{
    char key[64];
    const char *eq = strchr(text, '=');
    if (!g->t)
        return weft_err_set(err, WEFT_E_USAGE,
                            "'%s' belongs to no transform; name one before it, such as scale",
                            text);
    if (eq == text || (size_t)(eq - text) >= sizeof key)
        return weft_err_set(err, WEFT_E_INPUT, "'%s' must be KEY=VALUE, for instance factor=2",
                            text);
    snprintf(key, sizeof key, "%.*s", (int)(eq - text), text);
    const struct weft_param_table *table = &g->t->ops->params;
    if (weft_params_set(table, g->t->params, key, eq + 1, err))
        return weft_err_prepend(err, "%s %s", g->t->ops->name, text);
    g->set |= UINT64_C(1) << (weft_params_find(table, key) - table->params);
    return 0;
}

/* NAME KEY=VALUE ... NAME ... */
static int read_chain(struct weft_chain *c, char **words, int n, struct weft_err *err)
{
    struct given g = {0};
    for (int i = 0; i < n; i++) {
        if (strchr(words[i], '=')) {
            if (set_parameter(&g, words[i], err))
                return err->code;
            continue;
        }
        if (complete(&g, err))
            return err->code;
        const struct weft_transform_ops *ops = weft_transform_find(words[i], err);
        g = (struct given){.t = ops ? weft_chain_add(c, ops, err) : NULL};
        if (!g.t)
            return err->code;
    }
    return complete(&g, err);
}

static void transform_report(const struct weft_cli *cli, const struct weft_trace_opts *o,
                             const char *out, const struct weft_chain *c, uint64_t ranks,
                             bool groups)
{
    size_t n;
    struct weft_json j;
    const struct weft_transform *list = weft_chain_list(c, &n);
    const int stem = (int)weft_trace_stem(out);
    if (o->json) {
        weft_trace_json(&j, cli, "trace transform");
        weft_json_kv_u64(&j, "ranks", ranks);
        weft_json_kv_bool(&j, "groups_file", groups);
        weft_json_kv_array(&j, "transforms");
    } else {
        fprintf(cli->out, "wrote %.*s.{0..%" PRIu64 "}.et%s", stem, out, ranks - 1, out + stem);
        if (groups)
            fprintf(cli->out, " and %.*s.json", stem, out);
        fputc('\n', cli->out);
    }
    for (size_t i = 0; i < n; i++) {
        if (o->json) {
            weft_json_object(&j);
            weft_json_kv_str(&j, "name", list[i].ops->name);
            weft_json_kv_u64(&j, "operations", list[i].touched);
            weft_json_end_object(&j);
        } else {
            fprintf(cli->out, "  %-12s %" PRIu64 " operations\n", list[i].ops->name,
                    list[i].touched);
        }
        if (list[i].touched == 0)
            weft_log(cli->log, WEFT_LOG_WARNING, "%s is about no operation of the trace",
                     list[i].ops->name);
    }
    if (o->json) {
        weft_json_end_array(&j);
        weft_json_end_object(&j);
        weft_json_finish(&j, NULL);
    }
}

/* What was made can be played to its end, or its user is told. */
int weft_trace_check_result(const char *out, bool groups, struct weft_err *err)
{
    char prefix[WEFT_PATH_MAX], file[WEFT_PATH_MAX + 8];
    struct weft_joint joint;
    snprintf(prefix, sizeof prefix, "%.*s", (int)weft_trace_stem(out), out);
    snprintf(file, sizeof file, "%s.json", prefix);
    const struct weft_trace_opts o = {.groups = groups ? file : NULL};
    struct weft_workload *w = weft_trace_job(&o, prefix, err);
    int rc = w ? weft_joint_look(w, &joint, err) : err->code;
    weft_workload_free(w);
    if (rc != WEFT_E_INPUT)
        return rc;
    err->code = WEFT_E_OUTCOME;
    return weft_err_prepend(err, "'%s' was written, but cannot be played", out);
}

int weft_trace_transform(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                         int nargs, struct weft_err *err)
{
    char dir[WEFT_PATH_MAX];
    const char *out = args[1];
    uint64_t ranks = 0;
    bool groups = false;
    size_t n = 0;
    struct weft_chain *c = weft_chain_new(args[0], o->groups, err);
    int rc = c ? read_chain(c, args + 2, nargs - 2, err) : err->code;
    if (!rc)
        rc = weft_path_dir(dir, out, err);
    if (!rc)
        rc = weft_mkdir_p(dir, err);
    if (!rc)
        rc = weft_chain_write(c, out, &ranks, &groups, err);
    if (!rc) {
        transform_report(cli, o, out, c, ranks, groups);
        weft_chain_list(c, &n);
    }
    if (!rc && n)
        rc = weft_trace_check_result(out, groups, err);
    weft_chain_free(c);
    return rc;
}
