/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads messages of Chakra schemas before 0.0.4 as nodes and attributes of the present schema. The
 * protobuf wire format is decoded by hand, since these schemas are few and closed.
 */
#include "workload/chakra_older.h"

#include <string.h>

/* One field of a message. */
struct field {
    unsigned number, wire; /* 0 varint, 1 eight bytes, 2 bytes, 5 four bytes */
    uint64_t value;
    const uint8_t *data;
    size_t size;
};
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

struct message {
    const uint8_t *p, *end;
};

static bool varint(struct message *m, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && m->p < m->end; shift += 7) {
        const uint8_t byte = *m->p++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* The next field: 1; 0 at the end; -1: this is no message. */
static int chakra_older_next(struct message *m, struct field *f)
{
    uint64_t tag;
    size_t n;
    if (m->p == m->end)
        return 0;
    if (!varint(m, &tag) || tag >> 3 == 0 || tag >> 3 > 64)
        return -1;
    *f = (struct field){.number = (unsigned)(tag >> 3), .wire = (unsigned)(tag & 7)};
    switch (f->wire) {
    case VARINT:
        return varint(m, &f->value) ? 1 : -1;
    case FIXED64:
    case FIXED32:
        n = f->wire == FIXED64 ? 8 : 4;
        if ((size_t)(m->end - m->p) < n)
            return -1;
        for (size_t i = 0; i < n; i++)
            f->value |= (uint64_t)m->p[i] << 8 * i;
        m->p += n;
        return 1;
    case BYTES:
        if (!varint(m, &f->value) || f->value > (uint64_t)(m->end - m->p))
            return -1;
        f->data = m->p;
        f->size = (size_t)f->value;
        m->p += f->size;
        return 1;
    default:
        return -1;
    }
}

/*
 * Values of attributes: type and field number tell schema and meaning, so that no two rows agree in
 * both and in the wire type (INT of the first 0.0.3 and UINT of the second are the same number).
 */
static const struct value {
    unsigned type, number, wire;
    enum weft_et_kind kind; /* of one value */
    bool list;
    enum weft_chakra_schema schema; /* UNKNOWN: of several */
} values[] = {
    {0, 4, FIXED32, WEFT_ET_FLOAT, false, WEFT_CHAKRA_0_0_2},
    {1, 5, VARINT, WEFT_ET_INT64, false, WEFT_CHAKRA_0_0_2},
    {2, 6, BYTES, WEFT_ET_STRING, false, WEFT_CHAKRA_0_0_2},
    {3, 7, FIXED32, WEFT_ET_FLOAT, true, WEFT_CHAKRA_0_0_2},
    {4, 8, VARINT, WEFT_ET_INT64, true, WEFT_CHAKRA_UNKNOWN}, /* or the first 0.0.3's BOOLS */
    {5, 9, BYTES, WEFT_ET_STRING, true, WEFT_CHAKRA_0_0_2},
    {0, 4, VARINT, WEFT_ET_BOOL, false, WEFT_CHAKRA_0_0_3},
    {1, 5, FIXED32, WEFT_ET_FLOAT, false, WEFT_CHAKRA_0_0_3},
    {2, 6, VARINT, WEFT_ET_INT64, false, WEFT_CHAKRA_0_0_3},
    {3, 7, BYTES, WEFT_ET_STRING, false, WEFT_CHAKRA_0_0_3},
    {5, 9, FIXED32, WEFT_ET_FLOAT, true, WEFT_CHAKRA_0_0_3},
    {6, 10, VARINT, WEFT_ET_INT64, true, WEFT_CHAKRA_0_0_3},
    {7, 11, BYTES, WEFT_ET_STRING, true, WEFT_CHAKRA_0_0_3},
    {3, 7, VARINT, WEFT_ET_INT64, false, WEFT_CHAKRA_0_0_3},
    {4, 8, BYTES, WEFT_ET_STRING, false, WEFT_CHAKRA_0_0_3},
    {5, 9, VARINT, WEFT_ET_BOOL, true, WEFT_CHAKRA_0_0_3},
    {6, 10, FIXED32, WEFT_ET_FLOAT, true, WEFT_CHAKRA_0_0_3},
    {7, 11, VARINT, WEFT_ET_UINT64, true, WEFT_CHAKRA_0_0_3},
    {8, 12, VARINT, WEFT_ET_INT64, true, WEFT_CHAKRA_0_0_3},
    {9, 13, BYTES, WEFT_ET_STRING, true, WEFT_CHAKRA_0_0_3},
};
enum { NVALUES = sizeof values / sizeof values[0] };

static const struct value *find_value(uint64_t type, const struct field *f)
{
    for (size_t i = 0; i < NVALUES; i++)
        if (values[i].type == type && values[i].number == f->number && values[i].wire == f->wire)
            return &values[i];
    return NULL;
}

/* Looks through an attribute: its name and type are there, and its values are of that type. */
static bool chakra_older_look(const uint8_t *data, size_t size, struct field *name,
                              struct field *doc, const struct value **value, size_t *nvalues)
{
    struct message m = {data, data + size};
    struct field f;
    uint64_t type = UINT64_MAX;
    int rc;
    *name = *doc = (struct field){0};
    *value = NULL;
    *nvalues = 0;
    while ((rc = chakra_older_next(&m, &f)) == 1) {
        if (f.number == 1 && f.wire == BYTES)
            *name = f;
        else if (f.number == 2 && f.wire == VARINT)
            type = f.value;
        else if (f.number == 3 && f.wire == BYTES)
            *doc = f;
        else if (type == UINT64_MAX)
            return false;
    }
    if (rc < 0 || !name->data || type > 9)
        return false;
    for (m.p = data; chakra_older_next(&m, &f) == 1;) {
        if (f.number < 4)
            continue;
        const struct value *v = find_value(type, &f);
        if (!v || (*value && v != *value))
            return false;
        *value = v;
        ++*nvalues;
    }
    return true;
}

static const char *chakra_older_text(struct weft_arena *a, const uint8_t *data, size_t size)
{
    return size && !memchr(data, 0, size) ? weft_arena_strndup(a, (const char *)data, size)
           : size                         ? NULL
                                          : "";
}

static bool set_scalar(struct weft_arena *a, const struct field *f, enum weft_et_kind kind,
                       union weft_et_scalar *out)
{
    float real;
    const uint32_t bits = (uint32_t)f->value;
    switch (weft_et_kind_class(kind)) {
    case WEFT_ET_CLASS_REAL:
        memcpy(&real, &bits, sizeof real);
        out->f64 = (double)real;
        return true;
    case WEFT_ET_CLASS_TEXT:
        out->text.data = chakra_older_text(a, f->data, f->size);
        out->text.len = f->size;
        return out->text.data != NULL;
    default:
        out->u64 = kind == WEFT_ET_BOOL ? f->value != 0 : f->value;
        return true;
    }
}

static bool read_attr(struct weft_arena *a, const struct field *in, struct weft_et_attr *out)
{
    struct field name, doc, f;
    const struct value *value;
    size_t n, i = 0;
    if (!chakra_older_look(in->data, in->size, &name, &doc, &value, &n))
        return false;
    out->name = chakra_older_text(a, name.data, name.size);
    out->doc = chakra_older_text(a, doc.data, doc.size);
    if (!out->name || !out->doc || !value)
        return out->name && out->doc;
    out->kind = value->list ? WEFT_ET_LIST(value->kind) : value->kind;
    union weft_et_scalar *list =
        value->list ? (union weft_et_scalar *)weft_arena_calloc(a, n, sizeof *list) : &out->value;
    if (!list)
        return false;
    struct message m = {in->data, in->data + in->size};
    while (chakra_older_next(&m, &f) == 1)
        if (f.number >= 4 && !set_scalar(a, &f, value->kind, &list[value->list ? i++ : 0]))
            return false;
    out->values = value->list ? list : NULL;
    out->nvalues = value->list ? n : 0;
    return true;
}

const char *weft_chakra_schema_name(enum weft_chakra_schema schema)
{
    static const char *const names[] = {"", "0.0.1", "0.0.2", "0.0.3", ""};
    return names[schema];
}

enum weft_chakra_schema weft_chakra_node_schema(const uint8_t *data, size_t size)
{
    struct message m = {data, data + size};
    struct field f, name, doc;
    const struct value *value;
    bool id = false, named = false, flat = false, attrs = false;
    enum weft_chakra_schema found = WEFT_CHAKRA_UNKNOWN;
    size_t n;
    int rc;
    while ((rc = chakra_older_next(&m, &f)) == 1) {
        id = id || (f.number == 1 && f.wire == VARINT);
        named = named || (f.number == 2 && f.wire == BYTES);
        flat = flat || (f.number >= 8 && f.number <= 20 && f.wire == VARINT);
        if (f.number != 11 || f.wire != BYTES)
            continue;
        if (!chakra_older_look(f.data, f.size, &name, &doc, &value, &n))
            return WEFT_CHAKRA_UNKNOWN;
        attrs = true;
        if (value && value->schema != WEFT_CHAKRA_UNKNOWN)
            found = value->schema;
    }
    if (rc < 0 || !id || !named || (flat && attrs))
        return WEFT_CHAKRA_UNKNOWN;
    return flat ? WEFT_CHAKRA_0_0_1 : found;
}

bool weft_chakra_is_older_header(const uint8_t *data, size_t size)
{
    struct message m = {data, data + size};
    struct field f, name, doc;
    const struct value *value;
    size_t n, fields = 0;
    int rc;
    while ((rc = chakra_older_next(&m, &f)) == 1) {
        if (f.number != 1 || f.wire != BYTES ||
            !chakra_older_look(f.data, f.size, &name, &doc, &value, &n))
            return false;
        fields++;
    }
    return rc == 0 && fields > 0;
}

/* Reads the attributes in the fields @p number of a message, and those that @p more has. */
static bool read_attrs(struct weft_arena *a, const uint8_t *data, size_t size, unsigned number,
                       size_t more, struct weft_et_attr **out, size_t *n)
{
    struct message m = {data, data + size};
    struct field f;
    *n = 0;
    while (chakra_older_next(&m, &f) == 1)
        *n += f.number == number && f.wire == BYTES;
    *out = (struct weft_et_attr *)weft_arena_calloc(a, *n + more, sizeof **out);
    *n = 0;
    if (!*out)
        return false;
    for (m.p = data; chakra_older_next(&m, &f) == 1;)
        if (f.number == number && f.wire == BYTES && !read_attr(a, &f, &(*out)[(*n)++]))
            return false;
    return true;
}

bool weft_chakra_older_header(const uint8_t *data, size_t size, struct weft_arena *arena,
                              struct weft_et *et)
{
    return read_attrs(arena, data, size, 1, 0, &et->attrs, &et->nattrs);
}

/* Numbers of collectives of 0.0.2 and 0.0.3; 0.0.1 counts from 1. */
static bool map_collective(uint64_t *number, enum weft_chakra_schema schema)
{
    static const uint8_t now[] = {0, 6, 2, 7, 5};
    if (schema == WEFT_CHAKRA_0_0_1)
        --*number; /* 0, INVALID, is out of range then */
    if (*number >= sizeof now)
        return false;
    *number = now[*number];
    return true;
}

/* The properties of 0.0.1 that are attributes today, by field number. */
static const struct property {
    unsigned number;
    const char *name;
    enum weft_et_kind kind;
} properties[] = {
    {5, "tensor_loc", WEFT_ET_UINT32},
    {6, "tensor_size", WEFT_ET_UINT64},
    {8, "input_tensor_loc", WEFT_ET_UINT32},
    {9, "input_tensor_size", WEFT_ET_UINT64},
    {10, "output_tensor_loc", WEFT_ET_UINT32},
    {11, "output_tensor_size", WEFT_ET_UINT64},
    {12, "num_ops", WEFT_ET_INT64},
    {13, "comm_type", WEFT_ET_INT64},
    {15, "communicator_id", WEFT_ET_UINT32},
    {16, "comm_src", WEFT_ET_INT32},
    {17, "comm_dst", WEFT_ET_INT32},
    {18, "comm_size", WEFT_ET_INT64},
    {19, "comm_tag", WEFT_ET_INT32},
    {20, "comm_priority", WEFT_ET_INT32},
};
enum { NPROPERTIES = sizeof properties / sizeof properties[0], MOST_OWN = NPROPERTIES + 2 };

/* Adds the attribute that field @p f of 0.0.1 is, if it is one. */
static void add_property(const struct field *f, struct weft_et_node *node)
{
    for (size_t i = 0; i < NPROPERTIES; i++) {
        const struct property *p = &properties[i];
        uint64_t value = f->value;
        if (p->number != f->number || node->nattrs == MOST_OWN - 1 ||
            (p->number == 13 && !map_collective(&value, WEFT_CHAKRA_0_0_1)))
            continue;
        node->attrs[node->nattrs++] = (struct weft_et_attr){
            .name = p->name, .doc = "", .kind = p->kind, .value = {.u64 = value}};
    }
}

/* The dimensions of 0.0.1: field 14, unpacked. */
static bool add_dims(struct weft_arena *a, const uint8_t *data, size_t size,
                     struct weft_et_node *node)
{
    struct message m = {data, data + size};
    struct field f;
    size_t n = 0;
    while (chakra_older_next(&m, &f) == 1)
        n += f.number == 14 && f.wire == VARINT;
    if (n == 0)
        return true;
    union weft_et_scalar *list = (union weft_et_scalar *)weft_arena_calloc(a, n, sizeof *list);
    if (!list)
        return false;
    n = 0;
    for (m.p = data; chakra_older_next(&m, &f) == 1;)
        if (f.number == 14 && f.wire == VARINT)
            list[n++].u64 = f.value != 0;
    node->attrs[node->nattrs++] = (struct weft_et_attr){.name = "involved_dim",
                                                        .doc = "",
                                                        .kind = WEFT_ET_LIST(WEFT_ET_BOOL),
                                                        .values = list,
                                                        .nvalues = n};
    return true;
}

/* Parents, one varint each, or packed. */
static bool read_parents(struct weft_arena *a, const uint8_t *data, size_t size,
                         struct weft_et_node *node)
{
    struct message m = {data, data + size}, packed;
    struct field f;
    size_t n = 0;
    uint64_t *list = (uint64_t *)weft_arena_calloc(a, size, sizeof *list);
    while (list && chakra_older_next(&m, &f) == 1) {
        if (f.number == 4 && f.wire == VARINT)
            list[n++] = f.value;
        if (f.number != 4 || f.wire != BYTES)
            continue;
        packed = (struct message){f.data, f.data + f.size};
        while (packed.p < packed.end)
            if (!varint(&packed, &list[n++]))
                return false;
    }
    node->data_deps = list;
    node->ndata_deps = n;
    return list != NULL;
}

/* Takes what is a field of the node today out of the attributes, and numbers as they are today. */
static void renew_attrs(struct weft_et_node *node, enum weft_chakra_schema schema)
{
    size_t kept = 0;
    for (size_t i = 0; i < node->nattrs; i++) {
        struct weft_et_attr *a = &node->attrs[i];
        uint64_t v;
        const bool whole = weft_et_attr_u64(a, &v) == 0;
        if (whole && strcmp(a->name, "runtime") == 0) {
            node->duration_us = v;
            continue;
        }
        if (whole && strcmp(a->name, "comm_type") == 0 && map_collective(&v, schema))
            *a = (struct weft_et_attr){
                .name = a->name, .doc = a->doc, .kind = WEFT_ET_INT64, .value = {.u64 = v}};
        node->attrs[kept++] = *a;
    }
    node->nattrs = kept;
}

bool weft_chakra_older_node(const uint8_t *data, size_t size, enum weft_chakra_schema schema,
                            struct weft_arena *arena, struct weft_et_node *node)
{
    struct message m = {data, data + size};
    struct field f;
    const bool flat = schema == WEFT_CHAKRA_0_0_1;
    const char **const io[] = {&node->inputs.values,  &node->inputs.shapes,  &node->inputs.types,
                               &node->outputs.values, &node->outputs.shapes, &node->outputs.types};
    int rc;
    node->name = "";
    for (size_t i = 0; i < 6; i++)
        *io[i] = "";
    if (!read_attrs(arena, data, size, flat ? 0 : 11, flat ? MOST_OWN : 0, &node->attrs,
                    &node->nattrs) ||
        !read_parents(arena, data, size, node))
        return false;
    while ((rc = chakra_older_next(&m, &f)) == 1) {
        if (f.number == 1 && f.wire == VARINT)
            node->id = f.value;
        else if (f.number == 2 && f.wire == BYTES &&
                 !(node->name = chakra_older_text(arena, f.data, f.size)))
            return false;
        else if (f.number == 3 && f.wire == VARINT)
            node->type = (int32_t)(f.value & 0x7fffffff);
        else if (flat && f.number == 7 && f.wire == VARINT)
            node->duration_us = f.value;
        else if (flat && f.wire == VARINT)
            add_property(&f, node);
        else if (!flat && f.number >= 5 && f.number <= 10 && f.wire == BYTES &&
                 !(*io[f.number - 5] = chakra_older_text(arena, f.data, f.size)))
            return false;
    }
    node->inputs.present = *node->inputs.values || *node->inputs.shapes || *node->inputs.types;
    node->outputs.present = *node->outputs.values || *node->outputs.shapes || *node->outputs.types;
    if (schema != WEFT_CHAKRA_0_0_3 && node->type > 0 && node->type < INT32_MAX)
        node->type++; /* METADATA_NODE came with 0.0.3 */
    if (flat)
        return rc == 0 && add_dims(arena, data, size, node);
    renew_attrs(node, schema);
    return rc == 0;
}
