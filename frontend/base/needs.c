/* SPDX-License-Identifier: GPL-2.0-only */
/* Evaluation of `needs`; see needs.h. */
#include "base/needs.h"
#include "base/items.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 512 };

struct condition {
    char key[64], op[8], operand[64];
};

/* Copies [from, to) without the blanks around it; 0 if it does not fit. */
static int needs_cut(char *dst, size_t size, const char *from, const char *to)
{
    while (from < to && *from == ' ')
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    if ((size_t)(to - from) >= size)
        return 0;
    memcpy(dst, from, (size_t)(to - from));
    dst[to - from] = '\0';
    return 1;
}

static int parse_condition(const char *from, const char *to, struct condition *c)
{
    static const char *const ops[] = {"!=", "=", " has ", " lacks "};
    char text[160];
    if (!needs_cut(text, sizeof text, from, to))
        return 0;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        const char *at = strstr(text, ops[i]);
        const char *end = text + strlen(text);
        if (at && at > text)
            return needs_cut(c->key, sizeof c->key, text, at) &&
                   needs_cut(c->op, sizeof c->op, ops[i], ops[i] + strlen(ops[i])) &&
                   needs_cut(c->operand, sizeof c->operand, at + strlen(ops[i]), end);
    }
    return 0;
}

/* The text of a key's value; NULL: it lies in a table that is not there. */
static const char *value_of(const struct weft_needs_scope *s, const char *key, char *buf,
                            struct weft_err *err)
{
    if (strchr(key, '.'))
        return s->lookup ? s->lookup(s->ctx, key, buf, TEXT_MAX) : NULL;
    const struct weft_param *p = weft_params_find(s->table, key);
    if (!p) {
        weft_err_set(err, WEFT_E_INTERNAL, "there is no parameter '%s'", key);
        return NULL;
    }
    return weft_params_format(p, s->values, buf, TEXT_MAX);
}

/* Whether @p text is @p word; "0" is any zero, whatever its unit. */
static bool needs_same(const char *text, const char *word)
{
    if (strcmp(word, "0") != 0)
        return strcmp(text, word) == 0;
    return text[0] == '0' && strpbrk(text, "123456789") == NULL;
}

static int one_of(const char *text, const char *words)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", words);
    char *rest = copy;
    for (char *w; (w = strsep(&rest, "|")) != NULL;)
        if (needs_same(text, w))
            return 1;
    return 0;
}

static bool contains(const char *text, const char *x)
{
    char *end;
    uint64_t mask = strtoull(text, &end, 10);
    if (end != text && *end == '\0')
        return (mask >> (strtoull(x, NULL, 10) & 63)) & 1;
    size_t n = strlen(x);
    for (const char *at = text; (at = strstr(at, x)) != NULL; at += n)
        if ((at == text || at[-1] == ' ') && (at[n] == '\0' || at[n] == ','))
            return true;
    return false;
}

/* Says which value rules a condition out, once. */
static void needs_explain(const struct weft_needs_scope *s, const struct condition *c,
                          const char *value, const char *operand, char *why, size_t size)
{
    char text[TEXT_MAX], more[192] = "";
    if (c->op[0] == 'h' || c->op[0] == 'l')
        snprintf(more, sizeof more, ", with%s %s%s%s%s", c->op[0] == 'h' ? "out" : "", operand,
                 c->operand[0] == '$' ? " (" : "", c->operand[0] == '$' ? c->operand + 1 : "",
                 c->operand[0] == '$' ? ")" : "");
    else if (!operand[0])
        snprintf(more, sizeof more, " (%s)", c->op[0] == '=' ? "leave that out" : "give one");
    snprintf(text, sizeof text, "%s%s%s is %s%s", strchr(c->key, '.') ? "" : s->prefix,
             strchr(c->key, '.') ? "" : ".", c->key, value[0] ? value : "empty", more);
    if (strstr(why, text))
        return;
    size_t used = strlen(why);
    snprintf(why + used, size - used, "%s%s", used ? " and " : "", text);
}

