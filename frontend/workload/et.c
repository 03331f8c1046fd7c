/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names, typed access and printing for traces in memory.
 */
#include "workload/et.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool weft_et_is_blank(const struct weft_et *et)
{
    return !*et->version && et->nattrs == 0 && et->nnodes == 0;
}

const char *weft_et_node_type_name(int32_t type)
{
    static const char *const names[WEFT_ET_NODE_TYPES] = {
        "INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
        "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE",
        "STORAGE_NODE", "BATCH_NODE",     "CHECKPOINT_NODE"};
    return type >= 0 && type < WEFT_ET_NODE_TYPES ? names[type] : NULL;
}

const char *weft_et_kind_name(enum weft_et_kind kind)
{
    static const char *const names[WEFT_ET_KIND_MAX + 1] = {
        "no value",      NULL,           NULL,
        "double_val",    "double_list",  "float_val",
        "float_list",    "int32_val",    "int32_list",
        "int64_val",     "int64_list",   "uint32_val",
        "uint32_list",   "uint64_val",   "uint64_list",
        "sint32_val",    "sint32_list",  "sint64_val",
        "sint64_list",   "fixed32_val",  "fixed32_list",
        "fixed64_val",   "fixed64_list", "sfixed32_val",
        "sfixed32_list", "sfixed64_val", "sfixed64_list",
        "bool_val",      "bool_list",    "string_val",
        "string_list",   "bytes_val",    "bytes_list"};
    const char *name = (unsigned)kind <= WEFT_ET_KIND_MAX ? names[kind] : NULL;
    return name ? name : "no value";
}

enum weft_et_class weft_et_kind_class(enum weft_et_kind kind)
{
    switch (kind % 2 ? (int)kind : (int)kind - 1) {
    case WEFT_ET_DOUBLE:
    case WEFT_ET_FLOAT:
        return WEFT_ET_CLASS_REAL;
    case WEFT_ET_INT32:
    case WEFT_ET_INT64:
    case WEFT_ET_SINT32:
    case WEFT_ET_SINT64:
    case WEFT_ET_SFIXED32:
    case WEFT_ET_SFIXED64:
        return WEFT_ET_CLASS_SIGNED;
    case WEFT_ET_UINT32:
    case WEFT_ET_UINT64:
    case WEFT_ET_FIXED32:
    case WEFT_ET_FIXED64:
    case WEFT_ET_BOOL:
        return WEFT_ET_CLASS_UNSIGNED;
    case WEFT_ET_STRING:
    case WEFT_ET_BYTES:
        return WEFT_ET_CLASS_TEXT;
    default:
        return WEFT_ET_CLASS_NONE;
    }
}

const struct weft_et_attr *weft_et_find_in(const struct weft_et_attr *list, size_t n,
                                           const char *name)
{
    for (size_t i = n; i > 0; i--)
        if (strcmp(list[i - 1].name, name) == 0)
            return &list[i - 1];
    return NULL;
}

const struct weft_et_attr *weft_et_find(const struct weft_et_node *node, const char *name)
{
    return weft_et_find_in(node->attrs, node->nattrs, name);
}

static bool is_scalar(enum weft_et_kind kind)
{
    return kind % 2 == 1;
}

int weft_et_attr_i64(const struct weft_et_attr *a, int64_t *out)
{
    enum weft_et_class c = weft_et_kind_class(a->kind);
    if (!is_scalar(a->kind) || (c != WEFT_ET_CLASS_SIGNED && c != WEFT_ET_CLASS_UNSIGNED))
        return WEFT_E_INPUT;
    if (c == WEFT_ET_CLASS_UNSIGNED && a->value.u64 > INT64_MAX)
        return WEFT_E_LIMIT;
    *out = c == WEFT_ET_CLASS_SIGNED ? a->value.i64 : (int64_t)a->value.u64;
    return 0;
}

