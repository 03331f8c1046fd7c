/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace in memory to Chakra messages and files.
 *
 * Each message is built as protobuf-c structs in a scratch arena, packed and framed. The
 * oneof case of an attribute is its enum weft_et_kind, which is its field number.
 */
#include "workload/chakra_write.h"

#include "base/file.h"
#include "base/grow.h"
#include "base/rows.h"
#include "workload/chakra_stream.h"

#include "chakra.pb-c.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { SCRATCH_BYTES = 1 << 20 }; /* of messages before the scratch arena starts anew */

#define FILL_LIST(KIND, Type, init, member, field)                                                 \
    case WEFT_ET_LIST(KIND): {                                                                     \
        Type *list = weft_arena_alloc(arena, sizeof *list);                                        \
        if (!list)                                                                                 \
            return false;                                                                          \
        init(list);                                                                                \
        list->v = weft_arena_calloc(arena, in->nvalues, sizeof *list->v);                          \
        if (!list->v)                                                                              \
            return false;                                                                          \
        list->n_v = in->nvalues;                                                                   \
        for (size_t i = 0; i < in->nvalues; i++)                                                   \
            list->v[i] = (__typeof__(list->v[i]))in->values[i].field;                              \
        out->member = list;                                                                        \
        return true;                                                                               \
    }
