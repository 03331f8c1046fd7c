/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chakra messages to a trace in memory.
 *
 * protobuf-c decodes (packed and unpacked repeats, unknown fields skipped); this file copies the
 * result into the arena. The oneof case of an attribute is its field number, which is also
 * enum weft_et_kind.
 *
 * Records of a few bytes make structs of hundreds, and gzip packs such records a thousand to one:
 * what the trace and the message being decoded take is held against the size of the file
 * (budget.h).
 */
#include "workload/chakra_read.h"

#include "base/budget.h"
#include "base/file.h"
#include "workload/chakra_json.h"
#include "workload/chakra_older.h"
#include "workload/chakra_stream.h"

#include "chakra.pb-c.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** What goes through the reading of one file. */
struct reader {
    struct weft_chakra_stream *s;
    struct weft_arena *arena;
    size_t before; /* bytes of the arena in use before */
    struct weft_et *et;
    size_t cap; /* nodes of et */
    enum weft_chakra_schema schema;
    bool older; /* found out while it was read as one of today's: to be read again */
    struct weft_err *err;
};

/** Memory that protobuf-c takes for one message, up to what is left. */
struct room {
    uint64_t left;
    bool over, failed; /* more than that was asked for; the system had none */
};

static void *room_alloc(void *data, size_t size)
{
    struct room *room = data;
    const uint64_t need = (uint64_t)size + 2 * sizeof(void *);
    if (need > room->left) {
        room->over = true;
        return NULL;
    }
    room->left -= need;
    void *p = malloc(size);
    room->failed = p == NULL;
    return p;
}

static void room_free(void *data, void *p)
{
    free(p);
}

/** Bytes that the trace may still take. */
static uint64_t left(const struct reader *r)
{
    const uint64_t most = weft_budget(weft_chakra_taken(r->s)),
                   used = weft_arena_used(r->arena) - r->before;
    return used < most ? most - used : 0;
}

static int too_large(const struct reader *r, int64_t offset)
{
    const uint64_t taken = weft_chakra_taken(r->s);
    return weft_chakra_err(r->s, r->err, WEFT_E_LIMIT, offset,
                           "the first %" PRIu64 " bytes of the file take more than %" PRIu64
                           " MiB of memory, over %u times as much%s",
                           taken, weft_budget(taken) >> 20, (unsigned)WEFT_BUDGET_FACTOR,
                           weft_chakra_is_gzip(r->s) ? "; if it is meant to, unpack it with gunzip"
                                                     : ": damaged");
}

static const char *dup_text(struct weft_arena *arena, const char *s)
{
    return s && *s ? weft_arena_strdup(arena, s) : "";
}

static bool set_bytes(struct weft_arena *arena, union weft_et_scalar *v, const void *data,
                      size_t len)
{
    v->text.data = "";
    v->text.len = len;
    if (len == 0)
        return true;
    char *copy = weft_arena_alloc(arena, len + 1);
    if (!copy)
        return false;
    memcpy(copy, data, len);
    v->text.data = copy;
    return true;
}

/* case LIST: allocate the values and write CONVERT (a cast, an operator or nothing) before each. */
#define COPY_LIST(KIND, member, field, CONVERT)                                                    \
    case WEFT_ET_LIST(KIND): {                                                                     \
        size_t n = in->member->n_v;                                                                \
        union weft_et_scalar *v = weft_arena_calloc(arena, n, sizeof *v);                          \
        if (!v)                                                                                    \
            return false;                                                                          \
        for (size_t i = 0; i < n; i++)                                                             \
            v[i].field = CONVERT in->member->v[i];                                                 \
        out->values = v;                                                                           \
        out->nvalues = n;                                                                          \
        return true;                                                                               \
    }
