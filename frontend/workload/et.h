/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A Chakra execution trace of one rank in memory, as the file says it: every node, every
 * attribute with its wire type, known to weft or not.
 *
 * Readers and generators make one, the writer stores one, convert.h turns one into a graph.
 * Everything that a struct weft_et points to lives in the arena it was made in.
 */
#ifndef WEFT_ET_H
#define WEFT_ET_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** Chakra's NodeType, with its numbers; the last three are of its draft of storage operations (May
 * 2026). */
enum weft_et_node_type {
    WEFT_ET_INVALID_NODE = 0,
    WEFT_ET_METADATA_NODE = 1,
    WEFT_ET_MEM_LOAD_NODE = 2,
    WEFT_ET_MEM_STORE_NODE = 3,
    WEFT_ET_COMP_NODE = 4,
    WEFT_ET_COMM_SEND_NODE = 5,
    WEFT_ET_COMM_RECV_NODE = 6,
    WEFT_ET_COMM_COLL_NODE = 7,
    WEFT_ET_STORAGE_NODE = 8,
    WEFT_ET_BATCH_NODE = 9,
    WEFT_ET_CHECKPOINT_NODE = 10,
    WEFT_ET_NODE_TYPES = 11
};

/**
 * The wire type of an attribute's value: the field numbers of Chakra's AttributeProto. Scalars are
 * odd, the list of a scalar type is that number plus one.
 */
enum weft_et_kind {
    WEFT_ET_NONE = 0, /**< the attribute has a name but no value */
    WEFT_ET_DOUBLE = 3,
    WEFT_ET_FLOAT = 5,
    WEFT_ET_INT32 = 7,
    WEFT_ET_INT64 = 9,
    WEFT_ET_UINT32 = 11,
    WEFT_ET_UINT64 = 13,
    WEFT_ET_SINT32 = 15,
    WEFT_ET_SINT64 = 17,
    WEFT_ET_FIXED32 = 19,
    WEFT_ET_FIXED64 = 21,
    WEFT_ET_SFIXED32 = 23,
    WEFT_ET_SFIXED64 = 25,
    WEFT_ET_BOOL = 27,
    WEFT_ET_STRING = 29,
    WEFT_ET_BYTES = 31,
    WEFT_ET_KIND_MAX = 32
};
/** The list kind of a scalar kind. */
#define WEFT_ET_LIST(kind) ((enum weft_et_kind)((kind) + 1))

/** How a scalar of some kind is held in union weft_et_scalar. */
enum weft_et_class {
    WEFT_ET_CLASS_NONE,
    WEFT_ET_CLASS_REAL,     /**< f64: double, float */
    WEFT_ET_CLASS_SIGNED,   /**< i64: int*, sint*, sfixed* */
    WEFT_ET_CLASS_UNSIGNED, /**< u64: uint*, fixed*, bool (0 or 1) */
    WEFT_ET_CLASS_TEXT      /**< text: string (no NUL inside), bytes */
};

/** One value. */
union weft_et_scalar {
    double f64;
    int64_t i64;
    uint64_t u64;
    struct {
        const char *data; /**< terminated by a NUL that len does not count */
        size_t len;
    } text;
};

/** One attribute: a name and a value or a list of values of one kind. */
struct weft_et_attr {
    const char *name;
    const char *doc; /**< doc_string, "" when absent */
    enum weft_et_kind kind;
    union weft_et_scalar value;         /**< scalar kinds */
    const union weft_et_scalar *values; /**< list kinds */
    size_t nvalues;
};

/** IOInfo: stringified lists. */
struct weft_et_io {
    bool present;
    const char *values, *shapes, *types;
};

/** One node. */
struct weft_et_node {
    uint64_t id;
    const char *name; /**< "" when absent */
    int32_t type;     /**< enum weft_et_node_type, or a number this version does not know */
    const uint64_t *ctrl_deps, *data_deps;
    size_t nctrl_deps, ndata_deps;
    uint64_t start_us;    /**< start_time_micros */
    uint64_t duration_us; /**< duration_micros */
    struct weft_et_io inputs, outputs;
    struct weft_et_attr *attrs;
    size_t nattrs;
    const uint8_t *others; /**< fields that the schema does not have, as they are on the wire */
    size_t nothers;        /**< bytes of them */
    /** Byte in the uncompressed file where the node's length prefix starts; -1: not from a file. */
    int64_t offset;
};

/** One rank's trace. */
struct weft_et {
    const struct weft_arena *arena; /**< where it lives */
    const char *file;               /**< where it came from, NULL when it was made in memory */
    bool gzip;                      /**< the file is compressed: offsets count uncompressed bytes */
    uint64_t file_bytes;            /**< size of the file as it lies there; 0: made in memory */
    const char *version;            /**< GlobalMetadata.version, "" when absent */
    const char *older; /**< the schema before 0.0.4 that it was read from: then version is what it
                          is now; NULL or "": none */
    struct weft_et_attr *attrs;
    size_t nattrs;
    struct weft_et_node *nodes; /**< in file order */
    size_t nnodes;
};

/** Whether a trace has no version, no attribute and no node: what was read is no trace. */
bool weft_et_is_blank(const struct weft_et *et);
/** What is said of such a file. */
#define WEFT_ET_BLANK "this is no Chakra trace: it has no version, no attribute and no node"

/** "COMM_COLL_NODE" ..., or NULL for a number that Chakra does not define. */
const char *weft_et_node_type_name(int32_t type);
/** Chakra's name of a wire member, "int64_val", "bool_list", ..., "no value" for WEFT_ET_NONE. */
const char *weft_et_kind_name(enum weft_et_kind kind);
/** How values of @p kind (scalar or list) are held. */
enum weft_et_class weft_et_kind_class(enum weft_et_kind kind);

/** The attribute of a list called @p name (the last one when it is repeated), or NULL. */
const struct weft_et_attr *weft_et_find_in(const struct weft_et_attr *list, size_t n,
                                           const char *name);
/** The same of a node's. */
const struct weft_et_attr *weft_et_find(const struct weft_et_node *node, const char *name);

/** Reads any integer or bool kind as int64. 0; WEFT_E_INPUT: not an integer; WEFT_E_LIMIT: above
 * 2^63 - 1. */
int weft_et_attr_i64(const struct weft_et_attr *a, int64_t *out);
/** Reads any integer or bool kind as uint64. 0; WEFT_E_INPUT: not an integer; WEFT_E_LIMIT:
 * negative. */
int weft_et_attr_u64(const struct weft_et_attr *a, uint64_t *out);
/** Prints the value ("4096", "\"text\"", "[1, 2]"; bytes as hex) into @p buf, cut to fit; always
 * terminates. Returns @p buf. */
const char *weft_et_attr_format(const struct weft_et_attr *a, char *buf, size_t size);

/** Records an error about a node: where (file and byte, if from a file) and "node ID 'NAME': " in
 * front. Returns @p code. */
int weft_et_node_err(struct weft_err *err, int code, const struct weft_et *et,
                     const struct weft_et_node *node, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

WEFT_C_END
#endif
