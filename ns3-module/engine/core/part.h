/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of the fabric that an engine simulates, where several processes share one fabric, and
 * what all of them say of one thing. An engine that is alone has the whole fabric: what it would
 * ask the others, it knows.
 */
#ifndef WEFT_ENGINE_PART_H
#define WEFT_ENGINE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_engine;
struct weft_err;
struct weft_totals;
struct all_parts;

/** Bytes for other processes, as they grow. */
struct send_buffer {
    char *bytes;
    size_t n, cap;
};

struct engine_part {
    const uint8_t *owner;   /**< by node: the process that simulates it; NULL: this one has all */
    const uint8_t *records; /**< by node: the process that has its records; NULL: this one has all,
                               also of nodes that others simulate */
    unsigned me;            /**< this process's number */
    uint64_t exchanges;     /**< so far */
    bool figures;           /**< counters and totals of all are known, as they are now */
    struct send_buffer all; /**< what is given to all next */
    struct all_parts *all_parts; /**< what those who look have asked of all (observe/all_parts.c) */
};

/** Which ends of a QP are hosts of this engine. */
#define PART_SENDS 1u
#define PART_RECEIVES 2u

/** Reads one record of what process @p from has given. */
typedef void (*part_answer_fn)(struct weft_engine *e, void *ctx, unsigned from, const void *answer);

/** Adds to a send buffer; fails the engine when out of memory. */
void send_buffer_add(struct weft_engine *e, struct send_buffer *b, const void *bytes, size_t n);

/** Adds up totals. */
void totals_add(struct weft_totals *all, const struct weft_totals *more);

/* All processes call these at the same place; an engine that is alone answers by itself. */
/** Gives part.all to all, and reads what each of the others gave, in records of @p size. */
void part_ask(struct weft_engine *e, size_t size, part_answer_fn fn, void *ctx);
/** The least of what all give. */
int64_t part_least(struct weft_engine *e, int64_t value);
/** The sum of what all give. */
uint64_t part_sum(struct weft_engine *e, uint64_t value);
/** Adds to @p n bytes the bits that they have in any process. */
void part_union(struct weft_engine *e, uint8_t *bytes, uint32_t n);
/** The first error that any of them has found, 0: none has. */
int part_agree(struct weft_engine *e, int code, struct weft_err *err);

/** With part.records, before anything is written to them: records of nodes of others, and those
 * that few are used of, take no memory. */
void part_spare_nodes(struct weft_engine *e);
/** The same of ports and ends of links. */
void part_spare_ports(struct weft_engine *e);

#endif
