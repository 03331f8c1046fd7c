/* SPDX-License-Identifier: GPL-2.0-only */
/* weft trace synthesize: the transform of that name, and how near its result is. */
#include "trace_tools/compare.h"
#include "trace_tools/trace.h"

#include "base/file.h"
#include "workload/trace_write.h"
#include "workload/whatif/chain.h"

#include <inttypes.h>
#include <string.h>

static int set_parameter(struct weft_transform *t, const char *text, struct weft_err *err)
{
    char key[64];
    const char *eq = strchr(text, '=');
    if (!eq || eq == text || (size_t)(eq - text) >= sizeof key)
        return weft_err_set(err, WEFT_E_INPUT, "--set %s: must be KEY=VALUE, for instance seed=2",
                            text);
    snprintf(key, sizeof key, "%.*s", (int)(eq - text), text);
    if (weft_params_set(&t->ops->params, t->params, key, eq + 1, err))
        return weft_err_prepend(err, "--set %s", text);
    return 0;
}

static int trace_tool_synthesize_make(struct weft_chain *c, const struct weft_trace_opts *o,
                                      const char *out, uint64_t *ranks, bool *groups,
                                      struct weft_err *err)
{
    char dir[WEFT_PATH_MAX];
    const struct weft_transform_ops *ops = weft_transform_find("synthesize", err);
    struct weft_transform *t = ops ? weft_chain_add(c, ops, err) : NULL;
    int rc = t ? 0 : err->code;
    for (size_t i = 0; !rc && i < o->set.n; i++)
        rc = set_parameter(t, o->set.list[i], err);
    if (!rc)
        rc = weft_path_dir(dir, out, err);
    if (!rc)
        rc = weft_mkdir_p(dir, err);
    return rc ? rc : weft_chain_write(c, out, ranks, groups, err);
}

int weft_trace_synthesize(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                          int nargs, struct weft_err *err)
{
    char prefix[WEFT_PATH_MAX], file[WEFT_PATH_MAX + 8];
    const char *out = args[1];
    const int stem = (int)weft_trace_stem(out);
    const struct weft_strings none = {NULL, 0};
    uint64_t ranks = 0;
    bool groups = false;
    struct weft_chain *c = weft_chain_new(args[0], o->groups, err);
    int rc = c ? trace_tool_synthesize_make(c, o, out, &ranks, &groups, err) : err->code;
    weft_chain_free(c);
    if (rc)
        return rc;
    if (!o->json)
        fprintf(cli->out, "wrote %.*s.{0..%" PRIu64 "}.et%s%s\n", stem, out, ranks - 1, out + stem,
                groups ? " and its communicators" : "");
    rc = weft_trace_check_result(out, groups, err);
    if (rc)
        return rc;
    snprintf(prefix, sizeof prefix, "%.*s", stem, out);
    snprintf(file, sizeof file, "%s.json", prefix);
    const struct weft_compared sides[2] = {{args[0], o->groups}, {prefix, groups ? file : NULL}};
    return weft_trace_compare_on_fabrics(cli, &none, o->json, sides, err);
}
