/* SPDX-License-Identifier: GPL-2.0-only */
/* Mutations of XML: elements are doubled, moved and left out, attributes renamed, given other
 * values and exchanged. */
#include "mutate.h"

#include "base/xml.h"

#include <ctype.h>
#include <string.h>

enum { ELEMENTS_MAX = 512 };
#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

struct tree {
    struct weft_arena *arena;
    struct weft_xml_elem *all[ELEMENTS_MAX];   /* the root first */
    struct weft_xml_elem **link[ELEMENTS_MAX]; /* what points to each */
    size_t n;
    struct weft_rng *rng;
};

/* The tree is the reader's own, which hands it out to be read only. */
static void collect(struct tree *t, struct weft_xml_elem **link)
{
    for (; *link && t->n < ELEMENTS_MAX; link = &(*link)->next) {
        t->all[t->n] = *link;
        t->link[t->n++] = link;
        collect(t, &(*link)->children);
    }
}

static size_t some(struct tree *t)
{
    return (size_t)weft_rng_below(t->rng, t->n);
}

/* Some attribute of an element, or NULL. */
static struct weft_xml_attr *some_attr(struct tree *t, const struct weft_xml_elem *e)
{
    size_t n = 0;
    for (const struct weft_xml_attr *a = e->attrs; a; a = a->next)
        n++;
    struct weft_xml_attr *a = e->attrs;
    for (size_t k = n ? (size_t)weft_rng_below(t->rng, n) : 0; k; k--)
        a = a->next;
    return a;
}

static const char *some_value(struct tree *t)
{
    if (weft_rng_below(t->rng, 3))
        return weft_fuzz_word(t->rng);
    char *text = weft_arena_printf(t->arena, "%llu", (unsigned long long)weft_fuzz_number(t->rng));
    return text ? text : "0";
}

/* A word that can be a name. */
static const char *some_name(struct tree *t)
{
    const char *word = weft_fuzz_word(t->rng);
    while (!isalpha((unsigned char)*word) || word[strspn(word, NAME_CHARS)])
        word = weft_fuzz_word(t->rng);
    return word;
}

static struct weft_xml_elem *copy_of(struct tree *t, const struct weft_xml_elem *e)
{
    struct weft_xml_elem *c = weft_arena_alloc(t->arena, sizeof *c);
    REQUIRE(c);
    *c = *e; /* children and attributes are shared: they are only written from here on */
    c->next = NULL;
    return c;
}

static void unlink_at(struct tree *t, size_t i)
{
    *t->link[i] = t->all[i]->next;
    t->all[i]->next = NULL;
}

/* Whether @p e is inside @p of, or is it. */
static bool inside(const struct weft_xml_elem *e, const struct weft_xml_elem *of)
{
    if (e == of)
        return true;
    for (const struct weft_xml_elem *c = of->children; c; c = c->next)
        if (inside(e, c))
            return true;
    return false;
}

static void edit_attr(struct tree *t)
{
    struct weft_xml_elem *e = t->all[some(t)];
    struct weft_xml_attr *a = some_attr(t, e), *b = some_attr(t, t->all[some(t)]);
    switch (weft_rng_below(t->rng, 6)) {
    case 0:
    case 1:
        if (a)
            a->value = some_value(t);
        return;
    case 2:
        if (a && b)
            a->value = b->value;
        return;
    case 3:
        if (a)
            a->name = some_name(t);
        return;
    case 4: /* left out */
        if (a && a == e->attrs)
            e->attrs = a->next;
        else if (a)
            e->attrs->next = a->next == e->attrs->next ? NULL : a->next;
        return;
    default: { /* one more */
        struct weft_xml_attr *more = weft_arena_alloc(t->arena, sizeof *more);
        REQUIRE(more);
        more->name = b && weft_rng_below(t->rng, 2) ? b->name : some_name(t);
        more->value = some_value(t);
        more->next = e->attrs;
        e->attrs = more;
    }
    }
}

static void edit_tree(struct tree *t)
{
    const size_t i = some(t), k = some(t);
    struct weft_xml_elem *e = t->all[i], *to = t->all[k], *c;
    switch (weft_rng_below(t->rng, 5)) {
    case 0: /* doubled */
        if (i) {
            c = copy_of(t, e);
            c->next = e->next;
            e->next = c;
        }
        return;
    case 1: /* left out */
        if (i)
            unlink_at(t, i);
        return;
    case 2: /* moved */
        if (i && !inside(to, e)) {
            unlink_at(t, i);
            e->next = to->children;
            to->children = e;
        }
        return;
    case 3:
        e->name = some_name(t);
        return;
    default: /* copied into another */
        if (!inside(to, e)) {
            c = copy_of(t, e);
            c->next = to->children;
            to->children = c;
        }
    }
}

struct out {
    uint8_t *data;
    size_t size, max;
};

static void put(struct out *o, const char *text, size_t n)
{
    if (o->size <= o->max && n <= o->max - o->size)
        memcpy(o->data + o->size, text, n);
    o->size += n;
}

static void put_text(struct out *o, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            put(o, "&amp;", 5);
            break;
        case '<':
            put(o, "&lt;", 4);
            break;
        case '"':
            put(o, "&quot;", 6);
            break;
        default:
            put(o, text, 1);
        }
}

static void put_elem(struct out *o, const struct weft_xml_elem *e)
{
    if (o->size > o->max)
        return;
    put(o, "<", 1);
    put(o, e->name, strlen(e->name));
    for (const struct weft_xml_attr *a = e->attrs; a && o->size <= o->max; a = a->next) {
        put(o, " ", 1);
        put(o, a->name, strlen(a->name));
        put(o, "=\"", 2);
        put_text(o, a->value);
        put(o, "\"", 1);
    }
    put(o, ">", 1);
    put_text(o, e->text);
    for (const struct weft_xml_elem *c = e->children; c; c = c->next)
        put_elem(o, c);
    put(o, "</", 2);
    put(o, e->name, strlen(e->name));
    put(o, ">\n", 2);
}

size_t weft_fuzz_mutate_xml(uint8_t *data, size_t size, size_t max, struct weft_rng *rng)
{
    struct weft_err err = {0};
    struct weft_xml_elem *root = NULL;
    struct tree t = {.arena = weft_arena_new(), .rng = rng};
    struct out o = {malloc(max + 1), 0, max};
    REQUIRE(t.arena && o.data);
    if (size && weft_xml_parse((const char *)data, size, "", t.arena, &root, &err) == 0) {
        collect(&t, &root);
        if (weft_rng_below(rng, 3))
            edit_attr(&t);
        else
            edit_tree(&t);
        put_elem(&o, root);
        if (o.size <= max)
            memcpy(data, o.data, o.size);
        else
            o.size = 0;
    }
    free(o.data);
    weft_arena_free(t.arena);
    return o.size;
}
