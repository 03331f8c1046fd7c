/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target for .et files: libFuzzer calls it with -DWEFT_FUZZ=ON under clang, chakra_replay
 * with its own mutations under any compiler.
 *
 * Any input either is an error with a message, or a trace that can be printed, converted (or
 * refused with a message) and written, and whose written form reads back with as many nodes.
 */
#include "chakra_fuzz.h"

#include "workload/chakra_read.h"
#include "workload/chakra_write.h"
#include "workload/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4 };

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct buffer {
    uint8_t *data;
    size_t size, cap;
};

static int append(void *ctx, const void *data, size_t size, struct weft_err *err)
{
    struct buffer *b = ctx;
    (void)err;
    if (b->size + size > b->cap) {
        b->cap = 2 * (b->size + size);
        b->data = realloc(b->data, b->cap);
        REQUIRE(b->data != NULL);
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return 0;
}

static void print_attrs(const struct weft_et_attr *attrs, size_t n)
{
    char text[32];
    for (size_t i = 0; i < n; i++) {
        weft_et_attr_format(&attrs[i], text, sizeof text);
        REQUIRE(memchr(text, '\0', sizeof text) != NULL);
        REQUIRE(weft_et_kind_name(attrs[i].kind) != NULL);
    }
}

static void check_job(const struct weft_workload *w)
{
    const struct weft_dag *d = &w->dags[0];
    uint64_t parents = 0, children = 0;
    for (uint32_t i = 0; i < d->nops; i++) {
        const struct weft_op *op = &d->ops[i];
        REQUIRE(i == 0 || d->ops[i - 1].id < op->id);
        REQUIRE(op->group < w->ngroups && op->duration_ps >= 0);
        REQUIRE(op->peer < RANKS && op->coll < WEFT_COLL_KINDS);
        parents += op->nparents;
        children += op->nchildren;
        for (uint32_t k = 0; k < op->nchildren; k++)
            REQUIRE(d->children[op->first_child + k] < d->nops);
    }
    REQUIRE(parents == children);
}

static int convert(const struct weft_et *et)
{
    struct weft_err err = {0};
    struct weft_workload *w = NULL;
    struct weft_convert *c = weft_convert_new(RANKS, NULL, &err);
    REQUIRE(c != NULL);
    int rc = weft_convert_rank(c, 0, et, &err);
    REQUIRE((rc == 0) == (err.code == 0) && (rc == 0 || err.msg[0] != '\0'));
    if (rc < 0) {
        weft_convert_free(c);
        return 0;
    }
    rc = weft_convert_finish(c, &w, &err);
    REQUIRE(rc == 0);
    check_job(w);
    weft_workload_free(w);
    return 1;
}

static void write_back(const struct weft_et *et, struct weft_arena *arena)
{
    struct buffer b = {0};
    struct weft_err err = {0};
    struct weft_et *back = NULL;
    REQUIRE(weft_chakra_encode(et, append, &b, &err) == 0);
    REQUIRE(weft_chakra_read_et_memory("again.et", b.data, b.size, arena, &back, &err) == 0);
    REQUIRE(back->nnodes == et->nnodes && back->nattrs == et->nattrs);
    for (size_t i = 0; i < et->nnodes; i++)
        REQUIRE(back->nodes[i].id == et->nodes[i].id && back->nodes[i].type == et->nodes[i].type &&
                back->nodes[i].nattrs == et->nodes[i].nattrs &&
                back->nodes[i].ndata_deps == et->nodes[i].ndata_deps);
    free(b.data);
}

enum weft_fuzz_depth weft_fuzz_chakra(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_et *et = NULL;
    struct weft_arena *arena = weft_arena_new();
    REQUIRE(arena != NULL);
    int rc = weft_chakra_read_et_memory("fuzz.et", data, size, arena, &et, &err);
    REQUIRE((rc == 0) == (err.code == 0) && (rc == 0 || err.msg[0] != '\0'));
    enum weft_fuzz_depth depth = WEFT_FUZZ_REFUSED;
    if (rc == 0) {
        print_attrs(et->attrs, et->nattrs);
        for (size_t i = 0; i < et->nnodes; i++)
            print_attrs(et->nodes[i].attrs, et->nodes[i].nattrs);
        write_back(et, arena);
        depth = convert(et) ? WEFT_FUZZ_CONVERTED : WEFT_FUZZ_READ;
    }
    weft_arena_free(arena);
    return depth;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weft_fuzz_chakra(data, size);
    return 0;
}