#define COPY_NUMBER(KIND, member, field, CONVERT)                                                  \
    case KIND:                                                                                     \
        out->value.field = CONVERT in->member;                                                     \
        return true;                                                                               \
        COPY_LIST(KIND, member##_list, field, CONVERT)

static bool copy_value(struct weft_arena *arena, const WeftPb__Attr *in, struct weft_et_attr *out)
{
    switch ((int)in->value_case) {
        COPY_NUMBER(WEFT_ET_DOUBLE, f64, f64, )
        COPY_NUMBER(WEFT_ET_FLOAT, f32, f64, (double))
        COPY_NUMBER(WEFT_ET_INT32, i32, i64, )
        COPY_NUMBER(WEFT_ET_INT64, i64, i64, )
        COPY_NUMBER(WEFT_ET_UINT32, u32, u64, )
        COPY_NUMBER(WEFT_ET_UINT64, u64, u64, )
        COPY_NUMBER(WEFT_ET_SINT32, s32, i64, )
        COPY_NUMBER(WEFT_ET_SINT64, s64, i64, )
        COPY_NUMBER(WEFT_ET_FIXED32, x32, u64, )
        COPY_NUMBER(WEFT_ET_FIXED64, x64, u64, )
        COPY_NUMBER(WEFT_ET_SFIXED32, sx32, i64, )
        COPY_NUMBER(WEFT_ET_SFIXED64, sx64, i64, )
        COPY_NUMBER(WEFT_ET_BOOL, b, u64, !!)
    case WEFT_ET_STRING:
        return set_bytes(arena, &out->value, in->str, strlen(in->str));
    case WEFT_ET_BYTES:
        return set_bytes(arena, &out->value, in->raw.data, in->raw.len);
    case WEFT_ET_LIST(WEFT_ET_STRING):
    case WEFT_ET_LIST(WEFT_ET_BYTES): {
        bool str = in->value_case == (int)WEFT_ET_LIST(WEFT_ET_STRING);
        size_t n = str ? in->str_list->n_v : in->raw_list->n_v;
        union weft_et_scalar *v = weft_arena_calloc(arena, n, sizeof *v);
        if (!v)
            return false;
        for (size_t i = 0; i < n; i++) {
            const void *data =
                str ? (const void *)in->str_list->v[i] : (const void *)in->raw_list->v[i].data;
            size_t len = str ? strlen(in->str_list->v[i]) : in->raw_list->v[i].len;
            if (!set_bytes(arena, &v[i], data, len))
                return false;
        }
        out->values = v;
        out->nvalues = n;
        return true;
    }
    default:
        return true; /* no value */
    }
}

static bool copy_attrs(struct weft_arena *arena, WeftPb__Attr *const *in, size_t n,
                       struct weft_et_attr **out)
{
    *out = weft_arena_calloc(arena, n, sizeof **out);
    if (!*out)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct weft_et_attr *a = &(*out)[i];
        a->name = dup_text(arena, in[i]->name);
        a->doc = dup_text(arena, in[i]->doc);
        a->kind = (enum weft_et_kind)in[i]->value_case;
        if (!a->name || !a->doc || !copy_value(arena, in[i], a))
            return false;
    }
    return true;
}

static bool copy_io(struct weft_arena *arena, const WeftPb__Io *in, struct weft_et_io *out)
{
    out->present = in != NULL;
    out->values = dup_text(arena, in ? in->values : "");
    out->shapes = dup_text(arena, in ? in->shapes : "");
    out->types = dup_text(arena, in ? in->types : "");
    return out->values && out->shapes && out->types;
}

static bool copy_deps(struct weft_arena *arena, const uint64_t *in, size_t n, const uint64_t **out)
{
    uint64_t *copy = weft_arena_calloc(arena, n, sizeof *copy);
    if (copy && n > 0)
        memcpy(copy, in, n * sizeof *copy);
    *out = copy;
    return copy != NULL;
}

/* Whether all fields that the schema doesn't have are numbered from 1 to 2^29 - 1, as protobuf's
 * are: protobuf-c also takes keys of more than 32 bits. */
static bool others_have_numbers(const ProtobufCMessage *in)
{
    for (unsigned i = 0; i < in->n_unknown_fields; i++)
        if (in->unknown_fields[i].tag == 0 || in->unknown_fields[i].tag >= UINT32_C(1) << 29)
            return false;
    return true;
}

