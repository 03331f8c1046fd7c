/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads and writes lists and maps in settings: "8,16", "0,4-7", "all-to-all:2,send:5". */
#include "base/list.h"

#include <stdio.h>
#include <string.h>

/* Longest field that is not text. */
enum { FIELD_TEXT_MAX = 96 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char joint_of(const struct weft_list_form *f)
{
    return f->joint ? f->joint : ',';
}

/* The item at @p from, without the blanks around it; returns where it ends. */
static size_t cut_item(const struct weft_list_form *f, const char *from, const char **item,
                       size_t *len)
{
    const size_t end = strcspn(from, (const char[]){joint_of(f), '\0'});
    size_t first = 0, last = end;
    while (first < last && is_blank(from[first]))
        first++;
    while (last > first && is_blank(from[last - 1]))
        last--;
    *item = from + first;
    *len = last - first;
    return end;
}

static int bad_form(const struct weft_list *l, const struct weft_list_item *it,
                    struct weft_err *err)
{
    if (it->len == 0)
        return weft_err_set(err, WEFT_E_INPUT, "'%.100s' has an empty item; write %s", l->text,
                            l->form->like);
    return weft_err_set(err, WEFT_E_INPUT, "'%.*s': write %s", it->len < 100 ? (int)it->len : 100,
                        it->text, l->form->like);
}

/* Whether a text that is no list is nearly one of the form's words; says so. */
static bool suggest_word(const struct weft_list *l, struct weft_err *err)
{
    char words[256];
    const char *names[16];
    size_t n = 0;
    snprintf(words, sizeof words, "%s", l->form->words ? l->form->words : "");
    char *rest = words;
    for (char *w; n < sizeof names / sizeof names[0] && (w = strsep(&rest, "|")) != NULL;)
        names[n++] = w;
    const char *meant = weft_nearest(l->text, names, n);
    if (meant)
        weft_err_set(err, WEFT_E_INPUT, "'%.60s': write %s; did you mean '%s'?", l->text,
                     l->form->like, meant);
    return meant != NULL;
}

/* Cuts an item into its fields. */
static int cut_fields(const struct weft_list *l, struct weft_list_item *it, struct weft_err *err)
{
    const struct weft_list_form *f = l->form;
    const char *at = it->text;
    size_t left = it->len;
    for (size_t k = 0; k < f->nfields; k++) {
        const bool last = k + 1 == f->nfields;
        const char *joint = memchr(at, f->field_joint ? f->field_joint : ':', left);
        const size_t len = joint ? (size_t)(joint - at) : left;
        const bool takes_all = last && f->fields[k].type == WEFT_PARAM_STRING;
        it->field[k] = (struct weft_list_field){.text = at, .len = takes_all ? left : len};
        if (it->field[k].len == 0 || (last && joint && !takes_all))
            return bad_form(l, it, err);
        if (last)
            return 0;
        if (!joint)
            return bad_form(l, it, err);
        at += len + 1;
        left -= len + 1;
        if (k == 0 && f->rest_word && strlen(f->rest_word) == left &&
            memcmp(f->rest_word, at, left) == 0) {
            it->rest_is_word = true;
            return 0;
        }
    }
    return 0;
}

static int parse_field(const struct weft_list *l, const struct weft_list_item *it,
                       const struct weft_param *p, struct weft_list_field *f, struct weft_err *err)
{
    char text[FIELD_TEXT_MAX];
    if (p->type == WEFT_PARAM_STRING)
        return 0;
    if (f->len >= sizeof text)
        return bad_form(l, it, err);
    memcpy(text, f->text, f->len);
    text[f->len] = '\0';
    const int rc = weft_param_parse(p, text, &f->value, err);
    if (rc && !(l->at == 0 && suggest_word(l, err)))
        weft_err_prepend(err, "'%.*s'", it->len < 100 ? (int)it->len : 100, it->text);
    return rc;
}

/* An item of a form of ranges. */
static int parse_range(const struct weft_list *l, struct weft_list_item *it, struct weft_err *err)
{
    const struct weft_param *p = &l->form->fields[0];
    const char *dash = memchr(it->text, '-', it->len);
    struct weft_list_field to;
    it->field[0] = to = (struct weft_list_field){.text = it->text, .len = it->len};
    if (dash) {
        it->field[0].len = (size_t)(dash - it->text);
        to = (struct weft_list_field){.text = dash + 1, .len = it->len - it->field[0].len - 1};
    }
    if (it->len == 0 || it->field[0].len == 0 || to.len == 0)
        return bad_form(l, it, err);
    int rc = parse_field(l, it, p, &it->field[0], err);
    rc = rc ? rc : parse_field(l, it, p, &to, err);
    it->to = to.value.u64;
    if (!rc && it->to < it->field[0].value.u64)
        rc = weft_err_set(err, WEFT_E_INPUT, "'%.*s' runs backwards; write %s", (int)it->len,
                          it->text, l->form->like);
    return rc;
}

/* Whether an earlier item of @p l has the first field of @p it, in whatever words. */
static bool is_repeated(const struct weft_list *l, const struct weft_list_item *it)
{
    const struct weft_param *p = &l->form->fields[0];
    struct weft_list before = {l->text, l->form, 0};
    while (before.at < (size_t)(it->text - l->text)) {
        struct weft_list_item one = {0};
        const size_t end = cut_item(l->form, l->text + before.at, &one.text, &one.len);
        if (one.text == it->text)
            return false;
        if (!cut_fields(l, &one, NULL) && !parse_field(l, &one, p, &one.field[0], NULL) &&
            (p->type == WEFT_PARAM_STRING
                 ? one.field[0].len == it->field[0].len &&
                       memcmp(one.field[0].text, it->field[0].text, one.field[0].len) == 0
                 : weft_param_same(p->type, &one.field[0].value, &it->field[0].value)))
            return true;
        before.at += end + 1;
    }
    return false;
}

int weft_list_next(struct weft_list *list, struct weft_list_item *out, struct weft_err *err)
{
    const struct weft_list_form *f = list->form;
    *out = (struct weft_list_item){0};
    if (list->text[list->at] == '\0')
        return 0;
    const size_t end = cut_item(f, list->text + list->at, &out->text, &out->len);
    int rc = f->ranges ? parse_range(list, out, err) : cut_fields(list, out, err);
    for (size_t k = 0; !rc && !f->ranges && k < (out->rest_is_word ? 1 : f->nfields); k++)
        rc = parse_field(list, out, &f->fields[k], &out->field[k], err);
    if (rc)
        return rc;
    if (f->unique && is_repeated(list, out))
        return weft_err_set(err, WEFT_E_INPUT, "'%.*s': %.*s is there twice",
                            out->len < 100 ? (int)out->len : 100, out->text, (int)out->field[0].len,
                            out->field[0].text);
    list->at += end;
    if (list->text[list->at] != joint_of(f))
        return 1;
    list->at++;
    return list->text[list->at]
               ? 1
               : weft_err_set(err, WEFT_E_INPUT, "'%.100s' ends in %s; write %s", list->text,
                              f->joint ? (const char[]){'\'', f->joint, '\'', '\0'} : "a comma",
                              f->like);
}

static const struct weft_param number[] = {{.type = WEFT_PARAM_U64, .max = "4294967295"}};

const struct weft_list_form weft_ranges_form = {
    .like = "numbers and ranges, such as 0,4-7", .fields = number, .nfields = 1, .ranges = true};

int weft_list_is_word(const struct weft_list_form *form, const char *text)
{
    return weft_param_choice_of(form->words, text, strlen(text));
}

int weft_list_check(const struct weft_list_form *form, const char *text, struct weft_err *err)
{
    struct weft_list list = {text, form, 0};
    struct weft_list_item item;
    int rc;
    if (weft_list_is_word(form, text) >= 0)
        return 0;
    while ((rc = weft_list_next(&list, &item, err)) > 0)
        ;
    return rc;
}
