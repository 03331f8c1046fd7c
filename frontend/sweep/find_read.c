/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the text of --find. */
#include "sweep/find.h"

#include <string.h>

static int malformed(const struct weft_sweep_find *f, const char *what, struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_USAGE,
                        "--find '%s': %s; it is 'min KEY where METRIC<=VALUE and ...', such as "
                        "'min switch.buffer where drops=0 and slowdown-p99 <= 1.05*best'",
                        f->text, what);
}

/* Cuts the next word off; NULL: none is left. */
static char *find_read_word(char **rest)
{
    *rest += strspn(*rest, " \t\n");
    if (!**rest)
        return NULL;
    char *w = *rest;
    *rest += strcspn(w, " \t\n");
    if (**rest)
        *(*rest)++ = '\0';
    return w;
}

/* The sweep's metric called @p name, added to them if it is none yet. */
static int metric(struct weft_sweep *s, const char *name, size_t *out, struct weft_err *err)
{
    for (*out = 0; *out < s->nmetrics; ++*out)
        if (strcmp(s->metric[*out].text, name) == 0)
            return 0;
    if (s->nmetrics == WEFT_SWEEP_METRICS)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %d metrics", WEFT_SWEEP_METRICS);
    if (weft_metric_choose(name, &s->metric[s->nmetrics], err))
        return err->code;
    s->nmetrics++;
    return 0;
}

/* "12us", "best" or "1.05*best". */
static int find_read_value(struct weft_sweep_find *f, const struct weft_sweep *s,
                           struct weft_find_condition *c, char *text, struct weft_err *err)
{
    const struct weft_metric *m = s->metric[c->metric].metric;
    char *star = strchr(text, '*');
    c->best = strcmp(star ? star + 1 : text, "best") == 0;
    c->value = 1;
    if (star)
        *star = '\0';
    if (c->best && (!star || weft_sweep_number(text, WEFT_PARAM_F64, &c->value)))
        return 0;
    if (star || !weft_sweep_number(text, (int)m->type, &c->value)) {
        weft_err_set(err, WEFT_E_USAGE, "'%s' is no value of %s, a %s, nor 'best' or '1.05*best'",
                     text, m->name, weft_param_type_name(m->type));
        return weft_err_prepend(err, "--find '%s'", f->text);
    }
    c->value = weft_metric_in_unit(m, c->value);
    return 0;
}

/* "METRIC<=VALUE". */
static int read_condition(struct weft_sweep_find *f, struct weft_sweep *s, char *text,
                          struct weft_err *err)
{
    struct weft_find_condition *c = &f->condition[f->nconditions];
    if (f->nconditions == WEFT_FIND_CONDITIONS)
        return malformed(f, "more conditions than 8", err);
    char *op = text + strcspn(text, "<>="), *value = op + strspn(op, "<>=");
    const size_t len = (size_t)(value - op);
    if (op == text || len == 0 || len > 2 || !*value)
        return malformed(f, "a condition is METRIC, one of < <= = >= >, and a value", err);
    memcpy(c->op, op, len);
    c->op[len] = '\0';
    if (len == 2 && op[1] != '=')
        return malformed(f, "a condition is METRIC, one of < <= = >= >, and a value", err);
    *op = '\0';
    if (metric(s, text, &c->metric, err))
        return weft_err_prepend(err, "--find '%s'", f->text);
    f->nconditions++;
    return find_read_value(f, s, c, value, err);
}

/* The conditions, whose words may have blanks around the sign: joins words up to "and". */
static int read_conditions(struct weft_sweep_find *f, struct weft_sweep *s, char *rest,
                           struct weft_err *err)
{
    const size_t size = strlen(rest) + 1;
    for (bool more = true; more;) {
        char *text = (char *)weft_arena_calloc(s->arena, size, 1), *w;
        if (!text)
            return weft_err_no_memory(err, "conditions");
        more = false;
        for (size_t used = 0; (w = find_read_word(&rest)) && !(more = strcmp(w, "and") == 0);) {
            memcpy(text + used, w, strlen(w));
            used += strlen(w);
        }
        if (!*text)
            return malformed(f, "a condition is missing", err);
        if (read_condition(f, s, text, err))
            return err->code;
    }
    return 0;
}

/* The axis of a setting, which must be one of ordered numbers. */
static int choose_axis(struct weft_sweep_find *f, const struct weft_sweep *s, const char *key,
                       struct weft_err *err)
{
    for (f->axis = 0; f->axis < s->naxes; f->axis++)
        if (strcmp(s->axis[f->axis].key[0], key) == 0)
            break;
    if (f->axis == s->naxes)
        return malformed(f, "its setting is not one of those that are varied", err);
    if (!s->axis[f->axis].ordered)
        return malformed(f, "the values of its setting are not numbers that grow", err);
    return 0;
}

int weft_sweep_find_read(struct weft_sweep_find *f, struct weft_sweep *s, const char *text,
                         struct weft_err *err)
{
    *f = (struct weft_sweep_find){.text = weft_arena_strdup(s->arena, text), .nsearches = s->nrows};
    char *rest = weft_arena_strdup(s->arena, text);
    if (!f->text || !rest)
        return weft_err_no_memory(err, "what to find");
    const char *which = find_read_word(&rest), *key = find_read_word(&rest),
               *where = find_read_word(&rest);
    if (!which || (strcmp(which, "min") != 0 && strcmp(which, "max") != 0))
        return malformed(f, "it begins with min or max", err);
    f->max = strcmp(which, "max") == 0;
    if (!where || strcmp(where, "where") != 0)
        return malformed(f, "'where' comes after the setting", err);
    if (choose_axis(f, s, key, err) || read_conditions(f, s, rest, err))
        return err->code;
    const size_t n = s->axis[f->axis].n;
    f->nsearches = s->nrows / n;
    f->search =
        (struct weft_find_search *)weft_arena_calloc(s->arena, f->nsearches, sizeof *f->search);
    if (!f->search)
        return weft_err_no_memory(err, "what to find");
    for (size_t i = 0; i < f->nsearches; i++)
        f->search[i].holds = n + 1;
    return 0;
}