/* What the schema doesn't have, on the wire again: a key and the value behind it. */
static bool copy_others(struct weft_arena *arena, const ProtobufCMessage *in,
                        struct weft_et_node *out)
{
    size_t n = 0;
    if (in->n_unknown_fields == 0)
        return true;
    for (unsigned i = 0; i < in->n_unknown_fields; i++)
        n += in->unknown_fields[i].len + 5;
    uint8_t *p = weft_arena_alloc(arena, n);
    out->others = p;
    for (unsigned i = 0; p && i < in->n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *f = &in->unknown_fields[i];
        uint32_t key = f->tag << 3 | (uint32_t)f->wire_type;
        for (; key > 0x7f; key >>= 7)
            *p++ = (uint8_t)(key | 0x80);
        *p++ = (uint8_t)key;
        memcpy(p, f->data, f->len);
        p += f->len;
    }
    out->nothers = p ? (size_t)(p - out->others) : 0;
    return p != NULL;
}

static bool copy_node(struct weft_arena *arena, const WeftPb__Node *in, struct weft_et_node *out)
{
    out->id = in->id;
    out->name = dup_text(arena, in->name);
    out->type = in->type;
    out->nctrl_deps = in->n_ctrl_deps;
    out->ndata_deps = in->n_data_deps;
    out->start_us = in->start_us;
    out->duration_us = in->duration_us;
    out->nattrs = in->n_attr;
    return out->name && copy_deps(arena, in->ctrl_deps, in->n_ctrl_deps, &out->ctrl_deps) &&
           copy_deps(arena, in->data_deps, in->n_data_deps, &out->data_deps) &&
           copy_io(arena, in->inputs, &out->inputs) && copy_io(arena, in->outputs, &out->outputs) &&
           copy_attrs(arena, in->attr, in->n_attr, &out->attrs) &&
           copy_others(arena, &in->base, out);
}

/** Schemas before 0.0.4 put other things where 0.0.4 has the version text. */
static bool is_version_text(const char *s)
{
    for (; *s; s++)
        if (!isprint((unsigned char)*s))
            return false;
    return true;
}

/** Why a message could not be decoded: out of room, else 0 when it is not what it should be. */
static int out_of_room(const struct reader *r, const struct room *room, int64_t offset)
{
    return room->over     ? too_large(r, offset)
           : room->failed ? weft_err_no_memory(r->err, "a trace")
                          : 0;
}

static int chakra_decode_read_header(struct reader *r, const uint8_t *data, size_t size,
                                     int64_t offset)
{
    struct room room = {.left = left(r)};
    ProtobufCAllocator allocator = {room_alloc, room_free, &room};
    WeftPb__Header *h = weft_pb__header__unpack(&allocator, size, data);
    if (!h && out_of_room(r, &room, offset))
        return WEFT_E_LIMIT;
    if (!h || !is_version_text(h->version)) {
        if (h)
            weft_pb__header__free_unpacked(h, &allocator);
        r->older = weft_chakra_is_older_header(data, size) || (size > 0 && data[0] == 0x08);
        return weft_chakra_err(r->s, r->err, WEFT_E_INPUT, offset,
                               "the first message is not the metadata of a Chakra trace of "
                               "version 0.0.4 or 1.0.0, nor a node of 0.0.1 to 0.0.3");
    }
    r->et->version = dup_text(r->arena, h->version);
    r->et->nattrs = h->n_attr;
    bool ok = r->et->version && copy_attrs(r->arena, h->attr, h->n_attr, &r->et->attrs);
    weft_pb__header__free_unpacked(h, &allocator);
    return ok ? 0 : weft_err_no_memory(r->err, "a trace");
}

/** Appends a node to an array that grows in the arena, leaving its shorter versions behind. */
static int chakra_decode_add_node(struct reader *r, struct weft_et_node **node)
{
    struct weft_et *et = r->et;
    if (et->nnodes == r->cap) {
        size_t n = r->cap ? r->cap * 2 : 16;
        struct weft_et_node *p = weft_arena_calloc(r->arena, n, sizeof *p);
        if (!p)
            return weft_err_no_memory(r->err, "a trace");
        for (size_t i = 0, step = 65536; i < et->nnodes; i += step) {
            size_t rest = et->nnodes - i;
            memcpy(p + i, et->nodes + i, (rest < step ? rest : step) * sizeof *p);
            weft_arena_relax(r->arena); /* either copy may lie in a file */
        }
        et->nodes = p;
        r->cap = n;
    }
    *node = &et->nodes[et->nnodes++];
    memset(*node, 0, sizeof **node);
    return 0;
}

