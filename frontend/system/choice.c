/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One choice: an algorithm for the whole group, a list with one per dimension of the fabric, or
 * auto.
 */
#include "system/system_internal.h"
#include "system/lists.h"

#include <string.h>

static bool is_auto(const struct weft_list_item *item)
{
    return item->len == strlen(WEFT_CHOICE_AUTO) &&
           memcmp(item->text, WEFT_CHOICE_AUTO, item->len) == 0;
}

int weft_choice_parse(const char *text, const char *dir, struct weft_choice *out,
                      struct weft_err *err)
{
    struct weft_list list = {.text = text, .form = &weft_algorithms_form};
    struct weft_list_item item;
    int rc;
    *out = (struct weft_choice){.text = text};
    while ((rc = weft_list_next(&list, &item, err)) > 0) {
        if (out->n == WEFT_DIMS_MAX)
            return weft_err_set(err, WEFT_E_LIMIT, "'%s' has more than %u algorithms", text,
                                WEFT_DIMS_MAX);
        if (out->automatic || (is_auto(&item) && out->n))
            return weft_err_set(err, WEFT_E_INPUT,
                                "'%s': auto chooses for all dimensions, so it stands alone", text);
        out->automatic = is_auto(&item);
        if (out->automatic)
            continue;
        rc = weft_coll_algorithm_parse(item.text, item.len, dir, &out->alg[out->n], err);
        if (rc)
            return rc;
        out->n++;
    }
    return rc || out->n || out->automatic
               ? rc
               : weft_err_set(err, WEFT_E_INPUT, "an algorithm is needed");
}

void weft_choice_release(struct weft_choice *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        weft_coll_algorithm_release(&c->alg[i]);
    c->n = 0;
}

const struct weft_choice *weft_choice_given(const struct weft_choices *c, const struct weft_op *op)
{
    for (size_t i = 0; op->algorithm && i < c->nnamed; i++)
        if (strcmp(c->named[i].text, op->algorithm) == 0)
            return &c->named[i];
    return &c->kind[weft_coll_run_as(op->coll)];
}

const char **weft_choice_param(struct weft_system_params *p, enum weft_coll_kind kind)
{
    switch (kind) {
    case WEFT_COLL_ALL_REDUCE:
        return &p->all_reduce;
    case WEFT_COLL_ALL_GATHER:
        return &p->all_gather;
    case WEFT_COLL_REDUCE_SCATTER:
        return &p->reduce_scatter;
    case WEFT_COLL_ALL_TO_ALL:
        return &p->all_to_all;
    case WEFT_COLL_BROADCAST:
        return &p->broadcast;
    case WEFT_COLL_REDUCE:
        return &p->reduce;
    case WEFT_COLL_GATHER:
        return &p->gather;
    case WEFT_COLL_SCATTER:
        return &p->scatter;
    default:
        return NULL;
    }
}
