/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces from JSON, through jansson. */
#include "workload/chakra_json.h"
#include "workload/chakra_json_names.h"

#include "json/json_read.h"

#include "base/grow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *name, *text;
    size_t size, at; /* of the object that is being read */
    struct weft_arena *arena;
    struct weft_et *et;
    size_t cap;
    bool feeder; /* the nodes are in a workload_graph */
    struct weft_err *err;
};

bool weft_chakra_is_json(const uint8_t *data, size_t size)
{
    size_t i = 0;
    while (i < size && strchr(" \t\r\n", data[i]) && data[i])
        i++;
    if (i == size || data[i] != '{')
        return false;
    for (i++; i < size && strchr(" \t\r\n", data[i]) && data[i]; i++)
        continue;
    return i < size && (data[i] == '"' || data[i] == '}');
}

/* At the object that is being read. */
static int chakra_json_read_fail(struct reader *r, int code, const char *what, const char *key)
{
    int64_t line = 1;
    for (size_t i = 0; i < r->at; i++)
        line += r->text[i] == '\n';
    return weft_err_at(r->err, code, r->name, line, 0, "%s%s%.60s%s", what, *key ? " '" : "", key,
                       *key ? "'" : "");
}

/* A whole number, or its text. */
static bool whole(const json_t *v, uint64_t *out)
{
    char *end;
    if (json_is_boolean(v) || json_is_integer(v)) {
        *out = json_is_integer(v) ? (uint64_t)json_integer_value(v) : (uint64_t)json_is_true(v);
        return true;
    }
    const char *text = json_string_value(v);
    if (!text || !*text)
        return false;
    errno = 0;
    *out = *text == '-' ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
    return !errno && !*end && strspn(text, "-0123456789") == strlen(text);
}

static bool real(const json_t *v, double *out)
{
    const char *text = json_string_value(v);
    char *end;
    if (json_is_number(v)) {
        *out = json_number_value(v);
        return true;
    }
    if (!text || !*text)
        return false;
    *out = strtod(text, &end);
    return !*end;
}

static int digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

static bool bytes(struct reader *r, const char *text, union weft_et_scalar *out)
{
    uint32_t v = 0;
    unsigned bits = 0;
    size_t n = 0;
    char *data = (char *)weft_arena_alloc(r->arena, strlen(text) + 1);
    if (!data)
        return false;
    for (; *text && *text != '='; text++) {
        const int d = digit(*text);
        if (d < 0)
            return false;
        v = v << 6 | (uint32_t)d;
        bits += 6;
        if (bits >= 8)
            data[n++] = (char)(v >> (bits -= 8));
    }
    data[n] = '\0';
    out->text.data = n ? data : "";
    out->text.len = n;
    return text[strspn(text, "=")] == '\0';
}

static const char *chakra_json_read_copy(struct reader *r, const char *text)
{
    return !text || !*text ? "" : weft_arena_strdup(r->arena, text);
}

static bool chakra_json_read_scalar(struct reader *r, enum weft_et_kind kind, const json_t *v,
                                    union weft_et_scalar *out)
{
    switch (weft_et_kind_class(kind)) {
    case WEFT_ET_CLASS_REAL:
        return real(v, &out->f64);
    case WEFT_ET_CLASS_SIGNED:
    case WEFT_ET_CLASS_UNSIGNED:
        return whole(v, &out->u64) && (kind != WEFT_ET_BOOL || out->u64 <= 1);
    case WEFT_ET_CLASS_TEXT:
        if (!json_is_string(v))
            return false;
        if (kind == WEFT_ET_BYTES)
            return bytes(r, json_string_value(v), out);
        out->text.data = chakra_json_read_copy(r, json_string_value(v));
        out->text.len = out->text.data ? strlen(out->text.data) : 0;
        return out->text.data != NULL;
    default:
        return false;
    }
}

/* The kind whose member is called so, in either of protobuf's spellings; WEFT_ET_NONE: none. */
static enum weft_et_kind chakra_json_read_kind_of(const char *key)
{
    char member[WEFT_JSON_MEMBER_MAX];
    for (int k = WEFT_ET_DOUBLE; k <= WEFT_ET_KIND_MAX; k++)
        if (strcmp(weft_json_member((enum weft_et_kind)k, member), key) == 0 ||
            strcmp(weft_et_kind_name((enum weft_et_kind)k), key) == 0)
            return (enum weft_et_kind)k;
    return WEFT_ET_NONE;
}