static int read_older_node(struct reader *r, struct weft_et_node *node, const uint8_t *data,
                           size_t size, int64_t offset)
{
    /* a value on the wire takes two bytes or more, and a hundred in memory */
    if ((uint64_t)size * 64 > left(r))
        return too_large(r, offset);
    if (!weft_chakra_older_node(data, size, r->schema, r->arena, node))
        return weft_chakra_err(r->s, r->err, WEFT_E_INPUT, offset,
                               "this message of %zu bytes is not a node of Chakra %s: damaged here",
                               size, weft_chakra_schema_name(r->schema));
    return 0;
}

static int read_node(struct reader *r, const uint8_t *data, size_t size, int64_t offset)
{
    struct weft_et_node *node = NULL;
    int rc = chakra_decode_add_node(r, &node);
    if (rc < 0)
        return rc;
    node->offset = offset;
    if (r->schema != WEFT_CHAKRA_CURRENT)
        return read_older_node(r, node, data, size, offset);
    if (r->et->nnodes == 1 && !*r->et->version && !r->et->nattrs &&
        weft_chakra_node_schema(data, size) != WEFT_CHAKRA_UNKNOWN) {
        r->older = true; /* 0.0.3 with empty metadata */
        return weft_chakra_err(r->s, r->err, WEFT_E_INPUT, offset, "a node of an older version");
    }
    struct room room = {.left = left(r)};
    ProtobufCAllocator allocator = {room_alloc, room_free, &room};
    WeftPb__Node *in = weft_pb__node__unpack(&allocator, size, data);
    if (in && !others_have_numbers(&in->base)) {
        weft_pb__node__free_unpacked(in, &allocator);
        in = NULL;
    }
    if (!in && out_of_room(r, &room, offset))
        return WEFT_E_LIMIT;
    if (!in)
        return weft_chakra_err(r->s, r->err, WEFT_E_INPUT, offset,
                               "this message of %zu bytes is not a Chakra node: not a Chakra "
                               "trace, or damaged here",
                               size);
    bool ok = copy_node(r->arena, in, node);
    weft_pb__node__free_unpacked(in, &allocator);
    return ok ? 0 : weft_err_no_memory(r->err, "a trace");
}

/* What schema the nodes of an older file show: the first that shows one. */
static int find_schema(struct weft_chakra_stream *s, enum weft_chakra_schema *schema,
                       struct weft_err *err)
{
    const uint8_t *data;
    size_t size;
    int64_t offset;
    int rc;
    *schema = WEFT_CHAKRA_UNKNOWN;
    while (*schema == WEFT_CHAKRA_UNKNOWN &&
           (rc = weft_chakra_next(s, &data, &size, &offset, err)) == 1)
        *schema = weft_chakra_is_older_header(data, size) ? WEFT_CHAKRA_0_0_3
                                                          : weft_chakra_node_schema(data, size);
    if (*schema != WEFT_CHAKRA_UNKNOWN)
        return 0;
    return rc < 0 ? rc
                  : weft_chakra_err(s, err, WEFT_E_INPUT, 0,
                                    "this is no Chakra trace of version 0.0.4 or 1.0.0, and no "
                                    "node shows which older one it is");
}

/* Reads the messages of an older file, the first of which may be metadata. */
static int read_older(struct reader *r)
{
    const uint8_t *data;
    size_t size;
    int64_t offset;
    int rc = weft_chakra_next(r->s, &data, &size, &offset, r->err);
    r->et->version = "0.0.4";
    if (rc == 1 && (size == 0 || weft_chakra_is_older_header(data, size))) {
        if (size && (uint64_t)size * 64 > left(r))
            return too_large(r, offset);
        rc = weft_chakra_older_header(data, size, r->arena, r->et)
                 ? 1
                 : weft_err_no_memory(r->err, "a trace");
    } else if (rc == 1) {
        rc = read_node(r, data, size, offset);
    }
    while (rc >= 0 && (rc = weft_chakra_next(r->s, &data, &size, &offset, r->err)) == 1)
        rc = read_node(r, data, size, offset);
    return rc;
}

