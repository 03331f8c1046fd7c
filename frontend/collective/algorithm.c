/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses a collective algorithm with its parameters: "ring", "ring:channels=2". */
#include "collective/algorithm.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

static const struct weft_param setting[] = {{.type = WEFT_PARAM_STRING},
                                            {.type = WEFT_PARAM_STRING}};

/* What follows a name. */
static const struct weft_list_form settings = {
    .like = "NAME:PARAMETER=VALUE:..., such as ring:channels=2:bidirectional=true",
    .fields = setting,
    .nfields = 2,
    .unique = true,
    .joint = ':',
    .field_joint = '='};

static char *terminated(const struct weft_list_field *f)
{
    char *text = (char *)(uintptr_t)f->text;
    text[f->len] = '\0';
    return text;
}

/* Sets parameters by @p rest, in which their values stay; NULL: nothing follows the name. */
static int set_given(struct weft_coll_algorithm *a, char *rest, struct weft_err *err)
{
    const struct weft_param_table *t = &a->ops->params;
    struct weft_list list = {rest, &settings, 0};
    struct weft_list_item item;
    int rc = *rest
                 ? weft_list_check(&settings, rest, err)
                 : weft_err_set(err, WEFT_E_INPUT, "nothing follows ':'; write %s", settings.like);
    while (!rc && (rc = weft_list_next(&list, &item, err)) > 0) {
        const char *name = terminated(&item.field[0]), *value = terminated(&item.field[1]);
        rc = t->n
                 ? weft_params_set(t, a->params, name, value, err)
                 : weft_err_set(err, WEFT_E_INPUT, "it has no parameters, so no '%s' either", name);
    }
    return rc;
}

static int set_params(struct weft_coll_algorithm *a, char *rest, struct weft_err *err)
{
    const struct weft_param_table *t = &a->ops->params;
    int rc = t->n ? weft_params_defaults(t, a->params, err) : 0;
    if (!rc && rest)
        rc = set_given(a, rest, err);
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
        return weft_err_no_memory(err, "an algorithm");
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
        rc = out->params ? set_params(out, rest, err) : weft_err_no_memory(err, "an algorithm");
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
