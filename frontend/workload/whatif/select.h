/* SPDX-License-Identifier: GPL-2.0-only */
/* Which operations a transform is about: the parameters that all transforms choose them by. */
#ifndef WEFT_SELECT_H
#define WEFT_SELECT_H

#include "base/list.h"
#include "workload/et.h"
#include "workload/whatif/transform.h"

#include <stddef.h>

/** The first member, called `select`, of a transform's parameters. Those that its table lacks are
 * zero: no restriction. */
struct weft_select {
    const char *op; /**< glob over the operation's name; NULL: any */
    int kind;       /**< enum weft_select_kind */
    int collective; /**< 0: any, else 1 + Chakra's number of the collective */
    const char
        *group; /**< glob over the communicator's name, "" for that of all ranks; NULL: any */
    const char *ranks;   /**< "0,4-7"; NULL or empty: all */
    uint64_t over_bytes; /**< communication of more than this alone */
};

/** Kinds of operations; the order is that of the words in WEFT_SELECT_KINDS. */
enum weft_select_kind {
    WEFT_SELECT_ANY,
    WEFT_SELECT_COMPUTE,
    WEFT_SELECT_MEMORY,
    WEFT_SELECT_MESSAGE,
    WEFT_SELECT_COLLECTIVE,
    WEFT_SELECT_COMMUNICATION
};
#define WEFT_SELECT_KINDS "any|compute|memory|message|collective|communication"
#define WEFT_SELECT_COLLECTIVES                                                                    \
    "any|all-reduce|reduce|all-gather|gather|scatter|broadcast|all-to-all|reduce-scatter|"         \
    "reduce-scatter-block|barrier"

#define WEFT_SELECT_OP(Type)                                                                       \
    {                                                                                              \
        WEFT_ROW_STRING(Type, select.op, "op", "*"),                                               \
            .help = "operations whose name is like this, with * and ? and [a-z]"                   \
    }
#define WEFT_SELECT_KIND(Type, word)                                                               \
    {                                                                                              \
        WEFT_ROW_ENUM(Type, select.kind, "kind", word, WEFT_SELECT_KINDS),                         \
            .help = "operations of this kind; communication: messages and collectives"             \
    }
#define WEFT_SELECT_COLLECTIVE_PARAMS(Type)                                                        \
    {WEFT_ROW_ENUM(Type, select.collective, "collective", "any", WEFT_SELECT_COLLECTIVES),         \
     .help = "if collectives, then of this kind"},                                                 \
        {WEFT_ROW_STRING(Type, select.group, "group", "*"),                                        \
         .help = "if collectives, then in communicators whose name (pg_name) is like this; "       \
                 "empty: in that of all ranks"},                                                   \
    {                                                                                              \
        WEFT_ROW_SIZE(Type, select.over_bytes, "over", "0B", NULL, NULL),                          \
            .help = "if communication, then of more bytes than this; 0: of any"                    \
    }
#define WEFT_SELECT_RANKS(Type)                                                                    \
    {                                                                                              \
        WEFT_ROW_STRING(Type, select.ranks, "ranks", ""),                                          \
            .help = "on these ranks, such as 0,4-7; empty: on all", .list = &weft_ranges_form      \
    }

/** Whether the text of ranks is a list of ranks below @p nranks. */
int weft_select_check(const struct weft_select *s, uint32_t nranks, struct weft_err *err);
/** start of a transform whose parameters begin with a selection. */
int weft_select_start(struct weft_transform *t, struct weft_err *err);
/** Whether @p rank is among those chosen. */
bool weft_select_rank(const struct weft_select *s, uint32_t rank);
/** Whether an operation is chosen, apart from its rank. */
bool weft_select_node(const struct weft_select *s, const struct weft_et_node *node);

/** Bytes of a message or collective, the sum of its sizes per member where it has those; 0 when it
 * says none. */
uint64_t weft_node_bytes(const struct weft_et_node *node);
/** The number that an attribute holds; @p absent when there is none that is an integer >= 0. */
uint64_t weft_node_u64(const struct weft_et_node *node, const char *name, uint64_t absent);
/** Name of the communicator of a collective, "" that of all ranks; a number is printed into @p buf.
 */
const char *weft_node_group(const struct weft_et_node *node, char *buf, size_t size);
/** Sets an integer attribute, of the kind that it has, or adds it as int64. 0, or WEFT_E_LIMIT: out
 * of memory. */
int weft_node_set_u64(struct weft_et_node *node, struct weft_arena *arena, const char *name,
                      uint64_t value, struct weft_err *err);
/** Sets a boolean attribute, or adds it. */
int weft_node_set_bool(struct weft_et_node *node, struct weft_arena *arena, const char *name,
                       bool value, struct weft_err *err);
/** Sets a text attribute, or adds it. */
int weft_node_set_text(struct weft_et_node *node, struct weft_arena *arena, const char *name,
                       const char *value, struct weft_err *err);
/** Has @p fn change every value of a list of sizes; an absent list is left so. */
int weft_node_map_sizes(struct weft_et_node *node, struct weft_arena *arena, const char *name,
                        uint64_t (*fn)(const void *ctx, uint64_t bytes), const void *ctx,
                        struct weft_err *err);
/** Changes comm_size and the sizes per member. */
int weft_node_map_bytes(struct weft_et_node *node, struct weft_arena *arena,
                        uint64_t (*fn)(const void *ctx, uint64_t bytes), const void *ctx,
                        struct weft_err *err);

#endif