static int read_messages(struct reader *r)
{
    const uint8_t *data;
    size_t size;
    int64_t offset;
    int rc = weft_chakra_next(r->s, &data, &size, &offset, r->err);
    if (rc == 0)
        return weft_chakra_err(r->s, r->err, WEFT_E_INPUT, 0,
                               "the file is empty: a Chakra trace starts with a metadata message");
    if (rc == 1)
        rc = chakra_decode_read_header(r, data, size, offset);
    while (rc >= 0 && (rc = weft_chakra_next(r->s, &data, &size, &offset, r->err)) == 1)
        rc = read_node(r, data, size, offset);
    return rc;
}

/* Where a trace comes from: it may have to be opened again. */
struct source {
    const char *name;
    const void *data; /* NULL: a file */
    size_t size;
};

static struct weft_chakra_stream *open_source(const struct source *from, struct weft_err *err)
{
    return from->data ? weft_chakra_open_memory(from->name, from->data, from->size, err)
                      : weft_chakra_open(from->name, err);
}

/* Reads a source as one of today's, or as one of r->schema. */
static int read_as(struct reader *r, const struct source *from, struct weft_et **out)
{
    struct weft_arena *arena = r->arena;
    r->s = open_source(from, r->err);
    if (!r->s)
        return r->err->code;
    r->et = weft_arena_alloc(arena, sizeof *r->et);
    r->cap = 0;
    if (!r->et || !(r->et->file = weft_arena_strdup(arena, from->name))) {
        weft_chakra_close(r->s);
        return weft_err_no_memory(r->err, "a trace");
    }
    r->et->arena = arena;
    r->et->older = weft_chakra_schema_name(r->schema);
    r->et->gzip = weft_chakra_is_gzip(r->s);
    int rc = r->schema == WEFT_CHAKRA_CURRENT ? read_messages(r) : read_older(r);
    if (rc == 0 && weft_et_is_blank(r->et))
        rc = weft_chakra_err(r->s, r->err, WEFT_E_INPUT, 0, WEFT_ET_BLANK);
    r->et->file_bytes = weft_chakra_taken(r->s);
    weft_chakra_close(r->s);
    if (rc == 0)
        *out = r->et;
    return rc;
}

static int read_source(const struct source *from, struct weft_arena *arena, struct weft_et **out,
                       struct weft_err *err)
{
    struct weft_err local = {0};
    struct reader r = {.arena = arena, .before = weft_arena_used(arena), .err = err ? err : &local};
    int rc = read_as(&r, from, out);
    if (!r.older)
        return rc;
    *r.err = (struct weft_err){0};
    struct weft_chakra_stream *s = open_source(from, r.err);
    rc = s ? find_schema(s, &r.schema, r.err) : r.err->code;
    weft_chakra_close(s);
    return rc < 0 ? rc : read_as(&r, from, out);
}

/* Whether the file at @p path is JSON; false also when it can't be read. */
static bool is_json_file(const char *path)
{
    uint8_t head[64];
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f)
        fclose(f);
    return weft_chakra_is_json(head, n);
}

static int read_json_file(const char *path, struct weft_arena *arena, struct weft_et **out,
                          struct weft_err *err)
{
    char *text;
    size_t size;
    int rc = weft_file_read(path, WEFT_CHAKRA_JSON_MAX, &text, &size, err);
    if (rc)
        return rc;
    rc = weft_chakra_json_read(path, text, size, arena, out, err);
    free(text);
    return rc;
}

int weft_chakra_read_et(const char *path, struct weft_arena *arena, struct weft_et **out,
                        struct weft_err *err)
{
    if (weft_file_is_regular(path) && is_json_file(path))
        return read_json_file(path, arena, out, err);
    const struct source from = {path, NULL, 0};
    return read_source(&from, arena, out, err);
}

int weft_chakra_read_et_memory(const char *name, const void *data, size_t size,
                               struct weft_arena *arena, struct weft_et **out, struct weft_err *err)
{
    if (weft_chakra_is_json(data, size))
        return weft_chakra_json_read(name, data, size, arena, out, err);
    const struct source from = {name, data ? data : "", size};
    return read_source(&from, arena, out, err);
}
