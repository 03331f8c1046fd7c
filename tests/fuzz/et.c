/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Execution traces: an input either is an error with a message, or a trace that can be printed,
 * converted (or refused with a message) and written, and whose written form reads back with as many
 * nodes.
 */
#include "target.h"

#include "workload/chakra_json.h"
#include "workload/chakra_read.h"
#include "workload/chakra_write.h"
#include "workload/convert.h"

#include <string.h>

enum { RANKS = 4 };

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

static void convert(const struct weft_et *et)
{
    struct weft_err err = {0};
    struct weft_workload *w = NULL;
    struct weft_convert *c = weft_convert_new(RANKS, NULL, &err);
    REQUIRE(c != NULL);
    if (!weft_fuzz_ok(weft_convert_rank(c, 0, et, &err), &err)) {
        weft_convert_free(c);
        return;
    }
    REQUIRE(weft_convert_finish(c, &w, &err) == 0);
    check_job(w);
    weft_workload_free(w);
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

void weft_fuzz_et(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_et *et = NULL;
    struct weft_arena *arena = weft_arena_new();
    REQUIRE(arena != NULL);
    if (weft_fuzz_ok(weft_chakra_read_et_memory("fuzz.et", data, size, arena, &et, &err), &err)) {
        print_attrs(et->attrs, et->nattrs);
        for (size_t i = 0; i < et->nnodes; i++)
            print_attrs(et->nodes[i].attrs, et->nodes[i].nattrs);
        write_back(et, arena);
        convert(et);
    }
    weft_arena_free(arena);
}

/* JSON of any form: what is read can be written as JSON, and that is read as the same. */
void weft_fuzz_chakra_json(const uint8_t *data, size_t size)
{
    struct weft_arena *a = weft_arena_new();
    struct weft_et *et = NULL, *back = NULL;
    struct weft_err err = {0};
    char *text = weft_fuzz_text(data, size), *json = NULL;
    size_t n = 0;
    REQUIRE(a && text);
    if (weft_fuzz_ok(weft_chakra_json_read("x.json", text, size, a, &et, &err), &err)) {
        FILE *f = open_memstream(&json, &n);
        REQUIRE(f && weft_chakra_json_write(et, f, "y.json", &err) == 0);
        fclose(f);
        REQUIRE(weft_chakra_json_read("y.json", json, n, a, &back, &err) == 0);
        REQUIRE(back->nnodes == et->nnodes && back->nattrs == et->nattrs);
        free(json);
    }
    free(text);
    weft_arena_free(a);
}
