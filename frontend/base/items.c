/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of things with parameters; see items.h. */
#include "base/items.h"

#include <string.h>

#define SPACE " \t\r\n"

int weft_words_read(char *words, weft_word_fn set, void *ctx, struct weft_err *err)
{
    int rc = 0;
    for (char *rest = words, *word; !rc && rest && (word = strtok_r(rest, SPACE, &rest)) != NULL;) {
        char *eq = strchr(word, '=');
        if (!eq)
            return weft_err_set(err, WEFT_E_INPUT, "'%.60s' must be PARAMETER=VALUE", word);
        *eq = '\0';
        rc = set(ctx, word, eq + 1, err);
    }
    return rc;
}

/* One item: "TYPE NAME=VALUE ...". */
static int read_item(char *text, const struct weft_items_reader *r, struct weft_err *err)
{
    char *rest = text, *type = strtok_r(rest, SPACE, &rest);
    if (!type)
        return weft_err_set(err, WEFT_E_INPUT, "is empty; write 'TYPE PARAMETER=VALUE ...'");
    int rc = r->begin(r->ctx, type, err);
    if (rc)
        return rc;
    rc = weft_words_read(rest, r->set, r->ctx, err);
    if (!rc)
        rc = r->end(r->ctx, err);
    return rc ? weft_err_prepend(err, "%s", type) : 0;
}

int weft_items_read(char *text, const struct weft_items_reader *r, struct weft_err *err)
{
    int rc = 0;
    char *rest = text;
    for (unsigned i = 1; rest && !rc; i++) {
        char *one = strsep(&rest, ";");
        if (!rest && i > 1 && !one[strspn(one, SPACE)])
            break; /* behind the last semicolon */
        rc = read_item(one, r, err);
        if (rc)
            weft_err_prepend(err, "%s %u", r->what, i);
    }
    return rc;
}