static bool chakra_json_read_value(struct reader *r, enum weft_et_kind kind, const json_t *v,
                                   struct weft_et_attr *a)
{
    a->kind = kind;
    if (kind % 2)
        return chakra_json_read_scalar(r, kind, v, &a->value);
    const json_t *list = json_object_get(v, "values");
    if (!json_is_object(v) || (list && !json_is_array(list)))
        return false;
    a->nvalues = json_array_size(list);
    union weft_et_scalar *values =
        (union weft_et_scalar *)weft_arena_calloc(r->arena, a->nvalues, sizeof *values);
    a->values = values;
    for (size_t i = 0; values && i < a->nvalues; i++)
        if (!chakra_json_read_scalar(r, (enum weft_et_kind)(kind - 1), json_array_get(list, i),
                                     &values[i]))
            return false;
    return values != NULL;
}

static int read_attr(struct reader *r, json_t *in, struct weft_et_attr *a)
{
    const char *key;
    json_t *v;
    *a = (struct weft_et_attr){.name = "", .doc = ""};
    if (!json_is_object(in))
        return chakra_json_read_fail(r, WEFT_E_INPUT, "an attribute must be an object", "");
    json_object_foreach(in, key, v)
    {
        const enum weft_et_kind kind = chakra_json_read_kind_of(key);
        if (strcmp(key, "name") == 0)
            a->name = chakra_json_read_copy(r, json_string_value(v));
        else if (strcmp(key, "docString") == 0 || strcmp(key, "doc_string") == 0)
            a->doc = chakra_json_read_copy(r, json_string_value(v));
        else if (kind == WEFT_ET_NONE)
            return chakra_json_read_fail(r, WEFT_E_INPUT, "an attribute has no member", key);
        else if (a->kind != WEFT_ET_NONE || !chakra_json_read_value(r, kind, v, a))
            return chakra_json_read_fail(r, WEFT_E_INPUT, "an attribute has no valid value in",
                                         key);
    }
    return a->name && a->doc ? 0 : weft_err_no_memory(r->err, "a trace");
}

static int read_attrs(struct reader *r, const json_t *in, struct weft_et_attr **out, size_t *n)
{
    int rc = 0;
    *n = json_array_size(in);
    *out = (struct weft_et_attr *)weft_arena_calloc(r->arena, *n, sizeof **out);
    if (!*out)
        return weft_err_no_memory(r->err, "a trace");
    for (size_t i = 0; i < *n && !rc; i++)
        rc = read_attr(r, json_array_get(in, i), &(*out)[i]);
    return rc;
}

static int read_ids(struct reader *r, const char *key, const json_t *in, const uint64_t **out,
                    size_t *n)
{
    uint64_t *ids = (uint64_t *)weft_arena_calloc(r->arena, json_array_size(in), sizeof *ids);
    if (!ids)
        return weft_err_no_memory(r->err, "a trace");
    for (size_t i = 0; i < json_array_size(in); i++)
        if (!whole(json_array_get(in, i), &ids[i]))
            return chakra_json_read_fail(r, WEFT_E_INPUT, "not a list of node ids:", key);
    *out = ids;
    *n = json_array_size(in);
    return json_is_array(in)
               ? 0
               : chakra_json_read_fail(r, WEFT_E_INPUT, "not a list of node ids:", key);
}

static bool read_io(struct reader *r, const json_t *in, struct weft_et_io *io)
{
    io->present = true;
    io->values = chakra_json_read_copy(r, json_string_value(json_object_get(in, "values")));
    io->shapes = chakra_json_read_copy(r, json_string_value(json_object_get(in, "shapes")));
    io->types = chakra_json_read_copy(r, json_string_value(json_object_get(in, "types")));
    return io->values && io->shapes && io->types;
}

static bool read_type(const json_t *v, int32_t *out)
{
    uint64_t number;
    for (int32_t t = 0; json_is_string(v) && t < WEFT_ET_NODE_TYPES; t++)
        if (strcmp(weft_et_node_type_name(t), json_string_value(v)) == 0) {
            *out = t;
            return true;
        }
    if (!whole(v, &number))
        return false;
    *out = (int32_t)number;
    return (uint64_t)(int64_t)*out == number;
}

static struct weft_et_node *chakra_json_read_add_node(struct reader *r)
{
    struct weft_et *et = r->et;
    if (!WEFT_ARENA_GROW(r->arena, et->nodes, et->nnodes, &r->cap))
        return NULL;
    struct weft_et_node *n = &et->nodes[et->nnodes++];
    static const struct weft_et_io none = {false, "", "", ""};
    *n = (struct weft_et_node){.name = "", .inputs = none, .outputs = none, .offset = -1};
    return n;
}