#define FILL_NUMBER(KIND, Type, init, member, field)                                               \
    case KIND:                                                                                     \
        out->member = (__typeof__(out->member))in->value.field;                                    \
        return true;                                                                               \
        FILL_LIST(KIND, Type, init, member##_list, field)

static ProtobufCBinaryData binary(const union weft_et_scalar *v)
{
    return (ProtobufCBinaryData){v->text.len, (uint8_t *)(uintptr_t)v->text.data};
}

/** protobuf-c's structs are not const-correct; packing only reads. An empty text of a oneof is
 * still written. */
static char *chakra_write_text(const char *s)
{
    return (char *)(uintptr_t)s;
}

static bool fill_value(struct weft_arena *arena, const struct weft_et_attr *in, WeftPb__Attr *out)
{
    out->value_case = (WeftPb__Attr__ValueCase)in->kind;
    switch ((int)in->kind) {
        FILL_NUMBER(WEFT_ET_DOUBLE, WeftPb__DoubleList, weft_pb__double_list__init, f64, f64)
        FILL_NUMBER(WEFT_ET_FLOAT, WeftPb__FloatList, weft_pb__float_list__init, f32, f64)
        FILL_NUMBER(WEFT_ET_INT32, WeftPb__Int32List, weft_pb__int32_list__init, i32, i64)
        FILL_NUMBER(WEFT_ET_INT64, WeftPb__Int64List, weft_pb__int64_list__init, i64, i64)
        FILL_NUMBER(WEFT_ET_UINT32, WeftPb__Uint32List, weft_pb__uint32_list__init, u32, u64)
        FILL_NUMBER(WEFT_ET_UINT64, WeftPb__Uint64List, weft_pb__uint64_list__init, u64, u64)
        FILL_NUMBER(WEFT_ET_SINT32, WeftPb__Sint32List, weft_pb__sint32_list__init, s32, i64)
        FILL_NUMBER(WEFT_ET_SINT64, WeftPb__Sint64List, weft_pb__sint64_list__init, s64, i64)
        FILL_NUMBER(WEFT_ET_FIXED32, WeftPb__Fixed32List, weft_pb__fixed32_list__init, x32, u64)
        FILL_NUMBER(WEFT_ET_FIXED64, WeftPb__Fixed64List, weft_pb__fixed64_list__init, x64, u64)
        FILL_NUMBER(WEFT_ET_SFIXED32, WeftPb__Sfixed32List, weft_pb__sfixed32_list__init, sx32, i64)
        FILL_NUMBER(WEFT_ET_SFIXED64, WeftPb__Sfixed64List, weft_pb__sfixed64_list__init, sx64, i64)
        FILL_NUMBER(WEFT_ET_BOOL, WeftPb__BoolList, weft_pb__bool_list__init, b, u64)
    case WEFT_ET_STRING:
        out->str = chakra_write_text(in->value.text.data);
        return true;
    case WEFT_ET_BYTES:
        out->raw = binary(&in->value);
        return true;
    case WEFT_ET_LIST(WEFT_ET_STRING): {
        WeftPb__StringList *list = weft_arena_alloc(arena, sizeof *list);
        if (!list || !(out->str_list = list))
            return false;
        weft_pb__string_list__init(list);
        list->v = weft_arena_calloc(arena, in->nvalues, sizeof *list->v);
        list->n_v = in->nvalues;
        for (size_t i = 0; list->v && i < in->nvalues; i++)
            list->v[i] = chakra_write_text(in->values[i].text.data);
        return list->v != NULL;
    }
    case WEFT_ET_LIST(WEFT_ET_BYTES): {
        WeftPb__BytesList *list = weft_arena_alloc(arena, sizeof *list);
        if (!list || !(out->raw_list = list))
            return false;
        weft_pb__bytes_list__init(list);
        list->v = weft_arena_calloc(arena, in->nvalues, sizeof *list->v);
        list->n_v = in->nvalues;
        for (size_t i = 0; list->v && i < in->nvalues; i++)
            list->v[i] = binary(&in->values[i]);
        return list->v != NULL;
    }
    default:
        out->value_case = WEFT_PB__ATTR__VALUE__NOT_SET;
        return true;
    }
}

static bool fill_attrs(struct weft_arena *arena, const struct weft_et_attr *in, size_t n,
                       WeftPb__Attr ***out)
{
    WeftPb__Attr *attrs = weft_arena_calloc(arena, n, sizeof *attrs);
    *out = weft_arena_calloc(arena, n, sizeof **out);
    if (!attrs || !*out)
        return false;
    for (size_t i = 0; i < n; i++) {
        weft_pb__attr__init(&attrs[i]);
        attrs[i].name = chakra_write_text(in[i].name);
        attrs[i].doc = chakra_write_text(in[i].doc ? in[i].doc : "");
        (*out)[i] = &attrs[i];
        if (!fill_value(arena, &in[i], &attrs[i]))
            return false;
    }
    return true;
}

static WeftPb__Io *fill_io(const struct weft_et_io *in, WeftPb__Io *out)
{
    if (!in->present)
        return NULL;
    weft_pb__io__init(out);
    out->values = chakra_write_text(in->values ? in->values : "");
    out->shapes = chakra_write_text(in->shapes ? in->shapes : "");
    out->types = chakra_write_text(in->types ? in->types : "");
    return out;
}

/** One message being framed; the buffer is reused. */
struct encoder {
    weft_chakra_put_fn put;
    void *ctx;
    uint8_t *buf;
    size_t cap;
};

/* A message and @p n bytes of fields behind it that it doesn't know. */
static int put_message(struct encoder *e, const ProtobufCMessage *msg, const uint8_t *others,
                       size_t n, struct weft_err *err)
{
    const size_t size = protobuf_c_message_get_packed_size(msg) + n;
    if (size > WEFT_CHAKRA_MESSAGE_MAX)
        return weft_err_set(err, WEFT_E_LIMIT,
                            "a message of %zu bytes is over the limit of %" PRIu32, size,
                            (uint32_t)WEFT_CHAKRA_MESSAGE_MAX);
    if (!WEFT_GROW_TO(e->buf, size + 5, &e->cap))
        return weft_err_no_memory(err, "a trace");
    size_t used = 0;
    size_t rest = size;
    for (; rest > 0x7f; rest >>= 7)
        e->buf[used++] = (uint8_t)(rest | 0x80);
    e->buf[used++] = (uint8_t)rest;
    used += protobuf_c_message_pack(msg, e->buf + used);
    if (n)
        memcpy(e->buf + used, others, n);
    used += n;
    return e->put(e->ctx, e->buf, used, err);
}

static int put_header(struct encoder *e, const struct weft_et *et, struct weft_arena *arena,
                      struct weft_err *err)
{
    WeftPb__Header h;
    weft_pb__header__init(&h);
    h.version = chakra_write_text(et->version ? et->version : "");
    h.n_attr = et->nattrs;
    if (!fill_attrs(arena, et->attrs, et->nattrs, &h.attr))
        return weft_err_no_memory(err, "a trace");
    return put_message(e, &h.base, NULL, 0, err);
}

static int put_node(struct encoder *e, const struct weft_et_node *in, struct weft_arena *arena,
                    struct weft_err *err)
{
    WeftPb__Node n;
    WeftPb__Io inputs, outputs;
    weft_pb__node__init(&n);
    n.id = in->id;
    n.name = chakra_write_text(in->name ? in->name : "");
    n.type = in->type;
    n.n_ctrl_deps = in->nctrl_deps;
    n.ctrl_deps = (uint64_t *)(uintptr_t)in->ctrl_deps;
    n.n_data_deps = in->ndata_deps;
    n.data_deps = (uint64_t *)(uintptr_t)in->data_deps;
    n.start_us = in->start_us;
    n.duration_us = in->duration_us;
    n.inputs = fill_io(&in->inputs, &inputs);
    n.outputs = fill_io(&in->outputs, &outputs);
    n.n_attr = in->nattrs;
    if (!fill_attrs(arena, in->attrs, in->nattrs, &n.attr))
        return weft_err_no_memory(err, "a trace");
    return put_message(e, &n.base, in->others, in->nothers, err);
}

int weft_chakra_encode(const struct weft_et *et, weft_chakra_put_fn put, void *ctx,
                       struct weft_err *err)
{
    struct encoder e = {.put = put, .ctx = ctx};
    struct weft_arena *arena = weft_arena_new();
    int rc = arena ? put_header(&e, et, arena, err) : weft_err_no_memory(err, "a trace");
    for (size_t i = 0; rc == 0 && i < et->nnodes; i++) {
        if (weft_arena_used(arena) > SCRATCH_BYTES) {
            weft_arena_free(arena);
            arena = weft_arena_new();
        }
        rc = arena ? put_node(&e, &et->nodes[i], arena, err) : weft_err_no_memory(err, "a trace");
    }
    weft_arena_free(arena);
    free(e.buf);
    return rc;
}

/** A file of messages, one of plain and gz is set. */
struct out_file {
    const char *path;
    struct weft_rows *plain;
    gzFile gz;
};

static int gz_failed(const struct out_file *f, struct weft_err *err)
{
    return errno ? weft_file_error(err, f->path, "write", errno)
                 : weft_err_at(err, WEFT_E_IO, f->path, 0, 0, "cannot write: zlib failed");
}

static int put_file(void *ctx, const void *data, size_t size, struct weft_err *err)
{
    struct out_file *f = ctx;
    if (f->plain) {
        weft_rows_put(f->plain, data, size);
        return weft_rows_end(f->plain, err);
    }
    errno = 0;
    return gzwrite(f->gz, data, (unsigned)size) == (int)size ? 0 : gz_failed(f, err);
}

static int chakra_write_open_file(struct out_file *f, struct weft_err *err)
{
    const size_t len = strlen(f->path);
    if (len <= 3 || strcmp(f->path + len - 3, ".gz") != 0) {
        f->plain = weft_rows_open(f->path, err);
        return f->plain ? 0 : err->code;
    }
    errno = 0;
    f->gz = gzopen(f->path, "wb6");
    return f->gz ? 0 : gz_failed(f, err);
}

static int close_file(struct out_file *f, struct weft_err *err)
{
    if (f->plain)
        return weft_rows_close(f->plain, err);
    errno = 0;
    return gzclose(f->gz) == Z_OK ? 0 : gz_failed(f, err);
}

int weft_chakra_write_et(const struct weft_et *et, const char *path, struct weft_err *err)
{
    struct out_file f = {.path = path};
    int rc = chakra_write_open_file(&f, err);
    if (rc)
        return rc;
    rc = weft_chakra_encode(et, put_file, &f, err);
    const int closed = close_file(&f, rc ? NULL : err);
    return rc ? rc : closed;
}
