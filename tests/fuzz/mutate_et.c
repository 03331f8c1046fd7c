/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mutations of execution traces: messages are doubled, exchanged and left out; fields of a node get
 * other values, lists lose and double entries, attributes are renamed and exchanged. Messages are
 * framed again, so that what comes behind still is read.
 */
#include "mutate.h"

#include "chakra.pb-c.h"

#include <string.h>

enum { MESSAGES_MAX = 256, MESSAGE_MAX = 1 << 20 };

struct message {
    const uint8_t *data;
    size_t n;
};

struct trace {
    struct message all[MESSAGES_MAX]; /* the header first */
    size_t n;
};

static bool split(const uint8_t *data, size_t size, struct trace *t)
{
    for (size_t at = 0; at < size; t->n++) {
        size_t len = 0, shift = 0;
        do {
            if (at == size || shift > 28 || t->n == MESSAGES_MAX - 1)
                return false;
            len |= (size_t)(data[at] & 0x7f) << shift;
            shift += 7;
        } while (data[at++] & 0x80);
        if (len > size - at || len > MESSAGE_MAX)
            return false;
        t->all[t->n] = (struct message){data + at, len};
        at += len;
    }
    return t->n > 1;
}

static size_t join(const struct trace *t, uint8_t *to, size_t max)
{
    size_t at = 0;
    for (size_t i = 0; i < t->n; i++) {
        size_t len = t->all[i].n;
        if (len + 5 > max - at)
            return 0;
        for (; len > 0x7f; len >>= 7)
            to[at++] = (uint8_t)(len | 0x80);
        to[at++] = (uint8_t)len;
        memcpy(to + at, t->all[i].data, t->all[i].n);
        at += t->all[i].n;
    }
    return at;
}

static void edit_messages(struct trace *t, struct weft_rng *rng)
{
    const size_t i = 1 + (size_t)weft_rng_below(rng, t->n - 1);
    const size_t k = 1 + (size_t)weft_rng_below(rng, t->n - 1);
    const struct message m = t->all[i];
    switch (weft_rng_below(rng, 3)) {
    case 0:
        t->all[t->n++] = m;
        return;
    case 1:
        t->all[i] = t->all[--t->n];
        return;
    default:
        t->all[i] = t->all[k];
        t->all[k] = m;
    }
}

/* Texts of a decoded message are malloc's. */
static void set_text(char **to, const char *from)
{
    char *copy = strdup(from);
    REQUIRE(copy);
    if (*to != protobuf_c_empty_string)
        free(*to);
    *to = copy;
}

static void edit_deps(uint64_t *deps, size_t *n, struct weft_rng *rng)
{
    if (!*n)
        return;
    uint64_t *one = &deps[weft_rng_below(rng, *n)];
    switch (weft_rng_below(rng, 3)) {
    case 0:
        *one = weft_fuzz_number(rng);
        return;
    case 1:
        *one = weft_rng_below(rng, 8);
        return;
    default:
        *one = deps[--*n];
    }
}

/* The numbers that stand in the oneof themselves; of other kinds nothing is touched. */
static void set_number(WeftPb__Attr *a, uint64_t v)
{
    switch (a->value_case) {
    case WEFT_PB__ATTR__VALUE_I32:
    case WEFT_PB__ATTR__VALUE_S32:
    case WEFT_PB__ATTR__VALUE_U32:
    case WEFT_PB__ATTR__VALUE_X32:
    case WEFT_PB__ATTR__VALUE_SX32:
        a->u32 = (uint32_t)v;
        return;
    case WEFT_PB__ATTR__VALUE_F64:
        a->f64 = (double)v / 7 - 3;
        return;
    case WEFT_PB__ATTR__VALUE_I64:
    case WEFT_PB__ATTR__VALUE_S64:
    case WEFT_PB__ATTR__VALUE_U64:
    case WEFT_PB__ATTR__VALUE_X64:
    case WEFT_PB__ATTR__VALUE_SX64:
        a->u64 = v;
        return;
    default:
        return;
    }
}

static void edit_attrs(WeftPb__Node *node, struct weft_rng *rng)
{
    if (!node->n_attr)
        return;
    WeftPb__Attr **one = &node->attr[weft_rng_below(rng, node->n_attr)],
                 **last = &node->attr[node->n_attr - 1], *a = *one;
    switch (weft_rng_below(rng, 5)) {
    case 0:
        *one = *last;
        *last = a;
        return;
    case 1: /* left out */
        *one = *last;
        node->n_attr--;
        weft_pb__attr__free_unpacked(a, NULL);
        return;
    case 2:
        set_text(&a->name, weft_fuzz_word(rng));
        return;
    case 3:
        if (a->value_case == WEFT_PB__ATTR__VALUE_STR)
            set_text(&a->str, weft_fuzz_word(rng));
        return;
    default:
        set_number(a, weft_fuzz_number(rng));
    }
}

static void edit_node(WeftPb__Node *node, struct weft_rng *rng)
{
    switch (weft_rng_below(rng, 8)) {
    case 0:
        node->id = weft_rng_below(rng, 2) ? weft_rng_below(rng, 10) : weft_fuzz_number(rng);
        return;
    case 1:
        node->type = (int32_t)weft_rng_below(rng, 9);
        return;
    case 2:
        edit_deps(node->ctrl_deps, &node->n_ctrl_deps, rng);
        return;
    case 3:
        edit_deps(node->data_deps, &node->n_data_deps, rng);
        return;
    case 4:
        node->duration_us = weft_fuzz_number(rng);
        return;
    default:
        edit_attrs(node, rng);
    }
}

size_t weft_fuzz_mutate_et(uint8_t *data, size_t size, size_t max, struct weft_rng *rng)
{
    struct trace *t = calloc(1, sizeof *t);
    uint8_t *out = malloc(max + 1), *packed = NULL;
    size_t made = 0;
    REQUIRE(t && out);
    if (split(data, size, t)) {
        struct message *m = &t->all[1 + weft_rng_below(rng, t->n - 1)];
        WeftPb__Node *node = NULL;
        if (weft_rng_below(rng, 4) == 0)
            edit_messages(t, rng);
        else if ((node = weft_pb__node__unpack(NULL, m->n, m->data)) != NULL) {
            edit_node(node, rng);
            m->n = weft_pb__node__get_packed_size(node);
            packed = malloc(m->n + 1);
            REQUIRE(packed);
            weft_pb__node__pack(node, packed);
            m->data = packed;
            weft_pb__node__free_unpacked(node, NULL);
        }
        made = join(t, out, max);
        if (made)
            memcpy(data, out, made);
    }
    free(packed);
    free(out);
    free(t);
    return made;
}