/* 1 or 0, or an error; a condition on a table that is not there holds. */
static int holds(const struct weft_needs_scope *s, const struct condition *c, char *why,
                 size_t size, struct weft_err *err)
{
    char value_buf[TEXT_MAX], operand_buf[TEXT_MAX];
    const char *value = value_of(s, c->key, value_buf, err);
    const char *operand =
        c->operand[0] == '$' ? value_of(s, c->operand + 1, operand_buf, err) : c->operand;
    if (err->code)
        return err->code;
    if (!value || !operand)
        return 1;
    int yes = 0;
    switch (c->op[0]) {
    case '=':
        yes = one_of(value, operand);
        break;
    case '!':
        yes = !one_of(value, operand);
        break;
    case 'h':
        yes = contains(value, operand);
        break;
    default:
        yes = !contains(value, operand);
    }
    if (!yes && why)
        needs_explain(s, c, value, operand, why, size);
    return yes;
}

/* Every condition of [from, to). */
static int all_hold(const char *from, const char *to, const struct weft_needs_scope *s, char *why,
                    size_t size, struct weft_err *err)
{
    while (from < to) {
        const char *end = strstr(from, " and ");
        if (!end || end > to)
            end = to;
        struct condition c;
        if (!parse_condition(from, end, &c))
            return weft_err_set(err, WEFT_E_INTERNAL, "no condition: '%.*s'", (int)(end - from),
                                from);
        int yes = holds(s, &c, why, size, err);
        if (yes != 1)
            return yes;
        from = end < to ? end + 5 : to;
    }
    return 1;
}

int weft_param_effective(const struct weft_param *p, const struct weft_needs_scope *scope,
                         char *why, size_t size, struct weft_err *err)
{
    struct weft_err local = {0};
    if (!p->needs)
        return 1;
    if (why && size)
        why[0] = '\0';
    for (const char *from = p->needs;;) {
        const char *end = strstr(from, " or ");
        int yes = all_hold(from, end ? end : from + strlen(from), scope, why, size, &local);
        if (yes < 0 && err) {
            *err = local;
            return weft_err_prepend(err, "needs of parameter '%s'", p->name);
        }
        if (yes || !end)
            return yes;
        from = end + 4;
    }
}

int weft_params_refuse_idle(const struct weft_needs_scope *s, struct weft_err *err)
{
    char was[WEFT_PARAM_TEXT_MAX], is[WEFT_PARAM_TEXT_MAX], why[TEXT_MAX];
    void *def = malloc(s->table->struct_size + 1);
    if (!def)
        return weft_err_no_memory(err, "settings");
    int rc = weft_params_defaults(s->table, def, err);
    for (size_t i = 0; !rc && i < s->table->n; i++) {
        const struct weft_param *p = &s->table->params[i];
        int yes = weft_param_effective(p, s, why, sizeof why, err);
        weft_params_format(p, def, was, sizeof was);
        weft_params_format(p, s->values, is, sizeof is);
        if (yes < 0)
            rc = yes;
        else if (!yes && strcmp(was, is) != 0)
            rc = weft_err_set(err, WEFT_E_INPUT, "%s.%s=%s has no effect: %s", s->prefix, p->name,
                              is, why);
    }
    free(def);
    return rc;
}

/* What weft_params_read() fills. */
struct params_target {
    const struct weft_param_table *table;
    void *values;
};

static int params_set(void *ctx, const char *name, const char *value, struct weft_err *err)
{
    const struct params_target *t = (const struct params_target *)ctx;
    return weft_params_set(t->table, t->values, name, value, err);
}

int weft_params_read(const struct weft_param_table *table, const char *prefix, void *values,
                     char *words, struct weft_err *err)
{
    struct params_target t = {table, values};
    const struct weft_needs_scope scope = {.table = table, .values = values, .prefix = prefix};
    int rc = weft_params_defaults(table, values, err);
    if (!rc)
        rc = weft_words_read(words, params_set, &t, err);
    return rc ? rc : weft_params_refuse_idle(&scope, err);
}
