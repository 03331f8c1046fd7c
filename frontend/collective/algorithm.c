/* SPDX-License-Identifier: GPL-2.0-only */
/* See algorithm.h. */
#include "collective/algorithm.h"

#include <stdlib.h>
#include <string.h>

static int set_params(struct weft_coll_algorithm *a, char *rest, struct weft_err *err)
{
    const struct weft_param_table *t = &a->ops->params;
    int rc = t->n ? weft_params_defaults(t, a->params, err) : 0;
    while (!rc && rest) {
        char *name = rest, *next = strchr(rest, ':');
        if (next)
            *next++ = '\0';
        rest = next;
        char *value = strchr(name, '=');
        if (!value)
            return weft_err_set(err, WEFT_E_INPUT,
                                "algorithm %s: '%s' is no parameter; write %s:name=value",
                                a->ops->name, name, a->ops->name);
        *value++ = '\0';
        if (t->n == 0)
            return weft_err_set(err, WEFT_E_INPUT,
                                "algorithm %s has no parameters, so no '%s' either", a->ops->name,
                                name);
        rc = weft_params_set(t, a->params, name, value, err);
    }
    for (size_t i = 0; !rc && i < t->n; i++)
        if (!t->params[i].def && t->params[i].type == WEFT_PARAM_STRING) {
            const char *const *text =
                (const char *const *)((const char *)a->params + t->params[i].offset);
            if (!*text)
                return weft_err_set(err, WEFT_E_INPUT, "it needs a %s; write %s:%s=...",
                                    t->params[i].name, a->ops->name, t->params[i].name);
        }
    return rc;
}

int weft_coll_algorithm_parse(const char *spec, size_t len, const char *dir,
                              struct weft_coll_algorithm *out, struct weft_err *err)
{
    *out = (struct weft_coll_algorithm){0};
    out->text = malloc(len + 1);
    if (!out->text)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for an algorithm");
    memcpy(out->text, spec, len);
    out->text[len] = '\0';
    char *rest = strchr(out->text, ':');
    if (rest)
        *rest++ = '\0';
    struct weft_err own = {0};
    err = err ? err : &own;
    out->ops = weft_coll_find(out->text, err);
    int rc = out->ops ? 0 : WEFT_E_INPUT;
    if (!rc) {
        size_t size = out->ops->params.struct_size;
        out->params = calloc(1, size ? size : 1);
        rc = out->params ? set_params(out, rest, err)
                         : weft_err_set(err, WEFT_E_LIMIT, "out of memory for an algorithm");
        if (!rc && out->ops->load)
            rc = out->ops->load(out->params, dir, &out->program, err);
        if (rc)
            weft_err_prepend(err, "algorithm %s", out->ops->name);
    }
    if (rc)
        weft_coll_algorithm_release(out);
    return rc;
}

void weft_coll_algorithm_release(struct weft_coll_algorithm *a)
{
    if (a->program)
        a->ops->unload(a->program);
    free(a->params);
    free(a->text);
    *a = (struct weft_coll_algorithm){0};
}
