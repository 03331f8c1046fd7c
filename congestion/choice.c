/* SPDX-License-Identifier: GPL-2.0-only */
/* Congestion controls from text; see choice.h. */
#include "congestion/choice.h"

#include "base/needs.h"
#include "congestion/cc_table.h"

#include <stdlib.h>
#include <string.h>

static int congestion_choice_fill(struct weft_cc_choice *c, char *words, struct weft_err *err)
{
    c->params = calloc(1, c->ops->params.struct_size + 1);
    int rc = c->params ? weft_params_read(&c->ops->params, c->ops->name, c->params, words, err)
                       : weft_err_no_memory(err, "parameters of a congestion control");
    if (!rc && c->ops->check)
        rc = c->ops->check(c->params, err);
    return rc ? weft_err_prepend(err, "congestion control '%s'", c->ops->name) : 0;
}

int weft_cc_choice_read(const char *text, struct weft_cc_choice *out, struct weft_err *err)
{
    struct weft_err local = {0};
    err = err ? err : &local;
    *out = (struct weft_cc_choice){.text = strdup(text)};
    if (!out->text)
        return weft_err_no_memory(err, "parameters of a congestion control");
    char *rest = out->text, *name = strtok_r(rest, " ", &rest);
    out->ops = weft_cc_find(name ? name : "", err);
    int rc = out->ops ? congestion_choice_fill(out, rest, err) : WEFT_E_INPUT;
    if (rc)
        weft_cc_choice_free(out);
    return rc;
}

void weft_cc_choice_free(struct weft_cc_choice *c)
{
    free(c->params);
    free(c->text);
    *c = (struct weft_cc_choice){0};
}
