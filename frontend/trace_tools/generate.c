/* SPDX-License-Identifier: GPL-2.0-only */
/* weft trace generate: writes the trace of a generated workload. */
#include "base/file.h"
#include "trace_tools/trace.h"
#include "workload/trace_write.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    const int stem = (int)weft_trace_stem(prefix);
    fprintf(cli->out, "wrote %.*s.{0..%" PRIu64 "}.et%s\n", stem, prefix, nranks - 1,
            prefix + stem);
    if (!w->describe)
        return 0;
    code = w->describe(params, text, sizeof text, err);
    if (!code)
        fputs(text, cli->out);
    return code;
}

int weft_trace_generate(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                        int nargs, struct weft_err *err)
{
    const char *name = nargs == 2 ? args[0] : "generate", *prefix = args[nargs - 1];
    const struct weft_workload_ops *w = weft_workload_find(name, err);
    if (!w)
        return err->code;
    if (!w->write)
        return weft_err_set(err, WEFT_E_USAGE,
                            "workload '%s' is read from files; there are no traces to generate",
                            name);
    void *params = calloc(1, w->params.struct_size);
    int code = params ? weft_params_defaults(&w->params, params, err)
                      : weft_err_no_memory(err, "parameters");
    for (size_t i = 0; !code && i < o->set.n; i++)
        code = set_parameter(w, params, o->set.list[i], err);
    if (!code)
        code = write_traces(cli, w, params, prefix, err);
    free(params);
    return code;
}
