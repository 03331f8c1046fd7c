/* SPDX-License-Identifier: GPL-2.0-only */
/* See list.h. */
#include "base/list.h"

#include <string.h>

/* Copies a word, 0 when it is empty or too long. */
static int keep(char *to, const char *from, size_t n)
{
    if (n == 0 || n > WEFT_LIST_WORD_MAX)
        return 0;
    memcpy(to, from, n);
    to[n] = '\0';
    return 1;
}

static int next(struct weft_list *l, int map, struct weft_list_item *out, struct weft_err *err)
{
    const char *text = l->text + l->at;
    if (*text == '\0')
        return 0;
    const size_t len = strcspn(text, ","), key = map ? strcspn(text, ":,") : len;
    *out = (struct weft_list_item){{0}, {0}};
    const int ok = keep(out->key, text, key) &&
                   (!map || (key < len && keep(out->value, text + key + 1, len - key - 1))) &&
                   !(text[len] == ',' && text[len + 1] == '\0');
    if (!ok)
        return weft_err_set(err, WEFT_E_INPUT, "'%.100s' is no list such as %s", l->text,
                            l->example);
    l->at += len + (text[len] == ',');
    return 1;
}

int weft_list_next(struct weft_list *list, struct weft_list_item *out, struct weft_err *err)
{
    return next(list, 0, out, err);
}

int weft_map_next(struct weft_list *map, struct weft_list_item *out, struct weft_err *err)
{
    return next(map, 1, out, err);
}