/* A field of a node, of the first form. */
static int node_field(struct reader *r, const char *key, const json_t *v, struct weft_et_node *n)
{
    const struct {
        const char *json, *proto;
        uint64_t *to;
    } numbers[] = {{"id", "id", &n->id},
                   {"startTimeMicros", "start_time_micros", &n->start_us},
                   {"durationMicros", "duration_micros", &n->duration_us}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(key, numbers[i].json) == 0 || strcmp(key, numbers[i].proto) == 0)
            return whole(v, numbers[i].to)
                       ? 0
                       : chakra_json_read_fail(r, WEFT_E_INPUT, "not a whole number:", key);
    if (strcmp(key, "name") == 0)
        return (n->name = chakra_json_read_copy(r, json_string_value(v)))
                   ? 0
                   : weft_err_no_memory(r->err, "a trace");
    if (strcmp(key, "type") == 0)
        return read_type(v, &n->type)
                   ? 0
                   : chakra_json_read_fail(r, WEFT_E_INPUT, "no type of nodes:", key);
    if (strcmp(key, "ctrlDeps") == 0 || strcmp(key, "ctrl_deps") == 0)
        return read_ids(r, key, v, &n->ctrl_deps, &n->nctrl_deps);
    if (strcmp(key, "dataDeps") == 0 || strcmp(key, "data_deps") == 0)
        return read_ids(r, key, v, &n->data_deps, &n->ndata_deps);
    if (strcmp(key, "inputs") == 0)
        return read_io(r, v, &n->inputs) ? 0 : weft_err_no_memory(r->err, "a trace");
    if (strcmp(key, "outputs") == 0)
        return read_io(r, v, &n->outputs) ? 0 : weft_err_no_memory(r->err, "a trace");
    if (strcmp(key, "attr") == 0)
        return read_attrs(r, v, &n->attrs, &n->nattrs);
    return chakra_json_read_fail(r, WEFT_E_INPUT, "a node has no field", key);
}

static int read_node(struct reader *r, json_t *in)
{
    const char *key;
    json_t *v;
    struct weft_et_node *n = chakra_json_read_add_node(r);
    int rc = n ? 0 : weft_err_no_memory(r->err, "a trace");
    if (!rc)
        json_object_foreach(in, key, v) if (!rc) rc = node_field(r, key, v, n);
    return rc;
}

/* JSON of other tools, by a key of its first object, and the way from it to a trace. */
static const struct {
    const char *key, *what;
} others[] = {
    {"traceEvents", "a trace of PyTorch's profiler (Kineto): chakra_trace_link joins it with the "
                    "execution trace of the same rank"},
    {"nodes", "an execution trace of PyTorch: chakra_trace_link joins it with the profiler's "
              "trace, chakra_converter PyTorch makes a Chakra trace of both"},
};

/* What an object that should be the metadata is instead. */
static int foreign(struct reader *r, const json_t *in, const char *key)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (json_object_get(in, others[i].key))
            return weft_err_at(r->err, WEFT_E_INPUT, r->name, 0, 0,
                               "this is no Chakra trace but %s", others[i].what);
    return chakra_json_read_fail(
        r, WEFT_E_INPUT,
        "this is no Chakra trace: it begins with metadata, which has version and attr, "
        "or has a workload_graph; there is",
        key);
}

static int chakra_json_read_header(struct reader *r, json_t *in)
{
    const char *key;
    json_t *v;
    if (json_object_get(in, "id") || json_object_get(in, "type"))
        return chakra_json_read_fail(r, WEFT_E_INPUT,
                                     "the first object must be the metadata of the trace, not a "
                                     "node; an empty one is {}",
                                     "");
    json_object_foreach(in, key, v)
    {
        (void)v;
        if (strcmp(key, "version") != 0 && strcmp(key, "attr") != 0)
            return foreign(r, in, key);
    }
    r->et->version = chakra_json_read_copy(r, json_string_value(json_object_get(in, "version")));
    return r->et->version
               ? read_attrs(r, json_object_get(in, "attr"), &r->et->attrs, &r->et->nattrs)
               : weft_err_no_memory(r->err, "a trace");
}

/* The attributes of the feeder's form. */
static const struct {
    const char *key;
    enum weft_et_kind kind;
} feeder[] = {
    {"is_cpu_op", WEFT_ET_BOOL},  {"tensor_size", WEFT_ET_UINT64}, {"num_ops", WEFT_ET_INT64},
    {"comm_type", WEFT_ET_INT64}, {"comm_size", WEFT_ET_INT64},    {"comm_priority", WEFT_ET_INT32},
    {"comm_src", WEFT_ET_INT32},  {"comm_dst", WEFT_ET_INT32},     {"comm_tag", WEFT_ET_INT32},
    {"pg_name", WEFT_ET_STRING},
};
enum { NFEEDER = sizeof feeder / sizeof feeder[0] };