int weft_et_attr_u64(const struct weft_et_attr *a, uint64_t *out)
{
    enum weft_et_class c = weft_et_kind_class(a->kind);
    if (!is_scalar(a->kind) || (c != WEFT_ET_CLASS_SIGNED && c != WEFT_ET_CLASS_UNSIGNED))
        return WEFT_E_INPUT;
    if (c == WEFT_ET_CLASS_SIGNED && a->value.i64 < 0)
        return WEFT_E_LIMIT;
    *out = c == WEFT_ET_CLASS_SIGNED ? (uint64_t)a->value.i64 : a->value.u64;
    return 0;
}

/** Appends to a bounded text; keeps counting past the end. */
__attribute__((format(printf, 4, 5))) static void put(char *buf, size_t size, size_t *used,
                                                      const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = *used < size ? vsnprintf(buf + *used, size - *used, fmt, ap) : 0;
    va_end(ap);
    if (n > 0)
        *used += (size_t)n;
}

static void put_scalar(char *buf, size_t size, size_t *used, enum weft_et_kind scalar_kind,
                       const union weft_et_scalar *v)
{
    switch (weft_et_kind_class(scalar_kind)) {
    case WEFT_ET_CLASS_REAL:
        put(buf, size, used, scalar_kind == WEFT_ET_FLOAT ? "%.9g" : "%.17g", v->f64);
        break;
    case WEFT_ET_CLASS_SIGNED:
        put(buf, size, used, "%" PRId64, v->i64);
        break;
    case WEFT_ET_CLASS_UNSIGNED:
        if (scalar_kind == WEFT_ET_BOOL)
            put(buf, size, used, "%s", v->u64 ? "true" : "false");
        else
            put(buf, size, used, "%" PRIu64, v->u64);
        break;
    case WEFT_ET_CLASS_TEXT:
        if (scalar_kind == WEFT_ET_BYTES) {
            put(buf, size, used, "0x");
            for (size_t i = 0; i < v->text.len && *used < size; i++)
                put(buf, size, used, "%02x", (unsigned char)v->text.data[i]);
            break;
        }
        put(buf, size, used, "\"");
        for (size_t i = 0; i < v->text.len && *used < size; i++) {
            unsigned char ch = (unsigned char)v->text.data[i];
            if (ch == '"' || ch == '\\')
                put(buf, size, used, "\\%c", ch);
            else if (ch < 0x20 || ch == 0x7f)
                put(buf, size, used, "\\x%02x", ch);
            else
                put(buf, size, used, "%c", ch);
        }
        put(buf, size, used, "\"");
        break;
    case WEFT_ET_CLASS_NONE:
        put(buf, size, used, "-");
        break;
    }
}

const char *weft_et_attr_format(const struct weft_et_attr *a, char *buf, size_t size)
{
    size_t used = 0;
    if (size == 0)
        return buf;
    buf[0] = '\0';
    if (a->kind == WEFT_ET_NONE || is_scalar(a->kind)) {
        put_scalar(buf, size, &used, a->kind, &a->value);
        return buf;
    }
    put(buf, size, &used, "[");
    for (size_t i = 0; i < a->nvalues && used < size; i++) {
        put(buf, size, &used, "%s", i ? ", " : "");
        put_scalar(buf, size, &used, (enum weft_et_kind)(a->kind - 1), &a->values[i]);
    }
    put(buf, size, &used, "]");
    return buf;
}

int weft_et_node_err(struct weft_err *err, int code, const struct weft_et *et,
                     const struct weft_et_node *node, const char *fmt, ...)
{
    char text[WEFT_ERR_MSG_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!et->file || node->offset < 0)
        return weft_err_set(err, code, "node %" PRIu64 " '%s': %s", node->id, node->name, text);
    return weft_err_at_byte(err, code, et->file, node->offset, "node %" PRIu64 " '%s': %s%s",
                            node->id, node->name, text,
                            et->gzip ? " (the byte counts uncompressed data)" : "");
}
