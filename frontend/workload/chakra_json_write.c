/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces to JSON as protobuf 3 writes them. */
#include "base/json.h"
#include "workload/chakra_json.h"
#include "workload/chakra_json_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void put_long(struct weft_json *j, uint64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, v);
    weft_json_str(j, text);
}

/* Bytes in base64. */
static bool put_bytes(struct weft_json *j, const uint8_t *data, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = (char *)malloc((n + 2) / 3 * 4 + 1), *p = text;
    if (!text)
        return false;
    for (size_t i = 0; i < n; i += 3) {
        const uint32_t v = (uint32_t)data[i] << 16 | (i + 1 < n ? (uint32_t)data[i + 1] << 8 : 0) |
                           (i + 2 < n ? data[i + 2] : 0);
        for (int k = 0; k < 4; k++)
            *p++ = i + (size_t)k > n ? '=' : digits[v >> (18 - 6 * k) & 63];
    }
    *p = '\0';
    weft_json_str(j, text);
    free(text);
    return true;
}

/* One value of a scalar kind. */
static bool put_value(struct weft_json *j, enum weft_et_kind kind, const union weft_et_scalar *v)
{
    char text[24];
    switch (weft_et_kind_class(kind)) {
    case WEFT_ET_CLASS_REAL:
        if (v->f64 == 0 && signbit(v->f64))
            weft_json_str(j, "-0"); /* as a number it would be a whole one, without a sign */
        else if (isfinite(v->f64))
            weft_json_f64(j, v->f64);
        else
            weft_json_str(j, isnan(v->f64) ? "NaN" : v->f64 < 0 ? "-Infinity" : "Infinity");
        break;
    case WEFT_ET_CLASS_SIGNED:
        snprintf(text, sizeof text, "%" PRId64, v->i64);
        if (weft_json_is_long(kind))
            weft_json_str(j, text);
        else
            weft_json_i64(j, v->i64);
        break;
    case WEFT_ET_CLASS_UNSIGNED:
        if (kind == WEFT_ET_BOOL)
            weft_json_bool(j, v->u64 != 0);
        else if (weft_json_is_long(kind))
            put_long(j, v->u64);
        else
            weft_json_u64(j, v->u64);
        break;
    case WEFT_ET_CLASS_TEXT:
        if (kind == WEFT_ET_BYTES)
            return put_bytes(j, (const uint8_t *)v->text.data, v->text.len);
        weft_json_str(j, v->text.data);
        break;
    case WEFT_ET_CLASS_NONE:
        break;
    }
    return true;
}

static bool put_attrs(struct weft_json *j, const struct weft_et_attr *list, size_t n)
{
    char member[WEFT_JSON_MEMBER_MAX];
    bool ok = true;
    if (n == 0)
        return true;
    weft_json_kv_array(j, "attr");
    for (size_t i = 0; i < n && ok; i++) {
        const struct weft_et_attr *a = &list[i];
        weft_json_object(j);
        if (*a->name)
            weft_json_kv_str(j, "name", a->name);
        if (*a->doc)
            weft_json_kv_str(j, "docString", a->doc);
        if (a->kind != WEFT_ET_NONE)
            weft_json_key(j, weft_json_member(a->kind, member));
        if (a->kind % 2) {
            ok = put_value(j, a->kind, &a->value);
        } else if (a->kind != WEFT_ET_NONE) {
            weft_json_object(j);
            weft_json_kv_array(j, "values");
            for (size_t k = 0; k < a->nvalues && ok; k++)
                ok = put_value(j, (enum weft_et_kind)(a->kind - 1), &a->values[k]);
            weft_json_end_array(j);
            weft_json_end_object(j);
        }
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
    return ok;
}

static void put_deps(struct weft_json *j, const char *key, const uint64_t *ids, size_t n)
{
    if (n == 0)
        return;
    weft_json_kv_array(j, key);
    for (size_t i = 0; i < n; i++)
        put_long(j, ids[i]);
    weft_json_end_array(j);
}

static void put_text(struct weft_json *j, const char *key, const char *text)
{
    if (*text)
        weft_json_kv_str(j, key, text);
}

static void put_number(struct weft_json *j, const char *key, uint64_t v)
{
    if (v) {
        weft_json_key(j, key);
        put_long(j, v);
    }
}

static void put_io(struct weft_json *j, const char *key, const struct weft_et_io *io)
{
    if (!io->present)
        return;
    weft_json_kv_object(j, key);
    put_text(j, "values", io->values);
    put_text(j, "shapes", io->shapes);
    put_text(j, "types", io->types);
    weft_json_end_object(j);
}

static bool put_node(struct weft_json *j, const struct weft_et_node *n)
{
    const char *type = weft_et_node_type_name(n->type);
    weft_json_object(j);
    put_number(j, "id", n->id);
    put_text(j, "name", n->name);
    if (n->type && type)
        weft_json_kv_str(j, "type", type);
    else if (n->type)
        weft_json_kv_i64(j, "type", n->type);
    put_deps(j, "ctrlDeps", n->ctrl_deps, n->nctrl_deps);
    put_deps(j, "dataDeps", n->data_deps, n->ndata_deps);
    put_number(j, "startTimeMicros", n->start_us);
    put_number(j, "durationMicros", n->duration_us);
    put_io(j, "inputs", &n->inputs);
    put_io(j, "outputs", &n->outputs);
    const bool ok = put_attrs(j, n->attrs, n->nattrs);
    weft_json_end_object(j);
    return ok;
}

int weft_chakra_json_write(const struct weft_et *et, FILE *f, const char *name,
                           struct weft_err *err)
{
    struct weft_json j;
    weft_json_init(&j, f, name, 2);
    weft_json_object(&j);
    put_text(&j, "version", et->version);
    bool ok = put_attrs(&j, et->attrs, et->nattrs);
    weft_json_end_object(&j);
    int rc = ok ? weft_json_finish(&j, err) : 0;
    for (size_t i = 0; i < et->nnodes && ok && !rc; i++) {
        if (et->nodes[i].nothers)
            return weft_et_node_err(err, WEFT_E_INPUT, et, &et->nodes[i],
                                    "it has fields that Chakra's schema 1.0.0 does not have, which "
                                    "have no names in JSON; .et files keep them");
        weft_json_init(&j, f, name, 2);
        ok = put_node(&j, &et->nodes[i]);
        rc = ok ? weft_json_finish(&j, err) : 0;
    }
    return ok ? rc : weft_err_no_memory(err, "a trace");
}