static int feeder_node(struct reader *r, json_t *in)
{
    static const struct {
        const char *feeder, *field;
    } names[] = {{"Id", "id"},
                 {"Name", "name"},
                 {"NodeType", "type"},
                 {"runtime", "durationMicros"},
                 {"data_deps", "dataDeps"},
                 {"ctrlDeps", "ctrlDeps"},
                 {"ctrl_deps", "ctrlDeps"}};
    struct weft_et_node *n = chakra_json_read_add_node(r);
    int rc = n ? 0 : weft_err_no_memory(r->err, "a trace");
    if (!rc && !json_is_object(in))
        return chakra_json_read_fail(r, WEFT_E_INPUT, "a node must be an object", "");
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !rc; i++) {
        const json_t *v = json_object_get(in, names[i].feeder);
        if (v)
            rc = node_field(r, names[i].field, v, n);
    }
    if (!rc)
        n->attrs = (struct weft_et_attr *)weft_arena_calloc(r->arena, NFEEDER, sizeof *n->attrs);
    if (!rc && !n->attrs)
        rc = weft_err_no_memory(r->err, "a trace");
    for (size_t i = 0; i < NFEEDER && !rc; i++) {
        const json_t *v = json_object_get(in, feeder[i].key);
        if (!v)
            continue;
        struct weft_et_attr *a = &n->attrs[n->nattrs++];
        *a = (struct weft_et_attr){.name = feeder[i].key, .doc = "", .kind = feeder[i].kind};
        if (!chakra_json_read_scalar(r, a->kind, v, &a->value))
            rc = chakra_json_read_fail(r, WEFT_E_INPUT, "no valid value:", feeder[i].key);
    }
    return rc;
}

/* One object of the file. */
static int read_object(struct reader *r, json_t *in, bool first)
{
    json_t *graph = json_object_get(in, "workload_graph");
    int rc = 0;
    if (!json_is_object(in))
        return chakra_json_read_fail(r, WEFT_E_INPUT, "a trace consists of objects", "");
    if (!first || !graph)
        return first ? chakra_json_read_header(r, in) : read_node(r, in);
    if (!json_is_array(graph))
        return chakra_json_read_fail(r, WEFT_E_INPUT, "not a list of nodes:", "workload_graph");
    r->et->version = "";
    r->feeder = true;
    for (size_t i = 0; i < json_array_size(graph) && !rc; i++)
        rc = feeder_node(r, json_array_get(graph, i));
    return rc;
}

int weft_chakra_json_read(const char *name, const char *text, size_t size, struct weft_arena *arena,
                          struct weft_et **out, struct weft_err *err)
{
    struct weft_err local = {0};
    struct reader r = {
        .name = name, .text = text, .size = size, .arena = arena, .err = err ? err : &local};
    bool first = true;
    int rc = 0;
    r.et = (struct weft_et *)weft_arena_calloc(arena, 1, sizeof *r.et);
    if (!r.et || !(r.et->file = weft_arena_strdup(arena, name)))
        return weft_err_no_memory(r.err, "a trace");
    r.et->arena = arena;
    r.et->file_bytes = size;
    while (!rc) {
        json_error_t why = {.line = 0};
        while (r.at < size && text[r.at] && strchr(" \t\r\n", text[r.at]))
            r.at++;
        if (r.at == size)
            break;
        json_t *in = weft_json_load(text + r.at, size - r.at, JSON_DISABLE_EOF_CHECK, &why);
        if (in)
            rc = read_object(&r, in, first);
        else if (json_error_code(&why) == json_error_out_of_memory)
            rc = weft_err_no_memory(r.err, "a trace");
        else
            rc = chakra_json_read_fail(&r, WEFT_E_INPUT,
                                       "no valid JSON in the object that begins here:", why.text);
        json_decref(in);
        r.at += in ? (size_t)why.position : 0;
        first = false;
    }
    if (!rc && first)
        rc = chakra_json_read_fail(&r, WEFT_E_INPUT, "the file is empty", "");
    if (!rc && !r.feeder && weft_et_is_blank(r.et))
        rc = chakra_json_read_fail(&r, WEFT_E_INPUT, WEFT_ET_BLANK, "");
    if (!rc)
        *out = r.et;
    return rc;
}
